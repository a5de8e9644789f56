"""Connections as rooms and services see them: what they ask, and how they are answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import Any, Final, Protocol, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from protocol import codec
from protocol.errors import Code, Refusal
from protocol.messages import Bye, Error, Push, Request
from server.config import BYTES_PER_MICRO, REFUSED, SMALL, WRONG_CODE, Config
from server.core.effects import refusal
from server.core.events import Who
from server.core.lobby import LobbyState, Numbers, Presence, with_number, without_number
from server.core.orders import Order
from server.core.room import Asker
from server.core.session import TokenBucket


class Transport(Protocol):
    """The byte pipe of a connection as the server sees it; sockets.Socket is one.

    `origin`: the address that it counts to, "" where that is not known.
    """

    origin: str

    def push(self, frame: bytes, key: str | None) -> None:
        """Send a built frame; it replaces one with the same key that still waits."""

    def push_in_turn(self, frame: bytes, key: str | None) -> None:
        """Send a built frame as one of many, in the same order, but when there is time for it."""

    def frame(self, payload: bytes, text: bool) -> bytes:
        """Return a payload as the bytes of one frame, the same for all transports."""

    def end(self, code: int, reason: str) -> None:
        """Close after what was pushed."""

    def rest(self, ms: int) -> None:
        """Read nothing more for so long: this peer does not listen."""


AT_ONCE: Final = 4  # who follow a room and are sent a message before anything else is done
# Answers to what may be a guess of a code: of a room, a name, or a ladder.
GUESSES = frozenset({Code.ROOM_WRONG_CODE, Code.SESSION_BAD_LINK, Code.LADDER_NOT_INVITED})


class Peer:
    """One connection.

    `state` is a key of session.LIFE, or "gone" once nothing more comes from it.  `follows` holds
    the numbers of the rooms that it is shown.  `device`: which one of its session's it is on, 0
    where that is not known.  `allowances` are what it pays from: its own, its
    session's, its address's.  If one is spent it is refused what it asks; what `pace` counts only
    delays it.  `plays` are those of its address that cost nothing; `stored` the bytes that its
    address may still have stored today, once it has had some stored: see Disk.  `refusals` counts
    the errors that all connections together were sent, by code.
    """

    __slots__ = (
        "allowances", "device", "follows", "lag", "pace", "plays", "presence", "refusals",
        "rested_at", "rests", "state", "stored", "text", "transport", "unread", "who",
    )  # fmt: skip

    def __init__(
        self,
        transport: Transport,
        allowances: tuple[TokenBucket, ...] = (),
        pace: TokenBucket | None = None,
        plays: tuple[TokenBucket, ...] = (),
        refusals: Counter[str] | None = None,
    ) -> None:
        self.transport = transport
        self.allowances = allowances
        self.pace = pace
        self.plays = plays
        self.stored: tuple[TokenBucket, ...] | None = None
        self.refusals = Counter() if refusals is None else refusals
        self.state = "new"
        self.text = False
        self.lag = 0
        self.unread = 0  # requests in a row that were refused unread
        self.rests = 0  # how often in a row it was not read for a while, and when last
        self.rested_at = 0
        self.who: Who | None = None
        self.device = 0
        self.presence: Presence | None = None
        self.follows: Numbers = ()

    def follow(self, room: int) -> None:
        """Note that it is shown a room here."""
        self.follows = with_number(self.follows, room)

    def unfollow(self, room: int) -> None:
        """Note that it is shown a room no more."""
        self.follows = without_number(self.follows, room)

    def hand_over(self, room: int) -> None:
        """Note that it is shown a room by another server from now on."""
        self.follows = without_number(self.follows, room)

    def charge(self, micros: float) -> None:
        """Take what a request has cost from this connection's allowances.

        It may be called at any time, also later than the request, and for a connection that has
        gone: its session and its address go on paying.  Nothing is refused here; the next request
        is, if nothing is left.  Who reads the log says `peer.charge(price_of_read(size))` with the
        bytes of the rows that were read; what is sent is charged by `send`.

        Args:
            micros: microseconds of the server's CPU.
        """
        for allowance in self.allowances:
            allowance.level -= micros
        if self.pace is not None:
            self.pace.level -= micros

    def frame(self, message: Push) -> bytes:
        """Return a message as one frame in this connection's encoding."""
        return self.transport.frame(codec.encode(message, self.text), self.text)

    def send(self, message: Push, key: str | None = None) -> None:
        """Encode one message and send it; a long one costs this connection its bytes."""
        self.send_payload(codec.encode(message, self.text), key)

    def send_payload(self, payload: bytes, key: str | None = None) -> None:
        """Send one encoded message; a long one costs this connection its bytes."""
        if len(payload) > SMALL:
            self.charge(len(payload) / BYTES_PER_MICRO)
        self.transport.push(self.transport.frame(payload, self.text), key)

    def notify(self, message: Push) -> None:
        """Send what this connection has not asked for, and does not pay."""
        self.transport.push(self.frame(message), None)

    def refuse(self, no: Refusal, re: int | None) -> None:
        """Answer a request with a refusal, which costs something, also if no client hears it."""
        self.charge(WRONG_CODE if no.code in GUESSES else REFUSED)
        if self.state != "gone":
            self.send_error(refusal(no), re)

    def send_error(self, error: Error, re: int | None = None) -> None:
        """Send an error, and count it."""
        self.refusals[error.code] += 1
        self.send(with_re(error, re))

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
        return Asker(self.who or self.me(), self.lag, room in self.follows)


