"""What the smaller parts of the package return, and what they refuse, in lines of text."""

import contextlib
from itertools import product
from pathlib import Path

import numpy as np
from stored_pictures import sums

SMALL = [[0.5, 0.2], [-0.3, 0.6], [0.1, -0.8], [0.7, 0.7], [-0.9, -0.2]], [1, 0, 1, 1, 0]
DATA = [
    *("xor:n=8,noise=0", "xor:n=9,noise=0.7,seed=3", "circles:n=6,ratio=0.3", "moons:n=7,noise=0"),
    *("circles:n=7,noise=0,seed=2", "half_spaces:dim=2,k=1,n=9", "half_spaces:k=4,noise=0.4,n=9"),
    *("half_spaces:noise=0,n=8", "sphere:n=8", "sphere:n=9,noise=0.3,problem=half,dim=3,seed=4"),
    *("sphere:problem=local_opt,dim=3,rotated=true,n=5", "cube:dim=2", "cube_d4", "quarter_d3"),
    *("arcs_3_d2_rotated", "half_spaces_d2", "sklearn:iris", "sklearn:wine", "half", "arcs:k=2"),
]
# Values at and beyond both ends of what is allowed.
ENDS = {
    "n": (3, 4, 10**6 + 1, True),
    "noise": (-0.01, 0.5, 0.51, 1000, 1001),
    "ratio": (0, 0.01, 0.99, 1),
    "dim": (0, 1, 2, 1001),
    "k": (0, 1, 1001),
    "seed": (-1, 2**70, 1.5),
    "neurons": (0, 1, 2, 1025, 2**40, "evolved", "many"),
    "resolution": (1, 2, 3, 4, 5, 2**40, 2**62, 2**63),
    "budget": (0, 1, 2**61, 2**61 + 1),
    "stagnation": (0, 1, 9, 10),
    "restarts": (-1, 0, 2, "auto", "some"),
    "target": (-0.1, 0.0, 0.5, 1.0, 1.1, True, False, None),
    "mutation_probability": (0, 0.1, 1, 1.1),
    "replace_neuron": (-0.1, 0, 1, 1.1),
    "max_neurons": (0, 1, 5),
    "offspring": (0, 1, 2**20, 2**20 + 1),
    "members": (0, 1, 2**20 + 1),
    "crossover": (-0.1, 0, 1, 1.1),
    "temperature": (-0.1, 0, 5),
    "cooling": (0, 0.1, 1, 1.1),
    "samples": (0, 1),
    "population": (1, 2),
    "sigma": (0, 0.1),
    "tie_clip": (-0.1, 0, 2.0, 2.1),
    "output": ("or", "nor"),
    "neuron": ("plain", "bent", "curly"),
    "move": ("angle", "rotation", "jump"),
    "init": ("grid", "sphere", "data"),
    "method": ("sobol", "random", "even", "odd"),
    "start": ("origin", "random", "end"),
    "representation": ("polar", "cartesian", "spherical"),
    "folds": (1, 2, 301),
    "repeats": (0, 1),
    "level": (0, 0.5, 1),
    "resamples": (0, 1),
    "family": ("free", "power", "probability", "wide"),
    "unit": ("turn", "degree", "radian", "grad"),
}


