"""`plyhouse bench cube`, `bench scores` and `bench efficiency`, without GNU Backgammon."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.backgammon import cube, cube_corpus, efficiency, gnubg_program, scores
from bench.backgammon.cube import CubeReport, lost, missed
from bench.backgammon.cube_corpus import Corpus, CubeQuestion
from bench.backgammon.gnubg_program import CubeVerdict, GnuCube
from bench.support.report import Missing
from bots.backgammon.cube import match_table
from bots.backgammon.cube.cube_judge import CubeJudgement
from bots.backgammon.cube.match_table import MatchTable
from bots.backgammon.cube.stakes import Stakes
from bots.backgammon.kernels.net import EXACT, RACE
from bots.backgammon.training.efficiency import CubePosition
from bots.roster.gnubg import program_file
from games.backgammon.rules import TURN
from games.game import Position
from tests.bots.backgammon.cube.tables import plain_table
from tests.bots.backgammon.tiny import position
from tests.support.command import Run

HERE = position({6: 3, 5: 2}, {6: 3, 5: 3})
WEAK, STRONG = CubeVerdict(0.5, 0.4, 1.0), CubeVerdict(0.6, 0.9, 1.0)
PASS, GOOD = CubeVerdict(0.8, 1.3, 1.0), CubeVerdict(1.2, 1.5, 1.0)


def question(truth: CubeVerdict, answer: bool = False) -> CubeQuestion:
    return CubeQuestion(HERE.state, Stakes(), answer, (truth, truth, truth))


class Pips:
    """GNU Backgammon, replaced by who is ahead: a few pips are a double, more are a drop."""

    version = "0"

    def __init__(self) -> None:
        """Without a process."""

    def judge(self, position: Position, stakes: Stakes, plies: int) -> CubeVerdict:
        state, seat = position.state, position.state[TURN]
        pips = [sum(p * state[base + p] for p in range(26)) for base in (0, 26)]
        ahead = (pips[1 - seat] - pips[seat]) / 12
        return CubeVerdict(ahead, 1.5 * ahead, 1.0)

    def table(self, most: int) -> MatchTable:
        assert most == match_table.MOST_AWAY
        return plain_table()

    def close(self) -> None:
        """Nothing to end."""


class Races:
    """The games, each of which begins shortly before its end."""

    def game(self, name: str) -> Races:
        assert name == "backgammon"
        return self

    def initial(self) -> Position:
        return position({6: 2, 3: 2, 1: 1}, {6: 2, 3: 2, 2: 1})


def first_turn(position: Position) -> int:
    return position.legal_actions()[0]


@pytest.mark.parametrize(
    ("truth", "said", "loss"),
    [
        (WEAK, WEAK, 0.0),
        (WEAK, STRONG, 0.1),  # doubled too early
        (STRONG, WEAK, 0.3),  # not doubled
        (PASS, GOOD, 0.2),  # played on for a gammon
        (GOOD, PASS, 0.2),  # cashed
        (PASS, STRONG, 0.0),
    ],
)
def test_a_decision_before_the_roll_loses_what_the_judge_says(
    truth: CubeVerdict, said: CubeVerdict, loss: float
) -> None:
    assert lost(question(truth), said) == pytest.approx(loss)


def test_an_answer_loses_what_the_judge_says() -> None:
    assert lost(question(PASS, answer=True), STRONG) == pytest.approx(0.3)
    assert lost(question(STRONG, answer=True), PASS) == pytest.approx(0.1)
    assert lost(question(STRONG, answer=True), WEAK) == 0


def test_decisions_are_near_ones_of_both_players_and_the_same_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cube_corpus, "registry", Races())

    def some(seed: int, kind: cube_corpus.Kind) -> list[CubeQuestion]:
        corpus = Corpus.__new__(Corpus)
        corpus._gnu, corpus._seed = Pips(), seed  # type: ignore[assignment]
        corpus._players = (first_turn, first_turn)
        return corpus.questions(kind, 6, 2)

    for kind in cube_corpus.KINDS:
        questions = some(1, kind)
        assert questions == some(1, kind) != some(2, kind)
        assert sorted(q.answer for q in questions) == [False] * 6 + [True] * 2
        for asked in questions:
            stays, taken, cash = (getattr(asked.verdicts[0], x) for x in ("stays", "taken", "cash"))
            gap = taken - cash if asked.answer else min(taken, cash) - stays
            assert abs(gap) <= cube_corpus.GAP
            assert asked.stakes.may_double(asked.state[TURN])
            assert (asked.stakes.away is None) == (kind == "money")


def test_what_is_kept_is_read_again_if_it_was_made_by_the_same(tmp_path: Path) -> None:
    file, questions = tmp_path / "a" / "kept.json", {"money": [question(WEAK)]}
    cube_corpus.keep(file, "us", questions)  # type: ignore[arg-type]
    assert cube_corpus.read(file, "us") == questions
    assert cube_corpus.read(file, "others") == cube_corpus.read(tmp_path / "b", "us") == {}


def test_what_misses_its_goal_is_told() -> None:
    class Cubes:
        def judge(self, here: Position, stakes: Stakes, plies: int) -> CubeJudgement:
            return CubeJudgement(0, 0.9, 0.4, None, 1.0, (1.0, -1.0), in_match=False, free=False)

    report = CubeReport(
        losses=[], times=[], weights="w", peer="0", seed=1, compiled=False, load=None
    )
    asked = {"money": [question(STRONG), question(STRONG), question(PASS, answer=True)]}
    cube.measure(Cubes(), (2,), asked, report)  # type: ignore[arg-type]
    ours = [row for row in report.losses if row.player == "ours, 2-ply"]
    assert [(row.answers, row.decisions, row.alike) for row in ours] == [
        (False, 2, 0),
        (True, 1, 0),
    ]
    assert [row.loss.mean for row in ours] == pytest.approx([0.3, 0.3])
    assert all(row.loss.mean == 0 for row in report.losses if row not in ours)
    assert len([sentence for sentence in missed(report) if "0.3000 points" in sentence]) == 2


def test_other_nets_are_asked_the_same_questions(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Named:
        def __init__(self, weights: Path | None = None) -> None:
            self.weights = weights

    questions_of: list[Path | None] = []
    measured: list[Path | None] = []
    monkeypatch.setattr(cube, "Judge", Named)
    monkeypatch.setattr(cube, "CubeJudge", lambda judge: judge)
    monkeypatch.setattr(cube, "GnuCube", Pips)
    monkeypatch.setattr(cube, "_questions", lambda judge, *_: questions_of.append(judge.weights))
    monkeypatch.setattr(cube, "measure", lambda judge, *_: measured.append(judge.weights))
    assert run("bench cube --weights other.nets --json").json()["weights"] == "other.nets"
    assert questions_of == [None]
    assert measured == [Path("other.nets")]


def test_without_gnu_backgammon_it_is_said(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gnubg_program, "program_file", lambda: None)
    with pytest.raises(Missing, match="apt-get install gnubg"):
        GnuCube()
    code, _, err = run("bench scores")
    assert (code, err.count("apt-get install gnubg")) == (1, 1)
    run("bench scores --points 99").refuses("", "points are 2 to 25")
    run("bench cube --answers 0").refuses("", "one decision of each kind")
    run("bench cube --weights no.nets").refuses("", "there are no weights in no.nets")


def test_scores_are_told_beside_the_published_ones(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scores, "GnuCube", Pips)
    monkeypatch.setattr(match_table, "read", lambda file: plain_table())
    report = run("bench scores --points 3 --json").json()
    assert report["ours"] == [0, 0]
    assert report["formula"][1] > 0
    out = run("bench scores --points 3").out
    assert "Janowski's formula" in out
    assert "OFF ITS TARGET" not in out


def test_how_live_the_cube_was_is_told_by_places(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Played:
        def __init__(self, judge: object) -> None:
            """Without nets."""

        def positions(self, games: int, seed: int, tell: object) -> list[CubePosition]:
            assert (games, seed) == (3, 7)
            dead = CubePosition(1, RACE, 60, 0.6, 0.2, 0.2, 0.9)  # nobody could turn the cube
            return [dead, *(CubePosition(i, EXACT, i, 0.6, 0.0, 1.0, i / 100) for i in (30, 50))]

    monkeypatch.setattr(efficiency, "CubeGames", Played)
    monkeypatch.setattr(efficiency, "Judge", lambda weights: None)
    report = run("bench efficiency --games 3 --seed 7 --json").json()
    told = {place["where"]: (place["share"], place["used"]) for place in report["places"]}
    assert told == {
        "bearing off, 20 to 39 pips": (pytest.approx(0.3), 0.6),
        "bearing off, 40 pips or more": (pytest.approx(0.5), 0.6),
    }
    assert report["by_pips"] == {"bearing off": pytest.approx([0.0, 0.01])}
    out = run("bench efficiency --games 3 --seed 7").out
    assert "bearing off: 0.000, and 0.01000 more with each pip" in " ".join(out.split())
    run("bench efficiency --games 0").refuses("", "at least one game")


def test_janowskis_formula_is_the_published_one() -> None:
    assert scores.janowski(2, 4) == pytest.approx(0.67)
    assert scores.janowski(7, 7) == 0.5
    assert scores.janowski(9, 3) + scores.janowski(3, 9) == pytest.approx(1)


@pytest.mark.slow
@pytest.mark.skipif(program_file() is None, reason="GNU Backgammon is not installed")
def test_gnu_backgammon_knows_its_own_table_and_a_last_roll() -> None:
    """15 of 36 rolls win, and the cube decides nothing any more."""
    gnu = GnuCube()
    try:
        table = gnu.table(match_table.MOST_AWAY)
        assert table.chance(1, 1) == 0.5
        assert 0.66 < table.chance(1, 2) < 0.69
        last = position({6: 1, 1: 1}, {1: 2})
        for seat in (0, 1):
            here = position({6: 1, 1: 1}, {1: 2}, seat=seat)
            verdict = gnu.judge(here, Stakes(cube=2, owner=seat), 2)
            assert verdict.stays == pytest.approx(verdict.taken / 2, abs=1e-5)
            assert verdict.stays == pytest.approx(-1 / 6, abs=1e-3)
        assert gnu.judge(last, Stakes(away=(1, 3), crawford=True), 0).stays < 0
    finally:
        gnu.close()
