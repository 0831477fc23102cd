"""Fits of NAClassifier: what they reach, that they repeat, what an interrupt leaves."""

import itertools
import signal
import threading
import warnings

import numpy as np
import pytest
import sklearn
from samples import QUICK, xor
from sklearn.datasets import load_iris, make_circles, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from hyperna import NAClassifier
from hyperna.classifier import work
from hyperna.datasets import dataset


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


@pytest.mark.parametrize("output", ["auto", "or", "and", "xor", "evolved"])
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
    scores = [NAClassifier(random_state=seed).fit(X, y).score(X, y) for seed in range(4)]
    assert max(scores) == 1.0
    assert np.mean(scores) > 0.9


@pytest.mark.parametrize("dim", [2, 5])
def test_products_of_signs_are_found_by_default(dim):
    """TWOQUARTERS, askew, is where exactly one of two half-spaces holds, in any dimension."""
    data = dataset("sphere", problem="two_quarters", dim=dim, rotated=True, n=1400, seed=11)
    X, y = data.X, np.asarray(data.y)
    clf = NAClassifier(random_state=0).fit(X[:400], y[:400])
    assert clf.score(X[400:], y[400:]) > 0.95
    if dim > 2:
        assert (clf.network_.grid.output, clf.network_.grid.neurons) == ("xor", 2)


@pytest.mark.parametrize("init", ["sphere", "grid"])
def test_random_starts_are_judged_after_some_evolution(init):
    """By their starts alone one neuron would always be chosen, for which circles are too much."""
    X, y = make_circles(200, noise=0.05, factor=0.5, random_state=0)
    clf = NAClassifier(init=init, max_evals=60_000, random_state=0).fit(X[:120], y[:120])
    assert clf.n_neurons_ > 1
    assert clf.score(X[120:], y[120:]) > 0.9


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


@pytest.mark.parametrize("output", ["or", "and", "xor", "evolved"])
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
    with pytest.raises(ValueError, match=r"networks of the previous .* on the grid"):
        clf.set_params(resolution=1000).fit(X, y)


class InterruptedSearch(work.Search):
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
    monkeypatch.setattr(work, "Search", InterruptedSearch)
    InterruptedSearch.left = piece
    clf = NAClassifier(4, max_evals=4000, random_state=0, n_jobs=jobs)
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        clf.fit(X, y)
    assert clf.score(X, y) == clf.training_score_ >= 0.5


class KeySearch(work.Search):
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
    monkeypatch.setattr(work, "Search", KeySearch)
    KeySearch.pieces = itertools.count()
    clf = NAClassifier(2, max_evals=10**12, random_state=0, n_jobs=jobs)
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        clf.fit(X, y)
    assert clf.score(X, y) == clf.training_score_


def test_an_interrupt_ends_one_fit_of_a_grid_search_or_all(monkeypatch):
    X, y = xor(40)
    monkeypatch.setattr(work, "Search", InterruptedSearch)
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
    monkeypatch.setattr(work, "Search", InterruptedSearch)
    InterruptedSearch.left = 1
    clf = NAClassifier(4, **QUICK)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, y)
    with pytest.raises(sklearn.exceptions.NotFittedError):
        clf.predict(X)


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


def test_a_class_that_was_never_held_out_gets_no_factor():
    """Distances to a network that has seen the points would say that it is sure."""
    rng = np.random.default_rng(2)
    y = np.r_[np.zeros(150, int), np.ones(147, int), [2, 2, 2]]
    X = rng.normal(size=(300, 2)) + np.array([[0, 0], [1.5, 0], [0, 2]])[y]
    clf = NAClassifier(random_state=0).fit(X, y)
    assert clf.factor_.tolist() == [1.0, 1.0, 1.0]
    assert clf.offset_.tolist() == [0.0, 0.0, 0.0]
