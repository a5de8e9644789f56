"""Servers over TLS: whom a client trusts, and the sentence when it does not."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from websockets.asyncio.server import ServerConnection, serve

from client.connection import ConnectSettings, Unreachable, connect
from protocol import codec, messages
from tests.support.certificates import HOUSE, OTHER

pytestmark = pytest.mark.socket


@asynccontextmanager
async def welcoming() -> AsyncIterator[int]:
    """A server over TLS that welcomes everybody; its port."""

    async def greet(socket: ServerConnection) -> None:
        await socket.recv()
        welcome = messages.Welcome(version=1, server="s", name="ann", now=0, games=(), catalog=())
        await socket.send(codec.encode(welcome))
        await socket.wait_closed()

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(HOUSE.chain, HOUSE.key)
    async with serve(greet, "127.0.0.1", 0, ssl=context) as server:
        yield next(iter(server.sockets)).getsockname()[1]


@pytest.mark.parametrize("scheme", ["wss", "https"])
async def test_a_file_of_certificates_is_trusted(scheme: str) -> None:
    async with welcoming() as port:
        settings = ConnectSettings(authorities=str(HOUSE.chain))
        async with connect(f"{scheme}://localhost:{port}", settings=settings) as connection:
            assert connection.name == "ann"


async def test_the_file_may_be_named_by_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLYHOUSE_CA", str(HOUSE.chain))
    async with welcoming() as port, connect(f"wss://127.0.0.1:{port}") as connection:
        assert connection.name == "ann"


async def test_a_stranger_s_certificate_is_not_trusted() -> None:
    async with welcoming() as port:
        for settings in (None, ConnectSettings(authorities=str(OTHER.chain))):
            with pytest.raises(Unreachable, match=r"is not trusted .*--ca") as error:
                await connect(f"wss://localhost:{port}", settings=settings)
            assert error.value.code == "client/untrusted"


async def test_a_server_without_tls_is_no_riddle() -> None:
    def answer(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(Unreachable, match=r"does not answer over TLS .*http://"):
            await connect(f"wss://127.0.0.1:{port}")


@pytest.mark.parametrize("text", [None, "no certificate"])
def test_a_file_that_holds_no_certificates(tmp_path: Path, text: str | None) -> None:
    file = tmp_path / "ca.pem"
    if text is not None:
        file.write_text(text)
    with pytest.raises(Unreachable, match=f"cannot read certificates from {file}") as error:
        connect("wss://localhost", settings=ConnectSettings(authorities=str(file)))
    assert error.value.code == "client/bad-authorities"
