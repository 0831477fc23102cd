"""The whole play page in Node: scenes, links, forms and buttons together, without a browser."""

import math
import re

import pytest
from exported import NODE
from page_document import PAGE_DOCUMENT
from page_in_node import page_runner

from hyperna.play.facts import page_facts

pytestmark = pytest.mark.skipif(NODE is None, reason="needs Node")

FACTS = page_facts()
SCENES = {scene["id"]: scene for scene in FACTS["scenes"]}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    run = page_runner(tmp_path_factory.mktemp("page"))

    def script(text, *values):
        body = f"return (async () => {{ {text} }})();"
        return run(["app/app.js"], PAGE_DOCUMENT + body, *values)

    return script


LOOK = """
const look = (app) => ({
  id: app.scene.id, playing: app.playing, hash: location.hash, setting: app.setting,
  kind: body.dataset.kind, shown: body.dataset.scene, title: document.title,
  heading: byId("heading").textContent, sentence: byId("sentence").textContent,
  current: byId("scenes").children.filter((one) => one.attributes["aria-current"] === "page")
    .map((one) => one.href),
  form: Object.fromEntries(["problem", "output", "neuron", "mutation", ...Object.keys(facts.ranges)]
    .map((name) => [name, byId(name).value])),
  bias: byId("bias").checked,
  lanes: root.querySelectorAll("[name=lane]:checked").map(({ value }) => value),
  hidden: Object.fromEntries(["play", "bar", "for-k", "message", "for-neurons", "for-landscape",
    "heat"].map((name) => [name, byId(name).hidden])),
  disabled: Object.fromEntries(["dim", "output", "next", "to-rule"].map((name) =>
    [name, byId(name).disabled])),
  label: byId("play").textContent, next: byId("next").textContent, rate: byId("rate").textContent,
  edit: byId("stage").dataset.edit ?? "", python: byId("python").textContent,
  told: byId("python-text").textContent, message: byId("message").textContent,
  numbers: byId("numbers").children.map(({ children: [name, value] }) =>
    [value.textContent, name.textContent]),
  legend: byId("legend").children.map((one) => one.textContent.trim()),
  small: byId("thumbnails").children.map((one) => one.textContent),
  stage: byId("stage").attributes["aria-label"], news: byId("news-text").textContent,
  tone: byId("news").dataset.tone, known: byId("known").textContent,
  actions: byId("actions").children.map((one) => one.textContent),
});
"""


def numbers_in(text):
    return [int(number) for number in re.findall(r"\d+", text)]


def check_form(found):
    """The form has what the setting says."""
    for name, value in found["form"].items():
        assert value == str(found["setting"][name]), name
    setting = found["setting"]
    assert found["bias"] == setting["bias"]
    assert found["hidden"]["for-k"] == (setting["problem"] != "arcs")
    assert found["disabled"]["dim"] == (setting["problem"] == "points")
    assert found["disabled"]["output"] == (setting["neurons"] == 1)


def test_every_scene_shows_itself_and_its_link_leads_back(page):
    found = page(
        LOOK
        + """const app = await pageOf("#"), out = [];
        for (const { id } of facts.scenes) {
          await app.open(`#scene=${id}`);
          if (id === "race") app.pool.stop();
          pass(app);
          const first = look(app);
          app.play(false);
          await app.open(app.hash);
          pass(app);
          out.push([first, look(app)]);
          app.pool.stop();
        }
        return out;"""
    )
    for (first, again), scene in zip(found, FACTS["scenes"], strict=True):
        kind, name = scene["kind"], scene["id"]
        for one in (first, again):
            assert (one["id"], one["kind"], one["shown"]) == (name, kind, name)
            assert one["title"] == f"{scene['title']} · hyperna play"
            assert (one["heading"], one["sentence"]) == (scene["heading"], scene["sentence"])
            assert one["current"] == [f"#scene={name}"]
            assert one["setting"] == {**FACTS["defaults"], **scene["setting"]} | {
                key: [list(row) for row in one["setting"][key]] for key in FACTS["rows"]
            }
            check_form(one)
            assert one["hidden"]["message"]
            assert one["hidden"]["play"] == one["hidden"]["bar"] == (kind == "rule")
            assert one["disabled"]["next"] == (kind == "rule")
            assert one["next"] == ("Search again" if kind == "rule" else "New seed")
            assert one["rate"] == f"{scene['rate']} per s"
            assert sorted(one["lanes"]) == sorted(scene.get("lanes", []))
            assert one["python"]
        assert first["hash"] == f"#scene={name}"
        # a run begins by itself; its moment, a race that is computed and rules do not
        assert first["playing"] == (kind == "run")
        assert not again["playing"] or again["hash"] == first["hash"]
        assert first["label"] == ("❚❚ Pause" if first["playing"] else "▶ Play")
        assert again["setting"] == first["setting"]
        if kind == "run":
            drawn = {"sphere": "sphere", "draw": "ring"}.get(name, "")
            assert first["edit"] == drawn
            count = scene["setting"]["neurons"]
            names = [f"neuron {i + 1}" for i in range(count)] + ["network"]
            assert first["small"] == (names if count > 1 else [])
            assert first["hidden"]["for-neurons"] == (count == 1)
            assert first["hidden"]["for-landscape"] == (name != "stuck")
            assert first["legend"][-1] == "where it was"
            assert ("says yes, wrongly" in first["legend"]) == (name == "sphere")
            words = ", ".join(" ".join(pair) for pair in first["numbers"])
            assert words in first["stage"]
            assert first["numbers"][0][1] == "correct"
            assert len(first["numbers"]) == 2


