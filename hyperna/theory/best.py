"""Laws, mutation probabilities and numbers of offspring with a small expected runtime.

An analyst who studies one law wants to know how much a better one could gain. The expected runtime
is an explicit function of the step distribution, with a gradient through the chain, so it can be
minimised; it is not convex, so what a search finds is called the best found, not the best. Dynamic
programming over the states gives a lower bound for all laws, and the gap between the two is known.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
from scipy import optimize

from hyperna._validation import BoolArray, FloatArray, IntArray, check_choice, check_integer
from hyperna._words import shown
from hyperna.fitness import Fitness
from hyperna.mutation import PowerLaw, StepLaw, law
from hyperna.problems import Problem
from hyperna.run.results import Progress
from hyperna.run.task import Task
from hyperna.theory.chain import Chain
from hyperna.theory.limits import Moves, affordable_steps, cost_of_moves
from hyperna.theory.moves import displacements
from hyperna.theory.runtime import make_chain
from hyperna.theory.sensitivity import law_slope
from hyperna.theory.solver import LARGEST_ERROR, accepts, certified_bounds
from hyperna.theory.states import list_states
from hyperna.theory.task import exact_task, has_goal, is_comma, offspring_of

FAMILIES = ("power", "probability", "free", "adaptive")
# All pairs of states are kept for the gradient: half a gigabyte, or less with several offspring.
MOST_FREE_STATES = 8192
MOST_FREE_STATES_OF_GENERATIONS = 2048
# Products of states and choices of lengths in one sweep of the dynamic programme.
MOST_CHOICES = 2 * 10**7
# Its sweeps, which end when none adds more than this share of the longest time.
MOST_SWEEPS = 10_000
SETTLED = 1e-9
# Random laws from which the search for a free law starts, besides six of known shape.
RANDOM_STARTS = 10
# No length is ruled out during a search, so that every optimum stays within reach.
LEAST_PROBABILITY = 1e-12
# First-order conditions count as fulfilled if no change of the law promises more than this share
# of the mean.
STATIONARY = 1e-6
# Searches of one variable: a grid, and digits of the refinement.
EXPONENTS = np.linspace(0.0, 4.0, 17)
PROBABILITIES = np.linspace(0.05, 1.0, 20)
# The same where a chain of components that are mutated for certain would be too large.
LESS_THAN_CERTAIN = np.append(PROBABILITIES[:-1], 0.9999)
_REFINED = 1e-4


@dataclass(frozen=True, eq=False)
class BestLaw:
    """The best law of a family that was found, with the usual law and a lower bound beside it.

    Attributes
    ----------
    family : str
        As in `best_law`.
    mean : float
        Expected evaluations of the law; for "adaptive" the bound no law can beat.
    harmonic_mean : float
        Those of harmonic mutation with the usual probability.
    bound : float
        Expected evaluations that no law with the same mutation probability can beat; NaN for
        "probability", for several offspring, for the (1,lambda) NA, for `redraw_void`, and where it
        would take too long.
    parameter : float
        The best exponent or mutation probability, NaN for the other families.
    steps : float array
        Probabilities of the step lengths 1 .. r of the law; empty for "adaptive".
    starts : int
        From how many laws the search for a free one started, 0 for the other families.
    agreeing : int
        From how many of them it came to the same mean, to six digits.
    slope : float
        First-order condition of a free law: by how much of the mean moving probability between
        lengths could improve it at first order, at most; 0 where no change improves it, NaN for the
        other families.
    """

    family: str
    mean: float
    harmonic_mean: float
    bound: float
    parameter: float
    steps: FloatArray = field(repr=False)
    starts: int = 0
    agreeing: int = 0
    slope: float = np.nan

    @property
    def ratio(self) -> float:
        """How many times longer harmonic mutation takes."""
        return self.harmonic_mean / self.mean

    @property
    def gap(self) -> float:
        """How many times longer the law takes than the bound; nothing is proved in between."""
        return self.mean / self.bound


def best_law(
    problem: Problem | Fitness | str,
    resolution: int,
    family: str = "free",
    *,
    progress: Progress | None = None,
    **settings: Any,
) -> BestLaw:
    """Search for the law with the smallest expected runtime.

    Parameters
    ----------
    problem : Problem, Fitness or str
        As in `expected_runtime`.
    resolution : int
        Number of angles.
    family : {"power", "probability", "free", "adaptive"}
        "power": the exponent b of P(l) proportional to l^-b. "probability": the mutation
        probability of harmonic steps. "free": any distribution of step lengths, from many starts
        down the gradient until no small change improves it. "adaptive": in every state the best
        length for each component, by dynamic programming: with the same mutation probability no law
        does better, not even one that knows the state.
    progress : callable, optional
        Called with the number of searches done and of all, after each: descents from one start,
        or values on the grid of an exponent or a probability and their refinement. Not for
        "adaptive", which refuses several offspring, the (1,lambda) NA and `redraw_void`.
    **settings
        Any other of `expected_runtime`, such as dim, neurons, bias, algorithm or target.

    Returns
    -------
    BestLaw
        The best law that was found. Only "adaptive" is proved: it is a bound, not a law.

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> best = best_law(problem("quarter"), 8)
    >>> print(f"best found {best.mean:.4f}, harmonic {best.harmonic_mean:.4f}")
    best found 23.3530, harmonic 29.2211
    >>> print(f"no law is below {best.bound:.4f}, {best.gap:.2f} times less")
    no law is below 6.2372, 3.74 times less
    """
    check_choice("family", family, FAMILIES)
    model = Model(exact_task(problem, resolution, **settings))
    r = model.resolution
    if family == "probability" and model.task.one_component:
        raise ValueError("family must not be 'probability' for 'rls', which has none")
    if family == "adaptive":
        model.check_bound()
    harmonic = law("harmonic").pmf(r)
    usual = model.mean(harmonic)
    bound = np.nan
    if family != "probability" and model.has_bound and model.affords_bound:
        bound = model.adaptive()
    if family == "adaptive":
        return BestLaw(family, bound, usual, bound, np.nan, np.zeros(0))
    if family == "power":
        exponent = _smallest(lambda b: model.mean(PowerLaw(b).pmf(r)), EXPONENTS, progress)
        steps = PowerLaw(exponent).pmf(r)
        return BestLaw(family, model.mean(steps), usual, bound, exponent, steps)
    if family == "probability":
        probabilities = PROBABILITIES if model.affords_certain_mutation else LESS_THAN_CERTAIN
        best = _smallest(lambda p: model.mean(harmonic, p), probabilities, progress)
        return BestLaw(family, model.mean(harmonic, best), usual, bound, best, harmonic)
    model.check_gradient()
    found = []
    starts = _starts(r)
    for start in starts:
        found.append(model.descend(start))
        if progress is not None:
            progress(len(found), len(starts))
    means = np.array([mean for mean, _, _ in found])
    mean, slope, steps = found[int(np.argmin(means))]
    agreeing = int((means <= mean * (1 + 1e-6)).sum())
    return BestLaw(family, mean, usual, bound, np.nan, steps, len(found), agreeing, slope)


@dataclass(frozen=True, eq=False)
class BestOffspring:
    """Expected runtimes of the (1+lambda) NA for every number of offspring up to the largest tried.

    Attributes
    ----------
    offspring : integer array
        The numbers that were tried, 1, 2, ....
    evaluations, generations : float arrays
        Expected evaluations and generations for each.
    """

    offspring: IntArray
    evaluations: FloatArray
    generations: FloatArray

    @property
    def by_evaluations(self) -> int:
        """The number with the fewest expected evaluations of those tried."""
        return int(self.offspring[np.argmin(self.evaluations)])

    @property
    def by_generations(self) -> int:
        """The number with the fewest expected generations of those tried."""
        return int(self.offspring[np.argmin(self.generations)])


def best_offspring(
    problem: Problem | Fitness | str,
    resolution: int,
    mutation: str | StepLaw = "harmonic",
    *,
    most: int = 32,
    algorithm: str = "one_plus_lambda",
    progress: Progress | None = None,
    **settings: Any,
) -> BestOffspring:
    """Compute the expected runtime of the (1+lambda) NA for lambda = 1 .. most.

    More offspring need fewer generations, so that the best number by generations is the largest
    tried, unless a law makes all of them alike.

    Parameters
    ----------
    problem, resolution, mutation
        As in `expected_runtime`.
    most : int
        Largest number of offspring.
    algorithm : {"one_plus_lambda", "one_comma_lambda"}
        Whether the parent is kept if all its offspring are less fit.
    progress : callable, optional
        Called with the number of chains solved and of all, after each.
    **settings
        Others of `expected_runtime`.

    Examples
    --------
    >>> found = best_offspring("quarter", 12, most=4)
    >>> found.by_evaluations, found.by_generations
    (1, 4)
    >>> found.evaluations.round(2)
    array([27.77, 30.01, 32.49, 35.14])
    """
    most = check_integer("most", most, 1, 2**20)
    check_choice("algorithm", algorithm, ("one_plus_lambda", "one_comma_lambda"))
    tried = np.arange(1, most + 1)
    evaluations = np.zeros(most)
    for number in tried.tolist():
        task = exact_task(
            problem, resolution, mutation, algorithm=algorithm, offspring=number, **settings
        )
        model = Model(task)
        evaluations[number - 1] = model.mean(model.steps)
        if progress is not None:
            progress(number, most)
    return BestOffspring(tried, evaluations, (evaluations - 1.0) / tried)


class Model:
    """The expected runtime of a task as a function of the step distribution.

    The networks are listed once; every law makes another chain of them. `steps` is the law of the
    task itself.
    """

    def __init__(self, task: Task) -> None:
        self.steps = affordable_steps(task)
        if not has_goal(task):
            raise ValueError(f"target must be given here; by default success is {task.criterion}")
        self.task = task
        self.resolution = task.grid.resolution
        self.states = list_states(task)
        self.moduli = task.grid.moduli[self.states.components].tolist()

    def chain(
        self, steps: FloatArray, probability: float | None = None
    ) -> tuple[Chain, tuple[IntArray, ...]]:
        """The chain of a law, and which rows of its axes stand for which values."""
        if self.task.one_component:
            probability = 1.0
        elif probability is None:
            probability = self.task.probability
        moved = tuple(displacements(steps, modulus, probability) for modulus in self.moduli)
        chain, places = make_chain(self.task, self.states, moved)
        if not isinstance(chain, Chain):
            raise ValueError(f"resolution must be smaller here, got {self.resolution}")
        return chain, places

    def mean(self, steps: FloatArray, probability: float | None = None) -> float:
        """Expected evaluations, infinite if the target may be missed or no error is proved."""
        chain, _ = self.chain(steps, probability)
        with np.errstate(over="ignore", invalid="ignore"):
            moments = chain.moments()
            bounds = certified_bounds(moments, chain.start)
        if not moments.certain.all() or not bounds.mean <= LARGEST_ERROR:
            return float("inf")
        return 1.0 + chain.offspring * float(chain.start @ moments.time.ravel())

    @property
    def affords_certain_mutation(self) -> bool:
        """Whether the chain can be solved if every component is mutated in every step.

        A bias then never stays where it is, so that all moves are kept in memory.
        """
        certain = replace(self.task, probability=1.0)
        moves = Moves.everywhere(self.resolution)
        return cost_of_moves(certain, self.resolution, moves).is_affordable

    def check_gradient(self) -> None:
        """Refuse chains whose slope is not known, or whose pairs of states are too many."""
        if self.task.redraw_void:
            # how many steps are void depends on the law too, which `law_slope` does not know
            raise ValueError("redraw_void must be False for a free law, got True")
        chain, _ = self.chain(law("harmonic").pmf(self.resolution))
        several = chain.offspring > 1
        most = MOST_FREE_STATES_OF_GENERATIONS if several else MOST_FREE_STATES
        if chain.comma:
            raise ValueError("family must not be 'free' for 'one_comma_lambda'")
        if chain.size > most:
            raise ValueError(
                f"resolution must be smaller for a free law: its chain has {chain.size:,} states, "
                f"at most {most:,} are possible, got {self.resolution}"
            )

    def gradient(self, steps: FloatArray) -> tuple[float, FloatArray]:
        """Expected evaluations and their derivatives by the probabilities of the lengths."""
        chain, places = self.chain(steps)
        moments = chain.moments()
        mean = 1.0 + chain.offspring * float(chain.start @ moments.time.ravel())
        probability = 1.0 if self.task.one_component else self.task.probability
        slope = law_slope(chain, moments, places, self.resolution, probability)
        return mean, chain.offspring * slope

    def descend(self, start: FloatArray) -> tuple[float, float, FloatArray]:
        """Go down the gradient on the simplex of all laws until first-order conditions hold.

        Returns the mean, the slope (see `BestLaw`) and the law.
        """

        def function(weights: FloatArray) -> tuple[float, FloatArray]:
            steps = _as_law(weights)
            mean, slope = self.gradient(steps)
            return mean, slope - steps @ slope

        steps = _as_law(start)
        mean, slope = self.gradient(steps)
        missing = _first_order_gain(steps, slope) / mean
        # the method may give up where rounding hides its last digits; it then begins anew
        for _ in range(20):
            if missing <= STATIONARY:
                break
            found = optimize.minimize(
                function,
                steps,
                jac=True,
                method="SLSQP",
                bounds=[(0.0, 1.0)] * steps.size,
                constraints=[{"type": "eq", "fun": _excess, "jac": np.ones_like}],
                options={"maxiter": 1000, "ftol": 1e-14 * mean},
            )
            better = _as_law(found.x)
            improved, slope = self.gradient(better)
            if not improved < mean:
                break
            steps, mean = better, improved
            missing = _first_order_gain(steps, slope) / mean
        return mean, missing, steps

    # ---- the bound

    @property
    def _choices(self) -> list[list[int]]:
        """For each component the displacements that some length makes, but for their sign."""
        lengths = np.arange(1, self.resolution + 1)
        folded = [np.minimum(lengths % m, -lengths % m) for m in self.moduli]
        return [np.unique(each).tolist() for each in folded]

    @property
    def has_bound(self) -> bool:
        """Whether the dynamic programme is one for this algorithm.

        It takes one offspring, which never replaces a fitter parent, and counts void steps.
        """
        task = self.task
        return offspring_of(task) == 1 and not is_comma(task) and not task.redraw_void

    @property
    def affords_bound(self) -> bool:
        """Whether the dynamic programme takes minutes at most."""
        outcomes = 3 ** len(self.moduli)
        choices = int(np.prod([len(each) for each in self._choices]))
        return bool(np.prod(self.moduli) * choices * outcomes <= MOST_CHOICES)

    def check_bound(self) -> None:
        """Refuse algorithms that the dynamic programme is not for, and chains too large for it."""
        task = self.task
        if is_comma(task):
            raise ValueError("family must not be 'adaptive' for 'one_comma_lambda'")
        if offspring_of(task) > 1:
            raise ValueError("family must not be 'adaptive' for several offspring")
        if task.redraw_void:
            raise ValueError("redraw_void must be False for an adaptive law, got True")
        if not self.affords_bound:
            raise ValueError(
                f"resolution must be smaller for an adaptive law, got {shown(self.resolution)}"
            )

    def adaptive(self) -> float:
        """Expected evaluations if in every state the best length of each component is drawn.

        A law that draws lengths at random, knowing the state, mixes such choices, and the expected
        time of a mixture is at least that of the best of them. Value iteration from 0 rises to the
        truth, so it is a lower bound at any time. It is infinite where no law reaches the target.
        """
        self.check_bound()
        every = np.ix_(*self.states.places)
        score, target = self.states.score[every], self.states.target[every]
        plans = [_outcomes(self, choice) for choice in product(*self._choices)]
        moves = {move for plan in plans for move in plan}
        accepted = {move: accepts(_after(score, move), score) for move in moves}
        if not _can_reach(target, accepted).all():
            return np.inf
        time = np.zeros(score.shape)
        for _ in range(MOST_SWEEPS):
            longer = _with_best_plans(time, plans, accepted)
            longer[target] = 0.0
            rise = np.abs(longer - time).max()
            time = longer
            if rise < SETTLED * max(1.0, float(time.max())):
                break
        else:
            warnings.warn(
                f"the bound has not settled after {MOST_SWEEPS:,} sweeps: no law is below it, but "
                f"it may be far too small",
                RuntimeWarning,
                stacklevel=3,
            )
        return 1.0 + float(time.mean())


def _after(values: np.ndarray, move: tuple[int, ...]) -> np.ndarray:
    """Values of the states to which a move leads from each state."""
    return np.roll(values, [-step for step in move], tuple(range(values.ndim)))


def _can_reach(target: BoolArray, accepted: dict[tuple[int, ...], BoolArray]) -> BoolArray:
    """From which states accepted moves lead to a target, whatever the law."""
    found = target
    while True:
        grown = found.copy()
        for move, is_accepted in accepted.items():
            grown |= is_accepted & _after(found, move)
        if (grown == found).all():
            return found
        found = grown


def _with_best_plans(
    time: FloatArray,
    plans: list[dict[tuple[int, ...], float]],
    accepted: dict[tuple[int, ...], BoolArray],
) -> FloatArray:
    """Expected evaluations from each state if its best plan is followed until a move is accepted.

    From then on it takes `time`. A plan with probabilities P takes (1 + sum of P(x, y) time(y)) /
    (sum of P(x, y)), sums over its accepted moves; it is infinite if there are none. `accepted`
    says for each move from which states it is.
    """
    time_after = {
        move: np.where(is_accepted, _after(time, move), 0.0)
        for move, is_accepted in accepted.items()
    }
    best = np.full(time.shape, np.inf)
    for plan in plans:
        leave = np.zeros(time.shape)
        ahead = np.ones(time.shape)
        for move, probability in plan.items():
            leave += probability * accepted[move]
            ahead += probability * time_after[move]
        with np.errstate(divide="ignore"):
            np.minimum(best, np.where(leave > 0, ahead / leave, np.inf), out=best)
    return best


def _outcomes(model: Model, choice: tuple[int, ...]) -> dict[tuple[int, ...], float]:
    """Probabilities of the moves that change something if each component has one length."""
    result: dict[tuple[int, ...], float] = {}
    task = model.task
    if task.one_component:
        for k, length in enumerate(choice):
            for sign in (-1, 1):
                move = [0] * len(choice)
                move[k] = sign * length
                result[tuple(move)] = result.get(tuple(move), 0.0) + 0.5 / len(choice)
    else:
        p = task.probability
        for signs in product((-1, 0, 1), repeat=len(choice)):
            move = [sign * length for sign, length in zip(signs, choice, strict=True)]
            parts = [1.0 - p if sign == 0 else 0.5 * p for sign in signs]
            result[tuple(move)] = result.get(tuple(move), 0.0) + float(np.prod(parts))
    result.pop((0,) * len(choice), None)
    return {move: probability for move, probability in result.items() if probability > 0}


def _starts(r: int) -> list[FloatArray]:
    """Laws to start a search from: some of known shape, and seeded random ones.

    Good laws have few lengths, so that most of the random ones do, too.
    """
    known = [PowerLaw(exponent).pmf(r) for exponent in (0.0, 1.0, 2.0)]
    # mostly short, mostly long, and long steps that are short ones in the other direction
    lengths = np.arange(1, r + 1)
    for shape in (lengths == 1, lengths == r - 1, np.minimum(lengths, r - lengths) <= r // 8):
        known.append(0.9 * shape / shape.sum() + 0.1 / r)
    rng = np.random.default_rng(0)
    drawn = [rng.dirichlet(np.full(r, (1.0, 0.3, 0.1)[i % 3])) for i in range(RANDOM_STARTS)]
    return known + drawn


def _smallest(
    function: Callable[[float], float], grid: FloatArray, progress: Progress | None
) -> float:
    """Where a function of one variable is smallest: the best of a grid, refined."""
    values = []
    for x in grid:
        values.append(function(x))
        if progress is not None:
            progress(len(values), len(grid) + 1)
    best = int(np.argmin(values))
    ends = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    found = optimize.minimize_scalar(
        function, bounds=ends, method="bounded", options={"xatol": _REFINED}
    )
    if progress is not None:
        progress(len(grid) + 1, len(grid) + 1)
    return float(found.x) if found.fun < values[best] else float(grid[best])


def _excess(weights: FloatArray) -> float:
    """By how much weights exceed a sum of 1."""
    return float(weights.sum()) - 1.0


def _as_law(weights: FloatArray) -> FloatArray:
    """Probabilities with no length ruled out."""
    positive = np.maximum(weights, LEAST_PROBABILITY)
    return positive / positive.sum()


def _first_order_gain(steps: FloatArray, slope: FloatArray) -> float:
    """By how much the mean would fall if all probability went to the length of the least slope.

    It is 0 if and only if the first-order conditions of a minimum on the simplex hold: all lengths
    in use have the same slope, and no other has a smaller one.
    """
    return float(steps @ slope - slope.min())
