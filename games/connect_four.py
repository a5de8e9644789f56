"""Connect four: four in a row on seven columns of six, where stones fall.

An action is a column, "1" to "7" from the left.  A position is written like a FEN: six rows from
the top, in each `x`, `o`, or a digit for so many empty cells, parted by "/"; then a space and the
side to move, also when it is over: `7/7/7/7/3o3/3x3 x`.  Seat 0 is X and moves first.

State: s[0] the stones of X, s[1] those of O, s[2] the number of plies played.  Column c and row r
meet in bit 7 * c + r; the seventh row stays empty, so that no line runs over an edge:

     6 13 20 27 34 41 48
    ---------------------      bit + 1: the cell above
     5 12 19 26 33 40 47       bit + 7: the cell to the right
     4 11 18 25 32 39 46       bit + 8: up and to the right
     3 10 17 24 31 38 45       bit + 6: down and to the right
     2  9 16 23 30 37 44
     1  8 15 22 29 36 43
     0  7 14 21 28 35 42

Sources: J. Tromp's Fhourstones (the layout) and P. Pons, "Solving Connect 4: how to build a perfect
AI" (the key, the threats).
"""

from __future__ import annotations

from collections.abc import Sequence

from games.game import END, ActionNames, Game, IllegalAction, Ints, NotationError, Position
from games.kernel import kernel
from games.rng import below

STATE, MAX_LEGAL, SCRATCH, MAX_PLIES, MAX_RETURN, RULES_VERSION = 3, 7, 0, 42, 1, 1

BOTTOM = 0x40810204081  # the lowest cell of each column
TOP = BOTTOM << 5  # the highest
BOARD = BOTTOM * 0o77  # all 42 cells
ODD_ROWS = BOTTOM * 0o25  # first, third and fifth from below
EVEN_ROWS = BOTTOM * 0o52
CENTRE = 0o77 << 21  # the middle column, and its neighbours
INNER = 0o77 << 14 | 0o77 << 28


@kernel
def setup(s: Ints) -> None:
    """Empty the board; X moves."""
    s[0] = 0
    s[1] = 0
    s[2] = 0


@kernel
def has_four(stones: int) -> bool:
    """Return whether four of these stones stand in a row: first pairs, then pairs of pairs."""
    up = stones & stones >> 1
    right = stones & stones >> 7
    rising = stones & stones >> 8
    falling = stones & stones >> 6
    return (
        up & up >> 2 | right & right >> 14 | rising & rising >> 16 | falling & falling >> 12
    ) != 0


@kernel
def mover(s: Ints) -> int:
    """Return the seat to move, or END.  Only who moved last can have made four."""
    seat = s[2] & 1
    if has_four(s[1 - seat]) or s[2] == 42:
        return END
    return seat


@kernel
def legal(s: Ints, out: Ints, tmp: Ints) -> int:
    """Write the columns that are not full, ascending; 0 exactly when the game is over."""
    if mover(s) == END:
        return 0
    free = TOP ^ (s[0] | s[1]) & TOP
    n = 0
    for column in range(7):
        if free >> 7 * column & 0o77:
            out[n] = column
            n += 1
    return n


@kernel
def play(s: Ints, a: int) -> None:
    """Drop the mover's stone into column `a`, 0 to 6."""
    # A column holds ones from below: adding its lowest bit carries into its first free cell.
    s[s[2] & 1] |= (s[0] | s[1]) + (1 << 7 * a) & 0o77 << 7 * a
    s[2] += 1


@kernel
def points(s: Ints) -> int:
    """At the end: 1 if X has four in a row, -1 if O has, else 0."""
    if has_four(s[0]):
        return 1
    if has_four(s[1]):
        return -1
    return 0


@kernel
def key(s: Ints) -> int:
    """X's stones plus all stones: exact, and below 2**49.

    A column of h stones gives 2**h - 1 plus a number up to that: its sum tells h and the stones.
    """
    return s[0] + (s[0] | s[1])


