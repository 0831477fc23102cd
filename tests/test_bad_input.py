"""Wrong arguments: each is refused with its name, what was given, and what would be right."""

import math

import numpy as np
import pytest

import hyperna
from hyperna import (
    ArcProblem,
    ExactArcs,
    FiniteSet,
    Grid,
    Network,
    OnePlusOneNA,
    PointProblem,
    Sampled,
    custom_arcs,
    even_points,
    fitness_of,
    points,
    problem,
    random_points,
    sobol_points,
)

NAN, INF = math.nan, math.inf
NO_INTEGER = [1.5, 2.0, "2", NAN, INF, True, [2], 2j, object()]
NO_COUNT = [*NO_INTEGER, 0, -1, None]
NO_REAL = [NAN, INF, -INF, "1", True, [1.0], 1j, object()]
NO_POSITIVE = [*NO_REAL, 0.0, -1.0, None]
NO_BOOL = [0, 1, "yes", None, NAN, [True]]
NO_NAME = ["", "made up", 3, None, ["or"], NAN]
NO_POINTS = [
    *([], [[]], np.zeros((0, 2)), np.zeros((3, 0)), 1.0, [1.0, 2.0], np.zeros((1, 2, 2))),
    *("points", None, [["a", "b"]], [[1.0], [1.0, 2.0]], [[1j, 0.0]], object()),
    *([[NAN, 0.0]], [[INF, 0.0]], [[0.0, -INF]]),
]
NO_LABELS = [
    *([], [0], [0, 1, 1], [[0, 1]], [0, 2], [-1, 1], [0.5, 1], [NAN, 1], [INF, 0]),
    *(["a", "b", 1], None, "01", 1, [1j, 0], object()),
]
NO_WEIGHTS = [[], [1.0], [1.0, -1.0], [0.0, 0.0], [NAN, 1.0], [INF, 1.0], ["a", "b"], 1.0, object()]
NO_GENOME = [
    *([], [1], [1, 2, 3], [[1, 2]], [1.0, 2.0], [True, False], ["1", "2"], None, 1, "12"),
    *([-1, 2], [12, 2], [1, 13], [NAN, 2], [INF, 2], [2**70, 2], object(), np.zeros(2)),
]

GRID = Grid(2, 1, 12)
EVOLVED = Grid(2, 2, 12, "evolved")
NETWORK = Network(GRID, [3, 6])
SPACE = Network(Grid(3, 1, 12), [3, 3, 6])
HALF = problem("half")
X, Y = [[0.0, 1.0], [0.0, -1.0]], [1, 0]
NA = OnePlusOneNA(resolution=12)
RUNS = {"problem": HALF, "runs": 2, "seed": 0}
RUN = {"problem": HALF, "seed": 0}

