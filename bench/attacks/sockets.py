"""Sockets that waste the server's time or memory, or lie to it: storms, deaf readers, pongs."""

from __future__ import annotations

import asyncio
import itertools
import os
import time
from contextlib import suppress
from typing import Final

from bench.attacks.floods import RATE, talk_at_length
from bench.attacks.hoarding import begin_a_match, begin_between
from bench.attacks.hostile import HOST, Assault, Attack, HostileConnection, TurnedAway
from bench.support.wire import BINARY, PONG, frame, handshake
from protocol.messages import History, MatchState, Ok, Play, Ready, Resign
from protocol.parts import ClockOptions, Options

AT_ONCE: Final = 16
HALF_OPEN: Final = 2_000
DEAF: Final = 48
DRIP: Final = 0.5  # seconds between the bytes of a handshake
ADDRESSES, MANY = 6, 6  # that send what has no end, and their network
CROWD: Final = 64  # connections of each
LINES, LONG_LINE = 120, 8_100  # headers of a request, and bytes of each
PAUSE: Final = 0.05  # seconds between two of them
THOUGHT: Final = 120  # ms for a move of who forges pongs
ON_A_CLOCK: Final = Options(clock=ClockOptions(base_ms=60_000, increment_ms=1_000))
HALF: Final = 60_000  # bytes of a message
HELD: Final = 3.0  # seconds until its sender hangs up
LOOKS: Final = 60  # until the first of them has been dropped
AHEAD: Final = 20  # requests of HTTP that are sent at once ...
BETWEEN: Final = 0.005  # ... and seconds from some to the next
MATCHES: Final = 300  # in a room ...
A_MATCH: Final = 0.04  # seconds that one takes there


async def come_and_go(assault: Assault) -> None:

    async def visit(number: int) -> None:
        link = await (assault.guest() if number % 2 else assault.upgraded())
        link.leave()

    await assault.in_parallel(visit, assault.crowd_size(AT_ONCE))


async def hold_half_open(assault: Assault) -> None:
    """Half say nothing; the others send a handshake a byte at a time, and never end it."""
    begun = handshake(HOST, assault.port)[:-2]
    drips = itertools.cycle(begun[n : n + 1] for n in range(len(begun)))
    plain: list[HostileConnection] = []

    async def connect_one(_: int) -> None:
        with suppress(TurnedAway):
            plain.append(await assault.connect())

    await assault.in_parallel(connect_one, AT_ONCE, assault.crowd_size(HALF_OPEN))
    assault.counts.count("sockets held", len(plain))
    slow = plain[::2]
    for link in slow:
        link.write(begun, 0)
    while not assault.over:
        await asyncio.sleep(min(DRIP, assault.plan.seconds / 2))
        drip = next(drips)
        for link in slow:
            link.write(drip, 0)
    for _ in range(LOOKS):
        if any(link.closed for link in plain):
            break
        await asyncio.sleep(DRIP / 10)  # a busy server drops them later, and nothing else tells
    assault.counts.count("sockets still open", sum(not link.closed for link in plain))
    for link in plain:
        link.leave()


async def fill_and_go_deaf(assault: Assault) -> None:
    """Have connections that read nothing more, in a room whose history is long."""
    await talk_at_length(assault)
    await assault.fill(assault.crowd_size(DEAF))


async def ask_and_never_read(assault: Assault) -> None:
    for link in assault.links:
        if not link.closed:
            link.transport.pause_reading()
    await assault.flood(History(room=assault.room), RATE)
    for link in assault.links:
        if not link.closed:
            link.transport.resume_reading()


async def never_end(assault: Assault) -> None:
    """Send headers without end from six addresses, hang up, and begin again.

    Every other one sends no more than a request may have, and holds on to it.
    """
    line = b"X-%d: " + b"x" * LONG_LINE + b"\r\n"
    lengths = itertools.cycle((1, LINES))

    async def ask(link: HostileConnection) -> None:
        link.speak_http()
        link.write(_request(assault, "/")[:-2])
        for header in range(next(lengths)):
            if link.closed or assault.over:
                break
            link.write(line % header)
            await asyncio.sleep(PAUSE)
        await asyncio.sleep(min(HELD, assault.plan.seconds))
        assault.counts.count("requests that had no end")

    await assault.visits(
        lambda number: assault.connect(f"127.0.{MANY}.{1 + number % ADDRESSES}"),
        ask,
        assault.crowd_size(ADDRESSES * CROWD),
    )


