"""Who meets whom next: small ladders, written down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import pytest

from server.ladder.formats import parse_format
from server.ladder.rating import Ratings
from server.ladder.schedule import Choice, Entrant, Field, choose, finished

Couples = Iterable[tuple[int, int]]


def bot(
    number: int, *, pairs: int = 0, owner: int | None = None, free: int = 1, running: int = 0
) -> Entrant:
    """An entrant with an owner of its own, unless one is named."""
    who = number if owner is None else owner
    return Entrant(number, f"o{who}/b{number}@1", who, free, pairs, running=running)


def met(entrant: Entrant, *recent: int) -> Entrant:
    """The same with these last opponents."""
    return Entrant(entrant.number, entrant.title, entrant.owner, entrant.free, len(recent), recent)


def rated(elo: Sequence[float | None], variance: Sequence[float]) -> Ratings:
    """Ratings in one group that know nothing of two players together."""
    n = len(elo)
    rows = tuple([tuple([variance[i] if i == j else 0.0 for j in range(n)]) for i in range(n)])
    return Ratings(tuple(elo), (0.0,) * n, (0,) * n, 0.0, 0.0, rows)


def among(couples: Couples) -> Callable[[int, int], bool]:
    found = {frozenset(c) for c in couples}
    return lambda a, b: frozenset((a, b)) in found


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
) -> Choice | None:
    field = Field(
        parse_format(form), entrants, counted(played), quota or {}, among(exhausted), ratings
    )
    return choose(field)


def pair(*entrants: Entrant, **rest: object) -> tuple[int, int] | None:
    choice = next_pair(*entrants, **rest)  # type: ignore[arg-type]
    return choice and (choice.one, choice.two)


# ---------------------------------------------------------------- the order


def test_fewest_pairs_come_first_and_then_the_lower_number() -> None:
    assert pair(bot(0, pairs=3), bot(1, pairs=2), bot(2, pairs=3), bot(3, pairs=2)) == (0, 1)
    assert pair(bot(0, pairs=3), bot(1, pairs=2), bot(2, pairs=3), played=[(0, 1)]) == (1, 2)
    assert pair(bot(2), bot(1), bot(0)) == (0, 1)


def test_an_equal_opponent_tells_more_than_a_weak_one() -> None:
    bots = bot(0), bot(1, pairs=5), bot(2, pairs=9)
    assert pair(*bots, ratings=rated([0, 600, 40], [100.0] * 3)) == (0, 2)
    assert pair(*bots, ratings=rated([0, -20, 40], [100.0] * 3)) == (0, 1)


def test_an_uncertain_opponent_tells_more_than_a_certain_one() -> None:
    bots = bot(0), bot(1, pairs=5), bot(2, pairs=9)
    assert pair(*bots, ratings=rated([0, 0, 0], [900.0, 100.0, 2_500.0])) == (0, 2)


def test_what_a_pair_tells_is_a_product() -> None:
    """At 191 Elo p(1 - p) is 0.1875, three quarters of 0.25."""
    bots = bot(0), bot(1, pairs=5), bot(2, pairs=9)
    assert pair(*bots, ratings=rated([0, 0, 191], [0.0, 76.0, 100.0])) == (0, 1)
    assert pair(*bots, ratings=rated([0, 0, 191], [0.0, 74.0, 100.0])) == (0, 2)


@pytest.mark.parametrize("known", [rated([0, 0], [100.0] * 2), rated([0, 0, None], [100.0] * 3)])
def test_of_a_player_without_rating_a_pair_tells_most(known: Ratings) -> None:
    assert pair(bot(0), bot(1, pairs=5), bot(2, pairs=9), ratings=known) == (0, 2)


def test_between_groups_a_rating_says_nothing() -> None:
    apart = rated([0, 0, 3_000], [100.0] * 3)
    apart = Ratings(apart.elo, apart.error, (0, 0, 1), 0.0, 0.0, apart.covariance)
    choice = next_pair(bot(0), bot(1, pairs=5), bot(2, pairs=9), ratings=apart)
    assert choice == Choice(
        0, 2, "o0/b0@1 has fewest pairs (0); of o2/b2@1 against it nothing is known yet"
    )


def test_of_equal_opponents_it_is_the_one_met_less_and_then_the_lower_number() -> None:
    bots = bot(0), bot(1, pairs=5), bot(2, pairs=9), bot(3, pairs=9)
    assert pair(*bots) == (0, 1)
    assert pair(*bots, played=[(0, 1)]) == (0, 2)
    assert pair(*bots, played=[(1, 0), (2, 0)]) == (0, 3)


def test_the_first_move_of_leg_0_goes_to_each_in_turn() -> None:
    bots = bot(0), bot(1)
    orders = [pair(*bots, played=[(0, 1)] * n) for n in range(4)]
    assert orders == [(0, 1), (1, 0), (0, 1), (1, 0)]


def test_the_order_of_the_entrants_does_not_matter() -> None:
    bots = [bot(n, pairs=n % 3, owner=n // 2) for n in range(8)]
    assert next_pair(*bots, quota={0: 1}) == next_pair(*reversed(bots), quota={0: 1})


# ---------------------------------------------------------------- who may not


def test_nobody_meets_itself_or_somebody_without_a_free_slot() -> None:
    assert pair() is None
    assert pair(bot(0, free=9)) is None
    assert pair(bot(0), bot(1, free=0)) is None
    assert pair(bot(0), bot(1, free=0), bot(2)) == (0, 2)


def test_the_next_is_tried_when_the_first_has_no_opponent() -> None:
    alone = [(0, 1), (0, 2), (0, 3)]
    bots = [bot(n, pairs=n) for n in range(4)]
    assert pair(*bots, exhausted=alone) == (1, 2)


def test_an_owner_without_slots_waits() -> None:
    bots = bot(0, owner=7), bot(1, owner=8), bot(2, owner=9)
    assert pair(*bots, quota={7: 0, 8: 1, 9: 1}) == (1, 2)
    assert pair(*bots, quota={7: 0, 8: 0, 9: 1}) is None


def test_a_pair_of_one_owner_takes_two_of_its_slots() -> None:
    mine = bot(0, owner=7), bot(1, owner=7)
    assert pair(*mine, quota={7: 1}) is None
    assert pair(*mine, quota={7: 2}) == (0, 1)
    assert pair(*mine) == (0, 1)
    assert pair(*mine, bot(2, pairs=9, owner=8), quota={7: 1, 8: 1}) == (0, 2)


def test_an_exhausted_pairing_is_not_played_again() -> None:
    assert pair(bot(0), bot(1), exhausted=[(1, 0)]) is None
    assert pair(bot(0), bot(1), bot(2), exhausted=[(1, 0)]) == (0, 2)


# ---------------------------------------------------------------- at most a fifth


def crowd(first: Entrant, *, size: int = 6) -> list[Entrant]:
    """`first`, which is number 0, and others that have played more than it."""
    return [first, *(bot(n, pairs=100 + n) for n in range(1, size))]


def test_after_ten_of_its_last_fifty_a_bot_meets_others() -> None:
    nine = [1] * 9 + [2, 3, 4, 5] * 9
    assert pair(*crowd(met(bot(0), *nine))) == (0, 1)
    assert pair(*crowd(met(bot(0), *nine, 1))) == (0, 2)


def test_what_the_next_pair_pushes_out_is_not_counted() -> None:
    """The oldest of 50 has gone when the next one is there."""
    fifty = [1] * 10 + [2, 3, 4, 5] * 10
    more = [(0, n) for n in (2, 3, 4, 5)] * 10
    assert pair(*crowd(met(bot(0), *fifty)), played=more) == (0, 1)
    assert pair(*crowd(met(bot(0), 2, *fifty[:-1])), played=more) != (0, 1)


def test_the_opponent_s_last_fifty_count_as_well() -> None:
    others = [met(bot(n), *[0] * 10) for n in range(1, 6)]
    assert pair(bot(0), *others) == (1, 2)


def test_five_bots_may_meet_as_often_as_they_like() -> None:
    often = met(bot(0), *[1, 1, 1, 2] * 12)
    assert pair(*crowd(often, size=5)) == (0, 1)
    assert pair(*crowd(often, size=6)) == (0, 3)


def test_after_four_in_a_row_two_wait_for_somebody_else() -> None:
    """Else bots with one slot, which come free together, would meet nobody but each other."""
    four = [met(bot(0), *[1] * 4), met(bot(1), *[0] * 4)]
    busy, away = bot(2, free=0, running=1), bot(2, free=0)
    assert pair(*four) == (0, 1)
    assert pair(*four, away) == (0, 1)
    assert pair(*four, busy) is None
    assert pair(*four, bot(2, pairs=9)) == (0, 2)
    assert pair(met(bot(0), *[1] * 3), met(bot(1), *[0] * 3), busy) == (0, 1)
    assert pair(*four, busy, exhausted=[(0, 2), (1, 2)]) == (0, 1)
    assert pair(*four, busy, form="roundrobin:9") == (0, 1)


def test_a_bot_with_fewer_than_five_to_meet_is_not_stopped() -> None:
    often = met(bot(0), *[1] * 10)
    done = [(0, n) for n in (2, 3, 4, 5)]
    assert pair(*crowd(often), exhausted=done) == (0, 1)
    assert pair(*crowd(often)[:2], *(bot(n, free=0) for n in (2, 3, 4, 5))) is None


@pytest.mark.parametrize("form", ["roundrobin:99", "gauntlet:b1", "sprt:b0,b1"])
def test_only_an_endless_ladder_has_this_limit(form: str) -> None:
    often = [met(bot(0), *[1] * 30), met(bot(1, free=2), *[0] * 30)]
    rest = [bot(n, pairs=99) for n in range(2, 6)]
    busy = [bot(n, pairs=99, free=0) for n in range(2, 6)]
    assert pair(*often, *busy, form=form) == (0, 1)
    assert pair(*often, *busy) is None
    assert pair(*often, *rest) == (0, 2)


# ---------------------------------------------------------------- formats


def test_a_round_robin_ends_when_each_two_have_played_theirs() -> None:
    bots, done = [bot(0), bot(1), bot(2)], [(0, 1), (1, 2)] * 2
    assert pair(*bots, form="roundrobin:2", played=done) == (0, 2)
    assert pair(*bots, form="roundrobin:2", played=[*done, (0, 2), (2, 0)]) is None


def test_in_a_gauntlet_others_wait_for_the_one() -> None:
    assert pair(bot(0), bot(1), bot(2, pairs=50), form="gauntlet:b2") == (0, 2)
    assert pair(bot(0), bot(1), bot(2, pairs=50, free=0), form="gauntlet:b2") is None


def test_in_a_test_of_two_the_others_wait() -> None:
    bots = bot(0), bot(1, pairs=4), bot(2), bot(3, pairs=3)
    assert pair(*bots, form="sprt:o3/b3@1,b1") == (1, 3)


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
    form = parse_format("roundrobin:1")
    for players in ({}, {0: "house/random@1"}):
        assert not finished(form, players, counted([]), among([]))


# ---------------------------------------------------------------- why


def test_the_table_says_why() -> None:
    known = rated([0, 20, 900], [900.0, 981.0, 900.0])
    bots = bot(0, pairs=3), bot(1, pairs=4), bot(2, pairs=4)
    choice = next_pair(*bots, ratings=known)
    assert choice is not None
    assert choice.why == "o0/b0@1 has fewest pairs (3); against o1/b1@1 tells most: p 0.47, ±85"


def test_the_table_says_when_there_was_no_other() -> None:
    choice = next_pair(bot(0, pairs=3), bot(1, pairs=4))
    assert choice == Choice(0, 1, "o0/b0@1 has fewest pairs (3); o1/b1@1 alone is free for it")


def test_the_table_says_when_others_with_fewer_pairs_had_to_wait() -> None:
    choice = next_pair(bot(0), bot(1, pairs=4), bot(2, pairs=5), exhausted=[(0, 1), (0, 2)])
    assert choice is not None
    assert choice.why == (
        "o1/b1@1 has fewest pairs (4) of those that have an opponent now;"
        " o2/b2@1 alone is free for it"
    )
