"""Problems and laws that do not come with hyperna, on their way to the server's workers.

A worker is a new process, which knows those of hyperna only. What stands behind the other names of
a question is sent with it, as with the settings of a campaign: `hyperna.experiments.own_parts`.
"""

import base64
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from hyperna.experiments.own_parts import pack_own_parts, register_own_parts


def own_of(question: Any) -> str:
    """Return what a worker needs to know the names of a question, as text; empty for nothing.

    Examples
    --------
    >>> own_of({"setting": {"problem": "half", "mutation": "local"}, "first": 0})
    ''
    """
    setting = question.get("setting", question) if isinstance(question, Mapping) else {}
    if not isinstance(setting, Mapping):
        return ""
    named = {key: setting.get(key) for key in ("problem", "mutation")}
    return base64.b64encode(pack_own_parts(SimpleNamespace(**named, algorithm="na"))).decode()


def register_own(text: str) -> None:
    """Enter what `own_of` returned where names are looked up."""
    register_own_parts(base64.b64decode(text))
