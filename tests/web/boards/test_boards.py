"""The boards: what moves, what they say, how keys alone play them; small pictures; rules."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from games import registry
from lab.arena.local_server import ServerProcess
from tests.web.boards.tree import Tree, cells_of
from tests.web.conftest import Evaluate, Visit
from tests.web.visitor import await_turn, come_in, sit_down

pytestmark = pytest.mark.browser

EMPTY = {
    "connect_four": "7/7/7/7/7/7 x",
    "tic_tac_toe": "3/3/3 x",
    "ultimate_tic_tac_toe": "9/9/9/9/9/9/9/9/9 x -",
}

# A place above the page, which goes on by itself below.
STAND = """() => {
  const place = document.createElement("div");
  window.stand = () => place;
  place.style.cssText = "position: fixed; inset: 0; overflow: auto; background: Canvas; z-index: 9";
  document.body.append(place);
}"""
# Puts the board of `game` there; `window.show(view)` shows it a view.
MOUNT = """async ({ game, style = "width: 400px; height: 400px", board = "calm" }) => {
  const { boardOf } = await import("/boards/registry.js");
  const { choose } = await import("/library/settings.js");
  choose({ board });
  const module = await boardOf(game);
  const host = document.createElement("div");
  host.className = "board";
  host.dataset.game = game;
  host.style.cssText = style;
  stand().replaceChildren(host);
  window.played = [];
  window.module = module;
  window.board = module.create(host, (action) => window.played.push(action));
  window.whole = (view) => ({
    legal: null, seat: 0, toMove: 0, last: null, events: [], over: false, marks: [],
    names: ["Ann", "Bob"], motion: true, ...view });
  window.show = (view) => window.board.show(window.whole(view));
}"""
SHOW = "(views) => views.forEach((view) => window.show(view))"
LAID = re.compile("width: .*px")  # the grid lies over its drawing
MOVING = """(views) => {
  const all = [];
  for (const view of views) {
    document.getAnimations().forEach((animation) => animation.cancel());
    window.show(view);
    all.push(document.getAnimations().map((each) => each.effect.getTiming())
      .filter(({ duration }) => duration > 0).map(({ delay, duration }) => [delay, duration]));
  }
  return all;
}"""


def open_stand(page: Page, url: str) -> None:
    page.goto(url)
    page.evaluate(STAND)


@pytest.fixture
def mounted(page: Page, server: ServerProcess) -> Any:
    """Put a board above a page of the server's: `mounted(game, ...)`."""
    open_stand(page, server.url)
    return lambda game, **more: page.evaluate(MOUNT, {"game": game, **more})


def test_stones_fall_one_after_the_other_60_ms_a_row(page: Page, mounted: Any) -> None:
    mounted("connect_four")
    one, won = "7/7/7/7/7/3x3 o", "7/7/3x3/3x3/3x3/xooxo2 o"
    events = [{"action": "4", "seat": 0}, {"action": "1", "seat": 1}]
    shown = page.evaluate(MOVING, [
        {"position": EMPTY["connect_four"]},
        {"position": one, "last": {"seat": 0, "action": "4"}},
        {"position": one, "last": {"seat": 0, "action": "4"}},  # again: nothing is new
        {"position": "7/7/7/7/3x3/o2x3 o", "events": events, "last": {"seat": 1, "action": "1"}},
        {"position": "7/7/7/7/7/7 x"},  # back: at once
        {"position": "7/7/3x3/3x3/3x3/xoo1o2 o"},  # too much to be seen happening
    ])  # fmt: skip
    assert shown[0] == shown[2] == shown[4] == shown[5] == []
    assert shown[1] == [[0, 6 * 60 + 130], [490, 180]]  # it falls, then it is marked as the last
    assert shown[3][:2] == [[0, 5 * 60 + 130], [430, 6 * 60 + 130]]
    (still, ended) = page.evaluate(MOVING, [
        {"position": "7/7/7/3x3/3x3/xoo1o2 x", "motion": False},
        {"position": "7/7/7/3x3/3x3/xooxo2 o", "motion": False},
    ])  # fmt: skip
    assert still == ended == []
    (_, line) = page.evaluate(MOVING, [
        {"position": "7/7/7/3x3/3x3/xooxo2 x"},
        {"position": won, "over": True, "last": {"seat": 0, "action": "4"}},
    ])  # fmt: skip
    assert line == [[0, 3 * 60 + 130], [310, 180], [310, 300]]
    expect(page.locator(".won-line")).to_have_count(1)
    expect(page.locator(".stone.won")).to_have_count(4)


