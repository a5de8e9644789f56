"""What people type for a server's address, and the WebSocket URL it means.

    host, host:port          ws, port 8765
    http://..., ws://...     port 80 where none is named, as in a browser
    https://..., wss://...   port 443
    [::1], [::1]:8765, ::1   IPv6

The endpoint `/ws` is added where the path does not end in it; a query or fragment is dropped, so
the address of a page, copied from a browser, will do.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import socket
from urllib.parse import urlsplit, urlunsplit

from client.errors import Unreachable
from protocol.messages import DEFAULT_PORT

DEFAULT_ADDRESS = f"127.0.0.1:{DEFAULT_PORT}"
_PROBE_S = 0.5  # it is this machine that answers, or none
_SCHEMES = {"ws": "ws", "http": "ws", "wss": "wss", "https": "wss"}


def parse_address(text: str) -> str:
    """Return the WebSocket URL that `text` means.

    >>> parse_address("localhost"), parse_address("https://play.example.org/ladder/friday")
    ('ws://localhost:8765/ws', 'wss://play.example.org/ladder/friday/ws')

    Raises:
        Unreachable: code `client/bad-address`, for what is no address.
    """
    typed = text.strip()
    if "://" not in typed:
        typed = f"ws://{_with_port(typed)}"
    try:
        parts = urlsplit(typed)
        host = (parts.hostname or "").encode("idna")
        usable = host and parts.port != 0 and parts.scheme in _SCHEMES
    except ValueError:
        raise _bad(text) from None
    lacks_password = parts.username is not None and parts.password is None
    if not usable or lacks_password or any(c.isspace() for c in typed):
        raise _bad(text)
    path = parts.path.rstrip("/")
    if not path.endswith("/ws"):
        path += "/ws"
    return urlunsplit((_SCHEMES[parts.scheme], parts.netloc, path, "", ""))


def host_and_port(text: str) -> str:
    """Return a server's address as people read it: host and port of the URL that `text` means.

    >>> host_and_port("ws://[::1]:9000/ws")
    '[::1]:9000'
    """
    return urlsplit(parse_address(text)).netloc


def origin(text: str) -> str:
    """Return the address of a server's page: `http://host:port` of the URL that `text` means."""
    parts = urlsplit(parse_address(text))
    scheme = "https" if parts.scheme == "wss" else "http"
    return f"{scheme}://{parts.netloc}{parts.path.removesuffix('/ws')}"


def is_loopback(text: str) -> bool:
    """Return whether an address is this machine's own, which no other machine can reach."""
    host = urlsplit(parse_address(text)).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


async def origin_for_others(text: str) -> str:
    """Return the page's address as others on the network reach it.

    Of a server on this machine that listens to the network, it is the machine's address there.
    """
    parts = urlsplit(parse_address(text))
    if not is_loopback(text) or parts.scheme == "wss":  # a certificate is for a name
        return origin(text)
    with contextlib.suppress(OSError, TimeoutError):
        host = _network_address()
        async with asyncio.timeout(_PROBE_S):
            _, writer = await asyncio.open_connection(host, parts.port or 80)
        writer.close()
        return f"http://{host}:{parts.port or 80}{parts.path.removesuffix('/ws')}"
    return origin(text)


def _network_address() -> str:
    """Return this machine's address on its network; OSError if it is on none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing: it only asks which way that would be
        return str(probe.getsockname()[0])


def _with_port(typed: str) -> str:
    """Return `typed`, which has no scheme, with the usual port where it names none."""
    host, slash, path = typed.partition("/")
    if host.count(":") > 1 and not host.startswith("["):
        host = f"[{host}]"
    if not host.rpartition("]")[2].partition(":")[2]:
        host = f"{host.removesuffix(':')}:{DEFAULT_PORT}"
    return host + slash + path


def _bad(text: str) -> Unreachable:
    return Unreachable(
        f"{text!r} is no address of a server: write host:port, or a URL (http, https, ws, wss)",
        "client/bad-address",
    )
