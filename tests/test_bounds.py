"""No setting lets a kernel read or write beyond its arrays.

A sweep over settings, interpreted, where Python checks every index, or compiled with numba's own
bounds checks and a cache for such kernels, which takes half an hour:

    NUMBA_DISABLE_JIT=1 python -m pytest tests/test_bounds.py
    NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=... python -m pytest tests/test_bounds.py

`HYPERNA_TURNS=5` tries five times as many settings.
"""

import itertools
import math
import os
import random

import numba
import numpy as np
import pytest
from samples import OUTPUTS

from hyperna import FiniteSet, OnePlusOneNA, Online, Sampled, fitness_of, problem
from hyperna._kernels.mutation import TABLE
from hyperna._kernels.tables import LawData
from hyperna.mutation import LAWS, Harmonic, StepLaw
from hyperna.run.relatives import RELATIVES

RESOLUTIONS = [*range(2, 17), 120, 2049, 2**40]
EVALUATIONS = 24


def points(dim):
    rng = np.random.default_rng(dim)
    X = rng.uniform(-0.7, 0.7, (37, dim))
    return X, X[:, 0] * X[:, -1] > 0, rng.integers(1, 5, 37)


# What is maximised, and the numbers of neurons that it takes.
FITNESS = {
    "circle": (lambda: fitness_of(problem("two_quarters")), (1, 2, 3, 9, "evolved")),
    "circle, many arcs": (lambda: fitness_of(problem("arcs:k=20")), (1, 2, 5, "evolved")),
    "sphere, one neuron": (lambda: fitness_of(problem("quarter", dim=5), neurons=1), (1,)),
    "sphere, areas": (lambda: fitness_of(problem("quarter", dim=3)), (1, 2, 3)),
    "sample": (lambda: Sampled(problem("half", dim=4), n=64), (1, 2, 9, "evolved")),
    "points": (lambda: FiniteSet(*points(3)), (1, 2, 5, 13, "evolved")),
    "points on a line": (lambda: FiniteSet(*points(1)), (1, 2, 3, "evolved")),
    "points in the plane": (lambda: FiniteSet(*points(2)), (1, 3)),
    "online, circle": (lambda: Online(problem("two_quarters"), 5), (1, 2, 3)),
    "online, sphere": (lambda: Online(problem("quarter", dim=3), 5), (1, 2)),
    "online, points": (lambda: Online(problem("cube"), 5, reevaluate=False), (1, 4)),
}
MOVES = ("angle", "rotation")
KINDS = ("plain", "bent")
LAW_TEXTS = (*LAWS, "adaptive:jump=1", "power_law:exponent=0", "power_law:exponent=3")
# A setting has one of each; what cannot go together is refused.
OPTIONS = (
    {},
    {"bias": False},
    {"redraw_void": True},
    {"replace_neuron": 0.3},
    {"init": "sphere"},
    {"mutation_probability": 1.0},
)
LIMITS = ({}, {"restarts": "auto"}, {"target": False}, {"stagnation": 7, "restarts": 3})
# How often each shape of a network, algorithm and law is tried, with other resolutions, options and
# limits: more often where there are few shapes.
TURNS = int(os.environ.get("HYPERNA_TURNS", "1"))


def shuffled(values, rng):
    """All values in random order, again and again."""
    while True:
        yield from rng.sample(values, len(values))


def settings(sizes, rng):
    """Algorithms, their options and limits: all laws with all that compiles different code."""
    shapes = itertools.product(RELATIVES.values(), sizes, OUTPUTS, MOVES, KINDS)
    resolutions = {law: shuffled(RESOLUTIONS, rng) for law in LAW_TEXTS}
    turns = TURNS * math.ceil(5 / len(sizes))
    for kind, neurons, output, move, neuron in shapes:
        shape = {"neurons": neurons, "output": output, "move": move, "neuron": neuron}
        for law in LAW_TEXTS * turns:
            made = {"mutation": law, "resolution": next(resolutions[law]), **rng.choice(OPTIONS)}
            yield kind, {**shape, **made}, rng.choice(LIMITS)


@pytest.mark.skipif(
    not numba.config.BOUNDSCHECK and not numba.config.DISABLE_JIT,
    reason="needs NUMBA_DISABLE_JIT=1 or NUMBA_BOUNDSCHECK=1",
)
@pytest.mark.parametrize("name", FITNESS)
def test_no_setting_leads_out_of_bounds(name, record_property):
    make, sizes = FITNESS[name]
    fitness, met, run = make(), set(), 0
    for kind, options, limits in settings(sizes, random.Random(name)):
        try:
            task = kind(**options).task(fitness, budget=EVALUATIONS, **limits)
            task.mutation  # noqa: B018  refuses a network of which nothing can change
        except ValueError:
            continue
        try:
            task.run_block(5, 0, 1)
        except IndexError:
            pytest.fail(f"{kind.__name__}(**{options}) with {limits} leads out of bounds")
        run += 1
        met.add((options["mutation"], options["resolution"]))
    record_property("settings", run)
    print(f"{name}: {run} settings")
    fine = [law for law in LAW_TEXTS if LAWS[law.partition(":")[0]].continuous]
    missing = set(itertools.product(LAW_TEXTS, RESOLUTIONS)) - met
    # at the largest resolution steps of real length 1 are steps of the grid
    assert not {pair for pair in missing if pair[0] not in fine or pair[1] < RESOLUTIONS[-1]}


def test_jumps_of_adaptive_steps_are_harmonic_at_every_resolution():
    """The blocks of lengths that jumps are drawn from hold the harmonic law from r = 2 on."""
    for resolution in [*range(2, 70), 120, 1000]:
        blocks = Harmonic().steps(resolution, longest_table=0)
        block = np.arange(blocks.weights.size)
        size = 2 ** np.maximum(block // 16 - 1, 0)
        first = np.where(block < 16, block, (block % 16 + 16) * size)
        chance = np.zeros(2 * resolution + 17)
        for begin, count, weight in zip(first, size, blocks.weights, strict=True):
            if weight > 0:
                lengths = np.arange(begin, begin + count)
                # uniform in the block, kept with the ratio to the law's value at its beginning
                chance[lengths] += weight / count * begin / lengths
        chance = chance[1 : resolution + 1]
        np.testing.assert_allclose(chance / chance.sum(), Harmonic().pmf(resolution))


def test_a_law_without_lengths_is_refused():
    class Empty(StepLaw, listed=False):
        def steps(self, resolution, unit=1):
            return LawData(TABLE, resolution)

    with pytest.raises(ValueError, match="at least one of them positive, got 0 of them"):
        OnePlusOneNA(mutation=Empty()).run("half", seed=0)
