"""Backgammon on the page: turns that are built up, their drawing, and a whole match by clicking."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from games import registry
from games.game import Position
from tests.web.conftest import Visit
from tests.web.house import House, come_in, sit_down

pytestmark = pytest.mark.browser

GAME = registry.game("backgammon")
BAR, OFF = 25, 0

# -------------------------------------------------------------- what may be done: against the rules

State = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]  # own, theirs, dice left
Offers = dict[str, Any]  # state as text -> the steps from there, or the turn that it is

# Walks through all that is offered from the start of a turn.
WALK = """async ({ position, seat, legal }) => {
  const turns = await import("/boards/backgammon_turn.js");
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
        _sides(position.apply(action), seat): text
        for action, text in zip(position.legal_actions(), position.legal_notation(), strict=True)
    }
    found: dict[State, list[tuple[int, int]]] = {}

    def leads_there(state: State) -> bool:
        if state not in found:
            found[state] = [
                (source, die) for source, die, after in _moves(state) if leads_there(after)
            ]
        return bool(found[state]) or state[:2] in results

    def offered(state: State, offers: Offers) -> Offers:
        if (name := _name(state)) not in offers:
            steps = found[state]
            offers[name] = sorted(f"{source}:{die}" for source, die in steps) or results[state[:2]]
            for source, die, after in _moves(state):
                if (source, die) in steps:
                    offered(after, offers)
        return offers

    high, low = position.state[53:55]
    start = (*_sides(position, seat), (low, high) if high != low else (low,) * 4)
    assert leads_there(start)
    return offered(start, {})


