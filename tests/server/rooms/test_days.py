"""A clock of days at a server that is started again."""

from __future__ import annotations

from protocol import messages
from protocol.parts import ClockOptions, Options
from tests.server.scene import Scene

HOUR_MS = 3_600_000


def test_what_passed_before_a_restart_is_counted_and_no_time_without_a_server() -> None:
    scene = Scene()
    at = scene.match(options=Options(clock=ClockOptions(per_move_days=3)))
    scene.wait(20 * HOUR_MS)
    scene.enter("eve").say(messages.Create(game="connect_four"))  # the log knows of that hour
    scene.store.settle()
    for _ in range(2):
        scene = scene.again()
        left = scene.enter(token=at.ann.token).clocks().begin_ms
        assert left is not None
        assert 51 * HOUR_MS < left <= 52 * HOUR_MS
