"""A server's lease: renewed in time, those of others watched, and what they leave taken over.

core/membership.py says what is to be done; here it is asked of the database, over two connections
of their own.  One beats and takes over; the other waits for the lock that the next member in the
ring has while its session is there, so that a process which ends is missed at once.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple, Protocol

from server.cluster.core import membership
from server.cluster.core.membership import GRACE_S, LATE_S, ClusterMember, Lease, MemberKey
from server.cluster.member_table import PRESENT, Connect, MemberTable, take_session_lock
from server.core.events import UnknownRules
from server.store.contract import DatabaseAway, RoomRow
from server.store.postgres.address import is_away, is_lost
from server.store.postgres.node import FORMER, LOCK_MS, process_of, take_lock, timeline_of

log = logging.getLogger("plyhouse")
RETRY_S: Final = 0.2  # after which the database is asked again that did not answer
ANSWER_S: Final = 2.0  # after which it does not
CLOSE_S: Final = 1.0
AT_ONCE: Final = 2_000  # rooms that are claimed by one statement, in far less than ANSWER_S
SWEEP: Final = 10  # beats after which rooms without an owner are looked for in any case


class TakeoverHandler(Protocol):
    """What a server does about members and rooms, as who keeps the lease asks of it.

    joining.py has it, over all that a cluster is; tests have others.
    """

    def expect(self, members: Sequence[ClusterMember]) -> None:
        """Have lines to these members, and to no others."""

    def died(self, key: MemberKey) -> None:
        """Forget a member that is gone."""

    def took_over(self, key: MemberKey) -> None:
        """Tell the others that this server has declared a member dead, before it has its rooms."""

    def renewed(self) -> None:
        """The lease is good again, after it was not; no server has taken over meanwhile."""

    def is_plain(self, row: RoomRow) -> bool:
        """Return whether a room, of known rules, is no ladder's: those go to one together."""

    def is_known(self, row: RoomRow) -> bool:
        """Return whether the rules of a room are here; UnknownRules if not so of a ladder's."""

    async def adopt(self, rows: Sequence[RoomRow]) -> None:
        """Go on with rooms that are this server's now."""

    def absent(self, numbers: Sequence[int]) -> list[int]:
        """Return which of these rooms and ladders, that are this server's, are not here."""

    def lacking(self, numbers: Sequence[int]) -> list[int]:
        """Return which of these rooms, that are this server's, are to be looked at."""

    def has_ladders(self) -> bool:
        """Return whether the ladders are here."""

    def keep_ladders(self) -> None:
        """Have the ladders from now on; all that belongs to them was adopted."""

    def cut_off(self) -> None:
        """This server's lease ran out some time ago: others may have its rooms."""


class EndedSession(NamedTuple):
    """A member whose session has ended: its row then, and when that was."""

    row: ClusterMember
    at: float


class OwnLease:
    """This server's lease, as far as it can know; a LeaseKeeper renews it."""

    def __init__(self, ttl_s: float) -> None:
        self.ttl_s = ttl_s
        self._loop = asyncio.get_running_loop()
        self._lost_at: float | None = None  # when what beats was gone, until it is renewed again
        self.begin()

    def begin(self) -> None:
        """Count it from now: the row of this server has just been written."""
        now = self._loop.time()
        self.value = Lease(now, self.ttl_s, now - self.ttl_s)

    def is_good(self) -> bool:
        """Return whether no other should have taken this server's rooms, as far as it can know.

        It has not run out, and this server's session is there, or was a moment ago.
        """
        now = self._loop.time()
        is_there = self._lost_at is None or now < self._lost_at + GRACE_S
        return is_there and self.value.is_good(now)

    def left_s(self) -> float:
        """Return what is left of it, 0 once it has run out."""
        return max(0.0, self.value.renewed + self.ttl_s - self._loop.time())

    def renew(self, sent: float, is_connected: bool) -> None:
        """Note a renewal that was sent then; the connection may have been lost since."""
        self.value = self.value.renewal(sent)
        if is_connected:
            self._lost_at = None

    def unsettle(self) -> None:
        """Give others the time of a lease to renew theirs, as the database may not know of it."""
        self.value = self.value._replace(since=self._loop.time())

    def lose(self) -> None:
        """Note that the connection that beats is gone."""
        self._lost_at = self._loop.time() if self._lost_at is None else self._lost_at


