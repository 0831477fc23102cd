"""Rules of one and two half-spaces beside the certified optimum: how many seeds reach it, and time.

    python benchmarks/optimal.py            a few minutes
    python benchmarks/optimal.py --seeds 3  less

`optimal_half_space` finds the least number of training errors by enumeration. Where e01loss
(``pip install e01loss``) is installed, its number of errors and its time stand beside. Two
half-spaces joined by OR are compared with the best pair of half-planes, on sets in the plane; one
of these is the voice data of e01loss (704 points, published optima: 19 errors with one half-space,
16 with two). A fit looks for the fewest bits rather than the fewest errors, so what counts here is
the rule with the fewest errors on its path; further columns show it with a hundred times the
evaluations.
"""

import argparse
import time
import warnings
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from hyperna import NAClassifier, optimal_half_space
from hyperna.datasets import dataset

# More combinations of points take e01loss minutes.
MOST_CELLS = 10**6
THOROUGH = {"evaluations": 150_000}


def small_sets():
    """Generated and real sets with one, two or three features."""
    for name in ("moons", "circles", "xor"):
        data = dataset(name, n=120, seed=0)
        yield f"{name} D=2", data.X, np.asarray(data.y).astype(int)
    rng = np.random.default_rng(0)
    for dim, n in ((2, 150), (3, 80), (3, 150)):
        X = rng.normal(size=(n, dim))
        y = (X @ rng.normal(size=dim) > 0) ^ (rng.random(n) < 0.15)
        yield f"flipped 15 % n={n} D={dim}", X, y.astype(int)
    X = rng.normal(size=(150, 1))
    yield "flipped 25 % n=150 D=1", X, ((X[:, 0] > 0.3) ^ (rng.random(150) < 0.25)).astype(int)
    X, y = load_iris(return_X_y=True)
    yield "iris 1|2 sepal length D=1", X[y > 0, :1], (y[y > 0] == 2).astype(int)
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


def voice_data():
    """Yield the published set that e01loss brings along, if it is installed."""
    package = find_spec("e01loss")
    if package is not None and package.origin is not None:
        file = Path(package.origin).parent / "test" / "voicepath_data.csv"
        data = np.genfromtxt(file, delimiter=",")
        yield "voice data n=704 D=2", data[:, :2], (data[:, 2] > 0).astype(int)


def plane_sets():
    """Small sets in the plane without ties, and the voice data."""
    for name in ("moons", "circles", "xor"):
        data = dataset(name, n=80, seed=1)
        yield f"{name} n=80", data.X, np.asarray(data.y).astype(int)
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(80, 2))
        union = (X @ rng.normal(size=(2, 2)) > 0.7).any(axis=1)
        yield f"union, 15 % flipped, {seed}", X, (union ^ (rng.random(80) < 0.15)).astype(int)
    yield from voice_data()


def best_half_planes(X, y, most):
    """Return all half-planes worth having in a union with at most so many false positives.

    Moved outwards, a half-plane loses no positive point until it touches a negative one, and
    turned about that it touches another point. Of those with the same negative points the ones
    remain that have most positive points, in the sense of inclusion. No three points of X may lie
    on a line.
    """
    best, each = {}, np.arange(len(X))
    rows = [np.ones((1, len(X)), bool)]
    for i in np.flatnonzero(~y):
        j = each[each != i]
        way = X[j] - X[i]
        side = way[:, :1] * (X[:, 1] - X[i, 1]) - way[:, 1:] * (X[:, 0] - X[i, 0])
        for inside in (side > 0, side < 0):
            for on_line in (False, True):
                inside[:, i], inside[np.arange(len(j)), j] = False, on_line
                rows.append(inside.copy())
    for some in rows:
        for row in np.unique(some[some[:, ~y].sum(axis=1) <= most], axis=0):
            group = best.setdefault(row[~y].tobytes(), [])
            if not any((row <= other).all() for other in group):
                group[:] = [other for other in group if not (other <= row).all()] + [row]
    return np.array([row for group in best.values() for row in group])


def fewest_union_errors(X, y, most):
    """Return the fewest training errors of two half-planes joined by OR, if at most `most`."""
    planes = best_half_planes(X, y.astype(bool), most).astype(np.float32)
    cost = np.where(y, -1, 1).astype(np.float32)
    alone, best = planes @ cost, most - int(y.sum())
    for k in range(0, len(planes), 500):
        both = (planes[k : k + 500] * cost) @ planes.T
        best = min(best, int((alone[k : k + 500, None] + alone - both).min()))
    return best + int(y.sum())


def unions(seeds):
    """Two half-spaces joined by OR beside the best pair of half-planes."""
    print(
        f"{'two half-spaces, OR':26s}{'optimum':>8s}{'seconds':>9s}{'reached':>9s}{'seconds':>9s}"
        f"{'thorough':>10s}{'seconds':>9s}"
    )
    for name, X, y in plane_sets():
        one = optimal_half_space(X, y).errors
        best, exact_time = timed(lambda X=X, y=y, one=one: fewest_union_errors(X, y, one))
        line = f"{name:26s}{best:8d}{exact_time:9.2f}"
        for more in ({}, THOROUGH):
            errors, times = fits(2, X, y, seeds, **more)
            line += f"{f'{errors.count(best)}/{seeds}':>{10 if more else 9}s}{np.mean(times):9.2f}"
        print(line, flush=True)


def fits(neurons, X, y, seeds, **more):
    """Return the fewest training errors on the path of a fit with each seed, and its seconds."""
    errors, times = [], []
    for seed in range(seeds):
        model = NAClassifier(
            max_neurons=neurons, output="or", shortness=0, random_state=seed, **more
        )
        fitted, seconds = timed(lambda model=model: model.fit(X, y))
        errors.append(round(min(row.errors for row in fitted.path_)))
        times.append(seconds)
    return errors, times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=10, help="fits of each set (default: 10)")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    optimal_half_space([[0.0, 0.0], [1.0, 1.0]], [0, 1])
    optimal_half_space(np.eye(3), [0, 1, 1])
    NAClassifier(random_state=0).fit([[0.0, 1.0], [1.0, 0.0]] * 10, [0, 1] * 10)  # compiles
    print(f"{'':26s}{'optimum':>8s}{'seconds':>9s}{'reached':>9s}{'seconds':>9s}   e01loss")
    for name, X, y in (*small_sets(), *voice_data()):
        best, exact_time = timed(lambda X=X, y=y: optimal_half_space(X, y))
        errors, times = fits(1, X, y, options.seeds)
        reached = errors.count(best.errors)
        ice, ice_time = timed(lambda X=X, y=y: ice_errors(X, y))
        beside = "-" if ice is None else f"{ice} in {ice_time:.2f} s"
        print(
            f"{name:26s}{best.errors:8d}{exact_time:9.2f}{f'{reached}/{options.seeds}':>9s}"
            f"{np.mean(times):9.2f}   {beside}",
            flush=True,
        )
    unions(options.seeds)


if __name__ == "__main__":
    main()
