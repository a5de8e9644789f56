"""Pebbles: a small game with dice for tests; it has what the house's games have only rarely.

Three heaps hold 10, 15, 20 pebbles.  An opening roll decides who starts (White 3 in 5).  Then, in
turn, one rolls the die and takes pebbles: at 1, 4 or 7 exactly that many from one heap; at "hand"
any number from each heap, none included, but leaving one on each.  Who takes the last pebble of a
heap wins one point, two if the loser holds fewer than 10 pebbles, three if fewer than 4; to give up
costs as much.  After 20 turns nobody has won.

An action is what is taken from each heap, `0-4-0`, or `pass` for nothing.  A roll is `white`,
`black`, `hand`, `1`, `4` or `7`.  A position is heaps, pebbles held, turns taken, side (`-` before
the opening roll) and die (`-`: to be rolled): `10/15/20 0/0 0 - -`, `10/8/20 7/0 1 black hand`.

What it is here for:
    3,000 legal actions: "hand" while the heaps are whole, as at every fifth game's first turn.
    A forced pass: no heap has what the die says.  The one legal action is then `pass`, and the
    server plays it by itself, as in every game whose mover's only legal action is written `pass`.
    A pass that is not forced: "hand" with something to take; that one is left to the player.

State: s[0..2] heaps, s[3..4] pebbles held by White and Black, s[5] whose turn it is, s[6] the
phase, s[7] the die (0: hand), s[8] the turns taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from games.game import CHANCE, END, Game, Ints, NotationError, Position
from games.kernel import kernel

STATE, MAX_LEGAL, SCRATCH, MAX_PLIES, MAX_RETURN, RULES_VERSION = 9, 3000, 0, 41, 3, 1

OPENING, TO_ROLL, TO_TAKE = 0, 1, 2  # phases
TURNS = 20
FIRST, SECOND = 336, 21  # an action is FIRST * i + SECOND * j + k pebbles of the three heaps


@kernel
def setup(s: Ints) -> None:
    """Pile up the heaps; the opening roll is next."""
    for i in range(9):
        s[i] = 0
    s[0] = 10
    s[1] = 15
    s[2] = 20


@kernel
def mover(s: Ints) -> int:
    """The seat to move, CHANCE, or END: a heap is gone, or time is up."""
    if s[0] == 0 or s[1] == 0 or s[2] == 0 or s[8] == TURNS:
        return END
    if s[6] == TO_TAKE:
        return s[5]
    return CHANCE


@kernel
def legal_handfuls(s: Ints, out: Ints) -> int:
    """Write every way to take from each heap and to leave one there."""
    n = 0
    for i in range(s[0]):
        for j in range(s[1]):
            for k in range(s[2]):
                out[n] = FIRST * i + SECOND * j + k
                n += 1
    return n


@kernel
def legal(s: Ints, out: Ints, tmp: Ints) -> int:
    """Write the legal actions or rolls, ascending; 0 exactly when the game is over."""
    if mover(s) == END:
        return 0
    if s[6] == OPENING:
        out[0] = 0
        out[1] = 1
        return 2
    if s[6] == TO_ROLL:
        out[0] = 0
        out[1] = 1
        out[2] = 4
        out[3] = 7
        return 4
    if s[7] == 0:
        return legal_handfuls(s, out)
    n = 0
    unit = 1
    for heap in range(2, -1, -1):
        if s[heap] >= s[7]:
            out[n] = unit * s[7]
            n += 1
        unit = SECOND if unit == 1 else FIRST
    if n == 0:
        out[0] = 0
        n = 1
    return n


@kernel
def weight(s: Ints, a: int) -> int:
    """How likely a roll is: White starts 3 to 2, the die shows 1, 4, 7, hand 4 to 3 to 1 to 2."""
    if s[6] == OPENING:
        return 3 - a
    if a == 0:
        return 2
    if a == 1:
        return 4
    return 3 if a == 4 else 1


@kernel
def play(s: Ints, a: int) -> None:
    """Roll `a`, or take what `a` says."""
    if s[6] == OPENING:
        s[5] = a
        s[6] = TO_ROLL
    elif s[6] == TO_ROLL:
        s[7] = a
        s[6] = TO_TAKE
    else:
        i = a // FIRST
        j = a % FIRST // SECOND
        k = a % SECOND
        s[0] -= i
        s[1] -= j
        s[2] -= k
        s[3 + s[5]] += i + j + k
        s[5] = 1 - s[5]
        s[6] = TO_ROLL
        s[7] = 0
        s[8] += 1


@kernel
def price(pebbles: int) -> int:
    """What a loss costs who holds so many."""
    if pebbles < 4:
        return 3
    return 2 if pebbles < 10 else 1


@kernel
def points(s: Ints) -> int:
    """At the end, White's points; who moved last took the last pebble of a heap, or nobody did."""
    if s[0] > 0 and s[1] > 0 and s[2] > 0:
        return 0
    return price(s[4]) if s[5] == 1 else -price(s[3])


@kernel
def key(s: Ints) -> int:
    """Everything but Black's pebbles, which are the rest of 45: exact, 32 bits."""
    k = s[0] << 9 | s[1] << 5 | s[2]
    return (((k << 6 | s[3]) << 1 | s[5]) << 2 | s[6]) << 8 | s[7] << 5 | s[8]


