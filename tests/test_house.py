"""The plan is a test: who may import whom, as in the design, and a few more rules of the house.

Every import is read with ast, lazy ones and those for types included.  tests/ and bench/ may import
anything.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("games", "protocol", "server", "client", "bots", "lab", "bench", "tests")
OURS = frozenset({*PACKAGES, "plyhouse", "setup_env"})
PRODUCT = (
    "games", "protocol", "server", "client", "bots", "lab", "bench", "plyhouse.py",
    "setup_env.py",
)  # fmt: skip
RULES_OF_THE_CONTRACT = ("clock", "dice", "game", "kernel", "registry", "rng")

MAX_LINES = 500
MAX_LINES_OF_A_FUNCTION = 60
MAX_LINES_OF_A_SEARCH_LOOP = 120  # or of a kernel: one long function for the compiler's sake
NO_NAMES = frozenset({"utils", "util", "helpers", "common", "types", "manager", "misc"})


@dataclass(frozen=True)
class Row:
    """Files below `where` import of ours only what lies below `ours`, and nothing in `never`."""

    where: str
    ours: tuple[str, ...]
    never: frozenset[str] = frozenset()
    third: frozenset[str] | None = None  # None: any that is not confined
    lazily: tuple[str, ...] = ()  # of ours too, but inside functions only


WORLD = frozenset({"asyncio", "time", "random", "secrets", "socket", "logging", "sqlite3"})
WORLD |= {"websockets", "datetime", "threading", "uuid"}
NONE: frozenset[str] = frozenset()
UNSEEDED = frozenset({"time", "random"})

SEARCHES = (
    "bots/engine/kernels/", "bots/backgammon/kernels/", "bots/reading/", "lab/training/kernels/",
)  # fmt: skip
KERNELS = ("bots.engine.kernels", "games.kernel", "games.rng")

USED_BY_BOTS = (
    "connection",
    "backoff",
    "errors",
    "styled_text",
    "names",
    "replica",
)  # at a server
SHARED_WITH_LAB = (
    "crosstable",
    "csv",
    "differences",
    "figures",
    "tables",
)  # of client/ladder: standings

# The first row that a file lies below is its own.
TABLE = (
    *(Row(f"games/{name}.py", ("games",), WORLD, NONE) for name in RULES_OF_THE_CONTRACT),
    Row("games/backgammon_cube",
        ("games.game", "games.kernel", "games.backgammon"), WORLD, NONE),
    Row("games/own_files.py", (), WORLD - {"threading"}, NONE),
    Row("games/laws",
        ("games.game", "games.kernel", "games.own_files", "games.rng"), WORLD, NONE),
    Row("games", ("games.game", "games.kernel", "games.rng"), WORLD, NONE),
    Row("protocol/records", ("protocol", "games"), WORLD - {"datetime"},
        frozenset({"msgspec", "wcwidth"})),
    Row("protocol/reading", ("protocol", "games"), WORLD - {"datetime"}, frozenset({"msgspec"})),
    Row("protocol", ("protocol", "games.clock"), WORLD, frozenset({"msgpack", "msgspec"})),
    Row("server/core", ("server.core", "games", "protocol"), WORLD),
    Row("server/ladder/core", ("server.ladder.core", "server.core", "games", "protocol"), WORLD),
    Row("server/admin/core", ("server.admin.core", "server.core", "games", "protocol"), WORLD),
    Row("server/cluster/core", ("server.cluster.core",), WORLD),
    Row("server/store", ("server.store",)),
    Row("server/rooms",
        ("server.rooms", "server.core", "server.store", "server.figures", "server.config", "games",
         "protocol")),
    Row("server/net", ("server", "games", "protocol")),
    Row("server", ("server", "games", "protocol")),
    Row("client", ("client", "games", "protocol")),
    Row("bots/backgammon/kernels",
        ("bots.backgammon.kernels", *KERNELS, "games.backgammon"), UNSEEDED),
    Row("bots/engine/kernels/four.py", (*KERNELS, "games.connect_four"), UNSEEDED),
    Row("bots/engine/kernels", KERNELS, UNSEEDED),
    Row("bots/online",
        ("bots", "games", "protocol", *(f"client.{name}" for name in USED_BY_BOTS))),
    Row("bots", ("bots", "games", "protocol")),
    Row("lab/arena",
        ("lab", "bots", "games", "protocol", "server.ladder.core.rated_table",
         *(f"client.ladder.{name}" for name in SHARED_WITH_LAB))),
    Row("lab/doctor",
        ("lab", "bots", "games", "protocol", "client.connection", "client.errors")),
    Row("lab/training/kernels",
        ("lab.training.kernels", "bots.backgammon.kernels", *KERNELS, "games.backgammon"),
        UNSEEDED),
    Row("lab", ("lab", "bots", "games", "protocol")),
    Row("plyhouse.py", (), lazily=tuple(OURS)),
    Row("setup_env.py", (), third=NONE),
    Row("bench", tuple(OURS)),
    Row("tests", tuple(OURS)),
)  # fmt: skip

# These libraries are imported in these places only; tests and measurements are free.
CONFINED = {
    "websockets": ("server/net", "client/connection.py", "lab/doctor/wire.py"),
    "distributed": ("lab/farm/dask_workers.py",),
    "matplotlib": ("lab/experiments/plots.py",),
    "numba": ("bots/engine/compiled.py",),
    "numpy": ("bots/engine/compiled.py", "server/ladder/core"),
    "asyncpg": ("server/store/postgres",),
    "sqlite3": ("server/store/sqlite",),
    "msgpack": ("protocol",),
}
FREE = ("bench", "tests")
BY_NAME = ("import_module", "__import__")  # functions
BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")  # statements are in these only


@dataclass(frozen=True)
class Import:
    """One imported name, such as games.game.Game; `lazy`: inside a function."""

    name: str
    line: int
    lazy: bool


@dataclass(frozen=True)
class Definition:
    """A function or a class of a file; `marked`: it is a @kernel."""

    name: str
    line: int
    lines: int
    parameters: int | None  # None: of a class
    marked: bool


@dataclass(frozen=True)
class Outline:
    """What the rules look at in a file."""

    says_what_it_is: bool
    imports: tuple[Import, ...]  # all, a relative one begins with a dot
    definitions: tuple[Definition, ...]


@cache
def outline(source: str) -> Outline:
    """Look at a file once, for all rules; its tree would be large to keep."""
    tree = ast.parse(source)
    by_name = any(name in source for name in BY_NAME)  # else no expression needs to be looked at
    imports: list[Import] = []
    definitions: list[Definition] = []
    left: list[tuple[ast.AST, bool]] = [(tree, False)]
    while left:
        node, lazy = left.pop()
        if isinstance(node, ast.Import):
            imports += [Import(alias.name, node.lineno, lazy) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            imports += [Import(f"{base}.{alias.name}", node.lineno, lazy) for alias in node.names]
        elif isinstance(node, ast.Call) and _imports_by_name(node):
            imports.append(Import(node.args[0].value, node.lineno, lazy))  # type: ignore[attr-defined]
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            definitions.append(_definition(node))
        lazy = lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
        blocks = chain.from_iterable(getattr(node, block, ()) for block in BLOCKS)
        left += [(each, lazy) for each in (ast.iter_child_nodes(node) if by_name else blocks)]
    return Outline(bool(ast.get_docstring(tree)), tuple(imports), tuple(definitions))


def _definition(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Definition:
    lines = (node.end_lineno or 0) - node.lineno + 1
    marked = any(isinstance(d, ast.Name) and d.id == "kernel" for d in node.decorator_list)
    parameters = None if isinstance(node, ast.ClassDef) else _parameters(node.args)
    return Definition(node.name, node.lineno, lines, parameters, marked)


def _parameters(given: ast.arguments) -> int:
    """Count them, but for `self` and `cls`."""
    named = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
    return len([arg for arg in named if arg is not None and arg.arg not in ("self", "cls")])


def _imports_by_name(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    literal = bool(call.args) and isinstance(call.args[0], ast.Constant)
    return literal and name in BY_NAME


def violations(path: str, source: str) -> list[str]:
    """What the house's rules say against the imports of a file, given its path from the root."""
    row = next(r for r in TABLE if below(path, r.where))
    return [
        f"{path}:{item.line}: {item.name} {complaint}"
        for item in outline(source).imports
        if (complaint := _complaint(path, row, item))
    ]


