"""What is done with results, called with anything: exact runtimes, statistics, laws, plots."""

from functools import cache

import numpy as np
import pytest
from hostile import anything, in_time, works_or_refuses
from hypothesis import given
from hypothesis import strategies as st

import hyperna
from hyperna.analysis.comparisons import pairwise_tests
from hyperna.analysis.laws import exponent_p_value, fit_runtimes, fit_scaling, predicted, verdict
from hyperna.analysis.statistics import (
    bootstrap_interval,
    expected_running_time,
    wilson_interval,
)
from hyperna.theory import (
    best_law,
    best_offspring,
    drift,
    estimated_cost,
    fit_potential,
    largest_resolution,
)

plots = pytest.importorskip("hyperna.plots")
plt = pytest.importorskip("matplotlib.pyplot")

HALF, QUARTER = hyperna.problem("half"), hyperna.problem("quarter")
NETWORK = hyperna.Network(hyperna.Grid(2, 1, 12), [3, 6])
R = [30.0, 60.0, 120.0, 240.0, 480.0, 960.0]
MEANS, ERRORS = [3 * r + 5 for r in R], [0.1 * r for r in R]


@cache
def runtime():
    return hyperna.expected_runtime(QUARTER, 12)


@cache
def runs():
    return hyperna.OnePlusOneNA(resolution=12).run_many(QUARTER, 5, seed=0)


@cache
def result():
    return hyperna.OnePlusOneNA(resolution=12).run(QUARTER, seed=0, trajectory=True)


def of(make, name):
    """A method of something that is made when it is first needed."""
    return lambda *args, **options: getattr(make(), name)(*args, **options)


def drawn(plot, **given):
    """A function that draws; `given` are made when it is called."""

    def call(*args, **options):
        made = {name: make() for name, make in given.items()}
        try:
            return plot(*args, **made, **options)
        finally:
            plt.close("all")

    return call


CALLS = {
    "expected_runtime": (
        hyperna.expected_runtime,
        {0: QUARTER, 1: 12, "mutation": "local", "target": 0.9, "mutation_probability": 0.5},
    ),
    "expected_runtime too": (
        hyperna.expected_runtime,
        {0: HALF, 1: 8, "neurons": 1, "output": "or", "bias": False, "neuron": "plain"},
    ),
    "estimated_cost": (estimated_cost, {0: "quarter", 1: 12, "mutation": "harmonic"}),
    "expected_runtime of relatives": (
        hyperna.expected_runtime,
        {0: "half", 1: 6, "dim": 3, "algorithm": "one_plus_lambda", "offspring": 3},
    ),
    "largest_resolution": (largest_resolution, {0: "quarter", "mutation": "local", "dim": 3}),
    "best_law": (best_law, {0: HALF, 1: 6, "family": "power", "bias": True}),
    "best_offspring": (best_offspring, {0: HALF, 1: 6, "most": 3}),
    "drift": (
        lambda potential, **o: drift(runtime(), potential, **o),
        {0: "missing fitness", "above": 0.5},
    ),
    "fit_potential": (lambda family: fit_potential(runtime(), family), {0: ["distance", "one"]}),
    "from_start": (of(runtime, "from_start"), {0: 1, 1: 2}),
    "quantile_bounds": (of(runtime, "quantile_bounds"), {"levels": [0.5]}),
    "distribution": (of(runtime, "distribution"), {"t_max": 5}),
    "fixed_budget": (of(runtime, "fixed_budget"), {"t_max": 5}),
    "quantiles": (of(runtime, "quantiles"), {"levels": [0.5]}),
    "visit_probability": (
        of(runtime, "visit_probability"),
        {"states": np.zeros((12, 13), bool)},
    ),
    "replay": (of(runs, "replay"), {"number": 1, "trajectory": False}),
    "slice": (lambda first, last: runs()[first:last], {"first": 0, "last": 3}),
    "network": (lambda i: result().trajectory.network(i), {"i": 0}),
    "wilson_interval": (wilson_interval, {"successes": 3, "trials": 9, "level": 0.95}),
    "bootstrap_interval": (
        bootstrap_interval,
        {"values": [1.0, 2.0, 5.0], "statistic": "mean", "level": 0.9, "seed": 0},
    ),
    "expected_running_time": (
        expected_running_time,
        {0: [3.0, 4.0, 9.0], 1: [True, False, True]},
    ),
    "pairwise_tests": (pairwise_tests, {0: {"a": [1.0, 2.0], "b": [2.0, 3.0]}}),
    "fit_scaling": (fit_scaling, {0: R, 1: MEANS, 2: ERRORS, "level": 0.95}),
    "fit_runtimes": (fit_runtimes, {0: R, 1: [[m, m + 3, 2 * m] for m in MEANS], "level": 0.9}),
    "exponent_p_value": (exponent_p_value, {0: "power", 1: 1.0, 2: R, 3: MEANS, 4: ERRORS}),
    "plot_circle": (drawn(plots.plot_circle), {0: HALF, 1: NETWORK}),
    "plot_landscape": (drawn(plots.plot_landscape), {0: HALF, 1: 8}),
    "plot_scaling": (drawn(plots.plot_scaling), {0: {8: [1, 2, 3], 16: [2, 4, 5]}}),
    "plot_distribution": (drawn(plots.plot_distribution, runtime=runtime), {"simulated": [3, 4]}),
}
# Numbers that say how much is computed: of those that are allowed small ones are tried.
WORK = {"t_max": 10**9, "resamples": 10**9, "most": 10**9}


