"""A training depends on its settings and on nothing else: neither on threads nor on stopping.

Most tests have workers that play no backgammon (fake.py); those of the kernels are in
test_worker.py, and the slow ones here train for a while.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from bots.backgammon import weights
from bots.backgammon.judge import Judge
from bots.backgammon.kernels import net
from lab.training import checkpoint
from lab.training.progress import CurvePoint, TrainingProgress
from lab.training.settings import BadTraining, TrainingSettings
from lab.training.training import Training
from tests.bots.backgammon import tiny
from tests.lab.training.fake import REFINING, SETTINGS, WIDENING, Log, nothing, training

change = msgspec.structs.replace


def whole(settings: TrainingSettings = SETTINGS, threads: int = 1, **more: Any) -> Training:
    """A training that is over."""
    made = training(settings, threads=threads, **more)
    made.run(nothing)
    study(made, settings.rounds)
    made.finish()
    return made


def study(made: Training, rounds: int) -> None:
    """Look ahead until there were so many rounds of it."""
    while made.progress.lessons < rounds:
        assert made.look_ahead(nothing)


def state(made: Training) -> object:
    """Everything that a training goes on from, but for the time that it took."""
    data = {k: list(map(list, d.samples)) for k, d in made.datasets.items()}
    progress = change(made.progress, seconds=0, curve=[])
    floats = [[float(x) for x in part] for part in (made.nets.weights, made.mean)]
    return progress, floats, data, made._averaged


def values(made: Training) -> list[float]:
    return [float(x) for x in made.nets.weights]


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("without", [(), ("one-way",), ("features", "exact")])
def test_any_number_of_threads_trains_the_same(threads: int, without: tuple[str, ...]) -> None:
    settings = change(WIDENING, without=without, refinement_games=40)
    one, other = whole(settings), whole(settings, threads)
    assert state(one) == state(other)
    assert one.progress.games == 35
    assert one.progress.learnt[0] > 35
    assert len(one.progress.studied) == 5


@pytest.mark.parametrize(
    ("usual", "other"),
    [
        *((SETTINGS, other) for other in (
            {"seed": 6}, {"alpha": 0.4}, {"alpha_end": 0.02}, {"decay": 0.9}, {"passes": 3},
            {"rate": 0.05}, {"lesson_games": 71}, {"lesson_decay": 0.5}, {"warm": True},
            {"window": 1}, {"games": 36},
        )),
        *((REFINING, other) for other in (
            {"refinements": 2}, {"refinement_games": 31}, {"refinement_window": 1},
            {"refinement_passes": 2}, {"refinement_rate": 0.02}, {"refinement_decay": 0.5},
        )),
        *((WIDENING, other) for other in (
            {"wide_rounds": 1}, {"wide_hidden": (5, 4, 4)}, {"wide_games": 21}, {"wide_window": 2},
            {"wide_passes": 3}, {"wide_rate": 0.02}, {"wide_decay": 0.25},
        )),
    ],
)  # fmt: skip
def test_other_settings_train_other_weights_and_refuse_the_checkpoint(
    usual: TrainingSettings, other: dict[str, Any], tmp_path: Path
) -> None:
    settings = change(usual, **other)
    made = whole(settings)
    assert state(made) != state(whole(usual))
    training(usual).write(tmp_path / "kept")
    before = state(made)
    with pytest.raises(BadTraining, match="kept belongs to a training with other settings"):
        made.go_on(tmp_path / "kept")
    assert state(made) == before


def test_refinement_comes_last_by_settings_of_its_own() -> None:
    log = Log()
    made = training(REFINING, log=log)
    made.run(nothing)
    study(made, 2)
    assert (len(log.ahead), log.refined) == (2 * 70, [])
    for kept in ([3], [3, 4], [4, 5]):
        before = weights.rounded(values(made)) if kept == [3] else values(made)
        assert made.look_ahead(nothing)
        assert log.fitted[-3][2] == list(before), "warm"
        assert list(made.datasets) == kept, "and of what was seen before it learns nothing"
        packed = [x for number in kept for x in made.datasets[number].samples.packed]
        assert log.fitted[-1][1] == packed
    assert (len(log.ahead), len(log.refined)) == (2 * 70, 3 * 30)
    assert {decay for _, decay in log.refined} == {0.75}
    assert log.steps == [(2, 0.02)] * 6 + [(3, 0.01)] * 9


@pytest.mark.parametrize("usual", [REFINING, WIDENING])
def test_from_a_file_refinement_comes_to_the_same(usual: TrainingSettings, tmp_path: Path) -> None:
    """And so does what wider nets learn; as nets are rounded there, and the dice are their own."""
    file, third = tmp_path / "first", 1 / 3
    for lessons in (2, 0):
        settings = change(usual, lessons=lessons)
        both = training(settings), training(change(settings, refinements=0, wide_rounds=0))
        for made in both:
            made.run(nothing)
            made.mean[:] = [third] * len(made.mean)
            study(made, lessons)
            made.nets.weights[-1] = third
            made.finish()
        weights.save(file, both[1].result())
        start = weights.load(file)
        assert start.values[-1] != third
        alone = change(settings, games=0, lessons=0, after=weights.digest(file))
        then = training(alone, start=start)
        for made in (both[0], then):
            study(made, made.settings.rounds)
            made.finish()
        assert values(then) == values(both[0])


def test_weights_that_no_file_can_hold_are_not_refined() -> None:
    made = training(REFINING)
    made.run(nothing)
    study(made, 2)
    made.nets.weights[3] = 1e6
    with pytest.raises(weights.BadWeights, match="grown beyond all bounds"):
        made.look_ahead(nothing)


def test_no_dice_are_thrown_twice() -> None:
    """Of games, of each round of lookahead, and of measuring; in any training."""
    seeds: list[int] = []
    more = {"refinements": 2, "refinement_games": 20, "wide_rounds": 2, "wide_games": 10}
    more |= {"wide_hidden": SETTINGS.hidden}
    for seed in (0, 1, 2):
        log = Log()
        made = whole(change(SETTINGS, seed=seed, **more), log=log)
        made.measure(40)
        assert len(log.played) == 35
        assert {game[2] for game in log.played} == {SETTINGS.decay}
        assert sum(game[1] for game in log.played) == 5, "one of eight is played to its end"
        assert len(log.ahead) == 3 * 70
        assert {decay for _, decay in log.ahead} == {SETTINGS.lesson_decay}
        assert sorted(log.matches) == [(s, seat) for s in sorted({s for s, _ in log.matches})
                                       for seat in (0, 1)]  # fmt: skip
        games = range(seed << 40, (seed << 40) + 35)
        seeds += [*games, *(s for s, _ in log.ahead), *{s for s, _ in log.matches}]
        seeds += [s for s, _ in log.refined]
    assert len(set(seeds)) == len(seeds) == 3 * (35 + 210 + 40 + 20 + 40)


def test_games_come_in_batches_after_each_of_which_it_can_be_ended() -> None:
    """The last batch has what is left."""
    batches: list[int] = []
    made = training()

    def report(progress: TrainingProgress) -> None:
        batches.append(progress.games)
        if progress.games == 16:
            made.end()

    for _ in range(2):
        made.run(report)
        assert (batches, made.ended) == ([8, 16], True)
    made.ended = False
    made.run(report, until=20)
    assert batches == [8, 16, 24]
    made.run(report)
    assert batches == [8, 16, 24, 32, 35]
    assert made.progress.seconds == len(batches), "a second for each look at the clock"


def test_the_mean_of_the_last_stretch_is_what_the_games_leave() -> None:
    made, late = training(), []

    def report(progress: TrainingProgress) -> None:
        if progress.games > 0.8 * 35:
            late.append(values(made))

    before = values(made)
    made.finish()
    assert values(made) == before, "before the first game there is no mean"
    made.run(report)
    assert len(late) == 2
    made.finish()
    assert values(made) == pytest.approx([sum(w) / 2 for w in zip(*late, strict=True)])


def test_a_step_stays_and_then_falls_evenly_on_a_logarithmic_scale() -> None:
    settings = TrainingSettings(games=1000, alpha=0.1, alpha_end=0.001)
    assert [settings.step(game) for game in (0, 40, 80)] == [0.1] * 3
    assert settings.step(540) == pytest.approx(0.01), "half-way from 80 to 1000"
    assert settings.step(1000) == pytest.approx(0.001)


def test_the_first_round_is_learnt_by_random_nets_and_the_others_go_on() -> None:
    for warm in (False, True):
        log = Log()
        made = training(change(SETTINGS, warm=warm), log=log)
        random = values(made)
        made.run(nothing)
        for number in range(3):
            made.finish()
            before = list(made.mean) if number == 0 else values(made)
            assert made.look_ahead(nothing)
            assert log.fitted[3 * number][2] == (random if number == 0 and not warm else before)


def test_a_round_learns_what_the_last_ones_saw() -> None:
    log, reports = Log(), list[str]()
    made = training(log=log)
    made.run(nothing)
    seen: list[list[int]] = []
    for number in range(1, 4):
        assert made.look_ahead(reports.append)
        newest = made.datasets[number]
        assert (newest.count, newest.n) == (made.progress.studied[-1],) * 2
        seen.append(list(newest.samples.packed))
        assert list(made.datasets) == list(range(max(1, number - 1), number + 1))
        fitted = log.fitted[3 * number - 3 :]
        assert [(which, packed) for which, packed, _ in fitted] == [
            (which, [x for packed in seen[-2:] for x in packed]) for which in range(3)
        ]
    first, second, third = made.progress.studied
    assert min(first, second, third) > 70
    assert reports == [
        line
        for n in (first, first + second, second + third)
        for line in (
            *(f"looks ahead in games: {games} of 70" for games in (0, 16, 32, 48, 64, 70)),
            f"learns {n} positions",
        )
    ]  # fmt: skip


def test_nets_that_are_one_learn_once() -> None:
    log = Log()
    whole(change(SETTINGS, without=("one-way",)), log=log)
    assert [which for which, *_ in log.fitted] == [net.CONTACT, net.RACE] * 3


@pytest.mark.parametrize("when", ["looks", "learns", "passes"])
@pytest.mark.parametrize("number", [0, 1, 2, 3, 4])
def test_a_round_that_is_ended_changes_nothing_and_can_be_begun_again(
    when: str, number: int
) -> None:
    """But that the games have come to their end."""
    stopping = False

    def between() -> None:
        if stopping and when == "passes":
            made.end()

    def report(activity: str) -> None:
        if stopping and activity.startswith(when):
            made.end()

    made = training(WIDENING, between=between)
    made.run(nothing)
    study(made, number)
    made.finish()
    before, stopping = state(made), True
    assert not made.look_ahead(report)
    assert state(made) == before
    made.ended = stopping = False
    study(made, 5)
    assert state(made) == state(whole(WIDENING))


def files(kept: Path) -> list[str]:
    return sorted(path.name for path in kept.parent.iterdir())


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "new" / "kept"


def test_stopped_after_every_step_it_comes_to_the_same(kept: Path) -> None:
    made = training(WIDENING)
    made.write(kept)
    for until in (1, 8, 30, 35):
        made = training(WIDENING, threads=2)
        made.go_on(kept)
        made.run(nothing, until=until)
        made.write(kept)
        assert files(kept) == ["kept"]
    for beside in (
        ["kept.1"], ["kept.1", "kept.2"], ["kept.3"], ["kept.4"], ["kept.5"],
    ):  # fmt: skip
        made = training(WIDENING)
        made.go_on(kept)
        assert made.look_ahead(nothing)
        made.progress.curve.append(CurvePoint(35, 1.5, -2.0, 0.25, made.progress.lessons))
        made.write(kept)
        assert files(kept) == ["kept", *beside]
        again = training(WIDENING)
        again.go_on(kept)
        assert again.progress == made.progress
    made.finish()
    assert state(made) == state(whole(WIDENING))


@pytest.mark.parametrize("place", [(weights, "write"), (checkpoint, "_clear")])
def test_killed_while_it_writes_a_checkpoint_it_goes_on(
    place: tuple[Any, str], kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The dataset is there before that which knows of it, and one too many is not used."""

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    made = training()
    made.run(nothing)
    study(made, 2)
    made.write(kept)
    study(made, 3)
    with monkeypatch.context() as patch:
        patch.setattr(*place, killed)
        with pytest.raises(KeyboardInterrupt):
            made.write(kept)
    assert files(kept) == ["kept", "kept.1", "kept.2", "kept.3"]
    again = training()
    again.go_on(kept)
    study(again, 3)
    again.write(kept)
    assert files(kept) == ["kept", "kept.2", "kept.3"]
    assert state(again) == state(whole())