def test_marks_are_drawn_in_180_ms_and_the_line_that_won_in_300(page: Page, mounted: Any) -> None:
    mounted("tic_tac_toe")
    cross, ring, still, won = page.evaluate(MOVING, [
        {"position": EMPTY["tic_tac_toe"], "motion": False},
        {"position": "3/1x1/3 o"},
        {"position": "o2/1x1/3 x"},
        {"position": "o2/1x1/2x o", "motion": False},
        {"position": "oxo/xxx/2o o", "over": True, "motion": True},
    ])[1:]  # fmt: skip
    assert (cross, ring, still, won) == ([[0, 90], [90, 90]], [[0, 180]], [], [])  # at last: many
    won = page.evaluate(MOVING, [
        {"position": "oxo/x1x/2o x", "motion": False},
        {"position": "oxo/xxx/2o o", "over": True},
    ])[1]  # fmt: skip
    assert won == [[0, 90], [90, 90], [180, 300]]
    mounted("ultimate_tic_tac_toe")
    drawn = page.evaluate(MOVING, [
        {"position": "xx7/9/9/9/9/9/o8/9/9 x 1", "motion": False},
        {"position": "xxx6/9/9/9/9/9/o8/9/9 o 3"},  # the small mark, then the board's
    ])[1]  # fmt: skip
    assert drawn == [[0, 90], [90, 90], [180, 90], [270, 90]]


def test_who_asks_the_system_for_less_motion_sees_none(visit: Visit, server: ServerProcess) -> None:
    page = visit(reduced_motion="reduce").page
    open_stand(page, server.url)
    page.evaluate(MOUNT, {"game": "connect_four"})
    views = [
        {"position": EMPTY["connect_four"], "motion": None},
        {"position": "7/7/7/7/7/3x3 o", "motion": None},
    ]
    assert page.evaluate(MOVING, views) == [[], []]


def test_a_board_is_one_tab_stop_and_arrows_go_from_cell_to_cell(page: Page, mounted: Any) -> None:
    mounted("ultimate_tic_tac_toe")
    cells = [str(cell) for cell in range(11, 100) if cell % 10]
    view = {"position": EMPTY["ultimate_tic_tac_toe"], "legal": cells}
    page.evaluate(SHOW, [view])
    assert page.locator(".square[tabindex='0']").count() == 1
    page.evaluate("window.board.focus()")
    focused = "document.activeElement.dataset.cell"
    assert page.evaluate(focused) == "55"
    ways = {"ArrowUp": "52", "ArrowRight": "53", "Home": "41", "End": "63", "ArrowDown": "66",
            "ArrowLeft": "65", "Control+Home": "11", "Control+End": "99"}  # fmt: skip
    for key, cell in ways.items():
        page.keyboard.press(key)
        assert page.evaluate(focused) == cell, key
    page.keyboard.press("ArrowDown")  # no further
    assert page.evaluate(focused) == "99"
    assert page.locator(".square[tabindex='0']").count() == 1
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    page.keyboard.press(" ")
    assert page.evaluate("window.played") == ["99", "96"]
    page.evaluate(SHOW, [view | {"legal": None}])
    page.keyboard.press("Enter")  # nothing can be played now, and the focus stays
    assert page.evaluate("window.played") == ["99", "96"]
    assert page.evaluate(focused) == "96"
    page.evaluate(SHOW, [view | {"legal": ["12"]}])
    page.evaluate("window.board.focus()")
    assert page.evaluate(focused) == "12"


