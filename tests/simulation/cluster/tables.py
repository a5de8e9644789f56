"""What a PostgreSQL keeps of a house with several servers, and what each statement does to it.

It stands in for the schema of server/store/postgres/schema.py.  A statement is known by its text
alone: one that is changed in the product is unknown here, and says so.  Whatever a transaction
changes is changed at its end; what it has locked, others wait for.  That these fences are also
those of a real PostgreSQL, tests/server/store and tests/server/cluster/test_database.py see to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import asyncpg

from server.cluster.member_table import BOUNDED, JOINING, MEMBER, ORPHANS, PRESENT
from server.store.contract import (
    DevicesRow,
    EventRow,
    HandedRow,
    RoomRow,
    Row,
    SessionRow,
    SettingsRow,
)
from server.store.postgres.node import FORMER, LOCK_MS, TIMELINE, VERSION
from server.store.postgres.schema import ALONE
from server.store.postgres.statements import Statement
from server.store.postgres.statements import statement as real_statement
from server.store.postgres.writing import STORED, TRIAL
from tests.server.memory_store import MemoryStore
from tests.simulation.loop import SimulatedLoop
from tests.simulation.story import Wrong


class Appended(NamedTuple):
    """What stands in for the text of an append's statement: its rows."""

    rows: Sequence[Row]


def statement(rows: Sequence[Row]) -> Statement:
    """Take the place of server/store/postgres/statements.py, which makes SQL of them."""
    if any(type(row) is HandedRow for row in rows):
        real_statement(rows)  # it may say no
    return Statement(Appended(rows), [], sum(type(row) is EventRow for row in rows))  # type: ignore[arg-type]


class NodeRow:
    """A member, as its row says."""

    def __init__(self, member: str, epoch: int, addr: str, version: int, until: float) -> None:
        self.id, self.epoch, self.addr, self.version, self.until = (
            member,
            epoch,
            addr,
            version,
            until,
        )
        self.draining = False


class MustWait(Exception):
    """What a statement wants to lock is locked."""


