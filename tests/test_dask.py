"""Campaigns on a Dask cluster with real worker processes: the same results as here, to the bit."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress

import numpy as np
import pytest

import hyperna
from hyperna import parallel
from hyperna.cli import main
from hyperna.experiments.campaign import Campaign
from hyperna.experiments.store import Store
from hyperna.paper.reproduce import Reproduction
from hyperna.parallel import cluster as cluster_of_dask
from hyperna.parallel import numbered, parallel_backend

pandas = pytest.importorskip("pandas", reason="a frame needs hyperna[data]")
distributed = pytest.importorskip("distributed", reason="a cluster needs hyperna[dask]")

# Losing a worker is what some of these tests are about; Dask logs and warns about it.
pytestmark = pytest.mark.filterwarnings("default")

CAMPAIGN = Campaign.product(
    problem=["half", "local_opt"], mutation=["harmonic", "local"], resolution=[60, 120], runs=60
)
LONGER = Campaign.product(
    problem="two_quarters", mutation=["local", "harmonic"], resolution=[240, 480], runs=80
)


def same(one, other):
    pandas.testing.assert_frame_equal(one, other, check_exact=True)


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        silence_logs="CRITICAL",
    ) as running:
        yield running


@pytest.fixture(scope="module")
def frame(tmp_path_factory):
    return CAMPAIGN.run(tmp_path_factory.mktemp("local") / "store").to_frame()


def test_the_command_gives_the_same_frame(cluster, frame, tmp_path, capsys):
    file = tmp_path / "small.toml"
    file.write_text(
        'problem = ["half", "local_opt"]\nmutation = ["harmonic", "local"]\n'
        "resolution = [60, 120]\nruns = 60\n"
    )
    address = cluster.scheduler_address
    arguments = ["campaign", "run", str(file), "--backend", "dask", "--scheduler", address]
    assert main(arguments) == 0
    assert "480 runs of 8 settings, 480 of them new" in capsys.readouterr().out
    same(Store(tmp_path / "small.store").to_frame(), frame)


def test_a_lost_worker_s_runs_are_redone(cluster, tmp_path):
    killed, done = [], []

    def progress(finished, total, seconds_left):
        done.append(finished)
        if finished > total / 4 and not killed:
            victim = cluster.workers[0].pid
            os.kill(victim, signal.SIGKILL)
            killed.append(victim)

    on_cluster = LONGER.run(
        tmp_path / "cluster", scheduler=cluster.scheduler_address, progress=progress
    )
    assert killed
    assert done[-1] == LONGER.total
    same(on_cluster.to_frame(), LONGER.run(tmp_path / "local", n_jobs=2).to_frame())


def test_an_interrupted_campaign_goes_on(cluster, frame, tmp_path):
    def interrupt(finished, total, seconds_left):
        if finished > 100:
            raise KeyboardInterrupt

    address = cluster.scheduler_address
    with pytest.raises(KeyboardInterrupt):
        CAMPAIGN.run(tmp_path / "store", scheduler=address, progress=interrupt)
    assert 100 < len(Store(tmp_path / "store").to_frame()) <= CAMPAIGN.total
    same(CAMPAIGN.run(tmp_path / "store", scheduler=address).to_frame(), frame)


def test_a_job_that_kills_its_workers_does_not_wait_for_ever(cluster, monkeypatch):
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 0)
    with (
        parallel_backend("dask", cluster.scheduler_address),
        pytest.raises(ChildProcessError, match="Dask gave up a job"),
    ):
        list(numbered(os._exit, [(1,)]))


@pytest.fixture(params=["inproc://"])
def small_cluster(request):
    with distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        protocol=request.param,
        dashboard_address=None,
        silence_logs="CRITICAL",
    ) as running:
        yield running


def test_a_cluster_without_workers_is_not_waited_for_without_end(
    small_cluster, tmp_path, monkeypatch
):
    """The last worker goes in the middle of a campaign; what is stored by then stays."""

    def progress(finished, total, seconds_left):
        if finished > 100:
            monkeypatch.setattr(cluster_of_dask, "TIMEOUT", 1)
            small_cluster.scale(0)

    address = small_cluster.scheduler_address
    with pytest.raises(ConnectionError, match="has had no worker for 1 seconds; start one"):
        LONGER.run(tmp_path / "store", scheduler=address, progress=progress)
    assert len(Store(tmp_path / "store").to_frame()) > 100


@pytest.mark.slow
def test_a_scheduler_that_goes_away_is_told_in_one_line(small_cluster, tmp_path):
    def progress(finished, total, seconds_left):
        if finished > 100:
            small_cluster.sync(small_cluster.scheduler.close)

    with pytest.raises(ConnectionError, match="the Dask scheduler is gone; start it again"):
        LONGER.run(tmp_path / "store", scheduler=small_cluster.scheduler_address, progress=progress)
    assert len(Store(tmp_path / "store").to_frame()) > 100


def test_an_error_of_a_worker_arrives(cluster):
    with parallel_backend("dask", cluster.scheduler_address):
        results = numbered(divmod, [(7, 2), (7, 0)])
        with pytest.raises(ZeroDivisionError):
            list(results)


def test_points_reach_workers_that_do_not_have_the_file(cluster, tmp_path):
    file = tmp_path / "points.csv"
    file.write_text("x,y,kind\n0.5,0.1,a\n-0.5,0.3,b\n0.1,-0.4,a\n")
    campaign = Campaign.product(problem=str(file), runs=10)
    file.unlink()
    there = campaign.run(tmp_path / "there", scheduler=cluster.scheduler_address)
    same(there.to_frame(), campaign.run(tmp_path / "here").to_frame())


@pytest.mark.slow
def test_batches_of_runs_use_the_cluster_too(cluster):
    na, problem = hyperna.OnePlusOneNA(resolution=60), hyperna.problem("quarter")
    with parallel_backend("dask", cluster.scheduler_address):
        there = na.run_many(problem, runs=200, seed=5)
    assert np.array_equal(there.rows, na.run_many(problem, runs=200, seed=5).rows)


@pytest.mark.slow
def test_the_paper_s_tables_use_the_cluster_too(cluster):
    tables = Reproduction(tables=(2, 5), runs=5, quick=True)
    with parallel_backend("dask", cluster.scheduler_address):
        there = dict(tables.run())
    here = dict(tables.run())
    for table in (2, 5):
        assert there[table].keys() == here[table].keys()
        for cell in here[table]:
            assert np.array_equal(there[table][cell].rows, here[table][cell].rows)


def test_a_client_that_exists_is_used(cluster):
    with distributed.Client(cluster), parallel_backend("dask"):
        runs = hyperna.OnePlusOneNA().run_many(hyperna.problem("half"), runs=5, seed=1)
    assert len(runs) == 5


def test_workers_with_another_version_are_refused(cluster, monkeypatch):
    monkeypatch.setattr(cluster_of_dask, "__version__", "0.0.7")
    with (
        pytest.raises(ImportError, match=r"has hyperna .*, here is 0\.0\.7"),
        parallel_backend("dask", cluster.scheduler_address),
    ):
        pass


# Each is loaded by a worker before it takes jobs.
OTHER_VERSION = "import hyperna.parallel as p; p.__version__ = p.cluster.__version__ = '0.0.7'"
# As in versions that do not know that a job says its version.
NO_VERSION_ASKED = OTHER_VERSION + "; p._numbered = lambda function, number, each: None"


@pytest.mark.parametrize("preload", [OTHER_VERSION, NO_VERSION_ASKED], ids=["other", "older"])
@pytest.mark.parametrize("small_cluster", ["tcp://"], indirect=True)
def test_a_worker_with_another_version_that_comes_later_is_refused(preload, small_cluster):
    """Else its rows would be stored under this process's version."""
    address = small_cluster.scheduler_address
    command = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--no-dashboard"]
    command += ["--no-nanny", "--nthreads", "1", "--preload", preload]
    with (
        parallel_backend("dask", address),
        closing(numbered(time.sleep, [(0.1,)] * 200)) as results,
        subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as late,
    ):
        try:
            next(results)
            cluster_of_dask.CLIENT.get().wait_for_workers(2, timeout=60)
            with pytest.raises(ImportError, match=r"has hyperna 0\.0\.7, here is \d"):
                list(results)
        finally:
            late.kill()


