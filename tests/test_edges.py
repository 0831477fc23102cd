"""Edges of what is exported, fitted and asked for, each recomputed in a plain way."""

import numpy as np
import pytest

from hyperna import problem
from hyperna.analysis.laws import LAWS, fit_scaling, local_exponents
from hyperna.baselines import baseline_task
from hyperna.interop import LoggedRun
from hyperna.play.answers import task
from hyperna.settings import setting
from hyperna.theory import expected_runtime, export_chain


def test_steps_of_the_page_are_in_units_of_its_grid():
    for law, scale in (("pareto:scale=2", 2), ("cauchy", 1), ("exponential:scale=0.5", 0.5)):
        found = task({"problem": "quarter", "neurons": 1, "resolution": 24, "mutation": law})
        assert found["unit"] == found["resolution"] // 24 > 2**30
        assert found["law"]["scale"] == scale * found["unit"]


@pytest.mark.parametrize("name", ["quarter", "two_quarters"])
def test_exported_states_are_the_search_points_that_they_stand_for(tmp_path, name):
    runtime = expected_runtime(problem(name), 8, "local")
    export_chain(runtime, tmp_path / "chain")
    lines = (tmp_path / "chain.sta").read_text().splitlines()[2:]
    chain = runtime.chain
    assert len(lines) == chain.score.size < 8 * 9  # angles are joined
    for line, score, target in zip(lines, chain.score.flat, chain.target.flat, strict=True):
        angle, bias = map(int, line.partition(":")[2].strip("()").split(","))
        assert runtime.fitness[angle, bias] == score / runtime._units
        assert runtime.target[angle, bias] == target
    # all files count the same states, one of them the start before the first network
    states = {(tmp_path / f"chain.{end}").read_text().split()[0] for end in ("tra", "srew")}
    assert states == {str(chain.score.size + 1)}


def test_the_best_network_of_a_logged_run_is_told_with_its_own_evaluation():
    some = {"total": 9, "genome": np.array([1, 2]), "success": True}
    rises = np.array([1, 4]), np.array([0.5, 0.75])
    risen = LoggedRun(*rises, best=0.75, **some)
    assert risen.entry()["best"] == {"evals": 4, "y": 0.75, "x": [1, 2]}
    # next to an optimum, though another network had a larger fitness
    near = LoggedRun(*rises, best=0.7, **some)
    assert near.entry()["best"] == {"evals": 9, "y": 0.7, "x": [1, 2]}
    assert near.rows().splitlines()[-1] == "9 0.75 1"


def test_repeated_resolutions_do_not_pay_for_more_parameters():
    r = np.repeat([100.0, 200, 400, 800, 1600], 3)
    fits = fit_scaling(r, 3 * r + np.tile([-1, 0, 1], 5), np.ones(15))
    assert {fit.law.name for fit in fits} == {
        name for name, law in LAWS.items() if law.parameters <= 3
    }


def test_slopes_have_the_relative_errors_of_both_ends():
    r, means, errors = [10, 100, 1000, 10**4], [2.0, 5.0, 40.0, 90.0], [0.2, 0.1, 3.0, 1.0]
    for i, row in enumerate(local_exponents(r, means, errors, level=0.6826894921)):
        rise = np.log(means[i + 1] / means[i])
        spread = np.hypot(errors[i] / means[i], errors[i + 1] / means[i + 1])
        for name, run in (("power", np.log(10)), ("log_power", np.log((i + 2) / (i + 1)))):
            assert row[name] == pytest.approx(rise / run)
            assert row[f"{name}_interval"] == pytest.approx(
                [(rise - spread) / run, (rise + spread) / run]
            )


def test_baselines_have_the_neurons_of_the_problem():
    for name, neurons in (("half", 1), ("two_quarters", 2), ("arcs:k=3", 3)):
        assert baseline_task("random_search", problem(name)).grid.neurons == neurons


def test_searches_of_baselines_are_told_what_is_left_of_the_budget(monkeypatch):
    task = baseline_task("random_search", problem("half"), budget=100, restarts=3, target=False)
    told = []

    def search(error, space, rng, budget):
        told.append(budget)
        error(np.zeros((10, space.size)))

    object.__setattr__(task.baseline, "search", search)
    assert task.run(seed=0).evaluations == 40
    assert told == [100, 90, 80, 70]


