"""Connects under the name that one has at a server, or under a new one, and keeps the token."""

from __future__ import annotations

import platform
from collections.abc import Callable
from typing import Final

from client.connection import Backoff, Connection, ConnectSettings, connect
from client.names import keys, same_house
from protocol.errors import Code, Refusal

# A person waits, perhaps with a clock that runs: tries every 3 s at most, none longer than 5.
BACKOFF: Final = Backoff(first=0.25, longest=3.0)
SETTINGS: Final = ConnectSettings(
    open_timeout=5.0, device=f"terminal on {platform.node() or platform.system()}"
)


async def sign_in(
    address: str,
    name: str | None = None,
    link: str | None = None,
    *,
    text: bool = False,
    on_link: Callable[[bool], None] | None = None,
) -> Connection:
    """Connect by a link's code, else with the stored token, else under a new name.

    `name` None: one's own name there, or the login's.  Where a new name is taken, the one that the
    server suggests is used: `connection.name` says which.  `text` and `on_link`: see `connect`.

    Raises:
        Unreachable, Refusal: as client.connection.connect does.
        UnreadableKeys: one has names there, perhaps, and the file does not say which.
    """

    async def hello(
        name: str | None = None, token: str | None = None, link: str | None = None
    ) -> Connection:
        connection = await connect(
            address, name=name, token=token, link=link, text=text, on_link=on_link,
            settings=SETTINGS, backoff=BACKOFF,
        )  # fmt: skip
        if connection.token is not None:
            keys.remember(address, connection.name, connection.token, connection.welcome.server)
        return connection

    if link is not None:
        return await hello(link=link)
    await same_house.find(address)
    wanted = name or keys.load(address).own
    for _ in range(2):  # the keys of another house may lie at this address, and then of this one
        stored = keys.load(address)
        token = stored.token(name or stored.own)
        if token is None:
            break
        try:
            return await hello(token=token)
        except Refusal as refusal:
            if refusal.code != Code.SESSION_BAD_TOKEN:
                raise
        house = await same_house.identity(address)
        if house is None or stored.server in (None, house):
            keys.forget(address, name or stored.own)  # no one else has come: the name is free again
            break
        keys.leave(address, house)
    wanted = wanted or keys.own_name()
    for last in (False, False, True):  # what is suggested may be taken a moment later, too
        try:
            return await hello(wanted)
        except Refusal as refusal:
            if refusal.code == Code.SESSION_BAD_NAME and name is None:
                break  # the login makes no name: a guest's will do
            if last or refusal.code != Code.SESSION_NAME_TAKEN or not refusal.suggestion:
                raise
            wanted = refusal.suggestion
    return await hello()
