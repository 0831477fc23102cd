"""What functions return on small inputs, in lines of text, to be stored."""

from functools import partial
from itertools import product
from pathlib import Path

import numpy as np
from stored_pictures import sums

LAWS = [
    *("harmonic", "local", "uniform", "power_law:exponent=1.5", "pareto:shape=1.5", "cauchy"),
    *("exponential:scale=2", "self_adjusting", "adaptive"),
]
NAMES = ["half", "quarter", "two_quarters", "local_opt", "arcs:k=3", "cube"]
PAGE = [
    {"problem": "quarter", "neurons": 1, "resolution": 24, "mutation": "harmonic"},
    {"problem": "two_quarters", "neurons": 2, "resolution": 36, "mutation": "pareto:shape=1.5"},
    {"problem": "local_opt", "neurons": 1, "resolution": 12, "mutation": "local"},
    {"problem": "half", "neurons": 2, "output": "and", "resolution": 24, "bias": False},
    {"problem": "cube", "neurons": 2, "output": "xor", "resolution": 24},
    {"problem": "quarter", "neurons": 1, "neuron": "bent", "resolution": 24},
    {"problem": "quarter", "resolution": 12, "restarts": 2, "stagnation": 40, "seed": 7},
]


def told(value):
    """Return nested values as text; long lists as sums."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {told(value[key])}" for key in value) + "}"
    if isinstance(value, np.ndarray) and value.size > 12:
        return sums(value)
    if isinstance(value, np.ndarray):
        return told(value.tolist())
    if isinstance(value, list | tuple):
        whole = len(value) > 12 and not isinstance(value[0], dict | str)
        return sums(_numbers(value)) if whole else f"[{', '.join(map(told, value))}]"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _numbers(value):
    return (
        [x for part in value for x in _numbers(part)] if isinstance(value, list) else [value or 0]
    )


def attempt(function, *args, **options):
    """Return what a function returns, or the kind of its refusal."""
    try:
        return told(function(*args, **options))
    except (TypeError, ValueError) as error:
        return f"refused: {str(error)[:60]}"


def functions(command):
    """Yield name and function of every group; `command` runs a command line."""
    for name in NAMES:
        yield f"problem {name}", partial(_problem, name)
    yield "laws", _laws
    yield "points", _points
    yield "networks", _networks
    yield "theory", _theory
    yield "statistics", _statistics
    yield "page", _page
    yield "baselines", _baselines
    yield "classifiers", _classifiers
    yield "classifiers of all data sets", _all_data_sets
    yield "reproduce", partial(_reproduced, command)


def _reproduced(command):
    command("reproduce --quick --runs 2 --table 3 5 8 --jobs 1 --out tables")
    for path in sorted(path for path in Path("tables").iterdir() if path.is_file()):
        yield f"-- {path.name}"
        yield from path.read_text(encoding="utf-8").splitlines()


def _problem(name):
    from hyperna import OnePlusOneNA, problem

    for neurons, output, bias, neuron in product(
        (1, 2, 3), ("or", "and", "xor", "evolved"), (True, False), ("plain", "bent")
    ):
        made = problem(name)
        options = {"bias": bias, "neuron": neuron}
        best = attempt(made.best_fitness, neurons, output, **options)
        optima = attempt(made.optima, neurons, output, **options)
        loss = attempt(made.rounding_loss, neurons, 60, **options)
        task = OnePlusOneNA(neurons, output=output, resolution=60, **options).task(made)
        yield (
            f"{neurons} {output} {bias} {neuron}: {best} {optima} {loss} {made.default_neurons} "
            f"{task.criterion} {task.budget} {told(task.default_target)} {task.probability:.6g}"
        )
    if name != "cube":
        wide = problem(name, dim=3)
        X = np.random.default_rng(0).normal(size=(40, 3)).round(1)
        yield f"in space: {wide.label(X).astype(int).tolist()}"
        yield f"{[attempt(wide.best_fitness, n, o) for n in (1, 2) for o in ('or', 'and', 'xor')]}"


def _laws():
    from hyperna.mutation import law

    for text, r in product(LAWS, (12, 1000, 2**40)):
        made = law(text)
        if r < 2**40:
            yield f"{made} {r}: {attempt(made.pmf, r)}"
        data = attempt(lambda made=made, r=r: {**made.steps(r, 2**10)._asdict()})
        yield f"{made} {r}: {data}"


def _points():
    from hyperna import DATASETS, dataset, even_points, random_points, sobol_points

    for dim in (1, 2, 3, 5):
        found = even_points(16, dim), random_points(16, dim, 1), sobol_points(16, dim, 1)
        yield f"{dim}: {list(map(sums, found))}"
    for name in DATASETS:
        made = dataset(name)
        place = np.unique(made.y, return_inverse=True)[1]
        yield f"{name}: {made.X.shape} {sums(made.X)}, {sums(place)}"


def _networks():
    from hyperna import Grid, Network

    X = np.random.default_rng(1).normal(size=(30, 3))
    for output, neuron, dim in product(("or", "and", "xor", "evolved"), ("plain", "bent"), (2, 3)):
        grid = Grid(dim, 3, 60, output, neuron=neuron)
        network = Network(grid, grid.random(np.random.default_rng(dim)))
        own = X[:, :dim]
        yield f"{output} {neuron} {dim}: {network.to_json()}"
        yield from network.text().splitlines()
        parts = network.predict(own), network.hidden(own), network.margin(own)
        yield f"{list(map(sums, parts))}"
        yield f"{told(network.weights())} {attempt(network.output_weights)} {attempt(network.caps)}"
        if neuron == "plain":
            w, t = network.weights()
            given = network.output_weights() or ()
            yield str(Network.from_weights(w, t, 1000, output, *given).genome.tolist())


def _theory():
    from hyperna import expected_runtime, problem
    from hyperna.theory.best import best_law

    for name, law, options in (
        ("quarter", "harmonic", {}),
        ("local_opt", "local", {}),
        ("half", "uniform", {"bias": False}),
        ("two_quarters", "local", {"neurons": 2}),
        ("quarter", "power_law:exponent=1.5", {"redraw_void": True, "target": 0.9}),
        ("local_opt", "uniform", {"mutation_probability": 0.7}),
    ):
        made = expected_runtime(problem(name), 8, law, **options)
        yield f"{name} {law} {options}: {made.mean:.8g} {made.conditional_mean:.8g}"
        yield f"{told(made.fitness)} {sums(made.target)} {attempt(made.distribution, 30)}"
        yield f"{attempt(made.fixed_budget, 30)} {attempt(made.fixed_target)}"
        yield f"{attempt(made.quantiles)} {attempt(lambda m=made: m.evaluations_until_end())}"
        yield attempt(lambda m=made: [told(end.__dict__) for end in m.ends()])
        yield attempt(lambda m=made: [told(one.__dict__) for one in m.hitting_probabilities()])
        yield attempt(made.from_start, 3, 4)
    for family in ("power", "probability"):
        found = best_law(problem("quarter"), 8, family)
        yield f"{family}: {found.mean:.5g} {found.harmonic_mean:.5g}"


def _statistics():
    from hyperna.analysis import comparisons, laws, statistics

    rng = np.random.default_rng(3)
    one, other, third = rng.exponential(90, 25).round(), rng.exponential(130, 20).round(), [7.0] * 9
    yield told([statistics.wilson_interval(k, 9) for k in (0, 4, 9)])
    for sample, kind in product((one, other), ("mean", "median")):
        yield attempt(statistics.bootstrap_interval, sample, kind)
    yield told(statistics.expected_running_time(one, one < 150))
    yield str(comparisons.pairwise_tests({"one": one, "other": other, "third": third}))
    r = np.array([30, 60, 120, 240, 480, 960.0])
    for mean in (r * np.log(r), 2 * np.log(r) ** 2, r**1.3, r**2 + 7):
        fits = laws.fit_scaling(r, mean * [1.01, 0.99, 1, 1.01, 0.99, 1], mean / 60)
        yield from (f"{fit} {fit.weight:.4g} {fit.p_value:.4g} {sums(fit(r))}" for fit in fits)
        yield laws.verdict(fits)


def _page():
    from hyperna.play import answers

    yield told(answers.choices())
    for data in PAGE:
        for ask in (answers.task, answers.landscape, answers.race):
            yield f"{ask.__name__}: {attempt(ask, data)}"
    for name in ("moons", "xor"):
        found = answers.sample({"name": name})
        yield told(found)
        yield attempt(answers.classify, {"points": found["points"], "neurons": 2, "output": "xor"})


def _baselines():
    from hyperna.baselines import baseline_task
    from hyperna.problems import problem

    for representation, output in product(("polar", "cartesian"), ("or", "evolved")):
        task = baseline_task(
            f"random_search:representation={representation}",
            problem("two_quarters"),
            output=output,
            budget=400,
            stagnation=60,
            restarts=2,
        )
        run = task.run(seed=4, number=1)
        yield f"{told(task.run_block(4, 0, 3))} {run.network.genome.tolist()} {told(run.fitness)}"


def _classifiers():
    from hyperna import NAClassifier, dataset

    made = dataset("moons", n=120, seed=2)
    whole = np.random.default_rng(0).integers(1, 4, 120)
    three = made.y + (made.X[:, 0] > 1.0)
    rng = np.random.default_rng(5)
    wide = rng.normal(size=(150, 9)) * 10.0 ** np.arange(-4, 5)
    wide[:, 3] = 7.0
    told = (wide[:, 4] + 0.1 * wide[:, 5] > 0) ^ (rng.random(150) < 0.1)
    many = rng.normal(size=(2500, 3))
    bent = (many[:, 0] > 0) ^ (many[:, 1] * many[:, 2] > 0.5)
    crowd = rng.normal(size=(25_000, 3))
    told_crowd = (crowd[:, 0] > 0.5) | (crowd[:, 1] + 0.1 * crowd[:, 2] > 1)
    few = np.repeat(made.X[:30], 3, axis=0), np.repeat(made.y[:30], 3)
    for X, y, weight, options in (
        (made.X, made.y, whole, {"n_neurons": 2, "output": "or"}),
        (made.X, made.y, whole, {"n_neurons": 3, "output": "evolved", "tie_break": None}),
        (made.X, made.y, None, {"n_neurons": 2, "output": "and", "neuron": "bent"}),
        (made.X, made.y, None, {"n_neurons": 2, "output": "xor", "init": "grid", "n_restarts": 3}),
        (made.X, made.y, 0.3 + whole, {"init": "sphere", "n_neurons": 4, "output": "or"}),
        (made.X, three, whole / 7, {"class_weight": "balanced"}),
        (made.X, three, None, {"output": "or", "n_restarts": 0, "stagnation": 100}),
        (made.X, made.y, None, {"max_evals": 1}),
        (made.X, made.y, None, {"max_evals": 40}),
        (made.X, made.y, None, {"max_evals": 300, "output": "xor"}),
        (made.X, made.y, None, {"max_evals": 20_000, "n_restarts": 5}),
        (made.X / 4, made.y, None, {"scale": False, "output": "evolved", "move": "angle"}),
        (wide, told, None, {}),
        (wide, told, None, {"n_neurons": 2, "output": "and", "resolution": 100}),
        (many, bent, None, {"output": "xor"}),
        (many, bent, None, {"output": "evolved", "n_neurons": 4, "init": "grid"}),
        (*few, None, {"tie_break": 0.2}),
        (crowd, told_crowd, None, {"n_neurons": 3, "output": "or", "max_evals": 300}),
        (crowd, told_crowd, 1.0 + (crowd[:, 1] > 0), {"n_neurons": 1, "max_evals": 300}),
    ):
        fitted = NAClassifier(**{"max_evals": 1500, "random_state": 1} | options)
        yield from _fitted(fitted, X, y, weight)
        yield f"{options}"
    fitted = NAClassifier(max_evals=200, n_neurons=2, output="or", warm_start=True, random_state=0)
    for _ in range(2):
        yield from _fitted(fitted, made.X, made.y, None)


def _fitted(classifier, X, y, weight):
    from hyperna import export_text

    classifier.fit(X, y, sample_weight=weight)
    yield f"{classifier.n_neurons_} {classifier.output_} {classifier.n_iter_}"
    yield f"{classifier.training_score_:.6g} {sums(classifier.loss_evals_)}"
    yield f"{sums(classifier.predict(X))} {sums(classifier.decision_function(X))}"
    yield f"{sums(classifier.predict_proba(X))} {sums(classifier.loss_curve_)}"
    yield told([classifier.feature_importances_, classifier.slope_, classifier.lapse_])
    yield from export_text(classifier).splitlines()


def _all_data_sets():
    """Fits of every data set of the project with the defaults, and of parts of some with others."""
    from hyperna import NAClassifier, dataset
    from hyperna.datasets import SHIPPED

    for name in SHIPPED:
        made = dataset(name)
        yield name
        yield from _fitted(NAClassifier(max_evals=1000, random_state=0), made.X, made.y, None)
    rng = np.random.default_rng(9)
    for k, (output, neuron, init, move, tie_break) in enumerate(
        product(
            *(("auto", "or", "xor", "evolved"), ("plain", "bent"), ("data", "grid", "sphere")),
            *(("rotation", "angle"), ("margin", None)),
        )
    ):
        X = rng.normal(size=(30 + k, 1 + k % 4)).round(1 + k % 2)
        y = (X[:, 0] > 0.3 * (k % 3)) ^ ((X[:, -1] > 1) & (k % 5 > 1)) ^ (rng.random(30 + k) < 0.05)
        options = {"output": output, "neuron": neuron, "init": init, "move": move}
        limits = {"max_evals": 60 + 10 * k, "random_state": k, "n_restarts": k % 3}
        fitted = NAClassifier(
            **options, tie_break=tie_break, resolution=(48, 2**16)[k % 2], **limits
        )
        yield f"{k} {options}"
        yield from attempted(fitted, X, y, rng.integers(1, 4, 30 + k) / (1 + k % 3))


def attempted(fitted, X, y, weight):
    """Yield what a fit gives, or why it is refused."""
    try:
        yield from _fitted(fitted, X, y, weight)
    except ValueError as error:
        yield f"refused: {error}"
