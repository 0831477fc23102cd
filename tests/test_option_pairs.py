"""Two options together: runs have the law of the plain ones in reference_runs.

`test_combinations` tries options one at a time, with every kind of fitness and algorithm. Here all
pairs of options meet on one problem, two neurons on the circle; and each meets local steps of one
neuron in runs that are long enough to wait.
"""

from itertools import combinations

import pytest
import reference
import reference_runs as plain
from test_combinations import check_distribution

OPTIONS = {
    "no bias": {"bias": False},
    "redraw": {"redraw_void": True},
    "replace": {"replace_neuron": 0.3},
    "probability": {"mutation_probability": 0.6},
    "restarts": {"stagnation": 12, "restarts": 2, "target": 0.95},
    "rls": {"algorithm": "rls"},
    "local": {"mutation": "local"},
    "adaptive": {"mutation": plain.WITHOUT_JUMPS},
}
PAIRS = [pair for pair in combinations(OPTIONS, 2) if pair != ("local", "adaptive")]


@pytest.mark.parametrize("pair", PAIRS, ids=" and ".join)
def test_two_options_together_have_the_law_of_the_plain_runs(pair):
    one, other = (OPTIONS[name] for name in pair)
    # half of the circle can be right without a bias, so runs end in many ways
    made = {"arcs": tuple(reference.TWO_QUARTERS), "target": 0.8, **one, **other}
    check_distribution(plain.Case(**made), 80, " and ".join(pair))


@pytest.mark.parametrize("option", [name for name in OPTIONS if name not in ("local", "adaptive")])
def test_local_steps_that_wait_have_the_law_of_the_plain_runs(option):
    """After nine rejected offspring a wait is drawn; three in ten runs stay at a peak of 2/3."""
    made = {"neurons": 1, "mutation": "local", "arcs": tuple(reference.LOCAL_OPT), "target": 0.7}
    case = plain.Case(**{**made, "budget": 400, **OPTIONS[option]})
    check_distribution(case, 60, option)
