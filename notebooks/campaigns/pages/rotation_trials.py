"""Rotations and changes of an angle on points: held-out accuracy, and the order of the columns."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

from collections.abc import Callable

import numpy as np
from scipy import stats
from sklearn.model_selection import StratifiedKFold

from hyperna import FiniteSet, OnePlusOneNA
from hyperna.datasets.generators import half_spaces

from .claims import LEVEL, sentence
from .writing import mean, table

MOVES = ("angle", "rotation")
DIMS = (17, 27, 38, 60)
FOLDS, BUDGET, POINTS = 5, 100_000, 600
ORDER_DIM, ORDER_RUNS, ORDER_BUDGET = 16, 50, 5000
ORDERS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "first": lambda X: X,
    "last": lambda X: X[:, ::-1],
    "shuffled": lambda X: X[:, np.random.default_rng(1).permutation(X.shape[1])],
}


def parity(dim: int) -> tuple[np.ndarray, np.ndarray]:
    """Return normal points that are positive in exactly one of two random half-spaces."""
    rng = np.random.default_rng(dim)
    X, normals = rng.standard_normal((POINTS, dim)), rng.standard_normal((dim, 2))
    return X, (X @ normals > 0).sum(axis=1) == 1


def union(dim: int) -> tuple[np.ndarray, np.ndarray]:
    """Return normal points in three half-spaces, one label in twenty flipped."""
    return half_spaces(dim, k=3, n=POINTS)


def accuracies(X: np.ndarray, y: np.ndarray, move: str) -> np.ndarray:
    """Return training and test accuracy of each fold."""
    na = OnePlusOneNA(neurons=8, output="evolved", resolution=2**12, init="sphere", move=move)
    found = []
    for fold, (train, test) in enumerate(StratifiedKFold(FOLDS).split(X, y)):
        scale = np.linalg.norm(X[train], axis=1).max()
        points = FiniteSet(X[train] / scale, y[train])
        run = na.run(points, budget=BUDGET, target=False, seed=fold)
        found.append((run.fitness, (run.network.predict(X[test] / scale) == y[test]).mean()))
    return np.array(found)


def held_out() -> str:
    """Return the table of accuracies."""
    rows = []
    for name, data in (("exactly one of two", parity), ("any of three, 5 % noise", union)):
        for dim in DIMS:
            shown = []
            for move in MOVES:
                found = accuracies(*data(dim), move)
                train, test = found.mean(axis=0)
                error = found[:, 1].std(ddof=1) / np.sqrt(FOLDS)
                shown.append(f"{train:.2f} / {test:.2f} ± {error:.2f}")
            rows.append([name, str(dim), *shown])
    header = ["half-spaces that hold", "D", "angles: training / test", "rotations"]
    return table("Held-out accuracy, N = 8, evolved output", header, rows, 0)


def order_effect(name: str, first: np.ndarray, last: np.ndarray) -> str:
    """Say whether it matters for the fitness that columns come first rather than last."""
    p = stats.mannwhitneyu(first, last).pvalue
    words = (
        "makes a difference" if p < LEVEL else f"makes no difference that {len(first)} runs show"
    )
    return (
        f"for {name} it {words} whether the columns come first or last (Mann-Whitney: p = {p:.2g})"
    )


def orders() -> tuple[str, str]:
    """Return a table of the fitness where two columns matter, in several orders, and a sentence."""
    X = np.random.default_rng(0).standard_normal((500, ORDER_DIM))
    y = (X[:, 0] > 0.5) | (X[:, 1] > 0.5)
    X = X / np.linalg.norm(X, axis=1).max()
    rows, found = [], {}
    for name, order in ORDERS.items():
        points = FiniteSet(np.ascontiguousarray(order(X)), y)
        for move in MOVES:
            na = OnePlusOneNA(neurons=2, init="sphere", move=move)
            runs = na.run_many(points, ORDER_RUNS, budget=ORDER_BUDGET, target=False, seed=3)
            found[name, move] = runs.fitness
        rows.append([name, *(mean(found[name, move]) for move in MOVES)])
    title = f"Two columns of {ORDER_DIM} matter, N = 2, OR: fitness"
    effects = [
        order_effect(name, found["first", move], found["last", move])
        for name, move in zip(("angles", "rotations"), MOVES, strict=True)
    ]
    return table(title, ["the two columns are", "angles", "rotations"], rows, 0), sentence(
        "; ".join(effects)
    )


def section() -> str:
    """Return the part of the page on rotations that is about points."""
    order_table, order_says = orders()
    return f"""## Points: held-out accuracy, and the order of the columns

{POINTS} normal points in D dimensions, positive in exactly one of two half-spaces with random normals, or in any of three;
eight neurons with an evolved output from a random start, {BUDGET:,} evaluations, means over {FOLDS} folds of one
generated set each; ± is the standard error of the test accuracy over the folds.

{held_out()}
A late angle turns the normal less than an early one. Below, points are positive where x_i > 0.5 or x_j > 0.5 for two columns, which come
first, last, or anywhere among {ORDER_DIM}; {ORDER_RUNS} runs per cell, {ORDER_BUDGET:,} evaluations.

{order_table}
{order_says}
"""


if __name__ == "__main__":
    print(section())
