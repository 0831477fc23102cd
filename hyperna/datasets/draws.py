"""Random numbers that are the same on every machine and with every version of NumPy."""

import math

import numpy as np
from scipy.special import ndtri

from hyperna._validation import FloatArray, check_integer


class Draws:
    """Uniform and normal numbers, determined by a name and a seed.

    NumPy promises that the raw bits of a bit generator never change, but not so for what a
    Generator makes of them; files that are to be reproduced byte by byte need the former.

    Examples
    --------
    >>> Draws("example", 0).uniform(2).round(3)
    array([0.147, 0.223])
    """

    def __init__(self, name: str, seed: int) -> None:
        self._bits = np.random.PCG64([check_integer("seed", seed, 0), *name.encode()])

    def uniform(self, *shape: int) -> FloatArray:
        """Return independent numbers uniform on (0, 1)."""
        # With 52 bits the half is exact, so that neither 0 nor 1 occurs.
        bits = self._bits.random_raw(math.prod(shape)) >> np.uint64(12)
        return ((bits.astype(np.float64) + 0.5) * 2.0**-52).reshape(shape)

    def normal(self, *shape: int) -> FloatArray:
        """Return independent standard normal numbers."""
        return np.asarray(ndtri(self.uniform(*shape)))

    def directions(self, n: int, dim: int) -> FloatArray:
        """Return n independent points, uniform on the unit sphere of R^dim."""
        points = self.normal(n, dim)
        return points / np.linalg.norm(points, axis=1, keepdims=True)


def rotation(dim: int, seed: int = 0) -> FloatArray:
    """Return a uniformly random rotation of R^dim as an orthogonal matrix of determinant 1.

    Examples
    --------
    >>> R = rotation(3, seed=1)
    >>> np.allclose(R @ R.T, np.eye(3)), round(float(np.linalg.det(R)), 6)
    (True, 1.0)
    """
    dim = check_integer("dim", dim, 1)
    Q, R = np.linalg.qr(Draws("rotation", seed).normal(dim, dim))
    Q *= np.sign(np.diag(R))  # without it the law depends on how LAPACK chooses signs
    if np.linalg.det(Q) < 0:
        Q[:, 0] *= -1
    return np.asarray(Q)
