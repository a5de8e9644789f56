"""A match: actions exactly once, notes, resignation, abort, claim, hint."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from msgspec.structs import replace

from games.game import Position
from protocol.errors import Code
from protocol.messages import (
    Abort,
    Claim,
    Event,
    Hint,
    Play,
    Resign,
    Result,
)
from server.core import match as matches
from server.core.effects import SHOW_MATCH, SHOW_ROOM, Ask, Remind
from server.core.events import Ended, Played
from server.core.orders import Gone
from tests.server.core.score import (
    ANN,
    BLITZ,
    BOB,
    CAT,
    HOUR,
    MATCH,
    MINUTE,
    RATED,
    Table,
    answer,
    finished,
    offer,
    started,
)

# ---------------------------------------------------------------- actions


def test_an_action_is_an_event_that_all_are_shown() -> None:
    table = started()
    assert table.at(2_000, ANN, table.play("5")) == [Played(2_000, 0, 0, "5", 2_000, 0)]
    assert table.effects == [SHOW_MATCH]
    seen = table.seen(2_000)
    assert (seen.seq, seen.turn, seen.ply, seen.to_move) == (7, 7, 1, 1)
    assert seen.position == "3/1x1/3 o"
    assert seen.events == (
        Event(seq=7, kind="play", ply=0, seat=0, action="5", spent_ms=2_000, lag_ms=0),
    )


def test_the_decisions_of_each_seat_are_counted() -> None:
    table = finished()
    assert table.match.moved == (3, 2)


def test_who_does_not_sit_here_does_not_play() -> None:
    table = started()
    assert table.refuses(0, CAT, table.play("5")).code == Code.ROOM_NOT_SEATED


def test_it_is_not_your_turn() -> None:
    table = started()
    assert table.refuses(0, BOB, table.play("5")).code == Code.MATCH_NOT_YOUR_TURN


@pytest.mark.parametrize("turn", [0, 5, 8, 2**53 - 1])
def test_another_turn_than_the_newest_is_stale(turn: int) -> None:
    table = started()
    table.plays("5")
    no = table.refuses(0, BOB, table.play("1", turn))
    assert no.code == Code.MATCH_STALE_TURN
    assert no.text == f"turn {turn} is not the one to answer; that is 7"


def test_an_illegal_action_is_refused_with_the_legal_ones() -> None:
    table = started()
    table.plays("5", "1")
    no = table.refuses(0, ANN, table.play("5"))
    assert no.code == Code.MATCH_ILLEGAL_ACTION
    assert no.legal == ("2", "3", "4", "6", "7", "8", "9")
    assert no.text == "'5' is not legal here"


def test_what_the_rules_say_against_an_action_reaches_the_player() -> None:
    table = started("backgammon")
    table.put("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10")
    no = table.refuses(0, ANN, table.play("8/7"))
    assert no.code == Code.MATCH_ILLEGAL_ACTION
    assert no.text == (
        "'8/7' is not legal here: 8/7 leaves the 3 unplayed, and both dice can be played"
    )
    assert len(no.legal or ()) == 16
    table.at(0, ANN, table.play("6/5 8/5"))
    assert table.match.recent[-2].action == "8/5 6/5"


@pytest.mark.parametrize("text", ["", "0", "10", "e5", "5 ", "5\n"])
def test_bad_notation_is_refused_with_the_legal_ones(text: str) -> None:
    no = started().refuses(0, ANN, Play(match=MATCH, turn=6, action=text))
    assert no.code == Code.MATCH_BAD_NOTATION
    assert no.legal == tuple("123456789")


def test_an_action_in_another_spelling_is_stored_in_the_canonical_one(spelt: Table) -> None:
    spelt.at(0, ANN, spelt.play("five"))
    assert spelt.match.recent[0].action == "5"


def test_the_rules_end_the_match() -> None:
    table = started()
    table.plays("1", "4", "2", "5")
    assert table.at(0, ANN, table.play("3"))[1:] == [
        Ended(0, Result(winner=0, returns=(1.0, -1.0), how="rules", reason="line"))
    ]
    assert table.effects == [SHOW_MATCH, SHOW_ROOM]
    seen = table.seen(0)
    assert (seen.to_move, seen.turn, seen.seq) == (-2, 11, 12)
    assert table.room.state == "waiting"


def test_a_match_without_end_is_void_at_its_bound_of_plies() -> None:
    table = started()
    short = replace(table.match, ply=table.match.game.max_plies)
    result = matches.natural_end(short)
    assert result == Result(winner=None, returns=(0.0, 0.0), how="void", reason="9 plies")


@pytest.mark.parametrize("message", [
    Play(match="17.2", turn=6, action="5"), Resign(match="17.9"), Abort(match="17.2"),
    Claim(match="17.0"), offer("draw", "17.2"), answer("draw", True, "17.2"), Hint(match="17.2"),
])  # fmt: skip
def test_another_match_of_this_room_is_not_on(message: Any) -> None:
    no = started().refuses(0, ANN, message)
    assert no.code == Code.MATCH_OVER
    assert no.text.endswith("is not on here; 17.1 is the last")


# ---------------------------------------------------------------- exactly once


def test_an_action_that_is_repeated_counts_once() -> None:
    table = started()
    first = table.play("5")
    table.at(0, ANN, first)
    for later in ("1", "9"):
        assert table.at(0, ANN, first) == []
        assert table.effects == [Remind()]
        table.at(0, table.mover(), table.play(later))
    assert table.at(0, ANN, first) == []


def test_a_repetition_may_be_spelt_otherwise(spelt: Table) -> None:
    spelt.at(0, ANN, spelt.play("5", turn=6))
    assert spelt.at(0, ANN, spelt.play("five", turn=6)) == []
    assert spelt.effects == [Remind()]
    for other in ("six", "dance"):
        assert spelt.refuses(0, ANN, spelt.play(other, turn=6)).code == Code.MATCH_STALE_TURN


def test_another_action_for_an_answered_turn_is_stale() -> None:
    table = started()
    table.plays("5")
    assert table.refuses(0, ANN, table.play("1", turn=6)).code == Code.MATCH_STALE_TURN


def test_the_other_sides_answer_is_not_ones_own() -> None:
    table = started()
    table.plays("5", "1")
    assert table.refuses(0, BOB, table.play("5", turn=6)).code == Code.MATCH_STALE_TURN
    assert table.refuses(0, ANN, table.play("1", turn=7)).code == Code.MATCH_STALE_TURN


def test_the_last_action_of_a_match_may_come_again() -> None:
    table = finished()
    assert table.at(0, ANN, table.play("3", turn=10)) == []
    assert table.effects == [Remind()]
    assert table.at(0, BOB, table.play("5", turn=9)) == []
    assert table.refuses(0, ANN, table.play("9", turn=10)).code == Code.MATCH_OVER
    assert table.refuses(0, CAT, table.play("3", turn=10)).code == Code.ROOM_NOT_SEATED


def test_an_action_that_was_taken_back_does_not_come_again() -> None:
    table = started()
    table.plays("5")
    table.at(0, ANN, offer("takeback"))
    table.at(0, BOB, answer("takeback", True))
    assert table.refuses(0, ANN, table.play("5", turn=6)).code == Code.MATCH_STALE_TURN
    table.plays("5")
    assert table.match.ply == 1


def test_a_repeated_action_is_shown_without_a_new_event_though_a_flag_fell() -> None:
    table = started(options=BLITZ)
    table.plays("5")
    table.at(2 * MINUTE, ANN, table.play("5", turn=6))
    assert table.kinds() == ["ended"]
    assert Remind() in table.effects


# ---------------------------------------------------------------- notes


def test_a_note_is_shown_with_its_action() -> None:
    table = started()
    table.at(0, ANN, table.play("5", note="+0.31"))
    assert table.seen(0).events[0].note == "+0.31"


def test_a_note_is_cleaned_like_chat() -> None:
    table = started()
    table.at(0, ANN, table.play("5", note="\x1b[2J\u202eline 1\nline 2 "))
    assert table.seen(0).events[0].note == "[2Jline 1 line 2"
    table.at(0, BOB, table.play("1", note="\x07 "))
    assert table.seen(0).events[1].note is None


@pytest.mark.parametrize("note", ["x" * 513, "é" * 257, "𝄞" * 129])
def test_a_note_of_more_than_512_bytes_is_refused(note: str) -> None:
    table = started()
    assert table.refuses(0, ANN, table.play("5", note=note)).code == Code.MATCH_BAD_NOTE


@pytest.mark.parametrize("note", ["x" * 512, "é" * 256, "𝄞" * 128])
def test_a_note_of_512_bytes_is_kept(note: str) -> None:
    table = started()
    table.at(0, ANN, table.play("5", note=note))
    assert table.seen(0).events[0].note == note


def test_a_note_of_a_rated_match_is_stored_and_in_no_message() -> None:
    table = started(options=RATED)
    (played,) = table.at(0, ANN, table.play("5", note="+0.31"))
    assert isinstance(played, Played)
    assert played.note == "+0.31"
    assert table.seen(0).events[0].note is None


# ---------------------------------------------------------------- what is shown


def test_a_match_shows_its_last_eight_actions() -> None:
    table = started("connect_four")
    table.plays("1", "2", "3", "4", "5", "6", "7", "1", "2", "3")
    assert [e.action for e in table.seen(0).events] == ["3", "4", "5", "6", "7", "1", "2", "3"]


def test_only_a_match_with_a_clock_shows_clocks() -> None:
    assert started().seen(0).clocks is None
    assert started(options=BLITZ).seen(0).clocks is not None


def test_the_mover_is_sent_the_legal_actions_with_all_the_rest() -> None:
    seen = started().seen(0)
    assert seen.legal is None
    mine = matches.with_legal(seen, ("1",))
    assert (mine.legal, mine.position) == (("1",), seen.position)


# ---------------------------------------------------------------- giving up


def test_who_resigns_loses() -> None:
    table = started()
    assert table.at(4, BOB, Resign(match=MATCH)) == [
        Ended(4, Result(winner=0, returns=(1.0, -1.0), how="resign", reason="resign"), 4)
    ]
    assert table.room.score == (1.0, 0.0)


def test_who_crashes_loses_and_it_is_called_so() -> None:
    table = started()
    (ended,) = table.at(4, BOB, Resign(match=MATCH, crashed=True))
    won = Result(winner=0, returns=(1.0, -1.0), how="crash", reason="crash")
    assert ended == Ended(4, won, 4)


def test_a_spectator_does_not_resign_abort_claim_offer_or_answer() -> None:
    table = started()
    for message in (
        Resign(match=MATCH), Abort(match=MATCH), Claim(match=MATCH), offer("draw"),
        answer("draw", True), Hint(match=MATCH),
    ):  # fmt: skip
        assert table.refuses(0, CAT, message).code == Code.ROOM_NOT_SEATED


def test_a_match_is_called_off_before_both_have_moved() -> None:
    table = started()
    table.plays("5")
    assert table.at(0, ANN, Abort(match=MATCH)) == [
        Ended(0, Result(winner=None, returns=(0.0, 0.0), how="abort", reason="abort"))
    ]
    assert table.room.score == (0.0, 0.0)


def test_it_is_too_late_to_abort_when_both_have_moved() -> None:
    table = started()
    table.plays("5", "1")
    assert table.refuses(0, ANN, Abort(match=MATCH)).code == Code.MATCH_TOO_LATE_TO_ABORT


def test_a_takeback_makes_it_early_enough_to_abort_again() -> None:
    table = started()
    table.plays("5", "1")
    table.at(0, BOB, offer("takeback"))
    table.at(0, ANN, answer("takeback", True))
    assert table.match.moved == (1, 0)
    table.at(0, BOB, Abort(match=MATCH))


# ---------------------------------------------------------------- claims


def test_a_match_is_claimed_after_two_minutes_of_absence() -> None:
    table = started()
    table.at(1_000, BOB, Gone())
    no = table.refuses(1_000 + 2 * MINUTE - 1, ANN, Claim(match=MATCH))
    assert no.code == Code.MATCH_NOT_ABSENT
    assert no.text.endswith("wait 1 s more")
    assert table.at(1_000 + 2 * MINUTE, ANN, Claim(match=MATCH)) == [
        Ended(
            121_000,
            Result(winner=0, returns=(1.0, -1.0), how="abandon", reason="abandon"),
            121_000,
        )
    ]


def test_who_is_here_is_not_absent() -> None:
    no = started().refuses(HOUR, ANN, Claim(match=MATCH))
    assert (no.code, no.text) == (
        Code.MATCH_NOT_ABSENT, "your opponent has not been away for long",
    )  # fmt: skip


def test_a_match_with_a_clock_is_not_claimed() -> None:
    table = started(options=BLITZ)
    assert table.refuses(0, ANN, Claim(match=MATCH)).code == Code.MATCH_NOT_ALLOWED


# ---------------------------------------------------------------- hints


def test_a_hint_asks_a_bot_about_the_position() -> None:
    table = started()
    table.plays("5")
    assert table.at(0, BOB, Hint(match=MATCH)) == []
    assert table.effects == [
        Ask(MATCH, 7, "tic_tac_toe", "3/1x1/3 o", ("1", "2", "3", "4", "6", "7", "8", "9"))
    ]


def test_a_hint_is_for_who_is_to_move() -> None:
    assert started().refuses(0, BOB, Hint(match=MATCH)).code == Code.MATCH_NOT_YOUR_TURN


# ---------------------------------------------------------------- a game with other spellings

WORDS = {"five": "5", "six": "6"}


@pytest.fixture
def spelt() -> Table:
    """Tic-tac-toe in which an action can be spelt in two ways, as in backgammon."""
    table = started()
    game = table.match.game

    def parse(position: Any, text: str) -> int:
        return game.parse_action(position, WORDS.get(text, text))

    worded = dataclasses.replace(game, parse_action=parse)
    first = Position(worded, table.match.position.state)
    match = replace(table.match, game=worded, position=first)
    table.room = table.stored = replace(table.room, match=match)
    return table
