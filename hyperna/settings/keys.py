"""The keys of a setting: their names, their types, and texts that stand for values."""

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from hyperna._validation import check_choice, check_integer, check_real
from hyperna._words import did_you_mean
from hyperna.fitness.points import METHODS
from hyperna.grid import INITS, MAX_RESOLUTION
from hyperna.outputs import OUTPUTS

# A file cannot write None; this word stands for it in lists of values.
DEFAULT = "default"


def plain_keys(options: Mapping[str, Any], beside: Sequence[str] = ()) -> dict[str, Any]:
    """Return the options under the names of `CHECKS`; ``no-bias`` is the opposite of ``bias``.

    `beside` names other keys that may stand beside the options, to be meant by an unknown one.
    """
    plain: dict[str, Any] = {}
    for key, value in options.items():
        name = key.replace("-", "_")
        if name == "no_bias":
            name, value = "bias", opposite(value)
        if name not in CHECKS:
            known = [*CHECKS, *beside]
            hint = did_you_mean(name, known) or f"; known are {', '.join(known)}"
            raise ValueError(f"unknown key {key!r}{hint}")
        if name in plain:
            raise ValueError(f"{name} is given twice, once as {key!r}")
        plain[name] = value
    return plain


def opposite(value: Any) -> Any:
    """Return the negation of a boolean or of each in a list."""
    if isinstance(value, list | tuple):
        return [opposite(item) for item in value]
    return not _check_flag("no_bias", value)


def is_default(value: Any) -> bool:
    """Whether a value stands for the default."""
    return value is None or (isinstance(value, str) and value == DEFAULT)


def parse_degrees(text: str) -> list[tuple[Any, Any]]:
    """Read arcs such as "0-90, 180-202.5" in degrees, exactly, counter-clockwise.

    Examples
    --------
    >>> parse_degrees("350-10")
    [(Fraction(350, 1), Fraction(370, 1))]
    """
    arcs = []
    for item in text.split(","):
        match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*-\s*(\d+(?:\.\d*)?)\s*", item)
        if match is None:
            raise ValueError(f"arcs must be written as '0-90,180-270', got {item.strip()!r}")
        start, end = Fraction(match[1]), Fraction(match[2])
        arcs.append((start, end if end >= start else end + 360))
    return arcs


Check = Callable[[str, Any], Any]


def _integer(low: int, high: int | None = None) -> Check:
    return lambda key, value: check_integer(key, value, low, high)


def _choice(choices: tuple[str, ...]) -> Check:
    return lambda key, value: check_choice(key, value, choices)


def _check_flag(key: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{key} must be true or false, got {value!r}")
    return value


def _check_text(key: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{key} must be a text, got {value!r}")
    return value


def _check_probability(key: str, value: Any) -> float:
    return check_real(key, value, 0, 1, low_open=True)


def _check_target(key: str, value: Any) -> float | bool:
    if value is False:
        return False
    if isinstance(value, bool | str):
        raise TypeError(f"{key} must be a fitness from 0 to 1, false or 'default', got {value!r}")
    return check_real(key, value, 0, 1)


CHECKS: dict[str, Check] = {
    "algorithm": _check_text,
    "problem": _check_text,
    "dim": _integer(1),
    "k": _integer(1),
    "arcs": _check_text,
    "label": _check_text,
    "weight": _check_text,
    "scale": _check_flag,
    "points": _integer(1),
    "sampling": _choice(METHODS),
    "neurons": _integer(1),
    "output": _choice(tuple(OUTPUTS)),
    "resolution": _integer(2, MAX_RESOLUTION),
    "mutation": _check_text,
    "bias": _check_flag,
    "redraw_void": _check_flag,
    "mutation_probability": _check_probability,
    "init": _choice(INITS),
    "budget": _integer(1, 2**61),
    "stagnation": _integer(1, 2**61),
    "target": _check_target,
    "restarts": _integer(0, 2**31),
    "seed": _integer(0, 2**63 - 1),
}
# Keys that an algorithm must ask for.
SPECIAL = frozenset(
    {"mutation", "bias", "redraw_void", "mutation_probability", "init", "stagnation", "restarts"}
)
