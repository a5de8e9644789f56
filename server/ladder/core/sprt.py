"""Is NEW better than OLD?  A sequential test on pairs: it may be asked after every one.

H0: NEW is `elo0` stronger, 0 unless said otherwise; H1: it is `elo1` stronger, 30.  A pair has one
of five scores (both lost, 0, to both won, 2), which is why the test is called pentanomial.  The
log-likelihood ratio is that of a normal mean with the variance that the pairs have, so that draws
and luck shared by the two matches of a pair shorten or lengthen the test as they should (Van den
Bergh, "A practical introduction to the GSPRT"); in closed form, as the maximum likelihood of five
chances is found by iteration, and not at all where only one score has occurred.

PRIOR adds a few pairs that went either way, so that results all alike have a variance, too.  The
wrong answers are promised in at most `alpha` and `beta` of tests.  CAUTION makes them less, since
the variance is estimated: at 5 % each, 6 % of tests were wrong where scores are as skewed as
(0, 40, 40, 0, 20) %.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, Literal

from msgspec import Struct

from protocol.ladder import MIN_PAIRS, USUAL, Hypotheses
from server.ladder.core.rating import expected

BETTER: Final = "better"
NOT_BETTER: Final = "not better"
UNDECIDED: Final = "undecided"
Word = Literal["better", "not better", "undecided"]

CAUTION = 0.8
PRIOR = 4.0  # pairs, half of them both won, half both lost
POINTS = (0.0, 0.25, 0.5, 0.75, 1.0)  # a match, by score of the pair


def bounds(test: Hypotheses) -> tuple[float, float]:
    """Return the log-likelihood ratios at which a test is decided, for H0 and for H1."""
    alpha, beta = CAUTION * test.alpha, CAUTION * test.beta
    return math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)


class SprtVerdict(Struct, frozen=True):
    """A test so far.  `llr` decides at `lower` and `upper`; `more`: pairs to go, about, or None."""

    word: Word
    llr: float
    lower: float
    upper: float
    pairs: int
    more: int | None
    test: Hypotheses = USUAL

    @property
    def text(self) -> str:
        """`better`, `better by more than 5`, `not better by 30` or `undecided, about 120 more`."""
        if self.word == UNDECIDED:
            return f"{self.word}, about {self.more} more"
        if self.word == NOT_BETTER:
            return f"{self.word} by {self.test.elo1:g}"
        return self.word if self.test.elo0 == 0 else f"{self.word} by more than {self.test.elo0:g}"


def judge(counts: Sequence[int], test: Hypotheses = USUAL) -> SprtVerdict:
    """Return the verdict on so many pairs of each score of NEW: 0, 0.5, 1, 1.5 and 2.

    Raises ValueError unless there are five counts, none negative.
    """
    if len(counts) != len(POINTS) or min(counts) < 0:
        raise ValueError(f"five counts are expected, from 0: {list(counts)}")
    pairs, total = sum(counts), sum(counts) + PRIOR
    mean = (sum(n * x for n, x in zip(counts, POINTS, strict=True)) + PRIOR / 2) / total
    square = (sum(n * x * x for n, x in zip(counts, POINTS, strict=True)) + PRIOR / 2) / total
    even, enough = expected(test.elo0), expected(test.elo1)  # points a match under H0 and H1
    scale = (enough - even) / (square - mean * mean)
    llr = pairs * scale * (mean - (even + enough) / 2)
    lower, upper = bounds(test)
    word: Word = UNDECIDED
    if pairs >= MIN_PAIRS and not lower < llr < upper:
        word = BETTER if llr > 0 else NOT_BETTER
    more = None
    if word == UNDECIDED:
        drift = llr / max(pairs, 1)
        to_go = _pairs_to_go(llr - lower, upper - llr, drift, scale * (enough - even))
        more = _rounded(max(to_go, MIN_PAIRS - pairs, 1))
    return SprtVerdict(word, llr, lower, upper, pairs, more, test)


def judge_exact(score: float, pairs: int, test: Hypotheses = USUAL) -> SprtVerdict:
    """The verdict on all the pairs that two deterministic bots can play; there is no luck in it.

    `score`: points a match of NEW over all of them, 0 to 1.  More than under H0 is better.
    """
    lower, upper = bounds(test)
    better = score > expected(test.elo0)
    word: Word = BETTER if better else NOT_BETTER
    return SprtVerdict(word, upper if better else lower, lower, upper, pairs, None, test)


def _pairs_to_go(down: float, up: float, drift: float, variance: float) -> float:
    """Steps that a walk takes on average until it has gone `down` or `up`, Brownian motion of this
    drift and variance a step (Siegmund, Sequential Analysis, chapter 3).
    """
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
    """To two figures, upwards: more is not known."""
    unit = int(10 ** max(0, math.floor(math.log10(pairs)) - 1))
    return math.ceil(pairs / unit) * unit
