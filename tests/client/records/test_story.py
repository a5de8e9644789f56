"""A match told from its events: positions, clocks, turns, and what was taken back."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client.records.story import Story, Untold, tell
from games import registry
from tests.client.records.played import FIVE_PLUS_THREE, Played, won_at_connect_four


def positions(story: Story) -> list[str]:
    return [story.game.format_position(moment.position) for moment in story.moments]


def test_each_ply_has_its_position() -> None:
    story = tell(Played("tic_tac_toe").plays("5", "1").events)
    assert positions(story) == ["3/3/3 x", "3/1x1/3 o", "o2/1x1/3 x"]
    assert [moment.ply for moment in story.moments] == [0, 1, 2]
    assert story.moments[0].last is None
    assert story.result is None


def test_who_played_what_and_how_it_ended() -> None:
    story = tell(won_at_connect_four())
    assert (story.match, story.game.name, story.players[1].program) == (
        "17.2", "connect_four", "mcts",
    )  # fmt: skip
    assert story.until - story.at == 2_000 * 8
    assert story.result is not None
    assert (story.result.winner, story.result.reason) == (0, "line")


def test_clocks_stand_as_each_position_was_shown() -> None:
    story = tell(won_at_connect_four())
    assert [moment.clock.remaining for moment in story.moments[:3]] == [
        (300_000, 300_000), (301_520, 300_000), (301_520, 301_520),
    ]  # fmt: skip
    per_move = replace(FIVE_PLUS_THREE.clock, base_ms=None, increment_ms=0, per_move_ms=9_000)
    story = tell(Played("tic_tac_toe", replace(FIVE_PLUS_THREE, clock=per_move)).plays("5").events)
    assert story.moments[1].clock.remaining == (9_000, 9_000)
    assert not tell(Played("tic_tac_toe").events).moments[0].clock.timed


def test_what_was_taken_back_is_a_line_at_the_ply_it_began() -> None:
    played = Played("tic_tac_toe", FIVE_PLUS_THREE).plays("5", "1", "2")
    played.takes_back(1, 1).plays("9").takes_back(1, 1).plays("3")
    story = tell(played.events)
    assert positions(story)[-1] == "2o/1x1/3 x"
    assert len(story.moments) == 3
    lines = [[event.action for event in line] for line in story.moments[1].undone]
    assert lines == [["1", "2"], ["9"]]
    assert story.moments[2].clock.remaining == (301_520, 301_520)


def test_a_turn_has_the_rolls_before_it() -> None:
    played = Played("pebbles").plays_on(seed=1, most=4)
    turns = tell(played.events).turns()
    decided = [turn for turn in turns if turn.answer is not None]
    assert [turn.seat for turn in decided] == [
        event.seat for event in played.events if event.kind in ("play", "pass")
    ]
    assert len(turns[0].rolls) == 2  # who starts, and the first roll
    assert all(len(turn.rolls) == 1 for turn in turns[1:])
    assert turns[1].text() == f"{turns[1].rolls[0].action}: {turns[1].answer.action}"  # type: ignore[union-attr]


def test_a_match_that_ends_on_a_roll_has_a_turn_without_answer() -> None:
    last = tell(Played("pebbles").plays_on(seed=1, most=2).gives_up(0).events).turns()[-1]
    assert last.answer is None
    assert last.text() == f"{last.rolls[-1].action}:"


@pytest.mark.parametrize("game", registry.names())
def test_every_game_can_be_told_to_its_end(game: str) -> None:
    played = Played(game).plays_on(seed=2)
    story = tell(played.events)
    assert [moment.position for moment in story.moments] == played.history
    assert story.result is not None


def untold(events: list[object]) -> str:
    with pytest.raises(Untold) as no:
        tell(events)  # type: ignore[arg-type]
    return str(no.value)


def test_what_cannot_be_told_is_a_sentence() -> None:
    events = list(won_at_connect_four())
    start = events[0]
    assert untold([]).startswith("there is no match")
    assert untold(events[1:]).startswith("there is no match")
    assert "'go' is not known here" in untold([replace(start, game="go")])
    assert "version 9 of the rules of connect_four" in untold([replace(start, rules_version=9)])
    assert "is ply 1, which is not the next" in untold([start, *events[2:]])
    assert "'e4'" in untold([start, replace(events[1], action="e4")])
    full = [replace(events[1], ply=n, seat=n % 2, action="4") for n in range(7)]
    assert "not legal" in untold([start, *full])
    assert "to ply 5" in untold([start, replace(events[1], kind="takeback", ply=5)])
