"""How a mutation moves the components of a network: one small matrix for each.

A mutation acts on every component alone. So the probability to turn one network into another is a
product of entries of small matrices, one for each component, and the large matrix of all networks
is never needed: to apply it to a vector is to apply the small ones, one axis after the other.
"""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from hyperna._validation import FloatArray, IntArray

Product = Callable[[FloatArray], FloatArray]


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
    # a sum with one rounding, whatever the number of lengths: see WRONG_UNITS in solver.py
    steps = steps / math.fsum(steps)
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


def kronecker(axes: Sequence[FloatArray]) -> FloatArray:
    """The matrix of several components together.

    Examples
    --------
    >>> kronecker([np.array([[1.0, 2.0]]), np.array([[1.0, 10.0]])])
    array([[ 1., 10.,  2., 20.]])
    """
    result: FloatArray = np.ones((1, 1))
    for axis in axes:
        result = np.asarray(np.kron(result, axis), dtype=np.float64)
    return result


def product_of(axes: Sequence[FloatArray]) -> Product:
    """Return the function that applies the Kronecker product of matrices to a vector."""
    shape = tuple(len(axis) for axis in axes)

    def apply(vector: FloatArray) -> FloatArray:
        values = vector.reshape(shape[0], -1)
        for k, axis in enumerate(axes):
            # the axis that was applied goes to the end, so that the next one is in front
            values = (axis @ values).reshape(shape[k], -1).T
            values = np.ascontiguousarray(values).reshape(shape[(k + 1) % len(axes)], -1)
        return values.ravel()

    return apply


def sparse_moves(axes: Sequence[FloatArray], one_component: bool) -> sparse.coo_array:
    """All moves between states as a sparse matrix: of all components together, or one at a time."""
    matrices = [sparse.coo_array(axis) for axis in axes]
    if not one_component:
        result = matrices[0]
        for matrix in matrices[1:]:
            result = sparse.kron(result, matrix, format="coo")
        return sparse.coo_array(result)
    sizes = [len(axis) for axis in axes]
    total = sparse.csr_array((int(np.prod(sizes)),) * 2)
    for k, matrix in enumerate(matrices):
        before = sparse.eye_array(int(np.prod(sizes[:k])))
        after = sparse.eye_array(int(np.prod(sizes[k + 1 :])))
        total = total + sparse.kron(sparse.kron(before, matrix), after, format="csr")
    return sparse.coo_array(total / len(axes))


def joined_axis(moves: FloatArray, place: IntArray) -> FloatArray:
    """The matrix of a component whose values with the same `place` are one.

    `moves` must be a symmetric circulant matrix and `place` the orbits of rotations and mirror
    images, which do not change such a matrix.
    """
    first = np.unique(place, return_index=True)[1]
    order = np.argsort(place, kind="stable")
    begins = np.searchsorted(place[order], np.arange(first.size))
    return np.asarray(np.add.reduceat(moves[first][:, order], begins, axis=1))


def balanced_split(sizes: Sequence[int]) -> int:
    """Where to cut a sequence of axes so that the two groups have the fewest values together.

    Examples
    --------
    >>> balanced_split([5, 5, 9])
    2
    """
    totals = [int(np.prod(sizes[:k])) + int(np.prod(sizes[k:])) for k in range(len(sizes) + 1)]
    return int(np.argmin(totals))