def test_a_moment_of_a_run_is_in_its_link_and_stands_still(page):
    found = page(
        LOOK
        + """const app = await pageOf("#scene=solve&at=37&again=10_25&seed=5"), out = [];
        pass(app);
        out.push(look(app));
        app.run.step();
        pass(app);
        out.push(look(app));
        app.setRate(1000);
        byId("play").click();
        pass(app, 1000);
        out.push(look(app), app.run.search.evaluations);
        byId("play").click();
        pass(app);
        out.push(look(app), app.run.search.evaluations);
        byId("again").click();
        pass(app);
        out.push(look(app), app.run.search.evaluations);
        await app.open("#scene=solve&at=1&seed=28");
        out.push(look(app), app.run.search.evaluations);
        app.play(false);
        await app.open("#scene=solve&at=2");
        out.push(look(app));
        system.still = true;
        await app.open("#scene=solve");
        out.push(look(app));
        return out;"""
    )
    moment, stepped, playing, many, paused, same, again, one, begun, first, second, still = found
    assert not moment["playing"]
    assert moment["hash"] == "#scene=solve&seed=5&at=37&again=10_25"
    assert moment["numbers"][1:] == [["37", "evaluations"], ["2", "restarts"]]
    assert stepped["hash"] == "#scene=solve&seed=5&at=38&again=10_25"
    assert playing["playing"]
    # how fast it goes is told where that is faster than one can follow
    assert playing["numbers"][-1][1] == "per second"
    assert len(paused["numbers"]) == len(playing["numbers"]) - 1
    assert playing["hash"] == stepped["hash"]
    assert many == same > 38
    assert paused["hash"] == f"#scene=solve&seed=5&at={many}&again=10_25"
    assert (again["hash"], one) == ("#scene=solve&seed=5", 1)
    assert numbers_in(again["told"]) == []
    assert numbers_in(moment["told"]) == [10]
    assert again["numbers"][1] == ["1", "evaluation"]
    assert (begun["playing"], begun["hash"], first) == (True, "#scene=solve", 1)
    assert (second["playing"], second["hash"]) == (False, "#scene=solve&at=2")
    # who wants little motion presses play
    assert not still["playing"]


def test_what_is_wrong_with_a_link_or_a_choice_is_said_and_nothing_else_changes(page):
    found = page(
        LOOK
        + """const app = await pageOf("#scene=draw&neurons=9"), out = [];
        out.push(look(app));
        await app.open("#scene=draw");
        const before = look(app);
        const view = JSON.stringify(app.run.view.arcs);
        for (const part of [{ neurons: 0 }, { resolution: 25, bias: false }, { arcs: [[0, 360]] },
          { mutation: "pareto:shape=x" }]) {
          app.run.view.arcs = [[0, 0.5]];
          await app.change(part);
          out.push([byId("message").hidden, byId("message").textContent,
            JSON.stringify(app.setting) === JSON.stringify(before.setting), look(app).form,
            JSON.stringify(app.run.view.arcs) === view]);
        }
        await app.change({ neurons: 2 });
        out.push([byId("message").hidden, byId("message").textContent, app.setting.neurons]);
        app.setLanes([]);
        out.push(byId("message").hidden);
        return [before, ...out];"""
    )
    before, wrong, *refused, good, lanes = found
    assert wrong["id"] == FACTS["scenes"][0]["id"]
    assert "neurons" in wrong["message"]
    assert not wrong["hidden"]["message"]
    for (hidden, text, same, form, drawn), name in zip(
        refused, ("neurons", "resolution", "whole circle", "shape"), strict=True
    ):
        assert not hidden
        assert name in text
        assert same
        assert form == before["form"]
        assert drawn
    assert good == [True, "", 2]
    assert lanes is False


