"""Engines for tests: small Python programs, good and bad."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

LONG_S = 20.0

FIRST = """
import json, sys
for line in sys.stdin:
    print(json.loads(line)["legal"][0], flush=True)
"""
COUNTING = """
import sys
for number, line in enumerate(sys.stdin, 1):
    print(number, flush=True)
"""
DIES_ONCE = """
import json, pathlib, sys
mark = pathlib.Path(sys.argv[1])
for line in sys.stdin:
    if not mark.exists():
        mark.touch()
        sys.exit("the first time I die")
    print(json.loads(line)["legal"][-1], flush=True)
"""
DIES = "import sys; print('no luck', file=sys.stderr); sys.exit(7)"
SILENT = "import sys; print('I sulk', file=sys.stderr, flush=True); sys.stdin.read()"
NONSENSE = "import sys\nfor line in sys.stdin: print('castles', flush=True)"
SLOW = "import sys, time\nfor line in sys.stdin: time.sleep(0.3); print(line.strip(), flush=True)"

GREETS = """
import json, sys
print("Deep Thing 1.0\\nready", flush=True)
for line in sys.stdin:
    print(json.loads(line)["legal"][-1], flush=True)
"""
BLANKS = "import sys\nfor n, line in enumerate(sys.stdin): print(f'\\n{n}\\n\\n', flush=True)"
TWICE = "import sys\nfor n, line in enumerate(sys.stdin, 1): print(f'{n}\\n{n}', flush=True)"
HALF = "import sys; sys.stdin.readline(); print('5', end='', flush=True); sys.stdin.read()"
HELPER = """
import pathlib, subprocess, sys
helper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
pathlib.Path(sys.argv[1]).write_text(str(helper.pid))
sys.stdin.readline()
sys.exit(7)
"""
FLOODS = """
import sys
for line in sys.stdin:
    for number in range(100_000):
        print("info", number)
"""
COMPLAINS = """
import json, sys
for line in sys.stdin:
    print("x" * 3_000_000, file=sys.stderr)
    print(json.loads(line)["legal"][0], flush=True)
"""
CLOSES_OUTPUT = "import os, sys; os.close(1); sys.stdin.read()"
CLOSES_INPUT = "import os, sys, time; os.close(0); time.sleep(600)"
ANSWERS_AND_DIES = "import json; print(json.loads(input())['legal'][0])"
KILLED = "import os, signal; input(); os.kill(os.getpid(), signal.SIGKILL)"
DEEP = "import sys\nfor line in sys.stdin: print('{\"a\":' + '[' * 100_000, flush=True)"
VARIABLE = "import os, sys\nfor line in sys.stdin: print(os.environ['DEPTH'], flush=True)"


def command(folder: Path, code: str, *words: str) -> list[str]:
    """A command that runs this program."""
    file = folder / f"engine{len(list(folder.glob('engine*.py')))}.py"
    file.write_text(code, encoding="utf-8")
    return [sys.executable, "-I", "-S", str(file), *words]


def has_ended(pid: int) -> bool:
    """Whether there is no such process, or nobody has asked for its exit code yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def wait_until(happened: Callable[[], bool]) -> None:
    """Wait for what another process does."""
    deadline = time.monotonic() + LONG_S
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def group(leader: int) -> list[int]:
    """The processes of a group that still run."""
    members = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, its_group = file.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(its_group) == leader and state != "Z":
            members.append(int(file.parent.name))
    return members
