"""Write the README's measured results: ``python docs/measure.py`` (a few seconds).

The table has means of 1,000 seeded runs with their standard errors, beside the exact expectations.
The rule is what the README's classifier prints.
"""

import re
from pathlib import Path

from sklearn.datasets import make_moons

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


def rule() -> str:
    """Return the rule of the README's classifier as a block of text."""
    X, y = make_moons(200, noise=0.15, random_state=0)
    fitted = hyperna.NAClassifier(random_state=0).fit(X, y)
    return f"```text\n{hyperna.export_text(fitted)}\n```"


def main() -> None:
    """Replace what stands between marks."""
    note = "Means are over the successful runs; local steps can end in local optima of LOCALOPT."
    text = README.read_text(encoding="utf-8")
    for mark, block in (("measured", f"{table()}\n\n{note}"), ("rule", rule())):
        pattern = rf"<!-- {mark} -->\n.*?<!-- end -->"
        made = f"<!-- {mark} -->\n{block}\n<!-- end -->"
        text = re.sub(pattern, lambda _, made=made: made, text, flags=re.DOTALL)
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
