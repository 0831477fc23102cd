"""Repeated stratified cross-validation of several classifiers on the same folds."""

import time
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hyperna._validation import FloatArray, check_integer, check_jobs
from hyperna._words import counted, listed, shortened, shown
from hyperna.comparison.classifiers import CLASSIFIERS, Contender, contenders
from hyperna.comparison.results import Comparison, DataInfo, FoldScore
from hyperna.datasets import Dataset, Table, load, rotation
from hyperna.parallel import in_order
from hyperna.run.results import Progress
from hyperna.tables import Encoding

Data = Dataset | Table

# More take years, whatever is compared.
MOST_REPEATS = 10**9
# Rows for testing are at most so many deviations away from those for training.
FARTHEST = 1e30


class ComparisonInterrupted(KeyboardInterrupt):
    """An interrupt of `compare`; `comparison` holds the folds that were finished by then."""

    def __init__(self, comparison: Comparison) -> None:
        super().__init__(f"finished: {counted(len(comparison.scores), 'fit')}")
        self.comparison = comparison


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
    """Compare NAClassifier with other classifiers by repeated stratified cross-validation.

    All classifiers see the same folds. Tables with text, gaps and dates are encoded, and features
    are centred and scaled to variance one, by what is learnt from the training part of each fold.
    The classifiers' own settings are the defaults of their packages (see `CLASSIFIERS`).

    A KeyboardInterrupt has what was finished, if a fold is, as its attribute `comparison`.

    Parameters
    ----------
    data
        A source as `hyperna.datasets.load` takes it (a CSV file, ``"moons"``, ``"sklearn:wine"``,
        ``"quarter:dim=3"``, a pair (X, y) of arrays or of a data frame and classes, ...), a list of
        sources, or sources by name.
    classifiers
        Names from `CLASSIFIERS`, "rivals" for all other classifiers that people can read, or your
        own estimators by name. By default all but those that are slow or need an extra. Those whose
        package is not installed are left out and told (`Comparison.absent`).
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
        Workers over which the fits are spread, -1 for all: processes of this machine, or what
        `hyperna.parallel_backend` names. By default one here and all of a cluster. Fit times are
        wall clock of one thread; only with one worker nothing disturbs them.
    progress : callable, optional
        Called as ``progress(done, total)`` after every fit.

    Examples
    --------
    >>> result = compare("circles", ["logistic", "knn"], repeats=1)
    >>> for row in result.summary():
    ...     print(row["classifier"], row["test_accuracy"] > 0.9)
    logistic False
    knn True
    """
    validation = CrossValidation.of(
        data, classifiers, label=label, folds=folds, repeats=repeats, rotate=rotate, seed=seed
    )
    try:
        validation.run(n_jobs, progress)
    except KeyboardInterrupt:
        finished = validation.result()
        if not finished.scores:
            raise
        raise ComparisonInterrupted(finished) from None
    return validation.result()


class Place(NamedTuple):
    """Where a fit belongs: its data set, whether this is turned, the repeat and the fold."""

    dataset: str
    rotated: bool
    repeat: int
    fold: int


@dataclass(eq=False)
class CrossValidation:
    """A comparison under way: what is to be compared, and the scores so far.

    `run` adds scores, one fit at a time, fold by fold; `result` sums up the folds that are finished
    for all classifiers, also while another thread runs.
    """

    data: list[Data]
    chosen: tuple[Contender, ...]
    absent: dict[str, str]
    folds: int
    repeats: int
    rotate: bool
    seed: int
    scores: list[FoldScore] = field(default_factory=list)

    @classmethod
    def of(
        cls,
        data: Any,
        classifiers: Mapping[str, Any] | Iterable[str | Contender] | None,
        *,
        label: str | None = None,
        folds: int = 5,
        repeats: int = 3,
        rotate: bool = False,
        seed: int = 0,
    ) -> "CrossValidation":
        """Return a comparison that has not begun; everything that can be wrong is checked here."""
        everybody = contenders(classifiers)
        absent = {entry.name: entry.absent for entry in everybody if entry.absent}
        chosen = tuple(entry for entry in everybody if not entry.absent)
        if not chosen:
            raise ImportError("; ".join(f"{name} {why}" for name, why in absent.items()))
        folds = check_integer("folds", folds, 2)
        repeats = check_integer("repeats", repeats, 1, MOST_REPEATS)
        seed = check_integer("seed", seed, 0)
        sets = _data_sets(data, label)
        for one in sets:
            classes, counts = np.unique(one.y, return_counts=True)
            if len(classes) < 2:
                raise ValueError(f"{one.name} must hold at least two classes, got {len(classes)}")
            single = [shown(name) for name in classes[counts < 2].tolist()]
            if single:
                have = "has" if len(single) == 1 else "have"
                raise ValueError(
                    f"{one.name} must hold two rows of each class, {listed(single, 5)} {have} one; "
                    "leave out such rows"
                )
            if counts.min() < folds:
                raise ValueError(
                    f"folds must be at most {counts.min()}, the size of the smallest class of "
                    f"{one.name}, got {folds}"
                )
        return cls(sets, chosen, absent, folds, repeats, bool(rotate), seed)

    @property
    def total(self) -> int:
        """Number of fits in all."""
        return len(self.data) * (1 + self.rotate) * self.repeats * self.folds * len(self.chosen)

    def run(self, n_jobs: int | None = None, progress: Progress | None = None) -> None:
        """Fit every classifier on every fold."""
        results = in_order(_score_fit, self._fits(), check_jobs(n_jobs), processes=True)
        for score in results:
            self.scores.append(score)
            if progress is not None:
                progress(len(self.scores), self.total)

    def result(self) -> Comparison:
        """Return what is finished: the folds on which every classifier has been fitted."""
        done = Counter(map(_place_of, self.scores))
        scores = [one for one in self.scores if done[_place_of(one)] == len(self.chosen)]
        begun = {(score.dataset, score.rotated) for score in scores}
        infos = []
        for one in self.data:
            for rotated in self._versions:
                if (one.name, rotated) in begun:
                    infos.append(_info(one, rotated))
        return Comparison(
            tuple(infos),
            self.chosen,
            tuple(scores),
            self.folds,
            self.repeats,
            self.seed,
            absent=dict(self.absent),
            planned=self.total,
        )

    @property
    def _versions(self) -> tuple[bool, ...]:
        """Whether the sets are rotated: no, or no and yes."""
        return (False, True) if self.rotate else (False,)

    def _fits(self) -> Iterator[tuple[Any, ...]]:
        """Yield the arguments of `_score_fit`, fold by fold, as they are needed."""
        from sklearn.model_selection import RepeatedStratifiedKFold

        for one in self.data:
            for rotated in self._versions:
                splitter = RepeatedStratifiedKFold(
                    n_splits=self.folds, n_repeats=self.repeats, random_state=self.seed % 2**32
                )
                for number, (train, test) in enumerate(splitter.split(one.X, one.y)):
                    repeat, fold = divmod(number, self.folds)
                    place = Place(one.name, rotated, repeat, fold)
                    for contender in self.chosen:
                        yield one, train, test, contender, place, self.seed


