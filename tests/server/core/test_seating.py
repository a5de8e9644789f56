"""Around a table: opening a room, sitting down, getting up, ready, invitations, chat; who is
here and who is away.
"""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from games import registry
from protocol import messages, parts
from protocol.errors import Code, Refusal
from server.core import room as rooms
from server.core import seating
from server.core.effects import SHOW_MATCH, SHOW_ROOM, Broadcast, Dismiss, Follow, SendInvitation
from server.core.events import Chatted, Created, Joined, Left, Readied, Started, Who
from server.core.orders import Disconnected, Reconnected
from server.core.room import Asker
from tests.server.core.cast import (
    ANN,
    BLITZ,
    BOB,
    BOT,
    CAT,
    CODE,
    MATCH,
    PRIVATE,
    ROOM,
)
from tests.server.core.score import Table, answer, finished, fresh, offer, ready, seated, started


def refused(request: messages.Create) -> Refusal:
    with pytest.raises(Refusal) as no:
        seating.open_room(ROOM, request, Asker(ANN), 0, fresh())
    return no.value


def test_who_opens_a_room_sits_in_it_and_follows_it() -> None:
    table = Table(options=BLITZ, now=7)
    assert table.events == [Created(7, "tic_tac_toe", BLITZ, ANN, None), Joined(7, 0, ANN)]
    assert table.effects == [Follow(on=True)]
    assert (table.room.seats, table.room.seq, table.room.state) == ((ANN, None), 2, "waiting")


def test_a_host_may_sit_on_the_other_seat_or_on_none() -> None:
    assert Table(seat=1).room.seats == (None, ANN)
    table = Table(seat=None)
    assert table.room.seats == (None, None)
    assert table.room.owner == ANN
    assert table.at(0, ANN, messages.Leave(room=ROOM)) == []


def test_an_unknown_game_is_refused_and_those_that_exist_are_named() -> None:
    no = refused(messages.Create(game="go"))
    assert no.code == Code.LOBBY_UNKNOWN_GAME
    for name in registry.names():
        assert name in no.text


@pytest.mark.parametrize(
    ("clock", "why"),
    [
        ({}, "either `base_ms` or `per_move_ms`"),
        ({"base_ms": 1000, "per_move_ms": 100}, "either `base_ms` or `per_move_ms`"),
        ({"increment_ms": 1}, "either `base_ms` or `per_move_ms`"),
        ({"per_move_ms": 100, "increment_ms": 1}, "has no increment"),
        (None, "needs a clock"),
    ],
)
def test_options_that_contradict_each_other_are_refused(clock: Any, why: str) -> None:
    time = parts.ClockOptions(**clock) if clock is not None else None
    options = parts.Options(clock=time, rated=clock is None)
    no = refused(messages.Create(game="tic_tac_toe", options=options))
    assert no.code == Code.LOBBY_BAD_OPTION
    assert why in no.text


def test_join_takes_the_free_seat_or_the_one_that_was_asked_for() -> None:
    table = Table(seat=1)
    assert table.at(3, BOB, messages.Join(room=ROOM)) == [Joined(3, 0, BOB)]
    assert table.effects == [SHOW_ROOM, Follow(on=True)]
    assert table.room.seats == (BOB, ANN)
    table = Table(seat=None)
    assert table.at(3, BOB, messages.Join(room=ROOM, seat=1)) == [Joined(3, 1, BOB)]
    no = Table().refuses(0, BOB, messages.Join(room=ROOM, seat=0))
    assert no.code == Code.ROOM_SEAT_TAKEN
    assert no.text == "seat 0 is taken; seat 1 is free"


def test_who_sits_already_just_follows_again_and_nobody_else_joins() -> None:
    table = started()
    assert table.at(3, ANN, messages.Join(room=ROOM, seat=1)) == []
    assert table.effects == [Follow(on=True)]
    assert seated().refuses(0, CAT, messages.Join(room=ROOM)).code == Code.ROOM_FULL
    assert table.refuses(0, CAT, messages.Join(room=ROOM)).code == Code.ROOM_FULL


def test_a_person_and_its_programs_are_different_players() -> None:
    table = Table(owner=ANN)
    bot = Who(ANN.session, "ann", "mcts")
    table.at(0, bot, messages.Join(room=ROOM))
    assert table.room.seats == (ANN, bot)
    assert [table.room.seat_of(who) for who in (ANN, bot, None)] == [0, 1, None]


