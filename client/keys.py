"""A person's names at each server, and their tokens: one file for each server.

    ~/.local/share/plyhouse/keys/127.0.0.1_8765.json     {"last": "ada", "tokens": {"ada": "..."}}

XDG_DATA_HOME is respected.  A token is as good as a password, so only its owner can read the file.
"""

from __future__ import annotations

import contextlib
import getpass
import json
import os
import re
import unicodedata
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from client.address import parse_address

MAX_NAME = 24  # characters, as the server has it
_LOCAL = {"localhost": "127.0.0.1", "::1": "127.0.0.1"}


@dataclass(frozen=True, slots=True)
class Keys:
    """The names one has at a server; `last` is the one used last."""

    last: str | None = None
    tokens: dict[str, str] = field(default_factory=dict)

    def token(self, name: str | None) -> str | None:
        """Return the token of `name`, or of the last name used."""
        wanted = self.last if name is None else name
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
    last = raw.get("last")
    return Keys(last if last in tokens else None, tokens)


def remember(path: Path, name: str, token: str) -> None:
    """Keep the token of `name`, and that it was used last.

    A folder that cannot be written to only means a new name next time, so that is no error.
    """
    keys = load(path)
    if keys.last == name and keys.tokens.get(name) == token:
        return
    _write(path, Keys(name, {**keys.tokens, name: token}))


def forget(path: Path, name: str) -> None:
    """Drop a token that the server does not know."""
    keys = load(path)
    tokens = {n: t for n, t in keys.tokens.items() if n != name}
    _write(path, Keys(keys.last if keys.last in tokens else None, tokens))


def _write(path: Path, keys: Keys) -> None:
    body = json.dumps({"last": keys.last, "tokens": keys.tokens}, ensure_ascii=False)
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
            out.write(body)
        beside.replace(path)


def own_name() -> str | None:
    """Return a name from the login name; None where that makes no name."""
    try:
        login = getpass.getuser()
    except (OSError, KeyError, ImportError):  # the last on Windows, before Python 3.13
        return None
    text = unicodedata.normalize("NFC", login)
    name = "".join(c for c in text if c.isprintable() and c not in "/@")
    return name.strip()[:MAX_NAME].strip() or None
