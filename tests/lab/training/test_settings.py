"""The limits of a training's settings, and the sentences about what is beyond them."""

from __future__ import annotations

import re

import pytest

from lab.training.settings import BadTraining, TrainingSettings

NAN, INFINITE = float("nan"), float("inf")
BEYOND: dict[str, tuple[object, ...]] = {
    "games": (-1, 10**9 + 1),
    "hidden": ((1, 2), (1, 2, 0), (1, 2, 1025)),
    "alpha": (0.0, NAN, INFINITE),
    "alpha-end": (0.0,),
    "lambda": (-0.1, NAN),
    "lessons": (-1, 201),
    "lesson-games": (0, 10001),
    "window": (0, 201),
    "passes": (0, 10001),
    "rate": (NAN, 1.1),
    "lesson-lambda": (1.1,),
    "refinements": (-1, 201),
    "refinement-games": (0, 100_001),
    "refinement-window": (0, 201),
    "refinement-passes": (0, 10_001),
    "refinement-rate": (0.0, NAN),
    "refinement-lambda": (-0.1,),
    "wide-rounds": (-1, 201),
    "wide-hidden": ((3, 3), (1, 2, 0)),
    "wide-games": (0, 100_001),
    "wide-window": (0, 201),
    "wide-passes": (0, 10_001),
    "wide-rate": (0.0, NAN),
    "wide-lambda": (-0.1,),
}


@pytest.mark.parametrize("option", BEYOND)
def test_settings_beyond_their_limits(option: str) -> None:
    name = option.replace("lambda", "decay").replace("-", "_")
    for value in BEYOND[option]:
        with pytest.raises(BadTraining, match=re.escape(f"{option} cannot be {value}: expected ")):
            TrainingSettings.checked(**{"games": 1, name: value})


def test_settings_that_do_not_go_together_or_have_no_such_name() -> None:
    with pytest.raises(BadTraining, match=r"^alpha-end must not be above alpha$"):
        TrainingSettings.checked(games=1, alpha_end=0.2)
    with pytest.raises(BadTraining, match=r"^games cannot be 0 without nets to start from$"):
        TrainingSettings.checked(games=0, refinements=3)
    with pytest.raises(BadTraining, match=r"^without takes features, one-way, exact$"):
        TrainingSettings.checked(games=1, without=("dice",))


def test_settings_at_their_limits() -> None:
    for values in (
        {"games": 1, "alpha": 1, "alpha_end": 1, "decay": 0, "lessons": 0, "hidden": (1, 1, 1024)},
        {"games": 10**9, "decay": 1, "lessons": 200, "window": 200, "passes": 10_000, "rate": 1},
        {"games": 1, "lesson_games": 10_000, "lesson_decay": 1},
        {"games": 0, "after": "abc", "refinements": 200, "refinement_games": 100_000},
    ):
        checked = TrainingSettings.checked(**values)
        assert {name: getattr(checked, name) for name in values} == values
