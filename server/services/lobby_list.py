"""The list of rooms and bots that the lobby shows, sent to the connections that follow it.

Rooms announce that something about them has changed.  Only the rows that a list shows are written,
and only when it is due, at most once in `lobby_every_ms`: it costs the same however many rooms are
open.  The list is encoded once for all who follow and for all who ask for it: until something
changes, what was encoded is sent again.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left, insort
from collections.abc import Callable
from typing import NamedTuple

from protocol.messages import Lobby, LobbyList
from protocol.parts import RoomLine
from server.config import PRICES
from server.core import room as rooms
from server.core.lobby import MAX_LINES, LobbyState
from server.core.room import Room
from server.rooms.peers import EncodedAnswer, Peer, send_all
from server.rooms.wall_clock import WallClock


class ShownRow(NamedTuple):
    """The row of a room as it was written; `until`: when it is another one by itself, or None."""

    line: RoomLine
    until: int | None


class LobbyFeed:
    """Sends the lobby's list.  It subscribes to `slept`, `changed`, `shown` and `removed`.

    `find`: returns an open room by its number; it is handed over once there are rooms.
    """

    def __init__(self, lobby: LobbyState, clock: WallClock, every_ms: int) -> None:
        self.lobby = lobby
        self.clock = clock
        self.every_ms = every_ms
        self.find: Callable[[int], Room | None] = lambda number: None
        self._followers: set[Peer] = set()
        self._public: list[int] = []  # the numbers of the public rooms, ascending
        self._rows: dict[int, ShownRow] = {}  # of the rooms in the last list that are as they were
        self._timer: asyncio.TimerHandle | None = None
        # How far matches are, and how long slots are held, is not worth a new list at once.
        self._encoded = EncodedAnswer(self._list, PRICES["lobby list"], every_ms)

    def slept(self, room: Room) -> None:
        """Note that a room is open, though nobody knows what it does."""
        self._add(room)

    def changed(self, old: Room | None, new: Room) -> None:
        """Note that a room has changed; only a new room is a reason to send a list."""
        number = new.number
        self._rows.pop(number, None)
        if old is not None and old is not new and old.state == new.state:  # such as a move
            return
        if new.state == "playing":
            self.lobby.playing.add(number)
        else:
            self.lobby.playing.discard(number)
        if old is None:
            self._add(new)
            self.send_soon()

    def played(self, room: Room) -> None:
        """Note how far a match is, for whoever asks next."""
        self._rows.pop(room.number, None)

    def shown(self, room: Room) -> None:
        """Send what those who look on were just sent to those who follow the lobby as well."""
        self._rows.pop(room.number, None)
        self.send_soon()

    def removed(self, room: Room) -> None:
        """Take a closed room off the list."""
        number = room.number
        self._rows.pop(number, None)
        self.lobby.playing.discard(number)
        place = bisect_left(self._public, number)
        if self._public[place : place + 1] == [number]:
            del self._public[place]
        self.send_soon()

    def _add(self, room: Room) -> None:
        if room.options.public:
            insort(self._public, room.number)

    def answer(self, peer: Peer, request: Lobby, now: int) -> None:
        """Answer `lobby`: the list as it is, and every new one from now on, or no more."""
        if request.follow:
            self._followers.add(peer)
        else:
            self._followers.discard(peer)
        self._encoded.send(peer, request.id, now)

    def forget(self, peer: Peer) -> None:
        """Forget a connection that is gone."""
        self._followers.discard(peer)

    def send_soon(self) -> None:
        """Send a new list soon: rooms or bots have come, gone or changed."""
        self._encoded.changed()
        if self._followers and self._timer is None:
            self._timer = self.clock.call_later(self.every_ms / 1000, self._send)

    def _send(self) -> None:
        self._timer = None
        send_all(self._followers, self._list(), "lobby")

    def _list(self) -> LobbyList:
        now = self.clock.now()
        rows = self._newest(now)
        while len(rows) < min(MAX_LINES, len(self._public)):  # one of them could not be read
            rows = self._newest(now)
        self._rows = rows
        lines = [row.line for row in rows.values()]
        return self.lobby.listing(now, lines, len(self._public))

    def _newest(self, now: int) -> dict[int, ShownRow]:
        """Return the rows of the newest public rooms, the newest first."""
        rows: dict[int, ShownRow] = {}
        for number in self._public[: -MAX_LINES - 1 : -1]:
            row = self._rows.get(number)
            if row is not None and (row.until is None or now < row.until):
                rows[number] = row
            elif (room := self.find(number)) is not None:
                until = rooms.position_until(room)
                until = until if until is not None and now < until else None
                rows[number] = ShownRow(rooms.lobby_row(room, now), until)
        return rows

    def stop(self) -> None:
        """Send no more lists."""
        if self._timer is not None:
            self._timer.cancel()
