"""Backgammon by tap, drag, keys and typed turns, and whole matches of it."""

from __future__ import annotations

import random
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from bots.arena.local_server import ServerProcess
from games.game import CHANCE
from tests.web.boards.gammon import BAR, DONE, GAME, HIT, OFF, START, Board
from tests.web.conftest import Visit
from tests.web.visitor import come_in, sit_down

pytestmark = pytest.mark.browser


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


def test_at_a_table_a_turn_is_typed_from_anywhere(page: Page, server: ServerProcess) -> None:
    come_in(page, server.url, "typist")
    sit_down(page, "backgammon")
    for _ in range(3):
        page.wait_for_function(WANTED)
        at = page.locator(".board").get_attribute("data-position") or ""
        action = GAME.parse_position(at).legal_notation()[0]
        page.keyboard.type(action)
        page.keyboard.press("Enter")
        expect(page.locator(".board")).not_to_have_attribute("data-position", at)


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


OVER = re.compile(r"\b(You won|You lost|wins|won)\b")
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
    over = page.get_by_text(OVER).filter(visible=True).first
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
