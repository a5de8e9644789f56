"""The openings of a game: how the matches of a ladder begin, the same list for every pairing.

Each is a few actions in notation, played before the bots' clocks start; of those that are the same
up to a symmetry of the game there is one.  In a game with dice these are the opening, and there is
one list: (). Nothing here judges an opening: an unequal one is fair, as both bots of a pair have
either side.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Final, TypeAlias

from games import rng
from games.game import END, Game, Position

Opening: TypeAlias = tuple[str, ...]

MAX_FIRST: Final = 8  # first actions, up to symmetry, that leave room for a second ply


def openings(game: Game, seed: int) -> tuple[Opening, ...]:
    """Return all openings of `game`, in an order that depends on `seed` alone; at least one.

    They are one ply long if that gives more than MAX_FIRST, else two.  An opening that ends the
    game is left out; where all do, matches begin at the beginning.
    """
    if game.has_chance:
        return ((),)
    start = game.initial()
    firsts = _longer(start, ())
    if len(firsts) <= MAX_FIRST:
        firsts = [o for first in firsts for o in _longer(_after(start, first), first)]
    going_on = [o for o in firsts if _after(start, o).to_move != END]
    _shuffle(going_on, seed)
    return tuple(going_on) or ((),)


def _longer(position: Position, before: Opening) -> list[Opening]:
    """Return the openings of one more ply that come first among their images."""
    longer = [(*before, action) for action in position.legal_notation()]
    return [o for o in longer if o == min(position.game.images(o))]


def _after(position: Position, opening: Opening) -> Position:
    for action in opening:
        position = position.apply(position.game.parse_action(position, action))
    return position


def _shuffle(openings: MutableSequence[Opening], seed: int) -> None:
    """Put them into one of all orders, each as likely (Fisher and Yates)."""
    stream = rng.seeded(seed)
    for i in range(len(openings) - 1, 0, -1):
        j = rng.below(stream, i + 1)
        openings[i], openings[j] = openings[j], openings[i]
