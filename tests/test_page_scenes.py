"""What the scenes of the play page compute and tell, in Node: rules, links, lines, numbers."""

import math
import re
from itertools import pairwise

import numpy as np
import pytest
from exported import NODE
from page_in_node import page_runner

import hyperna
from hyperna.classifier.rules import Condition, Rule
from hyperna.fitness import Fitness, fitness_of
from hyperna.play.exact import pack
from hyperna.play.facts import page_facts
from hyperna.play.settings import PlaySetting

pytestmark = pytest.mark.skipif(NODE is None, reason="needs Node")

FACTS = page_facts()
DEFAULTS = FACTS["defaults"]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return page_runner(tmp_path_factory.mktemp("page"))


# ---- rules


def python_rule(rule):
    """A rule of the page as hyperna has it."""
    conditions = tuple(
        Condition(
            tuple(one["features"]), tuple(one["weights"]), one["threshold"], 1.0,
            (1.0,) * len(one["features"]),
        )
        for one in rule["conditions"]
    )  # fmt: skip
    return Rule(conditions, rule["quorum"], 1.0, 0.0, 0.5)


def search_paths(page, tables, parts):
    """For each table the first so many parts of the search for its path."""
    return page(
        ["rules/path.js", "rules/readable.js"],
        """const { searchPath } = modules["rules/path.js"];
        const { holds } = modules["rules/readable.js"];
        const [tables, parts] = given;
        return tables.map((points) => {
          const found = [], search = searchPath(points, 1);
          for (let next = search.next(); !next.done; next = search.next()) {
            const { share, path } = next.value;
            const told = path.map((rule) => points.map((point) => holds(rule, point)));
            found.push({ share, path, told });
            if (found.length === parts) break;
          }
          return found;
        });""",
        tables,
        parts,
    )


def test_rules_of_a_path_answer_as_told_and_more_terms_make_fewer_errors(page):
    """With a feature that never changes, colours in balance, and one of them in the majority."""
    rng = np.random.default_rng(5)
    X = np.column_stack([rng.normal(50, 20, 24), rng.normal(0, 0.01, 24)])
    tables = [
        np.column_stack([X, X[:, 0] > 50]),
        np.column_stack([X, (X[:, 0] > 50) ^ (X[:, 1] > 0)]),
        np.column_stack([X[:, 0], np.full(24, 3.0), X[:, 0] > 60]),
        np.column_stack([X, np.arange(24) % 2]),
        np.column_stack([X, np.arange(24) % 3 > 0]),
        np.column_stack([X, np.arange(24) % 3 == 0]),
    ]
    for table, parts in zip(
        tables, search_paths(page, [one.tolist() for one in tables], 24), strict=True
    ):
        labels = table[:, -1] == 1
        shares = [part["share"] for part in parts]
        assert shares == pytest.approx(np.arange(1, 25) / (4 * 7 * 6))
        path = parts[-1]["path"]
        first = path[0]
        assert (first["terms"], first["conditions"]) == (0, [])
        assert first["errors"] == min(labels.sum(), (~labels).sum())
        for before, after in pairwise(path):
            assert before["terms"] < after["terms"]
            assert before["errors"] > after["errors"]
        for rule, told in zip(path, parts[-1]["told"], strict=True):
            made = python_rule(rule)
            assert made.terms == rule["terms"]
            assert made.holds(table[:, :-1]).tolist() == told
            assert np.count_nonzero(np.array(told) != labels) == rule["errors"]
        # what was found is not lost
        for earlier, later in pairwise(parts):
            for rule in earlier["path"]:
                least = [r["errors"] for r in later["path"] if r["terms"] <= rule["terms"]]
                assert min(least) <= rule["errors"]
        assert path[-1]["errors"] < first["errors"]
    # equally many of both colours: the answer without a term is yes
    assert search_paths(page, [tables[3].tolist()], 1)[0][0]["told"][0] == [True] * 24


def test_a_search_for_rules_ends_when_all_of_its_work_is_done(page):
    (parts,) = search_paths(page, [[[0, 0, 0], [1, 1, 1]]], 10_000)
    assert parts[-1]["share"] == 1
    assert [rule["errors"] for rule in parts[-1]["path"]] == [1, 0]


def test_bits_of_a_rule_are_those_of_the_formula(page):
    """Of rules with equal bits the first is taken; no error and nothing but errors take no bits."""
    points = [[0.0, 0.0, 0.0, 0]] * 64
    rules = [
        {"terms": terms, "errors": errors, "conditions": [{}] * conditions}
        for terms, errors, conditions in [(0, 20, 0), (1, 8, 1), (3, 8, 2), (2, 0, 2), (0, 64, 0)]
    ]
    twice = [rules[1], rules[3], rules[3], rules[2]]
    bits, shortest = page(
        ["rules/path.js"],
        """const { descriptionLength, shortestRule } = modules["rules/path.js"];
        const [rules, points, paths] = given;
        return [rules.map((rule) => descriptionLength(rule, points)),
          paths.map((path) => shortestRule(path, points))];""",
        rules,
        points,
        [rules[:4], twice, rules[:1]],
    )
    wanted = []
    for rule in rules:
        p = rule["errors"] / 64
        surprise = -sum(share * math.log2(share) for share in (p, 1 - p) if share > 0)
        told = rule["terms"] * (math.log2(3) + 3) + len(rule["conditions"]) * 3
        wanted.append(64 * surprise + told)
    assert bits == pytest.approx(wanted, abs=1e-9)
    assert shortest == [int(np.argmin(wanted[:4])), 1, 0]