@kernel
def threats(stones: int, taken: int) -> int:
    """Return the free cells, reachable now or later, that would make four of `stones`.

    Of the cells b, b + step, b + 2 * step and b + 3 * step each in turn is the one that is missing.
    """
    cells = 0
    for direction in range(4):
        step = 1 if direction == 0 else 5 + direction
        second = stones >> step
        third = stones >> 2 * step
        fourth = stones >> 3 * step
        cells |= second & third & fourth
        cells |= (stones & third & fourth) << step
        cells |= (stones & second & fourth) << 2 * step
        cells |= (stones & second & third) << 3 * step
    return cells & (BOARD ^ taken)


@kernel
def count(cells: int) -> int:
    """Return how many cells this is."""
    n = 0
    while cells != 0:
        cells &= cells - 1
        n += 1
    return n


@kernel
def evaluate(s: Ints) -> int:
    """Return a static value of a position that is not over, from the mover's view, |value| < 1,000.

    Threats decide most games, and when the rest of the board is full the first player gets the odd
    rows and the second the even ones, so a threat there counts more (V. Allis, "A Knowledge-based
    Approach of Connect-Four", 1988).  Before that, stones nearer to the middle lie on more lines.
    The weights come from searches of depth 5 against each other, 2,500 random openings of six plies
    played from both sides: without the bonus for rows 10 % of the points go, without threats 34 %;
    1 to 3 instead of 2 for a threat, 5 for the bonus, or other ratios of the middle are no better.
    """
    taken = s[0] | s[1]
    mine = threats(s[0], taken)
    theirs = threats(s[1], taken)
    value = 2 * (count(mine) - count(theirs))
    value += 8 * (count(mine & ODD_ROWS) - count(theirs & EVEN_ROWS))
    value += 4 * (count(s[0] & CENTRE) - count(s[1] & CENTRE))
    value += 2 * (count(s[0] & INNER) - count(s[1] & INNER))
    return value if s[2] & 1 == 0 else -value


@kernel
def tactic(s: Ints, out: Ints, tmp: Ints) -> int:
    """Write the columns that win now, else those where the opponent would: ascending, perhaps none.

    Leaving out a column of the second kind loses at once; if there are two, so does every move.
    """
    if mover(s) == END:
        return 0
    taken = s[0] | s[1]
    reachable = taken + BOTTOM & BOARD
    cells = threats(s[s[2] & 1], taken) & reachable
    if cells == 0:
        cells = threats(s[1 - (s[2] & 1)], taken) & reachable
    n = 0
    for column in range(7):
        if cells >> 7 * column & 0o77:
            out[n] = column
            n += 1
    return n


@kernel
def playout(s: Ints, rng: Ints, out: Ints, tmp: Ints) -> int:
    """Drop stones at random until the game is over; its points, as `points` gives them.

    `columns` are those that are not full, a byte each: where the column begins.  One that is full
    is overwritten by the last, so that none is ever looked for.
    """
    if mover(s) == END:
        return points(s)
    seat = s[2] & 1
    mine = s[seat]
    taken = s[0] | s[1]
    columns = 0
    n = 0
    for bottom in range(0, 49, 7):
        if taken >> bottom & 0o40 == 0:
            columns |= bottom << 8 * n
            n += 1
    while True:
        place = 8 * below(rng, n)
        bottom = columns >> place & 0xFF
        stone = taken + (1 << bottom) & 0o77 << bottom
        mine |= stone
        taken |= stone
        if has_four(mine):
            result = 1 - 2 * seat
            break
        if stone & TOP:
            n -= 1
            columns ^= (bottom ^ columns >> 8 * n & 0xFF) << place
            if n == 0:
                result = 0
                break
        mine ^= taken
        seat = 1 - seat
    s[seat] = mine
    s[1 - seat] = mine ^ taken
    s[2] = count(taken)
    return result


def reason(p: Position) -> str:
    return "line" if has_four(p.state[0]) or has_four(p.state[1]) else "full"


_COLUMNS = ActionNames("1234567")
_EXAMPLE = "one looks like '7/7/7/7/3o3/3x3 x'"


def parse_action(p: Position, text: str) -> int:
    """The column that `text` names; NotationError if it names none, IllegalAction if it is full."""
    if text not in _COLUMNS:
        raise NotationError(f"{text[:20]!r} is no column; a column is a digit from 1 to 7")
    column = _COLUMNS.index(text)
    if (p.state[0] | p.state[1]) >> 7 * column & 0o40:
        raise IllegalAction(p, column, text, "the column is full")
    return column


