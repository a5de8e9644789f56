"""The door and the lobby: one tap to a game, a friend by link or QR code, who is here, names."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from lab.arena.local_server import ServerProcess
from tests.web.conftest import Evaluate, Visit
from tests.web.visitor import PHONE, await_turn, come_in, fits, sit_down, switch_on, until

pytestmark = pytest.mark.browser

QR_CODES = Path(__file__).resolve().parents[2] / "vectors" / "qr_codes.jsonl"
MODULES = "const { qrModules } = await import('/page/qr.js'); return qrModules(text)"


def sent(page: Page) -> list[dict[str, Any]]:
    """All that a page will have sent, as it goes on."""
    messages: list[dict[str, Any]] = []
    page.on(
        "websocket",
        lambda socket: socket.on("framesent", lambda text: messages.append(json.loads(text))),
    )
    return messages


def rewrite(page: Page, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Let the page see the server's messages as `change` returns them."""

    def route(socket: WebSocketRoute) -> None:
        line = socket.connect_to_server()
        line.on_message(lambda text: socket.send(json.dumps(change(json.loads(text)))))

    page.route_web_socket("**/ws", route)


def invite_by_link(page: Page, url: str, name: str, game: str, **choices: str) -> str:
    """Come in, open a table for a friend, and return its link."""
    come_in(page, url, name)
    page.locator(f".new-table [data-game={game}]").first.click()
    for field, value in choices.items():
        page.locator(f"#{field}").select_option(value)
    page.locator("[data-way=friend]").click()
    expect(page.locator(".inviting .qr")).to_be_visible()
    return page.get_by_label("Link", exact=True).input_value()


def test_one_tap_plays_the_bot_of_the_last_time_and_its_level_is_seen_by_all(
    visit: Visit, server: ServerProcess
) -> None:
    page = visit(viewport={"width": 360, "height": 640}).page
    come_in(page, server.url, "one tap")
    play = page.locator("[data-way=bot]")
    expect(play).to_contain_text("mcts, level 2: casual")
    for first in (play, page.locator("#rival-level")):
        expect(first).to_be_in_viewport(ratio=1)
    page.locator("#rival-level").fill("3")
    play.click()
    assert await_turn(page)
    assert page.evaluate("scrollY") == 0
    page.locator("[data-column='4']").click()
    assert await_turn(page)
    page.locator("[data-do=lobby]").click()
    expect(page.locator("[data-way=bot]")).to_contain_text("mcts, level 3: steady")
    watching = visit().page
    come_in(watching, server.url, "sees levels")
    line = watching.locator(".rooms li", has_text="one tap")
    expect(line).to_contain_text("one tap – mcts, level 3")
    line.get_by_role("button", name="Watch").click()
    expect(watching.locator(".player .tag:not(.rating)").first).to_have_text("bot, level 3: steady")


def test_a_double_click_on_play_opens_one_table_and_plays_no_move(
    page: Page, server: ServerProcess
) -> None:
    messages = sent(page)
    page.clock.install(time=0)
    come_in(page, server.url, "twice")
    page.locator("#rival").select_option("house/random")
    page.locator(".new-table [data-game=connect_four]").first.click()
    box = page.locator("[data-way=bot]").bounding_box()
    assert box is not None
    place = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.clock.pause_at(3_600)  # for the room takes a while to come on a busy machine
    page.mouse.click(*place)
    page.locator(".board svg").wait_for()
    page.mouse.click(*place)
    assert await_turn(page)
    kinds = [message["type"] for message in messages]
    assert (kinds.count("create"), kinds.count("play")) == (1, 0)


def test_a_friend_sees_what_a_link_invites_to_and_the_game_begins_by_itself(
    visit: Visit, server: ServerProcess
) -> None:
    ann, bob, cyd = visit().page, visit().page, visit().page
    link = invite_by_link(ann, server.url, "host ann", "connect_four", clock="2")
    assert link == f"{server.url}/#code={ann.locator('output.code').text_content()}"
    bob.goto(link)
    expect(bob.locator(".invites")).to_have_text("host ann invites you to Connect four.")
    expect(bob.locator(".invitation-card")).to_contain_text("3 min + 2 s, not rated.")
    come_in(cyd, server.url, "cyd has a name")
    cyd.goto(link)
    expect(cyd.locator(".invites")).to_contain_text("host ann invites you")
    expect(cyd.get_by_role("button", name="Play", exact=True)).to_be_focused()
    bob.get_by_label("Your name").fill("guest bob")
    bob.get_by_role("button", name="Play", exact=True).click()
    assert await_turn(ann)
    expect(bob.locator(".player")).to_have_count(2)
    cyd.get_by_role("button", name="Play", exact=True).click()  # no seat is left: cyd looks on
    expect(cyd.locator(".status")).to_contain_text("host ann to move")


