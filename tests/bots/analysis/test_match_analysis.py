"""A match gone through: what is asked of an analyst, and what is made of the answers."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest

from bots.analysis.analyst import AnalysisDepth, Analyst, Judgement, LuckAnalyst
from bots.analysis.match_analysis import analyse, read_actions
from games import registry
from games.game import Game, IllegalAction, Ints, NotationError, Position
from protocol.analysis import MatchAnalysis
from tests.bots.analysis.parts import option, total

TTT = registry.game("tic_tac_toe")
PEBBLES = registry.game("pebbles")


class Pedant(Analyst):
    """Holds that the lowest action is best, and the highest a blunder; remembers what it saw."""

    PROGRAM = "random"
    by = "pedant"
    unit = "value"
    blunder = 0.2

    def __init__(self, patience: int = 1000) -> None:
        self.patience = patience
        self.seen: list[tuple[int, int]] = []

    @classmethod
    def create(cls, game: Game, depth: AnalysisDepth) -> Pedant:
        return cls()

    def judge(self, position: Position, action: int, stop: Ints) -> Judgement | None:
        if len(self.seen) == self.patience:
            stop[0] = 1
            return None
        legal = position.legal_actions()
        self.seen.append((position.to_move, action))
        worst = action == legal[-1]
        loss = round(0.1 * legal.index(action), 4)
        best = option(position.game.format_action(position, action), -loss)
        return Judgement(loss, None, bool(loss) and not worst, worst, [best])


class Gambler(Pedant, LuckAnalyst):
    """Knows luck, too: the roll itself."""

    def luck(self, position: Position, roll: int, stop: Ints) -> float | None:
        return float(roll)


class Backwards(Pedant):
    BACKWARDS = True


def ttt(text: str) -> list[int]:
    return read_actions(TTT.initial(), text)


def pebbles(seed: int = 1, most: int = 12) -> list[int]:
    """A match of pebbles, always the middle action."""
    position, actions = PEBBLES.initial(), []
    while position.legal_actions() and len(actions) < most:
        legal = position.legal_actions()
        actions.append(legal[(len(legal) + seed) // 2 % len(legal)])
        position = position.apply(actions[-1])
    return actions


def test_each_decision_is_judged_and_added_up_by_seat() -> None:
    found = analyse(TTT.initial(), ttt("519"), Pedant())
    plays = [(p.ply, p.seat, p.action, p.loss, p.doubtful, p.blunder) for p in found.plays]
    assert plays == [
        (0, 0, "5", 0.4, True, False), (1, 1, "1", 0.0, False, False), (2, 0, "9", 0.6, False, True)
    ]  # fmt: skip
    assert found.totals == (total(plays=2, loss=1.0, doubtful=1, blunders=1), total(plays=1))
    heads = found.game, found.by, found.unit, found.blunder
    assert heads == ("tic_tac_toe", "pedant", "value", 0.2)
    assert (found.rolls, found.left) == ([], [])


def test_a_play_without_a_choice_is_forced_and_not_asked_about() -> None:
    actions = ttt("513746289")
    analyst = Pedant()
    found = analyse(TTT.initial(), actions, analyst)
    assert len(analyst.seen) == 8
    assert found.plays[-1].ply == 7
    assert (found.totals[0].plays, found.totals[0].forced) == (4, 1)
    assert (found.totals[1].plays, found.totals[1].forced) == (4, 0)


def test_rolls_are_left_out_where_luck_is_not_known() -> None:
    found = analyse(PEBBLES.initial(), pebbles(), Pedant())
    assert (found.rolls, [total.luck for total in found.totals]) == ([], [None, None])
    assert found.plays


def test_a_roll_is_the_luck_of_who_plays_it() -> None:
    actions = pebbles()
    found = analyse(PEBBLES.initial(), actions, Gambler())
    assert found.rolls
    position = PEBBLES.initial()
    for ply, action in enumerate(actions):
        roll = next((r for r in found.rolls if r.ply == ply), None)
        assert (roll is not None) == (position.to_move == -1)
        after = position.apply(action)
        if roll is not None and after.to_move >= 0:
            assert (roll.seat, roll.luck) == (after.to_move, float(action))
            assert roll.roll == PEBBLES.format_action(position, action)
        position = after
    for seat in (0, 1):
        assert found.totals[seat].luck == sum(r.luck for r in found.rolls if r.seat == seat)


def test_what_a_ladder_has_set_up_is_nobody_s_and_it_says_how_far_it_is() -> None:
    said: list[tuple[int, int]] = []
    found = analyse(
        TTT.initial(), ttt("5192"), Pedant(), lambda done, of: said.append((done, of)), given=2
    )
    assert [p.ply for p in found.plays] == [2, 3]
    assert said == [(1, 2), (2, 2)]


def test_it_goes_backwards_for_who_wants_that_and_tells_it_forwards() -> None:
    analyst = Backwards()
    found = analyse(TTT.initial(), ttt("519"), analyst)
    assert analyst.seen == [(0, 8), (1, 0), (0, 4)]
    assert [p.ply for p in found.plays] == [0, 1, 2]


@pytest.mark.parametrize(("kind", "left"), [(Pedant, [2, 3]), (Backwards, [0, 1])])
def test_who_is_stopped_says_what_was_not_looked_at(
    kind: type[Pedant], left: Sequence[int]
) -> None:
    stop = [0]
    found = analyse(TTT.initial(), ttt("5192"), kind(patience=2), stop=stop)
    assert stop == [1]
    assert found.left == left
    assert len(found.plays) == 2
    again = analyse(TTT.initial(), ttt("5192"), kind(), stop=stop)
    assert (again.plays, again.left) == ([], [0, 1, 2, 3])


def test_what_is_no_match_is_refused() -> None:
    for actions in ([4, 4], [*ttt("14253"), 5]):
        with pytest.raises(IllegalAction):
            analyse(TTT.initial(), actions, Pedant())
    with pytest.raises(IllegalAction):
        read_actions(TTT.initial(), ["5", "5"])
    with pytest.raises(NotationError):
        read_actions(TTT.initial(), ["5", "x"])


def test_an_analysis_comes_through_json_as_it_was() -> None:
    found = analyse(PEBBLES.initial(), pebbles(), Gambler())
    assert msgspec.json.decode(msgspec.json.encode(found), type=MatchAnalysis) == found
