"""Steps, of one checker by one die each: what a written turn takes, and what is in its way.

For reading turns only (turns.py): the legal ones come from rules.py.  Points are the mover's own.
What is wrong with a turn is half a sentence, such as `24/18: 2 checkers block 18`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import NamedTuple, TypeAlias

from games.backgammon.rules import BAR, LARGER, SMALLER, TURN, step
from games.game import Position

Dice: TypeAlias = tuple[int, ...]  # that may be played, the larger first: two, or four alike

HOME = 6
NAMES = ("off", *map(str, range(1, 25)), "bar")
MOVES = tuple(tuple(f"{a}/{b}" for b in NAMES) for a in NAMES)  # MOVES[8][5]: "8/5"


class Step(NamedTuple):
    """A step: one checker leaves `source` by `die`."""

    source: int
    die: int

    @property
    def target(self) -> int:
        """Where it lands, 0 off the board."""
        return max(self.source - self.die, 0)

    def __str__(self) -> str:
        return MOVES[self.source][self.target]


class Move(NamedTuple):
    """A written move of one checker, from `source` to `target`, by any dice."""

    source: int
    target: int

    def __str__(self) -> str:
        return MOVES[self.source][self.target]


def dice_of(p: Position) -> Dice:
    """Return the dice to be played: two, or four at a double."""
    larger, smaller = p.state[LARGER], p.state[SMALLER]
    return (larger,) * 4 if larger == smaller else (larger, smaller)


def ways(moves: Sequence[Move], dice: Dice) -> Iterator[tuple[Step, ...]]:
    """Every choice of dice that makes these moves, the larger die first; some die may be left."""
    if not moves:
        yield ()
        return
    for steps, left in _by_dice(moves[0], dice):
        for more in ways(moves[1:], left):
            yield (*steps, *more)


def _by_dice(move: Move, dice: Dice) -> Iterator[tuple[tuple[Step, ...], Dice]]:
    """Yield each way to make one move, with the dice that are left."""
    for die in dict.fromkeys(dice):
        first = Step(move.source, die)
        i = dice.index(die)
        left = dice[:i] + dice[i + 1 :]
        if first.target == move.target:
            yield (first,), left
        elif first.target > move.target:
            for steps, rest in _by_dice(Move(first.target, move.target), left):
                yield (first, *steps), rest


def without_dice(moves: Sequence[Move], dice: Dice) -> str:
    """Return why no choice of dice makes all these moves."""
    numbers = f"four {dice[0]}s" if len(dice) == 4 else f"{dice[0]} and {dice[1]}"
    for move in moves:
        if not any(ways([move], dice)):
            return f"{move}: that takes {move.source - move.target}, and the dice are {numbers}"
    count = next(n for n in range(len(moves)) if not any(ways(moves[: n + 1], dice)))
    return f"{moves[count]}: the other moves leave no die for it, and the dice are {numbers}"


def stuck(p: Position, way: Sequence[Step]) -> str:
    """Return what is in the way of these steps in any order; empty if they can be played.

    The reason is that of the order which gets furthest.
    """
    furthest, why = -1, ""
    for order in permutations(way):
        state = list(p.state)
        base = 26 * state[TURN]
        for played, (source, die) in enumerate(order):
            if obstacle := _obstacle(state, base, Step(source, die)):
                if played > furthest:
                    furthest, why = played, f"{Step(source, die)}: {obstacle}"
                break
            step(state, base, source, die)
        else:
            return ""
    return why


def _obstacle(s: Sequence[int], base: int, tried: Step) -> str:
    """Return why the seat whose board begins at `base` cannot make this step; empty if it can."""
    source, target = tried.source, tried.target
    if s[base + source] == 0:
        return f"no checker is on {'the bar' if source == BAR else source}"
    if s[base + BAR] > 0 and source != BAR:
        return "a checker on the bar has to enter first"
    if target > 0:
        blocking = s[51 - base - target]
        return f"{blocking} checkers block {target}" if blocking > 1 else ""
    highest = max(p for p in range(1, 26) if s[base + p] > 0)
    if highest > HOME:
        return f"a checker on {highest} is not home yet"
    if highest > source < tried.die:
        return f"with a {tried.die}, a checker on {highest} goes first"
    return ""


def too_few(way: Sequence[Step], dice: Dice, playable: int) -> str:
    """Why these steps, which can be played, are no turn; `playable`: how many can be played."""
    if len(dice) == 4:
        can = "all four" if playable == 4 else playable
        return f"that plays {len(way)} of the four {dice[0]}s, and {can} can be played"
    if playable == 2:
        left = sum(dice) - way[0].die
        return f"{way[0]} leaves the {left} unplayed, and both dice can be played"
    return f"of the two dice only one can be played, and that has to be the {dice[0]}"
