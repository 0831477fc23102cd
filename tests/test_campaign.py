"""Campaigns: results depend on settings and numbers only, and nothing is done twice."""

import os
import threading

import numpy as np
import pytest
from joblib import effective_n_jobs, register_parallel_backend
from joblib._parallel_backends import SequentialBackend

import hyperna
from hyperna.cli import main
from hyperna.cli.progress import Meter
from hyperna.experiments.algorithms import ALGORITHMS, Algorithm, register
from hyperna.experiments.campaign import Campaign
from hyperna.experiments.execution import Done, Queue, work
from hyperna.experiments.lines import Block
from hyperna.experiments.setting import setting
from hyperna.experiments.store import Store
from hyperna.parallel import in_order, numbered, parallel_backend

pandas = pytest.importorskip("pandas", reason="a frame needs hyperna[data]")

SMALL = Campaign.product(
    problem=["half", "quarter"], resolution=[12, 60], mutation=["harmonic", "local"], runs=40
)


def same(one, other):
    pandas.testing.assert_frame_equal(one, other, check_exact=True)


@pytest.fixture(scope="module")
def frame(tmp_path_factory):
    return SMALL.run(tmp_path_factory.mktemp("campaign") / "store").to_frame()


def test_a_campaign_is_many_batches(frame):
    for made, runs in SMALL.wanted.items():
        batch = made.make_algorithm().run_many(made.make_problem(), runs=runs, seed=made.entropy)
        part = frame[frame.setting == made.id]
        assert part.evaluations.tolist() == batch.evaluations.tolist()
        assert part.fitness.tolist() == batch.fitness.tolist()
        assert part.stop_reason.tolist() == batch.stop_reasons.tolist()
        assert part.success.tolist() == batch.success.tolist()


@pytest.mark.parametrize(
    ("backend", "jobs"), [("threading", 2), ("loky", 2), ("multiprocessing", 2), (None, -1)]
)
def test_workers_make_no_difference(frame, tmp_path, backend, jobs):
    """The backend "multiprocessing" cannot deliver results as they come."""
    same(SMALL.run(tmp_path / "store", n_jobs=jobs, backend=backend).to_frame(), frame)


def test_order_and_company_make_no_difference(frame, tmp_path):
    backwards = Campaign(dict(reversed(SMALL.wanted.items())))
    other = Campaign.product(problem="local_opt", resolution=12, runs=5)
    mixed = (other + backwards).run(tmp_path / "store").to_frame()
    rest = mixed[mixed.problem != "local_opt"].reset_index(drop=True)
    assert rest.evaluations.tolist() == frame.evaluations.tolist()
    assert rest.setting.tolist() == frame.setting.tolist()


def test_more_runs_and_settings_extend(frame, tmp_path):
    done = []

    def count(finished, total, seconds_left):
        done.append(finished)

    less = Campaign(dict.fromkeys(list(SMALL.wanted)[:3], 7))
    store = less.run(tmp_path / "store", progress=count)
    assert (done[0], done[-1]) == (0, 21)
    done.clear()
    SMALL.run(store, progress=count)
    assert (done[0], done[-1]) == (21, SMALL.total)
    done.clear()
    same(SMALL.run(store, progress=count).to_frame(), frame)
    assert done == [SMALL.total]


def test_an_interrupted_campaign_keeps_what_is_finished(frame, tmp_path):
    def interrupt(finished, total, seconds_left):
        if finished > 50:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        SMALL.run(tmp_path / "store", n_jobs=2, progress=interrupt)
    stored = Store(tmp_path / "store").to_frame()
    assert 50 < len(stored) <= SMALL.total
    same(SMALL.run(tmp_path / "store").to_frame(), frame)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_an_interrupt_of_the_compiler_costs_no_finished_run(tmp_path, n_jobs):
    """The second setting has to be compiled, which takes seconds, and Ctrl-C comes in between."""

    class Compiling:
        units = 1

        def run_block(self, seed, first, last):
            raise KeyboardInterrupt

    register(Algorithm("compiling", "", lambda made: Compiling(), processes=False))
    try:
        ready, other = list(SMALL.wanted)[:2]
        ready.runner().run_block(ready.entropy, 0, 1)  # compiled by now
        slow = Campaign.product(problem="half", algorithm="compiling", runs=5)
        campaign = Campaign({ready: 5, **slow.wanted, other: 5})
        with pytest.raises(KeyboardInterrupt):
            campaign.run(tmp_path / "store", n_jobs=n_jobs)
        done = {made.setting: made.done for made in Store(tmp_path / "store").status()}
        assert done[ready] == 5
    finally:
        del ALGORITHMS["compiling"]


