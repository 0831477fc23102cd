"""Points on the unit sphere of R^D: random, quasi-random and evenly spread.

The last two build on one map from the unit cube of D - 1 dimensions to the sphere that preserves
measure, so that equally spread points of the cube become equally spread points of the sphere.
"""

import inspect
import math

import numpy as np
from scipy.special import betaincinv

from hyperna._validation import FloatArray, check_integer

Randomness = int | np.random.Generator | np.random.SeedSequence | None

GOLDEN = (math.sqrt(5) - 1) / 2
# Coordinates of all points that fit into memory: 2 GB.
MOST_COORDINATES = 2**28
MAX_POINTS = 2**30
MAX_DIM = 21202  # one more than the Sobol sequence of SciPy has dimensions


def random_points(n: int, dim: int, seed: Randomness = None) -> FloatArray:
    """Return n independent uniform points on the unit sphere, shape (n, dim).

    Examples
    --------
    >>> random_points(3, 1, seed=0).ravel()
    array([ 1., -1.,  1.])
    """
    n, dim = _check_memory(check_integer("n", n, 1), check_integer("dim", dim, 1))
    return _normalised(_generator(seed).standard_normal((n, dim)))


def _generator(seed: Randomness) -> np.random.Generator:
    if seed is not None and not isinstance(seed, np.random.Generator | np.random.SeedSequence):
        seed = check_integer("seed", seed, 0)
    return np.random.default_rng(seed)


def sobol_points(n: int, dim: int, seed: Randomness = None) -> FloatArray:
    """Return the first n points of a scrambled Sobol sequence, mapped to the unit sphere.

    Each point is uniform on the sphere, but together they are far more even than independent
    points; another seed gives another, equally good set. Powers of two are the best sizes.

    Examples
    --------
    >>> points = sobol_points(1024, 3, seed=0)
    >>> bool(abs(points.mean(axis=0)).max() < 0.01)
    True
    """
    n, dim = _check_size(n, dim)
    rng = _generator(seed)
    return _sphere_from_cube(_sobol(n, max(dim - 1, 1), scramble=True, rng=rng), dim)


def even_points(n: int, dim: int) -> FloatArray:
    """Return n evenly spread points on the unit sphere, always the same ones.

    For D = 1 half of them on either side; for D = 2 equal angles, beginning half a step from the
    first axis; for D = 3 the Fibonacci lattice around the first axis; beyond that a Hammersley
    set: equidistant values beside the Sobol sequence of D - 2 dimensions.

    Examples
    --------
    >>> even_points(4, 2).round(3)
    array([[ 0.707,  0.707],
           [-0.707,  0.707],
           [-0.707, -0.707],
           [ 0.707, -0.707]])
    """
    n, dim = _check_size(n, dim)
    steps = np.arange(n, dtype=np.float64) + 0.5
    columns = [steps / n]
    if dim == 3:
        columns.append(steps * GOLDEN % 1.0)
    elif dim > 3:
        columns.append(_sobol(n, dim - 2, scramble=False, rng=None))
    return _sphere_from_cube(np.column_stack(columns), dim)


def _sobol(n: int, dim: int, scramble: bool, rng: np.random.Generator | None) -> FloatArray:
    """Return n points of a Sobol sequence, in the middles of the cells they stand for."""
    from scipy.stats import qmc  # takes a second to import, which only these points need

    # SciPy 1.15 renamed the argument.
    seed_name = "rng" if "rng" in inspect.signature(qmc.Sobol).parameters else "seed"
    engine = qmc.Sobol(dim, scramble=scramble, bits=30, **{seed_name: rng})
    levels = (n - 1).bit_length()
    # A whole power of two is drawn and cut: SciPy warns of any other number.
    points = engine.random_base2(levels)[:n]
    return points + 2.0 ** -(31 if scramble else levels + 1)


def _sphere_from_cube(U: FloatArray, dim: int) -> FloatArray:
    """Map points of [0, 1)^(D-1) to the unit sphere of R^D, preserving measure.

    For D = 1 there is one input too, whose two halves are the two points.

    An odd first coordinate x has (1 + x) / 2 distributed as Beta((D-1)/2, (D-1)/2). The others go
    by pairs: of k pairs left, the first takes a share of the remaining squared length distributed
    as Beta(1, k-1), whose quantile is 1 - (1-u)^(1/(k-1)), at a uniform angle. The angle in the
    plane of the last two coordinates is the last input.
    """
    if dim == 1:
        return np.where(U < 0.5, 1.0, -1.0)
    inputs = iter(U.T)
    rest = np.ones(len(U))
    columns = []
    if dim % 2:
        x = 2.0 * betaincinv((dim - 1) / 2, (dim - 1) / 2, next(inputs)) - 1.0
        columns.append(x)
        rest = (1.0 - x) * (1.0 + x)
    for pairs_after in reversed(range(dim // 2)):
        left = (1.0 - next(inputs)) ** (1.0 / pairs_after) if pairs_after else 0.0
        radius = np.sqrt(rest * (1.0 - left))
        rest = rest * left
        angle = 2 * math.pi * next(inputs)
        columns += [radius * np.cos(angle), radius * np.sin(angle)]
    return _normalised(np.column_stack(columns))


def _check_size(n: int, dim: int) -> tuple[int, int]:
    return _check_memory(
        check_integer("n", n, 1, MAX_POINTS), check_integer("dim", dim, 1, MAX_DIM)
    )


def _check_memory(n: int, dim: int) -> tuple[int, int]:
    if n * dim > MOST_COORDINATES:
        raise ValueError(
            f"n must be at most {MOST_COORDINATES // dim:,} for dim={dim:,}, got {n:,}: "
            f"more points would need more than {8 * MOST_COORDINATES / 2**30:g} GB"
        )
    return n, dim


def _normalised(points: FloatArray) -> FloatArray:
    """Return the points divided by their lengths."""
    return points / np.linalg.norm(points, axis=1, keepdims=True)
