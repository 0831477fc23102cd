"""What runs, scores, chains and tables are, and what is refused at the ends of options."""

import contextlib
import os
from itertools import product
from pathlib import Path

import numpy as np
from stored_parts import SMALL, attempt, ended, plain, row


def models():
    """Yield name and function of every group."""
    for make in (
        *(_ends, _relatives, _runs, _many_runs, _growing, _optimal, _tables, _scores, _chains),
        _arcs,
    ):
        yield f"models: {make.__name__.strip('_')}", make


def _ends():
    from hyperna import (
        AnnealingNA,
        FiniteSet,
        Grid,
        MuPlusOneNA,
        OnePlusLambdaNA,
        OnePlusOneNA,
        Online,
        Sampled,
        compare,
        custom_arcs,
        even_points,
        expected_runtime,
        problem,
        random_points,
        sobol_points,
    )
    from hyperna.analysis.statistics import bootstrap_interval, expected_running_time
    from hyperna.baselines import BASELINES, Neat
    from hyperna.theory.best import best_law

    algorithm = ("neurons", "resolution", "output", "neuron", "move", "init", "max_neurons")
    chances = ("mutation_probability", "replace_neuron")
    yield from ended(OnePlusOneNA, {}, *algorithm, *chances)
    yield from ended(OnePlusOneNA, {"neurons": "evolved"}, "max_neurons", "neuron", "move")
    yield from ended(OnePlusLambdaNA, {}, "offspring", "neurons")
    yield from ended(MuPlusOneNA, {}, "members", "crossover")
    yield from ended(AnnealingNA, {}, "temperature", "cooling")
    limits = ("budget", "stagnation", "restarts", "target")
    for kind, options in ((OnePlusOneNA, {}), (OnePlusLambdaNA, {}), (MuPlusOneNA, {"members": 5})):
        for name in ("quarter", "local_opt"):
            task = kind(**options).task

            def told(task=task, name=name, **given):
                made = task(problem(name), **given)
                return [
                    made.budget,
                    made.stagnation,
                    made.restarts,
                    made.criterion,
                    made.goal.score,
                ]

            yield from (f"{kind.__name__} {line}" for line in ended(told, {}, *limits))
    yield from ended(
        Grid, {"dim": 2, "neurons": 1, "resolution": 12}, "dim", "neurons", "resolution"
    )
    yield from ended(Grid, {"dim": 2, "neurons": 1, "resolution": 12}, "output", "neuron")
    yield from ended(
        lambda **given: Sampled(problem("half"), **given).points.total, {"n": 8}, "method"
    )
    yield from ended(lambda **given: Online(problem("half"), **given).samples, {}, "samples")
    yield from ended(lambda **given: FiniteSet(*SMALL, **given).tie_clip, {}, "tie_clip")
    yield from ended(lambda **given: custom_arcs([(0, 0.25)], **given).arcs, {}, "unit")
    few = {"n": 4, "dim": 2}
    for kind, given in (
        *(
            (even_points, few),
            (random_points, few | {"seed": 1}),
            (sobol_points, few | {"seed": 1}),
        ),
    ):
        yield from (f"{kind.__name__} {line}" for line in ended(kind, given, "dim", "n"))
    exact = lambda **given: expected_runtime(problem("quarter"), **given).mean  # noqa: E731
    yield from ended(
        exact, {"resolution": 8}, "neurons", "output", "mutation_probability", "target"
    )
    yield from ended(lambda **given: best_law(problem("half"), 8, **given).mean, {}, "family")
    for name, entry in BASELINES.items():
        keys = {"sigma", "start"} if name == "cma_es" else set()
        yield from (f"{name} {line}" for line in ended(entry, {}, "representation", *sorted(keys)))
    yield from ended(Neat, {}, "population")
    few = {"data": "xor", "classifiers": ["logistic"], "repeats": 1}
    yield from ended(lambda **given: len(compare(**given).scores), few, "folds", "repeats", "seed")
    times = np.array([3.0, 5, 8, 9, 20])
    for kind, args in (
        (bootstrap_interval, {"values": times}),
        (expected_running_time, {"evaluations": times, "success": times < 9}),
    ):
        yield from ended(kind, args, "level", "resamples", "seed")


