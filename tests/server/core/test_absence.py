"""What becomes of rooms, seats and matches whose people have gone."""

from __future__ import annotations

import pytest

from protocol import messages
from protocol.errors import Code
from server.core import playing
from server.core import room as rooms
from server.core.effects import SHOW_ROOM
from server.core.events import Closed, Ended, Left, Who
from server.core.orders import Alarm, Close, Disconnected, Emptied, Occupied, Reconnected, Restarted
from tests.server.core.cast import ANN, BLITZ, BOB, BOT, CAT, HOUR, MATCH, MINUTE, ROOM
from tests.server.core.score import Table, finished, ready, seated, started

IDLE, REMATCH = 30 * MINUTE, 10 * MINUTE
NOBODY_HERE = "nobody was here"


def leaves(table: Table, now: int, *players: Who) -> None:
    """All these lose their connections, and with them the last one that followed."""
    table.at(now, players[0], Emptied())
    for who in players:
        table.at(now, who, Disconnected())


def with_a_bot(*actions: str) -> Table:
    """A match without clock of ann and a bot, with so many actions played."""
    table = Table()
    for who, message in ((BOT, messages.Join(room=ROOM)), (BOT, ready()), (ANN, ready())):
        table.at(0, who, message)
    table.at(0, ANN, Occupied())
    table.plays(*actions)
    return table


def test_a_room_never_played_in_closes_a_minute_after_the_last_has_gone() -> None:
    table = seated()
    leaves(table, 5_000, BOB, ANN)
    assert playing.wake_at(table.room) == 5_000 + MINUTE
    assert table.at(4_999 + MINUTE, None, Alarm()) == []
    assert table.at(5_000 + MINUTE, None, Alarm()) == [Closed(5_000 + MINUTE, NOBODY_HERE)]
    assert table.effects == [SHOW_ROOM]
    assert playing.wake_at(table.room) is None


def test_a_reconnect_within_the_minute_keeps_the_room_and_the_seats() -> None:
    table = seated()
    leaves(table, 0, BOB, ANN)
    table.at(MINUTE - 1, ANN, Occupied())
    table.at(MINUTE - 1, ANN, Reconnected())
    assert table.at(MINUTE, None, Alarm()) == [Left(MINUTE, 1)]
    assert playing.wake_at(table.room) is None


def test_a_host_without_a_seat_keeps_a_room_by_following_it_for_half_an_hour() -> None:
    table = Table(seat=None, now=1_000)
    assert playing.wake_at(table.room) == 1_000 + MINUTE  # nobody has been shown it yet
    table.at(1_000, ANN, Occupied())
    assert playing.wake_at(table.room) == 1_000 + IDLE
    table.at(20 * MINUTE, CAT, messages.Say(room=ROOM, text="anyone?"), follows=True)
    assert playing.wake_at(table.room) == 20 * MINUTE + IDLE
    table.at(21 * MINUTE, ANN, Emptied())
    assert playing.wake_at(table.room) == 22 * MINUTE


def test_a_bot_that_was_called_and_left_alone_is_free_after_a_minute() -> None:
    table = Table()
    table.at(0, BOT, messages.Join(room=ROOM))
    table.at(0, BOT, ready())
    leaves(table, 0, ANN)
    assert playing.wake_at(table.room) == MINUTE
    assert table.at(MINUTE, None, Alarm()) == [Closed(MINUTE, NOBODY_HERE)]


def test_a_bot_waits_in_its_own_room_for_as_long_as_it_is_connected() -> None:
    table = Table(owner=BOT)
    table.at(0, BOT, Occupied())
    assert playing.wake_at(table.room) is None
    leaves(table, 0, BOT)
    assert playing.wake_at(table.room) == MINUTE


def test_who_is_away_and_not_ready_gives_up_the_seat_after_a_minute() -> None:
    table = seated()
    table.at(0, ANN, Occupied())
    table.at(3_000, BOB, Disconnected())
    assert playing.wake_at(table.room) == 3_000 + MINUTE
    assert table.at(3_000 + MINUTE, None, Alarm()) == [Left(3_000 + MINUTE, 1)]
    assert table.effects == [SHOW_ROOM]
    assert (table.room.seats, table.room.state) == ((ANN, None), "waiting")
    table.at(2 * MINUTE, CAT, messages.Join(room=ROOM))
    assert playing.wake_at(table.room) is None


