"""A ladder's page: standings, plot and pairs, by a fake server, and once by a real one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from playwright.sync_api import Page, expect

from lab.arena.local_server import ServerProcess
from protocol.ladder import Ladders, LadderState, LadderWait, Standing, Verdict
from tests.web import fake_ladder
from tests.web.conftest import Visit
from tests.web.fake_ladder import NAME, NAMES, FakeServer, pair, standing, state
from tests.web.visitor import PHONE, ROOT, fits

pytestmark = pytest.mark.browser

HIDE = """hidden => {
  Object.defineProperty(document, "hidden", {configurable: true, get: () => hidden});
  document.dispatchEvent(new Event("visibilitychange"));
}"""


@pytest.fixture
def fake(page: Page, server: ServerProcess) -> FakeServer:
    """The page of a ladder with everything in it."""
    fake = FakeServer(page, ladder_status=state(), ladder_history=fake_ladder.history())
    page.goto(f"{server.url}/ladder/{NAME}")
    expect(page.locator(".standings tbody tr")).to_have_count(5)
    return fake


def row(page: Page, player: str) -> dict[str, str]:
    """The texts of a player's row, by the names of its columns."""
    texts = "row => Object.fromEntries([...row.children].map(c => [c.className, c.textContent]))"
    row: dict[str, str] = page.locator(".standings tbody tr", has_text=player).evaluate(texts)
    return row


def test_the_page_says_what_a_ladder_waits_for(page: Page, fake: FakeServer) -> None:
    lines = page.locator(".waits li")
    expect(lines).to_have_count(0)
    away = LadderWait(
        why="away", text="waits for bob/b@1, not connected", players=("bob/b@1",), count=1
    )
    fake.push(state(901, waits=(away, LadderWait(why="newer", text="the moon is full"))))
    expect(lines).to_have_text(["Waits for bob/b@1, not connected.", "The moon is full."])
    fake.push(state(902))
    expect(lines).to_have_count(0)


def test_the_page_asks_as_a_guest_and_says_all_there_is(page: Page, fake: FakeServer) -> None:
    hello, *rest = fake.received
    assert "name" not in hello
    assert "token" not in hello
    assert {"type": "ladder_status", "ladder": NAME, "follow": True}.items() <= rest[0].items()
    assert page.evaluate("localStorage.length") == 0  # the visitor's own name stays what it is
    expect(page.locator(".about")).to_contain_text(
        "Connect four · endless · 10 s + 0.1 s · running"
    )
    expect(page.locator(".about")).to_contain_text("Moving first is worth +31 ± 12 Elo.")
    third = row(page, NAMES[2])
    assert third == third | {
        "rank": "3", "who": NAMES[2], "rating": "498 ± 39", "pairs": "50", "share": "42.5 %",
        "games": "33 – 3 – 64", "forfeits": "2 flag, 1 crash, 1 void", "time": "223 ms",
        "presence": "away",
    }  # fmt: skip
    expect(page.locator(".standings .flag")).to_have_text(
        ["anchor", "anchor", "suspended: a tenth of the last 50 were forfeits", "pinned to 0"]
    )
    expect(page.locator(".standings th.points")).to_be_hidden()
    expect(page.get_by_text("The ratings rest on 128 pairs; house/random@1 is 0.")).to_be_visible()
    expect(page.get_by_text("± is to the field, whose mean is 367")).to_be_visible()
    assert row(page, NAMES[4])["rating"] == "0 ± 88"
    rows = page.locator(".cross tbody tr")
    expect(rows.nth(0).locator("td")).to_have_text(["·", "15½/24", "19/24", "22½/24", "26/24"])
    expect(rows.nth(4).locator("td").nth(3)).to_have_text("8½/24 =")
    expect(rows.nth(1).locator("td").first).to_have_class("less")
    expect(rows.nth(3).locator("th")).to_have_text("4 minimax@1")


def test_a_new_standing_is_shown_and_an_older_one_is_not(page: Page, fake: FakeServer) -> None:
    better = (standing(1, 777.0, points=0.25, points_error=0.1), *state().standings[1:4])
    fake.push(state(901, standings=better))
    cell = page.locator(".standings tbody td.rating").first
    expect(cell).to_have_text("777 ± 27")
    expect(page.locator(".standings tbody tr")).to_have_count(4)
    expect(page.locator(".standings td.points").first).to_have_text("0.25 ± 0.10")
    fake.push(state(899))
    fake.push(state(902, rated=129, standings=better))
    expect(page.get_by_text("rest on 129 pairs")).to_be_visible()
    expect(cell).to_have_text("777 ± 27")


