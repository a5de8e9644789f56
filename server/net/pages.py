"""Answers plain HTTP: the pages, replays, /healthz and /metrics; and decides who may upgrade.

A browser lets any page talk to any server, so an upgrade is refused unless the page came from this
server (Origin's host is Host, and its scheme https where that is known).  Host must be a name of
this server: otherwise a stranger's name that points at a private address would pass (DNS
rebinding).  Which server this is and what it does is told to this machine alone.
"""

from __future__ import annotations

import ipaddress
import json
import logging
import re
from collections.abc import Callable, Iterable
from http import HTTPStatus
from pathlib import Path
from typing import NamedTuple, TypeAlias
from urllib.parse import parse_qs, unquote, urlsplit

from websockets.datastructures import Headers
from websockets.http11 import Request, Response
from websockets.server import ServerProtocol

from protocol.errors import Refusal
from protocol.notation import parse_match
from server.config import (
    BYTES_PER_MICRO,
    FIGURES,
    HANDSHAKE,
    IMPORTING,
    PAGE,
    REPLAYING,
    WRONG_CODE,
    WRONG_TOKEN,
)
from server.core.session import check_name
from server.downloads.downloads import Downloads, OfferedFile
from server.imports.imports import Imported, Imports, NotImported
from server.net import exports
from server.net.admin_api import PATH as ADMIN_PATH
from server.net.admin_api import AdminApi, Document
from server.net.exports import Download
from server.net.http.files import Site
from server.net.http.preferences import takes_html
from server.net.http.responses import JSON, answer, sentence
from server.net.proxies import ClientInfo, Proxies, host_of
from server.net.replays import MatchDocument, NoReplay, ReplayRequest, ReplayService

SOCKET_PATH = "/ws"
LADDER_PATH = "/ladder/"
PERSON_PATH = "/person/"
MISSING = "/missing.html"
METRICS_PATH = "/metrics"
HOUSE_PATH = "/house"
MAX_NAME, MAX_NONCE = 100, 64  # characters
log = logging.getLogger("plyhouse")
HEALTH = {"/healthz": "", "/healthz/alive": "alive", "/healthz/ready": "ready"}
ICONS = {  # where browsers look without being told
    "/favicon.ico": "/icons/favicon.ico",
    "/apple-touch-icon.png": "/icons/touch.png",
    "/apple-touch-icon-precomposed.png": "/icons/touch.png",
}
FOREIGN = "This page comes from another server.\n"
NAME = r"([1-9][0-9]{0,14}\.[1-9][0-9]{0,14})"
REPLAY = re.compile(rf"/replay/{NAME}(\.json)")
MATCH = re.compile(rf"/match/{NAME}")
BOARD = re.compile(r"/board(?:/[a-z][a-z0-9_]{0,63})?")  # an analysis board: of a game, or of any
EXPORT = re.compile(rf"/match/{NAME}\.({'|'.join(exports.FORMATS)})")
IMPORT_PATH = "/import"
IMPORT = re.compile(rf"{IMPORT_PATH}(?:\.({'|'.join(exports.FORMATS)}))?")
INVITATION = re.compile(r"/invitation/([^/]{1,64})\.json")
NO_INVITATION = "No room has this code: it was typed wrongly, or the room is closed.\n"
NO_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")
Done: TypeAlias = Callable[[Response], None]
Charge: TypeAlias = Callable[[float], None]  # microseconds, as in server/config.py


class MatchFiles(NamedTuple):
    """What hands out matches as documents and files, and what reads those that people bring."""

    replays: ReplayService
    imports: Imports


