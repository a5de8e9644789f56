"""What a person can do at a table: a new game, offers, clocks, hints, leaving."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from lab.arena.local_server import ServerProcess
from tests.web.conftest import Visit
from tests.web.visitor import PHONE, await_turn, begin, come_in, fits, sit_down, switch_on

pytestmark = pytest.mark.browser


def do(page: Page, name: str) -> None:
    """Press one of the buttons below the board."""
    page.locator(f"[data-do={name}]").click()


def position(page: Page) -> str | None:
    return page.locator(".board").get_attribute("data-position")


def resign(page: Page) -> None:
    do(page, "resign")
    page.locator(".question .danger").click()


def offer_draw(page: Page) -> None:
    do(page, "draw")
    page.get_by_role("button", name="Offer a draw").click()


def test_a_new_game_is_offered_only_when_the_match_is_over(
    page: Page, server: ServerProcess
) -> None:
    begin(page, server.url, "anew", "connect_four")
    expect(page.locator("[data-do=new], .game .primary")).to_have_count(0)  # nor anything coloured
    do(page, "abort")  # nobody has moved: that costs nothing
    expect(page.locator(".status")).to_contain_text("called off: nobody won")
    do(page, "new")
    expect(page.locator(".status.yours")).to_be_visible()
    expect(page.locator(".player .score")).to_have_text(["0", "0"])
    page.locator("[data-column='4']").click()
    assert await_turn(page)
    expect(page.locator("[data-do=new], .game .primary")).to_have_count(0)
    resign(page)
    expect(page.locator(".status")).to_contain_text("You resigned: random won.")
    do(page, "new")  # they change seats
    expect(page.locator(".player").last).to_have_attribute("data-seat", "1")
    expect(page.locator(".player .score")).to_have_text(["1", "0"])
    while await_turn(page):
        page.locator("[data-column].open").first.click()
    do(page, "new")
    expect(page.locator(".player").last).to_have_attribute("data-seat", "0")
    expect(page.locator(".status.yours")).to_be_visible()
    assert position(page) == "7/7/7/7/7/7 x"


def test_who_gets_up_or_sits_down_elsewhere_is_away_from_a_table_whose_match_is_over(
    page: Page, server: ServerProcess
) -> None:
    begin(page, server.url, "moves on", "connect_four")
    do(page, "abort")
    expect(page.locator(".status")).to_contain_text("called off")
    page.locator(".brand").click()
    expect(page.locator("#tables a")).to_have_text("Connect four · random")
    sit_down(page, "tic_tac_toe")
    assert await_turn(page)
    expect(page.locator("#tables a")).to_have_count(0)
    page.locator("[data-cell='5']").click()  # without a move it would end as one leaves
    assert await_turn(page)
    page.go_back()
    page.go_back()  # to a room that is closed by now: to how its match ended
    page.wait_for_url("**/match/*")
    page.goto(server.url)
    expect(page.locator("#tables a")).to_have_text("Tic-tac-toe · random · your turn")
    page.locator("#tables a").click()
    do(page, "lobby")
    expect(page.locator("#tables a")).to_contain_text("your turn")
    page.locator("#tables a").click()
    resign(page)
    expect(page.locator(".status")).to_contain_text("You resigned")
    do(page, "leave")
    expect(page.locator(".lobby")).to_be_visible()
    expect(page.locator("#tables a")).to_have_count(0)


def test_two_people_offer_decline_and_agree(visit: Visit, server: ServerProcess) -> None:
    ann, bob = opponents(visit, server, "peace")
    do(ann, "draw")
    sheet = ann.get_by_role("alertdialog", name="Offer a draw?")
    expect(sheet).to_have_accessible_description(re.compile("If peace bob accepts"))
    sheet.get_by_role("button", name="Go on playing").click()
    expect(ann.locator(".offer")).to_have_count(0)
    offer_draw(ann)
    expect(ann.locator(".offer")).to_contain_text("You offer a draw.")
    expect(ann.locator("[data-do=draw]")).to_have_count(0)
    bob.locator("[data-do=decline]").click()
    expect(ann.locator(".offer")).to_have_count(0)
    expect(ann.locator(".note")).to_have_text("peace bob declines the draw and plays on.")
    expect(ann.locator("#announcer")).to_contain_text("declines the draw")
    expect(bob.locator(".note")).to_be_hidden()
    offer_draw(ann)  # again before anybody has moved: the server says no, in a sentence
    expect(ann.locator(".notice")).to_be_visible()
    ann.locator("[data-column='1']").click()
    expect(bob.locator(".status.yours")).to_be_visible()
    offer_draw(bob)
    ann.locator("[data-do=accept]").click()
    for page in (ann, bob):
        expect(page.locator(".status")).to_contain_text("A draw, by agreement.")
        expect(page.locator(".headline")).to_have_text("A draw")
        expect(page.locator(".player .score")).to_have_text(["½", "½"])


def test_resigning_says_what_it_costs_and_can_be_thought_better_of(
    visit: Visit, server: ServerProcess
) -> None:
    ann, bob = opponents(visit, server, "ask")
    ann.locator("[data-column='1']").click()
    bob.locator("[data-column='2'].open").click()
    expect(ann.locator(".status.yours")).to_be_visible()
    box = ann.locator("[data-do=hint]").bounding_box()
    do(ann, "resign")
    expect(ann.locator(".question")).to_contain_text("ask bob wins it.")
    assert ann.locator("[data-do=hint]").bounding_box() == box  # nothing has moved
    expect(ann.get_by_role("button", name="Go on playing")).to_be_focused()
    ann.get_by_role("button", name="Go on playing").click()
    expect(ann.locator(".question")).to_have_count(0)
    expect(ann.locator(".status.yours")).to_be_visible()
    expect(ann.locator("[data-do=resign]")).to_be_focused()
    do(ann, "resign")
    ann.keyboard.press("Escape")
    expect(ann.locator(".status.yours")).to_be_visible()
    resign(ann)
    expect(bob.locator(".status")).to_contain_text("You won: ask ann resigned.")
    do(ann, "new")
    expect(bob.locator(".status")).to_contain_text("wants to play")
    do(bob, "new")
    expect(bob.locator(".status.yours")).to_be_visible()  # they have changed seats


def test_the_clock_of_who_is_to_move_runs(page: Page, server: ServerProcess) -> None:
    begin(page, server.url, "clock", "connect_four", clock="1")
    mine, theirs = page.locator(".clock.running"), page.locator(".clock:not(.running)")
    expect(page.locator(".note")).to_have_text("0:38 to begin; then the match is void.")
    expect(theirs).to_have_count(2)
    expect(theirs.first).to_have_text("1:00")
    page.locator("[data-column='4']").click()
    assert await_turn(page)
    expect(page.locator(".note")).to_be_hidden()
    expect(theirs).to_have_text("1:01")
    expect(mine).to_have_text("0:59")
    expect(page.locator(".clock.low")).to_have_count(0)


def test_little_time_looks_urgent_and_a_flag_ends_the_match(
    page: Page, server: ServerProcess
) -> None:
    def hurry(route: WebSocketRoute) -> None:  # less time than the form offers
        line = route.connect_to_server()
        much, little = '"clock":null', '"clock":{"per_move_ms":2000,"begin_ms":0}'
        route.on_message(lambda text: line.send(str(text).replace(much, little)))

    page.route_web_socket("**/ws", hurry)
    begin(page, server.url, "flag", "connect_four")
    expect(page.locator(".clock.running.low")).to_be_visible()
    expect(page.locator(".status")).to_contain_text("You lost: your time ran out.")


def test_a_bot_gives_a_hint_and_a_play_is_taken_back(page: Page, server: ServerProcess) -> None:
    switch_on(page, "thoughts")
    begin(page, server.url, "hint", "connect_four")
    before = page.locator("[data-do=hint]").bounding_box()
    do(page, "hint")
    expect(page.locator(".hint")).to_have_text(re.compile(r"^house/\w+ would play \d\.$"))
    expect(page.locator(".thought")).to_have_text(re.compile(r"^\d \d+ [+-]\d.* \| "))
    expect(page.locator(".stone.best")).to_have_count(1)
    assert page.locator("[data-do=hint]").bounding_box() == before
    page.locator("[data-column='4']").click()
    assert await_turn(page)
    expect(page.locator(".stone.best")).to_have_count(0)
    for text in (".hint", ".thought"):
        expect(page.locator(text)).to_have_text("")
    expect(page.locator(".stone.there")).to_have_count(2)
    do(page, "takeback")
    expect(page.locator(".stone.there")).to_have_count(0)
    expect(page.locator(".moves li")).to_have_count(0)


def test_a_hint_that_has_to_wait_says_for_how_long(page: Page, server: ServerProcess) -> None:
    held: list[str | bytes] = []

    def hold(socket: WebSocketRoute) -> None:
        line = socket.connect_to_server()

        def pass_on(text: str | bytes) -> None:
            message = json.loads(text)
            if message["type"] != "hint":
                return socket.send(text)
            held.append(text)
            waits = {"type": "hint_waits", "match": message["match"], "bot": message["by"],
                     "wait_ms": 39_500}  # fmt: skip
            return socket.send(json.dumps(waits))

        line.on_message(pass_on)
        sockets.append(socket)

    sockets: list[WebSocketRoute] = []
    page.route_web_socket("**/ws", hold)
    begin(page, server.url, "waits", "connect_four")
    do(page, "hint")
    expect(page.locator(".hint")).to_have_text(
        re.compile(r"The bot gets ready first: about (40|39|38) s more\.")
    )
    sockets[0].send(held[0])
    expect(page.locator(".hint")).to_have_text(re.compile(r"^house/\w+ would play \d\.$"))


def test_a_bot_is_asked_for_the_level_that_was_chosen(page: Page, server: ServerProcess) -> None:
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda text: sent.append(str(text))))
    come_in(page, server.url, "level")
    page.locator("#rival").select_option("house/random")
    expect(page.locator("#rival-level")).to_be_hidden()  # it has none
    page.locator("#rival").select_option("house/mcts")
    page.locator("#rival-level").fill("2")
    sit_down(page, "tic_tac_toe", bot="house/mcts", seat="1")
    assert await_turn(page)
    (invite,) = [json.loads(text) for text in sent if '"invite"' in text]
    assert (invite["who"], invite["strength"]) == ("house/mcts", {"level": 2})
    expect(page.locator(".player .tag:not(.rating)").first).to_have_text("bot, level 2: casual")
    page.locator(".board [data-cell].open").first.click()
    do(page, "resign")
    page.locator("[role=alertdialog] .danger").click()
    do(page, "easier")  # who has lost is offered the level below, at once
    expect(page.locator(".status.yours")).to_be_visible()
    expect(page.locator(".player .tag:not(.rating)").first).to_have_text("bot, level 1: newcomer")
    do(page, "abort")
    expect(page.locator("[data-do=easier]")).to_have_count(0)


def test_each_game_offers_the_bots_that_play_it(page: Page, server: ServerProcess) -> None:
    come_in(page, server.url, "offered")
    page.locator(".new-table [data-game=backgammon]").first.click()
    expect(page.locator("#rival option")).to_have_count(3)
    expect(page.locator("#seat")).to_be_hidden()  # the first roll says who begins
    assert offered(page) == {"random", "mcts", "gammon"}
    page.locator("#rival").select_option("house/gammon")
    expect(page.locator("#rival-about")).to_contain_text("all 21 rolls")
    expect(page.locator("#rival-level")).to_have_attribute("max", "8")
    page.locator(".new-table [data-game=connect_four]").first.click()
    assert offered(page) == {"random", "mcts"}
    expect(page.locator("#rival")).to_have_value("house/mcts")
    expect(page.locator("#seat")).to_be_visible()
    lines = page.locator(".bots li")
    expect(lines.filter(has_text="gammon · neural net")).to_contain_text(
        "Backgammon, Backgammon with the cube · levels 1 to 8"
    )
    expect(lines.filter(has_text="mcts")).to_contain_text("levels 1 to 8")


def offered(page: Page) -> set[str]:
    """The programs that can be chosen."""
    return {text.split(" ")[0] for text in page.locator("#rival option").all_inner_texts()}


def opponents(
    visit: Visit, server: ServerProcess, name: str, first: Page | None = None,
    game: str = "connect_four", second: Page | None = None, **choices: str,
) -> tuple[Page, Page]:  # fmt: skip
    """Two people at a table; the first is to move, where no dice decide that."""
    ann, bob = first or visit().page, second or visit().page
    come_in(ann, server.url, f"{name} ann")
    sit_down(ann, game, bot=None, **choices)
    come_in(bob, ann.url, f"{name} bob")
    bob.locator("[data-do=sit]").click()
    expect(ann.locator(".status")).to_contain_text(re.compile(r"Your turn|to move"))
    return ann, bob


def test_nothing_is_wider_than_a_phone(visit: Visit, server: ServerProcess) -> None:
    page = visit(viewport=PHONE).page
    page.goto(server.url)
    assert fits(page)
    come_in(page, server.url, "w" * 24)
    page.locator(".bots li").first.wait_for()
    assert fits(page)
    for game in ("connect_four", "ultimate_tic_tac_toe", "backgammon", "pebbles"):
        sit_down(page, game, clock="2")
        assert await_turn(page)
        assert fits(page), game
        assert page.locator(".board").bounding_box()["width"] > 300  # type: ignore[index]
        page.locator("[data-do=lobby]").click()
        expect(page.locator(".lobby")).to_be_visible()
        assert fits(page), game
    sit_down(page, "tic_tac_toe", bot=None)
    expect(page.locator(".inviting")).to_be_visible()
    assert fits(page)


def test_the_page_is_dark_where_the_person_wants_that(visit: Visit, server: ServerProcess) -> None:
    def ground(scheme: str) -> object:
        page = visit(color_scheme=scheme).page
        page.goto(server.url)
        return page.evaluate("getComputedStyle(document.body).backgroundColor")

    assert ground("light") != ground("dark")
