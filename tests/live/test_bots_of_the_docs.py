"""The bots that docs/bots shows, taken from the page: they meet on a ladder."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from client.connection import Connection, connect
from lab.arena.local_server import ServerProcess
from protocol.ladder import LadderState
from protocol.parts import ClockOptions
from tests.support.serving import serving
from tests.support.terminal import PLYHOUSE, environment

pytestmark = pytest.mark.socket
PAGE = (Path(__file__).parents[2] / "docs" / "bots" / "writing.md").read_text("utf-8")
PATIENCE_S = 60.0


def code_of(name: str) -> str:
    """The program of the page whose first line names this file."""
    (code,) = re.findall(
        rf"```\w+\n((?:#|//) (?:my_bots/)?{re.escape(name)}.*?)```", PAGE, re.DOTALL
    )
    return str(code)


def lines_of(name: str) -> int:
    return sum(bool(line.strip()) for line in code_of(name).splitlines()[1:])


def test_they_are_as_short_as_the_page_says() -> None:
    assert lines_of("middle.py") <= 10
    assert lines_of("nine.py") == 9
    assert lines_of("shrug.mjs") <= 45


@contextmanager
def running(folder: Path, name: str, address: str, *command: str) -> Iterator[None]:
    """A program of the page, which runs until the end of the block."""
    code = code_of(name).replace("127.0.0.1:8765", address)
    (folder / name).write_text(code, encoding="utf-8")
    child = subprocess.Popen(
        [*command, name],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,  # `go run` has the program as its child
        text=True,
    )
    assert child.stderr is not None
    try:
        yield
        assert child.poll() is None, child.stderr.read()
    finally:
        os.killpg(child.pid, signal.SIGKILL)
        child.stderr.close()
        child.wait()


@contextmanager
def library_bots(folder: Path, server: ServerProcess, *names: str) -> Iterator[None]:
    """Bots of the page that use the library, on the ladder."""
    bots = folder / "my_bots"
    bots.mkdir()
    for name in names:
        (bots / f"{name}.py").write_text(code_of(f"{name}.py"), encoding="utf-8")
    words = ["bot", *names, "--ladder", "friday", "--url", server.url, "--quiet"]
    child = subprocess.Popen(
        [*PLYHOUSE, *words],
        env={**environment(folder), "PLYHOUSE_BOTS": str(bots)},
        stdout=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        child.kill()
        child.wait()


async def ladder(
    server: ServerProcess, players: int, programs: ExitStack, folder: Path
) -> LadderState:
    """The ladder `friday` with what `programs` start on it, at its end."""
    async with await connect(server.url, name="host") as host:
        clock = ClockOptions(base_ms=60_000)
        await host.ladder_create(
            "friday", "connect_four", clock, "roundrobin:1", seed=1, players=players, siblings=True
        )
        programs.enter_context(running(folder, "nine.py", server.address, sys.executable))
        if players > 2:
            node = ["node", "--experimental-websocket"]
            programs.enter_context(running(folder, "shrug.mjs", server.address, *node))
            programs.enter_context(running(folder, "first.go", server.address, "go", "run"))
        programs.enter_context(library_bots(folder, server, "middle", *["keeper"] * (players > 2)))
        async with asyncio.timeout(PATIENCE_S):
            state = await host.ladder_status("friday", follow=True)
            while state.ladder.state != "finished":
                message = await anext(host)
                state = message if isinstance(message, LadderState) else state
        return state


def check(state: LadderState, players: set[str]) -> None:
    assert {row.player.partition("@")[0] for row in state.standings} == players
    assert all(row.pairs == len(players) - 1 for row in state.standings)
    assert all(row.lost_by == {} for row in state.standings), "nobody lost but on the board"


async def test_nine_lines_and_a_function_play_on_a_ladder(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as server, ExitStack() as programs:
        check(await ladder(server, 2, programs, tmp_path), {"nine/first", "ada/middle"})


@pytest.mark.slow
async def test_bots_in_three_languages_meet(tmp_path: Path) -> None:
    for tool in ("node", "go"):
        if shutil.which(tool) is None:
            pytest.skip(f"needs {tool}")
    with serving(tmp_path / "data") as server, ExitStack() as programs:
        state = await ladder(server, 5, programs, tmp_path)
    check(state, {"nine/first", "jill/shrug", "gopher/first", "ada/middle", "ada/keeper"})
    assert (tmp_path / "jill.token").stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
async def test_the_one_in_javascript_comes_back_after_a_kill(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as server, ExitStack() as programs:
        async with await connect(server.url, name="host") as host:
            clock = ClockOptions(base_ms=60_000)
            await host.ladder_create("friday", "connect_four", clock, players=2)
            command = ["node", "--experimental-websocket"]
            programs.enter_context(running(tmp_path, "shrug.mjs", server.address, *command))
            programs.enter_context(library_bots(tmp_path, server, "middle"))
            before = await pairs_of(host, 1)
        server.kill()
        server.start()
        async with await connect(server.url, name="eve") as eve:
            assert await pairs_of(eve, before + 2) > before


async def pairs_of(connection: Connection, least: int) -> int:
    """The pairs of `friday` that are over, once there are so many."""
    async with asyncio.timeout(PATIENCE_S):
        state = await connection.ladder_status("friday", follow=True)
        while state.ladder.pairs < least:
            message = await anext(connection)
            state = message if isinstance(message, LadderState) else state
    return state.ladder.pairs