class Pages:
    """Answers HTTP requests.  `health` and `metrics` are called for each request of them; `health`
    is given which kind is asked for, one of HEALTH.  `house` says which server this is, and proves
    it to who knows a name here: see protocol/devices.py.

    `invitations` returns the JSON of the private room with a code, or None if there is none.
    """

    def __init__(
        self,
        folder: Path | None,
        names: Iterable[str],
        health: Callable[[str], dict[str, object]],
        metrics: Callable[[], bytes],
        matches: MatchFiles,
        proxies: Proxies,
        invitations: Callable[[str], bytes | None],
        house: Callable[[str, str, tuple[str, str]], dict[str, object]],
        admin: AdminApi,
        downloads: Downloads,
    ) -> None:
        self.proxies = proxies
        self.invitations = invitations
        self.house = house
        self.site = Site(folder)
        self.names = {name.casefold() for name in names}
        self.health = health
        self.metrics = metrics
        self.replays, self.imports = matches
        self.admin = admin
        self.downloads = downloads

    def answer(
        self,
        request: Request,
        server: ServerProtocol,
        client: ClientInfo,
        crowded: Callable[[], bool],
        charge: Charge,
        done: Done,
        body: bytes = b"",
    ) -> None:
        """Hand `done` the response to a request: a page, the 101 that makes it a WebSocket, or a
        sentence why not.  A replay takes a while, and so does a file that somebody brings;
        everything else is answered at once.

        `crowded()`: refuse WebSockets; pages make room.  `charge` is told what the answer costs.
        """
        charge(PAGE)
        names = [*client.hosts, *client.forwarded_hosts]
        if len(client.hosts) != 1 or not all(map(self._is_ours, names)):
            named = ", ".join(names)[:100]
            text = f"This server does not go by the name {named!r}.\n"
            done(sentence(HTTPStatus.MISDIRECTED_REQUEST, text))
        elif request.path.startswith(ADMIN_PATH):
            self._ask_admin(request, client, charge, done)
        elif request.method == "POST" and (wanted := IMPORT.fullmatch(_path(request))):
            self._import(request, client, wanted[1], body, charge, done)
        elif not _wants_websocket(request):
            self._page(request, client, charge, done)
        elif _path(request) != SOCKET_PATH:
            done(sentence(HTTPStatus.NOT_FOUND, f"WebSockets are at {SOCKET_PATH}.\n"))
        else:
            charge(HANDSHAKE)
            done(self._upgrade(request, server, client, crowded))

    def _ask_admin(self, request: Request, client: ClientInfo, charge: Charge, done: Done) -> None:
        origins = request.headers.get_all("Origin")
        if not all(_is_same(origin, client) for origin in origins):
            done(sentence(HTTPStatus.FORBIDDEN, FOREIGN))
            return

        def reply(document: Document) -> None:
            done(answer(document.status, JSON, document.json))

        self.admin.answer(request, client.host, lambda: charge(WRONG_TOKEN), reply)

    def _import(
        self, request: Request, client: ClientInfo, ending: str | None, body: bytes, charge: Charge,
        done: Done,
    ) -> None:  # fmt: skip
        """Answer with what a file holds, or with the file in the format of an ending."""
        if not all(_is_same(origin, client) for origin in request.headers.get_all("Origin")):
            done(sentence(HTTPStatus.FORBIDDEN, FOREIGN))
            return
        charge(IMPORTING + len(body) / BYTES_PER_MICRO)

        def reply(found: Imported | NotImported) -> None:
            response = _imported(found, ending)
            charge(len(response.body) / BYTES_PER_MICRO)
            done(response)

        self.imports.ask(body, exports.FORMATS[ending] if ending else None, client.host, reply)

    def _upgrade(
        self,
        request: Request,
        server: ServerProtocol,
        client: ClientInfo,
        crowded: Callable[[], bool],
    ) -> Response:
        origins = request.headers.get_all("Origin")  # where a page comes from; programs say none
        if not all(_is_same(origin, client) for origin in origins):
            return sentence(HTTPStatus.FORBIDDEN, FOREIGN)
        if crowded():
            return sentence(HTTPStatus.SERVICE_UNAVAILABLE, "Too many connections from here.\n")
        return server.accept(request)

    def _page(self, request: Request, client: ClientInfo, charge: Charge, done: Done) -> None:
        method = request.method
        path, _, query = request.path.partition("?")
        if method not in ("GET", "HEAD"):
            response = sentence(HTTPStatus.METHOD_NOT_ALLOWED, "Only GET and HEAD.\n")
            response.headers["Allow"] = "GET, HEAD"
            done(response)
        elif replay := REPLAY.fullmatch(path) or EXPORT.fullmatch(path):
            ending = replay[2] if replay.re is EXPORT else ""
            fields = parse_qs(query)
            code = fields.get("code", [None])[0]
            so_far = replay.re is REPLAY and "so_far" in fields
            charge(REPLAYING)

            def reply(found: MatchDocument | NoReplay) -> None:
                if code is not None and isinstance(found, NoReplay) and not found.busy:
                    charge(WRONG_CODE)
                response = _replay(found)
                charge(len(response.body) / BYTES_PER_MICRO)
                done(_bare(method, response))

            wanted = ReplayRequest(*parse_match(replay[1]), ending, so_far)
            self.replays.ask(wanted, code, reply, charge)
        elif self.downloads.has(path):

            def hand(download: OfferedFile | BaseException | None) -> None:
                response = _download(download)
                charge(len(response.body) / BYTES_PER_MICRO)
                done(_bare(method, response))

            self.downloads.ask(path, _origin(client), hand)
        elif path == HOUSE_PATH:
            fields = parse_qs(query)
            name, nonce = (fields.get(field, [""])[0] for field in ("name", "nonce"))
            told = self.house(name[:MAX_NAME], nonce[:MAX_NONCE], client.ends)
            done(_bare(method, answer(HTTPStatus.OK, JSON, json.dumps(told).encode())))
        elif invitation := INVITATION.fullmatch(path):
            done(_bare(method, self._invitation(unquote(invitation[1]), charge)))
        else:
            trusted = False
            if path in HEALTH or path == METRICS_PATH:
                trusted = client.local or self._has_token(request, charge)
                charge(FIGURES if trusted and path == METRICS_PATH else 0)
            response = _bare(method, self._file_or_figures(path, query, request.headers, trusted))
            charge(len(response.body) / BYTES_PER_MICRO)
            done(response)

    def _invitation(self, code: str, charge: Charge) -> Response:
        card = self.invitations(code)
        if card is None:
            charge(WRONG_CODE)
            return sentence(HTTPStatus.NOT_FOUND, NO_INVITATION)
        return answer(HTTPStatus.OK, JSON, card)

    def _has_token(self, request: Request, charge: Charge) -> bool:
        if "Authorization" not in request.headers:
            return False
        is_host = self.admin.is_host(request)
        charge(0 if is_host else WRONG_TOKEN)
        return is_host

    def _file_or_figures(self, path: str, query: str, asked: Headers, trusted: bool) -> Response:
        """Return a file, or what only this machine and the host are told whole (`trusted`)."""
        if path in HEALTH:
            health = self.health(HEALTH[path])
            if not trusted:
                health = {"ok": health["ok"]}
            status = HTTPStatus.OK if health["ok"] else HTTPStatus.SERVICE_UNAVAILABLE
            return answer(status, JSON, json.dumps(health).encode())
        if path == METRICS_PATH and not trusted:
            text = "Figures are told to this machine, and to a client with the host's token.\n"
            return sentence(HTTPStatus.FORBIDDEN, text)
        if path == METRICS_PATH:
            from prometheus_client import CONTENT_TYPE_LATEST  # see metrics.py

            return answer(HTTPStatus.OK, CONTENT_TYPE_LATEST, self.metrics())
        if path == SOCKET_PATH:
            text = "This address is for WebSockets: see SPEC.md.\n"
            return sentence(HTTPStatus.UPGRADE_REQUIRED, text)
        return self.site.respond(_file(path), query, asked) or self._missing(asked)

    def _missing(self, asked: Headers) -> Response:
        """Return the answer where there is nothing: a page for people, a sentence for programs."""
        status, page = HTTPStatus.NOT_FOUND, None
        if takes_html(asked.get_all("Accept")):
            page = self.site.respond(MISSING, "", asked, status)
        return page or sentence(status, "There is no such page.\n")

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
    """Return the file of a path; all ladders, matches and persons share one page for each kind,
    which reads the name itself.
    """
    if path == "/":
        return "/index.html"
    if path == "/admin":
        return "/admin.html"
    if path == "/ladder" or path == LADDER_PATH or _is_ladder(path):
        return "/ladder.html"
    if MATCH.fullmatch(path):
        return "/match.html"
    if BOARD.fullmatch(path):
        return "/board.html"
    if path == "/imported":
        return "/imported.html"
    return "/person.html" if _is_person(path) else ICONS.get(path, path)