@pytest.mark.parametrize(
    ("game", "legal", "position", "typed", "expected"),
    [
        ("connect_four", ["1", "4"], EMPTY["connect_four"], ["4", "2", "x", ""],
         ["played", "wrong", "wrong", "more"]),
        ("tic_tac_toe", ["9"], "xxo/oox/xo1 x", ["9", "1"], ["played", "wrong"]),
        ("ultimate_tic_tac_toe", ["51", "52"], "9/9/9/9/4x4/9/9/9/9 o 5", ["5", "52", "4", "5x"],
         ["more", "played", "wrong", "wrong"]),
    ],
)  # fmt: skip
def test_typed_digits_play_at_once(
    page: Page, mounted: Any, game: str, legal: list[str], position: str, typed: list[str],
    expected: list[str],
) -> None:  # fmt: skip
    mounted(game)
    page.evaluate(SHOW, [{"position": position, "legal": legal}])
    texts = page.evaluate("(all) => all.map((text) => window.board.type(text, false))", typed)
    assert texts == expected
    plays = [text for text, outcome in zip(typed, expected, strict=True) if outcome == "played"]
    assert page.evaluate("window.played") == plays
    if game == "ultimate_tic_tac_toe":  # where the board is given, the cell alone will do
        assert page.evaluate("window.board.type('1', true)") == "played"
        page.evaluate("window.board.type('5', false)")
        expect(page.locator(".small.typed")).to_have_attribute("data-board", "5")
        page.evaluate("window.board.type('', false)")
        expect(page.locator(".small.typed")).to_have_count(0)
    page.evaluate(SHOW, [{"position": position, "legal": None}])
    assert page.evaluate("(text) => window.board.type(text, true)", plays[0]) == "wrong"


def test_cells_say_place_owner_last_move_and_what_pressing_does(page: Page, mounted: Any) -> None:
    mounted("connect_four")
    page.evaluate(SHOW, [{"position": "7/7/7/7/3o3/3x3 x", "legal": ["3", "4"],
                          "last": {"seat": 1, "action": "4"}}])  # fmt: skip
    cells = {cell.name: cell for cell in cells_of(Tree(page))}
    assert {
        "Column 4, row 2: Bob’s, the last move. Press to let a stone fall to row 3.",
        "Column 4, row 1: yours. Press to let a stone fall to row 3.",
        "Column 3, row 6: empty. Press to let a stone fall to row 1.",
        "Column 7, row 1: empty.",
    } <= set(cells)
    assert [cell.is_disabled for name, cell in cells.items() if "Column 7" in name] == [True] * 6
    assert not cells["Column 3, row 6: empty. Press to let a stone fall to row 1."].is_disabled
    mounted("tic_tac_toe")
    page.evaluate(SHOW, [{"position": "3/1x1/2o x", "legal": ["1"], "seat": None,
                          "last": {"seat": 1, "action": "9"}}])  # fmt: skip
    names = [cell.name for cell in cells_of(Tree(page))]
    assert names[0] == "Cell 1, top left: empty. Press to play."
    assert names[4] == "Cell 5, centre: Ann’s."
    assert names[8] == "Cell 9, bottom right: Bob’s, the last move."
    mounted("ultimate_tic_tac_toe")
    page.evaluate(SHOW, [{"position": "xx2o4/3o5/9/9/9/9/9/9/9 x 1", "legal": ["13", "15", "19"],
                          "last": {"seat": 1, "action": "21"}}])  # fmt: skip
    names = [cell.name for cell in cells_of(Tree(page))]
    assert (
        "Board 1, top left; cell 5, centre: empty. Press to play; the answer comes on board 5."
        in names
    )
    assert (
        "Board 1, top left; cell 3, top right: empty. Press to play; the answer comes on board 3."
        in names
    )
    assert "Board 2, top; cell 4, left: Bob’s." in names


