"""What IOHanalyzer is told about runs."""

import numpy as np

from hyperna.experiments.setting import setting
from hyperna.interop import LoggedRun


def test_what_belongs_to_the_function_is_no_option_of_the_algorithm(tmp_path):
    from hyperna.interop.store import describe_algorithm, unusual_options

    (tmp_path / "some.csv").write_text("a,b,w,kind\n0.5,0.1,1,yes\n-0.5,0.2,3,no\n")
    made = setting(tmp_path, problem="some.csv", label="kind", weight="w", scale=True, neurons=2)
    assert unusual_options(made) == {}
    assert describe_algorithm(made) == "na harmonic"
    sphere = setting(problem="quarter", dim=4, points=64, sampling="random", output="and")
    assert unusual_options(sphere) == {}


def test_the_best_network_of_a_logged_run_is_told_with_its_own_evaluation():
    some = {"total": 9, "genome": np.array([1, 2]), "success": True}
    rises = np.array([1, 4]), np.array([0.5, 0.75])
    risen = LoggedRun(*rises, best=0.75, **some)
    assert risen.entry()["best"] == {"evals": 4, "y": 0.75, "x": [1, 2]}
    # next to an optimum, though another network had a larger fitness
    near = LoggedRun(*rises, best=0.7, **some)
    assert near.entry()["best"] == {"evals": 9, "y": 0.7, "x": [1, 2]}
    assert near.rows().splitlines()[-1] == "9 0.75 1"
