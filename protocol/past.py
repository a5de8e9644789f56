"""The messages about the past of a house: matches that are over, and the persons who played them.

docs/reference/past.md says what each of them means.  A *person* is one who has a name here, or one
of its programs: `ann`, or `house/mcts`.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from protocol.errors import Code
from protocol.messages import Push, Request
from protocol.parts import Player, Points, Result, Seat, Series, Short, Whole
from protocol.request import of_module

MAX_MATCHES = 100  # of one page
MAX_RATED = 100  # people whose ratings are told at once
MAX_STREAK = 1_000  # the server looks no further back


class MatchLine(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A match that is over, as a list shows it.

    `plies`: actions that stand, dice included; `position`: the last one; `code`: of a private room,
    told to its players; `former`: seats whose player does not have that name any more; `series`:
    of which it is a game, as it has come to by this one.
    """

    match: str
    game: str
    seats: tuple[Player, Player]
    result: Result
    at: Whole
    plies: Whole
    rated: bool = False
    position: str = ""
    code: str | None = None
    ladder: str | None = None
    former: tuple[Seat, ...] = ()
    series: Series | None = None


class GameTally(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A person's matches of one game, by how they ended."""

    game: str
    won: Whole = 0
    drawn: Whole = 0
    lost: Whole = 0


class OpponentTally(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A person's matches against one other, by how they ended for that person.

    `former`: that other does not have this name any more.
    """

    player: Player
    won: Whole = 0
    drawn: Whole = 0
    lost: Whole = 0
    former: bool = False


class RatingMoment(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A rating as it stood at the end of a day; `error`: half of its 95 % interval."""

    at: Whole
    elo: Points
    error: Points


class PersonRating(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """How strong a person is at a game among the people of this house.

    `elo` counts from the mean of the `field` people it is known against, and is null below `least`
    rated `matches`; `doubtful`: an opponent gives up to this person, or this person to one, far
    more often than to others.
    """

    game: str
    matches: Whole
    least: Whole
    elo: Points | None = None
    interval: tuple[Points, Points] | None = None
    field: Whole = 0
    curve: tuple[RatingMoment, ...] = ()
    doubtful: bool = False


class RatedPerson(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """How strong somebody is at a game: `elo`, and half of its 95 % interval, `error`.

    Both are null below so many rated `matches` as the answer says; `doubtful` as in PersonRating.
    """

    name: str
    matches: Whole = 0
    elo: Points | None = None
    error: Points | None = None
    doubtful: bool = False


class Matches(Request, frozen=True, tag="matches"):
    """Ask for matches that are over, newest first; of everybody without `who`."""

    price = 200  # beside the rows that are read and sent
    answer = "matches"
    refusals = (Code.LOBBY_NO_ROOM, Code.PAST_NO_PERSON)
    who: Short | None = None
    before: Short | None = None
    limit: Annotated[int, Meta(ge=1, le=MAX_MATCHES)] = 20


class Person(Request, frozen=True, tag="person"):
    """Ask who somebody is: what they played, against whom, and how well."""

    price = 300  # beside what is added up
    answer = "person"
    refusals = (Code.PAST_NO_PERSON,)
    name: Short


class PeopleRatings(Request, frozen=True, tag="ratings"):
    """Ask how strong people are at a game: those `of` these names, or else the best here."""

    price = 300  # beside the rows that are sent
    answer = "ratings"
    repeatable = True
    refusals = (Code.LOBBY_UNKNOWN_GAME,)
    game: Short
    of: Annotated[tuple[Short, ...], Meta(max_length=MAX_RATED)] = ()


class MatchPage(Push, frozen=True, tag="matches"):
    """Matches, newest first.  `more`: there are older ones, `before` the last one of these."""

    matches: tuple[MatchLine, ...]
    more: bool = False


class PersonPage(Push, frozen=True, tag="person"):
    """Somebody's past, as far as the asker may know it.

    `streak`: matches won in a row until now, or lost, which is negative; `since`: when their first
    match here ended; `counted`: the tallies hold so many matches, the newest; `former`: no one has
    this name now.
    """

    name: str
    program: str | None = None
    here: bool = False
    since: Whole | None = None
    counted: Whole = 0
    games: tuple[GameTally, ...] = ()
    opponents: tuple[OpponentTally, ...] = ()
    streak: Annotated[int, Meta(ge=-MAX_STREAK, le=MAX_STREAK)] = 0
    ratings: tuple[PersonRating, ...] = ()
    former: bool = False


class RatingTable(Push, frozen=True, tag="ratings"):
    """Ratings of people at a game: in the order asked for, or the best first.

    `least`: so many rated matches are needed for one; `total`: how many people have one.
    """

    game: str
    rows: tuple[RatedPerson, ...] = ()
    least: Whole = 0
    total: Whole = 0


PAST_PARTS: tuple[type[Struct], ...] = (
    MatchLine, GameTally, OpponentTally, PersonRating, RatingMoment, RatedPerson,
)  # fmt: skip
PAST_REQUESTS = of_module(Request, __name__)
PAST_REPLIES = of_module(Push, __name__)
