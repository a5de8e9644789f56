"""tests/vectors/positions.jsonl: what every house has to read and write in the same way."""

from __future__ import annotations

import json
from typing import Any

import pytest

from games import registry
from games.game import NotationError
from tests.vectors import record_positions

VECTORS: list[dict[str, Any]] = [
    json.loads(line) for line in record_positions.FILE.read_text("utf-8").splitlines()
]


def having(key: str) -> list[dict[str, Any]]:
    return [vector for vector in VECTORS if key in vector]


def test_a_position_is_read_and_has_these_legal_actions() -> None:
    for vector in having("legal"):
        p = registry.game(vector["game"]).parse_position(vector["position"])
        legal, outcome = p.legal_notation(), p.outcome()
        assert {
            **vector,
            "position": p.game.format_position(p),
            "to_move": p.to_move,
            "legal": list(legal[: len(vector["legal"])]),
            "count": len(legal),
        } == vector
        assert [w for _, w in p.chance()] == vector.get("weights", []), vector
        assert (outcome and outcome.reason) == vector.get("reason"), vector
        assert (outcome and list(outcome.returns)) == vector.get("returns"), vector
        assert vector.get("draw") in (None, p.game.draw(p)), vector


def test_a_text_that_is_no_position_is_refused() -> None:
    for vector in having("refused"):
        try:
            position = registry.game(vector["game"]).parse_position(vector["refused"])
        except NotationError:
            continue
        pytest.fail(f"{vector} is read as {position}")


def test_every_game_of_the_house_has_vectors_of_every_kind() -> None:
    for game in record_positions.GAMES:
        own = [vector for vector in VECTORS if vector["game"] == game]
        assert {v["to_move"] for v in own if "legal" in v} >= {0, 1, -2}
        assert any("refused" in v for v in own)
        assert any("draw" in v for v in own)
        assert {v["error"] for v in own if "error" in v} == {
            "match/bad-notation",
            "match/illegal-action",
        }


def test_the_file_is_what_its_script_writes() -> None:
    assert record_positions.FILE.read_text("utf-8") == "".join(record_positions.lines())
