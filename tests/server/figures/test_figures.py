"""What a server measures of itself: moves by stage, the loop's lag, errors by code."""

from __future__ import annotations

import asyncio
import re
from itertools import count
from typing import cast

import pytest

from protocol import messages
from server.figures.histogram import MS, TIMES_NS, Histogram
from server.figures.loop_lag import EVERY_S, LoopLag
from server.figures.move_times import MAX_STRIDE, OFTEN_NS, SELDOM_NS, STAGES, MoveTimes
from server.metrics import KEPT_MS, Metrics
from tests.server.manual_loop import ManualLoop
from tests.server.scene import Scene, SceneMatch

DRAWN = ("1", "2", "3", "5", "4", "6", "8", "7", "9")


def play_on(at: SceneMatch, *actions: str) -> None:
    """Make moves in turns."""
    for action in actions:
        match = at.scene.rooms.actors[at.room].room.match
        assert match is not None
        mover = match.players[match.position.to_move]
        player = at.ann if at.ann.peer.who is not None and mover.same(at.ann.peer.who) else at.bob
        player.say(messages.Play(match=at.name, turn=match.turn, action=action))


def counts(scene: Scene) -> list[int]:
    """How many moves were measured, for each stage."""
    return [scene.hub.move_times.histograms[stage].count for stage in STAGES]


def measuring_all(scene: Scene) -> MoveTimes:
    """Begin to measure every frame: much time passes whenever the clock is looked at."""
    ticks = count(0, SELDOM_NS + 1)
    times = scene.hub.move_times
    times.clock = lambda: next(ticks)
    while times.stride() > 1:
        pass
    scene.hub.sweep(scene.now())
    return times


def test_a_value_on_a_bound_counts_as_at_most_that() -> None:
    histogram = Histogram([10, 20])
    for value in (0, 10, 11, 20, 21, 1_000):
        histogram.observe(value)
    assert list(histogram.cumulative()) == [(10, 2), (20, 4), (None, 6)]
    assert (histogram.count, histogram.sum) == (6, 1_062)


def test_where_little_happens_every_move_is_measured_stage_by_stage(scene: Scene) -> None:
    at = scene.match()
    times = measuring_all(scene)
    play_on(at, *DRAWN)
    assert counts(scene) == [len(DRAWN)] * len(STAGES)
    sums = {stage: times.histograms[stage].sum for stage in STAGES}
    assert sums["all"] == sums["judge"] + sums["store"] + sums["show"]
    assert sums["judge"] == len(DRAWN) * (SELDOM_NS + 1)  # the clock ticks when it is looked at


def test_only_moves_that_were_stored_count(scene: Scene) -> None:
    at = scene.match()
    before = scene.hub.frames
    measuring_all(scene)
    at.ann.say(messages.Say(id=1, room=at.room, text="hm"))
    at.ann.say(messages.Play(id=2, match=at.name, turn=at.turn, action="nowhere"))
    assert at.ann.refusals() == [("match/bad-notation", 2)]
    scene.store.broken = True
    at.ann.say(at.play("5", id=3))
    assert at.ann.refusals() == [("server/not-stored", 3)]
    assert counts(scene) == [0] * len(STAGES)
    assert scene.hub.frames == before + 3


def test_the_more_frames_come_the_fewer_are_measured() -> None:
    now = 0
    times = MoveTimes(lambda: now)
    strides = []
    for _ in range(12):
        now += OFTEN_NS - 1
        strides.append(times.stride())
    assert strides == [
        3,
        7,
        15,
        31,
        63,
        127,
        255,
        511,
        MAX_STRIDE,
        MAX_STRIDE,
        MAX_STRIDE,
        MAX_STRIDE,
    ]
    now += OFTEN_NS
    assert times.stride() == MAX_STRIDE
    for _ in range(12):
        now += SELDOM_NS + 1
        stride = times.stride()
    assert stride == 1