# What is called, with arguments that are right, and for each argument values that are wrong.
CALLS = {
    "Grid": (
        Grid,
        {"dim": 2, "neurons": 1, "resolution": 12, "output": "or"},
        {
            "dim": NO_COUNT,
            "neurons": NO_COUNT,
            "resolution": [*NO_COUNT, 1, 2**40 + 1, 10**5000],
            "output": NO_NAME,
        },
    ),
    **{
        f"Grid.{name}": (getattr(GRID, name), {"genome": [3, 6]}, {"genome": NO_GENOME})
        for name in ("check", "parameters")
    },
    "Grid.from_weights": (
        EVOLVED.from_weights,
        {"W": [[0, 1], [1, 0]], "t": [0, 0], "output_w": [1, 1], "output_t": 0.5},
        {
            "W": [
                [],
                [[0, 1]],
                [[0, 0], [1, 0]],
                [[NAN, 1], [1, 0]],
                [[INF, 1], [1, 0]],
                "a",
                None,
            ],
            "t": [[], [0.0], [NAN, 0.0], [INF, 0.0], "a", None],
            "output_w": [[], [1], [0, 0], [NAN, 1], "ab", None],
            "output_t": [NAN, INF, [0.0], "a", None],
        },
    ),
    "Grid.random": (
        GRID.random,
        {"rng": np.random.default_rng(0), "init": "grid"},
        {"rng": [None, 0, np.random, "rng"], "init": NO_NAME},
    ),
    "Network": (
        Network,
        {"grid": GRID, "genome": [3, 6]},
        {"grid": [None, 2, "grid", (2, 1, 12)], "genome": NO_GENOME},
    ),
    **{
        f"Network.{name}": (
            getattr(NETWORK, name),
            {"X": X},
            {"X": [*NO_POINTS, np.zeros((2, 1)), np.zeros((2, 3))]},
        )
        for name in ("predict", "hidden", "margin")
    },
    "Network.text": (
        NETWORK.text,
        {"feature_names": ["a", "b"]},
        {"feature_names": [[], ["a"], ["a", "b", "c"], ["a", 1], 3]},
    ),
    "Network.from_json": (
        Network.from_json,
        {"text": NETWORK.to_json()},
        {"text": ["", "{", "null", "[]", "1", None, 1, b"{}", "NaN"]},
    ),
    "problem": (
        problem,
        {"name": "half", "dim": 2},
        {
            "name": ["", "whole", 3, None, ["half"], "half:dim", "half:k=3"],
            "dim": [*NO_COUNT[:-1], 1],
        },
    ),
    "problem arcs": (
        problem,
        {"name": "arcs", "k": 2},
        {"k": [*NO_COUNT, 1001]},
    ),
    "problem cube": (problem, {"name": "cube", "dim": 2}, {"dim": [*NO_COUNT[:-1], 21]}),
    "ArcProblem": (
        ArcProblem,
        {"name": "a", "arcs": [(0, 0.5)], "dim": 2, "default_neurons": 1},
        {
            "arcs": [
                *([], None, 1, "ab", [(0,)], [(0, 1, 2)], [(0.5, 0.25)], [(0, 0)], [(0, 1)]),
                *([(0, NAN)], [(0, INF)], [(0, "a")], [(0, True)], [(0, 1j)], [(None, 1)]),
            ],
            "dim": [*NO_COUNT, 1],
            "default_neurons": [*NO_INTEGER, -1],
        },
    ),
    "custom_arcs": (
        custom_arcs,
        {"intervals": [(0, 90)], "unit": "degree", "dim": 2},
        {
            "intervals": [[], "0..", "x", "1/0..1", None, 1, [(90, 0)], [(0, NAN)], [(0, 360)]],
            "unit": NO_NAME,
            "dim": [*NO_COUNT, 1],
        },
    ),
    "points": (
        points,
        {"X": X, "y": Y, "weight": [1, 2]},
        {"X": NO_POINTS, "y": NO_LABELS, "weight": NO_WEIGHTS},
    ),
    "PointProblem": (
        PointProblem,
        {"X": X, "y": Y, "default_neurons": 1},
        {"default_neurons": NO_COUNT},
    ),
    "Problem.label": (HALF.label, {"X": X}, {"X": [*NO_POINTS, np.zeros((2, 3))]}),
    "PointProblem.label": (points(X, Y).label, {"X": X}, {"X": [*NO_POINTS, np.eye(3), np.eye(2)]}),
    "Problem.optima": (
        HALF.optima,
        {"neurons": 1, "output": "or"},
        {"neurons": NO_COUNT, "output": NO_NAME},
    ),
    "Problem.best_fitness": (
        HALF.best_fitness,
        {"neurons": 1, "output": "or"},
        {"neurons": NO_COUNT, "output": NO_NAME},
    ),
    "ExactArcs": (ExactArcs, {"problem": HALF}, {"problem": [None, "half", problem("cube")]}),
    "FiniteSet": (
        FiniteSet,
        {"X": X, "y": Y, "weights": [1, 2]},
        {
            "X": NO_POINTS,
            "y": NO_LABELS,
            "weights": NO_WEIGHTS,
            "problem": ["half", 3, HALF.dim],
        },
    ),
    "Sampled": (
        Sampled,
        {"problem": HALF, "n": 8, "method": "sobol", "seed": 0},
        {
            "problem": [None, "half", problem("cube")],
            "n": NO_COUNT,
            "method": NO_NAME,
            "seed": [*NO_INTEGER, -1, None],
        },
    ),
    "fitness_of": (fitness_of, {"subject": HALF}, {"subject": [None, "hlf", 3, NETWORK]}),
    "fitness": (ExactArcs(HALF), {"network": NETWORK}, {"network": [SPACE, None, [3, 6], "n"]}),
    "fitness of points": (
        FiniteSet(X, Y),
        {"network": NETWORK},
        {"network": [SPACE, None, [3, 6], "n"]},
    ),
    "random_points": (
        random_points,
        {"n": 2, "dim": 2, "seed": 0},
        {"n": NO_COUNT, "dim": NO_COUNT, "seed": [-1, 1.5, "a"]},
    ),
    "sobol_points": (
        sobol_points,
        {"n": 2, "dim": 2, "seed": 0},
        {"n": [*NO_COUNT, 2**31], "dim": [*NO_COUNT, 10**6], "seed": [-1, 1.5, "a"]},
    ),
    "even_points": (even_points, {"n": 2, "dim": 2}, {"n": NO_COUNT, "dim": NO_COUNT}),
    "PowerLaw": (hyperna.PowerLaw, {"exponent": 1}, {"exponent": [*NO_REAL, -1, 101, None]}),
    "Pareto": (
        hyperna.Pareto,
        {"shape": 1, "scale": 1},
        {"shape": NO_POSITIVE, "scale": NO_POSITIVE},
    ),
    "Cauchy": (hyperna.Cauchy, {"scale": 1}, {"scale": NO_POSITIVE}),
    "Exponential": (hyperna.Exponential, {"scale": 1}, {"scale": NO_POSITIVE}),
    "Adaptive": (
        hyperna.Adaptive,
        {"growth": 2, "decay": 0.5},
        {"growth": [*NO_POSITIVE, 1.0, 1e7], "decay": [*NO_POSITIVE, 1.0]},
    ),
    "StepLaw.pmf": (
        hyperna.Harmonic().pmf,
        {"resolution": 4},
        {"resolution": [*NO_COUNT, 1, 2**40]},
    ),
    "OnePlusOneNA": (
        OnePlusOneNA,
        {"neurons": 1, "resolution": 12},
        {
            "neurons": NO_COUNT,
            "output": NO_NAME,
            "resolution": [*NO_COUNT, 1, 2**40 + 1],
            "mutation": [
                *("", "gauss", None, 3, hyperna.Harmonic, ["local"], "pareto:shape", "pareto:a=1"),
                *("pareto:shape=x", "harmonic:a=1"),
            ],
            "bias": NO_BOOL,
            "redraw_void": NO_BOOL,
            "mutation_probability": [*NO_REAL, 0.0, -0.5, 1.5],
            "init": NO_NAME,
        },
    ),
    "OnePlusOneNA.grid": (NA.grid, {"dim": 2}, {"dim": NO_COUNT}),
    "run": (
        NA.run,
        RUN,
        {
            "problem": [None, "hlf", 3, NETWORK, HALF.arcs],
            "budget": [*NO_COUNT[:-1], 2**62],
            "stagnation": [*NO_COUNT[:-1], 2**62],
            "target": [*NO_REAL, -0.1, 1.1],
            "restarts": [*NO_INTEGER, -1, None, 2**70],
            "seed": [*NO_INTEGER, -1, np.random.default_rng(0), [1, 2]],
            "number": [*NO_INTEGER, -1, None, 2**63 - 1, 2**64],
            "trajectory": NO_BOOL,
            "start": ["start", [3, 6], GRID, SPACE, Network(Grid(2, 1, 24), [3, 6])],
        },
    ),
    "run_many": (
        NA.run_many,
        RUNS,
        {
            "problem": [None, "hlf", 3, NETWORK],
            "runs": [*NO_COUNT, 2**70],
            "budget": [*NO_COUNT[:-1], 2**62],
            "stagnation": [*NO_COUNT[:-1], 2**62],
            "target": [*NO_REAL, -0.1, 1.1],
            "restarts": [*NO_INTEGER, -1, None, 2**70],
            "seed": [*NO_INTEGER, -1],
            "n_jobs": [*NO_INTEGER, 0, 10**5, -(10**5), 10**30],
            "progress": ["bar", 1, True, [print]],
        },
    ),
    "Runs.replay": (
        NA.run_many(**RUNS).replay,
        {"number": 1},
        {"number": [*NO_INTEGER, -1, 2, None], "trajectory": NO_BOOL},
    ),
}
# What a message says about the value: the value itself, or what to do about it.
ADVICE = ("got", "must be given", "leave a part", "its parameters", "its settings", "JSON")
# Words that stand for an argument where the message is not about the argument as a whole.
OTHER_NAMES = {
    "arcs": ["arc", "intervals"],
    "intervals": ["arc"],
    "text": ["network"],
    "network": ["networks"],
    "name": ["problem"],
    "subject": ["problem"],
    "k": ["k "],
}


