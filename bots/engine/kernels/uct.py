"""UCT: Monte Carlo tree search in one flat array, for every game, dice included.

A simulation does four steps: `descend` selects a path from the root by upper confidence bounds,
`expand` gives a leaf its children on its second visit, `random_result` plays the game to its end
from there, and `back_up` adds the points to every node of the path.  To learn how it works, read
bots/reading/simple_uct.py first: it is the same search, written to be read.

The tree is an array of ints; a node is the index of its first one, and the children of a node lie
side by side:

    FIRST    its first child; only if COUNT > 0
    COUNT    how many children; 0: not expanded, or the game is over
    ACTION   what leads here from its parent
    VISITS   playouts that went through here
    TOTAL    their points for seat 0, summed: nothing changes sign on the way up
    MOVER    0, 1, CHANCE, END, or UNKNOWN: not visited yet
    PROVEN   0: open; else the points of seat 0 under best play, plus 1 + MAX_RETURN
    (one more, so that a node fills a line of the machine's cache)

In front of them: tree[ROOT], tree[FREE] (where the next children go), tree[LIMIT] (its end).

What always holds, between simulations: a node's visits are its children's plus the playouts that
began at it (one leaf's worth, more only where the tree was full); |TOTAL| <= MAX_RETURN * VISITS; a
value that is proven never changes.

Why an array of ints, and not objects as in simple_uct.py: it is compiled, and a node is one line of
the cache.  Why a node has no state, which is played again on each way down: so it takes 64 bytes in
every game.  Why several threads search trees of their own, added up at the end
(bots/engine/tree.py), and not one together: two small trees know a little less than a large one,
but none waits for another (Chaslot, Winands, van den Herik).

Sources: L. Kocsis, C. Szepesvari, "Bandit based Monte-Carlo Planning", ECML 2006 (UCT); M. Winands,
Y. Bjornsson, J.-T. Saito, "Monte-Carlo Tree Search Solver", CG 2008 (proofs); F. Teytaud,
O. Teytaud, "On the Huge Benefit of Decisive Moves in MCTS Algorithms", CIG 2010.
"""

from __future__ import annotations

from math import log, sqrt

from bots.engine.kernels.records import Scratch, UctOptions
from bots.engine.kernels.rules import (
    CHANCE,
    END,
    HAS_CHANCE,
    HAS_PLAYOUT,
    HAS_TACTIC,
    MAX_PLIES,
    MAX_RETURN,
    STATE,
    Floats,
    Ints,
    legal,
    mover,
    play,
    playout,
    points,
    tactic,
    weight,
)
from games.kernel import kernel
from games.rng import below

FIRST, COUNT, ACTION, VISITS, TOTAL, MOVER, PROVEN = 0, 1, 2, 3, 4, 5, 6
NODE = 8
ROOT, FREE, LIMIT = 0, 1, 2
UNKNOWN = -3
TABLED = 65_536  # up to this number of visits the functions of `fill` are looked up


@kernel
def fill(table: Floats) -> None:
    """Write sqrt(log n) and, TABLED further on, 1 / sqrt(n): four fifths of a selection's time."""
    table[0] = 0.0
    table[TABLED] = 0.0
    for n in range(1, TABLED):
        table[n] = sqrt(log(float(n)))
        table[TABLED + n] = 1.0 / sqrt(float(n))


@kernel
def clear(tree: Ints, limit: int) -> None:
    """Make a tree of a root alone, which may grow to index `limit`."""
    tree[ROOT] = NODE
    tree[FREE] = 2 * NODE
    tree[LIMIT] = limit
    open_node(tree, NODE, 0)


@kernel
def open_node(tree: Ints, node: int, action: int) -> None:
    """Write a node that was not visited yet."""
    tree[node + FIRST] = 0
    tree[node + COUNT] = 0
    tree[node + ACTION] = action
    tree[node + VISITS] = 0
    tree[node + TOTAL] = 0
    tree[node + MOVER] = UNKNOWN
    tree[node + PROVEN] = 0


@kernel
def expand(tree: Ints, node: int, s: Ints, rng: Ints, out: Ints, tmp: Ints) -> bool:
    """Give `node`, whose state is `s`, its children; False, and nothing done, if the tree is full.

    Seats' actions in random order, as children are first visited in the order in which they lie;
    chance actions in their own.
    """
    n = legal(s, out, tmp)
    first = tree[FREE]
    if first + n * NODE > tree[LIMIT]:
        return False
    tree[FREE] = first + n * NODE
    tree[node + FIRST] = first
    tree[node + COUNT] = n
    if tree[node + MOVER] != CHANCE:
        for i in range(n - 1, 0, -1):
            j = below(rng, i + 1)
            action = out[i]
            out[i] = out[j]
            out[j] = action
    for i in range(n):
        open_node(tree, first + i * NODE, out[i])
    return True