def test_files_of_another_training_are_neither_used_nor_left(kept: Path) -> None:
    """Nor is anything else touched; and a dataset is written once only."""
    whole().write(kept)
    others = ["kep.1", "kept.", "kept.1a", "kept.nets", "kept1", "other.1"]
    for name in others:
        (kept.parent / name).write_text("of somebody else")
    checkpoint.dataset_file(kept, 200).write_bytes(b"stale")
    made, again = training(), training()
    made.write(kept)
    assert files(kept) == sorted(["kept", *others])
    checkpoint.dataset_file(kept, 1).write_bytes(b"stale")
    made.run(nothing)
    assert made.look_ahead(nothing)
    made.write(kept)
    again.go_on(kept)
    assert state(again) == state(made)
    for _ in range(2):
        checkpoint.dataset_file(kept, 1).write_bytes(b"as it was")
        made.write(kept)
        assert checkpoint.dataset_file(kept, 1).read_bytes() == b"as it was"
        assert made.look_ahead(nothing)
    for _ in range(2):
        checkpoint.remove(kept)
        assert files(kept) == others


def test_what_is_no_checkpoint_is_refused(kept: Path) -> None:
    made, over = training(), whole()
    before = state(made)

    def refused(why: str) -> None:
        with pytest.raises(weights.BadWeights) as error:
            made.go_on(kept)
        assert str(error.value) == why
        assert state(made) == before

    weights.save(kept, tiny.weights())
    refused(f"{kept} is not a checkpoint of a training")
    over.write(kept)
    with pytest.raises(weights.BadWeights, match="holds no nets for backgammon"):
        weights.load(kept)
    heading, both = weights.read(kept)
    weights.write(kept, {**heading, "progress": {"games": "many"}}, both, "f")
    refused(f"{kept} is a checkpoint of another version")
    weights.write(kept, heading, both[:-1], "f")
    refused(f"{kept} does not hold the nets that its settings say")
    over.write(kept)
    file = checkpoint.dataset_file(kept, 2)
    file.unlink()
    refused(f"there are no weights in {file}: No such file or directory")
    weights.save(file, tiny.weights())
    refused(f"{file} is no dataset of a training of this version")


