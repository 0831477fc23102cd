"""The page's server: static files and JSON answers, for this machine only.

A page of the web must not be able to use it: it listens on the loopback interface, and refuses
requests whose Host or Origin is not its own (which a foreign page or a rebound name would send).
"""

import json
import logging
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from threading import Lock
from typing import Any

from hyperna.play.answers import ANSWERS

TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_LONGEST_BODY = 2**18
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        "img-src 'self' blob: data:; media-src blob:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
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
    server_version, sys_version = "hyperna", ""
    timeout = 60
    server: "PlayServer"

    def do_GET(self) -> None:
        """Send a file of the page."""
        self._answer(self._file)

    def do_POST(self) -> None:
        """Answer a question of the page."""
        self._answer(self._json)

    def _answer(self, make: Callable[[], tuple[str, bytes]]) -> None:
        status = HTTPStatus.OK
        try:
            self._check_sender()
            kind, body = make()
        except _Refusal as refusal:
            status, kind, body = refusal.status, "application/json", _error(refusal)
            self.close_connection = True
        except (ValueError, TypeError, OverflowError, MemoryError) as error:
            status, kind, body = HTTPStatus.BAD_REQUEST, "application/json", _error(error)
        try:
            self.send_response(status)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            for name, value in _HEADERS.items():
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
        name = self.path.partition("?")[0].removeprefix("/") or "index.html"
        kind = TYPES.get(name.rpartition(".")[2])
        if name not in self.server.pages or kind is None:
            raise _Refusal(HTTPStatus.NOT_FOUND, f"there is no file {name[:80]}")
        return kind, (files("hyperna.play") / "page" / name).read_bytes()

    def _json(self) -> tuple[str, bytes]:
        answer = ANSWERS.get(self.path.removeprefix("/api/"))
        if answer is None:
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
        with self.server.one_at_a_time:
            found = answer(question)
        return "application/json", json.dumps(found, allow_nan=False).encode()

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

    Examples
    --------
    >>> with PlayServer(0) as server:
    ...     server.url.startswith("http://127.0.0.1:")
    True
    """

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.one_at_a_time = Lock()
        self.pages = {item.name for item in (files("hyperna.play") / "page").iterdir()}

    @property
    def url(self) -> str:
        """Address of the page."""
        return f"http://127.0.0.1:{self.server_port}/"

    @property
    def hosts(self) -> set[str]:
        """What a browser on this machine writes as Host."""
        return {f"{name}:{self.server_port}" for name in ("127.0.0.1", "localhost")}
