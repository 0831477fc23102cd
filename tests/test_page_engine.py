"""The engine of the play page in Node: draws, laws, neighbours and success, at their borders."""

from itertools import permutations, product

import numpy as np
import pytest
from exported import NODE
from page_in_node import page_runner
from play_reference import Xoshiro, reference_run, reference_task

from hyperna.play.facts import page_facts
from hyperna.play.settings import PlaySetting

pytestmark = pytest.mark.skipif(NODE is None, reason="needs Node")

DEFAULTS = page_facts()["defaults"]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return page_runner(tmp_path_factory.mktemp("page"))


def test_draws_below_a_bound_are_exact_up_to_the_largest_bound(page):
    """Around powers of two, and where a bound has more bits than half a word."""
    edges = [2**31, 2**32, 2**33, 2**40, 2**52, 2**53]
    bounds = [1, 2, 3, 4, 5, *(edge + more for edge in edges for more in (-1, 0, 1))][:-1]
    bounds += [3 * 2**40, 2**32 * 5 + 1]
    states, found, uniforms, waits = page(
        ["engine/random.js"],
        """const { Stream } = modules["engine/random.js"];
        const fresh = () => new Stream(7, 3);
        const { state } = fresh(), unsigned = [...state].map((half) => half >>> 0);
        const draws = given[0].map((bound) => {
          const stream = fresh();
          return Array.from({ length: 30 }, () => stream.below(bound));
        });
        const stream = fresh(), other = fresh();
        return [unsigned, draws, Array.from({ length: 30 }, () => stream.uniform()),
          Array.from({ length: 30 }, () => other.geometric(Math.log(0.99)))];""",
        bounds,
    )
    words = [low + (high << 32) for low, high in zip(states[::2], states[1::2], strict=True)]
    for bound, draws in zip(bounds, found, strict=True):
        stream = Xoshiro(words)
        assert draws == [stream.below(bound) for _ in range(30)], bound
    stream = Xoshiro(words)
    assert uniforms == [(stream.next() >> 11) / 2**53 for _ in range(30)]
    wanted = np.floor(np.log(np.array(uniforms) + 2.0**-53) / np.log(0.99))
    assert waits == wanted.tolist()


def test_halves_are_rounded_to_the_even_number_and_shares_are_those_of_numpy(page):
    rng = np.random.default_rng(0)
    values = [0, 0.5, 1.5, 2.5, 0.25, 0.75, 2.4999999999999996, 1e9 + 0.5, 7.5, 2**52 - 0.5]
    values += (rng.uniform(0, 100, 50)).tolist()
    sizes = [1, 2, 7, 8, 9, 15, 16, 17, 127, 128, 129, 136, 200, 257, 1000, 2048]
    weights = [rng.uniform(0, 1, size) ** 4 for size in sizes]
    rounded, shares = page(
        ["engine/tables.js"],
        """const { normalised, rint } = modules["engine/tables.js"];
        return [given[0].map(rint), given[1].map((weights) => [...normalised(weights)])];""",
        values,
        [one.tolist() for one in weights],
    )
    assert rounded == [round(value) for value in values]
    for one, found in zip(weights, shares, strict=True):
        assert found == (one / one.sum()).tolist()


@pytest.mark.parametrize(
    "weights",
    [[1], [1, 0], [0, 1], [1, 1], [3, 1], [0, 0, 5], [1, 2, 3, 4, 5], [0, 1e-3, 1], [1] * 17],
)
def test_indices_are_drawn_as_often_as_they_weigh(page, weights):
    """Each word of an even row of words is drawn once."""
    count = 2**16
    found = page(
        ["engine/tables.js"],
        """const { AliasTable } = modules["engine/tables.js"];
        const [weights, count] = given, table = new AliasTable(weights), found = {};
        for (let i = 0; i < count; i += 1) {
          const index = table.pick({ high: Math.floor(((i + 0.5) / count) * 2 ** 32), low: 1 });
          found[index] = (found[index] ?? 0) + 1;
        }
        // the last words of each index, where nothing must be left over
        for (let i = 1; i <= 64; i += 1) {
          const index = table.pick({ high: ((2 ** 32 / 64) * i - 1) >>> 0, low: 0xffffffff });
          if (!(weights[index] > 0)) return { never: index };
        }
        return found;""",
        weights,
        count,
    )
    share = np.array(weights) / sum(weights)
    assert {int(index) for index in found} == set(np.flatnonzero(share).tolist())
    for index, times in found.items():
        assert times / count == pytest.approx(share[int(index)], abs=len(weights) * 4 / count)


