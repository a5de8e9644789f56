"""What stands where at a table, at the sizes that people have; and what axe finds in the views."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from lab.arena.local_server import ServerProcess
from tests.web.conftest import Visit
from tests.web.visitor import await_turn, begin, come_in, fits, sit_down, until

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[1] / "checks" / "node_modules" / "axe-core" / "axe.min.js"
PORTRAIT = (360, 640)
SIDEWAYS = (844, 390)
LAPTOP = (1280, 800)
LARGE = (1920, 1080)

BOARD_SHARE = {  # of the window, at least, for a board that is a little wider than high
    PORTRAIT: 0.45, SIDEWAYS: 0.45, LAPTOP: 0.55, LARGE: 0.5,
}  # fmt: skip

BOX = """selector => {
  const { left, top, right, bottom } = document.querySelector(selector).getBoundingClientRect();
  return [left, top, right, bottom];
}"""
AREA = (
    "(of) => ((box) => box.width * box.height)(document.querySelector(of).getBoundingClientRect())"
)
SCROLLED = "document.documentElement.scrollHeight > innerHeight"
PARTS = (".game > .player", ".game .board svg", ".status-area", ".record", ".bar")


@pytest.mark.parametrize("size", BOARD_SHARE)
def test_board_and_actions_are_seen_without_scrolling_and_the_board_is_most_of_it(
    visit: Visit, server: ServerProcess, size: tuple[int, int]
) -> None:
    width, height = size
    page = visit(viewport={"width": width, "height": height}).page
    come_in(page, server.url, f"at {width}")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    for game in ("connect_four", "backgammon", "ultimate_tic_tac_toe"):
        sit_down(page, game)
        assert await_turn(page)
        assert page.evaluate("scrollY") == 0
        assert page.evaluate(SCROLLED) is False
        assert fits(page)
        page.locator("[data-do=settings]").click(trial=True)  # nothing lies over it
        for part in PARTS:
            left, top, right, bottom = page.evaluate(BOX, part)
            assert min(left, top) >= 0, (game, part)
            assert right <= width, (game, part)
            assert bottom <= height, (game, part)
        if game == "connect_four":  # once the names beside it are there, which take some width
            until(page, f"({AREA})('.board svg') >= {BOARD_SHARE[size] * width * height}")
        left, top, right, bottom = page.evaluate(BOX, ".board svg")
        if game == "backgammon" and size == LAPTOP:
            assert right - left > 770
            assert bottom - top > 660
        if size == PORTRAIT:
            assert right - left == width
        small = page.locator(".bar button:visible, .step:visible, .gear:visible").evaluate_all(
            """all => all.map((button) => button.getBoundingClientRect())
                 .filter(({ width, height }) => height < 44 || width < 40)"""
        )
        assert small == [], game
        for button in ("abort", "leave"):  # a bot has only so many seats
            page.locator(f"[data-do={button}]").click()
        expect(page.locator(".lobby")).to_be_visible()


def test_no_name_is_cut_and_nothing_leaves_the_window_at_any_width_with_a_second_table(
    page: Page, server: ServerProcess
) -> None:
    come_in(page, server.url, "W" * 24)
    sit_down(page, "ultimate_tic_tac_toe")
    assert await_turn(page)
    page.keyboard.type("55")  # without a move the match would end as one leaves
    assert await_turn(page)
    page.goto(f"{server.url}/#")
    sit_down(page, "connect_four", clock="4")
    assert await_turn(page)
    for width, height in (PORTRAIT, (390, 844), SIDEWAYS, (1024, 768), LAPTOP, LARGE):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("() => innerWidth === " + str(width))
        assert fits(page), width
        cut = page.locator(".player").evaluate_all(
            """all => all.filter((strip) => {
                 const rating = strip.querySelector(".rating");
                 rating.hidden = false;
                 rating.textContent = "1404 ± 140 (+28)";
                 const lines = rating.getClientRects();
                 const box = strip.getBoundingClientRect();
                 const range = document.createRange();
                 range.selectNodeContents(strip.querySelector(".name"));
                 const { left, top, right, bottom } = range.getBoundingClientRect();
                 const who = strip.querySelector(".who").getBoundingClientRect();
                 return left < who.left - 1 || right > who.right + 1 || bottom > who.bottom + 2
                   || top < box.top - 1 || bottom > box.bottom + 1
                   || [...lines].some((each) => each.bottom > who.bottom + 2
                     || each.right > who.right + 1);
               }).length"""
        )
        assert cut == 0, width
        settings = page.locator("[data-do=settings]").bounding_box()
        pill = page.locator("#tables a").bounding_box()
        assert settings is not None
        assert pill is not None
        assert settings["x"] + settings["width"] <= width
        assert pill["width"] > 60, width  # it can be read


def test_in_german_on_a_small_phone_no_label_and_no_headline_is_cut(
    visit: Visit, server: ServerProcess
) -> None:
    page = visit(locale="de-DE", viewport={"width": 360, "height": 640}).page
    page.goto(server.url)
    page.get_by_label("Dein Name").fill("klein")
    page.locator(".sign-in button.primary").click()
    sit_down(page, "tic_tac_toe", bot="house/mcts")
    assert await_turn(page)
    page.locator("[data-cell='1']").click()
    assert await_turn(page)
    page.locator("[data-do=resign]").click()
    page.locator("[role=alertdialog] .danger").click()
    expect(page.locator("[data-do=easier]")).to_be_visible()
    cut = page.locator(".action span:not(.count), .status-area").evaluate_all(
        """all => all.filter((each) => each.scrollWidth > each.clientWidth
             || each.scrollHeight > each.clientHeight + 1).map(({ textContent }) => textContent)"""
    )
    assert cut == []


def test_on_a_high_phone_the_moves_take_what_the_board_leaves(
    visit: Visit, server: ServerProcess
) -> None:
    page = visit(viewport={"width": 390, "height": 844}).page
    begin(page, server.url, "upright", "connect_four")
    for column in "4352":
        page.locator(f"[data-column='{column}']").click()
        if not await_turn(page):
            break
    assert page.evaluate(SCROLLED) is False
    parts = ("status-area", "record", "bar")
    boxes = [page.evaluate(BOX, f".game .{part}") for part in parts]
    gaps = [below[1] - above[3] for above, below in itertools.pairwise(boxes)]
    assert max(gaps) < 8  # px
    expect(page.locator(".moves li").first.locator("button").first).to_be_in_viewport(ratio=1)


def test_on_a_phone_a_notice_is_in_sight_and_no_stone_is_shown_before_a_finger_is_there(
    visit: Visit, server: ServerProcess
) -> None:
    page = visit(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True).page
    begin(page, server.url, "by finger", "connect_four")
    page.locator("[data-column='4']").tap()
    assert await_turn(page)
    page.reload()  # then the focus comes to the board as by keys
    assert await_turn(page)
    until(page, "document.activeElement.matches('.square')")
    expect(page.locator(".stone.aimed")).to_have_count(0)
    page.evaluate("location.hash = 'room=99999'")
    expect(page.locator(".notice")).to_be_in_viewport(ratio=1)


def test_a_big_view_has_only_large_type_and_no_chat(page: Page, server: ServerProcess) -> None:
    begin(page, server.url, "projector", "connect_four", clock="4")
    page.locator("[data-column='4']").click()
    assert await_turn(page)
    page.get_by_role("button", name="Big view").click()
    for gone in (".talk", ".bar", ".brand"):
        expect(page.locator(gone)).to_be_hidden()
    small = page.locator(".game :is(.name, .tag, .clock, .status, .moves button, .score)")
    sizes = small.evaluate_all(
        "all => all.map((each) => parseFloat(getComputedStyle(each).fontSize))"
    )
    assert min(sizes) >= 24
    assert fits(page)
    assert page.evaluate(SCROLLED) is False
    page.get_by_role("button", name="Big view").click()
    expect(page.locator(".talk")).to_be_visible()


def test_a_view_is_entered_at_its_top_and_the_focus_stays_in_it(
    visit: Visit, server: ServerProcess
) -> None:
    page = visit(viewport={"width": 360, "height": 640}).page
    come_in(page, server.url, "focused")
    inside = "document.querySelector('main').contains(document.activeElement)"
    assert page.evaluate(inside)
    page.locator(".new-table button.primary").scroll_into_view_if_needed()
    sit_down(page, "connect_four")
    assert await_turn(page)
    assert page.evaluate("scrollY") == 0
    until(page, inside)
    page.locator("[data-column='4']").click()
    assert await_turn(page)
    assert page.evaluate(inside)
    page.locator("[data-do=lobby]").click()
    expect(page.locator(".lobby")).to_be_visible()
    assert page.evaluate(inside)
    assert page.evaluate("scrollY") == 0


def test_the_second_half_of_a_double_click_on_play_plays_nothing(
    page: Page, server: ServerProcess
) -> None:
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda text: sent.append(str(text))))
    page.clock.install(time=0)
    come_in(page, server.url, "twice")
    page.locator(".new-table [data-game=connect_four]").first.click()
    page.locator("#rival").select_option("house/random")
    # Where the button stands there will be a column: the same place is pressed again at once, by a
    # clock that stands still, for the room takes a while to come on a busy machine.
    page.clock.pause_at(3_600)
    page.evaluate(
        """() => {
          const press = (target, detail) => {
            const { left, top } = button;
            target.dispatchEvent(new PointerEvent("click", { bubbles: true, cancelable: true,
              clientX: left + 9, clientY: top + 9, detail }));
          };
          const play = document.querySelector(".new-table button.primary");
          const button = play.getBoundingClientRect();
          press(play, 1);
          new MutationObserver(() => {
            const column = document.querySelector("[data-column].open");
            if (column && !window.pressed) { window.pressed = true; press(column, 2); }
          }).observe(document.body, { subtree: true, childList: true, attributes: true });
        }"""
    )
    expect(page.locator(".status.yours")).to_be_visible()
    page.wait_for_function("() => window.pressed")
    page.clock.resume()
    expect(page.locator(".stone.there")).to_have_count(0)
    page.locator("[data-column='2']").click()  # elsewhere, and aimed at
    expect(page.locator(".stone.there").first).to_be_visible()
    assert sum('"type":"play"' in text for text in sent) == 1


def findings(page: Page) -> list[str]:
    """What axe finds in the page as it is shown."""
    page.evaluate(AXE.read_text("utf-8"))
    return list(
        page.evaluate(
            """async () => (await axe.run()).violations.map(({ id, nodes }) =>
                 `${id}: ${nodes.map((node) => node.target).join(", ")}`)"""
        )
    )


@pytest.mark.skipif(not AXE.is_file(), reason="npm ci in tests/web/checks brings axe-core")
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_axe_finds_nothing(visit: Visit, server: ServerProcess, colours: str) -> None:
    other = {"light": "dark", "dark": "light"}[colours]
    page = visit(color_scheme=other, viewport={"width": 1280, "height": 800}).page
    page.add_init_script(
        f"localStorage.setItem('plyhouse.settings', JSON.stringify({{colours: '{colours}'}}))"
    )
    page.goto(server.url)
    expect(page.get_by_label("Your name")).to_be_visible()
    assert findings(page) == []
    begin(page, server.url, f"axe {colours}", "connect_four", clock="2")
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == colours
    page.locator("[data-column='4']").click()
    assert await_turn(page)
    assert findings(page) == []
    page.set_viewport_size({"width": 360, "height": 640})
    page.locator("[data-do=chat]").click()
    assert findings(page) == []
    page.locator("[data-do=settings]").click()
    assert findings(page) == []
    page.keyboard.press("Escape")
    page.locator(".talk .x").click()
    page.locator("[data-do=resign]").click()
    assert findings(page) == []
    page.keyboard.press("Escape")
    page.locator("[data-do=lobby]").click()
    page.locator(".bots li").first.wait_for()
    assert findings(page) == []
