"""Where a running server tells programs of its user how to reach it, whatever its port is.

    $XDG_RUNTIME_DIR/plyhouse/4711.json         {"url": "http://127.0.0.1:9100", "pid": 4711}

Without that variable it is `plyhouse/running` in the user's data folder.  A server that was killed
leaves its file behind; whoever reads it sees that its process is gone.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

SERVICE: Final = "_plyhouse._tcp.local."  # by which servers are found on a network


def folder() -> Path:
    """Return where the files are; it need not be there."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime:
        return Path(runtime) / "plyhouse"
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "plyhouse" / "running"


def tell(url: str) -> Path | None:
    """Write where this process serves; the file to remove at its end, None where there is no room.

    A folder that cannot be written to only means that others have to type the address.
    """
    path = folder() / f"{os.getpid()}.json"
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.write_text(json.dumps({"url": url, "pid": os.getpid()}), encoding="utf-8")
    except OSError:
        return None
    return path


def urls() -> list[str]:
    """Return the addresses of this user's servers on this machine, those that are still running."""
    found: list[str] = []
    with suppress(OSError):
        for path in sorted(folder().glob("*.json")):
            with suppress(OSError, ValueError, KeyError, TypeError):
                told = json.loads(path.read_text(encoding="utf-8"))
                if _is_running(int(told["pid"])):
                    found.append(str(told["url"]))
                else:
                    path.unlink()
    return found


def _is_running(pid: int) -> bool:
    """Whether there is such a process; not asked on Windows, where asking would end it."""
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
