"""A report held against its match: what fits is cleaned and let pass, anything else is refused."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from protocol.analysis import (
    AnalysedCube,
    AnalysedOption,
    AnalysedPlay,
    AnalysedResigning,
    AnalysedRoll,
    AnalysedTotal,
    MatchAnalysis,
    Resignation,
)
from protocol.errors import Code, Refusal
from protocol.parts import Event, Series
from server.core.analysis import check, course

KINDS = (
    ("opening", 0, "1"), ("opening", 1, "2"), ("roll", -1, "31"), ("play", 0, "8/5 6/5"),
    ("roll", -1, "66"), ("pass", 1, "pass"), ("roll", -1, "21"), ("play", 0, "24/21"),
)  # fmt: skip
EVENTS = [
    Event(seq=9 + ply, kind=kind, ply=ply, seat=seat, action=action)
    for ply, (kind, seat, action) in enumerate(KINDS)
]
RESIGNATIONS = [
    Resignation(ply=7, seat=1, points=1, accepted=False), Resignation(ply=8, seat=1, points=3),
]  # fmt: skip
MATCH = course("17.1", "backgammon", EVENTS, resignations=RESIGNATIONS)
BEST = [
    AnalysedOption(action="24/20", value=0.5, note="50 %"),
    AnalysedOption(action="8/5 6/5", value=0.25),
]
ONE = AnalysedPlay(ply=3, seat=0, action="8/5 6/5", loss=0.25, blunder=True, best=BEST)
TWO = AnalysedPlay(ply=7, seat=0, action="24/21")
ROLL = AnalysedRoll(ply=4, seat=1, roll="66", luck=-0.5)
TOTALS = (
    AnalysedTotal(plays=2, unknown=1, loss=0.25, blunders=1, luck=0.5),
    AnalysedTotal(forced=1, luck=-0.5),
)
FOUND = MatchAnalysis(
    game="backgammon", by="gammon", unit="points", totals=TOTALS, plays=[ONE, TWO], rolls=[ROLL],
    left=[6],
)  # fmt: skip


def test_an_opening_is_given() -> None:
    assert (MATCH.events, MATCH.given) == (tuple(EVENTS), 2)
    assert course("17.1", "backgammon", EVENTS[3:]).given == 0


def test_what_fits_is_let_pass_as_it_is_but_for_words_that_are_cleaned() -> None:
    assert check(FOUND, MATCH) == FOUND
    bare = replace(FOUND, plays=[replace(ONE, best=[])], rolls=[], left=[], partial=True)
    assert check(bare, MATCH) == bare
    best = [replace(BEST[0], note="a\x1b[2J\u202eb "), BEST[1]]
    wild = replace(FOUND, by=" gammon\n1 ply", plays=[replace(ONE, best=best)])
    checked = check(wild, MATCH)
    assert (checked.by, checked.plays[0].best[0].note) == ("gammon 1 ply", "a[2Jb")


@pytest.mark.parametrize("seat", [0, 1])
def test_whose_a_roll_was_that_nobody_played_is_left_to_the_bot(seat: int) -> None:
    over = course("17.1", "backgammon", EVENTS[:5])
    totals = (AnalysedTotal(), AnalysedTotal())
    analysis = replace(FOUND, totals=totals, plays=[], rolls=[replace(ROLL, seat=seat)], left=[])
    assert check(analysis, over) == analysis


def played(**fields: Any) -> MatchAnalysis:
    return replace(FOUND, plays=[replace(ONE, **fields)])


def rolled(**fields: Any) -> MatchAnalysis:
    return replace(FOUND, rolls=[replace(ROLL, **fields)])


def totalled(**fields: Any) -> MatchAnalysis:
    return replace(FOUND, totals=(replace(TOTALS[0], **fields), TOTALS[1]))


def cubed(**fields: Any) -> MatchAnalysis:
    return totalled(rated=1, cube=AnalysedCube(**fields))


def resigned(*plays: AnalysedPlay, **counts: Any) -> MatchAnalysis:
    """The analysis with these decisions about resignations, and these counts of seat 0's."""
    resigning = AnalysedResigning(**{"decisions": 1} | counts)
    analysis = totalled(resigning=resigning)
    totals = (analysis.totals[0], replace(TOTALS[1], resigning=AnalysedResigning(decisions=2)))
    return replace(analysis, totals=totals, resignations=[*plays])


OFFER = AnalysedPlay(ply=7, seat=1, action="resign 1", loss=0.0)
REFUSED = AnalysedPlay(ply=7, seat=0, action="refuse 1", loss=0.5)
GIVEN_UP = AnalysedPlay(ply=8, seat=1, action="resign 3", loss=0.0)


