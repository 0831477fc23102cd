"""Offspring as the kernels draw them, and whether their numbers fit a distribution."""

import numpy as np
import pytest
from scipy import stats

from hyperna._kernels.jit import kernel
from hyperna._kernels.random import seed_stream
from hyperna._kernels.steps import (
    DRAWN,
    FEWEST_STEPS,
    NEXT,
    TOTAL,
    WANTED,
    draw_steps,
    take_step,
)
from hyperna._kernels.tables import mutation_data, new_run

SIGNIFICANCE = 1e-4
HUGE = 2**61  # a modulus that no step of a discrete law goes around


@kernel
def start_stream(key, number, stream):
    seed_stream(key, number, stream)


@kernel
def draw(mutation, stream, steps, genome, changed, old, moves, chosen, voids):
    """Offspring of one genome: their displacements, the components touched, the void steps."""
    steps.counter[WANTED] = FEWEST_STEPS
    for c in range(genome.size):
        steps.velocity[c] = 1.0
    for i in range(voids.size):
        if steps.counter[NEXT] == steps.counter[DRAWN]:
            draw_steps(mutation, stream, steps, changed)
        step = steps.counter[NEXT]
        before = steps.step[TOTAL, step - 1] if step > 0 else 0
        voids[i] = steps.step[TOTAL, step] - before - 1
        steps.counter[NEXT] += 1
        count = take_step(mutation, steps, step, genome, changed, old)
        for t in range(count):
            c = changed[t]
            chosen[i, c] = True
            moves[i, c] = (genome[c] - old[t]) % mutation.modulus[c]
        for t in range(count):
            genome[changed[t]] = old[t]


def sample(steps, n, moduli=(HUGE,), probability=1.0, *, component=None, redraw=False, seed=0):
    """n offspring: displacements in (-modulus/2, modulus/2], components touched, void steps."""
    modulus = np.array(moduli, dtype=np.int64)
    size = modulus.size
    component = np.arange(size) if component is None else np.array(component)
    mutation = mutation_data(steps, component, modulus, probability, redraw)
    stream = np.zeros(4, np.uint64)
    start_stream(np.random.SeedSequence(seed).generate_state(4, np.uint64), 0, stream)
    moves, chosen = np.zeros((n, size), np.int64), np.zeros((n, size), np.bool_)
    voids = np.zeros(n, np.int64)
    genes = [np.zeros(size, np.int64) for _ in range(3)]
    draw(mutation, stream, new_run(mutation).steps, *genes, moves, chosen, voids)
    return np.where(moves > modulus // 2, moves - modulus, moves), chosen, voids


def signed_lengths(step_law, resolution, n, seed=0):
    return sample(step_law.steps(resolution), n, seed=seed)[0][:, 0]


def assert_fits(observed, expected):
    """Chi-square test of counts; cells that expect fewer than 10 are taken as one."""
    observed, expected = np.ravel(observed), np.ravel(expected)
    assert observed.sum() == pytest.approx(expected.sum())
    assert not observed[expected == 0].any()
    small = expected < 10
    if small.any():
        observed = np.append(observed[~small], observed[small].sum())
        expected = np.append(expected[~small], expected[small].sum())
        if expected[-1] < 3:
            observed = np.append(observed[:-2], observed[-2:].sum())
            expected = np.append(expected[:-2], expected[-2:].sum())
    if expected.size > 1:
        assert stats.chisquare(observed, expected, sum_check=False).pvalue > SIGNIFICANCE


def assert_geometric(voids, void):
    """Numbers of failures before the first success, where a failure has probability `void`."""
    top = 40
    share = np.append(void ** np.arange(top) * (1 - void), void**top)
    assert_fits(np.bincount(np.minimum(voids, top), minlength=top + 1), voids.size * share)
