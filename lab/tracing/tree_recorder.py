"""Listens to a tree search (bots/engine/kernels/uct.py) while it grows its tree.

The search is the very one that plays, as plain Python: the recorder takes the place of some of its
functions, calls them, and notes what they did.  It draws no random number and changes nothing.

A simulation becomes a row

    [path, expanded, leaf, kind, result, end, proofs]

    path      the child that was gone to at each level, by its index
    expanded  0, or the children that the node at the level before the leaf got: [names, weights]
    leaf      the number of the leaf's position, if it was not visited before; else -1
    kind      PLAYOUT, OVER, PROVEN or VOID: where the points come from
    result    the points of seat 0 that were added to each node of the path
    end       the number of the position in which the last playout ended; else -1
    proofs    [level, points of seat 0] of each node of the path that was proven by it
"""

from __future__ import annotations

import json
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final

from bots.engine.kernels.uct import COUNT, FIRST, MOVER, NODE, PROVEN, VISITS
from games.game import END, Ints
from lab.tracing.places import Places

PLAYOUT, OVER, PROVEN_LEAF = 0, 1, 2
NOWHERE: Final = -1


class TreeRecorder:
    """Rows of simulations, until they take `most` bytes; then it sets `stop`."""

    def __init__(self, places: Places, stop: Ints, most: int) -> None:
        self.places = places
        self.rows: list[list[Any]] = []
        self._stop = stop
        self._most = most
        self._size = 0
        self._leaf: tuple[int, ...] = ()  # the state of the leaf
        self._end: tuple[int, ...] = ()  # ... of the end of the last playout
        self._expanded: Any = 0
        self._known: dict[int, int] = {}  # nodes that were proven before

    def attach(self, kernels: ModuleType) -> None:
        """Take the place of the functions that are listened to."""
        for name in ("descend", "expand", "random_result", "back_up"):
            listener = getattr(self, f"_{name}")(getattr(kernels, name))
            setattr(kernels, name, listener)

    def _descend(self, descend: Callable[..., int]) -> Callable[..., int]:
        def listener(tree: Ints, s: Ints, *rest: Any) -> int:
            self._expanded, self._end = 0, ()
            depth = descend(tree, s, *rest)
            self._leaf = tuple(s)
            return depth

        return listener

    def _expand(self, expand: Callable[..., bool]) -> Callable[..., bool]:
        def listener(tree: Ints, node: int, s: Ints, rng: Ints, out: Ints, tmp: Ints) -> bool:
            done = expand(tree, node, s, rng, out, tmp)
            if done:
                number = self.places.number(s)
                names = self.places.names(number, list(out[: tree[node + COUNT]]))
                self._expanded = [names, self.places.weights(number)]
            return done

        return listener

    def _random_result(self, random_result: Callable[..., int]) -> Callable[..., int]:
        def listener(s: Ints, *rest: Any) -> int:
            result = random_result(s, *rest)
            self._end = tuple(s)
            return result

        return listener

    def _back_up(self, back_up: Callable[..., None]) -> Callable[..., None]:
        def listener(tree: Ints, path: Ints, depth: int, result: int, visits: int) -> None:
            leaf = path[depth]
            is_new = tree[leaf + VISITS] == 0
            back_up(tree, path, depth, result, visits)
            kind = OVER if tree[leaf + MOVER] == END else PROVEN_LEAF if not self._end else PLAYOUT
            self._add(
                [
                    [_index(tree, path[i], path[i + 1]) for i in range(depth)],
                    self._expanded,
                    self.places.number(self._leaf) if is_new else NOWHERE,
                    kind,
                    result,
                    self.places.number(self._end) if self._end else NOWHERE,
                    self._proofs(tree, path, depth),
                ]
            )

        return listener

    def _proofs(self, tree: Ints, path: Ints, depth: int) -> list[list[int]]:
        """What has been proven of the nodes of the path since they were looked at."""
        proofs = []
        for level in range(depth, -1, -1):
            node, proven = path[level], tree[path[level] + PROVEN]
            if proven != self._known.get(node, 0):
                self._known[node] = proven
                proofs.append([level, proven - 1 - self.places.game.max_return])
        return proofs

    def _add(self, row: list[Any]) -> None:
        self.rows.append(row)
        self._size += len(json.dumps(row))
        if self._size + self.places.size > self._most:
            self._stop[0] = 1


def _index(tree: Ints, node: int, child: int) -> int:
    return (child - tree[node + FIRST]) // NODE


class FlatRecorder:
    """Listens to playouts from the candidates (bots/engine/kernels/flat.py), as rows of a tree of
    one level.
    """

    def __init__(self, places: Places, stop: Ints, most: int) -> None:
        self.places = places
        self.rows: list[list[Any]] = []
        self._stop = stop
        self._most = most
        self._size = 0
        self._candidate = 0
        self._seen: set[int] = set()
        self._expanded: Any = 0

    def attach(self, kernels: ModuleType) -> None:
        """Take the place of the functions that are listened to."""
        for name in ("lay_out", "select", "sampled"):
            listener = getattr(self, f"_{name}")(getattr(kernels, name))
            setattr(kernels, name, listener)

    def _lay_out(self, lay_out: Callable[..., int]) -> Callable[..., int]:
        def listener(start: Ints, actions: Ints, *rest: Any) -> int:
            n = lay_out(start, actions, *rest)
            names = self.places.names(self.places.number(start), list(actions[:n]))
            self._expanded = [names, []]
            return n

        return listener

    def _select(self, select: Callable[..., int]) -> Callable[..., int]:
        def listener(*all_of_it: Any) -> int:
            self._candidate = select(*all_of_it)
            return self._candidate

        return listener

    def _sampled(self, sampled: Callable[..., int]) -> Callable[..., int]:
        def listener(s: Ints, *rest: Any) -> int:
            leaf = self.places.number(s)
            is_over = self.places.rows[leaf][1] == END
            result = sampled(s, *rest)
            row = [
                [self._candidate],
                self._expanded,
                NOWHERE if self._candidate in self._seen else leaf,
                OVER if is_over else PLAYOUT,
                result,
                NOWHERE if is_over else self.places.number(s),
                [],
            ]
            self._expanded = 0
            self._seen.add(self._candidate)
            self.rows.append(row)
            self._size += len(json.dumps(row))
            if self._size + self.places.size > self._most:
                self._stop[0] = 1
            return result

        return listener
