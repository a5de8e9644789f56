"""Taking what ladders give: rooms for bots that never move, players by versions, looks for pairs.

All of it is asked for as any owner of a ladder or of a bot may; what it comes to is counted by what
the ladders themselves show.
"""

from __future__ import annotations

import asyncio
from typing import Final

from bench.attacks.hostile import TICK, Assault, Attack, HostileConnection, TurnedAway
from protocol.errors import PlyhouseError
from protocol.ladder import LadderCreate, LadderJoin, LadderState, LadderStatus
from protocol.messages import Create, Hello, Leave, MatchState, Ok, Resign, RoomState, Welcome
from protocol.parts import BotInfo, ClockOptions

GAME: Final = "backgammon"  # both legs of a pair at once
LONGEST: Final = ClockOptions(base_ms=3_600_000)
SHORT: Final = ClockOptions(base_ms=60_000)
OWNED: Final = 4  # ladders of one owner
SLEEPERS: Final = 40  # programs that never move
SLOTS: Final = 64
CROWD: Final = 56  # programs of one owner, that do not meet
VERSIONS: Final = 3_000
PAID_S: Final = 1.0  # until an address that has spent all can pay for a few requests again
COMING: Final = 20.0  # rooms a second that are opened and left


def own_name(assault: Assault, what: str) -> str:
    """Return a name that no other attack on the same server takes."""
    network = assault.addresses[0].split(".")[2]
    return f"{what}-{network}-{next(assault.numbers)}"


async def open_ladders(
    assault: Assault, owner: HostileConnection, count: int, clock: ClockOptions = LONGEST,
    **terms: object,
) -> list[str]:  # fmt: skip
    """Open as many ladders as are granted; return their names."""
    numbers = [next(assault.numbers) for _ in range(count)]
    fields = {"quota": 1_000, "siblings": True, "game": GAME, "clock": clock} | terms
    wanted = [
        LadderCreate(id=n, name=own_name(assault, "trap"), **fields)  # type: ignore[arg-type]
        for n in numbers
    ]
    names = [state.ladder.name for state in await owner.ask_all(wanted, LadderState)]
    assault.counts.count("ladders opened", len(names))
    return names


async def enter(assault: Assault, program: str, version: str, token: str | None) -> tuple[
    HostileConnection, str
]:  # fmt: skip
    """Come in as a program, of an owner who has this token; return the owner's token as well."""
    link = await assault.upgraded()
    bot = BotInfo(program=program, version=version, games=["tic_tac_toe", GAME], slots=SLOTS)
    hello = Hello(id=next(assault.numbers), version=1, token=token, bot=bot)
    try:
        welcome = await link.ask(hello, Welcome)
    except PlyhouseError as error:
        link.leave()
        raise TurnedAway(error.text) from None
    return link, token or welcome.token or ""


async def join_all(assault: Assault, link: HostileConnection, names: list[str]) -> int:
    """Join these ladders; return how many have granted it."""
    joins = [LadderJoin(id=next(assault.numbers), ladder=name) for name in names]
    return len(await link.ask_all(joins, Ok))


async def hold_rooms(assault: Assault) -> None:
    """Have programs with many slots join ladders of ours, and never move."""
    owner = await assault.guest(bot=None, name=own_name(assault, "judge"))
    assault.links.append(owner)
    names = await open_ladders(assault, owner, OWNED)

    async def bring(_: int) -> None:
        link = await assault.guest(
            bot=BotInfo(program="sleeper", games=[GAME], slots=SLOTS), name=None
        )
        assault.links.append(link)
        assault.counts.count("places taken", await join_all(assault, link, names))

    await assault.in_parallel(bring, 4, assault.crowd_size(SLEEPERS))
    await assault.in_parallel(lambda _: asyncio.sleep(TICK), 1)  # until the round is over
    asked = [LadderStatus(id=next(assault.numbers), ladder=name) for name in names]
    for state in await owner.ask_all(asked, LadderState):
        assault.counts.count("pairs held", len(state.live))


async def bring_versions(assault: Assault) -> None:
    """Join as version after version of one bot; then let two others play the pair that is rated."""
    owner = await assault.guest(bot=None, name=own_name(assault, "judge"))
    terms = {"game": "tic_tac_toe", "format": "sprt:a,b"}
    names = await open_ladders(assault, owner, 1, SHORT, **terms)
    tokens: list[str | None] = [None]

    async def bring(number: int) -> None:
        link, tokens[0] = await enter(assault, "c", str(number), tokens[0])
        try:
            assault.counts.count("versions", await join_all(assault, link, names))
        finally:
            link.leave()

    await assault.in_parallel(bring, 1, assault.quota(VERSIONS))
    await asyncio.sleep(PAID_S)
    players = [(await enter(assault, program, "1", None))[0] for program in ("a", "b")]
    for link in players:
        await join_all(assault, link, names)
    first = players[0]
    for _ in range(2):  # the legs of a pair
        match = await first.wait_for(MatchState)
        while match.result is not None:
            match = await first.wait_for(MatchState)
        first.send(Resign(id=next(assault.numbers), match=match.match))
        await first.wait_for(Ok)
    asked = [LadderStatus(id=next(assault.numbers), ladder=name) for name in names]
    for state in await owner.ask_all(asked, LadderState):
        assault.counts.count("players that the ladder has", state.ladder.players)
    for link in (owner, *players):
        link.leave()


async def wait_in_vain(assault: Assault) -> None:
    """Have many programs of one owner, who do not meet, wait on ladders of somebody else."""
    owner = await assault.guest(bot=None, name=own_name(assault, "judge"))
    assault.links.append(owner)
    terms = {"game": "tic_tac_toe", "siblings": False}
    names = await open_ladders(assault, owner, OWNED, SHORT, **terms)
    token: str | None = None
    for number in range(assault.crowd_size(CROWD)):
        try:
            link, token = await enter(assault, f"p{number}", "1", token)
        except TurnedAway:
            break
        assault.links.append(link)
        await join_all(assault, link, names)


async def come_and_go(assault: Assault) -> None:
    """Open rooms and leave them, each time of which ladders may look for pairs."""
    owner = assault.links[0]

    async def again(_: int) -> None:
        room = await owner.ask(Create(id=next(assault.numbers), game="tic_tac_toe"), RoomState)
        await owner.ask(Leave(id=next(assault.numbers), room=room.room), Ok)
        assault.counts.count("rooms opened and left")
        await asyncio.sleep(1 / assault.rate(COMING))

    try:
        await assault.in_parallel(again, 1)
    except PlyhouseError:
        assault.counts.count("ended by a refusal")


async def keep_ladders(assault: Assault) -> None:
    """Open ladders under name after name, and go; nobody ever plays there."""

    async def open_some(_: int) -> None:
        link = await assault.guest(bot=None, name=own_name(assault, "founder"))
        try:
            await open_ladders(assault, link, OWNED, game="tic_tac_toe")
        finally:
            link.leave()

    await assault.in_parallel(open_some, 1, assault.quota(26))


ATTACKS: Final = (
    Attack("ladder-rooms", "40 bots with 64 slots on ladders, that never move", hold_rooms),
    Attack("versions", "3,000 versions of a bot on a ladder", bring_versions),
    Attack("pairing", "56 bots of one owner, for whom ladders look for pairs", come_and_go,
           wait_in_vain),
    Attack("ladders-kept", "ladders under 26 names, left alone", keep_ladders),
)  # fmt: skip