def test_who_is_ready_keeps_the_seat_while_somebody_waits() -> None:
    table = seated()
    table.at(0, ANN, Occupied())
    table.at(0, BOB, ready())
    table.at(0, BOB, Disconnected())
    assert playing.wake_at(table.room) is None
    table.at(HOUR, ANN, ready())
    assert table.room.state == "playing"


def test_after_a_match_an_absent_player_has_ten_minutes_for_the_result_and_a_rematch() -> None:
    table = finished()
    table.at(0, ANN, Occupied())
    table.at(0, BOB, Disconnected())
    table.at(MINUTE, ANN, messages.Say(room=ROOM, text="again?"))
    assert playing.wake_at(table.room) == MINUTE + REMATCH
    assert table.at(MINUTE + REMATCH, None, Alarm()) == [Left(MINUTE + REMATCH, 1)]


def test_a_room_played_in_closes_when_its_last_seat_is_freed_and_nobody_follows_it() -> None:
    table = finished()
    leaves(table, 0, BOB)
    leaves(table, 2 * MINUTE, ANN)
    assert table.at(REMATCH, None, Alarm()) == [Left(REMATCH, 1)]
    later = 2 * MINUTE + REMATCH
    assert table.at(later, None, Alarm()) == [Left(later, 0), Closed(later, NOBODY_HERE)]


def test_a_bot_that_was_called_does_not_keep_a_room_that_was_played_in_either() -> None:
    table = with_a_bot("1", "4", "2", "5", "3")
    leaves(table, 0, ANN)
    assert table.at(REMATCH, None, Alarm()) == [Left(REMATCH, 0), Closed(REMATCH, NOBODY_HERE)]
    table = with_a_bot("1", "4", "2", "5", "3")
    table.at(0, ANN, messages.Leave(room=ROOM))
    table.at(0, ANN, Emptied())
    assert playing.wake_at(table.room) == IDLE


def test_after_a_restart_all_have_a_minute_to_come_back_to_what_was_not_begun() -> None:
    table = seated()
    table.at(5 * HOUR, None, Restarted())
    assert (table.room.away, table.room.empty_since) == ((5 * HOUR, 5 * HOUR), 5 * HOUR)
    assert playing.wake_at(table.room) == 5 * HOUR + MINUTE
    table = finished()
    table.at(5 * HOUR, None, Restarted())
    assert playing.wake_at(table.room) == 5 * HOUR + REMATCH


def rests(table: Table) -> bool:
    """Whether the room is shown as one that rests."""
    return rooms.state(table.room).rests


@pytest.mark.parametrize("is_here", [True, False])
def test_a_match_without_clock_takes_no_slot_of_a_bot_until_its_person_moves(is_here: bool) -> None:
    table = with_a_bot("1", "5")
    if not is_here:
        leaves(table, 0, ANN)
    assert playing.wake_at(table.room) == 2 * MINUTE
    assert table.at(2 * MINUTE, None, Alarm()) == []
    assert (rests(table), table.effects) == (True, [SHOW_ROOM])
    assert playing.wake_at(table.room) == (None if is_here else 24 * HOUR)
    table.at(23 * HOUR, ANN, Reconnected())
    assert (rests(table), playing.wake_at(table.room)) == (True, None)
    table.plays("2")
    assert (rests(table), table.effects[-1]) == (False, SHOW_ROOM)
    assert playing.wake_at(table.room) is None  # it is the bot that is waited for
    table.plays("6")
    assert playing.wake_at(table.room) == table.room.touched + 2 * MINUTE


def test_a_match_rests_after_a_restart_at_once_if_its_person_is_to_move() -> None:
    for actions, expected in ((("1", "5"), True), (("1",), False)):
        table = with_a_bot(*actions)
        table.at(5 * HOUR, None, Restarted())
        assert rests(table) == expected
        table.at(5 * HOUR + MINUTE, None, Alarm())  # its clock, if it had one, goes on
        assert rests(table) == expected


