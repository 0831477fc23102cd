"""What lies just outside of what is allowed is refused, and what lies on the edge is taken."""

import copy
import json
import math
from datetime import datetime, timedelta, timezone

import numpy as np
import pytest
from samples import OUTPUTS, random_networks

from hyperna import (
    AnnealingNA,
    FiniteSet,
    Grid,
    MuPlusOneNA,
    NAClassifier,
    Network,
    OnePlusLambdaNA,
    OnePlusOneNA,
    Online,
    Sampled,
    dataset,
    expected_runtime,
    export_text,
    problem,
)
from hyperna.analysis.statistics import wilson_interval
from hyperna.classifier.rules import Condition, Rule
from hyperna.experiments.lines import _setting
from hyperna.experiments.setting import setting
from hyperna.experiments.store import read_file
from hyperna.fitness.sampling import random_points, sobol_points
from hyperna.mutation import Adaptive, Harmonic, Pareto, PowerLaw
from hyperna.play.settings import check_rows
from hyperna.run.many import Halt
from hyperna.tables.columns import plain_cells, read_date
from hyperna.theory.best import best_offspring
from hyperna.theory.drift import drift, fit_potential

ABOVE = Condition((0, 2), (1.0, -2.0), 0.5, 2.0, (0.5, 0.5))
RULE = Rule((ABOVE, Condition((1,), (3.0,), 0.0, 1.0, (1.0,))), 2, 1.5, 0.1, 0.4)


def changed(place, value):
    """The description of the rule with one value changed; a place is a path of keys."""
    data = copy.deepcopy(RULE.to_dict())
    inner = data
    for key in place[:-1]:
        inner = inner[key]
    if value is None:
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return data


TAKEN = [
    (("quorum",), 0),
    (("quorum",), 1),
    (("lapse",), 0.0),
    (("lapse",), math.nextafter(0.5, 0)),
    (("share",), 0.0),
    (("share",), 1.0),
    (("slope",), 1e-300),
    (("conditions", 0, "features"), [2, 0]),
    (("conditions", 0, "features"), [0, 1]),
    (("conditions", 0, "scale"), 1e-300),
    (("conditions", 0, "weights"), [-1e-300, 1e300]),
    (("conditions", 0, "threshold"), -1e300),
]
REFUSED = [
    (("quorum",), -1),
    (("quorum",), 3),
    (("quorum",), True),
    (("quorum",), 1.0),
    (("quorum",), None),
    (("lapse",), 0.5),
    (("lapse",), -1e-9),
    (("share",), -1e-9),
    (("share",), 1 + 1e-9),
    (("slope",), 0.0),
    (("slope",), -1.0),
    (("slope",), "1"),
    (("conditions",), None),
    (("conditions",), 3),
    (("conditions", 0, "features"), []),
    (("conditions", 0, "features"), [0, 0]),
    (("conditions", 0, "features"), [0, 3]),
    (("conditions", 0, "features"), [-1, 0]),
    (("conditions", 0, "features"), [0, 1.0]),
    (("conditions", 0, "features"), [0, 1, 2]),
    (("conditions", 0, "features"), "02"),
    (("conditions", 0, "weights"), [1.0, 0.0]),
    (("conditions", 0, "weights"), [1.0]),
    (("conditions", 0, "scale"), 0.0),
    (("conditions", 0, "scale"), -1.0),
    (("conditions", 0, "threshold"), [1.0]),
    (("conditions", 0, "influence"), [1.0]),
    (("conditions", 0, "influence"), None),
]


@pytest.mark.parametrize(("place", "value"), TAKEN, ids=str)
def test_a_rule_at_the_edge_is_read(place, value):
    data = changed(place, value)
    assert Rule.from_dict(data, 3).to_dict() == data


@pytest.mark.parametrize(("place", "value"), REFUSED, ids=str)
def test_a_rule_beyond_the_edge_is_refused(place, value):
    with pytest.raises(ValueError, match="must"):
        Rule.from_dict(changed(place, value), 3)


def test_a_constant_rule_has_a_quorum_of_none_or_one():
    for quorum in (0, 1):
        data = {**RULE.to_dict(), "conditions": [], "quorum": quorum, "slope": 0.0}
        assert Rule.from_dict(data, 3).holds(np.zeros((2, 3))).tolist() == [quorum == 0] * 2
    with pytest.raises(ValueError, match="quorum must be an integer from 0 to 1"):
        Rule.from_dict({**RULE.to_dict(), "conditions": [], "quorum": 2}, 3)


