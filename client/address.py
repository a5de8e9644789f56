"""What people type for a server's address, and the WebSocket URL it means.

    host, host:port          ws, port 8765
    http://..., ws://...     port 80 where none is named, as in a browser
    https://..., wss://...   port 443
    [::1], [::1]:8765, ::1   IPv6

The endpoint `/ws` is added where the path does not end in it; a query or fragment is dropped, so
the address of a page, copied from a browser, will do.
"""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from client.errors import Unreachable
from protocol.messages import DEFAULT_PORT

DEFAULT_ADDRESS = f"127.0.0.1:{DEFAULT_PORT}"
_SCHEMES = {"ws": "ws", "http": "ws", "wss": "wss", "https": "wss"}


def parse_address(text: str) -> str:
    """Return the WebSocket URL that `text` means.

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
    """Return a server's address as people read it: host and port of the URL that `text` means."""
    return urlsplit(parse_address(text)).netloc


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
