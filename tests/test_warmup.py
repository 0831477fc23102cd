"""What `hyperna warmup` has compiled need not be compiled by the processes after it."""

import os
import subprocess
import sys

import pytest

from hyperna.cli import warmup

LATER = """
import numpy as np
from numba.core import event

compiled = []


class Witness(event.Listener):
    def on_start(self, event):
        compiled.append(event.data["dispatcher"].py_func)

    def on_end(self, event):
        pass


event.register("numba:compile", Witness())
import hyperna

for problem, neurons in (("two_quarters", 2), ("half", 1)):
    for law in ("harmonic", "local"):
        hyperna.OnePlusOneNA(neurons=neurons, mutation=law).run(problem, seed=0, budget=50)
X = np.random.default_rng(1).normal(size=(80, 4))
hyperna.NAClassifier(random_state=0).fit(X, X[:, 0] * X[:, 1] > 0)
hyperna.MuPlusOneNA(neurons=2).run("two_quarters", seed=0, budget=50)
ours = [f for f in compiled if f.__module__.startswith("hyperna")]
assert not ours, ours
"""


def test_every_part_is_said_with_its_time(monkeypatch, capsys):
    done = []
    monkeypatch.setattr(warmup, "parts", lambda: {"one": lambda: done.append(1), "two": lambda: 0})
    assert warmup.run(None) == 0
    lines = capsys.readouterr().out.splitlines()
    assert done == [1]
    assert [line.split(" s  ")[1] for line in lines[:2]] == ["one", "two"]
    assert len(lines) == 3


@pytest.mark.slow
def test_later_processes_compile_nothing(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    for words in (["-m", "hyperna", "warmup"], ["-c", LATER]):
        made = subprocess.run(
            [sys.executable, *words], env=environment, capture_output=True, text=True, check=False
        )
        assert made.returncode == 0, made.stderr
