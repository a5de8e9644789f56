"""A training with lessons goes on from its checkpoint and the pages beside it, and from no others.

Games and rounds are short, as short.py says.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from bots import training, weights
from bots.lessons import Page
from bots.training import BadTraining, Training, forget, page_file
from bots.weights import BadWeights
from tests.bots.backgammon import tiny
from tests.bots.backgammon.short import (
    SETTINGS,
    SINGLE,
    nothing,
    on,
    played,
    shorten,
    stages,
    state,
)
from tests.bots.backgammon.test_teaching import end_when_told


@pytest.fixture(autouse=True)
def short(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "with_numba" not in request.fixturenames:
        shorten(monkeypatch)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "new" / "kept"


def files(kept: Path) -> list[str]:
    return sorted(path.name for path in kept.parent.iterdir())


def taken_up(kept: Path, **change: Any) -> Training:
    made = Training(dataclasses.replace(SETTINGS, **change), plain=True)
    made.go_on(kept)
    return made


# ---------------------------------------------------------------- going on


@pytest.mark.parametrize("taught", [0, 1, 2, 3])
def test_from_a_checkpoint_lessons_go_on(taught: int, kept: Path) -> None:
    """To what they would be without; in plain Python but for rounding to single precision."""
    before = stages()[taught].again()
    before.keep(kept)
    made = Training(SETTINGS, threads=2, plain=True)
    made.go_on(kept)
    assert made.progress == before.progress
    assert [page.count for page in made.pages] == before.progress.studied[-2:]
    while made.progress.lessons < 3:
        assert made.teach(nothing)
    made.finish()
    assert stages()[3].furthest(made) < SINGLE
    assert made.progress.studied == stages()[3].progress.studied


def test_stopped_after_every_lesson_it_comes_to_the_same(kept: Path) -> None:
    """And only the pages of the window lie beside the checkpoint."""
    stages()[0].again().keep(kept)
    for number, beside in enumerate(([], ["kept.1"], ["kept.1", "kept.2"]), 1):
        assert files(kept) == ["kept", *beside]
        made = taken_up(kept)
        made.keep(kept)
        assert files(kept) == ["kept", *beside]
        assert made.teach(nothing)
        assert stages()[number].furthest(made) < SINGLE
        made.keep(kept)
    assert files(kept) == ["kept", "kept.2", "kept.3"]
    assert [on(page)[1] for page in made.pages] == [on(page)[1] for page in stages()[3].pages]


def test_a_page_is_written_once(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    keep = Page.keep

    def noted(self: Page, path: Path) -> None:
        written.append(path.name)
        keep(self, path)

    monkeypatch.setattr(Page, "keep", noted)
    made = stages()[0].again()
    for beside in ([], ["kept.1"], ["kept.1", "kept.2"], ["kept.2", "kept.3"]):
        for _ in range(2):
            made.keep(kept)
            assert files(kept) == ["kept", *beside]
        assert made.progress.lessons == 3 or made.teach(nothing)
    taken_up(kept).keep(kept)
    assert written == ["kept.1", "kept.2", "kept.3"]


def test_a_lesson_that_was_ended_leaves_no_page(kept: Path) -> None:
    made = stages()[1].again()
    assert not made.teach(end_when_told(made, 2))
    made.keep(kept)
    assert files(kept) == ["kept", "kept.1"]
    assert taken_up(kept).progress == stages()[1].progress


def test_killed_before_the_checkpoint_was_written_it_holds_the_lesson_again(
    kept: Path,
) -> None:
    """The page is there before that which knows of it, and a page too many is not used."""
    teach_and_die(stages()[1].again(), kept, weights, "write")
    assert files(kept) == ["kept", "kept.1", "kept.2"]
    again = taken_up(kept)
    assert (again.progress.lessons, len(again.pages)) == (1, 1)
    again.keep(kept)
    assert files(kept) == ["kept", "kept.1"]
    assert again.teach(nothing)
    assert stages()[2].furthest(again) < SINGLE


def test_killed_before_old_pages_were_removed_it_goes_on_without_them(kept: Path) -> None:
    teach_and_die(stages()[2].again(), kept, training, "_clear")
    assert files(kept) == ["kept", "kept.1", "kept.2", "kept.3"]
    again = taken_up(kept)
    assert [page.count for page in again.pages] == stages()[3].progress.studied[-2:]
    again.keep(kept)
    assert files(kept) == ["kept", "kept.2", "kept.3"]


def teach_and_die(made: Training, kept: Path, place: Any, name: str) -> None:
    """Keep a training, hold one lesson more, and die in keeping that, where `name` is called."""

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    made.keep(kept)
    assert made.teach(nothing)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(place, name, killed)
        with pytest.raises(KeyboardInterrupt):
            made.keep(kept)


# ---------------------------------------------------------------- pages of another training


def test_pages_of_an_earlier_training_are_neither_used_nor_left(kept: Path) -> None:
    stages()[3].again().keep(kept)
    others = ["kept.1a", "kept.", "kept.nets", "other.1", "1"]
    for name in others:
        (kept.parent / name).write_text("of somebody else")
    played().keep(kept)
    assert files(kept) == sorted(["kept", *others])
    made = taken_up(kept)
    assert made.pages == []
    assert made.teach(nothing)
    assert stages()[1].furthest(made) < SINGLE
    made.keep(kept)
    assert files(kept) == sorted(["kept", "kept.1", *others])
    assert on(taken_up(kept).pages[0])[1] == on(stages()[1].pages[0])[1]


def test_pages_of_an_earlier_training_are_written_over(kept: Path) -> None:
    """Also those that bear the number of one of its own."""
    stages()[1].again(seed=6).keep(kept)
    page_file(kept, 1).write_bytes(b"stale")
    stages()[1].again().keep(kept)
    assert on(taken_up(kept).pages[0])[1] == on(stages()[1].pages[0])[1]


def test_a_checkpoint_is_forgotten_with_its_pages(kept: Path) -> None:
    stages()[3].again().keep(kept)
    for number in (1, 17, 200):
        page_file(kept, number).write_bytes(b"stale")
    others = ["kep.1", "kept.1.new", "kept.x1", "kept1"]
    for name in others:
        (kept.parent / name).write_text("of somebody else")
    forget(kept)
    assert files(kept) == others
    forget(kept)
    assert files(kept) == others


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize("number", [2, 3])
def test_a_page_that_is_missing_or_damaged_is_refused(number: int, kept: Path) -> None:
    stages()[3].again().keep(kept)
    file = page_file(kept, number)
    whole = file.read_bytes()
    weights.save(file, tiny.weights())
    foreign = file.read_bytes()
    file.unlink()
    made = Training(SETTINGS, plain=True)
    before = state(made)
    for data, why in (
        (None, f"there are no weights in {file}: No such file or directory"),
        (whole[:-1], f"{file} is damaged, or not all there"),
        (b"", f"{file} is no file of weights"),
        (foreign, f"{file} is no page of a lesson of this version"),
    ):
        if data is not None:
            file.write_bytes(data)
        with pytest.raises(BadWeights) as found:
            made.go_on(kept)
        assert str(found.value) == why
        assert state(made) == before
    file.write_bytes(whole)
    made.go_on(kept)
    assert stages()[3].furthest(made) < SINGLE


@pytest.mark.parametrize(
    "change",
    [
        {"lessons": 4}, {"lesson_games": 4}, {"passes": 3}, {"rate": 0.02}, {"window": 3},
        {"lesson_decay": 0.6}, {"warm": True},
    ],
)  # fmt: skip
def test_a_checkpoint_of_other_lessons_is_refused(change: dict[str, Any], kept: Path) -> None:
    stages()[0].again().keep(kept)
    with pytest.raises(BadTraining, match="is of a training with other settings"):
        taken_up(kept, **change)


# ---------------------------------------------------------------- compiled


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
@pytest.mark.parametrize("change", [{}, {"without": ("one-way",)}, {"warm": True, "window": 1}])
def test_compiled_neither_threads_nor_stopping_change_a_bit(
    change: dict[str, Any], tmp_path: Path
) -> None:
    settings = dataclasses.replace(SETTINGS, games=40, hidden=(4, 3, 2), lesson_games=10, **change)
    whole, kept = played(settings, plain=False), tmp_path / "kept"
    assert not whole.nets.plain
    assert all(whole.teach(nothing) for _ in range(3))
    assert min(whole.progress.studied) > 200
    made = played(settings, threads=2, plain=False)
    assert not made.teach(end_when_told(made, 2))
    for _ in range(3):
        made.keep(kept)
        made = Training(settings, threads=2)
        made.go_on(kept)
        assert made.teach(nothing)
    assert state(made) == state(whole)
    assert made.progress.studied == whole.progress.studied
    assert list(map(on, made.pages)) == list(map(on, whole.pages))
    assert len(made.pages) == settings.window
