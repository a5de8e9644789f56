"""The log grows by a few lines of one kind, and says how many more there were."""

from __future__ import annotations

import logging

import pytest

from server.app import OTHER_FILES, fit_to_files
from server.config import Config
from server.log_lines import AT_ONCE, EVERY_S, MAX_KINDS, LogLimit


class Log:
    """A log whose clock is wound by hand."""

    def __init__(self) -> None:
        self.now = 0.0
        self.limit = LogLimit(lambda: self.now)

    def written(self, text: str, *args: object, times: int = 1) -> list[str]:
        """Say something so often: the lines that are written."""
        lines: list[str] = []
        for _ in range(times):
            record = logging.LogRecord("asyncio", logging.WARNING, "", 0, text, args, None)
            if self.limit.filter(record):
                lines.append(record.getMessage())
        return lines


def test_what_is_said_all_the_time_is_counted() -> None:
    log, text = Log(), "socket.send() raised exception."
    assert log.written(text, times=8_800) == [text] * AT_ONCE
    log.now = EVERY_S
    assert log.written(text, times=2) == [f"{text} (8,795 more like this)"]
    log.now = 10 * EVERY_S
    assert log.written(text, times=2) == [f"{text} (1 more like this)", text]


def test_lines_of_one_kind_differ_in_their_arguments_only() -> None:
    log = Log()
    assert len(log.written("room %d failed", 1, times=9)) == AT_ONCE
    assert log.written("room %d failed", 2) == []
    assert log.written("the log works again") == ["the log works again"]


def test_there_are_only_so_many_kinds() -> None:
    log = Log()
    lines = [line for n in range(10 * MAX_KINDS) for line in log.written(f"something new: {n}")]
    assert len(lines) == MAX_KINDS + AT_ONCE


@pytest.mark.parametrize(
    ("files", "connections"), [(10_200, 10_000), (1_024, 824), (256, 128), (64, 32), (3, 1)]
)
def test_connections_never_exceed_what_open_files_allow(
    files: int, connections: int, caplog: pytest.LogCaptureFixture
) -> None:
    config = fit_to_files(Config(), files)
    assert config.connections == connections
    assert config.spare_connections <= Config().spare_connections
    assert files < 64 or config.connections + config.spare_connections < files - 20
    assert bool(caplog.records) == (files < Config().connections + OTHER_FILES)
