"""NAClassifier: what it promises beyond scikit-learn's own checks."""

import itertools
import json
import pickle
import signal
import threading
import warnings

import joblib
import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_iris, make_circles, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from hyperna import NAClassifier, export_text
from hyperna.classifier import half_spaces, problem

QUICK = {"max_evals": 2000, "n_restarts": 0, "random_state": 0}


def xor(n=80, seed=0):
    rng = np.random.default_rng(seed)
    corner = rng.integers(0, 2, (n, 2))
    return 2.0 * corner - 1 + 0.3 * rng.normal(size=(n, 2)), corner[:, 0] ^ corner[:, 1]


def cube(dim):
    X = np.array(list(itertools.product((-1.0, 1.0), repeat=dim)))
    return X, X.prod(axis=1) > 0


def fewest_line_errors(X, y):
    """The least number of errors of any half-plane, over all lines through pairs of points.

    A best line can be moved until it touches two points, which may then lie on either side.
    """
    best = min(y.sum(), (~y).sum())
    for i, j in itertools.combinations(range(len(X)), 2):
        normal = np.array([X[i, 1] - X[j, 1], X[j, 0] - X[i, 0]])
        side = (X - X[i]) @ normal
        side[[i, j]] = 0.0
        above, below = side > 0, side < 0
        for touched in itertools.product((False, True), repeat=2):
            fires = above.copy()
            fires[[i, j]] = touched
            turned = below.copy()
            turned[[i, j]] = touched
            best = min(best, (fires != y).sum(), (turned != y).sum())
    return int(best)


@pytest.mark.parametrize("output", ["auto", "or", "and", "evolved"])
@pytest.mark.parametrize("tie_break", ["margin", None, 0.2])
def test_reported_score_is_the_score(output, tie_break):
    X, y = make_moons(60, noise=0.3, random_state=1)
    clf = NAClassifier(4, output=output, tie_break=tie_break, **QUICK).fit(X, y)
    assert clf.training_score_ == clf.score(X, y)
    assert clf.loss_curve_[-1] == pytest.approx(1 - clf.training_score_, abs=1e-12)
    assert (np.diff(clf.loss_curve_) < 0).all()
    assert (np.diff(clf.loss_evals_) > 0).all()
    assert clf.n_iter_ <= 2000


def test_weighted_score_and_multiclass_score_are_reported_too():
    X, y = load_iris(return_X_y=True)
    weight = np.arange(len(y)) % 4
    clf = NAClassifier(1, **QUICK).fit(X, y, sample_weight=weight)
    assert clf.training_score_ == pytest.approx(clf.score(X, y, weight), abs=1e-14)
    assert len(clf.networks_) == 3
    with pytest.raises(AttributeError, match="networks_ holds all"):
        clf.network_  # noqa: B018
    assert clf.decision_function(X).shape == (150, 3)
    assert (clf.predict(X) == clf.decision_function(X).argmax(axis=1)).all()


@pytest.mark.parametrize("dim", [3, 4, 5, 6])
def test_parity_of_the_cube_is_learned(dim):
    X, y = cube(dim)
    assert NAClassifier(random_state=dim).fit(X, y).score(X, y) == 1.0


@pytest.mark.parametrize("inner", [0, 1])
def test_either_class_may_be_the_union(inner):
    X, y = make_circles(120, noise=0.05, factor=0.5, random_state=0)
    clf = NAClassifier(max_evals=6000, random_state=0).fit(X, y ^ inner)
    assert clf.score(X, y ^ inner) > 0.98


@pytest.mark.parametrize("seed", range(3))
def test_one_neuron_reaches_the_optimum_in_the_plane(seed):
    X, y = make_moons(40, noise=0.5, random_state=seed)
    clf = NAClassifier(1, random_state=seed).fit(X, y)
    errors = round((1 - clf.training_score_) * len(y))
    assert errors == fewest_line_errors(X, y.astype(bool))


