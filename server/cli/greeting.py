"""The greeting of `plyhouse up`: where to point a browser, what to type, who can connect."""

from __future__ import annotations

import contextlib
import io
import ipaddress
import socket
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

OPEN_HOSTS = ("0.0.0.0", "::")
FIREWALL = (
    "If others cannot connect, this machine's firewall is in the way: let TCP port {port} in,"
    " from the local network only."
)


def here(url: str) -> str:
    """Return the address at which this machine reaches a server that listens on `url`."""
    parts = urlsplit(url)
    if parts.hostname not in OPEN_HOSTS:
        return url
    ipv6_only = parts.hostname == "::" and not socket.has_dualstack_ipv6()
    return f"{parts.scheme}://{'[::1]' if ipv6_only else '127.0.0.1'}:{parts.port}"


class Reach(NamedTuple):
    """How a server is found on a network: by this name, or why not."""

    name: str | None = None
    why_not: str | None = None


NOT_ANNOUNCED = Reach()


def text(
    url: str,
    bots: list[str],
    data: Path,
    names: Sequence[str],
    reach: Reach = NOT_ANNOUNCED,
    qr: bool = False,
    others: int = 0,
) -> str:
    """Return the lines to print.  `names`: those that the host has given this server; `qr`: with
    the likeliest address as a QR code; `others`: how many servers have the ports behind this one's.
    """
    parts = urlsplit(url)
    local = here(url)
    if parts.scheme == "https" and names:  # the certificate is for the name
        local = f"https://{names[0]}:{parts.port}"
    lines = [
        "",
        "Plyhouse is open.",
        f"  in a browser:          {local}",
        f"  in a second terminal:  {command()} play connect_four --against mcts",
    ]
    base, _, port = local.rpartition(":")
    lines += [f"  another server of it:  {base}:{int(port) + n}" for n in range(1, 1 + others)]
    if parts.hostname in OPEN_HOSTS:
        lines += _for_others(url, names, reach, qr)
    lines += [
        f"  bots:                  {', '.join(bots) or 'none'}",
        f"  data:                  {data}",
        "Ctrl-C stops it; matches under way go on at the next start.",
        "",
    ]
    return "\n".join(lines)


def _for_others(url: str, names: Sequence[str], reach: Reach, qr: bool) -> list[str]:
    parts = urlsplit(url)
    addresses = lan_addresses(ipv6=parts.hostname == "::")
    named = [reach.name] if reach.name is not None and parts.scheme == "http" else []
    hosts = [*names, *addresses, *named]
    if not hosts:
        return ["  for others:            this machine has no address on a network"]
    urls = [f"{parts.scheme}://{host}:{parts.port}" for host in hosts]
    lines = [f"  for others:            {each}" for each in urls]
    if len(addresses) > 1:
        lines.append(
            "                         (several networks: each uses the address of its own)"
        )
    found = "" if reach.name is not None else f" --url {urls[0]}"
    lines.append(f"  and in their terminal: plyhouse play{found}")
    lines.append(f"  with only Python:      curl {urls[0]}/play.py | python3 -")
    if reach.why_not is not None:
        lines.append(f"  {reach.why_not}")
    if qr:
        lines += ["", *qr_lines(urls[0])]
    return [*lines, "  " + FIREWALL.format(port=parts.port)]


def qr_lines(address: str) -> list[str]:
    """Return an address as a QR code of half blocks, for the camera of a phone."""
    import segno  # a server that starts need not wait for it

    out = io.StringIO()
    segno.make(address, error="l", micro=False).terminal(out=out, border=2, compact=True)
    return [f"  {line}" for line in out.getvalue().splitlines()]


def lan_addresses(*, ipv6: bool = False) -> list[str]:
    """Return this machine's own addresses that others may reach, the likeliest first.

    They are IPv4's, and with `ipv6` IPv6's behind them, as a URL has them: in brackets.
    """
    addresses = _addresses(socket.AF_INET, "192.0.2.1")
    if ipv6:
        addresses += [f"[{address}]" for address in _addresses(socket.AF_INET6, "2001:db8::1")]
    return addresses


def _addresses(family: socket.AddressFamily, far: str) -> list[str]:
    """Return the addresses of a family; `far`: any address outside."""
    addresses: list[str] = []
    with contextlib.suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((far, 9))  # sends nothing: it only asks which way that would be
        addresses.append(probe.getsockname()[0])
    with contextlib.suppress(OSError):  # the machine's own name is in no list
        found = socket.getaddrinfo(socket.gethostname(), None, family, socket.SOCK_STREAM)
        addresses += [str(address[0]) for *_, address in found]
    return [each for each in dict.fromkeys(addresses) if _is_reachable(each)]


def _is_reachable(address: str) -> bool:
    """Return whether it is no loopback, and can be typed: a link-local one of IPv6 has a zone."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    return not (ip.is_loopback or ip.is_unspecified or (ip.version == 6 and ip.is_link_local))


def command() -> str:
    """Return how this program was called, so that a second terminal can do the same."""
    called = Path(sys.argv[0])
    if called.name != "plyhouse":
        return f"{sys.executable} -m plyhouse"
    try:
        return str(called.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(called)