def test_nobody_answers(monkeypatch):
    monkeypatch.setattr(cluster_of_dask, "TIMEOUT", 1)
    with (
        pytest.raises(
            ConnectionError, match=r"no Dask scheduler answers at 'tcp://127\.0\.0\.1:9'"
        ),
        parallel_backend("dask", "tcp://127.0.0.1:9"),
    ):
        pass


@pytest.mark.parametrize("in_notebook", [False, True])
@pytest.mark.parametrize(
    ("greeting", "message"),
    [
        (b"", "no Dask scheduler answers at '.*': time is up"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "answers, but not as a Dask scheduler"),
    ],
)
def test_servers_of_another_kind_are_not_waited_for(greeting, message, in_notebook, monkeypatch):
    monkeypatch.setattr(cluster_of_dask, "TIMEOUT", 1)
    taken = []

    def greet():
        with suppress(OSError):  # the server is shut down
            while True:
                taken.append(server.accept()[0])
                taken[-1].sendall(greeting)

    def connect():
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ConnectionError, match=message), parallel_backend(scheduler=address):
            pass

    async def connect_with_a_loop():
        connect()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=greet, daemon=True).start()
        asyncio.run(connect_with_a_loop()) if in_notebook else connect()
        server.shutdown(socket.SHUT_RDWR)
    for connection in taken:
        connection.close()


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("command", ["campaign", "compare", "reproduce"])
def test_a_terminal_is_told_who_is_called(command, terminal, tmp_path, capsys, monkeypatch):
    file = tmp_path / "half.toml"
    file.write_text('problem = "half"\nruns = 2\n', encoding="utf-8")
    arguments = {
        "campaign": ["campaign", "run", str(file)],
        "compare": ["compare", "xor"],
        "reproduce": ["reproduce", "--table", "2", "--quick"],
    }
    monkeypatch.setattr(cluster_of_dask, "TIMEOUT", 0.2)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    assert main([*arguments[command], "--scheduler", "tcp://127.0.0.1:9"]) == 2
    err = capsys.readouterr().err
    told = "hyperna: connecting to the Dask scheduler at tcp://127.0.0.1:9 (at most 0.2 s)\n"
    assert (told in err) == terminal
    assert "no Dask scheduler answers at 'tcp://127.0.0.1:9'" in err
    assert terminal or err.count("\n") == 1


