"""`plyhouse bench prices`: what each request costs the server, beside its price.

A server without limits is asked for one thing many times, one after the other, and its CPU time is
read before and after, all threads together.  One at a time is the dearest way to ask: under load a
commit carries many rows.  Some things can only be asked for in turns, such as to join and to leave;
they have one figure and one price.  A price has to cover its figure; on a machine that is slower
than the one that the table was made on it may not.
"""

from __future__ import annotations

import argparse
import socket
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

from bench.server.load import DRAWN
from bench.support.process import UNLIMITED, MeasuredServer, cores, cpu_of, pinned_note
from bench.support.report import BadPlan, FigureTable, Missing, Report, progress
from bench.support.wire import PING, PONG, Wire, frame
from protocol import analysis, codec, ladder, messages, past
from protocol.messages import MatchState, Push, Request
from server import config
from server.config import price_of_read
from server.services.drawings import OF_ACTION

HOST: Final = "127.0.0.1"
LINE: Final = "\N{WHITE CHESS KING}" * 500  # the longest line of chat there is
LINES: Final = 60  # of it, in the room whose history is asked for
WATCHERS: Final = 20
PAST: Final = 100  # matches of a page
TIMES: Final = 300  # that a thing is done, usually
PAUSE_S: Final = 0.002  # after which the lobby's list is written anew; see SETTINGS
SETTINGS: Final = {**UNLIMITED, "lobby_every_ms": 1, "frames_per_second": 10**9}


class AskingWire(Wire):
    """A connection that asks, and counts the bytes of all messages that it was sent."""

    __slots__ = ("received",)

    def __init__(self, port: int) -> None:
        self.received = 0
        super().__init__(HOST, port)

    def receive(self) -> list[bytes]:
        payloads = super().receive()
        self.received += sum(map(len, payloads))
        return payloads

    def answer(self, request: Request) -> Push:
        """Send a request whose id is 1, and return what answers it, also if that is a refusal."""
        self.send(request)
        while True:
            for payload in self.receive():
                message = codec.decode_reply(payload)
                if message.re == 1:
                    return message


