"""A clock of days, and what becomes of every kind of match whose player's phone is asleep."""

from __future__ import annotations

import pytest

from protocol.errors import Code, Refusal
from protocol.messages import Join
from protocol.parts import ClockOptions, Options
from server.core import absence, playing
from server.core.events import Who
from server.core.orders import Alarm, Disconnected, Reconnected, Restarted
from tests.server.core.cast import ANN, BOB, BOT, HOUR, MINUTE, ROOM
from tests.server.core.score import Table, ready

DAY = 24 * HOUR
DAYS = Options(clock=ClockOptions(per_move_days=3))
BLITZ = Options(clock=ClockOptions(base_ms=5 * MINUTE, increment_ms=3_000))


def begun(options: Options | None, other: Who, moves: int = 4) -> Table:
    """ann against another, after some moves: it is hers."""
    table = Table("connect_four", options)
    table.at(0, other, Join(room=ROOM))
    table.at(0, ANN, ready())
    table.at(0, other, ready())
    table.plays(*"4444"[:moves])
    return table


def passes(table: Table, now: int, until: int) -> None:
    """Time passes, and the room does what is due."""
    while (due := playing.wake_at(table.room)) is not None and due <= until:
        table.at(max(now, due), None, Alarm())


def left(table: Table, now: int) -> int:
    clocks = table.seen(now).clocks
    assert clocks is not None
    return clocks.remaining[0]


def test_a_clock_of_days_is_lost_after_them_and_not_before() -> None:
    table = begun(DAYS, BOB)
    for who in (ANN, BOB):
        table.at(0, who, Disconnected())
    passes(table, 0, 3 * DAY)
    assert table.room.state == "playing"
    assert left(table, 2 * DAY) == DAY
    clocks = table.seen(0).clocks
    assert clocks is not None
    assert (clocks.per_move_ms, clocks.suggested_ms) == (3 * DAY, 30_000)
    passes(table, 0, 3 * DAY + 201)
    assert table.match.result is not None
    assert (table.match.result.how, table.match.result.winner) == ("flag", 1)


def test_a_first_move_has_the_same_days_and_then_the_match_is_void() -> None:
    table = begun(DAYS, BOB, moves=1)
    for who in (ANN, BOB):
        table.at(0, who, Disconnected())
    passes(table, 0, 3 * DAY - 1)
    assert table.room.state == "playing", "it is the time of the clock, and not of who is away"
    passes(table, 0, 3 * DAY)
    assert table.match.result is not None
    assert table.match.result.reason == "not begun in time"


def test_against_a_bot_it_rests_while_it_is_the_persons_turn() -> None:
    table = begun(DAYS, BOT)
    passes(table, 0, absence.REST_MS)
    assert table.room.rests
    table.at(DAY, None, Restarted(until=HOUR))
    assert table.room.rests
    passes(table, DAY, DAY + playing.RESUME_MS)
    assert left(table, DAY + playing.RESUME_MS) == 3 * DAY - HOUR, "the time of the last server"
    table.at(2 * DAY, ANN, Reconnected())
    table.at(2 * DAY, ANN, table.play("1"))
    assert not table.room.rests
    passes(table, 2 * DAY, 5 * DAY + 201)
    assert table.match.result is not None, "a bot that never answers is seen as such"
    assert (table.match.result.how, table.match.result.winner) == ("flag", 0)


@pytest.mark.parametrize("options", [
    ClockOptions(per_move_days=3, per_move_ms=5_000), ClockOptions(per_move_days=3, base_ms=5_000),
    ClockOptions(per_move_days=3, increment_ms=1_000), ClockOptions(),
])  # fmt: skip
def test_a_clock_is_of_one_kind(options: ClockOptions) -> None:
    with pytest.raises(Refusal) as no:
        Table("connect_four", Options(clock=options))
    assert no.value.code == Code.LOBBY_BAD_OPTION


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("away", [10 * MINUTE, 8 * HOUR])
@pytest.mark.parametrize("other", [BOB, BOT])
@pytest.mark.parametrize(("options", "moves", "how"), [
    (None, 4, None), (None, 0, None), (DAYS, 4, None), (DAYS, 0, None), (BLITZ, 0, None),
    (BLITZ, 4, "flag"),
])  # fmt: skip
def test_a_phone_that_sleeps_costs_nothing_that_the_rules_of_the_clock_do_not_take(
    options: Options | None, moves: int, how: str | None, other: Who, away: int, restarted: bool
) -> None:
    table = begun(options, other, moves)
    position = table.match.position
    table.at(0, ANN, Disconnected())
    if restarted:
        passes(table, 0, MINUTE)
        table.at(away // 2, None, Restarted(until=MINUTE))
        table.at(away // 2, other, Reconnected())
        passes(table, away // 2, away)
    else:
        passes(table, 0, away)
    assert table.match.position == position
    if how is not None and not (restarted and away < HOUR):  # a restart gives its time back
        assert table.match.result is not None
        assert (table.match.result.how, table.match.result.winner) == (how, 1)
        return
    table.at(away, ANN, Reconnected())
    assert table.room.state == "playing"
    table.at(away + 1_000, ANN, table.play("1"))
    assert table.events[0].kind == "play"
    if options is DAYS:
        assert left(table, away + 1_000) == 3 * DAY
