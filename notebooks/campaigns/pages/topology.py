"""A number of neurons that evolves, beside fixed numbers and NEAT."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

import pandas as pd

from hyperna.experiments.store import Store

from .claims import compared, quicker, sentence, share
from .topology_curved import section
from .writing import LEGEND, mean, running_time, solved, table

OUTPUTS = ("or", "xor", "evolved")


def case(row: pd.Series) -> str:
    """Name a problem."""
    return f"cube, D = {row.dim}" if row.problem == "cube" else f"ARCS({row.problem.split('=')[1]})"


def sizes(runs: pd.DataFrame, fewest: int) -> str:
    """Say with how many neurons the successful runs end, and how many of them with the fewest."""
    done = runs[runs.success].neurons_used.astype(int)
    if not len(done):
        return "–"
    return f"{mean(done, 1)}; {int((done == fewest).sum())} of {len(done)} with {fewest}"


def beside_neat(own: pd.DataFrame, neat: pd.DataFrame) -> list[str]:
    """Compare shares of runs that succeed within NEAT's budget."""
    budget, says = int(neat.budget.iloc[0]), []
    for name, part in neat.groupby("case"):
        runs = own[(own.case == name) & (own.output == "evolved")]
        within = int((runs.success & (runs.evaluations <= budget)).sum()), len(runs)
        text = compared(
            "an evolved number of neurons with an evolved output", within, "NEAT", share(part)
        )
        says.append(f"{name}, within {budget:,} evaluations: {text}")
    return says


def write(store: Store, runs: pd.DataFrame) -> str:
    """Return the page."""
    runs = runs.assign(
        case=runs[["problem", "dim"]].apply(case, axis=1), neurons=runs.neurons.astype(str)
    )
    neat = runs[runs.algorithm.astype(str).str.startswith("neat")]
    own = runs.drop(neat.index)
    parts, says = [], []
    for output in OUTPUTS:
        rows: list[list[str]] = []
        # by kind of problem and number of neurons to compare with: pairs of runs for each k or D
        pairs: dict[tuple[str, str], dict[int, tuple[pd.DataFrame, pd.DataFrame]]] = {}
        for name, part in own[own.output == output].groupby("case"):
            fixed = sorted(int(n) for n in part.neurons.unique() if n != "evolved")
            cells = {n: part[part.neurons == n] for n in ["evolved", *map(str, fixed)]}
            for n, cell in cells.items():
                used = sizes(cell, fixed[0]) if n == "evolved" else n
                rows.append([name, n, solved(cell), running_time(cell), mean(cell.fitness), used])
            kind, key = (
                ("ARCS(k)", fixed[0]) if name.startswith("ARCS") else ("cubes", int(name[-1]))
            )
            for number, n in zip(("just enough neurons", "twice as many"), fixed, strict=True):
                pairs.setdefault((kind, number), {})[key] = cells["evolved"], cells[str(n)]
        header = ["problem", "N", "successes", "ERT", "final fitness", "neurons of successes"]
        parts.append(table(f"Output {output}", header, rows, 0, 1, 5))
        for (kind, number), found in pairs.items():
            label = "k" if kind == "ARCS(k)" else "D"
            text = quicker("runs with an evolved number", f"those with {number}", label, found)
            says.append(sentence(f"{kind}, output {output}: {text}"))
    says += [sentence(text) for text in beside_neat(own[own.neurons == "evolved"], neat)]
    rows = [
        [name, solved(part), running_time(part), mean(part.fitness)]
        for name, part in neat.groupby("case")
    ]
    parts.append(table("NEAT", ["problem", "successes", "ERT", "final fitness"], rows, 0))
    listed = "\n".join(f"- {text}" for text in says)
    return f"""# Can the search find the number of neurons?

`neurons = "evolved"`: a run starts with one neuron, and a quarter of the offspring have one more or one fewer, 16 at
most. A larger network must be better than its parent, a smaller one not worse. They are compared with networks of a fixed size, with
just enough neurons (k for ARCS(k); for a cube D, and 2^(D-1) with OR) and with twice as many. r = 1,200, harmonic steps,
100 runs per cell, at most 50,000 evaluations; success is the same in all cases, a fitness of 0.95 (cubes: 1). NEAT
(package neat-python, the settings of its XOR example, population 150) evolves networks of another kind, sigmoid neurons
with any connections, judged like all others by the share of correct answers, on 1,000 even points of the circle or on
the corners: 20 runs per cell, at most 10,000 evaluations. {LEGEND}

{chr(10).join(parts)}
## What it says

Times until success, failed runs counted as infinite, by Mann-Whitney's test with Holm's correction; "just enough" and
"twice as many" are the fixed numbers of the tables:

{listed}

{section()}"""
