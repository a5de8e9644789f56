"""What people type for a server's address, and the WebSocket URL it means.

    host, host:port          a house as it comes: ws, port 8765
    http://..., ws://...     port 80 where none is named, as in a browser
    https://..., wss://...   port 443
    [::1], [::1]:8765, ::1   IPv6

The endpoint `/ws` is added where the path does not end in it; a query or fragment is dropped, so
the address of a page, copied from a browser, will do.
"""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

from client.errors import Unreachable

DEFAULT_PORT = 8765
_SCHEMES = {"ws": "ws", "http": "ws", "wss": "wss", "https": "wss"}


def parse_address(text: str) -> str:
    """The WebSocket URL that `text` means.

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


def _with_port(typed: str) -> str:
    """`typed`, which has no scheme, with the port of the house where it names none."""
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
