"""A store in memory that the tests of rooms and ladders use in place of a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from server.core.past.fold import PastFold
from server.rooms.index_rows import row_of
from server.store.contract import (
    DRAWN,
    LOOKED_AT,
    UNDECIDED,
    AnalysisRead,
    AnalysisRow,
    Conflict,
    Counted,
    DevicesRow,
    Done,
    DroppedAnalysisRow,
    EventRow,
    Fenced,
    ForgottenRow,
    HandedRow,
    KeptAnalysis,
    NumberRead,
    Outline,
    OutlineRead,
    PastQuery,
    PastRead,
    PastRow,
    PlayerKey,
    ProgressRow,
    PulseRow,
    RatedQuery,
    Read,
    RoomRow,
    Row,
    SessionKey,
    SessionRead,
    SessionRow,
    SettingsRead,
    SettingsRow,
    Space,
    StoredLogin,
    StoreError,
    StoreNews,
    Tallies,
    TallyQuery,
    TallyRead,
    TallyRow,
)


class MemoryStore:
    """A log that answers when it is told to, and fails when it is told to."""

    def __init__(self) -> None:
        self.server, self.epoch, self.last_at, self.times_from = "5ce4e", 1, 0, 0
        self.events: dict[tuple[int, int], EventRow] = {}
        self.logins: dict[int, SessionRow] = {}
        self.linked: dict[int, DevicesRow] = {}
        self.settings: dict[int, SettingsRow] = {}
        self.rooms: dict[int, RoomRow] = {}
        self.owners: dict[int, str] = {}  # of rooms that were handed over
        self.past: dict[tuple[int, int], PastRow] = {}
        self.analyses: dict[tuple[int, int], AnalysisRow] = {}
        self.gone_on: dict[str, int] = {}
        self.broken = False
        self.free: int | None = None  # bytes on the disk
        self.waits = 0.0  # how long the oldest append does, as a test wants it
        self.remote = False  # nothing may be read that was not fetched
        self.at_hand: set[int] = set()  # rooms that were
        self.news = StoreNews()
        self._taken: dict[Counted, int] = {}
        self.appends = 0
        self.answered: Callable[[], None] = lambda: None  # called after each answer
        self._asked: list[Callable[[], None]] = []

    def tell_stalled(self, on: bool) -> None:
        """Have the server hear that the log does not answer, or answers again."""
        for tell in self.news.stalled:
            tell(on)

    def end(self, fenced: Fenced) -> None:
        """Have the server hear that the log is another one's."""
        for tell in self.news.ended:
            tell(fenced)

    def space(self) -> Space:
        """As a test wants it."""
        return Space(self.free, 0)

    def check(self, damaged: Callable[[StoreError], None]) -> None:
        """There are no pages."""

    def append(self, rows: list[Row], done: Done) -> None:
        """As the contract says."""
        self.appends += 1
        self._asked.append(lambda: done(self._write(rows)))

    def watch_commits(self, told: Callable[[int, int], None]) -> None:
        """As the contract says, but that nothing is told: each append is answered alone."""

    def read_events(
        self, room: int, since: int, limit: int, done: Read, kinds: Sequence[str] = ()
    ) -> None:
        """As the contract says."""
        rows = select(self.all_events(room), room, since, limit, kinds)
        answer = None if self.broken else rows
        self._asked.append(lambda: done(answer))

    def read_outline(
        self, room: int, match: int, kinds: Sequence[str], reach: int, done: OutlineRead
    ) -> None:
        """As the contract says."""
        answer = None if self.broken else outline(self.all_events(room), match, kinds, reach)
        self._asked.append(lambda: done(answer))

    def read_last(self, room: int, session: int, done: PastRead) -> None:
        """As the contract says."""
        last = max((row.match for row in self.past.values() if row.room == room), default=0)
        rows = [r for r in self.past.values() if r.room == room and r.match > last - LOOKED_AT]
        rows = [r for r in rows if session in (r.one, r.two)]
        answer = None if self.broken else sorted(rows, key=lambda row: -row.match)[:1]
        self._asked.append(lambda: done(answer))

    def waited_s(self) -> float:
        """As a test wants it."""
        return self.waits

    def halted(self) -> str | None:
        """Nothing: it has no threads."""
        return None

    def read_past(self, query: PastQuery | RatedQuery, done: PastRead) -> None:
        """As the contract says."""
        if isinstance(query, RatedQuery):
            rows = [row for row in self.past.values() if row.rated and row.game == query.game]
        else:
            rows = self._listed(query)
        answer = None if self.broken else _newest(rows)[: query.limit]
        self._asked.append(lambda: done(answer))

    def _listed(self, query: PastQuery) -> list[PastRow]:
        rows = [
            row
            for row in self.past.values()
            if query.before is None or (row.at, row.room, row.match) < query.before
        ]
        if query.who is None:
            return [row for row in rows if not row.private and not row.ladder]
        who = query.who
        return [row for row in rows if _seat(row, who) is not None and row.private <= query.private]

    def read_match(self, room: int, match: int, done: PastRead) -> None:
        """As the contract says."""
        rows = [self.past[room, match]] if (room, match) in self.past else []
        answer = None if self.broken else rows
        self._asked.append(lambda: done(answer))

    def read_owner(self, name: str, done: PastRead) -> None:
        """As the contract says."""
        rows = [(row.one, row) for row in self.past.values() if row.one_name == name]
        rows += [(row.two, row) for row in self.past.values() if row.two_name == name]
        answer = None if self.broken else [max(rows)[1]] if rows else []
        self._asked.append(lambda: done(answer))

    def read_tallies(self, query: TallyQuery, done: TallyRead) -> None:
        """As the contract says."""
        rows = self._listed(PastQuery(query.who, query.private, None, query.limit))
        answer = None if self.broken else tallied(rows, query)
        self._asked.append(lambda: done(answer))

    def read_analysis(self, room: int, match: int, done: AnalysisRead) -> None:
        """As the contract says."""
        rows = [self.analyses[room, match]] if (room, match) in self.analyses else []
        answer = None if self.broken else rows
        self._asked.append(lambda: done(answer))

    def read_session(self, key: SessionKey, done: SessionRead) -> None:
        """As the contract says."""
        value = key.value.casefold() if isinstance(key.value, str) else key.value
        rows = [
            StoredLogin(row, self.linked[row.number].body if row.number in self.linked else b"")
            for row in self.logins.values()
            if _value(row, key.by) == value
        ]
        answer = None if self.broken else rows
        self._asked.append(lambda: done(answer))

    def read_settings(self, session: int, done: SettingsRead) -> None:
        """As the contract says."""
        rows = [self.settings[session]] if session in self.settings else []
        answer = None if self.broken else rows
        self._asked.append(lambda: done(answer))

    def take_numbers(self, what: Counted, count: int, done: NumberRead) -> None:
        """As the contract says."""
        stored = max(self.rooms if what == "room" else self.logins, default=0)
        first = max(stored, self._taken.get(what, 0)) + 1
        self._taken[what] = first + count - 1
        self._asked.append(lambda: done(first))

    def skip_numbers(self, what: Counted, last: int, done: Done) -> None:
        """As the contract says."""
        self._taken[what] = max(last, self._taken.get(what, 0))
        self._asked.append(lambda: done(None))

    def fetch(self, rooms: Sequence[tuple[int, int]], done: Callable[[bool], None]) -> None:
        """As the contract says; where it takes a while, when it is told to."""
        if not self.remote:
            done(True)
            return

        def answer() -> None:
            if not self.broken:
                self.at_hand.update(room for room, _ in rooms)
            done(not self.broken)

        self._asked.append(answer)

    def beside(self) -> MemoryStore:
        """The same log as another server sees it, which has none of the open rooms."""
        return _StoreBeside(self)

    def settle(self) -> None:
        """Answer everything, in order, and what comes of it, too."""
        while self._asked:
            self.answer_one()

    def answer_one(self) -> None:
        """Answer the oldest question."""
        self._asked.pop(0)()
        self.answered()

    def _write(self, rows: Sequence[Row]) -> Exception | None:
        if self.broken:
            return OSError("no space left on device")
        new = [row for row in rows if isinstance(row, EventRow)]
        keys = [(row.room, row.seq) for row in new]
        if new and all(self.events.get(key) == row for key, row in zip(keys, new, strict=True)):
            return None  # the very same append again
        if len(set(keys)) < len(keys) or not self.events.keys().isdisjoint(keys):
            return Conflict("an event is there already")
        for row in rows:
            if isinstance(row, EventRow):
                self.events[row.room, row.seq] = row
            elif isinstance(row, SessionRow):
                self.logins[row.number] = row
            elif isinstance(row, ForgottenRow):
                self.logins.pop(row.number, None)
                self.linked.pop(row.number, None)
                self.settings.pop(row.number, None)
            elif isinstance(row, SettingsRow):
                self.settings[row.session] = row
            elif isinstance(row, DevicesRow):
                self.linked[row.session] = row
            elif isinstance(row, RoomRow):
                self.rooms[row.number] = row
            elif isinstance(row, HandedRow):
                self.owners[row.number] = row.owner
            elif isinstance(row, PastRow):
                self.past[row.room, row.match] = row
            elif isinstance(row, ProgressRow):
                self.gone_on[row.name] = row.room
            elif isinstance(row, AnalysisRow):
                self.analyses[row.room, row.match] = row
            elif isinstance(row, DroppedAnalysisRow):
                self.analyses.pop((row.room, row.match), None)
            else:
                assert isinstance(row, PulseRow)
        return None

    def __getstate__(self) -> dict[str, Any]:
        """A copy tells nobody: those who listen belong to the server of this one."""
        return {**vars(self), "news": StoreNews()}

    async def aclose(self) -> None:
        """Nothing to close."""

    def sessions(self) -> list[SessionRow]:
        """As the contract says."""
        return sorted(self.logins.values())

    def devices(self) -> list[DevicesRow]:
        """As the contract says."""
        return list(self.linked.values())

    def open_rooms(self) -> list[int]:
        """As the contract says."""
        return [row.number for row in self.open_room_rows()]

    def open_room_rows(self) -> list[RoomRow]:
        """As the contract says."""
        return sorted(row for row in self.rooms.values() if row.open)

    def newest_events(self) -> list[EventRow]:
        """As the contract says."""
        return list(self.events.values())[-1:]

    def events_before(self, room: int, since: int = 0) -> list[EventRow]:
        """As the contract says."""
        assert not self.remote or room in self.at_hand, "everybody waits while this is read"
        return [row for row in self.all_events(room) if row.seq > since]

    def last_room(self) -> int:
        """As the contract says."""
        return max([*self.rooms, self._taken.get("room", 0)], default=0)

    def progress(self, name: str) -> int:
        """As the contract says."""
        return self.gone_on.get(name, 0)

    def kept_analyses(self) -> list[KeptAnalysis]:
        """As the contract says."""
        rows = sorted(self.analyses.values(), key=lambda row: (row.at, row.room, row.match))
        return [KeptAnalysis(row.room, row.match, row.at, len(row.body)) for row in rows]

    def all_events(self, room: int) -> list[EventRow]:
        """As the contract says."""
        return [row for (n, _), row in sorted(self.events.items()) if n == room]

    def kinds(self, room: int) -> list[str]:
        """What has happened in a room."""
        return [row.kind for row in self.all_events(room)]


