"""The play page in a browser: it plays, is edited, shared, and asks nobody else for anything."""

import json
import threading
import time

import pytest
from browsers import open_browser
from scipy import stats
from test_play import random_networks

from hyperna import OnePlusOneNA, problem
from hyperna.play import PlayServer
from hyperna.play.answers import task

# A browser takes half a minute; the README's command leaves it to CI.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def browser():
    yield from open_browser()


@pytest.fixture(scope="module")
def server():
    with PlayServer(0) as made:
        thread = threading.Thread(target=made.serve_forever, daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def wait(browser, condition, seconds=240):
    """Wait until a JavaScript expression holds, and return it."""
    end = time.monotonic() + seconds
    while not (found := browser.execute_script(f"return {condition}")):
        assert time.monotonic() < end, condition
        time.sleep(0.05)
    return found


@pytest.fixture
def show(browser, server):
    """Open a link at a width; whatever happens after, the console must have stayed silent."""
    browser.get_log("browser")
    browser.get_log("performance")

    def at(link="", width=1280, dark=False):
        shape = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", shape)
        colours = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [colours]})
        browser.get("about:blank")
        browser.get(server.url + link)
        wait(browser, "document.documentElement.dataset.ready === 'yes'")
        return browser

    yield at
    assert [e["message"] for e in browser.get_log("browser") if "400" not in e["message"]] == []
    events = [json.loads(e["message"])["message"] for e in browser.get_log("performance")]
    sent = [e["params"]["request"]["url"] for e in events if e["method"].endswith("BeSent")]
    local = (server.url, "about:", "data:", "blob:")
    assert [url for url in sent if not url.startswith(local)] == []


def click(browser, name):
    browser.execute_script("document.getElementById(arguments[0]).click()", name)


def choose(browser, name, value):
    browser.execute_script(
        """const field = document.getElementById(arguments[0]);
        field.value = arguments[1];
        const name = field.type === "range" ? "input" : "change";
        field.dispatchEvent(new Event(name, { bubbles: true }));""",
        name,
        value,
    )


def drag(browser, *spots):
    """Press at the first spot of the stage (x, y in units of the circle), move and release."""
    box = browser.execute_script(
        "const b = document.getElementById('stage').getBoundingClientRect();"
        "return [b.left + b.width / 2, b.top + b.height / 2, Math.min(b.width, b.height) / 2]"
    )
    reach = 1.04 if browser.execute_script("return play.editor.kind") == "points" else 1.3

    def send(kind, spot):
        x, y = box[0] + spot[0] * box[2] / reach, box[1] - spot[1] * box[2] / reach
        event = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
        browser.execute_cdp_cmd("Input.dispatchMouseEvent", event)

    send("mousePressed", spots[0])
    for spot in spots[1:]:
        send("mouseMoved", spot)
    send("mouseReleased", spots[-1])


@pytest.mark.parametrize(
    "setting",
    [
        {"problem": "local_opt", "neurons": 1},
        {"problem": "two_quarters", "output": "and", "resolution": 1200},
        {"problem": "arcs", "k": 3, "neurons": 3, "output": "xor", "resolution": 45},
        {"problem": "arcs", "k": 2, "neurons": 4, "output": "evolved"},
        {"problem": "quarter", "neurons": 2, "mutation": "cauchy"},
        {"problem": "arcs", "k": 2, "neuron": "bent", "output": "evolved", "resolution": 48},
        {"problem": "quarter", "dim": 3, "neuron": "bent", "resolution": 60},
        {"problem": "quarter", "dim": 3, "neurons": 3, "output": "evolved", "resolution": 97},
    ],
    ids=lambda setting: "-".join(map(str, setting.values())),
)
def test_scores_are_those_of_the_kernels(show, setting):
    genomes, scores = random_networks(setting, 200)
    found = show().execute_async_script(
        """const [task, genomes, done] = arguments;
        import("/fitness.js").then(({ fitnessOf }) => {
          const fitness = fitnessOf(task);
          done(genomes.map((genome) => fitness.score(genome)));
        });""",
        task(setting),
        genomes,
    )
    if setting.get("mutation") == "cauchy":  # beyond the table an arccosine may round otherwise
        assert found == pytest.approx(scores, abs=2 * setting["neurons"])
    else:
        assert found == scores


