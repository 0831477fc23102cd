"""The theorems, measured: which law fits, its exponent, and the bound beside it."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

import numpy as np
import pandas as pd

from hyperna import problem
from hyperna.analysis.laws import GROWTH_LAWS, exponent_p_value, fit_scaling, theorem_bound, verdict
from hyperna.experiments.store import Store
from hyperna.theory import expected_runtime

from .claims import least_share, sentence, share, trend
from .writing import mean, solved, table, title

# What each theorem bounds: the power of ln r (harmonic steps) or of r (local steps) in the expected
# time, and in a time that is met with constant probability. None: nothing.
THEOREMS = (
    ("half", "harmonic", 2, None),
    ("quarter", "harmonic", 3, None),
    ("two_quarters", "harmonic", None, 3),
    ("local_opt", "harmonic", 3, None),
    ("half", "local", 1, None),
    ("quarter", "local", 2, 1),
    ("two_quarters", "local", None, 1),
    ("local_opt", "local", None, None),
)
# Exact values up to here: half a minute each.
LARGEST_EXACT = {"harmonic": 1200, "local": 1536}
LARGEST_EXACT_WITHOUT_BIAS = 2**20
# Fewer resolutions do not tell growth laws apart.
FEWEST = 4
TOGETHER = "Wilson's intervals, 95 % for all of them together"
METHOD = """Means are over the successful runs, with a bootstrap interval; exact expectations are those of
`hyperna.theory`, where they are affordable. A growth law fits if p >= 0.01; an exponent is the leading one of a law with lower-order
terms, with an interval from the profile of chi-square. Where several laws fit, all are named. The time within which a constant share of all runs succeeds
has a standard error from a bootstrap. A bound above the measured exponent is not contradicted by it."""


def write(store: Store, runs: pd.DataFrame) -> str:
    """Return the page: a line for each theorem, which has a page of its own."""
    rows = []
    for name, steps, *powers in THEOREMS:
        groups = by_resolution(runs, name, steps)
        link = f"[{title(name)}, {steps} steps]({stem(name, steps)}.md)"
        texts = [begun(what, said[-1]) for what, *said in measured(groups, steps, *powers)]
        rows.append([link, theorem_bound(name, steps).text, " ".join(texts)])
    overview = table("The theorems", ["setting", "theorem", "measured"], rows, 0, 1, 2)
    return f"""# The theorems, measured

Fischer, Larsen and Witt prove upper bounds at D = 2. {METHOD}

## What it says

{overview}"""


def further(store: Store, runs: pd.DataFrame) -> dict[str, str]:
    """Return the page of each theorem by the name of its file."""
    return {
        stem(name, steps): section(runs, name, steps, *powers) for name, steps, *powers in THEOREMS
    }


def stem(name: str, steps: str) -> str:
    """Name of the file of a theorem's page."""
    return f"theorem_{name}_{steps}"


def by_resolution(runs: pd.DataFrame, name: str, steps: str) -> dict[int, pd.DataFrame]:
    """Runs of a theorem's setting by resolution."""
    chosen = runs[(runs.problem == name) & (runs.mutation == steps)]
    return {int(r): part for r, part in chosen.groupby("resolution")}


def timed(groups: dict[int, pd.DataFrame]) -> dict[int, pd.DataFrame]:
    """The resolutions at which times of successful runs have a mean and a spread."""
    return {r: part for r, part in groups.items() if part[part.success].evaluations.nunique() > 1}


def section(
    runs: pd.DataFrame, name: str, steps: str, expected: int | None, constant: int | None
) -> str:
    """The page of one theorem."""
    bound = theorem_bound(name, steps)
    groups = by_resolution(runs, name, steps)
    rows = []
    for r, part in groups.items():
        times = part[part.success].evaluations
        shown = mean(times, 1) if len(times) > 1 else "–"
        rows.append([f"{r:,}", solved(part), shown, exact(name, steps, r)])
    header = ["r", "successes", "evaluations of successes", "exact"]
    shares = [share(part) for part in groups.values()]
    text = [f"# {title(name)}, {steps} steps", "", f"Theorem: {bound.text}. {METHOD}", ""]
    text += [table("Runs", header, rows), "## What it says", ""]
    if min(successes / n for successes, n in shares) < 1:
        text.append(f"- {sentence(trend('r', list(groups), shares))}")
        low = least_share(shares)
        text.append(f"- The success probability is above {low:.2f} at every r ({TOGETHER}).")
    limits = {
        int(part.budget.max()) for part in groups.values() if (part.stop_reason == "budget").any()
    }
    if len(limits) == 1:
        text[-1] += f" Runs without success are stopped after {limits.pop():,} evaluations."
    for what, *said in measured(groups, steps, expected, constant):
        text.append(f"- {begun(what, ' '.join(said))}")
    return "\n".join([*text, "", "All theorems, and the campaign: [theorems.md](theorems.md).", ""])


