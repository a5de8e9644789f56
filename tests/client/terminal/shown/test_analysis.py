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
from protocol.records.analyses import MAX_WORST
from protocol.records.record import MatchRecord
from tests.bots.analysis.parts import given_up, of_cube
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


def told(**fields: Any) -> Analysed:
    known: dict[str, Any] = {"game": "backgammon", "by": "gammon, 1 ply", "unit": "points"}
    analysis = MatchAnalysis(**known | {"totals": TOTALS, "plays": PLAYS} | fields)
    return Analysed(match="17.1", bot="house/gammon", analysis=analysis)


def test_the_sums_and_the_plays_that_cost_most() -> None:
    rolls = [AnalysedRoll(ply=2, seat=1, roll="62", luck=0.5)]
    assert texts(analysis_lines(told(rolls=rolls), BACKGAMMON)).split("\n") == [
        "Match 17.1, looked at by gammon, 1 ply:",
        "                    X       O",
        "  decisions        21       9",
        "  lost          0.375   0.000",
        "  doubtful ?        1       0",
        "  blunders ??       2       0",
        "  luck         +0.125  -0.125",
        "  ply   6  X  6/off(2)         lost 0.500 ??",
        "  ply   4  O  62: 24/18 13/11  lost 0.062 ?   better 24/16 +0.250",
        "  lost: in points a game, which best play would have won more on average",
        "  ??: lost the win, or the draw; ?: something less",
    ]


def test_scores_are_stones_and_what_is_not_proven_says_so() -> None:
    totals = (AnalysedTotal(plays=2, unknown=1, loss=4.0, blunders=2), AnalysedTotal())
    best = [AnalysedOption(action="4", value=3.0, note="wins"), AnalysedOption(action="1")]
    plays = [
        AnalysedPlay(ply=0, seat=0, action="1", loss=4.0, blunder=True, best=best),
        AnalysedPlay(
            ply=2, seat=0, action="2", blunder=True,
            best=[AnalysedOption(action="3", note="from +1 to +4"), AnalysedOption(action="2")],
        ),
        AnalysedPlay(ply=4, seat=0, action="2"),
    ]  # fmt: skip
    game = registry.game("connect_four")
    found = told(game="connect_four", by="solver", unit="score", totals=totals, plays=plays)
    assert texts(analysis_lines(found, game)).split("\n") == [
        "Match 17.1, looked at by solver:",
        "               X  O",
        "  decisions    2  0",
        "  not proven   1  0",
        "  lost         4  0",
        "  doubtful ?   0  0",
        "  blunders ??  2  0",
        "  ply   1  X  1  lost 4 ??  better 4 wins +3",
        "  ply   3  X  2  not proven ??  better 3 from +1 to +4",
        "  lost: in stones; wins +4 is a win with the fourth last stone, loses -4 the other's",
        "  ??: lost the win, or the draw; ?: something less",
    ]


def test_losses_that_may_be_chance_are_not_told() -> None:
    plays = [
        AnalysedPlay(ply=0, seat=0, action="5", loss=0.1, error=0.2),
        AnalysedPlay(ply=1, seat=1, action="1", loss=0.25, error=0.125, blunder=True),
    ]
    text = texts(analysis_lines(told(unit="value", plays=plays, rolls=[]), None))
    assert "  1  first" not in text
    assert "ply   2  second  1  lost 0.250 ±0.125 ??" in text
    assert "lost: in value, from -1, a sure loss, to 1, a sure win" in text


def test_at_most_so_many_plays_and_what_is_missing() -> None:
    plays = [AnalysedPlay(ply=n, seat=0, action="x" * 200, loss=n / 10) for n in range(1, 30)]
    shown = analysis_lines(told(plays=plays, left=[40, 41], partial=True), BACKGAMMON)
    assert all(width(each) <= 100 for each in shown)
    text = texts(shown)
    assert text.count("ply ") == MAX_WORST
    assert text.endswith(
        "Time ran out before 2 plies were analysed.\n"
        "The analysis did not fit into one message; part of it is missing."
    )


def test_with_the_cube_it_says_the_score_what_was_wrong_and_a_rating() -> None:
    game = registry.game("backgammon_cube")
    analysis = of_cube(Series(points=5, score=(1, 3), game=4))
    shown = Analysed(match="17.4", bot="house/gammon", analysis=analysis)
    assert texts(analysis_lines(shown, game)).split("\n") == [
        "Match 17.4, game 4 at 1 – 3 to 5, looked at by gammon, 1 ply, the cube 2 plies:",
        "                      X         O",
        "  decisions          25        20",
        "  lost           5.75 %    3.12 %",
        "   by plays      1.25 %    0.00 %",
        "   by cube       4.50 %    3.12 %",
        "  doubtful ?          2         0",
        "  blunders ??         1         1",
        "  luck         +10.00 %   +0.00 %",
        "  rating           6.00      4.69",
        "  ply   3  X  roll  lost 4.50 % ??  better double 56.00 %  missed double",
        "  ply   7  O  take  lost 3.12 % ??  better drop 43.75 %  wrong take, cube 2",
        "  lost: in chances to win the match",
        "  ??: lost more than 0.08; ?: more than half of that, with the cube as 1",
        "  rating: 500 times what a decision that counts lost on average, the cube as 1",
    ]


def test_who_gave_up_stands_among_what_cost_most() -> None:
    analysis = given_up(of_cube(Series(points=5)))
    shown = Analysed(match="17.4", bot="house/gammon", analysis=analysis)
    lines = texts(analysis_lines(shown, registry.game("backgammon_cube"))).split("\n")
    assert "   resigning    12.50 %    0.00 %" in lines
    assert "   by plays      1.25 %    0.00 %" in lines
    assert lines[11] == "  ply   9  X  resign 2  lost 12.50 % ??  better play on 50.00 %  cube 2"


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
    assert lines[:5] == [
        "All games up to 17.2, looked at by gammon, 1 ply, the cube 2 plies:",
        "  game 1 at 0 – 0 to 5: X won 2 points: bearing off all checkers",
        "    O doubles to 2, X takes, X doubles to 4, O takes.  "
        "X lost 5.75 % (6.00), O lost 3.12 % (4.69)",
        "  game 2 at 2 – 0 to 5: X won 2 points: bearing off all checkers",
        "    nobody doubled.  X lost 5.75 % (6.00), O lost 3.12 % (4.69)",
    ]
    assert "  lost          11.50 %    6.25 %" in lines
    assert "  rating           6.00      4.69" in lines
    assert lines[-7:-3] == [
        "  game 1, ply   3  X  roll  lost 4.50 % ??  better double 56.00 %  missed double",
        "  game 2, ply   3  X  roll  lost 4.50 % ??  better double 56.00 %  missed double",
        "  game 1, ply   7  O  take  lost 3.12 % ??  better drop 43.75 %  wrong take, cube 2",
        "  game 2, ply   7  O  take  lost 3.12 % ??  better drop 43.75 %  wrong take, cube 2",
    ]
