"""Taking what there is only so much of, and giving nothing back: rooms, slots, names, the disk.

None of it is a flood; each asks for what anybody may ask for.  ladders.py does the same to ladders.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from bench.attacks.hostile import NUMBERS, PROXY, Assault, Attack, HostileConnection, TurnedAway
from protocol.errors import PlyhouseError
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
    Seek,
)
from protocol.parts import ClockOptions, Options

GAME: Final = "tic_tac_toe"
ROOMS: Final = 5_000  # as many as a server has
A_SESSION: Final = 64  # rooms of one player
NAMES: Final = 10_000
INVITATIONS: Final = 102  # more than the house's bots have slots
TABS: Final = 16
TABLES: Final = 12
LONG_GAME: Final = "ultimate_tic_tac_toe"
NOTE: Final = "n" * 500  # as long as a line of chat may be, and nearly as long as a note may
AT_ONCE: Final = 16
NETWORKS: Final = 256  # /64, of a /56


async def open_rooms(assault: Assault) -> None:

    async def open_some(link: HostileConnection) -> None:
        wanted = [Create(game=GAME)] * min(A_SESSION, assault.quota(ROOMS))
        assault.counts.count("rooms opened", len(await link.ask_all(wanted, RoomState)))

    guests = -(-assault.quota(ROOMS) // A_SESSION)
    await assault.visits(assault.come, open_some, assault.crowd_size(AT_ONCE), guests)


async def invite_and_stay_away(assault: Assault) -> None:
    """Invite the house's bot into room after room, and never get ready."""

    async def invite_some(_: int) -> None:
        link = await assault.guest()
        assault.links.append(link)
        for _ in range(min(A_SESSION, assault.quota(INVITATIONS))):
            if assault.over:
                return
            try:
                room = await link.ask(Create(game=GAME), RoomState)
                await link.ask(Invite(room=room.room, who="random"), Ok)
                assault.counts.count("invitations taken")
            except PlyhouseError:
                assault.counts.count("invitations refused")
                await asyncio.sleep(0.01)

    guests = -(-assault.quota(INVITATIONS) // A_SESSION)
    await assault.in_parallel(invite_some, assault.crowd_size(8), max(8, guests))


async def close_tabs(assault: Assault) -> None:
    """Begin matches against the house's bot and hang up in the middle of each."""

    async def play_and_go(link: HostileConnection) -> None:
        match = await begin_a_match(link)
        assert match.legal is not None  # which begin_a_match waits for
        link.send(Play(match=match.match, turn=match.turn, action=match.legal[0]))
        await link.wait_for(MatchState)
        assault.counts.count("matches left")

    await assault.visits(assault.come, play_and_go, 4, assault.quota(TABS))


async def begin_a_match(link: HostileConnection, options: Options | None = None) -> MatchState:
    """Have the house's bot join and both get ready; return the match, once we are to move."""
    room = await link.ask(Create(game=GAME, options=options or Options()), RoomState)
    await link.ask(Invite(room=room.room, who="random"), Ok)
    while not all(room.seats):
        room = await link.wait_for(RoomState)
    link.send(Ready(room=room.room))
    match = await link.wait_for(MatchState)
    while not match.legal:
        match = await link.wait_for(MatchState)
    return match


async def begin_between(one: HostileConnection, two: HostileConnection) -> MatchState:
    """Have two of our own begin a match in a new room; return it as the first is told."""
    room = (await one.ask(Create(game=GAME), RoomState)).room
    await two.ask(Join(room=room), RoomState)
    await two.ask(Ready(room=room), Ok)
    one.send(Ready(room=room))
    return await one.wait_for(MatchState)


async def leave_matches(assault: Assault) -> None:
    """Begin matches in room after room from one IPv6 /56 after the other, and hang up.

    They come past a proxy, whose visitors have 256 networks /64 each that they may choose from.
    """

    async def come(number: int) -> HostileConnection:
        forwarded = f"X-Forwarded-For: 2001:db8:0:{number % NETWORKS:x}::1\r\n"
        return await assault.guest(PROXY, headers=forwarded)

    async def begin_some(*pair: HostileConnection) -> None:
        for _ in range(A_SESSION):
            if assault.over:
                return
            await begin_between(*pair)
            assault.counts.count("matches begun and left")

    crowd, networks = assault.crowd_size(8), assault.quota(NETWORKS)
    await assault.visits(come, begin_some, crowd, networks, links=2)


async def take_back(assault: Assault) -> None:
    """Play with itself and take it back, over and over; a new match where no more is allowed."""

    async def play_on(one: HostileConnection, two: HostileConnection) -> None:
        match = await begin_between(one, two)
        turn, name = match.turn, match.match
        while not assault.over:
            await one.ask(Play(match=name, turn=turn, action="5"), Ok)
            await one.ask(Offer(match=name, kind="takeback"), Ok)
            agreed = await two.ask(Answer(match=name, kind="takeback", accept=True), Ok)
            turn = agreed.seq or turn
            assault.counts.count("takebacks")

    crowd, times = assault.crowd_size(4), assault.quota(TABS)
    await assault.visits(assault.come, play_on, crowd, times, links=2)


async def take_names(assault: Assault) -> None:

    async def take_one(_: int) -> None:
        with suppress(TurnedAway):
            link = await assault.guest(bot=None, name=f"squatter {next(NUMBERS)}")
            assault.counts.count("names taken")
            link.leave()

    await assault.in_parallel(take_one, assault.crowd_size(AT_ONCE), assault.quota(NAMES))


async def seek_all(assault: Assault) -> None:
    """Seek an opponent by terms that nobody else has, be paired with one of our own, and go.

    Each seek looks through all who wait, of whom there are more with each visit.
    """

    async def seek_some(*pair: HostileConnection) -> None:
        for _ in range(A_SESSION):
            terms = Options(clock=ClockOptions(base_ms=1_000 + next(NUMBERS) % 3_600_000))
            for link in pair:
                if assault.over:
                    return
                await link.ask(Seek(game=GAME, options=terms), RoomState)
                assault.counts.count("seeks")
            alone = Options(clock=ClockOptions(per_move_ms=100 + next(NUMBERS) % 3_600_000))
            await pair[0].ask(Seek(game=GAME, options=alone), RoomState)
            assault.counts.count("seeks left alone")

    await assault.visits(
        assault.come, seek_some, assault.crowd_size(AT_ONCE), assault.quota(NAMES), links=2
    )


async def fill_the_disk(assault: Assault) -> None:
    """Play with oneself at a dozen tables, with the longest notes, and chat at one of them."""

    async def play(ann: HostileConnection, bob: HostileConnection, room: int, table: int) -> None:
        requests: list[tuple[HostileConnection, Request]] = [
            (link, Ready(room=room)) for link in (ann, bob)
        ]
        while not assault.over:
            states = asyncio.gather(ann.wait_for(MatchState), bob.wait_for(MatchState))
            for link, request in requests:
                link.send(request)
            one, two = await states
            mover, state = (ann, one) if one.legal else (bob, two)
            if state.result is not None or not state.legal:
                return
            move = Play(match=state.match, turn=state.turn, action=state.legal[0], note=NOTE)
            requests = [(mover, move), *[(mover, Say(room=room, text=NOTE))] * (not table)]
            assault.counts.count("notes and lines", len(requests))

    async def sit_down(table: int) -> None:
        ann, bob = [await assault.guest(bot=None) for _ in range(2)]
        assault.links += [ann, bob]
        with suppress(PlyhouseError, TurnedAway, TimeoutError):
            room = (await ann.ask(Create(game=LONG_GAME), RoomState)).room
            await bob.ask(Join(room=room), RoomState)
            while not assault.over:
                await play(ann, bob, room, table)

    await assault.in_parallel(sit_down, TABLES, assault.quota(TABLES))


ATTACKS: Final = (
    Attack("rooms", "5,000 rooms opened and left", open_rooms),
    Attack("invitations", "every slot of a house bot taken", invite_and_stay_away),
    Attack("tabs", "16 who close their tab in mid-match with a bot", close_tabs),
    Attack("disk", "notes and chat onto the disk, 12 tables of one's own", fill_the_disk),
    Attack("left", "matches that both have left, from all networks of a /56", leave_matches),
    Attack("takebacks", "takebacks without end, 4 pairs", take_back),
    Attack("seeks", "seeks by terms of one's own, met by one's own", seek_all),
    Attack("names", "names by the ten thousand", take_names),
)
