"""Comparisons: equal to scikit-learn's own cross-validation, with errors that are not too small."""

import json
import math
from unittest.mock import patch

import numpy as np
import pytest
from scipy import stats
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from hyperna import CLASSIFIERS, compare
from hyperna.cli import main
from hyperna.comparison import (
    GROUPS,
    Comparison,
    ComparisonInterrupted,
    Contender,
    CrossValidation,
    DataInfo,
    FoldScore,
    corrected_error,
)
from hyperna.comparison.classifiers import contenders, register
from hyperna.comparison.validation import _prepared
from hyperna.datasets import Dataset, dataset, load, rotation

FAST = ["logistic", "tree", "knn"]
QUICK = ["logistic", "perceptron", "linear_svc", "mlp8", "knn", "svc", "forest", "tree"]


@pytest.fixture(scope="module")
def arcs():
    return compare("half_d5", FAST, repeats=2, rotate=True, seed=3)


@pytest.mark.parametrize("rotated", [False, True])
@pytest.mark.parametrize(
    ("name", "estimator"),
    [("logistic", LogisticRegression(max_iter=1000)), ("knn", KNeighborsClassifier())],
)
def test_scores_are_those_of_cross_validation_on_the_same_folds(arcs, name, estimator, rotated):
    data = load("half_d5")
    steps = [StandardScaler(), estimator]
    if rotated:
        from sklearn.preprocessing import FunctionTransformer

        steps.insert(1, FunctionTransformer(lambda X: X @ rotation(5, 3).T))
    folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=3)
    expected = cross_validate(
        make_pipeline(*steps), data.X, data.y, cv=folds, return_train_score=True
    )
    rows = [
        row for row in arcs.records() if row["classifier"] == name and row["rotated"] is rotated
    ]
    assert [row["test_accuracy"] for row in rows] == expected["test_score"].tolist()
    assert [row["train_accuracy"] for row in rows] == expected["train_score"].tolist()
    assert [(row["repeat"], row["fold"]) for row in rows] == [divmod(i, 5) for i in range(10)]
    assert arcs.test_accuracies(name, rotated=rotated).tolist() == expected["test_score"].tolist()


def test_rotation_hurts_only_who_looks_along_the_axes(arcs):
    straight, turned = (arcs.test_accuracies("knn", rotated=value) for value in (False, True))
    assert straight.tolist() == turned.tolist()
    straight, turned = (arcs.test_accuracies("tree", rotated=value) for value in (False, True))
    assert straight.mean() > 0.99
    assert turned.mean() < 0.95


def test_summary_has_corrected_errors_and_medians(arcs):
    summary = {(row["classifier"], row["rotated"]): row for row in arcs.summary()}
    assert len(summary) == 6
    for (name, rotated), row in summary.items():
        fits = [
            fit for fit in arcs.records() if (fit["classifier"], fit["rotated"]) == (name, rotated)
        ]
        for part in ("train_accuracy", "test_accuracy"):
            values = np.array([fit[part] for fit in fits])
            assert row[part] == pytest.approx(values.mean())
            error = math.sqrt((1 / 10 + 60 / 240) * values.var(ddof=1))
            assert row[f"{part}_se"] == pytest.approx(error)
        assert row["fit_seconds"] == np.median([fit["fit_seconds"] for fit in fits])
        assert row["size"] == np.median([fit["size"] for fit in fits])
        assert row["unconverged"] == 0


def test_corrected_error_covers_where_the_naive_one_does_not():
    # Values that share a part, as overlapping training sets make them: correlation 1/folds.
    rng = np.random.default_rng(0)
    folds, fits, runs = 5, 15, 2000
    common = rng.standard_normal((runs, 1)) * math.sqrt(1 / folds)
    values = common + rng.standard_normal((runs, fits)) * math.sqrt(1 - 1 / folds)
    errors = np.array([corrected_error(row, folds) for row in values])
    naive = values.std(axis=1, ddof=1) / math.sqrt(fits)
    limit = stats.t.ppf(0.975, fits - 1)
    assert np.mean(np.abs(values.mean(axis=1)) < limit * errors) == pytest.approx(0.95, abs=0.03)
    assert np.mean(np.abs(values.mean(axis=1)) < limit * naive) < 0.75


