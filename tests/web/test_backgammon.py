"""Backgammon on the page: turns that are built up, their drawing, and a whole match by clicking."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from bots.arena.local_server import ServerProcess
from games import registry
from games.game import Position
from tests.games.backgammon import brute
from tests.web.conftest import Visit
from tests.web.visitor import come_in, sit_down

pytestmark = pytest.mark.browser

GAME = registry.game("backgammon")
BAR, OFF = 25, 0

Dice = tuple[int, ...]
Offers = dict[str, Any]  # board and dice left as text -> the steps from there, or the turn it is

# Walks through all that is offered from the start of a turn.
WALK = """async ({ position, seat, legal }) => {
  const turns = await import("/boards/backgammon/turn.js");
  const { begin, boardOf, parsePosition, take } = turns;
  const seen = {};
  const walk = (turn) => {
    const left = [...turn.left].sort().join("");
    const name = [...turn.board].map((count) => count.toString(16)).join("") + " " + left;
    if (name in seen) return;
    seen[name] = turn.action ?? turn.steps.map(({ from, die }) => `${from}:${die}`).sort();
    for (const step of turn.steps) walk(take(turn, step));
  };
  const parsed = parsePosition(position);
  walk(begin(boardOf(parsed, seat), parsed.dice, legal));
  return seen;
}"""


def offers_by_force(position: Position) -> Offers:
    """All that should be offered: each way of moving single checkers from which some sequence of
    further ones leads to the result of a legal turn.
    """
    seat = position.to_move
    results = {
        brute.board(position.apply(action).state, seat): text
        for action, text in zip(position.legal_actions(), position.legal_notation(), strict=True)
    }
    offers: Offers = {}

    @cache
    def leads_there(board: brute.Board, dice: Dice) -> bool:
        steps = [step for step, *after in moves(board, dice) if leads_there(*after)]
        return bool(steps) or board in results

    def offer(board: brute.Board, dice: Dice) -> None:
        if (name := name_of(board, dice)) not in offers:
            steps = [move for move in moves(board, dice) if leads_there(*move[1:])]
            offers[name] = sorted(step for step, *_ in steps) or results[board]
            for _, *after in steps:
                offer(*after)

    offer(*start_of(position))
    return offers


def start_of(position: Position) -> tuple[brute.Board, Dice]:
    """The board as the mover sees it, and the dice, two or four."""
    high, low = position.state[53:55]
    board = brute.board(position.state, position.to_move)
    return board, (low, high) if high != low else (low,) * 4


def moves(board: brute.Board, dice: Dice) -> Iterator[tuple[str, brute.Board, Dice]]:
    """What one checker can do with one of the dice: as text, and what there is after it."""
    for die in set(dice):
        left = list(dice)
        left.remove(die)
        for source, after in brute.steps(board, die).items():
            yield f"{source}:{die}", after, tuple(left)


def name_of(board: brute.Board, dice: Dice) -> str:
    counts = "".join(f"{side.count(point):x}" for side in board for point in range(26))
    return f"{counts} {''.join(map(str, sorted(dice)))}"


def positions(seed: int) -> Iterator[Position]:
    """Random positions of every kind (see test_generator.py) with a choice."""
    rng = random.Random(seed)
    while True:
        dice, seat = (rng.randint(1, 6), rng.randint(1, 6)), rng.randrange(2)
        position = Position(GAME, tuple(brute.state(brute.random_board(rng), dice, seat)))
        if position.legal_notation() != ("pass",):
            yield position


@pytest.fixture
def door(page: Page, server: ServerProcess) -> Page:
    """A tab that has this house's page open."""
    page.goto(server.url)
    return page


def question(position: Position) -> dict[str, Any]:
    """What the page knows of a turn."""
    text, legal = GAME.format_position(position), list(position.legal_notation())
    return {"position": text, "seat": position.to_move, "legal": legal}


def test_exactly_the_steps_that_lead_to_a_legal_turn_are_offered(door: Page) -> None:
    for number, position in enumerate(islice(positions(seed=3), 600)):
        offered = door.evaluate(WALK, question(position))
        assert offered == offers_by_force(position), f"number {number}: {position}"
        ends = {end for end in offered.values() if isinstance(end, str)}
        assert ends == set(position.legal_notation()), f"number {number}: {position}"


def test_of_two_thousand_turns_each_can_be_built(door: Page) -> None:
    spread = {3, 5, 7, 8, 10, 12, 13, 14, 15, 16, 18, 20, 21, 23, 24}
    own = [int(point in spread) for point in range(26)]
    position = Position(GAME, (*own, 14, *[0] * 24, 1, 0, 1, 1))
    offered = door.evaluate(WALK, question(position))
    ends = [end for end in offered.values() if isinstance(end, str)]
    assert sorted(ends) == sorted(position.legal_notation())
    assert len(ends) > 2000


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


