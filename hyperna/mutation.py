"""Step laws: how far a mutated component moves.

A law is a small frozen dataclass. A discrete one states its probabilities, `StepLaw.weights`; that
is enough to use it everywhere, up to a resolution of 2**22:

>>> import numpy as np
>>> from dataclasses import dataclass
>>> @dataclass(frozen=True)
... class Even(StepLaw):
...     summary = "even lengths only, all equally likely"
...     def weights(self, resolution):
...         return (np.arange(1, resolution + 1) % 2 == 0).astype(float)
>>> Even().pmf(5)
array([0. , 0.5, 0. , 0.5, 0. ])

A law that must reach larger resolutions overrides `StepLaw.steps` and returns one of the forms the
kernels know.
"""

import math
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hyperna._kernels.mutation import (
    ADAPTIVE,
    BLOCKS,
    BLOCKS_PER_OCTAVE,
    CAUCHY,
    CONSTANT,
    EXPONENTIAL,
    PARETO,
    TABLE,
    UNIFORM,
)
from hyperna._kernels.tables import LawData
from hyperna._validation import check_integer, check_real, read_settings
from hyperna._words import did_you_mean, parse_name, shown, write_name

_LARGEST_TABLE = 2**22
# Beyond this length an alias table falls out of the fast caches and blocks are the quicker way.
_POWER_LAW_TABLE = 2**11

LAWS: dict[str, type["StepLaw"]] = {}


@dataclass(frozen=True)
class StepLaw:
    """Base of all step laws; a subclass enters the registry `LAWS` under its name.

    Attributes
    ----------
    name : str
        Name in the registry and on the command line; the class name in snake case unless stated.
    summary : str
        One line for listings.
    continuous : bool
        Whether steps are real numbers. The parameters are then kept to 40 binary digits.
    steps_of_one : bool
        Whether all steps have the length 1, so that all neighbours can be looked at.

    Examples
    --------
    >>> LAWS["local"].summary
    'l = 1: to a neighbour on the grid'
    """

    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    continuous: ClassVar[bool] = False
    steps_of_one: ClassVar[bool] = False

    def __init_subclass__(cls, listed: bool = True) -> None:
        if not listed:
            return
        if "name" not in cls.__dict__:
            cls.name = "".join("_" + c.lower() if c.isupper() else c for c in cls.__name__)[1:]
        LAWS[cls.name] = cls

    def weights(self, resolution: int) -> NDArray[np.float64]:
        """Non-negative numbers proportional to the probabilities of the lengths 1..resolution."""
        known = sorted(name for name, cls in LAWS.items() if cls.weights is not StepLaw.weights)
        need = f"exact runtimes need one of {', '.join(known)}"
        raise TypeError(f"{type(self).__name__} has no table of probabilities; {need}")

    def pmf(self, resolution: int) -> NDArray[np.float64]:
        """Probabilities of the step lengths 1..resolution.

        Examples
        --------
        >>> Harmonic().pmf(2)
        array([0.66666667, 0.33333333])
        """
        largest = check_integer("resolution", resolution, 2, _LARGEST_TABLE)
        weight = np.asarray(self.weights(largest), dtype=float)
        if weight.shape != (largest,):
            raise ValueError(
                f"weights({largest}) of {self!r} must have shape ({largest},), got {weight.shape}"
            )
        if not (np.isfinite(weight).all() and (weight >= 0).all() and weight.sum() > 0):
            raise ValueError(f"weights of {self!r} must be finite, non-negative and not all zero")
        return weight / weight.sum()

    def steps(self, resolution: int, unit: int = 1) -> LawData:
        """Return the law as data for the kernels; a step of length 1 is `unit` grid units."""
        return LawData(TABLE, resolution, self.pmf(resolution))

    def __str__(self) -> str:
        return write_name(self.name, {f.name: _digits(getattr(self, f.name)) for f in fields(self)})


def _digits(value: float) -> str:
    """Return a number as text, as short as its value allows."""
    return f"{value:g}" if float(f"{value:g}") == value else repr(float(value))