def call(function, arguments):
    """Call a function; arguments with a number for a name are given by their place."""
    named = {key: value for key, value in arguments.items() if isinstance(key, str)}
    return function(*(arguments[key] for key in arguments if key not in named), **named)


@pytest.fixture(autouse=True)
def _quiet():
    yield
    plt.close("all")


@given(st.data())
def test_answers(data):
    name = data.draw(st.sampled_from(list(CALLS)))
    function, arguments = CALLS[name]
    arguments = dict(arguments)
    for _ in range(data.draw(st.integers(1, 2))):
        key = data.draw(st.sampled_from(list(arguments)))
        value = data.draw(anything())
        long = isinstance(value, int | np.integer) and 3 < value <= WORK.get(key, 0)
        arguments[key] = int(value) % 100 if long else value
    works_or_refuses((name, list(arguments)), lambda: call(function, arguments))


@pytest.mark.parametrize("name", CALLS)
def test_the_calls_themselves_work(name):
    function, arguments = CALLS[name]
    with in_time(name):
        call(function, arguments)


sizes = st.lists(
    st.one_of(st.integers(3, 10**6), st.floats(3, 1e12)), min_size=4, max_size=9, unique=True
)


@pytest.mark.slow
@given(sizes, st.data())
def test_growth_laws_of_any_means(r, data):
    """Whatever the means are, there is an answer with numbers that are none of NaN."""
    many = {"min_size": len(r), "max_size": len(r)}
    positive = st.floats(1e-6, 1e15)
    means = data.draw(st.lists(positive, **many))
    errors = data.draw(st.lists(positive, **many))
    with in_time((r, means, errors)):
        fits = fit_scaling(r, means, errors)
        text = verdict(fits)
    assert "nan" not in text
    for fit in fits:
        assert not np.isnan([*fit.coefficients, fit.exponent, *fit.exponent_interval]).any()
        assert not np.isnan([fit.p_value, *fit.factor_interval]).any()
        low, high = fit.exponent_interval
        assert low <= fit.exponent <= high
        assert fit.factor >= 0
        for one in fit.predictions:
            assert one.interval.low <= one.interval.high
    fitting = [fit for fit in fits if fit.fits]
    if fitting:
        assert abs(sum(fit.weight for fit in fitting) - 1) < 1e-9
        assert predicted(fitting)
