"""Monte Carlo tree search with UCT, written to be read; works for every game, dice included.

One simulation walks down from the root to a leaf, plays the game out at random from there, and adds
the result to every node that it came through.  A leaf gets its children on its second visit.  A
node holds the *points of seat 0*, so nothing changes sign on the way up, and games in which a seat
moves twice need no special case.

With the same random numbers it grows the same tree as bots/engine/kernels/uct.py without proofs.

Source: L. Kocsis, C. Szepesvari, "Bandit based Monte-Carlo Planning", ECML 2006 (UCT).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt

from games.game import CHANCE, END, Game, Ints
from games.rng import below


class Node:
    """A position that an action led to.

    action   what led here from the parent; -1 at the root
    state    the kernel state; never written into
    mover    0, 1, CHANCE or END
    visits   simulations that came through here
    total    their points for seat 0, summed
    children  empty until the second visit; in the order in which they are first visited
    """

    __slots__ = ("action", "children", "mover", "state", "total", "visits")

    def __init__(self, action: int, state: list[int], mover: int) -> None:
        self.action = action
        self.state = state
        self.mover = mover
        self.visits = 0
        self.total = 0
        self.children: list[Node] = []


@dataclass(frozen=True, slots=True)
class RootAction:
    """An action at the root: how often it was tried, its mean value in [-1, 1] for the mover."""

    action: int
    visits: int
    value: float


class SimpleUct:
    """One search of one position.  Deterministic under (rng, nodes) while `stop` is not set."""

    def __init__(self, game: Game, rng: Ints, *, exploration: float = 1.0) -> None:
        """`rng` (games.rng.seeded) is advanced; `exploration` is the constant c of UCT for values
        in [-1, 1].
        """
        self.game = game
        self.exploration = exploration
        self.rng = rng
        self.out = [0] * game.max_legal
        self.tmp = [0] * game.scratch

    def run(self, state: list[int], nodes: int, stop: Ints) -> list[RootAction]:
        """Make `nodes` simulations from `state`, or fewer if `stop[0]` is set meanwhile.

        Returns: the actions tried, best first: by visits, then value, then the lowest action.
        """
        root = Node(-1, state, self.game.mover(state))
        while root.visits < nodes and not stop[0]:
            self._simulate(root)
        sign = (1 if root.mover == 0 else -1) / self.game.max_return
        tried = [
            RootAction(child.action, child.visits, sign * child.total / child.visits)
            for child in root.children
            if child.visits
        ]
        return sorted(tried, key=lambda c: (-c.visits, -c.value, c.action))

    def _simulate(self, root: Node) -> None:
        path = [root]
        node = root
        while node.mover != END and node.visits > 0:
            if not node.children:
                self._expand(node)
            node = self._roll(node) if node.mover == CHANCE else self._select(node)
            path.append(node)
        points = self._playout(node.state[:])
        for node in path:
            node.visits += 1
            node.total += points

    def _expand(self, node: Node) -> None:
        """Give a node its children: those of a seat in random order, those of the dice not."""
        actions = self.out[: self.game.legal(node.state, self.out, self.tmp)]
        if node.mover != CHANCE:
            for i in range(len(actions) - 1, 0, -1):
                j = below(self.rng, i + 1)
                actions[i], actions[j] = actions[j], actions[i]
        for action in actions:
            state = node.state[:]
            self.game.play(state, action)
            node.children.append(Node(action, state, self.game.mover(state)))

    def _select(self, node: Node) -> Node:
        """UCT: a child without visits, else the one with the highest upper bound, which is its
        mean value + c * sqrt(ln(visits of the node) / its visits).
        """
        sign = (1 if node.mover == 0 else -1) / self.game.max_return
        best, best_bound = node, -1e9
        for child in node.children:
            if child.visits == 0:
                return child
            mean = sign * child.total / child.visits
            bound = mean + self.exploration * sqrt(log(node.visits) / child.visits)
            if bound > best_bound:
                best, best_bound = child, bound
        return best

    def _roll(self, node: Node) -> Node:
        """At a chance node: the child that a roll leads to."""
        actions = [child.action for child in node.children]
        return node.children[self._chance(node.state, actions)]

    def _playout(self, s: list[int]) -> int:
        """Points for seat 0 of a random game from `s` to its end; 0 if it reaches the ply limit."""
        game, out, tmp, rng = self.game, self.out, self.tmp, self.rng
        if game.playout is not None and game.mover(s) != END:
            return game.playout(s, rng, out, tmp)
        for _ in range(game.max_plies):
            n = game.legal(s, out, tmp)
            if n == 0:
                break
            if game.mover(s) == CHANCE:
                game.play(s, out[self._chance(s, out[:n])])
            else:
                game.play(s, out[below(rng, n)])
        return game.points(s) if game.mover(s) == END else 0

    def _chance(self, s: Ints, actions: list[int]) -> int:
        """The index of one of the chance actions, each as likely as its weight says."""
        weight = self.game.weight
        if weight is None:
            raise ValueError("a game with chance nodes needs weights")
        weights = [weight(s, action) for action in actions]
        point = below(self.rng, sum(weights))
        i = 0
        while point >= weights[i]:
            point -= weights[i]
            i += 1
        return i
