"""Engines for tests: small Python programs, good and bad."""

from __future__ import annotations

import sys
from pathlib import Path

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


def command(folder: Path, code: str, *words: str) -> list[str]:
    """A command that runs this program."""
    file = folder / f"engine{len(list(folder.glob('engine*.py')))}.py"
    file.write_text(code, encoding="utf-8")
    return [sys.executable, "-I", "-S", str(file), *words]
