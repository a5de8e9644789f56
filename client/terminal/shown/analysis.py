"""A bot's analysis of a finished match, as lines for the log: the totals of both sides, and the
plays that cost most.

    ply  13  X  31: 24/21 6/5  lost 0.112 ??  better 8/5 6/5 +0.122

Plies are counted from 1, as by `plyhouse replay` and, in games without dice, beside the board.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from client.styled_text import StyledText, cut, pad, styled, width
from client.terminal.shown.interface import LOG_WIDTH
from client.words import NamedGame, mark
from games.game import Game
from protocol.analysis import Analysed, AnalysedPlay, MatchAnalysis
from protocol.history import remaining_actions
from protocol.records.analyses import (
    LOST_IN,
    MAX_WORST,
    MISTAKES,
    RATING,
    added_up,
    costly,
    figure,
    loss_text,
    mark_of,
    marks_text,
    rates,
    rating_text,
    roll_before,
    standing,
    total_rows,
    value_text,
    worst,
)
from protocol.records.record import MatchRecord
from protocol.records.results import result_text

_RAISES: Final = ("double", "beaver", "raccoon")
_ANSWERS: Final = ("take", "drop")
_LOST_IN: Final = {
    **LOST_IN,
    "points": "in points a game, which best play would have won more on average",
}
# The counts that are shown, by the names that they have here.
_COUNTS: Final = {
    **{name: name for name in ("decisions", "not proven", "lost", "doubtful ?", "blunders ??")},
    "by plays": " by plays",
    "by the cube": " by cube",
    "by resigning": " resigning",
    "luck": "luck",
    "performance rating": "rating",
}


def analysis_lines(analysed: Analysed, game: NamedGame | None) -> list[StyledText]:
    """Return an analysis for people; `game` is None where it is not known here."""
    analysis = analysed.analysis
    game_of = f", {standing(analysis.series)}" if analysis.series is not None else ""
    head = f"Match {analysed.match}{game_of}, looked at by {analysis.by}:"
    lines = [styled(("event", head)), *_totals(analysis, game), *_worst(analysis, game)]
    lines += [styled(("dim", f"  {text}")) for text in _legend(analysis)]
    if analysis.left:
        lines.append(
            styled(("dim", f"Time ran out before {len(analysis.left)} plies were analysed."))
        )
    if analysis.partial:
        lines.append(
            styled(("dim", "The analysis did not fit into one message; part of it is missing."))
        )
    return [cut(line, LOG_WIDTH) for line in lines]


class AnalysedGame(NamedTuple):
    """A game of a series: what a bot has said of it, and the events of it."""

    analysed: Analysed
    record: MatchRecord


def series_lines(games: Sequence[AnalysedGame], game: NamedGame | None) -> list[StyledText]:
    """Return the story of a series of one game or more: of each how it ended, what was decided
    about the cube, and what both sides lost, behind it their ratings; then all of it added up, and
    what cost most.
    """
    analyses = [each.analysed.analysis for each in games]
    sums = added_up(analyses)
    head = f"All games up to {games[-1].record.match}, looked at by {sums.by}:"
    lines = [styled(("event", head))]
    for each, analysis in zip(games, analyses, strict=True):
        where = standing(analysis.series) if analysis.series is not None else each.record.match
        one, two = (
            f"{mark(game, seat)} lost {figure(total.loss, analysis.unit)} ({rating_text(total)})"
            for seat, total in enumerate(analysis.totals)
        )
        lines.append(styled(f"  {where}: {_end(each.record, game)}"))
        lines.append(styled(("dim", f"    {_cube_story(each.record, game)}  "), f"{one}, {two}"))
    lines += _totals(sums, game)
    plays = [(play, where) for where, each in enumerate(analyses) for play in costly(each)]
    plays.sort(key=lambda item: -(item[0].loss or 0.0))
    for play, at in plays[:MAX_WORST]:
        series = analyses[at].series
        number = series.game if series is not None else 0
        head = f"game {number}, ply {play.ply + 1:3}"
        lines.append(_play_line(head, play, analyses[at], game))
    lines += [styled(("dim", f"  {text}")) for text in _legend(sums)]
    return [cut(line, LOG_WIDTH) for line in lines]


def _end(record: MatchRecord, game: NamedGame | None) -> str:
    result = next((event.result for event in record.events if event.kind == "ended"), None)
    names = mark(game, 0), mark(game, 1)
    return result_text(result, game.name if isinstance(game, Game) else "", names)


def _cube_story(record: MatchRecord, game: NamedGame | None) -> str:
    """Return what was decided about the cube, but for rolls: "X doubles to 2, O takes"."""
    value, words = 1, []
    for event in remaining_actions(record.events):
        if event.action in _RAISES:
            value *= 2
        if event.action in (*_RAISES, *_ANSWERS):
            end = f" to {value}" if event.action in _RAISES else ""
            words.append(f"{mark(game, event.seat or 0)} {event.action}s{end}")
    return f"{', '.join(words) or 'nobody doubled'}."


def _play_line(
    head: str, play: AnalysedPlay, analysis: MatchAnalysis, game: NamedGame | None, wide: int = 0
) -> StyledText:
    """Return one of the plays that cost most, its action in `wide` columns at least."""
    return styled(
        f"  {head}  ",
        (f"seat{play.seat}", mark(game, play.seat)),
        f"  {pad(_action(analysis, play), wide)}  {_loss(analysis, play)}  ",
        ("dim", _better(analysis, play)),
        ("event", _said_of_cube(play)),
    )


def _action(analysis: MatchAnalysis, play: AnalysedPlay) -> str:
    return roll_before(analysis, play) + play.action


def _legend(analysis: MatchAnalysis) -> list[str]:
    lines = [f"lost: {_LOST_IN[analysis.unit]}", marks_text(analysis)]
    return [*lines, RATING] if rates(analysis) else lines


def _totals(analysis: MatchAnalysis, game: NamedGame | None) -> list[StyledText]:
    """Return a row for each count that says something, a column for each side."""
    rows = [(_COUNTS[name], *cells) for name, *cells in total_rows(analysis) if name in _COUNTS]
    rows.insert(0, ("", mark(game, 0), mark(game, 1)))
    wide = max(width(cell) for row in rows for cell in row[1:])
    return [
        styled(f"  {row[0]:11}", *(f"  {' ' * (wide - width(c))}{c}" for c in row[1:]))
        for row in rows
    ]


def _worst(analysis: MatchAnalysis, game: NamedGame | None) -> list[StyledText]:
    """The plays that cost most, worst first."""
    plays = worst(analysis)
    wide = max((width(_action(analysis, play)) for play in plays), default=0)
    return [_play_line(f"ply {p.ply + 1:3}", p, analysis, game, wide) for p in plays]


def _loss(analysis: MatchAnalysis, play: AnalysedPlay) -> str:
    text, sign = loss_text(analysis, play), mark_of(play)
    return f"{text} {sign}".rstrip() if play.loss is None else f"lost {text} {sign:2}"


def _better(analysis: MatchAnalysis, play: AnalysedPlay) -> str:
    """Return the best action, if it is known and another one."""
    best = play.best[0] if play.best else None
    if best is None or best.action == play.action:
        return ""
    return f"better {best.action} {value_text(analysis, best)}".rstrip()


def _said_of_cube(play: AnalysedPlay) -> str:
    """Return what was wrong about the cube, and what it showed, if that matters."""
    words = [MISTAKES[play.mistake]] if play.mistake is not None else []
    if play.shows > 1:
        words.append(f"cube {play.shows}")
    return f"  {', '.join(words)}" if words else ""
