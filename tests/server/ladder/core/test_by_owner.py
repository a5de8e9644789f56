"""Each owner once: many names of one move others' ratings no more than one of them would."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from server.core.events import Who, write_body
from server.core.names.register import YOUNG_MS
from server.ladder.core import rating
from server.ladder.core.events import Entered, Made, read
from server.ladder.core.ladder import Ladder
from server.ladder.core.players import YOUNG
from server.ladder.core.rating import Pairs, Ratings, expected
from tests.server.ladder.core.fields import ANN, BOB, CAT, DAN, NUMBER, Table
from tests.server.ladder.core.test_intervals import alike
from tests.server.ladder.core.test_rating import Kind, play

np = pytest.importorskip("numpy")

from server.ladder.core.fitting import fit  # noqa: E402 - which needs numpy

HONEST = [100.0 * n for n in range(10)]
TAKER = 0  # of true Elo 0; players 1 to 10 are the honest, those behind them give
ROUNDS = 20  # pairs of each two
NOBODY: Sequence[int] = ()


def results(
    strength: Sequence[float], share: Callable[[int, int], float] = lambda a, b: 0.0
) -> Pairs:
    """Equal games of all with all, each with the score that is expected; of two players, the share
    of their games that the second gives to the first.
    """
    couples = [(a, b) for b in range(len(strength)) for a in range(b) for _ in range(ROUNDS)]
    scores = [
        given + (1 - given) * expected(strength[a] - strength[b])
        for a, b in couples
        for given in (share(a, b),)
    ]
    one, two = zip(*couples, strict=True)
    return Pairs(one, two, scores, scores)


def attacked(givers: int, share: float, counts_once: bool, strength: float = 300.0) -> Ratings:
    """A ladder on which so many names of one owner lose matches to the taker on purpose."""
    players = [0.0, *HONEST, *[strength] * givers]
    pairs = results(players, lambda a, b: share if a == TAKER and b > len(HONEST) else 0.0)
    owners = [*range(1 + len(HONEST)), *[99] * givers] if counts_once else NOBODY
    return fit(len(players), pairs, owners=owners)


def lift(ratings: Ratings) -> float:
    """By how many Elo the taker stands too high, seen from the honest ones."""
    elo = [each or 0.0 for each in ratings.elo]
    honest = elo[1 : 1 + len(HONEST)]
    return elo[TAKER] - sum(honest) / len(honest) + sum(HONEST) / len(HONEST)


def test_many_names_of_one_owner_lift_a_player_no_more_than_one_would() -> None:
    for share, told in ((1.0, 109), (0.6, 70)):
        one = lift(attacked(1, share, counts_once=True))
        assert round(one) == told
        assert lift(attacked(16, share, counts_once=False)) > 4 * one
        for givers in (4, 16):
            assert lift(attacked(givers, share, counts_once=True)) == pytest.approx(one, abs=1)


def test_where_each_owner_has_as_many_players_nothing_changes() -> None:
    strength = [100.0 * n + 7 * k for n in range(6) for k in range(3)]
    pairs = results(strength)
    plain = fit(len(strength), pairs)
    assert plain.mean() == pytest.approx(0, abs=1e-9)
    for of_each in (1, 3):
        once = fit(len(strength), pairs, owners=[n // of_each for n in range(len(strength))])
        for name in ("elo", "error", "uneven", "first_move", "first_move_error"):
            assert getattr(once, name) == pytest.approx(getattr(plain, name), abs=1e-6)
        assert once.mean() == pytest.approx(0, abs=1e-9)


def test_who_shares_a_voice_is_rated_by_all_of_its_own_results() -> None:
    players = [0.0, *HONEST, *[300.0, -200.0, 650.0] * 4]
    once = fit(len(players), results(players), owners=[*range(11), *[99] * 12])
    apart = [once.difference(n, 5) for n in range(11, 23)]
    assert [round(each.elo + 400) for each in apart if each] == [300, -200, 650] * 4


def test_the_truth_is_in_95_of_100_intervals() -> None:
    rng, held = np.random.default_rng(3), []
    for _ in range(60):
        strength = rng.permutation(np.linspace(0, 350, 12))
        pairs = play(rng, strength, *alike(rng, 12, 300), Kind(draws=0.1, luck=0.7))
        once = fit(12, pairs, owners=[*range(6), *[99] * 6])
        mean = np.average(strength, weights=once.share)
        for a in range(12):
            held.append(abs((once.elo[a] or 0.0) - strength[a] + mean) <= (once.error[a] or 0.0))
            for b in range(a):
                apart = once.difference(a, b)
                assert apart is not None
                held.append(abs(apart.elo - strength[a] + strength[b]) <= apart.error)
    assert 0.93 < np.mean(held) < 0.97


def test_versions_that_hardly_played_do_not_weaken_the_one_that_does() -> None:
    strength = [0.0, 200.0, 100.0]
    pairs = results(strength)
    few = [*pairs.one, *[0] * 20], [*pairs.two, *range(3, 23)]
    scores = [*pairs.first, *[0.5] * 20]
    once = fit(23, Pairs(*few, scores, scores), owners=[0, 1, *[2] * 21])
    apart, plain = once.difference(2, 1), fit(3, pairs).difference(2, 1)
    assert apart is not None
    assert plain is not None
    assert apart.elo == pytest.approx(plain.elo, abs=2)


def test_new_names_that_lose_do_not_lift_all_others() -> None:
    def top(givers: int, owners: Sequence[int]) -> float:
        players = [*HONEST, *[-300.0] * givers]
        return fit(len(players), results(players), owners=owners).elo[9] or 0.0

    alone = top(1, NOBODY)
    assert top(30, NOBODY) > alone + 350
    assert top(30, [*range(10), *[99] * 30]) == pytest.approx(alone, abs=5)


# ------------------------------------------------------------ whose voice it is


def enter(table: Table, who: Who, network: str = "", young: bool = False, **more: bool) -> int:
    """Somebody joins a ladder from a network; as whose its results count then."""
    anchor = more.get("anchor", False)
    joins = table.ladder.join(who, "1", "", 1, anchor, table.now, network=network, young=young)
    table.take(joins)
    return voices(table.ladder, table.now)[joins.player]


def voices(ladder: Ladder, now: int) -> list[int]:
    return [ladder.players.voice(player, now) for player in ladder.players]


def test_names_from_one_address_have_one_voice_and_so_have_all_new_names_for_a_day() -> None:
    table = Table(by_owner=True)
    assert enter(table, ANN, "10.0.0.1") == ANN.session
    table.ladder.players[0].network = "10.0.0.1"  # as the server notes
    assert enter(table, BOB, "10.0.0.1") == ANN.session
    assert enter(table, CAT, "10.0.0.2", young=True) == YOUNG
    assert enter(table, DAN, "10.0.0.3", young=True) == YOUNG
    assert enter(table, Who(5, "eve"), "") == 5
    assert enter(table, Who(8, "house", "random"), anchor=True) == -6
    table.now = YOUNG_MS - 1
    assert enter(table, DAN, "10.0.0.3") == YOUNG  # a start has forgotten that the name is new
    later = [ANN.session, ANN.session, CAT.session, DAN.session, 5, -6]
    assert voices(table.ladder, YOUNG_MS) == later
    assert voices(table.again(), YOUNG_MS) == later
    assert voices(table.again(), YOUNG_MS - 1) == [1, 1, YOUNG, YOUNG, 5, -6]


def test_a_log_that_knows_nothing_of_owners_reads_as_it_did() -> None:
    table = Table()
    enter(table, ANN, "10.0.0.1", young=True)
    entered = read(*table.log[0])
    assert isinstance(entered, Entered)
    assert (entered.voice, entered.young) == (None, False)
    made = write_body(table.ladder.made)
    short = bytes([made[0] - 1]) + made[1:-1]  # without the last field, which is False
    again = read(Made.kind, short)
    assert again == table.ladder.made
    assert rating.available()
    assert Ladder(NUMBER, table.ladder.made).made.by_owner is False
