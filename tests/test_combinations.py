"""Combinations of options: the package's runs have the law of the plain ones in reference_runs.

Single options are tested in files of their own. Here every two values of the axes below meet in at
least one case: kind of fitness, kind of neuron, output, algorithm, law, limits, moves. A case is
judged by the distribution of its results and by what every single run must fulfil.
"""

import random
from functools import cache
from itertools import combinations, pairwise, product

import numpy as np
import pytest
import reference
import reference_runs as plain
from samples import OUTPUTS
from scipy import stats

import hyperna
from hyperna.run.relatives import RELATIVES

SIGNIFICANCE = 1e-4
ARCS = {"circle": reference.TWO_QUARTERS, "online circle": reference.LOCAL_OPT}


@cache
def cloud(dim, weighted):
    """Points inside the ball, no two alike; with weights, on a lattice where ties are common."""
    rng = random.Random(dim)
    if weighted:
        steps = [-1, -0.5, 0, 0.5, 1]
        places = [x for x in product(steps, repeat=dim) if 0 < sum(v * v for v in x) <= 1]
        X = tuple(rng.sample(places, 12))
    else:
        X = tuple(tuple(rng.uniform(-0.55, 0.55) for _ in range(dim)) for _ in range(14))
    y = tuple(rng.random() < 0.5 for _ in X)
    weights = tuple(rng.randrange(1, 4) for _ in X) if weighted else (1,) * len(X)
    return X, y, weights


AXES = {
    "fitness": ["circle", "points", "lattice", "online circle", "online points"],
    "neuron": ["plain", "bent"],
    "output": OUTPUTS,
    "algorithm": [
        "na",
        "rls",
        "growing",
        "one_plus_lambda",
        "one_comma_lambda",
        "mu_plus_one",
        "annealing",
    ],
    "mutation": ["harmonic", "local", "uniform", "power_law", plain.WITHOUT_JUMPS, "adaptive"],
    "limits": ["budget", "target", "restarts", "judge once"],
    "option": ["none", "no bias", "redraw", "replace", "probability", "crossover"],
    "move": ["angle", "angle, D = 3", "rotation, D = 3"],
    "neurons": [1, 2, 3],
}
POPULATIONS = ("one_plus_lambda", "one_comma_lambda", "mu_plus_one", "annealing")


def possible(row):
    """Whether the package takes these values together."""
    fitness, algorithm, option = row["fitness"], row["algorithm"], row["option"]
    online = fitness.startswith("online")
    if "circle" in fitness and row["move"] != "angle":
        return False
    if online and (algorithm in POPULATIONS or algorithm == "growing"):
        return False
    if row["limits"] == "judge once" and not online:
        return False
    # a point on the surface of a cone is a matter of rounding
    if fitness == "lattice" and row["neuron"] == "bent":
        return False
    if option == "crossover" and algorithm != "mu_plus_one":
        return False
    if option == "replace" and (algorithm == "growing" or row["move"].startswith("rotation")):
        return False
    if row["output"] == "evolved" and row["neurons"] == 1 and algorithm != "growing":
        return False
    # an output neuron that is made anew lies between the grid's biases where neurons are turned
    return not (
        algorithm == "growing" and row["output"] == "evolved" and row["move"].startswith("rotation")
    )


def covering():
    """Rows in which every possible pair of values occurs: the best of some random rows, again."""
    rng = random.Random(0)
    names = list(AXES)
    missing = {
        ((a, u), (b, v)) for a, b in combinations(names, 2) for u in AXES[a] for v in AXES[b]
    }

    def pairs(row):
        return {((a, row[a]), (b, row[b])) for a, b in combinations(names, 2)}

    rows, idle = [], 0
    while missing and idle < 60:
        tried = ({name: rng.choice(AXES[name]) for name in names} for _ in range(300))
        best = max(filter(possible, tried), key=lambda row: len(pairs(row) & missing))
        gained = pairs(best) & missing
        idle = 0 if gained else idle + 1
        if gained:
            rows.append(best)
            missing -= gained
    return rows


