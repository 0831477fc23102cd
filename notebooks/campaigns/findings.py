"""Run a campaign of this folder, as far as it is not done, and write its page of findings.

    python notebooks/campaigns/findings.py arcs --jobs 2

The runs are kept in ``arcs.store`` beside the file. A run depends on its setting and number only,
so the page comes out the same on every machine.
"""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats

from hyperna.experiments.campaign import Campaign
from hyperna.experiments.statistics import (
    bootstrap_interval,
    expected_running_time,
    holm,
    wilson_interval,
)
from hyperna.experiments.store import Store
from hyperna.experiments.tables import Sheet, count, markdown
from hyperna.fitness import Sampled

HERE = Path(__file__).parent
PAGES: dict[str, Callable[[Store, pd.DataFrame], str]] = {}
LEGEND = (
    "Shares have Wilson's 95 % interval, means a bootstrap one. ERT is the expected number of "
    "evaluations until success of an algorithm that starts anew after each failed run: all "
    "evaluations spent, divided by the successes. ∞ means that no run succeeded; the lower end is "
    "then what the largest success probability in Wilson's interval would give."
)


def page(make):
    """Enter a function that writes a page under its name."""
    PAGES[make.__name__] = make
    return make


def solved(runs: pd.DataFrame) -> str:
    """Solved runs of all, and the interval of their share in percent."""
    successes, n = int(runs.success.sum()), len(runs)
    low, high = wilson_interval(successes, n)
    return f"{successes}/{n} ({100 * low:.0f} … {100 * high:.0f} %)"


def running_time(runs: pd.DataFrame) -> str:
    """Expected running time and its interval."""
    ert = expected_running_time(runs.evaluations, runs.success)
    if ert.successes == 0:
        return f"∞ (from {whole(ert.low)})"
    return f"{whole(ert.value)} ({whole(ert.low)} … {whole(ert.high)})"


def whole(evaluations: float) -> str:
    """Write a number of evaluations without decimals."""
    return count(float(np.rint(evaluations)))


def mean(values, digits: int = 3) -> str:
    """Mean and its interval."""
    low, high = bootstrap_interval(values)
    return f"{np.mean(values):.{digits}f} ({low:.{digits}f} … {high:.{digits}f})"


def table(title: str, header: list[str], rows: list[list[str]], *left: int) -> str:
    """A Markdown table."""
    return markdown(Sheet("", title, header, rows, [], left=frozenset(left)))


def value(runs: pd.DataFrame) -> float:
    """Expected running time alone."""
    return expected_running_time(runs.evaluations, runs.success).value


@page
def arcs(store: Store, runs: pd.DataFrame) -> str:
    """ARCS(k) with as many neurons as arcs."""
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
            ("Solved runs", solved),
            ("Expected running time in evaluations", running_time),
            ("Fitness at the end", lambda part: mean(part.fitness)),
        )
    ]
    plain, again = kinds["harmonic"], kinds["harmonic, restarts"]
    better = [
        str(k)
        for k in ks[1:]
        if again[again.neurons == k].success.sum() > plain[plain.neurons == k].success.sum()
    ]
    gain = value(plain[plain.neurons == 3]) / value(again[again.neurons == 3])
    return f"""# ARCS(k) with N = k neurons joined by OR

k equally spaced arcs, each half of its period, at D = 2 with exact fitness; r = 480, up to
{int(runs.budget.max()):,} evaluations a run, {len(plain) // len(ks)} runs of each kind. A run succeeds when every angle
and bias is less than one grid step from an optimum. Restarts follow 1,000 k evaluations without
improvement and count towards the same budget. {LEGEND}

{"".join(f"{part}{chr(10)}" for part in tables)}
## What it says

- The share of solved runs falls with k: {solved(plain[plain.neurons == 2])} at k = 2, {solved(plain[plain.neurons == 4])} at k = 4,
  {solved(plain[plain.neurons == 10])} at k = 10. A neuron that covers two arcs with the gap between them, or shares an arc with
  another, is the likely reason: to improve, it has to jump.
- What is learnt is still most of the circle: mean fitness with harmonic steps stays at or above
  {plain.groupby("neurons").fitness.mean().min():.2f} for every k, where a constant answer has 0.5. Local steps end at
  {kinds["local"][kinds["local"].neurons == 10].fitness.mean():.2f} at k = 10, and solve {solved(kinds["local"][kinds["local"].neurons == 2])} at k = 2 and {solved(kinds["local"][kinds["local"].neurons == 3])} at k = 3.
- Restarts after 1,000 k evaluations without improvement raise the number of solved runs for k = {", ".join(better)}
  and lower the expected running time {gain:.0f}-fold at k = 3. From k = 6 on they do not help, and at k = 8 they harm
  ({solved(again[again.neurons == 8])} against {solved(plain[plain.neurons == 8])}): runs that would have succeeded are cut off.
  The patience is one choice, not tuned.
"""


