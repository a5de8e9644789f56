"""Where a running server tells programs of its user how to reach it, whatever its port is.

    $XDG_RUNTIME_DIR/plyhouse/4711.json         {"url": "http://127.0.0.1:9100", "pid": 4711}

Without that variable it is `plyhouse/running` in the user's data folder.  A server that was killed
leaves its file behind; a reader sees that its process is gone.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from protocol.files import folders, whole_file

SERVICE: Final = "_plyhouse._tcp.local."  # by which servers are found on a network


def folder() -> Path:
    """Return where the files are; it need not be there."""
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    return Path(runtime) / "plyhouse" if runtime else folders.data() / "running"


def tell(url: str) -> Path | None:
    """Write where this process serves; the file to remove at its end, None where there is no room.

    A folder that cannot be written to only means that others have to type the address.
    """
    try:
        path = folder() / f"{os.getpid()}.json"
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        whole_file.write(path, json.dumps({"url": url, "pid": os.getpid()}).encode())
    except OSError:
        return None
    return path


def urls() -> list[str]:
    """Return the addresses of this user's servers on this machine, those that are still running.

    The files of others, and what makes no sense, are removed: servers write theirs whole.
    """
    found: list[str] = []
    with suppress(OSError):
        for path in sorted(folder().glob("*.json")):
            with suppress(OSError):
                url = _served(path)
                if url is not None:
                    found.append(url)
                else:
                    path.unlink()
    return found


def _served(path: Path) -> str | None:
    """Return the address in a file; None if it makes no sense, or its server is not running."""
    try:
        told = whole_file.read_object(path) or {}
        url, pid = told["url"], told["pid"]
        is_sound = urlsplit(url).hostname and urlsplit(url).port != 0 and type(pid) is int
        return url if is_sound and _is_running(pid) else None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _is_running(pid: int) -> bool:
    """Whether there is such a process; not asked on Windows, where asking would end it."""
    if os.name == "nt":
        return True
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True
