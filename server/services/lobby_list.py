"""The list of rooms and bots that the lobby shows, sent to the connections that follow it.

Rooms announce that something about them has changed.  Their rows are only written when a list is
due, at most once in `lobby_every_ms`.  The list is encoded once for all who follow and for all who
ask for it: until something changes, what was encoded is sent again.
"""

from __future__ import annotations

import asyncio

from protocol.messages import Lobby, LobbyList
from server.config import PRICES
from server.core import room as rooms
from server.core.lobby import LobbyState
from server.core.room import Room
from server.rooms.peers import EncodedAnswer, Peer, send_all
from server.rooms.wall_clock import WallClock


class LobbyFeed:
    """Sends the lobby's list.  It subscribes to `changed`, `shown` and `removed`."""

    def __init__(self, lobby: LobbyState, clock: WallClock, every_ms: int) -> None:
        self.lobby = lobby
        self.clock = clock
        self.every_ms = every_ms
        self._followers: set[Peer] = set()
        self._stale: dict[int, Room] = {}  # rooms whose rows are out of date, as they are now
        self._ended: dict[int, Room] = {}  # rooms whose rows show for a while how a match ended
        self._timer: asyncio.TimerHandle | None = None
        # How far matches are, and how long slots are held, is not worth a new list at once.
        self._encoded = EncodedAnswer(self._list, PRICES["lobby list"], every_ms)

    def changed(self, old: Room | None, new: Room) -> None:
        """Note what a room is now; only a new room is a reason to send a list."""
        self._stale[new.number] = new
        if old is None:
            self.send_soon()

    def shown(self, room: Room) -> None:
        """Send what those who look on were just sent to those who follow the lobby as well."""
        self._stale[room.number] = room
        self.send_soon()

    def removed(self, room: Room) -> None:
        """Take a closed room off the list."""
        self._stale.pop(room.number, None)
        self._ended.pop(room.number, None)
        self.lobby.lines.pop(room.number, None)
        self.send_soon()

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
        for number, room in self._stale.items():
            self.lobby.lines[number] = rooms.lobby_row(room, now)
            self._ended.pop(number, None)
            if rooms.position_until(room) is not None:
                self._ended[number] = room
        self._stale.clear()
        for room in [r for r in self._ended.values() if (rooms.position_until(r) or 0) <= now]:
            self.lobby.lines[room.number] = rooms.lobby_row(room, now)
            del self._ended[room.number]
        return self.lobby.listing(now)

    def stop(self) -> None:
        """Send no more lists."""
        if self._timer is not None:
            self._timer.cancel()
