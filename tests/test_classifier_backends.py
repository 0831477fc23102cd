"""Fits by threads, processes and a Dask cluster: the same networks, to the bit."""

import pickle
import time

import joblib
import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from hyperna import NAClassifier
from hyperna.classifier.fitted import Control

SETTINGS = {"max_evals": 3000, "n_restarts": 1, "random_state": 0}


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def alone(iris):
    return NAClassifier(**SETTINGS).fit(*iris)


def same(one, other):
    assert one.networks_ == other.networks_
    assert one.n_iter_ == other.n_iter_
    assert np.array_equal(one.loss_curve_, other.loss_curve_)


@pytest.mark.parametrize(("backend", "n_jobs"), [("threading", 2), ("threading", 3), ("loky", 2)])
def test_every_backend_gives_the_same_networks(iris, alone, backend, n_jobs):
    with joblib.parallel_config(backend, n_jobs=n_jobs):
        same(NAClassifier(**SETTINGS).fit(*iris), alone)


def test_the_estimator_s_own_number_of_workers(iris, alone):
    with joblib.parallel_config("threading", n_jobs=1):
        same(NAClassifier(**SETTINGS, n_jobs=2).fit(*iris), alone)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_dask_cluster_gives_the_same_networks(iris, alone):
    distributed = pytest.importorskip("distributed", reason="a cluster needs hyperna[dask]")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs="CRITICAL",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        with joblib.parallel_config("dask"):
            same(NAClassifier(**SETTINGS).fit(*iris), alone)
        tasks = client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.transition_counter)
    assert tasks > 50


def test_work_done_elsewhere_is_not_watched():
    control = Control()
    control.report = control.pause  # cannot be pickled as part of a fit, and need not
    control.interrupt()
    copy = pickle.loads(pickle.dumps(control))
    assert copy.report is None
    assert not copy.stopped
    assert copy.map([(divided, 7, 2), (divided, 9, 4)]) == [3, 2]


def divided(control, a, b):
    return a // b


def interrupted(control, item):
    if item == 2:
        raise KeyboardInterrupt
    time.sleep(0.01 * (item > 2))  # so that it is noticed long before all are done
    return item


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_results_before_an_interrupt_are_kept(n_jobs):
    control = Control(n_jobs)
    with joblib.parallel_config("threading"):
        results = control.map([(interrupted, k) for k in range(200)])
    assert results[:2] == [0, 1] or n_jobs == 2
    assert results[2] is None
    assert all(result in (None, k) for k, result in enumerate(results))
    assert results.count(None) >= 100
    assert control.interrupted
    assert control.map([(interrupted, 0)]) == [None]


def test_an_interrupt_on_processes_keeps_what_is_here(iris, monkeypatch):
    from hyperna.classifier import fitting

    def cut_short(fit, chosen, left):
        raise KeyboardInterrupt

    monkeypatch.setattr(fitting.Fit, "finals", cut_short)
    with joblib.parallel_config("loky", n_jobs=2), pytest.warns(ConvergenceWarning):
        clf = NAClassifier(**SETTINGS).fit(*iris)
    assert clf.score(*iris) == clf.training_score_ > 0.6
