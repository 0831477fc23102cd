"""The JavaScript engine of the play page against the compiled one: equal seeds, equal runs.

In Node or, where there is none, in a browser.
"""

import random
from itertools import product

import numpy as np
import pytest
from browsers import open_browser
from exported import NODE
from page_in_node import page_runner
from play_reference import TASK_AS_JSON, check_task, random_networks, reference_run
from samples import OUTPUTS

from hyperna.play.build import build_page
from hyperna.play.facts import page_facts

DEFAULTS = page_facts()["defaults"]


HEAD = """const { Simulation } = modules["engine/search.js"];
const { taskOf } = modules["engine/task.js"];
const { fitnessOf } = modules["engine/fitness.js"];"""
MODULES = [
    *(f"engine/{name}.js" for name in ("search", "task", "fitness", "neighbours", "outputs")),
    *("engine/problems.js", "engine/random.js", "rules/evolve.js", "rules/readable.js"),
    *("app/link.js", "app/python.js"),
]


def in_node(folder):
    run = page_runner(folder)
    return lambda script, *arguments: run(
        MODULES, f"{HEAD}\nreturn (function () {{ {script} }})(...given);", *arguments
    )


def in_browser(browser, folder):
    page = folder / "play.html"
    page.write_text(build_page("#scene=rule").html, encoding="utf-8")
    browser.set_script_timeout(300)
    browser.get(page.as_uri())
    return lambda script, *arguments: browser.execute_script(
        f"{HEAD}\nconst facts = play.facts;\n{script}", *arguments
    )


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    """A function that evaluates JavaScript with the engine's classes."""
    folder = tmp_path_factory.mktemp("page")
    if NODE is not None:
        yield in_node(folder)
        return
    browser = next(opened := open_browser())
    yield in_browser(browser, folder)
    opened.close()


SETTINGS = {
    "harmonic": {"problem": "two_quarters", "neurons": 2},
    "local": {"problem": "local_opt", "neurons": 1, "mutation": "local"},
    "uniform": {"problem": "quarter", "neurons": 1, "mutation": "uniform"},
    "adaptive, xor": {
        "problem": "arcs", "k": 3, "neurons": 2, "output": "xor", "mutation": "adaptive"
    },
    "more than eight components": {"problem": "arcs", "k": 5, "neurons": 5, "resolution": 60},
    "blocks of lengths": {"problem": "quarter", "neurons": 1, "resolution": 5000},
    "local, two neurons": {
        "problem": "two_quarters", "neurons": 2, "mutation": "local", "resolution": 24
    },
    "no bias": {"problem": "half", "neurons": 1, "bias": False},
    "evolved": {"problem": "two_quarters", "neurons": 2, "output": "evolved"},
    "without jumps": {"problem": "quarter", "neurons": 1, "mutation": "adaptive:jump=0"},
    "local, restarts": {
        "problem": "local_opt", "neurons": 1, "mutation": "local", "restarts": 5, "stagnation": 300
    },
    "local, restarts while waiting": {
        "problem": "two_quarters", "neurons": 2, "mutation": "local", "resolution": 60,
        "restarts": 200, "stagnation": 120,
    },
    "and, restarts": {
        "problem": "local_opt", "neurons": 2, "output": "and", "mutation": "power_law:exponent=2",
        "restarts": 3, "stagnation": 150,
    },
    "bent": {"problem": "quarter", "neurons": 1, "neuron": "bent", "bias": False, "resolution": 48},
    "own arcs": {
        "problem": "custom_arcs", "arcs": [[10, 55], [100, 230], [350, 365]], "neurons": 3
    },
    "small grid": {"problem": "quarter", "neurons": 1, "mutation": "adaptive", "resolution": 7},
    "longest table of lengths": {"problem": "quarter", "neurons": 1, "resolution": 2048},
    "pareto": {"problem": "two_quarters", "neurons": 2, "mutation": "pareto:shape=1.5"},
    "cauchy": {"problem": "two_quarters", "neurons": 2, "mutation": "cauchy"},
    "exponential": {"problem": "quarter", "neurons": 1, "mutation": "exponential:scale=10"},
}  # fmt: skip


