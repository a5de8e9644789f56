"""What a table tells: news, absence, what happened meanwhile; and what one chooses for it."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from lab.arena.local_server import ServerProcess
from tests.web.conftest import Evaluate, Visit
from tests.web.test_table import do, opponents, position
from tests.web.visitor import await_turn, begin, come_in, sit_down, switch_on, until

pytestmark = pytest.mark.browser


def test_after_a_sleep_the_clocks_show_what_is_left(visit: Visit, server: ServerProcess) -> None:
    page = visit().page
    page.add_init_script(
        "const real = performance.now.bind(performance);"
        "window.sleptMs = 0; performance.now = () => real() - window.sleptMs;"
    )
    with page.expect_websocket() as socket:
        begin(page, server.url, "sleeps", "connect_four", clock="4")
    page.locator("[data-column='1']").click()
    assert await_turn(page)
    expect(page.locator(".clock.running")).to_have_text("15:08")
    with socket.value.expect_event("framesent", lambda text: '"watch"' in str(text)):
        page.evaluate("window.sleptMs = 60000")  # all are shown a minute too much now
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator(".clock.running")).to_have_text(re.compile(r"15:0\d|14:5\d"))


def test_who_has_left_is_told_with_the_time_until_the_win_can_be_claimed(
    visit: Visit, server: ServerProcess
) -> None:
    def soon(route: WebSocketRoute) -> None:  # less time than the server waits
        line = route.connect_to_server()
        line.on_message(
            lambda text: route.send(re.sub(r'"claim_ms":\d+', '"claim_ms":3500', str(text)))
        )

    ann = visit().page
    ann.route_web_socket("**/ws", soon)
    ann, bob = opponents(visit, server, "left", first=ann)
    ann.locator("[data-column='1']").click()
    expect(ann.locator("[data-do=claim]")).to_be_hidden()
    buttons = ann.locator(".bar").bounding_box()
    bob.close()
    expect(ann.locator(".note")).to_have_text(
        re.compile(r"left bob has left; you can claim the win in 0:0[1-4]\.")
    )
    expect(ann.locator(".here.away")).to_have_count(1)
    expect(ann.locator("[data-do=claim]")).to_be_hidden()  # before the server would accept it
    expect(ann.locator("[data-do=claim]")).to_be_visible()
    expect(ann.locator(".note")).to_have_text("left bob has left and does not come back.")
    assert ann.locator(".bar").bounding_box() == buttons


def test_chat_below_the_fold_is_marked_and_who_watches_is_told_apart(
    visit: Visit, server: ServerProcess
) -> None:
    phone = visit(viewport={"width": 360, "height": 640}).page
    ann, bob = opponents(visit, server, "talk", first=phone)
    cyd = visit().page
    come_in(cyd, ann.url, "talk cyd")
    expect(cyd.locator(".player").first).to_be_visible()
    expect(ann.locator(".count")).to_be_hidden()
    for page, text in ((cyd, "Column 4!"), (bob, "Hello")):
        page.get_by_label("Say something").fill(text)
        page.get_by_role("button", name="Say", exact=True).click()
    expect(cyd.locator(".chat li")).to_have_text(["talk cyd watching Column 4!", "talk bob Hello"])
    expect(cyd.locator(".talk")).to_contain_text("The players read what you say after the match.")
    expect(ann.locator(".count")).to_have_text("1")
    expect(ann.get_by_role("button", name="Chat, 1 unread line")).to_be_visible()
    expect(ann.locator("#announcer")).to_contain_text("talk bob says: Hello")
    do(ann, "chat")
    expect(ann.locator(".count")).to_be_hidden()
    expect(ann.locator(".chat li")).to_have_text(["talk bob Hello"])
    expect(ann.locator(".talk")).to_contain_text("What spectators say is shown after the match.")
    ann.keyboard.press("Escape")
    do(ann, "abort")  # and after the match they read it all
    expect(ann.locator(".count")).to_have_text("1")
    do(ann, "chat")
    expect(ann.locator(".chat .watching")).to_have_text(["talk cyd watching Column 4!"])
    ann.locator("[data-do=hide-chat]").click()
    expect(ann.locator(".chat")).to_be_hidden()
    cyd.get_by_label("Say something").fill("Well played")
    cyd.get_by_role("button", name="Say", exact=True).click()
    expect(bob.locator(".chat li")).to_have_count(3)
    ann.keyboard.press("Escape")
    expect(ann.locator(".talk")).to_be_hidden()
    expect(ann.locator(".count")).to_be_hidden()


def test_what_a_bot_thinks_is_shown_in_mid_match_only_to_who_wants_it(
    visit: Visit, server: ServerProcess
) -> None:
    for name, wanted in (("incurious", False), ("curious", True)):
        page = visit().page
        if wanted:
            switch_on(page, "thoughts")
        come_in(page, server.url, name)
        page.locator("#rival").select_option("house/mcts")
        page.locator("#rival-level").fill("1")
        sit_down(page, "tic_tac_toe", bot="house/mcts", seat="1")
        assert await_turn(page)
        expect(page.locator(".moves [title]")).to_have_count(1 if wanted else 0)
        do(page, "hint")
        expect(page.locator(".hint")).to_contain_text("would play")
        expect(page.locator(".thought")).to_have_text(re.compile("." if wanted else "^$"))
        do(page, "abort")


def test_what_happened_meanwhile_is_told_to_who_comes_back(
    visit: Visit, server: ServerProcess
) -> None:
    ann, bob = opponents(visit, server, "back")
    ann.locator("[data-column='1']").click()
    expect(bob.locator(".status.yours")).to_be_visible()
    where = ann.url
    ann.goto("about:blank")
    bob.locator("[data-column='3']").click()
    expect(bob.locator(".stone.there")).to_have_count(2)
    ann.goto(where)
    expect(ann.locator(".note")).to_have_text(
        re.compile(r"While you were away: back bob plays (column )?3\.")
    )
    ann.locator("[data-column='1']").click()
    expect(ann.locator(".note")).to_be_hidden()


def test_one_steps_back_in_a_match_while_it_is_on_and_is_told_of_ones_turn(
    visit: Visit, server: ServerProcess
) -> None:
    ann, bob = opponents(visit, server, "steps")
    start = position(ann)
    for page, column in zip((ann, bob, ann), (4, 4, 3), strict=True):
        expect(page.locator(".status.yours")).to_be_visible()
        page.locator(f"[data-column='{column}']").click()
    expect(ann.locator(".stone.there")).to_have_count(3)
    ann.keyboard.press("ArrowLeft")  # the board was pressed by the mouse, so arrows step
    expect(ann.locator(".stone.there")).to_have_count(2)
    expect(ann.locator(".status")).to_have_text("Looking back: move 1 of 2.")
    ann.keyboard.press("Home")
    expect(ann.locator(".stone.there")).to_have_count(0)
    assert position(ann) == start
    expect(ann.locator("[data-column].open")).to_have_count(0)
    ann.locator("[data-go=next]").click()
    expect(ann.locator(".stone.there")).to_have_count(1)
    expect(bob.locator(".status.yours")).to_be_visible()
    bob.locator("[data-column='3']").click()
    expect(ann.locator("[data-do=now]")).to_have_text("Your turn: back to now")
    expect(ann.locator(".stone.there")).to_have_count(1)  # and is left alone
    ann.locator("[data-do=now]").click()
    expect(ann.locator(".stone.there")).to_have_count(4)
    ann.locator(".moves button", has_text="4").first.click()
    expect(ann.locator(".stone.there")).to_have_count(1)
    expect(ann.locator(".moves [aria-current=step]")).to_have_text("4")
    ann.keyboard.press("End")
    expect(ann.locator(".status.yours")).to_be_visible()


def test_a_match_that_is_on_is_stepped_through_from_its_start_after_a_reload(
    visit: Visit, server: ServerProcess
) -> None:
    ann, bob = opponents(visit, server, "loads anew")
    start = position(ann)
    for page, column in zip((ann, bob) * 6, (4, 4, 4, 4, 4, 4, 3, 5, 3, 5, 2, 6), strict=True):
        expect(page.locator(".status.yours")).to_be_visible()
        page.locator(f"[data-column='{column}']").click()
    expect(ann.locator(".stone.there")).to_have_count(12)
    asked: list[str] = []
    ann.on("request", lambda request: asked.append(request.url))
    ann.reload()
    expect(ann.locator(".stone.there")).to_have_count(12)
    assert [url for url in asked if "/replay/" in url] == []
    ann.locator("[data-go=first]").click()
    expect(ann.locator(".status")).to_have_text("Looking back: the start.")
    expect(ann.locator(".board")).to_have_attribute("data-position", start or "")
    for stones in range(1, 12):
        ann.locator("[data-go=next]").click()
        expect(ann.locator(".stone.there")).to_have_count(stones)
    ann.locator(".moves button", has_text="3").first.click()
    expect(ann.locator(".status")).to_have_text("Looking back: move 4 of 6.")
    ann.locator("[data-go=last]").click()
    ann.locator("[data-column='7']").click()
    bob.locator("[data-column='7']").click()
    expect(ann.locator(".status.yours")).to_be_visible()
    ann.locator("[data-go=back]").click()
    expect(ann.locator(".stone.there")).to_have_count(13)
    assert len([url for url in asked if "/replay/" in url]) == 1


def test_the_end_of_a_match_can_be_stepped_through_after_a_reload(
    page: Page, server: ServerProcess
) -> None:
    begin(page, server.url, "steps on", "tic_tac_toe")
    while await_turn(page):
        page.locator("[data-cell].open").first.click()
    end = position(page)
    plies = page.locator(".moves button:visible").count()
    page.reload()
    expect(page.locator(".status.over")).to_be_visible()
    expect(page.locator(".moves button:visible")).to_have_count(plies)
    for ply in range(plies - 1, -1, -1):
        page.keyboard.press("ArrowLeft")
        expect(page.locator(".mark.there")).to_have_count(ply)
    page.keyboard.press("Escape")
    expect(page.locator(".status.over")).to_be_visible()
    assert position(page) == end


def test_a_move_is_typed_wherever_the_focus_is(page: Page, server: ServerProcess) -> None:
    begin(page, server.url, "types", "connect_four")
    page.locator("[data-do=hint]").focus()
    page.keyboard.press("9")
    expect(page.locator(".note")).to_have_text("\u201c9\u201d is no move here.")
    page.keyboard.press("4")
    expect(page.locator(".stone.there").first).to_be_visible()
    expect(page.locator("#announcer")).to_contain_text(
        re.compile(r"random plays .*\d\. Your turn\.")
    )
    assert await_turn(page)
    page.get_by_label("Say something").fill("")
    page.get_by_label("Say something").press("3")  # in a field it is text
    expect(page.get_by_label("Say something")).to_have_value("3")
    expect(page.locator(".stone.there")).to_have_count(2)
    page.locator("[data-do=hint]").focus()
    page.keyboard.press("?")
    expect(page.locator(".note")).not_to_be_empty()


def test_a_move_can_be_confirmed_before_it_is_played(page: Page, server: ServerProcess) -> None:
    switch_on(page, "confirm")
    begin(page, server.url, "sure", "connect_four")
    page.locator("[data-column='4']").click()
    expect(page.locator("[data-do=confirm]")).to_be_focused()
    expect(page.locator("[data-do=confirm]")).to_contain_text("4")
    expect(page.locator(".stone.there")).to_have_count(0)
    do(page, "cancel")
    expect(page.locator("[data-do=confirm]")).to_have_count(0)
    page.locator("[data-column='5']").click()
    do(page, "confirm")
    expect(page.locator(".stone.there").first).to_be_visible()
    assert await_turn(page)


def test_settings_count_at_once_and_are_remembered(page: Page, server: ServerProcess) -> None:
    come_in(page, server.url, "chooses")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    do(page, "settings")
    page.get_by_label("Colours").select_option("dark")
    assert page.evaluate(ground) != light
    page.get_by_label("Sounds").check()
    page.get_by_label("Board", exact=True).select_option("classic")
    page.keyboard.press("Escape")
    expect(page.locator("[data-do=settings]")).to_be_focused()
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-colours", "dark")
    expect(page.locator("html")).to_have_attribute("data-board", "classic")
    do(page, "settings")
    expect(page.get_by_label("Sounds")).to_be_checked()


def test_whose_turn_it_is_is_told_where_nobody_looks(page: Page, server: ServerProcess) -> None:
    switch_on(page, "notify", "sound")
    page.add_init_script(
        """window.told = [];
           window.Notification = class {
             static permission = "granted";
             constructor(title, { body }) { window.told.push(`${title}: ${body}`); }
             close() {}
           };
           navigator.vibrate = () => window.told.push("buzz");
           const start = OscillatorNode.prototype.start;
           OscillatorNode.prototype.start = function (at) {
             window.told.push(`tone ${this.frequency.value}`);
             start.call(this, at);
           };"""
    )
    begin(page, server.url, "elsewhere", "connect_four")
    page.evaluate(
        """() => {
          Object.defineProperty(document, "hidden", { get: () => true });
          window.told.length = 0;
          document.querySelector("[data-column='4']").dispatchEvent(
            new MouseEvent("click", { bubbles: true }));
        }"""
    )
    until(page, "told.some(line => line.startsWith('Your turn'))")
    told = page.evaluate("told")
    assert "buzz" in told
    assert any(re.fullmatch(r"Your turn · Connect four: random plays .*\.", line) for line in told)
    assert {"tone 420", "tone 660"} <= set(told)  # a stone is set, and the turn comes
    expect(page).to_have_title(re.compile("^Your turn"))


def test_a_name_that_is_changed_is_kept_for_coming_back(page: Page, server: ServerProcess) -> None:
    come_in(page, server.url, "Foo77")
    page.locator("#me .mine").click()
    page.get_by_role("button", name="Change name").click()
    expect(page.get_by_label("Your name")).to_be_visible()
    kept = json.loads(page.evaluate("localStorage.getItem('plyhouse.names')"))
    assert list(kept) == ["Foo77"]
    page.get_by_label("Your name").fill("Bar77")
    page.locator(".sign-in button.primary").click()
    expect(page.locator("#me .name")).to_have_text("Bar77")
    page.evaluate(  # as the door does for whoever chooses the old name there
        """() => {
          const kept = JSON.parse(localStorage.getItem("plyhouse.names"));
          localStorage.setItem("plyhouse.token", JSON.stringify(kept.Foo77));
        }"""
    )
    page.reload()
    expect(page.locator("#me .name")).to_have_text("Foo77")
    kept = json.loads(page.evaluate("localStorage.getItem('plyhouse.names')"))
    assert set(kept) == {"Foo77", "Bar77"}


WAITS = """async () => {
  const { Review } = await import("/analysis/review.js");
  let reply;
  const connection = { request: () => new Promise((resolve) => { reply = resolve; }) };
  const said = [];
  const announcer = { say: (text) => said.push(text) };
  const app = { connection, replica: { moments: () => [] }, announcer };
  const match = { match: "999.1", seats: [{ name: "ann" }, { name: "bob" }] };
  const room = { seats: [null, null] };
  const review = new Review(app, { onChange: () => review.show(room, match), showBoard() {} });
  review.ask(room, match);
  review.wait({ match: "999.1", wait_ms: 24000 });
  return [review.working.textContent, said.length > 0];
}"""


def test_an_analysis_that_waits_says_how_long(evaluate: Evaluate) -> None:
    text, is_said = evaluate(WAITS)
    assert text == "The bot gets ready first: about 24 s more."
    assert is_said
