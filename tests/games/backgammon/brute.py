"""Backgammon's turns a second time, for tests: every sequence of single steps, then filtered.

Written to share nothing with games/backgammon/rules.py but the numbers of turns.  A board is two
sorted tuples, the 15 checkers of who plays and those of the other, each checker by the pips it
still has to go: 25 on the bar, 0 off.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

Checkers: TypeAlias = tuple[int, ...]
Board: TypeAlias = tuple[Checkers, Checkers]


class Turn(NamedTuple):
    """Some steps with different dice: the dice used, the turn's number, and the board after it."""

    dice: tuple[int, ...]
    number: int
    board: Board


def steps(board: Board, die: int) -> dict[int, Board]:
    """What one checker can do with one die: the board after it, by the point that it leaves."""
    mine, theirs = board
    board = {}
    for point in set(mine) - {0}:
        target = point - die
        if mine[-1] == 25 != point:
            continue
        if target <= 0 and (mine[-1] > 6 or (target < 0 and mine[-1] > point)):
            continue
        if target > 0 and theirs.count(25 - target) > 1:
            continue
        board[point] = (
            _moved(mine, point, max(target, 0)),
            _moved(theirs, 25 - target, 25) if target > 0 and 25 - target in theirs else theirs,
        )
    return board


def _moved(checkers: Checkers, source: int, target: int) -> Checkers:
    rest = list(checkers)
    rest.remove(source)
    return tuple(sorted([*rest, target]))


def turns(board: Board, dice: tuple[int, int]) -> dict[Board, int]:
    """Every board that a turn with these dice can lead to, and the smallest number that does."""
    return (
        _double(board, dice[0]) if dice[0] == dice[1] else _different(board, max(dice), min(dice))
    )


def _different(board: Board, larger: int, smaller: int) -> dict[Board, int]:
    turns = list(sequences(board, larger, smaller, 0)) + list(sequences(board, smaller, larger, 1))
    most = max((len(turn.dice) for turn in turns), default=0)
    if most == 0:
        return {board: 0}
    turns = [turn for turn in turns if len(turn.dice) == most]
    if most == 1 and any(turn.dice == (larger,) for turn in turns):
        turns = [turn for turn in turns if turn.dice == (larger,)]
    smallest: dict[Board, int] = {}
    for turn in turns:
        smallest[turn.board] = min(turn.number, smallest.get(turn.board, turn.number))
    return smallest


def sequences(board: Board, first: int, second: int, order: int) -> Iterator[Turn]:
    """Every one or two steps with the dice in this order."""
    for f1, after in steps(board, first).items():
        yield Turn((first,), order + 2 * f1, after)
        for f2, end in steps(after, second).items():
            yield Turn((first, second), order + 2 * (f1 + 26 * f2), end)


def _double(board: Board, die: int) -> dict[Board, int]:
    """In any order for the boards; the numbers, which are of falling sources, one by one."""
    layer, most = {board}, 0
    for _ in range(4):
        following = {after for here in layer for after in steps(here, die).values()}
        if following:
            layer, most = following, most + 1
    smallest: dict[Board, int] = {}
    for sources, end in falling(board, die, most, 25):
        number = 0
        for source in (*sources, 0, 0, 0, 0)[:4]:
            number = 26 * number + source
        smallest[end] = min(number, smallest.get(end, number))
    assert smallest.keys() == layer, "an order with falling sources exists for every result"
    return smallest


def falling(
    board: Board, die: int, count: int, highest: int
) -> Iterator[tuple[tuple[int, ...], Board]]:
    """Every sequence of `count` steps in which each leaves no higher point than the one before."""
    if count == 0:
        yield (), board
        return
    for source, after in steps(board, die).items():
        if source <= highest:
            for rest, end in falling(after, die, count - 1, source):
                yield (source, *rest), end


_POINTS = tuple(range(1, 25))
_HOME = (0, 1, 2, 3, 4, 5, 6)
_ANYWHERE = (*_POINTS, *_POINTS, 0, 0, 25)
# Kinds of random boards: where each side's checkers are drawn from; theirs may be seven walls.
_KINDS = (
    (_ANYWHERE, _ANYWHERE),
    ((*_POINTS, *(25,) * 8), "walls"),  # several of mine on the bar
    ((0,) * 400 + _POINTS, "walls"),  # few of mine left
    ((0,) * 200 + _POINTS, "walls"),
    ((0,) * 100 + _POINTS, "walls"),
    ((0,) * 50 + _POINTS, "walls"),
    ((*_HOME * 20, 7, 24, 25), _ANYWHERE),
    ((*_HOME, 0, 0, 0), (*_HOME, 0, 0, 0)),
)


def random_board(rng: random.Random) -> Board:
    """A board on which something happens: walls, blots, bars, bearing off; nobody has won."""
    mine_from, theirs_from = rng.choice(_KINDS)
    if theirs_from == "walls":
        walls = rng.sample(_POINTS, 7)
        theirs = [*walls, *walls, rng.choice(_ANYWHERE)]
    else:
        theirs = [rng.choice(theirs_from) for _ in range(15)]
    free = [point for point in mine_from if point in (0, 25) or 25 - point not in theirs]
    mine = [rng.choice(free) for _ in range(15)]
    if not any(mine) or not any(theirs):
        return random_board(rng)
    return tuple(sorted(mine)), tuple(sorted(theirs))


def state(board: Board, dice: tuple[int, int], seat: int) -> list[int]:
    """The kernels' state of this board, with `seat` to play these dice."""
    s = [0] * 55
    for owner, checkers in ((seat, board[0]), (1 - seat, board[1])):
        for point in checkers:
            s[26 * owner + point] += 1
    s[52:] = seat, max(dice), min(dice)
    return s


def board(s: list[int] | tuple[int, ...], seat: int) -> Board:
    """The board of a state as `seat` sees it, whoever plays next."""
    mine, theirs = (
        tuple(point for point in range(26) for _ in range(s[26 * owner + point]))
        for owner in (seat, 1 - seat)
    )
    return mine, theirs
