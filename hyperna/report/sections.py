"""The sections of the page, each from the numbers it shows."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hyperna import __version__
from hyperna._words import NOTHING, number, percent, significant, with_interval
from hyperna.analysis.laws import FITS_FROM, PREDICTED_AT, Prediction, ScalingFit
from hyperna.report.figures import costs_caption, curve_names, draw_growth, draw_shares, svg
from hyperna.report.groups import MOST_COMPARED, Group, at_r, law_name, phrase
from hyperna.report.html import Markup, TableCell, interval_cell, join, table, tag
from hyperna.report.numbers import Entry, interval_text, table_keys
from hyperna.report.pictures import problem_picture
from hyperna.report.rerun import campaign_toml, criterion, single_run
from hyperna.report.sentences import (
    contest_text,
    family_text,
    headline,
    method_text,
    success_text,
    task_text,
)


def link_to(entry: Entry, text: str) -> Markup:
    """Return a link to all that the page says about a setting."""
    return tag("a", text, href=f"#{entry.anchor}")


def overview(found: Sequence[Group]) -> Markup:
    """Return the result of every problem in one sentence each, as links."""
    items = [
        tag("li", tag("a", group.title, href=f"#p{index}"), ": ", headline(group))
        for index, group in enumerate(found)
    ]
    return tag("ul", *items, class_="overview")


def problems_section(found: Sequence[Group]) -> Markup:
    """Return for each problem what was asked and found, with its picture and charts."""
    return join(_problem_article(index, group) for index, group in enumerate(found))


def _problem_article(index: int, group: Group) -> Markup:
    asked = [task_text(group), method_text(group), success_text(group)]
    answers = [
        tag("li", tag("b", family.name), ": ", family_text(family)) for family in group.families
    ]
    contest = group.main_contest
    compared = [tag("p", contest_text(contest))] if contest else []
    sentences = [tag("p", sentence) for sentence in asked]
    text = tag("div", *sentences, tag("ul", *answers, class_="found"), *compared)
    about = tag("div", problem_picture(group.problem), text, class_="about")
    tables = [
        _folded("Growth with the resolution", _fits(group)),
        _folded("Variants compared pair by pair", _tests(group)),
    ]
    pieces = [about, *_charts(index, group), *tables]
    return tag("article", tag("h3", group.title), *pieces, id=f"p{index}")


def _charts(index: int, group: Group) -> list[Markup]:
    charts = []
    if len(group.resolutions) > 1 and group.successes:
        charts.append(_figure(draw_growth, group, f"g{index}", costs_caption("resolution")))
    if any(one.summary.successes for one in group.at(group.main_resolution).values()):
        caption = f"Share of runs that have succeeded over time, {at_r(group.main_resolution)}."
        charts.append(_figure(draw_shares, group, f"e{index}", caption))
    if not charts:
        return []
    return [tag("div", *charts, class_="figures"), *curve_names(group)]


def _folded(title: str, content: Markup) -> Markup:
    return tag("details", tag("summary", title), content) if content else Markup("")


def _figure(draw: Callable[..., Any], group: Group, name: str, caption: str) -> Markup:
    return tag("figure", Markup(svg(draw, group, name, caption)), tag("figcaption", caption))


def results_section(entries: Sequence[Entry]) -> Markup:
    """Return the table with one row per setting."""
    keys, rare = _columns(entries)
    numbers = ("runs", "successes", "final fitness", "mean", "median", "ERT")
    rows = [[*_key_cells(one, keys, rare), *_number_cells(one)] for one in entries]
    text = "Evaluations with 95 % intervals. The first column leads to the setting and its runs. "
    caption = join([text, tag("span", "A click on a heading sorts.", class_="wide")])
    names = (*keys, *(("also",) if rare else ()), *numbers)
    return table(names, rows, caption)


def _columns(entries: Sequence[Entry]) -> tuple[list[str], list[str]]:
    """Return the keys with a column each, and those that share one: few settings use them."""
    keys = table_keys([one.setting for one in entries])
    used = {key: sum(_is_given(key, one.setting.canonical) for one in entries) for key in keys}
    rare = [key for key in keys if used[key] <= len(entries) / 4]
    if len(rare) < 2:
        rare = []
    return [key for key in keys if key not in rare], rare


def _is_given(key: str, options: Mapping[str, Any]) -> bool:
    """Whether an option is told among the rare ones: no target, or one of 0, is not the default."""
    value = options.get(key)
    return value is not None if key == "target" else bool(value)


def _key_cells(entry: Entry, keys: Sequence[str], rare: Sequence[str]) -> list[TableCell]:
    options = {**entry.setting.canonical, "mutation": law_name(entry.setting)}
    cells = [TableCell(link_to(entry, entry.setting.problem), entry.setting.problem)]
    for key in keys[1:]:
        value = options.get(key)
        sort = value if isinstance(value, int | float) and not isinstance(value, bool) else None
        cells.append(TableCell(_shown(value), sort))
    if rare:
        given = [phrase(key, options[key]) for key in rare if _is_given(key, options)]
        cells.append(TableCell(", ".join(given) or NOTHING))
    return cells


def _shown(value: Any) -> str:
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def _number_cells(entry: Entry) -> list[TableCell]:
    origin = f"setting {entry.setting.id}, runs {interval_text(entry.intervals)}"
    found = entry.summary
    low, high = found.success_interval
    ends = tag("small", f"{number(100 * low, 1)} – {percent(high)}")
    share = join([percent(found.success_share), " ", ends])
    return [
        TableCell(f"{found.runs:,}", found.runs, origin),
        TableCell(share, found.success_share, f"{found.successes:,} of {origin}"),
        TableCell(number(found.mean_fitness, 6), found.mean_fitness, origin),
        interval_cell(found.mean_evaluations, found.mean_interval, origin),
        interval_cell(found.median_evaluations, found.median_interval, origin),
        interval_cell(found.running_time.value, found.running_time[1:3], origin),
    ]


def _fits(group: Group) -> Markup:
    """Return the growth laws of all families; nothing without four resolutions."""
    families = [family for family in group.families if family.fits]
    if not families:
        return Markup("")
    rows = [
        [
            family.name,
            fit.equation,
            TableCell(
                f"{fit.leading[0]}: {' – '.join(map(significant, fit.leading[1]))}",
                fit.leading[1].low,
            ),
            TableCell(f"{fit.chi_square:.1f} / {fit.degrees_of_freedom}", fit.chi_square),
            TableCell("< 0.0001" if fit.p_value < 1e-4 else f"{fit.p_value:.2g}", fit.p_value),
            _weight(fit),
            *(_prediction(one) for one in fit.predictions),
        ]
        for family in families
        for fit in family.fits
    ]
    caption = (
        "Growth laws fitted to the mean evaluations; the best one of each variant comes first. "
        "A law does not fit if p < 0.01. None is fitted where runs failed. The last columns are "
        "what a law predicts beyond the largest resolution of its variant, with 95 % intervals."
    )
    names = ("variant", "law", "95 % interval", "χ² / freedom", "p", "weight")
    further = (f"at {times} times r" for times in PREDICTED_AT)
    return table((*names, *further), rows, caption)


def _weight(fit: ScalingFit) -> TableCell:
    if fit.p_value < FITS_FROM:
        return TableCell("does not fit")
    if not fit.grows:
        return TableCell("falls for large r")
    return TableCell(f"{fit.weight:.3f}", fit.weight)


def _prediction(found: Prediction) -> TableCell:
    return TableCell(with_interval(found.value, found.interval, significant), found.value)


def _tests(group: Group) -> Markup:
    """Return every two variants compared at every resolution that they share."""
    if not group.contests:
        return Markup("")
    rows = [
        [
            TableCell(f"{contest.resolution:,}", contest.resolution),
            TableCell(link_to(contest.members[test.first], test.first), test.first),
            TableCell(link_to(contest.members[test.second], test.second), test.second),
            TableCell(f"{test.a12:.3f}", test.a12),
            test.effect,
            TableCell(f"{test.p_holm:.2g}", test.p_holm),
        ]
        for contest in group.contests
        for test in contest.tests
    ]
    if not rows:
        text = f"More than {MOST_COMPARED} variants are not compared pair by pair."
        return tag("p", text, class_="quiet")
    caption = (
        "Evaluations until success: A12 is the probability that the first takes longer; p values "
        "of the Mann-Whitney test, corrected for the number of pairs at a resolution (Holm)."
    )
    return table(("resolution", "first", "second", "A12", "effect", "p"), rows, caption)


def settings_section(entries: Sequence[Entry], found: Sequence[Group]) -> Markup:
    """Return all about each setting: options, seed, run numbers, versions, rows."""
    names = {key: name for group in found for key, name in group.names().items()}
    return join(_setting(index, one, names[one.setting.id]) for index, one in enumerate(entries))


def _setting(index: int, entry: Entry, name: str) -> Markup:
    stored = entry.stored
    setting = entry.setting
    stops = ", ".join(f"{count:,} {reason}" for reason, count in stored.stop_counts.items())
    facts: dict[str, Any] = {
        **{key: _shown(value) for key, value in setting.canonical.items()},
        "seed of the runs": str(setting.entropy),
        "success": criterion(setting),
        "run numbers": interval_text(entry.intervals),
        "stopped by": stops,
        "fewest evaluations": "{:,} (run {})".format(*entry.extreme(largest=False)),
        "most evaluations": "{:,} (run {})".format(*entry.extreme(largest=True)),
        "made by": ", ".join(f"hyperna {version}" for version in stored.versions),
        "computing time": f"{number(stored.seconds)} s",
    }
    listed = [tag("div", tag("dt", key), tag("dd", value)) for key, value in facts.items()]
    heading = tag("summary", name, " ", tag("code", setting.id, class_="quiet"))
    rows = tag("div", class_="rows", data_index=index)
    again = tag("p", "Repeat one of these runs in Python:"), tag("pre", single_run(setting))
    content = [tag("dl", *listed), rows, tag("div", *again, class_="again")]
    return tag("details", heading, *content, id=entry.anchor)


def rerun_section(entries: Sequence[Entry]) -> Markup:
    """Return a campaign file and the commands."""
    toml = campaign_toml([(one.setting, max(one.wanted, len(one.stored))) for one in entries])
    commands = (
        f"python -m pip install '.[plot]'  # in the folder of hyperna {__version__}\n"
        "hyperna campaign run again.toml --jobs -1\n"
        "hyperna report again.store -o report.html\n"
    )
    files = sorted({one.setting.problem for one in entries if one.setting.data})
    needed = [tag("p", f"It needs these files beside it: {', '.join(files)}.")] if files else []
    return join(
        [
            tag(
                "p", "A run depends only on its setting and its number. These commands repeat all:"
            ),
            tag("pre", commands),
            tag("p", "again.toml is this file:"),
            tag("pre", toml, class_="long", id="toml"),
            *needed,
        ]
    )


def meaning_section() -> Markup:
    """Return what the columns are."""
    meanings = {
        "successes": "share of runs that reached an optimum or their target, with Wilson's "
        "interval",
        "mean, median": "fitness evaluations of all runs; a failed run counts with what it spent. "
        "Intervals by bootstrap: bias-corrected and accelerated for means, percentiles for medians",
        "ERT": "evaluations of all runs divided by the number of successes: what one success costs "
        "when failed runs are restarted; the bootstrap resamples whole runs",
        "final fitness": "share of the circle, the sphere or the points that the best network of a "
        "run classifies correctly, the mean of all runs",
        "where a number comes from": "the setting's id names rows of the store, for instance in "
        "the table that 'hyperna campaign export STORE csv' writes, column setting; their numbers "
        "are given with the setting. All numbers in full precision, and the rows of smaller "
        "stores, are in this file as JSON (element with id data), with a SHA-256 of the rows",
    }
    listed = [tag("div", tag("dt", key), tag("dd", text)) for key, text in meanings.items()]
    return tag("dl", *listed, class_="prose")
