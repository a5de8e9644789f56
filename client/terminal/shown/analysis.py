"""A bot's analysis of a finished match, as lines for the log: the totals of both sides, and the
plays that cost most.

    ply  13  X  31: 24/21 6/5  lost 0.112 ??  better 8/5 6/5 +0.122

Plies are counted from 1, as by `plyhouse replay` and, in games without dice, beside the board.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from client.styled_text import StyledText, cut, pad, styled, width
from client.terminal.shown.interface import LOG_WIDTH
from client.words import NamedGame, mark
from games.game import Game
from protocol.analysis import (
    Analysed,
    AnalysedOption,
    AnalysedPlay,
    AnalysedTotal,
    MatchAnalysis,
    Unit,
)
from protocol.history import remaining_actions
from protocol.records.analyses import (
    MISTAKES,
    RATING,
    added_up,
    by_plays,
    decisions,
    figure,
    rating_text,
    standing,
)
from protocol.records.record import MatchRecord
from protocol.records.results import result_text

WORST: Final = 10  # plays that are listed
LEAST: Final = 0.001  # of a loss that is worth a line
_RAISES: Final = ("double", "beaver", "raccoon")
_ANSWERS: Final = ("take", "drop")
LOSSES: Final = {
    "points": "lost: in points a game, which best play would have won more on average",
    "score": "lost: in stones; wins +4 is a win with the fourth last stone, loses -4 the other's",
    "chance": "lost: in chances to win the match",
    "value": "lost: in value, from -1, a sure loss, to 1, a sure win",
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
            f"{mark(game, seat)} lost {_amount(analysis, total.loss)} ({rating_text(total)})"
            for seat, total in enumerate(analysis.totals)
        )
        lines.append(styled(f"  {where}: {_end(each.record, game)}"))
        lines.append(styled(("dim", f"    {_cube_story(each.record, game)}  "), f"{one}, {two}"))
    lines += _totals(sums, game)
    plays = [(play, where) for where, each in enumerate(analyses) for play in _costly(each)]
    plays.sort(key=lambda item: -(item[0].loss or 0.0))
    for play, at in plays[:WORST]:
        lines.append(_line_of_series(play, analyses[at], game))
    lines += [styled(("dim", f"  {text}")) for text in _legend(sums)]
    return [cut(line, LOG_WIDTH) for line in lines]


def _end(record: MatchRecord, game: NamedGame | None) -> str:
    """Return how a game ended."""
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


def _line_of_series(
    play: AnalysedPlay, analysis: MatchAnalysis, game: NamedGame | None
) -> StyledText:
    """Return one of the plays that cost most in a series."""
    number = analysis.series.game if analysis.series is not None else 0
    roll = _roll_before(analysis, play)
    return styled(
        f"  game {number}, ply {play.ply + 1:3}  ",
        (f"seat{play.seat}", mark(game, play.seat)),
        f"  {roll}{play.action}  {_loss(analysis, play)}  ",
        ("dim", _better(analysis, play)),
        ("event", _said_of_cube(play)),
    )


def _roll_before(analysis: MatchAnalysis, play: AnalysedPlay) -> str:
    """Return the dice that a play was made with; a resignation was made with none."""
    if play in analysis.resignations:
        return ""
    return next((f"{roll.roll}: " for roll in analysis.rolls if roll.ply == play.ply - 1), "")


def _legend(analysis: MatchAnalysis) -> list[str]:
    """What the figures and marks are."""
    lines = [LOSSES[analysis.unit], _marks(analysis)]
    return [*lines, RATING] if _rates(analysis) else lines


def _rates(analysis: MatchAnalysis) -> bool:
    return any(total.normalised is not None for total in analysis.totals)


def _marks(analysis: MatchAnalysis) -> str:
    """What ?? stands for."""
    if analysis.blunder is None:
        return "??: lost the win, or the draw; ?: something less"
    cube = any(total.cube is not None for total in analysis.totals)
    end = ", with the cube as 1" if cube else ""
    return f"??: lost more than {analysis.blunder:g}; ?: more than half of that{end}"


def _totals(analysis: MatchAnalysis, game: NamedGame | None) -> list[StyledText]:
    """Return a row for each count that says something, a column for each side."""
    rows: list[tuple[str, Callable[[AnalysedTotal], str]]] = [
        ("decisions", lambda total: str(decisions(total))),
        ("lost", lambda total: _amount(analysis, total.loss)),
        ("doubtful ?", lambda total: str(total.doubtful)),
        ("blunders ??", lambda total: str(total.blunders)),
    ]
    if any(total.unknown for total in analysis.totals):
        rows.insert(1, ("not proven", lambda total: str(total.unknown)))
    if any(total.cube is not None for total in analysis.totals):
        at = 1 + next(i for i, (name, _) in enumerate(rows) if name == "lost")
        rows[at:at] = [
            (" by plays", lambda total: _amount(analysis, by_plays(total).loss)),
            (" by cube", lambda total: _amount(analysis, total.cube.loss if total.cube else 0)),
        ]
    if any(total.resigning is not None for total in analysis.totals):
        at = next(i for i, (name, _) in enumerate(rows) if name == "doubtful ?")
        rows.insert(at, (" resigning", lambda total: _amount(analysis, _by_resigning(total))))
    if analysis.totals[0].luck is not None:
        unit: Unit = "chance" if analysis.unit == "chance" else "points"
        rows.append(("luck", lambda total: figure(total.luck or 0.0, unit, signed=True)))
    if _rates(analysis):
        rows.append(("rating", rating_text))
    cells = [["", mark(game, 0), mark(game, 1)]]
    cells += [[name, *map(text, analysis.totals)] for name, text in rows]
    wide = max(width(cell) for row in cells for cell in row[1:])
    return [
        styled(f"  {row[0]:11}", *(f"  {' ' * (wide - width(c))}{c}" for c in row[1:]))
        for row in cells
    ]


def _by_resigning(total: AnalysedTotal) -> float:
    return total.resigning.loss if total.resigning is not None else 0.0


def _worst(analysis: MatchAnalysis, game: NamedGame | None) -> list[StyledText]:
    """The plays that cost most, worst first, without those whose loss may be chance alone."""
    costly = _costly(analysis)
    costly.sort(key=lambda play: (-(play.loss or 0.0), not play.blunder, play.ply))
    names = [_roll_before(analysis, play) + play.action for play in costly[:WORST]]
    wide = max(map(width, names), default=0)
    return [
        styled(
            f"  ply {play.ply + 1:3}  ",
            (f"seat{play.seat}", mark(game, play.seat)),
            f"  {pad(name, wide)}  {_loss(analysis, play)}  ",
            ("dim", _better(analysis, play)),
            ("event", _said_of_cube(play)),
        )
        for name, play in zip(names, costly, strict=False)
    ]


def _costly(analysis: MatchAnalysis) -> list[AnalysedPlay]:
    """The plays that have cost something, but for those whose loss may be chance alone."""
    decisions = [*analysis.plays, *analysis.resignations]
    return [p for p in decisions if p.blunder or (p.loss or 0) > max(LEAST, p.error or 0)]


def _loss(analysis: MatchAnalysis, play: AnalysedPlay) -> str:
    """Return what a play cost, and its mark."""
    sign = "??" if play.blunder else "?" if play.doubtful else ""
    if play.loss is None:
        return f"not proven {sign}".rstrip()
    error = f" ±{play.error:.3f}" if play.error else ""
    return f"lost {_amount(analysis, play.loss)}{error} {sign:2}"


def _better(analysis: MatchAnalysis, play: AnalysedPlay) -> str:
    """Return the best action, if it is known and another one."""
    best = play.best[0] if play.best else None
    if best is None or best.action == play.action:
        return ""
    return f"better {best.action} {_value(analysis, best)}".rstrip()


def _said_of_cube(play: AnalysedPlay) -> str:
    """Return what was wrong about the cube, and what it showed, if that matters."""
    words = [MISTAKES[play.mistake]] if play.mistake is not None else []
    if play.shows > 1:
        words.append(f"cube {play.shows}")
    return f"  {', '.join(words)}" if words else ""


def _value(analysis: MatchAnalysis, option: AnalysedOption) -> str:
    """Return what an action is worth, such as +0.122, or "wins +4"."""
    if option.value is None:
        return option.note
    if analysis.unit == "score":
        return f"{option.note} {option.value:+.0f}".strip() if option.value else option.note
    return figure(option.value, analysis.unit, signed=analysis.unit != "chance")


def _amount(analysis: MatchAnalysis, loss: float) -> str:
    return figure(loss, analysis.unit)
