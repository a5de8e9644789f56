"""Stages for sessions: one before a person, one in a pipe."""

from __future__ import annotations

import subprocess
from collections.abc import AsyncIterator, Iterator

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from client.terminal import seating
from lab.arena.local_server import ServerProcess
from tests.client.terminal.fakes import Paper, Stage
from tests.support.serving import serving
from tests.support.terminal import PLYHOUSE, environment


@pytest.fixture(autouse=True)
def _bots_answer_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seating, "ANSWERS_WITHIN_S", 0.01)


@pytest.fixture
async def stage() -> AsyncIterator[Stage]:
    made = Stage()
    yield made
    await made.end()


@pytest.fixture
async def pipe() -> AsyncIterator[Stage]:
    made = Stage(patient=True)
    yield made
    await made.end()


@pytest.fixture
def paper() -> Paper:
    return Paper()


@pytest.fixture
def keys(paper: Paper, monkeypatch: pytest.MonkeyPatch) -> Iterator[PipeInput]:
    """The keyboard of a pretended terminal of 80 x 24, which writes on `paper`."""
    monkeypatch.setenv("PROMPT_TOOLKIT_NO_CPR", "1")
    output = Vt100_Output(paper, lambda: Size(rows=24, columns=80), term="xterm-256color")
    with create_pipe_input() as keyboard, create_app_session(input=keyboard, output=output):
        yield keyboard


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server with the bot `random`."""
    home = tmp_path_factory.mktemp("house")
    with serving(home / "data") as server:
        words = ["bot", "random", "--name", "house", "--slots", "9", "--url", server.url, "--quiet"]
        words += ["--token-file", str(server.data / "house-bots.json")]
        bot = subprocess.Popen(
            [*PLYHOUSE, *words],
            env={**environment(home), "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert bot.stdout is not None
        assert " is at " in bot.stdout.readline()
        yield server
        bot.kill()  # asked to end, it would first play to the end
        bot.stdout.close()
        bot.wait(timeout=60)
