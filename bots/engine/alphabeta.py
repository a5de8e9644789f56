"""An alpha-beta search of bots/engine/kernels/negamax.py with its memory.

    search = AlphaBeta(game, seed=1)
    result = search.think(position, nodes=100_000, stop)
    search.principal_variation(position, result)

The table is kept from one position to the next.  Deterministic under (seed, calls) as long as
`stop` is not set; plain and compiled find the same.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from bots.engine.compiled import CompiledSearch
from bots.engine.kernels import negamax
from bots.engine.kernels.negamax import ACTION, DEPTH, MAX_DEPTH, SOLVED, VALUE
from games.game import CHANCE, END, Game, Ints, Position
from games.rng import below, seeded

FALLBACK: Final = 2  # decisions to look ahead before a search without pruning
MEGABYTES: Final = 16  # of the table: half a million positions


@dataclass(frozen=True, slots=True)
class AlphaBetaResult:
    """What a search found out.

    value    in [-1, 1], for the seat to move
    nodes    positions that were reached by an action
    depth    the last depth, in decisions, that was looked at in full
    solved   `value` is what the game is worth under best play
    plies    if solved and won or lost, without dice: a number of plies within which that happens;
             the least there is, unless the table was kept from another position
    """

    action: int
    value: float
    nodes: int
    depth: int
    solved: bool
    plies: int = 0


class AlphaBeta(CompiledSearch):
    """A search over one game.  Among equal actions the first one wins: in an order shuffled by
    `seed`, or ascending (None).
    """

    def __init__(
        self,
        game: Game,
        *,
        evaluation: str = "",
        pruning: bool = True,
        seed: int | None = None,
        megabytes: int = MEGABYTES,
        plain: bool = False,
    ) -> None:
        """`evaluation`: one of `game.evaluations`; empty: the game's usual one.

        Raises:
            KeyError: if the game has no such evaluation.
        """
        instead = {"evaluate": game.evaluations[evaluation]} if evaluation else {}
        super().__init__(negamax, game, plain, **instead)
        self.game = game
        self.pruning = pruning
        self.seed = seed
        slots = 1 << (megabytes * 1_000_000 // (8 * negamax.SLOT)).bit_length() - 1
        self._length = slots * negamax.SLOT if pruning else 2 * negamax.SLOT
        self.forget()
        frame = game.state_size + 2 * game.max_legal
        self._work = self._ints(negamax.FRAMES + negamax.PLIES * frame)
        self._work[negamax.MASK] = slots - 2 if pruning else 0
        self._s = self._ints(game.state_size)
        self._out = self._ints(game.max_legal)
        self._tmp = self._ints(max(1, game.scratch))

    def forget(self) -> None:
        self._table = self._ints(self._length)

    def think(self, position: Position, nodes: int, stop: Ints, depth: int = 0) -> AlphaBetaResult:
        """Look 1, 2, 3 ... decisions ahead, up to `depth` (0: no limit) and within `nodes`.

        Without pruning nothing is gained by looking less far before: straight to `depth`, if given,
        after FALLBACK decisions, which cost next to nothing, to play by where the budget ends.
        """
        if isinstance(stop, list) and not self.plain:  # compiled code does not see a list
            flag, stop = stop, self._ints(1)
            stop[0] = flag[0]
        depth = min(depth or MAX_DEPTH, MAX_DEPTH)
        self._kernels.tidy(self._work)
        self._work[negamax.LIMIT] = nodes
        if self.pruning or depth == MAX_DEPTH:
            return self._deepen(position, 1, depth, stop)
        fallback = self._deepen(position, 1, min(FALLBACK, depth - 1), stop)
        result = self._deepen(position, depth, depth, stop)
        return result if result.depth else replace(fallback, nodes=result.nodes)

    def _deepen(self, position: Position, start: int, depth: int, stop: Ints) -> AlphaBetaResult:
        self._lay_out(position)
        self._kernels.deepen(
            self._s, start, depth, int(self.pruning), self._work, self._table,
            self._out, self._tmp, stop,
        )  # fmt: skip
        return self._read()

    def _lay_out(self, position: Position) -> None:
        """Put the position and its actions where the kernels look for them."""
        work, order = self._work, shuffled(position.legal_actions(), self.seed)
        self._s[:] = position.state
        for i, action in enumerate(order, negamax.FRAMES + self.game.state_size):
            work[i] = action
        work[negamax.COUNT] = len(order)

    def _read(self) -> AlphaBetaResult:
        value = int(self._work[VALUE])
        solved = bool(self._work[SOLVED])
        sure = not self.game.has_chance and abs(value) > negamax.SURE
        return AlphaBetaResult(
            action=int(self._work[ACTION]),
            value=(1.0 if value > 0 else -1.0) if sure else value / negamax.WIN,
            nodes=int(self._work[negamax.SPENT]),
            depth=int(self._work[DEPTH]),
            solved=solved,
            plies=negamax.WIN - abs(value) if sure else 0,
        )

    def principal_variation(
        self, position: Position, result: AlphaBetaResult, limit: int = 20
    ) -> list[int]:
        """The play expected after a search of `position`, from what the table still holds."""
        variation, action = [result.action], result.action
        position = position.apply(action)
        while len(variation) < limit and position.to_move not in (CHANCE, END):
            self._s[:] = position.state
            action = int(self._kernels.reply(self._s, self._work, self._table))
            if action not in position.legal_actions():
                break
            variation.append(action)
            position = position.apply(action)
        return variation


def shuffled(actions: tuple[int, ...], seed: int | None) -> list[int]:
    """The actions in an order that follows from the seed; None: as they are."""
    order = list(actions)
    if seed is not None:
        rng = seeded(seed)
        for i in range(len(order) - 1, 0, -1):
            j = below(rng, i + 1)
            order[i], order[j] = order[j], order[i]
    return order