def test_light_and_dark_are_those_of_the_link_then_of_the_reader_then_of_the_system(page):
    cases = [
        (link, kept, dark)
        for link in ("", "&theme=light", "&theme=dark")
        for kept in (None, "light", "dark")
        for dark in (False, True)
    ]
    found = page(
        """const app = await pageOf("#"), out = [];
        for (const [link, kept, dark] of given[0]) {
          system.dark = dark;
          system.kept = kept === null ? {} : { "hyperna-theme": kept };
          app.setTheme(null);
          const before = root.dataset.theme;
          await app.open(`#scene=solve${link}`);
          app.play(false);
          const shown = root.dataset.theme, hash = location.hash;
          // the system turns dark or light: what was chosen stays
          system.dark = !dark;
          system.heard["(prefers-color-scheme: dark)"]();
          const turned = root.dataset.theme;
          system.dark = dark;
          app.setTheme(null);
          const of = () => [root.dataset.theme, system.kept["hyperna-theme"] ?? null];
          const first = of();
          byId("theme").click();
          const second = of();
          byId("theme").click();
          out.push([before, shown, hash, turned, app.palette.paper[1], first, second, of()]);
        }
        return out;""",
        cases,
    )
    other = {"light": "dark", "dark": "light"}
    for (link, kept, dark), one in zip(cases, found, strict=True):
        before, shown, hash_, turned, paper, first, second, third = one
        asked = link.partition("=")[2]
        system = "dark" if dark else "light"
        own = kept or system
        assert before == own
        assert shown == (asked or own)
        assert hash_ == f"#scene=solve{link}"
        assert turned == (asked or kept or other[system])
        assert first == [own, kept]
        for theme, state in ((other[own], second), (own, third)):
            assert state == [theme, None if theme == system else theme]
        assert paper == ("1" if own == "dark" else "2")


def test_arcs_and_points_are_drawn_added_and_cleared(page):
    found = page(
        LOOK
        + """const app = await pageOf("#scene=draw"), out = {};
        const press = async (id, name = "click") => { byId(id).fire(name); await settled();
          pass(app); return look(app); };
        const radio = async (name) => {
          for (const one of root.querySelectorAll("[name=drawing]"))
            one.checked = one.value === name;
          root.querySelectorAll("[name=drawing]:checked")[0].fire("change");
          await settled();
          pass(app);
          return look(app);
        };
        const boxes = () => root.querySelectorAll("[data-drawing]").map((one) =>
          [one.dataset.drawing, one.hidden]);
        out.boxes = [boxes()];
        out.more = await press("add-arc");
        const most = facts.rows.arcs[1], full = Array.from({ length: most }, (_, i) =>
          [30 * i, 30 * i + 12]);
        await app.change({ arcs: full.slice(1), neurons: 3 });
        out.last = (await press("add-arc")).setting.arcs.length;
        out.full = (await press("add-arc"));
        await app.change({ arcs: [[0, 350]], neurons: 1 });
        out.narrow = (await press("add-arc"));
        const remove = () => byId("arcs").querySelectorAll("button");
        out.only = remove().map(({ disabled }) => disabled);
        await app.change({ arcs: [[0, 50], [100, 200]], neurons: 2 });
        out.two = remove().map(({ disabled }) => disabled);
        remove()[0].click();
        await settled();
        out.left = look(app);
        const [from, to] = byId("arcs").querySelectorAll("input");
        out.ends = [from.value, to.value];
        Object.assign(to, { value: "150" }).fire("change");
        await settled();
        out.typed = app.setting.arcs;
        out.points = await radio("points");
        out.boxes.push(boxes());
        out.samples = Object.values(facts.samples)[0];
        const name = Object.keys(facts.samples)[1];
        byId("sample").value = name;
        out.sample = await press("sample", "change");
        out.wanted = facts.samples[name];
        out.chosen = byId("sample").value;
        out.cleared = await press("clear");
        const edited = app.editor;
        edited.point(0.5, 0.5);
        await settled();
        out.one = look(app);
        edited.point(-0.5, 0.5, true);
        await settled();
        out.both = look(app);
        await press("to-rule");
        out.rule = location.hash;
        out.circle = await radio("custom_arcs");
        return out;"""
    )
    arcs = SCENES["draw"]["setting"]["arcs"]
    assert found["boxes"] == [
        [["points", True], ["custom_arcs", False]],
        [["points", False], ["custom_arcs", True]],
    ]
    more = found["more"]["setting"]
    assert len(more["arcs"]) == more["neurons"] == len(arcs) + 1
    assert all(arc in more["arcs"] for arc in arcs)
    assert found["last"] == FACTS["rows"]["arcs"][1]
    for one in (found["full"], found["narrow"]):
        assert "room" in one["message"]
    assert len(found["full"]["setting"]["arcs"]) == FACTS["rows"]["arcs"][1]
    assert found["only"] == [True]
    assert found["two"] == [False, False]
    assert found["left"]["setting"]["arcs"] == [[100, 200]]
    assert found["left"]["setting"]["neurons"] == 1
    assert [str(end) for end in found["ends"]] == ["100", "200"]
    assert found["typed"] == [[100, 150]]
    points = found["points"]
    assert (points["setting"]["problem"], points["setting"]["points"]) == (
        "points",
        found["samples"],
    )
    assert points["setting"]["neurons"] == 3
    assert points["sentence"] == SCENES["draw"]["sentence_of_points"]
    assert points["edit"] == "points"
    assert points["legend"][:2] == ["blue", "orange"]
    assert not points["disabled"]["to-rule"]
    assert found["sample"]["setting"]["points"] == found["wanted"]
    assert found["chosen"] == ""
    cleared = found["cleared"]
    assert cleared["setting"]["points"] == []
    assert cleared["numbers"] == cleared["actions"] == []
    assert (cleared["python"], cleared["playing"]) == ("", False)
    assert cleared["hash"].startswith("#scene=draw&problem=points")
    assert cleared["disabled"]["to-rule"]
    assert found["one"]["disabled"]["to-rule"]
    assert found["one"]["playing"]
    assert not found["both"]["disabled"]["to-rule"]
    assert found["rule"] in (
        "scene=rule&points=0.5_0.5_1%7E-0.5_0.5_0&table=points",
        "#scene=rule&points=0.5_0.5_1%7E-0.5_0.5_0&table=points",
    )
    assert found["circle"]["setting"]["problem"] == "custom_arcs"
    for one in ("more", "left", "points", "sample", "cleared", "one", "circle"):
        check_form(found[one])


