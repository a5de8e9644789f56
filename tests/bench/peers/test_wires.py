"""Bytes recorded of Colyseus 0.18.17 and boardgame.io 0.50.2, read and written by the generator."""

from __future__ import annotations

import socket

import pytest

from bench.peers.boardgame_io import BoardgameIoSeat
from bench.peers.colyseus import ColyseusSeat, patched_moves, play_frame
from bench.support.wire import TEXT, Wire, WireError

FIRST = (
    "0f c0 02 81 01 00 00 00 ff 02 80 00 01 80 01 00 80 02 00 80 03 00 80 04 00 80 05 00"
    " 80 06 00 80 07 00 80 08 00"
)
TENTH = (  # it clears the cells of the game that is over
    "0f ff 02 00 00 02 00 01 00 00 02 00 00 03 00 00 04 00 00 05 00 00 06 00 00 07 00 00 08 00"
    " ff 00 81 0a 00 00 00"
)
PATCHES = {
    FIRST: 1,
    "0f ff 02 00 01 02 ff 00 81 02 00 00 00": 2,
    "0f ff 02 00 08 01 ff 00 81 09 00 00 00": 9,
    TENTH: 10,
    "0f ff 02 00 01 01 ff 00 81 0b 01 02 00": 0x2010B,
}
UPDATE = (
    b'42/tic_tac_toe,["update","b1Y3_iDr9p7",{"G":{"cells":[1,2,0,0,0,0,0,0,0]},"ctx":{"numPlayers"'
    b':2,"turn":3,"currentPlayer":"0","playOrder":["0","1"],"playOrderPos":0,"phase":null,"numMoves"'
    b':0},"plugins":{"random":{},"log":{"data":{}},"events":{"data":{}}},"_undo":[],"_redo":[],'
    b'"_stateID":2},[{"action":{"type":"MAKE_MOVE","payload":{"type":"play","args":[1],"playerID":'
    b'"1"}},"_stateID":1,"turn":2,"phase":null}]]'
)
MATCH_DATA = b'42/tic_tac_toe,["matchData","b1Y3_iDr9p7",[{"id":0,"name":"0","isConnected":true}]]'
SYNC = b'42/tic_tac_toe,["sync","b1Y3_iDr9p7",{"state":{"G":{},"_stateID":0},"log":[]}]'
MOVE = (
    b'42/tic_tac_toe,["update",{"type":"MAKE_MOVE","payload":{"type":"play","args":[4],"playerID":"1",'
    b'"credentials":"secret"}},7,"b1Y3_iDr9p7","1"]'
)


def wire_to(client: socket.socket) -> Wire:
    """A wire over a socket that is open already."""
    wire = object.__new__(Wire)
    wire.sock, wire._rest, wire._waiting, wire._kind = client, b"", [], TEXT
    return wire


def sent(server: socket.socket) -> list[bytes]:
    """The payloads of the frames that a client sent; all its masks are 0000."""
    data, payloads = server.recv(65_536), []
    while data:
        wide = data[1] & 0x7F == 126
        size = int.from_bytes(data[2:4], "big") if wide else data[1] & 0x7F
        begin = 8 if wide else 6
        payloads.append(data[begin : begin + size])
        data = data[begin + size :]
    return payloads


def served(payload: bytes) -> bytes:
    """A server's frame of text."""
    size = len(payload)
    head = bytes((TEXT, size)) if size < 126 else bytes((TEXT, 126)) + size.to_bytes(2, "big")
    return head + payload


@pytest.mark.parametrize(("patch", "moves"), PATCHES.items())
def test_a_patch_of_colyseus_says_how_many_moves_were_made(patch: str, moves: int) -> None:
    payload = bytes.fromhex(patch)
    seat = object.__new__(ColyseusSeat)
    assert seat.moves_in(payload) == patched_moves(payload) == moves


@pytest.mark.parametrize("patch", PATCHES)
def test_a_patch_that_is_cut_off_is_an_error_or_shows_no_other_number(patch: str) -> None:
    payload = bytes.fromhex(patch)
    for size in range(1, len(payload)):
        try:
            moves = patched_moves(payload[:size])
        except WireError:
            continue
        assert moves in (None, PATCHES[patch])


@pytest.mark.parametrize("payload", [b"\r\xa7refused\xa4turn", b"\x0f\x83\x01"])
def test_whatever_else_a_room_of_colyseus_sends_is_an_error(payload: bytes) -> None:
    with pytest.raises(WireError):
        object.__new__(ColyseusSeat).moves_in(payload)


def test_a_play_for_colyseus_is_a_type_and_a_number_in_msgpack() -> None:
    assert play_frame(4) == b"\x82\x87\0\0\0\0" + b"\x0d\xa4play\x04"


def test_an_update_of_boardgame_io_says_how_many_moves_were_made() -> None:
    seat = object.__new__(BoardgameIoSeat)
    assert seat.moves_in(UPDATE) == 2
    assert seat.moves_in(MATCH_DATA) is None
    assert seat.moves_in(SYNC) is None
    with pytest.raises(WireError, match="44/tic_tac_toe"):
        seat.moves_in(b'44/tic_tac_toe,{"message":"no"}')


def test_a_player_of_boardgame_io_moves_and_answers_pings() -> None:
    client, server = socket.socketpair()
    with client, server:
        seat = BoardgameIoSeat(wire_to(client), "b1Y3_iDr9p7", "1", "secret")
        seat.play(4, 7)
        assert sent(server) == [MOVE]
        assert seat.moves_in(b"2") is None
        assert sent(server) == [b"3"]


def test_a_player_of_boardgame_io_sits_once_the_match_has_come() -> None:
    client, server = socket.socketpair()
    with client, server:
        seat = BoardgameIoSeat(wire_to(client), "b1Y3_iDr9p7", "1", "secret")
        server.sendall(served(MATCH_DATA) + served(b"2") + served(SYNC) + served(MATCH_DATA))
        seat.sync()
        asked = b'42/tic_tac_toe,["sync","b1Y3_iDr9p7","1","secret",2]'
        assert sent(server) == [asked, b"3"]
        assert seat.wire.go() == [MATCH_DATA], "what came behind it is not lost"
