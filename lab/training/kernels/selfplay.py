"""A game of backgammon that the nets play against themselves, and what they learn from it.

Temporal differences, in the forward view: a game is played to its end, then every position gets a
target, from the last one back: lambda of the target of the position after it, and 1 - lambda of
what the nets said of that when they chose it, both turned round, as the other side was on roll.
The last target is the result, or what the exact table says, where a game ends.  A step changes the
net of a position by the gradient of the cross entropy: the error is target - output.

A game is kept as GameArrays: the boards, and the chances of each as the nets saw them then, over
which the targets are written.

Source: R. Sutton, A. Barto, "Reinforcement Learning", 2nd edition, 2018, chapter 12.
"""

from __future__ import annotations

from bots.backgammon.kernels.inputs import INPUTS
from bots.backgammon.kernels.net import (
    EXACT,
    KINDS,
    OUTPUTS,
    OVER,
    RACE,
    TABLE_AT,
    evaluate_net,
    judge,
    judge_turns,
    kind,
    size,
    turn_round,
)
from bots.backgammon.kernels.records import NetArrays, Workspace
from bots.engine.kernels.hints import place, single
from bots.engine.kernels.rules import (
    END,
    STATE,
    Floats,
    Ints,
    evaluate,
    legal,
    mover,
    play,
    points,
    setup,
)
from games.backgammon.playouts import throw
from games.backgammon.rules import LARGER, TURN
from games.kernel import kernel
from games.rng import below
from lab.training.kernels.training_records import GameArrays

MAX_POSITIONS = 400  # positions of a game; one that is longer is not learnt from
LOOSE = True


@kernel
def play_game(
    rng: Ints, whole: bool, game: GameArrays, net: NetArrays, space: Workspace, stop: Ints
) -> int:
    """Play a game from the opening roll on, each turn the one of the highest equity.

    Args:
        whole: go on to its end where the exact table knows the rest already.

    Returns:
        How many positions were written; 0 if the game would have more than MAX_POSITIONS, or `stop`
        was set.
    """
    s = space.s
    setup(s)
    throw(s, rng)
    for n in range(MAX_POSITIONS):
        for i in range(STATE):
            game.boards[n * STATE + i] = s[i]
        which = judge(s, net, space)
        for o in range(OUTPUTS):
            game.chances[n * OUTPUTS + o] = space.chances[o]
        if which == OVER or (which == EXACT and not whole):
            return n + 1
        if s[LARGER] == 0:
            throw(s, rng)
        count = legal(s, space.turns, space.tmp)
        best = 0
        if count > 1:
            best = judge_turns(s, count, net, space, stop)
            if best < 0:
                return 0
        play(s, space.turns[best])
    return 0


@kernel
def aim(game: GameArrays, n: int, decay: float, net: NetArrays, space: Workspace) -> None:
    """Turn the chances of a game of `n` positions into targets; `decay` is lambda."""
    s = space.s
    chances = game.chances
    before = space.chances
    for o in range(OUTPUTS):
        before[o] = chances[(n - 1) * OUTPUTS + o]
    for m in range(n - 1):
        now = (n - 2 - m) * OUTPUTS
        for i in range(STATE):
            s[i] = game.boards[(n - 2 - m) * STATE + i]
        if kind(s, net.shape[TABLE_AT]) < EXACT:
            after = now + OUTPUTS
            # From `after` on stand targets; what was said of that position is in `before`.
            for o in range(OUTPUTS):
                chance = before[o]
                before[o] = chances[now + o]
                chances[now + o] = chance + decay * (chances[after + o] - chance)
            turn_round(chances, now)
        else:
            for o in range(OUTPUTS):
                before[o] = chances[now + o]


@kernel
def learn(
    game: GameArrays, n: int, which: int, alpha: float, net: NetArrays, space: Workspace
) -> int:
    """Change the net `which` by each of the game's `n` positions that it judges; by how many.

    Positions that the exact table knows teach the net of races, too.  `alpha` is the length of a
    step; game.chances are targets now.
    """
    s = space.s
    length = single(-alpha)
    start = net.shape[2 * which]
    width = net.shape[2 * which + 1]
    learnt = 0
    for m in range(n):
        for i in range(STATE):
            s[i] = game.boards[m * STATE + i]
        judged_by = kind(s, net.shape[TABLE_AT])
        if judged_by == which or (judged_by == EXACT and which == RACE):
            learnt += 1
            count = evaluate_net(s, which, net, space)
            find_errors(s, game.chances, m * OUTPUTS, space.chances)
            share_out(space.chances, net.weights, start, width, space.blame)
            slope_inwards(length, width, space)
            step_outputs(space.chances, length, net.weights, start, width, space.hidden)
            step_inputs(net.weights, start, width, count, space)
    return learnt


