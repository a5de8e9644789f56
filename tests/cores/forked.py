"""Tests on several cores: what one process has collected is run by some that are forked off it.

Each takes the next file when it has run one, and says once a test what came of those before.
pytest-xdist collects everything in each process, and its messages cost as much again.
"""

from __future__ import annotations

import itertools
import os
import signal
import traceback
from collections.abc import Iterator
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any

import pytest

MOST = 4
NUMBER = 2  # bytes
Files = list[list[pytest.Item]]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cores", default="1", help=f"processes that run tests; auto: {MOST} at most")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Have other processes run the tests; None where this one shall."""
    option = session.config.option
    files = [[*items] for _, items in itertools.groupby(session.items, lambda item: item.path)]
    cores = min(os.cpu_count() or 1, MOST) if option.cores == "auto" else int(option.cores)
    cores = min(cores, len(files))
    if cores < 2 or option.collectonly or session.testsfailed:
        return None
    session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # one for all
    todo, numbers = os.pipe()
    os.write(numbers, b"".join(n.to_bytes(NUMBER, "big") for n in range(len(files))))
    os.close(numbers)
    workers: dict[Connection, int] = {}
    try:
        for _ in range(cores):
            ear, mouth = Pipe(duplex=False)
            if (pid := os.fork()) == 0:
                _work(session, _take(files, todo), Teller(mouth))
            mouth.close()
            workers[ear] = pid
        _listen(session, workers)
    finally:
        os.read(todo, 1 << 16)  # no other file is begun
        os.close(todo)
        for ear, pid in workers.items():
            ear.close()
            os.kill(pid, signal.SIGINT)
            os.waitpid(pid, 0)
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    return True


def _listen(session: pytest.Session, workers: dict[Connection, int]) -> None:
    """Tell this process's plugins what the others say, until each has ended or one shall stop."""
    hook = session.config.hook
    untold = {item.nodeid: item for item in session.items}
    while workers and not session.shouldfail:
        for ear in wait([*workers]):
            assert isinstance(ear, Connection)
            try:
                said = ear.recv()
            except EOFError:
                os.waitpid(workers.pop(ear), 0)
                continue
            for what in said:
                if isinstance(what, pytest.TestReport):
                    untold.pop(what.nodeid, None)
                    hook.pytest_runtest_logreport(report=what)
                else:
                    hook.pytest_warning_recorded.call_historic(kwargs=what)
    for nodeid, item in untold.items() if not workers else ():
        why = "its process ended before it did"
        report = pytest.TestReport(nodeid, item.location, {}, "failed", why, "call")
        hook.pytest_runtest_logreport(report=report)


def _take(files: Files, todo: int) -> Iterator[pytest.Item]:
    while number := os.read(todo, NUMBER):
        yield from files[int.from_bytes(number, "big")]


def _work(session: pytest.Session, items: Iterator[pytest.Item], teller: Teller) -> None:
    """Run tests, and end this process."""
    try:
        config = session.config
        capture: Any = config.pluginmanager.getplugin("capturemanager")
        capture.stop_global_capturing()  # into files that are all processes'
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # where pytest writes as if it was alone
        capture.start_global_capturing()
        capture.suspend_global_capture()
        config.pluginmanager.register(teller)
        item = next(items, None)
        while item and not session.shouldfail:
            following = next(items, None)
            config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            item = following
        session._setupstate.teardown_exact(None)
        teller.tell()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        session._setupstate.teardown_exact(None)
    except BaseException:  # noqa: BLE001  # whatever it is, this process ends here
        traceback.print_exc()
    finally:
        os._exit(0)


class Teller:
    """Says to the first process, as each test begins, what it would have heard of those before."""

    def __init__(self, mouth: Connection) -> None:
        self._mouth = mouth
        self._said: list[pytest.TestReport | dict[str, Any]] = []

    def tell(self) -> None:
        self._mouth.send(self._said)
        self._said = []

    def pytest_runtest_logstart(self) -> None:
        self.tell()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._said.append(report)

    def pytest_warning_recorded(
        self, warning_message: Any, when: str, nodeid: str, location: Any
    ) -> None:
        what = {"warning_message": warning_message, "when": when, "nodeid": nodeid}
        self._said.append(what | {"location": location})
