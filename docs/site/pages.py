"""Makes the site's pages of the texts that lie elsewhere, each where it has its one home.

mkdocs calls this (mkdocs.yml: hooks).  README.md is the first page, protocol/SPEC.md,
CONTRIBUTING.md and CHANGELOG.md are pages too, and a link to a source file leads to a page that
shows it.  Links are written for whoever reads the files where they lie; here they are made to lead
to the pages.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

from tests.lab.tracing import pages as searches

ROOT: Final = Path(__file__).parents[2]
WHOLE: Final = {  # files outside of docs/ -> the pages that they are
    "README.md": "index.md",
    "protocol/SPEC.md": "protocol.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
}
ASSETS: Final = {"client/web/icon.svg": "site/icon.svg"}
SECTIONS: Final = {"bots": "Bots", "reference": "Protocol", "ideas": "Design"}  # of the navigation
LEFT: Final = "Results"  # ... and that of pages which nobody has put anywhere
LANGUAGES: Final = {".py": "python", ".js": "js", ".toml": "toml", ".html": "html", "": "text"}

_FENCE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s#]*)(#[^)\s]*)?\)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Put pages of docs/ that the navigation does not name at the end of their section."""
    named = set(_named(config.nav))
    docs = ROOT / "docs"
    for file in sorted(docs.rglob("*.md")):
        uri = file.relative_to(docs).as_posix()
        if uri not in named:
            section = SECTIONS.get(uri.split("/")[0], LEFT)
            pages = next(s[section] for s in config.nav or [] if section in s)
            pages.append(uri)
    return config


def _named(nav: Any) -> list[str]:
    """The pages of a navigation."""
    if isinstance(nav, str):
        return [nav]
    below = nav.values() if isinstance(nav, dict) else nav or []
    return [uri for part in below for uri in _named(part)]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are made of other files, and those of the files that they link to."""
    texts = {f"docs/{f.src_uri}": f.content_string for f in files if f.src_uri.endswith(".md")}
    for file, uri in WHOLE.items():
        text = (ROOT / file).read_text("utf-8")
        files.append(File.generated(config, uri, content=text))
        texts[file] = text
    for bot in searches.NODES:
        page = searches.made(bot)
        files.append(File.generated(config, f"search/{bot}.html", content=page))
    for file, uri in ASSETS.items():
        files.append(File.generated(config, uri, content=(ROOT / file).read_bytes()))
    shown = {path for source, text in texts.items() for path in _shown(source, text)}
    for path in sorted(shown):
        page = File.generated(
            config, f"source/{path}.md", content=_page_of(path),
            inclusion=InclusionLevel.NOT_IN_NAV,
        )  # fmt: skip
        files.append(page)
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Have links lead to pages."""
    uri = page.file.src_uri
    if uri.startswith("source/"):
        return markdown
    return _outside_of_fences(markdown, lambda text: _LINK.sub(_relinked(uri), text))


def _outside_of_fences(text: str, change: Callable[[str], str]) -> str:
    pieces = _FENCE.split(text)
    return "".join(p if p.startswith("```") else change(p) for p in pieces)


def _source(uri: str) -> str:
    """The file of the source tree that a page is made of."""
    whole = {made: file for file, made in WHOLE.items()}
    return whole.get(uri, f"docs/{uri}")


def _relinked(uri: str) -> Callable[[re.Match[str]], str]:
    """What makes a link of the source of `uri` one of the page."""

    def relink(link: re.Match[str]) -> str:
        path, anchor = link[1], link[2] or ""
        if not path:
            return link[0]
        target = _target(posixpath.normpath(posixpath.join(posixpath.dirname(_source(uri)), path)))
        return f"]({posixpath.relpath(target, posixpath.dirname(uri) or '.')}{anchor})"

    return relink


def _target(path: str) -> str:
    """Where a file of the source tree is in the site."""
    if path in WHOLE:
        return WHOLE[path]
    if path.startswith("docs/search/") or (path.startswith("docs/") and (ROOT / path).is_file()):
        return path.removeprefix("docs/")
    return f"source/{path}.md"


def _shown(source: str, text: str) -> set[str]:
    """The files that a text links to and that have no place in the site but a page of their own."""
    paths = {
        posixpath.normpath(posixpath.join(posixpath.dirname(source), link[1]))
        for link in _LINK.finditer(_outside_of_fences(text, lambda part: part))
        if link[1]
    }
    return {path for path in paths if _target(path).startswith("source/")}


def _page_of(path: str) -> str:
    """A page that shows a file; of a folder, its files."""
    place = ROOT / path
    if place.is_dir():
        names = sorted(f.name for f in place.iterdir() if f.is_file())
        link = posixpath.relpath(path.removeprefix("docs/"), posixpath.dirname(f"source/{path}"))
        return "\n".join([f"# {path}/", "", *(f"- [{name}]({link}/{name})" for name in names)])
    fence = LANGUAGES.get(place.suffix, "text")
    return f"# {path}\n\n````{fence}\n{place.read_text('utf-8')}````\n"
