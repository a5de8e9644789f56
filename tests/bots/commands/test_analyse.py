"""`plyhouse analyse`: what it prints, and what it says to bad input and to a Ctrl-C."""

from __future__ import annotations

import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from bots import registry as bots
from bots.analysis import analysts
from bots.analysis.analyst import AnalysisDepth, Analyst, Judgement
from bots.commands import analyse as app
from client.records import source
from games import registry
from games.game import Game, Ints, Position
from protocol.analysis import AnalysedRoll, MatchAnalysis, Resignation
from protocol.parts import Options, Player, Result, Series
from protocol.reading.files import ReadMatch
from protocol.records import record
from protocol.records.analysis_text import format_analysis, format_left, format_series
from protocol.records.record import MatchRecord
from protocol.records.replay import replay_events
from tests.bots.analysis.parts import given_up, of_cube, option, play, solved, total
from tests.client.records.played import FIVE_PLUS_THREE, Played
from tests.support.command import Run

TTT, BACKGAMMON = registry.game("tic_tac_toe"), registry.game("backgammon")


@pytest.fixture(autouse=True)
def _own_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def file(folder: Path, played: Played) -> Path:
    path = folder / "match.json"
    path.write_bytes(record.write(MatchRecord(played.match, tuple(played.events))))
    return path


def set_up(played: Played, plies: int) -> Played:
    """The match, as if a ladder had set its first plies up."""
    for i, e in enumerate(played.events):
        if e.kind == "play" and (e.ply or 0) < plies:
            played.events[i] = replace(e, kind="opening")
    return played


def lost() -> Played:
    """X has won after four plies that were set up, then gives the win away; and O resigns."""
    return set_up(Played("tic_tac_toe", FIVE_PLUS_THREE).plays(*"1259483").gives_up(1), 4)


def test_it_tells_totals_and_the_worst_plays_and_all_in_order_where_asked(
    run: Run, tmp_path: Path
) -> None:
    code, out, err = run("analyse", file(tmp_path, lost()), "--all")
    lines = out.splitlines()
    assert code == 0
    head = ["Tic-tac-toe, match 17.2: X won: O resigned", "", "X  ann", "O  house/mcts"]
    assert lines[:4] == head
    assert "analysed by solver" in lines
    assert "blunders ??      1      0" in lines
    assert "  7  X     3       loses -2  6     wins +2     4  ??" in lines
    assert err.splitlines()[-1] == "3 of 3 analysed"
    table, _, legend = out.partition("every play:\n\n")[2].partition("\n\n")
    table = table.splitlines()
    assert table[0].split() == ["ply", "side", "played", "best", "loss"]
    assert [int(line.split()[0]) for line in table[1:]] == [5, 6, 7]
    assert legend.startswith("ply: counted from 1, rolls included\nloss: in stones;")
    assert "every play" not in run("analyse", file(tmp_path, lost())).out


def test_json_has_all_fields(run: Run, tmp_path: Path) -> None:
    row = run("analyse", file(tmp_path, lost()), "--json").json()
    assert (row["match"], row["players"]) == ("17.2", ["ann", "house/mcts"])
    assert row["result"] == "X won: O resigned"
    assert (row["game"], row["by"], row["unit"]) == ("tic_tac_toe", "solver", "score")
    assert (row["blunder"], row["rolls"], row["left"]) == (None, [], [])
    assert row["plays"][2] == {
        "ply": 6, "seat": 0, "action": "3", "loss": 4.0, "error": None,
        "doubtful": False, "blunder": True,
        "normalised": None, "cube": False, "shows": 1, "trivial": False, "mistake": None,
        "best": [
            {"action": "6", "value": 2.0, "note": "wins", "equity": None},
            {"action": "7", "value": 2.0, "note": "wins", "equity": None},
            {"action": "3", "value": -2.0, "note": "loses", "equity": None},
        ],
    }  # fmt: skip
    assert [total["plays"] for total in row["totals"]] == [2, 1]


def test_a_match_that_is_not_solved_gets_an_error(run: Run, tmp_path: Path) -> None:
    played = Played("ultimate_tic_tac_toe").plays("55", "51").gives_up(0)
    code, out, _ = run("analyse", file(tmp_path, played), "--nodes 20 --all")
    assert code == 0
    assert "analysed by mcts, 20 simulations an action\n" in out
    assert "loss: in value, from -1, a sure loss, to 1, a sure win" in out


def test_neither_what_was_taken_back_nor_what_a_ladder_has_set_up_is_judged(
    run: Run, tmp_path: Path
) -> None:
    played = Played("tic_tac_toe").plays(*"12597").takes_back(3, 1).plays("8").gives_up(0)
    plays = run("analyse", file(tmp_path, set_up(played, 2)), "--json").json()["plays"]
    assert [(play["ply"], play["action"]) for play in plays] == [(2, "5"), (3, "8")]


