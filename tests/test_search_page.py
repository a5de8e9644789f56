"""docs/search.md names functions, tests, files and commands: each is there, and each command runs.

`file.py: name, Class.name` in backquotes means these functions of that file; a path is from the
root, a bare name is a file of bots/search or tests/bots.
"""

from __future__ import annotations

import ast
import re
import shlex
import xml.etree.ElementTree as ET
from functools import cache
from pathlib import Path

import pytest

import plyhouse

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "search.md").read_text("utf-8")
MENTION = re.compile(r"`([\w/]+\.py): ([\w., ]+)`")
FILE = re.compile(r"`((?:\w+/)*\w+\.(?:py|toml|svg))`")
LINK = re.compile(r"\]\((?!http)([^)#]+)\)")
PLACES = ("", "bots/search", "tests/bots")


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


def placed(name: str) -> Path:
    """The file that is meant."""
    found = [ROOT / place / name for place in PLACES if (ROOT / place / name).is_file()]
    assert len(found) == 1, f"{name}: {found}"
    return found[0]


def mentions() -> list[tuple[str, str]]:
    """(file, function), each once."""
    found = [(file, name) for file, names in MENTION.findall(PAGE) for name in names.split(", ")]
    return sorted(set(found))


@pytest.mark.parametrize(("file", "name"), mentions())
def test_a_function_or_test_that_the_page_names_is_there(file: str, name: str) -> None:
    assert name in functions(placed(file))


@pytest.mark.parametrize("name", sorted(set(FILE.findall(PAGE))))
def test_a_file_that_the_page_names_is_there(name: str) -> None:
    assert placed(name)


def test_every_invariant_of_the_tree_has_a_test() -> None:
    part = PAGE.split("## Invariants of the tree")[1].split("\n## ")[0]
    items = re.split(r"^\d+\. ", part, flags=re.MULTILINE)[1:]
    assert len(items) >= 8
    for item in items:
        assert re.search(r"`test_\w+\.py: test_\w+`", item), item


def test_every_test_of_an_invariant_is_named() -> None:
    named = {name for file, name in mentions() if file == "test_invariants.py"}
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
    table = PAGE.split("## Every loop")[1].split("\n## ")[0]
    found = [names for where, names in MENTION.findall(table) if where == file]
    assert loops - {name for names in found for name in names.split(", ")} <= PLAIN


def test_links_lead_somewhere_and_the_plot_can_be_read() -> None:
    for target in LINK.findall(PAGE):
        assert (ROOT / "docs" / target).is_file(), target
    root = ET.parse(ROOT / "docs" / "search.svg").getroot()
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"UCT: time", "UCT: memory", "connect four", "backgammon"} <= set(texts)


def commands() -> list[str]:
    fences = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return "".join(fences).splitlines()


@pytest.mark.parametrize("command", commands())
def test_a_command_of_the_page_works(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    words = shlex.split(command)
    assert words[:2] == ["plyhouse", "think"], "any other is to be run in a way of its own"
    assert plyhouse.main([*words[1:], "--nodes", "60"]) == 0
    assert "action" in capsys.readouterr().out
