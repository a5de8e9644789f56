"""Positions drawn in a test, as X sees them, and the turns that X has there.

    o5  .  .  . x3  . | x5  .  .  .  . o2    from 13 to 24
    x5  .  .  . o3  . | o5  .  .  .  . x2    from 12 to 1
    bar x1 o2

X plays towards 1 and O towards 24; `bar` is left out where it is empty, and who is not shown has
been borne off.
"""

from __future__ import annotations

from collections.abc import Callable

from games import registry
from games.backgammon import rules
from games.game import Position

POINTS = (*range(13, 25), *range(12, 0, -1))


def drawn(picture: str, roll: int | None) -> Position:
    """The position in the picture with X to play `roll`, such as 31, or to roll."""
    upper, lower, *more = picture.strip().split("\n")
    s = [0] * rules.STATE
    for point, cell in zip(POINTS, _cells(upper) + _cells(lower), strict=True):
        if cell != ".":
            s[point if cell[0] == "x" else 51 - point] = int(cell[1:])
    for word in " ".join(more).split()[1:]:
        s[25 if word[0] == "x" else 51] = int(word[1:])
    s[0], s[26] = 15 - sum(s[:26]), 15 - sum(s[26:52])
    s[52:] = (0, *divmod(roll or 0, 10))
    return Position(registry.game("backgammon"), tuple(s))


def _cells(line: str) -> list[str]:
    return line.replace("|", " ").split()


def turned(p: Position) -> Position:
    """The same position with the sides exchanged."""
    s = p.state
    return Position(p.game, (*s[26:52], *s[:26], 1 - s[52], *s[53:]))


def has_just(p: Position, *turns: str) -> bool:
    """Whether just these are the legal turns, for X here and for O when the board is turned."""
    for here in (p, turned(p)):
        expected = sorted(here.game.parse_action(here, turn) for turn in turns)
        assert list(here.legal_actions()) == expected, f"{here}: {here.legal_notation()}"
    return True


def after(p: Position, turn: str) -> Position:
    """The position after this turn."""
    return p.apply(p.game.parse_action(p, turn))


def ways(p: Position, wanted: Callable[[tuple[int, ...]], bool]) -> int:
    """Of the 36 rolls in p, how many have a turn that leads to a state as `wanted`."""
    count = 0
    for roll, weight in p.chance():
        rolled = p.apply(roll)
        states = (rolled.apply(action).state for action in rolled.legal_actions())
        count += weight * any(wanted(s) for s in states)
    return count
