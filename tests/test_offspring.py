"""How often each component of an offspring differs from its parent's, where options meet.

On two points at one place with opposite labels every network is right on one of them, so that every
offspring is accepted and a trajectory shows them all. How often a component changes follows from
the definitions alone, whatever the options.
"""

import numpy as np
import pytest

from hyperna import FiniteSet, OnePlusOneNA, RandomisedLocalSearchNA
from hyperna.mutation import law

R = 12
STEPS = 6000
NEUTRAL = {
    dim: FiniteSet(np.full((2, dim), 0.25), np.array([True, False]), np.array([1, 1]))
    for dim in (2, 3)
}
CASES = [
    {},
    {"bias": False},
    {"redraw_void": True},
    {"bias": False, "redraw_void": True},
    {"replace_neuron": 0.4},
    {"replace_neuron": 0.9, "bias": False},
    {"replace_neuron": 0.5, "redraw_void": True},
    {"replace_neuron": 0.5, "redraw_void": True, "bias": False},
    {"replace_neuron": 0.5, "output": "evolved"},
    {"replace_neuron": 0.5, "output": "evolved", "bias": False, "neurons": 3},
    {"replace_neuron": 0.3, "mutation_probability": 0.7},
    {"mutation_probability": 0.7, "bias": False},
    {"mutation_probability": 0.05, "redraw_void": True},
    {"mutation_probability": 1.0},
    {"output": "evolved", "bias": False},
    {"output": "evolved", "redraw_void": True},
    {"mutation": "uniform", "redraw_void": True},
    {"mutation": "local", "redraw_void": True, "bias": False},
    {"mutation": "local", "replace_neuron": 0.5},
    {"rls": True},
    {"rls": True, "bias": False},
    {"rls": True, "redraw_void": True, "mutation": "uniform"},
    {"rls": True, "mutation_probability": 0.9},
    {"rls": True, "replace_neuron": 0.4, "bias": False},
    {"rls": True, "mutation": "local"},
    {"dim": 3},
    {"dim": 3, "bias": False, "replace_neuron": 0.5},
    {"dim": 3, "redraw_void": True, "neurons": 1},
    {"neurons": 1, "replace_neuron": 0.5},
    {"neurons": 5, "replace_neuron": 0.5, "bias": False},
    {"neurons": 5, "redraw_void": True, "bias": False},
    {"neurons": 6, "rls": True, "bias": False},
    {"neurons": 6, "mutation_probability": 0.4},
]


def chances(case, grid):
    """The probability of a change for each component, by the definitions."""
    moduli = np.asarray(grid.moduli)
    free = np.ones(grid.components, bool)
    if not case.get("bias", True):
        free[grid.bias_components] = False
    lengths = law(case.get("mutation", "harmonic")).pmf(R)
    moved = np.array([lengths[np.arange(1, R + 1) % m != 0].sum() for m in moduli]) * free
    if case.get("rls"):
        single, some = moved / free.sum(), (moved / free.sum()).sum()
    else:
        probability = case.get("mutation_probability") or 1 / grid.components
        single = probability * moved
        some = 1 - np.prod(1 - single)
    replace = case.get("replace_neuron", 0.0)
    hidden = np.arange(grid.components) < grid.neurons * grid.width
    fresh = np.where(free & hidden, (1 - 1 / moduli) / grid.neurons, 0.0)
    changed = []
    for neuron in range(grid.neurons):
        own = free & (np.arange(grid.components) // grid.width == neuron) & hidden
        changed.append(1 - np.prod(1 / moduli[own]))
    single = (1 - replace) * single + replace * fresh
    some = (1 - replace) * some + replace * np.mean(changed)
    return single / some if case.get("redraw_void") else single


@pytest.mark.parametrize("case", CASES, ids=lambda case: ", ".join(map(str, case)) or "plain")
def test_components_change_as_often_as_the_definitions_say(case):
    options = {"neurons": 2, "resolution": R, **case}
    dim, rls = options.pop("dim", 2), options.pop("rls", False)
    na = (RandomisedLocalSearchNA if rls else OnePlusOneNA)(**options)
    run = na.run(NEUTRAL[dim], budget=STEPS + 1, target=False, seed=1, trajectory=True)
    genomes, when = run.trajectory.genomes, run.trajectory.evaluations
    # void steps may be left out of a trajectory: nothing changes then
    changes = (np.diff(genomes, axis=0) != 0).sum(axis=0)
    assert when[-1] <= STEPS + 1
    expected = chances(case, na.grid(dim))
    deviation = np.sqrt(STEPS * expected * (1 - expected))
    assert (np.abs(changes - STEPS * expected) <= 4.5 * deviation + 1e-9).all()
    if not case.get("bias", True):
        fixed = genomes[:, na.grid(dim).bias_components]
        assert (fixed == R // 2).all()
    if rls and not case.get("replace_neuron"):
        assert ((np.diff(genomes, axis=0) != 0).sum(axis=1) <= 1).all()
