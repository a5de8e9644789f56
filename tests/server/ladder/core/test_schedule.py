"""Who meets whom next: small ladders, written down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from server.ladder.core.formats import parse_format
from server.ladder.core.rating import Ratings
from server.ladder.core.schedule import Entrant, Field, Pairing, choose, finished
from tests.server.ladder.core.fields import rated

Couples = Iterable[tuple[int, int]]


def bot(
    number: int, *, pairs: int = 0, owner: int | None = None, free: int = 1, running: int = 0
) -> Entrant:
    """An entrant with an owner of its own, unless one is named."""
    who = number if owner is None else owner
    return Entrant(number, f"o{who}/b{number}@1", who, free, pairs, running=running)


def anchor(number: int, pairs: int) -> Entrant:
    """One of the house's own."""
    return replace(bot(number, owner=99, pairs=pairs), anchor=True)


def met(entrant: Entrant, *recent: int) -> Entrant:
    """The same with these last opponents."""
    return Entrant(entrant.number, entrant.title, entrant.owner, entrant.free, len(recent), recent)


def among(couples: Couples) -> Callable[[int, int], bool]:
    pairings = {frozenset(c) for c in couples}
    return lambda a, b: frozenset((a, b)) in pairings


def counted(couples: Couples) -> Callable[[int, int], int]:
    counts = Counter(frozenset(c) for c in couples)
    return lambda a, b: counts[frozenset((a, b))]


def next_pair(
    *entrants: Entrant,
    form: str = "endless",
    played: Couples = (),
    quota: Mapping[int, int] | None = None,
    exhausted: Couples = (),
    ratings: Ratings | None = None,
) -> Pairing | None:
    field = Field(
        parse_format(form), entrants, counted(played), quota or {}, among(exhausted), ratings
    )
    return choose(field)


def pair(*entrants: Entrant, **rest: object) -> tuple[int, int] | None:
    choice = next_pair(*entrants, **rest)  # type: ignore[arg-type]
    return choice and (choice.one, choice.two)


THREE = bot(0), bot(1, pairs=5), bot(2, pairs=9)
FOUR = *THREE, bot(3, pairs=9)
OWNED = bot(0, owner=7), bot(1, owner=8), bot(2, owner=9)
MINE = bot(0, owner=7), bot(1, owner=7)
NINE = [1] * 9 + [2, 3, 4, 5] * 9
FIFTY = [1] * 10 + [2, 3, 4, 5] * 10
OFTEN = met(bot(0), *[1, 1, 1, 2] * 12)
STUCK = met(bot(0), *[1] * 4), met(bot(1), *[0] * 4)  # four in a row
ABOUT_191_ELO = [0, 0, 191]  # p(1 - p) is 0.1875, three quarters of 0.25


def crowd(first: Entrant, *, size: int = 6, free: int = 1) -> tuple[Entrant, ...]:
    """`first`, which is number 0, and others that have played more than it."""
    return (first, bot(1, pairs=101), *(bot(n, pairs=100 + n, free=free) for n in range(2, size)))