LAWS = [
    "harmonic", "harmonic:x=1", "none", "", "power_law:exponent=", "power_law:exponent",
    "power_law: exponent = 2 ", "power_law:exponent=0", "power_law:exponent=-0.1",
    "power_law:exponent=100", "power_law:exponent=100.5", "power_law:exponent=nan",
    "power_law:exponent=inf", "power_law:exponent=2,shape=1", "adaptive:growth=1",
    "adaptive:growth=1.001", "adaptive:growth=1000000", "adaptive:growth=1000001",
    "adaptive:decay=0", "adaptive:decay=0.001", "adaptive:decay=1", "adaptive:decay=0.999",
    "adaptive:jump=-0.001", "adaptive:jump=0", "adaptive:jump=1", "adaptive:jump=1.001",
    "adaptive:growth=3,decay=0.5,jump=0.1", "pareto:shape=0", "pareto:shape=-1", "pareto:scale=0",
    "pareto:shape=0.01", "pareto:shape=0.0099", "pareto:shape=1,scale=1e-3", "pareto:scale=1e-12",
    "cauchy:scale=0",
    "cauchy:scale=1e-12", "cauchy:scale=1e-9", "exponential:scale=1e-10", "exponential:scale=0.5",
]  # fmt: skip


def test_laws_are_refused_where_hyperna_refuses_them(page):
    resolution = 128
    unit = 2.0**-33  # a step of the finest grid there is
    near = [f"cauchy:scale={unit * 0.999}", f"cauchy:scale={unit * 1.001}"]
    near += [f"exponential:scale={factor * unit / np.log(2)}" for factor in (0.999, 1.001)]
    near += [f"pareto:scale={factor * unit}" for factor in (0.999, 1.001)]
    texts = LAWS + near
    found = page(
        ["engine/task.js"],
        """const { taskOf } = modules["engine/task.js"];
        return given[0].map((mutation) => {
          try {
            taskOf({ ...facts.defaults, ...given[1], mutation }, facts);
            return true;
          } catch { return false; }
        });""",
        texts,
        {"resolution": resolution},
    )
    wanted = []
    for text in texts:
        try:
            made = PlaySetting.from_json({"mutation": text, "resolution": resolution}).task
            made.law.steps(resolution, made.unit)
            wanted.append(True)
        except (ValueError, TypeError):
            wanted.append(False)
    assert dict(zip(texts, found, strict=True)) == dict(zip(texts, wanted, strict=True))
    assert {True, False} == set(wanted[-6:])


RUNS = [
    {"mutation": "power_law:exponent=0", "resolution": 2048},
    {"mutation": "power_law:exponent=0", "resolution": 2049},
    {"mutation": "power_law:exponent=1.5", "resolution": 2049},
    {"mutation": "power_law:exponent=2.5", "resolution": 4000},
    {"mutation": "pareto:shape=2000000,scale=100000000", "resolution": 60},
    {"mutation": "pareto:shape=0.01", "resolution": 60},
    {"mutation": "cauchy:scale=1000000", "resolution": 60},
    {"mutation": "adaptive:growth=4,decay=0.9,jump=0.02", "resolution": 400},
    {"mutation": "adaptive:growth=1.5,decay=0.5,jump=1", "resolution": 50},
    {"mutation": "local", "restarts": 1, "stagnation": 40},
    # plateaus and peaks: when a way out is looked for decides at which evaluation a run ends
    {"problem": "two_quarters", "neurons": 2, "mutation": "local", "resolution": 12},
    {"problem": "local_opt", "neurons": 1, "mutation": "local", "resolution": 60},
    {"problem": "quarter", "neurons": 2, "output": "and", "mutation": "local", "resolution": 16},
    {"problem": "half", "neurons": 2, "output": "xor", "mutation": "local", "resolution": 8},
    {"mutation": "harmonic", "stagnation": 25},
    {"mutation": "harmonic", "restarts": 2, "stagnation": 3},
    {"mutation": "adaptive", "resolution": 60, "restarts": 9, "stagnation": 15},
    {"mutation": "power_law:exponent=0.5", "resolution": 2049},
    {"mutation": "pareto:shape=1000000,scale=100000000", "resolution": 60},
    # many components that change, and others between them that do not
    {
        "problem": "arcs", "k": 5, "neurons": 8, "output": "evolved", "bias": False,
        "resolution": 24, "stagnation": 300,
    },
    # a plateau of more than 250 networks that is searched while the run waits
    {
        "problem": "quarter", "neurons": 2, "output": "xor", "bias": False, "mutation": "local",
        "resolution": 80,
    },
]  # fmt: skip


