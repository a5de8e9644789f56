"""How a command line is read: options may stand anywhere, and what makes no sense is one sentence.

Here because client, server and bots have commands, and none of them imports another.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from typing import NoReturn


class CommandLine(argparse.ArgumentParser):
    """Reads a command's words as people type them."""

    def __init__(self, **how: object) -> None:
        super().__init__(**how)  # type: ignore[arg-type]  # what argparse takes
        self._negative_number_matcher = re.compile(r"^-\d")  # -5+3 is a value: no option is so

    def read(self, words: Sequence[str]) -> argparse.Namespace:
        """Return what the words say; ends the process with a sentence where they say nothing."""
        if self._subparsers is not None:  # which take all that follows them
            return self.parse_args(words)
        return self.parse_intermixed_args(words)

    def error(self, message: str) -> NoReturn:
        """Say in a sentence what is wrong, and end with 2."""
        self.exit(2, f"{self.prog}: {message}; `{self.prog} --help` tells more\n")
