"""ARCS(k) with as many neurons as arcs."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

import pandas as pd

from hyperna.experiments.store import Store

from .claims import sentence, share, succeeds_in, trend
from .writing import LEGEND, mean, running_time, solved, table, value


def write(store: Store, runs: pd.DataFrame) -> str:
    """Return the page."""
    kinds = {
        "harmonic": runs[(runs.mutation == "harmonic") & (runs.restarts == 0)],
        "harmonic, restarts": runs[runs.restarts > 0],
        "local": runs[runs.mutation == "local"],
    }

    def cells(write, k: int) -> list[str]:
        parts = (kind[kind.neurons == k] for kind in kinds.values())
        return [write(part) if len(part) else "–" for part in parts]

    ks = sorted(runs.neurons.unique())
    tables = [
        table(title, ["k = N", *kinds], [[str(k), *cells(write, k)] for k in ks])
        for title, write in (
            ("Successes", solved),
            ("Expected running time in evaluations", running_time),
            ("Final fitness", lambda part: mean(part.fitness)),
        )
    ]
    plain, again = kinds["harmonic"], kinds["harmonic, restarts"]
    versus = {
        f"k = {k}": (share(again[again.neurons == k]), share(plain[plain.neurons == k]))
        for k in ks[1:]
    }
    cost = value(again[again.neurons == 3]) / value(plain[plain.neurons == 3])
    return f"""# ARCS(k) with N = k neurons joined by OR

k equally spaced arcs, each half of its period, at D = 2 with exact fitness; r = 480, up to
{int(runs.budget.max()):,} evaluations per run, {len(plain) // len(ks)} runs of each kind. A run succeeds when every angle
and bias is less than one grid step from an optimum. Restarts follow 1,000 k evaluations without
improvement and count towards the same budget. {LEGEND}

{"".join(f"{part}{chr(10)}" for part in tables)}
## What it says

- With harmonic steps {trend("k", ks, [share(plain[plain.neurons == k]) for k in ks])}. A neuron that
  covers two arcs with the gap between them, or shares an arc with another, is the likely reason for failures: to
  improve, it has to jump.
- Mean fitness with harmonic steps is {plain.groupby("neurons").fitness.mean().min():.2f} or more for every k, where a constant answer has 0.5. Local steps end at
  {kinds["local"][kinds["local"].neurons == 10].fitness.mean():.2f} at k = 10, and succeed in {solved(kinds["local"][kinds["local"].neurons == 2])} at k = 2 and {solved(kinds["local"][kinds["local"].neurons == 3])} at k = 3.
- Restarts after 1,000 k evaluations without improvement: at k = 3 the expected running time is {cost:.2g} times that without. {sentence(succeeds_in("search with restarts", "search without", versus))}
  The limit of 1,000 k was not tuned.
"""
