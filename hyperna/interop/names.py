"""Names and numbers under which IOHprofiler knows problems."""

import re
import zlib

from hyperna.network.grid import Grid

# ioh numbers what it wraps from 10,000 on, in the order of wrapping; readers keep 16 bits.
_FIRST_ID, _LAST_ID = 20_000, 65_535


def function_name(problem: str, grid: Grid, points: str = "") -> str:
    """Return a name that tells apart what has different fitness functions.

    Examples
    --------
    >>> function_name("quarter", Grid(dim=2, neurons=1, resolution=120))
    'quarter D=2 N=1 or r=120'
    """
    kind = "" if grid.neuron == "plain" else f" {grid.neuron}"
    described = f"{problem} D={grid.dim} N={grid.neurons}{kind} {grid.output} r={grid.resolution}"
    return f"{described} {points}".rstrip()


def function_id(name: str) -> int:
    """Return a number for a function that depends on its name only, not on the order of use.

    Two of a thousand functions may well get the same number; where several are written at once, the
    later one gets the next free number.

    Examples
    --------
    >>> function_id("quarter D=2 N=1 or r=120")
    50314
    """
    return _FIRST_ID + zlib.crc32(name.encode()) % (_LAST_ID - _FIRST_ID + 1)


def distinct_ids(names: list[str]) -> dict[str, int]:
    """Return different numbers for different names, `function_id` where that is still free.

    Examples
    --------
    >>> distinct_ids(["half", "quarter", "half"])["half"] == function_id("half")
    True
    """
    ids: dict[str, int] = {}
    taken: set[int] = set()
    for name in sorted(set(names)):
        number = function_id(name)
        while number in taken:
            number = _FIRST_ID + (number + 1 - _FIRST_ID) % (_LAST_ID - _FIRST_ID + 1)
        taken.add(number)
        ids[name] = number
    return ids


def file_name(text: str) -> str:
    """Return the text as part of a file's name: letters, digits, points and hyphens.

    Examples
    --------
    >>> file_name("<b>../quarter D=2")
    'b-..-quarter-D-2'
    """
    return re.sub(r"[^A-Za-z0-9._]+", "-", text).strip("-.")[:80] or "problem"
