"""How positions with cube and score are written: as XGID, all of whose ten fields count.

    XGID=-a-B--E-B-a-dDB--b-bcb----:1:1:-1:63:0:0:0:3:8
         |                          | | |  |  | | | | the largest cube, 2 ** 8
         |                          | | |  |  | | | the length of the match, 0 for money
         |                          | | |  |  | | 1 in the Crawford game; of money 1 Jacoby,
         |                          | | |  |  | |   2 beavers, 3 both
         |                          | | |  |  the score of X and of O
         |                          | | |  the dice; 00 to be rolled
         |                          | | whose turn it is: 1 X, -1 O
         |                          | the cube is O's (-1), X's (1), in the middle (0)
         |                          it shows 2 ** 1
         the checkers, as without a cube

The dice are `D` where a double is to be answered, `B` a beaver and `R` a raccoon; the turn stays
that of the side that doubled, and the cube what it was.  Four things are ours, which others do not
have: the turn 0 of the opening roll; the dice `--`, where who might have doubled has decided to
roll; `DD`, `BD` and `RD`, where the offer was refused and the game is over; and an eleventh field
`3` with three checkers a side, in Hypergammon.

Source: eXtreme Gammon's help on XGID.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from games.backgammon.positions import (
    SIDES,
    TURN_FIELDS,
    TURNS,
    format_places,
    parse_places,
)
from games.backgammon.rules import LARGER, SMALLER, TURN
from games.backgammon_cube import starts
from games.backgammon_cube.actions import OFFERS
from games.backgammon_cube.rules import (
    BEAVERS,
    CRAWFORD,
    CUBE,
    DROPPED,
    EACH,
    LARGEST,
    LENGTH,
    LIMIT,
    OFFER,
    OWNER,
    ROLLING,
    RULES,
    SCORE,
    STATE,
)
from games.game import NotationError

LONGEST: Final = 64  # points of a match elsewhere; ours have starts.MAX_POINTS at most
MAX_MONEY: Final = 999  # points in a session of money play, of which this game knows nothing
_NUMBER = "(0|[1-9][0-9]{0,5})"
_XGID = re.compile(
    rf"(?:XGID=)?([-A-Za-z]{{26}}):{_NUMBER}:(-?[0-9]):(-?[0-9]):([0-9DBR-]{{1,2}})"
    rf":{_NUMBER}:{_NUMBER}:{_NUMBER}:{_NUMBER}:{_NUMBER}(:3)?"
)
_EXAMPLE = "one looks like 'XGID=-b----E-C---eE---c-e----B-:1:-1:1:31:2:4:0:7:10'"
_OWNERS = {"0": -1, "1": 0, "-1": 1}
_OWNER_FIELDS = {owner: field for field, owner in _OWNERS.items()}
_DICE = re.compile("[1-6][1-6]|00|--|[DBR]D?")
_OFFERS = "-DBR"  # by s[OFFER]


def format_state(s: Sequence[int]) -> str:
    """Return the position as an XGID."""
    turn, owner = TURN_FIELDS[s[TURN]], _OWNER_FIELDS[s[OWNER]]
    score = ":".join(map(str, (*s[SCORE : SCORE + 2], s[RULES], s[LENGTH], s[LIMIT])))
    few = "" if s[EACH] == 15 else f":{s[EACH]}"
    return f"XGID={format_places(s)}:{s[CUBE]}:{owner}:{turn}:{_format_dice(s)}:{score}{few}"


def _format_dice(s: Sequence[int]) -> str:
    if s[OFFER]:
        return _OFFERS[s[OFFER]] + "D" * s[DROPPED]
    return "--" if s[ROLLING] else f"{s[LARGER]}{s[SMALLER]}"


def parse_state(text: str) -> tuple[int, ...]:
    """Read an XGID as a state; NotationError if it is none, or contradicts itself."""
    match = _XGID.fullmatch(text)
    if match is None:
        raise NotationError(f"{text[:80]!r} is no XGID; {_EXAMPLE}")
    places, cube, owner, turn, dice, *numbers, few = match.groups()
    mine, theirs = parse_places(text, places)
    if turn not in TURNS:
        raise NotationError(f"{text!r}: the turn is 1 for X, -1 for O, 0 for the opening roll")
    if owner not in _OWNERS:
        raise NotationError(f"{text!r}: the cube is X's (1), O's (-1) or in the middle (0)")
    if not _DICE.fullmatch(dice):
        raise NotationError(
            f"{text!r}: the dice are two digits from 1 to 6, 00, or D, B or R for an offer"
        )
    if dice[0].isdigit() and dice[0] < dice[1]:
        raise NotationError(f"{text!r}: of the dice the larger comes first: {dice[::-1]}")
    x, o, rules, length, limit = map(int, numbers)
    each = 3 if few else 15
    s = [each - sum(mine), *mine[1:], each - sum(theirs), *theirs[1:], TURNS[turn]]
    s += [0] * (STATE - len(s))
    if dice[0].isdigit():
        s[LARGER], s[SMALLER] = int(dice[0]), int(dice[1])
    s[OFFER] = max(0, _OFFERS.index(dice[0])) if dice[0] in _OFFERS else 0
    s[ROLLING], s[DROPPED] = int(dice == "--"), int(dice[1:] == "D")
    s[CUBE], s[OWNER], s[LIMIT] = int(cube), _OWNERS[owner], limit
    s[LENGTH], s[SCORE], s[SCORE + 1], s[RULES], s[EACH] = length, x, o, rules, each
    if complaint := _of_checkers(s) or _of_score(s) or _of_cube(s) or _of_offer(s):
        raise NotationError(f"{text!r}: {complaint}")
    return tuple(s)


def _of_checkers(s: Sequence[int]) -> str:
    """Return what contradicts itself on the board; empty if nothing does."""
    for seat, side in enumerate(SIDES):
        if s[26 * seat] < 0:
            return f"{side} has {s[EACH] - s[26 * seat]} checkers, and there are {s[EACH]}"
    for point in range(1, 25):
        if s[point] and s[51 - point]:
            return f"both sides have checkers on X's point {point}"
    off = [seat for seat in (0, 1) if s[26 * seat] == s[EACH]]
    if len(off) == 2:
        return "both sides have borne off all their checkers"
    if off and (s[TURN] != 1 - off[0] or s[LARGER] or s[OFFER] or s[ROLLING]):
        return f"{SIDES[off[0]]} has won, so it would be {SIDES[1 - off[0]]}'s turn to roll"
    if s[TURN] < 0 and (s[LARGER] or s[OFFER] or s[ROLLING] or not starts.is_a_start(s)):
        return "the opening roll is made from the start, with the dice still 00"
    return ""


def _of_score(s: Sequence[int]) -> str:
    """Return what contradicts itself in score, length and rules."""
    if s[LENGTH] > LONGEST:
        return f"a match is to {LONGEST} points at most, not to {s[LENGTH]}"
    if s[LENGTH] == 0:
        if s[RULES] > 3:
            return "in a game of money the rules are 0, or 1 for Jacoby, 2 for beavers, 3 for both"
        if max(s[SCORE : SCORE + 2]) > MAX_MONEY:
            return f"a score of money has {MAX_MONEY} points at most"
        return ""
    if s[RULES] > CRAWFORD:
        return "in a match the eighth field is 1 in the Crawford game, else 0"
    return starts.of_score(s[LENGTH], (s[SCORE], s[SCORE + 1]), s[RULES] == CRAWFORD)


def _of_cube(s: Sequence[int]) -> str:
    """Return what contradicts itself about the cube."""
    value = 1 << min(s[CUBE], 20)
    if s[LIMIT] > LARGEST:
        return f"the largest cube is 2 ** {LARGEST} at most, not 2 ** {s[LIMIT]}"
    if s[CUBE] > s[LIMIT]:
        return f"the cube is {value}, and it goes up to {1 << s[LIMIT]}"
    if s[LENGTH] and s[RULES] == CRAWFORD and (s[CUBE] or s[OWNER] >= 0 or s[OFFER]):
        return "nobody doubles in the Crawford game"
    if s[OWNER] >= 0 and s[CUBE] == 0:
        return f"{SIDES[s[OWNER]]} owns the cube, so somebody has doubled, and it shows 1"
    if s[TURN] < 0 and (s[CUBE] or s[OWNER] >= 0):
        return "nobody doubles before the opening roll"
    return ""


def _of_offer(s: Sequence[int]) -> str:
    """Return what contradicts itself about the offer to be answered, or the roll instead of one."""
    if not s[OFFER] and not s[ROLLING]:
        return ""
    what = OFFERS[s[OFFER]] if s[OFFER] else "roll instead of a double"
    if s[OWNER] == 1 - s[TURN]:
        return f"{SIDES[s[OWNER]]} owns the cube, so there is no {what} of {SIDES[s[TURN]]}'s"
    if s[CUBE] + max(1, s[OFFER]) > s[LIMIT]:
        return f"the cube goes up to {1 << s[LIMIT]}, so there is no {what}"
    if s[ROLLING] and s[LENGTH] and s[RULES] == CRAWFORD:
        return "nobody doubles in the Crawford game, so there is no roll instead of a double"
    if s[OFFER] > 1 and (s[LENGTH] or not s[RULES] & BEAVERS):
        return f"a {what} is for games of money with beavers"
    return ""
