"""A server in a process of its own on this machine: started, stopped, killed, started again."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from bots.outside.reaper import Reaper

START_LIMIT_S: Final = 60.0  # a loaded machine needs 2
STOP_LIMIT_S: Final = 20.0
ROOT: Final = Path(__file__).resolve().parents[2]  # where `plyhouse` can be imported from
LISTENING: Final = re.compile(rb"listening on (https?://\S+:(\d+))")
# Two programs in this process may talk as fast as they like: no other client is here to be
# protected.
NO_ALLOWANCES: Final = {  # there are none, as they are never spent
    "connection_micros": 10**12,
    "session_micros": 10**12,
    "address_micros": 10**12,
    "pace_micros": 10**12,
    "free_plays": 10**9,
    "invitations": 10**9,
}
SETTINGS: Final = {
    **NO_ALLOWANCES,
    "rooms_per_session": 5_000,
    "rooms_per_address": 5_000,
    "bots_per_session": 5_000,
    "bots_per_address": 5_000,
    "kept_slots": 5_000,
    "ladder_base_ms": 7 * 86_400_000,  # any clock: no other player waits for a slot
    "ladder_move_ms": 86_400_000,
}


class ServerFailed(Exception):
    """The server did not start, or it ended; the message holds the end of its log."""


class ServerProcess:
    """One server and its data folder.  It keeps its port when it is started again.

    What it writes to standard error goes to `log`, a file beside the data folder.
    """

    def __init__(
        self,
        data: Path,
        settings: Mapping[str, int] | None = None,
        *,
        command: Sequence[str] = ("serve",),
        host: str = "127.0.0.1",
        env: Mapping[str, str] | None = None,
        scratch: Path | None = None,
    ) -> None:
        """Args:
        settings: limits of server/config.py that differ from their defaults.
        command: `serve`, or `up` with its options.
        host: the address to listen on.
        env: environment variables to add.
        scratch: a folder to remove if we are killed.
        """
        self.data = data.resolve()
        self.log = self.data.with_name(self.data.name + ".log")
        self.port = 0
        self.url = ""
        self._settings = dict(settings or {})
        self._words = command
        self._host = host
        path = os.pathsep.join(part for part in (str(ROOT), os.environ.get("PYTHONPATH")) if part)
        self._env = {**os.environ, "PYTHONPATH": path, **(env or {})}
        self._process: subprocess.Popen[bytes] | None = None
        self._scratch = scratch
        self._reaper: Reaper | None = None

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def socket_url(self) -> str:
        return f"ws://{self.address}/ws"

    @property
    def pid(self) -> int:
        """Its process id; only while it runs."""
        if self._process is None:
            raise ServerFailed("the server is not running")
        return self._process.pid

    def start(self) -> None:
        """Start it, and return once it listens.

        Raises:
            ServerFailed: it ended, or START_LIMIT_S passed.
        """
        self.data.mkdir(parents=True, exist_ok=True)
        self._reaper = Reaper(self._scratch)
        with self.log.open("ab") as log:
            begin = log.tell()
            self._process = subprocess.Popen(
                self._command(),
                env=self._env,
                stdin=subprocess.PIPE,  # held open as long as we are there
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,  # Ctrl-C is for us; we stop the server when we are done
            )
        self._reaper.watch(self._process.pid)
        try:
            self.url, self.port = self._listening(self._process, begin)
        except BaseException:
            self.kill()
            raise

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to end, and wait.

        Returns:
            Its exit code; -9 if it did not end within STOP_LIMIT_S, 0 if it was not running.
        """
        return self._end(how)

    def kill(self) -> None:
        """End it as `kill -9` does: it gets no chance to tidy up."""
        if self._process is not None:
            self._process.kill()
        self._end(None)

    def complaints(self, since: int = 0) -> str:
        """What it wrote to standard error, from this byte of the log on."""
        return self.log.read_bytes()[since:].decode(errors="replace").strip()

    def _command(self) -> list[str]:
        command = [sys.executable, "-m", "plyhouse", *self._words, "--host", self._host]
        command += ["--port", str(self.port), "--data", str(self.data)]
        for name, value in self._settings.items():
            command += ["--set", f"{name}={value}"]
        return command

    def _end(self, how: signal.Signals | None) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        with process:  # closes its standard output, too
            if how is not None:
                process.send_signal(how)
            try:
                code = process.wait(STOP_LIMIT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                code = process.wait()
        if self._reaper is not None:
            self._reaper.dismiss()
        return code

    def _listening(self, process: subprocess.Popen[bytes], begin: int) -> tuple[str, int]:
        """The URL and the port that it prints when it is ready."""
        assert process.stdout is not None  # it is a pipe
        watchdog = threading.Timer(START_LIMIT_S, process.kill)
        watchdog.start()
        try:
            for line in process.stdout:
                if match := LISTENING.search(line):
                    return match[1].decode(), int(match[2])
        finally:
            watchdog.cancel()
        raise ServerFailed(
            f"the server did not start: {self.complaints(begin)[-2_000:] or 'it said nothing'}"
        )


@asynccontextmanager
async def local_server() -> AsyncIterator[ServerProcess]:
    """A server for this program alone, its data in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="plyhouse-", ignore_cleanup_errors=True) as folder:
        command = ("serve", "--until-eof")  # it ends with us, also where we are killed
        data, scratch = Path(folder) / "data", Path(folder)
        server = ServerProcess(data, SETTINGS, command=command, scratch=scratch)
        server.start()  # blocks: nothing else runs yet, and Ctrl-C cannot leave half a start behind
        try:
            yield server
        finally:
            await asyncio.to_thread(server.stop)
