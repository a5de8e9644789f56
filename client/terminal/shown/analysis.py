"""A bot's analysis of a finished match, or of all games of one to points, as lines for the log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from client.styled_text import StyledText, cut, styled
from client.terminal.shown.interface import LOG_WIDTH
from client.words import NamedGame, mark
from games.game import Game
from protocol.analysis import Analysed
from protocol.history import remaining_actions
from protocol.records.analyses import standing
from protocol.records.analysis_text import format_analysis, format_series
from protocol.records.record import MatchRecord
from protocol.records.results import result_text

_RAISES: Final = ("double", "beaver", "raccoon")
_ANSWERS: Final = ("take", "drop")


class AnalysedGame(NamedTuple):
    """A game of a series: what a bot has said of it, and the events of it."""

    analysed: Analysed
    record: MatchRecord


def analysis_lines(analysed: Analysed, game: NamedGame | None) -> list[StyledText]:
    """Return an analysis for people; `game` is None where it is not known here."""
    text = format_analysis(analysed.analysis, (mark(game, 0), mark(game, 1)))
    return _lines(f"Match {analysed.match}:", [], text)


def series_lines(games: Sequence[AnalysedGame], game: NamedGame | None) -> list[StyledText]:
    """Return the story of a series of one game or more: of each how it ended and what was decided
    about the cube; then what both sides lost in each and in all, and what cost most.
    """
    story = [
        line
        for each in games
        for line in (f"{_where(each)}: {_end(each.record, game)}", f"  {_cube_story(each, game)}")
    ]
    analyses = [each.analysed.analysis for each in games]
    text = format_series(analyses, (mark(game, 0), mark(game, 1)))
    return _lines(f"All games up to {games[-1].record.match}:", [*story, ""], text)


def _lines(head: str, story: Sequence[str], text: str) -> list[StyledText]:
    lines = [styled(("event", head))]
    lines += [styled(f"  {line}" if line else "") for line in (*story, *text.splitlines())]
    return [cut(line, LOG_WIDTH) for line in lines]


def _where(game: AnalysedGame) -> str:
    series = game.analysed.analysis.series
    return standing(series) if series is not None else game.record.match


def _end(record: MatchRecord, game: NamedGame | None) -> str:
    result = next((event.result for event in record.events if event.kind == "ended"), None)
    names = mark(game, 0), mark(game, 1)
    return result_text(result, game.name if isinstance(game, Game) else "", names)


def _cube_story(played: AnalysedGame, game: NamedGame | None) -> str:
    """Return what was decided about the cube, but for rolls: "X doubles to 2, O takes"."""
    value, words = 1, []
    for event in remaining_actions(played.record.events):
        if event.action in _RAISES:
            value *= 2
        if event.action in (*_RAISES, *_ANSWERS):
            end = f" to {value}" if event.action in _RAISES else ""
            words.append(f"{mark(game, event.seat or 0)} {event.action}s{end}")
    return f"{', '.join(words) or 'no double'}."
