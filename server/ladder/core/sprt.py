"""Is NEW better than OLD?  A sequential test on pairs: it may be asked after every one.

H0: NEW is 0 Elo stronger; H1: it is 30 Elo stronger.  A pair has one of five scores (both lost, 0,
to both won, 2), which is why the test is called pentanomial.  The log-likelihood ratio is that of a
normal mean with the variance that the pairs have, so that draws and luck shared by the two matches
of a pair shorten or lengthen the test as they should (Van den Bergh, "A practical introduction to
the GSPRT"); in closed form, as the maximum likelihood of five chances is found by iteration, and
not at all where only one score has occurred.

PRIOR adds a few pairs that went either way, so that results all alike have a variance, too.  Both
wrong answers are promised in at most 5 % of tests.  RISK is less, since the variance is estimated:
at 5 % each, 6 % of tests were wrong where scores are as skewed as (0, 40, 40, 0, 20) %.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal

from msgspec import Struct

from server.ladder.core.rating import expected

BETTER: Final = "better"
NOT_BETTER: Final = "not better by 30"
UNDECIDED: Final = "undecided"
Word = Literal["better", "not better by 30", "undecided"]

LEAST = 64  # pairs before a verdict
EVEN, ENOUGH = expected(0), expected(30)  # points a match under H0 and H1
RISK = 0.04
BOUND = math.log((1 - RISK) / RISK)
PRIOR = 4.0  # pairs, half of them both won, half both lost
POINTS = (0.0, 0.25, 0.5, 0.75, 1.0)  # a match, by score of the pair


class SprtVerdict(Struct, frozen=True):
    """A test so far.  `llr` decides at `lower` and `upper`; `more`: pairs to go, about, or None."""

    word: Word
    llr: float
    lower: float
    upper: float
    pairs: int
    more: int | None

    @property
    def text(self) -> str:
        """`better`, `not better by 30` or `undecided, about 120 more`."""
        return self.word if self.more is None else f"{self.word}, about {self.more} more"


def judge(counts: Sequence[int]) -> SprtVerdict:
    """Return the verdict on so many pairs of each score of NEW: 0, 0.5, 1, 1.5 and 2.

    Raises ValueError unless there are five counts, none negative.
    """
    if len(counts) != len(POINTS) or min(counts) < 0:
        raise ValueError(f"five counts are expected, from 0: {list(counts)}")
    pairs, total = sum(counts), sum(counts) + PRIOR
    mean = (sum(n * x for n, x in zip(counts, POINTS, strict=True)) + PRIOR / 2) / total
    square = (sum(n * x * x for n, x in zip(counts, POINTS, strict=True)) + PRIOR / 2) / total
    scale = (ENOUGH - EVEN) / (square - mean * mean)
    llr = pairs * scale * (mean - (EVEN + ENOUGH) / 2)
    word: Word = UNDECIDED
    if pairs >= LEAST and abs(llr) >= BOUND:
        word = BETTER if llr > 0 else NOT_BETTER
    more = None
    if word == UNDECIDED:
        drift = llr / max(pairs, 1)
        to_go = _pairs_to_go(llr, drift, scale * (ENOUGH - EVEN))
        more = _rounded(max(to_go, LEAST - pairs, 1))
    return SprtVerdict(word, llr, -BOUND, BOUND, pairs, more)


def judge_exact(score: float, pairs: int) -> SprtVerdict:
    """The verdict on all the pairs that two deterministic bots can play; there is no luck in it.

    `score`: points a match of NEW over all of them, 0 to 1.  More than half is better.
    """
    better = score > EVEN
    llr = BOUND if better else -BOUND
    return SprtVerdict(BETTER if better else NOT_BETTER, llr, -BOUND, BOUND, pairs, None)


def _pairs_to_go(llr: float, drift: float, variance: float) -> float:
    """Steps that a walk from `llr` takes on average until it leaves the bounds, Brownian motion of
    this drift and variance a step (Siegmund, Sequential Analysis, chapter 3).
    """
    down, up = llr + BOUND, BOUND - llr
    if down <= 0 or up <= 0:
        return 0.0
    bend = 2 * drift / variance
    if abs(bend) * (down + up) < 1e-3:
        return down * up / variance
    if abs(bend) * (down + up) > 500:  # it goes straight there
        return (up if drift > 0 else down) / abs(drift)
    upwards = -math.expm1(-bend * down) / -math.expm1(-bend * (down + up))
    return (upwards * up - (1 - upwards) * down) / drift


def _rounded(pairs: float) -> int:
    """To two figures, upwards: nobody knows more."""
    unit = int(10 ** max(0, math.floor(math.log10(pairs)) - 1))
    return math.ceil(pairs / unit) * unit