def _sides(position: Position, seat: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    halves = position.state[:26], position.state[26:52]
    return halves[seat], halves[1 - seat]


def _moves(state: State) -> Iterator[tuple[int, int, State]]:
    own, theirs, dice = state
    for die in set(dice):
        left = list(dice)
        left.remove(die)
        for source in range(1, 26):
            if own[source] and _is_possible(own, theirs, source, die):
                after = _moved(own, theirs, source, max(source - die, OFF))
                yield source, die, (*after, tuple(left))


def _is_possible(own: tuple[int, ...], theirs: tuple[int, ...], source: int, die: int) -> bool:
    if own[BAR] and source != BAR:
        return False
    if source - die >= 1:
        return theirs[25 - (source - die)] <= 1
    return not any(own[7:]) and (source == die or not any(own[source + 1 :]))


def _moved(
    own: tuple[int, ...], theirs: tuple[int, ...], source: int, target: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    mine, other = list(own), list(theirs)
    mine[source] -= 1
    mine[target] += 1
    if target != OFF and other[25 - target]:
        other[25 - target] -= 1
        other[BAR] += 1
    return tuple(mine), tuple(other)


def _name(state: State) -> str:
    own, theirs, dice = state
    return "".join(f"{count:x}" for count in own + theirs) + " " + "".join(map(str, sorted(dice)))


def positions(seed: int) -> Iterator[Position]:
    """Random positions with a choice: races, bear-offs, bars of several, a few against many."""
    rng = random.Random(seed)
    while True:
        theirs = _placed(rng, 15, rng.choice([6, 8, 24, 24, 25]), [0] * 26)
        own = _placed(rng, rng.choice([15, 15, 3, 2, 1]), rng.choice([6, 12, 24, 24, 25]), theirs)
        seat, dice = rng.randrange(2), sorted(rng.choices(range(1, 7), k=2), reverse=True)
        first, second = (own, theirs) if seat == 0 else (theirs, own)
        position = Position(GAME, (*first, *second, seat, *dice))
        if position.to_move >= 0 and position.legal_notation() != ("pass",):
            yield position


def _placed(rng: random.Random, many: int, reach: int, others: list[int]) -> list[int]:
    """A side with so many checkers on points up to `reach`, mostly in twos, the rest borne off."""
    free = [point for point in range(1, reach + 1) if point == BAR or not others[25 - point]]
    free += [BAR] * (reach == BAR) * 2
    side = [15 - many] + [0] * 25
    while (left := 15 - sum(side)) > 0:
        side[rng.choice([*free, OFF])] += min(left, rng.choice([1, 2, 2, 3]))
    return side


@pytest.fixture
def door(page: Page, house: House) -> Page:
    """A tab that has this house's page open."""
    page.goto(house.url)
    return page


def question(position: Position) -> dict[str, Any]:
    """What the page knows of a turn."""
    legal = list(position.legal_notation())
    return {
        "position": str(GAME.format_position(position)),
        "seat": position.to_move,
        "legal": legal,
    }


def test_exactly_the_steps_that_lead_to_a_legal_turn_are_offered(door: Page) -> None:
    found = positions(seed=3)
    seen = [next(found) for _ in range(600)]
    for number, position in enumerate(seen):
        offered = door.evaluate(WALK, question(position))
        assert offered == offers_by_force(position), f"number {number}: {position}"
        ends = {end for end in offered.values() if isinstance(end, str)}
        assert ends == set(position.legal_notation()), f"number {number}: {position}"
    kinds = Counter(kind for position in seen for kind in kinds_of(position))
    assert min(kinds[kind] for kind in KINDS) >= 8, kinds


KINDS = ("double", "bar", "bar of several", "bearing off", "dice left over", "first step spoils")


def kinds_of(position: Position) -> Iterator[str]:
    """What is special about a turn."""
    own, _ = _sides(position, position.to_move)
    high, low = position.state[53:55]
    if high == low:
        yield "double"
    if own[BAR]:
        yield "bar" if own[BAR] == 1 else "bar of several"
    if any("off" in text for text in position.legal_notation()):
        yield "bearing off"
    offers = offers_by_force(position)
    ends = [name for name, end in offers.items() if isinstance(end, str)]
    if any(not name.endswith(" ") for name in ends):
        yield "dice left over"
    start = (*_sides(position, position.to_move), (low, high) if high != low else (low,) * 4)
    if len(list(_moves(start))) > len(offers[_name(start)]):
        yield "first step spoils"


def test_of_two_thousand_turns_each_can_be_built(door: Page) -> None:
    spread = {3, 5, 7, 8, 10, 12, 13, 14, 15, 16, 18, 20, 21, 23, 24}
    own = [int(point in spread) for point in range(26)]
    position = Position(GAME, (*own, 14, *[0] * 24, 1, 0, 1, 1))
    offered = door.evaluate(WALK, question(position))
    ends = [end for end in offered.values() if isinstance(end, str)]
    assert sorted(ends) == sorted(position.legal_notation())
    assert len(ends) > 2000


# -------------------------------------------------------------- clicks

# Puts a board of its own on the page, which plays into `window.played`.
LAY = """async () => {
  const { create } = await import("/boards/backgammon.js");
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
        self.view: dict[str, Any] = {}
        door.emulate_media(reduced_motion="reduce")
        door.evaluate(LAY)

    def show(self, xgid: str, **other: Any) -> None:
        position = GAME.parse_position(xgid)
        view = {"toMove": position.to_move, "last": None, "events": [], "over": False, "marks": []}
        self.view = {**view, **question(position), **other}
        self.page.evaluate("view => board.show(view)", self.view)

    def movable(self) -> list[int]:
        found = self.page.locator(".zone.movable").all()
        return sorted((int(each.get_attribute("data-point") or "") for each in found), reverse=True)

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
        found = self.page.locator("[data-die]").all()
        return [
            (each.get_attribute("data-die") or "", each.get_attribute("data-used") == "true")
            for each in found
        ]

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
    board.page.locator("[data-die='3']").click()
    assert board.dice() == [("1", False), ("3", False)]
    board.click(24)
    assert (board.count(0, 24), board.count(0, 23)) == (1, 1)
    board.click(23)
    board.press("done")
    assert board.played() == ["24/20"]


def test_a_drag_plays_both_dice_with_one_checker(board: Board) -> None:
    board.show(START)
    board.drag(13, 9)
    board.press("done")
    assert board.played() == ["13/9"]


def test_a_drag_to_where_it_cannot_go_changes_nothing(board: Board) -> None:
    board.show(START)
    board.drag(13, 4)
    assert (board.count(0, 13), board.has("undo")) == (5, False)


def test_a_finger_drags_the_checker_and_not_the_page(visit: Visit, house: House) -> None:
    page = visit(viewport={"width": 390, "height": 500}, has_touch=True, is_mobile=True).page
    page.goto(house.url)
    board = Board(page)
    board.show(START)
    finger = page.context.new_cdp_session(page)
    start, end = (board.middle(point) for point in (13, 9))
    for kind, share in [("Start", 0), ("Move", 0.2), ("Move", 0.6), ("Move", 1)]:
        at = {axis: start[axis] + share * (end[axis] - start[axis]) for axis in "xy"}
        finger.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": [at]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    page.locator("[data-done]").tap()
    assert board.played() == ["13/9"]
    assert page.evaluate("scrollY") == 0


def test_undo_takes_back_one_step_and_all_takes_back_every_one(board: Board) -> None:
    board.show(START.replace(":31:", ":11:"))
    board.click(8, 8, 6, 6)
    assert board.has("done")
    board.press("undo")
    assert (board.count(0, 6), board.count(0, 5), board.has("done")) == (4, 1, False)
    board.press("undo-all")
    assert [board.count(0, point) for point in (8, 7, 6, 5)] == [3, 0, 5, 0]
    assert not board.has("undo")
    assert board.played() == []


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


def test_from_the_bar_a_click_enters_by_the_die_that_can(board: Board) -> None:
    board.show("XGID=-b----E-C---eE---c-e----AA:0:0:1:63:0:0:0:0:10")
    assert board.movable() == [BAR]
    board.click(BAR)
    assert (board.count(0, BAR), board.count(0, 22)) == (0, 1)
    assert board.dice() == [("6", False), ("3", True)]
    assert board.movable() == [24, 22, 13, 8]


def test_a_forced_turn_is_played_by_one_click(board: Board) -> None:
    board.show("XGID=-b----E-C---eE---c-e-----B:0:0:1:61:0:0:0:0:10")
    assert board.movable() == [BAR]
    board.press("forced")
    assert board.played() == ["bar/24"]
    assert (board.count(0, BAR), board.count(0, 24)) == (1, 1)


def test_a_turn_that_gets_stuck_is_done_with_a_die_left(board: Board) -> None:
    board.show("XGID=-b----E-C---eE---c-e-----B:0:0:1:61:0:0:0:0:10")
    board.click(BAR)
    assert board.dice() == [("6", True), ("1", True)]
    board.press("done")
    assert board.played() == ["bar/24"]


def test_a_checker_that_is_hit_goes_to_the_bar_and_comes_back_by_undo(board: Board) -> None:
    board.show("XGID=-b---aE-C---dE---c-e----B-:0:0:1:31:0:0:0:0:10")
    board.click(8)
    assert (board.count(0, 5), board.count(1, 20), board.count(1, BAR)) == (1, 0, 1)
    board.press("undo")
    assert (board.count(0, 5), board.count(1, 20), board.count(1, BAR)) == (0, 1, 0)
    board.click(8, 6)
    board.press("done")
    assert board.played() == ["8/5* 6/5"]


def test_checkers_are_borne_off_and_pips_counted(board: Board) -> None:
    board.show("XGID=-BBBBBA------------eee----:0:0:1:65:0:0:0:0:10")
    pips = board.page.locator("[data-pips=near]")
    expect(pips).to_have_text("36")
    board.drag(6, OFF)
    expect(pips).to_have_text("30")
    board.click(5)
    expect(pips).to_have_text("25")
    board.press("done")
    assert board.played() == ["6/off 5/off"]


def test_seat_one_sees_the_board_from_its_own_side(board: Board) -> None:
    board.show(START.replace(":1:31:", ":-1:42:"))
    assert board.movable() == [24, 13, 8, 6]
    board.click(8, 6)
    board.press("done")
    assert board.played() == ["8/4 6/4"]


def test_what_happened_meanwhile_is_told(board: Board) -> None:
    kinds = [("play", 0, "13/7"), ("roll", -1, "66"), ("pass", 1, "pass"), ("roll", -1, "31")]
    events = [
        {"seq": 9 + ply, "ply": ply, "kind": kind, "seat": seat, "action": action}
        for ply, (kind, seat, action) in enumerate(kinds, start=4)
    ]
    board.show(START, events=events)
    expect(board.page.locator(".story")).to_have_text("Opponent 6-6: no move possible")
    far = board.page.locator(".die.dark")
    assert [each.get_attribute("data-used") for each in far.all()] == ["true"] * 4


def test_who_looks_on_can_click_nothing(board: Board) -> None:
    board.show(START, seat=None, legal=None)
    assert board.movable() == []
    board.click(8)
    assert board.count(0, 8) == 3


def test_the_keyboard_plays_a_turn(board: Board) -> None:
    board.show(START)
    board.page.locator("[data-point='8']").focus()
    board.page.keyboard.press("Enter")
    board.page.keyboard.press("Backspace")
    assert board.count(0, 8) == 3
    board.page.locator("[data-point='8']").focus()
    board.page.keyboard.press("Enter")
    board.page.locator("[data-point='6']").focus()
    board.page.keyboard.press("Enter")
    expect(board.page.locator("[data-done]")).to_be_focused()
    board.page.keyboard.press("Enter")
    assert board.played() == ["8/5 6/5"]


# -------------------------------------------------------------- a match

# What there is to do: a turn to be built, "over", or nothing yet.
WANTED = """() => document.querySelector(".zone.movable, [data-done], [data-forced]") ? "turn"
  : /win|won|lost|draw|void|called off/i.test(document.querySelector(".status").textContent)
  ? "over" : null"""
MOST_TURNS = 300


def build_turn(page: Page, rng: random.Random) -> None:
    """Play a turn by clicks: race, from the back; now and then think again."""
    board = page.locator(".backgammon")
    while not board.locator("[data-done], [data-forced]").count():
        board.locator(".zone.movable").first.click()  # the zones stand in order, 25 first
        if rng.random() < 0.1:
            board.locator("[data-undo]").click()
    board.locator("[data-done], [data-forced]").click()


def test_a_whole_match_is_played_by_clicking(visit: Visit, house: House) -> None:
    page = visit(reduced_motion="reduce").page
    come_in(page, house.url, "runner")
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
