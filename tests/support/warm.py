"""Processes of `plyhouse` that begin warm: forked off one that has imported their commands.

Each has its own arguments, environment, folder and streams, gets signals and ends with an exit code
as one that Python starts does; what it need not do is import for a third of a second.

To `lab/arena/local_server.py` this module stands for `subprocess` while tests run.
"""

from __future__ import annotations

import argparse
import atexit
import contextlib
import functools
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from subprocess import PIPE, STDOUT, TimeoutExpired
from typing import Any, TextIO

__all__ = ["PIPE", "TimeoutExpired"]  # the rest of `subprocess` that is asked for

ROOT = Path(__file__).parents[2]
BEGINNING = [sys.executable, "-m", "plyhouse"]
MOST = 1 << 17  # bytes of an order, with the environment in it
Order = tuple[Sequence[str], Mapping[str, str], str, bool]  # words, environment, folder, apart


class Process(subprocess.Popen[Any]):
    """A command that was forked off a warm process."""

    def __init__(self, warm: Warm, words: Sequence[str], **how: Any) -> None:
        self._warm = warm
        super().__init__(words, **how)

    def _execute_child(
        self, words: Any, executable: Any, preexec_fn: Any, close_fds: Any, pass_fds: Any, cwd: Any,
        env: Any, startupinfo: Any, creationflags: Any, shell: Any, *more: Any,
    ) -> None:  # fmt: skip
        pipes, start_new_session = more[:6], more[11]  # as it is from Python 3.11 on
        streams = [n if fd == -1 else fd for n, fd in enumerate((pipes[0], pipes[3], pipes[5]))]
        order = words, env, str(cwd or Path.cwd()), start_new_session
        self._report = self._warm.begin(order, streams)
        self.pid = int(self._report.readline())
        self._child_created = True
        self._close_pipe_fds(*pipes)  # type: ignore[attr-defined]

    def _internal_poll(self, _deadstate: int | None = None) -> int | None:
        lock = self._waitpid_lock  # type: ignore[attr-defined]
        if self.returncode is None and lock.acquire(blocking=False):  # else somebody waits for it
            try:
                pid, status = self._try_wait(os.WNOHANG) if self.returncode is None else (0, 0)
                if pid:
                    self._handle_exitstatus(status)  # type: ignore[attr-defined]
            finally:
                lock.release()
        return self.returncode

    def _try_wait(self, wait_flags: int) -> tuple[int, int]:
        if wait_flags & os.WNOHANG and not select.select([self._report], [], [], 0)[0]:
            return 0, 0
        with self._report as report:
            return self.pid, int(report.readline())


class Warm:
    """The process that the others are forked off."""

    def __init__(self, env: Mapping[str, str], *commands: str) -> None:
        """Args:
        env: the environment in which the modules are imported.
        commands: what is imported; without any: all.
        """
        self._door, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        path = os.pathsep.join(filter(None, (str(ROOT), env.get("PYTHONPATH"))))
        words = ["-m", "tests.support.warm", str(theirs.fileno()), *commands]
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, *words],
                env={**env, "PYTHONPATH": path}, cwd=ROOT, pass_fds=[theirs.fileno()],
            )  # fmt: skip

    def close(self) -> None:
        self._door.close()
        self._process.wait()

    def begin(self, order: Order, streams: Sequence[int]) -> TextIO:
        """Begin a command; what tells its number, and then how it ended."""
        told, report = os.pipe()
        socket.send_fds(self._door, [json.dumps(order).encode()], [*streams, report])
        os.close(report)
        return os.fdopen(told)

    @contextlib.contextmanager
    def running(
        self, words: Sequence[str], env: Mapping[str, str], folder: Path, patience: float
    ) -> Iterator[Process]:
        """Run a command, and kill it after so many seconds, or where the block leaves it."""
        how = {"env": {**env}, "cwd": folder, "text": True, "bufsize": 1}
        with Process(self, words, stdin=PIPE, stdout=PIPE, stderr=STDOUT, **how) as process:
            late = threading.Timer(patience, process.kill)
            late.start()
            try:
                yield process
            finally:
                late.cancel()
                process.kill()

    def run(
        self, words: Sequence[str], env: Mapping[str, str], folder: Path, patience: float,
        stdin: str = "",
    ) -> tuple[int, str]:  # fmt: skip
        """Run a command to its end; its exit code, and all that it wrote."""
        with self.running(words, env, folder, patience) as process:
            said = process.communicate(stdin)[0]
            return process.wait(), said


