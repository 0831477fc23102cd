"""IOHprofiler: what ioh and iohinspector see is what hyperna computed."""

import json
import random
from pathlib import Path

import numpy as np
import pytest

from hyperna.analysis.statistics import expected_running_time
from hyperna.cli import main
from hyperna.experiments.campaign import Campaign
from hyperna.experiments.setting import setting
from hyperna.experiments.store import Store
from hyperna.fitness import FiniteSet, fitness_of
from hyperna.interop import Cell, LoggedRun, Objective, analyzer_logger, write_cell
from hyperna.interop.names import distinct_ids, function_id
from hyperna.interop.store import describe_algorithm, describe_function, export_ioh
from hyperna.network.networks import Network
from hyperna.problems import points, problem, read_csv
from hyperna.run.results import COLUMNS

POINTS = "a,b,class\n0.5,0.1,1\n-0.5,0.2,0\n0.1,0.6,1\n-0.3,-0.4,0\n"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A campaign with successes, stuck runs, budgets, restarts and points."""
    folder = tmp_path_factory.mktemp("ioh")
    (folder / "exit().csv").write_text(POINTS)
    shared = {"resolution": 60, "runs": 40}
    campaign = (
        Campaign.product(problem="quarter", mutation=["harmonic", "local"], **shared)
        + Campaign.product(problem="local_opt", mutation="local", **shared)
        + Campaign.product(problem="local_opt", mutation="local", restarts=3, **shared)
        + Campaign.product(problem="two_quarters", neurons=2, budget=300, target=0.97, **shared)
        + Campaign.product(problem="quarter", dim=3, neurons=2, points=64, budget=50, **shared)
        + Campaign.product(problem="exit().csv", folder=folder, budget=40, runs=20)
        + Campaign.product(problem="half", algorithm="random_search", budget=60, runs=5)
    )
    return campaign.run(folder / "store")


@pytest.fixture(scope="module")
def exported(store, tmp_path_factory):
    folder = tmp_path_factory.mktemp("export") / "ioh"
    assert export_ioh(store, folder, n_jobs=2) == sum(map(len, store.runs()))
    return folder


def summaries(folder):
    """The JSON files of an export by setting."""
    found = {}
    for file in sorted(folder.rglob("*.json")):
        content = json.loads(file.read_text(encoding="utf-8"))
        attributes = {k: v for pair in content["experiment_attributes"] for k, v in pair.items()}
        found[attributes["setting"].strip("'")] = (file, content)
    return found


class TestObjective:
    @pytest.mark.parametrize(
        "made",
        [
            Objective(problem("two_quarters"), resolution=120),
            Objective(problem("quarter"), resolution=2**31 - 2),
            Objective(problem("two_quarters"), output="evolved", resolution=37),
            Objective(fitness_of(problem("half", dim=4), n=128), resolution=50),
            Objective(problem("cube", dim=3), neurons=3, output="and", resolution=24),
        ],
        ids=lambda made: made.name,
    )
    def test_a_foreign_loop_sees_our_fitness_to_the_last_digit(self, made):
        pytest.importorskip("ioh")
        f = made.ioh_problem()
        assert f.bounds.lb.tolist() == [0] * made.grid.components
        assert f.bounds.ub.tolist() == (made.grid.moduli - 1).tolist()
        draw = random.Random(1)
        best = -1.0
        for _ in range(50):
            x = [draw.randint(0, high) for high in f.bounds.ub.tolist()]
            value = f(x)
            assert value == made.fitness(Network(made.grid, x))
            best = max(best, value)
        assert f.state.current_best.y == best
        found = [int(gene) for gene in f.state.current_best.x]
        assert made.fitness(Network(made.grid, found)) == best

    def test_ids_do_not_follow_the_order_of_wrapping(self):
        pytest.importorskip("ioh")
        names = ["half", "quarter"]
        ids = [Objective(problem(name)).ioh_problem().meta_data.problem_id for name in names]
        again = [Objective(problem(n)).ioh_problem().meta_data.problem_id for n in names[::-1]]
        assert ids == again[::-1]
        assert ids[0] == function_id(Objective(problem("half")).name)

    def test_problems_wrapped_under_one_name_keep_their_own_function(self):
        pytest.importorskip("ioh")
        easy, hard = Objective(problem("half"), target=0.1), Objective(problem("half"))
        f, g = easy.ioh_problem(), hard.ioh_problem()
        assert f([0, 60]) == g([0, 60]) == 0.5
        assert (easy.success, hard.success) == (1.0, 0.0)
        assert (f.state.evaluations, g.state.evaluations) == (1, 1)

    def test_a_known_optimum_is_told_only_if_it_lies_on_the_grid(self):
        pytest.importorskip("ioh")
        optimum = Objective(problem("half"), resolution=120).ioh_problem().optimum
        assert (list(optimum.x), optimum.y) == ([30, 60], 1.0)
        assert np.isinf(Objective(problem("half"), resolution=121).ioh_problem().optimum.y)

    def test_different_points_are_different_functions(self):
        X, y = np.array([[0.5, 0.1], [-0.5, 0.2]]), np.array([True, False])
        names = {
            Objective(made).name
            for made in (points(X, y), points(-X, y), FiniteSet(X, y), FiniteSet(X, ~y))
        }
        assert len(names) == 4
        assert "data=" not in Objective(problem("cube")).name

    def test_files_have_the_function_name_of_their_campaign(self, tmp_path):
        (tmp_path / "fruit.csv").write_text(POINTS)
        made = setting(tmp_path, problem="fruit.csv")
        read = read_csv(tmp_path / "fruit.csv")
        assert Objective(read).name.split(" D=")[1] == describe_function(made).split(" D=")[1]

    def test_success_is_that_of_the_algorithm(self):
        made = Objective(problem("quarter"), resolution=120)
        result = setting(problem="quarter").runner().run(3)
        made(result.network.genome)
        assert result.success
        assert made.success == 1.0

    def test_a_new_problem_has_no_success_yet(self):
        pytest.importorskip("ioh")
        made = Objective(problem("quarter"), resolution=120)
        assert made.ioh_problem().state.evaluations == made.success == 0

    def test_resolutions_that_ioh_cannot_hold_are_refused(self):
        with pytest.raises(ValueError, match="resolution must be an integer from 2 to 2147483646"):
            Objective(problem("half"), resolution=2**31)

    def test_logged_values_are_ours_to_the_digits_that_ioh_writes(self, tmp_path):
        pytest.importorskip("ioh")
        made = Objective(problem("quarter"), resolution=60)
        f = made.ioh_problem()
        logger = analyzer_logger(tmp_path / "mine", "random", made, info="uniform draws")
        f.attach_logger(logger)
        rng = np.random.default_rng(0)
        values, ends = [], []
        for _ in range(3):
            values.append([])
            while not (values[-1] and made.success) and len(values[-1]) < 500:
                values[-1].append(f(rng.integers(0, made.grid.moduli).tolist()))
            ends.append(made.success)
            f.reset()
        f.detach_logger()
        logger.close()
        [data] = tmp_path.rglob("*.dat")
        logged = data.read_text().split("evaluations raw_y success\n")[1:]
        for text, own, end in zip(logged, values, ends, strict=True):
            rows = [line.split() for line in text.splitlines()]
            for when, value, _ in rows:
                assert value == f"{own[int(when) - 1]:.10f}"
            assert (int(rows[-1][0]), float(rows[-1][2])) == (len(own), end)


class TestExport:
    def test_every_run_is_there_with_its_evaluations_and_fitness(self, store, exported):
        cells = summaries(exported)
        for runs in store.runs():
            _, content = cells[runs.setting.id]
            [scenario] = content["scenarios"]
            entries = scenario["runs"]
            assert [entry["number"] for entry in entries] == runs.numbers.tolist()
            assert [entry["evals"] for entry in entries] == runs.evaluations.tolist()
            assert [entry["best"]["y"] for entry in entries] == runs.fitness.tolist()
            assert [entry["success"] for entry in entries] == runs.success.astype(int).tolist()
            stuck_at = np.where(runs.stop_reasons == "stuck", runs.stuck_at, 0)
            assert [entry["stuck_at"] for entry in entries] == stuck_at.tolist()
            assert [entry["restarts"] for entry in entries] == runs.restarts.tolist()
            for entry in entries[:5]:
                improved = runs.replay(entry["number"]).improvements
                reached = improved.fitness[-1] == entry["best"]["y"]
                last = int(improved.evaluations[-1]) if reached else entry["evals"]
                assert entry["best"]["evals"] == last
            fitness = runs.setting.make_fitness()
            grid = runs.runner.grid
            for entry in entries[:5]:
                assert fitness(Network(grid, entry["best"]["x"])) == entry["best"]["y"]

    def test_workers_and_the_size_of_jobs_change_no_byte(
        self, store, exported, tmp_path, monkeypatch
    ):
        monkeypatch.setattr("hyperna.interop.store._MOST", 3)
        told = []
        export_ioh(store, tmp_path / "alone", progress=lambda *state: told.append(state))
        files = [path for path in sorted(exported.rglob("*")) if path.is_file()]
        for path in files:
            other = tmp_path / "alone" / path.relative_to(exported)
            assert other.read_bytes() == path.read_bytes()
        assert sum(path.is_file() for path in (tmp_path / "alone").rglob("*")) == len(files)
        # Told again and again while a setting's runs are repeated, from none to all.
        total = sum(map(len, store.runs()))
        assert told[0] == (0, total)
        assert told[-1] == (total, total)
        steps = np.diff([done for done, _ in told])
        assert steps.min() >= 1
        assert steps.max() <= 3

    def test_functions_and_algorithms_tell_all_settings_apart(self, exported):
        cells = [content for _, content in summaries(exported).values()]
        assert len(cells) == 8
        keys = {(cell["function_id"], cell["algorithm"]["name"]) for cell in cells}
        assert len(keys) == len(cells)
        assert len({cell["function_id"] for cell in cells}) == 6

    def test_rows_rise_and_runs_begin_at_evaluation_one(self, exported):
        for file, content in summaries(exported).values():
            data = (file.parent / content["scenarios"][0]["path"]).read_text()
            runs = data.split("evaluations raw_y success\n")[1:]
            assert len(runs) == len(content["scenarios"][0]["runs"])
            for text in runs:
                rows = np.array([line.split() for line in text.splitlines()], float)
                assert rows[0, 0] == 1
                assert (np.diff(rows[:, 0]) > 0).all()
                assert (np.diff(rows[:, 1]) >= 0).all()

    def test_iohinspector_finds_our_running_times_and_success_shares(self, store, exported):
        polars = pytest.importorskip("polars")
        if int(polars.__version__.split(".")[0]) >= 2:
            pytest.skip("iohinspector needs polars < 2")
        inspector = pytest.importorskip("iohinspector")
        manager = inspector.DataManager()
        manager.add_folder(str(exported))
        for runs in store.runs():
            rows = manager.overview.filter(polars.col("setting") == runs.setting.id)
            rows = rows.sort("run_id")
            assert rows["evals"].to_list() == runs.evaluations.tolist()
            assert rows["best_y"].to_list() == runs.fitness.tolist()
        data = manager.load(monotonic=False, include_meta_data=True)
        for runs in store.runs():
            part = data.filter(polars.col("setting") == runs.setting.id)
            ended = part.filter(polars.col("success") == 1).sort("run_id")
            assert ended["evaluations"].to_list() == runs.evaluations[runs.success].tolist()
            table = inspector.metrics.aggregate_running_time(
                part,
                fval_var="success",
                free_vars=["setting"],
                f_min=1.0,
                f_max=1.0,
                scale_f_log=False,
                maximization=True,
            )
            [solved] = table.to_dict("records")
            assert solved["success_ratio"] == runs.success.mean()
            ours = expected_running_time(runs.evaluations, runs.success).value
            # It charges failed runs with the longest run; so do we if all failed at one limit.
            if len(set(runs.evaluations[~runs.success])) <= 1:
                assert solved["ERT"] == pytest.approx(ours, rel=1e-12)

    @pytest.mark.parametrize("column", range(5), ids=COLUMNS)
    def test_changed_rows_are_noticed(self, store, tmp_path, monkeypatch, column):
        found = next(runs for runs in store.runs() if "stuck" in runs.stop_counts)
        changed = int(np.flatnonzero(found.stuck_at)[0])
        found.rows[changed, column] += -1 if column == 2 else 1
        monkeypatch.setattr(Store, "runs", lambda _: [found])
        with pytest.raises(ValueError, match=f"run {changed} ends differently now"):
            export_ioh(store, tmp_path / "out")
        assert list(tmp_path.iterdir()) == []

    def test_existing_folders_stay_as_they_are(self, store, tmp_path):
        (tmp_path / "note").write_text("mine")
        with pytest.raises(OSError, match="exists already"):
            export_ioh(store, tmp_path)
        assert (tmp_path / "note").read_text() == "mine"

    def test_command(self, store, tmp_path, capsys):
        out = tmp_path / "ioh"
        assert main(["campaign", "export", str(store.path), "ioh", "-o", str(out)]) == 0
        assert "265 runs" in capsys.readouterr().out
        assert len(list(out.iterdir())) == 8
        assert main(["campaign", "export", str(store.path), "ioh", "-o", str(out)]) == 2
        assert "exists already" in capsys.readouterr().err

    def test_an_empty_store_is_an_error(self, tmp_path):
        with Store(tmp_path / "store").writer() as writer:
            writer.want({})
        with pytest.raises(ValueError, match="holds no runs yet"):
            export_ioh(Store(tmp_path / "store"), tmp_path / "out")


class TestFormat:
    def test_the_same_keys_as_the_logger_of_ioh(self, tmp_path):
        pytest.importorskip("ioh")
        f = Objective(problem("half"), resolution=12)
        g = f.ioh_problem()
        logger = analyzer_logger(tmp_path / "theirs", "x", f)
        g.attach_logger(logger)
        g([1, 2])
        g.detach_logger()
        logger.close()
        run = LoggedRun(np.array([1]), np.array([0.25]), 1, 0.25, np.array([1, 2]), False)
        cell = Cell(f.name, function_id(f.name), 2, "x")
        write_cell(tmp_path / "ours", cell, [run])
        theirs, ours = (
            json.loads(next(Path(tmp_path, name).glob("*.json")).read_text())
            for name in ("theirs", "ours")
        )
        optional = {"experiment_attributes", "run_attributes"}
        assert ours.keys() - optional == theirs.keys() - optional
        assert ours["scenarios"][0].keys() == theirs["scenarios"][0].keys()
        assert ours["scenarios"][0]["runs"][0].keys() == theirs["scenarios"][0]["runs"][0].keys()
        for key in ("function_id", "function_name", "maximization", "attributes", "algorithm"):
            if key != "algorithm":
                assert ours[key] == theirs[key]

    def test_small_values_have_no_exponent(self):
        run = LoggedRun(np.array([1]), np.array([1e-7]), 1, 1e-7, np.array([0]), False)
        assert run.rows().splitlines()[1] == "1 0.0000001 0"

    def test_equal_numbers_are_moved_apart(self, monkeypatch):
        monkeypatch.setattr("hyperna.interop.names.function_id", lambda name: 65_535)
        assert distinct_ids(["b", "a", "b"]) == {"a": 65_535, "b": 20_000}

    def test_what_is_unusual_is_in_the_algorithm_s_name(self):
        made = setting(problem="half", budget=10, target=False, restarts=2, mutation="local")
        assert describe_algorithm(made) == "na local budget=10 restarts=2 target=False"
        assert describe_algorithm(setting(problem="half")) == "na harmonic"


def test_bent_neurons_have_a_function_of_their_own_and_networks_that_grow_none(tmp_path):
    plain, bent = setting(problem="half"), setting(problem="half", neuron="bent")
    assert describe_function(plain) == "half D=2 N=1 or r=120"
    assert describe_function(bent) == "half D=2 N=1 bent or r=120"
    assert "neuron" not in describe_algorithm(bent)
    grown = setting(problem="half", neurons="evolved", budget=100)
    store = Campaign({grown: 5}).run(tmp_path / "store")
    with pytest.raises(ValueError, match="fixed number of variables"):
        export_ioh(store, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert main(["report", str(store.path), "-o", str(tmp_path / "report.html")]) == 0


def test_loggers_of_ioh_name_the_algorithm(tmp_path):
    pytest.importorskip("ioh")
    f = Objective(problem("half"), resolution=12).ioh_problem()
    logger = analyzer_logger(tmp_path / "mine", "walk", info="to the left")
    f.attach_logger(logger)
    f([0, 6])
    f.detach_logger()
    logger.close()
    [file] = (tmp_path / "mine").glob("*.json")
    assert json.loads(file.read_text())["algorithm"] == {"name": "walk", "info": "to the left"}


def test_a_cell_tells_the_options_of_its_algorithm_and_all_others(store):
    from hyperna.experiments.unusual import FUNCTION_KEYS
    from hyperna.interop.store import make_cells

    found = store.runs()
    for runs, cell in zip(found, make_cells(found), strict=True):
        options = runs.setting.canonical
        own, others = json.loads(cell.info), dict(cell.attributes)
        assert others.pop("setting") == runs.setting.id
        assert others == options
        assert own.keys() == options.keys() - FUNCTION_KEYS
        assert own == {key: options[key] for key in own}
        assert {"problem", "dim", "neurons", "resolution"}.isdisjoint(own)
        assert {"algorithm", "budget"} <= own.keys()


def test_sets_of_points_are_told_apart_by_points_labels_and_weights():
    X, y, weights = np.array([[0.5, 0.1], [-0.5, 0.2]]), [True, False], [1, 2]
    kinds = [(X, y, weights), (X, y, [2, 1]), (X, y, None), (X, [False, True], weights)]
    kinds.append((X * 0.5, y, weights))
    names = [Objective(FiniteSet(*each)).name for each in kinds]
    names += [Objective(points(a, b, weight=c)).name for a, b, c in kinds]
    assert len(set(names[:5])) == len(set(names[5:])) == 5
    assert Objective(FiniteSet(*kinds[0])).name == names[0]


def test_genomes_go_round_each_by_its_own_number_of_values():
    """An angle has r values, a bias one more; of evolved outputs and several neurons too."""
    rng = np.random.default_rng(0)
    for options in (
        {"problem": "two_quarters", "resolution": 12},
        {"problem": "two_quarters", "resolution": 7, "output": "evolved"},
        {"problem": "cube", "resolution": 5, "output": "and"},
    ):
        objective = Objective(**options)
        moduli = np.asarray(objective.grid.moduli)
        assert objective.grid.neurons == fitness_of(options["problem"]).default_neurons
        for _ in range(20):
            genome = rng.integers(0, moduli)
            turned = genome + rng.integers(-3, 4, len(moduli)) * moduli
            told = objective(genome.tolist()), objective.success
            assert told[0] == objective.fitness(Network(objective.grid, genome))
            assert (objective(turned.tolist()), objective.success) == told
