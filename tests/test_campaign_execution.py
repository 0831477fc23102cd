"""How a campaign's work is divided, and how long it takes."""

import numpy as np
import pytest

from hyperna.experiments.setting import setting


def test_estimates_share_the_work_among_the_workers():
    from hyperna.experiments.execution import Done, Queue

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
    from hyperna.experiments.campaign import Campaign

    one, two = (setting(problem="half", resolution=r) for r in (10, 20))
    merged = Campaign({one: 5, two: 1}) + Campaign({one: 3})
    assert list(merged.wanted.items()) == [(two, 1), (one, 5)]
