"""The rows of the index of matches that are over, as the store keeps them."""

from __future__ import annotations

from server.core.events import Who
from server.core.past.summary import UNCOUNTED, MatchSummary, of_room, write_summary
from server.core.room import Room
from server.store.contract import DRAWN, UNDECIDED, PastRow


def row_of(room: int, match: int, summary: MatchSummary) -> PastRow:
    """Return the row of a match."""
    one, two = summary.players
    result = summary.result
    if result.how in UNCOUNTED:
        outcome = UNDECIDED
    else:
        outcome = DRAWN if result.winner is None else result.winner
    return PastRow(
        room=room,
        match=match,
        at=summary.at,
        game=summary.game,
        one=one.session,
        one_name=key_of(one.title()),
        two=two.session,
        two_name=key_of(two.title()),
        outcome=outcome,
        private=int(not summary.public),
        rated=int(summary.counts_for_people()),
        ladder=int(summary.ladder is not None),
        body=write_summary(summary),
    )


def rows_at_end(room: Room) -> list[PastRow]:
    """Return the row of the match that has just ended; none if it is not known here any more."""
    summary = of_room(room)
    return [] if summary is None else [row_of(room.number, room.played, summary)]


def key_of(title: str) -> str:
    """Return a name, or `name/program`, as it is looked up."""
    return title.casefold()


def is_of(row: PastRow, who: Who) -> bool:
    """Return whether somebody, or a program of the same session, has played a match."""
    return who.session in (row.one, row.two)
