"""Who plays in the tests of rooms, in which room, and on which terms."""

from __future__ import annotations

from protocol.parts import ClockOptions, Options
from server.core.events import Who

ANN = Who(1, "ann")
BOB = Who(2, "bob")
CAT = Who(3, "cat")
BOT = Who(4, "dan", "mcts")

ROOM = 17
MATCH = "17.1"
CODE = "QF7KDM"
MINUTE = 60_000
HOUR = 60 * MINUTE

BLITZ = Options(clock=ClockOptions(base_ms=MINUTE, increment_ms=2_000, begin_ms=0))
PER_MOVE = Options(clock=ClockOptions(per_move_ms=5_000, begin_ms=0))
RATED = Options(clock=ClockOptions(base_ms=MINUTE, begin_ms=0), rated=True)
PRIVATE = Options(public=False)
