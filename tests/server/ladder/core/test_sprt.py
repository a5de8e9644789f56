"""The sequential test: its words, its promise on wrong answers, and results that are lopsided."""

from __future__ import annotations

import math

import pytest

from protocol.ladder import MIN_PAIRS, USUAL, Hypotheses
from server.ladder.core import sprt
from server.ladder.core.rating import expected

np = pytest.importorskip("numpy")

LOWER, BOUND = sprt.bounds(USUAL)
POINTS = np.array([0, 0.25, 0.5, 0.75, 1])

# Chances of the pair scores 0, 0.5, 1, 1.5, 2; tilted below until their mean is what is asked for.
KINDS = {
    "no draws": [0.25, 0, 0.5, 0, 0.25],
    "few draws": [0.16, 0.16, 0.36, 0.16, 0.16],
    "many draws": [0.02, 0.18, 0.6, 0.18, 0.02],
    "shared luck": [0.45, 0, 0.1, 0, 0.45],
    "opposite luck": [0.05, 0, 0.9, 0, 0.05],
    "nearly always split": [0.02, 0, 0.96, 0, 0.02],
    "skewed down": [0, 0.4, 0.4, 0, 0.2],
    "skewed up": [0.2, 0, 0.4, 0.4, 0],
}


def tilted(kind: str, elo: float):
    """The chances of this kind, as much towards winning as makes it so many Elo."""
    low, high = -50.0, 50.0
    for _ in range(80):
        middle = (low + high) / 2
        chances = np.array(KINDS[kind]) * np.exp(middle * POINTS)
        chances /= chances.sum()
        low, high = (middle, high) if chances @ POINTS < expected(elo) else (low, middle)
    return chances


def ratios(scores):
    """(tests, pairs): the log-likelihood ratio after each pair, as `judge` has it but all at once,
    from scores 0 to 4; 0 before the first that may decide.
    """
    n = np.arange(1, scores.shape[1] + 1)
    mean = (np.cumsum(scores / 4, axis=1) + sprt.PRIOR / 2) / (n + sprt.PRIOR)
    square = (np.cumsum((scores / 4) ** 2, axis=1) + sprt.PRIOR / 2) / (n + sprt.PRIOR)
    llrs = n * (expected(30) - 0.5) * (mean - (0.5 + expected(30)) / 2) / (square - mean**2)
    llrs[:, : MIN_PAIRS - 1] = 0
    return llrs


def share(word: str, kind: str, elo: float, tests: int, pairs: int = 3000) -> float:
    """How often a test that is asked after every pair ends in this word."""
    rng = np.random.default_rng(1)
    ended = 0
    for _ in range(0, tests, 50):
        llrs = ratios(rng.choice(5, (50, pairs), p=tilted(kind, elo)).astype(float))
        at = llrs[np.arange(50), (abs(llrs) >= BOUND).argmax(axis=1)]
        ended += np.count_nonzero(at >= BOUND if word == sprt.BETTER else at <= -BOUND)
    return ended / tests


def test_what_is_simulated_here_is_what_judge_says() -> None:
    scores = np.random.default_rng(2).choice(5, 300, p=tilted("few draws", 20))
    llrs = ratios(scores[None, :].astype(float))[0]
    for n in range(MIN_PAIRS, 301):
        verdict = sprt.judge(np.bincount(scores[:n], minlength=5).tolist())
        assert verdict.llr == pytest.approx(llrs[n - 1])
        assert (verdict.word != sprt.UNDECIDED) == (abs(llrs[n - 1]) >= BOUND)


