"""The life of a room: each state with each message, and the one door `handle`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from protocol.analysis import ANALYSIS_REQUESTS
from protocol.errors import Code, Refusal
from protocol.ladder import LADDER_REQUESTS
from protocol.messages import (
    REQUESTS,
    Abort,
    Claim,
    Error,
    Hint,
    History,
    Invite,
    Join,
    Kick,
    Leave,
    Play,
    Resign,
    Say,
    Watch,
)
from server.core import session
from server.core.effects import SHOW_MATCH, SHOW_ROOM, Reply
from server.core.events import Closed, Ended
from server.core.life import LIFE
from server.core.orders import (
    Alarm,
    Back,
    Close,
    Gone,
    Release,
    Restarted,
    Stalled,
    Unstalled,
)
from tests.server.core.score import (
    ANN,
    BLITZ,
    BOB,
    MATCH,
    MINUTE,
    ROOM,
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
    table.at(0, BOB, Leave(room=ROOM))
    table.at(0, ANN, Leave(room=ROOM))
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

PLAY = Play(match=MATCH, turn=6, action="5")
NONE, OVER = Code.ROOM_NO_MATCH, Code.MATCH_OVER
ON, SHUT, FULL = Code.ROOM_MATCH_ON, Code.ROOM_CLOSED, Code.ROOM_FULL
IDLE, NOT = Code.MATCH_NO_OFFER, Code.MATCH_NOT_ALLOWED
NO_MATCH = {"before": NONE, "after": OVER, "over": OVER, "closed": SHUT}
# The code that ann gets for each message, who sits on seat 0 and owns the room (but a ladder's);
# where none stands it is granted.
SCORE: list[tuple[Any, dict[str, str]]] = [
    (Join(room=ROOM), {"closed": SHUT}),
    (Watch(room=ROOM), {"closed": SHUT}),
    (Say(room=ROOM, text="hi"), {"closed": SHUT}),
    (Leave(room=ROOM), {"playing": ON, "leg": ON, "closed": SHUT}),
    (ready(), {"playing": ON, "leg": NOT, "over": OVER, "closed": SHUT}),
    (Kick(room=ROOM, seat=1), {"playing": ON, "leg": NOT, "over": OVER, "closed": SHUT}),
    (Invite(room=ROOM, who="x"), {"before": FULL, "playing": ON, "after": FULL, "leg": NOT,
                                  "over": OVER, "closed": SHUT}),
    (PLAY, NO_MATCH),
    (Resign(match=MATCH), NO_MATCH),
    (Abort(match=MATCH), NO_MATCH | {"leg": NOT}),
    (offer("draw"), NO_MATCH | {"leg": NOT}),
    (Hint(match=MATCH), NO_MATCH | {"leg": NOT}),
    (answer("draw", True), NO_MATCH | {"playing": IDLE, "leg": NOT}),
    (Claim(match=MATCH), NO_MATCH | {"playing": Code.MATCH_NOT_ABSENT, "leg": NOT}),
    (Gone(), {"closed": SHUT}),
    (Back(), {"closed": SHUT}),
    (Alarm(), {"closed": SHUT}),
    (Restarted(), {"closed": SHUT}),
    (Stalled(), {"closed": SHUT}),
    (Unstalled(), {"closed": SHUT}),
    (Release(ply=0), {"before": NONE, "playing": ON, "after": OVER, "closed": SHUT}),
    (Close("scored"), {"before": NONE, "playing": ON, "after": OVER, "closed": SHUT}),
]  # fmt: skip


@pytest.mark.parametrize("when", TABLES)
@pytest.mark.parametrize(("message", "answers"), SCORE, ids=lambda x: type(x).__name__)
def test_every_message_in_every_state(message: Any, answers: dict[str, str], when: str) -> None:
    table = TABLES[when]()
    assert table.room.state == STATES[when]
    code = answers.get(when)
    if code is not None:
        assert table.refuses(0, ANN, message).code == code
    else:
        table.at(0, ANN, message)
        assert type(message) in LIFE["leg" if when == "leg" else STATES[when]]


def test_the_score_has_every_message_of_the_table() -> None:
    told = {type(message) for message, _ in SCORE}
    assert told == set().union(*LIFE.values())


def test_every_request_stands_in_a_table() -> None:
    assert {*REQUESTS, *LADDER_REQUESTS, *ANALYSIS_REQUESTS} == set().union(*session.LIFE.values())
    room = session.BY_ROOM | session.BY_MATCH
    assert not room & session.LOBBY
    asked_of_a_room = {t for t in set().union(*LIFE.values()) if t in REQUESTS}
    assert asked_of_a_room == room - {History}  # which is read from the log


def test_a_flag_that_fell_stands_though_the_message_after_it_is_refused() -> None:
    table = started(options=BLITZ)
    late = table.play("5")
    events = table.at(MINUTE + 1, ANN, late)
    assert [type(e) for e in events] == [Ended]
    assert table.effects == [
        SHOW_MATCH,
        SHOW_ROOM,
        Reply(Error(code="match/over", text="this match is over")),
    ]


def test_a_flag_that_fell_stands_and_the_message_after_it_is_granted() -> None:
    table = started(options=BLITZ)
    table.at(MINUTE + 201, BOB, Leave(room=ROOM))
    assert table.kinds() == ["ended", "left"]
    assert table.room.seats == (ANN, None)


def test_a_refusal_carries_what_helps() -> None:
    table = started(options=BLITZ)
    table.at(0, ANN, table.play("5"))
    no = table.refuses(0, BOB, table.play("5"))
    assert no.code == Code.MATCH_ILLEGAL_ACTION
    assert no.legal == ("1", "2", "3", "4", "6", "7", "8", "9")
    assert no.suggestion is None


def test_a_closed_room_says_that_it_is_closed() -> None:
    table = closed()
    assert table.rows[-1].kind == "closed"
    no = table.refuses(0, ANN, Watch(room=ROOM))
    assert (no.code, no.text) == (Code.ROOM_CLOSED, "room 17 is closed")


def test_what_a_match_forbids_names_what_was_asked() -> None:
    no = started().refuses(0, ANN, ready())
    assert no.text == "a match is under way: no `ready` before it is over"


def test_the_room_that_was_handed_in_is_left_alone() -> None:
    table = started()
    before = table.room
    table.plays("1", "2", "3")
    assert (before.match, before.seq) == (started().match, started().room.seq)


def test_the_last_player_to_leave_closes_the_room() -> None:
    table = finished()
    table.at(5, BOB, Leave(room=ROOM))
    assert table.at(6, ANN, Leave(room=ROOM))[1:] == [Closed(6, "everybody left")]
    assert isinstance(table.refuses(7, ANN, Leave(room=ROOM)), Refusal)
