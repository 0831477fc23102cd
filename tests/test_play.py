"""The play page's server: whom it answers, and what; and the page as one file."""

import http.client
import json
import re
import threading

import numpy as np
import pytest

from hyperna import OnePlusOneNA, expected_runtime, problem
from hyperna.cli import main
from hyperna.mutation import LAWS
from hyperna.play import PlayServer, answers
from hyperna.play.allowance import Allowance
from hyperna.play.answers import LONG_ANSWERS, QUICK_ANSWERS
from hyperna.play.build import build_page
from hyperna.play.compute import compute
from hyperna.play.facts import COMPUTED, page_facts
from hyperna.play.settings import PlaySetting

LONG = 100


@pytest.fixture(scope="module")
def server():
    with PlayServer(0) as made:
        thread = threading.Thread(target=made.serve_forever, daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def ask(server, method, path, body=None, **headers):
    """Status, headers and body of a reply; a header of None is left out."""
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    connection.putrequest(method, path, skip_host=True)
    sent = {"Host": f"127.0.0.1:{server.server_port}"}
    if body is not None:
        sent |= {"Content-Type": "application/json", "Content-Length": str(len(body))}
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    for name, value in sent.items():
        if value is not None:
            connection.putheader(name, value)
    connection.endheaders(body.encode() if body is not None else None)
    reply = connection.getresponse()
    found = reply.status, dict(reply.getheaders()), reply.read()
    connection.close()
    return found


LAW = json.dumps({"mutation": "local", "resolution": 4})


class TestServer:
    def test_listens_on_the_loopback_interface_only(self, server):
        assert server.server_address[0] == "127.0.0.1"

    def test_the_page_may_do_little(self, server):
        status, headers, body = ask(server, "GET", "/")
        assert status == 200
        assert body.decode().startswith("<!doctype html>")
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"

    @pytest.mark.parametrize("name", ["/../server.py", "/%2e%2e/x", "/server.py", "/api/law"])
    def test_nothing_else_is_sent(self, server, name):
        assert ask(server, "GET", name)[0] == 404

    @pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "", None])
    def test_foreign_host_is_refused(self, server, host):
        for method, path in (("GET", "/"), ("POST", "/api/law")):
            status, _, body = ask(server, method, path, LAW, Host=host)
            assert status == 403
            assert b"only its own page" in body

    def test_localhost_is_this_machine(self, server):
        assert ask(server, "GET", "/", Host=f"localhost:{server.server_port}")[0] == 200

    @pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1"])
    def test_foreign_origin_is_refused(self, server, origin):
        assert ask(server, "POST", "/api/law", LAW, Origin=origin)[0] == 403

    def test_own_origin_is_answered(self, server):
        origin = f"http://127.0.0.1:{server.server_port}"
        assert ask(server, "POST", "/api/law", LAW, Origin=origin)[0] == 200

    @pytest.mark.parametrize(
        ("site", "status"),
        [
            (None, 200),
            ("none", 200),
            ("same-origin", 200),
            ("same-site", 403),
            ("cross-site", 403),
        ],
    )
    def test_only_the_page_itself_may_ask(self, server, site, status):
        assert ask(server, "GET", "/", Sec_Fetch_Site=site)[0] == status

    def test_only_short_json_is_read(self, server):
        assert ask(server, "POST", "/api/law", "{}", Content_Type="text/plain")[0] == 415
        assert ask(server, "POST", "/api/law", "{}", Content_Length="999999999")[0] == 413
        assert ask(server, "POST", "/api/law", "[" * 5000)[0] == 400
        assert ask(server, "POST", "/api/nothing", "{}")[0] == 404

    @pytest.mark.parametrize(
        ("name", "question", "message"),
        [
            ("law", {"mutation": "harmonik", "resolution": 8}, "mutation must be one of"),
            ("law", {"mutation": "harmonic", "resolution": 3}, "resolution must be an integer"),
            ("law", {"mutation": "cauchy", "resolution": 8}, "no table of probabilities"),
            ("law", [], "a law must be"),
            ("exact", {"neurons": 9}, "neurons must be an integer from 1 to 8, got 9"),
            ("exact", {"problem": "qarter"}, "did you mean 'quarter'"),
            ("exact", {"nothing": 1}, "setting must be one of"),
            ("exact", {"problem": "points", "points": [[1, 2]], "neurons": 1}, "got the row"),
            ("exact", {"problem": "custom_arcs", "arcs": [[0, 360]], "neurons": 1}, "whole circle"),
            ("exact", {"arcs": "0-90"}, "arcs must be at most 12 rows"),
            ("exact", {"problem": "half"}, "need one plain neuron"),
            ("exact", {"problem": "half", "neurons": 1, "bias": False}, "with a bias"),
            ("exact", {"problem": "half", "neurons": 1, "neuron": "bent"}, "plain"),
            ("exact", {"problem": "half", "neurons": 1, "restarts": 2}, "without restarts"),
            ("exact", {"problem": "half", "neurons": 1, "stagnation": 9}, "stagnation"),
            ("exact", [], "a setting must be an object"),
            ("race", {"setting": {}}, "a race must be"),
        ],
    )
    def test_bad_questions_are_told(self, server, name, question, message):
        status, _, body = ask(server, "POST", f"/api/{name}", json.dumps(question))
        assert status == 400
        assert message in json.loads(body)["error"]

    def test_bad_port(self, capsys, server):
        assert main(["play", "--port", "70000", "--no-browser"]) == 2
        assert "--port" in capsys.readouterr().err
        assert main(["play", "--port", str(server.server_port), "--no-browser"]) == 2
        assert "in use" in capsys.readouterr().err


