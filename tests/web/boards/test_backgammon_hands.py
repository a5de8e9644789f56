"""Backgammon by tap, drag, keys and typed turns."""

from __future__ import annotations

import random
import re

import pytest
from playwright.sync_api import Page, expect

from games.game import CHANCE
from lab.arena.local_server import ServerProcess
from tests.web.boards.gammon import BAR, DONE, GAME, HIT, OFF, START, Board
from tests.web.boards.tree import Tree, grid_of, place_of, walk
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


def test_a_turn_that_was_begun_is_not_kept_over_a_reload(page: Page, server: ServerProcess) -> None:
    come_in(page, server.url, "reloads")
    sit_down(page, "backgammon")
    page.wait_for_function(WANTED)
    page.locator(".zone.movable").first.click()
    page.locator(".zone.goal").first.click()
    expect(page.locator("[data-cell=undo]")).to_be_visible()
    page.reload()
    expect(page.locator(".zone.movable").first).to_be_visible()
    expect(page.locator("[data-cell=undo]")).to_be_hidden()


ENTERS = "XGID=-b----E-C---eE---c-e-----B:0:0:1:21:0:0:0:0:10"  # both checkers of one's own
BEARS_OFF = "XGID=-BBBBBA------------eee----:0:0:1:65:0:0:0:0:10"
FORCED = "XGID=-b----E-C---eE---c-e-----B:0:0:1:61:0:0:0:0:10"


def press_by_arrows(board: Board, name: str) -> None:
    """Go to the cell that is read out like this, by arrows and Home, and press Enter."""
    rows = grid_of(Tree(board.page))
    goal = place_of(rows, lambda cell: re.match(name, cell.name) is not None)
    assert goal is not None, [cell.name for row in rows for cell in row]
    walk(board.page, rows, goal)
    board.keys("Enter")


@pytest.mark.parametrize(
    ("xgid", "pressed", "action"),
    [
        (ENTERS, ["bar: two .*pick", "point 23: .*move", "bar: one .*pick", "point 24: .*move"],
         "bar/23 bar/24"),
        (BEARS_OFF, ["point 6: .*pick", "borne off: .*from", "point 5: .*pick", "borne.*from"],
         "6/off 5/off"),
        (FORCED, ["Play it"], "bar/24"),
        (START, ["point 8: .*pick", "point 5: .*move", "Undo$", "your dice: .*play 1 first",
                 "point 6: .*pick", "point 5: .*move", "point 8: .*pick", "point 5: .*move"],
         "8/5 6/5"),
    ],
)  # fmt: skip
def test_bar_bearing_off_dice_undo_and_done_by_arrows_and_enter_alone(
    board: Board, xgid: str, pressed: list[str], action: str
) -> None:
    board.show(xgid)
    board.page.evaluate("board.focus()")
    for name in pressed:
        press_by_arrows(board, name)
    if pressed != ["Play it"]:
        expect(board.page.locator(":focus")).to_have_attribute("data-done", "")  # by itself
        board.keys("Enter")
    assert board.played() == [action]


def test_the_focus_waits_on_the_dice_and_goes_where_the_next_turn_begins(board: Board) -> None:
    focus = board.page.locator(":focus")
    board.show(START)
    board.page.evaluate("board.focus()")
    board.type("8/5 6/5")
    board.page.locator(DONE).press("Enter")
    assert board.played() == ["8/5 6/5"] * 2
    theirs = START.replace(":1:31:", ":-1:42:")
    board.show(theirs, seat=0, legal=None)
    expect(focus).to_have_attribute("data-dice", "")
    board.show(HIT)
    expect(focus).to_have_attribute("data-cell", "24")
    board.keys("ArrowRight")  # to look at something while the other side plays
    elsewhere = focus.get_attribute("data-cell")
    board.show(theirs, seat=0, legal=None)
    board.show(START)
    expect(focus).to_have_attribute("data-cell", elsewhere or "")
    board.keys("End", "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight")
    board.show(theirs, seat=0, legal=None)
    board.page.evaluate("board.focus()")
    board.show(FORCED)
    expect(focus).to_have_accessible_name("Play it")


def test_what_is_not_there_is_not_read_out(board: Board) -> None:
    board.show(START)
    board.tap(8, 5, 6, 5)
    there = {cell.name for row in grid_of(Tree(board.page)) for cell in row}
    assert {"Undo", "Undo all", "Done"} <= there
    board.show(START.replace(":1:31:", ":-1:42:"), seat=0, legal=None)
    for _ in range(2):  # what the browser hands out is a little late
        board.page.evaluate("new Promise(requestAnimationFrame)")
    there = {cell.name for row in grid_of(Tree(board.page)) for cell in row}
    assert not {"Undo", "Undo all", "Done"} & there