def begun(what: str, text: str) -> str:
    """A sentence after what it is about, if that is said."""
    return f"{what}{text[0].lower()}{text[1:]}" if what else text


def measured(
    groups: dict[int, pd.DataFrame], steps: str, expected: int | None, constant: int | None
) -> list[tuple[str, ...]]:
    """For each time that a theorem bounds: what time, which law fits, and the theorem's power."""
    found: list[tuple[str, ...]] = []
    if expected is not None:
        found.append(growth(groups, law_of(steps, expected), expected))
    if constant is not None:
        found.append(quick_growth(groups, law_of(steps, constant), constant))
    return found or [("", stuck_sentence(groups))]


def law_of(steps: str, power: int) -> str:
    """The law with a free exponent, and the lower-order terms that a power of this kind has."""
    if steps == "harmonic":
        return "polylog"
    return "power, linear" if power > 1 else "power"


def stuck_sentence(groups: dict[int, pd.DataFrame]) -> str:
    """How likely it is to end at a fitness of 2/3 or less, which is where the theorem sees runs."""
    shares = [(int((part.fitness <= 2 / 3).sum()), len(part)) for part in groups.values()]
    low = least_share(shares)
    counts = ", ".join(f"{a}/{n}" for a, n in shares)
    if low <= 0.01:
        return f"Runs that end at a fitness of 2/3 or less: {counts}; no constant share of them is seen."
    return f"Runs that end at a fitness of 2/3 or less: {counts}; their probability is above {low:.2f} at every r ({TOGETHER})."


def quick_growth(groups: dict[int, pd.DataFrame], law: str, power: int) -> tuple[str, str, str]:
    """How the time grows within which a constant share of all runs succeeds.

    Its standard error is that of bootstrap samples and of the rounding to whole evaluations.
    """
    groups = timed(groups)
    level = min([0.25, *(part.success.mean() / 2 for part in groups.values())])
    rng = np.random.default_rng(0)
    quick, errors = [], []
    for part in groups.values():
        times = np.where(part.success, part.evaluations, np.inf)
        drawn = times[rng.integers(len(times), size=(400, len(times)))]
        # a sample that misses the share has the longest time that was seen
        found = np.minimum(
            np.quantile(drawn, level, axis=1, method="inverted_cdf"),
            times[part.success].max(),
        )
        quick.append(float(np.quantile(times, level, method="inverted_cdf")))
        errors.append(float(np.hypot(found.std(), 12**-0.5)))
    what = f"For the time within which a share of {level:.2g} of all runs succeeds, "
    return (what, *said((list(groups), quick, errors), law, power))


def growth(groups: dict[int, pd.DataFrame], law: str, power: int) -> tuple[str, str, str]:
    """How the mean time of successful runs grows."""
    groups = timed(groups)
    times = [part[part.success].evaluations for part in groups.values()]
    errors = [t.std(ddof=1) / np.sqrt(len(t)) for t in times]
    return ("", *said((list(groups), [t.mean() for t in times], errors), law, power))


def said(data: tuple[list[int], list[float], list[float]], law: str, power: int) -> tuple[str, str]:
    """Which laws fit, and whether the theorem's exponent is met, undercut or exceeded."""
    fits = fit_scaling(*data) if len(data[0]) >= FEWEST else []
    text = sentence(verdict(fits))
    fit = next((one for one in fits if one.law.name == law), None)
    of = "ln r" if law == "polylog" else "r"
    if fit is None:
        return text, f"No exponent of {of} is claimed: there are too few resolutions."
    if not fit.fits:
        return text, f"No exponent of {of} is claimed: {GROWTH_LAWS[law].formula} does not fit."
    low, high = fit.exponent_interval
    p = exponent_p_value(law, power, *data)
    if high < power:
        beside = f"below the theorem's {power} (test of {power}: p = {p:.2g})"
    elif low > power:
        beside = f"above the theorem's {power} (test of {power}: p = {p:.2g})"
    else:
        beside = f"compatible with the theorem's {power} (p = {p:.2g})"
    where = "" if fits[0] is fit else f" in {fit.law.formula}"
    digits = 2 if high - low > 0.1 else 3
    exponent = f"{fit.exponent:.{digits}f} ({low:.{digits}f} … {high:.{digits}f})"
    return text, f"The exponent of {of}{where} is {exponent}, {beside}."


def exact(name: str, steps: str, r: int) -> str:
    """The exact expectation of successful runs, and their share, where the chain is affordable."""
    bias = name != "half"
    largest = LARGEST_EXACT[steps] if bias else LARGEST_EXACT_WITHOUT_BIAS
    if name == "two_quarters" or r > largest:
        return "–"
    runtime = expected_runtime(problem(name), r, steps, bias=bias)
    succeed = f" ({100 * runtime.probability:.1f} %)" if runtime.probability < 1 else ""
    return f"{runtime.conditional_mean:.3f}{succeed}"
