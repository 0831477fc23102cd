"""A number of neurons that evolves: the law of plain Python's runs, and what runs leave behind."""

import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import reference
import reference_algorithms as plain
from hypothesis import given
from hypothesis import strategies as st
from samples import OUTPUTS
from scipy.stats import ks_2samp

from hyperna import Grid, Network, OnePlusOneNA, fitness_of, problem
from hyperna._kernels import topology as kernels
from hyperna._kernels.jit import kernel
from hyperna.experiments.setting import setting
from hyperna.fitness import ExactSphere, FiniteSet, Online, Sampled
from hyperna.run.many import run_many
from hyperna.run.relatives import RELATIVES, RandomisedLocalSearchNA
from hyperna.run.results import network_of
from hyperna.run.simulation import Simulation

R, BUDGET, MOST = 24, 500, 4
THREE = [(Fraction(i, 3), Fraction(2 * i + 1, 6)) for i in range(3)]


@pytest.mark.parametrize("output", OUTPUTS)
def test_runs_have_the_law_of_the_plain_version(output):
    """Evaluations and sizes, by two-sample tests; p-values above 1/1000 under these seeds."""
    target = 0.8
    na = OnePlusOneNA(neurons="evolved", max_neurons=MOST, output=output, resolution=R)
    runs = na.run_many(problem("arcs", k=3), 4000, budget=BUDGET, target=target, seed=1)
    steps = reference.harmonic_law(R)
    slow = plain.runtimes(
        lambda rng: plain.evolved_topology(THREE, target, steps, rng, BUDGET, R, output, MOST),
        100,
        output,
    )
    evaluations, sizes = np.array(slow).T
    assert ks_2samp(runs.evaluations, evaluations).pvalue > 1e-3
    assert ks_2samp(runs.neurons_used, sizes).pvalue > 1e-3


@kernel
def rewrite_output(topology, resolution, genome, neurons, weight, bias):
    kernels.write_output(topology, resolution, genome, neurons, weight, bias)


@given(
    st.lists(st.floats(-1, 1).filter(lambda w: abs(w) > 1e-6), min_size=2, max_size=6),
    st.floats(-1, 1),
    st.integers(1, 2**19),
)
def test_an_output_neuron_is_rounded_as_in_plain_python(weights, bias, half):
    resolution, neurons = 2 * half, len(weights)
    na = OnePlusOneNA(neurons="evolved", output="evolved", max_neurons=6, resolution=resolution)
    task = na.task(problem("half"))
    genome = np.zeros(task.mutation.modulus.size, np.int64)
    rewrite_output(task.algorithm, resolution, genome, neurons, np.array(weights), bias)
    found = genome[2 * neurons : 3 * neurons]
    expected = plain.rounded_output(weights, bias, resolution)
    moduli = [resolution] * (neurons - 1) + [resolution + 1]
    # a value halfway between two of the grid may be rounded to either
    for a, b, modulus in zip(found.tolist(), expected, moduli, strict=True):
        assert (a - b + 1) % modulus <= 2


