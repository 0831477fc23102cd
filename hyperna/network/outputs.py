"""How the bits of the hidden neurons may be joined to the network's output: one object per kind.

A kind of output is added here; kernels that handle it specially know it by its code.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Output:
    """A kind of output.

    Attributes
    ----------
    name : str
        Name in Python, on the command line and in files.
    summary : str
        One line for listings.
    code : int
        What kernels call it.
    rule : callable or None
        Hidden bits (n, N) of two or more neurons to the network's answers (n,); None if an output
        neuron decides. One neuron answers for itself.
    words : callable or None
        Number of neurons to how many of them must hold, as in "if ANY of".

    Examples
    --------
    >>> import numpy as np
    >>> OUTPUTS["xor"].rule(np.array([[True, True], [True, False]]))
    array([False,  True])
    >>> OUTPUTS["and"].condition(3)
    'if ALL of'
    """

    name: str
    summary: str
    code: int
    rule: Callable[[Any], Any] | None = None
    words: Callable[[int], str] | None = None

    @property
    def evolved(self) -> bool:
        """Whether an output neuron joins the hidden bits."""
        return self.rule is None

    def condition(self, neurons: int) -> str:
        """Return what must hold of the hidden neurons, in words; nothing for an output neuron."""
        if neurons == 1 or self.words is None:
            return "if"
        return f"if {self.words(neurons)} of"


def _any(bits: Any) -> Any:
    return np.any(bits, axis=1)


def _all(bits: Any) -> Any:
    return np.all(bits, axis=1)


def _odd(bits: Any) -> Any:
    return np.sum(bits, axis=1) % 2 == 1


def _odd_words(neurons: int) -> str:
    return "EXACTLY ONE" if neurons == 2 else "an ODD NUMBER"


OUTPUTS: dict[str, Output] = {
    output.name: output
    for output in (
        Output("or", "1 where at least one hidden neuron fires", 0, _any, lambda n: "ANY"),
        Output("and", "1 where all hidden neurons fire", 1, _all, lambda n: "ALL"),
        Output("xor", "1 where an odd number of hidden neurons fires", 2, _odd, _odd_words),
        Output("evolved", "an output neuron over the hidden bits, evolved like the others", 3),
    )
}
