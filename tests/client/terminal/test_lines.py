"""Lines, and what others wrote made harmless in them."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from client.terminal.lines import (
    beside,
    clean,
    columns,
    cut,
    line,
    pad,
    shorten,
    text_of,
    width,
)
from tests.client.terminal.scenes import texts


def test_escape_sequences_lose_what_makes_them_work() -> None:
    assert clean("\x1b[2J\x1b]0;owned\x07hi\x9b1A") == "[2J]0;ownedhi1A"


def test_bidi_and_invisible_characters_are_gone() -> None:
    assert clean("a\u202egnp.exe\u2066b\u200bc\ufeff") == "agnp.exebc"


def test_what_parts_lines_becomes_a_space() -> None:
    assert clean("one\ntwo\tthree\u2028four\r\x85") == "one two three four  "


def test_letters_of_all_languages_stay() -> None:
    text = "Zoë 名前 שלום ♟"
    assert clean(text) == text


@given(st.text())
def test_no_control_or_format_character_is_left(text: str) -> None:
    assert not any(unicodedata.category(c)[0] == "C" for c in clean(text))


@given(st.text())
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert clean(clean(text)) == clean(text)


def test_a_line_is_clean_in_every_part() -> None:
    shown = line("plain\x1b", ("bad", "\x07bell"), ("dim", ""))
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
    shown = line(("good", "good "), ("bad", "bad news"))
    assert cut(shown, 8) == (("good", "good "), ("bad", "ba…"))
    assert cut(shown, 4) == (("good", "goo…"),)
    assert cut(shown, 99) == shown


def test_blocks_stand_side_by_side() -> None:
    left = [line("ab"), line("c")]
    right = [line("1"), line("2"), line("3")]
    assert texts(beside(left, right, gap=2)) == "ab  1\nc   2\n    3"


def test_cells_fill_columns_line_by_line() -> None:
    cells = [line(text) for text in ("a", "bb", "c", "d")]
    assert texts(columns(cells, 8)) == "a    bb\nc    d"
    assert texts(columns(cells, 1)) == "a\nbb\nc\nd"
    assert columns([], 8) == []
