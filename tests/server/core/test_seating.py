"""Around a table: opening a room, sitting down, getting up, ready, invitations, chat."""

from __future__ import annotations

import pytest

from games import registry
from protocol.errors import Code, Refusal
from protocol.messages import (
    ClockOptions,
    Create,
    Invite,
    Join,
    Kick,
    Leave,
    Options,
    Resign,
    Say,
    Strength,
    Watch,
)
from protocol.messages import Said as Told
from server.core import room as rooms
from server.core import seating
from server.core.effects import SHOW_MATCH, SHOW_ROOM, Broadcast, Dismiss, Follow, Summon
from server.core.events import Created, Dealt, Joined, Left, Readied, Said, Started, Who
from server.core.orders import Gone
from server.core.room import Asker
from tests.server.core.score import (
    ANN,
    BLITZ,
    BOB,
    BOT,
    CAT,
    CODE,
    MATCH,
    PRIVATE,
    ROOM,
    Table,
    finished,
    fresh,
    ready,
    seated,
    started,
)


def opened(request: Create) -> Refusal:
    with pytest.raises(Refusal) as no:
        seating.open_room(ROOM, request, Asker(ANN), 0, fresh())
    return no.value


# ---------------------------------------------------------------- opening


def test_who_opens_a_room_sits_in_it_and_follows_it() -> None:
    table = Table(options=BLITZ, now=7)
    assert table.events == [
        Created(7, "tic_tac_toe", BLITZ, ANN, None),
        Joined(7, 0, ANN),
    ]
    assert table.effects == [Follow(on=True)]
    assert (table.room.seats, table.room.seq, table.room.state) == ((ANN, None), 2, "waiting")


def test_a_host_may_sit_on_the_other_seat_or_on_none() -> None:
    assert Table(seat=1).room.seats == (None, ANN)
    table = Table(seat=None)
    assert table.room.seats == (None, None)
    assert table.room.owner == ANN


def test_a_private_room_has_a_code_and_a_public_one_has_none() -> None:
    assert Table(options=PRIVATE).room.code == CODE
    assert Table().room.code is None


def test_a_game_with_dice_is_dealt_before_anyone_sits_down() -> None:
    table = Table("pebbles", secret=5)
    assert table.kinds() == ["created", "dealt", "joined"]
    assert table.events[1] == Dealt(0, "17.1", fresh(5).secret)


def test_an_unknown_game_is_refused_and_those_that_exist_are_named() -> None:
    no = opened(Create(game="go"))
    assert no.code == Code.LOBBY_UNKNOWN_GAME
    for name in registry.names():
        assert name in no.text


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (Options(clock=ClockOptions()), "either `base_ms` or `per_move_ms`"),
        (Options(clock=ClockOptions(base_ms=1000, per_move_ms=100)), "either `base_ms` or"),
        (Options(clock=ClockOptions(increment_ms=1)), "either `base_ms` or `per_move_ms`"),
        (Options(clock=ClockOptions(per_move_ms=100, increment_ms=1)), "has no increment"),
        (Options(rated=True), "needs a clock"),
    ],
)
def test_options_that_contradict_each_other_are_refused(options: Options, why: str) -> None:
    no = opened(Create(game="tic_tac_toe", options=options))
    assert no.code == Code.LOBBY_BAD_OPTION
    assert why in no.text


# ---------------------------------------------------------------- sitting down


def test_join_takes_the_free_seat() -> None:
    table = Table(seat=1)
    assert table.at(3, BOB, Join(room=ROOM)) == [Joined(3, 0, BOB)]
    assert table.effects == [SHOW_ROOM, Follow(on=True)]
    assert table.room.seats == (BOB, ANN)


def test_join_takes_the_seat_that_was_asked_for() -> None:
    table = Table(seat=None)
    assert table.at(3, BOB, Join(room=ROOM, seat=1)) == [Joined(3, 1, BOB)]


def test_who_sits_already_just_follows_again() -> None:
    table = started()
    assert table.at(3, ANN, Join(room=ROOM, seat=1)) == []
    assert table.effects == [Follow(on=True)]


