"""Sockets that waste the server's time or memory: storms, half-open ones, deaf readers."""

from __future__ import annotations

import asyncio
import itertools
from contextlib import suppress
from typing import Final

from bench.attacks.floods import RATE, talk_at_length
from bench.attacks.hostile import HOST, Assault, Attack, HostileConnection, TurnedAway
from bench.support.wire import handshake
from protocol.codec import encode
from protocol.messages import History

AT_ONCE: Final = 16
HALF_OPEN: Final = 2_000
DEAF: Final = 48
DRIP: Final = 0.5  # seconds between the bytes of a handshake
LOOKS: Final = 60  # until the first of them has been dropped


async def come_and_go(assault: Assault) -> None:
    """Connect, say hello or not, and hang up."""

    async def visit(number: int) -> None:
        link = await (assault.guest() if number % 2 else assault.upgraded())
        link.leave()

    await assault.in_parallel(visit, assault.crowd_size(AT_ONCE))


async def hold_half_open(assault: Assault) -> None:
    """Half say nothing; the others send a handshake a byte at a time, and never end it."""
    begun = handshake(HOST, assault.port)[:-2]
    drips = itertools.cycle(begun[n : n + 1] for n in range(len(begun)))
    plain = await _connect_many(assault, assault.crowd_size(HALF_OPEN))
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


async def _connect_many(assault: Assault, size: int) -> list[HostileConnection]:
    plain: list[HostileConnection] = []

    async def connect_one(_: int) -> None:
        with suppress(TurnedAway):
            plain.append(await assault.connect())

    await assault.in_parallel(connect_one, AT_ONCE, size)
    return plain


async def fill_and_go_deaf(assault: Assault) -> None:
    """Have connections that read nothing more, in a room whose history is long."""
    await talk_at_length(assault)
    await assault.fill(assault.crowd_size(DEAF), assault.guest)


async def ask_and_never_read(assault: Assault) -> None:
    """Ask for much and let it lie."""
    for link in assault.links:
        link.hear_nothing()
    await assault.flood(encode(History(room=assault.room)), assault.rate(RATE))
    for link in assault.links:
        if not link.closed:
            link.transport.resume_reading()


ATTACKS: Final = (
    Attack("storm", "connections that come and go", come_and_go),
    Attack("half-open", "2,000 half-open and slow handshakes", hold_half_open),
    Attack("deaf", "48 readers that never read", ask_and_never_read, fill_and_go_deaf),
)
