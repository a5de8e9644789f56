"""The host's token, in a file that only the host's user can read.

It lies in the data folder.  Its first line is the token, which stays the same over restarts; its
second the server's own address, so that `plyhouse admin` on this machine needs to be told neither.
"""

from __future__ import annotations

import os
import re
import secrets
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

FILE: Final = "admin.token"
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{43,200}")  # 256 bits, or more


class NoAdminToken(Exception):
    """There is no token in a file, or it cannot be read or written."""


class TokenFile(NamedTuple):
    """What stands in the file; `url` is empty where nothing is said of it."""

    token: str
    url: str = ""


def read_token(path: Path) -> TokenFile:
    """Read a token's file.

    Raises:
        NoAdminToken: it cannot be read, or holds no token.
    """
    try:
        lines = path.read_text(encoding="utf-8").split()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise NoAdminToken(f"no token can be read from {path}: {why}") from None
    if not lines or _TOKEN.fullmatch(lines[0]) is None:
        raise NoAdminToken(f"there is no token in {path}")
    return TokenFile(*lines[:2])


def keep_token(data: Path, url: str) -> str:
    """Return the token of the house in this folder, made if there is none, and note the address.

    Raises:
        NoAdminToken: the file cannot be written.
    """
    path = data / FILE
    try:
        token = read_token(path).token
    except NoAdminToken:
        token = secrets.token_urlsafe(32)
    try:
        handle, beside = tempfile.mkstemp(dir=data, prefix=FILE)  # its mode is 0600
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(f"{token}\n{url}\n")
        Path(beside).replace(path)  # as a whole: nobody ever sees half of it
    except OSError as error:
        raise NoAdminToken(f"{path} cannot be written: {error.strerror}") from None
    return token
