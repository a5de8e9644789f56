"""Dice: promised before they fall, fallen in the same append as the action, checkable afterwards.

The game is pebbles, from tests/extra_games.
"""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from games import dice, registry
from games.dice import Deal
from games.game import CHANCE
from protocol.errors import Code
from protocol.messages import Abort, Join, Leave, Resign
from protocol.parts import Result
from server.core import events
from server.core import room as rooms
from server.core.effects import SHOW_MATCH, SHOW_ROOM
from tests.server.core.cast import ANN, BOB, CAT, MATCH, RATED, ROOM
from tests.server.core.score import Table, answer, fresh, offer, ready, seated, started

DICE = "pebbles"


@pytest.fixture
def table() -> Table:
    """A match with dice that has just begun."""
    return started(DICE)


def commitment(table: Table) -> str | None:
    return rooms.state(table.room).commitment


def hand(table: Table) -> str:
    """Some legal action."""
    return legal(table)[0]


def legal(table: Table) -> tuple[str, ...]:
    return table.match.position.legal_notation()


def salts(table: Table) -> tuple[str, str]:
    assert table.match.deal is not None
    return table.match.deal.salts


def tables() -> list[Table]:
    """The same match under many secrets."""
    return [started(DICE, secret=1000 * n) for n in range(1, 40)]


def test_the_promise_is_shown_before_anyone_is_ready_and_stays_the_same_until_the_end() -> None:
    assert (commitment(started()), started().match.deal) == (None, None)
    table = Table(DICE, secret=5)
    promised = commitment(table)
    assert promised == dice.commitment(fresh(5).secret)
    assert table.room.ready == (False, False)
    table.at(0, BOB, Join(room=ROOM))
    table.at(0, ANN, ready("a0"))
    table.at(0, BOB, ready())
    assert commitment(table) == promised
    table.at(0, table.mover(), table.play(hand(table)))
    assert commitment(table) == promised
    table.at(0, ANN, Resign(match=MATCH))
    assert commitment(table) not in (None, promised)


def test_the_secret_is_stored_before_any_salt_is_and_stays_the_one() -> None:
    salted = seated(DICE, secret=5)
    salted.at(0, ANN, ready("aa"))
    salted.at(0, BOB, ready("bb"))
    plain = started(DICE, secret=5)
    for table in (salted, plain):
        kinds = [row.kind for row in table.rows]
        assert kinds == ["created", "dealt", "joined", "joined", "ready", "ready", "started",
                         "roll", "roll"]  # fmt: skip
        assert commitment(table) == dice.commitment(fresh(5).secret)


def test_a_salt_is_changed_by_who_gets_up_before_a_roll_is_seen_and_not_otherwise() -> None:
    table = seated(DICE)
    table.at(0, ANN, ready("aa"))
    assert table.at(0, ANN, ready("bb")) == []
    table.at(0, BOB, ready())
    assert salts(table) == ("aa", "")
    table = seated(DICE)
    table.at(0, BOB, ready("aa"))
    table.at(0, BOB, Leave(room=ROOM))
    table.at(0, BOB, Join(room=ROOM))
    table.at(0, BOB, ready("bb"))
    assert "roll" not in [row.kind for row in table.rows]
    table.at(0, ANN, ready())
    assert salts(table) == ("", "bb")
    table = seated(DICE)
    promised = commitment(table)
    table.at(0, BOB, ready("ff"))
    table.at(0, BOB, Leave(room=ROOM))
    table.at(0, CAT, Join(room=ROOM))
    assert commitment(table) == promised
    table.at(0, ANN, ready())
    table.at(0, CAT, ready())
    assert salts(table) == ("", "")


def test_who_calls_off_a_match_meets_the_same_dice_salts_and_seats_again() -> None:
    table = seated(DICE, secret=5)
    for who, salt in ((ANN, "aa"), (BOB, "bb")):
        table.at(0, who, ready(salt))
    promised, opening = commitment(table), [event.action for event in table.match.recent]
    for number in (2, 3):
        table.at(0, BOB, Abort(match=table.match.name))
        assert (table.kinds(), table.rows[-1].match) == (["ended", "dealt"], number)
        assert (commitment(table), table.seen(0).secret) == (promised, None)
        for who in (BOB, ANN):
            table.at(0, who, ready("c0ffee"))
        assert (table.match.name, table.match.players) == (f"17.{number}", (ANN, BOB))
        assert (table.match.deal, salts(table)) == (
            Deal(MATCH, fresh(5).secret, ("aa", "bb")), ("aa", "bb"),
        )  # fmt: skip
        assert [event.action for event in table.match.recent] == opening
    table.at(0, BOB, Resign(match="17.3"))
    assert table.seen(0).secret == fresh(5).secret.hex()
    assert commitment(table) not in (None, promised)
    for who in (ANN, BOB):
        table.at(0, who, ready())
    assert (table.match.players, salts(table)) == ((BOB, ANN), ("", ""))
    assert table.match.deal is not None
    assert (table.match.deal.name, table.match.deal.secret) != (MATCH, fresh(5).secret)