def compare_runs(engine, setting, seeds):
    """Runs in the browser end as those of the kernels: evaluations, reason, network, restarts."""
    wanted = [reference_run(setting, seed) for seed in seeds]
    found = engine(
        """const [setting, seeds] = arguments;
        return seeds.map((seed) => {
          const search = new Simulation(taskOf({ ...setting, seed }, facts));
          search.advance(1e9);
          return [search.evaluations, search.ended, search.best.genome, search.restarts];
        });""",
        setting,
        list(seeds),
    )
    assert found == wanted


@pytest.mark.parametrize("name", SETTINGS)
def test_ten_seeds_give_the_runs_of_the_kernels(engine, name):
    compare_runs(engine, {**DEFAULTS, **SETTINGS[name]}, range(10))


def test_a_network_near_an_optimum_comes_before_better_ones_of_earlier_starts(engine):
    setting = {"problem": "quarter", "neurons": 1, "mutation": "pareto", "resolution": 30}
    compare_runs(engine, {**DEFAULTS, **setting, "restarts": 50, "stagnation": 5}, (17, 18, 23))


@pytest.mark.slow
@pytest.mark.parametrize("name", SETTINGS)
def test_a_hundred_seeds_give_the_runs_of_the_kernels(engine, name):
    compare_runs(engine, {**DEFAULTS, **SETTINGS[name]}, range(100))


@pytest.mark.slow
def test_runs_under_one_seed_are_those_of_run_many(engine):
    setting = {**DEFAULTS, "problem": "quarter", "neurons": 1, "resolution": 60, "seed": 7}
    wanted = [reference_run(setting, 7, number) for number in range(50)]
    found = engine(
        """const task = taskOf(arguments[0], facts);
        return Array.from({ length: 50 }, (_, number) => {
          const search = new Simulation(task, number);
          search.advance(1e9);
          return [search.evaluations, search.ended, search.best.genome, search.restarts];
        });""",
        setting,
    )
    assert found == wanted


@pytest.mark.slow
@pytest.mark.parametrize("problem", ["half", "cube", "points"])
def test_runs_off_the_circle_are_those_of_the_kernels(engine, problem):
    points = [[0.5, 0.4, 1], [0.1, 0.6, 1], [-0.5, 0.2, 0], [-0.1, -0.6, 0], [0.7, -0.2, 0]]
    setting = {**DEFAULTS, "problem": problem, "points": points, "neurons": 2}
    setting["dim"] = 2 if problem == "points" else 3
    compare_runs(engine, setting, range(20))


def random_settings(count):
    """Settings of all kinds."""
    chance = random.Random(0)
    for _ in range(count):
        bent = chance.random() < 0.25
        arcs = chance.sample(range(0, 360, 12), chance.randint(1, 6))
        yield {
            **DEFAULTS,
            "problem": chance.choice(
                ["half", "quarter", "two_quarters", "local_opt", "arcs", "custom_arcs", "cube"]
            ),
            "dim": chance.choice([2, 2, 2, 3]),
            "k": chance.randint(1, 12),
            "arcs": [[start, start + chance.randint(3, 11)] for start in sorted(arcs)],
            "neurons": chance.randint(1, 6),
            "neuron": "bent" if bent else "plain",
            "output": chance.choice(OUTPUTS),
            "resolution": chance.choice([4, 24, 120, 250] if bent else [4, 24, 1000, 16384]),
            "mutation": chance.choice(
                ["harmonic", "local", "uniform", "adaptive", "cauchy", "pareto:shape=2",
                 "exponential", "adaptive", "power_law"]
            ),
            "bias": chance.random() < 0.7,
        }  # fmt: skip


