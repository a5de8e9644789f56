"""A process of bots, for `plyhouse bench search` to start: says what it did in one line of JSON.

python -m bench.house_bots first GAME     one search, and the end
python -m bench.house_bots all            every bot of the roster in every game that it plays
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from games import registry as games
from games.game import CHANCE, Position

NODES = 1_000  # of each search


class Said(msgspec.Struct):
    """Bots that played, games among them counted; memory in kB (1,024 bytes), None off Linux."""

    searches: int
    kb: int | None


def main(words: list[str]) -> None:
    """Do as the words say."""
    from bots import registry

    if words[:1] == ["first"]:
        kinds, played = ["mcts"], [words[1]]
    else:
        kinds, played = list(registry.names()), list(games.names())
    alive = [
        search(name, position(game.initial()))
        for name in kinds
        for game in map(games.game, played)
        if registry.kind(name).plays(game)
    ]
    print(msgspec.json.encode(Said(len(alive), resident())).decode(), flush=True)


def search(name: str, start: Position) -> object:
    """The bot called `name` after one search; it keeps what it needs."""
    from bots import registry
    from bots.bot import Budget

    registry.kind(name).prepare(start.game)
    bot = registry.bot(name, seed=1)
    bot.choose(start, Budget(nodes=NODES))
    return bot


def position(start: Position) -> Position:
    """The first one in which a seat is to move."""
    while start.to_move == CHANCE:
        start = start.apply(start.legal_actions()[0])
    return start


def resident() -> int | None:
    """kB of memory that this process holds now."""
    try:
        lines = Path("/proc/self/status").read_text("ascii").splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith("VmRSS:")), None)


if __name__ == "__main__":
    main(sys.argv[1:])