def _relatives():
    from hyperna import points, problem
    from hyperna.settings.algorithms import algorithms, find_algorithm, relative

    for text in (
        *("na", "rls", "one_plus_lambda:offspring=3", "one_comma_lambda:offspring=4", "annealing"),
        *("mu_plus_one:members=4", "mu_plus_one:members=3,crossover=0.7", "annealing:cooling=0.9"),
    ):
        for made, options in (
            (problem("quarter"), {"budget": 400}),
            (problem("two_quarters"), {"budget": 200, "stagnation": 60, "restarts": 2}),
            (points(*SMALL), {"budget": 100, "target": 1.0}),
        ):
            kind, settings = relative(text)
            na = kind(resolution=24, neurons=made.default_neurons, **settings)
            run = na.run(made, seed=9, number=3, **options)
            rows = na.run_many(made, 4, seed=9, **options).rows
            yield f"{na}: {plain(rows)} {run.network.genome.tolist()} {run.stop_reason}"
            yield f"{plain(run.improvements.fitness)} {plain(run.improvements.evaluations)}"
    for name in algorithms():
        one = find_algorithm(name)
        yield f"{one.name} {one.summary} {sorted(one.keys)} {one.processes}"
    yield attempt(find_algorithm, "nothing")


def _runs():
    from hyperna import FiniteSet, OnePlusOneNA, Online, Sampled, points, problem
    from hyperna.analysis.statistics import Summary

    cube = problem("cube", dim=3)
    for made, settings, options in (
        (problem("half"), {}, {}),
        (problem("local_opt"), {"mutation": "local", "resolution": 60}, {"stagnation": 90}),
        (problem("local_opt"), {"mutation": "local"}, {"restarts": 3, "stagnation": 50}),
        (problem("local_opt"), {"mutation": "local", "resolution": 24}, {"restarts": "auto"}),
        (problem("two_quarters"), {"neurons": 3, "output": "xor"}, {"budget": 300, "target": 0.9}),
        (problem("quarter", dim=3), {"move": "rotation", "resolution": 24}, {"budget": 200}),
        (problem("quarter", dim=4), {"init": "sphere", "resolution": 24}, {"budget": 200}),
        (cube, {"neurons": 3, "output": "evolved", "resolution": 24}, {"budget": 150}),
        (points(*SMALL), {"neurons": 2, "output": "and"}, {"budget": 100, "target": False}),
        (FiniteSet(*SMALL, tie_clip=0.4), {"resolution": 2**20}, {"budget": 100, "target": False}),
        (Sampled(problem("half", dim=5), n=40), {"move": "rotation"}, {"budget": 100}),
        (Online(problem("quarter"), samples=15), {}, {"budget": 200}),
        (Online(problem("quarter"), samples=15, reevaluate=False), {}, {"budget": 200}),
        (problem("quarter"), {"neuron": "bent", "bias": False}, {"budget": 300}),
        (problem("arcs", k=3), {"neurons": 4, "replace_neuron": 0.3}, {"budget": 300}),
    ):
        na = OnePlusOneNA(**{"resolution": 48} | settings)
        runs = na.run_many(made, 6, seed=2, **options)
        yield f"{na} {made} {options}"
        yield f"{plain(runs.rows)} {plain(runs.fitness)} {plain(runs.success)} {runs.stop_counts}"
        yield f"{runs.best} {list(runs.stop_reasons)} {plain(Summary.of(runs).record())}"
        run = runs.replay(runs.best)
        yield f"{run.network.genome.tolist()} {plain(run.fitness)} {run.stuck_at} {run.restarts}"
        if getattr(na.task(made, **options), "plan", None) is None:
            way = na.run(made, seed=2, number=1, trajectory=True, **options).trajectory
            yield f"{plain(way.evaluations)} {plain(way.fitness)} {plain(way.genomes)}"
            yield f"{way.network(0).genome.tolist()} {way.network(-1).genome.tolist()}"


