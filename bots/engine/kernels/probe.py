"""Every kernel of a game in one copy, and perft on them: what `plyhouse doctor game` compares."""

from __future__ import annotations

from bots.engine.kernels.rules import (  # noqa: F401 - a copy has them for its callers
    MAX_LEGAL,
    STATE,
    Ints,
    evaluate,
    features,
    key,
    legal,
    mover,
    play,
    playout,
    points,
    setup,
    tactic,
    weight,
)
from games.kernel import kernel


@kernel
def perft(s: Ints, out: Ints, tmp: Ints, stack: Ints, depth: int) -> int:
    """Count the sequences of `depth` actions from `s`; a game that is over is counted no further.

    `stack`: for each ply STATE ints of the position, MAX_LEGAL actions, and how many are left.
    """
    size = STATE + MAX_LEGAL + 1
    total = 0
    ply = 0
    while ply >= 0:
        base = ply * size
        n = legal(s, out, tmp)
        if ply + 1 == depth:
            total += n
            n = 0
        for i in range(STATE):
            stack[base + i] = s[i]
        for i in range(n):
            stack[base + STATE + i] = out[i]
        stack[base + size - 1] = n
        while ply >= 0 and stack[ply * size + size - 1] == 0:
            ply -= 1
        if ply >= 0:
            base = ply * size
            stack[base + size - 1] -= 1
            for i in range(STATE):
                s[i] = stack[base + i]
            play(s, stack[base + STATE + stack[base + size - 1]])
            ply += 1
    return total