@kernel
def select(tree: Ints, node: int, exploration: float, table: Floats) -> int:
    """The child of an expanded node to go to: one not visited yet, else the highest bound.

    The bound is mean + exploration * sqrt(log(visits of the node) / visits of the child), with the
    mean in [-1, 1] for the seat to move.  A child that is proven to lose everything is left out;
    not all of them are, or the node would be proven itself.
    """
    first = tree[node + FIRST]
    visits = tree[node + VISITS]
    seat = tree[node + MOVER]
    sign = 1.0 / MAX_RETURN if seat == 0 else -1.0 / MAX_RETURN
    lost = 1 if seat == 0 else 1 + 2 * MAX_RETURN
    wide = exploration * (table[visits] if visits < TABLED else sqrt(log(float(visits))))
    best = first
    highest = -1e18
    for child in range(first, first + tree[node + COUNT] * NODE, NODE):
        n = tree[child + VISITS]
        if n == 0:
            return child
        narrow = table[TABLED + n] if n < TABLED else 1.0 / sqrt(float(n))
        bound = narrow * (narrow * sign * tree[child + TOTAL] + wide)
        if bound > highest and tree[child + PROVEN] != lost:
            highest = bound
            best = child
    return best


@kernel
def roll(tree: Ints, node: int, s: Ints, rng: Ints) -> int:
    """The child of an expanded chance node that the dice lead to, by weight."""
    first = tree[node + FIRST]
    end = first + tree[node + COUNT] * NODE
    total = 0
    for child in range(first, end, NODE):
        total += weight(s, tree[child + ACTION])
    point = below(rng, total)
    for child in range(first, end, NODE):
        point -= weight(s, tree[child + ACTION])
        if point < 0:
            return child
    return first


@kernel
def descend(
    tree: Ints,
    s: Ints,
    rng: Ints,
    out: Ints,
    tmp: Ints,
    path: Ints,
    exploration: float,
    table: Floats,
) -> int:
    """Walk from the root, whose state is in `s`, to a leaf, and write the nodes into `path`.

    A leaf is a node not visited yet, where the game is over or its end proven, where it has lasted
    too long, or where the tree is full.

    Returns: the index of the leaf in `path`; `s` is its state.
    """
    node = tree[ROOT]
    depth = 0
    while True:
        path[depth] = node
        if tree[node + MOVER] == UNKNOWN:
            tree[node + MOVER] = mover(s)
        if tree[node + VISITS] == 0 or tree[node + MOVER] == END or tree[node + PROVEN] != 0:
            return depth
        if depth == MAX_PLIES:  # a match is void here
            return depth
        if tree[node + COUNT] == 0 and not expand(tree, node, s, rng, out, tmp):
            return depth
        if HAS_CHANCE and tree[node + MOVER] == CHANCE:
            node = roll(tree, node, s, rng)
        else:
            node = select(tree, node, exploration, table)
        play(s, tree[node + ACTION])
        depth += 1


@kernel
def random_result(s: Ints, rng: Ints, out: Ints, tmp: Ints, decisive: int) -> int:
    """The points of seat 0 after a random game from `s`, which is played to its end.

    `decisive`: a side wins at once or blocks where it can.  A game that reaches the limit
    of plies counts nothing.
    """
    if HAS_PLAYOUT and not (decisive and HAS_TACTIC):
        return playout(s, rng, out, tmp)
    for _ in range(MAX_PLIES):
        n = 0
        if HAS_TACTIC and decisive:
            n = tactic(s, out, tmp)
        if n == 0:
            n = legal(s, out, tmp)
        if n == 0:
            return points(s)
        if HAS_CHANCE and mover(s) == CHANCE:
            play(s, fallen(s, out, n, rng))
        else:
            play(s, out[below(rng, n)])
    return points(s) if mover(s) == END else 0


@kernel
def fallen(s: Ints, actions: Ints, n: int, rng: Ints) -> int:
    """One of the first `n` chance actions, by weight."""
    total = 0
    for i in range(n):
        total += weight(s, actions[i])
    point = below(rng, total)
    i = 0
    while point >= 0:
        point -= weight(s, actions[i])
        i += 1
    return actions[i - 1]


@kernel
def back_up(tree: Ints, path: Ints, depth: int, result: int, visits: int) -> None:
    """Add the points of `visits` playouts to every node of the path."""
    for i in range(depth + 1):
        tree[path[i] + VISITS] += visits
        tree[path[i] + TOTAL] += result


@kernel
def prove(tree: Ints, path: Ints, depth: int) -> None:
    """Carry the proof of the last node of the path up as far as it reaches."""
    for i in range(depth - 1, -1, -1):
        proven = proof(tree, path[i])
        if proven == 0:
            return
        tree[path[i] + PROVEN] = proven