class PriceStage:
    """Players at a match that has begun, a room full of talk, and one with spectators."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.ann, self.bob = AskingWire(port), self.enter()
        self.name = self.ann.hello().name
        self.room = self.create()
        self.bob.answer(messages.Join(id=1, room=self.room))
        self.match = self.begin()
        self.talk, self.crowd = self.create(), self.create()
        for _ in range(LINES):
            self.say()
        self.watchers = [self.enter() for _ in range(WATCHERS)]
        for wire in self.watchers:
            wire.answer(messages.Watch(id=1, room=self.crowd))

    def enter(self) -> AskingWire:
        wire = AskingWire(self.port)
        wire.hello()
        return wire

    def close(self) -> None:
        for wire in (self.ann, self.bob, *self.watchers):
            wire.close()

    def received(self) -> int:
        return sum(wire.received for wire in (self.ann, self.bob, *self.watchers))

    def ask(self, request: Request) -> None:
        self.ann.answer(request)

    def create(self) -> int:
        return self.ann.ask(messages.Create(id=1, game="tic_tac_toe"), messages.RoomState).room

    def join_and_leave(self) -> None:
        self.bob.answer(messages.Join(id=1, room=self.talk))
        self.bob.answer(messages.Leave(id=1, room=self.talk))

    def watch_and_leave(self) -> None:
        self.bob.answer(messages.Watch(id=1, room=self.talk))
        self.bob.answer(messages.Leave(id=1, room=self.talk))

    def say(self) -> None:
        self.ask(messages.Say(id=1, room=self.talk, text=LINE))

    def say_to_all(self) -> None:
        self.ask(messages.Say(id=1, room=self.crowd, text=LINE))
        for wire in self.watchers:
            wire.wait_for(messages.Said)

    def begin(self) -> MatchState:
        for wire in (self.ann, self.bob):
            wire.send(messages.Ready(room=self.room))
        self.bob.wait_for(MatchState)
        return self.ann.wait_for(MatchState)

    def resign_and_begin(self) -> None:
        self.ask(messages.Resign(id=1, match=self.match.match))
        self.bob.wait_for(MatchState)
        self.match = self.begin()

    def play_a_match(self) -> None:
        states = {self.ann: self.match}
        movers = [self.ann, self.bob]
        if self.match.legal is None:
            movers.reverse()
        for ply, action in enumerate(DRAWN):
            wire = movers[ply % 2]
            wire.send(messages.Play(match=self.match.match, turn=self.match.turn, action=action))
            states = {each: each.wait_for(MatchState) for each in movers}
            self.match = states[self.ann]
        self.match = self.begin()

    def lobby_anew(self) -> None:
        time.sleep(PAUSE_S)  # or it is sent the list that is at hand, which costs next to nothing
        self.ask(messages.Lobby(id=1, follow=False))

    def ping(self) -> None:
        self.ann.send_bytes(frame(b"", PING))
        while self.ann.sock.recv(2)[:1] != bytes((PONG,)):
            pass

    def connect(self) -> None:
        with socket.create_connection((HOST, self.port)) as sock:
            sock.shutdown(socket.SHUT_WR)
            sock.recv(1)

    def page(self, path: str) -> None:
        with socket.create_connection((HOST, self.port)) as sock:
            sock.sendall(f"GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode())
            while sock.recv(1 << 16):
                pass


class Priced(NamedTuple):
    """Something that is done `times`, and its price without its bytes."""

    name: str
    do: Callable[[PriceStage], object]
    price: float
    times: int = TIMES


def _of(*names: str) -> int:
    return sum(codec.REQUESTS[name].price for name in names)


def _asked(request: Request) -> Callable[[PriceStage], None]:
    return lambda stage: stage.ask(request)


CONNECTED: Final = config.CONNECTION + config.PAGE + config.HANDSHAKE
READ: Final = config.READ + price_of_read(LINES * len(LINE.encode()))
PAST_READ: Final = PAST * (config.READ_ROW + config.LISTED + 1)
PAST_TALLIED: Final = 2 * TIMES * config.TALLIED  # matches that were played for two other things
THINGS: Final = (
    Priced("a refused play", _asked(messages.Play(id=1, match="999999.1", turn=1, action="1")),
           config.REFUSED + _of("play")),
    Priced("lobby", _asked(messages.Lobby(id=1, follow=False)), _of("lobby")),
    Priced("lobby, written anew", PriceStage.lobby_anew, _of("lobby") + config.LOBBY_LIST),
    Priced("ladder_status", _asked(ladder.LadderStatus(id=1)), _of("ladder_status")),
    Priced("create and leave", lambda stage: stage.ask(messages.Leave(id=1, room=stage.create())),
           _of("create", "leave")),
    Priced("join and leave", PriceStage.join_and_leave, _of("join", "leave")),
    Priced("watch and leave", PriceStage.watch_and_leave, _of("watch", "leave")),
    Priced("resign, ready, ready", PriceStage.resign_and_begin, _of("resign", "ready", "ready")),
    Priced("nine plays (*), ready, ready", PriceStage.play_a_match,
           _of("ready", "ready") + 9 * config.MANY_PLAYS),
    Priced("say", PriceStage.say, _of("say")),
    Priced(f"say, to {WATCHERS} spectators", PriceStage.say_to_all,
           _of("say") + WATCHERS * config.PUSH),
    Priced("history, of a full page", lambda stage: stage.ask(
           messages.History(id=1, room=stage.talk)), _of("history") + READ),
    Priced("invite, of nobody", lambda stage: stage.ask(
           messages.Invite(id=1, room=stage.talk, who="nobody")), _of("invite") + config.REFUSED),
    Priced("draw", lambda stage: stage.ask(messages.Draw(id=1, match=stage.match.match)),
           _of("draw")),
    Priced("try, of the first position", _asked(analysis.Try(id=1, game="tic_tac_toe")),
           _of("try") + 9 * OF_ACTION),
    Priced("matches, of a full page", lambda stage: stage.ask(
           past.Matches(id=1, limit=PAST)), _of("matches") + PAST_READ),
    Priced(f"person, with {2 * TIMES} matches", lambda stage: stage.ask(
           past.Person(id=1, name=stage.name)), _of("person") + PAST_TALLIED, times=100),
    Priced("link", _asked(messages.Link(id=1)), _of("link")),
    Priced("a ping", PriceStage.ping, config.CONTROL),
    Priced("a connection", PriceStage.connect, config.CONNECTION),
    Priced("the same, a WebSocket", lambda stage: Wire(HOST, stage.port).close(), CONNECTED),
    Priced("the same, and hello", lambda stage: stage.enter().close(), CONNECTED + _of("hello")),
    Priced("no such page", lambda stage: stage.page("/none"), config.CONNECTION + config.PAGE),
    Priced("/metrics", lambda stage: stage.page("/metrics"),
           config.CONNECTION + config.PAGE + config.FIGURES),
)  # fmt: skip


class Price(NamedTuple):
    """What something was measured to cost: microseconds of CPU and bytes sent to all, each time."""

    cpu_us: float
    price_us: float
    bytes: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--scale", type=float, default=1.0, help="how often, to the usual number")


def measure(args: argparse.Namespace, folder: Path) -> Report:
    """Ask a fresh server for everything; that a price does not cover its cost is a problem."""
    if not args.scale > 0:
        raise BadPlan("scale is above 0")
    server = MeasuredServer(folder / "data", SETTINGS, core=cores()[0])
    table = FigureTable("what is asked for", ["CPU us", "price us", "bytes out"])
    report = Report(tables=[table], notes=[pinned_note()])
    report.notes.append("* Plays that are accepted cost nothing, up to `free_plays` a second.")
    server.start()
    try:
        with closing(PriceStage(server.port)) as stage:
            for thing in THINGS:
                price = _measured(server.pid, stage, thing, args.scale)
                table.rows[thing.name] = [*price]
                progress(f"{thing.name}: {price.cpu_us:.0f} us")
                if price.cpu_us > price.price_us:
                    cost = f"{price.cpu_us:.0f} us, and its price is {price.price_us:.0f}"
                    report.problems.append(f"NOT COVERED: {thing.name} costs {cost}")
    finally:
        server.stop()
    return report


def _measured(pid: int, stage: PriceStage, thing: Priced, scale: float) -> Price:
    times = max(1, round(thing.times * scale))
    thing.do(stage)  # once uncounted: the server makes what it needs
    received, before = stage.received(), _cpu_us(pid)
    for _ in range(times):
        thing.do(stage)
    cpu, size = (_cpu_us(pid) - before) / times, (stage.received() - received) / times
    paid = size / config.BYTES_PER_MICRO if size > config.SMALL else 0
    return Price(cpu, thing.price + paid, size)


def _cpu_us(pid: int) -> float:
    if (seconds := cpu_of(pid)) is None:
        raise Missing("the processor time of another process is told on Linux only")
    return 1e6 * seconds
