"""A transcript that does not fit log or rules is found out, whatever is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from bench.support.report import out_of_time
from bench.support.transcript import Transcript, check_stopped, check_told, compare, digest
from games import registry
from protocol.messages import MatchState
from protocol.parts import Event, Player, Result

GAME = registry.game("tic_tac_toe")
CELLS = ("1", "4", "2", "5", "3")  # X takes the upper row


def true_log() -> list[Event]:
    """A room's events: two before the match, the match, its end."""
    log = [
        Event(seq=1, kind="created", game="tic_tac_toe"),
        Event(seq=2, kind="started", match="7.1", game="tic_tac_toe"),
        *(
            Event(seq=3 + ply, kind="play", match="7.1", ply=ply, seat=ply % 2, action=cell)
            for ply, cell in enumerate(CELLS)
        ),
    ]
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


def transcript(shown: list[MatchState]) -> Transcript:
    made = Transcript("ann")
    for state in shown:
        made.note(state)
    return made


def test_the_truth_has_no_problems_however_little_was_shown() -> None:
    log = true_log()
    assert compare([transcript(states()), transcript(states()[-1:])], log, log) == []


def test_an_opening_that_the_ladder_chose_is_an_action() -> None:
    log = [replace(e, kind="opening", seat=None) if e.ply == 0 else e for e in true_log()]
    assert compare([], log, log) == []
    assert digest(log) != digest(log[:2] + log[3:])


def test_a_lost_and_a_doubled_action_are_found() -> None:
    log = true_log()
    lost = compare([transcript(states())], log[:4] + log[5:], log[:4] + log[5:])
    assert any("lost" in problem for problem in lost)
    log.insert(5, log[4])
    found = compare([transcript(states())], log, log)
    assert any("seqs" in problem for problem in found)
    assert any("plies" in problem for problem in found)


def test_history_and_database_that_differ_and_going_back_are_found() -> None:
    shown = states()
    assert compare([transcript(shown)], true_log()[:-1], true_log()) != []
    assert any("events were lost" in p for p in transcript([shown[3], shown[2]]).problems)


def last_event(state: MatchState, **changes: Any) -> dict[str, Any]:
    return {"events": (*state.events[:-1], replace(state.events[-1], **changes))}


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda s: {"position": "x8 o"}, id="position"),
        pytest.param(lambda s: last_event(s, action="9"), id="action"),
        pytest.param(lambda s: last_event(s, seq=20), id="seq"),
        pytest.param(lambda s: {"result": replace(s.result, returns=(-1.0, 1.0))}, id="result"),
        pytest.param(lambda s: {"result": replace(s.result, winner=1)}, id="winner"),
    ],
)
def test_a_state_that_was_shown_otherwise_is_found(
    change: Callable[[MatchState], dict[str, Any]],
) -> None:
    *shown, last = states()
    told = transcript([*shown, replace(last, **change(last))])
    assert compare([told], true_log(), true_log()) != []


def test_the_hash_depends_on_what_happened_not_on_who_tells() -> None:
    log = true_log()
    assert digest(list(transcript(states()).actions.values())) == digest(log)
    assert digest(log[:-2]) != digest(log)


def test_who_was_not_told_everything_is_found_however_whole_its_events_are() -> None:
    shown = states()
    assert check_told([transcript(shown), transcript(shown)], "7.1") == []
    for missing, word in ((2, "at seq [4]"), (5, "how 7.1 ended")):
        told = [transcript(shown), transcript(shown[:missing] + shown[missing + 1 :])]
        assert compare(told[1:], true_log(), true_log()) == [] or missing == 5
        assert any(word in problem for problem in check_told(told, "7.1"))


def test_what_was_lost_is_said_when_time_is_over() -> None:
    log, shown = true_log(), states()
    whole, behind = transcript(shown), transcript(shown[:4])
    assert check_stopped([whole], log, is_still=True) == []
    assert check_stopped([behind], log, is_still=False) == [], "it may be under way"
    (problem,) = check_stopped([whole, behind], log, is_still=True)
    assert "shown nothing after seq 5; 7.1 has come to seq 8, which nobody told it" in problem
    (problem,) = check_stopped([behind], log[:4], is_still=False)
    assert "was shown (5, 'play', '7.1', 2, 0, '2'), which is lost" in problem
    assert out_of_time(300, {3: [], 7: [problem]})[1] == f"room 7: {problem}"
    with pytest.raises(TimeoutError):
        out_of_time(300, {3: [], 7: []})
