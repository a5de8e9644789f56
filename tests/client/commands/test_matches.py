"""`plyhouse matches`: what is listed, and what is asked of the server for it."""

from __future__ import annotations

import json
from functools import partial

import pytest
from msgspec.structs import replace

from protocol import past
from protocol.parts import Player, Result, Series
from tests.client.conftest import Run
from tests.client.fake_server import HostedServer, refuse, reply

WON = Result(winner=0, returns=(1.0, -1.0), how="rules", reason="line")
FLAG = Result(winner=1, returns=(-2.0, 2.0), how="flag", reason="flag")
LINES = (
    past.MatchLine(
        match="17.2", game="connect_four", result=WON, at=1_767_225_600_000, plies=31, rated=True,
        seats=(Player(name="ann"), Player(name="house", program="mcts")),
    ),
    past.MatchLine(
        match="9.1", game="halma", result=FLAG, at=9 * 10**15, plies=1, code="QF7KDM",
        seats=(Player(name="b\x1b[2Job"), Player(name="ann")),
        former=(1,),
    ),
)  # fmt: skip


@pytest.fixture
def run(server: HostedServer, plyhouse_main: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `plyhouse matches ...` at the fake server."""
    monkeypatch.setenv("PLYHOUSE_URL", server.url)
    return partial(plyhouse_main, "matches")


def test_one_s_own_matches_are_listed_in_columns(run: Run, server: HostedServer) -> None:
    server.answers[past.Matches] = reply(past.MatchPage(matches=LINES, more=True))
    code, out, err = run("--name", "ann", "--limit", "2")
    assert (code, err) == (0, "")
    assert server.heard_of(past.Matches) == past.Matches(
        id=server.heard_of(past.Matches).id, who="ann", limit=2
    )
    assert out.splitlines() == [
        "17.2  2026-01-01 00:00  Connect four  ann (X) - house/mcts (O)                    "
        "ann won: four in a row                    31 plies, rated",
        "9.1   9999-12-31 23:59  Halma         b[2Job (first) - ann (second, former name)  "
        "ann won 2 points: b[2Job ran out of time  1 ply, private",
        "There are older ones: --before 9.1",
    ]


def test_a_game_of_a_series_says_which_and_what_the_score_has_come_to(
    run: Run, server: HostedServer
) -> None:
    drop = Result(winner=1, returns=(-2.0, 2.0), how="rules", reason="drop")
    game = past.MatchLine(
        match="9.3", game="backgammon_cube", result=drop, at=0, plies=40, seats=LINES[0].seats,
        series=Series(points=5, score=(1, 2), game=4),
    )  # fmt: skip
    last = replace(game, series=Series(points=5, score=(1, 5), game=6, winner=1))
    server.answers[past.Matches] = reply(past.MatchPage(matches=(game, last)))
    one, two = run("--name", "ann")[1].splitlines()
    assert "(game 3 of a match to 5, now 1 – 2)" in one
    assert "(game 6 of a match to 5, now 1 – 5)" in two


def test_others_and_all_are_asked_for(run: Run, server: HostedServer) -> None:
    server.answers[past.Matches] = reply(past.MatchPage(matches=()))
    assert run("house/mcts", "--name", "ann")[1] == "No match of house/mcts is over.\n"
    assert run("--all", "--before", "17.2")[1] == "No public match is over yet.\n"
    asked = server.of(past.Matches)[-1]
    assert isinstance(asked, past.Matches)
    assert (asked.who, asked.before) == (None, "17.2")
    code, out, _ = run("--json")
    assert (code, json.loads(out)["matches"]) == (0, [])


def test_what_makes_no_sense_is_told(run: Run, server: HostedServer) -> None:
    assert run("--limit", "101")[::2] == (2, "plyhouse: --limit takes 1 to 100\n")
    assert run("ann", "--all")[0] == 2
    server.answers[past.Matches] = refuse("past/no-person", "nobody is called x")
    assert run("x")[::2] == (2, "plyhouse: nobody is called x\n")
