"""Lessons, and a training with some: they depend on the settings, not on threads nor on stopping.

Games and rounds are short, as in test_training.py, and one ply of lookahead is none but for a
little, as test_study.py asks whether it is one.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bots import lessons, training
from bots.lessons import Lesson, Page
from bots.nets import kernels
from bots.search.backgammon import net, study
from bots.training import BadTraining, Progress, Settings, Training
from tests.bots.backgammon.tiny import position

HIDDEN = (2, 2, 1)
SETTINGS = Settings(
    4, seed=5, hidden=HIDDEN, alpha=0.1, alpha_end=0.01,
    lessons=2, lesson_games=2, passes=2, rate=0.01,
)  # fmt: skip
FEW = position({24: 1, 20: 1}, {24: 1, 20: 1}).state[:52]  # both sides stay behind for a while
SINGLE = 1e-4  # what rounding a checkpoint to single precision may come to in plain Python


def few(s: Any) -> None:
    s[:] = [*FEW, -1, 0, 0]


def shallow(s: Any, average: Any, *given: Any) -> bool:
    """In the place of one_ply: what the nets say, with less to win and more to lose."""
    told = given[16]
    kernels("net", plain=True).judge(s, *given[7:17])
    average[:] = [0.9 * told[0], *told[1:3], *(0.05 + 0.9 * chance for chance in told[3:])]
    return True


def shorten(patch: pytest.MonkeyPatch) -> None:
    for name in ("selfplay", "study"):
        patch.setattr(kernels(name, plain=True), "setup", few)
    patch.setattr(kernels("study", plain=True), "one_ply", shallow)
    patch.setattr(training, "ROUND", 2)
    patch.setattr(lessons, "AT_ONCE", 2)
    patch.setattr(lessons, "BATCH", 5)


@pytest.fixture(autouse=True)
def short(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "with_numba" not in request.fixturenames:
        shorten(monkeypatch)


def nothing(_: object) -> None:
    """Told, and not listened to."""


# ---------------------------------------------------------------- pages


def page(n: int, first: int, room: int) -> Page:
    """Room for so many positions, and n of them, told from others by their numbers from `first`."""
    made = Page(room, plain=True)
    made.count = n
    for i in range(n):
        made.kinds[i] = first + i
        made.packed[study.PACKED * i : study.PACKED * (i + 1)] = [10 * (first + i)] * study.PACKED
        made.chances[net.OUTPUTS * i : net.OUTPUTS * (i + 1)] = [first + i + 0.5] * net.OUTPUTS
    return made


def same_page(one: Page, other: Page) -> bool:
    n = one.count
    return (
        n == other.count
        and one.kinds[:n] == other.kinds[:n]
        and one.packed[: n * study.PACKED] == other.packed[: n * study.PACKED]
        and one.chances[: n * net.OUTPUTS] == other.chances[: n * net.OUTPUTS]
    )


def test_a_page_takes_over_what_is_on_another_until_it_is_full() -> None:
    found = Page(5, plain=True)
    for n, first in ((2, 0), (0, 50), (1, 2)):
        found.add(page(n, first, 4))
    assert same_page(found, page(3, 0, 5))
    found.add(page(4, 3, 4))
    assert same_page(found, page(5, 0, 5)), "two of four"
    found.add(page(3, 90, 4))
    assert same_page(found, page(5, 0, 5)), "none of three"
    assert [len(found.kinds), len(found.packed), len(found.chances)] == [5, 20, 25]


# ---------------------------------------------------------------- looking ahead


def looked(threads: int, games: int = 3, seed: int = 7) -> tuple[Page, list[int]]:
    """What is on the page of a lesson, and when it asked whether to go on."""
    made, asked = Training(SETTINGS, threads=threads, plain=True), []

    def go_on(done: int) -> bool:
        asked.append(done)
        return True

    lesson = Lesson(games, made._share, plain=True)
    assert lesson.look(seed, go_on)
    return lesson.page, asked


def test_any_number_of_workers_sees_the_same() -> None:
    found, asked = looked(1)
    assert found.count > 5
    assert asked == [0, 2]
    assert same_page(looked(2)[0], found)
    assert not same_page(looked(1, seed=8)[0], found)


def test_games_come_in_order_and_each_has_its_own_dice() -> None:
    """So the first of them are those of a shorter lesson, and those of the next seed follow."""
    found, less = looked(1)[0], looked(1, games=2)[0]
    n = less.count
    assert 0 < n < found.count
    found.count = n
    assert same_page(found, less)
    then = looked(1, games=1, seed=8)[0]
    first = looked(1, games=1)[0].count
    begin, end = study.PACKED * first, study.PACKED * (first + then.count)
    assert list(found.packed[begin:end]) == list(then.packed[: end - begin])


def test_looking_ahead_ends_when_it_is_told_to_and_begins_anew() -> None:
    lesson = Lesson(3, Training(SETTINGS, plain=True)._share, plain=True)
    assert not lesson.look(7, lambda done: done < 2)
    part = lesson.page.count
    assert lesson.look(7, lambda _: True)
    assert part < lesson.page.count
    assert same_page(lesson.page, looked(1)[0])
    assert not lesson.look(7, lambda _: False)
    assert lesson.page.count == 0


# ---------------------------------------------------------------- learning


class Counted:
    """Says to go on so many times."""

    def __init__(self, times: int) -> None:
        self.times, self.asked = times, 0

    def __call__(self) -> bool:
        self.asked += 1
        return self.asked <= self.times


def learnt(times: int, passes: int = 4) -> tuple[bool, int, list[list[Any]]]:
    """Whether the net for contact has learnt to the end, how often it asked, and its passes.

    Of each pass: the order, the rate, and how many steps were before it.
    """
    made, passed = Training(SETTINGS, plain=True), []
    lesson = Lesson(3, made._share, plain=True)
    lesson.look(7, lambda _: True)
    study_all = lesson.code.study_all

    def noted(order: Any, n: int, *given: Any) -> float:
        passed.append([list(order[:n]), *given[4:6]])
        return float(study_all(order, n, *given))

    go_on = Counted(times)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lesson.code, "study_all", noted)
        over = lesson.learn(net.CONTACT, made.workers[0], passes, 0.01, 3, go_on)
    own = [i for i in range(lesson.page.count) if lesson.page.kinds[i] == net.CONTACT]
    assert len(own) > 1
    assert all(sorted(order) == own for order, _, _ in passed)
    return over, go_on.asked, passed


def test_a_net_learns_in_passes_of_shorter_and_shorter_steps() -> None:
    over, asked, passed = learnt(99)
    assert (over, asked, len(passed)) == (True, 4, 4)
    assert len({tuple(order) for order, _, _ in passed}) > 1
    rates = [rate for _, rate, _ in passed]
    assert rates[0] == 0.01
    assert rates[2] == pytest.approx(0.005)
    assert rates == sorted(rates, reverse=True)
    assert 0 < rates[-1] < 0.002
    a_pass = -(-len(passed[0][0]) // lessons.BATCH)
    assert len(passed[0][0]) % lessons.BATCH, "the last step of a pass is of fewer positions"
    assert [steps for _, _, steps in passed] == [a_pass * k for k in range(4)]


def test_learning_ends_between_two_passes_when_it_is_told_to() -> None:
    over, asked, passed = learnt(2)
    assert (over, asked) == (False, 3)
    assert passed == learnt(99)[2][:2]


def test_a_net_that_has_seen_nothing_stays_as_it_is() -> None:
    made = Training(SETTINGS, plain=True)
    before = list(made.nets.w)
    lesson = Lesson(1, made._share, plain=True)
    assert lesson.learn(net.RACE, made.workers[0], 2, 0.01, 3, lambda: True)
    assert list(made.nets.w) == before


# ---------------------------------------------------------------- in a training


def played(settings: Settings = SETTINGS, threads: int = 1, *, plain: bool = True) -> Training:
    """A training whose games are over."""
    made = Training(settings, threads=threads, plain=plain)
    made.run(nothing)
    return made


def state(made: Training) -> list[float]:
    return [float(x) for x in (*made.nets.w, *made.mean)]


def furthest(one: Training, other: Stage) -> float:
    """How far any of their weights differ."""
    return max(abs(a - b) for a, b in zip(state(one), other.state, strict=True))


@dataclasses.dataclass(frozen=True)
class Stage:
    """A training in plain Python as it stood; `again` makes one that stands there."""

    settings: Settings
    state: list[float]
    progress: Progress
    averaged: int

    @staticmethod
    def of(made: Training) -> Stage:
        progress = copy.deepcopy(made.progress)
        return Stage(made.settings, state(made), progress, made._averaged)

    def again(self, threads: int = 1, **change: Any) -> Training:
        settings = dataclasses.replace(self.settings, **change)
        made = Training(settings, threads=threads, plain=True)
        count = len(made.nets.w)
        made.nets.w[:], made.mean[:] = self.state[:count], self.state[count:]
        made.progress, made._averaged = copy.deepcopy(self.progress), self.averaged
        return made


@pytest.fixture(scope="module")
def stages() -> list[Stage]:
    """A training after its games, after its first and after its second lesson."""
    with pytest.MonkeyPatch.context() as patch:
        shorten(patch)
        made = played()
        found = [Stage.of(made)]
        for _ in range(2):
            assert made.teach(nothing)
            found.append(Stage.of(made))
    return found


@pytest.mark.parametrize("threads", [1, 2])
def test_any_number_of_threads_teaches_the_same(stages: list[Stage], threads: int) -> None:
    made = stages[0].again(threads)
    for stage in stages[1:]:
        assert made.teach(nothing)
        assert state(made) == stage.state
        assert made.progress.studied == stage.progress.studied


def test_the_nets_learn_in_a_lesson(stages: list[Stage]) -> None:
    made = stages[0].again()
    made.finish()
    before = list(made.nets.w)
    assert before == list(made.mean)
    after = stages[1].state
    for k, hidden in enumerate(HIDDEN[:2]):  # what races there are the table knows
        begin = made.nets.shape[2 * k]
        part = slice(begin, begin + net.size(hidden))
        assert before[part] != after[part]
    assert after[len(before) :] == before, "it began with the mean of the games"


def test_the_games_grow_by_lesson(stages: list[Stage], monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []
    fill = Lesson._fill

    def noted(self: Lesson, worker: Any, i: int, seed: int) -> None:
        seeds.append(seed + i)
        fill(self, worker, i, seed)

    monkeypatch.setattr(Lesson, "_fill", noted)
    told: list[str] = []
    made = stages[0].again(lesson_games=1)
    counts: list[int] = []
    for _ in range(3):
        assert made.teach(told.append)
        counts.append(len(seeds) - sum(counts))
    assert counts == [1, 2, 3]
    assert len(set(seeds)) == 6, "other dice in each"
    assert made.progress.lessons == 3
    assert len(made.progress.studied) == 3
    assert min(made.progress.studied) > 0
    first = made.progress.studied[0]
    assert told[:2] == ["looks ahead in 1 games: 0", f"learns {first} positions"]
    third = made.progress.studied[2]
    assert told[-3:] == [
        "looks ahead in 3 games: 0",
        "looks ahead in 3 games: 2",
        f"learns {third} positions",
    ]


@pytest.mark.parametrize("change", [{"passes": 3}, {"rate": 0.009}, {"lesson_games": 1}])
def test_other_settings_teach_other_weights(stages: list[Stage], change: dict[str, Any]) -> None:
    made = stages[0].again(**change)
    assert made.teach(nothing)
    assert furthest(made, stages[1]) > 1e-6


@pytest.mark.parametrize(
    ("name", "hidden"),
    [
        ("sights", (2, 2, 2)),
        ("exact", (2, 2, 2)),
        ("one-way", (2, 3, 2)),
        ("one-way", (3, 2, 2)),
    ],
)
def test_there_are_lessons_for_nets_that_do_without(name: str, hidden: tuple[int, ...]) -> None:
    settings = dataclasses.replace(
        SETTINGS, games=2, without=(name,), hidden=hidden, lesson_games=2, passes=1
    )
    one, two = (Training(settings, threads=threads, plain=True) for threads in (1, 2))
    before = list(one.nets.w)
    assert one.teach(nothing)
    assert two.teach(nothing)
    assert state(one) == state(two)
    begin, end = net.size(hidden[0]), net.size(hidden[0]) + net.size(hidden[1])
    assert list(one.nets.w[:begin]) != before[:begin]
    assert (list(one.nets.w[begin:end]) == before[begin:end]) == (name == "one-way")


# ---------------------------------------------------------------- stopping and going on


def end_when_told(made: Training, number: int) -> Callable[[str], None]:
    """A listener that ends a training at what it is told the number-th time."""
    told: list[str] = []

    def tell(what: str) -> None:
        told.append(what)
        if len(told) == number:
            made.end()

    return tell


def assert_as_before(made: Training, stages: list[Stage]) -> None:
    """A second lesson was ended: nothing of it is left, and held again it is as if it was not."""
    assert state(made) == stages[1].state
    assert made.progress == stages[1].progress
    made._ending = False
    assert made.teach(nothing)
    assert state(made) == stages[2].state
    assert made.progress.studied == stages[2].progress.studied


@pytest.mark.parametrize("number", [2, 3])
def test_a_lesson_that_is_ended_changes_nothing(stages: list[Stage], number: int) -> None:
    """On the way, and before it learns."""
    made = stages[1].again()
    assert not made.teach(end_when_told(made, number))
    assert_as_before(made, stages)


def test_a_lesson_that_is_ended_between_two_passes_changes_nothing(
    stages: list[Stage], monkeypatch: pytest.MonkeyPatch
) -> None:
    made, code = stages[1].again(threads=2), kernels("study", plain=True)
    study_all = code.study_all
    moved: list[bool] = []

    def ended(*given: Any) -> float:
        total = float(study_all(*given))
        moved.append(state(made) != stages[1].state)
        made.end()
        return total

    with monkeypatch.context() as patch:
        patch.setattr(code, "study_all", ended)
        assert not made.teach(nothing)
    assert any(moved)
    assert_as_before(made, stages)


def test_ended_in_the_first_lesson_it_has_the_mean_of_its_games(stages: list[Stage]) -> None:
    made = stages[0].again()
    assert not made.teach(end_when_told(made, 2))
    assert list(made.nets.w) == list(made.mean)
    assert made.progress == stages[0].progress
    made._ending = False
    assert made.teach(nothing)
    assert state(made) == stages[1].state


@pytest.mark.parametrize("taught", [0, 1, 2])
def test_from_a_checkpoint_lessons_go_on(stages: list[Stage], taught: int, tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    before = stages[taught].again()
    before.keep(kept)
    made = Training(SETTINGS, threads=2, plain=True)
    made.go_on(kept)
    assert made.progress == before.progress
    while made.progress.lessons < 2:
        assert made.teach(nothing)
    made.finish()
    assert furthest(made, stages[2]) < SINGLE
    assert made.progress.studied == stages[2].progress.studied


@pytest.mark.parametrize(
    "change", [{"lessons": 3}, {"lesson_games": 4}, {"passes": 3}, {"rate": 0.02}]
)
def test_a_checkpoint_of_other_lessons_is_refused(change: dict[str, Any], tmp_path: Path) -> None:
    Training(SETTINGS, plain=True).keep(tmp_path / "kept")
    made = Training(dataclasses.replace(SETTINGS, **change), plain=True)
    with pytest.raises(BadTraining, match="is of a training with other settings"):
        made.go_on(tmp_path / "kept")


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
def test_compiled_neither_threads_nor_stopping_change_a_bit(tmp_path: Path) -> None:
    settings = dataclasses.replace(SETTINGS, games=40, hidden=(8, 6, 4), lesson_games=20)
    whole, kept = played(settings, plain=False), tmp_path / "kept"
    assert not whole.nets.plain
    assert all(whole.teach(nothing) for _ in range(2))
    assert min(whole.progress.studied) > 300
    made = played(settings, threads=2, plain=False)
    assert not made.teach(end_when_told(made, 2))
    for _ in range(2):
        made.keep(kept)
        made = Training(settings, threads=2)
        made.go_on(kept)
        assert made.teach(nothing)
    assert state(made) == state(whole)
    assert made.progress.studied == whole.progress.studied
