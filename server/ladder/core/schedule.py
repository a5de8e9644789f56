"""Who meets whom next on a ladder: one pair at a time, whenever a slot has come free.

Of the players with a free slot the one with fewest pairs comes first, and of its opponents the one
against which a pair tells most: where p(1 - p) times the variance of the difference is largest, p
being the score to be expected.  That is what a pair is expected to add to the fit (the information
of Bradley-Terry, weighed by what is not known yet); it places a newcomer faster than choosing the
nearest rating or the fewest pairs.  No player is idle while one that it may meet is free; only two
that met several times in a row wait for others to come free, and two anchors for the others to have
played as much: what those play among themselves no player pays for.

To look costs what is free: who has no slot is passed over, and so are all of one owner at once
where those do not meet, and players whom a format does not name beside each other.

Everything is decided from values, so a ladder goes on in the same way after a restart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from itertools import combinations
from typing import Final, TypeAlias

from msgspec import Struct

from server.ladder.core.formats import Format
from server.ladder.core.rating import NORMAL, UNKNOWN, Ratings, expected

WINDOW: Final = 50  # pairs of a bot that are looked at
MAX_ALIKE: Final = WINDOW // 5  # of them against one opponent
IN_A_ROW: Final = 4  # pairs of the same two, while either has another opponent
ENOUGH: Final = 5  # opponents that a bot has to have for that: six are connected
GIFTS: Final = 2  # pairs of two of whom one gives up against the other alone ...
RARE: Final = 100  # ... and one more for so many that both have played

Count: TypeAlias = Callable[[int, int], int]  # of two players' numbers, in either order
Test: TypeAlias = Callable[[int, int], bool]


def never(one: int, two: int) -> bool:
    """Return that it is so of no two players."""
    return False


class Entrant(Struct, frozen=True):
    """A player that is connected and not suspended.

    `pairs` counts those that are finished or running; `recent` holds the opponents of the last 50
    of them, newest last.  A void pair is in neither: it is played again.  `running`: its pairs that
    are on.
    """

    number: int
    title: str  # owner/program@version
    owner: int
    free: int  # slots that it can use now
    pairs: int
    recent: tuple[int, ...] = ()
    running: int = 0
    anchor: bool = False


class Pairing(Struct, frozen=True):
    """A pair to be played: `one` moves first in its leg 0.  `why`: a sentence for the table."""

    one: int
    two: int
    why: str


class Field(Struct, frozen=True):
    """Everything that the choice of a pairing depends on.

    `played`: pairs of two, finished and running.  `quota`: the slots that each owner may still use;
    one that is not in it may use any number.  `exhausted`: whether another pair of two tells
    nothing new: they always play alike and have played all openings, or may never meet, such
    as two bots of one owner.  `one_sided`: whether one of two gives up against the other alone.
    `ratings` may be older than the newest players.  `kin`: whether two of this owner meet at all;
    `served`: owners that begin no pair with an anchor now, as one of them, or of their address, is
    in such a pair already.
    """

    form: Format
    entrants: tuple[Entrant, ...]
    played: Count
    quota: Mapping[int, int]
    exhausted: Test
    ratings: Ratings | None = None
    one_sided: Test = never
    kin: Callable[[int], bool] = lambda owner: True
    served: Set[int] = frozenset()


def choose(field: Field) -> Pairing | None:
    """Return the next pair; None when no two with a free slot may meet now."""
    pairing = _choose(field, rested=True)
    if pairing is None and not any(e.running for e in field.entrants):
        pairing = _choose(field, rested=False)  # there is no player to wait for
    return pairing


def _choose(field: Field, rested: bool) -> Pairing | None:
    """Return the next pair; if `rested`, of two that have not met too often in a row."""
    ready = [e for e in field.entrants if e.free > 0 and field.quota.get(e.owner, 1) > 0]
    ready.sort(key=lambda e: (e.pairs, e.number))
    named = [place for place, e in enumerate(ready) if field.form.is_named(e.title)]
    strangers = _strangers(ready)
    for place, first in enumerate(ready):
        if not strangers and not field.kin(first.owner):
            continue  # all who are free are its own kin
        # Those before it have been tried: the same two would be refused again.
        behind: Iterable[Entrant] = ready[place + 1 :]
        if len(named) < len(ready) and not field.form.is_named(first.title):
            behind = (ready[at] for at in named if at > place)
        opponents = [e for e in behind if _may_meet(field, first, e)]
        if rested:
            opponents = [
                e for e in opponents if not (_tired(field, first, e) or _tired(field, e, first))
            ]
        if opponents:
            second = max(opponents, key=lambda e: _worth(field, first, e))
            why = _why(field, first, second, alone=len(opponents) == 1, skipped=place > 0)
            one, two = sorted((first.number, second.number))
            if field.played(one, two) % 2:
                one, two = two, one
            return Pairing(one, two, why)
    return None


def _strangers(ready: Sequence[Entrant]) -> bool:
    """Return whether there are two of different owners."""
    return any(e.owner != ready[0].owner for e in ready)


def finished(form: Format, players: Mapping[int, str], scored: Count, exhausted: Test) -> bool:
    """Return whether there is nothing left to play, ever.

    Args:
        players: all that the ladder is for, by number, with their titles.
        scored: finished pairs of two.

    A round robin ends when each two have played theirs, a test of two that can tell no more has its
    result (what it shows before that is for core/sprt.py); others wait for new players.
    """
    meeting = (c for c in combinations(players, 2) if form.pairs_up(players[c[0]], players[c[1]]))
    if form.kind.counts:
        return len(players) > 1 and all(
            scored(a, b) >= form.pairs or exhausted(a, b) for a, b in meeting
        )
    if form.kind.tests:
        done = [exhausted(a, b) for a, b in meeting]
        return bool(done) and all(done)
    return False


def _may_meet(field: Field, a: Entrant, b: Entrant) -> bool:
    """Return whether these two, each with a free slot, may play a pair now."""
    if a.owner == b.owner and field.quota.get(a.owner, 2) < 2:
        return False
    if not _meet_at_all(field, a, b) or _is_served(field, a, b):
        return False
    if _have_met(field, a, b) or (a.anchor and b.anchor and _are_ahead(field, a, b)):
        return False
    return not (_sated(field, a, b) or _sated(field, b, a) or _is_gift(field, a, b))


def _is_served(field: Field, a: Entrant, b: Entrant) -> bool:
    """Return whether one of them is an anchor, and the other's owner begins no pair with one."""
    return a.anchor != b.anchor and (b if a.anchor else a).owner in field.served


