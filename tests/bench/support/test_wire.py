"""Frames cut by hand come out as they went in, however the bytes arrive."""

from __future__ import annotations

import socket
import threading

import pytest

from bench.support.wire import BINARY, PING, PONG, Wire, WireError, frame


def wire() -> Wire:
    """A wire without a socket: only what takes frames apart."""
    unconnected = object.__new__(Wire)
    unconnected._rest, unconnected._waiting = b"", []
    return unconnected


def server_frame(payload: bytes, first: int = BINARY) -> bytes:
    size = len(payload)
    if size < 126:
        return bytes((first, size)) + payload
    if size < 65_536:
        return bytes((first, 126)) + size.to_bytes(2, "big") + payload
    return bytes((first, 127)) + size.to_bytes(8, "big") + payload


@pytest.mark.parametrize("step", [1, 2, 3, 7, 126, 10_000])
def test_frames_of_every_size_survive_every_cut(step: int) -> None:
    sizes = [0, 1, 125, 126, 127, 65_535, 65_536, 70_000]
    payloads = [bytes(i % 251 for i in range(size)) for size in (sizes if step > 7 else sizes[:5])]
    stream = b"".join(server_frame(payload) for payload in payloads)
    taken, rest, got = wire(), b"", []
    for at in range(0, len(stream), step):
        messages, rest = taken._split(rest + stream[at : at + step])
        got += messages
    assert (got, rest) == (payloads, b"")


def test_a_ping_is_answered_with_what_it_holds() -> None:
    client, server = socket.socketpair()
    with client, server:
        pinged = wire()
        pinged.sock = client
        assert pinged._split(server_frame(b"hi", PING)) == ([], b"")
        assert server.recv(100) == frame(b"hi", PONG)


def test_a_message_right_behind_the_handshake_is_read() -> None:
    def answer() -> None:
        client, _ = listener.accept()
        with client:
            assert client.recv(1_000).startswith(b"GET /here?x=1 HTTP/1.1\r\n")
            client.sendall(b"HTTP/1.1 101 Yes\r\n\r\n" + server_frame(b"first") + b"\x82")
            client.sendall(server_frame(b"second")[1:])

    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = threading.Thread(target=answer)
        server.start()
        opened = Wire(*listener.getsockname(), path="/here?x=1")
        assert [opened.read(), opened.read()] == [b"first", b"second"]
        opened.close()
        server.join()


def test_a_close_frame_says_why() -> None:
    with pytest.raises(WireError, match="1012 restart"):
        wire()._split(server_frame((1012).to_bytes(2, "big") + b"restart", 0x88))


def test_a_fragment_is_not_expected() -> None:
    with pytest.raises(WireError, match="0x02"):
        wire()._split(server_frame(b"x", 0x02))


@pytest.mark.parametrize("size", [0, 125, 126, 65_535, 65_536])
def test_a_clients_frame_is_masked_with_zeros(size: int) -> None:
    data = frame(b"x" * size)
    assert data[0] == BINARY
    assert data[1] & 0x80
    assert data.endswith(b"\0\0\0\0" + b"x" * size)
