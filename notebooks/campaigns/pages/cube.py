"""Corners of a cube labelled by parity."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

from collections.abc import Callable

import pandas as pd

from hyperna.experiments.store import Store

from .claims import compared, faster, share, succeeded_in, told_apart
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
        often = most_often(groups) if found else ["–", "–"]
        known = f"at most {dim}" if output == "evolved" else f"exactly {2 ** (dim - 1)}"
        tried = ", ".join(str(n) for n, _ in groups)
        best.append([str(dim), output, known, tried, *smallest, *often])
    everything = table(
        "All settings", ["D", "output", "N", "successes", "ERT", "final fitness"], rows, 1
    )
    header = ["D", "output", "N needed", "N tried", "smallest N", "share", "best N", "share"]
    summary = table("Smallest N that succeeds", header, best, 1, 2, 3)
    return f"""# Cube corners by parity: how many neurons, and how often

The 2^D corners (±1, …, ±1)/√D, positive if an odd number of coordinates is positive; r = 120, harmonic
steps, normals drawn uniformly on the sphere at the start, {int(runs.budget.min()):,} evaluations per run at most
({int(runs.budget.max()):,} with N = 21 at D = 7 and N = 24 at D = 8), 50 runs per setting at D ≤ 3, falling to 5 at D = 8. OR with
the 64 and 128 neurons that D = 7 and 8 need was left out because of its results at D = 6. {LEGEND}

What is known: the corners on one side of a plane are connected by edges of the cube, and edges change
the parity, so a half-space that contains no negative corner contains at most one positive corner. An OR therefore needs
2^(D-1) neurons, an AND as many by symmetry. An evolved output needs only D: neuron k fires if at least
k coordinates are positive, and the output adds them with alternating signs.

{summary}
{everything}
## What it says

{findings(runs)}
"""


def most_often(groups: list[tuple[int, pd.DataFrame]]) -> list[str]:
    """The number of neurons with the largest share of successes, all of them if several have it."""
    largest = max(part.success.mean() for _, part in groups)
    best = [(n, part) for n, part in groups if part.success.mean() == largest]
    return [", ".join(str(n) for n, _ in best), solved(best[0][1])]


def findings(runs: pd.DataFrame) -> str:
    """What the runs say, each sentence by a test."""
    at = dict(list(runs.groupby(["dim", "output", "neurons"], observed=True)))

    def cells(output: str, few: Callable[[int], int]) -> dict[str, pd.DataFrame]:
        keys = sorted(key for key in at if key[1] == output and key[2] == few(key[0]))
        return {f"D = {key[0]}": at[key] for key in keys}

    enough = cells("evolved", lambda dim: dim)
    shares = ", ".join(f"{solved(part)} at {cell}" for cell, part in enough.items())
    joined = {
        f"D = {d}, N = {n}": (at[d, "or", n], at[d, "and", n])
        for d, output, n in at
        if output == "or" and (d, "and", n) in at
    }
    joined_runs = runs[runs.output.isin(["or", "and"]) & (runs.dim >= 5)]
    wide = {f"D = {dim}": part for dim, part in joined_runs.groupby("dim")}
    flat = at[6, "or", 32]
    on_plateau = int((flat.fitness == 0.5).sum())
    long = {key: part for key, part in at.items() if part.budget.iloc[0] > runs.budget.min()}
    spent = "; ".join(
        f"{solved(part)} at D = {d} with N = {n}, fitness {mean(part.fitness)} at the end"
        for (d, _, n), part in long.items()
    )
    return f"""- With N = D neurons, which suffice, the evolved output succeeds in {shares}. With N = D - 1 {succeeded_in(cells("evolved", lambda dim: dim - 1))}.
- Neurons to spare, evolved output: at D = 4 {faster("N = 8", at[4, "evolved", 8], "N = 4", at[4, "evolved", 4])}, ERT {running_time(at[4, "evolved", 8])} and
  {running_time(at[4, "evolved", 4])}; at D = 6 {compared("N = 12", share(at[6, "evolved", 12]), "N = 6", share(at[6, "evolved", 6]))}.
- OR with the fewest possible neurons succeeds in {solved(at[3, "or", 4])} at D = 3 and {solved(at[4, "or", 8])} at D = 4, AND
  {solved(at[3, "and", 4])} and {solved(at[4, "and", 8])}. The two are one problem with the classes swapped, and {told_apart("OR", "AND", joined)}.
- OR and AND from D = 5 on: {succeeded_in(wide)}. Neurons that fire on half of the corners each make an OR the
  constant 1 at the start, a plateau of fitness 1/2: {on_plateau} of {len(flat)} runs at D = 6, N = 32 ended on it.
- With {runs.budget.max() // runs.budget.min()} times the budget the evolved output succeeds in {spent}; fewer neurons had the smaller budget only, so
  this does not show that they would fail."""
