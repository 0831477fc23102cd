"""What a report says about random rows that are written down, against plain recomputation."""

import json
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from exported import NODE
from test_report_variants import UNITS, entry

import hyperna.report
from hyperna._words import number
from hyperna.analysis.laws import fit_runtimes
from hyperna.report.dimensions import by_dimension, series_text
from hyperna.report.groups import MOST_COMPARED, groups
from hyperna.report.numbers import interval_text
from hyperna.report.sections import results_section
from hyperna.report.sentences import contest_text, family_text, headline

LAWS = ["harmonic", "local", "uniform", "cauchy", "power_law", "adaptive"]


def random_entries(rng, **options):
    """Some laws at some resolutions; some runs or all of a setting fail."""
    found = []
    for law in rng.permutation(LAWS)[: rng.integers(1, 6)]:
        for r in rng.permutation([24, 36, 48, 96])[: rng.integers(1, 5)]:
            n = int(rng.integers(1, 13))
            scale = float(rng.choice([20, 25, 200]))
            times = 1 + rng.geometric(1 / scale, n)
            solved = rng.random(n) < rng.choice([0.0, 0.5, 1.0, 1.0])
            score = rng.integers(500, UNITS + 1, n)
            made = {"mutation": str(law), "resolution": int(r), **options}
            found.append(entry(times, solved, score, **made))
    return found


def cost(one):
    """Evaluations of all runs by the number of successes."""
    good = one.stored.success.sum()
    return one.stored.evaluations.sum() / good if good else np.inf


def plain(text):
    return str(text).replace("\u00a0", " ").replace("−", "-")


@pytest.mark.parametrize("seed", range(25))
def test_what_is_said_of_a_problem_follows_from_its_rows(seed):
    rng = np.random.default_rng(seed)
    made = random_entries(rng)
    [group] = groups(made)
    runs = sum(len(one.stored) for one in made)
    good = int(sum(one.stored.success.sum() for one in made))
    assert (group.runs, group.successes) == (runs, good)
    at = {}
    for one in made:
        at.setdefault(one.setting.resolution, []).append(one)
    assert group.resolutions == sorted(at)
    told = {contest.resolution: list(contest.members.values()) for contest in group.contests}
    wanted = {
        r for r, some in at.items() if len(some) > 1 and any(map(np.isfinite, map(cost, some)))
    }
    assert told.keys() == wanted
    counted = wanted or at
    most = max(len(at[r]) for r in counted)
    assert group.main_resolution == max(r for r in counted if len(at[r]) >= most / 2)
    assert (group.main_contest is None) == (not wanted)
    for contest in group.contests:
        assert {id(one) for one in contest.members.values()} == {
            id(one) for one in at[contest.resolution]
        }
        least = min(map(cost, at[contest.resolution]))
        winners = {name for name, one in contest.members.items() if cost(one) == least}
        assert set(contest.winners) == winners
        check_contest(contest, winners)
    head = plain(headline(group))
    share = f"{good} of {runs} runs" if 0 < good < runs else "none" if not good else "the run"
    assert share in head or head.startswith(f"all {runs} runs")
    contest = group.main_contest
    if contest is not None:
        assert contest.resolution == group.main_resolution
        assert head.endswith(f", {number(min(map(cost, contest.members.values())))}.")
    elif not good:
        means = [one.stored.fitness.mean() for one in made]
        best = max(means)
        assert head.endswith(f", {best:.4f}.")
        for one, mean in zip(made, means, strict=True):
            tail = head.partition("highest mean fitness: ")[2]
            if mean == best:
                assert one.setting.mutation.partition(":")[0] in tail
    for family in group.families:
        check_family(family)


