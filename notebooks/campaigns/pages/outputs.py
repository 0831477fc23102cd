"""Neurons joined by OR, AND, XOR or an evolved output."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

from collections.abc import Callable

import numpy as np
import pandas as pd

from hyperna.analysis.comparisons import holm
from hyperna.analysis.laws import ScalingFit, fit_runtimes, verdict
from hyperna.experiments.store import Store
from hyperna.fitness import Sampled

from .claims import compared, faster_in, sentence, share, succeeded_in, succeeds_in, told_apart
from .writing import LEGEND, mean, p_text, running_time, slower, solved, table, whole

Groups = dict[tuple, pd.DataFrame]
Pairs = dict[str, tuple[pd.DataFrame, pd.DataFrame]]
Measures = dict[str, Callable[[pd.DataFrame], str]]
SHARE_AND_TIME: Measures = {"successes": solved, "ERT": running_time}
MEASURES: Measures = {**SHARE_AND_TIME, "final fitness": lambda part: mean(part.fitness)}
ONCE, AGAIN = "one start", "with restarts"


def write(store: Store, runs: pd.DataFrame) -> str:
    """Return the page."""
    runs = runs.assign(
        start=np.where(runs.restarts > 0, AGAIN, ONCE),
        problem=runs.problem.astype(str).str.split(":").str[0],
    )
    of = dict(list(runs.groupby("problem")))
    flat = of["two_quarters"][of["two_quarters"].dim == 2]
    plane = by(flat[flat.resolution <= 1920], "mutation", "resolution", "output")
    arcs = by(of["arcs"], "start", "neurons", "output")
    cube = by(of["cube"], "dim", "neurons", "output")
    sphere = by(of["two_quarters"][of["two_quarters"].dim > 2], "start", "dim", "init", "output")
    quarter = by(of["quarter"], "dim", "output")
    xor = flat[(flat.output == "xor") & (flat.mutation == "harmonic")]
    ends = repeated(store)
    few, many = fits(xor[xor.resolution <= 1920]), fits(xor)
    time = xor.groupby("resolution").evaluations

    def harmonic(r: int, output: str) -> pd.DataFrame:
        return plane["harmonic", r, output]

    return f"""# Does it matter how neurons are joined?

Hidden neurons joined by OR (at least one fires), AND (all fire), XOR (an odd number fires) or an output neuron that
is evolved with them. {LEGEND}

## TWOQUARTERS in the plane, N = 2

D = 2, exact fitness, floor(100 r ln r) evaluations per run at most, {len(harmonic(120, "or"))} runs per cell ({len(harmonic(120, "xor")):,} with XOR and harmonic
steps). A run succeeds when every angle and bias is less than one grid step from an optimum. Up to the order of the
neurons, OR and AND have one optimum and XOR has six.

{tables(plane, "{} steps", "r", ["or", "and", "evolved", "xor"], MEASURES)}
How XOR's mean runtime with harmonic steps grows, where every run succeeded: the laws that
`hyperna.analysis.laws` fits. Beyond r = 1,920 the resolutions are 15,360, 122,880 and 983,040, with
{len(xor[xor.resolution == 15360]):,} runs each. Chi-square is the misfit in standard errors of the means, p its probability if the law were
true, the weight Akaike's among the laws that fit.

{growth("XOR, r = 120 to 1,920", few)}
{growth("XOR, r = 120 to 983,040", many)}
## ARCS(k), N = k

D = 2, exact fitness, r = 480, harmonic steps, at most {int(arcs[ONCE, 2, "or"].budget.iloc[0]):,} evaluations, {len(arcs[ONCE, 2, "or"])} runs per cell. A run succeeds at a fitness
of 0.97; a network with fewer than k arcs has at most 1 - 1/(2k). Nearness to an optimum, as in [arcs.md](arcs.md), could not be
required of all outputs: the optima of an XOR are too many to list from k = 5 on. Restarts follow 1,000 k evaluations without improvement and count
towards the same budget.

