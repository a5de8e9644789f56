"""The load of a ladder: bots that move at once, and people who follow the standing.

All bots are in one loop here.  They choose at random, so that no two of them ever know each other's
matches by heart; a move's time is from its sending until the opponent has been shown what came of
it.  `plyhouse bench ladder` starts this as a process of its own:

    python -m bench.ladder_load --port 8765 --bots 20 --seconds 10
"""

from __future__ import annotations

import argparse
import gc
import os
import random
import selectors
import sys
import time
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import msgspec

from bench.load import CLOCK, GAME, SAID, STALL, Seen
from bench.process import Cpu, cpu_of
from bench.wire import Wire, WireError
from protocol.ladder import LadderCreate, LadderJoin, LadderState, LadderStatus
from protocol.messages import BotInfo, Hello, Ok, Play, Welcome

LADDER: Final = "bench"
STANDING: Final = b'{"type":"ladder"'  # how the JSON of a standing begins

clock = time.perf_counter
_read = msgspec.msgpack.Decoder(Seen).decode
_actions = msgspec.msgpack.Decoder(list[str]).decode


class Load(msgspec.Struct, kw_only=True):
    """What one run found.  A standing's bytes are those of its JSON."""

    bots: int
    followers: int
    seconds: float
    matches: int
    matches_per_minute: float
    moves: int
    moves_per_s: float
    p50_ms: float
    p99_ms: float
    standings: int  # to all followers together
    bytes_per_standing: float
    generator_busy: float  # share of one core that this process used
    server_cpu_ms: float | None  # a match; None unless the server's process id was given
    errors: int
    said: list[str]


@dataclass(slots=True)
class Tally:
    """Counts since the measured time began."""

    moves: int = 0
    matches: int = 0
    standings: int = 0
    bytes: int = 0
    errors: int = 0
    times: array[float] = field(default_factory=lambda: array("d"))
    said: list[str] = field(default_factory=list)

    def blame(self, what: str) -> None:
        """Count an error, and keep the first few as text."""
        self.errors += 1
        if len(self.said) < SAID:
            self.said.append(what)


class Sent(NamedTuple):
    """A move under way: whose, from which turn, and when it was sent."""

    bot: Bot
    turn: int
    at: float


class Bot:
    """One connection that plays whatever it is sent."""

    __slots__ = ("crowd", "wire")

    def __init__(self, crowd: Crowd, host: str, port: int, number: int) -> None:
        """Connect, say hello and join the ladder."""
        self.crowd = crowd
        self.wire = Wire(host, port)
        info = BotInfo(program="quick", games=[GAME])
        self.wire.ask(Hello(version=1, name=f"author{number}", bot=info), Welcome)
        self.wire.ask(LadderJoin(id=1, ladder=LADDER), Ok)

    def show(self, payload: bytes) -> None:
        """A message has come."""
        seen = _read(payload)
        if seen.type == "match":
            self.crowd.show(self, seen)
        elif seen.type in ("error", "bye", "ladder_told"):
            self.crowd.tally.blame(f"{seen.text} [{seen.code}]")


class Follower:
    """One connection that is sent every new standing, as the page is: in JSON, of a person."""

    __slots__ = ("crowd", "wire")

    def __init__(self, crowd: Crowd, host: str, port: int) -> None:
        self.crowd = crowd
        self.wire = Wire(host, port, text=True)
        self.wire.hello()
        self.wire.ask(LadderStatus(id=1, ladder=LADDER, follow=True), LadderState)

    def show(self, payload: bytes) -> None:
        """A message has come."""
        if payload.startswith(STANDING):
            self.crowd.tally.standings += 1
            self.crowd.tally.bytes += len(payload)


