"""The plies of a match that is on: what is kept of each, encoded.

Everybody who follows a match is shown its newest plies again and again, so each is encoded once, as
they see it.  What stood before a ply is asked for only by a takeback or by a play that is sent
again, and there are many plies in many rooms; so that is bytes as well, a quarter of what the
values themselves would take.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw, Struct

from games.game import BrokenRules, Game, IllegalAction, NotationError, Position
from protocol.parts import Event


class ShownPly(Struct, frozen=True, omit_defaults=True):
    """A ply as the wire shows it: what an Event of the wire has of one, in the same order."""

    seq: int
    kind: str
    ply: int
    seat: int
    action: str
    spent_ms: int | None = None
    lag_ms: int | None = None
    note: str | None = None


class PlyStart(Struct, frozen=True, array_like=True):
    """What stood before a ply: the state of the position, and what of the clock lasts."""

    state: tuple[Any, ...]
    remaining: tuple[int, int]
    lag_left: tuple[int, int]


class PastPly(Struct, frozen=True):
    """One ply of the past, linked to the one before it; `turn`: the one that it answered."""

    turn: int
    event: Raw  # an Event, in msgpack
    start: bytes  # a PlyStart, in msgpack
    before: PastPly | None

    def shown(self) -> Event:
        """Return the ply as the wire shows it."""
        return read(self.event)

    def stood(self) -> PlyStart:
        """Return what stood before it."""
        return _read_start(self.start)

    def position(self, game: Game) -> Position:
        """Return the position before it."""
        return Position(game, self.stood().state)


write = msgspec.msgpack.Encoder().encode  # of a ShownPly and, as a tuple, of a PlyStart
_read_event = msgspec.msgpack.Decoder(Event).decode
_read_start = msgspec.msgpack.Decoder(PlyStart).decode


def read(event: Raw) -> Event:
    """Return what `write` has written."""
    return _read_event(event)


def broken(game: Game, error: Exception) -> BrokenRules:
    """Return what is wrong with a state that cannot be written, as the rules may be anybody's."""
    return BrokenRules(f"a state of {game.name} holds what is no whole number of 64 bits: {error}")


def newest(ply: PastPly | None, count: int) -> tuple[Raw, ...]:
    """Return so many plies up to this one, the last one last."""
    events: list[Raw] = []
    while ply is not None and len(events) < count:
        events.append(ply.event)
        ply = ply.before
    return tuple(reversed(events))


def last_decision(past: PastPly | None, seat: int) -> int | None:
    """Return the ply of a seat's last decision up to this one; None if it has made none."""
    while past is not None:
        action = past.shown()
        if action.kind == "play" and action.seat == seat:
            return action.ply
        past = past.before
    return None


def answered_before(past: PastPly | None, game: Game, seat: int, turn: int, text: str) -> bool:
    """Whether `seat` has answered position `turn` with just this action, however it is spelt."""
    while past is not None and past.turn > turn:
        past = past.before
    if past is None or past.turn != turn:
        return False
    action = past.shown()
    if (action.kind, action.seat) != ("play", seat):
        return False
    return text == action.action or _means(past.position(game), text, action.action or "")


def _means(position: Position, text: str, written: str) -> bool:
    try:
        action = position.read(text)
    except (NotationError, IllegalAction):
        return False
    return action == position.read(written)
