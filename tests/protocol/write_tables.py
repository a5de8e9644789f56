"""The tables of messages in docs/reference, made from their classes: a field's name, type, default.

Run as a program, it writes them into the pages; what a field means is written there by hand, and
stays.  A message that is new gets a section, in which the meanings are to be filled in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
from msgspec import inspect as mi

from protocol import parts
from protocol.analysis import ANALYSIS_PARTS, ANALYSIS_REPLIES, ANALYSIS_REQUESTS
from protocol.devices import DEVICE_REPLIES, DEVICE_REQUESTS, DeviceLine
from protocol.hints import HINT_REPLIES, HINT_REQUESTS
from protocol.ladder import LADDER_PARTS, LADDER_REPLIES, LADDER_REQUESTS
from protocol.messages import REPLIES, REQUESTS, Request
from protocol.past import PAST_PARTS, PAST_REPLIES, PAST_REQUESTS
from protocol.request import refusals_of
from tests.protocol.pages import PAGES, chapter, rows, sections

PARTS = [
    parts.Options, parts.ClockOptions, parts.Strength, parts.BotInfo, parts.Player,
    parts.Result, parts.Series, parts.Clocks, parts.Offer_, parts.Event, parts.RoomLine,
    parts.PersonLine, parts.BotLine, parts.GameInfo, DeviceLine,
]  # fmt: skip
# What stands in which chapter, and the field that all of it shares, which no table has.
CHAPTERS: dict[str, tuple[tuple[type[Any], ...], str]] = {
    "Requests": ((*REQUESTS, *HINT_REQUESTS, *DEVICE_REQUESTS), "id"),
    "What the server sends": ((*REPLIES, *HINT_REPLIES, *DEVICE_REPLIES), "re"),
    "Parts": (tuple(PARTS), ""),
    "Ladder requests": (LADDER_REQUESTS, "id"),
    "What the server sends of ladders": (LADDER_REPLIES, "re"),
    "Parts of ladders": (LADDER_PARTS, ""),
    "Analysis requests": (ANALYSIS_REQUESTS, "id"),
    "What the server sends of analyses": (ANALYSIS_REPLIES, "re"),
    "Parts of analyses": (ANALYSIS_PARTS, ""),
    "Requests about the past": (PAST_REQUESTS, "id"),
    "What the server sends of the past": (PAST_REPLIES, "re"),
    "Parts of the past": (PAST_PARTS, ""),
}
REFUSALS = "*Refusals:* "


def title_of(cls: type[Any]) -> str:
    """What the section of a message, or of a part of one, is called."""
    return "OpenOffer" if cls is parts.Offer_ else cls.__struct_config__.tag or cls.__name__


def written(path: Path, text: str) -> str:
    """A page with the tables of its messages as the classes have them."""
    for name in CHAPTERS:
        if f"## {name}\n" in text:
            old = chapter(name, text)
            text = text.replace(old, _chapter(path, name, old))
    return text


def _chapter(path: Path, name: str, text: str) -> str:
    there = sections(text)
    classes, shared = CHAPTERS[name]
    pieces = [text.partition("### ")[0]]
    for cls in classes:
        section = there.get(title_of(cls), f"\n{cls.__doc__}\n\n")
        pieces.append(f"### {title_of(cls)}\n{_section(path, cls, shared, section)}")
    return "".join(pieces)


def _section(path: Path, cls: type[Any], shared: str, text: str) -> str:
    """A section: what is said before and after its table, the table, and the refusals."""
    lines = [line for line in text.splitlines() if not line.startswith(REFUSALS)]
    meanings = {row[0]: row[3] for row in rows(text)}
    table = list(_table(path, cls, shared, meanings))
    at = next((n for n, line in enumerate(lines) if line.startswith("|")), len(lines))
    after = [line for line in lines[at:] if not line.startswith("|")]
    pieces = ["\n".join(lines[:at]), "\n".join(table)]
    if issubclass(cls, Request) and refusals_of(cls):
        pieces.append(REFUSALS + ", ".join([f"`{code}`" for code in refusals_of(cls)]))
    pieces.append("\n".join(after))
    whole = [piece.strip("\n") for piece in pieces]
    return "\n" + "\n\n".join(filter(None, whole)) + "\n\n"


def _table(path: Path, cls: type[Any], shared: str, meanings: dict[str, str]) -> Iterator[str]:
    info = mi.type_info(cls)
    assert isinstance(info, mi.StructType)
    fields = [field for field in info.fields if field.name != shared]
    if fields:
        yield "| field | type | default | meaning |"
        yield "|---|---|---|---|"
    for field in fields:
        kind = re.sub(r"\]\(#(\w+)\)", lambda link: _link(path, link[1]), kind_word(field.type))
        meaning = meanings.get(f"`{field.name}`", "")
        yield f"| `{field.name}` | {kind} | {default_word(field)} | {meaning} |"


def _link(path: Path, part: str) -> str:
    """The link to a part, which may stand on another page."""
    page = next(page for page, text in PAGES.items() if f"### {part}\n" in text.lower())
    return f"](#{part})" if page == path else f"]({page.name}#{part})"


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
            name = title_of(cls)
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
        case mi.IntType(ge=0, le=most) if most == parts.MAX_INT:
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


if __name__ == "__main__":
    for page, old in PAGES.items():
        page.write_text(written(page, old), "utf-8")
