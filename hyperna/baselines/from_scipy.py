"""Differential evolution and dual annealing, by SciPy."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hyperna.baselines.base import Baseline, Error, register
from hyperna.baselines.space import Space


def _minimise(
    function: Callable[..., Any],
    error: Error,
    space: Space,
    rng: np.random.Generator,
    **options: Any,
) -> None:
    """Call one of SciPy's functions, which take a generator as `rng` since 1.15, before as `seed`.

    They call a function of one point.
    """
    generator = "rng" if "rng" in inspect.signature(function).parameters else "seed"
    box = list(zip(space.low, space.high, strict=True))
    function(lambda x: float(error(x[None])[0]), box, **{generator: rng}, **options)


@register
@dataclass(frozen=True)
class DifferentialEvolution(Baseline):
    """SciPy's differential evolution with its default settings, polishing included."""

    name: ClassVar[str] = "differential_evolution"
    summary: ClassVar[str] = "differential evolution (SciPy) with its default settings"

    def search(self, error: Error, space: Space, rng: np.random.Generator, budget: int) -> None:
        """Run until the population has converged."""
        from scipy.optimize import differential_evolution

        _minimise(differential_evolution, error, space, rng)


@register
@dataclass(frozen=True)
class DualAnnealing(Baseline):
    """SciPy's dual annealing (generalised simulated annealing with local searches), defaults."""

    name: ClassVar[str] = "dual_annealing"
    summary: ClassVar[str] = "dual annealing (SciPy) with its default settings"

    def search(self, error: Error, space: Space, rng: np.random.Generator, budget: int) -> None:
        """Run the default number of iterations."""
        from scipy.optimize import dual_annealing

        _minimise(dual_annealing, error, space, rng, maxfun=max(budget, 1))
