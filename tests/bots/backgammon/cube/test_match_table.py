"""The file of the match equity table: what goes in comes out, and anything else is refused."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from bots.backgammon.cube import match_table
from bots.backgammon.cube.match_table import MAX_AWAY, BadTable
from tests.bots.backgammon.cube.tables import plain_table


def test_a_table_comes_back(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "a.matches"
    match_table.write(file, plain_table(), {"seed": 3})
    told = match_table.read(file)
    for a in range(1, MAX_AWAY + 1):
        assert told.after[a - 1] == pytest.approx(plain_table().after[a - 1], abs=1e-5)
        for b in range(1, MAX_AWAY + 1):
            wanted = plain_table().chance(a, b)
            assert told.chance(a, b) == pytest.approx(wanted, abs=1e-5)
            assert told.chance(a, b) + told.chance(b, a) == pytest.approx(1)


def test_a_match_that_is_over_and_the_crawford_game() -> None:
    table = plain_table()
    assert table.chance(0, 3) == table.chance(-2, 3) == 1
    assert table.chance(3, 0) == 0
    assert table.chance(3, 1, crawford_over=True) == table.after[2]
    assert table.chance(1, 3, crawford_over=True) == 1 - table.after[2]
    assert table.chance(3, 1) == table.before[2][0] != table.after[2] - 1e-9


@pytest.mark.parametrize(
    "change",
    [{"before": []}, {"after": [0]}, {"before": [[]] * 25}, {"after": [100_001] * 25}, {"made": 3}],
)
def test_a_file_that_holds_no_table_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    file = tmp_path / "a.matches"
    match_table.write(file, plain_table(), {})
    file.write_text(json.dumps(json.loads(file.read_bytes()) | change))
    with pytest.raises(BadTable, match="no match equity table in"):
        match_table.read(file)
    with pytest.raises(BadTable, match="No such file"):
        match_table.read(tmp_path / "b")


def test_the_shipped_table_knows_that_points_help() -> None:
    table = match_table.shipped()
    for row in table.before:
        assert all(low < high for low, high in pairwise(row))
    for away, row in enumerate(table.before):
        assert row[away] == 0.5
    assert all(high > low for high, low in pairwise(table.after))
    assert table.after[0] == 0.5
    assert 0.47 < table.after[1] < 0.5, "the free drop costs something, but little"
