"""A plain play, the request that a server gets most: judged and folded by a short way.

An action in its one canonical notation, in time, after which somebody has to decide, or the match
is over by the rules of a game without dice: nothing else follows from it.  `judge` leaves all
others to the table in life.py, and `fold` and `end` come to the same room as that table, in fewer
steps: tests/server/core/plays/test_plain_play.py drives both with the same matches.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from games.game import END, BrokenRules, Position
from protocol.history import MAX_EVENTS
from protocol.messages import Play
from server.core import match as matches
from server.core import room as rooms
from server.core.effects import SHOW_MATCH, SHOW_ROOM
from server.core.events import Ended, Played
from server.core.life import Handled
from server.core.past import plies
from server.core.past.plies import PastPly, ShownPly
from server.core.room import Asker, Room


class PlainPlay(NamedTuple):
    """What a play makes happen: an event, and the position after it, in which a seat decides.

    `start`: what stands before it, as PastPly keeps it; `ended`: the event behind it if the match
    is over, and then nobody decides.
    """

    event: Played
    position: Position
    start: bytes
    ended: Ended | None = None


def judge(room: Room, request: Play, asker: Asker, now: int) -> PlainPlay | None:
    """Return what a play does; None if it is no plain one, and then nothing has happened."""
    match = room.match
    if match is None or room.state != "playing" or match.game.weight is not None:
        return None
    if request.turn != match.turn or request.match != match.name or request.note is not None:
        return None
    position, clock = match.position, match.clock
    seat = position.to_move
    if seat != clock.running or clock.since is None:
        return None
    if room.seats[seat] is not asker.who and room.seat_of(asker.who) != seat:  # the first is usual
        return None
    spent = clock.used + max(0, now - clock.since)
    lag = 0
    if clock.timed:
        if spent > clock.remaining[seat]:  # perhaps the flag has fallen
            return None
        lag = asker.lag and min(spent, clock.credit(seat, asker.lag))
    try:
        after = position.after(request.action)
        if after is None:
            return None
        result = matches.outcome_of(after) if after.to_move == END else None
        last = match.ply + 1 >= match.game.max_plies or match.rows + 1 >= MAX_EVENTS
        if result is None and (last or after.to_move < 0 or matches.is_forced_pass(after)):
            return None
        start = plies.write_start(position, clock)
    except BrokenRules:  # life.py ends the match
        return None
    at = max(room.touched, now)  # see Work.record
    played = Played(at, match.ply, seat, request.action, spent, lag)
    return PlainPlay(played, after, start, Ended(at, result) if result is not None else None)


def end(room: Room, play: PlainPlay) -> Handled:
    """Return what the table would of a play that ends its match."""
    if play.ended is None:
        raise AssertionError("the match goes on")
    after = rooms.fold(fold(room, play, None), play.ended)
    return after, [play.event, play.ended], [SHOW_MATCH, SHOW_ROOM]


def fold(room: Room, play: PlainPlay, shown: int | None) -> Room:
    """Return the room after a play, with the new position shown at `shown`, if it was."""
    match, seq = room.match, room.seq + 1
    event, position, start, _ = play
    if match is None:
        raise AssertionError("it was judged by a match, and nothing happens before it is stored")
    action = plies.write(
        ShownPly(seq, "play", event.ply, event.seat, event.action, event.spent, event.lag)
    )
    one, two = match.moved
    seat = position.to_move if position.to_move != END else None
    match = replace(
        match,
        position=position,
        ply=match.ply + 1,
        turn=seq,
        clock=match.clock.hand_over(event.spent, event.lag, seat, shown),
        moved=(one + 1, two) if event.seat == 0 else (one, two + 1),
        last=PastPly(match.turn, action, start, match.last),
        newest=(*match.newest[1 - matches.SHOWN_EVENTS :], action),
        offers=(),
        declined=(),
        decided=True,
        rows=match.rows + 1,
    )
    return replace(room, match=match, seq=seq, touched=event.at)
