"""What can be won at once, and what has to be kept from the opponent."""

from __future__ import annotations

from games.game import Ints
from games.kernel import kernel
from games.ultimate_tic_tac_toe.rules import FULL, has_line, legal


@kernel
def threats(stones: int) -> int:
    """Return the cells, free or not, that make three in a row with two of the lowest nine bits."""
    cells = 0
    for step in range(1, 5):  # in a row, falling to the left, in a column, falling to the right
        starts = 0o111 if step == 1 else 0o004 if step == 2 else 0o007 if step == 3 else 0o001
        first = stones & starts
        second = stones >> step & starts
        third = stones >> 2 * step & starts
        cells |= second & third | (first & third) << step | (first & second) << 2 * step
    return cells


@kernel
def wins_on(s: Ints, board: int, seat: int) -> int:
    """Return the free cells of `board` that make three in a row for `seat`."""
    return threats(s[board] >> 9 * seat) & (FULL ^ (s[board] | s[board] >> 9) & FULL)


@kernel
def answered(s: Ints, a: int, decisive: int) -> bool:
    """Whether after `a`, no win itself, the opponent can win one of the boards `decisive`."""
    board = a // 9
    cell = a - 9 * board
    mine = 9 * s[12]
    stones = s[board] | 1 << mine + cell
    reach = s[10]
    if has_line(stones >> mine) or (stones | stones >> 9) & FULL == FULL:
        reach ^= 1 << board
    if reach >> cell & 1:
        reach = 1 << cell
    for other in range(9):
        if reach & decisive & 1 << other:
            cells = wins_on(s, other, 1 - s[12])
            if cells != 0 and (other != board or cells != 1 << cell):
                return True
    return False


@kernel
def tactic(s: Ints, out: Ints, tmp: Ints) -> int:
    """Write the actions that win now, else those that do not lose at once if others do: ascending.

    None is written where neither seat can win at once, nor where each action loses.
    """
    decisive = threats(s[9] >> 9 * s[12])
    actions = legal(s, out, tmp)
    n = 0
    for i in range(actions):
        board = out[i] // 9
        if decisive >> board & 1 and wins_on(s, board, s[12]) >> out[i] - 9 * board & 1:
            out[n] = out[i]
            n += 1
    decisive = threats(s[9] >> 9 * (1 - s[12]))
    if n != 0 or decisive & s[10] == 0:
        return n
    for i in range(actions):
        if not answered(s, out[i], decisive):
            out[n] = out[i]
            n += 1
    return n if n < actions else 0