@page
def heavy_tails(store: Store, runs: pd.DataFrame) -> str:
    """Continuous steps against harmonic ones."""
    runs = runs.assign(time=np.where(runs.success, runs.evaluations, np.inf))
    parts, ratios = [], {}
    for (name, r), part in runs.groupby(["problem", "resolution"], observed=True):
        groups = dict(list(part.groupby("mutation", observed=True)))
        harmonic = groups["harmonic"]
        others = [law for law in groups if law != "harmonic"]
        tests = [stats.mannwhitneyu(groups[law].time, harmonic.time) for law in others]
        p_holm = dict(zip(others, holm([test.pvalue for test in tests]), strict=True))
        chance = {
            law: test.statistic / len(groups[law]) / len(harmonic)
            for law, test in zip(others, tests, strict=True)
        }
        rows = []
        for law in sorted(groups, key=lambda law: value(groups[law])):
            runs_of = groups[law]
            versus = [f"{chance[law]:.2f}", p_text(p_holm[law])] if law in chance else ["–", "–"]
            rows.append([law_text(law), solved(runs_of), running_time(runs_of), *versus])
            ratios[name, r, law] = value(runs_of) / value(harmonic)
        header = ["steps", "solved", "ERT", "slower than harmonic", "p (Holm)"]
        parts.append(table(f"{name}, r = {r}", header, rows, 0))

    def ratio(problem: str, r: int, law: str) -> str:
        return f"{ratios[problem, r, law]:.2g}"

    def at(problem: str, r: int, law: str) -> pd.DataFrame:
        return runs[(runs.problem == problem) & (runs.resolution == r) & (runs.mutation == law)]

    quarter, half, one, two = (f"pareto:shape={s},scale=1.0" for s in (0.25, 0.5, 1.0, 2.0))
    slow, wide = "exponential:scale=10.0", "exponential:scale=100.0"
    heavy = [ratios[key] for key in ratios if key[2] in (quarter, half)]
    cauchy = [
        ratios[name, r, "cauchy:scale=1.0"] / ratios[name, r, one]
        for name, r, law in ratios
        if law == one
    ]
    stuck = at("local_opt", 1200, slow)
    return f"""# Real-valued steps with heavy tails against harmonic ones

D = 2, exact fitness, N = 1 (TWOQUARTERS: N = 2, OR). Continuous laws move angles and biases that are
kept to 40 binary digits; lengths are in grid steps of r, so that the same success is asked of all:
less than one grid step from an optimum in every component. Budget floor(100 r ln r), {len(harmonic)} runs of each law.
"Slower than harmonic" is the probability that a run of the law takes longer than a harmonic one
(0.5: no difference; failed runs last for ever), p is Mann-Whitney's, corrected for the nine
comparisons of a table. {LEGEND}

{chr(10).join(parts)}
## What it says

- Harmonic steps have the tail P(l > x) ≈ 1 - log x / log r, heavier than any power. Of the Pareto laws
  the heaviest, shapes 0.25 and 0.5, come closest: their ERT is {min(heavy):.2g} to {max(heavy):.2g} times the harmonic one over
  the eight tables, and they do not know r.
- A lighter tail costs more the finer the grid: on QUARTER shape 1 takes {ratio("quarter", 120, one)} times as long as
  harmonic steps at r = 120 and {ratio("quarter", 1200, one)} times at r = 1200, shape 2 takes {ratio("quarter", 120, two)} and {ratio("quarter", 1200, two)} times.
- Cauchy steps with scale 1 have the median and the kind of tail of Pareto's shape 1, a third thinner,
  and take {min(cauchy):.2g} to {max(cauchy):.2g} times as long as it. Scale 10 brings them to {ratio("quarter", 1200, "cauchy:scale=10.0")} times harmonic on QUARTER at r = 1200.
- Exponential steps work if their one length fits the grid. Scale 10 is not told apart from harmonic
  steps on HALF, QUARTER and LOCALOPT at r = 120; on LOCALOPT at r = 1200 it solves {solved(stuck)}, the
  others ending at a mean fitness of {stuck[~stuck.success].fitness.mean():.3f} instead of 3/4. Scale 100 escapes, and takes {ratio("quarter", 1200, wide)} times as long as
  harmonic steps on QUARTER at r = 1200. Heavy tails need no such choice.
- On TWOQUARTERS at r = 1200 shape 0.25 solves {solved(at("two_quarters", 1200, quarter))} against {solved(at("two_quarters", 1200, "harmonic"))} with
  harmonic steps; the intervals of the shares are apart, the test of the times is not conclusive (see p).
  At r = 120 no law is better than harmonic beyond doubt.
"""


