"""How tight the arguments of the paper's theorems are, from exact drifts."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from hyperna._words import number
from hyperna.theory import Drift, ExactRuntime, drift, expected_runtime, fit_potential

from .writing import table

# Multiples of 8, as the theorem on QUARTER has them.
RESOLUTIONS = (16, 24, 32, 48, 64, 96, 120, 160, 240, 320, 480)
# Two neurons: chains that take a minute or two.
PAIR_RESOLUTIONS = (16, 24, 32)


@dataclass(frozen=True)
class Row:
    """What a potential gives at one resolution.

    `rate` is its least relative drift, `bound` what follows for the mean, `exact` the mean, `upper`
    and `lower` the best bounds of a + b log(potential), `failing` the number of networks of `all`
    where the potential does not fall.
    """

    resolution: int
    rate: float
    additive_rate: float
    bound: float
    additive_bound: float
    exact: float
    upper: float
    lower: float
    failing: int
    all: int

    @property
    def harmonic_number(self) -> float:
        """H_r."""
        return sum(1 / i for i in range(1, self.resolution + 1))


def row_of(found: Drift, family: Sequence[str], above: float | None = None) -> Row:
    """All numbers of a potential."""
    runtime = found.runtime
    upper = fit_potential(runtime, family, above=above).bound
    lower = fit_potential(runtime, family, above=above, lower=True).bound
    return Row(
        runtime.grid.resolution,
        found.multiplicative_rate,
        found.additive_rate,
        found.multiplicative_bound,
        found.additive_bound,
        found.exact,
        upper,
        lower,
        int(found.failing.sum()),
        int(found.free.sum()),
    )


def rows_of(
    runtimes: Sequence[ExactRuntime],
    potential: str,
    family: Sequence[str],
    above: float | None = None,
) -> list[Row]:
    """The numbers of a potential at several resolutions."""
    return [row_of(drift(runtime, potential, above=above), family, above) for runtime in runtimes]


# ---- sentences


def power_sentence(rows: Sequence[Row]) -> str:
    """Say with which power of H_r the least relative drift falls, by least squares of logarithms.

    The values are exact; how they scatter around a power says how well one describes them.
    """
    ends = f"r = {rows[0].resolution} and {rows[-1].resolution}"
    good = [row for row in rows if row.rate > 0]
    if len(good) < 4:
        return f"between {ends} there are too few values to tell how the least relative drift falls"
    x = np.log([row.harmonic_number for row in good])
    y = np.log([row.rate for row in good])
    fit = stats.linregress(x, y)
    reach = float(stats.t.ppf(0.975, len(good) - 2)) * float(fit.stderr)
    power = -float(fit.slope)
    low, high = power - reach, power + reach
    inside = [str(k) for k in (1, 2) if low <= k <= high]
    told = f"which holds {' and '.join(inside)}" if inside else "which holds neither 1 nor 2"
    return (
        f"between {ends} the least relative drift falls like H_r to the power of -{power:.2f} "
        f"(least squares over {len(good)} resolutions; 95 % interval of the power {low:.2f} to "
        f"{high:.2f}, {told})"
    )


def additive_sentence(rows: Sequence[Row]) -> str:
    """Say how the least drift times r varies."""
    products = [row.additive_rate * row.resolution for row in rows]
    return f"its least drift is {min(products):.3g}/r to {max(products):.3g}/r"


def tightness(rows: Sequence[Row], which: Callable[[Row], float] = lambda row: row.bound) -> str:
    """Say how many times the exact mean a bound is, at both ends."""
    first, last = rows[0], rows[-1]
    parts = []
    for row in (first, last):
        factor = which(row) / row.exact
        parts.append("no bound" if math.isinf(factor) else f"{factor:.2f}")
    return (
        f"{parts[0]} times the exact mean at r = {first.resolution} and {parts[1]} times at "
        f"r = {last.resolution}"
    )


def local_meaning(rows: Sequence[Row]) -> str:
    """Say what a least drift of the order 1/r everywhere means for the proof."""
    products = [row.additive_rate * row.resolution for row in rows]
    if min(products) <= 0 or max(products) > 3 * min(products):
        return ""
    return (
        ", so that at these resolutions the order O(r) follows without the sequences of several "
        "steps that the proof uses on plateaus"
    )


def failing_sentence(rows: Sequence[Row]) -> str:
    """Say where a potential does not fall."""
    bad = [row for row in rows if row.failing]
    if not bad:
        return "it falls in every network at every resolution"
    counts = ", ".join(f"{row.failing:,} of {row.all:,} at r = {row.resolution}" for row in bad)
    rest = [str(row.resolution) for row in rows if not row.failing]
    also = f"; it falls everywhere at r = {', '.join(rest)}" if rest else ""
    return f"there are networks where it does not fall ({counts}){also}"


# ---- tables


def bound_text(value: float) -> str:
    """A bound, or that there is none."""
    return "none" if math.isinf(value) else number(value)


def rate_table(title: str, rows: Sequence[Row], scaled: str, scale: Callable[[Row], float]) -> str:
    """Rates and bounds of a potential."""
    header = ["r", f"least relative drift × {scaled}", "failing", "bound", "exact mean"]
    header += ["bound of a + b log g", "lower bound of a + b log g"]
    cells = [
        [
            str(row.resolution),
            f"{row.rate * scale(row):.4f}",
            f"{row.failing:,} of {row.all:,}",
            bound_text(row.bound),
            f"{row.exact:.2f}",
            bound_text(row.upper),
            f"{row.lower:.2f}",
        ]
        for row in rows
    ]
    return table(title, header, cells)


def additive_table(title: str, rows: Sequence[Row]) -> str:
    """Least drift and the bound that follows."""
    header = ["r", "least drift", "failing", "bound", "exact mean"]
    cells = [
        [
            str(row.resolution),
            f"{row.additive_rate:.6f}",
            f"{row.failing:,} of {row.all:,}",
            bound_text(row.additive_bound),
            f"{row.exact:.2f}",
        ]
        for row in rows
    ]
    return table(title, header, cells)


# ---- the page


def first_case(runtime: ExactRuntime) -> float:
    """Least relative drift of QUARTER's missing fitness where the proof turns the line only.

    That is where the angle is farther from its best value than the arc's length is, and the bias is
    below its best value: the proof has 1/(24 H_r) there.
    """
    found = drift(runtime, "missing fitness", above=0.75)
    r = runtime.grid.resolution
    angle, level = np.indices(runtime.per_state.shape)
    eta = 2 * np.arccos(2 * level / r - 1) - math.pi / 2
    away = np.abs((2 * math.pi * angle / r - math.pi / 4 + math.pi) % (2 * math.pi) - math.pi)
    chosen = found.free & (eta > 0) & (away > eta)
    return float((found.drift[chosen] / found.values[chosen]).min())


def write() -> str:
    """Return the page."""
    log = ("one", "log missing fitness")
    half = [expected_runtime("half", r, bias=False) for r in RESOLUTIONS]
    half_rows = rows_of(half, "distance", ("one", "log distance"))
    half_local = rows_of(
        [expected_runtime("half", r, "local", bias=False) for r in RESOLUTIONS],
        "distance",
        ("one", "distance"),
    )
    quarter = [expected_runtime("quarter", r) for r in RESOLUTIONS]
    quarter_rows = rows_of(quarter, "missing fitness", log, 0.75)
    anywhere = rows_of(quarter, "missing fitness", log)
    printed = rows_of(quarter, "paper quarter", log, 0.75)
    first = [
        first_case(runtime) * 24 * row.harmonic_number
        for runtime, row in zip(quarter, quarter_rows, strict=True)
    ]
    quarter_local = [expected_runtime("quarter", r, "local") for r in RESOLUTIONS]
    local_rows = rows_of(quarter_local, "missing fitness", ("distance", "missing fitness"), 0.75)
    local_opt = [expected_runtime("local_opt", r) for r in RESOLUTIONS]
    local_opt_rows = rows_of(local_opt, "missing fitness", log, 2 / 3)
    pairs = [expected_runtime("two_quarters", r, neurons=2) for r in PAIR_RESOLUTIONS]
    pair_rows = rows_of(pairs, "missing fitness", log, 0.75)

    def h(row: Row) -> float:
        return row.harmonic_number

    parts = [
        rate_table(
            "HALF without bias, harmonic steps: the distance to the optimum in steps",
            half_rows,
            "4 H_r",
            lambda row: 4 * h(row),
        ),
        additive_table(
            "HALF without bias, local steps: the distance to the optimum in steps", half_local
        ),
        rate_table(
            "QUARTER, harmonic steps, above fitness 3/4: missing fitness", quarter_rows, "H_r", h
        ),
        rate_table("QUARTER, harmonic steps, from everywhere: missing fitness", anywhere, "H_r", h),
        rate_table(
            "QUARTER, harmonic steps, above fitness 3/4: the potential as printed",
            printed,
            "H_r",
            h,
        ),
        additive_table("QUARTER, local steps, above fitness 3/4: missing fitness", local_rows),
        rate_table(
            "LOCALOPT, harmonic steps, above fitness 2/3: missing fitness", local_opt_rows, "H_r", h
        ),
        rate_table(
            "TWOQUARTERS, two neurons, harmonic steps, above fitness 3/4: missing fitness",
            pair_rows,
            "H_r",
            h,
        ),
    ]
    square = [runtime.mean / runtime.grid.resolution**2 for runtime in quarter_local]
    return f"""# How tight are the arguments of the theorems?

