"""Who would give a match up, read from its events."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from protocol.analysis import Resignation, ResigningDecision, resigning_decisions
from protocol.parts import Event, Result
from protocol.records.resignations import resignations_of

ROLL, PLAY = Event(seq=1, kind="roll", seat=-1), Event(seq=2, kind="play", seat=0)
BACK = Event(seq=3, kind="takeback", seat=0, ply=1)


def offered(seat: Literal[0, 1], points: int) -> Event:
    return Event(seq=4, kind="offered", offer="resign", seat=seat, points=points)


def answered(seat: Literal[0, 1], accept: bool) -> Event:
    return Event(seq=5, kind="answered", offer="resign", seat=seat, accept=accept)


def ended(winner: Literal[0, 1], points: float, how: Any = "resign") -> Event:
    returns = (points, -points) if winner == 0 else (-points, points)
    result = Result(winner=winner, returns=returns, how=how, reason=how)
    return Event(seq=6, kind="ended", result=result)


def one(ply: int, seat: Literal[0, 1], points: int, accepted: bool | None = None) -> Resignation:
    return Resignation(ply=ply, seat=seat, points=points, accepted=accepted)


REFUSED = one(2, 1, 1, False)
CASES: dict[str, tuple[list[Event], list[Resignation]]] = {
    "at the full price": ([ROLL, PLAY, ended(0, 4.0)], [one(2, 1, 4)]),
    "accepted": ([ROLL, offered(0, 1), answered(1, True), ended(1, 1.0)], [one(1, 0, 1, True)]),
    "refused, and raised": (
        [ROLL, PLAY, offered(1, 1), answered(0, False), offered(1, 2), answered(0, True)],
        [REFUSED, one(2, 1, 2, True)],
    ),
    "refused, and given up": (
        [ROLL, PLAY, offered(1, 1), answered(0, False), ended(0, 3.0)], [REFUSED, one(2, 1, 3)],
    ),
    "raised before it was answered": (
        [offered(1, 1), offered(1, 2), answered(0, False)], [one(0, 1, 2, False)],
    ),
    "withdrawn": ([offered(1, 1), answered(1, False)], []),
    "gone with the next action": ([offered(1, 1), PLAY, answered(0, False)], []),
    "taken back": ([ROLL, PLAY, offered(1, 1), answered(0, False), BACK], []),
    "lost on time": ([ROLL, ended(0, 1.0, "flag")], []),
    "a draw that was offered": ([Event(seq=4, kind="offered", offer="draw", seat=0)], []),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_was_decided_is_found(case: tuple[list[Event], list[Resignation]]) -> None:
    events, expected = case
    assert list(resignations_of(events)) == expected


def test_a_decision_is_told_in_words() -> None:
    assert resigning_decisions(one(2, 1, 4)) == (ResigningDecision(2, 1, "resign 4"),)
    assert [d[1:] for d in resigning_decisions(REFUSED)] == [(1, "resign 1"), (0, "refuse 1")]
    assert [d[1:] for d in resigning_decisions(one(0, 0, 2, True))] == [
        (0, "resign 2"), (1, "accept 2")
    ]  # fmt: skip
