"""A table from a few games of tiny nets: it is one, and the same settings make it again."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from bots.backgammon import weights
from bots.backgammon.judge import Judge
from lab.training import match_games
from lab.training.match_games import MatchGames, TableSettings
from tests.bots.backgammon import tiny


def test_what_lies_between_prices_lies_on_a_parabola() -> None:
    values = [1.0, 2.0, 7.0]  # 1 - x + 2 x^2
    for price in (0.0, 0.5, 1.0, 1.5, 2.0):
        wanted = 1 - price + 2 * price * price
        assert match_games._between(price, values) == pytest.approx(wanted)


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
def test_the_same_settings_make_the_same_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_games, "MAX_AWAY", 5)
    file = tmp_path / "tiny.nets"
    weights.save(file, tiny.weights())
    lines: list[str] = []
    tables = []
    for seed in (1, 1, 2):
        settings = TableSettings(games=300, pairs=300, seed=seed)
        tables.append(MatchGames(Judge(weights=file), settings, lines.append).table())
    one, again, other = tables
    assert one == again
    assert one != other
    assert "scores up to 5 points" in lines
    assert any(line.endswith(" games, gammons at 2 and 0") for line in lines)
    assert one.chance(1, 5) > one.chance(5, 5) > one.chance(5, 1)
    for a, b in product(range(1, 6), repeat=2):
        assert one.chance(a, b) + one.chance(b, a) == pytest.approx(1)
    assert one.after[0] == 0.5
