"""Clocks, matches and codes as texts: one way to read them, one to write them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.notation import (
    BadNotation,
    MatchName,
    format_clock,
    format_match,
    is_clock,
    parse_clock,
    parse_code,
    parse_match,
    same_code,
)
from protocol.parts import ClockOptions


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("5+3", ClockOptions(base_ms=300_000, increment_ms=3_000)),
        ("0.5+0", ClockOptions(base_ms=30_000)),
        ("10", ClockOptions(base_ms=600_000)),
        ("10s+0.1", ClockOptions(base_ms=10_000, increment_ms=100)),
        ("10s+100ms", ClockOptions(base_ms=10_000, increment_ms=100)),
        ("1h+30s", ClockOptions(base_ms=3_600_000, increment_ms=30_000)),
        ("2m+1m", ClockOptions(base_ms=120_000, increment_ms=60_000)),
        (" 5 min + 3 s ", ClockOptions(base_ms=300_000, increment_ms=3_000)),
        ("1S", ClockOptions(base_ms=1_000)),
        ("168h+1h", ClockOptions(base_ms=604_800_000, increment_ms=3_600_000)),
        ("30/move", ClockOptions(per_move_ms=30_000)),
        ("30s/move", ClockOptions(per_move_ms=30_000)),
        ("0.1/move", ClockOptions(per_move_ms=100)),
        ("2min/move", ClockOptions(per_move_ms=120_000)),
        ("3d", ClockOptions(per_move_days=3)),
        ("1 day/move", ClockOptions(per_move_days=1)),
        *((text, None) for text in ("none", "untimed", "-", " None ")),
    ],
)
def test_a_clock_is_minutes_and_seconds_or_seconds_an_action_unless_it_says_its_unit(
    text: str, clock: ClockOptions | None
) -> None:
    assert parse_clock(text) == clock


NO_CLOCK = ["", "5+", "+3", "5+3+1", "five", "5+3/move", "5x+3", "-5+3", "٥+3", "9" * 400]
TOO_FAR = ["0+3", "0.5s", "169h", "5+61min", "0.05/move", "25h/move", "0d", "31d", f"{'9' * 12}+3"]
NO_MATCH = ["", "17", "17.", ".2", "17.x", "1.2.3", "-1.2", "1 .2", "9" * 20]


@pytest.mark.parametrize(
    ("text", "parse", "answer"),
    [
        *((text, parse_clock, r"is no clock: write 5\+3") for text in NO_CLOCK),
        *((text, parse_clock, "out of range") for text in TOO_FAR),
        *((text, parse_match, "is no match") for text in NO_MATCH),
    ],
)
def test_what_is_none_is_answered_with_the_ways_to_write_one_or_its_limits(
    text: str, parse: Callable[[str], object], answer: str
) -> None:
    with pytest.raises(BadNotation, match=answer):
        parse(text)


@pytest.mark.parametrize(
    ("clock", "text"),
    [
        (None, "untimed"),
        (ClockOptions(base_ms=300_000, increment_ms=3_000), "5 min + 3 s"),
        (ClockOptions(base_ms=90_000), "1.5 min + 0 s"),
        (ClockOptions(base_ms=10_000, increment_ms=100), "10 s + 0.1 s"),
        (ClockOptions(per_move_ms=500), "0.5 s/move"),
        (ClockOptions(per_move_days=3), "3 days/move"),
    ],
)
def test_a_clock_is_written_with_its_units(clock: ClockOptions | None, text: str) -> None:
    assert format_clock(clock) == text


BASE, INCREMENT = st.integers(1_000, 604_800_000), st.integers(0, 3_600_000)
EACH_MOVE = st.builds(ClockOptions, per_move_ms=st.integers(100, 86_400_000)) | st.builds(
    ClockOptions, per_move_days=st.integers(1, 30)
)


@given(st.builds(ClockOptions, base_ms=BASE, increment_ms=INCREMENT) | EACH_MOVE)
def test_what_is_written_of_a_clock_is_read_as_the_same(clock: ClockOptions) -> None:
    assert parse_clock(format_clock(clock)) == clock


def test_words_that_can_only_be_clocks_are_known() -> None:
    assert all(is_clock(word) for word in ("5+3", "none", "30/move", "10s+0.1s", "3d"))
    assert not any(is_clock(word) for word in ("5", "first", "level", "3"))


def test_a_match_is_a_room_and_its_number() -> None:
    assert parse_match("17.2") == MatchName(room=17, number=2)
    assert format_match(17, 2) == "17.2"


def test_a_code_is_the_same_however_it_is_typed() -> None:
    assert parse_code(" qf7kdm ") == "QF7KDM"
    assert same_code("QF7KDM", "qf7kdm ")
    assert same_code("friday", "friday"), "people choose the code of a ladder"
    for other in ("QF7KDN", None, "\ud800"):
        assert not same_code("QF7KDM", other)
    assert not same_code(None, "QF7KDM")
    assert not same_code(None, None)
