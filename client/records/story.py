"""A match told from its events: every position that stood, its clocks, and what was taken back.

The fold that a server makes of its log, made again from what `history` shows of it.  Nothing is
checked here beyond what the rules refuse; that is verify.py's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise

from games import clock as clocks
from games import registry
from games.clock import Clock
from games.game import Game, IllegalAction, NotationError, Position
from protocol.messages import ClockOptions, Event, Options, Player, Result

ACTIONS = frozenset({"play", "pass", "roll", "opening"})
LAST_MS = 253_402_300_799_000  # the end of the year 9999


class Untold(Exception):
    """These events are no match that can be played through here; the text is a sentence."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One position of a match, and how it came about.

    `last`: the action before it; `clock`: as it stood when the position was shown; `undone`: the
    actions that were made from here, each line of them, and taken back.
    """

    ply: int
    position: Position
    last: Event | None
    clock: Clock
    undone: tuple[tuple[Event, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """A decision and the rolls before it; `answer` is None where the match ended on a roll."""

    seat: int
    rolls: tuple[Event, ...]
    answer: Event | None
    before: Position  # what was to be answered

    def action(self) -> int:
        """The answer as the rules number it; only where there is one."""
        assert self.answer is not None, "asked only of turns that were answered"
        return _action(self.before, self.answer.action or "")

    def text(self) -> str:
        """Such as `4`, or with dice `31: 8/5 6/5`; of a ladder's opening `(4)`."""
        action = (self.answer.action or "") if self.answer is not None else ""
        if self.answer is not None and self.answer.kind == "opening":
            action = f"({action})"
        rolled = " ".join(roll.action or "" for roll in self.rolls)
        return f"{rolled}: {action}".rstrip() if rolled else action


@dataclass(frozen=True, slots=True)
class Story:
    """A match from its start on; `moments` by ply, so that takebacks are folded away.

    `result`: None while it goes on; `at`, `until`: its first and last moment, in ms since 1970;
    `strikes`: what was tried in a ladder's match and is no legal action.
    """

    match: str
    game: Game
    players: tuple[Player, Player]
    options: Options
    at: int
    until: int
    moments: tuple[Moment, ...]
    result: Result | None
    strikes: tuple[Event, ...] = ()

    def day(self) -> datetime:
        """When it began, in UTC; the last day that there is if a file says something later."""
        return datetime.fromtimestamp(min(self.at, LAST_MS) / 1000, UTC)

    def turns(self) -> list[Turn]:
        """The decisions that stand, each with the rolls before it."""
        return _turns(self.moments)

    def actions(self) -> tuple[int, ...]:
        """All that stand, rolls and passes too, as the rules number them."""
        return tuple(
            _action(old.position, new.last.action or "")
            for old, new in pairwise(self.moments)
            if new.last is not None
        )

    def given(self) -> int:
        """How many actions a ladder set up before the match."""
        made = [moment.last for moment in self.moments[1:]]
        return sum(event is not None and event.kind == "opening" for event in made)


def tell(events: Iterable[Event]) -> Story:
    """The story of one match.

    Raises:
        Untold: the game or these rules of it are not known here, or something cannot be played.
    """
    listed = list(events)
    start = next((event for event in listed if event.kind == "started"), None)
    if start is None or start.players is None:
        raise Untold("there is no match in these events: none of them is its start")
    told = [_first(start)]
    result = None
    for event in listed:
        if event.kind in ACTIONS:
            told.append(_next(told, event))
        elif event.kind == "takeback":
            _take_back(told, event.ply or 0)
        elif event.kind == "ended":
            result = event.result
    return Story(
        match=start.match or "",
        game=told[0].position.game,
        players=start.players,
        options=start.options or Options(),
        at=start.at or 0,
        until=listed[-1].at or 0,
        moments=tuple(told),
        result=result,
        strikes=tuple(event for event in listed if event.kind == "strike"),
    )


def _first(event: Event) -> Moment:
    name = event.game or ""
    if name not in registry.names():
        raise Untold(f"the game {name!r} is not known here; PLYHOUSE_GAMES may name its folder")
    game = registry.game(name)
    if game.rules_version != event.rules_version:
        raise Untold(
            f"it was played by version {event.rules_version} of the rules of {name},"
            f" and here is version {game.rules_version}"
        )
    position = game.initial()
    clock = clock_of(event.options.clock if event.options is not None else None)
    return Moment(0, position, None, clock.start(_runner(position)))


def clock_of(options: ClockOptions | None) -> Clock:
    """The clock that a match begins with."""
    if options is None:
        return clocks.untimed()
    if options.per_move_ms is not None:
        return clocks.each_move(options.per_move_ms)
    return clocks.fischer(options.base_ms or 0, options.increment_ms)


def _runner(position: Position) -> int | None:
    return position.to_move if position.to_move >= 0 else None


def _next(told: Sequence[Moment], event: Event) -> Moment:
    if event.ply != told[-1].ply:
        raise Untold(f"event {event.seq} is ply {event.ply}, which is not the next")
    old = told[-1]
    try:
        position = old.position.apply(_action(old.position, event.action or ""))
    except (NotationError, IllegalAction) as error:
        raise Untold(f"event {event.seq}: {error}") from None
    clock = old.clock
    if event.kind == "play":
        clock = clock.press(event.spent_ms or 0, event.lag_ms or 0)
    return Moment(old.ply + 1, position, event, clock.start(_runner(position)))


def _action(position: Position, text: str) -> int:
    written = position.legal_notation()
    if text in written:
        return position.legal_actions()[written.index(text)]
    return position.game.parse_action(position, text)


def _take_back(told: list[Moment], ply: int) -> None:
    """Go back to `ply`; what is dropped stays there as a line that was tried."""
    if ply >= len(told):
        raise Untold(f"something was taken back to ply {ply}, which there has not been")
    line = tuple(moment.last for moment in told[ply + 1 :] if moment.last is not None)
    del told[ply + 1 :]
    told[ply] = replace(told[ply], undone=(*told[ply].undone, line))


def _turns(told: Sequence[Moment]) -> list[Turn]:
    found: list[Turn] = []
    rolls: list[Event] = []
    for old, new in pairwise(told):
        event = new.last
        if event is None:
            continue
        if event.kind == "roll":
            rolls.append(event)
            continue
        found.append(Turn(event.seat or 0, tuple(rolls), event, old.position))
        rolls = []
    last = told[-1].position
    if rolls and last.to_move >= 0:
        found.append(Turn(last.to_move, tuple(rolls), None, last))
    return found