def test_who_invites_and_looks_away_is_waited_for_and_ones_own_link_leads_to_ones_own_table(
    visit: Visit, server: ServerProcess
) -> None:
    visitor, bob = visit(), visit().page
    ann = visitor.page
    link = invite_by_link(ann, server.url, "busy ann", "connect_four", clock="1")
    ann.close()
    bob.goto(link)
    bob.get_by_label("Your name").fill("early bob")
    bob.get_by_role("button", name="Play", exact=True).click()
    expect(bob.locator(".note")).to_have_text("Waiting for busy ann; no clock runs meanwhile.")
    expect(bob.locator(".clock.running")).to_have_count(0)
    ann = visitor.tab()
    ann.goto(link)
    assert await_turn(ann)
    expect(ann.locator(".note")).to_have_text(
        re.compile(r"0:\d\d to begin; then the match is void\.")
    )
    expect(bob.locator(".note")).to_have_text(
        re.compile(r"busy ann has 0:\d\d to begin; then the match is void\.")
    )


def test_who_waits_elsewhere_is_told_that_somebody_has_sat_down(
    visit: Visit, server: ServerProcess
) -> None:
    ann, bob = visit().page, visit().page
    switch_on(ann, "notify", "sound")
    ann.add_init_script(
        """window.told = [];
           window.Notification = class {
             static permission = "granted";
             constructor(title, { body }) { window.told.push(`${title}: ${body}`); }
             close() {}
           };"""
    )
    link = invite_by_link(ann, server.url, "waits ann", "connect_four", seat="1")
    ann.evaluate(
        "Object.defineProperty(document, 'hidden', { get: () => true, configurable: true })"
    )
    bob.goto(link)
    bob.get_by_label("Your name").fill("comes bob")
    bob.get_by_role("button", name="Play", exact=True).click()
    until(ann, "told.length > 0")
    assert ann.evaluate("told") == ["comes bob is here: Connect four"]
    expect(ann).to_have_title("comes bob is here · Connect four · Plyhouse")
    ann.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
    expect(ann).to_have_title("Connect four · Plyhouse")


def test_a_link_can_just_be_watched_and_one_of_no_table_says_so(
    visit: Visit, server: ServerProcess
) -> None:
    ann, bob = visit().page, visit().page
    cyd = visit(forgive="404").page
    link = invite_by_link(ann, server.url, "watched ann", "tic_tac_toe")
    bob.goto(link)
    bob.get_by_role("button", name="Just watch").click()
    expect(bob.locator("#me .name")).to_contain_text("guest-")
    expect(bob.locator(".status")).to_contain_text("A seat is free.")
    cyd.goto(f"{server.url}/#code=AAAAAA")
    expect(cyd.locator(".invites")).to_have_text("No table has this code any more.")
    cyd.get_by_label("Your name").fill("no table cyd")
    cyd.get_by_role("button", name="Enter").click()
    expect(cyd.locator(".lobby")).to_be_visible()


def test_the_link_of_an_open_table_says_who_asks_to_what_and_leads_to_a_seat(
    visit: Visit, server: ServerProcess
) -> None:
    ann, bob = visit().page, visit().page
    come_in(ann, server.url, "opens")
    sit_down(ann, "tic_tac_toe", bot=None)
    link = ann.get_by_role("textbox", name="Link").input_value()
    assert "#table=" in link
    bob.goto(link)
    expect(bob.locator(".invites")).to_have_text(re.compile("opens invites you to Tic.tac.toe"))
    bob.get_by_label("Your name").fill("comes")
    bob.get_by_role("button", name="Play", exact=True).click()
    expect(ann.locator(".status.yours")).to_be_visible()


def test_from_the_address_to_a_first_move_it_is_two_taps(page: Page, server: ServerProcess) -> None:
    page.goto(server.url)
    page.locator("[data-play=connect_four]").click()
    expect(page.locator(".status.yours")).to_be_visible()
    page.locator("[data-column='4']").click()
    expect(page.locator(".stone.there").first).to_be_visible()


def test_the_qr_code_on_the_page_leads_to_the_table(page: Page, server: ServerProcess) -> None:
    link = invite_by_link(page, server.url, "shows a code", "tic_tac_toe")
    path = page.locator(".qr path").get_attribute("d") or ""
    dark = {(int(y) - 4, int(x) - 4) for x, y in re.findall(r"M(\d+) (\d+)h", path)}
    assert text_of(dark, size=29) == link  # version 3: up to 42 bytes


