"""Continuous steps against harmonic ones."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

import pandas as pd

from hyperna.analysis.statistics import holm
from hyperna.store.store import Store

from .claims import better_than, compared, share
from .writing import LEGEND, p_text, running_time, slower, solved, table, value


def write(store: Store, runs: pd.DataFrame) -> str:
    """Return the page."""
    parts, ratios = [], {}
    for (name, r), part in runs.groupby(["problem", "resolution"], observed=True):
        groups = dict(list(part.groupby("mutation", observed=True)))
        harmonic = groups["harmonic"]
        others = [law for law in groups if law != "harmonic"]
        chances, p_values = zip(*(slower(groups[law], harmonic) for law in others), strict=True)
        p_holm = dict(zip(others, holm(p_values), strict=True))
        chance = dict(zip(others, chances, strict=True))
        rows = []
        for law in sorted(groups, key=lambda law: value(groups[law])):
            runs_of = groups[law]
            versus = [f"{chance[law]:.2f}", p_text(p_holm[law])] if law in chance else ["–", "–"]
            rows.append([law_text(law), solved(runs_of), running_time(runs_of), *versus])
            ratios[name, r, law] = value(runs_of) / value(harmonic)
        header = ["steps", "solved", "ERT", "slower than harmonic", "p (Holm)"]
        parts.append(table(f"{name}, r = {r}", header, rows, 0))

    def ratio(problem: str, r: int, law: str) -> str:
        return f"{ratios[problem, r, law]:.2g}"

    def at(problem: str, r: int, law: str) -> pd.DataFrame:
        return runs[(runs.problem == problem) & (runs.resolution == r) & (runs.mutation == law)]

    quarter, half, one, two = (f"pareto:shape={s},scale=1.0" for s in (0.25, 0.5, 1.0, 2.0))
    slow, wide = "exponential:scale=10.0", "exponential:scale=100.0"
    heavy = [ratios[key] for key in ratios if key[2] in (quarter, half)]
    cauchy = [
        ratios[name, r, "cauchy:scale=1.0"] / ratios[name, r, one]
        for name, r, law in ratios
        if law == one
    ]
    stuck = at("local_opt", 1200, slow)
    return f"""# Real-valued steps with heavy tails against harmonic ones

D = 2, exact fitness, N = 1 (TWOQUARTERS: N = 2, OR). Continuous laws move angles and biases that are
kept to 40 binary digits; lengths are in grid steps of r, so that the same success is asked of all:
less than one grid step from an optimum in every component. Budget floor(100 r ln r), {len(harmonic)} runs of each law.
"Slower than harmonic" is the probability that a run of the law takes longer than a harmonic one
(0.5: no difference; failed runs count as infinite), p is Mann-Whitney's, corrected for the nine
comparisons of a table. {LEGEND}

{chr(10).join(parts)}
## What it says

- Harmonic steps have the tail P(l > x) ≈ 1 - log x / log r, heavier than any power. Of the Pareto laws
  the heaviest, shapes 0.25 and 0.5, come closest: their ERT is {min(heavy):.2g} to {max(heavy):.2g} times the harmonic one over
  the eight tables, and they do not know r.
- A lighter tail costs more the finer the grid: on QUARTER shape 1 takes {ratio("quarter", 120, one)} times as long as
  harmonic steps at r = 120 and {ratio("quarter", 1200, one)} times at r = 1200, shape 2 takes {ratio("quarter", 120, two)} and {ratio("quarter", 1200, two)} times.
- Cauchy steps with scale 1 have the median and the kind of tail of Pareto's shape 1, a third thinner,
  and take {min(cauchy):.2g} to {max(cauchy):.2g} times as long as it. Scale 10 brings them to {ratio("quarter", 1200, "cauchy:scale=10.0")} times harmonic on QUARTER at r = 1200.
- Exponential steps work if their one length fits the grid. Scale 10 is not told apart from harmonic
  steps on HALF, QUARTER and LOCALOPT at r = 120; on LOCALOPT at r = 1200 it solves {solved(stuck)}, the
  others ending at a mean fitness of {stuck[~stuck.success].fitness.mean():.3f} instead of 3/4. Scale 100 escapes, and takes {ratio("quarter", 1200, wide)} times as long as
  harmonic steps on QUARTER at r = 1200. Heavy tails need no such choice.
- TWOQUARTERS, r = 1200: {compared("shape 0.25", share(at("two_quarters", 1200, quarter)), "harmonic", share(at("two_quarters", 1200, "harmonic")))}.
- TWOQUARTERS, r = 120: {better_than("harmonic", share(at("two_quarters", 120, "harmonic")), rivals(runs, "two_quarters", 120))}.
"""


def rivals(runs: pd.DataFrame, problem: str, r: int) -> dict[str, tuple[int, int]]:
    """Shares of solved runs of all laws but the harmonic one."""
    part = runs[(runs.problem == problem) & (runs.resolution == r)]
    groups = part.groupby("mutation", observed=True)
    return {law_text(law): share(group) for law, group in groups if law != "harmonic"}


def law_text(law: str) -> str:
    """Write a law without needless digits."""
    return law.replace(".0", "").replace(",scale=1", "")
