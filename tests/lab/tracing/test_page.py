"""The page of a search in a browser: it steps, unfolds, and shows what the search did."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from bots.bot import Budget
from bots.online.entry import make_entry
from games import registry as games
from lab.tracing.choice import AnalysedChoice, choose
from lab.tracing.page_file import DRAWN, write_page
from lab.tracing.trace import record
from tests.web.conftest import browser  # noqa: F401  # a fixture

pytestmark = pytest.mark.browser

AXE = Path(__file__).parents[2] / "web/checks/node_modules/axe-core/axe.min.js"
SIZES = ((360, 640), (844, 390), (1280, 800), (1920, 1080))


def analysed(bot: str, game: str, actions: str, nodes: int) -> AnalysedChoice:
    position = games.game(game).initial()
    for action in actions.split():
        position = position.apply(position.read(action))
    return choose(position, make_entry(bot, seed=7, only=(game,)), Budget(nodes=nodes))


def write(choice: AnalysedChoice, file: Path, *, drawn: bool = False) -> str:
    write_page(record(choice, drawn=drawn), file)
    return file.as_uri()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:  # noqa: F811
    """A tab that asks for nothing but the file, and complains of nothing."""
    complaints: list[str] = []
    asked: list[str] = []
    with browser.new_context(reduced_motion="reduce") as context:
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: asked.append(request.url))
        yield page
    assert not complaints
    assert all(url.startswith(("file:", "data:")) for url in asked)


def of_root(page: Page) -> dict[str, int]:
    """The visits of the root's children, as their cards say them."""
    cards = page.locator('[role="treeitem"][aria-level="2"] .spoken').all_inner_texts()
    told = [re.match(r"(\S+), (\d+) visits", card) for card in cards]
    return {card[1]: int(card[2]) for card in told if card}


def test_the_tree_grows_step_by_step_to_the_one_that_chose(page: Page, tmp_path: Path) -> None:
    choice = analysed("mcts", "tic_tac_toe", "5 1", 90)
    page.goto(write(choice, tmp_path / "tree.html"))
    sentence, phase = page.locator("#sentence"), page.locator("#phases .on")
    expect(sentence).to_contain_text("X is to move at the root")
    seen = []
    for _ in range(11):
        page.keyboard.press("ArrowRight")
        seen.append(phase.inner_text())
    assert seen[:5] == ["Playout", "Backup", "Expansion", "Playout", "Backup"]
    simulations = int(page.get_by_label("Go to simulation").input_value())
    assert sum(of_root(page).values()) == simulations - 1  # the first was the root's own
    page.keyboard.press("ArrowLeft")
    expect(phase).to_have_text(seen[-2])
    page.keyboard.press("End")
    assert of_root(page) == {
        choice.position.game.format_action(choice.position, c.action): c.visits
        for c in choice.candidates
    }
    expect(sentence).to_contain_text("mcts plays")
    page.get_by_label("Go to simulation").fill("40")
    page.get_by_label("Go to simulation").press("Enter")
    expect(phase).to_have_text("Backup")
    assert sum(of_root(page).values()) == 39


def test_every_selection_goes_where_the_bound_is_highest(page: Page, tmp_path: Path) -> None:
    page.goto(write(analysed("mcts", "connect_four", "", 60), tmp_path / "tree.html"))
    compared = 0
    for _ in range(230):
        page.keyboard.press("ArrowRight")
        if page.locator("#phases .on").inner_text() != "Selection":
            continue
        rows = page.locator("#detail tbody tr").evaluate_all(
            """rows => rows.map(row => [row.className, row.children[4].textContent])"""
        )
        bounds = [float(text.replace("∞", "inf").replace("−", "-")) for _, text in rows]
        (chosen,) = [bound for (look, _), bound in zip(rows, bounds, strict=True) if look]
        assert chosen == max(bounds)
        compared += 1
    assert compared > 30


