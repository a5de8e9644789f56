"""The load generator, at a real server, which refuses whatever is out of turn."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from bench.server import load
from bench.support.generator import GAME, Load, measured
from bench.support.process import UNLIMITED
from games import registry
from games.game import replay
from lab.arena.local_server import ServerProcess
from tests.support.serving import serving

pytestmark = pytest.mark.socket


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with serving(tmp_path_factory.mktemp("load") / "data", UNLIMITED) as server:
        yield server


def test_the_game_it_plays_is_a_draw() -> None:
    position = replay(registry.game(GAME), [int(cell) - 1 for cell in load.DRAWN])
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.returns == (0.0, 0.0)


def test_matches_follow_each_other_without_an_error(
    server: ServerProcess, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ["--port", server.port, "--matches", 2, "--seconds", 0.5]
    words += ["--warm-up", 0.1, "--server-pid", server.pid]
    assert load.main([str(word) for word in words]) == 0
    result = msgspec.json.decode(capfd.readouterr().out, type=Load)
    assert (result.errors, result.complaints) == (0, [])
    assert result.moves > 2 * 9, "more than one match of each pair of players"
    assert 0 < result.p50_ms <= result.p99_ms
    assert result.bytes > 100 * result.moves
    if Path("/proc/self/stat").exists():
        assert result.server_cpu is not None


def test_a_refusal_is_counted_and_quoted(
    server: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "DRAWN", ("1", "1"))
    result = measured(load.MatchGenerator("127.0.0.1", server.port, 2), 0.2, 0.2)
    assert result.errors == 3
    assert result.complaints[0].endswith("[match/illegal-action]")
    assert result.complaints[-1] == "no move was answered"
    assert result.server_cpu is None
