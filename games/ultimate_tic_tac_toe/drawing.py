"""Ultimate tic-tac-toe as text."""

from __future__ import annotations

from games.game import Position
from games.ultimate_tic_tac_toe.notation import ACTIONS, marks
from games.ultimate_tic_tac_toe.rules import ANY, won_line

_LARGE_X = "  XX      XX  ", "      XX      ", "  XX      XX  "
_LARGE_O = "    OOOOOO    ", "  OO      OO  ", "    OOOOOO    "


def _drawn(s: tuple[int, ...], board: int, playable: bool, won: bool) -> tuple[str, ...]:
    """Return a board's upper edge and its three rows, 14 characters each."""
    edge = "─" + (f"[{board + 1}]" if playable else f" {board + 1} ") + "─" * 10
    if s[9] >> board & 0o1001:
        rows = _LARGE_X if s[9] >> board & 1 else _LARGE_O
        return edge, *(f"[{row[1:-1]}]" if won else row for row in rows)
    cells = marks(s)[9 * board : 9 * board + 9]
    free = ACTIONS[9 * board :] if playable else ["·"] * 9
    cells = [f"  {free[i] if c == ' ' else c.upper():>2}" for i, c in enumerate(cells)]
    return edge, *("".join(cells[row : row + 3]) + "  " for row in (0, 3, 6))


def draw(p: Position, seat: int = 0, over: bool = False) -> str:
    """Return the nine boards as text, with a large letter on one that is won.

    Where the mover may play, the board's number stands in brackets and the action on each cell; not
    if the match is `over`.  The large letters of the line that won are in brackets, too.
    """
    s = p.state
    line = won_line(s[9]) | won_line(s[9] >> 9)
    playable = [not over and s[10] >> i & 1 == 1 and s[11] in (i, ANY) for i in range(9)]
    boards = [_drawn(s, i, playable[i], line >> i & 1 == 1) for i in range(9)]
    lines = []
    for top in (0, 3, 6):
        edge, *rows = zip(*boards[top : top + 3], strict=True)
        lines += [("├" if top else "┌") + ("┼" if top else "┬").join(edge) + ("┤" if top else "┐")]
        lines += ["│" + "│".join(row) + "│" for row in rows]
    lines.append("└" + "┴".join(["─" * 14] * 3) + "┘")
    if any(playable):
        numbers = " ".join(str(i + 1) for i in range(9) if playable[i])
        lines.append(f"  to play on {'any of' if s[11] == ANY else 'board'} {numbers}")
    return "\n".join(lines)
