"""The text of a match for people, read: what protocol/records/text.py writes, of any game.

What a text does not say is lost: times, salts and the secret of the dice, thoughts, takebacks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from games import registry
from protocol.reading import days
from protocol.reading.written import Unreadable, WrittenEnd, WrittenGame, WrittenMatch

_TITLE = re.compile(r"(.+), match (\S+)")
_FACT = re.compile(r"(\S+) {2,}(.*)")
_ROW = re.compile(r" *\d{1,5}\. (.*)")
_GAP = re.compile(r" {3,}")
_CELL = re.compile(r"(?:([1-6][1-6]): ?)?(.*)")
_OPENING = re.compile(r"\((.*)\)")  # that a ladder set up
_SERIES = re.compile(r"game (\d{1,5}) at (\d{1,5}) . (\d{1,5}) to (\d{1,5})(, Crawford)?")
_WON = re.compile(r"(\S+) won(?: (\d{1,5}) points)?: (.*)")
_HOW: Final = (
    ("ran out of time", "flag"), ("was away", "abandon"), ("illegal", "illegal"),
    ("crashed", "crash"),
)  # fmt: skip


def looks_like(lines: Sequence[str]) -> bool:
    return _TITLE.fullmatch(lines[0].strip()) is not None


def read(lines: Sequence[str]) -> WrittenMatch:
    """Return the matches of a text, as they are written, up to what makes no sense: its `fault`."""
    match = WrittenMatch()
    try:
        _read(match, lines)
    except Unreadable as error:
        match.fault = error
    return match


def _read(match: WrittenMatch, lines: Sequence[str]) -> None:
    seats: tuple[str, str] = ("X", "O")
    is_list = False
    for number, line in enumerate(lines, 1):
        line = line.rstrip()
        if (title := _TITLE.fullmatch(line)) is not None and not line.startswith(" "):
            seats, is_list = _begin(match, number, title[1]), True
        elif line in ("Taken back:", "Not legal:"):
            is_list = False  # what stands below undid nothing that is listed
        elif is_list and (row := _ROW.fullmatch(line)) is not None:
            _take_row(match, number, row[1])
        elif is_list and (fact := _FACT.fullmatch(line)) is not None:
            _take_fact(match, number, seats, fact[1], fact[2])
        elif is_list and line:
            raise Unreadable(number, f"a row such as `  1. 4   3` was expected, not {line[:40]!r}")


def _begin(match: WrittenMatch, number: int, title: str) -> tuple[str, str]:
    """Begin a game, and return what its seats are called."""
    for name in registry.names():
        game = registry.game(name)
        if game.title == title:
            if match.games and match.game != name:
                raise Unreadable(number, f"a game of {match.game} was expected, not of {name}")
            match.game = name
            match.games.append(WrittenGame(number, len(match.games) + 1))
            return game.seats
    raise Unreadable(number, f"no game here is called {title[:40]!r}")


def _take_fact(
    match: WrittenMatch, number: int, seats: tuple[str, str], name: str, value: str
) -> None:
    game, first = match.games[-1], len(match.games) == 1
    if name in seats and first:
        names = list(match.names)
        names[seats.index(name)] = value
        match.names = names[0], names[1]
    elif name == "played" and first:
        match.at = days.milliseconds(value)
    elif name == "rules":
        match.jacoby, match.beavers = "Jacoby" in value, "beavers" in value
        match.cube = "no cube" not in value
        match.start = next((w for w in ("nackgammon", "hypergammon") if w in value), "")
    elif name == "series" and (series := _SERIES.fullmatch(value)) is not None:
        game.number, match.points = int(series[1]), int(series[4])
        game.score, game.crawford = (int(series[2]), int(series[3])), series[5] is not None
    elif name == "result":
        game.end = _end(number, seats, value)


def _end(number: int, seats: tuple[str, str], value: str) -> WrittenEnd | None:
    won = _WON.fullmatch(value)
    if won is not None and won[1] in seats:
        how = next((how for words, how in _HOW if words in won[3]), "resign")
        return WrittenEnd(number, seats.index(won[1]), int(won[2] or 1), how)
    if value.startswith("a draw, by agreement"):
        return WrittenEnd(number, None, how="agreement", reason="draw")
    if value.startswith("called off"):
        return WrittenEnd(number, None, how="abort", reason="abort")
    if value.startswith("void: "):
        return WrittenEnd(number, None, how="void", reason=value[6:])
    return None


def _take_row(match: WrittenMatch, number: int, row: str) -> None:
    cells = _GAP.split(row.rstrip()) if row.strip() else []
    for index, cell in enumerate(cells):
        if not cell:
            continue
        found = _CELL.fullmatch(cell.strip())
        assert found is not None, "it matches any text"
        opening = _OPENING.fullmatch(found[2])
        text = opening[1] if opening is not None else found[2]
        match.add(number, index if index < 2 else None, found[1] or "", text)
