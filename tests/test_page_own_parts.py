"""The play page and what is registered: laws and problems of the package and of one's own."""

import json
from dataclasses import dataclass

import numpy as np
import pytest
from exported import NODE
from page_in_node import page_runner
from play_reference import TASK_AS_JSON, check_task, reference_run

import hyperna
from hyperna.mutation import LAWS
from hyperna.play import answers
from hyperna.play.allowance import Allowance
from hyperna.play.build import build_page
from hyperna.play.facts import page_facts
from hyperna.play.settings import PlaySetting
from hyperna.play.workers import Workers
from hyperna.problems.base import PROBLEMS, register

DEFAULTS = page_facts()["defaults"]
needs_node = pytest.mark.skipif(NODE is None, reason="needs Node")


@pytest.fixture(scope="module")
def own():
    """Problems and laws of one's own, of which the page can draw some."""
    problems, laws = dict(PROBLEMS), dict(LAWS)

    @register("own_third", "a third of the circle")
    def third(dim: int = 3) -> hyperna.ArcProblem:
        return hyperna.custom_arcs([(0, 120)], unit="degree", dim=dim)

    @register("own_sevenths", "ends that are no whole parts of the finest grid")
    def sevenths(dim: int = 2) -> hyperna.ArcProblem:
        arcs = [(i / 7 + i / 1001, i / 7 + 1 / 17) for i in range(5)]
        return hyperna.custom_arcs(arcs, dim=dim)

    @register("own_dozen", "more arcs than the page has neurons")
    def dozen(dim: int = 2) -> hyperna.ArcProblem:
        return hyperna.custom_arcs(
            [(30 * i, 30 * i + 7) for i in range(12)], unit="degree", dim=dim
        )

    @register("own_digits", "ends with too many digits")
    def digits(dim: int = 2) -> hyperna.ArcProblem:
        return hyperna.custom_arcs([(0.1234567890123, 0.7654321098765)], dim=dim)

    @register("own_width", "an arc whose width must be given")
    def width(width: int, dim: int = 2) -> hyperna.ArcProblem:
        return hyperna.custom_arcs([(0, width)], unit="degree", dim=dim)

    @register("own_dim", "an arc in a dimension that must be given")
    def given_dim(dim: int) -> hyperna.ArcProblem:
        return hyperna.custom_arcs([(0, 100)], unit="degree", dim=dim)

    @register("own_points", "points in any dimension")
    def points(dim: int = 2) -> hyperna.PointProblem:
        X = np.eye(dim)
        return hyperna.points(X, X[:, 0] > 0)

    @register("own_flat", "an arc of the circle alone")
    def flat() -> hyperna.ArcProblem:
        return hyperna.custom_arcs([(0, 100)], unit="degree")

    @dataclass(frozen=True)
    class OwnSquares(hyperna.StepLaw):
        summary = "square numbers, all equally likely"

        def weights(self, resolution):
            return (np.sqrt(np.arange(1, resolution + 1)) % 1 == 0).astype(float)

    @dataclass(frozen=True)
    class OwnMost(hyperna.StepLaw):
        most: int
        summary = "lengths up to one that must be given"

        def weights(self, resolution):
            return (np.arange(1, resolution + 1) <= self.most).astype(float)

    yield
    for registry, before in ((PROBLEMS, problems), (LAWS, laws)):
        for name in registry.keys() - before.keys():
            del registry[name]


@pytest.fixture(scope="module")
def page(own, tmp_path_factory):
    return page_runner(tmp_path_factory.mktemp("page"))


def tasks(page, settings, answered=None):
    return page(
        ["engine/task.js"],
        f"""const {{ taskOf }} = modules["engine/task.js"], [settings, answered] = given;
        return settings.map((setting) => {TASK_AS_JSON});""",
        settings,
        answered,
    )


