"""The report: numbers that lead back to rows, texts that stay texts, a page that stands alone."""

import json
import re
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest
from reported import embedded_data, evil_report, evil_store
from scipy import stats

from hyperna._words import number, significant
from hyperna.analysis.laws import fit_runtimes
from hyperna.analysis.statistics import (
    bootstrap_interval,
    expected_running_time,
    wilson_interval,
)
from hyperna.experiments.campaign import Campaign
from hyperna.experiments.setting import setting

pytest.importorskip("matplotlib")

from hyperna.report import write_report
from hyperna.report.groups import groups
from hyperna.report.numbers import Entry, rows_digest
from hyperna.report.page import read_entries
from hyperna.report.pictures import problem_picture
from hyperna.report.sections import problems_section
from hyperna.report.sentences import family_text, headline, method_text, success_text, task_text


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("report")


@pytest.fixture(scope="module")
def store(folder):
    return evil_store(folder)


@pytest.fixture(scope="module")
def path(store, folder):
    return evil_report(store, folder)


@pytest.fixture(scope="module")
def page(path):
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def data(page):
    return embedded_data(page)


CELL = r'<td data-label="([^"]+)"[^>]*>(.*?)</td>'


class Elements(HTMLParser):
    """Collects the start tags of a page."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def named(self, tag):
        return [attributes for name, attributes in self.found if name == tag]


class TestNumbers:
    def test_every_setting_gives_the_numbers_of_its_rows(self, store, data):
        frame = store.to_frame()
        assert len(data["settings"]) == frame.setting.nunique() == 10
        for record in data["settings"]:
            rows = frame[frame.setting == record["setting"]]
            evaluations, success = rows.evaluations.to_numpy(), rows.success.to_numpy()
            solved = int(success.sum())
            assert record["numbers"] == [[0, len(rows)]]
            assert (record["runs"], record["successes"]) == (len(rows), solved)
            assert record["success_share"] == solved / len(rows)
            assert record["success_interval"] == list(wilson_interval(solved, len(rows)))
            assert record["mean_evaluations"] == evaluations.mean()
            assert record["mean_interval"] == list(bootstrap_interval(evaluations))
            assert record["sd_evaluations"] == evaluations.std(ddof=1)
            assert record["median_evaluations"] == np.median(evaluations)
            assert record["median_interval"] == list(bootstrap_interval(evaluations, "median"))
            times = expected_running_time(evaluations, success)
            finite = [x if np.isfinite(x) else None for x in times[:3]]
            assert record["expected_running_time"] == finite[0]
            assert record["expected_running_time_interval"] == finite[1:]
            assert record["best_fitness"] == rows.fitness.max()
            assert record["mean_fitness"] == pytest.approx(rows.fitness.mean(), rel=1e-12)
            interval = bootstrap_interval(rows.fitness.to_numpy())
            assert record["mean_fitness_interval"] == list(interval)
            counts = rows.stop_reason.value_counts()
            assert record["stop_reasons"] == {k: int(n) for k, n in counts.items() if n}
            assert record["rows"]["evaluations"] == evaluations.tolist()
            assert record["rows"]["fitness"] == rows.fitness.tolist()
            assert record["rows"]["stop"] == list(rows.stop_reason)

    def test_every_number_that_is_shown_is_that_of_the_frame(self, store, page):
        frame = store.to_frame()
        pattern = (
            r'<td data-label="([^"]+)" data-v="([^"]*)" '
            r'title="(?:[\d,]+ of )?setting (\w{16})[^"]*"[^>]*>(.*?)</td>'
        )
        cells = re.findall(pattern, page)
        assert len(cells) == 6 * frame.setting.nunique()
        for label, value, name, text in cells:
            rows = frame[frame.setting == name]
            spent, success = rows.evaluations.to_numpy(), rows.success.to_numpy()
            times = expected_running_time(spent, success)
            solved = int(success.sum())
            low, high = wilson_interval(solved, len(rows))
            wanted, ends = {
                "runs": (len(rows), None),
                "successes": (solved / len(rows), (f"{100 * low:,.1f}", f"{100 * high:,.1f} %")),
                "mean": (spent.mean(), bootstrap_interval(spent)),
                "median": (np.median(spent), bootstrap_interval(spent, "median")),
                "ERT": (times.value, times[1:3]),
                "final fitness": (rows.fitness.mean(), None),
            }[label]
            assert float(value) == pytest.approx(wanted, rel=1e-12)
            if ends is not None:
                ends = ends if isinstance(ends[0], str) else tuple(map(number, ends))
                assert text.endswith(f"<small>{ends[0]} – {ends[1]}</small>")

    def test_every_comparison_that_is_shown_is_that_of_the_frame(self, store, page):
        frame = store.to_frame()
        expected = []
        for r in (24, 60, 36, 48):
            pair = []
            for law in ("harmonic", "local"):
                chosen = (frame.resolution == r) & (frame.mutation == law)
                rows = frame[(frame.problem == "quarter") & chosen]
                pair.append(np.where(rows.success, rows.evaluations, np.inf))
            test = stats.mannwhitneyu(*pair, alternative="two-sided")
            expected.append((test.statistic / 625, test.pvalue))
        shown = re.findall(
            r'data-label="A12" data-v="([^"]+)".*?data-label="p" data-v="([^"]+)"', page
        )
        found = [(float(a12), float(p)) for a12, p in shown]
        assert sorted(found) == [pytest.approx(pair) for pair in sorted(expected)]

    def test_digests_tell_changed_rows(self, store, data):
        for runs, record in zip(store.runs(), data["settings"], strict=True):
            assert record["rows_sha256"] == rows_digest(runs)
            runs.rows[0, 1] += 1
            assert record["rows_sha256"] != rows_digest(runs)

    def test_every_cell_of_the_results_names_its_rows(self, page, data):
        cells = [cell for cell in Elements(page).named("td") if cell.get("title")]
        known = {record["setting"] for record in data["settings"]}
        named = {re.search(r"setting (\w{16}), runs 0–\d+", cell["title"])[1] for cell in cells}
        assert named == known
        assert len(cells) == 6 * len(known)

    def test_links_lead_somewhere(self, page):
        elements = Elements(page)
        ids = [attributes["id"] for _, attributes in elements.found if "id" in attributes]
        assert len(ids) == len(set(ids))
        targets = [a["href"] for a in elements.named("a") + elements.named("use")]
        assert len(targets) > 10
        assert {target.removeprefix("#") for target in targets} <= set(ids)
        clipped = re.findall(r"url\(#([^)]+)\)", page)
        assert clipped
        assert set(clipped) <= set(ids)

    def test_families_fit_growth_laws(self, store):
        quarter, local_opt, points = groups(read_entries(store))
        assert [group.title for group in (quarter, local_opt)] == [
            "quarter, D = 2, 1 neuron",
            "local_opt, D = 2, 1 neuron",
        ]
        assert points.shared == {"budget": 9}
        harmonic, local = quarter.families
        assert (harmonic.name, local.name) == ("harmonic", "local")
        assert list(harmonic.samples) == [24, 36, 48, 60]
        assert len(harmonic.fits) == 3
        assert harmonic.bound.text == "O(log³ r) expected"
        assert local_opt.families[0].fits == []

    def test_every_law_that_is_shown_is_fitted_to_the_rows(self, store, page):
        frame = store.to_frame()
        expected = []
        for law in ("harmonic", "local"):
            rows = frame[(frame.problem == "quarter") & (frame.mutation == law)]
            samples = {r: own.evaluations.to_numpy() for r, own in rows.groupby("resolution")}
            fits = fit_runtimes(list(samples), list(samples.values()))
            for fit in fits:
                k = fit.law.fitted_exponent
                ends = fit.exponent_interval if k else fit.factor_interval
                low, high = map(significant, ends)
                weight = f"{fit.weight:.3f}" if fit.grows else "falls for large r"
                freedom = 4 - fit.law.parameters + (fit.factor == 0)
                near, far = (
                    f"{significant(one.value)} "
                    f"({significant(one.interval.low)} … {significant(one.interval.high)})"
                    for one in fit.predictions
                )
                expected.append(
                    {
                        "variant": law,
                        "law": fit.equation,
                        "95 % interval": f"{'k' if k else 'a'}: {low} – {high}",
                        "χ² / freedom": f"{fit.chi_square:.1f} / {freedom}",
                        "p": f"{fit.p_value:.2g}" if fit.p_value >= 1e-4 else "< 0.0001",
                        "weight": weight if fit.p_value >= 0.01 else "does not fit",
                        "at 2 times r": near,
                        "at 16 times r": far,
                    }
                )
        shown = [
            {label: told(text) for label, text in re.findall(CELL, row)}
            for row in re.findall(r"<tr>(<td[^>]* data-label=\"variant\".*?)</tr>", page)
        ]
        assert len(shown) == 6
        assert shown == expected

    def test_many_rows_are_left_out_but_named(self, store, folder, monkeypatch):
        monkeypatch.setattr("hyperna.report.page.MOST_ROWS", 10)
        monkeypatch.setattr("hyperna.report.sections.svg", lambda *_: "<svg></svg>")
        write_report(store, folder / "short.html")
        text = (folder / "short.html").read_text(encoding="utf-8")
        record = json.loads(re.search(r'id="data">(.*?)</script>', text)[1])["settings"][0]
        assert "rows" not in record
        assert len(record["rows_sha256"]) == 64


def told(page):
    """The text of a page, without its markup."""
    from html import unescape

    return unescape(re.sub(r"<[^>]*>", "", page)).replace("\u00a0", " ")


def without_runs(made):
    """An entry whose two runs failed, without running anything."""
    runs = SimpleNamespace(
        setting=made,
        evaluations=np.array([5, 5]),
        success=np.array([False, False]),
        fitness=np.array([0.25, 0.5]),
    )
    return Entry(runs, 2)


class TestSentences:
    def test_they_are_computed_from_the_rows(self, store, page):
        frame = store.to_frame()
        text = told(page)
        for law in ("harmonic", "local"):
            rows = frame[(frame.problem == "quarter") & (frame.mutation == law)]
            solved = int(rows.success.sum())
            count = (
                f"all {len(rows)} runs" if solved == len(rows) else f"{solved} of {len(rows)} runs"
            )
            costs = []
            for r in (24, 60):
                own = rows[rows.resolution == r]
                time = expected_running_time(own.evaluations.to_numpy(), own.success.to_numpy())
                value, low, high = map(number, time[:3])
                costs.append(f"{value} evaluations ({low} to {high}) at r = {r}")
            means = rows.groupby("resolution").fitness.mean()
            low, high = (f"{share:.4f}" for share in (means.min(), means.max()))
            reached = low if low == high else f"{low} to {high}"
            told_of = f"{law}: {count} succeeded (mean final fitness {reached}); a success cost "
            assert f"{told_of}{' and '.join(costs)}." in text

    def test_the_fastest_is_told_with_what_may_be_chance(self, store, page):
        frame = store.to_frame()
        chosen = frame[(frame.problem == "quarter") & (frame.resolution == 60)]
        cost = (
            chosen.groupby("mutation").evaluations.sum() / chosen.groupby("mutation").success.sum()
        )
        slow, quick = cost.idxmax(), cost.idxmin()
        pair = [
            np.where(rows.success, rows.evaluations, np.inf)
            for rows in (chosen[chosen.mutation == name] for name in (quick, slow))
        ]
        sure = stats.mannwhitneyu(*pair).pvalue < 0.05
        text = told(page)
        assert f"At r = 60, {quick} needed the fewest evaluations per success." in text
        end = "is significant" if sure else "may be chance"
        assert f"The difference from {slow} {end}." in text

    def test_settings_are_told_apart(self):
        settings = [
            setting(problem="half"),
            setting(problem="half", restarts=2),
            setting(problem="half", seed=7, mutation="pareto:shape=2"),
            setting(problem="half", bias=False, algorithm="rls"),
        ]
        [group] = groups([without_runs(made) for made in settings])
        assert [family.name for family in group.families] == [
            "na, harmonic",
            "na, harmonic, 2 restarts",
            "na, pareto:shape=2,scale=1, seed 7",
            "rls, harmonic, no bias",
        ]
        assert len(set(group.names().values())) == len(settings)
        # What is proved is proved for the plain algorithm without bias only.
        assert [family.bound for family in group.families] == [None] * 4

    def test_networks_of_one_problem_are_variants(self):
        networks = [(1, "or"), (2, "or"), (2, "and")]
        made = [setting(problem="quarter", neurons=n, output=output) for n, output in networks]
        [group] = groups([without_runs(each) for each in made])
        assert group.title == "quarter, D = 2"
        assert [family.name for family in group.families] == [
            "harmonic, 1 neuron, output or",
            "harmonic, 2 neurons, output or",
            "harmonic, 2 neurons, output and",
        ]
        # Nothing is compared by its time to success where nothing succeeded.
        assert group.contests == []
        assert headline(group).startswith("none of 6 runs succeeded; highest mean fitness: ")

    def test_what_all_settings_share_is_told_once(self):
        laws = ("local", "uniform")
        settings = [setting(problem="half", bias=False, mutation=name) for name in laws]
        [group] = groups([without_runs(made) for made in settings])
        assert [family.name for family in group.families] == ["local", "uniform"]
        assert "Networks of 1 neuron (no bias) at resolution 120." in method_text(group)
        assert group.families[0].bound.text == "O(r) expected, without bias"

    @pytest.mark.parametrize(
        ("options", "wanted"),
        [
            ({"problem": "two_quarters"}, "between 0° and 90° or between 180° and 270°"),
            ({"problem": "half", "dim": 4}, "unit sphere in 4 dimensions"),
            ({"problem": "arcs", "k": 7}, "in one of 7 arcs"),
            ({"problem": "cube"}, "Learn 8 points in R^3, 4 of them positive"),
        ],
    )
    def test_the_task_is_told_and_drawn(self, options, wanted):
        [group] = groups([without_runs(setting(**options))])
        assert wanted in task_text(group)
        picture = problem_picture(group.problem)
        assert picture.count('class="arc"') == len(getattr(group.problem, "arcs", ()))
        assert picture.count("<line") == (12 if options["problem"] == "cube" else 0)

    def test_runs_without_success_have_no_empty_chart(self):
        shape = {"problem": "quarter", "dim": 3, "neurons": 2, "budget": 5}
        made = [setting(**shape, resolution=r) for r in (8, 16)]
        [group] = groups([without_runs(each) for each in made])
        assert problems_section([group]).count("<figure") == 1  # of the problem
        assert success_text(group).startswith("No success is defined: ")
        assert family_text(group.families[0]).startswith("none of 4 runs succeeded; their mean")

    def test_points_whose_file_is_gone(self, tmp_path):
        (tmp_path / "few.csv").write_text("a,b\n0.5,1\n-0.5,0\n")
        store = Campaign.product(problem="few.csv", folder=tmp_path, budget=5, runs=1).run(
            tmp_path / "store"
        )
        (tmp_path / "few.csv").unlink()
        [group] = groups(read_entries(store))
        assert group.problem is None
        assert "whose file is not here any more" in task_text(group)
        assert problem_picture(group.problem) == ""


def unbacked_setting(**options):
    """A setting that no file stands behind."""
    from hyperna.experiments.setting import Setting

    shape = {"algorithm": "na", "dim": 2, "neurons": 1, "output": "or", "resolution": 120}
    return Setting.of({**shape, **options})


class TestPage:
    def test_planned_runs_that_are_missing_are_told(self, tmp_path, monkeypatch):
        monkeypatch.setattr("hyperna.report.sections.svg", lambda *_: "<svg></svg>")
        half = Campaign.product(problem="half", runs=2)
        store = half.run(tmp_path / "store")
        with store.writer() as writer:
            writer.want({next(iter(half.wanted)): 5, unbacked_setting(problem="quarter"): 4})
        write_report(store, tmp_path / "x.html")
        assert "7 more runs are planned" in (tmp_path / "x.html").read_text(encoding="utf-8")

    def test_texts_are_escaped(self, page):
        elements = Elements(page)
        assert elements.named("img") == []
        assert elements.named("script") == [{"type": "application/json", "id": "data"}, {}]
        assert page.count("<script") == 2
        assert "&lt;script&gt;alert(1)" in page

    def test_it_needs_nothing_from_elsewhere(self, page):
        elements = Elements(page)
        assert not [a for _, a in elements.found if "src" in a or "srcset" in a]
        assert elements.named("link") == []
        assert not re.search(r"https?://|@import|url\((?!#)", page)

    def test_its_policy_allows_its_own_script_only(self, page):
        import base64
        import hashlib

        script = re.search(r"<script>(.*?)</script>", page, re.S)[1]
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        policy = Elements(page).named("meta")[1]["content"]
        assert policy.startswith("default-src 'none'")
        assert f"script-src 'sha256-{digest}'" in policy
