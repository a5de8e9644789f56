"""The open tables, at which those are seated who seek an opponent: here, and on other servers.

A table that suits is always taken, so never do two wait who could play each other; `choose` says
which, as a function of values.  One that is being stored counts already, and who comes second to
a table is sent to the next: so two that come at once do not miss each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from protocol.messages import Seek
from protocol.parts import Options
from protocol.records.terms import agreed, sought
from server.core.events import Who
from server.core.lobby import LobbyState
from server.core.room import Room
from server.past.rater import PeopleRater
from server.rooms.directory import RoomDirectory

NONE_TRIED: Final[frozenset[int]] = frozenset()
# How far apart ratings may be for each second that somebody has waited: who has just come is left
# to those near, and after a minute of waiting a difference of 600 Elo counts no more.
WIDENS: Final = 10.0


class OpenTable(NamedTuple):
    """A public room in which `who` waits, alone and here, since `since`, and nothing was played.

    `elo`: the rating of who waits, None without one.
    """

    room: int
    options: Options
    who: Who
    since: int
    elo: float | None = None


class Seeker(NamedTuple):
    """Who seeks, and the terms: those in `options.sought` may be any."""

    who: Who
    options: Options
    elo: float | None = None


def choose(seeker: Seeker, tables: Iterable[OpenTable], now: int) -> OpenTable | None:
    """Return the table to sit down at; None: none suits, so one is opened.

    People are paired with people and programs with programs, nobody with themselves.  Where both
    are rated, those near come first, the nearest that the wait allows; of these who waits longest.
    """
    is_person = seeker.who.program is None

    def rank(table: OpenTable) -> tuple[float, int, int]:
        apart = 0.0
        if seeker.elo is not None and table.elo is not None:
            allowed = WIDENS * (now - table.since) / 1000
            apart = max(0.0, abs(seeker.elo - table.elo) - allowed)
        return apart, table.since, table.room

    suits: dict[Options, bool] = {}  # most tables have the same few terms
    suiting = []
    for table in tables:
        who, options = table.who, table.options
        if who.session == seeker.who.session or (who.program is None) != is_person:
            continue
        if options not in suits:
            suits[options] = agreed(seeker.options, options) is not None
        if suits[options]:
            suiting.append(table)
    return min(suiting, key=rank, default=None)


def moves_on(own: OpenTable, chosen: OpenTable) -> bool:
    """Return whether who waits at a table of a seek and asks again goes to another one.

    Of two seeks that have missed each other the later one goes, or both would pass each other.
    """
    return chosen.options.sought is None or chosen.room < own.room


class TableChoice(NamedTuple):
    """Where a seek leads: to the table that was `chosen`, or to `own`, at which its maker waits.

    `looked`: at how many tables.
    """

    own: OpenTable | None
    chosen: OpenTable | None
    looked: int


class Seeking:
    """Notes the open tables by game.  It subscribes to `listed`, `reseated` and `removed`."""

    def __init__(self, lobby: LobbyState, rooms: RoomDirectory, rater: PeopleRater) -> None:
        self._lobby = lobby
        self._rooms = rooms
        self._rater = rater
        self._since: dict[str, dict[int, int]] = {}  # game -> room -> since when one waits there

    def listed(self, room: Room) -> None:
        """Note a room that may be an open table."""
        waiting = self._since.setdefault(room.game, {})
        if _is_open(room):
            waiting.setdefault(room.number, self._rooms.now())
        else:
            waiting.pop(room.number, None)

    def reseated(self, old: Room | None, new: Room) -> None:
        self.listed(new)

    def removed(self, room: Room) -> None:
        self._since.get(room.game, {}).pop(room.number, None)

    def find(
        self,
        who: Who,
        request: Seek,
        now: int,
        tried: frozenset[int] = NONE_TRIED,
        far: bool = False,
    ) -> TableChoice:
        """Return where a seek leads; `tried`: rooms that were taken; `far`: also to other servers.

        Who waits already by the same terms stays there, unless `moves_on` says otherwise.
        """
        options = sought(request.options)
        tables = [
            table
            for table in self._tables(request.game, far)
            if table.room not in tried and self._is_here(table.who)
        ]
        own = next((t for t in tables if t.who.same(who) and t.options == options), None)
        seeker = Seeker(who, options, self._elo(request.game, who))
        chosen = choose(seeker, tables, now)
        if own is not None and chosen is not None and not moves_on(own, chosen):
            chosen = None
        return TableChoice(own, chosen, len(tables))

    def _tables(self, game: str, far: bool) -> Iterator[OpenTable]:
        for number, since in self._since.get(game, {}).items():
            actor = self._rooms.actors.get(number)
            room = actor.room if actor is not None else None
            if room is None and far and number in self._rooms.far:
                room = self._rooms.far[number].room
            if room is not None and _is_open(room):
                who = room.seats[0] or room.seats[1]
                assert who is not None, "somebody waits at an open table"
                yield OpenTable(number, room.options, who, since, self._elo(game, who))

    def _is_here(self, who: Who) -> bool:
        return (who.session, who.program) in self._lobby.connected

    def _elo(self, game: str, who: Who) -> float | None:
        """Return the rating of a person, as it was told last."""
        known = self._rater.games.get(game)
        rated = known.field.now.ratings.get(who.session) if known is not None else None
        return rated.elo if rated is not None and who.program is None else None


def _is_open(room: Room) -> bool:
    """Return whether one waits at a table for who comes; of a far room less is known."""
    alone = (room.seats[0] is None) != (room.seats[1] is None)
    is_public = room.options.public and room.leg is None
    return alone and is_public and room.state == "waiting" and room.played == 0
