"""Connections as rooms and services see them: what they ask, and how they are answered."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple, Protocol, TypeAlias

from msgspec.structs import replace

from protocol import codec
from protocol.errors import Code, Refusal
from protocol.messages import Bye, Push, Request
from server.core.effects import refusal
from server.core.events import Who
from server.core.lobby import LobbyState, Presence
from server.core.orders import Order
from server.core.room import Asker
from server.core.session import Allowance, Bucket


class Transport(Protocol):
    """The byte pipe of a connection as the server sees it; gateway.Socket is one.

    `origin`: the address that it counts to, "" where that is not known.
    """

    origin: str

    def push(self, frame: bytes, key: str | None) -> None:
        """Send a built frame; it replaces one with the same key that still waits."""

    def frame(self, payload: bytes, text: bool) -> bytes:
        """Return a payload as the bytes of one frame, the same for all transports."""

    def end(self, code: int, reason: str) -> None:
        """Close after what was pushed."""


class Peer:
    """One connection.

    `state` is a key of session.LIFE, or "gone" once nothing more comes from it.  `follows` holds
    the numbers of the rooms that it is shown.  `allowances` pay for what it asks: its own, its
    session's, its address's.
    """

    __slots__ = (
        "allowances", "bucket", "flooded", "follows", "lag", "presence", "state", "text",
        "transport", "who",
    )  # fmt: skip

    def __init__(
        self, transport: Transport, bucket: Bucket, allowances: tuple[Allowance, ...] = ()
    ) -> None:
        self.transport = transport
        self.bucket = bucket
        self.allowances = allowances
        self.state = "new"
        self.text = False
        self.lag = 0
        self.flooded = 0  # messages in a row that were too many
        self.who: Who | None = None
        self.presence: Presence | None = None
        self.follows: set[int] | None = None

    def charge(self, micros: float) -> None:
        """Take what a request has cost from this connection's allowances.

        It may be called at any time, also later than the request, and for a connection that has
        gone: its session and its address go on paying.  Nothing is refused here; the next request
        is, if nothing is left.  Who reads the log says `peer.charge(price_of_read(size))` with the
        bytes of the rows that were read; what is sent is charged elsewhere.

        Args:
            micros: microseconds of the server's CPU.
        """
        for allowance in self.allowances:
            allowance.level -= micros

    def frame(self, message: Push) -> bytes:
        """Return a message as one frame in this connection's encoding."""
        return self.transport.frame(codec.encode(message, self.text), self.text)

    def send(self, message: Push, key: str | None = None) -> None:
        """Encode one message and send it."""
        self.transport.push(self.frame(message), key)

    def refuse(self, no: Refusal, re: int | None) -> None:
        """Answer a request with a refusal; nobody hears it who has gone meanwhile."""
        if self.state != "gone":
            self.send(with_re(refusal(no), re))

    def bye(self, code: Code, text: str, close: int) -> None:
        """Say why, and close with this WebSocket code."""
        self.send(Bye(code=code, text=text))
        self.transport.end(close, code)

    def me(self) -> Who:
        """Return who this is, once it has been welcomed."""
        if self.who is None:
            raise AssertionError("a connection that is not open asks for nothing but a welcome")
        return self.who

    def asker(self, room: int) -> Asker:
        """Return who asks, for the core."""
        return Asker(self.me(), self.lag, self.follows is not None and room in self.follows)


class Delivery(NamedTuple):
    """A message for a room; a request also has the connection that is to be answered."""

    message: Request | Order
    asker: Asker
    peer: Peer | None
    now: int

    @property
    def request(self) -> Request | None:
        """The message, if somebody waits for its answer."""
        return self.message if isinstance(self.message, Request) and self.peer else None

    def answer(self, message: Push) -> None:
        """Send the answer to a request."""
        request = self.request
        if self.peer is not None and request is not None:
            self.peer.send(with_re(message, request.id))

    def refuse(self, no: Refusal) -> None:
        """Refuse a request."""
        request = self.request
        if self.peer is not None and request is not None:
            self.peer.refuse(no, request.id)


def with_re(message: Push, re: int | None) -> Push:
    """Return a message as the answer to request `re`."""
    return message if re is None else replace(message, re=re)


Route: TypeAlias = Callable[[Peer, Any, int], None]  # peer, request, now


def connections_of(lobby: LobbyState, who: Who) -> list[Peer]:
    """Return the connections of a player."""
    presence = lobby.present.get((who.session, who.program))
    return [link for link in presence.links if isinstance(link, Peer)] if presence else []


def send_views(
    peers: Iterable[Peer],
    view_of: Callable[[Peer], Hashable],
    message_for: Callable[[Peer], Push],
    key: str | None = None,
) -> None:
    """Send each peer the message for it, encoded once for all peers with the same view."""
    frames: dict[tuple[Hashable, bool], bytes] = {}
    for peer in peers:
        view = (view_of(peer), peer.text)
        frame = frames.get(view)
        if frame is None:
            frame = frames[view] = peer.frame(message_for(peer))
        peer.transport.push(frame, key)


def send_all(peers: Iterable[Peer], message: Push, key: str | None = None) -> None:
    """Send one message to many peers, encoded once for each encoding."""
    send_views(peers, lambda _: None, lambda _: message, key)