class LeaseKeeper:
    """Keeps the lease of one server.

    `session`: the connection that shows others that it is there, and beats; `connect` makes others.
    `ended` is called if it is a member no more, once.
    """

    def __init__(
        self, key: MemberKey, lease: OwnLease, session: Any, connect: Connect,
        takeover: TakeoverHandler, ended: Callable[[str], None],
    ) -> None:  # fmt: skip
        self.key = key
        self.lease = lease
        self.members: list[ClusterMember] = []
        self._connect = connect
        self._takeover = takeover
        self._ended = ended
        self._loop = asyncio.get_running_loop()
        lease.begin()
        self._look_at = self._loop.time()  # when it is renewed, and others are looked at
        self._table: MemberTable | None = MemberTable(session, key)
        session.add_termination_listener(self._lost)
        self._hurry = asyncio.Event()  # something has happened: the next beat is now
        self._silent: set[MemberKey] = set()  # whose session has ended
        self._gone: dict[MemberKey, EndedSession] = {}  # what was seen of each then
        self.failures = 0  # beats that failed
        self._beats = 0
        # Of the connection that beats.  What takes too long is given up; to roll it back takes an
        # answer as well, so a beat that waits for that in vain drops the connection.
        self._turn = asyncio.Lock()
        self._former: tuple[int, Any] | None = None  # its process at the database's end
        self._regrouped = asyncio.Event()  # there are other members than before
        self._tasks: list[asyncio.Task[None]] = []
        self._claiming: asyncio.Task[None] | None = None
        self._handed: set[int] = set()  # rooms that another server has handed over
        self._fixed: set[int] = set()  # of these, those that are being read, or handed back
        self._taking: asyncio.Task[None] | None = None
        self._timeline = ""  # of the database that beats go to
        self.leaves = False  # this server takes nothing more
        self._is_over = False  # it is a member no more
        self._draining = False  # what its row says: it has let go of all that it had

    async def begin(self) -> None:
        """Beat once, take what there is to take, and go on with both for ever."""
        if self._table is not None:
            self._former = await process_of(self._table.db)
            self._timeline = await timeline_of(self._table.db)
        await self._beat()
        self._tasks = [
            self._loop.create_task(self._keep_beating()),
            self._loop.create_task(self._keep_watching()),
        ]
        for task in self._tasks:
            task.add_done_callback(self._task_ended)

    def _task_ended(self, task: asyncio.Task[None]) -> None:
        """End this server where what keeps its lease has failed: the others take its rooms."""
        if task.cancelled() or self._is_over:
            return
        if (error := task.exception()) is not None:
            log.error("what keeps this server's lease has failed", exc_info=error)
            self._end("its lease is not kept any more, as the server has a bug")

    def hurry(self) -> None:
        """Beat now: something has happened that others may know of."""
        self._hurry.set()

    async def close(self) -> None:
        """End; the row is given up with the store."""
        others = [task for task in (self._claiming, self._taking) if task is not None]
        tasks = [*self._tasks, *others]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._drop()

    # ------------------------------------------------------------ one's own lease

    async def _keep_beating(self) -> None:
        while not self._is_over:
            wait = max(0.0, self._look_at - self._loop.time())
            with suppress(TimeoutError):
                async with asyncio.timeout(wait if self._table else RETRY_S):
                    await self._hurry.wait()
            self._hurry.clear()
            try:
                await self._beat()
            except Exception as error:  # noqa: BLE001 - the next beat may be better
                self._drop()
                self._look_at = self.lease.value.next_beat()
                self.failures += 1
                _note(error, "a beat of this server has failed: %s")
                self._note_silence()

    def _note_silence(self) -> None:
        if self.lease.value.is_cut_off(self._loop.time()):
            self._takeover.cut_off()

    def _drop(self) -> None:
        if self._table is not None:
            table = self._table
            self._part()
            table.db.terminate()

    def _part(self) -> None:
        self._table = None
        self.lease.lose()

    def _lost(self, db: Any) -> None:
        """The connection that beats is gone: make another one now, before somebody wonders."""
        if self._table is not None and self._table.db is db:
            self._part()
            self.hurry()

    async def _beat(self) -> None:
        """Renew the lease, see who is there, and take over what no server has."""
        async with asyncio.timeout(2 * ANSWER_S), self._turn:
            table = await self._connected()
            sent = self._loop.time()
            alive = await table.beat(self.lease.ttl_s, self._draining)
            members = await table.members() if alive else []
            self._note(alive, sent)
            if not alive:
                return
            self._look_at = membership.next_look(self.lease.value, self._loop.time(), members)
            is_changed = await self._look(table, members)
        self._beats += 1
        idle = (self._claiming is None or self._claiming.done()) and not self.leaves
        if idle and (is_changed or self._beats % SWEEP == 1):
            self._claiming = self._loop.create_task(self._claim(table))

    def _note(self, alive: bool, sent: float) -> None:
        if alive:
            was_good = self.lease.is_good()
            self.lease.renew(sent, is_connected=self._table is not None)
            if not was_good and self.lease.is_good():
                self._takeover.renewed()
        else:
            self._end("the other servers have taken over from this one")

    async def _connected(self) -> MemberTable:
        if self._table is None:
            table = MemberTable(await self._connect(), self.key)
            try:
                if self._former is not None:  # it may seem to be there yet, and have our lock
                    await table.db.execute(FORMER, *self._former)
                await take_session_lock(table.db, self.key)
                timeline = await timeline_of(table.db)
                if timeline != self._timeline:  # what it says of leases may be of a while ago
                    self.lease.unsettle()
                self._timeline = timeline
                self._former = await process_of(table.db)
            except BaseException:
                table.db.terminate()
                raise
            table.db.add_termination_listener(self._lost)
            self._table = table
        return self._table

    def _end(self, why: str) -> None:
        self._is_over = self.leaves = True
        for task in self._tasks:
            if task is not asyncio.current_task():
                task.cancel()
        self._ended(why)

    # ------------------------------------------------------------ those of others

    async def _look(self, table: MemberTable, members: list[ClusterMember]) -> bool:
        """Take over from members that are gone; return whether there are others than before."""
        known = {member.key for member in self.members}
        due = [each for each in members if each.key != self.key and self._is_due(each)]
        for member in due:
            if await table.take_over(member, self.lease.ttl_s):
                log.warning("server %d is gone; its rooms are taken over", member.key.number)
                self._takeover.took_over(member.key)
        if due:  # another server may have been quicker, and this one has its share to take, too
            members = await table.members()
        for member in members:
            if self._has_waited(member.key):
                self._forget(member.key)  # it is there after all
        keys = {member.key for member in members}
        for key in known - keys - {self.key}:
            self._forget(key)
            self._takeover.died(key)
        drained = {member.key for member in self.members if member.draining}
        is_changed = keys != known or any(m.draining and m.key not in drained for m in members)
        self.members = members
        if keys != known:
            self._regrouped.set()
        self._takeover.expect(members)
        return is_changed

    def _is_due(self, member: ClusterMember) -> bool:
        """Return whether a member may be taken over."""
        now = self._loop.time()
        if not self.lease.value.is_settled(now):
            return False
        if member.key in self._silent and member.key not in self._gone:
            self._gone[member.key] = EndedSession(member, now)
        gone = self._gone.get(member.key)
        if gone is None:
            return membership.may_take(member, member, 0.0)
        self._look_at = min(self._look_at, gone.at + GRACE_S + LATE_S)
        return membership.may_take(gone.row, member, now - gone.at)

    def _has_waited(self, key: MemberKey) -> bool:
        """Return whether a member whose session has ended had its time to renew its lease."""
        gone = self._gone.get(key)
        return gone is not None and self._loop.time() >= gone.at + GRACE_S

    def _forget(self, key: MemberKey) -> None:
        """Wonder no more about a member: it is gone, or was there after all."""
        self._silent.discard(key)
        self._gone.pop(key, None)

    async def _keep_watching(self) -> None:
        """Wait for the session of the next member in the ring to end, again and again."""
        while True:
            self._regrouped.clear()
            watched = membership.successor(self.key.number, self.members)
            if watched is None:
                await self._regrouped.wait()
                continue
            try:
                if await self._wait_for(watched.key):
                    await self._until_judged(watched.key)
            except Exception as error:  # noqa: BLE001 - as above: somebody has to watch
                _note(error, "watching another server has failed: %s")
                await asyncio.sleep(RETRY_S)

    async def _until_judged(self, key: MemberKey) -> None:
        """Have the next beats see whether a member whose session has ended renews its lease."""
        self._silent.add(key)
        self.hurry()
        while key in self._silent and key in [m.key for m in self.members]:  # noqa: ASYNC110
            await asyncio.sleep(GRACE_S)  # the beat that is due then tells it
        self._forget(key)

    async def _wait_for(self, key: MemberKey) -> bool:
        """Return True once a member's session has ended, False once there are other members."""
        db = await self._connect()
        regrouped = self._loop.create_task(self._regrouped.wait())
        lock = f"pg_advisory_lock_shared({PRESENT}, {key.number})"
        try:
            while True:
                ended = self._loop.create_task(take_lock(db, lock))
                both, first = {ended, regrouped}, asyncio.FIRST_COMPLETED
                await asyncio.wait(both, timeout=LOCK_MS / 1000 + ANSWER_S, return_when=first)
                if not ended.done() and not regrouped.done():
                    raise TimeoutError("the database says nothing")
                if not ended.done() or await ended:
                    return ended.done()
        finally:
            if not ended.done():
                db.terminate()  # in the middle of a statement, and perhaps of a silence
            for task in (ended, regrouped):
                task.cancel()
            await asyncio.gather(ended, regrouped, return_exceptions=True)
            await _close(db)

    # ------------------------------------------------------------ rooms

    async def _claim(self, table: MemberTable) -> None:
        """Take this server's share of the rooms that have no owner, until there are none."""
        try:
            await self._claim_plain(table)
            async with asyncio.timeout(ANSWER_S), self._turn:
                numbers = await table.own_numbers(with_ladders=False)
            for number in self._takeover.lacking(numbers):
                log.warning("room %d is this server's, and nobody has said so", number)
                self.take(number)
            keeps = membership.keeper(self.members) == self.key
            if keeps and not self.leaves and not self._takeover.has_ladders():
                await self._claim_ladders(table)
        except UnknownRules:
            pass  # the takeover has said so; they wait for another server
        except Exception as error:  # noqa: BLE001 - as above: rooms wait for it
            _note(error, "taking over rooms has failed: %s")
            self._beats = 0  # with one of the next beats it is tried again

    async def _claim_ladders(self, table: MemberTable) -> None:
        """Take the ladders, with their rooms.

        Some may be this server's before: handed over, or claimed when the answer was lost.
        """
        async with asyncio.timeout(ANSWER_S), self._turn:
            rest = await table.claim_rest(self._takeover.is_known)
            numbers = self._takeover.absent(await table.own_numbers(with_ladders=True))
            own = await table.own_rows(numbers)
        await self._takeover.adopt(list({row.number: row for row in (*rest, *own)}.values()))
        self._takeover.keep_ladders()

    async def leave(self) -> None:
        """Take nothing more; return once what was being taken is here."""
        self.leaves = True
        tasks = [task for task in (self._claiming, self._taking) if task is not None]
        await asyncio.gather(*tasks, return_exceptions=True)

    async def let_go(self) -> None:
        """Have this server's row say that it has let go of all, so that others take the ladders."""
        self._draining = True
        try:
            await self._beat()
        except Exception as error:  # as above: the next beat says so
            self._drop()
            if not is_away(error):
                raise

    def take(self, number: int) -> None:
        """Go on with a room that another server has handed over."""
        if number not in self._fixed:
            self._handed.add(number)
        if self._taking is None or self._taking.done():
            self._taking = self._loop.create_task(self._take_handed())

    async def _take_handed(self) -> None:
        """Read those of these rooms that are this server's, as the log knows."""
        while self._handed:
            numbers, self._handed = self._handed, set()
            self._fixed |= numbers
            try:
                async with asyncio.timeout(ANSWER_S), self._turn:
                    rows = await (await self._connected()).own_rows(numbers)
            except Exception as error:  # noqa: BLE001 - as above: rooms wait for it
                _note(error, "rooms that were handed over cannot be read: %s")
                self._handed |= numbers
                await asyncio.sleep(RETRY_S)  # the database is away; see _keep_beating
            else:
                await self._takeover.adopt(rows)
            finally:
                self._fixed -= numbers

    def return_rooms(self, numbers: Iterable[int]) -> list[int]:
        """Return those of these rooms that are not being read; nor are they until `returned`."""
        numbers = [number for number in numbers if number not in self._fixed]
        self._handed.difference_update(numbers)
        self._fixed.update(numbers)
        return numbers

    def returned(self, number: int) -> None:
        self._fixed.discard(number)

    async def _claim_plain(self, table: MemberTable) -> None:
        left: list[int] = []  # what belongs to ladders
        while not self.leaves:
            rows, others = list[RoomRow](), list[int]()
            async with asyncio.timeout(ANSWER_S), self._turn:
                count = await table.orphans() - len(left)
                most = membership.share(max(0, count), self.members, self.key)
                if most > 0:
                    most = min(most, AT_ONCE)
                    rows, others = await table.claim(most, self._takeover.is_plain, left)
            if not rows and not others:
                if count > 0:  # another takes them just now, unless it has come to its end
                    self._beats = 0  # the next beat looks again
                return
            left += others
            await self._takeover.adopt(rows)


async def _close(db: Any) -> None:
    """Close a connection, also in the middle of a statement that was given up."""
    try:
        async with asyncio.timeout(CLOSE_S):
            await db.close()
    except Exception as error:  # its kind is looked at
        db.terminate()
        if not is_away(error):
            raise


def _note(error: Exception, text: str) -> None:
    """Log what has failed; that the database is lost is told by the writer."""
    if not is_lost(error) and not isinstance(error, DatabaseAway):
        log.warning(text, error, exc_info=None if is_away(error) else error)
