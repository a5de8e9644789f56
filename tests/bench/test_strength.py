"""`plyhouse bench strength` and its contests, too short to mean anything."""

from __future__ import annotations

import json
import math
import random
import sys

import pytest

import plyhouse
from bench import openspiel, strength
from bench.contest import House, Minimax, Random, Score, contest
from bots import compiled, registry
from bots.bot import Budget
from games import registry as games
from games.game import END, Game, Position


def bench(*words: str) -> int:
    return plyhouse.main(["bench", "strength", *words])


class Watching(Random):
    """Plays at random and writes down all it sees."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[list[int]] = []

    def begin(self, game: Game, seed: int) -> None:
        super().begin(game, seed)
        self.seen.append([])

    def see(self, position: Position, action: int) -> None:
        self.seen[-1].append(action if position.to_move < 0 else -1)


def test_a_contest_counts_what_a_gets_in_pairs() -> None:
    game = games.game("tic_tac_toe")
    score = contest(game, Minimax(game, 5), Random(), 20)
    assert (score.games, len(score.pairs)) == (20, 10)
    losses = score.games - score.wins - score.draws
    assert score.points == score.wins - losses == 2 * sum(score.pairs)
    assert score.wins > losses
    assert score.score == (score.wins + score.draws / 2) / 20
    assert score.margin == pytest.approx(1.96 * stdev(score.pairs) / math.sqrt(10))
    assert contest(game, Minimax(game, 5), Random(), 20).pairs == score.pairs, "by its seed"


def stdev(values: list[float]) -> float:
    mean = sum(values) / len(values)
    return math.sqrt(sum((v - mean) ** 2 for v in values) / (len(values) - 1))


def test_both_games_of_a_pair_see_the_same_dice() -> None:
    a, b = Watching(), Watching()
    contest(games.game("backgammon"), a, b, 4)
    assert a.seen == b.seen
    rolls = [[action for action in game if action >= 0] for game in a.seen]
    for first, second in (rolls[:2], rolls[2:]):
        shared = min(len(first), len(second))
        assert shared > 10
        assert first[:shared] == second[:shared]
    assert rolls[0][:10] != rolls[2][:10]


def test_one_pair_has_no_error_bar() -> None:
    assert Score(pairs=[1.0]).margin == math.inf


def test_a_bot_of_the_house_is_made_anew_for_every_game() -> None:
    seeds: list[int] = []

    def make(seed: int) -> registry.Bot:
        seeds.append(seed)
        return registry.bot("random", seed=seed)

    contest(games.game("tic_tac_toe"), House(make, Budget(nodes=1)), Random(), 6)
    assert len(set(seeds[1:])) == 6


@pytest.fixture
def shallow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strength, "DEPTH", 1)


@pytest.mark.usefixtures("shallow")
def test_the_report_says_what_was_played(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench("--part", "evaluations", "--games", "2", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [run["part"] for run in found["runs"]] == ["evaluations"] * 3
    assert all(run["games"] == 2 and 0 <= run["score"] <= 2 for run in found["runs"])
    assert found["compiled"] is compiled.available()


@pytest.mark.usefixtures("shallow")
def test_people_see_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench("--part", "evaluations", "--games", "2") == 0
    out = capsys.readouterr().out
    assert "minimax, depth 1, rich" in out
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--games 3", "an even number"),
        ("--part chess", "there is no part 'chess'; there are projects"),
        ("--ms 0", "start at 1"),
        ("--level 9", "levels are 1 to 8"),
    ],
)
def test_nonsense_is_one_sentence_and_exit_code_2(
    words: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench(*words.split()) == 2
    err = capsys.readouterr().err
    assert says in err
    assert err.count("\n") == 1


def test_without_openspiel_it_refuses_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    assert bench("--part", "ultimate", "--games", "2") == 2
    assert "OpenSpiel is not installed" in capsys.readouterr().err


def test_openspiel_sees_the_same_game_of_ultimate() -> None:
    pytest.importorskip("pyspiel")
    game = games.game("ultimate_tic_tac_toe")
    player, rng = openspiel.UltimatePlayer(4), random.Random(3)
    for seed in range(3):
        player.begin(game, seed)
        position = game.initial()
        while position.to_move != END:
            action = player.choose(position)
            assert action in position.legal_actions()
            action = rng.choice([action, rng.choice(position.legal_actions())])
            player.see(position, action)
            position = position.apply(action)
        assert player._state.is_terminal()
        assert player._state.returns() == list(position.outcome().returns)