def _value(row: SessionRow, column: str) -> Any:
    """What a login is looked up by."""
    return row.name.casefold() if column == "name" else getattr(row, column)


class _StoreBeside(MemoryStore):
    """Another server's view of a store."""

    def __init__(self, store: MemoryStore) -> None:
        self.__dict__ = store.__dict__

    def __setattr__(self, name: str, value: object) -> None:
        """Leave to the other server who is told that the log is away."""
        if name not in ("stalled", "ended"):
            super().__setattr__(name, value)

    def open_room_rows(self) -> list[RoomRow]:
        """None: they are the other server's."""
        return []


class RowStore:
    """A store that reads from a list, at once, and counts that; None: it cannot be read."""

    server, epoch, last_at = "test", 1, 0

    def __init__(self, rows: Sequence[EventRow] | None) -> None:
        self.rows = rows
        self.reads = 0

    def read_events(
        self, room: int, since: int, limit: int, done: Read, kinds: Sequence[str] = ()
    ) -> None:
        """As the contract says."""
        self.reads += 1
        done(None if self.rows is None else select(self.rows, room, since, limit, kinds))

    def read_outline(
        self, room: int, match: int, kinds: Sequence[str], reach: int, done: Read
    ) -> None:
        """As the contract says."""
        self.reads += 1
        if self.rows is not None:
            own = [row for row in self.rows if row.room == room]
        done(None if self.rows is None else outline(own, match, kinds, reach))

    def read_last(self, room: int, session: int, done: PastRead) -> None:
        """As the contract says; the index is made of what can be read."""
        fold, found = PastFold(), list[PastRow]()
        for row in [row for row in self.rows or () if row.room == room]:
            summary = fold.take(row.kind, row.body)
            if summary is not None and session in [who.session for who in summary.players]:
                found = [row_of(room, row.match or 0, summary)]
        done(None if self.rows is None else found)

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(f"who only reads does not {name}")


