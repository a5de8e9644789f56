"""Connect four to the end: null-window alpha-beta on bitboards.

A position is the stones of the side to move (`mine`) and all stones (`taken`), in the layout of
games/connect_four.py: column c and row r meet in bit 7 * c + r, the seventh row stays empty.

A score is 22 minus the number of stones that the winner will have played, negative when the other
side wins, 0 for a draw; seen by the side to move.  A side that wins with the stone of ply p (0 is
the first) scores 21 - p // 2.

`table` has SLOTS ints, or WIDE for hard positions, all 0 at first.  An entry is
key << 12 | (upper + 21) << 6 | lower + 21: the score lies between the two.  These are truths about
a position, whatever search asks and whenever, so a table is never cleared; the whole key is kept,
so none is ever taken for another's.  In a WIDE table a position of few stones and its mirror image
share an entry.

`work` has WORKSPACE ints.  work[LEFT] is how many positions may still be looked at; once it is
negative the search is being given up, and what it returns means nothing; work[UNUSED] is then what
was left when somebody set `stop`.  Behind that, for every ply, stand the moves in the order in
which they are tried, and for each the cells that win after it.

Sources: V. Allis, "A Knowledge-based Approach of Connect-Four" (1988), for threats and the rule
that the second player can answer on top (claimeven); J. Tromp's Fhourstones and P. Pons, "Solving
Connect 4: how to build a perfect AI", for the layout, the key, the null window and the order by
threats.
"""

from __future__ import annotations

from typing import Final

from bots.engine.kernels.hints import prefetch
from bots.engine.kernels.rules import Ints
from games.connect_four import BOARD, BOTTOM, EVEN_ROWS, ODD_ROWS, count, has_four
from games.kernel import kernel

# Primes: slots of 8 bytes, together 32 MB, about what a processor's last cache holds, and 512 MB.
SLOTS: Final = 4194301
WIDE: Final = 67108859
MIRRORED: Final = 14  # with fewer stones than that it pays to look at the mirror image, too
LEFT: Final = 0
UNUSED: Final = 1
MOVES: Final = 8
WORKSPACE: Final = MOVES + 42 * 14

MIDDLE_FIRST: Final = 0o6051423  # the columns 3 2 4 1 5 0 6, an octal digit each, from the right

# Below this ply all children are looked up before one is searched: later the subtrees are so small
# that it takes longer than it saves.
LOOK_UP: Final = 24


@kernel
def winning(stones: int, taken: int) -> int:
    """The free cells, reachable now or later, that would make four of `stones`."""
    cells = stones << 1 & stones << 2 & stones << 3
    # In each direction: three in a row before the cell, or two before and one behind, and mirrored.
    pair = stones << 7 & stones << 14
    cells |= pair & (stones << 21 | stones >> 7)
    pair = stones >> 7 & stones >> 14
    cells |= pair & (stones >> 21 | stones << 7)
    pair = stones << 8 & stones << 16
    cells |= pair & (stones << 24 | stones >> 8)
    pair = stones >> 8 & stones >> 16
    cells |= pair & (stones >> 24 | stones << 8)
    pair = stones << 6 & stones << 12
    cells |= pair & (stones << 18 | stones >> 6)
    pair = stones >> 6 & stones >> 12
    cells |= pair & (stones >> 18 | stones << 6)
    return cells & (BOARD ^ taken)


@kernel
def held(mine: int, taken: int) -> int:
    """What claimeven says the score is at most, for the first player to move; 21 if nothing.

    Where every column is even the second player can answer each stone on top of it: then the first
    gets all free cells of the rows 1, 3 and 5, and the second those of the rows 2, 4 and 6.
    """
    if taken + BOTTOM & EVEN_ROWS & BOARD != 0:
        return 21
    free = BOARD ^ taken
    if has_four(mine | free & ODD_ROWS):
        return 21
    return -1 if has_four(mine ^ taken | free & EVEN_ROWS) else 0


