"""docs/house.md has a tree of the product with one line a file; this holds it against the folders.

After files have come, gone or moved, `python -m tests.test_map` writes the tree anew: lines that
still have their file stay as they are, a new file's line is the first sentence of its docstring.
"""

from __future__ import annotations

import ast
import re
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HOUSE = ROOT / "docs" / "house.md"
FOLDERS = ("games", "protocol", "server", "client", "bots", "lab", "bench")
ALONE = ("plyhouse.py", "setup_env.py", "manual_page.py")
PAGES = [HOUSE, ROOT / "docs" / "glossary.md", *sorted((ROOT / "docs" / "ideas").glob("*.md"))]
PLACE = re.compile(r"`((?:\w+/)+(?:\w+\.(?:py|js|css|md|toml))?)`")
WIDTH = 84
SUFFIXES = frozenset({".py", ".js", ".html", ".css", ".md", ".cpp", ".jinja", ".svg", ".ts"})
TREE = re.compile(r"^```tree\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINE = re.compile(r"^(?P<indent> *)(?P<name>\S+)(?: +(?P<about>\S.*))?$")


def product() -> list[str]:
    """Every file and folder of the product in the tree's order; a folder ends in a slash."""
    return [*ALONE, *(place for folder in FOLDERS for place in below(ROOT / folder))]


def below(folder: Path) -> list[str]:
    """A folder, its files, and then its folders."""
    entries = sorted(path for path in folder.iterdir() if not path.name.startswith(("_", ".")))
    files = [path for path in entries if path.is_file() and path.suffix in SUFFIXES]
    folders = [path for path in entries if path.is_dir()]
    inside = [place for path in folders for place in below(path)]
    if not files and not inside:
        return []
    return [f"{relative(folder)}/", *map(relative, files), *inside]


def relative(path: Path) -> str:
    """The path from the root."""
    return path.relative_to(ROOT).as_posix()


def mapped(page: str) -> dict[str, str]:
    """What the tree of the page says of each path."""
    tree = TREE.search(page)
    assert tree is not None, "docs/house.md has no ```tree"
    parents: list[str] = []
    places: dict[str, str] = {}
    for line in tree[1].splitlines():
        parts = LINE.match(line)
        assert parts is not None, f"{line!r} is no line of a tree"
        depth = len(parts["indent"]) // 2
        del parents[depth:]
        path = "".join(parents) + parts["name"]
        if path.endswith("/"):
            parents.append(parts["name"])
        assert path not in places, f"{path} stands twice"
        places[path] = parts["about"] or ""
    return places


def test_the_tree_has_every_file_once_and_no_other_in_the_order_of_the_folders() -> None:
    assert list(mapped(HOUSE.read_text("utf-8"))) == product()


def test_each_line_of_the_tree_says_what_the_file_is_on_one_line() -> None:
    page = HOUSE.read_text("utf-8")
    assert [path for path, about in mapped(page).items() if not about] == []
    tree = TREE.search(page)
    assert tree is not None
    assert [line for line in tree[1].splitlines() if len(line) > 35 + WIDTH] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_files_and_folders_that_a_page_names_are_there(page: Path) -> None:
    places = set(PLACE.findall(page.read_text("utf-8")))
    assert [place for place in sorted(places) if not (ROOT / place).exists()] == []


def test_the_glossary_has_each_word_once_in_the_order_of_the_alphabet() -> None:
    rows = re.findall(
        r"^\| ([^|]+) \|", (ROOT / "docs" / "glossary.md").read_text("utf-8"), re.MULTILINE
    )
    words = [word for word in rows if word not in ("word", "---")]
    assert len(words) > 50
    assert words == sorted(set(words))


def first_sentence(path: Path) -> str:
    """What a file says of itself, as far as one line of the tree holds it."""
    file = path / "__init__.py" if path.is_dir() else path
    text = file.read_text("utf-8") if file.is_file() else ""
    if file.suffix == ".py":
        text = ast.get_docstring(ast.parse(text)) or ""
    else:
        comment = re.match(r"\s*(?:/\*\*?|//)\s*(.*)", text)
        text = comment[1] if comment else ""
    sentence = " ".join(text.split("\n\n")[0].split())
    return re.split(r"(?<=[.;])\s", sentence)[0].rstrip(".:;*/ ")


def drawn(places: dict[str, str]) -> str:
    """The tree as it stands in the page."""
    lines = []
    for path in product():
        depth = path.rstrip("/").count("/")
        name = "  " * depth + path.rstrip("/").rpartition("/")[2] + "/" * path.endswith("/")
        about = places.get(path) or first_sentence(ROOT / path) or "?"
        lines.append(f"{name:34} {textwrap.shorten(about, WIDTH, placeholder=' ...')}")
    return "\n".join(lines)


if __name__ == "__main__":
    page = HOUSE.read_text("utf-8")
    tree = f"```tree\n{drawn(mapped(page))}\n```"
    HOUSE.write_text(TREE.sub(lambda _: tree, page), "utf-8")