@pytest.mark.parametrize("join", ["and", "or", "two", "xor"])
def test_networks_of_rules_keep_their_form(page, join):
    """Unit vectors, planes through the ball; "two of them" needs two. Starts go through points."""
    rng = np.random.default_rng(3)
    points = rng.uniform(-0.5, 0.5, (30, 3))
    labels = (points[:, 0] > 0.1).astype(int)
    found = page(
        ["rules/evolve.js", "engine/random.js"],
        """const { evolve, randomNetwork } = modules["rules/evolve.js"];
        const { Stream } = modules["engine/random.js"];
        const [columns, labels, join] = given, stream = new Stream(5, 0);
        const copy = ({ neurons }) => neurons.map(({ w, t }) => [[...w], t]);
        const start = randomNetwork({ columns, labels }, join, 3, stream), heard = [];
        const before = copy(start);
        for (const termCost of [0, 32]) {
          evolve(start, { termCost, offspring: 4000, stream,
            found: (one) => heard.push(copy(one)) });
        }
        // one feature only: thresholds are all that moves
        const one = randomNetwork({ columns: columns.slice(0, 1), labels }, join, 3, stream);
        const errors = [];
        evolve(one, { termCost: 0, offspring: 4000, stream,
          found: (_, wrong) => errors.push(wrong) });
        return { before, after: copy(start), heard, errors };""",
        points.T.tolist(),
        labels.tolist(),
        join,
    )
    assert found["before"] == found["after"]
    for w, t in found["before"]:
        assert np.abs(points @ w - t).min() < 1e-12
    sizes, zeros = set(), set()
    for network in [found["before"], *found["heard"]]:
        sizes.add(len(network))
        for w, t in network:
            assert np.linalg.norm(w) == pytest.approx(1, abs=1e-9)
            assert abs(t) <= 1
            zeros.add(w.count(0))
    assert min(sizes) == (2 if join == "two" else 1)
    assert zeros == {0, 1, 2}
    assert found["errors"] == sorted(found["errors"], reverse=True)
    if join in ("and", "or"):
        assert found["errors"][-1] <= 2


def test_paths_tell_the_errors_of_their_rules_with_points_on_borders(page):
    """Half-spaces pass through points, and points are close to each other."""
    rng = np.random.default_rng(4)
    tables = [
        np.column_stack([np.round(rng.random((23, 2)) * [10, 7], 1), rng.random(23) < 0.5]).tolist()
        for _ in range(12)
    ]
    for table, parts in zip(tables, search_paths(page, tables, 20), strict=True):
        wanted = [row[2] == 1 for row in table]
        for part in parts:
            for rule, told in zip(part["path"], part["told"], strict=True):
                assert sum(a != b for a, b in zip(told, wanted, strict=True)) == rule["errors"]


def test_a_point_on_a_border_that_needs_all_digits_is_inside(page):
    w = [0.6123456789, 0.790569415]
    far = 1000 * w[0] / w[1]
    points = [[0, 0], [1000, -far - 1e-6], [-1000, far - 1e-6]]
    (found,) = page(
        ["rules/readable.js"],
        """const { holds, readable } = modules["rules/readable.js"];
        const [w, points] = given;
        const scaling = [{ mean: 0, factor: 1 }, { mean: 0, factor: 1 }];
        const rule = readable({ join: "and", neurons: [{ w, t: 0 }], terms: 2 }, scaling, points);
        return [points.map((point) => holds(rule, point))];""",
        w,
        points,
    )
    assert found == [True, False, False]