READ = {
    "connect_four": (
        {"position": "7/7/7/7/3o3/2xx3 o", "toMove": 1, "last": {"seat": 0, "action": "3"}},
        "From the bottom up: column 3: you; column 4: you, Bob. The other columns are empty. "
        "You last played column 3. It is Bob’s turn.", "column 3", "four in a row"),
    "tic_tac_toe": (
        {"position": "x2/1x1/2o x", "last": {"seat": 1, "action": "9"}},
        "You hold 1 and 5. Bob holds 9. Free: 2, 3, 4, 6, 7 and 8. "
        "Bob last played cell 9, bottom right. It is your turn.",
        "cell 9, bottom right", "three in a row"),
    "ultimate_tic_tac_toe": (
        {"position": "xxx2o3/9/9/9/9/9/o8/9/9 o 3", "toMove": 1,
         "last": {"seat": 0, "action": "13"}},
        "Won: board 1 by you. Board 2: Bob 3; board 7: Bob 1. You last played board 1, cell 3. "
        "It is Bob’s turn. The next play must be on board 3, top right.", "board 1, cell 3",
        "three boards in a row"),
}  # fmt: skip


FULL = {"ultimate_tic_tac_toe": "all boards are closed, and three in a row are nobody’s"}


def test_ultimate_says_where_the_play_must_be_and_points_it_out(page: Page, mounted: Any) -> None:
    mounted("ultimate_tic_tac_toe")
    views = [
        {"position": EMPTY["ultimate_tic_tac_toe"], "legal": ["11"]},
        {"position": "9/9/9/5x3/9/9/9/9/9 o 3", "legal": ["31"], "toMove": 1, "seat": 1},
        {"position": "9/9/9/5x3/9/9/9/9/9 o 3", "toMove": 1},
    ]
    asks = page.evaluate("(views) => views.map((view) => module.asks(whole(view)))", views)
    assert asks == ["Your turn: any lit board.", "Your turn: the top right board.", None]
    page.evaluate(SHOW, [views[1]])
    page.locator("[data-cell='55']").click(force=True)
    moving = "document.getAnimations().map((each) => each.effect.target.parentNode.dataset.board)"
    assert page.evaluate(moving) == ["3"]
    assert page.evaluate("played") == []


def test_an_answer_that_comes_at_once_is_seen_after_a_pause(page: Page, mounted: Any) -> None:
    mounted("connect_four")
    delays = page.evaluate(
        """(views) => views.map((view) => {
             window.show(view);
             return Math.max(0, ...document.getAnimations().map((each) => each.effect.getTiming())
               .filter(({ duration }) => duration > 200).map(({ delay }) => delay));
           })""",
        [{"position": position} for position in (
            EMPTY["connect_four"], "7/7/7/7/7/3x3 o", "7/7/7/7/7/3xo2 x")],
    )  # fmt: skip
    assert delays[:2] == [0, 0]
    assert delays[2] > 6 * 60 + 300  # it has landed, and 300 ms have passed


@pytest.mark.parametrize("game", READ)
def test_a_board_says_its_position_its_actions_and_why_somebody_won(
    page: Page, mounted: Any, game: str
) -> None:
    view, text, action, reason = READ[game]
    mounted(game)
    texts = page.evaluate(
        """(view) => [
          module.read(whole(view)), module.say(view.last.action, whole(view)),
          module.why("line"), module.why("full"),
          module.read(whole({ position: view.empty, over: true }))]""",
        view | {"empty": EMPTY[game]},
    )
    assert texts[:3] == [text, action, reason]
    assert texts[3] == FULL.get(game, "the board is full")
    assert re.search(r"empty.*The match is over\.", texts[4])


def test_a_board_has_two_themes_in_light_and_dark_and_fills_any_box(
    visit: Visit, server: ServerProcess
) -> None:
    looks = set()
    for scheme in ("light", "dark"):
        page = visit(color_scheme=scheme).page
        open_stand(page, server.url)
        for theme in ("calm", "classic"):
            for game, ground in (("connect_four", ".frame"), ("tic_tac_toe", ".paper")):
                page.evaluate(MOUNT, {"game": game, "board": theme})
                looks.add(page.eval_on_selector(ground, "(node) => getComputedStyle(node).fill"))
    assert len(looks) == 8
    boxes = {"width: 500px; height: 200px": 200, "width: 200px; height: 500px": 200,
             "width: 340px": 340, "display: grid; width: 344px; height: 300px": 300}  # fmt: skip
    for style, side in boxes.items():
        page.evaluate(MOUNT, {"game": "ultimate_tic_tac_toe", "style": style})
        page.evaluate(SHOW, [{"position": EMPTY["ultimate_tic_tac_toe"]}])
        expect(page.locator(".squares")).to_have_attribute("style", LAID)
        near = page.evaluate("""() => [0, -1].map((which) => {
          const [square, ground] = [".square", ".cell .ground"].map((kind) =>
            [...document.querySelectorAll(kind)].at(which).getBoundingClientRect());
          const across = square.left + square.right - ground.left - ground.right;
          const down = square.top + square.bottom - ground.top - ground.bottom;
          return [across, down, square.width];
        })""")
        for across, down, width in near:
            assert max(abs(across), abs(down)) < 1, style
            assert width == pytest.approx(40 / 408 * side, abs=0.5), style
    assert width >= 24  # a finger's target, on the narrowest phone


