"""The law of a kernel's source: rng's kernels keep it, and what cannot be compiled is found."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from games import rng
from games.kernel import is_kernel
from games.laws.source import complaints

SHARED = [f for f in vars(rng).values() if is_kernel(f)]


@pytest.mark.parametrize("kernel", SHARED)
def test_a_kernel_that_games_share_can_be_compiled(kernel: Callable[..., Any]) -> None:
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
