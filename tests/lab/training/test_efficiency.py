"""How live the cube is: found again where it is known, and the same from the same games."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from bots.backgammon import weights
from bots.backgammon.cube.cube_judge import LIVE
from bots.backgammon.judge import Judge
from bots.backgammon.kernels.net import RACE
from lab.training import efficiency
from lab.training.efficiency import CubeGames, CubePosition, by_pips, measured
from tests.bots.backgammon import tiny


def some(share: float, more: float = 0.0, *, noise: float = 0.0) -> list[CubePosition]:
    """Positions, five of each of 200 games, in which the cube is so live, and a bit more a pip."""
    rng = random.Random(5)
    positions = []
    for game in range(200):
        luck = rng.gauss(0, noise)
        for pips in range(20, 70, 10):
            dead, live = rng.uniform(-1, 1), rng.uniform(-1, 1)
            came = dead + (share + more * pips) * (live - dead) + luck
            positions.append(CubePosition(game, RACE, pips, 0.5, dead, live, came))
    return positions


def test_the_share_that_games_were_made_with_is_found() -> None:
    exact = measured(some(0.7))
    assert (exact.positions, exact.used) == (1000, pytest.approx(0.5))
    assert exact.share == pytest.approx(0.7)
    assert exact.margin == pytest.approx(0, abs=1e-9)
    noisy = measured(some(0.7, noise=0.5))
    assert abs(noisy.share - 0.7) < 1.5 * noisy.margin
    assert 0.01 < noisy.margin < 0.2


def test_positions_of_one_game_are_no_news_of_each_other() -> None:
    """Five times the same ones tell as much as one of them."""
    once = some(0.7, noise=0.5)
    again = measured([p for p in once for _ in range(5)])
    assert again.share == pytest.approx(measured(once).share)
    assert again.margin == pytest.approx(measured(once).margin)


def test_what_a_pip_adds_is_found() -> None:
    assert by_pips(some(0.4, 0.005)) == pytest.approx((0.4, 0.005))


def test_where_the_cube_does_not_matter_there_is_nothing_to_measure() -> None:
    dead = CubePosition(0, RACE, 30, 0.5, 0.2, 0.2, 1.0)
    with pytest.raises(ValueError, match="nobody could have turned"):
        measured([dead])
    with pytest.raises(ValueError, match="as many pips"):
        by_pips([dead])


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
def test_the_same_seed_plays_the_same_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(efficiency, "TELL", 10)
    file = tmp_path / "tiny.nets"
    weights.save(file, tiny.weights())
    judge = Judge(weights=file)
    lines: list[str] = []
    positions = list(CubeGames(judge).positions(25, 1, lines.append))
    assert lines == ["10 games", "20 games"]
    assert {p.game for p in positions} == set(range(25))
    assert {p.used for p in positions if p.kind < RACE} == {LIVE[0], LIVE[2]}
    few = list(CubeGames(judge).positions(5))
    assert few == positions[: len(few)]
    assert few != list(CubeGames(judge).positions(5, 2))
    bolder = list(CubeGames(judge, live=(1.0, 0.0) * 4 + (1.0,)).positions(5))
    assert {p.used for p in bolder} == {1.0}
