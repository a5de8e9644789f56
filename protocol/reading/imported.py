"""A file of a match as a page shows it: each game with all its positions."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from protocol.analysis import Resignation
from protocol.parts import Result, Series
from protocol.reading.files import ReadMatch
from protocol.records.document import (
    CUBE_ACTIONS,
    CubeDecision,
    ReplayDocument,
    ReplayPosition,
    StoryGame,
)
from protocol.records.record import NotARecord
from protocol.records.replay import Replay, replay_events

NOT_OVER: Final = Result(winner=None, returns=(0.0, 0.0), how="void", reason="unfinished")


class ImportedGame(ReplayDocument, frozen=True, omit_defaults=True):
    """A game of a file that somebody brought; with what else an analysis of it is told."""

    given: int = 0
    series: Series | None = None
    resignations: tuple[Resignation, ...] = ()


class ImportedMatch(Struct, frozen=True, omit_defaults=True):
    """The games of a file, named 0.1, 0.2 ...; `story`: those of a series that are over.  See
    `ReadMatch` for the rest.
    """

    games: tuple[ImportedGame, ...]
    story: tuple[StoryGame, ...] = ()
    fault: str | None = None
    remarks: tuple[str, ...] = ()
    promised: bool = False


def imported_match(match: ReadMatch) -> ImportedMatch:
    """Return the document of a file that was read.

    Raises:
        CannotReplay: the rules here do not follow one of its games.
        NotARecord: not one turn of it could be read.
    """
    replays = [replay_events(record.events) for record in match.games]
    replays = [replay for replay in replays if replay.turns() and replay.turns()[0].answer]
    if not replays:
        raise NotARecord(match.fault or "no player does anything in this match")
    games = [_game(f"0.{number}", replay) for number, replay in enumerate(replays, 1)]
    story = [
        StoryGame(game.match, game.series, replay.result, _cube_decisions(replay))
        for game, replay in zip(games, replays, strict=True)
        if game.series is not None and replay.result is not None
    ]
    return ImportedMatch(
        tuple(games), tuple(story), match.fault, tuple(match.remarks), match.promised
    )


def _game(name: str, replay: Replay) -> ImportedGame:
    moments = [
        ReplayPosition(replay.game.format_position(step.position), step.position.to_move, step.last)
        for step in replay.steps
    ]
    return ImportedGame(
        match=name, room=0, game=replay.game.name, seats=replay.players, options=replay.options,
        at=replay.at, result=replay.result or NOT_OVER, moments=tuple(moments),
        given=replay.given(), series=replay.series, resignations=replay.resignations,
    )  # fmt: skip


def _cube_decisions(replay: Replay) -> tuple[CubeDecision, ...]:
    events = [(step.ply - 1, step.last) for step in replay.steps if step.last is not None]
    return tuple(
        CubeDecision(ply, 1 if event.seat else 0, event.action or "")
        for ply, event in events
        if event.action in CUBE_ACTIONS
    )
