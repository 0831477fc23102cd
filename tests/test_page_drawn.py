"""What the play page draws, in Node on a canvas that writes down: the right thing, where it is."""

import itertools
import math

import numpy as np
import pytest
from exported import NODE
from page_canvas import RECORDER, colours_at, dots, strokes, texts
from page_in_node import page_runner

from hyperna import Grid, Network
from hyperna.play.facts import page_facts

pytestmark = pytest.mark.skipif(NODE is None, reason="needs Node")

FACTS = page_facts()
DEFAULTS = FACTS["defaults"]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    return page_runner(tmp_path_factory.mktemp("page"))


def fires(neuron, points):
    """Where a neuron of the plane fires."""
    w, b, theta = np.array(neuron["w"]), neuron["b"], neuron["theta"]
    if theta is None:
        return points @ w >= b
    from_tip = points - b * w
    away = np.hypot(*from_tip.T)
    return from_tip @ w >= math.cos(theta) * away


def random_neurons(rng, count, theta=None):
    found = []
    for _ in range(count):
        turn, b = rng.uniform(0, 2 * np.pi), rng.uniform(-0.95, 0.95)
        bend = rng.uniform(0.1, 3.0) if theta else None
        edge = b if bend is None else math.cos(bend - math.asin(b * math.sin(bend)))
        found.append({"w": [math.cos(turn), math.sin(turn)], "b": b, "edge": edge, "theta": bend})
    return found


AT = {"x": 150.0, "y": 120.0, "unit": 80.0}


def plain(pixels):
    """Pixels as points of the plane."""
    x, y = np.asarray(pixels, dtype=float).T
    return np.column_stack([(x - AT["x"]) / AT["unit"], (AT["y"] - y) / AT["unit"]])


def test_the_side_of_a_neuron_is_where_it_fires(page):
    """In the unit disc, for lines and cones of all widths; at the ends nothing or everything."""
    rng = np.random.default_rng(0)
    neurons = random_neurons(rng, 25) + random_neurons(rng, 40, theta=True)
    ends = [{"w": [0.6, 0.8], "b": b, "edge": b, "theta": None} for b in (1, -1, 0)]
    logs = page(
        ["draw/neurons.js"],
        RECORDER
        + """const { fillSide } = modules["draw/neurons.js"];
        return given[0].map((neuron) => {
          const context = new Recorder();
          fillSide(context, given[1], neuron, "own", 0.5);
          return context.log;
        });""",
        neurons + ends,
        AT,
    )
    points = rng.uniform(-1, 1, (1500, 2))
    points = points[np.hypot(*points.T) < 0.98]
    pixels = np.column_stack(
        [AT["x"] + AT["unit"] * points[:, 0], AT["y"] - AT["unit"] * points[:, 1]]
    )
    for neuron, log in zip(neurons, logs, strict=False):
        filled = colours_at(log, pixels) == "own"
        wanted = fires(neuron, points)
        # chords that replace arcs cut off a little
        assert np.mean(filled != wanted) < 0.004, neuron
        assert [entry["globalAlpha"] for entry in log] == [0.5]
    nothing, everything, half = logs[-3:]
    assert nothing == []
    assert (colours_at(everything, pixels) == "own").all()
    assert (colours_at(half, pixels) == "own").tolist() == fires(ends[2], points).tolist()


@pytest.mark.parametrize("reach", [1, 1.45])
def test_a_line_is_a_neuron_s_and_its_arrow_shows_the_side_that_fires(page, reach):
    rng = np.random.default_rng(1)
    neurons = random_neurons(rng, 10) + random_neurons(rng, 10, theta=True)
    neurons += [{"w": [0.6, -0.8], "b": b, "edge": b, "theta": None} for b in (0, 1, -1)]
    logs = page(
        ["draw/neurons.js"],
        RECORDER
        + """const { drawNeuron } = modules["draw/neurons.js"];
        return given[0].map((neuron) => {
          const context = new Recorder();
          drawNeuron(context, given[1], neuron, "own", { dashed: true, wide: 2, reach: given[2] });
          drawNeuron(context, given[1], neuron, "usual");
          return context.log;
        });""",
        neurons,
        AT,
        reach,
    )
    for neuron, log in zip(neurons, logs, strict=True):
        w, b = np.array(neuron["w"]), neuron["b"]
        side, own = np.array([-w[1], w[0]]), [e for e in log if e["colour"] == "own"]
        assert own[0]["dash"]
        assert own[0]["lineWidth"] == 2
        assert not any(e["dash"] for e in log if e["colour"] == "usual")
        if neuron["theta"] is not None:
            (cone,) = own
            ends = [plain(path) for path in cone["paths"]]
            assert all(one[0] == pytest.approx(b * w) for one in ends)
            turns = []
            for one in ends:
                assert np.hypot(*one[1]) == pytest.approx(reach)
                edge = one[1] - one[0]
                turns.append(math.atan2(edge @ side, edge @ w))
            assert sorted(turns) == pytest.approx([-neuron["theta"], neuron["theta"]])
            continue
        line, arrow, head = own
        ends = plain(line["paths"][0])
        assert ends @ w == pytest.approx([b, b])
        half = max(math.sqrt(max(reach**2 - b**2, 0)), 0.12)
        assert sorted(ends @ side) == pytest.approx([-half, half])
        assert not arrow["dash"]
        from_line, tip = plain(arrow["paths"][0])
        assert from_line == pytest.approx(b * w)
        assert tip @ side == pytest.approx(0, abs=1e-9)
        assert tip @ w > b
        first, *wings = plain(head["paths"][0])
        assert first @ w > tip @ w
        assert first @ side == pytest.approx(0, abs=1e-9)
        assert [wing @ w for wing in wings] == pytest.approx([tip @ w] * 2)
        assert sum(wing @ side for wing in wings) == pytest.approx(0, abs=1e-9)


# ---- networks in their views


