"""Makes `.venv`: the hashed lock file's packages, then this project itself.  Standard library only.

    python3 setup_env.py run     what a server, a bot or a player needs   (requirements.lock)
    python3 setup_env.py dev     the same and the tools that test it      (requirements-dev.lock)

These are the first half of `make run` and `make test`; the second half, without make, is

    .venv/bin/plyhouse up        (Windows: .venv\\Scripts\\plyhouse up)
    .venv/bin/python -m pytest

A finished environment carries a stamp with the hashes of what it was made from, and is left alone
while they hold.  That stamp is written last: what a Ctrl-C cut short is made anew at the next run.

This file must parse on Python 3.8: a person with an old Python deserves a sentence for an answer.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

ROOT = Path(__file__).resolve().parent
OLDEST = (3, 11)
LOCKS = {"run": "requirements.lock", "dev": "requirements-dev.lock"}
NEWER_PYTHONS = ("python3.13", "python3.14", "python3.12", "python3.11")
NEW_ENOUGH = "import sys; sys.exit(sys.version_info[:2] < (3, 11))"
STAMP = "plyhouse-stamp.json"
STARTED = time.monotonic()


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
    draft.replace(venv / STAMP)


def satisfied(stamp: dict[str, str], goal: dict[str, str]) -> bool:
    """Whether an environment with this stamp is all that `goal` asks for; it may be more."""
    return all(stamp.get(key) == value for key, value in goal.items())


def python_of(venv: Path) -> Path:
    """The interpreter inside an environment."""
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def works(venv: Path) -> bool:
    """Whether the environment's interpreter still runs, finds its pip and is new enough."""
    command = [str(python_of(venv)), "-I", "-c", "import pip; " + NEW_ENOUGH]
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
        f"with: apt install python{sys.version_info[0]}.{sys.version_info[1]}-venv"
    )


def newer_python() -> str | None:
    """Another interpreter on this machine that could do the work, or None."""
    for name in NEWER_PYTHONS:
        path = shutil.which(name)
        # A name on the path need not run: version managers leave stand-ins that only complain.
        command = [path or "", "-c", "import venv, ensurepip; " + NEW_ENOUGH]
        if path and not subprocess.run(command, capture_output=True, check=False).returncode:
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
        have = f"{sys.version_info[0]}.{sys.version_info[1]}"
        raise SetupError(f"Plyhouse needs Python 3.11 or newer; this is {have}.", 2)
    raise SetupError(missing or "", 2)


def tick() -> None:
    """Shows the seconds spent so far, where a person is looking on."""
    if sys.stderr.isatty():
        seconds = f" {time.monotonic() - STARTED:.0f}s"
        sys.stderr.write(seconds + "\b" * len(seconds))
        sys.stderr.flush()


def run_quietly(command: list[str], failure: str) -> None:
    """Runs a command in silence.

    Raises:
        SetupError: it failed; what it said has been printed.
    """
    environment = {**os.environ, "PIP_USER": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    with tempfile.TemporaryFile() as said:
        # It inherits the hold of `alone`: if we are killed, the next set-up waits until it is gone.
        child = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=said, stderr=said, close_fds=False
        )
        try:
            while child.poll() is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    child.wait(timeout=1)
                tick()
        except BaseException:
            child.terminate()
            child.wait()
            raise
        if child.returncode:
            said.seek(0)
            sys.stderr.write("\n" + said.read().decode(errors="replace"))
            raise SetupError(failure)


def install(kind: str, venv: Path) -> None:
    """Installs the lock's packages and then the project, for editing, into an environment."""
    # -I: a PYTHONPATH of the person's must not count as installed packages.
    pip = [str(python_of(venv)), "-I", "-m", "pip", "install", "--quiet", "--no-input", "--no-deps"]
    run_quietly(
        # --no-deps: a lock is complete, and resolving it again takes seconds.  --no-compile: most
        # modules are never imported; Python compiles those that are.
        [*pip, "--no-compile", "--require-hashes", "-r", LOCKS[kind]],
        f"pip could not install {LOCKS[kind]} (its own words are above); is this machine online?",
    )
    run_quietly(
        [*pip, "--no-build-isolation", "-e", "."],
        "pip could not install Plyhouse itself (its own words are above).",
    )


def make(kind: str, venv: Path) -> None:
    """Brings the environment to what `kind` asks for; does nothing if it is there already."""
    goal = wanted(kind, ROOT)
    stamp = read_stamp(venv)
    # One without a stamp is a person's own, made by hand; if it works it serves.
    trusted = not stamp or (stamp.get("state") == "finished" and stamp.get("root") == str(ROOT))
    kept = trusted and works(venv)
    if kept and satisfied(stamp, goal):
        return
    maker = None if kept else interpreter()
    pace = "only what changed" if kept and stamp else "the first time it may take a minute or two"
    sys.stderr.write(f"Set-up: {LOCKS[kind]} into {venv.name} ({pace}) ...")
    sys.stderr.flush()
    if maker:
        if venv.exists():
            shutil.rmtree(venv)
        venv.mkdir()
    write_stamp(venv, {"state": "unfinished"})
    if maker:
        run_quietly([maker, "-m", "venv", str(venv)], f"Python could not make {venv.name}.")
    install(kind, venv)
    write_stamp(venv, goal)
    sys.stderr.write(f" done in {time.monotonic() - STARTED:.1f} s.\n")


@contextlib.contextmanager
def alone(root: Path) -> Iterator[None]:
    """Holds other set-ups of this folder back until this one is through."""
    with (root / "pyproject.toml").open("rb") as held:
        if fcntl is not None:
            os.set_inheritable(held.fileno(), True)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                sys.stderr.write("Another set-up of this folder is running; waiting for it.\n")
                fcntl.flock(held, fcntl.LOCK_EX)
        yield


def main(arguments: list[str]) -> int:
    """The command line; returns the exit code."""
    if len(arguments) != 1 or arguments[0] not in LOCKS:
        print((__doc__ or "").strip())
        return 0 if arguments in (["-h"], ["--help"]) else 2
    try:
        with alone(ROOT):
            make(arguments[0], ROOT / ".venv")
    except SetupError as error:
        sys.stderr.write(f"Set-up: {error}\n")
        return error.code
    except OSError as error:
        sys.stderr.write(f"\nSet-up: {error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("\nSet-up interrupted; the next run makes it anew.\n")
        return 130
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as cleanly as Ctrl-C
    sys.exit(main(sys.argv[1:]))
