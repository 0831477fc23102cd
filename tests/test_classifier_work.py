"""Candidates, and the searches by which their networks are found."""

from dataclasses import replace

import numpy as np
import pytest
from clouds import alike, half_cloud

from hyperna import NAClassifier, Network
from hyperna.classifier import starts, work
from hyperna.classifier.fitted import Control
from hyperna.classifier.work import candidates
from hyperna.outputs import OUTPUTS


def attempt_on(points, *neurons, output="or", n_candidate=0, seed=0, **parameters):
    """The first candidate, or another one, of a classifier on some points."""
    settings = NAClassifier(*neurons, output=output, **parameters)._settings(points.Z.shape[1])
    candidate = work.candidates(settings.neurons, output, settings.init)[n_candidate]
    return work.Attempt(points, settings, candidate, [seed], ())


def test_small_candidates_come_before_large_ones():
    listed = candidates("auto", "auto", "data")
    assert [c.output for c in listed[1:]] == [kind for kind in OUTPUTS for _ in range(2)]
    assert [c.larger for c in listed[1:]] == [False, True] * 4
    for small, large in zip(listed[1::2], listed[2::2], strict=True):
        assert large.constructed > small.constructed or (large.exact and not small.exact)
    for neurons in (2, 3, 16):
        assert {c.neurons for c in candidates(neurons, "auto", "data")} == {neurons}
        assert all(c.constructed <= neurons for c in candidates(neurons, "auto", "data"))


def test_further_starts_of_one_half_space_are_rough():
    [one] = work.candidates(1, "or", "data")
    assert one.construction is starts.sharp_half_space
    assert one.again == replace(one, construction=starts.rough_half_space)
    for other in work.candidates("auto", "auto", "data"):
        assert other.again == other


def test_the_better_of_two_starts_is_evolved():
    points = half_cloud()
    attempt = attempt_on(points, 1)
    own = attempt.start()
    good = Network.from_weights([[1.0, 0.0, 0.0]], [0.1], own.grid.resolution)
    bad = Network.from_weights([[-1.0, 0.0, 0.0]], [0.1], own.grid.resolution)
    assert points.correct(bad) < points.correct(own) <= points.correct(good) == points.total
    for known, least in ((good, points.correct(good)), (bad, points.correct(own))):
        assert attempt.final(Control(), known, 1).rank[0] >= least


def test_evaluations_of_phases_and_knock_outs_add_up():
    points = half_cloud(seed=3)
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


def test_searches_have_the_settings_of_the_classifier():
    points = half_cloud()
    for stagnation, clip, init in ((None, 0.05, "data"), (77, 0.0, "sphere"), (5, 0.1, "grid")):
        given = {"stagnation": stagnation, "tie_break": clip, "init": init}
        attempt = attempt_on(points, 2, output="xor", resolution=2**10, move="angle", **given)
        task = attempt.search(None, 60).task
        assert (task.stagnation, task.budget) == (stagnation, 60)
        assert task.fitness.tie_clip == clip
        assert task.target == (1.0 if clip == 0 else False)
        assert task.sphere == (init == "sphere")
        assert (task.rotation, task.grid.resolution, task.grid.output) == (False, 2**10, "xor")


def test_smaller_networks_are_contested_sooner_than_the_simplest():
    y = np.arange(100) % 2 == 0
    points = alike(np.zeros((100, 1)), y)
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
    attempt = attempt_on(half_cloud(seed=3), 2, n_restarts=1, init="grid", seed=1)
    _, spent = attempt.knock_out(Control(), budget)
    assert spent == sum(search.evaluations for search in searches)


@pytest.mark.parametrize(("neurons", "dearer"), [("auto", False), (4, True)])
def test_every_evaluation_is_a_new_network_where_all_is_left_to_evolution(neurons, dearer):
    """Steps that change nothing made looks half as long again as they should be."""
    points = half_cloud(seed=3)
    points = replace(points, y=points.y ^ (np.arange(80) % 3 == 0))
    attempt = attempt_on(points, neurons, output="evolved", init="sphere", seed=1)
    four = work.candidates(4, "evolved", "sphere")[0]
    attempt = replace(attempt, candidate=four)
    _, spent = attempt.knock_out(Control(), 8000)
    assert spent > 6000
    assert (spent > 8016) == dearer


@pytest.mark.parametrize(("n", "simpler"), [(80, 1), (8, 0)])
def test_trials_with_more_parameters_than_points_are_not_made_simpler(n, simpler):
    attempt = attempt_on(half_cloud(n, dim=6), n_candidate=1)
    assert attempt.candidate.constructed > 1
    W = np.random.default_rng(1).normal(size=(3, 6))
    start = Network.from_weights(W, np.full(3, 0.1), 2**40)
    networks, _ = attempt.trial(Control(), start, (20, 40))
    assert len(networks) == 2 + simpler
