"""What docs/explanation/theorems.md says about measurements, computed from them.

    python docs/theorems.py             write the page again from theorems.json
    python docs/theorems.py --measure   measure first, which takes about an hour of processor time

The data are beside the page: exact expectations, means of the campaign of the theorems with its
own seeds, and the verdicts of `hyperna reproduce` on the paper's tables with the paper's number of
runs. A sentence here is a function of these data; it says something else if they do.
"""

import argparse
import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

import hyperna
from hyperna._words import joined
from hyperna.analysis.laws import FITS_FROM, fit_scaling
from hyperna.experiments.campaign import Campaign
from hyperna.experiments.store import Store
from hyperna.paper.findings import report_table
from hyperna.paper.pages import na_results
from hyperna.paper.printed import CMA_TABLE, UNIFORM_TABLES
from hyperna.paper.reproduce import Reproduction

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "explanation" / "theorems.md"
DATA = PAGE.with_suffix(".json")
CAMPAIGN = ROOT / "notebooks" / "campaigns" / "theorems.toml"
# Exact expectations without bias take half a minute at the largest of these.
EXACT = [2**bits for bits in range(6, 21, 2)]
LOCAL_OPT_RESOLUTION = 120
LEVEL = 0.05
WHOLE_PAPER = Reproduction()

Points = Sequence[Sequence[float]]


# ---- data


def measure(store: Path | None) -> dict[str, Any]:
    """Return all data of the page; runs of the tables are kept in a store if one is given."""
    half = hyperna.problem("half")
    local_opt = hyperna.problem("local_opt")
    stuck = hyperna.expected_runtime(local_opt, LOCAL_OPT_RESOLUTION, "local")
    return {
        "version": hyperna.__version__,
        "half": {
            "exact": [[r, hyperna.expected_runtime(half, r, bias=False).mean] for r in EXACT],
            "measured": means("half"),
        },
        "quarter": {"measured": means("quarter")},
        "local_opt": {
            "resolution": LOCAL_OPT_RESOLUTION,
            "ends": [[end.fitness, end.probability, end.success] for end in stuck.ends()],
        },
        "tables": tables(store),
    }


def means(problem: str) -> list[list[float]]:
    """Resolutions, mean evaluations, standard errors and runs of the campaign, harmonic steps."""
    whole = Campaign.from_toml(CAMPAIGN)
    chosen = {
        setting: runs
        for setting, runs in whole.wanted.items()
        if setting.problem == problem and setting.mutation == "harmonic"
    }
    with tempfile.TemporaryDirectory() as folder:
        found = Campaign(chosen).run(Path(folder) / "store").runs()
        rows = []
        for runs in found:
            times = runs.evaluations
            error = times.std(ddof=1) / np.sqrt(len(times))
            rows.append([runs.setting.resolution, times.mean(), error, len(times)])
    return sorted(rows)


def tables(store: Path | None, reproduction: Reproduction = WHOLE_PAPER) -> list[dict[str, Any]]:
    """What was found about each of the paper's tables."""
    found = []
    kept = None if store is None else Store(store)
    for number, runs in reproduction.run(kept):
        findings = report_table(number, runs).findings
        if number == CMA_TABLE:
            differ = {one.title.rpartition(" on ")[2]: one.differs for one in findings}
            found.append({"number": number, "title": "Table 10: CMA-ES", "differ": differ})
            continue
        kinds = ("algorithm", "uniform") if number in UNIFORM_TABLES else ("algorithm",)
        for kind, finding in zip(kinds, findings, strict=True):
            results = na_results(number, runs, kind)
            found.append(
                {
                    "number": number,
                    "kind": kind,
                    "title": finding.title,
                    "cells": finding.cells,
                    "differ": finding.differs,
                    "remark": finding.remark,
                    "ratios": [one.paper.mean / one.measured.mean_evaluations for one in results],
                }
            )
    return found


# ---- sentences


