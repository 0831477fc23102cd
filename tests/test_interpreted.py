"""Kernels run as plain Python give the very results of the compiled ones, and those stored."""

import json
import os
import subprocess
import sys
from pathlib import Path

from swept_runs import STORED

import hyperna

PROGRAM = """\
import json
import numpy as np
from hyperna import FiniteSet, OnePlusOneNA, Sampled, dataset, points, problem

xor = points([[0, 0], [0, 0.7], [0.7, 0], [0.7, 0.7]], [0, 1, 1, 0], weight=[1, 2, 3, 4])
line = points([[-0.5], [0.1], [0.7]], [1, 0, 1])
three = FiniteSet([[0.1, 0.9], [0.3, -0.2], [-0.8, 0.1]], [1, 0, 1])
cases = [
    ({}, "half", {}),
    ({"bias": False, "mutation": "local"}, "half", {}),
    ({"redraw_void": True, "mutation": "uniform"}, "quarter", {}),
    ({"neurons": 2, "mutation": "local", "resolution": 12}, "two_quarters", {"budget": 400}),
    ({"neurons": 2, "output": "and"}, "two_quarters", {"budget": 200}),
    ({"neurons": 2, "output": "xor"}, "two_quarters", {"budget": 200}),
    ({"neurons": 3, "output": "xor"}, "arcs:k=3", {"budget": 100}),
    ({"neurons": 2, "output": "evolved"}, "two_quarters", {"budget": 200}),
    ({"neurons": 7, "output": "evolved"}, "arcs:k=3", {"budget": 60}),
    ({"neurons": 5, "resolution": 2**40, "init": "sphere"}, "local_opt", {"budget": 100}),
    ({"resolution": 5000, "mutation": "power_law:exponent=1.5"}, "quarter", {"budget": 150}),
    ({"resolution": 5000, "mutation": "power_law:exponent=0"}, "quarter", {"budget": 50}),
    ({"mutation": "pareto"}, "quarter", {"budget": 150}),
    ({"mutation": "cauchy:scale=3"}, "local_opt", {"budget": 150}),
    ({"mutation": "exponential:scale=20"}, "half", {"budget": 150}),
    ({"mutation": "adaptive:jump=0"}, "local_opt", {"stagnation": 40, "restarts": 3}),
    ({"mutation_probability": 0.001}, "quarter", {"budget": 20_000}),
    ({"neurons": 3}, "cube", {"budget": 200}),
    ({"neurons": 3, "output": "evolved", "init": "sphere"}, "cube", {"budget": 150}),
    ({"neurons": 2, "output": "and"}, xor, {"budget": 150}),
    ({"neurons": 2, "output": "xor"}, xor, {"budget": 150}),
    ({"neurons": 2, "resolution": 16}, line, {"budget": 150}),
    ({"neurons": 2, "resolution": 2**40}, three, {"budget": 150, "target": False}),
    ({"init": "sphere"}, Sampled(problem("half", dim=5), n=20), {"budget": 100}),
]
rows = []
for settings, subject, options in cases:
    subject = problem(subject) if isinstance(subject, str) else subject
    na = OnePlusOneNA(**{"resolution": 60, **settings})
    for number in range(2):
        result = na.run(subject, seed=11, number=number, trajectory=True, **options)
        path = result.trajectory
        rows.append(
            [
                repr(settings),
                result.network.genome.tolist(),
                result.fitness.hex(),
                result.evaluations,
                result.stop_reason,
                result.restarts,
                path.evaluations.tolist(),
                path.genomes.tolist(),
                [value.hex() for value in path.fitness.tolist()],
            ]
        )
print(json.dumps(rows))
"""


SWEEP = """\
import json, sys
sys.path.insert(0, sys.argv[1])
import swept_runs

stored = json.loads(swept_runs.STORED.read_text(encoding="utf-8"))
found = [swept_runs.results(swept_runs.task_of(name, setting)) for name, setting, _ in stored]
print(json.dumps(found))
"""


def run(program=PROGRAM, **environment):
    inherited = {k: v for k, v in os.environ.items() if k != "NUMBA_DISABLE_JIT"}
    process = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, str(Path(__file__).parent)],
        cwd=Path(hyperna.__file__).parents[1],
        env={**inherited, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def test_compiled_and_interpreted_runs_are_the_same():
    compiled, interpreted = run(), run(NUMBA_DISABLE_JIT="1")
    assert len(compiled) == len(interpreted) > 40
    for ours, plain in zip(compiled, interpreted, strict=True):
        assert ours == plain


def test_the_same_seed_gives_the_same_run_under_many_settings():
    """Interpreted, for they would take long to compile; `swept_runs.py` stores them again."""
    stored = json.loads(STORED.read_text(encoding="utf-8"))
    found = run(SWEEP, NUMBA_DISABLE_JIT="1")
    for (name, setting, wanted), got in zip(stored, found, strict=True):
        assert got == wanted, f"{name}: {setting}"


def test_interpreted_runs_of_all_combinations_keep_their_rules():
    """Those of `test_combinations`, of which most take long to compile, and of rare moments."""
    tests = Path(__file__).with_name("test_combinations.py")
    rare = tests.with_name("test_rare_moments.py")
    process = subprocess.run(
        [
            sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist",
            "-m", "slow", f"{tests}::test_every_run_keeps_its_rules", str(rare),
        ],
        cwd=tests.parents[1],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert process.returncode == 0, process.stdout[-3000:]
