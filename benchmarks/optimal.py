"""One neuron beside the certified optimum: how many seeds reach it, and the time.

    python benchmarks/optimal.py            a few minutes
    python benchmarks/optimal.py --seeds 3  less

`optimal_half_space` finds the least number of training errors by enumeration. Where e01loss
(``pip install e01loss``) is installed, its number of errors and its time stand beside.
"""

import argparse
import time
import warnings

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from hyperna import NAClassifier, optimal_half_space
from hyperna.datasets import dataset

# More combinations of points take e01loss minutes.
MOST_CELLS = 10**6


def small_sets():
    """Generated and real sets with two or three features."""
    for name in ("moons", "circles", "xor"):
        data = dataset(name, n=120, seed=0)
        yield f"{name} D=2", data.X, np.asarray(data.y).astype(int)
    rng = np.random.default_rng(0)
    for dim, n in ((2, 150), (3, 80), (3, 150)):
        X = rng.normal(size=(n, dim))
        y = (X @ rng.normal(size=dim) > 0) ^ (rng.random(n) < 0.15)
        yield f"flipped 15 % n={n} D={dim}", X, y.astype(int)
    X, y = load_iris(return_X_y=True)
    yield "iris 1|2 sepals D=2", X[y > 0, :2], (y[y > 0] == 2).astype(int)
    yield "iris 1|2 D=3", X[y > 0, :3], (y[y > 0] == 2).astype(int)
    X, y = load_wine(return_X_y=True)
    yield "wine 1|rest D=3", X[:, [1, 2, 6]], (y == 1).astype(int)
    X, y = load_breast_cancer(return_X_y=True)
    yield "breast_cancer D=2", X[:, [0, 1]], y


def timed(work):
    """Return a result and the processor seconds it took."""
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def ice_errors(X, y):
    """Return the errors that e01loss finds by cell enumeration, None where it is not installed."""
    try:
        from e01loss.exact_classify01loss import exact_classify01loss_cell
    except ImportError:
        return None
    if len(X) ** X.shape[1] > MOST_CELLS:
        return None
    try:
        return int(exact_classify01loss_cell(X, 2 * y - 1)[1])
    except Exception as error:  # a foreign program: whatever it raises is its result
        return type(error).__name__


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10, help="fits of each set (default: 10)")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    optimal_half_space([[0.0, 0.0], [1.0, 1.0]], [0, 1])
    optimal_half_space(np.eye(3), [0, 1, 1])
    NAClassifier(1, random_state=0).fit([[0.0], [1.0]], [0, 1])
    print(f"{'':26s}{'optimum':>8s}{'seconds':>9s}{'reached':>9s}{'seconds':>9s}   e01loss")
    for name, X, y in small_sets():
        best, exact_time = timed(lambda X=X, y=y: optimal_half_space(X, y))
        errors, times = [], []
        for seed in range(options.seeds):
            model = NAClassifier(1, random_state=seed)
            fitted, seconds = timed(lambda model=model, X=X, y=y: model.fit(X, y))
            errors.append(round((1 - fitted.training_score_) * len(y)))
            times.append(seconds)
        reached = sum(e == best.errors for e in errors)
        ice, ice_time = timed(lambda X=X, y=y: ice_errors(X, y))
        beside = "-" if ice is None else f"{ice} in {ice_time:.2f} s"
        print(
            f"{name:26s}{best.errors:8d}{exact_time:9.2f}{f'{reached}/{options.seeds}':>9s}"
            f"{np.mean(times):9.2f}   {beside}",
            flush=True,
        )


if __name__ == "__main__":
    main()
