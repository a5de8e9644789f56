"""Hypothesis strategies for any message, made from the types that its fields declare."""

from __future__ import annotations

from functools import cache
from struct import pack
from typing import Any

import msgpack
import msgspec
from hypothesis import strategies as st
from msgspec import inspect as mi

from protocol import codec
from protocol.parts import MAX_INT
from tests.support.text import any_text

ASKED = tuple(codec.REQUESTS.values())
TOLD = tuple(codec.REPLIES.values())
CLASSES = (*ASKED, *TOLD)
TEXT = any_text(12, surrogates=False)


@cache
def message(cls: type[Any]) -> st.SearchStrategy[Any]:
    """Messages of this class; a field with a default is left at it now and then."""
    return _value(mi.type_info(cls))


def _value(kind: mi.Type) -> st.SearchStrategy[Any]:
    match kind:
        case mi.Metadata(type=inner):
            return _value(inner)
        case mi.StructType(cls=cls, fields=fields):
            required = {f.name: _value(f.type) for f in fields if f.required}
            optional = {f.name: _value(f.type) for f in fields if not f.required}
            return st.fixed_dictionaries(required, optional=optional).map(
                lambda chosen: cls(**chosen)
            )
        case mi.UnionType(types=types):
            return st.one_of([_value(t) for t in types])
        case mi.IntType(ge=low, le=high):
            return st.integers(_or(low, -MAX_INT), _or(high, MAX_INT))
        case mi.FloatType(ge=low, le=high):
            return st.floats(_or(low, -MAX_INT), _or(high, MAX_INT))
        case mi.StrType():
            return TEXT
        case mi.BoolType():
            return st.booleans()
        case mi.NoneType():
            return st.none()
        case mi.LiteralType(values=values):
            return st.sampled_from(values)
        case mi.TupleType(item_types=types):
            return st.tuples(*[_value(t) for t in types])
        case mi.VarTupleType(item_type=item):
            return st.lists(_value(item), max_size=3).map(tuple)
        case mi.ListType(item_type=item):
            return st.lists(_value(item), max_size=3)
        case mi.DictType(key_type=key, value_type=value):
            return st.dictionaries(_value(key), _value(value), max_size=3)
    raise TypeError(f"no strategy for {kind}")


def _or(bound: int | float | None, otherwise: int) -> Any:
    return otherwise if bound is None else bound


def plain(value: object) -> Any:
    """What `value` is made of: maps, lists, texts, numbers."""
    return msgspec.to_builtins(value)


def packed(value: Any) -> bytes:
    """`value` as the msgpack package writes it, but for the head of a wide map.

    Of a struct of more than 15 fields msgspec writes the long head, however many of them are there.
    """
    packer = msgpack.Packer()
    if isinstance(value, msgspec.Struct):
        config = value.__struct_config__
        wide = len(value.__struct_fields__) + (config.tag is not None) > 15
        fields = {
            k: getattr(value, k, v) for k, v in plain(value).items()
        }  # `type` is no attribute
        head = b"\xde" + pack(">H", len(fields)) if wide else packer.pack_map_header(len(fields))
        return head + b"".join([packer.pack(k) + packed(v) for k, v in fields.items()])
    if isinstance(value, list | tuple):
        return bytes(packer.pack_array_header(len(value)) + b"".join(map(packed, value)))
    return bytes(packer.pack(value))


# Anything that msgpack or JSON can say, whatever we think of it.
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**63), 2**64 - 1),
    st.floats(),
    TEXT,
    st.binary(max_size=12),
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT | SCALARS, inner, max_size=4),
    max_leaves=12,
)