def test_names_are_safe_to_print(run: Run, tmp_path: Path) -> None:
    players = (Player(name="a\x1b[2Jnn"), Player(name="bob"))
    played = set_up(Played("tic_tac_toe", players=players).plays(*"12594").gives_up(0), 4)
    assert "\x1b" not in run("analyse", file(tmp_path, played)).out


VOID = Result(winner=None, returns=(0.0, 0.0), how="void", reason="the server was stopped")


NOBODY = "nobody chose anything in match 17.2: there is"
STARTED, DICE = Played("tic_tac_toe").plays("1"), Played("backgammon").gives_up(1, "flag")


@pytest.mark.parametrize(
    ("played", "words", "sentence"),
    [
        (STARTED, "", "match 17.2 is not over in "),
        (Played("tic_tac_toe").ends(VOID), "", NOBODY),
        (lost(), "--plies 1", "--plies has no effect in tic_tac_toe; use --nodes"),
        (lost(), "--nodes 0", "--nodes must be 1 to 1,000,000,000,000,000,000, not 0"),
        (DICE, "", NOBODY),
        (DICE, "--plies 3", "--plies must be 0 to 2, not 3"),
        (DICE, "--nodes 9", "--nodes has no effect in backgammon; use --plies and --luck-plies"),
    ],
)
def test_bad_input_gets_a_sentence(
    run: Run, tmp_path: Path, played: Played, words: str, sentence: str
) -> None:
    run("analyse", file(tmp_path, played), words).refuses(f"plyhouse: {sentence}")


def test_without_a_server_it_says_so(run: Run) -> None:
    run("analyse 17.2 --url 127.0.0.1:1 --name ann").refuses("", "`plyhouse up` starts one")


class Flag(list[int]):
    """A stop flag that one can wait for."""

    def __init__(self) -> None:
        super().__init__([0])
        self.set = threading.Event()

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value)
        self.set.set()


