"""Browsers for the tests of the page, and the server that they visit.

`server` is one for a module, with three bots; `visit` makes browsers that share
nothing; `page` is a tab of one of them.  A test fails if a page writes an error or a warning to
the console, or throws.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from lab.arena.local_server import ServerProcess
from tests.web.visitor import Visitor, opened

FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
PATIENCE_MS = 15_000  # for anything that a test waits for; on a busy machine

Visit = Callable[..., Visitor]
Evaluate = Callable[..., Any]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """The system's Chromium; ended with the module, for no asyncio test can run beside it."""
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    assert path, "these tests need Chromium: apt-get install chromium"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        expect.set_options(timeout=PATIENCE_MS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server for a module, whose tests keep out of each other's way by names and rooms.

    Not for all: matches that a test leaves unfinished keep a bot, and it has sixteen slots.
    """
    with opened(tmp_path_factory.mktemp("server") / "data", "random,mcts,gammon") as server:
        yield server


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[ServerProcess]:
    """A server for one test alone, which may end it and start it again.

    A test names it before `visit`: then its visitors are gone before it ends.
    """
    with opened(tmp_path / "data") as server:
        yield server


@pytest.fixture(scope="module")
def evaluate(browser: Browser, server: ServerProcess) -> Iterator[Evaluate]:
    """Run JavaScript on a page that imports modules of the server's and keeps nothing."""
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(server.url)
        yield page.evaluate


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """Bring in people: `visit()` has a browser of its own.

    `forgive` is a pattern of console errors that the test causes; other arguments are those of a
    Playwright context, such as viewport.
    """
    visitors: list[Visitor] = []

    def visit(forgive: str | None = None, **context: Any) -> Visitor:
        own = browser.new_context(**context)
        own.set_default_timeout(PATIENCE_MS)
        visitors.append(Visitor(own, forgive))
        return visitors[-1]

    yield visit
    for visitor in visitors:
        visitor.context.close()
    assert [text for visitor in visitors for text in visitor.complaints] == []


@pytest.fixture
def page(visit: Visit) -> Page:
    """A tab of a browser that has never been here."""
    return visit().page
