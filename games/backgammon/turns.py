"""How turns and rolls of backgammon are written, and every usual way in which they are read.

A turn is its moves, from the highest point down, and of one point the longest first: `8/5 6/5`,
`13/9 13/10`, `bar/22`, `6/off`.  Points are the mover's own, 24 the farthest.  A move that is made
several times is written once, `13/7(2)`; what one checker can do is written as one move, `24/13`,
with the points on its way where it hits, `24/18*/13`; a point where something is hit has one star,
where it is named first: `8/4* 6/4`.  Nothing can be moved: `pass`.  A roll has the larger die
first, `31`; in the opening seat 0's.

No two legal turns of a position are written alike.

What is read besides: the moves in any order, apart or joined in any way, with spaces or commas
between them; capitals; `b` or `25` for the bar, `o` or `0` for off; each move as often as it is
made; no stars; the dice in front, `31: 8/5 6/5`; `8-5 6-5`, `8 5 6 5`; `no play`, `no move`,
`cannot move`, also behind what could be moved, `bar/24 pass`, and dice alone, `66:`.  Where a run
can go two ways, what is not written is not hit; if that does not tell, the text is refused.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

from games.backgammon.rules import BAR, LARGER, SMALLER, TURN
from games.backgammon.steps import (
    MOVES,
    NAMES,
    Dice,
    Move,
    Step,
    dice_of,
    stuck,
    too_few,
    ways,
    without_dice,
)
from games.game import CHANCE, END, IllegalAction, NotationError, Position

PASS = 0

_ROLL = re.compile(r"([1-6])[- ]?([1-6])")
_DICE_IN_FRONT = re.compile(r"([1-6])-?([1-6]) ?: ?(.*)")
_NO_MOVE = frozenset({"pass", "no play", "no move", "cannot move", "can't move"})
_NO_MORE = re.compile(rf" (?:{'|'.join(sorted(_NO_MOVE))})$")
_POINT = r"(?:bar|b|off|o|2[0-5]|1[0-9]|[0-9])"
_PATH = re.compile(rf"({_POINT}(?:/{_POINT}\*?)+?)(?:\(([1-4])\))?")
_OTHER_NAMES = {"bar": BAR, "b": BAR, "off": 0, "o": 0}
_MAX_LENGTH = 120  # characters that are read: twice the longest usual way to write a turn


def format_action(p: Position, a: int) -> str:
    """Return the turn `a` in its one notation; at CHANCE the roll."""
    s = p.state
    if s[LARGER] == 0:
        return str(a)
    if a == PASS:
        return "pass"
    if s[LARGER] == s[SMALLER]:
        return _of_double(s, a)
    return _of_two(s, a)


def _of_two(s: tuple[int, ...], a: int) -> str:
    """Return a turn with two different dice: one move, two moves, or one checker that runs on."""
    mirror = 51 - 26 * s[TURN]  # s[mirror - p]: the opponent's checkers on the mover's point p
    f1 = (a >> 1) % 26
    f2 = a // 52
    t1 = max(f1 - s[LARGER + (a & 1)], 0)
    hit1 = "*" if t1 and s[mirror - t1] == 1 else ""
    if f2 == 0:
        return MOVES[f1][t1] + hit1
    t2 = max(f2 - s[SMALLER - (a & 1)], 0)
    hit2 = "*" if t2 and s[mirror - t2] == 1 else ""
    if f2 == t1:
        last = NAMES[t2] + hit2
        return f"{MOVES[f1][t1]}*/{last}" if hit1 else f"{NAMES[f1]}/{last}"
    if f1 == f2 and t1 == t2:
        return f"{MOVES[f1][0]}(2)"  # two different dice meet off the board only
    if t1 == t2:
        hit2 = ""
    return f"{MOVES[f1][t1]}{hit1} {MOVES[f2][t2]}{hit2}"


def _of_double(s: tuple[int, ...], a: int) -> str:
    """A turn of a double: up to four steps, each joined to the one before it where it can be."""
    mirror = 51 - 26 * s[TURN]
    die = s[LARGER]
    sources = _sources(a)
    hits = {f - die for f in sources if f > die and s[mirror - f + die] == 1}
    first = sources[0]
    words = []
    for below, steps, times in _runs(tuple([first - f for f in sources]), die):
        source = first - below
        target = source - steps * die
        word = MOVES[source][max(0, target)]
        if hits:
            word = _starred(source, steps, die, hits)
        words.append(f"{word}({times})" if times > 1 else word)
    return " ".join(words)


@lru_cache(maxsize=4096)  # seen from the first, few ways to lie
def _runs(sources: tuple[int, ...], die: int) -> tuple[tuple[int, int, int], ...]:
    """Return how checkers run on by `die`, given how far below the first one they stand, ascending.

    Of each run the point where it begins, counted likewise, its steps, and how often it is made.
    """
    left = list(sources)
    runs: dict[tuple[int, int], int] = {}
    while left:
        start = point = left[0]
        while point in left:
            left.remove(point)
            point += die
        run = start, (point - start) // die
        runs[run] = runs.get(run, 0) + 1
    return tuple([(start, steps, times) for (start, steps), times in runs.items()])


def _starred(source: int, steps: int, die: int, hits: set[int]) -> str:
    """One run with the points where it hits, which are taken out of `hits`."""
    path = NAMES[source]
    last = source - steps * die
    for point in range(source - die, last - 1, -die):
        if point in hits:
            hits.remove(point)
            path = f"{path}/{point}*"
    return path if path.endswith(f"/{last}*") else f"{path}/{NAMES[max(last, 0)]}"


def _sources(a: int) -> list[int]:
    """Return the points that a double's turn leaves, highest first."""
    four = (a // 17576, a // 676 % 26, a // 26 % 26, a % 26)
    return [f for f in four if f]


def parse_action(p: Position, text: str) -> int:
    """Return the turn or roll that `text` names, in any usual way of writing it.

    Raises:
        NotationError: it is not written like a turn, or like two that it does not tell apart.
        IllegalAction: it is a turn, but not one for this position; `why` says what is in the way.
    """
    if p.to_move == CHANCE:
        return _parse_roll(p, text)
    if text in p.legal_notation():
        return p.legal_actions()[p.legal_notation().index(text)]
    plain = " ".join(text[: _MAX_LENGTH + 1].lower().replace(",", " ").split())
    rolled = _DICE_IN_FRONT.fullmatch(plain)
    if rolled is not None:
        plain = rolled[3]
    nothing = plain in _NO_MOVE or (rolled is not None and not plain)
    moves, stars = ([], set()) if nothing else read_moves(plain, text)
    if p.to_move == END:
        raise IllegalAction(p, None, text, "the game is over")
    dice = dice_of(p)
    if rolled is not None and {int(rolled[1]), int(rolled[2])} != set(dice):
        raise IllegalAction(p, None, text, f"the dice are {dice[0]} and {dice[1]}")
    if moves:
        return _chosen(p, text, moves, stars)
    if p.legal_actions() == (PASS,):
        return PASS
    raise IllegalAction(p, None, text, "something can be moved")


def read_moves(plain: str, text: str) -> tuple[list[Move], set[int]]:
    """Return the moves as they are written, and the points that have a star; NotationError: none.

    `plain`: the text in small letters, without commas and double spaces.
    """
    words = _NO_MORE.sub("", plain).replace(" (", "(").replace("-", "/").split()
    if not any("/" in word for word in words):  # pairs of points
        words = ["/".join(words[i : i + 2]) for i in range(0, len(words), 2)]
    paths = [_PATH.fullmatch(word) for word in words]
    if not words or not all(paths) or len(plain) > _MAX_LENGTH:
        raise NotationError(f"{text[:40]!r} is no turn; one looks like '8/5 6/5' or 'bar/22'")
    moves, stars = [], set()
    for path, times in (match.groups() for match in paths if match is not None):
        points = [(_place(name.rstrip("*")), name.endswith("*")) for name in path.split("/")]
        stars |= {point for point, star in points if star}
        for (source, _), (target, _) in pairwise(points):
            if target >= source:
                raise NotationError(
                    f"{NAMES[source]}/{NAMES[target]} leads away from home: points count down"
                )
            moves += [Move(source, target)] * int(times or 1)
    return moves, stars


def _place(name: str) -> int:
    return _OTHER_NAMES[name] if name in _OTHER_NAMES else int(name)


def _chosen(p: Position, text: str, moves: list[Move], stars: set[int]) -> int:
    """Return the legal turn that makes these moves and hits where there are stars."""
    dice, legal = dice_of(p), p.legal_notation()
    unwritten: dict[str, int] = {}  # of each turn that fits: its hits that have no star
    reasons: list[str] = []
    unhit: list[int] = []
    for way in ways(moves, dice):
        turn, hits = format_action(p, _number(way, dice)), _hits(p, way)
        if why := stuck(p, way):
            reasons.append(why)
        elif turn not in legal:
            reasons.append(too_few(way, dice, _playable(p)))
        elif stars <= hits:
            unwritten[turn] = len(hits - stars)
        else:
            unhit += stars - hits
    readings = [turn for turn, n in unwritten.items() if n == min(unwritten.values())]
    if len(readings) > 1:
        raise NotationError(f"{text[:40]!r} can be {' or '.join(readings)}; write which")
    if readings:
        return p.legal_actions()[legal.index(readings[0])]
    if unhit:
        reasons = [f"nothing is hit on {NAMES[max(unhit)]}"]
    why = " and ".join(dict.fromkeys(reasons)) or without_dice(moves, dice)
    raise IllegalAction(p, None, text, why)


def _number(way: tuple[Step, ...], dice: Dice) -> int:
    """Return a number for the turn of these steps, which may be in any order."""
    falling = sorted(way, reverse=True)
    sources = [source for source, _ in falling] + [0] * (4 - len(way))
    if len(dice) == 4:
        return ((sources[0] * 26 + sources[1]) * 26 + sources[2]) * 26 + sources[3]
    return int(falling[0].die == dice[1]) + 2 * (sources[0] + 26 * sources[1])


def _hits(p: Position, way: tuple[Step, ...]) -> set[int]:
    """Return the points on which these steps hit."""
    mirror = 51 - 26 * p.state[TURN]
    return {step.target for step in way if step.target > 0 and p.state[mirror - step.target] == 1}


def _playable(p: Position) -> int:
    """Return how many dice every legal turn plays."""
    a = p.legal_actions()[0]
    return len(_sources(a)) if p.state[LARGER] == p.state[SMALLER] else 1 + (a >= 52)


def _parse_roll(p: Position, text: str) -> int:
    """Two dice; in the opening in the order of the seats, else in any."""
    match = _ROLL.fullmatch(text)
    if match is None:
        raise NotationError(f"{text[:20]!r} is no roll; one looks like '31'")
    first, second = int(match[1]), int(match[2])
    if p.state[TURN] >= 0:
        return 10 * max(first, second) + min(first, second)
    if first == second:
        raise IllegalAction(p, None, text, "the opening is rolled again until the dice differ")
    return 10 * first + second
