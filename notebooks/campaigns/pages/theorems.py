"""The theorems, measured: which law fits, its exponent, and the bound beside it."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

import numpy as np
import pandas as pd

from hyperna import problem
from hyperna.analysis.laws import exponent_p_value, fit_scaling, theorem_bound, verdict
from hyperna.analysis.statistics import wilson_interval
from hyperna.store.store import Store
from hyperna.theory import expected_runtime

from .claims import sentence, share, trend
from .writing import mean, solved, table

# What each theorem bounds: the power of ln r (harmonic steps) or of r (local steps).
THEOREMS = (
    ("half", "harmonic", "polylog", 2),
    ("quarter", "harmonic", "polylog", 3),
    ("two_quarters", "harmonic", "polylog", 3),
    ("local_opt", "harmonic", "polylog", 3),
    ("half", "local", "power", 1),
    ("quarter", "local", "power", 2),
    ("two_quarters", "local", "power", 1),
    ("local_opt", "local", "power", 1),
)
LARGEST_EXACT = 400


def write(store: Store, runs: pd.DataFrame) -> str:
    """Return the page."""
    parts = [
        section(runs[(runs.problem == name) & (runs.mutation == steps)], name, steps, law, power)
        for name, steps, law, power in THEOREMS
    ]
    return f"""# The theorems, measured

Fischer, Larsen and Witt prove upper bounds at D = 2. Each section has the measured mean evaluations
of the successful runs with a bootstrap interval, the exact expectation of `hyperna.theory` where it is
affordable, and what growth laws say: a law fits if p >= 0.01, an exponent is the leading one of a
law with lower-order terms, with an interval from the profile of chi-square. A bound that lies above
the measured exponent is not contradicted by it.

## What it says

{chr(10).join(parts)}"""


def section(runs: pd.DataFrame, name: str, steps: str, law: str, power: int) -> str:
    """Table and sentences of one theorem."""
    bound = theorem_bound(name, steps)
    groups = {r: part for r, part in runs.groupby("resolution") if part.success.sum() > 1}
    rows = [
        [f"{r:,}", solved(part), mean(part[part.success].evaluations, 1), exact(name, steps, r)]
        for r, part in groups.items()
    ]
    header = ["r", "solved", "evaluations of successes", "exact"]
    shares = [share(part) for part in groups.values()]
    text = [table(f"{name.upper()}, {steps} steps: {bound.text}", header, rows), ""]
    if min(successes / n for successes, n in shares) < 1:
        text.append(f"- {sentence(trend('r', list(groups), shares))}")
        low = min(wilson_interval(*one).low for one in shares)
        text.append(
            f"- The success probability is above {low:.2f} at every r (Wilson's intervals)."
        )
    text.append(f"- {growth_sentence(groups, law, power)}")
    return "\n".join([*text, ""])


def growth_sentence(groups: dict[int, pd.DataFrame], law: str, power: int) -> str:
    """Which law fits, and whether the theorem's exponent is met, undercut or exceeded."""
    sizes = list(groups)
    times = [part[part.success].evaluations for part in groups.values()]
    data = sizes, [t.mean() for t in times], [t.std(ddof=1) / np.sqrt(len(t)) for t in times]
    fits = fit_scaling(*data)
    text = sentence(verdict(fits))
    fit = next((one for one in fits if one.law.name == law), None)
    of = "ln r" if law == "polylog" else "r"
    if fit is None or not fit.fits:
        return f"{text} No exponent of {of} is claimed, because the law with a free exponent does not fit."
    low, high = fit.exponent_interval
    p = exponent_p_value(law, power, *data)
    if high < power:
        said = f"below the theorem's {power} (test of {power}: p = {p:.2g})"
    elif low > power:
        said = f"above the theorem's {power} (test of {power}: p = {p:.2g})"
    else:
        said = f"compatible with the theorem's {power} (p = {p:.2g})"
    return f"{text} The exponent of {of} is {fit.exponent:.2f} ({low:.2f} … {high:.2f}), {said}."


def exact(name: str, steps: str, r: int) -> str:
    """The exact expectation of successful runs, where the chain is affordable."""
    bias = name != "half"
    if name == "two_quarters" or r > (LARGEST_EXACT if bias else 2**14):
        return "–"
    runtime = expected_runtime(problem(name), r, steps, bias=bias)
    return f"{runtime.conditional_mean:.3f}"
