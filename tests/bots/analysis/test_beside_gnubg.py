"""The analysis of a game with the cube beside that of GNU Backgammon, where it is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from bots.analysis.analysts import make_analyst
from bots.analysis.match_analysis import analyse
from protocol.records import formats, record
from protocol.records.analyses import by_plays
from protocol.records.replay import replay_events

GNUBG = shutil.which("gnubg") or "/usr/games/gnubg"
RECORD = Path(__file__).parents[2] / "vectors" / "records" / "backgammon_cube.json"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path(GNUBG).exists(), reason="GNU Backgammon is not installed"),
]
SCRIPT = """
import gnubg
for command in ("set automatic game off", "set confirm new off",
                "set analysis chequerplay evaluation plies 1",
                "set analysis cubedecision evaluation plies 2",
                "load match {}", "analyse match", "show statistics match"):
    gnubg.command(command)
"""


def statistics(text: str, name: str) -> list[tuple[float, ...]]:
    """The figures of each line with this name: of both sides, O first."""
    lines = [line for line in text.splitlines() if line.startswith(name)]
    return [tuple(map(float, re.findall(r"[-+]?\d+\.?\d*", line[len(name) :]))) for line in lines]


@pytest.mark.usefixtures("with_numba")
def test_it_finds_what_gnu_backgammon_finds(tmp_path: Path) -> None:
    """A game at 4 to 2 of a match to 7, with doubles: losses and luck in per cent of the match."""
    match = record.read(RECORD.read_bytes())
    file, script = tmp_path / "game.sgf", tmp_path / "script.py"
    file.write_bytes(formats.write(match, "sgf"))
    script.write_text(SCRIPT.format(file))
    command = [GNUBG, "-t", "-q", "-r", "-p", str(script)]
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False
    )
    _, (_, o_cube, _, x_cube), (_, o_lost, _, x_lost) = statistics(
        done.stdout, "Error total EMG (MWC)"
    )
    ((_, o_luck, _, x_luck),) = statistics(done.stdout, "Luck total EMG (MWC)")
    ((o_unforced, x_unforced),) = statistics(done.stdout, "Unforced moves")
    ((o_close, x_close),) = statistics(done.stdout, "Close or actual cube decisions")

    replay = replay_events(match.events)
    found = analyse(replay.steps[0].position, replay.actions(), make_analyst(replay.game))
    x, o = found.totals
    for ours, lost, cube, luck, unforced, close in (
        (x, x_lost, x_cube, x_luck, x_unforced, x_close),
        (o, o_lost, o_cube, o_luck, o_unforced, o_close),
    ):
        assert ours.cube is not None
        assert ours.luck is not None
        assert 100 * ours.loss == pytest.approx(-lost, abs=2)
        assert 100 * ours.cube.loss == pytest.approx(-cube, abs=1)
        assert 100 * ours.luck == pytest.approx(luck, abs=2)
        assert by_plays(ours).rated == unforced
        assert ours.cube.plays == pytest.approx(close, abs=2)
