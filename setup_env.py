"""Makes `.venv`: the hashed lock file's packages, then this project itself.  Standard library only.

    python3 setup_env.py run     what a server, a bot or a player needs   (requirements.lock)
    python3 setup_env.py dev     the same and the tools that test it      (requirements-dev.lock)

These are the first half of `make run` and `make test`; the second half, without make, is

    .venv/bin/plyhouse up        (Windows: .venv\\Scripts\\plyhouse up)
    .venv/bin/python -m pytest

A stamp says what a finished environment was made from; while that holds, there is nothing to do.
This file must parse on Python 3.8, so that an old Python can say that it is too old.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
OLDEST = (3, 11)
LOCKS = {"run": "requirements.lock", "dev": "requirements-dev.lock"}


def stamp(kind: str, root: Path) -> str:
    """The stamp of a finished environment; it holds absolute paths, so its folder counts too."""
    parts = [(root / name).read_bytes() for name in ("pyproject.toml", LOCKS[kind])]
    return f"{root}\n{kind} {hashlib.sha256(b'|'.join(parts)).hexdigest()}\n"


def obstacle() -> str | None:
    """Why this Python cannot make the environment; None if it can."""
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if sys.version_info[:2] < OLDEST:
        return f"Plyhouse needs Python 3.11 or newer; this is {version}."
    if not all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")):
        package = f"python{version}-venv"
        return f"this Python cannot make environments; on Debian or Ubuntu: apt install {package}"
    return None


def run(command: list[str], failure: str) -> None:
    """Run a command, which prints its own errors; SystemExit with a sentence if it fails."""
    if subprocess.run(command, cwd=ROOT, check=False).returncode:
        sys.exit(f"Set-up: {failure}")


def make(kind: str, venv: Path) -> None:
    """Make the environment, or bring it up to date."""
    file = venv / "plyhouse-stamp"
    python = venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    old = file.read_text(encoding="utf-8") if file.exists() else ""
    if python.exists() and old in (stamp(kind, ROOT), stamp("dev", ROOT)):  # dev holds all of run
        return
    sys.stderr.write(f"Set-up: {LOCKS[kind]} into {venv.name}; this may take a minute or two.\n")
    # One that was moved, or left unfinished, is made anew; one without a stamp was made by hand.
    clear = ["--clear"] if old and not old.startswith(f"{ROOT}\n") else []
    maker = getattr(sys, "_base_executable", None) or sys.executable  # not that of the .venv itself
    run([maker, "-m", "venv", *clear, str(venv)], f"Python could not make {venv.name}.")
    file.write_text("unfinished", encoding="utf-8")
    # -I: packages on a PYTHONPATH do not count as installed.  --no-deps: the lock is complete.
    pip = [str(python), "-I", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    lock = ["--no-deps", "--no-compile", "--require-hashes", "-r", LOCKS[kind]]
    run([*pip, *lock], f"pip could not install {LOCKS[kind]}; is this machine online?")
    project = ["--no-deps", "--no-build-isolation", "-e", "."]
    run([*pip, *project], "pip could not install Plyhouse itself.")
    file.write_text(stamp(kind, ROOT), encoding="utf-8")


def main(arguments: list[str]) -> int:
    """The command line: the exit code."""
    if len(arguments) != 1 or arguments[0] not in LOCKS:
        print((__doc__ or "").strip())
        return 0 if arguments in (["-h"], ["--help"]) else 2
    if sentence := obstacle():
        sys.stderr.write(f"Set-up: {sentence}\n")
        return 2
    try:
        make(arguments[0], ROOT / ".venv")
    except KeyboardInterrupt:
        sys.stderr.write("\nSet-up: interrupted; the next run makes it anew.\n")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
