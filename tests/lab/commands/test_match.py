"""`plyhouse match`: what it is asked, what it prints, and whole matches at a real server."""

from __future__ import annotations

import argparse
import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest

from bots.bot import Budget
from bots.online.entry import level_budget
from lab.arena import local_server as servers
from lab.arena.local_server import ServerFailed, local_server
from lab.arena.tournament import TournamentPlan, TournamentResult
from lab.arena.tournament_report import TournamentProgress, print_result
from lab.commands import match as versus
from plyhouse import main
from protocol.ladder import (
    Cross,
    Difference,
    Hypotheses,
    LadderDifferences,
    LadderLine,
    LadderState,
    PairLeg,
    PairLine,
    Standing,
    Verdict,
)
from protocol.parts import ClockOptions, Result
from server.ladder.core.formats import parse_format
from tests.support.command import Run
from tests.support.lent_server import lent_server  # noqa: F401  # a fixture


def plan(words: str) -> TournamentPlan:
    parser = argparse.ArgumentParser()
    versus.add_arguments(parser)
    return versus.tournament_of(parser.parse_args(words.split()))


def bare(player: str) -> str:
    """A player without its version."""
    return player.partition("@")[0]


def test_several_bots_are_a_round_robin_with_a_level_each() -> None:
    found = plan("mcts:2 mcts:4 random --seed 5")
    assert [bare(player) for player in found.players] == ["A/mcts-2", "B/mcts-4", "C/random"]
    budgets = [level_budget("mcts", 2), level_budget("mcts", 4), None]
    assert [entry.budget for entry in found.entries] == budgets
    assert len({entry.seed for entry in found.entries}) == 3
    assert (found.format, found.total) == ("roundrobin:10", 30)
    assert found.clock == ClockOptions(base_ms=600_000, increment_ms=10_000)


def test_without_a_clock_a_bot_plays_by_its_usual_level_and_with_one_by_the_clock() -> None:
    words = "mcts minimax --pairs 3 --b-nodes 70"
    budgets = [entry.budget for entry in plan(words).entries]
    assert budgets == [level_budget("mcts", 4), Budget(nodes=70)]
    timed = plan(f"{words} --clock 10s+0.1s")
    assert timed.entries[0].budget is None
    assert timed.clock == ClockOptions(base_ms=10_000, increment_ms=100)


@pytest.mark.socket
@pytest.mark.usefixtures("lent_server")
def test_a_depth_is_no_default_level_and_what_is_cut_before_it_is_told(run: Run) -> None:
    entries = plan("minimax random --pairs 3 --a-set depth=10").entries
    assert [entry.budget for entry in entries] == [None, None]
    words = "match minimax random --games 2 --seed 1 --a-set depth=5 --a-set pruning=off"
    whole, cut = (json.loads(run(words, *more, "--json").out) for more in ((), ("--nodes", 90)))
    assert [side["cut"] for side in whole["sides"]] == [0, 0]
    assert whole["sides"][0]["nodes"] > 10_000
    (first, second), sides = cut["records"], cut["sides"]
    assert 0 < sides[0]["cut"] == first["a_cut"] + second["a_cut"] <= sides[0]["choices"]
    said = run(words, "--nodes", 90).out
    told = f"A: {sides[0]['cut']} of {sides[0]['choices']} choices were cut by the budget before"
    assert f"\n{told} the depth that is set\n" in said
    assert "B: " not in said


def test_a_test_names_new_and_old() -> None:
    found = plan("mcts mcts --sprt --a-set exploration=2")
    version = found.entries[0].info().version
    assert found.format == f"sprt:A/mcts@{version},B/mcts@{version}"
    assert found.total is None
    assert found.entries[0].settings["exploration"] == 2.0
    assert found.entries[1].settings["exploration"] != 2.0


def test_a_test_has_hypotheses_of_its_own() -> None:
    found = plan("mcts random --sprt --elo0 -5 --elo1 10 --beta 0.1 --pairs 64")
    assert found.format.endswith(",elo0=-5,elo1=10,beta=0.1")
    assert parse_format(found.format).test == Hypotheses(elo0=-5, elo1=10, beta=0.1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--sprt --pairs 63", "--sprt says nothing before 64 pairs, so --pairs 63 is too few"),
        ("--sprt --elo0 30", "--sprt: a test needs elo0 < elo1"),
        ("--sprt --alpha 0.6", "--sprt: alpha and beta of a test are 0.001 to 0.3"),
        ("--elo1 10", "--elo1 belongs to --sprt"),
    ],
)
def test_a_test_that_cannot_decide_is_refused(
    words: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["match", "mcts", "random", *words.split()]) == 2
    assert said in capsys.readouterr().err


