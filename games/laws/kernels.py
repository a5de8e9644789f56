"""Laws of kernels: lists and arrays agree, and each kernel keeps to its own memory."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from typing import TypeAlias

from games import rng
from games.game import CHANCE, END, Game, Ints, Position
from games.kernel import is_kernel
from games.laws.sample import Sample, Walk, require, some

CANARY = 0x5EED
MARGIN = 8  # so many canaries live behind each buffer; an index below 0 meets them too
KERNELS = ("setup", "mover", "legal", "play", "points", "key")
OPTIONAL = ("weight", "evaluate", "features", "tactic", "playout")

Memory: TypeAlias = Callable[[list[int]], Ints]


def plain(values: list[int]) -> Ints:
    """A buffer as the server has it."""
    return [*values, *[CANARY] * MARGIN]


def compact(values: list[int]) -> Ints:
    """A buffer like a bot's: 64 bits and no more."""
    return array("q", [*values, *[CANARY] * MARGIN])


class Workbench:
    """A state with buffers around it, each with canaries behind."""

    def __init__(self, game: Game, memory: Memory) -> None:
        self.game = game
        self.s = memory([0] * game.state_size)
        self.out = memory([0] * game.max_legal)
        self.tmp = memory([0] * game.scratch)

    def load(self, position: Position) -> None:
        for i, value in enumerate(position.state):
            self.s[i] = value

    def begin(self, walk: Walk) -> None:
        """Set the first state of a walk up, in place."""
        self.game.setup(self.s)
        if walk.positions and walk.positions[0] != self.game.initial():  # by other terms
            self.load(walk.positions[0])

    def state(self) -> tuple[int, ...]:
        return tuple(self.s)[: self.game.state_size]

    def legal(self) -> tuple[int, ...]:
        n = self.game.legal(self.s, self.out, self.tmp)
        require(type(n) is int, f"legal() says {n!r}, which is no int")
        return tuple(self.out)[:n]

    def check(self, kernel: str) -> None:
        """Require that the canaries live, and that the state is ints of 62 bits and a sign."""
        for name, buffer in (("s", self.s), ("out", self.out), ("tmp", self.tmp)):
            alive = list(buffer)[-MARGIN:] == [CANARY] * MARGIN
            require(alive, f"{kernel} writes beyond the end of `{name}`")
        odd = [v for v in self.state() if not (type(v) is int and abs(v) < 2**62)]
        require(not odd, f"{kernel} leaves {odd[:1]} in the state: an int of 62 bits is expected")


def benches(game: Game) -> Iterator[Workbench]:
    """One of lists and one of arrays."""
    for memory in (plain, compact):
        yield Workbench(game, memory)


def evaluations(game: Game) -> dict[str, Callable[[Ints], int]]:
    values = dict(game.evaluations)
    if game.evaluate is not None and game.evaluate not in values.values():
        values["evaluate"] = game.evaluate
    return values


def marked(sample: Sample) -> None:
    """Every kernel is marked @kernel."""
    game = sample.game
    for name in (*KERNELS, *OPTIONAL):
        sample.tried += 1
        kernel = getattr(game, name)
        required = kernel is not None or name in KERNELS
        require(not required or is_kernel(kernel), f"{name} is not marked @kernel")
    for name, kernel in game.evaluations.items():
        require(is_kernel(kernel), f"the evaluation {name!r} is not marked @kernel")
    named = not game.evaluations or game.evaluate in game.evaluations.values()
    require(named, "`evaluate` is none of the `evaluations`")


def whole_setup(sample: Sample) -> None:
    """setup() writes the whole first state."""
    for bench in benches(sample.game):
        for i in range(sample.game.state_size):
            bench.s[i] = 77
        sample.game.setup(bench.s)
        bench.check("setup()")
        require(bench.state() == sample.game.initial().state, "it leaves what was there before")
        sample.tried += 1


def in_place(sample: Sample) -> None:
    """A game played in place, in lists or arrays, is the game of positions."""
    game = sample.game
    for bench in benches(game):
        for walk in sample.walks:
            bench.begin(walk)
            for place in sample.along(walk):
                p = place.position
                require(bench.state() == p.state, "played in place it is another state")
                require(game.mover(bench.s) == p.to_move, "another seat is to move")
                require(bench.legal() == p.legal_actions(), "other actions are legal")
                require(bench.state() == p.state, "legal() writes into the state")
                if place.ply < len(walk.actions):
                    game.play(bench.s, walk.actions[place.ply])
                bench.check("play() or legal()")


def memory(sample: Sample) -> None:
    """Any legal action, played in lists or arrays, keeps to its memory."""
    game = sample.game
    for bench in benches(game):
        for place in sample.places(step=3):
            for action in some(place.position.legal_actions(), 12):
                bench.load(place.position)
                game.play(bench.s, action)
                text = game.format_action(place.position, action)
                bench.check(f"play() of {text}")
                same = bench.state() == place.position.apply(action).state
                require(same, f"after {text} the state in memory is another")