def circle_cases():
    rng = np.random.default_rng(2)
    unions = [[[300, 400]], [[0, 90]], [[10, 55], [100, 230], [350, 365]], [[90, 360]], [[1, 358]]]
    for arcs in unions:
        for neurons, output, neuron in [
            (1, "or", "plain"), (2, "and", "plain"), (3, "xor", "plain"), (3, "or", "bent"),
            (2, "evolved", "plain"), (1, "or", "bent"),
        ]:  # fmt: skip
            grid = Grid(2, neurons, 24, output, neuron)
            setting = {
                **DEFAULTS, "problem": "custom_arcs", "arcs": arcs, "neurons": neurons,
                "output": output, "neuron": neuron, "resolution": 24,
            }  # fmt: skip
            yield setting, grid, [int(v) for v in grid.random(rng)]


def holds_label(arcs, degrees):
    return any((degrees - start) % 360 <= end - start for start, end in arcs)


def test_rings_show_the_labels_the_answers_and_every_mistake(page):
    """Sampled around the circle, away from the very ends of arcs."""
    cases = list(circle_cases())
    logs = page(
        ["draw/circle.js", "engine/task.js"],
        RECORDER
        + """const { CircleView } = modules["draw/circle.js"];
        const { taskOf } = modules["engine/task.js"];
        return given[0].map(([setting, genome]) => {
          const context = new Recorder();
          const view = new CircleView(taskOf(setting, facts), PALETTE);
          view.draw(context, { width: 300, height: 260 }, genome);
          const handles = new Recorder();
          view.drawHandles(handles, { width: 300, height: 260 });
          return [context.log, handles.log];
        });""",
        [(setting, genome) for setting, _, genome in cases],
    )
    unit = 130 / 1.3
    degrees = np.arange(360) + 0.25
    turns = np.radians(degrees)
    mistakes = 0
    for (setting, grid, genome), (log, handles) in zip(cases, logs, strict=True):
        label = np.array([holds_label(setting["arcs"], one) for one in degrees])
        answer = (
            Network(grid, np.array(genome)).predict(np.column_stack([np.cos(turns), np.sin(turns)]))
            > 0
        )

        def at(radius, turns=turns):
            return np.column_stack(
                [150 + radius * unit * np.cos(turns), 130 - radius * unit * np.sin(turns)]
            )

        told = str((setting["arcs"], setting["output"], setting["neuron"], genome))
        colours = {"positive", "tint", "answer"}
        outer, inner = colours_at(log, at(1.18), colours), colours_at(log, at(1.055), colours)
        assert ((outer == "positive") == label).all(), told
        differ = np.flatnonzero((inner == "answer") != answer)
        # a border of the answer may lie at a sample
        assert all(
            answer[(k + 1) % 360] != answer[k] or answer[k - 1] != answer[k] for k in differ
        ), told
        hatches = []
        for entry in strokes(log, "wrong"):
            (path,) = entry["paths"]
            x, y = path[0][0] - 150, 130 - path[0][1]
            assert math.hypot(x, y) == pytest.approx(1.01 * unit)
            hatches.append(math.degrees(math.atan2(y, x)) % 360)
        hatches = np.array(hatches)
        wrong = label != answer
        mistakes += wrong.any()
        for place in hatches:
            k = int(place)
            assert wrong[k % 360] or wrong[k - 1] or wrong[(k + 1) % 360], (told, place)
        for k in range(360):
            # five degrees of mistakes in a row are hatched
            if wrong[(k + np.arange(5)) % 360].all():
                away = (hatches - degrees[k]) % 360
                assert (away <= 5.0).any(), (told, degrees[k])
        ends = sorted((round(end % 360, 6)) for arc in setting["arcs"] for end in arc)
        found = [math.degrees(math.atan2(130 - y, x - 150)) % 360 for x, y, *_ in dots(handles)]
        assert sorted(round(one, 6) % 360 for one in found) == pytest.approx(ends, abs=1e-5)
        assert len(strokes(log, "neuron0")) >= 1
    assert mistakes > 15


def test_moves_are_dashed_where_a_neuron_was_or_would_have_gone(page):
    """On the circle, the plane and the sphere; void steps and neurons that stay show nothing."""
    found = page(
        ["draw/views.js", "engine/task.js"],
        RECORDER
        + """const { viewOf } = modules["draw/views.js"];
        const { taskOf } = modules["engine/task.js"];
        const points = [[0.1, 0.2, 1], [-0.5, 0.3, 0]];
        return given[0].map(([part, parent, genome]) => {
          const setting = { ...facts.defaults, points, neurons: 2, resolution: 24, ...part };
          const view = viewOf(taskOf(setting, facts), PALETTE);
          const shown = [[true, false], [false, false], [true, true]].map(([kept, nothing]) => {
            const context = new Recorder();
            const current = kept ? genome : parent;
            view.draw(context, { width: 200, height: 200 }, current,
              { parent, genome, kept, void: nothing });
            return context.log.filter(({ dash }) => dash).map(({ colour }) => colour);
          });
          return [view.constructor.name, shown];
        });""",
        [
            [{"problem": "two_quarters"}, [3, 10, 12, 14], [3, 10, 13, 14]],
            [{"problem": "points"}, [3, 10, 12, 14], [3, 9, 12, 14]],
            [{"problem": "quarter", "dim": 3}, [3, 5, 10, 11, 2, 14], [3, 5, 10, 11, 3, 14]],
        ],
    )
    moved = {"CircleView": "neuron1", "PlaneView": "neuron0", "SphereView": "neuron1"}
    assert [name for name, _ in found] == list(moved)
    for name, (kept, refused, nothing) in found:
        assert set(kept) == {moved[name]}, name
        assert set(refused) == {"wrong"}
        assert nothing == []


