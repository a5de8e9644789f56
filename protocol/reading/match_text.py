"""Match text (`.mat`) of any program, read: the dialects of what protocol/records/mat.py writes.

     7 point match

     Game 1
     ann : 0                                bob : 0
      1)                                    31: 8/5 6/5
      2) 52: 13/8 24/22                     Doubles => 2
      3)  Takes                             44: 24/20* 24/20 13/9 13/9
      4) 61: Cannot Move
                                            Wins 2 points

What differs: a blank in front of any line or none; the result in a numbered row of its own, or
behind `Drops`; `Wins 2 point`; the dice in either order; a roll without a play left blank, `66:`;
`43: ????`, `43:` or `Concedes` where who rolled gave up; a roll `00:`, which was none; how a turn
is written, which the rules read.  A turn may fill its column, so cells are told by how they begin,
not by where; only of the first cell of a row does the place say whose it is.

Lines before the first game that are nothing of this are free text; those that begin with a
semicolon are comments everywhere, `; [EventDate "2026.11.01"]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from protocol.reading import days
from protocol.reading.written import Unreadable, WrittenEnd, WrittenGame, WrittenMatch

_FACT = re.compile(r"\s*;\s*\[([\w ]+)\s+\"(.*)\"\]\s*")
_LENGTH = re.compile(r"\s*(\d{1,4})[\s-]*points?[\s-]*match\b.*", re.IGNORECASE)
_MONEY = re.compile(r"\s*(?:unlimited|money)\s+(?:match|game|session)\b.*", re.IGNORECASE)
_GAME = re.compile(r"\s*game\s+(\d{1,4})\s*", re.IGNORECASE)
_SCORE = re.compile(r"\s*(.*?)\s*:\s*(\d{1,5})\s+(.*?)\s*:\s*(\d{1,5})\s*")
_ROW = re.compile(r"\s*\d{1,4}\s*\)")
_CELL = re.compile(
    r"(?<![\d/*])([0-6])\s?-?\s?([0-6])\s*:"
    r"|\b(doubles|redoubles|beavers|raccoons|takes|accepts|drops|passes|rejects|refuses"
    r"|resigns|concedes|wins)\b",
    re.IGNORECASE | re.ASCII,
)
_WON = re.compile(r"wins\s+(\d{1,5})\s+points?(?:\s+and\s+the\s+match)?\.?\s*", re.IGNORECASE)
_DECISIONS: Final = {
    "doubles": "double", "redoubles": "double", "beavers": "beaver", "raccoons": "raccoon",
    "takes": "take", "accepts": "take", "drops": "drop", "passes": "drop", "rejects": "drop",
    "refuses": "drop",
}  # fmt: skip
_GIVES_UP: Final = frozenset({"resigns", "concedes"})
_RAISED = re.compile(r"\s*(?:=>|to)?\s*\d{0,5}\s*")
_NOTHING = re.compile(r"\?+")
_STARTS: Final = {"nackgammon": "nackgammon", "hypergammon": "hypergammon"}
_FAR: Final = 12  # columns between `1)` and a cell that is the right player's
_RIGHT: Final = 20  # columns in front of a result of the right player's, in a row without a number


class _Cell(NamedTuple):
    """A part of a row: how it begins, what follows until the next one, and where it stands."""

    column: int
    dice: str
    word: str
    text: str
    raw: str


def looks_like(lines: Sequence[str]) -> bool:
    """Return whether this is match text, by its first lines."""
    return any(_LENGTH.fullmatch(line) or _GAME.fullmatch(line) for line in lines[:200])


def read(lines: Sequence[str]) -> WrittenMatch:
    """Return the match as it is written, up to the first line that makes no sense: its `fault`."""
    match = WrittenMatch()
    try:
        _read(match, lines)
    except Unreadable as error:
        match.fault = error
    return match


def _read(match: WrittenMatch, lines: Sequence[str]) -> None:
    needs_score = False
    for number, line in enumerate(lines, 1):
        line = line.expandtabs().rstrip()
        if not line:
            continue
        if (fact := _FACT.fullmatch(line)) is not None:
            _take_fact(match, fact[1].strip().lower(), fact[2])
        elif line.lstrip().startswith(";"):
            continue
        elif not match.games and (length := _LENGTH.fullmatch(line)) is not None:
            match.points = int(length[1]) or None
        elif (found := _GAME.fullmatch(line)) is not None and not needs_score:
            match.games.append(WrittenGame(number, int(found[1])))
            needs_score = True
        elif not match.games:
            continue  # free text, or a session of money
        elif needs_score:
            _take_score(match, number, line)
            needs_score = False
        else:
            _take_row(match, number, line)
    if not match.games:
        raise Unreadable(len(lines), "`Game 1` was expected, and the file ends")
    if needs_score:
        raise Unreadable(len(lines), f"{_SCORE_EXPECTED}, and the file ends")


_SCORE_EXPECTED: Final = "the names and the score were expected, such as ` ann : 0      bob : 0`"


def _take_fact(match: WrittenMatch, name: str, value: str) -> None:
    if name == "eventdate":
        match.at = days.milliseconds(value)
    elif name == "variation":
        match.start = _STARTS.get(value.lower().replace(" ", ""), "")
    elif name == "jacoby":
        match.jacoby = value.lower() == "on"
    elif name in ("beaver", "beavers"):
        match.beavers = value.lower() == "on"
    elif name == "cubelimit":
        match.cube = value.strip() != "1"


def _take_score(match: WrittenMatch, number: int, line: str) -> None:
    found = _SCORE.fullmatch(line)
    if found is None:
        raise Unreadable(number, f"{_SCORE_EXPECTED}, not {line.strip()[:40]!r}")
    match.games[-1].score = int(found[2]), int(found[4])
    if len(match.games) == 1:
        match.names = found[1], found[3]


def _take_row(match: WrittenMatch, number: int, line: str) -> None:
    """Take the turns and the result that stand in one line."""
    game = match.games[-1]
    row = _ROW.match(line)
    begin = row.end() if row is not None else 0
    cells = list(_cells(line, begin, number))
    if not cells:
        return
    far = cells[0].column - begin >= _FAR if row is not None else cells[0].column >= _RIGHT
    for index, cell in enumerate(cells):
        seat = int(far) if index == 0 else 1 if index == 1 and not far else None
        if game.end is not None:
            raise Unreadable(number, "the game is over, so `Game` and its number were expected")
        if cell.word == "wins":
            game.end = _end(cell, seat, number)
        elif cell.word in _GIVES_UP:
            continue  # whose result follows
        elif cell.word:
            if not _RAISED.fullmatch(cell.text):
                raise Unreadable(number, f"{cell.raw.strip()[:40]!r} is no decision about the cube")
            match.add(number, seat, "", _DECISIONS[cell.word])
        elif "0" not in cell.dice:
            text = " ".join(_NOTHING.sub("", cell.text).split())
            match.add(number, seat, cell.dice, text)


def _cells(line: str, begin: int, number: int) -> Iterator[_Cell]:
    found = list(_CELL.finditer(line, begin))
    rest = line[begin : found[0].start()] if found else line[begin:]
    if rest.strip(" ."):
        what = "a roll such as `31:`, Doubles, Takes, Drops or Wins was expected"
        raise Unreadable(number, f"{what}, not {rest.strip()[:40]!r}")
    if not found:
        return
    ends = [*(each.start() for each in found[1:]), len(line)]
    for each, end in zip(found, ends, strict=True):
        dice = (each[1] or "") + (each[2] or "")
        text = line[each.end() : end]
        yield _Cell(each.start(), dice, (each[3] or "").lower(), text, line[each.start() : end])


def _end(cell: _Cell, seat: int | None, number: int) -> WrittenEnd:
    won = _WON.fullmatch(cell.raw)
    if won is None:
        raise Unreadable(number, f"`Wins 2 points` was expected, not {cell.raw.strip()[:40]!r}")
    return WrittenEnd(number, seat if seat is not None else int(cell.column >= _RIGHT), int(won[1]))
