"""The formats of a ladder: which pairings it has, written as a text that people type.

    endless          all against all, for as long as it is let
    roundrobin:N     N pairs of each two, then it is finished
    gauntlet:BOT     all against one
    sprt:NEW,OLD     these two alone: is the first better?  `sprt:NEW,OLD,elo0=0,elo1=30,alpha=0.05,
                     beta=0.05` says by how much and how sure, where it is not that (core/sprt.py)

A BOT names players by what their titles have in common: `mcts`, `ann/mcts`, `ann/mcts@2`, `mcts@2`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Final, Literal, assert_never

from msgspec import Struct

from protocol.ladder import USUAL, Hypotheses

MOST_PAIRS: Final = 100_000  # of each two: more are endless


class BadLadderFormat(ValueError):
    """A text that is no format; the message lists the formats."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text[:60]!r} is no format of a ladder: there are endless, roundrobin:N (N pairs of"
            f" each two, 1 to {MOST_PAIRS}), gauntlet:BOT and sprt:NEW,OLD (behind it elo0=, elo1=,"
            " alpha=, beta=, where elo0 < elo1 and the others are 0.001 to 0.3)"
        )


class Format(Struct, frozen=True):
    """A format, read.  `pairs`: of each two, 0 for no limit; `bots`: what it names, in order;
    `test`: of sprt, what it is between.
    """

    kind: Literal["endless", "roundrobin", "gauntlet", "sprt"]
    pairs: int = 0
    bots: tuple[str, ...] = ()
    test: Hypotheses = USUAL

    def __str__(self) -> str:
        """Return the text that it is read from."""
        given = [f"{name}={getattr(self.test, name):g}" for name in _differing(self.test)]
        named = ",".join((*self.bots, *given)) or str(self.pairs or "")
        return f"{self.kind}:{named}" if named else self.kind

    def is_named(self, title: str) -> bool:
        """Return whether it names this player, one of which is in each pair, or names nobody."""
        return not self.bots or any(names_player(bot, title) for bot in self.bots)

    def pairs_up(self, one: str, two: str) -> bool:
        """Return whether players with these titles meet at all, on whichever side."""
        match self.kind:
            case "endless" | "roundrobin":
                return True
            case "gauntlet":
                return names_player(self.bots[0], one) or names_player(self.bots[0], two)
            case "sprt":
                new, old = self.bots
                return (names_player(new, one) and names_player(old, two)) or (
                    names_player(new, two) and names_player(old, one)
                )
            case _:
                assert_never(self.kind)


def parse_format(text: str) -> Format:
    """Return the format that `text` writes; spaces around its parts do not matter.

    Raises:
        BadLadderFormat: it is none.
    """
    kind, colon, rest = text.strip().partition(":")
    named = tuple([part.strip() for part in rest.split(",")]) if colon else ()
    number = named[0] if len(named) == 1 else ""
    match kind.strip():
        case "endless" if not colon:
            return Format("endless")
        case "roundrobin" if number.isascii() and number.isdigit() and len(number) <= 6:
            if 1 <= int(number) <= MOST_PAIRS:
                return Format("roundrobin", pairs=int(number))
        case "gauntlet" if len(named) == 1 and _names_bots(named[0]):
            return Format("gauntlet", bots=named)
        case "sprt":
            bots = named[:2]
            if len(set(bots)) == 2 and all(map(_names_bots, bots)):
                with suppress(ValueError):
                    return Format("sprt", bots=bots, test=_test(named[2:]))
    raise BadLadderFormat(text)


def _test(words: Sequence[str]) -> Hypotheses:
    """The hypotheses that words such as `elo1=50` name; raises ValueError."""
    given: dict[str, float] = {}
    for word in words:
        name, _, value = word.partition("=")
        if name not in Hypotheses.__struct_fields__ or name in given or len(value) > 8:
            raise ValueError(word)
        given[name] = float(value)
    return Hypotheses(**given)


def _differing(test: Hypotheses) -> list[str]:
    return [name for name in test.__struct_fields__ if getattr(test, name) != getattr(USUAL, name)]


@lru_cache(maxsize=4_096)
def names_player(pattern: str, title: str) -> bool:
    """Return whether a BOT, such as `mcts` or `ann/mcts@2`, names the player with this title.

    The program is compared always, owner and version where `pattern` has one.
    """
    pairs = zip(_parts(pattern), _parts(title), strict=True)
    return all(part is None or part == whole for part, whole in pairs)


def _parts(title: str) -> tuple[str | None, str, str | None]:
    """Owner, program and version; None where there is no `/` or no `@`."""
    before, slash, after = title.rpartition("/")
    program, at, version = after.partition("@")
    return before if slash else None, program, version if at else None


def _names_bots(pattern: str) -> bool:
    """Return whether a BOT has all its parts: none is empty, none holds another `/` or `@`."""
    return all(part is None or (part and not set(part) & set("/@")) for part in _parts(pattern))
