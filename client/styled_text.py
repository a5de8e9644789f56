"""Lines of styled text for a terminal, in which the text of strangers is harmless.

A line is a tuple of parts, each a style word and a text; client/terminal/shown/screen.py gives the
words colours, a pipe leaves them out.  `styled` is the only maker of lines, and cleans every part:
control characters could move the cursor or retitle the window, bidi and invisible ones could make a
text read as another.  So what came over the wire (names, chat, notes, refusals) may go into it as
it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from protocol.records import plain_text
from protocol.records.plain_text import clean, pad

StyledPart: TypeAlias = tuple[str, str]
StyledText: TypeAlias = tuple[StyledPart, ...]

__all__ = ["clean", "pad"]  # which records have, too


def styled(*parts: str | StyledPart) -> StyledText:
    """Return a line of these parts, cleaned; a bare text has no style."""
    pairs = (("", part) if isinstance(part, str) else part for part in parts)
    return tuple([(style, clean(text)) for style, text in pairs if text])


def text_of(line: StyledText) -> str:
    return "".join([text for _, text in line])


def width(line: str | StyledText) -> int:
    return plain_text.width(line if isinstance(line, str) else text_of(line))


def shorten(text: str, columns: int) -> str:
    """At most `columns` of `text`, cleaned, with an ellipsis where something is left out."""
    text = clean(text)
    if width(text) <= columns:
        return text
    while text and width(text) > columns - 1:
        text = text[:-1]
    return text.rstrip() + "…" if columns > 0 else ""


def cut(line: StyledText, columns: int) -> StyledText:
    """Return the line, shortened to fit into so many columns."""
    if width(line) <= columns:
        return line
    parts: list[StyledPart] = []
    left = columns
    for style, text in line:
        parts.append((style, shorten(text, left)))
        left -= width(parts[-1][1])
        if left <= 0 or parts[-1][1] != text:
            break
    return tuple(parts)


def wrapped(line: StyledText, columns: int) -> list[StyledText]:
    """Return the line in rows of at most so many columns, broken between words where that can be.

    What is more columns wide than a row, such as a long word, is left to the terminal to break.
    """
    if width(line) <= columns:
        return [line]
    rows: list[StyledText] = []
    row: list[StyledPart] = []
    for style, word in _words(line):
        if row and width(tuple(row)) + width(word.rstrip()) > columns:
            style_before, text = row[-1]  # its blanks would make a full row one column too long
            rows.append((*row[:-1], (style_before, text.rstrip())))
            row = []
        row.append((style, word))
    return [*rows, tuple(row)]


def _words(line: StyledText) -> Iterator[StyledPart]:
    """The words of a line, each with the blanks behind it."""
    for style, text in line:
        for word in re.findall(r" *[^ ]+ *| +", text):
            yield style, word


def beside(one: list[StyledText], two: list[StyledText], gap: int = 4) -> list[StyledText]:
    """Two blocks of lines side by side."""
    wide = max(map(width, one), default=0) + gap
    rows = max(len(one), len(two))
    left = [*one, *[()] * (rows - len(one))]
    right = [*two, *[()] * (rows - len(two))]
    return [
        (*a, ("", " " * (wide - width(a))), *b) if b else a
        for a, b in zip(left, right, strict=True)
    ]


def per_row(cells: Sequence[StyledText], wide: int, gap: int = 3) -> int:
    """Return how many of these cells stand side by side in `wide` columns."""
    return max(1, (wide + gap) // (max(map(width, cells), default=0) + gap))


def columns(cells: Sequence[StyledText], wide: int, gap: int = 3) -> list[StyledText]:
    """Cells in as many columns as fit into `wide`, read line by line."""
    each = per_row(cells, wide, gap)
    step = max(map(width, cells), default=0) + gap
    return [_row(cells[i : i + each], step) for i in range(0, len(cells), each)]


def _row(cells: Sequence[StyledText], step: int) -> StyledText:
    parts: list[StyledPart] = []
    for cell in cells[:-1]:
        parts += [*cell, ("", " " * (step - width(cell)))]
    return (*parts, *cells[-1])