def _is_ladder(path: str) -> bool:
    names = _names(path, LADDER_PATH)
    return len(names) == 1 and " " not in names[0]


def _is_person(path: str) -> bool:
    """Return whether this is the address of somebody's page: /person/ann, /person/house/mcts."""
    return 0 < len(_names(path, PERSON_PATH)) <= 2


def _names(path: str, folder: str) -> list[str]:
    """Return the names below a folder; none if one of them could be no person's."""
    if not path.startswith(folder):
        return []
    written = path[len(folder) :]
    if NO_ESCAPE.search(written) is not None:  # a browser cannot read it
        return []
    try:
        names = unquote(written, errors="strict").split("/")
        return names if all(check_name(name) == name for name in names) else []
    except (UnicodeDecodeError, Refusal):
        return []


def _replay(replay: MatchDocument | NoReplay) -> Response:
    if isinstance(replay, bytes):
        return answer(HTTPStatus.OK, JSON, replay)
    if isinstance(replay, Download):
        response = answer(HTTPStatus.OK, replay.kind, replay.body)
        response.headers["Content-Disposition"] = exports.disposition(replay.name)
        return response
    status = HTTPStatus.SERVICE_UNAVAILABLE if replay.busy else HTTPStatus.NOT_FOUND
    return sentence(status, replay.text)


def _imported(found: Imported | NotImported, ending: str | None) -> Response:
    if isinstance(found, NotImported):
        status = HTTPStatus.SERVICE_UNAVAILABLE if found.busy else HTTPStatus.UNPROCESSABLE_ENTITY
        return sentence(status, found.text)
    response = answer(HTTPStatus.OK, exports.KINDS[ending or "json"], found.packed)
    response.headers["Content-Encoding"] = "gzip"
    return response


def _download(download: OfferedFile | BaseException | None) -> Response:
    if isinstance(download, BaseException):
        log.error("a download could not be made: %s", download)
        return sentence(HTTPStatus.SERVICE_UNAVAILABLE, "This file cannot be made just now.\n")
    if download is None:
        return sentence(HTTPStatus.NOT_FOUND, "There is no such file to download.\n")
    return answer(HTTPStatus.OK, download.kind, download.data)


def _origin(client: ClientInfo) -> str:
    """Return the address by which a client reaches this server."""
    name = (client.forwarded_hosts or client.hosts)[-1]
    return f"{'https' if client.secure else 'http'}://{name}"


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


def _is_same(origin: str, client: ClientInfo) -> bool:
    """Return whether a page of this origin came from the server that this client speaks to."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    name = (client.forwarded_hosts or client.hosts)[-1]
    safe = parts.scheme == "https" or not client.secure
    return safe and parts.netloc.casefold() == name.casefold()