def test_one_neuron_has_no_more_training_errors_than_linear_models():
    X, y = load_iris(return_X_y=True)
    X, y = X[y > 0], y[y > 0]
    standard = StandardScaler().fit_transform(X)
    ours = NAClassifier(1, max_evals=5000, random_state=0).fit(X, y).training_score_
    for model in (Perceptron(), LogisticRegression(), LinearSVC()):
        assert ours >= model.fit(standard, y).score(standard, y)


@pytest.mark.parametrize("output", ["or", "and", "evolved"])
@pytest.mark.parametrize("neurons", [8, 16])
def test_many_neurons_start_no_worse_than_one(neurons, output):
    X, y = make_moons(80, noise=0.3, random_state=3)
    settings = {"max_evals": 4000, "random_state": 0}
    one = NAClassifier(1, output=output, **settings).fit(X, y)
    many = NAClassifier(neurons, output=output, **settings).fit(X, y)
    assert many.network_.grid.neurons == neurons
    assert many.training_score_ >= one.training_score_ - 1 / len(y)


def test_margins_widen_at_the_same_number_of_errors():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = X[:, 0] > 0
    X[:, 0] += np.where(y, 0.2, -0.2)

    def mean_margin(tie_break):
        settings = {"init": "sphere", "max_evals": 6000, "random_state": 0}
        clf = NAClassifier(1, tie_break=tie_break, **settings).fit(X, y)
        assert clf.training_score_ == 1.0
        return np.minimum(np.abs(clf.decision_function(X)), 0.05).mean()

    assert mean_margin("margin") > mean_margin(None)


def test_the_paper_s_algorithm_is_still_there():
    """Random start, one neuron, no margins: the run that OnePlusOneNA makes."""
    from hyperna import FiniteSet, OnePlusOneNA

    X, y = xor()
    X = X / np.linalg.norm(X, axis=1).max()
    clf = NAClassifier(2, output="or", init="grid", tie_break=None, scale=False, **QUICK).fit(X, y)
    order = np.lexsort((X[:, 1], X[:, 0], y))
    words = np.random.RandomState(0).randint(2**31 - 1, size=4).tolist()
    seed = np.random.SeedSequence(words, spawn_key=(1, 3, 0, 0))
    na = OnePlusOneNA(neurons=2, resolution=65536)
    run = na.run(FiniteSet(X[order], y[order]), budget=1999, target=1.0, seed=seed)
    assert clf.network_ == run.network


def test_rows_may_be_repeated_weighted_or_shuffled():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 2, 40)
    weight = rng.integers(0, 4, 40)
    rows = rng.permutation(np.repeat(np.arange(40), weight))
    weighted = NAClassifier(**QUICK).fit(X, y, sample_weight=weight)
    repeated = NAClassifier(**QUICK).fit(X[rows], y[rows])
    assert weighted.network_ == repeated.network_
    assert weighted.to_json() == repeated.to_json()


def test_same_network_for_any_number_of_threads():
    X, y = load_iris(return_X_y=True)
    alone = NAClassifier(**QUICK).fit(X, y)
    for jobs in (2, 3):
        assert NAClassifier(**QUICK, n_jobs=jobs).fit(X, y).networks_ == alone.networks_


def test_constant_features_and_units_are_harmless():
    X, y = make_moons(60, noise=0.2, random_state=0)
    plain = NAClassifier(2, **QUICK).fit(X, y)
    padded = np.column_stack([X[:, 0], np.full(60, 0.1), X[:, 1]])
    clf = NAClassifier(2, **QUICK).fit(padded, y)
    assert clf.training_score_ > 0.8
    moved = padded.copy()
    moved[:, 1] = 1e9
    assert (clf.predict(moved) == clf.predict(padded)).all()
    assert (
        NAClassifier(2, **QUICK).fit(X * 2.0**40, y).predict(X * 2.0**40) == plain.predict(X)
    ).all()


def test_half_spaces_in_original_units_are_the_network():
    X, y = xor()
    X = X * [10.0, 0.01] + [500.0, -3.0]
    clf = NAClassifier(2, output="and", **QUICK).fit(X, y)
    W, t = half_spaces(clf.network_, clf.scaling_)
    assert ((X @ W.T - t >= 0).all(axis=1) == clf.predict(X)).all()


