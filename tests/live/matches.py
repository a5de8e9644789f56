"""What strangers at a server do and compare in several tests."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.live.stranger import Message, Stranger

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"
GAMES = ["connect_four", "tic_tac_toe"]
CELLS = [str(cell) for cell in range(1, 10)]
COUNT = itertools.count(1)

Come = Callable[[str], Awaitable[Stranger]]


@contextmanager
def running(program: Path) -> Iterator[None]:
    """Run a Python program beside us, in its own folder, and kill it at the end."""
    command = [sys.executable, program.name]
    with subprocess.Popen(command, cwd=program.parent, stdout=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.kill()


# Positions, as the reference writes them.


def written(rows: list[list[str]], ply: int) -> str:
    """A board from the top row down, with a digit for so many empty cells, and the side to move."""
    lines = [re.sub(r"\.+", lambda gap: str(len(gap[0])), "".join(row)) for row in rows]
    return "/".join(lines) + " " + "xo"[ply % 2]


def tic_tac_toe(actions: list[str]) -> tuple[str, list[str]]:
    """The position after these actions, and the cells that are free in it."""
    cells = ["."] * 9
    for ply, action in enumerate(actions):
        cells[int(action) - 1] = "xo"[ply % 2]
    rows = [cells[0:3], cells[3:6], cells[6:9]]
    return written(rows, len(actions)), [cell for cell in CELLS if cell not in actions]


def connect_four(actions: list[str]) -> tuple[str, list[str]]:
    """The position after these actions, and the columns that are not full in it."""
    rows = [["."] * 7 for _ in range(6)]
    for ply, action in enumerate(actions):
        row = max(row for row in range(6) if rows[row][int(action) - 1] == ".")
        rows[row][int(action) - 1] = "xo"[ply % 2]
    return written(rows, len(actions)), [c for c in CELLS[:7] if rows[0][int(c) - 1] == "."]


RULES = {"tic_tac_toe": tic_tac_toe, "connect_four": connect_four}


# What strangers do again and again.


async def sit(ann: Stranger, bob: Stranger, game: str = "tic_tac_toe", **options: Any) -> int:
    """Seat ann on seat 0 and bob on seat 1 of a new room."""
    room = int((await ann.ask("create", game=game, options=options))["room"])
    await bob.ask("join", room=room, code=ann.rooms[room].get("code"))
    return room


async def start(room: int, *players: Stranger) -> str:
    """Get everybody ready, and wait until each has seen the match begin."""
    for player in players:
        await player.ask("ready", room=room)
    for player in players:
        await player.until(lambda p: p.rooms[room]["state"] == "playing", player)
        await player.until(lambda p: p.rooms[room]["match"] in p.matches, player)
    return str(players[0].rooms[room]["match"])


async def moves(match: str, players: list[Stranger], actions: list[str]) -> None:
    """Let both players in turn make these actions of a match that has just begun."""
    for ply in range(len(actions) + 1):
        for player in players:
            await player.until(lambda p, ply: p.matches[match]["ply"] == ply, player, ply)
        if ply < len(actions):
            await players[ply % 2].play(match, actions[ply])


async def ended(stranger: Stranger, match: str) -> None:
    """Wait for the last message of a match."""
    await stranger.until(lambda: "result" in stranger.matches.get(match, {}))


async def read(stranger: Stranger, room: int, code: str | None = None) -> list[Message]:
    """Read all events of a room, page by page, and see that none is missing."""
    events: list[Message] = []
    since: int | None = 0
    while since is not None:
        page = await stranger.ask("history", room=room, since=since, code=code)
        assert page["room"] == room
        assert len(page["events"]) <= 200
        events += page["events"]
        since = page.get("next")
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert all(isinstance(event["at"], int) for event in events)
    return events


def of(kind: str, events: list[Message]) -> list[Message]:
    """Those events that are of this kind."""
    return [event for event in events if event["kind"] == kind]