def decide(table: Table) -> None:
    """Whoever is to move does something."""
    table.at(0, table.mover(), table.play("pass" if "pass" in legal(table) else hand(table)))


def test_a_rated_match_with_dice_is_not_called_off_once_its_next_roll_was_seen() -> None:
    table = started(DICE, RATED)
    decide(table)
    for who in (ANN, BOB):
        no = table.refuses(0, who, Abort(match=MATCH))
        assert (no.code, "dice" in no.text) == (Code.MATCH_TOO_LATE_TO_ABORT, True)
    table = started(options=RATED)
    table.plays("5")
    table.at(0, BOB, Abort(match=MATCH))  # nobody has seen what is to come


@pytest.mark.parametrize("taken_back", [False, True])
def test_a_match_called_off_after_a_decision_leaves_no_dice_to_the_next_one(
    taken_back: bool,
) -> None:
    table = started(DICE, secret=5)
    mover = table.mover()
    decide(table)
    if taken_back and table.mover() != mover:
        table.at(0, mover, offer("takeback"))
        table.at(0, table.mover(), answer("takeback", True))
        assert table.match.moved == (0, 0)
    promised = commitment(table)
    table.at(0, BOB, Abort(match=MATCH))
    assert table.seen(0).secret == fresh(5).secret.hex()
    assert commitment(table) not in (None, promised)
    for who in (ANN, BOB):
        table.at(0, who, ready("c0ffee"))
    assert table.match.deal is not None
    assert (table.match.deal.name, salts(table)) == ("17.2", ("c0ffee", "c0ffee"))
    assert table.match.players == (ANN, BOB)


def test_neither_to_get_up_and_sit_down_again_nor_another_player_changes_what_was_seen() -> None:
    for follower, players in ((ANN, (ANN, BOB)), (CAT, (CAT, BOB))):
        table = started(DICE, secret=5)
        table.at(0, ANN, Abort(match=MATCH))
        table.at(0, ANN, Leave(room=ROOM))
        table.at(0, follower, Join(room=ROOM))
        for who in (follower, BOB):
            table.at(0, who, ready("c0ffee"))
        assert (table.match.players, salts(table)) == (players, ("", ""))
        assert table.match.deal == Deal(MATCH, fresh(5).secret, ("", ""))


def test_two_who_change_seats_by_leaving_get_their_own_back_after_a_match_that_was_called_off() -> (
    None
):
    table = started(DICE)
    table.at(0, BOB, Abort(match=MATCH))
    for who, message in (
        (BOB, Leave(room=ROOM)), (CAT, Join(room=ROOM)), (ANN, Leave(room=ROOM)),
        (BOB, Join(room=ROOM)), (CAT, Leave(room=ROOM)), (ANN, Join(room=ROOM)),
    ):  # fmt: skip
        table.at(0, who, message)
    assert table.room.seats == (BOB, ANN)
    for who in (ANN, BOB):
        table.at(0, who, ready())
    assert table.match.players == (ANN, BOB)


def test_nobody_changes_seats_by_calling_a_match_off() -> None:
    table = started()
    table.at(0, BOB, Abort(match=MATCH))
    for who in (ANN, BOB):
        table.at(0, who, ready())
    assert (table.match.players, table.match.name) == ((ANN, BOB), "17.2")


def test_a_closed_room_needs_its_dice_no_more() -> None:
    table = started(DICE, secret=5)
    table.at(0, ANN, Abort(match=MATCH))
    for who in (ANN, BOB):
        table.at(0, who, Leave(room=ROOM))
    assert table.room.state == "closed"
    assert table.seen(0).secret == fresh(5).secret.hex()


def test_the_next_deal_comes_with_the_end(table: Table) -> None:
    happened = table.at(3, ANN, Resign(match=MATCH))
    assert table.kinds() == ["ended", "dealt"]
    next_deal = happened[1]
    assert isinstance(next_deal, events.Dealt)
    assert next_deal.deal == "17.2"
    assert table.match.deal is not None
    assert next_deal.secret != table.match.deal.secret
    assert table.effects == [SHOW_MATCH, SHOW_ROOM]


def test_a_roll_falls_with_the_start_or_the_action_before_it(table: Table) -> None:
    assert table.kinds() == ["ready", "started", "roll", "roll"]
    assert table.match.position.to_move != CHANCE
    assert table.effects == [SHOW_ROOM, SHOW_MATCH]
    happened = table.at(5, table.mover(), table.play(hand(table)))
    assert table.kinds()[:2] == ["play", "roll"]
    assert happened[1] == events.DiceRolled(5, 3, table.match.recent[-1].action or "")
    assert table.seen(5).events[-1].seat == -1


