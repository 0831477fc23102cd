"""The keys of a setting: the options of a run under the names that files and keywords have.

They are the options of ``hyperna run``, the keys of a campaign file and the keywords of `setting`;
`hyperna.run.description` says what each may be and means.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from hyperna._validation import check_flag
from hyperna._words import did_you_mean
from hyperna.run.description import EVERY, OPTIONS

# Those that every algorithm knows.
COMMON = frozenset(name for name, option in OPTIONS.items() if option.used_by == EVERY)
# A file cannot write None; this word stands for it in lists of values.
DEFAULT = "default"


def plain_keys(options: Mapping[str, Any], others: Sequence[str] = ()) -> dict[str, Any]:
    """Return the options under their names; ``no-bias`` is the opposite of the flag ``bias``.

    `others` names further keys that are allowed, to be suggested for an unknown one.
    """
    plain: dict[str, Any] = {}
    for key, value in options.items():
        name = str(key).replace("-", "_")
        flag = name.removeprefix("no_")
        if flag != name and flag in OPTIONS and OPTIONS[flag].flag and OPTIONS[flag].default:
            name, value = flag, opposite(name, value)
        if name not in OPTIONS:
            known = [*OPTIONS, *others]
            hint = did_you_mean(name, known) or f"; known are {', '.join(known)}"
            raise ValueError(f"unknown key {str(key)[:60]!r}{hint}")
        if name in plain:
            raise ValueError(f"{name} is given twice, once as {key!r}")
        plain[name] = value
    return plain


def opposite(name: str, value: Any) -> Any:
    """Return the negation of a boolean or of each in a list; `name` is for messages."""
    if isinstance(value, list | tuple):
        return [opposite(name, item) for item in value]
    return not check_flag(name, value)


def is_default(value: Any) -> bool:
    """Whether a value stands for the default."""
    return value is None or (isinstance(value, str) and value == DEFAULT)
