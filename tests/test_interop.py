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


FUNCTIONS = [
    {"problem": "half"},
    {"problem": "quarter"},
    {"problem": "quarter", "resolution": 60},
    {"problem": "quarter", "neurons": 2},
    {"problem": "quarter", "neurons": 2, "output": "and"},
    {"problem": "quarter", "neurons": 2, "output": "xor"},
    {"problem": "quarter", "neurons": 2, "output": "evolved"},
    {"problem": "quarter", "neurons": 2, "neuron": "bent"},
    {"problem": "quarter", "neuron": "bent"},
    {"problem": "quarter", "points": 64},
    {"problem": "quarter", "points": 65},
    {"problem": "quarter", "points": 64, "sampling": "random"},
    {"problem": "quarter", "dim": 3, "points": 64},
    {"problem": "quarter", "dim": 4, "points": 64},
    {"problem": "arcs", "k": 2},
    {"problem": "arcs", "k": 3},
    {"problem": "cube", "dim": 2},
    {"problem": "cube", "dim": 3},
]
ALGORITHMS = [
    {},
    {"mutation": "local"},
    {"mutation": "pareto:shape=2"},
    {"bias": False},
    {"restarts": 2},
    {"restarts": 2, "stagnation": 9},
    {"target": 0.5},
    {"target": False},
    {"budget": 1234},
    {"seed": 3},
    {"redraw_void": True},
    {"init": "sphere"},
    {"mutation_probability": 0.4},
    {"algorithm": "rls"},
    {"algorithm": "one_plus_lambda"},
    {"algorithm": "one_plus_lambda:offspring=7"},
]


def test_the_name_of_a_function_is_that_of_its_values_and_the_rest_names_the_algorithm():
    """All pairs: no option of the one changes the name of the other, and no two share a name."""
    from hyperna.interop.store import describe_algorithm, describe_function

    functions, algorithms = {}, {}
    for i, function in enumerate(FUNCTIONS):
        for j, algorithm in enumerate(ALGORITHMS):
            made = setting(**function, **algorithm)
            functions.setdefault(describe_function(made), set()).add(i)
            algorithms.setdefault(describe_algorithm(made), set()).add(j)
    assert sorted(map(list, functions.values())) == [[i] for i in range(len(FUNCTIONS))]
    assert sorted(map(list, algorithms.values())) == [[j] for j in range(len(ALGORITHMS))]
