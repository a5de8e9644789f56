"""Which events are about a match, and what a takeback leaves of them."""

from __future__ import annotations

from protocol.history import COURSE, OF_MATCHES, remaining_actions
from protocol.parts import Event


def action(seq: int, ply: int, kind: str = "play") -> Event:
    return Event(seq=seq, kind=kind, ply=ply, action=str(seq))


def test_what_a_match_is_replayed_from_is_about_it() -> None:
    assert set(COURSE) <= OF_MATCHES


def test_a_takeback_leaves_as_many_actions_as_the_ply_it_names() -> None:
    events = [
        action(1, 0),
        action(2, 1, "roll"),
        action(3, 2),
        Event(seq=4, kind="takeback", seat=0, ply=1),
        Event(seq=5, kind="said", text="sorry"),
        action(6, 1, "pass"),
    ]
    assert [event.seq for event in remaining_actions(events)] == [1, 6]


def test_a_takeback_to_the_start_leaves_nothing() -> None:
    assert remaining_actions([action(1, 0), Event(seq=2, kind="takeback", seat=0, ply=0)]) == []