def test_a_bots_level_is_shown_and_kept_and_makes_nobody_else_of_it() -> None:
    table = Table("pebbles")
    table.at(0, BOT, messages.Join(room=ROOM, level=3))
    table.at(0, ANN, ready())
    table.at(0, BOT, ready())
    assert table.seen(0).seats[1] == parts.Player(name="dan", program="mcts", level=3)
    assert table.room.seat_of(BOT) == 1
    old = msgspec.msgpack.encode((7, 0, (2, "bob", None)))  # as logs have it that are older
    assert msgspec.msgpack.decode(old, type=Joined) == Joined(7, 0, BOB)
    table = Table("pebbles")
    table.at(0, BOB, messages.Join(room=ROOM, level=3))  # a person has none
    assert table.room.seats[1] == BOB


def test_a_code_opens_in_small_letters_too_and_followers_need_none() -> None:
    table = Table(options=PRIVATE)
    assert (table.room.code, Table().room.code) == (CODE, None)
    for code in (None, "", "QF7KDN"):
        for kind in (messages.Join, messages.Watch):
            message = kind(room=ROOM, code=code)
            assert table.refuses(0, BOB, message).code == Code.ROOM_WRONG_CODE
    table.at(0, BOB, messages.Join(room=ROOM, code=" qf7kdm "))
    assert table.room.seats == (ANN, BOB)
    table.at(0, BOB, messages.Watch(room=ROOM))
    table.at(0, CAT, messages.Watch(room=ROOM), follows=True)
    table.at(0, ANN, messages.Leave(room=ROOM))
    table.at(0, ANN, messages.Join(room=ROOM))
    assert table.room.seats == (ANN, BOB)


def test_a_spectator_comes_and_leaves_without_a_trace_and_a_player_does_not_leave_a_match() -> None:
    table = started()
    assert table.at(0, CAT, messages.Watch(room=ROOM)) == []
    assert table.effects == [Follow(on=True)]
    assert table.at(0, CAT, messages.Leave(room=ROOM), follows=True) == []
    assert table.effects == [Follow(on=False)]
    assert "resign" in table.refuses(0, BOB, messages.Leave(room=ROOM)).text


def test_leave_frees_the_seat() -> None:
    table = seated()
    table.at(0, BOB, ready())
    assert table.at(2, BOB, messages.Leave(room=ROOM)) == [Left(2, 1)]
    assert table.effects == [SHOW_ROOM, Follow(on=False)]
    assert (table.room.seats, table.room.ready) == ((ANN, None), (False, False))


def test_the_owner_alone_frees_a_seat_and_stays_as_a_host_without_one() -> None:
    table = seated()
    assert table.at(0, ANN, messages.Kick(room=ROOM, seat=1)) == [Left(0, 1)]
    assert table.effects == [SHOW_ROOM, Dismiss(BOB)]
    assert table.at(0, ANN, messages.Kick(room=ROOM, seat=0)) == [Left(0, 0)]
    assert table.effects == [SHOW_ROOM]
    no = table.refuses(0, BOB, messages.Kick(room=ROOM, seat=0))
    assert (no.code, no.text) == (Code.ROOM_NOT_OWNER, "only ann may do that")
    assert table.refuses(0, ANN, messages.Kick(room=ROOM, seat=0)).code == Code.ROOM_SEAT_EMPTY


def test_a_match_starts_when_both_are_ready() -> None:
    table = Table(options=BLITZ)
    assert table.at(1, ANN, ready("AB")) == [Readied(1, 0, "ab")]
    assert table.effects == [SHOW_ROOM]
    table.at(2, BOB, messages.Join(room=ROOM))
    assert table.room.ready == (True, False)
    assert table.at(3, BOB, ready()) == [
        Readied(3, 1, ""),
        Started(3, "tic_tac_toe", 1, BLITZ, (ANN, BOB), None, ("ab", "")),
    ]
    assert table.effects == [SHOW_ROOM, SHOW_MATCH]
    assert (table.room.state, table.room.ready) == ("playing", (False, False))
    assert table.match.name == MATCH


def test_ready_twice_does_no_harm_and_only_who_sits_is_ready() -> None:
    table = seated()
    table.at(0, ANN, ready("ab"))
    assert table.at(1, ANN, ready("cd")) == []
    assert table.effects == []
    assert table.room.salts == ("ab", "")
    assert table.refuses(0, CAT, ready()).code == Code.ROOM_NOT_SEATED


