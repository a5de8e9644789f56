"""Games with the cube against the same games by hand; and what luck they have taken out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bots.backgammon import weights
from bots.backgammon.cube.stakes import Stakes
from bots.backgammon.judge import Judge
from bots.backgammon.kernels import net
from bots.backgammon.nets import kernels
from games.backgammon import GAME
from games.backgammon.playouts import throw
from games.backgammon.rules import TURN
from games.game import END, Position
from games.rng import seeded
from lab.training import efficiency
from lab.training.efficiency import CubeGames
from tests.bots.backgammon import tiny
from tests.bots.backgammon.endings import behind, few
from tests.bots.backgammon.kernels.test_cube_ahead import LIVE, Recursion
from tests.lab.training.kernels.test_selfplay import start


def games(folder: Path, setup: Any, monkeypatch: pytest.MonkeyPatch) -> CubeGames:
    """Games of tiny nets, in plain Python, from another first position."""
    file = folder / "tiny.nets"
    weights.save(file, tiny.weights())
    monkeypatch.setattr(
        efficiency, "kernels", lambda name, plain: kernels(name, plain, setup=setup)
    )
    return CubeGames(Judge(weights=file, plain=True), LIVE)


def by_hand(setup: Any, seed: int) -> list[tuple[int, float]]:
    """Kinds of the positions of a game before its rolls, and what each has brought without luck."""
    slow = Recursion(Stakes())
    s, rng = start(setup), seeded(seed)
    throw(s, rng)
    here = slow.nets.best(Position(GAME, tuple(s)))
    shows, owner, luck = 1, None, 0.0
    kept: list[tuple[int, int, float]] = []  # kind, cube to who rolls, luck of seat 0 so far
    while here.to_move != END:
        seat = here.state[TURN]
        sign = 1 - 2 * seat
        value = slow.stays(here, 1, owner, 1)
        taken = slow.stays(here, 2, 1 - seat, 1)
        if owner in (None, seat) and min(taken, 1.0) > value:
            if taken > 1.0:
                won = sign * shows
                break
            shows, owner, value = 2 * shows, 1 - seat, taken / 2
        kept.append((net.kind(here.state, 4), sign * shows, luck))
        s = list(here.state)
        throw(s, rng)
        here = slow.nets.best(Position(GAME, tuple(s)))
        luck += sign * shows * (-slow.best(here, 1, owner, 0) - value)
    else:
        won = shows * GAME.points(list(here.state))
    return [(kind, (won - luck + before) / times) for kind, times, before in kept]


@pytest.mark.parametrize(("setup", "seed"), [(few, 1), (behind, 3)])
def test_a_game_is_the_one_by_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setup: Any, seed: int
) -> None:
    told = list(games(tmp_path, setup, monkeypatch).positions(1, seed))
    hand = by_hand(setup, seed)
    assert [p.kind for p in told] == [kind for kind, _ in hand]
    assert [p.brought for p in told] == pytest.approx([came for _, came in hand], abs=1e-5)
