"""`plyhouse` in this process: what it is asked, and what it says."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import chain
from typing import Any, NamedTuple

import pytest

import plyhouse


class Output(NamedTuple):
    """How a command ended, and what it wrote to stdout and stderr."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)

    def refuses(self, beginning: str, sentence: str = "") -> None:
        """It says what is wrong in one line, which begins so and holds the sentence."""
        assert (self.code, self.out) == (2, "")
        assert self.err.startswith(beginning)
        assert sentence in self.err
        assert self.err.count("\n") == 1


Run = Callable[..., Output]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """Run `plyhouse`: a text is split at its spaces, anything else, such as a path, is one word."""

    def main(*words: object) -> Output:
        parts = (word.split() if isinstance(word, str) else [str(word)] for word in words)
        code = plyhouse.main(list(chain.from_iterable(parts)))
        return Output(code, *capfd.readouterr())

    return main
