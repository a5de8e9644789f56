"""Writes positions.jsonl beside this file anew: how every game writes positions and actions.

    python tests/vectors/record_positions.py

One JSON object a line, each with `game`.  Of five kinds:

    position, to_move, legal, count    a position, who is to move (a seat, -1 dice, -2 nobody), the
                                       first legal actions in order, and how many there are; also
                                       `weights` of rolls, `reason` and `returns` at the end, and
                                       for some `draw`, what a terminal shows to seat 0
    position, text, action             another way to write one of the legal actions
    position, text, error              what is none, by the code that a server answers with
    refused                            a text that is no position
    position_id, seat, position        GNU Backgammon's Position ID with this seat on roll

What is asked is taken from the file itself: to add a vector, write there the line's game and
position (with `"draw": ""` to have it drawn), position and text, refused, or position_id and seat,
and run this for the rest.  Most positions are those of matches at random.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
FILE = HERE / "positions.jsonl"
if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parents[1]))

from games import registry  # noqa: E402 - run as a script, the packages must be found first
from games.backgammon.positions import parse_position_id  # noqa: E402
from games.game import CHANCE, IllegalAction, NotationError, Position  # noqa: E402

GAMES = ("tic_tac_toe", "ultimate_tic_tac_toe", "connect_four", "backgammon", "backgammon_cube")
MAX_LEGAL = 32
BAD, ILLEGAL = "match/bad-notation", "match/illegal-action"


def lines() -> Iterator[str]:
    """The vectors, a line each."""
    for line in FILE.read_text("utf-8").splitlines():
        vector = json.loads(line)
        game = registry.game(vector["game"])
        if "text" in vector:
            given = {key: vector[key] for key in ("game", "position", "text")}
            vector = given | read(**given)
        elif "position_id" in vector:
            state = parse_position_id(vector["position_id"], vector["seat"])
            vector["position"] = game.format_state(state)
        elif "position" in vector:
            p = game.parse_position(vector["position"])
            vector = {"game": game.name} | _position(p, drawn="draw" in vector)
        yield json.dumps(vector, ensure_ascii=False) + "\n"


def _position(p: Position, *, drawn: bool) -> dict[str, object]:
    legal = p.legal_notation()
    vector: dict[str, object] = {
        "position": p.game.format_position(p),
        "to_move": p.to_move,
        "legal": legal[:MAX_LEGAL],
        "count": len(legal),
    }
    if p.to_move == CHANCE:
        vector["weights"] = [weight for _, weight in p.chance()[:MAX_LEGAL]]
    if outcome := p.outcome():
        vector |= {"reason": outcome.reason, "returns": outcome.returns}
    if drawn:
        vector["draw"] = p.game.draw(p)
    return vector


def read(game: str, position: str, text: str) -> dict[str, str]:
    """What `text` is in this position: `action` or `error`, as in the file."""
    p = registry.game(game).parse_position(position)
    try:
        action = p.game.parse_action(p, text)
        p.apply(action)
    except NotationError:
        return {"error": BAD}
    except IllegalAction:
        return {"error": ILLEGAL}
    return {"action": p.game.format_action(p, action)}


if __name__ == "__main__":
    text = "".join(lines())
    FILE.write_text(text, encoding="utf-8")
    print(f"{FILE.name}: {sum(1 for _ in lines())} vectors")
