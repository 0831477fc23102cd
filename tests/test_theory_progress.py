"""Long computations tell how far they are, from a few seconds on, and can be interrupted."""

import os
import signal
from itertools import count

import numpy as np
import pytest

from hyperna.theory import estimated_cost, expected_runtime
from hyperna.theory.ring import Ring
from hyperna.theory.watch import Watch


@pytest.mark.parametrize(
    ("law", "options"),
    [
        ("harmonic", {}),
        ("local", {}),
        ("harmonic", {"target": 1.0, "bias": False}),
        ("harmonic", {"neurons": 2, "output": "xor", "target": 0.8}),
    ],
)
def test_reports_rise_to_the_number_of_states(law, options):
    r = 8 if options.get("neurons") else 120
    chain = expected_runtime("quarter", r, law, **options).chain
    seen = []
    usual = chain.moments()
    watched = chain.moments(Watch(lambda done, total: seen.append((done, total)), silent=0.0))
    np.testing.assert_array_equal(watched.time, usual.time)
    done, total = np.array(seen).T
    assert (np.diff(done) >= 0).all()
    assert len(set(total)) == 1
    assert 0 <= done[0] <= done[-1] <= total[0]
    assert total[0] in (chain.score.size, 2 * chain.score.size)


def test_a_ring_reports_too():
    step = 1.0 / np.maximum(1.0, np.minimum(np.arange(20_000), np.arange(20_000, 0, -1)))
    away = np.minimum(np.arange(20_000), 20_000 - np.arange(20_000))
    seen = []
    ring = Ring(-away, away == 0, step / step.sum())
    ring.moments(Watch(lambda done, total: seen.append((done, total)), silent=0.0))
    assert seen
    assert max(done for done, _ in seen) <= 20_000


def test_quantiles_report_how_many_levels_are_reached(monkeypatch):
    stuck = expected_runtime("local_opt", 12, "local")
    # ten seconds pass between any two looks at the clock
    monkeypatch.setattr("hyperna.theory.watch.time.monotonic", count(0.0, 10.0).__next__)
    levels = (0.1, 0.2, (1 + stuck.probability) / 2)
    seen = []
    found = stuck.quantiles(levels, lambda *counts: seen.append(counts))
    np.testing.assert_array_equal(found, stuck.quantiles(levels))
    assert np.isinf(found[2])
    # the level that is never reached is not waited for
    assert seen[0][0] == 1
    assert seen[-1] == (3, 3)


def test_a_short_computation_says_nothing():
    seen = []
    expected_runtime("quarter", 24, progress=lambda *counts: seen.append(counts))
    assert seen == []


def test_a_long_computation_can_be_interrupted():
    """It would take minutes; the first report sends what Ctrl-C sends."""
    assert estimated_cost("quarter", 3600).minutes > 3
    seen = []

    def interrupt(done, total):
        seen.append((done, total))
        os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        expected_runtime("quarter", 3600, progress=interrupt)
    assert len(seen) == 1