RULE = [{"terms": 0, "errors": 9, "quorum": 1, "conditions": []}]
RULE += [
    {
        "terms": terms,
        "errors": errors,
        "chosen": terms == 2,
        "quorum": 1,
        "conditions": [
            {"features": [0, 1][: min(terms, 2)], "weights": [1, 2][:terms], "threshold": 0.1}
        ]
        * (1 + (terms > 2)),
    }
    for terms, errors in ((1, 4), (2, 1), (4, 1))
]


def test_rules_are_chosen_told_and_linked(page):
    """Those of a table, and those of one's own points, which hyperna play is asked for."""
    points = [[0.1 * k, -0.5, k % 2] for k in range(-5, 5)]
    points = [[round(x, 1), y, label] for x, y, label in points]
    rows = "~".join("_".join(map(str, row)) for row in points)
    found = page(
        LOOK
        + """const [path, rows] = given, tables = {};
        for (const [name, one] of Object.entries(facts.tables)) tables[name] = { ...one, path };
        const app = await pageOf("#scene=rule", true, { tables }), out = [];
        const see = () => { pass(app); return { ...look(app), chosen: app.rule.chosen,
          slider: [byId("terms").value, byId("terms").max],
          text: byId("terms").attributes["aria-valuetext"], rule: byId("rule").textContent,
          path: byId("path").attributes["aria-label"], table: byId("table").value,
          tables: byId("table").options.length, caption: app.rule.caption(),
          stars: byId("path").context.log.splice(0).filter(({ text }) => text === "★").length }; };
        out.push(see());
        const slide = (value) => { byId("terms").value = value; byId("terms").fire("input");
          return see(); };
        for (const place of [0, 1, 3]) { out.push(slide(place)); app.remember();
          out.at(-1).hash = location.hash; }
        for (const terms of [0, 1, 3, 99]) {
          await app.open(`#scene=rule&table=iris&terms=${terms}`);
          out.push(see());
        }
        answers.classify = () => ({ path });
        await app.open(`#scene=rule&table=points&points=${rows}&seed=7`);
        await settled();
        out.push(see(), asked.at(-1));
        byId("next").click();
        await settled();
        out.push(see(), asked.at(-1));
        answers.classify = () => ({ error: "no such rule" });
        const runs = [];
        app.pool.run = async (kind, jobs, hear) => { runs.push([kind, jobs]);
          hear({ share: 0.5, path: path.slice(0, 2) }); out.push(see());
          hear({ share: 1, path: path.map((one) => ({ ...one, chosen: undefined })) }); };
        byId("next").click();
        await settled();
        out.push(see(), runs);
        const asks = asked.length;
        await app.open("#scene=rule&table=points&points=0.1_0.2_1");
        await settled();
        out.push(see(), asked.length - asks);
        // an answer that comes when another table is shown
        for (const answer of [{ path: path.slice(0, 2) }, { error: "too late" }]) {
          answers.classify = () => answer;
          app.open(`#scene=rule&table=points&points=${rows}&seed=3`);
          const before = runs.length;
          await app.open("#scene=rule&table=iris");
          await settled();
          out.push([see(), runs.length - before]);
        }
        return out;""",
        RULE,
        rows,
    )
    first, none, one, four, *rest = found
    linked, (own, ask, again, ask_again, half, here, runs, lonely, asks, *late) = (
        rest[:4],
        rest[4:],
    )
    assert (first["chosen"], first["slider"]) == (2, ["2", "3"])
    assert first["hash"] == "#scene=rule"
    assert first["table"] == SCENES["rule"]["table"]
    assert first["tables"] == len(FACTS["tables"])
    assert numbers_in(first["news"]) == [2, 1]
    assert first["stars"] == 1
    assert numbers_in(first["path"]) == [0, 9, 1, 4, 2, 1, 4, 1]
    number = len(FACTS["tables"][first["table"]]["points"])
    for shown, rule in ((none, RULE[0]), (one, RULE[1]), (four, RULE[3])):
        told = [[str(rule["terms"]), "term" if rule["terms"] == 1 else "terms"]]
        told.append([str(rule["errors"]), "error" if rule["errors"] == 1 else "errors"])
        share = f"{100 * (1 - rule['errors'] / number):.1f} %"
        assert shown["numbers"] == [*told, [share, "correct"]]
        assert shown["hash"] == f"#scene=rule&terms={rule['terms']}"
        assert shown["text"] == f"{' '.join(told[0])}, {' '.join(told[1])}"
        assert f"classifier.at({rule['terms']})" in shown["python"]
        assert "random_state=0" in shown["python"]
    assert numbers_in(none["news"]) == [1, 4, 9]
    assert numbers_in(four["news"]) == []
    assert "blue" not in none["rule"]
    assert [shown["rule"].count("> 0.1") for shown in (none, one, four)] == [0, 1, 2]
    assert four["caption"].count("x + 2 y > 0.1") == 2
    assert [shown["chosen"] for shown in linked] == [0, 1, 2, 3]
    assert [shown["hash"] for shown in linked] == [
        f"#scene=rule&table=iris&terms={terms}" for terms in (0, 1, 3, 99)
    ]
    assert "petal length > 0.1 cm" in linked[1]["rule"]
    assert ask == ["classify", {"points": points, "seed": 7}]
    assert ask_again == ["classify", {"points": points, "seed": 8}]
    assert (own["table"], own["tables"], own["chosen"]) == ("points", first["tables"] + 1, 2)
    assert not own["hidden"]["bar"]
    assert not own["disabled"]["next"]
    assert "random_state=7" in own["python"]
    assert "random_state=8" in again["python"]
    # where hyperna play refuses, the page says why and searches by itself
    assert here["message"] == "no such rule"
    assert runs == [["rules", [{"points": points, "seed": 9}]]]
    assert numbers_in(half["news"]) == [50]
    assert (half["stars"], half["known"]) == (0, "")
    assert here["stars"] == 1
    # what is known, and what the lines do, is another thing where the page has searched
    assert len({first["known"], own["known"], here["known"], ""}) == 3
    assert len({first["told"], own["told"], here["told"]}) == 2
    assert not lonely["hidden"]["message"]
    assert (lonely["numbers"], asks) == ([], 0)
    for shown, searches in late:
        assert (shown["slider"], shown["stars"], searches) == (["2", "3"], 1, 0)
        assert shown["hidden"]["message"]
        assert shown["told"] == first["told"]


