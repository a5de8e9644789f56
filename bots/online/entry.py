"""A bot as its owner set it up: the program, its settings, its games, and how many matches at once.

Plain values and functions: nothing here thinks, waits or sends.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from bots import registry
from bots.bot import DEFAULT_LEVEL, NO_LIMIT, BadSetting, Bot, Budget, Value, format_value
from games import registry as games
from protocol.notation import format_match, parse_match
from protocol.parts import BotInfo

# What ladders can tell apart in `owner/program@version`; servers take no more than 24 characters.
_NAME: Final = re.compile(r"[\w.+-]{1,24}")


class BadTerms(ValueError):
    """A bot cannot play as it is asked to; the sentence says what it can do."""


class MatchPart(NamedTuple):
    """Matches that are played in a room of their own, and are the later ones of a room `room`.

    `before`: how many matches of that room are played elsewhere, in front of these.
    """

    room: int
    before: int

    def name(self, match: str) -> str:
        return format_match(self.room, self.before + parse_match(match).number)


@dataclass(frozen=True, slots=True)
class Entry:
    """A bot as its owner brings it to a server.

    budget    of each choice; None: what the clock suggests, or without a clock, `usual_budget`
    settings  all of them
    slots     matches at once, or pairs of matches on a ladder; each thinks on a thread of its own
    alias     the program's name at the server, where it is not the bot's
    version   the version there; None: the bot's
    invited   whether it takes invitations; else it plays on ladders only
    part      which matches of a larger whole it plays, where it plays some of them alone
    """

    program: str
    games: tuple[str, ...]
    seed: int
    budget: Budget | None = None
    settings: dict[str, Value] = field(default_factory=dict)
    slots: int = 1
    alias: str | None = None
    version: str | None = None
    invited: bool = True
    part: MatchPart | None = None

    def whole_name(self, match: str) -> str:
        """What a match is called in the whole that it belongs to: the bots' seeds follow."""
        return match if self.part is None else self.part.name(match)

    @property
    def name(self) -> str:
        return self.program if self.alias is None else self.alias

    @property
    def bot_class(self) -> type[Bot]:
        return registry.bot_class(self.program)

    def info(self) -> BotInfo:
        """The bot as `hello` introduces it."""
        bot_class = self.bot_class
        return BotInfo(
            program=self.name,
            version=bot_class.VERSION if self.version is None else self.version,
            games=list(self.games),
            levels=len(bot_class.LEVELS) if self.invited else 0,
            slots=self.slots,
        )

    def title(self, budget: Budget | None = None) -> str:
        """The bot and how it plays: "mcts 500 nodes exploration=2.0".

        `budget`: another than the entry's.
        """
        budget = budget or self.budget
        words = [self.program, *(budget.words() if budget is not None else ())]
        usual = self.bot_class.defaults()
        words += [f"{k}={format_value(v)}" for k, v in self.settings.items() if v != usual.get(k)]
        return " ".join(words)


def make_entry(
    program: str,
    *,
    seed: int,
    only: tuple[str, ...] = (),
    budget: Budget | None = None,
    settings: Mapping[str, Value] | None = None,
    slots: int = 1,
    alias: str | None = None,
    version: str | None = None,
    invited: bool = True,
) -> Entry:
    """An entry whose parts are checked.  A setting must have an effect in one of its games.

    `only`: the games; empty: all that the bot plays and in which its settings are possible.

    Raises:
        UnknownBot, UnknownGame, BadSetting, BadTerms: with what is allowed.
    """
    bot_class = registry.bot_class(program)
    if (missing := bot_class.missing()) is not None:
        raise BadTerms(f"{program}: {missing}")
    _check_names(alias, version)
    played = tuple(name for name in games.names() if bot_class.plays(games.game(name)))
    for name in only:
        if not bot_class.plays(games.game(name)):
            able = ", ".join(bot for bot in registry.names() if _plays(bot, name))
            raise BadTerms(
                f"{program} does not play {name}; it plays {', '.join(played)};"
                f" {name} is played by {able}"
            )
    given = registry.read_settings(program, settings or {})
    values = {**bot_class.defaults(), **given}
    for name in only:
        bot_class.check(games.game(name), values)
    possible = only or _possible_games(bot_class, played, values)
    ineffective = [ineffective_settings(bot_class, name, values) for name in possible]
    for setting in given:
        reasons = [each.get(setting, "") for each in ineffective]
        if reasons and all(reasons):
            raise BadSetting(f"{program}: {reasons[0]}")
    return Entry(program, possible, seed, budget, values, slots, alias, version, invited)


def _plays(program: str, name: str) -> bool:
    """Return whether a bot that is installed here plays a game."""
    try:
        bot_class = registry.bot_class(program)
    except registry.UnknownBot:
        return False
    return bot_class.missing() is None and bot_class.plays(games.game(name))


def _check_names(alias: str | None, version: str | None) -> None:
    """Raises BadTerms for what cannot stand in `owner/program@version`."""
    for what, text in (("program", alias), ("version", version)):
        if text is not None and not _NAME.fullmatch(text):
            raise BadTerms(
                f"{text!r} is not a name for a {what}: use 1 to 24 letters, digits or . + - _"
            )


def _possible_games(
    bot_class: type[Bot], played: tuple[str, ...], settings: Mapping[str, Value]
) -> tuple[str, ...]:
    """The games of `played` in which these settings are possible; BadSetting if in none."""
    possible, refused = [], None
    for name in played:
        try:
            bot_class.check(games.game(name), settings)
        except BadSetting as error:
            refused = error
        else:
            possible.append(name)
    if refused is not None and not possible:
        raise refused
    return tuple(possible)


def ineffective_settings(
    bot_class: type[Bot], game: str, settings: Mapping[str, Value]
) -> dict[str, str]:
    """Settings that differ from their default and yet have no effect, and why."""
    defaults = bot_class.defaults()
    reasons = bot_class.ineffective(games.game(game), settings)
    return {name: why for name, why in reasons.items() if settings[name] != defaults[name]}


def level_budget(program: str, level: int) -> Budget | None:
    """The budget of a level from 1; None where the bot has no such level."""
    levels = registry.bot_class(program).LEVELS
    return Budget(nodes=levels[level - 1]) if 1 <= level <= len(levels) else None


def usual_budget(program: str, settings: Mapping[str, Value], level: int = DEFAULT_LEVEL) -> Budget:
    """What a choice may cost by default: no limit where the settings, all of them, end it,
    else that of this level, or the bot's own.
    """
    bot_class = registry.bot_class(program)
    if bot_class.ends_itself(settings):
        return NO_LIMIT
    return level_budget(program, level) or bot_class.DEFAULT_BUDGET


def no_level(program: str, level: int) -> str:
    """The sentence that a bot has no such level, and which it has."""
    levels = len(registry.bot_class(program).LEVELS)
    if not levels:
        return f"{program} has no levels; leave the level out"
    return f"{program} has levels 1 to {levels}, not {level}"
