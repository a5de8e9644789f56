"""gammon: backgammon by nets that learned it by playing against themselves.

It judges every turn as it stands, and those that look best again, one and then two rolls ahead
(bots/backgammon/judge.py).  A node is one position judged: some 20 for all turns of a roll, 100
more for each turn looked at one ply ahead, 2,000 with two.  Where the budget is too small for all
turns, it judges some at random.  In a race that the exact table holds, that judges each turn.

With the cube it plays as if there were none (bots/backgammon/cubeless.py): it never doubles.

Where the nets cannot be read, the hand-made evaluation (bots/backgammon/handmade.py) plays, and
the note says so.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final, TypeAlias

from bots.backgammon import cubeless, handmade, weights
from bots.backgammon.handmade import Handmade
from bots.backgammon.judge import MOST_PLIES, Judge, Rated, nets_file
from bots.backgammon.weights import BadWeights
from bots.bot import BadSetting, Choice, Setting, Value, fit
from bots.engine import compiled
from bots.engine.compiled_bot import CompiledBot
from games.backgammon.evaluation import POINT, evaluate
from games.game import Game, Ints, Position

NOTED_TURNS: Final = 8
ALL_TURNS: Final = 4_000  # nodes: more than any roll has turns

Thinker: TypeAlias = Judge | Handmade

log = logging.getLogger("plyhouse.bots")
_warnings: set[str] = set()  # that this process has logged
_sound: set[Path] = set()  # files of nets that it has read


class Gammon(CompiledBot[Thinker]):
    """Plays the turn of the highest equity, looked ahead as far as the budget lasts."""

    SETTINGS = (
        Setting("plies", MOST_PLIES, "rolls to look ahead, at most; 0: none", 0, MOST_PLIES),
    )
    # What each wins of the one before, in points a game: 1.05 +- 0.12, 0.93 +- 0.09, 0.61 +- 0.07,
    # 0.63 +- 0.05, 0.17 +- 0.02; with one ply 0.01 +- 0.01, with two 0.01 +- 0.02.  177 pairs or
    # more with the same dice, the luck taken out; the first wins 1.76 +- 0.13 of `random`.
    LEVELS = (2, 3, 5, 8, 20, 150, 1_000, 15_000)
    GAMES = ("backgammon", cubeless.WITH_CUBE)
    VERSION = "3"
    SEARCHES = ("backgammon.lookahead",)

    _excuse = ""  # why it plays without the nets

    @classmethod
    def check(cls, game: Game, settings: Mapping[str, Value]) -> None:
        """Raises BadSetting where PLYHOUSE_NETS names nets that cannot be read."""
        if os.environ.get("PLYHOUSE_NETS"):
            try:
                weights.load(nets_file())
            except BadWeights as error:
                raise BadSetting(f"PLYHOUSE_NETS: {error}") from None

    @classmethod
    def loaded(cls, game: Game) -> bool:
        """Whether this process has the compiled code; the game with the cube takes no more."""
        return super().loaded(cubeless.board_game(game))

    @classmethod
    def ready(cls, game: Game) -> bool:
        """Whether all of its searches have been compiled."""
        return super().ready(cubeless.board_game(game))

    @classmethod
    def prepare(cls, game: Game) -> None:
        """Compile, or load what was compiled before."""
        super().prepare(cubeless.board_game(game))

    def search(self, game: Game) -> Thinker:
        """The search of this match, which knows the board alone."""
        return super().search(cubeless.board_game(game))

    @classmethod
    def searches(cls) -> tuple[str, ...]:
        """What is compiled for the nets, or for the evaluation that stands in for them."""
        return cls.SEARCHES if _damage() is None else (handmade.SEARCH,)

    @classmethod
    def warm_up(cls, position: Position) -> None:
        """Judge, and look two plies ahead."""
        if _damage() is None:
            Judge().turns(position, MOST_PLIES, nodes=60_000, stop=compiled.ints(1))
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
            return self._decision(position, thinker)
        position = cubeless.board(position)
        if isinstance(thinker, Handmade):
            choice = thinker.choose(position, nodes, stop)
            notes = choice.note.split(" | ") if choice.note else []
            return replace(choice, note=fit([self._excuse, *notes]))
        before = thinker.spent
        turns = thinker.turns(position, int(self.settings["plies"]), nodes=nodes, stop=stop)
        spent = thinker.spent - before
        if not turns:
            return Choice(position.legal_actions()[0], value=0.0, nodes=spent)
        value = max(-1.0, min(1.0, round(turns[0].estimate.equity / position.game.max_return, 4)))
        return Choice(turns[0].action, value, spent, _note(position, turns[:NOTED_TURNS]))

    def _decision(self, position: Position, thinker: Thinker) -> Choice:
        """Roll, or answer a double, by what the board is worth before the roll."""
        equity = _before_roll(position, thinker)
        action, worth = (
            cubeless.decision(position, equity), cubeless.worth_of_asked(position, equity)
        )  # fmt: skip
        text = f"{position.game.format_action(position, action)} {worth:+.3f} without the cube"
        note = fit([self._excuse, text] if self._excuse else [text])
        value = max(-1.0, min(1.0, round(worth / cubeless.BOARD.max_return, 4)))
        return Choice(action, value, 1, note)

    def expected_points(self, position: Position) -> float | None:
        """The equity of the best turn as it stands, by the nets' chances of wins and gammons."""
        thinker = self.search(position.game)
        if isinstance(thinker, Handmade):
            return None
        if cubeless.asked_about_cube(position):
            return cubeless.points_of_asked(position, _before_roll(position, thinker))
        one = cubeless.at_stake(position)
        turns = thinker.turns(cubeless.board(position), 0, nodes=ALL_TURNS, stop=compiled.ints(1))
        return one * turns[0].estimate.equity if turns else None


def _before_roll(position: Position, thinker: Thinker) -> float:
    """The equity, in points without the cube, of who is to roll."""
    board = cubeless.board(position)
    if isinstance(thinker, Handmade):
        return evaluate(list(board.state)) / POINT
    return thinker.chance(board).equity


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


def _note(position: Position, turns: list[Rated]) -> str:
    """The best turns, each with its equity in points, and how far it was looked ahead where that
    differs from the one before; of the first its chances, too, in per cent.
    """
    items: list[str] = []
    plies = -1
    for rated in turns:
        estimate = rated.estimate
        text = position.game.format_action(position, rated.action)
        item = f"{text} {round(estimate.equity, 3) + 0.0:+.3f}"
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
