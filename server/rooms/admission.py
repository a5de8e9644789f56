"""Who may open one more room, and which one gives way to it when the house is full.

The rooms of ladders are counted beside the others, for all whom they are opened for: the owner of
the ladder and those of both bots, by session and by address.  They never give way, so all of them
together may be no more than a share of the house.
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Iterable
from itertools import islice
from typing import Final, NamedTuple

from protocol.errors import Code, Refusal
from server.config import Config
from server.core.absence import DAY_MS, left_at
from server.core.admission.networks import NetworkCounts, networks
from server.core.match import is_hardly_begun
from server.core.orders import Close
from server.core.playing import VACANT_MS
from server.core.room import Room
from server.rooms.actor import RoomActor
from server.rooms.directory import RoomDirectory
from server.rooms.peers import Peer

GAVE_WAY: Final = "nobody played here, and the server needed the place"

MAX_CANDIDATES: Final = 400  # rooms that may give way: to look at all 10,000 takes more than 10 ms
CANDIDATES_MS: Final = 500  # after which it is looked again whether there is an empty one
LADDER_SHARE: Final = 4  # one in so many rooms may be a ladder's
LOADED: Final = 8  # rooms that are read for one that is opened


class Origin(NamedTuple):
    """Whose a room is: the session of its owner, and the address that it was opened from.

    The address is "" once the server has been started again: no log knows it.
    """

    session: int
    address: str


class Concerned(NamedTuple):
    """For whom a room of a ladder is: its owner, and those of both bots; none of the house's."""

    sessions: frozenset[int] = frozenset()
    addresses: frozenset[str] = frozenset()

    def __or__(self, other: Concerned) -> Concerned:
        """Return all of both."""
        return Concerned(self.sessions | other.sessions, self.addresses | other.addresses)


class IdleRoom(NamedTuple):
    """A room that may give way: when it was touched last, and whether somebody was in it."""

    number: int
    touched: int
    is_used: bool


