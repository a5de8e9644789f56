"""A server of our own for a while: a process on a free port, its data in a temporary folder."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Final

START_S: Final = 30.0
STOP_S: Final = 10.0
ROOT: Final = Path(__file__).parent.parent  # where `plyhouse` can be imported from
# Two programs in this process may talk as fast as they like: nobody else is here to be protected.
SETTINGS: Final = ("bot_messages_per_second=1000000", "rooms_per_session=5000")


class ServerFailed(Exception):
    """The server did not come up; the text says what it said."""


class LocalServer:
    """`async with LocalServer() as server:` runs one at `server.url`, and ends that one process."""

    def __init__(self) -> None:
        self.url = ""
        self._folder = tempfile.TemporaryDirectory(prefix="plyhouse-", ignore_cleanup_errors=True)
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> LocalServer:
        """Start it; ServerFailed if it does not say in time that it listens."""
        data = Path(self._folder.name)
        words = ["serve", "--host", "127.0.0.1", "--port", "0", "--data", str(data)]
        for setting in SETTINGS:
            words += ["--set", setting]
        path = os.pathsep.join(part for part in (str(ROOT), os.environ.get("PYTHONPATH")) if part)
        with (data / "stderr").open("wb") as said:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "plyhouse",
                *words,
                env={**os.environ, "PYTHONPATH": path},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=said,
                start_new_session=True,  # Ctrl-C is for us; we end the server when we are done
            )
        try:
            self.url = await self._listening(self._process)
        except BaseException:
            await self._stop()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._stop()

    async def _listening(self, process: asyncio.subprocess.Process) -> str:
        """The URL that it prints when it is ready."""
        assert process.stdout is not None  # it is a pipe
        line = b""
        with suppress(TimeoutError):
            line = await asyncio.wait_for(process.stdout.readline(), START_S)
        _, found, url = line.decode().partition("listening on ")
        if not found:
            said = (Path(self._folder.name) / "stderr").read_text(errors="replace").strip()
            raise ServerFailed(f"the server did not start: {said or 'it said nothing'}")
        return url.strip()

    async def _stop(self) -> None:
        process = self._process
        if process is not None and process.returncode is None:
            process.send_signal(signal.SIGTERM)
            try:
                await asyncio.wait_for(process.wait(), STOP_S)
            except TimeoutError:
                process.kill()
                await process.wait()
        self._folder.cleanup()
