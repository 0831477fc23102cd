"""Runs of a baseline, counted and judged like runs of the (1+1) NA."""

from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter
from typing import Any

import numpy as np

from hyperna._validation import FloatArray, IntArray, check_integer
from hyperna.algorithm import OnePlusOneNA
from hyperna.baselines.base import Baseline, baseline
from hyperna.baselines.counting import CountedTask, Counter, search_again
from hyperna.baselines.space import Space
from hyperna.fitness import Fitness, fitness_of
from hyperna.networks import Network
from hyperna.problems import Problem
from hyperna.search import Task


class GridCounter(Counter):
    """The error function of one run: it rounds parameters to the grid, judges and counts."""

    def __init__(self, task: Task, space: Space) -> None:
        super().__init__(task.budget, task.stagnation)
        self._task, self._space = task, space
        self._work = task.kernel.workspace()

    def __call__(self, X: FloatArray) -> FloatArray:
        """Return the share of wrong answers of each row of X."""
        genomes = self._space.genomes(X)
        scores, reasons = self._task.outcomes(genomes, self._work)
        for genome, score, reason in zip(genomes, scores.tolist(), reasons.tolist(), strict=True):
            self.count(genome, score, reason)
        return (self._task.units - scores) / self._task.units


@dataclass(frozen=True, eq=False)
class BaselineTask(CountedTask):
    """All that defines a run of a baseline but its seed; made by `baseline_task`."""

    baseline: Baseline
    settings: Task = field(repr=False)

    grid = property(attrgetter("settings.grid"), doc="Grid to which parameters are rounded.")
    fitness = property(attrgetter("settings.fitness"), doc="What is maximised.")
    budget = property(attrgetter("settings.budget"), doc="Evaluations at most.")
    units = property(attrgetter("settings.units"), doc="Score of a network without a mistake.")
    criterion = property(attrgetter("settings.criterion"), doc="What counts as success, in words.")

    @cached_property
    def space(self) -> Space:
        """The box that is searched."""
        return Space(self.grid, self.baseline.representation)

    def network(self, found: IntArray) -> Network:
        """Return the network with this genome."""
        return Network(self.grid, found)

    def search(self, rng: np.random.Generator) -> tuple[GridCounter, int]:
        """Search once, with restarts; return what was counted and the number of restarts."""
        counter = GridCounter(self.settings, self.space)

        def search() -> None:
            left = self.budget - counter.evaluations
            self.baseline.search(counter, self.space, rng, left)

        return counter, search_again(search, counter, int(self.settings.restarts))


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
        Precision: unless there is a fitness target, success means that every parameter is nearer
        to an optimal solution's than neighbours on the (1+1) NA's grid of this resolution.
    budget, stagnation, target
        As in `OnePlusOneNA.run`; an algorithm may also stop by itself, which counts as stagnation.
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
    fitness = fitness_of(problem)
    if neurons is None:
        neurons = fitness.problem.default_neurons if fitness.problem else 1
    neurons = check_integer("neurons", neurons, 1)
    # A continuous law searches the finest grid there is, with success judged at `resolution`:
    # just what is needed here, where the law itself is not used.
    na = OnePlusOneNA(neurons=neurons, output=output, resolution=resolution, mutation="cauchy")
    task = na.task(fitness, budget=budget, stagnation=stagnation, target=target, restarts=starts)
    return BaselineTask(chosen, task)
