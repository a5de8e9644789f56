"""Backgammon: the equity that a play gave away, and the luck of a roll."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bots.analysis import analysts
from bots.analysis.analyst import AnalysisDepth, BadDepth
from bots.analysis.equity import EquityAnalyst
from bots.analysis.match_analysis import analyse, read_actions
from bots.backgammon.judge import Estimate, Judge, Rated
from bots.backgammon.kernels.net import size
from bots.backgammon.weights import BadWeights, Weights, save
from games import registry
from games.game import CHANCE, END, Game, Position
from games.rng import below, seeded
from protocol.analysis import AnalysedPlay
from tests.bots.analysis.parts import in_order, option

GAME: Game = registry.game("backgammon")
ENDING = "XGID=-A----B--------------b----:0:0:-1:00:0:0:0:0:10"  # two or three checkers a side


def estimate(equity: float) -> Estimate:
    """One without gammons."""
    return Estimate((equity + 1) / 2, 0.0, 0.0, 0.0, 0.0)


class Told(Judge):
    """Tells what it was told: equities by notation, the first `kept` seen all plies far."""

    def __init__(self, equities: dict[str, float], kept: int = 99) -> None:
        self.equities = equities
        self.kept = kept
        self.asked: list[tuple[int, int | None]] = []

    def turns(  # type: ignore[override]
        self, position: Position, plies: int = 0, *, also: int | None = None, **_: Any
    ) -> list[Rated]:
        self.asked.append((plies, also))
        write = GAME.format_action
        found = [(self.equities.get(write(position, a), -0.9), a) for a in position.legal_actions()]
        found.sort(reverse=True)
        return [
            Rated(a, estimate(e), plies if i < self.kept or a == also else 0)
            for i, (e, a) in enumerate(found)
        ]


class Exact(Judge):
    """Knows the endings: all rolls and plays, to the end.  No gammons are left to win."""

    def __init__(self) -> None:
        self.before = cache(self._before)

    def turns(self, position: Position, plies: int = 0, **_: Any) -> list[Rated]:
        rated = [Rated(a, estimate(self.after(position, a)), 2) for a in position.legal_actions()]
        return sorted(rated, key=lambda one: -one.estimate.equity)

    def after(self, position: Position, action: int) -> float:
        """For who plays it."""
        after = position.apply(action)
        return 1.0 if after.to_move == END else -self.before(after)

    def _before(self, position: Position) -> float:
        """For who is to roll."""
        rolls = position.chance()
        best = [w * self.turns(position.apply(r))[0].estimate.equity for r, w in rolls]
        return sum(best) / sum(w for _, w in rolls)


def played(judge: Judge, action: str, plies: int = 1) -> AnalysedPlay:
    """What is said of that play of a 31 in the opening."""
    actions = read_actions(GAME.initial(), ["31", action])
    return analyse(GAME.initial(), actions, EquityAnalyst(judge=judge, plies=plies), given=1).plays[
        0
    ]


def test_a_loss_is_the_best_equity_less_that_of_the_play() -> None:
    judge = Told({"8/5 6/5": 0.1561, "24/21 6/5": 0.0542, "13/10 6/5": 0.0})
    actions = read_actions(GAME.initial(), ["31", "24/21 6/5"])
    found = analyse(GAME.initial(), actions, EquityAnalyst(judge=judge, plies=1), given=1)
    play = found.plays[0]
    assert (play.seat, play.action, play.loss, play.error) == (0, "24/21 6/5", 0.1019, None)
    best = [(o.action, o.value) for o in play.best[:3]]
    assert best == [("8/5 6/5", 0.1561), ("24/21 6/5", 0.0542), ("13/10 6/5", 0.0)]
    assert judge.asked == [(1, actions[1])]
    assert (found.by, found.unit, found.blunder) == ("gammon, 1 ply", "points", 0.08)


@pytest.mark.parametrize(
    ("equity", "marks"),
    [(0.20, (False, False)), (0.15, (True, False)), (0.12, (True, False)), (0.11, (False, True))],
)
def test_half_a_blunder_is_doubtful(equity: float, marks: tuple[bool, bool]) -> None:
    play = played(Told({"8/5 6/5": 0.20, "24/21 6/5": equity}), "24/21 6/5")
    assert (play.doubtful, play.blunder) == marks


def test_what_was_not_looked_at_as_far_is_not_compared() -> None:
    equities = {"8/5 6/5": 0.15, "13/10 6/5": 0.1, "13/9": 0.05, "24/20": -0.5}
    play = played(Told(equities, kept=2), "24/20", plies=2)
    assert [o.action for o in play.best] == ["8/5 6/5", "13/10 6/5", "24/20"]
    assert play.loss == 0.65


def test_the_play_is_listed_even_behind_the_fifth() -> None:
    play = played(Told({"8/5 6/5": 0.15}), "24/20", plies=0)
    assert len(play.best) == 5
    assert "24/20" in [o.action for o in play.best]


def test_the_note_tells_the_chances() -> None:
    class Sure(Told):
        def turns(self, position: Position, plies: int = 0, **_: Any) -> list[Rated]:
            told = Estimate(0.541, 0.142, 0.01, 0.11, 0.005)
            return [Rated(a, told, plies) for a in position.legal_actions()]

    note = "wins 54.1 % (gammon 14.2 %), loses gammon 11.0 %"
    assert played(Sure({}), "8/5 6/5").best[0] == option("8/5 6/5", 0.119, note)


def test_luck_is_what_a_roll_brings_over_the_average() -> None:
    class Doubles(Told):
        """A double is worth half a point."""

        def turns(self, position: Position, plies: int = 0, **_: Any) -> list[Rated]:
            self.asked.append((plies, None))
            value = 0.5 if position.state[53] == position.state[54] else 0.0
            return [Rated(a, estimate(value), plies) for a in position.legal_actions()]

    judge = Doubles({})
    actions = read_actions(GAME.initial(), ["31", "8/5 6/5", "66", "24/18(2) 13/7(2)", "21"])
    found = analyse(GAME.initial(), actions, EquityAnalyst(judge=judge, plies=2))
    rolls = [(r.ply, r.seat, r.roll, r.luck) for r in found.rolls]
    assert rolls == [(0, 0, "31", 0.0), (2, 1, "66", 0.4167), (4, 0, "21", -0.0833)]
    assert [t.luck for t in found.totals] == [-0.0833, 0.4167]
    assert {plies for plies, _ in judge.asked} == {0, 2}
    deep = Doubles({})
    analyse(GAME.initial(), actions[:1], EquityAnalyst(judge=deep, luck_plies=1))
    assert set(deep.asked) == {(1, None)}


def test_the_opening_roll_counts_for_who_starts_and_once_stopped_it_has_no_answer() -> None:
    analyst = EquityAnalyst(judge=Told({"8/5 6/5": 0.16}))
    found = analyse(GAME.initial(), read_actions(GAME.initial(), ["13"]), analyst)
    assert [(r.seat, r.luck) for r in found.rolls] == [(1, 0.16)]  # on average nobody is ahead
    position = GAME.initial()
    assert analyst.luck(position, 31, [1]) is None
    assert analyst.judge(position.apply(31), position.apply(31).legal_actions()[0], [1]) is None


EXACT = Exact()


@pytest.mark.parametrize("seed", range(8))
def test_luck_less_losses_make_the_result(seed: int) -> None:
    """With true equities: bkgm.com/articles/Zare/AMeasureOfLuck.html."""
    rng = seeded(seed)
    analyst = EquityAnalyst(judge=EXACT)
    position = GAME.parse_position(ENDING)
    stop = [0]
    expected = EXACT.before(position) * (1 if position.state[52] == 0 else -1)
    while position.to_move != END:
        legal = position.legal_actions()
        action = legal[below(rng, len(legal))]
        if position.to_move == CHANCE:
            luck = analyst.luck(position, action, stop)
            assert luck is not None
            expected += luck if position.apply(action).to_move == 0 else -luck
        else:
            judged = analyst.judge(position, action, stop)
            assert judged is not None
            assert judged.loss is not None
            expected -= judged.loss if position.to_move == 0 else -judged.loss
        position = position.apply(action)
    assert expected == pytest.approx(GAME.points(list(position.state)), abs=0.002)


def test_the_nets_themselves_go_through_a_match(tmp_path: Path) -> None:
    hidden = (2, 2, 2)
    rng = seeded(1)
    values = [below(rng, 200) / 1000 - 0.1 for _ in range(sum(map(size, hidden)))]
    save(tmp_path / "some.nets", Weights(hidden, values, {}))
    judge = Judge(weights=tmp_path / "some.nets")
    actions = read_actions(GAME.initial(), ["31", "24/20", "51", "13/8 6/5*"])
    found = analyse(GAME.initial(), actions, EquityAnalyst(judge=judge, plies=0))
    assert [(p.seat, p.action) for p in found.plays] == [(0, "24/20"), (1, "13/8 6/5*")]
    assert all(in_order(play) for play in found.plays)
    assert [roll.ply for roll in found.rolls] == [0, 2]
    assert found.left == []


def test_without_its_nets_tree_search_goes_through_the_match(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def none(self: Judge, **more: object) -> None:
        raise BadWeights("there are no weights here")

    monkeypatch.setattr(Judge, "__init__", none)
    assert analysts.make_analyst(GAME).PROGRAM == "mcts"
    said = "plyhouse: there are no weights here; mcts analyses the match instead"
    assert caplog.messages == [said]
    with pytest.raises(BadDepth, match="there are no weights here"):
        analysts.make_analyst(GAME, AnalysisDepth(plies=2))


def test_it_is_the_analyst_of_backgammon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Judge, "__init__", lambda self: None)
    assert analysts.analyst_class(GAME).PROGRAM == "gammon"
    assert analysts.make_analyst(GAME).by == "gammon, 1 ply"
    assert analysts.make_analyst(GAME, AnalysisDepth(plies=2, luck_plies=1)).by == "gammon, 2 plies"
