"""Thousands of pairs of a made-up ladder: bots of all speeds come and go, and the rules hold.

Each rule is written here a second time, from the outside, and looked at after every step.
"""

from __future__ import annotations

import heapq
import math
import random
from collections import Counter, deque
from dataclasses import dataclass, field
from itertools import combinations

import pytest

from server.ladder.core.formats import parse_format
from server.ladder.core.rating import UNKNOWN, Ratings, expected
from server.ladder.core.schedule import Entrant, Field, Pairing, choose
from tests.server.ladder.core.fields import rated


@dataclass(slots=True)
class Bot:
    """A made-up bot.  `lasts`: how long its half of a pair takes; `recent` has no end here."""

    number: int
    owner: int
    slots: int
    lasts: float
    here: bool = True
    running: int = 0
    recent: list[int] = field(default_factory=list)

    def entrant(self) -> Entrant:
        free, last = self.slots - self.running, tuple(self.recent[-50:])
        title = f"o{self.owner}/b{self.number}@1"
        return Entrant(self.number, title, self.owner, free, len(self.recent), last, self.running)


class Ladder:
    """Bots that meet as `choose` says, on a clock of their own."""

    def __init__(
        self, bots: list[Bot], rng: random.Random, quota: int = 99, form: str = "endless"
    ) -> None:
        self.bots = bots
        self.rng = rng
        self.quota = quota
        self.form = parse_format(form)
        self.played: Counter[frozenset[int]] = Counter()
        self.first: Counter[tuple[int, int]] = Counter()
        self.running: list[tuple[float, int, int, int]] = []
        self.elo = [rng.gauss(0, 300) for _ in bots]
        self.done = 0
        self.now = 0.0

    def step(self) -> None:
        """Let the next pair end, and play whatever can be played then."""
        if self.running:
            self.now, _, one, two = heapq.heappop(self.running)
            for number in (one, two):
                self.bots[number].running -= 1
            self.done += 1
        self.fill()

    def until(self, done: int) -> None:
        """Step until so many pairs are over."""
        while self.done < done:
            self.step()

    def fill(self) -> None:
        while (choice := choose(self._field())) is not None:
            self._begin(choice)
        assert self._idle() == []

    def _field(self) -> Field:
        entrants = tuple([b.entrant() for b in self.bots if b.here])
        return Field(
            self.form, entrants, self._count, self._left(), lambda a, b: False, self._ratings()
        )

    def _count(self, a: int, b: int) -> int:
        return self.played[frozenset((a, b))]

    def _ratings(self) -> Ratings:
        """The truth, each as uncertain as its pairs leave it; the newest bot is not in it yet."""
        doubt = [UNKNOWN / 2 / (1 + len(b.recent)) for b in self.bots]
        return rated(self.elo[:-1], doubt)

    def _left(self) -> dict[int, int]:
        """The slots each owner may still use; owner 0 is the house, and has no quota."""
        left = Counter({b.owner: self.quota for b in self.bots if b.owner})
        left.subtract({b.owner: 0 for b in self.bots if b.owner})
        for b in self.bots:
            if b.owner:
                left[b.owner] -= b.running
        return dict(left)

    def _begin(self, choice: Pairing) -> None:
        one, two = self.bots[choice.one], self.bots[choice.two]
        assert one is not two
        for a, b in ((one, two), (two, one)):
            assert a.here
            assert self.may_meet(a, b)
            a.recent.append(b.number)
            a.running += 1
        for b in (one, two):
            assert b.running <= b.slots
        assert min(self._left().values(), default=0) >= 0
        self.played[frozenset((one.number, two.number))] += 1
        self.first[one.number, two.number] += 1
        lasts = (one.lasts + two.lasts) * self.rng.uniform(0.5, 1.5)
        heapq.heappush(self.running, (self.now + lasts, self.done, one.number, two.number))

    def may_meet(self, a: Bot, b: Bot) -> bool:
        """Whether a's last 50 leave room for b, where that is asked for."""
        if self.form.pairs:
            return self._count(a.number, b.number) < self.form.pairs
        if a.recent[-4:] == [b.number] * 4 and self.running and any(self._others(a, b)):
            return False
        if sum(bot.here for bot in self.bots) < 6:
            return True
        return [*a.recent[-49:], b.number].count(b.number) <= 10

    def _others(self, a: Bot, b: Bot) -> list[Bot]:
        """Whom else a could wait for."""
        left = self._left()
        return [
            c
            for c in self.bots
            if c.here and c is not a and c is not b
            if c.owner != a.owner or left.get(a.owner, 99) > 1
        ]

    def _idle(self) -> list[tuple[int, int]]:
        """Those two that could be playing and are not."""
        left = self._left()
        free = [b for b in self.bots if b.here and b.running < b.slots]
        free = [b for b in free if left.get(b.owner, 99) > 0]
        return [
            (a.number, b.number)
            for a, b in combinations(free, 2)
            if self.may_meet(a, b) and self.may_meet(b, a)
            if a.owner != b.owner or left.get(a.owner, 99) > 1
        ]


