"""The Markov chain of a (1+1) algorithm on a product of two components.

The states are the search points (angle, bias), r(r+1) of them with one neuron at D = 2. Mutation
turns x into y with probability P(x, y), the product of a matrix on the angles and one on the
biases; y is accepted if f(y) >= f(x), and the chain ends in a target. For the number T of
offspring created after a start in x let

    h(x) = P(T < oo),    g(x) = E[T; T < oo],    s(x) = E[T^2; T < oo].

Conditioning on the first accepted offspring that differs from x, and with A(x) the set of these
and q(x) = P(x, A(x)), each of them solves the same linear system with another right-hand side:

    q(x) h(x) = sum over A(x) of P(x, y) h(y)
    q(x) g(x) = sum over A(x) of P(x, y) g(y) + h(x)
    q(x) s(x) = sum over A(x) of P(x, y) s(y) + 2 g(x) - h(x)

Fitness never falls, so the system is solved one fitness level after the other, see
`hyperna._kernels.levels`. Angles that a symmetry of the problem maps onto each other are one state.

The result is certified. Where h = 1 let g' be the computed g and rho(x) = 1 + (sum over A(x) of
P(x, y) g'(y)) - q(x) g'(x) what its equation misses. Under g' the expected progress of a step is
1 - rho(x), so by additive drift in both directions g'(x) / (1 + R) <= E[T] <= g'(x) / (1 - R),
where R is the largest |rho|, the bound of the rounding errors of these sums included.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from scipy import linalg, sparse
from threadpoolctl import threadpool_limits

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.theory.moments import WRONG_UNITS, Moments, missed_error, moments_of, solve_sparse
from hyperna.theory.wide import LARGEST_MATRIX_LEVEL, WideLevel, products

if TYPE_CHECKING:
    from hyperna._kernels.levels import Work

# Moves of a law that does not reach everything: some 8 GB while the system is built and solved.
MOST_SPARSE_MOVES = 95_000_000


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
    folded = np.bincount(length % modulus, steps, modulus)
    mirrored = np.roll(folded[::-1], 1)
    result = np.asarray(0.5 * probability * (folded + mirrored), dtype=np.float64)
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

    `angle` must be a symmetric circulant matrix, which no rotation or mirroring changes. Returned
    are the chain on the joined states, and for each angle the row of the chain it belongs to.
    """
    rows = np.column_stack((score, target))
    kinds = np.unique(rows, axis=0, return_inverse=True)[1].ravel()
    first, place = np.unique(angle_orbits(kinds), return_inverse=True)
    order = np.argsort(place, kind="stable")
    begins = np.searchsorted(place[order], np.arange(first.size))
    joined = np.add.reduceat(angle[first][:, order], begins, axis=1)
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
class Chain:
    """A (1+1) chain on the product of two axes, angle and bias or any other two.

    Parameters
    ----------
    score : integer array (a, b)
        Fitness of each state, larger is better.
    target : boolean array (a, b)
        Where the chain ends.
    first, second : float arrays (a, a) and (b, b)
        Transition probabilities of the two components by mutation alone; their product may be
        scaled by a constant, because steps that change nothing do not enter.
    parts : tuple of symmetric float arrays, optional
        Matrices with the Kronecker product of `first` and `second`, if that has such parts. With
        them a fitness level may be too wide for a matrix.

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
    first: FloatArray
    second: FloatArray
    parts: tuple[FloatArray, ...] = ()

    @property
    def shape(self) -> tuple[int, int]:
        """Number of values of the two components."""
        return self.first.shape[0], self.second.shape[0]

    @property
    def full(self) -> bool:
        """Whether every state can be made from every other one by a single mutation."""
        return bool(self.first.all() and self.second.all())

    @property
    def moves_count(self) -> int:
        """Number of pairs of states with a mutation from one to the other."""
        return int(np.count_nonzero(self.first)) * int(np.count_nonzero(self.second))

    @cached_property
    def order(self) -> IntArray:
        """States (as flat indices) from the fittest to the least fit."""
        return np.argsort(-self.score.ravel(), kind="stable")

    @cached_property
    def ends(self) -> IntArray:
        """Where each fitness level ends in the sequence `order`."""
        ranked = self.score.ravel()[self.order]
        return np.append(np.flatnonzero(np.diff(ranked)) + 1, ranked.size)

    @cached_property
    def stay(self) -> FloatArray:
        """Probability of each state that mutation changes nothing."""
        return np.outer(np.diag(self.first), np.diag(self.second)).ravel()

    def wide_level(self, level: IntArray, fixed: BoolArray) -> WideLevel:
        """The states of a fitness level, to be solved without a matrix."""
        return WideLevel(products(self.parts), self.stay, level, fixed)

    @property
    def largest_matrix(self) -> int:
        """Number of states of the widest level that is solved as a matrix."""
        longest = int(np.diff(self.ends, prepend=0).max())
        return min(longest, LARGEST_MATRIX_LEVEL) if self.parts else longest

    def split(self, states: IntArray) -> IntArray:
        """The two components of states, one row each."""
        return np.array(np.divmod(states, self.shape[1]), dtype=np.int32)

    @property
    def rising(self) -> tuple[IntArray, IntArray]:
        """`order` and `ends` from the least fit to the fittest."""
        begins = np.append(0, self.ends[:-1])
        return self.order[::-1].copy(), self.order.size - begins[::-1]

    def moments(self) -> Moments:
        """Solve the chain: level by level if mutation reaches everything, else a sparse system."""
        return _solve_levels(self) if self.full else solve_sparse(self)

    def moves(self, rows: IntArray, columns: IntArray) -> FloatArray:
        """Probabilities of the mutations that turn the states `rows` into the states `columns`."""
        (i, j), (k, m) = (np.divmod(states, self.shape[1]) for states in (rows, columns))
        return self.first[np.ix_(i, k)] * self.second[np.ix_(j, m)]

    @cached_property
    def sparse_accepted(self) -> sparse.csr_array:
        """All accepted moves that change the state as a sparse matrix, none from targets."""
        if self.moves_count > MOST_SPARSE_MOVES:
            raise ValueError(
                f"resolution must be smaller for this mutation: its {self.moves_count:.3g} moves "
                f"between states need about {self.moves_count * 90 / 2**30:.1f} GB, the most is "
                f"{MOST_SPARSE_MOVES * 90 / 2**30:.1f} GB"
            )
        axes = (sparse.coo_array(matrix) for matrix in (self.first, self.second))
        moves = sparse.kron(*axes, format="coo")
        score = self.score.ravel()
        keep = (score[moves.col] >= score[moves.row]) & (moves.row != moves.col)
        keep &= ~self.target.ravel()[moves.row]
        entries = (moves.data[keep], (moves.row[keep], moves.col[keep]))
        return sparse.csr_array(entries, shape=moves.shape)


def _solve_levels(chain: Chain) -> Moments:
    """Substitution over falling fitness."""
    target = chain.target.ravel()
    # Everything fitter than the best target is a trap, everything else can go there in one step.
    dead = (chain.score > chain.score[chain.target].max(initial=np.iinfo(np.int64).min)).ravel()
    reach, longest, reach_gap, end_gap = np.ones(target.size), 0.0, 0.0, 0.0
    if dead.any():
        reach, end, _, (reach_gap, end_gap) = _substitute(chain, target | dead, target, False)
        longest = float(end.max())
    time, square, leave, (time_gap, _) = _substitute(chain, target | dead, reach, True)
    error = time_gap
    if dead.any():
        error = missed_error(reach, time, longest, reach_gap, time_gap, end_gap)
    certain = target | (not dead.any())
    return moments_of(chain, (reach, time, square), certain, leave, error)


def _substitute(
    chain: Chain, fixed: BoolArray, wanted: FloatArray | BoolArray, times: bool
) -> tuple[FloatArray, FloatArray, FloatArray, tuple[float, float]]:
    """u, v and q of `levels.solve_moments`, and bounds of the residuals of u and v."""
    from hyperna._kernels import levels

    values = np.zeros((fixed.size, levels.COLUMNS))
    values[:, levels.ONE] = 1.0
    right = np.zeros(fixed.size)
    if times:
        right[:] = wanted
    else:
        values[:, levels.ONCE] = wanted
    leave, gaps = np.zeros(fixed.size), np.zeros((2, 2))
    work = new_level_work(chain, levels.COLUMNS)
    sequence = chain.order, chain.ends, chain.split(chain.order)
    axes = np.ascontiguousarray(chain.first), np.ascontiguousarray(chain.second)
    # several threads on matrices this small mostly wait for each other
    with threadpool_limits(1):
        while work.counter[levels.LEVEL] < chain.ends.size:
            levels.solve_moments(*sequence, *axes, fixed, right, times, values, leave, gaps, work)
            free = work.counter[levels.WAITING]
            if free == levels.WIDE:
                _substitute_wide(chain, fixed, right, times, values, leave, gaps, work.counter)
            elif free:
                once, twice = work.right[:, :free]
                factors = linalg.lu_factor(work.system[:free, :free], check_finite=False)
                once[:] = linalg.lu_solve(factors, once, check_finite=False)
                if times:
                    twice += 2 * once
                twice[:] = linalg.lu_solve(factors, twice, check_finite=False)
    rounding = (sum(chain.shape) + chain.largest_matrix + WRONG_UNITS) * 2.0**-53
    once_gap, twice_gap = (gaps[0] + rounding * gaps[1]).tolist()
    return values[:, levels.ONCE], values[:, levels.TWICE], leave, (once_gap, twice_gap)


def _substitute_wide(
    chain: Chain,
    fixed: BoolArray,
    wanted: FloatArray,
    times: bool,
    values: FloatArray,
    leave: FloatArray,
    gaps: FloatArray,
    counter: IntArray,
) -> None:
    """Do for one wide level what `levels.solve_moments` does for the others."""
    from hyperna._kernels import levels

    number = int(counter[levels.LEVEL])
    begin, end = int(chain.ends[number - 1]) if number else 0, int(chain.ends[number])
    fitter = chain.order[:begin]
    level = chain.wide_level(chain.order[begin:end], fixed)
    leave[level.members] = level.inflow(fitter, np.ones(begin)) + level.leave_inside()
    free, known = level.free, np.append(fitter, level.given)
    place = ~fixed[level.members]
    q, stay, add = leave[free], chain.stay[free], wanted[free]
    for c, column in enumerate((levels.ONCE, levels.TWICE)):
        right = level.inflow(known, values[known, column])[place] + add
        solution = level.solve(q, right)
        values[free, column] = solution
        into, out = right + level.among_free(solution), q * solution
        gaps[0, c] = max(gaps[0, c], np.abs(into - out).max(initial=0.0))
        # a product contains what stays, which is taken out again
        gaps[1, c] = max(gaps[1, c], (into + out + 4 * stay * solution).max(initial=0.0))
        add = 2 * solution - add if times else np.ones(free.size)
    counter[levels.LEVEL], counter[levels.WAITING] = number + 1, 0


def new_level_work(chain: Chain, columns: int | None = None) -> "Work":
    """Room for `levels.solve_moments` or, without columns, `levels.solve_visits`."""
    from hyperna._kernels.levels import Work

    longest = chain.largest_matrix
    shape = chain.shape if columns is None else (*chain.shape, columns)
    return Work(
        sums=np.zeros(shape),
        inflow=np.zeros((longest, columns or 1)),
        system=np.zeros((longest, longest)),
        right=np.zeros((2, longest)),
        place=np.zeros(longest, np.int64),
        counter=np.zeros(3, np.int64),
    )
