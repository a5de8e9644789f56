"""The nets against sums written out, and a turn judged by changes against the whole position."""

from __future__ import annotations

from itertools import pairwise
from math import exp, tanh
from typing import Any

import pytest

from bots.nets import kernels
from bots.search.backgammon import inputs, net
from games.game import END, Position
from tests.bots.backgammon import tiny
from tests.bots.backgammon.tiny import Tiny, near, position

PLAIN = kernels("net", plain=True)
ROLLED = tiny.rolled(8)


def sights(s: Any, escapes: Any) -> list[float]:
    out = [0.0] * inputs.SIGHTS
    inputs.sights(s, escapes, out)
    return out


def dense(s: tuple[int, ...], seat: int, escapes: Any) -> list[float]:
    """All inputs of a position for `seat`, those that are 0 included."""
    found = []
    for side in (seat, 1 - seat):
        for point in range(1, 26):
            n = s[26 * side + point]
            found += [float(n > 0), float(n > 1), float(n > 2), max(n - 3, 0) / 2]
    return [*found, 1.0, *sights([*s[:52], seat, 0, 0], escapes)]


def chances(s: tuple[int, ...], tiny: Tiny) -> list[float]:
    """What the net of a position says of s[52], on roll; before it is held to the position."""
    which = net.kind(s, 0)
    shape, w = tiny.nets.shape, tiny.nets.w
    start, hidden = shape[2 * which], shape[2 * which + 1]
    shown = dense(s, s[52], tiny.nets.escapes)
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
    code = kernels("net", tiny.nets.plain)
    code.judge(tiny.array(s), *tiny.nets.given, *tiny.desk.single)
    return tiny.told


def to_roll(found: tuple[Position, ...]) -> list[tuple[int, ...]]:
    return [(*here.state[:53], 0, 0) for here in found]


# ---------------------------------------------------------------- which net


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


def test_nets_lie_behind_each_other() -> None:
    nets = tiny.plain().nets
    sizes = [net.size(h) for h in tiny.HIDDEN]
    assert list(nets.shape) == [0, 4, sizes[0], 3, sizes[0] + sizes[1], 2, 4]
    assert len(nets.w) == sum(sizes)
    assert sizes[2] == inputs.INPUTS * 2 + 5 * 2 + 5


# ---------------------------------------------------------------- inputs as lists


def test_the_inputs_that_are_listed_are_those_that_are_not_nought() -> None:
    listed, times = [0] * inputs.INPUTS, [0.0] * inputs.INPUTS
    escapes = tiny.plain().nets.escapes
    for s in to_roll(ROLLED):
        n = net.list_inputs(s, sights(s, escapes), listed, times)
        assert len(set(listed[:n])) == n
        found = dict(zip(listed[:n], times[:n], strict=True))
        assert found == {i: x for i, x in enumerate(dense(s, s[52], escapes)) if x != 0}


def test_changes_lead_from_one_position_to_the_other() -> None:
    listed, times = [0] * inputs.INPUTS, [0.0] * inputs.INPUTS
    escapes = tiny.plain().nets.escapes
    for here in ROLLED[::3]:
        for action in here.legal_actions()[::7]:
            after = here.apply(action).state
            before = (*here.state[:52], after[52], 0, 0)
            old, new = (dense(s, after[52], escapes) for s in (before, after))
            shown = [sights(s, escapes) for s in (before, after)]
            n = net.list_changes(before, after, *shown, listed, times)
            for i, x in zip(listed[:n], times[:n], strict=True):
                assert x != 0
                old[i] += x
            assert old == pytest.approx(new, abs=1e-12)


# ---------------------------------------------------------------- judging


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


@pytest.mark.parametrize("seed", [1, 2])
def test_chances_are_ordered_and_leave_out_what_cannot_happen(seed: int) -> None:
    for s in to_roll(ROLLED):
        win, gammon, backgammon, lost, lost_backgammon = judged(s, tiny.plain(seed))
        assert 0 <= backgammon <= gammon <= win <= 1
        assert 0 <= lost_backgammon <= lost <= 1 - win + 1e-12
        assert not (s[26 * s[52]] > 0 and lost > 0)
        assert not (s[26 - 26 * s[52]] > 0 and gammon > 0)


def test_hold_cuts_what_is_too_much() -> None:
    told = [0.6, 0.9, 0.7, 0.5, 0.45]
    net.hold(position({24: 15}, {24: 15}).state, told)
    assert told == pytest.approx([0.6, 0.6, 0.6, 0.4, 0.4])


@pytest.mark.parametrize("seat", [0, 1])
def test_who_has_borne_off_a_checker_loses_no_gammon(seat: int) -> None:
    told = [0.6, 0.3, 0.2, 0.4, 0.3]
    net.hold(position({24: 14}, {24: 15}, seat=seat).state, told)
    assert told == pytest.approx([0.6, 0.3, 0.2, 0, 0])
    net.hold(position({24: 15}, {24: 14}, seat=seat).state, told)
    assert told == pytest.approx([0.6, 0, 0, 0, 0])


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
    assert net.equity(told, 0) == -lost