def test_differences_are_paired(arcs):
    found = {(row["classifier"], row["rotated"]): row for row in arcs.differences("logistic")}
    assert set(found) == {("tree", False), ("knn", False), ("tree", True), ("knn", True)}
    gap = arcs.test_accuracies("knn") - arcs.test_accuracies("logistic")
    row = found["knn", False]
    assert row["difference"] == pytest.approx(gap.mean())
    assert row["difference_se"] == pytest.approx(corrected_error(gap, 5))
    expected = 2 * stats.t.sf(abs(gap.mean()) / corrected_error(gap, 5), 9)
    assert row["p_value"] == pytest.approx(expected)


def test_equal_classifiers_have_no_difference():
    twins = {"one": KNeighborsClassifier(3), "two": KNeighborsClassifier(3)}
    [row] = compare("xor", twins, repeats=1).differences()
    assert (row["difference"], row["difference_se"], row["p_value"]) == (0, 0, 1)


@pytest.mark.slow
def test_processes_do_not_change_scores():
    settings = {"data": "moons", "classifiers": ["perceptron", "tree"], "repeats": 1}
    alone, together = compare(**settings), compare(**settings, n_jobs=2)
    without_time = [
        [{**row, "fit_seconds": 0} for row in result.records()] for result in (alone, together)
    ]
    assert without_time[0] == without_time[1]


def test_seed_deals_folds_and_states():
    one, same, other = (compare("moons", ["tree"], repeats=1, seed=seed) for seed in (1, 1, 2))
    assert one.test_accuracies("tree").tolist() == same.test_accuracies("tree").tolist()
    assert one.test_accuracies("tree").tolist() != other.test_accuracies("tree").tolist()
    assert compare("moons", ["tree"], repeats=1, seed=2**70).seed == 2**70


@pytest.mark.parametrize(
    "contender",
    [
        pytest.param(entry, id=name, marks=[pytest.mark.slow] * (name == "ebm"))
        for name, entry in CLASSIFIERS.items()
    ],
)
def test_every_contender_learns_two_and_three_classes_and_has_a_size(contender):
    if contender.absent:
        pytest.skip(contender.absent)
    rng = np.random.default_rng(0)
    for classes in (2, 3):
        y = np.array(["one", "two", "three"])[np.arange(90) % classes]
        X = 3 * np.eye(3)[np.arange(90) % classes] + 0.1 * rng.standard_normal((90, 3))
        result = compare((X, y), [contender.name], folds=2, repeats=1)
        [row] = result.summary()
        assert row["failure"] == ""
        assert row["test_accuracy"] > 0.8
        assert row["size"] >= classes - 1
        assert row["unit"]
        assert contender.summary


def test_sizes_count_what_a_reader_looks_at():
    """Terms, splits, coefficients that are not 0, or what is stored."""
    rng = np.random.default_rng(1)
    y = np.arange(40) % 2
    X = rng.standard_normal((40, 3)) + 2 * y[:, None]
    fitted = {name: CLASSIFIERS[name].build(0).fit(X, y) for name in CLASSIFIERS if name in QUICK}
    sizes = {name: CLASSIFIERS[name].size(model) for name, model in fitted.items()}
    assert sizes["logistic"] == sizes["perceptron"] == sizes["linear_svc"] == 3
    assert sizes["mlp8"] == 8 * 3 + 8
    assert sizes["knn"] == X.size
    assert sizes["svc"] == 3 * len(fitted["svc"].support_)
    splits = [(tree.tree_.node_count - 1) // 2 for tree in fitted["forest"].estimators_]
    assert sizes["forest"] == sum(splits)
    assert sizes["tree"] == (fitted["tree"].tree_.node_count - 1) // 2
    half_space = CLASSIFIERS["na"].build(0).set_params(max_neurons=1).fit(X, y)
    assert CLASSIFIERS["na"].size(half_space) == np.count_nonzero(
        half_space.rules_[0].conditions[0].weights
    )


def test_sparse_logistic_regression_leaves_out_what_does_not_help():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 20))
    y = np.where(X[:, 3] - X[:, 7] + 0.5 * rng.standard_normal(300) > 0, "yes", "no")
    sparse = CLASSIFIERS["l1"].build(0).fit(X, y)
    assert 2 <= sparse.size_ < 20
    assert sparse.score(X, y) > 0.8
    single = CLASSIFIERS["l1"].build(0).fit(X[:3], ["a", "b", "b"])
    assert set(single.predict(X[:3])) <= {"a", "b"}


