"""A whole match to points at a room of the core, as `history` would tell it, for records."""

from __future__ import annotations

import random

from protocol.messages import Resign
from protocol.parts import Event, Options
from protocol.records.record import MatchRecord
from server.core import events as log
from server.core.events import read_body
from tests.server.core.cast import ANN, BOB, ROOM
from tests.server.core.score import Table, answer, ready, started

DROPS = 0.2  # of doubles
DOUBLES = 0.03  # where one may
RESIGNS = 80  # plies after which who is to move gives the game up


def played(options: Options, seed: int, most: int = 99, secret: int = 1) -> Table:
    """Ann and bob at random, to the end of the series or for so many games."""
    rng = random.Random(seed)
    table = started("backgammon_cube", options, secret=secret)
    now = 0
    for game in range(1, most + 1):
        while table.room.playing() is not None:
            now += 1_000
            _act(table, rng, now)
        series = table.room.series
        if game == most or series is None or series.winner is not None:
            break
        table.at(now, ANN, ready())
        table.at(now, BOB, ready("00ff"))
    return table


def _act(table: Table, rng: random.Random, now: int) -> None:
    position, who = table.match.position, table.mover()
    if table.match.ply > RESIGNS:
        seat = 0 if who == ANN else 1
        prices = position.game.resignations(position, seat)
        points = rng.choice(prices)
        name = table.match.name
        table.at(now, who, Resign(match=name, points=points))
        if table.room.playing() is not None:
            table.at(now, BOB if who == ANN else ANN, answer("resign", True, name))
        return
    names = position.legal_notation()
    action = rng.choice(names)
    if "take" in names:
        action = rng.choice([name for name in names if name != "drop"])
        action = "drop" if rng.random() < DROPS else action
    elif "double" in names:
        action = "double" if rng.random() < DOUBLES else "roll"
    table.at(now, who, table.play(action))


def records(table: Table) -> list[MatchRecord]:
    """The record of each match of the room, in order."""
    games: dict[int, list[Event]] = {}
    for row in table.rows:
        if row.match is None or row.match > table.room.played:
            continue
        event = read_body(row.kind, row.body)
        public = log.public(row.seq, f"{ROOM}.{row.match}", event, sealed=False)
        games.setdefault(row.match, []).append(public)
    return [MatchRecord(f"{ROOM}.{n}", tuple(events)) for n, events in games.items()]
