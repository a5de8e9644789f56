"""kill -9 in the middle of matches: nothing that anyone was shown is lost, doubled or charged."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.server.kill import KillPlan, Manner, carry_out
from bench.support.log_place import HERE

pytestmark = [pytest.mark.chaos, pytest.mark.socket]

EXTRA_GAMES = Path(__file__).parents[1] / "extra_games"


@pytest.mark.parametrize(
    ("matches", "kills"), [(16, 1), pytest.param(50, 3, marks=pytest.mark.slow)]
)
async def test_matches_survive_kills(tmp_path: Path, matches: int, kills: int) -> None:
    verdict = await carry_out(KillPlan(matches=matches, kills=kills, seed=7), tmp_path)
    assert verdict.problems == []
    assert len(verdict.kills) == kills
    assert all(k.under_way > matches // 5 for k in verdict.kills), "the kills fell in the middle"
    assert verdict.actions >= matches * 7, "no connect four ends sooner"


@pytest.mark.postgres
async def test_matches_survive_kills_of_the_server_and_of_its_database(tmp_path: Path) -> None:
    report = await carry_out(KillPlan(matches=12, times=8, seed=4, database=HERE), tmp_path)
    assert report.problems == []
    manners = {kill.manner for kill in report.kills}
    assert manners == set(Manner) - {Manner.PLANNED}


@pytest.mark.slow
async def test_matches_survive_many_kills_of_all_kinds(tmp_path: Path) -> None:
    report = await carry_out(KillPlan(matches=12, times=10, seed=4), tmp_path)
    assert report.problems == []
    manners = {kill.manner for kill in report.kills}
    assert manners == {Manner.RANDOM, Manner.COMMIT, Manner.TWICE}


@pytest.mark.slow
@pytest.mark.parametrize("game", ["pebbles", "backgammon"])
async def test_dice_stay_bound_to_their_plies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    monkeypatch.setenv("PLYHOUSE_GAMES", str(EXTRA_GAMES))
    verdict = await carry_out(KillPlan(game=game, matches=20, kills=2, seed=3), tmp_path)
    assert verdict.problems == []
    assert all(kill.under_way > 3 for kill in verdict.kills), "the kills fell in the middle"
