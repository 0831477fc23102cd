"""The report in a browser: it asks for nothing, sorts, fits a phone, prints."""

import json

import pytest
from browsers import open_browser
from reported import EVIL, FILE, embedded_data, evil_report, evil_store

pytest.importorskip("matplotlib")


@pytest.fixture(scope="module")
def browser():
    yield from open_browser()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    return evil_report(evil_store(folder), folder)


@pytest.fixture(scope="module")
def data(path):
    return embedded_data(path.read_text(encoding="utf-8"))


def show(browser, path, width=1280, dark=False):
    """Open the page at a width, in the light or in the dark."""
    shape = {"width": width, "height": 800, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", shape)
    colours = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [colours]})
    browser.get(path.as_uri())


SPILLING = """
const wide = [];
for (const e of document.body.querySelectorAll("*:not(svg *)")) {
  const box = e.getBoundingClientRect();
  const outside = box.right > innerWidth + 1 || box.left < -1;
  if (box.width && outside) wide.push(e.outerHTML.slice(0, 90));
}
return [document.documentElement.scrollWidth, wide];
"""
COLUMN = """
const table = document.querySelector("#results table");
return [...table.tBodies[0].rows].map((row) => row.cells[arguments[0]].dataset.v
  ?? row.cells[arguments[0]].textContent);
"""
PLACES = """
return [...document.querySelectorAll("#p0 .figures figure")].map((element) => {
  const box = element.getBoundingClientRect();
  return [box.left, box.top].map(Math.round);
});
"""

# A browser takes a quarter of a minute; the README's command leaves it to CI.
pytestmark = pytest.mark.slow


