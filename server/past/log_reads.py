"""Reads of the log on behalf of others: history, analyses, replays.

A read costs a server far more than its request costs who sends it.  So one goes on at a time, each
session's in turn; few wait, the rest is refused; its asker pays by rows and bytes; and after each
the log rests, so that all reads together have no more than a quarter of the time.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeAlias, TypeVar

from protocol.errors import Code, Refusal
from server.config import LAST_PLAYED, LOOKED_PER_MICRO, READ, READ_ROW, TALLIED, price_of_read
from server.rooms.peers import Peer
from server.store.contract import (
    AnalysisRead,
    AnalysisRow,
    EventRow,
    LogReader,
    Outline,
    OutlineRead,
    PastQuery,
    PastRead,
    PastRow,
    RatedQuery,
    Read,
    SettingsRead,
    SettingsRow,
    Tallies,
    TallyQuery,
    TallyRead,
    unheard,
)

log = logging.getLogger("plyhouse")
REST = 3  # times as long as a read took ...
MAX_REST_S = 0.2  # ... which tells little of its cost if others had the processor meanwhile
FULL_MS = 200  # after which who has found no place may ask again

T = TypeVar("T")
# Begins to read; what it is given reads the log for it.
Begin: TypeAlias = Callable[[LogReader], None]
Charge: TypeAlias = Callable[[float], None]  # is told what a read has cost, in microseconds


def rest_after(seconds: float) -> float:
    """Return how long no client is served after work of so many seconds."""
    return min(seconds * REST, MAX_REST_S)


def _cost_of_rows(
    rows: list[EventRow] | list[PastRow] | list[AnalysisRow] | list[SettingsRow],
) -> float:
    """Return what rows that are read, decoded and shown cost, in microseconds."""
    return price_of_read(sum(len(row.body) for row in rows)) + READ_ROW * len(rows)


def _cost_of_events(rows: list[EventRow], looked: int) -> float:
    """Return what these events cost, found among others that are `looked` at."""
    return READ + _cost_of_rows(rows) + looked / LOOKED_PER_MICRO


def _cost_of_tallies(tallies: Tallies) -> float:
    """Return what it costs to add up matches, in microseconds."""
    return TALLIED * tallies.looked + READ_ROW * len(tallies.rows)


class LogRead:
    """One request's reads, each begun by what the one before it has found.

    Once its asker has gone nothing is read any more, and it finds nothing.
    """

    __slots__ = ("_begin", "_charge", "_ended", "_is_over", "_log", "_waits", "peer")

    def __init__(
        self, log: LogReader, peer: Peer | None, charge: Charge, begin: Begin,
        ended: Callable[[LogRead], None],
    ) -> None:  # fmt: skip
        self.peer = peer
        self._charge = charge
        self._log = log
        self._begin = begin
        self._ended = ended
        self._waits = False  # for the log
        self._is_over = False

    def has_lost_asker(self) -> bool:
        """Whether no client waits for what is found."""
        return self.peer is not None and self.peer.state == "gone"

    def start(self) -> None:
        self._do(lambda: self._begin(self))

    def _do(self, step: Callable[[], None]) -> None:
        """Do a step; a bug in it ends the connection that waits, and no other, which serves it."""
        try:
            step()
        except Exception:
            log.exception("a request that reads the log failed")
            if self.peer is not None and self.peer.state != "gone":
                self.peer.transport.end(1011, "the server made a mistake")
        self._end_if_done()

    def read_events(
        self, room: int, since: int, limit: int, done: Read, kinds: Sequence[str] = ()
    ) -> None:
        """As the store's contract says."""

        def cost(rows: list[EventRow]) -> float:
            return _cost_of_events(rows, limit if kinds else 0)

        self._ask(lambda take: self._log.read_events(room, since, limit, take, kinds), cost, done)

    def read_outline(
        self, room: int, match: int, kinds: Sequence[str], reach: int, done: OutlineRead
    ) -> None:
        """As the store's contract says."""

        def cost(outline: Outline) -> float:
            return _cost_of_events(outline.rows, outline.looked)

        self._ask(lambda take: self._log.read_outline(room, match, kinds, reach, take), cost, done)

    def read_last(self, room: int, session: int, done: PastRead) -> None:
        """As the store's contract says."""
        self._ask(
            lambda take: self._log.read_last(room, session, take), lambda _: LAST_PLAYED, done
        )

    def read_past(self, query: PastQuery | RatedQuery, done: PastRead) -> None:
        self._ask(lambda take: self._log.read_past(query, take), _cost_of_rows, done)

    def read_match(self, room: int, match: int, done: PastRead) -> None:
        self._ask(lambda take: self._log.read_match(room, match, take), _cost_of_rows, done)

    def read_owner(self, name: str, done: PastRead) -> None:
        self._ask(lambda take: self._log.read_owner(name, take), _cost_of_rows, done)

    def read_tallies(self, query: TallyQuery, done: TallyRead) -> None:
        self._ask(lambda take: self._log.read_tallies(query, take), _cost_of_tallies, done)

    def read_analysis(self, room: int, match: int, done: AnalysisRead) -> None:
        self._ask(lambda take: self._log.read_analysis(room, match, take), _cost_of_rows, done)

    def read_settings(self, session: int, done: SettingsRead) -> None:
        """As the store's contract says."""
        self._ask(lambda take: self._log.read_settings(session, take), _cost_of_rows, done)

    def _ask(
        self,
        read: Callable[[Callable[[T | None], None]], None],
        cost: Callable[[T], float],
        done: Callable[[T | None], None],
    ) -> None:
        """Begin a read, whose asker pays what it has cost once it is done."""
        if self.has_lost_asker():
            done(None)
            return
        self._waits = True

        def take(found: T | None) -> None:
            self._waits = False
            if found is not None:
                self._charge(cost(found))
            self._do(lambda: done(None if self.has_lost_asker() else found))

        read(take)

    def _end_if_done(self) -> None:
        if not self._waits and not self._is_over:
            self._is_over = True
            self._ended(self)


