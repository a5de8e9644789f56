"""One choice of one bot, and all that led to it: candidates, trees, principal variation.

Its trees can be written to a file: JSON, or DOT for Graphviz.  Values in it are seat 0's.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from bots import registry
from bots.analysis.interruptible import run_interruptibly
from bots.bot import NO_LIMIT, Budget, Choice
from bots.engine.tree import Candidate, GrowsTrees, Tree
from bots.online.entry import Entry
from games.game import CHANCE, END, Position
from protocol.files import whole_file

SUFFIXES: Final = (".json", ".dot")
MAX_DEPTH: Final = 100  # plies of a written tree: it is written by recursion
SHAPES: Final = {0: "box", 1: "ellipse", CHANCE: "diamond", END: "doubleoctagon"}


@dataclass(frozen=True, slots=True)
class AnalysedChoice:
    """A choice, with what it was read from.

    seconds   what it took, without compiling
    trees     one a thread; none if the bot grows no tree
    """

    position: Position
    entry: Entry
    budget: Budget
    choice: Choice
    seconds: float
    candidates: list[Candidate]
    trees: tuple[Tree, ...] = ()

    @property
    def size(self) -> int:
        return sum(tree.size for tree in self.trees)

    @property
    def principal_variation(self) -> list[str]:
        """The principal variation in notation, of the first tree that agrees with the choice."""
        variations = [tree.principal_variation() for tree in self.trees]
        agreeing = [each for each in variations if each[:1] == [self.choice.action]]
        return list(_notation(self.position, (agreeing or variations or [[]])[0]))

    def row(self) -> dict[str, Any]:
        """Everything but the trees, as plain values for JSON."""
        game = self.position.game
        return {
            "game": game.name,
            "position": game.format_position(self.position),
            "mover": self.position.to_move,
            "bot": self.entry.program,
            "settings": self.entry.settings,
            "seed": self.entry.seed,
            "budget": {
                "nodes": None if self.budget == NO_LIMIT else self.budget.nodes,
                "ms": self.budget.ms,
            },
            "action": game.format_action(self.position, self.choice.action),
            "value": self.choice.value,
            "nodes": self.choice.nodes,
            "seconds": round(self.seconds, 6),
            "note": self.choice.note,
            "cut": self.choice.cut,
            "size": self.size,
            "line": self.principal_variation,
            "candidates": [
                {
                    "action": game.format_action(self.position, candidate.action),
                    "visits": candidate.visits,
                    "value": candidate.value,
                    "proven": candidate.proven,
                }
                for candidate in self.candidates
            ],
        }


def _notation(position: Position, actions: list[int]) -> Iterator[str]:
    for action in actions:
        yield position.game.format_action(position, action)
        position = position.apply(action)


def choose(position: Position, entry: Entry, budget: Budget) -> AnalysedChoice:
    """Let a fresh bot choose; Ctrl-C ends its thinking, and it chooses from what it has by then."""
    bot = registry.bot_class(entry.program)(seed=entry.seed, **entry.settings)
    stop = bot.stop_flag()
    start = time.perf_counter()
    choice = run_interruptibly(lambda: bot.choose(position, budget, stop), stop)
    seconds = time.perf_counter() - start
    forest = bot.forest() if isinstance(bot, GrowsTrees) else None
    candidates, trees = ([], []) if forest is None else (forest.candidates(), forest.trees)
    return AnalysedChoice(position, entry, budget, choice, seconds, candidates, tuple(trees))


class NoTree(ValueError):
    """A tree is wanted of a bot that has none, or had none for this choice."""


def write_trees(analysed: AnalysedChoice, path: Path, least: int | None, depth: int) -> None:
    """Write the trees into a file, in the form that its name asks for.

    Raises:
        NoTree: when there is none.
        OSError: when it cannot be written.
    """
    if not analysed.trees:
        raise NoTree(f"{analysed.entry.program} grew no tree for this choice; mcts always does")
    roots = dump_trees(analysed, least, depth)
    if path.suffix == ".dot":
        text = format_dot(roots, f"{analysed.entry.program}: {analysed.position}")
    else:
        text = json.dumps({**analysed.row(), "trees": roots}, indent=1) + "\n"
    whole_file.write(path, text.encode())


def dump_trees(analysed: AnalysedChoice, least: int | None, depth: int) -> list[dict[str, Any]]:
    """Each tree as Tree.dump gives it, with every action also in `notation`.

    `least`: the visits of a node that is dumped; None: a hundredth of the root's.
    """
    return [
        _with_notation(
            tree.dump(tree.visits // 100 if least is None else least, depth), analysed.position
        )
        for tree in analysed.trees
    ]


def _with_notation(node: dict[str, Any], position: Position) -> dict[str, Any]:
    """A dump of `position` and what is below it, with its actions in notation."""
    children = []
    for child in node["children"]:
        notation = position.game.format_action(position, child["action"])
        below = _with_notation(child, position.apply(child["action"]))
        children.append({"notation": notation, **below})
    return {**node, "children": children}


def format_dot(roots: list[dict[str, Any]], title: str) -> str:
    """Trees from `dump_trees` in the DOT language.

    A node shows visits and value, an edge the action.  The shape says who is to move (box: seat 0,
    ellipse: seat 1, diamond: dice, octagon: the game is over); a proven node is grey.
    """
    lines = [f"digraph {_quoted(title)} {{", "  node [fontsize=10];", "  edge [fontsize=10];"]
    todo = [(root, "") for root in reversed(roots)]
    number = 0
    while todo:
        node, parent = todo.pop()
        proven = "=" if node["proven"] else ""
        label = _quoted(f"{node['visits']}\n{proven}{node['value']:+.3f}")
        style = f"shape={SHAPES.get(node['mover'], 'box')}"
        style += ", style=filled, fillcolor=lightgrey" if node["proven"] else ""
        lines.append(f"  n{number} [label={label}, {style}];")
        if parent:
            lines.append(f"  {parent} -> n{number} [label={_quoted(node['notation'])}];")
        todo += [(child, f"n{number}") for child in reversed(node["children"])]
        number += 1
    return "\n".join([*lines, "}", ""])


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
