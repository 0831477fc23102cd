"""Drift: how fast a potential falls on average, and which runtime bounds follow from it.

A proof of a runtime bound begins with a guess: a potential g that is 0 on the target and positive
elsewhere, and falls in every step. From the exact chain the drift g(x) - E[g(x')] is known in every
state x, so that a guess can be tried before it is proved: where is it weakest, where does it fail,
and how far is the bound from the exact expected time?

- Additive drift (He and Yao 2001): if the drift is at least d everywhere, E[T] <= g(x0) / d; if it
  is at most d, E[T] >= g(x0) / d.
- Multiplicative drift (Doerr, Johannsen and Winzen 2012): if the drift is at least d g(x),
  E[T] <= (1 + ln(g(x0) / g_min)) / d, where g_min is the smallest positive value.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import optimize

from hyperna._validation import BoolArray, FloatArray, check_choice, check_kind, check_real
from hyperna._words import shown
from hyperna.network.neurons import BIAS
from hyperna.problems import ArcProblem
from hyperna.theory.answers import ExactRuntime

Potential = str | Callable[..., ArrayLike] | FloatArray

# Drift of this size relative to the potential is rounding.
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Drift:
    """The drift of a potential in every state of a chain.

    Arrays are in the shape of ``runtime.per_state``, one entry for each search point. Rates are
    over all points of the region that are no targets. Bounds are of the expected number of
    evaluations, averaged over uniform starts in the region; infinite where none follows.

    Attributes
    ----------
    potential, meaning : str
        Name of the potential, and what it is.
    runtime : ExactRuntime
        The chain.
    values : float array
        The potential.
    drift : float array
        By how much it falls in one step on average, NaN at targets.
    region : boolean array
        Where the guess is to hold: everywhere, or above some fitness.
    """

    potential: str
    meaning: str
    runtime: ExactRuntime = field(repr=False)
    values: FloatArray = field(repr=False)
    drift: FloatArray = field(repr=False)
    region: BoolArray = field(repr=False)

    @property
    def free(self) -> BoolArray:
        """Points of the region that are no targets."""
        return self.region & ~self.runtime.target

    @property
    def failing(self) -> BoolArray:
        """Points of the region where the potential does not fall on average."""
        least = _ROUNDING * self.values
        return self.free & ~(np.nan_to_num(self.drift) > least)

    @property
    def additive_rate(self) -> float:
        """The least drift."""
        return float(self.drift[self.free].min(initial=math.inf))

    @property
    def largest_rate(self) -> float:
        """The largest drift."""
        return float(self.drift[self.free].max(initial=0.0))

    @property
    def multiplicative_rate(self) -> float:
        """The least drift relative to the potential."""
        free = self.free
        return float((self.drift[free] / self.values[free]).min(initial=math.inf))

    @property
    def weakest(self) -> dict[str, int]:
        """The components of a network with the least drift relative to the potential."""
        relative = np.full(self.values.shape, math.inf)
        free = self.free
        relative[free] = self.drift[free] / self.values[free]
        place = np.unravel_index(int(np.argmin(relative)), relative.shape)
        found = zip(self.runtime.components, place, strict=True)
        return {name: int(value) for name, value in found}

    @property
    def exact(self) -> float:
        """Exact expected evaluations from a uniform start in the region."""
        return float(self.runtime.per_state[self.region].mean())

    @property
    def additive_bound(self) -> float:
        """Upper bound that follows from the least drift."""
        if self.failing.any():
            return math.inf
        return self._evaluations(self.values / self.additive_rate)

    @property
    def additive_lower_bound(self) -> float:
        """Lower bound that follows from the largest drift."""
        if self.largest_rate <= 0.0:
            return 1.0
        return self._evaluations(self.values / self.largest_rate)

    @property
    def multiplicative_bound(self) -> float:
        """Upper bound that follows from the least drift relative to the potential."""
        if self.failing.any():
            return math.inf
        free = self.free
        smallest = self.values[free].min(initial=math.inf)
        steps = np.zeros(self.values.shape)
        steps[free] = 1.0 + np.log(self.values[free] / smallest)
        return self._evaluations(steps / self.multiplicative_rate)

    @property
    def worst_multiplicative_bound(self) -> float:
        """The same from the start with the largest potential, as theorems state it."""
        if self.failing.any():
            return math.inf
        values = self.values[self.free]
        steps = 1.0 + math.log(float(values.max() / values.min()))
        return 1.0 + self.runtime.offspring * steps / self.multiplicative_rate

    @property
    def worst_additive_bound(self) -> float:
        """The same from the start with the largest potential, as theorems state it."""
        if self.failing.any():
            return math.inf
        largest = float(self.values[self.free].max(initial=0.0))
        return 1.0 + self.runtime.offspring * largest / self.additive_rate

    def _evaluations(self, steps: FloatArray) -> float:
        """Mean evaluations over uniform starts in the region, given bounds of the steps."""
        return 1.0 + self.runtime.offspring * float(steps[self.region].mean())

    def record(self) -> dict[str, Any]:
        """Return all numbers; None where no bound follows."""
        holds = not self.failing.any()
        return {
            "potential": self.potential,
            "meaning": self.meaning,
            "networks": int(self.free.sum()),
            "failing": int(self.failing.sum()),
            "additive_rate": self.additive_rate,
            "additive_bound": self.additive_bound if holds else None,
            "largest_rate": self.largest_rate,
            "additive_lower_bound": self.additive_lower_bound,
            "multiplicative_rate": self.multiplicative_rate,
            "multiplicative_bound": self.multiplicative_bound if holds else None,
            "weakest": self.weakest,
            "exact": self.exact,
        }


def drift(runtime: ExactRuntime, potential: Potential, *, above: float | None = None) -> Drift:
    """Return the drift of a potential in every state.

    Parameters
    ----------
    runtime : ExactRuntime
        What `expected_runtime` returned.
    potential : str, callable or array
        A name of `POTENTIALS`; or values in the shape of ``runtime.per_state``; or a function that
        is called with an integer array of that shape for each mutated component, such as the angles
        and the biases, and returns them. Values are at least 0, and 0 exactly on the target, where
        the values of a function are ignored.
    above : float, optional
        Look only at search points of a fitness larger than this, which a search that keeps the best
        network does not leave. Most proofs have a part that begins there.

    Examples
    --------
    HALF without bias, local steps: the distance falls by 1/4 in every step, which is the argument
    of the paper; where both directions help it falls faster.

    >>> from hyperna.theory import expected_runtime
    >>> runtime = expected_runtime("half", 16, "local", bias=False)
    >>> found = drift(runtime, "distance")
    >>> found.additive_rate, found.additive_bound, found.exact
    (0.25, 17.0, 16.875)

    The exact expected time has drift 1 everywhere, so that its bounds are exact.

    >>> found = drift(runtime, "expected time")
    >>> round(found.additive_rate, 9), round(found.additive_bound, 9)
    (1.0, 16.875)
    """
    if runtime.target.all():
        raise ValueError("target must leave some networks to drift from, but all of them reach it")
    name, meaning, values = _potential_values(runtime, potential)
    region = np.ones(values.shape, dtype=bool)
    if above is not None:
        region = runtime.fitness > check_real("above", above, 0, 1)
        if runtime.chain.comma:
            raise ValueError("above must be left out where the best network is not kept")
        if not (region & ~runtime.target).any():
            raise ValueError(f"above must leave some networks besides the target, got {above}")
    falling = -runtime.change(values)
    falling[runtime.target] = math.nan
    return Drift(name, meaning, runtime, values, falling, region)


def _potential_values(runtime: ExactRuntime, potential: Potential) -> tuple[str, str, FloatArray]:
    """Return name, meaning and values of a potential, checked."""
    if isinstance(potential, str):
        entry = POTENTIALS[check_choice("potential", potential, POTENTIALS)]
        name, meaning = potential, entry.meaning
        values = entry.values(runtime)
    elif callable(potential):
        name, meaning = getattr(potential, "__name__", "given"), "a function that was given"
        if name == "<lambda>":
            name = "given"
        found = potential(*np.indices(runtime.per_state.shape))
        values = np.array(np.broadcast_to(found, runtime.per_state.shape), dtype=np.float64)
    else:
        name, meaning = "given", "values that were given"
        values = np.array(potential, dtype=np.float64)
        if values.shape != runtime.per_state.shape:
            raise ValueError(
                f"potential must have the shape {runtime.per_state.shape}, got {values.shape}"
            )
    target = runtime.target
    values[target] = 0.0
    if not np.isfinite(values).all() or not (values[~target] > 0).all():
        wrong = values[~target]
        bad = wrong[~(np.isfinite(wrong) & (wrong > 0))][0]
        raise ValueError(
            f"potential must be positive and finite outside the target, got {shown(float(bad))}"
        )
    return name, meaning, values


# ---- potentials by name


@dataclass(frozen=True)
class NamedPotential:
    """A potential with a name: what it is, and its values for a runtime."""

    meaning: str
    values: Callable[[ExactRuntime], FloatArray]


def distance(runtime: ExactRuntime) -> FloatArray:
    """Steps of length 1 to the nearest target, summed over the components."""
    found = np.where(runtime.target, 0.0, np.inf)
    for axis, length in enumerate(found.shape):
        # one step on the ring at a time
        for _ in range(length // 2):
            near = np.minimum(np.roll(found, 1, axis), np.roll(found, -1, axis)) + 1.0
            if (near >= found).all():
                break
            found = np.minimum(found, near)
    return found


def missing_fitness(runtime: ExactRuntime) -> FloatArray:
    """Best fitness less fitness: of real-valued networks where known, else of those listed."""
    best = runtime._task.best_known
    fitness = runtime.fitness
    if best is None or best < fitness[~runtime.target].max(initial=0.0):
        best = float(fitness.max())
    return np.where(runtime.target, 0.0, best - fitness)


def _logarithm(values: FloatArray) -> FloatArray:
    """1 + ln(g / g_min), and 0 where g is 0."""
    positive = values > 0
    result = np.zeros(values.shape)
    result[positive] = 1.0 + np.log(values[positive] / values[positive].min(initial=np.inf))
    return result


def _expected_time(runtime: ExactRuntime) -> FloatArray:
    if not np.isfinite(runtime.per_state).all():
        raise ValueError("potential 'expected time' must be finite, but a run may be stuck")
    return (runtime.per_state - 1.0) / runtime.offspring


def _quarter_parts(runtime: ExactRuntime) -> tuple[FloatArray, FloatArray]:
    """|eta| and d of the paper's lemma on QUARTER, in radians.

    eta is the difference of the length of the neuron's arc from its best value, d the distance of
    its angle from a quarter of a half turn.
    """
    grid = runtime.grid
    problem = runtime._task.fitness.problem
    named = isinstance(problem, ArcProblem) and problem.name == "quarter"
    one = grid.dim == 2 and grid.neurons == 1 and grid.neuron == "plain"
    if not (named and one and runtime._task.bias):
        raise ValueError(
            "potential must be another one here: this one is of QUARTER with one neuron and a "
            "bias at D = 2"
        )
    angle, level = np.indices(runtime.per_state.shape)
    bias = BIAS.value(level, grid.resolution)
    eta = 2 * np.arccos(bias) - math.pi / 2
    away = (2 * math.pi * angle / grid.resolution - math.pi / 4 + math.pi) % (2 * math.pi)
    return np.abs(eta), np.abs(away - math.pi)


def _printed_quarter(runtime: ExactRuntime) -> FloatArray:
    eta, away = _quarter_parts(runtime)
    return eta + np.maximum(0.0, away - eta / 2)


def _wrong_quarter(runtime: ExactRuntime) -> FloatArray:
    eta, away = _quarter_parts(runtime)
    return eta + np.maximum(0.0, 2 * (away - eta / 2))


POTENTIALS: dict[str, NamedPotential] = {
    "distance": NamedPotential(
        "steps of length 1 to the nearest target, summed over the components; without bias that of "
        "the paper's proof for HALF",
        distance,
    ),
    "log distance": NamedPotential(
        "1 + the logarithm of the distance in steps", lambda run: _logarithm(distance(run))
    ),
    "missing fitness": NamedPotential(
        "best fitness less fitness: that of the paper's proofs for QUARTER, TWOQUARTERS and "
        "LOCALOPT",
        missing_fitness,
    ),
    "log missing fitness": NamedPotential(
        "1 + the logarithm of the missing fitness over its smallest value",
        lambda run: _logarithm(missing_fitness(run)),
    ),
    "expected time": NamedPotential("the exact expected number of steps left", _expected_time),
    "paper quarter": NamedPotential(
        "|eta| + max(0, d - |eta|/2), as printed in the paper's lemma on QUARTER", _printed_quarter
    ),
    "wrong length quarter": NamedPotential(
        "|eta| + max(0, 2 (d - |eta|/2)), the wrongly classified length of QUARTER above fitness "
        "3/4",
        _wrong_quarter,
    ),
}


# ---- the best of a family


@dataclass(frozen=True, eq=False)
class FittedPotential:
    """The combination of some potentials that gives the best bound.

    Attributes
    ----------
    names : tuple of str
        The potentials; "one" is 1 outside the target.
    coefficients : float array
        Their factors: the combination falls by at least 1 in every step (at most, for a lower
        bound).
    bound : float
        Bound of the expected evaluations, averaged over uniform starts in the region. It is proved
        by additive drift, up to rounding; infinite (or 1, for a lower bound) if no combination has
        the drift.
    drift : Drift
        That of the combination, or of the one that comes closest.
    """

    names: tuple[str, ...]
    coefficients: FloatArray
    bound: float
    drift: Drift = field(repr=False)

    @property
    def gap(self) -> float:
        """The bound divided by the exact expectation."""
        return self.bound / self.drift.exact

    def __str__(self) -> str:
        parts = [
            f"{coefficient:.4g}" if name == "one" else f"{coefficient:.4g} {name}"
            for name, coefficient in zip(self.names, self.coefficients.tolist(), strict=True)
        ]
        return " + ".join(parts)


def fit_potential(
    runtime: ExactRuntime,
    family: Sequence[Potential] = ("one", "log distance"),
    *,
    above: float | None = None,
    lower: bool = False,
) -> FittedPotential:
    """Find the best bound that additive drift gives for combinations of some potentials.

    Drift is linear in the potential. So the smallest bound on the expected time, over all
    combinations whose drift is at least 1 in every state, is a linear programme with a variable for
    each potential: a starting point for a proof, not a proof for other resolutions.

    Parameters
    ----------
    runtime : ExactRuntime
        What `expected_runtime` returned.
    family : sequence
        Potentials as `drift` takes them, and "one", which is 1 outside the target. By default
        a + b log(distance).
    above : float, optional
        As in `drift`.
    lower : bool
        Look for the largest lower bound: the drift is at most 1 in every state.

    Examples
    --------
    >>> from hyperna.theory import expected_runtime
    >>> runtime = expected_runtime("half", 64, bias=False)
    >>> found = fit_potential(runtime)
    >>> print(f"{found}: at most {found.bound:.2f}, exactly {found.drift.exact:.2f}")
    11.68 + 7.111 log distance: at most 37.24, exactly 35.38
    """
    check_kind("family", family, list, tuple)
    if not family:
        raise ValueError("family must hold at least one potential")
    names = []
    columns = []
    for potential in family:
        if isinstance(potential, str) and potential == "one":
            name, values = "one", np.where(runtime.target, 0.0, 1.0)
        else:
            name, _, values = _potential_values(runtime, potential)
        names.append(name)
        columns.append(values)
    basis = [drift(runtime, values, above=above) for values in columns]
    region = basis[0].region
    free = basis[0].free
    rates = np.column_stack([each.drift[free] for each in basis])
    averages = np.array([each.values[region].mean() for each in basis])
    # potentials of very different size would upset the solver
    scale = np.array([max(float(np.abs(column).max()), 1e-300) for column in columns])
    sign = -1.0 if lower else 1.0
    found = optimize.linprog(
        sign * averages / scale,
        A_ub=-sign * rates / scale,
        b_ub=np.full(len(rates), -sign),
        bounds=(None, None),
        method="highs",
    )
    holds = found.status == 0
    factors = found.x / scale if holds else _closest(rates / scale, sign) / scale
    values = sum(f * column for f, column in zip(factors, columns, strict=True))
    best = Drift(
        " + ".join(names),
        "a combination of " + ", ".join(names),
        runtime,
        values,
        sum(f * each.drift for f, each in zip(factors, basis, strict=True)),
        region,
    )
    bound = math.inf if not lower else 1.0
    if holds:
        bound = 1.0 + runtime.offspring * float(averages @ factors)
    return FittedPotential(tuple(names), factors, bound, best)


def _closest(rates: FloatArray, sign: float) -> FloatArray:
    """The combination with coefficients up to 1 whose least drift is the largest."""
    variables = rates.shape[1]
    goal = np.append(np.zeros(variables), -1.0)
    rows = np.column_stack([-sign * rates, np.ones(len(rates))])
    limits = [(-1.0, 1.0)] * variables + [(None, None)]
    found = optimize.linprog(goal, A_ub=rows, b_ub=np.zeros(len(rates)), bounds=limits)
    return np.asarray(found.x[:variables])
