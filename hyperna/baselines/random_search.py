"""Random search."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hyperna.baselines.base import Baseline, Error, register
from hyperna.baselines.space import Space

_AT_ONCE = 256


@register
@dataclass(frozen=True)
class RandomSearch(Baseline):
    """Independent points, uniform in the box: what any algorithm should beat."""

    name: ClassVar[str] = "random_search"
    summary: ClassVar[str] = "independent uniform points, until the budget is spent"

    def search(self, error: Error, space: Space, rng: np.random.Generator, budget: int) -> None:
        """Draw points until the budget is spent."""
        while True:
            error(rng.uniform(space.low, space.high, (min(budget, _AT_ONCE), space.size)))
