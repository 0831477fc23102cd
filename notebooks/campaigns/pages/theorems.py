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

# What each theorem bounds: the power of ln r (harmonic steps) or of r (local steps), 0: no time.
THEOREMS = (
    ("half", "harmonic", "polylog", 2),
    ("quarter", "harmonic", "polylog", 3),
    ("two_quarters", "harmonic", "polylog", 3),
    ("local_opt", "harmonic", "polylog", 3),
    ("half", "local", "power", 1),
    ("quarter", "local", "power", 2),
    ("two_quarters", "local", "power", 1),
    ("local_opt", "local", "power", 0),
)
LARGEST_EXACT = 400
METHOD = """Means are over the successful runs, with a bootstrap interval; exact expectations are those of
`hyperna.theory`, where they are affordable. A growth law fits if p >= 0.01; an exponent is the leading one of a law with lower-order
terms, with an interval from the profile of chi-square. A bound above the measured exponent is not contradicted by it."""


def write(store: Store, runs: pd.DataFrame) -> str:
    """Return the page: a line for each theorem, which has a page of its own."""
    rows = []
    for name, steps, law, power in THEOREMS:
        groups = solved_groups(runs, name, steps)
        link = f"[{name.upper()}, {steps} steps]({stem(name, steps)}.md)"
        bound = theorem_bound(name, steps).text
        constant = constant_sentence(name, steps, groups, law, power)
        rows.append([link, bound, constant or said(groups, law, power)[1]])
    overview = table("The theorems", ["setting", "theorem", "measured"], rows, 0, 1, 2)
    return f"""# The theorems, measured

Fischer, Larsen and Witt prove upper bounds at D = 2. {METHOD}

## What it says

{overview}"""


def further(store: Store, runs: pd.DataFrame) -> dict[str, str]:
    """Return the page of each theorem by the name of its file."""
    return {
        stem(name, steps): section(runs, name, steps, law, power)
        for name, steps, law, power in THEOREMS
    }


def stem(name: str, steps: str) -> str:
    """Name of the file of a theorem's page."""
    return f"theorem_{name}_{steps}"


def solved_groups(runs: pd.DataFrame, name: str, steps: str) -> dict[int, pd.DataFrame]:
    """Runs of a theorem's setting by resolution, where at least two succeeded."""
    chosen = runs[(runs.problem == name) & (runs.mutation == steps)]
    return {r: part for r, part in chosen.groupby("resolution") if part.success.sum() > 1}


def section(runs: pd.DataFrame, name: str, steps: str, law: str, power: int) -> str:
    """The page of one theorem."""
    bound = theorem_bound(name, steps)
    groups = solved_groups(runs, name, steps)
    rows = [
        [f"{r:,}", solved(part), mean(part[part.success].evaluations, 1), exact(name, steps, r)]
        for r, part in groups.items()
    ]
    header = ["r", "solved", "evaluations of successes", "exact"]
    shares = [share(part) for part in groups.values()]
    text = [f"# {name.upper()}, {steps} steps", "", f"Theorem: {bound.text}. {METHOD}", ""]
    text += [table("Runs", header, rows), "## What it says", ""]
    if min(successes / n for successes, n in shares) < 1:
        text.append(f"- {sentence(trend('r', list(groups), shares))}")
        low = min(wilson_interval(*one).low for one in shares)
        text.append(
            f"- The success probability is above {low:.2f} at every r (Wilson's intervals)."
        )
    constant = constant_sentence(name, steps, groups, law, power)
    text += [f"- {constant}"] if constant else []
    text.append(f"- {growth_sentence(groups, law, power)}")
    return "\n".join([*text, "", "All theorems, and the campaign: [theorems.md](theorems.md).", ""])


def constant_sentence(
    name: str, steps: str, groups: dict[int, pd.DataFrame], law: str, power: int
) -> str:
    """What is seen of a bound that holds with constant probability; nothing for the others."""
    bound = theorem_bound(name, steps)
    if "constant probability" not in bound.text:
        return ""
    if bound.growth is None:
        return stuck_sentence(groups)
    return quick_sentence(groups, law, 1 if law == "power" else power)


