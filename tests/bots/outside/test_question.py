"""What an engine is asked, and how its answers are read."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bots.bot import Budget, IllegalChoice, Situation
from bots.outside import question
from games import registry
from protocol.parts import Clocks

PAGE = (Path(__file__).parents[3] / "docs" / "bots" / "engine.md").read_text("utf-8")


def test_a_question_says_all_that_a_player_knows() -> None:
    position = registry.game("backgammon").initial()
    position = position.apply(position.game.parse_action(position, "31"))
    clocks = Clocks(remaining=(60_000, 50_000), increment_ms=500, suggested_ms=2400)
    asked = json.loads(
        question.question(position, Budget(ms=2400), Situation("17.2", ("31",), clocks))
    )
    assert asked["dice"] == [3, 1]
    assert asked["legal"].count("8/5 6/5") == 1
    assert asked["numbers"] == list(position.state)
    assert position.game.parse_position(asked["position"]) == position
    assert (asked["match"], asked["seat"], asked["actions"]) == ("17.2", 0, ["31"])
    assert asked["clock"] == {
        "remaining_ms": [60_000, 50_000], "increment_ms": 500, "per_move_ms": None,
    }  # fmt: skip
    assert (asked["suggested_ms"], asked["nodes"]) == (2400, None)
    documented = set(re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE))
    assert documented == set(asked)
    example = json.loads(re.findall(r"```json\n(.*)\n```", PAGE)[0])
    assert set(example) == set(asked)
    assert set(example["clock"]) == set(asked["clock"])


def test_an_answer_is_an_action_or_an_object_with_one() -> None:
    position = registry.game("connect_four").initial()
    four = position.game.parse_action(position, "4")
    assert question.read_answer("4", position) == (four, question.UNKNOWN_VALUE, "")
    answer = '{"action": "4", "value": -3, "note": "a | b", "depth": 7}'
    assert question.read_answer(answer, position) == (four, -1.0, "a | b")
    huge = f'{{"action": "4", "value": {10**400}}}'
    assert question.read_answer(huge, position).value == 1.0
    late = '{"action": "4", "value": NaN}'
    assert question.read_answer(late, position).value == question.UNKNOWN_VALUE


@pytest.mark.parametrize(
    "text", ["", "8", "e4", "{", "{}", '{"action": 4}', "x" * 9999, '{"a":' + "[" * 100_000]
)
def test_nonsense_is_refused_with_the_position(text: str) -> None:
    position = registry.game("connect_four").initial()
    with pytest.raises(IllegalChoice, match="is not legal in connect_four") as refusal:
        question.read_answer(text, position)
    assert len(str(refusal.value)) < 200
