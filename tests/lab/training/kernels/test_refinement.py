"""A game whose turns are chosen with lookahead: where it begins, how it goes, what it teaches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from bots.backgammon.kernels import net
from bots.backgammon.nets import MONEY_PRICES, kernels
from bots.engine import compiled
from games.backgammon import GAME
from games.backgammon.playouts import throw
from games.game import Position
from games.rng import below, seeded
from lab.training.kernels import learning, refinement
from lab.training.kernels.training_records import Exploration, RefinementSpace, Samples
from tests.bots.backgammon import tiny
from tests.bots.backgammon.endings import behind
from tests.bots.backgammon.kernels.test_lookahead import turned
from tests.bots.backgammon.tiny import near, position
from tests.lab.training.kernels.test_games_ahead import ALL, DECISIONS, ahead, remembering
from tests.lab.training.kernels.test_learning import boards, on_roll, read
from tests.lab.training.kernels.test_selfplay import start

STATE = GAME.state_size
CLOSE = 0.3  # of nets this small, whose turns lie further apart


@pytest.fixture
def whole(monkeypatch: pytest.MonkeyPatch) -> Any:
    """refinement.py in plain Python, for short games."""
    code = kernels(refinement, plain=True, setup=behind)
    monkeypatch.setattr(code, "CLOSE", CLOSE)
    return code


def spoils(s: Any, average: Any, most: int, nodes: int, arrays: Any, space: Any, stop: Any) -> bool:
    """In the place of one_ply: what `ahead` says; all that lookahead writes to is written to."""
    average[:] = ahead(s)
    for part in (space.chances, space.within, space.turns, space.values, space.after):
        part[:] = [7] * len(part)
    return True


@pytest.fixture
def code(whole: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The same, in which lookahead says what `ahead` does."""
    monkeypatch.setattr(whole, "one_ply", spoils)
    return whole


class Refined:
    """A game that was played, by the nets of all these tests."""

    def __init__(
        self, code: Any, seed: int, explore: Exploration, *, decay: float = 0.0,
        hard: bool = False, others: bool = False, stop: int = 0,
    ) -> None:  # fmt: skip
        asked, room = tiny.plain(), learning.MAX_POSITIONS + others * refinement.OTHERS
        self.packed, self.kinds = compiled.ints(room * learning.PACKED, True), [9] * room
        self.targets = compiled.singles(room * net.OUTPUTS, True)
        self.more = RefinementSpace(
            [0] * explore.turns, [0.0] * 5, [0.0] * 5 * explore.turns, [0] * refinement.OTHERS,
            [0] * STATE,
        )  # fmt: skip
        self.count = code.play_refined(
            [seeded(seed)[0]], hard, explore, decay, ALL,
            Samples(self.packed, self.targets, self.kinds), asked.net, asked.space, self.more,
            asked.flag(stop),
        )  # fmt: skip

    def told(self, i: int) -> list[float]:
        return [float(x) for x in self.targets[i * net.OUTPUTS : (i + 1) * net.OUTPUTS]]


@dataclass
class Left:
    """What a turn by hand left."""

    here: Position
    promised: list[float]  # what the best turn without lookahead leaves, or an explored one
    good: bool  # a turn was explored that is worth less
    second: bool  # it was not the best one without lookahead that was chosen
    others: list[Position]  # what turns that were looked at, and not chosen, would have left


def worth(chances: list[float]) -> float:
    """To who has made the turn."""
    return -net.equity(chances, 0, MONEY_PRICES, 0)


def by_hand(seed: int, explore: Exploration) -> list[Left]:
    """The same game over the game's own positions, its end too."""
    slow, s, rng = remembering(), start(behind), seeded(seed)
    game: list[Left] = []
    throw(s, rng)
    while net.kind(s, 4) < net.EXACT:
        if s[53] == 0:
            throw(s, rng)
        here = Position(GAME, tuple(s))
        left = [here.apply(action) for action in here.legal_actions()]
        left.sort(key=lambda after: -worth(slow.static(after)))
        values = [worth(slow.static(after)) for after in left]
        promised, good, after, others = slow.static(left[0]), True, left[0], list[Position]()
        if below(rng, DECISIONS) < explore.share:
            n = sum(v >= values[0] - explore.gap for v in values[: explore.turns])
            after = left[below(rng, n)]
            promised, good = slow.static(after), worth(slow.static(after)) == values[0]
        else:
            least = values[0] - min(CLOSE, explore.gap)
            close = [x for x, v in zip(left, values, strict=True) if v >= least][: explore.turns]
            after = max(close, key=lambda x: worth(ahead(x.state)))
            others = [x for x in close if x is not after]
        game.append(Left(after, promised, good, after != left[0], others))
        s = list(after.state)
    return game


