"""Exact runtimes at their edges: large levels and parts of work, ties, first and last, refusals."""

import json
import math
from itertools import product

import numpy as np
import pytest

from hyperna import OnePlusOneNA, expected_runtime, problem
from hyperna.cli import main
from hyperna.fitness import Online, Sampled
from hyperna.theory import drift, estimated_cost, fit_potential, largest_resolution
from hyperna.theory.dense import DenseSolver
from hyperna.theory.limits import Cost
from hyperna.theory.runtime import solve_task
from hyperna.theory.sparse_system import SparseSolver
from hyperna.theory.states import list_states
from hyperna.theory.task import exact_task
from hyperna.theory.watch import Watch

ALGORITHMS = {
    "na": {},
    "rls": {"algorithm": "rls"},
    "plus": {"algorithm": "one_plus_lambda", "offspring": 3},
    "plus one": {"algorithm": "one_plus_lambda", "offspring": 1},
    "comma": {"algorithm": "one_comma_lambda", "offspring": 4},
    "comma one": {"algorithm": "one_comma_lambda", "offspring": 1},
}


# ---- parts of the work


def all_answers(solver, start):
    """What a solver tells of a chain, in a row."""
    moments = solver.moments(Watch())
    some = np.arange(start.size) % 7 == 0
    fixed = some.copy()
    fixed[np.concatenate(solver.closed_classes())] = True
    walk = solver.probabilities(start)
    steps = [next(walk).copy() for _ in range(4)]
    return [
        moments.reach,
        moments.time,
        np.sqrt(moments.square),
        solver.visits(start, fixed),
        solver.reach_first(some)[0],
        solver.change(np.cos(np.arange(start.size))),
        *steps,
    ]


