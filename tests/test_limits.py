"""Every number has limits: both ends are accepted, and what is just beyond is refused by name.

Options of a run are numbers too: `test_description_ends` tries theirs wherever they are given.
"""

import numpy as np
import pytest
from option_ranges import ABOVE_0, ABOVE_1, BELOW_1, RANGES

from hyperna import (
    Grid,
    NAClassifier,
    Online,
    Sampled,
    compare,
    even_points,
    expected_runtime,
    problem,
    random_points,
    sobol_points,
)
from hyperna._words import listed, number, shortened
from hyperna.analysis import statistics
from hyperna.baselines import Neat, baseline_task
from hyperna.cli import build_parser
from hyperna.datasets import dataset, sample
from hyperna.interop import Objective
from hyperna.mutation import Adaptive, Exponential, Pareto, PowerLaw
from hyperna.paper.reproduce import Reproduction
from hyperna.play.settings import PlaySetting
from hyperna.run.description import OPTIONS
from hyperna.run.relatives import AnnealingNA, MuPlusOneNA, OnePlusLambdaNA

HALF, QUARTER = problem("half"), problem("quarter")
X, Y = np.linspace(-1, 1, 6)[:, None], [0, 0, 0, 1, 1, 1]
RUNTIME = expected_runtime(QUARTER, 4, "local")


def fit(**options):
    quick = {"evaluations": 3, "max_neurons": 1, "random_state": 0}
    return NAClassifier(**{**quick, **options}).fit(X, Y)


# What is called, the name of the number, the ends that are accepted, and what is refused.
WHOLE = [
    (Grid, {"dim": 2, "neurons": 1}, "resolution", *RANGES["resolution"]),
    (Grid, {"neurons": 1, "resolution": 9}, "dim", *RANGES["dim"]),
    (Grid, {"dim": 2, "resolution": 9}, "neurons", *RANGES["neurons"]),
    (OnePlusLambdaNA, {}, "offspring", [1, 2**20], [0, 2**20 + 1]),
    (MuPlusOneNA, {}, "members", [1, 2**20], [0, 2**20 + 1]),
    (MuPlusOneNA, {}, "crossover", [0.0, 1.0], [-ABOVE_0, ABOVE_1]),
    (AnnealingNA, {}, "temperature", [0.0], [-ABOVE_0]),
    (AnnealingNA, {}, "cooling", [ABOVE_0, 1.0], [0.0, ABOVE_1]),
    (PowerLaw, {}, "exponent", [0.0, 100.0], [-ABOVE_0, 100.1]),
    (Pareto, {}, "shape", [0.01], [0.0, 0.0099]),
    (Exponential, {}, "scale", [1e-3], [0.0]),
    (Adaptive, {}, "growth", [ABOVE_1, 1e6], [1.0, 1000001.0]),
    (Adaptive, {}, "decay", [ABOVE_0, BELOW_1], [0.0, 1.0]),
    (Adaptive, {}, "jump", [0.0, 1.0], [-ABOVE_0, ABOVE_1]),
    (fit, {}, "max_terms", [0], [-1]),
    (fit, {}, "max_neurons", [1, 62], [0, 63]),
    (fit, {}, "shortness", [0.0, 1000.0], [-ABOVE_0, 1000.1]),
    (fit, {}, "evaluations", [0], [-1]),
    (fit, {}, "verbose", [0], [-1]),
    (lambda dim: problem("half", dim=dim), {}, "dim", [2], [1]),
    (lambda k: problem("arcs", k=k), {}, "k", [1, 1000], [0, 1001]),
    (lambda dim: problem("cube", dim=dim), {}, "dim", [1], [0]),
    (lambda samples: Online(HALF, samples), {}, "samples", *RANGES["online"]),
    (lambda n: Sampled(HALF, n=n), {}, "n", *RANGES["points"]),
    (lambda seed: Sampled(HALF, n=9, method="random", seed=seed), {}, "seed", [0], [-1]),
    (lambda n: even_points(n, 2), {}, "n", [1], [0]),
    (lambda n: sobol_points(n, 2, 0), {}, "n", [1], [0]),
    (lambda dim: random_points(2, dim, 0), {}, "dim", [1], [0]),
    (lambda n: dataset("moons", n=n), {}, "n", [4], [3]),
    (lambda n: sample(HALF, n), {}, "n", [1], [0, 1_000_001]),
    (lambda resolution: PowerLaw().pmf(resolution), {}, "resolution", [2], [1]),
    (lambda noise: dataset("xor", noise=noise), {}, "noise", [0.0, 1000.0], [-ABOVE_0, 1000.1]),
    (lambda seed: dataset("moons", seed=seed), {}, "seed", [0], [-1]),
    (Neat, {}, "population", [2], [1]),
    (
        lambda neurons: baseline_task("random_search", HALF, neurons=neurons),
        {},
        "neurons",
        [1],
        [0],
    ),
    (
        lambda restarts: baseline_task("random_search", HALF, restarts=restarts),
        {},
        "restarts",
        [0],
        [-1],
    ),
    (lambda resolution: Objective(HALF, resolution=resolution), {}, "resolution", [2], [1, 2**31]),
    (lambda folds: compare("xor", "logistic", folds=folds, repeats=1), {}, "folds", [2], [1]),
    (lambda repeats: compare("xor", "logistic", folds=2, repeats=repeats), {}, "repeats", [1], [0]),
    (lambda seed: compare("xor", "logistic", folds=2, repeats=1, seed=seed), {}, "seed", [0], [-1]),
    (
        lambda neurons: expected_runtime(HALF, 4, "local", neurons=neurons, target=1.0),
        {},
        "neurons",
        [1, 2],
        [0],
    ),
    (lambda angle: RUNTIME.from_start(angle, 0), {}, "angle", [0, 3], [-1, 4]),
    (lambda bias: RUNTIME.from_start(0, bias), {}, "bias", [0, 4], [-1, 5]),
    (lambda t_max: RUNTIME.distribution(t_max), {}, "t_max", [0], [-1]),
    (lambda trials: statistics.wilson_interval(0, trials), {}, "trials", [1], [0]),
    (lambda successes: statistics.wilson_interval(successes, 5), {}, "successes", [0, 5], [-1, 6]),
    (Reproduction, {}, "runs", [2], [1]),
    (Reproduction, {}, "seed", [0], [-1]),
    (PlaySetting, {}, "dim", [2, 3], [1, 4]),
    (PlaySetting, {}, "k", [1], [0]),
    (PlaySetting, {}, "neurons", [1], [0]),
    (PlaySetting, {}, "resolution", [4], [3]),
    (PlaySetting, {}, "seed", [0, 2**32 - 1], [-1, 2**32]),
    (PlaySetting, {}, "restarts", [0, 10**6], [-1, 10**6 + 1]),
    (PlaySetting, {}, "stagnation", [0, 10**9], [-1, 10**9 + 1]),
]


