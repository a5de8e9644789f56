"""Backgammon with the cube on the page: what is decided about it, and what is seen of it."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from games import registry
from lab.arena.local_server import ServerProcess
from tests.web.conftest import Visit
from tests.web.matches.players import PLACES
from tests.web.visitor import await_turn, come_in, sit_down

pytestmark = pytest.mark.browser

GAME = registry.game("backgammon_cube")
LATER = "-bA---D-C---eE---c-e----B-"
LAY = """async () => {
  const { boardOf } = await import("/boards/registry.js");
  const host = document.createElement("div");
  document.activeElement.blur();
  document.body.prepend(host);
  host.style.maxWidth = "700px";
  window.played = [];
  window.module = await boardOf("backgammon_cube");
  window.board = module.create(host, (action) => window.played.push(action));
}"""
SHOW = "(view) => { window.view = view; board.show(view); }"


def lay(door: Page) -> None:
    """Lay a board, without the focus in the field for a name, from which nobody takes it away.

    The browser gives that field the focus with the page's first picture, which may come after the
    page has loaded.
    """
    expect(door.get_by_label("Your name")).to_be_focused()
    door.evaluate(LAY)


def show(door: Page, rest: str, **other: Any) -> None:
    """Show a position to whoever decides there."""
    p = GAME.parse_position(f"XGID={LATER}:{rest}")
    view = {"last": None, "events": [], "over": False, "marks": [], "names": ["Anna", "Bert"]}
    view |= {"position": GAME.format_position(p), "toMove": p.to_move, "seat": p.to_move}
    door.evaluate(SHOW, view | {"legal": list(p.legal_notation())} | other)


def test_decisions_are_buttons_and_turns_are_played_on_the_board(door: Page) -> None:
    lay(door)
    buttons = door.locator(".cube-actions button")
    show(door, "0:0:-1:00:0:0:0:0:10")
    expect(buttons).to_have_text(["Double to 2", "Roll"])
    expect(buttons.last).to_be_focused()  # so that the space bar rolls
    buttons.first.click()
    show(door, "0:0:-1:D:0:0:2:0:10")
    expect(buttons).to_have_text(["Take play for 2", "Drop lose 1 point", "Beaver to 4"])
    show(door, "1:1:1:52:0:0:2:0:10")
    expect(door.locator(".cube-question")).to_be_hidden()
    assert door.evaluate("board.type('13/8 6/4', true)") == "played"
    assert door.evaluate("played") == ["double", "13/8 6/4"]


def test_a_double_leads_the_focus_to_a_question_and_only_its_own_keys_answer(door: Page) -> None:
    lay(door)
    show(door, "0:0:-1:D:4:5:0:7:10")
    question = door.get_by_role("alertdialog", name="\u2068Bert\u2069 doubles to 2.")
    expect(question).to_be_focused()
    assert [door.evaluate(f"board.type('{text}', false)") for text in ("r", "d", "dr")] == [
        "wrong", "more", "more",
    ]  # fmt: skip
    assert door.evaluate("played") == []  # neither a roll out of habit nor a second D decides
    assert [door.evaluate(f"board.type('{text}', false)") for text in "take"] == ["played"] * 4
    assert door.evaluate("played") == ["take"]


def test_a_drop_that_loses_the_match_says_so(door: Page) -> None:
    lay(door)
    show(door, "1:-1:-1:D:3:5:0:7:10")
    drop = door.get_by_role("button", name="Drop lose the match")
    expect(drop).to_be_visible()
    show(door, "1:-1:-1:D:3:4:0:7:10")
    expect(door.get_by_role("button", name="Drop lose 2 points")).to_be_visible()


def test_the_cube_lies_with_its_owner_and_not_in_the_crawford_game(door: Page) -> None:
    lay(door)
    cube = door.locator(".cube-layer .doubling-cube")
    heights = []
    for rest in ("2:-1:1:52:0:0:0:0:10", "0:0:1:52:0:0:0:0:10", "2:1:1:52:0:0:0:0:10"):
        show(door, rest, motion=False)
        expect(cube).to_have_text("1" if rest[0] == "0" else "4")
        box = cube.bounding_box()
        assert box is not None
        heights.append(box["y"])
    assert heights == sorted(heights)  # the other side's above, one's own below
    show(door, "0:0:1:52:4:6:1:7:10")
    expect(cube).to_have_count(0)
    expect(door.locator(".crawford-sign")).to_have_text("Crawford")
    show(door, "0:0:1:52:0:0:0:0:0")
    expect(door.locator(".cube-layer > *")).to_have_count(0)


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        ("0:0:-1:00:0:0:0:0:10", "The cube shows 1, in the middle."),
        (
            "1:-1:-1:D:3:2:0:7:10",
            "Bert doubles to 4. The cube shows 2, and is Bert’s. "
            "A match to 7 points: 3 for Anna, 2 for Bert.",
        ),
        ("0:0:-1:B:0:0:2:0:10", "Anna beavers to 4. The cube shows 1, in the middle."),
        (
            "0:0:1:52:4:6:1:7:10",
            "Crawford game: nobody doubles. A match to 7 points: 4 for Anna, 6 for Bert.",
        ),
    ],
)  # fmt: skip
def test_cube_score_and_offer_are_read_out(door: Page, rest: str, words: str) -> None:
    lay(door)
    show(door, rest, seat=None, legal=None)
    text = door.evaluate("module.read(view)")
    assert text.replace("\u2068", "").replace("\u2069", "").startswith(words)


def test_hypergammon_has_three_checkers_a_side(door: Page) -> None:
    lay(door)
    p = GAME.parse_position(f"XGID=-aaa{'-' * 18}AAA-:0:0:1:31:0:0:0:3:10:3")
    door.evaluate(SHOW, {
        "last": None, "events": [], "over": False, "marks": [], "seat": 0, "toMove": 0,
        "position": GAME.format_position(p), "legal": list(p.legal_notation()),
    })  # fmt: skip
    expect(door.locator("[data-spot]:not(.small-board *)")).to_have_count(6)


def test_a_match_to_points_is_played_to_its_end_and_its_story_told(
    visit: Visit, server: ServerProcess
) -> None:
    page = visit().page
    come_in(page, server.url, "quirin")
    sit_down(page, "backgammon_cube", length="3")
    expect(page.locator("#where")).to_have_text("Backgammon · to 3 points")
    expect(page.locator(".player .score")).to_have_text(["0 / 3", "0 / 3"])
    games = 0
    while page.locator(".status.over", has_text="won the match").count() == 0:
        if games == 1:  # between two games one is asked first
            page.locator(".controls [data-do=leave]").click()
            question = page.get_by_role("alertdialog", name="Give up the whole match?")
            expect(question).to_contain_text("random wins it")
            question.get_by_role("button", name="Go on playing").click()
        if games:
            page.get_by_role("button", name="Next game").click()
            expect(page.locator(".status.over")).to_have_count(0)
        play_to_the_end(page)
        games += 1
    scores = page.locator(".player .score").all_inner_texts()
    assert max(int(score.removesuffix(" / 3")) for score in scores) >= 3
    link = page.locator(".facts a[href^='/match/']").get_attribute("href")
    page.goto(f"{server.url}{link}")
    expect(page.locator(".story h2")).to_have_text("The match to 3 points")
    expect(page.locator(".story")).to_contain_text("has won the match")
    rows = page.locator(".story tbody tr")
    expect(rows).to_have_count(games)
    expect(rows.first).to_contain_text("doubles to 2.")
    expect(rows.locator("a")).to_have_count(games - 1)  # all but the game that is looked at
    if games > 1:
        rows.locator("a").first.click()
        expect(rows).to_have_count(games)  # each game's page tells of all


def play_to_the_end(page: Page) -> None:
    """Double as soon as that is possible, and drop; where it is not, give the game up."""
    for _ in range(400):
        if not await_turn(page):
            return
        resign = page.locator(".controls [data-do=resign]")
        buttons = page.locator(".cube-actions:not([hidden]) button")
        if buttons.count():
            names = [button.get_attribute("data-action") for button in buttons.all()]
            wanted = "double" if "double" in names else "drop"
            page.locator(f".cube-actions [data-action={wanted}]").click()
        elif resign.count():
            resign.click()
            sheet = page.get_by_role("alertdialog", name="Resign this game?")
            expect(sheet).to_contain_text("the match to 3 points")
            page.locator(".prices button").last.click()
        elif isinstance(places := page.evaluate(PLACES), list) and places:
            page.mouse.click(*places[0])
        page.wait_for_timeout(50)  # the server answers, and what was played is seen to move
    raise AssertionError("the game did not end")


def test_of_several_typed_turns_the_last_one_is_seen_with_its_roll(door: Page) -> None:
    rules = registry.game("backgammon")
    start = rules.parse_position("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10")
    end = start.after("8/5 6/5").after("64").after("24/14")
    scenes = door.evaluate(
        """async ({ start, end }) => {
          const { scenesBetween } = await import("/boards/backgammon/sequence.js");
          const stage = { boardScene: () => "board", rollScene: (side, roll) => `roll ${roll}`,
            passScene: () => "pass", turnScenes: (side) => [`turn ${side}`] };
          const event = (seq, fields) => ({ seq, ply: seq, kind: "play", ...fields });
          const view = { position: start, legal: null, seat: 0, toMove: 0, last: null, over: false,
            marks: [], events: [event(1, { kind: "roll", seat: -1, action: "31" })] };
          const events = [...view.events, event(2, { seat: 0, action: "8/5 6/5" }),
            event(3, { kind: "roll", seat: -1, action: "64" }),
            event(4, { seat: 1, action: "24/14" })];
          const last = { ...view, events, position: end };
          return scenesBetween(stage, view, last, null) ?? "none";
        }""",
        {"start": rules.format_position(start), "end": rules.format_position(end)},
    )
    assert "roll 6,4" in scenes
    assert scenes.index("roll 6,4") < scenes.index("turn 1")


def test_what_is_to_be_decided_is_seen_when_all_checkers_stand(door: Page) -> None:
    lay(door)
    start = GAME.parse_position("XGID=-b----E-C---eE---c-e----B-:0:0:-1:31:0:0:0:0:10")
    end = start.after("8/5 6/5")
    view = {"last": None, "over": False, "marks": [], "names": ["Anna", "Bert"], "seat": 0}
    roll = {"seq": 1, "ply": 0, "kind": "roll", "seat": -1, "action": "31"}
    turn = {"seq": 2, "ply": 1, "kind": "play", "seat": 1, "action": "8/5 6/5"}
    before = {"position": GAME.format_position(start), "toMove": 1, "legal": None}
    after = {"position": GAME.format_position(end), "toMove": 0, "legal": ["roll", "double"]}
    door.evaluate(SHOW, view | before | {"events": [roll]})
    door.evaluate(SHOW, view | after | {"events": [roll, turn]})
    question = door.locator(".cube-question")
    expect(question).to_have_attribute("data-waits", "")
    expect(question).to_be_visible()
    expect(question).not_to_have_attribute("data-waits", "")
    door.locator(".cube-actions [data-action=roll]").click()
    assert door.evaluate("played") == ["roll"]
