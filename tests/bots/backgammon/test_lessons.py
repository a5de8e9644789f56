"""A lesson: what is seen in it, and how it is learnt; neither depends on threads nor on stopping.

Games and rounds are short, as short.py says.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from bots import lessons
from bots.lessons import Lesson, Page
from bots.search.backgammon import net, study
from bots.training import Training
from tests.bots.backgammon.short import SETTINGS, on, same_page, shorten

DECAY = 0.7


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    shorten(monkeypatch)


def lesson(games: int = 3, threads: int = 1, decay: float = DECAY) -> Lesson:
    made = Training(SETTINGS, threads=threads, plain=True)
    return Lesson(games, decay, made._share, plain=True)


# ---------------------------------------------------------------- looking ahead


def looked(
    threads: int = 1, games: int = 3, seed: int = 7, decay: float = DECAY
) -> tuple[Page, list[int]]:
    """What was seen in a lesson, and when it asked whether to go on."""
    asked = []

    def go_on(done: int) -> bool:
        asked.append(done)
        return True

    page = lesson(games, threads, decay).look(seed, go_on)
    assert page is not None
    return page, asked


def test_any_number_of_workers_sees_the_same() -> None:
    found, asked = looked(1)
    assert found.count > 5
    assert asked == [0, 2]
    assert same_page(looked(2)[0], found)
    assert not same_page(looked(1, seed=8)[0], found)


def test_games_come_in_order_and_each_has_its_own_dice() -> None:
    """So the first of them are those of a shorter lesson, and those of the next seed follow."""
    found, less = looked()[0], looked(games=2)[0]
    n = less.count
    assert 0 < n < found.count
    then, first = looked(games=2, seed=8)[0], looked(games=1)[0].count
    assert found.count == first + then.count
    assert found.packed[study.PACKED * first :] == then.packed
    found.count = n
    assert same_page(found, less)


def test_a_page_has_no_room_that_is_left() -> None:
    found = looked()[0]
    assert (found.n, len(found.packed)) == (found.count, study.PACKED * found.count)


def test_what_there_is_no_room_for_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = looked()[0]
    monkeypatch.setattr(lessons, "ROOM", 2)
    found = looked()[0]
    assert found.count == 6 < whole.count
    whole.count = 6
    assert same_page(found, whole)


def test_lambda_changes_what_is_said_and_not_what_is_played() -> None:
    one, other = (on(looked(decay=decay)[0]) for decay in (0.0, DECAY))
    assert (one[0], one[1], one[3]) == (other[0], other[1], other[3])
    assert one[2] != other[2]


def test_games_are_played_as_the_constants_say(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[Any, ...]] = []

    def noted(_: Any, *more: Any) -> int:
        given.append(more[:5])
        return 0

    asked = lesson(games=3, decay=0.25)
    monkeypatch.setattr(asked.code, "study_game", noted)
    page = asked.look(7, lambda _: True)
    assert page is not None
    assert page.count == 0
    assert given == [(lessons.STRAY, lessons.GOOD, lessons.GAP, 0.25, lessons.REPLIES)] * 3
    assert 0 < lessons.STRAY < study.STRAYS


def test_looking_ahead_ends_when_it_is_told_to_and_begins_anew() -> None:
    asked = lesson()
    assert asked.look(7, lambda done: done < 2) is None
    found = asked.look(7, lambda _: True)
    assert found is not None
    assert same_page(found, looked()[0])
    assert asked.look(7, lambda _: False) is None


# ---------------------------------------------------------------- learning


class Counted:
    """Says to go on so many times."""

    def __init__(self, times: int) -> None:
        self.times, self.asked = times, 0

    def __call__(self) -> bool:
        self.asked += 1
        return self.asked <= self.times


@pytest.fixture(scope="module")
def seen() -> Page:
    """A page to learn from."""
    with pytest.MonkeyPatch.context() as patch:
        shorten(patch)
        return looked()[0]


def learnt(
    page: Page, times: int, passes: int = 4, without: tuple[str, ...] = ()
) -> tuple[bool, int, list[list[Any]]]:
    """Whether the net for contact has learnt to the end, how often it asked, and its passes.

    Of each pass: the order, the rate, and how many steps were before it.
    """
    settings = dataclasses.replace(SETTINGS, without=without)
    made, passed = Training(settings, plain=True), []
    held = Lesson(3, DECAY, made._share, plain=True)
    study_all = held.code.study_all

    def noted(order: Any, n: int, *given: Any) -> float:
        passed.append([list(order[:n]), *given[4:6]])
        return float(study_all(order, n, *given))

    go_on, before = Counted(times), on(page)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(held.code, "study_all", noted)
        over = held.learn(page, net.CONTACT, made.workers[0], passes, 0.01, 3, go_on)
    assert on(page) == before
    return over, go_on.asked, passed


def test_a_net_learns_in_passes_of_shorter_and_shorter_steps(seen: Page) -> None:
    over, asked, passed = learnt(seen, 99)
    assert (over, asked, len(passed)) == (True, 4, 4)
    own = [i for i in range(seen.count) if seen.kinds[i] == net.CONTACT]
    assert len(own) > 1
    assert all(sorted(order) == own for order, _, _ in passed)
    assert len({tuple(order) for order, _, _ in passed}) > 1
    rates = [rate for _, rate, _ in passed]
    assert rates[0] == 0.01
    assert rates[2] == pytest.approx(0.005)
    assert rates == sorted(rates, reverse=True)
    assert 0 < rates[-1] < 0.002
    a_pass = -(-len(own) // lessons.BATCH)
    assert len(own) % lessons.BATCH, "the last step of a pass is of fewer positions"
    assert [steps for _, _, steps in passed] == [a_pass * k for k in range(4)]


def test_a_net_that_is_two_learns_both_kinds_in_one_order(seen: Page) -> None:
    kinds = seen.kinds[: seen.count]
    both = [i for i, kind in enumerate(kinds) if kind in (net.CONTACT, net.ONE_WAY)]
    assert {net.CONTACT, net.ONE_WAY} <= set(kinds)
    _, _, passed = learnt(seen, 99, without=("one-way",))
    assert len(passed) == 4
    for order, _, _ in passed:
        assert sorted(order) == both
        mixed = [kinds[i] for i in order]
        assert mixed != sorted(mixed)
        assert mixed != sorted(mixed, reverse=True)


def test_learning_ends_between_two_passes_when_it_is_told_to(seen: Page) -> None:
    over, asked, passed = learnt(seen, 2)
    assert (over, asked) == (False, 3)
    assert passed == learnt(seen, 99)[2][:2]


@pytest.mark.parametrize("n", [0, 4])
def test_a_net_that_has_seen_nothing_stays_as_it_is(n: int) -> None:
    made, page = Training(SETTINGS, plain=True), Page(n, plain=True)
    page.count = n
    page.kinds[:] = [net.CONTACT] * n
    before = list(made.nets.w)
    held = Lesson(1, DECAY, made._share, plain=True)
    assert held.learn(page, net.RACE, made.workers[0], 2, 0.01, 3, lambda: True)
    assert list(made.nets.w) == before
