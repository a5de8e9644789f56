"""gammon: backgammon by nets that learned it by playing against themselves.

It judges every turn as it stands, and those that look best again, one and then two rolls ahead
(bots/backgammon/judge.py).  A node is one position judged: some 20 for all turns of a roll, 100
more for each turn looked at one ply ahead, 2,000 with two.  Where the budget is too small for all
turns, it judges some at random.  In a race that the exact table holds, that judges each turn.

With the cube it doubles, takes and drops by what each of that is worth at the score, or for money,
one and two rolls ahead as far as the nodes last (bots/backgammon/cube/options.py), and its turns
are the best at that score.  With few nodes it misjudges the cube as beginners do.

Where the nets cannot be read, the hand-made evaluation (bots/backgammon/handmade.py) plays, and
the note says so; then it never doubles (bots/backgammon/cubeless.py).
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Final, TypeAlias

from bots.backgammon import cubeless, weights
from bots.backgammon.cube import options
from bots.backgammon.cube.cube_judge import CubeJudge
from bots.backgammon.cube.options import CubeOptions, stakes_of
from bots.backgammon.cube.stakes import Stakes, match_chance, prices
from bots.backgammon.handmade import Handmade
from bots.backgammon.judge import MAX_LOOKAHEAD, Judge, Rated, nets_file
from bots.backgammon.kernels import cube_ahead, lookahead
from bots.backgammon.nets import MONEY_PRICES
from bots.backgammon.weights import BadWeights
from bots.bot import BadSetting, Choice, Setting, Value, fit
from bots.engine import compiled
from bots.engine.compiled_bot import CompiledBot, first_decision
from bots.engine.kernels import expect
from games.backgammon.evaluation import POINT, evaluate
from games.backgammon_cube.rules import CUBE, DOUBLE, TAKE
from games.game import Game, Ints, Position
from games.rng import below, seeded

ANY_PLIES: Final = -1  # stands for as many as the budget allows
NOTED_TURNS: Final = 8
ALL_TURNS: Final = 4_000  # nodes: more than any roll has turns
ONE_ROLL: Final = 500  # nodes: more than all but the rarest rolls have turns
# (nodes, points): with fewer nodes it errs about the cube by up to so many points, with the cube as
# it stands counted as 1.  These are the nodes of levels 2 to 4, so levels 1 to 3 err.
ERRORS: Final = ((3, 1.0), (5, 0.6), (8, 0.3))

Thinker: TypeAlias = Judge | Handmade

log = logging.getLogger("plyhouse.bots")
_warnings: set[str] = set()  # that this process has logged
_sound: set[Path] = set()  # files of nets that it has read
_cube_loaded: set[type] = set()  # bots whose code for the cube this process has run


class Gammon(CompiledBot[Thinker]):
    """Plays the turn of the highest equity, looked ahead as far as the budget lasts."""

    SETTINGS = (
        Setting(
            "plies", ANY_PLIES, "rolls to look ahead; 0: none, -1: what the budget allows",
            ANY_PLIES, MAX_LOOKAHEAD,
        ),
    )  # fmt: skip
    # What each won of the one before, in points a game, with earlier nets: 1.05 +- 0.12,
    # 0.93 +- 0.09, 0.61 +- 0.07, 0.63 +- 0.05, 0.17 +- 0.02; with one ply 0.01 +- 0.01, with two
    # 0.01 +- 0.02.  177 pairs or more with the same dice, the luck taken out; the first won
    # 1.76 +- 0.13 of `random`.
    LEVELS = (2, 3, 5, 8, 20, 150, 1_000, 15_000)
    GAMES = ("backgammon", cubeless.WITH_CUBE)
    VERSION = "8"
    SEARCHES = (lookahead,)

    _excuse = ""  # why it plays without the nets
    _cubes: tuple[Judge, CubeJudge] | None = None  # a judge, and the one of the cube by its nets

    @classmethod
    def check(cls, game: Game, settings: Mapping[str, Value]) -> None:
        """Raises BadSetting where PLYHOUSE_NETS names nets that cannot be read."""
        if os.environ.get("PLYHOUSE_NETS"):
            try:
                weights.load(nets_file())
            except BadWeights as error:
                raise BadSetting(f"PLYHOUSE_NETS: {error}") from None

    @classmethod
    def ends_itself(cls, settings: Mapping[str, Value]) -> bool:
        """With a number of plies."""
        return settings["plies"] != ANY_PLIES

    @classmethod
    def loaded(cls, game: Game) -> bool:
        """Whether this process has the compiled code; what judges the cube is apart."""
        if not super().loaded(cubeless.board_game(game)):
            return False
        if not compiled.available() or not _wants_cube(game):
            return True
        return not cls.ready(game) or cls in _cube_loaded

    @classmethod
    def ready(cls, game: Game) -> bool:
        cube = not _wants_cube(game) or compiled.ready(cube_ahead, cubeless.BOARD)
        return cube and super().ready(cubeless.board_game(game))

    @classmethod
    def prepare(cls, game: Game) -> None:
        """Compile, or load what was compiled before."""
        super().prepare(cubeless.board_game(game))
        if _wants_cube(game):
            _cube_loaded.add(cls)
            cls.warm_up_cube()
            compiled.mark_ready(cube_ahead, cubeless.BOARD)

    @classmethod
    def warm_up_cube(cls) -> None:
        """Judge a double, two plies ahead."""
        board = cubeless.BOARD
        opening = first_decision(board)
        CubeJudge(Judge()).judge(opening.apply(opening.legal_actions()[0]), Stakes(), MAX_LOOKAHEAD)

    def search(self, game: Game) -> Thinker:
        """The search of this match, which knows the board alone."""
        return super().search(cubeless.board_game(game))

    @classmethod
    def searches(cls) -> tuple[ModuleType, ...]:
        """What is compiled for the nets, or for the evaluation that stands in for them."""
        return cls.SEARCHES if _damage() is None else (expect,)

    @classmethod
    def warm_up(cls, position: Position) -> None:
        """Judge, and look two plies ahead."""
        if _damage() is None:
            Judge().turns(position, MAX_LOOKAHEAD, nodes=60_000, stop=compiled.ints(1))
        else:
            Handmade(position.game, 0).think(position, 2_000, compiled.ints(1), 2, 20_000)

    def make(self, game: Game, plain: bool) -> Thinker:
        """A judge with the nets, or what stands in for it."""
        damage = _damage()
        try:
            if damage is None:
                return Judge(plain=plain, seed=self.seed)
        except BadWeights as error:  # damaged since it was checked
            damage = _warned(error)
        file = nets_file()  # the opponent need not see its folder
        self._excuse = f"hand-made evaluation: {damage.replace(str(file), file.name)}"
        return Handmade(game, self.seed, plain=plain)

    def think(self, position: Position, nodes: int, stop: Ints) -> Choice:
        """Judge all turns, then look ahead behind the best of them."""
        thinker = self.search(position.game)
        if cubeless.asked_about_cube(position):
            if isinstance(thinker, Handmade):
                return self._decide_without_cube(position, thinker)
            return self._decide(position, thinker, nodes, stop)
        board = cubeless.board(position)
        if isinstance(thinker, Handmade):
            choice = thinker.choose(board, nodes, stop)
            notes = choice.note.split(" | ") if choice.note else []
            return replace(choice, note=fit([self._excuse, *notes]))
        before = thinker.spent
        turns = thinker.turns(
            board, self._most_plies(), nodes=nodes, stop=stop, prices=_prices(position)
        )
        spent = thinker.spent - before
        if not turns:
            return Choice(position.legal_actions()[0], value=0.0, nodes=spent)
        note = _note(position, turns[:NOTED_TURNS])
        return Choice(
            turns[0].action, _value(turns[0].value), spent, note, self._is_cut(thinker.whole)
        )

    def _most_plies(self) -> int:
        plies = int(self.settings["plies"])
        return MAX_LOOKAHEAD if plies == ANY_PLIES else plies

    def _is_cut(self, whole: bool) -> bool:
        """Whether a choice is cut short that was looked ahead `whole`, or not."""
        return self.ends_itself(self.settings) and not whole

    def _decide_without_cube(self, position: Position, thinker: Handmade) -> Choice:
        """Roll, or answer a double, by what the board is worth before the roll."""
        equity = evaluate(list(cubeless.board(position).state)) / POINT
        action = cubeless.decision(position, equity)
        worth = cubeless.worth_of_asked(position, equity)
        text = f"{position.game.format_action(position, action)} {worth:+.3f} without the cube"
        return Choice(action, _value(worth), 1, fit([self._excuse, text]))

    def _decide(self, position: Position, judge: Judge, nodes: int, stop: Ints) -> Choice:
        """Roll, double, or answer, by what each of it is worth, as far ahead as the nodes last."""
        before, board = judge.spent, cubeless.board(position)
        best: CubeOptions | None = None
        for plies in range(self._most_plies() + 1):
            left = nodes - 1 - (judge.spent - before)  # one: the position itself
            if plies and not judge.affords(board, plies, left):
                break
            found = options.judge_options(
                self._cube_judge(judge), position, plies, stop=stop,
                nodes=left if plies < MAX_LOOKAHEAD else left - ONE_ROLL,
            )  # fmt: skip
            if found is None:
                break
            best = found
        spent = 1 + judge.spent - before
        if best is None:
            return Choice(position.legal_actions()[0], value=0.0, nodes=spent)
        error = next((points for below_nodes, points in ERRORS if nodes < below_nodes), 0.0)
        if error:
            best = best.misjudged(self._beginner(position, error))
        cut = self._is_cut(best.plies == self._most_plies())
        return Choice(
            best.options[0].action, _value(best.points), spent, _cube_note(position, best), cut
        )

    def _cube_judge(self, judge: Judge) -> CubeJudge:
        """What judges the cube by the nets of `judge`; made when it is first needed."""
        if self._cubes is None or self._cubes[0] is not judge:
            self._cubes = judge, CubeJudge(judge)
        return self._cubes[1]

    def _beginner(self, position: Position, most: float) -> Callable[[int], float]:
        """By how many points a beginner errs about an action, at `most`; the same here each time.

        It is too timid to double, never too bold, and takes too much or drops too much.
        """
        rng = seeded(self.seed ^ position.game.key(list(position.state)))
        part = below(rng, 1_001) / 1_000
        errors = {DOUBLE: -most * part, TAKE: most * (2 * part - 1)}
        return lambda action: errors.get(action, 0.0)

    def expected_points(self, position: Position) -> float | None:
        """What the position is worth without lookahead, in points; at a score gammons count as much
        more as they bring, and before a roll the cube counts, too.
        """
        thinker = self.search(position.game)
        if isinstance(thinker, Handmade):
            return None
        if cubeless.asked_about_cube(position):
            found = options.judge_options(self._cube_judge(thinker), position, 0)
            return None if found is None else found.points * (1 << position.state[CUBE])
        one, board = cubeless.at_stake(position), cubeless.board(position)
        turns = thinker.turns(
            board, 0, nodes=ALL_TURNS, stop=compiled.ints(1), prices=_prices(position)
        )
        return one * turns[0].value if turns else None


def _wants_cube(game: Game) -> bool:
    """Whether the nets are asked about the cube in this game."""
    return game.name == cubeless.WITH_CUBE and _damage() is None


def _prices(position: Position) -> Sequence[float]:
    """What the chances are worth at the score, or in money play."""
    if position.game.name != cubeless.WITH_CUBE:
        return MONEY_PRICES
    stakes = stakes_of(position)
    counts = stakes.away is not None or (stakes.jacoby and stakes.owner is None)
    return prices(stakes) if counts else MONEY_PRICES


def _value(points: float) -> float:
    """Points, with the cube as it stands counted as 1, as the value of a choice."""
    return max(-1.0, min(1.0, round(points / cubeless.BOARD.max_return, 4)))


def _damage() -> str | None:
    """What is wrong with the file of nets, as a sentence; None if nothing is."""
    file = nets_file()
    if file in _sound:
        return None
    try:
        weights.load(file)
    except BadWeights as error:
        return _warned(error)
    _sound.add(file)
    return None


def _warned(error: BadWeights) -> str:
    """The sentence, which is logged once."""
    damage = str(error)
    if damage not in _warnings:
        _warnings.add(damage)
        log.warning("plyhouse: %s; gammon plays by a hand-made evaluation", damage)
    return damage


def _cube_note(position: Position, found: CubeOptions) -> str:
    """The decisions about the cube, best first: of each what it is worth, and what it loses.

    In a match that is the chance to win it, else points with the cube before the offer as 1.
    """

    def written(value: float, sign: str = "") -> str:
        if found.in_match:
            return f"{100 * value:{sign}.2f} %"
        return f"{round(value, 3) + 0.0:+.3f}"

    items: list[str] = []
    for option in found.options:
        name = position.game.format_action(position, option.action)
        item = f"{name} {written(option.value)}"
        if items:
            item += f" ({written(-option.loss, '+')})"
        else:
            item += f" {found.plies}-ply" + (" too good to double" if found.too_good else "")
        items.append(item)
    return fit(items)


def _note(position: Position, turns: list[Rated]) -> str:
    """The best turns, each with its equity in points, or in a match the chance to win it, and how
    far it was looked ahead where that differs from the one before; of the first its chances, too,
    in per cent.
    """
    stakes = stakes_of(position) if position.game.name == cubeless.WITH_CUBE else Stakes()
    items: list[str] = []
    plies = -1
    for rated in turns:
        estimate = rated.estimate
        text = position.game.format_action(position, rated.action)
        if stakes.away is None:
            item = f"{text} {round(rated.value, 3) + 0.0:+.3f}"
        else:
            item = f"{text} {100 * match_chance(stakes, position.to_move, rated.value):.2f} %"
        if not items:
            chances = (estimate.win, estimate.gammon, estimate.lose_gammon)
            named = zip(("W", "G", "LG"), chances, strict=True)
            item += "".join(f" {name} {100 * chance:.1f}" for name, chance in named)
        if rated.plies != plies:
            plies = rated.plies
            item += f" {plies}-ply"
        items.append(item)
    return fit(items)


BOT = Gammon
