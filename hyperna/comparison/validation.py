"""Repeated stratified cross-validation of several classifiers on the same folds."""

import time
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hyperna._validation import FloatArray, check_integer, check_jobs
from hyperna._words import shown
from hyperna.comparison.classifiers import CLASSIFIERS, Contender, contenders
from hyperna.comparison.results import Comparison, DataInfo, FoldScore
from hyperna.datasets import Dataset, load, rotation
from hyperna.parallel import in_order
from hyperna.results import Progress

Split = tuple[NDArray[np.intp], NDArray[np.intp]]

# More take years, whatever is compared.
MOST_REPEATS = 10**9


def compare(
    data: Any,
    classifiers: Mapping[str, Any] | Iterable[str | Contender] | None = None,
    *,
    label: str | None = None,
    folds: int = 5,
    repeats: int = 3,
    rotate: bool = False,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare NAClassifier with scikit-learn's classifiers by repeated stratified cross-validation.

    All classifiers see the same folds, with features centred and scaled to variance one on the
    training part of each fold. Their own settings are scikit-learn's defaults (see `CLASSIFIERS`).

    Parameters
    ----------
    data
        A source as `hyperna.datasets.load` takes it (a CSV file, ``"moons"``, ``"sklearn:wine"``,
        ``"quarter:dim=3"``, a pair (X, y), ...), a list of sources, or sources by name.
    classifiers
        Names from `CLASSIFIERS`, or your own estimators by name. By default all but those that
        are slow or need an extra (NEAT).
    label : str, optional
        Label column of CSV files, the last one if not given.
    folds, repeats : int
        Number of folds; each repeat divides the points again.
    rotate : bool
        Whether to run each data set a second time, turned by a random rotation after scaling:
        a classifier that is good only along the axes loses its advantage.
    seed : int
        Determines folds, rotation and every classifier's random_state.
    n_jobs : int, optional
        Workers over which the folds are spread, -1 for all: processes of this machine, or what
        `hyperna.parallel_backend` names. By default one here and all of a cluster. Fit times are
        wall clock of one thread; only with one worker nothing disturbs them.
    progress : callable, optional
        Called as ``progress(done, total)`` after every fold.

    Examples
    --------
    >>> result = compare("circles", ["logistic", "knn"], repeats=1)
    >>> for row in result.summary():
    ...     print(row["classifier"], row["test_accuracy"] > 0.9)
    logistic False
    knn True
    """
    chosen = contenders(classifiers)
    folds = check_integer("folds", folds, 2)
    repeats = check_integer("repeats", repeats, 1, MOST_REPEATS)
    seed = check_integer("seed", seed, 0)
    n_jobs = check_jobs(n_jobs)
    sets, infos = _data_sets(data, label), []
    for one in sets:
        classes, counts = np.unique(one.y, return_counts=True)
        if len(classes) < 2:
            raise ValueError(f"{one.name} must hold at least two classes, got {len(classes)}")
        if counts.min() < folds:
            raise ValueError(
                f"folds must be at most {counts.min()}, the size of the smallest class of "
                f"{one.name}, got {folds}"
            )
        points, features = one.X.shape
        shape = points, features, len(classes), float(counts.max() / points)
        infos += [DataInfo(one.name, rotated, *shape) for rotated in (False, True)[: 1 + rotate]]
    tasks = (task for one in sets for task in _tasks(one, chosen, folds, repeats, seed, rotate))
    total = len(sets) * (1 + rotate) * repeats * folds
    scores: list[FoldScore] = []
    results = in_order(_score_fold, tasks, n_jobs, processes=True)
    for done, rows in enumerate(results, start=1):
        scores += rows
        if progress is not None:
            progress(done, total)
    return Comparison(tuple(infos), chosen, tuple(scores), folds, repeats, seed)


def _data_sets(data: Any, label: str | None) -> list[Dataset]:
    if isinstance(data, Mapping):
        sets = [replace(load(source, label), name=name) for name, source in data.items()]
    else:
        sets = [load(source, label) for source in (data if isinstance(data, list) else [data])]
    names = [one.name for one in sets]
    if not names:
        raise ValueError("data must hold at least one data set, got none")
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise ValueError(
            f"data sets must have different names, got {shown(repeated[0])} more than once"
        )
    return sets


def _tasks(
    data: Dataset,
    chosen: tuple[Contender, ...],
    folds: int,
    repeats: int,
    seed: int,
    rotate: bool,
) -> Iterator[tuple[Any, ...]]:
    """Yield the arguments of `_score_fold`, straight first, then rotated, as they are needed."""
    from sklearn.model_selection import RepeatedStratifiedKFold

    splitter = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=seed % 2**32)
    for turn in (None, rotation(data.X.shape[1], seed))[: 1 + rotate]:
        for number, split in enumerate(splitter.split(data.X, data.y)):
            yield data, split, chosen, turn, divmod(number, folds), seed


def _score_fold(
    data: Dataset,
    split: Split,
    chosen: tuple[Contender, ...],
    turn: FloatArray | None,
    place: tuple[int, int],
    seed: int,
) -> list[FoldScore]:
    """Fit every classifier on one fold's training part and score it on both parts."""
    train, test = split
    X_train, X_test = _prepared(data.X[train], data.X[test], turn)
    state = int(np.random.SeedSequence([seed, *place]).generate_state(1)[0])
    rows = []
    for contender in chosen:
        if CLASSIFIERS.get(contender.name) == contender:
            _warm_up(contender.name)
        estimator, seconds, converged = _fit(contender.build(state), X_train, data.y[train])
        rows.append(
            FoldScore(
                data.name,
                turn is not None,
                contender.name,
                *place,
                float(estimator.score(X_train, data.y[train])),
                float(estimator.score(X_test, data.y[test])),
                seconds,
                None if contender.size is None else contender.size(estimator),
                converged,
            )
        )
    return rows


def _prepared(
    train: FloatArray, test: FloatArray, turn: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Return both parts scaled by the training part, then turned.

    Powers of two, which change no digit, bring features to about 1 before that, since the squares
    of very large and very small ones are no numbers.
    """
    from sklearn.preprocessing import StandardScaler

    exponent = np.frexp(np.abs(train).max(axis=0))[1]
    train, test = np.ldexp(train, -exponent), np.ldexp(test, -exponent)
    scaler = StandardScaler().fit(train)
    parts = scaler.transform(train), scaler.transform(test)
    return parts if turn is None else (parts[0] @ turn.T, parts[1] @ turn.T)


def _fit(estimator: Any, X: FloatArray, y: NDArray[Any]) -> tuple[Any, float, bool]:
    """Return the fitted estimator, the seconds it took and whether it says it converged.

    Linear algebra gets one thread: for arrays this small more of them only wait for each other.
    """
    from sklearn.exceptions import ConvergenceWarning
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        start = time.perf_counter()
        estimator.fit(X, y)
        seconds = time.perf_counter() - start
    early = [entry for entry in caught if issubclass(entry.category, ConvergenceWarning)]
    if any("interrupted" in str(entry.message) for entry in early):
        # NAClassifier answers Ctrl-C with what it has found so far; a comparison must end.
        raise KeyboardInterrupt
    for entry in caught:
        if entry not in early:
            warnings.warn_explicit(entry.message, entry.category, entry.filename, entry.lineno)
    return estimator, seconds, not early


@cache
def _warm_up(name: str) -> None:
    """Fit once in this process, so that no time is charged for imports and compilation."""
    X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]] * 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _fit(CLASSIFIERS[name].build(0), X, np.array([0, 0, 1, 1] * 3))
