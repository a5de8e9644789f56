"""Who may see what of a private room, decided here and nowhere else.

A public room is open to everybody.  A private one opens to its players, its owner, and a client
that has its code; a player who has played in it may read those matches for good, as far back as the
log looks (LOOKED_AT in store/contract.py).
"""

from __future__ import annotations

from protocol.errors import Code, Refusal
from protocol.notation import same_code
from server.core.room import Asker, Room


def opens(code: str | None, typed: str | None) -> bool:
    """Return whether a room with this code (None: it is public) opens to what a stranger typed."""
    return code is None or same_code(code, typed)


def may_enter(room: Room, asker: Asker, typed: str | None) -> bool:
    """Return whether a room is public, the asker's own, or opens to this code."""
    own = room.seat_of(asker.who) is not None or room.owner.same(asker.who)
    return own or opens(room.code, typed)


def may_look(room: Room, asker: Asker, typed: str | None) -> bool:
    """Return whether the asker may see what happens here: who follows the room has been let in."""
    return asker.follows or may_enter(room, asker, typed)


def check_code(room: Room, asker: Asker, typed: str | None) -> None:
    """Refuse a stranger who does not have a private room's code."""
    if not may_enter(room, asker, typed):
        raise wrong_code()


def wrong_code() -> Refusal:
    """Return the answer to a stranger."""
    return Refusal(Code.ROOM_WRONG_CODE, "this room is private, and that is not its code")


def reads_all(room: Room, asker: Asker, typed: str | None) -> bool:
    """Return whether somebody who is not in the room may read its whole history.

    A session's programs have one token, so all may read what one may.  A player of a private room
    who may not can read those matches later, but nothing that came after the end of the last.
    """
    members = [who.session for who in (room.owner, *room.seats) if who is not None]
    return asker.who.session in members or may_enter(room, asker, typed)
