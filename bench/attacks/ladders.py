"""Ladders that are opened and left, filled with bots that never move, looked through in vain."""

from __future__ import annotations

import asyncio
from typing import Final

from bench.attacks.hostile import NUMBERS, Assault, Attack, HostileConnection, TurnedAway
from bots.online.anchors import HOUSE
from protocol.ladder import LadderCreate, LadderJoin, LadderState, LadderStatus, LadderStop
from protocol.messages import Create, Leave, MatchState, Ok, Resign, RoomState
from protocol.parts import BotInfo, ClockOptions

GAME: Final = "tic_tac_toe"
DICE_GAME: Final = "backgammon"  # both legs of a pair at once
LADDERS: Final = 100
A_BATCH: Final = 20  # ladders asked for at once
CLOCK: Final = ClockOptions(base_ms=60_000)
SLOW_CLOCK: Final = ClockOptions(base_ms=3_600_000)
HELD: Final = ("minimax-2", "minimax-4", "mcts-2")  # anchors with two slots each
ANCHOR_SLOTS: Final = 12  # more than they have
ANCHORED: Final = ClockOptions(base_ms=600_000)  # the longest clock that anchors play by
OWNED: Final = 4  # ladders of one owner
SLEEPERS: Final = 40  # programs that never move
SLOTS: Final = 64
CROWD: Final = 56  # programs of one owner, that do not meet
VERSIONS: Final = 3_000
PAID_S: Final = 1.0  # until an address that has spent all can pay for a few requests again
COMING: Final = 20.0  # rooms a second that are opened and left
FOUNDERS: Final = 26


async def open_ladders(
    assault: Assault, owner: HostileConnection, count: int, **terms: object
) -> list[str]:
    fields = {"quota": 1_000, "siblings": True, "game": DICE_GAME, "clock": SLOW_CLOCK} | terms
    wanted = [LadderCreate(name=assault.own_name("trap"), **fields) for _ in range(count)]  # type: ignore[arg-type]
    names = [state.ladder.name for state in await owner.ask_all(wanted, LadderState)]
    assault.counts.count("ladders opened", len(names))
    return names


async def enter(assault: Assault, program: str, version: str, token: str = "") -> HostileConnection:
    games = [GAME, DICE_GAME]
    bot = BotInfo(program=program, version=version, games=games, slots=SLOTS)
    return await assault.guest(bot=bot, token=token or None)


async def join_all(link: HostileConnection, names: list[str]) -> int:
    return len(await link.ask_all([LadderJoin(ladder=name) for name in names], Ok))


async def states(owner: HostileConnection, names: list[str]) -> list[LadderState]:
    return await owner.ask_all([LadderStatus(ladder=name) for name in names], LadderState)


async def judge(assault: Assault) -> HostileConnection:
    return await assault.guest(bot=None, name=assault.own_name("judge"))