def test_readable_rules_answer_as_their_networks_and_say_what_they_do(page):
    """All joins of one to three half-spaces; the text, read again, holds where the rule does."""
    rng = np.random.default_rng(8)
    points = np.column_stack([rng.normal(3, 2, 40), rng.normal(-400, 90, 40)])
    scaling = [{"mean": 3.0, "factor": 0.1}, {"mean": -400.0, "factor": 0.002}]
    networks = []
    for join in ("and", "or", "two", "xor"):
        for size in (2, 3) if join == "two" else (1, 2, 3):
            for _ in range(4):
                w = rng.normal(size=(size, 2))
                w[rng.random((size, 2)) < 0.2] = 0
                w[~w.any(axis=1)] = [0, -1]
                w /= np.linalg.norm(w, axis=1, keepdims=True)
                t = rng.uniform(-0.3, 0.3, size)
                neurons = [{"w": u, "t": v} for u, v in zip(w.tolist(), t.tolist(), strict=True)]
                networks.append({"join": join, "neurons": neurons, "terms": int((w != 0).sum())})
    table = {"features": ["x", "y"], "unit": "cm", "classes": ["no", "yes"]}
    found = page(
        ["rules/readable.js"],
        """const { holds, readable, ruleText } = modules["rules/readable.js"];
        const [networks, scaling, points, table] = given;
        const of = (rule) =>
          ({ rule, told: points.map((point) => holds(rule, point)), text: ruleText(rule, table) });
        const constant = [0, 1].map((quorum) => of({ quorum, conditions: [] }));
        return [networks.map((one) => of(readable(one, scaling, points))), constant];""",
        networks,
        scaling,
        points.tolist(),
        table,
    )
    scaled = (points - [3.0, -400.0]) * [0.1, 0.002]
    for network, one in zip(networks, found[0], strict=True):
        fire = sum(scaled @ neuron["w"] >= neuron["t"] for neuron in network["neurons"])
        size = len(network["neurons"])
        wanted = {"and": fire == size, "or": fire > 0, "two": fire >= 2, "xor": fire % 2 == 1}
        assert one["told"] == wanted[network["join"]].tolist(), network
        assert one["rule"]["terms"] == network["terms"]
        # the same from the words alone
        count = sum(said(text, points) for text in one["text"]["conditions"])
        head = one["text"]["head"]
        assert head.startswith("yes")
        need = re.search(r"AT LEAST (\d)", head)
        heard = count >= 1
        if "ALL" in head:
            heard = count == size
        elif "EXACTLY ONE" in head or "ODD" in head:
            assert ("EXACTLY ONE" in head) == (size == 2)
            heard = count % 2 == 1
        elif need:
            heard = count >= int(need[1])
        else:
            assert ("ANY" in head) == (size > 1)
        assert heard.tolist() == one["told"], one
        assert "no" in one["text"]["rest"]
    always, never = found[1]
    assert always["told"] == [True] * 40
    assert never["told"] == [False] * 40
    assert always["text"]["head"].endswith("yes")
    assert never["text"]["head"].endswith("no")


def said(text, points):
    """Where a condition such as "2 x − 0.3 y < −5 cm" holds."""
    left, relation, right = re.fullmatch(r"(.*) ([<>]) (\S+) cm", text.replace("−", "-")).groups()
    assert not left.startswith("-")
    code = re.sub(r"([\d.]) ([xy])", r"\1 * \2", left)
    total = eval(code, {"x": points[:, 0], "y": points[:, 1]})
    return total < float(right) if relation == "<" else total > float(right)


# ---- links and settings


def test_links_keep_every_setting_and_moment(page):
    rule, race = (
        next(s["id"] for s in FACTS["scenes"] if s["kind"] == k) for k in ("rule", "race")
    )
    changed = {
        "problem": "custom_arcs", "dim": 3, "k": 5, "arcs": [[10, 55], [100, 370]],
        "points": [[-0.5, 0.25, 1], [0, 1e-3, 0]], "neurons": 4, "neuron": "bent", "output": "xor",
        "resolution": 60, "mutation": "pareto:shape=1.5,scale=2", "bias": False, "seed": 4294967295,
        "restarts": 7, "stagnation": 100,
    }  # fmt: skip
    assert set(changed) == set(DEFAULTS)
    cases = [
        (FACTS["scenes"][0]["id"], changed, {}),
        (FACTS["scenes"][0]["id"], {}, {"at": 999_999_999_999_999, "theme": "dark", "bare": True}),
        (
            race,
            {"arcs": [], "seed": 3},
            {"lanes": "local_and_power_law_and_cauchy", "theme": "light"},
        ),
        (rule, {"points": [[0.1, 0.2, 1]]}, {"table": "points", "terms": 2}),
        (FACTS["scenes"][1]["id"], {"bias": False}, {"again": "5_70_123", "at": 200}),
    ]
    found = page(
        ["app/link.js"],
        """const { readLink, writeLink } = modules["app/link.js"];
        return given[0].map(([id, changed, others]) => {
          const scene = facts.scenes.find((one) => one.id === id);
          const setting = { ...facts.defaults, ...scene.setting, ...changed };
          const link = writeLink(scene, setting, facts, others);
          const { scene: read, ...rest } = readLink(link, facts);
          return [read.id, rest];
        });""",
        cases,
    )
    usual = {"at": 1, "again": [], "lanes": None, "table": None, "terms": None, "theme": None}
    for (scene, setting, others), (read, rest) in zip(cases, found, strict=True):
        wanted = {**usual, "bare": False, **others, "setting": setting}
        if "again" in others:
            wanted["again"] = [5, 70, 123]
        if "lanes" in others:
            wanted["lanes"] = ["local", "power_law", "cauchy"]
        assert read == scene
        assert rest == wanted


