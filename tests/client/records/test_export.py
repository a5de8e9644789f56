"""`plyhouse export` and `plyhouse replay`, from a file and from a server."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest
from msgspec.structs import replace

import plyhouse
from client.records import mat, record, sgf, text
from client.records.record import Record
from client.records.story import tell
from protocol.messages import (
    Create,
    Event,
    Join,
    Leave,
    MatchState,
    Ok,
    Options,
    Play,
    Ready,
    Resign,
    RoomState,
)
from tests.client.records.played import Played, won_at_connect_four
from tests.server.live import Live, Raw, live

ROOT = Path(__file__).parents[3]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Run:
    """Run a command in this process: the exit code, and what it wrote to stdout and stderr."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))

    def command(*words: object) -> tuple[int, str, str]:
        code = plyhouse.main([str(word) for word in words])
        out, err = capsysbinary.readouterr()
        return code, out.decode(), err.decode()

    return command


def file(folder: Path, played: Played | None = None) -> Path:
    """A record on disk, by default ann's win at connect four."""
    events = tuple(played.events if played is not None else won_at_connect_four())
    path = folder / "match.json"
    path.write_bytes(record.write(Record("17.2", events)))
    return path


def backgammon() -> Played:
    return Played("backgammon").plays_on(seed=2)


# ---------------------------------------------------------------- export


def test_each_format_is_what_its_module_writes(run: Run, tmp_path: Path) -> None:
    path, story = file(tmp_path, backgammon()), tell(backgammon().events)
    for name, wanted in (
        ("json", path.read_text()), ("text", text.write(story)),
        ("mat", mat.write(story)), ("sgf", sgf.write(story)),
    ):  # fmt: skip
        assert run("export", path, "--format", name) == (0, wanted, "")
    assert run("export", path) == (0, path.read_text(), "")


