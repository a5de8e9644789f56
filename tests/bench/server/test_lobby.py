"""What the lobby costs, measured over a few seconds of a small crowd."""

from __future__ import annotations

import pytest

from bench.server import lobby


@pytest.mark.slow
def test_the_same_evening_is_followed_in_both_ways() -> None:
    report = lobby.measure(followers=20, acts=40, seconds=4)
    lists, changes = report.figures
    assert (lists.follow, changes.follow) == ("lists", "changes")
    assert 0 < changes.msgpack_bytes < changes.json_bytes < lists.json_bytes
    assert 1 < changes.messages_per_s <= 4
    assert changes.hundred_bytes == 100 * changes.json_bytes
    assert (report.rooms > 60, report.followers, report.acts_per_s) == (True, 20, 40)


@pytest.mark.slow
def test_what_is_beyond_the_promise_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobby, "PROMISE", 10)
    report = lobby.measure(followers=100, acts=40, seconds=1)
    assert len(report.broken) == 1
