"""What was asked and what was found, in sentences that are computed from the runs."""

from collections.abc import Sequence

import numpy as np

from hyperna._words import counted, joined, number, plural
from hyperna.analysis.laws import predicted
from hyperna.experiments.targets import search_space
from hyperna.plots.style import degrees
from hyperna.problems import ArcProblem
from hyperna.report.groups import Contest, Family, Group, at_r, network_text, phrase
from hyperna.report.numbers import Entry
from hyperna.report.rerun import criterion

_MOST_ARCS = 4
# Of more variants than this the best and the worst are named.
_MOST_NAMED = 6
_SIGNIFICANT = 0.05


def task_text(group: Group) -> str:
    """Return what is to be learnt."""
    problem = group.problem
    setting = group.entries[0].setting
    if problem is None:
        return f"The points of {setting.problem}, whose file is not here any more."
    if not isinstance(problem, ArcProblem):
        return f"Learn {problem.summary}."
    if len(problem.arcs) > _MOST_ARCS:
        where = f"in one of {len(problem.arcs)} arcs"
    else:
        ends = [f"{degrees(start)} and {degrees(end)}" for start, end in problem.arcs]
        where = " or ".join(f"between {each}" for each in ends)
    if problem.dim == 2:
        return f"Learn which points of the unit circle are positive: those {where}."
    return (
        f"Learn which points of the unit sphere in {problem.dim} dimensions are positive: those "
        f"whose last two coordinates have a direction {where}."
    )


def method_text(group: Group) -> str:
    """Return how it was tried: networks, variants, resolutions, runs."""
    names = [family.name for family in group.families]
    settings = [one.setting for one in group.entries]
    texts = list(dict.fromkeys(map(network_text, settings)))
    networks = f"Networks of {texts[0]}" if len(texts) == 1 else f"{len(texts)} kinds of networks"
    resolutions = [f"{r:,}" for r in group.resolutions]
    if len(resolutions) > 6:
        grids = f"at {len(resolutions)} resolutions from {resolutions[0]} to {resolutions[-1]}"
    else:
        grids = f"at {plural('resolution', len(resolutions))} {joined(resolutions)}"
    shared = joined([phrase(key, value) for key, value in group.shared.items()] or [""])
    counts = {one.summary.runs for one in group.entries}
    each = f"{counted(counts.pop(), 'run')} each, " if len(counts) == 1 < len(group.entries) else ""
    variants = counted(len(names), "variant") if len(names) > 1 else "Variant"
    told = f"{variants}: {'; '.join(names)}"
    with_ = f" ({shared})" if shared else ""
    return f"{networks}{with_} {grids}. {told}. {each}{counted(group.runs, 'run')} in all."


def success_text(group: Group) -> str:
    """Return what counts as success."""
    criteria = {criterion(one.setting) for one in group.entries}
    if len(criteria) > 1:
        return "What counts as success depends on the setting and is given there."
    [only] = criteria
    if only.startswith("nothing: "):
        reason = only.removeprefix("nothing: ").removesuffix("; set a target")
        return f"No success is defined: {reason}."
    return f"Success: {only}."


def headline(group: Group) -> str:
    """Return the result of a group in one sentence."""
    text = _succeeded(group.successes, group.runs)
    if group.successes:
        text += f" ({_final_fitness(group.entries)})"
    contest = group.main_contest
    if contest is not None:
        winners = contest.winners
        cost = contest.members[winners[0]].summary.running_time.value
        text += (
            f"; fewest evaluations per success at {at_r(contest.resolution)}: {_quoted(winners)}, "
            f"{number(cost)}"
        )
    elif not group.successes:
        best = max(one.summary.mean_fitness for one in group.entries)
        names = [
            family.name
            for family in group.families
            if any(one.summary.mean_fitness == best for one in family.members)
        ]
        text += f"; highest mean fitness: {_quoted(names)}, {number(best, 4)}"
    return f"{text}."


def _succeeded(successes: int, runs: int) -> str:
    if successes == runs:
        return f"all {runs:,} runs succeeded" if runs > 1 else "the run succeeded"
    return f"{f'{successes:,}' if successes else 'none'} of {counted(runs, 'run')} succeeded"


def _final_fitness(entries: Sequence[Entry]) -> str:
    """Return the mean final fitness of all runs, or the least and the largest of several."""
    means = [one.summary.mean_fitness for one in entries]
    low, high = number(min(means), 4), number(max(means), 4)
    return f"mean final fitness {low}" if low == high else f"mean final fitness {low} to {high}"


