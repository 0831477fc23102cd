"""How things are written: ``name:key=value,key=value`` for parts, ``0-90 180-270`` for arcs."""

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from hyperna._words import did_you_mean, shown

_END = r"\s*(\d+(?:\.\d*)?(?:/\d+)?)\s*"


def parse_name(what: str, text: str) -> tuple[str, dict[str, str]]:
    """Return the name and the parameters of a text such as ``"pareto:shape=1.5,scale=2"``.

    Examples
    --------
    >>> parse_name("mutation", "pareto:shape=1.5, scale=2")
    ('pareto', {'shape': '1.5', 'scale': '2'})
    >>> parse_name("mutation", "pareto:1.5")
    Traceback (most recent call last):
    ...
    ValueError: mutation must be written as 'name' or 'name:key=value,key=value', got 'pareto:1.5'
    """
    name, _, rest = text.partition(":")
    parameters: dict[str, str] = {}
    for piece in filter(None, map(str.strip, rest.split(","))):
        key, equals, value = map(str.strip, piece.partition("="))
        if not (key and equals and value) or key in parameters:
            once = f"; {key} is given twice" if key in parameters else ""
            raise ValueError(
                f"{what} must be written as 'name' or 'name:key=value,key=value', "
                f"got {text[:60]!r}{once}"
            )
        parameters[key] = value
    return name.strip(), parameters


def write_name(name: str, settings: Mapping[str, Any]) -> str:
    """Write a name with its parameters, as `parse_name` reads them.

    Examples
    --------
    >>> write_name("pareto", {"shape": 1.5, "scale": 2}), write_name("harmonic", {})
    ('pareto:shape=1.5,scale=2', 'harmonic')
    """
    written = ",".join(map("{}={}".format, settings, settings.values()))
    return f"{name}:{written}" if written else name


def check_settings(what: str, name: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse settings that a law, an algorithm, ... does not have.

    Examples
    --------
    >>> check_settings("mutation", "pareto", ["shap"], ["shape", "scale"])
    Traceback (most recent call last):
    ...
    ValueError: mutation 'pareto' has no setting 'shap'; its settings: shape, scale; \
did you mean 'shape'?
    """
    names = list(known)
    for key in given:
        if key not in names:
            listed = (", ".join(names) or "none") + did_you_mean(key, names)
            raise ValueError(f"{what} {name!r} has no setting {shown(key)}; its settings: {listed}")


def read_settings(
    what: str, name: str, texts: Mapping[str, str], kinds: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the settings that `parse_name` found, as values of the kinds they should be.

    Examples
    --------
    >>> read_settings("mutation", "pareto", {"scale": "2"}, {"shape": float, "scale": float})
    {'scale': 2.0}
    """
    check_settings(what, name, texts, kinds)
    values = {}
    for key, text in texts.items():
        try:
            values[key] = kinds[key](text)
        except ValueError:
            number = "an integer" if kinds[key] is int else "a number"
            raise ValueError(f"{what} setting {key} must be {number}, got {shown(text)}") from None
    return values


def parse_arcs(text: str) -> list[tuple[Fraction, Fraction]]:
    """Read arcs in degrees, exactly, counter-clockwise from start to end.

    Arcs are separated by spaces or commas. An end that is smaller than its start lies in the next
    turn.

    Examples
    --------
    >>> parse_arcs("0-90, 180-202.5")
    [(Fraction(0, 1), Fraction(90, 1)), (Fraction(180, 1), Fraction(405, 2))]
    >>> parse_arcs("350-10")
    [(Fraction(350, 1), Fraction(370, 1))]
    """
    arcs = []
    for item in re.split(r"\s*,\s*|(?<![\s-])\s+(?![\s-])", text.strip()):
        match = re.fullmatch(f"{_END}-{_END}", item)
        if match is None or any(end.endswith("/0") for end in match.groups()):
            raise ValueError(
                f"arcs must be written in degrees as '0-90 180-270', got {item[:60]!r}"
            )
        start, end = (_fraction(written) for written in match.groups())
        arcs.append((start, end if end >= start else end + 360))
    return arcs


def write_arcs(
    arcs: list[tuple[Fraction, Fraction]] | tuple[tuple[Fraction, Fraction], ...],
) -> str:
    """Write arcs, given in turns, as `parse_arcs` reads them.

    Examples
    --------
    >>> write_arcs([(Fraction(0), Fraction(1, 4)), (Fraction(35, 36), Fraction(37, 36))])
    '0-90 350-370'
    """
    return " ".join(f"{360 * start}-{360 * end}" for start, end in arcs)


def _fraction(text: str) -> Fraction:
    above, _, below = text.partition("/")
    return Fraction(above) / Fraction(below or 1)
