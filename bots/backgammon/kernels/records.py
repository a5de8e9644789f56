"""Arrays of the nets of backgammon that travel together, as named tuples.

Compiled code takes a named tuple as it takes its arrays one by one.  The classes stand in a file
without kernels, which is never copied (bots/engine/compiled.py): all copies share them, and numba
compiles a kernel once.
"""

from __future__ import annotations

from typing import NamedTuple

from bots.engine.kernels.rules import Floats, Ints


class NetArrays(NamedTuple):
    """The nets and the tables that they go with: read by all threads, written only by learning.

    weights  float32: all nets behind each other.  One with H hidden units is INPUTS x H weights,
             OUTPUTS x H weights, and OUTPUTS biases
    shape    int64 (SHAPE): of each net where it begins, and H; then the most checkers of the exact
             table, 0 for none
    escapes  int64 (ESCAPES): the table of inputs.py
    tails    float32, and
    first    float32: the exact table of bearoff.py
    """

    weights: Floats
    shape: Ints
    escapes: Ints
    tails: Floats
    first: Floats


class Workspace(NamedTuple):
    """The scratch memory of one thread.  H is the width of the widest net.

    inputs           int64 (INPUTS): which inputs are not 0, or have changed ...
    times            float32 (INPUTS): ... and by how much
    features         float32 (FEATURES) of a position
    features_before  float32 (FEATURES) of the position before a turn
    hidden           float32 (H): what comes into the hidden units, then what comes out
    blame            float32 (H): the share of each hidden unit in an error
    chances          float32 (OUTPUTS) of the position that was judged last
    sums             float32 (KINDS * H): what the inputs before a turn add up to in each net
    summed           int64 (KINDS): 1 for a net whose sums are there
    turns            int64 (MAX_LEGAL): the legal turns
    values           float64 (MAX_LEGAL): what each turn leaves the mover, in points
    prices           float32 (2 * OUTPUTS): what each of its chances is worth to seat 0, and to
                     seat 1; see net.py: equity
    after            float32 (OUTPUTS * MAX_LEGAL): the chances after each turn, for the other side
    s, t, reply      int64 (STATE): the position, what a turn makes of it, a reply
    average, within, change  float32 (OUTPUTS): chances looked ahead, at both levels; a difference
    tmp              int64 (SCRATCH): for the rules
    spent            int64 (1): how many positions were judged
    """

    inputs: Ints
    times: Floats
    features: Floats
    features_before: Floats
    hidden: Floats
    blame: Floats
    chances: Floats
    sums: Floats
    summed: Ints
    turns: Ints
    values: Floats
    prices: Floats
    after: Floats
    s: Ints
    t: Ints
    reply: Ints
    average: Floats
    within: Floats
    change: Floats
    tmp: Ints
    spent: Ints


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


class CubeSpace(NamedTuple):
    """The cube, what is played for, and scratch memory for one thread.  See cube.py.

    cube        int64 (3): what level 0 counts, in points; 1 where the Jacoby rule holds, or 0; and
                at how many positions judged, by Workspace.spent, no further roll is looked at
    worth       float64 (WORTH): what so many points are worth to the side on roll at the root
    their_worth float64 (WORTH): ... to the other side
    efficiency  float64 (EFFICIENCY)
    levels      float64 (4 * LEVELS): what a position is worth to win and lose, and where one drops
    cubes       int64 (DEPTHS * MOST_CUBES): the levels of the cubes that are looked at, by depth
    holders     int64 (DEPTHS * MOST_CUBES): ... and who holds each, as the side on roll sees it
    values      float64 (DEPTHS * MOST_CUBES): what each is worth to the side on roll
    first, last int64 (STATE): positions one roll ahead, and as many as are looked ahead
    """

    cube: Ints
    worth: Floats
    their_worth: Floats
    efficiency: Floats
    levels: Floats
    cubes: Ints
    holders: Ints
    values: Floats
    first: Ints
    last: Ints


class GameArrays(NamedTuple):
    """Room for the positions of one game of self-play.

    boards   int64 (LONGEST * STATE)
    chances  float32 (LONGEST * OUTPUTS): what the nets say of each; later the targets
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

    kinds    int64 (LONGEST): which net judges each, or the exact table
    pips     int64 (LONGEST): those that who is ahead has to go
    cubes    int64 (LONGEST): what the cube shows, negative where seat 1 is to roll
    used     float64 (LONGEST): how live the cube was taken to be
    dead     float64 (LONGEST): what each is worth to that side if nobody could turn it any more ...
    live     float64 (LONGEST): ... and if it could be turned at any moment
    brought  float64 (LONGEST): what came of it, without luck; all three with the cube counted as 1
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
