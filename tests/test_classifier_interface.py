"""Round the fits of NAClassifier: texts, JSON, refusals, frames, scikit-learn's tools."""

import itertools
import pickle

import joblib
import numpy as np
import pytest
import sklearn
from samples import QUICK, xor
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from hyperna import NAClassifier, compare, export_text
from hyperna.classifier import half_spaces


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
    assert len(text.splitlines()) == 4
    assert "height" in text
    crossing = export_text(NAClassifier(2, output="xor", **QUICK).fit(X, names))
    assert crossing.startswith("class 'yes' if EXACTLY ONE of\n")
    corners = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
    odd = NAClassifier(3, output="xor", **QUICK).fit(corners, corners.prod(axis=1))
    assert "if an ODD NUMBER of" in export_text(odd)
    assert "class 2" in export_text(NAClassifier(1, **QUICK).fit(X, y + (X[:, 0] > 1)))
    with pytest.raises(TypeError, match=r"must be an NAClassifier, got Pipeline; .* \[-1\]"):
        export_text(make_pipeline(StandardScaler(), clf))
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


@pytest.mark.parametrize(
    ("parameter", "value", "error"),
    [
        ("n_neurons", 0, ValueError),
        ("n_neurons", 1.5, TypeError),
        ("n_neurons", "many", ValueError),
        ("n_neurons", 10_000, ValueError),
        ("output", "nor", ValueError),
        ("resolution", 1, ValueError),
        ("mutation", "huge", ValueError),
        ("max_evals", 0, ValueError),
        ("n_restarts", -1, ValueError),
        ("stagnation", 0, ValueError),
        ("stagnation", 2**61 + 1, ValueError),
        ("tie_break", "coin", ValueError),
        ("tie_break", -1.0, ValueError),
        ("tie_break", np.nan, ValueError),
        ("init", "zero", ValueError),
        ("scale", "yes", TypeError),
        ("warm_start", 1, TypeError),
        ("verbose", -1, ValueError),
        ("random_state", "x", ValueError),
        ("n_jobs", 0, ValueError),
        ("n_jobs", 10**5, ValueError),
    ],
)
def test_bad_parameters_are_named(parameter, value, error):
    X, y = xor(20)
    with pytest.raises(error, match=parameter if parameter != "random_state" else "seed"):
        NAClassifier(**{parameter: value}).fit(X, y)


def test_stagnation_ends_a_search_from_one_evaluation_on():
    X, y = xor(60)
    model = NAClassifier(3, output="or", init="sphere", **QUICK)
    spent = [model.set_params(stagnation=k).fit(X, y).n_iter_ for k in (1, 50, 2**61)]
    assert spent[0] < spent[1] < spent[2] == QUICK["max_evals"]


@pytest.mark.parametrize("balance", [None, "balanced", {False: 1e300, True: 1.0}])
@pytest.mark.parametrize("weight", [np.inf, -np.inf, np.nan, 1e308, 1j, np.complex64(1)])
def test_one_bad_weight_for_all_rows_is_refused(weight, balance):
    X = np.linspace(-1, 1, 6)[:, None]
    with pytest.raises(ValueError, match="weight"):
        NAClassifier(class_weight=balance).fit(X, X[:, 0] > 0, sample_weight=weight)


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


def test_verbose_prints_the_way(capsys):
    X, y = xor(40)
    NAClassifier(1, **QUICK, verbose=1).fit(X, y)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 1
    assert all("evaluation" in line for line in lines)
    assert all(line != following for line, following in itertools.pairwise(lines))


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


def test_class_weight_is_the_corresponding_sample_weight():
    X, y = make_moons(90, noise=0.4, random_state=0)
    X, y = X[30:], y[30:]
    weight = np.where(y == 1, 3.0, 0.5)
    given = NAClassifier(class_weight={0: 0.5, 1: 3.0}, **QUICK).fit(X, y)
    same = NAClassifier(**QUICK).fit(X, y, sample_weight=weight)
    assert given.networks_ == same.networks_
    assert (given.slope_, given.training_score_) == (same.slope_, same.training_score_)
    twice = 1.0 + (np.arange(len(y)) % 2)
    balanced = NAClassifier(class_weight="balanced", **QUICK).fit(X, y, sample_weight=twice)
    each = [twice[y == k].sum() for k in (0, 1)]
    weight = twice * twice.sum() / (2 * np.take(each, y))
    assert balanced.networks_ == NAClassifier(**QUICK).fit(X, y, sample_weight=weight).networks_


@pytest.mark.parametrize("wrong", ["even", 3, {0: -1.0, 1: 1.0}, {0: 0.0, 1: 1.0}])
def test_class_weight_is_checked(wrong):
    X, y = xor(20)
    with pytest.raises((TypeError, ValueError), match="class_weight"):
        NAClassifier(class_weight=wrong, **QUICK).fit(X, y)