def test_tasks_are_those_of_hyperna(engine):
    settings = list(random_settings(300))
    script = f"const answered = null; return arguments[0].map((setting) => {TASK_AS_JSON});"
    found = engine(script, settings)
    for setting, task in zip(settings, found, strict=True):
        check_task(setting, task)


@pytest.mark.parametrize("dim", [2, 3])
def test_what_counts_as_success_is_told_as_by_hyperna(engine, dim):
    """On coarse grids, where rounding may leave no network better than a constant answer, too."""
    kinds = [*product(("plain", "bent"), OUTPUTS, (True, False), (1, 2, 3), (4, 6, 60))]
    drawn = [[[0, 90]], [[0, 270]], [[10, 70], [180, 250]]]
    settings = [
        {**DEFAULTS, "problem": "custom_arcs", "dim": dim, "arcs": arcs}
        | {"neuron": neuron, "output": output, "bias": bias}
        | {"neurons": neurons, "resolution": resolution}
        for arcs in drawn
        for neuron, output, bias, neurons, resolution in kinds
    ]
    script = f"const answered = null; return arguments[0].map((setting) => {TASK_AS_JSON});"
    for setting, task in zip(settings, engine(script, settings), strict=True):
        check_task(setting, task)


SCORED = [
    {"problem": "local_opt", "neurons": 1},
    {"problem": "two_quarters", "output": "and", "resolution": 1200},
    {"problem": "arcs", "k": 3, "neurons": 3, "output": "xor", "resolution": 45},
    {"problem": "arcs", "k": 2, "neurons": 4, "output": "evolved"},
    {"problem": "quarter", "neurons": 2, "mutation": "cauchy"},
    {"problem": "quarter", "neurons": 2, "neuron": "bent", "mutation": "cauchy"},
    {"problem": "arcs", "k": 2, "neuron": "bent", "output": "evolved", "resolution": 48},
    {"problem": "quarter", "dim": 3, "neuron": "bent", "resolution": 60},
    {"problem": "quarter", "dim": 3, "neurons": 3, "output": "evolved", "resolution": 97},
]


@pytest.mark.parametrize("setting", SCORED, ids=lambda one: "-".join(map(str, one.values())))
def test_scores_are_those_of_the_kernels(engine, setting):
    setting = {**DEFAULTS, **setting}
    genomes, scores = random_networks(setting, 200)
    found = engine(
        """const fitness = fitnessOf(taskOf(arguments[0], facts));
        return arguments[1].map((genome) => fitness.score(genome));""",
        setting,
        genomes,
    )
    if setting["neuron"] == "bent" and setting["mutation"] == "cauchy":
        # on the finest grid sines may round otherwise, by a unit of 2**-52 of a turn for each end
        assert found == pytest.approx(scores, rel=0, abs=2 * setting["neurons"])
    else:
        assert found == scores


def test_seeds_give_the_keys_of_numpy(engine):
    # what is drawn with them is compared by whole runs above
    seeds = [0, 1, 5, 2**31, 2**32 - 1]
    found = engine(
        """const { seedKey } = modules["engine/random.js"];
        return arguments[0].map((seed) => seedKey(seed).map(String));""",
        seeds,
    )
    wanted = [np.random.SeedSequence(seed).generate_state(4, np.uint64) for seed in seeds]
    assert found == [list(map(str, words.tolist())) for words in wanted]


