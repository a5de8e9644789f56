"""Random games of ultimate tic-tac-toe, in which no cell that is taken is ever looked at."""

from __future__ import annotations

from games.game import Ints
from games.kernel import kernel
from games.rng import below
from games.ultimate_tic_tac_toe.rules import ANY, has_line, points

CELLS = 0x876543210  # the numbers of all cells, four bits each, the first one lowest
ONE = 1 << 36  # in front of such a list: how many there are


@kernel
def playout(s: Ints, rng: Ints, out: Ints, tmp: Ints) -> int:
    """Put stones at random until the game is over; its points, as `points` gives them.

    tmp[0] to tmp[8] list the free cells of each board, four bits each, with their number in front;
    a closed board has none.  A cell that is taken is overwritten by the last, so that none is ever
    looked for.
    """
    if s[10] == 0:
        return points(s)
    free = list_cells(s, tmp)
    board = s[11]
    mine = 9 * s[12]
    result = 0
    while True:
        if board == ANY:
            k = below(rng, free)
            board = 0
            n = tmp[0] >> 36
            while k >= n:
                k -= n
                board += 1
                n = tmp[board] >> 36
        else:
            n = tmp[board] >> 36
            k = below(rng, n)
        cells = tmp[board]
        cell = cells >> 4 * k & 15
        cells ^= (cell ^ cells >> 4 * n - 4 & 15) << 4 * k
        tmp[board] = cells - ONE
        free -= 1
        stones = s[board] | 1 << mine + cell
        s[board] = stones
        if has_line(stones >> mine):
            free -= n - 1
            tmp[board] = 0
            s[9] |= 1 << mine + board
            if has_line(s[9] >> mine):
                result = 1 if mine == 0 else -1
                free = 0
        mine = 9 - mine
        board = cell if tmp[cell] >= ONE else ANY
        if free == 0:
            break
    s[10] = 0
    s[11] = ANY
    s[12] = mine // 9
    return result


@kernel
def list_cells(s: Ints, tmp: Ints) -> int:
    """Write the lists of `playout`; how many cells can be played on in all."""
    free = 0
    for board in range(9):
        if s[10] >> board & 1 == 0:
            tmp[board] = 0
        elif s[board] == 0:
            tmp[board] = CELLS | 9 * ONE
            free += 9
        else:
            taken = s[board] | s[board] >> 9
            cells = 0
            n = 0
            for cell in range(9):
                here = 1 - (taken >> cell & 1)
                cells |= here * cell << 4 * n
                n += here
            tmp[board] = cells | n * ONE
            free += n
    return free
