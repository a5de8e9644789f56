"""`plyhouse bench backgammon`, with a judge that counts pips, in runs that are too short."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from bench.backgammon import match, peers
from bench.backgammon.match import GamePair, Interval, interval, luck, play, rolled, share
from bots.backgammon import weights
from bots.backgammon.judge import Estimate, Judge, Rated
from bots.backgammon.weights import BadWeights
from games import registry
from games.backgammon.rules import LARGER, SMALLER, TURN
from games.game import Position
from tests.support.command import Run

GAME = registry.game("backgammon")


class Pips(Judge):
    """Judges by who is how far."""

    def __init__(self, **_: object) -> None:
        """Without weights."""

    def turns(self, position: Position, plies: int = 0, **_: Any) -> list[Rated]:
        seat, turns = position.state[TURN], []
        for action in position.legal_actions():
            state = list(position.state)
            GAME.play(state, action)
            turns.append(Rated(action, sure(ahead(state, seat)), 0))
        return sorted(turns, key=lambda rated: -rated.estimate.equity)

    def best(self, position: Position) -> int:
        return self.turns(position)[0].action

    def chance(self, position: Position, plies: int = 0, **_: Any) -> Estimate:
        if plies == 0:
            return sure(ahead(position.state, position.state[TURN]))
        rolls = position.chance()
        best = [n * self.turns(position.apply(a))[0].estimate.equity for a, n in rolls]
        return sure(sum(best) / sum(n for _, n in rolls))


def ahead(state: Any, seat: int) -> float:
    """How far ahead the seat is, from -1 to 1."""
    pips = [sum(p * state[base + p] for p in range(26)) for base in (26 * seat, 26 - 26 * seat)]
    return (pips[1] - pips[0]) / 400


def sure(equity: float) -> Estimate:
    """Without gammons."""
    return Estimate((equity + 1) / 2, 0.0, 0.0, 0.0, 0.0)


@pytest.fixture
def pips(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "a.nets"
    file.write_bytes(bytes(9))
    monkeypatch.delenv("PLYHOUSE_NETS", raising=False)
    monkeypatch.setattr(weights, "FILE", file)
    monkeypatch.setattr(match, "Judge", Pips)


def lowest(position: Position) -> int:
    return position.legal_actions()[0]


def test_the_dice_follow_from_seed_pair_and_ply() -> None:
    first = GAME.initial()
    position = first.apply(31).apply(first.apply(31).legal_actions()[0])
    rolls, again, other_pair, other_seed = (
        [rolled(position, seed, pair, ply) for ply in range(2, 200, 2)]
        for seed, pair in ((1, 0), (1, 0), (1, 1), (2, 0))
    )
    assert rolls == again
    assert rolls not in (other_pair, other_seed)
    many = {rolled(position, 1, 0, ply) for ply in range(1_000)}
    assert many == set(position.legal_actions()), "each of the 21 comes"
    assert {rolled(first, 1, pair, 0) for pair in range(300)} == set(first.legal_actions())


def test_luck_is_nought_on_average() -> None:
    judge, start = Pips(), GAME.initial()
    assert luck(judge, start, start.apply(31)) == 0.0, "the opening roll is for both"
    race = GAME.parse_position("XGID=-----CE-D----------ee-----:0:0:1:00:0:0:0:0:10")
    worth = {a: luck(judge, race, race.apply(a)) for a, _ in race.chance()}
    assert sum(n * worth[a] for a, n in race.chance()) == pytest.approx(0, abs=1e-12)
    assert sorted(worth, key=lambda a: worth[a])[-2:] == [55, 66]


def test_where_a_table_tells_luck_is_nought_on_average_whatever_the_table_says() -> None:
    class Off(Pips):
        def chance(self, position: Position, plies: int = 0, **_: Any) -> Estimate:
            return sure(super().chance(position, plies).equity + 0.25)

    home = GAME.parse_position("XGID=-CCCCBA------------abcccc-:0:0:1:00:0:0:0:0:10")
    out = GAME.parse_position("XGID=-CCCCB-A-----------abcccc-:0:0:1:00:0:0:0:0:10")
    for position, error in ((home, 0.0), (out, -0.25)):
        worth = sum(n * luck(Off(), position, position.apply(a)) for a, n in position.chance())
        assert worth / 36 == pytest.approx(error, abs=1e-12)


def test_who_plays_itself_gets_nothing_lucky_or_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def pips(_: Judge, position: Position, after: Position) -> float:
        return 0.125 * (after.state[LARGER] + after.state[SMALLER])

    monkeypatch.setattr(match, "luck", pips)
    pair = play(lowest, lowest, Pips(), 1, 0)
    assert pair.points[0] == -pair.points[1] != 0
    assert pair.luck[0] == -pair.luck[1] != 0
    assert pair.raw == pair.adjusted == 0


def test_a_score_is_told_by_pairs_and_one_value_has_no_interval() -> None:
    pairs = [GamePair((1, -2), (0.5, -1.0)), GamePair((3, 1), (1.5, 0.5))]
    assert [pair.raw for pair in pairs] == [-0.5, 2.0]
    assert [pair.adjusted for pair in pairs] == [-0.25, 1.0]
    assert interval([pair.raw for pair in pairs]) == Interval(0.75, pytest.approx(1.96 * 2.5 / 2))
    assert (share(pairs, 1), share(pairs, 2), share(pairs, 2, -1)) == (0.75, 0.25, 0.25)
    assert interval([0.5]) == Interval(0.5, None)
    assert str(interval([0.5])) == "+0.500"


def test_without_a_peer_there_is_a_sentence(
    run: Run, pips: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "gnubg_nn", None)
    said = run("bench backgammon")
    said.refuses("plyhouse bench backgammon: GNU Backgammon is not installed (pip install gnubg-nn")


@pytest.mark.usefixtures("pips")
def test_games_are_counted_and_the_file_is_named(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(peers.PEERS, "gnubg", lambda: lowest)
    monkeypatch.setattr(match, "luck", lambda *_: 0.0)
    (tmp_path / "given").write_bytes(bytes(7))
    for words, about in (((), "a.nets, 9 bytes"), (("--weights", tmp_path / "given"), "given, 7")):
        said = run("bench backgammon --pairs 2 --plies 0 --json", *words)
        report = said.json()
        (table,) = report["tables"]
        (row,) = table["rows"].items()
        assert said.code == 0
        assert (row[0], row[1][0], row[1][-1]) == ("0-ply, gnubg", "2", "-0.1/-0.03")
        assert report["notes"][0].startswith(about)
        assert "0-ply against gnubg: 2 of 2 pairs" in said.err


def test_bad_weights_are_one_sentence_too(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(**_: object) -> Judge:
        raise BadWeights("FILE is damaged")

    monkeypatch.setattr(match, "Judge", refused)
    run("bench backgammon --weights FILE").refuses("plyhouse bench backgammon: FILE is damaged\n")
