"""The formats of a ladder: which pairings it has, written as a text that people type.

protocol/ladder.py describes each.  `sprt:NEW,OLD,elo0=0,elo1=30,alpha=0.05,beta=0.05` says by how
much the first is better, and how sure that is to be, where it is not the usual.

A BOT names players by what their titles have in common: `mcts`, `ann/mcts`, `ann/mcts@2`, `mcts@2`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache

from msgspec import Struct

from protocol.ladder import FORMATS, MAX_PAIRS, USUAL, FormatKind, Hypotheses


class BadLadderFormat(ValueError):
    """A text that is no format; the message lists the formats."""

    def __init__(self, text: str) -> None:
        kinds = [
            f"{kind.usage} ({kind.detail})" if kind.detail else kind.usage
            for kind in FORMATS.values()
        ]
        super().__init__(
            f"{text[:60]!r} is no format of a ladder:"
            f" there are {', '.join(kinds[:-1])} and {kinds[-1]}"
        )


class Format(Struct, frozen=True):
    """A format, read.  `pairs`: of each two, 0 for no limit; `bots`: what it names, in order;
    `test`: of one that tests, what it is between.
    """

    name: str
    pairs: int = 0
    bots: tuple[str, ...] = ()
    test: Hypotheses = USUAL

    @property
    def kind(self) -> FormatKind:
        return FORMATS[self.name]

    def __str__(self) -> str:
        """Return the text that it is read from."""
        given = [f"{name}={getattr(self.test, name):g}" for name in _differing(self.test)]
        named = ",".join((*self.bots, *given)) or str(self.pairs or "")
        return f"{self.name}:{named}" if named else self.name

    def is_named(self, title: str) -> bool:
        """Return whether it names this player, one of which is in each pair, or names none."""
        return not self.bots or any(names_player(bot, title) for bot in self.bots)

    def pairs_up(self, one: str, two: str) -> bool:
        """Return whether players with these titles meet at all, on whichever side."""
        if len(self.bots) < 2:
            return self.is_named(one) or self.is_named(two)
        new, old = self.bots
        return (names_player(new, one) and names_player(old, two)) or (
            names_player(new, two) and names_player(old, one)
        )


def parse_format(text: str) -> Format:
    """Return the format that `text` writes; spaces around its parts do not matter.

    Raises:
        BadLadderFormat: it is none.
    """
    name, colon, rest = text.strip().partition(":")
    words = tuple([part.strip() for part in rest.split(",")]) if colon else ()
    kind = FORMATS.get(name := name.strip())
    if kind is None:
        raise BadLadderFormat(text)
    if kind.counts:
        number = words[0] if len(words) == 1 and len(words[0]) <= 6 else ""
        if number.isascii() and number.isdigit() and 1 <= int(number) <= MAX_PAIRS:
            return Format(name, pairs=int(number))
        raise BadLadderFormat(text)
    bots, rules = words[: kind.names], words[kind.names :]
    if len(set(bots)) == kind.names and all(map(_names_bots, bots)) and (kind.tests or not rules):
        with suppress(ValueError):
            return Format(name, bots=bots, test=_test(rules))
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
