"""Imports every module of the product, and asks `plyhouse` what stdin lists, all in one process.

On stdout, as JSON: the modules that lack another, and how each command line ended.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

import plyhouse

ROOT = Path(plyhouse.__file__).parent
PACKAGES = ("bench", "bots", "client", "games", "lab", "protocol", "server")


def modules() -> Iterator[str]:
    for package in PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            parts = file.relative_to(ROOT).with_suffix("").parts
            if all(part.isidentifier() for part in parts) and parts[-1] != "__main__":
                yield ".".join(parts).removesuffix(".__init__")


def missing() -> dict[str, str | None]:
    """The modules that cannot be imported, each with what it lacks."""
    found = {}
    for name in modules():
        try:
            importlib.import_module(name)
        except ModuleNotFoundError as error:
            found[name] = error.name
    return found


def answer(words: list[str]) -> tuple[object, str]:
    """How a command line ended: its exit code, and all that it wrote."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            code: object = plyhouse.main(words)
        except SystemExit as end:
            code = end.code
        except Exception:  # noqa: BLE001  # that is what the test looks for
            code = None
            traceback.print_exc()
    return code, out.getvalue()


if __name__ == "__main__":
    lines = json.load(sys.stdin)
    answers = [answer(line.split()) for line in lines]  # before all is imported by itself
    json.dump({"missing": missing(), "answers": answers}, sys.stdout)
