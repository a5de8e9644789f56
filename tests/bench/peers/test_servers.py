"""Two matches at Colyseus, installed by npm and run by node."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from bench.peers import colyseus, node
from bench.support.generator import Load
from bench.support.report import Missing

pytestmark = [
    pytest.mark.slow,
    pytest.mark.socket,
    pytest.mark.skipif(
        shutil.which("node") is None or shutil.which("npm") is None, reason="no node and npm here"
    ),
]


@pytest.fixture(scope="module")
def installed() -> Path:
    try:
        return node.install()
    except Missing as error:
        pytest.skip(str(error))


def test_two_matches_follow_one_another(
    installed: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    server = node.NodeServer(tmp_path / "data", installed)
    server.start()
    try:
        words = ["--port", server.port, "--matches", 2, "--seconds", 1]
        assert colyseus.main([str(word) for word in words]) == 0
        result = msgspec.json.decode(capfd.readouterr().out, type=Load)
        assert (result.errors, result.complaints) == (0, [])
        assert result.moves > 2 * 2 * 9, "more than two games of each pair of players"
        assert 0 < result.p50_ms <= result.p99_ms
        monkeypatch.setattr(colyseus, "GAME_OF_CELLS", (4, 4))
        words[3:] = [1, "--seconds", 0.2, "--warm-up", 0.2]
        assert colyseus.main([str(word) for word in words]) == 1, "the rules are looked at"
    finally:
        assert server.stop() == 0
