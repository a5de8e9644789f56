"""What people type for an address."""

import asyncio

import pytest

from client.address import is_loopback, origin, origin_for_others, parse_address
from client.errors import Unreachable


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("localhost", "ws://localhost:8765/ws"),
        (" 192.168.0.7 ", "ws://192.168.0.7:8765/ws"),
        ("häuschen.local:80", "ws://häuschen.local:80/ws"),
        ("host:", "ws://host:8765/ws"),
        ("host/ws?room=1", "ws://host:8765/ws"),
        ("::1", "ws://[::1]:8765/ws"),
        ("[::1]", "ws://[::1]:8765/ws"),
        ("[::1]:9", "ws://[::1]:9/ws"),
        ("ws://host:9", "ws://host:9/ws"),
        ("ws://host/ws", "ws://host/ws"),
        ("http://127.0.0.1:8765/#room-17", "ws://127.0.0.1:8765/ws"),
        ("https://play.example/house/", "wss://play.example/house/ws"),
        ("wss://ann:key@play.example", "wss://ann:key@play.example/ws"),
    ],
)
def test_address_becomes_the_url_of_the_endpoint(typed: str, url: str) -> None:
    assert parse_address(typed) == url
    assert parse_address(url) == url


@pytest.mark.parametrize(
    "typed",
    [
        *("", "http://", "ftp://host", "a b", "a..b", "x" * 64),
        *("host:0", "host:99999", "host:x", "[::1", "ws://ann@host"),
    ],
)
def test_what_is_no_address_is_told_so(typed: str) -> None:
    with pytest.raises(Unreachable, match="is no address of a server") as error:
        parse_address(typed)
    assert error.value.code == "client/bad-address"


def test_the_page_of_a_server_is_at_its_origin() -> None:
    assert origin("127.0.0.1") == "http://127.0.0.1:8765"
    assert origin("wss://play.example.org/house/ws") == "https://play.example.org/house"
    assert is_loopback("localhost:9")
    assert is_loopback("[::1]:9")
    assert not is_loopback("192.168.0.7")


@pytest.mark.socket
async def test_others_reach_a_server_by_the_address_of_its_machine_if_it_listens_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("client.address._network_address", lambda: "127.0.0.2")
    server = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.2", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        assert await origin_for_others(f"127.0.0.1:{port}") == f"http://127.0.0.2:{port}"
    assert await origin_for_others(f"127.0.0.1:{port}") == f"http://127.0.0.1:{port}"
    assert await origin_for_others("https://play.example.org") == "https://play.example.org"
