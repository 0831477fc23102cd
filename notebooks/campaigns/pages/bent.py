"""Bent neurons beside plain ones."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

import pandas as pd

from hyperna import expected_runtime, problem
from hyperna.store.store import Store

from .writing import LEGEND, running_time, solved, table, value

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
            rows.append([power(r), "solved", *map(solved, cells)])
            rows.append(["", "ERT", *map(running_time, cells)])
            rows.append(["", "best fitness", *best])
        header = ["r", "", *(f"{kind}, {'bias' if bias else 'no bias'}" for kind, bias in KINDS)]
        parts.append(table(f"{name}, {mutation} steps", header, rows, 1))
    exact = {
        name: expected_runtime(problem(name), 120, bias=False, neuron="bent").mean
        for name in ("half", "quarter")
    }
    finest = 2**40

    def ratio(name: str, r: int) -> str:
        bent, plain = at(name, "harmonic", r, "bent", False), at(name, "harmonic", r, "plain", True)
        return f"{value(bent) / value(plain):.2g}"

    stuck = at("local_opt", "local", 120, "bent", False)
    plain_stuck = at("local_opt", "local", 120, "plain", True)
    return f"""# Bent neurons beside plain ones

D = 2, exact fitness, N = 1 (TWOQUARTERS: N = 2, OR), 100 runs a cell, at most 200,000 evaluations. A bent neuron
fires where x - b w makes an angle of at most its bend with its normal w; on the circle that is one arc, whose
half-width is the bend if the bias is fixed at 0. Success is what the search space allows: plain neurons without bias
succeed at a half circle that is as good as any, and bent neurons with bias at a fitness within 2N/r of the best, because
a curve of biases and bends is optimal; all others less than one grid step from an optimum. {LEGEND}

{chr(10).join(parts)}
## What it says

- Without biases bent neurons solve all four problems, in the shares shown: the best fitness is 1 on HALF, QUARTER and
  TWOQUARTERS and 3/4 on LOCALOPT, as with biases; plain neurons without biases reach 3/4 on QUARTER and TWOQUARTERS.
- A bent neuron has three components, each of which mutates with probability 1/3; a fixed bias keeps that probability. So
  with harmonic steps the ERT without bias is {ratio("quarter", 120)} times that of plain neurons with bias on QUARTER at r = 120
  and {ratio("quarter", finest)} times at r = 2^40.
- The exact chain gives the mean of one bent neuron without bias at r = 120: {exact["half"]:.2f} evaluations on HALF,
  {exact["quarter"]:.2f} on QUARTER; the tables show {value(at("half", "harmonic", 120, "bent", False)):.0f} and {value(at("quarter", "harmonic", 120, "bent", False)):.0f}.
- Local steps are caught on LOCALOPT with either kind: at r = 120 {solved(stuck)} bent runs without bias
  get out, {solved(plain_stuck)} plain ones with bias.
"""


def power(r: int) -> str:
    """Write a large resolution as a power of two."""
    return f"2^{r.bit_length() - 1}" if r >= 2**20 and r & (r - 1) == 0 else f"{r:,}"
