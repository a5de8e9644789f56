"""A visit: the HTTP of one connection, until it ends or becomes a WebSocket.

Requests come one after the other, and each is read when the one before it is answered.  What came
too early waits, unread; so a visitor gets no more answers than it takes.  Between two requests a
connection is idle: it is kept for a while, and is the first to go where others need its place.

A request has no body, but one that brings a file.  websockets reads none that has one, so the line
that says how long it is is not handed on.
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Protocol, cast

from websockets.http11 import Request, Response
from websockets.protocol import SEND_EOF
from websockets.protocol import Protocol as WebSocket
from websockets.server import ServerProtocol

from protocol.devices import end
from server.config import PART, UNREAD
from server.imports.imports import MAX_UPLOAD, TOO_LARGE
from server.net import frames
from server.net.addresses import CountedConnection
from server.net.gateway import Gateway
from server.net.http.responses import body_too_large, last, not_understood, too_large, too_much
from server.net.pages import HOUSE_PATH, IMPORT_PATH
from server.net.proxies import ClientInfo

QUIET: Final = logging.getLogger("plyhouse.websockets")
QUIET.setLevel(logging.ERROR)  # a peer's broken frame is no event of ours
NEWLINE: Final = ord("\n")
A_LINE: Final = 300  # bytes of memory that a line of a request takes beside its own
LONGEST: Final = 8 * 1024  # a line of more bytes is refused by websockets, ended or not
ONLY_TLS: Final = "max-age=2592000"  # for 30 days: also other ports of this name are meant by it
SLICE: Final = 64 * 1024  # bytes of an answer that are handed to asyncio at once
WITH_BODY: Final = f"POST {IMPORT_PATH}".encode()  # how a request begins that may have one
LENGTH: Final = b"content-length"
DIGITS: Final = 12  # of a length that is read at all


@dataclass(slots=True)
class Upload:
    """A request and the client that it is of, with what has come of its body."""

    request: Request
    client: ClientInfo
    length: int
    body: bytearray = field(default_factory=bytearray)


class VisitedConnection(CountedConnection, Protocol):
    """A connection as its visit sees it; see CountedConnection for why it is a Protocol."""

    gateway: Gateway
    transport: asyncio.Transport
    ws: WebSocket | None
    host: str | None
    origin: str
    closing: int | None
    paused: int | None
    visit: Visit | None

    def count_held(self) -> None:
        """Have it counted what is held for this connection."""

    def flush(self) -> None:
        """Send what websockets has to say; after its last word hang up."""

    def write(self, out: list[bytes]) -> None:
        """Send this, the last of which may be SEND_EOF."""

    def keep_behind(self, data: bytes) -> None:
        """Keep what came behind a request until that is answered."""

    def answered(self) -> None:
        """Go on with what was kept."""

    def became_websocket(self) -> None:
        """Go on with frames."""


def handshake(gateway: Gateway) -> ServerProtocol:
    """Return what reads one request, and makes a WebSocket of it if it is a handshake."""
    return ServerProtocol(max_size=gateway.config.max_frame, logger=QUIET)


class Visit:
    """The requests of one connection.

    Of a request it holds `max_head` bytes and some hundreds for each line, and MAX_UPLOAD of what
    it brings, which its address is counted until it is whole; of an answer the slice that is being
    sent, beside the body, which is a file of the server's or has been paid for when it was made.
    Its Socket lets go of it, and of all that, when the connection is lost or becomes a WebSocket.
    """

    __slots__ = (
        "asked", "connection", "cut", "keeps", "length", "lines", "may_have_body", "owed", "size",
        "upload",
    )  # fmt: skip

    def __init__(self, connection: VisitedConnection) -> None:
        self.connection = connection
        self.asked = False  # a request was read; its response is due, or was the last
        self.keeps = False  # whether there may be another request
        self.size = self.lines = 0  # bytes and lines that were read of the next request
        self.cut = b""  # the begin of a line whose end is not there
        self.may_have_body = False  # whether the next request's first line says so
        self.length = 0  # bytes of its body
        self.upload: Upload | None = None  # a request whose body is being read
        self.owed: memoryview | None = None  # what is left to send of the answer

    def read(self, data: bytes) -> bytes:
        """Read what has come.

        Returns:
            What came behind a handshake: frames.
        """
        connection = self.connection
        connection.gateway.begin_request(connection)
        if connection.closing is None and (wait := connection.address.debt_ms()):
            self._refuse(wait)
            return b""
        if self.upload is not None:
            return self._read_body(self.upload, data)
        # Line by line: ServerProtocol would take what comes behind a request for frames.
        data, at = self.cut + data, 0
        while at < len(data) and connection.closing is None:
            end = data.find(b"\n", at) + 1
            if not end and len(data) - at <= LONGEST:
                break
            end = end or len(data)
            server = self._server()
            server.receive_data(self._without_length(data[at:end]))
            self.size, self.lines, at = self.size + end - at, self.lines + 1, end
            for request in server.events_received():
                self.size, self.lines, self.cut = 0, 0, b""
                connection.count_held()  # before it may be another address's
                self._answer(cast(Request, request))
                return self._read_behind_head(data[at:])
            if server.handshake_exc is not None and self.length > MAX_UPLOAD:
                self._end_with(body_too_large(TOO_LARGE))
            elif server.handshake_exc is not None:
                self._misunderstood()
            elif self.size > connection.gateway.config.max_head:
                self._end_with(too_large(connection.gateway.config.max_head))
        self.cut = data[at:]
        connection.count_held()
        connection.address.charge(PART)
        return b""

    def _without_length(self, line: bytes) -> bytes:
        """Return a line of a request as it is to be read: nothing where it says how long a body is
        that may be there.  A second such line is refused as any other is, and one too long.
        """
        if self.lines == 0:
            self.may_have_body, self.length = line.startswith(WITH_BODY), 0
        name, _, value = line.partition(b":")
        value = value.strip()
        if not self.may_have_body or self.length or name.lower() != LENGTH:
            return line
        if not value.isdigit() or len(value) > DIGITS:
            return line
        self.length = int(value)
        return b"" if self.length <= MAX_UPLOAD else line

    def _read_behind_head(self, data: bytes) -> bytes:
        return self._behind(data) if self.upload is None else self._read_body(self.upload, data)

    def _read_body(self, upload: Upload, data: bytes) -> bytes:
        """Take what has come of a body; once it is whole, have its request answered."""
        connection, before = self.connection, len(upload.body)
        missing = upload.length - before
        upload.body += data[:missing]
        if len(upload.body) // SLICE > before // SLICE:
            connection.opened = connection.gateway.now()  # it comes, be it slowly
        connection.address.charge(PART)
        if len(upload.body) < upload.length:
            connection.count_held()
            return b""
        self.asked, self.upload = True, None
        connection.count_held()
        self._ask(upload.request, upload.client, bytes(upload.body))
        return self._behind(data[missing:])

    def held(self) -> int:
        """Return how many bytes a request that is not whole takes."""
        body = len(self.upload.body) if self.upload is not None else 0
        return self.size + len(self.cut) + A_LINE * self.lines + body

    def end(self) -> bool:
        """There will be no further request; return whether a response is still due."""
        self.keeps = False
        return self.asked and self.connection.closing is None

    def _server(self) -> ServerProtocol:
        """Return what reads the request."""
        return cast(ServerProtocol, self.connection.ws)

    def _refuse(self, wait: int) -> None:
        """Answer a request without reading it: this address has spent what it may."""
        self.connection.address.charge(UNREAD)
        self._end_with(too_much(wait))

    def _end_with(self, response: Response) -> None:
        """Answer without having read a whole request, and close."""
        self.asked = True
        self.connection.write([last(response).serialize(), SEND_EOF])

    def _behind(self, data: bytes) -> bytes:
        """Keep what came behind a request, or return it if it is for a WebSocket."""
        connection = self.connection
        if connection.visit is None:
            return data
        if data and connection.closing is None and not connection.transport.is_closing():
            connection.keep_behind(data)
        return b""

    def _answer(self, request: Request) -> None:
        connection, gateway = self.connection, self.connection.gateway
        self.asked, self.keeps = True, _wants_more(request)
        tls = connection.transport.get_extra_info("ssl_object") is not None
        client = gateway.pages.proxies.client_info(connection.host or "", tls, request.headers)
        if request.path.startswith(HOUSE_PATH):  # no browser asks, and it takes a while
            asked = connection.transport.get_extra_info
            client = client._replace(ends=(end(asked("peername")), end(asked("sockname"))))
        if connection.address is gateway.addresses.proxies:
            self.keeps = False  # the next request may be another visitor's
            connection.host, connection.address = (
                client.host,
                gateway.addresses.from_proxy(client.host),
            )
            connection.origin = connection.address.name
            if wait := connection.address.debt_ms():
                self._refuse(wait)
                return
        if self.length:
            self.asked, self.upload = False, Upload(request, client, self.length)
        else:
            self._ask(request, client, b"")

    def _ask(self, request: Request, client: ClientInfo, body: bytes) -> None:
        gateway, address = self.connection.gateway, self.connection.address
        crowded = partial(gateway.crowded, address)
        gateway.pages.answer(
            request, self._server(), client, crowded, address.charge, self._respond, body
        )

    def _respond(self, response: Response) -> None:
        """Send a response, unless no client waits for it any more."""
        connection = self.connection
        if connection.transport.is_closing():
            return
        if response.status_code == 101:
            self._server().send_response(response)
            connection.flush()
            connection.became_websocket()
            return
        if connection.transport.get_extra_info("ssl_object") is not None:
            response.headers["Strict-Transport-Security"] = ONLY_TLS
        self.keeps = self.keeps and "Connection" not in response.headers
        body, response.body = memoryview(response.body), b""
        head = (response if self.keeps else last(response)).serialize()
        self.owed = body[SLICE:]
        connection.transport.write(head + body[:SLICE])
        self.go_on_writing()

    def go_on_writing(self) -> None:
        """Write as much of an answer as the peer takes; behind it, await a request or hang up."""
        connection, owed = self.connection, self.owed
        if owed is None:
            return
        while owed and connection.paused is None and not connection.transport.is_closing():
            connection.opened = connection.gateway.now()  # it takes what it is given, be it slowly
            connection.transport.write(owed[:SLICE])
            owed = owed[SLICE:]
        self.owed = owed or None
        if self.owed is not None or connection.transport.is_closing():
            return
        if self.keeps:
            frames.let_go(self._server())
            connection.ws = handshake(connection.gateway)
            self.asked = False
            connection.gateway.await_request(connection)
            connection.answered()
        else:
            connection.write([SEND_EOF])

    def _misunderstood(self) -> None:
        """Answer what is no HTTP request, unless websockets has done so itself."""
        out = self._server().data_to_send()
        if out == [SEND_EOF]:
            out.insert(0, last(not_understood()).serialize())
        self.connection.write(out)


def _wants_more(request: Request) -> bool:
    """Return whether a client may ask more on the same connection; not after a handshake."""
    options = ",".join(request.headers.get_all("Connection")).casefold().split(",")
    ending = {"close", "upgrade"} & {option.strip() for option in options}
    return request.protocol == "HTTP/1.1" and not ending