class TestBrowser:
    def test_no_error_and_no_request(self, browser, path):
        browser.get_log("performance")
        show(browser, path)
        assert [entry["message"] for entry in browser.get_log("browser")] == []
        events = [json.loads(e["message"])["message"] for e in browser.get_log("performance")]
        sent = [e for e in events if e["method"] == "Network.requestWillBeSent"]
        assert [e["params"]["request"]["url"] for e in sent] == [path.as_uri()]

    def test_texts_stay_texts(self, browser, path):
        show(browser, path)
        assert browser.title == f"</title>{EVIL}"
        count = "return document.querySelectorAll(arguments[0]).length"
        assert browser.execute_script(count, "img") == 0
        assert browser.execute_script(count, "script") == 2
        assert FILE in browser.execute_script("return document.body.textContent")

    def test_plots_are_there(self, browser, path):
        show(browser, path)
        shapes = browser.execute_script(
            """return [...document.querySelectorAll("svg.plot")].map((plot) => {
              const box = plot.getBoundingClientRect();
              return [box.width, box.height, plot.querySelectorAll("path").length,
                      plot.querySelectorAll("text").length];
            });"""
        )
        # Three problems: one with several resolutions, one with one, one of points.
        assert len(shapes) == 2 + 1 + 1
        for width, height, paths, texts in shapes:
            assert width > 300
            assert height > 200
            assert paths > 10
            assert texts > 5

    @pytest.mark.parametrize(("width", "columns"), [(375, 1), (768, 1), (1280, 2), (1900, 2)])
    def test_charts_stand_side_by_side_where_there_is_room(self, browser, path, width, columns):
        show(browser, path, width)
        places = browser.execute_script(PLACES)
        assert len(places) == 2
        assert len({left for left, _ in places}) == columns
        assert len({top for _, top in places}) == 3 - columns
        scroll_width, spilling = browser.execute_script(SPILLING)
        assert scroll_width <= width
        assert width < 1280 or spilling == []

    def test_labels_of_an_axis_do_not_run_together(self, browser, path):
        show(browser, path, 375)
        clashes = browser.execute_script(
            """const clash = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom
                && b.top < a.bottom;
            const found = [];
            for (const plot of document.querySelectorAll("svg.plot")) {
              const texts = [...plot.querySelectorAll("text")];
              const boxes = texts.map((text) => text.getBoundingClientRect());
              boxes.forEach((a, i) => boxes.slice(0, i).forEach((b) => {
                if (clash(a, b)) found.push([i, a.left, b.left]);
              }));
            }
            return found;"""
        )
        assert clashes == []

    def test_legends_name_every_curve(self, browser, path):
        show(browser, path, 375)
        names = browser.execute_script(
            """return [...document.querySelectorAll("#p0 .legend li")].map((e) => e.textContent)"""
        )
        assert names == ["harmonic", "local"]

    def test_tables_sort_by_numbers_and_by_text(self, browser, path):
        show(browser, path)
        script = 'return [...document.querySelectorAll("#results th")].map((h) => h.textContent)'
        heads = browser.execute_script(script)
        for name in ("mean", "resolution", "problem", "ERT"):
            column = heads.index(name)
            stored = browser.execute_script(COLUMN, column)
            numeric = name != "problem"
            for descending in (False, True):
                browser.execute_script(
                    "document.querySelectorAll('#results th button')[arguments[0]].click()", column
                )
                found = browser.execute_script(COLUMN, column)
                assert sorted(found) == sorted(stored)
                values = [float(v) if numeric else v.lower() for v in found]
                assert values == sorted(values, reverse=descending)
            head = f"document.querySelectorAll('#results th')[{column}]"
            order = browser.execute_script(f"return {head}.getAttribute('aria-sort')")
            assert order == "descending"

    @pytest.mark.parametrize("width", [320, 375, 768])
    def test_nothing_spills_over(self, browser, path, width):
        show(browser, path, width)
        browser.execute_script(
            """document.querySelectorAll("details").forEach((d) => { d.open = true; });
            document.querySelectorAll(".rows button").forEach((b) => b.click());"""
        )
        scroll_width, spilling = browser.execute_script(SPILLING)
        assert scroll_width <= width
        if width < 500:
            assert spilling == []

    def test_on_a_phone_a_list_sorts(self, browser, path):
        show(browser, path, 375)
        browser.execute_script(
            """const select = document.querySelector("#results select");
            select.value = [...select.options].find((o) => o.text === "mean, falling").value;
            select.dispatchEvent(new Event("change"));"""
        )
        script = 'return [...document.querySelectorAll("#results th")].map((h) => h.textContent)'
        column = browser.execute_script(script).index("mean")
        values = [float(v) for v in browser.execute_script(COLUMN, column)]
        assert values == sorted(values, reverse=True)

    def test_links_open_the_setting_and_its_rows(self, browser, path, data):
        show(browser, path)
        setting = data["settings"][2]
        rows = browser.execute_script(
            """document.querySelector(`#results a[href="#s-${arguments[0]}"]`).click();
            const details = document.getElementById("s-" + arguments[0]);
            details.querySelector(".rows button").click();
            return [...details.querySelectorAll(".rows tbody tr")].map((row) =>
              [...row.cells].map((cell) => cell.textContent));""",
            setting["setting"],
        )
        assert [int(row[0]) for row in rows] == list(range(25))
        assert [int(row[1]) for row in rows] == setting["rows"]["evaluations"]
        assert [float(row[2]) for row in rows] == setting["rows"]["fitness"]

    def test_light_and_dark_both_have_contrast(self, browser, path):
        colours = """const brightness = (text) => text.match(/[0-9.]+/g).slice(0, 3)
            .reduce((sum, part) => sum + Number(part), 0) / 765;
          const body = getComputedStyle(document.body);
          const label = getComputedStyle(document.querySelector("svg.plot text"));
          return [body.backgroundColor, body.color, label.fill].map(brightness);"""
        for dark in (False, True):
            show(browser, path, dark=dark)
            paper, ink, label = browser.execute_script(colours)
            assert (paper < 0.2) == dark
            assert abs(paper - ink) > 0.6
            assert ink == label

    def test_paper_shows_what_is_folded(self, browser, path):
        show(browser, path)
        opened = browser.execute_script(
            """const folded = () => document.querySelectorAll("details:not([open])").length;
            const before = folded();
            dispatchEvent(new Event("beforeprint"));
            const during = folded();
            dispatchEvent(new Event("afterprint"));
            return [before, during, folded()];"""
        )
        # Ten settings, and the two tables of the problem with several resolutions.
        assert opened == [12, 0, 12]
        assert len(browser.execute_cdp_cmd("Page.printToPDF", {})["data"]) > 10_000
