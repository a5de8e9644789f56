"""What is answered over plain HTTP: the page, /healthz, /metrics; and who may upgrade.

A browser lets any page talk to any server, so an upgrade is refused unless the page came from this
one (Origin's host is Host), and Host is a name that this server goes by: otherwise a name that
somebody else points at a private address would pass (DNS rebinding).
"""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Callable, Iterable
from email.utils import formatdate
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

from prometheus_client import CONTENT_TYPE_LATEST
from websockets.datastructures import Headers
from websockets.http11 import Request, Response
from websockets.server import ServerProtocol

KINDS = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
POLICY = "default-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'"
SOCKET_PATH = "/ws"


class Pages:
    """Answers HTTP requests.  `health` and `metrics` are asked at each request of them."""

    def __init__(
        self,
        folder: Path | None,
        names: Iterable[str],
        health: Callable[[], dict[str, object]],
        metrics: Callable[[], bytes],
    ) -> None:
        self.files = _read(folder) if folder is not None else {}
        self.names = {name.casefold() for name in names}
        self.health = health
        self.metrics = metrics

    def answer(self, request: Request, server: ServerProtocol, crowded: bool) -> Response:
        """The response to a request: a page, the 101 that makes it a WebSocket, or a sentence
        why not.

        `crowded`: no more WebSockets; a page is soon done with.
        """
        hosts = request.headers.get_all("Host")
        if len(hosts) != 1 or not self._is_ours(hosts[0]):
            named = ", ".join(hosts)[:100]
            text = f"This server does not go by the name {named!r}.\n"
            return sentence(HTTPStatus.MISDIRECTED_REQUEST, text)
        if "Upgrade" not in request.headers:
            return self._page(request)
        origins = request.headers.get_all("Origin")  # where a page comes from; programs say none
        if any(_host(origin) != hosts[0].casefold() for origin in origins):
            return sentence(HTTPStatus.FORBIDDEN, "This page is not of this server.\n")
        if crowded:
            return sentence(HTTPStatus.SERVICE_UNAVAILABLE, "Too many connections from here.\n")
        return server.accept(request)

    def _page(self, request: Request) -> Response:
        method = request.method
        if method not in ("GET", "HEAD"):
            response = sentence(HTTPStatus.METHOD_NOT_ALLOWED, "Only GET and HEAD.\n")
            response.headers["Allow"] = "GET, HEAD"
            return response
        response = self._found(request.path.partition("?")[0])
        if method == "HEAD":
            response.body = b""
        return response

    def _found(self, path: str) -> Response:
        if path == "/healthz":
            health = self.health()
            status = HTTPStatus.OK if health["ok"] else HTTPStatus.SERVICE_UNAVAILABLE
            return _response(status, KINDS[".json"], json.dumps(health).encode())
        if path == "/metrics":
            return _response(HTTPStatus.OK, CONTENT_TYPE_LATEST, self.metrics())
        if path == SOCKET_PATH:
            text = "Here a WebSocket is spoken: see SPEC.md.\n"
            return sentence(HTTPStatus.UPGRADE_REQUIRED, text)
        found = self.files.get("/index.html" if path == "/" else path)
        if found is None:
            return sentence(HTTPStatus.NOT_FOUND, "There is no such page.\n")
        return _response(HTTPStatus.OK, *found)

    def _is_ours(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
            if name == "localhost" or name.endswith((".localhost", ".local")) or name in self.names:
                return True
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


def _host(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc.casefold()
    except ValueError:
        return None


def _read(folder: Path) -> dict[str, tuple[str, bytes]]:
    """All files of the page, once: they are few, and no path from outside ever reaches the disk."""
    return {
        "/" + path.relative_to(folder).as_posix(): (KINDS[path.suffix], path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix in KINDS
    }


def sentence(status: HTTPStatus, text: str) -> Response:
    """A response for people to read."""
    return _response(status, KINDS[".txt"], text.encode())


def _response(status: HTTPStatus, kind: str, body: bytes) -> Response:
    headers = Headers(
        {
            "Date": formatdate(usegmt=True),
            "Connection": "close",
            "Content-Length": str(len(body)),
            "Content-Type": kind,
            "Content-Security-Policy": POLICY,
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-cache",
        }
    )
    return Response(status.value, status.phrase, headers, body)
