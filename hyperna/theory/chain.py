"""The Markov chain of a search on the networks of a grid, elitist or not.

A state is a network: one value for each component that is mutated. Mutation turns x into y with
probability P(x, y), a product of entries of small matrices, one for each component. The (1+1) NA
accepts y if f(y) >= f(x), and the chain ends in a target. For the number T of steps after a start
in x let

    h(x) = P(T < oo),    g(x) = E[T; T < oo],    s(x) = E[T^2; T < oo],

in the code `reach`, `time` and `square`.

Conditioning on the first accepted offspring that differs from x, and with A(x) the set of these
and q(x) = P(x, A(x)), each of them solves the same linear system with another right-hand side:

    q(x) h(x) = sum over A(x) of P(x, y) h(y)
    q(x) g(x) = sum over A(x) of P(x, y) g(y) + h(x)
    q(x) s(x) = sum over A(x) of P(x, y) s(y) + 2 g(x) - h(x)

The relatives of the (1+1) NA have the same equations with other probabilities. RLS moves in one
component at a time, so that P is a mean of matrices that act on one axis each. The (1+lambda) NA
takes the first best of lambda mutants; with G(x, f) the probability that a mutant is less fit than
f, it moves from x to another y that is not less fit with probability

    P(x, y) (G(x, f+)^lambda - G(x, f)^lambda) / (G(x, f+) - G(x, f)),    f = f(y),

where f+ is the next larger fitness. The factor of P(x, y) depends on x and the level of y only. On
the own level, f(y) = f(x), whose mutants include x itself, it is one number for each x: divided by
it, moves between equally fit states are as symmetric as mutations are, which is what
`hyperna.theory.wide_levels` rests on. The (1,lambda) NA moves so even if y is less fit than x.

The mean is certified, where h < 1 by `hyperna.theory.solver.certified_bounds`. Where h = 1 let
g' be the computed g and rho(x) = 1 + (sum over A(x) of P(x, y) g'(y)) - q(x) g'(x) what its
equation misses. Under g' the expected progress of a step is 1 - rho(x), so by additive drift in
both directions g'(x) / (1 + R) <= E[T] <= g'(x) / (1 - R), where R is the largest |rho|, the bound
of the rounding errors of these sums included.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.theory.moves import balanced_split, joined_axis, kronecker
from hyperna.theory.solver import Moments, Solver, fittest_first
from hyperna.theory.symmetry import axis_orbits
from hyperna.theory.watch import Watch


@dataclass(frozen=True, eq=False)
class Chain:
    """A search on a product of components.

    Parameters
    ----------
    score : integer array
        Fitness of each state, larger is better; one axis for each component.
    target : boolean array
        Where the chain ends.
    axes : tuple of float arrays
        For each component the transition probabilities of its values by mutation alone.
    sizes : tuple of integer arrays, optional
        For each component, how many values of the grid each of its values stands for.
    one_component : bool
        Whether a mutation changes one component, drawn uniformly, and not all of them.
    scale : float
        Factor of all moves that change something, above 1 where void mutations are redrawn.
    offspring : int
        Number of mutants the first best of which is taken.
    comma : bool
        Whether it is taken even if it is less fit.

    Examples
    --------
    A walk on three states to the last one, which needs four steps from the middle on average
    because it stays there or goes back three times out of four, and back is rejected.

    >>> chain = Chain(
    ...     np.array([0, 1, 2]),
    ...     np.array([False, False, True]),
    ...     (np.array([[0.5, 0.5, 0.0], [0.25, 0.5, 0.25], [0.0, 0.5, 0.5]]),),
    ... )
    >>> chain.moments().time
    array([6., 4., 0.])
    """

    score: IntArray
    target: BoolArray
    axes: tuple[FloatArray, ...]
    sizes: tuple[IntArray, ...] = ()
    one_component: bool = False
    scale: float = 1.0
    offspring: int = 1
    comma: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values of the components."""
        return self.score.shape

    @property
    def size(self) -> int:
        """Number of states."""
        return self.score.size

    @cached_property
    def full(self) -> bool:
        """Whether every state can be made from every other one by a single mutation."""
        return not self.one_component and all(bool(axis.all()) for axis in self.axes)

    @cached_property
    def weight(self) -> FloatArray:
        """How many search points each state stands for, flat."""
        if not self.sizes:
            return np.ones(self.size)
        return kronecker([sizes[None, :].astype(np.float64) for sizes in self.sizes]).ravel()

    @property
    def start(self) -> FloatArray:
        """Probability of each state to be the first one, uniform on the grid, flat."""
        return self.weight / self.weight.sum()

    @cached_property
    def order(self) -> IntArray:
        """States (as flat indices) from the fittest to the least fit.

        With `ends` this is what elitist solvers know of acceptance (`hyperna._kernels.order`): a
        step is accepted to all levels that come before its own, and within its own.
        """
        return fittest_first(self.score)

    @cached_property
    def ends(self) -> IntArray:
        """Where each fitness level ends in the sequence `order`."""
        ranked = self.score.ravel()[self.order]
        return np.append(np.flatnonzero(np.diff(ranked)) + 1, ranked.size)

    @cached_property
    def groups(self) -> tuple[FloatArray, FloatArray]:
        """Two matrices whose Kronecker product are the moves: of the first components, the others.

        Only where all components are mutated.
        """
        cut = balanced_split(self.shape)
        return self.scale * kronecker(self.axes[:cut]), kronecker(self.axes[cut:])

    @property
    def moves_count(self) -> int:
        """Number of pairs of states with a mutation from one to the other."""
        counts = [int(np.count_nonzero(axis)) for axis in self.axes]
        if not self.one_component:
            return int(np.prod(counts, dtype=object))
        shape = self.shape
        return sum(n * self.size // shape[k] for k, n in enumerate(counts))

    @property
    def has_curves(self) -> bool:
        """Whether more than expectations is computed."""
        return True

    @property
    def step_operations(self) -> float:
        """About how many additions one step of probabilities takes."""
        if not self.full:
            return 4.0 * self.moves_count
        if self.comma or self.offspring > 1:
            return 3.0 * self.size**2
        return float(self.size * sum(len(group) for group in self.groups))

    @cached_property
    def solver(self) -> Solver:
        """What solves this chain."""
        # here, because the solvers are made for chains
        from hyperna.theory.dense import DenseSolver
        from hyperna.theory.generations import GenerationSolver
        from hyperna.theory.levels import LevelSolver
        from hyperna.theory.sparse_system import SparseSolver

        if self.comma:
            return DenseSolver(self)
        if not self.full:
            return SparseSolver.of(self)
        return LevelSolver(self) if self.offspring == 1 else GenerationSolver(self)

    def moments(self, watch: Watch | None = None) -> Moments:
        """Solve the chain."""
        return self.solver.moments(watch or Watch())

    def joined(
        self, listed: tuple[IntArray, ...] | None = None
    ) -> tuple["Chain", tuple[IntArray, ...]]:
        """Join values that are images of each other under a symmetry of one component.

        All axes must be symmetric circulant matrices, which no rotation or mirror image changes.

        Parameters
        ----------
        listed : tuple of integer arrays, optional
            For each component, which place of the scores each of its values has, where mirror
            images are known and were not listed. By default all values were.

        Returns
        -------
        chain : Chain
            On the joined states.
        places : tuple of integer arrays
            For each component, the row of its axis that each of its values belongs to.
        """
        places = axis_orbits(self.score, self.target, listed)
        chosen = []
        for k, place in enumerate(places):
            first = np.unique(place, return_index=True)[1]
            chosen.append(first if listed is None else listed[k][first])
        index = np.ix_(*chosen)
        axes = [joined_axis(axis, place) for axis, place in zip(self.axes, places, strict=True)]
        chain = replace(
            self,
            score=self.score[index],
            target=self.target[index],
            axes=tuple(axes),
            sizes=tuple(np.bincount(place) for place in places),
        )
        return chain, places

    def with_target(self, target: BoolArray) -> "Chain":
        """The same chain with other ends."""
        return replace(self, target=target.reshape(self.shape))
