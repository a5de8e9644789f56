"""Rooms that another server has handed over and that this one has not read yet.

Whoever asks for one of them waits for that moment, and is not sent away.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from server.rooms.directory import is_moving
from server.rooms.wall_clock import WallClock

ARRIVAL_S: Final = 2.0  # after which whoever waits for a room is told to ask again
MOST_WAITING: Final = 64  # requests for one room


class RoomArrival:
    """One room on its way.  `used`: see Restarted; `waiting`: what is to be done once it is here.

    `late` is called when it has taken too long.
    """

    def __init__(self, used: int, clock: WallClock, late: Callable[[], None]) -> None:
        self.used = used
        self.waiting: list[Callable[[], None]] = []
        self.timer = clock.call_later(ARRIVAL_S, late)


class Arrivals:
    """All rooms that are on their way to this server."""

    def __init__(self, clock: WallClock) -> None:
        self._clock = clock
        self._rooms: dict[int, RoomArrival] = {}

    def __contains__(self, number: object) -> bool:
        return number in self._rooms

    def expect(self, number: int, used: int) -> None:
        """Note a room that another server has handed over."""
        self.end(number)
        self._rooms[number] = RoomArrival(used, self._clock, lambda: self.end(number))

    def used(self, number: int) -> int:
        """Return what whoever is to move in a room had used before, in ms."""
        arrival = self._rooms.get(number)
        return arrival.used if arrival is not None else 0

    def wait_for(self, number: int, then: Callable[[], None]) -> None:
        """Have something done once a room is here that is on its way.

        Raises:
            Refusal: room/moving, if too much waits for it already.
        """
        arrival = self._rooms[number]
        if len(arrival.waiting) >= MOST_WAITING:
            raise is_moving(number)
        arrival.waiting.append(then)

    def end(self, number: int) -> None:
        """Wait for a room no longer: it is here, or takes too long."""
        arrival = self._rooms.pop(number, None)
        if arrival is None:
            return
        arrival.timer.cancel()
        for then in arrival.waiting:
            then()

    def close(self) -> None:
        for arrival in self._rooms.values():
            arrival.timer.cancel()