def test_two_players_are_compared_by_pointing_and_by_choosing(page: Page, fake: FakeServer) -> None:
    said, names = page.locator(".compared"), page.locator(".standings button.name")
    expect(said).to_have_text(
        "Choose a player to see how much stronger or weaker it is than each other one."
    )
    assert fake.count("ladder_compare") == 0, "nobody has asked"
    names.nth(0).click()
    expect(names.nth(0)).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".standings th.against")).to_have_text("Than deep@3")
    expect(page.locator(".standings td.against")).to_have_text(
        ["·", "\u221290 ± 31 · 2.9 %", "\u2212104 ± 32 · 2.9 %", "\u2212381 ± 33 · 2.9 %",
         "\u2212602 ± 34 · 2.9 %"]
    )  # fmt: skip
    between = f"{NAMES[0]} is 104 ± 32 Elo stronger than {NAMES[2]}. "
    sure = "The chance that it is the better one (LOS) is 97.1 %."
    page.locator(".standings tbody tr").nth(2).hover()
    expect(said).to_have_text(between + sure)
    page.locator(".about h2").hover()
    expect(said).to_have_text(f"{NAMES[0]}: choose a second one, or point at it.")
    names.nth(2).focus()
    expect(said).to_have_text(between + sure)
    page.keyboard.press("Enter")
    names.nth(4).focus()
    expect(said).to_have_text(between + sure)  # the two that are chosen
    page.keyboard.press("Space")
    expect(said).to_contain_text(f"602 ± 34 Elo stronger than {NAMES[4]}")
    assert fake.count("ladder_compare") == 1, "one answer has all rivals of a player"
    names.nth(0).click()
    expect(page.locator(".standings th.against")).to_have_text("Than random@1")
    page.locator(".cross tbody tr").nth(1).locator("td").nth(2).hover()
    expect(page.locator(".pointed")).to_have_text(f"{NAMES[1]} – {NAMES[2]}: +14 ± 32 · 97.1 %")


def test_two_players_are_compared_by_touch(visit: Visit, server: ServerProcess) -> None:
    page = visit(viewport=PHONE, has_touch=True).page
    FakeServer(page, ladder_status=state(), ladder_history=fake_ladder.history())
    page.goto(f"{server.url}/ladder/{NAME}")
    names = page.locator(".standings button.name")
    names.nth(3).tap()
    names.nth(1).tap()
    expect(page.locator(".compared")).to_contain_text(f"{NAMES[1]} is 292 ± 32 Elo stronger than")
    assert fits(page)
    names.nth(3).tap()
    names.nth(1).tap()
    expect(page.locator(".compared")).to_contain_text("Choose a player")


def test_who_cannot_be_compared_is_marked_and_an_end_told(page: Page, fake: FakeServer) -> None:
    apart = replace(state().standings[3], group=1, suspended=None)
    new = Standing(player="eve/new@1", rank=6)
    fake.push(state(901, standings=(*state().standings[:3], apart, new)))
    expect(page.locator(".flag.warn")).to_have_text("unconnected")
    last = row(page, "eve/new@1")
    assert (last["rank"], last["rating"], last["share"]) == ("–", "–", "")
    tested = Verdict(
        word="undecided", text="undecided", pairs=128, llr=1.2, lower=-2.94, upper=2.94, more=190
    )
    fake.push(state(902, verdict=tested, ladder=fake_ladder.line(state="finished")))
    expect(page.locator(".verdict")).to_have_text(
        "Undecided. About 190 more pairs. (LLR 1.20 between −2.94 and 2.94, 128 pairs; "
        "H0: +0 Elo, H1: +30 Elo, alpha 0.05, beta 0.05, no verdict before 64 pairs)"
    )
    expect(page.locator(".about")).to_contain_text("finished")
    expect(page.locator(".live")).to_be_hidden()


def test_a_page_that_is_seen_again_or_connected_again_is_drawn(
    page: Page, fake: FakeServer
) -> None:
    page.evaluate(HIDE, True)
    fake.push(state(901, rated=555))
    assert page.evaluate("fetch('/healthz').then(response => response.ok)")  # the push came before
    assert not page.get_by_text("rest on 555 pairs").is_visible()
    page.evaluate(HIDE, False)
    expect(page.get_by_text("rest on 555 pairs")).to_be_visible()
    fake.answers["ladder_status"] = state(950, rated=999)
    fake.drop()
    expect(page.get_by_text("rest on 999 pairs")).to_be_visible()
    assert fake.count("ladder_status") == 2