def check_contest(contest, winners):
    """Every other variant is named with what all of its tests say, or as chance."""
    text = contest_text(contest)
    sure = text.partition("The difference from ")[2].partition(" is significant")[0]
    swift = text.partition("Single runs of ")[2].partition(" took fewer")[0]
    sure = sure if " is significant" in text else ""
    for name in contest.members.keys() - winners:
        kinds = set()
        for test in contest.tests:
            pair = (test.first, test.second)
            if name in pair and winners & set(pair):
                other = pair[1 - pair.index(name)]
                mine, its = (contest.members[n].summary.hitting_times for n in (name, other))
                longer = np.mean([(a > b) + 0.5 * (a == b) for a in mine for b in its])
                direction = longer if test.first == name else 1 - longer
                assert test.a12 == pytest.approx(direction)
                if test.p_holm >= 0.05:
                    kinds.add("chance")
                else:
                    kinds.add("sure" if longer > 0.5 else "swift")
        only = kinds.pop() if len(kinds) == 1 else "chance"
        assert (name in sure) == (only == "sure")
        assert (name in swift) == (only == "swift")


def check_family(family):
    text = plain(family_text(family))
    members = family.members
    assert [one.setting.resolution for one in members] == sorted(
        one.setting.resolution for one in members
    )
    solved = [one for one in members if one.stored.success.any()]
    shown = [solved[0], solved[-1]] if len(solved) > 1 else solved
    costs = re.findall(r"([\d,.]+) evaluations", text.partition(".  ")[0])
    for one, found in zip(shown, costs, strict=False):
        assert found == number(cost(one))
    if not solved:
        best = max(one.stored.fitness.mean() for one in members)
        assert f"their mean fitness was {best:.4f}" in text
        reached = next(one for one in members if one.stored.fitness.mean() == best)
        assert (f"at r = {reached.setting.resolution}" in text) == (len(members) > 1)
    elif len(members) > 1:
        for one in shown:
            assert f"at r = {one.setting.resolution}" in text
    if any(not one.stored.success.all() for one in members):
        assert "growth law" not in text
        assert family.fits == []


@pytest.mark.parametrize("seed", range(6))
def test_the_table_has_the_numbers_of_the_rows(seed):
    rng = np.random.default_rng(200 + seed)
    made = random_entries(rng)
    page = str(results_section(made))
    rows = re.findall(r"<tr>(<td.*?)</tr>", page)
    assert len(rows) == len(made)
    for one, row in zip(made, rows, strict=True):
        cells = dict(re.findall(r'<td data-label="([^"]*)" data-v="([^"]*)"', row))
        stored = one.stored
        wanted = {
            "runs": len(stored),
            "successes": stored.success.mean(),
            "final fitness": stored.fitness.mean(),
            "mean": stored.evaluations.mean(),
            "median": np.median(stored.evaluations),
            "ERT": cost(one),
        }
        for name, value in wanted.items():
            assert float(cells[name]) == pytest.approx(value), name
        low, high = one.summary.success_interval
        p, n, z = stored.success.mean(), len(stored), 1.959963984540054
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
        assert [low, high] == pytest.approx([middle - half, middle + half], abs=1e-12)
        record = one.data(with_rows=True)
        assert record["rows"]["evaluations"] == stored.evaluations.tolist()
        assert record["rows"]["fitness"] == stored.fitness.tolist()
        assert record["numbers"] == [[0, len(stored)]]
        least = stored.evaluations.min()
        assert one.extreme(largest=False) == (least, list(stored.evaluations).index(least))


def test_many_variants_are_not_compared_in_pairs_but_have_a_winner():
    for more in (0, 1):
        laws = [f"power_law:exponent={k}" for k in range(1, MOST_COMPARED + 1 + more)]
        made = [entry([20 + k] * 6, mutation=law) for k, law in enumerate(laws)]
        [group] = groups(made)
        [contest] = group.contests
        pairs = MOST_COMPARED * (MOST_COMPARED - 1) // 2
        assert len(contest.tests) == len(contest.fitness_tests) == (0 if more else pairs)
        assert contest.winners == [group.families[0].name]
        assert ("The difference" in contest_text(contest)) == (not more)


