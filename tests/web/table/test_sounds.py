"""The sounds of the page, written down instead of heard: short, not clipped, each its own."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.web.conftest import Evaluate

pytestmark = pytest.mark.browser

RATE = 22_000  # samples a second
WINDOW = RATE // 20  # 50 ms
HEARD = 0.001  # of full scale: what is below is silence
NAMES = {"place", "hit", "dice", "double", "arrival", "turn", "low", "won", "lost"}

# The samples of sounds that begin at once; noise is drawn from a fixed sequence.
WRITE_DOWN = """async ({ names, rate }) => {
  const { SOUNDS, render } = await import("/settings/sounds.js");
  const { random } = Math;
  let state = 1;
  Math.random = () => (state = (state * 16807) % 2147483647) / 2147483647;
  const samples = [];
  for (const together of names.length ? names : Object.keys(SOUNDS).map((name) => [name])) {
    const audio = new OfflineAudioContext(1, 2 * rate, rate);
    for (const name of together) render(audio, name);
    samples.push([together.join(), [...(await audio.startRendering()).getChannelData(0)]]);
  }
  Math.random = random;
  return Object.fromEntries(samples);
}"""

Samples = NDArray[np.float64]


def written_down(evaluate: Evaluate, *names: Sequence[str]) -> dict[str, Samples]:
    """The samples of each sound, or of these that begin together."""
    samples = evaluate(WRITE_DOWN, {"names": [list(each) for each in names], "rate": RATE})
    return {name: np.array(each) for name, each in samples.items()}


def loudness(samples: Samples) -> float:
    """The root mean square of the loudest 50 ms."""
    squares = np.convolve(samples**2, np.ones(WINDOW) / WINDOW)
    return float(np.sqrt(squares.max()))


def character(samples: Samples) -> Samples:
    """How strong each octave is in each 50 ms, as a vector of length 1."""
    spectra = np.abs(np.fft.rfft(samples[: 20 * WINDOW].reshape(-1, WINDOW), axis=1))
    pitches = np.fft.rfftfreq(WINDOW, 1 / RATE)
    edges = [0, 150, 300, 450, 600, 750, 900, 1100, 2000, 4000, RATE]
    bands = [spectra[:, (pitches >= low) & (pitches < high)].sum(1)
             for low, high in pairwise(edges)]  # fmt: skip
    vector = np.concatenate(bands)
    return np.asarray(vector / np.linalg.norm(vector))


def test_each_sound_is_short_and_neither_silent_nor_clipped_and_none_is_like_another(
    evaluate: Evaluate,
) -> None:
    sounds = written_down(evaluate)
    assert set(sounds) == NAMES
    loud = {name: loudness(samples) for name, samples in sounds.items()}
    for name, samples in sounds.items():
        heard = np.nonzero(np.abs(samples) > HEARD)[0]
        assert heard[0] < 0.06 * RATE, f"{name} comes late"
        assert 0.03 < (heard[-1] - heard[0]) / RATE < 0.9, name
        assert 0.1 < np.abs(samples).max() < 0.9, name
        assert np.abs(samples[-WINDOW:]).max() < HEARD, f"{name} does not end"
        assert abs(samples.mean()) < HEARD, name
    assert max(loud.values()) < 4 * min(loud.values()), loud
    for one, other in combinations(sounds, 2):
        likeness = character(sounds[one]) @ character(sounds[other])
        assert likeness < 0.9, (one, other, likeness)


def test_sounds_that_come_at_once_are_not_clipped(evaluate: Evaluate) -> None:
    together = [("hit", "dice", "turn"), ("hit", "won"), ("hit", "lost"), ("place", "turn", "low")]
    for names, samples in written_down(evaluate, *together).items():
        assert np.abs(samples).max() < 1, names