def test_links_with_wrong_parts_are_refused_by_name(page):
    good = [
        "",
        "#",
        "seed=1",
        "#bias=true&arcs=",
        "#table=points",
        f"#table={next(iter(FACTS['tables']))}",
    ]
    bad = {
        "scene=nowhere": "scene", "bias=yes": "bias", "bias=": "bias", "seed=": "seed",
        "seed=1.5": "seed", "seed=-1": "seed", "at=1e3": "at", "at=1234567890123456": "at",
        "terms=x": "terms", "again=3_": "again", "again=": "again", "arcs=1_2_3": "arcs",
        "arcs=1": "arcs", "arcs=1_x": "arcs", "arcs=1_2~": "arcs", "points=1_2": "points",
        "table=none": "table", "theme=red": "theme", "unknown=1": "unknown",
    }  # fmt: skip
    found = page(
        ["app/link.js"],
        """const { readLink } = modules["app/link.js"];
        return given[0].map((hash) => {
          try { readLink(hash, facts); return null; } catch (error) { return error.message; }
        });""",
        [*good, *(f"#{text}" for text in bad)],
    )
    assert found[: len(good)] == [None] * len(good)
    for name, message in zip(bad.values(), found[len(good) :], strict=True):
        assert message is not None, name
        assert name in message


def test_settings_are_refused_where_hyperna_refuses_them(page):
    """All ranges at their ends and just beyond; rows of each length; kinds that do not exist."""
    given = [{}, {"mutation": "local"}]
    for name, (low, high) in FACTS["ranges"].items():
        given += [{name: value} for value in (low - 1, low, high, high + 1, low + 0.5)]
    largest = FACTS["largest_bent"]
    given += [{"neuron": "bent", "resolution": size} for size in (4, largest, largest + 1)]
    for name in ("problem", "output", "neuron"):
        given.append({name: "none"})
    given += [{"output": one} for one in FACTS["outputs"]]
    given += [{"bias": value} for value in (True, False, 1, "true")]
    for name, (width, most) in FACTS["rows"].items():
        row = [0, 1, 1][:width]
        given += [{name: [row] * count} for count in (0, 1, most, most + 1)]
        given += [{name: [row[:-1]]}, {name: [[*row, 1]]}]
    given += [{"points": [[x, 0, 1]]} for x in (1e4, 10_001, -1e4, -10_001)]
    found = page(
        ["app/settings.js"],
        """const { checked } = modules["app/settings.js"];
        return given[0].map((setting) => {
          try { return checked(setting, facts); } catch { return null; }
        });""",
        given,
    )
    for setting, one in zip(given, found, strict=True):
        try:
            _ = PlaySetting.from_json(setting).algorithm
        except (ValueError, TypeError):
            assert one is None, setting
        else:
            assert one is not None, setting
            assert one == {**{k: _listed(v) for k, v in DEFAULTS.items()}, **setting}
    assert None in found


def _listed(value):
    return [list(row) for row in value] if isinstance(value, tuple) else value


def test_arcs_are_refused_where_hyperna_refuses_them(page):
    arcs = [[0, 0], [10, 9], [0, 1], [0, 359], [0, 360], [5, 365], [350, 370], [0.5, 20], [0, 400]]
    found = page(
        ["app/settings.js"],
        """const { checked } = modules["app/settings.js"];
        return given[0].map((arc) => {
          try { return Boolean(checked({ arcs: [arc] }, facts)); } catch { return false; }
        });""",
        arcs,
    )
    assert found == [False, False, True, True, False, False, True, False, False]
    for arc, good in zip(arcs, found, strict=True):
        if good:
            assert PlaySetting.from_json({"problem": "custom_arcs", "arcs": [arc]}).task


def test_a_chosen_problem_gets_neurons_that_can_learn_it(page):
    most = FACTS["ranges"]["neurons"][1]
    arcs = [[30 * i, 30 * i + 9] for i in range(12)]
    cases = [
        ({"k": 5}, "arcs", {"neurons": 5}),
        ({"k": most}, "arcs", {"neurons": most}),
        ({"k": 12}, "arcs", {"neurons": most}),
        ({"arcs": arcs[:2]}, "custom_arcs", {"neurons": 2}),
        ({"arcs": arcs}, "custom_arcs", {"neurons": most}),
        ({"neurons": 1, "dim": 3}, "points", {"dim": 2, "neurons": 3}),
        ({"neurons": 6}, "points", {"dim": 2, "neurons": 6}),
        ({}, "cube", {"dim": 3, "neurons": 4}),
        ({"neurons": 5}, "quarter", {"neurons": 1}),
        ({"neurons": 5}, "two_quarters", {"neurons": 2}),
    ]
    found = page(
        ["app/settings.js"],
        """const { withProblem } = modules["app/settings.js"];
        return given[0].map(([setting, name]) =>
          withProblem(name, { ...facts.defaults, ...setting }, facts));""",
        [case[:2] for case in cases],
    )
    for (_, name, wanted), one in zip(cases, found, strict=True):
        assert one == {"problem": name, **wanted}


def test_arcs_drawn_by_hand_are_whole_degrees_and_not_too_short(page):
    arcs = [[100.4, 160.2], [-10, 20], [719.6, 730], [50, 53], [70, 72.4], [3, 363], [200, 190]]
    (found,) = page(["app/edit.js"], "return [modules['app/edit.js'].tidy(given[0])];", arcs)
    assert found == [[0, 10], [3, 360], [50, 53], [100, 160], [350, 380]]


