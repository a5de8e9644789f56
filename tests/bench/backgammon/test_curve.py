"""The curve of a training, read from its weights."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from bots.backgammon import weights
from bots.backgammon.kernels.net import size
from bots.backgammon.training.settings import TrainingSettings
from bots.backgammon.weights import Weights
from tests.support.command import Run

STEPS = TrainingSettings(games=2000, hidden=(1, 1, 1))
CURVE = [[1000, 0, -0.5, 0.1], [2000, 0, 0.25, 0.1], [2000, 1, 0.3, 0.1]]
CURVE += [[2000, 2, 0.35, 0.1], [2000, 2, 0.4, 0.02]]


@pytest.fixture
def trained(tmp_path: Path) -> Path:
    trained = {**STEPS.plain(), "games_played": 2000, "seconds": 120}
    trained |= {"studied": [70, 80], "curve": CURVE}
    file = tmp_path / "small.nets"
    weights.save(file, Weights(STEPS.hidden, [0.0] * 3 * size(1), trained))
    return file


def test_a_curve_is_told_and_drawn(run: Run, trained: Path) -> None:
    plot = trained.with_name("curve.svg")
    code, out, _ = run("bench curve --weights", trained, "--plot", plot)
    assert code == 0
    assert "+0.250 ± 0.100" in out
    assert re.search(r"2,000 \+ 2 +\+0\.350 ± 0\.100", out)
    caption = "2,000 games, seed 1 and 2 rounds of lookahead, 1 + 1 + 1 hidden units, lambda 0.3"
    assert caption in out
    svg = ET.parse(plot).getroot()
    texts = {text.text for text in svg.iter("{http://www.w3.org/2000/svg}text")}
    assert {"on the way", "By games: length of a step, alpha", "after each"} <= texts
    assert any(caption in (text or "") for text in texts)


def test_nets_that_were_refined_have_the_curve_of_both(run: Run, trained: Path) -> None:
    first = weights.load(trained).trained
    then = {**first, "games": 0, "games_played": 0, "seconds": 60, "studied": [90]}
    then |= {"curve": [[0, 1, 0.45, 0.1], [0, 1, 0.5, 0.02]], "before": first}
    wide = [0.0] * (2 * size(2) + size(1))
    weights.save(trained, Weights((2, 2, 1), wide, then))
    code, out, _ = run("bench curve --weights", trained)
    assert code == 0
    assert re.search(r"1,000 +-0\.500 ± 0\.100", out)
    assert re.search(r"2,000 \+ 2 +\+0\.350 ± 0\.100", out)
    assert "+0.400 ± 0.020" not in out, "rounds came after it"
    assert re.search(r"2,000 \+ 3 +\+0\.500 ± 0\.020", out)
    assert "2,000 games, seed 1 and 3 rounds of lookahead, 2 + 2 + 1 hidden units" in out
    assert "3 minutes" in out


def test_weights_without_a_curve_say_so(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "bare.nets"
    weights.save(file, Weights((1, 1, 1), [0.0] * 3 * size(1), {}))
    run("bench curve --weights", file).refuses("", "does not say how")
