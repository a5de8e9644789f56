"""kill -9 in the middle of matches: nothing that anyone was shown is lost, doubled or charged."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.kill import Plan, carry_out

pytestmark = [pytest.mark.chaos, pytest.mark.socket]

EXTRA_GAMES = Path(__file__).parents[1] / "extra_games"


async def test_fifty_matches_survive_three_kills(tmp_path: Path) -> None:
    verdict = await carry_out(Plan(matches=50, kills=3, seed=7), tmp_path)
    assert verdict.problems == []
    assert len(verdict.kills) == 3
    assert all(kill.under_way > 10 for kill in verdict.kills), "the kills fell in the middle"
    assert verdict.actions >= 50 * 7, "no connect four ends sooner"


@pytest.mark.slow
async def test_dice_stay_bound_to_their_plies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLYHOUSE_GAMES", str(EXTRA_GAMES))
    verdict = await carry_out(Plan(game="pebbles", matches=20, kills=2, seed=3), tmp_path)
    assert verdict.problems == []
    assert all(kill.under_way > 3 for kill in verdict.kills), "the kills fell in the middle"
