"""Which candidate wins on held-out points, and that the points are held out indeed."""

import numpy as np
import pytest
from clouds import alike
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from hyperna import NAClassifier
from hyperna.classifier import fitting, work
from hyperna.classifier.fitted import class_columns, probabilities, signed_distance
from hyperna.classifier.points import LabelledPoints
from hyperna.classifier.work import SIMPLE, Choice, candidates, choose
from hyperna.datasets import dataset
from hyperna.outputs import OUTPUTS


def points(n=100, seed=0):
    rng = np.random.default_rng(seed)
    return alike(rng.normal(size=(n, 2)), np.arange(n) % 2 == 0)


def right(share, n=100, first=0):
    """The points from `first` on are right, as many as the share says, with wrap-around."""
    return np.roll(np.arange(n) < share * n, first)


@pytest.fixture
def simplified(monkeypatch):
    """The state of the last fit, and how often a network was made simpler after its search."""
    seen = {"calls": 0}
    end, made = fitting.simplify, fitting.simplified

    def watched(fit, stopped):
        seen["fit"] = fit
        end(fit, stopped)

    def counted(*args):
        seen["calls"] += 1
        return made(*args)

    monkeypatch.setattr(fitting, "simplify", watched)
    monkeypatch.setattr(fitting, "simplified", counted)
    return seen


def test_leads_are_paired():
    assert points().lead(right(0.8), right(0.8)) == pytest.approx(0)
    assert points().lead(right(0.8), right(0.6)) == pytest.approx(0.2)
    assert points().lead(right(0.8), right(0.6), 1.5) == pytest.approx(
        0.2 - 1.5 * np.sqrt(20) / 100
    )


def test_weights_and_equal_rows_count_in_the_error():
    """800 rows of which few differ have the error of 800 rows."""
    few = LabelledPoints(np.eye(4), np.arange(4) < 2, np.array([100, 300, 200, 200]), 800.0)
    pair = np.array([1, 1, 0, 1]) > 0, np.array([1, 0, 1, 1]) > 0
    assert few.lead(*pair) == pytest.approx(100 / 800)
    assert few.lead(*pair, 1.0) == pytest.approx((100 - np.sqrt(500)) / 800)


def test_one_half_space_stays_unless_a_network_is_better_by_a_standard_error():
    plain = right(0.8)
    chosen = choose(points(), {0: [plain], 3: [right(0.81)]}, 9, False)
    assert (chosen.candidate, chosen.convincing) == (0, True)
    assert choose(points(), {0: [plain], 3: [right(0.84)]}, 9, False).candidate == 3
    # the same gain, with many more differences between the two
    assert choose(points(), {0: [plain], 3: [right(0.84, first=-40)]}, 9, False).candidate == 0


def test_held_out_points_have_no_say_where_nothing_beats_a_constant_answer():
    chosen = choose(points(), {0: [right(0.48)], 2: [right(0.54)]}, 9, False)
    assert (chosen.candidate, chosen.checkpoint, chosen.convincing) == (0, 0, False)


def test_evolution_stops_where_it_does_not_help():
    trials = {0: [right(0.7)], 1: [right(0.9), right(0.9), right(0.89)]}
    assert choose(points(), trials, 9, False).checkpoint == 0
    trials = {0: [right(0.7)], 1: [right(0.8), right(0.8), right(0.95)]}
    assert choose(points(), trials, 9, False).checkpoint == 2


def test_simpler_networks_stand_for_their_candidate_if_they_are_about_as_good():
    grown = [right(0.8), right(0.8), right(0.95)]
    trials = {0: [right(0.7)] * 3, 1: [*grown, right(0.94, first=1)]}
    assert choose(points(), trials, 9, False).checkpoint == SIMPLE
    trials = {0: [right(0.7)] * 3, 1: [*grown, right(0.85)]}
    assert choose(points(), trials, 9, False).checkpoint == 2
    # a candidate may win by them alone
    trials = {0: [right(0.9)] * 3, 1: [right(0.9), right(0.9), right(0.9), right(0.99)]}
    assert choose(points(), trials, 9, False) == Choice(1, SIMPLE, True)


@pytest.mark.parametrize(("errors", "others"), [(1, False), (30, True)])
def test_few_errors_are_not_contested(simplified, errors, others):
    X = np.random.default_rng(0).normal(size=(400, 2))
    X[:, 0] += np.sign(X[:, 0])
    NAClassifier(max_evals=3000, random_state=0).fit(X, (X[:, 0] > 0) ^ (np.arange(400) < errors))
    assert ({c for c, _ in simplified["fit"].networks} != {0}) == others


