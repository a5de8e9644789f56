"""The life of a room: each state with each message, and the one door `handle`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from protocol.errors import Code, Refusal
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
from server.core.orders import Alarm, Back, Gone, Restarted, Stalled, Unstalled
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
    ready,
    seated,
    started,
)


def closed() -> Table:
    table = finished()
    table.at(0, BOB, Leave(room=ROOM))
    table.at(0, ANN, Leave(room=ROOM))
    return table


TABLES: dict[str, Callable[[], Table]] = {
    "before": seated, "playing": started, "after": finished, "closed": closed,
}  # fmt: skip
STATES = {"before": "waiting", "playing": "playing", "after": "waiting", "closed": "closed"}

PLAY = Play(match=MATCH, turn=6, action="5")
NONE, OVER = Code.ROOM_NO_MATCH, Code.MATCH_OVER
ON, SHUT, FULL = Code.ROOM_MATCH_ON, Code.ROOM_CLOSED, Code.ROOM_FULL
IDLE = Code.MATCH_NO_OFFER
# What ann, who sits on seat 0 and owns the room, gets for each message: granted ("") or a code.
SCORE: list[tuple[Any, dict[str, str]]] = [
    (Join(room=ROOM), {"before": "", "playing": "", "after": "", "closed": SHUT}),
    (Watch(room=ROOM), {"before": "", "playing": "", "after": "", "closed": SHUT}),
    (Say(room=ROOM, text="hi"), {"before": "", "playing": "", "after": "", "closed": SHUT}),
    (Leave(room=ROOM), {"before": "", "playing": ON, "after": "", "closed": SHUT}),
    (ready(), {"before": "", "playing": ON, "after": "", "closed": SHUT}),
    (Kick(room=ROOM, seat=1), {"before": "", "playing": ON, "after": "", "closed": SHUT}),
    (Invite(room=ROOM, who="x"), {"before": FULL, "playing": ON, "after": FULL, "closed": SHUT}),
    (PLAY, {"before": NONE, "playing": "", "after": OVER, "closed": SHUT}),
    (Resign(match=MATCH), {"before": NONE, "playing": "", "after": OVER, "closed": SHUT}),
    (Abort(match=MATCH), {"before": NONE, "playing": "", "after": OVER, "closed": SHUT}),
    (offer("draw"), {"before": NONE, "playing": "", "after": OVER, "closed": SHUT}),
    (Hint(match=MATCH), {"before": NONE, "playing": "", "after": OVER, "closed": SHUT}),
    (answer("draw", True), {"before": NONE, "playing": IDLE, "after": OVER, "closed": SHUT}),
    (Claim(match=MATCH), {"before": NONE, "playing": Code.MATCH_NOT_ABSENT, "after": OVER,
                          "closed": SHUT}),
    (Gone(), {"before": "", "playing": "", "after": "", "closed": SHUT}),
    (Back(), {"before": "", "playing": "", "after": "", "closed": SHUT}),
    (Alarm(), {"before": "", "playing": "", "after": "", "closed": SHUT}),
    (Restarted(), {"before": "", "playing": "", "after": "", "closed": SHUT}),
    (Stalled(), {"before": "", "playing": "", "after": "", "closed": SHUT}),
    (Unstalled(), {"before": "", "playing": "", "after": "", "closed": SHUT}),
]  # fmt: skip


@pytest.mark.parametrize("when", TABLES)
@pytest.mark.parametrize(("message", "answers"), SCORE, ids=lambda x: type(x).__name__)
def test_every_message_in_every_state(message: Any, answers: dict[str, str], when: str) -> None:
    table = TABLES[when]()
    assert table.room.state == STATES[when]
    code = answers[when]
    if code:
        assert table.refuses(0, ANN, message).code == code
    else:
        table.at(0, ANN, message)
        assert type(message) in LIFE[STATES[when]]


def test_the_score_has_every_message_of_the_table() -> None:
    told = {type(message) for message, _ in SCORE}
    assert told == set().union(*LIFE.values())


def test_every_request_stands_in_a_table() -> None:
    assert set(REQUESTS) == set().union(*session.LIFE.values())
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
