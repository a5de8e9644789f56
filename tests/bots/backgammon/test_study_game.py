"""A game of a lesson: which turns are played, and what is to be learnt from what they leave.

Games are short, as in test_selfplay.py: two checkers a side.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from bots import compiled
from bots.nets import Nets, kernels
from bots.search.backgammon import net, study
from games.backgammon import GAME
from games.backgammon.playouts import throw
from games.game import Position
from games.rng import below, seeded
from tests.bots.backgammon import tiny
from tests.bots.backgammon.short import FEW, few, quicken
from tests.bots.backgammon.test_lookahead import Fast, Slow, turned
from tests.bots.backgammon.test_study import on_roll, read
from tests.bots.backgammon.tiny import Tiny, near

PLAIN = kernels("study", plain=True)
STATE = GAME.state_size
ALL = GAME.max_legal
STRAYS = 16  # an argument of so many: all turns stray


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
def whole(monkeypatch: pytest.MonkeyPatch) -> Any:
    """study.py in plain Python, for short games."""
    quicken(monkeypatch)
    monkeypatch.setattr(PLAIN, "setup", few)
    return PLAIN


@pytest.fixture
def code(whole: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The same, in which lookahead says what `ahead` does."""
    monkeypatch.setattr(whole, "one_ply", looks)
    return whole


class Studied:
    """Room for a game, and one that was studied into it."""

    def __init__(
        self,
        asked: Tiny,
        code: Any,
        seed: int,
        *,
        stray: int = 0,
        count: int = 4,
        gap: float = 9.0,
        decay: float = 0.0,
        most: int = ALL,
        stop: int = 0,
    ) -> None:
        room, plain = study.LONGEST, asked.nets.plain
        self.packed = compiled.ints(room * study.PACKED, plain)
        self.chances = compiled.singles(room * net.OUTPUTS, plain)
        self.kinds = compiled.ints(room, plain)
        self.kinds[:] = [9] * room
        self.rng = compiled.ints(1, plain)
        self.rng[0] = seeded(seed)[0]
        self.count = code.study_game(
            self.rng, stray, count, gap, decay, most, self.packed, self.chances, self.kinds,
            compiled.ints(STATE, plain), *(compiled.singles(net.OUTPUTS, plain) for _ in range(2)),
            compiled.ints(1, plain), compiled.ints(STATE, plain), asked.t, asked.turns,
            asked.values, asked.tmp, *asked.nets.given, *asked.desk.given, asked.flag(stop),
        )  # fmt: skip

    def told(self, i: int) -> list[float]:
        return [float(x) for x in self.chances[i * net.OUTPUTS : (i + 1) * net.OUTPUTS]]

    def board(self, i: int) -> tuple[int, ...]:
        own = self.packed[i * study.PACKED : (i + 1) * study.PACKED]
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


def by_hand(slow: Slow, game: Studied, seed: int, stray: int, count: int, gap: float) -> list[Left]:
    """The same game over the game's own positions, as far as nets judge them.

    Of turns that are worth the same it plays the one that `game` has played.
    """
    s, rng = [*FEW, -1, 0, 0], seeded(seed)
    found: list[Left] = []
    throw(s, rng)
    while net.kind(s, 4) < net.EXACT:
        if s[53] == 0:
            throw(s, rng)
        here = Position(GAME, tuple(s))
        left = [here.apply(action) for action in here.legal_actions()]
        worth = {after: -net.equity(slow.static(after), 0) for after in left}
        values = sorted(worth.values(), reverse=True)
        value = values[0]
        if below(rng, STRAYS) < stray:
            good = sum(v >= values[0] - gap for v in values[:count])
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


# ---------------------------------------------------------------- which turns are played