class Crowd:
    """All bots and followers, and the loop that serves them."""

    def __init__(self, host: str, port: int, bots: int, followers: int, seed: int) -> None:
        """Open a ladder, whose first pair begins when all bots have joined."""
        self.tally = Tally()
        self.members: list[Bot | Follower] = []
        self._random = random.Random(seed)
        self._under_way: dict[str, Sent] = {}
        self._answered: dict[str, int] = {}  # by match that is on: the newest turn
        self._selector = selectors.DefaultSelector()
        self._owner = Wire(host, port)
        try:
            self._owner.hello()
            made = LadderCreate(id=1, name=LADDER, game=GAME, clock=CLOCK, players=bots)
            self._owner.ask(made, LadderState)
            self.members += [Follower(self, host, port) for _ in range(followers)]
            self.members += [Bot(self, host, port, number) for number in range(bots)]
        except BaseException:
            self.close()
            raise

    def start(self) -> None:
        """Begin to listen to all."""
        for member in self.members:
            waiting = member.wire.go()
            self._selector.register(member.wire.sock, selectors.EVENT_READ, member)
            for payload in waiting:
                member.show(payload)

    def show(self, bot: Bot, seen: Seen) -> None:
        """A bot is shown how a match stands: count what came of a move, answer if it is due."""
        sent = self._under_way.get(seen.match)
        if sent is not None and sent.bot is not bot and seen.seq > sent.turn:
            del self._under_way[seen.match]
            self.tally.moves += 1
            self.tally.times.append(clock() - sent.at)
        if seen.result:
            if self._answered.pop(seen.match, None) is not None:  # the first of the two is told
                self.tally.matches += 1
        elif seen.legal and self._answered.get(seen.match) != seen.turn:
            self._answered[seen.match] = seen.turn
            action = self._random.choice(_actions(bytes(seen.legal)))
            self._under_way[seen.match] = Sent(bot, seen.turn, clock())
            bot.wire.send(Play(match=seen.match, turn=seen.turn, action=action))

    def run(self, seconds: float) -> float:
        """Play for `seconds`; returns how long it really was."""
        begin = now = moved = clock()
        select, before = self._selector.select, 0
        while now - begin < seconds:
            for key, _ in select(0.1):
                member: Bot | Follower = key.data
                try:
                    for payload in member.wire.receive():
                        member.show(payload)
                except (OSError, WireError, msgspec.DecodeError) as error:
                    self.tally.blame(str(error))
                    self._selector.unregister(member.wire.sock)
            now = clock()
            if self.tally.moves != before:
                before, moved = self.tally.moves, now
            elif now - moved > STALL:
                self.tally.blame(f"no move for {STALL:.0f} s")
                break
        return now - begin

    def reset(self) -> None:
        """Begin to count anew; errors of the warm-up stay."""
        self.tally = Tally(errors=self.tally.errors, said=self.tally.said)

    def close(self) -> None:
        """Close all connections."""
        for member in self.members:
            member.wire.close()
        self._owner.close()
        self._selector.close()


def measure(
    host: str,
    port: int,
    *,
    bots: int,
    followers: int,
    seconds: float,
    warm_up: float,
    server_pid: int | None = None,
    seed: int = 1,
) -> Load:
    """Let the bots play for `warm_up` seconds uncounted and `seconds` counted."""
    crowd = Crowd(host, port, bots, followers, seed)
    gc.disable()  # nothing here makes cycles, and a pause of ours would be counted as the server's
    try:
        crowd.start()
        crowd.run(warm_up)
        crowd.reset()
        busy, server = time.process_time(), cpu_of(server_pid) if server_pid else None
        took = crowd.run(seconds)
        busy = time.process_time() - busy
        after = cpu_of(server_pid) if server_pid else None
    finally:
        gc.enable()
        crowd.close()
    return _report(crowd.tally, bots, followers, took, busy / took, server, after)


def _report(
    tally: Tally, bots: int, followers: int, took: float, busy: float,
    before: Cpu | None, after: Cpu | None,
) -> Load:  # fmt: skip
    if not tally.matches:
        tally.blame("no match came to its end")
    times = sorted(tally.times) or [0.0]
    cpu = None
    if before and after:
        cpu = 1e3 * (sum(after) - sum(before)) / max(1, tally.matches)
    return Load(
        bots=bots,
        followers=followers,
        seconds=took,
        matches=tally.matches,
        matches_per_minute=60 * tally.matches / took,
        moves=tally.moves,
        moves_per_s=tally.moves / took,
        p50_ms=1e3 * times[len(times) // 2],
        p99_ms=1e3 * times[min(len(times) - 1, len(times) * 99 // 100)],
        standings=tally.standings,
        bytes_per_standing=tally.bytes / max(1, tally.standings),
        generator_busy=busy,
        server_cpu_ms=cpu,
        errors=tally.errors,
        said=tally.said,
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Measure one server and print what was found, as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.ladder_load", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--bots", type=int, default=20)
    parser.add_argument("--followers", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--warm-up", type=float, default=1.0)
    parser.add_argument("--core", type=int, help="stay on this processor core")
    parser.add_argument("--server-pid", type=int, help="measure this process's CPU time as well")
    args = parser.parse_args(argv)
    if args.core is not None:
        os.sched_setaffinity(0, {args.core})
    try:
        load = measure(
            args.host,
            args.port,
            bots=args.bots,
            followers=args.followers,
            seconds=args.seconds,
            warm_up=args.warm_up,
            server_pid=args.server_pid,
        )
    except (OSError, WireError) as error:
        print(f"bench.ladder_load: {error}", file=sys.stderr)
        return 1
    print(msgspec.json.encode(load).decode())
    return 0 if load.errors == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
