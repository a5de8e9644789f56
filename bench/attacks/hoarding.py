"""Taking what there is only so much of, and giving nothing back: rooms, ladders, slots, names.

None of it is a flood; each asks for what anybody may ask for.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from bench.attacks.hostile import PROXY, Assault, Attack, HostileConnection, TurnedAway
from protocol.errors import PlyhouseError
from protocol.ladder import LadderCreate, LadderState, LadderStop
from protocol.messages import (
    Answer,
    Create,
    Invite,
    Join,
    MatchState,
    Offer,
    Ok,
    Play,
    Ready,
    Request,
    RoomState,
    Say,
)
from protocol.parts import ClockOptions, Options

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


ATTACKS: Final = (
    Attack("rooms", "5,000 rooms opened and left", open_rooms),
    Attack("ladders", "100 ladders made and stopped", make_ladders),
    Attack("invitations", "every slot of a house bot taken", invite_and_stay_away),
    Attack("tabs", "16 who close their tab in mid-match with a bot", close_tabs),
    Attack("disk", "notes and chat onto the disk, 12 tables of one's own", fill_the_disk),
    Attack("left", "matches that both have left, from all networks of a /56", leave_matches),
    Attack("takebacks", "takebacks without end, 4 pairs", take_back),
    Attack("names", "names by the ten thousand", take_names),
)
