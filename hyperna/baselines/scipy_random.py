"""How SciPy takes a random generator: as `rng` since 1.15, as `seed` before."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np


def random_argument(function: Callable[..., Any], rng: np.random.Generator) -> dict[str, Any]:
    """Return the keyword argument by which a SciPy function takes its random generator."""
    return {"rng" if "rng" in inspect.signature(function).parameters else "seed": rng}