class Admission:
    """Counts the open rooms by where they come from.  It subscribes to `reseated` and `removed`."""

    def __init__(self, rooms: RoomDirectory, config: Config) -> None:
        self._rooms = rooms
        self._config = config
        self._origins: dict[int, Origin] = {}  # by room
        self._by_session: Counter[int] = Counter()
        self._by_address = NetworkCounts()
        self._legs: dict[int, Concerned] = {}  # rooms of ladders: for whom they are
        self._legs_by_session: Counter[int] = Counter()
        self._legs_by_address = NetworkCounts()
        self._candidates: deque[IdleRoom] = deque()  # to give way, the next one first
        self._candidates_until = 0  # those of them that somebody is in

    def check(self, peer: Peer) -> None:
        """Refuse a connection whose owner, or whose address, has as many rooms as it may.

        Raises:
            Refusal: lobby/too-many-rooms.
        """
        config = self._config
        own = self._by_session[peer.me().session]
        if own >= config.rooms_per_session:
            raise _too_many(f"{own} rooms are open that you have opened")
        full = self._by_address.full(peer.transport.origin, config.rooms_per_address)
        if full is not None:
            raise _too_many(f"{full.here} rooms are open that were opened from {full.words}")

    def opened(self, number: int, peer: Peer) -> None:
        """Count a room that this connection opens."""
        self._count(number, Origin(peer.me().session, peer.transport.origin))

    def legs_left(self, concerned: Concerned) -> int:
        """Return how many more rooms ladders may open now for these."""
        most, share = self._config.rooms_per_address, max(2, self._config.rooms // LADDER_SHARE)
        return min(
            share - len(self._legs),
            *(most - self._legs_by_session[session] for session in concerned.sessions),
            *(self._legs_by_address.left(address, most) for address in concerned.addresses),
            most,
        )

    def leg_opened(self, number: int, concerned: Concerned) -> None:
        """Count a room of a ladder."""
        self._legs[number] = concerned
        self._add_leg(concerned, 1)

    def _add_leg(self, concerned: Concerned, rooms: int) -> None:
        for address in concerned.addresses:
            self._legs_by_address.add(address, rooms)
        for session in concerned.sessions:
            self._legs_by_session[session] += rooms
            if not self._legs_by_session[session]:
                del self._legs_by_session[session]

    def reseated(self, old: Room | None, new: Room) -> None:
        """Count a room that was read from the log."""
        if old is not None or new.number in self._origins or new.number in self._legs:
            return
        if new.leg is not None:
            sessions = frozenset(who.session for who in new.seats if who is not None)
            self.leg_opened(new.number, Concerned(sessions))
        else:
            self._count(new.number, Origin(new.owner.session, ""))

    def listed(self, room: Room) -> None:
        """Count a room that is not loaded."""
        self.reseated(None, room)

    def removed(self, room: Room) -> None:
        """Count a closed room no longer."""
        origin = self._origins.pop(room.number, None)
        if origin is not None:
            self._add(origin, -1)
        concerned = self._legs.pop(room.number, None)
        if concerned is not None:
            self._add_leg(concerned, -1)

    def _count(self, number: int, origin: Origin) -> None:
        self._origins[number] = origin
        self._add(origin, 1)

    def _add(self, origin: Origin, rooms: int) -> None:
        self._by_address.add(origin.address, rooms)
        self._by_session[origin.session] += rooms
        if not self._by_session[origin.session]:
            del self._by_session[origin.session]

    def address(self, number: int) -> str:
        """Return from where a room was opened, "" where that is not known."""
        origin = self._origins.get(number)
        return origin.address if origin is not None else ""

    def opened_by(self, sessions: Iterable[int]) -> list[int]:
        """Return the rooms that these sessions have opened, in order."""
        owners = frozenset(sessions)
        return sorted(number for number, each in self._origins.items() if each.session in owners)

    def opened_from(self, network: str) -> list[int]:
        """Return the rooms that were opened from an address, or a network, in order."""
        return sorted(
            number
            for number, each in self._origins.items()
            if network in [own.name for own in networks(each.address)]
        )

    def make_way(self, now: int) -> None:
        """In a full house, close a room without a match.

        It is an empty one, the oldest, be it that a match is on there which was left soon; or one
        whose match was left for a day; or else one never played in, the oldest from the address
        that has opened most.  All rooms are looked at seldom: the empty ones are noted, and the
        others for a moment.
        Right after a start few are loaded for it.

        Raises:
            Refusal: lobby/too-many-rooms, if there is none.
        """
        if self._rooms.total() < self._config.rooms:
            return
        going = self._noted(now) or self._found(now)
        if going is None or _is_used(going.room):
            going = self._load_some(now) or going
        if going is None:
            raise _too_many(f"this server keeps at most {self._config.rooms} rooms")
        going.tell(Close(GAVE_WAY), None, now)

    def _noted(self, now: int) -> RoomActor | None:
        """Return the next of those that were noted for which it is still true."""
        while self._candidates:
            number, touched, is_used = self._candidates.popleft()
            actor = self._rooms.actors.get(number)
            if actor is None or actor.room.touched != touched or not _may_go(actor, now):
                continue
            if _is_used(actor.room) == is_used and (not is_used or now <= self._candidates_until):
                return actor
        return None

    def _found(self, now: int) -> RoomActor | None:
        """Look at all rooms that are loaded; note some, and return the first."""
        used: list[Room] = []
        empty: list[Room] = []
        for actor in self._rooms.actors.values():
            if _may_go(actor, now):
                (used if _is_used(actor.room) else empty).append(actor.room)
        for room in heapq.nsmallest(MAX_CANDIDATES, empty, key=_age):
            self._candidates.append(IdleRoom(room.number, room.touched, False))
        for room in heapq.nsmallest(MAX_CANDIDATES - len(self._candidates), used, key=self._rank):
            self._candidates.append(IdleRoom(room.number, room.touched, True))
        self._candidates_until = now + CANDIDATES_MS
        return self._noted(now)

    def _load_some(self, now: int) -> RoomActor | None:
        """Load rooms until one may go, but few; no connection is in one that was not."""
        unloaded = self._rooms.unloaded
        vacant = (
            number for number, each in unloaded.items() if None in each.seats
        )  # no match is on
        for number in [*islice(vacant, LOADED), *islice(unloaded, LOADED)]:
            self._rooms.room(number)  # it is loaded then
            actor = self._rooms.actors.get(number)
            if actor is not None and _may_go(actor, now) and not _is_used(actor.room):
                return actor
        return None

    def _rank(self, room: Room) -> tuple[float, int, int]:
        """Of rooms that somebody is in, lower gives way sooner; see `make_way`."""
        origin = self._origins.get(room.number)
        opened = self._by_address.weight(origin.address) if origin is not None else 0
        return -opened, room.touched, room.number


def _age(room: Room) -> tuple[bool, int, int]:
    match = room.playing()
    return match is not None and not is_hardly_begun(match), room.touched, room.number


def _may_go(actor: RoomActor, now: int) -> bool:
    """Return whether this room may give way; one that stores something is not idle."""
    room = actor.room
    if actor.busy or actor.stalled:
        return False
    if room.state == "playing":
        return _is_left(room, now)
    return room.state == "waiting" and (room.played == 0 or not _is_used(room))


def _is_left(room: Room, now: int) -> bool:
    """Return whether all have left the match that is on: soon after it began, and for a while, so
    that who means to play on is back, as after a start; or, where no clock ends it soon, for a day.
    """
    match, left = room.match, left_at(room)
    if match is None or left is None or room.leg is not None:
        return False
    clock = match.clock
    is_early = is_hardly_begun(match) and not clock.is_long
    may_last = is_early or clock.is_long or not clock.timed
    return may_last and now - left >= (VACANT_MS if is_early else DAY_MS)


def _is_used(room: Room) -> bool:
    """Return whether somebody is in the room: sits there and is connected, or follows it.

    One whose match goes on without both players is empty, also if there are spectators.
    """
    if room.state == "playing":
        return False
    here = zip(room.seats, room.away, strict=True)
    return room.empty_since is None or any(who is not None and away is None for who, away in here)


def _too_many(text: str) -> Refusal:
    return Refusal(Code.LOBBY_TOO_MANY_ROOMS, text)
