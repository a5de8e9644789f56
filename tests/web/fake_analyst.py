"""A bot that analyses matches as a test wants it; it plays nothing."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from games import registry
from games.game import CHANCE

NAMES = (f"analyst {number}" for number in itertools.count(1))  # a name stays with its session
LOSSES = {0: 0.123, 1: 0.05}  # of the first plays of the match; those that follow are the best
LUCK = 0.25  # of each roll


@contextmanager
def listening(port: int, *games: str, token: str | None = None) -> Iterator[list[dict[str, Any]]]:
    """An analyst at the server on this port; what it was asked, in order.

    `token`: of the house, which alone may go through private matches; None: it is a stranger's.
    """
    asked: list[dict[str, Any]] = []
    bot = {"program": "oracle", "games": list(games), "analyses": list(games)}
    with connect(f"ws://127.0.0.1:{port}/ws") as socket:
        login = {"token": token} if token else {"name": next(NAMES)}
        socket.send(json.dumps({"type": "hello", "version": 1, "bot": bot, **login}))
        assert json.loads(socket.recv())["type"] == "welcome"
        thread = threading.Thread(target=_answer, args=(socket, asked))
        thread.start()
        try:
            yield asked
        finally:
            socket.close()
            thread.join()


def _answer(socket: ClientConnection, asked: list[dict[str, Any]]) -> None:
    try:
        for text in socket:
            message = json.loads(text)
            if message["type"] == "analysis_wanted":
                asked.append(message)
                analysis = analysis_of(message["game"], message["actions"])
                report = {"type": "report_analysis", "ask": message["ask"], "analysis": analysis}
                socket.send(json.dumps(report))
    except ConnectionClosed:
        pass  # the test is over


def analysis_of(name: str, actions: Sequence[str]) -> dict[str, Any]:
    """An analysis of a match: the first two plays are `LOSSES`, each roll was `LUCK`."""
    game = registry.game(name)
    position = game.initial()
    plays: list[dict[str, Any]] = []
    rolls: list[dict[str, Any]] = []
    for ply, action in enumerate(actions):
        after = position.apply(game.parse_action(position, action))
        if position.to_move == CHANCE:
            rolls.append({"ply": ply, "seat": after.to_move, "roll": action, "luck": LUCK})
        elif len(position.legal_actions()) > 1:
            loss = LOSSES.get(len(plays), 0.0)
            plays.append(_play(ply, position.to_move, action, loss, position.legal_notation()))
        position = after
    totals = [_total([each for each in plays if each["seat"] == seat], rolls) for seat in (0, 1)]
    return {
        "game": name, "by": "oracle, 1 ply", "unit": "points", "blunder": 0.08,
        "plays": plays, "rolls": rolls, "totals": totals,
    }  # fmt: skip


def _play(ply: int, seat: int, action: str, loss: float, legal: Sequence[str]) -> dict[str, Any]:
    """What stands in the list of a play; where it lost, another legal action was the best."""
    own = {"action": action, "value": 0.5 - loss, "note": "win 52.0 %"}
    other = {"action": next(each for each in legal if each != action), "value": 0.5}
    best = [other, own] if loss else [own]
    kind = {"doubtful": 0.04 < loss <= 0.08, "blunder": loss > 0.08}
    return {"ply": ply, "seat": seat, "action": action, "loss": loss, "best": best, **kind}


def _total(plays: Sequence[dict[str, Any]], rolls: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {
        "plays": len(plays),
        "forced": 1,
        "loss": sum(play["loss"] for play in plays),
        "doubtful": sum(play["doubtful"] for play in plays),
        "blunders": sum(play["blunder"] for play in plays),
        "luck": LUCK * len(rolls),
    }
