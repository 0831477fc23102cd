"""Public functions called with anything: they work, or refuse with an error that says why."""

from functools import cache

import numpy as np
import pytest
from hostile import anything, in_time, works_or_refuses
from hypothesis import given
from hypothesis import strategies as st

import hyperna
from hyperna._validation import MOST_JOBS
from hyperna.comparison.validation import MOST_REPEATS
from hyperna.datasets import load, sample
from hyperna.run.results import MOST_RUNS
from hyperna.tables import TableReader

# Points of any size are no fault of `points`, which warns of them.
# scikit-learn says itself where groups are not used.
pytestmark = [
    pytest.mark.filterwarnings("ignore:points lie up to"),
    pytest.mark.filterwarnings("ignore:The groups parameter is ignored"),
]

X = np.array([[0.1, 0.2], [-0.3, 0.4], [0.5, -0.6], [-0.7, -0.8], [0.2, 0.9], [0.8, -0.1]])
Y = np.array([0, 1, 0, 1, 1, 0])
TABLE = {"size": [1, 2.5, None, 4, 5, "?"], "kind": [*"aabbab"], "day": ["2024-01-31"] * 5 + [""]}
HALF, QUICK = hyperna.problem("half"), {"budget": 20, "seed": 0}
NETWORK = hyperna.Network(hyperna.Grid(2, 1, 12), [3, 6])
# Stands for the fitted classifier, so that nothing is compiled while tests are collected.
FITTED = object()


def na(**options):
    return hyperna.OnePlusOneNA(**{"neurons": 1, "resolution": 12, **options})


def classifier(**options):
    return hyperna.NAClassifier(**{"evaluations": 20, "random_state": 0, **options})


@cache
def fitted():
    return classifier().fit(X, Y)


def backend(**options):
    with hyperna.parallel_backend(**options):
        pass


