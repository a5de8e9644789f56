"""Colyseus' wire, as far as bench/peers/colyseus.js needs it.

Seats are reserved over HTTP; then each player opens a WebSocket.  A message's first byte says what
it is.  Rooms send their state once, then patches: a row of operations on objects by number, 0 the
state itself (field 0 its cells, field 1 how many moves were made), another one the list of cells.
An operation on the state is a byte, its kind in two bits and the field in six, then the value; one
on the list is a byte, the index and the value.  255 and a number turn to another object.
"""

from __future__ import annotations

from typing import Final

import msgspec

from bench.peers.seat import PeerLobby, PeerSeat
from bench.support.generator import GAME
from bench.support.wire import Wire, WireError, frame

JOIN, DATA, STATE, PATCH = 10, 13, 14, 15
TURN_TO: Final = 255
FIELD: Final = 0x3F  # the bits of an operation that name the field
DELETE: Final = 0x40  # an operation of this kind has no value
CELLS, MOVES = 0, 1
MOVES_COME_LAST: Final = b"\xff\x00\x81"  # turn to the state, set its field 1

_PLAY: Final = bytes((DATA,)) + msgspec.msgpack.encode("play")


class ColyseusSeat(PeerSeat):
    """A player in a room of Colyseus."""

    __slots__ = ()

    def play(self, cell: int, moves: int) -> None:
        """Send `play` with the cell; the room knows how many moves there were."""
        self.wire.send_bytes(play_frame(cell))

    def moves_in(self, payload: bytes) -> int | None:
        """Read a patch; whatever else comes while a match is on is a refusal."""
        if payload[0] != PATCH:
            raise WireError(f"Colyseus sent {payload[:100]!r}")
        if payload[-7:-4] == MOVES_COME_LAST:  # nearly always
            return int.from_bytes(payload[-4:], "little")
        return patched_moves(payload)


def play_frame(cell: int) -> bytes:
    return frame(_PLAY + bytes((cell,)))


def patched_moves(payload: bytes) -> int | None:
    """How many moves were made by a patch; None if it leaves that as it was.

    Raises:
        WireError: it is no patch of our room.
    """
    moves, on_state, at = None, True, 1
    try:
        while at < len(payload):
            operation, at = payload[at], at + 1
            if operation == TURN_TO:
                on_state, at = payload[at] == 0, at + 1
            elif not on_state:
                at += 2 if operation != DELETE else 1  # the index and a small number
            elif operation & FIELD == MOVES:
                moves, at = int.from_bytes(payload[at : at + 4], "little"), at + 4
            elif operation & FIELD == CELLS:
                at += 1  # the number of the list
            else:
                raise WireError(f"a field of a patch that is none of ours: {payload.hex()}")
    except IndexError:
        at = -1
    if at != len(payload):
        raise WireError(f"a patch that is cut off: {payload.hex()}")
    return moves


def sit_down(lobby: PeerLobby) -> tuple[ColyseusSeat, ColyseusSeat]:
    """Open a room with two players.

    Raises:
        WireError, OSError: the server refuses.
    """
    first = lobby.post(f"/matchmake/create/{GAME}", {})
    room = first["roomId"]
    second = lobby.post(f"/matchmake/joinById/{room}", {})
    wires = []
    for reservation in (first, second):
        path = f"/{reservation['processId']}/{room}?sessionId={reservation['sessionId']}"
        wire = Wire(lobby.host, lobby.port, path=path)
        wires.append(wire)
        _expect(wire, JOIN)
        wire.send_bytes(frame(bytes((JOIN,))))
        _expect(wire, STATE)
    return ColyseusSeat(wires[0]), ColyseusSeat(wires[1])


def _expect(wire: Wire, kind: int) -> None:
    message = wire.read()
    if message[0] != kind:
        raise WireError(f"Colyseus sent {message[:100]!r} while a player sat down")
