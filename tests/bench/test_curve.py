"""The curve of a training, read from its weights."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import plyhouse
from bots import weights
from bots.search.backgammon.net import size
from bots.training import Settings, _plain
from bots.weights import Weights

STEPS = Settings(games=2000, hidden=(1, 1, 1))
CURVE = [
    [1000, 0, -0.5, 0.1],
    [2000, 0, 0.25, 0.1],
    [2000, 1, 0.3, 0.1],
    [2000, 2, 0.35, 0.1],
    [2000, 2, 0.4, 0.02],
]


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    told = {**_plain(STEPS), "games_played": 2000, "seconds": 120}
    told |= {"studied": [70, 80], "curve": CURVE}
    file = tmp_path / "small.nets"
    weights.save(file, Weights(STEPS.hidden, [0.0] * 3 * size(1), told))
    return file


def test_a_curve_is_told_and_drawn(trained: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plot = trained.with_name("curve.svg")
    assert plyhouse.main(["bench", "curve", "--weights", str(trained), "--plot", str(plot)]) == 0
    told = capsys.readouterr().out
    assert "+0.250 ± 0.100" in told
    assert re.search(r"2,000 \+ 2 +\+0\.350 ± 0\.100", told)
    caption = "2,000 games, seed 1 and 2 lessons, 1 + 1 + 1 hidden units, lambda 0.3, 2 minutes"
    assert caption in told
    texts = {
        text.text for text in ET.parse(plot).getroot().iter("{http://www.w3.org/2000/svg}text")
    }
    assert {"on the way", "By games: length of a step, alpha", "after each", caption} <= texts


def test_weights_without_a_curve_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "bare.nets"
    weights.save(file, Weights((1, 1, 1), [0.0] * 3 * size(1), {}))
    assert plyhouse.main(["bench", "curve", "--weights", str(file)]) == 2
    assert "does not say how" in capsys.readouterr().err
