"""The messages of ladders, one frozen Struct each; docs/reference/ladders.md says what each
of them means.

A *player* of a ladder is `owner/program@version`; a *pair* is two matches, its legs, with the same
opening or the same dice and seats swapped.  Elo means expected score; what follows a ± is half of a
95 % interval, that of a player's rating of its distance to the *field*, the mean of all ratings.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, NamedTuple

from msgspec import Meta, Struct

from protocol.errors import Code
from protocol.messages import Push, Request
from protocol.parts import ClockOptions, Points, Result, Short, Whole
from protocol.request import of_module

MIN_PAIRS: Final = 64  # pairs before a test of two bots says anything
MAX_ELO: Final = 1_000  # that a test may ask for
MAX_COMPARED: Final = 40  # players, each with each: 780 differences
MAX_RIVALS: Final = 400  # of one player
MAX_PAIRS: Final = 100_000  # of each two: more are endless


class FormatKind(NamedTuple):
    """A kind of format: how it is typed, and what is to be known of that.

    `names`: so many bots are named; of one, each pair has it, and of two, no others play.
    `counts`: it says how many pairs each two play, and is finished after them.
    `tests`: it asks whether the first of two is better, and is finished when they can tell no more.
    `varied`: no player is paired with the same one too often, or against gifts.
    """

    usage: str
    detail: str = ""
    names: int = 0
    counts: bool = False
    tests: bool = False
    varied: bool = False


FORMATS: Final = {
    # All against all, for as long as it is let.
    "endless": FormatKind("endless", varied=True),
    "roundrobin": FormatKind("roundrobin:N", f"N pairs of each two, 1 to {MAX_PAIRS}", counts=True),
    "gauntlet": FormatKind("gauntlet:BOT", names=1),  # all against one
    "sprt": FormatKind(
        "sprt:NEW,OLD",
        "behind it elo0=, elo1=, alpha=, beta=, where elo0 < elo1 and the others are 0.001 to 0.3",
        names=2,
        tests=True,
    ),
}
_USAGES: Final = [kind.usage for kind in FORMATS.values()]
USAGE: Final = f"{', '.join([f'{_USAGES[0]} (default)', *_USAGES[1:-1]])} or {_USAGES[-1]}"


class LadderLine(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A ladder as the list shows it.  `players` and `pairs` count all there have been.

    `invited`: only its members, and who has its code, join; `siblings`: two bots of one owner meet;
    `by_owner`: each owner counts once in the ratings.
    """

    name: str
    game: str
    format: str
    clock: ClockOptions
    state: Literal["running", "finished"]
    owner: str
    at: Whole
    players: Whole = 0
    here: Whole = 0
    pairs: Whole = 0
    invited: bool = False
    siblings: bool = False
    by_owner: bool = False


