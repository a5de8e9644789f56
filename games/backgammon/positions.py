"""How positions of backgammon are written: as XGID.  GNU Backgammon's Position ID is read, too.

An XGID has ten fields with colons between them, and `XGID=` in front, which may be left out:

    XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10

The first has 26 places: O's bar, X's points 1 to 24, X's bar.  A capital stands for so many
checkers of X (A is 1, O is 15), a small letter for so many of O; all others have been borne off.
Then the cube and its owner, here 0; whose turn it is, 1 for X, who is seat 0 always, -1 for O; the
dice, the larger first, 00 when they are to be rolled; the score of both, the Crawford or Jacoby
rule, the length of the match, here 0; and the largest cube, here 10.  A turn of 0, which others do
not have, stands for the opening roll.  When the game is over it would be the loser's turn.

Sources: eXtreme Gammon's help on XGID; GNU Backgammon's manual on the Position ID, which says that
who is on roll comes first there, while in what the program writes it is the other.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence

from games.backgammon.rules import BAR, CHECKERS, LARGER, SMALLER, STATE, TURN, setup
from games.game import NotationError

SIDES = ("X", "O")
_LETTERS = "-ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_COUNTS = {letter: n for n, letter in enumerate(_LETTERS)}
TURNS = {"1": 0, "-1": 1, "0": -1}
TURN_FIELDS = {seat: field for field, seat in TURNS.items()}
_CUBE, _SCORE = "0:0", "0:0:0:0:10"
_XGID = re.compile(
    r"(?:XGID=)?([-A-Za-z]{26}):(-?[0-9]{1,6}:-?[0-9]):(-?[0-9]):([0-9DBR]{1,2})"
    r":([0-9]{1,6}(?::[0-9]{1,6}){4})"
)
XGID_EXAMPLE = "one looks like 'XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10'"
_POSITION_ID = re.compile(r"([A-Za-z0-9+/]{13}[AQgw])(?::[A-Za-z0-9+/]{12})?")


def format_state(s: Sequence[int]) -> str:
    turn, dice = TURN_FIELDS[s[TURN]], f"{s[LARGER]}{s[SMALLER]}"
    return f"XGID={format_places(s)}:{_CUBE}:{turn}:{dice}:{_SCORE}"


def format_places(s: Sequence[int]) -> str:
    """Return the first field of an XGID: where the checkers of both sides stand."""
    points = [
        _LETTERS[s[point]] if s[point] else _LETTERS[s[51 - point]].lower()
        for point in range(1, 25)
    ]
    return _LETTERS[s[51]].lower() + "".join(points) + _LETTERS[s[BAR]]


def parse_places(text: str, places: str) -> tuple[list[int], list[int]]:
    """Read the first field of the XGID `text`: X's checkers on points 0 to 25, and O's on its own.

    Raises:
        NotationError: a side's bar holds checkers of the other one.
    """
    if places[0].isupper() or places[BAR].islower():
        raise NotationError(f"{text!r}: the first place is O's bar, the last one is X's")
    mine = [_COUNTS[c] if c.isupper() else 0 for c in places]
    theirs = [_COUNTS[c.upper()] if c.islower() else 0 for c in reversed(places)]
    return mine, theirs


def parse_state(text: str) -> tuple[int, ...]:
    """Read an XGID as a state; NotationError if it is none, or no game can reach it."""
    match = _XGID.fullmatch(text)
    if match is None:
        raise NotationError(f"{text[:80]!r} is no XGID; {XGID_EXAMPLE}")
    places, cube, turn, dice, score = match.groups()
    if (cube, score) != (_CUBE, _SCORE):
        raise NotationError(
            f"{text!r}: a game here has no cube and no score, so all but board, turn and dice "
            f"is as in :{_CUBE}:{turn}:{dice}:{_SCORE}; backgammon_cube has both"
        )
    mine, theirs = parse_places(text, places)
    if turn not in TURNS:
        raise NotationError(f"{text!r}: the turn is 1 for X, -1 for O, 0 for the opening roll")
    if dice != "00" and not re.fullmatch("[1-6][1-6]", dice):
        raise NotationError(f"{text!r}: the dice are two digits from 1 to 6, or 00")
    if dice[0] < dice[1]:
        raise NotationError(f"{text!r}: of the dice the larger comes first: {dice[::-1]}")
    return _checked(text, mine, theirs, TURNS[turn], (int(dice[0]), int(dice[1])))


def parse_position_id(text: str, seat: int = 0) -> tuple[int, ...]:
    """Read a Position ID of GNU Backgammon as a state; a Match ID behind it is ignored.

    Args:
        text: such as `4HPwATDgc/ABMA` or `4HPwATDgc/ABMA:cAkAAAAAAAAA`.
        seat: who is on roll there, which a Position ID does not say.

    Raises:
        NotationError: `text` is no Position ID, or no position of a game.
    """
    match = _POSITION_ID.fullmatch(text)
    if match is None:
        raise NotationError(f"{text[:40]!r} is no Position ID; one looks like '4HPwATDgc/ABMA'")
    # A one for each checker and a nought after each point, 1 to 24 and the bar; first the side that
    # is not on roll, and the lowest bit.
    bits = int.from_bytes(base64.b64decode(match[1] + "=="), "little")
    stacks = f"{bits:080b}"[::-1].split("0")
    if len(stacks) <= 50 or any(stacks[50:]):
        raise NotationError(f"{text!r} has too many checkers, or some beyond the bar")
    other, roller = ([0, *map(len, stacks[i : i + 25])] for i in (0, 25))
    mine, theirs = (roller, other) if seat == 0 else (other, roller)
    return _checked(text, mine, theirs, seat, (0, 0))


def _checked(
    text: str, mine: Sequence[int], theirs: Sequence[int], turn: int, dice: tuple[int, int]
) -> tuple[int, ...]:
    """The state with these checkers on the points and the bar of X and of O; `text` gave it."""
    s = [CHECKERS - sum(mine), *mine[1:], CHECKERS - sum(theirs), *theirs[1:], turn, *dice]
    if complaint := _complaint(s):
        raise NotationError(f"{text!r}: {complaint}")
    return tuple(s)


def _complaint(s: Sequence[int]) -> str:
    """Return why these are no state of a game; empty if they are."""
    start = [0] * STATE
    setup(start)
    for seat, side in enumerate(SIDES):
        if s[26 * seat] < 0:
            return f"{side} has {CHECKERS - s[26 * seat]} checkers, and there are {CHECKERS}"
    for point in range(1, 25):
        if s[point] and s[51 - point]:
            return f"both sides have checkers on X's point {point}"
    off = [seat for seat in (0, 1) if s[26 * seat] == CHECKERS]
    if len(off) == 2:
        return "both sides have borne off all their checkers"
    if off and (s[TURN], s[LARGER]) != (1 - off[0], 0):
        return f"{SIDES[off[0]]} has won, so it would be {SIDES[1 - off[0]]}'s turn to roll"
    if s[TURN] < 0 and list(s) != start:
        return "the opening roll is made from the start, with the dice still 00"
    return ""
