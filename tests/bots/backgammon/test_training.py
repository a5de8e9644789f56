"""A training depends on its settings and on nothing else: not on threads, nor on stopping.

In plain Python the games are short, as in test_selfplay.py: two checkers a side, two a round.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from bots import training, weights
from bots.judge import Judge
from bots.search.backgammon import net
from bots.search.backgammon.inputs import INPUTS, ROWS, SIGHTS
from bots.training import BadTraining, Measure, Progress, Settings, Training, Worker
from bots.weights import BadWeights
from games.backgammon import GAME
from games.game import CHANCE, END, Position
from games.rng import below, seeded
from tests.bots.backgammon import tiny
from tests.bots.backgammon.short import SELFPLAY, quicken
from tests.bots.backgammon.test_selfplay import few

SETTINGS = Settings(
    11, seed=5, hidden=tiny.HIDDEN, alpha=0.1, alpha_end=0.01,
    lesson_games=7, window=3, passes=2, rate=0.02, lesson_decay=0.25, warm=True,
)  # fmt: skip
SINGLE = 1e-4  # what rounding a checkpoint to single precision may come to in plain Python


def shorten(patch: pytest.MonkeyPatch) -> None:
    quicken(patch)
    patch.setattr(SELFPLAY, "setup", few)


@pytest.fixture(autouse=True)
def short(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Short games and rounds; but where it is compiled, as they are."""
    if "with_numba" not in request.fixturenames:
        shorten(monkeypatch)


def nothing(progress: Progress) -> None:
    """Told, and not listened to."""


def trained(
    settings: Settings = SETTINGS, threads: int = 1, *, plain: bool = True, until: int | None = None
) -> Training:
    made = Training(settings, threads=threads, plain=plain)
    made.run(nothing, until=until)
    return made


def state(made: Training) -> tuple[list[float], list[float]]:
    return [float(x) for x in made.nets.w], [float(x) for x in made.mean]


def same(one: Training, other: Training, within: float = 0.0) -> bool:
    assert one.progress.games == other.progress.games
    assert within or one.progress.learnt == other.progress.learnt
    pairs: list[tuple[float, float]] = []
    for a, b in zip(state(one), state(other), strict=True):
        pairs += zip(a, b, strict=True)
    return max(abs(a - b) for a, b in pairs) <= within


@pytest.fixture(scope="module")
def whole() -> Training:
    with pytest.MonkeyPatch.context() as patch:
        shorten(patch)
        return trained()


# ---------------------------------------------------------------- the same settings


@pytest.mark.parametrize("threads", [1, 2])
def test_the_same_settings_give_the_same_weights(whole: Training, threads: int) -> None:
    assert same(trained(threads=threads), whole)


def test_all_games_are_played_and_learnt_from(whole: Training) -> None:
    assert whole.progress.games == 11
    assert min(whole.progress.learnt) > 0
    untrained = Training(SETTINGS, plain=True)
    for k, hidden in enumerate(tiny.HIDDEN):
        begin = untrained.nets.shape[2 * k]
        part = slice(begin, begin + net.size(hidden))
        assert list(untrained.nets.w)[part] != list(whole.nets.w)[part]


@pytest.mark.parametrize(
    "change", [{"seed": 6}, {"alpha": 0.09}, {"alpha_end": 0.02}, {"decay": 0.9}]
)
def test_other_settings_give_other_weights(whole: Training, change: dict[str, Any]) -> None:
    assert not same(trained(dataclasses.replace(SETTINGS, **change)), whole, 1e-9)


def test_it_begins_with_small_random_weights() -> None:
    one, two = (Training(SETTINGS, plain=True) for _ in range(2))
    assert same(one, two)
    assert 0.09 < max(one.nets.w) <= training.SPREAD


# ---------------------------------------------------------------- stopping and going on


@pytest.mark.parametrize("at", [0, 1, 10])
def test_stopped_and_gone_on_is_not_stopped(whole: Training, at: int, tmp_path: Path) -> None:
    """10 lies where the weights are averaged already.  Plain Python knows more than it keeps."""
    kept = tmp_path / "kept"
    trained(until=at).keep(kept)
    made = Training(SETTINGS, threads=2, plain=True)
    made.go_on(kept)
    assert made.progress.games == min(11, at + at % 2)
    made.run(nothing)
    assert same(made, whole, SINGLE)


