"""What a ladder keeps of a match that is over: its moves, their time, a digest of its actions."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from protocol.parts import Event
from server.core.match import Match


def moves_of(match: Match) -> tuple[tuple[int, int], tuple[int, int]]:
    """By seat: the decisions made, and the ms they took, openings and forced passes left out."""
    moves, spent = [0, 0], [0, 0]
    for event in events_of(match):
        if event.kind == "play" and event.seat in (0, 1):
            moves[event.seat] += 1
            spent[event.seat] += event.spent_ms or 0
    return (moves[0], moves[1]), (spent[0], spent[1])


def digest_of(match: Match) -> bytes:
    """Return eight bytes that are the same for two matches with the same actions."""
    actions = " | ".join([event.action or "" for event in events_of(match)])
    return hashlib.sha256(actions.encode()).digest()[:8]


def events_of(match: Match) -> Iterator[Event]:
    """Yield all plies, the last one first."""
    past = match.last
    while past is not None:
        yield past.shown()
        past = past.before