def test_one_neuron_has_coefficients():
    X, y = make_moons(60, noise=0.3, random_state=0)
    X = X * [100.0, 1e-3] + [5.0, 7.0]
    clf = NAClassifier(1, **QUICK).fit(X, y)
    value = X @ clf.coef_[0] + clf.intercept_[0]
    assert np.allclose(value, clf.decision_function(X))
    assert (clf.n_neurons_, clf.output_) == (1, "or")
    several = NAClassifier(3, output="and", **QUICK).fit(X, y)
    assert (several.n_neurons_, several.output_) == (3, "and")
    assert not hasattr(several, "coef_")
    three = NAClassifier(1, **QUICK).fit(X, np.arange(60) % 3)
    assert three.n_neurons_ == [1, 1, 1]
    assert not hasattr(three, "intercept_")
    assert not hasattr(NAClassifier(), "feature_importances_")


def test_importances_and_elimination_find_the_features_that_matter():
    from sklearn.feature_selection import RFE

    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 5)) * [1.0, 50.0, 0.1, 1.0, 1.0]
    y = X[:, 1] / 50 + X[:, 2] / 0.1 > 0
    clf = NAClassifier(2, output="and", **QUICK).fit(X, y)
    assert clf.feature_importances_.sum() == pytest.approx(1)
    assert set(np.argsort(clf.feature_importances_)[-2:]) == {1, 2}
    standard = StandardScaler().fit_transform(X)
    chosen = RFE(NAClassifier(1, **QUICK), n_features_to_select=2).fit(standard, y)
    assert chosen.support_.tolist() == [False, True, True, False, False]


def test_words_among_the_features_are_named():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"size": [1.0, 2.0, 3.0, 4.0], "colour": ["1", "red", "3", "4"]})
    with pytest.raises(ValueError, match=r"got 'red' in column 'colour'; encode .*OneHotEncoder"):
        NAClassifier().fit(frame, [0, 1, 0, 1])
    with pytest.raises(ValueError, match="got 'red' in column 1"):
        NAClassifier().fit(frame.to_numpy(), [0, 1, 0, 1])


def test_the_last_line_of_verbose_says_why_the_error_has_risen(capsys):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(120, 3))
    y = ((X[:, 0] > 0.3) | (X[:, 1] > 1)) ^ (rng.random(120) < 0.12)
    made = NAClassifier(max_evals=5000, verbose=1, random_state=0).fit(X, y)
    *way, last = capsys.readouterr().out.splitlines()
    least = min(line[-6:] for line in way)
    error = f"training error {1 - made.score(X, y):.4f}"
    why = f"({least} before networks were chosen and simplified)"
    assert last == f"[NAClassifier] finished after {made.n_iter_} evaluations, {error} {why}"


def test_verbose_tells_the_total(capsys):
    X, y = xor(20)
    NAClassifier(2, max_evals=500, verbose=1, random_state=0).fit(X, y)
    assert "of at most 500 evaluations done, training error" in capsys.readouterr().out


def test_verbose_tells_the_mean_error_of_all_classes(capsys):
    X = np.random.default_rng(0).normal(size=(60, 2))
    y = np.digitize(X[:, 0] + X[:, 1] ** 2, [0.0, 1.0])
    made = NAClassifier(1, max_evals=200, verbose=1, random_state=0).fit(X, y)
    Z = made.scaling_.apply(X)
    errors = [(net.predict(Z) != (y == k)).mean() for k, net in enumerate(made.networks_)]
    last = capsys.readouterr().out.splitlines()[-1]
    done = f"finished after {made.n_iter_} evaluations"
    whose = "training error of each class against all others, on average"
    assert last.startswith(f"[NAClassifier] {done}, {whose} {np.mean(errors):.4f}")


def test_importances_weigh_all_conditions_alike():
    from hyperna.classifier.rules import Condition, Rule

    def condition(*influence):
        return Condition(np.ones(2), 0.0, 1.0, np.array(influence, float))

    model = NAClassifier()
    model.networks_ = []
    model.rules_ = [
        Rule("any", (condition(1, 1), condition(-1, 0))),
        Rule("any", (condition(0, 1),)),
    ]
    # (1/2, 1/2) and (1, 0) make (3/4, 1/4) in the first rule
    assert model.feature_importances_.tolist() == [0.375, 0.625]


def test_long_words_are_shortened_in_messages():
    X, long = np.arange(8.0)[:, None], "x" * 20_000
    fitted = NAClassifier(n_neurons=1, max_evals=50).fit(X, X[:, 0] > 3)
    for call in (
        lambda: fitted.predict(long),
        lambda: fitted.fit(long, X[:, 0] > 3),
        lambda: fitted.fit(X, [long] * 8),
        lambda: fitted.fit(X, X[:, 0] > 3, sample_weight=long),
        lambda: NAClassifier(scale=long).fit(X, X[:, 0] > 3),
        lambda: compare("moons", [long, long]),
    ):
        with pytest.raises((TypeError, ValueError), match="xxx") as error:
            call()
        assert len(str(error.value)) < 250