def test_a_checkpoint_holds_all_that_is_known(whole: Training, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    whole.progress.curve.append(Measure(8, 1.5, -2.0, 0.25))
    whole.keep(kept)
    made = Training(SETTINGS, plain=True)
    made.go_on(kept)
    assert made.progress == whole.progress
    assert same(made, whole, 1e-6)
    made.keep(tmp_path / "again")
    assert kept.read_bytes() == (tmp_path / "again").read_bytes()
    whole.progress.curve.clear()


@pytest.fixture
def no_play(monkeypatch: pytest.MonkeyPatch) -> None:
    """Games without a position: for tests of what is around them."""
    monkeypatch.setattr(Worker, "play", lambda *_: None)


@pytest.mark.usefixtures("no_play")
def test_it_ends_after_a_round_when_somebody_wants_it() -> None:
    made = Training(SETTINGS, plain=True)
    rounds: list[int] = []

    def tell(progress: Progress) -> None:
        rounds.append(progress.games)
        if len(rounds) == 2:
            made.end()

    made.run(tell)
    assert rounds == [2, 4]
    assert made.ended
    made.run(tell)
    assert rounds == [2, 4]


@pytest.mark.usefixtures("no_play")
def test_the_last_round_has_the_games_that_are_left() -> None:
    rounds: list[int] = []
    Training(SETTINGS, plain=True).run(lambda progress: rounds.append(progress.games))
    assert rounds == [2, 4, 6, 8, 10, 11]


@pytest.mark.parametrize(
    "change",
    [
        {"games": 12}, {"seed": 6}, {"hidden": (4, 3, 3)}, {"alpha": 0.09}, {"alpha_end": 0.02},
        {"decay": 0.4}, {"without": ("exact",)},
    ],
)  # fmt: skip
def test_a_checkpoint_of_other_settings_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    Training(SETTINGS, plain=True).keep(tmp_path / "kept")
    made = Training(dataclasses.replace(SETTINGS, **change), plain=True)
    before = state(made)
    with pytest.raises(BadTraining, match="kept is of a training with other settings"):
        made.go_on(tmp_path / "kept")
    assert state(made) == before


def test_what_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    made = Training(SETTINGS, plain=True)
    kept = tmp_path / "kept"
    with pytest.raises(BadWeights, match="there are no weights in"):
        made.go_on(kept)
    weights.save(kept, tiny.weights())
    with pytest.raises(BadWeights, match="is no checkpoint of a training"):
        made.go_on(kept)
    made.keep(kept)
    kept.write_bytes(kept.read_bytes()[:-1])
    with pytest.raises(BadWeights, match="is damaged, or not all there"):
        made.go_on(kept)
    with pytest.raises(BadWeights, match="is damaged"):
        weights.load(kept)


def test_a_checkpoint_is_no_file_of_nets(tmp_path: Path) -> None:
    Training(SETTINGS, plain=True).keep(tmp_path / "kept")
    with pytest.raises(BadWeights, match="holds no nets for backgammon"):
        weights.load(tmp_path / "kept")


# ---------------------------------------------------------------- settings


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"games": 0}, "games must be 1 to"),
        ({"games": 10**9 + 1}, "games must be 1 to"),
        ({"hidden": (1, 2)}, "hidden must be 3 numbers from 1 to 1024"),
        ({"hidden": (1, 2, 0)}, "hidden must be 3 numbers"),
        ({"hidden": (1, 2, 1025)}, "hidden must be 3 numbers"),
        ({"alpha": 0.0}, "alpha must be above 0"),
        ({"alpha": 1.5}, "alpha must be above 0"),
        ({"alpha": float("nan")}, "alpha must be above 0"),
        ({"alpha_end": 0.0}, "alpha must be above 0"),
        ({"alpha_end": 0.2}, "alpha must be above 0 and at most 1, and not grow"),
        ({"decay": -0.1}, "lambda must be from 0 to 1"),
        ({"decay": float("nan")}, "lambda must be from 0 to 1"),
        ({"lessons": -1}, "lessons must be 0 to 200"),
        ({"lesson_games": 0}, "games of a lesson must be 1 to 10,000"),
        ({"window": 0}, "window must be 1 to 200, not 0"),
        ({"window": 201}, "window must be 1 to 200, not 201"),
        ({"passes": 0}, "passes must be 1 to 10,000"),
        ({"rate": float("nan")}, "rate must be above 0"),
        ({"lesson_decay": -0.1}, "lambda of lessons must be from 0 to 1, not -0.1"),
        ({"lesson_decay": 1.1}, "lambda of lessons must be from 0 to 1, not 1.1"),
        ({"lesson_decay": float("nan")}, "lambda of lessons must be from 0 to 1, not nan"),
        ({"without": ("dice",)}, "there can be done without sights, one-way, exact"),
    ],
)
def test_settings_that_cannot_be_meant(change: dict[str, Any], why: str) -> None:
    with pytest.raises(BadTraining, match=why):
        dataclasses.replace(SETTINGS, **change)


