"""Listens to an alpha-beta search (bots/engine/kernels/negamax.py) while it looks ahead.

The search is the very one that plays, as plain Python: the recorder takes the place of some of its
functions, calls them, and notes what they did, one row for each step.  Positions and actions are
numbers in `Places`; values are the search's own ints, a win WIN less its plies.

    ["look", depth, low, high, order]   a search of the root begins; `order`: of its actions
    ["enter", action, place, left, a, b, again]   down to the position after `action`, with the
                                        window (a, b) of its mover; `again`: a second time, as
                                        the first window was too narrow
    ["leaf", action, place, value, over]   the end of the game, or judged at the horizon; the
                                        value for who moves in front of it, seat 0 for dice
    ["table", value]                    the table knows the position well enough
    ["leave", value, cut]               back up with the mover's value; `cut`: it passed b
    ["found", action, value]            the root's best action, and its value
    ["spent"]                           the budget ended the search of this depth
"""

from __future__ import annotations

import json
from collections.abc import Callable
from types import ModuleType
from typing import Any

from bots.engine.kernels.negamax import ACTION as CHOSEN
from bots.engine.kernels.negamax import BEST, COUNT, FRAMES, HIGHEST, OVER, UNKNOWN
from games.game import CHANCE, Ints
from lab.tracing.places import Places


class _Frame:
    """A position on the way down: its place, whose view its values have, and what is played now."""

    __slots__ = ("action", "cut", "entered", "place", "view")

    def __init__(self, place: int, view: int) -> None:
        self.place = place
        self.view = view
        self.action = 0
        self.entered = False
        self.cut = False


class WindowRecorder:
    """Rows of steps, until they take `most` bytes; then it sets `stop`."""

    def __init__(self, places: Places, stop: Ints, most: int) -> None:
        self.places = places
        self.rows: list[list[Any]] = []
        self._stop = stop
        self._most = most
        self._size = 0
        self._frames: list[_Frame] = []

    def attach(self, kernels: ModuleType) -> None:
        """Take the place of the functions that are listened to."""
        for name in ("look", "search", "recall", "play", "result", "judged", "remember"):
            listener = getattr(self, f"_{name}")(getattr(kernels, name))
            setattr(kernels, name, listener)

    def _look(self, look: Callable[..., int]) -> Callable[..., int]:
        def listener(
            s: Ints, depth: int, low: int, high: int, pruning: int, work: Ints, *rest: Any
        ) -> int:
            root = self.places.with_actions(s)
            first = FRAMES + self.places.game.state_size
            order = [self.places.index(root, work[first + i]) for i in range(work[COUNT])]
            self._add(["look", depth, low, high, order])
            value = look(s, depth, low, high, pruning, work, *rest)
            if work[BEST] >= 0:
                self._add(["found", self.places.index(root, work[CHOSEN]), work[HIGHEST]])
            if work[OVER]:
                self._add(["spent"])
            return value

        return listener

    def _search(self, search: Callable[..., int]) -> Callable[..., int]:
        def listener(
            s: Ints, depth: int, low: int, high: int, pruning: int, work: Ints, *rest: Any
        ) -> int:
            place = self.places.with_actions(s)
            mover = self.places.rows[place][1]
            if self._frames:
                above = self._frames[-1]
                self._add(["enter", above.action, place, depth, low, high, int(above.entered)])
                above.entered = True
            self._frames.append(_Frame(place, 0 if mover == CHANCE else mover))
            value = search(s, depth, low, high, pruning, work, *rest)
            frame = self._frames.pop()
            if self._frames and not work[OVER]:
                self._add(["leave", value, int(frame.cut)])
            return value

        return listener

    def _recall(self, recall: Callable[..., int]) -> Callable[..., int]:
        def listener(*all_of_it: Any) -> int:
            value = recall(*all_of_it)
            if value != UNKNOWN:
                self._add(["table", value])
            return value

        return listener

    def _play(self, play: Callable[..., None]) -> Callable[..., None]:
        def listener(s: Ints, action: int) -> None:
            frame = self._frames[-1]
            frame.action = self.places.index(frame.place, action)
            frame.entered = False
            play(s, action)

        return listener

    def _result(self, result: Callable[..., int]) -> Callable[..., int]:
        def listener(s: Ints, seat: int, ply: int) -> int:
            value = result(s, seat, ply)
            self._add(["leaf", self._frames[-1].action, self.places.number(s), value, 1])
            return value

        return listener

    def _judged(self, judged: Callable[..., int]) -> Callable[..., int]:
        def listener(s: Ints) -> int:
            value = judged(s)
            frame, place = self._frames[-1], self.places.number(s)
            sign = 1 if self.places.rows[place][1] == frame.view else -1
            self._add(["leaf", frame.action, place, sign * value, 0])
            return value

        return listener

    def _remember(self, remember: Callable[..., None]) -> Callable[..., None]:
        def listener(work: Ints, action: int, seat: int, ply: int, depth: int) -> None:
            self._frames[-1].cut = True
            remember(work, action, seat, ply, depth)

        return listener

    def _add(self, row: list[Any]) -> None:
        self.rows.append(row)
        self._size += len(json.dumps(row))
        if self._size + self.places.size > self._most:
            self._stop[0] = 1
