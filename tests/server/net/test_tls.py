"""https and wss by the server itself: what is true without TLS is true with it."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import ssl
from pathlib import Path

import pytest

from client.connection import ConnectSettings, connect
from protocol import messages
from server.config import TLS_HANDSHAKE
from server.net.door import Door
from server.net.tls import BadCertificate, Certificate
from tests.server.conftest import Opener
from tests.support.certificates import HOUSE, OTHER
from tests.support.live_server import CLOSE, LiveServer, RawClient, frame, request_frame

pytestmark = pytest.mark.socket
HALF_HELLO = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
GET = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


@pytest.fixture
def certificate() -> Certificate:
    return Certificate(HOUSE.chain, HOUSE.key)


@pytest.fixture
async def server(open_server: Opener, certificate: Certificate) -> LiveServer:
    """One that speaks TLS, and looks at its connections more often."""
    live: LiveServer = await open_server(door=Door(certificate=certificate), sweep_ms=20)
    return live


async def over_tls(server: LiveServer) -> RawClient:
    return await server.raw(tls=HOUSE.trusted())


async def test_a_client_plays_over_tls(server: LiveServer) -> None:
    assert server.url.startswith("https://127.0.0.1:")
    settings = ConnectSettings(authorities=str(HOUSE.chain))
    async with connect(server.url, name="ann", settings=settings) as ann:
        room = await ann.create("tic_tac_toe")
        assert room.seats[0] is not None


async def test_a_page_over_tls(server: LiveServer) -> None:
    raw = await over_tls(server)
    raw.send(GET)
    head = await raw.head()
    assert head.startswith("HTTP/1.1 200 OK")
    assert "\r\nStrict-Transport-Security: max-age=2592000\r\n" in head
    assert b'"ok": true' in await raw.reader.read()  # to TLS's own end, else this would raise


async def test_frames_in_every_cut_come_through(server: LiveServer) -> None:
    raw = await over_tls(server)
    await raw.hello("ann")
    raw.send(b"".join(request_frame(messages.Lobby(id=n)) for n in range(40)))  # in one record
    for n in range(40):
        assert (await raw.hear(messages.LobbyList)).re == n
    for byte in request_frame(messages.Lobby(id=99)):  # in a record each
        raw.send(bytes((byte,)))
        await asyncio.sleep(0)
    assert (await raw.hear(messages.LobbyList)).re == 99


async def test_the_last_words_arrive_whatever_is_still_sent(server: LiveServer) -> None:
    raw = await over_tls(server)
    await raw.hello("ann")
    raw.send(frame(b"x" * 3_000_000))
    assert await raw.ended() == ["protocol/too-large", 1009]


async def test_a_server_that_stops_says_so_over_tls(server: LiveServer) -> None:
    raw = await over_tls(server)
    await raw.hello("ann")
    server.hub.close()
    assert (await raw.hear(messages.Bye)).code == "server/closing"
    raw.send(frame(b"\x03\xf4", CLOSE))
    assert [each.opcode for each in await raw.rest()] == [CLOSE]
    await server.until(lambda: not server.gateway.sockets)


async def test_who_does_not_read_over_tls_is_held_and_then_dropped(
    open_server: Opener, certificate: Certificate
) -> None:
    server: LiveServer = await open_server(
        door=Door(certificate=certificate), sweep_ms=20, stuck_ms=60
    )
    ann, eve = await over_tls(server), await over_tls(server)
    await ann.hello("ann")
    await eve.hello("eve")
    room = (await ann.ask(messages.Create(id=1, game="tic_tac_toe"), messages.RoomState)).room
    await eve.ask(messages.Watch(id=1, room=room), messages.RoomState)
    held = server.connection("eve")
    held.pause_writing()  # as asyncio calls it once the peer's buffers are full
    await ann.ask(messages.Say(id=2, room=room, text="hello"), messages.Ok)
    assert held.held
    assert held.holds == held.held.size > 0
    await server.until(lambda: len(server.gateway.sockets) == 1)


@pytest.mark.parametrize("sent", [b"", HALF_HELLO])
async def test_a_handshake_that_never_ends_is_counted_and_dropped(
    open_server: Opener, certificate: Certificate, sent: bytes
) -> None:
    server: LiveServer = await open_server(
        door=Door(certificate=certificate), sweep_ms=20, hello_ms=60
    )
    raw = await server.raw()
    raw.send(sent)
    await server.until(lambda: len(server.gateway.sockets) == 1)
    assert await raw.reader.read() == b""
    assert not server.gateway.sockets


@pytest.mark.parametrize("sent", [b"", HALF_HELLO])
async def test_who_closes_its_half_in_the_handshake_is_gone(
    server: LiveServer, sent: bytes
) -> None:
    raw = await server.raw()
    raw.send(sent)
    raw.writer.write_eof()
    assert await raw.rest() == []
    await server.until(lambda: not server.gateway.sockets)


async def test_who_asks_over_tls_and_leaves_is_let_go(server: LiveServer) -> None:
    raw = await over_tls(server)
    raw.send(GET)
    raw.writer.close()  # TLS's end, behind the request
    await server.until(lambda: not server.gateway.sockets)


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (GET, b"HTTP/1.1 400 Bad Request\r\n"),
        (b"hello there\r\n" * 20, b""),
        (b"\x16\x03\x01\x00\x05hello", b"\x15\x03"),  # an alert
    ],
)
async def test_what_is_no_handshake_is_told_so(
    server: LiveServer, sent: bytes, answer: bytes
) -> None:
    raw = await server.raw()
    raw.send(sent)
    heard = await raw.reader.read()
    assert heard.startswith(answer)
    assert (b"https://" in heard) == sent.startswith(b"GET")
    await server.until(lambda: not server.gateway.sockets)


async def test_bytes_that_are_no_record_end_the_connection(server: LiveServer) -> None:
    raw = await over_tls(server)
    await raw.hello("ann")
    below = raw.writer.get_extra_info("socket").fileno()
    os.write(below, b"\x17\x03\x03\x00\x20" + bytes(32))
    await server.until(lambda: not server.gateway.sockets)


async def test_a_handshake_costs_its_address_something(
    open_server: Opener, certificate: Certificate
) -> None:
    server: LiveServer = await open_server(
        door=Door(certificate=certificate), address_micros=1_000, saved_ms=3_000
    )
    await over_tls(server)
    costs = server.gateway.addresses.find("127.0.0.1").allowances.costs[0]
    assert costs.burst - costs.level > TLS_HANDSHAKE


async def test_a_handshake_in_crumbs_is_paid_until_there_is_nothing_left(
    open_server: Opener, certificate: Certificate
) -> None:
    server: LiveServer = await open_server(
        door=Door(certificate=certificate), address_micros=200, saved_ms=1_500
    )
    raw = await server.raw()
    for byte in HALF_HELLO:
        if not raw.writer.is_closing():
            raw.send(bytes((byte,)))
            await asyncio.sleep(0.002)
    assert await raw.rest() == []
    assert not server.gateway.sockets


@pytest.mark.parametrize(("scheme", "status"), [("https", "101"), ("http", "403")])
async def test_a_page_that_came_without_tls_may_not_connect(
    server: LiveServer, scheme: str, status: str
) -> None:
    raw = await over_tls(server)
    raw.send(raw.handshake(Origin=f"{scheme}://127.0.0.1:{server.port}"))
    assert (await raw.head()).startswith(f"HTTP/1.1 {status} ")


async def test_programs_of_its_own_have_a_door_without_tls(
    open_server: Opener, certificate: Certificate
) -> None:
    server: LiveServer = await open_server(door=Door(certificate=certificate, inner=True))
    assert server.inner_url.startswith("http://127.0.0.1:")
    async with connect(server.inner_url, name="bob") as bob:
        assert bob.name == "bob"


async def test_a_renewed_certificate_is_shown_to_whoever_comes_next(
    open_server: Opener, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    chain, key = tmp_path / "chain.pem", tmp_path / "key.pem"
    shutil.copy(HOUSE.chain, chain)
    shutil.copy(HOUSE.key, key)
    certificate = Certificate(chain, key)
    server: LiveServer = await open_server(door=Door(certificate=certificate))
    ann = await over_tls(server)
    await ann.hello("ann")
    shutil.copy(OTHER.chain, chain)
    certificate.renew()
    assert "the certificate stays as it was: the key in" in caplog.text
    await over_tls(server)
    shutil.copy(OTHER.key, key)
    certificate.renew()
    assert caplog.records[-1].levelno == logging.WARNING
    with pytest.raises(ssl.SSLCertVerificationError):
        await over_tls(server)
    await (await server.raw(tls=OTHER.trusted())).hello("bob")
    await ann.ask(messages.Lobby(id=1), messages.LobbyList)  # who was there stays


@pytest.mark.parametrize(
    ("chain", "key", "said"),
    [
        ("nothing.pem", "key.pem", "cannot read .*nothing.pem: No such file"),
        ("chain.pem", "nothing.pem", "cannot read .*nothing.pem: No such file"),
        (".", "key.pem", "cannot read .*: Is a directory"),
        ("empty.pem", "key.pem", "empty.pem is no PEM file"),
        ("chain.pem", "other.pem", "is not that of the certificate in"),
        ("key.pem", "chain.pem", "cannot use .*key.pem with the key .*chain.pem"),
        ("chain.pem", "locked.pem", "locked.pem has a password; store it without one"),
    ],
)
def test_files_that_make_no_certificate(tmp_path: Path, chain: str, key: str, said: str) -> None:
    shutil.copy(HOUSE.chain, tmp_path / "chain.pem")
    shutil.copy(HOUSE.key, tmp_path / "key.pem")
    shutil.copy(OTHER.key, tmp_path / "other.pem")
    (tmp_path / "empty.pem").touch()
    (tmp_path / "locked.pem").write_text(LOCKED)
    with pytest.raises(BadCertificate, match=said):
        Certificate(tmp_path / chain, tmp_path / key)


LOCKED = """\
-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhpCe8Y0dbGiQICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEEPdHiVxUJwg6Fx8AuLObwQ8EgZC6
EUNirlmNg3u37XvA7cy3Svi7b/aXCTqNpM8zKHqA8XJ148gAKGelZG6IJqLeulR4
ptCMfFauWRRVmW7UMBmrgC1TAuG54TZ1ApEBW9d/SBpVP6EGMJZXxu6eINOppqNu
Rvv3TO/csFJ/v9spjkiYxDqjRh1GAyV9eTfGW/H3tHKcNh9O/Hqd7aGcFzw8Kyg=
-----END ENCRYPTED PRIVATE KEY-----
"""  # the password was a word
