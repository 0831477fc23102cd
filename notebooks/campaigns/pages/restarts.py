"""Restarts without a parameter."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

import pandas as pd

from hyperna.experiments.store import Store

from .claims import faster_in
from .writing import LEGEND, running_time, solved, table, whole

TITLES = {
    "quarter": "QUARTER",
    "local_opt": "LOCALOPT",
    "two_quarters": "TWOQUARTERS, N = 2, OR",
    "arcs:k=3": "ARCS(3), N = 3, OR",
    "cube": "Corners of the cube, D = 4, N = 4, XOR",
}
AUTO = "auto"


def by_limit(runs: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the runs of each limit, the smallest first and the automatic one last."""
    limits = sorted(int(limit) for limit in runs.stagnation.dropna().unique())
    groups = {f"{limit:,}": runs[runs.stagnation == limit] for limit in limits}
    return groups | {AUTO: runs[runs.stagnation.isna()]}


def write(store: Store, runs: pd.DataFrame) -> str:
    """Return the page."""
    parts, cost, autos = [], {}, {}
    for name, title in TITLES.items():
        part = runs[runs.problem == name]
        rows = []
        for law in ("harmonic", "adaptive"):
            groups = by_limit(part[part.mutation.astype(str).str.startswith(law)])
            medians = {limit: float(group.evaluations.median()) for limit, group in groups.items()}
            steps = law if law == "harmonic" else "adaptive, replacement"
            for limit, group in groups.items():
                cells = [steps, limit, solved(group), whole(medians[limit])]
                rows.append([*cells, running_time(group)])
            fixed = min(value for key, value in medians.items() if key != AUTO)
            cost[name, law] = medians[AUTO], fixed
            autos[name, law] = groups[AUTO]
        header = ["steps", "limit", "successes", "median", "ERT"]
        parts.append(table(title, header, rows, 0))
    ratios = {key: auto / fixed for key, (auto, fixed) in cost.items()}
    worst = max(ratios, key=lambda key: ratios[key])
    two = cost["two_quarters", "adaptive"]
    cell = len(runs) // runs.setting.nunique()
    lines = "\n".join(
        f"- {TITLES[name]}, {law}: median {whole(auto)}, {auto / fixed:.2f} times that of the fixed limit with the smallest median."
        for (name, law), (auto, fixed) in cost.items()
    )
    laws = faster_in(
        "adaptive with replacement",
        "harmonic",
        {
            title: (autos[name, "adaptive"], autos[name, "harmonic"])
            for name, title in TITLES.items()
        },
    )
    return f"""# Restarts without a parameter

r = 480, exact fitness, budget 10^6 (cube: 150,000), {cell} runs of each cell; D = 2, and the corners of a cube. A start ends after `limit`
evaluations without improvement. `auto` (`restarts="auto"`) begins with four times the number of
components times log2 r and follows Luby's sequence 1, 1, 2, 1, 1, 2, 4, ... from start to start, so it
needs no knowledge of the runtime. "Adaptive, replacement": adaptive steps, void steps redrawn, and with
probability 0.2 one neuron redrawn instead of a mutation (`replace_neuron=0.2`), the same on all problems. {LEGEND}

{chr(10).join(parts)}
## What it says

{lines}
- The largest cost of not choosing is a factor of {ratios[worst]:.2f} ({TITLES[worst[0]]}, {worst[1]}).
- With automatic restarts, {laws}.
- On TWOQUARTERS adaptive steps with replacement and automatic restarts have a median of {whole(two[0])} evaluations.
  `hyperna reproduce --table baselines` runs other algorithms on the same problem.
"""
