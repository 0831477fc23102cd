"""How the runtime of one neuron grows with D: exact chains, and simulation to D = 64."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

import itertools
import math
from collections.abc import Sequence

import pandas as pd

from hyperna.analysis.laws import fit_runtimes
from hyperna.analysis.statistics import expected_running_time
from hyperna.experiments.store import Store
from hyperna.report.dimensions import in_dimension
from hyperna.theory import expected_runtime

from .claims import quicker
from .writing import LEGEND, running_time, solved, table, title

COARSE = {"half": (4, 8, 12, 16), "quarter": (8, 12, 16)}
TARGETS = {"half": 0.9, "quarter": 0.85}
EXACT_DIMS = (2, 3, 4, 5)
# The largest D whose chain is solved in minutes, by resolution.
LARGEST_EXACT = {4: 8, 8: 8, 12: 6, 16: 5}
FINE = 120


def exact_means() -> dict[tuple[str, int, int], float]:
    """Exact expected evaluations by problem, resolution and D."""
    found = {}
    for name, resolutions in COARSE.items():
        for r in resolutions:
            for dim in range(2, LARGEST_EXACT[r] + 1):
                runtime = expected_runtime(name, r, dim=dim, target=TARGETS[name])
                found[name, r, dim] = runtime.mean
    return found


def with_error(runs: pd.DataFrame) -> tuple[float, float]:
    """Mean of the evaluations and its standard error."""
    times = runs.evaluations.to_numpy(dtype=float)
    return float(times.mean()), float(times.std(ddof=1) / math.sqrt(times.size))


def deviation(runs: pd.DataFrame, exact: float) -> float:
    """How many standard errors the mean of the runs is from the exact one."""
    mean, error = with_error(runs)
    return (mean - exact) / error


# ---- sentences


def agreement(deviations: Sequence[float]) -> str:
    """Say how far simulated means are from exact ones."""
    worst = max(abs(value) for value in deviations)
    verb = "agree" if worst <= 4 else "differ"
    return (
        f"Exact and simulated means {verb}: in {len(deviations)} cells the simulated mean is at most "
        f"{worst:.1f} standard errors from the exact one"
    )


def by_running_time(pairs: dict[int, tuple[pd.DataFrame, pd.DataFrame]]) -> str:
    """Say in which dimensions the first kind of runs has the smaller ERT, by disjoint intervals."""
    sides: dict[str, list[str]] = {"smaller": [], "larger": []}
    for dim, (one, other) in pairs.items():
        first, second = (
            expected_running_time(part.evaluations, part.success) for part in (one, other)
        )
        if first.high < second.low:
            sides["smaller"].append(str(dim))
        elif first.low > second.high:
            sides["larger"].append(str(dim))
    said = [f"{word} at D = {', '.join(dims)}" for word, dims in sides.items() if dims]
    if not said:
        return "no 95 % intervals of the ERT are disjoint"
    return f"their ERT is {' and '.join(said)} (disjoint 95 % intervals)"


def growth_per_dimension(means: dict[int, float]) -> str:
    """Say by which factor exact means grow from one D to the next, and the slope in log D."""
    dims = sorted(means)
    factors = [means[b] / means[a] for a, b in itertools.pairwise(dims)]
    slopes = [math.log(means[b] / means[a]) / math.log(b / a) for a, b in itertools.pairwise(dims)]
    falling = all(b < a for a, b in itertools.pairwise(factors))
    rising = all(b > a for a, b in itertools.pairwise(slopes))
    shape = "; the factor falls and the slope rises at every step" if falling and rising else ""
    if falling and not rising:
        shape = "; the factor falls at every step"
    if rising and not falling:
        shape = "; the slope rises at every step"
    return (
        f"from D = {dims[0]} to {dims[-1]} the factor from one D to the next goes from {factors[0]:.2f} to "
        f"{factors[-1]:.2f}, the slope in a doubly logarithmic picture from {slopes[0]:.2f} to {slopes[-1]:.2f}{shape}"
    )


def laws_in_dimension(runs: pd.DataFrame) -> str:
    """Say which growth laws in D fit the times, over the dimensions in which all runs succeed."""
    # growth laws are fitted from 3 on
    groups = {int(dim): part for dim, part in runs.groupby("dim") if dim > 2}
    whole = []
    for dim in sorted(groups):
        if not groups[dim].success.all():
            break
        whole.append(dim)
    if len(whole) < 5:
        return f"all runs succeed at {len(whole)} dimensions only, too few to fit a law"
    samples = [groups[dim].evaluations.to_numpy(dtype=float) for dim in whole]
    fits = [fit for fit in fit_runtimes(whole, samples) if fit.fits]
    ends = f"for D = {whole[0]} to {whole[-1]}, where all runs succeed,"
    if not fits:
        return f"{ends} none of the growth laws fits"
    told = "; ".join(in_dimension(fit.brief) for fit in fits)
    return f"{ends} these laws fit: {told}"


def failures(runs: pd.DataFrame) -> str:
    """Say from which D on runs fail within the budget."""
    groups = {int(dim): part for dim, part in runs.groupby("dim")}
    lost = [dim for dim in sorted(groups) if not groups[dim].success.all()]
    if not lost:
        return "every run succeeds"
    parts = [
        f"{len(groups[dim]) - int(groups[dim].success.sum())} of {len(groups[dim])} at D = {dim}"
        for dim in lost
    ]
    return f"runs fail within the budget ({', '.join(parts)})"


# ---- the page


def write(store: Store, runs: pd.DataFrame) -> str:
    """Return the page."""
    exact = exact_means()
    fine = runs[runs.resolution == FINE]
    parts, deviations = [], []
    for name, resolutions in COARSE.items():
        coarse = runs[(runs.problem == name) & (runs.resolution != FINE)]
        cells = dict(iter(coarse.groupby(["dim", "resolution"])))
        rows = []
        for dim in range(2, max(LARGEST_EXACT[r] for r in resolutions) + 1):
            row = [str(dim)]
            for r in resolutions:
                if (name, r, dim) not in exact:
                    row.append("")
                    continue
                text = f"{exact[name, r, dim]:,.3f}"
                if (dim, r) in cells:
                    mean, error = with_error(cells[dim, r])
                    deviations.append(deviation(cells[dim, r], exact[name, r, dim]))
                    text += f" ({mean:,.1f} ± {error:.1f})"
                row.append(text)
            rows.append(row)
        heads = ["D", *(f"r = {r}" for r in resolutions)]
        parts.append(
            table(
                f"{title(name)}, fitness {TARGETS[name]}: exact mean (simulated mean ± standard error)",
                heads,
                rows,
            )
        )
    sides = {}
    for name in COARSE:
        of_problem = fine[fine.problem == name]
        moves = dict(iter(of_problem.groupby(of_problem.move.astype(object).fillna("angle"))))
        sides[name] = moves
        dims = sorted(int(dim) for dim in of_problem.dim.unique())
        rows = []
        for dim in dims:
            row = [str(dim)]
            for move in ("angle", "rotation"):
                cell = moves[move][moves[move].dim == dim]
                row += [solved(cell), running_time(cell)]
            rows.append(row)
        heads = ["D", "angles: successes", "ERT", "rotations: successes", "ERT"]
        parts.append(
            table(
                f"{title(name)}, fitness {TARGETS[name]}, r = {FINE}: angle moves and rotations",
                heads,
                rows,
            )
        )
    n = int(fine.groupby("setting", observed=True).size().max())
    return f"""# How does the runtime grow with the dimension?