@kernel
def name(key: int, ply: int, table: Ints) -> int:
    """What `table` calls a position: its key, or that of its mirror image if that is less."""
    if ply >= MIRRORED or len(table) != WIDE:
        return key
    image = key >> 42 | key << 42 & 0o177 << 42 | key & 0o177 << 21
    image |= key >> 28 & 0o177 << 7 | key << 28 & 0o177 << 35
    image |= key >> 14 & 0o177 << 14 | key << 14 & 0o177 << 28
    return min(key, image)


@kernel
def place(key: int, table: Ints) -> int:
    """The slot of a key.  The remainder by a number that the compiler knows is a few times faster
    than by one that it does not."""
    return key % WIDE if len(table) == WIDE else key % SLOTS


@kernel
def above(
    mine: int, taken: int, danger: int, ply: int, a: int, table: Ints, work: Ints, stop: Ints
) -> bool:
    """Whether the score of the side to move is above `a`.

    The caller has seen to it that this side cannot win at once, and the board is not full.

    Args:
        danger: the cells where the other side would make four, as `winning` gives them.
        ply: how many stones there are.
        a: -22 to 21.
        stop: a 1 in its first int, written on any thread, gives the search up.
    """
    work[LEFT] -= 1
    if work[LEFT] & 4095 == 0 and stop[0] != 0:
        work[UNUSED] = work[LEFT]
        work[LEFT] = -1
    if work[LEFT] < 0:
        return False

    cells = taken + BOTTOM & BOARD
    forced = cells & danger
    if forced != 0:
        if forced & forced - 1 != 0:
            return a < (ply + 1) // 2 - 21  # two to be stopped at once: lost with the next stone
        cells = forced
    cells &= ~(danger >> 1)  # under such a cell one would only lend a hand
    if cells == 0:
        return a < (ply + 1) // 2 - 21
    if ply >= 40:
        return a < 0

    # Neither wins with the next two stones.
    if a < (ply + 3) // 2 - 21:
        return True
    soonest = 20 - ply // 2
    if a >= soonest:
        return False
    if ply & 1 == 0 and a >= -1 and held(mine, taken) <= a:
        return False

    key = name(mine + taken + BOTTOM, ply, table)
    slot = place(key, table)
    lower = 0
    upper = 42
    entry = table[slot]
    if entry >> 12 == key:
        lower = entry & 63
        upper = entry >> 6 & 63
        if lower - 21 > a:
            return True
        if upper - 21 <= a:
            return False

    other = mine ^ taken
    base = MOVES + 14 * ply
    n = 0
    order = MIDDLE_FIRST
    while order != 0:
        move = cells & 0o77 << 7 * (order & 7)
        order >>= 3
        if move == 0:
            continue
        after = taken | move
        prefetch(table, place(name(other + after + BOTTOM, ply + 1, table), table))
        wins = winning(mine | move, after)
        ready = wins & after + BOTTOM
        if ready & ready - 1 != 0 or ready & wins >> 1 != 0:
            return True  # two cells to win on, or one above another: only one can be stopped
        rated = count(wins) << 49 | move
        i = base + 2 * n
        while i > base and work[i - 2] >> 49 < rated >> 49:
            work[i] = work[i - 2]
            work[i + 1] = work[i - 1]
            i -= 2
        work[i] = rated
        work[i + 1] = wins
        n += 1

    if ply < LOOK_UP:
        end = base
        for i in range(base, base + 2 * n, 2):
            below = name(other + (taken | work[i] & BOARD) + BOTTOM, ply + 1, table)
            entry = table[place(below, table)]
            if entry >> 12 == below:
                if (entry >> 6 & 63) - 21 < -a:
                    table[slot] = key << 12 | upper << 6 | a + 22
                    return True
                if (entry & 63) - 21 >= -a:
                    continue
            work[end] = work[i]
            work[end + 1] = work[i + 1]
            end += 2
        n = (end - base) // 2

    for i in range(base, base + 2 * n, 2):
        after = taken | work[i] & BOARD
        if not above(other, after, work[i + 1], ply + 1, -a - 1, table, work, stop):
            if work[LEFT] < 0:
                return False
            table[slot] = key << 12 | upper << 6 | a + 22
            return True
    if work[LEFT] < 0:
        return False
    table[slot] = key << 12 | a + 21 << 6 | lower
    return False
