"""To and from a table: open, invite, join, watch, get ready, leave; the lobby, the name.

Each raises Refusal where the server says no, Refused where this client can say so by itself.
"""

from __future__ import annotations

import asyncio
import difflib
import secrets
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, Literal

from client.styled_text import styled
from client.terminal.exit_codes import UNDECIDED
from client.terminal.quitting import gives_up_series, leaving_text
from client.terminal.session import TerminalSession
from client.terminal.shown.menus import menu_lines
from client.terminal.shown.narrate import declined
from client.terminal.typed import commands, terms
from client.terminal.typed.terms import RoomReference
from client.words import clock_text, named_game, rating_lines, terms_text
from protocol.errors import Code, Refusal
from protocol.messages import Declined, RoomState
from protocol.parts import Strength

COMES_WITHIN_S: Final = 10.0  # an invitation is good for so long
HOUSE: Final = "house"  # whose bots come with the server; as an invitation: any of them
USUAL_LEVEL: Final = 4
AGAIN_S: Final = 10.0  # after which who waits for an opponent asks for one again
OFFER_S: Final = 30.0  # after which a bot is proposed
ANSWERS_WITHIN_S: Final = 2.0  # what a bot needs to come, or to say why not


class Refused(commands.BadCommand):
    """Something that cannot be done here and now; the sentence says what can."""


def room_of(session: TerminalSession) -> RoomState:
    if session.room is None:
        raise Refused("you are in no room: choose a room or a bot, or /create GAME")
    return session.room


async def open_room(session: TerminalSession, command: commands.CreateRoom) -> None:
    """Open a room and invite somebody; close the room if the invitation is refused."""
    game = game_name(session, command.game)
    room = await session.connection.create(game, command.options, command.seat)
    await _go_to(session, room)
    if command.who is None:
        if room.seat is not None:
            await _get_ready(session, room)  # the one who joins begins the match by that
        await session.find_origin()
        return
    try:
        await _invite_first(session, room, command.who, command.strength)
    except Refusal:
        await session.connection.leave(room.room)
        session.forget(room.room)
        raise


async def _invite_first(
    session: TerminalSession, room: RoomState, who: str, strength: Strength
) -> None:
    """Invite somebody; where that is a bot of the house without time, any that is as strong.

    In a pipe, as in an experiment, it is that bot or none.
    """
    try:
        await invite(session, room, who, strength)
    except Refusal as busy:
        free = not session.interface.patient and strength == Strength(level=strength.level)
        if busy.code != Code.INVITE_BUSY or not free or not await _is_house_bot(session, who):
            raise
        try:
            await invite(session, room, HOUSE, Strength(level=strength.level or USUAL_LEVEL))
        except Refusal:
            raise busy from None
        text = f"{who} has no time just now: another bot of that strength comes."
        session.interface.tell(styled(("event", text)))


async def _is_house_bot(session: TerminalSession, who: str) -> bool:
    lobby = await session.connection.lobby(follow=False)
    bots = [bot.program.casefold() for bot in lobby.bots if bot.name == HOUSE]
    return who.casefold().removeprefix(f"{HOUSE}/") in bots


async def seek(session: TerminalSession, command: commands.SeekOpponent) -> None:
    """Sit down with who wants the same, or wait for them."""
    game = game_name(session, command.game)
    room = await session.connection.seek(game, command.options)
    await _go_to(session, room)
    await _get_ready(session, room)
    if None not in room.seats:
        return
    terms = ", ".join([*terms_text(room.options), clock_text(room.options)])
    text = f"Waiting for somebody who wants the same: {terms}.  /leave stops."
    session.interface.tell(styled(("event", text)))
    session.spawn(_seek_on(session, room.room))
    await session.find_origin()


