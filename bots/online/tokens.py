"""Which token a bot's owner has at which server.

A bot that is started again comes back under its name, and to its matches, by its token.  Bots share
the names that their person has there (client/names).  A file of tokens, such as a server writes for
its house, is a small JSON file, readable by its owner alone.
"""

from __future__ import annotations

import json
from pathlib import Path

from client.names import keys, same_house
from protocol.files import folders, whole_file
from protocol.files.folders import NoHome


def default_file() -> Path:
    """Where bots kept their owner's tokens before they shared them with the person.

    Raises:
        NoHome: there is no such place.
    """
    return folders.data() / "bot-tokens.json"


class OwnersTokens:
    """The tokens that a person on this machine has, by server and name."""

    async def find_house(self, server: str) -> None:
        """See whether the server at a new address is one where this person has names.

        Raises:
            BadTokenFile: it cannot be read.
        """
        try:
            await same_house.find(server)
        except keys.UnreadableKeys as error:
            raise BadTokenFile(str(error)) from None

    def own(self, server: str) -> str | None:
        """The name that this person has there, None if there is none yet.

        Raises:
            BadTokenFile: it cannot be read.
        """
        return self._keys(server).own

    def get(self, server: str, name: str) -> str | None:
        """The token of `name` at `server`, None if there is none.

        Raises:
            BadTokenFile: it cannot be read.
        """
        token = self._keys(server).tokens.get(name)
        if token is not None:
            return token
        try:
            return Tokens(default_file()).get(server, name)
        except NoHome:
            return None

    def _keys(self, server: str) -> keys.Keys:
        try:
            return keys.load(server)
        except keys.UnreadableKeys as error:
            raise BadTokenFile(str(error)) from None

    def put(self, server: str, name: str, token: str, house: str | None = None) -> None:
        """Store a token of that house; where that cannot be done, it is said."""
        keys.remember(server, name, token, house)

    def check_room(self) -> None:
        """Any place will do."""


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
        tokens = self._read()
        return tokens.get(name) or tokens.get(f"{server} {name}")

    def put(self, server: str, name: str, token: str, house: str | None = None) -> None:
        """Store a token; other bots that do so at this moment wait.

        Raises:
            BadTokenFile: it cannot be stored.
        """
        tokens = self._read()
        if token not in (tokens.get(name), tokens.get(f"{server} {name}")):
            self._add({f"{server} {name}": token})

    def check_room(self) -> None:
        """See whether a token can be stored, before a name is asked for that would be lost.

        Raises:
            BadTokenFile: it cannot be.
        """
        self._add({})

    def _add(self, more: dict[str, str]) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with whole_file.alone(self.path.parent):
                body = json.dumps(self._read() | more, indent=1, sort_keys=True)
                whole_file.write(self.path, body.encode(), private=True)
        except OSError as error:
            raise BadTokenFile(f"{self.path} cannot be written: {error.strerror}") from None

    def _read(self) -> dict[str, str]:
        """Raises BadTokenFile."""
        try:
            tokens = whole_file.read_object(self.path) or {}
        except OSError as error:
            raise BadTokenFile(f"{self.path} cannot be read: {error.strerror}") from None
        except whole_file.Damaged:
            tokens = {"": None}
        if not all(isinstance(t, str) for t in tokens.values()):
            raise BadTokenFile(f"{self.path} holds no tokens; remove it, or name another file")
        return tokens