def test_a_step_stays_and_then_falls_evenly_on_a_logarithmic_scale() -> None:
    settings = Settings(1000, alpha=0.1, alpha_end=0.001)
    assert [settings.step(game) for game in (0, 40, 80)] == [0.1] * 3
    assert settings.step(540) == pytest.approx(0.01), "half-way from 80 to 1000"
    assert settings.step(1000) == pytest.approx(0.001)
    ratios = {round(settings.step(g + 10) / settings.step(g), 9) for g in range(100, 900, 50)}
    assert len(ratios) == 1


# ---------------------------------------------------------------- what comes of it


def test_the_mean_of_the_last_stretch_is_what_is_kept() -> None:
    made = Training(SETTINGS, plain=True)
    late: list[list[float]] = []

    def tell(progress: Progress) -> None:
        if progress.games > 0.8 * SETTINGS.games:
            late.append(list(made.nets.w))

    made.run(tell)
    assert len(late) == 2
    made.finish()
    assert list(made.nets.w) == pytest.approx([(a + b) / 2 for a, b in zip(*late, strict=True)])


def test_a_training_that_has_not_begun_has_no_mean() -> None:
    made = Training(SETTINGS, plain=True)
    before = state(made)
    made.finish()
    assert state(made) == before


def test_the_result_says_how_it_was_made_and_is_played_by(whole: Training, tmp_path: Path) -> None:
    whole.progress.curve.append(Measure(8, 1.5, -2.0, 0.25))
    result = whole.result()
    whole.progress.curve.clear()
    weights.save(tmp_path / "a.nets", result)
    told = weights.load(tmp_path / "a.nets").trained
    seconds = told.pop("seconds")
    assert isinstance(seconds, int)
    assert told == {
        "games": 11, "seed": 5, "hidden": [4, 3, 2], "alpha": 0.1, "alpha_end": 0.01, "decay": 0.3,
        "without": [], "after": "", "lessons": 0, "lesson_games": 7, "window": 3, "passes": 2,
        "rate": 0.02, "lesson_decay": 0.25, "warm": True, "games_played": 11,
        "positions": whole.progress.learnt, "studied": [], "curve": [[8, 0, -2.0, 0.25]],
    }  # fmt: skip
    judge = Judge(weights=tmp_path / "a.nets", plain=True)
    assert judge.nets.hidden == tiny.HIDDEN


def test_a_training_that_runs_away_is_not_saved(tmp_path: Path) -> None:
    made = Training(SETTINGS, plain=True)
    made.nets.w[0] = float("nan")
    made.keep(tmp_path / "kept")
    with pytest.raises(BadWeights, match="a smaller alpha"):
        weights.save(tmp_path / "a.nets", made.result())


# ---------------------------------------------------------------- measuring


