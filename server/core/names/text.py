"""What people and bots write for others to read, cleaned of what could disturb a screen."""

from __future__ import annotations

import unicodedata

SPACES = frozenset("\t\n")  # control characters that part words


def clean(text: str) -> str:
    """Return `text` in NFC and stripped, on one line of printable characters and plain spaces."""
    if not text.isprintable():
        text = "".join([_cleaned(c) for c in text])
    return unicodedata.normalize("NFC", text).strip()


def _cleaned(c: str) -> str:
    category = unicodedata.category(c)[0]
    if category == "Z" or c in SPACES:
        return " "
    return "" if category == "C" else c
