"""The playout's own way to the turns and dice, held against `legal` and `weight`."""

from __future__ import annotations

from collections import Counter

import pytest

from games import registry
from games.backgammon.playouts import bit, throw, turn, turns
from games.backgammon.rules import LARGER, SMALLER, TURN
from games.game import CHANCE, Position
from games.rng import seeded
from tests.games.laws.walks import positions

GAME = registry.game("backgammon")


def counted(position: Position) -> list[int]:
    """All turns as a playout would find them."""
    state, out, tmp = list(position.state), [0] * GAME.max_legal, [0] * GAME.scratch
    n = turns(state, out, tmp)
    found = [turn(state, out, tmp, k) for k in range(n)]
    assert tuple(state) == position.state
    return found


def test_the_turns_counted_are_the_legal_ones_each_once() -> None:
    for position in positions("backgammon"):
        if position.to_move >= 0:
            assert sorted(counted(position)) == list(position.legal_actions()), position


# A pass, one die only, doubles of fewer than four steps, bearing off by all kinds of dice.
RARE = (
    "XGID=-c----E-E----D-----bbbbbbA:0:0:1:64:0:0:0:0:10",
    "XGID=--------------ee---e----O-:0:0:1:54:0:0:0:0:10",
    "XGID=-a----E-E----D------ccccbA:0:0:1:66:0:0:0:0:10",
    "XGID=-a----E-E----C-----bcccc-B:0:0:1:11:0:0:0:0:10",
    "XGID=-DCCBBA------------eee----:0:0:1:55:0:0:0:0:10",
    "XGID=-AA----------------eee----:0:0:1:63:0:0:0:0:10",
    "XGID=aDCCBBA-------------ee--d-:0:0:1:54:0:0:0:0:10",
)


@pytest.mark.parametrize("text", RARE)
def test_rare_turns_are_counted(text: str) -> None:
    position = GAME.parse_position(text)
    assert sorted(counted(position)) == list(position.legal_actions())


def test_a_bit_is_found_by_its_place() -> None:
    assert [bit(0b1011 << 40, k) for k in range(3)] == [40, 41, 43]


def thrown(position: Position, n: int) -> Counter[tuple[int, int, int]]:
    """Turn and dice after so many throws."""
    rng, turns = seeded(3), Counter[tuple[int, int, int]]()
    for _ in range(n):
        state = list(position.state)
        throw(state, rng)
        turns[state[TURN], state[LARGER], state[SMALLER]] += 1
    return turns


def test_dice_fall_by_their_weights() -> None:
    opening = GAME.initial()
    later = next(p for p in positions("backgammon")[1:] if p.to_move == CHANCE)
    for position in (opening, later):
        n = 200 * sum(weight for _, weight in position.chance())
        turns = thrown(position, n)
        expected = {
            tuple(position.apply(roll).state[TURN:]): 200 * weight
            for roll, weight in position.chance()
        }
        assert set(turns) == set(expected)
        off = sum((turns[dice] - m) ** 2 / m for dice, m in expected.items())  # type: ignore[index]
        assert off < 70.0  # of 29 or 20 degrees of freedom: passed by chance once in 30,000 times