def test_an_arc_whose_end_is_typed_stays_and_leads_from_its_start_to_its_end(page):
    arcs = [[0, 90], [120, 200]]
    cases = [(side, degrees) for side in (0, 1) for degrees in range(0, 720, 7)]
    found = page(
        ["app/edit.js"],
        """const { withEnd } = modules["app/edit.js"];
        const [arcs, cases] = given;
        return cases.map(([side, degrees]) => withEnd(arcs, 0, side, degrees));""",
        arcs,
        cases,
    )
    for (side, degrees), made in zip(cases, found, strict=True):
        start, end = (degrees, 90) if side == 0 else (0, degrees)
        length = end - start if end > start else 360 - (start - end) % 360
        wanted = [start % 360, start % 360 + min(max(length, 3), 357)]
        assert made == sorted([wanted, [120, 200]])


# ---- Python lines

LINES = [
    {"problem": "quarter", "neurons": 1},
    {"problem": "two_quarters", "neurons": 2, "output": "and", "stagnation": 50},
    {"problem": "two_quarters", "neurons": 3, "output": "xor", "bias": False, "restarts": 4},
    {"problem": "arcs", "k": 4, "neurons": 4, "output": "evolved", "stagnation": 9, "restarts": 1},
    {"problem": "arcs", "k": 2, "dim": 3, "neurons": 2, "output": "xor", "bias": False},
    {"problem": "quarter", "dim": 3, "neurons": 2, "output": "and"},
    {"problem": "quarter", "dim": 3, "neurons": 1},
    {"problem": "quarter", "neurons": 1, "neuron": "bent", "resolution": 60, "bias": False},
    {"problem": "quarter", "neurons": 1, "neuron": "bent", "resolution": 60},
    {"problem": "custom_arcs", "arcs": [[10, 55], [300, 380]], "mutation": "pareto:shape=2"},
    {"problem": "custom_arcs", "arcs": [[10, 55], [100, 230]], "dim": 3, "mutation": "local"},
    {"problem": "cube", "dim": 3, "neurons": 4, "output": "evolved"},
    {"problem": "cube", "dim": 3, "neurons": 3, "output": "xor"},
    {"problem": "cube", "dim": 2, "neurons": 1, "output": "evolved"},
    {"problem": "points", "points": [[0.1, -0.2, 1], [0.3, 1e-3, 0]], "neurons": 1},
    {"problem": "points", "points": [[0.1, -0.2, 1], [0.3, 0.1, 1]], "neurons": 2},
]


@pytest.mark.parametrize("kind", ["run", "race"])
def test_python_lines_ask_for_what_the_page_does(page, kind, monkeypatch, capsys):
    """Problem, algorithm and what ends a run; the algorithm itself is not run."""
    settings = [{**DEFAULTS, **given, "seed": 7} for given in LINES]
    lanes = ["harmonic", "power_law:exponent=2"]
    found = page(
        ["app/python.js", "engine/task.js"],
        """const { raceLines, runLines } = modules["app/python.js"];
        const { taskOf } = modules["engine/task.js"];
        const [settings, kind, lanes] = given;
        return settings.map((setting) => {
          const task = taskOf(setting, facts);
          return kind === "run" ? runLines(setting, task, facts)
            : raceLines(setting, task, facts, lanes, 30);
        });""",
        settings,
        kind,
        lanes,
    )
    asked = []

    class Answer:
        stop_reason = evaluations = network = success = np.zeros(1)

    def answer(self, problem, **options):
        asked.append((self, problem, options))
        return Answer()

    monkeypatch.setattr(hyperna.OnePlusOneNA, "run", answer)
    monkeypatch.setattr(hyperna.OnePlusOneNA, "run_many", answer)
    for setting, lines in zip(settings, found, strict=True):
        asked.clear()
        exec(lines, {})
        mutations = [setting["mutation"]] if kind == "run" else lanes
        assert len(asked) == len(mutations)
        for mutation, (algorithm, problem, options) in zip(mutations, asked, strict=True):
            wanted = PlaySetting.from_json({**setting, "mutation": mutation})
            assert _description(algorithm) == _description(wanted.algorithm), lines
            fitness = wanted.fitness
            made = problem if isinstance(problem, Fitness) else fitness_of(problem)
            assert _same_fitness(made, fitness), lines
            assert options.pop("seed") == 7
            if kind == "race":
                assert options.pop("runs") == 30
            task, other = algorithm.task(made, **options), wanted.task
            assert int(task.goal.score) == int(other.goal.score), lines
            assert (task.goal.optima is None) == (other.goal.optima is None)
            assert task.budget == other.budget
            assert str(task.limits) == str(other.limits), lines
    capsys.readouterr()


def _description(algorithm):
    told = vars(algorithm).copy()
    if told["neurons"] == 1:
        told.pop("output")  # one neuron is not joined with others
    return {name: str(value) for name, value in told.items()}


def _same_fitness(one, other):
    """Equal scores of some networks."""
    if type(one) is not type(other):
        return False
    dim = one.problem.dim if hasattr(one, "problem") else one.dim
    grid = hyperna.Grid(dim, neurons=2, resolution=24)
    rng = np.random.default_rng(0)
    for _ in range(20):
        network = hyperna.Network(grid, rng.integers(0, grid.moduli))
        if one.score(network) != other.score(network):
            return False
    return True


