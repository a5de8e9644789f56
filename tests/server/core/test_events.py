"""Events: their rows in the log, and as everybody may see them."""

from __future__ import annotations

from typing import Any

import pytest

from games.dice import commitment
from protocol.history import OF_MATCHES
from protocol.messages import Resign
from protocol.parts import Event as Shown
from protocol.parts import Options, Player, Result
from server.core import events
from server.core import match as matches
from server.core import room as rooms
from tests.server.core.cast import ANN, BOB, BOT, CODE, MATCH, RATED
from tests.server.core.score import on_a_ladder, started

SECRET = bytes(range(32))
ANN_SEEN, BOT_SEEN = Player(name="ann"), Player(name="dan", program="mcts")
LEG = events.Leg(12, "knights", 34, 1, (), "L12.34")
WON = Result(winner=0, returns=(1.0, -1.0), how="rules", reason="line")

# Every kind of event, and what history shows of it beside seq, kind, match and at.
SEEN: list[tuple[events.Event, dict[str, Any]]] = [
    (events.Created(9, "pebbles", RATED, ANN, CODE), {
        "game": "pebbles", "options": RATED, "player": ANN_SEEN}),
    (events.Created(9, "pebbles", RATED, ANN, None, LEG), {
        "game": "pebbles", "options": RATED, "player": ANN_SEEN, "ladder": "knights", "pair": 34,
        "leg": 1}),
    (events.Joined(9, 1, BOT), {"seat": 1, "player": BOT_SEEN}),
    (events.Left(9, 1), {"seat": 1}),
    (events.Readied(9, 0, "00ff"), {"seat": 0}),
    (events.Dealt(9, "17.1", SECRET), {"commitment": commitment(SECRET), "secret": SECRET.hex()}),
    (events.Started(9, "pebbles", 1, Options(), (ANN, BOT), "17.1", ("00ff", "")), {
        "game": "pebbles", "rules_version": 1, "options": Options(),
        "players": (ANN_SEEN, BOT_SEEN), "salts": ("00ff", "")}),
    (events.Started(9, "tic_tac_toe", 1, Options(), (ANN, BOT), None, ("00ff", "")), {
        "game": "tic_tac_toe", "rules_version": 1, "options": Options(),
        "players": (ANN_SEEN, BOT_SEEN)}),
    (events.Played(9, 3, 1, "5", 1_500, 20, "+0.3"), {
        "ply": 3, "seat": 1, "action": "5", "spent_ms": 1_500, "lag_ms": 20, "note": "+0.3"}),
    (events.Passed(9, 3, 1, "pass"), {"ply": 3, "seat": 1, "action": "pass"}),
    (events.DiceRolled(9, 3, "hand"), {"ply": 3, "seat": -1, "action": "hand"}),
    (events.Opened(9, 0, 0, "5"), {"ply": 0, "seat": 0, "action": "5"}),
    (events.Struck(9, 3, 1, "e4"), {"ply": 3, "seat": 1, "action": "e4"}),
    (events.Offered(9, 0, "draw"), {"seat": 0, "offer": "draw"}),
    (events.Answered(9, 1, "takeback", True), {"seat": 1, "offer": "takeback", "accept": True}),
    (events.TakenBack(9, 0, 4), {"seat": 0, "ply": 4}),
    (events.Ended(9, WON, 80), {"result": WON, "spent_ms": 80}),
    (events.Chatted(9, BOB, "hi"), {"player": Player(name="bob"), "text": "hi"}),
    (events.Agreed(9, Options(rated=True)), {"options": Options(rated=True)}),
    (events.Renamed(9, BOB, "Den"), {"player": Player(name="bob"), "text": "Den"}),
    (events.Closed(9, "everybody left"), {"text": "everybody left"}),
]  # fmt: skip
HIDDEN = {events.Dealt: "secret", events.Played: "note"}


def test_every_event_has_a_kind_of_its_own_and_one_fold() -> None:
    kinds = sorted(event.kind for event in events.EVENTS)
    assert len(set(kinds)) == len(kinds)
    assert set(kinds) >= OF_MATCHES
    assert {type(event) for event, _ in SEEN} == set(events.EVENTS)
    folded = [*matches.FOLDS, *rooms.CHANGES]  # by the one or the other
    assert sorted(event.kind for event in folded) == kinds


@pytest.mark.parametrize(("event", "seen"), SEEN, ids=lambda x: type(x).__name__)
def test_an_event_is_read_as_it_was_written_and_shown_without_what_is_hidden(
    event: events.Event, seen: dict[str, Any]
) -> None:
    assert events.read_body(event.kind, events.write_body(event)) == event
    for rated in (False, True):
        view = events.public(31, "17.1", event, sealed=False, rated=rated)
        assert view == Shown(seq=31, kind=event.kind, match="17.1", at=9, **seen)
    seen = {name: value for name, value in seen.items() if name != HIDDEN.get(type(event))}
    view = events.public(31, None, event, sealed=True, rated=True)
    assert view == Shown(seq=31, kind=event.kind, at=9, **seen)


def test_a_note_is_only_hidden_in_a_rated_match_and_a_secret_in_any() -> None:
    played = events.public(31, "17.1", events.Played(9, 3, 1, "5", 1_500, 20, "+0.3"), sealed=True)
    dealt = events.public(31, "17.1", events.Dealt(9, "17.1", SECRET), sealed=True)
    assert (played.note, dealt.secret, dealt.commitment) == ("+0.3", None, commitment(SECRET))


def test_an_older_row_without_a_newer_field_is_read() -> None:
    body = events.write_body(events.Ended(9, WON, 80))
    assert body[:1] == b"\x93"  # a list of three
    assert events.read_body("ended", b"\x92" + body[1:-1]) == events.Ended(9, WON)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        *(("left", body) for body in (b"", b"\xc1", b"\x91\x09", b"\x92\x09\xff")),
        ("left", b"\x92\x09\x02"),  # there are seats 0 and 1
        ("dance", b"\x91\x09"),
        ("offered", b"\x93\x09\x00\xa4cake"),
    ],
)
def test_a_row_that_is_none_of_ours_is_not_replayed(kind: str, body: bytes) -> None:
    with pytest.raises(events.NotReplayed):
        events.read_body(kind, body)


def test_an_event_is_stored_with_the_match_that_it_is_about() -> None:
    table = started("pebbles")
    table.at(0, ANN, Resign(match=MATCH))
    rows = [(row.kind, row.match) for row in table.rows]
    assert rows[:2] == [("created", None), ("dealt", 1)]
    assert rows[2:6] == [("joined", None), ("joined", None), ("ready", None), ("ready", None)]
    assert rows[6][0] == "started"
    assert {number for _, number in rows[6:-1]} == {1}
    assert rows[-2:] == [("ended", 1), ("dealt", 2)]


def test_a_deal_is_stored_with_its_match_and_named_where_it_is_not_the_matchs_own() -> None:
    rows = {row.kind: row.match for row in on_a_ladder("pebbles").rows}
    assert (rows["created"], rows["joined"], rows["dealt"], rows["started"]) == (None, None, 1, 1)
    view = events.public(2, "17.1", events.Dealt(9, "L12.34", SECRET), sealed=True)
    assert (view.deal, view.secret, view.commitment) == ("L12.34", None, commitment(SECRET))
