"""What a comparison found: scores of every fold, summed up with standard errors, as text."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hyperna._validation import check_choice, check_integer
from hyperna._words import NOTHING, counted, listed
from hyperna.comparison.classifiers import Contender

Record = dict[str, Any]


class DataInfo(NamedTuple):
    """A data set that was compared on, the share of its largest class, columns left out."""

    name: str
    rotated: bool
    points: int
    features: int
    classes: int
    majority: float
    left_out: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Name, and whether the data were turned."""
        return f"{self.name}, rotated" if self.rotated else self.name


class FoldScore(NamedTuple):
    """One fit: where, who, how well, how long, how large; or why it failed."""

    dataset: str
    rotated: bool
    classifier: str
    repeat: int
    fold: int
    train_accuracy: float | None = None
    test_accuracy: float | None = None
    fit_seconds: float | None = None
    size: int | None = None
    converged: bool = False
    failure: str = ""


def corrected_error(values: ArrayLike, folds: int) -> float:
    """Return the standard error of the mean over the folds of (repeated) cross-validation.

    Training sets overlap, so the values are not independent. Nadeau and Bengio (2003) replace the
    factor 1/J of the variance by ``1/J + n_test/n_train``, where J is the number of values;
    ``n_test/n_train`` is ``1/(folds - 1)`` here. It exceeds the naive error by far, and repeats do
    not make it vanish.

    Examples
    --------
    >>> values = [0.8, 0.9, 0.85, 0.95, 0.9]
    >>> round(corrected_error(values, folds=5), 4)
    0.0382
    """
    sample = np.asarray(values, dtype=float)
    folds = check_integer("folds", folds, 2)
    if sample.ndim != 1 or sample.size < 2:
        raise ValueError(f"values must be a list of at least two, got shape {sample.shape}")
    return float(sample.std(ddof=1) * math.sqrt(1 / sample.size + 1 / (folds - 1)))


