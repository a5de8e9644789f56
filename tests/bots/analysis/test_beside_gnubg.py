"""The analysis of a game with the cube beside that of GNU Backgammon, where it is installed."""

from __future__ import annotations

import re
import resource
import time
from pathlib import Path

import pytest

from bots.analysis.analysts import make_analyst
from bots.analysis.match_analysis import analyse
from protocol.analysis import performance_rating
from protocol.reading import files
from protocol.records import formats, record
from protocol.records.analyses import added_up, by_plays
from protocol.records.replay import replay_events
from tests.protocol.reading.gnubg import GNUBG, SELF_PLAY, run_gnubg

RECORD = Path(__file__).parents[2] / "vectors" / "records" / "backgammon_cube.json"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path(GNUBG).exists(), reason="GNU Backgammon is not installed"),
]


def analysis_of(file: Path, plies: int) -> list[str]:
    """The commands that have GNU Backgammon analyse the match in a file, on one thread."""
    return [
        "set automatic game off", "set confirm new off", "set threads 1",
        f"set analysis chequerplay evaluation plies {plies}",
        "set analysis cubedecision evaluation plies 2",
        f"load match {file}", "analyse match", "show statistics match",
    ]  # fmt: skip


def statistics(text: str, name: str) -> list[tuple[float, ...]]:
    """The figures of each line with this name: of both sides, O first."""
    lines = [line for line in text.splitlines() if line.startswith(name)]
    return [tuple(map(float, re.findall(r"[-+]?\d+\.?\d*", line[len(name) :]))) for line in lines]


@pytest.mark.usefixtures("with_numba")
def test_it_finds_what_gnu_backgammon_finds(tmp_path: Path) -> None:
    """A game at 4 to 2 of a match to 7, with doubles: losses and luck in per cent of the match."""
    match = record.read(RECORD.read_bytes())
    file = tmp_path / "game.sgf"
    file.write_bytes(formats.write(match, "sgf"))
    shown = run_gnubg(tmp_path, *analysis_of(file, 1))
    _, (_, o_cube, _, x_cube), (_, o_lost, _, x_lost) = statistics(shown, "Error total EMG (MWC)")
    ((_, o_luck, _, x_luck),) = statistics(shown, "Luck total EMG (MWC)")
    ((o_unforced, x_unforced),) = statistics(shown, "Unforced moves")
    ((o_close, x_close),) = statistics(shown, "Close or actual cube decisions")

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


@pytest.mark.usefixtures("with_numba")
@pytest.mark.parametrize(
    "seed",  # 3: one game, in which a single decision weighs much
    [1, *(pytest.param(seed, marks=pytest.mark.strength) for seed in (2, 4))],
)
def test_a_whole_match_from_a_file_is_rated_as_it_does_in_a_third_of_its_time(
    seed: int, tmp_path: Path
) -> None:
    """A match to 5 points, by GNU Backgammon with two plies, both on one thread; processor time."""
    file = tmp_path / "match.sgf"
    run_gnubg(tmp_path, *SELF_PLAY, f"set seed {seed}", "new match 5", f"save match {file}")
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    shown = run_gnubg(tmp_path, *analysis_of(file, 2), timeout=900)
    theirs = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    *_, (o_rate, _, x_rate, _) = statistics(shown, "Error rate mEMG (MWC)")

    replays = [replay_events(game.events) for game in files.read(file.read_bytes()).games]
    analyst = make_analyst(replays[0].game)
    analyse(replays[0].steps[0].position, replays[0].actions()[:6], analyst)  # which is compiled
    start = time.process_time()
    found = added_up(
        [
            analyse(r.steps[0].position, r.actions(), analyst, resignations=r.resignations)
            for r in replays
        ]
    )
    ours = time.process_time() - start
    for total, rate in zip(found.totals, (x_rate, o_rate), strict=True):
        assert performance_rating(total) == pytest.approx(-rate / 2, rel=0.15)
    assert ours < theirs / 3