def test_an_error_of_a_worker_arrives_and_keeps_what_is_finished(tmp_path):
    class Broken:
        units = 1

        def run_block(self, seed, first, last):
            if last > 3:
                raise RuntimeError("out of order")
            return np.ones((last - first, 5), np.int64)

    register(Algorithm("broken", "", lambda made: Broken()))
    try:
        campaign = Campaign.product(problem="half", algorithm="broken", runs=2)
        store = campaign.run(tmp_path / "store", backend="threading")
        with pytest.raises(RuntimeError, match="out of order"):
            Campaign(dict.fromkeys(campaign.wanted, 9)).run(store, backend="threading")
        assert len(store.to_frame()) >= 2
    finally:
        del ALGORITHMS["broken"]


def test_runs_of_another_version_are_kept_and_mentioned(tmp_path):
    made, other = list(SMALL.wanted)[:2]
    with Store(tmp_path / "store").writer() as writer:
        rows = made.runner().run_block(made.entropy, 0, 3)
        writer.append([Block(made, 0, rows, made.runner().units, version="0.0.1")])
    notes = []
    store = Campaign({made: 5, other: 2}).run(tmp_path / "store", notice=notes.append)
    assert "holds runs of hyperna 0.0.1" in notes[0]
    versions = store.to_frame().groupby("version", observed=True).size()
    assert versions.to_dict() == {"0.0.1": 3, hyperna.__version__: 4}
    Campaign({made: 6}).run(store, notice=notes.append)
    assert notes[1] == notes[0], "its own version is none of the others"


# Jobs.


def test_a_worker_stops_when_time_is_up_but_does_at_least_one_run():
    made, other = list(SMALL.wanted)[:2]
    done = work([(made, 3, 9), (other, 0, 4)], seconds=0.0)
    assert (len(done), len(done[0].rows)) == (1, 1)
    done = work([(made, 3, 9), (other, 0, 4)], seconds=60.0)
    assert np.array_equal(done[0].rows, made.runner().run_block(made.entropy, 3, 9))
    assert len(done[1].rows) == 4


def play(todo, workers, cost, patience=2.0):
    """Work off a queue with made-up times; return the jobs' times and the runs done."""
    queue, times, seen = Queue(todo, workers), [], []
    while queue:
        for number, (job, _) in enumerate(queue.jobs()):
            results, spent = [], 0.0
            for made, first, last in job:
                runs = min(last - first, max(1, int((patience - spent) / cost[made])))
                rows = np.zeros((runs, 5), np.int64)
                spent += runs * cost[made]
                results.append((rows, 1, runs * cost[made], cost[made]))
                seen += [(made, i) for i in range(first, first + runs)]
                if spent >= patience:
                    break
            queue.done(number, [_done(*result) for result in results])
            times.append(spent)
    return times, seen


def _done(*values):
    from hyperna.experiments.execution import Done

    return Done(*values)


@pytest.mark.parametrize("seconds", [1e-4, 1e-3, 0.1, 3.0])
def test_jobs_take_about_a_second_and_cover_everything_once(seconds):
    made = list(SMALL.wanted)
    runs = max(3, int(40 / seconds / len(made)))
    runs = min(runs, 20_000)
    todo = {one: [(0, 2), (5, 5 + runs)] for one in made}
    times, seen = play(todo, 2, dict.fromkeys(made, seconds))
    assert len(seen) == len(set(seen)) == len(made) * (runs + 2)
    total = sum(times)
    assert max(times) <= max(2.0 + seconds, seconds)
    # A job's overhead is some milliseconds; so this is below five per cent.
    assert len(times) <= 12 + 3 * total / min(1.0, total / 8)


