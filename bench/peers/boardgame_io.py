"""boardgame.io's wire: Socket.IO's packets in Engine.IO's (version 4), over a WebSocket.

An Engine.IO packet is a text that begins with its type: 0 opens, 2 and 3 are ping and pong, 4 holds
a packet of Socket.IO.  That begins with its own type, 0 connects to a namespace (here the game) and
2 is an event: `42/tic_tac_toe,["update",...]`.  Matches are opened over HTTP.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from bench.peers.seat import PeerLobby, PeerSeat
from bench.support.generator import GAME
from bench.support.wire import TEXT, Wire, WireError, frame

PATH: Final = "/socket.io/?EIO=4&transport=websocket"
OPEN, PING, PONG = b"0", b"2", b"3"
CONNECTED: Final = f"40/{GAME},".encode()
EVENT: Final = f"42/{GAME},".encode()
UPDATE: Final = EVENT + b'["update",'
SYNC: Final = EVENT + b'["sync",'
SMALL_TALK: Final = (EVENT + b'["matchData",', SYNC)


class BoardState(msgspec.Struct):
    """What is read of a state: its number, which is that of the moves made."""

    state_id: int = msgspec.field(name="_stateID")


_update = msgspec.json.Decoder(tuple[str, str, BoardState, msgspec.Raw]).decode
_encode = msgspec.json.Encoder().encode


class BoardgameIoSeat(PeerSeat):
    """A player in a match of boardgame.io."""

    __slots__ = ("_credentials", "_match", "_player")

    def __init__(self, wire: Wire, match: str, player: str, credentials: str) -> None:
        super().__init__(wire)
        self._match = match
        self._player = player
        self._credentials = credentials

    def play(self, cell: int, moves: int) -> None:
        """Send the move `play`."""
        payload = {
            "type": "play", "args": [cell],
            "playerID": self._player, "credentials": self._credentials,
        }  # fmt: skip
        action = {"type": "MAKE_MOVE", "payload": payload}
        self.wire.send_bytes(event("update", action, moves, self._match, self._player))

    def sync(self) -> None:
        """Ask for the match, which makes the server send whatever happens in it."""
        self.wire.send_bytes(event("sync", self._match, self._player, self._credentials, 2))
        _expect(self.wire, SYNC)

    def moves_in(self, payload: bytes) -> int | None:
        """Read an update."""
        if payload.startswith(UPDATE):
            return _update(payload[len(EVENT) :])[2].state_id
        if payload == PING:
            self.wire.send_bytes(frame(PONG, TEXT))
        elif not payload.startswith(SMALL_TALK):
            raise WireError(f"boardgame.io sent {payload[:100]!r}")
        return None


def event(*words: Any) -> bytes:
    return frame(EVENT + _encode(words), TEXT)


def sit_down(lobby: PeerLobby) -> tuple[BoardgameIoSeat, BoardgameIoSeat]:
    """Open a match with two players.

    Raises:
        WireError, OSError: the server refuses.
    """
    match = lobby.post(f"/games/{GAME}/create", {"numPlayers": 2})["matchID"]
    first, second = (_join(lobby, match, player) for player in ("0", "1"))
    first.sync()
    second.sync()
    return first, second


def _join(lobby: PeerLobby, match: str, player: str) -> BoardgameIoSeat:
    place: dict[str, object] = {"playerID": player, "playerName": player}
    reply = lobby.post(f"/games/{GAME}/{match}/join", place)
    wire = Wire(lobby.host, lobby.port, text=True, path=PATH)
    _expect(wire, OPEN)
    wire.send_bytes(frame(CONNECTED, TEXT))
    _expect(wire, CONNECTED)
    return BoardgameIoSeat(wire, match, player, reply["playerCredentials"])


def _expect(wire: Wire, beginning: bytes) -> None:
    """Read on until a message begins so; pings may come before it, and who else is connected."""
    while not (message := wire.read()).startswith(beginning):
        if message == PING:
            wire.send_bytes(frame(PONG, TEXT))
        elif not message.startswith(SMALL_TALK):
            raise WireError(f"boardgame.io sent {message[:100]!r} while a player sat down")
