"""During a match: offers, hints, chat, the list of actions, how to end it; and what it was worth.

Each raises Refusal where the server says no, Refused where this client can say so by itself.
"""

from __future__ import annotations

from typing import Final

from client.terminal.actions import list_lines
from client.terminal.analysed import analysis_lines
from client.terminal.board import known_game
from client.terminal.commands import Chat, Legal
from client.terminal.lines import Line, line
from client.terminal.moves import move_line, moves
from client.terminal.seating import Refused, room_of
from client.terminal.session import Session
from client.terminal.wording import note_text
from protocol.messages import MatchState, OfferKind, Player

LEGAL_ROWS: Final = 60  # of what /legal shows at once
LOG_WIDTH: Final = 100  # columns of a line in the log


async def chat(session: Session, command: Chat) -> None:
    """Talk at the table."""
    await session.house.say(room_of(session).room, command.text)


async def legal(session: Session, command: Legal) -> None:
    """List the legal actions."""
    match = session.running
    if match is None or match.legal is None:
        raise Refused("it is not your turn")
    session.face.tell(*list_lines(match.legal, LOG_WIDTH, LEGAL_ROWS, command.text))


async def hint(session: Session) -> None:
    """Ask a bot, and let a person go on meanwhile."""
    match = running_match(session)
    if session.face.patient:
        await _ask_hint(session, match)
    else:
        session.spawn(_ask_hint(session, match))


async def _ask_hint(session: Session, match: MatchState) -> None:
    hint = await session.house.hint(match.match)
    note = note_text(hint.note, Player(name="", program=hint.by.rpartition("/")[2]))
    session.face.tell(line(("event", f"{hint.by} would play {hint.action}"), ("dim", f"  {note}")))


async def analyse(session: Session) -> None:
    """Have a bot go through the match that is over, and let a person go on meanwhile."""
    match = session.match
    if match is None:
        raise Refused("there was no match here yet")
    if match.result is None:
        raise Refused("this match is still on; when it is over, /analyse goes through it")
    if session.face.patient:
        await _ask_analysis(session, match)
    else:
        session.face.tell(line(("dim", "A bot goes through the match; it may take a minute.")))
        session.spawn(_ask_analysis(session, match))


async def _ask_analysis(session: Session, match: MatchState) -> None:
    told = await session.house.analyse(match.match)
    session.face.tell(*analysis_lines(told, known_game(match.game)))


async def offer(session: Session, kind: OfferKind) -> None:
    """Offer a draw, or ask to take back."""
    await session.house.offer(running_match(session).match, kind)


async def answer(session: Session, accept: bool) -> None:
    """Answer the latest offer of the other side; `accept` false also withdraws one's own."""
    match, seat = running_match(session), session.seat
    theirs = [offer for offer in match.offers if offer.seat != seat]
    open_to_me = theirs if accept else theirs or list(match.offers)
    if not open_to_me:
        raise Refused("nobody offers anything")
    await session.house.answer(match.match, open_to_me[-1].kind, accept)


async def history(session: Session) -> None:
    """List the actions so far."""
    match = session.match
    if match is None:
        raise Refused("there was no match here yet")
    game = known_game(match.game)
    found = moves(session.replica.actions(match.match))
    shown: list[Line] = [move_line(move, match.seats, game, LOG_WIDTH) for move in found]
    session.face.tell(*(shown or [line("Nobody has moved yet.")]))


async def flip(session: Session) -> None:
    """Turn the board."""
    session.flip = not session.flip


async def resign(session: Session) -> None:
    """Lose the match."""
    await session.house.resign(running_match(session).match)


async def abort(session: Session) -> None:
    """End it without a result."""
    await session.house.abort(running_match(session).match)


async def claim(session: Session) -> None:
    """Win against somebody who is away."""
    await session.house.claim(running_match(session).match)


def running_match(session: Session) -> MatchState:
    """The match that is on in the room looked at."""
    match = session.running
    if match is None:
        raise Refused("no match is on here")
    return match