def test_a_salt_of_64_hex_digits_is_good_and_no_other_text() -> None:
    for salt in ("x", "0g0", "a b", "0" * 65, "-1"):
        assert seated().refuses(0, ANN, ready(salt)).code == Code.MATCH_BAD_SALT
    salt = "0123456789abcdeF" * 4
    assert seated().at(0, ANN, ready(salt)) == [Readied(0, 0, salt.lower())]


def test_a_rematch_swaps_seats_and_the_score_goes_with_the_players() -> None:
    table = finished()
    assert (table.room.seats, table.room.score) == ((ANN, BOB), (1.0, 0.0))
    table.at(1, ANN, Disconnected())
    table.at(1, BOB, ready("b0"))
    table.at(1, ANN, ready("a0"))
    assert table.events[1] == Started(
        1, "tic_tac_toe", 1, parts.Options(), (BOB, ANN), None, ("b0", "a0")
    )
    assert (table.room.seats, table.room.score) == ((BOB, ANN), (0.0, 1.0))
    assert table.room.away == (None, 1)
    assert table.match.name == "17.2"
    table.at(2, BOB, messages.Resign(match="17.2"))
    assert table.room.score == (0.0, 2.0)
    assert table.room.salts == ("", "")


def test_a_draw_counts_a_half_for_both() -> None:
    table = started()
    table.plays("1", "5", "9", "2", "8", "7", "3", "6", "4")
    assert table.match.result is not None
    assert (table.match.result.reason, table.room.score) == ("full", (0.5, 0.5))


@pytest.mark.parametrize("who", [CAT, BOB], ids=["somebody new", "who left it"])
def test_who_takes_a_seat_that_was_left_begins_with_a_new_score(who: Who) -> None:
    table = finished()
    table.at(0, BOB, messages.Leave(room=ROOM))
    assert table.room.score == (1.0, 0.0)
    table.at(0, who, messages.Join(room=ROOM))
    assert table.room.score == (0.0, 0.0)
    table.at(0, ANN, ready())
    table.at(0, who, ready())
    assert table.match.players == (ANN, who)


def test_an_invitation_says_all_that_is_needed_to_come() -> None:
    table = Table(options=PRIVATE)
    strength = parts.Strength(level=3)
    assert table.at(0, ANN, messages.Invite(room=ROOM, who="mcts", strength=strength)) == []
    (call,) = table.effects
    assert isinstance(call, SendInvitation)
    assert (call.name, call.game, call.strength) == ("mcts", "tic_tac_toe", strength)
    invited = call.invited
    assert (invited.room, invited.code, invited.by) == (ROOM, CODE, "ann")
    assert (invited.expires_ms, invited.strength) == (10_000, strength)


def test_a_host_without_a_seat_invites_and_a_stranger_does_not() -> None:
    table = Table(seat=None)
    table.at(0, ANN, messages.Invite(room=ROOM, who="mcts"))
    no = table.refuses(0, CAT, messages.Invite(room=ROOM, who="mcts"), follows=True)
    assert no.code == Code.ROOM_NOT_SEATED


def test_chat_goes_to_all_and_is_cleaned_and_refused_if_empty_or_too_long() -> None:
    table = started()
    assert table.at(
        9, BOB, messages.Say(room=ROOM, text=" good\x1b[31m\u202e \u200bluck\n!\u2028")
    ) == [Chatted(9, BOB, "good[31m luck !")]
    for text in ("", "  ", "\x00\u202e\u200f", "\u2028", "x" * 501):
        say = messages.Say(room=ROOM, text=text)
        assert table.refuses(0, ANN, say).code == Code.CHAT_BAD_TEXT
    assert table.effects == [
        Broadcast(messages.Said(room=ROOM, seq=7, name="bob", text="good[31m luck !", at=9))
    ]


def test_its_owner_names_a_room_anew_before_a_match_and_during_one() -> None:
    table = seated()
    for at, name in enumerate(("x" * 40, " the\x1b \u202eden\n")):
        table.at(at, ANN, messages.RoomRename(room=ROOM, name=name))
        table.at(at, ANN, ready())
        table.at(at, BOB, ready())
    assert (table.room.state, table.room.name) == ("playing", "the den")
    assert table.at(3, ANN, messages.RoomRename(room=ROOM, name="the den")) == []
    for name in ("", " \u200b", "x" * 41):
        no = table.refuses(3, ANN, messages.RoomRename(room=ROOM, name=name))
        assert (no.code, no.text) == (Code.CHAT_BAD_TEXT, "a room's name has 1 to 40 characters")
    no = table.refuses(3, BOB, messages.RoomRename(room=ROOM, name="mine"))
    assert (no.code, no.text) == (Code.ROOM_NOT_OWNER, "only ann may do that")


