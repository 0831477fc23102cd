"""What the play page must agree with: tasks, scores and runs as hyperna computes them."""

import numpy as np
import pytest

from hyperna import Network
from hyperna._kernels import mutation
from hyperna.fitness import ExactArcs, Sampled
from hyperna.fitness.exact import arcs_in_units
from hyperna.play.settings import PlaySetting
from hyperna.run.simulation import Simulation

KINDS = {
    mutation.CONSTANT: "constant",
    mutation.TABLE: "table",
    mutation.BLOCKS: "blocks",
    mutation.UNIFORM: "uniform",
    mutation.PARETO: "pareto",
    mutation.CAUCHY: "cauchy",
    mutation.EXPONENTIAL: "exponential",
    mutation.ADAPTIVE: "adaptive",
}
WORD = 2**64 - 1
# What the page makes of a `setting`, in the words of `reference_task`. `answered` is what a server
# says about its law, or null.
TASK_AS_JSON = """(() => {
  const { fitness, goal, law, setting: _, landscape, ...rest } = taskOf(setting, facts, answered);
  const { starts = null, lengths = null, X = null, y = null } = fitness;
  const { score, optima, hopeful, tolerance } = goal;
  const { kind, largest, weights = [] } = law;
  return { ...rest, score, optima, hopeful, tolerance, starts, lengths, X, y,
    law: { kind, largest, weights: Array.from(weights) } };
})()"""


class Xoshiro:
    """The generator as Blackman and Vigna write it, from the four words of a stream."""

    def __init__(self, words):
        self.s = list(words)

    def next(self):
        s = self.s
        total = (s[0] + s[3]) & WORD
        found = (((total << 23) | (total >> 41)) + s[0]) & WORD
        shifted = (s[1] << 17) & WORD
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = ((s[3] << 45) | (s[3] >> 19)) & WORD
        return found

    def below(self, bound):
        mask = 2 ** (bound - 1).bit_length() - 1
        while (value := self.next() & mask) >= bound:
            pass
        return value

    def uniform(self):
        return (self.next() >> 11) / 2**53


def reference_task(setting):
    """The task of a setting, in the words of the page."""
    made = PlaySetting.from_json(setting).task
    grid, goal, law = made.grid, made.goal, made.law.steps(setting["resolution"], made.unit)
    fixed = set() if made.bias else set(grid.bias_components.tolist())
    near = goal.optima is not None and len(goal.optima) > 0
    found = {
        "dim": grid.dim,
        "width": grid.width,
        "resolution": grid.resolution,
        "unit": made.unit,
        "moduli": grid.moduli.tolist(),
        "free": [i for i in range(grid.components) if i not in fixed],
        "zero_bias": None if made.bias else grid.zero_bias,
        "evolved": grid.has_output_neuron,
        "probability": made.probability,
        "budget": made.budget,
        "units": made.units,
        "law": {"kind": KINDS[law.kind], "largest": law.largest, "weights": law.weights.tolist()},
        "score": int(goal.score) if goal.score <= made.units else None,
        "optima": [] if goal.optima is None else goal.optima.tolist(),
        "hopeful": int(goal.lowest_optimal_score) if near else 0,
        "tolerance": made.limits.tolerance if near else 0,
    }
    if isinstance(made.fitness, ExactArcs):
        starts, lengths = arcs_in_units(made.fitness.problem, made.units)
        found |= {"starts": starts.tolist(), "lengths": lengths.tolist()}
    else:
        points = made.fitness.points if isinstance(made.fitness, Sampled) else made.fitness
        found |= {"X": points.X.tolist(), "y": np.asarray(points.y).astype(int).tolist()}
    return found


def check_task(setting, task):
    """Compare the page's task of a setting with hyperna's."""
    wanted = reference_task(setting)
    told = str(setting)
    for name in ("X", "y", "starts", "lengths"):
        if name in wanted:
            assert np.allclose(task.pop(name), wanted.pop(name), rtol=0, atol=1e-15), told
        else:
            assert task.pop(name) is None, told
    law, other = task.pop("law"), wanted.pop("law")
    assert np.allclose(law.pop("weights"), other.pop("weights"), rtol=1e-14, atol=0), told
    assert law == other, told
    optima, others = (np.array(one.pop("optima"), dtype=float) for one in (task, wanted))
    if others.size:
        # in any order, as shares of the grid
        assert optima.shape == others.shape, told
        rows, other_rows = (
            sorted(map(tuple, (one.reshape(len(one), -1) / task["resolution"]).round(9)))
            for one in (optima, others)
        )
        assert np.allclose(rows, other_rows, rtol=0, atol=1e-8), told
    else:
        assert not optima.size, told
    hopeful, other_hopeful = task.pop("hopeful"), wanted.pop("hopeful")
    assert hopeful == pytest.approx(other_hopeful, rel=1e-12), told
    assert task == wanted, told


def random_networks(setting, count, seed=0):
    """Genomes on the setting's grid, and the score that hyperna gives them."""
    made = PlaySetting.from_json(setting).task
    rng = np.random.default_rng(seed)
    genomes = rng.integers(0, made.grid.moduli, (count, made.grid.components))
    return genomes.tolist(), [made.fitness.score(Network(made.grid, g)) for g in genomes]


def reference_run(setting, seed, number=0):
    """How a run of the compiled kernels ends: [evaluations, reason, network, restarts]."""
    search = Simulation(PlaySetting.from_json({**setting, "seed": seed}).task, seed, number)
    while not search.advance():
        pass
    found = search.result()
    reason = "success" if found.success else found.stop_reason
    # The page stops where a run is found to be stuck, which counts with its limit.
    evaluations = found.evaluations if found.stuck_at is None else found.stuck_at
    return [evaluations, reason, found.network.genome.tolist(), found.restarts]
