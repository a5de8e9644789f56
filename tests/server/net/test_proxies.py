"""Behind a proxy: whoever is trusted says who comes, and nobody else does."""

from __future__ import annotations

import json

import pytest
from websockets.datastructures import Headers

from server.net.door import Door
from server.net.proxies import BadProxy, ClientInfo, Proxies, _read_ip
from tests.server.conftest import Opener
from tests.support.live_server import LiveServer, RawClient

TRUSTED = Proxies(["127.0.0.1", "10.0.0.0/8", "fd00::/8"])


def visitor(host: str, **headers: str) -> ClientInfo:
    """Who asks, on a connection without TLS; `_` in a name stands for `-`."""
    given = {"Host": "localhost:8765"} | {k.replace("_", "-"): v for k, v in headers.items()}
    return TRUSTED.client_info(host, False, Headers(given))


@pytest.mark.parametrize(
    ("peer", "forwarded", "host"),
    [
        ("127.0.0.1", "203.0.113.9", "203.0.113.9"),
        ("127.0.0.1", "2001:db8::7", "2001:db8::7"),
        ("::ffff:127.0.0.1", "203.0.113.9", "203.0.113.9"),
        # What the client has said of itself stands on the left, and is not believed.
        ("127.0.0.1", "1.1.1.1, 203.0.113.9", "203.0.113.9"),
        ("127.0.0.1", "10.0.0.1, 203.0.113.9", "203.0.113.9"),
        # Several proxies, each of which has added whom it saw.
        ("127.0.0.1", "1.1.1.1, 203.0.113.9, 10.7.7.7, fd00::1", "203.0.113.9"),
        ("127.0.0.1", "10.7.7.7, 10.0.0.1", "10.7.7.7"),
        # Some write a port behind it.
        ("10.0.0.1", "203.0.113.9:50123", "203.0.113.9"),
        ("10.0.0.1", "[2001:db8::7]:50123", "2001:db8::7"),
        # What is no address is nobody's: it counts to the proxy that wrote it.
        ("10.0.0.1", "unknown", "10.0.0.1"),
        ("127.0.0.1", "203.0.113.9, unknown, 10.0.0.1", "10.0.0.1"),
        ("127.0.0.1", "", "127.0.0.1"),
        ("127.0.0.1", ",", "127.0.0.1"),
        # Who is no trusted proxy may say what it likes.
        ("203.0.113.1", "198.51.100.1", "203.0.113.1"),
        ("127.0.0.2", "198.51.100.1", "127.0.0.2"),
        ("", "198.51.100.1", ""),
    ],
)
def test_the_last_hop_that_is_not_trusted_is_who_comes(
    peer: str, forwarded: str, host: str
) -> None:
    assert visitor(peer, X_Forwarded_For=forwarded).host == host


def test_an_address_is_read_once_and_no_long_text_is_kept() -> None:
    headers = Headers({"Host": "10.0.0.77:8000"})
    headers["X-Forwarded-For"] = "9" * 1_000
    before = _read_ip.cache_info()
    for _ in range(3):
        Proxies(["10.9.8.7"]).client_info("10.9.8.7", False, headers)
    after = _read_ip.cache_info()
    assert after.currsize - before.currsize <= 2
    assert after.misses - before.misses <= 2


def test_several_headers_are_one_list() -> None:
    headers = Headers([("X-Forwarded-For", "1.1.1.1"), ("X-Forwarded-For", "203.0.113.9")])
    assert TRUSTED.client_info("10.0.0.1", False, headers).host == "203.0.113.9"


@pytest.mark.parametrize(
    ("scheme", "secure"),
    [
        ("https", True), ("HTTPS", True), ("http", False), ("http, https", True), ("", None),
        ("x", None),
    ],
)  # fmt: skip
def test_a_trusted_proxy_says_whether_it_was_tls(scheme: str, secure: bool | None) -> None:
    proxied = {"X_Forwarded_For": "203.0.113.9", "X_Forwarded_Proto": scheme}
    assert visitor("127.0.0.1", **proxied).secure is secure
    assert visitor("203.0.113.1", **proxied).secure is None


@pytest.mark.parametrize(
    ("peer", "headers", "local"),
    [
        ("127.0.0.1", {}, True),
        ("::1", {"Host": "[::1]:8765"}, True),
        ("::ffff:127.0.0.1", {"Host": "127.0.0.1"}, True),
        ("192.0.2.1", {}, False),
        # A proxy that nobody has told us of.
        ("127.0.0.1", {"Host": "play.example.org"}, False),
        ("127.0.0.1", {"X_Forwarded_For": "127.0.0.1"}, False),
        ("127.0.0.2", {"X_Forwarded_For": "203.0.113.9"}, False),
        ("127.0.0.2", {"Forwarded": "for=203.0.113.9"}, False),
        ("127.0.0.2", {"Via": "1.1 cache"}, False),
    ],
)
def test_only_this_machine_itself_is_local(peer: str, headers: dict[str, str], local: bool) -> None:
    assert visitor(peer, **headers).local is local


