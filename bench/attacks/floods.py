"""Floods of requests that the protocol allows: they only come fast, from many connections.

A program may send 400 messages a second on each of an address's 64 connections.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from bench.attacks.hoarding import begin_a_match
from bench.attacks.hostile import Assault, Attack, TurnedAway
from bench.support.wire import PING
from protocol.codec import encode
from protocol.errors import PlyhouseError
from protocol.ladder import LadderStatus
from protocol.messages import Create, Hint, History, Lobby, Ok, Play, Request, RoomState, Say

RATE: Final = 390.0  # a second: within the limit of a program's connection
CROWD: Final = 64  # connections of one address
LINES: Final = 60  # of chat in the room whose history is asked for ...
LINE: Final = "♔" * 500  # ... each as long as may be
PAUSE: Final = 0.5  # seconds before a refused request is sent again
TRIES: Final = 40
PLAY: Final = Play(match="9.9", turn=1, action="1", id=1)  # there is no such match


async def guests(assault: Assault) -> None:
    """Have as many connections open as one address may."""
    await assault.fill(assault.crowd_size(CROWD), assault.guest)


def flooding(name: str, about: str, request: Request, crowd: int = CROWD) -> Attack:
    """Send one request over and over from `crowd` connections."""

    async def prepare(assault: Assault) -> None:
        await assault.fill(assault.crowd_size(crowd), assault.guest)

    async def strike(assault: Assault) -> None:
        await assault.flood(encode(request), assault.rate(RATE))

    return Attack(name, about, strike, prepare)


async def until_granted(assault: Assault, request: Request, answer: type) -> object:
    """Ask again and again, as an attacker with time would, until it is granted.

    Raises:
        PlyhouseError: it still was not after TRIES.
    """
    link = assault.links[0]
    for _ in range(TRIES):
        try:
            return await link.ask(request, answer)
        except PlyhouseError as error:
            refusal = error
            await asyncio.sleep(PAUSE)
    raise refusal


async def talk_at_length(assault: Assault) -> None:
    """Open a room and fill its log with chat; then have connections that ask for it."""
    await assault.fill(1, assault.guest)
    number = assault.numbers
    room = await until_granted(assault, Create(id=next(number), game="tic_tac_toe"), RoomState)
    assert isinstance(room, RoomState)
    assault.room = room.room
    with suppress(PlyhouseError, TurnedAway, TimeoutError):
        for _ in range(LINES if assault.plan.count is None else assault.plan.count):
            await until_granted(assault, Say(id=next(number), room=room.room, text=LINE), Ok)
    await assault.fill(assault.crowd_size(4), assault.guest)


async def ask_for_history(assault: Assault) -> None:
    """26 bytes in, up to 99 kB out."""
    await assault.flood(encode(History(room=assault.room)), assault.rate(RATE))


async def ask_for_history_and_go(assault: Assault) -> None:
    """Ask for it and hang up before the answer."""
    request = History(room=assault.room)

    async def hit_and_run(_: int) -> None:
        link = await assault.guest()
        link.send(*[request] * 100)
        assault.counts.count("asked and left")
        await asyncio.sleep(0)
        link.leave()

    await assault.in_parallel(hit_and_run, assault.crowd_size(16))


async def sit_with_a_bot(assault: Assault) -> None:
    """Begin a match against one of the house's bots, and be on the move in it."""
    await assault.fill(1, assault.guest)
    match = await begin_a_match(assault, assault.links[0])
    assault.match = match.match


async def ask_for_hints(assault: Assault) -> None:
    """Have the house's bots think without end."""
    await assault.flood(encode(Hint(match=assault.match)), assault.rate(RATE))


async def ping(assault: Assault) -> None:
    """Frames that no request pays for."""
    await assault.flood(b"ping", assault.rate(300.0), PING)


ATTACKS: Final = (
    Attack("history", "history of a long chat, 4 connections", ask_for_history, talk_at_length),
    Attack(
        "history-gone",
        "the same, from askers who hang up at once",
        ask_for_history_and_go,
        talk_at_length,
    ),
    flooding("plays", "refused plays, 64 connections", PLAY),
    flooding("unlimited", "the same at a house without limits", PLAY)._replace(breaks=True),
    flooding("lobby", "the list of rooms, 16 connections", Lobby(id=1, follow=False), 16),
    flooding("ladders-list", "the list of ladders, 16 connections", LadderStatus(id=1), 16),
    Attack("hints", "hints, one connection", ask_for_hints, sit_with_a_bot),
    Attack("pings", "pings, 64 connections, 300 a second each", ping, guests),
)