def test_runs_at_the_borders_of_the_laws_are_those_of_the_kernels(page):
    settings = [
        {**DEFAULTS, "problem": "quarter", "neurons": 1, **given, "seed": seed}
        for given in RUNS
        for seed in range(4)
    ]
    found = page(
        ["engine/search.js", "engine/task.js"],
        """const { Simulation } = modules["engine/search.js"];
        const { taskOf } = modules["engine/task.js"];
        return given[0].map((setting) => {
          const search = new Simulation(taskOf(setting, facts));
          search.advance(1e9);
          return [search.evaluations, search.ended, search.best.genome, search.restarts];
        });""",
        settings,
    )
    for setting, one in zip(settings, found, strict=True):
        assert one == reference_run(setting, setting["seed"]), setting


def test_a_start_that_may_stagnate_until_the_last_evaluation_but_one(page):
    """Of two equal points with different labels every network is right on one."""
    budget, *ends = page(
        ["engine/search.js", "engine/task.js"],
        """const { Simulation } = modules["engine/search.js"];
        const { taskOf } = modules["engine/task.js"];
        const points = [[0.1, 0.1, 0], [0.1, 0.1, 1]];
        const setting = { ...facts.defaults, problem: "points", points, resolution: 4 };
        const { budget } = taskOf(setting, facts);
        return [budget, ...given[0].map((less) => {
          const search = new Simulation(taskOf({ ...setting, stagnation: budget - less }, facts));
          search.advance(1e9);
          return [search.ended, search.evaluations - budget];
        })];""",
        [0, 1, 2, 3],
    )
    assert budget > 500
    assert ends == [["budget", 0], ["budget", 0], ["stagnation", -1], ["stagnation", -2]]


def test_a_run_in_pieces_is_the_run_at_once(page):
    """Pieces of any length; by hand a run begins anew although no restart is allowed."""
    # one point with both labels: no network is right everywhere
    places = np.random.default_rng(0).uniform(-0.7, 0.7, (60, 2)).tolist()
    points = [[x, y, int(x * y > 0)] for x, y in places] + [[0.1, 0.1, 0], [0.1, 0.1, 1]]
    found = page(
        ["engine/search.js", "engine/task.js"],
        """const { Simulation } = modules["engine/search.js"];
        const { taskOf } = modules["engine/task.js"];
        const [points] = given;
        const setting = { ...facts.defaults, problem: "points", neurons: 4, points };
        const task = taskOf({ ...setting, stagnation: 2000 }, facts);
        const whole = new Simulation(task), pieces = new Simulation(task);
        const rises = new Simulation(task), told = [];
        whole.advance(1000);
        for (const count of [0, 1, 15, 16, 17, 100, 851]) {
          const before = pieces.evaluations, done = pieces.advance(count);
          told.push([count, done, pieces.evaluations - before]);
        }
        const risen = [];
        while (!rises.ended) {
          const before = rises.history.length, good = rises.improve(Infinity);
          risen.push([good, rises.history.length - before, rises.idle, rises.ended]);
        }
        const history = [...rises.history];
        const { ended, evaluations, idle } = rises;
        rises.step(); // nothing happens after the end
        const last = [idle, rises.evaluations - evaluations, rises.advance(10)];
        const best = rises.best;
        rises.restart();
        const again = [rises.ended, rises.restarts, rises.idle, rises.path.length];
        const kept = rises.best.score === Math.max(best.score, rises.score);
        const same = [whole, pieces].map(({ genome, score, accepted, history, idle }) =>
          ({ genome, score, accepted, history, idle }));
        return { same, told, risen, history, ended, last, again, kept };""",
        points,
    )
    first, second = found["same"]
    assert first == second
    assert all(count == done == passed for count, done, passed in found["told"])
    for good, rises, idle, ended in found["risen"]:
        assert good
        assert (rises, idle) == ((0, 2000) if ended else (1, 0))
    assert len(found["risen"]) > 5
    shares = [share for _, share in found["history"]]
    assert shares == sorted(set(shares))
    assert found["ended"] == "stagnation"
    assert found["last"] == [2000, 0, 0]
    assert found["again"] == ["", 1, 0, 1]
    assert found["kept"]


