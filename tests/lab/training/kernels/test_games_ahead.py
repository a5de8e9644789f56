"""A game looked ahead in: which turns are played, and what is to be learnt from what they leave."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from bots.backgammon.kernels import net
from bots.backgammon.nets import MONEY_PRICES, Nets, kernels
from bots.engine import compiled
from games.backgammon import GAME
from games.backgammon.playouts import throw
from games.game import Position
from games.rng import below, seeded
from lab.training.kernels import learning
from lab.training.kernels.training_records import Exploration, Samples
from tests.bots.backgammon import tiny
from tests.bots.backgammon.endings import behind
from tests.bots.backgammon.kernels.test_lookahead import Fast, Slow, turned
from tests.bots.backgammon.tiny import Tiny, near
from tests.lab.training.kernels.test_learning import on_roll, read
from tests.lab.training.kernels.test_selfplay import start

STATE = GAME.state_size
ALL = GAME.max_legal
DECISIONS = 16  # an argument of so many: all turns share
BEST = Exploration(0, 4, 9.0)


def ahead(state: Any) -> list[float]:
    """What lookahead is to say of a position here: something else of each."""
    board = on_roll(tuple(state))
    mine, theirs = (sum(i * n for i, n in enumerate(board[k : k + 26])) for k in (0, 26))
    return [0.5 + mine / 99, 0.3 + theirs / 88, mine / 77, 0.4 - theirs / 66, mine * theirs / 999]


def looks(s: Any, average: Any, *_: Any) -> bool:
    """In the place of one_ply."""
    average[:] = ahead(s)
    return True


@pytest.fixture
def whole() -> Any:
    """learning.py in plain Python, for short games."""
    return kernels(learning, plain=True, setup=behind)


@pytest.fixture
def code(whole: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The same, in which lookahead says what `ahead` does."""
    monkeypatch.setattr(whole, "one_ply", looks)
    return whole


class Ahead:
    """Room for a game, and one that was looked ahead in."""

    def __init__(
        self,
        asked: Tiny,
        code: Any,
        seed: int,
        explore: Exploration = BEST,
        *,
        decay: float = 0.0,
        most: int = ALL,
        stop: int = 0,
    ) -> None:
        room, plain = learning.MAX_POSITIONS, asked.nets.plain
        self.packed = compiled.ints(room * learning.PACKED, plain)
        self.targets = compiled.singles(room * net.OUTPUTS, plain)
        self.kinds = compiled.ints(room, plain)
        self.kinds[:] = [9] * room
        rng = compiled.ints(1, plain)
        rng[0] = seeded(seed)[0]
        self.count = code.play_ahead(
            rng, explore, decay, most,
            Samples(self.packed, self.targets, self.kinds), asked.net, asked.space,
            asked.flag(stop),
        )  # fmt: skip

    def told(self, i: int) -> list[float]:
        return [float(x) for x in self.targets[i * net.OUTPUTS : (i + 1) * net.OUTPUTS]]

    def board(self, i: int) -> tuple[int, ...]:
        own = self.packed[i * learning.PACKED : (i + 1) * learning.PACKED]
        return read([int(x) for x in own], 0)


@cache
def remembering() -> Slow:
    """The nets of all these tests by hand, which say nothing twice."""
    return Slow(tiny.plain())


@dataclass
class Left:
    """A position that is left in a game by hand."""

    here: Position
    best: bool  # no turn was worth more than that which left it
    ties: int  # positions that other turns would have left, which are worth as much


def by_hand(slow: Slow, game: Ahead, seed: int, explore: Exploration) -> list[Left]:
    """The same game over the game's own positions, as far as nets judge them.

    Of turns that are worth the same it plays the one that `game` has played.
    """
    s, rng = start(behind), seeded(seed)
    found: list[Left] = []
    throw(s, rng)
    while net.kind(s, 4) < net.EXACT:
        if s[53] == 0:
            throw(s, rng)
        here = Position(GAME, tuple(s))
        left = [here.apply(action) for action in here.legal_actions()]
        worth = {after: -net.equity(slow.static(after), 0, MONEY_PRICES, 0) for after in left}
        values = sorted(worth.values(), reverse=True)
        value = values[0]
        if below(rng, DECISIONS) < explore.share:
            good = sum(v >= values[0] - explore.gap for v in values[: explore.turns])
            value = values[below(rng, good)]
        chosen = [after for after in left if abs(worth[after] - value) < 1e-9]
        known = [after for after in chosen if net.kind(after.state, 4) >= net.EXACT]
        if known:
            assert len(known) == len(chosen), "they may well differ, but not here"
            return found
        board = game.board(len(found))
        (after,) = {after for after in chosen if on_roll(after.state) == board}
        found.append(Left(after, value > values[0] - 1e-9, len(set(chosen)) - 1))
        s = list(after.state)
    return found


def returns(
    game: list[Left], said: list[list[float]], static: list[list[float]], decay: float
) -> list[list[float]]:
    """By the sum: what lookahead says of each, and a share of what it changed of those after it."""
    found = []
    for i, own in enumerate(said):
        total = list(own)
        for j in range(i + 1, len(said)):
            if not game[j].best:
                break
            after, before = said[j], static[j]
            if (j - i) % 2:  # the other side is on roll there
                after, before = turned(after), turned(before)
            total = [
                t + decay ** (j - i) * (a - b) for t, a, b in zip(total, after, before, strict=True)
            ]
        found.append(total)
    return found


