"""A match with all its positions, as JSON: for a page, which knows no rules; or as a file.

`history` shows actions; here they are played through.  The rules need time for that, so it is done
in a thread, one match at a time, and the latest documents are cached.  They hold no secret: those
of a private room are shown only to a client that gives its code, and of a match that is on there is
only what everybody who looks on was shown, made anew for each who asks.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias, TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from games import registry
from games.game import (
    BrokenRules,
    Game,
    IllegalAction,
    NotationError,
    Position,
    UnplayableTerms,
)
from protocol.notation import format_match
from protocol.parts import Event as PublicEvent
from protocol.parts import Seat
from protocol.records.document import ReplayDocument, ReplayPosition
from protocol.records.terms import first_position
from server.config import REPLAYED, REPLAYING
from server.core import access
from server.core import match as matches
from server.core.events import Created, Ended, NotReplayed, Started, Who, read_body
from server.core.room import Room
from server.net import exports
from server.net.exports import Download
from server.past.log_reads import Charge, LogReads, rest_after
from server.services import history, story
from server.services.history import MAX_ROWS, remaining_actions
from server.services.purged import refusal_of
from server.store.contract import EventRow, LogReader, Outline, unheard
from server.threads import in_thread

log = logging.getLogger("plyhouse")
BOUNDS = ("dealt", "started", "ended")
T = TypeVar("T")
MAX_WAITING = 32  # requests; some seconds of work
MAX_CACHED = 64  # documents, of some 10 kB each
NOT_FOUND = "There is no finished match of this number, or it is private.\n"
UNREADABLE = "The log cannot be read now.\n"
NOT_REPLAYABLE = "This match cannot be replayed by the rules of today.\n"
UNPLAYABLE = (  # what playing a match through may raise
    NotReplayed, IllegalAction, NotationError, BrokenRules, UnplayableTerms, registry.UnknownGame,
)  # fmt: skip
BUSY = "Many replays are asked for just now; try again in a moment.\n"


class MatchSoFar(Struct, frozen=True, omit_defaults=True):
    """The positions of a match that is on, or is over meanwhile."""

    match: str
    moments: tuple[ReplayPosition, ...]


class NoReplay(NamedTuple):
    """Why there is no document; `busy`: there may be one the next time."""

    text: str
    busy: bool = False


MatchDocument: TypeAlias = bytes | Download  # a replay in JSON, or a file
Done: TypeAlias = Callable[[MatchDocument | NoReplay], None]


class ReplayRequest(NamedTuple):
    """A request for a match.  `ending`: of the file that is wanted; empty: the replay.

    `so_far`: it need not be over.
    """

    room: int
    match: int
    ending: str = ""
    so_far: bool = False


class WaitingReplay(NamedTuple):
    """A request, who is to be told, and who pays.  `code`: of the room, as it was typed."""

    request: ReplayRequest
    code: str | None
    done: Done
    charge: Charge


class CachedReplay(NamedTuple):
    """A document.  `code`: of its room; None: the room is public.

    `players` had the names in it; of those in the seats `former` they were not theirs any more.
    """

    document: MatchDocument
    code: str | None
    players: tuple[Who, ...]
    former: tuple[Seat, ...]

    def answer(self, typed: str | None) -> MatchDocument | NoReplay:
        """Return the document for a client that gives this code."""
        return self.document if access.opens(self.code, typed) else NoReplay(NOT_FOUND)


class ReplayService:
    """Answers requests for matches of the log, one after the other.

    `open_room`: returns a room, if it is open; `is_former`: whether a name is not theirs any more
    who had it.
    """

    def __init__(
        self,
        reads: LogReads,
        loop: asyncio.AbstractEventLoop,
        open_room: Callable[[int], Room | None],
        is_former: Callable[[Who], bool] = lambda who: False,
    ) -> None:
        self.reads = reads
        self.loop = loop
        self.open_room = open_room
        self.is_former = is_former
        self._cache: OrderedDict[ReplayRequest, CachedReplay] = OrderedDict()
        self._waiting: deque[WaitingReplay] = deque()
        self._busy = False  # with a request, or resting after it
        self._began = 0.0
        self._code: str | None = None  # of the room that is being read
        self._players: tuple[Who, ...] = ()  # of the match that is being read
        self._former: tuple[Seat, ...] = ()  # of these
        self._ladder: str | None = None  # of that match
        self._grows = False  # whether its series goes on, so that there will be more to tell

    def ask(
        self, request: ReplayRequest, code: str | None, done: Done, charge: Charge = unheard
    ) -> None:
        """Call `done`, now or later, with what is wanted of a match or with why there is none.

        `charge` is told what it has cost, beyond REPLAYING.
        """
        cached = self._cached(request)
        if cached is not None:
            done(cached.answer(code))
        elif len(self._waiting) >= MAX_WAITING:
            done(NoReplay(BUSY, busy=True))
        else:
            self._waiting.append(WaitingReplay(request, code, done, charge))
            self._next()

    def _next(self) -> None:
        if self._busy or not self._waiting:
            return
        self._busy, self._began, self._grows = True, self.loop.time(), False
        request, code, _, charge = self._waiting[0]
        cached = self._cached(request)
        if cached is not None:  # made while this one waited
            self._answer(cached.answer(code))
        else:
            self.reads.ask(None, self._find, charge)

    def _cached(self, request: ReplayRequest) -> CachedReplay | None:
        """Return a document that was made before, if all names in it are whose they were then."""
        cached = self._cache.get(request)
        if cached is not None and cached.former != self._former_of(cached.players):
            del self._cache[request]
            return None
        return cached

    def _former_of(self, players: Sequence[Who]) -> tuple[Seat, ...]:
        seats: tuple[Seat, Seat] = (0, 1)
        return tuple(seat for seat, who in zip(seats, players, strict=False) if self.is_former(who))

    def _find(self, reader: LogReader) -> None:
        self._read_outline(reader, 0, self._look)

    def _read_outline(
        self, reader: LogReader, reach: int, take: Callable[[LogReader, list[EventRow]], None]
    ) -> None:
        """Read the ends of the room, of the match, and of others up to `reach` events away."""
        request = self._waiting[0].request

        def read(outline: Outline | None) -> None:
            if outline is None:
                self._answer(NoReplay(UNREADABLE, busy=True))
            else:
                take(reader, outline.rows)

        reader.read_outline(request.room, request.match, BOUNDS, reach, self._sure(read))

    def _sure(self, take: Callable[[T], None]) -> Callable[[T], None]:
        """Return `take`, after whose failure all who wait are told, and the next is served."""
        waiting = self._waiting[0]

        def guarded(found: T) -> None:
            try:
                take(found)
            except Exception:
                log.exception("match %d.%d could not be replayed", *waiting.request[:2])
                if self._waiting and self._waiting[0] is waiting:
                    self._answer(NoReplay(NOT_REPLAYABLE))

        return guarded

    def _look(self, reader: LogReader, outline: list[EventRow]) -> None:
        request, code = self._waiting[0][:2]
        gone = refusal_of(outline[0].kind, outline[0].body) if outline else None
        if gone is not None:
            self._answer(NoReplay(gone.text))
            return
        room, bounds = _created(outline), _bounds(outline, request)
        if room is None or bounds is None or not access.opens(room.code, code):
            self._answer(NoReplay(NOT_FOUND))
            return
        self._code = room.code
        self._ladder = room.leg.name if room.leg is not None else None
        has_games = not request.so_far and request.ending in ("", *exports.OF_A_SERIES)
        if has_games and story.is_of_series(outline, request.match):
            self._read_outline(reader, MAX_ROWS, partial(self._look_at_series, bounds))
        else:
            self._read_rows(reader, outline, bounds, bounds)

    def _look_at_series(
        self, bounds: tuple[int, int], reader: LogReader, outline: list[EventRow]
    ) -> None:
        """Read all games of the series of a match as well, if they are not too much."""
        request = self._waiting[0].request
        games = story.games_of(outline, request.match)
        last_game = request.match if request.ending else games[-1]
        self._grows = not request.ending and story.goes_on(outline, last_game)
        games_bounds = _with_games(outline, bounds, games[0], last_game)
        self._read_rows(reader, outline, bounds, games_bounds)

    def _read_rows(
        self, reader: LogReader, outline: list[EventRow], own: tuple[int, int],
        bounds: tuple[int, int],
    ) -> None:  # fmt: skip
        first, last = bounds
        deals = [row for row in outline if row.kind == "dealt" and row.seq < first]
        take = self._sure(partial(self._read, deals, range(own[0], own[1] + 1)))
        reader.read_events(self._waiting[0].request.room, first - 1, last - first + 1, take)

    def _read(self, deals: list[EventRow], seqs: range, rows: list[EventRow] | None) -> None:
        """Take the rows of a match, whose own are at `seqs`, and of its series."""
        request = self._waiting[0].request
        if rows is None:
            return self._answer(NoReplay(UNREADABLE, busy=True))
        own = [row for row in rows if row.match == request.match and row.seq in seqs]
        self._waiting[0].charge(max(0, REPLAYED * len(rows) - REPLAYING))
        self._players = _players(own)
        self._former = self._former_of(self._players)
        if request.ending:
            room = self.open_room(request.room)
            work: Callable[[], MatchDocument | NoReplay] = partial(
                _exported, [*deals, *rows], request, room
            )
        else:
            if request.so_far:
                work = partial(_encoded_so_far, own)
            else:
                work = partial(_encoded, own, rows, self._former, self._ladder)
        return in_thread(self.loop, work, self._replayed)

    def _replayed(self, future: asyncio.Future[MatchDocument | NoReplay]) -> None:
        if future.cancelled():
            return  # the server ends
        if (bug := future.exception()) is not None:
            request = self._waiting[0].request
            log.error(
                "match %d.%d could not be replayed", request.room, request.match, exc_info=bug
            )
        self._answer(future.result() if bug is None else NoReplay(NOT_REPLAYABLE))

    def _answer(self, answer: MatchDocument | NoReplay) -> None:
        request, _, done, _ = self._waiting.popleft()
        is_last = not request.so_far and not self._grows
        if is_last and not isinstance(answer, NoReplay) and request not in self._cache:
            self._cache[request] = CachedReplay(answer, self._code, self._players, self._former)
            if len(self._cache) > MAX_CACHED:
                self._cache.popitem(last=False)
        rest = rest_after(self.loop.time() - self._began)
        self.loop.call_later(rest, self._rested)
        done(answer)

    def _rested(self) -> None:
        self._busy = False
        self._next()


def _created(outline: Sequence[EventRow]) -> Created | None:
    """Return how the room came to be, if it can be seen at all."""
    try:
        first = read_body(outline[0].kind, outline[0].body) if outline else None
    except NotReplayed:
        return None
    if not isinstance(first, Created) or (first.code is None and not first.options.public):
        return None
    return first


def _bounds(outline: Sequence[EventRow], request: ReplayRequest) -> tuple[int, int] | None:
    """Return the seqs of a match's start and end, if it is over or need not be."""
    ends = ("started", "ended")
    seqs = {row.kind: row.seq for row in outline if row.match == request.match and row.kind in ends}
    if request.so_far and seqs.keys() == {"started"}:
        return seqs["started"], seqs["started"] + MAX_ROWS - 1
    if seqs.keys() != {"started", "ended"} or seqs["ended"] - seqs["started"] >= MAX_ROWS:
        return None
    return seqs["started"], seqs["ended"]


