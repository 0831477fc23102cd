"""How a campaign's work is divided, and how long it takes."""

import numpy as np
import pytest

from hyperna.settings import setting

ROWS = np.array([[7, 30, 1, 0, 0], [8, 40, 3, 0, 0]])


def test_a_worker_tells_what_a_run_takes_without_the_compiler(monkeypatch):
    from hyperna.campaign import execution

    made, now = setting(problem="half"), [100.0]

    class Slow:
        units = 40

        def run_block(self, seed, first, last):
            now[0] += 5.0 if first == 3 else 0.25 * (last - first)  # the first one compiles
            return np.repeat(ROWS[:1], last - first, axis=0)

    monkeypatch.setattr(execution.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(execution, "cached_runner", lambda made: Slow())
    done = execution._work_piece(made, 3, 13, end=1000.0)
    assert (len(done.rows), done.seconds, done.seconds_per_run) == (10, 7.25, 0.25)
    alone = execution._work_piece(made, 3, 4, end=1000.0)
    assert (len(alone.rows), alone.seconds, alone.seconds_per_run) == (1, 5.0, 5.0)


def test_estimates_share_the_work_among_the_workers():
    from hyperna.campaign.execution import Done, Queue

    made = setting(problem="half")
    left = []
    for workers in (1, 4):
        queue = Queue({made: [(0, 10**6)]}, workers)
        job, _ = next(queue.jobs())
        rows = np.zeros((job[0][2] - job[0][1], 5), np.int64)
        queue.done(0, [Done(rows, 1, 0.5 * len(rows), 0.5)])
        left.append(queue.seconds_left() / (10**6 - len(rows)))
    assert left == pytest.approx([0.5, 0.125])


def test_settings_wanted_again_come_last():
    from hyperna.campaign.campaign import Campaign

    one, two = (setting(problem="half", resolution=r) for r in (10, 20))
    merged = Campaign({one: 5, two: 1}) + Campaign({one: 3})
    assert list(merged.wanted.items()) == [(two, 1), (one, 5)]