def test_the_dice_follow_from_secret_salts_and_ply_alone() -> None:
    table = seated(DICE, secret=7)
    table.at(0, ANN, ready("00ff"))
    assert table.events == [events.Readied(0, 0, "00ff")]
    table.at(0, BOB, ready())
    assert table.events[1] == events.Started(
        0, DICE, 1, table.room.options, (ANN, BOB), "17.1", ("00ff", "")
    )
    deal = Deal("17.1", fresh(7).secret, ("00ff", ""))
    position = registry.game(DICE).initial()
    for ply in (0, 1):
        position = position.apply(deal.roll(ply, position.chance()))
    assert table.match.position == position


def test_salts_change_seats_with_their_players(table: Table) -> None:
    table.at(0, ANN, Resign(match=MATCH))
    table.at(0, ANN, ready("aa"))
    table.at(0, BOB, ready("bb"))
    assert salts(table) == ("bb", "aa")
    assert table.match.players == (BOB, ANN)


def test_a_forced_pass_is_played_by_the_server() -> None:
    for table in tables():
        table.put("5/5/5 15/15 4 white 4")
        mine = table.mover()
        happened = table.at(9, mine, table.play("4-0-0"))
        if "pass" in table.kinds():
            break
    else:
        pytest.fail("no secret made black pass")
    assert table.kinds()[:4] == ["play", "roll", "pass", "roll"]
    played, rolled, passed = happened[:3]
    assert isinstance(played, events.Played)
    assert isinstance(rolled, events.DiceRolled)
    assert rolled.action == "7"  # no heap has so many
    assert passed == events.Passed(9, played.ply + 2, 1 - played.seat, "pass")
    assert table.match.moved[1 - played.seat] == 0
    assert "pass" in [e.kind for e in table.seen(9).events]


def test_a_pass_that_is_not_forced_is_the_players() -> None:
    for table in tables():
        if table.match.recent[-1].action == "hand":
            break
    else:
        pytest.fail("no secret opened with a hand")
    assert len(table.match.position.legal_actions()) == 3_000
    assert "pass" in table.match.position.legal_notation()
    table.at(0, table.mover(), table.play("pass"))
    assert table.kinds()[0] == "play"


def test_the_end_needs_no_roll_and_counts_what_the_game_says(table: Table) -> None:
    table.put("4/5/5 15/16 4 white 4")
    happened = table.at(9, ANN, table.play("4-0-0"))
    assert table.kinds() == ["play", "ended", "dealt"]
    assert happened[1] == events.Ended(
        9, Result(winner=0, returns=(1.0, -1.0), how="rules", reason="heap")
    )
    table = started(DICE)
    table.put("4/8/15 15/3 4 white 4")
    table.at(0, BOB, Resign(match=MATCH))
    assert table.match.result == Result(
        winner=0, returns=(3.0, -3.0), how="resign", reason="resign"
    )


@pytest.mark.parametrize("seat", [0, 1])
def test_whoever_starts_the_match_is_called_off_until_the_other_has_moved(seat: int) -> None:
    table = next(t for t in tables() if t.match.position.to_move == seat)
    table.at(0, table.mover(), table.play("pass" if "pass" in legal(table) else hand(table)))
    assert table.match.moved[seat] > 0
    assert table.match.moved[1 - seat] == 0
    table.at(0, ANN, Abort(match=MATCH))


def test_a_roll_is_bound_to_its_ply_whatever_is_taken_back(table: Table) -> None:
    first = table.match.position
    mover, other = table.mover(), BOB if table.mover() == ANN else ANN
    plies = []
    for action in (hand(table), table.match.position.legal_notation()[-1]):
        table.at(0, mover, table.play(action))
        plies.append({e.ply: e.action for e in table.match.recent if e.kind == "roll"})
        table.at(0, mover, offer("takeback"))
        table.at(0, other, answer("takeback", True))
        assert isinstance(table.events[1], events.TakenBack)
        assert table.kinds() == ["answered", "takeback"]
        assert table.match.position == first
    assert plies[0][3] == plies[1][3]


def test_a_takeback_goes_to_a_decision_and_never_to_a_roll_or_a_pass(table: Table) -> None:
    mover = table.mover()
    table.at(0, mover, table.play(hand(table)))
    while table.mover() == mover:  # the other side could only pass
        table.at(0, mover, table.play(hand(table)))
    table.at(0, mover, offer("takeback"))
    table.at(0, table.mover(), answer("takeback", True))
    assert table.mover() == mover
    assert table.match.position.to_move != CHANCE


def test_nobody_rolls_the_dice_and_they_do_not_fall_without_a_secret(table: Table) -> None:
    roll = table.match.recent[-1]
    no = table.refuses(0, table.mover(), table.play(roll.action or "", turn=roll.seq - 1))
    assert no.code == Code.MATCH_STALE_TURN
    table = seated(DICE)
    bare = replace(table.room, secret=None)
    with pytest.raises(events.NotReplayed, match="dice without a secret"):
        rooms.fold(bare, events.Started(0, DICE, 1, bare.options, (ANN, BOB), "17.1", ("", "")))
