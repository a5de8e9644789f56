"""Positions read, tried and drawn as text by the rules themselves, for clients that do not know the
game: those of matches, and those of no match, as on an analysis board.

The rules may be a file of the host's own: whatever goes wrong in them costs the one who asked their
answer, and no room its match.
"""

from __future__ import annotations

import logging
from typing import Final

from games import registry
from games.game import END, BrokenRules, IllegalAction, NotationError, Position
from protocol.analysis import Tried, Try
from protocol.errors import Code, Refusal
from protocol.messages import Draw, Drawn
from protocol.reading.positions import read_position
from server.core import access
from server.core.match import Match
from server.core.room import Asker, Room
from server.rooms.directory import RoomDirectory, match_of
from server.rooms.peers import Peer

log = logging.getLogger("plyhouse")
MAX_ROWS: Final = 64  # of a drawing, and ...
MAX_COLUMNS: Final = 256  # ... characters of each: more than a window holds
OF_ACTION: Final = 20  # microseconds, by which an action that is legal is found and written
QUOTED: Final = 200  # characters of what cannot be read that are said back


class Drawings:
    """Answers `draw` and `try`."""

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

    def answer_try(self, peer: Peer, request: Try, now: int) -> None:
        """Say what is legal in a position, or after an action in it.

        Raises:
            Refusal: lobby/unknown-game, match/bad-notation, match/illegal-action, match/over or
                match/no-drawing.
        """
        position = position_of(request.game, request.position, request.action)
        outcome = position.outcome()
        first = 0.0 if outcome is None else outcome.returns[0]
        peer.charge(OF_ACTION * len(position.legal_notation()))
        peer.send(
            Tried(
                re=request.id,
                game=position.game.name,
                position=position.game.format_position(position),
                to_move=position.to_move,
                legal=position.legal_notation(),
                winner=None if not first else 0 if first > 0 else 1,
                reason="" if outcome is None else outcome.reason,
                lines=_drawn(position, max(0, position.to_move)) if request.draw else (),
            )
        )


def position_of(game: str | None, text: str | None, action: str | None = None) -> Position:
    """Return the position that a client writes, or the one after an action in it; `game`: None: the
    one that the text is of.

    Raises:
        Refusal: lobby/unknown-game, match/bad-notation, match/illegal-action, match/over or
            match/no-drawing.
    """
    if (game is None and text is None) or (game is not None and game not in registry.names()):
        named = "" if game is None else f" called {game[:QUOTED]!r}"
        raise Refusal(Code.LOBBY_UNKNOWN_GAME, f"there is no game{named} here")
    try:
        first = registry.game(game or "").initial if text is None else None
        position = first() if first is not None else read_position(text or "", game)
        legal = position.legal_notation()
        if action is None:
            return position
        if position.to_move == END:
            raise Refusal(Code.MATCH_OVER, "the game is over there")
        return position.after(action)
    except NotationError as error:
        raise Refusal(Code.MATCH_BAD_NOTATION, str(error)[:QUOTED]) from None
    except IllegalAction as error:
        raise Refusal(Code.MATCH_ILLEGAL_ACTION, str(error)[:QUOTED], legal=legal) from None
    except BrokenRules as error:
        log.exception("the rules of %s failed at %r", game or "a game", text)
        raise Refusal(Code.MATCH_NO_DRAWING, "the rules of this game failed there") from error


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
