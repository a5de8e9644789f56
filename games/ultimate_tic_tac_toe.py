"""Ultimate tic-tac-toe: nine boards make a large one, and a cell sends the opponent to a board.

    1 2 3      Boards are numbered like this, and so are the cells of each.  An action is a board
    4 5 6      and a cell, "11" to "99": the opponent has to answer on the board of that cell's
    7 8 9      number, or, where it is closed, on any open one.  A board with three in a row is won;
               one that is won or full is closed.  Three boards in a row win; when all are closed
               without, it is a draw.  Seat 0 is X and moves first.

A position is written like a FEN: nine rows of the whole picture from the top, in each `x`, `o`, or
a digit for so many empty cells, parted by "/"; then the side to move, also when it is over; and the
board that it must play on, or "-" where any open one will do and when it is over.  After the first
move 51: `9/9/9/3x5/9/9/9/9/9 o 1`.

State (an action is 9 * board + cell, both from 0):
    s[0] .. s[8]  the boards: bit c is cell c of X, bit 9 + c that cell of O
    s[9]          the large board in the same form: who has won which
    s[10]         the boards that are open, a bit each; none once the game is over
    s[11]         the board to play on, 0 to 8; 9: any open one, and when it is over
    s[12]         the seat to move, 0 or 1; when it is over, the one that would be next
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from games.game import END, Game, Ints, NotationError, Position
from games.kernel import kernel
from games.rng import below

STATE, MAX_LEGAL, SCRATCH, MAX_PLIES, MAX_RETURN, RULES_VERSION = 13, 81, 9, 81, 1, 1

FULL = 0o777  # nine cells
ANY = 9
SPREAD = 0x278DDE6E5FD29F05  # 2**62 over the golden ratio, odd: D. Knuth's Fibonacci hashing
BITS = (1 << 62) - 1
CELLS = 0x876543210  # the numbers of all cells, four bits each, the first one lowest
ONE = 1 << 36  # in front of such a list: how many there are


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
    """Whether three in a row are among the lowest nine bits."""
    return (
        stones & stones >> 1 & stones >> 2 & 0o111  # rows
        | stones & stones >> 3 & stones >> 6 & 0o007  # columns
        | stones & stones >> 4 & stones >> 8 & 0o001  # diagonals
        | stones & stones >> 2 & stones >> 4 & 0o004
    ) != 0


@kernel
def mover(s: Ints) -> int:
    """The seat to move, or END."""
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


@kernel
def threats(stones: int) -> int:
    """The cells, free or not, that make three in a row with two of the lowest nine bits."""
    found = 0
    for step in range(1, 5):  # in a row, falling to the left, in a column, falling to the right
        starts = 0o111 if step == 1 else 0o004 if step == 2 else 0o007 if step == 3 else 0o001
        first = stones & starts
        second = stones >> step & starts
        third = stones >> 2 * step & starts
        found |= second & third | (first & third) << step | (first & second) << 2 * step
    return found


@kernel
def wins_on(s: Ints, board: int, seat: int) -> int:
    """The free cells of `board` that make three in a row for `seat`."""
    return threats(s[board] >> 9 * seat) & (FULL ^ (s[board] | s[board] >> 9) & FULL)


@kernel
def hopes(s: Ints, seat: int) -> int:
    """What the eight lines of boards are worth to `seat`, as in `evaluate`; at most 1,856."""
    worths = 0  # of each board, in 4 bits
    for board in range(9):
        if s[9] >> 9 * seat + board & 1:
            worths |= 8 << 4 * board
        elif s[10] >> board & 1:
            cells = wins_on(s, board, seat)
            worths |= (1 if cells == 0 else 3 if cells & cells - 1 == 0 else 4) << 4 * board
    total = 0
    for i in range(8):  # three rows, three columns, two diagonals
        first = 3 * i if i < 3 else i - 3 if i < 6 else 2 * (i - 6)
        step = 1 if i < 3 else 3 if i < 6 else 4 - 2 * (i - 6)
        line = worths >> 4 * first
        total += (line & 15) * (line >> 4 * step & 15) * (line >> 8 * step & 15)
    return total


@kernel
def evaluate(s: Ints) -> int:
    """A static value of a position that is not over, from the mover's view, |value| < 9,500.

    A line of boards is worth the product of what its boards are: 8 for one that is won, 4 for an
    open one where two or more free cells win it, 3 for one such cell, 1 for none, 0 for one lost or
    full.  Chosen in searches of depth 3 and 4 against each other, random openings of six plies
    played from both sides, 3,000 games or more each: instead 6 or 10, 2 or 4 for one cell, or 3 or
    5 for two score 40 to 51 % against it; all open boards at 1, 16 %; only won boards counted, 8 %.
    """
    return 5 * (hopes(s, s[12]) - hopes(s, 1 - s[12]))


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


def reason(p: Position) -> str:
    """Why the game is over: "line" or "full"."""
    return "line" if has_line(p.state[9]) or has_line(p.state[9] >> 9) else "full"


_ACTIONS = tuple(f"{board}{cell}" for board in range(1, 10) for cell in range(1, 10))
_FORCED = "123456789-"  # by s[11]
_FORM = re.compile("[xo1-9]+(/[xo1-9]+){8} [xo] [1-9-]")
_EXAMPLE = "one looks like '9/9/9/3x5/9/9/9/9/9 o 1'"
# The action of each place of the picture, from left to right and top to bottom.
_PICTURE = [9 * (r // 3 * 3 + c // 3) + r % 3 * 3 + c % 3 for r in range(9) for c in range(9)]
_LARGE_X = "  XX      XX  ", "      XX      ", "  XX      XX  "
_LARGE_O = "    OOOOOO    ", "  OO      OO  ", "    OOOOOO    "


def format_action(p: Position, a: int) -> str:
    """The numbers of board and cell, "11" to "99"."""
    return _ACTIONS[a]


def parse_action(p: Position, text: str) -> int:
    """The place that `text` names; NotationError if it names none.  A taken one is a place."""
    if text not in _ACTIONS:
        raise NotationError(f"{text[:20]!r} is no place; a place is two digits from 1 to 9")
    return _ACTIONS.index(text)


def _cells(s: Sequence[int]) -> list[str]:
    """What is on each place, in the order of actions: x, o or a space."""
    return [
        "x" if s[board] >> cell & 1 else "o" if s[board] >> 9 + cell & 1 else " "
        for board in range(9)
        for cell in range(9)
    ]


def format_position(p: Position) -> str:
    """Rows from the top, the side to move and its board, such as `9/9/9/3x5/9/9/9/9/9 o 1`."""
    cells = _cells(p.state)
    picture = "".join([cells[a] for a in _PICTURE])
    rows = "/".join([picture[i : i + 9] for i in range(0, 81, 9)])
    for empty in range(9, 0, -1):
        rows = rows.replace(" " * empty, str(empty))
    return f"{rows} {'xo'[p.state[12]]} {_FORCED[p.state[11]]}"


def _parse_form(text: str) -> tuple[list[int], int, int]:
    """The nine boards, s[11] and the side, of which only the form was checked."""
    picture, side, forced = text.split(" ") if _FORM.fullmatch(text) else ("", "", "")
    rows = ["".join("." * int(c) if c in "123456789" else c for c in r) for r in picture.split("/")]
    if [len(r) for r in rows] != [9] * 9:
        raise NotationError(f"{text[:120]!r} is no ultimate tic-tac-toe position; {_EXAMPLE}")
    boards = [0] * 9
    for a, c in zip(_PICTURE, "".join(rows), strict=True):
        boards[a // 9] |= {"x": 1, "o": 1 << 9, ".": 0}[c] << a % 9
    return boards, _FORCED.index(forced), "xo".index(side)


def _state(boards: Sequence[int], forced: int, side: int) -> tuple[int, ...]:
    """The state of these boards."""
    won = sum(has_line(boards[i % 9] >> i - i % 9) << i for i in range(18))
    full = sum(((b | b >> 9) & FULL == FULL) << i for i, b in enumerate(boards))
    over = has_line(won) or has_line(won >> 9)
    return (*boards, won, 0 if over else FULL & ~(won | won >> 9 | full), forced, side)


def _played_on(stones: int) -> bool:
    """Whether this board, small or large, is beyond what one last stone can have completed."""
    lines = [m for m in (stones & FULL, stones >> 9) if has_line(m)]
    return len(lines) == 2 or any(all(has_line(m & ~(1 << c)) for c in range(9)) for m in lines)


def _sent(s: tuple[int, ...]) -> set[int]:
    """Where the moves that can have been the last one send to, as in s[11]."""
    found = set() if any(s[:9]) else {ANY}
    for board, cell in [divmod(a, 9) for a in range(81)]:
        stone = 1 << 9 * (1 - s[12]) + cell
        rest, large = s[board] & ~stone, s[9] & ~(0o1001 << board)
        before = (rest, rest >> 9, large, large >> 9)
        if s[board] & stone and not any(has_line(m) for m in before):
            found.add(cell if s[10] >> cell & 1 else ANY)
    return found


def _complaint(s: tuple[int, ...]) -> str:
    """Why play cannot lead to this state, or nothing if no reason is found."""
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


def parse_position(text: str) -> Position:
    """Read what `format_position` writes.

    Raises:
        NotationError: in form, or for a reason found by `_complaint`, which looks one move back:
            of what longer play cannot lead to, it finds some.
    """
    state = _state(*_parse_form(text))
    if complaint := _complaint(state):
        raise NotationError(f"{text!r}: {complaint}")
    position = Position(GAME, state)
    if format_position(position) != text:
        raise NotationError(f"{text!r} is written {format_position(position)!r}")
    return position


def _drawn(s: tuple[int, ...], board: int, playable: bool) -> tuple[str, ...]:
    """A board's upper edge and its three rows, 14 characters each."""
    edge = "─" + (f"[{board + 1}]" if playable else f" {board + 1} ") + "─" * 10
    if s[9] >> board & 0o1001:
        return edge, *(_LARGE_X if s[9] >> board & 1 else _LARGE_O)
    cells = _cells(s)[9 * board : 9 * board + 9]
    free = _ACTIONS[9 * board :] if playable else ["·"] * 9
    cells = [f"  {free[i] if c == ' ' else c.upper():>2}" for i, c in enumerate(cells)]
    return edge, *("".join(cells[row : row + 3]) + "  " for row in (0, 3, 6))


