"""Taking what there is only so much of, and giving nothing back: rooms, ladders, slots, names.

None of it is a flood; each asks for what anybody may ask for.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from bench.attacks.hostile import PROXY, TICK, Assault, Attack, HostileConnection, TurnedAway
from bots.online.anchors import HOUSE
from protocol.errors import PlyhouseError
from protocol.ladder import LadderCreate, LadderJoin, LadderState, LadderStatus, LadderStop
from protocol.messages import (
    Answer,
    Create,
    Hello,
    Invite,
    Join,
    Leave,
    MatchState,
    Offer,
    Ok,
    Play,
    Ready,
    Request,
    Resign,
    RoomState,
    Say,
    Welcome,
)
from protocol.parts import BotInfo, ClockOptions, Options

GAME: Final = "tic_tac_toe"
ROOMS: Final = 5_000  # as many as a server has
A_SESSION: Final = 64  # rooms of one player
LADDERS: Final = 100
A_BATCH: Final = 20  # ladders asked for at once
NAMES: Final = 10_000
INVITATIONS: Final = 102  # more than the house's bots have slots
TABS: Final = 16
TABLES: Final = 12
LONG_GAME: Final = "ultimate_tic_tac_toe"
NOTE: Final = "n" * 500  # as long as a line of chat may be, and nearly as long as a note may
CLOCK: Final = ClockOptions(base_ms=60_000)
AT_ONCE: Final = 16
DICE_GAME: Final = "backgammon"  # both legs of a pair at once
LONGEST: Final = ClockOptions(base_ms=3_600_000)
HELD: Final = ("minimax-2", "minimax-4", "mcts-2", "mcts-4")  # each with two slots
ANCHOR_SLOTS: Final = 12  # more than they have
ANCHORED: Final = ClockOptions(base_ms=600_000)  # the longest clock that anchors play by
OWNED: Final = 4  # ladders of one owner
SLEEPERS: Final = 40  # programs that never move
SLOTS: Final = 64
CROWD: Final = 56  # programs of one owner, that do not meet
VERSIONS: Final = 3_000
PAID_S: Final = 1.0  # until an address that has spent all can pay for a few requests again
COMING: Final = 20.0  # rooms a second that are opened and left
NETWORKS: Final = 256  # /64, of a /56


async def open_rooms(assault: Assault) -> None:
    """Guests open as many rooms as one player may, and hang up."""

    async def open_some(_: int) -> None:
        link = await assault.guest()
        numbers = [next(assault.numbers) for _ in range(min(A_SESSION, assault.quota(ROOMS)))]
        try:
            rooms = await link.ask_all([Create(id=n, game=GAME) for n in numbers], RoomState)
            assault.counts.count("rooms opened", len(rooms))
        finally:
            link.leave()

    guests = -(-assault.quota(ROOMS) // A_SESSION)
    await assault.in_parallel(open_some, assault.crowd_size(AT_ONCE), guests)


async def make_ladders(assault: Assault) -> None:
    """Make ladders and stop them, so that one may make more."""

    async def make_some(batch: int) -> None:
        link = await assault.guest(bot=None)
        numbers = [next(assault.numbers) for _ in range(min(A_BATCH, assault.quota(LADDERS)))]
        try:
            ladders = await link.ask_all(
                [LadderCreate(id=n, name=f"spite-{n}", game=GAME, clock=CLOCK) for n in numbers],
                LadderState,
            )
            assault.counts.count("ladders made", len(ladders))
            names = [state.ladder.name for state in ladders]
            stops = [LadderStop(id=next(assault.numbers), ladder=name) for name in names]
            assault.counts.count("ladders stopped", len(await link.ask_all(stops, Ok)))
        finally:
            link.leave()

    await assault.in_parallel(make_some, 1, -(-assault.quota(LADDERS) // A_BATCH))


async def invite_and_stay_away(assault: Assault) -> None:
    """Invite the house's bot into room after room, and never get ready."""

    async def invite_some(_: int) -> None:
        link = await assault.guest()
        assault.links.append(link)
        for _ in range(min(A_SESSION, assault.quota(INVITATIONS))):
            if assault.over:
                return
            try:
                room = await link.ask(Create(id=next(assault.numbers), game=GAME), RoomState)
                invite = Invite(id=next(assault.numbers), room=room.room, who="random")
                await link.ask(invite, Ok)
                assault.counts.count("invitations taken")
            except PlyhouseError:
                assault.counts.count("invitations refused")
                await asyncio.sleep(0.01)

    guests = -(-assault.quota(INVITATIONS) // A_SESSION)
    await assault.in_parallel(invite_some, assault.crowd_size(8), max(8, guests))


async def close_tabs(assault: Assault) -> None:
    """Begin matches against the house's bot and hang up in the middle of each."""

    async def play_and_go(_: int) -> None:
        link = await assault.guest()
        try:
            match = await begin_a_match(assault, link)
            assert match.legal is not None  # which begin_a_match waits for
            link.send(Play(match=match.match, turn=match.turn, action=match.legal[0]))
            await link.wait_for(MatchState)
            assault.counts.count("matches left")
        except PlyhouseError:
            assault.counts.count("matches refused")
        finally:
            link.leave()

    await assault.in_parallel(play_and_go, 4, assault.quota(TABS))


async def begin_a_match(
    assault: Assault, link: HostileConnection, options: Options | None = None
) -> MatchState:
    """Have the house's bot join and both get ready; return the match, with ourselves on the move.

    Raises:
        PlyhouseError: a request on the way was refused.
        TurnedAway, TimeoutError: it did not come so far.
    """
    numbers = assault.numbers
    create = Create(id=next(numbers), game=GAME, options=options or Options())
    room = await link.ask(create, RoomState)
    await link.ask(Invite(id=next(numbers), room=room.room, who="random"), Ok)
    while not all(room.seats):
        room = await link.wait_for(RoomState)
    link.send(Ready(id=next(numbers), room=room.room))
    match = await link.wait_for(MatchState)
    while not match.legal:
        match = await link.wait_for(MatchState)
    return match


async def leave_matches(assault: Assault) -> None:
    """Begin matches in room after room from one IPv6 /56 after the other, and hang up.

    They come past a proxy, whose visitors have 256 networks /64 each that they may choose from.
    """

    async def begin_some(number: int) -> None:
        forwarded = f"X-Forwarded-For: 2001:db8:0:{number % NETWORKS:x}::1\r\n"
        pair = [await assault.guest(PROXY, headers=forwarded) for _ in range(2)]
        for link in pair:
            link.counts = assault.counts
        try:
            for _ in range(A_SESSION):
                if assault.over:
                    return
                await begin_between(assault, *pair)
                assault.counts.count("matches begun and left")
        except PlyhouseError:
            assault.counts.count("matches refused")
        finally:
            for link in pair:
                link.leave()

    await assault.in_parallel(begin_some, assault.crowd_size(8), assault.quota(NETWORKS))


async def take_back(assault: Assault) -> None:
    """Play with itself and take it back, over and over; a new match where no more is allowed."""

    async def play_on(_: int) -> None:
        pair = [await assault.guest() for _ in range(2)]
        try:
            match = await begin_between(assault, *pair)
            turn = match.turn
            while not assault.over:
                turn = await play_and_take_back(assault, match.match, turn, *pair)
                assault.counts.count("takebacks")
        except PlyhouseError:
            assault.counts.count("takebacks refused")
        finally:
            for link in pair:
                link.leave()

    await assault.in_parallel(play_on, assault.crowd_size(4), assault.quota(TABS))


async def begin_between(
    assault: Assault, one: HostileConnection, two: HostileConnection
) -> MatchState:
    """Have two of our own begin a match in a new room; return it as the first is told.

    Raises:
        PlyhouseError: a request on the way was refused.
        TurnedAway, TimeoutError: it did not come so far.
    """
    numbers = assault.numbers
    room = (await one.ask(Create(id=next(numbers), game=GAME), RoomState)).room
    await two.ask(Join(id=next(numbers), room=room), RoomState)
    await two.ask(Ready(id=next(numbers), room=room), Ok)
    one.send(Ready(id=next(numbers), room=room))
    return await one.wait_for(MatchState)


async def play_and_take_back(
    assault: Assault, match: str, turn: int, one: HostileConnection, two: HostileConnection
) -> int:
    """Have the first of two play, ask for it back, and the second agree; return the next turn.

    Raises:
        PlyhouseError: a request on the way was refused.
        TurnedAway, TimeoutError: it did not come so far.
    """
    numbers = assault.numbers
    await one.ask(Play(id=next(numbers), match=match, turn=turn, action="5"), Ok)
    await one.ask(Offer(id=next(numbers), match=match, kind="takeback"), Ok)
    answer = Answer(id=next(numbers), match=match, kind="takeback", accept=True)
    agreed = await two.ask(answer, Ok)
    return agreed.seq or turn


async def take_names(assault: Assault) -> None:
    """Say hello under name after name, and hang up."""

    async def take_one(_: int) -> None:
        with suppress(TurnedAway):
            link = await assault.guest(bot=None, name=f"squatter {next(assault.numbers)}")
            assault.counts.count("names taken")
            link.leave()

    await assault.in_parallel(take_one, assault.crowd_size(AT_ONCE), assault.quota(NAMES))


async def fill_the_disk(assault: Assault) -> None:
    """Play with oneself at a dozen tables, with the longest notes, and chat beside it."""

    async def at_a_table(table: int) -> None:
        ann, bob = await assault.guest(bot=None), await assault.guest(bot=None)
        assault.links += [ann, bob]
        numbers = assault.numbers
        with suppress(PlyhouseError, TurnedAway, TimeoutError):
            room = await ann.ask(Create(id=next(numbers), game=LONG_GAME), RoomState)
            await bob.ask(Join(id=next(numbers), room=room.room), RoomState)
            while not assault.over:
                await play_with_oneself(assault, ann, bob, room.room, with_chat=not table)

    await assault.in_parallel(at_a_table, TABLES, assault.quota(TABLES))


async def play_with_oneself(
    assault: Assault, ann: HostileConnection, bob: HostileConnection, room: int, with_chat: bool
) -> None:
    """Play one match, with notes, and chat.

    Raises:
        TurnedAway, TimeoutError: a message did not come.
    """
    requests: list[tuple[HostileConnection, Request]] = [
        (link, Ready(id=next(assault.numbers), room=room)) for link in (ann, bob)
    ]
    while not assault.over:
        states = asyncio.gather(ann.wait_for(MatchState), bob.wait_for(MatchState))
        for link, request in requests:
            link.send(request)
        one, two = await states
        mover, state = (ann, one) if one.legal else (bob, two)
        if state.result is not None or not state.legal:
            return
        play = Play(match=state.match, turn=state.turn, action=state.legal[0], note=NOTE)
        requests = [(mover, play), *[(mover, Say(room=room, text=NOTE))] * with_chat]
        assault.counts.count("notes and lines", 1 + with_chat)


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
    fields = {"quota": 1_000, "siblings": True, "game": DICE_GAME, "clock": clock} | terms
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
    bot = BotInfo(program=program, version=version, games=["tic_tac_toe", DICE_GAME], slots=SLOTS)
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
            bot=BotInfo(program="sleeper", games=[DICE_GAME], slots=SLOTS), name=None
        )
        assault.links.append(link)
        assault.counts.count("places taken", await join_all(assault, link, names))

    await assault.in_parallel(bring, 4, assault.crowd_size(SLEEPERS))
    await assault.in_parallel(lambda _: asyncio.sleep(TICK), 1)  # until the round is over
    asked = [LadderStatus(id=next(assault.numbers), ladder=name) for name in names]
    for state in await owner.ask_all(asked, LadderState):
        assault.counts.count("pairs held", len(state.live))


