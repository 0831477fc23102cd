"""The play page's server: whom it answers, and what."""

import http.client
import json
import threading

import numpy as np
import pytest

from hyperna import Network, expected_runtime, problem
from hyperna.cli import main
from hyperna.play import PlayServer, answers
from hyperna.play.answers import ANSWERS, choices, classify, landscape, race, sample, task
from hyperna.play.settings import PlaySetting


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


class TestServer:
    def test_listens_on_the_loopback_interface_only(self, server):
        assert server.server_address[0] == "127.0.0.1"

    @pytest.mark.parametrize("name", ["/", "/app.js", "/style.css", "/icon.svg"])
    def test_files_of_the_page(self, server, name):
        status, headers, body = ask(server, "GET", name)
        assert status == 200
        assert body
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"

    @pytest.mark.parametrize(
        "name", ["/../server.py", "/%2e%2e/server.py", "/server.py", "/api/task"]
    )
    def test_nothing_else_is_sent(self, server, name):
        assert ask(server, "GET", name)[0] == 404

    @pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "", None])
    def test_foreign_host_is_refused(self, server, host):
        for method, path in (("GET", "/"), ("POST", "/api/choices")):
            status, _, body = ask(server, method, path, "{}", Host=host)
            assert status == 403
            assert b"only its own page" in body

    def test_localhost_is_this_machine(self, server):
        assert ask(server, "GET", "/", Host=f"localhost:{server.server_port}")[0] == 200

    @pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1"])
    def test_foreign_origin_is_refused(self, server, origin):
        assert ask(server, "POST", "/api/choices", "{}", Origin=origin)[0] == 403

    def test_own_origin_is_answered(self, server):
        origin = f"http://127.0.0.1:{server.server_port}"
        assert ask(server, "POST", "/api/choices", "{}", Origin=origin)[0] == 200
        crossed = ask(server, "POST", "/api/choices", "{}", Sec_Fetch_Site="cross-site")
        assert crossed[0] == 403

    def test_only_short_json_is_read(self, server):
        assert ask(server, "POST", "/api/task", "{}", Content_Type="text/plain")[0] == 415
        assert ask(server, "POST", "/api/task", "{}", Content_Length="999999999")[0] == 413
        assert ask(server, "POST", "/api/task", "[" * 5000)[0] == 400
        assert ask(server, "POST", "/api/nothing", "{}")[0] == 404

    @pytest.mark.parametrize(
        ("question", "message"),
        [
            ({"neurons": 9}, "neurons must be an integer from 1 to 8, got 9"),
            ({"problem": "qarter"}, "did you mean 'quarter'"),
            ({"mutation": "harmonik"}, "mutation must be one of"),
            ({"nothing": 1}, "setting must be one of"),
            ({"problem": "points", "points": []}, "at least one point"),
            ({"problem": "points", "points": [[1, 2]]}, "rows of 3 numbers, got the row"),
            ({"problem": "custom_arcs", "arcs": [[0, 360]]}, "whole circle"),
            ({"arcs": "0-90"}, "arcs must be at most 12 rows"),
            ({"bias": 3}, "bias must be True or False"),
            ([], "a setting must be an object"),
        ],
    )
    def test_bad_settings_are_told(self, server, question, message):
        status, _, body = ask(server, "POST", "/api/task", json.dumps(question))
        assert status == 400
        assert message in json.loads(body)["error"]

    def test_bad_port(self, capsys, server):
        assert main(["play", "--port", "70000", "--no-browser"]) == 2
        assert "--port" in capsys.readouterr().err
        assert main(["play", "--port", str(server.server_port), "--no-browser"]) == 2
        assert "in use" in capsys.readouterr().err