def test_a_race_is_run_ranked_and_begun_again(page):
    """In the page, and with the times that hyperna play sends; a moment of it has no link."""
    found = page(
        LOOK
        + """const scenes = facts.scenes.map((one) => (one.id === "race" ? { ...one, runs: 6,
          setting: { ...one.setting, resolution: 24 }, lanes: ["harmonic", "local"] } : one));
        const app = await pageOf("#scene=race", false, { scenes }), out = {};
        const see = () => { pass(app, 10); return { ...look(app), clock: app.race.clock,
          ranking: byId("ranking").children.map((one) => one.textContent),
          waits: byId("ranking-text").hidden, ended: app.race.ended, most: app.race.most,
          times: app.race.lanes.map(({ law, times, done }) => [law, times, done]) }; };
        const computed = async () => { for (let k = 0; k < 400 && !app.playing; k += 1)
          await settled(); };
        const end = () => { for (let k = 0; k < 60 && app.playing; k += 1) pass(app, 250); };
        out.first = look(app);
        await computed();
        out.begun = see();
        end();
        out.ended = see();
        byId("play").click();
        out.again = see();
        app.play(false);
        byId("again").click();
        out.over = see();
        await app.open("#scene=race&lanes=local");
        await computed();
        end();
        out.one = see();
        out.boxes = app.facts && root.querySelectorAll("[name=lane]").length;
        // hyperna play answers with some runs at a time
        app.server.served = true;
        const parts = {};
        answers.race = ({ setting: { mutation }, first }) => {
          (parts[mutation] ??= []).push(first);
          return mutation === "local" && first === 2 ? { evaluations: [], success: [],
            unfinished: 500 } : { evaluations: [10 + first, 20], success: [1, 1],
            unfinished: null };
        };
        await app.open("#scene=race&lanes=local_and_harmonic");
        await computed();
        out.parts = parts;
        end();
        out.served = see();
        // where it does not answer the page computes by itself
        answers.race = ({ first }) => (first === 0 ? { evaluations: [3, 3], success: [1, 1],
          unfinished: null } : { error: "busy" });
        await app.open("#scene=race&lanes=harmonic&seed=1");
        await computed();
        out.alone = see().times;
        // the run of middle length may be the first one, and a single failure among many is told
        scenes.find(({ id }) => id === "race").runs = 200;
        answers.race = () => ({ evaluations: Array.from({ length: 200 }, (_, i) => i === 0 ? 50 :
          i < 101 ? 1 : 90), success: Array.from({ length: 200 }, (_, i) => Number(i !== 150)),
          unfinished: null });
        await app.open("#scene=race&lanes=harmonic");
        await computed();
        out.shown = app.race.lanes.map(({ shown, search }) => [shown, search?.evaluations ?? 0]);
        end();
        out.many = see();
        // another scene ends the race that is under way
        app.server.served = false;
        app.open("#scene=race&lanes=local&seed=2");
        await app.open("#scene=rule");
        for (let k = 0; k < 20; k += 1) await settled();
        out.left = look(app);
        return out;"""
    )
    first, begun, ended = found["first"], found["begun"], found["ended"]
    assert (first["playing"], begun["playing"], ended["playing"]) == (False, True, False)
    assert first["hash"] == ended["hash"] == "#scene=race"
    for one in (begun, found["again"], found["over"]):
        assert not one["ended"]
        assert one["ranking"] == []
        assert not one["waits"]
        assert one["clock"] < one["most"]
        assert one["actions"] == []
    assert ended["waits"]
    assert ended["ended"]
    assert ended["most"] == max(10, *(max(times) for _, times, _ in ended["times"]))
    assert ended["numbers"][0][0] == str(ended["most"]) or ended["most"] > 999
    assert [law for law, *_ in ended["times"]] == ["harmonic", "local"]
    assert all(len(times) == len(done) == 6 for _, times, done in ended["times"])
    means = {law: sum(times) / 6 for law, times, _ in ended["times"]}
    assert [row.partition(":")[0] for row in ended["ranking"]] == sorted(means, key=means.get)
    assert len(ended["actions"]) == 2
    assert found["again"]["playing"]
    assert found["over"]["times"] == ended["times"]
    one = found["one"]
    assert (one["hash"], one["lanes"]) == ("#scene=race&lanes=local", ["local"])
    assert one["times"] == ended["times"][1:]
    assert len(one["ranking"]) == 1
    assert found["boxes"] == len(FACTS["laws"])
    assert found["parts"] == {"local": [0, 2, 3, 5], "harmonic": [0, 2, 4]}
    assert found["served"]["times"] == [
        ["local", [10, 20, 500, 13, 20, 15], [True, True, False, True, True, True]],
        ["harmonic", [10, 20, 12, 20, 14, 20], [True] * 6],
    ]
    assert len(found["served"]["legend"]) == 1
    assert len(ended["legend"]) == any(False in done for *_, done in ended["times"])
    [[law, times, done]] = found["alone"]
    assert (law, len(times), len(done)) == ("harmonic", 6, 6)
    assert found["shown"] == [[0, 1]]
    [row] = found["many"]["ranking"]
    assert row.count("%") == 1
    assert len(found["many"]["legend"]) == 1
    assert found["left"]["id"] == "rule"
    assert not found["left"]["playing"]


