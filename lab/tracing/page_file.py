"""A trace as a page: one HTML file that needs nothing else, from a server, a disk or a mail.

Its scripts lie in page/, as modules; they and the boards' pictures of client/web are put into one
script, each module a scope of its own.
"""

from __future__ import annotations

import json
import re
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Final

from protocol.files import whole_file

PAGE: Final = Path(__file__).parent / "page"
WEB: Final = Path(__file__).parents[2] / "client" / "web"
DRAWN: Final = {  # the games that the page has pictures of, and whose file draws them
    "backgammon": "backgammon/picture.js",
    "connect_four": "connect_four.js",
    "tic_tac_toe": "tic_tac_toe.js",
    "ultimate_tic_tac_toe": "ultimate_tic_tac_toe.js",
}
WORDS: Final = WEB / "texts" / "words.js"
NO_WORDS: Final = "export const words = {};"  # a picture says nothing

_IMPORT = re.compile(r'^import\s+(\{[^}]*\}|\*\s+as\s+\w+)\s+from\s+"([^"]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export\s+((?:async\s+)?(?:function|class|const|let)\s+(\w+))", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*/\*.*?\*/[ \t]*\n?", re.MULTILINE | re.DOTALL)


def write_page(trace: dict[str, Any], path: Path) -> None:
    """Write the page of a trace.

    Raises:
        OSError: when it cannot be written.
    """
    whole_file.write(path, page(trace).encode())


def page(trace: dict[str, Any]) -> str:
    """The page of a trace, as text."""
    title = f"{trace['bot']} thinks about {trace['title'].lower()}"
    data = json.dumps(trace, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    parts = {
        "title": escape(title),
        "style": _style(trace["game"]),
        "trace": data.replace("<!--", "<\\u0021--"),
        "script": _script(trace["game"]),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda part: parts[part[1]], _read(PAGE / "page.html"))


@cache
def _read(path: Path) -> str:
    return path.read_text("utf-8")


def _style(game: str) -> str:
    """The page's own style sheet, and those of the game's board."""
    sheets = [WEB / "boards" / "grid" / "grid.css", WEB / "boards" / f"{game}.css"]
    return "\n".join([*(_read(s) for s in sheets if s.exists() and game in DRAWN),
                      _read(PAGE / "page.css")])  # fmt: skip


@cache
def _script(game: str) -> str:
    """All modules that the page needs, each after those that it imports."""
    picture = WEB / "boards" / DRAWN[game] if game in DRAWN else PAGE / "picture.js"
    replaced = {PAGE / "picture.js": picture}
    modules: dict[Path, str] = {}

    def gather(path: Path) -> None:
        if path in modules:
            return
        source = NO_WORDS if path == WORDS else _read(path)
        for _, name in _IMPORT.findall(source):
            gather(_found(path, name, replaced))
        modules[path] = _scope(path, source, replaced)

    gather(PAGE / "main.js")
    return "\n".join(["const modules = {};", *modules.values()])


def _found(path: Path, name: str, replaced: dict[Path, Path]) -> Path:
    found = (path.parent / name).resolve()
    return replaced.get(found, found)


def _scope(path: Path, source: str, replaced: dict[Path, Path]) -> str:
    """A module as a scope that takes what it imports from others', and leaves what it exports."""

    def take(part: re.Match[str]) -> str:
        names = part[1].removeprefix("* as ").replace(" as ", ": ")
        return f"const {names} = modules[{_key(_found(path, part[2], replaced))}];"

    exported = [name for _, name in _EXPORT.findall(source)]
    body = _EXPORT.sub(r"\1", _IMPORT.sub(take, _COMMENT.sub("", source))).strip()
    last = f"modules[{_key(path)}] = {{ {', '.join(exported)} }};"
    return f"{{\n{body}\n{last}\n}}"


def _key(path: Path) -> str:
    """What a module is called in the page."""
    root = PAGE if path.is_relative_to(PAGE) else WEB
    return json.dumps(path.relative_to(root).as_posix())
