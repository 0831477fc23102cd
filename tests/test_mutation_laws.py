"""Step laws: lengths that kernels draw against the stated distributions, adjusted and own ones.

All samples are fixed by their seeds. A sample is refused at a p-value below 1e-4.
"""

import json
import math
import random
from dataclasses import dataclass, fields, replace
from itertools import pairwise

import numpy as np
import pytest
import reference
from offspring import SIGNIFICANCE, assert_fits, sample, signed_lengths
from scipy import special, stats

from hyperna import OnePlusOneNA
from hyperna.mutation import (
    LAWS,
    Adaptive,
    Cauchy,
    Exponential,
    Harmonic,
    Local,
    Pareto,
    PowerLaw,
    StepLaw,
    Uniform,
    law,
)
from hyperna.problems import problem

# ---- lengths of discrete laws


def probability_up_to(step_law, resolution):
    """P(l <= k) as a function of an array k, from the definition."""
    if isinstance(step_law, Harmonic):
        return lambda k: harmonic_number(k) / harmonic_number(np.array(resolution))
    if isinstance(step_law, Uniform):
        return lambda k: k / resolution
    if isinstance(step_law, Local):
        return lambda k: np.minimum(k, 1)
    if resolution <= 10**6:
        table = np.arange(1, resolution + 1, dtype=float) ** -step_law.exponent
        cumulative = np.append(0.0, np.cumsum(table) / table.sum())
        return lambda k: cumulative[k]
    zeta = special.zeta
    s = step_law.exponent
    whole = zeta(s) - zeta(s, resolution + 1.0)
    return lambda k: (zeta(s) - zeta(s, k + 1.0)) / whole


def harmonic_number(k):
    return special.digamma(k + 1.0) + np.euler_gamma


def bins(resolution, per_octave=24):
    """Ends of length bins, growing geometrically."""
    ends = {0, resolution}
    for i in range(per_octave * resolution.bit_length()):
        ends.add(min(int(2 ** (i / per_octave)), resolution))
    return np.array(sorted(ends))


DISCRETE = [Harmonic(), Local(), Uniform(), PowerLaw(1.5), PowerLaw(3.0), PowerLaw(0.5)]


@pytest.mark.parametrize(
    ("step_law", "resolution"),
    [
        (step_law, resolution)
        for step_law in DISCRETE
        for resolution in (2, 3, 10, 1000, 2049, 10**6, 2**40 - 1, 2**40)
        # There is no closed form to compare this one with.
        if step_law != PowerLaw(0.5) or resolution <= 10**6
    ],
    ids=str,
)
def test_lengths_and_signs_have_the_stated_distribution(step_law, resolution):
    n = 300_000
    steps = signed_lengths(step_law, resolution, n, seed=resolution)
    ends = bins(resolution)
    share = np.diff(probability_up_to(step_law, resolution)(ends))
    length = np.abs(steps)
    assert length.min() >= 1
    assert length.max() <= resolution
    place = np.searchsorted(ends, length) - 1
    observed = [np.bincount(place[steps * s > 0], minlength=share.size) for s in (1, -1)]
    assert_fits(observed, n / 2 * np.stack([share, share]))


@pytest.mark.parametrize("step_law", [Harmonic(), Uniform(), PowerLaw(2.0)], ids=str)
def test_single_lengths_are_right_where_blocks_begin_and_end(step_law):
    """Lengths 1..40 one by one: blocks of one, of two, and of four lengths meet here."""
    n, resolution = 500_000, 2**40
    if isinstance(step_law, Uniform):
        resolution = 40
    steps = np.abs(signed_lengths(step_law, resolution, n, seed=1))
    up_to = probability_up_to(step_law, resolution)
    share = np.diff(up_to(np.arange(41)))
    observed = np.bincount(np.minimum(steps, 41), minlength=42)[1:]
    assert_fits(observed, n * np.append(share, max(0.0, 1 - share.sum())))


