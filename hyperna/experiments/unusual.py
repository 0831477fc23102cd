"""Which options of a setting are not what they would be if nobody had given them, and in words."""

from typing import Any

from hyperna._words import counted
from hyperna.experiments.algorithms import find_algorithm
from hyperna.experiments.setting import Setting
from hyperna.run.description import OPTIONS, default_budget

# What makes the function that is maximised; everything else of a setting belongs to the algorithm.
FUNCTION_KEYS = {"data"} | {name for name, option in OPTIONS.items() if option.function}


def unusual_options(setting: Setting) -> dict[str, Any]:
    """Return the options of a setting's algorithm that are not left at their defaults.

    What is learnt, by which networks, is not among them, nor are algorithm and mutation.

    Examples
    --------
    >>> from hyperna.experiments.setting import setting
    >>> unusual_options(setting(problem="half", bias=False, restarts=3))
    {'bias': False, 'restarts': 3}
    """
    defaults = {name: option.default for name, option in OPTIONS.items()}
    defaults["budget"] = default_budget(setting.resolution)
    if find_algorithm(setting.algorithm).relative is not None:
        na = setting.make_algorithm()
        defaults["mutation_probability"] = 1.0 / na.grid(setting.dim).components
    skipped = FUNCTION_KEYS | {"algorithm", "mutation"}
    return {
        key: value
        for key, value in setting.canonical.items()
        if key not in skipped and value != defaults.get(key)
    }


def unusual_words(setting: Setting) -> list[str]:
    """Return these options in words, but for those that are told elsewhere.

    Examples
    --------
    >>> from hyperna.experiments.setting import setting
    >>> unusual_words(setting(problem="half", bias=False, restarts=3, redraw_void=True))
    ['no bias', 'void steps redrawn', '3 restarts']
    """
    found = []
    values = unusual_options(setting)
    if find_algorithm(setting.algorithm).name == "rls":
        found.append("one component at a time")
        values.pop("mutation_probability", None)  # does not matter then
    for name, option in OPTIONS.items():
        if option.told is not None and name in values:
            found.append((option.told or f"{name} {{}}").format(values[name]))
    if setting.restarts == "auto":
        found.append("automatic restarts")
    elif setting.restarts:
        found.append(counted(int(setting.restarts), "restart"))
    return found
