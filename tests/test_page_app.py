"""The scenes of the play page in Node: clocks, verdicts, drags and choices, at their borders."""

import math
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest
from exported import NODE
from page_canvas import DOCUMENT, RECORDER
from page_in_node import page_runner

from hyperna.play.facts import page_facts

pytestmark = pytest.mark.skipif(NODE is None, reason="needs Node")

FACTS = page_facts()


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return page_runner(tmp_path_factory.mktemp("page"))


# ---- a race

RACE = (
    RECORDER
    + DOCUMENT
    + """const { RaceScene } = modules["app/race.js"];
const told = { redraws: 0, played: [], legends: [], said: [] };
const app = { facts, palette: PALETTE, playing: true, redraw: () => { told.redraws += 1; },
  legend: (entries) => told.legends.push(entries), play: (on) => told.played.push(on),
  say: (text) => told.said.push(text), news: () => {}, numbers: () => {},
  nextSeed: () => told.played.push("next"), onward: () => told.played.push("onward") };
const sceneOf = (lanes, runs) => Object.assign(new RaceScene(app), { lanes, runs, clock: 1,
  elapsed: 0, setting: facts.defaults });
"""
)


def verdict_of(lanes):
    """Kind of the verdict and the laws that it names, from the runs themselves."""
    rows = []
    for law, times, done in lanes:
        error = np.std(times, ddof=1 if len(times) > 1 else 0) / math.sqrt(len(times))
        rows.append((law, np.mean(times), error, np.mean(done)))
    rows.sort(key=lambda row: (-row[3], row[1]))
    first, last = rows[0], rows[-1]
    if len(rows) == 1:
        return "over", []
    if last[3] < first[3]:
        return "home", [first[0], f"{100 * first[3]:.0f} %", last[0], f"{100 * last[3]:.0f} %"]
    close = [row[0] for row in rows[1:] if row[1] - first[1] < 2 * math.hypot(first[2], row[2])]
    if last[0] in close:
        return "nobody", []
    return "equal" if close else "win", [first[0], *close, last[0]]


def test_the_verdict_of_a_race_follows_from_its_times(page):
    rng = np.random.default_rng(0)
    races = []
    for _ in range(60):
        lanes = []
        for i in range(rng.integers(1, 5)):
            times = np.ceil(rng.exponential(rng.choice([50, 60, 100]), 12)).astype(int)
            done = rng.random(12) < rng.choice([0.8, 1, 1, 1])
            lanes.append([f"law{i}", times.tolist(), done.tolist()])
        races.append(lanes)
    # two standard errors apart, to the digit, is a difference; a single run has no error
    races += [
        [["lawa", [3, 5], [True, True]], ["lawb", [7, 9], [True, True]]],
        [["lawa", [4, 4], [True, True]], ["lawb", [5, 7], [True, True]]],
        [["lawa", [4, 4], [True, True]], ["lawb", [5, 6], [True, True]]],
        [["lawa", [4], [True]], ["lawb", [4], [True]]],
        [["lawa", [4], [True]], ["lawb", [5], [True]]],
        [["lawa", [5, 5], [True, True]], ["lawb", [4, 4], [False, True]]],
    ]
    found = page(
        ["app/race.js"],
        RACE
        + """return given[0].map((race) => sceneOf(
          race.map(([law, times, done]) => ({ law, times, done })),
            race[0][1].length).verdict());""",
        races,
    )
    kinds = set()
    for lanes, text in zip(races, found, strict=True):
        kind, names = verdict_of(lanes)
        kinds.add(kind)
        words = {"over": "over", "home": "home", "nobody": "Nobody", "equal": "equally"}
        assert words.get(kind, "win") in text, (text, lanes)
        lowered = text[0].lower() + text[1:]
        rest = lowered
        for name in names:
            _, found_here, rest = rest.partition(name)
            assert found_here, (text, names)
        if kind in ("equal", "win"):
            means = {law: np.mean(times) for law, times, _ in lanes}
            ratio = means[names[-1]] / means[names[0]]
            digits = f"{ratio:.0f}" if ratio >= 100 else f"{ratio:.{1 if ratio >= 10 else 2}f}"
            assert f" {digits} times" in text
    assert kinds == {"over", "home", "nobody", "equal", "win"}


def test_a_race_ends_with_its_longest_run_and_shows_runs_of_middle_length(page):
    """The clock grows like a power; a run that is missing keeps the race from beginning."""
    found = page(
        ["app/race.js", "engine/task.js", "engine/search.js"],
        RACE
        + """const { taskOf } = modules["engine/task.js"];
        const setting = { ...facts.defaults, problem: "quarter", neurons: 1, resolution: 24 };
        const task = taskOf(setting, facts), good = [true, true, true, true];
        const lane = (law, times, done = good) =>
          ({ law, times, done, task, search: null, exact: null });
        const scene = sceneOf([lane("a", [9, 3, 100, 5]), lane("b", [4, undefined, 1, 1])], 4);
        const out = { waiting: [scene.computed, scene.most, scene.ended] };
        scene.tick(0, 5000);
        out.still = scene.clock;
        scene.lanes[1].times[1] = 1;
        out.ready = [scene.computed, scene.most, scene.ended];
        scene.lanes[1].done = [true, false, true, true];
        scene.showMedians();
        out.shown = scene.lanes.map(({ shown, search }) => [shown, search.evaluations]);
        out.legends = told.legends.length;
        out.clocks = [];
        for (let k = 0; k < 12; k += 1) {
          scene.tick(0, 1000);
          out.clocks.push([scene.clock, scene.ended, told.played.at(-1)]);
        }
        out.advanced = scene.lanes.map(({ search }) => search.evaluations <= 100);
        out.odd = [[2], [5, 1, 3], [8, 8, 1, 9, 9]].map((times) => {
          const other = sceneOf([lane("a", times, times.map(() => true))], times.length);
          other.showMedians();
          return other.lanes[0].times[other.lanes[0].shown];
        });
        out.few = sceneOf([lane("a", [2])], 1).most;
        out.none = [sceneOf([], 3).computed];
        return out;""",
    )
    assert found["waiting"] == [False, 100, False]
    assert found["still"] == 1
    assert found["ready"] == [True, 100, False]
    # of 3, 5, 9, 100 the third, of 1, 1, 1, 4 a one
    assert found["shown"][0] == [0, 1]
    assert found["legends"] == 1
    for k, (clock, ended, played) in enumerate(found["clocks"], start=1):
        assert clock == pytest.approx(min(100, 100 ** (k / 10)))
        assert ended == (k >= 10)
        assert played is (k < 10)
    assert all(found["advanced"])
    assert found["odd"] == [2, 3, 8]
    assert found["few"] == 10
    assert found["none"] == [False]


