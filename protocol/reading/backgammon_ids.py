"""Positions of backgammon as people paste them: XGIDs, and the IDs of GNU Backgammon.

The rules read the one XGID that they write (games/backgammon_cube/positions.py); here whatever else
is in use becomes that one:

- an XGID anywhere in a text of several lines, with spaces, or with `xgid=` in small letters;
- the dice in the order in which they fell; a largest cube beyond 2 ** 10;
- the Crawford flag where both sides lack one point, which some programs leave on;
- a Position ID, `4HPwATDgc/ABMA`, alone or with a Match ID behind a colon or on the next line.

A Position ID does not say whose turn it is: X's.  Player 1 of GNU Backgammon is our X, player 0 our
O.  The Match ID is 66 bits, the lowest first: the cube as a power of two (4), its owner (2; 3 is
the middle), who is on roll (1), Crawford (1), the state of the game (3), who is to decide (1),
whether a double is to be answered (1), a resignation (2), two dice (3 each), the length (15), the
score of players 0 and 1 (15 each), and a 67th bit: money is played without the Jacoby rule.

Source: GNU Backgammon's manual on Position and Match IDs, and what its version 1.07 writes.
"""

from __future__ import annotations

import base64
import re

from games.backgammon import positions
from games.backgammon_cube.rules import CRAWFORD, JACOBY, LARGEST
from games.game import NotationError

_XGID = re.compile(
    r"(?:XGID *= *)?(?<![-A-Za-z])([-A-Za-z]{26}) *: *(-?\d{1,6}) *: *(-?\d) *: *(-?\d) *: *"
    r"([0-9DBR-]{1,2})((?: *: *\d{1,6}){5})( *: *3)?(?![\w:])",
    re.IGNORECASE | re.ASCII,
)
_LOOKS_LIKE_XGID = re.compile(r"xgid *=|[-A-Za-z]{26}:", re.IGNORECASE)
_ID = re.compile(
    r"(?:^|[\s:=])([A-Za-z0-9+/]{13}[AQgw])(?:(?: *: *|[\s]+Match ID *: *)([A-Za-z0-9+/]{12}))?"
    r"(?=\s|$)"
)


def is_xgid(text: str) -> bool:
    """Return whether somebody who wrote this meant an XGID, right or wrong."""
    return _LOOKS_LIKE_XGID.search(text) is not None


def is_gnubg_id(text: str) -> bool:
    return _ID.search(text) is not None


def usual_xgid(text: str) -> str:
    """Return the first XGID in a text as the rules read it.

    Raises:
        NotationError: there is none.
    """
    match = _XGID.search(text)
    if match is None:
        raise NotationError(f"{text.strip()[:80]!r} is no XGID; {positions.XGID_EXAMPLE}")
    places, cube, owner, turn, dice, rest, few = match.groups()
    one, two, rules, length, limit = (
        int(number) for number in rest.replace(" ", "")[1:].split(":")
    )
    if dice.isdigit() and len(dice) == 2 and dice[0] < dice[1]:
        dice = dice[::-1]
    if rules == CRAWFORD and one == two == length - 1 > 0:
        rules = 0
    numbers = (one, two, rules, length, min(limit, LARGEST))
    few = ":3" if few else ""
    score = ":".join(map(str, numbers))
    return f"XGID={places}:{int(cube)}:{owner}:{turn}:{dice.upper()}:{score}{few}"


def xgid_of(text: str) -> str:
    """Return the position of a GNU Position ID, and of the Match ID behind it, as an XGID.

    Raises:
        NotationError: there is none in the text, or no position has such a one.
    """
    match = _ID.search(text)
    if match is None:
        raise NotationError(f"{text.strip()[:40]!r} is no Position ID such as '4HPwATDgc/ABMA'")
    position, terms = match.groups()
    if terms is None:
        places = positions.format_places(positions.parse_position_id(position))
        return f"XGID={places}:0:0:1:00:0:0:0:0:{LARGEST}"
    bits = int.from_bytes(base64.b64decode(terms), "little")

    def number(first: int, width: int) -> int:
        return bits >> first & (1 << width) - 1

    seat = 1 - number(6, 1)
    places = positions.format_places(positions.parse_position_id(position, seat))
    owner = {0: -1, 1: 1}.get(number(4, 2), 0)
    first, second, length = number(15, 3), number(18, 3), number(21, 15)
    dice = "D" if number(12, 1) else f"{first}{second}"
    jacoby = JACOBY if not length and not number(66, 1) else 0
    rules = CRAWFORD * number(7, 1) if length else jacoby
    score = f"{number(51, 15)}:{number(36, 15)}:{rules}:{length}:{LARGEST}"
    return usual_xgid(f"{places}:{number(0, 4)}:{owner}:{-1 if seat else 1}:{dice}:{score}")