async def half_send(assault: Assault) -> None:

    async def send(link: HostileConnection) -> None:
        link.pongs = False  # which would end the message
        link.write(frame(b"x" * HALF, BINARY)[:-1])
        await asyncio.sleep(min(HELD, assault.plan.seconds))
        assault.counts.count("messages that had no end")

    await assault.visits(lambda _: assault.upgraded(), send, assault.crowd_size(CROWD))


async def forge_pongs(assault: Assault) -> None:
    """Play with the house's bot on a clock, answer no ping, and say that each was sent long ago."""

    async def play(link: HostileConnection) -> None:
        link.pongs = False
        match = await begin_a_match(link, ON_A_CLOCK)
        seat = match.to_move
        while match.result is None and match.legal and not assault.over:
            now = time.time_ns() // 1_000_000
            forged = [(now - 2 * THOUGHT).to_bytes(8, "big"), bytes(8), os.urandom(8)] * 2
            link.write(b"".join(frame(payload, PONG) for payload in forged), len(forged))
            await asyncio.sleep(THOUGHT / 1_000)
            link.send(Play(match=match.match, turn=match.turn, action=match.legal[0]))
            turn = match.turn
            while match.turn == turn or not (match.legal or match.result):
                match = await link.wait_for(MatchState)
            assault.counts.count("moves")
        lag = max((each.lag_ms or 0 for each in match.events if each.seat == seat), default=0)
        if lag > THOUGHT // 2:  # of a ping at hello, which it has answered, it may have some
            assault.counts.wrong.append(f"{lag} ms of lag were forgiven for forged pongs")

    await assault.visits(assault.come, play, 1)


# ---------------------------------------------------------------- HTTP


def _request(assault: Assault, path: str, header: str = "") -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: {HOST}:{assault.port}\r\n{header}\r\n".encode()


async def fetch_all(assault: Assault, path: str) -> None:
    """Ask for one path after the other, 16 at a time; `{}` in it is a number from 1 on."""
    numbers = itertools.count(1)

    async def fetch(link: HostileConnection) -> None:
        link.write(_request(assault, path.format(next(numbers)), "Connection: close\r\n"))
        assault.counts.count(f"answered {await link.status()}")

    await assault.visits(lambda _: assault.connect(), fetch, assault.crowd_size(AT_ONCE))


def fetching(name: str, path: str) -> Attack:
    return Attack(name, f"GET {path}, 16 at a time", lambda assault: fetch_all(assault, path))


async def ask_without_waiting(assault: Assault) -> None:
    """Ask for the page over kept connections, again and again, before anything is answered."""
    requests = _request(assault, "/") * AHEAD

    async def flood(link: HostileConnection) -> None:
        link.speak_http()
        while not assault.over and not link.closed:
            link.write(requests, AHEAD)
            await asyncio.sleep(BETWEEN)  # the pace of the attack

    await assault.visits(lambda _: assault.connect(), flood, assault.crowd_size(AT_ONCE))


async def play_many(assault: Assault) -> None:
    one, two = [await assault.guest() for _ in range(2)]
    match = await begin_between(one, two)
    assault.room = match.room
    for _ in range(assault.quota(MATCHES)):
        await asyncio.sleep(A_MATCH)
        over = match.match
        await one.ask(Resign(match=over), Ok)
        await two.ask(Ready(room=match.room), Ok)
        one.send(Ready(room=match.room))
        while match.match == over:
            match = await one.wait_for(MatchState)


ATTACKS: Final = (
    Attack("storm", "connections that come and go", come_and_go),
    Attack("half-open", "2,000 half-open and slow handshakes", hold_half_open),
    Attack("unfinished", "headers without end, from 6 addresses", never_end),
    Attack("half-sent", "messages without end, 64 connections", half_send),
    Attack("pongs", "lag that is forged by pongs nobody asked for", forge_pongs),
    Attack("deaf", "48 readers that never read", ask_and_never_read, fill_and_go_deaf),
    fetching("page", "/"),
    Attack("kept", "GET / over kept connections, 20 ahead of the answers", ask_without_waiting),
    fetching("metrics", "/metrics"),
    # Each at most once, so that none is kept.
    Attack("replays", "replays of a room of 300 matches, 16 at a time",
           lambda assault: fetch_all(assault, f"/replay/{assault.room}.{{}}.json"), play_many),
)  # fmt: skip
