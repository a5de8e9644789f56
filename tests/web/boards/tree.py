"""The accessibility tree of a page: all that somebody who does not see it is told."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import CDPSession, Page


@dataclass(frozen=True)
class Node:
    """What an assistive program is told of one element."""

    role: str
    name: str
    is_disabled: bool
    is_focused: bool


class Tree:
    """The accessibility tree of a page, as the browser hands it out, and nothing else."""

    def __init__(self, page: Page, session: CDPSession | None = None) -> None:
        """Read it now; a session that is given stays open."""
        own = session or page.context.new_cdp_session(page)
        nodes = own.send("Accessibility.getFullAXTree")["nodes"]
        if session is None:
            own.detach()
        self._root = nodes[0]["nodeId"]
        self._children = {node["nodeId"]: node.get("childIds", []) for node in nodes}
        self._nodes = {node["nodeId"]: _node(node) for node in nodes}

    def all(self, role: str, below: str | None = None) -> list[str]:
        """The ids of all with this role, in the order of reading."""
        found = []
        for child in self._children[below or self._root]:
            found += [child] if self._nodes[child].role == role else self.all(role, child)
        return found

    def __getitem__(self, identity: str) -> Node:
        return self._nodes[identity]


def _node(node: dict[str, Any]) -> Node:
    if node.get("ignored"):  # it is in the tree, but nobody is told of it
        return Node("", "", True, False)
    flags = {each["name"]: each["value"].get("value") for each in node.get("properties", [])}
    return Node(
        node.get("role", {}).get("value", ""), node.get("name", {}).get("value", ""),
        bool(flags.get("disabled")), bool(flags.get("focused")),
    )  # fmt: skip


def cells_of(tree: Tree) -> list[Node]:
    (grid,) = tree.all("grid")
    return [tree[cell] for cell in tree.all("gridcell", grid)]


def grid_of(tree: Tree) -> list[list[Node]]:
    """The rows of the grid; a cell that holds a button is that button."""
    (grid,) = tree.all("grid")
    return [
        [tree[(tree.all("button", cell) or [cell])[0]] for cell in tree.all("gridcell", row)]
        for row in tree.all("row", grid)
    ]


Place = tuple[int, int]  # row and column


def place_of(rows: list[list[Node]], is_it: Callable[[Node], bool]) -> Place | None:
    """Where the first cell stands that is the one."""
    places = [(r, c) for r, row in enumerate(rows) for c, cell in enumerate(row) if is_it(cell)]
    return places[0] if places else None


def walk(page: Page, rows: list[list[Node]], goal: Place) -> None:
    """Carry the focus, which is on the grid, to a cell of it by arrows and Home."""
    start = place_of(rows, lambda cell: cell.is_focused)
    assert start is not None, "the focus is not on the board"
    down, across = goal[0] - start[0], goal[1] - start[1]
    keys = ["ArrowDown" if down > 0 else "ArrowUp"] * abs(down)
    if down:  # where that leads to in the other row is not known
        keys.append("Home")
        across = goal[1]
    keys += ["ArrowRight" if across > 0 else "ArrowLeft"] * abs(across)
    for key in keys:
        page.keyboard.press(key)
