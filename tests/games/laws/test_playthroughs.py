"""Golden playthroughs, one file a game, compared whole: a change of rules or notation shows here.

The actions are random but fixed; the dice are dealt.  A change that is meant is written down with
    python tests/games/laws/test_playthroughs.py [GAME ...]
and read before it is committed.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from games import registry
from games.dice import Deal
from games.game import CHANCE, END, Game, Position
from games.rng import below, seeded

FOLDER = Path(__file__).parents[2] / "vectors" / "playthroughs"
MATCHES = 3
SHOWN = 30  # of so many actions all are listed; of more, the ends and a digest


def playthroughs(game: Game) -> str:
    """Some matches from start to end: every position, whose turn it is, and what was legal."""
    head = f"{game.name}, rules version {game.rules_version}, {MATCHES} playthroughs"
    return "\n\n".join([head, *("\n".join(_match(game, m)) for m in range(MATCHES))]) + "\n"


def _match(game: Game, number: int) -> Iterator[str]:
    deal = Deal(f"match-{number}", bytes(range(32)), ("00ff", ""))
    choices = seeded(number)
    position, ply = game.initial(), 0
    while position.to_move != END:
        if position.to_move == CHANCE:
            action = deal.roll(ply, position.chance())
        else:
            legal = position.legal_actions()
            action = legal[below(choices, len(legal))]
        yield f"[{number}.{ply}] {game.format_position(position)}"
        yield f"to move {position.to_move} of {_listed(position)}"
        yield f"action {game.format_action(position, action)}"
        position, ply = position.apply(action), ply + 1
    outcome = position.outcome()
    assert outcome is not None
    yield f"[{number}.{ply}] {game.format_position(position)}"
    yield f"over {outcome.returns[0]:+g} {outcome.returns[1]:+g} {outcome.reason}"


def _listed(position: Position) -> str:
    names = position.legal_notation()
    if len(names) <= SHOWN:
        return f"{len(names)}: {' '.join(names)}"
    digest = hashlib.sha256(" ".join(names).encode()).hexdigest()[:16]
    return f"{len(names)}: {' '.join(names[:3])} ... {' '.join(names[-3:])} (sha256 {digest})"


@pytest.mark.parametrize("name", registry.names())
def test_a_playthrough_is_the_golden_one(name: str) -> None:
    assert playthroughs(registry.game(name)) == (FOLDER / f"{name}.txt").read_text("utf-8")


def test_each_golden_file_belongs_to_a_game() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(registry.names())


def _write(names: list[str]) -> None:
    for name in names or registry.names():
        (FOLDER / f"{name}.txt").write_text(playthroughs(registry.game(name)), "utf-8")


if __name__ == "__main__":
    os.environ["PLYHOUSE_GAMES"] = str(FOLDER.parents[1] / "extra_games")
    _write(sys.argv[1:])
