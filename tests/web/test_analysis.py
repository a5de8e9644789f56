"""A match that is over, gone through on the page: the list of its plays, and the board."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from games import registry
from tests.web.conftest import Visit
from tests.web.house import House, await_turn, come_in, opened, sit_down
from tests.web.sage import listening, told

pytestmark = pytest.mark.browser

THINKING_MS = 60_000  # as long as a bot has

Run = Callable[..., Any]

# -------------------------------------------------------------- how it is read

SHORT = ["31", "8/5 6/5", "62", "24/18 13/11", "44"]  # the last roll is not played any more

READ = """async ({ analysis, events }) => {
  const { rowsOf, totalRows, lossText, luckText, verdictText } = await import("/analysis/rows.js");
  const moments = [null, ...events].map((event) => ({ position: "", to_move: 0, event }));
  const rows = rowsOf(analysis, moments);
  const told = rows.map((row) => [row.ply, row.text, row.mark, lossText(row, analysis.unit),
    luckText(row, analysis.unit), verdictText(row, analysis.unit)]);
  return { told, marks: rows.map((row) => row.marks), totals: totalRows(analysis) };
}"""


@pytest.fixture(scope="module")
def read(browser: Browser, house: House) -> Iterator[Run]:
    """Read an analysis of so many actions with the page's own module."""
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(house.url)
        yield lambda analysis, events: page.evaluate(READ, {"analysis": analysis, "events": events})