def half_text(exact: Points, measured: Points) -> str:
    """The law of HALF through its exact values, and whether measured means agree with it."""
    r, mean = np.array(exact).T
    fitted = np.polyfit(np.log(r), mean, 2, w=1 / mean)
    # It is judged as it is printed: at large r the last digit of a coefficient matters.
    a, b, c = (round(float(value), digits) for value, digits in zip(fitted, (4, 3, 2), strict=True))
    law = np.polynomial.Polynomial([c, b, a])
    off = np.abs(law(np.log(r)) - mean).max()
    equation = f"{a:.4f} ln² *r* {_signed(b, 3)} ln *r* {_signed(c, 2)}"
    text = (
        f"HALF without bias, harmonic: {equation} is within {_rounded_up(off)} evaluations of the "
        f"exact expectations at {len(r)} resolutions from {_size(r[0])} to {_size(r[-1])}."
    )
    sizes, means, errors, _ = np.array(measured).T
    misfit = float((((means - law(np.log(sizes))) / errors) ** 2).sum())
    p = float(stats.chi2.sf(misfit, len(sizes)))
    quality = f"chi-square {misfit:.1f} on {len(sizes)}, p = {p:.2g}"
    verb = "agree with it" if p >= FITS_FROM else "do not agree with it"
    return f"{text} Measured means up to {_size(sizes[-1])} {verb} ({quality})."


def quarter_text(measured: Points) -> str:
    """Whether the runtime on QUARTER needs a third power of ln r."""
    r, mean, error, _ = np.array(measured).T
    [square] = [fit for fit in fit_scaling(r, mean, error) if fit.law.name == "log^2"]
    coefficients, covariance = np.polyfit(np.log(r), mean, 3, w=1 / error, cov="unscaled")
    cubic = round(float(coefficients[0]), 12) + 0.0
    spread = float(np.sqrt(covariance[0, 0]))
    seen = abs(cubic) > stats.norm.ppf(1 - LEVEL / 2) * spread
    fits = "fits" if square.fits else "does not fit"
    quality = f"chi-square {square.chi_square:.1f} on {square.degrees_of_freedom}, "
    quality += f"p = {square.p_value:.2g}"
    third = "so a third power is seen in the data" if seen else "so a third power is not seen"
    return (
        f"QUARTER, harmonic: a quadratic in ln *r* {fits} the means up to {_size(r[-1])} "
        f"({quality}). In a cubic the coefficient of ln³ *r* is {cubic:.3f} ± {spread:.3f} "
        f"(standard error), {third}."
    )


def local_opt_text(resolution: int, ends: Sequence[Sequence[Any]]) -> str:
    """Where runs with local steps on LOCALOPT end."""
    success = sum(probability for _, probability, found in ends if found)
    stuck: dict[float, float] = {}
    for fitness, probability, found in ends:
        if not found:
            key = round(fitness, 3)
            stuck[key] = stuck.get(key, 0.0) + probability
    told = [f"{share:.3f} at {fitness:.3f}" for fitness, share in stuck.items() if share >= 5e-4]
    rest = f"; others get stuck with probability {joined(told)}" if told else ""
    return (
        f"LOCALOPT, local steps, exact at *r* = {resolution}: runs succeed with probability "
        f"{success:.4f}{rest} (fitness of the best network of the end)."
    )


def tables_text(found: Sequence[Mapping[str, Any]]) -> str:
    """A row for each table of the paper, and which of them agree."""
    lines = [
        "| table | success | mean | median | printed / measured: mean | median | verdict |",
        "|---|---|---|---|--:|--:|---|",
    ]
    for one in found:
        if one["number"] == CMA_TABLE:
            lines.append(f"| {one['title']} | – | – | – | – | – | {_cma_verdict(one['differ'])} |")
            continue
        cells = one["cells"]
        verdict = f"differs: {joined(one['differ'])}" if one["differ"] else "agrees"
        shown = [cells[name] for name in ("success", "mean", "median")]
        shown += [cells["mean ratio"], cells["median ratio"], verdict]
        lines.append(f"| {one['title']} | {' | '.join(shown)} |")
    return "\n".join([*lines, "", _agreement(found), "", *_remarks(found)])