def case_of(row):
    """The options of a row."""
    fitness, option, limits = row["fitness"], row["option"], row["limits"]
    made = {key: row[key] for key in ("neuron", "output", "mutation")}
    made["move"] = row["move"].split(",")[0]
    made["dim"] = 3 if "D = 3" in row["move"] else 2
    if "circle" in fitness:
        made["arcs"] = tuple(ARCS[fitness])
    else:
        made["X"], made["y"], made["weights"] = cloud(made["dim"], fitness == "lattice")
    if fitness.startswith("online"):
        made["online"] = 4
        made["judge_once"] = limits == "judge once"
    if row["algorithm"] == "growing":
        made["neurons"] = "evolved"
    else:
        made["algorithm"] = row["algorithm"]
        made["neurons"] = row["neurons"]
    if limits == "target":
        made["target"] = 0.8
    if limits == "restarts":
        made |= {"stagnation": 12, "restarts": 2, "target": 0.95}
    made |= {
        "no bias": {"bias": False},
        "redraw": {"redraw_void": True},
        "replace": {"replace_neuron": 0.3},
        "probability": {"mutation_probability": 0.6},
        "crossover": {"crossover": 0.5},
    }.get(option, {})
    return plain.Case(**made)


ROWS = covering()


def name_of(row):
    return ", ".join(str(value) for value in row.values() if value != "none")


# Compilation takes seconds a row: most are slow, and `test_interpreted` tries all.
COMPILED = [
    pytest.param(row, id=name_of(row), marks=[pytest.mark.slow] if place % 24 else [])
    for place, row in enumerate(ROWS)
]


def fitness_of(case):
    """The fitness as the package takes it."""
    if case.arcs:
        arcs = [(float(360 * start), float(360 * end)) for start, end in case.arcs]
        found = hyperna.custom_arcs(arcs, unit="degree")
    else:
        found = hyperna.points(np.array(case.X), np.array(case.y), weight=np.array(case.weights))
    if case.online:
        return hyperna.Online(found, samples=case.online, reevaluate=not case.judge_once)
    return hyperna.fitness_of(found)


def algorithm_of(case):
    """The algorithm as the package takes it."""
    shared = (
        "neurons", "output", "neuron", "resolution", "move", "mutation", "bias", "redraw_void",
        "mutation_probability", "replace_neuron",
    )  # fmt: skip
    options = {key: getattr(case, key) for key in shared}
    own = {
        "one_plus_lambda": ("offspring",),
        "one_comma_lambda": ("offspring",),
        "mu_plus_one": ("members", "crossover"),
        "annealing": ("temperature", "cooling"),
    }.get(case.algorithm, ())
    options |= {key: getattr(case, key) for key in own}
    if case.grows:
        options["max_neurons"] = case.max_neurons
    return RELATIVES[case.algorithm](**options)


def limits_of(case):
    target = False if case.target is None else case.target
    return {
        "budget": case.budget,
        "target": target,
        "stagnation": case.stagnation,
        "restarts": case.restarts,
    }


def same_law(one, other):
    """P-value of a two-sample test for values that are often equal: chi-square over groups."""
    values, counts = np.unique(np.concatenate([one, other]), return_counts=True)
    # neighbours are joined until a group holds a share that the smaller sample can fill
    fewest = 10 * (len(one) + len(other)) / min(len(one), len(other))
    groups, filled = [], 0
    for value, count in zip(values, counts, strict=True):
        filled += count
        if filled >= fewest:
            groups.append(value)
            filled = 0
    if len(groups) < 2:
        return 1.0
    table = [
        np.bincount(np.searchsorted(groups[:-1], x), minlength=len(groups)) for x in (one, other)
    ]
    return float(stats.chi2_contingency(np.array(table)).pvalue)


def check_distribution(case, runs, seed):
    found = algorithm_of(case).run_many(fitness_of(case), 3000, seed=1, **limits_of(case))
    rng = random.Random(seed)
    wanted = [plain.simulate(case, rng) for _ in range(runs)]
    evaluations, fitness, success = map(np.array, zip(*wanted, strict=True))
    assert same_law(found.fitness.round(9), fitness.round(9)) > SIGNIFICANCE
    assert same_law(found.evaluations, evaluations) > SIGNIFICANCE
    assert same_law(found.success.astype(int), success.astype(int)) > SIGNIFICANCE