def test_python_lines_of_a_table_load_its_points_and_labels(page):
    own = {"points": [[0.5, -1, 1], [0.25, 2, 0]], "classes": ["no", "yes"], "features": ["x", "y"]}
    found = page(
        ["app/python.js"],
        """const { ruleLines } = modules["app/python.js"];
        return [...Object.entries(facts.tables), ["points", given[0]]].map(([name, table]) =>
          [name, table, ruleLines(name, table, { seed: 5, terms: 3 }),
            ruleLines(name, table, { seed: 5 })]);""",
        own,
    )
    for name, table, lines, without in found:
        before, after = lines.split("classifier = ")
        names = {}
        exec(before, names)
        rows = np.array(table["points"], dtype=float)
        assert np.allclose(names["X"], rows[:, :2], rtol=0, atol=1e-2), name
        labels = list(names["y"])
        positive = table["classes"][1] if isinstance(labels[0], str) else 1
        assert [label == positive for label in labels] == (rows[:, 2] == 1).tolist(), name
        assert "random_state=5" in after
        assert ".at(3)" in after
        assert ".at(1)" in without
        assert all(feature in after for feature in table["features"])


# ---- numbers, colours and shapes


def test_numbers_are_written_with_the_digits_that_matter(page):
    calls = {
        ("whole", 0): "0", ("whole", 999.5): "1,000", ("whole", 1234567): "1,234,567",
        ("percent", 0): "0 %", ("percent", 1): "100.0 %", ("percent", 0.12345): "12.3 %",
        ("percent", 0.5, 0): "50 %", ("percent", 1e-9): "0.0 %",
        ("counted", 0, "term"): "0 terms", ("counted", 1, "term"): "1 term",
        ("counted", 1.2, "term"): "1 term", ("counted", 2, "term"): "2 terms",
        ("counted", 10_000, "term"): "10,000 terms",
        ("short", 9999): "9,999", ("short", 10_000): "10 k", ("short", 123_456): "123 k",
        ("short", 1_000_000): "1 M", ("short", 12_345_678): "12.3 M",
        ("digits", 0.1234): "0.12", ("digits", 9.994): "9.99", ("digits", 10): "10.0",
        ("digits", 99.94): "99.9", ("digits", 100): "100", ("digits", 12345.6): "12,346",
        ("asExactAs", 0, 1234.5): "1,235", ("asExactAs", 1, 3.14159): "3.1",
        ("asExactAs", 0.123, 3.14159): "3.14", ("asExactAs", 12, 314.159): "314",
        ("asExactAs", 9.9, 314.159): "314.2", ("asExactAs", 250, 1e6): "1,000,000",
        ("withError", 3.14159, 0.0123): "3.142 ± 0.012", ("withError", 1500, 20): "1,500 ± 20",
        ("decades", 1, 1): [1], ("decades", 1, 999): [1, 10, 100],
        ("decades", 1, 1000): [1, 10, 100, 1000],
        ("decades", 10, 100): [10, 100], ("decades", 11, 99): [],
        ("toBytes", "#ff8001"): [255, 128, 1], ("toBytes", "#00224e"): [0, 34, 78],
        ("heat", -1): [0, 34, 78], ("heat", 0): [0, 34, 78], ("heat", 1): [254, 232, 56],
        ("heat", 2): [254, 232, 56], ("heat", 0.5): [125, 124, 120],
        ("heat", 0.0625): [14.5, 46, 92.5],
        ("toColour", (1.4, 2.6, 255)): "rgb(1 3 255)",
    }  # fmt: skip
    found = page(
        ["draw/paint.js"],
        'return given[0].map(([name, ...values]) => modules["draw/paint.js"][name](...values));',
        [list(call) for call in calls],
    )
    assert dict(zip(calls, found, strict=True)) == calls


def area(polygon):
    x, y = np.array(polygon).T
    return 0.5 * abs(np.dot(x, np.roll(y, -1)) - np.dot(y, np.roll(x, -1)))


def test_cells_fill_the_square_and_know_the_neurons_that_fire_in_them(page):
    rng = np.random.default_rng(1)
    families = [[], [{"w": [1, 0], "b": 0}], [{"w": [0, 1], "b": 5}], [{"w": [1, 0], "b": -1}]]
    families += [[{"w": [1, 0], "b": 1}], [{"w": [1, 1], "b": 0}, {"w": [1, 1], "b": 0}]]
    for _ in range(12):
        turns = rng.uniform(0, 2 * np.pi, 4)
        families.append([{"w": [np.cos(t), np.sin(t)], "b": rng.uniform(-0.9, 0.9)} for t in turns])
    found = page(
        ["draw/plane.js"],
        """return given[0].map((lines) => {
          const cells = [];
          modules["draw/plane.js"].cells(lines, (polygon, mask) => cells.push([polygon, mask]));
          return cells;
        });""",
        families,
    )
    for lines, cells in zip(families, found, strict=True):
        assert sum(area(polygon) for polygon, _ in cells) == pytest.approx(4)
        for polygon, mask in cells:
            if area(polygon) < 1e-9:
                continue
            middle = np.mean(polygon, axis=0)
            fires = [np.dot(line["w"], middle) >= line["b"] for line in lines]
            assert mask == sum(1 << i for i, fire in enumerate(fires) if fire)
    clipped = page(
        ["draw/plane.js"],
        """const square = [[0, 0], [2, 0], [2, 2], [0, 2]];
        return [[1, true], [1, false], [0, true], [2, true], [3, true]].map(([t, above]) =>
          modules["draw/plane.js"].clip(square, [1, 0], t, above));""",
    )
    assert [area(one) if one else 0 for one in clipped] == pytest.approx([2, 2, 4, 0, 0])
    # what touches the line belongs to it
    assert sorted(set(map(tuple, clipped[3]))) == [(2, 0), (2, 2)]


