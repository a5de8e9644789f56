"""The opening book of connect four: best-score moves for the first plies, where proofs take long.

    read().look(position)    # (score, action), or None

It holds what one seat needs that follows it while the other plays anything: from the empty board
and from each opening of two plies, in either seat, positions of fewer than PLIES stones up to
mirror image.  A position that is won at once is left out: every search sees that.

The file: MAGIC, the first 16 bytes of the SHA-256 of all that follows, then for each position, in
order, its key in 7 bytes (games/connect_four.py; that of the mirror image if less), its score for
the side to move plus 22, and its action, a byte each.

lab/book.py makes it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

from games import registry
from games.game import Position

MAGIC: Final = b"plyfour1"
DIGEST: Final = 16
ENTRY: Final = 9
PLIES: Final = 8
FILE: Final = Path(__file__).parents[1] / "data" / "connect_four.book"
GAME: Final = registry.game("connect_four")

Entries: TypeAlias = dict[int, tuple[int, int]]


class BadBook(Exception):
    """A file that is not a book, or not a whole one."""


class Book:
    """Scores and actions by key."""

    def __init__(self, entries: Mapping[int, tuple[int, int]]) -> None:
        self.entries = entries

    def look(self, position: Position) -> tuple[int, int] | None:
        """The score for the side to move and an action that gets it; None where it says nothing."""
        key, turned = name(position)
        entry = self.entries.get(key)
        if entry is None:
            return None
        score, action = entry
        return score, 6 - action if turned else action


def name(position: Position) -> tuple[int, bool]:
    """What the book calls a position, and whether that is its mirror image."""
    key = _key(position)
    image = _key(mirrored(position))
    return min(key, image), image < key


def _key(position: Position) -> int:
    return GAME.key(list(position.state))


def mirrored(position: Position) -> Position:
    """Left and right exchanged."""
    x, o, plies = position.state
    turned = [sum((s >> 7 * c & 127) << 42 - 7 * c for c in range(7)) for s in (x, o)]
    return Position(position.game, (*turned, plies))


@cache
def read(path: Path = FILE) -> Book:
    """The book in a file.

    Raises:
        BadBook: it is not there, or damaged; the sentence says which.
    """
    try:
        return Book(unpack(path.read_bytes()))
    except OSError as error:
        raise BadBook(f"there is no opening book {path}: {error.strerror}") from None
    except BadBook as error:
        raise BadBook(f"{path} {error}") from None


def pack(entries: Mapping[int, tuple[int, int]]) -> bytes:
    """The bytes of a book."""
    body = b"".join(
        key.to_bytes(7, "big") + bytes((score + 22, action))
        for key, (score, action) in sorted(entries.items())
    )
    return MAGIC + hashlib.sha256(body).digest()[:DIGEST] + body


def unpack(data: bytes) -> Entries:
    """What `pack` has packed.

    Raises:
        BadBook: with the end of a sentence about the file.
    """
    head, body = data[: len(MAGIC) + DIGEST], data[len(MAGIC) + DIGEST :]
    if not head.startswith(MAGIC):
        raise BadBook("is no opening book of connect four")
    if head[len(MAGIC) :] != hashlib.sha256(body).digest()[:DIGEST]:
        raise BadBook("is a damaged opening book")
    parts = (body[i : i + ENTRY] for i in range(0, len(body), ENTRY))
    return {int.from_bytes(p[:7], "big"): (p[7] - 22, p[8]) for p in parts}
