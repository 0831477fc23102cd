"""What a baseline is, and the registry that finds one by its name."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, TypeVar

import numpy as np

from hyperna._validation import FloatArray, check_choice, check_extra, read_settings
from hyperna._words import parse_name, shown
from hyperna.baselines.space import REPRESENTATIONS, Space

Error = Callable[[FloatArray], FloatArray]


@dataclass(frozen=True)
class Baseline(ABC):
    """A search algorithm for real-valued parameters.

    A subclass has a `name`, a one-line `summary`, the `package` it needs beyond hyperna's own
    requirements (if any), its settings as fields, and the method `search`. A field that is added
    later has the metadata ``{"written": False}``: its default is then no part of the name under
    which campaigns keep runs, so that stored ones stay what they are.

    Parameters
    ----------
    representation : {"polar", "cartesian"}
        Whether a neuron is given by angles and bias, or by weights and threshold.

    Examples
    --------
    >>> baseline("random_search").name
    'random_search'
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    package: ClassVar[str | None] = None

    representation: str = "polar"

    def __post_init__(self) -> None:
        check_choice("representation", self.representation, REPRESENTATIONS)
        if self.package is not None:
            check_extra(f"algorithm {self.name!r} needs", self.package, "baselines")

    @abstractmethod
    def search(self, error: Error, space: Space, rng: np.random.Generator, budget: int) -> None:
        """Minimise `error` over the box of the space until the algorithm stops by itself.

        Parameters
        ----------
        error : callable
            Takes an array (n, parameters) and returns n shares of wrong answers. It counts, keeps
            the best, and ends the run by an exception which is not to be caught.
        space : Space
            The box: ``space.low`` and ``space.high``.
        rng : numpy Generator
            The only source of randomness.
        budget : int
            Evaluations left.
        """


BASELINES: dict[str, type[Baseline]] = {}

Class = TypeVar("Class", bound=type[Baseline])


def register(entry: Class) -> Class:
    """Enter the decorated class into `BASELINES`."""
    BASELINES[entry.name] = entry
    return entry


def baseline(which: "str | Baseline", **settings: Any) -> Baseline:
    """Return a baseline by its name, with settings as keywords or in the name.

    Examples
    --------
    >>> baseline("random_search:representation=cartesian")
    RandomSearch(representation='cartesian')
    >>> baseline("random_search", sigma=2)
    Traceback (most recent call last):
    ...
    ValueError: algorithm 'random_search' has no setting 'sigma'; its settings: representation
    """
    if isinstance(which, Baseline):
        if settings:
            raise ValueError(f"{', '.join(settings)} must be left out: {which!r} has its settings")
        return which
    if not isinstance(which, str):
        raise TypeError(f"algorithm must be a name such as 'cma_es', got {shown(which)}")
    name, parsed = parse_name("algorithm", which)
    entry = BASELINES[check_choice("algorithm", name, BASELINES)]
    known = {field.name: field.type for field in fields(entry)}
    return entry(**read_settings("algorithm", name, {**parsed, **settings}, known))