def test_measuring_changes_nothing(whole: Training) -> None:
    made = trained(until=6)
    first, again = made.measure(3), made.measure(3)
    assert dataclasses.replace(first, seconds=0) == dataclasses.replace(again, seconds=0)
    assert first.games == 6
    assert -3 <= first.points <= 3
    made.run(nothing)
    assert same(made, whole)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_pair_of_games_counts_once(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    """Both seats, the same dice; the error is that of the mean over pairs."""
    asked: list[tuple[int, int]] = []

    def match(self: Worker, seed: int, seat: int, stop: Any) -> int:
        asked.append((seed, seat))
        return (seed % 2) * 4 - 1 if seat else 1  # pairs worth 2 and 0

    monkeypatch.setattr(Worker, "match", match)
    found = Training(SETTINGS, threads=threads, plain=True).measure(10)
    assert found.points == 1
    assert found.error == pytest.approx(1.96 * (10 / 9 / 10) ** 0.5, abs=1e-4)
    assert len(set(asked)) == len(asked) == 20
    assert len({seed for seed, _ in asked}) == 10


def test_the_dice_of_measuring_are_not_those_of_playing(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: dict[str, set[int]] = {"play": set(), "match": set()}

    def play(self: Worker, seed: int, whole: bool, record: Any, stop: Any) -> None:
        seeds["play"].add(seed)

    def match(self: Worker, seed: int, seat: int, stop: Any) -> int:
        seeds["match"].add(seed)
        return 0

    monkeypatch.setattr(Worker, "play", play)
    monkeypatch.setattr(Worker, "match", match)
    for seed in (0, 1, 2):
        made = trained(dataclasses.replace(SETTINGS, seed=seed))
        made.measure(5)
    assert len(seeds["play"]) == 3 * SETTINGS.games
    assert len(seeds["match"]) == 15
    assert not seeds["play"] & seeds["match"]


# ---------------------------------------------------------------- doing without


def inputs_of(made: Training, k: int, first: int, last: int) -> list[float]:
    """The weights of some inputs of a net."""
    start, hidden = made.nets.shape[2 * k], made.nets.shape[2 * k + 1]
    return list(made.nets.w[start + first * hidden : start + last * hidden])


def without(name: str) -> tuple[Training, Training]:
    settings = dataclasses.replace(SETTINGS, without=(name,))
    return Training(settings, plain=True), trained(settings, threads=2)


def test_without_sights_no_sight_is_learnt_from() -> None:
    before, after = without("sights")
    for k in range(net.KINDS):
        sights, counts = (ROWS + 1, INPUTS), (0, ROWS)
        assert inputs_of(before, k, *sights) == inputs_of(after, k, *sights)
        assert inputs_of(before, k, *counts) != inputs_of(after, k, *counts)
    assert INPUTS == ROWS + 1 + SIGHTS


def test_without_a_net_for_one_way_contact_another_takes_its_place() -> None:
    before, after = without("one-way")
    begin, end = net.size(tiny.HIDDEN[0]), net.size(tiny.HIDDEN[0]) + net.size(tiny.HIDDEN[1])
    assert list(before.nets.w[begin:end]) == list(after.nets.w[begin:end])
    assert list(before.nets.w[:begin]) != list(after.nets.w[:begin])
    assert after.progress.learnt[net.CONTACT] > 0
    assert after.progress.learnt[net.ONE_WAY] > 0


def test_without_the_table_races_are_played_to_their_end() -> None:
    _, after = without("exact")
    assert after.nets.shape[net.MOST] == 0
    assert same(after, without("exact")[1])


# ---------------------------------------------------------------- compiled

FAST = Settings(400, seed=2, hidden=(8, 6, 4), alpha=0.1, alpha_end=0.01)


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
def test_compiled_neither_threads_nor_stopping_change_a_bit(tmp_path: Path) -> None:
    whole = trained(FAST, plain=False)
    assert not whole.nets.plain
    kept = tmp_path / "kept"
    made = Training(FAST, threads=2)
    for until in (1, 8, 50, 200, 321, 392, 400):
        made.run(nothing, until=until)
        made.measure(3)
        made.keep(kept)
        made = Training(FAST, threads=2)
        made.go_on(kept)
    assert made.progress.games == 400
    assert same(made, whole)


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
def test_a_tiny_training_learns(tmp_path: Path) -> None:
    """From random weights, which lose 2 points or more a game, to what beats them without doubt."""
    settings = Settings(4000, hidden=(10, 10, 5), alpha=0.1, alpha_end=0.01)
    made = Training(settings)
    before = made.measure(100)
    weights.save(tmp_path / "before", made.result())
    made.run(nothing)
    made.finish()
    after = made.measure(100)
    weights.save(tmp_path / "after", made.result())
    assert after.points > before.points + 1
    assert points(Judge(weights=tmp_path / "after"), Judge(weights=tmp_path / "before"), 60) > 0.8


def points(one: Judge, other: Judge, games: int) -> float:
    """What `one` wins of `other` in a game on average, neither looking ahead."""
    total, rng = 0.0, seeded(1)
    for game in range(games):
        here, seat = GAME.initial(), game % 2
        while here.to_move != END:
            here = here.apply(rolled(here, rng) if here.to_move == CHANCE else
                              (one if here.to_move == seat else other).best(here))  # fmt: skip
        outcome = here.outcome()
        assert outcome is not None
        total += outcome.returns[seat]
    return total / games


def rolled(here: Position, rng: list[int]) -> int:
    rolls: Sequence[int] = [roll for roll, weight in here.chance() for _ in range(weight)]
    return rolls[below(rng, len(rolls))]
