"""Who plays for somebody else's rating: four names that only resign to a fifth."""

from __future__ import annotations

import random
from typing import Any

import pytest

from protocol import ladder as wire
from protocol.errors import Code, Refusal
from server.core.events import Who
from server.ladder.core import schedule, standing
from server.ladder.core.fitting import fit
from server.ladder.core.formats import parse_format
from server.ladder.core.gifts import deviate
from server.ladder.core.rating import Ratings
from tests.server.ladder.core.fields import ANN, BOB, CAT, OWNER, Table, win

BOSS, GIVERS = 0, (1, 2, 3, 4)
ENDLESS = parse_format("endless")


class Attack:
    """A ladder of equal bots that play at random; `givers` of them resign to the first, alone."""

    def __init__(self, honest: int, seed: int, givers: int = 4) -> None:
        self.rng = random.Random(seed)
        self.givers = range(1, givers + 1)
        self.table = Table()
        for number in range(1 + givers + honest):
            self.table.join(Who(number + 1, f"p{number}", "bot"))
        self.ratings: Ratings | None = None

    def run(self, pairs: int, guarded: bool = True) -> Attack:
        """So many pairs, each chosen as on a server, with ratings that are fitted now and then."""
        ladder = self.table.ladder
        for number in range(pairs):
            if number % 10 == 0:
                self.fit()
            entrants = [
                schedule.Entrant(p.number, p.title, p.who.session, 1, p.pairs, tuple(p.opponents))
                for p in ladder.players
            ]
            one_sided = ladder.is_one_sided if guarded else schedule.never
            pairing = schedule.choose(
                schedule.Field(
                    ENDLESS, tuple(entrants), ladder.played, {}, schedule.never, self.ratings,
                    one_sided,
                )
            )  # fmt: skip
            assert pairing is not None, "nobody is left without an opponent"
            self._play(pairing.one, pairing.two)
        self.fit()
        return self

    def fit(self) -> None:
        ladder = self.table.ladder
        pairs = standing.pairs(ladder.counted, frozenset())
        self.ratings = fit(len(ladder.players), pairs)

    def _play(self, one: int, two: int) -> None:
        given = BOSS in (one, two) and not {one, two}.isdisjoint(self.givers)
        first, second = (
            win((one, two)[:: 1 if leg == 0 else -1].index(BOSS), "resign")
            if given
            else win(self.rng.randrange(2))
            for leg in (0, 1)
        )
        self.table.play(one, two, results=(first, second))

    def lift(self) -> float:
        """By how many Elo the first stands above the mean of the honest."""
        assert self.ratings is not None
        elo = [value or 0.0 for value in self.ratings.elo]
        honest = elo[len(self.givers) + 1 :]
        return elo[BOSS] - sum(honest) / len(honest)

    def rows(self) -> dict[str, wire.Standing]:
        """The standing by owner."""
        state = standing.state(self.table.ladder, self.ratings, 0, {}, None)
        return {row.player.partition("/")[0]: row for row in state.standings}


def test_four_who_resign_to_a_fifth_hardly_lift_it_and_are_seen() -> None:
    for honest in (2, 4):
        plain = [Attack(honest, seed).run(300, guarded=False).lift() for seed in (1, 2)]
        attacks = [Attack(honest, seed).run(300) for seed in (1, 2)]
        assert sum(plain) / 2 > 170
        assert sum(attack.lift() for attack in attacks) / 2 < 70
        for attack in attacks:
            rows = attack.rows()
            suspects = {name for name, row in rows.items() if row.most_from is not None}
            assert suspects == {"p0"}
            assert (rows["p0"].uneven or 0.0) > standing.REMARKABLE
            assert rows["p0"].most_from in {f"p{giver}/bot@1" for giver in GIVERS}
            boss = attack.table.ladder.players[BOSS]
            gifts = sum(attack.table.ladder.played(BOSS, giver) for giver in GIVERS)
            assert gifts <= boss.pairs / 4


def test_among_honest_players_nobody_stands_out() -> None:
    for seed in (1, 2):
        rows = Attack(7, seed, givers=0).run(200).rows()
        assert [row.most_from for row in rows.values()] == [None] * 8
        assert all(row.uneven is not None for row in rows.values())


