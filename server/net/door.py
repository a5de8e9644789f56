"""The door: where a server listens, with TLS or without, and which proxies it trusts."""

from __future__ import annotations

import asyncio
import errno
import socket
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

    def checked(self) -> Door:
        """Return this door, its host as the system writes it: `::1`, also where `[::1]` is meant.

        Raises:
            NotListening: there cannot be such an address, so that nothing need be opened before.
        """
        if not 0 <= self.port < 1 << 16:
            raise NotListening(f"there is no port {self.port}: --port takes 0 to 65535")
        host = self.host.strip()
        if not host:
            raise NotListening("--host is empty: leave it out, or 0.0.0.0 listens to everybody")
        if host.startswith("[") and host.endswith("]"):
            host = host[1:-1]
        return self._replace(host=host)


LOOPBACK: Final = Door()  # for this machine only, on a free port


class Listening(NamedTuple):
    """A door at which somebody listens.  `inner_url` is for this machine's own programs."""

    listeners: Sequence[Listener]
    url: str
    inner_url: str

    def close(self) -> None:
        """Let no client in any more."""
        for each in self.listeners:
            each.close()


async def open_door(door: Door, gateway: Gateway, loop: asyncio.AbstractEventLoop) -> Listening:
    """Listen.

    Raises:
        NotListening: with what to do about it.
    """
    plain = partial(Socket, gateway)
    if door.certificate is None:
        listener = await _listen(door.host, door.port, plain, gateway, loop)
        url = _url("http", listener)
        return Listening([listener], url, url)
    with_tls = partial(_over_tls, gateway, door.certificate)
    outer = await _listen(door.host, door.port, with_tls, gateway, loop)
    url = _url("https", outer)
    if not door.inner:
        return Listening([outer], url, url)
    inner = await _listen(HERE, 0, plain, gateway, loop)
    return Listening([outer, inner], url, _url("http", inner))


def _over_tls(gateway: Gateway, certificate: Certificate, host: str | None) -> TlsLayer:
    """Return a socket, and TLS under it, for a connection from this host."""
    inside = Socket(gateway, host)

    def charge(micros: float) -> None:
        inside.address.charge(micros)
        if inside.address.owes_much():
            inside.drop()

    return TlsLayer(inside, certificate.context, charge, _not_tls)


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
    except (OSError, UnicodeError) as error:  # the latter: no name can be so
        why = getattr(error, "strerror", None) or str(error)
        text = f"cannot listen on {host} port {port}: {why}; {_advice(error)}"
        raise NotListening(text) from None


def _advice(error: Exception) -> str:
    """Return what a host may do about an address at which no server can listen."""
    number = error.errno if isinstance(error, OSError) else None
    if isinstance(error, socket.gaierror | UnicodeError):
        return "--host is an address of this machine, or a name of one"
    if number == errno.EADDRNOTAVAIL:
        return "this machine has no such address; --host 0.0.0.0 listens on all that it has"
    if number in (errno.EACCES, errno.EPERM):
        return "this user may not; ports from 1024 on are anybody's"
    if number == errno.EADDRINUSE:
        free = "choose another with --port, or --port 0 for a free one"
        return f"another server may be running there ({free})"
    return "choose another with --host and --port"


def _url(scheme: str, listener: Listener) -> str:
    host, port = listener.sockets[0].getsockname()[:2]
    return f"{scheme}://[{host}]:{port}" if ":" in host else f"{scheme}://{host}:{port}"