def family_text(family: Family) -> str:
    """Return what the runs of a family say."""
    parts = [_succeeded(family.successes, family.runs)]
    if family.successes:
        parts[0] += f" ({_final_fitness(family.members)})"
    solved = [one for one in family.members if one.summary.successes]
    if not solved:
        reached = max(family.members, key=lambda one: one.summary.mean_fitness)
        where = f" at {at_r(reached.setting.resolution)}" if len(family.members) > 1 else ""
        mean = number(reached.summary.mean_fitness, 4)
        fitness = _between(mean, reached.summary.mean_fitness_interval, 4)
        parts.append(f"their mean fitness was {fitness}{where}")
    elif len(solved) == 1 == len(family.members):
        parts.append(f"a success cost {_cost(solved[0])}")
    else:
        shown = [solved[0], solved[-1]] if len(solved) > 1 else solved
        costs = [f"{_cost(one)} at {at_r(one.setting.resolution)}" for one in shown]
        parts.append(f"a success cost {joined(costs)}")
    growth = _growth(family)
    return "; ".join(parts) + "." + (f" {growth}" if growth else "")


def _cost(entry: Entry) -> str:
    value, *ends = entry.summary.running_time[:3]
    return _between(f"{number(value)} evaluations", ends)


def _between(text: str, ends: Sequence[float], digits: int | None = None) -> str:
    low, high = ends
    return f"{text} ({number(low, digits)} to {number(high, digits)})" if np.isfinite(low) else text


def _growth(family: Family) -> str:
    fitting = family.fitting
    parts = []
    if fitting:
        verb = "fits" if len(fitting) == 1 else "fit"
        # a law stays on one line
        laws = [fit.equation.replace("-", "−").replace(" ", "\u00a0") for fit in fitting]
        count = f"{len(fitting)} of {counted(len(family.fits), 'growth law')}"
        parts.append(f"{count} {verb}: {'; '.join(laws)}. {predicted(fitting)}.")
    elif family.fits:
        parts.append(f"None of {counted(len(family.fits), 'growth law')} fits.")
    if family.bound is not None:
        parts.append(f"Proved: {family.bound.text}.")
    return " ".join(parts)


def contest_text(contest: Contest) -> str:
    """Return which variant was fastest, and whether that may be chance.

    The tests compare single runs. Evaluations per success weigh failed runs with all that they
    spent, so that single runs can tell otherwise.
    """
    winners = contest.winners
    text = (
        f"At {at_r(contest.resolution)}, {_quoted(winners)} needed the fewest evaluations per "
        f"success."
    )
    compared: dict[str, list[str]] = {"slower": [], "faster": [], "chance": []}
    for name in contest.members:
        if contest.tests and name not in winners:
            compared[_single_runs(contest, winners, name)].append(name)
    slower = compared["slower"]
    faster = compared["faster"]
    chance = compared["chance"]
    if slower:
        text += f" The difference from {_quoted(slower)} is significant"
        text += f"; that from {_quoted(chance)} may be chance." if chance else "."
    elif chance:
        text += f" The difference from {_quoted(chance)} may be chance."
    if faster:
        text += f" Single runs of {_quoted(faster)} took fewer evaluations, significantly."
    return f"{text} {_fitness_text(contest)}"


def _single_runs(contest: Contest, winners: Sequence[str], name: str) -> str:
    """Return whether single runs of a variant are "slower" or "faster" than those of the winners.

    "chance": a difference is not significant, or not the same for all winners. They may be faster,
    because evaluations per success count those of failed runs too.
    """
    found = set()
    for test in contest.tests:
        pair = {test.first, test.second}
        if name not in pair or not pair & set(winners):
            continue
        # a12 is the probability that the first takes longer
        longer = test.a12 if test.first == name else 1.0 - test.a12
        if test.p_holm >= _SIGNIFICANT:
            found.add("chance")
        else:
            found.add("faster" if longer < 0.5 else "slower")
    return found.pop() if len(found) == 1 else "chance"


def _fitness_text(contest: Contest) -> str:
    """Return whether the variants found equally good networks, and were asked for the same."""
    means = {name: one.summary.mean_fitness for name, one in contest.members.items()}
    ranked = sorted(means, key=lambda name: -means[name])
    if len(ranked) > _MOST_NAMED:
        ranked = [ranked[0], ranked[-1]]
    told = joined([f"{number(means[name], 4)} ({name})" for name in ranked])
    differ = any(test.p_holm < _SIGNIFICANT for test in contest.fitness_tests)
    if differ:
        text = f"They did not find equally good networks: mean final fitness {told}."
    elif len({number(mean, 4) for mean in means.values()}) == 1:
        text = f"All have the mean final fitness {number(means[ranked[0]], 4)}."
    else:
        text = f"Mean final fitness: {told}"
        text += ", which may be chance." if contest.fitness_tests else "."
    criteria = {_asked_for(one) for one in contest.members.values()}
    if len(criteria) > 1:
        text += (
            " Success does not mean the same for all of them, so their times cannot be compared."
        )
    return text


def _asked_for(entry: Entry) -> tuple[str, str]:
    """Return what counts as success, and on which search space if it is not a fitness."""
    words = criterion(entry.setting)
    return words, "" if words.startswith("fitness") else search_space(entry.setting)


def _quoted(names: Sequence[str]) -> str:
    """Names that hold commas stand in quotation marks."""
    return joined([f"“{name}”" if "," in name else name for name in names])
