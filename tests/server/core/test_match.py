"""A match: actions exactly once, notes, resignation, abort, claim, hint, draws and takebacks."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from msgspec.structs import replace

from games.game import Position
from protocol import messages, parts
from protocol.errors import Code
from protocol.hints import Hint
from server.core import match as matches
from server.core.effects import SHOW_MATCH, SHOW_ROOM, Ask, Resend
from server.core.events import Answered, Ended, NotReplayed, Offered, Played, TakenBack
from tests.server.core.cast import ANN, BLITZ, BOB, CAT, HOUR, MATCH, MINUTE, RATED, ROOM
from tests.server.core.score import Table, answer, finished, offer, seated, started


@pytest.fixture
def table() -> Table:
    """Ann and bob have just begun."""
    return started()


def test_an_action_is_an_event_that_all_are_shown(table: Table) -> None:
    assert table.at(2_000, ANN, table.play("5")) == [Played(2_000, 0, 0, "5", 2_000, 0)]
    assert table.effects == [SHOW_MATCH]
    seen = table.seen(2_000)
    assert (seen.seq, seen.turn, seen.ply, seen.to_move) == (7, 7, 1, 1)
    assert seen.position == "3/1x1/3 o"
    assert seen.events == (
        parts.Event(seq=7, kind="play", ply=0, seat=0, action="5", spent_ms=2_000, lag_ms=0),
    )


def test_who_does_not_sit_here_or_is_not_to_move_does_not_play(table: Table) -> None:
    assert table.refuses(0, CAT, table.play("5")).code == Code.ROOM_NOT_SEATED
    assert table.refuses(0, BOB, table.play("5")).code == Code.MATCH_NOT_YOUR_TURN


def test_another_turn_than_the_newest_is_stale(table: Table) -> None:
    table.plays("5")
    for turn in (0, 5, 8, 2**53 - 1):
        no = table.refuses(0, BOB, table.play("1", turn))
        assert no.code == Code.MATCH_STALE_TURN
        assert no.text == f"turn {turn} is not the one to answer; that is 7"


def test_an_illegal_action_is_refused_with_the_legal_ones(table: Table) -> None:
    table.plays("5", "1")
    no = table.refuses(0, ANN, table.play("5"))
    assert no.code == Code.MATCH_ILLEGAL_ACTION
    assert no.legal == ("2", "3", "4", "6", "7", "8", "9")
    assert no.text == "'5' is not legal here: the cell is taken"


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
    no = started().refuses(0, ANN, messages.Play(match=MATCH, turn=6, action=text))
    assert no.code == Code.MATCH_BAD_NOTATION
    assert no.legal == tuple("123456789")


def test_the_rules_end_the_match(table: Table) -> None:
    table.plays("1", "4", "2", "5")
    assert table.at(0, ANN, table.play("3"))[1:] == [
        Ended(0, parts.Result(winner=0, returns=(1.0, -1.0), how="rules", reason="line"))
    ]
    assert table.effects == [SHOW_MATCH, SHOW_ROOM]
    seen = table.seen(0)
    assert (seen.to_move, seen.turn, seen.seq) == (-2, 11, 12)
    assert (table.room.state, table.match.moved) == ("waiting", (3, 2))


def test_a_match_without_end_is_void_at_its_bound_of_plies(table: Table) -> None:
    short = replace(table.match, ply=table.match.game.max_plies)
    result = matches.natural_end(short)
    assert result == parts.Result(winner=None, returns=(0.0, 0.0), how="void", reason="9 plies")


@pytest.mark.parametrize("message", [
    messages.Play(match="17.2", turn=6, action="5"), messages.Resign(match="17.9"),
    messages.Abort(match="17.2"), messages.Claim(match="17.0"), Hint(match="17.2"),
    offer("draw", "17.2"), answer("draw", True, "17.2"),
])  # fmt: skip
def test_another_match_of_this_room_is_not_on(message: Any) -> None:
    no = started().refuses(0, ANN, message)
    assert no.code == Code.MATCH_OVER
    assert no.text.endswith("is not on here; 17.1 is the last")


def test_an_action_that_is_repeated_counts_once(table: Table) -> None:
    first = table.play("5")
    table.at(0, ANN, first)
    for later in ("1", "9"):
        assert table.at(0, ANN, first) == []
        assert table.effects == [Resend()]
        table.at(0, table.mover(), table.play(later))
    assert table.at(0, ANN, first) == []


def test_an_action_is_stored_as_the_game_spells_it_however_it_is_repeated(spelt: Table) -> None:
    spelt.at(0, ANN, spelt.play("five", turn=6))
    assert spelt.match.recent[0].action == "5"
    assert spelt.at(0, ANN, spelt.play("5", turn=6)) == []
    assert spelt.at(0, ANN, spelt.play("five", turn=6)) == []
    assert spelt.effects == [Resend()]
    for other in ("six", "dance"):
        assert spelt.refuses(0, ANN, spelt.play(other, turn=6)).code == Code.MATCH_STALE_TURN


def test_neither_another_action_nor_the_other_sides_answer_is_a_repetition(table: Table) -> None:
    table.plays("5", "1")
    assert table.refuses(0, BOB, table.play("5", turn=6)).code == Code.MATCH_STALE_TURN
    assert table.refuses(0, ANN, table.play("1", turn=6)).code == Code.MATCH_STALE_TURN
    assert table.refuses(0, ANN, table.play("1", turn=7)).code == Code.MATCH_STALE_TURN


def test_the_last_action_of_a_match_may_come_again() -> None:
    table = finished()
    assert table.at(0, ANN, table.play("3", turn=10)) == []
    assert table.effects == [Resend()]
    assert table.at(0, BOB, table.play("5", turn=9)) == []
    assert table.refuses(0, ANN, table.play("9", turn=10)).code == Code.MATCH_OVER
    assert table.refuses(0, CAT, table.play("3", turn=10)).code == Code.ROOM_NOT_SEATED


def test_an_action_that_was_taken_back_does_not_come_again(table: Table) -> None:
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
    assert Resend() in table.effects


def test_a_note_is_shown_with_its_action_and_cleaned_like_chat(table: Table) -> None:
    table.at(0, ANN, table.play("5", note="\x1b[2J\u202eline 1\nline 2 "))
    assert table.seen(0).events[0].note == "[2Jline 1 line 2"
    table.at(0, BOB, table.play("1", note="\x07 "))
    assert table.seen(0).events[1].note is None


@pytest.mark.parametrize("note", ["x" * 512, "é" * 256, "𝄞" * 128])
def test_a_note_of_512_bytes_is_kept_and_a_longer_one_refused(note: str, table: Table) -> None:
    longer = table.play("5", note=note + note[0])
    assert table.refuses(0, ANN, longer).code == Code.MATCH_BAD_NOTE
    table.at(0, ANN, table.play("5", note=note))
    assert table.seen(0).events[0].note == note


def test_a_note_of_a_rated_match_is_stored_and_in_no_message() -> None:
    table = started(options=RATED)
    (played,) = table.at(0, ANN, table.play("5", note="+0.31"))
    assert isinstance(played, Played)
    assert played.note == "+0.31"
    assert table.seen(0).events[0].note is None


def test_a_match_shows_its_last_eight_actions_and_the_mover_its_legal_ones() -> None:
    table = started("connect_four")
    table.plays("1", "2", "3", "4", "5", "6", "7", "1", "2", "3")
    assert [e.action for e in table.seen(0).events] == ["3", "4", "5", "6", "7", "1", "2", "3"]


def test_only_a_match_with_a_clock_shows_clocks() -> None:
    assert started().seen(0).clocks is None
    assert started(options=BLITZ).seen(0).clocks is not None


@pytest.mark.parametrize(("how", "crashed"), [("resign", False), ("crash", True)])
def test_who_resigns_or_crashes_loses(how: Any, crashed: bool, table: Table) -> None:
    won = parts.Result(winner=0, returns=(1.0, -1.0), how=how, reason=how)
    assert table.at(4, BOB, messages.Resign(match=MATCH, crashed=crashed)) == [Ended(4, won, 4)]
    assert table.room.score == (1.0, 0.0)


def test_a_spectator_does_not_resign_abort_claim_offer_or_answer(table: Table) -> None:
    kinds = (messages.Resign, messages.Abort, messages.Claim, Hint)
    for message in (*(kind(match=MATCH) for kind in kinds), offer("draw"), answer("draw", True)):
        assert table.refuses(0, CAT, message).code == Code.ROOM_NOT_SEATED


def test_a_match_is_called_off_before_both_have_moved(table: Table) -> None:
    table.plays("5")
    assert table.at(0, ANN, messages.Abort(match=MATCH)) == [
        Ended(0, parts.Result(winner=None, returns=(0.0, 0.0), how="abort", reason="abort"))
    ]
    assert table.room.score == (0.0, 0.0)
    table = started()
    table.plays("5", "1")
    assert table.refuses(0, ANN, messages.Abort(match=MATCH)).code == Code.MATCH_TOO_LATE_TO_ABORT
    table.at(0, BOB, offer("takeback"))
    table.at(0, ANN, answer("takeback", True))
    assert table.match.moved == (1, 0)
    table.at(0, BOB, messages.Abort(match=MATCH))


def test_fifty_takebacks_are_the_most_in_a_match(table: Table) -> None:
    for _ in range(matches.MAX_TAKEBACKS):
        table.plays("5")
        table.at(0, ANN, offer("takeback"))
        table.at(0, BOB, answer("takeback", True))
    table.plays("5")
    assert table.refuses(0, ANN, offer("takeback")).code == Code.MATCH_NOT_ALLOWED
    table.plays("1", "4", "2", "6")
    assert table.match.result is not None


def test_a_match_of_too_many_events_is_void(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.core.match.MAX_EVENTS", 5)
    table = started()
    table.plays("5")
    table.at(0, ANN, offer("draw"))
    table.at(0, BOB, answer("draw", False))
    table.at(0, BOB, messages.Say(room=ROOM, text="no"))  # is of the room, and does not count
    assert table.match.result is None
    table.plays("1")
    assert table.match.result == parts.Result(
        winner=None, returns=(0.0, 0.0), how="void", reason="10,000 events"
    )


def test_a_room_that_has_had_as_much_as_one_may_have_closes_after_its_match(
    monkeypatch: pytest.MonkeyPatch, table: Table
) -> None:
    monkeypatch.setattr("server.core.room.FULL", table.room.seq + 2)
    table.plays("5", "1")
    assert table.room.state == "playing"
    table.at(0, ANN, messages.Resign(match=MATCH))
    assert (table.kinds(), table.room.state) == (["ended", "closed"], "closed")
    table = seated()
    monkeypatch.setattr("server.core.room.FULL", table.room.seq + 1)
    table.at(0, ANN, messages.Say(room=ROOM, text="alone"))
    assert table.kinds() == ["said", "closed"]


def test_without_an_absence_or_with_a_clock_nothing_is_claimed() -> None:
    no = started().refuses(HOUR, ANN, messages.Claim(match=MATCH))
    assert no.text == "your opponent has not been away for long"
    timed = started(options=BLITZ)
    assert timed.refuses(0, ANN, messages.Claim(match=MATCH)).code == Code.MATCH_NOT_ALLOWED


def test_a_hint_asks_a_bot_about_the_position_for_who_is_to_move(table: Table) -> None:
    table.plays("5")
    assert table.refuses(0, ANN, Hint(match=MATCH)).code == Code.MATCH_NOT_YOUR_TURN
    assert table.at(0, BOB, Hint(match=MATCH)) == []
    assert table.effects == [
        Ask(MATCH, 7, "tic_tac_toe", "3/1x1/3 o", ("1", "2", "3", "4", "6", "7", "8", "9"))
    ]


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


def test_a_draw_is_offered_and_accepted(table: Table) -> None:
    assert table.at(1, ANN, offer("draw")) == [Offered(1, 0, "draw")]
    assert table.effects == [SHOW_MATCH]
    assert table.seen(1).offers == (parts.Offer_("draw", 0),)
    assert table.at(2, BOB, answer("draw", True)) == [
        Answered(2, 1, "draw", True),
        Ended(2, parts.Result(winner=None, returns=(0.0, 0.0), how="agreement", reason="draw"), 2),
    ]
    assert table.room.score == (0.5, 0.5)
    assert table.seen(2).offers == ()


def test_a_draw_is_declined_and_offered_again_after_the_next_action(table: Table) -> None:
    table.at(0, ANN, offer("draw"))
    assert table.at(0, BOB, answer("draw", False)) == [Answered(0, 1, "draw", False)]
    assert table.seen(0).offers == ()
    assert table.refuses(0, ANN, offer("draw")).code == Code.MATCH_OFFER_AGAIN
    table.at(0, BOB, offer("draw"))
    table.plays("5")
    table.at(0, ANN, offer("draw"))


def test_an_open_offer_is_not_made_again_and_its_maker_only_withdraws_it(table: Table) -> None:
    table.at(0, ANN, offer("draw"))
    assert table.refuses(0, ANN, offer("draw")).text == "your draw offer still stands"
    no = table.refuses(0, BOB, offer("draw"))
    assert (no.code, no.text) == (
        Code.MATCH_OFFER_AGAIN, "the other side offers a draw: answer that",
    )  # fmt: skip
    no = table.refuses(0, BOB, answer("takeback", True))
    assert (no.code, no.text) == (Code.MATCH_NO_OFFER, "nobody offers a takeback")
    no = table.refuses(0, ANN, answer("draw", True))
    assert no.code == Code.MATCH_NO_OFFER
    assert "only the other side accepts" in no.text
    assert table.at(0, ANN, answer("draw", False)) == [Answered(0, 0, "draw", False)]
    assert table.refuses(0, ANN, offer("draw")).code == Code.MATCH_OFFER_AGAIN


def test_offers_of_both_kinds_stand_side_by_side_and_lapse_with_an_action(table: Table) -> None:
    table.plays("5")
    table.at(0, ANN, offer("takeback"))
    table.at(0, BOB, offer("draw"))
    assert table.seen(0).offers == (parts.Offer_("takeback", 0), parts.Offer_("draw", 1))
    table.plays("1")
    assert table.seen(0).offers == ()
    assert table.refuses(0, ANN, answer("draw", True)).code == Code.MATCH_NO_OFFER


def test_a_takeback_is_declined_and_an_offer_ends_with_the_match(table: Table) -> None:
    table.plays("5")
    table.at(0, ANN, offer("draw"))
    table.at(0, ANN, offer("takeback"))
    table.at(0, BOB, answer("takeback", False))
    assert table.match.ply == 1
    table.at(0, BOB, messages.Resign(match=MATCH))
    assert (table.match.offers, table.match.declined) == ((), ())


def test_a_takeback_returns_to_ones_last_decision() -> None:
    table = started(options=BLITZ)
    table.at(1_000, ANN, table.play("5"))
    table.at(3_000, BOB, table.play("1"))
    before = table.match
    table.at(7_000, ANN, table.play("9"))
    table.at(8_000, BOB, table.play("2"))
    table.at(9_000, ANN, offer("takeback"))
    assert table.at(9_500, BOB, answer("takeback", True)) == [
        Answered(9_500, 1, "takeback", True),
        TakenBack(9_500, 0, 2),
    ]
    after = table.match
    assert (after.position, after.ply, after.moved) == (before.position, 2, (1, 1))
    assert (after.clock.remaining, after.recent) == (before.clock.remaining, before.recent)
    assert (after.turn, after.offers, after.last) == (13, (), before.last)
    assert after.clock.since == 9_500
    assert table.seen(9_500).to_move == 0


def test_a_takeback_goes_back_over_the_other_sides_action_or_not(table: Table) -> None:
    table.plays("5", "1")
    table.at(0, BOB, offer("takeback"))
    table.at(0, ANN, answer("takeback", True))
    assert (table.match.ply, table.mover()) == (1, BOB)
    table.at(0, ANN, offer("takeback"))
    table.at(0, BOB, answer("takeback", True))
    assert (table.match.ply, table.mover()) == (0, ANN)
    assert table.seen(0).events == ()
    table = started("connect_four")
    table.plays("1", "2", "3", "4", "5", "6", "7", "1", "2", "3")
    table.at(0, BOB, offer("takeback"))
    table.at(0, ANN, answer("takeback", True))
    assert [e.action for e in table.seen(0).events] == ["2", "3", "4", "5", "6", "7", "1", "2"]


def test_before_the_first_decision_or_in_a_rated_match_nothing_is_taken_back(table: Table) -> None:
    table.plays("5")
    assert table.refuses(0, BOB, offer("takeback")).code == Code.MATCH_NOT_ALLOWED
    table = started(options=RATED)
    table.plays("5", "1")
    assert table.refuses(0, ANN, offer("takeback")).code == Code.MATCH_NOT_ALLOWED
    assert table.refuses(0, ANN, Hint(match=MATCH)).code == Code.MATCH_NOT_ALLOWED


def test_a_log_does_not_go_back_to_a_ply_that_never_was(table: Table) -> None:
    table.plays("5")
    with pytest.raises(NotReplayed):
        matches.taken_back(table.match, 8, TakenBack(0, 0, 5))
