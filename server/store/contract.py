"""The contract of the log: `append`, and a few reads.

It stores bytes and plain rows and knows no game.  Beside the log it keeps an index of the matches
that are over, of which every row follows from events, and what bots have said of those matches.

`append(rows, done)` returns at once; `done(error)` is called in the event loop when the rows are
durable (error None) or known not to be (error says why).  All rows of one append are written or
none.  Appends are written in the order in which they were made.  As long as it is not known what
became of rows, as the connection to a database was lost, `done` waits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, Protocol, TypeAlias


class EventRow(NamedTuple):
    """One event of a room.  (room, seq) is the key, so a double append is an error by itself."""

    room: int
    seq: int
    epoch: int
    kind: str
    match: int | None
    body: bytes


class SessionRow(NamedTuple):
    """A login; writing it again replaces it."""

    number: int
    name: str
    token: bytes
    seen: int
    guest: int
    recovery: bytes = b""
    played: int = 0


class DevicesRow(NamedTuple):
    """The devices of a login, once it has had several; writing it again replaces it.

    It goes with its login.
    """

    session: int
    body: bytes


class SettingsRow(NamedTuple):
    """What the programs of a login's owner keep with it; writing it again replaces it.

    It goes with its login.
    """

    session: int
    body: bytes


class StoredLogin(NamedTuple):
    """A login as it is stored; `devices`: the body of its row, empty if it has none."""

    row: SessionRow
    devices: bytes = b""


class ForgottenRow(NamedTuple):
    """A login that is gone; writing it deletes it, its devices and its settings."""

    number: int


class RoomRow(NamedTuple):
    """Whether a room is open; writing it again replaces it.

    `body`: what a start wants to know of the room before its events are read, empty if nothing is
    kept.  All of it follows from events.
    """

    number: int
    open: int
    body: bytes = b""


class HandedRow(NamedTuple):
    """A room of this server's is another one's from now on, no server's where `owner` is empty.

    Only a log knows of it that several servers write to, and does nothing if the room is not this
    server's any more.
    """

    number: int
    owner: str


class PulseRow(NamedTuple):
    """A row that only proves that the log can be written."""

    epoch: int


class PastRow(NamedTuple):
    """A match that is over, in the index; writing it again replaces it.

    `one`, `two`: the sessions of seats 0 and 1, with their names as they are looked up; `private`:
    only they are told of it; `rated`: it counts for the rating of two people; `ladder`: it is
    listed with its ladder; `outcome`: see below; `body`: what is shown of it.
    """

    room: int
    match: int
    at: int
    game: str
    one: int
    one_name: str
    two: int
    two_name: str
    outcome: int
    private: int
    rated: int
    ladder: int
    body: bytes


LOOKED_AT = 10_000  # matches of a room in which somebody is looked for: weeks of two people's
MAX_SCANNED = 1_000_000  # events that are passed over to find those of a match: a second of work
DRAWN, UNDECIDED = 2, 3  # outcomes beside the seat that has won: UNDECIDED was aborted or void


class ProgressRow(NamedTuple):
    """How far something has come that goes through all rooms, from the last to the first.

    `room`: the next one, 0 once it is done; writing it again replaces it.
    """

    name: str
    room: int


INDEXING = "past"  # what puts the matches of older logs into the index


class AnalysisRow(NamedTuple):
    """What a bot has said of a match that is over; writing it again replaces it."""

    room: int
    match: int
    at: int
    body: bytes


class Outline(NamedTuple):
    """Events of a room, see `read_outline`; `looked`: at how many others to find them."""

    rows: list[EventRow]
    looked: int


class DroppedAnalysisRow(NamedTuple):
    """An analysis that is kept no longer; writing it deletes it."""

    room: int
    match: int


class KeptAnalysis(NamedTuple):
    """Of which match there is an analysis, since when, and the bytes of its body."""

    room: int
    match: int
    at: int
    size: int


class PlayerKey(NamedTuple):
    """Whose matches are meant: a session under one of its names, which is as it is looked up."""

    name: str
    session: int


class MatchMoment(NamedTuple):
    """Where a match stands in a list of matches: later ones are greater."""

    at: int
    room: int
    match: int


class SessionKey(NamedTuple):
    """By what a login is looked up: its number, its name without regard to case, or a hash."""

    by: Literal["number", "name", "token", "recovery"]
    value: int | str | bytes


Counted: TypeAlias = Literal["room", "session"]  # ladders are counted among rooms


class PastQuery(NamedTuple):
    """Matches, newest first.

    `who`: None for those of everybody, but for ladders' and private ones; `private`: those as well.
    """

    who: PlayerKey | None
    private: bool
    before: MatchMoment | None
    limit: int


class RatedQuery(NamedTuple):
    """The newest rated matches of a game between people, newest first."""

    game: str
    limit: int


class TallyQuery(NamedTuple):
    """The newest `limit` matches of somebody, added up."""

    who: PlayerKey
    private: bool
    limit: int


class TallyRow(NamedTuple):
    """What somebody's matches of one game against one other came to.

    `seat`: of the other in `body`, that of the newest of these matches; `rated`: how many are.
    """

    game: str
    other: int
    won: int
    drawn: int
    lost: int
    rated: int
    seat: int
    body: bytes


class Tallies(NamedTuple):
    """Somebody's matches, added up.

    `since`: when the first one ended; `outcomes`: of the newest, newest first: 1 won, 0 drawn,
    -1 lost; they end where another outcome comes.  `looked`: at how many, be they decided or not.
    """

    since: int | None
    outcomes: tuple[int, ...]
    rows: list[TallyRow]
    looked: int


Row: TypeAlias = (
    EventRow | SessionRow | DevicesRow | SettingsRow | ForgottenRow | RoomRow | PulseRow | PastRow
    | ProgressRow | AnalysisRow | DroppedAnalysisRow | HandedRow
)  # fmt: skip
Done: TypeAlias = Callable[[Exception | None], None]
Read: TypeAlias = Callable[[list[EventRow] | None], None]
OutlineRead: TypeAlias = Callable[[Outline | None], None]
PastRead: TypeAlias = Callable[[list[PastRow] | None], None]
NumberRead: TypeAlias = Callable[[int | None], None]
TallyRead: TypeAlias = Callable[[Tallies | None], None]
SettingsRead: TypeAlias = Callable[[list[SettingsRow] | None], None]
AnalysisRead: TypeAlias = Callable[[list[AnalysisRow] | None], None]
SessionRead: TypeAlias = Callable[[list[StoredLogin] | None], None]


class StoreError(Exception):
    """The log cannot be opened; the sentence says what to do."""


class StoreInUse(StoreError):
    """Another server has the log."""


class DamagedRow(StoreError):
    """A row is not what was stored: its checksum does not fit."""


class DatabaseAway(StoreError):
    """The database cannot be asked now; it may be later."""


class Conflict(Exception):
    """An event, a name or a token is there already, and not as it was to be written."""


class Fenced(Exception):
    """Another server has taken over what was to be written to: nothing of it was stored."""


class WentBack(Fenced):
    """The database is one that another has taken the place of, or lacks what was stored last: what
    this server holds may be ahead of the log, so it writes nothing more and begins anew from that.
    """


class LogReader(Protocol):
    """What reads events of the log for others."""

    def read_events(
        self, room: int, since: int, limit: int, done: Read, kinds: Sequence[str] = ()
    ) -> None:
        """Hand up to `limit` (-1: all) of a room's events with seq above `since` to `done`, of
        these `kinds` or of any; of some kinds only, `limit` is how many events are looked at.

        It is called in the event loop, with None if they could not be read.
        """

    def read_outline(
        self, room: int, match: int, kinds: Sequence[str], reach: int, done: OutlineRead
    ) -> None:
        """Hand the first and the last event of a room to `done`, as `read_events` does, and between
        them those of `kinds` that are of a match, or at most `reach` events away from it.  What
        is between two matches is the first one's.

        It does not cost more where a room has had many matches: they are numbered upwards.  Chat
        has no such number, so between matches it is looked at: MAX_SCANNED events, or nothing can
        be read.
        """

    def read_last(self, room: int, session: int, done: PastRead) -> None:
        """Hand the row of the last match of a room that a session has played, or no row.

        Of a room with many matches only the newest LOOKED_AT are looked at.
        """

    def read_past(self, query: PastQuery | RatedQuery, done: PastRead) -> None:
        """Hand the rows of matches to `done`, as `read_events` does."""

    def read_match(self, room: int, match: int, done: PastRead) -> None:
        """Hand the row of one match to `done`, or no row if the index has none."""

    def read_owner(self, name: str, done: PastRead) -> None:
        """Hand a match to `done` of the session that has played under a name last, or no row."""

    def read_tallies(self, query: TallyQuery, done: TallyRead) -> None:
        """Hand the sums of somebody's matches to `done`."""

    def read_analysis(self, room: int, match: int, done: AnalysisRead) -> None:
        """Hand what is kept about a match to `done`, or no row."""

    def read_settings(self, session: int, done: SettingsRead) -> None:
        """Hand what is kept with a login to `done`, or no row."""


