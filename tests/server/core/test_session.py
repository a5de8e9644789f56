"""Connections and names: who may say what when, what a name is, how fast one may talk."""

from __future__ import annotations

import pytest

from protocol.analysis import ANALYSIS_REQUESTS
from protocol.errors import Code, Refusal
from protocol.ladder import LADDER_REQUESTS
from protocol.messages import REQUESTS, Hello, Lobby, Play, Request
from server.core import session
from server.core.session import Bucket

SAMPLES: dict[type[Request], Request] = {
    Hello: Hello(version=1), Lobby: Lobby(), Play: Play(match="1.1", turn=1, action="1"),
}  # fmt: skip


def refused(text: str) -> Refusal:
    with pytest.raises(Refusal) as no:
        session.check_name(text)
    assert no.value.code == Code.SESSION_BAD_NAME
    return no.value


# ---------------------------------------------------------------- the table


@pytest.mark.parametrize("request_", SAMPLES.values(), ids=lambda r: type(r).__name__)
@pytest.mark.parametrize("state", session.LIFE)
def test_a_connection_answers_to_what_its_state_knows(state: str, request_: Request) -> None:
    if type(request_) in session.LIFE[state]:
        session.admit(state, request_)
        return
    with pytest.raises(Refusal) as no:
        session.admit(state, request_)
    again = state == "open" or isinstance(request_, Hello)
    expected = Code.SESSION_HELLO_AGAIN if again else Code.SESSION_HELLO_FIRST
    assert no.value.code == expected


def test_hello_is_the_only_beginning_and_comes_once() -> None:
    assert session.LIFE["new"] == {Hello}
    assert session.LIFE["greeting"] == set()
    assert session.LIFE["open"] == {*REQUESTS, *LADDER_REQUESTS, *ANALYSIS_REQUESTS} - {Hello}


# ---------------------------------------------------------------- names


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
        ("", "visible"),
        ("   ", "visible"),
        ("a\x00b", "visible"),
        ("a\nb", "visible"),
        ("a\u202eb", "visible"),  # turns the text that follows round
        ("a\u200bb", "visible"),  # no width
        ("a\u2028b", "visible"),
        ("a\u00a0b", "visible"),
        ("a\ud800b", "visible"),
        ("x" * 25, "at most 24"),
        ("a/b", "'/'"),
        ("a@b", "'@'"),
    ],
)
def test_bad_names(text: str, why: str) -> None:
    assert why in refused(text).text


# ---------------------------------------------------------------- tokens, and talking fast


def test_a_token_is_stored_as_its_hash_only() -> None:
    assert session.hash_token("abc").hex() == (
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
    assert len(session.hash_token("\ud800")) == 32


def test_a_burst_is_granted_and_then_so_many_a_second() -> None:
    bucket = Bucket(burst=5, now=0)
    assert [bucket.take(0, rate=2, burst=5) for _ in range(6)] == [True] * 5 + [False]
    assert not bucket.take(499, rate=2, burst=5)
    assert bucket.take(500, rate=2, burst=5)
    assert not bucket.take(999, rate=2, burst=5)
    assert bucket.take(1_000, rate=2, burst=5)


def test_silence_saves_up_no_more_than_a_burst() -> None:
    bucket = Bucket(burst=3, now=0)
    assert [bucket.take(10**9, rate=2, burst=3) for _ in range(4)] == [True] * 3 + [False]
