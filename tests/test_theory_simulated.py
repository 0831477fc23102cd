"""Exact runtimes beside simulated runs of each kind, within four standard errors.

HYPERNA_RUNS=100000 makes that number of runs of all kinds, also where they take long.
"""

import math
import os

import numpy as np
import pytest

from hyperna import (
    OneCommaLambdaNA,
    OnePlusLambdaNA,
    OnePlusOneNA,
    RandomisedLocalSearchNA,
    expected_runtime,
    problem,
)

MANY, FEWER = (int(os.environ.get("HYPERNA_RUNS", number)) for number in (100_000, 20_000))
CLASSES = {
    "na": OnePlusOneNA,
    "rls": RandomisedLocalSearchNA,
    "one_plus_lambda": OnePlusLambdaNA,
    "one_comma_lambda": OneCommaLambdaNA,
}
XOR = {"neurons": 2, "output": "xor"}
# problem, dimension, resolution, law, settings, target
SETTINGS = [
    ("half", 3, 4, "harmonic", {}, None),
    ("half", 3, 12, "harmonic", {}, None),
    ("half", 3, 12, "local", {}, None),
    ("half", 3, 12, "harmonic", {"bias": False}, None),
    ("half", 3, 8, "harmonic", {"bias": False, "neuron": "bent"}, None),
    ("quarter", 3, 6, "harmonic", {}, 0.85),
    ("quarter", 3, 12, "uniform", {}, 0.85),
    ("local_opt", 3, 8, "harmonic", {}, 0.65),
    ("cube", 2, 8, "harmonic", {}, 0.75),
    ("cube", 3, 6, "harmonic", {}, 0.75),
    ("cube", 2, 12, "harmonic", XOR, None),
    ("cube", 2, 8, "local", XOR, None),
    ("quarter", 2, 8, "harmonic", {"neuron": "bent"}, 0.95),
    ("quarter", 2, 16, "harmonic", {"algorithm": "rls"}, None),
    ("local_opt", 2, 12, "local", {"algorithm": "rls"}, None),
    ("half", 3, 12, "harmonic", {"algorithm": "rls"}, None),
    ("cube", 2, 8, "harmonic", {"algorithm": "rls", **XOR}, None),
    ("quarter", 2, 16, "harmonic", {"algorithm": "one_plus_lambda", "offspring": 2}, None),
    ("quarter", 2, 12, "local", {"algorithm": "one_plus_lambda", "offspring": 5}, None),
    ("cube", 2, 8, "harmonic", {"algorithm": "one_plus_lambda", "offspring": 2, **XOR}, None),
    ("quarter", 2, 12, "harmonic", {"algorithm": "one_comma_lambda", "offspring": 4}, None),
]


# Those whose runs take long, or evaluations on spheres in high dimensions or of several networks.
EXPENSIVE = [
    ("half", 4, 8, "harmonic", {}, None),
    ("half", 5, 8, "harmonic", {"redraw_void": True}, None),
    ("two_quarters", 3, 4, "harmonic", XOR, None),
    ("cube", 2, 5, "harmonic", {"neurons": 2, "output": "evolved"}, None),
    ("half", 3, 12, "harmonic", {"algorithm": "one_plus_lambda", "offspring": 7}, None),
    ("half", 3, 8, "harmonic", {"algorithm": "one_comma_lambda", "offspring": 8}, None),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "dim", "r", "law", "settings", "target"), SETTINGS + EXPENSIVE, ids=str
)
def test_simulation_agrees(name, dim, r, law, settings, target):
    number = FEWER if (name, dim, r, law, settings, target) in EXPENSIVE else MANY
    subject = problem(name, dim=dim)
    exact = expected_runtime(subject, r, law, target=target, **settings)
    own = dict(settings)
    na = CLASSES[own.pop("algorithm", "na")](resolution=r, mutation=law, **own)
    # no success is expected after that; what is stuck need not be followed for longer
    longest = exact.conditional_mean + exact.conditional_standard_deviation
    runs = na.run_many(subject, number, seed=17, budget=int(100 * longest), target=target)
    p = exact.probability
    assert abs(runs.success.mean() - p) <= 4 * math.sqrt(p * (1 - p) / number) + 1e-12
    times = runs.evaluations[runs.success]
    error = exact.conditional_standard_deviation / math.sqrt(times.size)
    assert abs(times.mean() - exact.conditional_mean) <= 4 * error
    # the spread of a sample's deviation, from its own fourth moment
    centred = times - exact.conditional_mean
    spread = np.var(centred**2) / times.size
    assert abs(np.mean(centred**2) - exact.conditional_standard_deviation**2) <= 4 * math.sqrt(
        spread
    )
    found = exact.distribution(200)
    for t in (1, 10, 40, 200):
        share, expected = (times <= t).sum() / number, found[t]
        assert abs(share - expected) <= 4 * math.sqrt(expected * (1 - expected) / number) + 1e-12
