"""Differential evolution, by SciPy."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hyperna.baselines.base import Baseline, Error, register
from hyperna.baselines.scipy_random import random_argument
from hyperna.baselines.space import Space


@register
@dataclass(frozen=True)
class DifferentialEvolution(Baseline):
    """SciPy's differential evolution with its default settings, polishing included."""

    name: ClassVar[str] = "differential_evolution"
    summary: ClassVar[str] = "differential evolution (SciPy) with its default settings"

    def search(self, error: Error, space: Space, rng: np.random.Generator, budget: int) -> None:
        """Run until the population has converged."""
        from scipy.optimize import differential_evolution

        box = list(zip(space.low, space.high, strict=True))
        differential_evolution(
            lambda x: float(error(x[None])[0]), box, **random_argument(differential_evolution, rng)
        )
