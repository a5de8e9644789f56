"""What a person can do at a table: a new game, offers, clocks, hints, leaving."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.web.conftest import Visit
from tests.web.house import House, await_turn, come_in, sit_down

pytestmark = pytest.mark.browser


# The person's own session, as another program of theirs would use it.
OPEN_A_ROOM = """
clock => new Promise((done) => {
  const socket = new WebSocket(`ws://${location.host}/ws`);
  const send = (message) => socket.send(JSON.stringify(message));
  const token = JSON.parse(localStorage["plyhouse.token"]);
  socket.onopen = () => send({type: "hello", version: 1, token});
  socket.onmessage = ({data}) => {
    const said = JSON.parse(data);
    if (said.type === "welcome") send({type: "create", game: "connect_four", options: {clock}});
    if (said.type === "room") done(said.room);
  };
})
"""


def do(page: Page, name: str) -> None:
    """Press one of the buttons below the board."""
    page.locator(f"[data-do={name}]").click()


def position(page: Page) -> str | None:
    return page.locator(".board").get_attribute("data-position")


def test_a_new_game_takes_one_click_at_any_moment(page: Page, house: House) -> None:
    come_in(page, house.url, "anew")
    sit_down(page, "connect_four")
    assert await_turn(page)
    do(page, "new")  # nobody has moved: that match is called off, and they change seats
    expect(page.locator(".player").last).to_have_attribute("data-seat", "1")
    assert await_turn(page)
    expect(page.locator(".player .score")).to_have_text(["0", "0"])
    page.locator("[data-column='4']").click()
    assert await_turn(page)
    do(page, "new")  # both have moved: that one is resigned
    expect(page.locator(".player").last).to_have_attribute("data-seat", "0")
    expect(page.locator(".player .score")).to_have_text(["1", "0"])
    assert await_turn(page)
    assert position(page) == "7/7/7/7/7/7 x"


def test_after_the_end_the_same_button_is_a_rematch(page: Page, house: House) -> None:
    come_in(page, house.url, "rematch")
    sit_down(page, "tic_tac_toe", seat="1")
    while await_turn(page):
        page.locator("[data-cell].open").first.click()
    do(page, "new")
    expect(page.locator(".player").last).to_have_attribute("data-seat", "0")
    assert await_turn(page)
    assert position(page) == "3/3/3 x"


def test_who_sits_down_elsewhere_gets_up_where_a_match_is_over(page: Page, house: House) -> None:
    come_in(page, house.url, "moves on")
    sit_down(page, "connect_four")
    assert await_turn(page)
    do(page, "abort")
    expect(page.locator(".status")).to_contain_text("called off")
    page.locator(".brand").click()
    expect(page.locator("#tables a")).to_have_text("Connect four · random")
    sit_down(page, "tic_tac_toe")
    assert await_turn(page)
    expect(page.locator("#tables a")).to_have_count(0)
    page.go_back()
    page.go_back()  # to a room that is closed by now: a sentence, and the lobby
    expect(page.locator(".notice")).to_be_visible()
    expect(page.locator("#tables a")).to_have_text("Tic-tac-toe · random · your turn")


def test_a_takeback_brings_the_position_back(page: Page, house: House) -> None:
    come_in(page, house.url, "back")
    sit_down(page, "connect_four")
    assert await_turn(page)
    page.locator("[data-column='4']").click()
    assert await_turn(page)
    expect(page.locator(".stone.there")).to_have_count(2)
    do(page, "takeback")
    expect(page.locator(".stone.there")).to_have_count(0)
    expect(page.locator(".moves li")).to_have_count(0)


def test_two_people_offer_decline_and_agree(visit: Visit, house: House) -> None:
    ann, bob = opponents(visit, house, "peace")
    do(ann, "draw")
    expect(ann.locator(".offer")).to_contain_text("You offer a draw.")
    expect(ann.locator("[data-do=draw]")).to_have_count(0)
    bob.locator("[data-do=decline]").click()
    expect(ann.locator(".offer")).to_have_count(0)
    do(ann, "draw")  # again before anybody has moved: the server says no, in a sentence
    expect(ann.locator(".notice")).to_be_visible()
    ann.locator("[data-column='1']").click()
    expect(bob.locator(".status.yours")).to_be_visible()
    do(bob, "draw")
    ann.locator("[data-do=accept]").click()
    for page in (ann, bob):
        expect(page.locator(".status")).to_contain_text("A draw, by agreement.")
        expect(page.locator(".player .score")).to_have_text(["½", "½"])


def test_against_a_person_a_new_game_asks_before_it_loses_one(visit: Visit, house: House) -> None:
    ann, bob = opponents(visit, house, "ask")
    ann.locator("[data-column='1']").click()
    bob.locator("[data-column='2'].open").click()
    expect(ann.locator(".status.yours")).to_be_visible()
    do(ann, "new")
    expect(ann.locator(".question")).to_contain_text("resigns this one")
    ann.get_by_role("button", name="Go on playing").click()
    expect(ann.locator(".question")).to_be_hidden()
    expect(ann.locator(".status.yours")).to_be_visible()
    do(ann, "new")
    ann.get_by_role("button", name="Resign and play anew").click()
    expect(bob.locator(".status")).to_contain_text("wants to play")
    do(bob, "new")
    expect(bob.locator(".status.yours")).to_be_visible()  # they have changed seats


def test_to_resign_is_asked_twice(visit: Visit, house: House) -> None:
    ann, bob = opponents(visit, house, "resign")
    ann.locator("[data-column='1']").click()
    bob.locator("[data-column='2'].open").click()
    do(ann, "resign")
    ann.locator(".question .danger").click()
    expect(ann.locator(".status")).to_contain_text("You resigned.")
    expect(bob.locator(".status")).to_contain_text("You win.")


def test_the_clock_of_who_is_to_move_runs(page: Page, house: House) -> None:
    come_in(page, house.url, "clock")
    sit_down(page, "connect_four", clock="1")
    assert await_turn(page)
    mine, theirs = page.locator(".clock.running"), page.locator(".clock:not(.running)")
    expect(theirs).to_have_text("1:00")
    expect(mine).to_have_text("0:58")
    expect(page.locator(".clock.low")).to_have_count(0)
    page.locator("[data-column='4']").click()
    assert await_turn(page)


def test_little_time_looks_urgent_and_a_flag_ends_the_match(page: Page, house: House) -> None:
    come_in(page, house.url, "flag")
    room = page.evaluate(OPEN_A_ROOM, {"per_move_ms": 2_000})  # less than the form offers
    page.goto(f"{house.url}/#room={room}")
    page.get_by_role("button", name="Call", exact=True).click()
    assert await_turn(page)
    expect(page.locator(".clock.running.low")).to_be_visible()
    expect(page.locator(".status")).to_contain_text("You have no time left.")


def test_a_bot_gives_a_hint(page: Page, house: House) -> None:
    come_in(page, house.url, "hint")
    sit_down(page, "connect_four")
    assert await_turn(page)
    do(page, "hint")
    expect(page.locator(".hint")).to_have_text(re.compile(r"^house/\w+ would play \d\.$"))
    expect(page.locator(".thought")).to_have_text(re.compile(r"^\d \d+ [+-]\d.* \| "))
    expect(page.locator(".stone.best")).to_have_count(1)
    page.locator("[data-column='4']").click()
    assert await_turn(page)
    expect(page.locator(".stone.best")).to_have_count(0)
    for text in (".hint", ".thought"):
        expect(page.locator(text)).to_have_text("")


def test_a_bot_is_asked_for_the_level_that_was_chosen(page: Page, house: House) -> None:
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda text: sent.append(str(text))))
    come_in(page, house.url, "level")
    page.locator("#rival").select_option("house/random")
    expect(page.locator("#rival-level")).to_be_hidden()  # it has none
    page.locator("#rival").select_option("house/mcts")
    page.locator("#rival-level").fill("2")
    sit_down(page, "tic_tac_toe", bot="house/mcts", seat="1")
    assert await_turn(page)
    (invite,) = [json.loads(text) for text in sent if '"invite"' in text]
    assert (invite["who"], invite["strength"]) == ("house/mcts", {"level": 2})
    expect(page.locator(".player .tag").first).to_have_text("bot of house")


def test_each_game_offers_the_bots_that_play_it(page: Page, house: House) -> None:
    come_in(page, house.url, "offered")
    page.locator("[data-game=backgammon]").first.click()
    assert set(page.locator("#rival option").all_inner_texts()[:-1]) == {"random", "mcts", "gammon"}
    page.locator("#rival").select_option("house/gammon")
    expect(page.locator("#rival-about")).to_contain_text("all 21 rolls")
    expect(page.locator("#rival-level")).to_have_attribute("max", "8")
    page.locator("[data-game=connect_four]").first.click()
    assert set(page.locator("#rival option").all_inner_texts()[:-1]) == {"random", "mcts"}
    expect(page.locator("#rival")).to_have_value("house/mcts")
    lines = page.locator(".bots li")
    expect(lines.filter(has_text="gammon")).to_contain_text("Backgammon · levels 1 to 8")
    expect(lines.filter(has_text="mcts")).to_contain_text("all games · levels 1 to 8")


def test_who_leaves_the_table_is_in_the_lobby(page: Page, house: House) -> None:
    come_in(page, house.url, "leaves")
    sit_down(page, "tic_tac_toe")
    assert await_turn(page)
    do(page, "lobby")
    expect(page.locator("#tables a")).to_contain_text("your turn")
    page.locator("#tables a").click()
    do(page, "abort")
    expect(page.locator(".status")).to_contain_text("called off")
    do(page, "leave")
    expect(page.locator(".lobby")).to_be_visible()
    expect(page.locator("#tables a")).to_have_count(0)


def opponents(visit: Visit, house: House, name: str) -> tuple[Page, Page]:
    """Two people at a table of connect four; the first is to move."""
    ann, bob = visit().page, visit().page
    come_in(ann, house.url, f"{name} ann")
    sit_down(ann, "connect_four", bot=None)
    come_in(bob, ann.url, f"{name} bob")
    bob.locator("[data-do=sit]").click()
    assert await_turn(ann)
    return ann, bob