def test_a_wrong_guess_costs_no_run():
    fast, slow = list(SMALL.wanted)[:2]
    todo = {fast: [(0, 5000)], slow: [(0, 30)]}
    times, seen = play(todo, 2, {fast: 1e-3, slow: 0.5})
    assert len(seen) == len(set(seen)) == 5030
    assert max(times) <= 2.5


# Backends.


def test_results_come_as_soon_as_they_are_there():
    asked = []

    def numbers():
        for i in range(10_000):
            asked.append(i)
            yield i, 2

    with parallel_backend("threading", n_jobs=2):
        results = numbered(divmod, numbers())
        next(results)
        assert len(asked) < 5000
        results.close()


def test_the_backend_reaches_everything_inside():
    with parallel_backend("threading", n_jobs=3):
        assert effective_n_jobs(None) == 3
    with parallel_backend(n_jobs=2):
        assert effective_n_jobs(None) == 2
    with parallel_backend():
        assert effective_n_jobs(None) == 1
    for backend in ("threading", "loky"):
        with parallel_backend(backend):
            assert effective_n_jobs(None) == 1, "all cores only of a cluster"


@pytest.mark.parametrize("processes", [False, True])
def test_work_is_done_where_it_should_be(processes):
    here = {os.getpid()}
    found = set(in_order(os.getpid, [()] * 4, n_jobs=2, processes=processes))
    assert (found == here) is not processes


@pytest.mark.parametrize("backend", [None, "threading"])
def test_two_threads_work_at_the_same_time(backend):
    together = threading.Barrier(2, timeout=60)
    with parallel_backend(backend, n_jobs=2):
        assert sorted(in_order(together.wait, [()] * 4)) == [0, 0, 1, 1]


def test_a_cluster_gives_all_its_workers_unless_a_number_is_named():
    class Cluster(SequentialBackend):
        def effective_n_jobs(self, n_jobs):
            return {-1: 7}.get(n_jobs, n_jobs)

    register_parallel_backend("some_cluster", Cluster)
    for named, workers in ((None, 7), (3, 3)):
        with parallel_backend("some_cluster", n_jobs=named):
            assert effective_n_jobs(None) == workers


def test_bad_backends_are_refused(tmp_path):
    with (
        pytest.raises(ValueError, match="backend 'steam' is not known to joblib"),
        parallel_backend("steam"),
    ):
        pass
    with (
        pytest.raises(ValueError, match="is not known to joblib") as error,
        parallel_backend("9" * 5000),
    ):
        pass
    assert len(str(error.value)) < 400
    with (
        pytest.raises(ValueError, match="scheduler is for the backend 'dask'"),
        parallel_backend("loky", "tcp://here:1"),
    ):
        pass
    campaign = Campaign.product(problem="half", resolution=[12], runs=2)
    with pytest.raises(ValueError, match="steam"):
        campaign.run(tmp_path / "store", backend="steam")
    assert not (tmp_path / "store").exists()


def test_export_to_parquet(frame, tmp_path):
    pytest.importorskip("pyarrow", reason="parquet needs hyperna[data]")
    SMALL.run(tmp_path / "store")
    out = tmp_path / "runs.parquet"
    assert main(["campaign", "export", str(tmp_path / "store"), "parquet", "-o", str(out)]) == 0
    same(pandas.read_parquet(out).drop(columns="sampling"), frame.drop(columns="sampling"))


def test_settings_in_a_frame_can_be_run_again(frame):
    made = setting(problem="quarter", resolution=60, mutation="local")
    row = frame[(frame.setting == made.id) & (frame.run == 17)].iloc[0]
    assert made.runner().run(made.entropy, 17).evaluations == row.evaluations


