"""Arrays of a training that travel together, as named tuples; see those of the nets in
bots/backgammon/kernels/records.py.
"""

from __future__ import annotations

from typing import NamedTuple

from bots.engine.kernels.rules import Floats, Ints


class RefinementSpace(NamedTuple):
    """More scratch memory of a thread, for games whose turns are chosen with lookahead.

    turns     int64 (Exploration.turns): those that get a look
    promised  float32 (OUTPUTS): the chances after the turn that is best without lookahead
    looked    float32 (OUTPUTS * Exploration.turns): the chances with lookahead after each of them
    decisions int64 (OTHERS): where what was chosen instead of each other turn is written
    start     int64 (STATE): where a game may begin
    """

    turns: Ints
    promised: Floats
    looked: Floats
    decisions: Ints
    start: Ints


class GameArrays(NamedTuple):
    """Room for the positions of one game of self-play.

    boards   int64 (MAX_POSITIONS * STATE)
    chances  float32 (MAX_POSITIONS * OUTPUTS): what the nets say of each; later the targets
    """

    boards: Ints
    chances: Floats


class KeptGames(NamedTuple):
    """Games of self-play with what the nets say of their positions.

    begins   int64 (games + 1): where the positions of each game begin
    first    int64 (games): which seat had the opening roll
    points   int64 (games): what seat 0 won
    chances  float32 (OUTPUTS * positions), of the side that is to roll
    live     float32 (positions): the efficiency of the cube in each
    """

    begins: Ints
    first: Ints
    points: Ints
    chances: Floats
    live: Floats


class CubeGame(NamedTuple):
    """Room for the positions of one game of money play with the cube.  See cube_games.py.

    kinds    int64 (MAX_POSITIONS): which net judges each, or the exact table
    pips     int64 (MAX_POSITIONS): those that who is ahead has to go
    cubes    int64 (MAX_POSITIONS): what the cube shows, negative where seat 1 is to roll
    used     float64 (MAX_POSITIONS): how live the cube was taken to be
    dead     float64 (MAX_POSITIONS): worth to that side if neither could turn it any more ...
    live     float64 (MAX_POSITIONS): ... and if it could be turned at any moment
    brought  float64 (MAX_POSITIONS): what came of it, without luck; these three with the cube as 1
    """

    kinds: Ints
    pips: Ints
    cubes: Ints
    used: Floats
    dead: Floats
    live: Floats
    brought: Floats


class Samples(NamedTuple):
    """Room for n positions to learn from.

    packed   int64 (n * PACKED): the positions
    targets  float32 (n * OUTPUTS): the chances that are to be learnt
    kinds    int64 (n): which net learns each
    """

    packed: Ints
    targets: Floats
    kinds: Ints


class Exploration(NamedTuple):
    """When a turn is played that is not the best.

    share  in how many of DECISIONS decisions any of the good turns is played
    turns  how many turns are good: the best ones ...
    gap    ... and none behind the best by more points
    """

    share: int
    turns: int
    gap: float


class Slopes(NamedTuple):
    """What Adam keeps of one net of n weights; float32 (n) each, all 0 at the start.

    slope  the sum over a batch
    mean   the running mean of the slopes, and
    square of their squares
    """

    slope: Floats
    mean: Floats
    square: Floats