{tables(arcs, "{}", "k", ["or", "evolved", "xor"], SHARE_AND_TIME)}
## Corners of a cube, N = D, D + 2 and 2 D

As in [cube.md](cube.md): labels by parity, r = 120, harmonic steps, normals uniform on the sphere at the start, 100,000
evaluations at most, but {len(cube[3, 3, "xor"])} runs per cell. D neurons are enough for either output. "XOR slower" is the probability that
a run with XOR takes longer than one with an evolved output (0.5: no difference; failed runs count as infinite), p is
Mann-Whitney's, corrected for the {len(cube) // 2} comparisons.

{corners(cube)}
## TWOQUARTERS and QUARTER on spheres, N = 2

As in [dimensions.md](dimensions.md): fitness is the share of 1,024 quasi-random points that is right, a run succeeds at 95 %; r = 120, harmonic
steps, but 20,000 evaluations at most and {len(sphere[ONCE, 3, "grid", "or"])} runs per cell. Restarts follow 1,000 evaluations without improvement.
TWOQUARTERS is an XOR of two half-spaces, QUARTER an AND.

{on_spheres(sphere)}
{crossings(ends)}
{on_quarter(quarter)}
## What it says

{in_the_plane(plane, xor)}
- XOR's mean time grows {time.mean()[983040] / time.mean()[120]:.1f}-fold while r grows {983040 // 120:,}-fold. Up to r = 983,040 {verdict(many)}.
{on_arcs(arcs)}
{on_cubes(cube)}
{on_all_spheres(sphere, quarter, ends)}
"""


def in_the_plane(plane: Groups, xor: pd.DataFrame) -> str:
    """What TWOQUARTERS at D = 2 says, each sentence by a test."""
    sizes = sorted({r for _, r, _ in plane})

    def cells(steps: str, output: str) -> Pairs:
        return {f"r = {r:,}": (plane[steps, r, "xor"], plane[steps, r, output]) for r in sizes}

    def middle(output: str) -> str:
        runs_of = plane["harmonic", sizes[-1], output]
        return whole(np.median(np.where(runs_of.success, runs_of.evaluations, np.inf)))

    def of_all(steps: str, output: str) -> tuple[int, int]:
        return share(pd.concat([plane[steps, r, output] for r in sizes]))

    caught = pd.concat(
        part[~part.success] for (steps, _, _), part in plane.items() if steps == "local"
    )
    rivals = {output.upper(): of_all("local", output) for output in ("or", "and", "evolved")}
    against = "; ".join(
        compared("XOR", of_all("local", "xor"), name, other) for name, other in rivals.items()
    )
    medians = ", ".join(f"{middle(o)} with {o.upper()}" for o in ("or", "and", "evolved", "xor"))
    highest = (
        f" Runs that fail end at a fitness of {caught.fitness.max():.4f} at most."
        if len(caught)
        else ""
    )
    return f"""- **TWOQUARTERS in the plane**, harmonic steps: {xor.success.sum():,} of {len(xor):,} runs of XOR succeeded. {faster_in("XOR", "OR", cells("harmonic", "or"))};
  {faster_in("XOR", "the evolved output", cells("harmonic", "evolved"))}. ERT at r = {sizes[-1]:,}: {running_time(plane["harmonic", sizes[-1], "or"])} with OR, {running_time(plane["harmonic", sizes[-1], "xor"])} with XOR; medians
  {medians}.