class Tables(MemoryStore):
    """The rows.  `when`: of each event, when it was stored; `unended`: matches that are on."""

    def __init__(self, loop: SimulatedLoop) -> None:
        super().__init__()
        self.loop = loop
        self.nodes: dict[str, NodeRow] = {}
        self.room_owner: dict[int, str | None] = {}
        self.by_room: dict[int, list[EventRow]] = {}
        self.when: dict[tuple[int, int], float] = {}
        self.unended: dict[int, int] = {}  # by room
        self.epochs = 0
        self.counters = {"room": 1, "session": 1}
        self.started = loop.now - 1_000.0
        self.gone: Callable[[str], None] = lambda _: None  # hears of members that were deleted
        # Locks: of a session for good, by number; of a transaction, by what is locked.
        self.present: dict[int, Any] = {}
        self.locked: dict[Any, Any] = {}
        self.shared: dict[str, set[Any]] = {}  # keys of nodes that transactions have looked at

    # ------------------------------------------------------------ an append

    def append_rows(self, member: str, epoch: int, rows: Sequence[Row]) -> int | None:
        """Write rows as one transaction; None: the node is not there any more."""
        node = self.nodes.get(member)
        if node is None or node.epoch != epoch:
            return None
        self._check_keys(rows)
        count = 0
        for row in rows:
            if type(row) is HandedRow:
                if self.room_owner.get(row.number) == member:
                    self.room_owner[row.number] = row.owner or None
                continue
            if type(row) is RoomRow:
                self.room_owner[row.number] = member
            if type(row) is EventRow:
                count += 1
                self._note(member, row)
            self._put(row)
        return count

    def _check_keys(self, rows: Sequence[Row]) -> None:
        events = [(row.room, row.seq) for row in rows if type(row) is EventRow]
        if len(set(events)) < len(events) or not self.events.keys().isdisjoint(events):
            raise asyncpg.UniqueViolationError("duplicate key: event")
        logins = [row for row in rows if type(row) is SessionRow]
        if logins:
            self._check_logins(logins, {row[0] for row in rows if _forgets(row)})
        for row in rows:
            waits = self.locked.get(row.number) if type(row) in (RoomRow, HandedRow) else None
            if waits is not None:
                raise MustWait

    def _check_logins(self, logins: Sequence[SessionRow], gone: set[int]) -> None:
        after = {n: row for n, row in self.logins.items() if n not in gone}
        after.update((row.number, row) for row in logins)
        for column in (lambda row: row.name.casefold(), lambda row: row.token):
            if len(set(map(column, after.values()))) < len(after):
                raise asyncpg.UniqueViolationError("duplicate key: session")

    def _note(self, member: str, row: EventRow) -> None:
        """Note when an event is stored; no other than a room's owner has one stored."""
        owner = self.room_owner.get(row.room, member)
        if owner != member and row.kind != "created":
            raise Wrong(f"server {member} has written to room {row.room}, which is {owner}'s")
        self.when[row.room, row.seq] = self.loop.now
        self.by_room.setdefault(row.room, []).append(row)
        if row.kind == "started":
            self.unended[row.room] = row.match or 0
        elif row.kind == "ended":
            self.unended.pop(row.room, None)

    def _put(self, row: Row) -> None:
        if type(row) in (DevicesRow, SettingsRow) and row[0] not in self.logins:
            raise asyncpg.ForeignKeyViolationError("no such session")
        error = self._write([row])
        if error is not None:
            raise Wrong(f"{error}: {row}")

    # ------------------------------------------------------------ statements

    def orphans(self, not_these: Sequence[int] = ()) -> list[RoomRow]:
        """The open rooms that have no owner."""
        return [
            row
            for number, row in sorted(self.rooms.items())
            if row.open and number not in not_these
            if self.room_owner.get(number) not in self.nodes
        ]

    def delete_node(self, member: str) -> None:
        """Delete a member, whom no transaction may just have looked at."""
        if self.shared.get(member):
            raise MustWait
        if self.nodes.pop(member, None) is not None:
            self.gone(member)


def _forgets(row: Row) -> bool:
    return type(row).__name__ == "ForgottenRow"


Answer = list[Any]


