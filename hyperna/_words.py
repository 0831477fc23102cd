"""Words: numbers for people, values shown briefly, names that are near, ``name:key=value``."""

import difflib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

# What is longer is shortened in messages.
_LONGEST = 60
# What is larger is written with an exponent.
_VERY_LARGE = 1e9
# Stands for a number that is not there.
NOTHING = "–"


def counted(number: int, noun: str, form: str = ",") -> str:
    """Return a number with its noun, in the singular if it is one.

    Examples
    --------
    >>> counted(1, "run"), counted(0, "success"), counted(12345, "run"), counted(4096, "point", "d")
    ('1 run', '0 successes', '12,345 runs', '4096 points')
    """
    return f"{number:{form}} {plural(noun, number)}"


def plural(noun: str, number: int) -> str:
    """Return a noun as it goes with a number.

    Examples
    --------
    >>> plural("resolution", 1), plural("resolution", 3), plural("success", 2)
    ('resolution', 'resolutions', 'successes')
    """
    if number == 1:
        return noun
    return f"{noun}es" if noun.endswith("s") else f"{noun}s"


def are(number: int) -> str:
    """Return the verb that goes with a number.

    Examples
    --------
    >>> are(1), are(2)
    ('is', 'are')
    """
    return "is" if number == 1 else "are"


def shown(value: Any) -> str:
    """Return a representation of a value that fits into an error message.

    Examples
    --------
    >>> shown("nor"), len(shown("x" * 100_000)), shown(10**5000)
    ("'nor'", 60, 'a int of enormous size')
    """
    try:
        text = repr(value[: 2 * _LONGEST] if isinstance(value, str | bytes) else value)
    except (ValueError, RecursionError):  # as of integers with more than 4300 digits
        text = f"a {type(value).__name__} of enormous size"
    return shortened(" ".join(text.split()))


def shortened(text: str, longest: int = _LONGEST) -> str:
    """Return a text, or its beginning if it is too long.

    Examples
    --------
    >>> shortened("a longer text", 9)
    'a long...'
    """
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def listed(names: Iterable[str], most: int = 20) -> str:
    """Return names separated by commas, only the first ones if there are many.

    Examples
    --------
    >>> listed(["a", "b"]), listed(map(str, range(1000)), 3)
    ('a, b', '0, 1, 2, ... (1,000 in all)')
    """
    every = list(names)
    text = ", ".join(shortened(name) for name in every[:most])
    return text if len(every) <= most else f"{text}, ... ({len(every):,} in all)"


def list_item(name: str) -> str:
    """Return a name as one of a list, in quotes if it has a comma.

    Examples
    --------
    >>> list_item("blue"), list_item("blue, grey")
    ('blue', "'blue, grey'")
    """
    return repr(name) if "," in name else name