def test_targets_of_bent_neurons_are_2n_over_r_below_the_best():
    from hyperna import OnePlusOneNA

    for neurons in (1, 2):
        na = OnePlusOneNA(neurons, resolution=40, neuron="bent")
        task = na.task(problem("arcs", k=neurons))
        assert task.default_target == pytest.approx(1 - 2 * neurons / 40)


def test_seeds_of_settings_have_128_bits():
    seeds = [setting(problem="half", resolution=r).entropy for r in range(2, 200)]
    assert all(seed < 2**128 for seed in seeds)
    assert max(seeds) > 2**127
    assert len({seed >> 96 for seed in seeds}) == len(seeds)


def test_only_the_page_itself_may_ask():
    import threading
    from http.client import HTTPConnection

    from hyperna.play import PlayServer

    with PlayServer(0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            for site, status in (
                *((None, 200), ("none", 200), ("same-origin", 200)),
                *(("same-site", 403), ("cross-site", 403)),
            ):
                asked = HTTPConnection("127.0.0.1", server.server_port, timeout=20)
                asked.request("GET", "/", headers={"Sec-Fetch-Site": site} if site else {})
                assert asked.getresponse().status == status
                asked.close()
        finally:
            server.shutdown()


def test_estimates_share_the_work_among_the_workers():
    from hyperna.campaign.execution import Done, Queue

    made = setting(problem="half")
    left = []
    for workers in (1, 4):
        queue = Queue({made: [(0, 10**6)]}, workers)
        number, job, _ = next(queue.jobs())
        rows = np.zeros((job[0][2] - job[0][1], 5), np.int64)
        queue.done(number, [Done(rows, 1, 0.5 * len(rows), 0.5)])
        left.append(queue.seconds_left() / (10**6 - len(rows)))
    assert left == pytest.approx([0.5, 0.125])


def test_a_power_law_of_exponent_zero_is_uniform_on_fine_grids():
    from hyperna.mutation import PowerLaw, Uniform

    for resolution in (4096, 2**30):
        assert PowerLaw(0.0).steps(resolution).kind == Uniform().steps(resolution).kind


def test_classes_are_written_back_as_they_were_read(tmp_path):
    from hyperna._csv import CsvTable

    (tmp_path / "codes.csv").write_text("x,code,number\n1,007,7\n2,7,-3\n3,+1,0\n")
    table = CsvTable(tmp_path / "codes.csv")
    assert table.classes("code").tolist() == ["007", "7", "+1"]
    assert table.classes("number").tolist() == [7, -3, 0]


def test_the_network_next_to_an_optimum_is_the_one_found():
    from hyperna._kernels import state
    from hyperna.baselines.counting import Counter, Finished

    counter = Counter(100, None)
    counter.count("better elsewhere", 90, state.RUNNING)
    with pytest.raises(Finished):
        counter.count("next to the optimum", 80, state.OPTIMUM)
    assert (counter.best, counter.found, counter.stop) == (80, "next to the optimum", state.OPTIMUM)


def test_choices_of_arcs_that_end_at_zero_or_are_too_many():
    from fractions import Fraction

    from hyperna.problems.arcs import level_sets, turned_arcs

    half = Fraction(1, 2)
    assert turned_arcs(((half, Fraction(1)),)) == [(True,)]  # it holds the points right before 0
    assert turned_arcs(((Fraction(0), half),)) == [(False,)]
    thirds = tuple((Fraction(2 * j, 6), Fraction(2 * j + 1, 6)) for j in range(3))
    least, most = level_sets(thirds, 2)
    inside, outside = Fraction(1, 12), Fraction(3, 12)
    for arcs, count in ((least, 1), (most, 3)):
        for point, wanted in ((inside, count), (outside, count - 1)):
            assert sum((point - a) % 1 < b - a for a, b in arcs) == wanted


def test_a_way_over_the_edge_of_biases_is_not_drawn():
    pytest.importorskip("matplotlib")
    import matplotlib.pyplot as plt

    from hyperna import Grid
    from hyperna.plots import plot_landscape
    from hyperna.results import Trajectory

    way = Trajectory(
        Grid(2, 1, 24), np.arange(3), np.zeros(3), np.array([[3, 1], [3, 24], [4, 20]])
    )
    ax = plot_landscape(problem("half"), 12, way)
    (line,) = [line for line in ax.lines if line.get_label().startswith("accepted")]
    assert np.isnan(line.get_xydata()).any(axis=1).tolist() == [False, True, False, False]
    plt.close("all")


def test_an_interrupt_that_a_library_calls_a_failed_import_is_one(monkeypatch, capsys):
    from hyperna import cli
    from hyperna.cli.signals import signals

    def interrupted(argv):
        raise ImportError("Importing the numpy C-extensions failed")

    monkeypatch.setattr(cli, "_run", interrupted)
    assert cli.main(["list"]) == 2
    monkeypatch.setattr(signals, "received", 15)
    assert cli.main(["list"]) == 130
    assert capsys.readouterr().err.splitlines()[-1] == "hyperna: interrupted"
    assert signals.exit_code(130) == 143


def test_settings_wanted_again_come_last():
    from hyperna.campaign.campaign import Campaign

    one, two = (setting(problem="half", resolution=r) for r in (10, 20))
    merged = Campaign({one: 5, two: 1}) + Campaign({one: 3})
    assert list(merged.wanted.items()) == [(two, 1), (one, 5)]


def test_the_error_bound_of_a_quotient_counts_both_parts():
    """h too small and g too large, each by as much as the residuals allow."""
    from hyperna.theory.moments import missed_error

    reach, time, longest, gap = np.full(3, 0.5), np.full(3, 4.0), 8.0, 1e-9
    worst_reach = reach - gap * longest
    worst_time = time + (gap + gap * longest) * longest
    wrong = (worst_time.mean() / worst_reach.mean()) / (time.mean() / reach.mean()) - 1
    assert missed_error(reach, time, longest, gap, gap, 0.0) == pytest.approx(wrong, rel=1e-6)


def test_one_bias_other_than_0_is_enough_to_refuse_a_start():
    from hyperna import Grid, Network, OnePlusOneNA

    na, grid = OnePlusOneNA(neurons=2, resolution=12, bias=False), Grid(2, 2, 12)
    assert na.task(problem("half"), start=Network(grid, [1, 6, 5, 6])).start is not None
    for genome in ([1, 6, 5, 7], [1, 5, 5, 6], [1, 0, 5, 0]):
        with pytest.raises(ValueError, match="biases 0"):
            na.task(problem("half"), start=Network(grid, genome))


@pytest.mark.parametrize("law", ["exponential:scale=0.1", "local"])
def test_steps_of_rotations_are_as_long_as_the_law_says(law):
    from hyperna import OnePlusOneNA
    from hyperna.fitness import FiniteSet

    X = np.random.default_rng(0).normal(size=(40, 3)) / 4
    na = OnePlusOneNA(resolution=60, move="rotation", mutation=law)
    run = na.run(FiniteSet(X, X[:, 0] > 0), budget=400, target=False, seed=0, trajectory=True)
    r = run.network.grid.resolution
    biases = run.trajectory.genomes[:, -1]
    step = np.abs(np.diff(biases)) / (r / 60)
    step = np.minimum(step, 61 - step)
    moved = step[step > 0]
    assert len(moved) > 10
    if law == "local":
        assert moved == pytest.approx(1)
    else:
        assert 0.05 < moved.mean() < 0.2
        assert (moved % 1 > 1e-3).all()


def test_a_repaired_store_still_knows_what_is_wanted(tmp_path):
    from hyperna.store.lines import Block
    from hyperna.store.store import Store

    made, other = (setting(problem="half", resolution=r) for r in (10, 20))
    store = Store(tmp_path / "store")
    with store.writer() as writer:
        writer.want({made: 30, other: 7})
        writer.append([Block(made, 0, made.runner().run_block(made.entropy, 0, 5), 40)])
    [file] = store.files()
    content = file.read_bytes()
    file.write_bytes(content[:-20] + b"#" + content[-19:])
    with store.writer() as writer:
        assert writer.repaired
    assert store.wanted() == {made: 30, other: 7}
    assert not store.damages()


def test_runs_that_are_there_twice_are_those_of_the_longest_block(tmp_path):
    from hyperna.store.lines import Block
    from hyperna.store.store import Store

    made = setting(problem="half", resolution=10)
    rows, units = made.runner().run_block(made.entropy, 0, 9), made.runner().units
    store = Store(tmp_path / "store")
    with store.writer() as writer:
        for last, version in ((4, "0.0.1"), (9, "0.0.2"), (6, "0.0.3")):
            writer.append([Block(made, 0, rows[:last], units, float(last), version)])
    [runs] = store.runs()
    assert np.array_equal(runs.rows, rows)
    assert (runs.numbers.tolist(), runs.seconds, runs.versions) == ([*range(9)], 9.0, ("0.0.2",))


def test_progress_of_the_tables_counts_all_of_them():
    from hyperna.paper.reproduce import Reproduction

    told = []
    tables = Reproduction(tables=(1, 2, 3), runs=2, quick=True)
    for _ in tables.run(progress=lambda done, total, _: told.append((done, total))):
        pass
    done = [now for now, _ in told]
    assert done == sorted(done)
    assert {total for _, total in told} == {done[-1]} == {tables.total}


def test_the_status_tells_settings_apart():
    from hyperna.cli.campaign import varying_keys

    def keys(**options):
        length = max(map(len, options.values()))
        columns = {key: values * (length // len(values)) for key, values in options.items()}
        return varying_keys(
            [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
        )

    half, budget, chance = ["half"], [50, 90], [0.5, 0.25]
    assert keys(problem=half, budget=budget) == ["problem", "budget"]
    assert keys(problem=half, mutation_probability=chance) == ["problem", "mutation_probability"]
    # which follow from the number of neurons and the resolution
    implied = {"problem": half, "budget": budget, "mutation_probability": chance}
    assert keys(**implied, neurons=[1, 2]) == ["problem", "neurons"]
    assert keys(**implied, resolution=[12, 24]) == ["problem", "resolution"]
    assert keys(**implied | {"problem": ["half", "quarter"]}) == ["problem"]


def test_the_best_fitness_of_votes_without_biases():
    for name, neurons, best in (
        *(("two_quarters", 2, 0.75), ("two_quarters", 3, None), ("two_quarters", 4, None)),
        *(("quarter", 2, 1.0), ("quarter", 3, 1.0)),
    ):
        assert problem(name).best_fitness(neurons, "evolved", bias=False) == best


def test_scaled_points_lie_around_the_middle_of_their_box():
    from hyperna.problems import points

    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [9.0, 3.0]])
    scaled = points(X, [0, 1, 0, 1]).scaled().X
    assert scaled.min(axis=0) == pytest.approx(-scaled.max(axis=0))
    assert np.linalg.norm(scaled, axis=1).max() == pytest.approx(1)


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


@pytest.mark.parametrize("name", ["half", "quarter", "local_opt"])
def test_the_fitness_of_bent_neurons_is_that_of_the_networks(name):
    from hyperna import ExactArcs, Grid, Network

    runtime = expected_runtime(problem(name), 12, "local", neuron="bent", bias=False)
    grid, fitness = Grid(2, 1, 12, neuron="bent"), ExactArcs(problem(name))
    found = [
        [fitness(Network(grid, [angle, grid.zero_bias, bend])) for bend in range(12)]
        for angle in range(12)
    ]
    assert runtime.fitness == pytest.approx(np.array(found))


@pytest.mark.parametrize("neuron", ["plain", "bent"])
def test_votes_are_weighted(neuron):
    from hyperna import Grid, Network

    rng = np.random.default_rng(0)
    X, grid = rng.normal(size=(50, 2)), Grid(2, 3, 64, "evolved", neuron)
    for _ in range(20):
        network = Network(grid, grid.random(rng))
        votes, quorum = network.output_weights()
        total = network.hidden(X) @ votes
        clear = np.abs(total - quorum) > 1e-9
        assert np.array_equal(network.predict(X)[clear], (total >= quorum)[clear])
