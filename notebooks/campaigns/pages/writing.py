"""Cells and tables of the pages."""

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from hyperna._tables import Table, markdown
from hyperna._words import number
from hyperna.analysis.comparisons import pairwise_tests
from hyperna.analysis.statistics import (
    bootstrap_interval,
    expected_running_time,
    wilson_interval,
)

LEGEND = (
    "Shares have Wilson's 95 % interval, means a bootstrap one. ERT is the expected number of "
    "evaluations until success if failed runs are restarted: all "
    "evaluations spent, divided by the successes. ∞ means that no run succeeded; the lower end is "
    "then what the largest success probability in Wilson's interval would give."
)


def title(problem: str) -> str:
    """The name of a problem as the paper writes it."""
    return problem.replace("_", "").upper()


def solved(runs: pd.DataFrame) -> str:
    """Successes of all runs, and the interval of their share in percent."""
    successes, n = int(runs.success.sum()), len(runs)
    low, high = wilson_interval(successes, n)
    digits = 0 if n < 1000 else 1
    return f"{successes:,}/{n:,} ({100 * low:.{digits}f} … {100 * high:.{digits}f} %)"


def running_time(runs: pd.DataFrame) -> str:
    """Expected running time and its interval."""
    ert = expected_running_time(runs.evaluations, runs.success)
    if ert.successes == 0:
        return f"∞ (from {whole(ert.low)})"
    return f"{whole(ert.value)} ({whole(ert.low)} … {whole(ert.high)})"


def whole(evaluations: float) -> str:
    """Write a number of evaluations without decimals."""
    return number(float(np.rint(evaluations)))


def mean(values, digits: int = 3) -> str:
    """Mean and its interval."""
    low, high = bootstrap_interval(values)
    return f"{np.mean(values):.{digits}f} ({low:.{digits}f} … {high:.{digits}f})"


def table(title: str, header: list[str], rows: list[list[str]], *left: int) -> str:
    """A Markdown table."""
    return markdown(Table("", title, header, rows, [], left=frozenset(left)))


def value(runs: pd.DataFrame) -> float:
    """Expected running time alone."""
    return expected_running_time(runs.evaluations, runs.success).value


def slower(runs: pd.DataFrame, others: pd.DataFrame) -> tuple[float, float]:
    """Probability that a run takes longer than one of the others, and Mann-Whitney's p.

    Failed runs count as infinitely long.
    """
    one, other = (np.where(part.success, part.evaluations, np.inf) for part in (runs, others))
    return larger(one, other)


def larger(one: ArrayLike, other: ArrayLike) -> tuple[float, float]:
    """Probability that a value is larger than one of the others (ties: half), Mann-Whitney's p."""
    [test] = pairwise_tests({"one": one, "other": other})
    return test.a12, test.p_value


def p_text(p: float) -> str:
    """Write a p value."""
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