def test_growth_over_the_dimension_is_that_of_the_costs_at_both_ends():
    """Dimensions in any order; where nothing succeeded there is no point; failures stop laws."""
    rng = np.random.default_rng(1)

    def series(times, solved=lambda dim: True, **options):
        return [
            entry(time, [solved(dim)] * len(time) if isinstance(solved(dim), bool) else solved(dim),
                  dim=dim, points=64, neurons=1, **options)
            for dim, time in times.items()
        ]  # fmt: skip

    times = {5: [80, 120], 3: [30, 50], 9: [400, 600]}
    [found] = by_dimension(series(times))
    [one] = found.families
    assert one.dims == found.dims == [3, 5, 9]
    text = plain(series_text(one))
    assert "40.0 at D = 3 and 500 at D = 9" in text or "40 at D = 3 and 500 at D = 9" in text
    power = np.log(500 / 40) / np.log(9 / 3)
    assert f"power of {power:.2f} on average" in text
    part = series(times, solved=lambda dim: [True, dim != 9])
    [found] = by_dimension(part)
    text = plain(series_text(found.families[0]))
    assert "1,000 at D = 9" in text
    assert "some runs failed at D = 9," in text
    none = series(times, solved=lambda dim: dim != 9)
    [found] = by_dimension(none)
    assert [e.setting.dim for e in found.families[0].solved] == [3, 5]
    assert "100 at D = 5" in plain(series_text(found.families[0]))
    only = series(times, solved=lambda dim: dim == 5)
    text = plain(series_text(by_dimension(only)[0].families[0]))
    assert "success: 100 at D = 5;" in text
    assert by_dimension(series(times, solved=lambda dim: False)) == []
    assert by_dimension(series({3: [1, 2]})) == []
    two = series(times) + series({3: [9, 9], 4: [9, 9]}, mutation="local")
    assert [f.dims for f in by_dimension(two)[0].families] == [[3, 5, 9], [3, 4]]
    # laws are fitted from D = 3 on, whatever happens below
    grown = {dim: rng.geometric(1 / (40 * dim), 80) for dim in (3, 4, 6, 8, 12)}
    [plainly] = by_dimension(series(grown))
    [with_two] = by_dimension(series({2: [7] * 80, **grown}))
    laws = [[fit.equation for fit in d.families[0].fitting] for d in (plainly, with_two)]
    wanted = [fit.equation for fit in fit_runtimes(list(grown), list(grown.values())) if fit.fits]
    assert laws[0] == laws[1] == wanted != []


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ([(0, 1)], "0"),
        ([(0, 2)], "0–1"),
        ([(3, 4), (5, 6)], "3, 5"),
        ([(0, 10), (12, 99)], "0–9, 12–98"),
    ],
)
def test_numbers_of_runs_for_people(numbers, text):
    assert interval_text(numbers) == text


