"""The session `house`, which the server makes itself, and its token's file.

So no one else can have that name.  The token lies in the data folder, in a file that only the
host's user can read.  There the process that runs the house's bots finds it: `plyhouse up` starts
one with `--token-file`.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from pathlib import Path
from typing import Final

from protocol.files import whole_file
from server.core.names.register import HOUSE, Register
from server.store.contract import SessionRow, Store, StoreError

log = logging.getLogger("plyhouse")
FILE: Final = "house-bots.json"  # a JSON object; the token stands under the name


async def open_house(
    data: Path, store: Store, names: Register, now: int, shared: str | None = None
) -> None:
    """Make `house` the server's own, and write its token where its bots look for it.

    A token that the file holds and the log knows stays good.  If there is none, the one who has
    called itself so before loses the name.  `shared`: the token that all servers of a cluster have.

    Raises:
        StoreError: if the session or the file cannot be written, or the file not be read.
    """
    path = data / FILE
    tokens = read_tokens(path)
    known = tokens.values() if shared is None else [shared]
    session, token = names.own_house(known, shared or secrets.token_urlsafe(32), now)
    if session is not None:
        row = SessionRow(
            session.number, session.name, session.token, session.seen, 0, b"", int(session.played)
        )
        stored = asyncio.get_running_loop().create_future()
        store.append([row], stored.set_result)
        error = await stored
        if error is not None:
            raise StoreError(f"the session of the house's bots cannot be stored: {error}")
    if tokens != {HOUSE: token} or path.stat().st_mode & 0o077:
        try:
            whole_file.write(path, json.dumps({HOUSE: token}, indent=1).encode(), private=True)
        except OSError as error:
            raise StoreError(f"{path} cannot be written: {error.strerror}") from None


def read_tokens(path: Path) -> dict[str, str]:
    """Return the tokens in a file; none if it is not there.  One that makes no sense is put aside.

    Raises:
        StoreError: if it cannot be read.
    """
    try:
        tokens = whole_file.read_object(path) or {}
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}") from None
    except whole_file.Damaged as error:
        aside = whole_file.put_aside(path)
        log.warning("%s; it is kept as %s, and there is a new one", error, aside.name)
        return {}
    return {str(name): token for name, token in tokens.items() if isinstance(token, str)}