def _rows(x: int, o: int) -> list[str]:
    """Return the six rows from the top, one character a cell: x, o or a space."""
    return [
        "".join("x" if x >> b & 1 else "o" if o >> b & 1 else " " for b in range(row, 49, 7))
        for row in (5, 4, 3, 2, 1, 0)
    ]


def format_state(s: Sequence[int]) -> str:
    """Rows from the top and the side to move, such as `7/7/7/7/3o3/3x3 x`."""
    x, o, plies = s
    rows = _rows(x, o)
    for empty in range(7, 0, -1):
        rows = [row.replace(" " * empty, str(empty)) for row in rows]
    return "/".join(rows) + (" o" if plies & 1 else " x")


def _parse_board(text: str) -> tuple[int, int, str]:
    """Return the stones of X, those of O and the side, of which only the form was checked."""
    board, _, side = text.partition(" ")
    rows = ["".join("." * int(c) if c in "1234567" else c for c in r) for r in board.split("/")]
    if (
        len(rows) != 6
        or any(len(r) != 7 or set(r) - set("xo.") for r in rows)
        or side not in ("x", "o")
    ):
        raise NotationError(f"{text[:80]!r} is no connect four position; {_EXAMPLE}")
    x = o = 0
    for height, row in enumerate(reversed(rows)):
        x |= sum(1 << 7 * column + height for column, c in enumerate(row) if c == "x")
        o |= sum(1 << 7 * column + height for column, c in enumerate(row) if c == "o")
    return x, o, side


def _one_stone_ago_open(mine: int, taken: int) -> bool:
    """Return whether without some stone on top of a column, the last one, these make no four."""
    tops = (taken + BOTTOM) >> 1 & mine
    return any(not has_four(mine ^ 1 << b) for b in range(48) if tops >> b & 1)


def parse_state(text: str) -> tuple[int, ...]:
    """Read what `format_state` writes.

    Raises:
        NotationError: in form, where a stone hangs in the air, unless the sides alternated, or when
            somebody played on after four in a row.
    """
    x, o, side = _parse_board(text)
    taken = x | o
    plies = count(taken)
    if taken + BOTTOM & taken:  # as in play: the sum meets no stone of a column without gaps
        raise NotationError(f"{text!r}: a stone hangs in the air")
    if count(x) - count(o) != (plies & 1) or (side == "o") != (plies & 1 == 1):
        raise NotationError(f"{text!r}: X moves first and the sides alternate")
    last, other = (x, o) if plies & 1 else (o, x)
    if has_four(other) or (has_four(last) and not _one_stone_ago_open(last, taken)):
        raise NotationError(f"{text!r}: somebody played on after four in a row")
    state = (x, o, plies)
    if (written := format_state(state)) != text:
        raise NotationError(f"{text!r} is written {written!r}")
    return state


def won_line(stones: int) -> int:
    """Return those of the stones that stand four in a row, or more."""
    line = 0
    for step in (1, 6, 7, 8):
        first = stones & stones >> step & stones >> 2 * step & stones >> 3 * step
        line |= first | first << step | first << 2 * step | first << 3 * step
    return line


def draw(p: Position, seat: int = 0) -> str:
    """Return the board as text, with the columns' numbers beneath; the won line is in brackets."""
    x, o, _ = p.state
    won = _rows(won_line(x), won_line(o))
    lines = [
        "│" + "│".join(f" {c} " if w == " " else f"[{c}]" for c, w in zip(*rows, strict=True)) + "│"
        for rows in zip((row.upper() for row in _rows(x, o)), won, strict=True)
    ]
    return "\n".join([*lines, "└" + "┴".join(["───"] * 7) + "┘", "  " + "   ".join(_COLUMNS)])


GAME = Game(
    name="connect_four",
    title="Connect four",
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
    format_action=_COLUMNS,
    parse_action=parse_action,
    format_state=format_state,
    parse_state=parse_state,
    draw=draw,
    symmetries=("1234567", "7654321"),
    evaluate=evaluate,
    tactic=tactic,
    playout=playout,
)
