"""What all servers are told of this one: its rooms, its rows in the lobby, logins, the host's acts.

Each server keeps what it is told: which rooms there are and who sits there, and everybody's names.
What happens in a room stays with its owner.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from typing import Final

from msgspec.structs import replace

from protocol.parts import RoomLine
from server.cluster.core.membership import MemberKey
from server.cluster.far import FarServer
from server.cluster.line.signals import (
    LobbyRows,
    NameLinked,
    RoomGone,
    RoomHead,
    SessionForgotten,
    SessionStored,
    Signal,
)
from server.cluster.members import FarServers
from server.core.room import Room
from server.core.session import Device, Session
from server.hub import Hub
from server.rooms.directory import FarRoom
from server.rooms.peers import Delivery
from server.rooms.snapshot import of_room, read_snapshot, write_snapshot
from server.services.presences import Presences

log = logging.getLogger("plyhouse")
ARRIVAL_MS: Final = 2_000  # after which a room that was handed over should be with its new owner


class Replication:
    """Tells other servers of this one, and keeps what they tell.

    It subscribes to `listed`, `changed`, `reseated`, `shown` and `removed`, and to sessions' news.
    `moved` is called with the number of a room that has another owner now, and its code.
    """

    def __init__(
        self,
        servers: FarServers,
        hub: Hub,
        presences: Presences,
        moved: Callable[[int, str | None], None],
    ) -> None:
        self.servers = servers
        self.hub = hub
        self.rooms = hub.rooms
        self.lobby = hub.lobby
        self.feed = hub.services.lobby_feed
        self.presences = presences
        self._moved = moved
        self._giving = 0  # the room that is being handed over in this moment
        self._told: dict[int, RoomLine] = {}  # the rows that others have of our rooms
        self._told_total = 0
        self._timer: asyncio.TimerHandle | None = None

    # ------------------------------------------------------------ what others are told

    def whole(self) -> Iterator[Signal]:
        """Yield all that a server has to know of the rooms here when a line to it is up."""
        for actor in list(self.rooms.actors.values()):
            if actor.room.state != "closed" and actor.room.seq:
                yield self._head(actor.room)
        for number, snapshot in list(self.rooms.unloaded.items()):
            yield self._head(snapshot.unloaded(number))
        yield LobbyRows(tuple(self._told.values()), (), self._told_total)

    def _head(self, room: Room) -> RoomHead:
        match = room.playing()
        body = write_snapshot(of_room(room, None))
        name = match.name if match is not None else None
        return RoomHead(room.number, body, room.state, name, room.rests)

    def listed(self, room: Room) -> None:
        """Tell all of a room that was taken over and has not been read."""
        self.tell(room)
        self._tell_rows_soon()

    def tell(self, room: Room) -> None:
        self.servers.tell_all(self._head(room))

    def changed(self, old: Room | None, new: Room) -> None:
        """Tell all of a new room, and of one where a match has begun or ended."""
        if (old is None or old.state != new.state) and new.state != "closed":
            self.tell(new)

    def reseated(self, old: Room | None, new: Room) -> None:
        if old is not None and new.state != "closed":
            self.tell(new)

    def rows_changed(self, old: Room | None, new: Room) -> None:
        """Note that the lobby's row of a room may be another one."""
        self._tell_rows_soon()

    def shown(self, room: Room) -> None:
        """Note that the lobby's row of a room may be another one; tell whether a bot's slot is."""
        if room.state == "playing" and any(who and who.program for who in room.seats):
            self.tell(room)
        self._tell_rows_soon()

    def removed(self, room: Room) -> None:
        if room.number != self._giving:
            self.servers.tell_all(RoomGone(room.number))
        self._tell_rows_soon()

    def give(self, number: int, key: MemberKey) -> list[Delivery]:
        """Know a room as another server's that was ours; return what waited for its turn there."""
        room = self.rooms.actors[number].room
        match = room.playing()
        self._giving = number
        try:
            waiting = self.rooms.give_up(number)
        finally:
            self._giving = 0
        name = match.name if match is not None else None
        known = _far(of_room(room, None).unloaded(number), room.state, room.rests)
        self.note(number, FarRoom(key, known, name, self._arrives()))
        return waiting

    def _tell_rows_soon(self) -> None:
        if self._timer is None:
            wait_s = self.hub.config.lobby_every_ms / 1000
            self._timer = self.rooms.clock.call_later(wait_s, self._tell_rows)

    def _tell_rows(self) -> None:
        """Tell all which rows of the lobby are others than they were told last."""
        self._timer = None
        now = {line.room: line for line in self.feed.own_rows(self.hub.now())}
        rows = tuple(line for number, line in now.items() if self._told.get(number) != line)
        gone = tuple(number for number in self._told if number not in now)
        total = self.feed.own_total()
        if rows or gone or total != self._told_total:
            self._told, self._told_total = now, total
            self.servers.tell_all(LobbyRows(rows, gone, total))

    def stored(self, session: Session, before: Session | None) -> None:
        """Tell all of a login as it was stored."""
        other = before.number if before is not None and before.number != session.number else 0
        self.servers.tell_all(
            SessionStored(
                session.number, session.name, session.token, session.seen, session.guest,
                session.recovery, session.played, other, session.devices,
            )
        )  # fmt: skip

    def forgotten(self, number: int) -> None:
        self.servers.tell_all(SessionForgotten(number))

    def linked(self, number: int, code: str, until: int) -> None:
        self.servers.tell_all(NameLinked(number, code, until))

    # ------------------------------------------------------------ what others tell

    def head(self, far: FarServer, signal: RoomHead) -> None:
        """Note a room of another server."""
        number, rooms = signal.room, self.rooms
        far.stale.discard(number)
        snapshot = read_snapshot(signal.body)
        if snapshot is None:
            log.error("room %d: what another server says of it cannot be read", number)
            return
        if number in rooms.actors or number in rooms.unloaded:
            log.error("room %d: another server has it, too; the log knows whose it is", number)
            return
        known = rooms.far.get(number)
        room = _far(snapshot.unloaded(number), signal.state, signal.rests)
        self.note(number, FarRoom(far.key, room, signal.match))
        if known is not None and (known.owner != far.key or known.arrives):
            self._moved(number, room.code)

    def handed(self, number: int, key: MemberKey) -> None:
        """Note that a room of one server is another's from now on."""
        known = self.rooms.far.get(number)
        if known is not None and known.owner != key:  # else its owner has told so already
            self.rooms.far[number] = known._replace(owner=key, arrives=self._arrives())

    def _arrives(self) -> int:
        return self.hub.now() + ARRIVAL_MS

    def note(self, number: int, far: FarRoom) -> None:
        """Know of a room of another server, or know better than before."""
        rooms, room = self.rooms, far.room
        known = rooms.far.get(number)
        old = known.room if known is not None else None
        rooms.far[number] = far
        rooms.unknown.pop(number, None)
        rooms.saw_number(number)
        if room.code is not None:
            self.lobby.codes[room.code] = number
        if room.state == "playing":
            self.lobby.playing.add(number)
        else:
            self.lobby.playing.discard(number)
        if old is None or old.seats != room.seats:
            self.presences.reseated(old, room)
            self.hub.services.ladders.reseated(old, room)
        self.presences.shown(room)
        self.hub.services.seeking.listed(room)
        if old is None:
            self.hub.admission.listed(room)
        elif old.state == "playing" != room.state and room.options.rated and room.leg is None:
            self.hub.services.past.rater.ended_elsewhere(room.game)

    def gone(self, far: FarServer, signal: RoomGone) -> None:
        """Let go of a room that another server has closed."""
        known = self.rooms.far.get(signal.room)
        if known is not None and known.owner == far.key:
            self.drop(signal.room)
            self._moved(signal.room, None)  # who was not told by its owner asks

    def drop(self, number: int) -> FarRoom | None:
        """Let go of a room of another server."""
        known = self.rooms.far.pop(number, None)
        if known is None:
            return None
        room = known.room
        if room.code is not None and self.lobby.codes.get(room.code) == number:
            del self.lobby.codes[room.code]
        self.lobby.playing.discard(number)
        self.presences.removed(room)
        self.hub.admission.removed(room)
        self.hub.services.seeking.removed(room)
        return known

    def rows_told(self, far: FarServer, signal: LobbyRows) -> None:
        """Keep the rows of another server's rooms; how far matches are is not worth a new list."""
        is_news = bool(signal.gone) or signal.total != far.total
        for number in signal.gone:
            far.lines.pop(number, None)
        for line in signal.rows:
            old = far.lines.get(line.room)
            is_news |= old is None or (old.state, old.seats) != (line.state, line.seats)
            far.lines[line.room] = line
        far.total = signal.total
        if is_news:
            self.feed.send_soon()
        else:
            self.feed.rows_changed()

    def session_stored(self, far: FarServer, signal: SessionStored) -> None:
        """Keep a login that another server has stored."""
        names = self.lobby.names
        before = names.sessions.get(signal.before)
        if before is not None:
            names.drop(before)
        names.take(
            Session(
                signal.number, signal.name, signal.token, signal.seen, signal.guest,
                signal.recovery, signal.played, self._devices(signal),
            )
        )  # fmt: skip

    def _devices(self, signal: SessionStored) -> tuple[Device, ...]:
        """Return the devices of a login; an older server tells of the first one's token only."""
        if signal.devices is not None:
            return signal.devices
        known = self.lobby.names.sessions.get(signal.number)
        return known.devices if known is not None and known.token == signal.token else ()

    def session_forgotten(self, far: FarServer, signal: SessionForgotten) -> None:
        """Forget a login that another server has forgotten."""
        session = self.lobby.names.sessions.get(signal.number)
        if session is not None:
            self.lobby.names.drop(session)

    def name_linked(self, far: FarServer, signal: NameLinked) -> None:
        """Let a code link a device that another server has given out."""
        self.lobby.names.link_until(signal.number, signal.code, signal.until, self.hub.now())

    def all_told(self, far: FarServer) -> list[int]:
        """Let go of the rooms that a server has not told of since the line is up; return them."""
        stale, far.stale = far.stale, set()
        gone = [number for number in self.rooms_of(far.key) if number in stale]
        for number in gone:
            self.drop(number)
        return gone

    def begin(self, far: FarServer) -> None:
        """A line is up: whatever is known of the server's rooms is to be told again."""
        far.stale = {number for number, room in self.rooms.far.items() if room.owner == far.key}
        far.lines, far.total = {}, 0

    def parted(self, far: FarServer) -> None:
        """List no rooms of a server to which there is no line."""
        if far.lines or far.total:
            far.lines, far.total = {}, 0
            self.feed.send_soon()

    def rooms_of(self, key: MemberKey) -> list[int]:
        """Return the rooms that a member has, as far as is known here."""
        return [number for number, room in self.rooms.far.items() if room.owner == key]

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()


def _far(unloaded: Room, state: str, rests: bool) -> Room:
    """Return as much of a room of another server as is known of it."""
    return replace(unloaded, state=state, rested=unloaded.seq if rests else -1)
