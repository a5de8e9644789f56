"""A server with its bots for a browser, and what a person does on its page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, expect

from lab.arena.local_server import ServerProcess
from tests.support.serving import serving

ROOT = Path(__file__).resolve().parents[2]
PHONE = {"width": 360, "height": 740}


@contextmanager
def opened(data: Path, bots: str = "random") -> Iterator[ServerProcess]:
    """A server with its bots that is stopped afterwards, and has complained of nothing."""
    with serving(data, command=("up", "--bots", bots)) as server:
        yield server


class Visitor:
    """A person at a browser; complaints of the page are kept, and fail the test."""

    def __init__(self, context: BrowserContext, forgive: str | None = None) -> None:
        self.context = context
        self.complaints: list[str] = []
        self._forgive = re.compile(forgive) if forgive else None
        self.page = self.tab()

    def tab(self) -> Page:
        """One more tab of the same browser."""
        page = self.context.new_page()
        page.on("console", lambda message: self._complain(message.type, message.text))
        page.on("pageerror", lambda error: self._complain("error", f"page error: {error}"))
        return page

    def _complain(self, kind: str, text: str) -> None:
        forgiven = self._forgive is not None and self._forgive.search(text)
        if kind in ("error", "warning") and not forgiven:
            self.complaints.append(text)


def come_in(page: Page, url: str, name: str) -> None:
    """Open the page and choose a name."""
    page.goto(url)
    page.get_by_label("Your name").fill(name)
    page.locator(".sign-in button.primary").click()
    expect(page.locator("#me .name")).to_have_text(name)


def sit_down(page: Page, game: str, bot: str | None = "house/random", **choices: str) -> None:
    """Open a table from the lobby; `choices` are those of its form, by id, such as seat="1"."""
    page.locator(f".new-table [data-game={game}]").first.click()
    if bot is not None:
        page.locator("#rival").select_option(bot)
    for name, value in choices.items():
        page.locator(f"#{name}").select_option(value)
    page.locator(f"[data-way={'bot' if bot else 'table'}]").click()
    expect(page.locator(".player").first).to_be_visible()


def await_turn(page: Page) -> bool:
    """Wait until it is this person's turn (True) or the match is over (False)."""
    page.locator(".status:is(.yours, .over)").wait_for()
    return page.locator(".status.yours").count() > 0


def begin(page: Page, url: str, name: str, game: str, **choices: str) -> None:
    """Come in, and open a table against the bot that plays at random, up to the first turn."""
    come_in(page, url, name)
    sit_down(page, game, **choices)
    assert await_turn(page)


def switch_on(page: Page, *names: str, **choices: str) -> None:
    """Choose these settings before the page comes, as if on an earlier visit."""
    chosen = json.dumps(dict.fromkeys(names, True) | choices)
    page.add_init_script(f"localStorage.setItem('plyhouse.settings', JSON.stringify({chosen}))")


def until(page: Page, condition: str, patience_ms: int = 15_000) -> None:
    """Wait until an expression is true; the page itself may not evaluate text."""
    page.evaluate(
        f"""() => new Promise((resolve, reject) => {{
          const end = performance.now() + {patience_ms};
          const timer = setInterval(() => {{
            const isTrue = {condition};
            if (!isTrue && performance.now() < end) return;
            clearInterval(timer);
            if (isTrue) resolve(); else reject(new Error("this never came true"));
          }}, 10);
        }})"""
    )


def fits(page: Page) -> bool:
    """Whether nothing has to be scrolled sideways."""
    return page.evaluate("document.documentElement.scrollWidth <= window.innerWidth") is True