@kernel
def evaluate(s: Ints) -> int:
    """The view of whose turn it is: pebbles held, and what the die takes now, |value| <= 10,000."""
    value = 10 * (s[3 + s[5]] - s[4 - s[5]])
    if s[6] == TO_TAKE and s[7] > 0 and (s[0] == s[7] or s[1] == s[7] or s[2] == s[7]):
        value += 1000 * price(s[4 - s[5]])
    return value


@kernel
def tactic(s: Ints, out: Ints, tmp: Ints) -> int:
    """Write the actions that take a whole heap, ascending, perhaps none; nothing can be blocked."""
    if mover(s) < 0 or s[7] == 0:
        return 0
    n = 0
    unit = 1
    for heap in range(2, -1, -1):
        if s[heap] == s[7]:
            out[n] = unit * s[7]
            n += 1
        unit = SECOND if unit == 1 else FIRST
    return n


def reason(p: Position) -> str:
    """Why the game is over: "heap", "double", "triple", or "turns"."""
    return ("turns", "heap", "double", "triple")[abs(points(list(p.state)))]


def forfeit_points(p: Position, seat: int) -> int:
    """What it costs `seat` to give up here."""
    return price(p.state[3 + seat])


_SIDES = ("white", "black")
_DIE = {0: "hand", 1: "1", 4: "4", 7: "7"}


def format_action(p: Position, a: int) -> str:
    """What is taken, such as `0-4-0` or `pass`; at CHANCE the roll."""
    if p.to_move == CHANCE:
        return _SIDES[a] if p.state[6] == OPENING else _DIE[a]
    return _taken(a)


@cache
def _taken(a: int) -> str:
    return f"{a // FIRST}-{a % FIRST // SECOND}-{a % SECOND}" if a else "pass"


def parse_action(p: Position, text: str) -> int:
    """The action or roll that `text` names; NotationError if it names none."""
    if p.to_move == CHANCE:
        rolls = {format_action(p, a): a for a in p.legal_actions()}
        if text not in rolls:
            raise NotationError(f"{text[:20]!r} is no roll; one of {', '.join(rolls)} is")
        return rolls[text]
    if text == "pass":
        return 0
    taken = _numbers(text, "-", (10, 15, 20))
    if not taken or sum(taken) == 0:
        raise NotationError(
            f"{text[:20]!r} takes nothing; an action looks like '0-4-0', or is 'pass'"
        )
    return taken[0] * FIRST + taken[1] * SECOND + taken[2]


def _numbers(text: str, mark: str, limits: tuple[int, ...]) -> list[int]:
    """The numbers between the marks, if plainly written and within the limits; else nothing."""
    words = text.split(mark)
    if len(words) != len(limits) or any(w not in map(str, range(46)) for w in words):
        return []
    numbers = [int(w) for w in words]
    return numbers if all(n <= most for n, most in zip(numbers, limits, strict=True)) else []


def format_state(s: Sequence[int]) -> str:
    """Heaps, pebbles held, turns, side and die, such as `10/8/20 7/0 1 black hand`."""
    a, b, c, white, black, seat, phase, die, turns = s
    side = "-" if phase == OPENING else _SIDES[seat]
    shown = _DIE[die] if phase == TO_TAKE else "-"
    return f"{a}/{b}/{c} {white}/{black} {turns} {side} {shown}"


def parse_state(text: str) -> tuple[int, ...]:
    """Read what `format_state` writes; NotationError if something in it cannot be."""
    words = text.split(" ")
    if len(words) != 5:
        raise NotationError(
            f"{text[:60]!r} is no pebbles; they look like '10/8/20 7/0 1 black hand'"
        )
    heaps = _numbers(words[0], "/", (10, 15, 20))
    held = _numbers(words[1], "/", (45, 45))
    turns = _numbers(words[2], "/", (TURNS,))
    dice = {shown: die for die, shown in _DIE.items()} | {"-": 0}
    if not (heaps and held and turns) or words[3] not in ("-", *_SIDES) or words[4] not in dice:
        raise NotationError(
            f"{text[:60]!r} is no pebbles; they look like '10/8/20 7/0 1 black hand'"
        )
    if sum(heaps) + sum(held) != 45:
        raise NotationError(f"{text!r}: there are 45 pebbles")
    if words[3] == "-" and (words[4] != "-" or turns != [0]):
        raise NotationError(f"{text!r}: nobody plays before the opening roll")
    if words[4] != "-" and (0 in heaps or turns == [TURNS]):
        raise NotationError(f"{text!r}: nobody rolls after the end")
    phase = OPENING if words[3] == "-" else TO_ROLL if words[4] == "-" else TO_TAKE
    seat = int(words[3] == "black")
    return (*heaps, *held, seat, phase, dice[words[4]], *turns)


def draw(p: Position, seat: int = 0) -> str:
    """The heaps as rows of pebbles, and what each side holds, `seat` below."""
    lines = [f"heap {i + 1} {p.state[i]:3} {'o' * p.state[i]}".rstrip() for i in range(3)]
    held = [f"{_SIDES[i]:6} {p.state[3 + i]:3}" for i in (1 - seat, seat)]
    return "\n".join([held[0], *lines, held[1]])


GAME = Game(
    name="pebbles",
    title="Pebbles",
    seats=("White", "Black"),
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
    format_state=format_state,
    parse_state=parse_state,
    draw=draw,
    weight=weight,
    evaluate=evaluate,
    tactic=tactic,
    forfeit_points=forfeit_points,
)
