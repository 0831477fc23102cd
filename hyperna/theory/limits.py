"""What an exact runtime takes, said before it is computed.

The number of states, the memory and the time follow from the components, the law and the algorithm,
by constants that benchmarks/theory.py measured. A request beyond `MOST_GIGABYTES` or
`MOST_MINUTES` is refused with what it would need and with the largest resolution that is computed;
everything else is left to the user, who can ask with `estimated_cost` what it will take.
"""

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hyperna._validation import FloatArray
from hyperna._words import number
from hyperna.fitness import ExactSphere, Fitness
from hyperna.mutation import StepLaw
from hyperna.network.grid import Grid
from hyperna.problems import Problem
from hyperna.run.task import Task
from hyperna.theory.dense import MOST_DENSE_STATES
from hyperna.theory.moves import balanced_split, displacements
from hyperna.theory.ring import LARGEST_MATRIX
from hyperna.theory.symmetry import axis_sizes, mutated_components
from hyperna.theory.task import exact_task, is_comma, offspring_of

MOST_GIGABYTES = 8.0
MOST_MINUTES = 60.0
LARGEST_RING = 2**20
# Lengths of steps that are counted to say what a law would need.
LONGEST_LAW = 2**22
# States beyond which a chain is out of reach whatever they take; so many fit into no float soon.
_COUNTABLE_STATES = 10**15
# Resolutions that differ by this have the symmetries of all problems with names.
_PERIOD = 24
# Seconds and bytes, measured; see the module's docstring.
# Of a network that is listed: where its score is an area, and where it is not.
_AREA_SECONDS = 5e-6
_SCORE_SECONDS = 3e-7
_SCORE_BYTES = 60
# Of one mutant: a state times the values of both groups of components, and a state.
_LEVEL_SECONDS = 1.2e-8
_LEVEL_BYTES = 200
# Of a law with few moves, for each move, factors included.
_MOVE_SECONDS = 5e-7
_MOVE_BYTES = 130
# Of several mutants, for each pair of states.
_PAIR_SECONDS = 3e-9
# Of a dense system, for the cube and the square of the number of states.
_DENSE_SECONDS = 1e-10
_DENSE_BYTES = 40
# Of one angle alone, for each of its values.
_RING_SECONDS = 60 / 2**20
_RING_BYTES = 200


class Moves(NamedTuple):
    """How many places an angle and a bias can move to, with that where they are."""

    angle: int
    bias: int

    @classmethod
    def everywhere(cls, resolution: int) -> "Moves":
        """Return the moves of a law that has all lengths."""
        return cls(resolution, resolution + 1)


@dataclass(frozen=True)
class Cost:
    """What an exact runtime takes, about.

    Attributes
    ----------
    states : int
        Number of networks on the grid.
    joined : int
        Number of states of the chain after symmetries of the problem have joined what is alike, as
        far as they are known beforehand.
    gigabytes, minutes : float
        Memory besides that of Python and its libraries, and processor time. Right within a factor
        of three or so, but up to eight times too large where symmetries are found only when the
        networks are listed, such as that of HALF in its bias.
    """

    states: int
    joined: int
    gigabytes: float
    minutes: float

    @property
    def is_affordable(self) -> bool:
        """Whether it is computed at all."""
        return self.gigabytes <= MOST_GIGABYTES and self.minutes <= MOST_MINUTES

    def __str__(self) -> str:
        seconds = 60 * self.minutes
        if seconds < 1:
            time = "less than a second"
        elif seconds < 60:
            time = f"{number(seconds)} seconds"
        else:
            time = f"{number(self.minutes)} minutes"
        memory = f"{number(self.gigabytes)} GB"
        if self.gigabytes < 1:
            memory = f"{number(1024 * self.gigabytes)} MB"
        joined = f" ({self.joined:,} after symmetries)" if self.joined < self.states else ""
        return f"{self.states:,} states{joined}, about {memory} and {time}"


