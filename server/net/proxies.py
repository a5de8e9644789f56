"""Proxies that the host trusts: from whose word it is known where a request comes from.

A proxy adds to `X-Forwarded-For` the address that it has seen.  Anybody can send that header, so it
is read from right to left, and only as far as trusted proxies have written it.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from websockets.datastructures import Headers

LATELY: Final = 4_096  # addresses that are read once: each request says two or three
LONGEST: Final = 45  # characters of an address: of IPv6, with an IPv4 at its end
FORWARDED_FOR: Final = "X-Forwarded-For"
MARKS: Final = (FORWARDED_FOR, "Forwarded", "X-Real-IP", "Via")  # one of them: a proxy was there


class BadProxy(ValueError):
    """No address or network."""


class ClientInfo(NamedTuple):
    """Who asks something over HTTP.

    host: the IP address, in the system's spelling; "" if it has none.
    hosts, forwarded_hosts: what the server was called: by Host, and by what a trusted proxy says
        that Host was.
    secure: whether it came over TLS; None: it is not known, as an unknown proxy may be between.
    local: whether it comes from this machine itself, under its own name, and past no proxy.
    ends: of the connection, the visitor's first, where /house is asked for.
    """

    host: str
    hosts: tuple[str, ...]
    forwarded_hosts: tuple[str, ...]
    secure: bool | None
    local: bool
    ends: tuple[str, str] = ("", "")


class Proxies:
    """The addresses of trusted proxies."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        """Read addresses and networks, such as 10.0.0.7, 10.0.0.0/8 and fd00::/8.

        Raises:
            BadProxy: naming what is neither.
        """
        self._networks = [_parse_network(text) for text in texts]

    def trusts(self, host: str) -> bool:
        ip = _parse_ip(host)
        return ip is not None and any(ip in network for network in self._networks)

    def client_info(self, host: str, tls: bool, headers: Headers) -> ClientInfo:
        """Return who asks, on a connection from `host`, with these headers.

        `tls`: the connection itself is over TLS.
        """
        hosts = tuple(headers.get_all("Host"))
        if FORWARDED_FOR not in headers or not self.trusts(host):
            marked = any(mark in headers for mark in MARKS)
            local = not marked and all(map(_is_loopback, (host, *map(host_of, hosts))))
            return ClientInfo(host, hosts, (), tls or None, local)
        origin = self._origin(host, headers.get_all(FORWARDED_FOR))
        forwarded_hosts = tuple(headers.get_all("X-Forwarded-Host"))
        scheme = ",".join(headers.get_all("X-Forwarded-Proto")).rpartition(",")[2].strip()
        secure = {"https": True, "wss": True, "http": False, "ws": False}.get(scheme.casefold())
        return ClientInfo(origin, hosts, forwarded_hosts, secure, False)

    def _origin(self, host: str, forwarded: list[str]) -> str:
        """Return the last hop that is no trusted proxy, or the farthest one that is."""
        for hop in reversed(",".join(forwarded).split(",")):
            ip = _parse_hop(hop.strip())
            if ip is None:
                break
            host = ip
            if not self.trusts(host):
                break
        return host


NOBODY: Final = Proxies()  # is trusted


def _parse_network(text: str) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
    try:
        return ipaddress.ip_network(text.strip(), strict=False)
    except ValueError:
        raise BadProxy(
            f"{text[:50]!r} is no address of a proxy: write one such as 10.0.0.7, or a network"
            " such as 10.0.0.0/8"
        ) from None


def _parse_ip(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    text = host.partition("%")[0]
    return _read_ip(text) if len(text) <= LONGEST else None  # anybody can send a long one


@lru_cache(LATELY)
def _read_ip(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        ip = ipaddress.ip_address(text)
    except ValueError:
        return None
    return ip.ipv4_mapped or ip if isinstance(ip, ipaddress.IPv6Address) else ip


def _parse_hop(text: str) -> str | None:
    """Return the address of a hop, which some proxies write with a port; None if it is none."""
    ip = _parse_ip(text)
    if ip is None:
        ip = _parse_ip(host_of(text))
    return None if ip is None else str(ip)


def host_of(authority: str) -> str:
    """Return the host of `host:port`, in lower case; "" if it is none."""
    try:
        return urlsplit(f"//{authority}").hostname or ""
    except ValueError:
        return ""


def _is_loopback(host: str) -> bool:
    ip = _parse_ip(host)
    return host == "localhost" if ip is None else ip.is_loopback
