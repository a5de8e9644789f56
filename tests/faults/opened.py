"""The places of the product that open files, found in its source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PRODUCT = ("games", "protocol", "server", "client", "bots", "lab", "plyhouse.py")
# By the name of a method, or of a module and its function.
OPENING = frozenset({
    "read_text", "read_bytes", "write_text", "write_bytes", "touch", "load_verify_locations",
    "load_cert_chain", "spec_from_file_location", "savefig", "make_file", "read_object",
    "put_aside", "ZipFile",
})  # fmt: skip
OF_A_MODULE = {
    "os": {"open", "link", "rename", "replace"},
    "sqlite3": {"connect"},
    "shutil": {"copy", "copyfile", "copytree", "move"},
    "tempfile": {"mkstemp", "mkdtemp", "TemporaryDirectory", "NamedTemporaryFile"},
}
MODES = frozenset({"a", "ab", "r", "rb", "r+b", "w", "wb", "a+b", "x", "xb"})


def places() -> set[str]:
    """Return each function that opens a file, as path:function."""
    return {place for path in _sources() for place in _of(path)}


def _sources() -> Iterator[Path]:
    names = OPENING.union(*OF_A_MODULE.values())
    words = re.compile(rf"\b({'|'.join(names)})\(")
    for name in PRODUCT:
        path = ROOT / name
        for file in path.rglob("*.py") if path.is_dir() else [path]:
            if words.search(file.read_text("utf-8")):
                yield file


def _of(path: Path) -> Iterator[str]:
    left: list[tuple[ast.AST, str]] = [(ast.parse(path.read_text("utf-8")), "")]
    while left:
        node, name = left.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            name = f"{name}.{node.name}".lstrip(".")
        if isinstance(node, ast.Call) and _opens(node):
            yield f"{path.relative_to(ROOT).as_posix()}:{name}"
        left += [(child, name) for child in ast.iter_child_nodes(node)]


def _opens(call: ast.Call) -> bool:
    function = call.func
    if isinstance(function, ast.Name):
        return function.id == "open"
    if not isinstance(function, ast.Attribute):
        return False
    owner = function.value.id if isinstance(function.value, ast.Name) else ""
    if owner in OF_A_MODULE:
        return function.attr in OF_A_MODULE[owner]
    if function.attr == "open":  # else it opens a room, a house or a page
        return any(isinstance(arg, ast.Constant) and arg.value in MODES for arg in call.args)
    return function.attr in OPENING
