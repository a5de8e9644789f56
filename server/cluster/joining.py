"""A server joins a cluster: what it does about members, and about rooms without an owner.

Rooms that are taken over are read as after a start: those first where a match may be on, and in
short slices of the loop's time, so that those who are here are served meanwhile.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from games import registry
from protocol.errors import Refusal
from protocol.messages import Hello
from protocol.notation import parse_code
from server.cluster.cluster import Cluster
from server.cluster.core.membership import ClusterMember, MemberKey
from server.cluster.line.signals import MemberGone
from server.cluster.lines import Lines
from server.core import session as sessions
from server.core.events import UnknownRules
from server.core.names.numbers import BLOCK, NumberBlocks
from server.core.names.register import Register, hash_code
from server.figures.histogram import LONG_NS, Histogram
from server.rooms.snapshot import Snapshot, read_snapshot
from server.services.loading import REST_S, RETRY_S, SLICE_S, Loading, session_from
from server.store.contract import (
    Counted,
    DatabaseAway,
    HandedRow,
    RoomRow,
    SessionKey,
    Store,
    StoredLogin,
)

log = logging.getLogger("plyhouse")
BATCH: Final = 100  # rooms whose events are read together
MAX_DIGITS: Final = 16  # of a session's number


class RoomTakeover:
    """One server's part in a cluster that has a database; see lease.TakeoverHandler."""

    def __init__(
        self, cluster: Cluster, lines: Lines, loading: Loading, store: Store,
        ended: Callable[[str], None],
    ) -> None:  # fmt: skip
        self.cluster = cluster
        self.lines = lines
        self.rooms = cluster.hub.rooms
        self._loading = loading
        self._store = store
        self._ended = ended
        self._loop = asyncio.get_running_loop()
        self.taken = 0  # rooms
        self.times = Histogram(LONG_NS)  # ns in which those that came together were read
        self._turn = asyncio.Lock()  # of what is fetched: it is kept until the next fetch
        self._lacking: set[int] = set()  # rooms that were ours a while ago, and were not here
        self._in_vain: set[int] = set()  # of these, those that were looked at

    def expect(self, members: Sequence[ClusterMember]) -> None:
        """Have lines to these members, and to no others."""
        self.lines.expect(members)

    def died(self, key: MemberKey) -> None:
        self.cluster.died(key)

    def took_over(self, key: MemberKey) -> None:
        """Tell the others that this server has declared a member dead.

        They are to know before they hear of its rooms' new owners: what it says from then on, as
        it may have been stopped and woken, is older than what these show.
        """
        self.cluster.servers.tell_all(MemberGone(*key))

    def renewed(self) -> None:
        """Go on with what had to wait for the lease to be good again."""
        self.cluster.hosting.show_waiting()

    def is_plain(self, row: RoomRow) -> bool:
        """Return whether a room is nothing of a ladder's, and its rules are here."""
        snapshot = _snapshot(row)
        return snapshot is not None and snapshot.leg is None and self.is_known(row)

    def is_known(self, row: RoomRow) -> bool:
        """Return whether the rules of a room are here: by which version its match is played is
        only known once it was read.

        Raises:
            UnknownRules: not so of a ladder's, so that all of them have to wait.
        """
        snapshot = _snapshot(row)
        if snapshot is None:
            return True
        if row.number not in self.rooms.unknown:
            if registry.versions(snapshot.game):
                return True
            self._leave_to_others(row.number, f"no game is called {snapshot.game!r}")
        if snapshot.leg is not None:
            raise UnknownRules(self.rooms.unknown[row.number])
        return False

    def _leave_to_others(self, number: int, why: str) -> None:
        """Note a room that waits for another server, as its rules are not here."""
        self.rooms.unknown[number] = why
        log.warning("room %d waits for a server that has its rules; here %s", number, why)

    async def adopt(self, rows: Sequence[RoomRow]) -> None:
        """Go on with rooms that are this server's now, and with ladders once their rooms are."""
        coming = {row.number for row in rows}
        self.rooms.coming |= coming
        try:
            await self._adopt_in_order(rows)
        finally:
            self.rooms.coming -= coming

    async def _adopt_in_order(self, rows: Sequence[RoomRow]) -> None:
        waiting, began = deque(sorted(rows, key=_order)), self._loop.time()
        while waiting:
            batch = [waiting.popleft() for _ in range(min(BATCH, len(waiting)))]
            async with self._turn:
                has_read = await self._fetch(batch)
                if has_read:
                    await self._adopt_all(batch, waiting)
            if not has_read:
                waiting.extendleft(reversed(batch))
                await asyncio.sleep(RETRY_S)
        if rows:
            self.taken += len(rows)
            self.times.observe(round((self._loop.time() - began) * 1e9))

    async def _adopt_all(self, batch: Sequence[RoomRow], again: deque[RoomRow]) -> None:
        end = self._loop.time() + SLICE_S
        for row in batch:
            self._adopt(row, again)
            if self._loop.time() > end:
                await asyncio.sleep(REST_S)  # others are served meanwhile
                end = self._loop.time() + SLICE_S

    async def _fetch(self, batch: Sequence[RoomRow]) -> bool:
        """Have the events of rooms at hand; False if they cannot be read now."""
        read: asyncio.Future[bool] = self._loop.create_future()

        def done(has_read: bool) -> None:
            if not read.done():  # else this server ends
                read.set_result(has_read)

        self._store.fetch([(row.number, _since(row)) for row in batch], done)
        return await read

    def _adopt(self, row: RoomRow, again: deque[RoomRow]) -> None:
        if row.number in self.rooms.actors:
            return
        try:
            used = self.cluster.arrivals.used(row.number)
            self.cluster.adopt(row.number, lambda: self._loading.take_over(row, used))
        except DatabaseAway as error:
            log.error("room %d cannot be read now: %s", row.number, error)
            again.append(row)
        except UnknownRules as error:
            self._leave_to_others(row.number, str(error))
            self.cluster.arrivals.end(row.number)  # who waits for it is told so
            self._store.append([HandedRow(row.number, "")], lambda error: None)  # or it is ours yet
        except Exception:  # the rooms behind it go on, and no other code would hear of it
            log.exception("room %d cannot be taken over: the server has a bug", row.number)
        else:
            self.rooms.coming.discard(row.number)

    def absent(self, numbers: Sequence[int]) -> list[int]:
        """Return which of these rooms and ladders, that are this server's, are not here."""
        ladders = self.cluster.hub.services.ladders.by_number
        return [n for n in numbers if n not in self.rooms.actors and n not in ladders]

    def lacking(self, numbers: Sequence[int]) -> list[int]:
        """Return which of these rooms, that are this server's, are not here, and were not before.

        They were handed over, and the word that they were was lost.  A moment's lack says nothing:
        a room may be closed just now.
        """
        lacking = set(self.absent(numbers))
        before, self._lacking = self._lacking, lacking
        self._in_vain &= lacking  # the others are here after all, or gone
        still = sorted((lacking & before) - self._in_vain)
        self._in_vain.update(still)
        return still

    def has_ladders(self) -> bool:
        return self.cluster.ladders.here

    def keep_ladders(self) -> None:
        self.cluster.hub.services.ladders.resume()
        self.cluster.ladders.keep()

    def cut_off(self) -> None:
        """End if another server reaches the database that this one does not reach."""
        if self.lines.is_any_leased():
            self._ended("this server does not reach the database, and another one does")


