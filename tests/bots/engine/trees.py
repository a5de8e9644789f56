"""Trees of bots/engine/kernels/uct.py for tests: small ones in plain Python, and their nodes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bots.engine.kernels.uct import COUNT, FIRST, FREE, NODE
from bots.engine.tree import Tree
from games import registry
from games.game import CHANCE, Position

GAMES = ("tic_tac_toe", "connect_four", "ultimate_tic_tac_toe", "backgammon")


def at(game: str, notation: str) -> Position:
    return registry.game(game).parse_position(notation)


def first_decision(name: str) -> Position:
    """The first position in which a seat is to move, after the seventh roll or so."""
    position = registry.game(name).initial()
    while position.to_move == CHANCE:
        position = position.apply(position.legal_actions()[:8][-1])
    return position


def grown(position: Position, nodes: int, **settings: object) -> Tree:
    """A tree after so many simulations."""
    tree = Tree(position.game, seed=3, plain=True, megabytes=2, **settings)  # type: ignore[arg-type]
    tree.think(position, nodes, [0])
    return tree


def nodes(tree: Tree) -> Iterator[int]:
    """Every node of the tree."""
    return iter(range(NODE, tree.memory()[FREE], NODE))


def children(memory: Sequence[int], node: int) -> range:
    return range(memory[node + FIRST], memory[node + FIRST] + memory[node + COUNT] * NODE, NODE)
