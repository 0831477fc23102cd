"""Corners of the classifier: simpler networks, starts, chances of few rows, files."""

import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

import hyperna
from hyperna import NAClassifier
from hyperna.classifier import starts, work
from hyperna.classifier.fitted import Control, fitted_chances, mean_curve, probabilities
from hyperna.classifier.points import LabelledPoints
from hyperna.classifier.spaces import HalfSpaces, Joined, cut
from hyperna.networks import Network
from hyperna.outputs import OUTPUTS


def cloud(n=80, dim=3, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n, dim)) / 3
    return LabelledPoints(Z, Z[:, 0] > 0.1, rng.integers(1, 4, n), 2.0 * n)


def attempt_on(points, *neurons, output="or", n_candidate=0, seed=0, **parameters):
    """The first candidate, or another one, of a classifier on some points."""
    settings = NAClassifier(*neurons, output=output, **parameters)._settings(points.Z.shape[1])
    candidate = work.candidates(settings.neurons, output, settings.init)[n_candidate]
    return work.Attempt(points, settings, candidate, [seed], ())


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("neurons", [2, 3])
def test_a_neuron_that_always_says_the_same_can_be_left_out(output, neurons):
    rng, points = np.random.default_rng(neurons), cloud()
    for _ in range(4):
        votes = (rng.normal(size=neurons), 0.2) if output == "evolved" else ()
        W, t = rng.normal(size=(neurons, 3)), rng.normal(size=neurons) / 3
        made = Joined.of(Network.from_weights(W, t, 2**16, output, *votes), points=points)
        for i, value in itertools.product(range(neurons), (False, True)):
            stuck = made.bits.copy()
            stuck[:, i] = value
            said = made.fires(stuck)
            # an OR with a neuron that always fires, or a vote that is decided, is no network
            if 0 < said.mean() < 1:
                rest = made.without(i, value)
                assert np.mean(rest.fires(rest.bits) == said) > 0.98  # but for ties
                assert len(rest.t) == neurons - 1


def test_the_better_of_two_starts_is_evolved():
    points = cloud()
    attempt = attempt_on(points, 1)
    own = attempt.start()
    good = Network.from_weights([[1.0, 0.0, 0.0]], [0.1], own.grid.resolution)
    bad = Network.from_weights([[-1.0, 0.0, 0.0]], [0.1], own.grid.resolution)
    assert points.correct(bad) < points.correct(own) <= points.correct(good) == points.total
    for known, least in ((good, points.correct(good)), (bad, points.correct(own))):
        assert attempt.final(Control(), known, 1).rank[0] >= least


def test_evaluations_of_phases_and_knock_outs_add_up():
    points = cloud(seed=3)
    points = replace(points, y=points.y ^ (np.arange(80) % 7 == 0))
    attempt = attempt_on(points, 2, n_restarts=1, init="grid", move="angle", seed=1)
    found = attempt.final(Control(), None, 900)
    evaluations, _ = found.improvements
    assert found.evaluations <= 900
    # the second phase follows the first one, and both follow the knock-out
    assert evaluations[-1] <= found.evaluations
    _, spent = attempt.knock_out(Control(), 450, 2)
    assert 0 < spent < evaluations[0]
    assert (np.diff(evaluations) > 0).all()


def test_standard_errors_count_rows_and_not_distinct_points():
    points = cloud()
    network = Network.from_weights([[1.0, 1.0, 0.0]], [0.1], 2**16)
    mean = points.correct(network) / points.total
    assert points.doubt(network) == pytest.approx(np.sqrt(mean * (1 - mean) / 160))
    half = points.part(np.arange(80) < 40)
    assert half.rows == pytest.approx(160 * half.total / points.total)


def test_chances_of_few_rows_are_softened_as_is_told():
    rng = np.random.default_rng(0)
    distance = np.sort(rng.normal(size=12))
    columns, label = np.column_stack([-distance, distance]) / 2, (distance > 0).astype(int)
    share = np.full(12, 1 / 12)

    def loss(v):
        slope, lapse = np.exp(v[0]), 0.5 / (1 + np.exp(-v[1]))
        chance = probabilities(columns, slope, lapse)
        soft = 1 / (12 + 2)
        target = np.where(np.arange(2) == label[:, None], 1 - soft, soft)
        return -share @ (target * np.log(chance)).sum(axis=1) - np.log(1 - 2 * lapse) / 12

    starts = [(1.0, -5.0), (3.0, -2.0), (0.0, -8.0)]
    best = min(minimize(loss, start, method="Nelder-Mead").fun for start in starts)
    slope, lapse = fitted_chances(columns, label, share, 12.0)
    assert loss([np.log(slope), np.log(2 * lapse / (1 - 2 * lapse))]) <= best + 1e-5
    sharper = fitted_chances(columns, label, share, 12e6)[0]
    assert sharper > 3 * slope, "the more rows, the surer"


