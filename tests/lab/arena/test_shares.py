"""A duel in shares: which matches each plays, under which names, and that nothing is lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from bots.online.entry import MatchPart, make_entry
from bots.online.terms import Terms
from lab.arena import shares
from lab.arena.duel import DuelPlan
from lab.arena.score import DuelRecord
from lab.arena.shares import DuelShare, Engines, PlayedShare, SharedDuel
from lab.farm.executor import HereExecutor

PLAN = DuelPlan((make_entry("random", seed=1), make_entry("random", seed=2)), "tic_tac_toe", 11, 1)


def test_a_match_of_a_part_is_called_and_seeded_as_in_the_whole() -> None:
    entry = make_entry("random", seed=1)
    part = replace(entry, part=MatchPart(room=3, before=6))
    assert (entry.whole_name("1.2"), part.whole_name("1.2")) == ("1.2", "3.8")
    whole = Terms(entry, None, {}).bot("3.8")
    assert Terms(part, None, {}).bot("1.2").seed == whole.seed
    assert Terms(part, None, {}).bot("1.1").seed != whole.seed


def fake(seconds: float) -> Callable[[DuelPlan, DuelShare, Engines], PlayedShare]:
    """Matches that take so long each, and of which each third is a crash."""

    def play(plan: DuelPlan, share: DuelShare, engines: Engines) -> PlayedShare:
        first = share.first + 1
        names = [f"{share.room + 1}.{number}" for number in range(first, first + share.matches)]
        records = [DuelRecord(n, name, 0, (0, 0), how="rules") for n, name in enumerate(names, 1)]
        return PlayedShare(share, records, share.matches // 3, seconds * share.matches)

    return play


@pytest.mark.parametrize(("rooms", "matches"), [(1, 1), (1, 11), (2, 11), (4, 3), (3, 400)])
def test_every_match_is_played_once_and_a_share_begins_with_the_same_seat(
    rooms: int, matches: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shares, "play_share", fake(0.5))
    plan = replace(PLAN, matches=matches, concurrency=rooms)
    duel = SharedDuel(plan)
    played = list(duel.play(HereExecutor()))
    room_shares = enumerate(plan.room_shares, 1)
    names = [f"{room}.{n}" for room, count in room_shares for n in range(1, count + 1)]
    assert [record.match for record in duel.records] == names
    assert [record.number for record in duel.records] == list(range(1, matches + 1))
    assert sorted(record.match for record in played) == sorted(names)
    assert all(each.share.first % 2 == 0 for each in duel._played)
    assert duel.crashes == sum(each.share.matches // 3 for each in duel._played)


def test_shares_grow_to_what_is_worth_a_server_and_leave_something_for_every_hand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for seconds, usual in ((0.5, 30), (60.0, 2)):
        monkeypatch.setattr(shares, "play_share", fake(seconds))
        duel = SharedDuel(replace(PLAN, matches=300))
        drawn = duel._shares(lambda: 3)
        sizes = []
        for share in drawn:
            duel._played.append(shares.play_share(PLAN, share, Engines()))
            sizes.append(share.matches)
        assert sizes[0] == 2
        assert sizes[1] == usual
        assert sizes == [2, *sorted(sizes[1:], reverse=True)]
        assert sizes[-1] == 2
        assert sum(sizes) == 300
