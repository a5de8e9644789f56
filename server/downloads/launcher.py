"""Play at the server that this file came from, with nothing but Python:

    curl http://HOST:8765/play.py | python3 -
    curl http://HOST:8765/play.py | python3 - connect_four --against mcts

It makes an environment in the user's cache, once for each version of the server, installs Plyhouse
from the server into it, and starts `plyhouse play`.  What Plyhouse needs comes from the server, if
that has it, else from the internet.  This file must parse on Python 3.8, so that an old Python can
say that it is too old; the server puts its own address and wheel into the two lines below.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import venv
from pathlib import Path
from urllib.parse import urlsplit

URL = "http://127.0.0.1:8765"
WHEEL = "plyhouse-0-py3-none-any.whl#sha256=0"  # its name, and what pip is to find in it

OLDEST = (3, 11)


def obstacle() -> str | None:
    """Why this Python cannot play; None if it can."""
    version = ".".join(map(str, sys.version_info[:2]))
    if sys.version_info[:2] < OLDEST:
        return "Plyhouse needs Python 3.11 or newer; this is " + version
    if not all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")):
        return "this Python cannot make environments; on Debian or Ubuntu: apt install python3-venv"
    return None


def environment() -> Path:
    """The folder of the environment for this version of the server."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "plyhouse" / ("launcher-" + WHEEL.rpartition("=")[2])


def program(folder: Path) -> Path:
    """The command in an environment."""
    return folder / ("Scripts/plyhouse.exe" if os.name == "nt" else "bin/plyhouse")


def install(folder: Path) -> int:
    """Make the environment; pip says what is wrong, and its exit code is returned."""
    print("Plyhouse: setting up, once; this may take a minute.", file=sys.stderr)
    venv.create(folder, with_pip=True, clear=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    place = URL + "/wheels/"
    words = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if URL.startswith("http://"):  # else the certificate has to be that of the server
        words += ["--trusted-host", urlsplit(URL).netloc]
    words += ["--find-links", place, place + WHEEL]
    code = subprocess.run(words, check=False).returncode
    if code == 0:
        (folder / "ready").touch()
    return code


def main() -> int:
    """Install if need be, and play; the exit code."""
    why = obstacle()
    if why is not None:
        print("plyhouse: " + why, file=sys.stderr)
        return 2
    folder = environment()
    if not (folder / "ready").exists() and install(folder):
        print("plyhouse: it could not be installed; pip says why above", file=sys.stderr)
        return 2
    if not sys.stdin.isatty():  # it is the pipe that this file came through
        try:
            os.dup2(os.open("CON" if os.name == "nt" else "/dev/tty", os.O_RDWR), 0)
        except OSError:
            print("plyhouse: there is no terminal to play in", file=sys.stderr)
            return 2
    words = [str(program(folder)), "play", *sys.argv[1:]]
    return subprocess.run(words, env=dict(os.environ, PLYHOUSE_URL=URL), check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
