"""Finds out whether the server at a new address is a house that one knows by another.

A client with a token at 127.0.0.1 is the same person at the address by which others reach that
server.  A token goes to a new address only after the server there has proved that it is the house
that gave it (protocol/devices.py); saying so does not do.  A loopback address proves nothing: there
is one on every machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import http.client
import ipaddress
import json
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

from client.address import parse_address
from client.connection import trust
from client.names import keys
from client.names.keys import Keys
from protocol.devices import end, prove

WITHIN_S: Final = 3.0
MAX_BYTES: Final = 4096
# No house answers there, or an older one that does not know the question.
NO_HOUSE: Final = (OSError, http.client.HTTPException, ValueError)


async def find(address: str) -> None:
    """Have the keys of a house lead to a new address of it, where it proves to be that house."""
    known = keys.elsewhere(address)
    if known:
        path = await asyncio.to_thread(_proven, address, known)
        if path is not None:
            keys.add_address(path, address)


async def identity(address: str) -> str | None:
    """Return which house the server at an address says it is; None: it does not say."""
    return await asyncio.to_thread(_identity, address)


def _identity(address: str) -> str | None:
    try:
        with contextlib.closing(_connection(address)) as connection:
            return str(_ask(connection)["server"])
    except NO_HOUSE:
        return None


def _proven(address: str, known: Sequence[tuple[Path, Keys]]) -> Path | None:
    """Return the file of the house that the server there has proved to be; None: it has not."""
    try:
        with contextlib.closing(_connection(address)) as connection:
            connection.connect()
            ours, theirs = (end(name) for name in _ends(connection))
            house = _ask(connection)["server"]
            for path, stored in known:
                if stored.server != house or _is_loopback(theirs):
                    continue
                name, nonce = stored.own or next(iter(stored.tokens)), secrets.token_hex(16)
                reply = _ask(connection, name=name, nonce=nonce)
                proofs = reply.get("proofs") or [reply.get("proof")]  # older servers know one
                token_hash = hashlib.sha256(stored.tokens[name].encode()).digest()
                wanted = prove(token_hash, nonce, ours, theirs)
                if any(hmac.compare_digest(str(p).encode(), wanted.encode()) for p in proofs):
                    return path
    except NO_HOUSE:
        pass
    return None


def _ends(connection: http.client.HTTPConnection) -> tuple[Any, Any]:
    return connection.sock.getsockname(), connection.sock.getpeername()


def _is_loopback(theirs: str) -> bool:
    return ipaddress.ip_address(theirs.rpartition(":")[0].strip("[]")).is_loopback


def _connection(address: str) -> http.client.HTTPConnection:
    place = urlsplit(parse_address(address))
    host = place.hostname or ""
    if place.scheme == "wss":
        context = trust(None)
        return http.client.HTTPSConnection(host, place.port, timeout=WITHIN_S, context=context)
    return http.client.HTTPConnection(host, place.port, timeout=WITHIN_S)


def _ask(connection: http.client.HTTPConnection, **fields: str) -> dict[str, Any]:
    """Ask which house it is.

    Raises:
        one of NO_HOUSE.
    """
    connection.request("GET", f"/house?{urlencode(fields)}")
    response = connection.getresponse()
    told = json.loads(response.read(MAX_BYTES))
    is_house = isinstance(told, dict) and isinstance(told.get("server"), str)
    if response.status != http.HTTPStatus.OK or not is_house:
        raise ValueError("it is none")
    return dict(told)