class Board:
    """A board by itself, shown one position."""

    def __init__(self, door: Page) -> None:
        self.page = door
        door.emulate_media(reduced_motion="reduce")
        door.evaluate(LAY)

    def show(self, xgid: str, **other: Any) -> None:
        position = GAME.parse_position(xgid)
        view = {"toMove": position.to_move, "last": None, "events": [], "over": False, "marks": []}
        view |= {**question(position), **other}
        self.page.evaluate("view => board.show(view)", view)

    def movable(self) -> list[int]:
        points = "all => all.map(({ dataset }) => Number(dataset.point))"
        zones = self.page.locator(".zone.movable").evaluate_all(points)
        return sorted(zones, reverse=True)

    def click(self, *points: int) -> None:
        for point in points:
            self.page.locator(f"[data-point='{point}']").click()

    def drag(self, source: int, target: int) -> None:
        start = self.page.locator(f"[data-point='{source}']")
        start.drag_to(self.page.locator(f"[data-point='{target}']"))

    def middle(self, point: int) -> dict[str, float]:
        box = self.page.locator(f"[data-point='{point}']").bounding_box()
        assert box is not None
        return {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}

    def press(self, button: str) -> None:
        self.page.locator(f"[data-{button}]").click()

    def count(self, side: int, point: int) -> int:
        """How many checkers are drawn on a side's own point (side 0 is the near one)."""
        return self.page.locator(f"[data-spot^='{side}:{point}:']").count()

    def dice(self) -> list[tuple[str, bool]]:
        given = "all => all.map(({ dataset }) => [dataset.die, dataset.used === 'true'])"
        return [(die, used) for die, used in self.page.locator("[data-die]").evaluate_all(given)]

    def has(self, button: str) -> bool:
        return self.page.locator(f"[data-{button}]").count() > 0

    def played(self) -> list[str]:
        answers: list[str] = self.page.evaluate("played")
        return answers


@pytest.fixture
def board(door: Page) -> Board:
    return Board(door)


START = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"


def test_a_click_moves_by_the_first_die_and_done_sends_the_turn(board: Board) -> None:
    board.show(START)
    assert board.dice() == [("3", False), ("1", False)]
    assert board.movable() == [24, 13, 8, 6]
    board.click(8)
    assert (board.count(0, 8), board.count(0, 5)) == (2, 1)
    assert board.dice() == [("3", True), ("1", False)]
    assert not board.has("done")
    board.click(6)
    assert board.movable() == []
    board.press("done")
    assert board.played() == ["8/5 6/5"]


def test_a_click_on_the_dice_lets_the_other_one_be_first(board: Board) -> None:
    board.show(START)
    board.drag(13, 4)  # further than the dice go
    assert (board.count(0, 13), board.has("undo")) == (5, False)
    board.page.locator("[data-die='3']").click()
    assert board.dice() == [("1", False), ("3", False)]
    board.click(24)
    assert (board.count(0, 24), board.count(0, 23)) == (1, 1)
    board.click(23)
    board.press("done")
    assert board.played() == ["24/20"]


def test_a_finger_drags_the_checker_and_not_the_page(visit: Visit, server: ServerProcess) -> None:
    page = visit(viewport={"width": 390, "height": 500}, has_touch=True, is_mobile=True).page
    page.goto(server.url)
    board = Board(page)
    board.show(START)
    finger = page.context.new_cdp_session(page)
    start, end = (board.middle(point) for point in (13, 9))
    for kind, share in [("Start", 0), ("Move", 0.2), ("Move", 0.6), ("Move", 1)]:
        at = {axis: start[axis] + share * (end[axis] - start[axis]) for axis in "xy"}
        finger.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": [at]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.locator("[data-done]").tap()  # one checker has gone by both dice
    assert board.played() == ["13/9"]
    assert page.evaluate("scrollY") == 0


def test_undo_takes_back_one_step_or_a_hit_and_all_takes_back_every_one(board: Board) -> None:
    board.show(START.replace(":31:", ":11:"))
    board.click(8, 8, 6, 6)
    assert board.has("done")
    board.press("undo")
    assert (board.count(0, 6), board.count(0, 5), board.has("done")) == (4, 1, False)
    board.press("undo-all")
    assert [board.count(0, point) for point in (8, 7, 6, 5)] == [3, 0, 5, 0]
    assert not board.has("undo")
    assert board.played() == []
    board.show("XGID=-b---aE-C---dE---c-e----B-:0:0:1:31:0:0:0:0:10")  # a hit, and back
    board.click(8)
    assert (board.count(0, 5), board.count(1, 20), board.count(1, BAR)) == (1, 0, 1)
    board.press("undo")
    assert (board.count(0, 5), board.count(1, 20), board.count(1, BAR)) == (0, 1, 0)
    board.click(8, 6)
    board.press("done")
    assert board.played() == ["8/5* 6/5"]