def _complaint(path: str, row: Row, item: Import) -> str | None:
    top = item.name.split(".")[0]
    if item.name.startswith("."):
        return "is relative; imports are absolute"
    if top in OURS:
        allowed = (*row.ours, itself(path), *(row.lazily if item.lazy else ()))
        if not any(within(item.name, name) for name in allowed):
            return f"is not for {row.where}, which imports {', '.join(row.ours) or 'none of ours'}"
        return None
    if top in row.never:
        return f"is not for {row.where}"
    if top not in sys.stdlib_module_names and row.third is not None and top not in row.third:
        return f"is not for {row.where}, which imports {', '.join(row.third) or 'no third party'}"
    places = CONFINED.get(top, (path,))
    if not any(below(path, place) for place in (*places, *FREE)):
        return f"is imported in {', '.join(places)} only"
    return None


def below(path: str, place: str) -> bool:
    """Whether a file is this place or lies in it."""
    return path == place or path.startswith(f"{place}/")


def within(name: str, package: str) -> bool:
    """Whether a dotted name is this package or something in it."""
    return name == package or name.startswith(f"{package}.")


def itself(path: str) -> str:
    """The module, or in games/ the game, that a file belongs to."""
    parts = PurePosixPath(path).with_suffix("").parts
    return ".".join(parts[:2] if parts[0] == "games" else parts)


