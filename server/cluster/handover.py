"""A server hands all that it has over to the others, while matches go on there.

Rooms go one after the other, a few at a time: each stands still while the log is told whose it is
(see `leave`), and is read by its new owner at once.  Then go the ladders, with their
rooms: all together, as the server that has one has the others.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Final

from server.cluster.cluster import Cluster
from server.cluster.core import membership
from server.cluster.core.membership import ClusterMember, MemberKey
from server.cluster.far import FarServer
from server.cluster.ladders import ladders_move
from server.cluster.lease import LeaseKeeper
from server.cluster.line.signals import LaddersLeft, RoomsRecalled
from server.cluster.member_table import id_of
from server.ladder.actor import LadderActor
from server.rooms.actor import RoomActor
from server.store.contract import Done, HandedRow, Row, Store

log = logging.getLogger("plyhouse")
AT_ONCE: Final = 8  # rooms; their players wait until its new owner has read about as many
ARRIVED_S: Final = 1.0  # after which the next rooms go, also if no server has told of these
RETRY_S: Final = 0.2  # until it is tried again, where no server could take anything
SETTLE_S: Final = 0.005


class Handover:
    """Hands over what one server has."""

    def __init__(self, cluster: Cluster, lease: LeaseKeeper, store: Store) -> None:
        self.cluster = cluster
        self.rooms = cluster.hub.rooms
        self._lease = lease
        self._store = store
        self.handed = 0  # rooms, since the start
        self._given: dict[MemberKey, int] = {}  # rooms that a server got of us
        # Rooms of which the new owner has not told; None: it has handed that back.
        self._on_their_way: dict[int, MemberKey | None] = {}
        self._arrived = asyncio.Event()  # all of those have
        self._slow: set[MemberKey] = set()  # who has not taken what it was handed
        cluster.news.arrived.append(self._told)
        cluster.news.handed.append(self._came_back)
        cluster.news.recalled.append(self._return)

    async def all(self) -> None:
        """Hand over everything; it waits for others as long as none is there.

        What none of those that are can take is left in the log, for one that can.
        """
        self.cluster.drain()
        await self._lease.leave()
        while plain := self._plain():
            for first in range(0, len(plain), AT_ONCE):
                if not await self._hand_some(plain[first : first + AT_ONCE]):
                    await asyncio.sleep(RETRY_S)  # no server is there, or the database is away
                    break
        while self.cluster.ladders.here:
            if not await self._hand_ladders():
                if self._there():
                    break
                await asyncio.sleep(RETRY_S)  # no server is there
        if self.rooms.actors:
            numbers = ", ".join(map(str, sorted(self.rooms.actors)))
            log.warning("left in the log, as no other server takes them now: rooms %s", numbers)

    def _plain(self) -> list[int]:
        """Return the rooms that are to go: all but ladders', and but those that no other server can
        take, though there are some.
        """
        there, able = self._there(), self.able()
        return [
            number
            for number, actor in self.rooms.actors.items()
            if not _is_leg(actor) and (not there or any(far.has_rules(actor.room) for far in able))
        ]

    def _there(self) -> list[FarServer]:
        return [far for far in self.cluster.servers if far.outbox is not None and not far.draining]

    def able(self) -> list[FarServer]:
        """Return the servers that could take rooms: they can read all that this one has written,
        and hand back what they do not take, as one can that says which rules it has.
        """
        versions = {member.key: member.version for member in self._lease.members}
        mine = versions.get(self.cluster.servers.me, 0)
        return [
            far
            for far in self._there()
            if far.rules is not None and far.key not in self._slow
            and membership.may_claim(mine, versions.get(far.key, -1))
        ]  # fmt: skip

    async def _hand_some(self, numbers: Sequence[int]) -> bool:
        """Hand some rooms over; return whether any went."""
        able = self.able()
        if not able:
            return False
        handing = []
        for number in numbers:
            actor = self.rooms.actors.get(number)
            takers = [far for far in able if actor is not None and far.has_rules(actor.room)]
            if actor is not None and takers:
                handing.append(self._hand(actor, self._least(takers)))
        gone = await asyncio.gather(*handing)
        await self._have_arrived()
        return any(gone)

    def _least(self, able: Collection[FarServer]) -> MemberKey:
        """Return who of those that could has the fewest rooms, and count one more for it."""
        keys = [far.key for far in able]
        for key in keys:
            if key not in self._given:
                self._given[key] = len(self.cluster.replication.rooms_of(key))
        key = min(keys, key=lambda key: self._given[key])
        self._given[key] += 1
        return key

    async def _hand(self, actor: RoomActor, key: MemberKey) -> bool:
        """Hand a room to another server; return whether it went."""

        def ask(done: Done) -> None:
            def left(error: Exception | None) -> None:
                if error is None:  # at once: who waits for `done` may be gone
                    self._give(actor.room.number, key)
                done(error)

            leave(actor, id_of(key), left)

        return await _answered(ask) is None

    def _give(self, number: int, key: MemberKey) -> None:
        self.handed += 1
        self._on_their_way[number] = key
        self._arrived.clear()
        self.cluster.give(number, key)

    def _told(self, number: int) -> None:
        self._on_their_way.pop(number, None)
        if not self._on_their_way:
            self._arrived.set()

    async def _have_arrived(self) -> None:
        """Wait until the rooms that went have been told of by their new owners, or are here again,
        as who was handed them does not take them.
        """
        while self._on_their_way:
            try:
                async with asyncio.timeout(ARRIVED_S):
                    await self._arrived.wait()
            except TimeoutError:
                self._recall()

    def _recall(self) -> None:
        """Ask for the rooms back of which their new owners have not told in time.

        What has come back is here by now, or was no server's, as what one had that is gone.
        """
        members = {member.key for member in self._lease.members}
        waiting: dict[MemberKey, list[int]] = {}
        for number, key in list(self._on_their_way.items()):
            if key is None or key not in members:
                self._told(number)
            else:
                waiting.setdefault(key, []).append(number)
        for key, numbers in waiting.items():
            far = self.cluster.servers.find(key)
            self._slow.add(key)
            log.warning(
                "server %d has not taken rooms %s; they are asked back", key.number, numbers
            )
            if far is not None and far.outbox is not None:  # else once there is a line again
                far.outbox.send(RoomsRecalled(tuple(numbers)))

    def _came_back(self, number: int) -> None:
        if number in self._on_their_way:
            self._on_their_way[number] = None

    def _return(self, key: MemberKey, numbers: Sequence[int]) -> None:
        """Hand rooms back to the server that has handed them over, but those being read."""
        for number in self._lease.return_rooms(numbers):

            def done(error: Exception | None, number: int = number) -> None:
                self._lease.returned(number)
                if error is None:
                    self.cluster.hand_back(number, key)

            self._store.append([HandedRow(number, id_of(key))], done)

    # ------------------------------------------------------------ the ladders

    async def _hand_ladders(self) -> bool:
        """Hand over all ladders and their rooms; False if no server can have them now."""
        heir = membership.keeper(self._others())
        far = next((far for far in self.able() if far.key == heir), None)
        legs = [actor.room for actor in self.rooms.actors.values() if _is_leg(actor)]
        if heir is None or far is None or not all(map(far.has_rules, legs)):
            return False
        ladders = self.cluster.hub.services.ladders
        ladders.draining = True
        self.cluster.ladders.leave()
        while not ladders.is_settled():  # noqa: ASYNC110  (nobody tells)
            await asyncio.sleep(SETTLE_S)  # a ladder that was opened just now is being stored
        await asyncio.gather(*[_answered(_held(actor)) for actor in ladders.by_number.values()])
        await self._hand_legs(heir)
        await self._hand_logs(list(ladders.by_number))
        ladders.give_up(ladders_move())
        await self._lease.let_go()
        self.cluster.servers.tell_all(LaddersLeft())
        await self._have_arrived()
        return True

    def _others(self) -> list[ClusterMember]:
        me = self.cluster.servers.me
        return [m for m in self._lease.members if m.key != me and not m.draining]

    async def _hand_legs(self, heir: MemberKey) -> None:
        """Hand over the rooms of ladders, which are held and open no more of them."""
        while legs := [actor for actor in self.rooms.actors.values() if _is_leg(actor)]:
            if not any(await asyncio.gather(*[self._hand(actor, heir) for actor in legs])):
                await asyncio.sleep(RETRY_S)  # the database is away

    async def _hand_logs(self, numbers: Iterable[int]) -> None:
        """Have the log say that ladders are no server's: who has them next finds them there."""
        rows: list[Row] = [HandedRow(number, "") for number in numbers]
        while rows:
            if await _answered(lambda done: self._store.append(rows, done)) is None:
                return
            await asyncio.sleep(RETRY_S)  # the database is away