def unheard(_: object) -> None:
    """Take what a store tells where there is no listener."""


class Space(NamedTuple):
    """Bytes: free for the log, and what it takes; None where that is not known."""

    free: int | None
    used: int | None


class StoreNews:
    """The subscribers of each kind of news about a store, called in the event loop."""

    def __init__(self) -> None:
        # For a while now it has not been known whether anything can be written; or it is again.
        self.stalled: list[Callable[[bool], None]] = []
        # Nothing can be written any more, as another server has taken over.
        self.ended: list[Callable[[Fenced], None]] = []


class Store(LogReader, Protocol):
    """What a server needs of a log.

    `remote`: to read takes a while, so a server fetches events first; `server`: the identity of
    its database; `epoch`: how often it has been opened, this time
    included; `last_at`: when somebody was last seen, in ms; `times_from`: times in events of
    earlier epochs say nothing about what time it is, as a clock was wrong then.
    """

    remote: bool
    server: str
    epoch: int
    last_at: int
    times_from: int
    news: StoreNews

    def append(self, rows: list[Row], done: Done) -> None:
        """Write rows; see the module's first lines."""

    def watch_commits(self, told: Callable[[int, int], None]) -> None:
        """Have `told` called in the event loop after each commit: with the nanoseconds from when it
        was handed over until its answer came, and with how many appends it carried.
        """

    def waited_s(self) -> float:
        """Return how long the oldest append waits that is not answered, in s, 0 if all are."""

    def halted(self) -> str | None:
        """Return what has ended in here that never should, in a sentence; None: all goes on."""

    def space(self) -> Space:
        """Return how much room there is, at once; what takes a while is as of a while ago."""

    def check(self, damaged: Callable[[StoreError], None]) -> None:
        """Look at what was not looked at when the log was opened, beside all else.

        If something is not what was stored, `damaged` is called in the event loop, once, with a
        sentence that says what to do.
        """

    async def aclose(self) -> None:
        """Write what is under way, then let go of the database."""

    def take_numbers(self, what: Counted, count: int, done: NumberRead) -> None:
        """Reserve numbers that no other gets, nor ever had; hand the first to `done`.

        None if none could be had.
        """

    def skip_numbers(self, what: Counted, last: int, done: Done) -> None:
        """Have no number up to `last` given out any more: what had them is perhaps not in the log.

        Only a log knows of it that can go back.
        """

    def read_session(self, key: SessionKey, done: SessionRead) -> None:
        """Hand a login to `done`, as `read_events` does, or no row."""

    def fetch(self, rooms: Sequence[tuple[int, int]], done: Callable[[bool], None]) -> None:
        """Have the events at hand that `events_before` will be asked for: (room, since) each.

        `done` is called once they are, at once where that costs nothing; with False if they could
        not be read.  What is at hand is kept until it is asked for, or fetched anew.
        """

    def sessions(self) -> list[SessionRow]:
        """Return all logins.  Blocking: at start only."""

    def devices(self) -> list[DevicesRow]:
        """Return the devices of the logins that have several.  Blocking: at start only."""

    def open_rooms(self) -> list[int]:
        """Return the numbers of the rooms that are open.  Blocking: at start only."""

    def last_room(self) -> int:
        """Return the highest room number so far, 0 if none; see `skip_numbers`.

        Blocking: at start only.
        """

    def progress(self, name: str) -> int:
        """Return where something goes on, 0 if it is done.  Blocking: at start only."""

    def kept_analyses(self) -> list[KeptAnalysis]:
        """Return which analyses are kept, the oldest first.  Blocking: at start only."""

    def open_room_rows(self) -> list[RoomRow]:
        """Return the rows of the rooms that are open.  Blocking: at start only."""

    def newest_events(self) -> list[EventRow]:
        """Return events of which one is the newest of all.  Blocking: at start only."""

    def events_before(self, room: int, since: int = 0) -> list[EventRow]:
        """Return the events after seq `since` that a room had when the log was opened, in order.

        Blocking, unless they were fetched; it waits for no commit.

        Raises:
            DamagedRow: one of them is not what was stored.
            DatabaseAway: they cannot be read now.
            StoreError: they cannot be read.
        """

    def all_events(self, room: int) -> list[EventRow]:
        """Return a room's events in order.  Blocking: at start only.

        Raises:
            DamagedRow: one of them is not what was stored.
        """
