"""Bytes recorded of Colyseus 0.18.17, read and written by the generator."""

from __future__ import annotations

import pytest

from bench.peers.colyseus import moves_in, patched_moves, play_frame
from bench.support.wire import WireError

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


@pytest.mark.parametrize(("patch", "moves"), PATCHES.items())
def test_a_patch_of_colyseus_says_how_many_moves_were_made(patch: str, moves: int) -> None:
    payload = bytes.fromhex(patch)
    assert moves_in(payload) == patched_moves(payload) == moves


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
        moves_in(payload)


def test_a_play_for_colyseus_is_a_type_and_a_number_in_msgpack() -> None:
    assert play_frame(4) == b"\x82\x87\0\0\0\0" + b"\x0d\xa4play\x04"
