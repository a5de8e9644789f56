"""Backgammon in the Smart Game Format (`.sgf`), read: what GNU Backgammon writes, and we do.

Each game is a tree, of which the first branch is read; protocol/records/sgf.py tells the format.
Of the properties, those of a match, of moves and of the cube are read; what an analysis has added
is passed over.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import Final, TypeAlias

from protocol.reading import days
from protocol.reading.written import Unreadable, WrittenEnd, WrittenGame, WrittenMatch
from protocol.records.sgf import COLOURS

_PART = re.compile(r"[();]|([A-Za-z]+)|\[((?:[^\]\\]|\\.)*)\]|\s+", re.DOTALL)
_RESULT = re.compile(r"([BW])\+(\d{1,5}(?:\.0+)?)(R?)")
_INFO = re.compile(r"(length|game|ws|bs):(\d{1,5})")
_MOVE = re.compile(r"([1-6])([1-6])((?:[a-z][a-z])*)")
_SET_UP: Final = frozenset({"AB", "AW", "AE"})  # that a game does not begin at the start
_STARTS: Final = {"nackgammon": "nackgammon", "hypergammon3": "hypergammon"}

Values: TypeAlias = dict[str, list[str]]


def looks_like(text: str) -> bool:
    return re.match(r"\s*\(\s*;", text) is not None


def read(text: str) -> WrittenMatch:
    """Return the match as it is written, up to the first place that makes no sense: its `fault`."""
    match = WrittenMatch()
    try:
        for line, properties, is_root in _nodes(text):
            if is_root:
                _take_root(match, line, properties)
            else:
                _take_node(match, line, properties)
    except Unreadable as error:
        match.fault = error
    return match


def _nodes(text: str) -> Iterator[tuple[int, Values, bool]]:
    """Yield each node of the first branch of each tree: its line, its properties, is it a root?

    That branch ends where the first bracket of the tree is closed: all others come behind it.
    """
    breaks = [found.start() for found in re.finditer("\n", text)]
    depth, place, name = 0, 0, ""
    branch_is_over = True
    node: tuple[int, Values, bool] | None = None
    while place < len(text):
        line = bisect_right(breaks, place - 1) + 1
        found = _PART.match(text, place)
        if found is None:
            what = f"not {text[place : place + 20].splitlines()[0]!r}"
            raise Unreadable(line, f"a property such as `W[31hefe]` was expected, {what}")
        mark, place = found[0][0], found.end()
        if mark in "();" and node is not None:
            yield node
            node = None
        if mark == "(":
            depth, branch_is_over = depth + 1, branch_is_over and depth > 0
            is_root = depth == 1
        elif mark == ")":
            depth, branch_is_over = depth - 1, True
        elif mark == ";" and not branch_is_over:
            node, is_root = (line, {}, is_root), False
        elif found[1] is not None:
            name = "".join(c for c in found[1] if c.isupper())
        elif found[2] is not None and node is not None:
            value = re.sub(r"\\(.)", r"\1", found[2], flags=re.DOTALL)
            node[1].setdefault(name, []).append(value)
        if depth < 0:
            raise Unreadable(line, "a bracket is closed that was never opened")
    if node is not None:
        yield node
    if depth:
        raise Unreadable(len(breaks) + 1, "the file ends within a game: `)` was expected")


def _take_root(match: WrittenMatch, line: int, root: Values) -> None:
    if root.get("GM", ["6"])[0].strip() != "6":
        raise Unreadable(line, f"GM[{root['GM'][0][:20]}] is another game: backgammon is GM[6]")
    info = {name: int(n) for value in root.get("MI", []) for name, n in _INFO.findall(value)}
    words = [word.lower() for value in root.get("RU", []) for word in value.split(":")]
    if not match.games:
        match.names = root.get("PB", [""])[0], root.get("PW", [""])[0]
        match.points = info.get("length") or None
        match.at = days.milliseconds(root.get("DT", [""])[0])
        match.jacoby = "jacoby" in words
        match.cube = "nocube" not in words
        match.start = next((_STARTS[word] for word in words if word in _STARTS), "")
    game = WrittenGame(line, info.get("game", len(match.games)) + 1)
    if "MI" in root:
        game.score = info.get("bs", 0), info.get("ws", 0)
        game.crawford = "crawfordgame" in words
    if (result := root.get("RE")) and (found := _RESULT.fullmatch(result[0].strip())):
        game.end = WrittenEnd(line, COLOURS.index(found[1]), round(float(found[2])))
    match.games.append(game)
    _take_node(match, line, root)


def _take_node(match: WrittenMatch, line: int, node: Values) -> None:
    if not match.games:
        raise Unreadable(line, "a game begins with `(;`")
    if _SET_UP & set(node):
        raise Unreadable(line, "a game that begins from a position of its own is not read")
    for seat, colour in enumerate(COLOURS):
        for value in node.get(colour, []):
            _take_move(match, line, seat, value.strip())


def _take_move(match: WrittenMatch, line: int, seat: int, value: str) -> None:
    if value in ("double", "take", "drop"):
        game = match.games[-1]
        if value == "double" and game.turns and game.turns[-1].text in ("double", "beaver"):
            value = "raccoon" if game.turns[-1].text == "beaver" else "beaver"
            match.beavers = True
        match.add(line, seat, "", value)
        return
    found = _MOVE.fullmatch(value)
    if found is None:
        what = f"{COLOURS[seat]}[31hefe], [double], [take] or [drop] was expected"
        raise Unreadable(line, f"{what}, not {value[:40]!r}")
    pairs = (found[3][i : i + 2] for i in range(0, len(found[3]), 2))
    moves = [f"{_point(pair[0], seat)}/{_point(pair[1], seat)}" for pair in pairs]
    match.add(line, seat, found[1] + found[2], " ".join(moves))


def _point(letter: str, seat: int) -> int:
    """Return a point as who moves counts it: 25 the bar, 0 off the board."""
    if letter in "yz":
        return 25 if letter == "y" else 0
    point = ord(letter) - ord("a") + 1
    return point if seat == 1 else 25 - point
