"""During a match: offers, hints, chat, the list of actions, how to end it; and what it was worth.

Each raises Refusal where the server says no, Refused where this client can say so by itself.
"""

from __future__ import annotations

from typing import Final

from client.records.fetch import fetch_games
from client.styled_text import StyledText, styled
from client.terminal.quitting import cost_text, offers, resignation_cost
from client.terminal.seating import Refused, room_of
from client.terminal.session import TerminalSession
from client.terminal.shown.analysis import AnalysedGame, analysis_lines, series_lines
from client.terminal.shown.interface import LOG_WIDTH
from client.terminal.shown.moves import candidate_lines, move_line, moves
from client.terminal.typed.actions import list_lines
from client.terminal.typed.commands import Chat, GiveUp, Legal
from client.words import known_game, named_game, note_text
from protocol.errors import Refusal
from protocol.messages import MatchState
from protocol.parts import Asked, Player

LEGAL_ROWS: Final = 60  # of what /legal shows at once


async def chat(session: TerminalSession, command: Chat) -> None:
    await session.connection.say(room_of(session).room, command.text)


async def legal(session: TerminalSession, command: Legal) -> None:
    match = session.running
    if match is None or match.legal is None:
        raise Refused("it is not your turn")
    session.interface.tell(*list_lines(match.legal, LOG_WIDTH, LEGAL_ROWS, command.text))


async def hint(session: TerminalSession) -> None:
    """Ask a bot, and let a person go on meanwhile."""
    match = running_match(session)
    if session.interface.patient:
        await _ask_hint(session, match)
    else:
        session.spawn(_ask_hint(session, match))


async def _ask_hint(session: TerminalSession, match: MatchState) -> None:
    hint = await session.connection.hint(match.match)
    note = note_text(hint.note, Player(name="", program=hint.by.rpartition("/")[2]))
    session.interface.tell(
        styled(("event", f"{hint.by} would play {hint.action}"), ("dim", f"  {note}"))
    )


async def analyse(session: TerminalSession, whole_series: bool = False) -> None:
    """Have a bot go through the match that is over, and let a person go on meanwhile.

    `whole_series`: through the games before it in a match to points, too.
    """
    match = session.match
    if match is None:
        raise Refused("there was no match here yet")
    if match.result is None:
        raise Refused("this match is still on; when it is over, /analyse goes through it")
    if whole_series and match.series is None:
        raise Refused("this is no game of a match to points; /analyse goes through it")
    ask = _ask_analyses if whole_series else _ask_analysis
    if session.interface.patient:
        await ask(session, match)
    else:
        what = "all games, one after the other; it may take minutes" if whole_series else ""
        text = f"A bot goes through {what or 'the match; it may take a minute'}."
        session.interface.tell(styled(("dim", text)))
        session.spawn(ask(session, match))


async def _ask_analysis(session: TerminalSession, match: MatchState) -> None:
    analysed = await session.connection.analyse(match.match, session.codes.get(match.room))
    session.interface.tell(*analysis_lines(analysed, named_game(match.game, session.catalog())))


async def _ask_analyses(session: TerminalSession, match: MatchState) -> None:
    """Have one game after the other gone through, and tell all at the end."""
    code = session.codes.get(match.room)  # without it who watches may not read a private room's
    records = await fetch_games(session.connection, match.match, code)
    games: list[AnalysedGame] = []
    for record in records:
        try:
            analysed = await session.connection.analyse(record.match, code)
            games.append(AnalysedGame(analysed, record))
        except Refusal as no:
            text = f"Match {record.match} is left out: {no}."
            session.interface.tell(styled(("dim", text)))
    if games:
        session.interface.tell(*series_lines(games, named_game(match.game, session.catalog())))


async def offer(session: TerminalSession, kind: Asked) -> None:
    """Offer something; a draw, which may end the match at once, on the second word."""
    match = running_match(session)
    game = known_game(match.game)
    if kind == "draw" and game is not None and not game.draws:
        raise Refused(f"no match of {game.title.lower()} is drawn")
    ask_first = kind == "draw" and not session.interface.patient
    if ask_first and not session.agreed("draw", match.match, 0):
        text = "/draw  offers a draw, which may end the match at once: the same again does it."
        session.interface.tell(styled(("offer", text)))
        return
    await session.connection.offer(match.match, kind)


async def answer(session: TerminalSession, accept: bool) -> None:
    """Answer the latest offer of the other side; `accept` false also withdraws one's own."""
    match, seat = running_match(session), session.seat
    theirs = [offer for offer in match.offers if offer.seat != seat]
    open_to_me = theirs if accept else theirs or list(match.offers)
    if not open_to_me:
        raise Refused("there is no offer")
    await session.connection.answer(match.match, open_to_me[-1].kind, accept)


async def history(session: TerminalSession) -> None:
    """List the actions so far."""
    match = session.match
    if match is None:
        raise Refused("there was no match here yet")
    game = named_game(match.game, session.catalog())
    numbered = moves(session.replica.actions(match.match), session.shows_notes())
    lines: list[StyledText] = []
    for move in numbered:
        lines.append(move_line(move, match.seats, game, LOG_WIDTH))
        lines += candidate_lines(move, LOG_WIDTH)
    session.interface.tell(*(lines or [styled("Nobody has moved yet.")]))


async def flip(session: TerminalSession) -> None:
    session.flip = not session.flip


async def note(session: TerminalSession) -> None:
    """Show or hide what bots think of their moves while one plays them."""
    session.notes = not session.notes
    how = "shown now; /help note explains them" if session.notes else "hidden until the end"
    session.interface.tell(styled(("event", f"Your opponent's thoughts are {how}.")))


async def resign(session: TerminalSession, command: GiveUp) -> None:
    """Lose the match once the price is agreed to, or offer to lose fewer points than that."""
    match, seat = running_match(session), session.seat
    if seat is None:
        raise Refused("you are watching")
    price, choices = resignation_cost(match, seat), offers(match)
    if command.points is None:
        if not session.interface.patient and not session.agreed("resign", match.match, price):
            less = [f"/resign {points}" for points in choices[:-1]]
            more = f", {' or '.join(less)} offers less" if less else ""
            what = f"{cost_text(price)} here{_of_series(match, seat, price)}"
            text = f"/resign  {what}: the same again does it{more}."
            session.interface.tell(styled(("offer", text)))
            return
    elif command.points not in (choices or (price,)):
        can = " or ".join(f"/resign {points}" for points in choices or (price,))
        raise Refused(f"that is not what it may cost here: {can}")
    points = (command.points or price) if choices else None
    await session.connection.resign(match.match, points=points)


def _of_series(match: MatchState, seat: int, price: int) -> str:
    """Return what comes of the match to points whose game is resigned; empty: it is of none."""
    if match.series is None:
        return ""
    to = match.series.points
    if match.series.score[1 - seat] + price >= to:
        return f", and with this game the match to {to}"
    return f", this game alone; the match to {to} goes on"


async def abort(session: TerminalSession) -> None:
    await session.connection.abort(running_match(session).match)


async def claim(session: TerminalSession) -> None:
    await session.connection.claim(running_match(session).match)


def running_match(session: TerminalSession) -> MatchState:
    match = session.running
    if match is None:
        raise Refused("no match is on here")
    return match
