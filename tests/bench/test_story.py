"""A story that does not fit log or rules is found out, whatever is wrong with it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from bench.story import Story, compare, digest
from games import registry
from protocol.messages import Event, MatchState, Player, Result

GAME = registry.game("tic_tac_toe")
CELLS = ("1", "4", "2", "5", "3")  # X takes the upper row


def true_log() -> list[Event]:
    """A room's events: two before the match, the match, its end."""
    log = [
        Event(seq=1, kind="created", game="tic_tac_toe"),
        Event(seq=2, kind="started", match="7.1", game="tic_tac_toe"),
    ]
    for ply, cell in enumerate(CELLS):
        log.append(Event(seq=3 + ply, kind="play", match="7.1", ply=ply, seat=ply % 2, action=cell))
    return [*log, Event(seq=8, kind="ended", match="7.1")]


def states() -> list[MatchState]:
    """The match messages of that log, in order."""
    position, made = GAME.initial(), []
    won = Result(winner=0, returns=(1.0, -1.0), how="rules", reason="line")
    plays = [event for event in true_log() if event.kind == "play"]
    for ply in range(6):
        over = position.outcome()
        made.append(
            MatchState(
                match="7.1", room=7, seq=2 + ply + (over is not None), turn=2 + ply,
                game="tic_tac_toe", ply=ply, position=GAME.format_position(position),
                seats=(Player(name="a"), Player(name="b")), to_move=position.to_move,
                events=tuple(replace(event, match=None) for event in plays[max(0, ply - 8) : ply]),
                result=won if over else None,
            )
        )  # fmt: skip
        if over is None:
            position = position.apply(GAME.parse_action(position, CELLS[ply]))
    return made


def story(shown: list[MatchState]) -> Story:
    made = Story("ann")
    for state in shown:
        made.note(state)
    return made


def test_the_truth_has_no_problems_however_little_was_shown() -> None:
    log = true_log()
    assert compare([story(states()), story(states()[-1:])], log, log) == []


def test_a_lost_action_is_found() -> None:
    log = [event for event in true_log() if event.seq != 5]
    assert any("lost" in problem for problem in compare([story(states())], log, log))


def test_a_doubled_action_is_found() -> None:
    log = true_log()
    log.insert(5, log[4])
    found = compare([story(states())], log, log)
    assert any("seqs" in problem for problem in found)
    assert any("plies" in problem for problem in found)


def test_history_and_database_that_differ_are_found() -> None:
    assert compare([story(states())], true_log()[:-1], true_log()) != []


def test_going_back_is_found() -> None:
    shown = states()
    assert any("events were lost" in p for p in story([shown[3], shown[2]]).problems)


Change = Callable[[MatchState], MatchState]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda s: replace(s, position="x8 o"), id="position"),
        pytest.param(
            lambda s: replace(s, events=(*s.events[:-1], replace(s.events[-1], action="9"))),
            id="action",
        ),
        pytest.param(
            lambda s: replace(s, events=(*s.events[:-1], replace(s.events[-1], seq=20))), id="seq"
        ),
        pytest.param(
            lambda s: replace(
                s, result=Result(winner=1, returns=(-1.0, 1.0), how="rules", reason="line")
            ),
            id="result",
        ),
    ],
)
def test_a_state_that_was_shown_otherwise_is_found(change: Change) -> None:
    shown = states()
    shown[-1] = change(shown[-1])
    assert compare([story(shown)], true_log(), true_log()) != []


def test_the_hash_depends_on_what_happened_not_on_who_tells() -> None:
    log = true_log()
    assert digest(list(story(states()).actions.values())) == digest(log)
    assert digest(log[:-2]) != digest(log)
