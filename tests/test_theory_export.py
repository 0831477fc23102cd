"""Exported chains of all algorithms, solved from the files alone as model checkers do."""

import numpy as np
import pytest

from hyperna.theory import best_offspring, expected_runtime, export_chain, fit_potential
from hyperna.theory.answers import component_names

CASES = [
    ("quarter", "harmonic", {"algorithm": "one_plus_lambda", "offspring": 3}),
    ("quarter", "local", {"algorithm": "one_plus_lambda", "offspring": 2}),
    ("quarter", "harmonic", {"algorithm": "one_comma_lambda", "offspring": 4}),
    ("quarter", "local", {"algorithm": "one_comma_lambda", "offspring": 2}),
    ("quarter", "uniform", {"algorithm": "rls"}),
    ("quarter", "harmonic", {"redraw_void": True}),
    ("quarter", "local", {"redraw_void": True, "algorithm": "rls"}),
    ("half", "local", {"bias": False}),
    ("local_opt", "local", {}),
    ("local_opt", "local", {"algorithm": "one_plus_lambda", "offspring": 3}),
    ("half", "harmonic", {"target": 0.7, "mutation_probability": 0.8}),
]


def read_chain(path, storm):
    """Transitions, states by label, and rewards, as PRISM or Storm read them."""
    end = ".storm" if storm else ""
    lines = {
        part: path.with_name(f"{path.name}{end}.{part}").read_text().splitlines()
        for part in (("tra", "lab", "rew") if storm else ("tra", "lab", "srew"))
    }
    rows = lines["tra"][1:]
    size = 1 + max(int(row.split()[0]) for row in rows)
    matrix = np.zeros((size, size))
    for row in rows:
        x, y, p = row.split()
        assert matrix[int(x), int(y)] == 0
        matrix[int(x), int(y)] = float(p)
    marked = {"init": [], "success": [], "stuck": []}
    if storm:
        assert lines["lab"][:3] == ["#DECLARATION", "init success stuck", "#END"]
        for line in lines["lab"][3:]:
            state, name = line.split()
            marked[name].append(int(state))
        rewards = lines["rew"]
    else:
        names = dict(each.split("=") for each in lines["lab"][0].split())
        for line in lines["lab"][1:]:
            state, mark = line.split(": ")
            marked[names[mark].strip('"')].append(int(state))
        assert lines["tra"][0] == f"{size} {len(rows)}"
        assert lines["srew"][0] == f"{size} {len(lines['srew']) - 1}"
        rewards = lines["srew"][1:]
    paid = np.zeros(size)
    for line in rewards:
        state, value = line.split()
        paid[int(state)] = float(value)
    return matrix, marked, paid


@pytest.mark.parametrize("storm", [False, True])
@pytest.mark.parametrize(("name", "law", "options"), CASES)
def test_rewards_until_the_end_are_evaluations(tmp_path, name, law, options, storm):
    runtime = expected_runtime(name, 8, law, **options)
    export_chain(runtime, tmp_path / "chain")
    matrix, marked, paid = read_chain(tmp_path / "chain", storm)
    np.testing.assert_allclose(matrix.sum(axis=1), 1)
    assert marked["init"] == [0]
    ends = marked["success"] + marked["stuck"]
    assert len(set(ends)) == len(ends)
    assert (matrix[ends][:, marked["stuck"]].sum(axis=1) == np.isin(ends, marked["stuck"])).all()
    assert (np.diag(matrix)[marked["success"]] == 1).all()
    free = np.setdiff1d(np.arange(len(matrix)), ends)
    system = np.eye(free.size) - matrix[np.ix_(free, free)]
    reach = np.linalg.solve(system, matrix[np.ix_(free, marked["success"])].sum(axis=1))
    assert reach[0] == pytest.approx(runtime.probability)
    spent = np.linalg.solve(system, paid[free])
    assert spent[0] == pytest.approx(runtime.evaluations_until_end())
    # every first search point costs one evaluation, every step all its offspring
    assert paid[0] == 1
    assert (paid[free[1:]] == runtime.offspring).all()
    assert (paid[marked["success"]] == 0).all()
    if runtime.probability == 1:
        assert not marked["stuck"]
        states = np.array([spent[free.tolist().index(x)] for x in free[1:]])
        assert 1 + states.max() == pytest.approx(runtime.per_state.max())