class TestAnswers:
    def test_there_is_an_answer_for_each_question(self):
        assert set(QUICK_ANSWERS) == {"law"}
        assert set(LONG_ANSWERS) == {"exact", "race", "classify"}

    def test_a_law_is_its_probabilities(self):
        found = answers.law({"mutation": "power_law:exponent=2", "resolution": 24})
        assert found["weights"] == LAWS["power_law"](2.0).pmf(24).tolist()

    def test_exact_times_and_chances_are_those_of_the_chain(self):
        quarter = {"problem": "quarter", "neurons": 1, "resolution": 24}
        found = answers.exact(quarter, Allowance(LONG))
        runtime = expected_runtime(problem("quarter"), 24)
        assert found["mean"] == runtime.mean
        left = unpacked(found["times"]["shares"]) * found["times"]["most"]
        assert np.allclose(left, runtime.per_state.ravel() - 1, atol=found["times"]["most"] / 60000)
        stuck = {"problem": "local_opt", "neurons": 1, "resolution": 24, "mutation": "local"}
        found = answers.exact(stuck, Allowance(LONG))
        runtime = expected_runtime(problem("local_opt"), 24, "local")
        assert found["mean"] is None
        assert found["probability"] == runtime.probability
        chances = unpacked(found["chances"])
        assert np.allclose(chances, runtime.per_state_probability.ravel(), atol=1e-5)

    def test_a_race_is_the_runs_of_run_many(self):
        setting = {"problem": "half", "neurons": 1, "resolution": 24, "seed": 3}
        first, second = (
            answers.race({"setting": setting, "first": number}, Allowance(LONG))
            for number in (0, 200)
        )
        runs = OnePlusOneNA(resolution=24).run_many(problem("half"), runs=400, seed=3)
        assert first["evaluations"] + second["evaluations"] == runs.evaluations.tolist()
        assert first["success"] + second["success"] == runs.success.astype(int).tolist()
        assert first["unfinished"] is second["unfinished"] is None

    def test_a_race_without_time_returns_the_first_run(self):
        setting = {"problem": "half", "neurons": 1, "resolution": 24}
        short, long = (
            answers.race({"setting": setting, "first": 5}, Allowance(seconds))
            for seconds in (0, LONG)
        )
        assert short["evaluations"] == long["evaluations"][:1]

    def test_the_classifier_s_path_is_told(self):
        places = [k / 10 for k in range(-9, 10)]
        points = [[0.5, y, 1] for y in places] + [[-0.5, y, 0] for y in places]
        path = answers.classify({"points": points, "seed": 0}, Allowance(LONG))["path"]
        assert [(rule["terms"], rule["errors"], rule["chosen"]) for rule in path[:2]] == [
            (0, 19, False),
            (1, 0, True),
        ]
        assert path[1]["conditions"] == [{"features": [0], "weights": [1.0], "threshold": 0.0}]
        for labels in ([1], [0], [0, 1, 2]):
            rows = [[0.5, label / 10, label] for label in labels]
            with pytest.raises(ValueError, match="0 and 1, both"):
                answers.classify({"points": rows, "seed": 0}, Allowance(LONG))


def unpacked(text):
    import base64

    return np.frombuffer(base64.b64decode(text), "<u2") / 65535


@pytest.mark.parametrize("stagnation", [0, 50])
def test_the_page_s_stagnation_is_the_algorithm_s(stagnation):
    made = PlaySetting.from_json({"problem": "half", "neurons": 1, "stagnation": stagnation})
    assert made.task.stagnation == (stagnation or None)


class TestPage:
    def test_it_is_one_file_that_loads_nothing(self):
        page = build_page().html
        assert not re.search(r"""(src|href)\s*=\s*["']?(https?:|//|\w+\.(js|css|svg))""", page)
        assert not re.search(r"@import|url\(|import\s*\(", page)
        assert page.count("<script") == page.count("</script>") == 2

    def test_every_scene_has_a_setting_that_can_be_run(self):
        scenes = page_facts()["scenes"]
        assert [scene["id"] for scene in scenes] == [
            "solve",
            "stuck",
            "race",
            "draw",
            "rule",
            "sphere",
        ]
        for scene in scenes:
            assert PlaySetting.from_json(scene["setting"]).task.units > 0
            assert scene["sentence"].endswith(".")

    def test_everything_registered_is_known(self):
        facts = page_facts()
        assert set(facts["laws"]) == set(LAWS)
        assert {"half", "quarter", "two_quarters", "local_opt", "cube"} <= set(facts["problems"])

    def test_what_was_computed_beforehand_is_what_is_computed_now(self):
        stored, fresh = json.loads(COMPUTED.read_text("utf-8")), compute()
        assert stored["samples"] == fresh["samples"]
        assert stored["tables"] == fresh["tables"]
        assert stored["best_caps"] == pytest.approx(fresh["best_caps"], rel=1e-9)
        for one, other in zip(stored["exact"], fresh["exact"], strict=True):
            for name in ("chances", "times"):
                before, after = one.pop(name, None), other.pop(name, None)
                if name == "times" and before:
                    assert before["most"] == pytest.approx(after["most"], rel=1e-9)
                    before, after = before["shares"], after["shares"]
                if before:
                    assert np.abs(unpacked(before) - unpacked(after)).max() < 2 / 65535
            before, after = ((each.pop("mean"), each.pop("probability")) for each in (one, other))
            assert np.allclose(np.array(before, float), np.array(after, float), equal_nan=True)
            assert one == other

    def test_samples_lie_in_the_disc(self):
        for points in page_facts()["samples"].values():
            table = np.array(points)
            assert (table[:, :2] ** 2).sum(axis=1).max() <= 1
            assert set(table[:, 2]) == {0, 1}
