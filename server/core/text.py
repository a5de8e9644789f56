"""What people and bots write for others to read, cleaned of what could disturb a screen."""

from __future__ import annotations

import unicodedata

SPACES = frozenset("\t\n")  # control characters that part words


def clean(text: str) -> str:
    """`text` in NFC and on one line, without control, format (bidi and invisible), unassigned and
    surrogate characters; every kind of space is an ordinary one, and none is left at the ends.
    """
    if text.isascii() and text.isprintable():
        return text.strip()
    return unicodedata.normalize("NFC", "".join([_kept(c) for c in text])).strip()


def _kept(c: str) -> str:
    category = unicodedata.category(c)[0]
    if category == "Z" or c in SPACES:
        return " "
    return "" if category == "C" else c