CANVAS = """globalThis.document = { createElement: () => ({ getContext: () => ({
  createImageData: (w, h) => ({ data: new Uint8ClampedArray(4 * w * h) }), putImageData: () => {},
}) }) };
"""


@pytest.mark.parametrize("mutation", ["local", "cauchy"])
def test_local_and_global_optima_of_a_landscape_are_those_of_its_plateaus(page, mutation):
    """Networks next to each other in angle and bias, both of which go round."""
    setting = {**DEFAULTS, "problem": "local_opt", "neurons": 1, "mutation": mutation}
    setting["resolution"] = r = 24
    shares = np.linspace(0, 1, r * (r + 1))
    found = page(
        ["draw/landscape.js", "engine/fitness.js", "engine/task.js", "engine/success.js"],
        CANVAS
        + """const { Landscape } = modules["draw/landscape.js"];
        const { fitnessOf } = modules["engine/fitness.js"];
        const { isSuccess } = modules["engine/success.js"];
        const [setting, chances, r] = given;
        const task = modules["engine/task.js"].taskOf(setting, facts);
        const land = new Landscape(task, fitnessOf(task)), u = task.unit, succeeds = [];
        land.scores.forEach((score, i) => {
          const genome = [Math.floor(i / (r + 1)) * u, (i % (r + 1)) * u];
          succeeds.push(isSuccess(task, genome, score));
        });
        const places = [[0, 0], [u, 2 * u], [(r - 1) * u, r * u], [r * u - (u > 1 ? 1 : r * u), u]];
        const unknown = land.from(places[0]), states = places.map((genome) => land.state(genome));
        land.know({ mean: 5, probability: 0.5, chances });
        const chance = places.map((genome) => land.from(genome));
        land.know({ mean: 5, probability: 1, times: { most: 40, shares: chances } });
        const time = places.map((genome) => land.from(genome));
        return { scores: [...land.scores], local: land.local, global: land.global, succeeds,
          unknown, states, chance, time };""",
        setting,
        pack(shares),
        r,
    )
    scores = np.array(found["scores"]).reshape(r, r + 1)
    best = scores.max()
    wanted = {"local": set(), "global": set()}
    seen = np.zeros(scores.shape, bool)
    for start in np.ndindex(scores.shape):
        if seen[start]:
            continue
        members, around, stack = {start}, [], [start]
        while stack:
            here = stack.pop()
            for a in (-1, 0, 1):
                for b in (-1, 0, 1):
                    there = ((here[0] + a) % r, (here[1] + b) % (r + 1))
                    around.append(scores[there])
                    if scores[there] == scores[start] and there not in members:
                        members.add(there)
                        stack.append(there)
        for member in members:
            seen[member] = True
        if max(around) > scores[start]:
            continue
        numbers = {a * (r + 1) + b for a, b in members}
        good = scores[start] == best or any(found["succeeds"][number] for number in numbers)
        wanted["global" if good else "local"] |= numbers
    assert wanted["local"]
    assert {name: set(found[name]) for name in wanted} == wanted
    states = [0, r + 3, r * (r + 1) - 1, 1]
    assert found["states"] == states
    assert found["unknown"] is None
    for kind, most in (("chance", 1), ("time", 40)):
        assert [one["kind"] for one in found[kind]] == [kind] * 4
        values = [one["value"] for one in found[kind]]
        assert values == pytest.approx(most * shares[states], abs=most * 1e-5)


def test_clicks_choose_the_nearest_rule_and_moves_are_seen(page):
    """Rules lie in a row by their terms; a move is drawn where it began or would have ended."""
    found = page(
        ["draw/path.js", "draw/neurons.js"],
        """const { ruleAt } = modules["draw/path.js"];
        const path = [0, 1, 4].map((terms) => ({ terms, errors: 10 - terms }));
        const canvas = { clientWidth: 492, clientHeight: 200 }; // terms are 100 pixels apart
        const one = (w, b, theta = null) => ({ w, b, theta });
        const before = [one([1, 0], 0), one([0, 1], 0.5), one([0, 1], 0, 1), one([1, 0], 0.1)];
        const after = [one([1, 0], 0), one([0, 1], 0.25), one([0, 1], 0, 2), one([0, 1], 0.1)];
        const palette = { neurons: ["a", "b", "c", "d"], wrong: "red" };
        const { movedNeurons } = modules["draw/neurons.js"];
        const moved = (kept) => movedNeurons(before, after, kept, palette)
          .map(({ neuron, colour }) => [(kept ? before : after).indexOf(neuron), colour]);
        const clicks = [0, 64, 110, 118, 300, 330, 491].map((x) => ruleAt(canvas, path, x));
        return [clicks, moved(true), moved(false)];""",
    )
    assert found[0] == [0, 0, 0, 1, 1, 2, 2]
    assert found[1] == [[1, "b"], [2, "c"], [3, "d"]]
    assert found[2] == [[1, "red"], [2, "red"], [3, "red"]]