@dataclass(frozen=True, eq=False)
class Comparison:
    """Scores of several classifiers on the same folds of one or more data sets.

    Attributes
    ----------
    data : tuple of DataInfo
        The data sets; a rotated one counts as one more.
    classifiers : tuple of Contender
        Who took part.
    scores : tuple of FoldScore
        One entry a fit.
    folds, repeats, seed : int
        How the points were split.
    absent : dict of str to str
        Who was named but could not take part, and what would have to be installed.
    planned : int
        Number of fits that were asked for; there are fewer scores after an interrupt.

    Examples
    --------
    >>> from hyperna.comparison import compare
    >>> result = compare("moons", ["perceptron", "svc"], repeats=2)
    >>> result
    Comparison(2 classifiers, 1 data set, 5 folds, 2 repeats)
    >>> len(result.records())
    20
    >>> float(result.test_accuracies("svc").mean()) > 0.9
    True
    """

    data: tuple[DataInfo, ...]
    classifiers: tuple[Contender, ...] = field(repr=False)
    scores: tuple[FoldScore, ...] = field(repr=False)
    folds: int
    repeats: int
    seed: int
    absent: Mapping[str, str] = field(default_factory=dict)
    planned: int = 0

    def __repr__(self) -> str:
        sets = counted(len(self.data), "data set")
        who = counted(len(self.classifiers), "classifier")
        dealt = f"{counted(self.folds, 'fold')}, {counted(self.repeats, 'repeat')}"
        return f"Comparison({who}, {sets}, {dealt})"

    def records(self) -> list[Record]:
        """Return one record a fit, ready for ``pandas.DataFrame``."""
        return [score._asdict() for score in self.scores]

    def summary(self) -> list[Record]:
        """Return one record for each data set and classifier, ready for ``pandas.DataFrame``.

        Accuracies are means over all folds with the standard errors of `corrected_error`, None if
        there is a single fold; time and size are medians. ``unconverged`` counts the fits that
        stopped before they converged, and ``failed`` those that ended with an error, the first of
        which is ``failure``.
        """
        return [
            self._summary_of(info, contender)
            for info in self.data
            for contender in self.classifiers
        ]

    def _summary_of(self, info: DataInfo, contender: Contender) -> Record:
        rows = self._rows(info, contender.name)
        good = [row for row in rows if not row.failure]
        failures = [row.failure for row in rows if row.failure]
        train = [row.train_accuracy for row in good]
        test = [row.test_accuracy for row in good]
        sizes = [row.size for row in good if row.size is not None]
        seconds = [row.fit_seconds for row in good]
        return {
            "dataset": info.name,
            "rotated": info.rotated,
            "classifier": contender.name,
            "fits": len(good),
            "train_accuracy": _mean(train),
            "train_accuracy_se": self._error(train),
            "test_accuracy": _mean(test),
            "test_accuracy_se": self._error(test),
            "fit_seconds": _median(seconds),
            "size": _median(sizes),
            "unit": contender.unit,
            "unconverged": sum(not row.converged for row in good),
            "failed": len(failures),
            "failure": failures[0] if failures else "",
        }

    def _error(self, values: Sequence[Any] | np.ndarray) -> float | None:
        """Return the standard error of the mean, None if there are too few values to tell."""
        return corrected_error(values, self.folds) if len(values) > 1 else None

    def test_accuracies(
        self, classifier: str, dataset: str | None = None, *, rotated: bool = False
    ) -> np.ndarray:
        """Return a classifier's test accuracy in every fold, of the first data set by default.

        It is NaN in folds where the classifier failed.
        """
        check_choice("classifier", classifier, [entry.name for entry in self.classifiers])
        name = self.data[0].name if dataset is None else dataset
        check_choice("dataset", name, dict.fromkeys(info.name for info in self.data))
        found = [info for info in self.data if (info.name, info.rotated) == (name, rotated)]
        if not found:
            raise ValueError(f"{name!r} was not compared rotated; use compare(..., rotate=True)")
        rows = self._rows(found[0], classifier)
        return np.array([row.test_accuracy for row in rows], dtype=float)

    def differences(self, reference: str | None = None) -> list[Record]:
        """Return every classifier's test accuracy minus the reference's, fold by fold.

        The error is `corrected_error` of the differences and ``p_value`` belongs to the corrected
        resampled t-test (two-sided, not adjusted for the number of comparisons); both are None if
        there are fewer than two folds. The first classifier is the reference if none is given.
        """
        first = self.classifiers[0].name if reference is None else reference
        rows = []
        for info in self.data:
            base = self.test_accuracies(first, info.name, rotated=info.rotated)
            for name in (entry.name for entry in self.classifiers if entry.name != first):
                gap = self.test_accuracies(name, info.name, rotated=info.rotated) - base
                gap = gap[~np.isnan(gap)]
                rows.append(
                    {
                        "dataset": info.name,
                        "rotated": info.rotated,
                        "classifier": name,
                        "reference": first,
                        "difference": _mean(gap),
                        "difference_se": self._error(gap),
                        "p_value": self._p_value(gap),
                    }
                )
        return rows

    def _p_value(self, gap: np.ndarray) -> float | None:
        """Return the probability of such differences if there were none on average."""
        from scipy.stats import t

        error = self._error(gap)
        if error is None:
            return None
        mean = abs(float(gap.mean()))
        if error:
            ratio = mean / error
        elif mean:  # the same gap in every fold: all of the evidence
            ratio = math.inf
        else:  # equal in every fold: none of it
            ratio = 0.0
        return float(2 * t.sf(ratio, len(gap) - 1))

    def averages(self) -> dict[str, float]:
        """Return each classifier's test accuracy, averaged over the data sets."""
        accuracies: dict[str, list[float]] = {entry.name: [] for entry in self.classifiers}
        for row in self.summary():
            if row["test_accuracy"] is not None:
                accuracies[row["classifier"]].append(row["test_accuracy"])
        return {name: float(np.mean(values)) for name, values in accuracies.items() if values}

    def _rows(self, info: DataInfo, classifier: str) -> list[FoldScore]:
        return [row for row in self.scores if row[:3] == (info.name, info.rotated, classifier)]

    def _folds_done(self, info: DataInfo) -> int:
        """Return on how many folds of a data set everybody was fitted."""
        return len(self._rows(info, self.classifiers[0].name))

    @property
    def explanation(self) -> str:
        """What the numbers of the tables are."""
        done = sorted({self._folds_done(info) for info in self.data})
        fits = " to ".join(str(number) for number in dict.fromkeys((done[0], done[-1])))
        text = (
            f"Means over {fits} fits ({self.folds} stratified folds, "
            f"{counted(self.repeats, 'repeat')}, seed {self.seed}; features standardised on each "
            "training part) ± standard error, corrected for overlapping training sets (Nadeau "
            "and Bengio 2003). Time (one thread) and size are medians."
        )
        if len(self.scores) < self.planned:
            share = f"{len(self.scores):,} of {counted(self.planned, 'fit')}"
            text = f"Interrupted: {share} are finished on folds that everybody has seen. {text}"
        return text

    def table(self, info: DataInfo) -> list[list[str]]:
        """Return the rows of a data set's table as text, best test accuracy first.

        The columns are those of `TABLE_COLUMNS`; the last holds a remark about unconverged and
        failed fits.
        """
        rows = [self._summary_of(info, contender) for contender in self.classifiers]
        rows.sort(key=_rank)
        cells = []
        for row in rows:
            size = row["size"]
            seconds = row["fit_seconds"]
            cells.append(
                [
                    row["classifier"],
                    _with_error(row["test_accuracy"], row["test_accuracy_se"]),
                    _with_error(row["train_accuracy"], row["train_accuracy_se"]),
                    NOTHING if seconds is None else _duration(seconds),
                    NOTHING if size is None else counted(round(size), row["unit"]),
                    _remark(row),
                ]
            )
        return cells

    def to_markdown(self) -> str:
        """Return a heading and a table for each data set, then what the numbers mean."""
        parts = []
        for info in self.data:
            parts += [f"### {describe(info)}", _markdown(TABLE_COLUMNS, self.table(info))]
        if len(self.data) > 1:
            ranked = sorted(self.averages().items(), key=lambda item: -item[1])
            rows = [[name, f"{value:.3f}"] for name, value in ranked]
            parts += ["### average", _markdown(("classifier", "test accuracy"), rows)]
        return "\n\n".join([*parts, self.explanation]) + "\n"


