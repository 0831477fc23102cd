"""Runs of a baseline, counted and judged like runs of the (1+1) NA."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from hyperna._validation import FloatArray, IntArray, check_integer
from hyperna.baselines.base import Baseline, baseline
from hyperna.baselines.counting import CountedTask, Counter, search_again
from hyperna.baselines.space import Space
from hyperna.fitness import Fitness, fitness_of
from hyperna.network.grid import Grid, finest_unit
from hyperna.network.networks import Network
from hyperna.problems import Problem
from hyperna.run.description import check_run_options
from hyperna.run.success import Judge


class GridCounter(Counter):
    """The error function of one run: it rounds parameters to the grid, judges and counts."""

    def __init__(self, task: "BaselineTask") -> None:
        super().__init__(task.budget, task.stagnation, task.least_score)
        self._space = task.space
        self._units = task.units
        self._scores = task.fitness.scorer(task.grid)

    def __call__(self, X: FloatArray) -> FloatArray:
        """Return the share of wrong answers of each row of X."""
        genomes = self._space.genomes(X)
        scores = self._scores(genomes)
        for genome, score in zip(genomes, scores.tolist(), strict=True):
            self.count(genome, score)
        return (self._units - scores) / self._units


@dataclass(frozen=True, eq=False)
class BaselineTask(CountedTask):
    """All that defines a run of a baseline but its seed; made by `baseline_task`.

    Attributes
    ----------
    grid : Grid
        As fine as the arithmetic allows; parameters are rounded to it.
    target : float, False or None
        The fitness that counts as success. None is the default of all algorithms; where that of
        the (1+1) NA is not a fitness, the one to be reached instead is here.
    least_score : int
        The score that this takes.
    criterion : str
        What counts as success, in words.
    """

    baseline: Baseline
    fitness: Fitness
    grid: Grid
    target: float | bool | None
    least_score: int
    criterion: str
    budget: int
    stagnation: int | None
    restarts: int

    @property
    def units(self) -> int:
        """Score of a network without a mistake."""
        return self.fitness.units(self.grid)

    @cached_property
    def space(self) -> Space:
        """The box that is searched."""
        return Space(self.grid, self.baseline.representation)

    def network(self, found: IntArray) -> Network:
        """Return the network with this genome."""
        return Network(self.grid, found)

    def search(self, rng: np.random.Generator) -> tuple[GridCounter, int]:
        """Search once, with restarts; return what was counted and the number of restarts."""
        counter = GridCounter(self)

        def search() -> None:
            left = self.budget - counter.evaluations
            self.baseline.search(counter, self.space, rng, left)

        return counter, search_again(search, counter, self.restarts)


def baseline_task(
    name: str | Baseline,
    problem: Problem | Fitness | str,
    *,
    neurons: int | None = None,
    output: str = "or",
    resolution: int = 120,
    budget: int | None = None,
    stagnation: int | None = None,
    target: float | bool | None = None,
    restarts: int | str = 0,
    **settings: Any,
) -> BaselineTask:
    """Return everything that defines a run of a baseline but its seed, checked.

    Parameters
    ----------
    name : str or Baseline
        A name from `BASELINES`, or one with settings such as "cma_es:representation=cartesian".
    problem : Problem, Fitness or str
        What to learn.
    neurons : int, optional
        Hidden neurons; by default the problem's.
    output : {"or", "and", "xor", "evolved"}
        How they are joined.
    resolution : int
        What success is measured with: by default it is the best fitness that is known, less what
        rounding to the (1+1) NA's grid of this resolution may cost.
    budget, stagnation
        As in `OnePlusOneNA.run`; an algorithm may also stop by itself, which counts as stagnation.
    target : float or False, optional
        Fitness at which the run ends with success. To compare algorithms, give the same to all of
        them: where optimal networks are known, the (1+1) NA has succeeded near one by default.
    restarts : int
        Number of restarts after stagnation, within the budget.
    **settings
        Settings of the baseline.

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> task = baseline_task("random_search", problem("half"), target=0.95)
    >>> task.run(seed=1).stop_reason
    'target'
    >>> task.run_many(3, seed=1).stop_counts
    {'target': 3}
    """
    chosen = baseline(name, **settings)
    starts = check_integer("restarts", restarts, 0)
    if neurons is None:
        neurons = fitness_of(problem).default_neurons
    neurons = check_integer("neurons", neurons, 1)
    fitness = fitness_of(problem, neurons=neurons)
    coarse = Grid(fitness.dim, neurons, resolution, output)
    limits = check_run_options(
        coarse.resolution,
        {"budget": budget, "stagnation": stagnation, "target": target, "restarts": starts},
    )
    unit = finest_unit(coarse.resolution)
    judge = Judge(fitness, replace(coarse, resolution=unit * coarse.resolution), unit=unit)
    if target is None and judge.near_an_optimum is not None:
        limits["target"] = judge.default_target
    goal = judge.fitness_goal(limits["target"])
    return BaselineTask(
        baseline=chosen,
        fitness=fitness,
        grid=judge.grid,
        target=limits["target"],
        least_score=goal.score,
        criterion=goal.words,
        budget=limits["budget"],
        stagnation=limits["stagnation"],
        restarts=starts,
    )