def test_most_frames_of_a_busy_server_are_not_measured(scene: Scene) -> None:
    at = scene.match()
    scene.hub.move_times.clock = lambda: 0
    before = scene.hub.frames
    play_on(at, *DRAWN)
    assert scene.hub.frames == before + len(DRAWN)
    assert counts(scene)[0] < 4
    assert scene.hub._left > 1
    scene.hub.sweep(scene.now())  # a second later
    assert (scene.hub._left, scene.hub.frames) == (1, before + len(DRAWN))


def test_a_timer_that_rings_late_is_noted() -> None:
    loop = ManualLoop()
    lag = LoopLag(cast(asyncio.AbstractEventLoop, loop))
    lag.start()
    loop.next(loop.at + EVERY_S)
    loop.at += 2 * EVERY_S  # something else has the loop
    loop.next(loop.at)
    assert lag.histogram.count == 2
    assert lag.histogram.sum == pytest.approx(EVERY_S * 1e9, abs=MS)
    lag.stop()
    assert loop.pending() == 0


def test_errors_are_counted_by_code(scene: Scene) -> None:
    ann = scene.enter("ann")
    refusals = scene.hub.refusals
    assert dict(refusals) == {}
    for _ in range(3):
        ann.refused(messages.Watch(id=1, room=99))
    scene.connect().send_bytes(b"\xc1")
    scene.connect().say(messages.Lobby())
    expected = {"lobby/no-room": 3, "protocol/bad-frame": 1, "session/hello-first": 1}
    assert dict(refusals) == expected


def test_all_figures_are_told_at_once(scene: Scene) -> None:
    metrics = Metrics(scene.hub, scene.outage)
    at = scene.match()
    measuring_all(scene)
    at.ann.send(at.play("5"))
    at.bob.send(messages.Say(room=at.room, text="hm"))
    metrics.committed(3 * MS, 7)
    gauges = metrics.figures().gauges
    assert (gauges["people"], gauges["bots"], gauges["matches"], gauges["rooms"]) == (2, 0, 1, 1)
    assert (gauges["rooms_storing"], gauges["inbox_requests"]) == (1, 1)
    assert gauges["inbox_requests_longest"] == 1
    scene.store.settle()
    assert metrics.figures().gauges["rooms_storing"] == 0
    text = metrics.text().decode()
    for line in (
        'plyhouse_commit_seconds_bucket{le="0.0025"} 0.0',
        'plyhouse_commit_seconds_bucket{le="0.005"} 1.0',
        'plyhouse_commit_seconds_bucket{le="+Inf"} 1.0',
        "plyhouse_commit_seconds_sum 0.003",
        'plyhouse_commit_appends_bucket{le="10"} 1.0',
        'plyhouse_move_seconds_count{stage="show"} 1.0',
        "plyhouse_ready 1.0",
    ):
        assert f"\n{line}\n" in text, line
    assert text.count(f'plyhouse_move_seconds_bucket{{le="{TIMES_NS[0] / 1e9:g}"') == len(STAGES)


def test_a_page_of_figures_is_written_once_a_second_however_often_it_is_asked_for(
    scene: Scene,
) -> None:
    metrics = Metrics(scene.hub, scene.outage)

    def people() -> bytes:
        return re.findall(rb"\nplyhouse_people (\d)", metrics.text())[0]

    assert people() == b"0"
    scene.enter("ann")
    assert people() == b"0"
    scene.wait(KEPT_MS)
    assert people() == b"1"


def test_a_log_that_does_not_answer_for_two_seconds_keeps_new_players_away(scene: Scene) -> None:
    metrics = Metrics(scene.hub, scene.outage)
    assert (metrics.obstacles(), metrics.figures().gauges["append_waiting_seconds"]) == ([], 0)
    scene.store.waits = 2.4
    assert metrics.obstacles() == ["the log has not answered for 2 s"]
    assert metrics.figures().gauges["append_waiting_seconds"] == 2.4
    assert (metrics.figures().gauges["ready"], metrics.health()["ok"]) == (0, False)
    scene.store.waits = 0.0
    scene.store.tell_stalled(True)  # no append waits, and the database is away
    assert metrics.obstacles() == ["the log cannot be written"]
    scene.store.tell_stalled(False)
    assert metrics.obstacles() == []
