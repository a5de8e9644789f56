"""Makes `.venv`: the hashed lock file's packages, then this project itself.  Standard library only.

    python3 setup_env.py run     what a server, a bot or a player needs   (requirements.lock)
    python3 setup_env.py dev     the same and the tools that test it      (requirements-dev.lock)

These are the first half of `make run` and `make test`; the second half, without make, is

    .venv/bin/plyhouse up        (Windows: .venv\\Scripts\\plyhouse up)
    .venv/bin/python -m pytest

A finished environment carries a stamp with the hashes of what it was made from, and is left alone
while they hold.  The stamp is written last: an environment that a Ctrl-C cut short has none that
says `finished`, and the next run makes it anew.

This file must parse on Python 3.8, or a person with an old Python gets a syntax error for an answer.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

ROOT = Path(__file__).resolve().parent
OLDEST = (3, 11)
LOCKS = {"run": "requirements.lock", "dev": "requirements-dev.lock"}
NEWER_PYTHONS = ("python3.13", "python3.14", "python3.12", "python3.11")
USABLE = "import sys, venv, ensurepip; sys.exit(sys.version_info[:2] < (3, 11))"
STAMP = "plyhouse-stamp.json"


class SetupError(Exception):
    """A sentence for the person at the keyboard, and the exit code that goes with it."""

    def __init__(self, sentence: str, code: int = 1) -> None:
        super().__init__(sentence)
        self.code = code


def digest(*paths: Path) -> str:
    """SHA-256 over the contents of files."""
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in paths)).hexdigest()


def wanted(kind: str, root: Path) -> dict[str, str]:
    """What a finished environment's stamp says of `kind`; that of dev holds all of run's."""
    kinds = ("run",) if kind == "run" else ("run", "dev")
    return {
        "state": "finished",
        "root": str(root),  # an environment holds absolute paths: moved, it is of no use
        "project": digest(root / "pyproject.toml"),  # names the console script and the version
        **{each: digest(root / LOCKS[each]) for each in kinds},
    }


def read_stamp(venv: Path) -> dict[str, str]:
    """The stamp of an environment; empty where there is none that can be read."""
    try:
        stamp = json.loads((venv / STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def write_stamp(venv: Path, stamp: dict[str, str]) -> None:
    """Replaces the stamp in one step, so that no half of it is ever read."""
    draft = venv / (STAMP + ".new")
    draft.write_text(json.dumps(stamp, indent=1), encoding="utf-8")
    os.replace(draft, venv / STAMP)


def satisfied(stamp: dict[str, str], goal: dict[str, str]) -> bool:
    """Whether an environment with this stamp is all that `goal` asks for; it may be more."""
    return all(stamp.get(key) == value for key, value in goal.items())


def python_of(venv: Path) -> Path:
    """The interpreter inside an environment."""
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def works(venv: Path) -> bool:
    """Whether the environment's interpreter still runs, finds its pip and is new enough."""
    command = [str(python_of(venv)), "-I", "-c", "import pip; " + USABLE]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def missing_parts() -> str | None:
    """A sentence if this Python cannot make environments (Debian splits that off), else None."""
    if all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")):
        return None
    return (
        "this Python cannot make virtual environments; on Debian or Ubuntu install what it lacks "
        "with: apt install python%d.%d-venv" % sys.version_info[:2]
    )


def newer_python() -> str | None:
    """Another interpreter on this machine that could do the work, or None."""
    for name in NEWER_PYTHONS:
        path = shutil.which(name)
        # A name on the path need not run: version managers leave stand-ins that only complain.
        if path and not subprocess.run([path, "-c", USABLE], capture_output=True).returncode:
            return path
    return None


