"""The doubling cube's rules as kernels, around the board of games/backgammon/rules.py.

A game is a game of money, or one of a match to so many points; the state says which, so it is in
every position.  State, behind the board's 55 ints:
    s[55]       the cube: it shows 2 ** s[55]
    s[56]       who owns it: a seat, or -1 while it is in the middle
    s[57]       an offer to be answered: 0 none, 1 a double, 2 a beaver, 3 a raccoon
    s[58]       1 = who may have doubled rolls instead, and the dice are about to fall
    s[59]       1 = the offer was refused, and the game is over
    s[60]       the length of the match in points, 0 for money
    s[61..62]   the points of seat 0 and of seat 1 before this game
    s[63]       in a match 1 in the Crawford game; of money the sum of 1, the Jacoby rule, and 2,
                beavers
    s[64]       the largest cube, as a power of two; 0: no doubling
    s[65]       checkers a side, 15 or 3

Whose turn it is may double before the roll, if the cube is in the middle or its own.  The other
side takes, and then owns the cube at twice its value, or drops, and loses what it showed before.
With beavers, it may also double at once and own the cube at four times its value; the side that
doubled first takes that, drops and loses twice the value, or raccoons, which doubles once more.  In
the Crawford game, the first one in which a side lacks one point, neither doubles.  By the Jacoby
rule a gammon counts as a single game while the cube is in the middle.

Actions beside turns and rolls, which are numbered as on the board without a cube:
    1 roll, 2 double; 3 take, 4 drop, 5 beaver, or raccoon as the answer to one

Source: T. Keith, "Rules of Backgammon", bkgm.com/rules.html.
"""

from __future__ import annotations

from games.backgammon.rules import (
    LARGER,
    SMALLER,
    TURN,
    double_turns,
    pairs,
    price,
    rolls,
)
from games.backgammon.rules import play as play_board
from games.backgammon.rules import setup as setup_board
from games.game import CHANCE, END, Ints, Position
from games.kernel import kernel

# With a decision before each roll a game has half as many plies again as one without a cube.
STATE, MAX_LEGAL, SCRATCH, MAX_PLIES, MAX_RETURN, RULES_VERSION = 66, 3060, 66, 3000, 3072, 1

BOARD = 55
CUBE, OWNER, OFFER, ROLLING, DROPPED = 55, 56, 57, 58, 59
LENGTH, SCORE, RULES, LIMIT, EACH = 60, 61, 63, 64, 65
ROLL, DOUBLE, TAKE, DROP, BEAVER = 1, 2, 3, 4, 5
CRAWFORD, JACOBY, BEAVERS = 1, 1, 2  # in s[RULES], of a match and of money
LARGEST = 10  # 2 ** 10 = 1,024


@kernel
def setup(s: Ints) -> None:
    """Set up a game of money without the Jacoby rule and beavers; the opening roll is next."""
    setup_board(s)
    for i in range(BOARD, STATE):
        s[i] = 0
    s[OWNER] = -1
    s[LIMIT] = LARGEST
    s[EACH] = 15


@kernel
def is_over(s: Ints) -> bool:
    """Whether a side has borne off all its checkers, or refused an offer."""
    return s[0] == s[EACH] or s[26] == s[EACH] or s[DROPPED] != 0


@kernel
def may_double(s: Ints) -> bool:
    """Whether whose turn it is may double before this roll; asked while the game goes on."""
    if s[TURN] < 0 or s[LARGER] != 0 or s[OFFER] != 0 or s[ROLLING] != 0:
        return False
    if s[OWNER] == 1 - s[TURN] or s[CUBE] >= s[LIMIT]:
        return False
    return s[LENGTH] == 0 or s[RULES] != CRAWFORD


@kernel
def answers(s: Ints) -> int:
    """Return the seat that answers the offer: a double and a raccoon are whose turn it is's."""
    return s[TURN] if s[OFFER] == 2 else 1 - s[TURN]


@kernel
def mover(s: Ints) -> int:
    """Return the seat to decide, CHANCE, or END."""
    if is_over(s):
        return END
    if s[OFFER] != 0:
        return answers(s)
    if s[LARGER] == 0 and not may_double(s):
        return CHANCE
    return s[TURN]


