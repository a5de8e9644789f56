"""A match replayed from its events: every position, its clocks, and what was taken back.

The fold that a server makes of its log, made again from what `history` shows of it.  Nothing is
checked here beyond what the rules refuse; that is verify.py's.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import pairwise

from games import registry
from games.clock import Clock
from games.game import (
    CHANCE,
    BrokenRules,
    Game,
    IllegalAction,
    NotationError,
    Position,
    UnplayableTerms,
)
from protocol.analysis import Resignation
from protocol.history import ACTIONS
from protocol.parts import Event, Options, Player, Result, Series
from protocol.records.record import RecordError
from protocol.records.resignations import resignations_of
from protocol.records.terms import clock_of, first_position

ROLL = "roll"  # the decision to let the dice fall, where a double was possible
LAST_MS = 253_402_300_799_000  # the end of the year 9999


class CannotReplay(RecordError):
    """These events cannot be replayed here; the text is a sentence."""


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One position of a match, and how it came about.

    `last`: the action before it; `clock`: as it stood when the position was shown; `undone`: each
    row of actions that was played from here and taken back.
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
        """Return the answer as the rules number it; the caller has checked that there is one."""
        assert self.answer is not None, "asked only of turns that were answered"
        return self.before.read(self.answer.action or "")

    def text(self) -> str:
        """Such as `4`, or with dice `31: 8/5 6/5`; of a ladder's opening `(4)`."""
        action = (self.answer.action or "") if self.answer is not None else ""
        if self.answer is not None and self.answer.kind == "opening":
            action = f"({action})"
        rolled = " ".join(roll.action or "" for roll in self.rolls)
        return f"{rolled}: {action}".rstrip() if rolled else action


@dataclass(frozen=True, slots=True)
class Replay:
    """A match from its start on; `steps` by ply, without what was taken back.

    `result`: None while it goes on; `at`, `until`: its first and last moment, in ms since 1970;
    `strikes`: what was tried in a ladder's match and is no legal action; `series`: of which it is a
    game, as it stood before this one; `resignations`: see resignations.py.
    """

    match: str
    game: Game
    players: tuple[Player, Player]
    options: Options
    at: int
    until: int
    steps: tuple[ReplayStep, ...]
    result: Result | None
    strikes: tuple[Event, ...] = ()
    series: Series | None = None
    resignations: tuple[Resignation, ...] = ()

    def day(self) -> datetime:
        """Return when it began, in UTC, no later than the year 9999."""
        return datetime.fromtimestamp(min(self.at, LAST_MS) / 1000, UTC)

    def turns(self) -> list[Turn]:
        """Return the decisions that stand, each with the rolls before it.

        To roll in place of a double is none of them.
        """
        turns: list[Turn] = []
        rolls: list[Event] = []
        for old, new in pairwise(self.steps):
            event = new.last
            if event is None:
                continue
            if event.kind == "roll":
                rolls.append(event)
                continue
            if event.action == ROLL and new.position.to_move == CHANCE:
                continue  # the dice say that it was no double
            turns.append(Turn(event.seat or 0, tuple(rolls), event, old.position))
            rolls = []
        last = self.steps[-1].position
        if rolls and last.to_move >= 0:
            turns.append(Turn(last.to_move, tuple(rolls), None, last))
        return turns

    def actions(self) -> tuple[int, ...]:
        """Return all that stand, rolls and passes too, as the rules number them."""
        return tuple(
            old.position.read(new.last.action or "")
            for old, new in pairwise(self.steps)
            if new.last is not None
        )

    def given(self) -> int:
        """Return how many actions a ladder set up before the match."""
        actions = [step.last for step in self.steps[1:]]
        return sum(event is not None and event.kind == "opening" for event in actions)


def replay_events(events: Iterable[Event]) -> Replay:
    """Replay one match.

    Raises:
        CannotReplay: the game or its rules are unknown here, or an action is not legal.
    """
    all_events = list(events)
    start = next((event for event in all_events if event.kind == "started"), None)
    if start is None or start.players is None:
        raise CannotReplay("these events hold no start of a match")
    steps = [_first(start)]
    result = None
    for event in all_events:
        if event.kind in ACTIONS:
            steps.append(_next(steps, event))
        elif event.kind == "takeback":
            _take_back(steps, event.ply or 0)
        elif event.kind == "ended":
            result = event.result
    return Replay(
        match=start.match or "",
        game=steps[0].position.game,
        players=start.players,
        options=start.options or Options(),
        at=start.at or 0,
        until=all_events[-1].at or 0,
        steps=tuple(steps),
        result=result,
        strikes=tuple(event for event in all_events if event.kind == "strike"),
        series=start.series,
        resignations=resignations_of(all_events),
    )


def _first(event: Event) -> ReplayStep:
    name = event.game or ""
    if name not in registry.names():
        raise CannotReplay(
            f"the game {name!r} is not known here; PLYHOUSE_GAMES may name its folder"
        )
    try:
        game = registry.game(name, event.rules_version)
    except registry.UnknownVersion:
        raise CannotReplay(
            f"it was played by version {event.rules_version} of the rules of {name},"
            f" but here is version {registry.game(name).rules_version}"
        ) from None
    options = event.options or Options()
    try:
        position = first_position(game, options, event.series)
    except UnplayableTerms as error:
        raise CannotReplay(f"event {event.seq}: {error}") from None
    clock = clock_of(options.clock)
    return ReplayStep(0, position, None, clock.start(position.seat))


def _next(steps: Sequence[ReplayStep], event: Event) -> ReplayStep:
    if event.ply != steps[-1].ply:
        raise CannotReplay(f"event {event.seq} is ply {event.ply}, which is not the next")
    old = steps[-1]
    try:
        position = old.position.apply(old.position.read(event.action or ""))
    except (NotationError, IllegalAction, BrokenRules) as error:
        raise CannotReplay(f"event {event.seq}: {error}") from None
    clock = old.clock
    if event.kind == "play":
        clock = clock.press(event.spent_ms or 0, event.lag_ms or 0)
    return ReplayStep(old.ply + 1, position, event, clock.start(position.seat))


def _take_back(steps: list[ReplayStep], ply: int) -> None:
    """Go back to `ply`, and remember there which actions were undone."""
    if ply >= len(steps):
        raise CannotReplay(f"a takeback goes to ply {ply}, which was never reached")
    undone = tuple(step.last for step in steps[ply + 1 :] if step.last is not None)
    del steps[ply + 1 :]
    steps[ply] = replace(steps[ply], undone=(*steps[ply].undone, undone))
