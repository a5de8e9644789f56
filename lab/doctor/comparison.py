"""A game's kernels as machine code held against the same kernels as plain Python.

They are one source, but machine code has ints of 64 bits that overflow without a word, and takes
no negative shift for an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, Final, NamedTuple

from bots.engine import compiled
from bots.engine.kernels import probe
from games.game import CHANCE, END, Game, Ints, Position
from games.laws.sample import Sample, require
from games.rng import seeded

Memory = Callable[[int], Ints]
FEATURES: Final = 6  # counts that features() writes


class Buffers(NamedTuple):
    """What kernels are handed: state, actions, scratch, random numbers."""

    s: Ints
    out: Ints
    tmp: Ints
    rng: Ints


def agree(sample: Sample) -> None:
    """Plain and compiled kernels say the same."""
    compare(sample, compiled.search(probe, sample.game))


def compare(sample: Sample, copy: ModuleType) -> None:
    """Hold the kernels of a copy of bots/engine/kernels/probe.py against the game's own."""
    game = sample.game
    plain = compiled.search(probe, game, plain=True)
    fast, slow = _buffers(game, compiled.ints), _buffers(game, lambda n: [0] * n)
    copy.setup(fast.s)
    plain.setup(slow.s)
    require([int(v) for v in fast.s] == list(slow.s), "setup() differs")
    for seed, place in enumerate(sample.places()):
        one = dict(_answers(plain, slow, place.position, seed))
        for name, answer in _answers(copy, fast, place.position, seed):
            said = one[name]
            require(answer == said, f"{name} says {_short(said)}, compiled {_short(answer)}")


def _buffers(game: Game, memory: Memory) -> Buffers:
    return Buffers(
        memory(game.state_size), memory(max(game.max_legal, FEATURES)),
        memory(max(1, game.scratch)), memory(1),
    )  # fmt: skip


def _answers(
    kernels: ModuleType, memory: Buffers, position: Position, seed: int
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """What each kernel says of a position and leaves behind, by its name."""
    game = position.game
    s, out, tmp, rng = memory

    def asked(kernel: Callable[..., Any], *given: Any) -> tuple[int, ...]:
        for i, value in enumerate(position.state):
            s[i] = value
        said = kernel(s, *given)
        count = int(said) if kernel in (kernels.legal, game.tactic and kernels.tactic) else 0
        state = tuple([int(v) for v in s])
        return (int(said or 0), *[int(a) for a in tuple(out)[:count]], *state)

    yield "mover()", asked(kernels.mover)
    yield "legal()", asked(kernels.legal, out, tmp)
    yield "key()", asked(kernels.key)
    for action in position.legal_actions()[:: max(1, len(position.legal_actions()) // 8)]:
        yield f"play() of {game.format_action(position, action)}", asked(kernels.play, action)
        if position.to_move == CHANCE and game.weight is not None:
            yield f"weight() of {action}", asked(kernels.weight, action)
    if position.to_move == END:
        yield "points()", asked(kernels.points)
    if position.to_move >= 0 and game.evaluate is not None:
        yield "evaluate()", asked(kernels.evaluate)
    if position.to_move >= 0 and game.features is not None:
        asked(kernels.features, out)
        yield "features()", tuple([int(v) for v in tuple(out)[:FEATURES]])
    if game.tactic is not None:
        yield "tactic()", asked(kernels.tactic, out, tmp)
    if game.playout is not None:
        rng[0] = seeded(seed)[0]
        yield "playout()", (*asked(kernels.playout, rng, out, tmp), int(rng[0]))


def _short(answer: tuple[int, ...]) -> str:
    """The first ints of an answer, the value itself before what was left in memory."""
    return " ".join(map(str, answer[:12])) + (" ..." if len(answer) > 12 else "")


def perft(game: Game, depth: int, plain: bool) -> int:
    """The number of sequences of `depth` actions from the start; depth is 1 or more."""
    kernels = compiled.search(probe, game, plain=plain)
    memory = _buffers(game, lambda n: compiled.ints(n, plain))
    stack = compiled.ints(depth * (game.state_size + game.max_legal + 1), plain)
    kernels.setup(memory.s)
    return int(kernels.perft(memory.s, memory.out, memory.tmp, stack, depth))