def law_text(law: str) -> str:
    """Write a law without needless digits."""
    return law.replace(".0", "").replace(",scale=1", "")


def p_text(p: float) -> str:
    """Write a p value."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


@page
def cube(store: Store, runs: pd.DataFrame) -> str:
    """Corners of a cube labelled by parity."""
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


@page
def dimensions(store: Store, runs: pd.DataFrame) -> str:
    """The four problems for D = 2..64."""
    kinds = [(o, i) for o in ("or", "and", "evolved") for i in ("grid", "sphere")]
    seen = fresh_fitness(store)
    parts = []
    for name in ("half", "quarter", "two_quarters", "local_opt"):
        of_problem = runs[runs.problem == name]
        here = [kind for kind in kinds if kind[0] in set(of_problem.output)]
        neurons = int(of_problem.neurons.iloc[0])
        heads = ["D", *(init if name == "half" else f"{o}, {init}" for o, init in here)]
        groups = dict(list(of_problem.groupby(["dim", "output", "init"], observed=True)))
        fresh = dict(list(seen[seen.problem == name].groupby(["dim", "output", "init"])))
        for title, write, source in (
            ("runs that reach 95 %", lambda g: f"{g.success.sum()}/{len(g)}", groups),
            ("ERT to 95 %", running_time, groups),
            ("fitness at the end", lambda g: mean(g.fitness), groups),
            ("best run", lambda g: f"{g.fitness.max():.3f}", groups),
            ("on fresh points", lambda g: f"{g.fresh.mean():.3f}", fresh),
        ):
            dims = sorted({key[0] for key in source})
            rows = [[str(d), *(write(source[d, o, i]) for o, i in here)] for d in dims]
            parts.append(table(f"{name}, N = {neurons}: {title}", heads, rows))
    per = dict(list(runs.groupby(["problem", "dim", "output", "init"], observed=True)))

    def final(problem: str, dim: int, output: str = "or", init: str = "sphere") -> str:
        return f"{per[problem, dim, output, init].fitness.mean():.2f}"

    reach = {
        init: [d for d in sorted(runs.dim.unique()) if per["half", d, "or", init].success.all()]
        for init in ("grid", "sphere")
    }

    def best(problem: str, dim: int) -> str:
        return f"{runs[(runs.problem == problem) & (runs.dim == dim)].fitness.max():.3f}"

    few = runs[(runs.problem == "local_opt") & (runs.output == "evolved") & runs.dim.isin([3, 4])]
    late, late_runs = int(few.success.sum()), len(few)
    gap = seen.assign(gap=seen.fitness - seen.fresh).groupby("dim").gap.mean()
    fresh64 = seen[(seen.dim == 64)].groupby("problem").fresh.mean()
    n = len(per["half", 2, "or", "grid"])
    return f"""# The four problems for D = 2 to 64

Labels depend on the last two coordinates only; at D = 2 fitness is exact, above it is the share of 1,024
quasi-random points on the sphere (standard error below 0.016 for a network not chosen by them).
r = 120, harmonic steps, {n} runs a setting, at most {int(runs.budget.max()):,} evaluations; a run ends when it
reaches 95 %. HALF has one neuron, so its output layer is none. "On fresh points": mean over the first
{int(seen.groupby(["problem", "dim", "output", "init"]).size().max())} runs of each setting, repeated, of the share of 8,192 other points that is right. A
constant answer has fitness 0.5, on QUARTER 0.75, on LOCALOPT 0.583. {n} runs are few: a share of 0/{n} still allows {100 * wilson_interval(0, n).high:.0f} %, 10/10 as
little as {100 * wilson_interval(10, 10).low:.0f} %. {LEGEND}