def test_keys_press_the_buttons_where_nobody_types(page):
    found = page(
        LOOK
        + """const app = await pageOf("#scene=solve"), out = {};
        const made = (tag, type) => Object.assign(new Node(tag), { type });
        const key = (key, target = body, more = {}) => { let kept = 0;
          document.fire("keydown", { key, target, preventDefault: () => { kept += 1; }, ...more });
          return kept; };
        const state = () => [app.playing, app.run.search.evaluations, Number(byId("speed").value)];
        app.play(false);
        app.run.restart();
        out.before = state();
        out.step = [key("s"), ...state()];
        out.large = [key("S"), ...state()];
        const score = app.run.search.score;
        out.improve = [key("i"), app.run.search.score > score || Boolean(app.run.search.ended)];
        out.again = [key("r"), ...state()];
        out.play = [key(" "), ...state()];
        out.pause = [key(" "), ...state()];
        out.button = [key(" ", made("button")), ...state()];
        out.faster = [key("+"), state()[2]];
        out.slower = [key("-"), key("-"), state()[2]];
        const places = ["input", "select", "textarea", "pre"];
        out.typed = places.map((tag) => key("s", made(tag, "text")));
        out.sliders = ["range", "radio", "checkbox"].map((type) => key("s", made("input", type)));
        out.held = ["ctrlKey", "metaKey", "altKey"].map((name) => key("s", body, { [name]: true }));
        out.others = ["q", "0", "7", "Enter"].map((name) => key(name));
        out.scenes = facts.scenes.map((_, i) => [key(String(i + 1)), location.hash]);
        const seed = app.setting.seed;
        key("n");
        await settled();
        out.seed = app.setting.seed - seed;
        const theme = root.dataset.theme;
        key("t");
        out.theme = root.dataset.theme === theme;
        return out;"""
    )
    assert found["before"] == [False, 1, 3]
    assert found["step"] == [1, False, 2, 3]
    assert found["large"] == [1, False, 3, 3]
    assert found["improve"] == [1, True]
    assert found["again"] == [1, False, 1, 3]
    assert found["play"] == [1, True, 1, 3]
    assert found["pause"] == found["again"]
    assert found["button"] == [0, False, 1, 3]
    assert found["faster"] == [1, 4]
    assert found["slower"] == [1, 1, 2]
    assert found["typed"] == [0] * 4
    assert found["sliders"] == [1] * 3
    assert found["held"] == [0] * 3
    assert found["others"] == [0] * 4
    assert found["scenes"] == [[1, f"scene={name}"] for name in SCENES]
    assert found["seed"] == 1
    assert found["theme"] is False


