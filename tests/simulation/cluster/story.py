"""What has to hold where there are several servers, beside what holds with one."""

from __future__ import annotations

from typing import Any

from tests.simulation.story import Story


class ClusterStory(Story):
    """All that was said.  `away_of`: of each room, when its owner was not there."""

    def __init__(self, disk: Any, trace: Any = None) -> None:
        super().__init__(disk, trace)
        self.away_of: dict[int, list[tuple[float, float]]] = {}

    def was_away(self, rooms: list[int], since: float, until: float) -> None:
        """Note when the owner of rooms was not there."""
        for room in rooms:
            self.away_of.setdefault(room, []).append((since, until))

    def fold(self, room: int) -> int:
        """See Story; no clock runs while the owner of this room is not there."""
        self.away = self.away_of.get(room, [])
        return super().fold(room)