def estimated_cost(
    problem: Problem | Fitness | str,
    resolution: int,
    mutation: str | StepLaw = "harmonic",
    **settings: Any,
) -> Cost:
    """Return what `expected_runtime` would take with the same arguments, or refuse as it does.

    Examples
    --------
    >>> cost = estimated_cost("half", 48, dim=3)
    >>> cost.states, cost.joined
    (112896, 30625)
    """
    return task_cost(exact_task(problem, resolution, mutation, **settings))


def task_cost(task: Task) -> Cost:
    """Return what the exact runtime of a task would take, or refuse it."""
    return cost_of_moves(task, task.grid.resolution, _moves(affordable_steps(task)))


def affordable_steps(task: Task) -> FloatArray:
    """Return the probabilities of the step lengths, or refuse with what the chain would need."""
    r = task.grid.resolution
    # before a table of its steps is made; the cheapest law moves by one step
    if r > LONGEST_LAW:
        _refuse(task, Moves(3, 3))
    steps = task.law.pmf(r)
    moves = _moves(steps)
    if not cost_of_moves(task, r, moves).is_affordable:
        _refuse(task, moves)
    return steps


def _moves(steps: FloatArray) -> Moves:
    """Return how many moves of a component a law has.

    Examples
    --------
    >>> _moves(np.array([1.0, 0, 0, 0, 0, 0])), _moves(np.array([1.0, 0, 1, 0, 1, 0]))
    (Moves(angle=3, bias=3), Moves(angle=4, bias=7))
    """
    r = steps.size
    angle = np.count_nonzero(displacements(steps, r, 0.5))
    bias = np.count_nonzero(displacements(steps, r + 1, 0.5))
    return Moves(int(angle), int(bias))


def cost_of_moves(task: Task, resolution: int, moves: Moves) -> Cost:
    """Return the cost at a resolution, with a law that has so many moves."""
    grid = Grid(task.grid.dim, task.grid.neurons, resolution, task.grid.output, task.grid.neuron)
    components = mutated_components(task)
    states = math.prod(int(modulus) for modulus in grid.moduli[components])
    if states > _COUNTABLE_STATES:
        return Cost(states, states, math.inf, math.inf)
    alone = offspring_of(task) == 1 and not is_comma(task)
    if components.size == 1 and resolution > LARGEST_MATRIX and alone:
        too_long = math.inf if resolution > LARGEST_RING else 0.0
        seconds = states * _RING_SECONDS + too_long
        size_bytes: float = states * _RING_BYTES
        if moves.angle < resolution:
            # a law that does not reach everything: all its moves are kept
            seconds += states * moves.angle * _MOVE_SECONDS
            size_bytes += states * moves.angle * _MOVE_BYTES
        return Cost(states, states, size_bytes / 2**30, seconds / 60)
    if resolution > LONGEST_LAW:
        return Cost(states, states, math.inf, math.inf)
    sizes = axis_sizes(task, resolution)
    joined = math.prod(sizes)
    seconds, size_bytes = _solving(task, sizes, joined, moves)
    listed = states
    if isinstance(task.fitness, ExactSphere):
        # mirror images are not listed
        halves = grid.neurons == 1
        listed = joined // sizes[grid.dim - 2] * resolution if halves else states
        seconds += listed * _AREA_SECONDS * grid.neurons**2
    else:
        seconds += listed * _SCORE_SECONDS * max(1, task.fitness.effort(grid)) ** 0.5
    size_bytes += listed * _SCORE_BYTES
    return Cost(states, joined, size_bytes / 2**30, seconds / 60)