def test_it_is_written_into_a_file(run: Run, tmp_path: Path) -> None:
    path, out = file(tmp_path), tmp_path / "out.txt"
    code, said, complaints = run("export", path, "--format", "text", "--out", out)
    assert (code, said, complaints) == (0, f"wrote {out}, {out.stat().st_size} bytes\n", "")
    assert out.read_text() == text.write(tell(won_at_connect_four()))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--format", "pgn"], "no format 'pgn'; there are json, text, sgf, mat"),
        (["--format", "mat"], "mat is for backgammon; connect_four goes into json or text"),
        (["--format", "sgf"], "sgf is for backgammon; connect_four goes into json or text"),
        (["--out", "/nowhere/at/all"], "/nowhere/at/all: No such file or directory"),
    ],
)
def test_what_cannot_be_exported_is_one_sentence(
    run: Run, tmp_path: Path, words: list[str], sentence: str
) -> None:
    code, out, err = run("export", file(tmp_path), *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert sentence in err


def test_a_file_that_was_altered_is_not_read_on(run: Run, tmp_path: Path) -> None:
    path = file(tmp_path)
    path.write_bytes(path.read_bytes().replace(b'"action":"3"', b'"action":"2"', 1))
    for words in (("export", path, "--format", "text"), ("replay", path)):
        code, out, err = run(*words)
        assert (code, out) == (2, "")
        assert "is not as it was written: line 4" in err


# ---------------------------------------------------------------- replay in a pipe


def test_a_pipe_gets_every_position_or_only_the_moves(run: Run, tmp_path: Path) -> None:
    code, out, err = run("replay", file(tmp_path))
    assert (code, err) == (0, "")
    assert out.count("\nply ") == 7
    assert out.endswith("ann wins: line.\n")
    assert "\x1b" not in out
    story = tell(won_at_connect_four())
    assert run("replay", file(tmp_path), "--moves") == (0, text.write(story), "")


def test_a_seat_turns_the_board(run: Run, tmp_path: Path) -> None:
    path = file(tmp_path, backgammon())
    first = run("replay", path, "--seat", "first")
    assert first == run("replay", path)
    assert first != run("replay", path, "--seat", "second")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--seat", "third"], "'third' is no seat"),
        (["--every", "0"], "--every takes 0.01 to 3600 seconds"),
        (["--every", "nan"], "--every takes 0.01 to 3600 seconds"),
    ],
)
def test_what_cannot_be_replayed_is_one_sentence(
    run: Run, tmp_path: Path, words: list[str], sentence: str
) -> None:
    code, out, err = run("replay", file(tmp_path), *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert sentence in err


def test_a_game_that_is_not_known_here_can_still_be_copied(run: Run, tmp_path: Path) -> None:
    path = file(tmp_path)
    events = record.read(path.read_bytes()).events
    strange = Record("17.2", tuple(_of_go(event) for event in events))
    path.write_bytes(record.write(strange))
    assert run("export", path)[:2] == (0, path.read_text())
    code, _, err = run("export", path, "--format", "text")
    assert (code, "the game 'go' is not known here" in err) == (2, True)


def _of_go(event: Event) -> Event:
    return replace(event, game="go") if event.game is not None else event


# ---------------------------------------------------------------- in a terminal


def test_in_a_terminal_one_steps_through_it(tmp_path: Path) -> None:
    child: pexpect.spawn[str] = pexpect.spawn(
        sys.executable,
        [str(ROOT / "plyhouse.py"), "replay", str(file(tmp_path)), "--every", "0.02"],
        env={**os.environ, "TERM": "xterm-256color", "PROMPT_TOOLKIT_NO_CPR": "1"},  # type: ignore[arg-type]
        dimensions=(24, 100),
        encoding="utf-8",
        timeout=15,
    )
    try:
        child.expect("ply 0 of 7")
        child.send("\x1b[C")
        child.expect("1. .*X")
        child.send(" ")
        child.expect("ann wins: line")
        child.send("q")
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == 0
    finally:
        child.close(force=True)


# ---------------------------------------------------------------- from a server


async def played_at(server: Live, options: Options) -> tuple[Raw, Raw, RoomState]:
    """Ann and bob have begun a match of tic-tac-toe, and ann has played."""
    ann, bob = await server.enter("ann"), await server.enter("bob")
    room = await ann.ask(Create(id=1, game="tic_tac_toe", options=options), RoomState)
    await bob.ask(Join(id=2, room=room.room, code=room.code), RoomState)
    await ann.ask(Ready(id=3, room=room.room), Ok)
    await bob.ask(Ready(id=4, room=room.room), Ok)
    match = await ann.hear(MatchState)
    await ann.ask(Play(id=5, match=match.match, turn=match.turn, action="5"), Ok)
    return ann, bob, room


@pytest.mark.socket
async def test_a_match_of_a_server_is_exported_once_it_is_over(run: Run, tmp_path: Path) -> None:
    async with live(tmp_path / "data") as server:
        ann, _, room = await played_at(server, Options())
        where = ("--url", f"127.0.0.1:{server.port}")
        code, out, err = await asyncio.to_thread(run, "export", "1.1", *where)
        assert (code, out) == (2, "")
        assert "match 1.1 is still on" in err
        await ann.ask(Resign(id=6, match="1.1"), Ok)
        await ann.ask(Leave(id=7, room=room.room), Ok)
        code, out, _ = await asyncio.to_thread(run, "export", "1.1", "--format", "text", *where)
        assert code == 0
        assert "O wins: X resigned\n\n  1. 5\n" in out
        code, out, _ = await asyncio.to_thread(run, "replay", "1.1", *where)
        assert "ply 1 of 1: X 5" in out


@pytest.mark.socket
async def test_a_private_match_is_exported_with_its_code(run: Run, tmp_path: Path) -> None:
    async with live(tmp_path / "data") as server:
        ann, _, room = await played_at(server, Options(public=False))
        await ann.ask(Resign(id=6, match="1.1"), Ok)
        where = ("--url", f"127.0.0.1:{server.port}")
        code, out, err = await asyncio.to_thread(run, "export", "1.1", *where)
        assert (code, out) == (2, "")
        assert "private" in err
        code, out, _ = await asyncio.to_thread(run, "export", "1.1", "--code", room.code, *where)
        assert (code, out.count('"kind":"play"')) == (0, 1)
