"""docs/house.md is held against the house: its folders, its floors, and the way of one move.

After folders have come, gone or moved, `python -m tests.test_map` writes the tree anew: a package's
line is the first sentence of its docstring, and any other folder's is written by hand.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import FrameType

import pytest

from protocol import codec
from tests.server.scene import Scene
from tests.test_house import PRODUCT, files, outline, read

ROOT = Path(__file__).parents[1]
HOUSE = ROOT / "docs" / "house.md"
PAGES = [HOUSE, ROOT / "docs" / "glossary.md", *sorted((ROOT / "docs" / "ideas").glob("*.md"))]
PLACE = re.compile(r"`((?:\w+/)+(?:\w+\.(?:py|js|css|md|toml))?)`")
NAMED = re.compile(r"`(\w+)` (?:of|in) `((?:\w+/)*\w+\.py)`")
TREE = re.compile(r"^```tree\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"^(?P<indent> *)(?P<name>\S+)(?: +(?P<about>\S.*))?$")


def fence(kind: str) -> list[str]:
    """The lines of the page's fence of one kind."""
    found = re.search(
        rf"^```{kind}\n(.*?)^```$", HOUSE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    assert found is not None, f"docs/house.md has no ```{kind}"
    return found[1].splitlines()


def floors() -> list[list[str]]:
    """The names on each floor, from the roof down."""
    return [re.findall(r"(\w+)(?:/|\.py)", line[:28]) for line in fence("floors")]


def folders() -> list[str]:
    """Every folder of the product in the tree's order, each with a slash behind it."""
    tops = (ROOT / name for name in reversed([name for floor in floors() for name in floor]))
    return [place for top in tops if top.is_dir() for place in below(top)]


def below(folder: Path) -> list[str]:
    """A folder and those in it; none that holds nothing but what Python has compiled."""
    sources = (p for p in folder.rglob("[!_.]*") if p.is_file() and p.suffix != ".pyc")
    if folder.name.startswith(("_", ".")) or next(sources, None) is None:
        return []
    inside = sorted(path for path in folder.iterdir() if path.is_dir())
    return [f"{folder.relative_to(ROOT).as_posix()}/", *(p for f in inside for p in below(f))]


def mapped() -> dict[str, str]:
    """What the tree of the page says of each folder."""
    parents: list[str] = []
    places: dict[str, str] = {}
    for line in fence("tree"):
        parts = LINE.match(line)
        assert parts is not None, f"{line!r} is no line of a tree"
        del parents[len(parts["indent"]) // 2 :]
        parents.append(parts["name"])
        places["".join(parents)] = parts["about"] or ""
    return places


def says(folder: str) -> str | None:
    """The first sentence of a package's docstring, None of a folder that is none."""
    file = ROOT / folder / "__init__.py"
    if not file.is_file():
        return None
    text = " ".join((ast.get_docstring(ast.parse(file.read_text("utf-8"))) or "").split())
    return re.split(r"(?<=\.)\s", text)[0].rstrip(".")


def test_the_tree_has_each_folder_in_its_order_and_what_the_folder_says_of_itself() -> None:
    tree = mapped()
    assert list(tree) == folders()
    assert {path: about for path, about in tree.items() if says(path) not in (about, None)} == {}
    assert [path for path, about in tree.items() if len(about) < 8] == []
    assert [line for line in fence("tree") if len(line) > 130] == []


def test_no_import_leads_to_its_own_floor_or_up() -> None:
    level = {name: -height for height, names in enumerate(floors()) for name in names}
    left = [
        f"{path}:{item.line}: {item.name}"
        for path in files(*PRODUCT)
        for item in outline(read(path)).imports
        if (top := item.name.partition(".")[0]) in level
        and (here := re.split(r"\W", path)[0]) != top
        and level[top] >= level[here]
    ]
    assert left == []
    assert {re.split(r"\W", place)[0] for place in PRODUCT} == set(level)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_places_and_names_of_which_a_page_tells_are_there(page: Path) -> None:
    text = page.read_text("utf-8")
    assert [
        place for place in sorted(set(PLACE.findall(text))) if not (ROOT / place).exists()
    ] == []
    assert [found for found in NAMED.findall(text) if found[0] not in defined(found[1])] == []


@cache
def defined(path: str) -> frozenset[str]:
    """The names that a file gives to functions, classes and values."""
    nodes = list(ast.walk(ast.parse((ROOT / path).read_text("utf-8"))))
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return frozenset(stored | {n.name for n in nodes if isinstance(n, kinds)})


def test_a_move_takes_the_way_that_the_page_tells() -> None:
    """Each step of the page is a call, and they come in this order, of one play.

    Those of the socket and of the disk, between which a Scene has its own, are not walked here.
    The play is made in a process of its own: CPython 3.11 may hang where it profiles a thread that
    took back an interruption, as a test of a game file without an end does.
    """
    steps = [line.split()[1:3] for line in fence("move")]
    assert [step for step in steps if step[1] not in defined(step[0])] == []
    code = "import json; from tests.test_map import calls; print(json.dumps(calls()))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True, timeout=100
    )
    left = iter(json.loads(done.stdout))
    outside = ("server/net/", "server/store/")
    assert [s for s in steps if not s[0].startswith(outside) and s not in left] == []


def calls() -> list[tuple[str, str]]:
    """The file and the function of each call of one play, between socket and disk."""
    scene = Scene()
    match = scene.match()
    data = codec.encode(match.play("5"))
    made: list[tuple[str, str]] = []

    def note(frame: FrameType, *_: object) -> None:
        made.append((frame.f_code.co_filename.removeprefix(f"{ROOT}/"), frame.f_code.co_name))

    sys.setprofile(note)
    try:
        scene.hub.receive(match.ann.peer, data, text=False)
        scene.store.settle()
    finally:
        sys.setprofile(None)
    return made


def test_the_glossary_has_each_word_once_in_the_order_of_the_alphabet() -> None:
    rows = re.findall(
        r"^\| ([^|]+) \|", (ROOT / "docs" / "glossary.md").read_text("utf-8"), re.MULTILINE
    )
    words = [word for word in rows if word not in ("word", "---")]
    assert len(words) > 50
    assert words == sorted(set(words))


def drawn() -> str:
    """The tree as it is now; a folder that says nothing of itself keeps the line that it has."""
    told, lines = mapped(), []
    for path in folders():
        parts = path.rstrip("/").split("/")
        about = says(path) or told.get(path, "?")
        lines.append(f"{'  ' * (len(parts) - 1)}{parts[-1]}/".ljust(26) + f" {about}\n")
    return "".join(lines)


if __name__ == "__main__":
    page = HOUSE.read_text("utf-8")
    HOUSE.write_text(TREE.sub(lambda _: f"```tree\n{drawn()}```", page), "utf-8")
