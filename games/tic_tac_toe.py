"""Tic-tac-toe: three in a row on a board of 3x3.

    1 2 3      An action is a cell, "1" to "9".  A position is written like a FEN: three rows from
    4 5 6      the top, a digit for so many empty cells, and the side to move: `3/1x1/3 o`.
    7 8 9      Seat 0 is X and moves first.

State: s[0] the stones of X, s[1] those of O (bit 0 is cell 1), s[2] the number of plies played.
"""

from __future__ import annotations

from collections.abc import Sequence

from games.game import END, SQUARE, ActionNames, Game, IllegalAction, Ints, NotationError, Position
from games.kernel import kernel
from games.rng import below

STATE, MAX_LEGAL, SCRATCH, MAX_PLIES, MAX_RETURN, RULES_VERSION = 3, 9, 0, 9, 1, 1


@kernel
def setup(s: Ints) -> None:
    """Empty the board; X moves."""
    s[0] = 0
    s[1] = 0
    s[2] = 0


@kernel
def has_line(stones: int) -> bool:
    """Return whether three of these stones stand in a row."""
    return (
        stones & stones >> 1 & stones >> 2 & 0o111  # rows
        | stones & stones >> 3 & stones >> 6 & 0o007  # columns
        | stones & stones >> 4 & stones >> 8 & 0o001  # diagonals
        | stones & stones >> 2 & stones >> 4 & 0o004
    ) != 0


@kernel
def mover(s: Ints) -> int:
    """Return the seat to move, or END.  Only who moved last can have made a line."""
    if s[2] == 9 or has_line(s[1 - (s[2] & 1)]):
        return END
    return s[2] & 1


@kernel
def legal(s: Ints, out: Ints, tmp: Ints) -> int:
    """Write the free cells, ascending; 0 exactly when the game is over."""
    if mover(s) == END:
        return 0
    taken = s[0] | s[1]
    n = 0
    for cell in range(9):
        if taken >> cell & 1 == 0:
            out[n] = cell
            n += 1
    return n


@kernel
def play(s: Ints, a: int) -> None:
    """Put the mover's stone on cell `a`, 0 to 8."""
    s[s[2] & 1] |= 1 << a
    s[2] += 1


@kernel
def points(s: Ints) -> int:
    """At the end: 1 if X has a line, -1 if O has, else 0."""
    if has_line(s[0]):
        return 1
    if has_line(s[1]):
        return -1
    return 0


@kernel
def key(s: Ints) -> int:
    """Both sets of stones side by side: exact.  The side to move follows from their number."""
    return s[0] | s[1] << 9


@kernel
def playout(s: Ints, rng: Ints, out: Ints, tmp: Ints) -> int:
    """Put stones at random until the game is over; its points, as `points` gives them.

    `cells` are the free ones, four bits each; one that is taken is overwritten by the last, so that
    none is ever looked for.
    """
    if mover(s) == END:
        return points(s)
    seat = s[2] & 1
    mine = s[seat]
    theirs = s[1 - seat]
    cells = 0
    n = 0
    for cell in range(9):
        if (mine | theirs) >> cell & 1 == 0:
            cells |= cell << 4 * n
            n += 1
    result = 0
    while True:
        place = 4 * below(rng, n)
        cell = cells >> place & 15
        n -= 1
        cells ^= (cell ^ cells >> 4 * n & 15) << place
        mine |= 1 << cell
        if has_line(mine):
            result = 1 - 2 * seat
            break
        if n == 0:
            break
        other = theirs
        theirs = mine
        mine = other
        seat = 1 - seat
    s[seat] = mine
    s[1 - seat] = theirs
    s[2] = 9 - n
    return result


def reason(p: Position) -> str:
    return "line" if has_line(p.state[0]) or has_line(p.state[1]) else "full"


_CELLS = ActionNames("123456789")


