"""The play server at work: requests are bounded, end with their client and wait for no others."""

import http.client
import json
import os
import select
import signal
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from test_play import LAW, ask

from hyperna.play import PlayServer
from hyperna.play.allowance import Allowance
from hyperna.play.answers import RUNS_PER_ANSWER, race
from hyperna.play.workers import ClientLeft, Crashed, Workers

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
RNG = np.random.default_rng(0)
# Labels by chance: no network finds an end.
POINTS = [
    [*point, label]
    for point, label in zip(
        RNG.uniform(-0.7, 0.7, (400, 2)).round(3).tolist(),
        RNG.integers(0, 2, 400).tolist(),
        strict=True,
    )
]
ENDLESS = {
    "points": {"problem": "points", "points": POINTS, "neurons": 8, "resolution": 16384},
    "sphere": {"problem": "two_quarters", "dim": 3, "neurons": 8, "resolution": 16384},
    "restarts": {
        "problem": "local_opt",
        "neurons": 1,
        "restarts": 10**6,
        "stagnation": 1,
        "resolution": 16384,
        "mutation": "local",
    },
}


@pytest.fixture(scope="module")
def server():
    with PlayServer(0) as made:
        thread = threading.Thread(target=made.serve_forever, daemon=True)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


def question(setting, first=0):
    return json.dumps({"setting": setting, "first": first})


@pytest.mark.parametrize("name", ENDLESS)
def test_the_work_of_a_race_is_bounded(name):
    asked = {"setting": ENDLESS[name], "first": 0}
    race(asked, Allowance(0))  # compiles
    before = time.process_time()
    found = race(asked, Allowance(0.5))
    used = time.process_time() - before
    assert len(found["evaluations"]) < RUNS_PER_ANSWER
    assert found["evaluations"] or found["unfinished"] > 0
    # What lies between is a piece of the work; the bound is generous for busy machines.
    assert used < 2


def processor_seconds(pid):
    """Processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def worker_pids(server):
    return [one.process.pid for one in server.workers._all if one.alive]


@needs_proc
def test_work_ends_when_the_client_goes(server, monkeypatch):
    body = question(ENDLESS["points"])
    ask(server, "POST", "/api/race", body)  # starts a worker, which compiles
    monkeypatch.setattr("hyperna.play.server._SECONDS", 600.0)
    left = http.client.HTTPConnection("127.0.0.1", server.server_port)
    left.request("POST", "/api/race", body, {"Content-Type": "application/json"})
    time.sleep(1)
    left.close()
    deadline = time.monotonic() + 60
    while True:
        before = sum(map(processor_seconds, worker_pids(server)))
        time.sleep(0.5)
        if sum(map(processor_seconds, worker_pids(server))) - before < 0.1:
            break
        assert time.monotonic() < deadline, "the worker still works"


def test_others_are_answered_meanwhile(server, monkeypatch):
    body = question(ENDLESS["points"])
    monkeypatch.setattr("hyperna.play.server._SECONDS", 600.0)
    busy = [http.client.HTTPConnection("127.0.0.1", server.server_port) for _ in range(2)]
    try:
        for one in busy:
            one.request("POST", "/api/race", body, {"Content-Type": "application/json"})
        answered = [ask(server, "POST", "/api/law", LAW)[0] for _ in range(10)]
        assert answered == [200] * 10
        # Nothing has come yet on either of the others.
        assert select.select([one.sock for one in busy], [], [], 0)[0] == []
    finally:
        for one in busy:
            one.close()


def test_two_hundred_connections_at_once(server):
    together = threading.Barrier(200)

    def one(_):
        together.wait()
        with socket.create_connection(("127.0.0.1", server.server_port), timeout=60) as made:
            made.sendall(f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.server_port}\r\n\r\n".encode())
            return made.recv(15)

    with ThreadPoolExecutor(200) as pool:
        assert list(pool.map(one, range(200))) == [b"HTTP/1.1 200 OK"] * 200


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_the_server_survives_a_worker_that_crashes(server):
    half = json.dumps({"problem": "half", "neurons": 1, "resolution": 8})
    assert ask(server, "POST", "/api/exact", half)[0] == 200
    for worker in list(server.workers._all):
        # one may just have ended with its client, in the test before
        with suppress(ProcessLookupError):
            os.kill(worker.process.pid, signal.SIGSEGV)
        worker.process.wait()
    assert ask(server, "POST", "/api/exact", half)[0] == 200


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_crash_in_the_middle_of_an_answer_is_told():
    workers = Workers()
    asked = {"setting": ENDLESS["points"], "first": 0}
    try:
        workers.ask("race", asked, seconds=0)
        process = workers._all[0].process
        killer = threading.Timer(0.5, os.kill, (process.pid, signal.SIGSEGV))
        killer.start()
        with pytest.raises(Crashed):
            workers.ask("race", asked, seconds=600)
        assert workers.ask("race", asked, seconds=0)["found"]["unfinished"] > 0
    finally:
        workers.close()


def test_a_question_that_waits_for_its_turn_ends_with_its_client():
    workers = Workers()
    asked = {"setting": ENDLESS["points"], "first": 0}
    gone = threading.Event()
    try:
        with ThreadPoolExecutor(3) as pool:
            busy = [pool.submit(workers.ask, "race", asked, 600, gone.is_set) for _ in range(2)]
            while len(workers._all) < 2:
                time.sleep(0.01)
            waiting = pool.submit(workers.ask, "race", asked, 600, gone.is_set)
            gone.set()
            for one in (*busy, waiting):
                with pytest.raises(ClientLeft):
                    one.result(timeout=60)
    finally:
        workers.close()


@pytest.mark.parametrize("resolution", [4, 5, 6, 7, 8])
def test_adaptive_steps_on_small_grids(server, resolution):
    setting = {"problem": "quarter", "neurons": 1, "resolution": resolution, "mutation": "adaptive"}
    status, _, body = ask(server, "POST", "/api/race", question(setting))
    assert status == 200, body
    assert sum(json.loads(body)["success"]) > 0
    assert ask(server, "GET", "/")[0] == 200