def events_of(actions: list[str], start: int = 1) -> list[dict[str, Any]]:
    """Rolls and plays in turn, as a replay tells them."""
    kinds = [("roll", -1) if ply % 2 == 0 else ("play", ply // 2 % 2) for ply in range(9)]
    return [
        {"seq": ply + start, "ply": ply, "kind": kind, "seat": seat, "action": action}
        for ply, (action, (kind, seat)) in enumerate(zip(actions, kinds, strict=False))
    ]


def test_a_row_has_a_play_its_roll_and_what_both_were_worth(read: Run) -> None:
    found = read(told("backgammon", SHORT), events_of(SHORT))
    assert [row[:5] for row in found["told"]] == [
        [1, "31: 8/5 6/5", "??", "\u22120.123", "luck +0.250"],
        [3, "62: 24/18 13/11", "?", "\u22120.050", "luck +0.250"],
        [5, "44:", "", "", "luck +0.250"],
    ]
    assert found["told"][0][5] == "A blunder: it lost 0.123."
    assert [mark["kind"] for mark in found["marks"][0]] == ["played", "best"]
    totals = {row["name"]: row["cells"] for row in found["totals"]}
    assert totals["Loss a play"] == ["0.123", "0.050"]
    assert totals["Luck"] == ["+0.750", "+0.750"]
    assert "Not proven" not in totals


def test_a_play_without_a_choice_is_forced_and_one_nobody_proved_says_so(read: Run) -> None:
    best: list[dict[str, Any]] = [{"action": "4", "value": 2}, {"action": "5"}]
    play = {"ply": 1, "seat": 1, "action": "5", "best": best}
    analysis = {
        "game": "connect_four", "by": "solver", "unit": "score", "plays": [play],
        "totals": [{"forced": 1}, {"plays": 1, "unknown": 1}],
    }  # fmt: skip
    events = [
        {"seq": ply + 1, "ply": ply, "kind": "play", "seat": ply, "action": action}
        for ply, action in enumerate("45")
    ]
    found = read(analysis, events)
    assert [row[:5] for row in found["told"]] == [
        [0, "4", "", "forced", ""],
        [1, "5", "", "not proven", ""],
    ]
    assert found["told"][1][5] == "What it lost is not proven."
    proven = read({**analysis, "plays": [{**play, "blunder": True}]}, events)["told"][1]
    assert (proven[2], proven[3]) == ("??", "not proven")
    assert proven[5] == "A blunder: how much it lost is not proven."
    best.reverse()  # the one that was played may be the best, but who knows
    assert read(analysis, events)["told"][1][3] == "not proven"
    totals = {row["name"]: row["cells"] for row in found["totals"]}
    assert totals["Loss a play"] == ["–", "–"]
    assert totals["Not proven"] == ["0", "1"]


def test_of_two_best_actions_the_one_that_was_played_is_the_best(read: Run) -> None:
    best = [{"action": "4", "value": 2}, {"action": "5", "value": 2}]
    play = {"ply": 0, "seat": 0, "action": "5", "loss": 0, "best": best}
    analysis = {"game": "connect_four", "by": "solver", "unit": "score", "plays": [play]}
    event = {"seq": 1, "ply": 0, "kind": "play", "seat": 0, "action": "5"}
    found = read({**analysis, "totals": [{"plays": 1}, {}]}, [event])
    assert found["told"][0][3] == "best"
    assert {mark["action"] for mark in found["marks"][0]} == {"5"}


LIST = """async (answers) => {
  const { List } = await import("/analysis/list.js");
  const { rowsOf } = await import("/analysis/rows.js");
  const list = new List(() => {});
  const event = { seq: 1, ply: 0, kind: "play", seat: 0, action: "5" };
  const moments = [null, event].map((event) => ({ position: "", to_move: 0, event }));
  return answers.map((analysis) => {
    const told = { bot: "house/oracle", analysis, rows: rowsOf(analysis, moments) };
    list.show(told, null, { match: "17.1", seats: [{ name: "ann" }, { name: "bob" }] });
    return list.plays.textContent;
  });
}"""


def test_a_match_that_is_asked_about_anew_is_listed_anew(browser: Browser, house: House) -> None:
    analysis = {"game": "tic_tac_toe", "by": "mcts", "unit": "value", "totals": [{}, {}]}
    play = {"ply": 0, "seat": 0, "action": "5"}
    answers = [{**analysis, "plays": [{**play, "loss": loss}]} for loss in (0.25, 0)]
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(house.url)
        assert page.evaluate(LIST, answers) == ["15\u22120.25", "15best"]


HEARD = """async ({ analysis, events }) => {
  const { Review } = await import("/analysis/review.js");
  const moments = [null, ...events].map((event, ply) =>
    ({ position: ply < 2 ? null : "7/7/7/7/7/7 x", to_move: ply % 2, event }));
  const wire = { request: async () => ({ bot: "house/oracle", analysis }) };
  const app = { wire, house: { moments: () => moments } };
  const review = new Review(app, { changed() {}, look() {} });
  const match = { match: "999.1", seats: [{ name: "ann" }, { name: "bob" }] };
  await review.ask({}, match);
  review.show({ seats: [null, null] }, match);
  const open = review.list.plays.querySelectorAll("button:enabled");
  open[0].click();
  return { open: open.length, view: review.view(null) };
}"""


def test_without_a_replay_what_the_page_has_heard_itself_is_shown(
    browser: Browser, house: House
) -> None:
    analysis = {"game": "connect_four", "by": "oracle", "unit": "score", "totals": [{}, {}]}
    events = [None, *({"ply": n, "kind": "play", "seat": n % 2, "action": "4"} for n in (1, 2))]
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(house.url)
        shown = page.evaluate(HEARD, {"analysis": analysis, "events": events})
    assert shown["open"] == 1
    assert shown["view"]["events"] == [events[1]]
    assert shown["view"]["last"] == {"seat": 1, "action": "4"}


ARROWS = """async (actions) => {
  const { arrowsOf } = await import("/boards/backgammon_marks.js");
  const { parsePosition } = await import("/boards/backgammon_turn.js");
  const { chosen } = await import("/boards/chosen.js");
  const checkers = parsePosition((await chosen("backgammon")).start).checkers[0];
  return actions.map((action) => {
    const marks = [{ action: "8/5 6/5", kind: "played" }, { action, kind: "best" }];
    const arrows = arrowsOf(marks, checkers, 0);
    return arrows.filter(({ kind }) => kind === "best").length;
  });
}"""


def test_what_a_bot_calls_the_best_may_be_no_turn_and_is_not_drawn(
    browser: Browser, house: House
) -> None:
    turns = {"8/5*(2)": 2, "bar/22*/16 6/off": 2, "24/18/13*": 1, "13/11(4)": 4, "pass": 0}
    others = ["8", "(", "8/5 x", "99/98", "25/20", "8/-5", "8/5(9)", "8/off/3", "e4", "8/5  6/5"]
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(house.url)
        counts = page.evaluate(ARROWS, [*turns, *others])
    assert counts == [*turns.values()] + [0] * len(others)


def test_what_was_not_looked_at_or_left_out_is_not_called_forced(read: Run) -> None:
    analysis = {"game": "backgammon", "by": "gammon", "unit": "points", "totals": [{}, {}]}
    events = events_of(SHORT[:4])
    left = read({**analysis, "left": [3]}, events)
    assert [row[3] for row in left["told"]] == ["forced", "not looked at"]
    cut = read({**analysis, "partial": True}, events)
    assert [row[3] for row in cut["told"]] == ["", ""]


def test_a_loss_that_was_sampled_has_its_error(read: Run) -> None:
    play = {
        "ply": 0, "seat": 0, "action": "1", "loss": 0.2, "error": 0.07, "doubtful": True,
        "best": [{"action": "5", "value": 0.1}, {"action": "1", "value": -0.1}],
    }  # fmt: skip
    totals = [{"plays": 1, "loss": 0.2, "doubtful": 1}, {}]
    analysis = {
        "game": "tic_tac_toe", "by": "mcts", "unit": "value", "plays": [play], "totals": totals,
    }  # fmt: skip
    found = read(analysis, [{"seq": 1, "ply": 0, "kind": "play", "seat": 0, "action": "1"}])
    (row,) = found["told"]
    assert row[2:] == ["?", "\u22120.20", "", "Doubtful: it lost 0.20 ± 0.07."]


# -------------------------------------------------------------- at the table


def position(page: Page) -> str | None:
    return page.locator(".board").get_attribute("data-position")


def play_out(page: Page, cells: str) -> None:
    """Play to the end, each time the last place that is open."""
    while await_turn(page):
        page.locator(cells).last.click()


def analyse(page: Page) -> None:
    page.locator("[data-do=analyse]").click()
    expect(page.locator(".analysis .plays")).to_be_visible(timeout=THINKING_MS)


def test_a_bot_of_the_house_goes_through_a_match(page: Page, house: House) -> None:
    come_in(page, house.url, "looks back")
    sit_down(page, "tic_tac_toe")
    start = position(page)
    expect(page.locator("[data-do=analyse]")).to_have_count(0)
    play_out(page, "[data-cell].open")
    end, plies = position(page), page.locator(".mark.there").count()
    analyse(page)
    expect(page.locator("[data-do=analyse]")).to_have_count(0)
    expect(page.locator(".moves")).to_be_hidden()
    expect(page.locator(".totals")).to_contain_text("Loss a play")
    plays = page.locator(".analysis .plays button")
    expect(plays).to_have_count(plies)
    plays.first.click()
    assert position(page) == start
    expect(page.locator(".board .played")).to_have_count(1)
    expect(page.locator(".board .best")).to_have_count(1)
    expect(page.locator(".strip .reviewed:not(.quiet)")).to_have_attribute("aria-live", "polite")
    expect(page.locator(".status")).to_have_text(f"Ply 0 of {plies}")
    page.keyboard.press("ArrowRight")
    expect(plays.nth(1)).to_have_attribute("aria-current", "step")
    expect(page.locator(".mark.there")).to_have_count(1)
    page.locator("[data-step=end]").click()
    assert position(page) == end
    expect(page.locator(".board .played")).to_have_count(0)
    page.locator("[data-do=new]").click()
    expect(page.locator(".analysis")).to_be_hidden()
    expect(page.locator(".moves")).to_be_visible()


@pytest.fixture(scope="module")
def quiet_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A house whose bot does not analyse."""
    with opened(tmp_path_factory.mktemp("quiet") / "data", "random") as house:
        yield house


def a_match_of_backgammon(page: Page) -> None:
    """One turn each, and it is resigned."""
    sit_down(page, "backgammon")
    for _ in range(2):
        assert await_turn(page)
        page.locator("[data-done], [data-forced], .zone.movable").first.wait_for()
        while not page.locator("[data-done], [data-forced]").count():
            page.locator(".zone.movable").first.click()
        page.locator("[data-done], [data-forced]").click()
    assert await_turn(page)
    page.locator("[data-do=resign]").click()
    page.locator(".question .danger").click()
    expect(page.locator(".status.over")).to_be_visible()


def test_a_refusal_is_a_sentence_and_it_can_be_asked_again(page: Page, quiet_house: House) -> None:
    come_in(page, quiet_house.url, "too early")
    a_match_of_backgammon(page)
    page.locator("[data-do=analyse]").click()
    expect(page.locator(".notice")).to_be_visible()
    expect(page.locator(".analysis")).to_be_hidden()
    with listening(quiet_house.port, "backgammon") as asked:
        analyse(page)
    assert [message["game"] for message in asked] == ["backgammon"]


def test_a_blunder_in_backgammon_is_drawn(visit: Visit, quiet_house: House) -> None:
    page = visit().page
    come_in(page, quiet_house.url, "blunders")
    a_match_of_backgammon(page)
    with listening(quiet_house.port, "backgammon") as asked:
        analyse(page)
    game = registry.game("backgammon")
    first = game.initial().apply(game.parse_action(game.initial(), asked[0]["actions"][0]))
    page.locator("[data-step=mistake]").click()
    assert position(page) == game.format_position(first)
    blunder = page.locator(".plays .blunder")
    expect(blunder).to_have_count(1)
    expect(blunder).to_have_attribute("aria-current", "step")
    expect(blunder).to_contain_text("luck +0.250")
    expect(page.locator(".strip")).to_contain_text("A blunder: it lost 0.123.")
    expect(page.locator(".arrow.played").first).to_be_attached()
    expect(page.locator(".arrow.best").first).to_be_attached()
    played = page.locator(".options .played")
    expect(played).to_contain_text(asked[0]["actions"][1])
    page.locator("[data-step=mistake]").click()
    expect(page.locator(".plays .doubtful")).to_have_attribute("aria-current", "step")
    plies = len(asked[0]["actions"])  # the last of them a roll that nobody played
    page.locator(".plays button").last.click()
    expect(page.locator(".status")).to_have_text(f"Ply {plies} of {plies}")
    page.keyboard.press("Escape")
    expect(page.locator(".arrow")).to_have_count(0)
    expect(page.locator(".totals")).to_contain_text("Luck")


def test_a_private_match_is_shown_after_a_reload_too(page: Page, quiet_house: House) -> None:
    come_in(page, quiet_house.url, "in private")
    page.locator("#private").check()
    sit_down(page, "tic_tac_toe")
    play_out(page, "[data-cell].open")
    with listening(quiet_house.port, "tic_tac_toe"):
        analyse(page)
        page.locator(".plays button").nth(2).click()
        expect(page.locator(".mark.there")).to_have_count(2)
        page.reload()
        expect(page.locator(".status.over")).to_be_visible()
        analyse(page)
        page.locator(".plays button").nth(2).click()
        expect(page.locator(".mark.there")).to_have_count(2)
    expect(page.locator(".plays button:disabled")).to_have_count(0)


def test_an_analysis_fits_on_a_phone(visit: Visit, quiet_house: House) -> None:
    page = visit(viewport={"width": 360, "height": 740}, color_scheme="dark").page
    come_in(page, quiet_house.url, "p" * 24)
    a_match_of_backgammon(page)
    with listening(quiet_house.port, "backgammon"):
        analyse(page)
    page.locator(".plays button").first.click()
    expect(page.locator(".board")).to_be_in_viewport(ratio=0.9)
    expect(page.locator("[data-step=next]")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth") is True


def test_a_hint_in_backgammon_is_drawn(page: Page, house: House) -> None:
    come_in(page, house.url, "advised")
    sit_down(page, "backgammon")
    assert await_turn(page)
    page.locator("[data-do=hint]").click()
    expect(page.locator(".hint")).to_contain_text("would play")
    expect(page.locator(".thought")).to_have_text(re.compile(r" [+-]0\.\d+ W \d.* G \d.* LG \d"))
    expect(page.locator(".arrow.best").first).to_be_attached()
    expect(page.locator(".arrow.played")).to_have_count(0)