Refused: TypeAlias = Callable[[Refusal], None] | None  # called in place of an answer


class Delivery(Struct, frozen=True):
    """A message for a room; a request also has the connection that is to be answered.

    `refused` is called in place of that, where the room says no.
    """

    message: Request | Order
    asker: Asker
    peer: Peer | None
    now: int
    refused: Refused = None

    @property
    def request(self) -> Request | None:
        """The message, if somebody waits for its answer."""
        return self.message if isinstance(self.message, Request) and self.peer else None

    def answer(self, message: Push) -> None:
        """Send the answer to a request."""
        request = self.request
        if self.peer is not None and request is not None:
            if isinstance(message, Error):
                self.peer.charge(REFUSED)
                self.peer.send_error(message, request.id)
            else:
                self.peer.send(with_re(message, request.id))

    def refuse(self, no: Refusal) -> None:
        """Refuse a request."""
        request = self.request
        if self.refused is not None:
            self.refused(no)
        elif self.peer is not None and request is not None:
            self.peer.refuse(no, request.id)


class EncodedAnswer:
    """An answer that is the same for all who ask, encoded once until it changes.

    `make` builds it without `re`.  The first to ask after a change pays `price` microseconds.
    `version` is a number that is another one after a change; where it does not tell of all of them,
    the answer is written anew when it is `keep_ms` old (None: never).
    """

    def __init__(
        self,
        make: Callable[[], Push],
        price: int,
        keep_ms: int | None = None,
        version: Callable[[], int] = int,
    ) -> None:
        self.make = make
        self.price = price
        self.keep_ms = keep_ms
        self.version = version
        self._payloads: dict[bool, bytes] = {}  # by whether it is JSON
        self._written = (0, 0)  # of which version, and when

    def changed(self) -> None:
        """Have it written anew for the next who asks."""
        self._payloads.clear()

    def send(self, peer: Peer, re: int | None, now: int) -> None:
        """Answer request `re` of a connection."""
        version, at = self._written
        is_old = self.keep_ms is not None and now - at >= self.keep_ms
        if is_old or version != self.version():
            self._payloads.clear()
        payload = self._payloads.get(peer.text)
        if payload is None:
            peer.charge(self.price)
            payload = self._payloads[peer.text] = codec.encode(self.make(), peer.text)
            self._written = (self.version(), now)
        peer.send_payload(payload if re is None else codec.add_re(payload, re, peer.text))


def with_re(message: Push, re: int | None) -> Push:
    """Return a message as the answer to request `re`."""
    return message if re is None else replace(message, re=re)


Route: TypeAlias = Callable[[Peer, Any, int], None]  # peer, request, now


def connections_of(lobby: LobbyState, who: Who) -> list[Peer]:
    """Return the connections of a player."""
    presence = lobby.present.get((who.session, who.program))
    return [link for link in presence.links if isinstance(link, Peer)] if presence else []


def send_in_turn(
    peers: Iterable[Peer], frame_for: Callable[[Peer], bytes], key: str | None = None
) -> int:
    """Send each peer the frame for it, as the event loop has time; return how many bytes."""
    sent = 0
    for peer in peers:
        frame = frame_for(peer)
        peer.transport.push_in_turn(frame, key)
        sent += len(frame)
    return sent


class EncodedPush:
    """One message for many peers, encoded once for each encoding."""

    __slots__ = ("_frames", "_message")

    def __init__(self, message: Push) -> None:
        self._message = message
        self._frames: dict[bool, bytes] = {}

    def frame_for(self, peer: Peer) -> bytes:
        """Return it as a frame for one connection."""
        frame = self._frames.get(peer.text)
        if frame is None:
            frame = self._frames[peer.text] = peer.frame(self._message)
        return frame


def send_all(peers: Iterable[Peer], message: Push, key: str | None = None) -> int:
    """Send one message to many peers, the first few at once; return the bytes sent."""
    everybody, frame_for, sent = list(peers), EncodedPush(message).frame_for, 0
    for peer in everybody[:AT_ONCE]:
        frame = frame_for(peer)
        peer.transport.push(frame, key)
        sent += len(frame)
    return sent + send_in_turn(everybody[AT_ONCE:], frame_for, key)


def check_inbox(inbox: Collection[Delivery], peer: Peer, config: Config) -> None:
    """Refuse one request too many of those that wait in a room.

    Raises:
        Refusal: room/busy.
    """
    own = sum(1 for delivery in inbox if delivery.peer is peer)
    if len(inbox) >= config.inbox or own >= config.inbox_per_session:
        raise Refusal(Code.ROOM_BUSY, "too many requests wait in this room; ask again in a moment")