class TestAnswers:
    def test_everything_registered_can_be_chosen(self):
        found = choices()
        for name in found["problems"]:
            points = [[0.5, 0.5, 1], [-0.5, 0, 0]]
            assert task({"problem": name, "points": points})["units"] > 0
        for law in found["laws"]:
            assert task({"mutation": law})["law"]["kind"]
        assert set(ANSWERS) == {"choices", "task", "landscape", "race", "sample", "classify"}

    @pytest.mark.parametrize(
        "setting",
        [
            {},
            {"problem": "local_opt", "neurons": 1, "mutation": "local", "stagnation": 99},
            {"problem": "arcs", "k": 2, "output": "xor", "restarts": 2, "stagnation": 400},
            {"problem": "custom_arcs", "arcs": [[350, 400]], "neurons": 1},
            {"problem": "half", "dim": 3, "neurons": 1},
            {"problem": "half", "neurons": 1, "bias": False},
            {"problem": "quarter", "neurons": 1, "neuron": "bent"},
            {"problem": "cube", "dim": 3, "output": "evolved"},
            {"problem": "points", "points": [[0.5, 0.5, 1], [-0.5, 0, 0]]},
        ],
    )
    def test_python_lines_run_the_same_setting(self, setting, capsys):
        found = PlaySetting.from_json(setting)
        space = {}
        exec(found.python, space)
        assert "evaluations" in capsys.readouterr().out
        task, same = space["result"].network.grid, found.task
        assert task == same.grid
        again = found.algorithm.run(found.fitness, seed=found.seed, **found.limits)
        assert again.network == space["result"].network
        assert again.evaluations == space["result"].evaluations

    def test_landscape_is_the_fitness_and_the_exact_time(self):
        found = landscape({"problem": "quarter", "neurons": 1, "resolution": 24})
        runtime = expected_runtime(problem("quarter"), 24)
        assert np.allclose(np.array(found["remaining"]), runtime.per_state - 1, atol=0.006)
        assert found["mean"] == runtime.mean
        assert found["best"] == pytest.approx(max(map(max, found["scores"])), abs=1e-6)
        stuck = landscape(
            {"problem": "local_opt", "neurons": 1, "resolution": 24, "mutation": "local"}
        )
        assert stuck["mean"] is None
        assert stuck["local"]
        heavy = landscape({"problem": "half", "neurons": 1, "resolution": 12, "mutation": "cauchy"})
        assert heavy["remaining"] is None
        assert "law" in heavy["why"]

    def test_race_grows_by_other_runs(self):
        setting = {"problem": "half", "neurons": 1, "resolution": 24}
        parts = [race({"setting": setting, "part": part}) for part in (0, 1, 0)]
        assert parts[0] == parts[2] != parts[1]
        exact = expected_runtime(problem("half"), 24)
        every = np.concatenate([part["evaluations"] for part in parts[:2]])
        error = exact.standard_deviation / np.sqrt(len(every))
        assert abs(every.mean() - exact.mean) < 4 * error

    def test_samples_lie_in_the_disc(self):
        for name in choices()["samples"]:
            points = np.array(sample({"name": name})["points"])
            assert (points[:, :2] ** 2).sum(axis=1).max() <= 1
            assert set(points[:, 2]) == {0, 1}

    def test_classifier_tells_its_rule(self):
        points = [[0.5, y, 1] for y in (-0.5, 0, 0.5)] + [[-0.5, y, 0] for y in (-0.5, 0, 0.5)]
        found = classify({"problem": "points", "points": points})
        assert found["accuracy"] == 1.0
        assert "x" in found["rule"]
        assert np.shape(found["answers"]) == (61, 61)
        with pytest.raises(ValueError, match="both colours"):
            classify({"problem": "points", "points": points[:2]})


def random_networks(setting, count, seed=0):
    """Genomes on the setting's grid, and the score that hyperna gives them."""
    made = PlaySetting.from_json(setting).task
    rng = np.random.default_rng(seed)
    genomes = rng.integers(0, made.grid.moduli, (count, made.grid.components))
    return genomes.tolist(), [made.fitness.score(Network(made.grid, g)) for g in genomes]


@pytest.mark.parametrize(
    ("setting", "runs"),
    [
        ({"problem": "half", "neurons": 1, "resolution": 24}, 200),
        ({"problem": "cube", "dim": 3, "neurons": 4, "output": "xor", "resolution": 1200}, 5),
    ],
)
def test_a_race_has_five_to_two_hundred_runs_in_a_part(setting, runs):
    part = answers.race({"setting": setting, "part": 0})
    assert len(part["evaluations"]) == len(part["success"]) == runs
    again = answers.race({"setting": setting, "part": 1})
    assert part["evaluations"] != again["evaluations"]


@pytest.mark.parametrize("stagnation", [0, 50])
def test_the_page_s_stagnation_is_the_algorithm_s(stagnation):
    made = PlaySetting.from_json({"problem": "half", "neurons": 1, "stagnation": stagnation})
    assert made.task.stagnation == (stagnation or None)


@pytest.mark.parametrize("bias", [True, False])
def test_the_page_s_free_components_are_those_that_mutate(bias):
    told = answers.task({"problem": "quarter", "neurons": 2, "bias": bias})
    assert told["free"] == ([0, 1, 2, 3] if bias else [0, 2])


def test_samples_of_the_page_are_labelled_as_their_data_sets():
    from hyperna.datasets import dataset
    from hyperna.play.answers import sample

    for name in ("moons", "xor"):
        found, made = np.array(sample({"name": name})["points"]), dataset(name, n=80, seed=0)
        assert found[:, 2].tolist() == (made.y == 1).astype(int).tolist()
        # moved and shrunk, all coordinates by the same factor
        shown, given = found[:, :2] - found[:, :2].mean(axis=0), made.X - made.X.mean(axis=0)
        assert np.allclose(shown, given * shown.std() / given.std(), atol=2e-3)


def test_steps_of_the_page_are_in_units_of_its_grid():
    for law, scale in (("pareto:scale=2", 2), ("cauchy", 1), ("exponential:scale=0.5", 0.5)):
        found = task({"problem": "quarter", "neurons": 1, "resolution": 24, "mutation": law})
        assert found["unit"] == found["resolution"] // 24 > 2**30
        assert found["law"]["scale"] == scale * found["unit"]


def test_only_the_page_itself_may_ask():
    import threading
    from http.client import HTTPConnection

    from hyperna.play import PlayServer

    with PlayServer(0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            for site, status in (
                *((None, 200), ("none", 200), ("same-origin", 200)),
                *(("same-site", 403), ("cross-site", 403)),
            ):
                asked = HTTPConnection("127.0.0.1", server.server_port, timeout=20)
                asked.request("GET", "/", headers={"Sec-Fetch-Site": site} if site else {})
                assert asked.getresponse().status == status
                asked.close()
        finally:
            server.shutdown()
