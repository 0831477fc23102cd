"""How far a command is: rates and times by a clock that the test turns."""

import io
import sys

import pytest

from hyperna.cli import progress
from hyperna.cli.progress import Meter, clock


class Clock:
    """A clock that stands still until it is turned."""

    def __init__(self):
        self.now = 500.0

    def monotonic(self):
        return self.now


@pytest.fixture
def turned(monkeypatch):
    made = Clock()
    monkeypatch.setattr(progress, "time", made)
    return made


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        *((0, "0 s"), (0.6, "1 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (61, "1 min 1 s")),
        *(
            (3599, "59 min 59 s"),
            (3600, "1 h 0 min"),
            (7384, "2 h 3 min"),
            (3.6e6, "1,000 h 0 min"),
        ),
    ],
)
def test_seconds_in_words(seconds, text):
    assert clock(seconds) == text


def test_the_rate_counts_new_runs_since_the_first_report(turned):
    meter = Meter(1000)
    turned.now += 30
    meter.update(100, 1000)  # stored before
    assert (meter.done, meter.new, meter.rate) == (100, 0, 0.0)
    assert meter.summary(1) == "100 runs of 1 setting, nothing was missing"
    turned.now += 20
    meter.update(400, 1000)
    assert (meter.done, meter.new, meter.rate) == (400, 300, 15.0)
    turned.now += 5
    assert meter.summary(3) == "400 runs of 3 settings, 300 of them new (12 runs/s, 25 s)"


def test_a_line_a_minute_where_nobody_watches(turned, capsys):
    meter = Meter(6000)
    with meter.shown():
        lines = []
        for seconds, done, left in (
            *((0, 0, None), (59, 10, None), (1, 120, None), (59, 200, 90.4), (1, 240, 90.4)),
            *((60, 240, 0.9), (60, 2400, None)),
        ):
            turned.now += seconds
            meter.update(done, 6000, left)
            lines.append(capsys.readouterr().err)
        meter.print("done")
    assert capsys.readouterr().out == "done\n"
    assert lines == [
        *("", ""),
        "120 of 6,000 runs, 2 runs/s, 49 min 0 s left\n",
        "",
        "240 of 6,000 runs, 2 runs/s, 1 min 30 s left\n",
        "240 of 6,000 runs, 1.33 runs/s\n",
        "2,400 of 6,000 runs, 10 runs/s, 6 min 0 s left\n",
    ]


def test_a_line_before_the_first_new_run_says_what_is_waited_for(turned, capsys):
    meter = Meter(50)
    turned.now += 60
    meter.update(0, 50, 3.0)
    assert capsys.readouterr().err == "0 of 50 runs, starting (compiles once)\n"


def test_a_bar_on_a_terminal_tells_the_same(turned, monkeypatch, capsys):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr(sys, "stderr", terminal)
    meter = Meter(80)
    with meter.shown():
        (bar,) = meter._bar.tasks
        assert (bar.total, bar.description) == (80, "starting")
        meter.update(0, 80)
        assert bar.description == "starting (compiles once)"
        turned.now += 4
        meter.update(20, 80, 12.0)
        assert (bar.completed, bar.description) == (20, "5 runs/s, 12 s left")
        meter.print("a line")
        assert meter._bar.live.is_started
    assert not meter._bar.live.is_started
    assert capsys.readouterr().out == "a line\n"
    assert "5 runs/s" in terminal.getvalue()
