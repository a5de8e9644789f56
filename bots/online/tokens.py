"""Which token a bot's owner has at which server.

A bot that is started again comes back under its name, and to its matches, by its token.  Bots share
the names that their person has there (client/keys.py).  A file of tokens, such as a server writes
for its house, is a small JSON file, readable by its owner alone.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from client import keys


def default_file() -> Path:
    """Where bots kept their owner's tokens before they shared them with the person."""
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "plyhouse" / "bot-tokens.json"


class OwnersTokens:
    """The tokens that a person on this machine has, by server and name."""

    def own(self, server: str) -> str | None:
        """The name that this person has there, None if there is none yet."""
        return keys.load(keys.file_of(server)).own

    def get(self, server: str, name: str) -> str | None:
        """The token of `name` at `server`, None if there is none."""
        token = keys.load(keys.file_of(server)).tokens.get(name)
        return token if token is not None else Tokens(default_file()).get(server, name)

    def put(self, server: str, name: str, token: str) -> None:
        """Store a token."""
        keys.remember(keys.file_of(server), name, token)


class BadTokenFile(ValueError):
    """A file that holds no tokens; the sentence names it."""


class Tokens:
    """The tokens in one file, by server and name.  A missing file is an empty one.

    A server writes such a file for its house's bots; there a token stands under the name alone.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def own(self, server: str) -> str | None:
        """No name of theirs is used where none is named."""
        return None

    def get(self, server: str, name: str) -> str | None:
        """The token of `name` at `server`, None if there is none."""
        tokens = self._read()
        return tokens.get(name) or tokens.get(f"{server} {name}")

    def put(self, server: str, name: str, token: str) -> None:
        """Store a token.  The file is replaced as a whole, so that a crash leaves the old one."""
        tokens = self._read()
        if token in (tokens.get(name), tokens.get(f"{server} {name}")):
            return
        tokens[f"{server} {name}"] = token
        self.path.parent.mkdir(parents=True, exist_ok=True)
        handle, path = tempfile.mkstemp(dir=self.path.parent)  # mode 0600
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(tokens, file, indent=1, sort_keys=True)
        Path(path).replace(self.path)

    def _read(self) -> dict[str, str]:
        """Raises BadTokenFile."""
        try:
            tokens = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except ValueError:
            tokens = None
        if not isinstance(tokens, dict) or not all(isinstance(t, str) for t in tokens.values()):
            raise BadTokenFile(f"{self.path} holds no tokens; remove it, or name another file")
        return tokens