@pytest.fixture(scope="module")
def model():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    return NAClassifier(max_terms=2, evaluations=300, random_state=0).fit(X, X[:, 0] > 0)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("features", 0),
        ("features", 2.0),
        ("feature_names", ["a"]),
        ("feature_names", ["a", 1]),
        ("classes", [False]),
        ("classes", [True, False]),
        ("classes", [0, 1]),
        ("classes", [False, False]),
        ("order", [0]),
        ("order", [1, 1]),
        ("order", [0, 2]),
        ("order", [0, -1]),
        ("rules", []),
        ("rules", "none"),
        ("parameters", {"terms": 1}),
        ("parameters", []),
        ("training_score", "good"),
        ("training_score", math.inf),
        ("version", 0),
        ("version", 10**6),
        ("format", "other"),
        ("more", 1),
    ],
    ids=str,
)
def test_a_stored_model_with_one_wrong_value_is_refused(model, key, value):
    data = json.loads(model.to_json())
    assert key in data or key == "more"
    with pytest.raises(ValueError, match="must"):
        NAClassifier.from_json(json.dumps({**data, key: value}))
    with pytest.raises((TypeError, ValueError), match="must"):
        NAClassifier.from_json(data)


@pytest.mark.parametrize("output", OUTPUTS)
def test_plain_networks_as_bent_ones_answer_alike(output):
    X = np.random.default_rng(3).uniform(-1, 1, (200, 3))
    for neurons in (1, 3):
        for network in random_networks(neurons, 24, output, 20, seed=neurons, dim=3):
            bent = network.as_kind("bent")
            assert bent.grid.neuron == "bent"
            assert bent.grid.output == network.grid.output
            assert bent.predict(X).tolist() == network.predict(X).tolist()
            assert network.as_kind("plain") is network
            assert bent.as_kind("bent") is bent
            with pytest.raises(ValueError, match="bent"):
                bent.as_kind("plain")


def test_errors_of_curves_and_targets_are_bounds():
    """Two ways to solve the same chain differ by less than the bounds that they state."""
    one = expected_runtime("quarter", 12)
    assert one.neurons == 1
    assert one.curve_error(0) == 0.0
    errors = [one.curve_error(t) for t in (1, 2, 1000)]
    assert 0 < errors[0] < errors[1] < errors[2] < 1e-10
    assert errors[2] == pytest.approx(1000 * errors[0])
    several = expected_runtime("quarter", 12, algorithm="one_plus_lambda", offspring=3)
    assert several.curve_error(7) == pytest.approx(3 * several.curve_error(1))
    assert several.curve_error(6) == pytest.approx(2 * several.curve_error(3))
    for runtime in (one, several, expected_runtime("local_opt", 12, "local")):
        evaluations = runtime.fixed_target()[1]
        evaluations = evaluations[np.isfinite(evaluations)]
        assert 0 <= runtime.fixed_target_error() < 1e-8 * evaluations.max()
        assert (np.diff(evaluations) >= 0).all()
    with pytest.raises(ValueError, match="one_comma_lambda"):
        expected_runtime(
            "half", 6, algorithm="one_comma_lambda", offspring=2, bias=False
        ).fixed_target()


def test_a_drift_that_is_never_positive_bounds_nothing():
    """A potential that only grows: the lower bound is the first evaluation."""
    runtime = expected_runtime("half", 8, bias=False)
    falling = drift(runtime, "distance")
    assert 1.0 < falling.additive_lower_bound <= falling.exact <= falling.additive_bound
    farthest = falling.values.max()
    rising = drift(runtime, np.where(runtime.target, 0.0, farthest + 1 - falling.values))
    if rising.largest_rate <= 0:
        assert rising.additive_lower_bound == 1.0
    with pytest.raises(ValueError, match="at least one potential"):
        fit_potential(runtime, [])


def test_durations_and_dates_of_any_kind_are_read():
    days = np.array([36, 12, -24], "timedelta64[h]")
    assert plain_cells(days).tolist() == [1.5, 0.5, -1.0]
    assert read_date(20240131.0, "%Y%m%d") == np.datetime64("2024-01-31")
    assert np.isnat(read_date(20240131.5, "%Y%m%d"))
    assert np.isnat(read_date(31.0, "%Y%m%d"))
    east = timezone(timedelta(hours=14))
    first = datetime(1, 1, 1, tzinfo=east)
    noon = datetime(2024, 1, 1, 12, tzinfo=east)
    assert plain_cells([first, noon])[1] == np.datetime64("2023-12-31T22:00")
    assert plain_cells([first, noon])[0] is None or np.isnat(plain_cells([first, noon])[0])


