"""`plyhouse bench lobby`: what the lobby costs while many follow it and much happens there.

A whole server without sockets, whose clock is wound by hand, so that the bytes are the same on any
machine.  People and bots come, open tables, sit down, begin and end matches, and go, so many acts a
second; each is a change of the list.  Beside that, matches are played, a move every three seconds.
Those who follow read all: half of them in JSON, as the page, half in msgpack.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec.structs import replace
from rich.console import Console

from bench.server.server import UNLIMITED
from bench.support.report import Report, complain, output, progress, slim_table
from protocol import messages, parts
from server.config import Config
from server.net import frames
from tests.server.scene import FakeTransport, Player, Scene

GAMES: Final = ("tic_tac_toe", "ultimate_tic_tac_toe", "connect_four", "backgammon")
TABLES: Final = 120  # that are open
BOTS: Final = 7
MOVE_S: Final = 3.0  # between two moves of a match
TICK_MS: Final = 25
PROMISE: Final = 1_000_000  # bytes a second at most to 100 of 100 or more who follow the changes


class LobbyFigures(msgspec.Struct, kw_only=True):
    """One way to follow.  `cpu_ms`: of the server a second, for lists and changes alone; bytes a
    second are those of one follower, and of 100 in JSON.
    """

    follow: str
    messages_per_s: float
    json_bytes: float
    msgpack_bytes: float
    hundred_bytes: float
    longest_ms: float
    cpu_ms: float


class LobbyReport(Report, kw_only=True):
    """Everything that was measured."""

    followers: int
    acts_per_s: int
    seconds: int
    rooms: int
    figures: list[LobbyFigures]
    broken: list[str]  # what is beyond what is promised


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe `plyhouse bench lobby`."""
    parser.add_argument("--followers", type=int, default=1_000, help="default 1,000")
    parser.add_argument("--acts", type=int, default=40, help="changes a second (default 40)")
    parser.add_argument("--seconds", type=int, default=30, help="of the server's own clock")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")


def run(args: argparse.Namespace) -> int:
    """Measure and print; 1 if a promise was broken, 2 if it could not be measured."""
    if min(args.followers, args.acts, args.seconds) < 1:
        return complain("lobby", "followers, acts and seconds are 1 or more")
    report = measure(args.followers, args.acts, args.seconds)
    output(report, args.json, show)
    return 1 if report.broken else 0


def measure(followers: int, acts: int, seconds: int) -> LobbyReport:
    """Follow the same evening in both ways."""
    figures, rooms = [], 0
    for follow in (True, "changes"):
        evening = Evening(followers, follow)
        figures.append(evening.pass_by(acts, seconds))
        rooms = len(evening.scene.rooms.actors)
        evening.scene.close()
        progress(f"{figures[-1].follow}: {figures[-1].json_bytes:,.0f} bytes a second each")
    most = figures[-1].hundred_bytes
    too_much = followers >= 100 and most > PROMISE
    broken = [f"100 followers are sent {most:,.0f} bytes a second"] if too_much else []
    return LobbyReport(
        followers=followers, acts_per_s=acts, seconds=seconds, rooms=rooms, figures=figures,
        broken=broken,
    )  # fmt: skip


class CountingTransport(FakeTransport):
    """Counts the frames and bytes that it is sent, and when they came."""

    def __init__(self, scene: Scene) -> None:
        super().__init__()
        self.scene = scene
        self.times: list[int] = []
        self.bytes = 0

    def frame(self, payload: bytes, text: bool) -> bytes:
        """As Transport says."""
        return frames.frame(payload, text)

    def push(self, frame: bytes, key: str | None) -> None:
        """As Transport says."""
        self.times.append(self.scene.now())
        self.bytes += len(frame)


