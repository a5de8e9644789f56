"""What somebody who opens the link to a private room is shown before they have a name.

It is less than `watch` shows to a client with the same code.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec
from msgspec import Struct

from protocol.errors import Refusal
from protocol.parts import Options, Player
from server.core import room as rooms
from server.core.room import RoomPhase
from server.rooms.directory import RoomDirectory

OPEN_TABLE: Final = re.compile(r"room-(\d{1,15})")


class InvitationCard(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Who plays what in a room, and by which terms.  `owner`: who opened it."""

    room: int
    game: str
    options: Options
    seats: tuple[Player | None, Player | None]
    state: RoomPhase
    owner: str


def invitation_card(directory: RoomDirectory, code: str) -> bytes | None:
    """Return as JSON what the open room with this code is, or the public one `room-17`.

    None: there is none.
    """
    number = OPEN_TABLE.fullmatch(code)
    try:
        room = directory.room(int(number[1]) if number else directory.lobby.room_by_code(code))
    except Refusal:
        return None
    if room is None or (number and not room.options.public):
        return None
    card = InvitationCard(
        room=room.number,
        game=room.game,
        options=room.options,
        seats=rooms.players(room),
        state=room.state,
        owner=room.owner.title(),
    )
    return msgspec.json.encode(card)