@pytest.mark.parametrize("resolution", [10**6, 2**40])
def test_moments_of_the_harmonic_law(resolution):
    """E l = r / H_r, E l^2 = r (r + 1) / (2 H_r), and H_r is about ln l, uniformly."""
    n = 10**6
    length = np.abs(signed_lengths(Harmonic(), resolution, n, seed=3)).astype(float)
    harmonic = float(harmonic_number(np.array(resolution)))
    mean, square = resolution / harmonic, resolution * (resolution + 1) / (2 * harmonic)
    assert abs(length.mean() - mean) < 4 * math.sqrt((square - mean**2) / n)
    fourth = resolution**4 / (4 * harmonic)
    assert abs((length**2).mean() - square) < 4 * math.sqrt((fourth - square**2) / n)
    for quantile in (0.1, 0.5, 0.9, 0.99):
        share = harmonic_number(np.quantile(length, quantile)) / harmonic
        jump = 1 / (harmonic * np.quantile(length, quantile))
        assert abs(share - quantile) < 4 * math.sqrt(quantile * (1 - quantile) / n) + jump


def test_moments_of_the_uniform_law_at_the_largest_resolution():
    n, r = 10**6, 2**40
    length = np.abs(signed_lengths(Uniform(), r, n, seed=4)) / r
    assert abs(length.mean() - 0.5) < 4 / math.sqrt(12 * n)
    assert stats.kstest(length, "uniform").pvalue > SIGNIFICANCE


@pytest.mark.parametrize("step_law", [step for step in DISCRETE if step != Local()], ids=str)
def test_probabilities_are_the_definition(step_law):
    exponent = {"harmonic": 1.0, "uniform": 0.0}.get(step_law.name)
    exponent = step_law.exponent if exponent is None else exponent
    weights = [i**-exponent for i in range(1, 51)]
    np.testing.assert_allclose(step_law.pmf(50), np.array(weights) / math.fsum(weights))


# ---- lengths of continuous laws


@pytest.mark.parametrize(
    ("step_law", "distribution"),
    [
        (Pareto(shape=1.0), stats.lomax(1.0)),
        (Pareto(shape=2.5, scale=3.0), stats.lomax(2.5, scale=3.0)),
        (Cauchy(scale=0.5), stats.halfcauchy(scale=0.5)),
        (Cauchy(scale=20.0), stats.halfcauchy(scale=20.0)),
        (Exponential(scale=1.0), stats.expon()),
        (Exponential(scale=7.0), stats.expon(scale=7.0)),
    ],
    ids=lambda part: str(part) if isinstance(part, StepLaw) else "",
)
def test_continuous_lengths_have_the_stated_distribution(step_law, distribution):
    unit, n = 2**24, 200_000
    moves, _, _ = sample(step_law.steps(100, unit), n, seed=5)
    lengths = np.abs(moves[:, 0]) / unit
    assert stats.kstest(lengths, distribution.cdf).pvalue > SIGNIFICANCE
    # Far out too, where a Kolmogorov distance sees little.
    tail = lengths > distribution.isf(0.01)
    assert stats.binomtest(int(tail.sum()), n, 0.01).pvalue > SIGNIFICANCE
    positive = int((moves > 0).sum())
    assert stats.binomtest(positive, int((moves != 0).sum())).pvalue > SIGNIFICANCE


def test_continuous_lengths_go_around_the_circle():
    """A step much longer than the circle ends anywhere on it."""
    n, modulus = 100_000, 1000
    moves, _, _ = sample(Exponential(1e6).steps(100, 1), n, (modulus,), seed=6)
    counts = np.bincount(moves[:, 0] % modulus, minlength=modulus)
    assert_fits(counts, np.full(modulus, n / modulus))


def test_a_continuous_law_searches_a_grid_as_fine_as_the_arithmetic_allows():
    na = OnePlusOneNA(resolution=120, mutation="exponential")
    assert na.grid(2).resolution == 120 * na.unit
    assert 2**39 < na.grid(2).resolution <= 2**40
    path = na.run(problem("quarter"), target=False, budget=4000, seed=1, trajectory=True).trajectory
    # The first accepted steps are not yet driven by selection; none of them is a grid step.
    moves = np.diff(path.genomes, axis=0)[:, 0]
    assert (moves[moves != 0] % na.unit != 0).all()


