"""What backgammon positions and turns are worth by the nets, with up to two plies of lookahead.

In points and without a cube; gammons count as in money play, or as the score of a match has it.
The bot, the analysis of matches and the measurements all ask here.  The nets are those that are
shipped, or those in the file that PLYHOUSE_NETS names.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from bots.backgammon import weights
from bots.backgammon.kernels import lookahead
from bots.backgammon.kernels.lookahead import FIRST_ROLL
from bots.backgammon.kernels.net import EXACT, OUTPUTS, TABLE_AT
from bots.backgammon.kernels.records import Workspace
from bots.backgammon.nets import GAME, MONEY_PRICES, Nets, kernels
from bots.bot import UNLIMITED
from bots.engine import compiled
from bots.engine.kernels.rules import Floats
from games.backgammon.rules import LARGER, SMALLER, TURN
from games.game import Ints, Position
from games.rng import below, seeded

MAX_LOOKAHEAD: Final = 2


@dataclass(frozen=True, slots=True)
class Filter:
    """Which turns get a closer look: at most `turns`, none behind the best by more than `gap`."""

    turns: int
    gap: float


# Before one ply and before two; wider ones win nothing measurable.
FILTERS: Final = {0: (), 1: (Filter(8, 0.2),), 2: (Filter(6, 0.15), Filter(5, 0.1))}
# Replies to a roll that the nets judge within a lookahead, the last one.  With all of them two
# plies take 1.4 times as long, and turns are no better by 0.0001 points.
REPLIES: Final = 8
ROLLS: Final = tuple(
    (larger, smaller) for larger in range(1, 7) for smaller in range(1, larger + 1)
)
UNSEEN: Final = 9.0  # in place of an equity, which is 3 at most


@dataclass(frozen=True, slots=True)
class Estimate:
    """The chances of the seat that is asked about.

    win             to win, gammons and backgammons included
    gammon          ... a gammon or a backgammon
    backgammon      ... a backgammon
    lose_gammon     to lose a gammon or a backgammon
    lose_backgammon ... a backgammon
    """

    win: float
    gammon: float
    backgammon: float
    lose_gammon: float
    lose_backgammon: float

    @property
    def equity(self) -> float:
        won = 2 * self.win - 1 + self.gammon + self.backgammon
        return won - self.lose_gammon - self.lose_backgammon

    def priced(self, prices: Sequence[float]) -> float:
        """The expected points, each of the chances counted as `prices` have it: see net.py."""
        chances = (self.win, self.gammon, self.backgammon, self.lose_gammon, self.lose_backgammon)
        return sum(price * chance for price, chance in zip(prices, chances, strict=True)) - 1

    def turned(self) -> Estimate:
        """The estimate as the other seat sees it."""
        return Estimate(
            1 - self.win, self.lose_gammon, self.lose_backgammon, self.gammon, self.backgammon
        )


@dataclass(frozen=True, slots=True)
class Rated:
    """A turn, what it brings the seat that plays it, and how many plies were looked ahead.

    prices  what its five chances are worth to the mover; None: as much as in money play
    """

    action: int
    estimate: Estimate
    plies: int
    prices: Sequence[float] | None = None

    @property
    def value(self) -> float:
        """Its points by these prices; in money play its equity."""
        if self.prices is None:
            return self.estimate.equity
        return self.estimate.priced(self.prices)


class Judge:
    """Judges positions with the nets of one file.  Not for several threads at a time.

    spent   positions that were judged so far
    whole   whether the last `turns` looked as far ahead as it was asked to
    """

    def __init__(self, *, weights: Path | None = None, plain: bool = False, seed: int = 0) -> None:
        """Raises BadWeights: the file, or the shipped one, holds no nets for this version."""
        self.nets = _nets(weights, plain or not compiled.available())
        self._net, self._space = self.nets.arrays, self.nets.workspace()
        self._code = kernels(lookahead, self.nets.plain)
        self._no_ply: Callable[..., int] | None = None  # once it has run
        self._rng = seeded(seed)
        self._unset = compiled.ints(1, self.nets.plain)  # a stop flag that is never set
        self._prices: Sequence[float] = MONEY_PRICES  # in the workspace
        self.whole = True

    @property
    def workspace(self) -> Workspace:
        return self._space

    @property
    def spent(self) -> int:
        return int(self._space.spent[0])

    def turns(
        self,
        position: Position,
        plies: int = 0,
        *,
        nodes: int = UNLIMITED,
        stop: Ints | None = None,
        also: int | None = None,
        prices: Sequence[float] = MONEY_PRICES,
    ) -> list[Rated]:
        """The legal turns, best first: those that were looked at furthest before all others.

        Where the nodes are too few for all turns, chance says which are judged, without lookahead.
        What has been looked at when the nodes end, or `stop` is set, counts, and no more nodes are
        spent than there are.  A single turn is not looked at further.

        Args:
            position: a seat has rolled and is to move.
            plies: 0 to MAX_LOOKAHEAD.
            also: a turn that is looked at as far as the best ones, even if it seems bad.
            prices: what chances are worth, as cube/stakes.py has them at a score.

        Returns:
            Empty if `stop` was set before one turn was judged.
        """
        flag = self.stop_flag(stop)
        stop = self._unset if stop is None else stop
        limit = self.spent + nodes
        self.price(prices)
        ranked = self._statically(position, nodes, flag)
        self.whole = len(ranked) == len(position.legal_actions())
        for depth, limits in enumerate(FILTERS[plies], 1):
            candidates = _candidates(ranked, limits, also)
            closer = self._closer(position, candidates, depth, REPLIES, limit, stop, flag)
            deeper = {rated.action: rated for rated in closer}
            ranked = sorted([deeper.get(rated.action, rated) for rated in ranked], key=_order)
            if len(deeper) < len(candidates):
                self.whole = False
                break
        return ranked

    def chance(
        self, position: Position, plies: int = 0, prices: Sequence[float] = MONEY_PRICES
    ) -> Estimate:
        """What a position at CHANCE is worth to the seat that is to roll; the start is even."""
        if position.state[TURN] < 0:
            return Estimate(0.5, 0.0, 0.0, 0.0, 0.0)
        self.price(prices)
        self._space.s[:] = position.state
        estimate = self._ahead(plies, GAME.max_legal, UNLIMITED, self._unset)
        assert estimate is not None, "nothing ends it before"
        return estimate

    def best(self, position: Position, prices: Sequence[float] = MONEY_PRICES) -> int:
        """The best turn without lookahead: what `turns` has first, but for rounding, and faster."""
        self.price(prices)
        space, no_ply = self._space, self._no_ply or self._code.no_ply
        space.s[:] = position.state
        best = no_ply(space.s, GAME.max_legal, self._net, space, self._unset)
        if self._no_ply is None:
            self._no_ply = compiled.direct(no_ply)
        return int(space.turns[best])

    def price(self, prices: Sequence[float]) -> None:
        """From now on chances are worth that."""
        if prices is not self._prices:
            self._space.prices[:] = prices
            self._prices = prices

    def _rated(self, action: int, estimate: Estimate, plies: int, seat: int) -> Rated:
        """A turn of `seat` with its chances."""
        if self._prices is MONEY_PRICES:
            return Rated(action, estimate, plies)
        prices = self._prices[OUTPUTS * seat : OUTPUTS * (seat + 1)]
        return Rated(action, estimate, plies, tuple(prices))

    def stop_flag(self, stop: Ints | None) -> Ints:
        """A flag that the kernels see: compiled code does not see a list."""
        unseen = stop is None or (isinstance(stop, list) and not self.nets.plain)
        return self._unset if stop is None or unseen else stop

    def _statically(self, position: Position, nodes: int, stop: Ints) -> list[Rated]:
        """All turns without lookahead, or as many as the nodes allow, best first."""
        space, actions = self._space, list(position.legal_actions())
        seat = position.state[TURN]
        n = len(actions)
        for i in range(nodes if nodes < n else 0):
            j = i + below(self._rng, n - i)
            actions[i], actions[j] = actions[j], actions[i]
        actions = sorted(actions[: min(n, nodes)])
        space.s[:] = position.state
        space.turns[: len(actions)] = actions
        space.values[:n] = [UNSEEN] * n
        best = self._code.judge_turns(space.s, len(actions), self._net, space, stop)
        if best < 0:
            actions = actions[: list(space.values[:n]).index(UNSEEN)]
        space.spent[0] += len(actions)
        flat = list(map(float, space.after[: OUTPUTS * len(actions)]))
        rated = [
            self._rated(action, Estimate(*flat[OUTPUTS * i : OUTPUTS * (i + 1)]).turned(), 0, seat)
            for i, action in enumerate(actions)
        ]
        return sorted(rated, key=_order)

    def _closer(
        self,
        position: Position,
        candidates: Sequence[Rated],
        plies: int,
        most: int,
        limit: int,
        stop: Ints,
        flag: Ints,
    ) -> Iterator[Rated]:
        """These turns looked at with more plies, one after the other, as far as the nodes last.

        Args:
            most: replies to a roll that are judged.
            limit: what `spent` may come to.
            flag: `stop`, as the kernels see it.
        """
        # A kernel looks at its limit before each roll only.  With one ply it is known already that
        # the nodes suffice.
        limit -= FIRST_ROLL * most if plies > 1 else 0
        for rated in candidates:
            self._space.s[:] = position.apply(rated.action).state
            if stop[0] or not self._affordable(plies, most, limit - self.spent):
                return
            estimate = self._ahead(plies, most, limit, flag)
            if estimate is None:
                return
            yield self._rated(rated.action, estimate.turned(), plies, position.state[TURN])

    def _affordable(self, plies: int, most: int, nodes: int) -> bool:
        """Whether the nodes suffice to look ahead from here; with two plies, on average."""
        times: int = len(ROLLS) ** (plies - 1)
        if nodes >= times * len(ROLLS) * most:
            return True  # whatever the replies: counting them takes long
        return nodes >= times * self._replies(most)

    def affords(self, position: Position, plies: int, nodes: int) -> bool:
        """Whether the nodes suffice to look at all replies this far ahead; with two, on average.

        Args:
            position: at CHANCE, a seat is to roll.
        """
        s, space = self._space.s, self._space
        s[:] = position.state
        replies = 0
        for larger, smaller in ROLLS:
            s[LARGER], s[SMALLER] = larger, smaller
            replies += int(self._code.legal(s, space.turns, space.tmp))
        s[LARGER] = s[SMALLER] = 0
        return nodes >= replies * (1 if plies == 1 else 1 + len(ROLLS))

    def _replies(self, most: int) -> int:
        """How many positions one ply of lookahead from here, the board in space.s, judges."""
        s, space = self._space.s, self._space
        if self._code.kind(s, self.nets.shape[TABLE_AT]) >= EXACT:
            return 1
        total = 0
        for larger, smaller in ROLLS:
            s[LARGER], s[SMALLER] = larger, smaller
            total += min(most, int(self._code.legal(s, space.turns, space.tmp)))
        s[LARGER] = s[SMALLER] = 0
        return total

    def _ahead(self, plies: int, most: int, limit: int, stop: Ints) -> Estimate | None:
        """The chances of the side on roll on the board in space.s; None if that was cut short."""
        net, space = self._net, self._space
        if plies == 0:
            self._code.judge(space.s, net, space)
            space.spent[0] += 1
            return _estimate(space.chances)
        look = self._code.one_ply if plies == 1 else self._code.two_ply
        whole = look(space.s, space.average, most, limit, net, space, stop)
        return _estimate(space.average) if whole else None


def _candidates(ranked: list[Rated], limits: Filter, also: int | None) -> list[Rated]:
    """The turns worth a closer look among those looked at furthest, best first."""
    if len(ranked) < 2:
        return []
    furthest = [rated for rated in ranked if rated.plies == ranked[0].plies]
    best = furthest[0].value
    best_turns = [r for r in furthest[: limits.turns] if r.value >= best - limits.gap]
    return best_turns + [r for r in furthest if r.action == also and r not in best_turns]


def _order(rated: Rated) -> tuple[int, float, int]:
    return -rated.plies, -rated.value, rated.action


def _estimate(chances: Floats) -> Estimate:
    return Estimate(*(float(chance) for chance in chances))


_lock = threading.Lock()


@cache
def _read(path: Path, plain: bool) -> Nets:
    return Nets(weights.load(path), plain=plain)


def nets_file() -> Path:
    """The file of nets that is played by: the one that PLYHOUSE_NETS names, or the shipped one."""
    named = os.environ.get("PLYHOUSE_NETS")
    return Path(named) if named else weights.FILE


def _nets(path: Path | None, plain: bool) -> Nets:
    """The nets in a file; read once a process."""
    with _lock:
        return _read(nets_file() if path is None else path, plain)