def test_a_stuck_run_is_told_with_what_can_be_done_about_it(page):
    """On the landscape, whose colours are the exact answers where these are known."""
    found = page(
        LOOK
        + """const app = await pageOf("#scene=stuck"), out = {};
        const press = async (label) => {
          byId("actions").children.find((one) => one.textContent === label).click();
          await settled();
          pass(app);
        };
        const labels = () => byId("actions").children.map((one) => one.textContent);
        app.play(false);
        // a seed whose run ends beside the best networks
        for (let seed = 1; seed < 40; seed += 1) {
          await app.change({ seed });
          app.run.search.advance(1e6);
          if (app.run.search.ended === "stuck") break;
        }
        await settled();
        pass(app);
        out.stuck = look(app);
        out.named = byId("exact-name").textContent;
        out.labels = labels();
        const best = app.run.search.best.score;
        await press(out.labels[1]);
        out.restarted = look(app);
        out.kept = app.run.search.best.score >= best;
        app.play(false);
        app.run.search.advance(1e6);
        if (app.run.search.ended !== "stuck") app.run.search.ended = "stuck";
        pass(app);
        out.more = labels();
        await press(out.more[2]);
        out.long = look(app);
        app.play(false);
        for (const radio of root.querySelectorAll("[name=heat]"))
          radio.checked = radio.value === "exact";
        await settled();
        pass(app);
        out.time = [byId("exact-name").textContent, byId("heat").hidden];
        const images = () => byId("landscape").context.log.splice(0).filter(({ op }) =>
          op === "image").length;
        images();
        await app.change({ resolution: 24 }); // of which nothing is known
        app.play(false);
        await settled();
        pass(app);
        out.unknown = look(app);
        out.heat = root.querySelectorAll("[name=heat]:checked").map(({ value }) => value);
        out.landscape = images();
        await app.change({ resolution: facts.largest_landscape + 2 });
        app.play(false);
        pass(app);
        out.large = look(app);
        await app.change({ resolution: 24, restarts: 2, stagnation: 9, mutation: "uniform" });
        app.play(false);
        app.run.search.advance(1e6);
        pass(app);
        out.limited = [look(app), app.run.search.ended, app.run.search.evaluations];
        await app.change({ mutation: "pareto:shape=2", restarts: 0, stagnation: 0 });
        app.play(false);
        out.own = look(app);
        return out;"""
    )
    stuck = found["stuck"]
    assert stuck["tone"] == "warn"
    assert not stuck["hidden"]["for-landscape"]
    assert not stuck["hidden"]["heat"]
    assert "%" in stuck["known"]
    restarted = found["restarted"]
    assert restarted["playing"]
    assert restarted["numbers"][2] == ["1", "restart"]
    assert restarted["tone"] == "calm"
    assert found["kept"]
    assert len(found["more"]) == 3
    long = found["long"]
    assert (long["setting"]["mutation"], long["playing"]) == ("harmonic", True)
    assert long["form"]["mutation"] == "harmonic"
    assert found["time"][0] != found["named"]
    assert found["time"][1] is False
    unknown = found["unknown"]
    assert unknown["hidden"]["heat"]
    assert found["heat"] == ["fitness"]
    assert found["landscape"] == 1
    assert unknown["known"] == ""
    assert found["large"]["hidden"]["for-landscape"]
    limited, ended, spent = found["limited"]
    assert limited["hash"].count("restarts=2") == limited["hash"].count("stagnation=9") == 1
    assert "restarts=2, stagnation=9" in limited["python"]
    assert ended in ("stagnation", "success")
    assert limited["numbers"][1] == [f"{spent:,}", "evaluations"]
    assert found["own"]["form"]["mutation"] == "pareto:shape=2"
    assert "mutation=pareto" in found["own"]["hash"]


