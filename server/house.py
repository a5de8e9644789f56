"""The session `house`, which the server makes itself, and its token's file.

So nobody else can have that name.  The token lies in the data folder, in a file that only the
host's user can read.  There the process that runs the house's bots finds it: `plyhouse up` starts
one with `--token-file`.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import tempfile
from pathlib import Path
from typing import Final

from server.core.names.register import HOUSE, Register
from server.store.contract import SessionRow, Store, StoreError

FILE: Final = "house-bots.json"  # a JSON object; the token stands under the name


async def open_house(
    data: Path, store: Store, names: Register, now: int, shared: str | None = None
) -> None:
    """Make `house` the server's own, and write its token where its bots look for it.

    A token that the file holds and the log knows stays good.  If there is none, whoever has called
    itself so before loses the name.  `shared`: the token that all servers of a cluster have.

    Raises:
        StoreError: if the session or the file cannot be written.
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
            _write(path, {HOUSE: token})
        except OSError as error:
            raise StoreError(f"{path} cannot be written: {error.strerror}") from None


def read_tokens(path: Path) -> dict[str, str]:
    """Return the tokens in a file; none if it is not there or makes no sense."""
    try:
        tokens = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(tokens, dict):
        return {}
    return {str(name): token for name, token in tokens.items() if isinstance(token, str)}


def _write(path: Path, tokens: dict[str, str]) -> None:
    """Replace the file as a whole, so that a crash leaves the old one."""
    handle, beside = tempfile.mkstemp(dir=path.parent)  # mode 0600
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(tokens, file, indent=1)
    Path(beside).replace(path)
