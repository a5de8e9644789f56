"""A person's names at each server, and their tokens: one file for each server.

    ~/.local/share/plyhouse/keys/127.0.0.1_8765.json
        {"own": "ada", "tokens": {"ada": "..."}, "server": "385f2934473e814b", "addresses": []}

Without a name one is `own`, the first that one had there, whatever was named since; a person and
their bots are one owner.  `awaited` are matches by the name that plays them, which were on when it
was here last.  `server` is the identity of its database, and `addresses` are others by
which it has proved to be that house (same_house.py).  XDG_DATA_HOME is respected.  A token is as
good as a password, so only its owner can read the file.
"""

from __future__ import annotations

import contextlib
import getpass
import json
import logging
import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from urllib.parse import urlsplit

from client.address import parse_address
from protocol.files import folders, whole_file
from protocol.files.folders import NoHome

log = logging.getLogger("plyhouse.client")
MAX_NAME = 24  # characters, as the server has it
_LOCAL = {"localhost": "127.0.0.1", "::1": "127.0.0.1"}


class UnreadableKeys(OSError):
    """The system does not let a file of keys be read: without them one would be somebody else."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The names one has at a server; `own` is the one where none is named."""

    own: str | None = None
    tokens: dict[str, str] = field(default_factory=dict)
    server: str | None = None
    addresses: tuple[str, ...] = ()  # as `slug` writes them
    awaited: dict[str, list[str]] = field(default_factory=dict)

    def token(self, name: str | None) -> str | None:
        """Return the token of `name`, or of one's own."""
        wanted = self.own if name is None else name
        return self.tokens.get(wanted) if wanted is not None else None


def file_of(address: str) -> Path:
    """Return where the keys of the server at `address` are kept.

    Raises:
        NoHome: there is no such place.
    """
    usual = folders.data() / "keys" / f"{slug(address)}.json"
    if usual.exists():
        return usual
    others = (path for path, keys in _all() if slug(address) in keys.addresses)
    return next(others, usual)


def _all() -> Iterator[tuple[Path, Keys]]:
    """Yield what files there are that can be read, and make sense."""
    for path in sorted((folders.data() / "keys").glob("*.json")):
        with contextlib.suppress(OSError, whole_file.Damaged):
            yield path, _read(path) or Keys()


def elsewhere(address: str) -> list[tuple[Path, Keys]]:
    """Return the files of houses that are known by others than this address; none if it is known.

    Raises:
        UnreadableKeys: the file cannot be read.
    """
    load(address)
    try:
        if file_of(address).exists():
            return []
        return [(path, keys) for path, keys in _all() if keys.tokens and keys.server]
    except NoHome:
        return []


def add_address(path: Path, address: str) -> None:
    """Have a new address lead to the keys in a file: the server there has proved whose it is."""
    with contextlib.suppress(OSError):
        _change(path, lambda k: replace(k, addresses=(*k.addresses, slug(address))))


def leave(address: str, server: str) -> None:
    """Keep the keys of an address for the house that they are of: another is there now, `server`.

    If that has been there before, its keys are those of the address again.
    """
    with contextlib.suppress(OSError, whole_file.Damaged):
        path = file_of(address)
        usual = path.with_name(f"{slug(address)}.json")
        keys = _read(path) or Keys()
        if path == usual:
            path.rename(path.with_name(f"{slug(address)}.{_fit(keys.server or '')}.json"))
        else:
            others = tuple(a for a in keys.addresses if a != slug(address))
            _change(path, lambda k: replace(k, addresses=others))
        before = usual.with_name(f"{slug(address)}.{_fit(server)}.json")
        if before.exists():
            before.rename(usual)


def slug(address: str) -> str:
    """Return the name of a server's address in the names of files."""
    place = urlsplit(parse_address(address))
    host = place.hostname or ""
    port = place.port or (443 if place.scheme == "wss" else 80)
    return _fit(f"{_LOCAL.get(host, host)}_{port}")


def _fit(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9.-]", "_", text)[:200]