SCRIPT = """
const { readFileSync } = require("node:fs");
const [source, given] = JSON.parse(readFileSync(0, "utf8"));
class Fake {
  constructor(tag) {
    Object.assign(this, { tag, children: [], dataset: {}, attributes: {}, listeners: {}, own: "" });
  }
  set innerHTML(_) {
    this.tHead = { rows: [new Fake("tr")] };
    const body = new Fake("tbody");
    body.insertRow = () => {
      const row = new Fake("tr");
      row.insertCell = () => { const cell = new Fake("td"); row.append(cell); return cell; };
      body.append(row);
      return row;
    };
    this.tBodies = [body];
  }
  get textContent() { return this.own + this.children.map((one) =>
    one.textContent ?? one).join(""); }
  set textContent(text) { this.own = String(text); }
  get cells() { return this.children; }
  get rows() { return this.children; }
  append(...more) {
    this.children = this.children.filter((one) => !more.includes(one)).concat(more);
    for (const one of more) if (one instanceof Fake) one.parentElement = this;
  }
  prepend(...more) { this.children = [...more, ...this.children]; }
  replaceChildren(...more) { this.children = []; this.append(...more); }
  setAttribute(name, value) { this.attributes[name] = value; }
  getAttribute(name) { return this.attributes[name] ?? null; }
  addEventListener(name, act) { this.listeners[name] = act; }
  querySelector(tag) { return this.children.find((one) => one.tag === tag); }
}
globalThis.document = { createElement: (tag) => new Fake(tag) };
globalThis.Option = class extends Fake {
  constructor(text, value) { super("option"); this.own = text; this.value = value; }
};
const head = source.split("const data = ")[0];
const { sortBy, showRows } = new Function(`${head}; return { sortBy, showRows };`)();
const place = new Fake("div"), out = {};
showRows(place, given.setting);
const table = place.children[0].children.find((one) => one.tag === "table");
const column = (k) => table.tBodies[0].rows.map((row) => row.cells[k].textContent);
out.shown = [0, 1, 2, 3].map(column);
out.sorted = [0, 1, 2, 3].map((k) => [false, true].map((down) => {
  sortBy(table, k, down);
  return [column(k), column(0), table.tHead.rows[0].cells.map((cell) =>
    cell.attributes["aria-sort"])];
}));
const select = place.children[0].children[0].children[1];
out.chosen = select.children.map(({ value }) => {
  select.value = value;
  select.listeners.change();
  return [value, column(0)];
});
table.tHead.rows[0].cells[1].children[0].listeners.click();
out.clicked = [column(1)];
table.tHead.rows[0].cells[1].children[0].listeners.click();
out.clicked.push(column(1));
// numbers come before texts
const stop = ["b", 3, "a", 20], same = [1, 1, 1, 1];
showRows(place, { numbers: [[0, 4]], rows: { evaluations: same, fitness: same, stop } });
const mixed = place.children[0].children.find((one) => one.tag === "table");
out.mixed = [false, true].map((down) => {
  sortBy(mixed, 3, down);
  return mixed.tBodies[0].rows.map((row) => row.cells[3].textContent);
});
process.stdout.write(JSON.stringify(out));
"""


@pytest.mark.skipif(NODE is None, reason="needs Node")
def test_the_rows_of_a_setting_are_shown_by_their_numbers_and_sorted():
    """In Node with a few elements: ties keep their order, numbers are sorted as numbers."""
    source = (Path(hyperna.report.__file__).parent / "page.js").read_text(encoding="utf-8")
    numbers, times = [3, 4, 9, 20, 21, 22, 100], [10, 9, 100, 9, 2, 10, 2]
    fitness = [0.5, 1, 0.25, 1, 0.125, 0.5, 1e-7]
    stops = ["optimum", "budget", "stuck", "budget", "optimum", "target", "optimum"]
    setting = {
        "numbers": [[3, 5], [9, 10], [20, 23], [100, 101]],
        "rows": {"evaluations": times, "fitness": fitness, "stop": stops},
    }
    done = subprocess.run(
        [NODE, "-e", SCRIPT],
        input=json.dumps([source, {"setting": setting}]),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    columns = [numbers, times, fitness, stops]
    assert [[float(v) for v in part] for part in found["shown"][:3]] == columns[:3]
    assert found["shown"][3] == stops
    order = list(range(7))
    for k, both in enumerate(found["sorted"]):
        for descending, (values, runs, marks) in zip((False, True), both, strict=True):
            order.sort(key=lambda i, own=columns[k]: own[i], reverse=descending)
            assert [float(run) for run in runs] == [numbers[i] for i in order]
            assert len(values) == 7
            wanted = ["none"] * 4
            wanted[k] = "descending" if descending else "ascending"
            assert marks == wanted
    # from a list on narrow screens: as stored, then each column both ways
    order = list(range(7))
    assert [value for value, _ in found["chosen"]] == [
        "", "0+", "0-", "1+", "1-", "2+", "2-", "3+", "3-"
    ]  # fmt: skip
    for value, runs in found["chosen"]:
        if value:
            own = columns[int(value[0])]
            order.sort(key=lambda i, own=own: own[i], reverse=value[1] == "-")
        assert [float(run) for run in runs] == [numbers[i] for i in order]
    assert found["mixed"] == [["3", "20", "a", "b"], ["b", "a", "20", "3"]]
    up, down = ([float(v) for v in one] for one in found["clicked"])
    assert up == sorted(times)
    assert down == sorted(times, reverse=True)