def test_text_names_classes_features_and_joins():
    X, y = xor()
    names = np.array(["no", "yes"])[y]
    clf = NAClassifier(2, output="or", **QUICK).fit(X, names)
    text = export_text(clf, ["height", "width"])
    assert text.startswith("class 'yes' if ANY of\n")
    assert text.endswith("otherwise 'no'")
    assert text.count(">=") == 2
    assert "height" in text
    assert "h1" in export_text(NAClassifier(3, output="evolved", **QUICK).fit(X, y))
    assert "class 2" in export_text(NAClassifier(1, **QUICK).fit(X, y + (X[:, 0] > 1)))
    with pytest.raises(ValueError, match="feature_names must be 2 names, got 1"):
        export_text(clf, ["height"])


def test_probabilities_rise_with_the_distance_and_agree_with_the_answer():
    X, y = make_moons(80, noise=0.3, random_state=0)
    clf = NAClassifier(**QUICK).fit(X, y)
    probability, distance = clf.predict_proba(X), clf.decision_function(X)
    assert np.allclose(probability.sum(axis=1), 1)
    assert (probability.argmax(axis=1) == clf.predict(X)).all()
    order = np.argsort(distance)
    assert (np.diff(probability[order, 1]) >= 0).all()


@pytest.mark.parametrize("labels", [[0, 1], [-1.0, 2.0], ["a", "b"], [False, True], [3, 5, 9]])
def test_json_keeps_everything_that_predicts(labels):
    X, _ = xor(60)
    y = np.array(labels)[np.arange(60) % len(labels)]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=["u", "v"])
    clf = NAClassifier(2, **QUICK).fit(frame, y)
    back = NAClassifier.from_json(clf.to_json())
    assert back.classes_.dtype == clf.classes_.dtype
    assert (back.predict(frame) == clf.predict(frame)).all()
    assert np.array_equal(back.predict_proba(frame), clf.predict_proba(frame))
    assert list(back.feature_names_in_) == ["u", "v"]
    assert back.get_params() == clf.get_params()
    assert back.to_json() == clf.to_json()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "version must be 1, got 2"),
        ({"format": "x"}, "format 'hyperna.classifier'"),
        ({"classes": [1, 0]}, "sorted"),
        ({"classes": [0, "1"]}, "classes must be a list"),
        ({"width": [1.0, -1.0]}, "width must not be negative"),
        ({"width": [1.0]}, "width must have shape"),
        ({"centre": [0.0, None]}, "centre must be"),
        ({"networks": []}, "networks must be a list"),
        ({"parameters": {"colour": 1}}, "parameters must be those of"),
        ({"feature_names": [1, 2]}, "feature_names must be 2 strings"),
        ({"extra": 1}, "must have the keys"),
    ],
)
def test_json_is_checked(change, message):
    X, y = xor(20)
    data = json.loads(NAClassifier(1, **QUICK).fit(X, y).to_json())
    with pytest.raises(ValueError, match=message):
        NAClassifier.from_json(json.dumps(data | change))


def test_json_refuses_other_text():
    with pytest.raises(ValueError, match="text must be the JSON"):
        NAClassifier.from_json("{")
    with pytest.raises(TypeError, match="text must be a str"):
        NAClassifier.from_json(b"{}")


@pytest.mark.parametrize(
    ("parameter", "value", "error"),
    [
        ("n_neurons", 0, ValueError),
        ("n_neurons", 1.5, TypeError),
        ("n_neurons", "many", TypeError),
        ("output", "xor", ValueError),
        ("resolution", 1, ValueError),
        ("mutation", "huge", ValueError),
        ("max_evals", 0, ValueError),
        ("n_restarts", -1, ValueError),
        ("stagnation", 0, ValueError),
        ("tie_break", "coin", ValueError),
        ("tie_break", -1.0, ValueError),
        ("tie_break", np.nan, ValueError),
        ("init", "zero", ValueError),
        ("scale", "yes", TypeError),
        ("warm_start", 1, TypeError),
        ("verbose", -1, ValueError),
        ("random_state", "x", ValueError),
        ("n_jobs", 0, ValueError),
    ],
)
def test_bad_parameters_are_named(parameter, value, error):
    X, y = xor(20)
    with pytest.raises(error, match=parameter if parameter != "random_state" else "seed"):
        NAClassifier(**{parameter: value}).fit(X, y)


