"""What the actor of a ladder needs from around it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Protocol

from server.core.lobby import LobbyState, Presence
from server.rooms.directory import RoomDirectory
from server.rooms.wall_clock import WallClock
from server.store.contract import Store


class LadderHost(Protocol):
    """What a ladder's actor uses: the server's rooms, and what all ladders share."""

    store: Store
    clock: WallClock
    lobby: LobbyState
    rooms: RoomDirectory
    stopped: bool
    paired: list[Callable[[], None]]

    def next_stamp(self) -> int:
        """Return a number that is larger than those before it."""

    def freed(self, wait_s: float = 0.0) -> None:
        """Have all ladders look for new pairs, `wait_s` seconds from now."""

    def shelve(self) -> None:
        """Let go of the oldest ladders that are over, if there are too many."""

    def free_slots(self, presence: Presence) -> int:
        """Return the slots of a bot for pairs, those that it plays included."""

    def running_pairs(self) -> Counter[tuple[int, str | None]]:
        """Return how many pairs each bot plays now, on all ladders."""
