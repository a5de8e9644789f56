"""What each command of a session does, and how an action is read.

Refusals rise to the caller.  The commands themselves are in seating.py and playing.py.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final, assert_never

from client.styled_text import styled
from client.terminal import devices, playing, seating
from client.terminal.seating import Refused, game_name
from client.terminal.session import TerminalSession
from client.terminal.shown.menus import Menu, Pick, menu_lines, pick_menu
from client.terminal.typed import commands, grammar
from client.terminal.typed.actions import BadAction, read_action
from client.words import full_title, known_game, sentence, title
from protocol.errors import Refusal
from protocol.messages import MatchState, RoomRename
from protocol.parts import Asked


async def dispatch(session: TerminalSession, command: commands.SessionCommand) -> None:
    try:
        await _carry_out(session, command)
    except (commands.BadCommand, BadAction) as error:
        session.interface.tell(styled(("error", sentence(str(error)))))


async def _carry_out(session: TerminalSession, command: commands.SessionCommand) -> None:
    match command:
        case commands.TypedAction():
            await _act(session, command)
        case commands.Chat():
            await playing.chat(session, command)
        case commands.CreateRoom():
            await seating.open_room(session, command)
        case commands.SeekOpponent():
            await seating.seek(session, command)
        case commands.JoinRoom():
            await seating.join_room(session, command)
        case commands.WatchRoom():
            await seating.watch_room(session, command)
        case commands.InvitePlayer():
            await seating.invite_player(session, command)
        case commands.Rename():
            await seating.rename(session, command)
        case commands.NameRoom():
            room = seating.room_of(session).room
            await session.connection.request(RoomRename(room=room, name=command.name))
        case commands.Best():
            await seating.best(session, command)
        case commands.Legal():
            await _in_time(session)
            await playing.legal(session, command)
        case commands.GiveUp():
            await _match_on(session)
            await playing.resign(session, command)
        case commands.AnalyseMatch():
            await _in_time(session)
            await playing.analyse(session, command.whole_series)
        case commands.Help():
            lines = grammar.help_lines(command.topic)
            session.interface.tell(*(styled(("help", text)) for text in lines))
        case commands.NewRecovery():
            await devices.recovery(session, command)
        case commands.ListDevices():
            await devices.devices(session, command)
        case commands.BareCommand():
            await _BARE[command.what](session)
        case _:
            assert_never(command)


async def begin(session: TerminalSession, start: commands.SessionCommand | None) -> None:
    """Do what the command line asked for; None: go back to one's room, or else to the lobby.

    Raises:
        Refusal, BadCommand: it cannot be done.
    """
    await session.catch_up()
    back = [match for match in _going_on(session) if _asked_for(session, match, start)]
    if back:
        session.look_at(back[-1].room)
    elif start is not None:
        await _carry_out(session, start)
        if isinstance(start, commands.CreateRoom) and start.who is not None:
            await seating.await_answer(session, start.who)
    elif session.focus is None:
        await session.to_lobby()
    if session.focus is not None and session.focus in session.connection.welcome.rooms:
        text = f"You are back in your room, {session.focus}."
        session.interface.tell(styled(("event", text)))
    on = _going_on(session)
    for match in on:
        if match.room != session.focus:
            move = " and it is your move" if match.legal is not None else ""
            text = f"Another match of yours is on{move}: /join {match.room} goes there."
            session.interface.tell(styled(("offer", text)))
    if (due := sum(match.legal is not None for match in on)) > 1:
        session.interface.tell(styled(("offer", f"It is your move in {due} matches.")))


def _going_on(session: TerminalSession) -> list[MatchState]:
    replica = session.replica
    return [
        m for m in replica.matches.values() if not m.result and replica.my_seat(m.match) is not None
    ]


def _asked_for(
    session: TerminalSession, match: MatchState, start: commands.SessionCommand | None
) -> bool:
    """Return whether a match that is on is what was asked for: the same game, the same opponent."""
    if start is None:
        return True
    if not isinstance(start, commands.CreateRoom) or start.who is None:
        return False
    other = match.seats[1 - (session.replica.my_seat(match.match) or 0)]
    names = (title(other).casefold(), full_title(other).casefold())
    return match.game == game_name(session, start.game) and start.who.casefold() in names


async def _act(session: TerminalSession, command: commands.TypedAction) -> None:
    await _in_time(session)
    if await _choose(session, command.text):
        return
    match = session.running
    if match is not None and session.my_turn():
        await _play(session, match, command.text)
        return
    bare = grammar.parse_bare(command.text)
    if bare is None and session.interface.patient and _is_over(session):
        session.over.set()  # what is left of the input was meant for the match that is over
        return
    if bare is None:
        raise Refused(_why_no_action(session, command.text))
    await dispatch(session, bare)


def _is_over(session: TerminalSession) -> bool:
    match = session.match
    return match is not None and match.result is not None and session.seat is not None


async def _in_time(session: TerminalSession) -> None:
    """Let a line from a pipe wait until it can be carried out."""
    if session.interface.patient:
        await session.until(lambda: _ripe(session))


async def _match_on(session: TerminalSession) -> None:
    """Let a line from a pipe that is about a match wait until the one agreed to has begun."""
    if session.interface.patient:
        await session.until(lambda: session.running is not None or not _awaits_match(session))


def _awaits_match(session: TerminalSession) -> bool:
    return session.room is not None and session.readied == session.room.room


def _ripe(session: TerminalSession) -> bool:
    """Return whether a line from a pipe can be carried out now."""
    room = session.room
    if room is None or session.my_turn():
        return True
    if session.running is not None:
        return session.seat is None
    return not _awaits_match(session)


async def _choose(session: TerminalSession, text: str) -> bool:
    """Take a number of the menu that is shown; False if there is no menu or no such number."""
    if session.picking is None and session.focus is not None:
        return False
    choice = (session.picking or session.menu).choice(text)
    if choice is None:
        return False
    session.picking = None
    chosen = (
        pick_menu(choice, session.connection.welcome.games) if isinstance(choice, Pick) else choice
    )
    if isinstance(chosen, Menu):
        session.picking = chosen
        if session.interface.patient:
            session.interface.tell(*menu_lines(session.picking))
    else:
        await dispatch(session, chosen)
    return True


async def _play(session: TerminalSession, match: MatchState, text: str) -> None:
    legal = match.legal or ()
    try:
        action = read_action(text, legal, known_game(match.game), match.position)
    except BadAction:
        bare = grammar.parse_bare(text)
        if bare is None:
            raise
        await dispatch(session, bare)
        return
    session.answered = (match.match, match.turn)
    try:
        if not await session.line.play(match, action):
            session.answered = None
    except Refusal:
        session.answered = None
        raise


def _why_no_action(session: TerminalSession, text: str) -> str:
    match, seat = session.running, session.seat
    if match is None:
        if session.focus is None:
            return f"{text} is not in this list; /help lists the commands"
        again = "/ready starts one" if session.match is None else "/rematch starts the next one"
        return f"no match is on: {again} when both sides are ready"
    if seat is None:
        return 'you are watching; a line that begins with " is said to all'
    other = title(match.seats[1 - seat])
    return f'it is the turn of {other}; a line that begins with " is said to all'


async def _hint(session: TerminalSession) -> None:
    await _in_time(session)
    await playing.hint(session)


async def _offer(session: TerminalSession, kind: Asked) -> None:
    await _match_on(session)
    await playing.offer(session, kind)


async def _abort(session: TerminalSession) -> None:
    await _match_on(session)
    await playing.abort(session)


async def _decline(session: TerminalSession) -> None:
    match = session.running
    if session.replica.invitations and (match is None or not match.offers):
        await seating.decline(session)
    else:
        await playing.answer(session, False)


_BARE: Final[dict[str, Callable[[TerminalSession], Awaitable[None]]]] = {
    "rooms": seating.rooms,
    "ready": seating.ready,
    "hint": _hint,
    "draw": lambda session: _offer(session, "draw"),
    "takeback": lambda session: _offer(session, "takeback"),
    "accept": lambda session: playing.answer(session, True),
    "decline": _decline,
    "abort": _abort,
    "claim": playing.claim,
    "history": playing.history,
    "flip": playing.flip,
    "note": playing.note,
    "link": devices.link,
    "leave": seating.leave,
}
