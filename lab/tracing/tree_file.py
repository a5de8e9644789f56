"""The trees of a choice as a file: JSON, or DOT for Graphviz.  Values in it are seat 0's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from games.game import CHANCE, END, Position
from lab.tracing.choice import AnalysedChoice
from protocol.files import whole_file

SUFFIXES: Final = (".json", ".dot")
MAX_DEPTH: Final = 100  # plies of a written tree: it is written by recursion
SHAPES: Final = {0: "box", 1: "ellipse", CHANCE: "diamond", END: "doubleoctagon"}


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
