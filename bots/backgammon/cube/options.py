"""What a seat may do about the cube in a game with it, and what each of that is worth.

The state of such a game (games/backgammon_cube/rules.py) says what is played for; CubeJudge judges
it.  A beaver or raccoon is answered by what the board is worth to who does not own the cube.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from bots.backgammon.cube.cube_judge import TIE, ActionName, CubeAction, CubeJudge, CubeJudgement
from bots.backgammon.cube.match_table import MAX_AWAY
from bots.backgammon.cube.stakes import Stakes
from bots.bot import UNLIMITED
from games.backgammon.rules import TURN
from games.backgammon_cube.actions import decides_about_cube
from games.backgammon_cube.board import without_cube
from games.backgammon_cube.rules import (
    BEAVER,
    BEAVERS,
    CRAWFORD,
    CUBE,
    DOUBLE,
    DROP,
    JACOBY,
    LENGTH,
    LIMIT,
    OFFER,
    OWNER,
    ROLL,
    RULES,
    SCORE,
    TAKE,
)
from games.game import Ints, Position

ACTIONS: Final[dict[ActionName, int]] = {
    "roll": ROLL, "double": DOUBLE, "take": TAKE, "drop": DROP, "beaver": BEAVER,
}  # fmt: skip
# A win with this cube ends a match of 25 points whatever the score; a higher one is no different.
HIGHEST_IN_MATCH: Final = 32


@dataclass(frozen=True, slots=True)
class CubeOption:
    """A legal decision about the cube.

    value  what it leaves the seat that makes it: its chance to win the match, or points with the
           cube as it stood before the offer counted as 1
    loss   how much less that is than the best option's
    """

    action: int
    value: float
    loss: float


@dataclass(frozen=True, slots=True)
class CubeOptions:
    """All options of the seat that is to move, the best first.

    single    what it is worth to it to win, and to lose, what the cube showed before the offer
    in_match  values are chances to win a match
    too_good  a double would be dropped, and it is better to play on for a gammon
    plies     rolls that were looked ahead
    """

    options: tuple[CubeOption, ...]
    single: tuple[float, float]
    in_match: bool
    too_good: bool
    plies: int

    @property
    def points(self) -> float:
        """What the best is worth, in points: what the cube showed counts 1."""
        return self.as_points(self.options[0].value)

    def as_points(self, value: float) -> float:
        """A value as points, in between a won and a lost single game in proportion."""
        won, lost = self.single
        return 2 * (value - lost) / (won - lost) - 1 if won > lost else 0.0

    def misjudged(self, error: Callable[[int], float]) -> CubeOptions:
        """The options as somebody sees them who errs by so many points: `error` of an action."""
        won, lost = self.single
        seen = {o.action: o.value + error(o.action) * (won - lost) / 2 for o in self.options}
        if self.in_match:
            seen = {action: max(0.0, min(1.0, value)) for action, value in seen.items()}
        return replace(self, options=_ranked(seen), too_good=False)


def stakes_of(position: Position) -> Stakes:
    """What a game with the cube is played for, before the offer that may wait for an answer."""
    s = position.state
    owner = None if s[OWNER] < 0 else s[OWNER]
    fixed = s[CUBE] >= s[LIMIT]
    if not s[LENGTH]:
        rules = s[RULES]
        return Stakes(
            1 << s[CUBE],
            owner,
            jacoby=rules & JACOBY != 0,
            beavers=rules & BEAVERS != 0,
            fixed=fixed,
        )
    # Whatever is beyond the table is far from the end of the match: nearly money.
    away = min(MAX_AWAY, s[LENGTH] - s[SCORE]), min(MAX_AWAY, s[LENGTH] - s[SCORE + 1])
    crawford = s[RULES] == CRAWFORD
    return Stakes(
        min(1 << s[CUBE], HIGHEST_IN_MATCH),
        owner,
        away=away,
        crawford=crawford,
        crawford_over=1 in away and not crawford,
        fixed=fixed,
    )


def judge_options(
    cubes: CubeJudge,
    position: Position,
    plies: int,
    *,
    stop: Ints | None = None,
    nodes: int = UNLIMITED,
) -> CubeOptions | None:
    """What the seat to move may do about the cube; None as CubeJudge.judge.

    Args:
        position: of a game with the cube, in which a seat rolls, doubles or answers.
        plies: 0 to 2 rolls to look ahead.

    Raises:
        ValueError: no decision about the cube is due here.
    """
    if not decides_about_cube(position):
        raise ValueError(f"no decision about the cube is due in {position}")
    stakes, offer, turn = stakes_of(position), position.state[OFFER], position.state[TURN]
    if offer > 1:
        stakes = replace(stakes, cube=stakes.cube << offer, owner=1 - turn)
    judgement = cubes.judge(without_cube(position), stakes, plies, stop=stop, nodes=nodes)
    if judgement is None:
        return None
    if offer > 1:
        return _after_beaver(position, judgement.stays, plies)
    actions = judgement.answers() if offer else judgement.actions()
    if not offer and judgement.double:  # on a tie, too, where it has nothing to lose
        actions.sort(key=lambda action: action.name != "double")
    return CubeOptions(
        options=_legal(position, actions),
        single=_single(judgement, turned=bool(offer)),
        in_match=judgement.in_match,
        too_good=not offer and judgement.too_good,
        plies=plies,
    )


def _legal(position: Position, actions: list[CubeAction]) -> tuple[CubeOption, ...]:
    """The legal ones of these, the best first."""
    legal = position.legal_actions()
    values = {ACTIONS[each.name]: each.value for each in actions if ACTIONS[each.name] in legal}
    best = max(values.values())
    return tuple(
        CubeOption(action, value, 0.0 if best - value <= TIE else best - value)
        for action, value in values.items()
    )


def _single(judgement: CubeJudgement, *, turned: bool) -> tuple[float, float]:
    """What winning and losing a single game is worth to who is to roll; `turned`: to the other."""
    won, lost = judgement.single
    if not turned:
        return won, lost
    return (1 - lost, 1 - won) if judgement.in_match else (-lost, -won)


def _after_beaver(position: Position, stays: float, plies: int) -> CubeOptions:
    """What to answer to a beaver or a raccoon, which belong to money.

    Args:
        stays: what the board is worth to whose turn it is while the other side owns the cube, in
            points with that cube counted as 1.
    """
    s = position.state
    offer = s[OFFER]
    mine = stays if position.to_move == s[TURN] else -stays
    values = {TAKE: mine * 2**offer, DROP: -(2.0 ** (offer - 1)), BEAVER: mine * 2 ** (offer + 1)}
    legal = position.legal_actions()
    return CubeOptions(
        options=_ranked({action: value for action, value in values.items() if action in legal}),
        single=(1.0, -1.0),
        in_match=False,
        too_good=False,
        plies=plies,
    )


def _ranked(values: dict[int, float]) -> tuple[CubeOption, ...]:
    best = max(values.values())
    found = [CubeOption(action, value, best - value) for action, value in values.items()]
    return tuple(sorted(found, key=lambda option: (option.loss, option.action)))
