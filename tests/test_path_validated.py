"""Held-out errors of a path under weights, groups and all ways to tell folds, fold by fold."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, StratifiedKFold

from hyperna import NAClassifier
from hyperna.models import table_pipeline, validate_path

ROWS = 48


@pytest.fixture(scope="module")
def noisy():
    """Two features, a rule of one of them, and labels of which some are wrong."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(ROWS, 2))
    y = np.where((X[:, 0] > 0.1) ^ (rng.random(ROWS) < 0.15), "yes", "no")
    weight = rng.integers(1, 6, ROWS).astype(float)
    return X, y, weight


def small():
    return NAClassifier(evaluations=20, max_neurons=2, random_state=0)


def by_hand(fitted, X, y, weight, folds):
    """Errors of each size on tested rows, and their standard errors."""
    wrong = {row.terms: np.full(len(y), np.nan) for row in fitted.path_}
    for train, test in folds:
        part = clone(fitted).fit(X[train], y[train], weight[train])
        for terms, each in wrong.items():
            each[test] = part.at(terms).predict(X[test]) != y[test]
    found = []
    for each in wrong.values():
        tested = ~np.isnan(each)
        share = weight[tested] / weight[tested].sum()
        mean = share @ each[tested]
        found.append((mean, np.sqrt((share**2 * (each[tested] - mean) ** 2).sum())))
    return np.array(found)


def numbers_of(path):
    return np.array([(row.held_out_error, row.standard_error) for row in path])


def folds_of(kind):
    """Folds as they are given, and as numbers of rows."""
    place = np.arange(ROWS) % 3
    plain = [(np.flatnonzero(place != k), np.flatnonzero(place == k)) for k in range(3)]
    if kind == "masks":
        return [(place != k, place == k) for k in range(3)], plain
    if kind == "lists":
        return [(train.tolist(), test.tolist()) for train, test in plain], plain
    if kind == "iterator":
        return iter(plain), plain
    if kind == "some rows":  # those of the third part are never tested
        return plain[:2], plain[:2]
    return plain, plain


@pytest.mark.parametrize("kind", ["numbers", "masks", "lists", "iterator", "some rows"])
@pytest.mark.parametrize("weighted", [True, False])
def test_errors_of_all_kinds_of_folds_are_those_by_hand(noisy, kind, weighted):
    X, y, weight = noisy
    given = weight if weighted else None
    counted = weight if weighted else np.ones(ROWS)
    fitted = small().fit(X, y, given)
    folds, plain = folds_of(kind)
    path = fitted.validate_path(X, y, folds, sample_weight=given)
    np.testing.assert_allclose(numbers_of(path), by_hand(fitted, X, y, counted, plain))
    assert fitted.path_ is path


def test_groups_of_rows_stay_together(noisy):
    X, y, _ = noisy
    groups = np.arange(ROWS) // 8
    fitted = small().fit(X, y)
    path = fitted.validate_path(X, y, GroupKFold(3), groups=groups)
    folds = list(GroupKFold(3).split(X, y, groups))
    np.testing.assert_allclose(numbers_of(path), by_hand(fitted, X, y, np.ones(ROWS), folds))


def test_a_number_of_folds_deals_classes_evenly(noisy):
    X, y, _ = noisy
    fitted = small().fit(X, y)
    path = fitted.validate_path(X, y, 3)
    folds = list(StratifiedKFold(3).split(X, y))
    np.testing.assert_allclose(numbers_of(path), by_hand(fitted, X, y, np.ones(ROWS), folds))


def test_an_array_a_dict_and_a_frame_are_validated_alike(noisy):
    pandas = pytest.importorskip("pandas")
    X, y, _ = noisy
    folds = folds_of("numbers")[0]
    model = table_pipeline(small()).fit(X, y)
    wanted = by_hand(small().fit(X, y), X, y, np.ones(ROWS), folds)
    np.testing.assert_allclose(numbers_of(validate_path(model, X, y, folds)), wanted)
    table = {"x1": X[:, 0].tolist(), "x2": X[:, 1]}
    for same in (table, pandas.DataFrame(table, index=np.arange(ROWS)[::-1])):
        model = table_pipeline(small()).fit(same, y)
        np.testing.assert_allclose(numbers_of(validate_path(model, same, y, folds)), wanted)


def test_frames_of_any_library_keep_the_names_of_their_columns(noisy):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    X, y, _ = noisy
    table = {"a": X[:, 0], "code": np.where(X[:, 1] > 0, 1, 2)}
    for folds in (folds_of("numbers")[0], folds_of("masks")[0]):
        found = []
        for frame in (table, pandas.DataFrame(table), polars.DataFrame(table)):
            model = table_pipeline(small(), kinds={"code": "category"}).fit(frame, y)
            found.append(numbers_of(validate_path(model, frame, y, folds)))
        np.testing.assert_allclose(found[1], found[0])
        np.testing.assert_allclose(found[2], found[0])


