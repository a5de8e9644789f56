"""Floods that the protocol allows, and noise that many have to read: they only come fast.

A program may send 400 messages a second on each of an address's 64 connections.
"""

from __future__ import annotations

import asyncio
import itertools
from contextlib import suppress
from typing import Final

from bench.attacks.hoarding import GAME, begin_a_match
from bench.attacks.hostile import NUMBERS, Assault, Attack, HostileConnection, P, TurnedAway
from bench.support.wire import PING
from protocol.errors import PlyhouseError
from protocol.hints import Hint
from protocol.ladder import LadderStatus
from protocol.messages import (
    Create,
    History,
    Invite,
    Lobby,
    Ok,
    Play,
    Request,
    RoomState,
    Say,
    Watch,
)

RATE: Final = 390.0  # a second: within the limit of a program's connection
CROWD: Final = 64  # connections of one address
LINES: Final = 60  # of chat in the room whose history is asked for ...
LINE: Final = "♔" * 500  # ... each as long as may be
PAUSE: Final = 0.5  # seconds before a refused request is sent again
TRIES: Final = 40
PLAY: Final = Play(match="9.9", turn=1, action="1", id=1)  # there is no such match
SPECTATORS: Final = 500
A_HOUSEHOLD: Final = 50  # spectators of one address, which are not the attacker's
PUBLIC, VICTIM = 7, "127.0.8.1"  # whose networks and address these are
TALKERS: Final = 16
PESTERERS: Final = 8
BATCH: Final = 8  # invitations sent at once


def flooding(name: str, about: str, request: Request | bytes, crowd: int = CROWD,
             rate: float = RATE, first: int = 0) -> Attack:  # fmt: skip
    """Send one request over and over from `crowd` connections."""

    async def prepare(assault: Assault) -> None:
        await assault.fill(assault.crowd_size(crowd))

    async def strike(assault: Assault) -> None:
        await assault.flood(request, rate, *([first] if first else []))

    return Attack(name, about, strike, prepare)


async def until_granted(assault: Assault, request: Request, answer: type[P]) -> P:
    """Ask again and again, as an attacker with time would, until it is granted."""
    for _ in range(TRIES):
        try:
            return await assault.links[0].ask(request, answer)
        except PlyhouseError as error:
            refusal = error
            await asyncio.sleep(PAUSE)
    raise refusal


async def talk_at_length(assault: Assault) -> None:
    """Open a room and fill its log with chat; then have connections that ask for it."""
    await assault.fill(1)
    assault.room = (await until_granted(assault, Create(game=GAME), RoomState)).room
    with suppress(PlyhouseError, TurnedAway, TimeoutError):
        for _ in range(assault.quota(LINES)):
            await until_granted(assault, Say(room=assault.room, text=LINE), Ok)
    await assault.fill(assault.crowd_size(4))


async def ask_for_history_and_go(assault: Assault) -> None:

    async def hit_and_run(link: HostileConnection) -> None:
        link.send(*[History(room=assault.room)] * 100)
        assault.counts.count("asked and left")
        await asyncio.sleep(0)

    await assault.visits(assault.come, hit_and_run, assault.crowd_size(16))


async def sit_with_a_bot(assault: Assault) -> None:
    """Begin a match against one of the house's bots, and be on the move in it."""
    await assault.fill(1)
    assault.match = (await begin_a_match(assault.links[0])).match


async def gather_spectators(assault: Assault) -> None:
    """A room, talkers of the attacker's who watch it, and many people at home who do."""
    await assault.fill(1)
    assault.room = (await until_granted(assault, Create(game=GAME), RoomState)).room
    homes = itertools.count()

    async def watch(source: str | None = None) -> HostileConnection:
        link = await assault.guest(source)
        try:
            await link.ask(Watch(room=assault.room), RoomState)
        except (PlyhouseError, TimeoutError) as error:
            link.leave()
            raise TurnedAway(str(error)) from None
        return link

    async def watch_at_home() -> HostileConnection:
        return await watch(f"127.0.{PUBLIC}.{1 + next(homes) // A_HOUSEHOLD}")

    await assault.fill(TALKERS, watch)
    await assault.fill(TALKERS + assault.crowd_size(SPECTATORS), watch_at_home)


async def talk(assault: Assault) -> None:
    """The talkers say long lines as fast as they may; the others only listen."""
    everybody = assault.links
    assault.links = everybody[:TALKERS]
    try:
        await assault.flood(Say(room=assault.room, text=LINE), 20.0)
    finally:
        assault.links = [*assault.links, *everybody[TALKERS:]]


async def find_a_victim(assault: Assault) -> None:
    """Somebody who sits there and has done nothing, and guests of the attacker's."""
    person = await assault.guest(VICTIM, bot=None, name=f"victim {next(NUMBERS)}")
    assault.links = [person]
    await assault.fill(1 + assault.crowd_size(PESTERERS))


async def pester(assault: Assault) -> None:
    """Invite one person from many rooms without end."""
    person, *links = assault.links
    begin = person.heard

    async def invite_from(link: HostileConnection) -> None:
        try:
            room = (await link.ask(Create(game=GAME), RoomState)).room
        except (PlyhouseError, TurnedAway, TimeoutError):
            return
        while not assault.over:
            link.send(*[Invite(room=room, who=person.name)] * BATCH)
            await asyncio.sleep(BATCH / assault.rate(120.0))

    await asyncio.gather(*(invite_from(link) for link in links))
    assault.counts.count("invitations that reached one person", person.heard - begin)


ATTACKS: Final = (
    Attack("history", "history of a long chat, 4 connections",  # 26 bytes in, up to 99 kB out
           lambda assault: assault.flood(History(room=assault.room), RATE), talk_at_length),
    Attack("history-gone", "the same, from askers who hang up at once", ask_for_history_and_go,
           talk_at_length),
    flooding("plays", "refused plays, 64 connections", PLAY),
    flooding("unlimited", "the same at a house without limits", PLAY)._replace(breaks=True),
    flooding("lobby", "the list of rooms, 16 connections", Lobby(id=1, follow=False), 16),
    flooding("ladders-list", "the list of ladders, 16 connections", LadderStatus(id=1), 16),
    Attack("hints", "hints, one connection",
           lambda assault: assault.flood(Hint(match=assault.match), RATE), sit_with_a_bot),
    flooding("pings", "pings, 64 connections, 300 a second each", b"ping", rate=300.0, first=PING),
    Attack("chat", "16 talkers before 500 spectators", talk, gather_spectators),
    Attack("pestering", "invitations without end for one person", pester, find_a_victim),
)  # fmt: skip