def _place_of(score: FoldScore) -> Place:
    return Place(score.dataset, score.rotated, score.repeat, score.fold)


def _info(data: Data, rotated: bool) -> DataInfo:
    _, counts = np.unique(data.y, return_counts=True)
    left_out: tuple[str, ...] = ()
    if isinstance(data, Table):
        columns = Encoding.of(data.encoder().fit(data.X)).columns
        left_out = tuple(column.name for column in columns if not column.used)
    return DataInfo(
        data.name,
        rotated,
        points=len(data.X),
        features=data.X.shape[1] - len(left_out),
        classes=len(counts),
        majority=float(counts.max() / len(data.X)),
        left_out=left_out,
    )


def _data_sets(data: Any, label: str | None) -> list[Data]:
    if isinstance(data, Mapping):
        sets = [replace(load(source, label), name=name) for name, source in data.items()]
    elif isinstance(data, list):
        sets = [load(source, label) for source in data]
    else:
        sets = [load(data, label)]
    names = [one.name for one in sets]
    if not names:
        raise ValueError("data must hold at least one data set, got none")
    repeated = [name for name in names if names.count(name) > 1]
    if repeated:
        raise ValueError(
            f"data sets must have different names, got {shown(repeated[0])} more than once"
        )
    return sets


def _score_fit(
    data: Data,
    train: NDArray[np.intp],
    test: NDArray[np.intp],
    contender: Contender,
    place: Place,
    seed: int,
) -> FoldScore:
    """Fit a classifier on one fold's training part and score it on both parts.

    The classifiers of other packages may fail on data that they cannot take; the comparison then
    goes on without this fit, and tells why.
    """
    parts = _encoded(data, train, test)
    turn = rotation(parts[0].shape[1], seed) if place.rotated else None
    X_train, X_test = _prepared(*parts, turn)
    y_train, y_test = data.y[train], data.y[test]
    state = int(np.random.SeedSequence([seed, place.repeat, place.fold]).generate_state(1)[0])
    score = FoldScore(place.dataset, place.rotated, contender.name, place.repeat, place.fold)
    try:
        if CLASSIFIERS.get(contender.name) == contender:
            _warm_up(contender.name)
        estimator, seconds, converged = _fit(contender.build(state), X_train, y_train)
    except Exception as error:
        if not contender.package:
            raise
        return score._replace(failure=shortened(f"{type(error).__name__}: {error}", 200))
    return score._replace(
        train_accuracy=float(estimator.score(X_train, y_train)),
        test_accuracy=float(estimator.score(X_test, y_test)),
        fit_seconds=seconds,
        size=None if contender.size is None else contender.size(estimator),
        converged=converged,
    )


def _encoded(
    data: Data, train: NDArray[np.intp], test: NDArray[np.intp]
) -> tuple[FloatArray, FloatArray]:
    """Return both parts of a fold as numbers; tables are encoded by their training part."""
    if not isinstance(data, Table):
        return data.X[train], data.X[test]
    encoder = data.encoder().fit(data.X[train])
    return encoder.transform(data.X[train]), encoder.transform(data.X[test])


def _prepared(
    train: FloatArray, test: FloatArray, turn: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Return both parts scaled by the training part, then turned.

    Powers of two, which change no digit, bring features to about 1 before that, since the squares
    of very large and very small ones are no numbers. A row for testing may be any number of
    deviations away from the rows for training; it is moved to `FARTHEST`, since trees compute in
    single precision and refuse what is larger than that can hold.
    """
    from sklearn.preprocessing import StandardScaler

    exponent = np.frexp(np.abs(train).max(axis=0))[1]
    train = np.ldexp(train, -exponent)
    with np.errstate(over="ignore"):
        test = np.clip(np.ldexp(test, -exponent), -FARTHEST, FARTHEST)
    scaler = StandardScaler().fit(train)
    parts = scaler.transform(train), np.clip(scaler.transform(test), -FARTHEST, FARTHEST)
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