def test_an_optimal_tree_makes_fewer_errors_than_a_greedy_one_of_its_depth():
    pytest.importorskip("pycontree")
    from hyperna.comparison.rivals import OptimalTreeClassifier

    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (120, 3))
    y = X[:, 0] * X[:, 1] > 0
    optimal = OptimalTreeClassifier(max_depth=2).fit(X, y)
    greedy = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    assert optimal.score(X, y) > greedy.score(X, y)
    assert optimal.size_ <= 3
    noise = rng.integers(2, size=1500)
    points = rng.standard_normal((1500, 12))
    with pytest.warns(ConvergenceWarning, match="not proved to be optimal"):
        OptimalTreeClassifier(max_depth=4, time_limit=0.2).fit(points, noise)


def test_ripper_tries_rare_classes_first():
    pytest.importorskip("wittgenstein")
    from hyperna.comparison.rivals import RipperClassifier

    rng = np.random.default_rng(0)
    y = np.repeat(["many", "some", "few"], [100, 60, 30])
    X = rng.standard_normal((190, 2)) * 0.3 + np.repeat(
        [[0, 0], [3, 0], [0, 3]], [100, 60, 30], axis=0
    )
    ripper = RipperClassifier(random_state=0).fit(X, y)
    assert ripper.classes_[ripper.order_].tolist() == ["few", "some", "many"]
    assert ripper.score(X, y) > 0.9
    assert ripper.size_ >= 2
    with pytest.raises(ValueError, match="two classes"):
        RipperClassifier().fit(X, ["one"] * 190)


def test_rivals_are_named_together():
    chosen = contenders(["na", "rivals", "tree"])
    assert [entry.name for entry in chosen] == [
        "na",
        "l1",
        "optimal_tree",
        "figs",
        "ripper",
        "ebm",
        "tree",
    ]
    assert set(GROUPS["rivals"]) <= set(CLASSIFIERS)


def test_who_is_not_installed_is_named_and_not_missed(capsys):
    ghost = Contender(
        "ghost", "", None, package="no-such-package", module="no_such", extra="rivals"
    )
    result = compare("xor", ["tree", ghost], folds=2, repeats=1)
    assert [entry.name for entry in result.classifiers] == ["tree"]
    assert result.absent == {
        "ghost": "needs no-such-package: install it with pip install 'hyperna[rivals]'"
    }
    with pytest.raises(ImportError, match="ghost needs no-such-package"):
        compare("xor", [ghost])
    with patch.dict(CLASSIFIERS, {"ghost": ghost}):
        assert main(["compare", "xor", "--classifiers", "tree,ghost", "--folds", "2"]) == 0
        assert "ghost is not compared: it needs no-such-package" in capsys.readouterr().out
        assert main(["compare", "--list"]) == 0
        assert "needs no-such-package" in capsys.readouterr().out


def test_a_rival_that_fails_does_not_end_the_comparison():
    class Broken(KNeighborsClassifier):
        def fit(self, X, y):
            if len(X) % 2:
                raise ZeroDivisionError("no data")
            return super().fit(X, y)

    broken = Contender("broken", "", lambda seed: Broken(), package="numpy", extra="rivals")
    result = compare("xor:n=101", ["tree", broken], folds=2, repeats=1)
    [tree, other] = result.summary()
    assert (tree["failed"], other["failed"], other["fits"]) == (0, 1, 1)
    assert other["failure"] == "ZeroDivisionError: no data"
    assert other["test_accuracy_se"] is None
    assert "1 of 2 fits failed: ZeroDivisionError: no data" in result.to_markdown()
    [difference] = result.differences()
    assert difference["difference_se"] is None
    assert difference["p_value"] is None
    always = Contender("always", "", lambda seed: Broken(), package="numpy")
    rows = compare("xor:n=102", ["tree", always], folds=2, repeats=1)
    assert [row[0] for row in rows.table(rows.data[0])] == ["tree", "always"]
    assert rows.averages().keys() == {"tree"}
    own = Contender("own", "", lambda seed: Broken())
    with pytest.raises(ZeroDivisionError):
        compare("xor:n=102", [own], folds=2, repeats=1)


