"""A training with lessons: it depends on the settings, not on threads nor on stopping.

Games and rounds are short, as short.py says.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from bots.lessons import Lesson, Page, joined
from bots.search.backgammon import net
from bots.training import Training
from tests.bots.backgammon.short import (
    HIDDEN,
    SETTINGS,
    STUDY,
    Stage,
    nothing,
    on,
    same_page,
    shorten,
    stages,
    state,
)


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    shorten(monkeypatch)


@dataclasses.dataclass(frozen=True)
class Pass:
    """One net's way through all that is to be learnt."""

    which: int
    order: list[int]
    packed: list[int]
    before: list[float]  # all weights


def passes(made: Training) -> list[Pass]:
    """Those of a lesson, held now."""
    found: list[Pass] = []
    study_all = STUDY.study_all

    def noted(order: Any, n: int, batch: int, packed: Any, *given: Any) -> float:
        found.append(Pass(given[1], list(order[:n]), list(packed), list(made.nets.w)))
        return float(study_all(order, n, batch, packed, *given))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(STUDY, "study_all", noted)
        assert made.teach(nothing)
    return found


def assert_stands_at(made: Training, stage: Stage) -> None:
    """But for the time that it took."""
    assert state(made) == stage.state
    assert list(map(on, made.pages)) == list(map(on, stage.pages))
    now, then = made.progress, stage.progress
    assert dataclasses.replace(now, seconds=0) == dataclasses.replace(then, seconds=0)


def test_any_number_of_threads_teaches_the_same() -> None:
    made = stages()[0].again(threads=2)
    for stage in stages()[1:]:
        assert made.teach(nothing)
        assert_stands_at(made, stage)


def test_the_nets_learn_in_a_lesson() -> None:
    made = stages()[0].again()
    made.finish()
    games = list(made.nets.w)
    for before, after in zip(stages(), stages()[1:], strict=False):
        for k in range(2):  # what races there are the table knows
            begin = made.nets.shape[2 * k]
            part = slice(begin, begin + net.size(HIDDEN[k]))
            assert before.state[part] != after.state[part]
        assert after.state[len(games) :] == games, "the mean of the games is what it was"


# ---------------------------------------------------------------- where a lesson begins


def test_the_first_lesson_is_learnt_by_random_nets_and_the_others_by_what_became_of_them() -> None:
    made, random = stages()[0].again(), Training(SETTINGS, plain=True)
    count = len(random.nets.w)
    assert passes(made)[0].before == list(random.nets.w) != list(made.mean)
    for stage in stages()[1:3]:
        assert state(made) == stage.state
        assert passes(made)[0].before == stage.state[:count]


def test_warm_it_is_learnt_by_the_nets_of_the_games() -> None:
    made = stages()[0].again(warm=True)
    assert passes(made)[0].before == list(made.mean)
    assert made.progress.studied == stages()[1].progress.studied, "these have looked ahead anyway"
    assert same_page(made.pages[0], stages()[1].pages[0])
    assert stages()[1].furthest(made) > 1e-3
    before = list(made.nets.w)
    assert passes(made)[0].before == before


def test_random_nets_are_those_of_the_seed() -> None:
    found = []
    for seed in (5, 6):
        made = Training(dataclasses.replace(SETTINGS, seed=seed, games=1), plain=True)
        before = list(made.nets.w)
        made.run(nothing)
        found.append(passes(made)[0].before)
        assert found[-1] == before
    assert found[0] != found[1]


# ---------------------------------------------------------------- what is learnt in it


def test_each_lesson_has_games_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds: list[int] = []
    fill = Lesson._fill

    def noted(self: Lesson, page: Page, worker: Any, seed: int) -> None:
        seeds.append(seed)
        fill(self, page, worker, seed)

    monkeypatch.setattr(Lesson, "_fill", noted)
    told: list[list[str]] = []
    made = stages()[0].again(lesson_games=3, passes=1)
    for number in range(1, 4):
        told.append([])
        assert made.teach(told[-1].append)
        assert len(seeds) == 3 * number
    assert len(set(seeds)) == 9, "other dice in each"
    assert made.progress.lessons == 3
    first, second, third = made.progress.studied
    assert min(first, second, third) > 0
    for lines, n in zip(told, (first, first + second, second + third), strict=True):
        assert lines == [
            "looks ahead in games: 0 of 3", "looks ahead in games: 2 of 3", f"learns {n} positions",
        ]  # fmt: skip


def test_it_learns_what_was_seen_in_the_last_lessons() -> None:
    """Two of them here, the older one first; each net in two passes over all that is its own."""
    made, seen = stages()[0].again(), []
    for stage in stages()[1:]:
        found = passes(made)
        seen.append(stage.pages[-1])
        whole = joined(seen[-2:], plain=True)
        assert list(map(on, made.pages)) == list(map(on, seen[-2:]))
        assert [len(page.kinds) for page in made.pages] == stage.progress.studied[-2:]
        for one in found:
            assert one.packed == whole.packed
            assert sorted(one.order) == [i for i, k in enumerate(whole.kinds) if k == one.which]
        assert [one.which for one in found] == [0, 0, 1, 1, 2, 2]