def test_connect_four_is_turned_around_and_has_numbers_where_they_are_wanted(
    page: Page, mounted: Any
) -> None:
    mounted("connect_four")
    view = {"position": "7/7/7/7/7/x6 o", "legal": ["1"], "coordinates": True}
    page.evaluate(SHOW, [view])
    assert page.locator(".drawing .number").all_text_contents() == list("1234567")
    left = page.locator("[data-cell='1-1']").bounding_box()
    assert left is not None
    page.evaluate(SHOW, [view | {"flip": True}])
    expect(page.locator(".squares")).to_have_attribute("style", LAID)
    for cell in ("[data-cell='1-1']", ".stone.there .disc"):
        right = page.locator(cell).bounding_box()
        assert right is not None
        assert right["x"] > left["x"] + 300
    page.locator("[data-column='1']").click()
    assert page.evaluate("window.played") == ["1"]
    mounted("tic_tac_toe")
    page.evaluate(SHOW, [{"position": "x2/3/3 o", "coordinates": True}])
    expect(page.locator(".number:visible")).to_have_text(list("23456789"))


def test_where_one_may_play_is_seen_without_pointing_there(page: Page, mounted: Any) -> None:
    mounted("connect_four")
    page.evaluate(
        SHOW, [{"position": "7/7/7/7/7/x6 o", "legal": ["1", "3"], "seat": 1, "toMove": 1}]
    )
    expect(page.locator(".landing:visible")).to_have_count(2)
    page.locator("[data-column='3']").hover()
    expect(page.locator(".stone.ghost.aimed .disc")).to_be_visible()
    mounted("tic_tac_toe")
    page.mouse.move(0, 0)
    page.evaluate(SHOW, [{"position": "x2/3/3 o", "legal": ["2", "9"], "seat": 1, "toMove": 1}])
    grounds = page.locator(".cell .ground").evaluate_all(
        "(all) => all.map((node) => getComputedStyle(node).fill)"
    )
    assert grounds[1] == grounds[8] != grounds[4]


def test_pictures_are_small_and_say_nothing(evaluate: Evaluate) -> None:
    positions = {
        "connect_four": "7/7/3x3/2xo3/1xxo3/xoox2o o",
        "tic_tac_toe": "xo1/ox1/2x o",
        "ultimate_tic_tac_toe": "x8/1x7/2x6/3o5/9/9/6o2/9/9 o -",
        "pebbles": "10/15/20 0/0 0 - -",
    }
    counts = evaluate(
        """async (positions) => {
          const { boardOf } = await import("/boards/registry.js");
          return Promise.all(Object.entries(positions).map(async ([game, position]) => {
            const picture = (await boardOf(game)).picture(position);
            return [picture.querySelectorAll("*").length, picture.getAttribute("aria-hidden")];
          }));
        }""",
        positions,
    )
    assert all(count <= 10 and hidden == "true" for count, hidden in counts)


