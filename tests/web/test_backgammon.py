"""Backgammon on the page: turns that are built up, their drawing, and a whole match by clicking."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache
from itertools import islice, pairwise
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from bots.arena.local_server import ServerProcess
from games import registry
from games.game import CHANCE, Position
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


@pytest.fixture
def board(door: Page) -> Board:
    return Board(door)


START = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
HIT = "XGID=-b---aE-C---dE---c-e----B-:0:0:1:31:0:0:0:0:10"


def test_a_tap_shows_where_a_checker_can_go_and_a_tap_there_moves_it(board: Board) -> None:
    board.show(START)
    assert board.dice() == [("3", False), ("1", False)]
    assert board.movable() == [24, 13, 8, 6]
    board.tap(8)
    assert board.targets() == [7, 5, 4]
    board.tap(5)
    assert (board.count(0, 8), board.count(0, 5), board.targets()) == (2, 1, [])
    assert board.dice() == [("3", True), ("1", False)]
    assert not board.has("done")
    board.tap(6, 5)
    assert board.movable() == []
    board.press("done")
    assert board.played() == ["8/5 6/5"]


def test_a_second_tap_puts_it_down_and_a_double_tap_plays_the_first_die(board: Board) -> None:
    board.show(START)
    board.tap(13)
    board.tap(8)  # no place for it, but another checker of one's own
    assert board.targets() == [7, 5, 4]
    board.page.wait_for_timeout(450)  # more than between the taps of a double one
    board.tap(8)
    assert (board.count(0, 8), board.targets()) == (3, [])
    board.drag(13, 4)  # further than the dice go
    assert (board.count(0, 13), board.has("undo")) == (5, False)
    board.press("dice")
    assert board.dice() == [("1", False), ("3", False)]
    board.double(24)
    assert (board.count(0, 24), board.count(0, 23)) == (1, 1)
    board.double(23)
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
    page.locator(DONE).tap()  # one checker has gone by both dice
    assert board.played() == ["13/9"]
    assert page.evaluate("scrollY") == 0
    board.show(START.replace(":31:", ":42:"))
    page.locator("[data-point='8']").tap()
    assert board.targets() == [6, 4, 2]
    for point in (4, 6, 4):
        page.locator(f"[data-point='{point}']").tap()
    page.locator(DONE).tap()
    assert board.played() == ["13/9", "8/4 6/4"]


def test_undo_takes_back_one_step_or_a_hit_and_all_takes_back_every_one(board: Board) -> None:
    board.show(START.replace(":31:", ":11:"))
    board.double(8, 8, 6, 6)
    assert board.has("done")
    board.press("undo")
    assert (board.count(0, 6), board.count(0, 5), board.has("done")) == (4, 1, False)
    board.press("undo-all")
    assert [board.count(0, point) for point in (8, 7, 6, 5)] == [3, 0, 5, 0]
    assert not board.has("undo")
    assert board.played() == []
    board.show(HIT)
    board.tap(8, 5)
    assert (board.count(0, 5), board.count(1, 20), board.count(1, BAR)) == (1, 0, 1)
    board.press("undo")
    assert (board.count(0, 5), board.count(1, 20), board.count(1, BAR)) == (0, 1, 0)
    board.tap(8, 5, 6, 5)
    board.press("done")
    assert board.played() == ["8/5* 6/5"]


def test_the_same_question_again_keeps_what_was_built(board: Board) -> None:
    board.show(START)
    board.double(13)
    board.show(START)
    assert board.count(0, 10) == 1
    board.show(START, legal=None)  # while an answer is under way
    assert (board.count(0, 10), board.movable()) == (1, [])
    board.show(START)
    board.double(6)
    assert board.has("done")
    board.show(START.replace(":31:", ":21:"))
    assert (board.count(0, 13), board.has("undo")) == (5, False)


@pytest.mark.parametrize("by", ["button", "steps"])
def test_a_forced_turn_that_gets_stuck_is_played_at_once_or_step_by_step(
    board: Board, by: str
) -> None:
    board.show("XGID=-b----E-C---eE---c-e-----B:0:0:1:61:0:0:0:0:10")
    assert board.movable() == [BAR]
    if by == "steps":
        board.tap(BAR, 24)
        assert board.dice() == [("6", True), ("1", True)]
    board.press("done")
    assert board.played() == ["bar/24"]
    assert (board.count(0, BAR), board.count(0, 24)) == (1, 1)


def test_checkers_enter_by_the_die_that_can_and_are_borne_off(board: Board) -> None:
    board.show("XGID=-b----E-C---eE---c-e----AA:0:0:1:63:0:0:0:0:10")
    assert board.movable() == [BAR]
    board.double(BAR)
    assert (board.count(0, BAR), board.count(0, 22)) == (0, 1)
    assert board.dice() == [("6", False), ("3", True)]
    assert board.movable() == [24, 22, 13, 8]
    board.show("XGID=-BBBBBA------------eee----:0:0:1:65:0:0:0:0:10")
    pips = board.page.locator("[data-pips=near]")
    expect(pips).to_have_text("36")
    board.drag(6, OFF)
    expect(pips).to_have_text("30")
    board.tap(5, OFF)
    expect(pips).to_have_text("25")
    board.press("done")
    assert board.played() == ["6/off 5/off"]


def events(*actions: tuple[str, int, str], first: int = 10) -> list[dict[str, Any]]:
    """Events of a match, given as kind, seat and action."""
    return [
        {"seq": first + ply, "ply": 4 + ply, "kind": kind, "seat": seat, "action": action}
        for ply, (kind, seat, action) in enumerate(actions)
    ]


def test_a_side_that_cannot_move_is_told(board: Board) -> None:
    passed = events(
        ("play", 0, "13/7"), ("roll", -1, "66"), ("pass", 1, "pass"), ("roll", -1, "31")
    )
    board.show(START, events=passed)
    expect(board.page.locator(".passed")).to_have_text("No move")
    far = board.page.locator(".die.dark")
    assert [each.get_attribute("data-used") for each in far.all()] == ["true"] * 4
    assert board.label("far-dice") == "Bert’s dice: 6 and 6"
    expect(board.page.locator("p.unseen").first).to_contain_text(
        "Bert\u2069 could not move with 6 and 6."
    )


def test_who_looks_on_can_press_nothing_and_seat_one_sees_its_own_side(board: Board) -> None:
    board.show(START, seat=None, legal=None)
    assert board.movable() == []
    board.page.locator("[data-point='8']").dblclick(force=True)
    assert board.count(0, 8) == 3
    assert board.label(8) == "point 8: three of Anna’s"
    board.show(START.replace(":1:31:", ":-1:42:"))
    assert board.movable() == [24, 13, 8, 6]
    board.tap(8, 4, 6, 4)
    board.press("done")
    assert board.played() == ["8/4 6/4"]


def test_the_keyboard_plays_a_turn_and_keeps_the_focus(board: Board) -> None:
    board.show(HIT)
    board.page.evaluate("board.focus()")
    board.keys("End", "ArrowDown", "ArrowDown", "Home", *["ArrowRight"] * 4)
    focus = board.page.locator(":focus")
    expect(focus).to_have_attribute("data-cell", "8")
    board.keys("Enter", "Escape", "Enter")
    expect(focus).to_have_attribute("aria-selected", "true")
    board.keys(*["ArrowRight"] * 4)
    expect(focus).to_have_attribute(
        "aria-label", "point 5: one of \u2068Bert\u2069’s. Press to move here from 8, hitting"
    )
    board.keys("Enter", "Backspace", "x")
    assert board.dice() == [("1", False), ("3", False)]
    board.keys(*["ArrowLeft"] * 4, "Enter", *["ArrowRight"] * 4, "Enter")
    expect(board.page.locator(".backgammon [role=status]")).to_have_text(
        "8 to 5, hitting. To play: 1."
    )
    board.keys("ArrowLeft", "Enter", "ArrowRight", "Enter")
    expect(focus).to_have_attribute("data-done", "")
    board.keys("Enter")
    assert board.played() == ["8/5* 6/5"]
    board.show(HIT, legal=None)
    board.show(START.replace(":1:31:", ":-1:42:"), seat=0, legal=None)
    expect(focus).to_have_attribute("aria-label", "your dice: not rolled")
    assert board.page.evaluate(
        "document.querySelector('.backgammon').contains(document.activeElement)"
    )


def test_the_dice_change_places_by_arrow_keys_and_enter(board: Board) -> None:
    board.show(START)
    board.page.evaluate("board.focus()")
    board.keys("ArrowDown")
    focus = board.page.locator(":focus")
    expect(focus).to_have_attribute(
        "aria-label",
        "your dice: 3 and 1; to play: 3, then 1. Press to play 1 first; so does the key X",
    )
    board.keys("Enter")
    assert board.dice() == [("1", False), ("3", False)]
    assert board.type("x", enter=False) == "played"
    assert board.dice() == [("3", False), ("1", False)]


def test_a_turn_is_typed_whole_or_in_parts(board: Board) -> None:
    board.show(START)
    for part in ("1", "13", "13/", "13/9", "13/9 ", "b", "bar/22"):
        assert board.type(part, enter=False) == "more"
    for wrong in ("13/9x", "e4"):
        assert board.type(wrong, enter=False) == "wrong"
    for wrong in ("13/5", "9/5", "6/13"):
        assert board.type(wrong) == "wrong"
    assert board.type("13/10") == "played"
    assert (board.count(0, 10), board.played()) == (1, [])
    assert board.type("10/9") == "played"
    assert board.played() == ["13/9"]
    whole = [
        (HIT, "8/5*, 6/5", "8/5* 6/5"),
        (HIT, "6/5 8/5", "8/5* 6/5"),  # in the other order, without a star
        ("XGID=-b----E-C---eE---c-e-----B:0:0:1:32:0:0:0:0:10", "25/22 B/23", "bar/22 bar/23"),
        (START.replace(":31:", ":11:"), "11: 8/7(2) 6/5 (2)", "8/7(2) 6/5(2)"),
        ("XGID=-b----E-C---dE---cae----B-:0:0:1:65:0:0:0:0:10", "24/18*/13", "24/18*/13"),
        ("XGID=-BBBBBA------------eee----:0:0:1:65:0:0:0:0:10", "5/o 6/off", "6/off 5/off"),
    ]
    for xgid, text, action in whole:
        board.show(xgid)
        assert (board.type(text), board.played()[-1]) == ("played", action)
    board.show(whole[4][0])
    assert (board.type("24/13*"), board.played()[-1]) == ("wrong", "6/off 5/off")


def test_typed_text_means_each_legal_turn_that_it_names(door: Page) -> None:
    typed = """async ({ position, seat, legal }) => {
      const { begin, boardOf, parsePosition, take } = await import("/boards/backgammon/turn.js");
      const { stepsOf } = await import("/boards/backgammon/typed.js");
      const parsed = parsePosition(position);
      const turn = begin(boardOf(parsed, seat), parsed.dice, legal);
      return legal.map((action) => (stepsOf(turn, action) ?? []).reduce(take, turn).action);
    }"""
    for number, position in enumerate(islice(positions(seed=8), 120)):
        asked = question(position)
        legal = asked["legal"][:60]
        means = door.evaluate(typed, asked)[:60]
        assert means == legal, f"number {number}: {position}"


# Notes each checker that flies, each roll that tumbles and each sign, with when it was seen.
WATCH = """() => {
  window.seen = [];
  const start = performance.now();
  const note = (text) => seen.push([Math.round(performance.now() - start), text]);
  new MutationObserver((changes) => {
    for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
      if (!(node instanceof Element)) continue;
      const { side, from, to } = node.dataset;
      if (from !== undefined) note(`${side}: ${from} to ${to}`);
      if (node.matches(".passed")) note("no move");
      const tumbles = node.matches(".die") && node.getAnimations({ subtree: true }).length > 0;
      if (tumbles) note(`die ${node.dataset.die}`);
    }
  }).observe(document.querySelector(".backgammon"), { childList: true, subtree: true });
}"""


def seen(board: Board, number: int) -> list[tuple[int, str]]:
    board.page.wait_for_function("number => seen.length >= number", arg=number)
    board.page.wait_for_function("() => !document.querySelector('.flying').childElementCount")
    noted: list[tuple[int, str]] = board.page.evaluate("seen")
    return noted


BERT = "XGID=-b----E-C---eD---c-eA---B-:0:0:-1:31:0:0:0:0:10"  # Bert can hit on his 5


def after(xgid: str, *actions: str) -> str:
    position = GAME.parse_position(xgid)
    for action in actions:
        position = position.apply(GAME.parse_action(position, action))
    return GAME.format_position(position)


@pytest.fixture
def moving(door: Page) -> Board:
    """A board on which things move, while Bert is to play; what is seen is noted."""
    board = Board(door, motion="no-preference")
    board.show(BERT, seat=0, legal=None, events=events(("roll", -1, "31")))
    door.evaluate(WATCH)
    return board


def test_checkers_go_one_after_the_other_and_a_hit_one_flies_to_the_bar(moving: Board) -> None:
    turn = (("play", 1, "8/5* 6/5"), ("roll", -1, "42"))
    moving.show(after(BERT, "8/5* 6/5", "42"), seat=0, events=events(("roll", -1, "31"), *turn))
    assert moving.label(20) == "point 20: two of Bert’s"  # at once, for whoever does not see it
    noted = seen(moving, 5)
    assert [text for _, text in noted] == [
        "1: 8 to 5",
        "0: 20 to 25",
        "1: 6 to 5",
        "die 4",
        "die 2",
    ]
    times = [ms for ms, _ in noted]
    assert all(later - earlier >= 175 for earlier, later in pairwise(times[:4]))
    assert (moving.count(1, 5), moving.count(0, BAR)) == (2, 1)


SHUT = "XGID=aBBBBBB-----C------eed----:0:0:1:21:0:0:0:0:10"  # Bert cannot enter


def test_a_pass_stays_to_be_seen_before_the_next_dice_roll(moving: Board) -> None:
    rolled = ("roll", -1, "21")
    moving.show(SHUT, events=events(rolled, first=20))
    moving.page.evaluate("seen.length = 0")
    passed = (
        rolled,
        ("play", 0, "12/9"),
        ("roll", -1, "65"),
        ("pass", 1, "pass"),
        ("roll", -1, "31"),
    )
    moving.type("12/9")
    moving.show(after(SHUT, "12/9", "65", "pass", "31"), events=events(*passed, first=20))
    noted = [(ms, text) for ms, text in seen(moving, 7)]
    texts = [text for _, text in noted]
    assert texts[:2] == ["0: 12 to 10", "0: 10 to 9"]
    assert texts[2:5] == ["die 6", "die 5", "no move"]
    assert texts[-2:] == ["die 3", "die 1"]
    assert noted[-1][0] - noted[4][0] >= 1500


def test_of_what_happened_while_one_was_away_the_last_turn_is_seen(moving: Board) -> None:
    turns = [("play", 1, "8/5* 6/5"), ("roll", -1, "61"), ("play", 0, "bar/18"), ("roll", -1, "31")]
    turns += [("play", 1, "24/20"), ("roll", -1, "64")]
    xgid = after(BERT, *(action for _, _, action in turns))
    moving.show(xgid, seat=0, events=events(("roll", -1, "31"), *turns))
    assert [text for _, text in seen(moving, 3)] == ["1: 24 to 20", "die 6", "die 4"]


@pytest.mark.parametrize("how", ["the board", "the system", "a press"])
def test_all_is_there_at_once_where_nothing_may_move(moving: Board, how: str) -> None:
    if how == "the system":
        moving.page.emulate_media(reduced_motion="reduce")
    turn = (("play", 1, "8/5* 6/5"), ("roll", -1, "42"))
    rolled = events(("roll", -1, "31"), *turn)
    xgid = after(BERT, "8/5* 6/5", "42")
    moving.show(xgid, seat=0, events=rolled, motion=how != "the board")
    if how == "a press":
        moving.tap(BAR)  # whoever plays on need not wait
        assert moving.targets() != []
    else:
        assert moving.page.evaluate("seen") == []
    assert (moving.count(1, 5), moving.count(0, BAR)) == (2, 1)


def test_own_checkers_fly_and_what_they_hit(moving: Board) -> None:
    moving.show(HIT)
    moving.page.evaluate("seen.length = 0")
    moving.tap(8, 4)  # by the 3, which hits, and on by the 1
    assert [text for _, text in seen(moving, 3)] == ["0: 8 to 5", "1: 20 to 25", "0: 5 to 4"]
    assert (moving.count(0, 4), moving.count(1, BAR)) == (1, 1)
    moving.press("undo-all")
    moving.page.evaluate("seen.length = 0")
    moving.drag(8, 5)  # it is there already
    assert [text for _, text in seen(moving, 1)] == ["1: 20 to 25"]


def test_what_is_pointed_out_of_a_turn_is_what_is_left_of_it(board: Board) -> None:
    board.show(START, marks=[{"action": "8/5 6/5", "kind": "best"}])
    arrows = board.page.locator(".arrow.best")
    expect(arrows).to_have_count(2)
    board.tap(8, 5)
    expect(arrows).to_have_count(1)
    board.press("undo")
    expect(arrows).to_have_count(2)


def test_the_board_fits_any_box_and_its_cells_a_finger(board: Board) -> None:
    lay = """([width, height]) => {
      const { style } = document.querySelector(".backgammon").parentNode;
      Object.assign(style, { width, maxWidth: width, height });
    }"""
    size = """() => {
      const boxOf = (node) => node.getBoundingClientRect();
      const { width, height } = boxOf(document.querySelector(".backgammon svg"));
      const zones = [...document.querySelectorAll(".zone[data-point]")].map(boxOf);
      const least = (name) => Math.min(...zones.map((zone) => zone[name]));
      return [width, height, least("width"), least("height")];
    }"""
    board.page.set_viewport_size({"width": 1000, "height": 800})
    for width, height in [(360, None), (360, 420), (410, 340), (870, 720)]:
        for coordinates in (True, False):
            board.page.evaluate(lay, [f"{width}px", f"{height}px" if height else "auto"])
            board.show(START, coordinates=coordinates, flip=coordinates)
            across, down, wide, high = board.page.evaluate(size)
            assert across == width
            assert down == height if height else 290 < down < 340
            assert wide >= 24
            assert high >= 100
            assert board.page.locator(".number").count() == (24 if coordinates else 0)
    board.show(START, flip=True)
    assert board.middle(24)["y"] > board.middle(1)["y"]
    board.tap(8, 5, 6, 5)
    board.press("done")
    assert board.played() == ["8/5 6/5"]


def test_stacks_of_more_than_five_are_counted_and_a_variant_has_its_own_number(
    board: Board,
) -> None:
    board.show("XGID=a--a-CG-----B-----eecA--A-:0:0:1:41:0:0:0:0:10")
    expect(board.page.locator(".many")).to_have_text("7")
    variant = """async () => {
      const { boardFor } = await import("/boards/backgammon.js");
      const host = document.createElement("div");
      document.body.prepend(host);
      window.board = boardFor(3)(host, () => null); // as many as in hypergammon
    }"""
    board.page.evaluate(variant)
    board.page.evaluate(
        "view => board.show(view)",
        {
            "position": "XGID=-aaa-------------------AB-:0:0:1:31:0:0:0:0:10",
            "legal": None, "seat": 0, "toMove": 0,
            "last": None, "events": [], "over": False, "marks": [],
        },
    )  # fmt: skip
    assert board.page.locator("[data-cell='0']").first.get_attribute("aria-label") == (
        "borne off: none of yours; 71 pips to go"
    )


def test_each_cell_says_what_is_there_and_what_pressing_does(board: Board) -> None:
    board.show("XGID=a--a-CG-----B-----eecA--A-:0:0:1:41:0:0:0:0:10")
    assert (
        board.label(6) == "point 6: seven of yours. Press to pick one up; it can go to 5, 2, or 1"
    )
    assert board.label(3) == "point 3: one of Bert’s"
    assert board.label(4) == "point 4: empty"
    assert board.label("far-bar") == "bar: one of Bert’s"
    assert board.label(25) == "bar: none of yours"
    board.tap(6)
    assert board.label(6) == (
        "point 6: seven of yours, one picked up; it can go to 5, 2, or 1. Press to put it down here"
    )
    assert board.label(2) == "point 2: empty. Press to move here from 6"
    assert board.label(0) == "borne off: one of yours; 126 pips to go"
    focusable = board.page.locator(".backgammon [tabindex='0']")
    expect(focusable).to_have_count(1)


SPEAK = """async ([xgid, other]) => {
  const { boardOf } = await import("/boards/registry.js");
  const { picture, read, say, why } = await boardOf("backgammon");
  const view = { position: xgid, seat: 0, toMove: 0, legal: null, last: null, events: [] };
  const actions = ["13/9 8/7*", "24/18*/13", "8/7(2) 6/5*(2)", "bar/22", "6/off(4)", "pass", "31"];
  return {
    says: actions.map((action) => say(action, view)),
    whys: ["single", "gammon", "backgammon", "flag"].map(why),
    read: read({ ...view, ...other }),
    drawn: picture(xgid).querySelectorAll(".checker").length,
  };
}"""


def test_a_turn_a_win_and_a_whole_position_are_put_in_words(door: Page) -> None:
    xgid = "XGID=a--a-CG-----B-----eecA--A-:0:0:1:41:0:0:0:0:10"
    spoken = door.evaluate(SPEAK, [xgid, {"names": ["Anna", "Bert"]}])
    assert spoken["says"] == [
        "13 to 9, 8 to 7, hitting",
        "24 to 18, hitting, to 13",
        "8 to 7 twice, 6 to 5, hitting twice",
        "bar to 22",
        "6 off four times",
        "nothing: no move was possible",
        "3 and 1",
    ]
    assert spoken["whys"] == ["bearing off all checkers", "a gammon", "a backgammon", "flag"]
    assert plain(spoken["read"]) == (
        "You play the light checkers, Bert the dark ones; points are numbered as you play. "
        "Your turn, with 4 and 1. "
        "Yours: one on 24, one on 21, two on 12, seven on 6, and three on 5; "
        "one borne off, 126 pips to go. "
        "Bert’s: three on 20, five on 19, five on 18, one on 3, and one on the bar; "
        "none borne off, 127 pips to go."
    )
    assert spoken["drawn"] > 20


def test_a_whole_match_is_played_by_typing(board: Board) -> None:
    rng = random.Random(11)
    position = GAME.initial()
    typed = 0
    while position.outcome() is None:
        if position.to_move == CHANCE:
            actions, weights = zip(*position.chance(), strict=True)
            position = position.apply(rng.choices(actions, weights)[0])
            continue
        action = rng.choice(position.legal_notation())
        if position.to_move == 0 and action != "pass":
            board.show(GAME.format_position(position))
            first, *rest = action.split(" ")
            if rest and board.type(first) == "played":  # it may be that another has to go first
                assert board.type(" ".join(rest)) == "played"
            elif rest or not board.played()[typed:]:
                assert board.type(action) == "played"
            typed += 1
            assert board.played()[typed - 1 :] == [action]
        position = position.apply(GAME.parse_action(position, action))
    assert typed > 10


# What there is to do: a turn to be built, "over", or nothing yet.
WANTED = """() => document.querySelector(".zone.movable, [data-cell=done]:not([hidden])") ? "turn"
  : document.querySelector(".status.over") ? "over" : null"""
MOST_TURNS = 300


def build_turn(page: Page, rng: random.Random) -> None:
    """Play a turn by taps: race, from the back; now and then think again."""
    while not page.locator(DONE).count():
        page.locator(".zone.movable").first.tap()  # from left to right, the upper half first
        page.locator(".zone.goal").first.tap()
        if rng.random() < 0.1:
            page.locator("[data-cell=undo]").tap()
    page.locator(DONE).tap()


def test_a_whole_match_is_played_by_tapping_on_a_phone(visit: Visit, server: ServerProcess) -> None:
    size = {"width": 360, "height": 640}
    page = visit(reduced_motion="reduce", viewport=size, has_touch=True, is_mobile=True).page
    come_in(page, server.url, "runner")
    sit_down(page, "backgammon")
    rng = random.Random(5)
    for turn in range(MOST_TURNS):
        wanted = page.wait_for_function(WANTED).json_value()
        if wanted == "over":
            break
        if turn == 3:
            page.locator(".zone.movable").first.tap()
            page.reload()
            expect(page.locator(".zone.movable").first).to_be_visible()
            assert page.locator("[data-cell=undo]:not([hidden])").count() == 0
        build_turn(page, rng)
    position = GAME.parse_position(page.locator(".board").get_attribute("data-position") or "")
    assert position.outcome() is not None


OVER = re.compile(r"\b(wins?|won)\b")
CAN_PRESS = re.compile(r"Press to (pick|move)")


def test_a_match_is_played_by_what_is_read_out_and_keys_alone(
    visit: Visit, server: ServerProcess
) -> None:
    """Nothing is looked at but names and roles; the focus never leaves the board."""
    page = visit(reduced_motion="reduce").page
    come_in(page, server.url, "reader")
    sit_down(page, "backgammon")
    grid = page.get_by_role("grid", name="Backgammon board")
    cell = grid.get_by_role("gridcell", name=CAN_PRESS)
    button = grid.get_by_role("button", name=re.compile("^(Done|Play it)$"))
    over = page.get_by_text(OVER).first
    for turn in range(MOST_TURNS):
        cell.or_(button).or_(over).first.wait_for()
        if not cell.or_(button).count():
            break
        if turn < 3:
            walk_to(page, grid, CAN_PRESS)
        while not button.count():
            goal = grid.get_by_role("gridcell", name=re.compile("Press to move here"))
            (goal if goal.count() else cell).first.press("Enter")
        button.press("Enter")
        expect(grid.locator(":focus")).to_have_count(1)
    expect(over).to_be_visible()


def walk_to(page: Page, grid: Locator, wanted: re.Pattern[str]) -> None:
    """Bring the focus to the first cell of such a name, by Tab and arrow keys."""
    for _ in range(60):
        if grid.locator(":focus").count():
            break
        page.keyboard.press("Tab")
    for key in ("ArrowUp", "ArrowUp", "Home"):
        page.keyboard.press(key)
    row = 0
    for _ in range(40):
        focus = grid.locator(":focus")
        if wanted.search(focus.get_attribute("aria-label") or ""):
            return
        before = focus.get_attribute("aria-label")
        page.keyboard.press("ArrowRight")
        if grid.locator(":focus").get_attribute("aria-label") == before:
            row += 1
            page.keyboard.press("ArrowDown")
            page.keyboard.press("Home")
    raise AssertionError(f"no cell {wanted.pattern!r}, {row} rows down")
