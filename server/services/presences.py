"""Which rooms each player sits in: kept in the lobby as rooms change."""

from __future__ import annotations

from server.core.events import Who
from server.core.lobby import LobbyState
from server.core.orders import Disconnected
from server.core.room import Room
from server.rooms.directory import RoomDirectory


class Presences:
    """Notes who sits where.  It subscribes to `listed`, `reseated`, `shown` and `removed`."""

    def __init__(self, lobby: LobbyState, rooms: RoomDirectory) -> None:
        self.lobby = lobby
        self.rooms = rooms

    def listed(self, room: Room) -> None:
        """Note who sits in a room that is not loaded."""
        for who in room.seats:
            if who is not None:
                self.lobby.presence(who).sit(room.number)
        self.shown(room)

    def shown(self, room: Room) -> None:
        """Note whether a room takes a slot of the bots that sit there."""
        for who in room.seats:
            if who is not None and who.program is not None:
                self.lobby.presence(who).rest(room.number, room.rests)

    def reseated(self, old: Room | None, new: Room) -> None:
        """Note that others sit in a room than before."""
        for who in old.seats if old is not None else ():
            self._unseat(who, new.number)
        for who in new.seats:
            if who is not None:
                self._seat(who, new.number)

    def removed(self, room: Room) -> None:
        """Note that a closed room has no players."""
        for who in room.seats:
            self._unseat(who, room.number)

    def _seat(self, who: Who, number: int) -> None:
        presence = self.lobby.presence(who)
        presence.sit(number)
        actor = self.rooms.actors.get(number)
        if not presence.links and actor is not None:
            # its last connection went while its `join` was being stored
            actor.tell(Disconnected(), who, self.rooms.now())

    def _unseat(self, who: Who | None, number: int) -> None:
        if who is not None:
            presence = self.lobby.presence(who)
            presence.rise(number)
            presence.release(number)
            self.lobby.tidy(presence)