def test_a_node_unfolds_by_click_and_by_key_and_shows_its_board(page: Page, tmp_path: Path) -> None:
    page.goto(write(analysed("mcts", "tic_tac_toe", "", 150), tmp_path / "tree.html") + "#149")
    cards = page.locator('[role="treeitem"]')
    folded = page.locator('[role="treeitem"][aria-level="2"][aria-expanded="false"]')
    before = cards.count()
    folded.first.click()
    expect(page.locator("#detail h2")).to_contain_text("After")
    assert cards.count() > before
    page.keyboard.press("ArrowLeft")
    expect(cards).to_have_count(before)
    page.keyboard.press("Enter")
    assert cards.count() > before
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator("#detail .board svg")).to_be_visible()
    page.get_by_text("Back to this step").click()
    expect(page.locator("#phases .on")).to_have_text("Backup")


def test_it_plays_pauses_and_ends_with_the_answer(page: Page, tmp_path: Path) -> None:
    page.goto(write(analysed("mcts", "tic_tac_toe", "", 40), tmp_path / "tree.html"))
    page.get_by_label("Speed").select_option("rush")
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#sentence")).to_contain_text("mcts plays")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("button", name="Pause").click()
    at = page.get_by_label("Go to simulation").input_value()
    assert int(at) < 40


def test_alpha_beta_shows_windows_cuts_and_the_table(page: Page, tmp_path: Path) -> None:
    choice = analysed("minimax", "tic_tac_toe", "5 1", 3_000)
    page.goto(write(choice, tmp_path / "tree.html"))
    depths = page.locator(".chapter")
    assert depths.count() == 7
    depths.nth(4).click()
    expect(page.locator("#sentence")).to_contain_text("looks 5 decisions ahead")
    seen: set[str] = set()
    for _ in range(160):
        page.keyboard.press("ArrowRight")
        seen.update(page.locator("#phases .on").all_inner_texts())
        if "Cut-off" in seen and page.locator(".card.pruned").count():
            break
    assert {"Down", "Value", "Cut-off", "Up"} <= seen
    expect(page.locator(".card.pruned").first).to_be_visible()
    expect(page.locator(".window-of .alpha").first).to_contain_text("α")
    page.keyboard.press("End")
    expect(page.locator("#sentence")).to_contain_text("minimax plays")
    page.keyboard.press("Home")
    expect(page.locator("#sentence")).to_contain_text("All values are X's")


@pytest.mark.parametrize(
    ("bot", "game", "actions"),
    [
        ("mcts", "backgammon", "31"),
        ("minimax", "backgammon", "31"),
        ("flat", "connect_four", ""),
        ("mcts", "ultimate_tic_tac_toe", ""),
        ("mcts", "tic_tac_toe", "5"),
    ],
)
def test_every_frame_fits_at_every_size(
    page: Page, tmp_path: Path, bot: str, game: str, actions: str
) -> None:
    drawn = game == "tic_tac_toe"  # as a game that the page has no pictures of
    page.goto(write(analysed(bot, game, actions, 120), tmp_path / "tree.html", drawn=drawn))
    assert game in DRAWN
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        for key in ("Home", *["ArrowRight"] * 9, "End", *["ArrowLeft"] * 4):
            page.keyboard.press(key)
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= width, f"{width} x {height}, {key}"
    if drawn:
        expect(page.locator("#detail .text-board").first).to_be_visible()
    if game == "backgammon":
        page.keyboard.press("End")
        assert page.locator(".card.mover-dice").count() > 0


@pytest.mark.skipif(not AXE.is_file(), reason="npm ci in tests/web/checks brings axe-core")
@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("bot", ["mcts", "minimax"])
def test_axe_finds_nothing(page: Page, tmp_path: Path, bot: str, colours: str) -> None:
    page.emulate_media(color_scheme="dark" if colours == "dark" else "light")
    page.goto(write(analysed(bot, "tic_tac_toe", "5 1", 200), tmp_path / "tree.html"))
    page.add_script_tag(path=AXE)
    for key in ("Home", *["PageDown"] * 3, *["ArrowRight"] * 6, "End"):
        page.keyboard.press(key)
        assert not page.evaluate(
            """async () => (await axe.run()).violations.map(({ id, nodes }) =>
                [id, nodes.slice(0, 3).map(({ html }) => html)])"""
        )
    page.get_by_role("button", name="Keys and signs").click()
    assert not page.evaluate("async () => (await axe.run()).violations.map(({ id }) => id)")