def stuck_sentence(groups: dict[int, pd.DataFrame]) -> str:
    """How likely it is to end at a fitness of 2/3 or less, which is where the theorem sees runs."""
    shares = [(int((part.fitness <= 2 / 3).sum()), len(part)) for part in groups.values()]
    low = min(wilson_interval(*one).low for one in shares)
    counts = ", ".join(f"{a}/{n}" for a, n in shares)
    if low <= 0.01:
        return f"Runs that end at a fitness of 2/3 or less: {counts}; no constant share of them is seen."
    return f"Runs that end at a fitness of 2/3 or less: {counts}; their probability is above {low:.2f} at every r (Wilson's intervals)."


def quick_sentence(groups: dict[int, pd.DataFrame], law: str, power: int) -> str:
    """How the time grows within which a constant share of all runs succeeds.

    Slope of the logarithms over all resolutions, with a bootstrap interval.
    """
    level = min(0.25, *(part.success.mean() / 2 for part in groups.values()))
    rng = np.random.default_rng(0)
    of = "r" if law == "power" else "ln r"
    sizes = np.array(list(groups), dtype=float)
    x = np.log(sizes if law == "power" else np.log(sizes))
    slopes = []
    for _ in range(400):
        quick = []
        for part in groups.values():
            times = np.where(part.success, part.evaluations, np.inf)
            drawn = times[rng.integers(len(times), size=len(times))]
            quick.append(np.quantile(drawn, level, method="inverted_cdf"))
        if np.isfinite(quick).all():
            slopes.append(np.polyfit(x, np.log(quick), 1)[0])
    low, high = np.quantile(slopes, [0.025, 0.975])
    relation = "compatible with" if low <= power <= high else "below" if high < power else "above"
    return (
        f"The time within which a share of {level:.2g} of all runs succeeds grows like a power of {of} with the exponent "
        f"{np.median(slopes):.2f} ({low:.2f} … {high:.2f}), {relation} the theorem's {power} with constant probability."
    )


def growth_sentence(groups: dict[int, pd.DataFrame], law: str, power: int) -> str:
    """Which law fits, and whether the theorem's exponent is met, undercut or exceeded."""
    return " ".join(said(groups, law, power))


def said(groups: dict[int, pd.DataFrame], law: str, power: int) -> tuple[str, str]:
    """Which law fits, and what the exponent is beside the theorem's."""
    sizes = list(groups)
    times = [part[part.success].evaluations for part in groups.values()]
    data = sizes, [t.mean() for t in times], [t.std(ddof=1) / np.sqrt(len(t)) for t in times]
    fits = fit_scaling(*data)
    text = sentence(verdict(fits))
    fit = next((one for one in fits if one.law.name == law), None)
    of = "ln r" if law == "polylog" else "r"
    if power == 0:
        return text, "The theorem bounds no time."
    if fit is None or not fit.fits:
        return (
            text,
            f"No exponent of {of} is claimed, because the law with a free exponent does not fit.",
        )
    low, high = fit.exponent_interval
    p = exponent_p_value(law, power, *data)
    if high < power:
        beside = f"below the theorem's {power} (test of {power}: p = {p:.2g})"
    elif low > power:
        beside = f"above the theorem's {power} (test of {power}: p = {p:.2g})"
    else:
        beside = f"compatible with the theorem's {power} (p = {p:.2g})"
    return text, f"The exponent of {of} is {fit.exponent:.2f} ({low:.2f} … {high:.2f}), {beside}."


def exact(name: str, steps: str, r: int) -> str:
    """The exact expectation of successful runs, where the chain is affordable."""
    bias = name != "half"
    if name == "two_quarters" or r > (LARGEST_EXACT if bias else 2**14):
        return "–"
    runtime = expected_runtime(problem(name), r, steps, bias=bias)
    return f"{runtime.conditional_mean:.3f}"