def test_all_runs_of_a_race_are_asked_for_once(page):
    """In portions here, in what the server sends there; an unfinished run counts as failed."""
    found = page(
        ["app/race.js", "engine/task.js"],
        RACE
        + """const { taskOf } = modules["engine/task.js"];
        const task = taskOf({ ...facts.defaults, problem: "quarter", neurons: 1 }, facts);
        const lanes = () => ["a", "b"].map((law) => ({ law, task, times: [], done: [] }));
        const here = [], there = [];
        return (async () => {
          for (const runs of given[0]) {
            app.pool = { run: async (kind, jobs, hear) => {
              here.push([kind, runs, jobs.map(({ first, last }) => [first, last])]);
              jobs.forEach(({ first, last }, i) => {
                for (let run = first; run < last; run += 1)
                  hear({ run, evaluations: 100 * i + run, success: run % 2 === 0 }, i);
              });
            } };
            const scene = sceneOf(lanes(), runs);
            await scene.computeHere(scene.turn);
            here.at(-1).push(scene.lanes.map(({ times, done }) => [times, done]), scene.computed);
            const asked = [];
            app.server = { ask: async (what, { first }) => {
              asked.push([what, first]);
              const size = 3 + asked.length, last = asked.length % 2 ? 77 : null;
              return { evaluations: Array.from({ length: size }, (_, i) => first + i + 1),
                success: Array(size).fill(1), unfinished: last };
            } };
            const other = sceneOf(lanes(), runs);
            const good = await other.computeServed(other.turn);
            there.push([runs, good, asked, other.lanes.map(({ times, done }) => [times, done])]);
          }
          app.server = { ask: async () => { throw new Error("gone"); } };
          const failed = sceneOf([{ law: "a", task, times: [1], done: [true] }], 5);
          const good = await failed.computeServed(failed.turn);
          return { here, there, failed: [good, failed.lanes[0].times, failed.lanes[0].done] };
        })();""",
        [1, 25, 26, 60],
    )
    for kind, runs, jobs, lanes, computed in found["here"]:
        assert kind == "race"
        half = jobs[: len(jobs) // 2]
        assert jobs == half * 2
        assert [run for first, last in half for run in range(first, last)] == list(range(runs))
        assert all(1 <= last - first <= 25 for first, last in half)
        for i, (times, done) in enumerate(lanes):
            assert [time % 100 for time in times] == [run % 100 for run in range(runs)]
            assert (times[0] >= 100 * len(half)) == (i == 1)
            assert done == [run % 2 == 0 for run in range(runs)]
        assert computed
    for runs, good, asked, lanes in found["there"]:
        assert good
        for times, done in lanes:
            assert len(times) == len(done) == runs
            assert [flag for time, flag in zip(times, done, strict=True) if time == 77] in (
                [], [False], [False] * times.count(77), [True] + [False] * (times.count(77) - 1)
            )  # fmt: skip
        firsts = [first for _, first in asked]
        assert firsts[0] == 0
        assert firsts.count(0) == 2
    assert found["failed"] == [False, [], []]


def test_the_means_of_a_race_are_ranked_when_it_is_over(page):
    lanes = [["slow", [40, 60], [1, 1], None], ["fast", [10, 14], [1, 0], 11.5],
             ["middle", [20, 20], [1, 1], 19.9]]  # fmt: skip
    found = page(
        ["app/race.js"],
        RACE
        + """const scene = sceneOf(given[0].map(([law, times, done, mean]) =>
          ({ law, times, done: done.map(Boolean), exact: mean === null ? null : { mean } })), 2);
        const rows = () => byId("ranking").children.map(({ textContent }) => textContent);
        scene.rank();
        const before = [rows(), byId("ranking-text").hidden];
        scene.clock = 60;
        scene.rank();
        return [before, rows(), byId("ranking-text").hidden];""",
        lanes,
    )
    assert found[0] == [[], False]
    assert found[2] is True
    assert [row.split(":")[0] for row in found[1]] == ["fast", "middle", "slow"]
    fast, middle, slow = found[1]
    assert "12.0 ± 2.0" in fast
    assert "11.5" in fast
    assert "50 %" in fast
    assert "20 ± 0" in middle
    assert "20)" in middle
    assert "50 ± 10" in slow
    assert "exact" not in slow
    assert "%" not in middle + slow


# ---- a run

RUN = (
    RECORDER
    + DOCUMENT
    + """const { RATES, RunScene } = modules["app/run.js"];
const told = [];
const app = { facts, palette: PALETTE, playing: true, rate: 10, redraw: () => {},
  play: (on) => told.push(on), nextSeed: () => told.push("next"), legend: () => {},
  onward: () => told.push("onward"), change: (part) => told.push(part), exact: async () => null };
const scene = Object.assign(new RunScene(app), { patience: 400 });
"""
)


def test_a_run_gets_the_evaluations_that_are_due(page):
    """In whole evaluations, with what is left over for the next picture; never a long debt."""
    found = page(
        ["app/run.js"],
        RUN
        + """const play = (rate, times, most = Infinity) => {
          app.rate = rate;
          const asked = [];
          Object.assign(scene, { debt: 0, search: { ended: "", history: [],
            advance: (count) => { const done = Math.min(count, most); asked.push(count);
              return done; } } });
          for (const passed of times) scene.tick(performance.now(), passed);
          return [asked.map((count) => count === Infinity ? "all" : count), scene.debt];
        };
        const found = [play(1, Array(8).fill(250)), play(100, [250, 25]), play(10, [99]),
          play(1000, [100, 100], 30), play(Infinity, [5, 5]), play(10, [100, 100])];
        app.playing = false;
        found.push(play(10, [1000]));
        return [found, RATES.map((rate) => rate === Infinity ? "all" : rate)];""",
    )
    (slow, quick, early, owed, fastest, exact, paused), rates = found
    assert slow == [[1, 1], 0]
    assert quick == [[25, 2], 0.5]
    assert early == [[], 0.99]
    assert owed == [[100, 101], 1]
    assert fastest == [["all", "all"], 0]
    assert exact == [[1, 1], 0]
    assert paused == [[], 0]
    assert rates[-1] == "all"
    assert rates[:-1] == sorted(set(rates[:-1]))


def test_a_moment_of_a_run_is_found_again_with_its_restarts_by_hand(page):
    found = page(
        ["app/run.js", "engine/task.js"],
        RUN
        + """const { taskOf } = modules["engine/task.js"];
        const points = [[0.1, 0.1, 0], [0.1, 0.1, 1], [0.5, -0.2, 1], [-0.4, 0.3, 0]];
        const setting = { ...facts.defaults, problem: "points", neurons: 2, points };
        const task = taskOf(setting, facts);
        const state = ({ search }) => [search.genome, search.evaluations, search.restarts];
        scene.begin(task);
        const empty = scene.link();
        for (const [count, again] of [[4, true], [1, true], [30, false]]) {
          scene.search.advance(count);
          if (again) scene.restartByHand();
        }
        const link = scene.link(), first = state(scene), lines = scene.python();
        const other = new RunScene(app);
        other.begin(task);
        other.replay(link.at, link.again.split("_").map(Number));
        const fresh = new RunScene(app);
        fresh.begin(task);
        fresh.replay(1, []);
        return { first, second: state(other), link, again: other.link(), empty,
          start: state(fresh)[1],
          stalled: [other.improvedAt === null || other.improvedAt === -Infinity,
            fresh.improvedAt > 0],
          sure: [lines.text, fresh.python().text] };""",
    )
    assert found["first"] == found["second"]
    assert found["link"] == found["again"]
    # four more evaluations, then a new network counts as one
    assert found["link"]["again"] == "5_7"
    assert found["link"]["at"] == 38
    assert found["empty"] == {"at": None, "again": None}
    assert found["start"] == 1
    assert found["stalled"] == [True, True]
    assert "evaluation 5," in found["sure"][0]
    assert "exactly" in found["sure"][1]


def test_a_run_is_stalled_after_patience_and_a_pause_and_waits_longer_each_time(page):
    found = page(
        ["app/run.js", "app/story.js"],
        RUN
        + """const { LEAST_PAUSE, PATIENCE } = modules["app/story.js"];
        const at = (idle, since, ended = "") => {
          Object.assign(scene, { patience: PATIENCE, improvedAt: performance.now() - since,
            search: { idle, ended, history: [] } });
          return scene.stalled;
        };
        const long = LEAST_PAUSE + 500, answers = [at(PATIENCE, long), at(PATIENCE - 1, long),
          at(PATIENCE, LEAST_PAUSE - 500), at(PATIENCE, long, "budget")];
        const waits = [0, PATIENCE, 3 * PATIENCE, 5 * PATIENCE].map((idle) => {
          at(idle, long);
          scene.act("wait");
          return scene.patience / PATIENCE;
        });
        for (const name of ["next", "onward", "harmonic"]) scene.act(name);
        return [answers, waits, told];""",
    )
    assert found[0] == [True, False, False, False]
    assert found[1] == [4, 4, 12, 20]
    assert found[2] == [True] * 4 + ["next", "onward", {"mutation": "harmonic"}]


# ---- rules


def test_the_slider_of_rules_begins_at_the_asked_or_the_chosen_one(page):
    path = [{"terms": t, "errors": e, "quorum": 1, "conditions": []}
            for t, e in [(0, 30), (1, 9), (3, 4), (6, 4)]]  # fmt: skip
    found = page(
        ["app/rule.js"],
        RECORDER
        + DOCUMENT
        + """const { RuleScene } = modules["app/rule.js"];
        const [path] = given, said = [], asked = [];
        const app = { facts, palette: PALETTE, redraw: () => {}, open: (hash) => asked.push(hash),
          say: (text) => said.push(text), server: { served: false }, scene: { kind: "rule" },
          legend: () => {}, pool: { run: async (kind, jobs) => asked.push([kind, jobs.length]) } };
        const scene = new RuleScene(app);
        const table = { points: Array.from({ length: 60 }, (_, i) => [i, 0, i % 2]) };
        const hear = (wanted, chosen, part = path) => {
          Object.assign(scene, { wanted, touched: false, table, chosen: 0, name: "own" });
          scene.hear({ share: 1, path: part.map((rule, i) => i === chosen ? { ...rule,
            chosen: true } : rule) });
          return [scene.chosen, byId("terms").max, scene.link().terms];
        };
        const found = [hear(null, 2), hear(null, 0), hear(0, 2), hear(1, 2), hear(2, 2), hear(5, 0),
          hear(6, 0), hear(99, 0), hear(null, -1)];
        hear(null, 3);
        scene.select(1);
        const touched = [scene.chosen, scene.link().terms];
        scene.hear({ share: 1, path });
        touched.push(scene.chosen);
        scene.hear({ share: 0.5, path: path.slice(0, 1) });
        touched.push(scene.chosen);
        const news = path.map((_, i) => {
          Object.assign(scene, { path, chosen: i, share: 1 });
          return scene.news().text;
        });
        const shares = [true, false].map((byClassifier) => {
          Object.assign(scene, { share: 0.25, byClassifier });
          return scene.news().text;
        });
        const points = (labels) => labels.map((label, i) => [i, i, label]);
        for (const labels of [[1, 1], [0, 0], [0, 1]])
          scene.begin({ ...facts.defaults, points: points(labels) }, "points", null);
        byId("path").clientWidth = 300;
        return { found, touched, news, shares, said: said.length, asked, own: scene.isOwn };""",
        path,
    )
    # without a choice of the classifier: the shortest description
    n, shortest = 60, []
    for rule in path:
        p = rule["errors"] / n
        bits = -n * sum(q * math.log2(q) for q in (p, 1 - p) if q > 0)
        shortest.append(bits + rule["terms"] * (1 + math.log2(n) / 2))
    best = int(np.argmin(shortest))
    chosen = [index for index, *_ in found["found"]]
    assert chosen == [2, 0, 0, 1, 1, 2, 3, 3, best]
    assert {most for _, most, _ in found["found"]} == {"3"}
    assert [terms for *_, terms in found["found"]] == [None, None, 0, 1, 2, 5, 6, 99, None]
    assert found["touched"] == [1, 1, 1, 0]
    numbers = [[int(word) for word in text.replace(":", " ").replace(".",
      " ").split() if word.isdigit()]
               for text in found["news"]]  # fmt: skip
    assert numbers == [[1, 9, 30], [2, 4, 9], [3, 4], []]
    assert "25 %" in found["shares"][1]
    assert found["said"] == 2
    assert found["asked"] == [["rules", 1]]
    assert found["own"]


def test_rules_are_rounded_to_the_fewest_digits_that_keep_their_answers(page):
    """One feature: the threshold with the fewest decimals between two neighbours."""
    rng = np.random.default_rng(3)
    gaps = [(0.0, 1.0), (1.23, 1.24), (0.999, 1.001), (-5.5, -5.4), (10.0, 20.0), (1e-4, 2e-4)]
    gaps += [tuple(sorted(rng.normal(0, 10.0 ** rng.integers(-3, 3), 2))) for _ in range(40)]
    found = page(
        ["rules/readable.js"],
        """const { holds, readable } = modules["rules/readable.js"];
        const scaling = [{ mean: 0, factor: 1 }];
        return given[0].map(([low, high]) => [1, -1].map((sign) => {
          const points = [[low, 0], [high, 1]];
          // at the point that fires
          const t = sign > 0 ? high : -low;
          const network = { join: "and", neurons: [{ w: [sign], t }], terms: 1 };
          const rule = readable(network, scaling, points, 0);
          return [rule.conditions[0], points.map((point) => holds(rule, point))];
        }).concat([[ // all points on one side
          ...[[-9, [true, true]], [1e6, [false, false]]].map(([t]) => {
            const points = [[low, 0], [high, 1]];
            const network = { join: "or", neurons: [{ w: [1], t: t * (1 + Math.abs(low)) }],
              terms: 1 };
            const rule = readable(network, scaling, points, 0);
            return points.map((point) => holds(rule, point));
          })]]));""",
        gaps,
    )
    for (low, high), (up, down, ends) in zip(gaps, found, strict=True):
        for (condition, held), sign in ((up, 1), (down, -1)):
            assert condition["features"] == [0]
            assert condition["weights"] == [sign]
            assert held == ([False, True] if sign > 0 else [True, False])
            # holds where the sum is greater than the threshold
            first, last = (low, high) if sign > 0 else (-high, -low)
            threshold = condition["threshold"]
            assert first <= threshold < last
            middle = (first + last) / 2
            for decimals in range(13):
                rounded = Decimal(middle).quantize(Decimal(10) ** -decimals, ROUND_HALF_UP)
                if first <= float(rounded) < last:
                    assert threshold == float(rounded)
                    break
        assert ends[0] in ([True, True], [False, True])
        assert ends[1] == [False, False]


@pytest.mark.parametrize("join", ["and", "or", "two", "xor"])
def test_an_evolved_rule_never_costs_more_than_before(page, join):
    """Four times its errors and the cost of its terms; both are counted anew for each network."""
    rng = np.random.default_rng(7)
    points = rng.uniform(-0.5, 0.5, (40, 3))
    labels = ((points[:, 0] > 0.1) ^ (points[:, 1] > 0) ^ (rng.random(40) < 0.1)).astype(int)
    found = page(
        ["rules/evolve.js", "engine/random.js"],
        """const { ERROR_COST, JOINS, evolve, randomNetwork } = modules["rules/evolve.js"];
        const { Stream } = modules["engine/random.js"];
        const [columns, labels, join, costs] = given;
        return costs.map((termCost) => {
          const stream = new Stream(9, 1), heard = [];
          const start = randomNetwork({ columns, labels }, join, 3, stream);
          const last = evolve(start, { termCost, offspring: 1500, stream,
            found: (network, errors, terms) => heard.push([errors, terms,
              network.neurons.map(({ w, t }) => [[...w], t])]) });
          return { heard, terms: last.terms, size: last.neurons.length };
        }).concat([[ERROR_COST, Object.keys(JOINS)]]);""",
        points.T.tolist(),
        labels.tolist(),
        join,
        [0, 1, 6],
    )
    error_cost, joins = found.pop()
    assert set(joins) == {"and", "or", "two", "xor"}
    equal = 0
    for cost, one in zip([0, 1, 6], found, strict=True):
        before = None
        for errors, terms, network in one["heard"]:
            W, t = np.array([w for w, _ in network]), np.array([t for _, t in network])
            fire = (points @ W.T >= t).sum(axis=1)
            count = len(network)
            says = {"and": fire == count, "or": fire > 0, "two": fire > 1, "xor": fire % 2 == 1}
            # where rounding may decide, an error more or less
            close = (np.abs(points @ W.T - t) < 1e-9).any(axis=1).sum()
            assert abs(np.count_nonzero(says[join] != (labels == 1)) - errors) <= close
            assert terms == np.count_nonzero(W)
            total = error_cost * errors + cost * terms
            assert before is None or total <= before
            equal += total == before
            before = total
        assert one["terms"] == one["heard"][-1][1]
        assert one["size"] == len(one["heard"][-1][2])
    assert equal > 30
    assert found[2]["terms"] <= found[0]["terms"]


# ---- arcs and points by hand


def test_a_new_arc_is_the_middle_third_of_the_widest_gap(page):
    rng = np.random.default_rng(5)
    unions = [[[0, 349]], [[0, 348]], [[0, 90]], [[350, 370]], [[200, 300], [10, 100]],
              [[0, 100], [120, 220], [240, 340]], [[300, 400], [60, 100]]]  # fmt: skip
    for _ in range(40):
        cuts = np.sort(rng.choice(360, 2 * rng.integers(1, 6), replace=False)).reshape(-1, 2)
        unions.append(rng.permutation(cuts).tolist())
    found = page(
        ["app/edit.js"], "return given[0].map((arcs) => modules['app/edit.js'].withNewArc(arcs));",
        unions,
    )  # fmt: skip
    for arcs, made in zip(unions, found, strict=True):
        ordered = sorted(arcs)
        following = [*(start for start, _ in ordered[1:]), ordered[0][0] + 360]
        gaps = [(b - a, a) for (_, a), b in zip(ordered, following, strict=True)]
        widest, origin = max(gaps, key=lambda gap: gap[0])
        if widest < 12:
            assert made is None
            continue
        assert made[:-1] == ordered
        start, end = made[-1]
        assert 0 <= start < 360
        assert end - start == pytest.approx(widest / 3, abs=0.51)
        assert (start - origin) % 360 == pytest.approx(widest / 3, abs=0.51)


EDITOR = (
    DOCUMENT
    + """const { Editor } = modules["app/edit.js"];
const made = [], said = [];
byId("stage").getBoundingClientRect = () => ({ left: 10, top: 20, width: 260, height: 300 });
byId("stage").setPointerCapture = () => {};
const app = { facts, redraw: () => {}, say: (text) => said.push(text),
  setArcs: (arcs) => made.push(arcs), change: (part) => made.push(part.points) };
const begin = (scene, setting, task, view = null) => {
  Object.assign(app, { scene, setting: { ...facts.defaults, ...setting }, run: { task, view } });
  return new Editor(app);
};
// from the middle of the picture, in its unit of 100 pixels
const at = (x, y, more = {}) => ({ clientX: 140 + 100 * x, clientY: 170 - 100 * y, pointerId: 1,
  ...more });
const polar = (radius, degrees) =>
  at(radius * Math.cos(degrees * Math.PI / 180), radius * Math.sin(degrees * Math.PI / 180));
"""
)


def test_arcs_are_dragged_by_their_ends_and_drawn_on_empty_parts(page):
    """Over 0 degrees too; off the ring and inside an arc nothing begins; an arc keeps its start."""
    drags = [
        (1.2, [90, 130], [[0, 130], [200, 300]]),
        (1.2, [0, -40], [[200, 300], [320, 450]]),
        (1.2, [299, 330, 350, 355], [[0, 90], [200, 356]]),
        (1.2, [130, 150], [[0, 90], [130, 150], [200, 300]]),
        (1.2, [150, 120], [[0, 90], [120, 150], [200, 300]]),
        (1.2, [340, 350, 358], [[0, 90], [200, 300], [340, 358]]),
        (1.2, [45, 60], None),
        (1.2, [130], None),
        (1.2, [130, 131.5], [[0, 90], [200, 300]]),
        (1.2, [90, 50, 5, -10], [[200, 300]]),
        # an end that met the other one goes on from there
        (1.2, [90, 40, -10, 40], [[0, 50], [200, 300]]),
        (1.2, [0, 60, 100, 50], [[40, 90], [200, 300]]),
        (1.07, [90, 130], None),
        (1.31, [90, 130], None),
        (1.29, [90, 130], [[0, 130], [200, 300]]),
        (1.09, [90, 130], [[0, 130], [200, 300]]),
        (1.2, [98, 108], [[0, 100], [200, 300]]),
        (1.2, [110, 100], [[0, 90], [100, 110], [200, 300]]),
    ]
    found = page(
        ["app/edit.js"],
        EDITOR
        + """return given[0].map(([radius, way]) => {
          const view = { arcs: [[0, 90], [200, 300]].map((arc) => arc.map((end) => end / 360)) };
          const editor = begin({ kind: "run", id: "draw" }, { problem: "custom_arcs" },
            { dim: 2, fitness: { turn: 360 } }, view);
          made.length = 0;
          editor.down(polar(radius, way[0]));
          for (const degrees of way.slice(1)) editor.move(polar(radius, degrees));
          const shown = view.arcs.length;
          editor.up();
          editor.up();
          return [made.length ? [...made] : null, shown];
        });""",
        [drag[:2] for drag in drags],
    )
    for (_, way, wanted), (arcs, _) in zip(drags, found, strict=True):
        assert arcs == (None if wanted is None else [wanted]), way


def test_what_can_be_done_with_a_picture_and_where_points_go(page):
    kinds = [
        ("race", "race", "points", 2, 1, ""), ("run", "draw", "points", 2, 0, "points"),
        ("run", "solve", "points", 2, 0, ""), ("run", "solve", "cube", 3, 0, "sphere"),
        ("run", "draw", "custom_arcs", 3, 0, "sphere"), ("run", "draw", "quarter", 2, 1, "ring"),
        ("run", "solve", "custom_arcs", 2, 1, "ring"), ("run", "solve", "quarter", 2, 1, ""),
        ("run", "draw", "cube", 2, 0, ""),
    ]  # fmt: skip
    found = page(
        ["app/edit.js"],
        EDITOR
        + """const found = given[0].map(([kind, id, problem, dim, turn]) =>
          String(begin({ kind, id }, { problem }, { dim, fitness: { turn } }).kind));
        groups["[name=colour]:checked"] = [{ value: "1" }];
        const most = facts.rows.points[1], points = [[0.5, 0.5, 1], [-0.2, 0, 0]];
        const editor = begin({ kind: "run", id: "draw" }, { problem: "points", points }, {});
        const put = (x, y, other) => { made.length = 0; editor.point(x, y, other);
          return made[0] ?? null; };
        const tried = [put(0.12345, -1, false), put(1, 1.0001, false), put(-1.0001, 0), put(0,
          0.3, true),
          put(0.5, 0.544), put(0.5, 0.546), put(-0.2 + 0.044, 0)];
        app.setting.points = Array.from({ length: most }, (_, i) => [i / most - 0.5, -0.9, 0]);
        const full = put(0.9, 0.9), words = said.length;
        app.setting.points = app.setting.points.slice(1);
        const last = put(0.9, 0.9).length;
        // by keyboard, a twentieth at a time
        app.setting.points = [];
        const press = (key, more = {}) => editor.key({ key, preventDefault: () => {},
          stopPropagation: () => {}, ...more });
        const cursors = [];
        for (const key of ["Enter", "ArrowRight", "ArrowUp", "Enter"]) { made.length = 0;
          press(key); }
        const typed = made[0];
        for (let k = 0; k < 50; k += 1) press("ArrowLeft");
        const least = [...editor.cursor];
        for (let k = 0; k < 50; k += 1) press("ArrowDown");
        for (let k = 0; k < 50; k += 1) press("ArrowRight");
        const view = { around: 1, up: 0.2, turn(a, u) { this.around = a; this.up = u; } };
        const globe = begin({ kind: "run", id: "solve" }, { problem: "cube" }, { dim: 3,
          fitness: {} }, view);
        globe.down(at(0.1, 0.1));
        globe.move(at(0.4, -0.1));
        const turned = [view.around, view.up];
        globe.up();
        globe.move(at(0, 0));
        return { found, tried, full, words, last, typed, least, corner: editor.cursor, turned,
          after: [view.around, view.up], most };""",
        kinds,
    )
    assert found["found"] == [kind for *_, kind in kinds]
    old = [[0.5, 0.5, 1], [-0.2, 0, 0]]
    below, above, left, other, near, apart, second = found["tried"]
    assert below == [*old, [0.123, -1, 1]]
    assert above is left is None
    assert other == [*old, [0, 0.3, 0]]
    assert near == old[1:]
    assert apart == [*old, [0.5, 0.546, 1]]
    assert second == old[:1]
    assert found["full"] is None
    assert found["words"] == 1
    assert found["last"] == found["most"]
    assert found["typed"] == [[0.05, 0.05, 1]]
    assert found["least"] == pytest.approx([-1, 0.05])
    assert found["corner"] == pytest.approx([1, -1])
    # the sphere follows the finger
    assert found["turned"] == pytest.approx([1 - 0.3, 0.2 + 0.2])
    assert found["after"] == found["turned"]


# ---- the page


def test_the_app_knows_what_is_known_and_moves_around_its_scenes(page):
    """Exact answers for one plain neuron on the circle without restarts; seeds go round."""
    one = {"problem": "quarter", "neurons": 1, "dim": 2, "resolution": 123}
    others = [{}, {"neurons": 2}, {"dim": 3}, {"bias": False}, {"neuron": "bent"},
              {"restarts": 1}, {"stagnation": 5}]  # fmt: skip
    found = page(
        ["app/app.js", "app/run.js"],
        DOCUMENT
        + """const { App } = modules["app/app.js"];
        const { RATES } = modules["app/run.js"];
        globalThis.location = { hash: "" };
        return (async () => {
          const asked = [], changed = [], out = {};
          const app = Object.assign(Object.create(App.prototype), { facts, say: () => {},
            change: (part) => changed.push(part), showSetting: () => {},
            server: { served: true, ask: async (what, question) => { asked.push(what);
              return question; } } });
          const [one, others] = given, whole = (part) => ({ ...facts.defaults, ...one, ...part });
          out.exact = [];
          for (const part of others) out.exact.push((await app.exact(whole(part))) !== null);
          out.unasked = await app.exact(whole({}), false);
          const known = facts.exact[0];
          const stored = whole({ problem: known.problem, mutation: known.mutation,
            resolution: known.resolution });
          out.stored = [await app.exact(stored, false) === known];
          app.server.served = false;
          out.alone = [await app.exact(whole({})), await app.exact(stored) === known];
          const laws = ["harmonic", "harmonics", "pareto:shape=2", "cauchy", "powers", "local",
            "levy:x=1"];
          out.offline = (await Promise.all(laws.map((mutation) => app.law({
            mutation })))).map((one) => one !== null);
          app.server.served = true;
          out.laws = (await Promise.all(laws.map((mutation) => app.law({
            mutation })))).map((one) => one !== null);
          const [low, high] = facts.ranges.seed;
          for (const seed of [low, high - 1, high]) { app.setting = { seed }; app.nextSeed(); }
          out.seeds = [low, high, changed.map(({ seed }) => seed)];
          out.next = facts.scenes.map((scene) => { app.scene = scene; app.onward();
            return location.hash; });
          out.rates = [...RATES, 12345].map((rate) => { app.setRate(rate);
            return RATES.indexOf(app.rate); });
          changed.length = 0;
          app.lanes = ["local"];
          app.setLanes([]);
          out.lanes = [app.lanes, changed.length];
          app.setLanes(["harmonic", "local"]);
          out.lanes.push(app.lanes, changed.length);
          out.ended = [["run", { search: null }], ["run", { search: { ended: "" } }],
            ["run", { search: { ended: "stuck" } }]].map(([kind, run]) =>
            (Object.assign(app, { scene: { kind }, run }), app.hasEnded));
          for (const ended of [true, false]) {
            Object.assign(app, { scene: { kind: "race" }, race: { ended } });
            out.ended.push(app.hasEnded);
          }
          app.scene = { kind: "rule" };
          out.ended.push(app.hasEnded);
          return out;
        })();""",
        one,
        others,
    )
    assert found["exact"] == [True] + [False] * 6
    assert found["unasked"] is None
    assert found["stored"] == [True]
    assert found["alone"] == [None, True]
    assert found["offline"] == [False] * 7
    assert found["laws"] == [False, True, False, False, True, False, True]
    low, high, seeds = found["seeds"]
    assert seeds == [low + 1, high, low]
    names = [f"scene={scene['id']}" for scene in FACTS["scenes"]]
    assert found["next"] == [*names[1:], names[0]]
    assert found["rates"] == [*range(9), 0]
    assert found["lanes"] == [["local"], 0, ["harmonic", "local"], 1]
    assert found["ended"] == [False, False, True, True, False, False]


def test_pictures_follow_each_other_within_a_quarter_of_a_second(page):
    found = page(
        ["app/app.js"],
        DOCUMENT
        + """const { App } = modules["app/app.js"];
        const passed = [];
        let drawn = 0;
        const current = { tick: (now, more) => passed.push(more), draw: () => { drawn += 1; } };
        const app = Object.create(App.prototype, { current: { value: current } });
        Object.assign(app, { frames: [], share: { show: () => {} }, scene: { kind: "run" } });
        const kept = [];
        for (const [now, stale] of [[100, true], [116, false], [366, true], [1000, true], [1100,
          true],
          [1116.5, false], [2101, true]]) {
          app.stale = stale;
          try { app.tick(now); } catch { /* what is beside the picture */ }
          kept.push(app.frames.length);
        }
        return [passed, kept];""",
    )
    assert found[0] == [0, 16, 250, 250, 100, 16.5, 250]
    # of the last second, both ends
    assert found[1] == [1, 2, 3, 4, 5, 4, 2]


def test_all_laws_outputs_and_neurons_have_words(page):
    found = page(
        ["app/words.js"],
        """const words = modules["app/words.js"];
        const own = { laws: { levy: { summary: "S" } }, outputs: { most: "M" }, neurons: {
          odd: "O" } };
        return [Object.keys(facts.laws).map((law) => [law, words.lawWords(law, facts),
            words.lawWords(`${law}:x=1`, facts)]),
          [words.lawWords("levy:a=1", own), words.lawWords("none", own), words.lawWords("local",
            own)],
          Object.keys(facts.outputs).map((name) => words.outputMeaning(name, facts)),
          Object.keys(facts.neurons).map((name) => words.neuronMeaning(name, facts)),
          [words.outputMeaning("most", own), words.neuronMeaning("odd", own),
            words.plainName("a_b_c")],
          words.LAW_WORDS];""",
    )
    laws, own, outputs, neurons, rest, table = found
    for law, plain, given in laws:
        assert plain == given == table.get(law, FACTS["laws"][law]["summary"])
        assert plain
    assert own == ["S", "", table["local"]]
    assert len(set(outputs)) == len(FACTS["outputs"])
    assert len(set(neurons)) == len(FACTS["neurons"])
    assert all([*outputs, *neurons])
    assert rest == ["M", "O", "a b c"]


def test_work_is_done_here_where_workers_are_missing_or_fail(page):
    """Every job is heard once, by its number; after a stop nothing more is heard."""
    found = page(
        ["app/work.js"],
        """const { Pool } = modules["app/work.js"];
        const setting = { ...facts.defaults, problem: "quarter", neurons: 1, resolution: 24 };
        const jobs = [[0, 2], [2, 3], [3, 6]].map(([first, last]) =>
          ({ setting, law: null, first, last, facts }));
        Object.defineProperty(globalThis, "navigator",
          { value: { hardwareConcurrency: 4 }, configurable: true });
        const run = async () => {
          const heard = [];
          const all = await new Pool("").run("race", jobs, (part, i) => heard.push([i, part.run,
            part.evaluations]));
          return [all, heard.sort((a, b) => a[1] - b[1])];
        };
        return (async () => {
          const without = await run();
          let made = 0;
          globalThis.Worker = class {
            constructor() { made += 1; this.broken = made === 1; }
            postMessage({ job, kind, id }) {
              queueMicrotask(() => {
                if (this.broken) { this.onerror({ preventDefault: () => {} }); return; }
                for (let run = job.first; run < job.last; run += 1)
                  this.onmessage({ data: { id, part: { run, evaluations: -1, success: true } } });
                this.onmessage({ data: { id, done: true } });
              });
            }
            terminate() {}
          };
          const broken = await run();
          const pool = new Pool(""), heard = [];
          const stopped = pool.run("race", jobs, (part) => { heard.push(part); pool.stop(); });
          return [without, broken, made, await stopped, heard.length];
        })();""",
    )
    (all_done, heard), (also, mixed), made, stopped, after = found
    assert all_done is also is True
    assert [row[:2] for row in heard] == [[0, 0], [0, 1], [1, 2], [2, 3], [2, 4], [2, 5]]
    assert [row[:2] for row in mixed] == [row[:2] for row in heard]
    # three jobs, three of the four processors
    assert made >= 3
    assert any(time == -1 for *_, time in mixed)
    assert stopped is False
    assert after == 1


def test_sines_are_exact_where_arcs_of_problems_end_and_right_elsewhere(page):
    sizes = [4, 12, 24, 60, 97, 1000]
    found = page(
        ["engine/fitness.js"],
        """const { cosSin } = modules["engine/fitness.js"];
        return given[0].map((r) => Array.from({ length: r }, (_, phi) => cosSin(phi, r)));""",
        sizes,
    )
    for r, pairs in zip(sizes, found, strict=True):
        for phi, (cosine, sine) in enumerate(pairs):
            assert [cosine, sine] == pytest.approx(
                [math.cos(2 * math.pi * phi / r), math.sin(2 * math.pi * phi / r)], abs=2e-15
            )
            if 4 * phi % r == 0:
                assert {abs(cosine), abs(sine)} == {0, 1}
            if 12 * phi % r == 0 and 4 * phi % r:
                assert 0.5 in (abs(cosine), abs(sine))
            if 8 * phi % r == 0 and 4 * phi % r:
                assert abs(cosine) == abs(sine)


def test_canvases_have_the_pixels_of_the_screen_up_to_two_each(page):
    found = page(
        ["draw/paint.js"],
        RECORDER
        + """const { fit, frame, mix, pixelRatio } = modules["draw/paint.js"];
        return [[1, 1.5, 2, 3, undefined].map((ratio) => {
          window.devicePixelRatio = ratio;
          const canvas = sheet(101, 50), { width, height } = fit(canvas);
          return [pixelRatio(), canvas.width, canvas.height, width, height];
        }), frame({ width: 300, height: 200 }, 1.25), frame({ width: 90, height: 200 }, 1),
          mix([0, 100, 10], [10, 0, 10], 0.25)];""",
    )
    assert found[0] == [[1, 101, 50, 101, 50], [1.5, 152, 75, 101, 50], [2, 202, 100, 101, 50],
                        [2, 202, 100, 101, 50], [1, 101, 50, 101, 50]]  # fmt: skip
    assert found[1:] == [{"x": 150, "y": 100, "unit": 80}, {"x": 45, "y": 100, "unit": 45},
                         [2.5, 75, 10]]  # fmt: skip


def test_what_is_told_changes_with_the_second_evaluation_and_the_first_without_a_rise(page):
    found = page(
        ["app/story.js"],
        """const { knownText, newsOf } = modules["app/story.js"];
        const search = (given) => ({ ended: "", evaluations: 9, restarts: 0, idle: 0, share: 0.75,
          genome: [0], task: { budget: 100, setting: { mutation: "local" } }, ...given });
        const tell = (given) => newsOf(search(given), { playing: true, stalled: false }).text;
        const stalled = given[0].map((law) => newsOf(search({ idle: 7, task: { law } }),
          { stalled: true }).text.includes("sooner or later"));
        return [[1, 2, 3].map((evaluations) => tell({ evaluations })),
          [0, 1, 2].map((idle) => tell({ idle })), stalled,
          [1, 1 - 1e-9, 0].map((probability) => knownText(search({}), null,
            { probability, mean: 12 }).includes("%"))];""",
        [
            {"kind": "blocks", "weights": [1, 0]},
            {"kind": "constant"},
            {"kind": "uniform"},
            {"kind": "table", "weights": [2, 1]},
            {"kind": "table", "weights": [1, 0]},
        ],
    )
    first, second, third = found[0]
    assert first != second == third
    now, once, twice = found[1]
    assert now == second
    assert "1 evaluation ago" in once
    assert "2 evaluations ago" in twice
    assert found[2] == [True, False, True, True, False]
    assert found[3] == [False, True, True]
