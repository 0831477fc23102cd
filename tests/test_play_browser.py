"""The play page in a browser: every scene, opened as a file without any network."""

import json
import re
import threading
import time
from itertools import pairwise

import numpy as np
import pytest
from browsers import open_browser
from play_reference import reference_run

from hyperna import OnePlusOneNA, expected_runtime, export_text, problem
from hyperna.play import PlayServer, export_scene
from hyperna.play.build import build_page
from hyperna.play.facts import page_facts
from hyperna.play.rules import rule_path

# A browser takes half a minute; the README's command leaves it to CI.
pytestmark = pytest.mark.slow

FACTS = page_facts()
SCENES = {scene["id"]: scene for scene in FACTS["scenes"]}


@pytest.fixture(scope="module")
def browser():
    yield from open_browser()


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The page as a file."""
    path = tmp_path_factory.mktemp("page") / "play.html"
    path.write_text(build_page().html, encoding="utf-8")
    return path.as_uri()


@pytest.fixture(scope="module")
def server():
    with PlayServer(0) as made:
        thread = threading.Thread(target=made.serve_forever, daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def wait(browser, condition, seconds=100):
    """Wait until a JavaScript expression holds, and return it."""
    end = time.monotonic() + seconds
    while not (found := browser.execute_script(f"return {condition}")):
        assert time.monotonic() < end, condition
        time.sleep(0.05)
    return found


@pytest.fixture
def show(browser, page):
    """Open a link; whatever happens after, the console stays silent and nothing is loaded."""
    browser.get_log("browser")
    browser.get_log("performance")
    opened = [page]

    def at(link="", width=1280, dark=False, address=page, height=900):
        opened.append(address)
        shape = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", shape)
        colours = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [colours]})
        browser.get("about:blank")
        browser.get(address + link)
        wait(browser, "document.documentElement.dataset.ready === 'yes'")
        return browser

    yield at
    assert [entry["message"] for entry in browser.get_log("browser")] == []
    events = [json.loads(e["message"])["message"] for e in browser.get_log("performance")]
    sent = [e["params"]["request"]["url"] for e in events if e["method"].endswith("BeSent")]
    local = (*opened, "about:", "data:", "blob:")
    assert [url for url in sent if not url.startswith(local)] == []


def click(browser, name):
    browser.execute_script("document.getElementById(arguments[0]).click()", name)


def press(browser, label):
    """Press the button under the news with this label."""
    browser.execute_script(
        """[...document.querySelectorAll("#actions button")]
          .find((one) => one.textContent === arguments[0]).click()""",
        label,
    )


def choose(browser, name, value):
    browser.execute_script(
        """const field = document.getElementById(arguments[0]);
        field.value = arguments[1];
        const name = field.type === "range" ? "input" : "change";
        field.dispatchEvent(new Event(name, { bubbles: true }));""",
        name,
        value,
    )


def text(browser, name):
    return browser.execute_script(f"return document.getElementById('{name}').textContent")


def drag(browser, *spots):
    """Press at the first spot of the stage (x, y in units of the circle), move and release."""
    box = browser.execute_script(
        "const b = document.getElementById('stage').getBoundingClientRect();"
        "return [b.left + b.width / 2, b.top + b.height / 2, Math.min(b.width, b.height) / 2]"
    )
    reach = 1.03 if browser.execute_script("return play.editor.kind") == "points" else 1.3

    def send(kind, spot):
        x, y = box[0] + spot[0] * box[2] / reach, box[1] - spot[1] * box[2] / reach
        event = {"type": kind, "x": x, "y": y, "button": "left", "clickCount": 1}
        browser.execute_cdp_cmd("Input.dispatchMouseEvent", event)

    send("mousePressed", spots[0])
    for spot in spots[1:]:
        send("mouseMoved", spot)
    send("mouseReleased", spots[-1])


def end_of_run(browser):
    """Play as fast as possible until the run ends, and return how."""
    choose(browser, "speed", 8)
    if not browser.execute_script("return play.playing"):
        click(browser, "play")
    return wait(browser, "play.run.search.ended")


FASTEST = "document.getElementById('speed').value = 8; play.tellRate();"


class TestScenes:
    def test_solve_opens_first_and_runs(self, show):
        browser = show()
        assert browser.execute_script("return [play.scene.id, play.playing]") == ["solve", True]
        wait(browser, "play.run.search.evaluations > 20")
        wanted = reference_run({**FACTS["defaults"], **SCENES["solve"]["setting"]}, 28)
        assert 200 < wanted[0] < 400  # about ten seconds at thirty evaluations per second
        assert end_of_run(browser) == "success"
        found = browser.execute_script(
            "return [play.run.search.evaluations, play.run.search.genome]"
        )
        assert found == [wanted[0], wanted[2]]
        wait(browser, "document.getElementById('news').dataset.tone === 'good'")
        assert text(browser, "news-text") == f"Solved after {wanted[0]} evaluations."
        assert text(browser, "announcement") == f"Solved after {wanted[0]} evaluations."
        press(browser, "Next scene")
        wait(browser, "play.scene.id === 'stuck'")

    def test_get_stuck_tells_the_exact_chance(self, show):
        browser = show("#scene=stuck")
        chance = next(
            one["probability"]
            for one in FACTS["exact"]
            if (one["problem"], one["mutation"]) == ("local_opt", "local")
        )
        wait(browser, "document.getElementById('known').textContent.includes('exact')")
        assert f"succeeds with probability {100 * chance:.1f} %" in text(browser, "known")
        assert end_of_run(browser) == "stuck"
        wait(browser, "document.getElementById('news').dataset.tone === 'warn'")
        assert "every one of its 8 neighbours is worse" in text(browser, "news-text")
        assert "from here with 0 %" in text(browser, "known")
        # Crosses are networks without a way out, white dots those that count as success.
        crosses, dots = browser.execute_script(
            """const { local, global, exact } = play.run.landscape;
            return [local, global].map((states) => states.map((state) => exact.values[state]))"""
        )
        assert (set(crosses), set(dots)) == ({0}, {1})
        browser.execute_script("document.querySelector('[name=heat][value=exact]').click()")
        choose(browser, "speed", 0)
        press(browser, "Try harmonic steps")
        wait(browser, "play.setting.mutation === 'harmonic' && play.run.landscape?.exact")
        wait(browser, "document.getElementById('known').textContent.includes('Expected time')")
        assert end_of_run(browser) == "success"

    def test_a_restart_goes_on_from_another_network(self, show):
        browser = show("#scene=stuck")
        assert end_of_run(browser) == "stuck"
        before = browser.execute_script("return play.run.search.evaluations")
        press(browser, "Restart")
        wait(browser, f"play.run.search.evaluations > {before}")
        assert browser.execute_script("return play.run.search.restarts") == 1
        link = wait(browser, "!play.playing && location.hash")
        assert f"again={before}" in link
        told = browser.execute_script("return play.run.python().text")
        assert f"up to evaluation {before:,}" in told
        moment = "return [play.run.search.evaluations, play.run.search.genome]"
        wanted = browser.execute_script(moment)
        assert show(link).execute_script(moment) == wanted

    def test_race_ends_with_the_means_of_run_many(self, show):
        browser = show("#scene=race")
        wait(browser, "play.race.computed && play.playing")
        # The last of the ten seconds, so that the test need not watch the others.
        browser.execute_script("play.race.elapsed = 9")
        wait(browser, "play.race.ended")
        wait(browser, "document.getElementById('news').dataset.tone === 'good'")
        times = browser.execute_script(
            "return Object.fromEntries(play.race.lanes.map(({ law, times }) => [law, times]))"
        )
        for law in ("harmonic", "local", "uniform"):
            na = OnePlusOneNA(neurons=1, resolution=120, mutation=law)
            runs = na.run_many(problem("quarter"), runs=200, seed=0)
            assert times[law] == runs.evaluations.tolist()
        ranking = text(browser, "ranking")
        assert ranking.index("harmonic") < ranking.index("uniform") < ranking.index("local")
        assert "exact: 115.2" in ranking
        ratio = sum(times["local"]) / sum(times["harmonic"])
        said = re.search(r"local steps need ([\d.]+) times", text(browser, "news-text"))
        assert float(said[1]) == pytest.approx(ratio, rel=0.01)

    def test_lanes_of_a_race_can_be_chosen(self, show):
        browser = show("#scene=race&resolution=24&lanes=harmonic_and_local")
        wait(browser, "play.race.computed")
        assert browser.execute_script("return play.race.lanes.length") == 2
        browser.execute_script("document.querySelector('[name=lane][value=cauchy]').click()")
        wait(browser, "play.race.lanes.length === 3 && play.race.computed")
        assert "cauchy" in browser.execute_script("return location.hash")

    def test_draw_arcs(self, show):
        browser = show("#scene=draw&arcs=0_180&neurons=1")
        # The end at 180 degrees goes to 90; a new arc from 240 degrees to 300 appears.
        drag(browser, (-1.19, 0), (-0.9, 0.8), (-0.3, 1.15), (0, 1.19))
        wait(browser, "play.setting.arcs[0][1] === 90")
        drag(browser, (-0.595, -1.03), (0, -1.19), (0.595, -1.03))
        wait(browser, "play.setting.arcs.length === 2")
        first, second = browser.execute_script("return play.setting.arcs")
        assert first == [0, 90]
        assert second == pytest.approx([240, 300], abs=1)
        # Every arc has a neuron, and the run goes on.
        assert browser.execute_script("return [play.setting.neurons, play.playing]") == [2, True]
        fields = "return [...document.querySelectorAll('.arc input')].length"
        assert browser.execute_script(fields) == 4
        browser.execute_script("document.querySelector('.arc button').click()")
        wait(browser, "play.setting.arcs.length === 1")
        click(browser, "add-arc")
        wait(browser, "play.setting.arcs.length === 2 && play.setting.neurons === 2")

    def test_draw_points(self, show):
        browser = show("#scene=draw")
        browser.execute_script("document.querySelector('[name=drawing][value=points]').click()")
        wait(browser, "play.setting.problem === 'points' && play.setting.points.length === 80")
        click(browser, "clear")
        wait(browser, "play.setting.points.length === 0 && play.run.search === null")
        wait(browser, "document.getElementById('for-history').offsetParent === null")
        drag(browser, (0.2, 0.4))
        wait(browser, "play.setting.points.length === 1")
        assert browser.execute_script("return play.setting.points[0]") == pytest.approx(
            [0.2, 0.4, 1], abs=0.01
        )
        drag(browser, (0.2, 0.4))
        wait(browser, "play.setting.points.length === 0")
        drag(browser, (0.5, 0.5))
        wait(browser, "play.setting.points.length === 1")
        browser.execute_script(
            """document.querySelector("[name=colour][value='0']").click();
            const stage = document.getElementById("stage");
            stage.focus();
            for (const key of ["ArrowLeft", "ArrowLeft", "Enter"]) {
              stage.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
            }"""
        )
        wait(browser, "play.setting.points.length === 2")
        assert browser.execute_script("return play.setting.points[1]") == [-0.1, 0, 0]
        assert end_of_run(browser) == "success"
        choose(browser, "sample", "xor")
        wait(browser, "play.setting.points.length === 80")
        click(browser, "to-rule")
        wait(browser, "play.scene.id === 'rule' && play.rule.share === 1")
        assert browser.execute_script("return play.rule.table.points.length") == 80

    @pytest.mark.parametrize("table", list(FACTS["tables"]))
    def test_short_rules_are_those_of_the_classifier(self, show, table, capsys):
        browser = show(f"#scene=rule&table={table}")
        wait(browser, "play.rule.share === 1")
        data = FACTS["tables"][table]
        lines = wait(browser, "document.getElementById('python').textContent")
        space = {}
        exec(lines, space)
        capsys.readouterr()
        classifier = space["classifier"]
        assert [rule["terms"] for rule in data["path"]] == [row.terms for row in classifier.path_]
        for number, (rule, row) in enumerate(zip(data["path"], classifier.path_, strict=True)):
            choose(browser, "terms", number)
            wait(
                browser, f"document.querySelector('#numbers dd').textContent === '{rule['terms']}'"
            )
            at = classifier.at(row.terms)
            wrong = int((at.predict(space["X"]) != np.array(space["y"])).sum())
            assert shown_errors(browser) == rule["errors"] == wrong
            assert drawn_errors(browser) == wrong
            head, *conditions = export_text(at, data["features"]).splitlines()
            assert shown_rule(browser) == [plain(one, data) for one in [head, *conditions]]
        link = browser.execute_script("play.remember(); return location.hash")
        assert f"terms={data['path'][-1]['terms']}" in link
        again = show(link)
        wait(again, "play.rule.share === 1")
        assert again.execute_script("return play.rule.rule.terms") == data["path"][-1]["terms"]

    def test_rules_of_own_points_are_found_in_the_page(self, show):
        rows = [
            [x / 10, y / 10, int(x > 2 and y < 4)] for x in range(-8, 9, 2) for y in range(-8, 9, 2)
        ]
        points = "~".join("_".join(map(str, row)) for row in rows)
        browser = show(f"#scene=rule&table=points&points={points}&seed=0")
        wait(browser, "play.rule.share === 1")
        path = browser.execute_script("return play.rule.path")
        sizes = [(rule["terms"], rule["errors"]) for rule in path]
        assert sizes[0] == (0, sum(row[2] for row in rows))
        assert sizes[-1] == (2, 0)
        assert all(more < fewer for (_, fewer), (_, more) in pairwise(sizes))
        for number, rule in enumerate(path):
            choose(browser, "terms", number)
            wait(
                browser, f"document.querySelector('#numbers dd').textContent === '{rule['terms']}'"
            )
            assert wrong_points(rule, rows) == rule["errors"] == drawn_errors(browser)
            assert sum(len(one["weights"]) for one in rule["conditions"]) == rule["terms"]
        assert "Found by this page" in text(browser, "known")
        click(browser, "next")
        wait(browser, "play.setting.seed === 1 && play.rule.share === 1")

    def test_sphere_turns_and_plays(self, show):
        browser = show("#scene=sphere")
        before = browser.execute_script("return play.run.view.around")
        drag(browser, (0, 0), (0.3, 0))
        turned = browser.execute_script("return play.run.view.around")
        assert turned != before
        browser.execute_script(
            """const stage = document.getElementById("stage");
            stage.focus();
            const key = new KeyboardEvent("keydown", { key: "ArrowUp", bubbles: true });
            stage.dispatchEvent(key);"""
        )
        assert browser.execute_script("return play.run.view.up") < 0.42
        assert end_of_run(browser) == "success"


def wrong_points(rule, points):
    """Points that a rule classifies wrongly, computed here."""
    wrong = 0
    for *x, label in points:
        fire = 0
        for one in rule["conditions"]:
            pairs = zip(one["features"], one["weights"], strict=True)
            fire += sum(weight * x[j] for j, weight in pairs) > one["threshold"]
        if rule["conditions"]:
            holds = fire % 2 == 1 if rule["quorum"] == 0 else fire >= rule["quorum"]
        else:
            holds = rule["quorum"] == 0
        wrong += holds != (label == 1)
    return wrong


def drawn_errors(browser):
    """Points that the picture marks as mistakes."""
    return browser.execute_script(
        """const { holds } = modules["rules/readable.js"];
        const { rule, table } = play.rule;
        return table.points.filter((point) => holds(rule, point) !== (point[2] === 1)).length"""
    )


def shown_errors(browser):
    return int(
        browser.execute_script("return document.querySelectorAll('#numbers dd')[1].textContent")
    )


def shown_rule(browser):
    """The lines of the rule beside the picture."""
    return browser.execute_script(
        "return [...document.querySelectorAll('#rule strong, #rule li, #rule p')]"
        ".map((one) => one.textContent)"
    )


def plain(line, table):
    """A line of `export_text` as the page writes it."""
    negative, positive = table["classes"]
    line = line.strip().replace("class ", "").replace("*", " ").replace("-", "−")
    for number, name in ((0, negative), (1, positive)):
        for written in (str(number), repr(name)):
            line = re.sub(rf"^(always |otherwise |){written}( if.*|)$", rf"\1{name}\2", line)
    unit = table["unit"]
    return f"{line} {unit}" if unit and re.search("[<>]", line) else line


class TestNews:
    def test_a_stall_is_told_and_what_can_be_done(self, show):
        # This seed stays in the local optimum where both neurons cover the same quarter.
        browser = show("#seed=4")
        choose(browser, "speed", 5)
        warned = "document.getElementById('news').dataset.tone === 'warn'"
        wait(browser, warned)
        said = text(browser, "news-text")
        assert re.match(r"No better network for [\d,]+ evaluations: perhaps a local optimum", said)
        press(browser, "Wait")
        wait(browser, "document.getElementById('news').dataset.tone === 'calm'")
        choose(browser, "speed", 6)
        wait(browser, warned)
        press(browser, "Restart")
        wait(browser, "play.run.search.restarts === 1")
        wait(browser, warned + " || play.run.search.ended")
        click(browser, "next")
        wait(browser, "play.setting.seed === 5 && play.run.search.restarts === 0")

    def test_a_link_to_a_stalled_moment_says_so(self, show):
        browser = show("#seed=4&at=3000")
        wait(browser, "document.getElementById('news').dataset.tone === 'warn'")
        assert browser.execute_script("return play.playing") is False
        assert "perhaps a local optimum" in text(browser, "news-text")
        press(browser, "Wait")
        wait(browser, "play.playing && play.run.search.evaluations > 3000")

    def test_one_evaluation_is_one(self, show):
        browser = show("#problem=half&neurons=1&resolution=4&seed=1")
        seeds = (
            "return Array.from({ length: 60 }, (_, seed) => seed).find((seed) => new "
            "modules['engine/search.js'].Simulation(modules['engine/task.js'].taskOf("
            "{ ...play.setting, seed }, play.facts)).ended)"
        )
        lucky = browser.execute_script(seeds)
        browser = show(f"#problem=half&neurons=1&resolution=4&seed={lucky}")
        wait(browser, "document.getElementById('news').dataset.tone === 'good'")
        assert text(browser, "news-text") == "Solved after 1 evaluation."

    def test_a_refused_setting_changes_nothing_and_the_error_goes(self, show):
        browser = show()
        choose(browser, "neurons", 0)
        wait(browser, "!document.getElementById('message').hidden")
        assert "neurons must be a whole number from 1 to 8, got 0" in text(browser, "message")
        assert browser.execute_script("return document.getElementById('neurons').value") == "2"
        # The value that was valid before, typed again.
        choose(browser, "neurons", 2)
        wait(browser, "document.getElementById('message').hidden")
        choose(browser, "neurons", 3)
        wait(browser, "play.setting.neurons === 3")
        assert browser.execute_script("return document.querySelectorAll('figure').length") == 4

    def test_newcomers_meet_no_formula(self, show):
        browser = show()
        words = browser.execute_script("return document.body.innerText")
        folded = browser.execute_script("return document.getElementById('settings').textContent")
        for word in ("P(l)", "H_r", "2: circle", "w·x", ">="):
            assert word not in words + folded


class TestLinks:
    def test_a_link_shows_the_same_moment(self, show):
        browser = show("#problem=two_quarters&seed=7&mutation=uniform&resolution=60")
        click(browser, "play")
        for _ in range(5):
            click(browser, "improve")
        moment = "return [play.run.search.genome, play.run.search.evaluations]"
        before = browser.execute_script(moment)
        link = browser.execute_script("play.remember(); return location.hash")
        assert f"at={before[1]}" in link
        assert show(link).execute_script(moment) == before

    def test_a_link_holds_an_empty_drawing(self, show):
        browser = show("#scene=draw&problem=points&neurons=3")
        assert browser.execute_script("return [play.scene.id, play.run.search]") == ["draw", None]
        assert browser.execute_script("return document.getElementById('message').hidden")

    @pytest.mark.parametrize("scene", list(SCENES))
    def test_a_link_holds_a_scene(self, show, scene):
        browser = show(f"#scene={scene}")
        assert browser.execute_script("return play.scene.id") == scene
        current = "return document.querySelector('[aria-current]').textContent"
        assert browser.execute_script(current) == SCENES[scene]["title"]
        assert f"scene={scene}" in browser.execute_script("return location.hash")

    @pytest.mark.parametrize(
        ("link", "message"),
        [
            ("#neurons=99", "neurons must be a whole number from 1 to 8, got 99"),
            ("#nonsense=1", "unknown part"),
            ("#scene=nothing", "scene must be one of solve"),
            ("#scene=rule&table=nothing", "table must be one of"),
            ("#seed=x", "seed must be a whole number"),
            ("#problem=%3Cimg src=x onerror=alert(1)%3E", "problem must be one of"),
            ("#problem=points&points=1_2", "rows of 3 numbers"),
            ("#problem=custom_arcs&arcs=0_360", "whole circle"),
            ("#mutation=nothing", "mutation must be one of"),
            ("#at=-3", "at must be"),
        ],
    )
    def test_a_bad_link_is_told_and_the_first_scene_shown(self, show, link, message):
        browser = show(link)
        said = wait(browser, "document.getElementById('message').textContent")
        assert said.startswith("This link cannot be shown:")
        assert message in said
        assert browser.execute_script("return play.setting.problem") == "two_quarters"
        assert browser.execute_script("return document.querySelectorAll('main img').length") == 0

    @pytest.mark.parametrize(
        "link",
        [
            "#",
            "#scene=stuck",
            "#scene=draw",
            "#scene=sphere",
            "#problem=arcs&k=2&output=xor&restarts=2&stagnation=400",
            "#problem=half&neurons=1&bias=false",
            "#problem=quarter&neurons=1&neuron=bent",
            "#problem=cube&dim=3&output=evolved",
            "#problem=points&points=0.5_0.5_1~-0.5_0_0",
        ],
    )
    def test_python_lines_repeat_the_run(self, show, link, capsys):
        browser = show(link)
        end_of_run(browser)
        lines = wait(browser, "document.getElementById('python').textContent")
        wanted = browser.execute_script(
            "const { search } = play.run; return [search.evaluations, search.best.genome]"
        )
        space = {}
        exec(lines, space)
        result = space["result"]
        evaluations = result.evaluations if result.stuck_at is None else result.stuck_at
        assert [evaluations, result.network.genome.tolist()] == wanted

    def test_python_lines_of_a_race_run(self, show, capsys):
        browser = show("#scene=race&resolution=24")
        exec(wait(browser, "document.getElementById('python').textContent"), {})
        assert "harmonic" in capsys.readouterr().out


def test_keys(show):
    browser = show("#problem=quarter&neurons=1")
    press_key = "dispatchEvent(new KeyboardEvent('keydown', {key: arguments[0], bubbles: true}))"
    browser.execute_script(f"document.body.{press_key}", " ")
    assert browser.execute_script("return play.playing") is False
    browser.execute_script(f"document.body.{press_key}", "r")
    for key, count in (("s", 2), ("s", 3)):
        browser.execute_script(f"document.body.{press_key}", key)
        assert browser.execute_script("return play.run.search.evaluations") == count
    before = browser.execute_script("return play.run.search.share")
    browser.execute_script(f"document.body.{press_key}", "i")
    assert browser.execute_script("return play.run.search.share") > before
    browser.execute_script(f"document.body.{press_key}", "n")
    wait(browser, f"play.setting.seed === {SCENES['solve']['setting']['seed'] + 1}")
    theme = browser.execute_script("return document.documentElement.dataset.theme")
    browser.execute_script(f"document.body.{press_key}", "t")
    assert browser.execute_script("return document.documentElement.dataset.theme") != theme
    browser.execute_script(f"document.body.{press_key}", "t")
    browser.execute_script(f"document.body.{press_key}", "3")
    wait(browser, "play.scene.id === 'race'")


def test_scenes_are_announced_and_the_keyboard_keeps_its_place(show):
    browser = show()
    browser.execute_script("document.querySelector('#scenes a:nth-child(2)').click()")
    wait(browser, "play.scene.id === 'stuck'")
    assert SCENES["stuck"]["heading"] in text(browser, "announcement")
    assert end_of_run(browser) == "stuck"
    wait(browser, "document.querySelector('#actions button')")
    browser.execute_script(
        "const first = document.querySelector('#actions button'); first.focus(); first.click()"
    )
    wait(browser, "document.activeElement.id === 'play'")


def test_film_and_picture(show):
    browser = show()
    size = browser.execute_async_script(
        "const done = arguments[0]; play.share.composed().toBlob((blob) => done(blob.size))"
    )
    assert size > 5000
    click(browser, "film")
    wait(browser, "play.run.search.evaluations > 40")
    click(browser, "film")
    wait(browser, "Number(document.getElementById('film').dataset.bytes) > 1000")


NAMELESS = """
return [...document.querySelectorAll("input, select, button, canvas, a, [tabindex]")]
  .filter((e) => e.offsetParent !== null)
  .filter((e) => !(e.labels?.length || e.textContent.trim() || e.getAttribute("aria-label")))
  .map((e) => e.outerHTML.slice(0, 80));
