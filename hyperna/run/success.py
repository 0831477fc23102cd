"""What counts as success, for runs, exact chains and the page in the browser alike.

Without a target, `Judge.goal` decides by what is known of the networks of a grid:

1. Their optima are listed (`optima_on`, from `Problem.optima`): every component within less than
   one grid step of one of them, the paper's definition.
2. Only the best fitness is known (`Problem.best_fitness`): a fitness, that one less what rounding
   to the grid may cost (`Problem.rounding_loss`), or the best itself on finite sets of points.
   Networks whose number of neurons evolves are always judged so.
3. Neither, or that fitness is not above the one of an answer without any learning: nothing. The
   run continues to its limit, and the words say why. On points the ceiling of 1 is tried.

Which optima and fitnesses are known for which problem, dimension, number and kind of neurons,
output and bias is told in `hyperna.problems.arc_problems` and `hyperna.problems.point_problems`.

Algorithms that do not search the grid are asked for a fitness instead of closeness: baselines
(`Judge.fitness_goal`), NEAT (1 where no best fitness is known) and, in campaigns that compare such
algorithms with the (1+1) NA, all of them (`hyperna.experiments.targets`).
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hyperna._kernels.state import NEVER
from hyperna._validation import FloatArray
from hyperna.fitness import Fitness
from hyperna.network.grid import Grid
from hyperna.network.outputs import OUTPUTS
from hyperna.problems.base import optima_on, perfect_outputs

_NEAR = "every component less than one grid step from an optimal solution"
_TO_THE_LIMIT = "the run continues to its limit"


class Goal(NamedTuple):
    """What ends a run with success: a score, or closeness to one of the optima (in grid units).

    `optima` is None to leave out the code that compares with them. Of the networks close to one,
    those with a score below `lowest_optimal_score` do not count; `words` say it for people.
    """

    score: int
    optima: FloatArray | None
    lowest_optimal_score: int
    words: str

    @property
    def listed_optima(self) -> FloatArray:
        """The optima to one of which a run has to come close; none where a score counts."""
        return np.zeros((0, 0, 0)) if self.optima is None else self.optima

    @property
    def by_closeness(self) -> bool:
        """Whether closeness to an optimum counts, and not a score."""
        return len(self.listed_optima) > 0


@dataclass(frozen=True, eq=False)
class Judge:
    """What is known about the networks of a grid, and what counts as success for them.

    Parameters
    ----------
    fitness : Fitness
        What is maximised.
    grid : Grid
        What is searched; where the number of neurons evolves, the largest networks.
    bias : bool
        Whether biases evolve; False: all are 0.
    unit : int
        Grid steps in a step of the resolution, which is what closeness is measured in.
    """

    fitness: Fitness
    grid: Grid
    bias: bool = True
    unit: int = 1

    @cached_property
    def units(self) -> int:
        """Score of a network without a mistake."""
        return self.fitness.units(self.grid)

    def score_of(self, target: float) -> int:
        """Return the smallest score whose fitness, as a float, is at least the target."""
        score = math.ceil(Fraction(target) * self.units)
        return score - 1 if score > 0 and (score - 1) / self.units >= target else score

    @cached_property
    def best_known(self) -> float | None:
        """The largest fitness that such a network attains, None if unknown."""
        return self._best_of(self.grid.neurons)

    def _best_of(self, neurons: int) -> float | None:
        problem = self.fitness.problem
        grid = self.grid
        if problem is None:
            return None
        return problem.best_fitness(neurons, grid.output, bias=self.bias, neuron=grid.neuron)

    @property
    def fewest_neurons(self) -> int:
        """The number of neurons, which is that of all networks here."""
        return self.grid.neurons

    @cached_property
    def trivial_score(self) -> int:
        """The score of the best answer that needs no learning.

        That is the best constant answer which such networks can give. Those that are never
        constant (one neuron without a bias is none) are right on as much as their opposites are
        wrong on, so that half of them have half of the units.
        """
        positive = self.fitness.positive_units(self.grid)
        score = {True: positive, False: self.units - positive}
        answers = constant_answers(self.grid, self.bias)
        return max((score[answer] for answer in answers), default=self.units // 2)

    @property
    def _trivial_words(self) -> str:
        constant = bool(constant_answers(self.grid, self.bias))
        answer = "a constant answer" if constant else "half of all networks"
        return f"{answer} ({self.trivial_score / self.units:.6g})"

    @cached_property
    def nearly_best(self) -> float | None:
        """The best fitness known, less what rounding to the grid may cost; None if unknown."""
        best = self.best_known
        problem = self.fitness.problem
        if self.fitness.true_fitness(self.grid).finite:
            return 1.0 if best is None else best
        if best is None or problem is None:
            return None
        size = self.fewest_neurons
        steps = self.grid.resolution // self.unit
        loss = problem.rounding_loss(size, steps, bias=self.bias, neuron=self.grid.neuron)
        return max(0.0, best - loss)

    @cached_property
    def default_target(self) -> float | None:
        """The fitness that counts as success where no optima are listed, None if there is none.

        Where the best fitness is unknown there is none, but for finite sets the ceiling of 1.
        """
        target = self.nearly_best
        if target is None or self.score_of(target) <= self.trivial_score:
            return None
        return target

    def goal(self, target: float | bool | None = None) -> Goal:
        """Return what ends a run with success: a fitness, nothing (False), or the default."""
        if target is None and self.near_an_optimum is not None:
            return self.near_an_optimum
        return self.fitness_goal(target)

    def fitness_goal(self, target: float | bool | None = None) -> Goal:
        """Return the same, with a fitness as the default.

        For algorithms that do not search the grid: parameters less than a grid step from an optimal
        network have much less than the best fitness in higher dimensions.
        """
        if target is False:
            return self._goal(NEVER, f"nothing: {_TO_THE_LIMIT}")
        if target is not None:
            return self._goal(self.score_of(target), f"fitness >= {target:g}")
        target = self.default_target
        if target is None:
            return self._goal(NEVER, self._why_nothing())
        unsure = ", which may be out of reach" if self.best_known is None else ""
        return self._goal(self.score_of(target), f"fitness >= {target:.6g}{unsure}")

    def _goal(self, score: int, words: str) -> Goal:
        # an empty array where one kernel for all problems is compiled once
        shape = 0, self.grid.neurons, self.grid.width
        optima = np.zeros(shape) if self.fitness.always_compares else None
        return Goal(score, optima, NEVER, words)

    @cached_property
    def near_an_optimum(self) -> Goal | None:
        """Closeness to an optimal network, where these are listed."""
        exact = self.fitness.true_fitness(self.grid).exact_on_circle
        best = self.best_known if exact else None
        optima, share = optima_on(self.grid, self.fitness.problem, self.bias, self.unit, best)
        if not len(optima):
            return None
        least = max(0, math.floor(share * self.units))
        if least > self.trivial_score:
            return Goal(NEVER, optima, least, _NEAR)
        if self.grid.dim == 2:  # the paper's definition, whatever the resolution
            words = f"{_NEAR}, though at this resolution that may not be better than"
            return Goal(NEVER, optima, least, f"{words} {self._trivial_words}")
        words = f"{_NEAR}, and better than {self._trivial_words}"
        return Goal(NEVER, optima, self.trivial_score + 1, words)

    def _why_nothing(self) -> str:
        if self.nearly_best is not None:
            best = self.best_known or 1.0
            nearly = self.nearly_best
            what = f"the best fitness, {best:.6g},"
            if nearly < best:
                what += f" less what rounding to the grid may cost, {best - nearly:.6g},"
            words = f"nothing: {what} is not above that of {self._trivial_words}"
            return f"{words}, so {_TO_THE_LIMIT}; set a target"
        words = "nothing: the best fitness of such a network is not known"
        perfect = self._perfect_outputs()
        if perfect:
            words += f" (with output {' or '.join(map(repr, perfect))} it is 1)"
        return f"{words}, so {_TO_THE_LIMIT}; set a target"

    def _perfect_outputs(self) -> list[str]:
        return perfect_outputs(self.grid, self.fitness.problem, self.bias)


@dataclass(frozen=True, eq=False)
class JudgeOfSizes(Judge):
    """The same for networks of 1 to ``grid.neurons`` neurons.

    Networks of many sizes may be optimal, so that success is always a matter of fitness.
    """

    @cached_property
    def _best_by_size(self) -> list[float | None]:
        """The largest fitness that networks of each size attain, None where it is unknown."""
        return [self._best_of(n) for n in range(1, self.grid.neurons + 1)]

    @cached_property
    def best_known(self) -> float | None:
        """The largest fitness that a network of any size attains, None if unknown."""
        known = [best for best in self._best_by_size if best is not None]
        certain = len(known) == self.grid.neurons or max(known, default=0.0) == 1.0
        return max(known) if certain else None

    @property
    def fewest_neurons(self) -> int:
        """The smallest number of neurons that attains the best fitness known."""
        best = self.best_known
        return self.grid.neurons if best is None else 1 + self._best_by_size.index(best)

    @property
    def near_an_optimum(self) -> Goal | None:  # type: ignore[override]
        """Nothing is listed for all sizes."""
        return None

    def _perfect_outputs(self) -> list[str]:
        return []


def constant_answers(grid: Grid, bias: bool) -> set[bool]:
    """Return which constant answers networks on a grid can give.

    With a bias, or a bend, a neuron fires everywhere or nowhere. Without, a network of a normal and
    its opposite, some neurons with the one and some with the other, is constant where the output
    makes the same of both.

    Examples
    --------
    >>> constant_answers(Grid(2, 1, 8), bias=True) == {False, True}
    True
    >>> constant_answers(Grid(2, 1, 8), bias=False), constant_answers(Grid(2, 2, 8), bias=False)
    (set(), {True})
    """
    rule: Any = OUTPUTS[grid.output].rule
    if bias or grid.neuron == "bent" or (rule is None and grid.neurons > 1):
        return {False, True}
    if grid.neurons == 1:
        return set()
    one = np.tri(grid.neurons + 1, grid.neurons, -1, dtype=bool)
    here, opposite = rule(one), rule(~one)
    return {bool(answer) for answer in here[here == opposite]}
