"""Two requests that cross: each pair that a room can get, in both orders, from every state.

What a player sends was meant for the room as it was seen, so each request here is made from the
state before both.  Whatever comes of the first, the second gets an answer or a coded refusal, and
the room stays one that makes sense: see `check`.  Beside that come a reload, a lost line, a second
tab and a restart of the server, at each moment of a request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from typing import Any, Final, NamedTuple

import pytest
from msgspec.structs import replace

from protocol import messages
from protocol.errors import Code, Refusal
from protocol.hints import HINT_REQUESTS, Advise, DelayAdvice, Hint
from protocol.messages import Request
from protocol.parts import Options
from server.core import life, orders, playing
from server.core import room as rooms
from server.core.effects import SHOW_MATCH, SHOW_ROOM, Effect, Reply, SendInvitation
from server.core.events import Ended, Event, Started, Who
from server.core.room import NOBODY, Asker, Room
from tests.server.core.cast import ANN, BLITZ, BOB, BOT, CAT, CODE, MATCH, MINUTE, PRIVATE, ROOM
from tests.server.core.score import (
    Table,
    answer,
    check_sense,
    finished,
    fresh,
    offer,
    on_a_ladder,
    plain,
    ready,
    seated,
    started,
)

# What never comes to a room's own door; it has no part in these pairs.
ELSEWHERE: Final = frozenset(
    {
        messages.Hello, messages.Lobby, messages.Create, messages.Decline, messages.Draw,
        Advise, DelayAdvice, messages.History, messages.Link,
    }
)  # fmt: skip
PEOPLE: Final = (ANN, BOB, CAT)  # ann owns the room and sits down first, bob second, cat looks on


class Sent(NamedTuple):
    """A request or an order on its way; `who`: None where it is the server's own."""

    who: Who | None
    message: Any


def alone() -> Table:
    return Table()


def one_ready() -> Table:
    table = seated()
    table.at(0, BOB, ready())
    return table


def called() -> Table:
    """Ann has called a bot, which has sat down."""
    table = Table()
    table.at(0, BOT, messages.Join(room=ROOM))
    return table


def both_moved() -> Table:
    table = started()
    table.plays("1", "4")
    return table


def offered(kind: Any) -> Callable[[], Table]:
    def offers() -> Table:
        table = both_moved()
        table.at(0, BOB, offer(kind))
        return table

    return offers


def absent() -> Table:
    """Bob has been away for so long that ann may claim the match."""
    table = both_moved()
    table.at(-rooms.CLAIM_MS, BOB, orders.Disconnected())
    return table


def flag_falls() -> Table:
    """It is ann's turn, and her time is over by the time that anything comes."""
    table = started(options=BLITZ)
    match = table.match
    table.room = replace(
        table.room, match=replace(match, clock=match.clock._replace(since=-10 * MINUTE))
    )
    return table


def rematch() -> Table:
    table = finished()
    table.at(0, BOB, ready())
    return table


def doubled() -> Table:
    table = started("backgammon_cube", Options(points=5))
    while table.match.position.to_move < 0 or "double" not in table.match.position.legal_notation():
        table.plays(table.match.position.legal_notation()[0])
    table.plays("double")
    return table


def between_games() -> Table:
    table = started("backgammon_cube", Options(points=5))
    loser = table.mover()
    table.at(0, loser, messages.Resign(match=MATCH, points=1))
    if table.room.state == "playing":
        other = BOB if loser is ANN else ANN
        table.at(0, other, answer("resign", True))
    return table


def leg() -> Table:
    return on_a_ladder(opening=("1", "2"))


def over() -> Table:
    table = leg()
    table.plays("3", "4", "5", "6", "7")
    return table


def closed() -> Table:
    table = Table()
    table.at(0, ANN, messages.Leave(room=ROOM))
    return table


STATES: dict[str, Callable[[], Table]] = {
    "alone": alone, "seated": seated, "private": lambda: seated(options=PRIVATE),
    "one ready": one_ready, "called": called, "playing": started, "both moved": both_moved,
    "draw offered": offered("draw"), "takeback asked": offered("takeback"), "absent": absent,
    "flag falls": flag_falls, "after": finished, "rematch": rematch, "doubled": doubled,
    "between games": between_games, "leg": leg, "over": over, "closed": closed,
}  # fmt: skip


