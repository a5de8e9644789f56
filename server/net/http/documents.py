"""The page's HTML files as they are sent: with all that is known of the other files when it starts.

A link to one of the page's files gets its version (`/main.js?v=0a1b2c3d4e`), under which a browser
keeps it for good.  Modules name each other without one: an import map says which they are.  And so
that a browser need not read one module to hear of the next, all that a page needs at once are named
in its head (`modulepreload`): the script itself, which a browser would else fetch after all others;
the texts in the language of the browser that asks, the longest of them, so that small ones come
beside it; then the rest; and after them, with less haste, what its script says that it imports
later.  Style sheets come as one.

Modules come as two scripts where they can (see scripts.py): what is needed at once, and what is
imported later.

The sources have nothing of this, and work without it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from server.net.http.modules import Needs, needed_at_once, needed_ever
from server.net.http.responses import policy
from server.net.http.scripts import unite

LINK: Final = re.compile(r'(\b(?:href|src)=")(/[\w./-]+)(?=")')
SCRIPT: Final = re.compile(r'<script type="module" src="(/[\w./-]+)"')
STYLE: Final = re.compile(r'<link rel="stylesheet" href="(/[\w./-]+\.css)">\n?')
WORDS: Final = re.compile(r"(/texts/(?:\w+/)?)words\.js")  # chooses one of the files beside it


class Versions(NamedTuple):
    """What is known of the other files.  versions: path -> version; needs: of each module; united:
    the script in which a module comes, where it does not come alone.
    """

    versions: Mapping[str, str]
    needs: Mapping[str, Needs]
    united: Mapping[str, str]

    def address(self, path: str) -> str:
        path = self.united.get(path, path)
        return f"{path}?v={self.versions[path]}" if path in self.versions else path


class WrittenDocument(NamedTuple):
    """An HTML file as it is sent, and its Content-Security-Policy."""

    html: str
    policy: str


def text_files(paths: Iterable[str], language: str) -> list[str]:
    chosen = (WORDS.fullmatch(path) for path in paths)
    return [f"{match[1]}{language}.js" for match in chosen if match is not None]


def languages_of(paths: Iterable[str]) -> tuple[str, ...]:
    found = (re.fullmatch(r"/texts/([a-z]{2,3})\.js", path) for path in paths)
    return tuple(match[1] for match in found if match is not None)


def write_document(html: str, known: Versions, language: str) -> WrittenDocument:
    """Return an HTML file as somebody gets it who reads this language."""
    scripts = _scripts(html, known.needs)
    linked = LINK.sub(lambda link: link[1] + known.address(link[2]), html)
    if not scripts:
        return WrittenDocument(linked, policy())
    at_once = _united(needed_at_once(script, known.needs) for script in scripts)
    hurried = [at_once[0], *text_files(at_once, language), *at_once[1:]]
    modules = _united(needed_ever(script, known.needs) for script in scripts)
    beside = (path.removesuffix(".js") + ".css" for path in modules)  # as a board has one
    style_sheets = [path for path in beside if path in known.versions]
    mapped = {path: known.address(path) for path in (*modules, *style_sheets)}
    import_map = json.dumps({"imports": mapped}, separators=(",", ":"))
    soon = _needed_soon(scripts, at_once, known.needs)
    preloads = _preloads(hurried, known, "") + _preloads(soon, known, ' fetchpriority="low"')
    head = f'<script type="importmap">{import_map}</script>{preloads}\n'
    begin = linked.index('<script type="module"')
    return WrittenDocument(linked[:begin] + head + linked[begin:], policy(_hash(import_map)))


def _preloads(paths: Iterable[str], known: Versions, haste: str) -> str:
    addresses = dict.fromkeys(known.address(path) for path in paths if path in known.versions)
    return "".join(f'\n<link rel="modulepreload" href="{each}"{haste}>' for each in addresses)


def unite_scripts(
    html: str, name: str, texts: Mapping[str, str], needs: Mapping[str, Needs]
) -> dict[str, tuple[str, list[str]]]:
    """Return the scripts in which the modules of an HTML file come together, by their paths: each
    with its text and the modules in it.
    """
    scripts = _scripts(html, needs)
    at_once = _united(needed_at_once(script, needs) for script in scripts)
    parts = {
        f"/scripts/{name}.js": at_once,
        f"/scripts/{name}.later.js": _needed_soon(scripts, at_once, needs),
    }
    together = {path: (unite(modules, texts, needs), modules) for path, modules in parts.items()}
    return {
        path: (text, modules)
        for path, (text, modules) in together.items()
        if text is not None and len(modules) > 1
    }


def _scripts(html: str, needs: Mapping[str, Needs]) -> list[str]:
    return [script for script in SCRIPT.findall(html) if script in needs]


def _needed_soon(
    scripts: Iterable[str], at_once: Sequence[str], needs: Mapping[str, Needs]
) -> list[str]:
    """Return what the scripts of a page say that they import later, and what that needs."""
    later = (needed_at_once(path, needs) for script in scripts for path in needs[script].later)
    return [path for path in _united(later) if path not in at_once]


def unite_styles(html: str, path: str) -> tuple[str, list[str]]:
    """Return an HTML file with one link, to `path`, in place of those to its style sheets; and the
    sheets that must lie there, in their order.
    """
    sheets = STYLE.findall(html)
    if len(sheets) < 2:
        return html, []
    one, _, others = html.partition(f'href="{sheets[0]}"')
    return f'{one}href="{path}"' + STYLE.sub("", others), sheets


def _united(lists: Iterable[list[str]]) -> list[str]:
    return list(dict.fromkeys(path for paths in lists for path in paths))


def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
