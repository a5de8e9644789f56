"""Standard streams that are closed, full, left, not UTF-8 or not blocking."""

from __future__ import annotations

import fcntl
import os
import subprocess
from pathlib import Path

import pytest

from client.styled_text import width
from games import registry
from protocol.shell import streams
from tests.support.command import Run, run
from tests.support.terminal import PLYHOUSE

__all__ = ["run"]  # a fixture

RECORDS = Path(__file__).parents[2] / "vectors" / "records"
REPLAY = ["replay", str(RECORDS / "backgammon.json")]  # some pages of boards
VERIFY = ["verify", str(RECORDS / "tic_tac_toe.json")]  # a line


def shell(words: list[str], redirected: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command with its streams as a shell's line says."""
    line = " ".join([*PLYHOUSE, *words, redirected])
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", line],
        env={**os.environ, **more}, capture_output=True, timeout=60, check=False,
        encoding=more.get("PYTHONIOENCODING", "utf-8"),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("words", "redirected", "code", "err"),
    [
        (VERIFY, "> /dev/full", 1, "standard output cannot be written: No space left on device\n"),
        (["--help"], "> /dev/full", 1, "No space left on device\n"),
        (REPLAY, "| true", 141, ""),
        (["--version"], ">&-", 0, ""),
        (["--version"], "<&-", 0, ""),
        (["--version"], "2>&-", 0, ""),
        (["paly"], "2> /dev/full", 2, ""),
        (["paly"], ">&- 2>&- <&-", 2, ""),
    ],
)
def test_a_stream_that_is_closed_full_or_left_ends_in_an_exit_code(
    words: list[str], redirected: str, code: int, err: str
) -> None:
    done = shell(words, redirected)
    assert done.returncode == code, done.stderr
    assert done.stderr.endswith(err)
    assert done.stderr.count("\n") == (1 if err else 0)


def test_a_file_never_takes_the_number_of_a_closed_stream(tmp_path: Path, run: Run) -> None:
    record, words = tmp_path / "record.txt", ["export", VERIFY[1], "--format", "text"]
    shell([*words, "--out", str(record)], ">&- 2>&- <&-")
    assert record.read_text() == run(*words).out


def test_an_output_that_does_not_block_gets_all_of_it(run: Run) -> None:
    expected = run(*REPLAY).out
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4_096)
    os.set_blocking(writer, False)
    with subprocess.Popen([*PLYHOUSE, *REPLAY], stdout=writer), open(reader, "rb") as out:  # noqa: PTH123
        os.close(writer)
        assert out.read().decode() == expected
    assert len(expected) > 4_096


def test_boards_and_strangers_are_written_in_any_encoding(run: Run) -> None:
    done = shell(REPLAY, "", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    text = run(*REPLAY).out
    assert done.stdout == as_written(text, "ascii")
    assert not [name for name in ("ascii", "cp1252", "cp437") if "?" in as_written(text, name)]


def as_written(text: str, encoding: str) -> str:
    return text.encode(encoding, streams._ERRORS).decode(encoding)


def test_a_board_keeps_its_shape_in_ascii(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", _Ascii())
    for name in registry.names():
        game = registry.game(name)
        board = game.draw(game.initial())
        plain = streams.writable(board)
        assert plain.isascii()
        assert "?" not in plain
        assert list(map(width, plain.split("\n"))) == list(map(width, board.split("\n")))
    assert streams.writable("日本 says ☃: 2½ – é…") == "???? says ?: 21/2 - e..."


class _Ascii:
    encoding = "ascii"
