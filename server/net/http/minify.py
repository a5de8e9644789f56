"""Scripts and style sheets without comments and spaces: a third of them when packed.

Lines stay where they are, so that a line of an error is a line of the source.  A script is read
token by token, for only so is it known what is a comment, what a text with spaces of its own, and
what a pattern; one that cannot be read so stays as it is.  Names are not shortened: that would need
to know the language, and a build.
"""

from __future__ import annotations

import re
from typing import Final

MINIFIED: Final = (".css", ".js")
GAP: Final = r"(?P<gap>(?:\s|//[^\n]*|/\*.*?\*/)+)"
TEXT: Final = r"""(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')"""
TOKEN: Final = re.compile(rf"{GAP}|{TEXT}|(?P<word>[\w$#]+)|(?P<sign>.)", re.DOTALL)
PATTERN: Final = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/\w*")
CHUNK: Final = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*(?:`|\$\{)", re.DOTALL)  # of a template
BEFORE_PATTERN: Final = frozenset("(,=:[!&|?{;>") | {"", "return", "\n"}
KEPT_APART: Final = re.compile(r"[\w$#]{2}|\+\+|--|//")
SHEET: Final = re.compile(r"/\*.*?\*/|(\"[^\"\n]*\")|[ \t]*([{};,])[ \t]*|(:)[ \t]+", re.DOTALL)
INDENT: Final = re.compile(r"^[ \t]+|[ \t]+$", re.MULTILINE)


def minify(suffix: str, text: str) -> str:
    """Return a file of one of these kinds as it is sent."""
    if suffix == ".css":
        bare = SHEET.sub(lambda m: m[1] or m[2] or m[3] or "\n" * m[0].count("\n"), text)
        return INDENT.sub("", bare)
    return _script(text)


def _script(text: str) -> str:
    parts: list[str] = []
    open_: list[int] = []  # of each template that is open, how many braces are in its expression
    before, gap, at = "", "", 0
    while at < len(text):
        end_of_expression = bool(open_) and text[at] == "}" and open_[-1] == 0
        if text[at] == "`" or end_of_expression:
            chunk = CHUNK.match(text, at + 1)
            if chunk is None:
                return text
            token = text[at] + chunk[0]
            if end_of_expression:
                open_.pop()
            if token.endswith("${"):
                open_.append(0)
        elif (found := _token(text, at, before)).lastgroup == "gap":
            at += len(found[0])
            gap = "\n" * found[0].count("\n") or " "
            continue
        else:
            token = found[0]
            if open_:
                open_[-1] += {"{": 1, "}": -1}.get(token, 0)
        at += len(token)
        if gap != " " or KEPT_APART.fullmatch(before[-1:] + token[0]):
            parts.append(gap)
        parts.append(token)
        before, gap = token, ""
    return text if open_ else "".join(parts) + gap.strip(" ")


def _token(text: str, at: int, before: str) -> re.Match[str]:
    """Return the token there; a slash begins a pattern where no value stands before it."""
    if text[at] == "/" and text[at + 1 : at + 2] not in ("/", "*") and before in BEFORE_PATTERN:
        pattern = PATTERN.match(text, at)
        if pattern is not None:
            return pattern
    token = TOKEN.match(text, at)
    assert token is not None  # its last way takes any character
    return token
