"""`plyhouse ladder`: what is asked of a server, what is said, and with which code it ends."""

from __future__ import annotations

import csv
import io
import json
import signal
import subprocess
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from client.commands import ladder
from client.ladder import differences, following
from protocol.ladder import (
    LadderCompare,
    LadderCreate,
    LadderDrop,
    LadderState,
    LadderStatus,
    LadderStop,
)
from protocol.messages import Hello, Push, Request
from protocol.parts import ClockOptions
from tests.client.conftest import Run
from tests.client.fake_server import Answer, HostedServer, refuse, reply
from tests.client.ladder import states
from tests.support.terminal import PLYHOUSE, environment, exit_code, in_terminal


def answering(state: LadderState, *more: LadderState) -> Answer:
    """Answer with a ladder's state; who follows gets `more` after it."""

    def answer(request: Request) -> list[Push]:
        assert isinstance(request, LadderStatus)
        pushed = list(more) if request.follow else []
        return [replace(state, re=request.id), *pushed]

    return answer


def later(**fields: object) -> LadderState:
    """The state after one more pair."""
    over = states.pair(313, states.MINE, states.MCTS)
    held = states.line(pairs=313, **fields)
    return states.state(ladder=held, seq=1_210, recent=(over, *states.RECENT))


def test_who_creates_a_ladder_is_remembered_and_can_stop_it(server: HostedServer, run: Run) -> None:
    server.answers[LadderCreate] = reply(states.state())
    words = ("--game", "connect_four", "--clock", "10s+0.1s", "--name", "ada", "--seed", "7")
    code, out, err = run(
        "create", "daily", *words, "--format", "roundrobin:4", "--quota", "2", "--players", "3"
    )
    assert (code, err) == (0, "")
    assert server.heard_of(LadderCreate) == LadderCreate(
        name="daily", game="connect_four", clock=ClockOptions(base_ms=10_000, increment_ms=100),
        format="roundrobin:4", quota=2, seed=7, players=3,
    )  # fmt: skip
    assert out == (
        "daily is open: Connect four, 10 s + 0.1 s, endless; its owner is ada.\n"
        "Its first pair begins when 3 bots have joined; the house's do not count.\n"
        "Two bots of one owner do not meet on it: that takes --siblings.\n"
        "It is open: a player with several names can buy a rating. --members or --code keep"
        " it to those whom you know; --by-owner counts each owner once.\n"
        "Bots join it with: plyhouse bot BOT --ladder daily\n"
        f"Its page: {server.url.replace('ws', 'http', 1)}/ladder/daily\n"
    )
    server.answers[LadderStatus] = answering(states.state())
    assert run("stop", "daily") == (0, "daily is finished, with 312 pairs.\n", "")
    assert server.heard_of(LadderStop) == LadderStop(ladder="daily")
    assert run("drop", "daily", "bob/\x1bmcts")[:2] == (
        0,
        "bob/mcts begins no more pairs on daily.\n",
    )
    assert server.heard_of(LadderDrop) == LadderDrop(ladder="daily", player="bob/\x1bmcts")
    first, second, _ = server.hellos
    assert (first.name, first.token, second.token) == ("ada", None, "secret")
    assert isinstance(first, Hello)


def test_a_ladder_for_who_was_invited_says_so(server: HostedServer, run: Run) -> None:
    server.answers[LadderCreate] = reply(states.state())
    words = ("--game", "connect_four", "--clock", "10s+0.1s", "--name", "ada", "--siblings")
    words = (*words, "--by-owner")
    code, out, _ = run("create", "ours", *words, "--members", "ann,bob/mcts,", "--code", "X7K2M9")
    assert code == 0
    assert server.heard_of(LadderCreate) == LadderCreate(
        name="ours", game="connect_four", clock=ClockOptions(base_ms=10_000, increment_ms=100),
        members=("ann", "bob/mcts"), code="X7K2M9", siblings=True, by_owner=True,
    )  # fmt: skip
    assert "Only for the bots of ann, bob/mcts, and who has the code.\n" in out
    assert "plyhouse bot BOT --ladder daily --code X7K2M9\n" in out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--clock", "none"), "a ladder needs a clock"),
        (("--clock", "0.01+1"), "the clock '0.01+1' is out of range"),
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
    server: HostedServer, run: Run, tmp_path: Path, words: tuple[str, ...]
) -> None:
    no = refuse("ladder/unknown", "there is no ladder 'dayly'; there is daily")
    server.answers |= {LadderStatus: no, LadderStop: no}
    out = ("--out", tmp_path / "out") if words[0] == "report" else ()
    code, said, err = run(*words, *out)
    assert (code, said) == (2, "")
    assert err == "plyhouse: there is no ladder 'dayly'; there is daily\n"


