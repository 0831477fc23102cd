"""Sentences about runs that are computed, each by a test that the sentence names.

Shares of solved runs are compared by Fisher's exact test, several of them with Holm's correction.
"""

from collections.abc import Sequence

import pandas as pd
from scipy import stats

from hyperna.analysis.statistics import holm

# A difference is claimed from here on.
LEVEL = 0.05

Share = tuple[int, int]


def share(runs: pd.DataFrame) -> Share:
    """Successes and runs."""
    return int(runs.success.sum()), len(runs)


def differs(one: Share, other: Share) -> float:
    """P-value of Fisher's exact test that two shares are the same."""
    (a, n), (b, m) = one, other
    return float(stats.fisher_exact([[a, n - a], [b, m - b]]).pvalue)


def compared(name: str, one: Share, other_name: str, other: Share) -> str:
    """Say which of two kinds of runs is solved more often, if the test tells."""
    p = differs(one, other)
    counts = f"{one[0]:,}/{one[1]:,} against {other[0]:,}/{other[1]:,}"
    if p >= LEVEL:
        return f"{name} and {other_name} are not told apart ({counts}, Fisher's test: p = {p:.2g})"
    more = one[0] / one[1] > other[0] / other[1]
    word = "more" if more else "fewer"
    return f"{name} solves {word} runs than {other_name} ({counts}, Fisher's test: p = {p:.2g})"


def better_than(name: str, base: Share, others: dict[str, Share]) -> str:
    """Say which of several kinds of runs are solved more often than one, with Holm's correction."""
    p_values = dict(
        zip(others, holm([differs(part, base) for part in others.values()]), strict=True)
    )
    better = [
        other
        for other, part in others.items()
        if p_values[other] < LEVEL and part[0] / part[1] > base[0] / base[1]
    ]
    if not better:
        return f"no law solves more runs than {name} beyond doubt (Fisher's test, Holm)"
    listed = ", ".join(
        f"{other} ({others[other][0]}/{others[other][1]}, p = {p_values[other]:.2g})"
        for other in better
    )
    return f"more runs than with {name} ({base[0]}/{base[1]}) are solved with {listed}"


def trend(label: str, keys: Sequence[int], shares: Sequence[Share]) -> str:
    """Say whether the share of solved runs falls from each value to the next, and where not."""
    values = [successes / n for successes, n in shares]
    rises = [i for i in range(1, len(keys)) if values[i] > values[i - 1]]
    first, last = shares[0], shares[-1]
    p = differs(first, last)
    if p >= LEVEL:
        return (
            f"the share of solved runs does not change from {label} = {keys[0]} to {keys[-1]} "
            f"beyond doubt (Fisher's test: p = {p:.2g})"
        )
    word = "falls" if values[-1] < values[0] else "rises"
    text = (
        f"the share of solved runs {word} from {first[0]}/{first[1]} at {label} = {keys[0]} to "
        f"{last[0]}/{last[1]} at {label} = {keys[-1]} (Fisher's test: p = {p:.2g})"
    )
    against = rises if word == "falls" else []
    if not against:
        return f"{text}, at every step" if word == "falls" else text
    steps = ", ".join(
        f"{keys[i - 1]} to {keys[i]} ({shares[i - 1][0]}/{shares[i - 1][1]} and "
        f"{shares[i][0]}/{shares[i][1]}, p = {differs(shares[i - 1], shares[i]):.2g})"
        for i in against
    )
    return f"{text}, though not from {label} = {steps}"


def sentence(text: str) -> str:
    """The text with a capital letter and a full stop."""
    return f"{text[0].upper()}{text[1:]}."
