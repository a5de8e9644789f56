"""A match that is over, gone through on the page: the list of its plays, and the board."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from games import registry
from lab.arena.local_server import ServerProcess
from tests.web.conftest import Evaluate, Visit
from tests.web.fake_analyst import analysis_of, listening
from tests.web.visitor import (
    PHONE,
    await_turn,
    begin,
    come_in,
    fits,
    opened,
    sit_down,
    switch_on,
)  # fmt: skip

pytestmark = pytest.mark.browser

THINKING_MS = 60_000  # as long as a bot has
SHORT = ["31", "8/5 6/5", "62", "24/18 13/11", "44"]  # the last roll is not played any more

READ = """async ({ analysis, events }) => {
  const { rowsOf, lossText, luckText, verdictText, cubeText } = await import("/analysis/rows.js");
  const { totalRows } = await import("/analysis/totals.js");
  const moments = [null, ...events].map((event) => ({ position: "", to_move: 0, event }));
  const rows = rowsOf(analysis, moments);
  const texts = rows.map((row) => [row.ply, row.text, row.mark, lossText(row, analysis.unit),
    luckText(row, analysis.unit), verdictText(row, analysis.unit)]);
  const cube = rows.map(cubeText);
  return { texts, cube, marks: rows.map((row) => row.marks), totals: totalRows(analysis) };
}"""


@pytest.fixture
def read(evaluate: Evaluate) -> Evaluate:
    """Read an analysis of so many actions with the page's own module."""
    return lambda analysis, events: evaluate(READ, {"analysis": analysis, "events": events})


def one(action: str, ply: int = 0, kind: str = "play") -> dict[str, Any]:
    """An event of a replay whose seats alternate."""
    return {"seq": ply + 1, "ply": ply, "kind": kind, "seat": ply % 2, "action": action}