@kernel
def legal(s: Ints, out: Ints, tmp: Ints) -> int:
    """Write the turns, rolls or decisions about the cube, ascending; 0 when the game is over."""
    if is_over(s):
        return 0
    if s[OFFER] != 0:
        out[0] = TAKE
        out[1] = DROP
        out[2] = BEAVER
        return 3 if may_beaver(s) else 2
    if s[LARGER] == 0:
        if may_double(s):
            out[0] = ROLL
            out[1] = DOUBLE
            return 2
        return rolls(s, out)
    if s[LARGER] == s[SMALLER]:
        return double_turns(s, out, tmp, False)
    return pairs(s, out, tmp)


@kernel
def may_beaver(s: Ints) -> bool:
    """Whether the offer may be answered by doubling at once: of money, and two times at most."""
    beavers = s[LENGTH] == 0 and s[RULES] & BEAVERS != 0
    return beavers and s[OFFER] < 3 and s[CUBE] + s[OFFER] < s[LIMIT]


@kernel
def play(s: Ints, a: int) -> None:
    """Decide about the cube, roll, or play a turn."""
    if s[OFFER] != 0:
        answer(s, a)
    elif may_double(s):
        if a == DOUBLE:
            s[OFFER] = 1
        else:
            s[ROLLING] = 1
    else:
        s[ROLLING] = 0
        play_board(s, a)


@kernel
def answer(s: Ints, a: int) -> None:
    """Take, drop or beaver; the side that was doubled first owns the cube from then on."""
    if a == BEAVER:
        s[OFFER] += 1
    elif a == DROP:
        s[DROPPED] = 1
    else:
        s[CUBE] += s[OFFER]
        s[OWNER] = 1 - s[TURN]
        s[OFFER] = 0


@kernel
def stake(s: Ints) -> int:
    """Return what a single game is worth: what both sides have agreed to so far.

    A side that beavers has taken the double, and one that raccoons has taken the beaver.
    """
    return 1 << s[CUBE] + max(0, s[OFFER] - 1)


@kernel
def loss(s: Ints, seat: int) -> int:
    """Return what a loss would cost `seat` as its checkers stand, in points."""
    if s[LENGTH] == 0 and s[RULES] & JACOBY != 0 and s[OWNER] < 0 and s[OFFER] < 2:
        return stake(s)
    return stake(s) * price(s, 26 * seat)


@kernel
def points(s: Ints) -> int:
    """At the end: what seat 0 has won, or lost."""
    if s[DROPPED] != 0:
        return stake(s) if answers(s) == 1 else -stake(s)
    return loss(s, 1) if s[0] == s[EACH] else -loss(s, 0)


@kernel
def key(s: Ints) -> int:
    """Two polynomials over all of the state, modulo the prime 2**31 - 1.

    The factors are arbitrary; each product stays below 2**62.
    """
    high = s[TURN] + 1 << 6 | s[LARGER] << 3 | s[SMALLER]
    low = high
    for i in range(0, 26, 2):
        four = s[i] << 12 | s[i + 1] << 8 | s[i + 26] << 4 | s[i + 27]
        high = (high * 1540483477 + four) % 2147483647
        low = (low * 1103515245 + four) % 2147483647
    cube = s[CUBE] << 6 | s[OWNER] + 1 << 4 | s[OFFER] << 2 | s[ROLLING] << 1 | s[DROPPED]
    for rest in range(3):
        part = cube
        if rest == 1:
            part = s[SCORE] << 16 | s[SCORE + 1] << 6 | s[LENGTH]
        if rest == 2:
            part = s[RULES] << 8 | s[LIMIT] << 4 | s[EACH]
        high = (high * 1540483477 + part) % 2147483647
        low = (low * 1103515245 + part) % 2147483647
    return high << 31 | low


def reason(p: Position) -> str:
    """Return how the game was won: "drop", or for how much: "single", "gammon", "backgammon"."""
    s = list(p.state)
    if s[DROPPED]:
        return "drop"
    return ("single", "gammon", "backgammon")[abs(points(s)) // stake(s) - 1]


def resign_points(p: Position, seat: int) -> tuple[int, ...]:
    """Return what `seat` may resign for: a single game, a gammon, a backgammon, as far as it could
    lose one as its checkers stand, each times what the cube says.
    """
    s = list(p.state)
    one = stake(s)
    return tuple(range(one, loss(s, seat) + 1, one))


def forfeit_points(p: Position, seat: int) -> int:
    """Return what it costs `seat` to give up: what a loss would cost as its checkers stand."""
    return loss(list(p.state), seat)