@pytest.mark.parametrize(
    ("stray", "count", "gap"), [(0, 4, 9.0), (16, 1, 9.0), (16, 4, 0.1), (16, 3, 9.0), (6, 3, 9.0)]
)
def test_the_best_turn_is_played_or_any_good_one(
    code: Any, stray: int, count: int, gap: float
) -> None:
    """Each turn leaves a position to be learnt; but what the table knows, or a win, is none."""
    asked, total, best = tiny.plain(), 0, 0
    slow = remembering()
    for seed in range(4):
        game = Studied(asked, code, seed, stray=stray, count=count, gap=gap)
        wanted = by_hand(slow, game, seed, stray, count, gap)
        assert game.count == len(wanted)
        for i, left in enumerate(wanted):
            assert game.board(i) == on_roll(left.here.state)
            assert game.kinds[i] == net.kind(left.here.state, 4) < net.EXACT
            assert near(game.told(i), ahead(left.here.state))
        assert game.kinds[game.count :] == [9] * (study.LONGEST - game.count)
        total += game.count
        best += sum(left.best for left in wanted)
    assert total > 10
    assert (best == total) == (stray == 0 or count == 1)
    assert best > 0


def test_a_stop_ends_it_with_nothing(whole: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Studied(tiny.plain(), whole, 1, stop=1).count == 0
    monkeypatch.setattr(whole, "one_ply", lambda *_: False)
    assert Studied(tiny.plain(), whole, 1).count == 0


def test_no_more_than_there_is_room_for(code: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code, "LONGEST", 1)
    assert [Studied(tiny.plain(), code, seed, decay=0.7).count for seed in range(3)] == [1] * 3


# ---------------------------------------------------------------- what is to be learnt


def test_without_lambda_it_is_one_ply(whole: Any) -> None:
    """With all replies the sum over the game's own positions; with some, what lookahead.py says."""
    asked = tiny.plain()
    slow, fast, total = remembering(), Fast(asked), 0
    for seed, most in ((1, ALL), (2, 2)):
        game = Studied(asked, whole, seed, stray=6, gap=0.1, most=most)
        for i in range(min(game.count, 2)):
            here = Position(GAME, game.board(i))
            wanted = slow.chance(here, 1) if most == ALL else fast.ask(here, 1, most=most)
            assert near(game.told(i), wanted)
            total += 1
    assert total == 4


@pytest.mark.parametrize("decay", [0.7, 1.0])
@pytest.mark.parametrize("stray", [0, 6])
def test_with_lambda_it_is_also_what_lookahead_changed_later(
    code: Any, stray: int, decay: float
) -> None:
    """Each seen by the other side, as far as only best turns were played."""
    asked, longest, cut = tiny.plain(), 0, 0
    slow = remembering()
    for seed in range(8):
        game = Studied(asked, code, seed, stray=stray, decay=decay)
        left = by_hand(slow, game, seed, stray, 4, 9.0)
        said = [ahead(one.here.state) for one in left]
        wanted = returns(left, said, [slow.static(one.here) for one in left], decay)
        assert game.count == len(wanted)
        for i, told in enumerate(wanted):
            assert near(game.told(i), told)
        longest = max(longest, game.count)
        cut += sum(not one.best for one in left[1:])
    assert longest > 4
    assert (cut > 2) == (stray > 0)


def test_with_lambda_it_looks_one_ply_ahead(whole: Any) -> None:
    asked = tiny.plain()
    slow, decay, seed = remembering(), 0.6, 3
    game = Studied(asked, whole, seed, stray=4, decay=decay)
    left = by_hand(slow, game, seed, 4, 4, 9.0)
    said = [slow.chance(one.here, 1) for one in left]
    wanted = returns(left, said, [slow.static(one.here) for one in left], decay)
    assert game.count == len(wanted) > 2
    for i, told in enumerate(wanted):
        assert near(game.told(i), told)
        assert not near(told, said[i], 1e-3) or i + 1 == game.count or not left[i + 1].best


def test_a_stray_turn_that_is_worth_as_much_as_the_best_ends_nothing(code: Any) -> None:
    """To nets of nought all is alike, so any turn is played, and none of them ends a return."""
    asked, others = Tiny(Nets(tiny.weights(spread=0.0), plain=True)), 0
    slow = Slow(asked)
    for seed in range(4):
        game = Studied(asked, code, seed, stray=16, gap=0.0, decay=0.7)
        left = by_hand(slow, game, seed, 16, 4, 0.0)
        assert all(one.best for one in left)
        said = [ahead(one.here.state) for one in left]
        wanted = returns(left, said, [[0.5, 0.0, 0.0, 0.0, 0.0]] * len(left), 0.7)
        assert game.count == len(wanted)
        for i, told in enumerate(wanted):
            assert near(game.told(i), told)
        others += sum(one.ties > 0 for one in left[1:])
    assert others > 10, "there were others to choose from"


CHANGE = [0.2, 0.1, 0.05, -0.3, -0.02]
ROUND = [-0.2, -0.3, -0.02, 0.1, 0.05]  # the same for the other side


def passed(
    begun: int, end: int, decay: float, plain: bool = True, rows: int = 6
) -> list[list[float]]:
    """What is added to the chances of six positions, of which the first has the number 0."""
    change, chances = compiled.singles(5, plain), compiled.singles(5 * rows, plain)
    change[:] = CHANGE
    chances[:] = [k / 8 for k in range(5 * rows)]
    kernels("study", plain).pass_back(change, chances, begun, end, decay)
    added = [float(x) - k / 8 for k, x in enumerate(chances)]
    return [added[5 * k : 5 * k + 5] for k in range(rows)]


def times(share: float, change: list[float]) -> list[float]:
    return [share * x for x in change]


NONE = [0.0] * 5
PASSED = [
    ((1, 4, 0.5), [NONE, times(0.125, ROUND), times(0.25, CHANGE), times(0.5, ROUND), NONE, NONE]),
    ((0, 2, 1.0), [CHANGE, ROUND, NONE, NONE, NONE, NONE]),
    ((0, 6, 0.0), [NONE] * 6),
    ((3, 3, 0.9), [NONE] * 6),
    ((0, 0, 0.9), [NONE] * 6),
    ((2, 3, 0.9), [NONE, NONE, times(0.9, ROUND), NONE, NONE, NONE]),
    (
        (0, 5, 0.05),  # the fourth share would be below a thousandth, as the third is
        [NONE, NONE, times(0.05**3, ROUND), times(0.05**2, CHANGE), times(0.05, ROUND), NONE],
    ),
]


@pytest.mark.parametrize(("given", "wanted"), PASSED)
def test_a_change_is_passed_back_from_one_side_to_the_other(
    given: tuple[int, int, float], wanted: list[list[float]]
) -> None:
    for found, row in zip(passed(*given), wanted, strict=True):
        assert near(found, row, 1e-12)


# ---------------------------------------------------------------- compiled


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
@pytest.mark.parametrize(("given", "wanted"), PASSED)
def test_compiled_it_is_passed_back_alike(
    given: tuple[int, int, float], wanted: list[list[float]]
) -> None:
    for found, row in zip(passed(*given, plain=False), wanted, strict=True):
        assert near(found, row, 1e-6)


@pytest.mark.slow
def test_compiled_games_of_whole_boards_are_to_be_learnt_by_the_sum(fast: Tiny) -> None:
    """One ply as the game without lambda has it, which in places is asked for by hand."""
    code, slow = kernels("study", plain=False), Slow(fast)
    for seed in (1, 2):
        bare, game = (Studied(fast, code, seed, decay=decay) for decay in (0.0, 0.7))
        assert game.count == bare.count > 20
        assert list(game.packed) == list(bare.packed)
        left = [Left(Position(GAME, game.board(i)), True, 0) for i in range(game.count)]
        said = [bare.told(i) for i in range(game.count)]
        for i in (0, game.count - 1):
            assert near(said[i], slow.chance(left[i].here, 1), 1e-4)
        wanted = returns(left, said, [slow.static(one.here) for one in left], 0.7)
        for i, told in enumerate(wanted):
            assert near(game.told(i), told, 0.01)
