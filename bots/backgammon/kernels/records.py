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


class CubeSpace(NamedTuple):
    """The cube, what is played for, and scratch memory for one thread.  See cube.py.

    cube        int64 (3): what level 0 counts, in points; 1 where the Jacoby rule holds, or 0; and
                at how many positions judged, by Workspace.spent, no further roll is looked at
    worth       float64 (WORTH): what so many points are worth to the side on roll at the root
    their_worth float64 (WORTH): ... to the other side
    efficiency  float64 (EFFICIENCY)
    levels      float64 (4 * LEVELS): what a position is worth to win and lose, and where one drops
    cubes       int64 (DEPTHS * MAX_CUBES): the levels of the cubes that are looked at, by depth
    holders     int64 (DEPTHS * MAX_CUBES): ... and who holds each, as the side on roll sees it
    values      float64 (DEPTHS * MAX_CUBES): what each is worth to the side on roll
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
