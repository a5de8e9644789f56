"""What a table is played by, as people type it: clock, seat, strength, place.

    clock      5+3  (minutes and seconds an action)   0.5+0   10s+0.1   30/move  (seconds)   none
    seat       first  second  0  1  any
    strength   level 3   nodes 5000   ms 200   exploration=1.4
    place      17  (a room)   17.2  (a match of it)   QF7KDM  (a private room's code)

Each function raises BadTerm with a sentence that shows how it is written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from client.verbs import Seat
from protocol.messages import ClockOptions, Strength

NO_CLOCK: Final = ("none", "untimed", "-")
_FISCHER = re.compile(r"(\d+(?:\.\d+)?)(s?)(?:\+(\d+(?:\.\d+)?))?")
_PER_MOVE = re.compile(r"(\d+(?:\.\d+)?)(?:s?/move)")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_MATCH = re.compile(r"(\d+)\.(\d+)")
_SEATS: Mapping[str, Seat | None] = {
    "first": 0, "0": 0, "second": 1, "1": 1, "any": None,
}  # fmt: skip
_LIMITS = {"level": 8, "nodes": 10**12, "ms": 3_600_000}


class BadTerm(ValueError):
    """A word that is none of these; the text is a sentence for people."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where to sit down or watch: a room by its number, or a private one by its code."""

    room: int | None = None
    code: str | None = None
    match: str | None = None  # set where a match was named

    def __str__(self) -> str:
        return self.match or self.code or str(self.room)


def parse_clock(text: str) -> ClockOptions | None:
    """The clock that `text` asks for; None: no time limit."""
    word = text.strip().lower()
    if word in NO_CLOCK:
        return None
    if each := _PER_MOVE.fullmatch(word):
        return parse_per_move(each[1])
    found = _FISCHER.fullmatch(word)
    if found is None:
        raise BadTerm(f"{text!r} is no clock: write 5+3 (minutes + seconds), 30/move, or none")
    base = float(found[1]) * (1_000 if found[2] else 60_000)
    increment = float(found[3] or 0) * 1000
    if not 1_000 <= base <= 7 * 24 * 3_600_000 or increment > 3_600_000:
        raise BadTerm(f"{text!r} is out of range: 1 second to 7 days, at most an hour per action")
    return ClockOptions(base_ms=round(base), increment_ms=round(increment))


def parse_per_move(text: str) -> ClockOptions:
    """A clock of so many seconds for every action."""
    if not _NUMBER.fullmatch(text) or not 0.1 <= float(text) <= 24 * 3600:
        raise BadTerm(f"{text!r} is no time per move: seconds, from 0.1 to 86400")
    return ClockOptions(per_move_ms=round(float(text) * 1000))


def is_clock(word: str) -> bool:
    """Whether `word` can only be meant as a clock."""
    return "+" in word or word in NO_CLOCK or word.endswith("/move")


def format_clock(clock: ClockOptions | None) -> str:
    """What `parse_clock` reads, except that no clock is "untimed"."""
    if clock is None:
        return "untimed"
    if clock.per_move_ms is not None:
        return f"{clock.per_move_ms / 1000:g}/move"
    base = clock.base_ms or 0
    shown = f"{base / 60_000:g}" if base % 30_000 == 0 else f"{base / 1000:g}s"
    return f"{shown}+{clock.increment_ms / 1000:g}"


def parse_seat(text: str) -> Seat | None:
    """0, 1, or None for any."""
    try:
        return _SEATS[text.strip().lower()]
    except KeyError:
        raise BadTerm(f"{text!r} is no seat: write first or second (or 0 or 1)") from None


def is_seat(word: str) -> bool:
    """Whether `word` names a seat."""
    return word.lower() in _SEATS


def parse_place(text: str) -> Place:
    """A room's number, a match's name, or a code."""
    word = text.strip()
    if found := _MATCH.fullmatch(word):
        return Place(room=int(found[1]), match=word)
    if word.isascii() and word.isdigit():
        return Place(room=int(word))
    if word.isascii() and word.isalnum():
        return Place(code=word.upper())
    raise BadTerm(f"{text!r} is no room: write a number, such as 17, or the code of a private one")


def parse_strength(
    *,
    level: str | int | None = None,
    nodes: str | int | None = None,
    ms: str | int | None = None,
    settings: Mapping[str, str] | None = None,
) -> Strength:
    """How strongly a bot is asked to play."""
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
    most = _LIMITS[what]
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= most):
        raise BadTerm(f"{what} is a whole number from 1 to {most:,}, not {str(value)!r}")
    return int(text)


def parse_setting(text: str) -> tuple[str, str]:
    """A bot's setting, `key=value`."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise BadTerm(f"{text!r} is no setting: write key=value, such as exploration=1.4")
    return key, value


def format_strength(strength: Strength) -> str:
    """Such as "level 3, exploration=1.4"; empty where nothing is asked for."""
    parts = [
        f"{what} {value:,}"
        for what, value in (
            ("level", strength.level), ("nodes", strength.nodes), ("ms", strength.ms),
        )
        if value is not None
    ]  # fmt: skip
    return ", ".join([*parts, *(f"{key}={value}" for key, value in strength.set.items())])