def _many_runs():
    """Few runs of every law on every kind of network and problem."""
    from hyperna import OnePlusOneNA, points, problem

    # kept in one kind of table, so that each kernel is compiled once
    laws = ("harmonic", "local", "uniform", "power_law:exponent=1.2")
    for k, (law, neurons, output, neuron) in enumerate(
        product(laws, (1, 2, 5), ("or", "and", "xor", "evolved"), ("plain", "bent"))
    ):
        made = (problem("arcs", k=2), problem("local_opt"), problem("cube"), points(*SMALL))[k % 4]
        options = {"bias": k % 3 > 0, "redraw_void": k % 5 == 0, "init": ("grid", "sphere")[k % 2]}
        options["resolution"] = (12, 30, 1000)[k // 2 % 3]
        shape = {"neurons": neurons, "output": output, "neuron": neuron, "mutation": law}
        limits = {"budget": 60 + k % 50, "stagnation": (None, 30)[k % 2], "restarts": k % 2}
        if k % 11 == 0:
            options["mutation_probability"], options["replace_neuron"] = 0.6, 0.2
        yield row(
            *(k, shape, made),
            attempt(lambda o=shape | options, m=made, li=limits: _rows(OnePlusOneNA(**o), m, li)),
        )


def _rows(na, made, limits):
    return na.run_many(made, 3, seed=5, **limits).rows


def _growing():
    from hyperna import OnePlusOneNA, Sampled, points, problem

    for made, settings in (
        (problem("two_quarters"), {}),
        (problem("arcs", k=3), {"output": "xor", "max_neurons": 4}),
        (problem("two_quarters"), {"output": "evolved", "max_neurons": 3, "bias": False}),
        (problem("arcs", k=2), {"mutation_probability": 0.3, "mutation": "local"}),
        (points(*SMALL), {"max_neurons": 3, "output": "and"}),
        (Sampled(problem("two_quarters", dim=3), n=60), {"max_neurons": 5, "move": "rotation"}),
    ):
        na = OnePlusOneNA("evolved", resolution=36, **settings)
        task = na.task(made, budget=250)
        runs = na.run_many(made, 5, seed=6, budget=250)
        run = na.run(made, seed=6, number=2, budget=250, trajectory=True)
        yield f"{na} {task.criterion} {task.fewest_neurons} {task.best_known} {plain(runs.rows)}"
        yield f"{run.network.grid.neurons} {run.network.genome.tolist()} {plain(run.fitness)}"
        sizes = [run.trajectory.network(k).grid.neurons for k in range(len(run.trajectory.fitness))]
        yield f"{sizes} {plain(run.trajectory.fitness)}"


def _optimal():
    from hyperna import optimal_half_space

    rng = np.random.default_rng(8)
    for dim, n in product((1, 2, 3), (1, 2, 5, 12)):
        for whole in (True, False):
            X = rng.integers(0, 3, (n, dim)) if whole else rng.normal(size=(n, dim))
            y = rng.random(n) < 0.5
            found = optimal_half_space(X, y)
            yield f"{found.errors} {plain(found.w)} {plain(found.t)} {plain(found.predict(X))}"
    yield attempt(optimal_half_space, np.zeros((3, 4)), [0, 1, 1])
    yield attempt(optimal_half_space, rng.normal(size=(1501, 3)), rng.random(1501) < 0.5)


def _tables():
    from hyperna._words import counted, interval, joined, listed, number, percent, shortened, shown
    from hyperna.analysis.growth import theorem_bound
    from hyperna.analysis.tables import (
        Table,
        csv_text,
        escape_latex,
        latex,
        markdown,
    )
    from hyperna.analysis.tables import (
        plain as flat,
    )

    rows = [["one", "1", "2.5"], ["a | b", "10", "x & y_z"], ["long text " * 5, "", "3 %"]]
    records = [{"a": "one", "b": 1.5}, {"a": "two, three", "b": None}]
    table = Table(
        "some", "A title", ["name", "n", "mean"], rows, records, ("A note.",), frozenset({0})
    )
    for write in (markdown, latex, csv_text):
        yield from write(table).splitlines()
    for width in (20, 40, 100):
        yield from flat(table, width).splitlines()
    yield escape_latex("a_b & 3 % # $ {x} ~ ^ \\")
    values = (
        0,
        1,
        -3,
        0.5,
        12.345,
        999.95,
        1000,
        12345.678,
        1e6,
        123456789,
        1e-5,
        1e21,
        np.inf,
        np.nan,
    )
    yield f"{[attempt(number, value) for value in values]}"
    yield f"{[attempt(number, value, 3) for value in values]}"
    shares = (0, 1e-6, 0.005, 0.1234, 0.5, 0.9996, 0.99999, 1)
    yield f"{[attempt(percent, value) for value in shares]}"
    yield f"{[counted(n, 'run') for n in (0, 1, 2, 10000)]} {counted(10000, 'run', 'd')}"
    yield row(
        interval((1.25, 1000.5)), joined([]), joined(["a"]), joined(["a", "b"]), joined("abc")
    )
    yield row(listed(map(str, range(25))), listed(["a", "b"], 1), shown("x" * 200), shown([1] * 99))
    yield f"{[len(shortened('y' * n)) for n in (59, 60, 61, 500)]} {shortened('abcdefghij', 7)}"
    for name, law in product(
        ("half", "quarter", "two_quarters", "local_opt"), ("harmonic", "local", "uniform")
    ):
        bound = theorem_bound(name, law)
        sizes = np.array([30.0, 60.0])
        yield row(name, law, bound and bound.text, bound and attempt(bound.growth, sizes))


def _scores():
    from hyperna import ExactArcs, ExactSphere, FiniteSet, Grid, Network, Online, Sampled, problem

    rng = np.random.default_rng(11)
    for dim, neurons, output, neuron in product(
        (2, 3, 5), (1, 2, 4), ("or", "and", "xor", "evolved"), ("plain", "bent")
    ):
        grid = Grid(dim, neurons, 36, output, neuron=neuron)
        genomes = np.array([grid.random(rng) for _ in range(5)])
        X = rng.normal(size=(20, dim))
        subjects = [FiniteSet(X, X[:, 0] > 0.2, rng.integers(1, 5, 20))]
        subjects += [ExactArcs(problem("local_opt"))] if dim == 2 else []
        subjects += [Sampled(problem("two_quarters", dim=dim), n=64)]
        if dim > 2 and neurons == 1:
            subjects += [ExactSphere(problem("quarter", dim=dim))]
        for made in subjects:
            found = attempt(made.scores, genomes, grid)
            units = attempt(made.units, grid)
            error = attempt(
                lambda m=made, g=grid: m.standard_error(
                    Network(g, g.random(np.random.default_rng(0)))
                )
            )
            yield row(dim, neurons, output, neuron, type(made).__name__, found, units, error)
    grid = Grid(2, 2, 24)
    network = Network(grid, grid.random(rng))
    online = Online(problem("half"), samples=30)
    true = online.true_fitness(grid)(network)
    yield row(true, online.standard_error(network), online.units(grid))


def _chains():
    from hyperna import expected_runtime, problem
    from hyperna.theory.export import export_chain
    from hyperna.theory.landscape import all_scores, targets

    for name, law, options in (
        ("half", "harmonic", {"bias": False}),
        ("half", "local", {"bias": False, "redraw_void": True, "mutation_probability": 0.5}),
        ("quarter", "power_law:exponent=0.5", {"target": 0.95}),
        ("arcs:k=2", "uniform", {"target": 0.7}),
        ("local_opt", "power_law:exponent=2", {}),
        ("quarter", "harmonic", {"neuron": "bent", "bias": False}),
        ("two_quarters", "harmonic", {"neurons": 2, "output": "xor", "bias": False}),
        ("two_quarters", "local", {"neurons": 2, "output": "and"}),
    ):
        r = 6 if options.get("neurons") == 2 else 10
        made = expected_runtime(problem(name), r, law, **options)
        yield f"{name} {law} {options}: {plain(made.mean)} {plain(made.standard_deviation)}"
        yield row(made.probability, made.conditional_mean, made.optimum_share)
        yield f"{plain(made.conditional_standard_deviation)} {made.relative_error_bound < 1e-8}"
        yield row(np.nan_to_num(made.per_state, posinf=-1), made.per_state_probability)
        yield f"{attempt(made.quantiles, (0.1, 0.5, 0.9))} {attempt(made.distribution, 12)}"
        yield attempt(made.fixed_budget, 12)
        yield row(attempt(made.fixed_target), attempt(made.curves, 5))
        yield attempt(lambda m=made: m.evaluations_until_end())
        yield attempt(made.from_start, 1, 2)
        plateaus = [] if r == 6 else made.hitting_probabilities()
        for end in [*made.ends(), *plateaus]:
            yield f"{type(end).__name__} {plain(end.fitness)} {plain(end.probability)} {end.size}"
        yield attempt(made.visit_probability, made.ends()[0].states) if made.ends() else ""
        yield plain(sorted(made.__dict__))
        if r == 10:
            export_chain(made, Path("some_chain"))
            for path in sorted(Path().glob("some_chain.*")):
                yield f"{path.name} {len(path.read_text())} {path.read_text()[:80]!r}"
                os.unlink(path)
    from hyperna import Grid, fitness_of

    for name, bias in product(("half", "local_opt"), (True, False)):
        grid, made = Grid(2, 1, 12), fitness_of(problem(name))
        scores = all_scores(made, grid, bias)
        yield row(scores, [targets(made, grid, scores, t, bias) for t in (None, 0.8)])


def _arcs():
    from hyperna import custom_arcs, points, problem
    from hyperna.problems import arcs

    for text in (
        "0-90",
        "350-370,20-30",
        "0-360",
        "10-20,15-40,100-110",
        "5-5",
        "a-b",
        "0-90,",
        "-10-20",
    ):
        found = attempt(arcs.parse_arcs, text)
        yield f"{text}: {found}"
        with contextlib.suppress(ValueError):
            union = custom_arcs(arcs.parse_arcs(text), unit="degree").arcs
            yield f"{arcs.write_arcs(union)} {arcs.covered(union)} {arcs.complement(union)}"
            yield f"{arcs.merge_arcs(union)} {attempt(lambda u=union: [*arcs.level_sets(u, 3)])}"
            made = custom_arcs(union)
            yield f"{made.default_neurons} {arcs.turned_arcs(union)}"
            for neurons, output, bias, neuron in product(
                (1, 2, 3), ("or", "and", "xor", "evolved"), (True, False), ("plain", "bent")
            ):
                best = attempt(made.best_fitness, neurons, output, bias=bias, neuron=neuron)
                loss = attempt(made.rounding_loss, neurons, 60, bias=bias, neuron=neuron)
                optima = attempt(made.optima, neurons, output, bias=bias, neuron=neuron)
                yield f"{neurons} {output} {bias} {neuron} {best} {loss} {optima[:300]}"
    yield attempt(custom_arcs, [(0.1, 0.2)], dim=1)
    yield attempt(lambda: problem("arcs", k=2, arcs="0-10"))
    some = points(*SMALL, weight=[1, 2, 0.5, 1, 1])
    yield row(some, some.weight, some.scaled().X, some.label(np.array(SMALL[0])))
    for weight in ([1, 2, 3, 4], [0, 0, 0, 0, 0], [1, -1, 1, 1, 1], [1, np.nan, 1, 1, 1]):
        yield attempt(points, *SMALL, weight=weight)
