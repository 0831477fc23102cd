"""The run whose exact runtime is asked for, and what counts as success in it.

An exact runtime and a simulated run must mean the same: the same settings, the same search points
that end a run. So the theory begins with the very task that a simulation would begin with, and
asks it; it only refuses what no chain is known for.
"""

from dataclasses import fields
from typing import Any

from hyperna._kernels.algorithms import Generations
from hyperna._kernels.state import NEVER
from hyperna._validation import check_choice, check_integer, check_real
from hyperna._words import shown
from hyperna.fitness import Fitness, Online, fitness_of
from hyperna.mutation import StepLaw
from hyperna.problems import Problem
from hyperna.problems import problem as named_problem
from hyperna.run.description import MOST_EVALUATIONS, OPTIONS
from hyperna.run.relatives import RELATIVES
from hyperna.run.task import Task

# The algorithms of hyperna with a chain; one of your own has it if it chooses as one of these does.
WITH_CHAIN = ("na", "rls", "one_plus_lambda", "one_comma_lambda")


def exact_task(
    problem: Problem | Fitness | str,
    resolution: int,
    mutation: str | StepLaw = "harmonic",
    *,
    dim: int | None = None,
    algorithm: str = "na",
    offspring: int | None = None,
    target: float | None = None,
    **settings: Any,
) -> Task:
    """Return the run whose exact runtime is asked for, as `expected_runtime` takes its arguments.

    What counts as success in it is what counts in a simulated run.
    """
    if dim is not None:
        if not isinstance(problem, str):
            raise ValueError(f"dim must be left out where a problem is given, got {shown(dim)}")
        problem = named_problem(problem, dim=dim)
    entry = RELATIVES[check_choice("algorithm", algorithm, RELATIVES)]
    if offspring is not None:
        if "offspring" not in {setting.name for setting in fields(entry)}:
            raise ValueError(
                f"offspring must be left out for algorithm {algorithm!r}, got {shown(offspring)}"
            )
        settings["offspring"] = offspring
    neurons = check_integer("neurons", settings.get("neurons", OPTIONS["neurons"].default), 1)
    fitness = fitness_of(problem, neurons=neurons)
    if target is not None:
        check_real("target", target, 0, 1)
    made = entry(resolution=resolution, mutation=mutation, **settings)
    task = made.task(fitness, target=target, budget=MOST_EVALUATIONS)
    check_task(task)
    return task


def check_task(task: Task) -> None:
    """Refuse a run that no chain is known for.

    The states of a chain are networks of one size on one grid, mutated by a fixed law.
    """
    if type(task.law).weights is StepLaw.weights:
        task.law.weights(2)  # refuses a law without a table
    if isinstance(task.fitness, Online):
        raise TypeError("fitness must be the same in every step for an exact runtime, got online")
    if task.sized:
        raise ValueError("neurons must be a number for an exact runtime, got 'evolved'")
    if task.rotation:
        raise ValueError("move must be 'angle' for an exact runtime, got 'rotation'")
    if task.replace_neuron:
        raise ValueError(
            f"replace_neuron must be 0 for an exact runtime, got {task.replace_neuron}"
        )
    if task.sphere:
        raise ValueError("init must be 'grid' for an exact runtime, got 'sphere'")
    if task.restarts:
        raise ValueError(f"restarts must be 0 for an exact runtime, got {task.restarts}")
    if task.population is not None and not isinstance(task.population, Generations):
        raise ValueError(f"algorithm must be one of {', '.join(WITH_CHAIN)} for an exact runtime")


def has_goal(task: Task) -> bool:
    """Return whether anything ends a run of the task with success."""
    return task.goal.score != NEVER or task.goal.by_closeness


def offspring_of(task: Task) -> int:
    """Return how many mutants there are in a generation."""
    return 1 if task.population is None else int(task.population.offspring)


def is_comma(task: Task) -> bool:
    """Return whether the best mutant replaces its parent even if it is less fit."""
    return task.population is not None and bool(task.population.comma)


def criterion(task: Task) -> str:
    """Return in words what counts as success, and how that fitness came about if nobody gave it.

    Examples
    --------
    >>> criterion(exact_task("arcs:arcs=10-50 200-310", 24, bias=False))
    'fitness >= 0.666667: the best that such a network attains, 0.75, less 0.0833333 that rounding \
to the grid may cost'
    """
    best = task.best_known
    if task.target is not None or task.goal.by_closeness or best is None:
        return task.criterion
    loss = best - (task.default_target or 0.0)
    if loss == 0.0:
        return task.criterion
    return (
        f"{task.criterion}: the best that such a network attains, {best:.6g}, "
        f"less {loss:.6g} that rounding to the grid may cost"
    )