def _have_met(field: Field, a: Entrant, b: Entrant) -> bool:
    """Return whether two have played all pairs that a format has for them."""
    return bool(field.form.pairs) and field.played(a.number, b.number) >= field.form.pairs


def _are_ahead(field: Field, a: Entrant, b: Entrant) -> bool:
    """Return whether one of two anchors has as many pairs as any guest, of whom one has more to
    come: else a bot that joins and never moves would have them play all day.
    """
    guests = [e for e in field.entrants if not e.anchor]
    if max(a.pairs, b.pairs) < max((e.pairs for e in guests), default=0):
        return False
    return any(
        _meet_at_all(field, guest, e) and not _have_met(field, guest, e)
        for guest in guests
        for e in field.entrants
        if e.number != guest.number
    )


def _meet_at_all(field: Field, a: Entrant, b: Entrant) -> bool:
    return field.form.pairs_up(a.title, b.title) and not field.exhausted(a.number, b.number)


def _sated(field: Field, a: Entrant, b: Entrant) -> bool:
    """Return whether another pair would make too many of a's last 50 against b.

    The rule holds only for a player with five opponents or more, not counting those that give up
    against it alone, and so leaves it an opponent: of 49 pairs against five, at most nine are
    against the same one.  The rule never stops everybody: of all players that it holds for, the one
    whose 49 pairs began first may still meet its opponent, whose own 49 pairs contain no more of
    theirs.
    """
    if not field.form.kind.varied or a.recent[1 - WINDOW :].count(b.number) < MAX_ALIKE:
        return False
    return _has(ENOUGH, (e for e in field.entrants if e is not a and _is_even(field, a, e)))


def _is_gift(field: Field, a: Entrant, b: Entrant) -> bool:
    """Return whether another pair would be one too many of two of whom one always gives up.

    So a few names that only resign to another one cannot lift it: what they give away does not grow
    with the ladder.  Where one of the two has no more than one other opponent, it may go on.
    """
    if not field.form.kind.varied or not field.one_sided(a.number, b.number):
        return False
    if field.played(a.number, b.number) < GIFTS + min(a.pairs, b.pairs) // RARE:
        return False
    return all(
        _has(2, (e for e in field.entrants if e.number != x.number and _is_even(field, x, e)))
        for x in (a, b)
    )


def _is_even(field: Field, a: Entrant, b: Entrant) -> bool:
    """Return whether two meet at all, and neither gives up against the other alone."""
    return _meet_at_all(field, a, b) and not field.one_sided(a.number, b.number)


def _tired(field: Field, a: Entrant, b: Entrant) -> bool:
    """Return whether a has met b so often in a row that it waits for somebody else, who is here.

    Two bots with one slot each come free together; if they then met again and again, the ladder
    would fall into islands that nothing compares.
    """
    if not field.form.kind.varied or a.recent[-IN_A_ROW:] != (b.number,) * IN_A_ROW:
        return False
    others = (e for e in field.entrants if e.number not in (a.number, b.number))
    return any(
        (e.free > 0 or e.running > 0)
        and _meet_at_all(field, a, e)
        and not (a.owner == e.owner and field.quota.get(a.owner, 2) < 2)
        for e in others
    )


def _has(n: int, things: Iterable[object]) -> bool:
    return any(count >= n for count, _ in enumerate(things, 1))


def _outlook(ratings: Ratings | None, a: Entrant, b: Entrant) -> tuple[float, float]:
    """The score that a may expect against b, and the variance of their difference in Elo^2."""
    if ratings is None or max(a.number, b.number) >= len(ratings.elo):
        return 0.5, UNKNOWN
    mine, other = ratings.elo[a.number], ratings.elo[b.number]
    variance = ratings.spread(a.number, b.number)
    if mine is None or other is None or variance >= UNKNOWN:
        return 0.5, UNKNOWN
    return expected(mine - other), variance


def _worth(field: Field, a: Entrant, b: Entrant) -> tuple[float, int, int]:
    """Larger for the better opponent b: what it tells, then the fewer pairs, then the number."""
    p, variance = _outlook(field.ratings, a, b)
    return p * (1 - p) * variance, -field.played(a.number, b.number), -b.number


def _why(field: Field, first: Entrant, second: Entrant, *, alone: bool, skipped: bool) -> str:
    """The sentence: why this one, and why against that one.  ± is half the 95 % interval in Elo."""
    p, variance = _outlook(field.ratings, first, second)
    outlook = f"p {p:.2f}, ±{NORMAL * variance**0.5:.0f}"
    fewest = f"{first.title} has fewest pairs ({first.pairs})"
    if skipped:
        fewest += " of those that have an opponent now"
    if alone:
        return f"{fewest}; {second.title} alone is free for it"
    if variance >= UNKNOWN:
        return f"{fewest}; of {second.title} against it nothing is known yet"
    return f"{fewest}; against {second.title} tells most: {outlook}"
