"""Steps that adapt themselves against harmonic ones, up to r = 2**40."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

import numpy as np
import pandas as pd

from hyperna._words import number
from hyperna.experiments.store import Store

from .claims import compared, faster, share
from .writing import LEGEND, running_time, solved, table, whole

TITLES = {
    "half": "HALF without bias",
    "quarter": "QUARTER",
    "local_opt": "LOCALOPT",
    "two_quarters": "TWOQUARTERS, N = 2, OR",
    "arcs:k=3": "ARCS(3), N = 3, OR",
    "cube 3": "Corners of the cube, D = 3, N = 4, OR",
    "cube 4": "Corners of the cube, D = 4, N = 4, XOR",
}
HARD = "Corners of the cube, D = 4, N = 8, OR, at most 10^7 evaluations"
SINGLE = ("half", "quarter", "local_opt")
BITS = (10, 20, 30, 40)
COMBINED = "adaptive, replacement, restarts"
ALONE = "adaptive without jumps"
METHODS = ("harmonic", ALONE, "adaptive", COMBINED)
HARD_METHODS = ("harmonic, restarts", "harmonic, replacement, restarts", COMBINED)


def median(group: pd.DataFrame) -> float:
    """Median of the evaluations; a failed run lasts longer than all others."""
    return float(np.median(np.where(group.success, group.evaluations, np.inf)))


def per_step(first: float, last: float, steps: int) -> str:
    """By how much a median grows in each step; none is known where most runs failed."""
    if not np.isfinite([first, last]).all():
        return "unknown (most runs failed)"
    return f"{(last - first) / steps:.0f}"


def longest(one: pd.DataFrame, others: list[pd.DataFrame]) -> str:
    """Say how a median compares with the largest of several others."""
    rival = max(map(median, others))
    if not np.isfinite([median(one), rival]).all():
        return "which cannot be compared with the other problems (most runs failed)"
    if median(one) > rival:
        return f"{median(one) / rival:.2g} times the largest median of the other problems"
    return f"no more than the largest median of the other problems, {whole(rival)}"


def labelled(runs: pd.DataFrame) -> pd.DataFrame:
    """Name the case and the method of every run."""
    replaces, cube = runs.replace_neuron.fillna(0) > 0, runs.problem == "cube"
    cubes = "cube " + runs.dim.astype(str) + np.where(runs.neurons == 8, " hard", "")
    laws = runs.mutation.astype(str)
    method = laws.str.partition(":")[0].mask(laws.str.endswith("jump=0.0"), ALONE)
    restarted = (runs.restarts == "auto") | replaces
    return runs.assign(
        case=np.where(cube, cubes, runs.problem.astype(str)),
        method=method
        + np.where(replaces, ", replacement", "")
        + np.where(restarted, ", restarts", ""),
    )


def write(store: Store, runs: pd.DataFrame) -> str:
    """Return the page."""
    runs = labelled(runs)

    def at(name: str, bits: int, method: str) -> pd.DataFrame:
        chosen = (runs.case == name) & (runs.resolution == 2**bits)
        return runs[chosen & (runs.method == method)]

    parts = []
    cases = [(name, title, BITS, METHODS) for name, title in TITLES.items()]
    for name, title, sizes, methods in [*cases, ("cube 4 hard", HARD, (10, 40), HARD_METHODS)]:
        rows = []
        for bits in sizes:
            for method in methods:
                group = at(name, bits, method)
                middle = median(group)
                shown = whole(middle) if middle < np.inf else f"> {number(int(group.budget.max()))}"
                cells = [f"2^{bits}", method, solved(group), shown]
                rows.append([*cells, running_time(group)])
        parts.append(table(title, ["r", "steps", "successes", "median", "ERT"], rows, 1))

    def lost(names: object, method: str) -> str:
        chosen = runs[runs.case.isin(names) & (runs.method == method)]
        return f"{int((~chosen.success).sum()):,} of {len(chosen):,}"

    def per_bit(name: str, method: str, low: int, high: int) -> str:
        ends = median(at(name, low, method)), median(at(name, high, method))
        return per_step(*ends, high - low)

    growth = "; ".join(
        f"{TITLES[name]}: {per_bit(name, 'adaptive', 10, 20)} and {per_bit(name, 'adaptive', 30, 40)} adaptive, "
        f"{per_bit(name, 'harmonic', 10, 20)} and {per_bit(name, 'harmonic', 30, 40)} harmonic"
        for name in SINGLE
    )
    combined = "; ".join(
        f"{title}: {per_bit(name, COMBINED, 10, 20)} and {per_bit(name, COMBINED, 30, 40)}"
        for name, title in TITLES.items()
    )
    hard = [at("cube 4 hard", 40, method) for method in HARD_METHODS]
    two = [at("two_quarters", 40, law) for law in ("adaptive", "harmonic")]
    return f"""# Steps that adapt themselves

Exact fitness, {len(at("half", 10, "harmonic"))} runs of each cell; D = 2, and the corners of cubes. "{ALONE.capitalize()}" (`adaptive:growth=1.7,decay=0.9,jump=0`): each
component has a step length of its own, multiplied by 1.7 after an improvement and by 0.9 otherwise, the self-adjusting
steps of Doerr, Doerr and Kötzing (2018). `adaptive`: factors 2 and 0.7, and with probability 1/4 a mutated component
takes a harmonic step instead; one that improves the fitness sets the length, if it is longer. A law alone has a budget of
20,000 evaluations. "{COMBINED.capitalize()}": adaptive steps, void steps redrawn, and with probability 0.2 one neuron redrawn
instead of a mutation (`replace_neuron=0.2`), and `restarts="auto"`; budget 200,000. Medians are over
all runs, failed ones counted as longer than any other. {LEGEND}

{chr(10).join(parts)}
## What it says

- On the problems of one neuron adaptive steps fail in {lost(SINGLE, "adaptive")} runs, those without jumps in {lost(SINGLE, ALONE)}.
- On all problems together adaptive steps with replacement and restarts fail in {lost(TITLES, COMBINED)} runs.
- The cube with D = 4, N = 8 and OR: with replacement and restarts adaptive steps fail in {lost(["cube 4 hard"], COMBINED)} runs of
  at most 10^7 evaluations; their median at r = 2^40 is {whole(median(hard[2]))}, {longest(hard[2], [at(name, 40, COMBINED) for name in TITLES])}. At r = 2^40 {faster("harmonic with replacement and restarts", hard[1], "harmonic with restarts alone", hard[0])}, and
  {faster("adaptive with both", hard[2], "harmonic with both", hard[1])}. There is a true local optimum: one neuron
  covers several positive corners and the negative one between them (fitness 15/16), and others would have to move to
  these corners without any gain before it can let go of them.
- By how many evaluations the median grows per bit of r, from r = 2^10 to 2^20 and from 2^30 to 2^40: {growth}.
- The same with replacement and restarts: {combined}.
- QUARTER at r = 2^40: {faster("adaptive", at("quarter", 40, "adaptive"), "harmonic", at("quarter", 40, "harmonic"))}; the medians are {whole(median(at("quarter", 40, "adaptive")))} and {whole(median(at("quarter", 40, "harmonic")))}.
- TWOQUARTERS at r = 2^40, where runs can end in local optima of the OR: {compared("adaptive", share(two[0]), "harmonic", share(two[1]))}
  within 20,000 evaluations. See [restarts](restarts.md).
"""