def _cma_verdict(differ: Mapping[str, Sequence[str]]) -> str:
    wrong = [f"{name} ({joined(list(what))})" for name, what in differ.items() if what]
    if not wrong:
        return "agrees"
    right = [name for name, what in differ.items() if not what]
    good = f"; agrees on {joined(right)}" if right else ""
    return f"differs on {joined(wrong)}{good}"


def _agreement(found: Sequence[Mapping[str, Any]]) -> str:
    kinds: dict[bool, list[str]] = {True: [], False: []}
    for one in found:
        if one.get("kind") != "uniform":
            differ = one["differ"]
            right = not (any(differ.values()) if isinstance(differ, Mapping) else differ)
            kinds[right].append(str(one["number"]))
    parts = []
    for right, verb in ((True, "agree"), (False, "differ")):
        names = kinds[right]
        if names:
            noun, ending = ("Table", "s") if len(names) == 1 else ("Tables", "")
            parts.append(f"{noun} {joined(names)} {verb}{ending}")
    return f"{'. '.join(parts)}."


def _remarks(found: Sequence[Mapping[str, Any]]) -> list[str]:
    """What is known about tables that differ."""
    lines = []
    for one in found:
        if one["number"] == CMA_TABLE or not one["differ"]:
            continue
        if one["kind"] == "uniform":
            low, high = min(one["ratios"]), max(one["ratios"])
            lines.append(
                f"- Table {one['number']} with uniform steps: the printed means are "
                f"{low:.2f} to {high:.2f} times the measured ones."
            )
        elif one["remark"]:
            lines.append(f"- Table {one['number']}: {one['remark']}")
    return lines


def _signed(value: float, digits: int) -> str:
    return f"{'+' if value >= 0 else '−'} {abs(value):.{digits}f}"


def _rounded_up(value: float) -> str:
    """A bound with one digit that is not below the value."""
    scale = 10.0 ** np.floor(np.log10(value)) if value > 0 else 1.0
    return f"{np.ceil(value / scale) * scale:.1g}"


def _size(r: float) -> str:
    bits = int(r).bit_length() - 1
    if int(r) == 2**bits and bits > 9:
        return f"*r* = 2{str(bits).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"
    return f"*r* = {int(r):,}"


# ---- the page


def blocks(data: Mapping[str, Any]) -> dict[str, str]:
    """Everything on the page that is computed, by the mark that it stands after."""
    half, quarter, local_opt = data["half"], data["quarter"], data["local_opt"]
    sentences = [
        half_text(half["exact"], half["measured"]),
        quarter_text(quarter["measured"]),
        local_opt_text(local_opt["resolution"], local_opt["ends"]),
    ]
    return {
        "measured": "\n".join(f"- {sentence}" for sentence in sentences),
        "tables": tables_text(data["tables"]),
    }


def written(text: str, data: Mapping[str, Any]) -> str:
    """The page with all that is computed put between its marks."""
    for mark, block in blocks(data).items():
        pattern = rf"<!-- {mark} -->\n.*?<!-- end -->"
        made = f"<!-- {mark} -->\n{block}\n<!-- end -->"
        text, count = re.subn(pattern, lambda _, made=made: made, text, flags=re.DOTALL)
        if count != 1:
            raise ValueError(f"the page must have one mark <!-- {mark} -->, it has {count}")
    return text


def main() -> None:
    """Write the page, after measuring if that is wanted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--measure", action="store_true", help="measure first")
    parser.add_argument("--store", type=Path, help="keep the runs of the paper's tables here")
    args = parser.parse_args()
    if args.measure:
        text = json.dumps(measure(args.store), indent=1, ensure_ascii=False)
        DATA.write_text(f"{text}\n", encoding="utf-8")
    data = json.loads(DATA.read_text(encoding="utf-8"))
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), data), encoding="utf-8")


if __name__ == "__main__":
    main()
