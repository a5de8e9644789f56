"""The docs as a site: built strictly, complete, and asking nobody for anything; and what stands in
a fence of any page is run by a test.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[1]
RUN = frozenset({"sh", "python", "json", "js", "go", "rust", "c"})  # kinds of fences
TESTS = {  # pages with such fences, and the test that runs them
    "README.md": "test_readme.py",
    "docs/play.md": "test_readme.py",
    "docs/bots.md": "test_readme.py",
    "docs/ladder.md": "test_readme.py",
    "docs/speed.md": "test_readme.py",
    "CONTRIBUTING.md": "test_site.py",
    "protocol/SPEC.md": "protocol/test_spec.py",
    "docs/search.md": "test_pages.py",
    "docs/backgammon.md": "test_pages.py",
    "docs/hosting.md": "test_hosting.py",
    "docs/new-game.md": "test_new_game.py",
    "docs/reference/": "protocol/test_spec.py",
}
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "protocol" / "SPEC.md"]


def test_every_fence_of_every_page_is_run_by_a_test_that_names_the_page() -> None:
    """A new page names its test in TESTS, or the test's text names the page."""
    texts = "".join(test.read_text("utf-8") for test in (ROOT / "tests").rglob("test_*.py"))
    left = []
    for page in PAGES:
        path = page.relative_to(ROOT).as_posix()
        kinds = set(re.findall(r"^```(\w+)$", page.read_text("utf-8"), re.MULTILINE)) & RUN
        tests = [test for start, test in TESTS.items() if path.startswith(start)]
        if kinds and not any((ROOT / "tests" / test).is_file() for test in tests):
            # such as docs/bots/engine.md, or docs/bots
            names = (f'"{page.name}"', path, f'"{page.parent.name}"')
            if not any(name in texts for name in names):
                left.append(path)
    assert left == []


def test_commands_of_contributing_are_targets_of_make_or_files_that_are_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.findall(r"\bmake (\w+)", text))
    assert {"test", "lint", "types", "lock"} <= targets
    assert all(f"\n{target}:" in makefile for target in targets)
    for module in re.findall(r"python -m ([\w.]+)", text):
        file = ROOT / module.replace(".", "/")
        assert file.with_suffix(".py").is_file() or (file / "__main__.py").is_file()
    for path in re.findall(r"`((?!build/)(?:[\w.]+/)+[\w.]*)`", text):  # that is made
        assert (ROOT / path).exists(), path
    assert len(text.split()) < 700, "it is to be one page"


class Links(HTMLParser):
    """What a page asks for, and what it leads to."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []
        self.leads: list[str] = []
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if "id" in values:
            self.ids.add(values["id"])
        if tag == "a" and "href" in values:
            self.leads.append(values["href"])
        elif tag == "link" and values.get("rel") not in ("canonical", "prev", "next"):
            self.asked.append(values.get("href", ""))
        elif "src" in values:
            self.asked.append(values["src"])


def links(page: Path) -> Links:
    parser = Links()
    parser.feed(page.read_text("utf-8"))
    return parser


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site as `make docs` builds it."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT, check=False, capture_output=True, text=True,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_the_site_has_all_pages_and_a_search_of_its_own(site: Path) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text("utf-8"))
    places = {entry["location"].split("#")[0] for entry in index["docs"]}
    texts = [page.relative_to(ROOT / "docs") for page in (ROOT / "docs").rglob("*.md")]
    assert {text.with_suffix(".html").as_posix() for text in texts} <= places
    wanted = "index play hosting bots ladder speed new-game protocol contributing changes"
    assert {f"{name}.html" for name in wanted.split()} <= places
    headings = re.findall(r"^## (.+)$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)
    titles = {entry["title"] for entry in index["docs"]}
    assert set(headings) <= titles


@pytest.mark.slow
def test_a_page_of_the_site_asks_nobody_else_for_anything(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 25
    for page in pages:
        elsewhere = [a for a in links(page).asked if urlsplit(a).scheme not in ("", "data")]
        assert elsewhere == [], page
    sheets = "".join(sheet.read_text("utf-8") for sheet in site.rglob("*.css"))
    assert not re.search(r"url\(['\"]?(?:https?:)?//", sheets)
    assert not re.search(r"@import", sheets)


@pytest.mark.slow
def test_every_link_of_the_site_leads_somewhere(site: Path) -> None:
    pages = {page: links(page) for page in site.rglob("*.html") if page.name != "404.html"}
    for page, found in pages.items():
        for address in found.leads:
            parts = urlsplit(address)
            if parts.scheme:
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            target = target / "index.html" if target.is_dir() else target
            assert target.is_file(), f"{page.relative_to(site)}: {address}"
            if parts.fragment and target in pages and "search" not in target.parts:
                assert unquote(parts.fragment) in pages[target].ids | {"__top"}, address


@pytest.mark.browser
def test_a_reader_finds_a_page_by_its_words(site: Path) -> None:
    from functools import partial
    from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
    from shutil import which
    from threading import Thread

    from playwright.sync_api import expect, sync_playwright

    handler = partial(SimpleHTTPRequestHandler, directory=str(site))
    asked: list[str] = []
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_address[1]}/"
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=which("chromium"), args=["--no-sandbox", "--disable-gpu"]
            )
            page = browser.new_page()
            page.on("request", lambda request: asked.append(request.url))
            page.goto(address + "index.html")
            # By keys: after the index is there, the page listens to nothing else.
            page.locator(".md-search__input").first.press_sequentially("breakthrough")
            expect(page.locator(".md-search-result__link").first).to_contain_text("half an hour")
            page.locator(".md-search-result__link").first.click()
            expect(page.locator("h1").first).to_contain_text("A game in half an hour")
            browser.close()
        server.shutdown()
    assert all(url.startswith((address, "blob:", "data:")) for url in asked)