def plain(value):
    """Return nested values as text, numbers with nine digits, long arrays as sums."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {plain(part)}" for key, part in value.items()) + "}"
    if isinstance(value, np.ndarray) and value.size > 30:
        return f"<{sums(value)}>"
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(plain, value))}]"
    return f"{value + 0.0:.9g}" if isinstance(value, float | np.floating) else str(value)


def row(*values):
    """Return several values as one line."""
    return " ".join(map(plain, values))


def attempt(function, *args, **options):
    """Return what a function returns, or its refusal."""
    try:
        return plain(function(*args, **options))
    except (TypeError, ValueError, ArithmeticError, OSError) as error:
        return f"{type(error).__name__}: {error}"[:160]


def ended(function, given, *keys):
    """Yield what becomes of a call with each option at the ends of its range."""
    for key in keys:
        for value in ENDS[key]:
            told = attempt(lambda key=key, value=value: function(**given | {key: value}))
            yield f"{key}={value}: {told.partition(' at 0x')[0][:160]}"


def parts():
    """Yield name and function of every group."""
    for make in (
        *(_data, _baselines, _neat, _options, _spaces, _objectives, _logs, _campaigns),
        _comparisons,
    ):
        yield f"parts: {make.__name__.strip('_')}", make


def _data():
    from hyperna import dataset, problem
    from hyperna.datasets import DATASETS, SHIPPED, load, rotation, sample

    for text in DATA:
        made = load(text)
        classes = np.unique(made.y, return_inverse=True)[1]
        yield f"{made!r} {made.columns} {plain(made.X)} {plain(classes)}"
        yield attempt(lambda made=made: made.problem().name)
    yield from dataset("cube").to_csv().splitlines()
    yield plain([rotation(dim, seed) for dim in (1, 2, 3, 4) for seed in (0, 1)])
    yield plain([sample(problem("quarter", dim=dim), 4, 2).X for dim in (2, 3)])
    yield plain({name: made.parameters for name, made in DATASETS.items()})
    yield plain(SHIPPED)
    for given in (3, ("a",), (SMALL[0], SMALL[1]), problem("cube"), "iris", "moon", "none.csv"):
        yield attempt(lambda given=given: repr(load(given)))
    yield attempt(load, "moons", "x")
    for label, ignore in (("kind", ["mass"]), ("sweet", ["kind"]), (None, []), ("none", [])):
        yield attempt(_described, label, ignore)
    for name in DATASETS:
        keys = [key for key in DATASETS[name].parameters if key in ENDS]
        yield from (f"{name} {line}" for line in ended(DATASETS[name], {}, *keys))


def _described(label, ignore):
    from hyperna.datasets import read_dataset

    made = read_dataset("table.csv", label, ignore)
    return [repr(made), made.X, made.columns]


def _baselines():
    from hyperna import Sampled, points, problem
    from hyperna.baselines import BASELINES, baseline, baseline_task

    for name, what in product(BASELINES, ("polar", "cartesian")):
        for made, options in (
            (problem("two_quarters"), {"output": "evolved", "budget": 300}),
            (points(*SMALL), {"budget": 120, "stagnation": 40, "restarts": 2, "target": 1.0}),
            (Sampled(problem("quarter", dim=3), n=50), {"budget": 90, "resolution": 24}),
        ):
            task = baseline_task(name, made, representation=what, **options)
            run = task.run(seed=3, number=2)
            rows = task.run_block(3, 1, 3)
            yield f"{name} {what}: {plain(rows)} {run.network.genome.tolist()} {plain(run.fitness)}"
            yield (
                f"{run.stop_reason} {run.success} {run.restarts} {plain(run.improvements.fitness)} "
                f"{plain(run.improvements.evaluations)} {task.criterion} {task.budget} {task.units}"
            )
    for text in (
        "cma_es:sigma=0.3",
        "cma_es:start=random",
        "cma_es:start=end",
        "cma",
        "cma_es:s=1",
    ):
        yield attempt(lambda text=text: baseline(text))
        with contextlib.suppress(ValueError):
            yield plain(baseline_task(text, problem("local_opt"), budget=200).run_block(1, 0, 2))
    yield attempt(baseline, baseline("cma_es"), sigma=2.0)
    yield attempt(baseline, 3)
    yield attempt(baseline_task("cma_es", problem("half")).run, 1, trajectory=True)


def _neat():
    from hyperna import Sampled, points, problem
    from hyperna.baselines import Neat, neat_task
    from hyperna.comparison.neat import NeatClassifier

    for made, options in (
        (problem("quarter"), {"budget": 90}),
        (problem("two_quarters"), {"budget": 30}),
        (problem("cube", dim=3), {"budget": 30}),
        (problem("two_quarters"), {"budget": 60, "target": False}),
        (points(*SMALL), {"budget": 200, "stagnation": 20, "restarts": 1}),
        (Sampled(problem("half", dim=3), n=64), {"budget": 70, "target": 0.99}),
    ):
        task = neat_task("neat:population=20", made, **options)
        run = task.run(seed=5, number=1)
        yield f"{task.criterion} {task.units} {task.target} {task.budget} {task.fitness}"
        yield f"{plain(task.run_block(5, 0, 3))} {run.stop_reason} {run.success} {run.restarts}"
        X = np.random.default_rng(0).normal(size=(9, made.dim))
        network = run.network
        hidden = sum(key not in network.outputs for key, _, _ in network.nodes)
        yield f"{network.size} {hidden} {plain(network.activations(X))}"
        yield f"{plain(network.predict(X))} {plain(run.improvements.fitness)} {plain(run.fitness)}"
    yield row(Neat.parse("neat"), Neat.parse("neat:population=9"), attempt(Neat.parse, "neat:p=1"))
    X = np.random.default_rng(1).normal(size=(40, 3))
    for y in (X[:, 0] > 0, np.digitize(X[:, 1], [-0.5, 0.5])):
        found = NeatClassifier(evaluations=300, population=30, random_state=2).fit(X, y)
        yield f"{plain(found.predict(X))} {found.score(X, y)}"


def _options():
    """Every option of every command: how it is written, read and explained."""
    from hyperna.cli import build_parser

    parser = build_parser()
    (commands,) = (action.choices for action in parser._actions if action.choices)
    for name in commands:
        yield from (f"{name}: {line}" for line in _actions(build_parser([name]), name))


def _actions(parser, *names):
    for action in parser._actions:
        if isinstance(action.choices, dict):
            chosen = {key: part for key, part in action.choices.items() if key in names[:1]}
            for one in (chosen or action.choices).values():
                yield from _actions(one, *names[1:])
        elif action.dest != "help":
            kind = getattr(action.type, "__name__", action.type is not None)
            choices = None if action.choices is None else list(action.choices)
            yield row(action.option_strings or action.dest, action.help, action.metavar, choices)
            yield row(kind, action.default, action.nargs, action.const, action.required)


def _spaces():
    from hyperna import Grid
    from hyperna.baselines.space import Space

    rng = np.random.default_rng(2)
    for dim, neurons, output in (
        (2, 1, "or"),
        (1, 2, "evolved"),
        (3, 2, "evolved"),
        (2, 1, "evolved"),
    ):
        for what in ("polar", "cartesian"):
            space = Space(Grid(dim, neurons, 60, output), what)
            X = rng.uniform(space.low, space.high, (6, space.size))
            X[0], X[1, :dim] = 0.0, 0.0
            yield f"{plain(space.low)} {plain(space.high)} {plain(space.genomes(X))}"


def _objectives():
    from hyperna import FiniteSet, Sampled, points, problem
    from hyperna.interop import Objective, function_id, function_name

    rng = np.random.default_rng(4)
    for made, options in (
        (problem("quarter"), {}),
        (problem("two_quarters"), {"output": "evolved", "resolution": 36}),
        (problem("local_opt"), {"neurons": 2, "output": "and", "target": 0.6}),
        (problem("cube", dim=3), {"output": "xor", "resolution": 24}),
        (points(*SMALL), {}),
        (FiniteSet(*SMALL), {"neurons": 2}),
        (Sampled(problem("half", dim=3), n=30, method="even"), {"resolution": 12}),
    ):
        found = Objective(made, **options)
        x = rng.integers(-5, 80, (4, found.grid.components))
        told = [(found(row.tolist()), found.success) for row in x]
        yield f"{found.name} {function_id(found.name)} {plain(told)}"
        wrapped = found.ioh_problem(3)
        best, meta = wrapped.optimum, wrapped.meta_data
        yield row(wrapped.bounds.lb, wrapped.bounds.ub, np.array(best.x), best.y)
        yield f"{meta.name} {meta.problem_id} {meta.instance} {meta.n_variables}"
        yield f"{wrapped(x[0].tolist())} {meta.optimization_type}"
        yield function_name("some", found.grid, "points=3")
    yield from ended(lambda **given: Objective(problem("half"), **given).name, {}, "resolution")


def _logs():
    """Files for IOHanalyzer, written by hand."""
    from hyperna.interop import Cell, LoggedRun, write_cell
    from hyperna.interop.analyzer import attribute
    from hyperna.interop.names import distinct_ids, file_name

    few = np.array([1, 4, 9]), np.array([0.25, 0.5, 1e-9])
    runs = [
        LoggedRun(*few, 9, 0.5, np.array([3, 4]), True, {"restarts": 2}),
        LoggedRun(*few, 20, 1e-9, np.array([7, 1]), False, {"restarts": 0}),
    ]
    cell = Cell("some: function/of x", 77, 2, "algo", "info", {"a": 3, "b": "quarter", "c": "id"})
    yield str(write_cell("cell", cell, iter(runs)))
    for path in sorted(path for path in Path("cell").rglob("*") if path.is_file()):
        yield f"-- {path}"
        yield from path.read_text(encoding="utf-8").splitlines()
    yield f"{[attribute(x) for x in (3, 0.5, 'quarter', 'or', 'a b', 'and_x', 'Big', True, None)]}"
    yield plain(distinct_ids(["a", "b", "a", "c"]))
    yield f"{[file_name(x) for x in ('', '..', 'a/b c', 'x' * 90, '-a.')]}"


def _campaigns():
    from hyperna import Campaign
    from hyperna.campaign.ioh import describe_algorithm, describe_function, unusual_options
    from hyperna.settings.description import setting

    for content in (
        {"problem": "quarter"},
        {"problem": ["quarter", "half"], "resolution": [12, 24], "runs": 3},
        {
            "runs": 2,
            "bias": False,
            "settings": [{"problem": "half"}, {"problem": "half", "runs": 7}],
        },
        {"mutation": "local", "settings": [{"problem": "half", "algorithm": ["cma_es", "na"]}]},
        {"problem": "half", "points": 20, "sampling": "even", "dim": 3, "target": 0.9},
        {
            "problem": "half",
            "restarts": "auto",
            "stagnation": 30,
            "budget": 100,
            "redraw_void": True,
        },
        {"problem": "half", "mutation_probability": 0.25, "init": "sphere", "online": 9},
        {
            "problem": "half",
            "neuron": "bent",
            "bias": False,
            "algorithm": "rls",
            "move": "rotation",
        },
        {"problem": "half", "runs": 0},
        {"problem": "half", "resolution": []},
        {"problem": "half", "settings": {}},
        {"problem": "half", "resolution": {"a": 1}},
        {"problem": "half", "resolutoin": 4},
        {"problem": "half", "resolution": list(range(2, 1003)), "budget": list(range(1, 1001))},
        {"problem": "half", "runs": 10**13},
        {"settings": [{"problem": "half"}, {"problem": "none"}]},
        {},
    ):
        try:
            made = Campaign.from_dict(content)
        except ValueError as error:
            yield f"refused: {error}"
            continue
        yield f"{made.total} {len(made.wanted)}"
        for one, runs in made.wanted.items():
            yield row(one.id, runs, one.entropy, describe_function(one), describe_algorithm(one))
            yield f"{one} {plain(unusual_options(one))}"
    Path("wrong.toml").write_text(
        'runs = 4\n\n[[settings]]\nproblem = "half"\n'
        '[[settings]]\nproblem = "quarter"\nneurons = 0\n'
    )
    yield attempt(Campaign.from_toml, "wrong.toml")
    Path("wrong.toml").write_text('runs = 0\n[[settings]]\nproblem = "half"\n')
    yield attempt(Campaign.from_toml, "wrong.toml")
    both = Campaign.product(problem="half", runs=3) + Campaign.product(
        problem=["half", "quarter"], runs=2
    )
    yield f"{both.total} {sorted(both.wanted.values())}"
    yield f"{setting(problem='sweet.csv', label='sweet', weight='mass', scale=True)}"


def _comparisons():
    from hyperna import CLASSIFIERS, compare

    made = compare(
        ["xor", "table.csv"], ["logistic", "tree", "knn"], folds=3, repeats=2, rotate=True, seed=3
    )
    for one in (*made.summary(), *made.differences(), *made.differences("tree"), *made.records()):
        yield plain({key: part for key, part in one.items() if "second" not in key})
    yield plain(made.averages())
    yield made.explanation
    yield plain({name: entry.summary for name, entry in CLASSIFIERS.items()})
    yield attempt(compare, "xor", ["none"])
    yield attempt(compare, [], ["na"])
    yield attempt(compare, "xor", [])
