"""Clocks, seats, strengths and places as people type them."""

from __future__ import annotations

import pytest

from client.terminal import terms
from client.terminal.terms import BadTerm, Place
from protocol.messages import ClockOptions, Strength


@pytest.mark.parametrize(
    ("text", "clock", "shown"),
    [
        ("5+3", ClockOptions(base_ms=300_000, increment_ms=3_000), "5+3"),
        ("10", ClockOptions(base_ms=600_000), "10+0"),
        ("0.5+1.5", ClockOptions(base_ms=30_000, increment_ms=1_500), "0.5+1.5"),
        ("10s+0.1", ClockOptions(base_ms=10_000, increment_ms=100), "10s+0.1"),
        ("60s+0", ClockOptions(base_ms=60_000), "1+0"),
        ("30/move", ClockOptions(per_move_ms=30_000), "30/move"),
        ("2.5s/move", ClockOptions(per_move_ms=2_500), "2.5/move"),
        ("none", None, "untimed"),
    ],
)
def test_clocks_are_read_and_written(text: str, clock: ClockOptions | None, shown: str) -> None:
    assert terms.parse_clock(text) == clock
    assert terms.format_clock(clock) == shown
    assert terms.is_clock(text) == (text != "10")


@pytest.mark.parametrize("text", ["", "five", "5+", "+3", "-1", "0+3", "99999", "5+9999", "0/move"])
def test_what_is_no_clock_is_told_what_one_looks_like(text: str) -> None:
    with pytest.raises(BadTerm, match=r"is no clock|out of range|is no time per move"):
        terms.parse_clock(text)


def test_seats_have_names_and_numbers() -> None:
    assert [terms.parse_seat(word) for word in ("first", "0", "Second", "1", "any")] == [
        0, 0, 1, 1, None,
    ]  # fmt: skip
    with pytest.raises(BadTerm, match="'third' is no seat"):
        terms.parse_seat("third")


@pytest.mark.parametrize(
    ("text", "place", "shown"),
    [
        ("17", Place(room=17), "17"),
        ("17.2", Place(room=17, match="17.2"), "17.2"),
        ("qf7kdm", Place(code="QF7KDM"), "QF7KDM"),
    ],
)
def test_places_are_rooms_matches_or_codes(text: str, place: Place, shown: str) -> None:
    assert terms.parse_place(text) == place
    assert str(place) == shown


@pytest.mark.parametrize("text", ["", "17.", "a b", "²", "código", "-1"])
def test_what_is_no_place_is_refused(text: str) -> None:
    with pytest.raises(BadTerm, match="is no room"):
        terms.parse_place(text)


def test_strength_is_a_level_nodes_or_time_and_settings() -> None:
    assert terms.parse_strength(level="3") == Strength(level=3)
    assert terms.parse_strength(nodes="5,000") == Strength(nodes=5_000)
    assert terms.parse_strength(ms=200, settings={"a": "b"}) == Strength(ms=200, set={"a": "b"})
    for text in ("9", "0", "", "x", "1.5", "³"):
        with pytest.raises(BadTerm, match="level is a whole number from 1 to 8"):
            terms.parse_strength(level=text)


def test_strength_is_written_in_words() -> None:
    assert terms.format_strength(Strength()) == ""
    assert terms.format_strength(Strength(nodes=5_000, set={"c": "1.4"})) == "nodes 5,000, c=1.4"


def test_a_setting_is_a_key_and_a_value() -> None:
    assert terms.parse_setting("exploration=1.4") == ("exploration", "1.4")
    for text in ("exploration", "=1.4", ""):
        with pytest.raises(BadTerm, match="write key=value"):
            terms.parse_setting(text)
