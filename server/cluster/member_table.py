"""The members of a cluster as the database has them: the table `node`, and whose each room is.

Every statement is one transaction, or part of one that is named.  A member's `id` there is its
number and the epoch that it began with; the column `epoch` is that of its writing connection, which
each append asks for, and grows when that connection is lost.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Awaitable, Callable, Collection
from datetime import timedelta
from typing import Any, Final, NamedTuple, TypeAlias

from server.cluster.core.membership import ClusterMember, MemberKey
from server.cluster.forwarding import RoomPlace
from server.rooms.wall_clock import WrongClock
from server.store.contract import DatabaseAway, Fenced, RoomRow, StoreError
from server.store.postgres.node import FORMER, VERSION, next_epoch, process_of, take_lock
from server.store.postgres.schema import ALONE

log = logging.getLogger("plyhouse")
MAX_MEMBERS: Final = 64  # a full mesh of lines, and everybody known to each
JOINING: Final = 0x506C79_03  # lock: one server at a time becomes a member
PRESENT: Final = 0x506C79  # with a member's number: the lock that its session has while it is there
Connect: TypeAlias = Callable[[], Awaitable[Any]]
MAX_APART_S: Final = 60.0  # the clock of a server and that of the database
LOOK_S: Final = 0.25  # between two looks at a lease that has to run out
# A server that stops in the middle of a transaction has its locks so long, for which others wait:
# less than a lease.
BOUNDED: Final = "SET LOCAL idle_in_transaction_session_timeout = '1s'"
MEMBER: Final = "SELECT true FROM node WHERE id = $1 FOR KEY SHARE"
ORPHANS: Final = (
    "SELECT number, open, body FROM room WHERE open = 1 AND version <= $1"
    " AND (owner IS NULL OR NOT EXISTS (SELECT FROM node WHERE id = owner)) AND number <> ALL($2)"
    " ORDER BY number"
)


def id_of(key: MemberKey) -> str:
    """Return what a member is called in the database."""
    return f"{key.number}.{key.epoch}"


def key_of(name: str) -> MemberKey:
    """Return the key of a member by what it is called in the database."""
    number, _, epoch = name.partition(".")
    return MemberKey(int(number), int(epoch))


class LeasedRow(NamedTuple):
    """The row of a member with a lease: until when by the database's clock, and for how long, in s.

    `addr`: of its line and for clients.  A server with one of these waits until it has run out.
    """

    id: str
    addr: str
    until: float
    left_s: float


class SharedNode:
    """This server's row, as a store keeps it that is one of several; see store/postgres/node.py.

    `address`: of its line; `url`: where its clients connect; `connect` makes `session`, the
    connection whose lock shows others that this server is there.
    """

    connections = 4  # also the one that beats, and the one that watches another server

    def __init__(self, address: str, url: str, ttl_s: float, connect: Connect) -> None:
        self.session: Any = None
        self._connect = connect
        self.id = ""
        self.epoch = 0
        self.key = MemberKey(0, 0)
        self.ttl_s = ttl_s
        self._place = f"{address} {url}"
        self._url = url
        self._tried: list[int] = []  # epochs that may be ours, as an answer may have been lost
        self._former: tuple[int, Any] = (0, None)  # the process at the database's end

    async def begin(self, db: Any) -> None:
        """Become a member, with a number that no other has.

        Raises:
            StoreError: a server uses the database alone, one that is there has the same address, or
                there are as many as there may be.
        """
        if not await take_lock(db, f"pg_advisory_lock_shared({ALONE})"):
            raise StoreError(
                "a server uses this database alone; stop it, or start it with --advertise as well"
            )
        self.session = await self._connect()
        try:
            await self._join_in_time(db, await next_epoch(db))
        except BaseException:
            self.session.terminate()
            raise
        self._former = await process_of(db)

    async def _join_in_time(self, db: Any, epoch: int) -> None:
        """Become a member once a run of our own that was killed has no lease any more.

        The database may believe for a while that it is there, if its machine went without a word.

        Raises:
            StoreError: it renews its lease, so it is another server with our address.
        """
        leases: dict[str, float] = {}
        while (other := await self._join(db, epoch)) is not None:
            if not leases:
                log.warning(
                    "a server that has this one's address as well (%s) was there until just now:"
                    " waiting up to %.1f s for its lease to run out", other.addr, other.left_s,
                )  # fmt: skip
            if other.until > leases.setdefault(other.id, other.until):
                address, _, url = other.addr.partition(" ")
                raise StoreError(
                    f"another server of this cluster, number {key_of(other.id).number}, advertises"
                    f" {url} and has its line at {address}: give each its own"
                )
            wait_s = min(LOOK_S, max(0.0, other.left_s) + 0.01)
            await asyncio.sleep(wait_s)  # the database does not tell

    async def _join(self, db: Any, epoch: int) -> LeasedRow | None:
        """Become a member, or return the row of the server that has our address."""
        async with db.transaction():
            await db.execute(BOUNDED)
            await db.execute(f"SELECT pg_advisory_xact_lock({JOINING})")
            taken = await self._taken(db)
            if isinstance(taken, LeasedRow):
                return taken
            self.key = MemberKey(await self._free_number(taken), epoch)
            self.id = id_of(self.key)
            await db.execute(
                "INSERT INTO node (id, epoch, addr, version, until)"
                " VALUES ($1, $2, $3, $4, clock_timestamp() + $5 * interval '1 second')",
                self.id, epoch, self._place, VERSION, self.ttl_s,
            )  # fmt: skip
        self.epoch, self._tried = epoch, [epoch]
        return None

    async def _free_number(self, taken: Collection[int]) -> int:
        """Take the session lock of a number that is free, before another looks whether it is held.

        A machine that is gone without a word holds its own as long as the database believes that it
        is there, which is longer than its lease.
        """
        for number in range(1, MAX_MEMBERS + 1):
            if number not in taken and await self.session.fetchval(
                f"SELECT pg_try_advisory_lock({PRESENT}, $1)", number
            ):
                return number
        raise StoreError(f"this cluster has {MAX_MEMBERS} servers, which is the most")

    async def _taken(self, db: Any) -> set[int] | LeasedRow:
        """Return the numbers that are taken, or the row of a server that has our address.

        A run of our own that was killed gives way, as its session has ended or its lease run out.
        """
        await db.execute("DELETE FROM node WHERE id = 'alone'")  # no server has its lock
        taken = set()
        for name, addr, until, left_s in await db.fetch(
            "SELECT id, addr, extract(epoch FROM until)::float8,"
            " extract(epoch FROM until - clock_timestamp())::float8 FROM node"
        ):
            number = key_of(name).number
            if self._is_ours(addr):
                has_left = await db.fetchval(
                    f"SELECT pg_try_advisory_xact_lock({PRESENT}, $1)", number
                )
                if await db.fetchval(
                    "DELETE FROM node WHERE id = $1 AND ($2 OR until < clock_timestamp())"
                    " RETURNING true", name, has_left,
                ):  # fmt: skip
                    continue
                return LeasedRow(name, addr, until, left_s)
            taken.add(number)
        return taken

    def _is_ours(self, addr: str) -> bool:
        """Return whether a row has an address that this server has: of its line, or for clients."""
        own = self._place.split(" ")
        return any(one == other != "" for one, other in zip(addr.split(" "), own, strict=True))

    async def resume(self, db: Any) -> None:
        """Have the row again after the connection was lost, under another epoch.

        Raises:
            Fenced: another server has taken over.
            DatabaseAway: not now.
        """
        await db.execute(FORMER, *self._former)
        if not await take_lock(db, f"pg_advisory_lock_shared({ALONE})"):
            raise DatabaseAway("another server uses the database alone")
        epoch = await next_epoch(db)
        self._tried.append(epoch)
        done = await db.fetchval(
            "UPDATE node SET epoch = $3 WHERE id = $1 AND epoch = ANY($2) RETURNING true",
            self.id, self._tried, epoch,
        )  # fmt: skip
        if not done:
            raise Fenced("another server of the cluster has taken over from this one")
        self.epoch, self._tried = epoch, [epoch]
        self._former = await process_of(db)

    async def end(self, db: Any) -> None:
        """Delete the row: others may take the rooms at once."""
        await db.execute("DELETE FROM node WHERE id = $1", self.id)


class MemberTable:
    """What this server asks and tells the database about members and rooms, over one connection."""

    def __init__(self, db: Any, me: MemberKey) -> None:
        self.db = db
        self.me = me

    async def beat(self, ttl_s: float, draining: bool = False) -> bool:
        """Renew the lease; False: this server is no member any more."""
        done = await self.db.fetchval(
            "UPDATE node SET until = clock_timestamp() + $2 * interval '1 second', draining = $3"
            " WHERE id = $1 RETURNING true", id_of(self.me), ttl_s, draining,
        )  # fmt: skip
        return bool(done)

    async def members(self) -> list[ClusterMember]:
        """Return all members, this one included."""
        return await read_members(self.db)

    async def take_over(self, seen: ClusterMember, ttl_s: float) -> bool:
        """Declare a member dead whose lease has run out, or was not renewed since it was seen.

        The statement waits for appends of that member that are under way; none is stored later.  A
        database that was down itself gives everybody the time of a lease to come back.
        """
        done = await self.db.fetchval(
            "DELETE FROM node WHERE id = $1 AND (until < clock_timestamp()"
            " OR until - clock_timestamp() <= $2 * interval '1 second')"
            " AND pg_postmaster_start_time() < clock_timestamp() - $3 * interval '1 second'"
            " RETURNING true", id_of(seen.key), seen.left_s, ttl_s,
        )  # fmt: skip
        return bool(done)

    async def orphans(self) -> int:
        """Return how many open rooms have no owner."""
        return int(
            await self.db.fetchval(
                "SELECT count(*) FROM room WHERE open = 1 AND version <= $1"
                " AND (owner IS NULL OR NOT EXISTS (SELECT FROM node WHERE id = owner))", VERSION
            )
        )  # fmt: skip

    async def claim(
        self, most: int, mine: Callable[[RoomRow], bool], not_these: Collection[int]
    ) -> tuple[list[RoomRow], list[int]]:
        """Take up to so many rooms without an owner; of what another takes just now, none.

        Args:
            mine: whether a room may be this server's.
            not_these: rooms that are left to others.

        Returns:
            The rows of the rooms that are this server's now, and the numbers of those that were
            seen and left.
        """
        async with self.db.transaction():
            await self.db.execute(BOUNDED)
            found = await self.db.fetch(
                f"{ORPHANS} LIMIT $3 FOR UPDATE SKIP LOCKED", VERSION, list(not_these), most
            )
            return await self._keep(found, mine)

    async def claim_rest(self, mine: Callable[[RoomRow], bool]) -> list[RoomRow]:
        """Take all rooms without an owner that may be this server's, also those that another takes
        just now and lets go.
        """
        async with self.db.transaction():
            await self.db.execute(BOUNDED)
            found = await self.db.fetch(f"{ORPHANS} FOR UPDATE", VERSION, [])
            return (await self._keep(found, mine))[0]

    async def own_numbers(self, with_ladders: bool) -> list[int]:
        """Return which open rooms are this server's.

        `with_ladders`: also those of which nothing is kept, as all ladders are.
        """
        found = await self.db.fetch(
            "SELECT number FROM room WHERE open = 1 AND owner = $1 AND ($2 OR body <> '')",
            id_of(self.me), with_ladders,
        )  # fmt: skip
        return [number for (number,) in found]

    async def own_rows(self, numbers: Collection[int]) -> list[RoomRow]:
        """Return the rows of those of these rooms that are open and this server's."""
        found = await self.db.fetch(
            "SELECT number, open, body FROM room"
            " WHERE open = 1 AND owner = $1 AND number = ANY($2)", id_of(self.me), list(numbers)
        )  # fmt: skip
        return [RoomRow(*record) for record in found]

    async def _keep(
        self, found: Collection[Any], mine: Callable[[RoomRow], bool]
    ) -> tuple[list[RoomRow], list[int]]:
        if not await self.db.fetchval(MEMBER, id_of(self.me)):
            return [], []  # it was stopped meanwhile, and the others have taken over
        rows = [RoomRow(*record) for record in found]
        kept = [row for row in rows if mine(row)]
        await self.db.execute(
            "UPDATE room SET owner = $1 WHERE number = ANY($2)",
            id_of(self.me), [row.number for row in kept],
        )  # fmt: skip
        return kept, [row.number for row in rows if row not in kept]