# (what is so, who is there, what else is known, who meets whom)
MEETINGS: list[tuple[str, Sequence[Entrant], dict[str, object], tuple[int, int] | None]] = [
    ("nobody is there", (), {}, None),
    ("nobody meets itself", [bot(0, free=9)], {}, None),
    ("nobody meets who has no free slot", [bot(0), bot(1, free=0)], {}, None),
    ("another one has a free slot", [bot(0), bot(1, free=0), bot(2)], {}, (0, 2)),
    # the order
    ("fewest pairs come first",
     [bot(0, pairs=3), bot(1, pairs=2), bot(2, pairs=3), bot(3, pairs=2)], {}, (0, 1)),
    ("fewest pairs go before the lower number",
     [bot(0, pairs=3), bot(1, pairs=2), bot(2, pairs=3)], {"played": [(0, 1)]}, (1, 2)),
    ("of equals the lower number comes first", [bot(2), bot(1), bot(0)], {}, (0, 1)),
    ("an equal opponent tells more than a weak one",
     THREE, {"ratings": rated([0, 600, 40], [100.0] * 3)}, (0, 2)),
    ("the more equal opponent tells more",
     THREE, {"ratings": rated([0, -20, 40], [100.0] * 3)}, (0, 1)),
    ("an uncertain opponent tells more than a certain one",
     THREE, {"ratings": rated([0, 0, 0], [900.0, 100.0, 2_500.0])}, (0, 2)),
    ("a little more doubt outweighs what is less equal",
     THREE, {"ratings": rated(ABOUT_191_ELO, [0.0, 76.0, 100.0])}, (0, 1)),
    ("a little less doubt does not",
     THREE, {"ratings": rated(ABOUT_191_ELO, [0.0, 74.0, 100.0])}, (0, 2)),
    ("of a player that came after the fit a pair tells most",
     THREE, {"ratings": rated([0, 0], [100.0] * 2)}, (0, 2)),
    ("of a player without rating a pair tells most",
     THREE, {"ratings": rated([0, 0, None], [100.0] * 3)}, (0, 2)),
    ("of equal opponents it is the lower number", FOUR, {}, (0, 1)),
    ("of equal opponents it is the one met less", FOUR, {"played": [(0, 1)]}, (0, 2)),
    ("of those met alike the lower number", FOUR, {"played": [(1, 0), (2, 0)]}, (0, 3)),
    # who may not
    ("the next is tried when the first has no opponent",
     [bot(n, pairs=n) for n in range(4)], {"exhausted": [(0, 1), (0, 2), (0, 3)]}, (1, 2)),
    ("an owner without slots waits", OWNED, {"quota": {7: 0, 8: 1, 9: 1}}, (1, 2)),
    ("two owners without slots wait", OWNED, {"quota": {7: 0, 8: 0, 9: 1}}, None),
    ("a pair of one owner takes two of its slots", MINE, {"quota": {7: 1}}, None),
    ("two are enough for it", MINE, {"quota": {7: 2}}, (0, 1)),
    ("without a quota all are free", MINE, {}, (0, 1)),
    ("a pair with another owner takes one",
     [*MINE, bot(2, pairs=9, owner=8)], {"quota": {7: 1, 8: 1}}, (0, 2)),
    ("an exhausted pairing is not played again", THREE[:2], {"exhausted": [(1, 0)]}, None),
    ("another pairing is played instead", THREE, {"exhausted": [(1, 0)]}, (0, 2)),
    # what anchors play among themselves is played for others
    ("two anchors meet while a guest has played more",
     [bot(0, pairs=3, free=0), anchor(1, 2), anchor(2, 2)], {}, (1, 2)),
    ("two anchors that have played as much wait for the guests",
     [bot(0, pairs=3, free=0), anchor(1, 2), anchor(2, 3)], {}, None),
    ("two anchors end a round robin after the guests",
     [bot(0, pairs=2), anchor(1, 2), anchor(2, 3)],
     {"form": "roundrobin:1", "played": [(0, 1), (0, 2)]}, (1, 2)),
    # at most a fifth of an endless ladder
    ("nine of its last fifty are not too many", crowd(met(bot(0), *NINE)), {}, (0, 1)),
    ("after ten of its last fifty a bot meets others", crowd(met(bot(0), *NINE, 1)), {}, (0, 2)),
    ("what the next pair pushes out is not counted",  # the oldest of 50 has gone by then
     crowd(met(bot(0), *FIFTY)), {"played": [(0, n) for n in (2, 3, 4, 5)] * 10}, (0, 1)),
    ("what it leaves is",
     crowd(met(bot(0), 2, *FIFTY[:-1])), {"played": [(0, n) for n in (2, 3, 4, 5)] * 10}, (0, 5)),
    ("the opponent's last fifty count as well",
     [bot(0), *(met(bot(n), *[0] * 10) for n in range(1, 6))], {}, (1, 2)),
    ("five bots may meet as often as they like", crowd(OFTEN, size=5), {}, (0, 1)),
    ("six bots may not", crowd(OFTEN, size=6), {}, (0, 3)),
    ("a bot with fewer than five to meet is not stopped", crowd(met(bot(0), *[1] * 10)),
     {"exhausted": [(0, n) for n in (2, 3, 4, 5)]}, (0, 1)),
    ("those that are busy are to be met", crowd(met(bot(0), *[1] * 10), free=0), {}, None),
    # else bots with one slot, which come free together, would meet nobody but each other
    ("two that are alone may go on", STUCK, {}, (0, 1)),
    ("nobody waits for who is away", [*STUCK, bot(2, free=0)], {}, (0, 1)),
    ("after four in a row two wait for who is busy",
     [*STUCK, bot(2, free=0, running=1)], {}, None),
    ("after four in a row another one is met", [*STUCK, bot(2, pairs=9)], {}, (0, 2)),
    ("after three in a row nobody waits",
     [met(bot(0), *[1] * 3), met(bot(1), *[0] * 3), bot(2, free=0, running=1)], {}, (0, 1)),
    ("nobody waits for an exhausted pairing", [*STUCK, bot(2, free=0, running=1)],
     {"exhausted": [(0, 2), (1, 2)]}, (0, 1)),
    ("in a round robin nobody waits", [*STUCK, bot(2, free=0, running=1)],
     {"form": "roundrobin:9"}, (0, 1)),
    # formats
    ("in a round robin those meet that have not", [bot(0), bot(1), bot(2)],
     {"form": "roundrobin:2", "played": [(0, 1), (1, 2)] * 2}, (0, 2)),
    ("a round robin ends when each two have played theirs", [bot(0), bot(1), bot(2)],
     {"form": "roundrobin:2", "played": [(0, 1), (1, 2), (0, 2)] * 2}, None),
    ("in a gauntlet all meet the one", THREE, {"form": "gauntlet:b2"}, (0, 2)),
    ("in a gauntlet others wait for the one",
     [bot(0), bot(1), bot(2, pairs=50, free=0)], {"form": "gauntlet:b2"}, None),
    ("in a test of two the others wait",
     [bot(0), bot(1, pairs=4), bot(2), bot(3, pairs=3)], {"form": "sprt:o3/b3@1,b1"}, (1, 3)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("entrants", "rest", "meet"), [row[1:] for row in MEETINGS], ids=[row[0] for row in MEETINGS]
)
def test_who_meets_whom(
    entrants: Sequence[Entrant], rest: dict[str, object], meet: tuple[int, int] | None
) -> None:
    assert pair(*entrants, **rest) == meet


def test_between_groups_a_rating_says_nothing() -> None:
    apart = replace(rated([0, 0, 3_000], [100.0] * 3), group=(0, 0, 1))
    why = "o0/b0@1 has fewest pairs (0); of o2/b2@1 against it nothing is known yet"
    assert next_pair(*THREE, ratings=apart) == Pairing(0, 2, why)


def test_the_first_move_of_leg_0_goes_to_each_in_turn() -> None:
    orders = [pair(bot(0), bot(1), played=[(0, 1)] * n) for n in range(4)]
    assert orders == [(0, 1), (1, 0), (0, 1), (1, 0)]


def test_the_order_of_the_entrants_does_not_matter() -> None:
    bots = [bot(n, pairs=n % 3, owner=n // 2) for n in range(8)]
    assert next_pair(*bots, quota={0: 1}) == next_pair(*reversed(bots), quota={0: 1})


@pytest.mark.parametrize("form", ["roundrobin:99", "gauntlet:b1", "sprt:b0,b1"])
def test_only_an_endless_ladder_has_a_limit(form: str) -> None:
    often = [met(bot(0), *[1] * 30), met(bot(1, free=2), *[0] * 30)]
    busy = [bot(n, pairs=99, free=0) for n in range(2, 6)]
    assert pair(*often, *busy, form=form) == (0, 1)
    assert pair(*often, *busy) is None
    assert pair(*often, *(bot(n, pairs=99) for n in range(2, 6))) == (0, 2)


TITLES = {0: "house/random@1", 3: "ann/mcts@1", 4: "ann/mcts@2"}
ALL = [(0, 3), (0, 4), (3, 4)]


@pytest.mark.parametrize(
    ("form", "scored", "exhausted", "over"),
    [
        ("roundrobin:1", ALL, [], True),
        ("roundrobin:1", ALL[1:], [], False),
        ("roundrobin:2", ALL * 2, [], True),
        ("roundrobin:2", [*ALL, *ALL[:2]], [], False),
        ("roundrobin:2", [*ALL, *ALL[:2]], [(4, 3)], True),
        ("endless", ALL * 9, [], False),
        ("endless", ALL * 9, ALL, False),
        ("gauntlet:random", ALL * 9, ALL, False),
        ("sprt:mcts@2,mcts@1", ALL * 99, [], False),
        ("sprt:mcts@2,mcts@1", ALL * 99, [(0, 3), (0, 4)], False),
        ("sprt:mcts@2,mcts@1", [], [(3, 4)], True),
        ("sprt:mcts@3,mcts@1", [], ALL, False),
    ],
)
def test_when_a_ladder_is_finished(
    form: str, scored: Couples, exhausted: Couples, over: bool
) -> None:
    assert finished(parse_format(form), TITLES, counted(scored), among(exhausted)) is over


def test_a_round_robin_waits_for_its_second_player() -> None:
    for players in ({}, {0: "house/random@1"}):
        assert not finished(parse_format("roundrobin:1"), players, counted([]), among([]))


@pytest.mark.parametrize(
    ("entrants", "rest", "why"),
    [
        ([bot(0, pairs=3), bot(1, pairs=4), bot(2, pairs=4)],
         {"ratings": rated([0, 20, 900], [900.0, 981.0, 900.0])},
         "o0/b0@1 has fewest pairs (3); against o1/b1@1 tells most: p 0.47, ±85"),
        ([bot(0, pairs=3), bot(1, pairs=4)], {},
         "o0/b0@1 has fewest pairs (3); o1/b1@1 alone is free for it"),
        ([bot(0), bot(1, pairs=4), bot(2, pairs=5)], {"exhausted": [(0, 1), (0, 2)]},
         "o1/b1@1 has fewest pairs (4) of those that have an opponent now;"
         " o2/b2@1 alone is free for it"),
    ],
    ids=["it tells most", "there was no other", "others with fewer pairs had to wait"],
)  # fmt: skip
def test_the_table_says_why(entrants: list[Entrant], rest: dict[str, Any], why: str) -> None:
    choice = next_pair(*entrants, **rest)
    assert choice is not None
    assert choice.why == why
