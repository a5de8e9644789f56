"""The pages of the past: a match that is over, with its dice checked, and a person."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from lab.arena.local_server import ServerProcess
from tests.web import fake_ladder
from tests.web.conftest import Evaluate, Visit
from tests.web.visitor import PHONE, ROOT, await_turn, begin, fits

pytestmark = pytest.mark.browser

RECORD = json.loads((ROOT / "tests/vectors/records/backgammon.json").read_text("utf-8"))
NOW = 1_794_500_000_000


BERT = {"name": "bert"}
CURVE = [{"at": NOW - 9 * day, "elo": 5.0 * day, "error": 90.0 + day} for day in range(8, 0, -1)]
PERSON = {
    "type": "person", "name": "ann", "here": True, "since": NOW, "counted": 21, "streak": 3,
    "games": [{"game": "connect_four", "won": 9, "drawn": 2, "lost": 10}],
    "opponents": [{"player": BERT, "won": 9, "drawn": 2, "lost": 10}],
    "ratings": [
        {"game": "connect_four", "matches": 14, "least": 10, "elo": 34.6,
         "interval": [-60.2, 129.4], "field": 5, "curve": CURVE},
        {"game": "backgammon", "matches": 4, "least": 10},
    ],
}  # fmt: skip


def page_of_matches(message: dict[str, Any]) -> dict[str, Any]:
    """Twenty matches that ann won, twelve at most at once."""
    assert message["who"] == "ann"
    first = {None: 20, "17.9": 8}[message["before"]]
    won = {"winner": 0, "returns": [1, -1], "how": "rules", "reason": "line"}
    line = {"game": "tic_tac_toe", "seats": [{"name": "ann"}, BERT], "result": won, "at": NOW,
            "plies": 5, "position": "xxx/oo1/3 o", "code": "QF7KDM"}  # fmt: skip
    numbers = range(first, max(0, first - message["limit"]), -1)
    lines = [line | {"match": f"17.{number}"} for number in numbers]
    return {"type": "matches", "matches": lines, "more": first == 20}


def serve_match(page: Page, match: str, game: str, plies: int) -> dict[str, Any]:
    """Let the server know a finished match, whose record is that of the book."""
    replay = fake_ladder.replay(game, plies) | {"match": match}
    page.route(f"**/replay/{match}.json", lambda route: route.fulfill(json=replay))
    page.route(f"**/match/{match}.json", lambda route: route.fulfill(json=RECORD))
    return replay


def answer(page: Page, replies: dict[str, Callable[[dict[str, Any]], dict[str, Any]]]) -> None:
    """Answer some requests in the server's place."""

    def route(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def hear(text: str | bytes) -> None:
            message = json.loads(text)
            reply = replies.get(message["type"])
            if reply is None:
                return server.send(text)
            return socket.send(json.dumps(reply(message) | {"re": message["id"]}))

        socket.on_message(hear)

    page.route_web_socket("**/ws", route)


def test_dice_follow_the_worked_example(evaluate: Evaluate) -> None:
    dice = evaluate(
        """async (events) => {
          const { bytesOf, checkDice, rolled } = await import("/past/dice_check.js");
          const key = Uint8Array.from({length: 32}, (_, index) => index);
          const dice = { key, deal: "17.1", salts: ["00ff", ""] };
          const die = ["1", "2", "3", "4", "5", "6"].map((face) => [face, 1]);
          const other = events.map((event) => event.ply === 4 ? {...event, action: "53"} : event);
          const secret = "00".repeat(32);
          const forged = events.map((event) => event.secret ? {...event, secret} : event);
          const check = (events) => checkDice("17.2", "backgammon", events);
          return {
            die: [0, 1, 2, 7].map((ply) => rolled(dice, ply, die)),
            letter: [0, 1, 2, 7].map((ply) => rolled(dice, ply, [["A", 3], ["B", 2]])),
            good: check(events), wrong: check(other).wrong, forged: check(forged).isCommitted,
            none: check(events.slice(1)), key: bytesOf("00ff10").join(),
          };
        }""",
        [line["event"] for line in RECORD["events"]],
    )
    assert dice["die"] == ["2", "1", "1", "4"]
    assert dice["letter"] == ["A", "B", "A", "B"]
    assert (dice["good"]["isCommitted"], dice["good"]["rolls"], dice["good"]["wrong"]) == (
        True,
        4,
        None,
    )
    assert dice["wrong"] == {"ply": 4, "fell": "53", "follows": "52"}
    assert (dice["forged"], dice["none"], dice["key"]) == (False, None, "0,255,16")


def test_hashes_are_those_of_the_standard_at_every_edge_of_a_block(evaluate: Evaluate) -> None:

    lengths = [0, 1, 55, 56, 63, 64, 65, 119, 120, 200]
    hashes = evaluate(
        """async (lengths) => {
          const { hmac, sha256 } = await import("/past/sha256.js");
          const two = (byte) => byte.toString(16).padStart(2, "0");
          const hex = (bytes) => [...bytes].map(two).join("");
          const bytes = (length) => Uint8Array.from({length}, (_, index) => index);
          return lengths.map(bytes).map((data) => [hex(sha256(data)), hex(hmac(data, bytes(9)))]);
        }""",
        lengths,
    )
    for length, (plain, keyed) in zip(lengths, hashes, strict=True):
        data = bytes(range(length))
        assert plain == hashlib.sha256(data).hexdigest()
        assert keyed == hmac.digest(data, bytes(range(9)), "sha256").hex()


def test_a_match_is_gone_through_by_keys_buttons_and_moves(
    page: Page, server: ServerProcess
) -> None:
    replay = serve_match(page, "13.1", "connect_four", 12)
    page.goto(f"{server.url}/match/13.1")
    host, status = page.locator(".board"), page.locator(".status")
    positions = [moment["position"] for moment in replay["moments"]]
    expect(host).to_have_attribute("data-position", positions[12])
    expect(status).to_have_text("deep won: mcts resigned.")
    expect(page.locator("#where")).to_have_text("Connect four: deep – mcts")
    expect(page.locator("a.name").nth(1)).to_have_attribute("href", "/person/ann/deep")
    for key, ply in (
        ("ArrowLeft", 11),
        ("Home", 0),
        ("ArrowLeft", 0),
        ("ArrowRight", 1),
        ("End", 12),
    ):
        page.keyboard.press(key)
        expect(host).to_have_attribute("data-position", positions[ply])
    page.locator("[data-go=first]").click()
    page.locator(".moves [data-ply='5']").click()
    expect(host).to_have_attribute("data-position", positions[5])
    expect(status).to_contain_text("Move 3 of 6.")
    assert page.evaluate("location.hash") == "#ply=5"
    page.reload()
    expect(host).to_have_attribute("data-position", positions[5])  # a link leads to it
    page.evaluate("location.hash = '#ply=2'")  # as a link of the page does
    expect(host).to_have_attribute("data-position", positions[2])
    expect(status).to_contain_text("Move 1 of 6.")
    page.locator("[data-do=again]").click()
    page.get_by_label("Your name").wait_for()
    assert page.evaluate("localStorage['plyhouse.game']") == '"connect_four"'


def test_the_page_rolls_the_dice_again_and_offers_files(
    visit: Visit, server: ServerProcess
) -> None:
    page = visit(viewport=PHONE).page
    serve_match(page, "17.2", "backgammon", 4)
    page.goto(f"{server.url}/match/17.2")
    expect(page.locator(".verdict")).to_contain_text("All 4 rolls follow")
    expect(page.locator(".dice-facts")).to_contain_text("630dcd2966c4336691125448bbb25b4ff4")
    assert [link.get_attribute("href") for link in page.locator(".files a").all()] == [
        f"/match/17.2.{ending}" for ending in ("txt", "json", "sgf", "mat")
    ]
    assert fits(page)


def test_a_match_just_played_is_analysed_and_leads_to_its_players(
    visit: Visit, server: ServerProcess
) -> None:
    page = visit().page
    begin(page, server.url, "past player", "tic_tac_toe")
    page.locator("#say").fill("a good start")
    page.keyboard.press("Enter")
    while await_turn(page):
        page.locator(".board [role=gridcell]:not([aria-disabled=true])").first.click()
    room = page.evaluate("new URLSearchParams(location.hash.slice(1)).get('room')")
    page.goto(f"{server.url}/match/{room}.1")
    expect(page.locator(".chat")).to_contain_text("a good start")
    expect(page.locator(".status.over")).to_have_text(
        re.compile(r"(past player|random) won: three in a row\.|A draw: ")
    )
    page.get_by_role("button", name="Analyse").click()
    expect(page.locator(".plays li").first).to_be_visible()
    page.get_by_role("link", name="past player").click()
    expect(page.locator(".who h1")).to_contain_text("past player")
    expect(page.locator(".who")).to_contain_text("here now")
    expect(page.locator(".tallies").last).to_contain_text("house/random")
    page.locator(".matches a").click()
    expect(page.locator(".status.over")).to_be_visible()


def cube_game(number: int, score: list[int], won: int) -> dict[str, Any]:
    """A game of a match to 3 points, for its story."""
    result = {"winner": 0, "returns": [won, -won], "how": "rules", "reason": "drop"}
    series = {"points": 3, "score": score, "game": number}
    cube = [{"ply": 4, "seat": 0, "action": "double"}, {"ply": 5, "seat": 1, "action": "drop"}]
    return {"match": f"17.{number}", "series": series, "result": result, "cube": cube}


def of_game(message: dict[str, Any]) -> dict[str, Any]:
    """An analysis in which X did not double in time; the second game has none."""
    if message["match"] == "17.2":
        return {"type": "error", "code": "analysis/no-bot", "text": "no bot is here"}
    best = [{"action": "double", "value": 0.6}, {"action": "roll", "value": 0.55}]
    play = {"ply": 2, "seat": 0, "action": "roll", "loss": 0.05, "normalised": 0.25, "cube": True,
            "blunder": True, "mistake": "missed_double", "best": best}  # fmt: skip
    cube = {"plays": 2, "loss": 0.05, "normalised": 0.25, "blunders": 1}
    own = {"plays": 9, "rated": 5, "loss": 0.06, "normalised": 0.3, "luck": 0.1, "blunders": 1}
    none = {"plays": 8, "rated": 4, "normalised": 0.0, "luck": -0.1}
    analysis = {"game": "backgammon_cube", "by": "oracle", "unit": "chance", "blunder": 0.08,
                "totals": [own | {"cube": cube}, none], "plays": [play]}  # fmt: skip
    return {"type": "analysis", "match": message["match"], "bot": "b", "analysis": analysis}


def test_all_games_of_a_match_to_points_are_analysed_and_added_up(
    visit: Visit, server: ServerProcess
) -> None:
    page = visit(viewport=PHONE).page
    games = [cube_game(1, [0, 0], 1), cube_game(2, [1, 0], 1), cube_game(3, [2, 0], 1)]
    replay = fake_ladder.replay("backgammon_cube", 4) | {"match": "17.3", "games": games}
    page.route("**/replay/17.3.json", lambda route: route.fulfill(json=replay))
    page.route("**/match/17.3.json", lambda route: route.fulfill(json=RECORD))
    answer(page, {"analyse": of_game})
    page.goto(f"{server.url}/match/17.3")
    page.get_by_role("button", name="Analyse all games").click()
    story = page.locator(".story-analysis")
    expect(story.locator("tbody").first.locator("tr")).to_have_count(2)
    expect(story.locator("tbody tr").first).to_contain_text("Game 1 0 : 0")
    rows = {
        row.locator("th").inner_text(): row.locator("td").all_inner_texts()
        for row in story.locator("tbody").last.locator("tr").all()
    }
    assert rows["Plays"] == ["10", "8"]
    assert rows["Lost"] == ["12.00\xa0%", "0.00\xa0%"]
    assert rows["– by the cube"] == ["10.00\xa0%", "0.00\xa0%"]
    assert rows["Rating (PR)"] == ["30.00", "0.00"]
    expect(story.locator("[role=status]")).to_have_text("Game 2 is not in it: no bot is here")
    mistake = story.locator(".worst a").first
    expect(mistake).to_have_text("Game 1, deep: missed double, \u22125.00\xa0%")
    expect(mistake).to_have_attribute("href", "/match/17.1#ply=2")
    assert fits(page)


def test_what_there_is_not_is_a_sentence(visit: Visit, server: ServerProcess) -> None:
    page = visit(forgive="404").page
    page.goto(f"{server.url}/match/9999.1")
    expect(page.get_by_role("alert").last).to_be_attached()
    expect(page.locator("main")).to_contain_text(
        "no finished match of this number, or it is private"
    )
    page.goto(f"{server.url}/person/nobody%20ever")
    expect(page.locator("main")).to_contain_text("nobody ever")


def test_a_person_has_results_a_rating_with_its_curve_and_earlier_matches(
    visit: Visit, server: ServerProcess
) -> None:
    page = visit(viewport=PHONE).page
    answer(page, {"person": lambda _: PERSON, "matches": page_of_matches})
    page.goto(f"{server.url}/person/ann")
    expect(page.locator(".who")).to_contain_text("3 won in a row")
    expect(page.locator(".ratings")).to_contain_text("+35 Elo")
    expect(page.locator(".ratings")).to_contain_text("between −60 and +129 in 95 of 100 cases")
    expect(page.locator(".ratings")).to_contain_text("rated after 10 matches; 4 so far")
    expect(page.get_by_role("img", name="The rating at Connect four")).to_be_visible()
    expect(page.locator(".tallies").last.locator("a")).to_have_attribute("href", "/person/bert")
    tiles = page.locator(".matches a")
    expect(tiles).to_have_count(12)
    expect(tiles.first).to_contain_text("ann won: three in a row.")
    expect(tiles.first).to_have_attribute("href", "/match/17.20?code=QF7KDM")
    earlier = page.get_by_role("button", name="Earlier matches")
    earlier.focus()
    page.keyboard.press("Enter")
    expect(tiles).to_have_count(20)
    expect(earlier).to_be_hidden()
    expect(tiles.nth(12)).to_be_focused()
    assert fits(page)
