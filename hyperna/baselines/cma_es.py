"""CMA-ES, by the package `cma`."""

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hyperna._validation import check_real
from hyperna.baselines.base import Baseline, Error, register
from hyperna.baselines.space import Space


@register
@dataclass(frozen=True)
class CmaEs(Baseline):
    """CMA-ES with the settings of the paper: from the origin, in the box, default stopping rules.

    Parameters
    ----------
    representation : {"polar", "cartesian"}
        See `Baseline`.
    sigma : float
        Standard deviation of the first generation.
    """

    name: ClassVar[str] = "cma_es"
    summary: ClassVar[str] = "CMA-ES (package cma), started at the origin, its own stopping rules"
    package: ClassVar[str | None] = "cma"

    sigma: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_real("sigma", self.sigma, 0, low_open=True)

    def search(self, error: Error, space: Space, rng: np.random.Generator, budget: int) -> None:
        """Ask and tell until one of the stopping rules holds."""
        import cma

        def randn(*shape: int) -> Any:
            return rng.standard_normal(shape)

        options = {
            "bounds": [space.low.tolist(), space.high.tolist()],
            # cma would seed NumPy's global generator.
            "seed": np.nan,
            "randn": randn,
            "verbose": -9,
            "verb_log": 0,
        }
        with warnings.catch_warnings():
            # cma warns of flat fitness, which is the nature of these problems.
            warnings.simplefilter("ignore")
            strategy = cma.CMAEvolutionStrategy(np.zeros(space.size), self.sigma, options)
            while not strategy.stop():
                X = strategy.ask()
                strategy.tell(X, error(np.array(X)).tolist())