def test_the_list_of_ladders(server: HostedServer, run: Run) -> None:
    server.answers[LadderStatus] = reply(states.listed("daily", "weekly"))
    code, out, err = run("status")
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in out.splitlines()[2:]] == ["daily", "weekly"]
    assert "Connect four" in out
    listed = json.loads(run("status", "--json")[1])
    assert (listed["type"], len(listed["ladders"])) == ("ladders", 2)
    rows = list(csv.DictReader(io.StringIO(run("status", "--csv")[1])))
    assert [row["name"] for row in rows] == ["daily", "weekly"]
    server.answers[LadderStatus] = reply(states.listed())
    assert run("status")[1].startswith("No ladders here yet")


def test_a_standing_is_plain_in_a_pipe_and_whole_as_json_and_csv(
    server: HostedServer, run: Run
) -> None:
    server.answers[LadderStatus] = answering(states.state())
    code, out, err = run("status", "daily")
    assert (code, err) == (0, "")
    assert "\x1b" not in out
    lines = out.splitlines()
    assert lines == [line.rstrip() for line in lines]
    assert len([line for line in lines if states.MCTS in line and "612" in line]) == 1
    raw = json.loads(run("status", "daily", "--json")[1])
    assert msgspec.convert(raw, LadderState) == states.state()
    rows = list(csv.DictReader(io.StringIO(run("status", "daily", "--csv")[1])))
    assert [row["player"] for row in rows] == [row.player for row in states.standings()]
    assert (rows[1]["crash"], rows[1]["illegal"], rows[1]["voids"]) == ("3", "0", "1")
    assert (rows[2]["rating"], rows[2]["error"], rows[3]["group"]) == ("0.0", "", "1")


VERDICTS = [("better", 0), ("not better", 1), ("undecided", 3)]


@pytest.mark.parametrize(("word", "wanted"), VERDICTS)
def test_the_verdict_of_a_test_is_the_exit_code(
    server: HostedServer, run: Run, word: str, wanted: int
) -> None:
    server.answers[LadderStatus] = answering(states.judged(word, over=True))
    assert [run(what, "daily")[0] for what in ("status", "watch")] == [wanted, wanted]
    assert ladder.code_of(states.judged(word, over=False)) == 0


def test_in_a_pipe_each_pair_is_a_line(server: HostedServer, run: Run) -> None:
    server.answers[LadderStatus] = answering(states.state(), later(state="finished"))
    code, out, err = run("watch", "daily")
    assert (code, err) == (0, "")
    news = "pair 313: ann/fourmind@0.3 1–1 house/mcts@1, 641.1 1–0 line, 642.1 0–1 line\n"
    assert f"\n{news}daily is finished\n" in out
    assert out.count("player ") == 2  # the standings at first and at the end


def test_news_are_told_once_and_none_is_passed_over() -> None:
    assert following.news(states.state(), states.state()) == []
    much = replace(later(), ladder=states.line(pairs=340))
    assert following.news(states.state(), much)[0] == "27 more pairs"
    voided = states.pair(313, states.MINE, states.MCTS, void="both away")
    after = states.state(recent=(voided, *states.RECENT))
    assert following.news(states.state(), after) == [
        "pair 313: ann/fourmind@0.3 – house/mcts@1, void: both away"
    ]


def test_who_joins_is_told() -> None:
    fewer = states.state(standings=states.standings()[:3])
    eve = states.standings()[3]
    joined, suspended, unconnected = following.news(fewer, states.state())
    assert joined == f"{eve.player} has joined"
    assert suspended.startswith(f"{eve.player} is suspended: ")
    assert unconnected.startswith("unconnected: ")


