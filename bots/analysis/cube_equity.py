"""Backgammon with the cube: what a play or a decision about the cube cost, and what a roll brought.

In games of money that is told in points, with what the cube shows in them; in a match to points as
the chance to win the match.  Both sides use the cube in all that is looked at.

A play's loss is also told normalised: in points with the cube as it stands counted as 1, where to
win a single game is worth 1 and to lose it -1.  By that blunders are marked and players rated, as
GNU Backgammon does.  The play and the best five without the cube are compared with it.
"""

from __future__ import annotations

from typing import Final

from bots.analysis.analyst import Judgement
from bots.analysis.equity import BLUNDER, LUCK_PLIES, PLIES, NetAnalyst, format_chances, plies_text
from bots.backgammon.cube.cube_judge import CubeJudge
from bots.backgammon.cube.options import CubeOption, CubeOptions, judge_options, stakes_of
from bots.backgammon.cube.stakes import Stakes, prices, worths
from bots.backgammon.judge import MAX_LOOKAHEAD, Judge
from bots.backgammon.kernels.cube import MIDDLE, REACH
from games.backgammon_cube.actions import decides_about_cube
from games.backgammon_cube.board import without_cube
from games.backgammon_cube.rules import BEAVER, CUBE, DOUBLE, DROP, LENGTH, OFFER, ROLL, TAKE
from games.game import END, Ints, Position
from protocol.analysis import MAX_OPTIONS, AnalysedOption, CubeMistake

# Not to double is a decision that counts if a double would cost less, normalised, as GNU
# Backgammon has it.
CLOSE: Final = 0.16
NO_DIFFERENCE: Final = 0.0001  # ... and more than that
DECIMALS: Final = {"points": 4, "chance": 6}


