"""An analysis as people read it."""

from __future__ import annotations

from typing import Any

from client.styled_text import width
from client.terminal.shown.analysis import AnalysedGame, analysis_lines, series_lines
from games import registry
from protocol.analysis import (
    Analysed,
    AnalysedOption,
    AnalysedPlay,
    AnalysedRoll,
    AnalysedTotal,
    MatchAnalysis,
)
from protocol.parts import Event, Result, Seat, Series
from protocol.records.record import MatchRecord
from tests.bots.analysis.parts import of_cube
from tests.client.terminal.states import texts

BACKGAMMON = registry.game("backgammon")
TOTALS = (
    AnalysedTotal(plays=21, loss=0.375, doubtful=1, blunders=2, luck=0.125),
    AnalysedTotal(plays=9, forced=3, luck=-0.125),
)
PLAYS = [
    AnalysedPlay(ply=1, seat=0, action="24/23", loss=0.0005),
    AnalysedPlay(
        ply=3, seat=1, action="24/18 13/11", loss=0.0625, doubtful=True,
        best=[AnalysedOption(action="24/16", value=0.25), AnalysedOption(action="24/18 13/11")],
    ),
    AnalysedPlay(ply=5, seat=0, action="6/off(2)", loss=0.5, blunder=True),
]  # fmt: skip


def analysed(**fields: Any) -> Analysed:
    known: dict[str, Any] = {"game": "backgammon", "by": "gammon, 1 ply", "unit": "points"}
    analysis = MatchAnalysis(**known | {"totals": TOTALS, "plays": PLAYS} | fields)
    return Analysed(match="17.1", bot="house/gammon", analysis=analysis)


def test_it_is_the_text_of_analyse_below_the_match_s_name() -> None:
    rolls = [AnalysedRoll(ply=2, seat=1, roll="62", luck=0.5)]
    told = analysed(rolls=rolls, left=[40, 41], partial=True)
    assert texts(analysis_lines(told, BACKGAMMON)).split("\n") == [
        "Match 17.1:",
        "  stopped: 2 of 6 plays and rolls were not analysed, from ply 41 to 42",
        "  analysed by gammon, 1 ply",
        "",
        "                    X       O",
        "  decisions        21       9",
        "  forced            0       3",
        "  lost          0.375   0.000",
        "  a decision    0.018   0.000",
        "  doubtful ?        1       0",
        "  blunders ??       2       0",
        "  luck         +0.125  -0.125",
        "",
        "  it did not fit into one message: some of its plays are missing",
        "",
        "  the worst plays:",
        "",
        "  ply  side  played             best            loss        luck",
        "    6  X     6/off(2)                          0.500  ??",
        "    4  O     62: 24/18 13/11    24/16  +0.250  0.062  ?   +0.500",
        "",
        "  ply: counted from 1, rolls included",
        "  loss: in points a game; best play would have won so much more on average",
        "  ??: lost the win, or the draw; ?: something less",
    ]


def test_of_a_game_that_is_not_known_the_seats_are_first_and_second() -> None:
    plays = [
        AnalysedPlay(ply=0, seat=0, action="5", loss=0.1, error=0.2),
        AnalysedPlay(ply=1, seat=1, action="x" * 200, loss=0.25, error=0.125, blunder=True),
    ]
    lines = analysis_lines(analysed(unit="value", plays=plays, rolls=[]), None)
    assert all(width(each) <= 100 for each in lines)
    shown = texts(lines)
    assert "1  first" not in shown, "its loss may be chance"
    assert "2  second  xxx" in shown


def of_series(number: int, score: tuple[int, int], *cube: tuple[str, Seat]) -> AnalysedGame:
    """A game that X has won by two points."""
    name = f"17.{number}"
    analysis = of_cube(Series(points=5, score=score, game=number))
    won = Result(winner=0, returns=(2.0, -2.0), how="rules", reason="single")
    events = [
        Event(seq=ply, kind="play", ply=ply, seat=seat, action=action)
        for ply, (action, seat) in enumerate(cube)
    ]
    ended = Event(seq=99, kind="ended", result=won)
    record = MatchRecord(name, (*events, ended))
    return AnalysedGame(Analysed(match=name, bot="b", analysis=analysis), record)


def test_of_all_games_each_has_its_story_and_they_are_added_up() -> None:
    cube: list[tuple[str, Seat]] = [("roll", 0), ("double", 1), ("take", 0), ("double", 0)]
    games = [of_series(1, (0, 0), *cube, ("take", 1)), of_series(2, (2, 0))]
    lines = texts(series_lines(games, registry.game("backgammon_cube"))).split("\n")
    assert lines[:12] == [
        "All games up to 17.2:",
        "  game 1 at 0 – 0 to 5: X won 2 points: bearing off all checkers",
        "    O doubles to 2, X takes, X doubles to 4, O takes.",
        "  game 2 at 2 – 0 to 5: X won 2 points: bearing off all checkers",
        "    no double.",
        "",
        "  analysed by gammon, 1 ply, the cube 2 plies",
        "",
        "  game                  X lost  X rating  O lost  O rating",
        "  game 1 at 0 – 0 to 5  5.75 %      6.00  3.12 %      4.69",
        "  game 2 at 2 – 0 to 5  5.75 %      6.00  3.12 %      4.69",
        "",
    ]
