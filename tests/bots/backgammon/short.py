"""Trainings and lessons in plain Python that are over soon.

Games begin with two checkers a side, there are two of them a round, and one ply of lookahead is
none but for a little: test_lookahead.py asks whether it is one.
"""

from __future__ import annotations

import copy
import dataclasses
import os
from functools import cache
from typing import Any

import pytest

from bots import lessons, training
from bots.lessons import Page
from bots.nets import escapes_table, kernels
from bots.search.backgammon.inputs import BLIND, SIGHTS
from bots.training import Progress, Settings, Training
from tests.bots.backgammon.tiny import position

HIDDEN = (2, 2, 1)
SETTINGS = Settings(
    4, seed=5, hidden=HIDDEN, alpha=0.1, alpha_end=0.01,
    lessons=3, lesson_games=2, window=2, passes=2, rate=0.01,
)  # fmt: skip
FEW = position({24: 1, 20: 1}, {24: 1, 20: 1}).state[:52]  # both sides stay behind for a while
CODE = {name: kernels(name, plain=True) for name in ("net", "inputs", "selfplay", "study")}
NET, INPUTS, SELFPLAY, STUDY = CODE.values()
SINGLE = 1e-4  # what rounding a checkpoint to single precision may come to in plain Python


def few(s: Any) -> None:
    s[:] = [*FEW, -1, 0, 0]


def shallow(s: Any, average: Any, *given: Any) -> bool:
    """In the place of one_ply: what the nets say, with less to win and more to lose."""
    told = given[16]
    NET.judge(s, *given[7:17])
    average[:] = [0.9 * told[0], *told[1:3], *(0.05 + 0.9 * chance for chance in told[3:])]
    return True


@cache
def _sights(board: tuple[int, ...], blind: bool) -> list[float]:
    shown = [0.0] * SIGHTS
    INPUTS.sights(board, escapes_table(True, blind), shown)
    return shown


def remembered(s: Any, table: Any, shown: Any) -> None:
    """In the place of sights: the same, but of no position twice."""
    shown[:] = _sights(tuple(s[:53]), bool(table[BLIND]))


def quicken(patch: pytest.MonkeyPatch) -> None:
    """Two games a round, nothing looked up or computed twice, and no waiting for the disk."""
    for code in (NET, SELFPLAY, STUDY):
        patch.setattr(code, "sights", remembered)
    for module in (training, lessons):
        patch.setattr(module, "kernels", lambda name, plain: CODE[name])
    patch.setattr(training, "ROUND", 2)
    patch.setattr(os, "fsync", lambda _: None)


def shorten(patch: pytest.MonkeyPatch) -> None:
    """All that is said above."""
    quicken(patch)
    for code in (SELFPLAY, STUDY):
        patch.setattr(code, "setup", few)
    patch.setattr(STUDY, "one_ply", shallow)
    patch.setattr(lessons, "AT_ONCE", 2)
    patch.setattr(lessons, "BATCH", 9)


def nothing(_: object) -> None:
    """Told, and not listened to."""


def played(settings: Settings = SETTINGS, threads: int = 1, *, plain: bool = True) -> Training:
    """A training whose games are over."""
    made = Training(settings, threads=threads, plain=plain)
    made.run(nothing)
    return made


def state(made: Training) -> list[float]:
    """All its weights."""
    return [float(x) for x in (*made.nets.w, *made.mean)]


def same_page(one: Page, other: Page) -> bool:
    return on(one) == on(other)


def on(page: Page) -> tuple[int, list[int], list[float], list[int]]:
    """What is on a page; four ints and five chances to a position."""
    n = page.count
    return (
        n,
        [int(x) for x in page.packed[: 4 * n]],
        [float(x) for x in page.chances[: 5 * n]],
        [int(x) for x in page.kinds[:n]],
    )


@dataclasses.dataclass(frozen=True)
class Stage:
    """A training in plain Python as it stood; `again` makes one that stands there."""

    settings: Settings
    state: list[float]
    progress: Progress
    averaged: int
    pages: tuple[Page, ...]

    @staticmethod
    def of(made: Training) -> Stage:
        progress = copy.deepcopy(made.progress)
        return Stage(made.settings, state(made), progress, made._averaged, tuple(made.pages))

    def again(self, threads: int = 1, **change: Any) -> Training:
        settings = dataclasses.replace(self.settings, **change)
        made = Training(settings, threads=threads, plain=True)
        count = len(made.nets.w)
        made.nets.w[:], made.mean[:] = self.state[:count], self.state[count:]
        made.progress, made._averaged = copy.deepcopy(self.progress), self.averaged
        made.pages = list(self.pages)
        return made

    def furthest(self, made: Training) -> float:
        """How far any of the weights differ from those of another training."""
        return max(abs(a - b) for a, b in zip(state(made), self.state, strict=True))


@cache
def stages() -> tuple[Stage, ...]:
    """A training after its games, and after each of its three lessons."""
    with pytest.MonkeyPatch.context() as patch:
        shorten(patch)
        made = played()
        found = [Stage.of(made)]
        for _ in range(SETTINGS.lessons):
            assert made.teach(nothing)
            found.append(Stage.of(made))
    return tuple(found)