def questions(sample: Sample) -> None:
    """Questions change nothing and are answered in ints."""
    for bench in benches(sample.game):
        for place in sample.places():
            bench.load(place.position)
            for name, answer in _answers(bench, place.position):
                require(type(answer) is int, f"{name}() says {answer!r}, which is no int")
                bench.check(f"{name}()")
                require(bench.state() == place.position.state, f"{name}() changes the state")


def _answers(bench: Workbench, p: Position) -> Iterator[tuple[str, int]]:
    """What each kernel says that only reads, as far as it may be asked here."""
    game, s = bench.game, bench.s
    yield "mover", game.mover(s)
    yield "key", game.key(s)
    if p.to_move == END:
        yield "points", game.points(s)
    if p.to_move == CHANCE and game.weight is not None:
        for action in p.legal_actions():
            yield "weight", game.weight(s, action)
    if p.to_move >= 0:
        for name, evaluate in evaluations(game).items():
            yield name, evaluate(s)


def keys(sample: Sample) -> None:
    """A key fits 62 bits and tells nearly all states apart."""
    game, seen = sample.game, set()
    bench = Workbench(game, compact)
    for place in sample.places():
        bench.load(place.position)
        k = game.key(bench.s)
        require(0 <= k < 2**62, f"key() says {k}; it is from 0 up, below 2**62")
        require(k == game.key(list(place.position.state)), "its key in a list is another")
        seen.add(k)
    sample.here = None
    count = sample.tried
    require(len(seen) > 0.99 * count - 1, f"{count} states have {len(seen)} keys")


def static_values(sample: Sample) -> None:
    """A static value is within 10,000, and the same in lists and arrays."""
    bench = Workbench(sample.game, compact)
    values = evaluations(sample.game)
    for place in sample.decisions() if values else ():
        for name, evaluate in values.items():
            bench.load(place.position)
            value = evaluate(bench.s)
            require(abs(value) <= 10_000, f"{name}() says {value}")
            require(value == evaluate(list(place.position.state)), f"{name}() differs in a list")


def tactics(sample: Sample) -> None:
    """tactic() writes the actions that win at once if there are any, else forced blocks."""
    if sample.game.tactic is None:
        return
    for bench in benches(sample.game):
        for place in sample.places():
            if len(place.position.legal_actions()) <= 500:
                _check_tactic(sample.game.tactic, bench, place.position)


def _check_tactic(tactic: Callable[[Ints, Ints, Ints], int], bench: Workbench, p: Position) -> None:
    bench.load(p)
    n = tactic(bench.s, bench.out, bench.tmp)
    bench.check("tactic()")
    if p.to_move < 0:
        require(n == 0, f"tactic() says {n} where nobody decides")
        return
    actions = tuple(bench.out)[:n]
    require(bench.state() == p.state, "tactic() changes the state")
    require(set(actions) <= set(p.legal_actions()), f"{actions} are not all legal")
    require(list(actions) == sorted(set(actions)), f"{actions} do not ascend")
    best = wins(p)
    require(not best or actions == best, f"{best} win at once, tactic() says {actions}")
    for other in set(p.legal_actions()) - set(actions) if actions and not best else ():
        text = p.game.format_action(p, other)
        require(bool(wins(p.apply(other))), f"tactic() leaves {text} out, which does not lose")


def wins(position: Position) -> tuple[int, ...]:
    """The actions after which the mover has won, found by trying them all."""
    return tuple(
        a for a in position.legal_actions() if _won_by(position.apply(a), position.to_move)
    )


def _won_by(position: Position, seat: int) -> bool:
    outcome = position.outcome()
    return outcome is not None and outcome.returns[seat] > 0


def playouts(sample: Sample) -> None:
    """playout() ends the game, keeps to its memory, and follows its seed."""
    game = sample.game
    if game.playout is None:
        return
    for bench in benches(game):
        for seed, place in enumerate(sample.places(step=3)):
            results = []
            for _ in range(2):
                bench.load(place.position)
                generator = rng.seeded(seed)
                points = game.playout(bench.s, generator, bench.out, bench.tmp)
                bench.check("playout()")
                results.append((points, bench.state(), generator[0]))
            require(results[0] == results[1], "two playouts of one seed differ")
            points, state, _ = results[0]
            require(type(points) is int, f"playout() says {points!r}, which is no int")
            final = list(state)
            require(game.mover(final) == END, "playout() leaves a game that is not over")
            require(points == game.points(final), f"playout() says {points}, points() others")
            require(abs(points) <= game.max_return, f"playout() says {points}")
            over = place.position.outcome()
            require(over is None or points == over.returns[0], "playout() of an end differs")
