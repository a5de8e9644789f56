"""`plyhouse match` in pairs: what it is asked, and whole tournaments at a real server."""

from __future__ import annotations

import argparse
import csv
import json
from typing import Any

import pytest

from bots import versus
from bots.bot import Budget
from bots.crosstable import Progress, print_outcome
from bots.terms import BadTerms, level_budget
from bots.tournament import Contest, Outcome
from protocol.ladder import Cross, LadderLine, LadderState, PairLeg, PairLine, Standing, Verdict
from protocol.messages import ClockOptions, Result


def arguments(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    versus.add_arguments(parser)
    return parser.parse_args(words)


def contest(*words: str) -> Contest:
    return versus.contest_of(arguments(*words))


def bare(player: str) -> str:
    """A player without its version."""
    return player.partition("@")[0]


def match(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Run `plyhouse match` here; exit code, stdout, stderr."""
    code = versus.run(arguments(*words))
    out, err = capsys.readouterr()
    return code, out, err


# ---------------------------------------------------------------- what is asked


def test_several_bots_are_a_round_robin_with_a_level_each() -> None:
    found = contest("mcts:2", "mcts:4", "random", "--seed", "5")
    assert [bare(player) for player in found.players] == ["A/mcts-2", "B/mcts-4", "C/random"]
    assert [entry.budget for entry in found.entries] == [
        level_budget("mcts", 2),
        level_budget("mcts", 4),
        None,
    ]
    assert len({entry.seed for entry in found.entries}) == 3
    assert (found.form, found.total) == ("roundrobin:10", 30)
    assert found.clock == ClockOptions(base_ms=600_000, increment_ms=10_000)


def test_without_a_clock_a_bot_plays_by_its_usual_level_and_with_one_by_the_clock() -> None:
    words = ("mcts", "minimax", "--pairs", "3", "--b-nodes", "70")
    assert contest(*words).entries[0].budget == level_budget("mcts", 4)
    assert contest(*words).entries[1].budget == Budget(nodes=70)
    timed = contest(*words, "--clock", "10+0.1")
    assert timed.entries[0].budget is None
    assert timed.clock == ClockOptions(base_ms=10_000, increment_ms=100)


def test_a_test_names_new_and_old() -> None:
    found = contest("mcts", "mcts", "--sprt", "--a-set", "exploration=2")
    version = found.entries[0].info().version
    assert found.form == f"sprt:A/mcts@{version},B/mcts@{version}"
    assert found.total is None
    assert found.entries[0].settings["exploration"] == 2.0
    assert found.entries[1].settings["exploration"] != 2.0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("mcts random --pairs 0", "--pairs must be 1 or more, not 0"),
        ("mcts random flat --sprt", "--sprt is for two bots"),
        ("mcts random flat --games 4", "--games counts single matches"),
        ("mcts random --pairs 2 --show", "--show draws single matches"),
        ("mcts:x random", "'mcts:x' is no bot with a level; one looks like mcts:4"),
        ("mcts:9 random --pairs 2", "mcts has levels 1 to 8, not 9"),
        ("mcts:2 random --a-level 3", "mcts:2 says its level already; leave out --a-level"),
        ("mcts random deep", "no bot is called 'deep'; there are"),
        (" ".join(["random"] * 27), "26 bots at most, not 27"),
    ],
)
def test_bad_input_is_answered_with_a_sentence(
    capsys: pytest.CaptureFixture[str], words: str, sentence: str
) -> None:
    code, out, err = match(capsys, *words.split())
    assert (code, out) == (2, "")
    assert err.startswith("plyhouse: ")
    assert sentence in err
    assert err.count("\n") == 1


def test_a_level_is_a_number() -> None:
    assert versus.parse_bot("mcts") == ("mcts", None)
    assert versus.parse_bot("mcts:4") == ("mcts", 4)
    with pytest.raises(BadTerms):
        versus.parse_bot("mcts:")


# ---------------------------------------------------------------- what is shown

THREE = Contest(
    tuple(contest("mcts:2", "minimax:2", "random").entries),
    "connect_four", ClockOptions(base_ms=10_000, increment_ms=100), 2, False, 5,
)  # fmt: skip
LINE = LadderLine(
    name="match", game="connect_four", format=THREE.form, clock=THREE.clock, state="finished",
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


def outcome(**fields: Any) -> Outcome:
    return Outcome(state(**fields), [PAIR], [], finished=True, interrupted=False)


def test_the_standing_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    said = Verdict(word="better", text="better", pairs=70, llr=3.3, lower=-3.18, upper=3.18)
    print_outcome(THREE, outcome(first_move=12.4, first_move_error=8.0, verdict=said), "text")
    lines = capsys.readouterr().out.splitlines()
    assert lines[3] == "connect_four: 6 pairs of matches, clock 10+0.1, seed 5"
    assert lines[5].split() == ["1", "A", "mcts-2", "+120", "35", "4", "6.5/8", "6", "1", "1",
                                "0", "3"]  # fmt: skip
    assert lines[7].split()[:4] == ["3", "C", "random", "4"]
    assert lines[7].endswith("6 of its last 50")
    assert lines[8].split() == ["A", "B", "C"]
    assert lines[9].split() == ["1", "A", "mcts-2", "·", "3/4", "=3.5/4"]
    assert lines[11].split() == ["3", "C", "random", "=0.5/4", "·"]
    assert lines[12] == "moving first is worth +12 ± 8 Elo"
    assert lines[13] == "better (70 pairs, log-likelihood ratio +3.30 of -3.18 to 3.18)"


def test_the_standing_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    print_outcome(THREE, outcome(), "json")
    found = json.loads(capsys.readouterr().out)
    assert found["standings"][0]["voids"] == 0
    assert found["standings"][2]["forfeits"] == 2
    assert found["cross"][0] == {"one": A, "two": B, "pairs": 2,
                                 "score": 3.0}  # fmt: skip
    assert found["bots"][0]["nodes"] == 40
    assert found["records"][1]["first"] == C


def test_the_matches_as_lines(capsys: pytest.CaptureFixture[str]) -> None:
    print_outcome(THREE, outcome(), "csv")
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [(row["leg"], row["winner"], row["how"]) for row in rows] == [
        ("0", A, "flag"),
        ("1", C, "flag"),
    ]
    assert rows[0]["opening"] == "4 4"


def test_progress_on_a_pipe_says_each_number_once(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress(THREE) as look:
        look.on_state(state())
        look.on_state(state())
    with Progress(THREE, quiet=True) as look:
        look.on_state(state())
    assert capsys.readouterr().err == "6/6 pairs\n"


@pytest.mark.parametrize(
    ("sprt", "word", "fields", "code"),
    [
        (True, "better", {}, 0),
        (True, "not better by 30", {}, 1),
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
    asked = Contest(THREE.entries[:2], THREE.game, THREE.clock, 2, sprt, 5)
    assert versus.exit_code(asked, Outcome(state(verdict=said), [], **how)) == code


# ---------------------------------------------------------------- a real server


@pytest.mark.socket
@pytest.mark.slow
def test_a_round_robin(capsys: pytest.CaptureFixture[str]) -> None:
    words = "mcts:1 minimax:1 random --pairs 1 --seed 5 --json --concurrency 2"
    code, out, err = match(capsys, *words.split())
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["pairs"] == 3
    players = sorted(bare(row["player"]) for row in found["standings"])
    assert players == ["A/mcts-1", "B/minimax-1", "C/random"]
    assert all(row["rating"] is not None for row in found["standings"])
    assert [row["leg"] for row in found["records"]] == [0, 1] * 3
    assert sum(row["score"] for row in found["standings"]) == 6.0


@pytest.mark.socket
@pytest.mark.slow
def test_a_test_that_is_cut_short_is_undecided(capsys: pytest.CaptureFixture[str]) -> None:
    words = "random random --sprt --pairs 1 --seed 5"
    code, out, err = match(capsys, *words.split())
    assert code == 3
    assert out.splitlines()[-1].startswith("undecided, about ")
    assert " pairs: undecided" in err