def test_a_run_that_waited_for_the_compiler_tells_nothing_about_the_others():
    settings = [setting(problem="half", resolution=r) for r in (12, 24)]
    queue = Queue({made: [(0, 100)] for made in settings}, workers=1)

    def finish(number, job, seconds):
        done = Done(np.zeros((1, 5), dtype=np.int64), 1, seconds, seconds)
        queue.done(number, [done for _ in job])

    jobs = queue.jobs()
    for number, (made, seconds) in enumerate(zip(settings, (60.0, 0.001), strict=True)):
        job, _ = next(jobs)
        assert [piece[0] for piece in job] == [made]
        finish(number, job, seconds)
    assert queue.seconds_left() == pytest.approx((99 + 99) * 0.001)
    # A second slow run is believed, also when the others are known to be quick.
    finish(2, next(jobs)[0], seconds=60.0)
    queue._learn(settings[1], Done(np.zeros((2, 5), dtype=np.int64), 1, 0.002, 0.001))
    assert queue.seconds_left() > 90 * 60.0


def test_the_meter_tells_rate_and_time_of_what_is_new(monkeypatch, capsys):
    now = [50.0]
    monkeypatch.setattr("hyperna.cli.progress.time.monotonic", lambda: now[0])
    meter = Meter(100)
    now[0] += 500
    meter.update(40, 100, 0.0)  # what the store has
    assert "starting" in capsys.readouterr().err
    now[0] += 80
    meter.update(60, 100)
    assert capsys.readouterr().err == "60 of 100 runs, 0.25 runs/s, 2 min 40 s left\n"
    now[0] += 20
    meter.update(65, 100, 7.4)
    assert not capsys.readouterr().err, "a line now and then"
    now[0] += 100
    meter.update(100, 100, 3.0)
    assert capsys.readouterr().err == "100 of 100 runs, 0.3 runs/s, 3 s left\n"
    assert meter.summary(3) == "100 runs of 3 settings, 60 of them new (0.3 runs/s, 3 min 20 s)"


def test_a_target_that_becomes_that_of_another_setting_keeps_the_larger_number_of_runs():
    many = Campaign.product(problem="half", resolution=60, runs=50)
    few = Campaign.product(problem="half", resolution=60, target=1 - 2 / 60, runs=20)
    other = Campaign.product(problem="half", resolution=60, algorithm="random_search", runs=50)
    assert sorted((many + few + other).wanted.values()) == [50, 50]
    assert sorted((few + many + other).wanted.values()) == [50, 50]


def test_so_many_settings_and_runs_are_planned_and_no_more(monkeypatch):
    """Settings of the whole product count, whatever becomes of them; runs of all settings."""
    from hyperna.experiments import campaign

    monkeypatch.setattr(campaign, "MOST_SETTINGS", 4)
    monkeypatch.setattr(campaign, "MOST_RUNS_PLANNED", 12)
    product = {"problem": ["half", "quarter"], "resolution": [12, 24]}
    assert Campaign.product(**product, runs=3).total == 12
    assert Campaign.from_dict({**product, "runs": 3}).total == 12
    for larger in ({"runs": 4}, {"runs": 1, "bias": [True, False]}, {"runs": 13, "neurons": 1}):
        with pytest.raises(ValueError, match="too many, at most"):
            Campaign.product(**{**product, **larger})
    assert Campaign.product(problem="half", runs=12).total == 12
    with pytest.raises(ValueError, match="13 runs are too many, at most 12"):
        Campaign.product(problem="half", runs=13)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_of_a_block_s_own_keys_the_line_is_named_and_else_the_shared_one(tmp_path, place):
    """The same key stands above all blocks and in each of them."""
    file = tmp_path / "plan.toml"
    lines = ['problem = "half"', "resolution = 12", "runs = 2"]
    values = [24, 36, 48]
    for k, value in enumerate(values):
        lines += ["", "[[settings]]", f"neurons = {k + 1}", f"resolution = {value}"]
    good = "\n".join(lines)
    file.write_text(good)
    assert len(Campaign.from_toml(file).wanted) == 3
    file.write_text(good.replace(f"resolution = {values[place]}", "resolution = 1"))
    line = [k for k, text in enumerate(lines, start=1) if text.startswith("resolution")][place + 1]
    with pytest.raises(ValueError, match=f"plan.toml: line {line}: resolution"):
        Campaign.from_toml(file)
    file.write_text(good.replace("resolution = 12", 'resolution = 12\nmutation = "loca"'))
    with pytest.raises(ValueError, match=r"plan.toml: line 3: mutation"):
        Campaign.from_toml(file)