- Local steps, all r together: {against}.{highest}"""


def on_arcs(arcs: Groups) -> str:
    """What ARCS(k) says, each sentence by a test."""
    sizes = sorted({k for _, k, _ in arcs})

    def cells(start: str, one: str, other: str) -> Pairs:
        return {f"k = {k}": (arcs[start, k, one], arcs[start, k, other]) for k in sizes}

    evolved = succeeds_in(
        "the evolved output",
        "OR",
        {f"k = {k}": (share(arcs[ONCE, k, "evolved"]), share(arcs[ONCE, k, "or"])) for k in sizes},
    )
    solved_once = ", ".join(f"{solved(arcs[ONCE, k, 'xor'])} at k = {k}" for k in sizes)
    return f"""- **ARCS(k)**, one start: {faster_in("XOR", "OR", cells(ONCE, "xor", "or"))}; {faster_in("XOR", "the evolved output", cells(ONCE, "xor", "evolved"))}. With restarts:
  {faster_in("XOR", "OR", cells(AGAIN, "xor", "or"))}; {faster_in("XOR", "the evolved output", cells(AGAIN, "xor", "evolved"))}.
  Started once, XOR succeeds in {solved_once}.
- One start: {evolved}."""


def on_cubes(cube: Groups) -> str:
    """What the corners of cubes say, each sentence by a test."""
    sizes = sorted({key[:2] for key in cube})
    cells = {f"D = {d}, N = {n}": (cube[d, n, "xor"], cube[d, n, "evolved"]) for d, n in sizes}
    return f"""- **Cube**: {faster_in("XOR", "the evolved output", cells)}. {sentence(told_apart("XOR", "the evolved output", cells))}"""


def on_all_spheres(sphere: Groups, quarter: Groups, ends: pd.DataFrame) -> str:
    """What TWOQUARTERS and QUARTER on spheres say, each sentence by a test."""
    dims = sorted({dim for _, dim, _, _ in sphere})

    def cells(*outputs: str) -> dict[str, pd.DataFrame]:
        return {
            f"D = {dim}": pd.concat(
                part for key, part in sphere.items() if key[1] == dim and key[3] in outputs
            )
            for dim in dims
        }

    others, xor = cells("or", "evolved"), cells("xor")
    best = ", ".join(f"{part.fitness.max():.3f} at {cell}" for cell, part in others.items())
    once, again = (
        share(pd.concat(p for k, p in sphere.items() if k[0] == start and k[3] == "xor"))
        for start in (ONCE, AGAIN)
    )
    lost = ends[~ends.success]
    beside = "; ".join(
        succeeds_in(
            "XOR",
            "the evolved output" if output == "evolved" else output.upper(),
            {f"D = {d}": (share(quarter[d, "xor"]), share(quarter[d, output])) for d in dims},
        )
        for output in ("or", "and", "evolved")
    )
    return f"""- **TWOQUARTERS on spheres**: with OR or an evolved output {succeeded_in(others)}, with XOR {succeeded_in(xor)}; the best run of OR or an evolved output
  has {best}. {sentence(compared("with restarts XOR", again, "XOR started once", once))} Of the {len(lost)} runs of XOR that failed after one start {(lost.cosine > 0.95).sum()} ended with two
  nearly parallel planes (cosine above 0.95), the slab between them being a local optimum.
