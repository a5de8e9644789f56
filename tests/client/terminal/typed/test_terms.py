"""Seats, strengths and places as people type them."""

from __future__ import annotations

import pytest

from client.terminal.typed import terms
from client.terminal.typed.terms import RoomReference
from protocol.notation import BadNotation
from protocol.parts import Strength


def test_seats_have_names_and_numbers() -> None:
    assert [terms.parse_seat(word) for word in ("first", "0", "Second", "1", "any")] == [
        0, 0, 1, 1, None,
    ]  # fmt: skip
    with pytest.raises(BadNotation, match="'third' is not a seat"):
        terms.parse_seat("third")


def test_places_are_rooms_matches_or_codes() -> None:
    for text, place in (
        ("17", RoomReference(room=17)),
        ("17.2", RoomReference(room=17, match="17.2")),
        ("QF7KDM", RoomReference(code="QF7KDM")),
    ):
        assert terms.parse_place(text.lower()) == place
        assert str(place) == text
    for text in ("", "17.", "a b", "²", "código", "-1"):
        with pytest.raises(BadNotation, match="is not a room"):
            terms.parse_place(text)


def test_strength_is_a_level_nodes_or_time_and_settings() -> None:
    assert terms.parse_strength(level="3") == Strength(level=3)
    assert terms.parse_strength(nodes="5,000") == Strength(nodes=5_000)
    assert terms.parse_strength(ms=200, settings={"a": "b"}) == Strength(ms=200, set={"a": "b"})
    for text in ("9", "0", "", "x", "1.5", "³"):
        with pytest.raises(BadNotation, match="level must be a whole number from 1 to 8"):
            terms.parse_strength(level=text)
    for text in ("exploration", "=1.4", ""):
        with pytest.raises(BadNotation, match="write key=value"):
            terms.parse_setting(text)
    assert terms.format_strength(Strength()) == ""
    assert terms.format_strength(Strength(nodes=5_000, set={"c": "1.4"})) == "nodes 5,000, c=1.4"
