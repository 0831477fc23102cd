"""Runs of any kind through the public functions: they are refused, or keep their rules."""

import numpy as np
import pytest
from hostile import works_or_refuses
from hypothesis import given, settings
from hypothesis import strategies as st

import hyperna
from hyperna.mutation import LAWS
from hyperna.network.neurons import NEURONS
from hyperna.network.outputs import OUTPUTS
from hyperna.run.relatives import RELATIVES

pytestmark = pytest.mark.filterwarnings("ignore:points lie up to")

RNG = np.random.default_rng(0)
POINTS = {
    dim: hyperna.points(RNG.uniform(-0.37, 0.37, (9, dim)), np.arange(9) % 3 == 0)
    for dim in (1, 2, 3, 7)
}
RESOLUTIONS = st.one_of(st.integers(2, 16), st.sampled_from([120, 257, 2049, 2**40]))
PARAMETERS = {
    "growth": st.floats(1.01, 10),
    "decay": st.floats(0.05, 0.95),
    "jump": st.floats(0, 1),
    "exponent": st.floats(0, 8),
    "shape": st.floats(0.05, 4),
    "scale": st.floats(0.01, 100),
}


@st.composite
def laws(draw):
    """A law of steps, by its name, with parameters now and then."""
    name = draw(st.sampled_from(sorted(LAWS)))
    known = [key for key in PARAMETERS if key in LAWS[name].__dataclass_fields__]
    if not known or draw(st.booleans()):
        return name
    key = draw(st.sampled_from(known))
    return f"{name}:{key}={draw(PARAMETERS[key]):.6g}"


@st.composite
def fitnesses(draw):
    """Something to learn: arcs, spheres, samples, points, fresh points."""
    kind = draw(
        st.sampled_from(["arcs", "own arcs", "sphere", "sample", "points", "cube", "online"])
    )
    name = draw(st.sampled_from(["half", "quarter", "two_quarters", "local_opt", "arcs:k=3"]))
    if kind == "arcs":
        return hyperna.problem(name)
    if kind == "own arcs":
        ends = sorted(draw(st.sets(st.integers(0, 359), min_size=2, max_size=6)))
        pairs = list(zip(ends[::2], ends[1::2], strict=False))
        return hyperna.custom_arcs(pairs, unit="degree")
    if kind == "sphere":
        return hyperna.problem(name, dim=draw(st.integers(3, 6)))
    if kind == "sample":
        subject = hyperna.problem(name, dim=draw(st.integers(2, 5)))
        method = draw(st.sampled_from(["even", "random", "sobol"]))
        return hyperna.Sampled(subject, n=draw(st.integers(1, 60)), method=method)
    if kind == "cube":
        return hyperna.problem("cube", dim=draw(st.integers(1, 4)))
    points = POINTS[draw(st.sampled_from(sorted(POINTS)))]
    if kind == "points":
        return points
    subject = draw(st.sampled_from([points, hyperna.problem(name)]))
    samples = draw(st.integers(1, 5))
    return hyperna.Online(subject, samples=samples, reevaluate=draw(st.booleans()))


@st.composite
def algorithms(draw):
    """The class of an algorithm and its options."""
    entry = RELATIVES[draw(st.sampled_from(sorted(RELATIVES)))]
    choices = {
        "neurons": st.sampled_from([1, 1, 2, 3, 5, 14, "evolved"]),
        "output": st.sampled_from(sorted(OUTPUTS)),
        "resolution": RESOLUTIONS,
        "mutation": laws(),
        "bias": st.booleans(),
        "redraw_void": st.booleans(),
        "mutation_probability": st.one_of(st.none(), st.floats(1e-6, 1)),
        "init": st.sampled_from(["grid", "sphere"]),
        "neuron": st.sampled_from(sorted(NEURONS)),
        "replace_neuron": st.sampled_from([0.0, 0.0, 0.5]),
        "move": st.sampled_from(["angle", "rotation"]),
        "max_neurons": st.sampled_from([None, None, 1, 3]),
        "offspring": st.integers(1, 40),
        "members": st.integers(1, 9),
        "crossover": st.floats(0, 1),
        "temperature": st.floats(0, 1),
        "cooling": st.floats(0.1, 1),
    }
    own = [key for key in choices if key in entry.__dataclass_fields__]
    chosen = draw(st.lists(st.sampled_from(own), unique=True, max_size=7))
    return entry, {key: draw(choices[key]) for key in chosen}


LIMITS = st.fixed_dictionaries(
    {"budget": st.integers(1, 300)},
    optional={
        "stagnation": st.integers(1, 80),
        "target": st.one_of(st.just(False), st.floats(0, 1)),
        "restarts": st.sampled_from([0, 2, "auto"]),
        "term_cost": st.integers(0, 3),
    },
)


# Almost every example compiles a kernel of its own, so that a third of the usual number is tried.
@pytest.mark.slow
@settings(max_examples=settings().max_examples // 3)
@given(algorithms(), fitnesses(), LIMITS, st.integers(0, 9))
def test_runs_of_all_kinds(algorithm, fitness, limits, seed):
    entry, options = algorithm

    def simulate():
        return entry(**options).run(fitness, **limits, seed=seed, trajectory=True)

    result = works_or_refuses((entry.__name__, options, fitness, limits, seed), simulate)
    if result is None:
        return
    judged = hyperna.fitness_of(fitness, neurons=options.get("neurons", 1))
    assert 1 <= result.evaluations <= limits["budget"]
    assert 0 <= result.fitness <= 1
    assert judged(result.network) == pytest.approx(result.fitness, abs=1e-9)
    way = result.trajectory
    assert way.evaluations[-1] <= result.evaluations
    assert judged(way.network(0)) == pytest.approx(way.fitness[0], abs=1e-9)
    assert np.all(np.diff(way.evaluations) >= 0)
    if isinstance(limits.get("target"), float):
        assert result.success == (result.fitness >= limits["target"])
    runs = entry(**options).run_many(fitness, 2, **limits, seed=seed)
    assert runs.evaluations[0] == result.evaluations
    assert runs.fitness[0] == pytest.approx(result.fitness, abs=1e-12)
