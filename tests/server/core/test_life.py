"""The life of a room: each state with each message, and the one door `handle`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import pytest

from protocol import messages
from protocol.errors import Code
from protocol.hints import Hint
from server.core import orders
from server.core.events import Closed
from server.core.life import LIFE
from tests.server.core.cast import ANN, BLITZ, BOB, CAT, MATCH, MINUTE, ROOM
from tests.server.core.score import (
    Table,
    answer,
    finished,
    offer,
    on_a_ladder,
    ready,
    seated,
    started,
)


def closed() -> Table:
    table = finished()
    table.at(5, BOB, messages.Leave(room=ROOM))
    assert table.at(6, ANN, messages.Leave(room=ROOM))[1:] == [Closed(6, "everybody left")]
    return table


def leg() -> Table:
    return on_a_ladder(opening=("1", "2"))


def over() -> Table:
    table = leg()
    table.plays("3", "4", "5", "6", "7")
    return table


TABLES: dict[str, Callable[[], Table]] = {
    "before": seated, "playing": started, "after": finished, "closed": closed, "leg": leg,
    "over": over,
}  # fmt: skip
STATES = {"before": "waiting", "playing": "playing", "after": "waiting", "closed": "closed",
          "leg": "playing", "over": "over"}  # fmt: skip

PLAY = messages.Play(match=MATCH, turn=6, action="5")
NONE, OVER = Code.ROOM_NO_MATCH, Code.MATCH_OVER
ON, SHUT, FULL = Code.ROOM_MATCH_ON, Code.ROOM_CLOSED, Code.ROOM_FULL
IDLE, NOT = Code.MATCH_NO_OFFER, Code.MATCH_NOT_ALLOWED
NO_MATCH = {"before": NONE, "after": OVER, "over": OVER, "closed": SHUT}
# The code that ann gets for each message, who sits on seat 0 and owns the room (but a ladder's);
# where none stands it is granted.
SCORE: list[tuple[Any, dict[str, str]]] = [
    (messages.Join(room=ROOM), {"closed": SHUT}),
    (messages.Watch(room=ROOM), {"closed": SHUT}),
    (messages.Seek(game="connect_four"), {"playing": ON, "leg": NOT, "over": OVER, "closed": SHUT}),
    (messages.Say(room=ROOM, text="hi"), {"closed": SHUT}),
    (messages.Leave(room=ROOM), {"playing": ON, "leg": ON, "closed": SHUT}),
    (ready(), {"leg": NOT, "over": OVER, "closed": SHUT}),
    (messages.Kick(room=ROOM, seat=1), {"playing": ON, "leg": NOT, "over": OVER, "closed": SHUT}),
    (messages.RoomRename(room=ROOM, name="Den"), {"leg": NOT, "over": OVER, "closed": SHUT}),
    (messages.Invite(room=ROOM, who="x"), {"before": FULL, "playing": ON, "after": FULL, "leg": NOT,
                                  "over": OVER, "closed": SHUT}),
    (PLAY, NO_MATCH),
    (messages.Resign(match=MATCH), NO_MATCH),
    (messages.Abort(match=MATCH), NO_MATCH | {"leg": NOT}),
    (offer("draw"), NO_MATCH | {"leg": NOT}),
    (Hint(match=MATCH), NO_MATCH | {"leg": NOT}),
    (answer("draw", True), NO_MATCH | {"playing": IDLE, "leg": NOT}),
    (messages.Claim(match=MATCH), NO_MATCH | {"playing": Code.MATCH_NOT_ABSENT, "leg": NOT}),
    (orders.Disconnected(), {"closed": SHUT}),
    (orders.Reconnected(), {"closed": SHUT}),
    (orders.Alarm(), {"closed": SHUT}),
    (orders.Emptied(), {"closed": SHUT}),
    (orders.Occupied(), {"closed": SHUT}),
    (orders.Restarted(), {"closed": SHUT}),
    (orders.Stalled(), {"closed": SHUT}),
    (orders.Unstalled(), {"closed": SHUT}),
    (orders.Stepped(ms=5_000), {"closed": SHUT}),
    (orders.Unreached(since=0), {"closed": SHUT}),
    (orders.Release(ply=0), {"before": NONE, "playing": ON, "after": OVER, "closed": SHUT}),
    (orders.Close("scored"), {"closed": SHUT}),
]  # fmt: skip


@pytest.mark.parametrize("when", TABLES)
def test_every_message_in_every_state(when: str) -> None:
    for message, answers in SCORE:
        table = TABLES[when]()
        assert table.room.state == STATES[when]
        code = answers.get(when)
        if code is not None:
            assert table.refuses(0, ANN, message).code == code, message
        else:
            table.at(0, ANN, message)
            assert type(message) in LIFE["leg" if when == "leg" else STATES[when]], message


def test_the_score_has_every_message_of_the_table() -> None:
    asked = {type(message) for message, _ in SCORE}
    assert asked == set().union(*LIFE.values()), "each has a row in SCORE, and no other"
    assert set(get_args(orders.Order)) <= asked


def test_a_flag_that_fell_stands_and_the_message_after_it_is_granted() -> None:
    table = started(options=BLITZ)
    table.at(MINUTE + 201, BOB, messages.Leave(room=ROOM))
    assert table.kinds() == ["ended", "left"]
    assert table.room.seats == (ANN, None)


def test_a_closed_room_says_that_it_is_closed_and_a_match_what_it_forbids() -> None:
    table = closed()
    assert table.rows[-1].kind == "closed"
    no = table.refuses(0, ANN, messages.Watch(room=ROOM))
    assert (no.code, no.text) == (Code.ROOM_CLOSED, "room 17 is closed")
    no = started().refuses(0, ANN, messages.Kick(room=ROOM, seat=1))
    assert no.text == "a match is under way: no `kick` before it is over"


def test_ready_once_more_changes_nothing_whatever_has_happened_meanwhile() -> None:
    table = seated()
    for now, asker in enumerate((ANN, ANN, BOB, BOB, ANN)):
        table.at(now, asker, ready())
    assert (table.events, table.room.state, table.room.ready) == ([], "playing", (False, False))
    assert table.refuses(9, CAT, ready()).code == Code.ROOM_NOT_SEATED
