"""What Tab completes: names of commands, games, bots and rooms, and the legal actions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from client.terminal.typed.grammar import BY_NAME, SPECS
from protocol.messages import LobbyList, MatchState, RoomState, Welcome


@dataclass(frozen=True, slots=True)
class CompletionNames:
    """The names that can be completed at the moment.

    bots    the games that each plays
    game    that of the room looked at
    """

    games: tuple[str, ...] = ()
    bots: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    game: str | None = None
    rooms: tuple[str, ...] = ()
    legal: tuple[str, ...] = ()


def names_of(
    welcome: Welcome, lobby: LobbyList | None, room: RoomState | None, match: MatchState | None
) -> CompletionNames:
    """Return the names that a server has told of, the room looked at and the match that is on."""
    bots: dict[str, tuple[str, ...]] = {}
    for bot in lobby.bots if lobby is not None else ():
        bots[bot.program] = (*bots.get(bot.program, ()), *(bot.games or welcome.games))
    return CompletionNames(
        games=tuple(welcome.games),
        bots=bots,
        game=room.game if room is not None else None,
        rooms=tuple(str(entry.room) for entry in lobby.rooms) if lobby is not None else (),
        legal=(match.legal or ()) if match is not None else (),
    )


MAX_COMPLETIONS: Final = 50
_LEVELS: Final = tuple("12345678")


def complete(text: str, names: CompletionNames) -> list[tuple[str, int]]:
    """What may replace the last characters of `text`: pairs of a word and how many characters."""
    if not text.startswith("/"):
        return _beginning(names.legal, text)
    name, space, rest = text[1:].partition(" ")
    if not space:
        return _beginning([f"/{spec.name}" for spec in SPECS] + _aliases(name), text)
    spec = BY_NAME.get(name.lower())
    if spec is None:
        return []
    if spec.takes == "legal":
        return _beginning(names.legal, rest)
    before, _, last = rest.rpartition(" ")
    if before.endswith(" level"):
        return _beginning(_LEVELS, last)
    offers: dict[str, tuple[str, ...]] = {
        "game": (*_playing(names, before.split()[0]), "level", "private", "second")
        if before
        else names.games,
        "bot": ("level", "nodes", "ms") if before else _playing(names, names.game),
        "room": () if before else names.rooms,
        "command": () if before else tuple(spec.name for spec in SPECS),
        "later": () if before else ("later",),
        "series": () if before else ("series",),
    }
    return _beginning(offers.get(spec.takes, ()), last)


def _playing(names: CompletionNames, game: str | None) -> tuple[str, ...]:
    """Return the bots that play `game`; all of them where it is not known."""
    if game not in names.games:
        return tuple(names.bots)
    return tuple(bot for bot, played in names.bots.items() if game in played)


def _aliases(typed: str) -> list[str]:
    """Other names of commands, only once nothing else begins so."""
    if not typed or any(spec.name.startswith(typed) for spec in SPECS):
        return []
    return [f"/{name}" for name in BY_NAME]


def _beginning(offers: Iterable[str], text: str) -> list[tuple[str, int]]:
    start = text.lower()
    matches = [offer for offer in offers if offer.lower().startswith(start)]
    return [(offer, len(text)) for offer in matches[:MAX_COMPLETIONS]]