{chr(10).join(parts)}
## What it says

- **HALF** is solved in every run up to D = {max(reach["grid"])} from the grid and up to D = {max(reach["sphere"])} from the sphere, in
  {running_time(per["half", 2, "or", "sphere"])} evaluations at D = 2 and {running_time(per["half", 8, "or", "sphere"])} at D = 8 (sphere). At D = 32 the sphere
  solves {solved(per["half", 32, "or", "sphere"])}, the grid {solved(per["half", 32, "or", "grid"])}; {n} runs do not tell the two apart.
- **QUARTER** is an intersection of two half-spaces, so AND fits it: at D = 4 it ends at {mean(per["quarter", 4, "and", "sphere"].fitness)}, OR
  at {mean(per["quarter", 4, "or", "sphere"].fitness)} (sphere). At D = 3 a union of two caps still reaches 95 %
  ({solved(per["quarter", 3, "or", "sphere"])}), from D = 4 on it never does. From D = 32 on nothing is learnt.
- **TWOQUARTERS** has no exact solution with two neurons once D > 2, whatever joins them; the best run of all
  has {best("two_quarters", 3)} at D = 3, {best("two_quarters", 4)} at D = 4 and {best("two_quarters", 8)} at D = 8.
- **LOCALOPT** with three neurons: above D = 2 only the evolved output reached 95 %, in {late} of {late_runs} runs at D = 3 and 4;
  OR ends at {final("local_opt", 4)} and AND at {final("local_opt", 4, "and")} there at D = 4, the evolved output at {final("local_opt", 4, "evolved")} (sphere).
- At D = 64 next to nothing is learnt within this budget: on fresh points {fresh64["half"]:.2f} (HALF), {fresh64["quarter"]:.2f}
  (QUARTER), {fresh64["two_quarters"]:.2f} (TWOQUARTERS), {fresh64["local_opt"]:.2f} (LOCALOPT). Two reasons are likely: a component is mutated
  with probability 1/M only, and at large D a cap whose bias is not near 0 holds next to no points or next
  to all, so that most biases give a constant answer and a plateau.
- Fitness on the training points flatters as D grows: by {gap[3]:.3f} at D = 3, {gap[16]:.3f} at D = 16 and {gap[64]:.3f} at
  D = 64 on average. Results at large D must be read on fresh points.
"""


def fresh_fitness(store: Store, repeats: int = 3, points: int = 8192) -> pd.DataFrame:
    """Repeat the first runs of each setting above D = 2 and test their networks on other points."""
    rows = []
    for setting in store.plan():
        if setting.dim == 2:
            continue
        task = setting.task()
        test = Sampled(setting.make_problem(), n=points, method="random", seed=1)
        for number in range(repeats):
            result = task.run(setting.entropy, number)
            key = {name: getattr(setting, name) for name in ("problem", "dim", "output", "init")}
            rows.append({**key, "fitness": result.fitness, "fresh": test(result.network)})
    return pd.DataFrame(rows)


def main() -> None:
    """Run the campaigns that were named and write their pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="+", choices=list(PAGES), metavar="NAME")
    parser.add_argument("--store", type=Path, help="folder of results (default: NAME.store)")
    parser.add_argument("--jobs", type=int, default=2, help="workers")
    args = parser.parse_args()
    for name in args.names:
        campaign = Campaign.from_toml(HERE / f"{name}.toml")
        store = campaign.run(args.store or HERE / f"{name}.store", n_jobs=args.jobs)
        runs = store.to_frame()
        text = PAGES[name](store, runs)
        source = (
            f"\nCampaign: [{name}.toml]({name}.toml), {len(runs):,} runs of "
            f"{runs.setting.nunique()} settings: minutes on two cores. Written by "
            f"`python notebooks/campaigns/findings.py {name}`.\n"
        )
        (HERE / f"{name}.md").write_text(text + source, encoding="utf-8")


if __name__ == "__main__":
    main()
