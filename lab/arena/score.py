"""The result of a duel: one DuelRecord a match, their sums, and the intervals around them.

The likelihood of superiority (LOS) is the chance that the one who scored more is the better one,
were both equally likely to be so before: a normal distribution, as usual for tests of engines.

The score is wins plus half the draws, over matches.  Its 95 % interval is Wilson's for proportions;
draws can only make the true spread smaller, so it errs on the wide side.  Source: E. B. Wilson,
"Probable Inference", Journal of the American Statistical Association 22, 1927.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

Z95: Final = 1.959964
FORFEITS: Final = ("flag", "illegal", "crash", "disconnect")  # lost without being beaten


@dataclass(slots=True)
class Effort:
    """What one bot spent in one match."""

    choices: int = 0
    nodes: int = 0
    seconds: float = 0.0
    cut: int = 0  # choices that the budget ended before a depth that was asked for

    def add(self, nodes: int, seconds: float, cut: bool = False) -> None:
        """Count one choice."""
        self.choices += 1
        self.cut += cut
        self.nodes += nodes
        self.seconds += seconds


@dataclass(slots=True)
class DuelRecord:
    """One match, seen from A.  `points`: what A got; `seeds` and `efforts`: A's, then B's."""

    number: int
    match: str
    seat: int
    seeds: tuple[int, int]
    points: float = 0.0
    how: str = ""
    reason: str = ""
    plies: int = 0
    efforts: tuple[Effort, Effort] = field(default_factory=lambda: (Effort(), Effort()))
    actions: dict[int, str] = field(default_factory=dict)  # by seq, rolls and passes included

    @property
    def is_valid(self) -> bool:
        """Whether it was played to a result, and so counts."""
        return self.how not in ("", "abort", "void")

    def row(self) -> dict[str, Any]:
        """Plain values for a file."""
        a, b = self.efforts
        return {
            "number": self.number,
            "match": self.match,
            "seat": self.seat,
            "points": self.points,
            "how": self.how,
            "reason": self.reason,
            "plies": self.plies,
            "a_seed": self.seeds[0],
            "b_seed": self.seeds[1],
            "a_nodes": a.nodes,
            "b_nodes": b.nodes,
            "a_seconds": round(a.seconds, 3),
            "b_seconds": round(b.seconds, 3),
            "a_cut": a.cut,
            "b_cut": b.cut,
            "actions": " ".join(self.actions[seq] for seq in sorted(self.actions)),
        }


class Tally(NamedTuple):
    """Wins, draws and losses of one bot against another."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def matches(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """The score from 0 to 1; a half before the first match."""
        return (self.wins + self.draws / 2) / self.matches if self.matches else 0.5

    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the score."""
        n, p = self.matches, self.score
        if n == 0:
            return 0.0, 1.0
        centre = (p + Z95**2 / (2 * n)) / (1 + Z95**2 / n)
        half = Z95 * math.sqrt(p * (1 - p) / n + Z95**2 / (4 * n * n)) / (1 + Z95**2 / n)
        return max(0.0, centre - half), min(1.0, centre + half)

    @property
    def los(self) -> float:
        """The likelihood of superiority; draws do not change it."""
        decided = self.wins + self.losses
        return normal((self.wins - self.losses) / math.sqrt(decided)) if decided else 0.5


class PairTally(NamedTuple):
    """How many pairs of matches gave each score of the first bot: 0, 0.5, 1, 1.5 and 2."""

    counts: tuple[int, ...]

    @property
    def pairs(self) -> int:
        return sum(self.counts)

    @property
    def score(self) -> float:
        """The score a match from 0 to 1; a half before the first pair."""
        points = sum(n * score / 4 for score, n in enumerate(self.counts))
        return points / self.pairs if self.pairs else 0.5

    @property
    def error(self) -> float:
        """The standard error of the score; one pair more, half won and half lost, keeps results
        that are all alike from a spread of nothing.
        """
        n, mean = self.pairs + 1, (self.pairs * self.score + 0.5) / (self.pairs + 1)
        square = (sum(k * (score / 4) ** 2 for score, k in enumerate(self.counts)) + 0.5) / n
        return math.sqrt((square - mean**2) / n)

    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the score."""
        return max(0.0, self.score - Z95 * self.error), min(1.0, self.score + Z95 * self.error)

    @property
    def los(self) -> float:
        """The likelihood of superiority, by the spread that the pairs have."""
        return normal((self.score - 0.5) / self.error)


def normal(z: float) -> float:
    """The standard normal distribution up to `z`."""
    return 0.5 * math.erfc(-z / math.sqrt(2))


def tally(records: Iterable[DuelRecord]) -> Tally:
    """A's wins, draws and losses in the matches that count."""
    points = [record.points for record in records if record.is_valid]
    wins = sum(1 for p in points if p > 0)
    losses = sum(1 for p in points if p < 0)
    return Tally(wins, len(points) - wins - losses, losses)


def elo(score: float) -> float:
    """The difference in rating that a score means; infinite at 0 and 1."""
    if not 1e-9 < score < 1 - 1e-9:
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))


def summary(records: list[DuelRecord]) -> dict[str, Any]:
    """The sums, as plain values."""
    counted = [record for record in records if record.is_valid]
    total = tally(counted)
    return {
        "matches": total.matches,
        **total._asdict(),
        **fields(total),
        "forfeits": [_forfeits(counted, 0), _forfeits(counted, 1)],
        "points": sum(record.points for record in counted),
        "plies": sum(record.plies for record in counted),
        "void": len(records) - len(counted),
        "as_first": list(tally(record for record in counted if record.seat == 0)),
        "as_second": list(tally(record for record in counted if record.seat == 1)),
        "sides": [_side(counted, 0), _side(counted, 1)],
    }


def _forfeits(records: list[DuelRecord], side: int) -> dict[str, int]:
    """How often A (0) or B (1) lost without being beaten, by how."""
    lost = [r.how for r in records if r.how in FORFEITS and (r.points < 0) == (side == 0)]
    return dict(Counter(lost))


def _side(records: list[DuelRecord], side: int) -> dict[str, Any]:
    """What A (0) or B (1) spent."""
    choices = sum(record.efforts[side].choices for record in records)
    nodes = sum(record.efforts[side].nodes for record in records)
    seconds = sum(record.efforts[side].seconds for record in records)
    return {
        "choices": choices,
        "cut": sum(record.efforts[side].cut for record in records),
        "nodes": nodes,
        "seconds": round(seconds, 3),
        "ms_per_choice": round(1000 * seconds / choices, 2) if choices else 0.0,
        "nodes_per_choice": round(nodes / choices, 1) if choices else 0.0,
    }


def cut_text(who: str, cut: int, choices: int | None = None) -> str:
    """That choices came to no end by themselves; `choices`: of how many."""
    of = "" if choices is None else f" of {choices:,}"
    return f"{who}: {cut:,}{of} choices were cut by the budget before the depth that is set"


def fields(result: Tally | PairTally) -> dict[str, Any]:
    """The score with its interval, as such and in Elo, and the likelihood of superiority."""
    low, high = result.interval()
    return {
        "score": round(result.score, 4),
        "interval": [round(low, 4), round(high, 4)],
        "elo": finite(elo(result.score)),
        "elo_interval": [finite(elo(low)), finite(elo(high))],
        "los": round(result.los, 4),
    }


def finite(value: float) -> float | None:
    """A value for JSON, which has no infinity."""
    return round(value, 1) if math.isfinite(value) else None