def test_the_page_lists_what_it_can_draw_and_is_built_whatever_is_registered(own):
    facts = page_facts()
    listed = [name for name in facts["problems"] if name.startswith("own_")]
    assert listed == ["own_third", "own_sevenths", "own_dozen"]
    assert [name for name in facts["laws"] if name.startswith("own_")] == ["own_squares"]
    assert "a third of the circle" in build_page().html
    for name in ("own_digits", "own_width", "own_dim", "own_points", "own_flat"):
        with pytest.raises(ValueError, match="problem must be one of"):
            PlaySetting.from_json({"problem": name})


@needs_node
def test_tasks_of_registered_problems_are_those_of_hyperna(page):
    """On the circle and the sphere, with one neuron too, and on grids on which ends are rounded."""
    settings = [
        {**DEFAULTS, "problem": problem, "dim": dim, "neurons": neurons, **others}
        for problem in ("own_third", "own_sevenths", "own_dozen")
        for dim in (2, 3)
        for neurons in (1, 2)
        for others in ({}, {"mutation": "cauchy"}, {"bias": False}, {"resolution": 16384})
    ]
    for setting, task in zip(settings, tasks(page, settings), strict=True):
        check_task(setting, task)
    # the best cap is known to both sides
    assert PlaySetting.from_json({"problem": "own_third", "dim": 3, "neurons": 1}).target > 0.9


@needs_node
def test_arcs_that_are_drawn_on_the_sphere_have_the_same_goal_for_the_server(page):
    """One neuron: the best cap takes an optimiser, unless it is a half-space or has no bias."""
    settings = [
        {**DEFAULTS, "problem": "custom_arcs", "dim": 3, "neurons": 1, "arcs": arcs, **others}
        for arcs in ([[10, 190]], [[0, 90], [180, 270]], [[20, 80]], [[0, 90], [90, 180]])
        for others in ({}, {"bias": False}, {"neuron": "bent"}, {"output": "xor"})
    ]
    found = tasks(page, settings)
    goals = [task["score"] is not None for task in found]
    for setting, task in zip(settings, found, strict=True):
        check_task(setting, task)
    turned = [False, True, False, False]  # without a bias the best half-space is known
    assert goals == [True] * 4 + [False] * 4 + turned + [True] * 4


@needs_node
def test_a_problem_that_is_chosen_gets_neurons_that_the_page_has(page):
    found = page(
        ["app/settings.js"],
        """const { checked, withProblem } = modules["app/settings.js"];
        return Object.keys(facts.problems).map((name) =>
          checked({ ...facts.defaults, ...withProblem(name, facts.defaults, facts) }, facts)
            .neurons);""",
    )
    assert dict(zip(page_facts()["problems"], found, strict=True)) == {
        **{"half": 1, "quarter": 1, "two_quarters": 2, "local_opt": 1, "arcs": 3, "cube": 4},
        **{"own_third": 1, "own_sevenths": 5, "own_dozen": 8, "custom_arcs": 2, "points": 3},
    }


@needs_node
@pytest.mark.parametrize("dim", [2, 3])
def test_python_lines_of_a_registered_problem_make_the_run_of_the_page(page, dim, capsys):
    """Whatever its dimension is if none is given."""
    setting = {**DEFAULTS, "problem": "own_third", "dim": dim, "neurons": 1, "resolution": 24}
    lines = page(
        ["app/python.js", "engine/task.js"],
        """const { runLines } = modules["app/python.js"], { taskOf } = modules["engine/task.js"];
        return runLines(given[0], taskOf(given[0], facts), facts);""",
        setting,
    )
    names = {}
    exec(lines, names)
    capsys.readouterr()
    evaluations, _, genome, _ = reference_run(setting, setting["seed"])
    assert names["result"].network.genome.tolist() == genome
    assert names["result"].evaluations == evaluations


@needs_node
def test_a_law_of_one_s_own_is_asked_of_the_server_or_refused(page):
    setting = {**DEFAULTS, "mutation": "own_squares", "resolution": 36}
    answered = answers.law({"mutation": "own_squares", "resolution": 36})
    [task] = tasks(page, [setting], answered)
    check_task(setting, task)
    alone = page(
        ["engine/task.js"],
        """const { taskOf } = modules["engine/task.js"];
        try { taskOf(given[0], facts); } catch (error) { return error.message; }""",
        setting,
    )
    assert alone == "mutation own_squares needs hyperna play on this computer"