def test_a_new_output_is_one_line_and_claims_no_optima(engine):
    """Its networks are scored by its rule; nothing is known about the best of them.

    With a space in its name it is never one that exists.
    """
    found = engine(
        """const { OUTPUTS } = modules["engine/outputs.js"];
        const { bestFitness, optimaOf } = modules["engine/problems.js"];
        const { joined } = modules["engine/fitness.js"];
        const net = { size: 3, join: "made up", last: null };
        let refused = null;
        try { joined(net, 3); } catch (error) { refused = error.message; }
        OUTPUTS["made up"] = (fire, size) => 2 * fire > size;
        const problem = { arcs: [[0, 1]], whole: 4, dim: 2 };
        const setting = { neurons: 3, output: "made up", bias: true, neuron: "plain" };
        const claims = [bestFitness(problem, setting), optimaOf(problem, setting)];
        const masks = [...Array(8).keys()].map((mask) => joined(net, mask));
        const task = taskOf({ ...facts.defaults, ...setting, bias: false, seed: 1 }, facts);
        delete OUTPUTS["made up"];
        return { refused, claims, masks, target: task.goal.target };"""
    )
    assert found["refused"] == "no output made up"
    assert found["claims"] == [None, []]
    assert found["masks"] == [bin(mask).count("1") >= 2 for mask in range(8)]
    assert found["target"] is None


def test_a_plateau_with_a_success_on_it_is_not_closed(engine):
    """As `hyperna.run.plateaus` does: a ring of heights, and where a run would succeed."""
    heights = [0, 5, 5, 5, 5, 0, 7, 0, 5, 5, 0, 0]
    found = engine(
        """const { Neighbours } = modules["engine/neighbours.js"];
        const task = { free: [0], moduli: [arguments[0].length], probability: 1 };
        const fitness = { score: ([place]) => arguments[0][place] };
        return arguments[1].map((success) =>
          new Neighbours(task, fitness, ([place]) => place === success).isClosed([2], 5, 100));""",
        heights,
        [-1, 4, 1, 8, 6],
    )
    assert found == [True, False, False, True, True]


@pytest.mark.parametrize("bias", range(0, 13, 2))
def test_the_edge_of_a_neuron_is_where_it_begins_to_fire(engine, bias):
    """What is drawn of a bent neuron on the circle is the arc on which it fires."""
    setting = {**DEFAULTS, "problem": "quarter", "neurons": 1, "neuron": "bent", "resolution": 12}
    genomes = [[angle, bias, bend] for angle in (0, 5) for bend in range(1, 12)]
    turns = np.linspace(0, 2 * np.pi, 101)[:-1] + 0.003
    points = np.column_stack([np.cos(turns), np.sin(turns)]).tolist()
    found = engine(
        """const { network, fires } = modules["engine/fitness.js"];
        const [setting, genomes, points] = arguments, task = taskOf(setting, facts);
        return genomes.map((genome) => {
          const [one] = network(task, genome).hidden;
          return points.map((x) => [fires(one, x), x[0] * one.w[0] + x[1] * one.w[1] - one.edge]);
        });""",
        setting,
        genomes,
        points,
    )
    for one in found:
        for fires, inside in one:
            assert fires == (inside >= 0) or abs(inside) < 1e-12


@pytest.mark.parametrize("join", ["and", "or", "two", "xor"])
@pytest.mark.parametrize("term_cost", [0, 1, 3, 4, 10])
def test_no_accepted_rule_costs_more_than_the_one_before(engine, join, term_cost):
    """Errors cost 4, a term `term_cost`; what is told of a rule is what its neurons say."""
    rng = np.random.default_rng(1)
    points = rng.uniform(-0.5, 0.5, (40, 3))
    labels = (points[:, 0] * points[:, 1] > 0) ^ (rng.random(40) < 0.1)
    found = engine(
        """const { evolve, randomNetwork } = modules["rules/evolve.js"];
        const { Stream } = modules["engine/random.js"];
        const [columns, labels, join, termCost] = arguments, stream = new Stream(3, 0);
        const start = randomNetwork({ columns, labels }, join, 3, stream), heard = [];
        evolve(start, { termCost, offspring: 1500, stream, found: ({ neurons }, errors, terms) =>
          heard.push([neurons.map(({ w, t }) => [[...w], t]), errors, terms]) });
        return heard;""",
        points.T.tolist(),
        labels.astype(int).tolist(),
        join,
        term_cost,
    )
    cost = np.inf
    for neurons, errors, terms in found:
        weights = np.array([w for w, _ in neurons])
        margins = points @ weights.T - [t for _, t in neurons]
        count = (margins >= 0).sum(axis=1)
        answers = {
            "and": count == len(neurons),
            "or": count > 0,
            "two": count >= 2,
            "xor": count % 2 == 1,
        }[join]
        # products are changed move by move: a point may be on a plane up to rounding
        unsure = np.abs(margins).min() < 1e-9
        assert unsure or errors == np.count_nonzero(answers != labels)
        assert terms == np.count_nonzero(weights)
        assert 4 * errors + term_cost * terms <= cost
        cost = 4 * errors + term_cost * terms
    assert len(found) > 10