@pytest.mark.parametrize("address", ["", "nonsense", "tcp://host", "tcp://host:port"])
def test_what_is_no_address_is_refused_at_once(address):
    with (
        pytest.raises(ValueError, match=r"scheduler must be an address .* such as 'tcp://host:8"),
        parallel_backend(scheduler=address),
    ):
        pass


class FakeClient:
    """Answers what it is told to."""

    def __init__(self, answers):
        self.answers = answers

    def wait_for_workers(self, n, timeout):
        pass

    def run(self, function, on_error):
        return self.answers


def test_a_worker_that_dies_while_it_is_asked_for_its_version_is_no_obstacle():
    cluster_of_dask.check_workers(FakeClient({"a": OSError("gone"), "b": hyperna.__version__}))


def test_workers_without_hyperna_are_refused():
    with pytest.raises(ImportError, match=r"Dask worker a cannot import hyperna .*No module named"):
        cluster_of_dask.check_workers(FakeClient({"a": ImportError("No module named 'hyperna'")}))


def test_no_address():
    with pytest.raises(ValueError, match="needs the scheduler's address"), parallel_backend("dask"):
        pass


def test_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"hyperna\[dask\]"), parallel_backend("dask"):
        pass


def fit_of_another(number):
    """What scikit-learn does on a worker: something that itself uses joblib."""
    return list(parallel.in_order(divmod, [(number, 2), (number, 3)]))


@pytest.mark.filterwarnings("default")
def test_joblib_s_own_context_leads_to_the_same_place(cluster):
    """Set with joblib or with hyperna: a job that Dask gives up must not be waited for."""
    import joblib

    with distributed.Client(cluster), joblib.parallel_config("dask"):
        assert list(parallel.in_order(divmod, [(7, 2), (9, 4)])) == [(3, 1), (2, 1)]
        nested = joblib.Parallel()(joblib.delayed(fit_of_another)(n) for n in (5, 6, 7))
    assert nested == [[(2, 1), (1, 2)], [(3, 0), (2, 0)], [(3, 1), (2, 1)]]