def files(*places: str) -> list[str]:
    """The Python files below these places, as paths from the root."""
    found: list[Path] = []
    for place in places:
        path = ROOT / place
        found += [path] if path.is_file() else path.rglob("*.py")
    return sorted(p.relative_to(ROOT).as_posix() for p in found if "__pycache__" not in p.parts)


EVERY_FILE = files(*PRODUCT, "tests")


def read(path: str) -> str:
    return (ROOT / path).read_text("utf-8")


def test_files_import_only_what_the_table_allows() -> None:
    assert [found for path in files(*PRODUCT) for found in violations(path, read(path))] == []


def test_tests_import_what_they_like_but_by_its_whole_name() -> None:
    relative = re.compile(r"^\s*from\s+\.", re.MULTILINE)
    assert [path for path in files("tests") if relative.search(read(path))] == []


def test_every_file_can_be_read_and_says_what_it_is() -> None:
    lengths = {path: len(read(path).splitlines()) for path in EVERY_FILE}
    assert {path: n for path, n in lengths.items() if n > MAX_LINES} == {}
    silent = [path for path in files(*PRODUCT) if not outline(read(path)).says_what_it_is]
    assert silent == []


def test_no_function_is_longer_than_a_screen() -> None:
    assert [found for path in files(*PRODUCT) for found in long_functions(path)] == []


def long_functions(path: str) -> Iterator[str]:
    """The functions of a file that are longer than they may be there."""
    for each in outline(read(path)).definitions:
        long = each.marked or path.startswith(SEARCHES)
        most = MAX_LINES_OF_A_SEARCH_LOOP if long else MAX_LINES_OF_A_FUNCTION
        if each.parameters is not None and each.lines > most:
            yield f"{path}:{each.line}: {each.name} has {each.lines} lines"


def test_every_file_has_its_place_and_a_name_that_says_something() -> None:
    for path in EVERY_FILE:
        parts = PurePosixPath(path).with_suffix("").parts
        assert not NO_NAMES & set(parts), f"{path} has a name that says nothing"
        assert any(below(path, row.where) for row in TABLE), f"{path} is in no row"
    assert {row.where.split("/")[0] for row in TABLE} >= set(PACKAGES)


# By the file that would hold them.
FORBIDDEN = {
    "games/connect_four.py": ["from games.tic_tac_toe import GAME", "from games import registry",
        "import games", "import random", "import numpy as np"],
    "games/backgammon/moves.py": ["from games.connect_four import key"],
    "games/dice.py": ["import secrets"],
    "games/clock.py": ["import time"],
    "protocol/records/text.py": ["from client import words", "import time"],
    "games/registry.py": ["import msgspec", "from protocol import codec"],
    "protocol/codec.py": ["import websockets", "import asyncio", "from games.game import Game"],
    "server/core/room.py": ["import asyncio", "import logging", "from server.store import store",
        "from server.ladder.core.rating import fit", "def f():\n    import time"],
    "server/ladder/core/rating.py": ["import secrets", "from server import hub"],
    "server/store/sqlite/store.py": ["from server.core import room",
        "from protocol.messages import Play", "import asyncpg"],
    "server/rooms/actor.py": ["from bots import registry",
        "if TYPE_CHECKING:\n    from client.connection import Connection",
        "import websockets.server", "import sqlite3", "def f():\n    from server.hub import Hub"],
    "server/app.py": ["import numpy", "from lab.arena import local_server"],
    "client/terminal/app.py": ["from server import app", "from bots.bot import Bot"],
    "client/replica.py": ["import websockets", "from .connection import Connection"],
    "lab/arena/duel.py": ["from server import app",
        "import importlib\nimportlib.import_module('server.app')", "from client import connection"],
    "bots/engine/book.py": ["from lab.farm import executor", "def f():\n    from lab import book"],
    "bots/online/runner.py": ["from client.terminal import app"],
    "lab/experiments/cell.py": ["from server import app", "from client import connection"],
    "lab/farm/executor.py": ["from server import app", "import distributed"],
    "bots/engine/kernels/uct.py": ["import time", "from games import registry",
        "from games.rng_of_mine import below", "from bots.bot import Budget",
        "from numba import njit", "from games.backgammon.rules import TURN"],
    "bots/backgammon/kernels/bearoff.py": ["from games.connect_four import key", "import random"],
    "plyhouse.py": ["from server import app"],
    "setup_env.py": ["from games import registry", "import rich"],
}  # fmt: skip


@pytest.mark.parametrize("path", FORBIDDEN)
def test_a_forbidden_import_is_found(path: str) -> None:
    assert [source for source in FORBIDDEN[path] if len(violations(path, source)) != 1] == []
