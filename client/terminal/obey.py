"""What each command does: a table of types and one of names, and how an action is read.

Refusals rise to the caller.  The commands themselves are in seating.py and playing.py.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from client.terminal import commands, playing, seating
from client.terminal.actions import BadAction, read_action
from client.terminal.board import known_game
from client.terminal.commands import (
    Act,
    BadCommand,
    Call,
    Chat,
    Command,
    Do,
    Follow,
    Help,
    Legal,
    Open,
    Rename,
    Sit,
)
from client.terminal.lines import line
from client.terminal.seating import Refused, game_name
from client.terminal.session import Session
from client.terminal.tables import Menu, Pick, menu_lines, pick_menu
from client.terminal.wording import full_title, sentence, title
from protocol.errors import Refusal
from protocol.messages import MatchState


async def obey(session: Session, command: Command) -> None:
    """Do what was typed, and tell what comes of it."""
    try:
        await _ACTIONS[type(command)](session, command)
    except (BadCommand, BadAction) as error:
        session.face.tell(line(("error", sentence(str(error)))))


async def begin(session: Session, start: Command | None) -> None:
    """Do what the command line asked for; None: go back to one's table, or else to the lobby.

    Raises:
        Refusal, BadCommand: it cannot be done.
    """
    await session.catch_up()
    back = [match for match in _going_on(session) if _asked_for(session, match, start)]
    if back:
        session.look_at(back[-1].room)
    elif start is not None:
        await _ACTIONS[type(start)](session, start)
        if isinstance(start, Open) and start.who is not None:
            await seating.hear_answer(session, start.who)
    elif session.focus is None:
        await session.to_lobby()
    if session.focus is not None and session.focus in session.house.welcome.rooms:
        text = f"You are back at your table, room {session.focus}."
        session.face.tell(line(("event", text)))
    for match in _going_on(session):
        if match.room != session.focus:
            text = f"Another match of yours is on: /join {match.room} goes there."
            session.face.tell(line(("offer", text)))


def _going_on(session: Session) -> list[MatchState]:
    """The matches that this person plays and that are not over."""
    known = session.replica
    return [
        m for m in known.matches.values() if not m.result and known.my_seat(m.match) is not None
    ]


def _asked_for(session: Session, match: MatchState, start: Command | None) -> bool:
    """Whether a match that is on is what was asked for: the same game, the same opponent."""
    if start is None:
        return True
    if not isinstance(start, Open) or start.who is None:
        return False
    other = match.seats[1 - (session.replica.my_seat(match.match) or 0)]
    names = (title(other).casefold(), full_title(other).casefold())
    return match.game == game_name(session, start.game) and start.who.casefold() in names


async def _act(session: Session, command: Act) -> None:
    await _in_time(session)
    if await _choose(session, command.text):
        return
    match = session.running
    if match is not None and session.my_turn():
        await _play(session, match, command.text)
        return
    bare = commands.parse_bare(command.text)
    if bare is None:
        raise Refused(_why_no_action(session, command.text))
    await obey(session, bare)


async def _in_time(session: Session) -> None:
    """Let a line that was not typed for the moment wait for its moment."""
    if session.face.patient:
        await session.until(lambda: _ripe(session))


def _ripe(session: Session) -> bool:
    """Whether a line that was not typed for the moment has its moment now."""
    room = session.room
    if room is None or session.my_turn():
        return True
    if session.running is not None:
        return session.seat is None
    return session.readied != room.room


async def _choose(session: Session, text: str) -> bool:
    """Take a number of the menu that is shown; False where none is, or it is no number of it."""
    if session.picking is None and session.focus is not None:
        return False
    choice = (session.picking or session.menu).choice(text)
    if choice is None:
        return False
    session.picking = None
    chosen = pick_menu(choice, session.house.welcome.games) if isinstance(choice, Pick) else choice
    if isinstance(chosen, Menu):
        session.picking = chosen
        if session.face.patient:
            session.face.tell(*menu_lines(session.picking))
    else:
        await obey(session, chosen)
    return True


async def _play(session: Session, match: MatchState, text: str) -> None:
    legal = match.legal or ()
    try:
        action = read_action(text, legal, known_game(match.game), match.position)
    except BadAction:
        bare = commands.parse_bare(text)
        if bare is None:
            raise
        await obey(session, bare)
        return
    session.answered = (match.match, match.turn)
    try:
        await session.house.play(match.match, match.turn, action)
    except Refusal:
        session.answered = None
        raise


def _why_no_action(session: Session, text: str) -> str:
    match, seat = session.running, session.seat
    if match is None:
        if session.focus is None:
            return f"{text} is nothing to choose here; /help lists what there is"
        again = "/ready starts one" if session.match is None else "/rematch starts the next one"
        return f"no match is on: {again} when both sides are ready"
    if seat is None:
        return 'you are watching; a line that begins with " is said to all'
    other = title(match.seats[1 - seat])
    return f'it is the turn of {other}; a line that begins with " is said to all'


async def _legal(session: Session, command: Legal) -> None:
    await _in_time(session)
    await playing.legal(session, command)


async def _hint(session: Session) -> None:
    await _in_time(session)
    await playing.hint(session)


async def _analyse(session: Session) -> None:
    await _in_time(session)
    await playing.analyse(session)


async def _help(session: Session, command: Help) -> None:
    session.face.tell(*(line(("help", text)) for text in commands.help_lines(command.topic)))


async def _do(session: Session, command: Do) -> None:
    await _DO[command.what](session)


_DO: Final[dict[str, Callable[[Session], Awaitable[None]]]] = {
    "rooms": seating.rooms,
    "ready": seating.ready,
    "hint": _hint,
    "draw": lambda session: playing.offer(session, "draw"),
    "takeback": lambda session: playing.offer(session, "takeback"),
    "accept": lambda session: playing.answer(session, True),
    "decline": lambda session: playing.answer(session, False),
    "resign": playing.resign,
    "abort": playing.abort,
    "claim": playing.claim,
    "history": playing.history,
    "analyse": _analyse,
    "flip": playing.flip,
    "link": seating.link,
    "leave": seating.leave,
}


_ACTIONS: Final[dict[type[Any], Callable[[Session, Any], Awaitable[None]]]] = {
    Act: _act,
    Chat: playing.chat,
    Open: seating.open_room,
    Sit: seating.sit,
    Follow: seating.follow,
    Call: seating.call,
    Rename: seating.rename,
    Legal: _legal,
    Help: _help,
    Do: _do,
}
