"""The sections of the page, each from the numbers it shows."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from hyperna import __version__
from hyperna._words import NOTHING, number, percent
from hyperna.report.figures import contest_runtimes, family_runtimes, family_scaling, svg
from hyperna.report.html import Cell, Markup, join, table, tag, with_interval
from hyperna.report.numbers import (
    MOST_COMPARED,
    Contest,
    Entry,
    Family,
    interval_text,
    varying_keys,
)
from hyperna.report.rerun import campaign_toml, criterion, single_run


def link_to(entry: Entry) -> Markup:
    """Return a link to all that the page says about a setting."""
    return tag("a", entry.setting.id[:8], href=f"#{entry.anchor}")


def results_section(entries: Sequence[Entry]) -> Markup:
    """Return the table with one row per setting."""
    keys, rare = _columns(entries)
    numbers = ("runs", "solved", "mean", "median", "ERT", "mean fitness")
    rows = [[*_key_cells(one, keys, rare), *_number_cells(one)] for one in entries]
    text = (
        "Evaluations with 95 % intervals. The first column leads to the setting, its run numbers "
        "and rows. "
    )
    caption = join([text, tag("span", "A click on a heading sorts.", class_="wide")])
    names = ("setting", *keys, *(("also",) if rare else ()), *numbers)
    return table(names, rows, caption)


def _columns(entries: Sequence[Entry]) -> tuple[list[str], list[str]]:
    """Return the keys with a column each, and those that share one: few settings use them."""
    keys = varying_keys([one.setting for one in entries])
    used = {key: sum(bool(one.setting.canonical.get(key)) for one in entries) for key in keys}
    rare = [key for key in keys if used[key] <= len(entries) / 4]
    if len(rare) < 2:
        rare = []
    return [key for key in keys if key not in rare], rare


def _key_cells(entry: Entry, keys: Iterable[str], rare: Sequence[str]) -> list[Cell]:
    options = entry.setting.canonical
    cells = [Cell(link_to(entry), entry.setting.id)]
    for key in keys:
        value = options.get(key)
        sort = value if isinstance(value, int | float) and not isinstance(value, bool) else None
        cells.append(Cell(_shown(value), sort))
    if rare:
        given = [f"{key} {_shown(options[key])}" for key in rare if options.get(key)]
        cells.append(Cell(", ".join(given) or NOTHING))
    return cells


def _shown(value: Any) -> str:
    if value is None:
        return NOTHING
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _number_cells(entry: Entry) -> list[Cell]:
    origin = f"setting {entry.setting.id}, runs {interval_text(entry.intervals)}"
    found = entry.summary
    low, high = found.share_interval
    ends = tag("small", f"{number(100 * low, 1)} – {percent(high)}")
    solved = join([percent(found.share), " ", ends])
    return [
        Cell(f"{found.runs:,}", found.runs, origin),
        Cell(solved, found.share, f"{found.successes:,} of {origin}"),
        with_interval(found.mean, found.mean_interval, origin),
        with_interval(found.median, found.median_interval, origin),
        with_interval(found.running_time.value, found.running_time[1:3], origin),
        Cell(number(found.mean_fitness, 6), found.mean_fitness, origin),
    ]


def growth_section(found: Sequence[Family]) -> Markup:
    """Return, for each family, its curves over time and its growth with the resolution."""
    parts = []
    for index, family in enumerate(found):
        figures = [_figure(family_runtimes(family), f"e{index}", "Solved runs over time")]
        several = len(family.members) > 1
        drawable = len(family.members) < 4 or bool(family.fits)
        if several and drawable:
            growth = _figure(family_scaling(family), f"g{index}", "Evaluations by resolution")
            figures.append(growth)
        made_of = ["From ", join(map(link_to, family.members), ", "), "."]
        if family.bound is not None:
            made_of.append(f" Proved: {family.bound.text}.")
        pieces = [tag("div", *figures, class_="figures"), _fits(family)]
        pieces.append(tag("p", *made_of, class_="quiet"))
        parts.append(_article(family.title, pieces, class_="pair" if len(figures) > 1 else None))
    return _side_by_side(parts)


def _article(title: str, pieces: Sequence[Markup], class_: str | None = None) -> Markup:
    return tag("article", tag("h3", title), tag("div", *pieces), class_=class_)


def _side_by_side(articles: Sequence[Markup]) -> Markup:
    """Return articles in as many columns as there is room for; nothing if there are none."""
    return tag("div", *articles, class_="articles") if articles else Markup("")


def _figure(draw: Callable[..., Any], name: str, caption: str) -> Markup:
    return tag("figure", Markup(svg(draw, name, caption)), tag("figcaption", caption))


def _fits(family: Family) -> Markup:
    if not family.fits:
        few = len(family.members) > 1
        text = "Growth laws are fitted to four resolutions or more whose runs differ."
        return tag("p", text, class_="quiet") if few else Markup("")
    rows = [
        [
            fit.equation,
            _leading(fit),
            Cell(f"{fit.chi_square:.1f} / {fit.degrees_of_freedom}", fit.chi_square),
            Cell("< 0.0001" if fit.p_value < 1e-4 else f"{fit.p_value:.3f}", fit.p_value),
            Cell(f"{fit.weight:.3f}", fit.weight) if fit.fits else Cell("does not fit"),
        ]
        for fit in family.fits
    ]
    caption = "Growth laws fitted to the means, those that fit first, the best of them first."
    if not family.fits[0].fits:
        caption = "None of these growth laws fits the means (p < 0.01)."
    if family.failures:
        caption += f" Failed runs, {family.failures:,} here, count with the evaluations they spent."
    names = ("law", "95 % interval", "χ² / freedom", "p", "weight")
    return table(names, rows, caption)


def _leading(fit: Any) -> Cell:
    """The interval of the exponent, or of the leading coefficient where the exponent is fixed."""
    fitted = fit.law.fitted_exponent
    low, high = fit.exponent_interval if fitted else fit.factor_interval
    return Cell(f"{'k' if fitted else 'a'}: {low:.3g} – {high:.3g}", low)


def comparisons_section(found: Sequence[Contest]) -> Markup:
    """Return, for each function, the algorithms side by side and every two tested."""
    parts = []
    for index, contest in enumerate(found):
        figure = _figure(contest_runtimes(contest), f"c{index}", "Solved runs over time")
        made_of = join(map(link_to, contest.members.values()), ", ")
        pieces = [tag("div", figure, class_="figures"), _tests(contest)]
        pieces.append(tag("p", "From ", made_of, ".", class_="quiet"))
        parts.append(_article(contest.title, pieces))
    return _side_by_side(parts)


def _tests(contest: Contest) -> Markup:
    if not contest.tests:
        text = f"More than {MOST_COMPARED} algorithms are not compared pair by pair."
        return tag("p", text, class_="quiet")
    rows = [
        [
            _named(test.first, contest),
            _named(test.second, contest),
            Cell(f"{test.a12:.3f}", test.a12),
            test.effect,
            Cell(f"{test.p_holm:.2g}", test.p_holm),
        ]
        for test in contest.tests
    ]
    caption = (
        "Evaluations until success: A12 is the probability that the first takes longer; p values "
        "of the Mann-Whitney test, corrected for the number of pairs (Holm)."
    )
    return table(("first", "second", "A12", "effect", "p"), rows, caption)


def _named(name: str, contest: Contest) -> Cell:
    return Cell(tag("a", name, href=f"#{contest.members[name].anchor}"), name)


def settings_section(entries: Sequence[Entry]) -> Markup:
    """Return all about each setting: options, seed, run numbers, versions, rows."""
    return join(_setting(index, one) for index, one in enumerate(entries))


def _setting(index: int, entry: Entry) -> Markup:
    stored, setting = entry.stored, entry.setting
    stops = ", ".join(f"{count:,} {reason}" for reason, count in stored.stop_counts.items())
    facts: dict[str, Any] = {
        **{key: _shown(value) for key, value in setting.canonical.items()},
        "seed of the runs": str(setting.entropy),
        "success means": criterion(setting),
        "run numbers": interval_text(entry.intervals),
        "stopped by": stops,
        "fewest evaluations": _extreme(entry, largest=False),
        "most evaluations": _extreme(entry, largest=True),
        "made by": ", ".join(f"hyperna {version}" for version in stored.versions),
        "computing time": f"{number(stored.seconds)} s",
    }
    listed = [tag("div", tag("dt", key), tag("dd", value)) for key, value in facts.items()]
    title = f"{setting.problem}, r = {setting.resolution}, {setting.mutation or setting.algorithm}"
    heading = tag("summary", tag("code", setting.id), " ", title)
    rows = tag("div", class_="rows", data_index=index)
    again = tag("p", "One of these runs again, in Python:"), tag("pre", single_run(setting))
    content = [tag("dl", *listed), rows, tag("div", *again, class_="again")]
    return tag("details", heading, *content, id=entry.anchor)


def _extreme(entry: Entry, largest: bool) -> str:
    value, run = entry.extreme(largest)
    return f"{value:,} (run {run})"


def rerun_section(entries: Sequence[Entry]) -> Markup:
    """Return a campaign file and the commands."""
    toml = campaign_toml([(one.setting, max(one.wanted, len(one.stored))) for one in entries])
    commands = (
        f"python -m pip install '.[plot]'  # in the folder of hyperna {__version__}\n"
        "hyperna campaign run again.toml --jobs -1\n"
        "hyperna report again.store -o report.html\n"
    )
    files = sorted({one.setting.problem for one in entries if one.setting.data})
    needed = [tag("p", f"Beside it belong the files {', '.join(files)}.")] if files else []
    return join(
        [
            tag("p", "A run depends on its setting and its number only, so these commands give "),
            tag("pre", commands),
            tag("p", "the same rows again, with this as again.toml:"),
            tag("pre", toml, class_="long", id="toml"),
            *needed,
        ]
    )


def meaning_section() -> Markup:
    """Return what the columns are."""
    meanings = {
        "solved": "share of runs that reached an optimum or their target, with Wilson's interval",
        "mean, median": "fitness evaluations of all runs; a failed run counts with what it spent. "
        "Intervals by bootstrap: bias-corrected and accelerated for means, percentiles for medians",
        "ERT": "evaluations of all runs divided by the number of successes: what one success costs "
        "when failed runs are restarted; the bootstrap resamples whole runs",
        "fitness": "share of the circle, the sphere or the points that the best network of a run "
        "classifies correctly",
        "where a number comes from": "the setting's id names rows of the store, for instance in "
        "the table that 'hyperna campaign export STORE csv' writes, column setting; their numbers "
        "are given with the setting. All numbers in full precision, and the rows of smaller "
        "stores, are in this file as JSON (element with id data), with a SHA-256 of the rows",
    }
    listed = [tag("div", tag("dt", key), tag("dd", text)) for key, text in meanings.items()]
    return tag("dl", *listed, class_="prose")
