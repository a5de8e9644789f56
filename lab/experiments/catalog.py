"""What `plyhouse results` plays: a sweep, round robins at equal time and equal nodes, growth, and
landmarks.

In the round robins each bot that plays a game meets each other.  Growth is a bot with 2 n nodes
against itself with n.  Landmarks are engines of others, where they are installed.  Both games of a
pair have the same opening or dice, so that luck weighs less.  Where no dice roll, an opening is two
random plies, as bots without random numbers would repeat themselves; but a tree search against
itself begins at the first position, so that its games show what moving first is worth.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Final, NamedTuple

from bots import registry
from bots.bot import Budget, Value
from bots.online.entry import make_entry
from games import registry as games
from lab.experiments.cell import Cell, Side, side_of
from lab.experiments.grid import GridAxis, Sweep, make_rival

BOTS: Final = ("random", "flat", "minimax", "mcts", "hybrid", "solver", "gammon")
GAMES: Final = ("tic_tac_toe", "ultimate_tic_tac_toe", "connect_four", "backgammon")
NODES: Final = 1_000  # of a choice in the round robin at equal nodes
MS: Final = 10  # ... at equal time: a hundred times what a timer and a thread take
PAIRS: Final = 2_000  # of a cell, at most
OPENING: Final = 2  # random plies, where no dice roll; an even number, so that who begins goes on
GROWING: Final = ("mcts", "minimax")
MIN_LOG: Final = 4  # of two: growth begins at 16 nodes
# The last doubling of each, as a power of two: a game takes about a second there.
MAX_LOG: Final = {
    "tic_tac_toe": {"mcts": 11, "minimax": 12},
    "ultimate_tic_tac_toe": {"mcts": 13, "minimax": 15},
    "connect_four": {"mcts": 14, "minimax": 16},
    "backgammon": {"mcts": 10, "minimax": 11},
}
PARTS: Final = ("playouts", "time", "nodes", "growth", "landmarks")


class RobinCell(NamedTuple):
    """A pairing of a round robin; `mode`: time or nodes."""

    mode: str
    game: str
    a: str
    b: str

    @property
    def key(self) -> str:
        return " ".join(self)


class GrowthCell(NamedTuple):
    """A bot with twice as many nodes against itself with so many."""

    game: str
    bot: str
    nodes: int

    @property
    def key(self) -> str:
        return f"growth {self.game} {self.bot} {self.nodes}"


class Landmark(NamedTuple):
    """An engine of others as our bots meet it, with NODES where it counts them."""

    program: str
    title: str
    games: tuple[str, ...]
    settings: dict[str, Value]

    @property
    def missing(self) -> str | None:
        """Why it cannot play here; None where it is installed."""
        return registry.bot_class(self.program).missing()


LANDMARKS: Final = (
    Landmark("gnubg", "GNU Backgammon, 0 plies", ("backgammon",), {"plies": 0}),
    Landmark("gnubg", "GNU Backgammon, 1 ply", ("backgammon",), {"plies": 1}),
    Landmark(
        "openspiel", f"OpenSpiel's MCTS, {NODES:,} simulations",
        ("tic_tac_toe", "ultimate_tic_tac_toe", "connect_four"), {},
    ),
)  # fmt: skip


class LandmarkCell(NamedTuple):
    """A bot of the house against an engine of others."""

    game: str
    bot: str
    landmark: Landmark

    @property
    def key(self) -> str:
        """The key of its cell, which tells the engine's settings too."""
        program, settings = self.landmark.program, self.landmark.settings
        words = [f"{name}={value}" for name, value in settings.items()]
        return " ".join(["landmark", self.game, self.bot, program, *words, str(NODES)])


def playouts(seed: int) -> Sweep:
    """The study of random playouts in tic-tac-toe: a tree search against random.

    Without proofs, which end a search early, and without a tree that is kept, so that a move costs
    what its iterations and playouts say.
    """
    off = (GridAxis("proofs", (False,)), GridAxis("keep", (False,)))
    nodes = GridAxis("nodes", (10, 20, 50, 100, 200, 500, 1_000, 2_000))
    playouts_axis = GridAxis("playouts", (1, 2, 5, 10, 20))
    rival, title = make_rival(make_entry("random", seed=0, only=("tic_tac_toe",)), None)
    axes = (nodes, playouts_axis, *off)
    return Sweep("mcts", "tic_tac_toe", axes, rival, title, 500, seed)


