"""A game of backgammon that the nets play against themselves, and what they learn from it.

Temporal differences, in the forward view: a game is played to its end, then every position gets a
target, from the last one back: lambda of the target of the position after it, and 1 - lambda of
what the nets said of that when they chose it, both turned round, as the other side was on roll.
The last target is the result, or what the exact table says, where a game ends.  A step changes the
net of a position by the gradient of the cross entropy: the error is target - output.

A game is kept as `boards`, STATE ints a position, and `told`, OUTPUTS chances of each as the nets
saw them then; `targets` are written over them.

Source: R. Sutton, A. Barto, "Reinforcement Learning", 2nd edition, 2018, chapter 12.
"""

from __future__ import annotations

from bots.search.backgammon.inputs import INPUTS, sights
from bots.search.backgammon.net import (
    EXACT,
    KINDS,
    MOST,
    OUTPUTS,
    OVER,
    RACE,
    add_up,
    fire,
    judge,
    judge_turns,
    kind,
    list_inputs,
    size,
    turn_round,
)
from bots.search.hints import place, single
from bots.search.rules import (
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

LONGEST = 400  # positions of a game; one that is longer is not learnt from
LOOSE = True


@kernel
def play_game(
    rng: Ints,
    whole: bool,
    boards: Ints,
    chances: Floats,
    s: Ints,
    t: Ints,
    turns: Ints,
    values: Floats,
    tmp: Ints,
    w: Floats,
    shape: Ints,
    table: Ints,
    tails: Floats,
    first: Floats,
    inputs: Ints,
    times: Floats,
    shown: Floats,
    work: Floats,
    told: Floats,
    was: Floats,
    sums: Floats,
    seen: Ints,
    after: Floats,
    stop: Ints,
) -> int:
    """Play a game from the opening roll on, each turn the one of the highest equity.

    Args:
        whole: go on to its end where the exact table knows the rest already.

    Returns:
        How many positions were written; 0 if the game would have more than LONGEST, or `stop` was
        set.
    """
    setup(s)
    throw(s, rng)
    for n in range(LONGEST):
        for i in range(STATE):
            boards[n * STATE + i] = s[i]
        found = judge(s, w, shape, table, tails, first, inputs, times, shown, work, told)
        for o in range(OUTPUTS):
            chances[n * OUTPUTS + o] = told[o]
        if found == OVER or (found == EXACT and not whole):
            return n + 1
        if s[LARGER] == 0:
            throw(s, rng)
        count = legal(s, turns, tmp)
        best = 0
        if count > 1:
            best = judge_turns(
                s, turns, count, t, w, shape, table, tails, first, inputs, times, shown, work, told,
                was, sums, seen, after, values, stop,
            )  # fmt: skip
            if best < 0:
                return 0
        play(s, turns[best])
    return 0


@kernel
def aim(
    boards: Ints, chances: Floats, n: int, most: int, rate: float, s: Ints, told: Floats
) -> None:
    """Turn the chances of a game of `n` positions into targets; `rate` is lambda.

    `s` and `told` are scratch.
    """
    for o in range(OUTPUTS):
        told[o] = chances[(n - 1) * OUTPUTS + o]
    for m in range(n - 1):
        now = (n - 2 - m) * OUTPUTS
        for i in range(STATE):
            s[i] = boards[(n - 2 - m) * STATE + i]
        if kind(s, most) < EXACT:
            after = now + OUTPUTS
            # From `after` on stand targets already; what was said of that position is in `told`.
            for o in range(OUTPUTS):
                said = told[o]
                told[o] = chances[now + o]
                chances[now + o] = said + rate * (chances[after + o] - said)
            turn_round(chances, now)
        else:
            for o in range(OUTPUTS):
                told[o] = chances[now + o]


@kernel
def learn(
    boards: Ints,
    targets: Floats,
    n: int,
    which: int,
    alpha: float,
    s: Ints,
    w: Floats,
    shape: Ints,
    table: Ints,
    inputs: Ints,
    times: Floats,
    shown: Floats,
    work: Floats,
    told: Floats,
    blame: Floats,
) -> int:
    """Change the net `which` by each of the game's `n` positions that it judges; by how many.

    Positions that the exact table knows teach the net of races, too.  `alpha`: the length of a
    step.  `blame` is scratch, a float a hidden unit.
    """
    one = single(1.0)
    half = single(0.5)
    length = single(-alpha)
    start = shape[2 * which]
    hidden = shape[2 * which + 1]
    learnt = 0
    for m in range(n):
        for i in range(STATE):
            s[i] = boards[m * STATE + i]
        found = kind(s, shape[MOST])
        if found == which or (found == EXACT and which == RACE):
            learnt += 1
            sights(s, table, shown)
            count = list_inputs(s, shown, inputs, times)
            for h in range(hidden):
                work[place(h)] = single(0.0)
            add_up(w, start, hidden, inputs, times, count, work, 0)
            fire(w, start, hidden, work, told)
            find_errors(s, targets, m * OUTPUTS, told)
            share_out(told, w, start, hidden, blame)
            for h in range(hidden):  # the slope of tanh(x / 2), or nearly so
                blame[place(h)] *= length * half * (one - work[place(h)] * work[place(h)])
            step_outputs(told, length, w, start, hidden, work)
            step_inputs(w, start, hidden, inputs, times, count, blame)
    return learnt


@kernel
def find_errors(s: Ints, targets: Floats, at: int, told: Floats) -> None:
    """Make errors, output - target, of what was told; what cannot happen any more is not learnt."""
    base = 26 * s[TURN]
    for o in range(OUTPUTS):
        told[o] -= targets[at + o]
        if (s[26 - base] > 0 and (o == 1 or o == 2)) or (s[base] > 0 and o > 2):
            told[o] = 0.0


@kernel
def share_out(errors: Floats, w: Floats, start: int, hidden: int, blame: Floats) -> None:
    """Write into `blame` what each hidden unit has to do with the errors of the outputs."""
    for h in range(hidden):
        blame[place(h)] = single(0.0)
    row = start + INPUTS * hidden
    for o in range(OUTPUTS):
        error = errors[o]
        for h in range(hidden):
            blame[place(h)] += error * w[place(row + h)]
        row += hidden


@kernel
def step_outputs(
    errors: Floats, by: float, w: Floats, start: int, hidden: int, work: Floats
) -> None:
    """Add to the weights of the outputs the slope of the error, times `by`."""
    row = start + INPUTS * hidden
    for o in range(OUTPUTS):
        error = by * errors[o]
        for h in range(hidden):
            w[place(row + h)] += error * work[place(h)]
        w[start + (INPUTS + OUTPUTS) * hidden + o] += error
        row += hidden


@kernel
def step_inputs(
    w: Floats, start: int, hidden: int, inputs: Ints, times: Floats, n: int, blame: Floats
) -> None:
    """Add to the weights of n inputs what the hidden units have to do with the error."""
    for i in range(n):
        row = start + inputs[i] * hidden
        x = times[i]
        for h in range(hidden):
            w[place(row + h)] += x * blame[place(h)]


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
def match_game(
    rng: Ints,
    seat: int,
    s: Ints,
    t: Ints,
    turns: Ints,
    values: Floats,
    tmp: Ints,
    w: Floats,
    shape: Ints,
    table: Ints,
    tails: Floats,
    first: Floats,
    inputs: Ints,
    times: Floats,
    shown: Floats,
    work: Floats,
    told: Floats,
    was: Floats,
    sums: Floats,
    seen: Ints,
    after: Floats,
    stop: Ints,
) -> int:
    """The points that the nets win at `seat` against the game's hand-made evaluation.

    Neither looks ahead.  0 if the game would have more than LONGEST turns, or `stop` was set.
    """
    setup(s)
    throw(s, rng)
    for _ in range(LONGEST):
        if s[LARGER] == 0:
            throw(s, rng)
        count = legal(s, turns, tmp)
        best = 0
        if s[TURN] == seat:
            best = judge_turns(
                s, turns, count, t, w, shape, table, tails, first, inputs, times, shown, work, told,
                was, sums, seen, after, values, stop,
            )  # fmt: skip
            if best < 0:
                return 0
        else:
            worst = 0
            for i in range(count):
                for j in range(STATE):
                    t[j] = s[j]
                play(t, turns[i])
                value = -20_000 if mover(t) == END else evaluate(t)
                if i == 0 or value < worst:
                    worst = value
                    best = i
        play(s, turns[best])
        if mover(s) == END:
            return points(s) if seat == 0 else -points(s)
    return 0
