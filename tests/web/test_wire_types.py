"""The types that the page is checked by, written from the protocol's Structs, field by field:

    python -m tests.web.test_wire_types > build/types/library/messages.d.ts

tests/web/checks/package.json does so before it has tsc check the page.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec.inspect as inspect
from msgspec import NODEFAULT

from protocol import codec
from protocol.reading.imported import ImportedMatch
from protocol.records.document import ReplayDocument
from server.admin.core import views
from server.services.invitations import InvitationCard

HEAD = """\
/* What travels between server and page, as types: protocol/messages.py, ladder.py, analysis.py and
   past.py, the documents of protocol/records/document.py, protocol/reading/imported.py and
   server/services/invitations.py, and the rows of server/admin/core/views.py.  Written by
   tests/web/test_wire_types.py.  A field that holds its default may be left out. */
"""
REQUESTS, PUSHES = tuple(codec.REQUESTS.values()), tuple(codec.REPLIES.values())
HOST_ROWS = (
    views.VisitorRow, views.RoomView, views.RestrictionRow, views.NodeView, views.DiskRow,
    views.LogRow,
)  # fmt: skip
PLAIN = {
    inspect.StrType: "string", inspect.IntType: "number", inspect.FloatType: "number",
    inspect.BoolType: "boolean", inspect.NoneType: "null", inspect.AnyType: "unknown",
}  # fmt: skip


def declarations() -> str:
    """The whole file: the messages that the page sends and reads, their parts, and two unions."""
    structs: dict[str, inspect.StructType] = {}
    for root in (*REQUESTS, *PUSHES, ReplayDocument, ImportedMatch, InvitationCard, *HOST_ROWS):
        _collect(inspect.type_info(root), structs)
    interfaces = [_interface(name, structs[name]) for name in sorted(structs)]
    unions = [_union("AnyRequest", REQUESTS), _union("AnyPush", PUSHES)]
    return "\n".join([HEAD, *interfaces, *unions])


def _collect(kind: inspect.Type, structs: dict[str, inspect.StructType]) -> None:
    """Put a type's Structs into `structs`, by name."""
    if isinstance(kind, inspect.StructType):
        known = structs.setdefault(kind.cls.__name__, kind)
        assert known.cls is kind.cls, f"two Structs are called {kind.cls.__name__}"
        if known is not kind:
            return
        for field in kind.fields:
            _collect(field.type, structs)
    for part in _parts(kind):
        _collect(part, structs)


def _parts(kind: inspect.Type) -> Iterator[inspect.Type]:
    match kind:
        case inspect.UnionType():
            yield from kind.types
        case inspect.TupleType():
            yield from kind.item_types
        case inspect.ListType() | inspect.VarTupleType():
            yield kind.item_type
        case inspect.DictType():
            yield kind.value_type


def _interface(name: str, struct: inspect.StructType) -> str:
    fields = [f'type: "{struct.tag}"'] if struct.tag_field else []
    for field in struct.fields:
        optional = field.default is not NODEFAULT or field.default_factory is not NODEFAULT
        fields.append(f"{field.encode_name}{'?' if optional else ''}: {_written(field.type)}")
    line = f"export interface {name} {{ {'; '.join(fields)} }}\n"
    if len(line) <= 100:
        return line
    return "\n".join([f"export interface {name} {{", *(f"  {field};" for field in fields), "}\n"])


def _union(name: str, classes: tuple[type, ...]) -> str:
    return (
        "\n".join([f"export type {name} =", *(f"  | {each.__name__}" for each in classes)]) + ";\n"
    )


def _written(kind: inspect.Type) -> str:
    match kind:
        case inspect.StructType():
            return kind.cls.__name__
        case inspect.LiteralType():
            return " | ".join(
                f'"{each}"' if isinstance(each, str) else str(each) for each in kind.values
            )
        case inspect.UnionType():
            return " | ".join(_written(each) for each in kind.types)
        case inspect.TupleType():
            return f"[{', '.join(_written(each) for each in kind.item_types)}]"
        case inspect.ListType() | inspect.VarTupleType():
            inner = _written(kind.item_type)
            return f"({inner})[]" if " | " in inner else f"{inner}[]"
        case inspect.DictType():
            return f"Record<string, {_written(kind.value_type)}>"
        case _:
            return PLAIN[type(kind)]


def test_every_message_of_the_page_has_a_type() -> None:
    text = declarations()
    assert [
        kind for kind in (*REQUESTS, *PUSHES) if f"interface {kind.__name__} " not in text
    ] == []


if __name__ == "__main__":
    print(declarations(), end="")