The proofs of the paper choose a potential and bound how fast it falls. Here the drift is exact, in every network, for
r = {RESOLUTIONS[0]} to {RESOLUTIONS[-1]} (two neurons: {PAIR_RESOLUTIONS[0]} to {PAIR_RESOLUTIONS[-1]}). The *least relative drift* is the smallest drift divided by the potential, which
multiplicative drift turns into the bound (1 + ln(g / g_min)) / rate; means and bounds are averages over uniform starts in the region that the
argument is about. "a + b log g" is the best bound that additive drift gives for such a combination (a linear programme), from above and
from below. H_r is the harmonic number. Mutation has probability 1/2 for each component, as the algorithm defines it; the paper's
rate 1/(2 H_r) for HALF is that of a mutation of the angle, so that it is 1/(4 H_r) here.

{chr(10).join(parts)}
## What it says

- **HALF without bias, harmonic.** The proof's rate is 1/(4 H_r). The least relative drift is that rate times r/(r - 1), which is the share of
  steps that go around the circle ({half_rows[0].rate * 4 * h(half_rows[0]):.4f} at r = {half_rows[0].resolution}, {half_rows[-1].rate * 4 * h(half_rows[-1]):.4f} at r = {half_rows[-1].resolution}); it is least at distance 1. The bound is {tightness(half_rows)}.
  A potential a + b log(distance) gives {tightness(half_rows, lambda row: row.upper)}.