@pytest.mark.parametrize("mutation", ["harmonic", "adaptive", "self_adjusting"])
def test_runs_take_as_long_as_those_of_the_kernels(show, mutation):
    asked = {"problem": "quarter", "neurons": 1, "resolution": 60, "mutation": mutation}
    found = show().execute_async_script(
        """const [task, count, done] = arguments;
        import("/search.js").then(({ Search }) => {
          const run = (seed) => {
            const search = new Search({ ...task, setting: { ...task.setting, seed } });
            search.advance(task.budget);
            return search.evaluations;
          };
          done(Array.from({ length: count }, (_, i) => run(i + 1)));
        });""",
        task(asked),
        800,
    )
    na = OnePlusOneNA(resolution=60, mutation=mutation)
    runs = na.run_many(problem("quarter"), runs=800, seed=0)
    assert stats.ks_2samp(found, runs.evaluations).pvalue > 0.001


def test_step_improvement_and_play_to_success(show):
    browser = show("#problem=quarter&neurons=1")
    assert browser.execute_script("return play.search.evaluations") == 1
    click(browser, "step")
    assert browser.execute_script("return play.search.evaluations") == 2
    before = browser.execute_script("return play.search.share")
    click(browser, "improve")
    assert browser.execute_script("return play.search.share") > before
    choose(browser, "speed", 9)
    click(browser, "play")
    wait(browser, "play.search.ended === 'success'")
    assert browser.execute_script("return play.playing") is False
    status = wait(browser, "document.getElementById('news').textContent")
    assert status.startswith("Success after")


def test_a_link_shows_the_same_moment(show):
    browser = show("#problem=two_quarters&seed=7&mutation=uniform&resolution=60")
    for _ in range(5):
        click(browser, "improve")
    before = browser.execute_script("return [play.search.genome, play.search.evaluations]")
    link = browser.execute_script("return location.hash")
    assert f"at={before[1]}" in link
    browser = show(link)
    assert browser.execute_script("return [play.search.genome, play.search.evaluations]") == before


@pytest.mark.parametrize(
    ("link", "message"),
    [
        ("#neurons=99", "neurons must be an integer from 1 to 8, got 99"),
        ("#nonsense=1", "unknown part"),
        ("#seed=x", "seed must be a whole number"),
        ("#problem=%3Cimg src=x onerror=alert(1)%3E", "problem must be one of"),
        ("#problem=points&points=1_2", "rows of 3 numbers"),
        ("#at=-3", "at must be"),
    ],
)
def test_a_bad_link_is_told_and_the_default_shown(show, link, message):
    browser = show(link)
    said = wait(browser, "document.getElementById('message').textContent")
    assert said.startswith("This link cannot be shown:")
    assert message in said
    assert browser.execute_script("return play.setting.problem") == "two_quarters"
    assert browser.execute_script("return document.querySelectorAll('main img').length") == 0


def test_arcs_are_dragged(show):
    browser = show("#problem=half&neurons=1")
    # The end at 180 degrees goes to 90; a new arc from 240 degrees to 300 appears.
    drag(browser, (-1.19, 0), (-0.9, 0.8), (-0.3, 1.15), (0, 1.19))
    wait(browser, "play.setting.problem === 'custom_arcs'")
    assert browser.execute_script("return play.setting.arcs") == [[0, 90]]
    drag(browser, (-0.595, -1.03), (0, -1.19), (0.595, -1.03))
    wait(browser, "play.setting.arcs.length === 2")
    first, second = browser.execute_script("return play.setting.arcs")
    assert first == [0, 90]
    assert second == pytest.approx([240, 300], abs=1)
    # The list of numbers shows them, and changes them without a mouse.
    fields = browser.execute_script("return [...document.querySelectorAll('.arc input')].length")
    assert fields == 4
    browser.execute_script("document.querySelector('.arc button').click()")
    wait(browser, "play.setting.arcs.length === 1")


def test_points_are_clicked_and_typed(show):
    browser = show("#problem=points&points=0.5_0.5_1~-0.5_-0.5_0&neurons=1")
    drag(browser, (0.2, 0.4))
    wait(browser, "play.setting.points.length === 3")
    assert browser.execute_script("return play.setting.points[2]") == pytest.approx(
        [0.2, 0.4, 1], abs=0.01
    )
    drag(browser, (0.2, 0.4))
    wait(browser, "play.setting.points.length === 2")
    browser.execute_script(
        """document.querySelector("[name=colour][value='0']").click();
        const stage = document.getElementById("stage");
        stage.focus();
        for (const key of ["ArrowLeft", "ArrowLeft", "Enter"]) {
          stage.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
        }"""
    )
    wait(browser, "play.setting.points.length === 3")
    assert browser.execute_script("return play.setting.points[2]") == [-0.1, 0, 0]
    choose(browser, "speed", 9)
    click(browser, "play")
    wait(browser, "play.search.ended === 'success'")


