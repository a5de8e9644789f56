"""The way of one move: by how much a reader of it leafs through the files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import FrameType
from typing import Any

from protocol import codec
from protocol.messages import Play
from tests.server.scene import BLITZ, Scene

ROOT = Path(__file__).parents[3]
PRODUCT = tuple(f"{ROOT / room}/" for room in ("games", "protocol", "server"))


class Way:
    """The files of the product that are entered and come back to, in order."""

    def __init__(self) -> None:
        self.files: list[str] = []

    def profile(self, frame: FrameType, event: str, _: Any) -> None:
        """Note which file goes on at a call or a return, as sys.setprofile has it."""
        goes_on = frame.f_back if event == "return" else frame
        file = goes_on.f_code.co_filename if goes_on is not None else ""
        if file.startswith(PRODUCT) and self.files[-1:] != [file]:
            self.files.append(file)


def way_of_a_play(scene: Scene, note: str | None) -> list[str]:
    """The files that run from a play's bytes to those of its match messages, in order.

    It is the third of a match of tic-tac-toe with a clock.
    """
    at, way = scene.match(options=BLITZ, address="192.0.2.1"), Way()
    actor = scene.rooms.actors[at.room]
    for player, action in ((at.ann, "1"), (at.bob, "2"), (at.ann, "3")):
        match = actor.room.match
        assert match is not None
        play = Play(match=at.name, turn=match.turn, action=action, note=note)
        data, now, way.files = codec.encode(play), scene.now(), []
        before = sys.getprofile()
        sys.setprofile(way.profile)
        try:
            scene.hub.receive(player.peer, data, False, now)
            scene.store.settle()
        finally:
            sys.setprofile(before)
        assert actor.room.match is not match
    return [file.removeprefix(f"{ROOT}/") for file in way.files]


def test_a_move_goes_through_few_files_and_changes_between_them_seldom() -> None:
    # In a process of its own, without the tests' own games, which cannot be profiled.
    env = {name: value for name, value in os.environ.items() if name != "PLYHOUSE_GAMES"}
    command = [sys.executable, "-m", "tests.server.rooms.test_one_move"]
    done = subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True, timeout=60)
    ways = done.stdout.decode().splitlines()
    plain, noted = (way.split() for way in ways)
    for way in (plain, noted):
        assert (len(set(way)) <= 12, len(way) <= 60) == (True, True), way


if __name__ == "__main__":
    for said in (None, "a fork"):
        print(*way_of_a_play(Scene(), said)[1:])