@pytest.mark.parametrize("threads", [1, 2])
def test_a_pair_of_games_counts_once_and_measuring_changes_nothing(threads: int) -> None:
    """Both seats, the same dice; the error is that of the mean over pairs."""
    made = training(threads=threads)
    made.run(nothing, until=8)
    before = state(made)
    strength = made.measure(10)
    assert (strength.games, strength.points, strength.lessons) == (8, 1, 0)
    assert strength.error == pytest.approx(1.96 * (10 / 9 / 10) ** 0.5, abs=1e-4)
    assert made.measure(10) == strength
    assert state(made) == before


def test_the_result_says_how_it_was_made(tmp_path: Path) -> None:
    made = whole()
    made.progress.curve.append(CurvePoint(35, 1.5, -2.0, 0.25, 3))
    weights.save(tmp_path / "a.nets", made.result())
    trained = weights.load(tmp_path / "a.nets").trained
    assert isinstance(trained.pop("seconds"), int)
    assert trained == {
        "games": 35, "seed": 5, "hidden": [4, 3, 2], "alpha": 0.5, "alpha_end": 0.01, "decay": 0.3,
        "without": [], "after": "", "lessons": 3, "lesson_games": 70, "window": 2, "passes": 2,
        "rate": 0.02, "lesson_decay": 0.25, "warm": False, "games_played": 35,
        "refinements": 0, "refinement_games": 20_000, "refinement_window": 4,
        "refinement_passes": 4, "refinement_rate": 0.0005, "refinement_decay": 0.9,
        "wide_rounds": 0, "wide_hidden": [320, 320, 40], "wide_games": 60_000, "wide_window": 1,
        "wide_passes": 16, "wide_rate": 0.003, "wide_decay": 0.6,
        "positions": made.progress.learnt, "studied": made.progress.studied,
        "curve": [[35, 3, -2.0, 0.25]],
    }  # fmt: skip
    assert Judge(weights=tmp_path / "a.nets", plain=True).nets.hidden == tiny.HIDDEN