def test_a_window_of_one_forgets_each_lesson() -> None:
    made = stages()[0].again(window=1)
    assert made.teach(nothing)
    assert state(made) == stages()[1].state
    assert passes(made)[0].packed == made.pages[0].packed
    assert len(made.pages) == 1
    assert same_page(made.pages[0], stages()[2].pages[1]), "it has looked ahead with the same nets"
    assert stages()[2].furthest(made) > 1e-6


def test_a_window_wider_than_all_lessons_forgets_nothing() -> None:
    made = stages()[2].again(window=9)
    assert made.teach(nothing)
    assert [page.count for page in made.pages] == stages()[3].progress.studied
    assert stages()[3].furthest(made) > 1e-6


@pytest.mark.parametrize(
    "change",
    [{"passes": 3}, {"rate": 0.009}, {"lesson_games": 1}, {"lesson_decay": 0.6}, {"seed": 6}],
)
def test_other_settings_teach_other_weights(change: dict[str, Any]) -> None:
    made = stages()[0].again(**change)
    assert made.teach(nothing)
    assert stages()[1].furthest(made) > 1e-6


@pytest.mark.parametrize("name", ["sights", "exact"])
def test_there_are_lessons_for_nets_that_do_without(name: str) -> None:
    one, two, before = without(name, (2, 2, 2))
    assert state(one) == state(two)
    for k in range(2 + (name == "exact")):
        part = slice(one.nets.shape[2 * k], one.nets.shape[2 * k] + net.size(2))
        assert one.nets.w[part] != before[part]


@pytest.mark.parametrize("hidden", [(2, 3, 2), (3, 2, 2)])
def test_nets_that_are_one_learn_once(hidden: tuple[int, ...]) -> None:
    """Contact and one-way contact mixed; what the second net would be is left as it is."""
    one, two, before = without("one-way", hidden)
    assert state(one) == state(two)
    begin, end = net.size(hidden[0]), net.size(hidden[0]) + net.size(hidden[1])
    assert one.nets.w[:begin] != before[:begin]
    assert one.nets.w[begin:end] == before[begin:end]
    found, kinds = passes(one), joined(one.pages, plain=True).kinds
    assert [each.which for each in found] == [net.CONTACT, net.RACE]
    assert {net.CONTACT, net.ONE_WAY} <= set(kinds)
    assert sorted(found[0].order) == [i for i, k in enumerate(kinds) if k != net.RACE]


def without(name: str, hidden: tuple[int, ...]) -> tuple[Training, Training, list[float]]:
    """A training after a short lesson on one thread, on two, and the weights before."""
    settings = dataclasses.replace(
        SETTINGS, games=2, without=(name,), hidden=hidden, lesson_games=2, passes=1
    )
    one, two = (Training(settings, threads=threads, plain=True) for threads in (1, 2))
    before = list(one.nets.w)
    assert one.teach(nothing)
    assert two.teach(nothing)
    return one, two, before


# ---------------------------------------------------------------- stopping


def end_when_told(made: Training, number: int) -> Callable[[str], None]:
    """A listener that ends a training at what it is told the number-th time."""
    told: list[str] = []

    def tell(what: str) -> None:
        told.append(what)
        if len(told) == number:
            made.end()

    return tell


def assert_as_before(made: Training, number: int) -> None:
    """A lesson was ended: nothing of it is left, and held again it is as if it was not."""
    assert_stands_at(made, stages()[number])
    assert made.progress == stages()[number].progress
    made._ending = False
    assert made.teach(nothing)
    assert_stands_at(made, stages()[number + 1])


@pytest.mark.parametrize("number", [1, 2])
def test_a_lesson_that_is_ended_changes_nothing(number: int) -> None:
    """On the way, and before it learns."""
    made = stages()[2].again(lesson_games=2)
    assert not made.teach(end_when_told(made, number))
    assert_as_before(made, 2)


@pytest.mark.parametrize("number", [0, 1])
def test_a_lesson_that_is_ended_between_two_passes_changes_nothing(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But that the games have come to their end; random nets are not what is left of them."""
    made, study_all = stages()[number].again(threads=2), STUDY.study_all
    moved: list[bool] = []

    def ended(*given: Any) -> float:
        total = float(study_all(*given))
        moved.append(state(made) != stages()[number].state)
        made.end()
        return total

    with monkeypatch.context() as patch:
        patch.setattr(STUDY, "study_all", ended)
        assert not made.teach(nothing)
    assert any(moved)
    if number == 0:
        assert list(made.nets.w) == list(made.mean)
        assert made.pages == []
        made.nets.w[:] = stages()[0].state[: len(made.nets.w)]
    assert_as_before(made, number)


def test_ended_in_the_first_lesson_it_has_the_mean_of_its_games() -> None:
    made = stages()[0].again()
    assert not made.teach(end_when_told(made, 2))
    assert list(made.nets.w) == list(made.mean)
    assert made.progress == stages()[0].progress
    made._ending = False
    assert made.teach(nothing)
    assert_stands_at(made, stages()[1])