def draw(p: Position, seat: int = 0) -> str:
    """The nine boards as text, with a large letter on one that is won.

    Where the mover may play, the board's number stands in brackets and the action on each cell.
    """
    s = p.state
    playable = [s[10] >> i & 1 == 1 and s[11] in (i, ANY) for i in range(9)]
    boards = [_drawn(s, i, playable[i]) for i in range(9)]
    lines = []
    for top in (0, 3, 6):
        edge, *rows = zip(*boards[top : top + 3], strict=True)
        lines += [("├" if top else "┌") + ("┼" if top else "┬").join(edge) + ("┤" if top else "┐")]
        lines += ["│" + "│".join(row) + "│" for row in rows]
    lines.append("└" + "┴".join(["─" * 14] * 3) + "┘")
    if s[10]:
        numbers = " ".join(str(i + 1) for i in range(9) if playable[i])
        lines.append(f"  to play on {'any of' if s[11] == ANY else 'board'} {numbers}")
    return "\n".join(lines)


GAME = Game(
    name="ultimate_tic_tac_toe",
    title="Ultimate tic-tac-toe",
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
    format_action=format_action,
    parse_action=parse_action,
    format_position=format_position,
    parse_position=parse_position,
    draw=draw,
    evaluate=evaluate,
    tactic=tactic,
    playout=playout,
)
