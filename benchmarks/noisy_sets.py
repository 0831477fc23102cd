"""Noisy labelled sets with their own test points, and scikit-learn's sets in folds.

Draws with a seed below 100 were used to choose between rules, those from 100 on looked at once.
"""

import numpy as np
from scipy.special import expit
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.model_selection import StratifiedKFold

TEST_POINTS = 3000


def flipped(rng, n, dim, share):
    """Half of normal points by a random hyperplane; a share of the labels is flipped."""
    w, X = rng.normal(size=dim), rng.normal(size=(n, dim))
    return X, (X @ w > rng.normal() / 2) ^ (rng.random(n) < share)


def gaussians(rng, n, dim, distance, stretch=1.0):
    """Two overlapping clouds; `stretch` makes the second one wider along some axes."""
    y = rng.random(n) < 0.5
    u = rng.normal(size=dim)
    X = rng.normal(size=(n, dim)) * np.where(y[:, None], stretch ** (np.arange(dim) % 2), 1.0)
    return X + np.outer(y, distance * u / np.linalg.norm(u)), y


def weak(rng, n, dim, strength):
    """Three weak signals among idle features."""
    X = rng.normal(size=(n, dim))
    return X, rng.random(n) < expit(strength * X[:, :3].sum(axis=1))


def few_rows(rng, n, dim):
    """Binary features: few different rows, each with a chance of its own about a linear one."""
    w, corner = rng.normal(size=dim), rng.normal(size=2**dim) / 2
    X = rng.integers(0, 2, (n, dim))
    return X, rng.random(n) < expit((2 * X - 1) @ w + corner[X @ 2 ** np.arange(dim)])


def ties(rng, n, dim):
    """Answers from 1 to 5 that depend on a common opinion."""
    w, opinion = rng.normal(size=dim), rng.normal(size=(n, 1))
    X = np.clip(np.rint(3 + opinion + rng.normal(size=(n, dim))), 1, 5)
    return X, rng.random(n) < expit((X - 3) @ w / np.sqrt(dim))


def skewed(rng, n, dim):
    """Amounts with long tails; the chance depends on their logarithms."""
    w, level = rng.normal(size=dim), rng.normal(size=(n, dim))
    return np.exp(1.2 * level), rng.random(n) < expit(level @ w)


def rare(rng, n, dim):
    """About one positive point in eight."""
    w, X = rng.normal(size=dim), rng.normal(size=(n, dim))
    return X, rng.random(n) < expit(1.5 * X @ w / np.linalg.norm(w) - 2.4)


def union(rng, n, dim, share):
    """Union of two half-spaces with flipped labels."""
    W, X = rng.normal(size=(2, dim)), rng.normal(size=(n, dim))
    return X, (X @ (W.T / np.linalg.norm(W, axis=1)) > 0.5).any(axis=1) ^ (rng.random(n) < share)


def xor(rng, n, dim, share):
    """Sign of the product of two features, with flipped labels and idle features."""
    X = rng.normal(size=(n, dim))
    return X, (X[:, 0] * X[:, 1] > 0) ^ (rng.random(n) < share)


GENERATED = {
    "flipped 5 % n=60 D=2": (flipped, 60, 2, 0.05),
    "flipped 10 % n=120 D=5": (flipped, 120, 5, 0.10),
    "flipped 15 % n=200 D=3": (flipped, 200, 3, 0.15),
    "flipped 20 % n=300 D=10": (flipped, 300, 10, 0.20),
    "flipped 30 % n=600 D=20": (flipped, 600, 20, 0.30),
    "flipped 35 % n=2000 D=60": (flipped, 2000, 60, 0.35),
    "gaussians n=100 D=2": (gaussians, 100, 2, 1.5),
    "gaussians n=80 D=20": (gaussians, 80, 20, 2.0),
    "gaussians n=300 D=8": (gaussians, 300, 8, 1.0),
    "gaussians n=1000 D=30": (gaussians, 1000, 30, 1.5),
    "unequal n=500 D=4": (gaussians, 500, 4, 1.0, 2.0),
    "weak n=150 D=20": (weak, 150, 20, 0.8),
    "weak n=250 D=10": (weak, 250, 10, 0.5),
    "weak n=400 D=40": (weak, 400, 40, 0.6),
    "weak n=1500 D=60": (weak, 1500, 60, 0.5),
    "few rows n=800 D=4": (few_rows, 800, 4),
    "few rows n=300 D=6": (few_rows, 300, 6),
    "ties n=200 D=8": (ties, 200, 8),
    "ties n=600 D=15": (ties, 600, 15),
    "skewed n=300 D=6": (skewed, 300, 6),
    "skewed n=1000 D=12": (skewed, 1000, 12),
    "rare n=400 D=5": (rare, 400, 5),
    "rare n=1000 D=10": (rare, 1000, 10),
    "union 15 % n=400 D=3": (union, 400, 3, 0.15),
    "xor 20 % n=500 D=2": (xor, 500, 2, 0.20),
    "xor 10 % n=400 D=5": (xor, 400, 5, 0.10),
}


def real_sets(rng):
    """scikit-learn's sets with two classes; some labels of the easy ones are flipped."""

    def noisy(y, share):
        return np.asarray(y, bool) ^ (rng.random(len(y)) < share)

    X, y = load_diabetes(return_X_y=True)
    yield "diabetes > median", X, y > np.median(y)
    yield "diabetes > quartile", X, y > np.quantile(y, 0.75)
    X, y = load_breast_cancer(return_X_y=True)
    yield "breast_cancer", X, y == 1
    yield "breast_cancer 10 %", X, noisy(y, 0.10)
    X, y = load_wine(return_X_y=True)
    yield "wine 1|rest 15 %", X, noisy(y == 1, 0.15)
    X, y = load_iris(return_X_y=True)
    yield "iris 1|2", X[y > 0], y[y > 0] == 2
    X, y = load_digits(return_X_y=True)
    some = (y == 3) | (y == 8)
    yield "digits 3|8 20 %", X[some], noisy(y[some] == 8, 0.20)


def noisy_sets(seed):
    """Yield name and (X, y, test X, test y) of one draw, labels 0 and 1."""
    for number, (name, (make, n, *rest)) in enumerate(GENERATED.items()):
        while True:  # both classes several times, also among few points
            X, y = make(np.random.default_rng([seed, number]), n + TEST_POINTS, *rest)
            if 5 < y[:n].sum() < n - 5:
                break
            number += 1000
        X, y = X.astype(float), y.astype(int)
        yield name, (X[:n], y[:n], X[n:], y[n:])
    for name, X, y in real_sets(np.random.default_rng(seed)):
        y = y.astype(int)
        for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y):
            yield name, (X[train], y[train], X[test], y[test])