One neuron, harmonic steps, exact fitness in every dimension. A run succeeds at a fitness of {TARGETS["half"]} on HALF and {TARGETS["quarter"]} on
QUARTER, the same for all D; a constant answer has 0.5 and 0.75. On coarse grids the chain of all networks is solved exactly (the first network
is uniform on the grid); QUARTER has no network of that fitness at r = 4. At r = {FINE} there are {n} runs for each setting, which
begin with a direction uniform on the sphere, of at most {int(fine.budget.max()):,} evaluations. {LEGEND}

{chr(10).join(parts)}
## What it says

{findings(exact, deviations, sides)}
"""


def findings(
    exact: dict[tuple[str, int, int], float],
    deviations: Sequence[float],
    sides: dict[str, dict[str, pd.DataFrame]],
) -> str:
    """Sentences about the exact values and about the runs."""
    lines = [f"- {agreement(deviations)}."]
    for name, resolutions in COARSE.items():
        for r in resolutions:
            means = {dim: exact[name, r, dim] for dim in range(2, LARGEST_EXACT[r] + 1)}
            lines.append(f"- **{title(name)}, r = {r}, exact**: {growth_per_dimension(means)}.")
    for name, moves in sides.items():
        dims = sorted(int(dim) for dim in moves["angle"].dim.unique())
        pairs = {
            dim: tuple(moves[move][moves[move].dim == dim] for move in ("rotation", "angle"))
            for dim in dims
            if dim > 2
        }
        lines.append(
            f"- **{title(name)}, r = {FINE}**: ranked by their times, failed runs last, {quicker('rotations', 'angle moves', 'D', pairs)}; "
            f"{by_running_time(pairs)}."
        )
        for move, part in moves.items():
            word = "Angle moves" if move == "angle" else "Rotations"
            lines.append(f"- {word} on {title(name)}: {failures(part)}; {laws_in_dimension(part)}.")
    return "\n".join(lines)
