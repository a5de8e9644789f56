"""What is left of what people write."""

from __future__ import annotations

import unicodedata

import pytest

from server.core.text import clean


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("hello", "hello"),
        ("  hello  ", "hello"),
        ("a\tb\nc", "a b c"),
        ("a\r\nb", "a b"),
        ("\x1b[31mred", "[31mred"),
        ("\x9b31mred", "31mred"),
        ("a\u202eb\u2066c", "abc"),
        ("a\u200bb\ufeff", "ab"),
        ("a\u2028b\u2029c\u00a0d\u3000e", "a b c d e"),
        ("\ud800\udfff", ""),
        ("\ue000\U000e0001", ""),  # for private use, and a tag
        ("e\u0301", "\u00e9"),
        ("\U0001f600", "\U0001f600"),
        ("", ""),
    ],
)
def test_what_is_left(text: str, left: str) -> None:
    assert clean(text) == left


def test_no_character_that_does_not_print_gets_through() -> None:
    everything = "".join(map(chr, range(0x3000))) + "".join(map(chr, range(0xD000, 0x11000)))
    assert clean(everything).isprintable()


def test_cleaning_twice_changes_nothing() -> None:
    everything = clean("".join(map(chr, range(0x20000))))
    assert clean(everything) == everything
    assert unicodedata.is_normalized("NFC", everything)
