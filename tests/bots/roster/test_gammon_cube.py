"""gammon with the cube: what it decides, at which score, what it says, and how a beginner errs."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from bots import registry
from bots.backgammon import weights
from bots.bot import Bot, Budget
from bots.engine import compiled
from bots.online.entry import make_entry
from bots.roster.gammon import Gammon
from games import registry as games
from games.backgammon_cube.actions import decides_about_cube
from games.game import CHANCE, MatchTerms, Position
from games.rng import below, seeded
from tests.bots.backgammon import tiny
from tests.bots.backgammon.cube.boards import AHEAD, BEAVERS, CLEAR, CLOSED, FAR, MONEY

GAME = games.game("backgammon_cube")
LATER = "-bA---D-C---eE---c-e----B-"
WON = "-AAA--------------------o-"  # X bears off three checkers, O fifteen
SINGLE = "-AAA--------------------n-"  # one of O's is off, so there is no gammon to win


def asked(dice: str, board: str, turn: str, rest: str, cube: str = "0:0") -> Position:
    return GAME.parse_position(f"XGID={board}:{cube}:{turn}:{dice}:{rest}")


def decision(
    dice: str, board: str = LATER, turn: str = "-1", rest: str = "0:0:0:0:10", cube: str = "0:0"
) -> str:
    """What it decides in this position."""
    p = asked(dice, board, turn, rest, cube)
    choice = registry.bot("gammon").choose(p, Budget(nodes=50))
    assert -1 <= choice.value <= 1
    return GAME.format_action(p, choice.action)


@pytest.mark.parametrize(("dice", "board", "rest", "best"), CLEAR)
def test_it_decides_by_what_is_played_for(dice: str, board: str, rest: str, best: str) -> None:
    assert decision(dice, board, "1", rest) == best


def test_it_beavers_what_was_doubled_too_early_where_that_is_allowed() -> None:
    assert decision("D", AHEAD, "-1", BEAVERS) == "beaver"
    assert decision("D", AHEAD, "-1", MONEY) == "take"


def test_it_tells_what_each_decision_is_worth_and_loses() -> None:
    money = registry.bot("gammon").choose(asked("00", AHEAD, "1", MONEY), Budget(nodes=50))
    assert re.fullmatch(r"double \+0\.\d+ 0-ply \| roll \+0\.\d+ \(-0\.\d+\)", money.note)
    match = registry.bot("gammon").choose(asked("D", FAR, "1", "0:0:0:7:10"), Budget(nodes=50))
    chances = re.fullmatch(r"drop ([\d.]+) % 0-ply \| take ([\d.]+) % \((-[\d.]+) %\)", match.note)
    assert chances
    drop, take, loss = map(float, chances.groups())
    assert abs(take - drop - loss) < 0.011
    good = registry.bot("gammon").choose(asked("00", CLOSED, "1", MONEY), Budget(nodes=50))
    assert "too good to double" in good.note


def test_a_gammon_that_the_score_has_no_use_for_does_not_count_in_its_turns() -> None:
    p = asked("21", CLOSED, "1", "6:6:0:7:10")
    note = registry.bot("gammon").choose(p, Budget(nodes=50)).note
    value, win = re.search(r" ([\d.]+) % W ([\d.]+)", note).groups()  # type: ignore[union-attr]
    assert abs(float(value) - float(win)) < 0.1


def test_beginners_err_about_the_cube_the_less_the_more_nodes_and_the_same_each_time() -> None:
    right = []
    for level in (1, 2, 3, 4):
        nodes = Gammon.LEVELS[level - 1]
        decided = [_levelled(dice, nodes, seed) for seed in range(8) for dice in ("00", "D")]
        assert decided == [_levelled(d, nodes, seed) for seed in range(8) for d in ("00", "D")]
        counts = Counter(decided)
        right.append(counts["double"] + counts["take"])
    assert right == sorted(right)
    assert right[0] < right[-1] == 16


def _levelled(dice: str, nodes: int, seed: int) -> str:
    p = asked(dice, AHEAD, "1", MONEY)
    choice = registry.bot("gammon", seed=seed).choose(p, Budget(nodes=nodes))
    assert choice.nodes <= nodes
    return GAME.format_action(p, choice.action)


def test_a_thought_that_is_stopped_is_a_legal_decision() -> None:
    p = asked("D", AHEAD, "1", MONEY)
    assert registry.bot("gammon").choose(p, Budget(nodes=50), stop=[1]).action in p.legal_actions()


def test_it_looks_as_far_ahead_as_the_nodes_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = tmp_path / "small.nets"
    weights.save(small, tiny.weights())
    monkeypatch.setenv("PLYHOUSE_NETS", str(small))
    ending = "-AB-------------A--b--a---"
    for nodes, plies in ((8, 0), (200, 1), (20_000, 2)):
        choice = registry.bot("gammon").choose(asked("00", ending, "1", MONEY), Budget(nodes=nodes))
        assert f" {plies}-ply" in choice.note
        assert choice.nodes <= nodes


def test_a_cube_that_ends_any_match_is_judged_however_high() -> None:
    assert decision("00", AHEAD, "1", "3:2:0:25:10", cube="9:1") in ("roll", "double")


def test_without_nets_it_never_doubles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLYHOUSE_NETS", str(tmp_path / "none"))
    assert decision("00", AHEAD, "1") == "roll"
    assert decision("D", WON, "1") == "drop"


def test_the_cube_is_compiled_for_the_game_with_it_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "available", lambda: True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(Gammon, "warm_up", lambda position: None)
    warmed: list[str] = []
    monkeypatch.setattr(Gammon, "warm_up_cube", lambda: warmed.append("cube"))
    board = games.game("backgammon")
    Gammon.prepare(board)
    assert Gammon.ready(board)
    assert not Gammon.ready(GAME)
    assert not warmed
    Gammon.prepare(GAME)
    assert Gammon.ready(GAME)
    assert Gammon.loaded(GAME)
    assert warmed == ["cube"]


@pytest.mark.parametrize(
    ("board", "turn", "dice", "cube", "least", "most"),
    [
        (LATER, "-1", "D", "0:0", -1.0, 0.5),
        (WON, "1", "D", "0:0", -1.0, -1.0),  # it would drop
        (WON, "1", "21", "2:1", 3.9, 4.1),
        (SINGLE, "1", "00", "2:1", 3.9, 4.1),
    ],
)
def test_it_tells_what_it_expects_in_points_at_this_stake(
    board: str, turn: str, dice: str, cube: str, least: float, most: float
) -> None:
    p = GAME.parse_position(f"XGID={board}:{cube}:{turn}:{dice}:0:0:0:0:10")
    expected = registry.bot("gammon").expected_points(p)
    assert expected is not None
    assert least <= expected <= most


def test_its_turn_is_that_of_the_game_without_the_cube() -> None:
    with_cube = GAME.parse_position(f"XGID={LATER}:1:1:1:31:4:5:0:7:10")
    without = games.game("backgammon").parse_position(f"XGID={LATER}:0:0:1:31:0:0:0:0:10")
    turns = [_chosen(p) for p in (with_cube, without)]
    assert turns[0] == turns[1]


def _chosen(p: Position) -> str:
    choice = registry.bot("gammon", seed=1).choose(p, Budget(nodes=100))
    return p.game.format_action(p, choice.action)


def test_a_search_that_knows_no_cube_does_not_offer_to_play_with_one() -> None:
    assert "backgammon_cube" in make_entry("gammon", seed=1).games
    assert "backgammon_cube" in make_entry("random", seed=1).games
    assert "backgammon_cube" not in make_entry("mcts", seed=1).games


@pytest.mark.slow
@pytest.mark.usefixtures("with_numba")
def test_matches_with_the_shipped_nets_end_and_the_cube_is_turned_in_them() -> None:
    """Three matches to 5 points on level 7, all decisions within the nodes."""
    Gammon.prepare(GAME)
    assert Gammon.ready(GAME)
    nodes, rng, counts = Gammon.LEVELS[6], seeded(5), Counter[str]()
    for number in range(3):
        bots = [registry.bot("gammon", seed=2 * number + seat) for seat in (0, 1)]
        score, crawford_over = [0, 0], False
        while max(score) < 5:
            crawford = max(score) == 4 and not crawford_over
            crawford_over = crawford_over or crawford
            terms = MatchTerms(points=5, score=(score[0], score[1]), crawford=crawford)
            won = _points(GAME.initial(terms), bots, nodes, rng, counts)
            score[won < 0] += abs(won)
    assert counts["double"] == counts["take"] + counts["drop"] > 0
    assert counts["take"] > 0


def _points(p: Position, bots: list[Bot], nodes: int, rng: list[int], counts: Counter[str]) -> int:
    """What seat 0 wins in a game that is played on from here; decisions are added to `counts`."""
    while p.outcome() is None:
        if p.to_move == CHANCE:
            rolls = [roll for roll, weight in p.chance() for _ in range(weight)]
            p = p.apply(rolls[below(rng, len(rolls))])
            continue
        choice = bots[p.to_move].choose(p, Budget(nodes=nodes))
        assert choice.nodes <= nodes
        if decides_about_cube(p):
            counts[GAME.format_action(p, choice.action)] += 1
        p = p.apply(choice.action)
    return GAME.points(list(p.state))
