"""What a bot plays a match by: how its owner set it up, what an invitation asks for, and the clock.

Plain values and functions: nothing here thinks, waits or sends.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

from bots import registry
from bots.bot import BadSetting, Bot, Budget, Value, format_value
from bots.online.entry import (
    BadTerms,
    Entry,
    ineffective_settings,
    level_budget,
    no_level,
    usual_budget,
)
from games import registry as games
from games.clock import DAY
from protocol.parts import ClockOptions, Clocks, Strength

GUEST_MS: Final = 60_000  # the longest that a stranger may ask for one action: slots are few
HOUSE: Final = "house"  # the owner of the bots that come with a server, and of the anchors
# The clocks by which they play with any who ask: who goes away with a longer one would hold a slot
# until it has run out.
MAX_BASE_MS: Final = 3_600_000
MAX_MOVE_MS: Final = 600_000
TOO_LONG: Final = (
    "the bots of the house play by clocks of up to an hour, ten minutes a move, or a day and more"
)


def is_too_long(clock: ClockOptions | None) -> bool:
    """Return whether a clock lets one side be away for longer than a bot of the house waits.

    By one of days a match rests meanwhile, so it takes no slot.
    """
    if clock is None:
        return False
    each = clock.each_ms or 0
    return (clock.base_ms or 0) > MAX_BASE_MS or MAX_MOVE_MS < each < DAY


@dataclass(frozen=True, slots=True)
class Terms:
    """How an entry plays the matches in one room.

    settings  all of them
    max_ms    the time of a choice whose budget names none; None: no limit
    """

    entry: Entry
    budget: Budget | None
    settings: dict[str, Value]
    max_ms: int | None = None

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def ponders(self) -> bool:
        return bool(self.settings.get("ponder"))

    def bot(self, match: str) -> Bot:
        """A fresh bot for `match`, its seed derived from both."""
        seed = match_seed(self.entry.seed, self.entry.whole_name(match))
        return self.entry.bot_class(seed=seed, **self.settings)

    def budget_at(self, clocks: Clocks | None) -> Budget:
        """What the next choice may cost: never more than the clock suggests."""
        suggested = clocks.suggested_ms if clocks is not None else None
        budget = self.budget
        if budget is None and suggested is not None:
            return Budget(ms=suggested)
        if budget is None:
            budget = usual_budget(self.entry.program, self.settings)
        if budget.ms is None:
            budget = budget.within(self.max_ms)
        return budget.within(suggested)


def agree(entry: Entry, game: str, strength: Strength) -> Terms:
    """What `entry` plays by when it is invited to `game` with this `strength`.

    What the invitation itself sets must have an effect in the game; what the owner has set, for all
    games alike, need not.  A setting can make a node cost more, so with a guest's settings no
    choice takes longer than GUEST_MS, unless the owner or the clock allows it.

    Raises:
        BadTerms, BadSetting: with what is possible.
    """
    program, bot_class = entry.program, entry.bot_class
    if game not in entry.games:
        raise BadTerms(f"{program} does not play {game} here; it plays {', '.join(entry.games)}")
    wishes = registry.read_settings(program, strength.set)
    _check_costs(entry, wishes)
    settings = {**entry.settings, **wishes}
    bot_class.check(games.game(game), settings)
    for name, why in ineffective_settings(bot_class, game, settings).items():
        if name in wishes:
            raise BadSetting(f"{program}: {why}")
    budget = _wanted_budget(entry, strength) or entry.budget
    return Terms(entry, budget, settings, GUEST_MS if strength.set else None)


def _check_costs(entry: Entry, wishes: dict[str, Value]) -> None:
    """Raises BadSetting where a guest asks for more of what is costly than the owner allows."""
    for setting in entry.bot_class.SETTINGS:
        if not setting.costly or setting.name not in wishes:
            continue
        wish, limit = wishes[setting.name], entry.settings[setting.name]
        if not isinstance(wish, str) and not isinstance(limit, str) and wish > limit:
            raise BadSetting(
                f"{entry.program}: {setting.name}={format_value(wish)} is more than this bot's"
                f" owner allows: at most {format_value(limit)}"
            )


def _wanted_budget(entry: Entry, strength: Strength) -> Budget | None:
    """The budget that an invitation asks for; None if it leaves that to the bot."""
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


def match_seed(seed: int, match: str) -> int:
    """The seed of the bot that plays `match`: the same whenever it plays it again, 32 bits."""
    return int.from_bytes(hashlib.sha256(f"{seed} {match}".encode()).digest()[:4], "big")