@kernel
def slope_inwards(length: float, width: int, space: Workspace) -> None:
    """Multiply the blame by `length` and each unit's slope, which is about that of tanh(x / 2)."""
    one = single(1.0)
    half = single(0.5)
    hidden = space.hidden
    for h in range(width):
        space.blame[place(h)] *= length * half * (one - hidden[place(h)] * hidden[place(h)])


@kernel
def find_errors(s: Ints, targets: Floats, at: int, errors: Floats) -> None:
    """Make errors, output - target, of the chances; what cannot happen any more is not learnt."""
    base = 26 * s[TURN]
    for o in range(OUTPUTS):
        errors[o] -= targets[at + o]
        if (s[26 - base] > 0 and (o == 1 or o == 2)) or (s[base] > 0 and o > 2):
            errors[o] = 0.0


@kernel
def share_out(errors: Floats, w: Floats, start: int, width: int, blame: Floats) -> None:
    """Write into `blame` what each hidden unit has to do with the errors of the outputs."""
    for h in range(width):
        blame[place(h)] = single(0.0)
    row = start + INPUTS * width
    for o in range(OUTPUTS):
        error = errors[o]
        for h in range(width):
            blame[place(h)] += error * w[place(row + h)]
        row += width


@kernel
def step_outputs(
    errors: Floats, by: float, w: Floats, start: int, width: int, hidden: Floats
) -> None:
    """Add to the weights of the outputs the slope of the error, times `by`."""
    row = start + INPUTS * width
    for o in range(OUTPUTS):
        error = by * errors[o]
        for h in range(width):
            w[place(row + h)] += error * hidden[place(h)]
        w[start + (INPUTS + OUTPUTS) * width + o] += error
        row += width


@kernel
def step_inputs(w: Floats, start: int, width: int, n: int, space: Workspace) -> None:
    """Add to the weights of n inputs the share of the hidden units in the error."""
    for i in range(n):
        row = start + space.inputs[i] * width
        x = space.times[i]
        for h in range(width):
            w[place(row + h)] += x * space.blame[place(h)]


@kernel
def blend(w: Floats, mean: Floats, share: float) -> None:
    """Move `mean` towards the weights by this share of the way."""
    part = single(share)
    for i in range(len(w)):
        mean[i] += part * (w[i] - mean[i])


@kernel
def scatter(w: Floats, shape: Ints, rng: Ints, spread: float) -> None:
    """Fill the nets with random weights from -spread to spread, the biases of outputs with 0."""
    for k in range(KINDS):
        end = shape[2 * k] + size(shape[2 * k + 1])
        for i in range(shape[2 * k], end):
            w[i] = spread * (below(rng, 1 << 20) / (1 << 19) - 1.0)
        for i in range(end - OUTPUTS, end):
            w[i] = 0.0


@kernel
def match_game(rng: Ints, seat: int, net: NetArrays, space: Workspace, stop: Ints) -> int:
    """The points that the nets win at `seat` against the game's hand-made evaluation.

    Neither looks ahead.  0 if the game would have more than MAX_POSITIONS turns, or `stop` was set.
    """
    s = space.s
    setup(s)
    throw(s, rng)
    for _ in range(MAX_POSITIONS):
        if s[LARGER] == 0:
            throw(s, rng)
        count = legal(s, space.turns, space.tmp)
        best = 0
        if s[TURN] == seat:
            best = judge_turns(s, count, net, space, stop)
            if best < 0:
                return 0
        else:
            best = handmade_turn(s, count, space)
        play(s, space.turns[best])
        if mover(s) == END:
            return points(s) if seat == 0 else -points(s)
    return 0


@kernel
def handmade_turn(s: Ints, n: int, space: Workspace) -> int:
    """Which of n turns the game's hand-made evaluation likes best."""
    t = space.t
    best = 0
    least = 0
    for i in range(n):
        for j in range(STATE):
            t[j] = s[j]
        play(t, space.turns[i])
        value = -20_000 if mover(t) == END else evaluate(t)
        if i == 0 or value < least:
            least = value
            best = i
    return best
