"""Messages at random, made from the types that their fields declare.

They cost a tenth of what tests/protocol/strategies.py draws, so each class can have many.  Every
second number and text is one at an edge.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

from msgspec import inspect as mi

from protocol.parts import MAX_INT

Make = Callable[[Random], Any]
EDGES = (-(2**31) - 1, -129, -33, -32, -1, 0, 1, 127, 128, 255, 256, 2**16, 2**31, 2**32)
TEXTS = ("", "a", "x" * 31, "x" * 32, "é" * 130, '\x00\n"\\/', "\u2028\u202e", "🎲\U0010ffff")
LETTERS = 'ab09 _-/:+\\"\x7f\x85äßЖ中\ud7ff\ue000🎲'


@cache
def maker(cls: type[Any]) -> Make:
    """What makes messages of a class; a field with a default is left at it half of the time."""
    return _value(mi.type_info(cls))


def _value(kind: mi.Type) -> Make:
    match kind:
        case mi.Metadata(type=inner):
            return _value(inner)
        case mi.StructType():
            return _struct(kind)
        case mi.UnionType(types=types):
            return _one_of([_value(t) for t in types])
        case mi.IntType(ge=low, le=high):
            return _integer(-MAX_INT if low is None else low, MAX_INT if high is None else high)
        case mi.FloatType(ge=low, le=high):
            return _float(-1e15 if low is None else low, 1e15 if high is None else high)
        case mi.StrType(max_length=most):
            texts = [text for text in TEXTS if most is None or len(text) <= most]
            return _one_of([lambda rng: rng.choice(texts), _text])
        case mi.BoolType():
            return lambda rng: rng.random() < 0.5
        case mi.NoneType():
            return lambda rng: None
        case mi.LiteralType(values=values):
            return lambda rng: rng.choice(values)
        case mi.TupleType(item_types=types):
            items = [_value(t) for t in types]
            return lambda rng: tuple([make(rng) for make in items])
        case mi.VarTupleType(item_type=item):
            one = _value(item)
            return lambda rng: tuple([one(rng) for _ in range(rng.randrange(4))])
        case mi.ListType(item_type=item):
            each = _value(item)
            return lambda rng: [each(rng) for _ in range(rng.randrange(4))]
        case mi.DictType(key_type=key, value_type=value):
            name, content = _value(key), _value(value)
            return lambda rng: {name(rng): content(rng) for _ in range(rng.randrange(4))}
    raise TypeError(f"nothing makes a {kind}")


def _struct(kind: mi.StructType) -> Make:
    fields = [(field.name, field.required, _value(field.type)) for field in kind.fields]

    def make(rng: Random) -> Any:
        chosen = [field for field in fields if field[1] or rng.random() < 0.5]
        return kind.cls(**{name: value(rng) for name, _, value in chosen})

    return make


def _one_of(makes: list[Make]) -> Make:
    return lambda rng: rng.choice(makes)(rng)


def _integer(low: int, high: int) -> Make:
    edges = [low, high, *[edge for edge in EDGES if low < edge < high]]
    return _one_of([lambda rng: rng.choice(edges), lambda rng: rng.randint(low, high)])


def _float(low: float, high: float) -> Make:
    edges = [low, high, *[edge for edge in (-0.5, -0.0, 1e-300, 1 / 3, 7.0) if low <= edge <= high]]
    return _one_of([lambda rng: rng.choice(edges), lambda rng: rng.uniform(low, high)])


def _text(rng: Random) -> str:
    return "".join(rng.choices(LETTERS, k=rng.randrange(12)))