def test_a_full_room_is_refused() -> None:
    assert seated().refuses(0, CAT, Join(room=ROOM)).code == Code.ROOM_FULL
    assert started().refuses(0, CAT, Join(room=ROOM)).code == Code.ROOM_FULL


def test_a_taken_seat_is_refused_and_the_free_one_named() -> None:
    no = Table().refuses(0, BOB, Join(room=ROOM, seat=0))
    assert no.code == Code.ROOM_SEAT_TAKEN
    assert no.text == "seat 0 is taken; seat 1 is free"


def test_a_person_and_its_programs_are_different_players() -> None:
    table = Table(owner=ANN)
    bot = Who(ANN.session, "ann", "mcts")
    table.at(0, bot, Join(room=ROOM))
    assert table.room.seats == (ANN, bot)
    assert (table.room.seat_of(ANN), table.room.seat_of(bot), table.room.seat_of(None)) == (
        0, 1, None,
    )  # fmt: skip


@pytest.mark.parametrize("message", [Join, Watch])
def test_a_wrong_code_is_refused(message: type[Join | Watch]) -> None:
    table = Table(options=PRIVATE)
    for code in (None, "", "QF7KDN"):
        assert table.refuses(0, BOB, message(room=ROOM, code=code)).code == Code.ROOM_WRONG_CODE


def test_a_code_opens_in_small_letters_too() -> None:
    table = Table(options=PRIVATE)
    table.at(0, BOB, Join(room=ROOM, code=" qf7kdm "))
    assert table.room.seats == (ANN, BOB)


def test_members_owner_and_followers_need_no_code() -> None:
    table = seated(options=PRIVATE)
    table.at(0, BOB, Watch(room=ROOM))
    table.at(0, CAT, Watch(room=ROOM), follows=True)
    table.at(0, ANN, Leave(room=ROOM))
    table.at(0, ANN, Join(room=ROOM))
    assert table.room.seats == (ANN, BOB)


def test_watching_makes_no_event() -> None:
    table = started()
    assert table.at(0, CAT, Watch(room=ROOM)) == []
    assert table.effects == [Follow(on=True)]


# ---------------------------------------------------------------- getting up


def test_leave_frees_the_seat() -> None:
    table = seated()
    table.at(0, BOB, ready())
    assert table.at(2, BOB, Leave(room=ROOM)) == [Left(2, 1)]
    assert table.effects == [SHOW_ROOM, Follow(on=False)]
    assert (table.room.seats, table.room.ready) == ((ANN, None), (False, False))


def test_a_spectator_leaves_without_a_trace_even_during_a_match() -> None:
    table = started()
    assert table.at(0, CAT, Leave(room=ROOM), follows=True) == []
    assert table.effects == [Follow(on=False)]


def test_a_player_does_not_leave_during_a_match() -> None:
    no = started().refuses(0, BOB, Leave(room=ROOM))
    assert no.code == Code.ROOM_MATCH_ON
    assert "resign" in no.text


def test_the_host_that_sits_nowhere_does_not_close_the_room_by_leaving() -> None:
    table = Table(seat=None)
    assert table.at(0, ANN, Leave(room=ROOM)) == []


def test_the_owner_frees_a_seat() -> None:
    table = seated()
    assert table.at(0, ANN, Kick(room=ROOM, seat=1)) == [Left(0, 1)]
    assert table.effects == [SHOW_ROOM, Dismiss(BOB)]


def test_the_owner_who_gets_up_that_way_stays_as_a_host() -> None:
    table = seated()
    assert table.at(0, ANN, Kick(room=ROOM, seat=0)) == [Left(0, 0)]
    assert table.effects == [SHOW_ROOM]


def test_only_the_owner_frees_a_seat() -> None:
    no = seated().refuses(0, BOB, Kick(room=ROOM, seat=0))
    assert (no.code, no.text) == (Code.ROOM_NOT_OWNER, "only ann may do that")


