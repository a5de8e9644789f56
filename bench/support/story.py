"""A trial of a server: rooms are played in while things happen to it, and then all must agree.

What players and spectators were shown, the history that the server gives and its log on the disk
must tell one story, by the rules and by the dice.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from bench.support.log_place import LogPlace, read_log
from bench.support.players import PlayedRoom, lost
from bench.support.report import Report, out_of_time
from bench.support.transcript import compare, digest
from lab.arena.local_server import ServerProcess
from protocol.history import ACTIONS
from protocol.parts import Event

ONE_STORY: Final = "nothing shown was lost, nothing was played twice"


class StoryReport(Report, kw_only=True):
    """What a trial showed.  Nothing was lost or doubled exactly if `problems` is empty."""

    seed: int
    actions: int  # in the log
    shown: int  # how often somebody was shown an action for the first time
    log_hash: str
    seconds: float

    def tell(self, *sentences: str) -> None:
        self.notes += [
            *sentences,
            f"{self.actions:,} actions in the log, {self.shown:,} times one was shown to somebody,"
            f" in {self.seconds:.0f} s (seed {self.seed})",
            f"hash of the log: {self.log_hash}",
        ]


class TrialOutcome(NamedTuple):
    """How a trial ended.  `over`: when time was (monotonic), None if it came to its end."""

    log: Mapping[int, Sequence[Event]]
    over: float | None
    problems: list[str]
    seconds: float


async def try_server(
    server: ServerProcess, place: LogPlace, limit: float, play: Callable[[], Awaitable[None]],
    leave: Callable[[], Awaitable[None]] | None = None,
) -> TrialOutcome:  # fmt: skip
    """Start a server, `play` on it within so many seconds, `leave`, stop it, and read its log."""
    began, over = time.monotonic(), None
    await asyncio.to_thread(server.start)
    try:
        async with asyncio.timeout(limit):
            await play()
    except TimeoutError:
        over = time.monotonic()
    finally:
        if leave is not None:
            await leave()
        code = await asyncio.to_thread(server.stop)
    problems = [f"the server ended with exit code {code}"] if code else []
    if "Traceback" in server.complaints():
        problems.append("there is a traceback in the server's log")
    log = await read_log(place, server.data)
    return TrialOutcome(log, over, problems, time.monotonic() - began)


def judge(rooms: Sequence[PlayedRoom], outcome: TrialOutcome, limit: float) -> list[str]:
    """Everything that is wrong with what was shown.

    Raises:
        TimeoutError: time was over, and nothing was lost.
    """
    log = outcome.log
    if outcome.over is not None:
        missing = {
            room.number: lost(room.members, log.get(room.number, []), outcome.over)
            for room in rooms
        }
        return [*out_of_time(limit, missing), *outcome.problems]
    return [*differences(rooms, log), *outcome.problems]


def differences(rooms: Sequence[PlayedRoom], log: Mapping[int, Sequence[Event]]) -> list[str]:
    return [
        f"room {room.number}: {problem}"
        for room in rooms
        for problem in compare(room.transcripts, room.events, log.get(room.number, []))
    ]


def figures(rooms: Sequence[PlayedRoom], log: Mapping[int, Sequence[Event]]) -> dict[str, Any]:
    actions = [event for events in log.values() for event in events if event.kind in ACTIONS]
    shown = sum(len(each.actions) for room in rooms for each in room.transcripts)
    return {"actions": len(actions), "shown": shown, "log_hash": digest(actions)}