def test_resignations_are_let_pass_as_far_as_they_were_there() -> None:
    for plays in ((OFFER, REFUSED, GIVEN_UP), (REFUSED,), ()):
        assert check(resigned(*plays), MATCH) == resigned(*plays)
    many = [Resignation(ply=7, seat=0, points=n, accepted=False) for n in range(70)]
    last = course("17.1", "backgammon", EVENTS, resignations=many).resignations
    assert [each.points for each in last] == list(range(6, 70))


BELL = AnalysedOption(action="\x07")
TWICE = [BEST[1], BEST[1]]
WRONG = {
    "another game": (replace(FOUND, game="chess"), "game: this is a match of backgammon"),
    "nobody": (replace(FOUND, by="\u200b "), "by: it says nothing"),
    "plays that descend": (replace(FOUND, plays=[TWO, ONE]), "plays[1]: plies ascend"),
    "rolls twice": (replace(FOUND, rolls=[ROLL, ROLL]), "rolls[1]: plies ascend"),
    "left twice": (replace(FOUND, left=[6, 6]), "left[1]: plies ascend"),
    "left and seen": (replace(FOUND, left=[7]), "left[0]: ply 7 is analysed above"),
    "left of the opening": (replace(FOUND, left=[1]), "left[0]: ply 1 is analysed above"),
    "left of no match": (replace(FOUND, left=[8]), "left[0]: ply 8 is analysed above"),
    "a play of the opening": (played(ply=1), "plays[0]: ply 1 is no play"),
    "a play that is a pass": (played(ply=5), "plays[0]: ply 5 is no play"),
    "a play after the end": (played(ply=2**53 - 1), "is no play of this match"),
    "another seat": (played(seat=1), "plays[0]: at ply 3 seat 0 played 8/5 6/5"),
    "another action": (played(action="24/20"), "plays[0]: at ply 3 seat 0 played 8/5 6/5"),
    "both marks": (played(doubtful=True), "plays[0]: a blunder is not doubtful"),
    "an option twice": (played(best=TWICE), "plays[0]: `best` has an action twice"),
    "no option that was played": (played(best=BEST[:1]), "plays[0]: `best` lacks"),
    "an option without a word": (played(best=[*BEST, BELL]), "`best` has what cannot be an action"),
    "a roll that is a play": (rolled(ply=3), "ply 3 is no roll"),
    "another roll": (rolled(roll="65"), "rolls[0]: at ply 4 the dice were 66"),
    "a roll of the other seat": (rolled(seat=0), "rolls[0]: at ply 4 seat 1 rolled"),
    "too few plays": (totalled(plays=1), "totals[0]: `plays` is less than what is listed"),
    "too few blunders": (totalled(blunders=0), "totals[0]: `blunders` is less"),
    "too few unknown": (totalled(unknown=0), "totals[0]: `unknown` is less"),
    "too many plays": (totalled(plays=7), "totals[0]: the match had fewer plays"),
    "too many blunders": (totalled(blunders=3), "totals[0]: there are more of some plays"),
    "too many that count": (totalled(rated=3), "totals[0]: there are more of some plays"),
    "too many about the cube": (cubed(plays=2), "totals[0].cube: `plays` is more than of all"),
    "more blunders about the cube": (cubed(blunders=2), "totals[0].cube: `blunders` is more"),
    "a mistake about no cube": (played(mistake="wrong_take"), "plays[0]: `mistake` is about"),
    "a resignation of nobody": (
        resigned(replace(OFFER, seat=0)),
        "resignations[0]: seat 0 did not 'resign 1' then",
    ),
    "a resignation twice": (resigned(GIVEN_UP, GIVEN_UP), "resignations[1]: seat 1 did not"),
    "resignations that descend": (resigned(GIVEN_UP, OFFER), "resignations[1]: seat 1 did not"),
    "a resignation with both marks": (
        resigned(replace(OFFER, blunder=True, doubtful=True)),
        "resignations[0]: a blunder is",
    ),
    "too few resignations": (resigned(REFUSED, decisions=0), "`resigning` counts other decisions"),
    "too many resignations": (resigned(decisions=5), "`resigning` counts other decisions"),
    "more marks than resignations": (resigned(blunders=2), "`resigning` has more marks"),
    "another series": (replace(FOUND, series=Series(points=3)), "series: it is not the one"),
    "chances of no series": (replace(FOUND, unit="chance"), "unit: `chance` is for games of"),
}


@pytest.mark.parametrize(("analysis", "why"), WRONG.values(), ids=WRONG.keys())
def test_what_does_not_fit_is_refused(analysis: MatchAnalysis, why: str) -> None:
    with pytest.raises(Refusal) as no:
        check(analysis, MATCH)
    assert no.value.code == Code.ANALYSIS_BAD_REPORT
    assert why in no.value.text


def test_a_game_of_a_series_is_told_as_chances() -> None:
    series = Series(points=3, score=(1, 0), game=2)
    about = course("17.2", "backgammon", EVENTS, series)
    analysis = replace(FOUND, unit="chance", series=series)
    assert check(analysis, about) == analysis