async def make_ladders(assault: Assault) -> None:
    """Make ladders and stop them, so that one may make more."""

    async def make_some(link: HostileConnection) -> None:
        count = min(A_BATCH, assault.quota(LADDERS))
        names = await open_ladders(assault, link, count, game=GAME, clock=CLOCK)
        stopped = await link.ask_all([LadderStop(ladder=name) for name in names], Ok)
        assault.counts.count("ladders stopped", len(stopped))

    await assault.visits(
        lambda _: assault.guest(bot=None), make_some, 1, -(-assault.quota(LADDERS) // A_BATCH)
    )


async def hold_rooms(assault: Assault) -> None:
    """Have programs with many slots join ladders of ours, and never move."""
    owner = await judge(assault)
    assault.links.append(owner)
    names = await open_ladders(assault, owner, OWNED)

    async def bring(_: int) -> None:
        link = await enter(assault, "sleeper", "1")
        assault.links.append(link)
        assault.counts.count("places taken", await join_all(link, names))

    await assault.in_parallel(bring, 4, assault.crowd_size(SLEEPERS))
    await assault.hold_on()
    for state in await states(owner, names):
        assault.counts.count("pairs held", len(state.live))


async def hold_anchors(assault: Assault) -> None:
    """Have programs of many names join ladders that are all against an anchor, and never move."""
    owner = await judge(assault)
    assault.links.append(owner)
    names: list[str] = []
    for anchor in HELD:
        terms = {"game": GAME, "clock": ANCHORED, "format": f"gauntlet:{anchor}"}
        names += await open_ladders(assault, owner, 1, **terms)

    async def bring(_: int) -> None:
        link = await assault.guest(bot=BotInfo(program="sleeper", games=[GAME], slots=OWNED))
        assault.links.append(link)
        await join_all(link, names)

    await assault.in_parallel(bring, 4, assault.crowd_size(ANCHOR_SLOTS))
    await assault.hold_on()
    for state in await states(owner, names):
        owners = [{player.partition("/")[0] for player in (p.one, p.two)} for p in state.live]
        assault.counts.count("slots of anchors held", sum(each != {HOUSE} for each in owners))


async def bring_versions(assault: Assault) -> None:
    """Join as version after version of one bot; then let two others play the pair that is rated."""
    owner = await judge(assault)
    names = await open_ladders(assault, owner, 1, game=GAME, clock=CLOCK, format="sprt:a,b")
    token = ""

    async def bring(number: int) -> None:
        nonlocal token
        link = await enter(assault, "c", str(number), token)
        token = link.token
        try:
            assault.counts.count("versions", await join_all(link, names))
        finally:
            link.leave()

    await assault.in_parallel(bring, 1, assault.quota(VERSIONS))
    await asyncio.sleep(PAID_S)
    players = [await enter(assault, program, "1") for program in ("a", "b")]
    for link in players:
        await join_all(link, names)
    first = players[0]
    for _ in range(2):  # the legs of a pair
        match = await first.wait_for(MatchState)
        while match.result is not None:
            match = await first.wait_for(MatchState)
        first.send(Resign(id=next(NUMBERS), match=match.match))
        await first.wait_for(Ok)
    for state in await states(owner, names):
        assault.counts.count("players that the ladder has", state.ladder.players)
    for link in (owner, *players):
        link.leave()


async def wait_in_vain(assault: Assault) -> None:
    """Have many programs of one owner, who do not meet, wait on ladders of somebody else."""
    owner = await judge(assault)
    assault.links.append(owner)
    names = await open_ladders(assault, owner, OWNED, game=GAME, clock=CLOCK, siblings=False)
    token = ""
    for number in range(assault.crowd_size(CROWD)):
        try:
            link = await enter(assault, f"p{number}", "1", token)
        except TurnedAway:
            break
        token = link.token
        assault.links.append(link)
        await join_all(link, names)


async def come_and_go(assault: Assault) -> None:
    """Open rooms and leave them, each time of which ladders may look for pairs."""
    owner = assault.links[0]

    async def again(_: int) -> None:
        room = await owner.ask(Create(game=GAME), RoomState)
        await owner.ask(Leave(room=room.room), Ok)
        assault.counts.count("rooms opened and left")
        await asyncio.sleep(1 / assault.rate(COMING))

    await assault.in_parallel(again, 1)


async def keep_ladders(assault: Assault) -> None:
    """Open ladders under name after name, and go; nobody ever plays there."""
    await assault.visits(
        lambda _: assault.guest(bot=None, name=assault.own_name("founder")),
        lambda link: open_ladders(assault, link, OWNED, game=GAME),
        1,
        assault.quota(FOUNDERS),
    )


ATTACKS: Final = (
    Attack("ladders", "100 ladders made and stopped", make_ladders),
    Attack("ladder-rooms", "40 bots with 64 slots on ladders, that never move", hold_rooms),
    Attack("anchors", "12 bots of as many names against anchors alone, that never move",
           hold_anchors, anchors=True),
    Attack("versions", "3,000 versions of a bot on a ladder", bring_versions),
    Attack("pairing", "56 bots of one owner, for whom ladders look for pairs", come_and_go,
           wait_in_vain),
    Attack("ladders-kept", "ladders under 26 names, left alone", keep_ladders),
)  # fmt: skip
