"""What `make measure` counts, of a tree of three files."""

from __future__ import annotations

import ast

from tests.measure.__main__ import imported_once, measure, overwritten

ONE = '''"""One."""


class Door:
    def __init__(self) -> None:
        self.knock = lambda: None

    def close(self) -> None:
        """Close the door."""
        self.door.close()

    def open(self) -> None:
        """It takes the lock of whoever came first, which is never held for long."""
        self.door.open()
'''
TWO = "from server.one import Door\n\ndoor = Door()\ndoor.knock = print\n" + "x = 1\n" * 8
FILES = {"server/one.py": ONE, "server/two.py": TWO, "plyhouse.py": "x = 1\n", "docs/a.md": "a\n"}


def test_a_small_tree_is_counted() -> None:
    figures = measure(FILES)
    assert figures["product: Python files"] == 3
    assert figures["docs: md lines"] == 1
    assert figures["docstrings on bodies of two lines or less"] == 2
    assert figures["of these, that say the name again"] == 1
    trees = {path: ast.parse(text) for path, text in FILES.items() if path.endswith(".py")}
    assert overwritten(trees) == {"knock"}
    assert list(imported_once(trees)) == ["server/one.py"]