def of_all_kinds(rng: random.Random, size: int) -> list[Bot]:
    """Bots of the house (owner 0) and of fewer people than there are bots."""
    return [
        Bot(n, rng.randrange(size // 2), rng.randint(1, 3), rng.choice((0.5, 1, 1, 2, 4)))
        for n in range(size)
    ]


@pytest.mark.parametrize(
    ("seed", "pairs"), [(1, 600), pytest.param(2, 15_000, marks=pytest.mark.slow)]
)
def test_thirty_bots_come_and_go_and_all_rules_hold(seed: int, pairs: int) -> None:
    rng = random.Random(seed)
    ladder = Ladder(of_all_kinds(rng, 30), rng, quota=4)
    while ladder.done < pairs:
        if rng.random() < 0.05:
            bot = rng.choice(ladder.bots)
            bot.here = not bot.here
        ladder.step()
    assert len(ladder.played) > 100  # of 435 pairings: it was no dull run


@pytest.mark.parametrize("size", [2, 5, 6, 7])
def test_few_bots_never_get_stuck(size: int) -> None:
    """With six the limit leaves no choice at all in the long run, also after one was away."""
    rng = random.Random(size)
    ladder = Ladder(of_all_kinds(rng, size), rng)
    for here in (True, False, True) if size > 2 else (True,):
        ladder.bots[-1].here = here
        for _ in range(400):
            ladder.step()
            assert ladder.running
        for bot in ladder.bots if size > 5 and here else ():
            assert max(Counter(bot.recent[-50:]).values()) <= 10


@pytest.mark.parametrize("size", [4, 5])
def test_bots_with_one_slot_do_not_fall_into_islands(size: int) -> None:
    rng = random.Random(size)
    ladder = Ladder([Bot(n, n, 1, 1.0 + n) for n in range(size)], rng)
    ladder.until(40)
    reached, new = {0}, {0}
    while new:
        new = {other for number in new for other in ladder.bots[number].recent} - reached
        reached |= new
    assert reached == set(range(size))


@pytest.mark.parametrize("slots", [1, 3])
def test_equal_bots_play_equally_often_and_meet_nearly_all(slots: int) -> None:
    rng = random.Random(5)
    ladder = Ladder([Bot(n, n, slots, 1.0) for n in range(12)], rng)
    ladder.until(600)
    pairs = [len(b.recent) for b in ladder.bots]
    assert max(pairs) - min(pairs) <= 10  # of about 100 each
    assert all(len(set(b.recent)) > 7 for b in ladder.bots)


def test_each_of_two_moves_first_as_often() -> None:
    rng = random.Random(6)
    ladder = Ladder(of_all_kinds(rng, 8), rng)
    ladder.until(400)
    for a, b in combinations(range(8), 2):
        assert abs(ladder.first[a, b] - ladder.first[b, a]) <= 1


def test_a_round_robin_is_played_to_its_end() -> None:
    rng = random.Random(7)
    ladder = Ladder(of_all_kinds(rng, 9), rng, quota=3, form="roundrobin:4")
    ladder.fill()
    while ladder.running:
        ladder.step()
    assert list(ladder.played.values()) == [4] * 36


def estimate(results: list[tuple[float, float]]) -> tuple[float, float]:
    """The likeliest Elo of a newcomer from (opponent's Elo, score of two), and its variance.

    Newton's method; before the first result it is taken to be at 0, give or take 1,000.
    """
    elo, unit = 0.0, math.log(10) / 400
    for _ in range(15):
        slope, bend = -elo / UNKNOWN, -1 / UNKNOWN
        for other, score in results:
            p = expected(elo - other)
            slope += unit * (score - 2 * p)
            bend -= 2 * unit * unit * p * (1 - p)
        elo -= max(-200.0, min(200.0, slope / bend))
    return elo, -1 / bend


def placed(rng: random.Random, truth: float, *, at_random: bool) -> float:
    """How far a newcomer's Elo is from the truth after 30 pairs among 25 that are well known."""
    others = [-1_200 + 100.0 * n for n in range(25)]
    n = len(others)
    results: list[tuple[float, float]] = []
    recent: deque[int] = deque(maxlen=50)
    for _ in range(30):
        elo, variance = estimate(results)
        variances = [*[400.0] * n, variance]
        ratings = rated((*others, elo), variances)
        entrants = [Entrant(i, f"a/b{i}@1", i, 1, 500) for i in range(n)]
        entrants.append(Entrant(n, "a/new@1", n, 1, len(results), tuple(recent)))
        met, exhausted = lambda a, b: recent.count(a), lambda a, b: False
        choice = choose(
            Field(parse_format("endless"), tuple(entrants), met, {}, exhausted, ratings)
        )
        assert choice is not None
        assert n in (choice.one, choice.two)
        other = rng.randrange(n) if at_random else min(choice.one, choice.two)
        recent.append(other)
        score = sum(rng.random() < expected(truth - others[other]) for _ in range(2))
        results.append((others[other], score))
    return abs(estimate(results)[0] - truth)


def test_a_newcomer_is_placed_better_than_by_chance() -> None:
    truths = [100.0 * n - 900 for n in range(19)]
    chosen = [placed(random.Random(i), t, at_random=False) for i, t in enumerate(truths)]
    chance = [placed(random.Random(i), t, at_random=True) for i, t in enumerate(truths)]

    def root_mean_square(errors: list[float]) -> float:
        return math.sqrt(sum(e * e for e in errors) / len(errors))

    assert root_mean_square(chosen) < 0.8 * root_mean_square(chance)
    assert root_mean_square(chosen) < 60
