"""Runs in which every term of a network has a cost: what they need and what they leave behind.

A term is a weight that is not 0. An offspring replaces its parent if the weight of its errors plus
`term_cost` for each of its terms is not larger. Normals turn in the plane of two coordinates; some
of these turns end where a weight is 0, and now and then a neuron is lost. The kernel and its moves
are those with which `NAClassifier` makes rules shorter: `hyperna._kernels.short_rules`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from hyperna._kernels import state
from hyperna._kernels.short_rules import (
    NEURON_LOSSES,
    ODD,
    ZEROING_MOVES,
    LabelledColumns,
    RuleMoves,
    evolve_rule,
)
from hyperna._kernels.tables import alias_table
from hyperna._validation import FloatArray, IntArray, check_integer
from hyperna._words import shown
from hyperna.fitness import FiniteSet
from hyperna.mutation import StepLaw
from hyperna.network.grid import finest_unit
from hyperna.network.networks import Network
from hyperna.run.many import Halt
from hyperna.run.results import (
    MOST_RUNS,
    STOP_REASONS,
    TERM_COLUMNS,
    Improvements,
    RunResult,
    Seed,
    row_of,
    seed_sequence,
)
from hyperna.run.task import Task, extend

# Step lengths that fit into a table.
LONGEST_STEP = 2**22
# Points looked at before control returns to Python: a fraction of a second. Products are made anew
# then, so that a run depends on it.
_PIECE = 2**26
# Corners of a region that are looked at, more than one for points outside the unit ball only.
_CORNERS = 8


@dataclass(frozen=True)
class ShortNetwork:
    """Half-spaces ``weights[i] · x >= thresholds[i]``; all weights of a lost neuron are 0."""

    weights: FloatArray
    thresholds: FloatArray

    @property
    def terms(self) -> int:
        """Number of weights that are not 0."""
        return int(np.count_nonzero(self.weights))

    @property
    def neurons(self) -> int:
        """Number of neurons that are not lost."""
        return int(self.weights.any(axis=1).sum())


@dataclass(frozen=True, eq=False)
class TermTask(Task):
    """A task in which a term costs `term_cost`, in the units of the points' weights."""

    term_cost: int = 0
    columns: ClassVar[tuple[str, ...]] = TERM_COLUMNS

    def __post_init__(self) -> None:
        fitness = self.fitness
        if not isinstance(fitness, FiniteSet):
            raise ValueError(
                f"term_cost applies to labelled points, got the fitness {type(fitness).__name__}"
            )
        refused = {
            "dim must be at least 2": fitness.dim < 2,
            "move must be 'rotation'": fitness.dim > 2 and not self.rotation,
            "neuron must be 'plain'": self.grid.neuron != "plain",
            f"output must be one of {', '.join(self._quorums)}": self.quorum is None,
            "bias must be True": not self.bias,
            "redraw_void must be False": self.redraw_void,
            "replace_neuron must be 0": self.replace_neuron > 0,
            "stagnation must be left out": self.stagnation is not None,
            "restarts must be 0": self.restarts != 0,
            "target must be left out": self.target is not None and self.target is not False,
        }
        for wanted, wrong in refused.items():
            if wrong:
                raise ValueError(f"{wanted} where terms have a cost (term_cost={self.term_cost})")
        if type(self.law).weights is StepLaw.weights or self.steps > LONGEST_STEP:
            raise ValueError(
                f"mutation must be a law with a table of at most {LONGEST_STEP:,} lengths where "
                f"terms have a cost, got {shown(str(self.law))} at resolution {self.steps:,}"
            )
        if self.term_cost * self.grid.neurons * fitness.dim > 2**61:
            raise ValueError(f"term_cost must be smaller, got {self.term_cost}")
        if self.grid.neurons > 1 and any(w is None for w in self._directions_of_lost.values()):
            raise ValueError(
                "points must lie in the unit ball where neurons may be lost for their terms' cost "
                f"(term_cost={self.term_cost}); scale moves those of a CSV file there"
            )

    @property
    def compiled_kind(self) -> tuple[Any, ...]:
        """What decides which code is compiled."""
        return (type(self),)

    @property
    def criterion(self) -> str:
        """What counts as success, in words."""
        return "none: runs end with their budget"

    @property
    def steps(self) -> int:
        """The resolution: steps in a turn."""
        return self.grid.resolution // self.unit

    @property
    def quorum(self) -> int | None:
        """How many neurons must fire, `ODD` for an odd number; None for other outputs."""
        if self.grid.neurons == 1:
            return 1
        return self._quorums.get(self.grid.output)

    @property
    def _quorums(self) -> dict[str, int]:
        return {"or": 1, "and": self.grid.neurons, "xor": ODD}

    @cached_property
    def _moves(self) -> RuleMoves:
        lengths, bits = alias_table(np.asarray(self.law.weights(self.steps), dtype=float))
        return RuleMoves(
            lengths=lengths,
            length_bits=bits,
            resolution=self.steps,
            probability=0.0 if self.one_component else self.probability,
            threshold=0.0,
            zeroing=ZEROING_MOVES,
            losing=NEURON_LOSSES if self.grid.neurons > 1 else 0.0,
        )

    @cached_property
    def _data(self) -> LabelledColumns:
        fitness: Any = self.fitness
        return LabelledColumns(
            columns=np.ascontiguousarray(fitness.X.T),
            label=fitness.y.astype(np.int64),
            weight=fitness.weights,
            signs=np.zeros(fitness.dim, np.int64),
        )

    @cached_property
    def _directions_of_lost(self) -> dict[bool, FloatArray | None]:
        """Directions for neurons that fire for all points (True) or none (False)."""
        fitness: Any = self.fitness
        X = fitness.X
        return {everywhere: direction_of_lost(X, everywhere) for everywhere in (True, False)}

    def beginning(self, seed: Seed, number: int) -> tuple[FloatArray, FloatArray, Any]:
        """Return weights and thresholds of the first network of a run, and its random words."""
        key = [int(word) for word in seed_sequence(seed).generate_state(4, np.uint64)]
        rng = np.random.default_rng(np.random.SeedSequence([*key, number]))
        first = self.start
        if first is None:
            init = "sphere" if self.sphere else "grid"
            first = Network(self.grid, self.grid.random(rng, init))
        weights, thresholds = first.weights()[:2]
        words = rng.integers(1, 2**63, 4, dtype=np.uint64)
        return np.array(weights), np.array(thresholds), words

    def _evolved(self, seed: Seed, number: int, halt: Halt | None = None) -> ShortNetwork | None:
        """Return what is left after a run, None if it was given up."""
        weights, thresholds, words = self.beginning(seed, number)
        piece = max(64, _PIECE // self._data.columns.shape[1])
        left = self.budget - 1  # the first network is evaluated too
        while True:
            now = min(left, piece)
            with np.errstate(over="ignore"):
                evolve_rule(
                    self._data,
                    self.quorum,
                    self._moves,
                    self.term_cost,
                    now,
                    weights,
                    thresholds,
                    words,
                )
            left -= now
            if not left:
                return ShortNetwork(weights, thresholds)
            if halt is not None and halt.due:
                return None

    def network(self, found: ShortNetwork) -> Network:
        """Return it as a network on the grid, which is fine enough to keep every zero.

        A lost neuron gets a direction and a bias with which it still fires for all points or none.
        """
        weights = found.weights.copy()
        thresholds = found.thresholds.copy()
        for i in np.flatnonzero(~weights.any(axis=1)):
            everywhere = bool(thresholds[i] <= 0.0)
            weights[i] = self._directions_of_lost[everywhere]
            thresholds[i] = -1.0 if everywhere else 1.0
        return Network(self.grid, self.grid.from_weights(weights, thresholds))

    def run(
        self,
        seed: Seed,
        number: int = 0,
        trajectory: bool = False,
        stop: Any = None,
        every: int = 1000,
    ) -> RunResult:
        """Return run `number` under this seed, without trajectory and stopping rule."""
        if trajectory:
            raise ValueError("trajectory must be False where terms have a cost, got True")
        if stop is not None:
            raise ValueError("stop must be left out where terms have a cost")
        number = check_integer("number", number, 0, MOST_RUNS - 1)
        entropy = seed_sequence(seed)
        found = self._evolved(entropy, number)
        assert found is not None  # nobody raises the flag
        network = self.network(found)
        fitness = self.fitness.score(network) / self.units
        return RunResult(
            network=network,
            fitness=fitness,
            evaluations=self.budget,
            stop_reason=STOP_REASONS[state.BUDGET],
            success=False,
            stuck_at=None,
            restarts=0,
            # the kernel records none; plots and files need at least one entry
            improvements=Improvements(np.array([self.budget]), np.array([fitness])),
            trajectory=None,
            seed=entropy,
            number=number,
            terms=found.terms,
        )

    def finished_rows(
        self, seed: Seed, first: int, last: int, halt: Halt | None = None
    ) -> Iterator[IntArray]:
        """Yield the row of each of the runs first..last-1, see `TERM_COLUMNS`.

        Once `halt` is due, the run under way is given up.
        """
        entropy = seed_sequence(seed)
        for number in range(first, last):
            found = self._evolved(entropy, number, halt)
            if found is None:
                return
            yield row_of(
                self.columns,
                evaluations=self.budget,
                score=self.fitness.score(self.network(found)),
                stop=state.BUDGET,
                stuck_at=0,
                restarts=0,
                neurons_used=found.neurons,
                terms_used=found.terms,
            )


def charged(task: Task, term_cost: int) -> TermTask:
    """Return the task with a cost for each term."""
    if task.unit == 1:
        # weights become 0 on a fine grid only, also at D = 2
        unit = finest_unit(task.grid.resolution)
        fine = replace(task.grid, resolution=unit * task.grid.resolution)
        task = replace(task, grid=fine, unit=unit)
    return extend(task, TermTask, term_cost=term_cost)


def direction_of_lost(X: FloatArray, everywhere: bool) -> FloatArray | None:
    """Return a unit vector w with w·x >= -1 for all points, or w·x >= 1 for none.

    Return None if none is found: if points far outside the unit ball lie on all sides of it. An
    axis is taken where one will do.

    Examples
    --------
    >>> corners = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])
    >>> direction_of_lost(corners, everywhere=True)
    array([1., 0.])
    >>> (corners @ direction_of_lost(corners, everywhere=False)).max().round(3)
    np.float64(0.707)
    >>> direction_of_lost(5 * corners, everywhere=False) is None
    True
    """
    axes = np.eye(X.shape[1])
    for direction in (*axes, *-axes):
        holds = X @ direction >= (-1.0 if everywhere else 1.0)
        if holds.all() if everywhere else not holds.any():
            return np.asarray(direction)
    inner = _direction_between(X)
    if inner is None or everywhere:
        return inner
    return -inner


def _direction_between(X: FloatArray) -> FloatArray | None:
    """Return a unit vector w with w·x > -1 for all points, None if none is found.

    All such w, of any length, make a convex region around 0. One that is longer than 1 can be
    shortened, so corners of the region are looked at.
    """
    from scipy.optimize import linprog

    bounds = (-2.0, 2.0)
    for goal in np.random.default_rng(0).normal(size=(_CORNERS, X.shape[1])):
        corner = linprog(goal, A_ub=-X, b_ub=np.ones(len(X)), bounds=bounds).x
        if corner is None or not corner.any():
            continue
        direction = np.asarray(corner / np.linalg.norm(corner))
        if (X @ direction > -1.0).all():
            return direction
    return None
