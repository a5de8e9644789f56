"""The door: where a server listens, with TLS or without, and which proxies it trusts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from http import HTTPStatus
from typing import Final, NamedTuple

from server.net.gateway import Gateway
from server.net.http.responses import last, sentence
from server.net.listener import Listener, Open
from server.net.proxies import NOBODY, Proxies
from server.net.sockets import Socket
from server.net.tls import Certificate, TlsLayer

HERE = "127.0.0.1"


class NotListening(Exception):
    """The server cannot listen on this address."""


class Door(NamedTuple):
    """Where and how people come in.

    names: host names by which the server is called, beside addresses and local names.
    certificate: serves https and wss; None: http and ws.
    inner: with a certificate, programs of the server's own get a door without: it is for this
        machine only, on a free port.
    """

    host: str = HERE
    port: int = 0
    names: Sequence[str] = ()
    certificate: Certificate | None = None
    proxies: Proxies = NOBODY
    inner: bool = False


LOOPBACK: Final = Door()  # for this machine only, on a free port


class OpenDoor(NamedTuple):
    """A door at which somebody listens.  `inner_url` is for this machine's own programs."""

    listeners: Sequence[Listener]
    url: str
    inner_url: str

    def close(self) -> None:
        """Let nobody in any more."""
        for each in self.listeners:
            each.close()


async def open_door(door: Door, gateway: Gateway, loop: asyncio.AbstractEventLoop) -> OpenDoor:
    """Listen.

    Raises:
        NotListening: with what to do about it.
    """
    plain = partial(Socket, gateway)
    if door.certificate is None:
        listener = await _listen(door.host, door.port, plain, gateway, loop)
        url = _url("http", listener)
        return OpenDoor([listener], url, url)
    with_tls = partial(_over_tls, gateway, door.certificate)
    outer = await _listen(door.host, door.port, with_tls, gateway, loop)
    url = _url("https", outer)
    if not door.inner:
        return OpenDoor([outer], url, url)
    inner = await _listen(HERE, 0, plain, gateway, loop)
    return OpenDoor([outer, inner], url, _url("http", inner))


def _over_tls(gateway: Gateway, certificate: Certificate, host: str | None) -> TlsLayer:
    """Return a socket, and TLS under it, for a connection from this host."""
    socket = Socket(gateway, host)

    def charge(micros: float) -> None:
        socket.address.charge(micros)
        if socket.address.owes_much():
            socket.drop()

    return TlsLayer(socket, certificate.context, charge, _not_tls)


def _not_tls() -> bytes:
    text = "This server speaks TLS here: its address begins with https://.\n"
    return last(sentence(HTTPStatus.BAD_REQUEST, text)).serialize()


async def _listen(
    host: str, port: int, open_: Open, gateway: Gateway, loop: asyncio.AbstractEventLoop
) -> Listener:
    listener = Listener(loop, gateway, open_)
    try:
        await listener.listen(host, port)
        return listener
    except (OSError, OverflowError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise NotListening(
            f"cannot listen on {host} port {port}: {why}; another server may be running there"
            " (choose another with --port, or --port 0 for a free one)"
        ) from None


def _url(scheme: str, listener: Listener) -> str:
    host, port = listener.sockets[0].getsockname()[:2]
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"
