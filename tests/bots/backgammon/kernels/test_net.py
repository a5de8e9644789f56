"""The nets against sums written out, and a turn judged by changes against the whole position."""

from __future__ import annotations

from itertools import pairwise
from math import exp, tanh
from typing import Any

import pytest

from bots.backgammon.kernels import inputs, net
from bots.backgammon.nets import MONEY_PRICES, kernels
from games.game import END, Position
from tests.bots.backgammon import tiny
from tests.bots.backgammon.tiny import Tiny, near, position

PLAIN = kernels(net, plain=True)
ROLLED = tiny.rolled(8)


def features(s: Any, escapes: Any) -> list[float]:
    out = [0.0] * inputs.FEATURES
    inputs.features(s, escapes, out)
    return out


def dense(s: tuple[int, ...], seat: int, escapes: Any) -> list[float]:
    """All inputs of a position for `seat`, those that are 0 included."""
    found = []
    for side in (seat, 1 - seat):
        for point in range(1, 26):
            n = s[26 * side + point]
            found += [float(n > 0), float(n > 1), float(n > 2), max(n - 3, 0) / 2]
    return [*found, 1.0, *features([*s[:52], seat, 0, 0], escapes)]


def chances(s: tuple[int, ...], tiny: Tiny) -> list[float]:
    """What the net of a position says of s[52], on roll; before it is held to the position."""
    which = net.kind(s, 0)
    shape, w = tiny.nets.shape, tiny.nets.weights
    start, hidden = shape[2 * which], shape[2 * which + 1]
    shown = dense(s, s[52], tiny.net.escapes)
    units = []
    for h in range(hidden):
        x = sum(value * w[start + i * hidden + h] for i, value in enumerate(shown))
        y = min(3.0, max(-3.0, x / 2))
        units.append(y * (27 + y**2) / (27 + 9 * y**2))
    start += inputs.INPUTS * hidden
    sums = [
        w[start + net.OUTPUTS * hidden + o]
        + sum(u * w[start + o * hidden + h] for h, u in enumerate(units))
        for o in range(net.OUTPUTS)
    ]
    return [1 / (1 + exp(-x)) for x in sums]


def held(told: list[float], s: tuple[int, ...]) -> list[float]:
    """Chances of which none is greater than one that it is part of, or cannot happen any more."""
    win, gammon, backgammon, lost, lost_backgammon = told
    mine, theirs = s[26 * s[52]], s[26 - 26 * s[52]]
    gammon = 0 if theirs else min(gammon, win)
    lost = 0 if mine else min(lost, 1 - win)
    return [win, gammon, min(backgammon, gammon), lost, min(lost_backgammon, lost)]


def judged(s: Any, tiny: Tiny) -> list[float]:
    code = kernels(net, tiny.nets.plain)
    code.judge(tiny.array(s), tiny.net, tiny.space)
    return tiny.chances


def to_roll(found: tuple[Position, ...]) -> list[tuple[int, ...]]:
    return [(*here.state[:53], 0, 0) for here in found]