def test_without_a_secure_context_a_link_is_copied_the_old_way_or_at_least_selected(
    page: Page, server: ServerProcess
) -> None:
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    link = invite_by_link(page, server.url, "plain http", "tic_tac_toe")
    copy = page.get_by_role("button", name="Copy the link")
    copy.click()
    expect(page.locator(".notice")).to_contain_text("The link is copied.")
    page.evaluate("document.execCommand = () => false")
    copy.click()
    expect(page.locator(".notice", has_text="copy it by hand")).to_be_visible()
    assert page.evaluate("getSelection().toString() || document.activeElement.value") == link


def test_qr_codes_of_all_versions_are_as_another_program_draws_them(evaluate: Evaluate) -> None:
    for line in QR_CODES.read_text("utf-8").splitlines():
        vector = json.loads(line)
        modules = evaluate(f"async (text) => {{ {MODULES} }}", vector["text"])
        rows = [format(int("".join(str(int(dark)) for dark in row), 2), "x") for row in modules]
        assert rows == vector["rows"], vector["text"]
    too_long = f"async (text) => {{ try {{ {MODULES} }} catch (error) {{ return error.name; }} }}"
    assert evaluate(too_long, "x" * 214) == "RangeError"


def text_of(dark: set[tuple[int, int]], size: int) -> str:
    """Read a QR code of version 2 or 3, level M, without looking at what corrects it."""
    masks: list[Callable[[int, int], bool]] = [
        lambda r, c: (r + c) % 2 == 0, lambda r, c: r % 2 == 0, lambda r, c: c % 3 == 0,
        lambda r, c: (r + c) % 3 == 0, lambda r, c: (r // 2 + c // 3) % 2 == 0,
        lambda r, c: r * c % 2 + r * c % 3 == 0, lambda r, c: (r * c % 2 + r * c % 3) % 2 == 0,
        lambda r, c: ((r + c) % 2 + r * c % 3) % 2 == 0,
    ]  # fmt: skip
    fmt = "".join(str(int((8, column) in dark)) for column in (0, 1, 2, 3, 4))
    level_and_mask = int(fmt, 2) ^ 0b10101
    assert level_and_mask >> 3 == 0, "level M"
    mask = masks[level_and_mask & 7]
    around = range(size - 9, size - 4)  # of the alignment pattern

    def is_fixed(r: int, c: int) -> bool:
        finder = (r < 9 and (c < 9 or c >= size - 8)) or (r >= size - 8 and c < 9)
        return finder or r == 6 or c == 6 or (r in around and c in around)

    bits, upwards = "", True
    for right in (*range(size - 1, 6, -2), 5, 3, 1):
        for r in range(size - 1, -1, -1) if upwards else range(size):
            for c in (right, right - 1):
                if not is_fixed(r, c):
                    bits += str(int(((r, c) in dark) != mask(r, c)))
        upwards = not upwards
    assert bits[:4] == "0100", "bytes"
    length = int(bits[4:12], 2)
    return bytes(int(bits[12 + 8 * at : 20 + 8 * at], 2) for at in range(length)).decode()


def test_who_is_here_is_invited_by_one_tap(visit: Visit, server: ServerProcess) -> None:
    ann, bob = visit().page, visit().page
    come_in(ann, server.url, "taps once")
    come_in(bob, server.url, "is here")
    ann.locator(".new-table [data-game=tic_tac_toe]").first.click()
    ann.locator("#clock").select_option("2")
    ann.get_by_label("Rated").check()
    ann.get_by_role("button", name="Invite is here to Tic-tac-toe").click()
    expect(ann.locator(".inviting")).to_be_visible()
    expect(bob.locator(".invitation")).to_contain_text(
        "taps once asks you to play Tic-tac-toe (3 min + 2 s, rated)."
    )
    bob.get_by_role("button", name="Accept").click()
    assert await_turn(ann)
    cyd = visit().page
    come_in(cyd, server.url, "looks round")
    expect(cyd.locator("[data-person='is here']")).to_contain_text("is playing")
    expect(cyd.locator("[data-person='looks round']")).to_have_count(0)


def test_a_table_that_its_people_have_left_is_in_no_list(
    visit: Visit, server: ServerProcess
) -> None:
    ann, bob = visit(), visit().page
    come_in(ann.page, server.url, "goes away")
    sit_down(ann.page, "connect_four", bot="house/random")
    come_in(bob, server.url, "stays")
    expect(bob.locator(".rooms.live li", has_text="goes away")).to_be_visible()
    ann.context.close()
    expect(bob.locator(".rooms li", has_text="goes away")).to_have_count(0)


HERE, GONE = {"name": "a"}, {"name": "a", "absent": True}
BOT = {"name": "house", "program": "mcts"}


@pytest.mark.parametrize(
    ("state", "seats", "more", "alive"),
    [
        ("waiting", [HERE, None], {}, True),
        ("waiting", [GONE, None], {}, False),
        ("playing", [HERE, GONE], {}, True),
        ("playing", [GONE, BOT], {}, False),
        ("playing", [BOT, BOT], {}, True),
        ("waiting", [None, None], {}, False),
        ("waiting", [BOT, None], {"match": "1.1"}, False),
        ("over", [HERE, HERE], {}, False),
    ],
)
def test_a_table_is_alive_while_somebody_is_there(
    evaluate: Evaluate, state: str, seats: list[Any], more: dict[str, str], alive: bool
) -> None:
    row = {"state": state, "seats": seats, **more}
    code = "async (row) => (await import('/lobby/here_now.js')).isAlive(row)"
    assert evaluate(code, row) is alive


def test_a_busy_bot_is_shown_as_such_and_is_not_the_first_choice(
    page: Page, server: ServerProcess
) -> None:
    def busy(message: dict[str, Any]) -> dict[str, Any]:
        for bot in message.get("bots", []):
            bot["free"] = 0 if bot["program"] == "mcts" else bot["free"]
        return message

    rewrite(page, busy)
    come_in(page, server.url, "finds a free one")
    page.locator(".new-table [data-game=connect_four]").first.click()
    expect(page.locator("#rival")).to_have_value("house/random")
    expect(page.locator("#rival option[value='house/mcts']")).to_have_text(re.compile(r"\(busy\)$"))
    expect(page.locator("[data-way=bot]")).to_contain_text("random")
    page.locator("[data-way=bot]").click()
    assert await_turn(page)


def test_changing_a_name_keeps_the_old_one(visit: Visit, server: ServerProcess) -> None:
    page = visit(viewport=PHONE).page
    come_in(page, server.url, "kept one")
    page.locator("#me .mine").click()
    page.get_by_role("button", name="Change name").click()
    expect(page.get_by_label("Your name")).to_be_focused()
    come_in(page, server.url, "kept two")
    page.locator("#me .mine").click()
    page.get_by_role("button", name="Change name").click()
    expect(page.locator(".names button")).to_have_text(["kept two", "kept one"])
    assert fits(page)
    page.get_by_role("button", name="Enter as kept one").press("Enter")
    expect(page.locator("#me .name")).to_have_text("kept one")
    page.reload()
    expect(page.locator("#me .name")).to_have_text("kept one")


def test_the_last_matches_are_shown_with_their_results(page: Page, server: ServerProcess) -> None:
    bot = {"name": "house", "program": "mcts", "level": 3}
    lost = {"winner": 1, "returns": [-1, 1], "how": "rules", "reason": "line"}
    line = {"match": "17.2", "game": "tic_tac_toe", "seats": [{"name": "has a past"}, bot],
            "result": lost, "at": 0, "plies": 5, "position": "x1o/1x1/o2 x"}  # fmt: skip

    def route(socket: WebSocketRoute) -> None:
        line_to_server = socket.connect_to_server()

        def answer(text: str | bytes) -> None:
            message = json.loads(text)
            if message["type"] != "matches":
                return line_to_server.send(text)
            assert message["who"] == "has a past"
            reply = {"type": "matches", "re": message["id"], "matches": [line], "more": False}
            return socket.send(json.dumps(reply))

        socket.on_message(answer)

    page.route_web_socket("**/ws", route)
    page.set_viewport_size(PHONE)
    come_in(page, server.url, "has a past")
    tile = page.locator(".matches a")
    expect(tile).to_contain_text("Lost against mcts, level 3")
    expect(tile).to_have_attribute("href", "/match/17.2")
    where = [page.locator(part).bounding_box() for part in (".last-matches", ".here-now")]
    assert where[0]["y"] < where[1]["y"], "before all the bots"  # type: ignore[index]


def test_the_focus_stays_in_the_view_and_a_menu_is_used_by_keys_alone(
    page: Page, server: ServerProcess
) -> None:
    inside = "document.querySelector('main').contains(document.activeElement)"
    page.goto(server.url)
    expect(page.get_by_label("Your name")).to_be_focused()
    page.keyboard.type("only keys")
    page.keyboard.press("Enter")
    expect(page.locator(".new-table h2")).to_be_focused()
    for key in ("Tab", "Tab", "ArrowDown"):  # past the rules to the games, and the next of them
        page.keyboard.press(key)
    expect(page.locator("#rival")).to_be_visible()
    for below in ("#rival", "#rival-level", "[data-way=bot]", "[data-way=find]"):
        page.keyboard.press("Tab")
        expect(page.locator(below)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".inviting")).to_be_visible()
    page.locator("[data-do=leave]").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".lobby")).to_be_visible()
    page.wait_for_function(inside)
    page.locator("#me .mine").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Your devices, recovery code")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("Your devices, recovery code")).to_be_hidden()
    expect(page.locator("#me .mine")).to_be_focused()
