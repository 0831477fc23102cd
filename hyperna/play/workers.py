"""The processes that compute for the server, started when needed and ended when in the way."""

import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from hyperna.play.own_parts import own_of

# Processes that compute at the same time; further questions wait for one of them.
MOST_WORKERS = 2
# Seconds between two looks at whether somebody still waits for the answer.
_LOOK = 0.05
# Seconds that a worker has to stop by itself before it is killed.
GRACE = 1.0
# Seconds after which a worker is killed in any case; it may have to compile for half a minute.
LONGEST = 120.0


class Crashed(Exception):
    """A worker ended in the middle of its work."""


class ClientLeft(Exception):
    """Nobody waits for the answer any more."""


class _Process:
    """A worker process, and a thread that collects its replies."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "hyperna.play.worker"]
        # A session of its own: an interrupt of the server is none of the worker's.
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        self.replies: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._collect, daemon=True).start()

    def _collect(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self.replies.put(line)
        self.replies.put(None)

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        # Where the process is gone, the end of its replies will tell.
        with suppress(OSError):
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()

    def reply(self, left: Callable[[], bool]) -> dict[str, Any]:
        """Wait for the reply to a question, or until the client has left and the work is ended."""
        end = time.monotonic() + LONGEST
        stopped = False
        while True:
            try:
                line = self.replies.get(timeout=_LOOK)
            except queue.Empty:
                if not stopped and left():
                    stopped = True
                    self.send({"stop": True})
                    end = time.monotonic() + GRACE
                if time.monotonic() > end:
                    self.kill()
                continue
            if line is None:
                self.kill()  # it has closed its output, and ends in this moment
            if stopped:
                raise ClientLeft
            if line is None:
                raise Crashed
            return json.loads(line)

    def kill(self) -> None:
        """End the process, if it has not ended yet, and close its input."""
        self.process.kill()
        self.process.wait()
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.close()


class Workers:
    """Up to `MOST_WORKERS` processes that answer questions.

    Examples
    --------
    >>> workers = Workers()
    >>> half = {"problem": "half", "neurons": 1, "resolution": 8}
    >>> workers.ask("exact", half, seconds=5)["found"]["probability"]
    1.0
    >>> workers.close()
    """

    def __init__(self) -> None:
        self._turn = threading.BoundedSemaphore(MOST_WORKERS)
        self._lock = threading.Lock()
        self._idle: list[_Process] = []
        self._all: list[_Process] = []
        self._closed = False

    def ask(
        self, answer: str, question: Any, seconds: float, left: Callable[[], bool] = lambda: False
    ) -> dict[str, Any]:
        """Return the reply to a question, after about so many seconds of work.

        Raises `ClientLeft` soon after `left()` has become true, whatever is under way, and
        `Crashed` if the process ends before it has answered.
        """
        while not self._turn.acquire(timeout=_LOOK):
            if left():
                raise ClientLeft
        try:
            with self._process() as process:
                own = own_of(question)
                message = {"answer": answer, "question": question, "own": own, "seconds": seconds}
                process.send(message)
                return process.reply(left)
        finally:
            self._turn.release()

    @contextmanager
    def _process(self) -> Iterator[_Process]:
        """Lend a process, and take it back if it is still alive."""
        with self._lock:
            process = self._living()
        try:
            yield process
        finally:
            with self._lock:
                if self._closed:
                    process.kill()
                elif process.alive:
                    self._idle.append(process)

    def _living(self) -> _Process:
        """Return an idle process, or a new one; forget those that have ended."""
        for dead in [one for one in self._all if not one.alive]:
            dead.kill()
            self._all.remove(dead)
            if dead in self._idle:
                self._idle.remove(dead)
        if self._idle:
            return self._idle.pop()
        self._all.append(_Process())
        return self._all[-1]

    def close(self) -> None:
        """End all processes."""
        with self._lock:
            self._closed = True
            for process in self._all:
                process.kill()