CASES = {
    "circle": (problem("arcs", k=3), {"output": "xor"}),
    "points": (
        problem("cube", dim=3),
        {"output": "evolved", "move": "rotation", "mutation": "adaptive", "neuron": "bent"},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_runs_depend_on_seed_and_number_only_and_say_what_they_found(name):
    subject, options = CASES[name]
    na = OnePlusOneNA(neurons="evolved", max_neurons=5, resolution=R, **options)
    task = na.task(subject, budget=2000, stagnation=300, restarts=2)
    rows = run_many(task, 40, seed=3, n_jobs=1).rows
    assert (run_many(task, 40, seed=3, n_jobs=2).rows == rows).all()
    again = pickle.loads(pickle.dumps(task))
    assert (again.run_block(3, 5, 9) == rows[5:9]).all()
    for number in range(8):
        run = task.run(3, number, trajectory=True)
        assert (run.evaluations, run.restarts) == (rows[number, 0], rows[number, 4])
        assert run.network.grid.neurons == rows[number, 5]
        assert run.fitness == rows[number, 1] / task.units == task.fitness(run.network)
        assert Network.from_json(run.network.to_json()) == run.network
        path = run.trajectory
        networks = [path.network(i) for i in range(len(path))]
        assert [task.fitness(network) for network in networks] == path.fitness.tolist()
        sizes = np.array([network.grid.neurons for network in networks])
        if not run.restarts:
            # (fitness, -neurons) never falls
            rises, grows = np.diff(path.fitness), np.diff(sizes)
            assert (rises >= 0).all()
            assert (rises[grows > 0] > 0).all()
            assert (np.abs(grows) <= 1).all()
    replayed = run_many(task, 3, seed=3).replay(2)
    assert replayed.network == task.run(3, 2).network


def test_pieces_make_no_difference():
    task = OnePlusOneNA(neurons="evolved").task(problem("arcs", k=2), budget=3000)
    search = Simulation(task, 5)
    while not search.advance(7):
        assert search.result().stop_reason == "running"
    whole = task.run(5)
    assert search.result().evaluations == whole.evaluations
    assert search.result().network == whole.network


@pytest.mark.parametrize("move", ["angle", "rotation"])
def test_the_mutation_of_another_size_differs_in_its_move_and_moduli_only(move):
    """It is copied field by field: a new field must not fall back to its default there."""
    na = OnePlusOneNA(neurons="evolved", max_neurons=MOST, resolution=R, move=move)
    task = na.task(FiniteSet(np.eye(3) * 0.5, [1, 0, 1]))
    mutation = task.mutation._replace(redraw=True, replacing=0.25, neuron_width=7, probability=0.5)
    copied = getattr(kernels.mutation_of, "py_func", kernels.mutation_of)(
        mutation, task.algorithm, 2
    )
    assert copied.modulus is not mutation.modulus
    assert (copied.modulus == task.algorithm.modulus[2]).all()
    for name in set(mutation._fields) - {"move", "modulus"}:
        assert getattr(copied, name) is getattr(mutation, name)


def test_a_network_that_needs_one_neuron_ends_with_one():
    """Now and then two arcs cover the half exactly, and neither can be left out."""
    na = OnePlusOneNA(neurons="evolved", resolution=R)
    runs = na.run_many(problem("half"), 100, budget=20_000, target=False, seed=1)
    assert (runs.fitness == 1).all()
    assert (runs.neurons_used == 1).mean() > 0.9


def test_success_is_the_fitness_of_the_smallest_network_that_can_be_optimal():
    task = OnePlusOneNA(neurons="evolved").task(problem("arcs", k=3))
    assert task.fewest_neurons == 3
    fixed = OnePlusOneNA(neurons=3).task(problem("arcs", k=3))
    assert task.default_target == fixed.default_target
    assert task.goal.optima is None or len(task.goal.optima) == 0
    capped = OnePlusOneNA(neurons="evolved", max_neurons=2).task(problem("arcs", k=3))
    assert capped.best_known == problem("arcs", k=3).best_fitness(2)
    assert OnePlusOneNA(neurons="evolved").task(problem("cube", dim=3)).default_target == 1.0


def test_a_start_may_have_any_size():
    na = OnePlusOneNA(neurons="evolved", output="xor", resolution=R)
    start = Network(replace(na.grid(2), neurons=2), [3, 12, 9, 12])
    run = na.run(problem("arcs", k=3), start=start, seed=1, trajectory=True)
    assert run.trajectory.network(0) == start
    largest = Network(na.grid(2), np.tile([3, 12], na.grid(2).neurons))
    assert na.run(problem("arcs", k=3), start=largest, budget=1, seed=1).network == largest
    larger = replace(na.grid(2), neurons=na.grid(2).neurons + 1)
    for wrong in (
        Network(Grid(2, 2, 8, "xor"), [1, 4, 2, 4]),
        Network(larger, np.zeros(larger.components, int)),
    ):
        with pytest.raises(ValueError, match="start must be on the grid"):
            na.run(problem("arcs", k=3), start=wrong)
    with pytest.raises(TypeError, match="start must be a Network"):
        na.run(problem("arcs", k=3), start=[1, 2])
    with pytest.raises(ValueError, match="must have biases 0"):
        replace(na, bias=False).run(
            problem("arcs", k=3), start=Network(Grid(2, 1, R, "xor"), [1, 4])
        )


@pytest.mark.parametrize("output", ["xor", "evolved"])
def test_without_bias_every_bias_stays_zero_and_void_steps_can_be_redrawn(output):
    na = OnePlusOneNA(neurons="evolved", output=output, bias=False, redraw_void=True, resolution=R)
    genome = [3, 12, 9, 12, 5, 12] if output == "evolved" else [3, 12, 9, 12]
    start = Network(Grid(2, 2, R, output), genome)
    run = na.run(problem("arcs", k=3), budget=2000, seed=1, trajectory=True, start=start)
    networks = [run.trajectory.network(i) for i in range(len(run.trajectory))]
    assert len({network.grid.neurons for network in networks}) > 1
    for network in networks:
        assert (network.genome[network.grid.bias_components] == R // 2).all()


def test_exactly_one_component_may_be_mutated():
    one = RandomisedLocalSearchNA(neurons="evolved", output="xor", resolution=R)
    assert one.run_many(problem("arcs", k=2), 50, seed=1).success.all()


def test_a_genome_ends_with_its_number_of_neurons():
    grid = Grid(2, 3, 8, "evolved")
    assert network_of(grid, np.array([1, 2, 0, 0, 0, 0, 0, 0, 0, 1])).genome.tolist() == [1, 2]
    two = network_of(grid, np.array([1, 2, 3, 4, 5, 6, 0, 0, 0, 2]))
    assert two.grid.neurons == 2
    assert two.genome.tolist() == [1, 2, 3, 4, 5, 6]
    assert network_of(grid, np.arange(9) % 8).grid == grid


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"neurons": "many"}, "neurons must be an integer >= 1 or 'evolved', got 'many'"),
        ({"neurons": 2, "max_neurons": 3}, "max_neurons must be left out"),
        ({"neurons": "evolved", "max_neurons": 0}, "max_neurons must be an integer from 1"),
        ({"neurons": "evolved", "replace_neuron": 0.1}, "replace_neuron must be 0"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        OnePlusOneNA(**options)


def test_what_cannot_grow_is_refused():
    na = OnePlusOneNA(neurons="evolved")
    sphere = problem("half", dim=3)
    assert isinstance(na.task(sphere).fitness, Sampled)
    assert isinstance(fitness_of(sphere), ExactSphere)
    for fitness in (ExactSphere(sphere), Online(problem("half"))):
        with pytest.raises(ValueError, match="neurons must be a number for the fitness"):
            na.task(fitness)
    for name, entry in RELATIVES.items():
        if name not in ("na", "rls"):
            with pytest.raises(ValueError, match="neurons must be a number for"):
                entry(neurons="evolved")
    with pytest.raises(TypeError, match="neurons must be an integer"):
        setting(problem="half", neurons="evolved", algorithm="random_search").runner()


def test_settings_stores_and_frames_know_the_number_of_neurons(tmp_path):
    pandas = pytest.importorskip("pandas")
    from hyperna.experiments.campaign import Campaign

    path = tmp_path / "sizes.toml"
    path.write_text(
        "runs = 20\nbudget = 500\n[[settings]]\nproblem = 'arcs:k=2'\noutput = 'xor'\n"
        "neurons = ['evolved', 2]\n"
    )
    frame = Campaign.from_toml(path).run(tmp_path / "store").to_frame()
    sized = frame[frame.neurons == "evolved"]
    assert len(sized) == 20
    assert sized.neurons_used.min() >= 1
    assert sized.max_neurons.unique().tolist() == [16]
    assert frame[frame.neurons != "evolved"].neurons_used.isna().all()
    assert isinstance(frame, pandas.DataFrame)
    one = setting(problem="arcs:k=2", output="xor", neurons="evolved", budget=500)
    assert one.mutation_probability is None
    assert one.make_algorithm().max_neurons == 16
    fixed = one.runner().run_block(one.entropy, 0, 20)
    assert sized.sort_values("run").neurons_used.tolist() == fixed[:, 5].tolist()


def test_the_mutation_probability_holds_for_networks_that_grow():
    often = OnePlusOneNA(neurons="evolved", mutation_probability=0.9, resolution=24)
    seldom = OnePlusOneNA(neurons="evolved", mutation_probability=0.01, resolution=24)
    times = [
        na.run_many(problem("quarter"), 200, seed=0).evaluations.mean() for na in (often, seldom)
    ]
    assert times[0] < times[1]


def test_growing_networks_without_biases_have_none():
    from hyperna import OnePlusOneNA

    na = OnePlusOneNA(neurons="evolved", output="evolved", max_neurons=4, bias=False, resolution=60)
    sizes = set()
    for seed in range(6):
        run = na.run(problem("arcs", k=3), budget=800, target=False, seed=seed, trajectory=True)
        for i in range(len(run.trajectory)):
            network = run.trajectory.network(i)
            sizes.add(network.grid.neurons)
            assert (network.weights()[1] == 0).all()
            assert network.grid.neurons == 1 or network.output_weights()[1] == 0
    assert max(sizes) > 1


def test_of_equally_fit_starts_the_smallest_network_is_kept():
    rng = np.random.default_rng(5)
    points = FiniteSet(rng.uniform(-0.6, 0.6, (8, 2)), rng.random(8) < 0.5)
    na = OnePlusOneNA("evolved", resolution=12, max_neurons=4)
    ties = 0
    for seed in range(60):
        limits = {"budget": 400, "target": False, "stagnation": 20, "restarts": 50}
        result = na.run(points, **limits, trajectory=True, seed=seed)
        way = result.trajectory
        best = way.fitness == result.fitness
        # a later start that is as good may be smaller, and then its network is the one
        assert result.network.grid.neurons <= way.genomes[-1][-1] or not best[-1]
        ties += bool(best[-1])
    assert ties > 10


@pytest.mark.parametrize("options", [{}, {"mutation": "pareto"}, {"move": "rotation"}], ids=str)
def test_networks_of_every_size_are_mutated_as_those_of_a_fixed_size(options):
    """The same components, numbers of values, planes and probabilities."""
    X = np.random.default_rng(0).uniform(-0.5, 0.5, (9, 3))
    points = FiniteSet(X, X[:, 0] > 0)
    for output in OUTPUTS:
        for neuron, bias, probability in (
            ("plain", True, None), ("plain", False, 0.3), ("bent", True, 1.0), ("bent", False, None)
        ):  # fmt: skip
            known = dict(
                output=output, neuron=neuron, bias=bias, mutation_probability=probability,
                resolution=24, **options,
            )  # fmt: skip
            sized = OnePlusOneNA("evolved", max_neurons=4, **known).task(points).algorithm
            assert sized.threshold == (0.5 if bias else 0.0)
            for n in range(1, 5):
                task = OnePlusOneNA(n, **known).task(points)
                mutation = task.mutation
                count = mutation.component.size
                assert sized.mutable[n] == count
                assert sized.part[n, :count].tolist() == mutation.component.tolist()
                size = task.grid.components
                assert sized.modulus[n, :size].tolist() == mutation.modulus.tolist()
                assert np.exp(sized.stay_log[n]) == pytest.approx(1 - mutation.probability)
                if options.get("move") == "rotation":
                    assert sized.pairs[n, :size].tolist() == mutation.move.pairs.tolist()