def _with_games(
    outline: Sequence[EventRow], bounds: tuple[int, int], first: int, last: int
) -> tuple[int, int]:
    """Return the seqs from the start of a match to the end of another; else those given."""
    begins = next(row.seq for row in outline if row.kind == "started" and row.match == first)
    ends = next(row.seq for row in outline if row.kind == "ended" and row.match == last)
    return (begins, ends) if ends - begins < MAX_ROWS else bounds


def _players(rows: Sequence[EventRow]) -> tuple[Who, ...]:
    """Return who played the match of these rows, if that can be read."""
    try:
        start = read_body(rows[0].kind, rows[0].body) if rows else None
    except NotReplayed:
        return ()
    return start.players if isinstance(start, Started) else ()


def _encoded(
    rows: Sequence[EventRow],
    series: Sequence[EventRow],
    former: tuple[Seat, ...],
    ladder: str | None,
) -> bytes | NoReplay:
    try:
        games = story.summary(series)
        document = replace(replayed(rows), former=former, ladder=ladder, games=games)
        return msgspec.json.encode(document)
    except UNPLAYABLE:
        return NoReplay(NOT_REPLAYABLE)


def _encoded_so_far(rows: Sequence[EventRow]) -> bytes | NoReplay:
    try:
        return msgspec.json.encode(replayed_so_far(rows))
    except UNPLAYABLE:
        return NoReplay(NOT_REPLAYABLE)


