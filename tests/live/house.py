"""A real server as a process, and what strangers at it do and compare in several tests."""

from __future__ import annotations

import itertools
import re
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.live.stranger import Message, Stranger

ROOT = Path(__file__).resolve().parents[2]
SPEC = (ROOT / "protocol" / "SPEC.md").read_text(encoding="utf-8")
LISTENING = "plyhouse: listening on http://"
GAMES = ["connect_four", "tic_tac_toe"]
CELLS = [str(cell) for cell in range(1, 10)]
COUNT = itertools.count(1)

Come = Callable[..., Awaitable[Stranger]]


class House:
    """A server process that we started, and where it listens."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith(LISTENING), line
        self.process = process
        self.address = line.removeprefix(LISTENING).strip()
        self.url = f"ws://{self.address}/ws"

    def stop(self) -> None:
        """Ask the server to end, and see it do so in good order."""
        self.process.send_signal(signal.SIGTERM)
        try:
            assert self.process.wait(10) == 0
        finally:
            self.process.kill()


@contextmanager
def open_house(data: Path) -> Iterator[House]:
    """Run a server on `data`; whatever it regrets would stand in the log as a traceback."""
    log = data.with_suffix(".log")
    command = [sys.executable, "-m", "plyhouse", "serve", "--port", "0", "--data", str(data)]
    with (
        log.open("w", encoding="utf-8") as regrets,
        subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=regrets, text=True
        ) as process,
    ):
        try:
            house = House(process)
            yield house
            house.stop()
        finally:
            process.kill()
    assert "Traceback" not in log.read_text(encoding="utf-8")


@contextmanager
def running(program: Path) -> Iterator[None]:
    """Run a Python program beside us."""
    with subprocess.Popen([sys.executable, str(program)], stdout=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.terminate()


# Positions, as SPEC.md writes them.


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


async def seen(stranger: Stranger, match: str, **fields: Any) -> Message:
    """Wait until the newest message of a match has these fields, and return it."""

    def fits() -> Message | None:
        said = stranger.matches.get(match, {})
        return said if all(said.get(name) == value for name, value in fields.items()) else None

    said = await stranger.until(fits)
    assert said is not None
    return said


async def ended(stranger: Stranger, match: str) -> Message:
    """Wait for the last message of a match."""
    return (
        await stranger.until(lambda: "result" in stranger.matches.get(match, {}))
        and (stranger.matches[match])
    )


async def moves(match: str, players: list[Stranger], actions: list[str], since: int = 0) -> None:
    """Let both players in turn make these actions of a match, from ply `since` on."""
    for ply in range(since, len(actions)):
        await seen(players[ply % 2], match, ply=ply, to_move=ply % 2)
        await players[ply % 2].play(match, actions[ply])
    for player in players:
        await seen(player, match, ply=len(actions))


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
