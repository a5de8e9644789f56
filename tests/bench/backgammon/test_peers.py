"""The peer of `plyhouse bench backgammon` itself, as the package gnubg-nn has them."""

from __future__ import annotations

import pytest

from bench.backgammon import peers
from games import registry
from games.backgammon.rules import TURN
from tests.bench.backgammon.decisions import some

GAME = registry.game("backgammon")

# In no lock, as measuring needs it and playing does not; .ci/run installs it for these tests.
pytest.importorskip("gnubg_nn", reason="pip install gnubg-nn")


def test_the_peer_has_the_same_legal_turns() -> None:
    gnubg = peers.load()
    for position in some(150):
        own, other = peers.boards(position.state, position.state[TURN])
        keys = gnubg.moves([list(other), list(own)], *position.state[-2:])
        theirs = {tuple(map(tuple, gnubg.board_from_position_key(key)))[::-1] for key in keys}
        ours = peers.results(position)
        assert set(ours) == theirs or (list(ours) == [(own, other)] and not theirs)


def test_the_peer_plays_what_it_judges_best() -> None:
    gnu = peers.Gnu()
    for position in some(40, seed=2):
        values = {a: gnu.equity(position, a, 0) for a in position.legal_actions()}
        assert values[gnu(position)] == pytest.approx(max(values.values()), abs=1e-6)


def test_the_peer_knows_whose_game_it_is() -> None:
    gnu = peers.Gnu()
    # X plays 21, with two checkers left on its ace point; O has 15 on its 7 point: a gammon.
    won = GAME.parse_position("XGID=-B----------------o-------:0:0:1:21:0:0:0:0:10")
    assert [gnu.equity(won, a, 0) for a in won.legal_actions()] == [2.0]
    # X has two checkers left far from home, and O the last one on its ace point.
    lost = GAME.parse_position("XGID=--------------------B---a-:0:0:1:21:0:0:0:0:10")
    for plies in (0, 1, 2):
        values = [gnu.equity(lost, a, plies) for a in lost.legal_actions()]
        assert values == pytest.approx([-1.0] * len(values), abs=1e-3)
