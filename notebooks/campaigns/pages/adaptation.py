"""Steps that adapt themselves against harmonic ones, up to r = 2**40."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

import numpy as np
import pandas as pd

from hyperna.store.store import Store

from .claims import compared, faster, share
from .writing import LEGEND, running_time, solved, table, whole

TITLES = {
    "half": "HALF without bias",
    "quarter": "QUARTER",
    "local_opt": "LOCALOPT",
    "two_quarters": "TWOQUARTERS, N = 2, OR",
}


def write(store: Store, runs: pd.DataFrame) -> str:
    """Return the page."""
    parts = []
    for name, title in TITLES.items():
        part = runs[runs.problem == name]
        rows = []
        for (r, law), group in part.groupby(["resolution", "mutation"], observed=True):
            cells = [f"2^{int(np.log2(r))}", law.partition(":")[0], solved(group)]
            middle = median(group)
            shown = whole(middle) if middle < np.inf else "> 20,000"
            rows.append([*cells, shown, running_time(group)])
        parts.append(table(title, ["r", "steps", "solved", "median", "ERT"], rows, 1))

    def at(name: str, bits: int, law: str) -> pd.DataFrame:
        chosen = (runs.problem == name) & (runs.resolution == 2**bits)
        return runs[chosen & runs.mutation.astype(str).str.startswith(law)]

    single = ("half", "quarter", "local_opt")
    lost = sum(int((~at(name, bits, "adaptive").success).sum()) for name in single for bits in BITS)
    tried = sum(len(at(name, bits, "adaptive")) for name in single for bits in BITS)
    old = sum(
        int((~at(name, bits, "self_adjusting").success).sum()) for name in single for bits in BITS
    )

    def per_bit(name: str, law: str, low: int, high: int) -> str:
        grown = median(at(name, high, law)) - median(at(name, low, law))
        return f"{grown / (high - low):.0f}"

    growth = "; ".join(
        f"{TITLES[name]}: {per_bit(name, 'adaptive', 10, 20)} and {per_bit(name, 'adaptive', 30, 40)} adaptive, "
        f"{per_bit(name, 'harmonic', 10, 20)} and {per_bit(name, 'harmonic', 30, 40)} harmonic"
        for name in single
    )
    two = [at("two_quarters", 40, law) for law in ("adaptive", "harmonic")]

    return f"""# Steps that adapt themselves: logarithmic runtimes without lost runs

D = 2, exact fitness, budget 20,000 evaluations, {len(at("half", 10, "harmonic"))} runs of each cell. `self_adjusting`: each component has a
step length of its own, multiplied by 1.7 after an improvement and by 0.9 otherwise (Doerr, Doerr and
Kötzing 2018). `adaptive`: factors 2 and 0.7, and with probability 1/4 a mutated component takes a
harmonic step instead; one that improves the fitness sets the length, if it is longer. Medians are over
all runs, failed ones counted as longer than any other. {LEGEND}

{chr(10).join(parts)}
## What it says

- On the problems of one neuron adaptive steps lose {lost} of {tried:,} runs, self-adjusting ones {old:,}.
- By how many evaluations the median grows per bit of r, from r = 2^10 to 2^20 and from 2^30 to 2^40: {growth}.
- QUARTER at r = 2^40: {faster("adaptive", at("quarter", 40, "adaptive"), "harmonic", at("quarter", 40, "harmonic"))}; the medians are {whole(median(at("quarter", 40, "adaptive")))} and {whole(median(at("quarter", 40, "harmonic")))}.
- TWOQUARTERS at r = 2^40, where runs can end in local optima of the OR: {compared("adaptive", share(two[0]), "harmonic", share(two[1]))}
  within this budget. See [restarts](restarts.md).
"""


BITS = (10, 20, 30, 40)


def median(group: pd.DataFrame) -> float:
    """Median of the evaluations; a failed run lasts longer than all others."""
    return float(np.median(np.where(group.success, group.evaluations, np.inf)))
