"""More corners: frames, headlines, verdicts, limits of searches, laws that may fail."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hyperna import OnePlusOneNA, Online, problem
from hyperna.analysis.statistics import Summary
from hyperna.analysis.tables import escape_latex
from hyperna.cli.run import _headline, _rows, summarise
from hyperna.fitness import ExactArcs, FiniteSet, fitness_of
from hyperna.mutation import law
from hyperna.paper.verdicts import compare_medians
from hyperna.results import STOP_REASONS, Runs
from hyperna.settings import setting
from hyperna.store.frame import SETTING_COLUMNS
from hyperna.store.lines import Block
from hyperna.store.store import Store
from hyperna.theory.best import _Model

ROWS = np.array([[7, 30, 1, 0, 0], [8, 40, 3, 0, 0]])
SETTINGS = [
    {"seed": 7, "bias": False, "redraw_void": True, "init": "sphere"},
    {"mutation_probability": 0.125, "replace_neuron": 0.25, "neurons": 2, "output": "xor"},
    {"restarts": 3, "stagnation": 50, "target": 0.75, "budget": 77},
    {"dim": 3, "move": "rotation", "points": 64, "sampling": "random", "mutation": "pareto"},
    {"neuron": "bent", "resolution": 48, "algorithm": "rls"},
    {"online": 10, "judge_once": True, "target": False},
]


def test_the_frame_has_every_option_of_every_setting(tmp_path):
    pandas = pytest.importorskip("pandas")
    settings = {made.id: made for made in (setting(problem="quarter", **own) for own in SETTINGS)}
    store = Store(tmp_path / "store")
    with store.writer() as writer:
        writer.append([Block(made, 0, ROWS, 40) for made in settings.values()])
    frame = store.to_frame()
    assert set(SETTING_COLUMNS) - set(frame.columns) == {
        *("max_neurons", "label", "weight", "scale", "data"),  # of no setting
    }
    for row in frame.to_dict("records"):
        made = settings[row["setting"]]
        for key in set(SETTING_COLUMNS) & set(frame.columns):
            value, shown = getattr(made, key), row[key]
            if key == "target":
                assert shown == {None: "default", False: "none"}.get(value, str(value))
            elif key == "seed":
                assert shown == (value or 0)
            elif value is None:
                assert pandas.isna(shown)
            else:
                assert shown == value


def test_the_frame_is_sorted_by_numbers_as_numbers(tmp_path):
    pytest.importorskip("pandas")
    store = Store(tmp_path / "store")
    with store.writer() as writer:
        made = [setting(problem="half", resolution=r) for r in (1000, 24, 120, 60)]
        writer.append([Block(one, 0, ROWS, 40) for one in made])
    assert store.to_frame().resolution.tolist() == [24, 24, 60, 60, 120, 120, 1000, 1000]


def summary(**options):
    made = setting(problem="quarter", **options)
    runs = Runs(ROWS, 40, 0, task=made.runner(), setting=made)
    return summarise(made, runs, 5)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, None),
        ({"bias": False}, "no bias"),
        ({"redraw_void": True}, "void steps redrawn"),
        ({"mutation_probability": 0.125}, "probability 0.125 per component"),
        ({"dim": 3, "move": "rotation"}, "rotations"),
        ({"init": "sphere"}, "init sphere"),
        ({"replace_neuron": 0.25}, "a neuron replaced with probability 0.25"),
        ({"stagnation": 9}, "stagnation 9"),
        ({"stagnation": 9, "restarts": 2}, "2 restarts"),
        ({"restarts": "auto"}, "automatic restarts"),
        ({"algorithm": "rls"}, "rls, harmonic mutation"),
        ({"mutation": "local"}, "local mutation"),
    ],
)
def test_the_headline_tells_what_is_unusual(options, words):
    usual = _headline(summary())[1].split(", ")
    told = _headline(summary(**options))[1]
    assert usual == ["harmonic mutation", "probability 0.5 per component"]
    if words is None:
        return
    assert words in told
    assert all(len(re.findall(rf"\b{word}\b", told)) <= 1 for word in ("bias", "init", "restarts"))
    for others in ("no bias", "redrawn", "rotations", "init", "replaced", "stagnation", "restarts"):
        assert (others in told) == (others in words or others in options)


def test_shares_of_stop_reasons_have_their_own_intervals():
    from hyperna.analysis.statistics import wilson_interval

    rows = {row[0]: row for row in _rows(summary())}
    assert rows["stopped: optimum"][1:] == (*rows["stopped: budget"][1:3], "1 of 2 runs")
    many = Runs(np.repeat(ROWS, [1, 9], axis=0), 40, 0, task=setting(problem="quarter").runner())
    told = {row[0]: row for row in _rows(summarise(setting(problem="quarter"), many, 5))}
    low, high = wilson_interval(1, 10)
    assert told["stopped: optimum"][1:3] == ("10.0 %", f"{100 * low:.1f} % … {100 * high:.1f} %")


def test_the_best_fitness_is_that_of_any_run():
    found = Summary(np.array([5, 9]), np.array([True, False]), np.array([0.5, 0.75]))
    assert found.best_fitness == 0.75


@pytest.mark.parametrize("runs", [5, 99, 101])
def test_the_median_of_an_odd_number_of_runs_is_one_of_them(runs):
    rng = np.random.default_rng(runs)
    too_low = too_high = 0
    for _ in range(600):
        printed = np.median(rng.exponential(1000, runs).round())
        sample = rng.exponential(1000, 100).round()
        found = compare_medians(printed, runs, Summary(sample, sample > 0, sample))
        too_low += not found.agrees and found.side < 0
        too_high += not found.agrees and found.side > 0
    assert too_low + too_high < 0.075 * 600
    assert abs(too_low - too_high) <= 16, "both sides are alike"


def test_every_special_sign_is_escaped_in_latex():
    special = "\\%&#$_{}~^<>"
    for sign in special:
        written = escape_latex(sign)
        assert written != sign
        assert re.fullmatch(r"\\[%&#$_{}]|\\text\w+\{\}", written)


def test_waiting_is_skipped_only_where_the_neighbours_are_certain():
    local = OnePlusOneNA(mutation="local")
    assert local.task(problem("quarter")).new_arrays().patience == 9
    assert local.task(Online(problem("quarter"), 5)).new_arrays() is None
    assert OnePlusOneNA().task(problem("quarter")).new_arrays() is None
    often = OnePlusOneNA(mutation="local", replace_neuron=0.5)
    assert often.task(problem("quarter")).new_arrays() is None


def test_automatic_restarts_wait_for_the_components_that_change():
    for bias, components in ((True, 4), (False, 2)):
        task = OnePlusOneNA(neurons=2, bias=bias).task(problem("two_quarters"), restarts="auto")
        assert task.limits.stagnation == 4 * components * 7


def test_a_law_that_may_miss_the_optimum_takes_forever():
    model = _Model(ExactArcs(problem("local_opt")), 12, True)
    assert model.mean(law("local").pmf(12)) == np.inf
    assert np.isfinite(model.mean(law("harmonic").pmf(12)))


def test_neat_succeeds_with_the_target_itself():
    pytest.importorskip("neat", reason="neat-python is not installed (hyperna[baselines])")
    from hyperna.baselines import neat_task

    some = fitness_of(problem("cube", dim=2))
    task = neat_task("neat:population=20", some, target=0.5, budget=2000)
    found = task.run(seed=0)
    assert task.target == 2
    reached = next(e for e, f in zip(*vars(found.improvements).values(), strict=True) if f >= 0.5)
    assert found.success
    assert found.evaluations == reached
    weighted = FiniteSet(some.X, some.y, [1, 5, 2, 3])
    found = neat_task("neat:population=20", weighted, target=False, budget=40).run(seed=1)
    right = found.network.predict(some.X) == some.y
    assert found.fitness == weighted.weights[right].sum() / 11


def test_stop_reasons_of_other_versions_keep_their_names():
    from hyperna.store.lines import _translate

    other = ["optimum", "running", "stuck", "budget"]
    codes = _translate(np.array([0, 2, 3]), other)
    assert [STOP_REASONS[code] for code in codes] == ["optimum", "stuck", "budget"]


def test_json_lists_neurons_and_evaluations_only_when_asked(capsys):
    from hyperna.cli import main

    main(["run", "half", "--runs", "3", "--json"])
    assert '"evaluations":' not in capsys.readouterr().out


def test_a_worker_tells_what_a_run_takes_without_the_compiler(monkeypatch):
    from hyperna.campaign import execution

    made, now = setting(problem="half"), [100.0]

    class Slow:
        units = 40

        def run_block(self, seed, first, last):
            now[0] += 5.0 if first == 3 else 0.25 * (last - first)  # the first one compiles
            return np.repeat(ROWS[:1], last - first, axis=0)

    monkeypatch.setattr(execution.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(execution, "cached_runner", lambda made: Slow())
    done = execution._work_piece(made, 3, 13, end=1000.0)
    assert (len(done.rows), done.seconds, done.seconds_per_run) == (10, 7.25, 0.25)
    alone = execution._work_piece(made, 3, 4, end=1000.0)
    assert (len(alone.rows), alone.seconds, alone.seconds_per_run) == (1, 5.0, 5.0)


def test_the_output_of_another_process_is_its_own(tmp_path, capfd):
    from hyperna._files import write_file

    if not Path("/proc/self/fd/1").exists():
        pytest.skip("this system has no /proc")
    with open(tmp_path / "log", "wb") as log:
        other = subprocess.Popen(
            [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stdout=log
        )
        try:
            write_file(f"/proc/{other.pid}/fd/1", "for you\n")
        finally:
            other.communicate(b"\n")
    assert (tmp_path / "log").read_text() == "for you\n"
    assert capfd.readouterr().out == ""


def test_a_law_fits_from_a_p_value_of_one_in_a_hundred():
    from scipy import stats

    from hyperna.analysis.laws import fit_scaling

    r = np.array([100.0, 200, 400, 800, 1600, 3200])
    wave = np.array([1.0, -1, 1, 1, -1, 1])
    [plain] = [fit for fit in fit_scaling(r, 3 * r + wave, np.ones(6)) if fit.law.name == "linear"]
    for p, fits in ((0.011, True), (0.009, False)):
        # the misfit grows with the square of the noise
        noise = np.sqrt(stats.chi2.isf(p, 4) / plain.chi_square)
        found = fit_scaling(r, 3 * r + noise * wave, np.ones(6))
        [linear] = [fit for fit in found if fit.law.name == "linear"]
        assert linear.p_value == pytest.approx(p)
        assert linear.fits is fits
        assert (linear.weight > 0) is fits


def test_samples_of_the_page_are_labelled_as_their_data_sets():
    from hyperna.datasets import dataset
    from hyperna.play.answers import sample

    for name in ("moons", "xor"):
        found, made = np.array(sample({"name": name})["points"]), dataset(name, n=80, seed=0)
        assert found[:, 2].tolist() == (made.y == 1).astype(int).tolist()
        # moved and shrunk, all coordinates by the same factor
        shown, given = found[:, :2] - found[:, :2].mean(axis=0), made.X - made.X.mean(axis=0)
        assert np.allclose(shown, given * shown.std() / given.std(), atol=2e-3)


def test_what_belongs_to_the_function_is_no_option_of_the_algorithm(tmp_path):
    from hyperna.campaign.ioh import describe_algorithm, unusual_options

    (tmp_path / "some.csv").write_text("a,b,w,kind\n0.5,0.1,1,yes\n-0.5,0.2,3,no\n")
    made = setting(tmp_path, problem="some.csv", label="kind", weight="w", scale=True, neurons=2)
    assert unusual_options(made) == {}
    assert describe_algorithm(made) == "na harmonic"
    sphere = setting(problem="quarter", dim=4, points=64, sampling="random", output="and")
    assert unusual_options(sphere) == {}


def test_the_deviation_of_cma_es_is_the_one_given(monkeypatch):
    cma = pytest.importorskip("cma", reason="cma is not installed (hyperna[baselines])")
    from hyperna.baselines import baseline_task

    given = []
    plain = cma.CMAEvolutionStrategy
    monkeypatch.setattr(cma, "CMAEvolutionStrategy", lambda *a: given.append(a[1]) or plain(*a))
    baseline_task("cma_es:sigma=0.25", problem("half"), budget=20).run(seed=0)
    assert given == [0.25]


def test_a_plateau_with_a_success_on_it_is_not_closed(monkeypatch):
    from types import SimpleNamespace

    from hyperna import plateaus

    ring = SimpleNamespace(
        mutation=SimpleNamespace(component=np.array([0]), modulus=np.array([12]))
    )
    heights = np.array([0, 5, 5, 5, 5, 0, 7, 0, 5, 5, 0, 0])
    for success, closed in ((-1, True), (4, False), (1, False), (8, True), (6, True)):

        def judge(task, genomes, success=success):
            return heights[genomes[:, 0]], genomes[:, 0] == success

        monkeypatch.setattr(plateaus, "_judge", judge)
        assert plateaus.is_closed(ring, np.array([2]), {}) is closed
    # a step down from 5 leads to 0, a step up from there is none from here
    assert sorted(plateaus._explore(ring, np.array([3]), 100)[0].ravel()) == [1, 2, 3, 4]


def test_the_bound_of_adaptive_steps_is_that_of_a_plain_dynamic_programme():
    from hyperna.theory.best import best_law

    r = 5
    model = _Model(ExactArcs(problem("quarter")), r, True)
    score, target = model.score, model.target
    states = [(a, b) for a in range(r) for b in range(r + 1)]
    plans = [(one, other) for one in range(r // 2 + 1) for other in range(1, (r + 1) // 2 + 1)]
    time = dict.fromkeys(states, 0.0)
    for _ in range(400):
        after = {}
        for a, b in states:
            best = 0.0 if target[a, b] else np.inf
            for one, other in plans if best else ():
                into, leave = 1.0, 0.0
                for da, p in ((0, 0.5), (one, 0.25), (-one, 0.25)):
                    for db, q in ((0, 0.5), (other, 0.25), (-other, 0.25)):
                        to = (a + da) % r, (b + db) % (r + 1)
                        if to != (a, b) and score[to] >= score[a, b]:
                            into, leave = into + p * q * time[to], leave + p * q
                best = min(best, into / leave if leave else np.inf)
            after[a, b] = best
        change = max(abs(after[s] - time[s]) for s in states)
        time = after
        if change < 1e-10:
            break
    expected = 1 + np.mean(list(time.values()))
    assert best_law(problem("quarter"), r, "adaptive").mean == pytest.approx(expected, rel=1e-7)


def test_statistics_of_few_and_equal_values():
    from scipy import special, stats

    from hyperna.analysis import comparisons, statistics

    assert comparisons.holm([0.9, 0.8]).tolist() == [1.0, 1.0]
    [test] = comparisons.pairwise_tests({"equal": [5, 5, 5], "other": [1, 2, 9]})
    exact = stats.mannwhitneyu([5, 5, 5], [1, 2, 9])
    assert (test.p_value, test.a12) == (exact.pvalue, exact.statistic / 9)
    # one success: without it there is no estimate, so that it has no influence on the skewness
    spent, solved = np.array([90.0, 20, 35, 50, 10]), np.array([1.0, 0, 0, 0, 0])
    found = statistics.expected_running_time(spent, solved)
    rest = np.delete(spent.sum() - spent, 0)
    influence = (205 + rest.sum()) / 5 - np.append(205, rest)
    skew = (influence**3).sum() / (6 * (influence**2).sum() ** 1.5)
    draws = statistics._resampled_ratios(np.random.default_rng(0), spent, solved, 2000)
    bias = special.ndtri(((draws < 205).sum() + (draws == 205).sum() / 2) / 2000)
    z = bias + special.ndtri([0.025, 0.975])
    shares = special.ndtr(bias + z / (1 - skew * z))
    ends = np.quantile(draws, shares, method="inverted_cdf")
    assert [found.low, found.high] == pytest.approx(ends.tolist())
