"""The command ``hyperna warmup``: compiles ahead what later processes then find in the cache."""

import argparse
import time
from collections.abc import Callable
from typing import Any

HELP = """\
Compile now what runs and the classifier need, instead of at first use: for example in a container
image.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options: there are none."""


def run(args: argparse.Namespace) -> int:
    """Compile part after part and say how long it took."""
    from hyperna._kernels.announcement import silence

    silence()
    total = 0.0
    for name, work in parts().items():
        begin = time.perf_counter()
        work()
        seconds = time.perf_counter() - begin
        print(f"{seconds:6.1f} s  {name}", flush=True)
        total += seconds
    print(f"{total:6.1f} s  in all; later processes start with compiled kernels")
    return 0


def parts() -> dict[str, Callable[[], None]]:
    """Return what is compiled, by name: something small is done of each kind.

    Examples
    --------
    >>> next(iter(parts()))
    'circle, one or two neurons'
    """
    import numpy as np

    from hyperna import FiniteSet, MuPlusOneNA, OnePlusLambdaNA, OnePlusOneNA, Online, problem

    arcs = problem("two_quarters")
    sphere = problem("quarter", dim=3)
    X = np.random.default_rng(0).normal(size=(20, 3))
    points = FiniteSet(X, X[:, 0] > 0)

    def runs(subject: Any, algorithm: Any = OnePlusOneNA, **options: Any) -> Callable[[], None]:
        """Runs that end at an optimum and runs that end at a fitness, under each kind of law."""

        def work() -> None:
            for law in ("harmonic", "uniform", "local"):
                na = algorithm(mutation=law, **{"resolution": 12, **options})
                for target in (None, False):
                    na.run(subject, budget=20, target=target, seed=0)

        return work

    return {
        "circle, one or two neurons": runs(arcs, neurons=2),
        "circle, fine grid": runs(arcs, neurons=2, resolution=2**20),
        "circle, any network": runs(arcs, neurons=2, output="evolved"),
        "circle, bent neurons": runs(arcs, neurons=2, neuron="bent"),
        "circle, evolved number of neurons": runs(arcs, neurons="evolved"),
        "circle, several offspring": runs(arcs, OnePlusLambdaNA, neurons=2),
        "circle, several parents": runs(arcs, MuPlusOneNA, neurons=2),
        "points, angles": runs(points, neurons=2, output="evolved"),
        "points, rotations": runs(points, neurons=2, output="evolved", move="rotation"),
        "points, bent neurons": runs(points, neurons=2, neuron="bent"),
        "spheres, exact": runs(sphere, neurons=1),
        "spheres, exact, more neurons": runs(sphere, neurons=2),
        "online": runs(Online(arcs), neurons=2),
        "classifier": _fit,
        "exact runtimes": _theory,
    }


def _fit() -> None:
    """Fit a rule of two conditions, so that every kernel of the classifier is used."""
    import numpy as np

    from hyperna import NAClassifier

    X = np.random.default_rng(0).uniform(-1, 1, (60, 2))
    NAClassifier(evaluations=20, random_state=0).fit(X, X.min(axis=1) > 0)


def _theory() -> None:
    from hyperna import expected_runtime

    for law in ("harmonic", "local"):
        expected_runtime("quarter", 8, law)