class Standing(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A player's row.  `score` counts match points of `pairs`, each of which has two.

    `rating` and `error` are null before its first pair; `error` is the ± of its distance to the
    mean of its group, which for the first group is `field` in LadderState; `group` is above 0 where
    no chain of pairs leads to the first group, so that the two cannot be compared.  `uneven`: how
    far its results against single opponents depart from its rating, as a normal deviate: above 3
    chance hardly does that, and `most_from` names the opponent that gave it most beyond its rating.
    `former`: its owner does not have this name any more.
    """

    player: str
    rank: Whole
    rating: float | None = None
    error: float | None = None
    group: Whole = 0
    pairs: Whole = 0
    score: Points = 0.0
    wins: Whole = 0
    draws: Whole = 0
    losses: Whole = 0
    lost_by: dict[str, Whole] = {}
    voids: Whole = 0
    points: float | None = None
    points_error: float | None = None
    move_ms: float | None = None
    slots: Whole = 0
    busy: Whole = 0
    anchor: bool = False
    suspended: str | None = None
    uneven: float | None = None
    most_from: str | None = None
    former: bool = False


class Cross(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A cell of the crosstable: `one` and `two` are places in `standings`, `score` is `one`'s."""

    one: Whole
    two: Whole
    pairs: Whole
    score: Points
    exact: bool = False


class PairLeg(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One match of a pair; `match` is null before it has begun."""

    match: str | None = None
    result: Result | None = None
    plies: Whole = 0


class PairLine(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A pair: in leg 0 `one` has seat 0.  `void`: why it did not count."""

    pair: Whole
    one: str
    two: str
    at: Whole
    legs: tuple[PairLeg, PairLeg]
    opening: tuple[str, ...] = ()
    why: str = ""
    void: str | None = None


class Hypotheses(Struct, frozen=True):
    """What a test is between: `elo0` and `elo1` stronger; `alpha`: how often it may say `better`
    where `elo0` is true, `beta`: how often `not better` where `elo1` is.
    """

    elo0: float = 0.0
    elo1: float = 30.0
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        """Check them; raises ValueError with what is allowed."""
        if not -MAX_ELO <= self.elo0 < self.elo1 <= MAX_ELO:
            raise ValueError(f"a test needs elo0 < elo1, both within {MAX_ELO} of 0")
        if not (0.001 <= self.alpha <= 0.3 and 0.001 <= self.beta <= 0.3):
            raise ValueError("alpha and beta of a test are 0.001 to 0.3")


USUAL: Final = Hypotheses()


class Verdict(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What a test of two bots says so far; `more`: about how many pairs it still takes.

    It is between `elo0` and `elo1` stronger, wrong in at most `alpha` and `beta` of tests, and says
    nothing before `least` pairs.
    """

    word: str
    text: str
    pairs: Whole
    llr: float = 0.0
    lower: float = 0.0
    upper: float = 0.0
    more: Whole | None = None
    elo0: float = 0.0
    elo1: float = 30.0
    alpha: float = 0.05
    beta: float = 0.05
    least: Whole = 64


class LadderWait(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What a ladder waits for while no pair is on, or which bots never meet on it.

    `why`: a word for programs, which may meet new ones; `text`: the sentence for people; `players`:
    whom it is about, the first of `count`.
    """

    why: str
    text: str
    players: tuple[str, ...] = ()
    count: Whole = 0


class Difference(Struct, frozen=True):
    """How much stronger `one` is than `two`, places in `players`, and the ± of that.

    `los`, the likelihood of superiority: the chance that `one` is the better of the two.
    """

    one: Whole
    two: Whole
    elo: float
    error: float
    los: float


class RatingOf(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What a player was rated, in Elo, and the ± of that."""

    player: str
    rating: float
    error: float


class RatingPoint(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """The ratings after so many pairs."""

    at: Whole
    pairs: Whole
    ratings: tuple[RatingOf, ...]


class LadderCreate(Request, frozen=True, tag="ladder_create"):
    """Open a ladder.  `quota`: pairs that one owner's bots may play at once; `players`: how many
    have to join before the first pair begins, anchors left out.

    `members`, `code`: who may join, by name or with the code, everybody where neither is there;
    `siblings`: two bots of one owner meet, as the bots of the ladder's owner always do; `by_owner`:
    each owner counts once in the ratings, whichever number of bots and names it plays with.
    """

    price = 3_000  # stored for good
    answer = "ladder"
    begins = True
    refusals = (Code.LOBBY_UNKNOWN_GAME, Code.LADDER_BAD_FORMAT, Code.LADDER_BAD_NAME,
                Code.LADDER_BAD_OPTION, Code.LADDER_NAME_TAKEN, Code.LADDER_NO_RATINGS,
                Code.LADDER_TOO_MANY)  # fmt: skip
    name: Short
    game: Short
    clock: ClockOptions
    format: Short = "endless"
    quota: Annotated[int, Meta(ge=1, le=1_000)] = 16
    seed: Whole | None = None
    players: Annotated[int, Meta(ge=1, le=1_000)] = 1
    members: Annotated[tuple[Short, ...], Meta(max_length=256)] = ()
    code: Short | None = None
    siblings: bool = False
    by_owner: bool = False


class LadderJoin(Request, frozen=True, tag="ladder_join"):
    """A bot joins, for good.  `salt`: its share of all dice; `slots`: its pairs at once.

    `code`: of a ladder that is for who was invited.
    """

    refusals = (Code.MATCH_BAD_SALT, Code.LADDER_FINISHED, Code.LADDER_NOT_A_BOT,
                Code.LADDER_NOT_INVITED, Code.LADDER_QUOTA, Code.LADDER_SUSPENDED,
                Code.LADDER_UNKNOWN, Code.LADDER_VERSION_CLASH, Code.LADDER_WRONG_GAME)  # fmt: skip
    ladder: Short
    salt: Short | None = None
    slots: Annotated[int, Meta(ge=1, le=1_000)] | None = None
    code: Short | None = None


class LadderLeave(Request, frozen=True, tag="ladder_leave"):
    """A bot begins no more pairs; it plays those that are on to their end."""

    refusals = (Code.LADDER_NOT_JOINED, Code.LADDER_UNKNOWN)
    ladder: Short


class LadderStatus(Request, frozen=True, tag="ladder_status"):
    """Ask for a ladder's standings, now or with `follow` always; no name: for the list."""

    price = 60
    answer = "ladder"  # or `ladders`, the list
    repeatable = True
    refusals = (Code.LADDER_UNKNOWN,)
    ladder: Short | None = None
    follow: bool = False


class LadderPairs(Request, frozen=True, tag="ladder_pairs"):
    """Ask for the pairs that are over, without the first `since`, a page at a time."""

    price = 500
    answer = "ladder_pairs"
    repeatable = True
    refusals = (Code.LADDER_UNKNOWN,)
    ladder: Short
    since: Whole = 0


class LadderHistory(Request, frozen=True, tag="ladder_history"):
    """Ask for the ratings over time."""

    price = 3_000
    answer = "ladder_history"
    repeatable = True
    refusals = (Code.LADDER_UNKNOWN,)
    ladder: Short


class LadderCompare(Request, frozen=True, tag="ladder_compare"):
    """Ask how players differ: each of these from each, one from all, or none: the best ones.

    A player is `owner/program@version`, or a part of that which means one player alone.
    """

    price = 200  # beside each difference
    answer = "ladder_compare"
    repeatable = True
    refusals = (Code.LADDER_NO_PLAYER, Code.LADDER_UNKNOWN)
    ladder: Short
    players: Annotated[tuple[Short, ...], Meta(max_length=MAX_COMPARED)] = ()


class LadderStop(Request, frozen=True, tag="ladder_stop"):
    """The ladder's owner ends it; pairs that are on are void."""

    refusals = (Code.LADDER_FINISHED, Code.LADDER_NOT_OWNER, Code.LADDER_UNKNOWN)
    ladder: Short


class LadderDrop(Request, frozen=True, tag="ladder_drop"):
    """The ladder's owner has a player begin no more pairs, for good; those that are on go on.

    `player`: `owner/program@version`, or a part of that which means one player alone.
    """

    refusals = (Code.LADDER_FINISHED, Code.LADDER_NO_PLAYER, Code.LADDER_NOT_OWNER,
                Code.LADDER_UNKNOWN)  # fmt: skip
    ladder: Short
    player: Short


class Ladders(Push, frozen=True, tag="ladders"):
    """All ladders of this server, newest first."""

    ladders: tuple[LadderLine, ...]


class LadderState(Push, frozen=True, tag="ladder"):
    """The standings of a ladder, and all about it.  `rated`: how many pairs the ratings rest on.

    `field`: the mean of all ratings that can be compared, from which `error` counts.
    """

    ladder: LadderLine
    seq: Whole
    standings: tuple[Standing, ...] = ()
    cross: tuple[Cross, ...] = ()
    live: tuple[PairLine, ...] = ()
    recent: tuple[PairLine, ...] = ()
    rated: Whole = 0
    pinned: str | None = None
    field: float | None = None
    first_move: float | None = None
    first_move_error: float | None = None
    verdict: Verdict | None = None
    waits: tuple[LadderWait, ...] = ()


class PairPage(Push, frozen=True, tag="ladder_pairs"):
    """Pairs in order.  `next`: the `since` of the next page; absent on the last one."""

    ladder: str
    pairs: tuple[PairLine, ...]
    next: Whole | None = None


class RatingHistory(Push, frozen=True, tag="ladder_history"):
    """The ratings after growing numbers of pairs."""

    ladder: str
    points: tuple[RatingPoint, ...]


class LadderDifferences(Push, frozen=True, tag="ladder_compare"):
    """How these players differ.  Two that nothing compares, or unrated ones, are in no row."""

    ladder: str
    rated: Whole
    players: tuple[str, ...]
    differences: tuple[Difference, ...]


class LadderTold(Push, frozen=True, tag="ladder_told"):
    """News for a bot's owner, such as that the bot is suspended, or that the ladder is over."""

    ladder: str
    code: str
    text: str


LADDER_PARTS: tuple[type[Struct], ...] = (
    LadderLine, Standing, Cross, PairLine, PairLeg, Verdict, LadderWait, RatingPoint, RatingOf,
    Difference,
)  # fmt: skip
LADDER_REQUESTS = of_module(Request, __name__)
LADDER_REPLIES = of_module(Push, __name__)
