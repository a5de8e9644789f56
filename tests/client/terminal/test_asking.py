"""What asks before it is done."""

from __future__ import annotations

import pytest

from protocol import messages
from protocol.parts import Series
from tests.client.terminal.fakes import Stage, playing
from tests.client.terminal.test_dispatch import backgammon


async def test_a_draw_is_offered_on_the_second_word_and_never_in_backgammon(stage: Stage) -> None:
    await playing(stage, "5 1")
    text = "/draw  offers a draw, which may end the match at once: the same again does it."
    assert await stage.type("/draw") == text
    assert stage.connection.asked_for(messages.Offer) == []
    await stage.type("/draw")
    assert len(stage.connection.asked_for(messages.Offer)) == 1
    await stage.hear(*backgammon())
    assert await stage.type("/draw") == "No match of backgammon is drawn."


@pytest.mark.parametrize(
    ("score", "what"),
    [
        ((0, 0), "loses 3 points here, this game alone; the match to 5 goes on"),
        ((0, 2), "loses 3 points here, and with this game the match to 5"),
    ],
)
async def test_in_a_match_to_points_a_resignation_says_whether_it_is_the_game_or_the_match(
    stage: Stage, score: tuple[int, int], what: str
) -> None:
    await stage.begin()
    await stage.hear(*backgammon(series=Series(points=5, score=score)))
    assert f"/resign  {what}: the same again" in await stage.type("/resign")
