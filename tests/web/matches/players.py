"""Somebody who plays at a table: by mouse, by finger, or by keys and what is read out.

A player is asked for one step after the other.  Each takes at most one, such as a press,
and says whether the match goes on.
"""

from __future__ import annotations

import random
import re
from typing import Literal, Protocol

from playwright.sync_api import Page

from tests.web.boards.tree import Node, Tree, grid_of, place_of, walk
from tests.web.visitor import come_in, sit_down

Step = Literal["played", "waits", "over"]

# What can be pressed now, as the middle of each place; "over", or [] while there is nothing to do.
# Of backgammon one place: "Done", or the farthest that the checker which is picked up can go to, or
# the last checker: so that a match comes to its end.
PLACES = """() => {
  if (document.querySelector(".game .status.over")) return "over";
  if (!document.querySelector(".game .status.yours")) return [];
  const all = (kind) => [...document.querySelectorAll(kind)];
  const point = ({ dataset }) => Number(dataset.point);
  const done = all("[data-cell=done]:not([hidden]) [data-done]");
  const goals = all(".zone.goal").sort((a, b) => point(a) - point(b));
  const movable = all(".zone.movable").sort((a, b) => point(b) - point(a));
  const one = [done, goals, movable].find((nodes) => nodes.length)?.slice(0, 1);
  return (one ?? all(".square.open")).map((node) => {
    const place = node.querySelector(".area") ?? node;
    const { left, top, width, height } = place.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  });
}"""  # fmt: skip
IS_AT = "(what) => document.activeElement?.matches(what) ?? false"
MAX_TABS = 60


class Player(Protocol):
    """Comes to a table of its own, and plays there."""

    page: Page

    def sit(self, url: str, name: str, game: str) -> None: ...

    def step(self) -> Step: ...


class Pointer:
    """By mouse or by finger, wherever the page shows that something can be pressed."""

    def __init__(self, page: Page, *, is_touch: bool, seed: int) -> None:
        self.page = page
        self._press = page.touchscreen.tap if is_touch else page.mouse.click
        self._choice = random.Random(seed)

    def sit(self, url: str, name: str, game: str) -> None:
        come_in(self.page, url, name)
        sit_down(self.page, game)

    def step(self) -> Step:
        places = self.page.evaluate(PLACES)
        if places == "over":
            return "over"
        if not places:
            return "waits"
        self._press(*self._choice.choice(places))
        return "played"


CAN_PRESS = re.compile(r"Press to (play|let|pick|move)|^(Done|Play it)$")
FINISHES = re.compile(r"^(Done|Play it)$")
MOVES = re.compile(r"Press to move")
SWAPS = re.compile(r"Press to play \d first")
OVER = re.compile(r"^(You won|You lost|A draw)\b")


class Reader:
    """By keys alone, told nothing but the accessibility tree.

    Of backgammon it takes the farthest checker as far as it goes, and at times takes a move back or
    swaps the dice, so that a match comes to its end.
    """

    def __init__(self, page: Page, seed: int) -> None:
        self.page = page
        self.kinds: set[str] = set()  # of what was done
        self._session = page.context.new_cdp_session(page)
        self._choice = random.Random(seed)

    def sit(self, url: str, name: str, game: str) -> None:
        self.page.goto(url)
        self._go_to("#name, .sign-in input")
        self.page.keyboard.type(name)
        self.page.keyboard.press("Enter")
        self._go_to("[name=game]")
        while not self.page.evaluate(IS_AT, f"[value={game}]"):
            self.page.keyboard.press("ArrowRight")
        self._go_to("#rival")
        self.page.keyboard.type("random")
        self._go_to("[data-way=bot]", key="Shift+Tab")
        self.page.keyboard.press("Enter")
        self.page.locator(".game .player").first.wait_for()

    def step(self) -> Step:
        tree = Tree(self.page, self._session)
        if any(OVER.search(tree[each].name) for each in tree.all("StaticText")):
            return "over"
        if not tree.all("grid"):
            return "waits"
        rows = grid_of(tree)
        wanted = self._wanted([cell for row in rows for cell in row])
        if wanted is None:
            return "waits"
        self._walk(rows, wanted)
        self.page.keyboard.press("Enter")
        return "played"

    def _wanted(self, cells: list[Node]) -> Node | None:
        """The cell to press now, or None if there is nothing to do."""
        open_cells = [cell for cell in cells if not cell.is_disabled]
        swaps, undoes, finishes, moves, others = (
            [cell for cell in open_cells if kind.search(cell.name)]
            for kind in (SWAPS, re.compile("^Undo$"), FINISHES, MOVES, CAN_PRESS)
        )
        if swaps and not moves and self._choice.random() < 0.05:
            return self._note("swap", swaps[0])
        if undoes and not moves and self._choice.random() < 0.02:
            return self._note("undo", undoes[0])
        if finishes:
            return self._note(finishes[0].name, finishes[0])
        if moves:
            nearest_home = min(moves, key=lambda cell: point_of(cell.name))
            return self._note("off" if point_of(nearest_home.name) == 0 else "move", nearest_home)
        if not others:
            return None
        if "pick" not in others[0].name:
            return self._choice.choice(others)
        farthest = max(others, key=lambda cell: point_of(cell.name))
        return self._note("bar" if point_of(farthest.name) == 25 else "pick", farthest)

    def _note(self, kind: str, cell: Node) -> Node:
        self.kinds.add(kind)
        return cell

    def _walk(self, rows: list[list[Node]], wanted: Node) -> None:
        """Bring the focus to a cell, by Tab to the board and by arrows on it."""
        while place_of(rows, lambda cell: cell.is_focused) is None:
            self.page.keyboard.press("Tab")
            rows = grid_of(Tree(self.page, self._session))
        goal = place_of(rows, lambda cell: cell.name == wanted.name)
        assert goal is not None
        walk(self.page, rows, goal)

    def _go_to(self, what: str, key: str = "Tab") -> None:
        """Tab on until the focus is there."""
        self.page.locator(what).first.wait_for(state="attached")
        for _ in range(MAX_TABS):
            if self.page.evaluate(IS_AT, what):
                return
            self.page.keyboard.press(key)
        raise AssertionError(f"the focus never comes to {what}")


def point_of(name: str) -> int:
    """The point of a backgammon cell: 25 the bar, 0 off."""
    if name.startswith("bar"):
        return 25
    number = re.match(r"point (\d+)", name)
    return int(number[1]) if number else 0
