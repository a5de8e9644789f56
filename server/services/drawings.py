"""Positions drawn as text by the rules themselves, for clients that do not know the game.

The rules may be a file of the host's own: whatever goes wrong in their drawing costs the one who
asked their answer, and no room its match.
"""

from __future__ import annotations

import logging
from typing import Final

from games.game import Position
from protocol.errors import Code, Refusal
from protocol.messages import Draw, Drawn
from server.core import access
from server.core.match import Match
from server.core.room import Asker, Room
from server.rooms.directory import RoomDirectory, match_of
from server.rooms.peers import Peer

log = logging.getLogger("plyhouse")
MAX_ROWS: Final = 64  # of a drawing, and ...
MAX_COLUMNS: Final = 256  # ... characters of each: more than a window holds


class Drawings:
    """Answers `draw`."""

    def __init__(self, rooms: RoomDirectory) -> None:
        self.rooms = rooms

    def answer(self, peer: Peer, request: Draw, now: int) -> None:
        """Draw the position of a match as the asker sees it: from their seat, else from seat 0.

        Raises:
            Refusal: lobby/no-room, room/closed, room/no-match, room/wrong-code, match/over or
                match/no-drawing.
        """
        number = match_of(request.match).room
        room = self.rooms.find(number).room
        asker = peer.asker(number)
        match = _match(room, asker, request.match)
        own = (seat for seat, who in enumerate(match.players) if who.same(asker.who))
        lines = _drawn(match.position, next(own, 0))
        peer.send(Drawn(re=request.id, match=match.name, turn=match.turn, lines=lines))


def _match(room: Room, asker: Asker, name: str) -> Match:
    """Return the match of a room that is on or was the last, for a client that may see it."""
    if not access.may_look(room, asker, None):
        raise access.wrong_code()
    if room.match is None:
        raise Refusal(Code.ROOM_NO_MATCH, "there is no match in this room yet")
    if room.match.name != name:
        raise Refusal(Code.MATCH_OVER, f"only the last match, {room.match.name}, is drawn")
    return room.match


def _drawn(position: Position, seat: int) -> tuple[str, ...]:
    game = position.game
    try:
        lines = game.draw(position, seat).split("\n")
    except Exception as error:  # the rules may be anybody's
        log.exception("the rules of %s could not draw %r", game.name, position)
        why = f"the rules of {game.name} could not draw this position"
        raise Refusal(Code.MATCH_NO_DRAWING, why) from error
    if len(lines) > MAX_ROWS or max(map(len, lines)) > MAX_COLUMNS:
        raise Refusal(Code.MATCH_NO_DRAWING, f"the rules of {game.name} draw too large a board")
    return tuple(lines)
