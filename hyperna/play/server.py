"""The page's server: the page and JSON answers, for this machine only.

A page of the web must not be able to use it: it listens on the loopback interface, and refuses
requests whose Host or Origin is not its own (which a foreign page or a rebound name would send).

Every connection has a thread of its own. What takes long is computed by `hyperna.play.workers`, and
no longer than its client waits for it: races for about a second, of which a part may be answered;
exact runtimes and rules, which are small by the limits of the page, until they are complete.
"""

import json
import logging
import select
import socket
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from hyperna.play.answers import LONG_ANSWERS, QUICK_ANSWERS
from hyperna.play.build import build_page
from hyperna.play.workers import ClientLeft, Crashed, Workers

_LONGEST_BODY = 2**18
# Seconds of work for a race; one that is not complete by then is sent as it is.
_SECONDS = 1.0
_HEADERS = {
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
_log = logging.getLogger(__name__)


class _Refusal(Exception):
    """A request that is not answered, with the status that says why."""

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    server_version = "hyperna"
    sys_version = ""
    timeout = 60
    server: "PlayServer"

    def do_GET(self) -> None:
        """Send the page."""
        self._answer(self._file)

    def do_POST(self) -> None:
        """Answer a question of the page."""
        self._answer(self._json)

    def _answer(self, make: Callable[[], tuple[str, bytes]]) -> None:
        status = HTTPStatus.OK
        kind = "application/json"
        try:
            self._check_sender()
            kind, body = make()
        except _Refusal as refusal:
            status = refusal.status
            body = _error(refusal)
            self.close_connection = True
        except (ValueError, TypeError, OverflowError, MemoryError) as error:
            status = HTTPStatus.BAD_REQUEST
            body = _error(error)
        except (ClientLeft, ConnectionError):
            self.close_connection = True
            return
        try:
            self.send_response(status)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            for name, value in (*_HEADERS.items(), *self.server.policy.items()):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
        except ConnectionError:  # the page was closed meanwhile
            self.close_connection = True

    def _check_sender(self) -> None:
        own = self.server.hosts
        if self.headers.get("Host", "").lower() not in own:
            raise _Refusal(HTTPStatus.FORBIDDEN, "this server answers only its own page (Host)")
        origin = self.headers.get("Origin")
        if origin is not None and origin.lower() not in {f"http://{host}" for host in own}:
            raise _Refusal(HTTPStatus.FORBIDDEN, "this server answers only its own page (Origin)")
        if self.headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none"):
            raise _Refusal(HTTPStatus.FORBIDDEN, "this server answers only its own page (site)")

    def _file(self) -> tuple[str, bytes]:
        name = self.path.partition("?")[0]
        if name != "/":
            raise _Refusal(HTTPStatus.NOT_FOUND, f"there is no file {name[:80]}")
        return "text/html", self.server.page.html.encode()

    def _json(self) -> tuple[str, bytes]:
        name = self.path.removeprefix("/api/")
        if name not in {*QUICK_ANSWERS, *LONG_ANSWERS}:
            raise _Refusal(HTTPStatus.NOT_FOUND, f"there is no answer to {self.path[:80]}")
        if self.headers.get_content_type() != "application/json":
            raise _Refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a question must be JSON")
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > _LONGEST_BODY:
            raise _Refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the question is too long")
        try:
            question = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            raise _Refusal(HTTPStatus.BAD_REQUEST, "the question is not JSON") from None
        if name in QUICK_ANSWERS:
            found = QUICK_ANSWERS[name](question)
        else:
            found = self._long_answer(name, question)
        return "application/json", json.dumps(found, allow_nan=False).encode()

    def _long_answer(self, name: str, question: Any) -> dict[str, Any]:
        try:
            reply = self.server.workers.ask(name, question, _SECONDS, self._client_left)
        except Crashed:
            raise _Refusal(
                HTTPStatus.INTERNAL_SERVER_ERROR, f"computing the answer to {name} failed"
            ) from None
        if "error" in reply:
            raise ValueError(reply["error"])
        return reply["found"]

    def _client_left(self) -> bool:
        """Whether the other side has closed the connection."""
        if not select.select([self.connection], [], [], 0)[0]:
            return False
        try:
            return not self.connection.recv(1, socket.MSG_PEEK)
        except OSError:
            return True

    def log_message(self, format: str, *args: Any) -> None:
        """Log quietly: the terminal belongs to the user."""
        _log.debug(format, *args)


def _error(error: BaseException) -> bytes:
    return json.dumps({"error": " ".join(str(error).split())}).encode()


class PlayServer(ThreadingHTTPServer):
    """The server of the page, on the loopback interface.

    Parameters
    ----------
    port : int
        0 takes a free one.
    start : str
        What the page shows first, as in ``"#scene=race"``.

    Examples
    --------
    >>> with PlayServer(0) as server:
    ...     server.url.startswith("http://127.0.0.1:")
    True
    """

    daemon_threads = True
    # Connections that may wait to be accepted.
    request_queue_size = 1024

    def __init__(self, port: int = 0, start: str = "#") -> None:
        self.workers = Workers()
        super().__init__(("127.0.0.1", port), _Handler)
        self.page = build_page(start, served=True)

    @property
    def policy(self) -> dict[str, str]:
        """What the page may do: run its own script, start workers made of it, ask this server."""
        parts = [
            "default-src 'none'",
            f"script-src '{self.page.script_hash}'",
            f"style-src '{self.page.style_hash}'",
            "worker-src blob:",
            "connect-src 'self'",
            "img-src 'self' blob: data:",
            "media-src blob:",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ]
        return {"Content-Security-Policy": "; ".join(parts)}

    def server_close(self) -> None:
        """Close the socket, and end what is still being computed."""
        super().server_close()
        self.workers.close()

    @property
    def url(self) -> str:
        """Address of the page."""
        return f"http://127.0.0.1:{self.server_port}/"

    @property
    def hosts(self) -> set[str]:
        """What a browser on this machine writes as Host."""
        return {f"{name}:{self.server_port}" for name in ("127.0.0.1", "localhost")}