def _exported(
    rows: Sequence[EventRow], request: ReplayRequest, room: Room | None
) -> Download | NoReplay:
    games: dict[int, list[PublicEvent]] = {}
    for row in rows:
        if row.match is None or row.match > request.match:
            continue
        event = history.public_event(row, room)
        if event is None:
            return NoReplay(NOT_REPLAYABLE)
        games.setdefault(row.match, []).append(event)
    own = games.pop(request.match)
    before = [events for events in games.values() if any(e.kind == "started" for e in events)]
    try:
        return exports.written(request.room, request.match, own, request.ending, before)
    except exports.NoFile as no:
        return NoReplay(no.text, busy=no.later)


def replayed_so_far(rows: Sequence[EventRow]) -> MatchSoFar:
    """Return the positions of a match from its rows, the first of which is its start.

    What a bot thinks in a rated match stays unseen, as in `history`.

    Raises:
        NotReplayed, IllegalAction, NotationError, BrokenRules, UnknownGame: it was not made by
            these rules.
    """
    start, game = _start(rows)
    moments = _moments(first_position(game, start.options, start.series), rows[1:])
    if start.options.rated and rows[-1].kind != "ended":
        moments = [
            replace(each, event=replace(each.event, note=None)) if each.event is not None else each
            for each in moments
        ]
    return MatchSoFar(format_match(rows[0].room, rows[0].match or 0), tuple(moments))


