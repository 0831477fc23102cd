"""The best step distributions for a problem, from its chain, and a bound that no law can beat."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from scipy import optimize

from hyperna._validation import FloatArray, check_choice, check_integer
from hyperna._words import shown
from hyperna.fitness import ExactArcs, Fitness, fitness_of
from hyperna.grid import Grid
from hyperna.mutation import PowerLaw, law
from hyperna.problems import Problem
from hyperna.theory.chain import Chain, circulant, displacements, lump
from hyperna.theory.landscape import all_scores, targets
from hyperna.theory.walk import visits

FAMILIES = ("power", "probability", "free", "adaptive")
# All pairs of states are kept for the gradient, all pairs of lengths for the adaptive choice.
LARGEST_FREE, LARGEST_ADAPTIVE = 120, 48


@dataclass(frozen=True, eq=False)
class BestLaw:
    """The best member of a family of laws, and harmonic mutation beside it.

    Attributes
    ----------
    family : str
        As in `best_law`.
    mean : float
        Expected evaluations of the best member; for "adaptive" the bound no law can beat.
    harmonic_mean : float
        Those of harmonic mutation with probability 1/2.
    parameter : float
        The best exponent or mutation probability, NaN for the other families.
    steps : float array
        Probabilities of the step lengths 1 .. r of the best member; empty for "adaptive".
    """

    family: str
    mean: float
    harmonic_mean: float
    parameter: float
    steps: FloatArray = field(repr=False)

    @property
    def ratio(self) -> float:
        """How many times longer harmonic mutation takes."""
        return self.harmonic_mean / self.mean


def best_law(
    problem: Problem | Fitness | str, resolution: int, family: str = "free", *, bias: bool = True
) -> BestLaw:
    """Find the law with the smallest expected runtime for one neuron on an arc problem.

    Parameters
    ----------
    problem : Problem, Fitness or str
        A union of arcs at D = 2.
    resolution : int
        Number of angles.
    family : {"power", "probability", "free", "adaptive"}
        "power": the best exponent b of P(l) proportional to l^-b. "probability": the best mutation
        probability of harmonic steps. "free": the best distribution of step lengths at all, by a
        gradient through the chain. "adaptive": in every state the best pair of lengths for angle
        and bias, by dynamic programming: with mutation probability 1/2 no law does better, not even
        one that knows the state.
    bias : bool
        False fixes the bias at 0.

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> best = best_law(problem("quarter"), 16, "power")
    >>> best.mean < best.harmonic_mean
    True
    """
    check_choice("family", family, FAMILIES)
    most = {"free": LARGEST_FREE, "adaptive": LARGEST_ADAPTIVE}.get(family, 1200)
    r = check_integer("resolution", resolution, 4, most)
    fitness = fitness_of(problem)
    if not isinstance(fitness, ExactArcs):
        raise TypeError(f"problem must be a union of arcs at dim 2, got {shown(problem)}")
    model = _Model(fitness, r, bias)
    harmonic = law("harmonic").pmf(r)
    usual = model.mean(harmonic)
    if family == "power":
        best = _smallest(lambda b: model.mean(PowerLaw(b).pmf(r)), np.linspace(0.0, 4.0, 17))
        steps = PowerLaw(best).pmf(r)
        return BestLaw(family, model.mean(steps), usual, best, steps)
    if family == "probability":
        best = _smallest(lambda p: model.mean(harmonic, p), np.linspace(0.05, 1.0, 20))
        return BestLaw(family, model.mean(harmonic, best), usual, best, harmonic)
    if family == "free":
        steps = model.descend(harmonic)
        return BestLaw(family, model.mean(steps), usual, np.nan, steps)
    return BestLaw(family, model.adaptive(), usual, np.nan, np.zeros(0))


def _smallest(function: Callable[[float], float], grid: FloatArray) -> float:
    """Where a function of one variable is smallest: the best of a grid, refined."""
    values = [function(x) for x in grid]
    best = int(np.argmin(values))
    ends = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    found = optimize.minimize_scalar(
        function, bounds=ends, method="bounded", options={"xatol": 1e-4}
    )
    return float(found.x) if found.fun < values[best] else float(grid[best])


class _Model:
    """The expected runtime as a function of the step distribution."""

    def __init__(self, fitness: ExactArcs, r: int, bias: bool) -> None:
        self.r, self.bias = r, bias
        grid = Grid(2, 1, r)
        self.score = all_scores(fitness, grid, bias)
        self.target = targets(fitness, grid, self.score, None, bias)

    def chain(self, steps: FloatArray, probability: float) -> tuple[Chain, np.ndarray]:
        angle = circulant(displacements(steps, self.r, probability))
        level = np.ones((1, 1))
        if self.bias:
            level = circulant(displacements(steps, self.r + 1, probability))
        return lump(self.score, self.target, angle, level)

    def mean(self, steps: FloatArray, probability: float = 0.5) -> float:
        """Expected evaluations."""
        chain, place = self.chain(steps, probability)
        moments = chain.moments()
        if not moments.certain.all():
            return float("inf")
        return 1.0 + float(moments.time[place].mean())

    def gradient(self, steps: FloatArray) -> tuple[float, FloatArray]:
        """Expected evaluations and their derivatives by the probabilities of the lengths.

        With m(x) the expected number of steps in x, a change dP of the moves changes the mean by
        the sum over x and accepted y of m(x) dP(x, y) (h(y) - h(x)).
        """
        chain, place = self.chain(steps, 0.5)
        moments = chain.moments()
        rows, width = chain.shape
        start = np.outer(np.bincount(place), np.ones(width)) / (place.size * width)
        spent = visits(chain, moments.leave, start, chain.target)
        spent[chain.target.ravel()] = 0.0
        time, score = moments.time.ravel(), chain.score.ravel()
        gain = spent[:, None] * (score[:, None] <= score) * (time - time[:, None])
        gain = gain.reshape(rows, width, rows, width)
        by_angle = np.einsum("ijkl,jl->ik", gain, chain.second, optimize=True)
        by_level = np.einsum("ijkl,ik->jl", gain, chain.first, optimize=True)
        first = np.unique(place, return_index=True)[1]
        lengths = np.arange(1, self.r + 1)
        moved = (np.arange(place.size) - first[:, None]) % place.size
        turned = np.bincount(moved.ravel(), by_angle[:, place].ravel(), place.size)
        slope = 0.25 * (turned[lengths % self.r] + turned[-lengths % self.r])
        if self.bias:
            index = np.arange(width)
            moved = (index - index[:, None]) % width
            shifted = np.bincount(moved.ravel(), by_level.ravel(), width)
            slope = slope + 0.25 * (shifted[lengths % width] + shifted[-lengths % width])
        mean = 1.0 + float(moments.time[place].mean())
        return mean, np.asarray(slope, dtype=np.float64)

    def descend(self, steps: FloatArray) -> FloatArray:
        """The best distribution, from a given one, over the logarithms of its probabilities."""

        def from_logarithms(logarithms: FloatArray) -> FloatArray:
            weights = np.exp(logarithms - logarithms.max())
            # no length is ruled out, so that every optimum stays within reach
            return np.maximum(weights / weights.sum(), 1e-12)

        def function(logarithms: FloatArray) -> tuple[float, FloatArray]:
            now = from_logarithms(logarithms)
            mean, slope = self.gradient(now)
            return mean, now * (slope - now @ slope)

        found = optimize.minimize(
            function,
            np.log(steps),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": 200},
            bounds=[(-25.0, 5.0)] * steps.size,
        )
        best = from_logarithms(found.x)
        return best / best.sum()

    def adaptive(self) -> float:
        """Expected evaluations if every state has its best pair of lengths.

        Value iteration from 0 rises to the truth, so it is a lower bound at any time.
        """
        score, target, r = self.score, self.target, self.r
        width = score.shape[1]
        time = np.zeros(score.shape)
        # a length of r leaves the angle where it is
        lengths = np.arange(r // 2 + 1)
        levels = np.arange(1, width // 2 + 1) if self.bias else np.zeros(1, dtype=int)
        # of each component: stay with probability 1/2, else one of two signs
        for _ in range(10_000):
            best = np.full(score.shape, np.inf)
            for one in lengths.tolist():
                for other in levels.tolist():
                    into, leave = np.ones(score.shape), np.zeros(score.shape)
                    moves = [(0, 0.5), (one, 0.25), (-one, 0.25)] if one else [(0, 1.0)]
                    shifts = [(0, 0.5), (other, 0.25), (-other, 0.25)] if other else [(0, 1.0)]
                    for angle, p in moves:
                        for level, q in shifts:
                            if angle == 0 and level == 0:
                                continue
                            moved = np.roll(score, (-angle, -level), (0, 1)) >= score
                            leave += p * q * moved
                            reached = np.roll(time, (-angle, -level), (0, 1))
                            into += p * q * np.where(moved, reached, 0.0)
                    with np.errstate(divide="ignore"):
                        np.minimum(best, np.where(leave > 0, into / leave, np.inf), out=best)
            best[target] = 0.0
            change = np.abs(best - time).max()
            time = best
            if change < 1e-9 * max(1.0, float(time.max())):
                break
        return 1.0 + float(time.mean())