THREE = TournamentPlan(
    tuple(plan("mcts:2 minimax:2 random").entries),
    "connect_four", ClockOptions(base_ms=10_000, increment_ms=100), 2, False, 5,
)  # fmt: skip
LINE = LadderLine(
    name="match", game="connect_four", format=THREE.format, clock=THREE.clock, state="finished",
    owner="match", at=1, players=3, pairs=6,
)  # fmt: skip
A, B, C = THREE.players
WON = Result(winner=0, returns=(1.0, -1.0), how="flag", reason="")
PAIR = PairLine(
    pair=1, one=A, two=C, at=1, opening=("4", "4"),
    legs=(PairLeg(match="7.1", result=WON, plies=9), PairLeg(match="8.1", result=WON, plies=11)),
)  # fmt: skip


def state(**fields: Any) -> LadderState:
    rows = (
        Standing(player=A, rank=1, rating=120.4, error=35.0, pairs=4, score=6.5,
                 wins=6, draws=1, losses=1, move_ms=3.2),
        Standing(player=B, rank=2, rating=10.0, error=30.0, pairs=4, score=4.0),
        Standing(player=C, rank=3, pairs=4, score=1.5, losses=6,
                 lost_by={"flag": 2, "resign": 1}, suspended="6 of its last 50"),
    )  # fmt: skip
    cross = (Cross(one=0, two=1, pairs=2, score=3.0), Cross(one=0, two=2, pairs=2, score=3.5,
             exact=True))  # fmt: skip
    return LadderState(ladder=LINE, seq=9, standings=rows, cross=cross, rated=6, **fields)


def outcome(**fields: Any) -> TournamentResult:
    apart = LadderDifferences(
        ladder="match", rated=6, players=(A, B),
        differences=(Difference(one=0, two=1, elo=110.4, error=61.5, los=0.9998),),
    )  # fmt: skip
    return TournamentResult(state(field=65.2, **fields), [PAIR], [], True, False, apart)


def test_the_standing_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    said = Verdict(word="better", text="better", pairs=70, llr=3.3, lower=-3.18, upper=3.18)
    print_result(THREE, outcome(first_move=12.4, first_move_error=8.0, verdict=said), "text")
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert " ".join(lines[3]) == "connect_four: 6 pairs of matches, clock 10 s + 0.1 s, seed 5"
    rows = {row[1]: row for row in lines if row[:1] in (["1"], ["2"], ["3"])}
    assert f"1 {A} 120 35 4 81.2 % 6–1–1" in " ".join(lines[6])
    assert f"3 {C} 4 18.8 %" in " ".join(lines[8])
    assert " ".join(lines[9]) == f"{C} is suspended: 6 of its last 50"
    assert " ".join(lines[10]) == "± is to the field, whose mean is 65"
    assert lines[11] == ["A", "B", "C"]
    assert lines[12] == ["1", A, "3–1", "=", "3½–½"]
    assert rows[C] == ["3", C, "=", "½–3½"]
    assert " ".join(lines[15]).startswith(f"{A} is 110 ±62 Elo stronger than {B}; LOS")
    assert " ".join(lines[16]) == "moving first is worth +12 ±8 Elo"
    assert " ".join(lines[17]) == (
        "H0: +0 Elo, H1: +30 Elo, alpha 0.05, beta 0.05, no verdict before 64 pairs"
    )
    assert " ".join(lines[18]) == "better (70 pairs, log-likelihood ratio +3.30 of -3.18 to 3.18)"


def test_the_standing_as_json_and_the_matches_as_lines(capsys: pytest.CaptureFixture[str]) -> None:
    print_result(THREE, outcome(), "json")
    found = json.loads(capsys.readouterr().out)
    assert found["standings"][0]["voids"] == 0
    assert found["standings"][2]["forfeits"] == 2
    assert found["cross"][0] == {"one": A, "two": B, "pairs": 2, "score": 3.0}
    assert found["field"] == 65.2
    assert found["differences"] == [
        {"one": A, "two": B, "elo": 110.4, "error": 61.5, "los": 0.9998}
    ]
    assert found["bots"][0]["nodes"] == 40
    assert found["records"][1]["first"] == C
    print_result(THREE, outcome(), "csv")
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    legs = [(row["leg"], row["winner"], row["how"]) for row in rows]
    assert legs == [("0", A, "flag"), ("1", C, "flag")]
    assert rows[0]["opening"] == "4 4"


def test_progress_on_a_pipe_says_each_number_once(capsys: pytest.CaptureFixture[str]) -> None:
    with TournamentProgress(THREE) as look:
        look.on_state(state())
        look.on_state(state())
    with TournamentProgress(THREE, quiet=True) as look:
        look.on_state(state())
    assert capsys.readouterr().err == "6/6 pairs\n"


@pytest.mark.parametrize(
    ("sprt", "word", "fields", "code"),
    [
        (True, "better", {}, 0),
        (True, "not better", {}, 1),
        (True, "undecided", {"finished": False}, 3),
        (True, None, {}, 3),
        (True, "better", {"interrupted": True}, 130),
        (False, None, {}, 0),
        (False, None, {"finished": False}, 1),
        (False, None, {"crashes": ["7.1"]}, 1),
    ],
)
def test_the_exit_code(sprt: bool, word: str | None, fields: dict[str, Any], code: int) -> None:
    said = Verdict(word=word, text=word, pairs=1) if word else None
    how = {"crashes": [], "finished": True, "interrupted": False, **fields}
    asked = TournamentPlan(THREE.entries[:2], THREE.game, THREE.clock, 2, sprt, 5)
    assert versus.exit_code(asked, TournamentResult(state(verdict=said), [], **how)) == code


