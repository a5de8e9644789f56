"""Connections, names and texts: who may say what and when, how fast, and what is left of it."""

from __future__ import annotations

import unicodedata

import pytest

from protocol import codec
from protocol.errors import Code, Refusal
from protocol.messages import Hello, Lobby, Play, Request
from server.core import session
from server.core.names.text import clean
from server.core.session import TokenBucket, wait_ms

SAMPLES: dict[type[Request], Request] = {
    Hello: Hello(version=1), Lobby: Lobby(), Play: Play(match="1.1", turn=1, action="1"),
}  # fmt: skip


@pytest.mark.parametrize("request_", SAMPLES.values(), ids=lambda r: type(r).__name__)
@pytest.mark.parametrize("state", session.LIFE)
def test_a_connection_answers_to_what_its_state_knows(state: str, request_: Request) -> None:
    if type(request_) in session.LIFE[state]:
        return
    no = session.unasked(state, request_)
    again = state == "open" or isinstance(request_, Hello)
    expected = Code.SESSION_HELLO_AGAIN if again else Code.SESSION_HELLO_FIRST
    assert no.code == expected


def test_hello_is_the_only_beginning_and_comes_once() -> None:
    assert session.LIFE["new"] == {Hello}
    assert session.LIFE["greeting"] == set()
    assert session.LIFE["open"] == {*codec.REQUESTS.values()} - {Hello}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("ann", "ann"),
        (" ann ", "ann"),
        ("Ann van Dam", "Ann van Dam"),
        ("e\u0301ve", "éve"),  # as a Mac writes it
        ("Ωmega-3", "Ωmega-3"),
        ("国王", "国王"),
        ("x" * 24, "x" * 24),
        ("e\u0301" * 24, "é" * 24),
    ],
)
def test_good_names(text: str, name: str) -> None:
    assert session.check_name(text) == name


@pytest.mark.parametrize(
    ("text", "why"),
    [
        *((text, "visible") for text in ("", "   ", "a\x00b", "a\nb", "a\ud800b")),
        ("a\u202eb", "visible"),  # turns the text that follows round
        *((f"a{space}b", "visible") for space in "\u200b\u2028\u00a0"),
        ("x" * 25, "at most 24"),
        ("a/b", "'/'"),
        ("a@b", "'@'"),
        *((f"a{emoji}", "joined of several") for emoji in ("👨\u200d👩", "❤\ufe0f")),
    ],
)
def test_bad_names(text: str, why: str) -> None:
    with pytest.raises(Refusal) as no:
        session.check_name(text)
    assert no.value.code == Code.SESSION_BAD_NAME
    assert why in no.value.text


def test_a_token_is_stored_as_its_hash_only() -> None:
    assert session.hash_token("abc").hex() == (
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
    assert len(session.hash_token("\ud800")) == 32


def test_a_budget_is_spent_owes_and_is_waited_for() -> None:
    allowance = TokenBucket(rate=1_000, burst=500, now=0)
    allowance.level -= 499
    assert wait_ms([allowance], 0) == 0  # something is left, so one thing more may be asked
    allowance.level -= 101  # which costs more than that
    assert wait_ms([allowance], 0) == 101
    assert wait_ms([allowance], 100) == 1
    assert wait_ms([allowance], 101) == 0
    assert not allowance.is_full(599)
    assert allowance.is_full(600)


def test_a_debt_is_at_most_one_burst_and_the_tightest_budget_rules() -> None:
    mine, ours = TokenBucket(1_000, 500, 0), TokenBucket(100, 500, 0)
    for allowance in (mine, ours):
        allowance.level -= 10**6
    assert wait_ms([mine], 0) == 501
    assert wait_ms([mine, ours], 0) == 5_001


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


def test_no_character_that_does_not_print_gets_through_and_cleaning_twice_changes_nothing() -> None:
    everything = clean("".join(map(chr, range(0x20000))))
    assert everything.isprintable()
    assert clean(everything) == everything
    assert unicodedata.is_normalized("NFC", everything)