def test_trials_learn_from_other_points_than_they_are_judged_by(simplified):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.random(60) < 0.5
    NAClassifier(max_evals=3000, random_state=0).fit(X, y)
    fit = simplified["fit"]
    for k in range(fitting.FOLDS):
        out = fit.fold == k
        learned = {tuple(row) for row in fit.seen[k].Z}
        assert not learned & {tuple(row) for row in fit.tried.Z[out]}
        assert len(learned) + out.sum() == 60
    rows = fit.right[0]
    for k in range(fitting.FOLDS):
        out = fit.fold == k
        expected = fit.networks[0, k][0].predict(fit.tried.Z[out]) == fit.tried.y[out]
        assert np.array_equal(rows[0][out], expected)


def test_noise_is_not_memorised():
    """Three weak signals among seventeen idle features: logistic regression is hard to beat."""
    behind, costlier = [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(2150, 20))
        y = rng.random(2150) < 1 / (1 + np.exp(-0.8 * X[:, :3].sum(axis=1)))
        ours = NAClassifier(random_state=seed).fit(X[:150], y[:150])
        scaler = StandardScaler().fit(X[:150])
        theirs = LogisticRegression().fit(scaler.transform(X[:150]), y[:150])
        test, truth = scaler.transform(X[150:]), y[150:]
        behind.append(theirs.score(test, truth) - ours.score(X[150:], truth))
        losses = [log_loss(truth, m.predict_proba(Z)) for m, Z in ((ours, X[150:]), (theirs, test))]
        costlier.append(losses[0] - losses[1])
    assert np.mean(behind) < 0.02
    assert max(behind) < 0.08
    assert np.mean(costlier) < 0.0