def test_who_follows_may_talk_at_length_or_briefly_and_a_stranger_may_not() -> None:
    table = started()
    for text in ("é" * 500, "!"):
        table.at(0, CAT, messages.Say(room=ROOM, text=text), follows=True)
        assert table.said().text == text
    no = table.refuses(0, CAT, messages.Say(room=ROOM, text="hi"))
    assert no.code == Code.ROOM_NOT_SEATED
    table = Table()
    table.at(0, BOT, messages.Join(room=ROOM))
    table.at(0, BOT, messages.Say(room=ROOM, text="hello"))
    assert table.said().name == "dan/mcts"


def test_what_is_seen_of_a_room_depends_on_who_looks() -> None:
    table = seated(options=PRIVATE, owner=CAT)
    codes = [rooms.state(table.room, who).code for who in (CAT, BOB, ANN, None)]
    assert codes == [CODE, CODE, None, None]
    table = started()
    seats = [rooms.state(table.room, who, 3).seat for who in (ANN, BOB, CAT, None)]
    assert seats == [0, 1, None, None]


def test_a_room_shows_its_whole_truth_and_a_line_of_the_lobby_how_far_it_is() -> None:
    table = finished(BLITZ)
    state = rooms.state(table.room, BOB, 3)
    assert (state.room, state.seq, state.game, state.state) == (ROOM, 12, "tic_tac_toe", "waiting")
    assert (state.owner, state.options, state.score) == ("ann", BLITZ, (1.0, 0.0))
    assert (state.ready, state.match, state.watching) == ((False, False), MATCH, 3)
    assert (state.commitment, state.code) == (None, None)
    first = rooms.lobby_row(Table().room)
    assert (first.match, first.ply) == (None, 0)
    line = rooms.lobby_row(table.room)
    assert (line.room, line.game, line.state, line.match, line.ply, line.score) == (
        ROOM, "tic_tac_toe", "waiting", MATCH, 5, (1.0, 0.0),
    )  # fmt: skip


def test_who_loses_its_connection_stays_seated_and_is_marked() -> None:
    table = started()
    assert table.at(5, BOB, Disconnected()) == []
    assert table.effects == [SHOW_ROOM]
    assert table.seen(5).seats[1] == parts.Player(name="bob", absent=True)
    assert rooms.lobby_row(table.room).seats[1] == parts.Player(name="bob", absent=True)
    table.at(9, BOB, Disconnected())
    assert (table.effects, table.room.away) == ([], (None, 5))
    table.at(9, BOB, Reconnected())
    assert (table.effects, table.room.away) == ([SHOW_ROOM], (None, None))
    table.at(9, BOB, Reconnected())
    assert table.effects == []
    assert [player.absent for player in table.seen(9).seats] == [False, False]
    table.at(9, ANN, Disconnected())
    assert [player.absent for player in table.seen(9).seats] == [True, False]


def test_who_gets_an_absent_players_seat_is_here() -> None:
    table = seated()
    table.at(0, BOB, Disconnected())
    table.at(0, ANN, messages.Kick(room=ROOM, seat=1))
    table.at(0, CAT, messages.Join(room=ROOM))
    assert table.room.away == (None, None)


def test_a_spectator_is_not_missed_nor_who_is_away_after_a_match_shown_in_it() -> None:
    table = started()
    table.at(5, CAT, Disconnected())
    assert (table.effects, table.room.away) == ([], (None, None))
    table = finished()
    table.at(0, BOB, messages.Leave(room=ROOM))
    table.at(0, CAT, messages.Join(room=ROOM))
    table.at(0, CAT, Disconnected())
    assert table.seen(0).seats == (parts.Player(name="ann"), parts.Player(name="bob"))


def test_whatever_happens_in_a_room_keeps_it_open() -> None:
    table = Table("pebbles", now=1)
    requests = [
        (BOB, messages.Join(room=ROOM)), (ANN, ready()), (BOB, ready()), (ANN, offer("draw")),
        (BOB, answer("draw", False)), (ANN, messages.Resign(match=MATCH)),
        (BOB, messages.Leave(room=ROOM)),
    ]  # fmt: skip
    for now, (who, message) in enumerate(requests, 2):
        table.at(now, who, message)
        assert table.room.touched == now