def test_a_new_classifier_touches_one_place(monkeypatch, capsys):
    monkeypatch.setattr("hyperna.comparison.classifiers.CLASSIFIERS", CLASSIFIERS)

    def stump(seed):
        return DecisionTreeClassifier(max_depth=1, random_state=seed)

    register(Contender("stump", "a tree of one split", stump, lambda fitted: 3, "node"))
    try:
        argv = ["compare", "xor", "--classifiers", "stump, tree", "--repeats", "1", "--json"]
        assert main(argv) == 0
    finally:
        del CLASSIFIERS["stump"]
    shown = json.loads(capsys.readouterr().out)
    assert shown["classifiers"]["stump"] == "a tree of one split"
    averages = shown["averages"]
    assert averages["stump"] < 0.7 < averages["tree"]


def test_own_estimators_and_unconverged_fits():
    own = {"short": MLPClassifier(max_iter=1), "knn1": KNeighborsClassifier(1)}
    result = compare({"a": "xor", "b": "moons"}, own, folds=3, repeats=1)
    assert [info.name for info in result.data] == ["a", "b"]
    rows = {(row["dataset"], row["classifier"]): row for row in result.summary()}
    assert rows["a", "short"]["unconverged"] == 3
    assert rows["b", "knn1"]["unconverged"] == 0
    assert rows["b", "knn1"]["train_accuracy"] == 1
    assert rows["a", "short"]["size"] is None
    assert "3 of 3 fits did not converge" in result.to_markdown()
    extra = Contender("far", "15 neighbours", lambda seed: KNeighborsClassifier(15))
    assert compare("xor", ["knn", extra], repeats=1).averages().keys() == {"knn", "far"}


def test_warnings_of_other_kinds_are_not_swallowed():
    class Loud(KNeighborsClassifier):
        def fit(self, X, y):
            import warnings

            warnings.warn("loud", RuntimeWarning, stacklevel=2)
            return super().fit(X, y)

    with pytest.raises(RuntimeWarning, match="loud"):
        compare("xor", {"loud": Loud()}, repeats=1)


