"""`plyhouse bench strength` and its contests, too short to mean anything."""

from __future__ import annotations

import math
import random
import statistics

import pytest

from bench.search import openspiel, strength
from bench.search.contest import ContestScore, MinimaxPlayer, RandomPlayer, contest
from bots import registry
from bots.bot import Budget
from bots.engine import compiled
from bots.experiments.contest import RosterPlayer
from games import registry as games
from games.game import END, Game, Position
from tests.support.command import Run


class Watching(RandomPlayer):
    """Plays at random and writes down all it sees."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[list[int]] = []

    def begin(self, game: Game, seed: int) -> None:
        super().begin(game, seed)
        self.seen.append([])

    def see(self, position: Position, action: int) -> None:
        self.seen[-1].append(action if position.to_move < 0 else -1)


def test_the_load_is_that_before_it_began(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[object] = []

    def part(*args: object) -> list[strength.Run]:
        begun.append(args)
        return []

    monkeypatch.setattr(strength, "PARTS", {"ultimate": part})
    monkeypatch.setattr(strength, "load_average", lambda: float(len(begun)))
    assert run("bench strength --json").json()["load"] == 0.0
    assert begun


def test_a_contest_counts_what_a_gets_in_pairs() -> None:
    game = games.game("tic_tac_toe")
    score = contest(game, MinimaxPlayer(game, 5), RandomPlayer(), 20)
    assert (score.games, len(score.pairs)) == (20, 10)
    losses = score.games - score.wins - score.draws
    assert score.points == score.wins - losses == 2 * sum(score.pairs)
    assert score.wins > losses
    assert score.score == (score.wins + score.draws / 2) / 20
    assert score.margin == pytest.approx(1.96 * statistics.stdev(score.pairs) / math.sqrt(10))
    again = contest(game, MinimaxPlayer(game, 5), RandomPlayer(), 20)
    assert again.pairs == score.pairs, "by its seed"
    assert ContestScore(pairs=[1.0]).margin == math.inf, "one pair has no error bar"


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


def test_a_bot_of_the_house_is_made_anew_for_every_game() -> None:
    seeds: list[int] = []

    def make(seed: int) -> registry.Bot:
        seeds.append(seed)
        return registry.bot("random", seed=seed)

    contest(games.game("tic_tac_toe"), RosterPlayer(make, Budget(nodes=1)), RandomPlayer(), 6)
    assert len(set(seeds)) == 6


def test_the_report_says_what_was_played_and_people_see_tables(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(strength, "DEPTH", 1)
    words = "bench strength --part evaluations --games 2"
    report = run(words, "--json").json()
    assert [line["part"] for line in report["runs"]] == ["evaluations"] * 3
    assert all(line["games"] == 2 and 0 <= line["score"] <= 2 for line in report["runs"])
    assert report["compiled"] is compiled.available()
    code, out, _ = run(words)
    assert code == 0
    assert "minimax, depth 1, rich" in out
    assert max(map(len, out.splitlines())) <= 80


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
