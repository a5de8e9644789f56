"""A process of bots: says what it did in one line of JSON.

python -m tests.bots.roster.house_bots first GAME     one search, and the end
python -m tests.bots.roster.house_bots all            every bot of the roster in all of its games
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from games import registry as games
from games.game import Game

NODES = 1_000  # of each search


class BotsReport(msgspec.Struct):
    """Bots that played, games among them counted; memory in kB (1,024 bytes), None off Linux."""

    searches: int
    kb: int | None


def main(words: list[str]) -> None:
    """Do what the words say."""
    from bots import registry

    if words[:1] == ["first"]:
        kinds, played = ["mcts"], [words[1]]
    else:
        kinds, played = list(registry.own_names()), list(games.names())
    alive = [
        search(name, game)
        for name in kinds
        for game in map(games.game, played)
        if registry.bot_class(name).plays(game)
    ]
    print(msgspec.json.encode(BotsReport(len(alive), resident())).decode(), flush=True)


def search(name: str, game: Game) -> object:
    """The bot called `name` after one search; it keeps what it needs."""
    from bots import registry
    from bots.bot import Budget
    from bots.engine.compiled_bot import first_decision

    registry.bot_class(name).prepare(game)
    bot = registry.bot(name, seed=1)
    bot.choose(first_decision(game), Budget(nodes=NODES))
    return bot


def resident() -> int | None:
    """kB of memory that this process holds now."""
    try:
        lines = Path("/proc/self/status").read_text("ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith("VmRSS:")), None)


if __name__ == "__main__":
    main(sys.argv[1:])
