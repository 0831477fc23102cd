"""What a comparison found: scores of every fold, summed up with standard errors, as text."""

import math
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hyperna._validation import check_choice, check_integer
from hyperna._words import NOTHING, counted
from hyperna.comparison.classifiers import Contender

Record = dict[str, Any]


class DataInfo(NamedTuple):
    """A data set that was compared on, and the share of its largest class."""

    name: str
    rotated: bool
    points: int
    features: int
    classes: int
    majority: float

    @property
    def title(self) -> str:
        """Name, and whether the data were turned."""
        return f"{self.name}, rotated" if self.rotated else self.name


class FoldScore(NamedTuple):
    """One fit: where, who, how well, how long, how large."""

    dataset: str
    rotated: bool
    classifier: str
    repeat: int
    fold: int
    train_accuracy: float
    test_accuracy: float
    fit_seconds: float
    size: int | None
    converged: bool


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

        Accuracies are means over all folds with the standard errors of `corrected_error`; time and
        size are medians. ``unconverged`` counts the fits that stopped before they converged.
        """
        return [
            self._summary_of(info, contender)
            for info in self.data
            for contender in self.classifiers
        ]

    def _summary_of(self, info: DataInfo, contender: Contender) -> Record:
        rows = self._rows(info, contender.name)
        train, test = [row.train_accuracy for row in rows], [row.test_accuracy for row in rows]
        sizes = [row.size for row in rows if row.size is not None]
        return {
            "dataset": info.name,
            "rotated": info.rotated,
            "classifier": contender.name,
            "train_accuracy": float(np.mean(train)),
            "train_accuracy_se": corrected_error(train, self.folds),
            "test_accuracy": float(np.mean(test)),
            "test_accuracy_se": corrected_error(test, self.folds),
            "fit_seconds": float(np.median([row.fit_seconds for row in rows])),
            "size": float(np.median(sizes)) if sizes else None,
            "unit": contender.unit,
            "unconverged": sum(not row.converged for row in rows),
        }

    def test_accuracies(
        self, classifier: str, dataset: str | None = None, *, rotated: bool = False
    ) -> np.ndarray:
        """Return a classifier's test accuracy in every fold, of the first data set by default."""
        check_choice("classifier", classifier, [entry.name for entry in self.classifiers])
        name = self.data[0].name if dataset is None else dataset
        check_choice("dataset", name, dict.fromkeys(info.name for info in self.data))
        found = [info for info in self.data if (info.name, info.rotated) == (name, rotated)]
        if not found:
            raise ValueError(f"{name!r} was not compared rotated; use compare(..., rotate=True)")
        return np.array([row.test_accuracy for row in self._rows(found[0], classifier)])

    def differences(self, reference: str | None = None) -> list[Record]:
        """Return every classifier's test accuracy minus the reference's, fold by fold.

        The error is `corrected_error` of the differences and ``p_value`` belongs to the corrected
        resampled t-test (two-sided, not adjusted for the number of comparisons). The first
        classifier is the reference if none is given.
        """
        from scipy.stats import t

        first = self.classifiers[0].name if reference is None else reference
        rows = []
        for info in self.data:
            base = self.test_accuracies(first, info.name, rotated=info.rotated)
            for name in (entry.name for entry in self.classifiers if entry.name != first):
                gap = self.test_accuracies(name, info.name, rotated=info.rotated) - base
                mean, error = float(gap.mean()), corrected_error(gap, self.folds)
                # Equal in every fold: no evidence. The same gap in every fold: all of it.
                ratio = abs(mean) / error if error else (math.inf if mean else 0.0)
                rows.append(
                    {
                        "dataset": info.name,
                        "rotated": info.rotated,
                        "classifier": name,
                        "reference": first,
                        "difference": mean,
                        "difference_se": error,
                        "p_value": float(2 * t.sf(ratio, len(gap) - 1)),
                    }
                )
        return rows

    def averages(self) -> dict[str, float]:
        """Return each classifier's test accuracy, averaged over the data sets."""
        accuracies: dict[str, list[float]] = {entry.name: [] for entry in self.classifiers}
        for row in self.summary():
            accuracies[row["classifier"]].append(row["test_accuracy"])
        return {name: float(np.mean(values)) for name, values in accuracies.items()}

    def _rows(self, info: DataInfo, classifier: str) -> list[FoldScore]:
        return [row for row in self.scores if row[:3] == (info.name, info.rotated, classifier)]

    @property
    def explanation(self) -> str:
        """What the numbers of the tables are."""
        fits = self.folds * self.repeats
        return (
            f"Means over {fits} fits ({self.folds} stratified folds, "
            f"{counted(self.repeats, 'repeat')}, seed {self.seed}; features standardised on each "
            "training part) ± standard error, corrected for overlapping training sets (Nadeau "
            "and Bengio 2003). Time (one thread) and size are medians."
        )

    def table(self, info: DataInfo) -> list[list[str]]:
        """Return the rows of a data set's table as text, best test accuracy first.

        The columns are those of `TABLE_COLUMNS`; the last holds a remark about unconverged fits.
        """
        rows = [self._summary_of(info, contender) for contender in self.classifiers]
        rows.sort(key=lambda row: -row["test_accuracy"])
        fits, cells = self.folds * self.repeats, []
        for row in rows:
            size, early, seconds = row["size"], row["unconverged"], row["fit_seconds"]
            cells.append(
                [
                    row["classifier"],
                    f"{row['test_accuracy']:.3f} ± {row['test_accuracy_se']:.3f}",
                    f"{row['train_accuracy']:.3f} ± {row['train_accuracy_se']:.3f}",
                    f"{1000 * seconds:.1f} ms" if seconds < 1 else f"{seconds:.2f} s",
                    NOTHING if size is None else counted(round(size), row["unit"]),
                    f"{early} of {fits} fits did not converge" if early else "",
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


def describe(info: DataInfo) -> str:
    """Return a data set's title with its shape.

    Examples
    --------
    >>> describe(DataInfo("moons", True, 300, 2, 2, 0.5))
    'moons, rotated: 300 points, 2 features, 2 classes, largest class 50.0 %'
    """
    return (
        f"{info.title}: {counted(info.points, 'point', 'd')}, {counted(info.features, 'feature')}, "
        f"{counted(info.classes, 'class')}, largest class {100 * info.majority:.1f} %"
    )


def _markdown(columns: tuple[str, ...], rows: list[list[str]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
