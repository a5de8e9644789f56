"""Text of strangers on a line of its own, harmless, and in columns."""

from __future__ import annotations

import json
import unicodedata

_BREAKS = frozenset("\t\n\r\v\f\x85\u2028\u2029")


def clean(text: str) -> str:
    """Return `text` on one line without control, format, private and unassigned characters."""
    if text.isascii() and text.isprintable():
        return text
    return "".join([_harmless(c) for c in text])


def _harmless(c: str) -> str:
    if c in _BREAKS:
        return " "
    return "" if unicodedata.category(c)[0] == "C" else c


def clean_json(text: str) -> str:
    """Return JSON that says the same, with escapes for what `clean` takes out of texts."""
    if text.isascii() and "\x7f" not in text:  # JSON has escapes for all other control characters
        return text
    return "".join([json.dumps(c)[1:-1] if _harmless(c) != c and c != "\n" else c for c in text])


def width(text: str) -> int:
    """Return how many columns of a terminal a text fills."""
    if text.isascii() and text.isprintable():
        return len(text)
    from wcwidth import wcwidth  # its tables take 10 ms, which a server that starts would wait for

    return sum([max(0, wcwidth(c)) for c in text])


def pad(text: str, columns: int, side: str = "<") -> str:
    """Return `text`, cleaned, with spaces up to `columns`: behind it, or with > in front of it."""
    text = clean(text)
    spaces = " " * (columns - width(text))
    return spaces + text if side == ">" else text + spaces