class Powers(StepLaw, listed=False):
    """Base of laws with probabilities proportional to l**-exponent."""

    exponent: float

    def weights(self, resolution: int) -> NDArray[np.float64]:
        """Return weights of the lengths 1..resolution."""
        return np.arange(1, resolution + 1, dtype=float) ** -self.exponent

    def steps(
        self, resolution: int, unit: int = 1, longest_table: int = _POWER_LAW_TABLE
    ) -> LawData:
        """Return a table of lengths up to a resolution, else of the blocks of `_kernels.steps`."""
        exponent = float(self.exponent)
        if resolution <= longest_table:
            weight = np.arange(1, resolution + 1, dtype=float) ** -exponent
            return LawData(TABLE, resolution, weight / weight.sum())
        if exponent == 0:
            return LawData(UNIFORM, resolution)
        # lengths below 16 have a block each, every octave from there on has 16 blocks
        octaves = max(0, resolution.bit_length() - BLOCKS_PER_OCTAVE.bit_length() + 1)
        block = np.arange(BLOCKS_PER_OCTAVE * (1 + octaves))
        log_size = np.maximum(block // BLOCKS_PER_OCTAVE - 1, 0)
        mantissa = np.where(
            block < BLOCKS_PER_OCTAVE, block, block % BLOCKS_PER_OCTAVE + BLOCKS_PER_OCTAVE
        )
        first = mantissa * 2.0**log_size
        inside = (first >= 1) & (first <= resolution)
        weight = np.where(inside, 2.0**log_size * np.maximum(first, 1.0) ** -exponent, 0.0)
        return LawData(BLOCKS, resolution, weight, exponent=exponent)


@dataclass(frozen=True)
class PowerLaw(Powers):
    """P(l) proportional to l**-exponent on 1..r; exponent 1 is the harmonic law, 0 the uniform one.

    Examples
    --------
    >>> PowerLaw(exponent=2.0).pmf(3).round(3)
    array([0.735, 0.184, 0.082])
    """

    summary = "P(l) ~ l^-exponent, l = 1..r (heavy tail for exponents from 1 to 3)"
    exponent: float = 1.5

    def __post_init__(self) -> None:
        check_real("exponent", self.exponent, 0, 100)


@dataclass(frozen=True)
class Harmonic(Powers):
    """P(l) = 1 / (l H_r) on 1..r, the paper's law.

    Examples
    --------
    >>> Harmonic().pmf(3).round(4)
    array([0.5455, 0.2727, 0.1818])
    """

    summary = "P(l) = 1/(l H_r), l = 1..r: mostly small steps, sometimes a long one"
    exponent = 1.0


@dataclass(frozen=True)
class Local(StepLaw):
    """Steps of length 1 only (unit mutation).

    Examples
    --------
    >>> Local().pmf(3)
    array([1., 0., 0.])
    """

    summary = "l = 1: to a neighbour on the grid"
    steps_of_one = True

    def weights(self, resolution: int) -> NDArray[np.float64]:
        """Return weights of the lengths 1..resolution."""
        return (np.arange(resolution) == 0).astype(float)

    def steps(self, resolution: int, unit: int = 1) -> LawData:
        """Return the law as data for the kernels."""
        return LawData(CONSTANT, resolution)


@dataclass(frozen=True)
class Uniform(StepLaw):
    """All lengths 1..r equally likely.

    Examples
    --------
    >>> Uniform().pmf(4)
    array([0.25, 0.25, 0.25, 0.25])
    """

    summary = "l uniform on 1..r"

    def weights(self, resolution: int) -> NDArray[np.float64]:
        """Return weights of the lengths 1..resolution."""
        return np.ones(resolution)

    def steps(self, resolution: int, unit: int = 1) -> LawData:
        """Return the law as data for the kernels."""
        return LawData(UNIFORM, resolution)


@dataclass(frozen=True)
class ContinuousLaw(StepLaw, listed=False):
    """Base of laws with real-valued steps, whose parameters are positive numbers."""

    continuous = True

    def __post_init__(self) -> None:
        for field in fields(self):
            check_real(field.name, getattr(self, field.name), 0, low_open=True)

    def _check_fine(self, median: float, resolution: int, unit: int) -> None:
        """Refuse a law most of whose steps would be rounded to nothing."""
        if median * unit < 1:
            raise ValueError(
                f"mutation must have a median step of at least {1 / unit:g} grid steps at "
                f"resolution {resolution}, got {shown(self)} with {median:g}"
            )


@dataclass(frozen=True)
class Pareto(ContinuousLaw):
    """Real-valued steps from a Pareto law shifted to begin at 0: P(l > x) = (1 + x/scale)**-shape.

    Parameters
    ----------
    shape : float
        Tail index, at least 0.01; the mean is finite only above 1.
    scale : float
        In grid steps of the resolution.

    Examples
    --------
    >>> str(Pareto(shape=1.5))
    'pareto:shape=1.5,scale=1'
    """

    summary = "real-valued, P(l > x) = (1 + x/scale)^-shape, scale in grid steps"
    shape: float = 1.0
    scale: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        # below, nearly all steps are longer than any float and lead anywhere: uniform steps
        check_real("shape", self.shape, 0.01)

    def steps(self, resolution: int, unit: int = 1) -> LawData:
        """Return the law as data for the kernels."""
        median = self.scale * math.expm1(min(math.log(2) / self.shape, 700.0))
        self._check_fine(median, resolution, unit)
        return LawData(
            PARETO, resolution * unit, exponent=float(self.shape), scale=self.scale * unit
        )


@dataclass(frozen=True)
class Cauchy(ContinuousLaw):
    """Real-valued steps, the absolute value of a Cauchy variable.

    Parameters
    ----------
    scale : float
        Median step length, in grid steps of the resolution.

    Examples
    --------
    >>> Cauchy(scale=2.0).continuous
    True
    """

    summary = "real-valued, |Cauchy|, scale (the median) in grid steps"
    scale: float = 1.0

    def steps(self, resolution: int, unit: int = 1) -> LawData:
        """Return the law as data for the kernels."""
        self._check_fine(self.scale, resolution, unit)
        return LawData(CAUCHY, resolution * unit, scale=self.scale * unit)


@dataclass(frozen=True)
class Exponential(ContinuousLaw):
    """Real-valued, exponentially distributed steps.

    Parameters
    ----------
    scale : float
        Mean step length, in grid steps of the resolution.

    Examples
    --------
    >>> Exponential(scale=3.0)
    Exponential(scale=3.0)
    """

    summary = "real-valued, exponential, scale (the mean) in grid steps"
    scale: float = 1.0

    def steps(self, resolution: int, unit: int = 1) -> LawData:
        """Return the law as data for the kernels."""
        self._check_fine(self.scale * math.log(2), resolution, unit)
        return LawData(EXPONENTIAL, resolution * unit, scale=self.scale * unit)


@dataclass(frozen=True)
class Adaptive(StepLaw):
    """Each component has its own step length, which follows success, and now and then jumps.

    A component that was mutated in a step that improved the fitness multiplies its length by
    `growth` (up to a quarter of its range), otherwise by `decay` (down to 1); the step is the
    length rounded down. With probability `jump` a component takes a harmonic step instead, so that
    runs do not get stuck. If that improves the fitness and is longer, it sets the component's step
    length. Without jumps these are the self-adjusting steps of Doerr, Doerr and Kötzing (2018), who
    have growth 1.7 and decay 0.9.

    What other values cost is measured by ``benchmarks/adaptive_steps.py``; evaluations per success
    at r = 2**20:

    ===========================  =====  ========  =========
    steps                        HALF   QUARTER   LOCALOPT
    ===========================  =====  ========  =========
    growth 2, decay 0.7, jump ¼    198       422        545
    growth 1.3                     200       739        800
    growth 4                       223       407        527
    decay 0.5                      171       713        794
    decay 0.85                     377       505        636
    decay 0.95                     924     1,375      1,459
    jump 0                         246    10,218     32,903
    jump 0.1                       202       580      1,002
    jump 0.5                       234       414        452
    jump 1 (harmonic)              335       895        858
    ===========================  =====  ========  =========

    Examples
    --------
    >>> str(Adaptive())
    'adaptive:growth=2,decay=0.7,jump=0.25'
    >>> law("adaptive:growth=1.7,decay=0.9,jump=0")
    Adaptive(growth=1.7, decay=0.9, jump=0.0)
    """

    summary = "step length per component that follows success, with occasional harmonic steps"
    growth: float = 2.0
    decay: float = 0.7
    jump: float = 0.25

    def __post_init__(self) -> None:
        check_real("growth", self.growth, 1, 1e6, low_open=True)
        check_real("decay", self.decay, 0, 1, low_open=True, high_open=True)
        check_real("jump", self.jump, 0, 1)

    def steps(self, resolution: int, unit: int = 1) -> LawData:
        """Return the law as data for the kernels."""
        jumps = Harmonic().steps(resolution, longest_table=0)
        return jumps._replace(
            kind=ADAPTIVE,
            growth=float(self.growth),
            decay=float(self.decay),
            jump=float(self.jump),
        )


def law(mutation: str | StepLaw) -> StepLaw:
    """Find a law by its name, optionally with parameters as in ``"pareto:shape=1.5,scale=2"``.

    Examples
    --------
    >>> law("harmonic")
    Harmonic()
    >>> law("pareto:shape=1.5")
    Pareto(shape=1.5, scale=1.0)
    """
    if isinstance(mutation, StepLaw):
        return mutation
    if not isinstance(mutation, str):
        raise TypeError(f"mutation must be a name or a StepLaw, got {shown(mutation)}")
    if mutation in LAWS:
        return LAWS[mutation]()
    name, texts = parse_name("mutation", mutation)
    if name not in LAWS:
        known = ", ".join(sorted(LAWS))
        hint = did_you_mean(name, LAWS)
        raise ValueError(f"mutation must be one of {known}, got {shown(mutation)}{hint}")
    cls = LAWS[name]
    kinds = {entry.name: float for entry in fields(cls)}
    return cls(**read_settings("mutation", name, texts, kinds))
