"""Sentences about runs that are computed, each by a test that the sentence names.

Shares of successes are compared by Fisher's exact test, times by Mann and Whitney's with failed
runs as the slowest of all, several comparisons with Holm's correction. A sentence about several
cells speaks of all of them, not only of the first and the last.
"""

import itertools
from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

from hyperna._words import counted
from hyperna.analysis.comparisons import holm
from hyperna.analysis.statistics import wilson_interval

from .writing import larger, p_text, slower

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
    """Say which of two kinds of runs succeeds more often, if the test tells."""
    p = differs(one, other)
    counts = f"{one[0]:,}/{one[1]:,} vs. {other[0]:,}/{other[1]:,}"
    if p >= LEVEL:
        test = f"{counts}, Fisher's test: p = {p:.2g}"
        return f"{name} and {other_name} are not distinguishable ({test})"
    more = one[0] / one[1] > other[0] / other[1]
    word = "more" if more else "less"
    return f"{name} succeeds {word} often than {other_name} ({counts}, Fisher's test: p = {p:.2g})"


def better_than(name: str, base: Share, others: dict[str, Share]) -> str:
    """Say which of several kinds of runs succeed more often than one, with Holm's correction."""
    p_values = dict(
        zip(others, holm([differs(part, base) for part in others.values()]), strict=True)
    )
    better = [
        other
        for other, part in others.items()
        if p_values[other] < LEVEL and part[0] / part[1] > base[0] / base[1]
    ]
    if not better:
        return f"no law succeeds significantly more often than {name} (Fisher's test, Holm)"
    listed = ", ".join(
        f"{other} ({others[other][0]}/{others[other][1]}, p = {p_values[other]:.2g})"
        for other in better
    )
    return f"{name} ({base[0]}/{base[1]}) succeeds less often than {listed}"


def succeeds_in(name: str, other_name: str, pairs: dict[str, tuple[Share, Share]]) -> str:
    """Say in which of several cells one kind of runs succeeds more often, less often or neither."""
    p_values = holm([differs(one, other) for one, other in pairs.values()])
    kinds: dict[str, list[str]] = {"more": [], "less": [], "": []}
    for (cell, ((a, n), (b, m))), p in zip(pairs.items(), p_values, strict=True):
        kinds["" if p >= LEVEL else "more" if a / n > b / m else "less"].append(cell)
    parts: list[str] = []
    for word, cells in kinds.items():
        if word and cells:
            parts.append(f"succeeds {word} often than {other_name} at {listed(cells)}")
        elif cells:
            whom = "" if parts else f" from {other_name}"
            parts.append(f"is not distinguishable{whom} at {listed(cells)}")
    return f"{name} {', and '.join(parts)} (Fisher's test, Holm)"


def faster(name: str, one: pd.DataFrame, other_name: str, other: pd.DataFrame) -> str:
    """Say which of two kinds of runs takes less time, if the test tells."""
    chance, p = slower(one, other)
    if not p < LEVEL:
        return f"the times of {name} and {other_name} are not distinguishable (p = {p:.2g})"
    word = "faster" if chance < 0.5 else "slower"
    return f"{name} is {word} than {other_name} (Mann-Whitney: p {p_sign(p)})"


def faster_in(
    name: str, other_name: str, pairs: dict[str, tuple[pd.DataFrame, pd.DataFrame]]
) -> str:
    """Say in which of several cells one kind of runs is faster, slower or not distinguishable."""
    found = [slower(*pair) for pair in pairs.values()]
    p_values = holm([1.0 if np.isnan(p) else p for _, p in found])
    kinds: dict[str, list[str]] = {"faster": [], "slower": [], "": []}
    for cell, (chance, _), p in zip(pairs, found, p_values, strict=True):
        kinds["" if p >= LEVEL else "faster" if chance < 0.5 else "slower"].append(cell)
    parts: list[str] = []
    for word, cells in kinds.items():
        if cells:
            # the other one is named wherever the sentence has not done so yet
            than = f" than {other_name}" if word else "" if parts else f" from {other_name}"
            parts.append(f"{word or 'not distinguishable'}{than} at {listed(cells)}")
    return f"{name} is {'; '.join(parts)} (Mann-Whitney, Holm)"


def told_apart(
    name: str, other_name: str, pairs: dict[str, tuple[pd.DataFrame, pd.DataFrame]]
) -> str:
    """Say in which of several cells the shares of successes of two kinds of runs differ."""
    p_values = holm([differs(share(one), share(other)) for one, other in pairs.values()])
    different = [cell for cell, p in zip(pairs, p_values, strict=True) if p < LEVEL]
    tests = f"Fisher's test in {counted(len(pairs), 'cell')}, Holm"
    if not different:
        return (
            f"{name} and {other_name} do not differ significantly in their shares of successes "
            f"({tests}: the smallest p is {min(p_values):.2g})"
        )
    at = f"at {listed(different)} ({tests})"
    return f"{name} and {other_name} differ significantly in their shares of successes {at}"


