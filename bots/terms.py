"""What a bot plays a match by: what its owner set up, what an invitation asks for, the clock.

Plain values and functions: nothing here thinks, waits or sends.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import Final

from bots import registry
from bots.bot import DEFAULT_LEVEL, BadBudget, BadSetting, Bot, Budget, Setting, Value, spelt
from games import registry as games
from protocol.messages import BotInfo, Clocks, Strength

# What ladders can tell apart in `owner/program@version`; servers take no more than 24 characters.
_NAME: Final = re.compile(r"[\w.+-]{1,24}")
GUEST_MS: Final = 60_000  # the most that a stranger may ask for one action: slots are few


class BadTerms(ValueError):
    """An invitation that this bot cannot accept; the sentence says what it can do."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A bot as its owner brings it to a house.

    budget    of each choice; None: what the clock suggests, or where there is none, level 4
    slots     matches at once, or pairs of matches on a ladder; each thinks on a thread of its own
    alias     the program's name at the house, where it is not the bot's
    version   the version there; None: the bot's
    invited   whether it takes invitations; else it plays on ladders alone
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

    @property
    def name(self) -> str:
        """What it is called at the house."""
        return self.program if self.alias is None else self.alias

    @property
    def kind(self) -> type[Bot]:
        """The class of this bot."""
        return registry.kind(self.program)

    def info(self) -> BotInfo:
        """What `hello` says of it."""
        kind = self.kind
        return BotInfo(
            program=self.name,
            version=kind.VERSION if self.version is None else self.version,
            games=list(self.games),
            levels=len(kind.LEVELS) if self.invited else 0,
            slots=self.slots,
        )


@dataclass(frozen=True, slots=True)
class Terms:
    """How one bot plays the matches at one table.

    most_ms   the time of a choice whose budget names none; None: no limit
    alias     as in Entry
    """

    program: str
    seed: int
    budget: Budget | None
    settings: dict[str, Value]
    most_ms: int | None = None
    alias: str | None = None

    @property
    def name(self) -> str:
        """What it is called at the house."""
        return self.program if self.alias is None else self.alias

    @property
    def ponders(self) -> bool:
        """Whether it shall think on the opponent's time."""
        return bool(self.settings.get("ponder"))

    def bot(self, match: str) -> Bot:
        """A fresh bot for `match`, its seed derived from both."""
        return registry.bot(self.program, seed=match_seed(self.seed, match), **self.settings)

    def budget_at(self, clocks: Clocks | None) -> Budget:
        """What the next choice may cost: never more than the clock suggests."""
        suggested = clocks.suggested_ms if clocks is not None else None
        budget = self.budget
        if budget is None and suggested is not None:
            return Budget(ms=suggested)
        if budget is None:
            budget = level_budget(self.program, DEFAULT_LEVEL) or Budget(nodes=1)
        if budget.ms is None:
            budget = budget.within(self.most_ms)
        return budget.within(suggested)


def entry(
    program: str,
    *,
    seed: int,
    only: tuple[str, ...] = (),
    budget: Budget | None = None,
    settings: dict[str, Value] | None = None,
    slots: int = 1,
    alias: str | None = None,
    version: str | None = None,
    invited: bool = True,
) -> Entry:
    """An entry whose parts are checked; `only` restricts the games (empty: all that it plays and
    in which its settings are possible).  A setting must do something in one of them.

    Raises:
        UnknownBot, UnknownGame, BadSetting, BadTerms: with what is allowed.
    """
    kind = registry.kind(program)
    settings = settings or {}
    _check_names(alias, version)
    played = tuple(name for name in games.names() if kind.plays(games.game(name)))
    for name in only:
        if not kind.plays(games.game(name)):
            raise BadTerms(f"{program} does not play {name}; it plays {', '.join(played)}")
    given = registry.checked(program, settings)
    for name in only:
        kind.check(games.game(name), given)
    able = only or _able(kind, played, given)
    idle = [_idle(program, name, given) for name in able]
    for setting in settings:
        whys = [reasons.get(setting, "") for reasons in idle]
        if whys and all(whys):
            raise BadSetting(f"{program}: {whys[0]}")
    return Entry(program, able, seed, budget, given, slots, alias, version, invited)


def _check_names(alias: str | None, version: str | None) -> None:
    """Raises BadTerms for what cannot stand in `owner/program@version`."""
    for what, text in (("program", alias), ("version", version)):
        if text is not None and not _NAME.fullmatch(text):
            raise BadTerms(
                f"{text!r} is no name of a {what}: 1 to 24 letters, digits, and any of . + - _"
            )