@pytest.mark.parametrize(("call", "rest", "name", "inside", "outside"), WHOLE)
def test_both_ends_are_accepted_and_what_is_beyond_refused(call, rest, name, inside, outside):
    for value in inside:
        call(**rest, **{name: value})
    for value in outside:
        with pytest.raises(ValueError, match=name):
            call(**rest, **{name: value})


def test_texts_are_shortened_from_their_limits_on():
    assert shortened("x" * 60) == "x" * 60
    assert shortened("x" * 61) == "x" * 57 + "..."
    names = [f"n{k}" for k in range(21)]
    assert listed(names[:20]) == ", ".join(names[:20])
    assert listed(names) == ", ".join(names[:20]) + ", ... (21 in all)"
    assert [number(x) for x in (99.96, 100, 100.4, 0.04)] == ["100.0", "100", "100", "0.0"]


@pytest.mark.parametrize(
    ("option", "accepted", "refused"),
    [
        ("run half --runs", [1], [0]),
        ("run half --jobs", [-1], [-2]),
        ("fit moons --seed", [0, 2**32 - 1], [-1, 2**32]),
        ("fit moons --max-terms", [0], [-1]),
        ("fit moons --max-neurons", [1, 62], [0, 63]),
        ("fit moons --shortness", [0.0, 1000.0], [-ABOVE_0, 1000.1]),
        ("fit moons --evaluations", [0], [-1]),
        ("fit moons --path", [2, 1000], [1, 1001]),
        ("compare xor --folds", [2], [1]),
        ("compare xor --repeats", [1], [0]),
        ("compare xor --seed", [0], [-1]),
        *(
            (f"theory half --{name.replace('_', '-')}", *ends)
            for name, ends in RANGES.items()
            if OPTIONS[name].theory
        ),
        ("reproduce --runs", [2], [1]),
        ("reproduce --seed", [0], [-1]),
        ("play --port", [0, 65535], [-1, 65536]),
    ],
)
def test_both_ends_of_an_option_are_accepted(option, accepted, refused):
    for value in accepted:
        build_parser().parse_args(f"{option}={value!r}".split())
    for value in refused:
        with pytest.raises(ValueError, match=option.split()[-1]):
            build_parser().parse_args(f"{option}={value!r}".split())