@pytest.mark.parametrize(
    "given", [(0, 4, 9.0), (16, 1, 9.0), (16, 4, 0.1), (16, 3, 9.0), (6, 3, 9.0)]
)
def test_the_best_turn_is_played_or_any_good_one(code: Any, given: tuple[int, int, float]) -> None:
    """Each turn leaves a position to be learnt; but what the table knows, or a win, is none."""
    explore, total, best = Exploration(*given), 0, 0
    for seed in range(4):
        game = Ahead(tiny.plain(), code, seed, explore)
        wanted = by_hand(remembering(), game, seed, explore)
        assert game.count == len(wanted)
        for i, left in enumerate(wanted):
            assert game.board(i) == on_roll(left.here.state)
            assert game.kinds[i] == net.kind(left.here.state, 4) < net.EXACT
            assert near(game.told(i), ahead(left.here.state))
        assert game.kinds[game.count :] == [9] * (learning.MAX_POSITIONS - game.count)
        total += game.count
        best += sum(left.best for left in wanted)
    assert total > 10
    assert (best == total) == (explore.share == 0 or explore.turns == 1)
    assert best > 0


def test_a_stop_ends_it_with_nothing(whole: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Ahead(tiny.plain(), whole, 1, stop=1).count == 0
    monkeypatch.setattr(whole, "one_ply", lambda *_: False)
    assert Ahead(tiny.plain(), whole, 1).count == 0


def test_no_more_than_there_is_room_for(code: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code, "MAX_POSITIONS", 1)
    assert [Ahead(tiny.plain(), code, seed, decay=0.7).count for seed in range(3)] == [1] * 3


def test_without_lambda_it_is_one_ply(whole: Any) -> None:
    """Of as many replies as are asked for."""
    asked, explore = tiny.plain(), Exploration(6, 4, 0.1)
    for seed, most in ((1, ALL), (2, 2)):
        game = Ahead(asked, whole, seed, explore, most=most)
        for i in range(2):
            here = Position(GAME, game.board(i))
            assert near(game.told(i), Fast(asked).ask(here, 1, most=most))


def hold_against_the_sum(
    asked: Tiny, code: Any, seed: int, explore: Exploration, decay: float
) -> list[Left]:
    """Hold the targets of a game against the sum by hand."""
    slow = remembering() if asked is tiny.plain() else Slow(asked)
    game = Ahead(asked, code, seed, explore, decay=decay)
    left = by_hand(slow, game, seed, explore)
    said = [ahead(one.here.state) for one in left]
    wanted = returns(left, said, [slow.static(one.here) for one in left], decay)
    assert game.count == len(wanted)
    for i, told in enumerate(wanted):
        assert near(game.told(i), told)
    return left


@pytest.mark.parametrize("decay", [0.7, 1.0])
@pytest.mark.parametrize("share", [0, 6])
def test_with_lambda_it_is_also_what_lookahead_changed_later(
    code: Any, share: int, decay: float
) -> None:
    """Each seen by the other side, as far as only best turns were played."""
    explore = Exploration(share, 4, 9.0)
    games = [hold_against_the_sum(tiny.plain(), code, seed, explore, decay) for seed in range(4)]
    assert max(map(len, games)) > 4
    assert (sum(not one.best for left in games for one in left[1:]) > 2) == (share > 0)


def test_a_share_turn_that_is_worth_as_much_as_the_best_ends_nothing(code: Any) -> None:
    """To nets of nought all is alike, so any turn is played, and none of them ends a return."""
    asked, others = Tiny(Nets(tiny.weights(spread=0.0), plain=True)), 0
    for seed in range(4):
        left = hold_against_the_sum(asked, code, seed, Exploration(16, 4, 0.0), 0.7)
        assert all(one.best for one in left)
        others += sum(one.ties > 0 for one in left[1:])
    assert others > 10, "there were others to choose from"


@pytest.mark.parametrize(
    ("begun", "end", "decay"),
    [(1, 4, 0.5), (0, 2, 1.0), (0, 6, 0.0), (3, 3, 0.9), (0, 0, 0.9), (2, 3, 0.9), (0, 5, 0.05)],
)
def test_a_change_is_passed_back_from_one_side_to_the_other(
    begun: int, end: int, decay: float
) -> None:
    """Added to the chances of six positions, as long as the share before is over a thousandth."""
    change, chances = [0.2, 0.1, 0.05, -0.3, -0.02], [0.5] * 30
    both = [-0.2, -0.3, -0.02, 0.1, 0.05], list(change)  # for the other side, and for this one
    kernels(learning, plain=True).pass_back(change, chances, begun, end, decay)
    for row in range(6):
        passed = begun <= row < end and decay ** (end - row - 1) > 1e-3
        share = decay ** (end - row) if passed else 0
        added = [x - 0.5 for x in chances[5 * row : 5 * row + 5]]
        due = both[(end - row + 1) % 2]
        assert near(added, [share * x for x in due], 1e-12)