def test_a_ladder_without_pairs_or_unknown_says_so(page: Page, server: ServerProcess) -> None:
    line = fake_ladder.line(pairs=0, players=0, here=0)
    FakeServer(page, ladder_status=LadderState(ladder=line, seq=1))
    page.goto(f"{server.url}/ladder/{NAME}")
    expect(page.locator(".about")).to_contain_text("No pair is over yet.")
    expect(page.locator("code").first).to_have_text(f"plyhouse bot mcts --ladder {NAME}")
    for part in (".recent", ".plot", ".standings"):
        expect(page.locator(part)).to_be_hidden()
    FakeServer(page)
    page.goto(f"{server.url}/ladder/caf%C3%A9")
    expect(page.locator("main").get_by_role("alert")).to_have_text("no such ladder")
    expect(page).to_have_title("café · Plyhouse")


def test_all_ladders_are_listed_or_how_to_open_one(page: Page, server: ServerProcess) -> None:
    winter = {"name": "winter", "game": "backgammon", "format": "roundrobin:8"}
    both = fake_ladder.line(), fake_ladder.line(**winter, state="finished", here=0)
    fake = FakeServer(page, ladder_status=Ladders(ladders=both))
    page.goto(f"{server.url}/ladder")
    expect(page.locator(".list a")).to_have_text([NAME, "winter"])
    expect(page.locator(".list")).to_contain_text("Backgammon · round robin, 8 pairs each")
    assert page.locator(".list a").first.get_attribute("href") == f"/ladder/{NAME}"
    fake.answers["ladder_status"] = Ladders(ladders=())
    page.reload()
    expect(page.locator("#main code")).to_contain_text("plyhouse ladder create")


def test_the_plot_reads_values_off_by_keyboard_and_pointer(page: Page, fake: FakeServer) -> None:
    plot = page.get_by_role("slider", name="Ratings over time")
    expect(plot.locator(".curve")).to_have_count(5)
    assert plot.locator(".curve .bar").count() > 20
    newest = page.locator(".legend li", has_text=NAMES[2]).locator(".reading")
    expect(newest).to_have_text("498 ± 39")
    plot.focus()
    page.keyboard.press("Home")
    expect(newest).to_have_text("not yet here")
    expect(page.locator(".when")).to_contain_text("after 4 pairs")
    page.keyboard.press("ArrowRight")
    assert "after 8 pairs: ann/deep@3" in (plot.get_attribute("aria-valuetext") or "")
    page.keyboard.press("End")
    expect(newest).to_have_text("498 ± 39")
    plot.hover(position={"x": 60, "y": 100})
    expect(newest).to_have_text("not yet here")
    page.locator(".legend button").nth(1).focus()
    expect(plot.locator(".curve.chosen")).to_have_attribute("data-player", NAMES[1])
    page.get_by_label("by pairs").check()
    expect(plot.locator("text.tick").last).to_have_text("128")


def test_pairs_lead_to_their_matches(page: Page, fake: FakeServer) -> None:
    later = pair(131, 0, 1, fake_ladder.leg("20.1", 1), fake_ladder.leg("21.1"))
    live, recent = page.locator(".live tbody tr"), page.locator(".recent tbody tr")
    expect(live.nth(0)).to_contain_text("closest rivals")
    expect(live.nth(0).get_by_role("link")).to_have_text(["Replay", "Watch"])
    watched = live.nth(0).get_by_role(
        "link", name="Watch match 18.1: house/mcts@8-levels against ann"
    )
    assert watched.get_attribute("href") == "/#room=18"
    expect(live.nth(1)).to_contain_text("waits")
    expect(recent.locator(".points")).to_have_text(["1½ : ½", "2 : 0", "void"])
    expect(recent.nth(1)).to_contain_text("flag, 23 plies")
    assert recent.nth(0).get_by_role("link").first.get_attribute("href") == "/match/13.1"
    fake.push(state(901, live=(), recent=(later,)))
    expect(page.get_by_text("No pair is on just now.")).to_be_visible()
    expect(recent.locator("th")).to_have_text(["#131"])
    page.locator(".recent h2").hover()  # what one points at does not move away
    fake.push(state(902, live=()))
    expect(page.locator(".recent .held")).to_be_visible()
    expect(recent.locator("th")).to_have_text(["#131"])
    page.locator(".about h2").hover()
    expect(recent.locator("th").first).to_have_text("#128")
    expect(page.locator(".recent .held")).to_be_hidden()


def test_nothing_is_wider_than_a_phone(visit: Visit, server: ServerProcess) -> None:
    page = visit(viewport=PHONE, color_scheme="dark").page
    FakeServer(page, ladder_status=state(), ladder_history=fake_ladder.history())
    page.goto(f"{server.url}/ladder/{NAME}")
    expect(page.locator(".plot .curve")).to_have_count(5)
    assert fits(page)