def test_the_server_s_workers_know_what_is_registered(own):
    setting = {"problem": "own_third", "mutation": "own_squares", "neurons": 1, "resolution": 12}
    question = {"setting": {**setting, "seed": 3}, "first": 0}
    wanted = answers.race(question, Allowance(100))
    workers = Workers()
    try:
        found = workers.ask("race", question, seconds=100)["found"]
        exact = workers.ask("exact", setting, seconds=100)["found"]
        again = workers.ask("exact", setting, seconds=100)["found"]
        unknown = workers.ask("exact", {"problem": "own_thirds"}, seconds=1)
    finally:
        workers.close()
    assert found == wanted
    assert exact == again
    assert exact["mean"] == hyperna.expected_runtime("own_third", 12, "own_squares", dim=2).mean
    assert "problem must be one of" in unknown["error"]


@needs_node
def test_every_law_of_the_package_is_known_to_the_page(page):
    """A law without an entry in engine/laws.js would need a server."""
    laws = [name for name, law in LAWS.items() if law.__module__.startswith("hyperna.")]
    known, words, shown = page(
        ["engine/laws.js", "app/words.js"],
        """const { knowsLaw } = modules["engine/laws.js"];
        const { LAW_WORDS, PROBLEM_WORDS } = modules["app/words.js"];
        const names = [...given[0], "own_squares", "", "toString"];
        return [names.filter(knowsLaw), Object.keys(LAW_WORDS), Object.keys(PROBLEM_WORDS)];""",
        laws,
    )
    assert known == laws
    assert set(words) <= set(laws)
    assert set(shown) <= set(page_facts()["problems"])


@needs_node
def test_laws_reach_all_networks_if_every_length_is_drawn(page):
    resolution = 64
    laws = ["harmonic", "power_law:exponent=0", "local", "uniform", "pareto", "adaptive"]
    squares = answers.law({"mutation": "own_squares", "resolution": resolution})
    found = page(
        ["engine/laws.js", "engine/task.js"],
        """const { reachesAll } = modules["engine/laws.js"];
        const { taskOf } = modules["engine/task.js"];
        const [laws, resolution, squares] = given;
        return [...laws.map((mutation) =>
          reachesAll(taskOf({ ...facts.defaults, mutation, resolution }, facts).law)),
          reachesAll(squares)];""",
        laws,
        resolution,
        squares,
    )
    assert found == [True, True, False, True, True, True, False]


@needs_node
@pytest.mark.parametrize("name", ["toString", "constructor", "__proto__", "own_points"])
def test_names_that_every_object_has_are_refused_like_others(page, name):
    found = page(
        ["app/settings.js", "app/link.js", "engine/laws.js"],
        """const { checked } = modules["app/settings.js"];
        const { readLink } = modules["app/link.js"], { readLaw } = modules["engine/laws.js"];
        const [name] = given;
        const tried = [
          ...["problem", "output", "neuron"].map((one) => () => checked({ [one]: name }, facts)),
          () => readLaw(name, facts.laws), () => readLaw(`pareto:${name}=1`, facts.laws),
          () => readLink(`#table=${name}`, facts), () => readLink(`#${name}=1`, facts)];
        return tried.map((one) => { try { one(); } catch (error) { return error.message; }
          return null; });""",
        name,
    )
    problem, output, neuron, law, parameter, table, part = found
    choices = {"problem": problem, "output": output, "neuron": neuron, "mutation": law}
    for key, message in {**choices, "table": table}.items():
        assert message.startswith(f"{key} must be one of")
    assert parameter == f"mutation pareto has no parameter “{name}”"
    assert part == f"it has an unknown part “{name}”"


def test_facts_are_json(own):
    assert json.loads(json.dumps(page_facts(), allow_nan=False))