def test_an_interrupted_fit_ends_the_comparison(monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    seen = []
    compare("xor", ["na"], folds=2, repeats=1)  # with compilation and imports behind it
    monkeypatch.setattr("hyperna.classifier.search.Search.run", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compare("xor", ["na"], repeats=1, progress=lambda *pair: seen.append(pair))
    assert not seen


def test_markdown_shows_the_summary(arcs):
    text = arcs.to_markdown()
    for row in arcs.summary():
        accuracy = f"{row['test_accuracy']:.3f} ± {row['test_accuracy_se']:.3f}"
        assert f"| {row['classifier']} | {accuracy} |" in text
    assert "### half_d5, rotated: 300 points, 5 features, 2 classes" in text
    assert "Nadeau and Bengio" in text
    best = max(arcs.averages(), key=arcs.averages().get)
    assert f"| {best} | {arcs.averages()[best]:.3f} |" in text
    widths = {line.count("|") for line in text.splitlines() if line.startswith("|")}
    assert widths == {7, 3}


@pytest.mark.parametrize("n_jobs", [1, None])
def test_folds_are_dealt_as_they_are_needed(n_jobs):
    """With a list of all of them a billion repeats would fill the memory before the first fit."""

    def stop(done, total):
        assert (done, total) == (1, 4 * 10**9)
        raise KeyboardInterrupt

    options = {"folds": 2, "repeats": 10**9, "rotate": True, "n_jobs": n_jobs, "progress": stop}
    with pytest.raises(KeyboardInterrupt):
        compare("circles", ["tree"], **options)


def test_progress_counts_fits():
    seen = []
    options = {"folds": 3, "repeats": 2, "rotate": True}
    compare("xor", ["knn", "tree"], **options, progress=lambda *pair: seen.append(pair))
    assert seen == [(done, 24) for done in range(1, 25)]


def test_what_is_finished_survives_an_interrupt():
    def stop(done, total):
        if done == 7:
            raise KeyboardInterrupt

    whole = compare(["xor", "moons"], ["knn", "tree"], folds=2, repeats=1)
    options = {"folds": 2, "repeats": 1, "progress": stop}
    with pytest.raises(ComparisonInterrupted) as caught:
        compare(["xor", "moons"], ["knn", "tree"], **options)
    part = caught.value.comparison
    assert (len(part.scores), part.planned) == (6, 8)
    assert [info.name for info in part.data] == ["xor", "moons"]
    for mine, theirs in zip(part.scores, whole.scores, strict=False):
        assert mine._replace(fit_seconds=0) == theirs._replace(fit_seconds=0)
    first, _, second, _ = part.summary()
    assert (first["fits"], second["fits"]) == (2, 1)
    assert second["test_accuracy_se"] is None
    assert "Interrupted: 6 of 8 fits" in part.explanation
    assert "Means over 1 to 2 fits" in part.explanation

    def at_once(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as early:
        compare("xor", ["knn", "tree"], progress=at_once)
    assert not isinstance(early.value, ComparisonInterrupted)


def test_an_interrupted_command_shows_what_is_finished(monkeypatch, capsys):
    run = CrossValidation.run

    def interrupted(self, n_jobs, progress):
        def stop(done, total):
            if done == 5:
                raise KeyboardInterrupt

        run(self, n_jobs, stop)

    monkeypatch.setattr(CrossValidation, "run", interrupted)
    argv = ["compare", "xor", "--classifiers", "knn,tree", "--repeats", "1"]
    assert main(argv) == 130
    out, err = capsys.readouterr()
    assert "Interrupted: 4 of 10 fits" in out
    assert "interrupted: 4 of 10 fits are finished" in err
    assert main([*argv, "--json"]) == 130
    assert len(json.loads(capsys.readouterr().out)["summary"]) == 2


@pytest.mark.parametrize(
    ("data", "settings", "error", "words"),
    [
        ("xor", {"classifiers": ["nn"]}, ValueError, "classifiers must be one of 'na'"),
        ("xor", {"classifiers": []}, ValueError, "at least one classifier"),
        ("xor", {"classifiers": ["knn", "knn"]}, ValueError, "more than once"),
        ("xor", {"classifiers": {"k": KNeighborsClassifier}}, TypeError, "estimators"),
        ("xor", {"folds": 1}, ValueError, "folds must be an integer >= 2"),
        ("xor", {"repeats": 0}, ValueError, "repeats"),
        ("xor", {"repeats": np.uint64(2**64 - 1)}, ValueError, "repeats"),
        ("xor", {"seed": -1}, ValueError, "seed"),
        ("xor", {"n_jobs": 0}, ValueError, "n_jobs"),
        ("xor", {"n_jobs": 10**5}, ValueError, "n_jobs"),
        ("cube_d3", {}, ValueError, "folds must be at most 4"),
        ([], {}, ValueError, "at least one data set"),
        (["xor", "xor"], {}, ValueError, "different names"),
        ("nothing", {}, ValueError, "nothing"),
        (([[1.0], [2.0]], [1, 1]), {}, ValueError, "two classes"),
    ],
)
def test_bad_arguments(data, settings, error, words):
    with pytest.raises(error, match=words):
        compare(data, **{"classifiers": ["knn"], **settings})


def test_asking_for_what_was_not_compared():
    result = compare("xor", ["knn"], repeats=1)
    for arguments, words in (
        ({"classifier": "svc"}, "classifier must be one of 'knn'"),
        ({"classifier": "knn", "dataset": "moons"}, "dataset must be one of 'xor'"),
        ({"classifier": "knn", "rotated": True}, "rotate=True"),
    ):
        with pytest.raises(ValueError, match=words):
            result.test_accuracies(**arguments)
    with pytest.raises(ValueError, match="at least two"):
        corrected_error([1.0], 5)


def test_the_callers_arrays_are_left_alone():
    X, y = dataset("xor").X.copy(), dataset("xor").y.copy()
    X.flags.writeable = y.flags.writeable = False
    compare((X, y), ["knn"], repeats=1)


def test_picture_shows_the_summary(arcs):
    plt = pytest.importorskip("matplotlib.pyplot")
    from hyperna.plots import comparison_figure, plot_comparison

    ax = plot_comparison(arcs)
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    summary = {(row["classifier"], row["rotated"]): row for row in arcs.summary()}
    assert names == sorted(FAST, key=lambda name: summary[name, False]["test_accuracy"])
    drawn = {line.get_label(): line.get_xdata() for line in ax.lines}
    trained = [summary[name, False]["train_accuracy"] for name in names]
    assert drawn["training"] == pytest.approx(trained)
    assert drawn["largest class"][0] == arcs.data[0].majority
    for bars, rotated in zip(ax.containers, (False, True), strict=True):
        points, _, [lines] = bars
        wanted = {name: summary[name, rotated] for name in names}
        shown = {names[round(y)]: x for x, y in zip(*points.get_data(), strict=True)}
        for name, row in wanted.items():
            assert shown[name] == pytest.approx(row["test_accuracy"])
        lengths = {names[round(y0)]: x1 - x0 for (x0, y0), (x1, _) in lines.get_segments()}
        for name, row in wanted.items():
            assert lengths[name] == pytest.approx(2 * row["test_accuracy_se"])
    with pytest.raises(ValueError, match="dataset must be one of 'half_d5'"):
        plot_comparison(arcs, "moons")
    assert len(comparison_figure(arcs).axes) == 2
    plt.close("all")


def test_tables_have_the_best_first_and_times_in_their_unit():
    """Made-up scores, so that nothing is fitted."""
    made = {"slow": (0.7, 2.5, None), "quick": (0.9, 0.0123, 4), "middle": (0.8, 0.5, 7)}
    scores = [
        FoldScore("data", False, name, 0, fold, 1.0, accuracy + fold / 50, seconds, size, fold > 0)
        for name, (accuracy, seconds, size) in made.items()
        for fold in range(2)
    ]
    who = tuple(Contender(name, name, None, None, "number") for name in made)
    info = DataInfo("data", False, 10, 2, 2, 0.5)
    table = Comparison((info,), who, tuple(scores), 2, 1, 0).table(info)
    assert [row[0] for row in table] == ["quick", "middle", "slow"]
    assert [row[1].partition(" ")[0] for row in table] == ["0.910", "0.810", "0.710"]
    assert [row[3] for row in table] == ["12.3 ms", "500.0 ms", "2.50 s"]
    assert [row[4] for row in table] == ["4 numbers", "7 numbers", "–"]
    assert {row[5] for row in table} == {"1 of 2 fits did not converge"}


def test_both_parts_of_a_fold_are_turned_alike():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(40, 3)) * [1, 1e3, 1e-3]
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    plain, turned = _prepared(points, points, None), _prepared(points, points, turn)
    assert np.allclose(plain[0], plain[1])
    for before, after in zip(plain, turned, strict=True):
        assert np.allclose(after, before @ turn.T)


@pytest.mark.parametrize("usual", [0.0, 1.0, 5e-324])
@pytest.mark.parametrize("far", [3.4028235677973366e38, -1.7e308])
def test_rows_for_testing_may_be_far_away(usual, far):
    """Where a column is nearly constant in a fold, the other rows may be any distance away."""
    train = np.array([[usual], [0.0], [usual], [0.0]])
    test = np.array([[far], [0.0], [usual]])
    for part in _prepared(train, test, None):
        assert np.isfinite(part.astype(np.float32)).all()
    scaled = _prepared(train, test, None)[1]
    assert np.sign(scaled[0] - scaled[1]) == np.sign(far)


def test_pictures_of_sizes_show_who_is_small_and_good(arcs):
    plt = pytest.importorskip("matplotlib.pyplot")
    from hyperna.plots import plot_sizes

    ax = plot_sizes(arcs)
    rows = {row["classifier"]: row for row in arcs.summary() if not row["rotated"]}
    points, _, _ = ax.containers[0]
    drawn = dict(zip(rows, zip(*points.get_data(), strict=True), strict=True))
    for name, row in rows.items():
        assert drawn[name] == pytest.approx((row["size"], row["test_accuracy"]))
    assert {text.get_text() for text in ax.texts} == set(rows)
    front = dict(zip(*ax.lines[-1].get_data(), strict=True))
    for size, accuracy in front.items():
        smaller = [row for row in rows.values() if row["size"] <= size]
        assert accuracy == max(row["test_accuracy"] for row in smaller)
    assert len(front) >= 1
    plt.close("all")


def test_the_same_gap_in_every_fold_is_all_evidence():
    """One answers always as labelled, the other never."""
    from sklearn.base import BaseEstimator, ClassifierMixin

    class Always(ClassifierMixin, BaseEstimator):
        def __init__(self, right=True):
            self.right = right

        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return (X[:, 0] > 0) == self.right

    X = np.linspace(-1, 1, 20)[:, None]
    twins = {"right": Always(), "wrong": Always(right=False)}
    [row] = compare((X, X[:, 0] > 0), twins, folds=2, repeats=1).differences()
    assert (row["difference"], row["difference_se"], row["p_value"]) == (-1, 0, 0)


def test_all_classes_of_one_row_are_named():
    data = Dataset(np.arange(8.0)[:, None], [*"aaaaabcd"], name="letters")
    with pytest.raises(ValueError, match="'b', 'c', 'd' have one"):
        compare(data, ["na"], folds=2)
