"""One and two plies of lookahead against the same sums over the game's own positions."""

from __future__ import annotations

from typing import Any

import pytest

from bots.backgammon.kernels import lookahead, net
from bots.backgammon.nets import MONEY_PRICES, kernels
from bots.engine import compiled
from games.backgammon import GAME
from games.game import CHANCE, END, Position
from tests.bots.backgammon import tiny
from tests.bots.backgammon.tiny import LATE, RACING, SHORT, Tiny, near, position

UNLIMITED = 1 << 40
ONE = position({20: 1, 2: 1}, {4: 2, 1: 2})  # to be hit as it runs home
TWO = position({9: 1, 1: 1}, {20: 1, 1: 1}, seat=1)  # two checkers a side, so it is over soon


class Slow:
    """What positions are worth by one net, remembered; for who is on roll."""

    def __init__(self, asked: Tiny) -> None:
        self.asked = asked
        self.code = kernels(net, asked.nets.plain)
        self.seen: dict[tuple[int, ...], list[float]] = {}

    def static(self, here: Position) -> list[float]:
        """Without lookahead."""
        if here.state not in self.seen:
            s = self.asked.array(here.state)
            self.code.judge(s, self.asked.net, self.asked.space)
            self.seen[here.state] = self.asked.chances
        return self.seen[here.state]

    def best(self, here: Position) -> Position:
        """What the best turn leaves."""
        left = [here.apply(action) for action in here.legal_actions()]
        return min(left, key=lambda after: net.equity(self.static(after), 0, MONEY_PRICES, 0))

    def chance(self, here: Position, plies: int) -> list[float]:
        """With lookahead, until the end or where the exact table knows."""
        if plies == 0 or net.kind(here.state, self.asked.nets.shape[net.TABLE_AT]) >= net.EXACT:
            return self.static(here)
        total = [0.0] * 5
        for roll, weight in here.chance():
            told = turned(self.chance(self.best(here.apply(roll)), plies - 1))
            total = [a + weight * b / 36 for a, b in zip(total, told, strict=True)]
        return total


def turned(told: list[float]) -> list[float]:
    win, gammon, backgammon, lost, lost_backgammon = told
    return [1 - win, lost, lost_backgammon, gammon, backgammon]


class Fast:
    """The kernels, as bots/backgammon/judge.py calls them."""

    def __init__(self, asked: Tiny) -> None:
        self.asked = asked
        self.code = kernels(lookahead, asked.nets.plain)
        self.average = compiled.singles(5, asked.nets.plain)
        self.spent = asked.space.spent

    def ask(
        self,
        here: Position,
        plies: int,
        nodes: int = UNLIMITED,
        stop: int = 0,
        most: int = GAME.max_legal,
    ) -> list[float] | None:
        """The chances of who is on roll; None if it was cut short."""
        asked = self.asked
        self.spent[0] = 0
        s = asked.array(here.state)
        look = self.code.one_ply if plies == 1 else self.code.two_ply
        whole = look(s, self.average, most, nodes, asked.net, asked.space, asked.flag(stop))
        assert tuple(s) == here.state, "the position is left as it was"
        return [float(x) for x in self.average] if whole else None


@pytest.fixture(scope="module")
def slow() -> Slow:
    return Slow(tiny.plain())


@pytest.fixture(scope="module")
def search() -> Fast:
    return Fast(tiny.plain())


@pytest.mark.parametrize("here", [SHORT, LATE, RACING, ONE, TWO])
def test_one_ply_is_the_average_over_the_rolls(search: Fast, slow: Slow, here: Position) -> None:
    assert here.to_move == CHANCE
    told = search.ask(here, 1)
    assert told is not None
    assert near(told, slow.chance(here, 1))
    assert not near(told, slow.static(here), 1e-3), "it has looked"


@pytest.mark.parametrize("plies", [1, 2])
@pytest.mark.parametrize("here", [tiny.ENDING, position({6: 15}, {}), position({6: 2}, {}, seat=1)])
def test_nothing_is_looked_ahead_where_all_is_known(
    search: Fast, slow: Slow, here: Position, plies: int
) -> None:
    assert search.ask(here, plies) == slow.static(here)
    assert search.spent[0] == 1


@pytest.mark.parametrize("plies", [1, 2])
def test_nodes_end_it(search: Fast, plies: int) -> None:
    """Between two rolls only, so it spends less than one roll's turns more; each is one judged."""
    assert search.ask(ONE, 1) is not None
    turns = sum(len(ONE.apply(roll).legal_actions()) for roll, _ in ONE.chance())
    assert search.spent[0] == turns
    assert search.ask(SHORT, 1, most=2) is not None
    assert search.spent[0] <= 21 * 2, "few replies cost few nodes"
    assert search.ask(TWO, plies) is not None
    whole, most = int(search.spent[0]), 12
    for nodes in (1, whole // 4, whole - most):
        assert search.ask(TWO, plies, nodes) is None
        assert nodes <= search.spent[0] <= nodes + most


def test_more_replies_are_judged_to_the_first_of_two_rolls(
    search: Fast, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[int] = []
    judged = search.code.no_ply

    def noted(s: Any, most: int, *more: Any) -> int:
        limits.append(most)
        return int(judged(s, most, *more))

    monkeypatch.setattr(search.code, "no_ply", noted)
    assert search.ask(TWO, 2, most=2) is not None
    assert limits.count(2 * lookahead.FIRST_ROLL) == 21
    assert set(limits) == {2, 2 * lookahead.FIRST_ROLL}
    limits.clear()
    assert search.ask(TWO, 1, most=2) is not None
    assert limits == [2] * 21


@pytest.mark.parametrize("plies", [1, 2])
def test_a_stop_ends_it(search: Fast, plies: int) -> None:
    assert search.ask(TWO, plies, stop=1) is None
    assert search.ask(tiny.ENDING, plies, stop=1) is not None, "nothing is searched here"


def test_no_ply_is_the_best_turn(search: Fast, slow: Slow) -> None:
    asked = tiny.plain()
    for here in tiny.rolled(8)[-8:]:
        s, stop = asked.array(here.state), asked.flag()
        best = search.code.no_ply(s, GAME.max_legal, asked.net, asked.space, stop)
        after = here.apply(asked.space.turns[best])
        assert near(slow.static(after), slow.static(slow.best(here)))


def test_of_many_turns_those_that_look_best_at_a_glance_are_judged(search: Fast) -> None:
    """A glance is the game's own evaluation, the end of the game before all."""
    assert GAME.evaluate is not None
    asked = tiny.plain()
    for here in [*tiny.rolled(9)[-8:], position({1: 2, 6: 1}, {6: 15}, dice=(6, 1))]:
        actions = here.legal_actions()
        if len(actions) < 3:
            continue
        asked.space.turns[: len(actions)] = actions
        n = search.code.promising(asked.array(here.state), len(actions), 3, asked.space)
        after = {a: here.apply(a) for a in actions}
        glance = {
            a: -1e9 if p.to_move == END else GAME.evaluate(list(p.state)) for a, p in after.items()
        }
        assert n == 3
        assert sorted(map(int, asked.space.turns[: len(actions)])) == sorted(actions)
        assert [glance[a] for a in asked.space.turns[:3]] == sorted(glance.values())[:3]