def leave(actor: RoomActor, owner: str, done: Callable[[Exception | None], None]) -> None:
    """Have the log say that another server, or none, owns a room; `done` hears how that went.

    What is being stored is answered first.  Then the room stands still while the log is told, so
    that nothing is written to it here once it is another server's; what its players ask meanwhile
    waits, and goes along.  If all is well, nothing happens in the room any more: the one who called
    this lets go of it.  Else it goes on as if nothing had been.
    """

    def answered(error: Exception | None) -> None:
        if error is not None:
            actor.busy = False
        done(error)
        if error is not None:
            actor.go_on()

    def begin() -> None:
        if actor.room.state == "closed":
            done(RoomShutMeanwhile(f"room {actor.room.number} is closed"))
            return
        actor.busy = True
        actor.host.store.append([HandedRow(actor.room.number, owner)], answered)

    actor.when_stored(begin)


class RoomShutMeanwhile(Exception):
    """The room was closed before it could leave."""


def _is_leg(actor: RoomActor) -> bool:
    return actor.room.leg is not None


def _held(actor: LadderActor) -> Callable[[Done], None]:
    return lambda done: actor.hold(lambda: done(None))


async def _answered(ask: Callable[[Done], None]) -> Exception | None:
    """Ask for something, and return the answer."""
    answer: asyncio.Future[Exception | None] = asyncio.get_running_loop().create_future()

    def done(error: Exception | None) -> None:
        if not answer.done():  # else no caller waits any more, as this server ends
            answer.set_result(error)

    ask(done)
    return await answer
