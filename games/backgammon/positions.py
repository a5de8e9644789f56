"""How positions of backgammon are written: XGID; and GNU Backgammon's Position ID, which is read.

An XGID has ten fields with colons between them:

    XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10

First 26 places: the bar of O, the points 1 to 24 of X, the bar of X; a capital stands for so many
checkers of X (A is 1, O is 15), a small letter for so many of O, and who is nowhere has been borne
off.  Then the cube and its owner, always 0; whose turn it is, 1 for X (seat 0, always in capitals)
and -1 for O; the dice, larger first, 00 if they are to be rolled; both scores, the Crawford or
Jacoby rule, and the match length, always 0; and the largest cube, always 10.  Our own: turn 0 is
the opening roll.  When the game is over it is the turn of who would have rolled next.

Sources: eXtreme Gammon's help on XGID; GNU Backgammon's manual, "A technical description of the
Position ID", which names the player on roll first: in fact the other one comes first.
"""

from __future__ import annotations

from games.backgammon.rules import BAR, CHECKERS, LARGER, SMALLER, STATE, TURN
from games.game import Position

_LETTERS = "-ABCDEFGHIJKLMNO"
_COUNTS = {letter: n for n, letter in enumerate(_LETTERS)}
_PREFIX = "XGID="
_MONEY = "0:0:0:0:10"
_EXAMPLE = "one looks like 'XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10'"
_SIDES = ("X", "O")


def format_position(p: Position) -> str:
    """The position as an XGID."""
    s = p.state
    places = []
    for place in range(26):
        mine, theirs = s[place] if place else 0, s[51 - place] if place < BAR else 0
        places.append(_LETTERS[mine] if mine else _LETTERS[theirs].lower())
    turn = {0: "1", 1: "-1", -1: "0"}[s[TURN]]
    return f"{_PREFIX}{''.join(places)}:0:0:{turn}:{s[LARGER]}{s[SMALLER]}:{_MONEY}"


def parse_position(text: str) -> Position:
    """Read an XGID, with or without its prefix; NotationError if something in it cannot be."""
    from games.backgammon import GAME

    fields = text.removeprefix(_PREFIX).split(":")
    s = [0] * STATE
    for place, letter in enumerate(fields[0]):
        if letter.isupper():
            s[place] = _COUNTS[letter]
        elif letter != "-":
            s[51 - place] = _COUNTS[letter.upper()]
    s[0], s[26] = CHECKERS - sum(s[:26]), CHECKERS - sum(s[26:52])
    s[TURN] = {"1": 0, "-1": 1, "0": -1}[fields[3]]
    s[LARGER], s[SMALLER] = int(fields[4][0]), int(fields[4][1])
    return Position(GAME, tuple(s))
