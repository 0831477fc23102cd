"""Fitness levels with too many states for a matrix: conjugate gradients on products of small ones.

With two neurons a constant fraction of all networks are equally fit: all that answer 1 everywhere,
for example. Within such a level L the system is diag(q) - P, where P(x, y) = P(y, x) is the
probability of the mutation, so it is symmetric and positive definite. P is never written down: to
apply it is to apply the matrices of the two angles and of the two biases one after the other. How
far the solution is off does not matter for the proof of the error bound, which measures it.
"""

from collections.abc import Callable

import numpy as np
from scipy.sparse import linalg as sparse_linalg

from hyperna._validation import BoolArray, FloatArray, IntArray

# States of a level that are solved as one matrix: 32 MB.
LARGEST_MATRIX_LEVEL = 2000
# Corrections of a solution by what it misses; each gains about nine digits.
_CORRECTIONS = 3
_RELATIVE = 1e-9

Product = Callable[[FloatArray], FloatArray]


def products(parts: tuple[FloatArray, ...]) -> Product:
    """Return the function that applies the Kronecker product of symmetric matrices to a vector."""
    shape = tuple(len(part) for part in parts)

    def apply(vector: FloatArray) -> FloatArray:
        values = vector.reshape(shape[0], -1)
        for i, part in enumerate(parts):
            # the axis that was applied goes to the end, so that the next one is in front
            values = (part @ values).reshape(shape[i], -1).T
            values = np.ascontiguousarray(values).reshape(shape[(i + 1) % len(parts)], -1)
        return values.ravel()

    return apply


def solve_symmetric(apply: Product, diagonal: FloatArray, right: FloatArray) -> FloatArray:
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
    """One fitness level, with the states `members`: what flows into it, and its solution.

    `product` applies the mutation to a vector over all states, which stay with probability `stay`;
    what is `fixed` is given.
    """

    def __init__(
        self, product: Product, stay: FloatArray, members: IntArray, fixed: BoolArray
    ) -> None:
        self._product, self._stay, self._size = product, stay, fixed.size
        self.members = members
        self.free = members[~fixed[members]]
        self.given = members[fixed[members]]

    def inflow(self, states: IntArray, values: FloatArray) -> FloatArray:
        """What some other states contribute to the members."""
        vector = np.zeros(self._size)
        vector[states] = values
        return self._product(vector)[self.members]

    def leave_inside(self) -> FloatArray:
        """Probability of each member to move to another one."""
        everywhere = self.inflow(self.members, np.ones(self.members.size))
        return everywhere - self._stay[self.members]

    def among_free(self, values: FloatArray) -> FloatArray:
        """What the free members contribute to each other."""
        vector = np.zeros(self._size)
        vector[self.free] = values
        return self._product(vector)[self.free] - self._stay[self.free] * values

    def solve(self, leave: FloatArray, right: FloatArray) -> FloatArray:
        """Solve q u = P u + right for the free members; `leave` is their q."""
        return solve_symmetric(lambda u: leave * u - self.among_free(u), leave, right)
