"""Which names look alike, and which look like the server's own."""

from __future__ import annotations

import unicodedata

import pytest

from protocol.errors import Code, Refusal
from server.core import session
from server.core.names.lookalikes import TABLE, is_reserved, keys

# Each was `house`, or somebody's name, to whoever looked at it.
HOUSES = (
    "house", "HOUSE", "h\u043euse", "\uff48\uff4f\uff55\uff53\uff45", "hou\u017fe", "h\u00f3use",
    "\u041d\u041eU\u0405\u0415", "\u029c\u1d0f\u1d1c\ua731\u1d07", "h\U0001f17eu\U0001f182e",
    "h0use", "h-o-u-s-e", "house.", "house 2", "2house", "\u0127\u00f8use",
    "h\u2134use", "\U0001d573\U0001d594\U0001d59a\U0001d598\U0001d58a",
)  # fmt: skip
OTHERS = (
    "guest-1234",
    "Guest",
    "GUEST 7",
    "server",
    "Serv\u0435r",
    "admin",
    "\u0430dm1n",
    "adrnin",
)
FREE = (
    "mouse",
    "houses",
    "warehouse",
    "my house",
    "ann",
    "hose",
    "guesthouse",
    "\u0434\u043e\u043c",
)


def test_what_looks_like_the_server_s_own_is_reserved() -> None:
    names = (*HOUSES, *OTHERS)
    assert [name for name in names if not is_reserved(session.check_name(name))] == []


def test_what_looks_otherwise_is_free() -> None:
    assert [name for name in FREE if is_reserved(session.check_name(name))] == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ann", "ANN"), ("ann", "\u0430nn"), ("Paul", "PauI"), ("Zo\u00eb", "Zoe"), ("b0b", "bob"),
        ("\u0418\u0432\u0430\u043d", "\u0438\u0432\u0430\u043d"), ("arnold", "amold"),
        ("Ivan", "\u0406van"), ("ivan", "\u0406van"),
    ],
)  # fmt: skip
def test_names_that_look_alike_have_a_key_in_common(one: str, other: str) -> None:
    assert keys(one) & keys(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("ann", "anne"), ("ann-2", "ann-3"), ("\u304b", "\u304c"), ("\u0915\u093f", "\u0915\u0947")],
    ids=["letters", "numbers", "kana", "vowels"],
)
def test_names_that_do_not_have_none(one: str, other: str) -> None:
    assert not keys(session.check_name(one)) & keys(session.check_name(other))


def test_the_table_holds_each_letter_once_and_none_that_is_ours_anyway() -> None:
    letters = "".join(TABLE.values())
    assert len(set(letters)) == len(letters) > 400
    assert not any(letter.isascii() for letter in letters)
    assert unicodedata.normalize("NFKC", letters) == letters


@pytest.mark.parametrize(
    "name",
    [
        "house\u3164", "house\ufe0f", "\u2800\u2800", "\u115f", "\uffa0", "\u0301", "a \u0301b",
        "a\u20dd", "a\U000e0101", "a\u034fb", "a" + "\u0301" * 5, "\u00b4", "...", "\U0001d159a",
        "\uff0f", "a\u2100", "\uff20ann",
    ],
)  # fmt: skip
def test_what_shows_nothing_or_less_than_it_is_is_no_name(name: str) -> None:
    with pytest.raises(Refusal) as no:
        session.check_name(name)
    assert no.value.code == Code.SESSION_BAD_NAME


def test_a_name_is_shown_in_its_plain_form() -> None:
    assert (
        session.check_name("\uff21\uff4e\uff4e  van\u2002Dam".replace("\u2002", " "))
        == "Ann van Dam"
    )
