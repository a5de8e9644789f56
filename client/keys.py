"""A person's names at each server, and their tokens: one file for each server.

    ~/.local/share/plyhouse/keys/127.0.0.1_8765.json     {"own": "ada", "tokens": {"ada": "..."}}

Whoever names no name is `own`, the first that one had there, whatever was named since; a person and
their bots are one owner.  XDG_DATA_HOME is respected.  A token is as good as a password, so only
its owner can read the file.
"""

from __future__ import annotations

import contextlib
import getpass
import json
import os
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from client.address import parse_address

MAX_NAME = 24  # characters, as the server has it
_LOCAL = {"localhost": "127.0.0.1", "::1": "127.0.0.1"}


@dataclass(frozen=True, slots=True)
class Keys:
    """The names one has at a server; `own` is the one where none is named."""

    own: str | None = None
    tokens: dict[str, str] = field(default_factory=dict)

    def token(self, name: str | None) -> str | None:
        """Return the token of `name`, or of one's own."""
        wanted = self.own if name is None else name
        return self.tokens.get(wanted) if wanted is not None else None


def file_of(address: str) -> Path:
    """Return where the keys of the server at `address` are kept."""
    place = urlsplit(parse_address(address))
    host = place.hostname or ""
    port = place.port or (443 if place.scheme == "wss" else 80)
    slug = re.sub(r"[^A-Za-z0-9.-]", "_", f"{_LOCAL.get(host, host)}_{port}")
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "plyhouse" / "keys" / f"{slug}.json"


def load(path: Path) -> Keys:
    """Return the keys in a file; none if the file is missing or makes no sense."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return Keys()
    if not isinstance(raw, dict) or not isinstance(raw.get("tokens"), dict):
        return Keys()
    tokens = {str(name): str(token) for name, token in raw["tokens"].items()}
    own = raw.get("own", raw.get("last"))  # as it was called once
    return Keys(own if own in tokens else None, tokens)


def remember(path: Path, name: str, token: str) -> None:
    """Keep the token of `name`; the first name there is one's own.

    A folder that cannot be written to only means a new name next time, so that is no error.
    """
    if load(path).token(name) != token:
        _change(path, lambda keys: Keys(keys.own or name, {**keys.tokens, name: token}))


def forget(path: Path, name: str) -> None:
    """Drop a token that the server does not know."""

    def without(keys: Keys) -> Keys:
        tokens = {n: t for n, t in keys.tokens.items() if n != name}
        return Keys(keys.own if keys.own in tokens else None, tokens)

    _change(path, without)


def _change(path: Path, change: Callable[[Keys], Keys]) -> None:
    """Write a file anew; other programs of the same person, which do so too, wait."""
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _alone(path.parent):
            keys = change(load(path))
            body = json.dumps({"own": keys.own, "tokens": keys.tokens}, ensure_ascii=False)
            descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8") as out:
                out.write(body)
            beside.replace(path)


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let no other process change files here meanwhile; on Windows nothing holds them up."""
    if sys.platform == "win32":
        yield
        return
    import fcntl

    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def own_name() -> str | None:
    """Return a name from the login name; None where that makes no name."""
    try:
        login = getpass.getuser()
    except (OSError, KeyError, ImportError):  # the last on Windows, before Python 3.13
        return None
    text = unicodedata.normalize("NFC", login)
    name = "".join(c for c in text if c.isprintable() and c not in "/@")
    return name.strip()[:MAX_NAME].strip() or None
