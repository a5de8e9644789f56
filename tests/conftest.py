"""Makes the tests' own games known, also to the processes that a test starts; and has searches run
as plain Python, which is the same search: to compile them all would take half a minute.  Commands
that are not told of a server look for none.
tests/bots/engine/test_compiled.py holds the two against each other.
"""

import os
from pathlib import Path

import pytest

from tests.support.databases import database, postgres_server

__all__ = ["database", "postgres_server"]

os.environ["PLYHOUSE_GAMES"] = str(Path(__file__).parent / "extra_games")
os.environ["PLYHOUSE_PLAIN"] = "1"
os.environ["PLYHOUSE_URL"] = "127.0.0.1:8765"

LONG = ("test_readme.py", "test_refusals.py", "test_live.py")  # files that take longest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with the longest files: one worker plays a file, and none shall wait for the last."""
    items.sort(key=lambda item: item.path.name not in LONG)