def joined(words: Sequence[str]) -> str:
    """Return words as a list in a sentence.

    Examples
    --------
    >>> joined(["a"]), joined(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def did_you_mean(value: Any, choices: Iterable[str]) -> str:
    """Return the end of an error message that names the choice nearest to value, if one is near.

    Examples
    --------
    >>> did_you_mean("quater", ("half", "quarter")), did_you_mean("x", ("half", "quarter"))
    ("; did you mean 'quarter'?", '')
    >>> did_you_mean("sexx", ("Sex", "Species"))
    "; did you mean 'Sex'?"
    """
    lower = value[: 2 * _LONGEST].lower() if isinstance(value, str) else ""
    by_lower = {choice.lower(): choice for choice in choices}
    near = difflib.get_close_matches(lower, by_lower, 1)
    return f"; did you mean {by_lower[near[0]]!r}?" if near else ""


def number(value: float, digits: int | None = None) -> str:
    """Return a number for people, with a fixed number of digits after the point if given.

    Examples
    --------
    >>> number(12345.6), number(12.34), number(7), number(math.inf), number(0.5, 3)
    ('12,346', '12.3', '7', '∞', '0.500')
    """
    if math.isnan(value):
        return NOTHING
    if math.isinf(value):
        return "∞"
    if digits is None:
        digits = 0 if abs(value) >= 100 or value == int(value) else 1
    return f"{value:,.{digits}f}"


def significant(value: float) -> str:
    """Return a number with three significant digits, large ones without an exponent.

    Examples
    --------
    >>> significant(1093.2), significant(-52.44), significant(0.01234), significant(3e12)
    ('1,090', '-52.4', '0.0123', '3e+12')
    """
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if 1000 <= abs(rounded) < _VERY_LARGE else f"{rounded:.3g}"


def roundest(low: float, high: float, wanted: float, slack: float = math.inf) -> float:
    """Return a number between low and high with few digits, in the middle half if both are finite.

    It is the one nearest to the wanted number among those with the fewest digits, and differs from
    it by `slack` at most if that is possible.

    Examples
    --------
    >>> roundest(49.0, 51.7, 50.3), roundest(2.34, 2.51, 2.4), roundest(-math.inf, 0.2, -4.321)
    (50.0, 2.4, -4.0)
    """
    nearer = max(low, wanted - slack), min(high, wanted + slack)
    low, high = nearer if nearer[0] < nearer[1] else (low, high)
    if math.isfinite(low) and math.isfinite(high):
        low, high = 0.75 * low + 0.25 * high, 0.25 * low + 0.75 * high
        wanted = min(max(wanted, low), high)
    elif not low < wanted < high:
        wanted = high - 1.0 if math.isfinite(high) else low + 1.0
    size = max(filter(math.isfinite, map(abs, (low, high, wanted))), default=0.0) or 1.0
    first = -math.floor(math.log10(size))
    for decimals in range(first, first + 19):
        if abs(decimals) > 300:
            break
        step = 10.0**-decimals
        for near in (wanted, wanted - step, wanted + step):
            value = round(near, decimals)
            if low <= value <= high:
                return float(value) + 0.0
    return float(wanted)


def percent(share: float) -> str:
    """Return a share in percent.

    Examples
    --------
    >>> percent(0.125)
    '12.5 %'
    """
    return f"{number(100 * share, 1)} %"


def interval(ends: Sequence[float], write: Callable[[float], str] = number) -> str:
    """Return the two ends of an interval.

    Examples
    --------
    >>> interval((98, 131)), interval((math.nan, math.nan))
    ('98 … 131', '–')
    """
    low, high = ends
    return NOTHING if math.isnan(low) else f"{write(low)} … {write(high)}"


def with_interval(
    value: float, ends: Sequence[float], write: Callable[[float], str] = number
) -> str:
    """Return a number and its interval.

    Examples
    --------
    >>> with_interval(115, (98, 131)), with_interval(115, (math.nan, math.nan))
    ('115 (98 … 131)', '115')
    """
    written = interval(ends, write)
    return write(value) if written == NOTHING else f"{write(value)} ({written})"


def finite(value: Any) -> Any:
    """Return a value as JSON can hold it: None instead of NaN and infinities, inside it too.

    Examples
    --------
    >>> finite({"mean": math.inf, "runs": (1, 2)})
    {'mean': None, 'runs': [1, 2]}
    """
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


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
    written = ""
    for key, value in settings.items():
        text = str(value).lower() if isinstance(value, bool) else value
        written += f",{key}={text}" if written else f"{key}={text}"
    return f"{name}:{written}" if written else name


def sum_text(terms: Iterable[tuple[float, str]], digits: int | None) -> str:
    """Return the text of a sum of weights times names, without weights that are exactly zero.

    Examples
    --------
    >>> sum_text([(-0.5, "a"), (0.0, "b"), (1.0, "c")], 3)
    '-0.5*a + c'
    """
    return " ".join(summands(terms, digits)) or "0"


def summands(terms: Iterable[tuple[float, str]], digits: int | None) -> list[str]:
    """Return the parts of a sum, each with its sign, between which a line may be broken.

    Examples
    --------
    >>> summands([(-0.5, "a"), (0.0, "b"), (1.0, "c")], 3)
    ['-0.5*a', '+ c']
    """
    parts: list[str] = []
    for weight, name in terms:
        if weight != 0:
            size = number_text(abs(weight), digits)
            sign = "-" if weight < 0 else ""
            if parts:
                sign = "- " if weight < 0 else "+ "
            parts.append(sign + (name if size == "1" else f"{size}*{name}"))
    return parts


def number_text(value: float, digits: int | None) -> str:
    """Return a number with so many significant digits; None: with all it has."""
    if digits is not None and digits < 16:
        return f"{value:.{digits}g}"
    plain = f"{value:.15g}"
    return plain if float(plain) == value else repr(value)