def select(
    rows: Iterable[EventRow], room: int, since: int, limit: int, kinds: Sequence[str]
) -> list[EventRow]:
    """The events that `read_events` is to find."""
    events = [row for row in rows if row.room == room and row.seq > since]
    events = events[: limit if limit >= 0 else None]
    return [row for row in events if not kinds or row.kind in kinds]


def outline(rows: Sequence[EventRow], match: int, kinds: Sequence[str], reach: int) -> Outline:
    """What `read_outline` is to find in the events of a room."""
    own = [row.seq for row in rows if row.match == match]
    later = [row.seq for row in rows if row.match is not None and row.match > match]
    ends = [*later, rows[-1].seq + 1][0] if rows else 0
    near = range(own[0] - reach, ends + reach) if own else range(0)
    found = [
        row for row in rows if row in (rows[0], rows[-1]) or (row.kind in kinds and row.seq in near)
    ]
    return Outline(found, sum(row.seq in near for row in rows))


def _newest(rows: Iterable[PastRow]) -> list[PastRow]:
    return sorted(rows, key=lambda row: (row.at, row.room, row.match), reverse=True)


def _seat(row: PastRow, who: PlayerKey) -> int | None:
    """The seat that somebody had in a match."""
    if (row.one_name, row.one) == who:
        return 0
    return 1 if (row.two_name, row.two) == who else None


def tallied(rows: Iterable[PastRow], query: TallyQuery) -> Tallies:
    """What `read_tallies` is to find in somebody's matches."""
    newest = _newest(rows)
    since = newest[-1].at if newest else None
    sums: dict[tuple[str, str, int], TallyRow] = {}
    outcomes: list[int] = []
    for row in newest[: query.limit]:
        seat = _seat(row, query.who) or 0
        if row.outcome == UNDECIDED:
            continue
        name, other = ((row.two_name, row.two), (row.one_name, row.one))[seat]
        own = 0 if row.outcome == DRAWN else 1 if row.outcome == seat else -1
        outcomes.append(own)
        key = (row.game, name, other)
        tally = sums.get(key, TallyRow(row.game, other, 0, 0, 0, 0, 1 - seat, row.body))
        sums[key] = tally._replace(
            won=tally.won + (own > 0), drawn=tally.drawn + (own == 0), lost=tally.lost + (own < 0),
            rated=tally.rated + row.rated,
        )  # fmt: skip
    alike = next((n for n, own in enumerate(outcomes) if own != outcomes[0]), len(outcomes))
    looked = len(newest[: query.limit])
    return Tallies(since, tuple(outcomes[:alike]), [sums[key] for key in sorted(sums)], looked)