def test_weights_and_groups_of_a_pipeline_are_those_of_its_classifier(noisy):
    X, y, weight = noisy
    folds = GroupKFold(3)
    groups = np.arange(ROWS) // 8
    plain = list(folds.split(X, y, groups))
    fitted = small().fit(X, y, weight)
    wanted = by_hand(fitted, X, y, weight, plain)
    model = table_pipeline(small()).fit(X, y, classifier__sample_weight=weight)
    for each in (fitted, model):
        path = validate_path(each, X, y, folds, sample_weight=weight, groups=groups)
        np.testing.assert_allclose(numbers_of(path), wanted)
    model = table_pipeline(small()).fit(X, y)
    path = validate_path(model, X, y, folds, groups=groups)
    wanted = by_hand(small().fit(X, y), X, y, np.ones(ROWS), plain)
    np.testing.assert_allclose(numbers_of(path), wanted)
    with pytest.raises(ValueError, match="sample_weight"):
        validate_path(model, X, y, folds, sample_weight=weight[1:], groups=groups)


def signed(signs):
    return NAClassifier(monotonic_cst=signs, evaluations=20, max_neurons=2, random_state=0)


def test_constraints_by_name_are_those_in_order(noisy):
    pandas = pytest.importorskip("pandas")
    X, y, _ = noisy
    frame = pandas.DataFrame(X, columns=["a", "b"])
    folds = folds_of("numbers")[0]
    wanted = numbers_of(signed([0, -1]).fit(X, y).validate_path(X, y, folds))
    for validated in (
        lambda fitted: fitted.validate_path(frame, y, folds),
        lambda fitted: validate_path(fitted, frame, y, folds),
    ):
        fitted = signed({"b": -1}).fit(frame, y)
        np.testing.assert_allclose(numbers_of(validated(fitted)), wanted)
        assert fitted.monotonic_cst == {"b": -1}


def test_constraints_by_name_behind_an_encoding(noisy):
    """Also of features that a table without a fold does not have: b is missing in one row only."""
    pandas = pytest.importorskip("pandas")
    X, y, _ = noisy
    frame = pandas.DataFrame(X, columns=["a", "b"])
    frame.loc[1, "b"] = np.nan
    folds = folds_of("numbers")[0]
    model = table_pipeline(signed({"a": 1, "b is missing": -1}))
    model.set_output(transform="pandas").fit(frame, y)
    path = validate_path(model, frame, y, folds)
    wrong = {row.terms: np.zeros(ROWS) for row in path}
    for train, test in folds:
        signs = [1, 0, -1] if 1 in train else [1, 0]
        part = table_pipeline(signed(signs)).fit(frame.iloc[train], y[train])
        for terms, each in wrong.items():
            at = part[-1].at(terms)
            each[test] = at.predict(part[:-1].transform(frame.iloc[test])) != y[test]
    assert [row.held_out_error for row in path] == [
        pytest.approx(each.mean()) for each in wrong.values()
    ]
    assert model[-1].monotonic_cst == {"a": 1, "b is missing": -1}


def test_a_rule_of_another_size_keeps_what_was_validated(noisy):
    X, y, _ = noisy
    fitted = small().fit(X, y)
    path = fitted.validate_path(X, y, 3)
    for row in path:
        smaller = fitted.at(row.terms)
        assert numbers_of(smaller.path_).tolist() == numbers_of(path).tolist()
        assert [each.chosen for each in smaller.path_] == [each is row for each in path]
        assert smaller.list_ == row.list
    assert fitted.path_ is path


@pytest.mark.parametrize(
    "wrong",
    [
        np.ones(ROWS - 1, bool),
        np.ones((1, ROWS), bool),
        np.arange(3.0),
        np.array([[0, 1]]),
        np.array(["0", "1"]),
    ],
)
@pytest.mark.parametrize("place", [0, 1])
def test_what_tells_no_rows_is_refused(noisy, wrong, place):
    X, y, _ = noisy
    fitted = small().fit(X, y)
    fold = [np.arange(24), np.arange(24, ROWS)]
    fold[place] = wrong
    with pytest.raises(ValueError, match="cv must give the numbers of rows from 0 to 47"):
        fitted.validate_path(X, y, [(np.arange(24), np.arange(24, ROWS)), tuple(fold)])


@pytest.mark.parametrize("end", [-1, ROWS])
@pytest.mark.parametrize("place", [0, 1])
def test_numbers_of_rows_that_are_none_are_refused(noisy, end, place):
    X, y, _ = noisy
    fitted = small().fit(X, y)
    before = fitted.path_
    fold = [np.arange(24), np.arange(24, ROWS)]
    fold[place] = np.append(fold[place], end)
    with pytest.raises(ValueError, match="cv must give the numbers of rows from 0 to 47"):
        fitted.validate_path(X, y, [tuple(fold)])
    assert fitted.path_ is before