async def _seek_on(session: TerminalSession, number: int) -> None:
    """Ask again while one waits: a table may have been opened since, or a line was lost."""
    waited = 0.0
    while True:
        await asyncio.sleep(AGAIN_S)
        waited += AGAIN_S
        room = session.replica.rooms.get(number)
        if room is None or None not in room.seats or room.state != "waiting":
            return
        if room.seat is None or room.options.sought is None:
            return
        if waited == OFFER_S:
            text = "Nobody has come yet: /invite mcts calls a bot, and /rooms lists all of them."
            session.interface.tell(styled(("offer", text)))
        with suppress(Refusal):  # it goes on waiting
            room = await session.connection.seek(room.game, room.options)
        if room.room != number:
            session.forget(number)  # the server has had us leave it
            await _go_to(session, room)
            await _get_ready(session, room)
            number = room.room


async def _go_to(session: TerminalSession, room: RoomState) -> None:
    """Look at a room, and leave the one before unless a match is on there."""
    before = session.room
    session.hear(room)
    session.look_at(room.room)
    if before is None:
        await session.connection.lobby(follow=False)
    elif before.room != room.room and not _keeps_seat(before):
        await session.connection.leave(before.room)
        session.forget(before.room)


def _keeps_seat(room: RoomState) -> bool:
    """Return whether a seat in a room is kept that is not looked at any more."""
    return gives_up_series(room) or (room.seat is not None and room.state == "playing")


def game_name(session: TerminalSession, typed: str) -> str:
    """Return the name of the game that `typed` means at this server."""
    names = session.connection.welcome.games
    name = typed.strip().lower().replace(" ", "_").replace("-", "_")
    if name in names or not names:
        return name
    close = difflib.get_close_matches(name, names, n=1)
    guess = f"; did you mean {close[0]}?" if close else ""
    raise Refused(f"there is no game {typed!r} here; there are {', '.join(names)}{guess}")


async def invite(session: TerminalSession, room: RoomState, who: str, strength: Strength) -> None:
    """Invite somebody, and be ready."""
    await session.connection.invite(room.room, who, strength)
    asked = terms.format_strength(strength)
    session.interface.tell(styled(("event", f"{who} is invited{f' ({asked})' if asked else ''}.")))
    session.spawn(_report_absence(session, room.room, who))
    if session.interface.patient:
        session.spawn(_end_if_declined(session, room, who))
    if room.seat is not None:
        await _get_ready(session, room)


async def _report_absence(session: TerminalSession, room: int, who: str) -> None:
    """Say so if the invited player does not come."""
    await asyncio.sleep(COMES_WITHIN_S)
    state = session.replica.rooms.get(room)
    if state is not None and None in state.seats:
        session.interface.tell(styled(("error", f"{who} did not come; /invite {who} asks again.")))


async def _end_if_declined(session: TerminalSession, room: RoomState, who: str) -> None:
    """In a pipe, where no person asks again: end when a bot says why it does not sit down.

    Raises:
        Refused: in its words; out of the session, as no command waits for this.
    """

    def why() -> str | None:
        state = session.replica.rooms.get(room.room)
        if state is None or None not in state.seats:
            return ""
        no = session.replica.declined.get(room.room)
        return declined(no) if no is not None and _is_bot(no.by, who) else None

    await session.until(lambda: why() is not None)
    if words := why():
        await session.connection.leave(room.room)
        raise Refused(words)


async def await_answer(session: TerminalSession, who: str) -> None:
    """Wait a moment for an invited bot to come or to decline.

    Raises:
        Refused: it says that it cannot play that, as where it has no such setting.
    """
    number = room_of(session).room
    why = None
    with suppress(TimeoutError, StopAsyncIteration):
        async with asyncio.timeout(ANSWERS_WITHIN_S):
            while why is None and None in session.replica.rooms[number].seats:
                message = await anext(session.connection)
                if isinstance(message, Declined) and _is_bot(message.by, who):
                    why = declined(message)
                else:
                    session.hear(message)
    if why is not None:
        await session.connection.leave(number)
        raise Refused(why)


def _is_bot(name: str, who: str) -> bool:
    """Whether `name`, such as house/mcts, is the bot that `who` asked for, perhaps in short."""
    return "/" in name and who.casefold() in (name.casefold(), name.casefold().partition("/")[2])


