"""Continuous steps against harmonic ones."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

import numpy as np
import pandas as pd

from hyperna._words import significant
from hyperna.analysis.comparisons import holm
from hyperna.experiments.store import Store

from .claims import better_than, compared, cost_grows, faster_in, share
from .writing import LEGEND, p_text, running_time, slower, solved, table, title, value


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
            reached = f"{runs_of.fitness.mean():.4f}"
            rows.append([law_text(law), solved(runs_of), reached, running_time(runs_of), *versus])
            ratios[name, r, law] = value(runs_of) / value(harmonic)
        header = ["steps", "successes", "final fitness", "ERT", "slower than harmonic", "p (Holm)"]
        parts.append(table(f"{name}, r = {r}", header, rows, 0))

    return f"""# Real-valued steps with heavy tails compared with harmonic ones

D = 2, exact fitness, N = 1 (TWOQUARTERS: N = 2, OR). Continuous laws move angles and biases that are
kept to 40 binary digits; lengths are in grid steps of r. All are asked for the same fitness, the best
less what rounding to the grid may cost (1 - 2N/r where the best is 1): real numbers less than a grid step
from an optimum would have less fitness than grid points are. "Final fitness" is the mean of all runs. Budget floor(100 r ln r), {len(harmonic)} runs of each law.
"Slower than harmonic" is the probability that a run of the law takes longer than a harmonic one
(0.5: no difference; failed runs count as infinite), p is Mann-Whitney's, corrected for the nine
comparisons of a table. {LEGEND}

{chr(10).join(parts)}
## What it says

{findings(runs, ratios)}
"""


def findings(runs: pd.DataFrame, ratios: dict[tuple[str, int, str], float]) -> str:
    """What the runs say, each sentence by a test; `ratios` are those of the ERT to the harmonic one."""

    def at(problem: str, r: int, law: str) -> pd.DataFrame:
        return runs[(runs.problem == problem) & (runs.resolution == r) & (runs.mutation == law)]

    cells = sorted({key[:2] for key in ratios})
    pareto = {shape: f"pareto:shape={shape},scale=1.0" for shape in (0.25, 0.5, 1.0, 2.0)}
    ranges = {shape: [ratios[name, r, law] for name, r in cells] for shape, law in pareto.items()}
    spans = ", ".join(
        f"{significant(min(v))} to {significant(max(v))} (shape {s:g})" for s, v in ranges.items()
    )
    distance = {shape: np.mean(np.abs(np.log(v))) for shape, v in ranges.items()}
    nearest = sorted(distance, key=lambda shape: distance[shape])[:2]
    slow, wide = "exponential:scale=10.0", "exponential:scale=100.0"

    def beside(law: str, other: str = "harmonic") -> dict[str, tuple[pd.DataFrame, pd.DataFrame]]:
        return {
            f"{title(name)}, r = {r:,}": (at(name, r, law), at(name, r, other)) for name, r in cells
        }

    def grown(law: str) -> str:
        coarse, fine = ratios["quarter", 120, law], ratios["quarter", 1200, law]
        pairs = [(at("quarter", r, law), at("quarter", r, "harmonic")) for r in (120, 1200)]
        return f"{significant(coarse)} times as long as harmonic steps at r = 120 and {significant(fine)} times at r = 1200, {cost_grows(*pairs)}"

    stuck = at("local_opt", 1200, slow)
    failed = stuck[~stuck.success].fitness
    lost = f", the others ending at a mean fitness of {failed.mean():.3f}" if len(failed) else ""
    best = (
        share(at("two_quarters", 1200, pareto[0.25])),
        share(at("two_quarters", 1200, "harmonic")),
    )
    return f"""- Harmonic steps have the tail P(l > x) ≈ 1 - log x / log r, heavier than any power. Pareto laws do not know r; over the
  tables their ERT is {spans} times the harmonic one. Shapes {" and ".join(f"{s:g}" for s in sorted(nearest))} come closest (mean distance of the
  logarithms).
- QUARTER: shape 1 takes {grown(pareto[1.0])}; shape 2 takes {grown(pareto[2.0])}.
- Times of Cauchy steps, scale 1: {faster_in("Cauchy", "Pareto of shape 1", beside("cauchy:scale=1.0", pareto[1.0]))}.
- Exponential steps of scale 10: {faster_in("their search", "harmonic search", beside(slow))}. On LOCALOPT at r = 1200 they succeed in {solved(stuck)}{lost}.
  Scale 100: {faster_in("their search", "harmonic search", beside(wide))}.
- TWOQUARTERS, r = 1200: {compared("shape 0.25", best[0], "harmonic", best[1])}.
- TWOQUARTERS, r = 120: {better_than("harmonic", share(at("two_quarters", 120, "harmonic")), rivals(runs, "two_quarters", 120))}."""


def rivals(runs: pd.DataFrame, problem: str, r: int) -> dict[str, tuple[int, int]]:
    """Shares of successes of all laws but the harmonic one."""
    part = runs[(runs.problem == problem) & (runs.resolution == r)]
    groups = part.groupby("mutation", observed=True)
    return {law_text(law): share(group) for law, group in groups if law != "harmonic"}


def law_text(law: str) -> str:
    """Write a law without needless digits."""
    return law.replace(".0", "").replace(",scale=1", "")