TABLE_COLUMNS = ("classifier", "test accuracy", "train accuracy", "fit time", "size", "remark")


def _mean(values: Sequence[Any] | np.ndarray) -> float | None:
    return float(np.mean(values)) if len(values) else None


def _median(values: Sequence[Any]) -> float | None:
    return float(np.median(values)) if values else None


def _rank(row: Record) -> tuple[bool, float]:
    """Return by what rows are sorted: the best test accuracy first, and failures last."""
    accuracy = row["test_accuracy"]
    return accuracy is None, -(accuracy or 0.0)


def _with_error(value: float | None, error: float | None) -> str:
    if value is None:
        return NOTHING
    return f"{value:.3f}" if error is None else f"{value:.3f} ± {error:.3f}"


def _duration(seconds: float) -> str:
    return f"{1000 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def _remark(row: Record) -> str:
    """Return what went wrong with the fits of a classifier."""
    remarks = []
    if row["unconverged"]:
        remarks.append(f"{row['unconverged']} of {row['fits']} fits did not converge")
    if row["failed"]:
        every = row["failed"] + row["fits"]
        remarks.append(f"{row['failed']} of {every} fits failed: {row['failure']}")
    return "; ".join(remarks)


def describe(info: DataInfo) -> str:
    """Return a data set's title with its shape.

    Examples
    --------
    >>> describe(DataInfo("moons", True, 300, 2, 2, 0.5))
    'moons, rotated: 300 points, 2 features, 2 classes, largest class 50.0 %'
    """
    text = (
        f"{info.title}: {counted(info.points, 'point', 'd')}, {counted(info.features, 'feature')}, "
        f"{counted(info.classes, 'class')}, largest class {100 * info.majority:.1f} %"
    )
    return f"{text}; left out: {listed(info.left_out, 6)}" if info.left_out else text


def _markdown(columns: tuple[str, ...], rows: list[list[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
