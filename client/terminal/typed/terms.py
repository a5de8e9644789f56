"""How a room and a bot are asked for, as people type it: seat, strength, place.

    seat       first  second  0  1  any
    strength   level 3   nodes 5000   ms 200   exploration=1.4
    place      17  (a room)   17.2  (a match of it)   QF7KDM  (a private room's code)
    points     7  (a match to so many)

Clocks are in protocol/notation.py.  Each function raises BadNotation with a sentence that shows how
it is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from protocol import notation
from protocol.notation import BadNotation
from protocol.parts import Seat, Strength

_SEATS: Mapping[str, Seat | None] = {
    "first": 0, "0": 0, "second": 1, "1": 1, "any": None,
}  # fmt: skip
_LIMITS = {"level": 8, "nodes": 10**12, "ms": 3_600_000}


@dataclass(frozen=True, slots=True)
class RoomReference:
    """Where to sit down or watch: a room by its number, or a private one by its code."""

    room: int | None = None
    code: str | None = None
    match: str | None = None  # set where a match was named

    def __str__(self) -> str:
        return self.match or self.code or str(self.room)


def parse_seat(text: str) -> Seat | None:
    """Return 0, 1, or None for any."""
    try:
        return _SEATS[text.strip().lower()]
    except KeyError:
        raise BadNotation(f"{text!r} is not a seat: write first or second (or 0 or 1)") from None


def is_seat(word: str) -> bool:
    return word.lower() in _SEATS


def parse_place(text: str) -> RoomReference:
    """Return a room's number, a match's name, or a code."""
    word = text.strip()
    with suppress(BadNotation):
        return RoomReference(room=notation.parse_match(word).room, match=word)
    if word.isascii() and word.isdigit():
        return RoomReference(room=int(word))
    if word.isascii() and word.isalnum():
        return RoomReference(code=notation.parse_code(word))
    raise BadNotation(
        f"{text!r} is not a room: write a number, such as 17, or the code of a private one"
    )


def parse_points(text: str) -> int:
    """Return to how many points a match is; the server says which are possible."""
    if not (text.isascii() and text.isdigit() and len(text) <= 6):
        raise BadNotation(f"{text!r} is not a number of points: write points 7")
    return int(text)


def parse_strength(
    *,
    level: str | int | None = None,
    nodes: str | int | None = None,
    ms: str | int | None = None,
    settings: Mapping[str, str] | None = None,
) -> Strength:
    """Return how strongly a bot is asked to play."""
    return Strength(
        level=_limited("level", level),
        nodes=_limited("nodes", nodes),
        ms=_limited("ms", ms),
        set=dict(settings or {}),
    )


def _limited(what: str, value: str | int | None) -> int | None:
    if value is None:
        return None
    text = str(value).replace(",", "").replace("_", "")
    limit = _LIMITS[what]
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= limit):
        raise BadNotation(f"{what} must be a whole number from 1 to {limit:,}, not {str(value)!r}")
    return int(text)


def parse_setting(text: str) -> tuple[str, str]:
    """Return a bot's setting, `key=value`."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise BadNotation(f"{text!r} is not a setting: write key=value, such as exploration=1.4")
    return key, value


def format_strength(strength: Strength) -> str:
    """Return such as "level 3, exploration=1.4"; empty where nothing is asked for."""
    parts = [
        f"{what} {value:,}"
        for what, value in (
            ("level", strength.level), ("nodes", strength.nodes), ("ms", strength.ms),
        )
        if value is not None
    ]  # fmt: skip
    return ", ".join([*parts, *(f"{key}={value}" for key, value in strength.set.items())])
