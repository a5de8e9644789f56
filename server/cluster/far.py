"""Another server as this one sees it: the connections that are there, and the line to it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from protocol.parts import RoomLine
from server.cluster.core.membership import MemberKey
from server.cluster.line.outbox import Outbox
from server.cluster.line.signals import (
    PeerCharged,
    PeerEnded,
    PeerFollows,
    PeerRested,
    RequestReturned,
)
from server.core.room import Room
from server.core.session import TokenBucket
from server.rooms.peers import Peer


class Framing(NamedTuple):
    """How a payload is made a frame, and found in one: as sockets do."""

    frame: Callable[[bytes, bool], bytes]
    payload_of: Callable[[bytes], bytes]


class FarServer:
    """One other member.

    `outbox`: of the line to it, None while there is none; `peers`: its connections, by number;
    `lines`: the rows of its newest rooms, of `total` public ones; `unanswered`: by connection of
    our own, the ids of the requests that it was sent and has not answered, each with when that was
    by a counter of ns; `stale`: rooms of its that it has not told of since the line is up;
    `waiting`: until those here are sent on who play there, while there is no line; `has_told`: see
    LogWentBack; `rules`: the versions by which it knows each game, None if it has not said;
    `is_silent`: it does not answer, or there is no line; `asked`: when it forwarded something last,
    in ms.
    """

    def __init__(self, key: MemberKey, framing: Framing) -> None:
        self.key = key
        self.framing = framing
        self.url = ""
        self.outbox: Outbox | None = None
        self.peers: dict[int, Peer] = {}
        self.lines: dict[int, RoomLine] = {}
        self.total = 0
        self.unanswered: dict[int, dict[int, int]] = {}
        self.stale: set[int] = set()
        self.draining = False
        self.is_silent = False
        self.asked: int | None = None
        self.has_told = False
        self.rules: dict[str, tuple[int, ...]] | None = None
        self.waiting: asyncio.TimerHandle | None = None

    def stop_waiting(self) -> None:
        """Send no client on: there is a line again, or the server is gone."""
        if self.waiting is not None:
            self.waiting.cancel()
            self.waiting = None

    def has_game(self, game: str) -> bool:
        """Return whether it knows a game; a server of an older version may."""
        return self.rules is None or bool(self.rules.get(game))

    def has_rules(self, room: Room) -> bool:
        """Return whether it could go on with a room."""
        match = room.match
        if self.rules is None or match is None:
            return self.has_game(room.game)
        return match.game.rules_version in self.rules.get(room.game, ())

    def lag_ms(self) -> int:
        """Return how long a signal to it is on its way, about."""
        return self.outbox.lag_ms if self.outbox is not None else 0


class FarTransport:
    """The Transport of a connection that another server has: what it is to get goes there."""

    __slots__ = ("_bill", "far", "number", "origin")

    def __init__(self, far: FarServer, number: int, origin: str, bill: TokenBucket) -> None:
        self.far = far
        self.number = number
        self._bill = bill
        self.origin = origin

    def push(self, frame: bytes, key: str | None) -> None:
        self._push(frame, key, False)

    def push_in_turn(self, frame: bytes, key: str | None) -> None:
        self._push(frame, key, True)

    def _push(self, frame: bytes, key: str | None, in_turn: bool) -> None:
        if self.far.outbox is not None:
            self.far.outbox.push(self.number, frame, key, in_turn)
            self.settle()

    def settle(self) -> None:
        """Send the bill for what this connection has asked for, if there is one."""
        micros = -self._bill.level
        if micros > 0 and self.far.outbox is not None:
            self._bill.level = 0.0
            self.far.outbox.send(PeerCharged(self.number, micros))

    def give_back(self, request: bytes) -> None:
        """Have its front ask once more: what it has asked for is elsewhere now."""
        if self.far.outbox is not None:
            self.far.outbox.send(RequestReturned(self.number, request))

    def frame(self, payload: bytes, text: bool) -> bytes:
        """Return the frame that all transports have; its front writes it as it comes."""
        return self.far.framing.frame(payload, text)

    def end(self, code: int, reason: str) -> None:
        if self.far.outbox is not None:
            self.far.outbox.send(PeerEnded(self.number, code, reason))

    def rest(self, ms: int) -> None:
        if self.far.outbox is not None:
            self.far.outbox.send(PeerRested(self.number, ms))


class FarPeer(Peer):
    """A connection of another server, as rooms and services here see it.

    Its front hears which rooms here it is shown.
    """

    __slots__ = ("_far", "_number")

    def __init__(self, far: FarServer, number: int, origin: str) -> None:
        bill = TokenBucket(1.0, 0.0, 0)
        super().__init__(FarTransport(far, number, origin, bill), (bill,))
        self._far = far
        self._number = number

    def follow(self, room: int) -> None:
        super().follow(room)
        self._tell(room, True)

    def unfollow(self, room: int) -> None:
        if room in self.follows:
            super().unfollow(room)
            self._tell(room, False)

    def _tell(self, room: int, on: bool) -> None:
        if self._far.outbox is not None:
            self._far.outbox.send(PeerFollows(self._number, room, on))
