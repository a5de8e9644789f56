"""A line of text for a terminal, and what others wrote made harmless in it.

A line is a tuple of parts, each a style word and a text; client/terminal/screen.py gives the words
colours, a pipe leaves them out.  `line` is the only maker of lines, and cleans every part: control
characters could move the cursor or retitle the window, bidi and invisible ones could make a text
read as another.  So what came over the wire (names, chat, notes, refusals) may go into it as it is.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import TypeAlias

from wcwidth import wcwidth

Part: TypeAlias = tuple[str, str]
Line: TypeAlias = tuple[Part, ...]

_BREAKS = frozenset("\t\n\r\v\f\x85\u2028\u2029")


def clean(text: str) -> str:
    """`text` without control, format, surrogate, private and unassigned characters, on one line."""
    if text.isascii() and text.isprintable():
        return text
    return "".join([_harmless(c) for c in text])


def _harmless(c: str) -> str:
    if c in _BREAKS:
        return " "
    return "" if unicodedata.category(c)[0] == "C" else c


def line(*parts: str | Part) -> Line:
    """A line of these parts, cleaned; a bare text has no style."""
    pairs = (("", part) if isinstance(part, str) else part for part in parts)
    return tuple([(style, clean(text)) for style, text in pairs if text])


def text_of(shown: Line) -> str:
    """The line without its styles."""
    return "".join([text for _, text in shown])


def width(text: str | Line) -> int:
    """How many columns of a terminal it fills."""
    text = text if isinstance(text, str) else text_of(text)
    if text.isascii() and text.isprintable():
        return len(text)
    return sum([max(0, wcwidth(c)) for c in text])


def pad(text: str, columns: int) -> str:
    """`text`, cleaned, with spaces up to `columns`."""
    text = clean(text)
    return text + " " * (columns - width(text))


def shorten(text: str, columns: int) -> str:
    """At most `columns` of `text`, cleaned, with an ellipsis where something is left out."""
    text = clean(text)
    if width(text) <= columns:
        return text
    while text and width(text) > columns - 1:
        text = text[:-1]
    return text.rstrip() + "…" if columns > 0 else ""


def cut(shown: Line, columns: int) -> Line:
    """The line, shortened to fit into so many columns."""
    if width(shown) <= columns:
        return shown
    kept: list[Part] = []
    left = columns
    for style, text in shown:
        kept.append((style, shorten(text, left)))
        left -= width(kept[-1][1])
        if left <= 0 or kept[-1][1] != text:
            break
    return tuple(kept)


def beside(one: list[Line], two: list[Line], gap: int = 4) -> list[Line]:
    """Two blocks of lines side by side."""
    wide = max(map(width, one), default=0) + gap
    rows = max(len(one), len(two))
    left = [*one, *[()] * (rows - len(one))]
    right = [*two, *[()] * (rows - len(two))]
    return [
        (*a, ("", " " * (wide - width(a))), *b) if b else a
        for a, b in zip(left, right, strict=True)
    ]


def per_row(cells: Sequence[Line], room: int, gap: int = 3) -> int:
    """How many of these cells stand side by side in `room` columns."""
    return max(1, (room + gap) // (max(map(width, cells), default=0) + gap))


def columns(cells: Sequence[Line], room: int, gap: int = 3) -> list[Line]:
    """Cells in as many columns as `room` holds, read line by line."""
    each = per_row(cells, room, gap)
    wide = max(map(width, cells), default=0) + gap
    return [_row(cells[i : i + each], wide) for i in range(0, len(cells), each)]


def _row(cells: Sequence[Line], wide: int) -> Line:
    parts: list[Part] = []
    for cell in cells[:-1]:
        parts += [*cell, ("", " " * (wide - width(cell)))]
    return (*parts, *cells[-1])
