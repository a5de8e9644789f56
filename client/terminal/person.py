"""Comes in as whom one was at this server, or under a new name, and keeps the token."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from client.connection import Connection, connect
from client.terminal import keys
from protocol.errors import Code, Refusal


@dataclass(frozen=True, slots=True)
class Door:
    """How to reach a server."""

    url: str
    text: bool  # JSON instead of msgpack
    on_link: Callable[[bool], None]

    @property
    def keys(self) -> Path:
        """Where one's tokens of this server are kept."""
        return keys.file_of(self.url)


async def enter(door: Door, name: str | None = None, link: str | None = None) -> Connection:
    """Connect by a link's code, else with the kept token, else under a new name.

    `name` None: the name used last, or the login's.  Where a new name is taken, the one that the
    server suggests is used: `house.name` says which.

    Raises:
        Unreachable, Refusal: as client.connection.connect does.
    """
    if link is not None:
        return await _hello(door, link=link)
    kept = keys.load(door.keys)
    wished = name or kept.last
    token = kept.token(wished)
    if wished is not None and token is not None:
        try:
            return await _hello(door, token=token)
        except Refusal as no:
            if no.code != Code.SESSION_BAD_TOKEN:
                raise
            keys.forget(door.keys, wished)  # the server's data are gone, and the name with them
    return await _come_as(door, wished or keys.own_name(), chosen=name is not None)


async def _come_as(door: Door, name: str | None, chosen: bool) -> Connection:
    """Start under a new name, or one near it; a login that makes no name gives way to a guest's."""
    try:
        return await _hello(door, name=name)
    except Refusal as no:
        if no.code == Code.SESSION_NAME_TAKEN and no.suggestion:
            return await _hello(door, name=no.suggestion)
        if no.code == Code.SESSION_BAD_NAME and not chosen:
            return await _hello(door)
        raise


async def _hello(
    door: Door, *, name: str | None = None, token: str | None = None, link: str | None = None
) -> Connection:
    house = await connect(
        door.url, name=name, token=token, link=link, text=door.text, on_link=door.on_link
    )
    if house.token is not None:
        keys.remember(door.keys, house.name, house.token)
    return house