def test_an_older_standing_does_not_replace_a_newer_one(server: HostedServer, run: Run) -> None:
    old = states.state(seq=5, recent=(), ladder=states.line(pairs=1, state="finished"))
    server.answers[LadderStatus] = answering(states.state(), old, later(state="finished"))
    assert "pair 313" in run("watch", "daily")[1]


def test_a_lost_connection_is_made_again_and_the_ladder_asked_for(
    server: HostedServer, run: Run
) -> None:
    asked: list[Request] = []

    def answer(request: Request) -> list[Push]:
        asked.append(request)
        if len(asked) == 2:  # the first that follows
            server.cut()
            return []
        state = later(state="finished") if len(asked) > 2 else states.state()
        return [replace(state, re=request.id)]

    server.answers[LadderStatus] = answer
    code, _, err = run("watch", "daily")
    assert (code, err) == (0, f"plyhouse: {following.UNLINKED}\n")


def test_ctrl_c_ends_it_cleanly(server: HostedServer, tmp_path: Path) -> None:
    server.answers[LadderStatus] = answering(states.state())
    with subprocess.Popen(
        [*PLYHOUSE, "ladder", "watch", "daily", "--url", server.url],
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        while states.MCTS not in process.stdout.readline():
            pass
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert process.stderr.read() == ""


@pytest.mark.slow
def test_a_terminal_is_redrawn_and_given_back(server: HostedServer, tmp_path: Path) -> None:
    server.answers[LadderStatus] = answering(states.state())
    words = ("ladder", "watch", "daily", "--url", server.url)
    with in_terminal(tmp_path, *words, columns=100) as child:
        child.expect_exact("\x1b[?1049h")
        child.expect_exact("312 pairs")
        server.push_from_outside(later())
        child.expect_exact("313 pairs")
        child.send("\x03")
        child.expect_exact("\x1b[?1049l")
        child.expect_exact("313 pairs")  # what was last shown stays
        assert exit_code(child) == 0


def test_players_are_compared_as_text_as_lines_and_as_the_server_says_it(
    server: HostedServer, run: Run
) -> None:
    both = states.differences(states.MCTS, states.MINE)
    server.answers[LadderCompare] = reply(both)
    code, out, err = run("status", "daily", "--compare", "mcts,fourmind")
    assert (code, err) == (0, "")
    assert out == f"{differences.sentence(both)}\nThese rest on 310 pairs.\n"
    assert server.heard_of(LadderCompare) == LadderCompare(
        ladder="daily", players=("mcts", "fourmind")
    )
    code, out, _ = run("status", "daily", "--compare", "mcts,fourmind", "--csv")
    assert [*csv.reader(io.StringIO(out))] == [
        ["one", "two", "difference", "error", "los"],
        [states.MCTS, states.MINE, "72.4", "51.2", "0.9972"],
    ]
    server.answers[LadderCompare] = reply(states.differences())
    code, out, _ = run("status", "daily", "--compare", "all", "--json")
    assert json.loads(out)["differences"][2]["elo"] == 540.0
    assert [r.players for r in server.heard if isinstance(r, LadderCompare)][-1] == ()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("status", "--compare", "a,b"), "--compare needs a ladder"),
        (("status", "daily", "--compare", "a,,b"), "--compare takes players"),
        (("status", "daily", "--compare", ",".join("ab" * 21)), "--compare takes"),
        (("watch", "daily", "--compare", "a"), "watch compares two players"),
        (("watch", "daily", "--compare", "all"), "watch compares two players"),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(
    run: Run, words: tuple[str, ...], sentence: str
) -> None:
    code, out, err = run(*words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert sentence in err


def test_who_watches_sees_how_two_differ(server: HostedServer, run: Run) -> None:
    both = states.differences(states.MCTS, states.MINE)
    server.answers |= {
        LadderStatus: answering(states.state(), later(state="finished")),
        LadderCompare: reply(both),
    }
    code, out, _ = run("watch", "daily", "--compare", "mcts,fourmind")
    assert code == 0
    assert out.count(differences.sentence(both)) == 2, "with the standings at first and at the end"
    asked = [r for r in server.heard if isinstance(r, LadderCompare)]
    assert len(asked) == 2, "once before, and once with these ratings"