class Evening:
    """A house in which much happens, and a crowd that follows its lobby."""

    def __init__(self, followers: int, follow: object) -> None:
        self.scene = Scene(replace(Config(), **UNLIMITED))
        self.chance = random.Random(18)
        self.follow = "changes" if follow == "changes" else "lists"
        self._owners: dict[int, tuple[Player, Player | None]] = {}
        self._people: list[Player] = []
        self._made = 0
        programs = [f"bot{number}" for number in range(BOTS)]
        info = parts.BotInfo(
            program="", version="1.0", games=list(GAMES), levels=8, slots=16, analyses=[*GAMES[2:]]
        )
        self._bots = [self.scene.house(replace(info, program=name)) for name in programs]
        for _ in range(4 * TABLES):
            self._act()
        self._cpu = 0.0
        self._time_lists()
        self._crowd = [self._follower(number, follow) for number in range(followers)]

    def _time_lists(self) -> None:
        feed = self.scene.hub.services.lobby_feed
        send = feed._send

        def timed() -> None:
            begin = time.process_time()
            send()
            self._cpu += time.process_time() - begin

        feed._send = timed  # type: ignore[method-assign]

    def _follower(self, number: int, follow: object) -> CountingTransport:
        """Somebody who only follows: without a name, since people would be in the list."""
        transport = CountingTransport(self.scene)
        peer = self.scene.hub.connected(transport)
        peer.text = number % 2 == 0
        request = msgspec.convert({"type": "lobby", "follow": follow}, messages.Lobby)
        self.scene.hub.services.lobby_feed.answer(peer, request, self.scene.now())
        return transport

    def pass_by(self, acts: int, seconds: int) -> LobbyFigures:
        """Let it happen."""
        for transport in self._crowd:
            transport.times, transport.bytes = [], 0
        self._cpu = due = 0.0
        for _ in range(seconds * 1000 // TICK_MS):
            due += acts * TICK_MS / 1000
            while due >= 1:
                self._act()
                due -= 1
            self._play()
            self.scene.wait(TICK_MS)
        one = self._crowd[0]
        pauses = [later - at for at, later in zip(one.times, one.times[1:], strict=False)]
        json_bytes, msgpack_bytes = (
            _mean(transport.bytes for transport in self._crowd[kind::2]) / seconds
            for kind in (0, 1)
        )
        return LobbyFigures(
            follow=self.follow,
            messages_per_s=len(one.times) / seconds,
            json_bytes=json_bytes,
            msgpack_bytes=msgpack_bytes,
            hundred_bytes=100 * json_bytes,
            longest_ms=max(pauses, default=0),
            cpu_ms=1000 * self._cpu / seconds,
        )

    # ------------------------------------------------------------ what happens

    def _act(self) -> None:
        """Change the list once."""
        if not self._owners or (len(self._owners) < TABLES and self.chance.random() < 0.5):
            self._open()
            return
        number = self.chance.choice(list(self._owners))
        owner, guest = self._owners[number]
        room = self.scene.rooms.actors[number].room
        if room.state == "playing":
            owner.say(messages.Resign(match=f"{number}.{room.played}"))
        elif guest is None:
            guest = self.chance.choice(self._bots) if self.chance.random() < 0.4 else self._enter()
            guest.say(messages.Join(room=number))
            self._owners[number] = owner, guest
        elif room.played < 1 or self.chance.random() < 0.4:
            for player in (owner, guest):
                player.say(messages.Ready(room=number))
        else:
            del self._owners[number]
            for leaving in (owner, guest):
                leaving.say(messages.Leave(room=number))
                if leaving not in self._bots:
                    leaving.go()
        for each in (owner, guest):
            if each is not None:
                each.heard()

    def _open(self) -> None:
        owner = self._enter()
        clock = self.chance.choice((None, parts.ClockOptions(base_ms=300_000, increment_ms=3_000)))
        game, options = self.chance.choice(GAMES), parts.Options(clock=clock)
        number = self.scene.room(owner, game, options)
        self._owners[number] = owner, None

    def _enter(self) -> Player:
        self._made += 1
        return self.scene.enter(f"player {self._made}")

    def _play(self) -> None:
        """Make the moves that are due."""
        for number, (owner, guest) in self._owners.items():
            if self.chance.random() > TICK_MS / 1000 / MOVE_S:
                continue
            match = self.scene.rooms.actors[number].room.match
            if match is None or match.result is not None or guest is None:
                continue
            mover = match.players[match.position.to_move]
            player = owner if mover.same(owner.peer.who) else guest
            action = self.chance.choice(match.position.legal_notation())
            player.say(messages.Play(match=match.name, turn=match.turn, action=action))
            for each in (owner, guest):
                each.heard()


def _mean(values: Iterable[float]) -> float:
    rows = list(values)
    return sum(rows) / max(1, len(rows))


def show(report: LobbyReport) -> None:
    """Print the report for people."""
    table = slim_table(
        f"{report.followers:,} follow a lobby of {report.rooms} rooms,"
        f" {report.acts_per_s} changes a second",
        ["follows"],
        ["messages/s", "longest pause", "JSON B/s", "msgpack B/s", "100 of JSON", "CPU"],
    )
    for row in report.figures:
        table.add_row(
            row.follow, f"{row.messages_per_s:.1f}", f"{row.longest_ms / 1000:.2f} s",
            f"{row.json_bytes:,.0f}", f"{row.msgpack_bytes:,.0f}",
            f"{row.hundred_bytes / 1e6:.2f} MB/s", f"{row.cpu_ms:.1f} ms/s",
        )  # fmt: skip
    console = Console()
    console.print(table)
    for sentence in report.broken:
        console.print(f"NOT AS PROMISED: {sentence}")
    console.print(f"{report.place}.")
