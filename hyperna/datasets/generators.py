"""The generators: each returns points (n, D) and labels, a function of its parameters alone."""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from hyperna._validation import FloatArray, check_integer, check_real
from hyperna._words import shown
from hyperna.datasets.base import DECIMALS, MOST_POINTS, register
from hyperna.datasets.draws import Draws, rotation
from hyperna.problems import ArcProblem, problem
from hyperna.problems import cube as cube_problem

Labelled = tuple[FloatArray, ArrayLike]


@register(
    "cube",
    "corners of a cube, 1 if an odd number of coordinates is positive",
    shipped={f"cube_d{dim}": {"dim": dim} for dim in (3, 4, 5, 6)},
)
def cube(dim: int = 3) -> Labelled:
    """Return the 2^D corners (±1, .., ±1)/sqrt(D) with their parity."""
    corners = cube_problem(dim)
    return corners.X, corners.y


_ARCS = ("half", "quarter", "two_quarters", "local_opt", "arcs:k=3")


@register(
    "sphere",
    "random points on the unit sphere, labelled by a problem of arcs",
    shipped={
        f"{name.replace(':k=', '_')}_d{dim}{'_rotated' if rotated else ''}": {
            "problem": name,
            "dim": dim,
            "rotated": rotated,
        }
        for name in _ARCS
        for dim in (2, 3, 5)
        for rotated in (False, True)
    },
)
def sphere(
    problem: str = "quarter",
    dim: int = 2,
    rotated: bool = False,
    n: int = 300,
    noise: float = 0.0,
    seed: int = 0,
) -> Labelled:
    """Return uniform points of the unit sphere; a share `noise` of the labels is flipped.

    Arcs end at the axes, which suits trees; rotated, the same points stand askew.
    """
    arcs = _arc_problem(problem, dim)
    draws = Draws("sphere", seed)
    X = np.round(draws.directions(_size(n), arcs.dim), DECIMALS)  # labels are those of the file
    y = arcs.label(X) ^ _flips(draws, n, noise)
    return (X @ rotation(arcs.dim, seed).T if rotated else X), y


def _arc_problem(name: str, dim: int) -> ArcProblem:
    made = problem(name, dim)
    if not isinstance(made, ArcProblem):
        raise ValueError(f"problem must be one of arcs such as 'quarter', got {shown(name)}")
    return made


@register(
    "half_spaces",
    "union of half-spaces with noise: some labels are flipped",
    shipped={"half_spaces_d2": {"dim": 2}, "half_spaces_d5": {"dim": 5}},
)
def half_spaces(
    dim: int = 5, k: int = 3, n: int = 300, noise: float = 0.05, seed: int = 0
) -> Labelled:
    """Return normal points, 1 in the union of k random half-spaces, a share of labels flipped.

    Each half-space holds a share of 1 - 2^(-1/k) of the points, so that independent ones together
    hold a half.
    """
    dim, k = check_integer("dim", dim, 1, 1000), check_integer("k", k, 1, 1000)
    draws = Draws("half_spaces", seed)
    normals = draws.directions(k, dim)
    bias = float(ndtri(0.5 ** (1 / k)))
    X = np.round(draws.normal(_size(n), dim), DECIMALS)
    fires = np.greater_equal(X @ normals.T, bias)
    return X, fires.any(axis=1) ^ _flips(draws, n, noise)


@register("xor", "four blobs at the corners of a square, opposite ones alike")
def xor(n: int = 300, noise: float = 0.4, seed: int = 0) -> Labelled:
    """Return normal clouds of standard deviation `noise` around (±1, ±1), labelled by XOR."""
    corner = np.arange(_size(n)) % 4
    first, second = corner // 2, corner % 2
    centres = np.column_stack([2.0 * first - 1.0, 2.0 * second - 1.0])
    return centres + _spread(noise) * Draws("xor", seed).normal(n, 2), first ^ second


@register("circles", "a small circle (1) inside a large one (0)")
def circles(n: int = 300, noise: float = 0.1, ratio: float = 0.5, seed: int = 0) -> Labelled:
    """Return two concentric circles of radius 1 and `ratio`, blurred by normal noise."""
    ratio = check_real("ratio", ratio, 0, 1, low_open=True, high_open=True)
    inside = np.arange(_size(n)) % 2
    draws = Draws("circles", seed)
    radius = np.where(inside, ratio, 1.0)
    return _on_circle(draws.uniform(n), radius) + _spread(noise) * draws.normal(n, 2), inside


@register("moons", "two interleaving half circles")
def moons(n: int = 300, noise: float = 0.2, seed: int = 0) -> Labelled:
    """Return an upper half circle (0) and a lower one (1), shifted by (1, 1/2) and blurred."""
    lower = np.arange(_size(n)) % 2
    draws = Draws("moons", seed)
    upper = _on_circle(draws.uniform(n) / 2, np.ones(n))
    flipped = np.array([1.0, 0.5]) - upper
    X = np.where(lower[:, np.newaxis] == 1, flipped, upper)
    return X + _spread(noise) * draws.normal(n, 2), lower


def _on_circle(turns: FloatArray, radius: FloatArray) -> FloatArray:
    angle = 2 * math.pi * turns
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])


def _flips(draws: Draws, n: int, noise: float) -> np.ndarray:
    """Return which labels are flipped, each with probability noise."""
    return draws.uniform(n) < check_real("noise", noise, 0, 0.5)


def _spread(noise: float) -> float:
    return check_real("noise", noise, 0, 1000)


def _size(n: int) -> int:
    return check_integer("n", n, 4, MOST_POINTS)
