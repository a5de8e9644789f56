"""How a clock, a match and a room's code are written: parsed and formatted here and nowhere else.

    clock   5+3             5 minutes, and 3 seconds more for every action
            10s+0.1s        any number may carry its unit: ms, s, min (or m), h
            30/move         30 seconds for each action
            3d              3 days for each action
            none            no time limit
    match   17.2            the second match of room 17
    code    QF7KDM          of a private room; case and surrounding spaces do not count

Without a unit the first number of a clock is minutes and every other one seconds, as on chess
servers.  What `format_clock` writes always carries its units, and `parse_clock` reads it.
"""

from __future__ import annotations

import hmac
import re
from typing import Final, NamedTuple

import msgspec

from protocol.parts import ClockOptions

UNTIMED: Final = ("none", "untimed", "-")
CLOCK_EXAMPLES: Final = "5+3 (minutes + seconds), 10s+0.1s, 30/move (seconds), 3d (days) or none"
_UNITS_MS: Final = {"ms": 1, "s": 1_000, "m": 60_000, "min": 60_000, "h": 3_600_000}
_DURATION: Final = r"(\d{1,12}(?:\.\d{1,12})?)(ms|s|min|m|h)?"
_FISCHER: Final = re.compile(rf"{_DURATION}(?:\+{_DURATION})?", re.ASCII)
_PER_MOVE: Final = re.compile(rf"{_DURATION}/move", re.ASCII)
_DAYS: Final = re.compile(r"(\d{1,12})d(?:ays?)?(?:/move)?", re.ASCII)
MAX_DIGITS: Final = 15  # of the number of a room or a match


class BadNotation(ValueError):
    """A text that is no clock, or no match; the message is a sentence for people."""


class MatchName(NamedTuple):
    """A match: its room, and its number among that room's matches, from 1."""

    room: int
    number: int


def parse_clock(text: str) -> ClockOptions | None:
    """Return the clock that `text` asks for; None: no time limit.

    Raises:
        BadNotation: with the ways to write one, or with the limits.
    """
    word = "".join(text.lower().split())
    if word in UNTIMED:
        return None
    if each := _PER_MOVE.fullmatch(word):
        per_move = _milliseconds(each[1], each[2] or "s")
        return _clock(text, "0.1 seconds to a day for each action", per_move_ms=per_move)
    if days := _DAYS.fullmatch(word):
        return _clock(text, "1 to 30 days for each action", per_move_days=int(days[1]))
    fischer = _FISCHER.fullmatch(word)
    if fischer is None:
        raise BadNotation(f"{text!r} is no clock: write {CLOCK_EXAMPLES}")
    base = _milliseconds(fischer[1], fischer[2] or "min")
    increment = _milliseconds(fischer[3] or "0", fischer[4] or "s")
    limits = "1 second to 7 days, and at most an hour more for each action"
    return _clock(text, limits, base_ms=base, increment_ms=increment)


def _milliseconds(number: str, unit: str) -> int:
    return round(float(number) * _UNITS_MS[unit])


def _clock(text: str, limits: str, **times: int) -> ClockOptions:
    """Return the clock with these times, unless one is beyond what a message may hold."""
    try:
        return msgspec.convert(times, ClockOptions)
    except msgspec.ValidationError:
        raise BadNotation(f"the clock {text!r} is out of range: {limits}") from None


def is_clock(word: str) -> bool:
    """Return whether a word among others can only be meant as a clock."""
    return "+" in word or word in UNTIMED or word.endswith("/move") or bool(_DAYS.fullmatch(word))


def format_clock(clock: ClockOptions | None) -> str:
    """Such as `5 min + 3 s`, `30 s/move`, or `untimed`."""
    if clock is None:
        return UNTIMED[1]
    if clock.per_move_days is not None:
        return f"{clock.per_move_days} {'day' if clock.per_move_days == 1 else 'days'}/move"
    if clock.per_move_ms is not None:
        return f"{_seconds(clock.per_move_ms)} s/move"
    base = clock.base_ms or 0
    in_minutes = base >= 60_000 and base % 30_000 == 0
    total = f"{base / 60_000:g} min" if in_minutes else f"{_seconds(base)} s"
    return f"{total} + {_seconds(clock.increment_ms)} s"


def _seconds(ms: int) -> str:
    return f"{ms / 1_000:.3f}".rstrip("0").rstrip(".")


def parse_match(text: str) -> MatchName:
    """Return the match of this name.

    Raises:
        BadNotation: where it is none.
    """
    room, _, number = text.partition(".")  # at every move, so it is no regular expression
    digits = room.isdigit() and number.isdigit() and text.isascii()
    if not digits or len(room) > MAX_DIGITS or len(number) > MAX_DIGITS:
        raise BadNotation(f"{text[:20]!r} is no match; one is called like '17.2'")
    return MatchName(int(room), int(number))


def format_match(room: int, number: int) -> str:
    return f"{room}.{number}"


def parse_code(text: str) -> str:
    """Return a code as it is stored, however it was typed."""
    return text.strip().upper()


def same_code(code: str | None, typed: str | None) -> bool:
    """Return whether what was typed is this code, in capitals or not, as its owner typed it.

    What has no code has none to be typed.
    """
    if code is None or typed is None:
        return False
    one, other = (parse_code(text).encode("utf-8", "surrogatepass") for text in (code, typed))
    return hmac.compare_digest(one, other)
