"""How turns and rolls of backgammon are written, and every usual way in which they are read.

A turn is its moves, from the highest point down, and of one point the longest first: `8/5 6/5`,
`13/9 13/10`, `bar/22`, `6/off`.  Points are the mover's own, 24 the farthest.  A move that is made
twice is written once, `13/7(2)`; one checker that runs on is written in one, `24/13`, with the
points on its way where it hits, `24/18*/13`; a point where something is hit has one star, where it
is named first: `8/4* 6/4`.  Nothing can be moved: `pass`.  A roll has the larger die first, `31`;
in the opening seat 0's.

No two legal turns of a position are written alike, and all numbers of one turn are.

What is read besides: the moves in any order, apart or joined in any way, with spaces or commas
between them; capitals; `b` or `25` for the bar, `o` or `0` for off; each move as often as it is
made; no stars; the dice in front, `31: 8/5 6/5`; `no play`, `no move`, `cannot move`.  Where a run
can go two ways, what is not written is not hit; if that does not tell, the text is refused.
"""

from __future__ import annotations

import re
from typing import TypeAlias

from games.backgammon.rules import BAR, LARGER, SMALLER, TURN
from games.game import Position

Step: TypeAlias = tuple[int, int]  # the point that a checker leaves, the die that it moves by

_NAMES = ("off", *map(str, range(1, 25)), "bar")
_MOVES = tuple(tuple(f"{a}/{b}" for b in _NAMES) for a in _NAMES)  # _MOVES[8][5]: "8/5"
_NO_MOVE = frozenset({"pass", "no play", "no move", "cannot move", "can't move"})
_DICE = re.compile(r"([1-6])-?([1-6])")
_DICE_IN_FRONT = re.compile(r"([1-6])-?([1-6]) ?: ?(.+)")
_POINT = r"bar|b|off|o|2[0-5]|1[0-9]|[0-9]"
_PATH = re.compile(rf"(?:{_POINT})(?:/(?:{_POINT})\*?){{1,4}}(?:\([1-4]\))?")
_PLACE = {"bar": BAR, "b": BAR, "off": 0, "o": 0}
_LONGEST = 100  # characters that are looked at; the longest turn that anybody writes has 60


# ---------------------------------------------------------------- writing


def format_action(p: Position, a: int) -> str:
    """The turn `a` in its one notation; at CHANCE the roll."""
    s = p.state
    if s[LARGER] == 0:
        return str(a)
    if a == 0:
        return "pass"
    if s[LARGER] == s[SMALLER]:
        return _of_double(s, a)
    return _of_two(s, a)


def _of_two(s: tuple[int, ...], a: int) -> str:
    """A turn with two different dice: one move, two moves, or one checker that runs on."""
    mirror = 51 - 26 * s[TURN]  # s[mirror - p]: the opponent's checkers on the mover's point p
    f1 = (a >> 1) % 26
    f2 = a // 52
    t1 = max(f1 - s[LARGER + (a & 1)], 0)
    hit1 = "*" if t1 and s[mirror - t1] == 1 else ""
    if f2 == 0:
        return _MOVES[f1][t1] + hit1
    t2 = max(f2 - s[SMALLER - (a & 1)], 0)
    hit2 = "*" if t2 and s[mirror - t2] == 1 else ""
    if f2 == t1:
        last = _NAMES[t2] + hit2
        return f"{_MOVES[f1][t1]}*/{last}" if hit1 else f"{_NAMES[f1]}/{last}"
    if f1 == f2 and t1 == t2:
        return f"{_MOVES[f1][0]}(2)"  # two different dice meet off the board only
    if f1 < f2 or (f1 == f2 and t1 > t2):
        f1, t1, hit1, f2, t2, hit2 = f2, t2, hit2, f1, t1, hit1
    if t1 == t2:
        hit2 = ""
    return f"{_MOVES[f1][t1]}{hit1} {_MOVES[f2][t2]}{hit2}"


def _of_double(s: tuple[int, ...], a: int) -> str:
    """A turn of a double: up to four steps, each joined to the one before it where it can be."""
    mirror = 51 - 26 * s[TURN]
    die = s[LARGER]
    sources = _sources(a)
    hits = {f - die for f in sources if f > die and s[mirror - f + die] == 1}
    moves: dict[str, str] = {}  # "24/12": "24/18*/12"
    times: dict[str, int] = {}
    while sources:
        source = point = shown = sources[0]
        path = _NAMES[source]
        while point in sources:
            sources.remove(point)
            point -= die
            if point in hits:
                hits.remove(point)
                shown = point
                path = f"{path}/{point}*"
        if point != shown:
            path = f"{path}/{_NAMES[max(point, 0)]}"
        move = _MOVES[source][max(point, 0)]
        moves.setdefault(move, path)
        times[move] = times.get(move, 0) + 1
    return " ".join(
        [path if times[move] == 1 else f"{path}({times[move]})" for move, path in moves.items()]
    )


def _sources(a: int) -> list[int]:
    """The points that a double's turn leaves, highest first."""
    four = (a // 17576, a // 676 % 26, a // 26 % 26, a % 26)
    return [f for f in four if f]


def parse_action(p: Position, text: str) -> int:
    """The turn or roll that `text` names, whichever usual way it is written in."""
    return p.legal_actions()[p.legal_notation().index(text)]
