"""A board of backgammon by itself: it is shown positions, and touched like a person does it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Page

from games import registry
from games.game import Position
from tests.games.backgammon import brute

GAME = registry.game("backgammon")
BAR, OFF = 25, 0
START = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
HIT = "XGID=-b---aE-C---dE---c-e----B-:0:0:1:31:0:0:0:0:10"


def positions(seed: int) -> Iterator[Position]:
    """Random positions of every kind (see test_generator.py) with a choice."""
    rng = random.Random(seed)
    while True:
        dice, seat = (rng.randint(1, 6), rng.randint(1, 6)), rng.randrange(2)
        position = Position(GAME, tuple(brute.state(brute.random_board(rng), dice, seat)))
        if position.legal_notation() != ("pass",):
            yield position


def question(position: Position) -> dict[str, Any]:
    """What the page knows of a turn."""
    text, legal = GAME.format_position(position), list(position.legal_notation())
    return {"position": text, "seat": position.to_move, "legal": legal}


# Puts a board of its own on the page, which plays into `window.played`.
LAY = """async () => {
  const { boardOf } = await import("/boards/registry.js");
  const { create } = await boardOf("backgammon");
  const host = document.createElement("div");
  document.body.prepend(host);
  host.style.maxWidth = "700px";
  window.played = [];
  window.board = create(host, (action) => window.played.push(action));
}"""


DONE = "[data-cell=done]:not([hidden]) [data-done]"


def plain(text: str) -> str:
    """A text without the marks around names that keep their direction to themselves."""
    return text.replace("\u2068", "").replace("\u2069", "")


class Board:
    """A board by itself, shown one position."""

    def __init__(self, door: Page, motion: str = "reduce") -> None:
        self.page = door
        door.emulate_media(reduced_motion=motion)  # type: ignore[arg-type]
        door.evaluate(LAY)

    def show(self, xgid: str, **other: Any) -> None:
        position = GAME.parse_position(xgid)
        view = {"toMove": position.to_move, "last": None, "events": [], "over": False, "marks": []}
        view |= {"names": ["Anna", "Bert"], **question(position), **other}
        self.page.evaluate("view => board.show(view)", view)

    def movable(self) -> list[int]:
        points = "all => all.map(({ dataset }) => Number(dataset.point))"
        zones = self.page.locator(".zone.movable").evaluate_all(points)
        return sorted(zones, reverse=True)

    def targets(self) -> list[int]:
        points = "all => all.map(({ dataset }) => Number(dataset.target))"
        return sorted(self.page.locator("[data-target]").evaluate_all(points), reverse=True)

    def tap(self, *points: int) -> None:
        for point in points:
            self.page.locator(f"[data-point='{point}']").click()

    def double(self, *points: int) -> None:
        for point in points:
            self.page.locator(f"[data-point='{point}']").dblclick()

    def drag(self, source: int, target: int) -> None:
        start = self.page.locator(f"[data-point='{source}']")
        start.drag_to(self.page.locator(f"[data-point='{target}']"))

    def middle(self, point: int) -> dict[str, float]:
        box = self.page.locator(f"[data-point='{point}']").bounding_box()
        assert box is not None
        return {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}

    def press(self, button: str) -> None:
        self.page.locator(f"[data-cell={button}]").click()

    def keys(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text: str, enter: bool = True) -> str:
        became: str = self.page.evaluate(
            "([text, enter]) => board.type(text, enter)", [text, enter]
        )
        return became

    def label(self, cell: int | str) -> str:
        node = self.page.locator(f"[data-cell='{cell}']")
        button = node.locator("[role=button]")
        label = (button if button.count() else node).get_attribute("aria-label")
        return plain(label or "")

    def count(self, side: int, point: int) -> int:
        """How many checkers are drawn on a side's own point (side 0 is the near one)."""
        return self.page.locator(f"[data-spot^='{side}:{point}:']").count()

    def dice(self) -> list[tuple[str, bool]]:
        given = "all => all.map(({ dataset }) => [dataset.die, dataset.used === 'true'])"
        return [(die, used) for die, used in self.page.locator("[data-die]").evaluate_all(given)]

    def has(self, button: str) -> bool:
        return self.page.locator(f"[data-cell={button}]:not([hidden])").count() > 0

    def played(self) -> list[str]:
        answers: list[str] = self.page.evaluate("played")
        return answers


def events(*actions: tuple[str, int, str], first: int = 10) -> list[dict[str, Any]]:
    """Events of a match, given as kind, seat and action."""
    return [
        {"seq": first + ply, "ply": 4 + ply, "kind": kind, "seat": seat, "action": action}
        for ply, (kind, seat, action) in enumerate(actions)
    ]


def after(xgid: str, *actions: str) -> str:
    position = GAME.parse_position(xgid)
    for action in actions:
        position = position.apply(GAME.parse_action(position, action))
    return GAME.format_position(position)