def deeds(table: Table) -> Iterator[Sent]:
    """Yield what may be sent to a room that is seen so, by each who may mean it."""
    match = table.room.match
    name = match.name if match is not None else MATCH
    for who in PEOPLE:
        yield Sent(who, messages.Join(room=ROOM, code=CODE))
        yield Sent(who, messages.Watch(room=ROOM, code=CODE))
        yield Sent(who, messages.Seek(game=table.room.game))
        yield Sent(who, messages.Leave(room=ROOM))
        yield Sent(who, ready())
        yield Sent(who, messages.Say(room=ROOM, text="hi"))
        yield Sent(who, messages.Resign(match=name))
    for who in PEOPLE[:2]:
        yield Sent(who, messages.Abort(match=name))
        yield Sent(who, messages.Claim(match=name))
        yield Sent(who, Hint(match=name))
        yield Sent(who, offer("draw", name))
        yield Sent(who, offer("takeback", name))
        for kind in ("draw", "takeback"):
            yield Sent(who, answer(kind, True, name))
        yield Sent(who, answer("draw", False, name))
    for seat in (0, 1):
        yield Sent(ANN, messages.Kick(room=ROOM, seat=seat))  # type: ignore[arg-type]
    yield Sent(ANN, messages.RoomRename(room=ROOM, name="Den"))
    yield Sent(ANN, messages.Invite(room=ROOM, who="mcts"))
    yield Sent(BOT, messages.Join(room=ROOM, code=CODE))
    yield Sent(BOT, ready())
    if match is not None:
        actions = match.position.legal_notation() if match.result is None else ("9",)
        for who in PEOPLE[:2]:
            yield Sent(who, messages.Play(match=name, turn=match.turn, action=actions[-1]))


class Scene(NamedTuple):
    """A room, and as what its log would bring it back."""

    room: Room
    stored: Room


refusals: set[str] = set()  # the codes of all that was refused


def step(scene: Scene, sent: Sent, number: int, now: int = 0) -> Scene:
    """Let one message happen, and look at what came of it."""
    before = scene.room
    asker = NOBODY if sent.who is None else Asker(sent.who, follows=True)
    if isinstance(sent.message, orders.Restarted):
        before = scene.stored
    try:
        after, events, effects = life.handle(before, sent.message, asker, now, fresh(number))
    except Refusal as no:
        refusals.add(no.code)
        return scene
    stored = scene.stored
    for event in events:
        stored = rooms.fold(stored, event)
    if isinstance(sent.message, orders.Restarted):  # when it was last touched counts anew
        stored = replace(stored, touched=after.touched)
    check(before, after, sent, events, effects)
    assert plain(stored) == plain(after)
    return Scene(after, stored)


def check(
    before: Room, after: Room, sent: Sent, events: list[Event], effects: list[Effect]
) -> None:
    """What holds of each step, whatever crossed it."""
    check_sense(after)
    assert after.seq == before.seq + len(events)
    check_seats(before, after, sent)
    # Both players, and who looks on, are shown the same, and nothing happens unseen.
    nobody_looks = isinstance(sent.message, orders.Restarted)
    if shown(before) != shown(after) and not nobody_looks:
        assert SHOW_ROOM in effects or after.match is not before.match
    if turn(before) != turn(after):
        assert SHOW_MATCH in effects
    assert sum(isinstance(event, Ended) for event in events) <= 1
    assert sum(isinstance(event, Started) for event in events) <= 1
    if any(isinstance(effect, SendInvitation) for effect in effects):
        assert None in after.seats  # nobody is called to a room where there is no place
        assert after.state == "waiting"
    emptied = after.seats == (None, None) != before.seats
    if emptied and after.state != "closed" and after.leg is None:  # a ladder closes its own
        assert isinstance(sent.message, messages.Kick)  # by its owner, who is still there
    for effect in effects:
        if isinstance(effect, Reply) and isinstance(effect.message, messages.Error):
            assert effect.message.code in set(Code)


def check_seats(before: Room, after: Room, sent: Sent) -> None:
    """Nobody has two seats; nobody gets or loses one but by what they, or the owner, asked for."""
    was = [who for who in before.seats if who is not None]
    now = [who for who in after.seats if who is not None]
    away = [who for who, since in zip(before.seats, before.away, strict=True) if since is not None]
    assert len({(who.session, who.program) for who in now}) == len(now)
    for who in was:
        if not any(who.same(other) for other in now):
            left = isinstance(sent.message, messages.Leave) and who.same(sent.who or ANN)
            kicked = isinstance(sent.message, messages.Kick) and sent.who == before.owner
            for_long = isinstance(sent.message, orders.Alarm) and who in away
            assert left or kicked or for_long, f"{who.name} has lost a seat"
    for who in now:
        if not any(who.same(other) for other in was):
            assert isinstance(sent.message, messages.Join | messages.Seek)
            assert who.same(sent.who or NOBODY.who)


