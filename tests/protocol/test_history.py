"""The kinds of event: one list, which agrees with SPEC.md, and what a takeback leaves."""

from __future__ import annotations

from typing import get_args

from protocol.history import ACTIONS, COURSE, DURING, KINDS, Name, Scope, remaining_actions
from protocol.parts import Event


def action(seq: int, ply: int, kind: str = "play") -> Event:
    return Event(seq=seq, kind=kind, ply=ply, action=str(seq))


def test_every_kind_has_one_descriptor() -> None:
    assert set(KINDS) == set(get_args(Name))
    assert all(name == kind.name for name, kind in KINDS.items())


def test_actions_move_a_match_on_and_so_are_about_one() -> None:
    assert {"play", "pass", "roll", "opening"} == ACTIONS
    assert all(KINDS[name].scope is Scope.MATCH for name in ACTIONS)


def test_parts_of_a_history_are_made_of_known_kinds() -> None:
    assert set(COURSE) <= set(KINDS)
    assert ACTIONS | {"strike", "offered", "answered", "takeback"} == DURING


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
