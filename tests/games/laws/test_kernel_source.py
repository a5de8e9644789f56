"""Kernels are written so that they can be compiled: read with ast, in every game and in rng.py."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from typing import Any

import pytest

from games import registry, rng
from games.game import Game
from games.kernel import is_kernel

# What a kernel may be built from; everything else (lists, closures, slices, raise, try, attributes,
# f-strings, comprehensions ...) is a Python-only construct, or allocates.
STATEMENTS = (
    ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.If, ast.For, ast.While, ast.Return,
    ast.Break, ast.Continue, ast.Pass,
)  # fmt: skip
EXPRESSIONS = (
    ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call, ast.Constant, ast.Name,
    ast.Subscript,
)  # fmt: skip
NOT_INTEGRAL = (ast.Div, ast.Pow, ast.MatMult, ast.Is, ast.IsNot, ast.In, ast.NotIn)
BUILTINS = frozenset({"range", "abs", "min", "max", "int", "bool"})


def complaints(source: str, names: Mapping[str, Any]) -> list[str]:
    """What is wrong with the kernel in `source`, whose module holds `names`."""
    function = ast.parse(textwrap.dedent(source)).body[0]
    assert isinstance(function, ast.FunctionDef)
    return [f"line {node.lineno}: {what}" for node, what in _complaints(function, names)]


def _complaints(
    function: ast.FunctionDef, names: Mapping[str, Any]
) -> Iterator[tuple[ast.stmt | ast.expr | ast.arg, str]]:
    spec = function.args
    if spec.vararg or spec.kwarg or spec.kwonlyargs or spec.defaults:
        yield function, "takes more than plain arguments"
    local = {arg.arg for arg in spec.args}
    local |= {n.id for n in _nodes(function) if isinstance(n, ast.Name) and _stored(n)}
    for node in _nodes(function):
        if isinstance(node, ast.stmt) and not isinstance(node, STATEMENTS):
            yield node, f"{type(node).__name__} is not for kernels"
        elif isinstance(node, ast.Expr) and not isinstance(node.value, ast.Call | ast.Constant):
            yield node, "a statement without effect"
        elif isinstance(node, ast.expr) and not isinstance(node, EXPRESSIONS):
            yield node, f"{type(node).__name__} is not for kernels"
        elif isinstance(node, ast.For) and not _over_range(node):
            yield node, "a kernel loops over range(...) only"
        elif isinstance(node, ast.Constant) and type(node.value) not in (int, bool, str):
            yield node, f"{node.value!r} is no int"
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
            yield node, "a slice allocates"
        elif isinstance(node, ast.Name) and node.id not in local and not _known(node.id, names):
            yield node, f"{node.id} is no argument, local, int of the module, or kernel"
        for operator in _operators(node):
            if isinstance(operator, NOT_INTEGRAL):
                yield node, f"{type(operator).__name__} is not for ints"


def _nodes(function: ast.FunctionDef) -> Iterator[ast.stmt | ast.expr]:
    """Every statement and expression of the body, without its docstring and annotations."""
    docstring = ast.get_docstring(function) is not None
    todo: list[ast.AST] = list(function.body[1 if docstring else 0 :])
    while todo:
        node = todo.pop(0)
        if isinstance(node, ast.stmt | ast.expr):
            yield node
        annotation = node.annotation if isinstance(node, ast.AnnAssign) else None
        todo[:0] = [child for child in ast.iter_child_nodes(node) if child is not annotation]


def _stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def _over_range(loop: ast.For) -> bool:
    call = loop.iter
    name = call.func if isinstance(call, ast.Call) else None
    return isinstance(name, ast.Name) and name.id == "range" and not loop.orelse


def _operators(node: ast.AST) -> list[ast.AST]:
    if isinstance(node, ast.BinOp | ast.AugAssign):
        return [node.op]
    return list(node.ops) if isinstance(node, ast.Compare) else []


def _known(name: str, names: Mapping[str, Any]) -> bool:
    value = names.get(name)
    return name in BUILTINS or type(value) is int or is_kernel(value)


def all_kernels() -> dict[str, Callable[..., Any]]:
    """Every kernel of every game, and those that they share, by module and name."""
    parts = [
        getattr(registry.game(name), f.name) for name in registry.names() for f in fields(Game)
    ]
    modules = [part.__globals__ for part in parts if is_kernel(part)] + [vars(rng)]
    kernels = [f for names in modules for f in names.values() if is_kernel(f)]
    return {f"{f.__module__}.{f.__name__}": f for f in kernels}


@pytest.mark.parametrize("kernel", all_kernels().values(), ids=all_kernels().keys())
def test_a_kernel_can_be_compiled(kernel: Callable[..., Any]) -> None:
    assert complaints(inspect.getsource(kernel), kernel.__globals__) == []
    assert kernel.__closure__ is None
    assert inspect.getdoc(kernel)


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ("return [s[0]]", "List"),
        ("a, b = s[0], s[1]", "Tuple"),
        ("return sum(x for x in s)", "GeneratorExp"),
        ("return s[1:3]", "Slice"),
        ("raise ValueError", "Raise"),
        ("try:\n        s[0] = 1\n    finally:\n        s[0] = 2", "Try"),
        ("return s[0].bit_count()", "Attribute"),
        ("def inner():\n        return 0", "FunctionDef"),
        ("return lambda: s", "Lambda"),
        ("return s[0] / 2", "Div"),
        ("return 2 ** s[0]", "Pow"),
        ("return 1 in s", "In"),
        ("return 0.5", "0.5 is no int"),
        ("return None", "None is no int"),
        ("for x in s:\n        s[0] = x", "range(...) only"),
        ("return len(s)", "len is no argument"),
        ("return table[s[0]]", "table is no argument"),
        ("return plain(s)", "plain is no argument"),
        ("s[0]", "without effect"),
        ("assert s[0]", "Assert"),
        ("return f'{s[0]}'", "JoinedStr"),
        ("global n", "Global"),
        ("import math", "Import"),
    ],
)
def test_what_cannot_be_compiled_is_complained_of(body: str, complaint: str) -> None:
    names = {"table": (1, 2), "plain": len, "SIZE": 3}
    lines = complaints(f"def bad(s):\n    {body}\n", names)
    assert any(complaint in line for line in lines), lines


def test_a_plain_kernel_has_no_complaint() -> None:
    source = '''
    def good(s: Ints, n: int) -> int:
        """Loops, conditions, locals, ints of the module, and other kernels."""
        total: int = 0
        for i in range(0, n, SIZE):
            total += below(s, n) if s[i] >> 1 & 1 else -s[i] // 2
        while not total < 0 and total != SIZE:
            total -= abs(total)
        return total
    '''
    assert complaints(source.strip("\n"), {"SIZE": 3, "below": rng.below}) == []


def test_defaults_are_complained_of() -> None:
    assert complaints("def bad(s, n=1):\n    return n\n", {})