def test_the_drawn_way_of_a_run_is_its_latest_part(page):
    """However long a run walks, its last few hundred networks are kept, without a gap."""
    found = page(
        ["engine/search.js", "engine/task.js"],
        """const { Simulation } = modules["engine/search.js"];
        const { taskOf } = modules["engine/task.js"];
        const setting = { ...facts.defaults, problem: "arcs", k: 3, neurons: 8, resolution: 24 };
        const search = new Simulation(taskOf(setting, facts)), all = [search.genome];
        let good = true, least = Infinity, most = 0;
        while (!search.ended && search.accepted < 3000) {
          const before = search.accepted;
          search.step();
          if (search.accepted > before) all.push(search.genome);
          const { path } = search;
          good &&= path.at(-1) === search.genome && path[0] === all[all.length - path.length];
          most = Math.max(most, path.length);
          if (all.length > 600) least = Math.min(least, path.length);
        }
        return { good, least, most, accepted: search.accepted };""",
    )
    assert found["accepted"] > 1000
    assert found["good"]
    assert 300 <= found["least"] <= found["most"] <= 600


def test_the_best_network_of_several_starts_is_the_first_of_the_best(page):
    found = page(
        ["engine/search.js"],
        """const { Simulation } = modules["engine/search.js"];
        return given[0].map(([before, now]) => {
          const search = Object.create(Simulation.prototype);
          const earlier = before === null ? null : { genome: ["earlier"], score: before };
          Object.assign(search, { earlier, genome: ["now"], score: now });
          return [search.best.genome[0], search.best.score];
        });""",
        [[None, 3], [3, 3], [2, 3], [4, 3]],
    )
    assert found == [["now", 3], ["earlier", 3], ["now", 3], ["earlier", 4]]


def test_neighbours_under_local_steps_are_those_of_the_definition(page):
    """On a torus of heights with a component that is fixed: chances, and who is reached."""
    rng = np.random.default_rng(4)
    moduli, free, probability = [5, 3, 4], [0, 2], 0.3
    heights = rng.integers(0, 4, moduli)
    places = [list(place) for place in product(*map(range, moduli))]
    thresholds = [0.0, 0.2, 0.5, 0.9, 0.999999]
    found = page(
        ["engine/neighbours.js"],
        """const { Neighbours } = modules["engine/neighbours.js"];
        const [moduli, free, probability, heights, places, thresholds] = given;
        const score = ([a, b, c]) => heights[a][b][c];
        return places.map((place) => {
          const near = new Neighbours({ free, moduli, probability }, { score }, () => false);
          const here = score(place), mass = near.acceptableMass(place, here);
          const shown = [];
          for (let i = 0; i < 2 * near.count; i += 1) shown.push(near.rejectedOne(place, here));
          const chosen = mass === 0 ? [] : thresholds.map((share) =>
            near.acceptableAt(place, here, share * mass));
          let refused = false;
          try { near.acceptableAt(place, here, mass); } catch { refused = true; }
          return { mass, shown, chosen, refused };
        });""",
        moduli,
        free,
        probability,
        heights.tolist(),
        places,
        thresholds,
    )
    peaks = 0
    for place, one in zip(places, found, strict=True):
        here = heights[tuple(place)]
        chances = {}
        for moves in product((0, 1, -1), repeat=len(free)):
            if not any(moves):
                continue
            other = list(place)
            for component, move in zip(free, moves, strict=True):
                other[component] = (other[component] + move) % moduli[component]
            changed = np.count_nonzero(moves)
            chance = (probability / 2) ** changed * (1 - probability) ** (len(free) - changed)
            chances[tuple(other)] = chances.get(tuple(other), 0) + chance
        good = {other: chance for other, chance in chances.items() if heights[other] >= here}
        assert one["mass"] == pytest.approx(sum(good.values()), abs=1e-15)
        worse = set(chances) - set(good)
        assert set(map(tuple, one["shown"])) == (worse or {tuple(place)})
        chosen = [tuple(next_one["genome"]) for next_one in one["chosen"]]
        assert set(chosen) <= set(good)
        assert all(
            next_one["score"] == heights[tuple(next_one["genome"])] for next_one in one["chosen"]
        )
        assert len(set(chosen)) >= min(2, len(good))
        assert one["refused"]
        peaks += not good
    assert peaks


