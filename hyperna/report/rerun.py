"""How to make the runs of a report again: a campaign file, single runs, versions."""

import importlib.metadata
import json
import platform
from collections.abc import Sequence
from typing import Any

from hyperna import __version__
from hyperna.experiments.setting import Setting

_LIBRARIES = ("numpy", "scipy", "numba", "matplotlib")


def campaign_toml(wanted: Sequence[tuple[Setting, int]]) -> str:
    """Return a campaign file with exactly these runs.

    A file of points is named without its folder: it belongs beside the campaign file.

    Examples
    --------
    >>> from hyperna.experiments.setting import setting
    >>> print(campaign_toml([(setting(problem="half", budget=99), 5)]))
    [[settings]]
    runs = 5
    algorithm = "na"
    bias = true
    budget = 99
    ...
    """
    blocks = []
    for setting, runs in wanted:
        lines = ["[[settings]]", f"runs = {runs}"]
        for key, value in options_of(setting).items():
            # JSON's escapes are TOML's, which wants one character more to be escaped.
            text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
            lines.append(f"{key} = {text}")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def options_of(setting: Setting) -> dict[str, Any]:
    """Return the options that give the setting; the digest of points is not one of them."""
    return {key: value for key, value in setting.canonical.items() if key != "data"}


def single_run(setting: Setting) -> str:
    """Return Python that repeats one run of a setting.

    Examples
    --------
    >>> from hyperna.experiments.setting import setting
    >>> code = single_run(setting(problem="half"))
    >>> scope = {}
    >>> exec(code, scope)
    >>> scope["result"].success
    True
    """
    options = "".join(f"    {key}={value!r},\n" for key, value in options_of(setting).items())
    return (
        "from hyperna.experiments.setting import setting\n\n"
        f"made = setting(\n{options})\n"
        f"assert made.id == {setting.id!r}\n"
        "result = made.runner().run(made.entropy, 0)  # the number of the run\n"
    )


def criterion(setting: Setting) -> str:
    """Return what counts as success, in words."""
    try:
        runner: Any = setting.runner()
        return str(runner.criterion)
    except (OSError, ValueError, ImportError, AttributeError):  # a file or a library is gone
        return "unknown here"


def versions() -> dict[str, str]:
    """Return the versions of what made the report."""
    found = {"hyperna": __version__, "Python": platform.python_version()}
    found |= {name: importlib.metadata.version(name) for name in _LIBRARIES}
    found["system"] = f"{platform.system()} {platform.machine()}"
    return found
