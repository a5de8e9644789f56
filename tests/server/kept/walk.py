"""Finds in the source of server/ whatever can hold much: what docs/reference/kept.md tells of.

An attribute counts if it is a collection that changes, a buffer, a task, a timer, a thread, a
connection or an open file, by its annotation, by what it is first set to, or by what the function
that makes it returns.  Beside attributes count classes that are collections themselves, variables
of modules, what functions remember of their calls, and the tables and indexes of both databases.
Values that never change count with whatever holds them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[3]
COLLECTIONS: Final = frozenset(
    {"dict", "list", "set", "deque", "Counter", "OrderedDict", "defaultdict", "Mapping",
     "MutableMapping", "bytearray", "Queue", "SimpleQueue", "WeakSet", "WeakKeyDictionary",
     "WeakValueDictionary"}
)  # fmt: skip
HELD: Final = frozenset(
    {"Task", "TimerHandle", "Timer", "Future", "Thread", "Executor", "ThreadPoolExecutor",
     "Connection", "IO", "TextIO", "BinaryIO", "BufferedWriter", "FileIO", "TemporaryDirectory",
     "Popen", "Server", "StreamReader", "StreamWriter"}
)  # fmt: skip
KINDS: Final = COLLECTIONS | HELD
OPENERS: Final = frozenset({"open", "fdopen", "connect", "call_later", "call_at", "create_task"})
DISPLAYS: Final = (ast.Dict, ast.DictComp, ast.List, ast.ListComp, ast.Set, ast.SetComp)
SQL: Final = re.compile(
    r"\bCREATE (?:UNIQUE )?(?:TABLE|INDEX|SEQUENCE) (?:IF NOT EXISTS )?(?!IF\b)(\w+)"
)
Functions = ast.FunctionDef | ast.AsyncFunctionDef


class Source(NamedTuple):
    """A file of server/, and its module as ast has it."""

    path: str
    tree: ast.Module


@cache
def sources() -> tuple[Source, ...]:
    """Return all files of the server."""
    return tuple(
        Source(path.relative_to(ROOT).as_posix(), ast.parse(path.read_text("utf-8")))
        for path in sorted((ROOT / "server").rglob("*.py"))
    )


@cache
def aliases() -> dict[str, ast.expr]:
    """Return the types that have names of their own, such as `Numbers`."""
    return {
        node.target.id: node.value
        for source in sources()
        for node in source.tree.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        and ast.unparse(node.annotation) == "TypeAlias" and node.value is not None
    }  # fmt: skip


@cache
def makers() -> frozenset[str]:
    """Return the names of the functions of which what they return is held."""
    ours = {
        node.name
        for source in sources() for node in statements(source.tree)
        if isinstance(node, Functions) and _holds(node.returns)
    }  # fmt: skip
    return frozenset(ours | OPENERS)


@cache
def collections_of_ours() -> frozenset[str]:
    """Return the classes that are collections themselves."""
    return frozenset(
        each.name for source in sources() for each in classes(source)
        if any(_outermost(base) & KINDS for base in each.bases)
    )  # fmt: skip


def statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield the statements in a node, and those in them: ast.walk would go through all names."""
    for part in ("body", "orelse", "handlers", "finalbody", "cases"):
        for each in getattr(node, part, ()):
            if isinstance(each, ast.stmt):
                yield each
            yield from statements(each)


@cache
def classes(source: Source) -> list[ast.ClassDef]:
    """Return the classes of a file."""
    return [node for node in statements(source.tree) if isinstance(node, ast.ClassDef)]


def _outermost(annotation: ast.expr | None) -> frozenset[str]:
    """Return the names of the types that a value of this annotation can be, without what is in it.

    Of `dict[int, list[str]] | None` that is `dict`.
    """
    match annotation:
        case ast.Name(name) | ast.Attribute(_, name):
            return _outermost(aliases()[name]) if name in aliases() else frozenset({name})
        case ast.Subscript(value, inner):
            name = ast.unparse(value).rpartition(".")[2]
            return (
                _outermost(inner)
                if name in ("Final", "ClassVar", "Optional")
                else _outermost(value)
            )
        case ast.BinOp(left, ast.BitOr(), right):
            return _outermost(left) | _outermost(right)
        case ast.Constant(str() as text):
            return _outermost(ast.parse(text, mode="eval").body)
        case _:
            return frozenset()


def _holds(annotation: ast.expr | None) -> bool:
    return bool(_outermost(annotation) & (KINDS | collections_of_ours()))


def _makes(value: ast.expr | None, given: Mapping[str, bool]) -> bool:
    """Return whether an expression is something that is held; `given`: by parameter, if it is."""
    match value:
        case ast.Name(name):
            return given.get(name, False)
        case ast.IfExp(_, one, other):
            return _makes(one, given) or _makes(other, given)
        case ast.BoolOp(_, values):
            return any(_makes(each, given) for each in values)
        case ast.Call(called):
            name = ast.unparse(called).partition("[")[0].rpartition(".")[2]
            return name in KINDS | collections_of_ours() | makers()
        case _:
            return isinstance(value, DISPLAYS)


def attributes() -> Iterator[str]:
    """Yield `Class.attribute` of all that is held, and `Class` of what is a collection itself."""
    for source in sources():
        for each in classes(source):
            if each.name in collections_of_ours():
                yield each.name
            for node in each.body:
                if isinstance(node, ast.AnnAssign) and _holds(node.annotation):
                    yield f"{each.name}.{ast.unparse(node.target)}"
                elif isinstance(node, Functions):
                    for name in _set_in(node):
                        yield f"{each.name}.{name}"


def _set_in(function: Functions) -> Iterator[str]:
    """Yield the attributes of `self` that this function sets to something that is held."""
    arguments = function.args
    given = {
        each.arg: _holds(each.annotation)
        for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    }
    for node in statements(function):
        if isinstance(node, ast.AnnAssign):
            held = _holds(node.annotation)
            targets: list[ast.expr] = [node.target]
        elif isinstance(node, ast.Assign):
            held, targets = _makes(node.value, given), node.targets
        else:
            continue
        for target in targets if held else ():
            match target:
                case ast.Attribute(ast.Name("self"), name):
                    yield name


def variables() -> Iterator[str]:
    """Yield `module.name` of the collections of modules that are no constants."""
    for source in sources():
        for node in source.tree.body:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                name = ast.unparse(target)
                if not name.isupper() and name != "__all__" and _makes(node.value, {}):
                    yield f"{Path(source.path).stem}.{name}"


def remembered() -> Iterator[str]:
    """Yield `module.function` of what is kept of calls."""
    for source in sources():
        for node in statements(source.tree):
            if isinstance(node, Functions) and any(
                re.search(r"\b(lru_)?cache\b", ast.unparse(each)) for each in node.decorator_list
            ):
                yield f"{Path(source.path).stem}.{node.name}"


def tables(folder: str) -> set[str]:
    """Return the tables, indexes and sequences that the texts of a folder make."""
    return {
        name
        for source in sources() if source.path.startswith(folder)
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        for name in SQL.findall(node.value)
    }  # fmt: skip


def constants() -> set[str]:
    """Return the names of all constants of the server, by which something may be bounded."""
    names: set[str] = set()
    for source in sources():
        for node in source.tree.body:
            if isinstance(node, ast.Assign | ast.AnnAssign):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                names.add(ast.unparse(target))
    return names
