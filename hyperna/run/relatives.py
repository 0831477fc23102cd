"""Relatives of the (1+1) NA: more offspring, more parents, one component at a time, annealing.

Each is a `OnePlusOneNA` with a few settings of its own, so it takes the same problems, laws,
options of a run and stopping rules, and runs compiled. `RELATIVES` finds them by name, for
campaigns and the command line.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeVar

from hyperna._kernels.algorithms import Annealing, Generations, Steady
from hyperna._validation import check_integer, check_real
from hyperna._words import shown
from hyperna.fitness import Fitness
from hyperna.problems import Problem
from hyperna.run.algorithm import OnePlusOneNA
from hyperna.run.task import Task
from hyperna.run.terms import TermTask

# What `population` may return.
Algorithm = Generations | Steady | Annealing

RELATIVES: dict[str, type[OnePlusOneNA]] = {OnePlusOneNA.name: OnePlusOneNA}

Class = TypeVar("Class", bound=type[OnePlusOneNA])


def register(entry: Class) -> Class:
    """Enter the decorated class into `RELATIVES`, for campaigns and the command line.

    Nothing else is needed if compiled code knows how it chooses: `hyperna._kernels.algorithms`.
    """
    RELATIVES[entry.name] = entry
    return entry


@register
@dataclass(frozen=True)
class RandomisedLocalSearchNA(OnePlusOneNA):
    """Randomised local search: exactly one component, chosen uniformly, is mutated in every step.

    All parameters are those of `OnePlusOneNA`; `mutation_probability` does not matter.

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> RandomisedLocalSearchNA().run(problem("quarter"), seed=1).success
    True
    """

    name: ClassVar[str] = "rls"
    summary: ClassVar[str] = "randomised local search: exactly one component is mutated"

    def task(self, problem: Problem | Fitness | str, **options: Any) -> Task:
        """Return everything that defines a run but its seed."""
        return replace(super().task(problem, **options), one_component=True)


@dataclass(frozen=True)
class PopulationNA(OnePlusOneNA):
    """Base of the algorithms that choose in a way of their own, which `population` returns."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_neurons is not None:
            raise ValueError(
                f"neurons must be a number for {type(self).__name__}, got {shown(self.neurons)}"
            )

    def population(self, units: int) -> Algorithm:
        """Return the algorithm as compiled code takes it; a perfect score is `units`."""
        raise NotImplementedError

    def task(self, problem: Problem | Fitness | str, **options: Any) -> Task:
        """Return everything that defines a run but its seed."""
        task = super().task(problem, **options)
        if isinstance(task, TermTask):
            raise ValueError(f"term_cost does not apply to {type(self).__name__}")
        population = self.population(task.units)
        if not task.fitness.repeatable:
            raise ValueError(
                f"online fitness compares one parent with one offspring; "
                f"{type(self).__name__} needs another fitness"
            )
        if task.budget < population.members:
            raise ValueError(
                f"budget must be at least {population.members}, the size of the population, "
                f"got {task.budget}"
            )
        least, reason = max(
            (population.offspring, "the number of offspring"),
            (population.members, "the size of the population"),
        )
        if task.stagnation is not None and task.stagnation < least:
            raise ValueError(
                f"stagnation must be at least {least}, {reason}, got {task.stagnation}"
            )
        return replace(task, population=population)


@register
@dataclass(frozen=True)
class OnePlusLambdaNA(PopulationNA):
    """The (1+lambda) NA: the first best of `offspring` mutants replaces the parent if not worse.

    All offspring of a generation are evaluated, also after an optimum among them, so a run that
    succeeds without a restart takes 1 + lambda times the number of generations. A generation that
    would exceed the limit is not begun; such a run fails and counts as the limit. One offspring:
    the (1+1) NA.

    Parameters
    ----------
    offspring : int
        Offspring in a generation, lambda.
    others
        As in `OnePlusOneNA`.

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> run = OnePlusLambdaNA(offspring=4).run(problem("half"), seed=1)
    >>> run.success, run.evaluations % 4
    (True, 1)
    """

    name: ClassVar[str] = "one_plus_lambda"
    summary: ClassVar[str] = "(1+lambda): the best of several offspring, if it is not worse"
    comma: ClassVar[bool] = False  # whether the parent is replaced by a worse offspring too

    offspring: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        self._store("offspring", check_integer("offspring", self.offspring, 1, 2**20))

    def population(self, units: int) -> Algorithm:
        """Return the algorithm as compiled code takes it."""
        return Generations(comma=self.comma, offspring=self.offspring)


@register
@dataclass(frozen=True)
class OneCommaLambdaNA(OnePlusLambdaNA):
    """The (1,lambda) NA: the first best of `offspring` mutants replaces the parent, even if worse.

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> na = OneCommaLambdaNA(neurons=2, resolution=24, offspring=5)
    >>> bool(na.run_many(problem("two_quarters"), 100, seed=1).success.mean() > 0.9)
    True
    """

    name: ClassVar[str] = "one_comma_lambda"
    summary: ClassVar[str] = "(1,lambda): the best of several offspring, even if it is worse"
    comma: ClassVar[bool] = True


@register
@dataclass(frozen=True)
class MuPlusOneNA(PopulationNA):
    """The (mu+1) NA: a mutant of a random member replaces a random worst one if it is not worse.

    Parameters
    ----------
    members : int
        Size of the population, mu.
    crossover : float
        Probability that an offspring has two parents, chosen independently: it takes every neuron
        from either with probability 1/2, then it is mutated.
    others
        As in `OnePlusOneNA`. Self-adjusting step lengths are shared by all members.

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> MuPlusOneNA(members=5, crossover=0.5).run(problem("half"), seed=1).success
    True
    """

    name: ClassVar[str] = "mu_plus_one"
    summary: ClassVar[str] = "(mu+1): a population, with or without crossover of neurons"

    members: int = 10
    crossover: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._store("members", check_integer("members", self.members, 1, 2**20))
        self._store("crossover", check_real("crossover", self.crossover, 0, 1))

    def population(self, units: int) -> Algorithm:
        """Return the algorithm as compiled code takes it."""
        return Steady(self.members, self.crossover)


@register
@dataclass(frozen=True)
class AnnealingNA(PopulationNA):
    """Simulated annealing: a worse offspring is accepted with probability exp(-loss / temperature).

    Parameters
    ----------
    temperature : float
        At the start, as a share of the circle, the sphere or the points; 0 is the (1+1) NA.
    cooling : float
        Factor of the temperature in every evaluation; 1 keeps it (the Metropolis algorithm).
    others
        As in `OnePlusOneNA`.

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> na = AnnealingNA(neurons=2, resolution=24)
    >>> bool(na.run_many(problem("two_quarters"), 100, seed=1).success.mean() > 0.9)
    True
    """

    name: ClassVar[str] = "annealing"
    summary: ClassVar[str] = "simulated annealing: a worse offspring is sometimes accepted"

    temperature: float = 0.05
    cooling: float = 0.999

    def __post_init__(self) -> None:
        super().__post_init__()
        self._store("temperature", check_real("temperature", self.temperature, 0))
        self._store("cooling", check_real("cooling", self.cooling, 0, 1, low_open=True))

    def population(self, units: int) -> Algorithm:
        """Return the algorithm as compiled code takes it."""
        return Annealing(temperature=self.temperature * units, cooling=self.cooling)
