"""Ultimate tic-tac-toe's rules as kernels: where one may play, what a stone closes, who has won.

An action is 9 * board + cell, both from 0.

State:
    s[0] .. s[8]  the boards: bit c is cell c of X, bit 9 + c that cell of O
    s[9]          the large board in the same form: who has won which
    s[10]         the boards that are open, a bit each; none once the game is over
    s[11]         the board to play on, 0 to 8; 9: any open one, and when it is over
    s[12]         the seat to move, 0 or 1; when it is over, the one that would be next
"""

from __future__ import annotations

from games.game import END, Ints, Position
from games.kernel import kernel

STATE, MAX_LEGAL, SCRATCH, MAX_PLIES, MAX_RETURN, RULES_VERSION = 13, 81, 9, 81, 1, 1

FULL = 0o777  # nine cells
ANY = 9
SPREAD = 0x278DDE6E5FD29F05  # 2**62 over the golden ratio, odd: D. Knuth's Fibonacci hashing
BITS = (1 << 62) - 1


@kernel
def setup(s: Ints) -> None:
    """Empty and open all boards; X moves, anywhere."""
    for board in range(10):
        s[board] = 0
    s[10] = FULL
    s[11] = ANY
    s[12] = 0


@kernel
def has_line(stones: int) -> bool:
    """Return whether three in a row are among the lowest nine bits."""
    return (
        stones & stones >> 1 & stones >> 2 & 0o111  # rows
        | stones & stones >> 3 & stones >> 6 & 0o007  # columns
        | stones & stones >> 4 & stones >> 8 & 0o001  # diagonals
        | stones & stones >> 2 & stones >> 4 & 0o004
    ) != 0


def won_line(stones: int) -> int:
    """Return those of the lowest nine bits that stand three in a row."""
    line = 0
    for step, starts in ((1, 0o111), (3, 0o007), (4, 0o001), (2, 0o004)):
        first = stones & stones >> step & stones >> 2 * step & starts
        line |= first | first << step | first << 2 * step
    return line


@kernel
def mover(s: Ints) -> int:
    """Return the seat to move, or END."""
    return s[12] if s[10] != 0 else END


@kernel
def legal(s: Ints, out: Ints, tmp: Ints) -> int:
    """Write the free cells where the mover may play, ascending; 0 exactly when the game is over."""
    first = last = s[11]
    if first == ANY:
        first = 0
        last = 8
    n = 0
    for board in range(first, last + 1):
        if s[10] >> board & 1:
            taken = s[board] | s[board] >> 9
            for cell in range(9):
                if taken >> cell & 1 == 0:
                    out[n] = 9 * board + cell
                    n += 1
    return n


@kernel
def play(s: Ints, a: int) -> None:
    """Put the mover's stone on cell `a % 9` of board `a // 9`."""
    board = a // 9
    cell = a - 9 * board
    mine = 9 * s[12]
    stones = s[board] | 1 << mine + cell
    s[board] = stones
    if has_line(stones >> mine):
        s[9] |= 1 << mine + board
        s[10] ^= 1 << board
        if has_line(s[9] >> mine):
            s[10] = 0
    elif (stones | stones >> 9) & FULL == FULL:
        s[10] ^= 1 << board
    s[11] = cell if s[10] >> cell & 1 else ANY
    s[12] = 1 - s[12]


@kernel
def points(s: Ints) -> int:
    """At the end: 1 if X has three boards in a row, -1 if O has, else 0."""
    if has_line(s[9]):
        return 1
    if has_line(s[9] >> 9):
        return -1
    return 0


@kernel
def key(s: Ints) -> int:
    """A hash of the stones and of s[11], from which all else follows; every bit of it is good.

    Each step takes in three boards and can be undone, so that nearby states do not meet.  A product
    may pass 64 bits: its lowest 62 are the same where compiled arithmetic drops the others.
    """
    k = 0
    for board in range(0, 9, 3):
        k = (k ^ s[board] ^ s[board + 1] << 18 ^ s[board + 2] << 36) * SPREAD & BITS
        k ^= k >> 29
    k = (k ^ s[11]) * SPREAD & BITS
    return k ^ k >> 29


def reason(p: Position) -> str:
    return "line" if has_line(p.state[9]) or has_line(p.state[9] >> 9) else "full"
