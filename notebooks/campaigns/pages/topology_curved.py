"""A number of neurons that evolves on curved sets: beside fixed N, NAClassifier's trials and NEAT."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold

from hyperna import FiniteSet, NAClassifier, OnePlusOneNA
from hyperna.comparison.neat import NeatClassifier
from hyperna.datasets.generators import circles, half_spaces, moons, xor

from .writing import table

SETS: dict[str, Any] = {
    "moons": moons,
    "circles": circles,
    "xor": xor,
    "half_spaces_d2": lambda: half_spaces(2),
}
OUTPUTS = ("or", "and", "evolved")
FOLDS, BUDGET = 5, 10_000


def evolved(neurons: int | str, X: np.ndarray, y: np.ndarray, seed: int) -> tuple[Any, int]:
    """Return the best network of one run per output, by training fitness, and its size."""
    points, most = FiniteSet(X, y), 8 if neurons == "evolved" else None
    runs = [
        OnePlusOneNA(neurons, output, resolution=2**12, max_neurons=most).run(
            points, budget=BUDGET, target=False, seed=seed
        )
        for output in OUTPUTS
    ]
    network = max(runs, key=lambda run: (run.fitness, -run.network.grid.neurons)).network
    return network, network.grid.neurons


def trials(X: np.ndarray, y: np.ndarray, seed: int) -> tuple[Any, int]:
    """Return a fitted classifier, which tries several numbers of neurons, and its size."""
    found = NAClassifier(random_state=seed).fit(X, y)
    return found, sum(network.grid.neurons for network in found.networks_)


def neat(X: np.ndarray, y: np.ndarray, seed: int) -> tuple[Any, int]:
    """Return a network of NEAT; its size is another matter."""
    return NeatClassifier(evaluations=BUDGET, random_state=seed).fit(X, y), -1


METHODS: dict[str, Any] = {
    "N = 4": lambda *data: evolved(4, *data),
    "evolved N": lambda *data: evolved("evolved", *data),
    "NAClassifier": trials,
    "NEAT": neat,
}


def measure(method: Any, X: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    """Return mean test accuracy, its standard error over the folds, and the mean size."""
    right, sizes = [], []
    splits = StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y)
    for fold, (train, test) in enumerate(splits):
        centre = X[train].mean(axis=0)
        scale = np.linalg.norm(X[train] - centre, axis=1).max()
        found, size = method((X[train] - centre) / scale, y[train], fold)
        right.append((found.predict((X[test] - centre) / scale) == y[test]).mean())
        sizes.append(size)
    error = np.std(right, ddof=1) / np.sqrt(FOLDS)
    return float(np.mean(right)), float(error), float(np.mean(sizes))


def verdict(found: dict[str, dict[str, tuple[float, float, float]]]) -> str:
    """Say where an evolved number of neurons beats the trials of the classifier."""
    better, worse, smaller, larger, alike = [], [], [], [], []
    for name, cells in found.items():
        own, other = cells["evolved N"], cells["NAClassifier"]
        certain = abs(own[0] - other[0]) > 2 * np.hypot(own[1], other[1])
        if certain:
            (better if own[0] > other[0] else worse).append(name)
        if own[2] == other[2]:
            alike.append(name)
        else:
            (smaller if own[2] < other[2] else larger).append(name)

    def listed(names: list[str]) -> str:
        return ", ".join(names) if names else "no set"

    return (
        f"Against `NAClassifier`'s trials an evolved N is more accurate by two standard errors on {listed(better)}, less accurate on "
        f"{listed(worse)}; its networks are smaller on {listed(smaller)}, larger on {listed(larger)} and as large on {listed(alike)}."
    )


def section() -> str:
    """Return the part of the page on topology that is about curved sets."""
    found, rows = {}, []
    for name, make in SETS.items():
        X, y = make()
        found[name] = {key: measure(one, X, np.asarray(y) > 0) for key, one in METHODS.items()}
        cells = [f"{a:.3f} ± {e:.3f}" + f"; {n:.1f}" * (n > 0) for a, e, n in found[name].values()]
        rows.append([name, *cells])
    title = "Held-out accuracy; mean number of neurons"
    return f"""## Curved sets

300 points each, {FOLDS} folds, {BUDGET:,} evaluations per run; of the outputs {", ".join(OUTPUTS)} the best network by training fitness. `NAClassifier` with
its default settings tries several numbers of neurons and outputs and chooses by held-out points. ± is a standard error over the folds of
one set.

{table(title, ["set", *METHODS], rows, 0)}
{verdict(found)}
"""


if __name__ == "__main__":
    print(section())
