"""The load generator for Colyseus: the same closed loop as bench/server/load.py.

Every two players play the same drawn game of tic-tac-toe over and over, and the next move goes out
when both have been shown the last one.  They move in turns, so who begins changes with each game.
`plyhouse bench peers` starts this as a process of its own:

    python -m bench.peers.colyseus --port 2567 --matches 200 --seconds 5

Seats are reserved over HTTP; then each player opens a WebSocket.  A message's first byte says what
it is.  Rooms send their state once, then patches: a row of operations on objects by number, 0 the
state itself (field 0 its cells, field 1 how many moves were made), another one the list of cells.
An operation on the state is a byte, its kind in two bits and the field in six, then the value; one
on the list is a byte, the index and the value.  255 and a number turn to another object.
"""

from __future__ import annotations

import http.client
import json
import sys
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from bench.server.load import DRAWN
from bench.support import generator
from bench.support.generator import GAME, Generator, clock
from bench.support.wire import TIME_LIMIT, Wire, WireError, frame

JOIN, DATA, STATE, PATCH = 10, 13, 14, 15
TURN_TO: Final = 255
FIELD: Final = 0x3F  # the bits of an operation that name the field
DELETE: Final = 0x40  # an operation of this kind has no value
CELLS, MOVES = 0, 1
MOVES_COME_LAST: Final = b"\xff\x00\x81"  # turn to the state, set its field 1
PLAY: Final = bytes((DATA,)) + msgspec.msgpack.encode("play")
GAME_OF_CELLS: Final = tuple(int(cell) - 1 for cell in DRAWN)


class ColyseusSeat:
    """One of the two connections of a match, and how many moves it has been shown."""

    __slots__ = ("match", "shown", "wire")

    def __init__(self, match: ColyseusMatch, wire: Wire) -> None:
        self.match = match
        self.wire = wire
        self.shown = 0

    def show(self, payload: bytes) -> None:
        self.match.show(self, payload)


class ColyseusMatch:
    """Two seats that play one game after another."""

    def __init__(self, generator: Generator, wires: Sequence[Wire]) -> None:
        self.generator = generator
        self.seats = [ColyseusSeat(self, wire) for wire in wires]
        self.moves = 0
        self.sent = 0.0

    def play(self) -> None:
        self.sent = clock()
        cell = GAME_OF_CELLS[self.moves % len(GAME_OF_CELLS)]
        self.seats[self.moves % 2].wire.send_bytes(play_frame(cell))

    def show(self, seat: ColyseusSeat, payload: bytes) -> None:
        """A message has reached `seat`."""
        counts = self.generator.counts
        counts.bytes += len(payload) + (4 if len(payload) > 125 else 2)
        moves = moves_in(payload)
        if moves is None:
            return
        if moves != self.moves + 1:
            counts.blame(f"move {self.moves + 1} was sent, and {moves} shown")
            return
        seat.shown = moves
        if self.seats[0].shown == self.seats[1].shown:
            counts.moves += 1
            counts.times.append(clock() - self.sent)
            self.moves = moves
            self.play()


class ColyseusGenerator(Generator):
    """Players of several matches at once."""

    def __init__(self, host: str, port: int, matches: int) -> None:
        super().__init__()
        self._matches: list[ColyseusMatch] = []
        lobby = http.client.HTTPConnection(host, port, timeout=TIME_LIMIT)
        try:
            for _ in range(matches):
                match = ColyseusMatch(self, sit_down(lobby))
                self._matches.append(match)
                self.members += match.seats
        except BaseException:
            self.close()
            raise
        finally:
            lobby.close()

    def start(self) -> None:
        super().start()
        for match in self._matches:
            match.play()


def sit_down(lobby: http.client.HTTPConnection) -> list[Wire]:
    """Open a room with two players.

    Raises:
        WireError, OSError: the server refuses.
    """
    first = _post(lobby, f"/matchmake/create/{GAME}")
    room, wires = first["roomId"], []
    for reservation in (first, _post(lobby, f"/matchmake/joinById/{room}")):
        path = f"/{reservation['processId']}/{room}?sessionId={reservation['sessionId']}"
        wire = Wire(lobby.host, lobby.port, path=path)
        wires.append(wire)
        _expect(wire, JOIN)
        wire.send_bytes(frame(bytes((JOIN,))))
        _expect(wire, STATE)
    return wires


def _post(lobby: http.client.HTTPConnection, path: str) -> dict[str, Any]:
    try:
        lobby.request("POST", path, b"{}", {"Content-Type": "application/json"})
        answer = lobby.getresponse()
        text = answer.read()
    except http.client.HTTPException as error:
        raise WireError(f"{path} was answered by {error!r}") from error
    if answer.status != http.client.OK:
        raise WireError(f"{path} was answered {answer.status}: {text[:200]!r}")
    reply: dict[str, Any] = json.loads(text)
    return reply


def _expect(wire: Wire, kind: int) -> None:
    message = wire.read()
    if message[0] != kind:
        raise WireError(f"Colyseus sent {message[:100]!r} while a player sat down")


def play_frame(cell: int) -> bytes:
    return frame(PLAY + bytes((cell,)))


def moves_in(payload: bytes) -> int | None:
    """How many moves a patch shows; None if it is about something else.

    Raises:
        WireError: it is none; whatever else comes while a match is on is a refusal.
    """
    if payload[0] != PATCH:
        raise WireError(f"Colyseus sent {payload[:100]!r}")
    if payload[-7:-4] == MOVES_COME_LAST:  # nearly always
        return int.from_bytes(payload[-4:], "little")
    return patched_moves(payload)


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


def main(argv: Sequence[str] | None = None) -> int:
    return generator.main(argv, __doc__, "matches", 200, ColyseusGenerator)


if __name__ == "__main__":
    sys.exit(main())
