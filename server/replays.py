"""A finished match with all its positions, as JSON: what a page needs that knows no rules.

`history` shows actions; here they are played through.  That is work for the rules, so it is done
in a thread, one match at a time, and what was told lately is kept.  Nothing secret is in it: a
private room's matches are told to who has its code, and none that goes on.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeAlias

import msgspec
from msgspec import Struct

from games import registry
from games.game import Game, IllegalAction, NotationError, Position
from protocol.messages import Event as PublicEvent
from protocol.messages import Options, Player, Result
from server.archive import MOST_ROWS, standing
from server.core import match as matches
from server.core.events import Created, Ended, NotReplayed, Started, read_body
from server.store.store import EventRow, Store

log = logging.getLogger("plyhouse")
OUTLINE = ("created", "started", "ended")
MOST_ASKED = 32  # matches that wait to be told; some seconds of work
KEPT = 64  # matches, of some 10 kB each
NOTHING = "There is no finished match of this number, or it is private.\n"
UNREADABLE = "The log cannot be read now.\n"
UNTOLD = "This match cannot be replayed by the rules of today.\n"
BUSY = "Many replays are asked for just now; try again in a moment.\n"


class Moment(Struct, frozen=True, omit_defaults=True):
    """A position of a match, and the action before it (None at the start)."""

    position: str
    to_move: int
    event: PublicEvent | None = None


class Replay(Struct, frozen=True, omit_defaults=True):
    """A match from start to end; takebacks are folded away.  `moments[ply]`."""

    match: str
    room: int
    game: str
    seats: tuple[Player, Player]
    options: Options
    at: int
    result: Result
    moments: tuple[Moment, ...]


class No(NamedTuple):
    """Why there is nothing to be shown; `busy`: it may be there the next time."""

    text: str
    busy: bool = False


Done: TypeAlias = Callable[[bytes | No], None]


class Asked(NamedTuple):
    """Who wants to know a match.  `code`: what they say is that of its room."""

    room: int
    match: int
    code: str | None
    done: Done


class Known(NamedTuple):
    """What was told of a match.  `code`: which one has to be said; None: its room is public."""

    told: bytes
    code: str | None


class Replays:
    """Tells matches of the log to who asks, in turn."""

    def __init__(self, store: Store, loop: asyncio.AbstractEventLoop) -> None:
        self.store = store
        self.loop = loop
        self._known: OrderedDict[tuple[int, int], Known] = OrderedDict()
        self._asked: deque[Asked] = deque()
        self._busy = False
        self._code: str | None = None  # of the room that is being read

    def ask(self, room: int, match: int, code: str | None, done: Done) -> None:
        """Call `done` with the JSON of a match or with why not: at once, or in the event loop
        later.  `code`: of a private room.
        """
        known = self._known.get((room, match))
        if known is not None:
            done(known.told if _opens(known.code, code) else No(NOTHING))
        elif len(self._asked) >= MOST_ASKED:
            done(No(BUSY, busy=True))
        else:
            self._asked.append(Asked(room, match, code, done))
            self._next()

    def _next(self) -> None:
        if self._busy or not self._asked:
            return
        self._busy = True
        asked = self._asked[0]
        known = self._known.get((asked.room, asked.match))
        if known is not None:  # told while this one waited
            self._answer(known.told if _opens(known.code, asked.code) else No(NOTHING))
        else:
            self.store.read_events(asked.room, 0, -1, self._look, OUTLINE)

    def _look(self, outline: list[EventRow] | None) -> None:
        asked = self._asked[0]
        if outline is None:
            return self._answer(No(UNREADABLE, busy=True))
        room, bounds = _created(outline), _bounds(outline, asked.match)
        if room is None or bounds is None or not _opens(room.code, asked.code):
            return self._answer(No(NOTHING))
        self._code = room.code
        first, last = bounds
        return self.store.read_events(asked.room, first - 1, last - first + 1, self._read)

    def _read(self, rows: list[EventRow] | None) -> None:
        if rows is None:
            return self._answer(No(UNREADABLE, busy=True))
        told = self.loop.run_in_executor(None, partial(_written, rows, self._asked[0].match))
        return told.add_done_callback(self._told)

    def _told(self, told: asyncio.Future[bytes | No]) -> None:
        if told.cancelled():
            return  # the server ends
        if (bug := told.exception()) is not None:
            asked = self._asked[0]
            log.error("match %d.%d could not be replayed", asked.room, asked.match, exc_info=bug)
        self._answer(told.result() if bug is None else No(UNTOLD))

    def _answer(self, answer: bytes | No) -> None:
        room, match, _, done = self._asked.popleft()
        if not isinstance(answer, No) and (room, match) not in self._known:
            self._known[room, match] = Known(answer, self._code)
            if len(self._known) > KEPT:
                self._known.popitem(last=False)
        self._busy = False
        done(answer)
        self.loop.call_soon(self._next)


def _opens(needed: str | None, said: str | None) -> bool:
    """Whether who says this code may see what needs that one; None: everybody may."""
    return needed is None or (said is not None and needed.casefold() == said.casefold())


def _created(outline: Sequence[EventRow]) -> Created | None:
    """How the room came to be, if it can be seen at all."""
    try:
        room = read_body(outline[0].kind, outline[0].body) if outline else None
    except NotReplayed:
        return None
    if not isinstance(room, Created) or (room.code is None and not room.options.public):
        return None
    return room


def _bounds(outline: Sequence[EventRow], match: int) -> tuple[int, int] | None:
    """The seqs of a match's start and end, if it is over."""
    seqs = {row.kind: row.seq for row in outline if row.match == match}
    if seqs.keys() != {"started", "ended"} or seqs["ended"] - seqs["started"] >= MOST_ROWS:
        return None
    return seqs["started"], seqs["ended"]


def _written(rows: Sequence[EventRow], match: int) -> bytes | No:
    try:
        return msgspec.json.encode(tell([row for row in rows if row.match == match]))
    except (NotReplayed, IllegalAction, NotationError, registry.UnknownGame):
        return No(UNTOLD)


def tell(rows: Sequence[EventRow]) -> Replay:
    """A match from its rows, the first of which is its start and the last its end.

    Raises:
        NotReplayed, IllegalAction, NotationError, UnknownGame: these rules did not make it.
    """
    start, end = (read_body(row.kind, row.body) for row in (rows[0], rows[-1]))
    if not isinstance(start, Started) or not isinstance(end, Ended):
        raise NotReplayed("a match begins with its start and ends with its end")
    game = registry.game(start.game)
    if game.rules_version != start.rules_version:
        raise matches.RulesChanged(game, start.rules_version)
    one, two = start.players
    return Replay(
        match=f"{rows[0].room}.{rows[0].match}",
        room=rows[0].room,
        game=game.name,
        seats=(one.player(), two.player()),
        options=start.options,
        at=start.at,
        result=end.result,
        moments=tuple(_moments(game, rows[1:-1])),
    )


def _moments(game: Game, rows: Sequence[EventRow]) -> list[Moment]:
    position = game.initial()
    told = [_moment(position, None)]
    for event in standing(rows):
        position = position.apply(matches.read_action(position, event.action or ""))
        told.append(_moment(position, event))
    return told


def _moment(position: Position, event: PublicEvent | None) -> Moment:
    return Moment(position.game.format_position(position), position.to_move, event)