class Statements:
    """What each text does.  `asks`: the backend whose statement it is."""

    def __init__(self, tables: Tables) -> None:
        self.t = tables
        lone = f"pg_advisory_lock_shared({ALONE})"
        self.known: dict[str, Callable[..., Answer]] = {
            f"SELECT {lone}": self._nothing,
            f"SET LOCAL lock_timeout = {LOCK_MS}": self._limit_lock,
            BOUNDED: self._bound,
            "SELECT nextval('epochs')": self._next_epoch,
            TIMELINE: lambda *_: [("00000001",)],
            "SELECT pid, backend_start FROM pg_stat_activity WHERE pid = pg_backend_pid()": (
                lambda asks: [(asks.pid, asks.began)]
            ),
            FORMER: self._terminate,
            f"SELECT pg_advisory_xact_lock({JOINING})": self._lock_joining,
            "DELETE FROM node WHERE id = 'alone'": self._nothing,
            "SELECT id, addr, extract(epoch FROM until)::float8,"
            " extract(epoch FROM until - clock_timestamp())::float8 FROM node": self._taken,
            f"SELECT pg_try_advisory_xact_lock({PRESENT}, $1)": self._is_free,
            f"SELECT pg_try_advisory_lock({PRESENT}, $1)": self._try_present,
            f"SELECT pg_advisory_lock({PRESENT}, $1)": self._take_present,
            "DELETE FROM node WHERE id = $1 AND ($2 OR until < clock_timestamp())"
            " RETURNING true": self._replace,
            "INSERT INTO node (id, epoch, addr, version, until)"
            " VALUES ($1, $2, $3, $4, clock_timestamp() + $5 * interval '1 second')": self._insert,
            "UPDATE node SET epoch = $3 WHERE id = $1 AND epoch = ANY($2) RETURNING true": (
                self._resume
            ),
            "DELETE FROM node WHERE id = $1": self._end,
            "UPDATE node SET until = clock_timestamp() + $2 * interval '1 second', draining = $3"
            " WHERE id = $1 RETURNING true": self._beat,
            "SELECT id, addr, version, extract(epoch FROM until - clock_timestamp())::float8,"
            " draining FROM node WHERE id <> 'alone' ORDER BY id": self._members,
            "DELETE FROM node WHERE id = $1 AND (until < clock_timestamp()"
            " OR until - clock_timestamp() <= $2 * interval '1 second')"
            " AND pg_postmaster_start_time() < clock_timestamp() - $3 * interval '1 second'"
            " RETURNING true": self._take_over,
            "SELECT count(*) FROM room WHERE open = 1 AND version <= $1"
            " AND (owner IS NULL OR NOT EXISTS (SELECT FROM node WHERE id = owner))": (
                lambda asks, version: [(len(tables.orphans()),)]
            ),
            f"{ORPHANS} LIMIT $3 FOR UPDATE SKIP LOCKED": self._claim,
            f"{ORPHANS} FOR UPDATE": self._claim_rest,
            MEMBER: self._share_node,
            "UPDATE room SET owner = $1 WHERE number = ANY($2)": self._own,
            "SELECT number FROM room WHERE open = 1 AND owner = $1 AND ($2 OR body <> '')": (
                self._own_numbers
            ),
            "SELECT number, open, body FROM room"
            " WHERE open = 1 AND owner = $1 AND number = ANY($2)": self._own_rows,
            STORED: self._stored,
            TRIAL: self._nothing,
        }

    def do(self, asks: Any, sql: Any, args: tuple[Any, ...]) -> Answer:
        """Do what a statement says; MustWait: not yet."""
        if type(sql) is Appended:
            count = self.t.append_rows(args[0], args[1], sql.rows)
            return [] if count is None else [(count,)]
        if sql.startswith(SHARED):
            return self._await_present(asks, int(sql[len(SHARED) : -1]))
        return self.known[sql](asks, *args)

    def _nothing(self, asks: Any) -> Answer:
        return []

    def _limit_lock(self, asks: Any) -> Answer:
        asks.lock_s = LOCK_MS / 1000
        return []

    def _bound(self, asks: Any) -> Answer:
        asks.is_bounded = True
        return []

    def _next_epoch(self, asks: Any) -> Answer:
        self.t.epochs += 1
        return [(self.t.epochs,)]

    def _terminate(self, asks: Any, pid: int, began: float) -> Answer:
        asks.database.terminate(pid, began)
        return []

    # ------------------------------------------------------------ sessions, and who joins

    def _lock_joining(self, asks: Any) -> Answer:
        asks.lock("joining")
        return []

    def _taken(self, asks: Any) -> Answer:
        now = self.t.loop.now
        return [(node.id, node.addr, node.until, node.until - now) for node in self._nodes()]

    def _nodes(self) -> list[NodeRow]:
        return [self.t.nodes[member] for member in sorted(self.t.nodes)]

    def _is_free(self, asks: Any, number: int) -> Answer:
        return [(self.t.present.get(number) in (None, asks),)]

    def _try_present(self, asks: Any, number: int) -> Answer:
        is_free = self.t.present.get(number) in (None, asks)
        if is_free:
            self.t.present[number] = asks
        return [(is_free,)]

    def _take_present(self, asks: Any, number: int) -> Answer:
        if not self._try_present(asks, number)[0][0]:
            raise MustWait
        return []

    def _await_present(self, asks: Any, number: int) -> Answer:
        if self.t.present.get(number) is not None:
            raise MustWait
        return []  # the lock that it would have now, it lets go of at once

    def _replace(self, asks: Any, member: str, has_left: bool) -> Answer:
        node = self.t.nodes.get(member)
        if node is None or not (has_left or node.until < self.t.loop.now):
            return []
        self.t.delete_node(member)
        return [(True,)]

    def _insert(
        self, asks: Any, member: str, epoch: int, addr: str, version: int, ttl_s: float
    ) -> Answer:
        node = NodeRow(member, epoch, addr, version, self.t.loop.now + ttl_s)
        asks.at_commit.append(lambda: self.t.nodes.__setitem__(member, node))
        return []

    def _resume(self, asks: Any, member: str, epochs: Sequence[int], epoch: int) -> Answer:
        node = self.t.nodes.get(member)
        if node is None or node.epoch not in epochs:
            return []
        if self.t.shared.get(member):
            raise MustWait
        node.epoch = epoch
        return [(True,)]

    def _end(self, asks: Any, member: str) -> Answer:
        self.t.delete_node(member)
        return []

    # ------------------------------------------------------------ members

    def _beat(self, asks: Any, member: str, ttl_s: float, draining: bool) -> Answer:
        node = self.t.nodes.get(member)
        if node is None:
            return []
        node.until, node.draining = self.t.loop.now + ttl_s, draining
        return [(True,)]

    def _members(self, asks: Any) -> Answer:
        now = self.t.loop.now
        return [(n.id, n.addr, n.version, n.until - now, n.draining) for n in self._nodes()]

    def _take_over(self, asks: Any, member: str, left_s: float, ttl_s: float) -> Answer:
        node, now = self.t.nodes.get(member), self.t.loop.now
        if node is None or not (node.until < now or node.until - now <= left_s):
            return []
        if not self.t.started < now - ttl_s:
            return []
        self.t.delete_node(member)
        return [(True,)]

    # ------------------------------------------------------------ rooms

    def _claim(self, asks: Any, version: int, not_these: Sequence[int], most: int) -> Answer:
        free = [row for row in self.t.orphans(not_these) if self.t.locked.get(row.number) is None]
        for row in free[:most]:
            asks.lock(row.number)
        return [tuple(row) for row in free[:most]]

    def _claim_rest(self, asks: Any, version: int, not_these: Sequence[int]) -> Answer:
        rows = self.t.orphans(not_these)
        if any(self.t.locked.get(row.number) not in (None, asks) for row in rows):
            raise MustWait
        for row in rows:
            asks.lock(row.number)
        return [tuple(row) for row in rows]

    def _share_node(self, asks: Any, member: str) -> Answer:
        if member not in self.t.nodes:
            return []
        self.t.shared.setdefault(member, set()).add(asks)
        return [(True,)]

    def _own(self, asks: Any, member: str, numbers: Sequence[int]) -> Answer:
        asks.at_commit.append(lambda: self.t.room_owner.update(dict.fromkeys(numbers, member)))
        return []

    def _owned(self, member: str) -> list[RoomRow]:
        owner = self.t.room_owner
        return [
            row for n, row in sorted(self.t.rooms.items()) if row.open and owner.get(n) == member
        ]

    def _own_numbers(self, asks: Any, member: str, with_ladders: bool) -> Answer:
        return [(row.number,) for row in self._owned(member) if with_ladders or row.body]

    def _own_rows(self, asks: Any, member: str, numbers: Sequence[int]) -> Answer:
        return [tuple(row) for row in self._owned(member) if row.number in numbers]

    def _stored(self, asks: Any, rooms: Sequence[int], seqs: Sequence[int]) -> Answer:
        found = [self.t.events.get(key) for key in zip(rooms, seqs, strict=True)]
        return [tuple(row) for row in found if row is not None]


SHARED = f"SELECT pg_advisory_lock_shared({PRESENT}, "
assert VERSION
