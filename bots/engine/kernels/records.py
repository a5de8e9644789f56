"""Arrays and numbers of the searches that travel together, as named tuples.

Compiled code takes a named tuple as it takes its parts one by one.  The classes stand in a file
without kernels, which is never copied (bots/engine/compiled.py): all copies share them.  Arrays are
int64, unless it says otherwise.
"""

from __future__ import annotations

from typing import NamedTuple

from bots.engine.kernels.rules import Floats, Ints


class Scratch(NamedTuple):
    """Scratch memory for playing on from a position.

    s, t  STATE each: a position, and what an action makes of it
    out   MAX_LEGAL: the legal actions
    tmp   SCRATCH: for the rules
    """

    s: Ints
    t: Ints
    out: Ints
    tmp: Ints


class Replies(NamedTuple):
    """Scratch memory for answering each roll after an action.

    after, s, t  STATE each: after the action, after the roll, after the reply
    rolls        MAX_LEGAL
    replies      MAX_LEGAL
    tmp          SCRATCH: for the rules
    """

    after: Ints
    s: Ints
    t: Ints
    rolls: Ints
    replies: Ints
    tmp: Ints


class UctOptions(NamedTuple):
    """How a tree is searched.

    exploration  the constant c of UCT for values in [-1, 1]
    bounds       float64 (2 * TABLED): the table of uct.fill
    playouts     from each new leaf
    proofs       1: carry proven values up
    decisive     1: in random games a side wins at once or blocks where it can
    """

    exploration: float
    bounds: Floats
    playouts: int
    proofs: int
    decisive: int


class Candidates(NamedTuple):
    """The actions at the root; MAX_LEGAL each.

    actions  in the order in which they are first tried
    visits   playouts of each, and
    totals   their sum for seat 0, where 10,000 is the most that can be won
    """

    actions: Ints
    visits: Ints
    totals: Ints


class FlatOptions(NamedTuple):
    """How playouts are shared out and judged.

    exploration  the constant c of UCB1, for values in points
    plies        random ones of a playout before it is judged; 0: to its end
    weights      (FEATURES): of the game's features, in thousandths of a point
    features     (FEATURES): scratch
    """

    exploration: float
    plies: int
    weights: Ints
    features: Ints