def test_a_run_with_costs_that_is_given_up_leaves_no_row():
    rng = np.random.default_rng(0)
    points = FiniteSet(rng.uniform(-0.5, 0.5, (40, 2)), rng.random(40) < 0.5)
    na = OnePlusOneNA(resolution=64, move="rotation")
    task = na.task(points, term_cost=1, budget=10**9)
    halt = Halt()
    halt.raised = True
    assert list(task.finished_rows(1, 0, 3, halt)) == []
    many = FiniteSet(rng.uniform(-0.01, 0.01, (9, 2048)), rng.random(9) < 0.5)
    assert na.task(many, term_cost=2**50, budget=5).term_cost == 2**50
    with pytest.raises(ValueError, match="term_cost must be smaller"):
        OnePlusOneNA(2, resolution=64, move="rotation").task(many, term_cost=2**50, budget=5)


def test_scores_are_those_of_genomes_on_the_grid():
    points = FiniteSet([[0.5, 0.0], [-0.5, 0.0], [0.0, 0.2]], [1, 0, 1], [1, 2, 4])
    grid = OnePlusOneNA(resolution=8).grid(2)
    assert points.positive_units(grid) == 5
    assert points.scores(np.array([[0, 4]]), grid).tolist() == [7]
    for genomes in ([0, 4], [[0, 4, 1]], [[0.0, 4.0]]):
        with pytest.raises(ValueError, match="genomes must be integers"):
            points.scores(np.array(genomes), grid)


def test_settings_that_contradict_themselves_are_refused():
    made = setting(problem="half", resolution=12).make_algorithm()
    assert made == OnePlusOneNA(resolution=12, mutation_probability=0.5)
    with pytest.raises(ValueError, match="not a relative"):
        setting(problem="half", algorithm="random_search").make_algorithm()
    with pytest.raises(ValueError, match="judge_once needs online"):
        setting(problem="half", judge_once=True).runner()
    with pytest.raises(ValueError, match="points does not apply with online"):
        setting(problem="half", dim=3, online=4, points=50).runner()


def test_lines_without_a_needed_key_are_refused():
    values = {
        "algorithm": "na", "problem": "half", "dim": 2, "neurons": 1, "output": "or",
        "resolution": 12,
    }  # fmt: skip
    for key in values:
        with pytest.raises(ValueError, match=f"must have the keys {key}$"):
            _setting({name: value for name, value in values.items() if name != key})
    with pytest.raises(ValueError, match="must be an object"):
        _setting([values])