def test_plateaus_are_searched_as_far_as_asked_and_up_to_eight_components(page):
    ring = 30
    found = page(
        ["engine/neighbours.js"],
        """const { Neighbours } = modules["engine/neighbours.js"];
        const task = { free: [0], moduli: [given[0]], probability: 1 };
        const near = () => new Neighbours(task, { score: () => 1 }, () => false);
        const better = new Neighbours(task, { score: ([x]) => (x === 9 ? 2 : 1) }, () => false);
        const suits = given[2].map(([kind, size]) =>
          Neighbours.suit({ law: { kind }, free: Array(size).fill(0) }));
        const remembers = near();
        remembers.isClosed([0], 1, 1000);
        const torus = (side) => new Neighbours(
          { free: [0, 1], moduli: [side, side], probability: 1 }, { score: () => 1 }, () => false);
        const large = given[3].map((side) => torus(side).isClosed([0, 0], 1, 1e9));
        return { closed: given[1].map((most) => near().isClosed([0], 1, most)), suits, large,
          known: [29, 30].map((most) => remembers.isClosed([11], 1, most)),
          open: better.isClosed([0], 1, 1000) };""",
        ring,
        [1, ring - 1, ring, ring + 1],
        [["constant", 1], ["constant", 8], ["constant", 9], ["table", 2], ["adaptive", 2]],
        [141, 142],  # 19,881 and 20,164 networks
    )
    assert found["large"] == [True, False]
    assert found["closed"] == [False, False, True, True]
    # also by an earlier start, which waited longer
    assert found["known"] == [False, True]
    assert not found["open"]
    assert found["suits"] == [True, True, False, False, False]


def test_success_is_closeness_of_all_neurons_to_an_optimum_in_some_order(page):
    rng = np.random.default_rng(2)
    neurons, moduli = 3, [24, 25] * 3
    optima = rng.integers(0, 24, (2, neurons, 2)).astype(float)
    genomes = []
    for _ in range(1500):
        target = optima[rng.integers(2)][rng.permutation(neurons)].ravel()
        genomes.append(
            ((target + rng.integers(-2, 3, 6) * (rng.random(6) < 0.4)) % moduli).tolist()
        )
    # neurons that share their targets, so that the first choice may have to be undone
    close = np.array([[[3.0, 5.0], [4.0, 5.0], [5.0, 5.0]]])
    places = product(range(1, 8), repeat=3)
    sharing = [[value for x in xs for value in (x, 5)] for xs in places]
    tolerance = 1.5
    cases = [(optima, genomes), (close, sharing)]
    found = page(
        ["engine/success.js"],
        """const { isSuccess } = modules["engine/success.js"];
        const [cases, moduli, tolerance] = given;
        return cases.map(([optima, genomes]) => {
          const goal = { score: null, hopeful: 10, optima, tolerance };
          return genomes.map((genome) => [9, 10].map((score) =>
            isSuccess({ goal, width: 2, moduli }, genome, score)));
        }).concat([[4, 5, 6].map((score) => isSuccess({ goal: { score: 5 } }, [], score))]);""",
        [[targets.tolist(), given] for targets, given in cases],
        moduli,
        tolerance,
    )
    for (targets, given), answers in zip(cases, found, strict=False):
        wanted = []
        for genome in given:
            good = False
            for optimum in targets:
                for order in permutations(range(neurons)):
                    away = np.abs(np.array(genome) - optimum[list(order)].ravel())
                    good |= bool((np.minimum(away, moduli - away) < tolerance).all())
            wanted.append([False, good])
        assert answers == wanted
        assert 0.05 < np.mean([good for _, good in wanted]) < 0.95
    assert found[-1] == [False, True, True]