def plane_cases():
    rng = np.random.default_rng(3)
    for neurons, output, neuron in [
        (1, "or", "plain"), (3, "and", "plain"), (3, "or", "plain"), (4, "xor", "plain"),
        (3, "evolved", "plain"), (2, "or", "bent"), (1, "or", "bent"),
    ]:  # fmt: skip
        grid = Grid(2, neurons, 24, output, neuron)
        points = np.column_stack([rng.uniform(-0.9, 0.9, (12, 2)).round(3), np.arange(12) % 2])
        setting = {
            **DEFAULTS, "problem": "points", "points": points.tolist(), "neurons": neurons,
            "output": output, "neuron": neuron, "resolution": 24,
        }  # fmt: skip
        for _ in range(2):
            yield setting, grid, [int(v) for v in grid.random(rng)]


def test_the_plane_is_coloured_by_the_answer_and_points_by_their_labels(page):
    """Discs and squares where the points are, ringed if the network is wrong there."""
    cases = list(plane_cases())
    logs = page(
        ["draw/plane.js", "engine/task.js", "engine/fitness.js"],
        RECORDER
        + """const { PlaneView, regionColours } = modules["draw/plane.js"];
        const { taskOf } = modules["engine/task.js"];
        const { network } = modules["engine/fitness.js"];
        const colours = regionColours(PALETTE);
        const logs = given[0].map(([setting, genome]) => {
          const task = taskOf(setting, facts), view = new PlaneView(task, PALETTE);
          const bent = setting.neuron === "bent";
          const size = bent ? { width: 103, height: 115 } : { width: 412, height: 460 };
          const context = new Recorder();
          view.draw(context, size, genome);
          const net = network(task, genome);
          const small = [null, ...net.hidden.keys()].map((i) => {
            const other = new Recorder();
            view.drawSmall(other, { width: bent ? 84 : 210, height: 210 }, net, i);
            return other.log;
          });
          return [context.log, small];
        });
        return [colours, logs];""",
        [(setting, genome) for setting, _, genome in cases],
    )
    colours, logs = logs
    rng = np.random.default_rng(4)
    places = rng.uniform(-0.99, 0.99, (250, 2))
    wrong_ones = 0
    for (setting, grid, genome), (log, small) in zip(cases, logs, strict=True):
        network = Network(grid, np.array(genome))
        answer = network.predict(places) > 0
        bent = setting["neuron"] == "bent"
        x0, y0, unit, small_unit = (51.5, 57.5, 50, 40) if bent else (206, 230, 200, 100)
        pixels = np.column_stack([x0 + unit * places[:, 0], y0 - unit * places[:, 1]])
        shown = colours_at(log, pixels, set(colours.values())) == colours["yes"]
        # a mesh shows cones by squares of three pixels
        allowed = 0.08 if bent else 0
        assert np.mean(shown != answer) <= allowed, genome
        points = np.array(setting["points"])
        said = network.predict(points[:, :2]) > 0
        marks = [e for e in log if e["op"] == "fill" and e["colour"] in ("positive", "answer")]
        assert len(marks) == len(points)
        for (x, y, label), mark in zip(points, marks, strict=True):
            middle = np.mean(np.array(mark["paths"][0])[:-1], axis=0)
            assert middle == pytest.approx([x0 + unit * x, y0 - unit * y], abs=0.1)
            assert (mark["colour"] == "positive") == (label == 1) == bool(mark["arcs"])
        rings = [e["arcs"][0][:2] for e in strokes(log, "wrong")]
        wanted = points[said != (points[:, 2] == 1), :2]
        wrong_ones += len(wanted)
        assert np.reshape(rings, (-1, 2)) == pytest.approx(
            np.column_stack([x0 + unit * wanted[:, 0], y0 - unit * wanted[:, 1]])
        )
        # one neuron each, then the network without rings
        x0 = 42 if bent else 105
        pixels = np.column_stack([x0 + small_unit * places[:, 0], 105 - small_unit * places[:, 1]])
        assert not strokes(small[0], "wrong")
        assert len([e for e in small[0] if e["colour"] in ("positive", "answer")]) == len(points)
        fired = network.hidden(places)
        for i, one in enumerate(small[1:]):
            assert not [e for e in one if e["colour"] in ("positive", "answer")]
            shown = colours_at(one, pixels, {"paper", f"rgb({_mixed(i)})"}) != "paper"
            assert np.mean(shown != (fired[:, i] > 0)) <= allowed
    assert wrong_ones > 15


def _mixed(i):
    """The colour of a neuron, six tenths on paper."""
    paper, own = (0, 255, 0), (200 - i, 3 * i, 7 * i)
    return " ".join(
        str(math.floor(a + 0.6 * (b - a) + 0.5)) for a, b in zip(paper, own, strict=True)
    )


# ---- the sphere


def sphere_cases():
    rng = np.random.default_rng(6)
    for problem, arcs in [("custom_arcs", [[300, 400]]), ("custom_arcs", [[10, 250], [270, 300]]),
                          ("custom_arcs", [[0, 90], [180, 270]]), ("cube", [])]:  # fmt: skip
        for neurons, output, neuron in [
            (1, "or", "plain"),
            (3, "xor", "plain"),
            (2, "and", "bent"),
        ]:
            grid = Grid(3, neurons, 24, output, neuron)
            setting = {**DEFAULTS, "problem": problem, "dim": 3, "neurons": neurons,
                       "output": output, "neuron": neuron, "resolution": 24}  # fmt: skip
            if arcs:
                setting["arcs"] = arcs
            yield setting, grid, [int(v) for v in grid.random(rng)], rng.uniform(-2, 2, 2).tolist()