- **HALF without bias, local.** The least drift of the distance is {half_local[0].additive_rate:.4g}, the proof's 1/4, at every resolution; the bound is {tightness(half_local, lambda row: row.additive_bound)}.
- **QUARTER, harmonic.** Above fitness 3/4, {failing_sentence(quarter_rows)}; {power_sentence(quarter_rows)}.
  The proof has 1/ln² r in its second case, which makes the bound O(log³ r); with a rate of 1/log r the same argument would give O(log² r), the growth
  that is measured. In its first case, where the line is turned, the proof has 1/(24 H_r); the exact least rate there is {min(first):.2f} to {max(first):.2f} times that.
  The bound from the exact rate is {tightness(quarter_rows)}, with a + b log(missing fitness) {tightness(quarter_rows, lambda row: row.upper)}.
  From everywhere, {failing_sentence(anywhere)}, and {power_sentence(anywhere)}.
- **The potential as printed** for QUARTER, |η| + max(0, d - |η|/2): {failing_sentence(printed)}. With the factor 2 that the wrongly classified
  length has, |η| + max(0, 2 (d - |η|/2)), it is 2π times the missing fitness.
- **QUARTER, local.** Above fitness 3/4, {failing_sentence(local_rows)}, in a single step; {additive_sentence(local_rows)}{local_meaning(local_rows)}. The bound is {tightness(local_rows, lambda row: row.additive_bound)}; the best combination of distance and
  missing fitness gives {tightness(local_rows, lambda row: row.upper)}. From everywhere the exact mean is {square[0]:.3f} r² at r = {RESOLUTIONS[0]} and {square[-1]:.3f} r²
  at r = {RESOLUTIONS[-1]}.
- **LOCALOPT, harmonic.** Above fitness 2/3, {failing_sentence(local_opt_rows)}; {power_sentence(local_opt_rows)}.
  The bound is {tightness(local_opt_rows)}.
- **TWOQUARTERS, two neurons, harmonic.** Above fitness 3/4, {failing_sentence(pair_rows)}; {power_sentence(pair_rows)}. The bound is {tightness(pair_rows)}.
"""
