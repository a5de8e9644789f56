"""The games of a series are held against each other: the score that each begins with follows."""

from __future__ import annotations

from functools import cache

import pytest
from msgspec.structs import replace

from client.records.series import games_of, verify_series
from client.records.verify import verify
from protocol.parts import Options, Series
from protocol.records.record import MatchRecord
from tests.support.series_played import played, records


@cache
def games(seed: int = 0) -> tuple[MatchRecord, ...]:
    """A match to 5 points of at least three games."""
    return tuple(records(played(Options(points=5), seed)))


def with_series(record: MatchRecord, **changes: object) -> MatchRecord:
    """The record with another word on the series at its start."""
    events = [
        replace(event, series=replace(event.series, **changes))  # type: ignore[type-var]
        if event.kind == "started"
        else event
        for event in record.events
    ]
    return MatchRecord(record.match, tuple(events))


def test_every_game_holds_and_so_do_they_together() -> None:
    assert len(games()) >= 3
    assert games_of(games()) == list(games())
    checked, wrong = verify_series(games())
    assert wrong is None
    assert [each.wrong for each in checked] == [None] * len(games())


def test_a_game_that_is_left_out_is_missed() -> None:
    checked, wrong = verify_series([games()[0], *games()[2:]])
    assert wrong is not None
    assert f"match {games()[2].match} is game 3 at" in wrong
    assert "and game 2 at" in wrong
    assert len(checked) == 2


def test_games_of_another_series_in_the_room_are_not_of_this_one() -> None:
    other = [with_series(record) for record in games()]
    assert games_of([*other, games()[0]]) == [games()[0]]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"score": (5, 0)}, "a series to 5 points is over at 5 to 0"),
        ({"score": (1, 0)}, "a series begins at 0 to 0"),
        ({"crawford": True}, "a series begins at 0 to 0, and with the Crawford game only if"),
        ({"game": 4}, "before game 4 of a series the score is not 0 to 0"),
        ({"winner": 0}, "the series was over"),
        ({"points": 7}, "it is a game of another series"),
    ],
)
def test_a_start_at_which_no_series_can_stand_is_found(
    changes: dict[str, object], why: str
) -> None:
    wrong = verify(with_series(games()[0], **changes)).wrong
    assert wrong is not None
    assert why in wrong


def test_a_score_that_is_possible_and_not_true_is_found_by_the_games_before() -> None:
    second = games()[1]
    start = next(event for event in second.events if event.kind == "started")
    assert start.series is not None
    other = (3, 0) if start.series.score != (3, 0) else (0, 3)
    forged = with_series(second, score=other)
    alone = verify(forged)
    assert alone.series == replace(start.series, score=other)
    if alone.wrong is None:
        assert verify_series([games()[0], forged])[1] is not None
    else:  # the cube was out of reach at that score, or was not
        assert "legal" in alone.wrong or "dice" in alone.wrong


def test_a_game_by_itself_carries_no_series() -> None:
    (record,) = records(played(Options(), seed=1, most=1))
    assert verify(record).wrong is None
    start = next(event for event in record.events if event.kind == "started")
    events = [
        replace(event, series=Series(points=5)) if event is start else event
        for event in record.events
    ]
    wrong = verify(MatchRecord(record.match, tuple(events))).wrong
    assert wrong is not None
    assert "a game of a series has `points` in its options" in wrong
