"""A plain play, the request that a server gets most: judged and folded by a short way.

An action in its one canonical notation, in time, after which somebody has to decide: nothing else
follows from it.  `judge` leaves all others to the table in life.py, and `fold` comes to the same
room as that table, after one step in place of five: tests/server/core/test_plain_play.py drives
both with the same matches.
"""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from games.game import BrokenRules, Position
from protocol.messages import Play
from server.core import match as matches
from server.core.events import Played
from server.core.past import plies
from server.core.past.plies import PastPly, ShownPly
from server.core.room import Asker, Room


class PlainPlay(NamedTuple):
    """What a play makes happen: one event, and the position after it, in which a seat decides.

    `start`: what stands before it, as PastPly keeps it.
    """

    event: Played
    position: Position
    start: bytes


def judge(room: Room, request: Play, asker: Asker, now: int) -> PlainPlay | None:
    """Return what a play does; None if it is no plain one, and then nothing has happened."""
    match = room.match
    if match is None or room.state != "playing" or match.game.weight is not None:
        return None
    if request.turn != match.turn or request.match != match.name or request.note is not None:
        return None
    position, clock = match.position, match.clock
    seat = position.to_move
    if seat != clock.running or clock.since is None or room.seat_of(asker.who) != seat:
        return None
    spent = clock.used + max(0, now - clock.since)
    lag = 0
    if clock.timed:
        if spent > clock.remaining[seat]:  # perhaps the flag has fallen
            return None
        lag = asker.lag and min(spent, clock.credit(seat, asker.lag))
    try:
        after = position.after(request.action)
        if after is None or after.to_move < 0 or match.ply + 1 >= match.game.max_plies:
            return None
        if matches.is_forced_pass(after):
            return None
        start = plies.write_start(position, clock)
    except BrokenRules:  # life.py ends the match
        return None
    at = max(room.touched, now)  # see Work.record
    played = Played(at, match.ply, seat, request.action, spent, lag)
    return PlainPlay(played, after, start)


def fold(room: Room, play: PlainPlay, shown: int) -> Room:
    """Return the room after a play that is durable, with the new position shown at `shown`."""
    match, (event, position, start), seq = room.match, play, room.seq + 1
    if match is None:
        raise AssertionError("it was judged by a match, and nothing happens before it is stored")
    action = plies.write(
        ShownPly(seq, "play", event.ply, event.seat, event.action, event.spent, event.lag)
    )
    one, two = match.moved
    match = replace(
        match,
        position=position,
        ply=match.ply + 1,
        turn=seq,
        clock=match.clock.hand_over(event.spent, event.lag, position.to_move, shown),
        moved=(one + 1, two) if event.seat == 0 else (one, two + 1),
        last=PastPly(match.turn, action, start, match.last),
        newest=(*match.newest[1 - matches.SHOWN_EVENTS :], action),
        offers=(),
        declined=(),
    )
    return replace(room, match=match, seq=seq, touched=event.at)
