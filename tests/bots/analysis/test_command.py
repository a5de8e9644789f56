"""`plyhouse analyse`: what it prints, and what it says to bad input and to a Ctrl-C."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import plyhouse
from bots import registry as bots
from bots.analysis import app
from bots.analysis.form import Analysis, Option, Play, Roll, Total
from bots.analysis.match import Analyst
from bots.analysis.text import not_seen, write
from client.records import record
from client.records.record import Record
from games import registry
from games.game import Ints
from protocol.messages import Event, Player, Result
from tests.client.records.played import FIVE_PLUS_THREE, Played

Run = Callable[..., tuple[int, str, str]]
TTT, BACKGAMMON = registry.game("tic_tac_toe"), registry.game("backgammon")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `plyhouse analyse` in this process: the exit code, stdout and stderr."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))

    def analyse(*words: object) -> tuple[int, str, str]:
        code = plyhouse.main(["analyse", *(str(word) for word in words)])
        out, err = capsys.readouterr()
        return code, out, err

    return analyse


def file(folder: Path, played: Played) -> Path:
    path = folder / "match.json"
    path.write_bytes(record.write(Record(played.match, tuple(played.events))))
    return path


def set_up(played: Played, plies: int) -> Played:
    """The match, as if a ladder had set its first plies up."""
    for i, e in enumerate(played.events):
        if e.kind == "play" and (e.ply or 0) < plies:
            played.events[i] = Event(
                seq=e.seq, kind="opening", match=e.match, ply=e.ply, seat=e.seat,
                action=e.action, at=e.at,
            )  # fmt: skip
    return played


def lost() -> Played:
    """X has won after four plies that were set up, then gives the win away; and O resigns."""
    return set_up(Played("tic_tac_toe", FIVE_PLUS_THREE).plays(*"1259483").gives_up(1), 4)


def test_it_tells_totals_and_the_worst_plays(run: Run, tmp_path: Path) -> None:
    code, out, err = run(file(tmp_path, lost()))
    assert code == 0
    lines = out.splitlines()
    assert lines[:4] == [
        "Tic-tac-toe, match 17.2: X wins: O resigned", "", "X  ann", "O  house/mcts",
    ]  # fmt: skip
    assert "looked at by solver; losses in stones" in lines
    assert "blunders ??      1      0" in lines
    assert "  6  X     3       loses -2  6     wins +2     4  ??" in lines
    assert err.splitlines()[-1] == "3 of 3 looked at"


def test_all_lists_every_play_in_order(run: Run, tmp_path: Path) -> None:
    _, out, _ = run(file(tmp_path, lost()), "--all")
    table = out.partition("every play:\n\n")[2].splitlines()
    assert table[0].split() == ["ply", "side", "played", "best", "loss"]
    assert [int(line.split()[0]) for line in table[1:]] == [4, 5, 6]


def test_as_json_it_is_the_form(run: Run, tmp_path: Path) -> None:
    code, out, _ = run(file(tmp_path, lost()), "--json")
    said = json.loads(out)
    assert code == 0
    assert (said["match"], said["players"]) == ("17.2", ["ann", "house/mcts"])
    assert said["result"] == "X wins: O resigned"
    assert (said["game"], said["by"], said["unit"]) == ("tic_tac_toe", "solver", "score")
    assert (said["blunder"], said["rolls"], said["left"]) == (None, [], [])
    assert said["plays"][2] == {
        "ply": 6,
        "seat": 0,
        "action": "3",
        "loss": 4.0,
        "error": None,
        "doubtful": False,
        "blunder": True,
        "best": [
            {"action": "6", "value": 2.0, "note": "wins"},
            {"action": "7", "value": 2.0, "note": "wins"},
            {"action": "3", "value": -2.0, "note": "loses"},
        ],
    }
    assert [total["plays"] for total in said["totals"]] == [2, 1]


def test_a_match_that_is_not_solved_gets_an_error(run: Run, tmp_path: Path) -> None:
    played = Played("ultimate_tic_tac_toe").plays("55", "51").gives_up(0)
    code, out, _ = run(file(tmp_path, played), "--nodes", 20, "--all")
    assert code == 0
    assert "looked at by mcts, 20 simulations an action; losses in value, from -1 to 1" in out


def test_what_was_taken_back_was_not_played(run: Run, tmp_path: Path) -> None:
    played = Played("tic_tac_toe").plays(*"12597").takes_back(3, 1).plays("8").gives_up(0)
    set_up(played, 2)
    _, out, _ = run(file(tmp_path, played), "--json")
    assert [play["action"] for play in json.loads(out)["plays"]] == ["5", "8"]


def test_what_a_ladder_has_set_up_is_not_judged(run: Run, tmp_path: Path) -> None:
    played = set_up(Played("tic_tac_toe").plays(*"12594").gives_up(0), 3)
    _, out, _ = run(file(tmp_path, played), "--json")
    assert [play["ply"] for play in json.loads(out)["plays"]] == [3, 4]


def test_names_are_safe_to_print(run: Run, tmp_path: Path) -> None:
    players = (Player(name="a\x1b[2Jnn"), Player(name="bob"))
    played = set_up(Played("tic_tac_toe", players=players).plays(*"12594").gives_up(0), 4)
    _, out, _ = run(file(tmp_path, played))
    assert "\x1b" not in out


VOID = Result(winner=None, returns=(0.0, 0.0), how="void", reason="the server was stopped")


@pytest.mark.parametrize(
    ("played", "words", "sentence"),
    [
        (Played("tic_tac_toe").plays("1"), (), "match 17.2 is not over in "),
        (Played("tic_tac_toe").ends(VOID), (), "nobody played anything in match 17.2: there is"),
        (lost(), ("--plies", "1"), "--plies is nothing for tic_tac_toe, which takes --nodes"),
        (Played("backgammon").gives_up(1), (), "nobody played anything in match 17.2: there is"),
        (Played("backgammon").gives_up(1), ("--plies", "3"), "--plies must be 0 to 2, not 3"),
        (
            Played("backgammon").gives_up(1),
            ("--nodes", "9"),
            "--nodes is nothing for backgammon, which takes --plies and --luck-plies",
        ),
        (lost(), ("--nodes", "0"), "--nodes must be 1 to 1,000,000,000,000,000,000, not 0"),
    ],
)
def test_bad_input_gets_a_sentence(
    run: Run, tmp_path: Path, played: Played, words: tuple[str, ...], sentence: str
) -> None:
    code, out, err = run(file(tmp_path, played), *words)
    assert (code, out) == (2, "")
    assert err.startswith(f"plyhouse: {sentence}")
    assert err.count("\n") == 1


def test_a_file_that_is_no_record_gets_a_sentence(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("to do")
    code, _, err = run(path)
    assert code == 2
    assert err.startswith("plyhouse: this is no record of a match")
    assert run(tmp_path / "nothing.json")[2].endswith(
        "is neither a match, such as 17.2, nor a file\n"
    )
    path.write_bytes(file(tmp_path, lost()).read_bytes().replace(b'"lag_ms":20', b'"lag_ms":21', 1))
    code, _, err = run(path)
    assert code == 2
    assert "is not as it was written: line " in err


def test_without_a_server_it_says_so(run: Run) -> None:
    code, _, err = run("17.2", "--url", "127.0.0.1:1", "--name", "ann")
    assert code == 2
    assert "`plyhouse up` starts one" in err


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

    def on_step(self: object, done: int, of: int) -> None:
        if done == 2:
            signal.pthread_kill(main, signal.SIGINT)
            assert flag.set.wait(20)

    def a_flag(self: Analyst) -> Ints:
        return flag

    monkeypatch.setattr(Analyst, "flag", a_flag)
    monkeypatch.setattr(app._Shown, "on_step", on_step)
    code, out, err = run(file(tmp_path, lost()), "--json")
    assert code == 130
    assert err == ("plyhouse: stopped: 1 of 3 plays and rolls were not looked at, at ply 4\n")
    said = json.loads(out)
    assert [play["ply"] for play in said["plays"]] == [5, 6]
    assert said["left"] == [4]


def test_it_says_what_was_left_in_words() -> None:
    none = (Total(), Total())
    found = Analysis("tic_tac_toe", "solver", "score", None, (), (), none, (4,))
    left = "stopped: 1 of 1 plays and rolls were not looked at, at ply 4"
    assert not_seen(found) == left
    assert write(found, TTT).splitlines()[0] == left
    found = Analysis("tic_tac_toe", "solver", "score", None, (), (), none)
    assert not_seen(found) == "stopped when all had been looked at"
    assert "stopped" not in write(found, TTT)


def test_before_it_compiles_it_says_so(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = bots.kind("mcts")
    made = []
    monkeypatch.setattr(kind, "ready", lambda game: False)
    monkeypatch.setattr(kind, "prepare", made.append)
    monkeypatch.setattr(app.compiled, "missing", lambda: False)
    played = Played("ultimate_tic_tac_toe").plays("55").gives_up(0)
    _, _, err = run(file(tmp_path, played), "--nodes", 5)
    assert err.startswith("plyhouse: compiling the search for ultimate_tic_tac_toe, once\n")
    assert [game.name for game in made] == ["ultimate_tic_tac_toe"]
    monkeypatch.setattr(app.compiled, "missing", lambda: True)
    _, _, err = run(file(tmp_path, played), "--nodes", 5)
    assert err.startswith("plyhouse: without numba it takes some fifty times longer\n")


# ---------------------------------------------------------------- the text


def dice() -> Analysis:
    """A play and its roll, and one that is not proven."""
    best = (Option("8/5 6/5", 0.1221), Option("24/21 6/5", 0.0104))
    return Analysis(
        game="backgammon",
        by="gammon, 1 ply",
        unit="points",
        blunder=0.08,
        plays=(
            Play(1, 0, "24/21 6/5", 0.1117, None, False, True, best),
            Play(3, 1, "13/11", 0.0, None, False, False, (Option("13/11", -0.2),)),
        ),
        rolls=(Roll(0, 0, "31", 0.1523), Roll(2, 1, "21", -0.11)),
        totals=(
            Total(plays=1, loss=0.1117, blunders=1, luck=0.1523),
            Total(plays=1, forced=1, luck=-0.11),
        ),
    )


def test_with_dice_the_roll_and_its_luck_stand_beside_the_play() -> None:
    assert write(dice(), BACKGAMMON, every=True).splitlines() == [
        "looked at by gammon, 1 ply; losses in points",
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
        "  1  X     31: 24/21 6/5  +0.010  8/5 6/5  +0.122  0.112  ??  +0.152",
        "  3  O     21: 13/11      -0.200                   0.000      -0.110",
    ]


def test_where_nothing_was_lost_it_says_so() -> None:
    total = Total(plays=1)
    play = Play(0, 0, "5", 0.0, None, False, False, (Option("5", 0.0, "draw"),))
    found = Analysis("tic_tac_toe", "solver", "score", None, (play,), (), (total, Total()))
    assert write(found, TTT).endswith("\nno play lost anything that could be told from the best\n")


def test_what_is_not_proven_is_counted_and_said() -> None:
    best = (Option("4", None, "from -2 to +3"), Option("1", None, "from -9 to -1"))
    play = Play(0, 0, "1", None, None, False, True, best)
    totals = (Total(plays=1, unknown=1, blunders=1), Total())
    text = write(Analysis("tic_tac_toe", "solver", "score", None, (play,), (), totals), TTT)
    assert "not proven   1  0" in text
    assert "a decision   -  -" in text
    assert "  0  X     1       from -9 to -1  4     from -2 to +3  not proven  ??" in text