class CubeAnalyst(NetAnalyst):
    """Judges by what a position is worth with the cube, in money or at a score of a match."""

    GAMES = ("backgammon_cube",)

    def __init__(
        self,
        *,
        plies: int = PLIES,
        luck_plies: int = LUCK_PLIES,
        cube_plies: int | None = None,
        judge: Judge | None = None,
        cubes: CubeJudge | None = None,
    ) -> None:
        """Look `plies` ahead for a play, 0 to 2, `luck_plies` for luck, and `cube_plies` for a
        decision about the cube: one more than for a play by default, and 2 at most.

        Raises:
            BadWeights: the nets that are shipped cannot be read.
        """
        super().__init__(plies=plies, luck_plies=luck_plies, judge=judge)
        self._cubes = CubeJudge(self._judge) if cubes is None else cubes
        deeper = min(plies + 1, MAX_LOOKAHEAD)
        self._cube_plies = deeper if cube_plies is None else cube_plies
        self.by = f"gammon, {plies_text(plies)}, the cube {plies_text(self._cube_plies)}"

    def begin(self, first: Position) -> None:
        """Count chances in a match to points, points in a game of money."""
        self.unit = "chance" if first.state[LENGTH] else "points"

    def judge(self, position: Position, action: int, stop: Ints) -> Judgement | None:
        """Look at a play as far as at the best ones, and at all that can be done with the cube."""
        if decides_about_cube(position):
            return self._judge_decision(position, action, stop)
        return self._judge_turn(position, action, stop)

    def worth(self, position: Position, seat: int, stop: Ints) -> float | None:
        """What it is worth to play on: as the best play or decision there is valued."""
        judgement = self.judge(position, position.legal_actions()[0], stop)
        value = judgement.best[0].value if judgement is not None else None
        if value is None or position.to_move == seat:
            return value
        return 1 - value if self.unit == "chance" else -value

    def defeat(self, position: Position, seat: int, points: int) -> float:
        """What it is worth to lose so many points, with all that the cube shows in them."""
        return self._rounded(self._worth_of_points(position, seat, -points))

    def marked(self, position: Position, loss: float, best: list[AnalysedOption]) -> Judgement:
        """A judgement on a resignation, or on the answer to one."""
        shows = 1 << position.state[CUBE]
        return self._judgement(stakes_of(position), loss=loss, best=best, shows=shows)

    def _worth_of_roll(self, rolled: Position, seat: int, stop: Ints) -> float | None:
        turns = self._judge.turns(
            without_cube(rolled), self._luck_plies, stop=stop, prices=prices(stakes_of(rolled))
        )
        if stop[0]:
            return None
        return self._worth(rolled.apply(turns[0].action), seat, self._luck_plies, stop)

    def _judge_turn(self, position: Position, action: int, stop: Ints) -> Judgement | None:
        stakes, seat = stakes_of(position), position.to_move
        turns = self._judge.turns(
            without_cube(position), self._plies, stop=stop, also=action, prices=prices(stakes)
        )
        if stop[0]:
            return None
        played = next(turn for turn in turns if turn.action == action)
        equals = [turn for turn in turns if turn.plies == played.plies]
        candidates = equals[:MAX_OPTIONS]
        if played not in candidates:
            candidates[-1] = played
        worths_of: dict[int, float] = {}
        for turn in candidates:
            worth = self._worth(position.apply(turn.action), seat, self._plies, stop)
            if worth is None:
                return None
            worths_of[turn.action] = self._rounded(worth)
        candidates.sort(key=lambda t: (-worths_of[t.action], t.action != action, t.action))
        write = position.game.format_action
        return self._judgement(
            stakes,
            loss=worths_of[candidates[0].action] - worths_of[action],
            best=[
                AnalysedOption(
                    action=write(position, turn.action),
                    value=worths_of[turn.action],
                    note=format_chances(turn.estimate),
                    equity=self._equity(position, worths_of[turn.action]),
                )
                for turn in candidates
            ],
            shows=1 << position.state[CUBE],
        )

    def _judge_decision(self, position: Position, action: int, stop: Ints) -> Judgement | None:
        found = judge_options(self._cubes, position, self._cube_plies, stop=stop)
        if found is None:
            return None
        shows = 1 << position.state[CUBE]
        scale = 1 if found.in_match else shows
        values = {each.action: self._rounded(each.value * scale) for each in found.options}
        options = sorted(found.options, key=lambda each: (each.loss, each.action != action))
        best, played = options[0], next(each for each in options if each.action == action)
        loss = self._rounded(played.loss * scale)
        write = position.game.format_action
        return self._judgement(
            stakes_of(position),
            loss=loss,
            best=[
                AnalysedOption(
                    action=write(position, each.action),
                    value=values[each.action],
                    note=_note(each, found),
                    equity=self._equity(position, values[each.action]),
                )
                for each in options
            ],
            shows=shows,
            cube=True,
            trivial=_is_trivial(position, played, found),
            mistake=_mistake(played.action, best.action, found) if loss else None,
        )

    def _judgement(
        self,
        stakes: Stakes,
        *,
        loss: float,
        best: list[AnalysedOption],
        shows: int,
        cube: bool = False,
        trivial: bool = False,
        mistake: CubeMistake | None = None,
    ) -> Judgement:
        """A judgement with its marks, which go by the normalised loss."""
        loss = self._rounded(loss)
        normalised = round(loss / stakes.one, 4)
        return Judgement(
            loss=loss,
            error=None,
            doubtful=BLUNDER / 2 <= normalised <= BLUNDER,
            blunder=normalised > BLUNDER,
            best=best,
            normalised=normalised,
            cube=cube,
            shows=shows,
            trivial=trivial,
            mistake=mistake,
        )

    def _worth(self, after: Position, seat: int, plies: int, stop: Ints) -> float | None:
        """What a position after a play is worth to `seat`; None once stopped."""
        if after.to_move == END:
            return self._result(after, seat)
        stakes = stakes_of(after)
        judgement = self._cubes.judge(without_cube(after), stakes, plies, stop=stop)
        if judgement is None:
            return None
        value, own = judgement.value, judgement.seat == seat
        if judgement.in_match:
            return value if own else 1 - value
        return (value if own else -value) * stakes.cube

    def _result(self, over: Position, seat: int) -> float:
        points = over.game.points(list(over.state)) * (1 if seat == 0 else -1)
        return self._worth_of_points(over, seat, points)

    def _worth_of_points(self, position: Position, seat: int, points: int) -> float:
        """What it is worth to `seat` to win so many points in this game; negative: to lose them."""
        if self.unit == "points":
            return float(points)
        most = max(-REACH, min(REACH, points))
        return (1 + worths(stakes_of(position), seat)[MIDDLE + most]) / 2

    def _equity(self, position: Position, chance: float) -> float | None:
        """What a chance to win the match is as equity: 1 is to win this game with the cube as it
        stands, -1 to lose it; None in a game of money, whose values are equities.
        """
        if self.unit == "points":
            return None
        seat, cube = position.to_move, stakes_of(position).cube
        won = self._worth_of_points(position, seat, cube)
        lost = self._worth_of_points(position, seat, -cube)
        return round((2 * chance - won - lost) / (won - lost), 4) + 0.0

    def _rounded(self, value: float) -> float:
        return round(value, DECIMALS[self.unit])


def _note(option: CubeOption, found: CubeOptions) -> str:
    """What is to be said of a decision besides what it is worth."""
    return "too good to double" if found.too_good and option.action == ROLL else ""


def _is_trivial(position: Position, played: CubeOption, found: CubeOptions) -> bool:
    """Whether no player would think about a decision, so that it does not count.

    Not to double is one where a double would cost much, or makes no difference, or where the cube
    is dead: who would win the match with it as it stands.
    """
    if position.state[OFFER] or played.action != ROLL or played.loss:
        return False
    stakes = stakes_of(position)
    if stakes.away is not None and stakes.away[position.to_move] <= stakes.cube:
        return True
    double = next(each for each in found.options if each.action == DOUBLE)
    cost = double.loss * (1 if found.in_match else stakes.cube) / stakes.one
    return cost >= CLOSE or cost < NO_DIFFERENCE


def _mistake(action: int, best: int, found: CubeOptions) -> CubeMistake | None:
    """What was wrong about a decision that was not the best one."""
    if action == ROLL:
        return "missed_double"
    if action == DOUBLE:
        return "too_good" if found.too_good else "early_double"
    if action == TAKE:
        return "missed_beaver" if best == BEAVER else "wrong_take"
    return "wrong_drop" if action == DROP else "wrong_beaver"
