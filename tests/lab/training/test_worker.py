"""What a worker asks of the kernels, in plain Python and in short games."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from bots.backgammon.kernels import net
from bots.backgammon.kernels.inputs import INPUTS, ROWS
from bots.backgammon.nets import Nets, kernels
from bots.backgammon.weights import Weights
from lab.training import worker as worker_module
from lab.training.dataset import Dataset, joined
from lab.training.kernels import learning, refinement, selfplay
from lab.training.settings import TrainingSettings
from lab.training.training import Training
from lab.training.worker import (
    EXPLORATION,
    REFINING,
    REPLIES,
    WIDE_REPLIES,
    SelfPlayGame,
    Worker,
)
from tests.bots.backgammon import tiny
from tests.bots.backgammon.endings import behind
from tests.lab.training.fake import nothing


def shallow(
    s: Any, average: Any, most: int, nodes: int, arrays: Any, space: Any, stop: Any
) -> bool:
    """In the place of one_ply: what the nets say, with less to win."""
    PLAIN.judge(s, arrays, space)
    average[:] = [0.9 * space.chances[0], *space.chances[1:]]
    return True


PLAIN = kernels(net, plain=True)
SELFPLAY, LEARNING = (kernels(code, True, setup=behind) for code in (selfplay, learning))


class Short(Worker):
    """A worker whose games begin with two checkers a side; it hardly looks ahead."""

    def __init__(self, nets: Nets) -> None:
        super().__init__(nets)
        self.selfplay, self.learning = SELFPLAY, LEARNING


@pytest.fixture(autouse=True)
def no_lookahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LEARNING, "one_ply", shallow)


def worker(*without: str) -> Short:
    bare = tiny.weights()
    return Short(Nets(Weights(bare.hidden, bare.values, {}, without), plain=True))


def played(one: Worker, seed: int) -> SelfPlayGame:
    game = SelfPlayGame(plain=True)
    one.play(seed, True, game)
    return game


def test_a_game_is_aimed_and_learnt_from() -> None:
    one = worker()
    before, game = list(one.nets.weights), played(one, 1)
    chances = list(game.arrays.chances)
    one.aim(game, 0.3)
    assert game.arrays.chances != chances
    empty = SelfPlayGame(plain=True)
    one.aim(empty, 0.3)
    assert one.learn([game, empty, game], net.CONTACT, 0.1) > 2
    assert list(one.nets.weights) != before


def test_random_weights_are_those_of_a_seed() -> None:
    both = []
    for seed in (1, 1, 2):
        one = worker()
        one.scatter(seed)
        both.append(list(one.nets.weights))
    assert both[0] == both[1] != both[2]
    assert 0.09 < max(both[0]) <= worker_module.SPREAD
    mean = [2.0] * len(both[0])
    one.blend(mean, 0.25)
    assert mean == pytest.approx([1.5 + x / 4 for x in one.nets.weights])


def test_lambda_changes_the_targets_and_not_the_game() -> None:
    one = worker()
    first, same, other = (one.look_ahead(seed, 0.7) for seed in (7, 7, 8))
    bare = one.look_ahead(7, 0.0)
    assert first.count == bare.count > 1
    assert first.samples == same.samples
    assert first.samples.packed == bare.samples.packed != other.samples.packed
    assert first.samples.targets != bare.samples.targets


def test_fitting_ends_between_two_passes(dataset: Dataset) -> None:
    one, other, go_on = worker(), worker(), iter([True, True, False])
    assert not one.fit(dataset, net.CONTACT, 4, 0.01, 3, lambda: next(go_on))
    assert list(one.nets.weights) != list(other.nets.weights)


def test_games_are_looked_ahead_in_as_the_constants_say(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []
    monkeypatch.setattr(LEARNING, "play_ahead", lambda rng, *more: given.append(more[:3]) or 0)
    assert worker().look_ahead(7, 0.25).count == 0
    assert given == [(EXPLORATION, 0.25, REPLIES)]
    assert 0 < EXPLORATION.share < learning.DECISIONS


def test_half_of_the_refined_games_begin_at_hard_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Any] = []
    one = worker()
    monkeypatch.setattr(one.refinement, "play_refined", lambda *all: given.append(all[:6]) or 3)
    assert [one.refine(6, 0.25).count, one.refine(7, 0.25, others=True).count] == [3, 3]
    (first, *same, narrow), (other, *more, wide) = given
    assert list(first) != list(other)
    assert (same, more) == (
        [False, REFINING, 0.25, REPLIES], [True, REFINING, 0.25, WIDE_REPLIES]
    )  # fmt: skip
    assert REPLIES < WIDE_REPLIES
    assert len(narrow.kinds) == learning.MAX_POSITIONS
    assert len(wide.kinds) == learning.MAX_POSITIONS + refinement.OTHERS, (
        "and other turns are learnt"
    )


@pytest.fixture(scope="module")
def dataset() -> Dataset:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LEARNING, "one_ply", shallow)
        return joined([worker().look_ahead(seed, 0.7) for seed in range(4)], plain=True)


@pytest.mark.parametrize(
    ("without", "kinds"),
    [((), {net.CONTACT}), (("one-way",), {net.CONTACT, net.ONE_WAY})],
    ids=["a net of its own", "a net that is two"],
)
def test_a_net_learns_in_passes_of_shorter_and_shorter_steps(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch, without: tuple[str, ...], kinds: set[int]
) -> None:
    passes: list[tuple[list[int], float, int]] = []

    def noted(order: Any, n: int, batch: int, samples: Any, which: int, rate: float, steps: int,
              *more: Any) -> float:  # fmt: skip
        passes.append((list(order[:n]), rate, steps))
        assert (batch, samples, which) == (2, dataset.samples, net.CONTACT)
        return 0.0

    monkeypatch.setattr(worker_module, "BATCH", 2)
    monkeypatch.setattr(LEARNING, "learn_all", noted)
    assert worker(*without).fit(dataset, net.CONTACT, 4, 0.01, 3, lambda: True)
    own = [i for i, kind in enumerate(dataset.samples.kinds) if kind in kinds]
    assert {dataset.samples.kinds[i] for i in own} == kinds
    assert len(own) > 3
    orders, rates, steps_before = zip(*passes, strict=True)
    assert [sorted(order) for order in orders] == [own] * 4
    assert len(set(map(tuple, orders))) == 4
    assert list(rates) == pytest.approx([0.01, 0.00853553, 0.005, 0.00146447], abs=1e-7)
    assert list(steps_before) == [k * -(-len(own) // 2) for k in range(4)]


def test_each_round_and_net_learns_in_an_order_of_its_own(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    dice: list[int] = []
    monkeypatch.setattr(LEARNING, "shuffle", lambda order, n, rng: dice.append(rng[0]))
    for seed, which in ((3, net.CONTACT), (4, net.CONTACT), (3, net.RACE)):
        assert worker().fit(dataset, which, 1, 0.01, seed, lambda: True)
    assert len(set(dice)) == 3


@pytest.mark.parametrize("n", [0, 4])
def test_a_net_that_has_seen_nothing_stays_as_it_is(n: int) -> None:
    one, empty = worker(), Dataset(n, plain=True)
    empty.count = n
    before = list(one.nets.weights)
    assert one.fit(empty, net.RACE, 2, 0.01, 3, lambda: True)
    assert list(one.nets.weights) == before


SETTINGS = TrainingSettings(
    games=9, seed=5, hidden=tiny.HIDDEN, alpha=0.1, alpha_end=0.01, lessons=1, lesson_games=2,
    passes=1, warm=True,
)  # fmt: skip


def trained(*without: str) -> tuple[Training, list[float]]:
    """A short training, and the weights before."""
    settings = msgspec.structs.replace(SETTINGS, without=without)
    made = Training(settings, plain=True, worker=Short)
    before = list(made.nets.weights)
    made.run(nothing)
    assert made.look_ahead(nothing)
    return made, before


def test_without_features_none_is_learnt_from() -> None:
    made, before = trained("features")
    after = list(made.nets.weights)
    for k in (net.CONTACT, net.ONE_WAY):
        start, width = made.nets.shape[2 * k : 2 * k + 2]
        bias, features, end = (start + width * i for i in (ROWS, ROWS + 1, INPUTS))
        assert before[features:end] == after[features:end]
        assert before[start:bias] != after[start:bias]


def test_without_a_net_for_one_way_contact_another_takes_its_place() -> None:
    made, before = trained("one-way")
    begin, end = net.size(tiny.HIDDEN[0]), net.size(tiny.HIDDEN[0]) + net.size(tiny.HIDDEN[1])
    after = list(made.nets.weights)
    assert after[begin:end] == before[begin:end]
    assert after[:begin] != before[:begin]
    assert min(made.progress.learnt[:2]) > 0


def test_without_the_table_the_net_of_races_judges_the_last_phase() -> None:
    made, _ = trained("exact")
    assert made.nets.shape[net.TABLE_AT] == 0
    assert made.progress.learnt[net.RACE] > 0
