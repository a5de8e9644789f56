"""The page's files as they lie there: all of them are served, and they need nobody else's."""

from __future__ import annotations

import re
from pathlib import Path

import aiohttp
import pytest

from games import registry
from tests.server.live import live

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "client" / "web"
FILES = sorted(path for path in PAGE.rglob("*") if path.is_file())
MODULES = [path for path in FILES if path.suffix == ".js"]
KINDS = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
NAMED = re.compile(r"""(?:\bfrom|\bimport|\bimport\(|file:)\s*["']([^"']+)["']""")
LINKED = re.compile(r"""(?:src|href)="([^"]+)\"""")
ELSEWHERE = re.compile(r"https?://|(?<![:\w])//\w+\.\w|@import|url\(")
NAMESPACE = "http://www.w3.org/2000/svg"  # a name, which nobody fetches
WRITES_HTML = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(")


def name(path: Path) -> str:
    return path.relative_to(PAGE).as_posix()


@pytest.mark.socket
async def test_every_file_of_the_page_is_served(tmp_path: Path) -> None:
    async with live(tmp_path, PAGE) as house, aiohttp.ClientSession(house.url) as session:
        for path in FILES:
            async with session.get(f"/{name(path)}") as response:
                assert response.status == 200
                assert response.headers["Content-Type"] == KINDS[path.suffix]
                assert await response.read() == path.read_bytes()
        async with session.get("/") as response:
            assert await response.read() == (PAGE / "index.html").read_bytes()
        async with session.get("/ladder/spring") as response:
            assert await response.read() == (PAGE / "ladder.html").read_bytes()


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_every_module_that_is_imported_is_there(path: Path) -> None:
    for found in NAMED.findall(path.read_text("utf-8")):
        assert found.startswith("."), f"{found} is nobody's module here"
        assert (path.parent / found).resolve() in MODULES, found


@pytest.mark.parametrize("page", ["index.html", "ladder.html"])
def test_what_a_page_links_to_is_there(page: str) -> None:
    served = {"/", "/healthz", "/ladder", "/metrics", *(f"/{name(path)}" for path in FILES)}
    for link in LINKED.findall((PAGE / page).read_text("utf-8")):
        assert link.startswith("#") or link in served, link


def test_no_file_lies_where_a_ladder_s_page_is() -> None:
    assert [path for path in FILES if name(path).startswith("ladder/")] == []


@pytest.mark.parametrize("path", FILES, ids=name)
def test_nothing_comes_from_elsewhere(path: Path) -> None:
    text = path.read_text("utf-8").replace(NAMESPACE, "")
    assert ELSEWHERE.search(text) is None


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_text_of_others_cannot_become_html(path: Path) -> None:
    assert WRITES_HTML.search(path.read_text("utf-8")) is None


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_every_module_says_what_it_is(path: Path) -> None:
    assert path.read_text("utf-8").startswith("/*")


def test_every_game_of_the_house_has_a_board() -> None:
    chosen = (PAGE / "boards" / "chosen.js").read_text("utf-8")
    boards = dict(re.findall(r'^  (\w+): \{ file: "\./(\w+\.js)"', chosen, re.MULTILINE))
    ours = {game for game in registry.names() if (ROOT / "games" / f"{game}.py").is_file()}
    ours |= {game for game in registry.names() if (ROOT / "games" / game).is_dir()}
    assert ours <= boards.keys()
    assert all((PAGE / "boards" / file).is_file() for file in boards.values())
