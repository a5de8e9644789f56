"""The load generator: many matches in a closed loop, as fast as the server answers.

Every table plays the same drawn game of tic-tac-toe over and over.  The next move goes out when
*both* players have been shown the last one, so a move's time is from its sending until both have
seen it.  `plyhouse bench server` starts this as a process of its own; alone it measures any server
that lets it in:

    python -m bench.load --port 8765 --matches 200 --seconds 5
"""

from __future__ import annotations

import argparse
import gc
import os
import selectors
import sys
import time
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import msgspec

from bench.process import Cpu, cpu_of
from bench.wire import Wire, WireError
from protocol.messages import ClockOptions, Create, Join, Options, Play, Ready, RoomState

GAME: Final = "tic_tac_toe"
DRAWN: Final = ("1", "2", "3", "5", "4", "6", "8", "7", "9")
CLOCK: Final = ClockOptions(base_ms=3_600_000, increment_ms=1_000)  # it runs, but no flag falls
STALL: Final = 5.0  # seconds without any message: the server is stuck
SAID: Final = 20  # that many errors are kept as text; all are counted

clock = time.perf_counter


class Seen(msgspec.Struct):
    """What the generator reads of a message; skipping the rest of a `match` takes a microsecond."""

    type: str
    match: str = ""
    seq: int = 0
    turn: int = 0
    ply: int = 0
    code: str = ""
    text: str = ""
    legal: msgspec.Raw = msgspec.Raw()  # empty if the message has none
    result: msgspec.Raw = msgspec.Raw()


_read = msgspec.msgpack.Decoder(Seen).decode


class Load(msgspec.Struct, kw_only=True):
    """What one run found.  A move's time is from sending it until both players have seen it."""

    matches: int
    seconds: float
    moves: int
    moves_per_s: float
    p50_ms: float
    p99_ms: float
    bytes_per_move: float  # to both players together, frame headers included
    generator_busy: float  # share of one core that this process used
    server_cpu_us: float | None  # a move; None unless the server's process id was given
    server_kernel_share: float | None
    errors: int
    said: list[str]


@dataclass(slots=True)
class Tally:
    """Counts since the measured time began."""

    moves: int = 0
    bytes: int = 0
    errors: int = 0
    times: array[float] = field(default_factory=lambda: array("d"))
    said: list[str] = field(default_factory=list)

    def blame(self, what: str) -> None:
        """Count an error, and keep the first few as text."""
        self.errors += 1
        if len(self.said) < SAID:
            self.said.append(what)


class Player:
    """One of a table's two connections, and the `seq` of the newest match state it was shown."""

    __slots__ = ("seq", "table", "wire")

    def __init__(self, table: Table, wire: Wire) -> None:
        self.table = table
        self.wire = wire
        self.seq = -1


class Table:
    """Two players in a room who play one match after another.  Who has `legal` is on the move."""

    __slots__ = ("mover", "players", "room", "sent", "tally")

    def __init__(self, host: str, port: int, tally: Tally) -> None:
        """Connect both players and seat them."""
        first, second = Wire(host, port), Wire(host, port)
        first.hello()
        second.hello()
        self.room = first.ask(Create(id=1, game=GAME, options=Options(clock=CLOCK)), RoomState).room
        second.ask(Join(id=1, room=self.room), RoomState)
        self.players = (Player(self, first), Player(self, second))
        self.mover = self.players[0]
        self.tally = tally
        self.sent = 0.0

    def ready(self) -> None:
        """Both agree to the next match."""
        for player in self.players:
            player.wire.send(Ready(room=self.room))

    def show(self, player: Player, payload: bytes) -> None:
        """A message has reached `player`; whatever is not about the match is not looked at."""
        seen = _read(payload)
        if seen.type == "match":
            if seen.legal:
                self.mover = player
            if player.seq != seen.seq:
                player.seq = seen.seq
                first, second = self.players
                if first.seq == second.seq:
                    self.go_on(seen)
        elif seen.type in ("error", "bye"):
            self.tally.blame(f"{seen.text} [{seen.code}]")

    def go_on(self, seen: Seen) -> None:
        """Both have seen it: count the move, make the next."""
        now = clock()
        if seen.ply:
            self.tally.moves += 1
            self.tally.times.append(now - self.sent)
        if seen.result:
            self.ready()
            return
        self.sent = now
        self.mover.wire.send(Play(match=seen.match, turn=seen.turn, action=DRAWN[seen.ply]))

    def close(self) -> None:
        """Close both connections."""
        for player in self.players:
            player.wire.close()


