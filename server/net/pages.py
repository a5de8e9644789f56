"""Answers plain HTTP: the pages, replays, /healthz and /metrics; and decides who may upgrade.

A browser lets any page talk to any server, so an upgrade is refused unless the page came from this
server (Origin's host is Host, and its scheme https where that is known).  Host must be a name of
this server: otherwise a stranger's name that points at a private address would pass (DNS
rebinding).  Which server this is and what it does is told to this machine alone.
"""

from __future__ import annotations

import ipaddress
import json
import re
from collections.abc import Callable, Iterable
from email.utils import formatdate
from http import HTTPStatus
from pathlib import Path
from typing import TypeAlias
from urllib.parse import parse_qs, unquote, urlsplit

from prometheus_client import CONTENT_TYPE_LATEST
from websockets.datastructures import Headers
from websockets.http11 import Request, Response
from websockets.server import ServerProtocol

from protocol.errors import Refusal
from protocol.notation import parse_match
from server.config import (
    BYTES_PER_MICRO,
    FIGURES,
    HANDSHAKE,
    PAGE,
    REPLAYING,
    WRONG_CODE,
    WRONG_TOKEN,
)
from server.core.session import check_name
from server.net.admin_api import PATH as ADMIN_PATH
from server.net.admin_api import AdminApi, Document
from server.net.proxies import Proxies, Visitor, host_of
from server.net.replays import NoReplay, ReplayService

KINDS = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
POLICY = (
    "default-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline';"
    " frame-ancestors 'none'"
)
SOCKET_PATH = "/ws"
LADDER_PATH = "/ladder/"
FOREIGN = "This page comes from another server.\n"
REPLAY = re.compile(r"/replay/([1-9][0-9]{0,14}\.[1-9][0-9]{0,14})\.json")
INVITATION = re.compile(r"/invitation/([^/]{1,64})\.json")
NO_INVITATION = "No room has this code: it was typed wrongly, or the room is closed.\n"
Done: TypeAlias = Callable[[Response], None]
Charge: TypeAlias = Callable[[float], None]  # microseconds, as in server/config.py


class Pages:
    """Answers HTTP requests.  `health` and `metrics` are called for each request of them.

    `invitations` returns the JSON of the private room with a code, or None if there is none.
    """

    def __init__(
        self,
        folder: Path | None,
        names: Iterable[str],
        health: Callable[[], dict[str, object]],
        metrics: Callable[[], bytes],
        replays: ReplayService,
        proxies: Proxies,
        invitations: Callable[[str], bytes | None],
    ) -> None:
        self.proxies = proxies
        self.invitations = invitations
        self.files = _read(folder) if folder is not None else {}
        self.names = {name.casefold() for name in names}
        self.health = health
        self.metrics = metrics
        self.replays = replays
        self.admin: AdminApi | None = None  # once the server listens

    def answer(
        self,
        request: Request,
        server: ServerProtocol,
        visitor: Visitor,
        crowded: bool,
        charge: Charge,
        done: Done,
    ) -> None:
        """Hand `done` the response to a request: a page, the 101 that makes it a WebSocket, or a
        sentence why not.  A replay takes a while; everything else is answered at once.

        `crowded`: refuse WebSockets; a page does not stay.  `charge` is told what the answer costs.
        """
        charge(PAGE)
        names = [*visitor.hosts, *visitor.forwarded_hosts]
        if len(visitor.hosts) != 1 or not all(map(self._is_ours, names)):
            named = ", ".join(names)[:100]
            text = f"This server does not go by the name {named!r}.\n"
            done(sentence(HTTPStatus.MISDIRECTED_REQUEST, text))
        elif self.admin is not None and request.path.startswith(ADMIN_PATH):
            self._ask_admin(self.admin, request, visitor, charge, done)
        elif not _wants_websocket(request):
            self._page(request, visitor, charge, done)
        elif _path(request) != SOCKET_PATH:
            done(sentence(HTTPStatus.NOT_FOUND, f"WebSockets are at {SOCKET_PATH}.\n"))
        else:
            charge(HANDSHAKE)
            done(self._upgrade(request, server, visitor, crowded))

    def _ask_admin(
        self, admin: AdminApi, request: Request, visitor: Visitor, charge: Charge, done: Done
    ) -> None:
        origins = request.headers.get_all("Origin")
        if not all(_is_same(origin, visitor) for origin in origins):
            done(sentence(HTTPStatus.FORBIDDEN, FOREIGN))
            return

        def reply(document: Document) -> None:
            done(_response(document.status, KINDS[".json"], document.json))

        admin.answer(request, visitor.host, lambda: charge(WRONG_TOKEN), reply)

    def _upgrade(
        self, request: Request, server: ServerProtocol, visitor: Visitor, crowded: bool
    ) -> Response:
        origins = request.headers.get_all("Origin")  # where a page comes from; programs say none
        if not all(_is_same(origin, visitor) for origin in origins):
            return sentence(HTTPStatus.FORBIDDEN, FOREIGN)
        if crowded:
            return sentence(HTTPStatus.SERVICE_UNAVAILABLE, "Too many connections from here.\n")
        return server.accept(request)

    def _page(self, request: Request, visitor: Visitor, charge: Charge, done: Done) -> None:
        method = request.method
        path, _, query = request.path.partition("?")
        if method not in ("GET", "HEAD"):
            response = sentence(HTTPStatus.METHOD_NOT_ALLOWED, "Only GET and HEAD.\n")
            response.headers["Allow"] = "GET, HEAD"
            done(response)
        elif replay := REPLAY.fullmatch(path):
            room, match = parse_match(replay[1])
            code = parse_qs(query).get("code", [None])[0]
            charge(REPLAYING)

            def reply(answer: bytes | NoReplay) -> None:
                if code is not None and isinstance(answer, NoReplay) and not answer.busy:
                    charge(WRONG_CODE)
                done(_bare(method, _replay(answer)))

            self.replays.ask(room, match, code, reply)
        elif invitation := INVITATION.fullmatch(path):
            done(_bare(method, self._invitation(unquote(invitation[1]), charge)))
        else:
            trusted = False
            if path in ("/healthz", "/metrics"):
                charge(FIGURES)
                trusted = visitor.local or self._has_token(request, charge)
            response = _bare(method, self._file_or_figures(path, trusted))
            charge(len(response.body) / BYTES_PER_MICRO)
            done(response)

    def _invitation(self, code: str, charge: Charge) -> Response:
        card = self.invitations(code)
        if card is None:
            charge(WRONG_CODE)
            return sentence(HTTPStatus.NOT_FOUND, NO_INVITATION)
        return _response(HTTPStatus.OK, KINDS[".json"], card)

    def _has_token(self, request: Request, charge: Charge) -> bool:
        if self.admin is None or "Authorization" not in request.headers:
            return False
        is_host = self.admin.is_host(request)
        charge(0 if is_host else WRONG_TOKEN)
        return is_host

    def _file_or_figures(self, path: str, trusted: bool) -> Response:
        """Return a file, or what only this machine and the host are told whole (`trusted`)."""
        if path == "/healthz":
            health = self.health()
            if not trusted:
                health = {"ok": health["ok"]}
            status = HTTPStatus.OK if health["ok"] else HTTPStatus.SERVICE_UNAVAILABLE
            return _response(status, KINDS[".json"], json.dumps(health).encode())
        if path == "/metrics" and not trusted:
            text = "Figures are told to this machine, and to whoever has the host's token.\n"
            return sentence(HTTPStatus.FORBIDDEN, text)
        if path == "/metrics":
            return _response(HTTPStatus.OK, CONTENT_TYPE_LATEST, self.metrics())
        if path == SOCKET_PATH:
            text = "This address is for WebSockets: see SPEC.md.\n"
            return sentence(HTTPStatus.UPGRADE_REQUIRED, text)
        file = self.files.get(_file(path))
        if file is None:
            return sentence(HTTPStatus.NOT_FOUND, "There is no such page.\n")
        return _response(HTTPStatus.OK, *file)

    def _is_ours(self, host: str) -> bool:
        try:
            name = host_of(host)
            if name == "localhost" or name.endswith((".localhost", ".local")) or name in self.names:
                return True
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True


