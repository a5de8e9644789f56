"""Who would give a match up, for how many points, and what the other side said to that."""

from __future__ import annotations

from collections.abc import Iterable

from protocol.analysis import Resignation
from protocol.history import ACTIONS
from protocol.parts import Event


def resignations_of(events: Iterable[Event]) -> tuple[Resignation, ...]:
    """Return the resignations of one match in order: offers that the other side answered, and the
    one at the full price that ended it.

    What was withdrawn, or gone with the next action, decided nothing; nor did what a takeback has
    undone.
    """
    found: list[Resignation] = []
    offer: Event | None = None
    ply = 0
    for event in events:
        if event.kind in ACTIONS:
            ply, offer = ply + 1, None
        elif event.kind == "takeback":
            ply, offer = event.ply or 0, None
            found = [each for each in found if each.ply <= ply]
        elif event.kind == "offered" and event.offer == "resign":
            offer = event
        elif event.kind == "answered" and event.offer == "resign":
            if offer is not None and event.seat != offer.seat:
                found.append(_resignation(ply, offer.seat, offer.points, event.accept))
            offer = None
        elif event.kind == "ended" and not (found and found[-1].accepted):
            found += _at_full_price(ply, event)
    return tuple(found)


def _at_full_price(ply: int, end: Event) -> list[Resignation]:
    result = end.result
    if result is None or result.how != "resign" or result.winner is None:
        return []
    points = round(max(result.returns))
    return [_resignation(ply, 1 - result.winner, points, None)]


def _resignation(
    ply: int, seat: int | None, points: int | None, accepted: bool | None
) -> Resignation:
    return Resignation(ply=ply, seat=1 if seat else 0, points=points or 0, accepted=accepted)