@pytest.mark.parametrize("weight", [np.nan, np.inf, -1.0])
def test_bad_weights_are_refused(weight):
    X, y = xor(20)
    weights = np.ones(20)
    weights[3] = weight
    with pytest.raises(ValueError, match="sample_weight"):
        NAClassifier().fit(X, y, sample_weight=weights)


def test_one_class_by_weight_is_refused():
    X, y = xor(20)
    with pytest.raises(ValueError, match="only one class: 1"):
        NAClassifier().fit(X, y, sample_weight=y.astype(float))


@pytest.mark.parametrize("max_evals", [1, 2, 7, 100])
def test_few_evaluations_suffice_for_an_answer(max_evals):
    X, y = xor()
    clf = NAClassifier(max_evals=max_evals, random_state=0).fit(X, y)
    assert clf.training_score_ >= 0.5


def test_warm_start_goes_on_from_the_last_network():
    X, y = make_moons(80, noise=0.3, random_state=0)
    clf = NAClassifier(3, warm_start=True, max_evals=300, random_state=0)
    scores = [clf.fit(X, y).training_score_ for _ in range(4)]
    assert scores == sorted(scores)
    shape = clf.network_.grid
    clf.fit(X[:50], y[:50])
    assert clf.network_.grid == shape
    with pytest.raises(ValueError, match="same classes"):
        clf.fit(X, y + 1)


class InterruptedSearch(problem.Search):
    """A search during whose n-th piece a key is pressed."""

    left = 0

    def advance(self, quota=None):
        InterruptedSearch.left -= 1
        if InterruptedSearch.left == 0:
            raise KeyboardInterrupt
        return super().advance(quota)


@pytest.mark.parametrize("piece", [3, 12])
@pytest.mark.parametrize("jobs", [1, 2])
def test_interrupted_fit_leaves_the_best_network(monkeypatch, piece, jobs):
    X, y = xor()
    monkeypatch.setattr(problem, "Search", InterruptedSearch)
    InterruptedSearch.left = piece
    clf = NAClassifier(4, max_evals=4000, random_state=0, n_jobs=jobs)
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        clf.fit(X, y)
    assert clf.score(X, y) == clf.training_score_ >= 0.5


class KeySearch(problem.Search):
    """A search during whose tenth piece the system delivers an interrupt to the main thread."""

    pieces = itertools.count()

    def advance(self, quota=None):
        if next(KeySearch.pieces) == 10:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        return super().advance(quota)


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs POSIX signals")
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_key_pressed_ends_an_endless_fit(monkeypatch, jobs):
    X, y = xor(20)
    monkeypatch.setattr(problem, "Search", KeySearch)
    KeySearch.pieces = itertools.count()
    clf = NAClassifier(2, max_evals=10**12, random_state=0, n_jobs=jobs)
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        clf.fit(X, y)
    assert clf.score(X, y) == clf.training_score_


def test_an_interrupt_ends_one_fit_of_a_grid_search_or_all(monkeypatch):
    X, y = xor(40)
    monkeypatch.setattr(problem, "Search", InterruptedSearch)
    grid = {"n_neurons": [1, 2, 3]}
    InterruptedSearch.left = 2
    search = GridSearchCV(NAClassifier(output="or", **QUICK), grid, cv=2, refit=False)
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        search.fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    InterruptedSearch.left = 2
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        with pytest.raises(ConvergenceWarning, match="interrupted"):
            search.set_params(error_score="raise").fit(X, y)


def test_interrupt_before_there_is_a_network_is_raised(monkeypatch):
    X, y = xor()
    monkeypatch.setattr(problem, "Search", InterruptedSearch)
    InterruptedSearch.left = 1
    clf = NAClassifier(4, **QUICK)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, y)
    with pytest.raises(sklearn.exceptions.NotFittedError):
        clf.predict(X)


