"""How players differ, as words, cells and rows: a LadderDifferences for a terminal, a page, a CSV.

What others wrote is cleaned here, so that the texts may go to a terminal as they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from client.ladder.figures import signed
from client.styled_text import clean
from protocol.ladder import Difference, LadderDifferences

CLEAR: Final = 0.975  # a LOS from which on a difference is marked; and what is below 1 - it


@dataclass(frozen=True, slots=True)
class DifferenceCell:
    """By how much one is stronger than another, the ± of that, and the chance that it is better."""

    elo: float
    error: float
    los: float

    @property
    def text(self) -> str:
        """Such as `+60 ±43`."""
        return f"{signed(self.elo)} ±{self.error:.0f}"

    @property
    def los_text(self) -> str:
        """The LOS in per cent; it is never quite sure."""
        return los_text(self.los)

    @property
    def kind(self) -> str:
        """`win` or `loss` where it is clear who is better, else empty."""
        return "win" if self.los >= CLEAR else "loss" if self.los <= 1 - CLEAR else ""


@dataclass(frozen=True, slots=True)
class DifferenceRow:
    """A player beside each; None: itself, or the two cannot be compared."""

    player: str
    cells: tuple[DifferenceCell | None, ...]


def los_text(los: float) -> str:
    """Return a LOS in per cent."""
    if los > 0.999:
        return "> 99.9 %"
    return "< 0.1 %" if los < 0.001 else f"{100 * los:.1f} %"


def sentence(answer: LadderDifferences) -> str:
    """Return who of two players is stronger, by how much, and how sure that is."""
    one, two = (clean(player) for player in answer.players)
    if not answer.differences:
        return f"{one} and {two} cannot be compared yet: no chain of pairs connects them"
    apart = answer.differences[0]
    elo, los = apart.elo, apart.los
    if elo < 0:
        one, two, elo, los = two, one, -elo, 1 - los
    lead = f"{one} is {signed(elo)} ±{apart.error:.0f} Elo stronger than {two}".replace("+", "")
    return f"{lead}; LOS, the chance that it is the better one: {los_text(los)}"


def rows(answer: LadderDifferences) -> list[DifferenceRow]:
    """Return the square of all differences."""
    known: dict[tuple[int, int], DifferenceCell] = {}
    for apart in answer.differences:
        known[apart.one, apart.two] = DifferenceCell(apart.elo, apart.error, apart.los)
        known[apart.two, apart.one] = DifferenceCell(-apart.elo, apart.error, 1 - apart.los)
    places = range(len(answer.players))
    return [
        DifferenceRow(clean(player), tuple(known.get((one, two)) for two in places))
        for one, player in enumerate(answer.players)
    ]


def is_of_one(answer: LadderDifferences) -> bool:
    """Return whether one player is compared with all others, and these not with each other."""
    return len(answer.players) > 2 and all(apart.one == 0 for apart in answer.differences)


def named(answer: LadderDifferences) -> list[tuple[str, str, Difference]]:
    players = answer.players
    return [(players[apart.one], players[apart.two], apart) for apart in answer.differences]
