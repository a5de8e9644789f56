"""Resigning for fewer points than a forfeit costs: an offer that the other side answers."""

from __future__ import annotations

import pytest

from protocol import messages, parts
from protocol.errors import Code
from server.core import room as rooms
from server.core.effects import SHOW_MATCH
from server.core.events import Answered, Ended, Offered, read_body
from tests.server.core.score import (
    ANN,
    BOB,
    CAT,
    MATCH,
    RATED,
    Table,
    answer,
    offer,
    on_a_ladder,
    started,
)

ONE_OFF = "XGID=-AB-------------A--b--a---:0:0:1:21:0:0:0:0:10"  # both have borne off checkers
NO_GAMMON, GAMMON, BACKGAMMON = (1,), (1, 2), (1, 2, 3)


@pytest.fixture
def table() -> Table:
    """A match of backgammon that has just begun: a loss is a backgammon as it stands."""
    return started("backgammon")


def resign(points: int | None = None, crashed: bool = False) -> messages.Resign:
    """A resignation, or the offer of one."""
    return messages.Resign(match=MATCH, points=points, crashed=crashed)


def returned(table: Table) -> tuple[float, float]:
    """The points of the match that is over, by seat."""
    result = table.match.result
    assert result is not None
    assert result.how == "resign"
    return result.returns


def test_fewer_points_are_offered_and_cost_so_many_if_that_is_accepted(table: Table) -> None:
    assert rooms.resignations(table.room) == (BACKGAMMON, BACKGAMMON)
    assert table.at(1, ANN, resign(2)) == [Offered(1, 0, "resign", 2)]
    assert table.effects == [SHOW_MATCH]
    assert table.seen(1).offers == (parts.Offer_("resign", 0, 2),)
    answered, ended, *_ = table.at(2, BOB, answer("resign", True))
    assert answered == Answered(2, 1, "resign", True)
    assert isinstance(ended, Ended)
    assert (returned(table), table.room.score) == ((-2.0, 2.0), (0.0, 1.0))
    assert rooms.resignations(table.room) == ((), ())


def test_where_the_rules_have_no_draw_none_is_offered(table: Table) -> None:
    no = table.refuses(1, ANN, offer("draw"))
    assert (no.code, no.text) == (Code.MATCH_NOT_ALLOWED, "no match of backgammon is drawn")
    assert table.room.match is not None
    assert table.room.match.offers == ()


@pytest.mark.parametrize("points", [None, 3])
def test_the_full_price_is_accepted_at_once(table: Table, points: int | None) -> None:
    table.at(1, BOB, resign(points))
    assert returned(table) == (3.0, -3.0)


def test_whose_program_has_failed_pays_the_full_price(table: Table) -> None:
    table.at(1, BOB, resign(1, crashed=True))
    assert table.match.result is not None
    assert (table.match.result.how, table.match.result.returns) == ("crash", (3.0, -3.0))


def test_a_price_that_there_is_not_is_refused_with_those_there_are(table: Table) -> None:
    no = table.refuses(0, ANN, resign(4))
    assert (no.code, no.text) == (
        Code.MATCH_NOT_ALLOWED, "to resign costs 1 or 2 or 3 here, not 4",
    )  # fmt: skip
    assert table.refuses(0, ANN, resign(0)).code == Code.MATCH_NOT_ALLOWED
    assert table.refuses(0, CAT, resign(1)).code == Code.ROOM_NOT_SEATED
    table.put(ONE_OFF)
    assert rooms.resignations(table.room) == (NO_GAMMON, NO_GAMMON)
    table.at(0, ANN, resign(1))
    assert returned(table) == (-1.0, 1.0)


def test_where_a_loss_costs_one_point_it_is_never_an_offer() -> None:
    table = started()
    assert rooms.resignations(table.room) == (NO_GAMMON, NO_GAMMON)
    assert table.refuses(0, ANN, resign(2)).code == Code.MATCH_NOT_ALLOWED
    table.at(0, ANN, resign(1))
    assert returned(table) == (-1.0, 1.0)


def test_declined_it_may_be_raised_and_not_lowered_before_the_next_action(table: Table) -> None:
    table.at(0, ANN, resign(1))
    assert table.refuses(0, ANN, resign(1)).text == "your resignation offer still stands"
    table.at(0, BOB, answer("resign", False))
    assert "declined or withdrawn here" in table.refuses(0, ANN, resign(1)).text
    table.at(0, ANN, resign(2))
    assert table.refuses(0, ANN, resign(1)).code == Code.MATCH_OFFER_AGAIN
    table.at(0, BOB, answer("resign", False))
    table.plays(table.match.position.legal_notation()[0])
    table.at(0, ANN, resign(1))
    assert table.seen(0).offers == (parts.Offer_("resign", 0, 1),)


def test_a_raised_offer_takes_the_place_of_the_first(table: Table) -> None:
    table.at(0, ANN, resign(1))
    table.at(0, ANN, resign(2))
    assert table.seen(0).offers == (parts.Offer_("resign", 0, 2),)
    table.at(0, BOB, answer("resign", True))
    assert returned(table) == (-2.0, 2.0)


def test_it_is_withdrawn_by_its_maker_who_cannot_accept_it(table: Table) -> None:
    table.at(0, ANN, resign(1))
    assert table.refuses(0, ANN, answer("resign", True)).code == Code.MATCH_NO_OFFER
    table.at(0, ANN, answer("resign", False))
    assert table.seen(0).offers == ()
    no = table.refuses(0, BOB, answer("resign", True))
    assert no.text == "nobody offers a resignation"


def test_only_one_side_offers_to_resign_and_either_may_do_it_for_all(table: Table) -> None:
    table.at(0, ANN, resign(1))
    assert "answer that" in table.refuses(0, BOB, resign(1)).text
    table.at(0, BOB, resign())
    assert returned(table) == (3.0, -3.0)


def test_it_lapses_with_an_action_a_takeback_and_an_abort(table: Table) -> None:
    mover = table.mover()
    other = BOB if mover is ANN else ANN
    table.at(0, mover, resign(1))
    table.plays(table.match.position.legal_notation()[0])
    assert table.seen(0).offers == ()
    table.at(0, other, resign(1))
    table.at(0, mover, offer("takeback"))
    table.at(0, other, answer("takeback", True))
    assert table.seen(0).offers == ()
    table.at(0, other, resign(2))
    table.at(0, mover, messages.Abort(match=MATCH))
    assert table.match.offers == ()
    assert table.match.result is not None
    assert table.match.result.how == "abort"


def test_in_a_rated_match_it_may_be_offered_and_on_a_ladder_not() -> None:
    rated = started("backgammon", RATED)
    rated.at(0, ANN, resign(1))
    assert [o.points for o in rated.seen(0).offers] == [1]
    ladder = on_a_ladder("backgammon")
    assert rooms.resignations(ladder.room) == ((3,), (3,))
    assert ladder.refuses(0, ANN, resign(1)).code == Code.MATCH_NOT_ALLOWED
    ladder.at(0, ANN, resign())
    assert returned(ladder) == (-3.0, 3.0)


def test_an_offer_of_an_older_log_is_read() -> None:
    old = b"\x93\x01\x00\xa4draw"  # [at, seat, offer]
    assert read_body("offered", old) == Offered(1, 0, "draw")