async def decline(session: TerminalSession) -> None:
    """Turn down the latest invitation."""
    latest = next(reversed(session.replica.invitations.values()), None)
    if latest is None:
        raise Refused("there is no offer, and no invitation")
    session.replica.uninvite(latest.room)
    await session.connection.decline(latest.room)
    session.interface.tell(styled(("event", f"{latest.by} is told that you do not come.")))


async def invite_player(session: TerminalSession, command: commands.InvitePlayer) -> None:
    await invite(session, room_of(session), command.who, command.strength)


async def join_room(session: TerminalSession, command: commands.JoinRoom) -> None:
    """Join a room and be ready; or turn to a room of one's own."""
    mine = session.replica.my_seat(command.place.room) if command.place.room is not None else None
    room = await _at(session, command.place, session.connection.join)
    await _go_to(session, room)
    if mine is None and room.state == "waiting":
        await _get_ready(session, room)


async def watch_room(session: TerminalSession, command: commands.WatchRoom) -> None:
    """Watch a room."""
    room = await _at(session, command.place, session.connection.watch)
    await _go_to(session, room)
    asked = command.place.match
    if asked is not None and room.match not in (None, asked):
        text = f"Match {asked} is over; the room has gone on to {room.match}."
        session.interface.tell(styled(("event", text)))


async def _at(
    session: TerminalSession, place: RoomReference, go: Callable[..., Awaitable[RoomState]]
) -> RoomState:
    """Join or watch, and remember by which code; six digits that are no room's number may still be
    one.
    """
    try:
        room, code = await go(room=place.room, code=place.code), place.code
    except Refusal as no:
        if no.code != Code.LOBBY_NO_ROOM or place.match or len(str(place.room)) != 6:
            raise
        code = str(place.room)
        room = await go(room=None, code=code)
    if code is not None:
        session.codes[room.room] = code
    return room


async def _get_ready(session: TerminalSession, room: RoomState) -> None:
    """Agree to the next match; where there are dice, with a share of their randomness."""
    salt = secrets.token_hex(16) if room.commitment is not None else None
    session.readied = room.room
    session.code = UNDECIDED if session.code is None else session.code
    try:
        await session.connection.ready(room.room, salt)
    except Refusal:
        session.readied = None
        raise


async def ready(session: TerminalSession) -> None:
    room = room_of(session)
    if session.running is not None:
        raise Refused("the match is on already")
    await _get_ready(session, room)


async def leave(session: TerminalSession) -> None:
    """Get up, or stop watching."""
    room = room_of(session)
    asks = gives_up_series(room) and not session.interface.patient
    if asks and not session.agreed("leave", f"room {room.room}", 0):
        session.interface.tell(styled(("offer", leaving_text(room))))
        return
    session.keep()
    await session.connection.leave(room.room)
    session.forget(room.room)


async def rooms(session: TerminalSession) -> None:
    """List the lobby."""
    session.picking = None
    follow: Literal["changes", False] = "changes" if session.focus is None else False
    session.hear(await session.connection.lobby(follow=follow))
    if session.focus is not None or session.interface.patient:
        session.interface.tell(*menu_lines(session.menu))
    if session.focus is not None:
        session.interface.tell(
            styled(("dim", "The numbers can be typed once you have left this room."))
        )


async def best(session: TerminalSession, command: commands.Best) -> None:
    """List the best people at a game."""
    room = session.room
    if command.game:
        game = game_name(session, command.game)
    elif room is not None:
        game = room.game
    else:
        raise commands.BadCommand("/best needs a game: /best connect_four")
    table = await session.connection.ratings(game)
    named = named_game(game, session.connection.welcome.catalog)
    lines = rating_lines(table, named.title if named is not None else game)
    session.interface.tell(*(styled(("help", line)) for line in lines))


async def rename(session: TerminalSession, command: commands.Rename) -> None:
    if session.focus is not None:
        raise Refused("leave the room first: its seat belongs to your name")
    session.rename = command.name
    session.over.set()
