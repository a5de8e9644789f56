"""The list of rooms and bots that the lobby shows, sent to the connections that follow it.

Rooms announce that something about them has changed.  Only the rows that a list shows are written,
and only when it is due, at most once in `lobby_every_ms`: it costs the same however many rooms are
open.  The list is encoded once for all who follow and for all who ask for it: until something
changes, what was encoded is sent again.

Who follows the changes gets the whole list once, and then what makes the next list of the last one:
the same bytes for all.  So all of them have the same list at any time, and who comes later is given
that one.  The more connections follow, and the more they are sent, the longer is the pause before
the next list (`_pause`); what changes twice meanwhile is told once.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left, insort
from typing import Final, NamedTuple

from msgspec.structs import replace

from protocol.lobby import applied, difference, lines_of
from protocol.messages import Lobby, LobbyChanged, LobbyList
from protocol.parts import RoomLine
from server.config import LOBBY_LIST, PUSH, Config
from server.core import room as rooms
from server.core.events import Who
from server.core.lobby import MAX_LINES, LobbyState
from server.core.room import Room
from server.rooms.directory import RoomDirectory
from server.rooms.peers import EncodedAnswer, Peer, send_all
from server.rooms.wall_clock import WallClock
from server.services.neighbours import OtherServers

SHARE: Final = 0.05  # of a core, at most, that sends lists


class ShownRow(NamedTuple):
    """The row of a room, as it was; `until`: when it is another one by itself, or None."""

    room: Room
    line: RoomLine
    until: int | None


class LobbyFeed:
    """Sends the lobby's list.  It subscribes to `listed`, `changed`, `shown` and `removed`, and
    to the slots that invitations hold.

    `far`: the other servers, where there are some.
    """

    def __init__(
        self,
        lobby: LobbyState,
        clock: WallClock,
        config: Config,
        directory: RoomDirectory,
        far: OtherServers | None = None,
    ) -> None:
        self.lobby = lobby
        self._directory = directory
        self.clock = clock
        self.config = config
        self._far = far
        self.sent = 0  # bytes of lists and changes that were not asked for
        self._followers: set[Peer] = set()  # of whole lists ...
        self._followers_of_changes: set[Peer] = set()  # ... and of changes, who all have `_told`
        self._told: LobbyList | None = None
        self._seq = 0  # of the last list that was told
        self._public: list[int] = []  # the numbers of the public rooms, ascending
        self._rows: dict[int, ShownRow] = {}  # of the rooms in the last list that are as they were
        self._timer: asyncio.TimerHandle | None = None
        self._rest_until = self._owes_until = 0  # ms: see `_pause`
        self._delayed = False  # the next list waits for so many bytes
        # How far matches are, and how long slots are held, is not worth a new list at once.
        every_ms, price = config.lobby_every_ms, LOBBY_LIST
        self._encoded = EncodedAnswer(self._list, price, every_ms)
        self._encoded_told = EncodedAnswer(self._list_told, price)

    @property
    def followers(self) -> int:
        """How many connections follow the lobby, in one way or the other."""
        return len(self._followers) + len(self._followers_of_changes)

    def listed(self, room: Room) -> None:
        """Note that a room is open, though it is not known what it does."""
        self._add(room)

    def changed(self, old: Room | None, new: Room) -> None:
        """Note that a match has begun or ended; only a new room is a reason to send a list."""
        number = new.number
        if new.state == "playing":
            self.lobby.playing.add(number)
        else:
            self.lobby.playing.discard(number)
        if old is None:
            self._add(new)
            self.send_soon()

    def shown(self, room: Room) -> None:
        """Send what those who look on were just sent to those who follow the lobby as well."""
        self.send_soon()

    def removed(self, room: Room) -> None:
        """Take a closed room off the list."""
        number = room.number
        self.lobby.playing.discard(number)
        place = bisect_left(self._public, number)
        if self._public[place : place + 1] == [number]:
            del self._public[place]
        self.send_soon()

    def slot_held(self, bot: Who, room: int, until: int) -> None:
        """Show how many slots a bot has left."""
        self.send_soon()

    def _add(self, room: Room) -> None:
        if room.options.public:
            insort(self._public, room.number)

    def answer(self, peer: Peer, request: Lobby, now: int) -> None:
        """Answer `lobby`: with the list, and every new one or its changes from now on, or no more.

        Who follows the changes gets the list that the others have, and soon what is new.
        """
        self.forget(peer)
        if request.follow != "changes":
            if request.follow:
                self._followers.add(peer)
            self._encoded.send(peer, request.id, now)
            return
        if self._told is None:  # a number that no earlier list had, of no earlier server either
            self._tell(replace(self._list(), seq=max(self._seq + 1, now)))
        else:
            self._set_timer()
        self._followers_of_changes.add(peer)
        self._encoded_told.send(peer, request.id, now)

    def forget(self, peer: Peer) -> None:
        """Forget a connection that is gone, or follows no more."""
        self._followers.discard(peer)
        self._followers_of_changes.discard(peer)
        if not self._followers_of_changes:
            self._told = None

    def send_soon(self) -> None:
        """Send a new list soon: rooms or bots have come, gone or changed."""
        self._encoded.changed()
        if self._followers or self._followers_of_changes:
            self._set_timer()

    def _set_timer(self) -> None:
        if self._timer is None:
            now = self.clock.now()
            wait_ms = max(self.config.lobby_every_ms, self._rest_until - now)
            owes_ms = self._owes_until - now
            self._delayed = owes_ms > wait_ms
            self._timer = self.clock.call_later(max(wait_ms, owes_ms) / 1000, self._send)

    def rows_changed(self) -> None:
        """Have the list written anew for the next who asks."""
        self._encoded.changed()

    def _send(self) -> None:
        self._timer = None
        if not self.followers:  # the last one has gone meanwhile
            return
        lobby = self._list()
        sent = send_all(self._followers, lobby, "lobby") if self._followers else 0
        if self._told is not None and (news := self._news(self._told, lobby)) is not None:
            sent += send_all(self._followers_of_changes, news)
        self.sent += sent
        self._pause(sent)

    def _news(self, told: LobbyList, lobby: LobbyList) -> LobbyChanged | LobbyList | None:
        """Return what makes this list of the one that was told, which is `told` from now on.

        It is the whole list where more has changed than that has lines.  How far matches are is
        left out while there is much else to tell.
        """
        change = difference(told, lobby, small=not self._delayed)
        if change is None:
            return None
        if lines_of(change) > len(lobby.rooms) + len(lobby.bots) + len(lobby.people):
            return self._tell(replace(lobby, seq=change.seq))
        self._tell(applied(told, change))
        return change

    def _tell(self, lobby: LobbyList) -> LobbyList:
        self._told, self._seq = lobby, lobby.seq or 0
        self._encoded_told.changed()
        return lobby

    def _list_told(self) -> LobbyList:
        if self._told is None:
            raise AssertionError("who follows the changes has been told a list")
        return self._told

    def _pause(self, sent: int) -> None:
        """Send nothing for a while: the longer, the more follow, and the more bytes were sent."""
        now, followers, config = self.clock.now(), self.followers, self.config
        rate = max(config.lobby_bytes, followers * config.lobby_follower_bytes)
        self._rest_until = now + int(followers * PUSH / 1000 / SHARE)
        self._owes_until = now + sent * 1000 // rate

    def _list(self) -> LobbyList:
        now = self.clock.now()
        lines, total = self.own_rows(now), len(self._public)
        if self._far is not None:
            lines = sorted((*lines, *self._far.rows()), key=lambda line: -line.room)[:MAX_LINES]
            total += self._far.total()
        return self.lobby.listing(now, lines, total)

    def own_rows(self, now: int) -> list[RoomLine]:
        """Return the rows of the newest public rooms of this server, the newest first."""
        rows, total = self._newest(now), -1
        while total != len(self._public) and len(rows) < min(MAX_LINES, len(self._public)):
            total = len(self._public)  # it is less once one has gone that could not be read
            rows = self._newest(now)
        self._rows = rows
        return [row.line for row in rows.values()]

    def own_total(self) -> int:
        return len(self._public)

    def _newest(self, now: int) -> dict[int, ShownRow]:
        """Return the rows of the newest public rooms, the newest first."""
        rows: dict[int, ShownRow] = {}
        for number in self._public[: -MAX_LINES - 1 : -1]:
            room, row = self._directory.near(number, self.send_soon), self._rows.get(number)
            if room is None:
                continue
            if row is not None and row.room is room and (row.until is None or now < row.until):
                rows[number] = row
            else:
                until = rooms.position_until(room)
                until = until if until is not None and now < until else None
                rows[number] = ShownRow(room, rooms.lobby_row(room, now), until)
        return rows

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
