"""Monte Carlo tree search with UCT, written to be read; works for every game, dice included.

One simulation walks down from the root, adds one node, plays the game out at random from there, and
adds the result to every node it came through.  A node holds the *points of seat 0*, so nothing
changes sign on the way up, and games in which a seat moves twice need no special case.

Sources: L. Kocsis, C. Szepesvari, "Bandit based Monte-Carlo Planning", ECML 2006 (UCT);
R. Coulom, "Efficient Selectivity and Backup Operators in Monte-Carlo Tree Search", CG 2006 (one
node a simulation).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt

from bots.search.kernels import CHANCE, END, Ints, Kernels
from games.rng import below


class Node:
    """A position that the search has been to.

    state    the kernel state; nobody writes into it
    mover    0, 1, CHANCE or END
    visits   simulations that came through here
    total    their points for seat 0, summed
    untried  legal actions without a child yet, in no order; None until the second visit
    children action -> Node
    """

    __slots__ = ("children", "mover", "state", "total", "untried", "visits")

    def __init__(self, state: list[int], mover: int) -> None:
        self.state = state
        self.mover = mover
        self.visits = 0
        self.total = 0.0
        self.untried: list[int] | None = None
        self.children: dict[int, Node] = {}


@dataclass(frozen=True, slots=True)
class Candidate:
    """An action at the root: how often it was tried, its mean value in [-1, 1] for the mover."""

    action: int
    visits: int
    value: float


class SimpleUct:
    """One search of one position.  Deterministic under (rng, nodes) while nobody sets `stop`."""

    def __init__(
        self, game: Kernels, rng: Ints, *, exploration: float = 1.0, playouts: int = 1
    ) -> None:
        """`rng` (games.rng.seeded) is advanced; `playouts` are played at each new node.

        `exploration` is the constant c of UCT for values in [-1, 1].
        """
        self.game = game
        self.exploration = exploration
        self.playouts = playouts
        self.rng = rng
        self.out = [0] * game.max_legal
        self.tmp = [0] * game.scratch
        self.stop: Ints = [0]

    def run(self, state: list[int], nodes: int, stop: Ints) -> list[Candidate]:
        """Make `nodes` simulations from `state`, or fewer if `stop[0]` is set meanwhile.

        Returns: the actions tried, best first: by visits, then value, then the lowest action.
        """
        self.stop = stop
        root = Node(state, self.game.mover(state))
        while root.visits < nodes and not stop[0]:
            self._simulate(root)
        sign = (1 if root.mover == 0 else -1) / self.game.max_return
        tried = [
            Candidate(action, child.visits, sign * child.total / child.visits)
            for action, child in root.children.items()
        ]
        return sorted(tried, key=lambda c: (-c.visits, -c.value, c.action))

    def _simulate(self, root: Node) -> None:
        path = [root]
        node = root
        while node.mover != END and (node is root or node.visits > 0):
            node = self._child(node)
            path.append(node)
        points = self._result(node)
        for node in path:
            node.visits += 1
            node.total += points

    def _child(self, node: Node) -> Node:
        """The child to walk to: any untried one first, then the one of the highest upper bound."""
        if node.untried is None:
            node.untried = self._legal(node.state)
        if node.mover == CHANCE:
            return self._rolled(node)
        if node.untried:
            i = below(self.rng, len(node.untried))
            node.untried[i], node.untried[-1] = node.untried[-1], node.untried[i]
            return self._add(node, node.untried.pop())
        return self._best(node)

    def _best(self, node: Node) -> Node:
        """UCT: the child with the highest mean value + c * sqrt(ln(visits) / its visits)."""
        sign = (1 if node.mover == 0 else -1) / self.game.max_return
        curiosity = self.exploration * sqrt(log(node.visits))
        best, best_bound = node, -1e9
        for child in node.children.values():
            bound = sign * child.total / child.visits + curiosity / sqrt(child.visits)
            if bound > best_bound:
                best, best_bound = child, bound
        return best

    def _rolled(self, node: Node) -> Node:
        """At a chance node: the child that a roll leads to.  Here `untried` keeps all actions."""
        actions = node.untried or []
        action = self._roll(node.state, actions, len(actions))
        child = node.children.get(action)
        return child if child is not None else self._add(node, action)

    def _add(self, node: Node, action: int) -> Node:
        state = node.state[:]
        self.game.play(state, action)
        child = node.children[action] = Node(state, self.game.mover(state))
        return child

    def _result(self, node: Node) -> float:
        """Points for seat 0: the rules' own at the end, else the mean of random playouts."""
        if node.mover == END:
            return self.game.points(node.state)
        points = played = 0
        while played == 0 or (played < self.playouts and not self.stop[0]):
            points += self._playout(node.state[:])
            played += 1
        return points / played

    def _playout(self, s: list[int]) -> int:
        """Play `s` to its end at random; a game that reaches the ply limit counts 0."""
        game, out, tmp, rng = self.game, self.out, self.tmp, self.rng
        if game.playout is not None:
            return game.playout(s, rng, out, tmp)
        legal, play = game.legal, game.play
        for _ in range(game.max_plies):
            n = legal(s, out, tmp)
            if n == 0:
                return game.points(s)
            if game.weight is not None and game.mover(s) == CHANCE:
                play(s, self._roll(s, out, n))
            else:
                play(s, out[below(rng, n)])
        return game.points(s) if game.mover(s) == END else 0

    def _roll(self, s: Ints, actions: Ints, n: int) -> int:
        """One of the first `n` chance actions, each as likely as its weight says."""
        weight = self.game.weight
        if weight is None:
            raise ValueError("a game with chance nodes needs weights")
        weights = [weight(s, actions[i]) for i in range(n)]
        point = below(self.rng, sum(weights))
        i = 0
        while point >= weights[i]:
            point -= weights[i]
            i += 1
        return actions[i]

    def _legal(self, state: list[int]) -> list[int]:
        n = self.game.legal(state, self.out, self.tmp)
        return self.out[:n]