@pytest.mark.socket
def test_a_duel_swaps_seats_and_counts(run: Run) -> None:
    words = "match mcts random --game connect_four --games 4 --nodes 60 --seed 5 --json"
    said = run(words, "--a-set proofs=off")
    found = said.json()
    a, b = found["sides"]
    assert (said.code, said.err) == (0, "")
    assert [row["seat"] for row in found["records"]] == [0, 1, 0, 1]
    assert found["wins"] + found["draws"] + found["losses"] == 4
    assert found["wins"] >= 3
    assert a["nodes"] == 60 * a["choices"]
    assert a["choices"] + b["choices"] == found["plies"]
    assert len({row["a_seed"] for row in found["records"]}) == 4


@pytest.mark.socket
@pytest.mark.usefixtures("lent_server")
def test_both_bots_of_a_duel_may_carry_a_level(run: Run) -> None:
    said = run("match minimax:1 minimax:2 --games 2 --seed 5 --json")
    assert (said.code, said.json()["matches"]) == (0, 2)


@pytest.mark.socket
@pytest.mark.usefixtures("lent_server")
@pytest.mark.slow
def test_the_same_seed_plays_the_same_matches(run: Run) -> None:
    words = "match mcts mcts --games 3 --nodes 40 --b-nodes 20 --seed 5 --csv --a-set playouts=2"
    runs = [run(words, "--concurrency 2").out for _ in range(2)]
    lines = [sorted(line.split(",")[-1] for line in out.splitlines()) for out in runs]
    assert lines[0] == lines[1]
    assert len(lines[0]) == 4


@pytest.mark.socket
@pytest.mark.usefixtures("lent_server")
def test_dice_and_boards_are_shown_and_a_pipe_gets_plain_lines(run: Run) -> None:
    words = "match minimax random --game pebbles --games 2 --nodes 30 --clock 60s+1s --show"
    code, out, err = run(words)
    assert code == 0
    assert out.startswith("match 1, ply 2: dice ")
    assert "match 2, ply" in out
    assert "a match" in out.splitlines()[-1]
    assert err.splitlines()[0].startswith("1/2 ")


@pytest.mark.socket
@pytest.mark.usefixtures("lent_server")
def test_a_crashing_bot_loses_its_matches_and_the_duel_says_so(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fragile.py").write_text(
        "from bots.bot import Bot\n"
        "print('here I come')\n"
        "class Fragile(Bot):\n"
        "    def think(self, position, nodes, stop):\n"
        "        print('let me see')\n"
        "        raise RuntimeError('out of ideas')\n"
        "BOT = Fragile\n"
    )
    monkeypatch.setenv("PLYHOUSE_BOTS", str(tmp_path))
    said = run("match fragile random --games 2 --json")
    assert said.code == 1
    assert "here I come" in said.err
    assert said.err.count("let me see") == 2
    assert said.json()["forfeits"] == [{"crash": 2}, {}]
    assert [row["how"] for row in said.json()["records"]] == ["crash", "crash"]
    assert said.json()["losses"] == 2


@pytest.mark.socket
async def test_a_server_that_does_not_start_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "SETTINGS", {"no_such_limit": 1})
    with pytest.raises(ServerFailed, match="no setting is called 'no_such_limit'"):
        async with local_server():
            pass


@pytest.mark.socket
@pytest.mark.usefixtures("lent_server")
@pytest.mark.slow
def test_a_round_robin(run: Run) -> None:
    said = run("match mcts:1 minimax:1 random --pairs 1 --seed 5 --json --concurrency 2")
    found = said.json()
    assert (said.code, said.err) == (0, "")
    assert found["pairs"] == 3
    players = sorted(bare(row["player"]) for row in found["standings"])
    assert players == ["A/mcts-1", "B/minimax-1", "C/random"]
    assert all(row["rating"] is not None for row in found["standings"])
    assert [row["leg"] for row in found["records"]] == [0, 1] * 3
    assert sum(row["score"] for row in found["standings"]) == 6.0


@pytest.mark.socket
@pytest.mark.usefixtures("lent_server")
@pytest.mark.slow
def test_a_test_that_is_cut_short_is_undecided(run: Run) -> None:
    words = "match random random --sprt --elo1 5 --pairs 64 --concurrency 8 --seed 5"
    code, out, err = run(words)
    assert code == 3
    assert out.splitlines()[-1].startswith("undecided, about ")
    assert "H0: +0 Elo, H1: +5 Elo, alpha 0.05" in out
    assert re.search(r"pairs by A's score: 0: \d+, ½: \d+, 1: \d+, 1½: \d+, 2: \d+", out)
    assert " pairs: undecided" in err
