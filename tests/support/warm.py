"""Processes of `plyhouse` that begin warm: forked off one that has imported all commands.

Each has its own arguments, environment, folder and streams, gets signals and ends with an exit code
as one that Python starts does; what it need not do is import for a third of a second.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TextIO

MOST = 1 << 17  # bytes of an order, with the environment in it
Order = tuple[list[str], dict[str, str], str]  # words, environment, folder


class Process:
    """A running command; stderr goes where stdout goes."""

    def __init__(self, stdin: TextIO, stdout: TextIO, report: TextIO) -> None:
        self.stdin, self.stdout = stdin, stdout
        self._report = report
        self.pid = int(report.readline())

    def send_signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def wait(self) -> int:
        """Wait until it has ended; its exit code, negative where a signal ended it."""
        return os.waitstatus_to_exitcode(int(self._report.readline()))

    def close(self) -> None:
        for stream in (self.stdin, self.stdout, self._report):
            with contextlib.suppress(BrokenPipeError):
                stream.close()


class Warm:
    """The process that the others are forked off."""

    def __init__(self, env: Mapping[str, str]) -> None:
        """Args:
        env: the environment in which the modules are imported.
        """
        self._door, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        root = Path(__file__).parents[2]
        path = os.pathsep.join(filter(None, (str(root), env.get("PYTHONPATH"))))
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.support.warm", str(theirs.fileno())],
                env={**env, "PYTHONPATH": path}, cwd=root, pass_fds=[theirs.fileno()],
            )  # fmt: skip

    def close(self) -> None:
        self._door.close()
        self._process.wait()

    @contextlib.contextmanager
    def running(
        self, words: Sequence[str], env: Mapping[str, str], folder: Path, patience: float
    ) -> Iterator[Process]:
        """Run a command, and kill it after so many seconds, or where the block leaves it."""
        order: Order = [*words], {**env}, str(folder)
        (stdin, to), (back, stdout), (told, report) = os.pipe(), os.pipe(), os.pipe()
        with contextlib.ExitStack() as ours:
            for end in (stdin, stdout, report):
                ours.callback(os.close, end)
            fds = [stdin, stdout, stdout, report]
            socket.send_fds(self._door, [json.dumps(order).encode()], fds)
        process = Process(os.fdopen(to, "w"), os.fdopen(back), os.fdopen(told))
        late = threading.Timer(patience, process.send_signal, [signal.SIGKILL])
        late.start()
        try:
            yield process
        finally:
            late.cancel()
            process.send_signal(signal.SIGKILL)
            process.close()

    def run(
        self, words: Sequence[str], env: Mapping[str, str], folder: Path, patience: float,
        stdin: str = "",
    ) -> tuple[int, str]:  # fmt: skip
        """Run a command to its end; its exit code, and all that it wrote."""
        with self.running(words, env, folder, patience) as process:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(stdin)
                process.stdin.close()
            said = process.stdout.read()
            return process.wait(), said


def serve(door: socket.socket) -> None:
    """Import all commands, then fork one off for each order until there are no more."""
    import plyhouse

    for command in plyhouse.COMMANDS.values():
        plyhouse._fill(argparse.ArgumentParser(), command)
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
            words, environment, folder = json.loads(data)
            report = fds.pop()
            if child := os.fork():
                _watch(child, fds, report)
            os.close(report)
            _become(fds, environment, folder)
            raise SystemExit(plyhouse.main(words))
        for fd in fds:
            os.close(fd)


def _watch(child: int, fds: list[int], report: int) -> None:
    """Tell the number of a child, and how it ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for fd in (0, 1, 2, *fds):
        os.close(fd)
    os.write(report, f"{child}\n".encode())
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
    serve(socket.socket(fileno=int(sys.argv[1])))
