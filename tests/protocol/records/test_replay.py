"""A match told from its events: positions, clocks, turns, and what was taken back."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from games import registry
from protocol.records.replay import CannotReplay, Replay, replay_events
from tests.client.records.played import FIVE_PLUS_THREE, Played, won_at_connect_four


def positions(replay: Replay) -> list[str]:
    return [replay.game.format_position(step.position) for step in replay.steps]


def test_each_ply_has_its_position() -> None:
    replay = replay_events(Played("tic_tac_toe").plays("5", "1").events)
    assert positions(replay) == ["3/3/3 x", "3/1x1/3 o", "o2/1x1/3 x"]
    assert [step.ply for step in replay.steps] == [0, 1, 2]
    assert replay.steps[0].last is None
    assert replay.result is None


def test_who_played_what_and_how_it_ended() -> None:
    replay = replay_events(won_at_connect_four())
    assert (replay.match, replay.game.name, replay.players[1].program) == (
        "17.2", "connect_four", "mcts",
    )  # fmt: skip
    assert replay.until - replay.at == 2_000 * 8
    assert replay.result is not None
    assert (replay.result.winner, replay.result.reason) == (0, "line")


def test_clocks_stand_as_each_position_was_shown() -> None:
    replay = replay_events(won_at_connect_four())
    assert [step.clock.remaining for step in replay.steps[:3]] == [
        (300_000, 300_000), (301_520, 300_000), (301_520, 301_520),
    ]  # fmt: skip
    per_move = replace(FIVE_PLUS_THREE.clock, base_ms=None, increment_ms=0, per_move_ms=9_000)
    replay = replay_events(
        Played("tic_tac_toe", replace(FIVE_PLUS_THREE, clock=per_move)).plays("5").events
    )
    assert replay.steps[1].clock.remaining == (9_000, 9_000)
    assert not replay_events(Played("tic_tac_toe").events).steps[0].clock.timed


def test_what_was_taken_back_stands_at_the_ply_where_it_began() -> None:
    played = Played("tic_tac_toe", FIVE_PLUS_THREE).plays("5", "1", "2")
    played.takes_back(1, 1).plays("9").takes_back(1, 1).plays("3")
    replay = replay_events(played.events)
    assert positions(replay)[-1] == "2o/1x1/3 x"
    assert len(replay.steps) == 3
    undone = [[event.action for event in actions] for actions in replay.steps[1].undone]
    assert undone == [["1", "2"], ["9"]]
    assert replay.steps[2].clock.remaining == (301_520, 301_520)


def test_a_turn_has_the_rolls_before_it_and_at_the_end_perhaps_no_answer() -> None:
    played = Played("pebbles").plays_on(seed=1, most=4)
    turns = replay_events(played.events).turns()
    decided = [turn for turn in turns if turn.answer is not None]
    assert [turn.seat for turn in decided] == [
        event.seat for event in played.events if event.kind in ("play", "pass")
    ]
    assert len(turns[0].rolls) == 2  # who starts, and the first roll
    assert all(len(turn.rolls) == 1 for turn in turns[1:])
    assert turns[1].text() == f"{turns[1].rolls[0].action}: {turns[1].answer.action}"  # type: ignore[union-attr]
    last = replay_events(Played("pebbles").plays_on(seed=1, most=2).gives_up(0).events).turns()[-1]
    assert (last.answer, last.text()) == (None, f"{last.rolls[-1].action}:")


@pytest.mark.parametrize("game", registry.names())
def test_every_game_can_be_told_to_its_end(game: str) -> None:
    played = Played(game).plays_on(seed=2)
    replay = replay_events(played.events)
    assert [step.position for step in replay.steps] == played.history
    assert replay.result is not None


def untold(events: list[object]) -> str:
    with pytest.raises(CannotReplay) as no:
        replay_events(events)  # type: ignore[arg-type]
    return str(no.value)


def test_what_cannot_be_told_is_a_sentence() -> None:
    events = list(won_at_connect_four())
    start = events[0]
    assert untold([]).startswith("these events hold no start")
    assert untold(events[1:]).startswith("these events hold no start")
    assert "'go' is not known here" in untold([replace(start, game="go")])
    assert "version 9 of the rules of connect_four" in untold([replace(start, rules_version=9)])
    assert "is ply 1, which is not the next" in untold([start, *events[2:]])
    assert "'e4'" in untold([start, replace(events[1], action="e4")])
    full = [replace(events[1], ply=n, seat=n % 2, action="4") for n in range(7)]
    assert "not legal" in untold([start, *full])
    assert "to ply 5" in untold([start, replace(events[1], kind="takeback", ply=5)])
