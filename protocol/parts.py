"""What the messages of messages.py are made of: players, options, results, events, rows of lists.

One frozen Struct each; docs/reference/messages.md has the meanings.  Numbers and texts are bounded
here by what is worth looking at; what a name or a note may be is decided in server/core.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from games.clock import DAY, PauseReason

MAX_INT = 2**53 - 1
Whole = Annotated[int, Meta(ge=0, le=MAX_INT)]
Signed = Annotated[int, Meta(ge=-MAX_INT, le=MAX_INT)]
Points = Annotated[float, Meta(ge=-MAX_INT, le=MAX_INT)]
Seat = Literal[0, 1]
Text = Annotated[str, Meta(max_length=4096)]
Short = Annotated[str, Meta(max_length=256)]
Level = Annotated[int, Meta(ge=1, le=8)]
Asked = Literal["draw", "takeback"]  # what the request `offer` is for
# Why somebody does not come who is invited: does not want to; plays elsewhere; does not play that
# game; not by such terms.
Declining = Literal["no", "busy", "game", "terms"]
Term = Literal["clock", "rated", "points"]  # what a seek may leave open
OfferKind = Literal["draw", "takeback", "resign"]  # `resign` with few points offers the third


class ClockOptions(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """`base_ms` for the match and `increment_ms` after each action (Fischer), or `per_move_ms`, or
    `per_move_days`, which is a field of its own as older clients bound the other to a day.

    `begin_ms`: the time to begin, 0 for none; None: as the server says, and none on a ladder.
    """

    base_ms: Annotated[int, Meta(ge=1_000, le=7 * 24 * 3_600_000)] | None = None
    increment_ms: Annotated[int, Meta(ge=0, le=3_600_000)] = 0
    per_move_ms: Annotated[int, Meta(ge=100, le=24 * 3_600_000)] | None = None
    begin_ms: Annotated[int, Meta(ge=0, le=30 * DAY)] | None = None
    per_move_days: Annotated[int, Meta(ge=1, le=30)] | None = None

    @property
    def each_ms(self) -> int | None:
        """The time for each action, however it is said."""
        return self.per_move_ms if self.per_move_days is None else self.per_move_days * DAY

    def fault(self) -> str | None:
        """Return what contradicts itself here, or None."""
        kinds = (self.base_ms, self.per_move_ms, self.per_move_days)
        if sum(kind is not None for kind in kinds) != 1:
            return "a clock has either `base_ms` or `per_move_ms`, or `per_move_days`"
        if self.base_ms is None and self.increment_ms:
            return "a clock for each action has no increment"
        return None


class Options(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What a room plays by.  No `clock`: no time limit.

    The rest is for games that can be played in several ways.  `points`: the matches are games of a
    series to so many points; None: each is by itself.  `cube`: whether anybody doubles; `jacoby`,
    `beavers`: rules of games by themselves; `start`: the name of a start, empty for the usual one;
    `position`: in the game's notation, of any game, where each match begins there.  `sought`: the
    room is of a `seek`, which leaves these terms to who comes; None: somebody has opened it.
    """

    clock: ClockOptions | None = None
    public: bool = True
    rated: bool = False
    points: Whole | None = None
    cube: bool = True
    jacoby: bool = False
    beavers: bool = False
    start: Short = ""
    position: Short = ""
    sought: Annotated[tuple[Term, ...], Meta(max_length=3)] | None = None