def test_what_is_shared_is_what_is_seen(page):
    found = page(
        LOOK
        + """const app = await pageOf("#scene=sphere&at=5"), out = {};
        pass(app);
        const view = app.run.view;
        view.turn(1, 0.3);
        await app.change({ seed: 9 }); // the picture stays turned
        app.play(false);
        out.turned = [app.run.view.around, app.run.view.up, app.run.view === view];
        app.run.step();
        pass(app);
        location.href = "before";
        byId("link").click();
        await settled();
        byId("copy").click();
        await settled();
        out.copied = [...clipboard];
        out.python = byId("python").textContent;
        out.said = byId("announcement").textContent;
        const pictures = [], stage = byId("stage");
        stage.width = 300;
        stage.height = 200;
        app.share.composed().context.log.forEach((one) => pictures.push(one));
        out.picture = pictures.map(({ op, text, colour, box }) => [op, text ?? null, colour ?? null,
          box ?? null]);
        out.paper = [app.palette.paper, app.palette.ink];
        out.caption = app.run.caption();
        out.numbers = look(app).numbers;
        await app.open("#scene=solve&bare=1&theme=dark");
        app.play(false);
        out.bare = [root.attributes["data-bare"] ?? null, location.hash];
        await app.open("#scene=solve");
        app.play(false);
        out.full = [root.attributes["data-bare"] ?? null, location.hash, root.dataset.theme];
        return out;"""
    )
    assert found["turned"] == [1, 0.3, False]
    assert found["copied"] == ["before", found["python"]]
    assert found["said"]
    paper, ink = found["paper"]
    assert found["picture"][0][:3] == ["fill", None, paper]
    assert [entry[0] for entry in found["picture"]] == ["fill", "image", "text"]
    assert found["picture"][2][1:3] == [found["caption"], ink]
    for pair in found["numbers"]:
        assert " ".join(pair) in found["caption"]
    assert found["bare"] == ["", "#scene=solve&theme=dark&bare=1"] or found["bare"] == [
        "",
        "#scene=solve&bare=1&theme=dark",
    ]
    # what a link has made dark stays dark until somebody makes it light
    assert found["full"] == [None, "#scene=solve", "dark"]


def test_who_opens_a_moment_of_a_stalled_run_hears_of_it_at_once(page):
    """Of two equal points with different labels every network is right on one."""
    found = page(
        LOOK
        + """const out = [], start = "#scene=draw&problem=points&points=0.1_0.1_0~0.1_0.1_1";
        const app = await pageOf(start);
        app.play(false);
        app.run.search.advance(700);
        pass(app);
        out.push(look(app));
        for (const at of [300, 700]) {
          await app.open(`${start}&neurons=1&at=${at}`);
          pass(app);
          out.push(look(app));
        }
        byId("actions").children[0].click(); // wait
        app.play(false);
        pass(app);
        out.push(look(app));
        return out;"""
    )
    begun, early, late, waiting = found
    assert [one["tone"] for one in found] == ["calm", "calm", "warn", "calm"]
    assert begun["actions"] == early["actions"] == waiting["actions"] == []
    assert len(late["actions"]) == 3
    assert late["numbers"][1][0] == "700"


@pytest.mark.parametrize(
    ("kind", "dim", "neurons"), [("plain", 2, 2), ("plain", 3, 3), ("bent", 2, 3)]
)
def test_what_is_drawn_is_told_to_those_who_do_not_see_it(page, kind, dim, neurons):
    """Weights and biases of lines and planes, angles of cones, and how often the run improved."""
    found = page(
        LOOK
        + """const [kind, dim, neurons] = given;
        const app = await pageOf(`#scene=solve&seed=3&dim=${dim}&neurons=${neurons}` +
          `&neuron=${kind}&resolution=60&at=20`);
        pass(app);
        const { genome, history, evaluations } = app.run.search, label = (one) =>
          one.attributes["aria-label"];
        return { genome, rises: history.length - 1, evaluations, look: look(app),
          labels: byId("thumbnails").querySelectorAll("canvas").map(label),
          history: label(byId("history")) };""",
        kind,
        dim,
        neurons,
    )
    *each, whole = found["labels"]
    assert len(each) == neurons
    width = dim + (kind == "bent")
    for i, label in enumerate(each):
        genes = found["genome"][i * width : (i + 1) * width]
        told = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", label)]
        assert told[0] == i + 1
        if kind == "bent":
            assert told[1:] == [pytest.approx(180 * genes[-1] / 60, abs=0.5)]
            continue
        angles = [2 * math.pi * gene / 60 for gene in genes[:-1]]
        sines = [math.prod(map(math.sin, angles[:k])) for k in range(dim)]
        weights = [
            sine * (math.cos(angle) if angle is not None else 1)
            for sine, angle in zip(sines, [*angles, None], strict=True)
        ]
        assert told[1:-1:2] == pytest.approx(weights, abs=0.0051)
        assert told[2:-1:2] == list(range(1, dim + 1))
        assert told[-1] == pytest.approx(2 * genes[-1] / 60 - 1, abs=0.0051)
    share = found["look"]["numbers"][0][0]
    assert share in whole
    assert numbers_in(found["history"])[-1] == found["rises"]
    assert numbers_in(found["history"])[-2] == found["evaluations"] == 20