def test_a_match_of_people_or_with_a_clock_does_not_rest() -> None:
    table = started()
    table.at(HOUR, None, Alarm())
    assert (rests(table), playing.wake_at(table.room)) == (False, None)
    table = Table(options=BLITZ)
    for who, message in ((BOT, messages.Join(room=ROOM)), (BOT, ready()), (ANN, ready())):
        table.at(0, who, message)
    assert playing.wake_at(table.room) == MINUTE + 201


@pytest.mark.parametrize(
    ("actions", "days"), [((), 1), (("1", "5"), 1), (("1", "5", "2", "6"), 30)]
)
def test_a_match_with_a_bot_is_void_when_its_person_stays_away_for_long(
    actions: tuple[str, ...], days: int
) -> None:
    table = with_a_bot(*actions)
    table.at(0, None, Restarted())
    table.at(0, BOT, Reconnected())
    table.at(MINUTE, None, Alarm())
    assert playing.wake_at(table.room) == days * 24 * HOUR
    (ended,) = table.at(days * 24 * HOUR, None, Alarm())
    assert isinstance(ended, Ended)
    assert (ended.result.how, ended.result.reason) == ("void", "its player left")
    assert table.room.seats == (ANN, BOT)  # who comes back now still sees how it ended


@pytest.mark.parametrize("away", [BOB, BOT])
def test_a_match_without_clock_is_claimed_from_a_person_after_days_and_from_a_bot_after_minutes(
    away: Who,
) -> None:
    table = started() if away is BOB else with_a_bot()
    table.plays("1", "5")
    table.at(0, away, Disconnected())
    wait = 72 * HOUR if away is BOB else 2 * MINUTE
    claim = messages.Claim(match=MATCH)
    no = table.refuses(wait - MINUTE, ANN, claim)
    assert (no.code, no.text.endswith("wait 61 s more")) == (Code.MATCH_NOT_ABSENT, True)
    early = table.refuses(MINUTE, ANN, claim).text
    assert early.endswith("wait 72 hours more" if away is BOB else "wait 61 s more")
    (ended,) = table.at(wait, ANN, claim)
    assert isinstance(ended, Ended)
    assert (ended.result.how, ended.result.winner) == ("abandon", 0)


def test_a_person_may_wait_for_ever_and_when_both_are_away_there_are_thirty_days() -> None:
    table = started()
    table.plays("1", "2", "3", "4")
    table.at(0, BOB, Disconnected())
    assert playing.wake_at(table.room) is None
    table.at(HOUR, ANN, Disconnected())
    assert playing.wake_at(table.room) == (30 * 24 + 1) * HOUR
    (ended,) = table.at((30 * 24 + 1) * HOUR, None, Alarm())
    assert isinstance(ended, Ended)
    assert (ended.result.how, ended.result.reason) == ("void", "both players left")


def test_a_match_that_both_have_left_before_they_moved_twice_is_void_after_a_day() -> None:
    table = started()
    table.plays("1", "2", "3")
    table.at(0, BOB, Disconnected())
    table.at(HOUR, ANN, Disconnected())
    assert playing.wake_at(table.room) == 25 * HOUR
    (ended,) = table.at(25 * HOUR, None, Alarm())
    assert isinstance(ended, Ended)
    assert (ended.result.how, ended.result.reason) == ("void", "both players left")


def test_with_a_clock_the_flag_decides_however_long_a_bot_waits() -> None:
    table = Table(options=BLITZ)
    for who, message in ((BOT, messages.Join(room=ROOM)), (BOT, ready()), (ANN, ready())):
        table.at(0, who, message)
    leaves(table, 0, ANN)
    table.at(10 * MINUTE, None, Alarm())
    assert table.match.result is not None
    assert table.match.result.how == "flag"


def test_a_room_gives_way_where_no_match_is_on() -> None:
    table = seated()
    assert table.at(9, None, Close("others wait")) == [Closed(9, "others wait")]
    assert table.effects == [SHOW_ROOM]