def test_the_sphere_shows_answers_labels_and_circles_where_they_are_seen(page):
    """Every pixel by its point of the sphere; circles on their planes, thin behind."""
    cases = list(sphere_cases())
    found = page(
        ["draw/sphere.js", "engine/task.js", "engine/fitness.js"],
        RECORDER
        + """const { SphereView } = modules["draw/sphere.js"];
        const { taskOf } = modules["engine/task.js"];
        const { network } = modules["engine/fitness.js"];
        return given[0].map(([setting, genome, turn]) => {
          const task = taskOf(setting, facts), view = new SphereView(task, PALETTE);
          view.turn(...turn);
          const context = new Recorder(), size = { width: 116, height: 140 };
          view.draw(context, size, genome);
          const net = network(task, genome), small = [];
          for (let i = 0; i < net.size; i += 1) {
            const other = new Recorder();
            view.drawSmall(other, { width: 66, height: 66 }, net, i);
            small.push(other.log[0]);
          }
          const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map((x) => view.seen(x));
          return { log: context.log, small, axes, colours: view.colours(null),
            hidden: net.hidden.map(({ w, edge }) => [[...w], edge]) };
        });""",
        [(setting, genome, turn) for setting, _, genome, turn in cases],
    )
    mistakes = 0
    for (setting, grid, genome, (around, up)), one in zip(cases, found, strict=True):
        network = Network(grid, np.array(genome))
        axes = np.array(one["axes"])
        assert axes @ axes.T == pytest.approx(np.eye(3), abs=1e-12)
        assert np.linalg.det(axes) == pytest.approx(1)
        # the viewer is at this longitude and at a latitude short of the poles
        near = axes[:, 2]
        assert math.remainder(math.atan2(near[1], near[0]) - around, 2 * math.pi) == pytest.approx(
            0
        )
        assert math.asin(near[2]) == pytest.approx(max(-1.5, min(1.5, up)))

        images = [e for e in one["log"] if e["op"] == "image"]
        assert [e["box"] for e in images] == [pytest.approx([8, 20, 100, 100])]
        shown = np.array(images[0]["image"]["data"]).reshape(100, 100, 4).astype(float)
        rows, columns = np.indices((100, 100))
        u, v = (columns + 0.5) / 50 - 1, 1 - (rows + 0.5) / 50
        ball = u**2 + v**2 < 0.95
        z = np.sqrt(np.where(ball, 1 - u**2 - v**2, 1))
        points = np.stack([u, v, z], axis=-1)[ball] @ axes.T
        assert (shown[ball, 3] == 255).all()
        assert (shown[u**2 + v**2 > 1.06, 3] == 0).all()
        answer = network.predict(points) > 0
        colours = {name: np.array(value) for name, value in one["colours"].items() if value}
        light = 0.74 + 0.26 * z[ball][:, None]

        def looks(name, light=light, shown=shown, ball=ball, colours=colours):
            return (np.abs(shown[ball, :3] - colours[name] * light) < 1.0).all(axis=1)

        if setting["problem"] == "cube":
            plain_colours = np.where(answer, looks("yes"), looks("negative"))
            assert np.mean(plain_colours) > 0.98
        else:
            degrees = np.degrees(np.arctan2(points[:, 2], points[:, 1])) % 360
            label = np.array([holds_label(setting["arcs"], d) for d in degrees])
            base = np.select([label, answer], [looks("positive"), looks("answer")], looks("no"))
            hatched = looks("wrong")
            assert np.mean(base | hatched) > 0.98
            assert np.mean(hatched & (label == answer)) < 0.02
            wrong = label != answer
            if np.mean(wrong) > 0.05:
                mistakes += 1
                # every third diagonal stripe
                diagonal = (rows + columns)[ball]
                assert np.mean(hatched[wrong]) == pytest.approx(1 / 3, abs=0.08)
                assert np.mean((diagonal[hatched] % 6) < 2) > 0.95
        fired = network.hidden(points) > 0
        for i, small in enumerate(one["small"]):
            side = round(small["box"][2])
            part = np.array(small["image"]["data"]).reshape(side, side, 4)[..., :3].astype(float)
            r, c = np.indices((side, side))
            su, sv = (2 * c + 1) / side - 1, 1 - (2 * r + 1) / side
            inner = su**2 + sv**2 < 0.9
            sz = np.sqrt(np.where(inner, 1 - su**2 - sv**2, 1))
            at = np.stack([su, sv, sz], axis=-1)[inner] @ axes.T
            own = np.array([200 - i, 3 * i, 7 * i]) * (0.74 + 0.26 * sz[inner][:, None])
            mine = (np.abs(part[inner] - own) < 1.0).all(axis=1)
            assert np.mean(mine != (network.hidden(at)[:, i] > 0)) < 0.02
        assert fired.shape[1] == len(one["hidden"])

        def on_sphere(path):
            """Points of a curve as seen: right and up."""
            x, y = np.array(path, dtype=float).T
            return (x - 58) / 50, (70 - y) / 50

        for i, (w, edge) in enumerate(one["hidden"]):
            w = np.array(w) @ axes
            curves = [e for e in strokes(one["log"], f"neuron{i}") if e["lineWidth"] != 3]
            back, front = curves
            assert (back["globalAlpha"], front["globalAlpha"]) == (0.3, 1)
            assert back["lineWidth"] < front["lineWidth"]
            drawn = 0
            for entry, sign in ((back, -1), (front, 1)):
                for path in entry["paths"]:
                    cu, cv = on_sphere(path)
                    cz = sign * np.sqrt(np.maximum(0, 1 - cu**2 - cv**2))
                    inside = np.abs(cz) > 0.15
                    heights = (np.column_stack([cu, cv, cz]) @ w)[inside]
                    assert heights == pytest.approx(np.full(heights.size, edge), abs=1e-6)
                    drawn += len(path)
            assert drawn == 97
            arrow = [e for e in strokes(one["log"], f"neuron{i}") if e["lineWidth"] == 3]
            assert len(arrow) == (w[2] >= 0)
            for entry in arrow:
                (au, bu), (av, bv) = on_sphere(entry["paths"][0])
                assert (au, av) == pytest.approx((w[0], w[1]), abs=1e-9)
                assert (bu, bv) == pytest.approx((1.14 * w[0], 1.14 * w[1]), abs=1e-9)
        corners = [
            e for e in one["log"] if e["op"] == "fill" and e["colour"] in ("positive", "answer")
        ]
        assert len(corners) == (8 if setting["problem"] == "cube" else 0)
        seen = {}
        for entry in corners:
            x, y, *_ = entry["arcs"][0]
            seen.setdefault((round(x, 6), round(y, 6)), []).append(entry)
        for corner in np.ndindex((2, 2, 2) if corners else (0,)):
            point = (2 * np.array(corner) - 1) / math.sqrt(3)
            su, sv, sz = point @ axes
            entries = seen[round(58 + 50 * su, 6), round(70 - 50 * sv, 6)]
            label = sum(corner) % 2 == 1
            assert [e["colour"] for e in entries] == ["positive" if label else "answer"]
            assert entries[0]["globalAlpha"] == (1 if sz > 0 else 0.4)
            good = (network.predict(point[None])[0] > 0) == label
            edges = [e["colour"] for e in strokes(one["log"]) if e["arcs"]
                     and e["arcs"][0][:2] == entries[0]["arcs"][0][:2]]  # fmt: skip
            assert edges == ["paper" if good else "wrong"]
        borders = [e for e in strokes(one["log"], "paper") if not e["arcs"]]
        assert len(borders) == 2 * 2 * len(setting["arcs"] if setting["problem"] != "cube" else [])
        ends = [end for arc in setting["arcs"] for end in arc]
        for k, entry in enumerate(borders):
            sign = 1 if k % 2 else -1
            turn = math.radians(ends[k // 2])
            for path in entry["paths"]:
                cu, cv = on_sphere(path)
                cz = sign * np.sqrt(np.maximum(0, 1 - cu**2 - cv**2))
                place = (np.column_stack([cu, cv, cz]) @ axes.T)[np.abs(cz) > 0.15]
                across = place[:, 1] * math.sin(turn) - place[:, 2] * math.cos(turn)
                along = place[:, 1] * math.cos(turn) + place[:, 2] * math.sin(turn)
                assert across == pytest.approx(np.zeros(len(place)), abs=1e-6)
                assert (along > -1e-6).all()
    assert mistakes >= 3


# ---- charts


def scale_of(pairs):
    """Slope and shift of places against values that must lie on a line."""
    values, places = np.array(pairs, dtype=float).T
    slope, shift = np.polyfit(values, places, 1)
    assert slope * values + shift == pytest.approx(places, abs=1e-6)
    return slope, shift


def test_the_history_is_a_staircase_on_the_axes_that_are_written(page):
    """Shares and evaluations are read off the labels' places."""
    histories = [
        ([[1, 0.5], [7, 0.75], [100, 0.8], [1000, 0.95]], 5000),
        ([[1, 0.97]], 1),
        ([[1, 0.3], [2, 1]], 2),
        ([[1, 0.92], [12, 1]], 10),
        ([[1, 0.65], [9, 0.9]], 123_456),
    ]
    logs = page(
        ["draw/history.js"],
        RECORDER
        + """return given[0].map(([history, evaluations]) => {
          const canvas = sheet(400, 200);
          modules["draw/history.js"].drawHistory(canvas, PALETTE, { history, evaluations });
          return canvas.context.log;
        });""",
        [([list(p) for p in history], max(last, history[-1][0])) for history, last in histories],
    )
    for (history, last), log in zip(histories, logs, strict=True):
        last = max(last, history[-1][0])
        shares = [(float(e["text"][:-2]) / 100, e["place"][1]) for e in texts(log)
                  if e["text"].endswith("%")]  # fmt: skip
        times = [
            (int(e["text"].replace(",", "").replace(" k", "000")), e["place"][0])
            for e in texts(log)
            if e["text"][0].isdigit() and "%" not in e["text"]
        ]
        assert shares[0][0] == 1
        lowest = shares[-1][0]
        base = math.floor(10 * min(0.9, *(s for _, s in history)) + 1e-9) / 10
        assert base - 1e-9 <= lowest < base + 0.2 - 1e-9
        slope, shift = scale_of(shares)
        assert slope < 0
        assert [t for t, _ in times] == [10**k for k in range(6) if 10**k <= max(last, 10)]
        (line,) = strokes(log, "positive")
        path = line["paths"][0]
        # the last label is moved into the picture
        x0 = times[0][1]
        x1 = 400 - 12
        wide = (x1 - x0) / math.log(max(last, 10))
        for value, place in times:
            assert place == pytest.approx(min(x0 + wide * math.log(value), x1 - 6))
        # over to the next evaluation at the old share, then up to the new one
        wanted = [history[0]]
        for (_, old), (time, new) in itertools.pairwise(history):
            wanted += [(time, old), (time, new)]
        wanted.append((last, history[-1][1]))
        steps = [(x0 + wide * math.log(time), slope * share + shift) for time, share in wanted]
        distinct = [p for k, p in enumerate(path) if k == 0 or p != path[k - 1]]
        steps = [p for k, p in enumerate(steps) if k == 0 or p != steps[k - 1]]
        assert np.array(distinct) == pytest.approx(np.array(steps))
        ((x, y, *_),) = dots(log, "positive")
        assert [x, y] == pytest.approx(path[-1])
        rules = [e["paths"][0] for e in strokes(log, "line")]
        assert [rule[0][1] for rule in rules] == pytest.approx([place for _, place in shares])


def test_the_path_is_drawn_where_its_axes_say_and_where_a_click_finds_it(page):
    paths = [
        [(0, 12), (1, 5), (4, 0)], [(0, 1), (1, 0)], [(0, 0)], [(0, 1000), (2, 400), (7, 60)],
        [(0, 25), (3, 24)], [(0, 26), (2, 5)],
    ]  # fmt: skip
    given = [[{"terms": t, "errors": e} for t, e in path] for path in paths]
    found = page(
        ["draw/path.js"],
        RECORDER
        + """const { drawPath, ruleAt } = modules["draw/path.js"];
        const empty = sheet(300, 200);
        drawPath(empty, PALETTE, [], 0, -1);
        return [empty.context.log, given[0].map((path) => {
          const canvas = sheet(300, 200), last = path.length - 1;
          drawPath(canvas, PALETTE, path, last, 0);
          const { log } = canvas.context;
          const places = log.filter(({ op, arcs }) => op === "fill" && arcs.length)
            .map(({ arcs }) => arcs[0][0]);
          return [log, places.map((x) => ruleAt(canvas, path, x)),
            places.slice(1).map((x, i) => {
              const middle = (x + places[i]) / 2;
              return [ruleAt(canvas, path, middle - 1), ruleAt(canvas, path, middle),
                ruleAt(canvas, path, middle + 1)];
            })];
        })];""",
        given,
    )
    assert found[0] == []
    for path, (log, clicked, between) in zip(paths, found[1], strict=True):
        assert clicked == list(range(len(path)))
        assert [[a, b] for a, _, b in between] == [[k, k + 1] for k in range(len(path) - 1)]
        words = texts(log)
        errors = [(int(e["text"]), e["place"][1]) for e in words
                  if e["textAlign"] == "right"]  # fmt: skip
        terms = [(int(e["text"]), e["place"][0]) for e in words
                 if e["text"].isdigit() and e["textAlign"] == "center"]  # fmt: skip
        most = max(max(e for _, e in path), 1)
        assert [t for t, _ in terms] == list(range(max(max(t for t, _ in path), 1) + 1))
        assert 2 <= len(errors) <= 7
        step = errors[1][0]
        assert [e for e, _ in errors] == list(range(0, most + 1, step))
        a, b = scale_of(terms)
        c, d = scale_of(errors)
        assert a > 0 > c
        places = [[a * t + b, c * e + d] for t, e in path]
        (line,) = [e for e in strokes(log, "positive") if not e["arcs"]]
        assert np.array(line["paths"][0]) == pytest.approx(np.array(places))
        marks = [e for e in log if e["op"] == "fill" and e["arcs"]]
        assert np.array([e["arcs"][0][:2] for e in marks]) == pytest.approx(np.array(places))
        assert [e["colour"] for e in marks] == ["card"] * (len(path) - 1) + ["positive"]
        assert marks[-1]["arcs"][0][2] > (marks[0]["arcs"][0][2] if len(path) > 1 else 0)
        (star,) = [e for e in words if e["text"] == "★"]
        assert star["place"][0] == pytest.approx(places[0][0])
        assert star["place"][1] < places[0][1]
        for x, y in places:
            assert 52 <= x <= 300
            assert 0 <= y <= 200


def test_a_rule_is_drawn_where_it_holds_with_its_lines_and_its_mistakes(page):
    rng = np.random.default_rng(9)
    tables, rules = [], []
    for low, high in [((0, 0), (10, 1)), ((-3, 100), (2, 5000)), ((0.001, -1), (0.002, -0.5))]:
        points = rng.uniform(low, high, (101, 2))
        middle = points.mean(axis=0)
        conditions = [
            {"features": [0], "weights": [1.0], "threshold": middle[0]},
            {"features": [1], "weights": [-1.0], "threshold": -middle[1]},
            {"features": [1, 0], "weights": [1.0, 1.0], "threshold": middle.sum()},
            {"features": [0], "weights": [1.0], "threshold": 10 * high[0] + 10},
        ]
        joins = [(1, 1), (2, 2), (1, 3), (2, 3), (0, 2), (0, 0), (1, 0), (1, 4)]
        for quorum, size in joins if low == (0, 0) else joins[2:4]:
            keep = 101 if size == 3 else 30
            labels = rng.integers(0, 2, keep)
            tables.append({
                "points": np.column_stack([points[:keep], labels]).tolist(),
                "features": ["length", "width"], "unit": "cm" if size else "",
            })  # fmt: skip
            rules.append({"quorum": quorum, "conditions": conditions[:size]})
    rules[5] = None
    found = page(
        ["draw/rule.js", "draw/plane.js"],
        RECORDER
        + """const colours = modules["draw/plane.js"].regionColours(PALETTE);
        return [colours, given[0].map((table, k) => {
          const canvas = sheet(500, 400);
          new modules["draw/rule.js"].RuleView(table, PALETTE).draw(canvas, given[1][k]);
          return canvas.context.log;
        })];""",
        tables,
        rules,
    )
    colours, logs = found
    for table, rule, log in zip(tables, rules, logs, strict=True):
        points = np.array(table["points"])
        words = [e for e in texts(log) if e["text"][0].isdigit() or e["text"][0] == "−"]
        across, up = [], []
        for e in words:
            value = float(e["text"].replace("−", "-"))
            (up if e["textAlign"] == "right" else across).append(
                (value, e["place"][1 if e["textAlign"] == "right" else 0])
            )
        places = np.empty((len(points), 2))
        for k, ticks in enumerate((across, up)):
            values = [value for value, _ in ticks]
            step = values[1] - values[0]
            assert np.diff(values) == pytest.approx(np.full(len(values) - 1, step))
            assert float(f"{step:.3e}"[0:5]) in (1.0, 2.0, 5.0)
            low, high = points[:, k].min(), points[:, k].max()
            room = 0.06 * (high - low)
            # ticks from end to end, at most one for each fifth
            assert values[0] - step < low - room + 1e-9 <= values[0] + 2e-9
            assert values[-1] <= high + room + 1e-9 < values[-1] + step + 2e-9
            assert step >= (high - low + 2 * room) / 5 * 0.999
            slope, shift = scale_of(ticks)
            places[:, k] = slope * points[:, k] + shift
        box = next(e["paths"][0] for e in strokes(log, "line"))
        (left, top), (right, bottom) = box[0], box[2]
        span = points[:, :2].max(axis=0) - points[:, :2].min(axis=0)
        share = 0.06 / 1.12
        assert places[:, 0].min() == pytest.approx(left + share * (right - left), abs=0.01)
        assert places[:, 1].min() == pytest.approx(top + share * (bottom - top), abs=0.01)
        assert (span > 0).all()

        def holds(where, rule=rule):
            count = np.zeros(len(where), dtype=int)
            for one in rule["conditions"]:
                total = where[:, one["features"]] @ np.array(one["weights"])
                count += total > one["threshold"]
            if not rule["conditions"]:
                return np.full(len(where), rule["quorum"] == 0)
            return count % 2 == 1 if rule["quorum"] == 0 else count >= rule["quorum"]

        marks = [e for e in log if e["op"] == "fill" and e["colour"] in ("positive", "answer")]
        middles = [np.mean(np.array(e["paths"][0])[:-1], axis=0) for e in marks]
        assert np.array(middles) == pytest.approx(places, abs=0.5)
        assert [e["colour"] == "positive" for e in marks] == (points[:, 2] == 1).tolist()
        rings = [e["arcs"][0][:2] for e in strokes(log, "wrong")]
        wrong = holds(points) != (points[:, 2] == 1) if rule else np.zeros(len(points), bool)
        assert np.reshape(rings, (-1, 2)) == pytest.approx(places[wrong], abs=0.5)
        regions = colours_at(log, places, set(colours.values()))
        if not rule:
            assert set(regions) == {""}
            continue
        radii = {e["arcs"][0][2] for e in marks if e["arcs"]}
        assert radii <= {5 if len(points) > 100 else 6}
        assert (regions == np.where(holds(points), colours["yes"], colours["no"])).mean() > 0.995
        lines = [e for e in log if e["op"] == "stroke" and e["lineWidth"] == 3]
        # the fourth line lies outside
        crossing = list(enumerate(rule["conditions"][:3]))
        assert [e["colour"] for e in lines] == [f"neuron{i}" for i, _ in crossing]
        for entry, (_, one) in zip(lines, crossing, strict=True):
            assert entry["clips"] == 1
            ends = np.array(entry["paths"][0])
            ax, bx = scale_of(across)
            ay, by = scale_of(up)
            values = np.column_stack([(ends[:, 0] - bx) / ax, (ends[:, 1] - by) / ay])
            total = values[:, one["features"]] @ np.array(one["weights"])
            scale = max(1e-3, abs(one["threshold"]))
            assert total == pytest.approx(np.full(2, one["threshold"]), abs=1e-6 * scale)
        assert (right, bottom) == (500 - 14, 400 - 48)


def test_the_landscape_shows_networks_at_their_pixels(page):
    """The picture's pixel, the dots, the crosses and the way lie at the same places."""
    setting = {**DEFAULTS, "problem": "local_opt", "neurons": 1, "mutation": "local"}
    setting["resolution"] = r = 12
    path = [[0, 0], [1, 1], [11, 2], [10, 2], [10, 9], [6, 9], [0, 3], [0, 4]]
    found = page(
        ["draw/landscape.js", "draw/paint.js", "engine/fitness.js", "engine/task.js"],
        RECORDER
        + """const { Landscape } = modules["draw/landscape.js"];
        const { heat } = modules["draw/paint.js"];
        const { fitnessOf } = modules["engine/fitness.js"];
        const [settings, path] = given;
        return settings.map((setting) => {
          const task = modules["engine/task.js"].taskOf(setting, facts), { unit } = task;
          const land = new Landscape(task, fitnessOf(task));
          const search = { genome: [3 * unit, 7 * unit],
            path: path.map((one) => one.map((value) => value * unit)) };
          const canvas = sheet(300, 200);
          land.draw(canvas, PALETTE, search, "exact");
          const values = land.scores.map((_, i) => (i * 7) % 10);
          const painted = land.paint(values).getContext("2d").image;
          const flat = land.paint(values.map(() => 3)).getContext("2d").image;
          return { log: canvas.context.log, local: land.local, global: land.global, painted,
            flat: flat.data.slice(0, 4), heat: Array.from({ length: 10 }, (_, k) => heat(k / 9)) };
        });""",
        [setting, {**setting, "mutation": "cauchy"}],
        path,
    )
    for one in found:
        log = one["log"]
        (picture,) = [e for e in log if e["op"] == "image"]
        left, top, wide, high = picture["box"]

        def place(angle, bias, left=left, top=top, wide=wide, high=high):
            return [left + (angle + 0.5) * wide / r, top + (r - bias + 0.5) * high / (r + 1)]

        image = one["painted"]
        assert (image["width"], image["height"]) == (r, r + 1)
        pixels = np.array(image["data"]).reshape(r + 1, r, 4)
        heats = np.array(one["heat"])
        for state in range(r * (r + 1)):
            angle, bias = divmod(state, r + 1)
            assert pixels[r - bias, angle, :3] == pytest.approx(heats[state * 7 % 10], abs=0.51)
        assert (pixels[..., 3] == 255).all()
        assert one["flat"] == [0, 34, 78, 255]
        best = [list(xy) for *xy, _, colour in dots(log, "#ffffff")]
        wanted = [place(*divmod(state, r + 1)) for state in one["global"]]
        assert np.array(best) == pytest.approx(np.array(wanted))
        ((x, y, *_),) = dots(log, "wrong")
        assert [x, y] == pytest.approx(place(3, 7))
        crosses = [e for e in strokes(log, "wrong") if len(e["paths"]) == 2 and not e["arcs"]]
        middles = [np.mean(np.concatenate(e["paths"]), axis=0) for e in crosses]
        wanted = [place(*divmod(state, r + 1)) for state in one["local"]]
        assert wanted
        assert np.array(middles) == pytest.approx(np.array(wanted))
        # the way is broken where it passes an end: more than half of the grid at once
        (way,) = [e for e in strokes(log, "#ffffff") if e["lineWidth"] == 1.5 and not e["arcs"]]
        parts = [[0, 1], [2, 3], [4, 5, 6, 7]]
        assert len(way["paths"]) == len(parts)
        for drawn, part in zip(way["paths"], parts, strict=True):
            assert np.array(drawn) == pytest.approx(np.array([place(*path[k]) for k in part]))
        angles = [(float(e["text"][:-1]), e["place"][0]) for e in texts(log) if "°" in e["text"]]
        assert [d for d, _ in angles] == [0, 90, 180, 270]
        for degrees, x in angles[1:]:
            assert x == pytest.approx(place(degrees / 360 * r, 0)[0])
        biases = {e["text"]: e["place"][1] for e in texts(log) if e["textAlign"] == "right"}
        ys = [y for _, y in sorted((float(name.split()[-1]), y) for name, y in biases.items())]
        assert ys == pytest.approx([place(0, k * r / 2)[1] for k in (0, 1, 2)])


def test_runs_of_a_race_drop_into_the_column_of_their_time_when_the_clock_passes_it(page):
    rng = np.random.default_rng(12)
    times = np.concatenate([[1, 1, 10_000], rng.integers(1, 10_000, 60), [500] * 7]).tolist()
    done = (rng.random(len(times)) < 0.8).tolist()
    clocks = [0.5, 1, 499.9, 500, 9999, 10_000]
    cases = [(clock, width, lanes) for clock in clocks for width, lanes in ((700, 3), (559, 1))]
    logs = page(
        ["draw/race.js"],
        RECORDER
        + """const { RaceView } = modules["draw/race.js"];
        const [cases, times, done] = given;
        return [...cases.map(([clock, width, count]) => {
          const canvas = sheet(width, 480), view = new RaceView(PALETTE);
          const lanes = Array.from({ length: count }, (_, i) => ({ law: `law${i}`, words: "words",
            times: i === 1 ? [] : times, done, search: null }));
          view.draw(canvas, lanes, { clock, most: 10000 });
          return canvas.context.log;
        }), (() => { const canvas = sheet(700, 480);
          new RaceView(PALETTE).draw(canvas, [], { clock: 1, most: 10 });
          return canvas.context.log; })()];""",
        cases,
        times,
        done,
    )
    assert len(logs.pop()) == 1
    for (clock, width, lanes), log in zip(cases, logs, strict=True):
        right = width - 14
        ticks = {e["text"]: e["place"][0] for e in texts(log) if e["textBaseline"] == "top"}
        lines = [e["paths"][0][0][0] for e in strokes(log, "line") if e["globalAlpha"] == 0.5]
        assert len(lines) == 5
        left = lines[0]
        assert np.diff(lines) == pytest.approx(np.full(4, (right - left) / 4))
        assert lines[-1] == pytest.approx(right)
        assert ticks["100"] == pytest.approx(lines[2])
        (hand,) = strokes(log, "ink")
        x = left + (right - left) * math.log(min(max(clock, 1), 10_000)) / math.log(10_000)
        assert hand["paths"][0][0][0] == pytest.approx(x)
        bottom = hand["paths"][0][1][1] - 4
        each = bottom / lanes
        titles = [e for e in texts(log) if e["text"].startswith("law")]
        assert [e["colour"] for e in titles] == [f"neuron{i}" for i in range(lanes)]
        home = sum(good and time <= clock for time, good in zip(times, done, strict=True))
        counts = [e["text"] for e in texts(log) if e["text"].endswith("home")]
        assert counts == [f"{home} of {len(times)} home"] * (2 if lanes == 3 else 1)
        bins = max(12, int((right - left) // 9))
        wide = (right - left) / bins
        for lane in (0, 2)[: 2 if lanes == 3 else 1]:
            low, high = lane * each, (lane + 1) * each
            here = [d for d in dots(log) if low < d[1] < high]
            passed = sorted((time, k) for k, time in enumerate(times) if time <= clock)
            assert len(here) == len(passed)
            columns = {}
            for time, run in passed:
                column = min(bins - 1, int(math.log(time) / math.log(10_000) * bins))
                columns.setdefault(column, []).append(done[run])
            drawn = {}
            for x, y, radius, colour in here:
                assert radius > 0
                place = (x - left) / wide - 0.5
                assert place == pytest.approx(round(place), abs=1e-6)
                drawn.setdefault(round(place), []).append((-y, colour != "wrong", colour))
            assert drawn.keys() == columns.keys()
            for column, stack in drawn.items():
                # from below in the order of the times
                assert [good for _, good, _ in sorted(stack)] == columns[column]
                assert {c for _, good, c in stack if good} <= {f"neuron{lane}"}
                heights = sorted(y for y, *_ in stack)
                assert high + heights[0] > 4
                assert -heights[-1] > low + (28 if width > 560 else 38)


def test_the_clock_s_words_stay_in_the_picture_and_a_lane_has_its_own_run(page):
    found = page(
        ["draw/race.js", "engine/search.js", "engine/task.js"],
        RECORDER
        + """const { RaceView } = modules["draw/race.js"];
        const { Simulation } = modules["engine/search.js"];
        const setting = { ...facts.defaults, problem: "quarter", neurons: 1, resolution: 24 };
        const search = new Simulation(modules["engine/task.js"].taskOf(setting, facts));
        const view = new RaceView(PALETTE);
        return given[0].map((clock) => {
          const canvas = sheet(640, 300);
          const lane = { law: "one", words: "two", times: [5], done: [true], search };
          view.draw(canvas, [lane, { ...lane, search: null }], { clock, most: 100000 });
          const { log } = canvas.context;
          return [
            log.filter(({ text }) => text?.includes("evaluation") && text !== "evaluations")
              .map(({ text, place: [x] }) => [text, x - 3.5 * text.length, x + 3.5 * text.length]),
            log.filter(({ op, arcs }) => op === "stroke" && arcs.length)
              .map(({ arcs }) => arcs[0]),
          ];
        });""",
        [0.2, 1.9, 2, 300, 1e5],
    )
    wanted = [
        "1 evaluation",
        "1 evaluation",
        "2 evaluations",
        "300 evaluations",
        "100,000 evaluations",
    ]
    for (words, circles), text in zip(found, wanted, strict=True):
        ((told, left, right),) = words
        assert told == text
        # clear of the name of the axis, which is 77 wide and begins at 108
        assert left >= 108 + 77
        assert right <= 640 - 14 + 1e-9
        # the picture lies to the left in the upper half
        assert len(circles) == 1
        x, y, radius, *_ = circles[0]
        assert 0 < x - radius < x + radius < 108
        assert 0 < y - radius < y + radius < 133 + 8
