"""Matches that GNU Backgammon has played by itself, read as it writes them, where it is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from client.records.series import verify_series
from protocol.reading import files
from protocol.records.record import MatchRecord
from protocol.records.replay import replay_events
from tests.protocol.reading.gnubg import GNUBG, SELF_PLAY, run_gnubg

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path(GNUBG).exists(), reason="GNU Backgammon is not installed"),
]


def turned(record: MatchRecord) -> list[tuple[int | None, str | None]]:
    """The actions of a game as the other side's: in match text the other player stands left."""
    steps = [step.last for step in replay_events(record.events).steps[1:]]
    actions = [(e.seat, e.action) for e in steps if e is not None]
    first = actions[0][1] or ""
    actions[0] = (-1, first[::-1])
    return [(1 - seat if seat in (0, 1) else seat, action) for seat, action in actions]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("length", [1, 3, 7])
def test_every_turn_and_result_of_its_files_is_read(length: int, seed: int, tmp_path: Path) -> None:
    tree, text = tmp_path / "match.sgf", tmp_path / "match.mat"
    run_gnubg(
        tmp_path, *SELF_PLAY, f"set seed {seed}", f"new match {length}",
        f"save match {tree}", f"export match mat {text}",
    )  # fmt: skip
    one, two = (files.read(file.read_bytes()) for file in (tree, text))
    for read in (one, two):
        assert (read.fault, list(read.remarks)) == (None, [])
        checked, wrong = verify_series(read.games, promised=False)
        assert (wrong, [game.wrong for game in checked]) == (None, [None] * len(read.games))
    assert len(one.games) == len(two.games)
    for game, other in zip(one.games, two.games, strict=True):
        steps = [step.last for step in replay_events(other.events).steps[1:]]
        assert turned(game) == [(e.seat, e.action) for e in steps if e is not None]
        result, turned_result = (replay_events(g.events).result for g in (game, other))
        assert result is not None
        assert turned_result is not None
        assert result.returns == turned_result.returns[::-1]
