"""The load generator, against a fake server that checks every turn number."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import msgspec
import pytest

from bench import load
from games import registry
from games.game import replay
from tests.bench.fake_server import running

pytestmark = pytest.mark.socket


def test_the_game_it_plays_is_a_draw() -> None:
    game = registry.game(load.GAME)
    position = replay(game, [int(cell) - 1 for cell in load.DRAWN])
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.returns == (0.0, 0.0)


def test_matches_follow_each_other_without_an_error() -> None:
    with running() as port:
        found = load.measure("127.0.0.1", port, 5, 0.3, 0.1, None)
    assert found.errors == 0, found.said
    assert found.moves > 5 * 9, "several matches a table"
    assert 0 < found.p50_ms <= found.p99_ms
    assert found.bytes_per_move > 100
    assert found.server_cpu_us is None


def test_a_refusal_is_counted_and_quoted() -> None:
    with running(refuse_ply=4) as port:
        found = load.measure("127.0.0.1", port, 2, 0.2, 0.1, None)
    assert found.errors == 3
    assert found.said[-1] == "no move was answered"
    assert found.said[0] == "no [match/illegal-action]"


def test_its_cpu_time_is_read_from_the_server_process(capfd: pytest.CaptureFixture[str]) -> None:
    with running() as port:
        code = load.main(
            ["--port", str(port), "--matches", "1", "--seconds", "0.3", "--warm-up", "0.1",
             "--server-pid", str(os.getpid())]
        )  # fmt: skip
    found = msgspec.json.decode(capfd.readouterr().out, type=load.Load)
    assert code == 0
    if Path("/proc/self/stat").exists():
        assert found.server_cpu_us is not None


def test_nobody_listening_is_one_sentence(capfd: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        assert load.main(["--port", str(free.getsockname()[1])]) == 1
    assert capfd.readouterr().err.count("\n") == 1
