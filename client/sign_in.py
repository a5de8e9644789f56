"""Connects under the name that one has at a server, or under a new one, and keeps the token."""

from __future__ import annotations

from collections.abc import Callable

from client import keys
from client.connection import Connection, connect
from protocol.errors import Code, Refusal


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
        UnreadableKeys: one has names there, perhaps, and nobody knows which.
    """

    async def hello(
        name: str | None = None, token: str | None = None, link: str | None = None
    ) -> Connection:
        connection = await connect(
            address, name=name, token=token, link=link, text=text, on_link=on_link
        )
        if connection.token is not None:
            keys.remember(address, connection.name, connection.token)
        return connection

    if link is not None:
        return await hello(link=link)
    stored = keys.load(address)
    wanted = name or stored.own
    token = stored.token(wanted)
    if wanted is not None and token is not None:
        try:
            return await hello(token=token)
        except Refusal as refusal:
            if refusal.code != Code.SESSION_BAD_TOKEN:
                raise
            keys.forget(address, wanted)  # the server's data are gone, and the name with them
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
