"""Numbers that several servers give out."""

from __future__ import annotations

import pytest

from protocol.errors import Refusal
from server.core.names.numbers import BLOCK, MIN_BLOCKS, NumberBlocks


def test_a_block_is_asked_for_once_before_the_last_one_is_used_up() -> None:
    asked: list[None] = []
    numbers = NumberBlocks(lambda: asked.append(None))
    numbers.add(100)
    taken = [numbers.take() for _ in range(BLOCK)]
    assert taken == list(range(100, 100 + BLOCK))
    assert len(asked) == 1
    with pytest.raises(Refusal, match="ask again in a moment"):
        numbers.take()
    numbers.add(None)  # the database does not answer: it is asked once more
    with pytest.raises(Refusal):
        numbers.peek()
    assert len(asked) == 2
    numbers.add(500)
    assert (numbers.peek(), numbers.take(), numbers.take()) == (500, 500, 501)


def test_nobody_waits_for_numbers_as_long_as_there_are_many() -> None:
    asked: list[None] = []
    numbers = NumberBlocks(lambda: asked.append(None))
    numbers.add(1)
    for _ in range(BLOCK - MIN_BLOCKS):
        numbers.take()
    assert asked == []