@pytest.mark.parametrize("votes", [[1.0], [1.0, 0.5, 0.25]])
def test_a_vote_needs_as_many_votes_as_conditions(votes):
    X = np.random.default_rng(0).normal(size=(30, 2))
    model = NAClassifier(2, output="or", max_evals=50, random_state=0).fit(X, X[:, 0] > 0)
    data = json.loads(model.to_json())
    [rule] = data["rules"]
    rule |= {"join": "vote", "votes": votes, "conditions": rule["conditions"][:1] * 2}
    with pytest.raises(ValueError, match="votes must be 2 numbers"):
        NAClassifier.from_json(json.dumps(data))


def test_rows_of_weights_are_counted_as_they_are_given():
    X, label = np.array([[0.0], [1.0], [1.0], [2.0]]), np.array([0, 1, 1, 0])
    whole = LabelledPoints.of(X, label, np.array([2.0, 1.0, 3.0, 5.0]))
    assert whole.rows == 11
    assert whole.weight.tolist() == [2, 5, 4]
    small = LabelledPoints.of(X, label, np.array([0.02, 0.01, 0.01, 0.0]))
    assert small.rows == pytest.approx(2.0)  # two rows of equal weight


def test_searches_have_the_settings_of_the_classifier():
    points = cloud()
    for stagnation, clip, init in ((None, 0.05, "data"), (77, 0.0, "sphere"), (5, 0.1, "grid")):
        given = {"stagnation": stagnation, "tie_break": clip, "init": init}
        attempt = attempt_on(points, 2, output="xor", resolution=2**10, move="angle", **given)
        task = attempt.search(None, 60).task
        assert (task.stagnation, task.budget) == (stagnation, 60)
        assert task.fitness.tie_clip == clip
        assert task.target == (1.0 if clip == 0 else False)
        assert task.sphere == (init == "sphere")
        assert (task.rotation, task.grid.resolution, task.grid.output) == (False, 2**10, "xor")


def test_of_equal_cuts_the_one_in_the_widest_gap_is_taken():
    P = np.array([[0.65], [0.6], [0.5], [0.1]])
    best, threshold = cut(P, np.array([1.0, -1.0, 1.0, -1.0]) / 4)
    assert best[0] == pytest.approx(0.25)  # above 0.6 and above 0.1
    assert threshold[0] == pytest.approx(0.3)


def test_weights_that_cannot_matter_do_not_decide():
    Z, y = np.eye(3), np.array([True, False, True])
    points = LabelledPoints(Z, y, np.array([10**7, 20, 9]), 3.0)
    assert points.decisive.tolist() == [10**7, 20, 0]
    assert points.gain.tolist() == [10**7 / points.total, -20 / points.total, 0]


def test_further_starts_of_one_half_space_are_rough():
    [one] = work.candidates(1, "or", "data")
    assert one.construction is starts.sharp_half_space
    assert one.again == replace(one, construction=starts.rough_half_space)
    for other in work.candidates("auto", "auto", "data"):
        assert other.again == other


def test_losses_of_several_problems_are_averaged_where_one_changes():
    evals, losses = mean_curve([[(1, 0.5), (4, 0.25)], [(2, 0.75), (4, 0.5), (9, 0.0)]])
    assert evals.tolist() == [1, 2, 4, 9]
    assert losses.tolist() == [0.625, 0.625, 0.375, 0.125]


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


def test_balanced_classes_are_those_with_weight():
    from hyperna.classifier.points import class_weights

    label, weight = np.array([0, 0, 1, 2]), np.array([1.0, 2.0, 1.0, 0.0])
    found = class_weights("balanced", np.arange(3), label, weight)
    assert found[:2].tolist() == [4 / (2 * 3), 4 / (2 * 1)]
    assert found @ np.bincount(label, weight) == pytest.approx(weight.sum())


def test_chances_of_three_classes_are_those_of_the_true_ones():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    y = (X[:, 0] > 0.4).astype(int) + (X[:, 0] > -0.4)
    model = NAClassifier(2, max_evals=600, random_state=0).fit(X, y)
    proba = model.predict_proba(X)
    assert model.score(X, y) > 0.9
    assert (proba.argmax(axis=1) == model.predict(X)).all()
    assert -np.log(proba[np.arange(90), y]).mean() < 0.5


@pytest.mark.parametrize("seed", range(6))
def test_votes_with_idle_and_turned_neurons_say_the_same(seed):
    from hyperna.classifier.points import Scaling
    from hyperna.classifier.rules import rule_of

    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(70, 2)) / 4
    W, t = rng.normal(size=(4, 2)), np.array([0.05, -0.1, 0.999, -0.999])
    W /= np.linalg.norm(W, axis=1)[:, None]
    # of the last two one never fires and one always does, with votes of either sign
    vote = np.array([1.0, -0.8, rng.choice([-0.6, 0.6]), rng.choice([-0.7, 0.7])])
    quorum = rng.choice([0.2, -0.3, 0.9]) + max(vote[3], 0.0)
    network = Network.from_weights(W, t, 2**16, "evolved", vote, quorum)
    said = network.predict(Z)
    rule = rule_of(network, Scaling.identity(2), Z)
    assert (rule.holds(Z) == said).all()
    if 0 < said.mean() < 1:
        assert len(rule.conditions) <= 2


