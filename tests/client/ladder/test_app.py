"""`plyhouse ladder`: what is asked of a house, what is said, and with which code it ends."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pexpect
import pytest
from msgspec.structs import replace

import plyhouse
from client.ladder import app, following
from protocol.ladder import (
    LadderCreate,
    LadderState,
    LadderStatus,
    LadderStop,
)
from protocol.messages import ClockOptions, Hello, Push, Request
from tests.client.fake_house import Answer, refuse, reply
from tests.client.ladder import scenes
from tests.client.ladder.conftest import Hosted, Run

ROOT = Path(__file__).parents[3]
PLYHOUSE = [sys.executable, str(ROOT / "plyhouse.py")]


def standing(state: LadderState, *more: LadderState) -> Answer:
    """Answer with a standing; who follows gets `more` after it."""

    def answer(request: Request) -> list[Push]:
        assert isinstance(request, LadderStatus)
        pushed = list(more) if request.follow else []
        return [replace(state, re=request.id), *pushed]

    return answer


def later(**fields: object) -> LadderState:
    """The standing after one more pair."""
    over = scenes.pair(313, scenes.MINE, scenes.MCTS)
    held = scenes.line(pairs=313, **fields)
    return scenes.state(ladder=held, seq=1_210, recent=(over, *scenes.RECENT))


# ---------------------------------------------------------------- create and stop


def test_who_creates_a_ladder_is_remembered_and_can_stop_it(house: Hosted, run: Run) -> None:
    house.answers[LadderCreate] = reply(scenes.state())
    words = ("--game", "connect_four", "--clock", "10+0.1", "--name", "ada", "--seed", "7")
    code, out, err = run(
        "create", "daily", *words, "--format", "roundrobin:4", "--quota", "2", "--players", "3"
    )
    assert (code, err) == (0, "")
    assert house.heard_of(LadderCreate) == LadderCreate(
        name="daily", game="connect_four", clock=ClockOptions(base_ms=10_000, increment_ms=100),
        format="roundrobin:4", quota=2, seed=7, players=3,
    )  # fmt: skip
    assert out == (
        "daily is open: Connect four, 10+0.1 s, endless; it is ada's.\n"
        "Its first pair begins when 3 bots have joined, the house's not counted.\n"
        "Bots join it with: plyhouse bot BOT --ladder daily\n"
        f"Its page: {house.url.replace('ws', 'http', 1)}/ladder/daily\n"
    )
    house.answers[LadderStatus] = standing(scenes.state())
    assert run("stop", "daily") == (0, "daily is finished, with 312 pairs.\n", "")
    assert house.heard_of(LadderStop) == LadderStop(ladder="daily")
    first, second = house.hellos
    assert (first.name, first.token, second.token) == ("ada", None, "secret")
    assert isinstance(first, Hello)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--clock", "none"), "'none' is no clock of a ladder"),
        (("--clock", "0.5+1"), "'0.5+1' is out of range"),
        (("--clock", "10", "--quota", "0"), "quota"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(
    run: Run, words: tuple[str, ...], sentence: str
) -> None:
    code, out, err = run("create", "daily", "--game", "connect_four", *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("plyhouse: ")
    assert sentence in err


@pytest.mark.parametrize(
    "words", [("status", "dayly"), ("watch", "dayly"), ("stop", "dayly"), ("report", "dayly")]
)
def test_a_refusal_is_told_in_the_servers_words(
    house: Hosted, run: Run, tmp_path: Path, words: tuple[str, ...]
) -> None:
    no = refuse("ladder/unknown", "there is no ladder 'dayly'; there is daily")
    house.answers |= {LadderStatus: no, LadderStop: no}
    out = ("--out", tmp_path / "out") if words[0] == "report" else ()
    code, said, err = run(*words, *out)
    assert (code, said) == (2, "")
    assert err == "plyhouse: there is no ladder 'dayly'; there is daily\n"


def test_without_a_server_it_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("PLYHOUSE_URL", raising=False)
    assert plyhouse.main(["ladder", "status", "--url", "127.0.0.1:1"]) == 2
    assert "no server answers at 127.0.0.1:1" in capsys.readouterr().err


def test_join_is_the_bots_own_command() -> None:
    joined = plyhouse._joining(["ladder", "join", "daily", "mcts", "--slots", "2"])
    assert joined == ["bot", "mcts", "--slots", "2", "--ladder", "daily"]
    for words in (["ladder", "join", "daily"], ["ladder", "status", "daily"], ["bot", "mcts"]):
        assert plyhouse._joining(words) == words


# ---------------------------------------------------------------- status


def test_the_list_of_ladders(house: Hosted, run: Run) -> None:
    house.answers[LadderStatus] = reply(scenes.listed("daily", "weekly"))
    code, out, err = run("status")
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()[2:]] == ["daily", "weekly"]
    assert "Connect four" in out
    listed = json.loads(run("status", "--json")[1])
    assert (listed["type"], len(listed["ladders"])) == ("ladders", 2)
    rows = list(csv.DictReader(io.StringIO(run("status", "--csv")[1])))
    assert [row["name"] for row in rows] == ["daily", "weekly"]
    house.answers[LadderStatus] = reply(scenes.listed())
    assert run("status")[1].startswith("No ladders here yet")


def test_in_a_pipe_the_standing_is_plain(house: Hosted, run: Run) -> None:
    house.answers[LadderStatus] = standing(scenes.state())
    code, out, err = run("status", "daily")
    assert (code, err) == (0, "")
    assert "\x1b" not in out
    lines = out.splitlines()
    assert lines == [line.rstrip() for line in lines]
    assert len([line for line in lines if scenes.MCTS in line and "612" in line]) == 1


def test_json_is_what_the_wire_says(house: Hosted, run: Run) -> None:
    house.answers[LadderStatus] = standing(scenes.state())
    raw = json.loads(run("status", "daily", "--json")[1])
    assert msgspec.convert(raw, LadderState) == scenes.state()


def test_csv_has_a_row_a_player(house: Hosted, run: Run) -> None:
    house.answers[LadderStatus] = standing(scenes.state())
    rows = list(csv.DictReader(io.StringIO(run("status", "daily", "--csv")[1])))
    assert [row["player"] for row in rows] == [row.player for row in scenes.standings()]
    assert (rows[1]["crash"], rows[1]["illegal"], rows[1]["voids"]) == ("3", "0", "1")
    assert (rows[2]["rating"], rows[2]["error"], rows[3]["group"]) == ("0.0", "", "1")


VERDICTS = [("better", 0), ("not better by 30", 1), ("undecided", 3)]


@pytest.mark.parametrize(("word", "wanted"), VERDICTS)
def test_the_verdict_of_a_test_is_the_exit_code(
    house: Hosted, run: Run, word: str, wanted: int
) -> None:
    house.answers[LadderStatus] = standing(scenes.judged(word, over=True))
    assert [run(what, "daily")[0] for what in ("status", "watch")] == [wanted, wanted]
    assert app.code_of(scenes.judged(word, over=False)) == 0


# ---------------------------------------------------------------- watch


def test_in_a_pipe_each_pair_is_a_line(house: Hosted, run: Run) -> None:
    house.answers[LadderStatus] = standing(scenes.state(), later(state="finished"))
    code, out, err = run("watch", "daily")
    assert (code, err) == (0, "")
    news = "pair 313: ann/fourmind@0.3 1–1 house/mcts@1, 641.1 1–0 line, 642.1 0–1 line\n"
    assert f"\n{news}daily is finished\n" in out
    assert out.count("player ") == 2  # the standing at first and at the end


def test_news_are_told_once_and_none_is_passed_over() -> None:
    assert following.news(scenes.state(), scenes.state()) == []
    much = replace(later(), ladder=scenes.line(pairs=340))
    assert following.news(scenes.state(), much)[0] == "27 pairs more"
    voided = scenes.pair(313, scenes.MINE, scenes.MCTS, void="both away")
    after = scenes.state(recent=(voided, *scenes.RECENT))
    assert following.news(scenes.state(), after) == [
        "pair 313: ann/fourmind@0.3 – house/mcts@1, void: both away"
    ]


def test_who_joins_is_told() -> None:
    fewer = scenes.state(standings=scenes.standings()[:3])
    eve = scenes.standings()[3]
    joined, suspended, unconnected = following.news(fewer, scenes.state())
    assert joined == f"{eve.player} has joined"
    assert suspended.startswith(f"{eve.player} is suspended: ")
    assert unconnected.startswith("unconnected: ")


def test_an_older_standing_does_not_replace_a_newer_one(house: Hosted, run: Run) -> None:
    old = scenes.state(seq=5, recent=(), ladder=scenes.line(pairs=1, state="finished"))
    house.answers[LadderStatus] = standing(scenes.state(), old, later(state="finished"))
    assert "pair 313" in run("watch", "daily")[1]


def test_a_lost_connection_is_made_again_and_the_ladder_asked_for(house: Hosted, run: Run) -> None:
    asked: list[Request] = []

    def answer(request: Request) -> list[Push]:
        asked.append(request)
        if len(asked) == 2:  # the first that follows
            house.cut()
            return []
        state = later(state="finished") if len(asked) > 2 else scenes.state()
        return [replace(state, re=request.id)]

    house.answers[LadderStatus] = answer
    code, _, err = run("watch", "daily")
    assert (code, err) == (0, f"plyhouse: {following.UNLINKED}\n")


def test_ctrl_c_ends_it_cleanly(house: Hosted, tmp_path: Path) -> None:
    house.answers[LadderStatus] = standing(scenes.state())
    command = [*PLYHOUSE, "ladder", "watch", "daily", "--url", house.url]
    env = {**os.environ, "XDG_DATA_HOME": str(tmp_path)}
    with subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        while scenes.MCTS not in process.stdout.readline():
            pass
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert process.stderr.read() == ""


@pytest.mark.slow
def test_a_terminal_is_redrawn_and_given_back(house: Hosted, tmp_path: Path) -> None:
    house.answers[LadderStatus] = standing(scenes.state())
    env = {**os.environ, "TERM": "xterm-256color", "XDG_DATA_HOME": str(tmp_path)}
    child: pexpect.spawn[str] = pexpect.spawn(
        PLYHOUSE[0], [*PLYHOUSE[1:], "ladder", "watch", "daily", "--url", house.url],
        env=env, dimensions=(24, 100), encoding="utf-8", timeout=15,
    )  # type: ignore[arg-type]  # fmt: skip
    try:
        child.expect_exact("\x1b[?1049h")
        child.expect_exact("312 pairs")
        house.push_from_outside(later())
        child.expect_exact("313 pairs")
        child.send("\x03")
        child.expect_exact("\x1b[?1049l")
        child.expect_exact("313 pairs")  # what was last shown stays
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == 0
    finally:
        child.close(force=True)
