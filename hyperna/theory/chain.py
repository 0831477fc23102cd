"""The Markov chain of a (1+1) algorithm on a product of two cyclic components, solved exactly.

The states are the search points (angle, bias), r(r+1) of them with N = 1 and D = 2. Let P(x, y)
be the probability that mutation turns x into y; y is accepted if f(y) >= f(x), and the chain ends
in a target. For the number T of offspring created after a start in x let

    h(x) = P(T < oo),    g(x) = E[T; T < oo],    s(x) = E[T^2; T < oo].

Conditioning on the first accepted offspring that differs from x, and with A(x) the set of these
and q(x) = P(x, A(x)), each of them solves the same linear system with another right-hand side:

    q(x) h(x) = sum over A(x) of P(x, y) h(y)
    q(x) g(x) = sum over A(x) of P(x, y) g(y) + h(x)
    q(x) s(x) = sum over A(x) of P(x, y) s(y) + 2 g(x) - h(x)

Fitness never falls, so the system is block triangular when states are sorted by fitness: one block
a plateau. Components mutate independently, so P is the product of a matrix on the angles and one on
the biases, and what a set of solved states contributes to all others is two small matrix products.
Angles that a symmetry of the problem maps onto each other are one state.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, sparse
from scipy.sparse import csgraph
from scipy.sparse import linalg as sparse_linalg
from threadpoolctl import threadpool_limits

from hyperna._validation import BoolArray, FloatArray, IntArray

# Fitness levels are solved in strips of about this many states by dense linear algebra; once a
# batch of strips is complete, its states are passed on to all others by the two matrix products.
_STRIP = 256
_BATCH = 8192
# Moves between states, where all are kept in memory: about a gigabyte, dense or sparse.
MOST_MOVES = 2**28
MOST_SPARSE_MOVES = 2**25


def displacements(steps: ArrayLike, modulus: int, probability: float) -> FloatArray:
    """Probability of each displacement 0 .. modulus - 1 of a component in one mutation.

    Parameters
    ----------
    steps : array-like
        Probabilities of the step lengths 1, 2, ....
    modulus : int
        Number of values of the component; several lengths fold onto one displacement.
    probability : float
        Probability that the component is mutated at all.

    Examples
    --------
    >>> displacements([1.0], 5, 0.5)
    array([0.5 , 0.25, 0.  , 0.  , 0.25])
    """
    steps = np.asarray(steps, dtype=np.float64)
    length = np.arange(1, steps.size + 1)
    result = np.zeros(modulus)
    np.add.at(result, length % modulus, 0.5 * probability * steps)
    np.add.at(result, -length % modulus, 0.5 * probability * steps)
    result[0] += 1.0 - probability
    return result


def circulant(first_row: FloatArray) -> FloatArray:
    """The matrix of transition probabilities that belongs to displacement probabilities."""
    index = np.arange(first_row.size)
    return first_row[(index - index[:, None]) % first_row.size]


def lump(
    score: IntArray, target: BoolArray, angle: FloatArray, bias: FloatArray
) -> tuple["Chain", IntArray]:
    """Join angles that are images of each other under a symmetry of the problem into one state.

    `angle` must be a symmetric circulant matrix, which no rotation or mirroring changes.

    Returns
    -------
    chain : Chain
        The chain on the joined states.
    place : integer array (a,)
        For each angle the row of the chain that it belongs to.
    """
    rows = np.column_stack((score, target))
    kinds = np.unique(rows, axis=0, return_inverse=True)[1].ravel()
    first, place = np.unique(angle_orbits(kinds), return_inverse=True)
    joined = angle[first] @ np.eye(first.size)[place]
    return Chain(score[first], target[first], joined, bias), place


def angle_orbits(kinds: IntArray) -> IntArray:
    """For each angle the smallest angle that a rotation or mirror symmetry maps it to.

    `kinds` numbers the angles by what happens there: equal numbers, equal fitness for every bias.

    Examples
    --------
    >>> angle_orbits(np.array([0, 1, 2, 1]))
    array([0, 1, 2, 1])
    >>> angle_orbits(np.array([0, 1, 0, 1]))
    array([0, 1, 0, 1])
    """
    index = np.arange(kinds.size)
    orbit = index.copy()
    for shift in range(kinds.size):
        for image in ((index + shift) % kinds.size, (shift - index) % kinds.size):
            if np.array_equal(kinds[image], kinds):
                np.minimum(orbit, image, out=orbit)
    return orbit


@dataclass(frozen=True, eq=False)
class Moments:
    """h, g and s of the module's docstring for every state, and whether h is 1 exactly."""

    reach: FloatArray
    time: FloatArray
    square: FloatArray
    certain: BoolArray


