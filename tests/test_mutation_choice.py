"""The choice of components and void steps: what the kernels draw against the stated odds.

All samples are fixed by their seeds. A sample is refused at a p-value below 1e-4.
"""

import itertools
import math

import numpy as np
import pytest
from offspring import SIGNIFICANCE, assert_fits, assert_geometric, sample
from scipy import stats

from hyperna import OnePlusOneNA
from hyperna.mutation import Exponential, Harmonic, Local, Uniform
from hyperna.problems import problem

# ---- which components


@pytest.mark.parametrize("size", [1, 2, 4, 6, 8])
@pytest.mark.parametrize("probability", [None, 0.7])
def test_every_component_changes_independently(size, probability):
    """The subset that changes and the void steps before it, jointly, over all subsets."""
    p = probability or 1 / size
    n = 400_000
    _, chosen, voids = sample(Local().steps(10), n, [10] * size, p, seed=size)
    void = (1 - p) ** size
    assert chosen.any(axis=1).all()
    subset = (chosen << np.arange(size)).sum(axis=1)
    count = np.array([code.bit_count() for code in range(2**size)])
    share = p**count * (1 - p) ** (size - count)
    share[0] = 0.0
    top = 9
    waits = np.append(void ** np.arange(top), void**top / (1 - void) if void else 0.0)
    observed = np.zeros((top + 1, 2**size))
    np.add.at(observed, (np.minimum(voids, top), subset), 1)
    assert_fits(observed, n * np.outer(waits, share))
    if void > 0:
        assert_geometric(voids, void)
    else:
        assert not voids.any()


@pytest.mark.parametrize(("size", "n"), [(9, 200_000), (40, 50_000), (1000, 4000)])
@pytest.mark.parametrize("factor", [1, 3.5])
def test_many_components_change_independently(size, n, factor):
    p = factor / size
    moves, chosen, voids = sample(Local().steps(10), n, [10] * size, p, seed=size)
    void = (1 - p) ** size
    count = chosen.sum(axis=1)
    share = stats.binom.pmf(np.arange(size + 1), size, p)
    share[0] = 0.0
    assert_fits(np.bincount(count, minlength=size + 1), n * share / (1 - void))
    assert_geometric(voids, void)
    np.testing.assert_array_equal(chosen, moves != 0)
    # No component is preferred, neither alone nor in company.
    for k in (1, 2, int(factor) + 2):
        alike = chosen[count == k].sum(axis=0)
        # A component is in a subset or not, and every subset has k of them: not Poisson counts.
        spread = (alike - alike.mean()) ** 2 / (alike.mean() * (1 - k / size))
        assert stats.chi2(size - 1).sf(spread.sum() * (size - 1) / size) > SIGNIFICANCE


def test_pairs_of_nine_components_are_equally_likely():
    _, chosen, _ = sample(Local().steps(10), 400_000, [10] * 9, 1 / 9, seed=2)
    pairs = chosen[chosen.sum(axis=1) == 2]
    code = np.nonzero(pairs)[1].reshape(-1, 2) @ [9, 1]
    counts = np.bincount(code, minlength=81)
    kept = [9 * i + j for i, j in itertools.combinations(range(9), 2)]
    assert counts.sum() == counts[kept].sum()
    assert_fits(counts[kept], np.full(36, len(pairs) / 36))


@pytest.mark.parametrize("size", [3, 12])
def test_only_mutable_components_change(size):
    """Without bias every second component stays, and the others keep their probability."""
    mutable = np.arange(0, 2 * size, 2)
    _, chosen, voids = sample(
        Local().steps(10), 50_000, [10] * (2 * size), 1 / (2 * size), component=mutable
    )
    assert not chosen[:, 1::2].any()
    void = (1 - 1 / (2 * size)) ** size
    assert_geometric(voids, void)
    np.testing.assert_allclose(chosen[:, ::2].mean(axis=0), 1 / (2 * size) / (1 - void), rtol=0.05)


@pytest.mark.parametrize("size", [2, 20])
@pytest.mark.parametrize("p", [1e-3, 1e-6, 1e-12, 1e-17])
def test_void_steps_are_geometric_however_small_the_probability(size, p):
    _, chosen, voids = sample(Local().steps(10), 100_000, [10] * size, p, seed=7)
    # The number of geometric trials is a rounded exponential variable.
    rate = -size * math.log1p(-p)
    jitter = np.random.default_rng(0).random(voids.size)
    # A geometric number G and U with P(U > u) = (q^u - q) / (1 - q) add up to an exponential one.
    inside = -np.log1p(jitter * np.expm1(-rate)) / rate
    assert stats.kstest((voids + inside) * rate, "expon").pvalue > SIGNIFICANCE
    alone = int((chosen.sum(axis=1) == 1).sum())
    more = stats.binom.sf(1, size, p) / stats.binom.sf(0, size, p)
    assert stats.binomtest(100_000 - alone, 100_000, more).pvalue > SIGNIFICANCE


def test_the_smallest_probability_waits_practically_for_ever():
    _, _, voids = sample(Local().steps(10), 1000, [10, 10], 5e-324)
    assert (voids > 2**61).all()
    result = OnePlusOneNA(mutation_probability=1e-300).run(problem("quarter"), budget=2**61, seed=2)
    assert (result.stop_reason, result.evaluations) == ("budget", 2**61)


# ---- redrawn void steps


def displacement_law(step_law, resolution, moduli, p):
    """Probabilities of all displacements, by convolution of single components."""
    table = np.ones(())
    for modulus in moduli:
        single = np.zeros(modulus)
        for i, share in enumerate(step_law.pmf(resolution), 1):
            for sign in (-1, 1):
                single[sign * i % modulus] += p * share / 2
        single[0] += 1 - p
        table = np.multiply.outer(table, single)
    return table


@pytest.mark.parametrize("step_law", [Harmonic(), Uniform(), Local()], ids=str)
@pytest.mark.parametrize("resolution", [2, 3, 5])
@pytest.mark.parametrize("neurons", [1, 2])
@pytest.mark.parametrize("redraw", [False, True])
def test_displacements_with_and_without_redrawing(step_law, resolution, neurons, redraw):
    """l = r leaves an angle where it was: redrawn if nothing else changes, else counted."""
    moduli = [resolution, resolution + 1] * neurons
    n, p = 200_000, 1 / len(moduli)
    moves, _, voids = sample(step_law.steps(resolution), n, moduli, p, redraw=redraw, seed=8)
    share = displacement_law(step_law, resolution, moduli, p)
    observed = np.zeros(moduli)
    np.add.at(observed, tuple((moves % moduli).T), 1)
    nothing = (0,) * len(moduli)
    if redraw:
        assert not voids.any()
        assert observed[nothing] == 0
        share[nothing] = 0.0
        assert_fits(observed, n * share / share.sum())
        return
    # Steps in all are the offspring and the void steps before them; those change nothing.
    total = n + voids.sum()
    observed[nothing] += voids.sum()
    error = np.sqrt(share * (1 - share) / total)
    assert (np.abs(observed / total - share) < 5 * error + 1e-12).all()


def test_an_exponential_law_has_its_median_at_scale_times_log_2():
    finest = 1 / math.log(2)
    Exponential(scale=1.001 * finest).steps(24, 1)
    with pytest.raises(ValueError, match="median step"):
        Exponential(scale=0.999 * finest).steps(24, 1)


def test_a_power_law_of_exponent_zero_is_uniform_on_fine_grids():
    from hyperna.mutation import PowerLaw, Uniform

    for resolution in (4096, 2**30):
        assert PowerLaw(0.0).steps(resolution).kind == Uniform().steps(resolution).kind
