"""Which token a bot's owner has at which server: a small JSON file, readable by its owner alone.

A bot that is started again comes back under its name, and to its matches, by its token.
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path


def default_file() -> Path:
    """The default file of tokens, in the user's data folder."""
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "plyhouse" / "bot-tokens.json"


class BadTokenFile(ValueError):
    """A file that holds no tokens; the sentence names it."""


class Tokens:
    """The tokens in one file, by server and name.  A missing file is an empty one.

    A server writes such a file for its house's bots; there a token stands under the name alone.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

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