# ---- what is told, and work in the background


def test_news_of_a_run_name_its_numbers_and_what_can_be_done(page):
    found = page(
        ["app/story.js"],
        """const { newsOf, knownText } = modules["app/story.js"];
        const search = (given) => ({ ended: "", evaluations: 1234, restarts: 0, idle: 0,
          share: 0.75,
          neighbours: { count: 9 }, genome: [0, 0], ...given,
          task: { budget: 57000, goal: { text: "GOAL" }, law: given.law ?? { kind: "constant" },
            setting: { mutation: "local", stagnation: 300, ...given.setting } } });
        const tell = (given, more = {}) => newsOf(search(given), { playing: true, ...more });
        const long = { setting: { mutation: "harmonic" }, law: { kind: "blocks" } };
        const land = (value) => ({ from: () => ({ value }) });
        return {
          success: tell({ ended: "success", restarts: 2 }),
          peak: tell({ ended: "stuck", stuckOn: "peak" }),
          plateau: tell({ ended: "stuck", stuckOn: "plateau", ...long }),
          budget: tell({ ended: "budget" }), stagnation: tell({ ended: "stagnation" }),
          stalled: tell({ idle: 500 }, { stalled: true }),
          hope: tell({ idle: 500, ...long }, { stalled: true }),
          first: tell({ evaluations: 1 }), now: tell({}), ago: tell({ idle: 45 }),
          paused: tell({ idle: 45 }, { playing: false }),
          known: [
            knownText(search({ ended: "success" }), null, null), knownText(search({}), null, null),
            knownText(search({}), null, { probability: 0.5, mean: null }),
            knownText(search({}), land(0.25), { probability: 0.5, mean: null }),
            knownText(search({}), null, { probability: 1, mean: 115.19 }),
            knownText(search({}), land(42), { probability: 1, mean: 115.19 }),
          ],
        };""",
    )
    known = found.pop("known")
    acts = {name: [one["act"] for one in news["actions"]] for name, news in found.items()}
    assert acts == {
        "success": ["next", "onward"], "peak": ["next", "restart", "harmonic"],
        "plateau": ["next", "restart"], "budget": ["next", "restart"],
        "stagnation": ["next", "restart"], "stalled": ["wait", "next", "restart"],
        "hope": ["wait", "next", "restart"], "first": [], "now": [], "ago": [], "paused": [],
    }  # fmt: skip
    tones = {name: news["tone"] for name, news in found.items()}
    assert tones == {
        name: "good" if name == "success" else "warn" if made else "calm"
        for name, made in acts.items()
    }
    text = {name: news["text"] for name, news in found.items()}
    numbers = {name: re.findall(r"[\d,.]*\d", one) for name, one in text.items()}
    assert numbers == {
        "success": ["1,234", "2"], "peak": ["1,234", "8"], "plateau": ["1,234"],
        "budget": ["57,000", "75.0"], "stagnation": ["300", "75.0"], "stalled": ["500"],
        "hope": ["500"], "first": ["75.0"], "now": [], "ago": ["45"], "paused": ["45"],
    }  # fmt: skip
    assert text["hope"].startswith(text["stalled"])
    assert len(text["hope"]) > len(text["stalled"])
    assert text["paused"].endswith(text["ago"])
    assert text["paused"] != text["ago"]
    assert "GOAL" in known[0]
    assert [re.findall(r"[\d.]*\d", one) for one in known[1:]] == [
        [], ["50.0"], ["50.0", "25.0"], ["115"], ["115", "42.0"]
    ]  # fmt: skip


def test_workers_race_as_run_many_does(page):
    """Runs that are stuck or reach their limit count with all evaluations of the limit."""
    setting = {**DEFAULTS, "problem": "local_opt", "neurons": 1, "mutation": "local", "seed": 3}
    found = page(
        ["app/work.js"],
        """const heard = [];
        globalThis.self = { postMessage: (message) => heard.push(message) };
        modules["app/work.js"].answerJobs();
        const job = { setting: given[0], law: null, first: 2, last: 12, facts };
        globalThis.self.onmessage({ data: { id: 4, kind: "race", job } });
        return heard;""",
        setting,
    )
    assert {message["id"] for message in found} == {4}
    assert found.pop() == {"id": 4, "done": True}
    wanted = PlaySetting.from_json(setting)
    runs = wanted.algorithm.run_many(wanted.fitness, runs=12, seed=3, **wanted.limits)
    parts = [message["part"] for message in found]
    assert [part["run"] for part in parts] == list(range(2, 12))
    assert [part["evaluations"] for part in parts] == np.asarray(runs.evaluations)[2:].tolist()
    assert [part["success"] for part in parts] == np.asarray(runs.success)[2:].tolist()
    assert len({part["success"] for part in parts}) == 2