@pytest.mark.parametrize("options", [{}, {"target": 0.9}], ids=str)
@pytest.mark.parametrize("algorithm", ["na", "plus", "rls"])
def test_the_parts_in_which_chains_are_solved_change_nothing(algorithm, options, monkeypatch):
    """More than 512 states, which are entered at a time; a return to Python after every level."""
    chain = expected_runtime("quarter", 36, **options, **ALGORITHMS[algorithm]).chain
    assert chain.size > 600
    wanted = [values.ravel() for values in all_answers(DenseSolver(chain), chain.start)]
    for pairs, quota in ((1, 0), (10**4, 10**5), (10**9, 10**9)):
        monkeypatch.setattr("hyperna._kernels.exact_levels.QUOTA", quota)
        monkeypatch.setattr("hyperna.theory.generations._PAIRS", pairs)
        monkeypatch.setattr("hyperna.theory.sparse_system._PART", max(1, quota // 1000))
        solver = type(chain.solver)(chain) if chain.full else SparseSolver.of(chain)
        found = all_answers(solver, chain.start)
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one.ravel(), other, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("rows", [1, 7, 1000])
def test_the_rows_in_which_a_dense_chain_is_made_change_nothing(rows, monkeypatch):
    wanted = expected_runtime("quarter", 10, **ALGORITHMS["comma"])
    monkeypatch.setattr("hyperna.theory.dense._ROWS", rows)
    found = expected_runtime("quarter", 10, **ALGORITHMS["comma"])
    np.testing.assert_allclose(found.per_state, wanted.per_state, rtol=1e-12)


def test_the_parts_in_which_networks_are_judged_change_nothing(monkeypatch):
    task = exact_task("cube", 5, dim=2, neurons=2, output="xor")
    wanted = list_states(task)
    for batch in (1, 899, 900, 901, 450):
        monkeypatch.setattr("hyperna.theory.states._BATCH", batch)
        if batch == 1:
            task_of_batch = exact_task("cube", 3, dim=2)
            found = list_states(task_of_batch)
            monkeypatch.undo()
            usual = list_states(task_of_batch)
        else:
            found, usual = list_states(task), wanted
        np.testing.assert_array_equal(found.score, usual.score)
        np.testing.assert_array_equal(found.target, usual.target)


@pytest.mark.parametrize("law", ["harmonic", "local"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("redraw", [False, True])
def test_rings_answer_what_chains_of_one_angle_answer(law, algorithm, redraw, monkeypatch):
    """Beyond some resolution the (1+1) NA is a ring, and what is no (1+1) NA is none."""
    settings = {"bias": False, "redraw_void": redraw, **ALGORITHMS[algorithm]}
    for probability in (None, 0.3):
        settings["mutation_probability"] = probability
        wanted = expected_runtime("half", 24, law, **settings)
        with monkeypatch.context() as changed:
            changed.setattr("hyperna.theory.runtime.LARGEST_MATRIX", 23)
            found = expected_runtime("half", 24, law, **settings)
        np.testing.assert_allclose(found.per_state, wanted.per_state, rtol=1e-9)
        np.testing.assert_array_equal(found.fitness, wanted.fitness)
        np.testing.assert_array_equal(found.target, wanted.target)
        assert found.mean == pytest.approx(wanted.mean)
        assert found.standard_deviation == pytest.approx(wanted.standard_deviation)
        assert found.optimum_share == pytest.approx(wanted.optimum_share)
        assert found.generations == pytest.approx(wanted.generations)


# ---- bounds of errors


@pytest.mark.parametrize("algorithm", ["na", "plus", "rls"])
@pytest.mark.parametrize("law", ["harmonic", "local"])
def test_bounds_of_visits_hold_where_the_visits_are_wrong(law, algorithm, monkeypatch):
    """Visits that are too few by a millionth: the stated errors are at least what is missing."""
    runtime = expected_runtime("local_opt", 10, law, target=0.7, **ALGORITHMS[algorithm])
    right = runtime.fixed_target()[1]
    ends = runtime.ends()
    kind = type(runtime.chain.solver)
    usual = kind.visits

    def too_few(solver, start, fixed):
        found = usual(solver, start, fixed)
        # those that are fixed are where they begin, and what enters them
        return found - 1e-6 * np.where(fixed, found - start, found)

    monkeypatch.setattr(kind, "visits", too_few)
    wrong = runtime.fixed_target()[1]
    finite = np.isfinite(right)
    np.testing.assert_array_equal(finite, np.isfinite(wrong))
    missing = np.abs(right[finite] - wrong[finite]).max()
    assert 1e-7 < missing <= runtime.fixed_target_error()
    for one, other in zip(ends, runtime.ends(), strict=True):
        assert abs(one.probability - other.probability) <= other.error < 0.1
        assert one.error < 1e-9


# ---- ties, the first and the last


def test_levels_that_are_hit_exactly_are_reached_and_bounds_enclose_them():
    """All probabilities are multiples of a power of 1/2: sums are exact."""
    runtime = expected_runtime("half", 16, "local", bias=False)
    shares = runtime.distribution(5)
    assert shares[1:4].tolist() == [1 / 16, 3 / 32, 1 / 8]
    for t in (1, 2, 3):
        just_above = np.nextafter(shares[t], 1)
        assert runtime.quantiles([shares[t], just_above]).tolist() == [t, t + 1]
        low, high = runtime.quantile_bounds([shares[t]])
        assert low.tolist() == [t]
        # the first share is known without any step
        assert high.tolist() == [t if t == 1 else t + 1]
        low, high = runtime.quantile_bounds([just_above])
        assert [low.tolist(), high.tolist()] == [[t + 1 if t == 1 else t], [t + 1]]


def test_a_level_that_is_only_reached_in_the_limit_is_not_waited_for(monkeypatch):
    stuck = expected_runtime("local_opt", 12, "local")
    monkeypatch.setattr("hyperna.theory.answers.MOST_STEPS", 300)
    p = stuck.probability
    levels = [p * (1 - 1e-10), p, p * (1 + 1e-10), (1 + p) / 2]
    assert stuck.quantiles(levels).tolist() == [math.inf] * 4
    assert math.isfinite(stuck.quantiles([p / 2])[0])
    with pytest.raises(ValueError, match="levels must be reached within 300 steps"):
        stuck.quantiles([p * (1 - 1e-8)])


@pytest.mark.parametrize("algorithm", ["na", "comma", "plus"])
def test_ends_and_local_optima_come_in_order_with_the_fitness_of_their_best(algorithm):
    options = ALGORITHMS[algorithm]
    runtime = expected_runtime("local_opt", 12, "local", target=0.9, **options)
    first, *others = runtime.ends()
    assert first.success
    assert (first.size, first.fitness, first.probability) == (0, 0.0, 0.0)
    assert others
    heights = [end.fitness for end in others]
    assert heights == sorted(heights, reverse=True)
    for end in others:
        assert not end.success
        assert end.fitness == runtime.fitness[end.states].max()
    if algorithm == "comma":
        assert runtime.fitness[others[0].states].min() < heights[0]
    found = [(-one.fitness, -one.probability) for one in runtime.hitting_probabilities()]
    assert found == sorted(found)
    assert len({fitness for fitness, _ in found}) < len(found), "some are equally fit"


def test_the_worst_and_the_best_network_are_targets_of_their_own():
    """A target that all networks reach, and one that only the best ones do."""
    every = expected_runtime("half", 8, target=0.0)
    assert (every.mean, every.standard_deviation, every.probability) == (1.0, 0.0, 1.0)
    assert every.quantiles([0.01, 0.99]).tolist() == [1.0, 1.0]
    assert (every.per_state == 1.0).all()
    assert every.evaluations_until_end() == 1.0
    best = expected_runtime("half", 8, target=1.0)
    assert best.target.sum() == (best.fitness == 1.0).sum() > 0
    assert (best.per_state == 1.0).sum() == best.target.sum()
    assert best.optimum_share == pytest.approx(best.target.mean())


# ---- potentials


@pytest.mark.parametrize("name", ["paper quarter", "wrong length quarter"])
@pytest.mark.parametrize(
    ("subject", "options"),
    [
        ("half", {}),
        ("two_quarters", {"neurons": 1}),
        ("quarter", {"dim": 3, "target": 0.7}),
        ("quarter", {"bias": False, "target": 0.75}),
        ("quarter", {"neuron": "bent", "bias": False}),
        ("quarter", {"neuron": "bent", "target": 0.9}),
        ("quarter", {"neurons": 2, "target": 0.9}),
        ("cube", {"dim": 2, "target": 0.75}),
    ],
    ids=str,
)
def test_potentials_of_one_plain_neuron_are_refused_for_all_others(name, subject, options):
    with pytest.raises(ValueError, match="QUARTER with one neuron and a bias at D = 2"):
        drift(expected_runtime(subject, 4, **options), name)


def test_values_of_a_potential_are_neither_changed_nor_mended():
    runtime = expected_runtime("quarter", 8)
    values = 1.0 + np.arange(72.0).reshape(8, 9)
    given = values.copy()
    found = drift(runtime, values)
    fit_potential(runtime, ("one", values))
    np.testing.assert_array_equal(values, given)
    np.testing.assert_array_equal(found.values, np.where(runtime.target, 0.0, given))
    outside = tuple(np.argwhere(~runtime.target)[0])
    for wrong in (-1.0, 0.0, math.inf, math.nan):
        bad = values.copy()
        bad[outside] = wrong
        with pytest.raises(ValueError, match="potential must be positive and finite"):
            drift(runtime, bad)
        # on the target values do not count
        fine = values.copy()
        fine[runtime.target] = wrong
        assert drift(runtime, fine).additive_rate == found.additive_rate


def test_samples_may_be_better_than_what_is_known_of_the_whole():
    """Then what is missing is counted from the best network that there is."""
    sample = Sampled(problem("two_quarters"), 16, method="random")
    runtime = expected_runtime(sample, 8, target=0.9)
    fitness = runtime.fitness
    assert problem("two_quarters").best_fitness(1) == 0.75
    assert 0.75 < fitness[~runtime.target].max() < fitness.max()
    found = drift(runtime, "missing fitness")
    np.testing.assert_allclose(found.values[found.free], (fitness.max() - fitness)[found.free])
    # that targets are better does not matter
    runtime = expected_runtime(sample, 8, target=0.72)
    assert runtime.fitness[~runtime.target].max() < 0.75
    found = drift(runtime, "missing fitness")
    np.testing.assert_allclose(found.values[found.free], (0.75 - fitness)[found.free])


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("half", {"target": 0.8}),
        ("half", {"dim": 3, "target": 0.7}),
        ("quarter", {"bias": False, "target": 0.75}),
        ("two_quarters", {"neurons": 2, "output": "xor"}),
        ("cube", {"dim": 2, "target": 0.75}),
        ("cube", {"dim": 2, "target": 0.5}),
    ],
    ids=str,
)
def test_the_missing_fitness_is_what_the_best_network_has_more(name, options):
    """Of all real networks where that is known, as it is for these."""
    r = 6
    runtime = expected_runtime(name, r, **options)
    dims = {"dim": options["dim"]} if "dim" in options else {}
    best = problem(name, **dims).best_fitness(
        options.get("neurons", 1), options.get("output", "or"), bias=options.get("bias", True)
    )
    if best is None:
        best = runtime.fitness.max()
    found = drift(runtime, "missing fitness")
    assert found.record()["networks"] == (~runtime.target).sum()
    np.testing.assert_allclose(
        found.values, np.where(runtime.target, 0.0, best - runtime.fitness), atol=1e-12
    )
    logarithm = drift(runtime, "log missing fitness").values
    free = ~runtime.target
    np.testing.assert_allclose(
        logarithm[free], 1 + np.log(found.values[free] / found.values[free].min()), atol=1e-12
    )


# ---- what it takes


def read_cost(text):
    """Gigabytes and minutes that a sentence about a cost tells."""
    memory, time = text.partition(" about ")[2].split(" and ")
    size, unit = memory.split()
    size = float(size.replace(",", "")) / {"GB": 1, "MB": 1024}[unit]
    if time == "less than a second":
        return size, 0.0
    length, unit = time.split()
    return size, float(length.replace(",", "")) / {"seconds": 60, "minutes": 1}[unit]


@pytest.mark.parametrize("seconds", [0.5, 0.99, 1.0, 5.0, 59.0, 60.0, 61.0, 3000.0])
@pytest.mark.parametrize("gigabytes", [0.001, 0.5, 0.99, 1.0, 7.5])
def test_a_cost_is_told_in_units_that_fit_it(gigabytes, seconds):
    cost = Cost(600, 325, gigabytes, seconds / 60)
    size, minutes = read_cost(str(cost))
    assert size == pytest.approx(gigabytes, rel=0.06)
    assert minutes * 60 == pytest.approx(seconds if seconds >= 1 else 0, rel=0.06)
    assert ("MB" in str(cost)) == (gigabytes < 1)
    assert ("minutes" in str(cost)) == (seconds >= 60)
    assert "600 states (325 after symmetries)" in str(cost)
    assert "symmetries" not in str(Cost(600, 600, gigabytes, seconds / 60))


def test_what_is_affordable_takes_neither_too_much_memory_nor_too_much_time():
    most, just = (8.0, 60.0), 1e-9
    for gigabytes, minutes in product((0, most[0], most[0] + just), (0, most[1], most[1] + just)):
        allowed = gigabytes <= most[0] and minutes <= most[1]
        assert Cost(1, 1, gigabytes, minutes).is_affordable == allowed


# ---- what no chain is known for


@pytest.mark.parametrize(
    ("made", "options", "message"),
    [
        ({"move": "rotation"}, {}, "move must be 'angle'"),
        ({"init": "sphere"}, {}, "init must be 'grid'"),
        ({"replace_neuron": 0.1}, {}, "replace_neuron must be 0"),
        ({"neurons": "evolved"}, {}, "neurons must be a number"),
        ({}, {"restarts": 1}, "restarts must be 0"),
        ({}, {"restarts": "auto"}, "restarts must be 0"),
    ],
    ids=str,
)
def test_runs_without_a_chain_are_refused_whatever_made_them(made, options, message):
    from hyperna.theory.task import check_task

    task = OnePlusOneNA(resolution=8, **made).task(problem("half", dim=3), **options)
    with pytest.raises(ValueError, match=message):
        check_task(task)
    check_task(OnePlusOneNA(resolution=8).task(problem("half", dim=3)))


def test_arguments_that_mean_nothing_are_refused():
    with pytest.raises(TypeError, match="got online"):
        expected_runtime(Online(problem("half"), 4), 8)
    with pytest.raises(ValueError, match="dim must be left out where a problem is given"):
        expected_runtime(problem("half"), 8, dim=2)
    for algorithm in ("na", "rls"):
        with pytest.raises(ValueError, match="offspring must be left out for algorithm"):
            expected_runtime("half", 8, algorithm=algorithm, offspring=2)
    for algorithm in ("mu_plus_one", "annealing"):
        with pytest.raises(ValueError, match="algorithm must be one of na, rls, one_plus_lambda"):
            expected_runtime("half", 8, algorithm=algorithm)
    for target in (-0.1, 1.1, math.nan):
        with pytest.raises(ValueError, match="target must be"):
            expected_runtime("half", 8, target=target)
    with pytest.raises(ValueError, match="target must be given here; by default success is noth"):
        expected_runtime("two_quarters", 8, bias=False)
    with pytest.raises(ValueError, match="target must be given here; by default success is noth"):
        solve_task(OnePlusOneNA(resolution=8).task(problem("half"), target=False))


# ---- what the command prints and draws

COMMANDS = [
    ("half --no-bias --resolution 8", {"problem": "half", "bias": False, "resolution": 8}),
    (
        "local_opt --mutation local --resolution 24",
        {"problem": "local_opt", "mutation": "local", "resolution": 24},
    ),
    (
        "arcs:arcs=0-20+50-70+100-150+200-210+300-330 --target 0.66 --mutation local "
        "--algorithm rls --resolution 36",
        {
            "problem": "arcs:arcs=0-20 50-70 100-150 200-210 300-330",
            "target": 0.66,
            "mutation": "local",
            "algorithm": "rls",
            "resolution": 36,
        },
    ),
    (
        "two_quarters --target 0.7 --resolution 6",
        {"problem": "two_quarters", "target": 0.7, "resolution": 6},
    ),
    (
        "quarter --algorithm one_plus_lambda:offspring=3 --resolution 9",
        {"problem": "quarter", "resolution": 9, **ALGORITHMS["plus"]},
    ),
    (
        "quarter --algorithm one_comma_lambda:offspring=1 --resolution 8",
        {"problem": "quarter", "resolution": 8, **ALGORITHMS["comma one"]},
    ),
    (
        "two_quarters --neurons 2 --resolution 4",
        {"problem": "two_quarters", "neurons": 2, "resolution": 4},
    ),
]
POTENTIALS_TRIED = [None, ("distance", None), ("missing fitness", 0.5)]


def told(value):
    return "∞" if math.isinf(value) else f"{value:.8g}"


@pytest.mark.parametrize("asked", POTENTIALS_TRIED, ids=str)
@pytest.mark.parametrize(("command", "settings"), COMMANDS)
def test_every_line_of_the_command_is_what_python_answers(command, settings, asked, capsys):
    exact = expected_runtime(**settings)
    unreachable = asked == ("distance", None) and not exact.target.any()
    if unreachable or (asked and asked[1] and exact.chain.comma):
        return
    levels = [0.125, 0.0625, 0.975, 0.3333]
    words = [word.replace("+", " ") for word in command.split()]
    argv = ["theory", *words, "--quantiles", ",".join(map(str, levels))]
    if asked:
        argv += ["--drift", asked[0], *(["--above", str(asked[1])] if asked[1] else [])]
    assert main([*argv, "--json"]) == 0
    numbers = json.loads(capsys.readouterr().out)
    assert main(argv) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    wanted = [
        f"success probability {exact.probability:.8g}",
        f"evaluations, mean {told(exact.mean)}",
    ]
    ends = exact.ends() if exact.probability < 1 else []
    if exact.probability == 1:
        wanted.append(f"evaluations, sd {exact.standard_deviation:.8g}")
        if exact.offspring > 1:
            wanted.append(f"generations, mean {exact.generations:.8g}")
    else:
        if exact.probability > 0:
            mean, spread = exact.conditional_mean, exact.conditional_standard_deviation
            wanted.append(f"evaluations of successes, mean {mean:.8g}")
            wanted.append(f"evaluations of successes, sd {spread:.8g}")
        wanted.append(f"evaluations until success or stuck {exact.evaluations_until_end():.8g}")
    wanted.append(f"relative error at most {exact.relative_error_bound:.2g}")
    for level, value in zip(levels, exact.quantiles(levels), strict=True):
        wanted.append(f"{100 * level:.4g} % of the runs succeed within {told(value)}")
        found = numbers["quantiles"][f"{level:g}"]
        assert found == (None if math.isinf(value) else value)
    listed = [end for end in ends if end.size]
    for end in listed[:12]:
        word = "ends with success" if end.success else "ends stuck"
        networks = f"{end.size:,} network{'s' * (end.size > 1)}"
        wanted.append(
            f"{word}, fitness {end.fitness:.6g} ({networks}): probability {end.probability:.6g}"
        )
    if len(listed) > 12:
        wanted.append(f"and {len(listed) - 12} more: see --json")
    begin = lines.index(wanted[0])
    assert lines[begin : begin + len(wanted)] == wanted
    successes = exact.fitness[exact.target]
    if successes.size:
        low, high = f"{successes.min():.6g}", f"{successes.max():.6g}"
        networks = f"{successes.size:,} network{'s' * (successes.size > 1)}"
        between = low if low == high else f"{low} to {high}"
        assert f"that is {networks} of fitness {between}" in lines
        assert numbers["success_fitness"] == [successes.min(), successes.max()]
    else:
        assert numbers["success_fitness"] is None
    joined = f", {exact.states:,} state{'s' * (exact.states > 1)} after symmetries"
    networks = f"chain: {exact.per_state.size:,} networks"
    assert networks + (joined if exact.states < exact.per_state.size else "") in lines
    assert [end["probability"] for end in numbers["ends"]] == [end.probability for end in ends]
    assert [end["search_points"] for end in numbers["ends"]] == [end.size for end in ends]
    assert [end["error"] for end in numbers["ends"]] == [end.error for end in ends]
    until = exact.evaluations_until_end()
    assert numbers["evaluations_until_end"] == pytest.approx(until)
    rest = lines[begin + len(wanted) :]
    if asked is None:
        assert rest == []
        return
    found = drift(exact, asked[0], above=asked[1])
    upper = [
        "none" if found.failing.any() else f"{bound:.6g}".replace("inf", "∞")
        for bound in (found.additive_bound, found.multiplicative_bound)
    ]
    rows = [
        "exact mean " + f"{found.exact:.6g}".replace("inf", "∞"),
        f"least drift {found.additive_rate:.6g}",
        f"bound on the mean that follows {upper[0]}",
        f"least drift relative to the potential {found.multiplicative_rate:.6g}",
        f"bound on the mean that follows {upper[1]}",
        f"largest drift {found.largest_rate:.6g}",
        f"lower bound on the mean that follows {found.additive_lower_bound:.6g}",
    ]
    place = rest.index(rows[0])
    assert rest[place : place + len(rows)] == rows
    assert (f"in networks above fitness {asked[1]} only, and starts among them" in rest) == (
        asked[1] is not None
    )
    assert any("does not fall on average" in line for line in rest) == found.failing.any()
    if found.failing.any():
        count = int(found.failing.sum())
        networks = f"{count:,} network{'s' * (count > 1)} of {found.free.sum():,}"
        assert f"the potential does not fall on average in {networks}" in rest


def test_quantiles_that_nobody_asked_for_take_at_most_so_many_additions(capsys, monkeypatch):
    """Those of the steps, four standard deviations beyond the mean; a generation is one step."""
    command, settings = COMMANDS[4]
    exact = expected_runtime(**settings)
    assert exact.offspring == 3
    steps = (exact.mean + 4 * exact.standard_deviation) / 3
    for factor in (0.99, 1.01):
        most = factor * steps * exact.step_operations
        monkeypatch.setattr("hyperna.cli.theory._MOST_OPERATIONS", most)
        assert main(["theory", *command.split()]) == 0
        text = capsys.readouterr().out
        assert ("50 % of the runs succeed within" in text) == (factor > 1)
        assert ("no quantiles" in text) == (factor < 1)
    # what never succeeds has none, which its probability tells
    assert main(["theory", *COMMANDS[3][0].split()]) == 0
    assert "quantiles" not in capsys.readouterr().out


def test_pictures_end_where_nearly_all_runs_have_succeeded():
    plots = pytest.importorskip("hyperna.plots")
    for name, law in (("quarter", "harmonic"), ("local_opt", "local")):
        exact = expected_runtime(name, 12, law)
        times = np.array([3.0, 9.0, 9.0, math.inf, 40.0, 30.0])
        for t_max in (None, 30):
            simulated, curve = plots.plot_distribution(exact, times, t_max).lines
            x, y = simulated.get_data()
            end = curve.get_xdata()[-1]
            assert y[-1] == pytest.approx(np.mean(times <= end))
            assert x[-1] == times[times <= end].max()
            assert curve.axes.get_xlim() == (0, end)
            (budget,) = plots.plot_fixed_budget(exact, t_max).lines
            assert budget.get_xdata()[-1] == end
            if t_max is None:
                # nearly all of those that succeed at all, and not for ever after
                assert exact.distribution(int(end))[-1] > 0.97 * exact.probability
                assert end < 10 * exact.conditional_mean
            else:
                assert end == t_max


def test_the_lines_of_a_drift_are_its_rates():
    plots = pytest.importorskip("hyperna.plots")
    for name, options in (("half", {"bias": False}), ("quarter", {}), ("local_opt", {})):
        for law in ("harmonic", "local"):
            exact = expected_runtime(name, 16, law, **options)
            falls_nowhere = 1.0 + np.arange(exact.per_state.size).reshape(exact.per_state.shape)
            found = drift(exact, "distance" if law == "local" else falls_nowhere)
            ax = plots.plot_drift(found)
            (least,) = [line for line in ax.lines if line.get_linestyle() == ":"]
            assert set(least.get_ydata()) == {found.additive_rate}
            (relative,) = [line for line in ax.lines if line.get_linestyle() == "--"]
            x, y = relative.get_data()
            np.testing.assert_allclose(y, found.multiplicative_rate * np.asarray(x))
            # nothing that does not fall can be on a logarithmic scale
            if found.failing.any():
                assert (ax.get_xscale(), ax.get_yscale()) == ("linear", "linear")
            ax = plots.plot_drift(found, over="components")
            if found.values.ndim == 1:
                drawn = ax.lines[0].get_ydata()
                np.testing.assert_allclose(drawn, np.where(found.free, found.drift, np.nan))
                marks = [line for line in ax.lines if line.get_marker() == "x"]
                at = np.flatnonzero(found.failing)
                for line in marks:
                    assert line.get_ydata().tolist() == found.drift[at].tolist()
                    np.testing.assert_allclose(line.get_xdata(), 360 * at / 16)
                assert bool(marks) == bool(at.size)


def test_dense_chains_have_at_most_8192_states(monkeypatch):
    """HALF without bias has half as many states as angles, and one more if they have quarters."""
    for offspring in (1, 3):
        comma = {"bias": False, "algorithm": "one_comma_lambda", "offspring": offspring}
        assert estimated_cost("half", 16_382, **comma).joined == 8191
        assert largest_resolution("half", **comma) == 16_382
        most = r"at most 16,382 for this chain, got 16,384: .* 8,193 states.* 8,192 states where"
        with pytest.raises(ValueError, match=most):
            estimated_cost("half", 16_384, **comma)
        with monkeypatch.context() as changed:
            changed.setattr("hyperna.theory.limits.MOST_DENSE_STATES", 13)
            assert estimated_cost("half", 24, **comma).joined == 13
            with pytest.raises(ValueError, match="at most 26 for this chain, got 28"):
                estimated_cost("half", 28, **comma)


def test_memory_grows_with_the_moves_that_are_kept():
    """One component at a time: states times a sum of moves, else states times their product."""

    def growth(law, **settings):
        few, many = (estimated_cost("half", r, law, dim=3, **settings) for r in (12, 24))
        return many.gigabytes / few.gigabytes, many.joined / few.joined

    memory, states = growth("harmonic", algorithm="rls")
    assert memory == pytest.approx(2 * states, rel=0.2)
    memory, states = growth("local", algorithm="rls")
    assert memory == pytest.approx(states, rel=0.1)
    memory, states = growth("local")
    assert memory == pytest.approx(states, rel=0.1)