def test_smaller_networks_are_contested_sooner_than_the_simplest():
    y = np.arange(100) % 2 == 0
    points = LabelledPoints(np.zeros((100, 1)), y, np.ones(100, np.int64), 100.0)
    best, poor = np.arange(100) >= 5, np.arange(100) >= 30
    behind = best.copy()
    behind[4:7] = [True, False, False]  # by 1 point, where sqrt(3) are a standard error
    assert points.lead(best, behind, work.INDIFFERENT) > 0 > points.lead(best, behind, work.LOYAL)
    for rows, wanted in (((behind, best), 0), ((poor, behind, best), 2)):
        trials = {c: [row] for c, row in enumerate(rows)}
        assert work.choose(points, trials, len(rows), exact=True).candidate == wanted


@pytest.mark.parametrize("budget", [30, 450, 2000])
def test_knock_outs_count_the_evaluations_of_all_starts(budget, monkeypatch):
    searches = []
    plain = work.Attempt.search

    def search(*args, **options):
        searches.append(plain(*args, **options))
        return searches[-1]

    monkeypatch.setattr(work.Attempt, "search", search)
    attempt = attempt_on(cloud(seed=3), 2, n_restarts=1, init="grid", seed=1)
    _, spent = attempt.knock_out(Control(), budget)
    assert spent == sum(search.evaluations for search in searches)


@pytest.mark.parametrize(("neurons", "dearer"), [("auto", False), (4, True)])
def test_every_evaluation_is_a_new_network_where_all_is_left_to_evolution(neurons, dearer):
    """Steps that change nothing made looks half as long again as they should be."""
    points = cloud(seed=3)
    points = replace(points, y=points.y ^ (np.arange(80) % 3 == 0))
    attempt = attempt_on(points, neurons, output="evolved", init="sphere", seed=1)
    four = work.candidates(4, "evolved", "sphere")[0]
    attempt = replace(attempt, candidate=four)
    _, spent = attempt.knock_out(Control(), 8000)
    assert spent > 6000
    assert (spent > 8016) == dearer


def test_a_vote_is_decided_where_its_soft_version_is(monkeypatch):
    """Before neurons are left out, which finds a new quorum."""
    monkeypatch.setattr(HalfSpaces, "pruned", lambda self, points: self)
    rng = np.random.default_rng(0)
    Z = rng.uniform(-0.7, 0.7, size=(400, 2))
    turn = 2 * np.pi * np.arange(3) / 3
    inside = Z @ np.array([np.cos(turn), np.sin(turn)]) <= 0.3
    for least in (1, 2, 3):  # OR, majority and AND have different constants
        y = inside.sum(axis=1) >= least
        points = LabelledPoints(Z, y, np.ones(400, np.int64), 400.0)
        made = starts.soft_half_spaces(points, np.random.default_rng(1), "evolved", 3)
        said = (made.t <= Z @ made.W.T) @ made.vote >= made.quorum
        assert np.mean(said == y) > 0.9


@pytest.mark.parametrize(("n", "simpler"), [(80, 1), (8, 0)])
def test_trials_with_more_parameters_than_points_are_not_made_simpler(n, simpler):
    attempt = attempt_on(cloud(n, dim=6), n_candidate=1)
    assert attempt.candidate.constructed > 1
    W = np.random.default_rng(1).normal(size=(3, 6))
    start = Network.from_weights(W, np.full(3, 0.1), 2**40)
    networks, _ = attempt.trial(Control(), start, (20, 40))
    assert len(networks) == 2 + simpler


@pytest.mark.parametrize(("n", "dim", "kept"), [(100, 2, 100), (9000, 2, 2000), (700, 9000, 200)])
def test_starts_are_made_from_as_many_points_as_are_quick(n, dim, kept):
    points = LabelledPoints(np.zeros((n, dim)), np.arange(n) % 2 > 0, np.ones(n, np.int64), n)
    found, _, _ = starts.fitted(starts.union_loss, points, 1, np.random.default_rng(0))
    assert 0.7 * kept < len(found.y) <= kept
    assert found.total == (n if n == kept else kept)


def test_rows_of_huge_and_tiny_weights_are_counted():
    X, label = np.arange(3.0)[:, None], np.array([0, 1, 0])
    for unit in (1e-200, 1e200):
        weight = unit * np.array([1.0, 1.0, 2.0])
        assert LabelledPoints.of(X, label, weight).rows == pytest.approx(max(16 / 6, weight.sum()))


def test_long_words_are_shortened_in_messages():
    X, long = np.arange(8.0)[:, None], "x" * 20_000
    fitted = NAClassifier(n_neurons=1, max_evals=50).fit(X, X[:, 0] > 3)
    for call in (
        lambda: fitted.predict(long),
        lambda: fitted.fit(long, X[:, 0] > 3),
        lambda: fitted.fit(X, [long] * 8),
        lambda: fitted.fit(X, X[:, 0] > 3, sample_weight=long),
        lambda: NAClassifier(scale=long).fit(X, X[:, 0] > 3),
        lambda: hyperna.compare("moons", [long, long]),
    ):
        with pytest.raises((TypeError, ValueError), match="xxx") as error:
            call()
        assert len(str(error.value)) < 250