@pytest.mark.parametrize("kind", KINDS)
def test_wrong_answers_are_few(kind: str) -> None:
    chance = 0.05 + 2 * math.sqrt(0.05 * 0.95 / 200)
    assert share(sprt.BETTER, kind, 0, 200, 1000) <= chance
    assert share(sprt.NOT_BETTER, kind, 30, 200, 1000) <= chance


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_wrong_answers_are_5_percent_at_most_and_what_is_so_is_found(kind: str) -> None:
    assert share(sprt.BETTER, kind, 0, 4000) <= 0.055  # 0.055: chance in 4,000 tests
    assert share(sprt.BETTER, kind, -30, 1000) <= 0.01
    assert share(sprt.NOT_BETTER, kind, 30, 4000) <= 0.055
    assert share(sprt.NOT_BETTER, kind, 60, 1000) <= 0.01
    assert share(sprt.BETTER, kind, 30, 1000) >= 0.93
    assert share(sprt.NOT_BETTER, kind, 0, 1000) >= 0.93


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        ([0, 0, 0, 0, 0], "undecided, about 1400 more"),
        ([0, 0, 0, 0, 63], "undecided, about 1 more"),
        ([0, 0, 0, 0, 64], "better"),
        ([64, 0, 0, 0, 0], "not better by 30"),
        ([0, 0, 0, 64, 0], "better"),
        ([0, 0, 63, 0, 0], "undecided, about 1 more"),
        ([0, 0, 64, 0, 0], "not better by 30"),
        ([20, 0, 30, 0, 25], "undecided, about 690 more"),
        ([0, 0, 0, 0, 10**9], "better"),
        ([0, 0, 10**9, 0, 0], "not better by 30"),
    ],
)
def test_the_sentence(counts: list[int], text: str) -> None:
    verdict = sprt.judge(counts)
    assert verdict.text == text
    assert verdict.pairs == sum(counts)
    assert (verdict.lower, verdict.upper) == (LOWER, BOUND)
    assert verdict.lower == pytest.approx(-BOUND)
    assert math.isfinite(verdict.llr)
    assert (verdict.more is None) == (verdict.word != sprt.UNDECIDED)


@pytest.mark.parametrize("elo", [0, 15, 30])
def test_about_n_more_is_about_right(elo: float) -> None:
    rng, chances = np.random.default_rng(3), tilted("few draws", elo)
    verdict = sprt.judge((chances * MIN_PAIRS).round().astype(int).tolist())
    llrs = ratios(rng.choice(5, (300, 4000), p=chances).astype(float))
    ends = (abs(llrs) >= BOUND).argmax(axis=1)
    assert verdict.more == pytest.approx(ends.mean() - MIN_PAIRS, rel=0.35)


def test_the_answer_for_an_exhausted_pairing_is_exact_and_nonsense_is_refused() -> None:
    assert sprt.judge_exact(0.51, 49).text == "better"
    assert sprt.judge_exact(0.5, 49).text == "not better by 30"
    assert sprt.judge_exact(0.0, 1).text == "not better by 30"
    assert sprt.judge_exact(1.0, 3).llr == sprt.judge_exact(1.0, 3).upper
    assert sprt.judge_exact(1.0, 3).pairs == 3
    for counts in ([1, 2, 3], [1, 2, 3, 4, -5]):
        with pytest.raises(ValueError, match="five counts"):
            sprt.judge(counts)


def test_other_hypotheses_other_bounds_and_words() -> None:
    test = Hypotheses(elo0=-5, elo1=50, alpha=0.01, beta=0.1)
    verdict = sprt.judge([0, 0, 0, 20, 60], test)
    assert verdict.text == "better by more than -5"
    assert verdict.upper == pytest.approx(math.log((1 - 0.08) / 0.008))
    assert verdict.lower == pytest.approx(math.log(0.08 / (1 - 0.008)))
    assert sprt.judge([60, 20, 0, 0, 0], test).text == "not better by 50"
    even = [100, 0, 200, 0, 100]
    assert sprt.judge(even, Hypotheses(elo1=100)).word == sprt.NOT_BETTER
    assert sprt.judge(even, Hypotheses(elo1=3)).word == sprt.UNDECIDED
    assert sprt.judge_exact(0.52, 9, Hypotheses(elo0=20)).word == sprt.NOT_BETTER


@pytest.mark.parametrize(
    "given",
    [{"elo0": 30}, {"elo1": 0}, {"elo1": math.nan}, {"alpha": 0}, {"beta": 0.5}, {"elo0": -1e9}],
)
def test_hypotheses_that_make_no_test_are_refused(given: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"elo0 < elo1|alpha and beta"):
        Hypotheses(**given)
