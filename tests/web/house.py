"""A whole house for a browser: `plyhouse up` as a process, and what a person does on its page."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, expect

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 60.0  # for a server to start, on a slow machine
LISTENING = re.compile(r"listening on http://([\w.\[\]:]+):(\d+)")


class House:
    """A server with its bots, and where its page is."""

    def __init__(self, data: Path, bots: str, port: int = 0) -> None:
        self.data = data
        self.bots = bots
        self.port = port
        self.process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Open the house; a second time on the same port and data."""
        with self.data.with_suffix(".log").open("a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "plyhouse", "up", "--port", str(self.port),
                 "--data", str(self.data), "--bots", self.bots],
                cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True,
            )  # fmt: skip
        watchdog = threading.Timer(PATIENCE_S, self.process.kill)
        watchdog.start()
        try:
            assert self.process.stdout is not None
            for line in self.process.stdout:
                if found := LISTENING.search(line):
                    self.port = int(found[2])
                    return
        finally:
            watchdog.cancel()
        raise AssertionError("the house did not open: " + self.regrets())

    def stop(self) -> None:
        """Close the house as Ctrl-C does."""
        if self.process is None:
            return
        process, self.process = self.process, None
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=20)
        finally:
            process.kill()
            process.communicate()

    def kill(self) -> None:
        """End the server without a word; its bots end when they find that out."""
        assert self.process is not None
        process, self.process = self.process, None
        process.kill()
        process.communicate()

    def regrets(self) -> str:
        """What the server has said on its standard error."""
        return self.data.with_suffix(".log").read_text(encoding="utf-8")


@contextmanager
def opened(data: Path, bots: str = "random") -> Iterator[House]:
    """A house that is closed afterwards, and regrets nothing."""
    house = House(data, bots)
    try:
        house.start()
        yield house
    finally:
        house.stop()
    assert "Traceback" not in house.regrets()


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
        page.on("console", lambda message: self._heard(message.type, message.text))
        page.on("pageerror", lambda error: self._heard("error", f"page error: {error}"))
        return page

    def _heard(self, kind: str, text: str) -> None:
        forgiven = self._forgive is not None and self._forgive.search(text)
        if kind in ("error", "warning") and not forgiven:
            self.complaints.append(text)


def come_in(page: Page, url: str, name: str) -> None:
    """Open the page and choose a name."""
    page.goto(url)
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Come in").click()
    expect(page.locator("#me .name")).to_have_text(name)


def sit_down(page: Page, game: str, bot: str | None = "house/random", **choices: str) -> None:
    """Open a table from the lobby; `choices` are those of its form, by id, such as seat="1"."""
    page.locator(f"[data-game={game}]").first.click()
    page.locator("#rival").select_option(bot or "")
    for name, value in choices.items():
        page.locator(f"#{name}").select_option(value)
    page.locator(".opening button.primary").click()
    expect(page.locator(".player").first).to_be_visible()


def await_turn(page: Page) -> bool:
    """Wait until it is this person's turn (True) or the match is over (False)."""
    page.locator(".status:is(.yours, .over)").wait_for()
    return page.locator(".status.yours").count() > 0
