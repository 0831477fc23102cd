"""Exact runtimes of one neuron as the page reads them."""

import base64
from typing import Any

import numpy as np

from hyperna._words import finite
from hyperna.problems import Problem
from hyperna.theory import expected_runtime

# Numbers from 0 to 1 are stored as whole numbers up to this, in two bytes.
_FINE = 2**16 - 1


def exact_runtime(
    problem: Problem | str, resolution: int, mutation: str, states: bool
) -> dict[str, Any]:
    """Return the expected runtime and success probability of one neuron, of all `states` too.

    The mean is None where it is infinite. `chances` are the success probabilities of all states
    where some are less than 1, else `times` are the expected evaluations left, as shares of `most`.

    Examples
    --------
    >>> found = exact_runtime("quarter", 120, "harmonic", states=False)
    >>> round(found["mean"], 2), found["probability"]
    (115.19, 1.0)
    """
    runtime = expected_runtime(problem, resolution, mutation)
    found = {"mean": finite(runtime.mean), "probability": runtime.probability}
    if not states:
        return found
    if runtime.probability < 1:
        return {**found, "chances": pack(runtime.per_state_probability), "times": None}
    # The evaluation of the present state is behind us.
    left = runtime.per_state - 1.0
    most = float(left.max())
    return {**found, "chances": None, "times": {"most": most, "shares": pack(left / most)}}


def pack(shares: Any) -> str:
    """Return numbers from 0 to 1 as text: two bytes each, the lower one first, in base 64.

    Examples
    --------
    >>> pack([0.0, 1.0])
    'AAD//w=='
    """
    whole = np.rint(np.asarray(shares) * _FINE).astype("<u2")
    return base64.b64encode(whole.tobytes()).decode()