# For each function a call that works; one or two of its arguments are replaced. Numbers stand for
# arguments without a name.
CALLS = {
    "Grid": (hyperna.Grid, {"dim": 2, "neurons": 1, "resolution": 12, "output": "or"}),
    "Network": (hyperna.Network, {"grid": hyperna.Grid(2, 1, 12), "genome": [3, 6]}),
    "Network.predict": (NETWORK.predict, {"X": X}),
    "Network.from_dict": (hyperna.Network.from_dict, {"data": NETWORK.to_dict()}),
    "even_points": (hyperna.even_points, {"n": 5, "dim": 3}),
    "random_points": (hyperna.random_points, {"n": 5, "dim": 3, "seed": 0}),
    "sobol_points": (hyperna.sobol_points, {"n": 5, "dim": 3, "seed": 0}),
    "custom_arcs": (hyperna.custom_arcs, {0: [(0, 90)], "unit": "degree", "dim": 2}),
    "points": (hyperna.points, {"X": X, "y": Y, "weight": None, "name": "six", "scale": True}),
    "PointProblem": (hyperna.PointProblem, {"X": X, "y": Y, "default_neurons": 1}),
    "problem": (hyperna.problem, {"name": "quarter", "dim": 3}),
    "problem arcs": (hyperna.problem, {"name": "arcs", "k": 2}),
    "read_csv": (hyperna.read_csv, {"path": "no.csv", "label": None, "weight": None}),
    "Dataset": (hyperna.Dataset, {"X": X, "y": Y, "features": ("a", "b"), "label": "c"}),
    "dataset": (hyperna.dataset, {"name": "moons", "n": 10, "noise": 0.1, "seed": 0}),
    "load": (load, {"source": "moons:n=10", "label": None}),
    "sample": (sample, {"source": HALF, "n": 5, "seed": 0}),
    "FiniteSet": (hyperna.FiniteSet, {0: X, 1: Y, 2: np.ones(6, np.int64)}),
    "Sampled": (hyperna.Sampled, {0: HALF, "n": 20, "method": "random", "seed": 0}),
    "ExactArcs": (hyperna.ExactArcs, {0: HALF}),
    "ExactSphere": (hyperna.ExactSphere, {0: hyperna.problem("half", dim=3)}),
    "Online": (hyperna.Online, {0: HALF, "samples": 5, "reevaluate": True}),
    "fitness_of": (hyperna.fitness_of, {0: HALF}),
    "fitness": (hyperna.fitness_of(HALF), {0: NETWORK}),
    "Pareto": (hyperna.Pareto, {"shape": 1.5, "scale": 0.1}),
    "PowerLaw": (hyperna.PowerLaw, {0: 1.5}),
    "Cauchy": (hyperna.Cauchy, {"scale": 0.1}),
    "Exponential": (hyperna.Exponential, {"scale": 0.1}),
    "Adaptive": (hyperna.Adaptive, {"growth": 2.0, "decay": 0.7, "jump": 0.25}),
    "OnePlusLambdaNA": (hyperna.OnePlusLambdaNA, {"neurons": 1, "offspring": 3}),
    "OneCommaLambdaNA": (hyperna.OneCommaLambdaNA, {"neurons": 1, "offspring": 3}),
    "MuPlusOneNA": (hyperna.MuPlusOneNA, {"neurons": 1, "members": 3}),
    "AnnealingNA": (hyperna.AnnealingNA, {"neurons": 1, "temperature": 0.1}),
    "RandomisedLocalSearchNA": (hyperna.RandomisedLocalSearchNA, {"neurons": 1}),
    "optimal_half_space": (hyperna.optimal_half_space, {0: X, 1: Y}),
    "OnePlusOneNA": (na, {"output": "or", "mutation": "local", "bias": True, "init": "grid"}),
    "OnePlusOneNA too": (na, {"redraw_void": False, "mutation_probability": 0.5}),
    "run": (na().run, {0: HALF, "target": 0.9, "restarts": 1, **QUICK}),
    "run_many": (na().run_many, {0: HALF, "runs": 2, "stagnation": 9, "n_jobs": 1, **QUICK}),
    "NAClassifier": (
        lambda **o: classifier(**o).fit(X, Y),
        {"output": "or", "max_terms": 3, "max_neurons": 2, "shortness": 0.5},
    ),
    "NAClassifier too": (
        lambda **o: classifier(**o).fit(X, Y),
        {"monotonic_cst": [0, 0], "class_weight": None, "n_jobs": 1},
    ),
    "at": (lambda terms: fitted().at(terms), {"terms": 1}),
    "validate_path": (
        lambda **o: fitted().validate_path(**o),
        {"X": X, "y": Y, "cv": 3, "sample_weight": np.ones(6), "groups": None},
    ),
    "fit": (classifier().fit, {"X": X, "y": Y, "sample_weight": np.ones(6)}),
    "predict": (lambda X: fitted().predict(X), {"X": X}),
    "predict_proba": (lambda X: fitted().predict_proba(X), {"X": X}),
    "from_json": (
        lambda text: hyperna.NAClassifier.from_json(fitted().to_json() if text is FITTED else text),
        {"text": FITTED},
    ),
    "export_text": (
        lambda classifier: hyperna.export_text(fitted() if classifier is FITTED else classifier),
        {"classifier": FITTED},
    ),
    "explain": (
        lambda model, X: hyperna.explain(fitted() if model is FITTED else model, X),
        {"model": FITTED, "X": X},
    ),
    "export_code": (
        lambda model, language: hyperna.export_code(
            fitted() if model is FITTED else model, language
        ),
        {"model": FITTED, "language": "sql"},
    ),
    "export_onnx": (
        lambda model: hyperna.export_onnx(fitted() if model is FITTED else model),
        {"model": FITTED},
    ),
    "compare": (
        hyperna.compare,
        {"data": (X, Y), "classifiers": ["tree"], "folds": 2, "repeats": 1, "seed": 0},
    ),
    "table_pipeline": (
        lambda X, y, **options: hyperna.table_pipeline(classifier(), **options).fit(X, y),
        {"X": TABLE, "y": Y, "kinds": {"size": "number"}, "ignore": ["day"], "names": None},
    ),
    "TableReader": (TableReader().fit, {"X": TABLE}),
    "load_model": (hyperna.load_model, {"path": "no.json"}),
    "save_model": (
        lambda model: hyperna.save_model(
            fitted() if model is FITTED else model, "no.folder/m.json"
        ),
        {"model": FITTED},
    ),
    "expected_runtime": (hyperna.expected_runtime, {0: HALF, "resolution": 12}),
    "parallel_backend": (backend, {"backend": "threading", "n_jobs": 1}),
    "Campaign": (hyperna.Campaign.product, {"problem": "half", "resolution": 12, "runs": 2}),
    "from_dict": (hyperna.Campaign.from_dict, {"content": {"problem": "half", "runs": 2}}),
    "from_toml": (hyperna.Campaign.from_toml, {"path": "no.toml"}),
    "Store": (lambda path: hyperna.Store(path).status(), {"path": "no.store"}),
}
# Numbers that say how much work there is, or how many share it: of those allowed small ones are
# tried.
WORK = {"repeats": MOST_REPEATS, "n_jobs": MOST_JOBS, "runs": MOST_RUNS}


def call(function, arguments):
    """Call a function; arguments with a number for a name are given by their place."""
    named = {key: value for key, value in arguments.items() if isinstance(key, str)}
    return function(*(arguments[key] for key in arguments if key not in named), **named)


@given(st.data())
def test_functions(data):
    name = data.draw(st.sampled_from(list(CALLS)))
    function, arguments = CALLS[name]
    arguments = dict(arguments)
    for _ in range(data.draw(st.integers(1, 2))):
        key = data.draw(st.sampled_from(list(arguments)))
        value = data.draw(anything())
        long = isinstance(value, int | np.integer) and 3 < value <= WORK.get(key, 0)
        arguments[key] = int(value) % 3 if long else value
    works_or_refuses((name, list(arguments)), lambda: call(function, arguments))


@pytest.mark.parametrize("name", CALLS)
def test_the_calls_themselves_work(name):
    function, arguments = CALLS[name]
    with in_time(name):
        if name in ("read_csv", "from_toml", "Store", "load_model", "save_model"):
            with pytest.raises(OSError, match=r"no\."):
                call(function, arguments)
        else:
            call(function, arguments)


def test_every_public_function_is_tried():
    tried = {name.split(".")[0].split()[0] for name in CALLS}
    through = {"Local", "Harmonic", "Uniform", "StepLaw", "Problem", "ArcProblem"}
    results = {"Fitness", "RunResult", "Runs", "ExactRuntime"}
    functions = {name for name in hyperna.__all__ if callable(getattr(hyperna, name))}
    assert functions <= tried | through | results
