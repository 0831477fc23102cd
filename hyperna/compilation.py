"""Compiling ahead what runs may need, for container images and continuous integration."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from hyperna._kernels.announcement import silence as silence
from hyperna.algorithm import OnePlusOneNA
from hyperna.fitness import FiniteSet, Fitness, Online
from hyperna.problems import Problem, problem


def _points(dim: int) -> FiniteSet:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, dim))
    return FiniteSet(X, X[:, 0] > 0)


def _runs(subject: Problem | Fitness, **options: Any) -> Callable[[], None]:
    """Runs that end at an optimum and runs that end at a fitness, under each kind of law."""

    def run() -> None:
        for law in ("harmonic", "uniform", "local"):
            na = OnePlusOneNA(mutation=law, **{"resolution": 12, **options})
            for target in (None, False):
                na.run(subject, budget=20, target=target, seed=0)

    return run


def parts() -> dict[str, Callable[[], None]]:
    """Return what can be compiled, by name."""
    arcs, sphere = problem("two_quarters"), problem("quarter", dim=3)
    bent = {"neuron": "bent"}
    return {
        "circle, one or two neurons": _runs(arcs, neurons=2),
        "circle, fine grid": _runs(arcs, neurons=2, resolution=2**20),
        "circle, any network": _runs(arcs, neurons=2, output="evolved"),
        "circle, bent neurons": _runs(arcs, neurons=2, **bent),
        "points, angles": _runs(_points(3), neurons=2, output="evolved"),
        "points, rotations": _runs(_points(3), neurons=2, output="evolved", move="rotation"),
        "points, bent neurons": _runs(_points(3), neurons=2, **bent),
        "spheres, exact": _runs(sphere, neurons=1),
        "spheres, exact, more neurons": _runs(sphere, neurons=2),
        "online": _runs(Online(arcs), neurons=2),
    }


def compile_all() -> Iterator[tuple[str, float]]:
    """Compile all kernels; yield the name of each part and the seconds that it took.

    Examples
    --------
    >>> next(iter(parts()))
    'circle, one or two neurons'
    """
    silence()
    for name, run in parts().items():
        start = time.perf_counter()
        run()
        yield name, time.perf_counter() - start