def _file(path: str) -> str:
    """Return the file of a path; all ladders share one page, which reads the name itself."""
    if path == "/":
        return "/index.html"
    if path == "/admin":
        return "/admin.html"
    if path == "/ladder" or path == LADDER_PATH or _is_ladder(path):
        return "/ladder.html"
    return path


def _is_ladder(path: str) -> bool:
    if not path.startswith(LADDER_PATH):
        return False
    try:
        name = unquote(path[len(LADDER_PATH) :], errors="strict")
        return check_name(name) == name and " " not in name
    except (UnicodeDecodeError, Refusal):
        return False


def _replay(answer: bytes | NoReplay) -> Response:
    if not isinstance(answer, NoReplay):
        return _response(HTTPStatus.OK, KINDS[".json"], answer)
    status = HTTPStatus.SERVICE_UNAVAILABLE if answer.busy else HTTPStatus.NOT_FOUND
    return sentence(status, answer.text)


def _bare(method: str, response: Response) -> Response:
    """Return the response, without its body if only the head was asked for."""
    if method == "HEAD":
        response.body = b""
    return response


def _path(request: Request) -> str:
    return request.path.partition("?")[0]


def _wants_websocket(request: Request) -> bool:
    """Return whether it is a handshake; other protocols that a client offers may be ignored."""
    upgrades = ",".join(request.headers.get_all("Upgrade")).casefold()
    return "websocket" in upgrades or (bool(upgrades) and _path(request) == SOCKET_PATH)


def _is_same(origin: str, visitor: Visitor) -> bool:
    """Return whether a page of this origin came from the server that its visitor speaks to now."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    name = (visitor.forwarded_hosts or visitor.hosts)[-1]
    safe = parts.scheme == "https" or not visitor.secure
    return safe and parts.netloc.casefold() == name.casefold()


def _read(folder: Path) -> dict[str, tuple[str, bytes]]:
    """Read all files of the page once: they are few, and no path from outside reaches the disk."""
    return {
        "/" + path.relative_to(folder).as_posix(): (KINDS[path.suffix], path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix in KINDS
    }


def not_understood() -> Response:
    """Return the answer to what is no request."""
    text = "This server speaks HTTP and WebSocket; it did not understand this request.\n"
    return sentence(HTTPStatus.BAD_REQUEST, text)


def too_much(wait: int) -> Response:
    """Return the refusal for an address that has spent what it may, for `wait` ms."""
    text = "Too much was asked for from here; try again later.\n"
    response = sentence(HTTPStatus.TOO_MANY_REQUESTS, text)
    response.headers["Retry-After"] = str((wait + 999) // 1000)
    return response


def sentence(status: HTTPStatus, text: str) -> Response:
    """Return a response for people to read."""
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
            "X-Frame-Options": "DENY",
            "Cache-Control": "no-cache",
        }
    )
    return Response(status.value, status.phrase, headers, body)
