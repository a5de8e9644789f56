"""How SPEC.md words the type and the default of a field."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from msgspec import inspect as mi

from protocol.parts import MAX_INT, Offer_


def kind_word(kind: mi.Type) -> str:
    """The type of a field; that it may be null is said by its default, where it has one."""
    match kind:
        case mi.Metadata(type=inner):
            return kind_word(inner)
        case mi.UnionType(types=types):
            words = [kind_word(t) for t in types if not isinstance(t, mi.NoneType)]
            null = ", or null" if len(words) < len(types) else ""
            return f"{' or '.join(words)}{null}"
        case mi.StructType(cls=cls):
            name = "OpenOffer" if cls is Offer_ else cls.__name__
            return f"[{name}](#{name.lower()})"
        case mi.LiteralType(values=values):
            return " or ".join([f"`{v}`" if isinstance(v, str) else str(v) for v in values])
        case mi.TupleType(item_types=(one, _)):
            return f"pair of: {kind_word(one).replace(', or', ' or')}"
        case mi.DictType(key_type=key, value_type=value, max_length=most):
            return f"map of {kind_word(key)} to {kind_word(value)}{_entries(most)}"
        case mi.VarTupleType(item_type=item):
            return f"list of: {kind_word(item)}"
        case mi.ListType(item_type=item, max_length=most):
            return f"list of: {kind_word(item)}{_entries(most)}"
    return _scalar(kind)


def _scalar(kind: mi.Type) -> str:
    match kind:
        case mi.StrType(max_length=None):
            return "text"
        case mi.StrType(max_length=most):
            return f"text of at most {most:,}"
        case mi.IntType(ge=0, le=most) if most == MAX_INT:
            return "whole number"
        case mi.IntType(ge=0, le=1):
            return "0 or 1"
        case mi.IntType(ge=low, le=high):
            return f"{low:,} to {high:,}"
        case mi.FloatType():
            return "number"
        case mi.BoolType():
            return "boolean"
    raise TypeError(f"no word for {kind}")


def _entries(most: int | None) -> str:
    return "" if most is None else f"; at most {most} entries"


def default_word(field: mi.Field) -> str:
    """What counts where the field is left out."""
    if field.required:
        return "required"
    return f"`{json.dumps(msgspec.to_builtins(_default(field)))}`"


def _default(field: mi.Field) -> Any:
    if field.default_factory is not msgspec.NODEFAULT:
        return field.default_factory()
    return field.default
