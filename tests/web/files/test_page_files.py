"""The page's files as they lie there: all of them are served, and they need nobody else's."""

from __future__ import annotations

import json
import re
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import aiohttp
import pytest

from games import registry
from server.net.http.files import KINDS, Site
from server.net.http.minify import MINIFIED, minify
from server.net.http.scripts import EXPORT, IMPORT
from tests.support import icons
from tests.support.live_server import live_server

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "client" / "web"
SOURCES = sorted(path for path in PAGE.rglob("*") if path.is_file())
FILES = [path for path in SOURCES if not path.name.endswith(".d.ts")]  # types are not served
MODULES = [path for path in FILES if path.suffix == ".js"]
IMPORTED = re.compile(
    r"""^import[^;]*?["']([^"']+)["'];|\bimport\(["']([^"']+)["']""", re.MULTILINE
)
MAX_BYTES = 150_000  # of one page, compressed
DOOR_BYTES, DOOR_FILES = 46_000, 4  # of what the door waits for: its page, style sheet and scripts
STUDY_BYTES = 25_000  # of the analysis board's own
VERSIONED = re.compile(r'"(/[\w./-]+)\?v=')
LINKED = re.compile(r"""(?:src|href)="([^"]+)\"""")
ELSEWHERE = re.compile(r"https?://|(?<![:\w])//\w+\.\w|@import\s+[\"'u]|url\(")
NAMESPACE = "http://www.w3.org/2000/svg"  # a name, which nobody fetches
WRITES_HTML = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(")


def name(path: Path) -> str:
    return path.relative_to(PAGE).as_posix()


def imports(path: Path) -> list[str]:
    """What a module imports, at once or later, which stands beside it."""
    found = [first or later for first, later in IMPORTED.findall(path.read_text("utf-8"))]
    assert all(each.startswith(".") for each in found), path
    return found


def reached(path: Path) -> set[Path]:
    """A module and all that it imports, and those import."""
    found, left = set[Path](), {path}
    while left:
        found |= left
        left = {(m.parent / each).resolve() for m in left for each in imports(m)} - found
    return found


def test_a_module_that_says_no_dom_comes_to_none() -> None:
    """But that the chosen language and colours stand on the root from the first moment on."""
    root = {PAGE / "texts" / "words.js", PAGE / "library" / "settings.js"}
    say_so = [path for path in MODULES if "No DOM" in path.read_text("utf-8")]
    assert len(say_so) > 10
    touches = re.compile(r"\bdocument(?:\.|;)")
    touching = {path for path in MODULES if touches.search(path.read_text("utf-8"))} - root
    assert {name(path): names for path in say_so if (names := reached(path) & touching)} == {}


def is_the_same(sent: bytes, path: Path) -> bool:
    """Whether a file was sent as it is but for comments and indentation, each line in its place."""
    source = path.read_bytes()
    if path.suffix not in MINIFIED:
        return sent == source
    lines = zip(sent.split(b"\n"), source.split(b"\n"), strict=True)
    return all(is_part(line, whole) for line, whole in lines)


def is_part(line: bytes, whole: bytes) -> bool:
    """Whether a line is a longer one with something left out."""
    rest = iter(whole)
    return all(byte in rest for byte in line)


@pytest.mark.socket
async def test_every_file_of_the_page_is_served(tmp_path: Path) -> None:
    async with (
        live_server(tmp_path, PAGE) as running,
        aiohttp.ClientSession(running.url) as session,
    ):
        for path in FILES:
            async with session.get(f"/{name(path)}") as response:
                assert response.status == 200
                assert response.headers["Content-Type"] == KINDS[path.suffix]
                if path.suffix != ".html":  # those are written anew: see tests/server/net/http
                    assert is_the_same(await response.read(), path)
        for address, named in (("/", "index"), ("/ladder/spring", "ladder")):
            async with session.get(address) as response, session.get(f"/{named}.html") as file:
                assert await response.read() == await file.read()


@pytest.fixture(scope="module")
def site() -> Site:
    return Site(PAGE)


def test_the_door_waits_for_little(site: Site) -> None:
    for language, document in site.documents["/index.html"].items():
        html = document.body.decode()
        hurried = re.findall(r'rel="(?:stylesheet|modulepreload)" href="([^"?]+)[^"]*">', html)
        assert {"/scripts/index.js", f"/texts/{language}.js", "/styles/index.css"} == set(hurried)
        files = [document, *map(site.files.__getitem__, hurried)]
        assert len(files) <= DOOR_FILES, hurried
        assert sum(len(file.packed or file.body) for file in files) < DOOR_BYTES, hurried


def test_each_page_is_small_with_all_that_it_can_ever_load(site: Site) -> None:
    assert {"/index.html", "/match.html", "/person.html", "/ladder.html", "/admin.html"} < set(
        site.documents
    )
    assert len(site.languages) > 1
    for path, languages in site.documents.items():
        for language, document in languages.items():
            needed = set(VERSIONED.findall(document.body.decode())) & site.files.keys()
            linked = LINKED.findall((PAGE / path[1:]).read_text("utf-8"))
            needed -= {link for link in linked if link.endswith(".css")}  # these come as one
            of_others = re.compile(rf"/texts/(\w+/)?(?!{language}\b)[a-z]{{2,3}}\.js")
            needed = {file for file in needed if not of_others.fullmatch(file)}
            assert any(file.endswith(f"/{language}.js") for file in needed)
            sizes = [len(file.packed or file.body) for file in map(site.files.__getitem__, needed)]
            total = sum(sizes) + len(document.packed or document.body)
            assert total < MAX_BYTES, (path, language)


def test_the_modules_of_each_page_come_together(site: Site) -> None:
    for path, languages in site.documents.items():
        html = languages["en"].body.decode()
        script = re.findall(r'<script type="module" src="(/[^"?]+)', html)[0]
        assert script == f"/scripts{path.removesuffix('.html')}.js"
        assert f'"/texts/words.js":"{script}?v=' in html
    assert (
        '"/table/table.js":"/scripts/index.later.js?v='
        in site.documents["/index.html"]["en"].body.decode()
    )


def test_what_is_imported_is_exported_in_a_form_that_scripts_are_united_of() -> None:
    """And none asks for its own address, which is another in a script of several."""
    exported = {path: EXPORT.findall(minify(".js", path.read_text("utf-8"))) for path in MODULES}
    for path in MODULES:
        text = minify(".js", path.read_text("utf-8"))
        assert not re.search(r"import\.meta\.(?!resolve\([\"'`]/)", text), path
        for names, _, address in IMPORT.findall(text):
            wanted = {name.split(" as ")[0].strip() for name in names.split(",")} - {""}
            other = (path.parent / address).resolve()
            assert wanted <= set(exported[other]) or "boards" in path.parts, (path, address)


def test_the_analysis_board_adds_little_and_only_where_it_is_wanted(site: Site) -> None:
    def own(page: str) -> list[str]:
        modules = re.findall(r'"(/[\w./-]+)":"', site.documents[page]["en"].body.decode())
        return sorted(file for file in modules if "/study/" in file)

    files = map(site.files.__getitem__, own("/board.html"))
    assert sum(len(file.packed or file.body) for file in files) < STUDY_BYTES
    assert own("/index.html") == []


def test_icons_are_drawn_of_the_one_that_is_written() -> None:
    for icon, picture in icons.pictures().items():
        committed = (icons.ICONS / icon).read_bytes()
        if icon.endswith(".png"):
            assert icons.pixels_of(committed) == icons.pixels_of(picture)
        else:
            assert committed[:6] == picture[:6]
    manifest = json.loads((PAGE / "manifest.webmanifest").read_text())
    for each in manifest["icons"]:
        assert (PAGE / each["src"].lstrip("/")).is_file()


@pytest.mark.parametrize(
    "page",
    [path.name for path in sorted(PAGE.glob("*.html"))],
)
def test_what_a_page_links_to_is_there_and_no_file_lies_in_its_way(page: str) -> None:
    assert [path for path in FILES if name(path).startswith("ladder/")] == []
    served = {
        "/",
        "/board",
        "/imported",
        "/healthz",
        "/ladder",
        "/metrics",
        *(f"/{name(path)}" for path in FILES),
    }
    for link in LINKED.findall((PAGE / page).read_text("utf-8")):
        assert not link or link.startswith("#") or link in served, link


def test_nothing_comes_from_elsewhere_and_text_of_others_cannot_become_html() -> None:
    for path in FILES:
        text = path.read_text("utf-8", "replace").replace(NAMESPACE, "")
        assert ELSEWHERE.search(text) is None, path
        if path in MODULES:
            assert WRITES_HTML.search(text) is None, path
            assert text.startswith("/*"), f"{path} does not say what it is"


def test_type_has_four_sizes_but_in_drawings() -> None:
    tokens = {"small": ".875rem", "text": "1rem", "large": "1.25rem", "huge": "1.75rem"}
    style = (PAGE / "page" / "style.css").read_text("utf-8")
    for name, size in tokens.items():
        assert f"--{name}: {size};" in style
    token = rf"var\(--({'|'.join(tokens)})\)"
    allowed = re.compile(
        rf"font-size: ({token}|inherit)$|font: (\d+ )?({token}(/[\d.]+(rem)?)? |inherit)"
    )
    for path in (path for path in FILES if path.suffix == ".css"):
        for rule in re.findall(r"([^{}]*)\{([^{}]*)\}", path.read_text("utf-8")):
            is_drawn = re.search(r"text|\.many|\.drawn|\.number|\.digits|\.tick|svg", rule[0])
            for font in re.findall(r"font(?:-size)?: [^;]+", rule[1]):
                assert is_drawn or allowed.match(font.strip()), (path.name, font)


def test_every_game_of_the_house_has_a_board_and_a_style_sheet() -> None:
    registered = (PAGE / "boards" / "registry.js").read_text("utf-8")
    boards = dict(
        re.findall(r'^  (\w+): \(\) => import\("\./([\w/]+)\.js"\)', registered, re.MULTILINE)
    )
    ours = {game for game in registry.names() if (ROOT / "games" / f"{game}.py").is_file()}
    ours |= {game for game in registry.names() if (ROOT / "games" / game).is_dir()}
    assert boards == {game: "cube/board" if game == "backgammon_cube" else game for game in ours}
    assert {PAGE / "boards" / f"{board}.css" for board in boards.values()} <= set(FILES)
    assert {PAGE / "boards" / f"{board}.js" for board in boards.values()} <= set(FILES)


def test_modules_import_each_other_in_no_ring_and_folders_are_small() -> None:
    needs = {path: [(path.parent / named).resolve() for named in imports(path)] for path in MODULES}
    assert set().union(*needs.values()) <= set(MODULES)  # nobody else's
    TopologicalSorter(needs).prepare()  # fails with the ring
    folders = Counter(path.parent for path in SOURCES)
    assert {name(folder): count for folder, count in folders.items() if count > 14} == {}
