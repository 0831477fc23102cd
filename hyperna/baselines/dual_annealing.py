"""Dual annealing, by SciPy."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hyperna.baselines.base import Baseline, Error, register
from hyperna.baselines.scipy_random import random_argument
from hyperna.baselines.space import Space


@register
@dataclass(frozen=True)
class DualAnnealing(Baseline):
    """SciPy's dual annealing (generalised simulated annealing with local searches), defaults."""

    name: ClassVar[str] = "dual_annealing"
    summary: ClassVar[str] = "dual annealing (SciPy) with its default settings"

    def search(self, error: Error, space: Space, rng: np.random.Generator, budget: int) -> None:
        """Run the default number of iterations."""
        from scipy.optimize import dual_annealing

        box = list(zip(space.low, space.high, strict=True))
        dual_annealing(
            lambda x: float(error(x[None])[0]),
            box,
            maxfun=max(budget, 1),
            **random_argument(dual_annealing, rng),
        )
