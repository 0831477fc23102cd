"""Write the README's table of measured results: ``python docs/measure.py`` (a few seconds).

Every number is a mean of 1,000 seeded runs with its standard error, beside the exact expectation.
"""

import re
from pathlib import Path

import hyperna

README = Path(__file__).parent.parent / "README.md"
RUNS, RESOLUTION = 1000, 120
ROWS = (("half", "HALF"), ("quarter", "QUARTER"), ("local_opt", "LOCALOPT"))
LAWS = ("harmonic", "local")


def table() -> str:
    """Return the table as Markdown."""
    heads = [f"{law} steps: measured | exact | success" for law in LAWS]
    lines = [f"| problem | {' | '.join(heads)} |", "|---|" + "--:|--:|--:|" * len(LAWS)]
    for name, title in ROWS:
        cells = [cell for law in LAWS for cell in _cells(name, law)]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cells(name: str, law: str) -> tuple[str, str, str]:
    problem = hyperna.problem(name)
    na = hyperna.OnePlusOneNA(resolution=RESOLUTION, mutation=law)
    runs = na.run_many(problem, runs=RUNS, budget=10**7, seed=0)
    exact = hyperna.expected_runtime(problem, RESOLUTION, law)
    good = runs.evaluations[runs.success]
    error = good.std(ddof=1) / len(good) ** 0.5
    found = runs.success.mean()
    doubt = (found * (1 - found) / len(runs)) ** 0.5
    share = f"{found:.1%} ± {doubt:.1%}, exact {exact.probability:.1%}" if doubt else "all"
    return f"{good.mean():,.1f} ± {error:,.1f}", f"{exact.conditional_mean:,.1f}", share


def main() -> None:
    """Replace what stands between the marks."""
    text = README.read_text(encoding="utf-8")
    pattern = r"<!-- measured -->\n.*?<!-- end -->"
    note = "Means are those of successful runs: local steps can end in local optima of LOCALOPT."
    block = f"<!-- measured -->\n{table()}\n\n{note}\n<!-- end -->"
    README.write_text(re.sub(pattern, block, text, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    main()