def test_who_always_resigns_what_is_lost_is_no_suspect_against_a_better_player() -> None:
    table = Table()
    table.join(ANN, BOB, CAT)
    for _ in range(12):  # cat is as good as bob, and both always resign to ann, who is better
        table.play(0, 1, results=(win(0, "resign"), win(1, "resign")))
        table.play(0, 2, results=(win(0, "resign"), win(1, "resign")))
        table.play(1, 2, results=(win(0, "resign"), win(0, "resign")))
    ladder = table.ladder
    fitted = fit(3, standing.pairs(ladder.counted, frozenset()))
    rows = standing.state(ladder, fitted, 0, {}, None).standings
    assert [row.most_from for row in rows] == [None] * 3


def test_two_meet_again_now_and_then_though_one_always_gives_up() -> None:
    def meet(played: int, *pairs: int, form: str = "endless") -> Any:
        """Who meets next of players with so many pairs, the first two of whom are one-sided."""
        entrants = [
            schedule.Entrant(n, f"o{n}/b{n}@1", n, 1, count) for n, count in enumerate(pairs)
        ]
        field = schedule.Field(
            parse_format(form), tuple(entrants), lambda a, b: played, {}, schedule.never, None,
            lambda a, b: {a, b} == {0, 1},
        )  # fmt: skip
        pairing = schedule.choose(field)
        return pairing and {pairing.one, pairing.two}

    assert meet(1, 0, 1, 9, 9) == {0, 1}
    assert meet(2, 0, 1, 9, 9) == {0, 2}
    assert meet(2, 0, 1, 9) == {0, 1}  # each has but one other opponent
    assert meet(2, 0, 1, 9, 9, form="roundrobin:9") == {0, 1}
    assert meet(3, 250, 200, 300, 300) == {0, 1}
    assert meet(4, 250, 200, 300, 300) == {1, 2}


def test_how_striking_it_is_that_something_happened_so_often() -> None:
    assert deviate(0, 0, 0.5) == deviate(3, 10, 0.3) == deviate(1, 10, 0.3) == 0.0
    assert round(deviate(10, 10, 0.5), 2) == 3.72  # once in a thousand times
    assert round(deviate(8, 10, 0.5), 2) == 1.96
    assert deviate(4, 4, 1 / 22) > 4


# ------------------------------------------------------------ who meets, and who may join


def test_two_bots_of_one_owner_meet_on_their_own_ladder_or_where_it_says_so() -> None:
    mine = (Who(9, "owner", "a"), Who(9, "owner", "b"))
    house = (Who(8, "house", "random"), Who(8, "house", "mcts"))
    theirs = (Who(1, "ann", "a"), Who(1, "ann", "b"), BOB)
    for siblings in (False, True):
        table = Table(siblings=siblings)
        table.join(*mine, *theirs)
        table.join(*house, anchor=True)
        meets = table.ladder.may_meet
        assert [meets(0, 1), meets(2, 3), meets(2, 4), meets(5, 6)] == [True, siblings, True, True]
        assert table.again().may_meet(2, 3) is siblings


def test_a_ladder_of_an_earlier_log_pairs_as_it_did() -> None:
    table = Table()
    table.join(Who(1, "ann", "a"), Who(1, "ann", "b"))
    assert (table.ladder.made.members, table.ladder.made.code) == ((), None)
    assert table.ladder.may_meet(0, 1)


@pytest.mark.parametrize(
    ("who", "code", "welcome"),
    [
        (Who(1, "Ann", "any"), None, True),
        (Who(2, "bob", "mcts"), None, True),
        (Who(2, "bob", "other"), None, False),
        (Who(3, "cat", "bot"), None, False),
        (Who(3, "cat", "bot"), "X7K2M8", False),
        (Who(3, "cat", "bot"), " x7k2m9", True),
        (Who(9, "owner", "bot"), None, True),
    ],
)
def test_who_may_join_by_invitation(who: Who, code: str | None, welcome: bool) -> None:
    table = Table(members=("ann", "BOB/mcts"), code="X7K2M9", owner=OWNER)
    ask = lambda code: table.ladder.join(who, "1", "", 1, False, 0, code)  # noqa: E731
    if not welcome:
        with pytest.raises(Refusal) as no:
            ask(code)
        assert no.value.code == Code.LADDER_NOT_INVITED
        return
    table.take(ask(code))
    table.take(table.ladder.leave(who, 0))
    table.take(ask(None))  # once in, always welcome


def test_where_there_are_members_and_no_code_nobody_else_joins_but_the_anchors() -> None:
    table = Table(members=("ann",))
    with pytest.raises(Refusal):
        table.ladder.join(BOB, "1", "", 1, False, 0, "")
    table.join(BOB, anchor=True)
