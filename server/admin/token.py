"""The host's token, in a file that only the host's user can read.

It lies in the data folder.  Its first line is the token, which stays the same over restarts; its
second the server's own address, so that `plyhouse admin` on this machine needs to be told neither.
"""

from __future__ import annotations

import logging
import re
import secrets
from pathlib import Path
from typing import Final, NamedTuple

from protocol.files import whole_file

log = logging.getLogger("plyhouse")
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
        lines = path.read_text(encoding="utf-8-sig").split()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise NoAdminToken(f"no token can be read from {path}: {why}") from None
    if not lines or _TOKEN.fullmatch(lines[0]) is None:
        raise NoAdminToken(f"there is no token in {path}")
    return TokenFile(*lines[:2])


def keep_token(data: Path, token: str, url: str) -> None:
    """Write the token of the house in this folder, and the server's address.

    Raises:
        NoAdminToken: the file cannot be written.
    """
    path = data / FILE
    try:
        whole_file.write(path, f"{token}\n{url}\n".encode(), private=True)
    except OSError as error:
        raise NoAdminToken(f"{path} cannot be written: {error.strerror}") from None


def find_token(data: Path) -> str:
    """Return the token of the house in this folder, or a new one, which is not written yet.

    A file without a token is put aside.

    Raises:
        NoAdminToken: there may be one, but it cannot be read, or not be put aside.
    """
    path = data / FILE
    try:
        return read_token(path).token
    except NoAdminToken as error:
        if isinstance(error.__context__, FileNotFoundError):
            return secrets.token_urlsafe(32)
        if isinstance(error.__context__, OSError):
            raise
        try:
            aside = whole_file.put_aside(path)
        except OSError as why:
            raise NoAdminToken(f"{path} cannot be written: {why.strerror}") from None
        log.warning("%s; it is kept as %s, and there is a new one", error, aside.name)
        return secrets.token_urlsafe(32)
