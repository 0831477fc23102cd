"""Fresh points in every step against the exact fitness."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

import pandas as pd

from hyperna.store.store import Store

from .writing import LEGEND, mean, running_time, solved, table, value


def write(store: Store, runs: pd.DataFrame) -> str:
    """Return the page."""
    once = runs.judge_once.fillna(False).astype(bool)
    parts, times = [], {}
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
                times[name, m, judged_once] = value(cell), int(cell.success.sum()), len(cell)
        header = [
            "points m",
            "parent judged",
            "solved",
            "ERT",
            "points per success",
            "true fitness at the end",
        ]
        parts.append(table(name, header, rows, 0, 1))

    def found(name: str, m: int, judged_once: bool) -> str:
        return f"{times[name, m, judged_once][1]} of {times[name, m, judged_once][2]}"

    def once_ratio(name: str) -> str:
        return f"{times[name, 100, True][0] / times[name, 100, False][0]:.2f}"

    slow = {
        name: times[name, 1000, False][0] / times[name, None, False][0]
        for name in ("half", "quarter")
    }
    return f"""# Online fitness: m fresh points in every step

D = 2, N = 1 with bias, r = 120, harmonic steps, 50 runs a cell, at most 5,000 evaluations. In every step m points are
drawn on the circle and the offspring is kept if it is right on at least as many as its parent: the parent judged on the same
points, or once only, when it was born. The true fitness, which selection does not see, decides about success: less than
one grid step from the optimum. The model is this project's own. {LEGEND}

{chr(10).join(parts)}
## What it says

- One point a step is a random walk that hardly remembers: {found("half", 1, False)} runs find the optimum of HALF, {found("quarter", 1, False)} that of QUARTER,
  and the fitness at the end is far below 1.
- With 1,000 points and the parent judged again the ERT is {slow["half"]:.2f} times the exact one on HALF and {slow["quarter"]:.2f} times on QUARTER
  (see the intervals). It need not tend to 1: chance decides between networks of equal fitness that differ, however many
  points there are, while the exact fitness accepts all of them.
- A parent that is judged once keeps a lucky number of hits until an offspring is as lucky: with 100 points the ERT is
  {once_ratio("half")} times that of a parent judged again on HALF, {once_ratio("quarter")} times on QUARTER.
"""