def test_where_the_table_knows_it_tells() -> None:
    asked = tiny.plain()
    for mine, theirs in (({1: 1}, {6: 1}), ({1: 2}, {1: 4})):
        assert judged(position(mine, theirs).state, asked) == [1, 0, 0, 0, 0]
    told = judged(position({6: 1}, {1: 1}).state, asked)
    assert told == pytest.approx([27 / 36, 0, 0, 0, 0])


def test_turning_round_changes_the_sign_of_the_equity() -> None:
    told = [9.0, 0.7, 0.3, 0.1, 0.2, 0.05, 9.0]
    assert net.equity(told, 1) == pytest.approx(1.4 - 1 + 0.4 - 0.25)
    net.turn_round(told, 1)
    assert told == pytest.approx([9, 0.3, 0.2, 0.05, 0.3, 0.1, 9])
    assert net.equity(told, 1) == pytest.approx(-0.55)
    net.turn_round(told, 1)
    assert told == pytest.approx([9.0, 0.7, 0.3, 0.1, 0.2, 0.05, 9.0])


def test_mirrored_colours_are_judged_alike() -> None:
    asked = tiny.plain()
    for s in to_roll(ROLLED):
        other = (*s[26:52], *s[:26], 1 - s[52], 0, 0)
        assert near(judged(s, asked), judged(other, asked))


# ---------------------------------------------------------------- all turns at once


def hold_turns_against_positions(here: Position, asked: Tiny, within: float) -> set[int]:
    """Judge all turns at once, and each position by itself; the kinds of positions that came."""
    code = kernels("net", asked.nets.plain)
    legal = here.legal_actions()
    asked.turns[: len(legal)] = list(legal)
    s = asked.array(here.state)
    best = code.judge_turns(
        s, asked.turns, len(legal), asked.t, *asked.nets.given, *asked.desk.given,
        asked.values, asked.flag(),
    )  # fmt: skip
    assert list(s) == list(here.state), "the position is left as it was"
    after = [float(x) for x in asked.desk.after[: net.OUTPUTS * len(legal)]]
    values = [float(x) for x in asked.values[: len(legal)]]
    assert best == values.index(max(values)), "the first of the best"
    for i, action in enumerate(legal):
        left = here.apply(action).state
        found = after[net.OUTPUTS * i : net.OUTPUTS * (i + 1)]
        assert near(found, judged(left, asked), within), (str(here), action)
        assert values[i] == pytest.approx(-net.equity(found, 0), abs=within)
    return {net.kind(here.apply(a).state, 4) for a in legal}


def test_turns_are_judged_as_the_positions_that_they_leave() -> None:
    kinds = set()
    hits = 0
    for here in ROLLED:
        if len(here.legal_actions()) < 60:
            kinds |= hold_turns_against_positions(here, tiny.plain(), 1e-9)
            bar = 26 * (1 - here.to_move) + 25
            hits += any(
                here.apply(a).state[bar] > here.state[bar] for a in here.legal_actions()
            )  # fmt: skip
    assert kinds == {net.CONTACT, net.ONE_WAY, net.RACE, net.EXACT, net.OVER}
    assert hits > 3


def test_turns_that_two_nets_judge_by_turns_do_not_disturb_each_other() -> None:
    """Each net has sums of its own for the position before."""
    here = position({20: 1, 8: 3, 6: 5, 13: 6}, {24: 1, 13: 8, 6: 6}, (2, 1))
    found = [net.kind(here.apply(action).state, 4) for action in here.legal_actions()]
    changes = sum(a != b for a, b in pairwise(found))
    assert set(found) == {net.CONTACT, net.ONE_WAY}
    assert changes > 2
    hold_turns_against_positions(here, tiny.plain(), 1e-9)


def test_a_stop_ends_it() -> None:
    asked, here = tiny.plain(), ROLLED[-1]
    legal = here.legal_actions()
    asked.turns[: len(legal)] = list(legal)
    s = asked.array(here.state)
    assert PLAIN.judge_turns(
        s, asked.turns, len(legal), asked.t, *asked.nets.given, *asked.desk.given,
        asked.values, asked.flag(1),
    ) == -1  # fmt: skip
    assert tuple(s) == here.state


def test_of_equal_turns_the_first_is_best() -> None:
    even = Tiny(tiny.Nets(tiny.weights(spread=0.0), plain=True))
    legal = ROLLED[-1].legal_actions()
    even.turns[: len(legal)] = list(legal)
    assert PLAIN.judge_turns(
        even.array(ROLLED[-1].state), even.turns, len(legal), even.t, *even.nets.given,
        *even.desk.given, even.values, even.flag(),
    ) == 0  # fmt: skip


# ---------------------------------------------------------------- compiled


@pytest.mark.slow
def test_compiled_and_plain_say_the_same(fast: Tiny) -> None:
    """But for races of more checkers than the table of plain Python has, which it need not have."""
    slow = tiny.plain()
    for s in to_roll(tiny.rolled(60)):
        if net.kind(s, 15) != net.EXACT or net.kind(s, 4) == net.EXACT:
            assert near(judged(s, fast), judged(s, slow), 1e-4), s


@pytest.mark.slow
def test_compiled_turns_are_judged_as_the_positions_that_they_leave(fast: Tiny) -> None:
    for here in tiny.rolled(60):
        hold_turns_against_positions(here, fast, 1e-4)