def shown(room: Room) -> tuple[Any, ...]:
    return room.state, room.seats, room.ready, room.away


def turn(room: Room) -> tuple[Any, ...]:
    match = room.match
    return (None,) if match is None else (match.name, match.turn, match.result, match.offers)


@cache
def scene_of(name: str) -> tuple[Scene, tuple[Sent, ...]]:
    table = STATES[name]()
    return Scene(table.room, table.stored), tuple(deeds(table))


def requests_of_rooms() -> set[type]:
    return {kind for kinds in life.LIFE.values() for kind in kinds if issubclass(kind, Request)}


def test_each_request_of_the_protocol_is_among_those_that_cross_or_comes_to_no_room() -> None:
    asked = {type(sent.message) for name in STATES for sent in scene_of(name)[1]}
    assert asked == requests_of_rooms(), "`deeds` sends each in some state"
    assert asked | ELSEWHERE == {*messages.REQUESTS, *HINT_REQUESTS}
    assert asked.isdisjoint(ELSEWHERE)


def test_each_deed_is_granted_somewhere() -> None:
    granted = set()
    for name in STATES:
        scene, sent = scene_of(name)
        granted |= {type(one.message) for one in sent if step(scene, one, 1) is not scene}
    assert granted == requests_of_rooms()


@pytest.mark.parametrize("name", STATES)
def test_two_requests_may_cross(name: str) -> None:
    scene, sent = scene_of(name)
    for first in sent:
        between = step(scene, first, 1)
        for second in sent:
            step(between, second, 2)
    assert refusals <= set(Code)


@pytest.mark.parametrize("again", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", STATES)
def test_a_reload_a_lost_line_a_second_tab_and_a_restart_come_at_any_moment(
    name: str, again: bool
) -> None:
    """One comes in its midst, and it comes after one; `again`: before that, it comes before one."""
    scene, sent = scene_of(name)
    for one in sent:
        for moment in moments(one.who):
            at = scene
            course = (moment[0], one, *moment[1:], *moment)
            for number, each in enumerate((*moment, one, *course) if again else course, 1):
                at = step(at, each, number, now=number)


def moments(who: Who | None) -> Iterator[tuple[Sent, ...]]:
    """Yield what happens to the line of who asks, or of the other one, and to the server."""
    for whose in dict.fromkeys((who or ANN, ANN, BOB)):
        join = Sent(whose, messages.Join(room=ROOM, code=CODE))
        yield (
            Sent(whose, orders.Disconnected()),
            Sent(whose, orders.Reconnected()),
            join,
        )  # a reload
        yield (Sent(whose, orders.Reconnected()), join)  # a second tab
        yield (Sent(whose, orders.Disconnected()),)  # a line that stays away
    yield (Sent(None, orders.Emptied()), Sent(None, orders.Occupied()))
    yield (Sent(None, orders.Restarted()), Sent(who or ANN, orders.Reconnected()))
    yield (Sent(None, orders.Stalled()), Sent(None, orders.Unstalled()))


@pytest.mark.slow
@pytest.mark.parametrize("name", STATES)
def test_two_requests_cross_while_a_line_is_lost(name: str) -> None:
    scene, sent = scene_of(name)
    for first in sent:
        for second in sent:
            for moment in islice(moments(first.who), 3):  # of the line of the first
                for crossing in ((moment[0], first, second), (first, *moment, second)):
                    at = scene
                    for number, each in enumerate(crossing, 1):
                        at = step(at, each, number, now=number)


@pytest.mark.parametrize("name", STATES)
def test_a_room_that_everybody_has_gone_from_ends_by_itself(name: str) -> None:
    """No seat is kept for nobody: after any two requests and a lost line, the room has an end."""
    scene, sent = scene_of(name)
    for first in sent:
        at = step(scene, first, 1)
        for who in (*PEOPLE, BOT):
            at = step(at, Sent(who, orders.Disconnected()), 2, now=1)
        at = step(at, Sent(None, orders.Emptied()), 3, now=1)
        for number in range(4, 12):
            wakes = playing.wake_at(at.room)
            if wakes is None:
                break
            at = step(at, Sent(None, orders.Alarm()), number, now=wakes)
        assert at.room.state == "closed" or at.room.leg is not None, first
