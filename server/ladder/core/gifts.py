"""Who gives up to whom: pairings in which one side does so far more often than against all others.

So does who plays for somebody else's rating; and also, sooner or later, an honest player that
resigns what is lost, against one that always wins.  In both cases a further pair tells little.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Final, NamedTuple

GIVEN: Final = 4  # matches that a player has to give up to another before anything is made of it
STRIKING: Final = 3.7  # a normal deviate that chance makes once in a thousand times, at most


class Elsewhere(NamedTuple):
    """What a player did against all others: its matches, and how many of them it gave up."""

    matches: int
    given: int


@dataclass(slots=True)
class Gifts:
    """The matches of a ladder that were given up: by resignation, flag, illegal action or crash.

    `given`: how many, by (giver, taker); `one_sided`: pairings, as (lower, higher).
    """

    given: Counter[tuple[int, int]] = field(default_factory=Counter)
    one_sided: set[tuple[int, int]] = field(default_factory=set)

    def note(self, giver: int, taker: int) -> None:
        """Count one match that was given up."""
        self.given[giver, taker] += 1

    def judge(self, key: tuple[int, int], matches: int, *elsewhere: Elsewhere) -> None:
        """Note whether a pairing of so many matches is one-sided; `elsewhere`: of each of both."""
        gifts = (self.given[key], self.given[key[::-1]])
        if any(_is_striking(n, matches, e) for n, e in zip(gifts, elsewhere, strict=True)):
            self.one_sided.add(key)
        else:
            self.one_sided.discard(key)


def _is_striking(given: int, matches: int, elsewhere: Elsewhere) -> bool:
    rate = (elsewhere.given + 1) / (elsewhere.matches + 2)
    return given >= GIVEN and deviate(given, matches, rate) > STRIKING


def deviate(times: int, of: int, rate: float) -> float:
    """Return how much more often than at this rate something happened, as a normal deviate.

    From Chernoff's bound exp(-n D), D being the divergence of the shares, so rather too small; 0 if
    it happened no more often.
    """
    share = times / of if of else 0.0
    if share <= rate or rate <= 0:
        return 0.0
    divergence = share * math.log(share / rate)
    if share < 1:
        divergence += (1 - share) * math.log((1 - share) / (1 - rate))
    return math.sqrt(2 * of * divergence)