def test_sphere_turns_and_plays(show):
    browser = show("#problem=half&dim=3&neurons=1")
    before = browser.execute_script("return play.view.around")
    drag(browser, (0, 0), (0.3, 0))
    assert browser.execute_script("return play.view.around") != before
    choose(browser, "speed", 9)
    click(browser, "play")
    wait(browser, "play.search.ended === 'success'")


def test_landscape_tells_the_exact_time_left(show):
    browser = show("#problem=quarter&neurons=1&resolution=24")
    text = "document.getElementById('landscape-text').textContent"
    wait(browser, f"{text}.includes('Exact expected time left')")
    browser.execute_script("document.querySelector('[value=remaining]').click()")
    left = browser.execute_script(
        "return play.landscape.at(play.search.genome, play.task.unit).remaining"
    )
    assert f"{round(left)} evaluations" in browser.execute_script(f"return {text}")


def test_race_grows(show):
    browser = show("#problem=quarter&neurons=1&resolution=24")
    click(browser, "race")
    lanes = "Object.values(play.race.lanes)"
    wait(browser, f"{lanes}.length === 3 && {lanes}.every((lane) => lane.evaluations.length > 300)")
    click(browser, "race")
    assert "harmonic: mean" in browser.execute_script(
        "return document.getElementById('finish-text').textContent"
    )


def test_settings_that_are_refused_change_nothing(show):
    browser = show()
    choose(browser, "neurons", 0)
    said = wait(browser, "document.getElementById('message').textContent")
    assert "neurons must be an integer from 1 to 8, got 0" in said
    assert browser.execute_script("return document.getElementById('neurons').value") == "2"
    choose(browser, "neurons", 3)
    wait(browser, "document.getElementById('message').hidden")
    assert browser.execute_script("return document.querySelectorAll('figure').length") == 4


def test_changes_in_quick_succession_all_count(show):
    browser = show()
    browser.execute_script(
        """const wanted = { problem: "local_opt", mutation: "local", seed: "7" };
        for (const [name, value] of Object.entries(wanted)) {
          const field = document.getElementById(name);
          field.value = value;
          field.dispatchEvent(new Event("change", { bubbles: true }));
        }"""
    )
    text = "document.getElementById('python').textContent"
    wait(browser, f"{text}.includes('seed=7')")
    shown = browser.execute_script(f"return {text}")
    assert 'problem("local_opt")' in shown
    assert 'mutation="local"' in shown


def test_keys(show):
    browser = show("#problem=quarter&neurons=1")
    press = "dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true}))"
    for key, count in (("s", 2), ("s", 3)):
        browser.execute_script(f"document.body.{press}", key)
        assert browser.execute_script("return play.search.evaluations") == count
    browser.execute_script(f"document.body.{press}", " ")
    assert browser.execute_script("return play.playing") is True
    browser.execute_script(f"document.body.{press}", " ")
    assert browser.execute_script("return play.playing") is False
    browser.execute_script(f"document.body.{press}", "n")
    wait(browser, "play.setting.seed === 2")


def test_film_and_picture(show):
    browser = show()
    size = browser.execute_async_script(
        "const done = arguments[0]; play.composed().toBlob((blob) => done(blob.size))"
    )
    assert size > 5000
    click(browser, "film")
    wait(browser, "play.search.evaluations > 40")
    click(browser, "film")
    wait(browser, "Number(document.getElementById('film').dataset.bytes) > 1000")


NAMELESS = """
return [...document.querySelectorAll("input, select, button, canvas, [tabindex]")]
  .filter((e) => e.offsetParent !== null)
  .filter((e) => !(e.labels?.length || e.textContent.trim() || e.getAttribute("aria-label")))
  .map((e) => e.outerHTML.slice(0, 80));
"""
SPILLING = """
return [...document.body.querySelectorAll("*")].filter((e) => {
  const box = e.getBoundingClientRect();
  const unseen = e.closest(".unseen, pre");
  return !unseen && box.width && (box.right > innerWidth + 1 || box.left < -1);
}).map((e) => e.outerHTML.slice(0, 80));
"""


@pytest.mark.parametrize("link", ["", "#problem=points&points=0_0_1", "#problem=custom_arcs"])
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_everything_has_a_name_and_fits(show, width, link):
    browser = show(link, width)
    assert browser.execute_script(NAMELESS) == []
    assert browser.execute_script(SPILLING) == []


def test_light_and_dark_have_contrast(show):
    colours = """const brightness = (text) => text.match(/[0-9.]+/g).slice(0, 3)
        .reduce((sum, part) => sum + Number(part), 0) / 765;
      const body = getComputedStyle(document.body);
      return [body.backgroundColor, body.color].map(brightness);"""
    for dark in (False, True):
        paper, ink = show(dark=dark).execute_script(colours)
        assert (paper < 0.2) == dark
        assert abs(paper - ink) > 0.6