def succeeded_in(cells: dict[str, pd.DataFrame], what: str = "run") -> str:
    """Say in which cells all runs succeeded, in which some did and in which none did."""
    kinds: dict[str, list[str]] = {"all": [], "some": [], "none": []}
    for cell, runs in cells.items():
        kind = "all" if runs.success.all() else "some" if runs.success.any() else "none"
        kinds[kind].append(cell)
    told = [(kind, listed(found)) for kind, found in kinds.items() if found]
    (first, where), *others = told
    begin = f"no {what}" if first == "none" else f"{first} {what}s"
    rest = "".join(f", {kind} at {cell}" for kind, cell in others)
    return f"{begin} succeeded at {where}{rest}"


def above_constant(cells: dict[str, tuple[np.ndarray, float]]) -> str:
    """Say in which cells fitness on fresh points is above that of a constant answer.

    One-sided t test on the mean of the runs, Holm's correction. Where all runs end at the same
    fitness a t test says nothing; the sign test says how often so many values are all above.
    """
    p_values = []
    for values, constant in cells.values():
        spread = np.std(values)
        if spread < 1e-12:
            p_values.append(0.5 ** len(values) if np.mean(values) > constant else 1.0)
        else:
            p_values.append(stats.ttest_1samp(values, constant, alternative="greater").pvalue)
    corrected = holm(p_values)
    more = [cell for cell, p in zip(cells, corrected, strict=True) if p < LEVEL]
    rest = [cell for cell in cells if cell not in more]
    text = f"significantly above that of a constant answer at {listed(more or rest)}"
    text = f"{text}, but not at {listed(rest)}" if more and rest else text
    return f"{text if more else f'not {text}'} (one-sided t tests, Holm)"


def rises(name: str, keys: Sequence[float], values: Sequence[float]) -> str:
    """Say whether values rise or fall with D, by Spearman's rank correlation.

    Where they do neither, Kruskal and Wallis's test says whether they change at all.
    """
    found = np.asarray(values, dtype=float)
    places = np.asarray(keys)
    groups = [found[places == key] for key in np.unique(places)]
    if len(groups) < 2:
        return f"{name} was measured at D = {places[0]} only"
    if np.all(found == found[0]):
        return f"{name} is the same at all D"
    correlation, trend_p = rank_correlation(places, found)
    if trend_p < LEVEL:
        word = "grows" if correlation > 0 else "falls"
        return f"{name} {word} with D (Spearman: {correlation:.2f}, p {p_sign(trend_p)})"
    p = float(stats.kruskal(*groups).pvalue)
    if p < LEVEL:
        tests = f"Kruskal-Wallis: p {p_sign(p)}; Spearman: p {p_sign(trend_p)}"
        return f"{name} changes with D, but neither rises nor falls throughout ({tests})"
    return f"{name} does not change significantly with D (Kruskal-Wallis: p {p_sign(p)})"