async def hold_anchors(assault: Assault) -> None:
    """Have programs of many names join ladders that are all against an anchor, and never move."""
    owner = await assault.guest(bot=None, name=own_name(assault, "judge"))
    assault.links.append(owner)
    names: list[str] = []
    for anchor in HELD:
        terms = {"game": GAME, "format": f"gauntlet:{anchor}"}
        names += await open_ladders(assault, owner, 1, ANCHORED, **terms)

    async def bring(_: int) -> None:
        link = await assault.guest(bot=BotInfo(program="sleeper", games=[GAME], slots=OWNED))
        assault.links.append(link)
        await join_all(assault, link, names)

    await assault.in_parallel(bring, 4, assault.crowd_size(ANCHOR_SLOTS))
    await assault.in_parallel(lambda _: asyncio.sleep(TICK), 1)  # until the round is over
    asked = [LadderStatus(id=next(assault.numbers), ladder=name) for name in names]
    for state in await owner.ask_all(asked, LadderState):
        held = [p for p in state.live if {owner_of(p.one), owner_of(p.two)} != {HOUSE}]
        assault.counts.count("slots of anchors held", len(held))


def owner_of(player: str) -> str:
    """Return whose a player of a ladder is."""
    return player.partition("/")[0]


async def bring_versions(assault: Assault) -> None:
    """Join as version after version of one bot; then let two others play the pair that is rated."""
    owner = await assault.guest(bot=None, name=own_name(assault, "judge"))
    terms = {"game": "tic_tac_toe", "format": "sprt:a,b"}
    names = await open_ladders(assault, owner, 1, CLOCK, **terms)
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
    names = await open_ladders(assault, owner, OWNED, CLOCK, **terms)
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
    Attack("rooms", "5,000 rooms opened and left", open_rooms),
    Attack("ladders", "100 ladders made and stopped", make_ladders),
    Attack("invitations", "every slot of a house bot taken", invite_and_stay_away),
    Attack("tabs", "16 who close their tab in mid-match with a bot", close_tabs),
    Attack("disk", "notes and chat onto the disk, 12 tables of one's own", fill_the_disk),
    Attack("left", "matches that both have left, from all networks of a /56", leave_matches),
    Attack("takebacks", "takebacks without end, 4 pairs", take_back),
    Attack("names", "names by the ten thousand", take_names),
    Attack("ladder-rooms", "40 bots with 64 slots on ladders, that never move", hold_rooms),
    Attack("anchors", "12 bots of as many names against anchors alone, that never move",
           hold_anchors, anchors=True),
    Attack("versions", "3,000 versions of a bot on a ladder", bring_versions),
    Attack("pairing", "56 bots of one owner, for whom ladders look for pairs", come_and_go,
           wait_in_vain),
    Attack("ladders-kept", "ladders under 26 names, left alone", keep_ladders),
)  # fmt: skip
