"""The greeting of `plyhouse up`: where to point a browser, what to type, who can connect."""

from __future__ import annotations

import contextlib
import socket
import sys
from pathlib import Path
from urllib.parse import urlsplit

from protocol.messages import DEFAULT_PORT

OPEN_HOSTS = ("0.0.0.0", "::")
FIREWALL = (
    "If others cannot connect, this machine's firewall is in the way: let TCP port {port} in,"
    " from the local network only."
)


def here(url: str) -> str:
    """Return the address at which this machine reaches a server that listens on `url`."""
    parts = urlsplit(url)
    if parts.hostname in OPEN_HOSTS:
        return f"http://127.0.0.1:{parts.port}"
    return url


def text(url: str, bots: list[str], data: Path, host: str, port: int) -> str:
    """Return the lines to print."""
    local = here(url)
    port = urlsplit(url).port or port
    where = "" if port == DEFAULT_PORT else f" --url {local}"
    lines = [
        "",
        "Plyhouse is open.",
        f"  in a browser:          {local}",
        f"  in a second terminal:  {command()} play connect_four --against mcts{where}",
    ]
    if host in OPEN_HOSTS:
        lines += _for_others(port)
    lines += [
        f"  bots:                  {', '.join(bots) or 'none'}",
        f"  data:                  {data}",
        "Ctrl-C stops it; matches under way go on at the next start.",
        "",
    ]
    return "\n".join(lines)


def _for_others(port: int) -> list[str]:
    addresses = lan_addresses()
    if not addresses:
        return ["  for others:            this machine has no address on a network"]
    lines = [f"  for others:            http://{address}:{port}" for address in addresses]
    lines.append(f"  and in their terminal: plyhouse play --url http://{addresses[0]}:{port}")
    return [*lines, "  " + FIREWALL.format(port=port)]


def lan_addresses() -> list[str]:
    """Return this machine's own IPv4 addresses that others may reach, the likeliest first."""
    addresses: list[str] = []
    no_route = contextlib.suppress(OSError)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, no_route:
        probe.connect(("192.0.2.1", 9))  # sends nothing: it only asks which way that would be
        addresses.append(probe.getsockname()[0])
    with contextlib.suppress(OSError):  # the machine's own name is in no list
        addresses += socket.gethostbyname_ex(socket.gethostname())[2]
    return [a for a in dict.fromkeys(addresses) if not a.startswith("127.")]


def command() -> str:
    """Return how this program was called, so that a second terminal can do the same."""
    called = Path(sys.argv[0])
    if called.name != "plyhouse":
        return f"{sys.executable} -m plyhouse"
    try:
        return str(called.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(called)
