"""Offers: draws and takebacks, made, answered, withdrawn and lapsed."""

from __future__ import annotations

import pytest

from protocol.errors import Code
from protocol.messages import Hint, Offer_, Resign, Result
from server.core import match as matches
from server.core.effects import SHOW_MATCH
from server.core.events import Answered, Ended, NotReplayed, Offered, TakenBack
from tests.server.core.score import ANN, BLITZ, BOB, MATCH, RATED, answer, offer, started

# ---------------------------------------------------------------- draws


def test_a_draw_is_offered_and_accepted() -> None:
    table = started()
    assert table.at(1, ANN, offer("draw")) == [Offered(1, 0, "draw")]
    assert table.effects == [SHOW_MATCH]
    assert table.seen(1).offers == (Offer_("draw", 0),)
    assert table.at(2, BOB, answer("draw", True)) == [
        Answered(2, 1, "draw", True),
        Ended(2, Result(winner=None, returns=(0.0, 0.0), how="agreement", reason="draw"), 2),
    ]
    assert table.room.score == (0.5, 0.5)
    assert table.seen(2).offers == ()


def test_a_draw_is_declined_and_offered_again_after_the_next_action() -> None:
    table = started()
    table.at(0, ANN, offer("draw"))
    assert table.at(0, BOB, answer("draw", False)) == [Answered(0, 1, "draw", False)]
    assert table.seen(0).offers == ()
    assert table.refuses(0, ANN, offer("draw")).code == Code.MATCH_OFFER_AGAIN
    table.at(0, BOB, offer("draw"))
    table.plays("5")
    table.at(0, ANN, offer("draw"))


def test_an_offer_is_withdrawn_by_who_made_it() -> None:
    table = started()
    table.at(0, ANN, offer("draw"))
    assert table.at(0, ANN, answer("draw", False)) == [Answered(0, 0, "draw", False)]
    assert table.refuses(0, ANN, offer("draw")).code == Code.MATCH_OFFER_AGAIN


def test_ones_own_offer_is_not_accepted() -> None:
    table = started()
    table.at(0, ANN, offer("draw"))
    no = table.refuses(0, ANN, answer("draw", True))
    assert no.code == Code.MATCH_NO_OFFER
    assert "only the other side accepts" in no.text


def test_nobody_made_that_offer() -> None:
    table = started()
    table.at(0, ANN, offer("draw"))
    no = table.refuses(0, BOB, answer("takeback", True))
    assert (no.code, no.text) == (Code.MATCH_NO_OFFER, "nobody offers a takeback")


def test_an_open_offer_is_not_made_again_by_either_side() -> None:
    table = started()
    table.at(0, ANN, offer("draw"))
    assert table.refuses(0, ANN, offer("draw")).text == "your draw offer still stands"
    no = table.refuses(0, BOB, offer("draw"))
    assert (no.code, no.text) == (
        Code.MATCH_OFFER_AGAIN, "the other side offers a draw: answer that",
    )  # fmt: skip


def test_offers_of_both_kinds_stand_side_by_side_and_lapse_with_an_action() -> None:
    table = started()
    table.plays("5")
    table.at(0, ANN, offer("takeback"))
    table.at(0, BOB, offer("draw"))
    assert table.seen(0).offers == (Offer_("takeback", 0), Offer_("draw", 1))
    table.plays("1")
    assert table.seen(0).offers == ()
    assert table.refuses(0, ANN, answer("draw", True)).code == Code.MATCH_NO_OFFER


def test_an_offer_ends_with_the_match() -> None:
    table = started()
    table.plays("5")
    table.at(0, ANN, offer("draw"))
    table.at(0, ANN, offer("takeback"))
    table.at(0, BOB, answer("takeback", False))
    table.at(0, BOB, Resign(match=MATCH))
    assert (table.match.offers, table.match.declined) == ((), ())


# ---------------------------------------------------------------- takeback


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


def test_a_takeback_goes_back_over_the_other_sides_action_or_not() -> None:
    table = started()
    table.plays("5", "1")
    table.at(0, BOB, offer("takeback"))
    table.at(0, ANN, answer("takeback", True))
    assert (table.match.ply, table.mover()) == (1, BOB)
    table.at(0, ANN, offer("takeback"))
    table.at(0, BOB, answer("takeback", True))
    assert (table.match.ply, table.mover()) == (0, ANN)
    assert table.seen(0).events == ()


def test_a_takeback_shows_the_eight_actions_before_it() -> None:
    table = started("connect_four")
    table.plays("1", "2", "3", "4", "5", "6", "7", "1", "2", "3")
    table.at(0, BOB, offer("takeback"))
    table.at(0, ANN, answer("takeback", True))
    assert [e.action for e in table.seen(0).events] == ["2", "3", "4", "5", "6", "7", "1", "2"]


def test_a_takeback_is_declined() -> None:
    table = started()
    table.plays("5")
    table.at(0, ANN, offer("takeback"))
    table.at(0, BOB, answer("takeback", False))
    assert table.match.ply == 1


def test_there_is_nothing_to_take_back_before_the_first_decision() -> None:
    table = started()
    table.plays("5")
    assert table.refuses(0, BOB, offer("takeback")).code == Code.MATCH_NOT_ALLOWED


def test_in_a_rated_match_nothing_is_taken_back_and_nobody_is_helped() -> None:
    table = started(options=RATED)
    table.plays("5", "1")
    assert table.refuses(0, ANN, offer("takeback")).code == Code.MATCH_NOT_ALLOWED
    assert table.refuses(0, ANN, Hint(match=MATCH)).code == Code.MATCH_NOT_ALLOWED


def test_a_log_does_not_go_back_to_a_ply_that_never_was() -> None:
    table = started()
    table.plays("5")
    with pytest.raises(NotReplayed):
        matches.taken_back(table.match, 8, TakenBack(0, 0, 5))