"""
SPILLING = """
return [...document.body.querySelectorAll("*")].filter((e) => {
  const box = e.getBoundingClientRect();
  const unseen = e.closest(".unseen, pre, nav, .choice input");
  return !unseen && box.width && (box.right > innerWidth + 1 || box.left < -1);
}).map((e) => e.outerHTML.slice(0, 80));
"""
OPEN_ALL = "for (const one of document.querySelectorAll('details')) one.open = true;"


@pytest.mark.parametrize("scene", list(SCENES))
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_everything_has_a_name_and_fits(show, width, scene):
    browser = show(f"#scene={scene}", width)
    browser.execute_script(OPEN_ALL)
    assert browser.execute_script(NAMELESS) == []
    assert browser.execute_script(SPILLING) == []


@pytest.mark.parametrize("height", [667, 844])
@pytest.mark.parametrize("scene", ["solve", "stuck", "draw", "sphere", "race"])
def test_on_a_phone_the_end_and_what_can_be_done_are_in_sight(show, scene, height):
    """The buttons under the news are above the bar at the bottom of the screen."""
    browser = show(f"#scene={scene}", width=375, height=height)
    if scene == "race":
        wait(browser, "play.race.computed")
        browser.execute_script("play.race.elapsed = 100")
    else:
        choose(browser, "speed", 8)
    wait(browser, "document.querySelectorAll('#actions button').length > 1")
    lowest, bar = browser.execute_script(
        """const box = (name) => document.querySelector(name).getBoundingClientRect();
        return [box("#actions button:last-child").bottom, box("#bar").top]"""
    )
    assert lowest <= bar


CONTRAST = """
const light = (text) => {
  const [r, g, b] = text.match(/[0-9.]+/g).slice(0, 3).map((part) => {
    const share = Number(part) / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ground = (e) => {
  for (let one = e; one; one = one.parentElement) {
    const colour = getComputedStyle(one).backgroundColor;
    if (!/, 0\\)$/.test(colour)) return colour;
  }
  return "rgb(255, 255, 255)";
};
return [...document.querySelectorAll("h1, h2, h3, p, a, button, dt, dd, label, li, summary, span")]
  .filter((e) => e.offsetParent !== null && e.textContent.trim() && !e.closest(":disabled"))
  .map((e) => {
    const [a, b] = [light(getComputedStyle(e).color), light(ground(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    return [ratio, e.outerHTML.slice(0, 80)];
  }).filter(([ratio]) => ratio < 4.5);
"""


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("scene", ["solve", "stuck", "rule"])
def test_light_and_dark_can_be_read(show, dark, scene):
    browser = show(f"#scene={scene}", dark=dark)
    assert browser.execute_script("return document.documentElement.dataset.theme") == (
        "dark" if dark else "light"
    )
    browser.execute_script(OPEN_ALL)
    assert browser.execute_script(CONTRAST) == []


def test_the_name_leads_to_the_documentation_where_there_is_one(show, tmp_path):
    (tmp_path / "play.html").write_text(build_page(home="index.html").html, encoding="utf-8")
    leads_to = "return document.getElementById('home').href"
    browser = show(address=(tmp_path / "play.html").as_uri())
    assert browser.execute_script(leads_to) == (tmp_path / "index.html").as_uri()
    # A page that stands by itself leads nowhere.
    assert not show().execute_script(leads_to)


def test_a_slide_shows_the_picture_only(show):
    browser = show("#scene=stuck&bare=1&theme=dark")
    shown = "return document.getElementById(arguments[0]).offsetParent !== null"
    assert browser.execute_script(shown, "stage")
    assert browser.execute_script(shown, "play")
    assert not browser.execute_script(shown, "settings")
    assert browser.execute_script("return document.documentElement.dataset.theme") == "dark"


@pytest.mark.parametrize("scene", list(SCENES))
def test_an_exported_page_opens_with_its_scene(show, tmp_path, scene):
    [file] = export_scene(tmp_path / "scene.html", scene, dark=True)
    browser = show(address=file.as_uri())
    assert browser.execute_script("return play.scene.id") == scene
    assert browser.execute_script("return document.documentElement.dataset.theme") == "dark"


class TestServed:
    def test_scenes_run_under_the_server_s_policy(self, show, server):
        for scene in SCENES:
            browser = show(f"#scene={scene}", address=server.url)
            assert browser.execute_script("return play.server.served") is True
        browser = show("#scene=race&resolution=24", address=server.url)
        wait(browser, "play.race.computed")
        runs = OnePlusOneNA(neurons=1, resolution=24).run_many(problem("quarter"), 200, seed=0)
        assert (
            browser.execute_script("return play.race.lanes[0].times") == runs.evaluations.tolist()
        )

    def test_exact_answers_for_any_setting(self, show, server):
        browser = show("#problem=quarter&neurons=1&resolution=24", address=server.url)
        # the run may be over before the answer is there, and then the page tells what success means
        mean = wait(browser, "play.run.exact?.mean")
        assert mean == pytest.approx(expected_runtime("quarter", 24).mean)
        assert browser.execute_script("return play.run.landscape.exact.kind") == "time"

    def test_rules_of_own_points_are_those_of_the_classifier(self, show, server):
        points = FACTS["tables"]["box"]["points"][:60]
        rows = "~".join("_".join(map(str, row)) for row in points)
        browser = show(f"#scene=rule&table=points&points={rows}&seed=0", address=server.url)
        wait(browser, "play.rule.share === 1")
        assert browser.execute_script("return play.rule.path") == rule_path(points)
        assert "NAClassifier's choice" in text(browser, "known")
        click(browser, "next")
        wait(browser, "play.setting.seed === 1 && play.rule.share === 1")
        assert browser.execute_script("return play.rule.path") == rule_path(points, 1)