def load(address: str) -> Keys:
    """Return the keys of the server at `address`; none if there is no file, or no sense in it.

    Raises:
        UnreadableKeys: the file cannot be read.
    """
    try:
        return _read(file_of(address)) or Keys()
    except (NoHome, whole_file.Damaged):
        return Keys()


def remember(address: str, name: str, token: str, server: str | None = None) -> None:
    """Keep the token of `name`, and which house it is of; the first name there is one's own.

    Where it cannot be kept, one is somebody else next time; that is no error, but is said.
    """
    try:
        stored = load(address)
        server = server or stored.server
        if (stored.token(name), stored.server) != (token, server):
            more = {name: token}
            _change(
                file_of(address),
                lambda k: replace(k, own=k.own or name, tokens={**k.tokens, **more}, server=server),
            )
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename}: "
        why = f"{where}{error.strerror or error}"
        log.warning("plyhouse: next time you cannot be %s, as it is kept nowhere: %s", name, why)


def awaited(address: str, name: str) -> list[str]:
    """Return the matches of this name that were on when it was here last."""
    try:
        return load(address).awaited.get(name, [])
    except UnreadableKeys:
        return []


def await_ends(address: str, name: str, matches: list[str]) -> None:
    """Keep which matches of this name are on, if its token is kept."""
    with contextlib.suppress(OSError):
        stored = load(address)
        if name in stored.tokens and stored.awaited.get(name, []) != matches:
            _change(file_of(address), lambda k: replace(k, awaited={**k.awaited, name: matches}))


def forget(address: str, name: str | None) -> None:
    """Drop a token that the server does not know."""

    def without(keys: Keys) -> Keys:
        tokens = {n: t for n, t in keys.tokens.items() if n != name}
        return replace(keys, own=keys.own if keys.own in tokens else None, tokens=tokens)

    with contextlib.suppress(OSError):
        _change(file_of(address), without)


def _read(path: Path) -> Keys | None:
    """Return the keys in a file; None if there is none.

    Raises:
        UnreadableKeys: it cannot be read.
        Damaged: it makes no sense.
    """
    try:
        raw = whole_file.read_object(path)
    except OSError as error:
        raise UnreadableKeys(
            f"{path}, which may hold your names at this server, cannot be read: {error.strerror};"
            " make it yours, or move it away to begin anew"
        ) from None
    if raw is None:
        return None
    if not isinstance(raw.get("tokens"), dict):
        raise whole_file.Damaged(f"{path} holds no tokens")
    tokens = {str(name): str(token) for name, token in raw["tokens"].items()}
    own = raw.get("own", raw.get("last"))  # as it was called once
    server, addresses = raw.get("server"), raw.get("addresses")
    waits = raw.get("awaited")
    return Keys(
        own if own in tokens else None,
        tokens,
        server if isinstance(server, str) else None,
        tuple(map(str, addresses)) if isinstance(addresses, list) else (),
        waits if isinstance(waits, dict) else {},
    )


def _change(path: Path, change: Callable[[Keys], Keys]) -> None:
    """Write a file anew; other programs of the same person, which do so too, wait.

    Raises:
        OSError: it stays as it is.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with whole_file.alone(path.parent):
        try:
            keys = _read(path) or Keys()
        except whole_file.Damaged:
            aside = whole_file.put_aside(path)
            log.warning("plyhouse: %s makes no sense; it is kept as %s", path, aside.name)
            keys = Keys()
        keys = change(keys)
        body = json.dumps(asdict(keys), ensure_ascii=False)
        whole_file.write(path, body.encode(), private=True)


def own_name() -> str | None:
    """Return a name from the login name; None where that makes no name."""
    try:
        login = getpass.getuser()
    except (OSError, KeyError, ImportError):  # the last on Windows, before Python 3.13
        return None
    text = unicodedata.normalize("NFC", login)
    name = "".join(c for c in text if c.isprintable() and c not in "/@")
    return name.strip()[:MAX_NAME].strip() or None
