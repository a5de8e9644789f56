"""docs/backgammon.md names functions, files, commands and figures: each is there, and each runs."""

from __future__ import annotations

import re
import shlex
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import plyhouse
from bots import weights
from tests.test_search_page import FILE, LINK, MENTION, ROOT, functions

PAGE = (ROOT / "docs" / "backgammon.md").read_text("utf-8")
PLACES = ("", "bots/search/backgammon", "tests/bots/backgammon")


def placed(name: str) -> Path:
    """The file that is meant."""
    found = [ROOT / place / name for place in PLACES if (ROOT / place / name).is_file()]
    assert len(found) == 1, f"{name}: {found}"
    return found[0]


def test_functions_that_the_page_names_are_there() -> None:
    named = [(file, name) for file, names in MENTION.findall(PAGE) for name in names.split(", ")]
    assert len(named) > 10
    assert [(file, name) for file, name in named if name not in functions(placed(file))] == []


def test_files_that_the_page_names_are_there() -> None:
    assert all(placed(name) for name in FILE.findall(PAGE))
    for target in LINK.findall(PAGE):
        assert (ROOT / "docs" / target).is_file(), target


def test_the_plot_is_that_of_the_shipped_nets() -> None:
    texts = ET.parse(ROOT / "docs" / "backgammon.svg").getroot().itertext()
    trained = weights.load().trained
    assert any(f"{trained['games_played']:,} games, seed {trained['seed']}" in t for t in texts)


def commands() -> list[str]:
    fences = re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return [line.split("  #")[0].strip() for line in "".join(fences).splitlines()]


SHORTER = {
    "train": [
        "--games",
        "1",
        "--hidden",
        "2,2,2",
        "--threads",
        "1",
        "--pairs",
        "0",
        "--lessons",
        "0",
    ],
    "bench": ["--pairs", "0", "--decisions", "0", "--timed", "0"],
    "think": ["--nodes", "20"],
}


@pytest.mark.parametrize("command", commands())
def test_a_command_of_the_page_works(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it stands, but shorter; and what one command writes is there for the next."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(weights.FILE, "short.nets")
    words = shlex.split(command)
    assert words[0] == "plyhouse"
    more = [] if words[1:3] == ["bench", "curve"] else SHORTER[words[1]]
    assert plyhouse.main([*words[1:], *more]) == 0
