"""docs/farm.md says what can be typed: each of its commands is taken, and its figures are ours."""

from __future__ import annotations

import argparse
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import plyhouse
from lab.farm import processes
from lab.farm.where import parse_where

PAGE = (Path(__file__).parents[3] / "docs" / "farm.md").read_text("utf-8")
FENCES = "".join(re.findall(r"^```sh\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
COMMANDS = [words for line in FENCES.splitlines() if (words := shlex.split(line, comments=True))]
# Programs of others; test_same_everywhere.py starts the two of dask with these options.
OTHERS = (
    "pip install plyhouse[fast,farm]",
    "dask scheduler",
    "dask worker",
    "export NUMBA_CPU_NAME=",
)


def test_the_page_shows_every_command_that_has_a_farm() -> None:
    named = {" ".join(words[1:2]) for words in COMMANDS if words[0] == "plyhouse"}
    assert named == {"match", "sweep", "train"}
    others = [" ".join(words) for words in COMMANDS if words[0] != "plyhouse"]
    assert [line for line in others if not line.startswith(OTHERS)] == []
    assert all(any(line.startswith(start) for line in others) for start in OTHERS)


OURS = [words[1:] for words in COMMANDS if words[0] == "plyhouse"]


@pytest.mark.parametrize("words", OURS)
def test_a_command_of_the_page_is_taken(words: list[str]) -> None:
    parser: Any = argparse.ArgumentParser(exit_on_error=False)
    plyhouse._fill(parser, plyhouse.COMMANDS[words[0]])
    args = parser.parse_args(words[1:])
    assert str(parse_where(args.farm)) == words[words.index("--farm") + 1]
    assert "whoever reaches such a scheduler" in " ".join(parser.format_help().split())


def test_a_task_is_tried_as_often_as_the_page_says() -> None:
    assert processes.TRIES == 3
    assert "ends three processes one after the other" in PAGE
