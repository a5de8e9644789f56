"""The pages of the protocol, SPEC.md and docs/reference, and how tests read them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"
SPEC = ROOT / "protocol" / "SPEC.md"
PAGES = {path: path.read_text("utf-8") for path in (SPEC, *sorted(REFERENCE.glob("*.md")))}
WHOLE = "\n".join(PAGES.values())
TRANSCRIPTS = ("A bot, message by message", "A person's evening")


def chapter(title: str, text: str = WHOLE) -> str:
    """The text under the one heading of the second level that is called so, on any page."""
    pattern = rf"^## {re.escape(title)}\n(.*?)(?=^##? |\Z)"
    (found,) = re.findall(pattern, text, re.MULTILINE | re.DOTALL)
    return str(found)


def page(name: str) -> str:
    """A page of the reference."""
    return PAGES[REFERENCE / f"{name}.md"]


def sections(text: str, level: str = "###") -> dict[str, str]:
    """The sections of a text by their headings of a level, in order."""
    pieces = re.split(rf"^{level} (.+)\n", text, flags=re.MULTILINE)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def rows(text: str) -> list[list[str]]:
    """The rows of all tables in a text, without their heads."""
    lines = re.findall(r"^\|(.*)\|$", text, re.MULTILINE)
    return [
        [cell.strip() for cell in line.split("|")]
        for line, after in zip(lines, [*lines, ""][1:], strict=True)
        if not re.fullmatch(r"[-|]+", line) and not re.fullmatch(r"[-|]+", after)
    ]


def fenced(language: str, text: str) -> list[str]:
    """The blocks of code of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def transcript(title: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The messages of a chapter with their arrows; `…` is filled in as transcript.md says."""
    last: dict[str, dict[str, Any]] = {}
    for block in fenced("text", chapter(title)):
        for arrow, said in re.findall(
            r"^([→←]) (.*?)(?=^[→←]|\Z)", block, re.MULTILINE | re.DOTALL
        ):
            whole = json.loads(said.replace(", …}", "}"))
            if "…" in said:
                changing = ("legal", "clocks", "offers", "result", "re")
                same = last[whole["type"]].items()
                whole = {k: v for k, v in same if k not in changing} | whole
            last[whole["type"]] = whole
            yield arrow, whole
