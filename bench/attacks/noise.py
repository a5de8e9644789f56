"""Noise: chat that many have to read, and invitations that one person has to read."""

from __future__ import annotations

import asyncio
import itertools
from typing import Final

from bench.attacks.floods import LINE, until_granted
from bench.attacks.hostile import Assault, Attack, HostileConnection, TurnedAway
from protocol.codec import encode
from protocol.errors import PlyhouseError
from protocol.messages import Create, Invite, RoomState, Say, Watch

SPECTATORS: Final = 500
A_HOUSEHOLD: Final = 50  # spectators of one address, which are not the attacker's
PUBLIC, VICTIM = 7, "127.0.8.1"  # whose networks and address these are
TALKERS: Final = 16
PESTERERS: Final = 8
BATCH: Final = 8  # invitations sent at once


async def gather_spectators(assault: Assault) -> None:
    """A room, talkers of the attacker's who watch it, and many people at home who do."""
    await assault.fill(1, assault.guest)
    create = Create(id=next(assault.numbers), game="tic_tac_toe")
    room = await until_granted(assault, create, RoomState)
    assert isinstance(room, RoomState)
    assault.room = room.room
    homes = itertools.count()

    async def watch(source: str | None = None) -> HostileConnection:
        link = await assault.guest(source)
        try:
            await link.ask(Watch(id=next(assault.numbers), room=assault.room), RoomState)
        except (PlyhouseError, TimeoutError) as error:
            link.leave()
            raise TurnedAway(str(error)) from None
        return link

    async def watch_at_home() -> HostileConnection:
        home = next(homes) // A_HOUSEHOLD
        return await watch(f"127.0.{PUBLIC}.{1 + home}")

    await assault.fill(TALKERS, watch)
    await assault.fill(TALKERS + assault.crowd_size(SPECTATORS), watch_at_home)


async def talk(assault: Assault) -> None:
    """The talkers say long lines as fast as they may; the others only listen."""
    everybody = assault.links
    assault.links = everybody[:TALKERS]
    try:
        say = encode(Say(room=assault.room, text=LINE))
        await assault.flood(say, assault.rate(20.0))
    finally:
        assault.links = [*assault.links, *everybody[TALKERS:]]


async def find_a_victim(assault: Assault) -> None:
    """Somebody who sits there and has done nothing, and guests of the attacker's."""
    person = await assault.guest(VICTIM, bot=None, name=f"victim {next(assault.numbers)}")
    assault.links = [person]
    await assault.fill(1 + assault.crowd_size(PESTERERS), assault.guest)


async def pester(assault: Assault) -> None:
    """Invite one person from many rooms without end."""
    person, *links = assault.links
    begin = person.heard

    async def invite_from(link: HostileConnection) -> None:
        create = Create(id=next(assault.numbers), game="tic_tac_toe")
        try:
            room = (await link.ask(create, RoomState)).room
        except (PlyhouseError, TurnedAway, TimeoutError):
            return
        batch = [Invite(room=room, who=person.name)] * BATCH
        while not assault.over:
            link.send(*batch)
            await asyncio.sleep(BATCH / assault.rate(120.0))

    await asyncio.gather(*(invite_from(link) for link in links))
    assault.counts.count("invitations that reached one person", person.heard - begin)


ATTACKS: Final = (
    Attack("chat", "16 talkers before 500 spectators", talk, gather_spectators),
    Attack("pestering", "invitations without end for one person", pester, find_a_victim),
)