def every_argument():
    for name, (_, _, wrong) in CALLS.items():
        for argument in wrong:
            yield name, argument


@pytest.mark.parametrize("name", CALLS)
def test_right_arguments_are_accepted(name):
    function, right, _ = CALLS[name]
    function(**right)


@pytest.mark.parametrize(("name", "argument"), list(every_argument()))
def test_wrong_arguments_are_refused_by_name(name, argument):
    function, right, wrong = CALLS[name]
    complaints = []
    for value in wrong[argument]:
        try:
            function(**{**right, argument: value})
        except (ValueError, TypeError) as error:
            message = str(error)
            named = any(word in message for word in (argument, *OTHER_NAMES.get(argument, ())))
            if not (named and any(word in message for word in ADVICE)):
                complaints.append((value, message))
            assert len(message) < 500
        except Exception as error:
            complaints.append((value, f"{type(error).__name__}: {error}"))
        else:
            complaints.append((value, "accepted"))
    assert not complaints


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: OnePlusOneNA(resolution=13, bias=False), "resolution must be even.*got 13"),
        (lambda: NA.run(HALF, start=SPACE), r"start must be on the grid .*got one on"),
        (
            lambda: OnePlusOneNA(resolution=12, bias=False).run(HALF, start=Network(GRID, [3, 7])),
            "start must have biases 0",
        ),
        (
            lambda: NA.run(HALF, target=True),
            "target must be a fitness from 0 to 1 or False, got True",
        ),
        (lambda: NA.run_many(HALF, runs=1, n_jobs=0), "n_jobs must not be 0.*got 0"),
        (lambda: fitness_of(problem("cube"), n=5), "n must be left out"),
        (lambda: problem("arcs"), "must be given either k"),
        (lambda: problem("half", width=3), "no parameter 'width'"),
        (lambda: problem("half:dim=2", dim=3), "dim is given twice"),
        (
            lambda: GRID.from_weights([[0, 1]], [0], [1], 1),
            "output_w and output_t must be left out",
        ),
        (lambda: Grid(2, 1, 13).random(np.random.default_rng(0), bias=False), "must be even"),
        (
            lambda: hyperna.PowerLaw(1.5).steps(2**40) and hyperna.Uniform().pmf(2**23),
            "got 8388608",
        ),
    ],
)
def test_arguments_that_do_not_fit_together(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


def test_a_law_of_ones_own_that_needs_too_long_a_table_is_refused():
    class Stub(hyperna.mutation.StepLaw):
        def weights(self, resolution):
            raise AssertionError("not to be asked for so many")

    try:
        with pytest.raises(ValueError, match="resolution must be an integer from 2 to 4194304"):
            OnePlusOneNA(resolution=2**23, mutation="stub").run(HALF, seed=0)
    finally:
        del hyperna.LAWS["stub"]


def test_refusals_leave_no_trace():
    """A call that was refused does not change what the next one gives."""
    before = NA.run(HALF, seed=1).network
    for options in ({"budget": 0}, {"target": 2.0}, {"seed": -1}):
        with pytest.raises(ValueError, match="must be"):
            NA.run(HALF, **{"seed": 1, **options})
    assert NA.run(HALF, seed=1).network == before


@pytest.mark.parametrize("make", ["even_points", "random_points", "sobol_points"])
def test_points_that_do_not_fit_into_memory_are_refused_before_any_work(make):
    from hyperna.fitness import sampling

    with pytest.raises(ValueError, match=r"n must be at most [\d,]+ for dim=500, got 536,870,912"):
        getattr(sampling, make)(2**29, 500)
