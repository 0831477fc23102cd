"""Folds of a comparison: what each fit is given, and differences where data sets are turned."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from hyperna import compare
from hyperna.comparison import Comparison, Contender, DataInfo, FoldScore, corrected_error
from hyperna.comparison.classifiers import contenders
from hyperna.datasets import Dataset, rotation


class Seen(ClassifierMixin, BaseEstimator):
    """Answers the first class and notes what it is given."""

    def __init__(self, notes=None, seed=None):
        self.notes, self.seed = notes, seed

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.notes.append((self.seed, np.array(X), np.array(y)))
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def noted(data, **options):
    """What one classifier was given in each fit, in turn."""
    notes = []
    watcher = Contender("seen", "", lambda seed: Seen(notes, seed))
    compare(data, [watcher], n_jobs=1, **options)
    return notes


def numbers(n):
    """Rows whose only feature is their number, of two classes in turn."""
    return Dataset(np.arange(float(n))[:, None], np.arange(n) % 2, "numbers")


def test_every_fold_of_every_repeat_has_a_seed_of_its_own():
    for seed in (0, 5):
        seeds = [found for found, _, _ in noted(numbers(12), folds=3, repeats=4, seed=seed)]
        states = [
            int(np.random.SeedSequence([seed, *divmod(place, 3)]).generate_state(1)[0])
            for place in range(12)
        ]
        assert seeds == states
        assert len(set(seeds)) == 12


def test_all_classifiers_of_a_fold_and_its_turned_copy_have_one_seed():
    notes = []
    some = [Contender(name, "", lambda seed: Seen(notes, seed)) for name in ("one", "two")]
    compare(numbers(12), some, folds=2, repeats=2, rotate=True, n_jobs=1)
    seeds = [seed for seed, _, _ in notes]
    assert seeds[::2] == seeds[1::2]
    assert seeds[:8] == seeds[8:]
    assert len(set(seeds)) == 4


@pytest.mark.parametrize("seed", [3, 2**31, 2**31 + 3, 2**32 - 1, 2**32 + 3])
def test_seeds_deal_the_folds_of_their_last_32_bits(seed):
    data = numbers(20)
    found = noted(data, folds=2, repeats=2, seed=seed)
    splitter = RepeatedStratifiedKFold(n_splits=2, n_repeats=2, random_state=seed % 2**32)
    wanted = [train for train, _ in splitter.split(data.X, data.y)]
    for (_, X, _), train in zip(found, wanted, strict=True):
        # scaled, but in the same order
        assert np.corrcoef(X[:, 0], train)[0, 1] == pytest.approx(1)


@pytest.mark.parametrize("seed", [0, 4])
def test_data_are_turned_by_the_seed_of_the_comparison_in_every_fold(seed):
    rng = np.random.default_rng(0)
    data = Dataset(rng.normal(size=(24, 3)), np.arange(24) % 2, "points")
    notes = noted(data, folds=2, repeats=2, rotate=True, seed=seed)
    turn = rotation(3, seed)
    for (_, plain, _), (_, turned, _) in zip(notes[:4], notes[4:], strict=True):
        np.testing.assert_allclose(turned, plain @ turn.T, atol=1e-12)


def test_as_many_folds_as_the_smallest_class_has_rows():
    data = Dataset(np.arange(13.0)[:, None], [*"aaabbbbbbbbbb"], "letters")
    assert len(noted(data, folds=3, repeats=1)) == 3
    with pytest.raises(ValueError, match="folds must be at most 3"):
        noted(data, folds=4, repeats=1)


def test_tables_are_encoded_by_the_training_part_alone():
    """Medians of gaps and the known categories differ from fold to fold."""
    rng = np.random.default_rng(1)
    rows = 24
    age = rng.permutation(rows).astype(float) * 10
    age[::5] = np.nan
    town = np.where(np.arange(rows) == 7, "once", np.where(rng.random(rows) < 0.5, "A", "B"))
    table = pd.DataFrame({"age": age, "town": town, "unit": "m"})
    y = np.arange(rows) % 2
    notes = noted((table, y), folds=2, repeats=3)
    splitter = RepeatedStratifiedKFold(n_splits=2, n_repeats=3, random_state=0)
    widths = set()
    for (_, X, labels), (train, _) in zip(notes, splitter.split(table, y), strict=True):
        assert labels.tolist() == y[train].tolist()
        widths.add(X.shape[1])
        known = age[train][~np.isnan(age[train])]
        filled = np.where(np.isnan(age[train]), np.median(known), age[train])
        scaled = (filled - filled.mean()) / filled.std()
        np.testing.assert_allclose(X[:, 0], scaled, atol=1e-9)
        # age, perhaps its gaps; of two towns one tells both, three have a feature each
        gaps = bool(np.isnan(age[train]).any())
        assert len(set(town[train])) == (3 if 7 in train else 2)
        assert X.shape[1] == 1 + gaps + (3 if 7 in train else 1)
    assert len(widths) > 1


def test_rows_for_testing_are_encoded_by_the_training_part():
    """A gap in a row for testing counts as the median of the other rows."""
    answers = []

    class Kept(Seen):
        def predict(self, X):
            answers.append(np.array(X))
            return super().predict(X)

    age = np.array([1.0, 2.0, 3.0, 10.0, 20.0, 30.0, np.nan, np.nan] * 3)
    y = np.arange(24) % 2
    table = pd.DataFrame({"age": age})
    compare(
        (table, y), [Contender("kept", "", lambda seed: Kept([]))], folds=2, repeats=1, n_jobs=1
    )
    splitter = RepeatedStratifiedKFold(n_splits=2, n_repeats=1, random_state=0)
    # each fit answers to its training part, then to the other one
    for k, (train, test) in enumerate(splitter.split(table, y)):
        median = np.nanmedian(age[train])
        before = np.where(np.isnan(age[train]), median, age[train])
        after = np.where(np.isnan(age[test]), median, age[test])
        wanted = (after - before.mean()) / before.std()
        np.testing.assert_allclose(answers[2 * k + 1][:, 0], wanted, atol=1e-9)


def test_columns_that_are_left_out_are_no_features_of_the_data():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"row": np.arange(30), "size": rng.normal(size=30), "kind": ["a", "b", "c"] * 10, "unit": 1}
    )
    result = compare((table, np.arange(30) % 2), ["tree"], folds=2, repeats=1, rotate=True)
    for info, rotated in zip(result.data, (False, True), strict=True):
        assert info == DataInfo("data", rotated, 30, 2, 2, 0.5, ("row", "unit"))


def made(accuracies, failed=()):
    """A comparison of given accuracies of each classifier: plain, then turned, fold by fold."""
    scores = []
    for name, both in accuracies.items():
        for rotated, values in zip((False, True), both, strict=True):
            for place, value in enumerate(values):
                score = FoldScore("data", rotated, name, *divmod(place, 2))
                if (name, rotated, place) in failed:
                    scores.append(score._replace(failure="no"))
                else:
                    scores.append(
                        score._replace(
                            train_accuracy=1.0,
                            test_accuracy=value,
                            fit_seconds=1.0 + place,
                            size=place,
                            converged=True,
                        )
                    )
    info = tuple(DataInfo("data", rotated, 10, 2, 2, 0.5) for rotated in (False, True))
    who = tuple(Contender(name, name, None) for name in accuracies)
    return Comparison(info, who, tuple(scores), 2, 2, 0)


ACCURACIES = {
    "a": ([0.5, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.2]),
    "b": ([0.9, 0.7, 0.8, 0.8], [0.3, 0.3, 0.1, 0.2]),
    "c": ([0.4, 0.4, 0.9, 0.6], [0.8, 0.6, 0.7, 0.9]),
}


@pytest.mark.parametrize("reference", [None, "a", "b", "c"])
def test_differences_are_those_of_the_same_folds_turned_or_not(reference):
    first = reference or "a"
    rows = made(ACCURACIES).differences(reference)
    others = [name for name in ACCURACIES if name != first]
    places = [(row["rotated"], row["classifier"], row["reference"]) for row in rows]
    assert places == [(rotated, name, first) for rotated in (False, True) for name in others]
    for row in rows:
        gap = np.subtract(
            *(ACCURACIES[name][row["rotated"]] for name in (row["classifier"], first))
        )
        error = corrected_error(gap, 2)
        assert row["difference"] == pytest.approx(gap.mean())
        assert row["difference_se"] == pytest.approx(error)
        assert row["p_value"] == pytest.approx(2 * stats.t.sf(abs(gap.mean()) / error, 3))


def test_folds_that_failed_count_in_nothing_but_their_number():
    result = made(ACCURACIES, failed={("a", False, 1), ("b", False, 2), ("b", True, 0)})
    found = {(row["classifier"], row["rotated"]): row for row in result.summary()}
    for (name, rotated), kept in {
        **{("a", False): [0, 2, 3], ("b", False): [0, 1, 3], ("b", True): [1, 2, 3]},
        **{("a", True): [0, 1, 2, 3], ("c", False): [0, 1, 2, 3]},
    }.items():
        row = found[name, rotated]
        values = np.array(ACCURACIES[name][rotated])[kept]
        assert (row["fits"], row["failed"]) == (len(kept), 4 - len(kept))
        assert row["test_accuracy"] == pytest.approx(values.mean())
        assert row["test_accuracy_se"] == pytest.approx(corrected_error(values, 2))
        assert row["size"] == np.median(kept)
        assert row["fit_seconds"] == 1 + np.median(kept)
        assert (row["failure"] == "") == (len(kept) == 4)
        assert row["unconverged"] == 0
    # only folds that neither lacks are compared
    [plain, _, turned, _] = result.differences()
    assert plain["difference"] == pytest.approx(np.mean([0.4, 0.0]))
    assert turned["difference"] == pytest.approx(np.mean([0.1, -0.2, 0.0]))
    assert "failed" in result.table(result.data[0])[0][5] + result.table(result.data[0])[1][5]


def test_a_group_stands_for_those_of_it_that_are_not_named_already():
    names = [entry.name for entry in contenders(["tree", "rivals", "l1"])]
    assert names == ["tree", "optimal_tree", "figs", "ripper", "ebm", "l1"]


def test_the_settings_of_own_estimators_stay():
    own = DecisionTreeClassifier(max_depth=1, random_state=7)
    [entry] = contenders({"stump": own})
    assert entry.build(3) is not own
    assert entry.build(3).get_params() == own.get_params()
    assert entry.unit == ""
    assert entry.size is None
