"""Events: their rows in the log, and as everybody may see them."""

from __future__ import annotations

from typing import Any

import pytest

from games.dice import commitment
from protocol.messages import Event as Shown
from protocol.messages import Options, Player, Result
from server.core.events import (
    KIND,
    Answered,
    Closed,
    Created,
    Dealt,
    Ended,
    Event,
    Joined,
    Left,
    Leg,
    NotReplayed,
    Offered,
    Opened,
    Passed,
    Played,
    Readied,
    Rolled,
    Said,
    Started,
    Struck,
    TakenBack,
    public,
    read_body,
    write_body,
)
from tests.server.core.score import ANN, BOB, BOT, CODE, RATED

SECRET = bytes(range(32))
ANN_SEEN, BOT_SEEN = Player(name="ann"), Player(name="dan", program="mcts")
WON = Result(winner=0, returns=(1.0, -1.0), how="rules", reason="line")

# Every kind of event, and what history shows of it beside seq, kind, match and at.
SEEN: list[tuple[Event, dict[str, Any]]] = [
    (Created(9, "pebbles", RATED, ANN, CODE), {"game": "pebbles", "options": RATED,
                                               "player": ANN_SEEN}),
    (Created(9, "pebbles", RATED, ANN, None, Leg(12, "knights", 34, 1, (), "L12.34")), {
        "game": "pebbles", "options": RATED, "player": ANN_SEEN, "ladder": "knights", "pair": 34,
        "leg": 1}),
    (Joined(9, 1, BOT), {"seat": 1, "player": BOT_SEEN}),
    (Left(9, 1), {"seat": 1}),
    (Readied(9, 0, "00ff"), {"seat": 0}),
    (Dealt(9, "17.1", SECRET), {"commitment": commitment(SECRET), "secret": SECRET.hex()}),
    (Started(9, "pebbles", 1, Options(), (ANN, BOT), "17.1", ("00ff", "")), {
        "game": "pebbles", "rules_version": 1, "options": Options(),
        "players": (ANN_SEEN, BOT_SEEN), "salts": ("00ff", "")}),
    (Started(9, "tic_tac_toe", 1, Options(), (ANN, BOT), None, ("00ff", "")), {
        "game": "tic_tac_toe", "rules_version": 1, "options": Options(),
        "players": (ANN_SEEN, BOT_SEEN)}),
    (Played(9, 3, 1, "5", 1_500, 20, "+0.3"), {
        "ply": 3, "seat": 1, "action": "5", "spent_ms": 1_500, "lag_ms": 20, "note": "+0.3"}),
    (Passed(9, 3, 1, "pass"), {"ply": 3, "seat": 1, "action": "pass"}),
    (Rolled(9, 3, "hand"), {"ply": 3, "seat": -1, "action": "hand"}),
    (Opened(9, 0, 0, "5"), {"ply": 0, "seat": 0, "action": "5"}),
    (Struck(9, 3, 1, "e4"), {"ply": 3, "seat": 1, "action": "e4"}),
    (Offered(9, 0, "draw"), {"seat": 0, "offer": "draw"}),
    (Answered(9, 1, "takeback", True), {"seat": 1, "offer": "takeback", "accept": True}),
    (TakenBack(9, 0, 4), {"seat": 0, "ply": 4}),
    (Ended(9, WON, 80), {"result": WON, "spent_ms": 80}),
    (Said(9, BOB, "hi"), {"player": Player(name="bob"), "text": "hi"}),
    (Closed(9, "everybody left"), {"text": "everybody left"}),
]  # fmt: skip
HIDDEN = {Dealt: "secret", Played: "note"}


def test_the_score_has_every_kind() -> None:
    assert {type(event) for event, _ in SEEN} == set(KIND)
    assert len(set(KIND.values())) == len(KIND)


@pytest.mark.parametrize(("event", "seen"), SEEN, ids=lambda x: type(x).__name__)
def test_a_body_is_read_as_it_was_written(event: Event, seen: dict[str, Any]) -> None:
    assert read_body(KIND[type(event)], write_body(event)) == event


@pytest.mark.parametrize(("event", "seen"), SEEN, ids=lambda x: type(x).__name__)
def test_what_history_shows_of_an_open_book(event: Event, seen: dict[str, Any]) -> None:
    for rated in (False, True):
        shown = public(31, "17.1", event, sealed=False, rated=rated)
        assert shown == Shown(seq=31, kind=KIND[type(event)], match="17.1", at=9, **seen)


@pytest.mark.parametrize(("event", "seen"), SEEN, ids=lambda x: type(x).__name__)
def test_what_history_shows_of_a_rated_match_that_is_on(event: Event, seen: dict[str, Any]) -> None:
    seen = {name: value for name, value in seen.items() if name != HIDDEN.get(type(event))}
    shown = public(31, None, event, sealed=True, rated=True)
    assert shown == Shown(seq=31, kind=KIND[type(event)], at=9, **seen)


def test_a_note_is_only_hidden_in_a_rated_match_and_a_secret_in_any() -> None:
    played = public(31, "17.1", Played(9, 3, 1, "5", 1_500, 20, "+0.3"), sealed=True)
    dealt = public(31, "17.1", Dealt(9, "17.1", SECRET), sealed=True)
    assert (played.note, dealt.secret, dealt.commitment) == ("+0.3", None, commitment(SECRET))


def test_a_deal_is_named_where_it_is_not_the_matchs_own() -> None:
    shown = public(2, "17.1", Dealt(9, "L12.34", SECRET), sealed=True)
    assert (shown.deal, shown.secret, shown.commitment) == ("L12.34", None, commitment(SECRET))


def test_an_older_row_without_a_newer_field_is_read() -> None:
    body = write_body(Ended(9, WON, 80))
    assert body[:1] == b"\x93"  # a list of three
    assert read_body("ended", b"\x92" + body[1:-1]) == Ended(9, WON)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("dance", b"\x91\x09"),
        ("left", b""),
        ("left", b"\xc1"),
        ("left", b"\x91\x09"),
        ("left", b"\x92\x09\x02"),  # there are seats 0 and 1
        ("left", b"\x92\x09\xff"),
        ("offered", b"\x93\x09\x00\xa4cake"),
    ],
)
def test_a_row_that_is_none_of_ours_is_not_replayed(kind: str, body: bytes) -> None:
    with pytest.raises(NotReplayed):
        read_body(kind, body)
