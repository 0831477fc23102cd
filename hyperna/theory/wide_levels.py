"""Wide levels, with too many states for a matrix: conjugate gradients on products of small ones.

On point sets, and with several neurons, a constant fraction of all networks are equally fit: all
that answer 1 everywhere, for example. Within such a level the system is diag(q) - P. Mutation is
symmetric, P(x, y) = P(y, x), or, where states stand for m(x) search points each, m(x) P(x, y) =
m(y) P(y, x). So the system with its rows multiplied by m is symmetric and positive definite, and P
is never written down. How far the solution is off does not matter for the proof of the error bound,
which measures it.
"""

from collections.abc import Callable

import numpy as np
from scipy.sparse import linalg as sparse_linalg

from hyperna._validation import BoolArray, FloatArray, IntArray
from hyperna.theory.moves import Product

# States that are solved as one matrix, at most: 32 MB. A ring of 2**16 states in levels of 3000
# takes 1 s with this and 10 s with 4096.
LARGEST_MATRIX_LEVEL = 2000
# Corrections of a solution by what it misses; each gains about nine digits.
_CORRECTIONS = 3
_RELATIVE = 1e-9


def solve_symmetric(
    apply: Callable[[FloatArray], FloatArray], diagonal: FloatArray, right: FloatArray
) -> FloatArray:
    """Solve a symmetric positive definite system that is given by its product with a vector."""
    size = right.size
    if size == 0:
        return np.zeros(0)
    system = sparse_linalg.LinearOperator((size, size), matvec=apply, dtype=np.float64)
    scaled = sparse_linalg.LinearOperator(
        (size, size), matvec=lambda vector: vector / diagonal, dtype=np.float64
    )
    solution = np.zeros(size)
    rest = right
    for _ in range(_CORRECTIONS):
        change, _ = sparse_linalg.cg(system, rest, rtol=_RELATIVE, maxiter=20_000, M=scaled)
        solution += change
        rest = right - apply(solution)
        if np.abs(rest).max() <= 4e-16 * np.abs(diagonal * solution).max():
            break
    return solution


class WideLevel:
    """The states `members` of one fitness level: what flows into it, and its solution.

    Parameters
    ----------
    product : callable
        Applies the mutation to a vector over all states.
    diagonal : float array
        What the product has on its diagonal.
    weight : float array
        How many search points each state stands for.
    members : integer array
        The states of the level.
    fixed : boolean array
        For all states, whether their values are given.
    """

    def __init__(
        self,
        product: Product,
        diagonal: FloatArray,
        weight: FloatArray,
        members: IntArray,
        fixed: BoolArray,
    ) -> None:
        self._product = product
        self._diagonal = diagonal
        self._size = fixed.size
        self.members = members
        self.is_free = ~fixed[members]
        self.free = members[self.is_free]
        self.given = members[~self.is_free]
        self._weight = weight[self.free]

    def inflow(self, states: IntArray, values: FloatArray) -> FloatArray:
        """What some states contribute to the members."""
        vector = np.zeros(self._size)
        vector[states] = values
        return self._product(vector)[self.members]

    def leave_inside(self) -> FloatArray:
        """Probability of each member to move to another one."""
        everywhere = self.inflow(self.members, np.ones(self.members.size))
        return everywhere - self._diagonal[self.members]

    def among_free(self, values: FloatArray) -> FloatArray:
        """What the free members contribute to each other."""
        vector = np.zeros(self._size)
        vector[self.free] = values
        return self._product(vector)[self.free] - self._diagonal[self.free] * values

    def solve(self, leave: FloatArray, right: FloatArray) -> FloatArray:
        """Solve q u = P u + right for the free members; `leave` is their q."""
        return self._symmetric(leave, self._weight * right)

    def solve_transposed(self, leave: FloatArray, right: FloatArray) -> FloatArray:
        """Solve q v = v P + right for the free members."""
        return self._weight * self._symmetric(leave, right)

    def _symmetric(self, leave: FloatArray, right: FloatArray) -> FloatArray:
        """Solve with the rows of the system multiplied by the weights."""
        weight = self._weight

        def apply(values: FloatArray) -> FloatArray:
            return weight * (leave * values - self.among_free(values))

        return solve_symmetric(apply, weight * leave, right)
