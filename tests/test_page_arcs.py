"""What the play page knows of arcs and neurons, in Node: the numbers of the Python it mirrors."""

import json
import random
import shutil
import subprocess
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from exported import NODE
from samples import OUTPUTS

import hyperna.play
from hyperna import Grid, Network
from hyperna.problems import arcs, half_circles

pytestmark = pytest.mark.skipif(NODE is None, reason="needs Node")

PROGRAM = """
import * as arcs from "./arcs.js";
import * as fitness from "./fitness.js";
import { readFileSync } from "node:fs";
const calls = JSON.parse(readFileSync(process.argv[2], "utf8"));
const made = {
  ...arcs,
  answers: (task, genome, X) => {
    const net = fitness.network(task, genome);
    return X.map((x) => fitness.answer(net, x));
  },
};
process.stdout.write(JSON.stringify(calls.map(([name, ...values]) => made[name](...values))));
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A function that makes many calls of the engine's functions at once."""
    folder = tmp_path_factory.mktemp("engine")
    for file in (Path(hyperna.play.__file__).parent / "page" / "engine").glob("*.js"):
        shutil.copy(file, folder)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "program.js").write_text(PROGRAM)

    def run(calls):
        (folder / "calls.json").write_text(json.dumps(calls))
        done = subprocess.run(
            [NODE, "program.js", "calls.json"],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def random_unions(count, whole):
    """Unions of arcs in parts of the circle, some that touch, pass 0 or lie opposite each other."""
    rng = random.Random(whole)
    found = []
    while len(found) < count:
        pairs = []
        for _ in range(rng.randint(1, 4)):
            start = rng.randrange(whole)
            pairs.append((start, start + rng.randint(1, whole // 2)))
        turns = [(Fraction(a, whole), Fraction(b, whole)) for a, b in pairs]
        try:
            found.append((pairs, arcs.merge_arcs(turns)))
        except ValueError:
            continue
    return found


def parts(union, whole):
    return [[int(a * whole), int(b * whole)] for a, b in union]


@pytest.mark.parametrize("whole", [16, 64, 256])
def test_arcs_are_merged_and_counted_alike(page, whole):
    unions = random_unions(60, whole)
    calls, wanted = [], []
    for pairs, union in unions:
        here = parts(union, whole)
        calls += [["mergeArcs", pairs, whole], ["complement", here, whole], ["covered", here]]
        wanted += [
            here,
            parts(arcs.complement(union), whole),
            int(arcs.covered(union) * whole),
        ]
        scaled = [[float(a), float(b)] for a, b in union]
        for place in range(whole):
            turn = Fraction(place, whole)
            # closed at both ends
            calls.append(["inArcs", scaled, float(turn)])
            wanted.append(any(a <= turn <= b or a <= turn + 1 <= b for a, b in union))
    assert page(calls) == wanted


@pytest.mark.parametrize("whole", [12, 48])
def test_best_approximations_are_alike_up_to_the_very_limit(page, whole):
    calls, wanted = [], []
    for _, union in random_unions(50, whole):
        here = parts(union, whole)
        for size in (1, 2, 3):
            every = arcs.best_unions(union, size, 10**6)
            for limit in {len(every[1]) - 1, len(every[1]), 1000}:
                share, best = arcs.best_unions(union, size, limit)
                calls.append(["bestUnions", here, whole, size, limit])
                wanted.append((float(share), sorted(parts(one, whole) for one in best)))
        count = len(arcs.symmetric_differences(union, 10**6))
        for limit in (count - 1, count):
            found = arcs.symmetric_differences(union, limit)
            assert len(found) == (count if limit == count else 0)
            calls.append(["symmetricDifferences", here, whole, limit])
            wanted.append(sorted(parts(one, whole) for one in found))
        calls.append(["turnedArcs", here, whole])
        wanted.append(sorted(list(map(int, one)) for one in arcs.turned_arcs(union)))
    for call, found, expected in zip(calls, page(calls), wanted, strict=True):
        if call[0] == "bestUnions":
            assert found["share"] == pytest.approx(expected[0])
            assert sorted(found["best"]) == expected[1]
        else:
            assert sorted(found) == expected


@pytest.mark.parametrize("whole", [12, 48])
def test_best_half_circles_are_alike(page, whole):
    calls, wanted = [], []
    half = Fraction(1, 2)
    for _, union in random_unions(50, whole):
        here = parts(union, whole)
        share, middles = half_circles.best_half_circles(union)
        calls.append(["bestHalfCircles", here, whole])
        wanted.append({"share": float(share), "middles": sorted(float(m * whole) for m in middles)})
        for short, long in ((0, half), (half, 1)):
            calls.append(["bestArc", here, whole, float(short * whole), float(long * whole)])
            wanted.append(float(half_circles.best_arc(union, Fraction(short), Fraction(long))))
        for neurons in range(1, 6):
            calls.append(["bestParity", here, whole, neurons])
            wanted.append(float(half_circles.best_parity(union, neurons)))
        for odd in (False, True):
            calls.append(["oppositeBound", here, whole, odd])
            wanted.append(float(half_circles.opposite_bound(union, odd)))
    for found, expected in zip(page(calls), wanted, strict=True):
        if isinstance(expected, dict):
            assert found["share"] == pytest.approx(expected["share"])
            assert sorted(found["middles"]) == pytest.approx(expected["middles"])
        else:
            assert found == pytest.approx(expected)


@pytest.mark.parametrize("neuron", ["plain", "bent"])
def test_neurons_fire_alike_on_their_planes_and_inside_the_ball(page, neuron):
    """Points of a lattice lie on planes at r = 8; a cone's surface is left to rounding."""
    rng = np.random.default_rng(0)
    calls, wanted = [], []
    on_plane = 0
    for output, neurons, dim in product(OUTPUTS, (1, 2, 3), (2, 3)):
        grid = Grid(dim, neurons, 8, output, neuron)
        X = np.array(list(product((-1.0, -0.5, 0.0, 0.5, 1.0), repeat=dim)))
        X = X[(X**2).sum(axis=1) <= 1]
        if neuron == "bent":
            X = rng.uniform(-0.6, 0.6, (30, dim))
        task = {
            "dim": dim,
            "resolution": 8,
            "width": grid.width,
            "evolved": grid.has_output_neuron,
            "setting": {"neurons": neurons, "neuron": neuron, "output": output},
        }
        for _ in range(15):
            network = Network(grid, grid.random(rng))
            calls.append(["answers", task, network.genome.tolist(), X.tolist()])
            wanted.append(network.predict(X).astype(bool).tolist())
            if neuron == "plain":
                W, b = network.weights()[:2]
                on_plane += np.count_nonzero(np.abs(X @ W.T - b) < 1e-12)
    assert page(calls) == wanted
    assert neuron == "bent" or on_plane > 300
