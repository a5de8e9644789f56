"""docs/search.md and docs/backgammon.md name functions, tests, files, figures and commands: each is
there, and each command runs.

`file.py: name, Class.name` in backquotes means these functions of that file; a path is from the
root, a bare name is a file of the folders of SOURCES.
"""

from __future__ import annotations

import ast
import re
import shlex
import shutil
import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path

import pytest

import plyhouse
from bots.backgammon import weights
from tests.lab.tracing import pages

ROOT = Path(__file__).parent.parent
PAGES = {n: (ROOT / "docs" / f"{n}.md").read_text("utf-8") for n in ("search", "backgammon")}
SOURCES = {
    "search": ("", "bots/engine/kernels", "bots/reading", "bots/backgammon/kernels"),
    "backgammon": ("", "bots/backgammon/kernels", "lab/training/kernels"),
}
TESTS = {
    "search": ("tests/bots", "tests/lab"),
    "backgammon": ("tests/bots/backgammon", "tests/lab/training"),
}
MENTION = re.compile(r"`([\w/]+\.py): ([\w., ]+)`")
FILE = re.compile(r"`((?:\w+/)*\w+\.(?:py|toml|svg))`")
LINK = re.compile(r"\]\((?!http)([^)#]+)\)")


@cache
def functions(path: Path) -> frozenset[str]:
    """The functions of a file, methods as Class.name."""
    found = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{f.name}" for f in node.body if isinstance(f, ast.FunctionDef)}
    return frozenset(found)


def placed(name: str, page: str = "search") -> Path:
    """The file that a page means."""
    found = [path for place in SOURCES[page] if (path := ROOT / place / name).is_file()]
    found = found or [path for place in TESTS[page] for path in (ROOT / place).rglob(name)]
    assert len(found) == 1, f"{name}: {found}"
    return found[0]


def mentions(page: str) -> list[tuple[str, str]]:
    """(file, function), each once."""
    mentions = MENTION.findall(PAGES[page])
    return sorted({(file, name) for file, names in mentions for name in names.split(", ")})


@pytest.mark.parametrize("page", PAGES)
def test_functions_tests_and_files_that_a_page_names_are_there(page: str) -> None:
    named = mentions(page)
    assert len(named) > 10
    assert [(file, n) for file, n in named if n not in functions(placed(file, page))] == []
    assert all(placed(name, page) for name in FILE.findall(PAGES[page]))
    made = {f"search/{bot}.html" for bot in pages.NODES}  # with the site
    for target in LINK.findall(PAGES[page]):
        assert target in made or (ROOT / "docs" / target).is_file(), target


def test_every_invariant_of_the_tree_has_a_test() -> None:
    part = PAGES["search"].split("## Invariants of the tree")[1].split("\n## ")[0]
    items = re.split(r"^\d+\. ", part, flags=re.MULTILINE)[1:]
    assert len(items) >= 8
    for item in items:
        assert re.search(r"`test_\w+\.py: test_\w+`", item), item


def test_every_test_of_an_invariant_is_named() -> None:
    named = {name for file, name in mentions("search") if file == "test_invariants.py"}
    there = {f for f in functions(placed("test_invariants.py")) if f.startswith("test_")}
    assert there - named == {"test_tic_tac_toe_has_5478_positions"}


# Loops that fill or copy arrays, or compare them, and nothing else.
PLAIN = {"fill", "same", "copy", "tidy"}


@pytest.mark.parametrize(
    "file", ["uct.py", "negamax.py", "flat.py", "expect.py", "four.py", "hybrid.py"]
)
def test_every_loop_of_a_search_is_explained(file: str) -> None:
    tree = ast.parse(placed(file).read_text("utf-8"))
    loops = {
        f.name
        for f in tree.body
        if isinstance(f, ast.FunctionDef)
        and any(isinstance(node, ast.For | ast.While) for node in ast.walk(f))
    }
    table = PAGES["search"].split("## Every loop")[1].split("\n## ")[0]
    found = [names for where, names in MENTION.findall(table) if where == file]
    assert loops - {name for names in found for name in names.split(", ")} <= PLAIN


def texts_of(plot: str) -> list[str]:
    return [text.strip() for text in ET.parse(ROOT / "docs" / plot).getroot().itertext()]


def test_the_plots_are_those_of_the_searches_and_of_the_shipped_nets() -> None:
    assert {"UCT: time", "UCT: memory", "connect four", "backgammon"} <= set(texts_of("search.svg"))
    trained = weights.load().trained
    while not trained["games"]:  # it has refined other nets
        trained = trained["before"]
    games = f"{trained['games_played']:,} games, seed {trained['seed']}"
    assert any(games in text for text in texts_of("backgammon.svg"))


def commands(page: str) -> list[str]:
    fences = re.findall(r"^```sh\n(.*?)^```", PAGES[page], re.MULTILINE | re.DOTALL)
    return [line.split("  #")[0].strip() for line in "".join(fences).splitlines()]


SHORTER = {
    "train": "--games 1 --hidden 2,2,2 --threads 1 --pairs 0 "
    "--lessons 0 --refinements 0 --wide-rounds 0",
    "bench": "--pairs 0",
    "think": "--nodes 20",
}


@pytest.fixture(scope="module")
def small_nets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of nets so small that plain Python learns with them in no time."""
    file = tmp_path_factory.mktemp("nets") / "small.nets"
    words = f"train backgammon {SHORTER['train']} --out"
    assert plyhouse.main([*words.split(), str(file)]) == 0
    return file


@pytest.mark.parametrize("command", [command for page in PAGES for command in commands(page)])
def test_a_command_of_a_page_works(
    command: str,
    small_nets: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """As it stands, but shorter; the files that some of them write are there for the others."""
    monkeypatch.chdir(tmp_path)
    for written in ("short.nets", "three.nets"):
        shutil.copy(small_nets, written)
    words = shlex.split(command)
    assert words[0] == "plyhouse"
    shorter = SHORTER[words[1]]
    if "--from" in words:  # such nets may play one game for a thousand turns
        shorter = shorter.replace("--games 1", "--games 0")
    assert plyhouse.main([*words[1:], *shorter.split()]) == 0
    assert words[1] != "think" or "action" in capsys.readouterr().out
