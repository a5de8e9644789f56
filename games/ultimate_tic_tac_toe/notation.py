"""How actions and positions of ultimate tic-tac-toe are written and read.

A position is written like a FEN: nine rows of the whole picture from the top, in each `x`, `o`, or
a digit for so many empty cells, parted by "/"; then the side to move, also when it is over; and the
board that it must play on, or "-" where any open one will do and when it is over.  After the first
move 51: `9/9/9/3x5/9/9/9/9/9 o 1`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from games.game import ActionNames, IllegalAction, NotationError, Position
from games.ultimate_tic_tac_toe.rules import ANY, FULL, has_line

# The numbers of board and cell, "11" to "99".
ACTIONS = ActionNames(f"{board}{cell}" for board in range(1, 10) for cell in range(1, 10))
_FORCED = "123456789-"  # by s[11]
_FORM = re.compile("[xo1-9]+(/[xo1-9]+){8} [xo] [1-9-]")
_EXAMPLE = "one looks like '9/9/9/3x5/9/9/9/9/9 o 1'"
# The action of each place of the picture, from left to right and top to bottom.
_PICTURE = [9 * (r // 3 * 3 + c // 3) + r % 3 * 3 + c % 3 for r in range(9) for c in range(9)]


def parse_action(p: Position, text: str) -> int:
    """The place that `text` names; NotationError if it names none, IllegalAction if neither may
    play there now.
    """
    if text not in ACTIONS:
        raise NotationError(f"{text[:20]!r} is no place; a place is two digits from 1 to 9")
    action, s = ACTIONS.index(text), p.state
    board, cell = divmod(action, 9)
    if s[11] not in (ANY, board):
        why = f"board {s[11] + 1} is to be played on"
    elif (s[board] | s[board] >> 9) >> cell & 1:
        why = "the cell is taken"
    elif s[10] and not s[10] >> board & 1:
        why = f"board {board + 1} is decided"
    else:
        return action
    raise IllegalAction(p, action, text, why)


def marks(s: Sequence[int]) -> list[str]:
    """Return what is on each place, in the order of actions: x, o or a space."""
    return [
        "x" if s[board] >> cell & 1 else "o" if s[board] >> 9 + cell & 1 else " "
        for board in range(9)
        for cell in range(9)
    ]


def format_state(s: Sequence[int]) -> str:
    """Rows from the top, the side to move and its board, such as `9/9/9/3x5/9/9/9/9/9 o 1`."""
    cells = marks(s)
    picture = "".join([cells[a] for a in _PICTURE])
    rows = "/".join([picture[i : i + 9] for i in range(0, 81, 9)])
    for empty in range(9, 0, -1):
        rows = rows.replace(" " * empty, str(empty))
    return f"{rows} {'xo'[s[12]]} {_FORCED[s[11]]}"


def _parse_form(text: str) -> tuple[list[int], int, int]:
    """Return the nine boards, s[11] and the side, of which only the form was checked."""
    picture, side, forced = text.split(" ") if _FORM.fullmatch(text) else ("", "", "")
    rows = ["".join("." * int(c) if c in "123456789" else c for c in r) for r in picture.split("/")]
    if [len(r) for r in rows] != [9] * 9:
        raise NotationError(f"{text[:120]!r} is no ultimate tic-tac-toe position; {_EXAMPLE}")
    boards = [0] * 9
    for a, c in zip(_PICTURE, "".join(rows), strict=True):
        boards[a // 9] |= {"x": 1, "o": 1 << 9, ".": 0}[c] << a % 9
    return boards, _FORCED.index(forced), "xo".index(side)


def _state(boards: Sequence[int], forced: int, side: int) -> tuple[int, ...]:
    won = sum(has_line(boards[i % 9] >> i - i % 9) << i for i in range(18))
    full = sum(((b | b >> 9) & FULL == FULL) << i for i, b in enumerate(boards))
    over = has_line(won) or has_line(won >> 9)
    return (*boards, won, 0 if over else FULL & ~(won | won >> 9 | full), forced, side)


def _played_on(stones: int) -> bool:
    """Whether this board, small or large, is beyond what one last stone can have completed."""
    lines = [m for m in (stones & FULL, stones >> 9) if has_line(m)]
    return len(lines) == 2 or any(all(has_line(m & ~(1 << c)) for c in range(9)) for m in lines)


def _sent(s: tuple[int, ...]) -> set[int]:
    """Return where the moves that can have been the last one send to, as in s[11]."""
    boards = set() if any(s[:9]) else {ANY}
    for board, cell in [divmod(a, 9) for a in range(81)]:
        stone = 1 << 9 * (1 - s[12]) + cell
        rest, large = s[board] & ~stone, s[9] & ~(0o1001 << board)
        before = (rest, rest >> 9, large, large >> 9)
        if s[board] & stone and not any(has_line(m) for m in before):
            boards.add(cell if s[10] >> cell & 1 else ANY)
    return boards


def _complaint(s: tuple[int, ...]) -> str:
    """Return why play cannot lead to this state, or nothing if no reason is found."""
    side = "XO"[s[12]]
    if sum((stones & FULL).bit_count() - (stones >> 9).bit_count() for stones in s[:9]) != s[12]:
        return "X moves first and the sides alternate"
    for i in range(10):
        if _played_on(s[i]):
            where = f"in a row on board {i + 1}" if i < 9 else "boards in a row"
            return f"somebody played on after three {where}"
    if s[11] not in _sent(s):
        where = "choose its board" if s[11] == ANY else f"have to play on board {s[11] + 1}"
        return f"after no last move would {side} {where}"
    for board, seat in [divmod(i, 2) for i in range(18)]:
        sent = sum(stones >> 9 * (1 - seat) + board & 1 for stones in s[:9])
        answers = (s[board] >> 9 * seat & FULL).bit_count() + (s[11:] == (board, seat))
        if s[10] >> board & 1 and sent > answers:
            return f"{'XO'[seat]} was sent to board {board + 1} and played elsewhere"
    return ""


def parse_state(text: str) -> tuple[int, ...]:
    """Read what `format_state` writes.

    Raises:
        NotationError: in form, or for a reason found by `_complaint`, which looks one move back:
            of what longer play cannot lead to, it finds some.
    """
    state = _state(*_parse_form(text))
    if complaint := _complaint(state):
        raise NotationError(f"{text!r}: {complaint}")
    if (written := format_state(state)) != text:
        raise NotationError(f"{text!r} is written {written!r}")
    return state
