"""The accessibility tree of a page: all that somebody who does not see it is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page


@dataclass(frozen=True)
class Node:
    """What an assistive program is told of one element."""

    role: str
    name: str
    is_disabled: bool
    is_focused: bool


class Tree:
    """The accessibility tree of a page, as the browser hands it out, and nothing else."""

    def __init__(self, page: Page) -> None:
        session = page.context.new_cdp_session(page)
        nodes = session.send("Accessibility.getFullAXTree")["nodes"]
        session.detach()
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
    flags = {each["name"]: each["value"].get("value") for each in node.get("properties", [])}
    return Node(
        node.get("role", {}).get("value", ""), node.get("name", {}).get("value", ""),
        bool(flags.get("disabled")), bool(flags.get("focused")),
    )  # fmt: skip


def cells_of(tree: Tree) -> list[Node]:
    (grid,) = tree.all("grid")
    return [tree[cell] for cell in tree.all("gridcell", grid)]


def focused(tree: Tree) -> tuple[list[list[Node]], tuple[int, int] | None]:
    """The rows of the grid, and which cell has the focus."""
    (grid,) = tree.all("grid")
    rows = [[tree[cell] for cell in tree.all("gridcell", row)] for row in tree.all("row", grid)]
    places = [(r, c) for r, row in enumerate(rows) for c, cell in enumerate(row) if cell.is_focused]
    return rows, places[0] if places else None
