"""Lines, and what others wrote made harmless in them."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given

from client.styled_text import (
    beside,
    clean,
    columns,
    cut,
    pad,
    shorten,
    styled,
    text_of,
    width,
    wrapped,
)
from tests.client.terminal.states import texts
from tests.support.text import any_text


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("\x1b[2J\x1b]0;owned\x07hi\x9b1A", "[2J]0;ownedhi1A"),
        ("a\u202egnp.exe\u2066b\u200bc\ufeff", "agnp.exebc"),
        ("one\ntwo\tthree\u2028four\r\x85", "one two three four  "),
        ("Zoë 名前 שלום ♟", "Zoë 名前 שלום ♟"),
    ],
    ids=["escape sequences", "invisible characters", "what parts lines", "letters stay"],
)
def test_what_works_on_a_terminal_is_gone_and_letters_stay(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


@given(any_text())
def test_no_control_or_format_character_is_left_and_cleaning_twice_changes_nothing(
    text: str,
) -> None:
    assert not any(unicodedata.category(c)[0] == "C" for c in clean(text))
    assert clean(clean(text)) == clean(text)


def test_a_line_is_clean_in_every_part() -> None:
    shown = styled("plain\x1b", ("bad", "\x07bell"), ("dim", ""))
    assert shown == (("", "plain"), ("bad", "bell"))
    assert text_of(shown) == "plainbell"


def test_wide_characters_count_twice() -> None:
    assert width("名前") == 4
    assert width(pad("名", 5)) == 5
    assert shorten("名前名前", 5) == "名前…"


def test_shortened_text_ends_in_an_ellipsis() -> None:
    assert shorten("backgammon", 10) == "backgammon"
    assert shorten("backgammon", 6) == "backg…"
    assert shorten("back gammon", 6) == "back…"
    assert shorten("x" * 3, 0) == ""


def test_a_cut_line_keeps_its_styles() -> None:
    shown = styled(("good", "good "), ("bad", "bad news"))
    assert cut(shown, 8) == (("good", "good "), ("bad", "ba…"))
    assert cut(shown, 4) == (("good", "goo…"),)
    assert cut(shown, 99) == shown


def test_blocks_stand_side_by_side() -> None:
    left = [styled("ab"), styled("c")]
    right = [styled("1"), styled("2"), styled("3")]
    assert texts(beside(left, right, gap=2)) == "ab  1\nc   2\n    3"


def test_cells_fill_columns_line_by_line() -> None:
    cells = [styled(text) for text in ("a", "bb", "c", "d")]
    assert texts(columns(cells, 8)) == "a    bb\nc    d"
    assert texts(columns(cells, 1)) == "a\nbb\nc\nd"
    assert columns([], 8) == []


def test_a_line_is_broken_between_words_and_keeps_its_styles() -> None:
    line = styled(("event", "a long line "), ("key", "of words"), " and-a-very-long-word")
    rows = wrapped(line, 12)
    assert [text_of(row).rstrip() for row in rows] == [
        "a long line", "of words", " and-a-very-long-word",
    ]  # fmt: skip
    assert rows[1] == (("key", "of "), ("key", "words"))
    assert wrapped(line, 80) == [line]


def test_a_row_that_is_just_full_leaves_no_empty_line_behind_it() -> None:
    rows = wrapped(styled(f"{'a' * 7} bb cc"), 10)
    assert [text_of(row) for row in rows] == ["aaaaaaa bb", "cc"]
