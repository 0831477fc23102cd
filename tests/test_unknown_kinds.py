"""A kind that something does not know is refused there, and never taken for another one."""

from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest

import hyperna
from hyperna._kernels.mutation import ADAPTIVE
from hyperna._kernels.protocol import select
from hyperna.fitness import ExactArcs, ExactSphere, FiniteSet, Online
from hyperna.mutation import LawData
from hyperna.network.neurons import NEURONS, is_bent
from hyperna.network.outputs import OUTPUTS, Output
from hyperna.problems import problem
from hyperna.problems.base import optima_on
from hyperna.run.relatives import PopulationNA
from hyperna.theory.states import all_scores


@pytest.fixture
def square(monkeypatch):
    """A third kind of neuron, which has the components of plain ones."""
    monkeypatch.setitem(NEURONS, "square", replace(NEURONS["plain"], name="square"))


def points():
    return FiniteSet([[0.0, 1.0], [0.0, -1.0]], [True, False])


ON_PLANE = hyperna.Grid(2, 1, 8)
ON_SPHERE = hyperna.Grid(3, 1, 8)
PAIR_ON_SPHERE = hyperna.Grid(3, 2, 8)
KNOW_TWO_KINDS = {
    "kernel of points": lambda of: points().compiled_form(of(ON_PLANE)),
    "simple kernel of points": lambda of: points().scoring_form(of(ON_PLANE)),
    "area of a cap": lambda of: ExactSphere(problem("half", dim=3)).compiled_form(of(ON_SPHERE)),
    "areas": lambda of: ExactSphere(problem("half", dim=3)).compiled_form(of(PAIR_ON_SPHERE)),
    "online": lambda of: Online(problem("half")).compiled_form(of(ON_PLANE)),
    "best fitness of arcs": lambda of: problem("half").best_fitness(1, neuron=of(ON_PLANE).neuron),
    "optima of arcs": lambda of: problem("half").optima(1, neuron=of(ON_PLANE).neuron),
    "loss by rounding": lambda of: problem("half").rounding_loss(1, 8, neuron=of(ON_PLANE).neuron),
    "best fitness on a cube": lambda of: problem("cube").best_fitness(
        1, neuron=of(ON_PLANE).neuron
    ),
    "optima on a grid": lambda of: optima_on(of(ON_PLANE), problem("half"), True),
    "formula of states": lambda of: all_scores(
        ExactArcs(problem("half")), of(ON_PLANE), bias=False
    ),
}


@pytest.mark.parametrize("ask", KNOW_TWO_KINDS.values(), ids=KNOW_TWO_KINDS)
def test_a_third_kind_of_neuron_is_refused_where_two_are_known(square, ask):
    ask(partial(replace, neuron="plain"))
    ask(partial(replace, neuron="bent"))
    with pytest.raises(ValueError, match=r"neuron must be 'plain' or 'bent' for .*, got 'square'"):
        ask(partial(replace, neuron="square"))


def test_a_third_kind_of_neuron_answers_by_its_own_margin(square):
    network = hyperna.Network(hyperna.Grid(2, 1, 8, neuron="square"), [2, 4])
    assert network.predict([[0.0, 1.0], [0.0, -1.0]]).tolist() == [True, False]
    with pytest.raises(ValueError, match="'square'"):
        is_bent("square", "this")


def test_an_output_without_a_code_in_kernels_is_refused(monkeypatch):
    most = Output("most", "1 where most fire", 99, lambda bits: bits.mean(axis=1) > 0.5, str)
    monkeypatch.setitem(OUTPUTS, "most", most)
    for fitness in (points(), ExactArcs(problem("half")), Online(problem("half"))):
        with pytest.raises(ValueError, match="no compiled form"):
            fitness.scores([[0, 4] * 3], hyperna.Grid(2, 3, 8, "most"))


@dataclass(frozen=True)
class Strange(hyperna.StepLaw, listed=False):
    """A law of a kind that kernels do not have."""

    def weights(self, resolution):
        return np.ones(resolution)

    def steps(self, resolution, unit=1):
        return LawData(ADAPTIVE + 1, resolution, scale=1.0)


def test_a_kind_of_law_without_a_kernel_is_refused():
    with pytest.raises(ValueError, match="law"):
        hyperna.OnePlusOneNA(mutation=Strange()).run(problem("half"), seed=0)


class Whim(NamedTuple):
    """A way to choose without a function of its own."""

    members: int = 1
    offspring: int = 1
    best_at_once: bool = True


@dataclass(frozen=True)
class WhimNA(PopulationNA):
    def population(self, units):
        return Whim()


def test_a_way_to_choose_that_nobody_wrote_is_refused():
    with pytest.raises(TypeError, match="Whim has no function 'select'"):
        select(Whim(), None, None, 0)
    with pytest.raises(TypeError, match="Whim has no function 'begin'"):
        WhimNA(resolution=8).run(problem("half"), seed=0)
