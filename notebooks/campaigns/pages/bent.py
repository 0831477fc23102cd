"""Bent neurons compared with plain ones."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

from collections.abc import Callable

import numpy as np
import pandas as pd

from hyperna import expected_runtime, problem
from hyperna.experiments.store import Store

from .claims import compared, faster, share
from .writing import LEGEND, running_time, solved, table, title, value

KINDS = [("plain", True), ("plain", False), ("bent", True), ("bent", False)]


def write(store: Store, runs: pd.DataFrame) -> str:
    """Return the page."""
    runs = runs.assign(neuron=runs.neuron.astype(object).fillna("plain"))

    def at(name: str, mutation: str, r: int, neuron: str, bias: bool) -> pd.DataFrame:
        chosen = (runs.problem == name) & (runs.mutation == mutation) & (runs.resolution == r)
        return runs[chosen & (runs.neuron == neuron) & (runs.bias == bias)]

    parts = []
    for (mutation, name), part in runs.groupby(["mutation", "problem"], observed=True):
        rows = []
        for r in map(int, sorted(part.resolution.unique())):
            cells = [at(name, mutation, r, *kind) for kind in KINDS]
            best = [f"{cell.fitness.max():.4f}" for cell in cells]
            rows.append([power(r), "successes", *map(solved, cells)])
            rows.append(["", "ERT", *map(running_time, cells)])
            rows.append(["", "best fitness", *best])
        header = ["r", "", *(f"{kind}, {'bias' if bias else 'no bias'}" for kind, bias in KINDS)]
        parts.append(table(f"{name}, {mutation} steps", header, rows, 1))
    exact = {
        name: expected_runtime(problem(name), 120, bias=False, neuron="bent").mean
        for name in ("half", "quarter")
    }
    return f"""# Bent neurons compared with plain ones

D = 2, exact fitness, N = 1 (TWOQUARTERS: N = 2, OR), 100 runs per cell, at most 200,000 evaluations. A bent neuron
fires where x - b w makes an angle of at most its bend with its normal w; on the circle that is one arc, whose
half-width is the bend if the bias is fixed at 0. Success is what the search space allows: plain neurons without bias
succeed at a half circle that is as good as any, and bent neurons with bias at a fitness within 2N/r of the best, because
a curve of biases and bends is optimal; all others less than one grid step from an optimum. {LEGEND}

{chr(10).join(parts)}
## What it says

{findings(at, exact)}
"""


def findings(at: Callable[..., pd.DataFrame], exact: dict[str, float]) -> str:
    """What the runs say, each sentence by a test; `exact` are means of the chain at r = 120."""
    sizes = (120, 1_200, 2**20, 2**40)

    def best(name: str, neuron: str) -> str:
        return f"{max(at(name, 'harmonic', r, neuron, False).fitness.max() for r in sizes):.4f}"

    fitness = "; ".join(
        f"{title(name)} {best(name, 'bent')} bent, {best(name, 'plain')} plain"
        for name in ("half", "quarter", "two_quarters", "local_opt")
    )

    def beside(name: str, r: int) -> str:
        bent, plain = at(name, "harmonic", r, "bent", False), at(name, "harmonic", r, "plain", True)
        times = faster("a bent neuron without bias", bent, "a plain one with bias", plain)
        return f"{times}, the ERT being {value(bent) / value(plain):.2g} times as long"

    def apart(name: str) -> str:
        times = at(name, "harmonic", 120, "bent", False).evaluations
        error = (times.mean() - exact[name]) / (times.std(ddof=1) / np.sqrt(len(times)))
        return f"{exact[name]:.2f} on {title(name)} (the table: {times.mean():.2f}, {error:+.1f} standard errors)"

    caught = (
        at("local_opt", "local", 120, "bent", False),
        at("local_opt", "local", 120, "plain", True),
    )
    return f"""- Best fitness of all runs without biases, harmonic steps: {fitness}.
- A bent neuron has three components, each of which mutates with probability 1/3; a fixed bias keeps that probability. On QUARTER
  at r = 120 {beside("quarter", 120)}; at r = 2^40 {beside("quarter", 2**40)}.
- The exact chain gives the mean evaluations of one bent neuron without bias at r = 120: {apart("half")}, {apart("quarter")}.
- Local steps on LOCALOPT at r = 120: {compared("bent without bias", share(caught[0]), "plain with bias", share(caught[1]))}."""


def power(r: int) -> str:
    """Write a large resolution as a power of two."""
    return f"2^{r.bit_length() - 1}" if r >= 2**20 and r & (r - 1) == 0 else f"{r:,}"