async def check_newcomer(db: Any, mark: bytes) -> None:
    """See that a server which is about to join has the clock and the secret of the others.

    `mark`: what only a server can say that knows the secret.  Where no other one is a member it is
    a new secret, and that of the cluster from now on.

    Raises:
        WrongClock: what it writes would be dated so that no other could start.
        StoreError: it has another secret than those that are there.
    """
    asked = time.time()
    at = await db.fetchval("SELECT extract(epoch FROM clock_timestamp())::float8")
    ahead = (asked + time.time()) / 2 - at
    if abs(ahead) > MAX_APART_S:
        raise WrongClock(
            f"the clock of this machine, {socket.gethostname()}, is"
            f" {timedelta(seconds=round(abs(ahead)))} {'ahead of' if ahead > 0 else 'behind'} that"
            " of the database, by which all servers go: set it right, or that one if it is wrong"
        )
    known = await db.fetchval("SELECT secret FROM house")
    if known == mark:
        return
    there = [member for member in await read_members(db) if member.left_s > 0]
    if known is not None and there:
        raise StoreError(
            f"this server's secret is not that of server {there[0].key.number}, which is there, at"
            f" {there[0].url}: copy that one's file and name it by --secret; or, if they are two"
            " houses, give this one a database of its own"
        )
    if known is not None:
        log.warning("the secret is another one than before; the house's bots get another token")
    await db.execute("UPDATE house SET secret = $1", mark)


async def take_session_lock(db: Any, key: MemberKey) -> None:
    """Have the lock that shows others that this session is there."""
    await db.execute(f"SELECT pg_advisory_lock({PRESENT}, $1)", key.number)


async def place_of(number: int, db: Any) -> RoomPlace:
    """Return where a room is."""
    row = await db.fetchrow("SELECT open, owner FROM room WHERE number = $1", number)
    if row is None:
        return RoomPlace(is_open=False, owner=None, exists=False)
    is_owned = row[1] is not None and row[1] != "alone"
    return RoomPlace(bool(row[0]), key_of(row[1]) if is_owned else None)


async def read_members(db: Any) -> list[ClusterMember]:
    """Return the members of a cluster as they stand in its database."""
    rows = await db.fetch(
        "SELECT id, addr, version, extract(epoch FROM until - clock_timestamp())::float8, draining"
        " FROM node WHERE id <> 'alone' ORDER BY id"
    )
    members = []
    for name, addr, version, left_s, draining in rows:
        address, _, url = addr.partition(" ")
        members.append(ClusterMember(key_of(name), address, url, version, left_s, draining))
    return members
