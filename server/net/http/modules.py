"""Which of the page's modules need which: read from their text, once, when a server starts.

Only this is read of JavaScript: `import ... from "./x.js"`, `export ... from "./x.js"` and
`import "./x.js"` at the beginning of a line, and `import("./x.js")` anywhere, which comes later.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

AT_ONCE: Final = re.compile(
    r"""^(?:import|export)(?:[\w\s{},*$]*?[\s}*]from)?\s*["'](\.[^"'\n]+)["']""", re.MULTILINE
)
LATER: Final = re.compile(r"""\bimport\(\s*["'](\.[^"'\n]+)["']\s*\)""")
COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)  # `import(...)` in JSDoc is a type


class Needs(NamedTuple):
    """The paths of the modules that one imports: before it runs, and perhaps later."""

    at_once: tuple[str, ...]
    later: tuple[str, ...]


def read_needs(path: str, text: str) -> Needs:
    """Return what the module at this path, such as /table/table.js, imports."""
    code = COMMENT.sub("", text)
    return Needs(_resolved(path, AT_ONCE.findall(code)), _resolved(path, LATER.findall(code)))


def _resolved(path: str, specifiers: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(absolute(path, each) for each in specifiers))


def absolute(path: str, specifier: str) -> str:
    """Return the path that the module at `path` means by `./x.js` or the like."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), specifier))


def needed_at_once(start: str, needs: Mapping[str, Needs]) -> list[str]:
    """Return all modules that must be there before `start` runs, itself first."""
    return _reached(start, needs, later=False)


def needed_ever(start: str, needs: Mapping[str, Needs]) -> list[str]:
    """Return all modules that may come once `start` runs, itself first."""
    return _reached(start, needs, later=True)


def _reached(start: str, needs: Mapping[str, Needs], later: bool) -> list[str]:
    """Return what is reached from a module, breadth first; what does not exist is left out."""
    paths = [start] if start in needs else []
    for path in paths:  # it grows meanwhile
        here = needs[path]
        for each in (*here.at_once, *(here.later if later else ())):
            if each in needs and each not in paths:
                paths.append(each)
    return paths