def test_ctrl_c_ends_it_with_what_was_found_and_what_was_not(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = threading.main_thread().ident
    assert main is not None
    flag = Flag()

    def on_progress(self: object, done: int, total: int) -> None:
        if done == 2:
            signal.pthread_kill(main, signal.SIGINT)
            assert flag.set.wait(60)

    monkeypatch.setattr(Analyst, "stop_flag", lambda self: flag)
    monkeypatch.setattr(app.AnalysisProgress, "on_progress", on_progress)
    said = run("analyse", file(tmp_path, lost()), "--json")
    assert said.code == 130
    assert said.err == "plyhouse: stopped: 1 of 3 plays and rolls were not analysed, at ply 5\n"
    assert [play["ply"] for play in said.json()["plays"]] == [5, 6]
    assert said.json()["left"] == [4]


def test_it_says_what_was_left_in_words() -> None:
    left = "stopped: 1 of 1 plays and rolls were not analysed, at ply 5"
    assert format_left(solved(left=[4])) == left
    assert format_analysis(solved(left=[4]), TTT.seats).splitlines()[0] == left
    assert format_left(solved()) == "stopped after the last one"
    assert "stopped" not in format_analysis(solved(), TTT.seats)


def test_before_it_compiles_it_says_so(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = bots.bot_class("mcts")
    made = []
    monkeypatch.setattr(kind, "ready", lambda game: False)
    monkeypatch.setattr(kind, "prepare", made.append)
    monkeypatch.setattr(app.compiled, "missing", lambda: False)
    played = Played("ultimate_tic_tac_toe").plays("55").gives_up(0)
    _, _, err = run("analyse", file(tmp_path, played), "--nodes 5")
    assert err.startswith("plyhouse: compiling the search for ultimate_tic_tac_toe, once\n")
    assert [game.name for game in made] == ["ultimate_tic_tac_toe"]
    monkeypatch.setattr(app.compiled, "missing", lambda: True)
    _, _, err = run("analyse", file(tmp_path, played), "--nodes 5")
    assert err.startswith("plyhouse: without numba this takes some fifty times longer\n")


def test_with_dice_the_roll_and_its_luck_stand_beside_the_play() -> None:
    best = [option("8/5 6/5", 0.1221), option("24/21 6/5", 0.0104)]
    dice = MatchAnalysis(
        game="backgammon", by="gammon, 1 ply", unit="points", blunder=0.08,
        plays=[play(1, 0, 0.1117, best, blunder=True), play(3, 1, 0.0, [option("13/11", -0.2)])],
        rolls=[
            AnalysedRoll(ply=0, seat=0, roll="31", luck=0.1523),
            AnalysedRoll(ply=2, seat=1, roll="21", luck=-0.11),
        ],
        totals=(total(1, loss=0.1117, blunders=1, luck=0.1523), total(1, forced=1, luck=-0.11)),
    )  # fmt: skip
    assert format_analysis(dice, BACKGAMMON.seats, all_plays=True).splitlines() == [
        "analysed by gammon, 1 ply",
        "",
        "                  X       O",
        "decisions         1       1",
        "forced            0       1",
        "lost          0.112   0.000",
        "a decision    0.112   0.000",
        "doubtful ?        0       0",
        "blunders ??       1       0",
        "luck         +0.152  -0.110",
        "",
        "every play:",
        "",
        "ply  side  played                 best              loss        luck",
        "  2  X     31: 24/21 6/5  +0.010  8/5 6/5  +0.122  0.112  ??  +0.152",
        "  4  O     21: 13/11      -0.200                   0.000      -0.110",
        "",
        "ply: counted from 1, rolls included",
        "loss: in points a game; best play would have won so much more on average",
        "??: lost more than 0.08; ?: more than half of that",
    ]


CUBE = registry.game("backgammon_cube")
SECOND = Series(points=5, score=(4, 2), game=2, crawford=True)


def test_with_the_cube_plays_and_cube_stand_apart_with_a_rating_and_what_was_wrong() -> None:
    assert format_analysis(of_cube(Series(points=5)), CUBE.seats).splitlines() == [
        "game 1 at 0 – 0 to 5",
        "analysed by gammon, 1 ply, the cube 2 plies",
        "",
        "                           X        O",
        "decisions                 25       20",
        "lost                  5.75 %   3.12 %",
        "  by plays            1.25 %   0.00 %",
        "  by the cube         4.50 %   3.12 %",
        "doubtful ?                 2        0",
        "blunders ??                1        1",
        "  about the cube           1        1",
        "luck                +10.00 %  +0.00 %",
        "performance rating      6.00     4.69",
        "  of plays              1.25     0.00",
        "  of the cube          25.00    93.75",
        "",
        "the worst plays:",
        "",
        "ply  side  played           best               loss",
        "  3  X     roll    51.50 %  double  56.00 %  4.50 %  ??  missed double",
        "  7  O     take    40.62 %  drop    43.75 %  3.12 %  ??  wrong take     cube 2",
        "",
        "ply: counted from 1, rolls included",
        "loss: in chances to win the match",
        "??: lost more than 0.08; ?: more than half of that, with the cube as 1",
        "rating: 500 times what a decision that counts lost on average, the cube as 1",
    ]


def test_who_gave_up_in_a_record_is_looked_at() -> None:
    replay = replay_events(Played("backgammon").resigns(1, 1).events)
    match = app.finished(replay, ("ann", "bob"), "O resigned")
    assert match.resignations == (Resignation(ply=1, seat=1, points=1, accepted=True),)


def test_who_gave_up_stands_among_the_worst_and_in_the_sums() -> None:
    lines = format_analysis(given_up(of_cube(Series(points=5))), CUBE.seats).splitlines()
    assert lines[5:10] == [
        "lost                 18.25 %   3.12 %",
        "  by plays            1.25 %   0.00 %",
        "  by the cube         4.50 %   3.12 %",
        "  by resigning       12.50 %   0.00 %",
        "doubtful ?                 2        0",
    ]
    assert lines[20] == (
        "  9  X     resign 2  37.50 %  play on  50.00 %  12.50 %  ??                 cube 2"
    )
    sums = format_series([given_up(of_cube(Series(points=5))), of_cube(SECOND)], CUBE.seats)
    assert "  by resigning       12.50 %   0.00 %" in sums.splitlines()
    assert "  by plays            2.50 %   0.00 %" in sums.splitlines()


def test_of_a_series_each_game_has_a_line_and_all_are_added_up() -> None:
    games = [of_cube(Series(points=5)), of_cube(SECOND)]
    lines = format_series(games, CUBE.seats).splitlines()
    assert lines[2:5] == [
        "game                            X lost  X rating  O lost  O rating",
        "game 1 at 0 – 0 to 5            5.75 %      6.00  3.12 %      4.69",
        "game 2 at 4 – 2 to 5, Crawford  5.75 %      6.00  3.12 %      4.69",
    ]
    sums = {line[:18].rstrip(): line[18:].split() for line in lines[8:]}
    assert sums["decisions"] == ["50", "40"]
    assert sums["lost"] == ["11.50", "%", "6.25", "%"]
    assert sums["  of the cube"] == ["25.00", "93.75"]


class Calm(Analyst):
    """Holds that nothing was lost."""

    PROGRAM, by, unit, blunder = "random", "calm", "points", None
    DEPTHS = {}  # noqa: RUF012 - it takes none
    GAMES = ("backgammon_cube",)
    RATES = True

    @classmethod
    def create(cls, game: Game, depth: AnalysisDepth) -> Calm:
        return cls()

    def judge(self, position: Position, action: int, stop: Ints) -> Judgement:
        text = position.game.format_action(position, action)
        return Judgement(0.0, None, False, False, [option(text, 0.0)])


def game_of_series(match: str, series: Series | None) -> MatchRecord:
    """A game that O has given up after the first play."""
    played = Played("backgammon_cube", match=match).plays_on(1, 1).gives_up(1)
    fields = {"options": Options(points=series.points if series else None), "series": series}
    events = [replace(e, **fields) if e.kind == "started" else e for e in played.events]
    return MatchRecord(match, tuple(events))


def test_all_games_of_a_series_are_a_server_s(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = [game_of_series(f"17.{n}", Series(points=3, score=(n - 1, 0), game=n)) for n in (1, 2)]
    found, find_match = ReadMatch(games), source.find_match
    monkeypatch.setattr(
        source, "find_match", lambda asked: found if asked.match == "17.2" else find_match(asked)
    )
    monkeypatch.setattr(analysts, "ANALYSTS", (Calm,))
    code, out, _ = run("analyse 17.2 --series")
    assert code == 0
    assert [line.split(":")[0] for line in out.splitlines() if "match 17." in line] == [
        "Backgammon with the cube, match 17.1",
        "Backgammon with the cube, match 17.2",
    ]
    lines = [line.split() for line in out.splitlines()]
    assert any(line[:6] == ["game", "2", "at", "1", "–", "0"] for line in lines)
    rating = [line[2:] for line in lines if line[:2] == ["performance", "rating"]][-1]
    assert sorted(rating) == ["-", "0.00"]  # one side has decided nothing
    rows = run("analyse 17.2 --series --json").json()
    assert [(row["match"], row["series"]["game"]) for row in rows] == [("17.1", 1), ("17.2", 2)]
    assert run("analyse 17.2 --json").json()["match"] == "17.2"
    run("analyse", file(tmp_path, lost()), "--series").refuses("plyhouse: ", "holds one game")
    games[:] = [game_of_series("17.2", None)]
    run("analyse 17.2 --series").refuses("plyhouse: match 17.2 is no game of a match to points")


CLUB = """ 5 point match

 Game 1
 anna : 0                       <b>bo</b> : 0
  1) 31: 8/5 6/5                 64: 24/14
  2)  Doubles => 2               Drops
      Wins 1 point

 Game 2
 anna : 1                       <b>bo</b> : 0
  1)                             31: 8/5 6/5
  2) 64: 24/14                   43: 24/20 13/10
"""


def test_a_file_of_another_program_is_analysed_with_all_its_games_as_far_as_it_goes(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysts, "ANALYSTS", (Calm,))
    club = tmp_path / "club.mat"
    club.write_text(CLUB + "  3) 99: 8/1\n")
    code, out, err = run("analyse", club)
    assert code == 1  # not all of it could be read
    assert "match 0.1: X won: a dropped double" in out
    assert "match 0.2: not over" in out
    assert "game 2 at 1 – 0 to 5" in out
    assert err.endswith("what stands above it was read\n")
    assert f"plyhouse: {club}, line 13: a roll such as `31:`" in err
    club.write_text(CLUB.replace(" 5 point match", " 0 point match"))
    rows = run("analyse", club, "--json").json()
    assert [(row["match"], row["players"][1]) for row in rows] == [
        ("0.1", "<b>bo</b>"), ("0.2", "<b>bo</b>"),
    ]  # fmt: skip
    out = run("analyse", club, "--all", "--positions").out
    assert "\ngame 2 " in out
    assert "\n  2  XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10\n" in out


def test_where_nothing_was_lost_it_says_so_and_what_is_not_proven_is_counted() -> None:
    found = format_analysis(solved(play(0, 0, 0.0, [option("5", 0.0, "draw")])), TTT.seats)
    assert found.endswith("\nno play was measurably worse than the best\n")
    best = [option("4", None, "from -2 to +3"), option("1", None, "from -9 to -1")]
    totals = (total(1, unknown=1, blunders=1), total())
    text = format_analysis(solved(play(0, 0, None, best, blunder=True), totals=totals), TTT.seats)
    assert "not proven   1  0" in text
    assert "a decision   -  -" in text
    assert "  1  X     1       from -9 to -1  4     from -2 to +3  not proven  ??" in text
