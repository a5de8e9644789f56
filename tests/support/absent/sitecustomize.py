"""A Python that lacks packages: those whose import names ABSENT lists, with commas between them.

Python imports this file by itself where its folder is on PYTHONPATH, so it holds for all that a
process starts, too.
"""

from __future__ import annotations

import os
import sys
from typing import Any, Final

ABSENT: Final = frozenset(filter(None, os.environ.get("ABSENT", "").split(",")))


class Lacking:
    """A finder that finds all that another does, but what is absent."""

    def __init__(self, finder: Any) -> None:
        self._finder = finder

    def find_spec(self, name: str, *where: Any) -> Any:
        if name.partition(".")[0] in ABSENT:
            return None
        return self._finder.find_spec(name, *where)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._finder, name)


sys.meta_path[:] = map(Lacking, sys.meta_path)
