"""The one command: what it says when asked wrongly, and that it imports only what is needed."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import plyhouse

ROOT = Path(__file__).parent.parent


def test_without_a_command_it_lists_them_all(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        plyhouse.main([])
    assert end.value.code == 0
    text = capsys.readouterr().out
    assert all(name in text for name in plyhouse.COMMANDS)


def test_an_unknown_command_names_those_that_exist(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        plyhouse.main(["paly"])
    assert end.value.code == 2
    assert "play" in capsys.readouterr().err


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        plyhouse.main(["--version"])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert capsys.readouterr().out.strip() == f"plyhouse {project['version']}"


@pytest.mark.parametrize("name", sorted(plyhouse.COMMANDS))
def test_each_command_explains_itself(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        plyhouse.main([name, "--help"])
    assert end.value.code == 0
    assert f"plyhouse {name}" in capsys.readouterr().out


def test_only_the_app_that_was_asked_for_is_imported() -> None:
    code = "import plyhouse, sys; plyhouse.COMMANDS['serve'][1](); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "server.app" in loaded
    assert not {"bots", "client", "numba", "rich", "prompt_toolkit"} & loaded


def test_the_house_offers_every_bot_of_the_roster() -> None:
    roster = {path.stem for path in (ROOT / "bots" / "roster").glob("[a-z]*.py")}
    assert set(plyhouse.HOUSE_BOTS.split(",")) == roster


def test_who_stops_reading_early_sees_no_error() -> None:
    command = [sys.executable, "plyhouse.py", "solve", "tic_tac_toe"]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.wait(60) == 141
        assert process.stderr is not None
        assert process.stderr.read() == ""


async def test_the_pause_before_the_bots_start_again_shrinks_after_a_steady_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A clock of its own: each run of the bots takes as long as `lasts` says, pauses take none."""
    lasts, pauses, clock = [0.0, 5.0, 59.0, 60.0, 1.0], [], [0.0]
    loop = asyncio.get_running_loop()

    class Child:
        async def wait(self) -> int:
            clock[0] += lasts.pop(0) if lasts else 0.0
            return 1 if len(pauses) < 5 else 2

    async def started(*command: str, **how: object) -> Child:
        return Child()

    async def slept(seconds: float) -> None:
        pauses.append(seconds)

    with monkeypatch.context() as patch:
        patch.setattr(asyncio, "create_subprocess_exec", started)
        patch.setattr(asyncio, "sleep", slept)
        patch.setattr(loop, "time", lambda: clock[0])
        await plyhouse._keep_bots("ws://here", ["random"], tmp_path)
    assert pauses == [1.0, 2.0, 4.0, 1.0, 2.0]