def test_the_first_best_of_a_comma_is_counted_by_evaluations_and_generations():
    found = best_offspring("quarter", 6, "uniform", most=4, algorithm="one_comma_lambda")
    for place, number in enumerate(found.offspring.tolist()):
        runtime = expected_runtime(
            "quarter", 6, "uniform", algorithm="one_comma_lambda", offspring=number
        )
        assert found.evaluations[place] == pytest.approx(runtime.mean)
        assert found.generations[place] == pytest.approx(runtime.generations)
    assert found.by_evaluations == found.offspring[np.argmin(found.evaluations)]
    assert found.by_generations == found.offspring[np.argmin(found.generations)]


def test_settings_of_the_best_number_of_offspring_are_those_of_the_runtime():
    options = {"bias": False, "redraw_void": True, "target": 0.9, "mutation_probability": 0.4}
    found = best_offspring("half", 12, "local", most=3, **options)
    for number, mean in zip((1, 2, 3), found.evaluations, strict=True):
        runtime = expected_runtime(
            "half", 12, "local", algorithm="one_plus_lambda", offspring=number, **options
        )
        assert mean == pytest.approx(runtime.mean)


@pytest.mark.parametrize("offspring", [1, 3])
@pytest.mark.parametrize("above", [None, 0.5, 0.75])
@pytest.mark.parametrize("lower", [False, True])
def test_a_fitted_bound_above_a_fitness_is_that_of_its_starts(offspring, above, lower):
    options = {"algorithm": "one_plus_lambda", "offspring": offspring} if offspring > 1 else {}
    runtime = expected_runtime("quarter", 8, **options)
    region = np.ones(runtime.target.shape, bool) if above is None else runtime.fitness > above
    wanted = runtime.per_state[region].mean()
    exact = fit_potential(runtime, ("expected time",), above=above, lower=lower)
    assert exact.bound == pytest.approx(wanted, rel=1e-6)
    assert exact.gap == pytest.approx(1, rel=1e-6)
    family = ("one", "log distance", "missing fitness")
    other = fit_potential(runtime, family, above=above, lower=lower)
    assert (other.bound <= wanted * (1 + 1e-6)) if lower else (other.bound >= wanted * (1 - 1e-6))


@pytest.mark.parametrize("law", ["harmonic", "local"])
def test_redrawn_void_steps_save_their_share_at_large_resolutions_too(law):
    """One angle and a fixed bias: half of the mutations, and steps of a whole turn, do nothing."""
    r = 2**13 + 2
    plain = expected_runtime("half", r, law, bias=False)
    redrawn = expected_runtime("half", r, law, bias=False, redraw_void=True)
    whole_turn = 1 / r / sum(1 / i for i in range(1, r + 1)) if law == "harmonic" else 0.0
    void = 0.5 + 0.5 * whole_turn
    assert redrawn.mean - 1 == pytest.approx((plain.mean - 1) * (1 - void), rel=1e-9)


@pytest.mark.parametrize(
    ("shape", "wanted"),
    [
        ((1, 1, 4), ["angle", "bias"]),
        ((2, 1, 4, "or", "bent"), ["angle", "bias", "bend"]),
        ((3, 1, 4), ["angle 1", "angle 2", "bias"]),
        (
            (2, 2, 4, "evolved"),
            [f"{part} of {owner}" for owner in ("neuron 1", "neuron 2", "the output")
             for part in ("angle", "bias")],
        ),
        (
            (2, 3, 4, "evolved"),
            [
                *(f"{part} of neuron {k}" for k in (1, 2, 3) for part in ("angle", "bias")),
                *(f"{part} of the output" for part in ("angle 1", "angle 2", "bias")),
            ],
        ),
        (
            (3, 2, 4, "or", "bent"),
            [f"{part} of neuron {k}" for k in (1, 2)
             for part in ("angle 1", "angle 2", "bias", "bend")],
        ),
    ],
)  # fmt: skip
def test_components_have_names_of_their_own(shape, wanted):
    from hyperna import Grid

    grid = Grid(*shape)
    assert component_names(grid, np.arange(grid.components)) == tuple(wanted)
    some = np.arange(grid.components)[::2]
    assert component_names(grid, some) == tuple(wanted[::2])
