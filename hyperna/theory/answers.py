"""What is known about a run from its chain: how long it takes, and where it ends.

`ExactRuntime` is what `expected_runtime` returns. Averages and times from every start are there at
once; distributions, curves, ends and basins are computed when they are asked for. Every answer has
a bound of its error that counts the rounding errors of its computation.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hyperna._validation import BoolArray, FloatArray, IntArray, check_integer
from hyperna._words import counted, shown
from hyperna.network.grid import Grid
from hyperna.run.results import Progress
from hyperna.run.task import Task
from hyperna.theory.chain import Chain
from hyperna.theory.landscape import plateaus
from hyperna.theory.moves import circulant
from hyperna.theory.ring import LARGEST_MATRIX
from hyperna.theory.solver import AnyChain, Bounds, Moments, certified_bounds
from hyperna.theory.symmetry import mutated_components
from hyperna.theory.task import criterion
from hyperna.theory.watch import Watch

# Steps that are followed one by one for a quantile.
MOST_STEPS = 10**7


class _WayToBest(NamedTuple):
    """The chain whose targets are the best states, the steps spent in each state until then.

    `missed` is what the equations of these steps miss.
    """

    chain: Chain
    spent: FloatArray
    missed: float


class _WayToEnd(NamedTuple):
    """Where runs end, whether each state is one of these, and the visits of all states until then.

    `missed` is what the equations of the visits miss.
    """

    classes: list[IntArray]
    fixed: BoolArray
    visits: FloatArray
    missed: float


@dataclass(frozen=True, eq=False)
class Plateau:
    """A local optimum: equally fit neighbours none of which has a fitter neighbour.

    Attributes
    ----------
    fitness : float
        Fitness of all its points.
    probability : float
        Probability that a run from a uniform start is there at some time before it succeeds.
    error : float
        Bound of the absolute error of the probability.
    states : boolean array
        The search points, one axis for each mutated component.
    """

    fitness: float
    probability: float
    error: float
    states: BoolArray = field(repr=False)

    @property
    def size(self) -> int:
        """Number of search points."""
        return int(self.states.sum())


@dataclass(frozen=True, eq=False)
class End(Plateau):
    """A set of search points that a run never leaves again.

    Its fitness is the largest in the set, its probability that of a run to end there.

    Attributes
    ----------
    success : bool
        Whether it is the target.
    """

    success: bool


@dataclass(frozen=True, eq=False)
class ExactRuntime:
    """The number of fitness evaluations until the optimum is found, as a random variable.

    The first search point is uniform on the grid and its evaluation counts. Arrays have one entry
    for each first search point and one axis for each component that is mutated, in the sequence of
    the genome: shape (r, r + 1), angle by bias, for one neuron at D = 2, and (r,) without bias.

    Attributes
    ----------
    mean, standard_deviation : float
        Infinite if the optimum may never be found.
    probability : float
        Probability that the optimum is ever found; exactly 1.0 if nothing can prevent it.
    conditional_mean, conditional_standard_deviation : float
        Given that the optimum is found; NaN if that is impossible.
    bounds : Bounds
        How far mean and standard deviation (relative, those of the successful runs if the optimum
        may be missed) and probability (absolute) may be off, proved by additive drift, rounding
        errors included.
    optimum_share : float
        Share of the search points that count as optimum.
    criterion : str
        What counts as optimum, in words.
    components : tuple of str
        Names of the mutated components, the axes of all arrays.
    per_state : float array
        Mean for each first search point, infinite where the optimum may never be found.
    per_state_probability : float array
        Probability of finding the optimum from each first search point.

    Examples
    --------
    >>> from hyperna.problems import problem
    >>> from hyperna.theory import expected_runtime
    >>> runtime = expected_runtime(problem("half"), 16, "local", bias=False)
    >>> runtime.mean, 16 + 1 - 2 / 16
    (16.875, 16.875)
    >>> runtime.distribution(2)
    array([0.     , 0.0625 , 0.09375])
    >>> runtime.quantiles([0.25, 0.5, 0.9])
    array([ 7., 16., 33.])
    """

    mean: float
    standard_deviation: float
    probability: float
    conditional_mean: float
    conditional_standard_deviation: float
    bounds: Bounds
    optimum_share: float
    criterion: str
    components: tuple[str, ...]
    per_state: FloatArray = field(repr=False)
    per_state_probability: FloatArray = field(repr=False)
    _task: Task = field(repr=False)
    _chain: AnyChain = field(repr=False)
    _moments: Moments = field(repr=False)
    _places: tuple[IntArray, ...] = field(repr=False)
    _moved: tuple[FloatArray, ...] = field(repr=False)

    @classmethod
    def of(
        cls,
        task: Task,
        chain: AnyChain,
        moments: Moments,
        places: tuple[IntArray, ...],
        moved: tuple[FloatArray, ...],
    ) -> "ExactRuntime":
        """Return the answers of a chain that was solved.

        `places` says for each component which row of the chain stands for each value, `moved` with
        which probability a mutation moves it how far.
        """
        start = chain.start
        certain = bool(moments.certain.all())
        probability = 1.0 if certain else float(start @ moments.reach.ravel())
        cost = chain.offspring
        time = spread = math.nan
        if probability > 0.0:
            time = float(start @ moments.time.ravel()) / probability
            square = float(start @ moments.square.ravel()) / probability
            spread = math.sqrt(max(square - time * time, 0.0))
        every = np.ix_(*places)
        per_state = np.where(moments.certain, 1.0 + cost * moments.time, np.inf)
        return cls(
            mean=1.0 + cost * time if certain else math.inf,
            standard_deviation=cost * spread if certain else math.inf,
            probability=probability,
            conditional_mean=1.0 + cost * time,
            conditional_standard_deviation=cost * spread,
            bounds=certified_bounds(moments, start),
            optimum_share=float(start @ chain.target.ravel()),
            criterion=criterion(task),
            components=component_names(task.grid, mutated_components(task)),
            per_state=per_state[every],
            per_state_probability=moments.reach[every],
            _task=task,
            _chain=chain,
            _moments=moments,
            _places=places,
            _moved=moved,
        )

    @property
    def relative_error_bound(self) -> float:
        """The exact mean, of the successful runs if some fail, differs by this share at most."""
        return self.bounds.mean

    @property
    def offspring(self) -> int:
        """Number of mutants, and so of evaluations, in a step."""
        return self._chain.offspring

    @property
    def generations(self) -> float:
        """Expected number of steps after the first evaluation, each with all its offspring."""
        return (self.mean - 1.0) / self.offspring

    @property
    def neurons(self) -> int:
        """Number of neurons."""
        return self._task.grid.neurons

    @property
    def grid(self) -> Grid:
        """What the networks are."""
        return self._task.grid

    @property
    def chain(self) -> Chain:
        """The Markov chain; values that a symmetry of the problem joins are one of its rows."""
        if not isinstance(self._chain, Chain):
            raise ValueError(
                f"resolution must be at most {LARGEST_MATRIX} for more than expectations, "
                f"got {self._chain.size}"
            )
        return self._chain

    @property
    def states(self) -> int:
        """Number of states of the chain, after symmetries have joined what is alike."""
        return self._chain.size

    @property
    def fitness(self) -> FloatArray:
        """Fitness of each search point."""
        return self.spread_out(self._chain.score / self._task.units)

    @property
    def target(self) -> BoolArray:
        """Search points that count as optimum."""
        return self.spread_out(self._chain.target)

    def spread_out(self, values: np.ndarray) -> np.ndarray:
        """Values of the chain's states, flat or not, as values of the search points."""
        return values.reshape(self._chain.shape)[np.ix_(*self._places)]

    @property
    def has_curves(self) -> bool:
        """Whether more than expectations is computed: everything but very large rings."""
        return self._chain.has_curves

    @property
    def step_operations(self) -> float:
        """About how many additions one step of probabilities takes."""
        return self._chain.step_operations

    def change(self, values: FloatArray) -> FloatArray:
        """Return by how much values rise in one step on average, from every search point.

        Parameters
        ----------
        values : float array
            In the shape of `per_state`. From targets nothing changes.
        """
        values = np.asarray(values, dtype=np.float64)
        joined = self._joined(values)
        if joined is None:  # values that break a symmetry
            return self._whole.solver.change(values.ravel()).reshape(values.shape)
        return self.spread_out(self._chain.solver.change(joined.ravel()))

    def _joined(self, values: np.ndarray) -> np.ndarray | None:
        """Values of search points as those of the chain's states, None if they do not agree."""
        firsts = [np.unique(place, return_index=True)[1] for place in self._places]
        joined = values[np.ix_(*firsts)]
        return joined if np.array_equal(joined[np.ix_(*self._places)], values) else None

    # ---- how long

    def from_start(self, *components: int) -> tuple[float, float]:
        """Return mean evaluations and success probability from one first search point.

        Parameters
        ----------
        *components : int
            The mutated components of the search point: angle and bias, or the angle alone if the
            bias is fixed, of one neuron at D = 2.
        """
        if len(components) != self.per_state.ndim:
            names = ", ".join(self.components)
            raise ValueError(
                f"components must be {counted(self.per_state.ndim, 'value')} here ({names}), "
                f"got {len(components)}"
            )
        place = []
        for name, value, length in zip(
            self.components, components, self.per_state.shape, strict=True
        ):
            place.append(check_integer(name, value, 0, length - 1))
        found = tuple(place)
        return float(self.per_state[found]), float(self.per_state_probability[found])

    def distribution(self, t_max: int) -> FloatArray:
        """P(the optimum is found within t evaluations) for t = 0 .. t_max.

        No moves are kept in memory; with one neuron on the circle an evaluation takes 3 ms at
        resolution 120 with harmonic mutation, 0.2 s at 480. See `curve_error`.
        """
        return self.curves(t_max)[0]

    def fixed_budget(self, t_max: int) -> FloatArray:
        """Expected fitness after t evaluations for t = 0 .. t_max (NaN for 0).

        A run that has found the optimum keeps the fitness it has there. See `curve_error`.
        """
        return self.curves(t_max)[1]

    def curves(self, t_max: int) -> tuple[FloatArray, FloatArray]:
        """Return `distribution` and `fixed_budget` for the price of one."""
        t_max = check_integer("t_max", t_max, 0)
        cost = self.offspring
        found = np.zeros(t_max + 1)
        fitness = np.full(t_max + 1, math.nan)
        target = self._chain.target.ravel()
        share = self._chain.score.ravel() / self._task.units
        for step, states in enumerate(self._walk(math.ceil(t_max / cost))):
            # until the next generation is complete nothing changes
            now = slice(1 + step * cost, 1 + (step + 1) * cost)
            found[now] = states[target].sum()
            fitness[now] = states @ share
        return found, fitness

    def curve_error(self, t_max: int) -> float:
        """Return a bound of the absolute errors of `distribution` and `fixed_budget` up to t_max.

        A step of probabilities is a sum of positive terms with a small relative error.
        """
        steps = math.ceil(check_integer("t_max", t_max, 0) / self.offspring)
        return steps * self._chain.solver.step_error

    def _walk(self, steps: int) -> Iterator[FloatArray]:
        """Probabilities of the chain's states after 0, 1, ..., steps - 1 steps."""
        return islice(self._chain.solver.probabilities(self._chain.start), steps)

    def quantiles(
        self,
        levels: ArrayLike = (0.05, 0.25, 0.5, 0.75, 0.95),
        progress: Progress | None = None,
    ) -> FloatArray:
        """Return the smallest t with P(the optimum is found within t evaluations) >= level.

        Infinite where the level is larger than the probability to find it at all.

        Parameters
        ----------
        levels : array-like
            Numbers between 0 and 1.
        progress : callable, optional
            Called with the number of levels reached and of all levels, a few times a second, once
            the computation has taken two seconds.
        """
        return self._crossings(levels, 0.0, Watch(progress))

    def quantile_bounds(self, levels: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return numbers between which the exact quantiles lie, whatever the rounding errors are.

        They are the same unless a level is hit almost exactly.
        """
        return self._crossings(levels, 1.0), self._crossings(levels, -1.0)

    def _crossings(self, levels: ArrayLike, slack: float, watch: Watch | None = None) -> FloatArray:
        """Where the distribution, with so many times its error added, first reaches the levels."""
        wanted = np.atleast_1d(np.asarray(levels, dtype=float))
        if not ((wanted > 0) & (wanted < 1)).all():  # so that NaN is refused too
            raise ValueError(
                f"levels must be larger than 0 and smaller than 1, got {shown(levels)}"
            )
        result = np.full(wanted.shape, math.inf)
        # a level that is only reached in the limit is not waited for
        still_open = wanted < self.probability * (1 - 1e-9)
        target = self._chain.target.ravel()
        error = slack * self._chain.solver.step_error
        watch = watch or Watch()
        watch.begin(wanted.size)
        watch.add(int((~still_open).sum()))
        for step, states in enumerate(self._walk(MOST_STEPS)):
            if not still_open.any():
                return result
            found = states[target].sum() + step * error
            now = still_open & (wanted <= found)
            result[now] = 1 + step * self.offspring
            still_open &= ~now
            watch.add(int(now.sum()))
        raise ValueError(f"levels must be reached within {MOST_STEPS} steps, got {shown(levels)}")

    def fixed_target(self) -> tuple[FloatArray, FloatArray]:
        """Expected evaluations until the fitness is at least f, for all values f on the grid.

        Here a run does not end at the optimum but goes on to the best search point. The (1,lambda)
        NA, which does not keep what it has reached, is refused.

        Returns
        -------
        fitness, evaluations : float arrays
            Rising. Evaluations are infinite where a run may be stuck below.
        """
        chain = self.chain
        if chain.comma:
            raise ValueError(
                "algorithm must keep the best search point for a fixed target, "
                "got 'one_comma_lambda'"
            )
        spent = self._until_best().spent
        levels, level = np.unique(chain.score.ravel(), return_inverse=True)
        per_level = np.bincount(level.ravel(), spent)
        before = np.append(0.0, np.cumsum(per_level)[:-1])
        return levels / self._task.units, 1.0 + self.offspring * before

    def fixed_target_error(self) -> float:
        """Return a bound of the absolute errors of the finite evaluations of `fixed_target`.

        What the equations of the visits miss counts for the longest time until the end.
        """
        way = self._until_best()
        moments = way.chain.moments()
        longest = moments.residuals.longest
        if moments.certain.all():
            longest = float(moments.time.max()) * (1 + self.bounds.mean)
        return self.offspring * way.missed * longest

    def _until_best(self) -> _WayToBest:
        """Let runs go on to the best states."""
        chain = self.chain
        best = (chain.score == chain.score.max()).ravel()
        goal = chain.with_target(best)
        fixed = best.copy()
        fixed[np.concatenate(goal.solver.closed_classes())] = True
        found = goal.solver.visits(chain.start, fixed)
        missed = _missed_visits(goal, found, fixed)
        # every end is reached from some start
        spent = np.where(fixed, np.where(best, 0.0, np.inf), found)
        return _WayToBest(goal, spent, missed)

    # ---- where

    def ends(self) -> list[End]:
        """Return where runs end, and how likely: success first, then what they get stuck in."""
        way = self._until_end()
        score = self.chain.score.ravel()
        result = []
        for number, end in enumerate(way.classes):
            mask = np.zeros(score.size, dtype=bool)
            mask[end] = True
            best = float(score[end].max(initial=0) / self._task.units)
            probability = float(way.visits[mask].sum())
            result.append(End(best, probability, way.missed, self.spread_out(mask), number == 0))
        return result[:1] + sorted(result[1:], key=lambda end: -end.fitness)

    def evaluations_until_end(self) -> float:
        """Expected evaluations until a run has succeeded or is stuck for good."""
        way = self._until_end()
        return 1.0 + self.offspring * float(way.visits[~way.fixed].sum())

    def _until_end(self) -> _WayToEnd:
        """Let runs go on until they stay where they are."""
        chain = self.chain
        classes = chain.solver.closed_classes()
        fixed = np.zeros(chain.size, dtype=bool)
        fixed[np.concatenate(classes)] = True
        found = chain.solver.visits(chain.start, fixed)
        return _WayToEnd(classes, fixed, found, _missed_visits(chain, found, fixed))

    def visit_probability(self, states: BoolArray) -> FloatArray:
        """Probability to be in one of some states before success, for each first search point.

        For the states of an `End` this is its basin.

        Parameters
        ----------
        states : boolean array
            In the shape of `per_state`.
        """
        return self._visit_probability(states)[0]

    def _visit_probability(self, states: BoolArray) -> tuple[FloatArray, float]:
        """The probabilities, and a bound of their absolute error."""
        mask = np.asarray(states)
        if mask.dtype != bool or mask.shape != self.per_state.shape:
            raise ValueError(
                f"states must be a boolean array of shape {self.per_state.shape}, "
                f"got {mask.dtype} {mask.shape}"
            )
        joined = self._joined(mask)
        if joined is not None:
            found, error = self.chain.solver.reach_first(joined.ravel())
            return self.spread_out(found), error
        # a question that breaks a symmetry
        found, error = self._whole.solver.reach_first(mask.ravel())
        return found.reshape(mask.shape), error

    @property
    def _whole(self) -> Chain:
        """The chain of all search points, no two of them joined."""
        chain = self.chain
        every = np.ix_(*self._places)
        return replace(
            chain,
            score=chain.score[every],
            target=chain.target[every],
            axes=tuple(circulant(step) for step in self._moved),
            sizes=(),
        )

    def hitting_probabilities(self) -> list[Plateau]:
        """Return all local optima and how likely a run is there at some time, the fittest first.

        A local optimum is a plateau of equally fit search points whose neighbours, one step away
        in each component at most, are not fitter.
        """
        score = self.spread_out(self._chain.score)
        found = []
        label, optima = plateaus(score)
        for mask in (label == number for number in optima.tolist()):
            value = float(score[mask][0]) / self._task.units
            start_there, error = self._visit_probability(mask)
            found.append(Plateau(value, float(start_there.mean()), error, mask))
        return sorted(found, key=lambda plateau: (-plateau.fitness, -plateau.probability))


def _missed_visits(chain: Chain, visits: FloatArray, fixed: BoolArray) -> float:
    """How much the equations of visits miss, summed over all states, rounding errors included.

    What is in a state is what started there and what flows in, less what flows out.
    """
    solver = chain.solver
    inside = np.where(fixed, 0.0, visits)
    walk = solver.probabilities(inside)
    before = next(walk).copy()
    after = next(walk)
    missed = np.abs(chain.start + after - before)[~fixed].sum()
    return float(missed + solver.step_error * (2 * inside.sum() + 1.0))


def component_names(grid: Grid, components: IntArray) -> tuple[str, ...]:
    """Names of components of a genome, as short as they are clear.

    Examples
    --------
    >>> component_names(Grid(2, 1, 8), np.arange(2))
    ('angle', 'bias')
    >>> component_names(Grid(3, 2, 8), np.arange(6))[:4]
    ('angle 1 of neuron 1', 'angle 2 of neuron 1', 'bias of neuron 1', 'angle 1 of neuron 2')
    """
    names = []
    for component in components.tolist():
        neuron, place = divmod(component, grid.width)
        width = grid.direction_width
        kinds = [kind.name for kind in grid.kind.parameters]
        owner = f" of neuron {neuron + 1}" if grid.neurons > 1 else ""
        if component >= grid.output_start:
            place = component - grid.output_start
            width = grid.neurons - 1
            kinds = ["bias"]
            owner = " of the output"
        if place >= width:
            names.append(kinds[place - width] + owner)
        else:
            names.append(f"angle {place + 1}{owner}" if width > 1 else f"angle{owner}")
    return tuple(names)
