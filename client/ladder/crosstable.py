"""Who scored how much against whom: the crosstable as rows of cells, for a page and a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from client.ladder import figures
from protocol.ladder import Cross, Standing


@dataclass(frozen=True, slots=True)
class CrossCell:
    """What a row's player has against a column's: match points, two matches a pair."""

    score: float
    pairs: int
    exact: bool  # both always play alike and all openings were played

    @property
    def text(self) -> str:
        """Such as `1½–½`; `= 2–0` where that is exact."""
        equals = "= " if self.exact else ""
        return f"{equals}{figures.half(self.score)}–{figures.half(2 * self.pairs - self.score)}"

    @property
    def percent(self) -> float:
        """The part of all match points."""
        return 50 * self.score / self.pairs

    @property
    def kind(self) -> str:
        """`win`, `loss`, or empty where both have as much."""
        return "win" if self.percent > 50 else "loss" if self.percent < 50 else ""


@dataclass(frozen=True, slots=True)
class CrossRow:
    """A player against each other one; None: against itself, or they have not met."""

    player: Standing
    cells: tuple[CrossCell | None, ...]


def crosstable(rows: Sequence[Standing], cross: Sequence[Cross]) -> list[CrossRow]:
    """Return the rows by rank, without players that have met no other."""
    met = {(c.one, c.two): CrossCell(c.score, c.pairs, c.exact) for c in cross if c.pairs}
    met |= {
        (c.two, c.one): CrossCell(2 * c.pairs - c.score, c.pairs, c.exact) for c in cross if c.pairs
    }
    places = sorted({place for pair in met for place in pair if place < len(rows)})
    return [CrossRow(rows[one], tuple(met.get((one, two)) for two in places)) for one in places]