FAST = TrainingSettings(
    games=400, seed=2, hidden=(8, 6, 4), alpha=0.1, alpha_end=0.01,
    lessons=2, lesson_games=10, window=1, passes=2, rate=0.01,
    refinements=2, refinement_games=4, wide_rounds=1, wide_games=4, wide_hidden=(9, 6, 5),
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
@pytest.mark.parametrize("other", [{}, {"without": ("one-way",)}, {"warm": True, "window": 2}])
def test_compiled_neither_threads_nor_stopping_change_a_bit(
    other: dict[str, Any], tmp_path: Path
) -> None:
    settings, kept = change(FAST, **other), tmp_path / "kept"
    one, made = Training(settings), Training(settings, threads=2)
    assert not one.nets.plain
    one.run(nothing)
    for until in (1, 50, 321, 400):
        made.run(nothing, until=until)
        made.measure(3)
        made.write(kept)
        made = Training(settings, threads=2)
        made.go_on(kept)
    for _ in range(settings.rounds):
        assert one.look_ahead(nothing)
        assert made.look_ahead(nothing)
        made.write(kept)
        made = Training(settings, threads=2)
        made.go_on(kept)
    assert state(made) == state(one)


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
def test_a_tiny_training_learns() -> None:
    """From random weights, which lose 2 points or more a game, to what beats them without doubt."""
    settings = TrainingSettings(games=4000, hidden=(10, 10, 5), alpha=0.1, alpha_end=0.01)
    made = Training(settings)
    before = made.measure(100)
    made.run(nothing)
    made.finish()
    assert made.measure(100).points > before.points + 1
