"""Write the README's measured results: ``python docs/measure.py`` (about a minute).

The table has means of 1,000 seeded runs with their standard errors, beside the exact expectations.
The rule is what the README's classifier prints; its accuracy on held-out rows stands beside those
of other classifiers on the same folds. Times and speed are those of the machine that measures them.
"""

import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

import hyperna
from hyperna.comparison.classifiers import CLASSIFIERS
from hyperna.datasets.generators import half_spaces

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


# Those of the README's table; one is a tree with as many splits as the rule has terms.
MOST_TERMS = 5
COMPARED = (
    replace(
        CLASSIFIERS["na"],
        name=f"`NAClassifier(max_terms={MOST_TERMS})`",
        build=lambda seed: hyperna.NAClassifier(max_terms=MOST_TERMS, random_state=seed),
    ),
    replace(CLASSIFIERS["logistic"], name="logistic regression"),
    replace(
        CLASSIFIERS["tree"],
        name=f"decision tree, `max_leaf_nodes={MOST_TERMS + 1}`",
        build=lambda seed: DecisionTreeClassifier(max_leaf_nodes=MOST_TERMS + 1, random_state=seed),
    ),
    replace(CLASSIFIERS["tree"], name="decision tree"),
)


def rule() -> str:
    """Return the rule of the README's classifier as a block of text."""
    data = load_breast_cancer()
    fitted = hyperna.NAClassifier(max_terms=MOST_TERMS, random_state=0)
    fitted.fit(data.data, data.target_names[data.target])
    return f"```text\n{hyperna.export_text(fitted, data.feature_names)}\n```"


def accuracy(
    classifiers: Any = COMPARED, folds: int = 10, repeats: int = 3
) -> list[dict[str, Any]]:
    """Return accuracies on held-out rows of the breast cancer data, and sizes of the models."""
    return hyperna.compare(
        "sklearn:breast_cancer", classifiers, folds=folds, repeats=repeats
    ).summary()


def accuracy_table(rows: list[dict[str, Any]]) -> str:
    """Return accuracies as Markdown, with how they were measured."""
    lines = ["| classifier | accuracy on held-out rows | size |", "|---|--:|--:|"]
    for row in rows:
        size = f"{row['size']:.0f} {row['unit']}s"
        lines.append(f"| {row['classifier']} | {_share(row)} | {size} |")
    note = (
        "Mean ± standard error over 10 stratified folds, repeated 3 times, of the 569 rows; the "
        "error is corrected for overlapping training sets (Nadeau and Bengio 2003), sizes are "
        "medians. All else is scikit-learn's default."
    )
    return "\n".join([*lines, "", note])


def _share(row: dict[str, Any]) -> str:
    return f"{row['test_accuracy']:.3f} ± {row['test_accuracy_se']:.3f}"


def side_by_side(rows: list[dict[str, Any]]) -> str:
    """Return one result for each of two readers, in two columns."""
    own, linear = rows[:2]
    measured, exact, _ = _cells("quarter", "harmonic")
    table = (
        f"A rule of {own['size']:.0f} terms tells malignant from benign tumours with an accuracy "
        f"of {_share(own)} on rows that it has not seen; logistic regression has {_share(linear)} "
        f"with {linear['size']:.0f} coefficients."
    )
    runtimes = (
        f"One neuron learns a quarter of the circle at resolution {RESOLUTION} in {measured} "
        f"evaluations, measured in {RUNS:,} runs. The exact expected value is {exact}."
    )
    heads = "| [I have a table](#i-have-a-table) | [I study runtimes](#i-study-runtimes) |"
    return f"{heads}\n|---|---|\n| {table} | {runtimes} |"


FIT = """
import time
from sklearn.datasets import load_breast_cancer
from hyperna import NAClassifier
X, y = load_breast_cancer(return_X_y=True)
for _ in range(2):
    start = time.process_time()
    NAClassifier(max_terms=5, random_state=0).fit(X, y)
    print(time.process_time() - start)
"""


def times() -> str:
    """Return a sentence on the processor time of the first job and of a fit, cold and warm."""
    job = ["-m", "hyperna", "run", "two_quarters", "--resolution", "1200", "--plot", "best.png"]
    with tempfile.TemporaryDirectory() as folder:
        spent = []
        for _ in range(2):
            before = _processor_time()
            _in_folder(folder, job)
            spent.append(_processor_time() - before)
    with tempfile.TemporaryDirectory() as folder:
        first, later = map(float, _in_folder(folder, ["-c", FIT]).split())
    return (
        "The first run of each kind compiles its code. In processor time, the first command takes "
        f"{spent[0]:.0f} seconds, and {spent[1]:.0f} when it is repeated; the fit below takes "
        f"{first:.0f} seconds, and {later:.1g} when it is repeated."
    )


def _in_folder(folder: str, arguments: list[str]) -> str:
    """Run Python in a folder, with compiled code stored there, and return what it prints."""
    variables = {**os.environ, "NUMBA_CACHE_DIR": f"{folder}/kernels", "HYPERNA_QUIET": "1"}
    command = [sys.executable, *arguments]
    return subprocess.run(
        command, cwd=folder, env=variables, check=True, text=True, stdout=subprocess.PIPE
    ).stdout


def _processor_time() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def speed() -> str:
    """Return a sentence on the offspring per second of processor time, kind by kind."""
    X, y = half_spaces(5, k=3, n=500, noise=0.1)
    points = hyperna.points(X / np.linalg.norm(X, axis=1).max(), y)
    two_quarters = hyperna.problem("two_quarters")
    rates = {
        "on the circle (two neurons)": _rate(two_quarters, 500, neurons=2, resolution=1200),
        "on 500 points in five dimensions (three neurons)": _rate(points, 20, neurons=3),
        "on a sphere with exact fitness (D = 3, two neurons)": _rate(
            hyperna.problem("two_quarters", dim=3), 5, neurons=2
        ),
    }
    return speed_text(rates)


def speed_text(rates: dict[str, float]) -> str:
    """Return the sentence; rates are rounded to one digit, which is what they hold elsewhere."""
    told = [f"{_words(rate)} {where}" for where, rate in rates.items()]
    return f"Offspring per second on one core (`python docs/measure.py`): {', '.join(told)}."


def _words(rate: float) -> str:
    rounded = float(f"{rate:.1g}")
    return f"{rounded / 1e6:,.0f} million" if rounded >= 1e6 else f"{rounded:,.0f}"


def _rate(fitness: Any, runs: int, **options: Any) -> float:
    """Offspring per second of processor time, the best of three."""
    na = hyperna.OnePlusOneNA(**options)
    rates = []
    na.run_many(fitness, 1, budget=10, seed=0)  # compiles
    for seed in range(3):
        start = time.process_time()
        found = na.run_many(fitness, runs, budget=20_000, seed=seed)
        rates.append(found.evaluations.sum() / (time.process_time() - start))
    return max(rates)


def main() -> None:
    """Replace what stands between marks."""
    note = "Means are over the successful runs; local steps can end in local optima of LOCALOPT."
    text = README.read_text(encoding="utf-8")
    rows = accuracy()
    for mark, block in (
        ("times", times()),
        ("side by side", side_by_side(rows)),
        ("rule", rule()),
        ("accuracy", accuracy_table(rows)),
        ("measured", f"{table()}\n\n{note}"),
        ("speed", speed()),
    ):
        pattern = rf"<!-- {mark} -->\n.*?<!-- end -->"
        made = f"<!-- {mark} -->\n{block}\n<!-- end -->"
        text = re.sub(pattern, lambda _, made=made: made, text, flags=re.DOTALL)
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