def players(game: str) -> list[str]:
    """The bots of the house that play a game, the weakest idea first."""
    return [name for name in BOTS if registry.bot_class(name).plays(games.game(game))]


def robin(mode: str, game: str) -> list[RobinCell]:
    return [RobinCell(mode, game, a, b) for a, b in combinations(players(game), 2)]


def growth(game: str, bot: str) -> list[GrowthCell]:
    return [GrowthCell(game, bot, 2**log) for log in range(MIN_LOG, MAX_LOG[game][bot])]


def landmarks(game: str) -> list[LandmarkCell]:
    """All who meet engines of others in a game; the weakest two would only lose."""
    return [
        LandmarkCell(game, bot, landmark)
        for landmark in LANDMARKS
        if game in landmark.games
        for bot in players(game)
        if bot not in ("random", "flat")
    ]


def missing_landmarks(names: Sequence[str]) -> list[str]:
    """Why an engine cannot play here, a reason each; of those that know one of these games."""
    reasons = [mark.missing for mark in LANDMARKS if not set(names).isdisjoint(mark.games)]
    return list(dict.fromkeys(reason for reason in reasons if reason is not None))


def cells(seed: int, parts: Sequence[str], names: Sequence[str]) -> list[Cell]:
    """The cells of these parts and games, as far as their engines are installed."""
    chosen: list[Cell] = []
    if "playouts" in parts and "tic_tac_toe" in names:
        chosen += playouts(seed).cells()
    for mode in ("time", "nodes"):
        if mode in parts:
            chosen += [_robin_cell(cell) for game in names for cell in robin(mode, game)]
    if "growth" in parts:
        chosen += [
            _growth_cell(cell) for game in names for bot in GROWING for cell in growth(game, bot)
        ]
    if "landmarks" in parts:
        chosen += [
            _landmark_cell(cell)
            for game in names
            for cell in landmarks(game)
            if cell.landmark.missing is None
        ]
    return chosen


def goals(chosen: list[Cell], seed: int) -> dict[str, int]:
    """How many pairs of each cell are enough."""
    sweep = playouts(seed)
    swept = {cell.key for cell in sweep.cells()}
    return {cell.key: sweep.games // 2 if cell.key in swept else PAIRS for cell in chosen}


def head(seed: int) -> dict[str, Any]:
    """What the journal's first line says: what the results are of."""
    return {
        "journal": "results",
        "seed": seed,
        "nodes": NODES,
        "ms": MS,
        "rules": {name: games.game(name).rules_version for name in GAMES},
        "bots": {name: registry.bot_class(name).VERSION for name in BOTS},
    }


def _side(program: str, game: str, budget: Budget) -> Side:
    return side_of(make_entry(program, seed=0, only=(game,)), budget)


def _robin_cell(cell: RobinCell) -> Cell:
    budget = Budget(ms=MS) if cell.mode == "time" else Budget(nodes=NODES)
    a, b = (_side(name, cell.game, budget) for name in (cell.a, cell.b))
    return Cell(cell.key, cell.game, a, b, _opening(cell.game), shared=True)


def _growth_cell(cell: GrowthCell) -> Cell:
    more, fewer = (
        _side(cell.bot, cell.game, Budget(nodes=n)) for n in (2 * cell.nodes, cell.nodes)
    )
    alike = from_the_start(cell)
    opening = 0 if alike else _opening(cell.game)
    return Cell(cell.key, cell.game, more, fewer, opening, shared=not alike)


def _landmark_cell(cell: LandmarkCell) -> Cell:
    engine, game, budget = cell.landmark, cell.game, Budget(nodes=NODES)
    entry = make_entry(engine.program, seed=0, only=(game,), settings=engine.settings)
    ours = _side(cell.bot, game, budget)
    return Cell(cell.key, game, ours, side_of(entry, budget), _opening(game), shared=True)


def from_the_start(cell: GrowthCell) -> bool:
    """Whether its games begin at the first position, each with random numbers of its own."""
    return cell.bot == "mcts" and not games.game(cell.game).has_chance


def _opening(game: str) -> int:
    return 0 if games.game(game).has_chance else OPENING
