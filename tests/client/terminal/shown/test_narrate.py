"""What is new between two states, in lines."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client.terminal.shown import narrate
from client.words import sentence
from protocol.messages import Invited, Said
from protocol.parts import Offer_, Options, Player, Result
from tests.client.terminal.states import ADA, BOB, MCTS, match, room, texts

AWAY = Player(name="bob", absent=True)


def test_who_comes_and_gets_ready() -> None:
    empty = room(seats=(ADA, None))
    came = room(seats=(ADA, BOB))
    ready = room(seats=(ADA, BOB), ready=(True, True))
    assert texts(narrate.room_news(empty, came, "ada")) == "bob sat down."
    assert texts(narrate.room_news(came, ready, "ada")) == "bob is ready."
    assert texts(narrate.room_news(empty, ready, "ada")) == "bob sat down.\nbob is ready."
    assert narrate.came(empty, came, "ada")
    assert not narrate.came(came, ready, "ada")


def test_who_goes_and_who_is_away() -> None:
    there = room(seats=(ADA, BOB))
    assert texts(narrate.room_news(there, room(seats=(ADA, None)), "ada")) == "bob got up."
    away = room(seats=(ADA, AWAY))
    assert texts(narrate.room_news(there, away, "ada")) == "bob is away: the connection is gone."
    assert texts(narrate.room_news(away, there, "ada")) == "bob is back."


def test_nothing_is_news_of_oneself_of_swapped_seats_or_of_a_room_just_seen() -> None:
    ready = room(seats=(ADA, BOB), ready=(True, False))
    assert narrate.room_news(room(seats=(None, BOB)), ready, "ada") == []
    assert narrate.room_news(None, ready, "ada") == []
    assert not narrate.came(None, ready, "ada")
    swapped = room(seats=(BOB, ADA), state="playing")
    assert narrate.room_news(room(seats=(ADA, BOB)), swapped, "ada") == []
    bot = Player(name="ada", program="mcts")  # one's own, and somebody else
    news = narrate.room_news(room(seats=(ADA, None)), room(seats=(ADA, bot)), "ada")
    assert texts(news) == "mcts sat down."


def test_a_match_begins_and_ends() -> None:
    begun = match("tic_tac_toe", seats=(ADA, BOB))
    text = "Match 17.1 of Tic-tac-toe begins: ada is X, you are O."
    assert texts(narrate.match_news(None, begun, 1)) == text
    rolled = match("pebbles", "white 4")
    assert "begins: you are White" in texts(narrate.match_news(None, rolled, 0))
    assert narrate.match_news(None, match("tic_tac_toe", "5"), 0) == []
    won = match("tic_tac_toe", "1 2 5 3 9", seats=(ADA, BOB))
    before = match("tic_tac_toe", "1 2 5 3", seats=(ADA, BOB))
    assert texts(narrate.match_news(before, won, 1)) == "You lost: three in a row for ada."
    assert narrate.match_news(before, won, 1, shown_in_view=True) == []
    assert narrate.match_news(won, won, 1) == []


def test_offers_come_and_go() -> None:
    plain = match("tic_tac_toe", "5 1", seats=(ADA, BOB))
    offered = replace(plain, offers=(Offer_("draw", 1),))
    text = "bob offers a draw: /accept or /decline."
    assert texts(narrate.match_news(plain, offered, 0)) == text
    assert texts(narrate.match_news(plain, offered, None)) == "bob offers a draw."
    assert narrate.match_news(plain, offered, 1) == []
    assert texts(narrate.match_news(offered, plain, 0)) == "The draw offer is off."
    assert narrate.match_news(offered, match("tic_tac_toe", "5 1 2"), 0) == []
    agreed = Result(winner=None, returns=(0.0, 0.0), how="agreement", reason="draw")
    ended = replace(plain, result=agreed)
    assert texts(narrate.match_news(offered, ended, 0)) == "A draw, by agreement."


def test_a_takeback_is_said() -> None:
    two, one = match("tic_tac_toe", "5 1"), match("tic_tac_toe", "5")
    assert texts(narrate.match_news(two, one, 0)) == "The last action was taken back."


def test_actions_are_numbered_as_decisions_with_their_rolls() -> None:
    old = match("pebbles", "white 4", seats=(ADA, MCTS))
    new = match("pebbles", "white 4 0-4-0 hand 0-0-1 1", notes={4: "mcts 9 nodes 0.10 s"})
    assert texts(narrate.action_news(new.events, None, new)) == (
        "  1. White white 4: 0-4-0\n  2. Black hand: 0-0-1  9 nodes 0.10 s"
    )
    assert texts(narrate.action_news(new.events, old, new)).startswith("  1. White white 4: 0-4-0")
    half = match("pebbles", "white 4 0-4-0 hand")
    assert texts(narrate.action_news(new.events, half, new)).startswith("  2. Black hand: 0-0-1")


def test_chat_and_invitations_are_lines() -> None:
    said = Said(room=17, seq=9, name="bob", text="hi\x1b[2J", at=0)
    assert texts([narrate.said(said)]) == "<bob> hi[2J"
    asked = Invited(
        room=17, game="connect_four", options=Options(), by="bob", expires_ms=10_000, code="QF7KDM"
    )
    text = "bob invites you to Connect four: /join QF7KDM within 10 s"
    assert texts([narrate.invited(asked)]) == text
    assert "/join 17 within" in texts([narrate.invited(replace(asked, code=None))])


def test_a_takeback_says_how_many_actions_went() -> None:
    def told(before: str, after: str) -> str:
        lines = narrate.match_news(match("tic_tac_toe", before), match("tic_tac_toe", after), 0)
        return texts(lines)

    assert told("5 1", "5") == "The last action was taken back."
    assert told("5 1 2", "5") == "The last two actions were taken back."
    assert told("5 1 2 3 4 6", "5") == "The last 5 actions were taken back."


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("this room is full", "This room is full."),
        ("no bot is called deep", "No bot is called deep."),
        ("house/solver has no analysis", "house/solver has no analysis."),
        ("x3 is not legal here", "x3 is not legal here."),
        ("foo is not legal here; legal: 1 2", "foo is not legal here; legal: 1 2."),
        ("bob did not come", "bob did not come."),
        ("really?", "really?"),
        ("  ", ""),
    ],
)
def test_sentences_get_a_capital_and_names_keep_their_case(text: str, shown: str) -> None:
    assert sentence(text) == shown
