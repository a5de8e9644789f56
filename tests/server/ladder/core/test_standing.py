"""What a ladder shows of itself: order, crosstable, pairs, and that a frame holds it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import pairwise
from typing import Any, cast

import pytest

from protocol import codec
from protocol.ladder import LadderState
from protocol.messages import MAX_SERVER_FRAME
from server.core.events import Who
from server.ladder.core import standing
from server.ladder.core.ladder import Ladder
from server.ladder.core.rating import Ratings
from server.ladder.rater import MAX_POINTS, RETRY_S, Rater
from tests.server.ladder.core.fields import ANN, BOB, CAT, DAN, Table, draw, win
from tests.server.manual_loop import ManualLoop

HOUSE = 8


def rater_of(table: Table, loop: ManualLoop, told: Callable[[], None] = lambda: None) -> Rater:
    return Rater(table.ladder, cast(asyncio.AbstractEventLoop, loop), told)


def show(ladder: Ladder, ratings: Ratings | None = None, **more: Any) -> LadderState:
    given: dict[str, Any] = {"rated": 0, "slots": {}, "verdict": None}
    return standing.state(ladder, ratings, **(given | more))


def ratings(*elo: float | None, group: tuple[int, ...] = ()) -> Ratings:
    error = tuple(None if e is None else 12.34 for e in elo)
    return Ratings(elo, error, group or (0,) * len(elo), 21.04, 3.0, ())


def test_whose_owner_does_not_have_its_name_any_more_is_marked() -> None:
    table = Table()
    table.join(ANN, BOB)
    state = show(table.ladder, is_former=lambda who: who is table.ladder.players[1].who)
    assert [row.former for row in state.standings] == [False, True]


def test_players_are_ranked_by_rating_within_their_group_and_the_unrated_last() -> None:
    table = Table()
    table.join(ANN, BOB, CAT, DAN)
    state = show(table.ladder, ratings(-10.0, 30.04, 99.0, None, group=(0, 0, 1, 0)))
    standings = state.standings
    assert state.field == 10.0, "the mean of the first group"
    assert show(table.ladder).field is None
    assert [(row.rank, row.player, row.group, row.rating, row.error) for row in standings] == [
        (1, "bob/bot@1", 0, 30.0, 12.3), (2, "ann/bot@1", 0, -10.0, 12.3),
        (3, "cat/bot@1", 1, 99.0, 12.3), (4, "dan/bot@1", 0, None, None),
    ]  # fmt: skip


def test_who_came_after_the_fit_has_no_rating_yet_and_zero_no_sign(table: Table) -> None:
    table = Table()
    table.join(ANN, BOB, CAT)
    assert [row.rating for row in show(table.ladder, ratings(1.0, -1.0)).standings] == [1, -1, None]
    assert [row.player[:3] for row in show(table.ladder).standings] == ["ann", "bob", "cat"]
    state = show(table.ladder, ratings(-0.0, -0.01))
    assert b"-0" not in codec.encode(state, text=True)


def test_the_anchor_that_plays_at_random_is_pinned_once_it_has_played() -> None:
    table = Table()
    table.join(Who(HOUSE, "house", "greedy"), Who(HOUSE, "house", "random"), anchor=True)
    table.join(Who(1, "ann", "random"), BOB)
    table.play(0, 3)
    assert show(table.ladder).pinned is None
    table.play(2, 3)
    assert standing.pinned(table.ladder) is None  # it is nobody's anchor
    table.play(1, 3)
    assert show(table.ladder).pinned == "house/random@1"
    assert [row.anchor for row in show(table.ladder).standings] == [True, True, False, False]


@pytest.mark.parametrize("elo", [(3.0, 2.0, 1.0), (1.0, 2.0, 3.0), (2.0, 3.0, 1.0)])
def test_a_cell_is_the_score_of_the_first_of_its_two(elo: tuple[float, ...]) -> None:
    table = Table()
    table.join(ANN, BOB, CAT)
    table.play(0, 1)
    table.play(1, 0, results=(draw(), win(1)))
    table.play(2, 0, results=(win(0), draw()))
    state = show(table.ladder, ratings(*elo))
    titles = [row.player[:3] for row in state.standings]
    cells = [(titles[c.one], titles[c.two], c.pairs, c.score) for c in state.cross]
    mine = {(one, two): (n, score) for one, two, n, score in cells}
    mine |= {(two, one): (n, 2 * n - score) for one, two, n, score in cells}
    assert len(cells) == 2
    assert mine["ann", "bob"] == (2, 2.5)
    assert mine["ann", "cat"] == (1, 0.5)


def test_a_row_tells_what_was_played() -> None:
    table = Table("backgammon")
    table.join(ANN, BOB, slots=2)
    table.play(results=(win(0, points=3.0), win(0, "flag")), actions=("1", "2", "3"))
    table.pair()
    state = show(table.ladder, slots={0: 2})
    ann, bob = state.standings
    assert (ann.points, ann.points_error, ann.move_ms) == (1.0, None, 10.0)
    assert (ann.slots, ann.busy, bob.slots, bob.busy) == (2, 1, 0, 1)
    assert (ann.lost_by, bob.lost_by) == ({"flag": 1}, {})
    assert (state.ladder.here, state.ladder.players, state.ladder.pairs) == (1, 2, 1)
    assert state.first_move is None


def test_the_newest_pairs_are_shown_and_not_too_many(table: Table) -> None:
    for _ in range(standing.MAX_RECENT + 3):
        table.play()
    for _ in range(standing.MAX_LIVE + 3):
        table.pair()
    table.end(table.ladder.last_pair, 0, win(0), ("1", "2"))
    state = show(table.ladder)
    assert [pair.pair for pair in state.recent] == list(range(23, 3, -1))
    assert [pair.pair for pair in state.live] == list(range(27, 77))
    first, second = state.live[-1].legs
    assert (first.match, first.plies) == (f"{table.room}.1", 2)
    assert (second.match, second.result) == (None, None)
    table.ladder.running[76].rooms[1] = 500
    assert show(table.ladder).live[-1].legs[1].match == "500.1"


@pytest.mark.parametrize(("letter", "least"), [("x", 400), ("𝔛", 200)])
def test_a_frame_holds_many_players_with_long_names(letter: str, least: int) -> None:
    table, many = Table(), 450
    for i in range(many):
        name = f"{i}{letter * 24}"[:24]
        table.join(Who(i + 1, name, name), version=letter * 24)
    players = table.ladder.players
    for player in players:
        player.wins = player.draws = player.losses = 100_000
        player.lost_by.update(flag=9999, illegal=9999, crash=9999, disconnect=9999, resign=9999)
        player.moves, player.spent = 7, 123_456_789
    for one in range(standing.MAX_CROSSED + 5):
        for two in range(one):
            table.ladder.tally[two, one] = (10_000, 12_345.5)
    for i in range(60):
        why = f"{players[i].title} has fewest pairs; against {players[i + 1].title} tells most"
        table.take(table.ladder.begin(i, i + 1, why, b"", 2**41))
        if i < 30:
            table.end(table.ladder.last_pair, 0, win(0))
            table.end(table.ladder.last_pair, 1, win(0))
    fitted = ratings(*(1000.5 - i for i in range(many)))
    state = show(table.ladder, fitted, slots=dict.fromkeys(range(many), 2))
    assert len(state.cross) == standing.MAX_CROSSED * (standing.MAX_CROSSED - 1) // 2
    assert (len(state.live), len(state.recent)) == (30, 20)
    assert least <= len(state.standings) <= many
    assert [row.rank for row in state.standings] == list(range(1, len(state.standings) + 1))
    for text in (False, True):
        frame = codec.encode(state, text)
        assert len(frame) <= MAX_SERVER_FRAME
        assert codec.decode_reply(frame, text) == state


def test_a_history_is_thinned_evenly_and_keeps_its_ends(
    monkeypatch: pytest.MonkeyPatch, table: Table
) -> None:
    loop = ManualLoop()
    rater = rater_of(table, loop)
    table.play()
    pair = table.ladder.counted[0]
    monkeypatch.setattr("server.ladder.core.fitting.fit", lambda *_: ratings(1.0, -1.0))
    for _ in range(5 * MAX_POINTS):
        rater.changed()
        while loop.next(loop.at + 60):
            pass
        assert len(rater.history) <= MAX_POINTS
        table.ladder.counted.append(pair)
    counts = [point.pairs for point in rater.history]
    assert (counts[0], counts[-1]) == (1, 5 * MAX_POINTS)
    assert counts == sorted(set(counts))
    assert max(two - one for one, two in pairwise(counts)) <= 25
    assert len(counts) >= MAX_POINTS / 3


def test_fits_come_one_after_another_and_the_last_one_knows_all(table: Table) -> None:
    loop = ManualLoop()
    told: list[int] = []
    rater = rater_of(table, loop, lambda: told.append(rater.rated))
    for _ in range(5):
        table.play()
        rater.changed()
    while loop.next(loop.at + 60):
        pass
    assert told == [1, 5]
    assert rater.ratings is not None
    assert [point.pairs for point in rater.history] == [1, 5]
    rater.stop()
    rater.changed()
    assert not loop.next(loop.at + 60)


def test_a_fit_that_fails_is_told_and_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, table: Table
) -> None:
    loop = ManualLoop()
    rater = rater_of(table, loop)
    table.play()
    with monkeypatch.context() as patch:
        patch.setattr("server.ladder.core.fitting.fit", lambda *_: 1 / 0)
        rater.changed()
        loop.next(loop.at + 1)
    assert "ladder daily: ratings failed" in caplog.text
    assert rater.ratings is None
    while loop.next(loop.at + RETRY_S):  # though no further pair comes
        pass
    assert rater.rated == 1


def test_what_is_read_from_a_log_has_a_history(table: Table) -> None:
    loop = ManualLoop()
    for _ in range(30):
        table.play(results=(win(0), win(0)))
    rater = rater_of(table, loop)
    rater.resume()
    loop.next(loop.at + 1)
    counts = [point.pairs for point in rater.history]
    assert counts[-1] == rater.rated == 30
    assert len(counts) == 24
    assert counts == sorted(counts)


def test_a_point_of_the_history_has_the_best_of_many() -> None:
    table = Table()
    for i in range(standing.MAX_RATED + 5):
        table.join(Who(i + 1, f"p{i}", "bot"))
    many = standing.MAX_RATED + 5
    point = standing.point(table.ladder, ratings(*(float(i) for i in range(many))), 9, 7)
    assert (point.at, point.pairs, len(point.ratings)) == (9, 7, standing.MAX_RATED)
    assert point.ratings[-1].rating == 5.0