@kernel
def proof(tree: Ints, node: int) -> int:
    """What follows for an expanded node from its children, as in PROVEN.

    A seat takes the best: it is known when there is a win of the most points, or when all children
    are proven.  At a chance node all outcomes have to agree.
    """
    seat = tree[node + MOVER]
    first = tree[node + FIRST]
    end = first + tree[node + COUNT] * NODE
    most = 1 if seat == 1 else 1 + 2 * MAX_RETURN
    best = tree[first + PROVEN]
    for child in range(first, end, NODE):
        proven = tree[child + PROVEN]
        if proven == most and seat != CHANCE:
            return most
        if proven == 0 or best == 0:
            best = 0
        elif seat == CHANCE:
            best = best if proven == best else 0
        elif seat == 0:
            best = max(best, proven)
        else:
            best = min(best, proven)
    return best


@kernel
def search(
    tree: Ints,
    start: Ints,
    path: Ints,
    scratch: Scratch,
    rng: Ints,
    options: UctOptions,
    nodes: int,
    stop: Ints,
) -> int:
    """Make `nodes` simulations, fewer if `stop[0]` is set or the root is proven: how many it made.

    `start` is the root's state; `path` (MAX_PLIES + 2) is scratch, too.
    """
    s = scratch.s
    out = scratch.out
    tmp = scratch.tmp
    playouts = options.playouts
    root = tree[ROOT]
    done = 0
    while done < nodes and stop[0] == 0 and tree[root + PROVEN] == 0:
        for i in range(STATE):
            s[i] = start[i]
        depth = descend(tree, s, rng, out, tmp, path, options.exploration, options.bounds)
        leaf = path[depth]
        if tree[leaf + MOVER] == END:
            result = points(s)
            if options.proofs and tree[leaf + PROVEN] == 0:
                tree[leaf + PROVEN] = 1 + MAX_RETURN + result
                prove(tree, path, depth)
            result *= playouts
        elif tree[leaf + PROVEN] != 0:
            result = (tree[leaf + PROVEN] - 1 - MAX_RETURN) * playouts
        else:
            result = leaf_result(tree, start, path, depth, scratch, rng, options)
        back_up(tree, path, depth, result, playouts)
        done += 1
    return done


@kernel
def leaf_result(
    tree: Ints,
    start: Ints,
    path: Ints,
    depth: int,
    scratch: Scratch,
    rng: Ints,
    options: UctOptions,
) -> int:
    """The points of options.playouts random games from the leaf, summed; each after the first
    comes back to it along the path.
    """
    s = scratch.s
    result = random_result(s, rng, scratch.out, scratch.tmp, options.decisive)
    for _ in range(1, options.playouts):
        for i in range(STATE):
            s[i] = start[i]
        for i in range(1, depth + 1):
            play(s, tree[path[i] + ACTION])
        result += random_result(s, rng, scratch.out, scratch.tmp, options.decisive)
    return result


@kernel
def find(tree: Ints, start: Ints, goal: Ints, s: Ints, path: Ints, most: int) -> int:
    """The node at most `most` plies below the root whose state is `goal`; 0 if none has been
    there.

    `start` is the root's state, `s` scratch; `path` takes 2 * (most + 1) ints.
    """
    tried = most + 1  # path[tried + depth]: how many children of path[depth] have been looked at
    depth = 0
    path[0] = tree[ROOT]
    path[tried] = 0
    arrived = True
    while depth >= 0:
        node = path[depth]
        if arrived:
            for i in range(STATE):
                s[i] = start[i]
            for i in range(1, depth + 1):
                play(s, tree[path[i] + ACTION])
            if same(s, goal):
                return node
            arrived = False
        k = path[tried + depth]
        if depth == most or k == tree[node + COUNT]:
            depth -= 1
            continue
        path[tried + depth] = k + 1
        child = tree[node + FIRST] + k * NODE
        if tree[child + VISITS] > 0:
            depth += 1
            path[depth] = child
            path[tried + depth] = 0
            arrived = True
    return 0


@kernel
def same(s: Ints, goal: Ints) -> bool:
    for i in range(STATE):  # noqa: SIM110 - a kernel knows no all()
        if s[i] != goal[i]:
            return False
    return True


@kernel
def transplant(tree: Ints, node: int, other: Ints, limit: int) -> None:
    """Make `other` the tree below `node`, level by level, with `node` as its root.

    The part fits wherever the whole did; `limit` as in `clear`.
    """
    clear(other, limit)
    copy(tree, node, other, NODE)
    here = NODE
    while here < other[FREE]:
        count = other[here + COUNT]
        if count > 0:
            old = other[here + FIRST]
            new = other[FREE]
            other[FREE] = new + count * NODE
            other[here + FIRST] = new
            for i in range(0, count * NODE, NODE):
                copy(tree, old + i, other, new + i)
        here += NODE


@kernel
def copy(tree: Ints, node: int, other: Ints, place: int) -> None:
    for i in range(NODE):
        other[place + i] = tree[node + i]
