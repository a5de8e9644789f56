"""`plyhouse bench series`: pairs of matches with the same dice, by players that know nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.backgammon import series
from bench.backgammon.series import MatchPair, SeriesPlayers
from bots.roster.gnubg import GnuBackgammon
from games.backgammon_cube.actions import decides_about_cube
from games.backgammon_cube.rules import CRAWFORD, DROP, LENGTH, RULES, SCORE
from games.game import Ints, Position
from tests.support.command import Run


class Sixes:
    """Says that only rolls with a six bring anything: a hundredth of the match."""

    def __init__(self) -> None:
        self.begun: list[Position] = []

    def begin(self, first: Position) -> None:
        self.begun.append(first)

    def luck(self, position: Position, roll: int, stop: Ints) -> float | None:
        return 0.01 if "6" in position.game.format_action(position, roll) else 0.0


def first(position: Position) -> int:
    return position.legal_actions()[0]


def last(position: Position) -> int:
    """The last turn, but no endless doubling."""
    return position.legal_actions()[0 if decides_about_cube(position) else -1]


def coward(position: Position) -> int:
    """Drops every double."""
    return DROP if DROP in position.legal_actions() else first(position)


def doubler(position: Position) -> int:
    """Doubles whenever it may, and takes."""
    legal = position.legal_actions()
    return legal[1] if decides_about_cube(position) and DROP not in legal else legal[0]


def test_a_player_against_itself_wins_half_and_has_no_luck() -> None:
    pair, games = SeriesPlayers(first, first, Sixes()).pair(3, seed=1, number=7)
    assert sum(pair.won) == 1
    assert pair.luck[0] == pytest.approx(-pair.luck[1])
    assert (pair.raw, pair.adjusted) == (50.0, pytest.approx(50.0))
    assert games >= 2


def test_the_luck_of_who_rolled_is_taken_out() -> None:
    assert MatchPair(won=(1, 0), luck=(0.2, -0.1)).adjusted == pytest.approx(45.0)
    pair, _ = SeriesPlayers(first, last, Sixes()).pair(1, seed=2, number=0)
    assert pair.luck[0] != -pair.luck[1]
    assert pair.luck[0] * 100 == pytest.approx(round(pair.luck[0] * 100))


def test_a_match_goes_on_until_somebody_has_its_points() -> None:
    """Whoever drops each double pays one point a game, and nobody doubles in the Crawford game."""
    sixes = Sixes()
    won, _, games = SeriesPlayers(first, first, sixes).match((doubler, coward), 3, 1, 0)
    scores = [tuple(p.state[SCORE : SCORE + 2]) for p in sixes.begun]
    crawford = [p.state[RULES] == CRAWFORD for p in sixes.begun]
    assert {p.state[LENGTH] for p in sixes.begun} == {3}
    assert scores[:3] == [(0, 0), (1, 0), (2, 0)]
    assert crawford[:3] == [False, False, True]
    assert len(scores) == games
    assert won == 1


def test_what_cannot_be_measured_is_said(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run("bench series --points 26").refuses("", "a match has 1 to 25 points")
    run("bench series --pairs 0").refuses("", "pairs and processes start at 1")
    monkeypatch.setattr(GnuBackgammon, "missing", lambda: "GNU Backgammon is not installed")
    code, _, err = run("bench series")
    assert (code, err.count("not installed")) == (1, 1)


def test_a_report_says_what_was_won(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GnuBackgammon, "missing", lambda: None)
    monkeypatch.setattr(series, "series_players",
                        lambda plies, theirs: SeriesPlayers(doubler, coward, Sixes()))  # fmt: skip
    report = run("bench series --pairs 3 --points 2 --json").json()
    assert (report["pairs"], report["points"]) == (3, 2)
    assert report["raw"]["mean"] > 50
    assert "Matches to 2 points that we won" in run("bench series --pairs 2 --points 2").out


@pytest.mark.slow
@pytest.mark.skipif(GnuBackgammon.missing() is not None, reason="GNU Backgammon is not installed")
def test_gnu_backgammon_plays_a_match_against_gammon(run: Run) -> None:
    report = run("bench series --pairs 1 --points 3 --plies 0 --json").json()
    assert 1 <= report["games"] <= 5
    assert report["raw"]["mean"] in (0, 50, 100)
    assert report["adjusted"]["mean"] != report["raw"]["mean"]
