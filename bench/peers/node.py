"""Colyseus: installed by npm into build/, and run by node.

The tree holds their sources, package.json and package-lock.json; nothing is ever installed into it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from bench.support.process import MeasuredServer
from bench.support.report import Missing, progress
from lab.arena.local_server import ROOT

SOURCES: Final = Path(__file__).parent
BUILD: Final = ROOT / "build" / "peers"
FILES: Final = ("package.json", "package-lock.json", "rules.js", "colyseus.js")
COLYSEUS: Final = "Colyseus"
PACKAGE: Final = "@colyseus/core"
INSTALL_LIMIT_S: Final = 180.0  # it takes 10 s, and minutes over a bad line


class NodeServer(MeasuredServer):
    """Colyseus, as its authors advise for production; it has no settings and no data."""

    def __init__(self, data: Path, installed: Path, *, core: int | None = None) -> None:
        super().__init__(data, core=core, env={"NODE_ENV": "production"})
        self._script = installed / "colyseus.js"

    def _command(self) -> list[str]:
        return ["node", str(self._script)]


def install(build: Path = BUILD) -> Path:
    """Install it into a folder below `build`, unless they are there; returns the folder.

    Raises:
        Missing: node or npm is not here, or npm cannot fetch them.
    """
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise Missing(f"Colyseus is left out, as there is no {program} here.")
    contents = b"\0".join((SOURCES / name).read_bytes() for name in FILES)
    folder = build / hashlib.sha256(contents).hexdigest()[:12]
    if folder.is_dir():
        return folder
    progress("npm fetches Colyseus into build/")
    build.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=build) as unfinished:
        work = Path(unfinished) / "work"
        work.mkdir()
        for name in FILES:
            shutil.copy(SOURCES / name, work)
        _fetch(work)
        with suppress(OSError):  # another measurement has just done the same
            work.rename(folder)
    return folder


def versions() -> str:
    node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False)
    return f"node {node.stdout.strip().removeprefix('v')}, Colyseus {pinned_versions()[PACKAGE]}"


def pinned_versions() -> dict[str, str]:
    dependencies: dict[str, str] = json.loads((SOURCES / "package.json").read_text("utf-8"))[
        "dependencies"
    ]
    return dependencies


def _fetch(folder: Path) -> None:
    """Install exactly what the lock file says, running nothing of it."""
    words: Sequence[str] = ("ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    try:
        done = subprocess.run(
            [shutil.which("npm") or "npm", *words],
            cwd=folder,
            env={**os.environ, "NO_UPDATE_NOTIFIER": "1"},
            capture_output=True,
            text=True,
            timeout=INSTALL_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Missing(
            f"Colyseus is left out: npm took more than {INSTALL_LIMIT_S:.0f} s."
        ) from None
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if "A complete log" not in line]
        why = " ".join(" ".join(lines).split())[:300] or f"exit code {done.returncode}"
        raise Missing(f"Colyseus is left out, as npm failed: {why}")
