"""A real server for a test, in a process of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from lab.arena.local_server import ServerProcess


@contextmanager
def serving(
    data: Path, settings: Mapping[str, int] | None = None, command: Sequence[str] = ("serve",)
) -> Iterator[ServerProcess]:
    """Run a server that has to end in good order: exit code 0, and no traceback in its log."""
    server = ServerProcess(data, settings, command=command)
    server.start()
    try:
        yield server
    except BaseException:
        server.kill()
        raise
    assert server.stop() == 0, server.complaints()
    assert "Traceback" not in server.complaints()
