"""Every object of the server is whole once it is built: no other gives it something to call later.

Where two parts need each other, one is given to the other's constructor, or hears of it as a
subscriber: `append` to a list, which its owner calls.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from tests.server.kept.walk import statements
from tests.test_house import files, read

OWN = ("self", "cls")


class Names(NamedTuple):
    """Names of attributes in the server: that hold something to call, of methods, and of data."""

    callables: set[str]
    methods: set[str]
    data: set[str]


def names(trees: list[ast.Module]) -> Names:
    """Look at all classes."""
    found = Names(set(), set(), set())
    for node in (node for tree in trees for node in statements(tree)):
        if isinstance(node, ast.AnnAssign):
            name = ast.unparse(node.target).rpartition(".")[2]
            is_callable = ast.unparse(node.annotation).startswith("Callable[")
            (found.callables if is_callable else found.data).add(name)
        elif isinstance(node, ast.Assign):
            found.data.update(t.attr for t, _ in pairs(node) if isinstance(t, ast.Attribute))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            is_property = any("property" in ast.unparse(each) for each in node.decorator_list)
            (found.data if is_property else found.methods).add(node.name)
    return found


def pairs(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """What is assigned to, and what."""
    for target in node.targets:
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            yield from zip(target.elts, node.value.elts, strict=True)
        elif isinstance(target, ast.Tuple):
            yield from ((each, node.value) for each in target.elts)
        else:
            yield target, node.value


def given_later(path: str, tree: ast.Module, known: Names) -> Iterator[str]:
    """Where a file gives something to call to an object that is built."""
    modules = {
        each.asname or each.name
        for node in statements(tree)
        if isinstance(node, ast.Import)
        for each in node.names
    }
    for node in statements(tree):
        for target, value in pairs(node) if isinstance(node, ast.Assign) else ():
            if (
                isinstance(target, ast.Attribute)
                and ast.unparse(target.value) not in (*OWN, *modules)  # Python's own hooks
                and (target.attr in known.callables or is_callable(value, known))
            ):
                yield f"{path}:{node.lineno}: {ast.unparse(target)} = {ast.unparse(value)}"


def is_callable(value: ast.expr, known: Names) -> bool:
    """Whether a value is a lambda, a partial call, or a method that is not called."""
    if isinstance(value, ast.Call):
        return ast.unparse(value.func) == "partial"
    is_method = isinstance(value, ast.Attribute) and value.attr in known.methods - known.data
    return isinstance(value, ast.Lambda) or is_method


def test_no_object_is_given_something_to_call_after_it_is_built() -> None:
    trees = {path: ast.parse(read(path)) for path in files("server")}
    known = names(list(trees.values()))
    assert [each for path, tree in trees.items() for each in given_later(path, tree, known)] == []


def test_a_callable_that_is_given_later_is_found() -> None:
    tree = ast.parse(
        "class Part:\n"
        "    def __init__(self, tell):\n"
        "        self.tell = tell\n"
        "        self.hear: Callable[[], None] = tell\n"
        "    def look(self): ...\n"
        "part.tell, part.seen = (lambda: None), 1\n"
        "part.hear = other\n"
        "part.tell = partial(print, 1)\n"
        "part.tell = part.look\n"
        "part.told.append(part.look)\n"
        "part.tell = part.look()\n"
    )
    found = [each.split(": ")[0] for each in given_later("a", tree, names([tree]))]
    assert found == ["a:6", "a:7", "a:8", "a:9"]