def _able(kind: type[Bot], played: tuple[str, ...], settings: dict[str, Value]) -> tuple[str, ...]:
    """The games of `played` in which these settings are possible; BadSetting if in none."""
    able, no = [], None
    for name in played:
        try:
            kind.check(games.game(name), settings)
        except BadSetting as error:
            no = error
        else:
            able.append(name)
    if no is not None and not able:
        raise no
    return tuple(able)


def _idle(program: str, game: str, settings: dict[str, Value]) -> dict[str, str]:
    """Settings that differ from their default and yet do nothing, and why."""
    kind = registry.kind(program)
    default = {setting.name: setting.default for setting in kind.SETTINGS}
    idle = kind.idle(games.game(game), settings)
    return {name: why for name, why in idle.items() if settings[name] != default[name]}


def agree(entry: Entry, game: str, strength: Strength) -> Terms:
    """What `entry` plays by when it is invited to `game` with this `strength`.

    What the invitation itself sets must do something in the game; what the owner has set, for all
    games alike, need not.  A setting can make a node cost more, so with settings of a guest's no
    choice takes longer than GUEST_MS, unless the owner or the clock allows it.

    Raises:
        BadTerms, BadSetting: with what is possible.
    """
    if game not in entry.games:
        plays = ", ".join(entry.games)
        raise BadTerms(f"{entry.program} does not play {game} here; it plays {plays}")
    settings = registry.checked(entry.program, {**entry.settings, **strength.set})
    for setting in entry.kind.SETTINGS:
        if setting.costly:
            _afford(entry, setting, settings[setting.name])
    entry.kind.check(games.game(game), settings)
    for name, why in _idle(entry.program, game, settings).items():
        if name in strength.set:
            raise BadSetting(f"{entry.program}: {why}")
    budget = _asked(entry, strength) or entry.budget
    most_ms = GUEST_MS if strength.set else None
    return Terms(entry.program, entry.seed, budget, settings, most_ms, entry.alias)


def _afford(entry: Entry, setting: Setting, asked: Value) -> None:
    """Raises BadSetting where a guest asks for more of what is costly than its owner gave it."""
    given = entry.settings.get(setting.name, setting.default)
    if not isinstance(asked, str) and not isinstance(given, str) and asked > given:
        wish = f"{setting.name}={spelt(asked)}"
        raise BadSetting(
            f"{entry.program}: {wish} is more than this bot's owner allows: at most {spelt(given)}"
        )


def _asked(entry: Entry, strength: Strength) -> Budget | None:
    """The budget that an invitation asks for, None if it leaves that to the bot."""
    if strength.level is None:
        if strength.nodes is None and strength.ms is None:
            return None
        return Budget(strength.nodes, strength.ms).within(GUEST_MS)
    if strength.nodes is not None:
        raise BadTerms("a strength is a level or a number of nodes, not both")
    budget = level_budget(entry.program, strength.level)
    if budget is None:
        raise BadTerms(no_level(entry.program, strength.level))
    return budget.within(GUEST_MS).within(strength.ms)


def level_budget(program: str, level: int) -> Budget | None:
    """The budget of a level from 1; None where the bot has no such level."""
    levels = registry.kind(program).LEVELS
    return Budget(nodes=levels[level - 1]) if 1 <= level <= len(levels) else None


def no_level(program: str, level: int) -> str:
    """That a bot has no such level, and which it has."""
    levels = len(registry.kind(program).LEVELS)
    if not levels:
        return f"{program} has no levels: say nothing of one"
    return f"{program} has levels 1 to {levels}, not {level}"


def match_seed(seed: int, match: str) -> int:
    """The seed of the bot that plays `match`: the same whenever it plays it again, 32 bits."""
    return int.from_bytes(hashlib.sha256(f"{seed} {match}".encode()).digest()[:4], "big")


def parse_settings(pairs: list[str]) -> dict[str, Value]:
    """Settings from a command line, such as ["exploration=1.4"].

    Raises:
        BadTerms: for what is not key=value.
    """
    found: dict[str, Value] = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not (name and sign):
            raise BadTerms(f"{pair!r} is no setting; one looks like exploration=1.4")
        found[name.strip()] = value.strip()
    return found


def parse_budget(
    program: str,
    *,
    nodes: int | None = None,
    ms: int | None = None,
    level: int | None = None,
    alone: bool = False,
) -> Budget | None:
    """The budget that a command line asks for, None where it says nothing.

    A bot without levels lets a level be that is also meant for others, not `alone` for it.

    Raises:
        BadBudget, BadTerms: with what is allowed.
    """
    if level is None:
        return None if nodes is None and ms is None else Budget(nodes, ms)
    if nodes is not None:
        raise BadBudget("give a level or nodes, not both")
    levels = registry.kind(program).LEVELS
    budget = level_budget(program, level)
    if not levels and not alone:
        return None if ms is None else Budget(ms=ms)
    if budget is None:
        raise BadTerms(no_level(program, level))
    return budget.within(ms)