class Hall:
    """All tables, and the loop that serves them."""

    def __init__(self, host: str, port: int, matches: int) -> None:
        self.tally = Tally()
        self.tables: list[Table] = []
        self._selector = selectors.DefaultSelector()
        try:
            for _ in range(matches):
                self.tables.append(Table(host, port, self.tally))
        except BaseException:
            self.close()
            raise

    def start(self) -> None:
        """Let every table begin its first match."""
        for table in self.tables:
            for player in table.players:
                waiting = player.wire.go()
                self._selector.register(player.wire.sock, selectors.EVENT_READ, player)
                for payload in waiting:
                    table.show(player, payload)
        for table in self.tables:
            table.ready()

    def run(self, seconds: float) -> float:
        """Play for `seconds`; returns how long it really was."""
        begin = now = heard = clock()
        select, tally = self._selector.select, self.tally
        while now - begin < seconds:
            ready = select(0.1)
            for key, _ in ready:
                player: Player = key.data
                try:
                    for payload in player.wire.receive():
                        tally.bytes += len(payload) + (4 if len(payload) > 125 else 2)
                        player.table.show(player, payload)
                except (OSError, WireError, msgspec.DecodeError) as error:
                    tally.blame(str(error))
                    self._selector.unregister(player.wire.sock)
            now = clock()
            if ready:
                heard = now
            elif now - heard > STALL:
                tally.blame(f"no message for {STALL:.0f} s")
                break
        return now - begin

    def reset(self) -> None:
        """Begin to count anew; errors of the warm-up stay."""
        old = self.tally
        self.tally = Tally(errors=old.errors, said=old.said)
        for table in self.tables:
            table.tally = self.tally

    def close(self) -> None:
        """Close all connections."""
        for table in self.tables:
            table.close()
        self._selector.close()


def measure(
    host: str, port: int, matches: int, seconds: float, warm_up: float, server_pid: int | None
) -> Load:
    """Play `matches` at once for `warm_up` seconds uncounted and `seconds` counted."""
    hall = Hall(host, port, matches)
    gc.disable()  # nothing here makes cycles, and a pause of ours would be counted as the server's
    try:
        hall.start()
        hall.run(warm_up)
        hall.reset()
        busy, server = time.process_time(), cpu_of(server_pid) if server_pid else None
        took = hall.run(seconds)
        busy = time.process_time() - busy
        after = cpu_of(server_pid) if server_pid else None
    finally:
        gc.enable()
        hall.close()
    return _report(hall.tally, matches, took, busy / took, server, after)


def _report(
    tally: Tally, matches: int, took: float, busy: float, before: Cpu | None, after: Cpu | None
) -> Load:
    if not tally.moves:
        tally.blame("no move was answered")
    moves = max(1, tally.moves)
    times = sorted(tally.times) or [0.0]
    cpu = share = None
    if before and after:
        user, kernel = after.user - before.user, after.kernel - before.kernel
        cpu, share = (user + kernel) / moves * 1e6, kernel / (user + kernel or 1.0)
    return Load(
        matches=matches,
        seconds=took,
        moves=tally.moves,
        moves_per_s=tally.moves / took,
        p50_ms=1e3 * times[len(times) // 2],
        p99_ms=1e3 * times[min(len(times) - 1, len(times) * 99 // 100)],
        bytes_per_move=tally.bytes / moves,
        generator_busy=busy,
        server_cpu_us=cpu,
        server_kernel_share=share,
        errors=tally.errors,
        said=tally.said,
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Measure one server and print what was found, as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.load", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--warm-up", type=float, default=1.0)
    parser.add_argument("--core", type=int, help="stay on this processor core")
    parser.add_argument("--server-pid", type=int, help="measure this process's CPU time as well")
    args = parser.parse_args(argv)
    if args.core is not None:
        os.sched_setaffinity(0, {args.core})
    try:
        load = measure(
            args.host, args.port, args.matches, args.seconds, args.warm_up, args.server_pid
        )
    except (OSError, WireError) as error:
        print(f"bench.load: {error}", file=sys.stderr)
        return 1
    print(msgspec.json.encode(load).decode())
    return 0 if load.errors == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