# ---- self-adjusting steps


def test_self_adjusted_lengths_follow_success_to_the_letter():
    """One angle that changes in every step: each accepted move tells the length at that time."""
    growth, decay, r = 1.7, 0.9, 10_000
    na = OnePlusOneNA(
        resolution=r,
        mutation=Adaptive(growth, decay, jump=0.0),
        bias=False,
        mutation_probability=1.0,
    )
    checked = set()
    for seed in range(5):
        path = na.run(
            problem("half"), budget=3000, target=False, seed=seed, trajectory=True
        ).trajectory
        rises = set(path.evaluations[1:][np.diff(path.fitness) > 0].tolist())
        length, at = 1.0, {}
        for evaluation in range(2, int(path.evaluations[-1]) + 1):
            at[evaluation] = int(length)
            if evaluation in rises:
                length = min(length * growth, r // 4)
            else:
                length = max(length * decay, 1.0)
        angles = path.genomes[:, 0]
        for before, after, evaluation in zip(
            angles[:-1], angles[1:], path.evaluations[1:].tolist(), strict=True
        ):
            assert (after - before) % r in (at[evaluation], -at[evaluation] % r)
            checked.add(at[evaluation])
    assert len(checked) > 20


def test_the_longest_improving_jump_sets_the_length_of_the_steps():
    """Lengths that hardly grow and decay: they are those of the longest jump that improved.

    Far from the optimum of HALF a step improves if it goes the right way. So half of the accepted
    steps are jumps, and the other half is as long as the longest accepted one so far.
    """
    r = 10**6
    na = OnePlusOneNA(
        resolution=r,
        mutation=Adaptive(1 + 1e-7, 1 - 1e-7, jump=0.5),
        bias=False,
        mutation_probability=1.0,
    )
    as_long = []
    for seed in range(400):
        path = na.run(
            problem("half"), budget=120, target=False, seed=seed, trajectory=True
        ).trajectory
        angles = path.genomes[:, 0]
        longest = 1
        for before, after in pairwise(angles.tolist()):
            length = min((after - before) % r, (before - after) % r)
            away = min((before - r // 4) % r, (r // 4 - before) % r)
            if 20 <= longest < r // 8 and away > 4 * longest:
                as_long.append(abs(length - longest) <= 1)
            longest = max(longest, length)
    assert len(as_long) > 300
    assert 0.4 < np.mean(as_long) < 0.65


def plain_self_adjusting(fitness, found, moduli, growth, decay, rng, budget):
    """The (1+1) NA with a step length for every component; the evaluations used."""
    x = [rng.randrange(m) for m in moduli]
    best, evaluations, lengths = fitness(x), 1, [1.0] * len(moduli)
    while not found(x) and evaluations < budget:
        y = x.copy()
        touched = [i for i in range(len(x)) if rng.random() < 1 / len(x)]
        for i in touched:
            y[i] = (y[i] + rng.choice((-1, 1)) * int(lengths[i])) % moduli[i]
        value = fitness(y)
        evaluations += 1
        for i in touched:
            if value > best:
                lengths[i] = min(lengths[i] * growth, max(1, moduli[i] // 4))
            else:
                lengths[i] = max(lengths[i] * decay, 1.0)
        if value >= best:
            x, best = y, value
    return evaluations


def test_self_adjusting_runs_take_as_long_as_the_plain_algorithm():
    r, growth, decay = 40, 2.0, 0.7
    arcs, optima = reference.QUARTER, reference.QUARTER_OPTIMA
    plain, found = reference.arc_fitness(arcs, 1, r), reference.optimum_test(optima, r)
    scores = {(phi, b): plain([phi, b]) for phi in range(r) for b in range(r + 1)}
    rng = random.Random(1)

    def fitness(genome):
        return scores[tuple(genome)]

    plain = [
        plain_self_adjusting(fitness, found, [r, r + 1], growth, decay, rng, 5000)
        for _ in range(500)
    ]
    na = OnePlusOneNA(resolution=r, mutation=Adaptive(growth, decay, jump=0.0))
    runs = na.run_many(problem("quarter"), runs=20_000, budget=5000, seed=1)
    assert stats.ks_2samp(plain, runs.evaluations).pvalue > SIGNIFICANCE


# ---- a law of one's own


@pytest.fixture
def even_law():
    """A law stated in one class, as a user would."""

    @dataclass(frozen=True)
    class Even(StepLaw):
        summary = "even lengths only, twice as likely below a cut"
        cut: float = 4.0

        def weights(self, resolution):
            length = np.arange(1, resolution + 1)
            return np.where(length % 2 == 0, np.where(length <= self.cut, 2.0, 1.0), 0.0)

    yield Even
    del LAWS["even"]


def test_a_law_of_ones_own_works_everywhere(even_law, capsys):
    from hyperna.cli import main

    assert LAWS["even"] is even_law
    assert law("even:cut=6") == even_law(6.0)
    assert str(even_law()) == "even:cut=4"
    np.testing.assert_allclose(even_law().pmf(10), np.array([0, 2, 0, 2, 0, 1, 0, 1, 0, 1]) / 7)
    steps = signed_lengths(even_law(), 10, 100_000)
    assert_fits(np.bincount(np.abs(steps), minlength=11)[1:], 100_000 * even_law().pmf(10))
    by_name, by_object = (
        OnePlusOneNA(resolution=40, mutation=mutation).run_many(problem("half"), 50, seed=1)
        for mutation in ("even", even_law())
    )
    np.testing.assert_array_equal(by_name.rows, by_object.rows)
    path = (
        OnePlusOneNA(resolution=40, mutation="even")
        .run(problem("half"), seed=1, budget=500, target=False, trajectory=True)
        .trajectory
    )
    assert len(set(path.genomes[:, 0] % 2)) == 1
    assert main(["run", "half", "--mutation", "even:cut=6", "--runs", "5", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert law(shown["settings"]["mutation"]) == even_law(6.0)
    assert main(["list"]) == 0
    assert even_law.summary.split(",")[0] in capsys.readouterr().out


def test_weights_of_a_wrong_kind_are_refused(even_law, monkeypatch):
    for weights, message in [
        (np.ones(3), "shape"),
        (np.full(10, -1.0), "non-negative"),
        (np.full(10, np.nan), "finite"),
        (np.zeros(10), "not all zero"),
    ]:
        monkeypatch.setattr(even_law, "weights", lambda self, r, weights=weights: weights)
        with pytest.raises(ValueError, match=message):
            even_law().pmf(10)
        with pytest.raises(ValueError, match=message):
            OnePlusOneNA(resolution=10, mutation="even").run(problem("half"), seed=0)


def test_a_law_without_a_table_is_refused_where_a_table_is_needed():
    for step_law in (Pareto(), Cauchy(), Exponential(), Adaptive()):
        with pytest.raises(TypeError, match="no table"):
            step_law.pmf(10)


@pytest.mark.parametrize("name", sorted(LAWS))
def test_a_law_is_found_again_by_its_text(name):
    step_law = LAWS[name]()
    assert law(str(step_law)) == step_law
    assert law(name) == step_law


def test_the_text_of_a_law_keeps_every_digit():
    for step_law in (PowerLaw(1.23456789), Pareto(1 / 3, 1e-7), Adaptive(1.7, 2 / 3)):
        assert law(str(step_law)) == step_law


@pytest.mark.parametrize(
    "step_law", [Pareto(1e15), Pareto(1.0, 1e-15), Cauchy(1e-15), Exponential(1e-15)], ids=str
)
def test_steps_that_would_all_be_rounded_to_nothing_are_refused(step_law):
    """Redrawing void steps would never end."""
    na = OnePlusOneNA(mutation=step_law, redraw_void=True)
    with pytest.raises(
        ValueError, match=r"mutation must have a median step of at least 1\.\d+e-10"
    ):
        na.run(problem("half"), seed=0)


@pytest.mark.parametrize(
    ("made", "median"),
    [
        (lambda scale: Pareto(2.0, scale), math.sqrt(2) - 1),
        (lambda scale: Pareto(0.5, scale), 3.0),
        (Cauchy, 1.0),
        (Exponential, math.log(2)),
    ],
)
def test_a_median_step_of_one_unit_of_the_fine_grid_is_long_enough(made, median):
    for unit in (1, 2**20):
        least = 1 / (median * unit)
        assert made(1.001 * least).steps(120, unit).largest == 120 * unit
        with pytest.raises(ValueError, match="median step"):
            made(0.999 * least).steps(120, unit)


def test_redrawing_is_refused_where_no_step_changes_anything(even_law, monkeypatch):
    whole_turn = np.append(np.zeros(9), 1.0)
    monkeypatch.setattr(even_law, "weights", lambda self, r: whole_turn)
    na = OnePlusOneNA(resolution=10, mutation="even", bias=False, redraw_void=True)
    with pytest.raises(ValueError, match="redraw_void must be False"):
        na.run(problem("half"), seed=0)
    na = OnePlusOneNA(resolution=10, mutation="even", redraw_void=True)
    assert na.run(problem("half"), seed=0, budget=50).evaluations <= 50


@pytest.mark.parametrize(
    ("name", "parameter"),
    [(name, field.name) for name, law_of in LAWS.items() for field in fields(law_of)],
)
def test_every_parameter_reaches_the_kernels(name, parameter):
    plain = law(name)
    value = getattr(plain, parameter)
    other = replace(plain, **{parameter: value / 2 if parameter != "growth" else 2 * value})
    for resolution, unit in ((100, 1 << 20), (2**14, 1 << 20)):
        before, after = (one.steps(resolution, unit) for one in (plain, other))
        assert any(not np.array_equal(one, two) for one, two in zip(before, after, strict=True)), (
            f"{parameter} of {name} changes nothing"
        )
        changed = [key for key in ("growth", "decay", "jump") if key == parameter]
        assert [getattr(after, key) for key in changed] == [getattr(other, key) for key in changed]


def test_the_longest_step_is_possible_where_a_block_begins_with_it():
    before, at = (np.count_nonzero(Harmonic().steps(r).weights) for r in (4095, 4096))
    assert at == before + 1


def test_tails_beyond_all_numbers_are_refused():
    """A step of a Pareto law with such a shape was sought without end."""
    with pytest.raises(ValueError, match=r"shape must be .*0\.01.*, got 1e-05"):
        law("pareto:shape=1e-5")
    assert law("pareto:shape=0.01").shape == 0.01


@pytest.mark.parametrize("resolution", [2, 120, 2**40])
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e15, 1e100, 1.7e308])
@pytest.mark.parametrize(
    "law", ["pareto:shape=0.01", "pareto:shape=1", "pareto:shape=1e300", "cauchy:", "exponential:"]
)
def test_runs_with_extreme_continuous_steps_end(law, scale, resolution):
    """Steps longer than any float, or than many turns, lead anywhere, and redrawing them ends."""
    name = f"{law},scale={scale}".replace(":,", ":")
    for bias in (True, False):
        na = OnePlusOneNA(resolution=resolution, mutation=name, redraw_void=True, bias=bias)
        try:
            found = na.run(problem("half"), budget=300, seed=1, target=False).evaluations
        except ValueError as error:
            found = str(error)
        assert found == 300 or "must have a median step of at least" in found


def test_steps_of_many_turns_end_anywhere():
    """All values of an angle are reached alike; multiples of a power of 2 would be one of them."""
    na = OnePlusOneNA(resolution=4, mutation="exponential:scale=1e30", bias=False)
    task = na.task(problem("half"), budget=2, target=False)
    seen = np.array([task.run(seed=seed).network.genome[0] for seed in range(400)])
    turn = na.run(problem("half"), budget=2, seed=0, target=False).network.grid.resolution
    quarters = np.bincount(4 * seen // turn, minlength=4)
    # the better of two angles: at least half of them in the better half
    assert (quarters > 20).all()