def test_an_older_link_to_a_match_leads_to_its_page(visit: Visit, server: ServerProcess) -> None:
    page = visit(forgive="status of 404").page
    FakeServer(page, ladder_status=state(), ladder_history=fake_ladder.history())
    page.goto(f"{server.url}/ladder/{NAME}#match=999.1&ply=4")
    page.wait_for_url(f"{server.url}/match/999.1#ply=4")
    expect(page.locator("main").get_by_role("alert")).to_have_text(
        "There is no finished match of this number, or it is private."
    )


def test_a_ladder_is_german_where_the_browser_is(visit: Visit, server: ServerProcess) -> None:
    page = visit(locale="de-DE", viewport=PHONE).page
    new = replace(state().standings[2], former=True)
    standings = (*state().standings[:2], new, *state().standings[3:])
    FakeServer(page, ladder_status=state(standings=standings), ladder_history=fake_ladder.history())
    page.goto(f"{server.url}/ladder/{NAME}")
    expect(page.locator(".plot .curve")).to_have_count(5)
    expect(page.locator(".about")).to_contain_text("Vier gewinnt · endlos · 10 s + 0,1 s · läuft")
    third = row(page, NAMES[2])
    assert third == third | {
        "share": "42,5 %", "forfeits": "2 Zeit, 1 Absturz, 1 ungültig", "presence": "nicht da",
        "who": f"{NAMES[2]}früherer Name",
    }  # fmt: skip
    expect(page.locator("nav")).to_have_text("Lobby Ranglisten")
    expect(page.locator("footer")).to_contain_text("vertauschten Plätzen")
    assert fits(page)


PAIR_MS = 60_000  # for the first pair, on a busy machine
Run = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def run(own_server: ServerProcess, tmp_path: Path) -> Iterator[Run]:
    """Start `plyhouse ... --url` of this server; what still runs at the end is killed."""
    processes: list[subprocess.Popen[bytes]] = []
    keeps = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), str(tmp_path))

    def run(*words: str) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [sys.executable, "-m", "plyhouse", *words, "--url", own_server.url],
            cwd=ROOT, env=os.environ | keeps, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        processes.append(process)
        return process

    yield run
    for process in processes:
        process.kill()
        process.wait(20)


def test_a_ladder_is_followed_watched_and_replayed(
    own_server: ServerProcess, run: Run, visit: Visit
) -> None:
    visitor = visit()
    ladder, lobby = visitor.page, visitor.tab()
    lobby.goto(own_server.url)
    lobby.get_by_role("button", name="Play as a guest").click()
    terms = ("--game", "connect_four", "--clock", "60s+1s", "--siblings")
    opened = run("ladder", "create", "spring", *terms)
    assert opened.wait(60) == 0
    ladder.goto(f"{own_server.url}/ladder/spring")
    expect(ladder.locator(".about")).to_contain_text("Connect four")
    for name in ("ann", "bob"):
        run("bot", "flat", "--as", name, "--ms", "1000", "--at-once", "--ladder", "spring")

    pair = ladder.locator(".live tbody tr", has_text="/ann@")  # they take their time
    watch = pair.get_by_role("link", name="Watch").last
    expect(watch).to_be_visible(timeout=PAIR_MS)
    lobby.goto(own_server.url + (watch.get_attribute("href") or ""))
    expect(lobby.get_by_role("link", name="Ladder spring")).to_be_visible()
    lobby.locator(".brand").click()
    lobby.locator(".ladders a").click()
    expect(lobby).to_have_title("spring · Plyhouse")

    replays = ladder.locator(".recent a")
    expect(replays.first).to_be_visible(timeout=PAIR_MS)
    expect(ladder.locator(".plot .curve").first).to_be_visible()
    assert ladder.locator(".standings tbody tr", has_text="/ann@").count() == 1
    ladder.reload()  # now the history is the server's
    expect(ladder.locator(".plot .curve").first).to_be_visible()
    ladder.locator(".recent h2").hover()  # else the pairs that follow push them down
    replays.first.click()
    expect(ladder.locator(".status.over")).to_be_visible()
    ladder.locator("[data-go=first]").click()
    expect(ladder.locator(".board")).to_have_attribute("data-position", "7/7/7/7/7/7 x")
    ladder.get_by_role("link", name="Ladder spring").click()
    expect(ladder.locator(".standings tbody tr", has_text="/ann@")).to_be_visible()