@pytest.mark.parametrize("row", COMPILED)
def test_runs_have_the_law_of_the_plain_ones(row):
    check_distribution(case_of(row), 60, name_of(row))


def read(case, network):
    """A network of the package as the reference has it."""
    grid, genome = network.grid, network.genome.tolist()
    scale = grid.resolution // case.resolution

    def neuron(genes, size):
        angles, rest = genes[: size - 1], genes[size - 1 :]
        direction = angles
        if case.rotates:
            direction = reference.neuron([*angles, 0], grid.resolution)[0]
        bias, *bend = rest
        assert bias % scale == 0
        return plain.Neuron(direction, bias // scale, bend[0] // scale if bend else None)

    width = grid.width
    hidden = [neuron(genome[i * width : (i + 1) * width], grid.dim) for i in range(grid.neurons)]
    output = genome[grid.neurons * width :]
    return plain.Net(hidden, neuron(output, grid.neurons) if output else None)


@pytest.mark.parametrize("row", COMPILED)
def test_every_run_keeps_its_rules(row):
    """Fitness is the reference's, limits are met, biases stay fixed, steps have their lengths."""
    case = case_of(row)
    algorithm, fitness = algorithm_of(case), fitness_of(case)
    for seed in range(6):
        result = algorithm.run(fitness, seed=seed, trajectory=True, **limits_of(case))
        way = result.trajectory
        nets = [read(case, way.network(i)) for i in range(len(way))]
        shares = [plain.score(case, net) / plain.perfect(case) for net in nets]
        assert way.fitness == pytest.approx(shares, abs=1e-12)
        assert result.fitness == pytest.approx(
            plain.score(case, read(case, result.network)) / plain.perfect(case), abs=1e-12
        )
        assert result.evaluations <= case.budget
        assert result.success == (case.target is not None and result.fitness >= case.target)
        assert result.fitness == max(way.fitness)
        if case.restarts == 0 and case.algorithm in ("na", "rls", "one_plus_lambda"):
            if not case.online:
                assert np.all(np.diff(way.fitness) >= 0)
            check_steps(case, nets)
        for net in nets:
            assert len(net.hidden) <= (case.max_neurons if case.grows else case.neurons)
            if not case.bias:
                assert all(part.bias == case.resolution // 2 for part in net.parts)


def check_steps(case, nets):
    """Local steps move components by one, randomised local search moves one component."""
    for before, after in pairwise(nets):
        if len(before.hidden) != len(after.hidden) or case.replace_neuron:
            continue
        moves = []
        for one, other in zip(before.parts, after.parts, strict=True):
            pairs = [(one.bias, other.bias, case.resolution + 1)]
            if not case.rotates:
                pairs += [
                    (a, b, case.resolution)
                    for a, b in zip(one.direction, other.direction, strict=True)
                ]
            if one.bend is not None:
                pairs.append((one.bend, other.bend, case.resolution))
            moves += [reference.cyclic_distance(*pair) for pair in pairs]
        if case.mutation == "local":
            assert max(moves) <= 1
        if case.algorithm == "rls":
            assert np.count_nonzero(moves) <= 1


def test_every_possible_pair_of_values_is_tried():
    seen = {((a, row[a]), (b, row[b])) for row in ROWS for a, b in combinations(AXES, 2)}
    for a, b in combinations(AXES, 2):
        for u, v in product(AXES[a], AXES[b]):
            if ((a, u), (b, v)) not in seen:
                others = [AXES[name] for name in AXES if name not in (a, b)]
                rest = [name for name in AXES if name not in (a, b)]
                rows = (
                    {a: u, b: v, **dict(zip(rest, values, strict=True))}
                    for values in product(*others)
                )
                assert not any(map(possible, rows)), (a, u, b, v)