- **QUARTER on spheres**: {beside}."""


def by(runs: pd.DataFrame, *keys: str) -> Groups:
    """Return the runs of each combination of keys."""
    return dict(list(runs.groupby(list(keys), observed=True)))


def tables(groups: Groups, title: str, name: str, outputs: list[str], measures: Measures) -> str:
    """Tables of runs grouped by kind, number and output, one for each kind and measure."""
    kinds, numbers = ({key[i]: None for key in groups} for i in (0, 1))

    def body(kind: str, write: Callable[[pd.DataFrame], str]) -> list[list[str]]:
        return [[f"{n:,}", *(write(groups[kind, n, o]) for o in outputs)] for n in numbers]

    return "\n".join(
        table(f"{title.format(kind)}: {measure}", [name, *outputs], body(kind, write))
        for kind in kinds
        for measure, write in measures.items()
    )


def fits(runs: pd.DataFrame) -> list[ScalingFit]:
    """Return growth laws of the runtime, the best first."""
    if not runs.success.all():
        raise ValueError("a growth law of the runtime wants runs that all succeeded")
    samples = {r: part.evaluations for r, part in runs.groupby("resolution")}
    return fit_runtimes(list(samples), list(samples.values()))


def _why_not(fit: ScalingFit) -> str:
    return "does not fit" if fit.grows else "falls for large r"


def growth(title: str, laws: list[ScalingFit]) -> str:
    """Table of growth laws."""
    rows = [
        [
            fit.equation,
            f"{fit.chi_square:,.0f} on {fit.degrees_of_freedom}",
            p_text(fit.p_value),
            f"{fit.weight:.3f}" if fit.fits else _why_not(fit),
        ]
        for fit in laws
    ]
    return table(title, ["law", "chi-square on degrees of freedom", "p", "weight"], rows, 0)


def corners(groups: Groups) -> str:
    """Table of the cube: XOR beside an evolved output."""
    sizes = list({key[:2]: None for key in groups})
    pairs = [(groups[*size, "evolved"], groups[*size, "xor"]) for size in sizes]
    chances, p_values = zip(*(slower(xor, evolved) for evolved, xor in pairs), strict=True)
    rows = [
        [
            *map(str, size),
            *(write(part) for write in MEASURES.values() for part in pair),
            f"{chance:.2f}",
            p_text(p),
        ]
        for size, pair, chance, p in zip(sizes, pairs, chances, holm(p_values), strict=True)
    ]
    measures = [f"{m}, {o}" for m in MEASURES for o in ("evolved", "xor")]
    return table("cube", ["D", "N", *measures, "XOR slower", "p (Holm)"], rows)


def on_spheres(groups: Groups) -> str:
    """Tables of TWOQUARTERS on spheres."""
    rows = list({key[1:3]: None for key in groups})
    outputs = ["or", "evolved", "xor"]
    return "\n".join(
        table(
            f"TWOQUARTERS, {start}: {measure}",
            ["D", "init", *outputs],
            [
                [str(d), init, *(write(groups[start, d, init, o]) for o in outputs)]
                for d, init in rows
            ],
            1,
        )
        for start in (ONCE, AGAIN)
        for measure, write in MEASURES.items()
    )


def on_quarter(groups: Groups) -> str:
    """Table of QUARTER on spheres."""
    rows = [
        [str(dim), output, *(write(groups[dim, output]) for write in MEASURES.values())]
        for dim in (3, 5)
        for output in ("or", "and", "evolved", "xor")
    ]
    return table("QUARTER, one start, init sphere", ["D", "output", *MEASURES], rows, 1)


def repeated(store: Store, points: int = 8192) -> pd.DataFrame:
    """Repeat the runs of XOR on TWOQUARTERS on spheres that start once, to see where they end.

    `cosine` is that of the angle between the planes: 1 if they are parallel.
    """
    rows = []
    for setting, count in store.wanted().items():
        xor = setting.problem == "two_quarters" and setting.output == "xor"
        if not xor or setting.points is None or setting.restarts:
            continue
        task = setting.runner()
        test = Sampled(setting.make_problem(), n=points, method="random", seed=1)
        for number in range(count):
            result = task.run(setting.entropy, number)
            (one, other), _ = result.network.weights()
            row = {"dim": setting.dim, "init": setting.init, "success": result.success}
            row |= {"cosine": abs(one @ other), "fitness": result.fitness}
            rows.append({**row, "fresh": test(result.network)})
    return pd.DataFrame(rows)


def crossings(ends: pd.DataFrame) -> str:
    """Table of the angle between the two planes of an XOR."""
    rows = [
        [
            str(dim),
            init,
            "succeeded" if success else "failed",
            str(len(part)),
            str((part.cosine > 0.95).sum()),
            str((part.cosine < 0.2).sum()),
            mean(part.fitness),
            mean(part.fresh),
        ]
        for (dim, init, success), part in ends.groupby(["dim", "init", "success"])
    ]
    angles = ["cosine > 0.95", "cosine < 0.2"]
    head = ["D", "init", "", "runs", *angles, "final fitness", "on 8,192 fresh points"]
    title = "TWOQUARTERS, XOR, one start: the cosine between the planes"
    return table(title, head, rows, 1, 2)