@pytest.mark.parametrize("text", ["", "proxy.example", "10.0.0.0/33", "10.0.0.1:80"])
def test_what_is_no_proxy(text: str) -> None:
    with pytest.raises(BadProxy, match="is no address of a proxy: write one such as"):
        Proxies([text])


# ------------------------------------------------------------ through a server


@pytest.fixture
async def proxied(open_server: Opener) -> LiveServer:
    """A server whose proxy is on this machine, with three connections for each address."""
    live: LiveServer = await open_server(door=Door(proxies=TRUSTED), connections_per_address=3)
    return live


async def come(server: LiveServer, forwarded: str, **headers: str) -> tuple[RawClient, str]:
    """Connect through the proxy for somebody; the status of the answer."""
    raw = await server.raw()
    raw.send(raw.handshake(X_Forwarded_For=forwarded, **headers))
    return raw, (await raw.head()).split()[1]


async def get(server: LiveServer, path: str, **headers: str) -> tuple[str, bytes]:
    raw = await server.raw()
    given = {"Host": "localhost", "Connection": "close"}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
    raw.send(f"GET {path} HTTP/1.1\r\n{lines}\r\n".encode())
    return (await raw.head()).split()[1], await raw.reader.read()


@pytest.mark.socket
async def test_each_client_of_a_proxy_has_limits_of_its_own(proxied: LiveServer) -> None:
    for n in range(100):
        assert (await come(proxied, f"203.0.{n}.7"))[1] == "101"
    for _ in range(3):
        assert (await come(proxied, "203.0.113.7"))[1] == "101"
    assert (await come(proxied, "9.9.9.9, 203.0.113.7"))[1] == "503"
    for n in range(3):  # one /64 is one address
        assert (await come(proxied, f"2001:db8::{n}"))[1] == "101"
    assert (await come(proxied, "2001:db8::4"))[1] == "503"
    assert (await come(proxied, "2001:db8:0:1::4"))[1] == "101"
    origins = {each.origin for each in proxied.gateway.sockets if each.peer is not None}
    assert {"203.0.113.7", "203.0.99.7", "2001:db8::/64"} <= origins  # what rooms and names go by
    proxies = proxied.gateway.addresses.proxies
    await proxied.until(lambda: proxies.connections == 0)


@pytest.mark.socket
async def test_who_comes_without_the_header_counts_as_itself(proxied: LiveServer) -> None:
    raws = [await proxied.enter() for _ in range(3)]
    late = await proxied.raw()
    late.send(late.handshake())
    assert "503 Service" in await late.head()
    assert (await come(proxied, "203.0.113.7"))[1] == "101"
    await raws[0].close()
    await proxied.until(lambda: proxied.gateway.addresses.find("127.0.0.1").connections == 2)


@pytest.mark.socket
async def test_nobody_else_is_believed(open_server: Opener) -> None:
    server: LiveServer = await open_server(connections_per_address=3)
    for n in range(3):
        assert (await come(server, f"203.0.113.{n}"))[1] == "101"
    assert (await come(server, "203.0.113.7"))[1] == "503"


@pytest.mark.socket
async def test_who_has_spent_all_is_refused_behind_a_proxy_too(proxied: LiveServer) -> None:
    proxied.gateway.addresses.find("203.0.113.7").charge(1e15)
    assert (await come(proxied, "203.0.113.7"))[1] == "429"
    assert (await come(proxied, "198.51.100.8"))[1] == "101"


@pytest.mark.socket
@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://house.example", "X_Forwarded_Host": "house.example"}, "101"),
        ({"Origin": "https://house.example", "Host": "house.example"}, "101"),
        ({"Origin": "https://house.example:444", "X_Forwarded_Host": "house.example"}, "403"),
        ({"Origin": "http://house.example", "X_Forwarded_Host": "house.example"}, "403"),
        ({"Origin": "https://evil.example", "X_Forwarded_Host": "evil.example"}, "421"),
        ({"Host": "evil.example", "X_Forwarded_Host": "house.example"}, "421"),
    ],
)
async def test_the_page_is_that_of_the_name_that_the_proxy_was_called_by(
    proxied: LiveServer, headers: dict[str, str], status: str
) -> None:
    behind = {"X_Forwarded_Proto": "https"} | headers
    assert (await come(proxied, "203.0.113.7", **behind))[1] == status


@pytest.mark.socket
async def test_figures_are_told_to_nobody_behind_a_proxy(proxied: LiveServer) -> None:
    stranger = {"X_Forwarded_For": "203.0.113.7"}
    assert json.loads((await get(proxied, "/healthz", **stranger))[1]) == {"ok": True}
    assert (await get(proxied, "/metrics", **stranger))[0] == "403"
    assert (await get(proxied, "/metrics"))[0] == "200"  # from this machine, past the proxy
    assert "server" in json.loads((await get(proxied, "/healthz"))[1])