def _snapshot(row: RoomRow) -> Snapshot | None:
    return read_snapshot(row.body) if row.body else None


def _since(row: RoomRow) -> int:
    snapshot = _snapshot(row)
    return snapshot.since if snapshot is not None else 0


def _order(row: RoomRow) -> tuple[bool, bool, int]:
    """Lower comes sooner: rooms where two sit by a clock, the other rooms, and then ladders."""
    snapshot = _snapshot(row)
    may_run = snapshot is not None and bool(snapshot.options.clock) and None not in snapshot.seats
    return (snapshot is None, not may_run, row.number)


# ---------------------------------------------------------------- names and numbers


async def number_blocks(store: Store, what: Counted) -> NumberBlocks:
    """Return numbers of new rooms or sessions that no other server gives out."""
    first: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def come(number: int | None) -> None:
        blocks.add(number)
        if not first.done():
            first.set_result(None)

    blocks = NumberBlocks(lambda: store.take_numbers(what, BLOCK, come))
    store.take_numbers(what, BLOCK, come)
    await first
    return blocks


class LookUps:
    """Looks up in the log whom a hello names, as another server may have welcomed them just now."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def ask(self, names: Register, hello: Hello, then: Callable[[bool], None]) -> None:
        """Call `then` once the names have what the log has of a login; False: it cannot be read.

        It is a server's `neighbours.LookUp`.
        """
        keys = self._keys(names, hello)
        if not keys:
            then(True)
            return
        failed: list[SessionKey] = []

        def read(key: SessionKey, rows: list[StoredLogin] | None) -> None:
            if rows is not None:
                self._take(names, key, rows)
            else:
                failed.append(key)
            keys.remove(key)
            if not keys:
                then(not failed)

        for key in list(keys):
            self._store.read_session(key, lambda rows, key=key: read(key, rows))  # type: ignore[misc]

    def _keys(self, names: Register, hello: Hello) -> list[SessionKey]:
        if hello.token is not None:
            number, _, rest = hello.token.partition(".")  # as in the token of a linked device
            if rest and number.isdecimal() and len(number) < MAX_DIGITS:
                return [SessionKey("number", int(number))]
            return [SessionKey("token", sessions.hash_token(hello.token))]
        if hello.link is not None:
            keys = [SessionKey("recovery", hash_code(hello.link))]
            known = names.link_codes.get(parse_code(hello.link))
            return [*keys, SessionKey("number", known[0])] if known is not None else keys
        if hello.name is None:
            return []
        try:
            return [SessionKey("name", sessions.check_name(hello.name))]
        except Refusal:  # it is no name, which the hello is told
            return []

    def _take(self, names: Register, key: SessionKey, rows: Sequence[StoredLogin]) -> None:
        for row in rows:
            names.take(session_from(row))
        if rows:
            return
        index = {"token": names.by_token, "name": names.by_name, "recovery": names.by_recovery}
        value = key.value.casefold() if isinstance(key.value, str) else key.value
        number = index[key.by].get(value) if key.by in index else value  # type: ignore[attr-defined]
        if number is not None and number in names.sessions and number != names.house:
            names.drop(names.sessions[number])  # another server has forgotten it


def house_token(secret: bytes) -> str:
    """Return the token of the house's bots, the same at all servers that share a secret."""
    return hmac.new(secret, b"plyhouse house bots", hashlib.sha256).hexdigest()


def house_mark(secret: bytes) -> bytes:
    """Return what the database keeps of the secret, by which nobody finds it out."""
    return hmac.new(secret, b"plyhouse cluster", hashlib.sha256).digest()
