"""CMA-ES, by the package `cma`."""

import warnings
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from hyperna._validation import check_choice, check_real
from hyperna.baselines.base import Baseline, Error, register
from hyperna.baselines.space import Space


@register
@dataclass(frozen=True)
class CmaEs(Baseline):
    """CMA-ES in the box with its default stopping rules; as in the paper from the origin.

    Parameters
    ----------
    representation : {"polar", "cartesian"}
        See `Baseline`.
    sigma : float
        Standard deviation of the first generation.
    start : {"origin", "random"}
        Mean of the first generation: the origin, or uniform in the box, drawn again at a restart.
    """

    name: ClassVar[str] = "cma_es"
    summary: ClassVar[str] = (
        "CMA-ES (package cma), its own stopping rules, from the origin or start=random"
    )
    package: ClassVar[str | None] = "cma"

    sigma: float = 1.0
    start: str = field(default="origin", metadata={"written": False})

    def __post_init__(self) -> None:
        super().__post_init__()
        check_real("sigma", self.sigma, 0, low_open=True)
        check_choice("start", self.start, ("origin", "random"))

    def search(self, error: Error, space: Space, rng: np.random.Generator, budget: int) -> None:
        """Ask and tell until one of the stopping rules holds."""
        import cma

        options = {
            "bounds": [space.low.tolist(), space.high.tolist()],
            # cma would seed NumPy's global generator.
            "seed": np.nan,
            "randn": lambda *shape: rng.standard_normal(shape),
            "verbose": -9,
            "verb_log": 0,
        }
        mean = np.zeros(space.size)
        if self.start == "random":
            mean = rng.uniform(space.low, space.high)
        with warnings.catch_warnings():
            # cma warns of flat fitness, which is the nature of these problems.
            warnings.simplefilter("ignore")
            strategy = cma.CMAEvolutionStrategy(mean, self.sigma, options)
            while not strategy.stop():
                X = strategy.ask()
                strategy.tell(X, error(np.array(X)).tolist())
