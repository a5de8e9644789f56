"""The law of a kernel's source: it is written so that it can be compiled, read with ast."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from games.game import Game
from games.kernel import is_kernel
from games.laws.sample import Sample, require

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


def complaints(source: str, names: Mapping[str, Any], first: int = 1) -> list[str]:
    """What is wrong with the kernel in `source`, whose module holds `names`; its first line."""
    function = ast.parse(textwrap.dedent(source)).body[0]
    assert isinstance(function, ast.FunctionDef)
    return [
        f"line {first + node.lineno - 1}: {what}" for node, what in _complaints(function, names)
    ]


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


def compilable(sample: Sample) -> None:
    """Kernels are written so that they can be compiled, and say what they do."""
    for kernel in kernels_of(sample.game).values():
        sample.tried += 1
        name = f"{kernel.__name__}()"
        lines, first = inspect.getsourcelines(kernel)
        for line in complaints("".join(lines), kernel.__globals__, first):
            require(False, f"{name} in {inspect.getsourcefile(kernel)}, {line}")
        require(kernel.__closure__ is None, f"{name} is a closure")
        require(bool(inspect.getdoc(kernel)), f"{name} has no docstring")


def kernels_of(game: Game) -> dict[str, Callable[..., Any]]:
    """Every kernel of the modules that a game's kernels are from, by module and name."""
    modules = [part.__globals__ for f in fields(Game) if is_kernel(part := getattr(game, f.name))]
    kernels = [f for names in modules for f in names.values() if is_kernel(f)]
    return {f"{f.__module__}.{f.__name__}": f for f in kernels}