class Strength(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """How strongly an invited bot is to play.  `set`: settings such as {"exploration": "1.4"}."""

    level: Level | None = None
    nodes: Annotated[int, Meta(ge=1, le=10**12)] | None = None
    ms: Annotated[int, Meta(ge=1, le=3_600_000)] | None = None
    set: Annotated[dict[Short, Short], Meta(max_length=64)] = {}


class BotInfo(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What a program says of itself.  `slots`: matches at once; `analyses`: games it reviews;
    `considers`: games in any position of which it says what is best.
    """

    program: Short
    version: Short = "0"
    games: Annotated[list[Short], Meta(max_length=64)] = []
    levels: Annotated[int, Meta(ge=0, le=8)] = 0
    slots: Annotated[int, Meta(ge=1, le=1_000)] = 1
    analyses: Annotated[list[Short], Meta(max_length=64)] = []
    considers: Annotated[list[Short], Meta(max_length=64)] = []


class Player(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Who sits at a table.  A bot has a `program`; its `name` is its owner's, and its `level`
    what it says that it plays at, which the server cannot check.

    `claim_ms`: of an absent one, in how long the other side may claim the match; None: never.
    """

    name: str
    program: str | None = None
    absent: bool = False
    claim_ms: Whole | None = None
    level: Level | None = None


class Result(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """How a match ended.  `returns`: points by seat; `winner`: None for a draw or a void match.
    `how` is one of rules, resign, flag, abandon, agreement, abort, illegal, crash, disconnect and
    void; `reason` is the rules' own word ("line", "full", "gammon" ...) where the rules ended it.
    """

    winner: Seat | None
    returns: tuple[Points, Points]
    how: str
    reason: str


class Series(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Where a series stands: the matches of a room until a side has `points`.

    `score`: by seat, after the games that are over; `game`: the number of the game that is on or is
    next, from 1; `crawford`: whether doubling is off in that one; `winner`: of the series, once it
    is over, and then `game` is its last; `conceded`: the other side has given it up.
    """

    points: Whole
    score: tuple[Whole, Whole] = (0, 0)
    game: Whole = 1
    crawford: bool = False
    winner: Seat | None = None
    conceded: bool = False


class Clocks(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Time left when the message was made.  `running`: the seat whose time passes from then on.

    `begin_ms`: how long the player to move has before that, to begin; where no seat is running the
    match is void then.
    """

    remaining: tuple[Whole, Whole]
    increment_ms: Whole = 0
    per_move_ms: Whole | None = None
    running: Annotated[int, Meta(ge=0, le=1)] | None = None
    paused: PauseReason | None = None
    suggested_ms: Whole | None = None
    begin_ms: Whole | None = None


class Offer_(Struct, frozen=True, omit_defaults=True):  # noqa: N801 - `Offer` is the request
    """An open offer: what, and by which seat.  `points`: those of a resignation."""

    kind: OfferKind
    seat: Seat
    points: Whole | None = None


class Event(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One numbered fact of a room, as everybody may see it.
    In `match.events`: actions only (`kind` play, pass, roll, opening).  In `history`: every kind
    that docs/reference/messages.md lists.  `seat` is -1 for a roll.  `note` is what a bot thought.
    """

    seq: Whole
    kind: str
    match: str | None = None
    ply: Whole | None = None
    seat: Annotated[int, Meta(ge=-1, le=1)] | None = None
    action: str | None = None
    spent_ms: Whole | None = None
    lag_ms: Whole | None = None
    note: str | None = None
    at: Whole | None = None
    player: Player | None = None
    players: tuple[Player, Player] | None = None
    game: str | None = None
    rules_version: Whole | None = None
    options: Options | None = None
    offer: OfferKind | None = None
    accept: bool | None = None
    text: str | None = None
    commitment: str | None = None
    salts: tuple[str, str] | None = None
    secret: str | None = None
    result: Result | None = None
    deal: str | None = None
    ladder: str | None = None
    pair: Whole | None = None
    leg: Seat | None = None
    points: Whole | None = None
    series: Series | None = None


class RoomLine(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A room as the lobby shows it.  `state`: waiting, playing, over or closed.

    `position`: of its match, where that is on or was over a short while ago, and is not long.
    """

    room: Whole
    game: str
    state: str
    seats: tuple[Player | None, Player | None]
    options: Options
    match: str | None = None
    ply: Whole = 0
    score: tuple[Points, Points] = (0.0, 0.0)
    ladder: str | None = None
    position: str | None = None
    series: Series | None = None
    name: str = ""


class PersonLine(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A person who is here, as the lobby shows them.  `playing`: a match of theirs is on."""

    name: str
    playing: bool = False


class BotLine(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A connected bot as the lobby shows it.  `free`: slots left."""

    name: str
    program: str
    version: str
    games: list[str]
    levels: Whole
    free: Whole
    analyses: list[str] = []


class GameInfo(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A game of this server.  `start`: its first position; `seats`: what its sides are called."""

    game: str
    title: str
    start: str
    seats: tuple[str, str]