class _Shared:
    """The one for servers, and the environment that it begins in."""

    warm: Warm | None = None
    env: Mapping[str, str] = {}
    network: int | None = None


def share(env: Mapping[str, str]) -> None:
    """From now on begin servers warm, where their environment and network are these."""
    _Shared.env, _Shared.network = env, _network()


def _network() -> int | None:
    """Return the network that what this thread starts is in; None where they cannot be told."""
    try:
        return Path("/proc/thread-self/ns/net").stat().st_ino
    except OSError:  # not Linux
        return None


def Popen(command: Sequence[str], **how: Any) -> subprocess.Popen[Any]:  # noqa: N802
    """Start a process as subprocess.Popen does; a `plyhouse serve` or `up` begins warm."""
    env = {**(how.pop("env", None) or os.environ)}
    is_server = [*command[:3]] == BEGINNING and command[3] in ("serve", "up")
    if not (is_server and _is_shared(env)):
        return subprocess.Popen(command, env=env, **how)
    if _Shared.warm is None:
        _Shared.warm = Warm(_Shared.env, "serve", "up")
        atexit.register(_Shared.warm.close)
    return Process(_Shared.warm, command[3:], env=env, **how)


def _is_shared(env: Mapping[str, str]) -> bool:
    """Whether all that Python and our modules read when they begin is as in the shared one."""
    network = _network()
    return (
        network is not None
        and network == _Shared.network
        and _read_early(env) == _read_early(_Shared.env)
    )


def _read_early(env: Mapping[str, str]) -> dict[str, str]:
    path = [
        each for each in env.get("PYTHONPATH", "").split(os.pathsep) if each not in ("", str(ROOT))
    ]
    early = {
        name: env[name] for name in env if name.startswith(("PYTHON", "PLYHOUSE", "LANG", "LC_"))
    }
    return early | {"PYTHONPATH": os.pathsep.join(path)}


def serve(door: socket.socket, commands: Sequence[str]) -> None:
    """Import commands, then fork one off for each order until there are no more."""
    import plyhouse
    from server.net.http import files

    for name in commands or plyhouse.COMMANDS:
        plyhouse._fill(argparse.ArgumentParser(), plyhouse.COMMANDS[name])
    files.minify = functools.cache(files.minify)
    files.Site(plyhouse.PAGE)
    gc.freeze()
    while True:
        data, fds, _, _ = socket.recv_fds(door, MOST, 4)
        with contextlib.suppress(ChildProcessError):  # there is none left
            while os.waitpid(-1, os.WNOHANG if data else 0)[0]:
                pass
        if not data:
            return
        if os.fork() == 0:
            door.close()
            words, environment, folder, apart = json.loads(data)
            report = fds.pop()
            if child := os.fork():
                _watch(child, fds, report)
            if apart:
                os.setsid()
            os.write(report, f"{os.getpid()}\n".encode())
            os.close(report)
            _become(fds, environment, folder)
            raise SystemExit(plyhouse.main(words))
        for fd in fds:
            os.close(fd)


def _watch(child: int, fds: list[int], report: int) -> None:
    """Tell how a child ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for fd in (0, 1, 2, *fds):
        os.close(fd)
    _, status = os.waitpid(child, 0)
    with contextlib.suppress(BrokenPipeError):
        os.write(report, f"{status}\n".encode())
    os._exit(0)


def _become(fds: list[int], environment: dict[str, str], folder: str) -> None:
    """Take on the streams, the environment and the folder of a command."""
    for number, fd in enumerate(fds):
        os.dup2(fd, number)
    for fd in {*fds} - {0, 1, 2}:
        os.close(fd)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115
    sys.stdout = open(1, "w", 1, closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", 1, closefd=False)  # noqa: SIM115
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])), sys.argv[2:])