def parse_action(p: Position, text: str) -> int:
    """Return the cell that `text` names; NotationError if it names none, IllegalAction if it is
    taken.
    """
    if text not in _CELLS:
        raise NotationError(f"{text[:20]!r} is no cell; a cell is a digit from 1 to 9")
    cell = _CELLS.index(text)
    if (p.state[0] | p.state[1]) >> cell & 1:
        raise IllegalAction(p, cell, text, "the cell is taken")
    return cell


def format_state(s: Sequence[int]) -> str:
    """Rows from the top and the side to move, such as `3/1x1/3 o`."""
    x, o, plies = s
    top, middle, bottom = _ROWS[x & 7, o & 7], _ROWS[x >> 3 & 7, o >> 3 & 7], _ROWS[x >> 6, o >> 6]
    return f"{top}/{middle}/{bottom} {'o' if plies & 1 else 'x'}"


def _row(x: int, o: int) -> str:
    cells = "".join("x" if x >> c & 1 else "o" if o >> c & 1 else "1" for c in range(3))
    return cells.replace("111", "3").replace("11", "2")


_ROWS = {(x, o): _row(x, o) for x in range(8) for o in range(8) if not x & o}  # 3 bits each


def parse_state(text: str) -> tuple[int, ...]:
    """Read what `format_state` writes; NotationError unless alternate play can lead there."""
    board, _, side = text.partition(" ")
    cells = "".join("1" * int(c) if c in "123" else c for c in board.replace("/", ""))
    odd = set(cells) - set("xo1")
    if board.count("/") != 2 or len(cells) != 9 or odd or side not in ("x", "o"):
        raise NotationError(f"{text[:40]!r} is no tic-tac-toe position; one looks like '3/1x1/3 o'")
    x = sum(1 << i for i, c in enumerate(cells) if c == "x")
    o = sum(1 << i for i, c in enumerate(cells) if c == "o")
    plies = x.bit_count() + o.bit_count()
    if x.bit_count() - o.bit_count() != (plies & 1) or (side == "o") != (plies & 1 == 1):
        raise NotationError(f"{text!r}: X moves first and the sides alternate")
    if has_line(o if plies & 1 else x):
        raise NotationError(f"{text!r}: somebody played on after a line was complete")
    state = (x, o, plies)
    if (written := format_state(state)) != text:
        raise NotationError(f"{text!r} is written {written!r}")
    return state


def won_line(stones: int) -> int:
    """Return those of the stones that stand three in a row."""
    line = 0
    for step, starts in ((1, 0o111), (3, 0o007), (4, 0o001), (2, 0o004)):
        first = stones & stones >> step & stones >> 2 * step & starts
        line |= first | first << step | first << 2 * step
    return line


def draw(p: Position, seat: int = 0) -> str:
    """Return the board as text, each free cell by its number, the won line in brackets."""
    x, o, _ = p.state
    won = won_line(x) | won_line(o)
    cells = ["X" if x >> c & 1 else "O" if o >> c & 1 else _CELLS[c] for c in range(9)]
    cells = [f"[{text}]" if won >> c & 1 else f" {text} " for c, text in enumerate(cells)]
    rows = ["│".join(cells[top : top + 3]) for top in (0, 3, 6)]
    return "\n───┼───┼───\n".join(rows)


GAME = Game(
    name="tic_tac_toe",
    title="Tic-tac-toe",
    seats=("X", "O"),
    state_size=STATE,
    max_legal=MAX_LEGAL,
    scratch=SCRATCH,
    max_plies=MAX_PLIES,
    max_return=MAX_RETURN,
    rules_version=RULES_VERSION,
    setup=setup,
    mover=mover,
    legal=legal,
    play=play,
    points=points,
    key=key,
    reason=reason,
    format_action=_CELLS,
    parse_action=parse_action,
    format_state=format_state,
    parse_state=parse_state,
    draw=draw,
    symmetries=SQUARE,
    playout=playout,
)
