"""A server that is found on a network without its address: multicast DNS, by zeroconf.

It announces itself as a service, which `plyhouse play` looks for, and its machine as
`plyhouse.local`, which browsers and phones understand; where another machine has that name already,
as `plyhouse-MACHINE.local`.
"""

from __future__ import annotations

import re
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final
from urllib.parse import urlsplit

from protocol.files import running
from server.cli.greeting import NOT_ANNOUNCED, Reach, lan_addresses

NAME: Final = "plyhouse"
ASK_MS: Final = 500  # for another machine that has the name


class NotAnnounced(Exception):
    """The server cannot be found by name; the message says why, in a sentence for people."""


async def announce(url: str, names: Sequence[str], stack: AsyncExitStack) -> Reach:
    """Make the server that listens on `url` known until the stack ends, and say how it is found.

    `names`: those that its host has given it; the first is the one of its certificate.
    """
    parts = urlsplit(url)
    addresses = lan_addresses()
    if not addresses or parts.port is None:
        return NOT_ANNOUNCED
    host = (names[0] if names else addresses[0]) if parts.scheme == "https" else None
    try:
        return Reach(await stack.enter_async_context(announced(parts.port, addresses, host=host)))
    except NotAnnounced as error:
        return Reach(why_not=f"{str(error)[0].upper()}{str(error)[1:]}.")


@asynccontextmanager
async def announced(
    port: int,
    addresses: Sequence[str],
    *,
    host: str | None = None,
    interfaces: Sequence[str] | None = None,
) -> AsyncIterator[str]:
    """Make a server known while the block runs; the host name by which others reach it.

    `addresses`: this machine's on the network.  `host`: with TLS, the name of its certificate.
    `interfaces`: the addresses to speak at; None: all.

    Raises:
        NotAnnounced: there is no zeroconf here, or no network that has multicast.
    """
    try:
        from zeroconf import (  # type: ignore[attr-defined]  # it is exported, but not listed
            AddressResolver,
            Error,
            InterfaceChoice,
            ServiceInfo,
        )
        from zeroconf.asyncio import AsyncZeroconf
    except ImportError:
        raise NotAnnounced(
            "without zeroconf (extra `lan`) nobody finds this server by name"
        ) from None
    machine = re.sub(r"[^A-Za-z0-9-]+", "-", socket.gethostname().partition(".")[0]).strip("-")
    try:
        zeroconf = AsyncZeroconf(interfaces=list(interfaces or ()) or InterfaceChoice.All)
    except OSError as error:
        raise _off(error) from None
    try:
        try:
            name = f"{NAME}.local"
            other = AddressResolver(f"{name}.")
            await other.async_request(zeroconf.zeroconf, ASK_MS)
            if set(other.parsed_addresses()) - set(addresses):
                name = f"{NAME}-{machine or port}.local"
            info = ServiceInfo(
                running.SERVICE,
                f"{machine or NAME} {port}.{running.SERVICE}",
                port=port,
                server=f"{name}.",
                parsed_addresses=list(addresses),
                properties={"tls": "1", "host": host} if host else {"tls": "0"},
            )
            await (await zeroconf.async_register_service(info, allow_name_change=True))
        except (OSError, Error) as error:
            raise _off(error) from None
        yield name
    finally:
        await zeroconf.async_close()


def _off(error: Exception) -> NotAnnounced:
    why = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return NotAnnounced(
        f"this network has no multicast ({why}), so nobody finds this server by name"
    )