@dataclass(frozen=True, eq=False)
class Chain:
    """A (1+1) chain on the product of two axes, angle and bias.

    Parameters
    ----------
    score : integer array (a, b)
        Fitness of each state, larger is better.
    target : boolean array (a, b)
        Where the chain ends.
    angle, bias : float arrays (a, a) and (b, b)
        Transition probabilities of the two components by mutation alone; their product may be
        scaled by a constant, because steps that change nothing do not enter.

    Examples
    --------
    A walk on three states to the last one, which needs four steps from the middle on average
    because it stays there or goes back three times out of four, and back is rejected.

    >>> chain = Chain(
    ...     np.array([[0], [1], [2]]),
    ...     np.array([[False], [False], [True]]),
    ...     np.array([[0.5, 0.5, 0.0], [0.25, 0.5, 0.25], [0.0, 0.5, 0.5]]),
    ...     np.array([[1.0]]),
    ... )
    >>> chain.moments().time.ravel()
    array([6., 4., 0.])
    """

    score: IntArray
    target: BoolArray
    angle: FloatArray
    bias: FloatArray

    @property
    def full(self) -> bool:
        """Whether every state can be made from every other one by a single mutation."""
        return bool(self.angle.all() and self.bias.all())

    @property
    def moves_count(self) -> int:
        """Number of pairs of states with a mutation from one to the other."""
        return int(np.count_nonzero(self.angle)) * int(np.count_nonzero(self.bias))

    def _check_moves(self, most: int) -> None:
        if self.moves_count > most:
            raise ValueError(
                f"all moves between states must be kept in memory here, at most {most}, "
                f"got {self.moves_count}; use a smaller resolution"
            )

    @cached_property
    def order(self) -> IntArray:
        """States (as flat indices) from the fittest to the least fit."""
        return np.argsort(-self.score.ravel(), kind="stable")

    def moments(self) -> Moments:
        """Solve the chain: by batches if mutation reaches everything, else as a sparse system."""
        if not self.full:
            self._check_moves(MOST_SPARSE_MOVES)
        # several threads on matrices this small mostly wait for each other
        with threadpool_limits(1):
            return _solve_by_batches(self) if self.full else _solve_sparse(self)

    def distribution(self, offspring: int, start: FloatArray) -> FloatArray:
        """P(T <= t) for t = 0 .. offspring, with `start` the probabilities of the first state."""
        self._check_moves(MOST_MOVES if self.full else MOST_SPARSE_MOVES)
        with threadpool_limits(1):
            return _iterate(self, offspring, start)

    def strips(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """Cut positions begin .. end of `order` into runs of whole fitness levels."""
        ranked = self.score.ravel()[self.order]
        while begin < end:
            last = min(begin + _STRIP, end) - 1
            stop = int(np.searchsorted(-ranked, -ranked[last], side="right"))
            yield begin, stop
            begin = stop

    def moves(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Probabilities of the mutations that turn the states `rows` into the states `columns`."""
        width = self.bias.shape[0]
        row_angle, row_bias = np.divmod(rows, width)
        column_angle, column_bias = np.divmod(columns, width)
        result = self.angle[row_angle].take(column_angle, axis=1)
        result *= self.bias[row_bias].take(column_bias, axis=1)
        return result

    def accepted(self, states: IntArray) -> FloatArray:
        """Probabilities of the accepted moves among some states, except to the same one."""
        score = self.score.ravel()[states]
        result = self.moves(states, states)
        result *= score[:, None] <= score
        np.fill_diagonal(result, 0.0)
        return result

    def fitter_moves(self, begin: int, end: int) -> FloatArray:
        """Accepted moves from positions begin .. end of `order` to 0 .. end, none from targets."""
        strip = self.order[begin:end]
        result = np.hstack((self.moves(strip, self.order[:begin]), self.accepted(strip)))
        result[self.target.ravel()[strip]] = 0.0
        return result

    def sparse_accepted(self) -> sparse.csr_array:
        """All accepted moves that change the state as a sparse matrix, none from targets."""
        moves = sparse.kron(sparse.coo_array(self.angle), sparse.coo_array(self.bias), format="coo")
        score = self.score.ravel()
        keep = (score[moves.col] >= score[moves.row]) & (moves.row != moves.col)
        keep &= ~self.target.ravel()[moves.row]
        entries = (moves.data[keep], (moves.row[keep], moves.col[keep]))
        return sparse.csr_array(entries, shape=moves.shape)


def _solve_by_batches(chain: Chain) -> Moments:
    """Forward substitution over falling fitness, the far part of it by matrix products."""
    order, size = chain.order, chain.score.size
    # Everything fitter than the best target is a trap, everything else can go there in one step.
    dead = chain.score > chain.score[chain.target].max(initial=np.iinfo(np.int64).min)
    fixed = (chain.target | dead).ravel()
    # columns: 1 (for q), h, g, s
    values = np.zeros((size, 4))
    values[:, 0] = 1.0
    values[chain.target.ravel(), 1] = 1.0
    inflow = np.zeros((4, *chain.score.shape))
    begin = 0
    for start, stop in chain.strips(0, size):
        if start - begin >= _BATCH:
            batch = np.zeros((4, size))
            batch[:, order[begin:start]] = values[order[begin:start]].T
            inflow += chain.angle @ batch.reshape(inflow.shape) @ chain.bias.T
            begin = start
        strip = order[start:stop]
        values[strip] = _solve_strip(
            chain.accepted(strip),
            fixed[strip],
            values[strip],
            inflow.reshape(4, -1)[:, strip].T
            + chain.moves(strip, order[begin:start]) @ values[order[begin:start]],
        )
    if not dead.any():
        values[:, 1] = 1.0
    certain = np.full(size, not dead.any()) | chain.target.ravel()
    return _moments(chain, values[:, 1:], certain)


def _solve_strip(
    moves: FloatArray, fixed: BoolArray, values: FloatArray, inflow: FloatArray
) -> FloatArray:
    """1, h, g, s of states that move among each other and get `inflow` from fitter ones."""
    system = -moves
    np.fill_diagonal(system, inflow[:, 0] + moves.sum(axis=1))
    system[fixed] = np.eye(fixed.size)[fixed]
    known = np.where(fixed[:, None], values, inflow)
    factors = linalg.lu_factor(system, overwrite_a=True, check_finite=False)
    free = ~fixed
    reach = linalg.lu_solve(factors, known[:, 1], check_finite=False)
    time = linalg.lu_solve(factors, known[:, 2] + free * reach, check_finite=False)
    square = linalg.lu_solve(factors, known[:, 3] + free * (2 * time - reach), check_finite=False)
    return np.column_stack((values[:, 0], reach, time, square))


def _moments(chain: Chain, values: FloatArray, certain: BoolArray) -> Moments:
    shape = chain.score.shape
    reach, time, square = (column.reshape(shape) for column in values.T)
    return Moments(reach, time, square, certain.reshape(shape))


def _can_reach(moves: sparse.csr_array, goal: BoolArray) -> BoolArray:
    """Which states have a path of moves to a goal."""
    size = goal.size
    source = sparse.csr_array(goal.astype(np.float64)[None, :])
    graph = sparse.block_array(
        [[moves.T, sparse.csr_array((size, 1))], [source, sparse.csr_array((1, 1))]], format="csr"
    )
    found = csgraph.breadth_first_order(graph, size, return_predecessors=False)
    result = np.zeros(size + 1, dtype=bool)
    result[found] = True
    return result[:size]


def _iterate(chain: Chain, offspring: int, start: FloatArray) -> FloatArray:
    """P(T <= t) by stepping the probabilities to have ended backwards through the chain."""
    order = chain.order
    ended = chain.target.ravel()[order].astype(np.float64)
    weight = start.ravel()[order]
    if chain.full:
        strips = list(chain.strips(0, order.size))
        blocks = [chain.fitter_moves(begin, end) for begin, end in strips]
    else:
        strips = [(0, order.size)]
        blocks = [chain.sparse_accepted()[order][:, order]]
    stay = np.concatenate([1.0 - block.sum(axis=1) for block in blocks])
    result = np.empty(offspring + 1)
    for t in range(offspring + 1):
        result[t] = weight @ ended
        moved = [block @ ended[:end] for (_, end), block in zip(strips, blocks, strict=True)]
        ended = np.concatenate(moved) + stay * ended
    return result


def _solve_sparse(chain: Chain) -> Moments:
    """One sparse system for all states from which the target can be reached."""
    moves = chain.sparse_accepted()
    target = chain.target.ravel()
    alive = _can_reach(moves, target)
    certain = ~_can_reach(moves, ~alive)
    free = np.flatnonzero(alive & ~target)
    values = np.zeros((target.size, 3))
    values[target, 0] = 1.0
    if free.size:
        rows = moves[free]
        system = sparse.diags_array(rows.sum(axis=1)) - rows[:, free]
        # q(x) on the diagonal dominates, so no pivoting is needed and the pattern decides the order
        factors = sparse_linalg.splu(
            system.tocsc(),
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
        reach = np.where(certain[free], 1.0, factors.solve(rows @ values[:, 0]))
        time = factors.solve(reach)
        values[free] = np.column_stack((reach, time, factors.solve(2 * time - reach)))
    return _moments(chain, values, certain)