def test_verbose_prints_the_way(capsys):
    X, y = xor(40)
    NAClassifier(1, **QUICK, verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 3
    assert all("evaluations" in line for line in lines)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_memory_layout_does_not_matter(dtype, order):
    X, y = xor()
    X = X.astype(np.float32)
    plain = NAClassifier(2, **QUICK).fit(X, y)
    other = np.array(X, dtype=dtype, order=order)
    other.flags.writeable = False
    clf = NAClassifier(2, **QUICK).fit(other, y)
    assert clf.network_ == plain.network_
    assert (clf.predict(other) == plain.predict(X)).all()


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_give_feature_names(library):
    frames = pytest.importorskip(library)
    X, y = xor(40)
    frame = frames.DataFrame({"width": X[:, 0], "height": X[:, 1]})
    clf = NAClassifier(2, **QUICK).fit(frame, y)
    assert list(clf.feature_names_in_) == ["width", "height"]
    assert clf.network_ == NAClassifier(2, **QUICK).fit(X, y).network_
    assert "width" in export_text(clf)


def test_lives_in_scikit_learn(tmp_path):
    X, y = xor()
    pipeline = make_pipeline(StandardScaler(), NAClassifier(**QUICK))
    search = GridSearchCV(pipeline, {"naclassifier__n_neurons": [1, 3]}, cv=2).fit(X, y)
    best = search.best_estimator_
    assert search.best_params_ == {"naclassifier__n_neurons": 3}
    assert clone(best[-1]).get_params() == best[-1].get_params()
    again = pickle.loads(pickle.dumps(best))
    joblib.dump(best, tmp_path / "model.joblib")
    loaded = joblib.load(tmp_path / "model.joblib")
    assert (again.predict(X) == best.predict(X)).all()
    assert (loaded.predict(X) == best.predict(X)).all()
    assert "NAClassifier" in best._repr_html_()


def test_weights_are_routed():
    X, y = xor()
    weight = np.arange(len(y)) % 3
    with sklearn.config_context(enable_metadata_routing=True):
        clf = NAClassifier(1, **QUICK)
        split = [(np.arange(40), np.arange(40, 80))]
        clf.set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        result = cross_validate(
            clf, X, y, params={"sample_weight": weight}, cv=split, return_estimator=True
        )
    fitted = result["estimator"][0]
    assert fitted.network_ == clone(clf).fit(X[:40], y[:40], weight[:40]).network_
    assert result["test_score"][0] == fitted.score(X[40:], y[40:], weight[40:])


def test_boundary_is_drawn():
    pytest.importorskip("matplotlib").use("Agg")
    from sklearn.inspection import DecisionBoundaryDisplay

    X, y = xor(40)
    clf = NAClassifier(2, **QUICK).fit(X, y)
    for method in ("predict", "decision_function", "predict_proba"):
        shown = DecisionBoundaryDisplay.from_estimator(
            clf, X, response_method=method, grid_resolution=10
        )
        assert shown.response.shape[:2] == (10, 10)


def test_scikit_learn_s_callbacks_see_the_fit():
    callback = pytest.importorskip("sklearn.callback")
    X, y = xor(40)
    monitor = callback.ScoringMonitor(scoring="accuracy")
    clf = NAClassifier(3, **QUICK)
    clf.set_callbacks(monitor).fit(X, y)
    scores = [row["accuracy"] for row in monitor.get_logs().data if "accuracy" in row]
    assert len(scores) > 5
    assert max(scores) == clf.training_score_
    assert clf.network_ == NAClassifier(3, **QUICK).fit(X, y).network_


def test_progress_bar_and_a_callback_that_stops():
    callback = pytest.importorskip("sklearn.callback")
    X, y = xor(40)

    class Enough:
        seen = 0

        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            pass

        def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
            Enough.seen += 1
            return Enough.seen == 5

    clf = NAClassifier(3, **QUICK)
    clf.set_callbacks(callback.ProgressBar(), Enough()).fit(X, y)
    assert Enough.seen == 6
    assert clf.n_iter_ < NAClassifier(3, **QUICK).fit(X, y).n_iter_
