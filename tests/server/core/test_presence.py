"""Who is here, who is away, and what becomes of a room that nobody is in."""

from __future__ import annotations

from protocol.messages import Join, Kick, Leave, Player, Resign, Say
from server.core import playing
from server.core import room as rooms
from server.core.effects import SHOW_ROOM
from server.core.events import Closed
from server.core.orders import Alarm, Back, Gone, Restarted
from tests.server.core.score import (
    ANN,
    BOB,
    CAT,
    HOUR,
    MATCH,
    MINUTE,
    ROOM,
    Table,
    answer,
    finished,
    offer,
    ready,
    seated,
    started,
)

IDLE = 30 * MINUTE


def test_who_loses_its_connection_stays_seated_and_is_marked() -> None:
    table = started()
    assert table.at(5, BOB, Gone()) == []
    assert table.effects == [SHOW_ROOM]
    assert table.seen(5).seats[1] == Player(name="bob", absent=True)
    assert rooms.line(table.room).seats[1] == Player(name="bob", absent=True)
    table.at(9, BOB, Gone())
    assert (table.effects, table.room.away) == ([], (None, 5))
    table.at(9, BOB, Back())
    assert (table.effects, table.room.away) == ([SHOW_ROOM], (None, None))
    table.at(9, BOB, Back())
    assert table.effects == []


def test_who_gets_an_absent_players_seat_is_here() -> None:
    table = seated()
    table.at(0, BOB, Gone())
    table.at(0, ANN, Kick(room=ROOM, seat=1))
    table.at(0, CAT, Join(room=ROOM))
    assert table.room.away == (None, None)


def test_a_spectator_is_not_missed() -> None:
    table = started()
    table.at(5, CAT, Gone())
    assert (table.effects, table.room.away) == ([], (None, None))


def test_a_finished_match_does_not_show_who_is_away_now() -> None:
    table = finished()
    table.at(0, BOB, Leave(room=ROOM))
    table.at(0, CAT, Join(room=ROOM))
    table.at(0, CAT, Gone())
    assert table.seen(0).seats == (Player(name="ann"), Player(name="bob"))


def test_an_empty_room_closes_after_half_an_hour() -> None:
    table = Table(seat=None, now=1000)
    assert playing.wake_at(table.room) == 1000 + IDLE
    assert table.at(999 + IDLE, None, Alarm()) == []
    assert table.at(1000 + IDLE, None, Alarm()) == [Closed(1000 + IDLE, "nobody was here")]
    assert table.effects == [SHOW_ROOM]
    assert playing.wake_at(table.room) is None


def test_a_room_does_not_close_while_a_player_is_here() -> None:
    table = seated()
    table.at(0, ANN, Gone())
    assert playing.wake_at(table.room) is None
    assert table.at(HOUR, None, Alarm()) == []


def test_a_room_whose_players_are_all_away_closes_after_half_an_hour() -> None:
    table = seated()
    table.at(5 * MINUTE, ANN, Gone())
    table.at(3 * MINUTE, BOB, Gone())
    assert playing.wake_at(table.room) == 5 * MINUTE + IDLE
    table.at(5 * MINUTE + IDLE, None, Alarm())
    assert table.kinds() == ["closed"]


def test_whatever_happens_in_a_room_keeps_it_open() -> None:
    table = Table("pebbles", now=1)
    messages = [
        (BOB, Join(room=ROOM)), (ANN, ready()), (BOB, ready()), (ANN, offer("draw")),
        (BOB, answer("draw", False)), (ANN, Resign(match=MATCH)), (BOB, Leave(room=ROOM)),
    ]  # fmt: skip
    for now, (who, message) in enumerate(messages, 2):
        table.at(now, who, message)
        assert table.room.touched == now


def test_chat_keeps_a_room_open() -> None:
    table = Table(seat=None)
    table.at(20 * MINUTE, CAT, Say(room=ROOM, text="anyone?"), follows=True)
    assert playing.wake_at(table.room) == 20 * MINUTE + IDLE


def test_a_restart_gives_everybody_time_to_come_back() -> None:
    table = seated()
    table.at(5 * HOUR, None, Restarted())
    assert table.room.away == (5 * HOUR, 5 * HOUR)
    assert playing.wake_at(table.room) == 5 * HOUR + IDLE
    empty = Table(seat=None)
    empty.at(5 * HOUR, None, Restarted())
    assert empty.room.away == (None, None)
    assert playing.wake_at(empty.room) == 5 * HOUR + IDLE
