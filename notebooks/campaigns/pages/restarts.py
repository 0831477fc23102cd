"""Restarts without a number to choose."""
# ruff: noqa: E501  lines of a page change their length when the numbers are filled in

import pandas as pd

from hyperna.store.store import Store

from .writing import LEGEND, running_time, solved, table, whole

TITLES = {
    "quarter": "QUARTER",
    "local_opt": "LOCALOPT",
    "two_quarters": "TWOQUARTERS, N = 2, OR",
    "arcs:k=3": "ARCS(3), N = 3, OR",
}


def write(store: Store, runs: pd.DataFrame) -> str:
    """Return the page."""
    parts, cost = [], {}
    for name, title in TITLES.items():
        part = runs[runs.problem == name]
        rows = []
        for law in ("harmonic", "adaptive"):
            own = part[part.mutation.astype(str).str.startswith(law)]
            medians = {}
            for limit, group in own.groupby(own.stagnation.astype("string").fillna("auto")):
                medians[limit] = float(group.evaluations.median())
                steps = law if law == "harmonic" else "adaptive, replacement"
                cells = [steps, limit, solved(group), whole(medians[limit])]
                rows.append([*cells, running_time(group)])
            fixed = min(value for key, value in medians.items() if key != "auto")
            cost[name, law] = medians["auto"], fixed
        header = ["steps", "limit", "solved", "median", "ERT"]
        parts.append(table(title, header, rows, 0))
    ratios = {key: auto / fixed for key, (auto, fixed) in cost.items()}
    worst = max(ratios, key=lambda key: ratios[key])
    two = cost["two_quarters", "adaptive"]
    cell = len(runs) // runs.setting.nunique()
    lines = "\n".join(
        f"- {TITLES[name]}, {law}: median {whole(auto)}, {auto / fixed:.2f} times that of the best fixed limit."
        for (name, law), (auto, fixed) in cost.items()
    )
    return f"""# Restarts without a number to choose

D = 2, r = 480, exact fitness, budget 10^6, {cell} runs of each cell. A start ends after `limit`
evaluations without improvement. `auto` (`restarts="auto"`) begins with four times the number of
components times log2 r and follows Luby's sequence 1, 1, 2, 1, 1, 2, 4, ... from start to start, so it
needs no knowledge of the runtime. "Adaptive, replacement": adaptive steps, void steps drawn again, and with
probability 0.2 one neuron drawn again instead of a mutation (`replace_neuron=0.2`). {LEGEND}

{chr(10).join(parts)}
## What it says

{lines}
- The largest cost of not choosing is a factor of {ratios[worst]:.2f} ({TITLES[worst[0]]}, {worst[1]}).
- On TWOQUARTERS adaptive steps with replacement and automatic restarts have a median of {whole(two[0])}
  evaluations. `hyperna reproduce --table baselines` has other algorithms on the same problem.
"""