def rank_correlation(one: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """Spearman's rank correlation and its p value.

    Of few values all orders are tried: the usual approximation calls three values in a row certain,
    which are so in two of six orders by chance.
    """
    usual = stats.spearmanr(one, other)
    if len(one) > 7:
        return float(usual.statistic), float(usual.pvalue)
    orders = np.array(list(itertools.permutations(other)))
    by_chance = np.array([stats.spearmanr(one, order).statistic for order in orders])
    p = np.mean(np.abs(by_chance) >= abs(usual.statistic) - 1e-9)
    return float(usual.statistic), float(p)


def cost_grows(
    coarse: tuple[pd.DataFrame, pd.DataFrame], fine: tuple[pd.DataFrame, pd.DataFrame]
) -> str:
    """Say whether the ratio of two expected running times is larger on the finer grid.

    By the 95 % bootstrap interval of the factor between the two ratios.
    """
    rng = np.random.default_rng(0)

    def drawn(runs: pd.DataFrame) -> np.ndarray:
        rows = rng.integers(len(runs), size=(1000, len(runs)))
        found = runs.success.to_numpy()[rows].sum(axis=1)
        return runs.evaluations.to_numpy(dtype=float)[rows].sum(axis=1) / np.maximum(found, 0.5)

    ratios = [drawn(one) / drawn(other) for one, other in (coarse, fine)]
    low, high = np.quantile(ratios[1] / ratios[0], [0.025, 0.975])
    interval = f"the ratio of the two: {low:.2g} … {high:.2g}"
    if low <= 1 <= high:
        return f"which is no significant difference ({interval})"
    return f"{'more' if low > 1 else 'less'} on the finer grid ({interval})"


def p_sign(p: float) -> str:
    """A p value after the letter p."""
    text = p_text(p)
    return text if text.startswith("<") else f"= {text}"


def listed(cells: Sequence[str]) -> str:
    """Cells in a row, the common beginning of "D = 3", "D = 4" written once."""
    heads = {cell.rpartition("= ")[0] for cell in cells}
    if len(heads) == 1 and len(cells) > 1:
        tails = [cell.rpartition("= ")[2] for cell in cells[1:]]
        cells = [cells[0], *tails]
    if len(cells) == 1:
        return cells[0]
    comma = "; " if any(", " in cell for cell in cells[1:]) else ", "
    return f"{comma.join(cells[:-1])} and {cells[-1]}"


def trend(label: str, keys: Sequence[int], shares: Sequence[Share]) -> str:
    """Say how the share of successes changes over all cells, and which steps go against that."""
    told = [f"{a:,}/{n:,} at {label} = {key:,}" for key, (a, n) in zip(keys, shares, strict=True)]
    if len(keys) == 1:
        return f"the share of successes is {told[0]}, the only {label} that was run"
    values = [a / n for a, n in shares]
    if len(set(values)) == 1:
        return f"the share of successes is the same at all {label}: {told[0]}"
    table = np.array([[a, n - a] for a, n in shares])
    p = float(stats.chi2_contingency(table).pvalue)
    test = f"chi-square test over {len(keys)} {label}: p = {p:.2g}"
    if p >= LEVEL:
        return f"the share of successes does not change significantly with {label} ({test})"

    ends = differs(shares[0], shares[-1])
    if ends >= LEVEL:
        low, high = int(np.argmin(values)), int(np.argmax(values))
        return (
            f"the share of successes changes with {label} ({test}), but not significantly from "
            f"{told[0]} to {told[-1]} (Fisher's test: p = {ends:.2g}): it is lowest with "
            f"{told[low]} and highest with {told[high]}"
        )
    falls = values[-1] < values[0]
    word = "falls" if falls else "rises"
    far = f"from {told[0]} to {told[-1]} (Fisher's test: p = {ends:.2g})"
    text = f"the share of successes {word} {far}"
    changes = np.diff(values) if falls else -np.diff(values)
    against = (np.flatnonzero(changes > 0) + 1).tolist()
    equal = (np.flatnonzero(changes == 0) + 1).tolist()
    if against:
        steps = ", ".join(
            f"{keys[i - 1]:,} to {keys[i]:,} ({shares[i - 1][0]}/{shares[i - 1][1]} and "
            f"{shares[i][0]}/{shares[i][1]}, p = {differs(shares[i - 1], shares[i]):.2g})"
            for i in against
        )
        return f"{text}, but not from {label} = {steps}"
    if equal:
        steps = ", ".join(f"{keys[i - 1]:,} to {keys[i]:,}" for i in equal)
        return f"{text}; it is the same from {label} = {steps}"
    return f"{text}, at every step"


def least_share(shares: Sequence[Share]) -> float:
    """A bound that all success probabilities are above, with a confidence of 95 % together.

    The smallest lower end of Wilson's intervals, whose level is raised for their number.
    """
    level = 1 - LEVEL / len(shares)
    return min(wilson_interval(*one, level=level).low for one in shares)


def sentence(text: str) -> str:
    """The text with a capital letter and a full stop."""
    return f"{text[0].upper()}{text[1:]}."


def quicker(
    name: str, other_name: str, label: str, pairs: dict[int, tuple[pd.DataFrame, pd.DataFrame]]
) -> str:
    """Say for which keys the first of two kinds of runs is quicker, for which the second.

    Times until success, failed runs counted as infinite, are compared by Mann-Whitney's test with
    Holm's correction.
    """
    found = {key: slower(*pair) for key, pair in pairs.items()}
    return _sides(name, other_name, label, found, ("quicker", "slower"), "are")


def higher(
    name: str, other_name: str, label: str, pairs: dict[int, tuple[pd.Series, pd.Series]]
) -> str:
    """Say for which keys the first of two kinds of runs ends with the higher fitness.

    By Mann-Whitney's test with Holm's correction.
    """
    found = {key: larger(one, other) for key, (one, other) in pairs.items()}
    return _sides(name, other_name, label, found, ("a lower fitness", "a higher fitness"), "reach")


def _sides(
    name: str,
    other_name: str,
    label: str,
    found: dict[int, tuple[float, float]],
    words: tuple[str, str],
    verb: str,
) -> str:
    """Sort keys by the probability that the first is larger, and its p-value."""
    p_values = dict(zip(found, holm([p for _, p in found.values()]), strict=True))
    unsure = "not distinguishable"
    sides: dict[str, list[int]] = {words[0]: [], words[1]: [], unsure: []}
    for key, (chance, _) in found.items():
        certain = p_values[key] < LEVEL and chance != 0.5
        sides[words[int(chance > 0.5)] if certain else unsure].append(key)
    said = []
    for word in words:
        if sides[word]:
            p = max(p_values[key] for key in sides[word])
            at = ", ".join(map(str, sides[word]))
            than = f" than {other_name}" if not said else ""
            said.append(f"{word}{than} at {label} = {at} (p ≤ {p:.2g})")
    if not said:
        return f"{name} and {other_name} are not distinguishable at any {label}"
    if sides[unsure]:
        said.append(f"{unsure} at {label} = {', '.join(map(str, sides[unsure]))}")
    return f"{name} {verb} {', '.join(said)}"
