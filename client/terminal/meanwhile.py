"""What became of this person's matches between two visits: kept with the keys, told on the next."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

from client.names import keys
from client.styled_text import styled
from client.terminal.session import TerminalSession
from client.words import full_title, game_title, title
from protocol.errors import Refusal
from protocol.past import MatchLine
from protocol.records.results import result_text

LINES: Final = 50  # of one's newest matches, among which those are looked for
WEEK: Final = timedelta(days=6)  # so long the name of a day says which


def going_on(session: TerminalSession) -> list[str]:
    """Return the matches of this person's that are on, by name."""
    replica = session.replica
    return [
        match.match
        for match in replica.matches.values()
        if match.result is None and replica.my_seat(match.match) is not None
    ]


async def tell(session: TerminalSession, url: str) -> None:
    """Tell of each match that was on at the end of the last visit, and is over."""
    me = session.connection.name
    awaited = keys.awaited(url, me)
    over = set(awaited) - set(going_on(session))
    if over:
        with suppress(Refusal):  # then the list of one's matches still has them
            page = await session.connection.matches(me, limit=LINES)
            lines = [line for line in page.matches if line.match in over]
            told = [styled(("offer", _sentence(line, me, session))) for line in lines[::-1]]
            session.interface.tell(*told)
    note(session, url)


def note(session: TerminalSession, url: str) -> None:
    """Remember for the next visit which matches are on."""
    keys.await_ends(url, session.connection.name, going_on(session))


def _sentence(line: MatchLine, me: str, session: TerminalSession) -> str:
    seat = next((seat for seat, who in enumerate(line.seats) if full_title(who) == me), 0)
    other, day = title(line.seats[1 - seat]), _day(line.at)
    about = f"{game_title(line.game, session.catalog())}, {line.match}"
    if line.result.how == "abandon" and line.result.winner != seat:
        return f"While you were away, {other} claimed the match {day} ({about})."
    names = (title(line.seats[0]), title(line.seats[1]))
    text = result_text(line.result, line.game, names, seat)
    return f"While you were away, {day}, against {other}: {text} ({about})."


def _day(at: int) -> str:
    """Return a day as one says it: today, on Tuesday, on 2026-11-20."""
    date, today = datetime.fromtimestamp(at / 1000).date(), datetime.now().date()  # noqa: DTZ005, DTZ006 - a person's
    if date == today:
        return "today"
    return f"on {date:%A}" if today - date < WEEK else f"on {date}"
