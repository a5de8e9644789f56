"""Scripts and style sheets without comments and indentation: a quarter of them when packed.

Lines stay where they are, so that a line of an error is a line of the source.  Only what is surely
a comment is left out: one that has its lines to itself, or stands behind plain code.  For that,
nothing else may reach over the end of a line; where something seems to, a file stays as it is.
"""

from __future__ import annotations

import re
from typing import Final

MINIFIED: Final = (".css", ".js")
OWN_LINES: Final = re.compile(r"^[ \t]*/\*.*?\*/", re.MULTILINE | re.DOTALL)
LINE: Final = re.compile(r"^[ \t]*//.*$", re.MULTILINE)
# Behind something that holds no text and no pattern, so that this is no part of one.
BEHIND: Final = re.compile(r"""^([^"'`/\n]+?)[ \t]+//.*$""", re.MULTILINE)
AMID: Final = re.compile(r"""^([^"'`/\n]*)/\*\*[^*\n]*\*/[ ]?""", re.MULTILINE)
INDENT: Final = re.compile(r"^[ \t]+|[ \t]+$", re.MULTILINE)
OPEN: Final = re.compile(r"/\*(?!.*\*/)|\\$", re.MULTILINE)  # a comment, or a text, that goes on


def minify(suffix: str, text: str) -> str:
    """Return a file of one of these kinds as it is sent."""
    bare = OWN_LINES.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    if suffix == ".js":
        bare = BEHIND.sub(r"\1", AMID.sub(r"\1", LINE.sub("", bare)))
    if OPEN.search(bare) or any(line.count("`") % 2 for line in bare.splitlines()):
        return text  # a text in backticks has lines of its own
    return INDENT.sub("", bare)