@pytest.mark.parametrize(
    ("given", "decay"),
    [((0, 4, 9.0), 0.9), ((0, 1, 9.0), 0.9), ((4, 3, 0.5), 0.0), ((16, 4, 9.0), 0.9)],
)
def test_what_is_learnt_is_lookahead_and_what_it_changed_of_the_promises_after(
    code: Any, given: tuple[int, int, float], decay: float
) -> None:
    """Down to the end of the game, which is not learnt itself."""
    explore, seconds, worse = Exploration(*given), 0, 0
    for seed in range(4):
        left, game = by_hand(seed, explore), Refined(code, seed, explore, decay=decay)
        assert net.kind(left[-1].here.state, 4) >= net.EXACT
        assert game.count == len(left) - 1
        assert game.kinds[game.count :] == [9] * (learning.MAX_POSITIONS - game.count)
        for i in range(game.count):
            board = read(game.packed, i)
            assert board == on_roll(left[i].here.state)
            assert game.kinds[i] == net.kind(board, 4)
            target, share = ahead(left[i].here.state), 1.0
            for j in range(i + 1, len(left)):
                if not left[j].good:
                    break
                share *= decay
                after, before = ahead(left[j].here.state), left[j].promised
                if (j - i) % 2:
                    after, before = turned(after), turned(before)
                target = [
                    t + share * (a - b) for t, a, b in zip(target, after, before, strict=True)
                ]
            assert near(game.told(i), target)
        seconds += sum(one.second for one in left)
        worse += sum(not one.good for one in left)
    assert (seconds > 2) == (explore.turns > 1)
    assert (worse > 1) == (explore.share > 0)


@pytest.mark.parametrize(
    ("given", "decay"),
    [((0, 4, 9.0), 0.9), ((0, 1, 9.0), 0.9), ((4, 3, 0.5), 0.0), ((16, 4, 9.0), 0.9)],
)
def test_what_was_not_chosen_differs_from_what_was_by_what_lookahead_says(
    code: Any, given: tuple[int, int, float], decay: float
) -> None:
    """It comes after the positions of the game, which are the same as without it."""
    explore, seen = Exploration(*given), 0
    for seed in range(4):
        bare = Refined(code, seed, explore, decay=decay)
        game = Refined(code, seed, explore, decay=decay, others=True)
        n = bare.count
        assert [game.told(i) for i in range(n)] == [bare.told(i) for i in range(n)]
        assert list(game.packed[: 4 * n]) == list(bare.packed[: 4 * n])
        left = by_hand(seed, explore)
        others = [(one, x) for one in left[:-1] for x in one.others]
        others = [(one, x) for one, x in others if net.kind(x.state, 4) < net.EXACT]
        assert game.count == n + len(others)
        for k, (chosen, other) in enumerate(others, n):
            board = read(game.packed, k)
            assert board == on_roll(other.state)
            assert game.kinds[k] == net.kind(board, 4)
            both = zip(ahead(other.state), ahead(chosen.here.state), strict=True)
            expected = [a - b for a, b in both]
            target = game.told(left.index(chosen))
            assert near(game.told(k), [t + d for t, d in zip(target, expected, strict=True)])
        seen += len(others)
    assert (seen > 2) == (explore.turns > 1 and explore.share < DECISIONS)


def test_a_stop_ends_it_with_nothing(whole: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for hard in (False, True):
        assert Refined(whole, 1, Exploration(0, 4, 9.0), hard=hard, stop=1).count == 0
    for share in (0, 16):
        monkeypatch.setattr(whole, "one_ply", lambda *_: False)
        assert Refined(whole, 1, Exploration(share, 4, 9.0)).count == 0


def test_no_more_than_there_is_room_for(code: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code, "MAX_POSITIONS", 1)
    for most in (0, 1, 2):
        monkeypatch.setattr(code, "OTHERS", most)
        game = Refined(code, 1, Exploration(0, 4, 9.0), decay=0.9, others=True)
        assert game.count == 1 + most


def is_hard(state: Any) -> bool:
    """Over the game's own count of pips."""
    mine, theirs = (sum(i * n for i, n in enumerate(state[k : k + 26])) for k in (0, 26))
    return abs(mine - theirs) > 40 or state[0] + state[26] > 0


def test_who_is_far_ahead_or_has_borne_off_is_in_a_hard_position(whole: Any) -> None:
    level = position({24: 2, 13: 5, 8: 3, 6: 5}, {24: 2, 13: 5, 8: 3, 6: 5})
    states = [level.state, *boards(200)]
    assert [bool(whole.is_hard(state)) for state in states] == [is_hard(state) for state in states]
    assert 20 < sum(map(is_hard, states)) < len(states) - 1


def test_a_hard_start_is_any_of_the_first_hard_positions(
    whole: Any, code: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before the roll, with contact; it takes as many games as that needs."""
    seen: list[tuple[int, ...]] = []

    def asked(s: Any) -> bool:
        if sum(i * s[i] for i in range(1, 26)) % 2:
            return False
        seen.append(on_roll(tuple(s)))
        return True

    monkeypatch.setattr(whole, "is_hard", asked)
    monkeypatch.setattr(whole, "ENOUGH", 12)
    places, played = set(), 0
    for seed in range(12):
        seen.clear()
        game = Refined(code, seed, Exploration(4, 4, 9.0), hard=True)
        state = on_roll(tuple(game.more.start))
        assert len(seen) == 12
        assert game.more.start[53] == 0
        assert net.kind(state, 4) < net.RACE
        places.add(seen.index(state))
        played += game.count
    assert len(places) > 4
    assert min(places) < 4 < 8 < max(places)
    assert played > 0