def test_the_same_question_again_keeps_what_was_built(board: Board) -> None:
    board.show(START)
    board.click(13)
    board.show(START)
    assert board.count(0, 10) == 1
    board.show(START, legal=None)  # while an answer is under way
    assert (board.count(0, 10), board.movable()) == (1, [])
    board.show(START)
    board.click(6)
    assert board.has("done")
    board.show(START.replace(":31:", ":21:"))
    assert (board.count(0, 13), board.has("undo")) == (5, False)


@pytest.mark.parametrize("button", ["forced", "done"])
def test_a_forced_turn_that_gets_stuck_is_played_at_once_or_step_by_step(
    board: Board, button: str
) -> None:
    board.show("XGID=-b----E-C---eE---c-e-----B:0:0:1:61:0:0:0:0:10")
    assert board.movable() == [BAR]
    if button == "done":
        board.click(BAR)
        assert board.dice() == [("6", True), ("1", True)]
    board.press(button)
    assert board.played() == ["bar/24"]
    assert (board.count(0, BAR), board.count(0, 24)) == (1, 1)


def test_checkers_enter_by_the_die_that_can_and_are_borne_off(board: Board) -> None:
    board.show("XGID=-b----E-C---eE---c-e----AA:0:0:1:63:0:0:0:0:10")
    assert board.movable() == [BAR]
    board.click(BAR)
    assert (board.count(0, BAR), board.count(0, 22)) == (0, 1)
    assert board.dice() == [("6", False), ("3", True)]
    assert board.movable() == [24, 22, 13, 8]
    board.show("XGID=-BBBBBA------------eee----:0:0:1:65:0:0:0:0:10")
    pips = board.page.locator("[data-pips=near]")
    expect(pips).to_have_text("36")
    board.drag(6, OFF)
    expect(pips).to_have_text("30")
    board.click(5)
    expect(pips).to_have_text("25")
    board.press("done")
    assert board.played() == ["6/off 5/off"]


def test_what_happened_meanwhile_is_told(board: Board) -> None:
    kinds = [("play", 0, "13/7"), ("roll", -1, "66"), ("pass", 1, "pass"), ("roll", -1, "31")]
    events = [
        {"seq": 9 + ply, "ply": ply, "kind": kind, "seat": seat, "action": action}
        for ply, (kind, seat, action) in enumerate(kinds, start=4)
    ]
    board.show(START, events=events)
    expect(board.page.locator(".news")).to_have_text("Opponent 6-6: no move possible")
    far = board.page.locator(".die.dark")
    assert [each.get_attribute("data-used") for each in far.all()] == ["true"] * 4


def test_who_looks_on_can_click_nothing_and_seat_one_sees_its_own_side(board: Board) -> None:
    board.show(START, seat=None, legal=None)
    assert board.movable() == []
    board.click(8)
    assert board.count(0, 8) == 3
    board.show(START.replace(":1:31:", ":-1:42:"))
    assert board.movable() == [24, 13, 8, 6]
    board.click(8, 6)
    board.press("done")
    assert board.played() == ["8/4 6/4"]


def test_the_keyboard_plays_a_turn(board: Board) -> None:
    board.show(START)
    press = board.page.keyboard.press
    for point, keys in ((8, ("Enter", "Backspace")), (8, ("Enter",)), (6, ("Enter",))):
        assert board.count(0, 8) == (3 if point == 8 else 2)
        board.page.locator(f"[data-point='{point}']").focus()
        for key in keys:
            press(key)
    expect(board.page.locator("[data-done]")).to_be_focused()
    press("Enter")
    assert board.played() == ["8/5 6/5"]


# What there is to do: a turn to be built, "over", or nothing yet.
WANTED = """() => document.querySelector(".zone.movable, [data-done], [data-forced]") ? "turn"
  : document.querySelector(".status.over") ? "over" : null"""
MOST_TURNS = 300


def build_turn(page: Page, rng: random.Random) -> None:
    """Play a turn by clicks: race, from the back; now and then think again."""
    board = page.locator(".backgammon")
    while not board.locator("[data-done], [data-forced]").count():
        board.locator(".zone.movable").first.click()  # the zones stand in order, 25 first
        if rng.random() < 0.1:
            board.locator("[data-undo]").click()
    board.locator("[data-done], [data-forced]").click()


def test_a_whole_match_is_played_by_clicking(visit: Visit, server: ServerProcess) -> None:
    page = visit(reduced_motion="reduce").page
    come_in(page, server.url, "runner")
    sit_down(page, "backgammon")
    rng = random.Random(5)
    for turn in range(MOST_TURNS):
        wanted = page.wait_for_function(WANTED).json_value()
        if wanted == "over":
            break
        if turn == 3:
            page.locator(".zone.movable").first.click()
            page.reload()
            expect(page.locator(".zone.movable").first).to_be_visible()
            assert page.locator("[data-undo]").count() == 0
        build_turn(page, rng)
    position = GAME.parse_position(page.locator(".board").get_attribute("data-position") or "")
    assert position.outcome() is not None
