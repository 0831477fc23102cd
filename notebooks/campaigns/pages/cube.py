"""Corners of a cube labelled by parity."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

import pandas as pd

from hyperna.store.store import Store

from .writing import LEGEND, mean, running_time, solved, table


def write(store: Store, runs: pd.DataFrame) -> str:
    """Return the page."""
    rows, best = [], []
    for (dim, output), part in runs.groupby(["dim", "output"], observed=True):
        groups = list(part.groupby("neurons"))
        rows += [
            [str(dim), output, str(n), solved(g), running_time(g), mean(g.fitness)]
            for n, g in groups
        ]
        found = [(n, g) for n, g in groups if g.success.any()]
        smallest = [str(found[0][0]), solved(found[0][1])] if found else ["none", "–"]
        top = max(groups, key=lambda pair: pair[1].success.mean())
        often = [str(top[0]), solved(top[1])] if found else ["–", "–"]
        known = f"at most {dim}" if output == "evolved" else f"exactly {2 ** (dim - 1)}"
        tried = ", ".join(str(n) for n, _ in groups)
        best.append([str(dim), output, known, tried, *smallest, *often])
    everything = table(
        "All settings", ["D", "output", "N", "solved", "ERT", "fitness at the end"], rows, 1
    )
    header = ["D", "output", "N needed", "N tried", "smallest N solved", "share", "best N", "share"]
    summary = table("Smallest N that solves", header, best, 1, 2, 3)
    at = dict(list(runs.groupby(["dim", "output", "neurons"], observed=True)))
    unsolved = sorted({int(d) for d, part in runs.groupby("dim") if not part.success.any()})
    return f"""# Cube corners by parity: how many neurons, and how often

The 2^D corners (±1, …, ±1)/√D, positive if an odd number of coordinates is positive; r = 120, harmonic
steps, normals drawn uniformly on the sphere at the start, {int(runs.budget.min()):,} evaluations a run at most
({int(runs.budget.max()):,} with N = 21 at D = 7 and N = 24 at D = 8), 50 runs a setting at D ≤ 3, falling to 5 at D = 8. OR with
the 64 and 128 neurons that D = 7 and 8 need was left out, after what it did at D = 6. {LEGEND}

What must be so: the corners on one side of a plane are connected by edges of the cube, and edges change
the parity, so a half-space with positive corners only has just one of them. An OR therefore needs
2^(D-1) neurons, an AND as many by symmetry. An evolved output does with D: neuron k fires if at least
k coordinates are positive, and the output adds them with alternating signs.

{summary}
{everything}
## What it says

- The evolved output with N = D neurons, which suffice, solves {solved(at[3, "evolved", 3])} at D = 3, {solved(at[4, "evolved", 4])} at
  D = 4, {solved(at[5, "evolved", 5])} at D = 5 and {solved(at[6, "evolved", 6])} at D = 6. With N = D - 1 no run succeeded at D = 2, 3, 4, 5.
- Neurons to spare help it: at D = 4 the expected running time falls from {running_time(at[4, "evolved", 4])} with N = 4
  to {running_time(at[4, "evolved", 8])} with N = 8, and N = 2 D = 12 solves {solved(at[6, "evolved", 12])} at D = 6.
- OR with the fewest possible neurons solves {solved(at[3, "or", 4])} at D = 3 and {solved(at[4, "or", 8])} at D = 4, AND
  {solved(at[3, "and", 4])} and {solved(at[4, "and", 8])}; with 12 neurons at D = 4 they solve {solved(at[4, "or", 12])} and
  {solved(at[4, "and", 12])}. The two are one problem with the classes swapped, and nothing here tells them apart.
- From D = 5 on no OR or AND succeeded. Neurons that fire on half of the corners each make an OR the
  constant 1 at the start, a plateau of fitness 1/2: all {len(at[6, "or", 32])} runs at D = 6, N = 32 ended on it.
- {"No run solved D = " + " or ".join(map(str, unsolved)) + ". " if unsolved else ""}With 3 D neurons and five times the budget the evolved output solves {solved(at[7, "evolved", 21])} at D = 7
  and {solved(at[8, "evolved", 24])} at D = 8, with a fitness of {mean(at[7, "evolved", 21].fitness)} and
  {mean(at[8, "evolved", 24].fitness)} at the end; fewer neurons had the smaller budget only, so this
  does not show that they would fail. Shares of 5 to 10 runs are rough, as their intervals say.
"""