@pytest.mark.parametrize(
    ("mine", "theirs", "found"),
    [
        ({24: 2, 6: 13}, {24: 2, 6: 13}, net.CONTACT),
        ({25: 1, 6: 14}, {19: 1, 6: 14}, net.CONTACT),
        ({18: 1, 6: 14}, {24: 1, 6: 14}, net.ONE_WAY),
        ({13: 1, 6: 14}, {13: 1, 6: 14}, net.ONE_WAY),
        ({13: 1, 6: 14}, {12: 1, 6: 14}, net.RACE),
        ({7: 1, 6: 2}, {6: 1}, net.RACE),
        ({6: 4}, {1: 4}, net.EXACT),
        ({6: 5}, {1: 4}, net.RACE),
        ({1: 15}, {}, net.OVER),
        ({}, {1: 15}, net.OVER),
    ],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_who_judges(mine: dict[int, int], theirs: dict[int, int], found: int, seat: int) -> None:
    s = position(mine, theirs, seat=seat).state
    assert net.kind(s, 4) == found
    if found == net.EXACT:
        assert net.kind(s, 3) == net.kind(s, 0) == net.RACE


def test_a_net_says_what_its_sum_says() -> None:
    asked = tiny.plain()
    for s in to_roll(ROLLED):
        if net.kind(s, 4) < net.EXACT:
            assert near(judged(s, asked), held(chances(s, asked), s)), s


def test_a_hidden_unit_is_near_to_a_tangent() -> None:
    hidden = 801
    x = [k / 20 - 20 for k in range(hidden)]
    work, w = list(x), [0.0] * net.size(hidden)
    told = [0.0] * net.OUTPUTS
    net.fire(w, 0, hidden, work, told)
    assert told == [0.5] * 5, "without weights all is even"
    assert max(abs(y - tanh(a / 2)) for a, y in zip(x, work, strict=True)) < 0.024
    assert work == sorted(work)
    assert (work[0], work[400], work[-1]) == (-1, 0, 1)
    assert work == pytest.approx([-y for y in reversed(work)])


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(
    ("mine", "lost"), [({6: 14}, 1), ({6: 15}, 2), ({6: 14, 19: 1}, 3), ({6: 14, 25: 1}, 3)]
)
def test_a_game_that_is_over_is_worth_what_it_cost(
    mine: dict[int, int], lost: int, seat: int
) -> None:
    over = position(mine, {}, seat=seat)
    assert over.to_move == END
    outcome = over.outcome()
    assert outcome is not None
    assert outcome.returns[seat] == -lost
    told = judged(over.state, tiny.plain())
    assert told == [0, 0, 0, float(lost > 1), float(lost > 2)]
    assert net.equity(told, 0, MONEY_PRICES, 0) == -lost


def test_turning_round_changes_the_sign_of_the_equity() -> None:
    told = [9.0, 0.7, 0.3, 0.1, 0.2, 0.05, 9.0]
    assert net.equity(told, 1, MONEY_PRICES, 0) == pytest.approx(1.4 - 1 + 0.4 - 0.25)
    net.turn_round(told, 1)
    assert told == pytest.approx([9, 0.3, 0.2, 0.05, 0.3, 0.1, 9])
    assert net.equity(told, 1, MONEY_PRICES, 0) == pytest.approx(-0.55)
    net.turn_round(told, 1)
    assert told == pytest.approx([9.0, 0.7, 0.3, 0.1, 0.2, 0.05, 9.0])


def hold_turns_against_positions(here: Position, asked: Tiny, within: float) -> list[int]:
    """Judge all turns at once, and each position by itself; the kinds of positions that came."""
    code = kernels(net, asked.nets.plain)
    legal = here.legal_actions()
    asked.space.turns[: len(legal)] = list(legal)
    s = asked.array(here.state)
    best = code.judge_turns(s, len(legal), asked.net, asked.space, asked.flag())
    assert list(s) == list(here.state), "the position is left as it was"
    after = [float(x) for x in asked.space.after[: net.OUTPUTS * len(legal)]]
    values = [float(x) for x in asked.space.values[: len(legal)]]
    assert best == values.index(max(values)), "the first of the best"
    for i, action in enumerate(legal):
        left = here.apply(action).state
        found = after[net.OUTPUTS * i : net.OUTPUTS * (i + 1)]
        assert near(found, judged(left, asked), within), (str(here), action)
        assert values[i] == pytest.approx(-net.equity(found, 0, MONEY_PRICES, 0), abs=within)
    return [net.kind(here.apply(a).state, 4) for a in legal]


def test_turns_are_judged_as_the_positions_that_they_leave() -> None:
    """Each net has sums of its own for the position before, judge they by turns or not."""
    by_turns = position({20: 1, 8: 3, 6: 5, 13: 6}, {24: 1, 13: 8, 6: 6}, (2, 1))
    kinds, hits, most = set(), 0, 0
    for here in (*ROLLED, by_turns):
        if len(here.legal_actions()) < 60:
            found = hold_turns_against_positions(here, tiny.plain(), 1e-9)
            kinds |= set(found)
            most = max(most, sum(a != b for a, b in pairwise(found)))
            bar = 26 * (1 - here.to_move) + 25
            hits += any(here.apply(a).state[bar] > here.state[bar] for a in here.legal_actions())
    assert kinds == {net.CONTACT, net.ONE_WAY, net.RACE, net.EXACT, net.OVER}
    assert hits > 3
    assert most > 2


def test_of_equal_turns_the_first_is_best_and_a_stop_ends_it() -> None:
    even, here = Tiny(tiny.Nets(tiny.weights(spread=0.0), plain=True)), ROLLED[-1]
    legal, s = here.legal_actions(), even.array(here.state)
    for stop, best in ((0, 0), (1, -1)):
        even.space.turns[: len(legal)] = list(legal)
        assert PLAIN.judge_turns(s, len(legal), even.net, even.space, even.flag(stop)) == best
        assert tuple(s) == here.state


@pytest.mark.slow
def test_compiled_turns_are_judged_as_the_positions_that_they_leave(fast: Tiny) -> None:
    for here in tiny.rolled(60):
        hold_turns_against_positions(here, fast, 1e-4)
