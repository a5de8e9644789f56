"""Fixtures of the tests of ladders."""

from __future__ import annotations

import pytest

from tests.server.ladder.scene import Bot, LadderScene, first
from tests.server.scene import Scene


@pytest.fixture
def stage(scene: Scene) -> LadderScene:
    """A ladder that nobody has joined yet."""
    return LadderScene(scene)


@pytest.fixture
def bots(stage: LadderScene) -> list[Bot]:
    """Two bots that have joined it, and always play the first of the legal actions."""
    return stage.bots(first, first)
