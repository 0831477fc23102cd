"""Fresh points in every step against the exact fitness."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

import pandas as pd

from hyperna.experiments.store import Store

from .claims import faster
from .writing import LEGEND, mean, running_time, solved, table, title, value


def write(store: Store, runs: pd.DataFrame) -> str:
    """Return the page."""
    once = runs.judge_once.fillna(False).astype(bool)
    parts, cells = [], {}
    for name, part in runs.groupby("problem", observed=True):
        rows = []
        for m in [None, *sorted(part.online.dropna().unique())]:
            for judged_once in (False, True):
                chosen = part.online.isna() if m is None else part.online == m
                cell = part[chosen & (once[part.index] == judged_once)]
                if cell.empty:
                    continue
                how = "–" if m is None else "once" if judged_once else "in every step"
                shown = "exact" if m is None else f"{m:,}"
                points = (
                    f"{float(cell.evaluations.sum()) * (m or 0) / max(1, cell.success.sum()):,.0f}"
                )
                rows.append(
                    [
                        shown,
                        how,
                        solved(cell),
                        running_time(cell),
                        points if m else "–",
                        mean(cell.fitness),
                    ]
                )
                cells[name, None if m is None else int(m), judged_once] = cell
        header = [
            "points m",
            "parent judged",
            "successes",
            "ERT",
            "points per success",
            "true final fitness",
        ]
        parts.append(table(name, header, rows, 0, 1))

    return f"""# Online fitness: m fresh points in every step

D = 2, N = 1 with bias, r = 120, harmonic steps, 50 runs per cell, at most 5,000 evaluations. In every step m points are
drawn on the circle and the offspring is kept if it is right on at least as many as its parent: the parent judged on the same
points, or once only, when it was born. The true fitness, which selection does not see, decides about success: less than
one grid step from the optimum. This model is not from the paper. {LEGEND}

{chr(10).join(parts)}
## What it says

{findings(cells)}
"""


def findings(cells: dict[tuple[str, int | None, bool], pd.DataFrame]) -> str:
    """What the runs say, each sentence by a test; keys are problem, points and judged once."""

    def one(name: str) -> str:
        part = cells[name, 1, False]
        return (
            f"{solved(part)} find the optimum of {title(name)}, final fitness {mean(part.fitness)}"
        )

    def many(name: str) -> str:
        part, exact = cells[name, 1000, False], cells[name, None, False]
        times = faster("1,000 points", part, "the exact fitness", exact)
        return f"on {title(name)} {times}, with {value(part) / value(exact):.2f} times its ERT"

    def once(name: str) -> str:
        part, again = cells[name, 100, True], cells[name, 100, False]
        times = faster("a parent judged once", part, "one judged again", again)
        return f"on {title(name)} {times}, with {value(part) / value(again):.2f} times its ERT"

    return f"""- One point in every step: {one("half")}; {one("quarter")}.
- 1,000 points and the parent judged again: {many("half")}; {many("quarter")}. The ratio need not tend to 1: chance decides between
  networks of equal fitness that differ, however many points there are, while the exact fitness accepts all of them.
- A parent that is judged once keeps a lucky number of hits until an offspring is as lucky. With 100 points {once("half")};
  {once("quarter")}."""
