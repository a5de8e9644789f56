"""`plyhouse man`: the manual page, made from the parsers of all commands.

In a terminal it is shown by `man`; elsewhere it is printed, in the language of manual pages
(roff with the macros of man(7)), which `man -l` and `mandoc` read.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from typing import Final, NamedTuple

_EXIT_CODES: Final = (
    ("0", "It was done."),
    ("1", "It went wrong: no server, or what was checked does not hold."),
    ("2", "The arguments make no sense, or name what is not there."),
    ("3 to 6", "Depend on the command, which tells of them above."),
    ("130", "It was ended by Ctrl-C."),
)


class Manual(NamedTuple):
    """What a manual page tells: `environment` has rows of a name and what it is for."""

    version: str
    about: str
    commands: list[argparse.ArgumentParser]
    environment: list[tuple[str, str]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--print", action="store_true", help="print it, also in a terminal")


def show(args: argparse.Namespace, manual: Manual) -> int:
    """Show the page, or print it where there is no terminal; return an exit code."""
    page = roff(manual)
    viewer = shutil.which("man")
    if viewer is None or args.print or not sys.stdout.isatty():
        print(page, end="")
        return 0
    return subprocess.run([viewer, "-l", "-"], input=page, text=True, check=False).returncode


def roff(manual: Manual) -> str:
    """Return the page, line by line in roff."""
    lines = [
        f'.TH PLYHOUSE 1 "" "Plyhouse {_text(manual.version)}" "User commands"',
        ".nh",  # no hyphens that one could copy by mistake, and no wide gaps
        ".ad l",
        ".SH NAME",
        "plyhouse \\- a house for board games",
        ".SH SYNOPSIS",
        ".B plyhouse",
        ".I COMMAND",
        ".RI [ options ]",
        ".SH DESCRIPTION",
        *_paragraph(manual.about),
        ".SH COMMANDS",
    ]
    for parser in manual.commands:
        lines += _command(parser)
    lines += [".SH ENVIRONMENT", *_rows(manual.environment)]
    lines += [".SH EXIT STATUS", *_rows(_EXIT_CODES)]
    return "\n".join(lines) + "\n"


def _command(parser: argparse.ArgumentParser) -> list[str]:
    """A command, and below it those that it has of its own."""
    parser.color = False  # type: ignore[attr-defined]  # from Python 3.14 on it may have some
    usage = " ".join(parser.format_usage().removeprefix("usage: ").split())
    lines = [f".SS {_text(parser.prog)}", *_paragraph(parser.description or "")]
    lines += [".P", f".B {_quoted(usage)}"]
    below: list[argparse.ArgumentParser] = []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            abouts = {choice.dest: choice.help for choice in action._choices_actions}
            for name, each in action.choices.items():
                each.description = each.description or abouts.get(name)
                below.append(each)
        elif not isinstance(action, argparse._HelpAction) and action.help != argparse.SUPPRESS:
            lines += _argument(parser, action)
    if parser.epilog:
        lines += [".P", ".EX", *map(_line, parser.epilog.strip("\n").split("\n")), ".EE"]
    for each in below:
        lines += _command(each)
    return lines


def _argument(parser: argparse.ArgumentParser, action: argparse.Action) -> list[str]:
    """An option or an argument, and what it is for; as `--help` has it."""
    formatter = parser._get_formatter()
    heads = formatter._format_action_invocation(action)
    about = formatter._expand_help(action) if action.help else ""
    return [".TP", f".B {_quoted(heads)}", *(_paragraph(about) or ["\\&"])]


def _rows(rows: Iterable[tuple[str, str]]) -> list[str]:
    return [
        line for name, about in rows for line in (".TP", f".B {_quoted(name)}", *_paragraph(about))
    ]


def _paragraph(text: str) -> list[str]:
    """Return a text as lines that are filled anew, a sentence each."""
    flat = " ".join(text.split())
    return [_line(part) for part in re.split(r"(?<=[.!?]) (?=[A-Z])", flat) if part]


def _line(text: str) -> str:
    """Return a line whose beginning is not read as a request."""
    escaped = _text(text)
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped


def _quoted(text: str) -> str:
    return '"' + _text(text).replace('"', "\\(dq") + '"'


def _text(text: str) -> str:
    r"""Return a text in which a backslash, a hyphen and quotes are nothing but themselves."""
    marks = {"\\": "\\e", "-": "\\-", "`": "\\(ga", "'": "\\(aq", "^": "\\(ha", "~": "\\(ti"}
    return "".join(marks.get(c, c) for c in text)