def test_an_empty_seat_is_not_freed() -> None:
    assert Table().refuses(0, ANN, Kick(room=ROOM, seat=1)).code == Code.ROOM_SEAT_EMPTY


# ---------------------------------------------------------------- ready, and the next match


def test_a_match_starts_when_both_are_ready() -> None:
    table = Table(options=BLITZ)
    assert table.at(1, ANN, ready("AB")) == [Readied(1, 0, "ab")]
    assert table.effects == [SHOW_ROOM]
    table.at(2, BOB, Join(room=ROOM))
    assert table.room.ready == (True, False)
    assert table.at(3, BOB, ready()) == [
        Readied(3, 1, ""),
        Started(3, "tic_tac_toe", 1, BLITZ, (ANN, BOB), None, ("ab", "")),
    ]
    assert table.effects == [SHOW_ROOM, SHOW_MATCH]
    assert (table.room.state, table.room.ready) == ("playing", (False, False))
    assert table.match.name == MATCH


def test_ready_twice_does_no_harm() -> None:
    table = seated()
    table.at(0, ANN, ready("ab"))
    assert table.at(1, ANN, ready("cd")) == []
    assert table.effects == []
    assert table.room.salts == ("ab", "")


def test_only_who_sits_is_ready() -> None:
    assert seated().refuses(0, CAT, ready()).code == Code.ROOM_NOT_SEATED


@pytest.mark.parametrize("salt", ["x", "0g0", "a b", "0" * 65, "-1"])
def test_a_bad_salt_is_refused(salt: str) -> None:
    assert seated().refuses(0, ANN, ready(salt)).code == Code.MATCH_BAD_SALT


def test_a_salt_of_64_hex_digits_is_good() -> None:
    table = seated()
    assert table.at(0, ANN, ready("0123456789abcdeF" * 4)) == [
        Readied(0, 0, "0123456789abcdef" * 4)
    ]


def test_a_rematch_swaps_seats_and_the_score_goes_with_the_players() -> None:
    table = finished()
    assert (table.room.seats, table.room.score) == ((ANN, BOB), (1.0, 0.0))
    table.at(1, ANN, Gone())
    table.at(1, BOB, ready("b0"))
    table.at(1, ANN, ready("a0"))
    assert table.events[1] == Started(
        1, "tic_tac_toe", 1, Options(), (BOB, ANN), None, ("b0", "a0")
    )
    assert (table.room.seats, table.room.score) == ((BOB, ANN), (0.0, 1.0))
    assert table.room.away == (None, 1)
    assert table.match.name == "17.2"
    table.at(2, BOB, Resign(match="17.2"))
    assert table.room.score == (0.0, 2.0)
    assert table.room.salts == ("", "")


def test_a_draw_counts_a_half_for_both() -> None:
    table = started()
    table.plays("1", "5", "9", "2", "8", "7", "3", "6", "4")
    assert table.match.result is not None
    assert (table.match.result.reason, table.room.score) == ("full", (0.5, 0.5))


def test_somebody_new_gets_the_seat_that_was_left_and_a_new_score() -> None:
    table = finished()
    table.at(0, BOB, Leave(room=ROOM))
    assert table.room.score == (1.0, 0.0)
    table.at(0, CAT, Join(room=ROOM))
    assert table.room.score == (0.0, 0.0)
    table.at(0, ANN, ready())
    table.at(0, CAT, ready())
    assert table.match.players == (ANN, CAT)


def test_a_player_that_comes_back_to_its_seat_begins_anew() -> None:
    table = finished()
    table.at(0, BOB, Leave(room=ROOM))
    table.at(0, BOB, Join(room=ROOM))
    table.at(0, ANN, ready())
    table.at(0, BOB, ready())
    assert table.match.players == (ANN, BOB)
    assert table.room.score == (0.0, 0.0)


# ---------------------------------------------------------------- invitations