class LogReads:
    """The reads that wait, and the one that goes on.

    `waiting`: how many may wait in all, `per_session`: of one session.
    """

    def __init__(
        self,
        log: LogReader,
        loop: asyncio.AbstractEventLoop,
        waiting: int = 64,
        per_session: int = 4,
    ) -> None:
        self.log = log
        self.loop = loop
        self.waiting = waiting
        self.per_session = per_session
        self._queues: dict[int, deque[LogRead]] = {}  # by session, whose turn it is next first
        self._current: LogRead | None = None
        self._began = 0.0
        self._rest: asyncio.TimerHandle | None = None
        self._is_choosing = False

    def ask(self, peer: Peer | None, begin: Begin, charge: Charge = unheard) -> None:
        """Call `begin` with what reads the log, now or later.

        `peer`: who asks, and pays; None: the server itself, for whom `charge` is called.

        Raises:
            Refusal: room/busy.
        """
        session = peer.me().session if peer is not None else 0
        queue = self._queues.get(session, deque[LogRead]())
        if peer is not None and self._is_full(queue):
            text = "too many requests wait for the log, yours or all together; ask again in a while"
            raise Refusal(Code.ROOM_BUSY, text, retry_ms=FULL_MS)
        charge = peer.charge if peer is not None else charge
        queue.append(LogRead(self.log, peer, charge, begin, self._ended))
        self._queues[session] = queue
        self._go_on()

    def _is_full(self, queue: deque[LogRead]) -> bool:
        return len(queue) >= self.per_session or self.waiting_now() >= self.waiting

    def waiting_now(self) -> int:
        return sum(len(queue) for queue in self._queues.values())

    def forget(self, peer: Peer) -> None:
        """Drop what a connection that is gone has asked for."""
        session = peer.who.session if peer.who is not None else 0
        for read in [read for read in self._queues.get(session, ()) if read.peer is peer]:
            self._queues[session].remove(read)
            read.start()  # it finds nothing, and lets go of what it held
        if not self._queues.get(session, True):
            del self._queues[session]

    def stop(self) -> None:
        self._queues.clear()
        if self._rest is not None:
            self._rest.cancel()

    def _go_on(self) -> None:
        """Start what waits, until something goes on."""
        if self._is_choosing:
            return
        self._is_choosing = True
        try:
            while self._queues and self._current is None and self._rest is None:
                self._current, self._began = self._next(), self.loop.time()
                self._current.start()
        finally:
            self._is_choosing = False

    def _next(self) -> LogRead:
        """Take the oldest read of the session that has waited longest for its turn."""
        session = next(iter(self._queues))
        queue = self._queues.pop(session)
        read = queue.popleft()
        if queue:
            self._queues[session] = queue
        return read

    def _ended(self, read: LogRead) -> None:
        if read is not self._current:  # dropped while it waited
            return
        self._current = None
        rest = rest_after(self.loop.time() - self._began)
        if rest and not read.has_lost_asker():
            self._rest = self.loop.call_later(rest, self._rested)
        self._go_on()

    def _rested(self) -> None:
        self._rest = None
        self._go_on()