def test_equal_rows_convince_as_different_ones_do():
    """800 rows of which 16 differ: the two that make an XOR are seen for what they are."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (800, 4)).astype(float)
    y = (X[:, 0] != X[:, 1]) ^ (rng.random(800) < 0.2)
    clf = NAClassifier(random_state=0).fit(X, y)
    assert (clf.predict(X) == (X[:, 0] != X[:, 1])).all()


@pytest.mark.parametrize("restarts", [0, 3, pytest.param(1000, marks=pytest.mark.slow), 2**31])
@pytest.mark.parametrize("neurons", [1, "auto"])
@pytest.mark.parametrize("max_evals", [1, 50, 777])
def test_max_evals_is_at_most(neurons, restarts, max_evals):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 2
    clf = NAClassifier(neurons, max_evals=max_evals, n_restarts=restarts, random_state=0)
    assert clf.fit(X, y).n_iter_ <= max_evals


@pytest.mark.parametrize("size", [1e-307, 1e-200, 1.0, 1e200, 1.7e308])
def test_units_of_any_size(size):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (80, 2))
    y = X[:, 0] > 0.1
    X *= [size, 1.0]
    clf = NAClassifier(random_state=0).fit(X, y)
    assert clf.score(X, y) > 0.95
    far = np.array([[1e308, -1e308], [-1e308, 1e308], [1.7e308, 0.0]])
    assert np.isfinite(clf.predict_proba(far)).all()
    assert np.isfinite(clf.decision_function(far)).all()


def test_more_parameters_than_points_must_pay_beyond_doubt():
    plain, better = right(0.80), right(0.84)
    assert choose(points(), {0: [plain], 3: [better]}, 9, False, frozenset({3})).candidate == 0
    assert choose(points(), {0: [plain], 3: [right(0.95)]}, 9, False, frozenset({3})).candidate == 3


@pytest.mark.parametrize(
    ("problem", "seed", "least"),
    [("arcs:k=3", 10, 0.85), ("arcs:k=3", 502, 0.85), ("quarter", 18, 0.9)],
)
def test_random_starts_are_judged_after_long_looks(problem, seed, least):
    """One neuron was chosen, with .58, .70 and .89: after short looks, or despite errors."""
    data = dataset("sphere", problem=problem, dim=5, rotated=True, n=400, seed=seed)
    y = np.asarray(data.y).astype(int)
    train, test = next(StratifiedKFold(5, shuffle=True, random_state=seed).split(data.X, y))
    clf = NAClassifier(init="sphere", max_evals=10**6, random_state=seed)
    assert clf.fit(data.X[train], y[train]).score(data.X[test], y[test]) > least


def test_candidates_from_random_starts_are_few():
    for output in ("auto", *OUTPUTS):
        one, *others = candidates("auto", output, "sphere")
        assert (one.neurons, len(others)) == (1, 2)
        wanted = {"xor", "evolved"} if output == "auto" else {output}
        assert {c.output for c in others} == wanted


def wide(dim, seed=0):
    """Points of which the features after the first twenty are constant."""
    X = np.zeros((90, dim))
    X[:, :20] = np.random.default_rng(seed).normal(size=(90, 20))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] > 0.2).astype(int)


@pytest.mark.parametrize(("dim", "neurons", "evolves"), [(20, "auto", True), (600, "auto", False)])
def test_many_features_are_not_evolved(simplified, dim, neurons, evolves):
    NAClassifier(neurons, max_evals=3000, random_state=0).fit(*wide(dim))
    lengths = {len(networks) for networks in simplified["fit"].networks.values()}
    assert (max(lengths) > 1) == evolves
    assert (simplified["fit"].evaluations > 100) == evolves


def test_one_neuron_is_evolved_on_any_number_of_features(simplified):
    NAClassifier(1, max_evals=3000, random_state=0).fit(*wide(600))
    assert simplified["fit"].evaluations > 100


def test_several_neurons_on_many_features_are_not_made_simpler(simplified):
    X = np.random.default_rng(0).normal(size=(150, 2))
    y = (X[:, 0] * X[:, 1] > 0).astype(int)
    for idle, simplifies in ((0, True), (598, False)):
        simplified["calls"] = 0
        wider = np.column_stack([X, np.zeros((150, idle))])
        clf = NAClassifier(max_evals=3000, random_state=0).fit(wider, y)
        assert clf.n_neurons_ > 1
        chosen = simplified["fit"].chosen
        assert chosen.convincing
        assert (simplified["calls"] > 0 or chosen.checkpoint == SIMPLE) == simplifies


def test_without_errors_nothing_is_made_simpler_twice(simplified, monkeypatch):
    """Each of the four levels is tried once in each fold, for there is nothing to lose."""
    monkeypatch.setattr(LabelledPoints, "lead", lambda points, right, other, errors=0.0: 1e-9)
    X = np.random.default_rng(0).normal(size=(150, 4))
    X[:, 0] += 5.0 * np.sign(X[:, 0])
    NAClassifier(max_evals=3000, random_state=0).fit(X, (X[:, 0] > 0).astype(int))
    assert simplified["calls"] == fitting.FOLDS * (1 + len(fitting.FAITHFUL))


def test_features_stay_where_answers_would_be_less_sure_without_them(simplified, monkeypatch):
    """3 and 5 of the digits: held-out errors alone would leave half of the features."""
    X, y = load_digits(return_X_y=True)
    some = (y == 3) | (y == 5)
    X, y, test, truth = X[some][::2], y[some][::2], X[some][1::2], y[some][1::2]
    careful = NAClassifier(random_state=0).fit(X, y)
    monkeypatch.setattr(fitting, "MOST_LOST", np.inf)
    careless = NAClassifier(random_state=0).fit(X, y)
    assert np.count_nonzero(careful.coef_) > 1.5 * np.count_nonzero(careless.coef_)
    assert careful.score(test, truth) > careless.score(test, truth)


def test_loss_is_that_of_the_probabilities(simplified):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    clf = NAClassifier(random_state=0).fit(X, X[:, 0] + rng.normal(size=120) > 0)
    fit = simplified["fit"]
    distance = class_columns(fit.held_out(fit.judged, signed_distance))
    chance = probabilities(distance, clf.slope_, clf.lapse_)
    expected = 120 * log_loss(fit.tried.y, chance, sample_weight=fit.tried.share)
    assert fit.loss(fit.judged) == pytest.approx(expected)


def test_the_start_that_is_there_is_not_made_again(monkeypatch):
    """On noise the simplest candidate stays as it began, and the first network is that."""
    made, original = [], work.Attempt.final
    watched = lambda *args: made.append(args) or original(*args)  # noqa: E731
    monkeypatch.setattr(work.Attempt, "final", watched)
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(80, 3)), np.arange(80) % 2
    clf = NAClassifier(max_evals=2000, random_state=0).fit(X, y)
    assert (clf.n_neurons_, made) == (1, [])
