"""A campaign with its report.

A campaign is a grid of settings with many runs each. It is stored as it goes: interrupted, it goes
on where it stopped, and settings that are in the store already are not run again. The report is one
HTML page for people without Python ([what it looks like](../howto/report.md)); the frame is for
your own analysis and needs `hyperna[data]`.
"""

import hyperna
from hyperna.plots import plot_scaling
from hyperna.report import write_report

campaign = hyperna.Campaign.product(
    problem=["half", "quarter"],
    mutation=["harmonic", "local"],
    resolution=[30, 60, 120, 240],
    runs=100,
)
store = campaign.run("steps.store")
print(f"{write_report(store, 'steps.html', title='Harmonic or local steps')} runs in steps.html")

frame = store.to_frame()
groups = frame.groupby(["problem", "mutation", "resolution"])
print(groups.evaluations.agg(["mean", "sem", "count"]).round(1))

chosen = frame[(frame.problem == "quarter") & (frame.mutation == "local")]
ax = plot_scaling({r: part.evaluations for r, part in chosen.groupby("resolution")})
ax.set_title("QUARTER, local steps, 100 runs at each r")
figure = ax.figure
figure.savefig("campaign.png")
