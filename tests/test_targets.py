"""Which settings of a campaign are asked for one fitness: those with different search spaces."""

import pytest

from hyperna.experiments.campaign import Campaign
from hyperna.experiments.setting import setting

BASE = {"problem": "half", "resolution": 60, "neurons": 1}


@pytest.mark.parametrize(
    ("one", "other", "common"),
    [
        # the same grid, whatever the algorithm
        ({}, {"mutation": "local"}, False),
        ({}, {"algorithm": "rls"}, False),
        ({}, {"algorithm": "mu_plus_one", "mutation": "adaptive"}, False),
        ({}, {"move": "rotation"}, False),
        ({"dim": 3}, {"dim": 3, "mutation": "local"}, False),
        # real numbers beside the grid
        ({}, {"mutation": "pareto"}, True),
        ({"algorithm": "rls"}, {"mutation": "cauchy"}, True),
        ({"dim": 3}, {"dim": 3, "move": "rotation"}, True),
        ({"dim": 3, "mutation": "pareto"}, {"dim": 3, "move": "rotation"}, False),
        # another algorithm
        ({}, {"algorithm": "random_search"}, True),
        ({"mutation": "pareto"}, {"algorithm": "random_search"}, True),
        ({"move": "rotation"}, {"algorithm": "random_search"}, True),
        # what is not compared: other networks, dimensions, problems, resolutions
        ({"bias": False}, {"algorithm": "random_search"}, False),
        ({"neuron": "bent", "bias": False}, {"mutation": "pareto"}, False),
        ({"dim": 3}, {"mutation": "pareto"}, False),
        ({"resolution": 30}, {"mutation": "pareto"}, False),
        ({"neurons": 2}, {"mutation": "pareto"}, False),
        ({"neurons": 2, "output": "and"}, {"neurons": 2, "mutation": "pareto"}, False),
        ({"problem": "quarter"}, {"mutation": "pareto"}, False),
        (
            {"problem": "quarter", "bias": False},
            {"problem": "quarter", "mutation": "pareto"},
            False,
        ),
        # a fitness counts already
        ({"problem": "cube"}, {"problem": "cube", "algorithm": "random_search"}, False),
        ({"problem": "cube"}, {"problem": "cube", "mutation": "pareto"}, False),
        # both without biases
        ({"bias": False}, {"bias": False, "mutation": "pareto"}, True),
    ],
    ids=str,
)
def test_settings_with_different_search_spaces_have_one_target(one, other, common):
    made = [setting(**{**BASE, **options}) for options in (one, other)]
    campaign = Campaign({made[0]: 3, made[1]: 5})
    assert [*campaign.wanted.values()] == [3, 5]
    found = [*campaign.wanted]
    if not common:
        assert found == made
        return
    targets = [each.target for each in found]
    assert targets[0] is not None
    assert targets[0] == targets[1] == made[0].runner().default_target
    # a target of one's own stays what it is, also none and 0
    for target in (False, 0, 0.75):
        given = setting(**{**BASE, **one, "target": target})
        both = [*Campaign({given: 1, made[1]: 2}).wanted]
        assert both[0] == given
        assert both[1].target == targets[1]
