"""Games that the nets play against themselves, to be gone through with the cube at any score.

A game is played without a cube, and of each position its chances are kept.  Then it can be told for
every score what would have become of it: who would have doubled where, who would have dropped, and
what the result would have counted.  Dice and plays stay the same at all scores, so differences
between scores owe nothing to luck.
"""

from __future__ import annotations

from bots.backgammon.kernels.cube import (
    CENTRED,
    THEIRS,
    cubeful,
    efficiency,
    idle,
    may_double,
    other_side,
    set_levels,
    worth_of,
)
from bots.backgammon.kernels.net import OUTPUTS, TABLE_AT, kind
from bots.backgammon.kernels.records import CubeSpace, NetArrays, Workspace
from bots.engine.kernels.rules import STATE, Ints, points
from games.backgammon.rules import TURN
from games.kernel import kernel
from lab.training.kernels.selfplay import play_game
from lab.training.kernels.training_records import GameArrays, KeptGames

LOOSE = True
TIE = 1e-6  # of a match
MIN_CHANCE = 0.25  # chance to win: below it no side doubles that has something to lose


@kernel
def keep_games(
    rng: Ints,
    n: int,
    most: int,
    game: GameArrays,
    games: KeptGames,
    net: NetArrays,
    work: Workspace,
    space: CubeSpace,
    stop: Ints,
) -> int:
    """Play games until `games` holds n of them, or no more positions; how many it holds.

    Of each the positions before a roll are kept, at most the first `most`.
    """
    s = work.s
    at = 0
    kept = 0
    games.begins[0] = 0
    for _ in range(n):
        count = play_game(rng, True, game, net, work, stop)
        if count == 0:  # longer than any game should be
            continue
        games.points[kept] = points(s)
        games.first[kept] = game.boards[TURN]
        last = min(count - 2, most)  # neither before the opening roll nor after the end
        if at + last > len(games.live):
            break
        for i in range(1, last + 1):
            for j in range(STATE):
                s[j] = game.boards[i * STATE + j]
            games.live[at] = efficiency(s, kind(s, net.shape[TABLE_AT]), space.efficiency)
            for o in range(OUTPUTS):
                games.chances[at * OUTPUTS + o] = game.chances[i * OUTPUTS + o]
            at += 1
        kept += 1
        games.begins[kept] = at
    return kept


@kernel
def replay(games: KeptGames, g: int, turned: bool, space: CubeSpace) -> float:
    """What game g is worth to seat 0, or to seat 1 if `turned`, with the cube from 1 on.

    space.worth is that of the asking side, space.their_worth that of the other.
    """
    levels = space.levels
    cube = 1
    holder = CENTRED
    mine = (games.first[g] != 0) != turned  # the side without the opening roll rolls next
    for i in range(games.begins[g], games.begins[g + 1]):
        worth = space.worth if mine else space.their_worth
        p = games.chances[i * OUTPUTS]
        desperate = idle(worth, -cube)
        if may_double(holder) and not idle(worth, cube) and (p > MIN_CHANCE or desperate):
            set_levels(games.chances, i * OUTPUTS, cube, worth, space)
            x = games.live[i]
            stays = cubeful(p, 0, cube, holder, False, x, worth, levels)
            taken = cubeful(p, 1, cube, THEIRS, False, x, worth, levels)
            cash = worth_of(worth, cube)
            # A tie, but for rounding: who has nothing more to lose doubles, and none else.
            if min(taken, cash) > stays + (-TIE if desperate else TIE):
                if taken > cash:
                    return worth_of(space.worth, cube if mine else -cube)
                cube *= 2
                holder = THEIRS
        holder = other_side(holder)
        mine = not mine
    return worth_of(space.worth, cube * (-games.points[g] if turned else games.points[g]))


@kernel
def replay_all(games: KeptGames, n: int, turned: bool, space: CubeSpace) -> float:
    """What n games are worth on average to seat 0, or to seat 1 if `turned`."""
    total = 0.0
    for g in range(n):
        total += replay(games, g, turned, space)
    return total / n