def _start(rows: Sequence[EventRow]) -> tuple[Started, Game]:
    """Return how a match began, and the rules that it began by."""
    start = read_body(rows[0].kind, rows[0].body) if rows else None
    if not isinstance(start, Started):
        raise NotReplayed("a match begins with its start")
    return start, matches.rules_of(start)


def replayed(rows: Sequence[EventRow]) -> ReplayDocument:
    """Return a match from its rows, the first of which is its start and the last its end.

    Raises:
        NotReplayed, IllegalAction, NotationError, BrokenRules, UnknownGame: it was not made by
            these rules.
    """
    start, game = _start(rows)
    end = read_body(rows[-1].kind, rows[-1].body)
    if not isinstance(end, Ended):
        raise NotReplayed("a match that is over ends with its end")
    one, two = start.players
    first = first_position(game, start.options, start.series)
    return ReplayDocument(
        match=format_match(rows[0].room, rows[0].match or 0),
        room=rows[0].room,
        game=game.name,
        seats=(one.player(), two.player()),
        options=start.options,
        at=start.at,
        result=end.result,
        moments=tuple(_moments(first, rows[1:-1])),
    )


def _moments(position: Position, rows: Sequence[EventRow]) -> list[ReplayPosition]:
    moments = [_moment(position, None)]
    for event in remaining_actions(rows):
        position = position.apply(position.read(event.action or ""))
        moments.append(_moment(position, event))
    return moments


def _moment(position: Position, event: PublicEvent | None) -> ReplayPosition:
    return ReplayPosition(position.game.format_position(position), position.to_move, event)
