"""The (1+1) evolution strategies of nevergrad."""

import warnings
from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from hyperna.baselines.base import Baseline, Error, register
from hyperna.baselines.space import Space


def _imported() -> Any:
    """Import nevergrad, which draws from NumPy's global generator when it is first loaded."""
    state = np.random.get_state()  # noqa: NPY002
    try:
        return import_module("nevergrad")
    finally:
        np.random.set_state(state)  # noqa: NPY002


@dataclass(frozen=True)
class _Nevergrad(Baseline):
    """An optimiser of nevergrad's registry, in the middle of the box at first."""

    package: ClassVar[str | None] = "nevergrad"
    optimizer: ClassVar[str]

    def search(self, error: Error, space: Space, rng: np.random.Generator, budget: int) -> None:
        """Ask and tell until the budget is spent."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            nevergrad = _imported()
            parameters = nevergrad.p.Array(init=(space.low + space.high) / 2)
            # Before anything else, or nevergrad seeds itself from NumPy's global generator.
            parameters.random_state = np.random.RandomState(rng.integers(2**32))
            parameters.set_bounds(space.low, space.high)
            made = nevergrad.optimizers.registry[self.optimizer](parameters, budget=budget)
            for _ in range(budget):
                candidate = made.ask()
                made.tell(candidate, float(error(candidate.value[None])[0]))


@register
@dataclass(frozen=True)
class OnePlusOne(_Nevergrad):
    """Gaussian mutation of all components, step size adapted by the one-fifth rule."""

    name: ClassVar[str] = "one_plus_one_es"
    summary: ClassVar[str] = "(1+1) ES with the one-fifth rule (nevergrad OnePlusOne)"
    optimizer: ClassVar[str] = "OnePlusOne"


@register
@dataclass(frozen=True)
class CauchyOnePlusOne(_Nevergrad):
    """Cauchy mutation of all components, step size adapted by the one-fifth rule."""

    name: ClassVar[str] = "cauchy_one_plus_one_es"
    summary: ClassVar[str] = "(1+1) ES with Cauchy mutation (nevergrad CauchyOnePlusOne)"
    optimizer: ClassVar[str] = "CauchyOnePlusOne"


@register
@dataclass(frozen=True)
class DiscreteOnePlusOne(_Nevergrad):
    """Each component drawn again with probability 1/n, as in the (1+1) EA."""

    name: ClassVar[str] = "discrete_one_plus_one_es"
    summary: ClassVar[str] = "(1+1) EA that redraws components (nevergrad DiscreteOnePlusOne)"
    optimizer: ClassVar[str] = "DiscreteOnePlusOne"
