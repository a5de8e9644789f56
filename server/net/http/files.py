"""The page's files, read once when a server starts: packed, named by their content, and cached.

They are few, and no path from outside reaches the disk.  What is asked for by its version never
changes, so a browser asks for it once; of anything else a browser asks whether what it has still
holds (ETag), and is told so in a few bytes.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Final, NamedTuple

from websockets.datastructures import Headers
from websockets.http11 import Response

from server.net.http.documents import (
    Versions,
    languages_of,
    unite_scripts,
    unite_styles,
    write_document,
)
from server.net.http.minify import MINIFIED, minify
from server.net.http.modules import read_needs
from server.net.http.preferences import best_language, takes_gzip
from server.net.http.responses import ASK_AGAIN, DOCUMENT, JSON, TEXT, policy, response

KINDS: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": JSON,
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": TEXT,
    ".webmanifest": "application/manifest+json",
}
KEEP: Final = "public, max-age=31536000, immutable"
VERSION_DIGITS: Final = 10  # hexadecimal: one file has few versions
LEVEL: Final = 9  # of gzip: it is done once


class PageFile(NamedTuple):
    """A file as it is sent.  packed: by gzip, if that makes it smaller; policy: of a document."""

    kind: str
    version: str
    body: bytes
    packed: bytes | None
    policy: str | None


class Site:
    """All files of the page; an HTML file is there once for each language."""

    def __init__(self, folder: Path | None) -> None:
        """Read a folder; None: there is no page.

        Raises:
            OSError: a file cannot be read.
        """
        bodies = _read(folder) if folder is not None else {}
        _unite_styles(bodies)
        modules = {path: body.decode() for path, body in bodies.items() if path.endswith(".js")}
        self.languages = languages_of(modules) or ("en",)
        self.files = {
            path: _file(Path(path).suffix, body)
            for path, body in bodies.items()
            if not path.endswith(".html")
        }
        needs = {path: read_needs(path, text) for path, text in modules.items()}
        pages = {path: body.decode() for path, body in bodies.items() if path.endswith(".html")}
        united = dict[str, dict[str, str]]()
        for path, html in pages.items():
            scripts = unite_scripts(html, path[1:].removesuffix(".html"), modules, needs)
            self.files |= {each: _file(".js", text.encode()) for each, (text, _) in scripts.items()}
            united[path] = {each: name for name, (_, all_) in scripts.items() for each in all_}
        versions = {path: file.version for path, file in self.files.items()}
        self.documents = {
            path: {
                each: _document(html, Versions(versions, needs, united[path]), each)
                for each in self.languages
            }
            for path, html in pages.items()
        }

    def respond(
        self, path: str, query: str, asked: Headers, status: HTTPStatus = HTTPStatus.OK
    ) -> Response | None:
        """Return the file at a path, or None; `asked` are the headers of the request."""
        file = self._find(path, asked)
        if file is None:
            return None
        body, encoding = file.body, None
        if file.packed is not None and takes_gzip(asked.get_all("Accept-Encoding")):
            body, encoding = file.packed, "gzip"
        tag = f'"{file.version}-{encoding}"' if encoding else f'"{file.version}"'
        is_this = query == f"v={file.version}"
        more = {"Cache-Control": KEEP if is_this else ASK_AGAIN, "ETag": tag}
        if vary := self._vary(path, file):
            more["Vary"] = vary
        if status is HTTPStatus.OK and _has(asked, tag):
            return _not_modified(more)
        if encoding:
            more["Content-Encoding"] = encoding
        if file.policy is not None:
            more |= {"Content-Security-Policy": file.policy, **DOCUMENT}
        return response(status, file.kind, body, more)

    def _find(self, path: str, asked: Headers) -> PageFile | None:
        if path not in self.documents:
            return self.files.get(path)
        language = best_language(asked.get_all("Accept-Language"), self.languages)
        by_language = self.documents[path]
        return by_language.get(language) or by_language[self.languages[0]]

    def _vary(self, path: str, file: PageFile) -> str:
        fields = ["Accept-Encoding"] if file.packed is not None else []
        if path in self.documents and len(self.languages) > 1:
            fields.append("Accept-Language")
        return ", ".join(fields)


def _has(asked: Headers, tag: str) -> bool:
    """Return whether the browser has what this tag names."""
    tags = ",".join(asked.get_all("If-None-Match")).split(",")
    return any(each.strip().removeprefix("W/") in (tag, "*") for each in tags)


def _not_modified(more: Mapping[str, str]) -> Response:
    status = HTTPStatus.NOT_MODIFIED
    unchanged = response(status, "", b"", more)
    for name in ("Content-Length", "Content-Type"):
        del unchanged.headers[name]
    return unchanged


def _read(folder: Path) -> dict[str, bytes]:
    return {
        "/" + path.relative_to(folder).as_posix(): _slim(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix in KINDS
    }


def _unite_styles(bodies: dict[str, bytes]) -> None:
    """Let each HTML file have one style sheet, if all are there that it has now."""
    for name in [path for path in bodies if path.endswith(".html")]:
        united = f"/styles{name.removesuffix('.html')}.css"
        html, sheets = unite_styles(bodies[name].decode(), united)
        if sheets and all(sheet in bodies for sheet in sheets):
            bodies[name] = html.encode()
            bodies[united] = b"\n".join(bodies[sheet] for sheet in sheets)


def _slim(path: Path) -> bytes:
    if path.suffix not in MINIFIED:
        return path.read_bytes()
    return minify(path.suffix, path.read_text("utf-8")).encode()


def _file(suffix: str, body: bytes, rules: str | None = None) -> PageFile:
    if suffix == ".svg":  # it can be opened by itself
        rules = policy()
    packed = gzip.compress(body, LEVEL, mtime=0)
    version = hashlib.sha256(body + (rules or "").encode()).hexdigest()[:VERSION_DIGITS]
    return PageFile(
        KINDS[suffix], version, body, packed if len(packed) < len(body) else None, rules
    )


def _document(html: str, known: Versions, language: str) -> PageFile:
    written = write_document(html, known, language)
    return _file(".html", written.html.encode(), written.policy)