def interpreter() -> str:
    """The Python that makes the environment: this one's base, or a better one found beside it.

    Raises:
        SetupError: none will do.
    """
    old = sys.version_info[:2] < OLDEST
    missing = missing_parts()
    if not old and missing is None:
        # In an activated .venv this is the Python under it: it outlives a .venv made anew.
        return getattr(sys, "_base_executable", None) or sys.executable
    other = newer_python()
    if other:
        return other
    if old:
        have = "%d.%d" % sys.version_info[:2]
        raise SetupError("Plyhouse needs Python 3.11 or newer; this is %s." % have, 2)
    raise SetupError(missing or "", 2)


def run_quietly(command: list[str], failure: str) -> None:
    """Runs a command in silence; on a terminal the seconds tick meanwhile.

    Raises:
        SetupError: it failed; what it said has been printed.
    """
    started = time.monotonic()
    environment = {**os.environ, "PIP_USER": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    with tempfile.TemporaryFile() as said:
        child = subprocess.Popen(
            command, cwd=str(ROOT), env=environment, stdout=said, stderr=subprocess.STDOUT
        )
        try:
            while True:
                try:
                    code = child.wait(timeout=1)
                    break
                except subprocess.TimeoutExpired:
                    if sys.stderr.isatty():
                        seconds = time.monotonic() - started
                        sys.stderr.write(" %ds" % seconds + "\b" * len(" %ds" % seconds))
                        sys.stderr.flush()
        except BaseException:
            child.terminate()
            child.wait()
            raise
        if code:
            said.seek(0)
            sys.stderr.write("\n" + said.read().decode(errors="replace"))
            raise SetupError(failure)


def install(kind: str, venv: Path) -> None:
    """Installs the lock's packages and then the project, for editing, into an environment."""
    lock = LOCKS[kind]
    # -I: a PYTHONPATH of the person's must not count as installed packages.
    pip = [str(python_of(venv)), "-I", "-m", "pip", "install", "--quiet", "--no-input"]
    run_quietly(
        [*pip, "--require-hashes", "-r", lock],
        "pip could not install %s; its own words are above. Is this machine online?" % lock,
    )
    run_quietly(
        [*pip, "--no-deps", "--no-build-isolation", "-e", "."],
        "pip could not install Plyhouse itself; its own words are above.",
    )


def make(kind: str, venv: Path) -> None:
    """Brings the environment to what `kind` asks for; does nothing if it is there already."""
    goal = wanted(kind, ROOT)
    stamp = read_stamp(venv)
    ours = not stamp or (stamp.get("state") == "finished" and stamp.get("root") == str(ROOT))
    healthy = ours and works(venv)
    if healthy and satisfied(stamp, goal):
        return
    maker = None if healthy else interpreter()
    sys.stderr.write(
        "Set-up: %s into %s (%s)..."
        % (LOCKS[kind], venv.name, "changes only" if stamp and healthy else "the first time takes a minute or so")
    )
    sys.stderr.flush()
    started = time.monotonic()
    if maker:
        shutil.rmtree(venv, ignore_errors=True)
        venv.mkdir(exist_ok=True)
    write_stamp(venv, {"state": "unfinished"})
    if maker:
        run_quietly([maker, "-m", "venv", str(venv)], "Python could not make %s." % venv.name)
    install(kind, venv)
    write_stamp(venv, goal)
    sys.stderr.write(" done in %.1f s.\n" % (time.monotonic() - started))


@contextlib.contextmanager
def alone():
    """Holds other set-ups of this folder back until this one is through."""
    with open(__file__, "rb") as own:
        if fcntl:
            fcntl.flock(own, fcntl.LOCK_EX)
        yield


def main(arguments: list[str]) -> int:
    """The command line; returns the exit code."""
    kind = arguments[0] if len(arguments) == 1 else "-h"
    if kind not in LOCKS:
        print(__doc__.strip())
        return 0 if kind in ("-h", "--help") and arguments else 2
    try:
        with alone():
            make(kind, ROOT / ".venv")
    except SetupError as error:
        sys.stderr.write("setup: %s\n" % error)
        return error.code
    except KeyboardInterrupt:
        sys.stderr.write("\nSet-up interrupted; the next run takes it up again.\n")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