BORDER_TASKS = [
    {"problem": "custom_arcs", "arcs": [[300, 400]], "dim": 3},
    {"problem": "custom_arcs", "arcs": [[300, 360]], "dim": 3, "neurons": 1, "bias": False},
    {"problem": "custom_arcs", "arcs": [[180, 360]], "dim": 3, "output": "and"},
    {"problem": "custom_arcs", "arcs": [[30, 120], [210, 300]], "dim": 3, "output": "xor"},
    {"problem": "custom_arcs", "arcs": [[10, 20], [350, 371]], "neurons": 2},
    {"problem": "custom_arcs", "arcs": [[10, 130]], "neurons": 1, "neuron": "bent", "bias": False},
    {"problem": "custom_arcs", "arcs": [[0, 179]], "neurons": 2, "bias": False, "output": "and"},
    {"problem": "custom_arcs", "arcs": [[0, 181]], "neurons": 2, "bias": False, "output": "or"},
    {"problem": "custom_arcs", "arcs": [[0, 1]], "neurons": 4, "bias": False, "output": "and"},
    {"problem": "quarter", "dim": 3, "neurons": 2, "output": "and"},
    {"problem": "quarter", "dim": 3, "neurons": 1, "output": "and"},
    {"problem": "quarter", "dim": 3, "neurons": 2, "output": "or"},
    {"problem": "half", "dim": 3, "neurons": 1, "bias": False},
    {"problem": "two_quarters", "dim": 3, "neurons": 2, "output": "xor", "bias": False},
    {"problem": "points", "points": [[0.1, 0.2, 0], [0.3, 0.1, -1], [0, 0.5, 2]]},
    {"problem": "points", "points": [[0.1, 0.2, 1], [0.3, 0.1, 1]]},
    {"problem": "points", "points": [[0.1, 0.2, 1], [0.3, 0.1, 1]], "neurons": 1, "bias": False},
    {"problem": "points", "points": [[0.1, 0.2, 0]], "neurons": 2, "bias": False, "output": "xor"},
    {"problem": "cube", "dim": 2, "neurons": 1, "bias": False},
    {"problem": "arcs", "k": 12, "neurons": 8, "output": "evolved", "resolution": 4},
    {"problem": "arcs", "k": 8, "neurons": 8, "output": "xor", "bias": False, "resolution": 360},
    {"problem": "quarter", "neurons": 1, "neuron": "bent", "resolution": 256},
]  # fmt: skip


def test_labels_and_success_at_the_borders_are_those_of_hyperna(page):
    """Arcs past 360 degrees on the sphere, half circles, points of one colour, few neurons."""
    settings = [{**DEFAULTS, **given} for given in BORDER_TASKS]
    found = page(
        ["engine/task.js"],
        """const { taskOf } = modules["engine/task.js"];
        return given[0].map((setting) => {
          const { goal: { score, optima, tolerance, hopeful, target }, fitness, units } =
            taskOf(setting, facts);
          return { score, optima: optima.length, tolerance, hopeful, y: fitness.y, units };
        });""",
        settings,
    )
    for setting, one in zip(settings, found, strict=True):
        wanted = reference_task(setting)
        told = str(setting)
        assert one.get("y") == wanted.get("y"), told
        assert one["optima"] == len(wanted["optima"]), told
        assert one["hopeful"] == pytest.approx(wanted["hopeful"], rel=1e-12), told
        for name in ("score", "tolerance", "units"):
            assert one[name] == wanted[name], (name, told)


def test_settings_without_a_task_are_refused_and_small_landscapes_drawn(page):
    refused = [
        {"problem": "points"},
        {"problem": "custom_arcs", "arcs": []},
        {"problem": "quarter", "bias": False, "resolution": 25},
    ]
    one = {"problem": "quarter", "neurons": 1}
    largest = page_facts()["largest_landscape"]
    drawn = [
        ({**one, "resolution": largest}, True),
        ({**one, "resolution": largest + 1}, False),
        ({**one, "neurons": 2}, False),
        ({**one, "bias": False}, False),
        ({**one, "neuron": "bent"}, False),
        ({**one, "dim": 3}, False),
        ({**one, "problem": "points", "points": [[0.1, 0.2, 1]]}, False),
        ({**one, "mutation": "cauchy"}, True),
    ]
    found = page(
        ["engine/task.js"],
        """const { taskOf } = modules["engine/task.js"];
        return given.map((settings) => settings.map((setting) => {
          try { return Boolean(taskOf({ ...facts.defaults, ...setting }, facts).landscape); }
          catch { return "refused"; }
        }));""",
        refused,
        [setting for setting, _ in drawn],
    )
    assert found == [["refused"] * len(refused), [answer for _, answer in drawn]]
    for setting in refused:
        with pytest.raises(ValueError, match=r"at least one|even"):
            _ = PlaySetting.from_json(setting).task