def test_a_store_file_that_is_gone_is_no_damage(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_file(tmp_path / "runs-0.jsonl")
    link = tmp_path / "runs-1.jsonl"
    link.symlink_to(tmp_path / "nothing")
    [damage] = read_file(link).damages
    assert damage.file == link.name


TINY = math.nextafter(0.0, 1.0)
WAY = OnePlusOneNA(resolution=12).run("half", seed=0, trajectory=True).trajectory
CHAIN = expected_runtime("half", 6, bias=False)

# What takes a number, the values at its ends, and the first ones beyond them.
EDGES = {
    "resolution": (lambda v: Grid(2, 1, v), [2, 2**40], [1, 2**40 + 1]),
    "dimension": (lambda v: Grid(v, 1, 12), [1], [0]),
    "neurons": (lambda v: Grid(2, v, 12), [1], [0]),
    "angle": (lambda v: Network(Grid(2, 1, 12), [v, 0]), [0, 11], [-1, 12]),
    "bias": (lambda v: Network(Grid(2, 1, 12), [0, v]), [0, 12], [-1, 13]),
    "output's bias": (lambda v: Network(Grid(2, 2, 12, "evolved"), [0] * 5 + [v]), [0, 12], [13]),
    "orientation": (lambda v: Network(Grid(1, 1, 12), [v, 0]), [0, 1], [-1, 2]),
    "bend": (lambda v: Network(Grid(2, 1, 12, "or", "bent"), [0, 0, v]), [0, 11], [-1, 12]),
    "accepted network": (WAY.network, [0, len(WAY) - 1, -len(WAY)], [len(WAY), -len(WAY) - 1]),
    "state": (CHAIN.from_start, [0, 5], [-1, 6]),
    "end of a curve": (CHAIN.distribution, [0], [-1]),
    "offspring": (lambda v: OnePlusLambdaNA(offspring=v), [1, 2**20], [0, 2**20 + 1]),
    "members": (lambda v: MuPlusOneNA(members=v), [1, 2**20], [0, 2**20 + 1]),
    "crossover": (lambda v: MuPlusOneNA(crossover=v), [0, 1], [-TINY, 1 + 1e-15]),
    "temperature": (lambda v: AnnealingNA(temperature=v), [0, 1e9], [-TINY]),
    "cooling": (lambda v: AnnealingNA(cooling=v), [TINY, 1], [0, 1 + 1e-15]),
    "exponent": (lambda v: PowerLaw(v), [0, 100], [-TINY, 100.001]),
    "shape": (lambda v: Pareto(shape=v), [0.01], [0.0099]),
    "scale": (lambda v: Pareto(scale=v), [TINY], [0, -1]),
    "growth": (lambda v: Adaptive(growth=v), [1 + 1e-15, 1e6], [1, 1e6 + 1]),
    "decay": (lambda v: Adaptive(decay=v), [TINY, 1 - 1e-15], [0, 1]),
    "jump": (lambda v: Adaptive(jump=v), [0, 1], [-TINY, 1 + 1e-15]),
    "table of a law": (lambda v: Harmonic().pmf(v), [2], [1]),
    "samples": (lambda v: Online(problem("half"), v), [1, 2**31], [0, 2**31 + 1]),
    "points": (lambda v: Sampled(problem("half", dim=3), n=v), [1], [0]),
    "dimension of points": (lambda v: sobol_points(1, v, seed=0), [1, 21202], [0, 21203]),
    "seed of points": (lambda v: random_points(2, 2, seed=v), [0], [-1]),
    "arcs": (lambda v: problem("arcs", k=v), [1, 1000], [0, 1001]),
    "dimension of arcs": (lambda v: problem("half", dim=v), [2], [1]),
    "cube": (lambda v: problem("cube", dim=v), [1], [0]),
    "trials": (lambda v: wilson_interval(1, v), [1], [0]),
    "successes": (lambda v: wilson_interval(v, 3), [0, 3], [-1, 4]),
    "target": (lambda v: expected_runtime("half", 6, bias=False, target=v), [1], [-TINY, 1.01]),
    "number of a run": (lambda v: OnePlusOneNA().run("half", seed=0, number=v), [0], [-1]),
    "runs": (lambda v: OnePlusOneNA().run_many("half", v, seed=0), [1], [0]),
    "seed": (lambda v: OnePlusOneNA().run("half", seed=v), [0], [-1]),
    "labelled points": (lambda v: dataset("xor", n=v), [4], [3]),
    "noise": (lambda v: dataset("xor", noise=v), [0, 1000], [-TINY, 1000.1]),
    "flipped labels": (lambda v: dataset("half_spaces", noise=v), [0, 0.5], [-TINY, 0.51]),
    "ratio": (lambda v: dataset("circles", ratio=v), [TINY, 1 - 1e-15], [0, 1]),
    "half-spaces": (lambda v: dataset("half_spaces", k=v, n=4), [1, 1000], [0, 1001]),
    "most offspring": (lambda v: best_offspring("half", 6, most=v, bias=False), [1], [0]),
}  # fmt: skip


@pytest.mark.parametrize("name", EDGES)
def test_the_ends_of_a_range_are_taken_and_nothing_beyond(name):
    call, taken, refused = EDGES[name]
    for value in taken:
        call(value)
    for value in refused:
        with pytest.raises(ValueError, match="must"):
            call(value)
    for value in (math.nan, "1", True, 1.5j):
        if name != "target" or value == "1":  # which may be True
            with pytest.raises((TypeError, ValueError), match="must"):
                call(value)


def test_digits_of_a_printed_rule(model):
    for digits in (1, 17):
        assert export_text(model, ["a", "b"], digits=digits)
    for digits in (0, 18):
        with pytest.raises(ValueError, match="digits must be"):
            export_text(model, ["a", "b"], digits=digits)


@pytest.mark.parametrize("rows", [[[0]], [[0, 1, 2]], [0], ["01"], [["0", "1"]], [[0, 1]] * 13])
def test_rows_of_the_play_page_have_their_length(rows):
    assert check_rows("arcs", [(0, 1.5), [2, 3]], 2, 12) == ((0, 1.5), (2, 3))
    assert len(check_rows("arcs", [[0, 1]] * 12, 2, 12)) == 12
    with pytest.raises(ValueError, match="at most 12 rows of 2 numbers"):
        check_rows("arcs", rows, 2, 12)
