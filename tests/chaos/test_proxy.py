"""Over a network that cuts, stalls, trickles and repeats: each action once, one account by all."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.server.chaos import GAMES, ChaosPlan, carry_out, matches_of_rooms
from bench.support.proxy import Fault

pytestmark = [pytest.mark.chaos, pytest.mark.socket]


async def test_a_few_matches_tell_one_story(tmp_path: Path) -> None:
    report = await carry_out(ChaosPlan(matches=3, rooms=3, seed=3, life=8_000), tmp_path)
    assert report.problems == []
    assert sum(report.matches.values()) == 3 + 3, "and one a room while nobody was cut"
    assert report.players == {"people": 4, "programs": 1, "our bot": 1, "spectators": 2}
    assert report.faults.keys() >= {Fault.CUT, Fault.REPEAT}


@pytest.mark.slow
async def test_everybody_tells_one_story(tmp_path: Path) -> None:
    report = await carry_out(ChaosPlan(matches=60, rooms=40, seed=5, life=16_000), tmp_path)
    assert report.problems == []
    assert sum(report.matches.values()) >= 60
    assert set(report.matches) == set(GAMES)
    assert all(report.players.values())
    assert set(report.faults) == set(Fault), "every fault has happened"
    assert report.faults["cut"] > 40


def test_as_many_matches_are_planned_as_are_asked_for() -> None:
    for matches, rooms in [(200, 40), (10_000, 150), (7, 20)]:
        planned = [count for _, count in matches_of_rooms(ChaosPlan(matches, rooms))]
        assert len(planned) == rooms
        assert sum(planned) == max(matches, rooms)