def test_an_invitation_says_all_that_is_needed_to_come() -> None:
    table = Table(options=PRIVATE)
    strength = Strength(level=3)
    assert table.at(0, ANN, Invite(room=ROOM, who="mcts", strength=strength)) == []
    (summon,) = table.effects
    assert isinstance(summon, Summon)
    assert (summon.name, summon.game, summon.strength) == ("mcts", "tic_tac_toe", strength)
    invited = summon.invited
    assert (invited.room, invited.code, invited.by) == (ROOM, CODE, "ann")
    assert (invited.expires_ms, invited.strength) == (10_000, strength)


def test_a_host_without_a_seat_invites_and_a_stranger_does_not() -> None:
    table = Table(seat=None)
    table.at(0, ANN, Invite(room=ROOM, who="mcts"))
    no = table.refuses(0, CAT, Invite(room=ROOM, who="mcts"), follows=True)
    assert no.code == Code.ROOM_NOT_SEATED


def test_nobody_is_invited_to_a_full_room() -> None:
    assert seated().refuses(0, ANN, Invite(room=ROOM, who="mcts")).code == Code.ROOM_FULL


# ---------------------------------------------------------------- chat


def test_chat_goes_to_all_and_is_cleaned() -> None:
    table = started()
    assert table.at(9, BOB, Say(room=ROOM, text=" good\x1b[31m\u202e \u200bluck\n!\u2028")) == [
        Said(9, BOB, "good[31m luck !")
    ]
    assert table.effects == [
        Broadcast(Told(room=ROOM, seq=7, name="bob", text="good[31m luck !", at=9))
    ]


def test_a_bot_talks_under_its_full_name() -> None:
    table = Table()
    table.at(0, BOT, Join(room=ROOM))
    table.at(0, BOT, Say(room=ROOM, text="hello"))
    assert table.said().name == "dan/mcts"


def test_who_follows_may_talk_and_a_stranger_may_not() -> None:
    table = started()
    table.at(0, CAT, Say(room=ROOM, text="hi"), follows=True)
    no = table.refuses(0, CAT, Say(room=ROOM, text="hi"))
    assert no.code == Code.ROOM_NOT_SEATED


@pytest.mark.parametrize("text", ["", "  ", "\x00\u202e\u200f", "\u2028", "x" * 501])
def test_chat_that_is_empty_or_too_long_is_refused(text: str) -> None:
    assert started().refuses(0, ANN, Say(room=ROOM, text=text)).code == Code.CHAT_BAD_TEXT


def test_chat_of_500_characters_is_said() -> None:
    table = started()
    table.at(0, ANN, Say(room=ROOM, text="é" * 500))
    assert table.said().text == "é" * 500


# ---------------------------------------------------------------- what is seen


def test_a_code_is_shown_to_members_and_owner_only() -> None:
    table = seated(options=PRIVATE, owner=CAT)
    assert [rooms.state(table.room, who).code for who in (CAT, BOB, ANN, None)] == [
        CODE, CODE, None, None,
    ]  # fmt: skip


def test_each_sees_its_own_seat() -> None:
    table = started()
    seats = [rooms.state(table.room, who, 3).seat for who in (ANN, BOB, CAT, None)]
    assert seats == [0, 1, None, None]


def test_a_room_shows_its_whole_truth() -> None:
    table = finished(BLITZ)
    state = rooms.state(table.room, BOB, 3)
    assert (state.room, state.seq, state.game, state.state) == (ROOM, 12, "tic_tac_toe", "waiting")
    assert (state.owner, state.options, state.score) == ("ann", BLITZ, (1.0, 0.0))
    assert (state.ready, state.match, state.watching) == ((False, False), MATCH, 3)
    assert (state.commitment, state.code) == (None, None)


def test_a_line_of_the_lobby_shows_how_far_it_is() -> None:
    first = rooms.line(Table().room)
    assert (first.match, first.ply) == (None, 0)
    line = rooms.line(finished().room)
    assert (line.room, line.game, line.state, line.match, line.ply, line.score) == (
        ROOM, "tic_tac_toe", "waiting", MATCH, 5, (1.0, 0.0),
    )  # fmt: skip