def about(game: str, *plays: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An analysis with these plays."""
    unit = {"connect_four": "score", "tic_tac_toe": "value", "backgammon": "points"}[game]
    return {"game": game, "by": "a bot", "unit": unit, "totals": [{}, {}], "plays": plays, **more}


def events_of(actions: list[str]) -> list[dict[str, Any]]:
    """Rolls and plays in turn, as a replay tells them."""
    kinds = [("roll", -1) if ply % 2 == 0 else ("play", ply // 2 % 2) for ply in range(9)]
    return [
        one(action, ply, kind) | {"seat": seat}
        for ply, (action, (kind, seat)) in enumerate(zip(actions, kinds, strict=False))
    ]


def test_a_row_has_a_play_its_roll_and_what_both_were_worth(read: Evaluate) -> None:
    report = read(analysis_of("backgammon", SHORT), events_of(SHORT))
    assert [row[:5] for row in report["texts"]] == [
        [1, "31: 8/5 6/5", "??", "\u22120.123", "luck +0.250"],
        [3, "62: 24/18 13/11", "?", "\u22120.050", "luck +0.250"],
        [5, "44:", "", "", "luck +0.250"],
    ]
    assert report["texts"][0][5] == "A blunder: it lost 0.123."
    assert [mark["kind"] for mark in report["marks"][0]] == ["played", "best"]
    totals = {row["name"]: row["cells"] for row in report["totals"]}
    assert totals["Loss a play"] == ["0.123", "0.050"]
    assert totals["Luck"] == ["+0.750", "+0.750"]
    assert "Not proven" not in totals


def test_a_play_without_a_choice_is_forced_and_one_nobody_proved_says_so(read: Evaluate) -> None:
    best: list[dict[str, Any]] = [{"action": "4", "value": 2}, {"action": "5"}]
    play = {"ply": 1, "seat": 1, "action": "5", "best": best}
    analysis = about("connect_four", play, totals=[{"forced": 1}, {"plays": 1, "unknown": 1}])
    events = [one("4"), one("5", 1)]
    report = read(analysis, events)
    assert [row[:5] for row in report["texts"]] == [
        [0, "4", "", "forced", ""],
        [1, "5", "", "not proven", ""],
    ]
    assert report["texts"][1][5] == "What it lost is not proven."
    proven = read({**analysis, "plays": [{**play, "blunder": True}]}, events)["texts"][1]
    assert (proven[2], proven[3]) == ("??", "not proven")
    assert proven[5] == "A blunder: how much it lost is not proven."
    best.reverse()  # the one that was played may be the best, but who knows
    assert read(analysis, events)["texts"][1][3] == "not proven"
    totals = {row["name"]: row["cells"] for row in report["totals"]}
    assert totals["Loss a play"] == ["–", "–"]
    assert totals["Not proven"] == ["0", "1"]


def test_of_the_cube_it_says_what_was_wrong_and_not_every_roll_instead_of_a_double(
    read: Evaluate,
) -> None:
    actions = [("roll", 0), ("13", -1), ("8/5 6/5", 0), ("roll", 1), ("62", -1), ("24/16", 1),
               ("double", 0), ("take", 1)]  # fmt: skip
    kinds = ["roll" if seat < 0 else "play" for _, seat in actions]
    events = [one(a, i, kinds[i]) | {"seat": seat} for i, (a, seat) in enumerate(actions)]
    options = [{"action": "double", "value": 0.56}, {"action": "roll", "value": 0.515}]
    about_cube = {"cube": True, "normalised": 0.25, "blunder": True}
    plays = [
        {"ply": 0, "seat": 0, "action": "roll", "loss": 0, "cube": True, "trivial": True},
        {"ply": 3, "seat": 1, "action": "roll", "loss": 0.045, "mistake": "missed_double",
         "best": options, **about_cube},
        {"ply": 7, "seat": 1, "action": "take", "loss": 0.031, "mistake": "wrong_take", "shows": 2,
         **about_cube},
    ]  # fmt: skip
    cube = {"plays": 2, "loss": 0.076, "normalised": 0.5, "blunders": 2}
    total = {"plays": 5, "rated": 4, "loss": 0.076, "normalised": 0.5, "luck": -0.125, "cube": cube}
    analysis = {"game": "backgammon_cube", "by": "a bot", "unit": "chance", "blunder": 0.08,
                "totals": [{"normalised": 0.0, "luck": 0.125}, total], "plays": plays}  # fmt: skip
    report = read(analysis, events)
    assert [row[1:4] for row in report["texts"]] == [
        ["31: 8/5 6/5", "", "forced"],
        ["Roll", "??", "\u22124.50\xa0%"],
        ["62: 24/16", "", "forced"],
        ["double", "", "forced"],
        ["Take", "??", "\u22123.10\xa0%"],
    ]
    assert report["texts"][1][5] == "Missed double: it lost 4.50\xa0%."
    assert report["cube"] == ["", "missed double", "", "", "wrong take · cube 2"]
    totals = {row["name"]: row["cells"] for row in report["totals"]}
    assert totals["Plays"] == ["0", "4"]
    assert totals["– by plays"] == ["0.00\xa0%", "0.00\xa0%"]
    assert totals["– by the cube"] == ["0.00\xa0%", "7.60\xa0%"]
    assert totals["Luck"] == ["+12.50\xa0%", "\u221212.50\xa0%"]
    assert totals["Rating (PR)"] == ["–", "62.50"]


def test_a_resignation_has_a_row_of_its_own_before_what_was_played_then(read: Evaluate) -> None:
    offer = {"ply": 1, "seat": 0, "action": "resign 1", "loss": 0.0}
    refused = {
        "ply": 1,
        "seat": 1,
        "action": "refuse 1",
        "loss": 0.25,
        "blunder": True,
        "best": [{"action": "accept 1", "value": 1.0}, {"action": "refuse 1", "value": 0.75}],
    }
    given_up = {
        "ply": 5,
        "seat": 1,
        "action": "resign 3",
        "loss": 2.5,
        "blunder": True,
        "best": [{"action": "play on", "value": -0.5}, {"action": "resign 3", "value": -3}],
    }
    analysis = analysis_of("backgammon", SHORT)
    resigning = {"decisions": 2, "loss": 2.75, "blunders": 2}
    x, o = analysis["totals"]
    totals = [x, {**o, "loss": o["loss"] + 2.75, "resigning": resigning}]
    resigned = {"totals": totals, "resignations": [offer, refused, given_up]}
    report = read({**analysis, **resigned}, events_of(SHORT))
    assert [row[:4] for row in report["texts"]] == [
        [1, "resign 1", "", "best"],
        [1, "refuse 1", "??", "\u22120.250"],
        [1, "31: 8/5 6/5", "??", "\u22120.123"],
        [3, "62: 24/18 13/11", "?", "\u22120.050"],
        [5, "44:", "", ""],
        [5, "resign 3", "??", "\u22122.500"],
    ]
    totals_shown = {row["name"]: row["cells"] for row in report["totals"]}
    assert totals_shown["– by resigning"] == ["0.000", "2.750"]
    assert totals_shown["Loss a play"] == ["0.123", "0.050"]


LISTED = """async ({ analysis, events }) => {
  const { PlayList } = await import("/analysis/play_list.js");
  const { reportOf } = await import("/analysis/rows.js");
  const moments = [null, ...events].map((event) => ({ position: "", to_move: 0, event }));
  const list = new PlayList(() => {});
  const seats = [{ name: "ann" }, { name: "bob" }];
  const report = reportOf({ bot: "b", analysis }, moments);
  for (const at of [null, 0]) list.show(report, at, { match: "17.1", seats });
  return [...list.plays.children].map((item) => item.textContent);
}"""


def test_both_may_resign_for_the_same_in_one_position(evaluate: Evaluate) -> None:
    resigned = [{"ply": 5, "seat": seat, "action": "resign 1", "loss": 0} for seat in (0, 1)]
    analysis = {**analysis_of("backgammon", SHORT), "resignations": resigned}
    texts = evaluate(LISTED, {"analysis": analysis, "events": events_of(SHORT)})
    assert [re.sub(r"luck.*|best", "", text) for text in texts[-3:]] == [
        "344:", "4resign 1", "5resign 1"
    ]  # fmt: skip


def test_what_is_best_what_was_left_out_and_what_was_sampled_say_so(read: Evaluate) -> None:
    best = [{"action": "4", "value": 2}, {"action": "5", "value": 2}]
    play = {"ply": 0, "seat": 0, "action": "5", "loss": 0, "best": best}
    report = read(about("connect_four", play), [one("5")])
    assert report["texts"][0][3] == "best"
    assert {mark["action"] for mark in report["marks"][0]} == {"5"}
    left = read(about("backgammon", left=[3]), events_of(SHORT[:4]))
    assert [row[3] for row in left["texts"]] == ["forced", "not looked at"]
    cut = read(about("backgammon", partial=True), events_of(SHORT[:4]))
    assert [row[3] for row in cut["texts"]] == ["", ""]
    sampled = play | {"loss": 0.2, "error": 0.07, "doubtful": True}
    (row,) = read(about("tic_tac_toe", sampled), [one("5")])["texts"]
    assert row[2:] == ["?", "\u22120.20", "", "Doubtful: it lost 0.20 ± 0.07."]


LIST = """async (answers) => {
  const { PlayList } = await import("/analysis/play_list.js");
  const { reportOf } = await import("/analysis/rows.js");
  const list = new PlayList(() => {});
  const event = { seq: 1, ply: 0, kind: "play", seat: 0, action: "5" };
  const moments = [null, event].map((event) => ({ position: "", to_move: 0, event }));
  return answers.map((analysis) => {
    const report = reportOf({ bot: "house/oracle", analysis }, moments);
    list.show(report, null, { match: "17.1", seats: [{ name: "ann" }, { name: "bob" }] });
    return list.plays.textContent;
  });
}"""


def test_a_match_that_is_asked_about_anew_is_listed_anew(evaluate: Evaluate) -> None:
    play = {"ply": 0, "seat": 0, "action": "5"}
    answers = [about("tic_tac_toe", {**play, "loss": loss}) for loss in (0.25, 0)]
    assert evaluate(LIST, answers) == ["15\u22120.25", "15best"]


HEARD = """async ({ analysis, events }) => {
  const { Review } = await import("/analysis/review.js");
  const moments = [null, ...events].map((event, ply) =>
    ({ position: ply < 2 ? null : "7/7/7/7/7/7 x", to_move: ply % 2, event }));
  const connection = { request: async () => ({ bot: "house/oracle", analysis }) };
  const app = { connection, replica: { moments: () => moments } };
  const review = new Review(app, { onChange() {}, showBoard() {} });
  const match = { match: "999.1", seats: [{ name: "ann" }, { name: "bob" }] };
  await review.ask({}, match);
  review.show({ seats: [null, null] }, match);
  const open = review.list.plays.querySelectorAll("button:enabled");
  open[0].click();
  return { open: open.length, view: review.view(null) };
}"""


def test_without_a_replay_what_the_page_has_heard_itself_is_shown(evaluate: Evaluate) -> None:
    events = [None, one("4", 1), one("4", 2)]
    shown = evaluate(HEARD, {"analysis": about("connect_four"), "events": events})
    assert shown["open"] == 1
    assert shown["view"]["events"] == [events[1]]
    assert shown["view"]["last"] == {"seat": 1, "action": "4"}


GAMMON = registry.game("backgammon")

ARROWS = """async ([start, actions]) => {
  const { arrowsOf } = await import("/boards/backgammon/arrows.js");
  const { Layout } = await import("/boards/backgammon/layout.js");
  const { parsePosition } = await import("/boards/backgammon/turn.js");
  const layout = new Layout({ flipped: false, numbers: true, box: { width: 0, height: 0 } });
  const checkers = parsePosition(start).checkers[0];
  return actions.map((action) => {
    const marks = [{ action: "8/5 6/5", kind: "played" }, { action, kind: "best" }];
    const arrows = arrowsOf(marks, checkers, 0, layout);
    return arrows.filter(({ kind }) => kind === "best").length;
  });
}"""


def test_what_a_bot_calls_the_best_may_be_no_turn_and_is_not_drawn(evaluate: Evaluate) -> None:
    turns = {"8/5*(2)": 2, "bar/22*/16 6/off": 2, "24/18/13*": 1, "13/11(4)": 4, "pass": 0}
    others = ["8", "(", "8/5 x", "99/98", "25/20", "8/-5", "8/5(9)", "8/off/3", "e4", "8/5  6/5"]
    counts = evaluate(ARROWS, [GAMMON.format_position(GAMMON.initial()), [*turns, *others]])
    assert counts == [*turns.values()] + [0] * len(others)


def position(page: Page) -> str | None:
    return page.locator(".board").get_attribute("data-position")


def play_out(page: Page, cells: str) -> None:
    """Play to the end, each time the last place that is open."""
    while await_turn(page):
        page.locator(cells).last.click()


def analyse(page: Page) -> None:
    page.locator("[data-do=analyse]").click()
    expect(page.locator(".analysis .plays")).to_be_visible(timeout=THINKING_MS)


def test_a_bot_of_the_house_goes_through_a_match(page: Page, server: ServerProcess) -> None:
    come_in(page, server.url, "looks back")
    sit_down(page, "tic_tac_toe")
    assert await_turn(page)
    start = position(page)
    expect(page.locator("[data-do=analyse]")).to_have_count(0)
    play_out(page, "[data-cell].open")
    end, plies = position(page), page.locator(".mark.there").count()
    analyse(page)
    expect(page.locator("[data-do=analyse]")).to_have_count(0)
    expect(page.locator(".moves")).to_be_hidden()
    expect(page.locator(".totals")).to_contain_text("Loss a play")
    expect(page.locator("svg.course")).to_be_visible()
    expect(page.locator(".worst a").first).to_have_attribute("href", re.compile("^/board/tic_tac_"))
    plays = page.locator(".analysis .plays button")
    expect(plays).to_have_count(plies)
    plays.first.click()
    assert position(page) == start
    expect(page.locator(".board .played")).to_have_count(1)
    expect(page.locator(".board .best")).to_have_count(1)
    expect(page.locator(".strip .reviewed:not(.quiet)")).to_have_attribute("aria-live", "polite")
    expect(page.locator(".status")).to_have_text(f"Play 1 of {plies}")  # as in the list
    page.set_viewport_size({"width": 1280, "height": 800})
    page.keyboard.press("ArrowRight")
    expect(plays.nth(1)).to_have_attribute("aria-current", "step")
    expect(plays.nth(1)).to_be_in_viewport(ratio=1)
    scrollers = page.locator(".analysis, .analysis *").evaluate_all(
        "all => all.filter(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1)"
        ".filter((each) => /auto|scroll/.test(getComputedStyle(each).overflowY))"
        ".map(({ className }) => className)"
    )
    assert scrollers in ([], ["rows"])  # the list scrolls, and nothing within it or around it
    expect(page.locator(".mark.there")).to_have_count(1)
    page.locator("[data-step=end]").click()
    assert position(page) == end
    expect(page.locator(".board .played")).to_have_count(0)
    page.locator("[data-do=new]").click()
    expect(page.locator(".analysis")).to_be_hidden()
    expect(page.locator(".moves")).to_be_visible()


@pytest.fixture(scope="module")
def quiet_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server whose bot does not analyse."""
    with opened(tmp_path_factory.mktemp("quiet") / "data", "random") as server:
        yield server


READY = "[data-cell=done]:not([hidden])"


def a_match_of_backgammon(page: Page) -> None:
    """One turn each, and it is resigned."""
    sit_down(page, "backgammon")
    for _ in range(2):
        assert await_turn(page)
        page.locator(f"{READY}, .zone.movable").first.wait_for()
        while not page.locator(READY).count():
            page.locator(".zone.movable").first.dblclick()
        page.locator(READY).click()
    assert await_turn(page)
    page.locator("[data-do=resign]").click()
    page.locator(".question .danger").click()
    expect(page.locator(".status.over")).to_contain_text("You resigned: ")


def test_after_a_refusal_a_blunder_in_backgammon_is_drawn_on_a_phone(
    visit: Visit, quiet_server: ServerProcess
) -> None:
    page = visit(viewport=PHONE, color_scheme="dark").page
    come_in(page, quiet_server.url, "p" * 24)
    a_match_of_backgammon(page)
    page.locator("[data-do=analyse]").click()
    expect(page.locator(".notice")).to_be_visible()
    expect(page.locator(".analysis")).to_be_hidden()
    with listening(quiet_server.port, "backgammon") as asked:
        analyse(page)
    assert [message["game"] for message in asked] == ["backgammon"]
    page.locator(".plays button").first.click()
    expect(page.locator(".board")).to_be_in_viewport(ratio=0.9)
    tops = "all => all.map((each) => each.getBoundingClientRect().top)"
    assert len(set(page.locator(".walk button").evaluate_all(tops))) == 1  # one row
    expect(page.locator("[data-step=next]")).to_be_in_viewport()
    assert fits(page)
    page.keyboard.press("Escape")
    first = GAMMON.initial().apply(GAMMON.parse_action(GAMMON.initial(), asked[0]["actions"][0]))
    page.locator("[data-step=mistake]").click()
    assert position(page) == GAMMON.format_position(first)
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
    count = page.locator(".plays button").count()  # the last of them a roll that nobody played
    page.locator(".plays button").last.click()
    expect(page.locator(".status")).to_have_text(f"Play {count} of {count}")
    page.keyboard.press("Escape")
    expect(page.locator(".arrow")).to_have_count(0)
    expect(page.locator(".totals")).to_contain_text("Luck")


def test_a_private_match_is_shown_after_a_reload_too(
    page: Page, quiet_server: ServerProcess
) -> None:
    come_in(page, quiet_server.url, "in private")
    page.locator(".new-table [data-game=tic_tac_toe]").first.click()
    page.locator("[data-way=friend]").click()
    page.locator(".inviting summary").click()
    page.locator("#guest").select_option("house/random")
    page.locator(".inviting .call button").first.click()
    assert await_turn(page)
    play_out(page, "[data-cell].open")
    tokens = json.loads((quiet_server.data / "house-bots.json").read_text())
    with listening(quiet_server.port, "tic_tac_toe", token=tokens["house"]):
        for _ in range(2):
            analyse(page)
            page.locator(".plays button").nth(2).click()
            expect(page.locator(".mark.there")).to_have_count(2)
            page.reload()
            expect(page.locator(".status.over")).to_be_visible()
        analyse(page)
    expect(page.locator(".plays button:disabled")).to_have_count(0)


def test_a_hint_in_backgammon_is_drawn(page: Page, server: ServerProcess) -> None:
    switch_on(page, "thoughts")
    begin(page, server.url, "advised", "backgammon")
    page.locator("[data-do=hint]").click()
    expect(page.locator(".hint")).to_contain_text("would play")
    expect(page.locator(".thought")).to_have_text(re.compile(r" [+-]0\.\d+ W \d.* G \d.* LG \d"))
    expect(page.locator(".arrow.best").first).to_be_attached()
    expect(page.locator(".arrow.played")).to_have_count(0)