@pytest.mark.parametrize(
    "given",
    [
        {"problem": "cube", "dim": 3, "output": "xor", "neurons": 3, "resolution": 24},
        {"problem": "half", "dim": 3, "neurons": 1, "resolution": 24},
        {"problem": "custom_arcs", "arcs": [[10, 55], [100, 230]], "bias": False},
        {"problem": "two_quarters", "output": "evolved", "restarts": 2, "stagnation": 200},
    ],
    ids=lambda given: given["problem"],
)
def test_python_lines_make_the_run_of_the_page(engine, given, capsys):
    setting = {**DEFAULTS, **given, "seed": 3}
    lines = engine(
        """const { runLines } = modules["app/python.js"];
        return runLines(arguments[0], taskOf(arguments[0], facts), facts);""",
        setting,
    )
    names = {}
    exec(lines, names)
    capsys.readouterr()
    evaluations, _, genome, restarts = reference_run(setting, 3)
    result = names["result"]
    assert result.network.genome.tolist() == genome
    assert (result.evaluations, result.restarts) == (evaluations, restarts)


@pytest.mark.parametrize(
    "others", [{"terms": 0}, {"terms": 3, "at": 0}, {"at": 17, "table": "iris"}]
)
def test_a_link_tells_all_that_it_was_written_with(engine, others):
    """No term and no evaluation are something to tell, too."""
    found = engine(
        """const { readLink, writeLink } = modules["app/link.js"];
        const scene = facts.scenes.find(({ kind }) => kind === "rule");
        const setting = { ...facts.defaults, ...scene.setting, seed: 5 };
        return readLink(writeLink(scene, setting, facts, arguments[0]), facts);""",
        others,
    )
    assert {name: found[name] for name in others} == others
    assert found["setting"] == {"seed": 5}


def test_rounded_rules_hold_where_their_neurons_fire(engine):
    """Neurons that fire on some points, on all, and on none."""
    rng = np.random.default_rng(2)
    points = np.column_stack([rng.normal(3, 2, 50), rng.normal(-40, 9, 50), rng.integers(0, 2, 50)])
    scaling = [{"mean": 3.0, "factor": 0.1}, {"mean": -40.0, "factor": 0.02}]
    turns = rng.uniform(0, 2 * np.pi, 60)
    neurons = []
    for turn, threshold in zip(turns, rng.uniform(-1, 1, 60), strict=True):
        w = [np.cos(turn), np.sin(turn)]
        neurons.append({"w": w, "t": threshold})
    found = engine(
        """const { holds, readable } = modules["rules/readable.js"];
        const [neurons, scaling, points] = arguments;
        return neurons.map((neuron) => {
          const rule = readable({ join: "or", neurons: [neuron], terms: 2 }, scaling, points);
          return points.map((point) => holds(rule, point));
        });""",
        neurons,
        scaling,
        points.tolist(),
    )
    scaled = (points[:, :2] - [3.0, -40.0]) * [0.1, 0.02]
    wanted = [(scaled @ one["w"] >= one["t"]).tolist() for one in neurons]
    assert {sum(fires) for fires in wanted} > {0, 50}
    assert found == wanted