def test_a_game_that_is_not_known_shows_the_servers_drawing_and_is_typed(
    page: Page, server: ServerProcess
) -> None:
    open_stand(page, server.url)
    page.evaluate("""async () => {
      const { boardOf } = await import("/boards/registry.js");
      const module = await boardOf("pebbles");
      const host = stand();
      host.replaceChildren();
      window.played = [];
      window.asked = [];
      const drawings = { a: ["o o", " o "] };
      window.board = module.create(host, (action) => window.played.push(action));
      const draw = (position) => {
        window.asked.push(position);
        if (position in drawings) return Promise.resolve(drawings[position]);
        return Promise.reject(new Error("gone"));
      };
      window.show = (view) => window.board.show({
        legal: null, seat: 0, toMove: 0, last: null, events: [], over: false, marks: [], ...view,
        draw: view.position === "d" ? undefined : () => draw(view.position) });
    }""")
    drawing, buttons = page.locator(".position"), page.locator("[data-action]")
    page.evaluate(SHOW, [{"position": "a", "legal": ["0-4-0", "4-0-0"]}] * 2)
    assert drawing.text_content() == "o o\n o "
    page.evaluate(SHOW, [{"position": "d"}])
    expect(drawing).to_have_text("d")  # a position that was: nobody draws it
    many = [f"{first}-{second}" for first in range(40) for second in range(75)]
    page.evaluate(SHOW, [{"position": "c", "legal": many}])
    expect(drawing).to_have_text("c")  # it refuses
    assert page.evaluate("window.asked") == ["a", "c"]
    expect(buttons).to_have_count(60)
    expect(page.get_by_text("2940 more")).to_be_visible()
    field = page.get_by_label("Your move")
    field.fill("39-7")
    expect(buttons).to_have_count(6)
    field.press("Enter")
    field.fill("nonsense")
    field.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="cannot be played")).to_be_visible()
    outcomes = "['1', '1-1', 'no'].map((text, index) => window.board.type(text, index > 0))"
    assert page.evaluate(outcomes) == ["more", "played", "wrong"]
    assert page.evaluate("window.played") == ["39-7", "1-1"]


def test_the_rules_of_each_game_are_a_sheet_with_pictures_of_real_positions(
    page: Page, server: ServerProcess
) -> None:
    open_stand(page, server.url)
    page.evaluate("""async () => {
      const { rulesButton } = await import("/rules/rules.js");
      const button = rulesButton(() => button.value);
      stand().replaceChildren(button);
    }""")
    asks, sheet = page.locator("button.link[data-do=rules]"), page.get_by_role("dialog")
    for game in (*EMPTY, "backgammon"):
        pictures = page.evaluate(
            """async (game) => {
              const { words } = await import("/texts/words.js");
              return words.boards.rules[game].parts.map((part) => part.picture);
            }""",
            game,
        )
        for position in filter(None, pictures):
            assert registry.game(game).parse_position(position), position
        asks.evaluate("(button, game) => { button.value = game; button.focus(); }", game)
        page.keyboard.press("Enter")
        expect(sheet).to_be_visible()
        expect(sheet.locator("section")).to_have_count(len(pictures))
        expect(sheet.locator("figure svg")).to_have_count(len(list(filter(None, pictures))))
        page.keyboard.press("Escape")
        expect(sheet).to_have_count(0)
        expect(asks).to_be_focused()
    asks.evaluate("(button) => { button.value = 'pebbles'; }")
    asks.click()
    expect(sheet).to_contain_text("not on this page")
    sheet.get_by_role("button", name="Close").click()
    expect(sheet).to_have_count(0)


def test_the_rules_are_one_tap_away_in_the_lobby_and_at_a_table(
    page: Page, server: ServerProcess
) -> None:
    come_in(page, server.url, "wants to know")
    page.locator(".new-table [data-game=ultimate_tic_tac_toe]").first.click()
    page.get_by_role("button", name="Rules").click()
    expect(page.get_by_role("heading", name="How to play ultimate tic-tac-toe")).to_be_focused()
    page.keyboard.press("Escape")
    sit_down(page, "tic_tac_toe")
    assert await_turn(page)
    page.get_by_role("button", name="Rules").click()
    expect(page.get_by_role("heading", name="How to play tic-tac-toe")).to_be_focused()
    page.keyboard.press("5")  # is not played: the sheet lies above
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Rules")).to_be_focused()
    expect(page.locator(".mark.there")).to_have_count(0)
    page.keyboard.press("5")
    expect(page.locator(".mark.there.seat-0")).to_have_count(1)