def _solving(task: Task, sizes: tuple[int, ...], joined: int, moves: Moves) -> tuple[float, float]:
    """Return seconds and bytes of solving a chain with so many values of its components."""
    if is_comma(task):
        too_many = math.inf if joined > MOST_DENSE_STATES else 0.0
        return joined**3 * _DENSE_SECONDS + too_many, joined**2 * _DENSE_BYTES
    biases = np.isin(mutated_components(task), task.grid.bias_components)
    reached = [moves.bias if is_bias else moves.angle for is_bias in biases]
    # mirror images that are joined leave fewer values than moves
    kept = [min(count, size) for count, size in zip(reached, sizes, strict=True)]
    if task.one_component:
        entries = joined * sum(kept)
        return entries * _MOVE_SECONDS, entries * _MOVE_BYTES
    if any(count < size for count, size in zip(reached, sizes, strict=True)):
        entries = joined * math.prod(kept)
        return entries * _MOVE_SECONDS, entries * _MOVE_BYTES
    cut = balanced_split(sizes)
    groups = math.prod(sizes[:cut]), math.prod(sizes[cut:])
    size_bytes = joined * _LEVEL_BYTES + 16 * (groups[0] ** 2 + groups[1] ** 2)
    if task.probability == 1 and biases.any():
        # a bias that always moves does not reach its own value: solved as a sparse system
        return joined**2 * _MOVE_SECONDS, joined**2 * _MOVE_BYTES
    if offspring_of(task) > 1:
        return joined**2 * _PAIR_SECONDS, size_bytes
    return joined * sum(groups) * _LEVEL_SECONDS, size_bytes


def _refuse(task: Task, moves: Moves) -> None:
    """Say what the chain would need, and up to which resolution one is computed."""
    r = task.grid.resolution
    cost = cost_of_moves(task, r, moves)
    largest = _largest(task, r)
    joined = f"{cost.joined:,}"
    if cost.joined > _COUNTABLE_STATES:
        joined = f"about 10^{math.log10(cost.joined):.0f}"
    needs = ""
    if math.isfinite(cost.gigabytes + cost.minutes):
        needs = f", about {number(cost.gigabytes)} GB and {number(cost.minutes)} minutes"
    most = f"{MOST_GIGABYTES:g} GB and {MOST_MINUTES:g} minutes"
    if is_comma(task) and cost.joined > MOST_DENSE_STATES:
        most = f"{MOST_DENSE_STATES:,} states where the best network is not kept"
    wanted = f"resolution must be at most {largest:,} for this chain, got {r:,}"
    if largest == 0:
        wanted = (
            f"dim and neurons must be smaller for an exact runtime, got dim={task.grid.dim}, "
            f"neurons={task.grid.neurons} at resolution {r:,}"
        )
    raise ValueError(f"{wanted}: it would have {joined} states{needs}; the most is {most}")


def largest_resolution(
    problem: Problem | Fitness | str, mutation: str | StepLaw = "harmonic", **settings: Any
) -> int:
    """Return up to which resolution `expected_runtime` computes an exact runtime.

    Beyond, it would take more than 8 GB or an hour, and is refused; 0 if it is at every resolution.
    Settings are those of `expected_runtime`.

    Examples
    --------
    >>> largest_resolution("half", dim=3)
    286
    """
    task = exact_task(problem, _PERIOD, mutation, **settings)
    return _largest(task, LARGEST_RING + 1)


def _largest(task: Task, below: int) -> int:
    """Return the largest affordable resolution below one that is not, 0 if there is none."""

    def is_too_large(resolution: int) -> bool:
        moves = _moves(task.law.pmf(resolution))
        return not cost_of_moves(task, resolution, moves).is_affordable

    # Symmetries depend on what divides the resolution: multiples of the period have all of them.
    # Beyond the largest ring nothing is affordable.
    highest = min(below, LARGEST_RING + 1)
    periods = range(_PERIOD, highest, _PERIOD)
    last = _PERIOD * bisect_left(periods, True, key=is_too_large)
    near = range(max(2, last), min(last + 2 * _PERIOD, highest))
    return max([further for further in near if not is_too_large(further)], default=0)
