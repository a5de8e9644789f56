"""The openings of a game: how the matches of a ladder begin, the same list for every pairing.

Each is a few actions in notation, played before the bots' clocks start; of those that are the same
up to symmetry there is one.  In a game with dice these are the opening, and there is one list: ().
Nothing here judges an opening: an unequal one is fair, as both bots of a pair have either side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableSequence
from typing import Final, TypeAlias

from games import rng
from games.game import END, Game, Position

Opening: TypeAlias = tuple[str, ...]

MOST_FIRST: Final = 8  # first actions, up to symmetry, that leave room for a second ply

# Where the digits of a notation come to lie, the first entry being where they are.
_TURNED = ("123/456/789", "741/852/963", "987/654/321", "369/258/147")
_MIRRORED = ("321/654/987", "147/258/369", "789/456/123", "963/852/741")
SQUARE: Final = tuple([rows.replace("/", "") for rows in (*_TURNED, *_MIRRORED)])
LEFT_RIGHT: Final = ("1234567", "7654321")

# A game that is not here has none that we know of.  In ultimate tic-tac-toe boards and cells are
# numbered alike, and a cell sends to the board of its number: both turn together.
SYMMETRIES: Final[Mapping[str, tuple[str, ...]]] = {
    "tic_tac_toe": SQUARE,
    "ultimate_tic_tac_toe": SQUARE,
    "connect_four": LEFT_RIGHT,
}


def openings(game: Game, seed: int) -> tuple[Opening, ...]:
    """All openings of `game`, in an order that depends on `seed` alone; at least one.

    They are one ply long if that gives more than MOST_FIRST, else two.  An opening that ends the
    game is left out; where all do, matches begin at the beginning.
    """
    if game.has_chance:
        return ((),)
    start = game.initial()
    found = _longer(start, ())
    if len(found) <= MOST_FIRST:
        found = [o for first in found for o in _longer(_after(start, first), first)]
    going_on = [o for o in found if _after(start, o).to_move != END]
    _shuffle(going_on, seed)
    return tuple(going_on) or ((),)


def images(game: Game, opening: Opening) -> Iterator[Opening]:
    """The openings that are the same as this one up to symmetry, itself first; some may repeat."""
    same = SYMMETRIES.get(game.name, ("",))
    for image in same:
        moved = str.maketrans(same[0], image)
        yield tuple([action.translate(moved) for action in opening])


def _longer(position: Position, before: Opening) -> list[Opening]:
    """The openings of one more ply that come first among their images."""
    longer = [(*before, action) for action in position.legal_notation()]
    return [o for o in longer if o == min(images(position.game, o))]


def _after(position: Position, opening: Opening) -> Position:
    for action in opening:
        position = position.apply(position.game.parse_action(position, action))
    return position


def _shuffle(found: MutableSequence[Opening], seed: int) -> None:
    """Put them into one of all orders, each as likely (Fisher and Yates)."""
    stream = rng.seeded(seed)
    for i in range(len(found) - 1, 0, -1):
        j = rng.below(stream, i + 1)
        found[i], found[j] = found[j], found[i]
